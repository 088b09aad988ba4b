//! Two workers with a context each against one: do independent streams run side by side?

use crate::streams::{self, QueryStream};
use cairn_solver::Chain;
use std::time::{Duration, Instant};

const PAIRS: usize = 9;
const QUERIES: u64 = 20_000;

fn worker(seed: u64) {
    for kind in [QueryStream::Bytes, QueryStream::Array] {
        // A stream has a store of its own, and a chain belongs to one store.
        let mut chain = Chain::from_names("none", "native").expect("the native core is built in");
        streams::run(kind, seed, QUERIES, &mut chain, Duration::MAX);
    }
}

/// Runs the pairs and prints the median.
pub fn run() -> Result<(), String> {
    println!("speed of two workers over one, {PAIRS} interleaved pairs");
    let mut ratios = Vec::new();
    for pair in 0..PAIRS as u64 {
        let start = Instant::now();
        worker(2 * pair);
        worker(2 * pair + 1);
        let one = start.elapsed();
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| worker(2 * pair));
            scope.spawn(|| worker(2 * pair + 1));
        });
        let two = start.elapsed();
        let ratio = one.as_secs_f64() / two.as_secs_f64();
        println!(
            "one worker {:>6.2} s, two workers {:>6.2} s, {ratio:.2} times",
            one.as_secs_f64(),
            two.as_secs_f64()
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median {:.2}", ratios[PAIRS / 2]);
    Ok(())
}
