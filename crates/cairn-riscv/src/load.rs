//! Puts a guest into a memory: segments, the stack that Linux gives a program, the register file.
//!
//! - Segments lie at their addresses. Those that may not be written are constants. Of a segment that may
//!   be written and executed, the part that was lowered is a constant too: a guest that changes its
//!   own code is stopped at the write.
//! - The stack lies far above and holds what a program finds when it starts: the number of arguments, the
//!   arguments, the environment, and facts about the machine (the auxiliary vector).
//! - After the last segment is room for `brk`, and the pages of `mmap` have addresses of their own:
//!   both are the business of the system (`cairn-linux`).

use crate::arguments::{Argument, GuestArguments};
use crate::elf::Executable;
use crate::guest::Guest;
use crate::registers::{COUNT, RESERVED};
use cairn_memory::{Fault, FixedError, Memory, ObjectId, ObjectKind, Word};
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// After the last address of the stack.
pub(crate) const STACK_END: u64 = 0x3fff_ffff_f000;

/// Bytes of the stack.
pub(crate) const STACK_BYTES: u64 = 8 << 20;

/// What passes for random.
const RANDOM: [u64; 2] = [0xe27b_d406_a953_1c8f, 0x6db8_2e75_c14f_9039];

/// Words of the facts about the machine that stand after the environment.
pub(crate) const AUXILIARY_WORDS: usize = 34;

/// Why a guest cannot be put into a memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum SegmentError {
    /// There cannot be an object where it should be.
    #[error(transparent)]
    Fixed(#[from] FixedError),
    /// Memory refused.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Arguments and environment are longer than the stack.
    #[error("the arguments and the environment take {bytes} bytes; the stack has {STACK_BYTES}")]
    Arguments {
        /// Their bytes.
        bytes: u64,
    },
}

/// A part of memory that a segment becomes.
struct SegmentPart {
    from: u64,
    to: u64,
    kind: ObjectKind,
}

/// What it takes to put a guest into a memory. It does not change when the guest's program grows, and
/// can be sent to other threads.
#[derive(Clone, Debug)]
pub(crate) struct GuestImage {
    executable: Arc<Executable>,
    /// Addresses of instructions that were lowered.
    code: Option<Range<u64>>,
    start: GuestArguments,
}

impl Guest {
    /// What it takes to put the guest into a memory.
    pub(crate) fn image(&self, start: GuestArguments) -> GuestImage {
        GuestImage {
            executable: Arc::clone(self.executable()),
            code: self.code_range(),
            start,
        }
    }
}

impl GuestImage {
    /// Puts the guest into a memory that [goes by address](Memory::going_by_address) and in which its
    /// program's globals are laid out.
    ///
    /// # Errors
    /// [`SegmentError`] if something does not fit.
    pub fn put(&self, memory: &mut Memory, globals: &[Word]) -> Result<(), SegmentError> {
        let file = globals[0];
        let set = |memory: &mut Memory, word: usize, value: Word| {
            let at = file.offset(8 * word as u64);
            memory.store_word(at, 8, value)
        };
        for (index, segment) in self.executable.segments.iter().enumerate() {
            let mut whole = None;
            for piece in self.pieces(index) {
                let size = piece.to - piece.from;
                let at = memory.allocate_fixed_as(piece.kind, piece.from, size)?;
                let skip = (piece.from - segment.address) as usize;
                let bytes = segment.bytes.get(skip..).unwrap_or_default();
                let bytes = &bytes[..bytes.len().min(size as usize)];
                memory.initialise(at, bytes)?;
                whole.get_or_insert(at.object);
            }
            let pointer = Word {
                bits: segment.address,
                object: whole.unwrap_or(cairn_memory::ObjectId::NONE),
            };
            set(memory, COUNT + index, pointer)?;
        }
        set(memory, RESERVED, Word::int(u64::MAX))?;
        let stack = self.stack(memory)?;
        set(memory, 2, stack)?;
        Ok(())
    }

