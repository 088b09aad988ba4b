//! Objects on the stack: frames, scopes, and `alloca`.

use super::Memory;
use crate::layout::{self};
use crate::watch::Touch;
use crate::{Fault, ObjectKind, Word};

impl Memory {
    /// Enters a function: stack objects made from now on live until the frame is left. Some bytes of the
    /// stack are taken by what is no object.
    ///
    /// # Errors
    /// [`Fault::StackOverflow`].
    #[inline]
    pub fn push_frame(&mut self, taken: u64) -> Result<(), Fault> {
        self.stack.push_frame(taken)
    }

    /// Leaves a function: its stack objects end. Outside of all frames, the objects there end.
    #[inline]
    pub fn pop_frame(&mut self) {
        end_stack_objects(self, self.stack.frame_start());
        self.stack.pop_frame();
    }

    /// Makes an object of zeros in the present frame.
    ///
    /// # Errors
    /// [`Fault::StackOverflow`] or [`Fault::InvalidAlignment`].
    #[inline]
    pub fn stack_allocate(&mut self, size: u64, align: u64) -> Result<Word, Fault> {
        let room = layout::alignment(align)?;
        let base = self.stack.place(size, room)?;
        let object = self.objects.create(ObjectKind::Stack, base, size, align)?;
        self.stack.push(base, size, object.slot());
        Ok(Word { bits: base, object })
    }

    /// The largest object that the stack has room for.
    pub fn stack_room(&self) -> u64 {
        self.watch.note(Touch::Room);
        self.stack.room()
    }

    /// The fault of an object of the stack that does not fit, and whose size is not known here.
    pub fn stack_overflow_of_unknown_size(&self) -> Fault {
        self.stack.overflow_of_unknown_size()
    }

    /// A mark of the stack's height in the present frame.
    #[inline]
    pub fn stack_mark(&self) -> u64 {
        self.stack.mark()
    }

    /// Ends the objects of the present frame that were made since a mark. False, and nothing
    /// happens, if it is not a mark of this frame.
    pub fn stack_restore(&mut self, mark: u64) -> bool {
        let Some(length) = self.stack.length_at(mark) else {
            return false;
        };
        end_stack_objects(self, length);
        true
    }

    /// Leaves the scope of a stack object that begins at an address: it cannot be accessed until its scope
    /// begins again. Nothing happens if there is none.
    pub fn end_scope(&mut self, at: Word) {
        if let Some(slot) = self.live_slot(at.object) {
            let found = self.objects.slot(slot);
            if found.kind == ObjectKind::Stack && found.base == at.bits {
                self.objects.suspend(slot);
            }
        }
    }

    /// Begins the scope of a stack object again, with the bytes that it had; its size, or `None` if it was
    /// not out of its scope.
    pub fn begin_scope(&mut self, at: Word) -> Option<u64> {
        let resumed = self.objects.resume(at.object);
        resumed.then(|| self.objects.slot(at.object.slot()).size)
    }
}

/// Ends stack objects, the last first, until this many are left.
#[inline]
pub(super) fn end_stack_objects(memory: &mut Memory, length: usize) {
    while memory.stack.len() > length
        && let Some(slot) = memory.stack.last()
    {
        let size = memory.objects.end(slot);
        memory.stack.pop(size);
    }
}
