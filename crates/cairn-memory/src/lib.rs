//! Objects of a running program: checked, addressable, copied on write.
//!
//! A program sees memory as numbers; a checker must see objects. Here a pointer is both: a
//! [`Word`] has the true 64-bit address, so that arithmetic is plain, and the identity of the
//! object it was made from, so that an access outside of that object is seen even if it hits a
//! neighbour, and an access to an object that has ended is seen even if its place was given away.
//!
//! - `chunked`: the vector behind all tables. A clone shares it; a write copies one chunk.
//! - `objects`: the table of objects. An [`ObjectId`] is a slot of it and the slot's generation.
//! - `content`: the bytes of an object, in one buffer or in pages that exist once written, and
//!   beside them which 8-byte granules hold a pointer to which object. What an engine knows about
//!   bytes beyond their value (terms in place of bytes) belongs here, as a further layer beside
//!   the provenance that the loads and stores consult if it exists.
//! - `layout`, `heap`, `stack`: which addresses objects get, and from address to object.
//! - `memory`, `access`, `bulk`: the [`Memory`] itself, its accesses to words and to ranges.
//!
//! A memory belongs to one worker: it counts references without atomic operations.

#![forbid(unsafe_code)]

mod access;
mod bulk;
mod chunked;
mod content;
mod fault;
mod heap;
mod layout;
mod memory;
mod objects;
mod stack;
mod word;

pub use fault::{Extent, Fault, ObjectKind};
pub use layout::CODE_REGION;
pub use memory::{Memory, MemoryConfig};
pub use word::{ObjectId, Word};