    /// The objects that a segment becomes.
    fn pieces(&self, index: usize) -> Vec<SegmentPart> {
        let segment = &self.executable.segments[index];
        // Whole words: memory has pages, and string functions read past ends.
        let end = segment.address + segment.size;
        let (from, to) = (segment.address, end.next_multiple_of(8));
        if !segment.write {
            let kind = ObjectKind::Constant;
            return vec![SegmentPart { from, to, kind }];
        }
        let kind = ObjectKind::Global;
        let code = self.code.clone().filter(|_| segment.execute);
        let Some(code) = code.filter(|c| c.start < to && from < c.end) else {
            return vec![SegmentPart { from, to, kind }];
        };
        let first = (code.start & !7).max(from);
        let last = code.end.next_multiple_of(8).min(to);
        let pieces = [
            (from, first, kind),
            (first, last, ObjectKind::Constant),
            (last, to, kind),
        ];
        let pieces = pieces.into_iter().filter(|(from, to, _)| from < to);
        pieces
            .map(|(from, to, kind)| SegmentPart { from, to, kind })
            .collect()
    }

    /// Makes the stack; the stack pointer, as far as it is known.
    fn stack(&self, memory: &mut Memory) -> Result<Word, SegmentError> {
        let base = STACK_END - STACK_BYTES;
        let stack = memory.allocate_fixed(base, STACK_BYTES)?;
        let executable = &self.executable;
        let (headers, header_size, header_count) = executable.headers.unwrap_or((0, 0, 0));
        let auxiliary = |random: Word, name: Word| {
            // The user and the machine are some of many, as a random number is.
            let one = |bits: u64| Word {
                bits,
                object: ObjectId::RANDOM,
            };
            let known = Word::int;
            [
                (3, known(headers)),
                (4, known(header_size)),
                (5, known(header_count)),
                (6, known(4096)),
                (7, known(0)),
                (8, known(0)),
                (9, known(executable.entry)),
                (11, one(1000)),
                (12, one(1000)),
                (13, one(1000)),
                (14, one(1000)),
                // The letters of the extensions: I, M, A, F, D, C.
                (16, one(0x112d)),
                (17, known(100)),
                (23, known(0)),
                (25, random),
                (31, name),
                (0, known(0)),
            ]
        };
        let start = &self.start;
        let plan = start.plan(AUXILIARY_WORDS);
        if plan.bytes > STACK_BYTES / 2 {
            return Err(SegmentError::Arguments { bytes: plan.bytes });
        }
        let inside = |bits: u64| Word { bits, ..stack };
        let mut pointers = Vec::new();
        for (argument, places) in start.all.iter().zip(&plan.texts) {
            if let Argument::Known(text) = argument {
                memory.store_bytes(inside(places[0]), text)?;
                pointers.push(inside(places[0]));
            }
        }
        let environment = start.environment.iter().zip(&plan.environment);
        for (text, at) in environment {
            memory.store_bytes(inside(*at), text)?;
        }
        for (i, bits) in RANDOM.into_iter().enumerate() {
            let object = ObjectId::RANDOM;
            let at = inside(plan.random + 8 * i as u64);
            memory.store_word(at, 8, Word { bits, object })?;
        }
        let name = plan.texts.first().and_then(|places| places.first());
        let name = name.map_or(Word::int(0), |at| inside(*at));
        let auxiliary = auxiliary(inside(plan.random), name);
        let facts = auxiliary
            .into_iter()
            .flat_map(|(key, value)| [Word::int(key), value]);
        let mut rest: Vec<Word> = plan.environment.iter().map(|at| inside(*at)).collect();
        rest.push(Word::int(0));
        rest.extend(facts);
        debug_assert_eq!(rest.len(), plan.environment.len() + 1 + AUXILIARY_WORDS);
        let write = |memory: &mut Memory, mut at: u64, words: &[Word]| {
            for word in words {
                memory.store_word(inside(at), 8, *word)?;
                at += 8;
            }
            Ok::<(), Fault>(())
        };
        for at in plan.rest {
            write(memory, at, &rest)?;
        }
        // If the number of arguments is an input, the program writes their list itself (`arguments.rs`).
        let pointer = plan.pointer(pointers.len());
        if start.is_known() {
            let mut list = vec![Word::int(pointers.len() as u64)];
            list.append(&mut pointers);
            list.push(Word::int(0));
            write(memory, pointer, &list)?;
        }
        Ok(inside(pointer))
    }
}
