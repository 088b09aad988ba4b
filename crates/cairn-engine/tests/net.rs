//! The net: small programs in the text form, each with all that the engine does on it.
//!
//! A file of `tests/net/` is a program with two comments. At its head stands what it is about and how it is
//! run (`; run: key=value …`, see `net/setting.rs`); at its end, after `; expected:`, all that is to be
//! seen of the run (`net/report.rs`): paths by outcome, findings, what was left out, counters, tests, and
//! the moments that features are told (`net/recorder.rs`). `; same: key=value …` is another run that must
//! find the same paths, whatever their order.
//!
//! `BLESS=1 cargo test -p cairn-engine --test net` writes the expected blocks anew: read the difference before
//! it is committed. `NET=name` runs the files whose names contain that.

mod net {
    pub mod fakes;
    pub mod files;
    pub mod recorder;
    pub mod report;
    pub mod setting;
    pub mod words;
}

use net::files::{NetFile, all_files};
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_program_does_what_is_written_in_it() {
    let wanted = std::env::var("NET").unwrap_or_default();
    let bless = std::env::var_os("BLESS").is_some();
    let files = all_files();
    let (alone, together): (Vec<&NetFile>, Vec<&NetFile>) = files
        .iter()
        .filter(|file| file.name.contains(&wanted))
        .partition(|file| file.runs_alone());
    let wrong = Mutex::new(Vec::new());
    let check = |file: &NetFile| {
        let checked = catch_unwind(|| file.check(bless));
        let checked = checked.unwrap_or_else(|_| Err("the engine panics, see above".to_string()));
        if let Err(difference) = checked {
            let mut wrong = wrong.lock().expect("no check panics");
            wrong.push(format!("{}: {difference}", file.name));
        }
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = together.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(file);
                }
            });
        }
    });
    // What depends on the memory of the process.
    alone.into_iter().for_each(check);
    let mut wrong = wrong.into_inner().expect("no check panics");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
