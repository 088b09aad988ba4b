//! Verification tasks in the formats of the software verification competition.
//!
//! - `property`: what is asked ([`Property`]), from a property file.
//! - `task`: a program with its properties ([`VerificationTask`]), from a task definition.
//! - `nondet`: the functions by which a program gets its inputs, and their values as literals.
//! - `source`: where in a source something is that debug information knows.
//! - `witness`, `suite`: what others can check: a witness, a test suite.
//!
//! Nothing here knows how a property is decided.

mod nondet;
mod property;
mod source;
mod suite;
mod task;
mod witness;

pub use nondet::{NondetType, type_of_input};
pub use property::{Property, PropertyError, PropertyFile, Violation};
pub use source::SourceText;
pub use suite::{SuiteError, SuiteMetadata, TestSuite};
pub use task::{DataModel, TaskError, TaskLanguage, TaskProperty, VerificationTask};
pub use witness::{ReturnedInput, WitnessContent, WitnessMetadata, WitnessPosition, witness};

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The SHA-256 of a file's bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
