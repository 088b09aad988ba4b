//! Tests as files, and what happens when a program runs on one natively.
//!
//! - [`KTest`] is a test in memory; [`KTestWriter`] writes many of them.
//! - [`install_headers`] gives programs `klee/klee.h` and `cairn/cairn.h`.
//! - [`NativeProgram`] is a program built with the replay library, ready to run on tests.
//! - [`Record`] is what a run of the engine said about a test, and [`Record::judge`] compares.
//!
//! It knows no terms, no machine and no engine: it is the second witness of what they say.

mod build;
mod headers;
mod ktest;
mod record;
mod run;
mod scratch;

pub use build::{BuildError, BuildOptions, NativeProgram, ProgramKind, Sanitizer};
pub use headers::{HEADERS, REPLAY_SOURCE, install_headers};
pub use ktest::{KTest, KTestError, KTestObject, KTestWriter, VERSION};
pub use record::{Record, Records, Verdict};
pub use run::{End, Outcome, RunError, RunOptions};
pub use scratch::ScratchFolder;
