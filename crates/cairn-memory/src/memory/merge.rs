//! The memories of several paths as one: what is the same is kept, and what differs is told.
//!
//! # Problem
//!
//! Paths that meet again have memories that agree but for a few bytes. Going through all objects would take time in
//! the size of the program.
//!
//! # Idea
//!
//! Tables and contents are shared by reference until they are written to, so only what is not shared is
//! compared. Memory makes no terms: it tells which words differ, each in a unit that cuts no term and no pointer if that is
//! possible, and the caller writes there what stands for all of them.
//!
//! # Soundness
//!
//! All paths must have the same live objects, frames and places on the stack; otherwise nothing is merged. What has ended
//! on some path has ended for good: the slot gets the newest generation of all, and the place on the heap is used.
//!
//! # Cost
//!
//! Time in the slots, pages and words that are not shared.

use super::Memory;
use crate::cells::Cell;
use crate::content::ObjectContent;
use crate::heap::Heap;
use crate::mixed::RunView;
use crate::objects::Objects;
use crate::pages::PAGE;
use crate::stack::Stack;
use crate::{PointerWidth, Word};

/// Why memories cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoriesApart {
    /// Their live objects differ: in one place are different ones, or something else than what follows.
    Objects,
    /// Some have objects that were never made in others.
    Made,
    /// Some have objects that have ended in others.
    Ended,
    /// Their stacks do.
    Stack,
    /// An object of unknown size has other bytes.
    OpenObject,
    /// A large object has.
    LargeObject,
}

/// A part of an object that differs between memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingBytes {
    /// Where it begins, as a pointer to its object.
    pub at: Word,
    /// How many bytes: 1, 2, 4 or 8.
    pub bytes: u32,
}

/// Objects above this size are compared only by reference.
const LARGEST_COMPARED: u64 = 1 << 20;

/// A memory with what all of these have in common, and the parts in which they differ: there it has what one of them
/// has. They must be memories of one program.
///
/// # Errors
/// If they do not have the same objects.
pub fn merged_memory(all: &[&Memory]) -> Result<(Memory, Vec<DifferingBytes>), MemoriesApart> {
    let tables: Vec<&Objects> = all.iter().map(|m| &m.objects).collect();
    let mut numbers = Vec::new();
    let base = all[Objects::longest(&tables)];
    let objects = Objects::merged(&tables, |number| numbers.push(number));
    let objects = objects?;
    let stacks: Vec<&Stack> = all.iter().map(|m| &m.stack).collect();
    let stack = Stack::merged(&stacks).ok_or(MemoriesApart::Stack)?;
    let same_globals = |m: &&Memory| {
        m.globals.len() == base.globals.len()
            && m.globals_end == base.globals_end
            && m.fixed.len() == base.fixed.len()
    };
    if !all.iter().all(same_globals) {
        return Err(MemoriesApart::Objects);
    }
    let mut found = Vec::new();
    for number in numbers {
        let info = base.objects.info(number);
        if info.open {
            return Err(MemoriesApart::OpenObject);
        }
        if info.size > LARGEST_COMPARED {
            return Err(MemoriesApart::LargeObject);
        }
        let contents = tables.iter().map(|o| &o.slot(number).content);
        let contents: Vec<&ObjectContent> = contents.collect();
        differing(&contents, info.size, base.pointer_width, |offset, bytes| {
            let at = Word {
                bits: info.address + offset,
                object: info.object,
            };
            found.push(DifferingBytes { at, bytes });
        });
    }
    let heaps: Vec<&Heap> = all.iter().map(|m| &m.heap).collect();
    let mut merged = base.clone();
    merged.objects = objects;
    merged.heap = Heap::merged(&heaps);
    merged.stack = stack;
    Ok((merged, found))
}

/// Whether no object and no place on the heap that was used in one memory is to be given to a new object in another, but as the
/// first would.
pub fn is_not_older(memory: &Memory, than: &Memory) -> bool {
    memory.objects.is_not_older(&than.objects) && memory.heap.is_not_older(&than.heap)
}

