//! What code outside of the program touches of its memory.
//!
//! # Problem
//!
//! Why a path went on as it did may depend on what a function of the C library or a system call read.
//! Such a function works on the memory by itself: its caller does not see which bytes.
//!
//! # Idea
//!
//! A memory that is watched notes what is read, written, copied, looked at, made and ended, in order. Natives and the
//! system use it as any other.
//!
//! # Soundness
//!
//! Errs on the side of too much: what is not noted by its bytes is noted as the layout of memory, as the heap as a
//! whole, or as [everything](Touch::Everything). Accesses for interpreters only
//! ([`Memory::load_word_quick`], [`Memory::store_word_quick`], [`Memory::cell_around`],
//! [`Memory::register_words`]), frames and scopes are not noted.
//!
//! # Cost
//!
//! A test in accesses that are a call away; none in the interpreter's own.

use crate::{Memory, ObjectId, Reach, Word};
use std::cell::RefCell;
use std::rc::Rc;

/// Something that was done with memory. Offsets are from the beginning of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It mattered where an object is, how large, of which kind, and whether it lives.
    LookedAt(ObjectId),
    /// Bytes were read.
    Read {
        /// Of which object.
        object: ObjectId,
        /// From where.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// Bytes were written.
    Wrote {
        /// Of which object.
        object: ObjectId,
        /// From where.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// Bytes were copied, known or not, to an object and offset from an object and offset.
    Copied {
        /// The first byte written.
        to: (ObjectId, u64),
        /// The first byte read.
        from: (ObjectId, u64),
        /// How many.
        length: u64,
    },
    /// An object was made.
    Made(ObjectId),
    /// It mattered how full the heap and the stack are and where there is room, or that changed.
    Room,
    /// It mattered which object is at an address.
    Layout,
    /// It mattered what there is in all of memory.
    Everything,
}

/// Where it is noted what is touched, if anybody wants to know.
#[derive(Clone, Default)]
pub(crate) struct Watch(Option<Rc<RefCell<Vec<Touch>>>>);

impl Watch {
    /// Whether anybody wants to know.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Notes something if anybody wants to know.
    #[inline]
    pub fn note(&self, touch: Touch) {
        if let Some(touches) = &self.0 {
            touches.borrow_mut().push(touch);
        }
    }
}

/// Notes from now on what is done with a memory and its clones.
pub fn watch(memory: &mut Memory) {
    memory.watch = Watch(Some(Rc::default()));
}

/// Notes no longer. Gives what was noted, in order; nothing if the memory was not watched.
pub fn unwatch(memory: &mut Memory) -> Vec<Touch> {
    let touches = std::mem::take(&mut memory.watch);
    touches.0.map_or_else(Vec::new, |touches| touches.take())
}

/// Notes that the object of a pointer was looked for.
#[inline]
pub(crate) fn searched(memory: &Memory, at: Word) {
    if !memory.watch.is_on() {
        return;
    }
    if !at.object.object_unknown() {
        memory.watch.note(Touch::LookedAt(at.object.not_taken()));
    }
    let by_address = memory.goes_by_address() || memory.reach() == Reach::AnyObject;
    if at.object.object_unknown() || by_address {
        memory.watch.note(Touch::Layout);
    }
}

/// Bytes of the object in a slot were read.
#[inline]
pub(crate) fn was_read(memory: &Memory, slot: u32, offset: u64, length: u64) {
    if memory.watch.is_on() {
        let object = memory.objects.info(slot).object;
        memory.watch.note(Touch::Read {
            object,
            offset,
            length,
        });
    }
}

/// Bytes of the object in a slot were written.
#[inline]
pub(crate) fn was_written(memory: &Memory, slot: u32, offset: u64, length: u64) {
    if memory.watch.is_on() {
        let object = memory.objects.info(slot).object;
        memory.watch.note(Touch::Wrote {
            object,
            offset,
            length,
        });
    }
}

/// Bytes of the objects in two slots were copied.
#[inline]
pub(crate) fn was_copied(memory: &Memory, to: (u32, u64), from: (u32, u64), length: u64) {
    if memory.watch.is_on() {
        let named = |(slot, offset)| (memory.objects.info(slot).object, offset);
        memory.watch.note(Touch::Copied {
            to: named(to),
            from: named(from),
            length,
        });
    }
}
