//! Objects of a running program: checked, addressable, copied on write.
//!
//! A program sees memory as numbers; a checker must see objects. Here a pointer is both: a
//! [`Word`] has the true address, so that arithmetic is plain, and the identity of the
//! object it was made from, so that an access outside of that object is seen even if it hits a
//! neighbour, and an access to an object that has ended is seen even if its place was given away.
//!
//! - `chunked`: the vector behind all tables. A clone shares it; a write copies the way to an element.
//! - `objects`: the table of objects. An [`ObjectId`] is a slot of it and the slot's generation.
//! - `word`: a [`Word`] and an [`ObjectId`]; `object_info` and `fault`: what is told of an object, and of an
//!   access that is refused.
//! - `content`: the bytes of an object, in one buffer or in `pages` that exist once written; `shadow`:
//!   which words of them hold a pointer to which object; `word_access`: both for one word; `cells` and
//!   `mixed`: what stands in place of bytes that are not known; `address_map`: which of them may be
//!   addresses. An object without such cells costs nothing for them.
//! - `layout`, `heap`, `stack`, `fixed`: which addresses objects get, and from address to object;
//!   `no_object`: what can be said of addresses that lead to none.
//! - `open`: objects whose size is decided elsewhere.
//! - `memory`, `access`, `bulk`, `symbolic`: the [`Memory`] itself, its accesses to words, to ranges
//!   of known bytes, and to bytes of any kind; `register_words`: to the registers of an executable, which are
//!   words of one object.
//!
//! A memory belongs to one worker: it counts references without atomic operations.

#![forbid(unsafe_code)]

mod access;
mod address_map;
mod bulk;
mod cells;
mod chunked;
mod content;
mod fault;
mod fixed;
mod heap;
mod layout;
mod memory;
mod mixed;
mod no_object;
mod object_info;
mod objects;
mod open;
mod pages;
mod register_words;
mod shadow;
mod stack;
mod symbolic;
mod watch;
mod word;
mod word_access;

pub use address_map::AddressMap;
pub use cairn_bv::PointerWidth;
pub use cells::{Cell, OriginId, ReadPart};
pub use fault::{AllocatorFamily, Bytes, Fault, ObjectKind};
pub use fixed::FixedError;
pub use layout::{code_region, first_own_address, stack_region};
pub use memory::{
    DifferingBytes, MemoriesApart, Memory, MemoryConfig, Reach, check_allocator, is_not_older,
    merged_memory, set_allocator,
};
pub use no_object::NoObject;
pub use object_info::ObjectInfo;
pub use register_words::{RegisterWords, RegisterWordsMut};
pub use stack::cost as stack_cost;
pub use symbolic::Snapshot;
pub use watch::{Touch, unwatch, watch};
pub use word::{ObjectId, Word};