/// Tells in which parts contents of one size differ.
fn differing(
    contents: &[&ObjectContent],
    size: u64,
    pointer: PointerWidth,
    mut found: impl FnMut(u64, u32),
) {
    let mut start = 0;
    while start < size {
        let end = size.min((start / PAGE as u64 + 1) * PAGE as u64);
        let views: Vec<(RunView<'_>, usize)> = contents.iter().map(|c| c.view(start)).collect();
        let run = Run {
            views: &views,
            pointer,
        };
        if !run.is_shared() {
            let mut at = 0;
            while at < end - start {
                // The largest power of two that is inside.
                let mut bytes = 8;
                while at + bytes > end - start {
                    bytes /= 2;
                }
                run.parts(at as u32, bytes as u32, |at, bytes| {
                    found(start + u64::from(at), bytes);
                });
                at += bytes;
            }
        }
        start = end;
    }
}

/// The same stretch of several contents.
struct Run<'a> {
    views: &'a [(RunView<'a>, usize)],
    pointer: PointerWidth,
}

impl Run<'_> {
    fn is_shared(&self) -> bool {
        let Some(((first, _), others)) = self.views.split_first() else {
            return true;
        };
        others.iter().all(|(other, _)| first.is_one_with(other))
    }

    /// Whether a range differs.
    fn differs(&self, at: u32, bytes: u32) -> bool {
        let Some(((first, offset), others)) = self.views.split_first() else {
            return false;
        };
        let (from, to) = (*offset as u32 + at, *offset as u32 + at + bytes);
        others.iter().any(|(other, offset)| {
            let other_from = *offset as u32 + at;
            debug_assert_eq!(from, other_from, "contents of one size have the same runs");
            !first.is_equal(other, from, to)
        })
    }

    /// Whether some content has there what belongs to an object.
    fn has_pointer(&self, at: u32, bytes: u32) -> bool {
        self.views.iter().any(|(view, offset)| {
            let granules = view.shadow.as_ref();
            granules.is_some_and(|s| s.address_bytes(offset + at as usize, bytes as usize) > 0)
        })
    }

    /// Whether a term crosses or meets a place between two bytes.
    fn term_at(&self, from: u32, to: u32, middle: u32) -> TermAt {
        let mut meets = TermAt::Nowhere;
        for (view, offset) in self.views {
            let base = *offset as u32;
            for span in view.spans(base + from, base + to) {
                let Cell::Term { .. } = span.cell else {
                    continue;
                };
                let middle = base + middle;
                if span.start < middle && middle < span.end {
                    return TermAt::Crosses;
                }
                if span.start == middle || span.end == middle {
                    meets = TermAt::Meets;
                }
            }
        }
        meets
    }

    /// Tells the parts of a range, whose length is a power of two, in which contents differ.
    fn parts(&self, at: u32, bytes: u32, mut found: impl FnMut(u32, u32)) {
        // The later half lies below the earlier one.
        let mut work = vec![(at, bytes)];
        while let Some((at, bytes)) = work.pop() {
            if !self.differs(at, bytes) {
                continue;
            }
            let half = bytes / 2;
            let is_pointer = bytes == self.pointer.bytes() && self.has_pointer(at, bytes);
            if half == 0 || is_pointer {
                found(at, bytes);
                continue;
            }
            let both = self.differs(at, half) && self.differs(at + half, half);
            match self.term_at(at, at + bytes, at + half) {
                TermAt::Crosses => found(at, bytes),
                TermAt::Nowhere if both => found(at, bytes),
                TermAt::Nowhere | TermAt::Meets => work.extend([(at + half, half), (at, half)]),
            }
        }
    }
}

/// Where a term is to a place between two bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermAt {
    /// The place is inside of it.
    Crosses,
    /// It ends or begins there.
    Meets,
    /// Neither.
    Nowhere,
}
