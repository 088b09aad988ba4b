//! C and C++ programs do the same natively and on the concrete machine.

use cairn_oracle::programs::{
    Settings, SourceKind, compiler_problem, csmith_available, generate, run,
};
use std::time::Duration;

/// The first seed of the programs here; the command `cairn-fuzz programs` runs others.
const SEED: u64 = 7_000_000;

#[test]
fn programs_do_the_same_natively_and_on_the_machine() {
    if let Some(problem) = compiler_problem() {
        panic!("these tests need clang-19 and clang++-19: {problem}");
    }
    let mut kinds = SourceKind::ALL.to_vec();
    if !csmith_available() {
        eprintln!("csmith is not installed: its programs are left out");
        kinds.retain(|k| *k != SourceKind::Csmith);
    }
    let settings = Settings {
        count: 28,
        seed: SEED,
        limit: Some(Duration::from_secs(45)),
        kinds,
        ..Settings::default()
    };
    let report = run(&settings, &mut |_| {}).expect("the compiler and the programs run");
    print!("{}", report.table());
    let wrong: Vec<String> = report
        .disagreements
        .iter()
        .map(|d| {
            let (kind, flags) = (d.kind.name(), d.flags.join(" "));
            format!("{kind} seed {} -O{} {flags}: {}", d.seed, d.level, d.what)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(report.compared > 0, "nothing was compared");
}

#[test]
fn programs_are_functions_of_their_seeds() {
    let ours = SourceKind::ALL
        .into_iter()
        .filter(|k| *k != SourceKind::Csmith);
    for kind in ours {
        for seed in 0..200 {
            let first = generate(kind, seed).expect("only csmith can fail");
            let again = generate(kind, seed).expect("only csmith can fail");
            assert_eq!(first, again);
            let next = generate(kind, seed + 1).expect("only csmith can fail");
            assert_ne!(first.text, next.text);
        }
    }
}

#[test]
fn kinds_have_names() {
    for kind in SourceKind::ALL {
        assert_eq!(SourceKind::of_name(kind.name()), Some(kind));
    }
    assert_eq!(SourceKind::of_name("fortran"), None);
}
