//! The headers that programs include and the library that they are replayed with, carried inside the binary.
//!
//! `#include <klee/klee.h>` and `<cairn/cairn.h>` must be found without an installation: what
//! compiles writes them to a folder first and passes it with `-I`. `<cairn/riscv.h>` defines what
//! executables for RISC-V are linked with.

use std::io;
use std::path::Path;

/// The headers: where they go, and their text.
pub const HEADERS: [(&str, &str); 3] = [
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
    ("cairn/cairn.h", include_str!("../include/cairn/cairn.h")),
    ("cairn/riscv.h", include_str!("../include/cairn/riscv.h")),
];

/// The source of the library that programs are linked with to be replayed.
pub const REPLAY_SOURCE: &str = include_str!("../native/replay.c");

/// Writes the headers below a folder, which is then what `-I` names.
///
/// # Errors
/// If they cannot be written.
pub fn install_headers(folder: &Path) -> io::Result<()> {
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
