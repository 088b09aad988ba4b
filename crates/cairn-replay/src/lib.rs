//! Tests as files, and what happens when a program runs on one natively.
//!
//! - [`KTest`] is a test in memory; [`KTestWriter`] writes many of them.
//! - [`NativeProgram`] is a program built with the replay library, ready to run on tests.
//! - [`RecordedEnvironment`] is what a whole program is given: arguments, files, standard input;
//!   [`ConcreteInput`] makes tests of such.
//! - [`ExpectedEnd`] is how the engine says that the program ends on a test, [`ExpectedOutput`] what it prints and returns.
//!
//! So: [`ExpectedEnd`] and [`ExpectedOutput`] of a test, and its [`NativeRun`], give an [`Agreement`]
//! ([`ExpectedOutput::judge`], [`ExpectedEnd::judge`]).
//!
//! It knows no terms, no machine and no engine: it is the second witness of what they say.

mod build;
mod compose;
mod environment;
mod expected_end;
mod expected_output;
mod ktest;
mod peers;
mod run;
mod sandbox;
mod stat;
mod watch;

pub use build::{BuildError, BuildOptions, NativeProgram, ProgramKind, Sanitizer};
pub use compose::ConcreteInput;
pub use environment::{EnvironmentError, LaidOut, RecordedEnvironment};
pub use expected_end::{Agreement, ExpectedEnd, ExpectedEnds};
pub use expected_output::{
    ExpectedOutput, ExpectedOutputError, Judgement, OUTPUT_LIMIT, OutputDifference,
};
pub use ktest::{KTest, KTestError, KTestObject, KTestWriter, VERSION};
pub use run::{End, LaidOutTest, NativeRun, RunError, RunOptions};
