//! C and C++ sources, compiled at all levels of optimisation, lower and verify completely.

mod support;

use cairn_llvm::{LowerOptions, compile, load};
use std::path::Path;

fn check(name: &str, flags: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources");
    std::fs::create_dir_all(&directory).unwrap();
    let cxx = name.ends_with(".cc");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let mut all: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
        all.extend([level.to_string(), "-Wno-psabi".to_string()]);
        let output = directory.join(format!("{name}{}{level}.bc", flags.join("")));
        compile(&root.join(name), &all, &output).unwrap();
        let lowered = load(&output, &LowerOptions::default()).unwrap();
        support::verify(&lowered, name);
        // The library throws in places that are never reached here; all else is supported.
        let throws = |u: &&cairn_llvm::Unsupported| u.what == "C++ exceptions";
        let other = lowered.unsupported.iter().find(|u| !throws(u));
        assert_eq!(other, None, "{name} {all:?}");
        assert!(cxx || lowered.unsupported.is_empty(), "{name} {all:?}");
        assert!(lowered.program.find_function("main").is_some());
        let strict = LowerOptions {
            check_signed_overflow: true,
            check_unsigned_overflow: true,
            check_overshift: cairn_llvm::Overshift::Always,
            check_exact: true,
            check_inbounds: true,
            check_assumptions: true,
            ..LowerOptions::default()
        };
        let lowered = load(&output, &strict).unwrap();
        support::verify(&lowered, name);
        // The same file lowers to the same program.
        let again = load(&output, &strict).unwrap();
        assert_eq!(lowered.program, again.program, "{name} {level}");
    }
}

#[test]
fn c() {
    check("language.c", &[]);
}

#[test]
fn c_with_the_sanitizer() {
    check(
        "language.c",
        &["-fsanitize=undefined", "-fno-sanitize-recover"],
    );
    check(
        "language.c",
        &["-fsanitize=undefined", "-fsanitize-trap=undefined"],
    );
}

#[test]
fn c_with_wide_vectors() {
    check("language.c", &["-march=haswell"]);
    check(
        "language.c",
        &["-march=skylake-avx512", "-mprefer-vector-width=512"],
    );
}

#[test]
fn cxx() {
    check("language.cc", &[]);
}
