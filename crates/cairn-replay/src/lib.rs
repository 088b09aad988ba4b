//! Tests as files, and what happens when a program runs on one natively.
//!
//! - [`KTest`] is a test in memory; [`KTestWriter`] writes many of them.
//! - [`NativeProgram`] is a program built with the replay library, ready to run on tests.
//! - [`Environment`] is what a whole program is given: arguments, files, standard input;
//!   [`ConcreteInput`] makes tests of such.
//! - [`Record`] is what a run of the engine said about a test, and [`Record::judge`] compares;
//!   [`Expectation`] is what the program printed and returned.
//!
//! It knows no terms, no machine and no engine: it is the second witness of what they say.

mod build;
mod compose;
mod environment;
mod expectation;
mod ktest;
mod peers;
mod record;
mod run;
mod sandbox;
mod stat;
mod watch;

pub use build::{BuildError, BuildOptions, NativeProgram, ProgramKind, Sanitizer};
pub use compose::ConcreteInput;
pub use environment::{Environment, EnvironmentError, LaidOut};
pub use expectation::{Difference, Expectation, ExpectationError, Judgement, OUTPUT_LIMIT};
pub use ktest::{KTest, KTestError, KTestObject, KTestWriter, VERSION};
pub use record::{Record, Records, Verdict};
pub use run::{End, Outcome, Prepared, RunError, RunOptions};
