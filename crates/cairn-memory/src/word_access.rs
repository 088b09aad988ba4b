//! Words in a run of bytes.
//!
//! The lengths that programs use most have a compare each, in their order; a jump through a table
//! would cost more than the access.

use crate::shadow::{GRANULE, Provenance, ShadowShape, clear_few, note_part, note_word};
use crate::{ObjectId, PointerWidth, Word};

/// This many bytes at a place.
#[inline(always)]
fn part<const N: usize>(bytes: &[u8], at: usize) -> &[u8; N] {
    bytes[at..].first_chunk().expect("inside of the run")
}

/// As [`part`], to be changed.
#[inline(always)]
fn part_mut<const N: usize>(bytes: &mut [u8], at: usize) -> &mut [u8; N] {
    bytes[at..].first_chunk_mut().expect("inside of the run")
}

/// Reads a word of up to 8 bytes, with the provenance of a pointer.
#[inline(always)]
pub(crate) fn read_word(bytes: &[u8], shadow: &Provenance, at: usize, length: usize) -> Word {
    if length == GRANULE {
        let object = match shadow {
            Some(shadow) if at.is_multiple_of(GRANULE) => shadow.get(at),
            Some(shadow) => shadow.part(at, length),
            None => ObjectId::NONE,
        };
        let bits = u64::from_le_bytes(*part(bytes, at));
        return Word { bits, object };
    }
    let bits = if length == 4 {
        u64::from(u32::from_le_bytes(*part(bytes, at)))
    } else if length == 1 {
        u64::from(bytes[at])
    } else {
        read_rare(bytes, at, length)
    };
    let object = match shadow {
        // Mostly there is no pointer.
        Some(shadow) if !shadow.is_number(at, length) => shadow.part(at, length),
        Some(_) | None => ObjectId::NONE,
    };
    Word { bits, object }
}

/// Reads a word of any length.
#[inline(never)]
fn read_rare(bytes: &[u8], at: usize, length: usize) -> u64 {
    if length == 2 {
        return u64::from(u16::from_le_bytes(*part(bytes, at)));
    }
    let mut all = [0; 8];
    all[..length].copy_from_slice(&bytes[at..][..length]);
    u64::from_le_bytes(all)
}

/// A run of bytes in which words are written. The width of pointers is a reference, so that the usual way
/// of a store never loads it: only what makes or changes provenance looks at it.
pub(crate) struct RunMut<'a> {
    pub bytes: &'a mut [u8],
    pub shadow: &'a mut Provenance,
    pub pointer: &'a PointerWidth,
}

/// Writes a word of up to 8 bytes, with the provenance of a pointer.
#[inline(always)]
pub(crate) fn write_word(run: RunMut<'_>, at: usize, length: usize, value: Word) {
    let RunMut {
        bytes,
        shadow,
        pointer,
    } = run;
    let made = ShadowShape {
        run: bytes.len(),
        pointer,
    };
    if length == GRANULE {
        *part_mut(bytes, at) = value.bits.to_le_bytes();
        note_word(shadow, made, at, value.object);
        return;
    }
    if length == 4 {
        *part_mut(bytes, at) = (value.bits as u32).to_le_bytes();
    } else if length == 1 {
        bytes[at] = value.bits as u8;
    } else {
        write_rare(bytes, at, length, value.bits);
    }
    clear_few(shadow, at, length);
    note_part(shadow, made, at, length, value.object);
}

/// Writes a word of any length.
#[inline(never)]
fn write_rare(bytes: &mut [u8], at: usize, length: usize, bits: u64) {
    if length == 2 {
        *part_mut(bytes, at) = (bits as u16).to_le_bytes();
    } else {
        bytes[at..][..length].copy_from_slice(&bits.to_le_bytes()[..length]);
    }
}
