//! What terms cost: building new ones, finding old ones, sweeping dead ones, moving them.

use crate::clock;
use cairn_expr::{Portable, Sort, Term, TermStore};
use cairn_random::Random;
use std::time::Duration;

const TERMS: usize = 1_000_000;

/// Builds a pool of sums and comparisons over bytes; the same seed gives the same terms.
fn build(store: &TermStore, seed: u64) -> Vec<Term> {
    let mut random = Random::new(seed);
    let mut pool: Vec<Term> = (0..64)
        .map(|i| store.symbol(&format!("byte{i}"), Sort::BitVec(8)))
        .collect();
    while pool.len() < TERMS {
        let a = random.pick(&pool).clone();
        let b = random.pick(&pool[..64]).clone();
        pool.push(match random.below(3) {
            0 => store.bv_add(&a, &b),
            1 => store.bv_xor(&a, &b),
            _ => store.bv_and(&a, &b),
        });
    }
    pool
}

fn timed<T>(what: &str, count: usize, work: impl FnOnce() -> T) -> T {
    let start = clock::process();
    let result = work();
    let time: Duration = clock::process() - start;
    println!(
        "{what:<34} {:>8.1} ns each",
        time.as_nanos() as f64 / count as f64
    );
    result
}

/// Runs the measurements and prints the table.
pub fn run() -> Result<(), String> {
    println!("{TERMS} terms over 64 input bytes, CPU time");
    let store = TermStore::new();
    let pool = timed("building, mostly new", TERMS, || build(&store, 1));
    let again = timed("building again, all known", TERMS, || build(&store, 1));
    assert!(pool == again, "the same terms are the same terms");
    drop(again);
    let packed = timed("packing for another worker", TERMS, || {
        Portable::export(&pool)
    });
    let other = TermStore::new();
    let moved = timed("unpacking at another worker", TERMS, || {
        packed.import(&other)
    });
    drop((moved, pool));
    let before = store.stats().terms;
    timed("sweeping, all dead", before, || store.sweep());
    println!(
        "terms before the sweep {before}, after {}",
        store.stats().terms
    );
    let start = std::time::Instant::now();
    build(&TermStore::new(), 2);
    let one = start.elapsed();
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| drop(build(&TermStore::new(), 2)));
        scope.spawn(|| drop(build(&TermStore::new(), 3)));
    });
    let two = start.elapsed();
    println!(
        "two workers building at once: {:.2} times the terms per second of one",
        2.0 * one.as_secs_f64() / two.as_secs_f64()
    );
    Ok(())
}
