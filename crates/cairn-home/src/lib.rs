//! What Cairn brings with it, and what it needs of the system that it runs on. Everything that compiles,
//! runs or reads a file of a user starts here, and it depends on no other part.
//!
//! - [`candidates`] says where the set-up's `.deps` may be.
//! - [`install_headers`] gives programs `klee/klee.h` and `cairn/cairn.h`; [`REPLAY_SOURCE`] is the library
//!   that they are linked with to run on a test.
//! - [`ScratchFolder`] is a folder for what is needed for a while.
//! - [`read_file`] reads files that users name: not without end.
//! - [`resident_bytes`] and [`cpu_time`] are what this process takes.

#![forbid(unsafe_code)]

mod read;
mod scratch;
mod setup;
mod sources;
mod usage;

pub use read::{MOST_BYTES, bounded, check_file, read_file, read_text};
pub use scratch::{ScratchFolder, empty_folder, remove_folder};
pub use setup::{LOOKED_IN, VARIABLE, candidates};
pub use sources::{HEADERS, REPLAY_SOURCE, install_headers};
pub use usage::{CpuTime, cpu_seconds, cpu_time, peak_bytes, resident_bytes};
