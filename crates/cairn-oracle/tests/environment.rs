//! Programs that depend on answers of the environment: they compile, and differ from each other.

use cairn_oracle::environment::{Library, everything, random, singles};
use std::path::Path;

/// The first seed of the programs here.
const SEED: u64 = 4_000_000;

#[test]
fn programs_compile_with_musl() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Ok(library) = Library::find(&root.join("target/release/cairn")) else {
        eprintln!("musl is not set up: nothing is tested; run scripts/libc.sh");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("environment");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let mut programs: Vec<_> = (SEED..SEED + 12).map(random).collect();
    programs.extend(singles().into_iter().step_by(97));
    programs.push(everything());
    for (i, program) in programs.iter().enumerate() {
        let source = folder.join(format!("{i}.c"));
        std::fs::write(&source, &program.text).expect("the source is written");
        let built = library.build(&source, &folder.join(format!("{i}")));
        assert_eq!(built, Ok(()), "{}", program.name);
    }
}
