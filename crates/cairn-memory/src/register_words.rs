//! The registers of an executable: several words of one small object at once.
//!
//! An executable keeps its registers in an object, and functions read and write many of them one after the
//! other. The object is looked up once; each word is then one access to its bytes and one to the
//! provenance beside them. Only the usual case is handled here: a live object in one buffer without cells,
//! and for writes a buffer that no other content shares.

use crate::content::ObjectContent;
use crate::shadow::GRANULE;
use crate::{Memory, ObjectId, ObjectKind, Word};
use std::rc::Rc;

/// The words of an object, to be read; see [`Memory::register_words`].
pub struct RegisterWords<'m> {
    bytes: &'m [[u8; GRANULE]],
    /// As many, or none if there is no pointer.
    objects: &'m [ObjectId],
}

impl RegisterWords<'_> {
    /// The word of a number.
    ///
    /// # Panics
    /// If it is not in the object.
    #[inline(always)]
    pub fn get(&self, word: usize) -> Word {
        Word {
            bits: u64::from_le_bytes(self.bytes[word]),
            object: self.objects.get(word).copied().unwrap_or(ObjectId::NONE),
        }
    }
}

/// The words of an object, to be written; see [`Memory::register_words_mut`].
pub struct RegisterWordsMut<'m> {
    bytes: &'m mut [[u8; GRANULE]],
    /// As many, or none if there is no pointer.
    objects: &'m mut [ObjectId],
}

impl RegisterWordsMut<'_> {
    /// Writes the word of a number; false, and nothing happens, if it is the first that is no plain number.
    ///
    /// # Panics
    /// If it is not in the object.
    #[inline(always)]
    pub fn set(&mut self, word: usize, value: Word) -> bool {
        match self.objects.get_mut(word) {
            Some(object) => *object = value.object,
            None if value.object.is_number() => {}
            None => return false,
        }
        self.bytes[word] = value.bits.to_le_bytes();
        true
    }
}

impl Memory {
    /// The words of the object of a pointer from there on, if there are this many bytes of it and
    /// nothing is unusual about it.
    #[inline(always)]
    pub fn register_words(&self, at: Word, bytes_needed: u32) -> Option<RegisterWords<'_>> {
        let slot = self.objects.get(at.object.slot())?;
        let offset = slot.offset_of(at.bits, u64::from(bytes_needed))? as usize;
        let ObjectContent::Small { bytes, shadow } = &slot.content else {
            return None;
        };
        if slot.generation != at.object.generation() || !offset.is_multiple_of(GRANULE) {
            return None;
        }
        let first = offset / GRANULE;
        let objects = shadow.as_ref().map_or(&[][..], |s| &s.granules()[first..]);
        let bytes = &bytes.as_chunks().0[first..];
        Some(RegisterWords { bytes, objects })
    }

    /// As [`register_words`](Self::register_words), to be changed.
    #[inline(always)]
    pub fn register_words_mut(
        &mut self,
        at: Word,
        bytes_needed: u32,
    ) -> Option<RegisterWordsMut<'_>> {
        let slot = self.objects.get_unshared(at.object.slot())?;
        let offset = slot.offset_of(at.bits, u64::from(bytes_needed))? as usize;
        if slot.generation != at.object.generation()
            || slot.kind == ObjectKind::Constant
            || !offset.is_multiple_of(GRANULE)
        {
            return None;
        }
        let ObjectContent::Small { bytes, shadow } = &mut slot.content else {
            return None;
        };
        let first = offset / GRANULE;
        let objects = match shadow {
            Some(shadow) => &mut shadow.granules_mut()?[first..],
            None => &mut [],
        };
        let bytes = &mut Rc::get_mut(bytes)?.as_chunks_mut().0[first..];
        Some(RegisterWordsMut { bytes, objects })
    }
}
