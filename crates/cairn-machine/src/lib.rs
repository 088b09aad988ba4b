//! Runs programs.
//!
//! The step function is the meaning of the program form, written once over the value interface
//! [`Domain`]. On concrete words it is the executable specification and `cairn run --concrete`;
//! the engine runs the same code on values that may be terms.

#![forbid(unsafe_code)]

mod address_use;
mod calls;
mod code;
mod concrete;
mod cover;
mod domain;
mod edges;
mod flatten;
mod fuse;
mod harness;
mod jump;
mod layout;
mod libc;
mod machine;
mod machine_code;
pub mod natives;
mod runs;
mod runtime;
mod signals;
mod slow;
mod step;
mod stop_points;
mod table;
mod thread;
mod variables;

pub use concrete::Concrete;
pub use cover::CoverMap;
pub use domain::Domain;
pub use harness::HARNESS;
pub use layout::{lay_out, program_arguments, undefined_global};
pub use libc::{START, begin_with, has_libc};
pub use machine::{Cause, End, Image, LayoutError, Machine, MachineConfig, Report};
pub use machine_code::{DISPATCH, MachineCode, TRANSLATE, guest_memory, memory_for};
pub use natives::{provided, provided_beside_libc};
pub use runtime::{RUNTIME_PREFIX, link_runtime, runtime};
pub use signals::Handler;
pub use step::{Stop, StopOf, run, step};
pub use stop_points::{Arrival, StopPoints};
pub use table::CodeTable;
/// Arithmetic on words, as the concrete machine has it.
pub mod words {
    pub use crate::address_use::{
        Operand, compares_addresses, converts_address, is_code, is_layout, is_use, object_of_cast,
        uses_address,
    };
    pub use crate::concrete::{arithmetic, compare, convert, object_of};
}
pub use thread::{Any, Arguments, Extra, Thread};
