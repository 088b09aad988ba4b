//! Runs programs.
//!
//! The step function is the meaning of the program form, written once over the value interface
//! [`Domain`]. On concrete words it is the executable specification and `cairn run --concrete`;
//! the engine runs the same code on values that may be terms.

#![forbid(unsafe_code)]

mod code;
mod concrete;
mod domain;
mod edges;
mod flatten;
mod machine;
mod natives;
mod slow;
mod step;
mod table;
mod thread;

pub use concrete::Concrete;
pub use domain::Domain;
pub use machine::{End, Machine, MachineConfig, Report};
pub use natives::provided;
pub use step::{Stop, StopOf, run};
pub use table::CodeTable;
pub use thread::{Any, Arguments, Extra, Thread};
