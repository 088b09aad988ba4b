//! Which cells of a state a concrete stretch of its path stands on.
//!
//! # Problem
//!
//! A case that the solver refuted has an unsat core. Where a branch was on words there was no case and no query, and
//! the other case was just as impossible: because of what registers and memory held. A technique that
//! skips a state because a like one was explored must know which cells made the path go as it did, and may
//! ignore all others. Saying "all cells" is right and useless; leaving one out loses paths.
//!
//! # Idea
//!
//! Dynamic slicing (Korel and Laski; Agrawal and Horgan), forward: each value carries the set of cells that it
//! was computed from, and what control looked at is required. Tracer-X (Jaffar, Murali, Navas, Santosa) keeps
//! such dependences along all paths to build its interpolants. Here a stretch is run once more from its
//! beginning, which costs a state's clone to remember, on an instance of the step function whose values are
//! pairs (`domain.rs`). The step function asks [`cairn_machine::Domain::known`] wherever control depends on a value, so that is where sources become
//! required; nothing in it had to change.
//!
//! - `cells.rs`: what a cell is. A register of a call, bytes of an object, the object itself (address, size,
//!   kind, life), and state that is one cell as a whole: the room of the stack, the layout of memory, numbers
//!   of calls, answers that were decided before.
//! - `sources.rs`: sets of cells as numbers; a union is a node, walked once. `shadow.rs`: what the bytes came
//!   from that the stretch wrote. `target.rs`: which bytes an access is to.
//! - `outside.rs`: calls of natives and of the system.
//! - `stretch.rs`: the run, and [`ConcreteReason`], which finds the cells when they are first asked for.
//! - `scramble.rs`, `check.rs`: the check. `watcher.rs`: where the engine calls it.
//!
//! # What differs
//!
//! - Asked for, not kept: a run that wants no reasons executes what it did before.
//! - By bytes, not by variables: a pointer that is copied byte by byte comes from its eight bytes.
//! - Addresses of objects that the stretch makes are no cells. That an address is looked at as a number is
//!   seen by the engine's own tracking of such uses (`values/address_notes.rs`), and requires the layout then.
//! - Two degrees. A cell is required with its value; or it must only be a word, because an operator on a
//!   term would choose a value for it (floating point).
//! - A claim that can be tried: with `--self-check` stretches run again with all other cells scrambled.
//!
//! # Soundness
//!
//! *Claim:* a state at the same point, with the same calls and the same code, that agrees on the required
//! cells takes the same path to the same stop, and the values that the stop is about are the same.
//! *Why:* by induction over operations. What an operation gives is a function of its operands, whose sources
//! are in its set. Control goes on by values that were asked for through `known`, all of which are required,
//! so the next operation is the same. An access is to the same bytes because its address, its object and, for
//! an address that is a term, what was decided about it are required; so a load finds what the shadow says.
//! No dependence is lost at a join, because only one path is looked at.
//! Errs on the side of too many cells: a product with zero, a byte of a stored word, an array that is read at
//! one of its places come from everything that they could have come from.
//! A native or a system call is a function of its arguments, of the bytes that it reads and of state that is one cell
//! ([`CoarseCell::Heap`], [`CoarseCell::Outside`]); all of them are required, so what it writes and returns came from nowhere else.
//! *Not covered:* calls that the engine answers itself, because they make inputs, add facts or tell the time
//! (their arguments are required, what they read is not known here); natives and system calls with arguments that are terms; copies of symbolic length: each is
//! counted by cause ([`Untraceable`]), and has no reason. Bytes that are missing (arguments that were not
//! passed) count as part of their object. What is noted on the way (uses of addresses, coverage) is not
//! control: what skips a path must look after that.
//!
//! # Cost
//!
//! Nothing unless asked. A traced operation costs about ten times a plain one, and a function is flattened once
//! more for traced values. A set is 4 bytes in a value; a written byte is an entry of a hash table. A stretch
//! that accesses more than 64 KiB at once is given up.

mod cells;
mod check;
mod domain;
mod outside;
mod scramble;
mod shadow;
mod sources;
mod stretch;
mod target;
#[cfg(test)]
mod tests;
mod trace;
mod watcher;

pub use cells::{ByteRun, ByteSet, CoarseCell, RequiredCells};
pub use stretch::{
    ConcreteReason, StretchEnd, StretchStart, TracedCode, TracedStretch, Untraceable,
};
pub(crate) use watcher::Watcher;
