//! Says what answers of this solver depend on: `CAIRN_ANSWERS` is a number made of the sources of terms and solver. A file
//! of answers that was written with other sources is not believed.

use std::path::{Path, PathBuf};

/// The folders and files whose content counts, from this one.
const SOURCES: [&str; 6] = [
    "src",
    "../cairn-expr/src",
    "../cairn-bv/src",
    "../cairn-domain/src",
    "../cairn-text/src",
    // The versions of the libraries: the SAT solver is one of them.
    "../../Cargo.lock",
];

/// The files below a path, in an order that is the same everywhere.
fn files(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(next) = left.pop() {
        match std::fs::read_dir(&next) {
            Ok(entries) => left.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => found.push(next),
        }
    }
    found.sort();
    found
}

fn main() {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        for file in files(Path::new(source)) {
            add(file.to_string_lossy().as_bytes());
            add(&std::fs::read(&file).unwrap_or_default());
        }
    }
    println!("cargo::rustc-env=CAIRN_ANSWERS={hash}");
}
