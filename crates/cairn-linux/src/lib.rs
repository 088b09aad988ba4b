//! A model of Linux's system calls for one process with one thread.
//!
//! Programs reach the system by a number and six words. The model answers as the kernel does, with
//! the same results and the same errors in the same order, on files, folders and a clock of its
//! own: nothing of the machine that it runs on is read or written.
//!
//! *The idea:* the content of a file is an object of the same [`Memory`](cairn_memory::Memory) that
//! the program works on. Reading is a copy from that object into the program's buffer, so bytes that
//! are not known need no care at all, and a clone of the memory and of the [`Kernel`] is a copy of
//! the whole system.
//!
//! *What is not known* and must be (a name, a structure that the program passes) is asked for: the
//! answer is a [`Need`], nothing was changed, and the caller calls again when it is known.
//!
//! - `setup`, `start`: what a program finds when it starts; `symbolic`: what of it is unknown
//! - `kernel`: the system, and how a call gets to its function
//! - `call_table`: the form of the rows: signature, and which answers are the only ones; `assumed`: what the others assume, in
//!   words (reached through `call_table`)
//! - `abi`: numbers and structures of x86-64 and RISC-V
//! - `files`: the file system and what is open
//! - `calls`: the calls themselves, by family: a row for each, and the function that does it
//! - `delivery`: handlers of signals, which the caller runs
//! - `failing`: calls that fail, as unknown numbers say

#![forbid(unsafe_code)]

mod abi;
mod assumed;
mod call_table;
mod calls;
mod classes;
pub mod delivery;
mod errno;
mod failing;
mod files;
mod kernel;
mod reply;
mod setup;
mod start;
mod symbolic;

pub use abi::Abi;
pub use assumed::CLOCK;
pub use call_table::{ArgumentUse, CallSignature, Exactness};
pub use calls::SIGNAL_ABORT;
pub use classes::Classes;
pub use errno::Errno;
pub use kernel::{Kernel, Stream, same_systems};
pub use reply::{ClockForm, ClockReading, Need, Reply, Waited};
pub use setup::{HostContent, HostFile, RandomSource, Setup, StandardInput, StreamKind};
pub use symbolic::{BitsRelation, SymbolicKind, SymbolicObject, SymbolicRule};

/// Why a system cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be set up for the program: {errno}")]
pub struct SetupError {
    /// What is the matter: a file's name, mostly.
    pub what: String,
    /// Why, as the kernel would say it.
    pub errno: Errno,
}
