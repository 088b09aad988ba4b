//! Runs programs.
//!
//! The step function is the meaning of the program form, written once over the value interface
//! [`Domain`]. On concrete words it is the executable specification and `cairn run --concrete`;
//! the engine runs the same code on values that may be terms.
//!
//! | what | where |
//! |---|---|
//! | the value interface, words | `domain.rs`, `concrete.rs` |
//! | the flat form: what it is, how it is made, its table | `code.rs`, `flatten.rs`, `edges.rs`, `fuse.rs`, `variables.rs`, `table.rs` |
//! | what operations mean | `step.rs`, `calls.rs`, `slow.rs`, `word_runs.rs`, `jump.rs` |
//! | calls and their values | `thread.rs`, `thread_cells.rs`, `merge_cells.rs` |
//! | a whole run | `machine.rs`, `process.rs`, `layout.rs`, `libc.rs`, `signals.rs`, `streams.rs` |
//! | functions without code in the program | `natives/`, `runtime.rs`, `harness.rs` |
//! | executables | `machine_code.rs` |
//! | what is seen of a run | `cover.rs`, `stop_points.rs`, `address_use.rs` |

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
mod merge_cells;
pub mod natives;
mod process;
mod runtime;
mod signals;
mod slow;
mod step;
mod stop_points;
mod streams;
mod table;
mod thread;
mod thread_cells;
mod variables;
mod word_runs;

pub use concrete::Concrete;
pub use cover::CoverMap;
pub use domain::Domain;
pub use harness::{HARNESS, HARNESS_PREPARATION};
pub use layout::undefined_global;
pub use libc::{START, begin_with, has_libc};
pub use machine::{Cause, End, Image, Machine, MachineConfig, Report};
pub use machine_code::{
    CODE_ENTRY, CODE_PREFIX, DISPATCH, MachineCode, TRANSLATE, fault_text, is_below_stack,
    no_code_text,
};
pub use merge_cells::{FunctionLiveness, LiveCell};
pub use natives::{native_names, native_names_beside_libc};
pub use process::{LayoutError, NextCall, Process, Stage, entry_arguments};
pub use runtime::{RUNTIME_PREFIX, link_runtime, runtime};
pub use signals::SignalHandler;
pub use step::{Stop, StopOf, run, step};
pub use stop_points::{Arrival, StopPoints};
pub use table::{CodeTable, function_address, function_pointer};
/// Arithmetic on words, as the concrete machine has it.
pub mod words {
    pub use crate::address_use::{
        AddressPlace, LayoutOperand, compares_addresses, comparison_depends_on_layout,
        converts_address, is_code, object_of_low, result_depends_on_layout, tag_of, uses_address,
        without_tag,
    };
    pub use crate::concrete::{arithmetic, compare, convert, object_of};
}
pub use thread::{AnyValue, Extra, FrameArguments, Thread};
pub use thread_cells::{Carry, ThreadCell};
