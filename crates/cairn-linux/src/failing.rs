//! Calls that fail or do less than they could, so that a program's handling of it is reached.
//!
//! - **Which.** An unknown object of four bytes for each kind of call, as in KLEE's model of the
//!   environment: if `read_fail` is 3, the third `read` fails. Each kind fails once at most, and all
//!   together no more often than is wanted. Of `short_reads`, 64 bytes, the first belongs to the
//!   first `read` of several bytes: if it is 1, that read gives one byte.
//!
//! # Idea
//!
//! Where such a number is not known, the call answers with [`Need::Equal`] and has changed
//! nothing. The caller decides, says so by [`Kernel::note_decided`], and calls again: either the
//! number is known then, or it is another one.
//!
//! # Soundness
//!
//! What a test says of these objects is all that decides, so the same test
//! makes the same calls fail on known bytes.

use crate::calls::offset;
use crate::{Errno, Kernel, Need};
use cairn_memory::{Fault, Memory, Word};
use std::rc::Rc;

/// Kinds of calls that may fail, in the order of [`FailingKind`]: the object that says when, and how.
pub(crate) const KINDS: [(&str, Errno); 5] = [
    ("read_fail", Errno::EIO),
    ("write_fail", Errno::EIO),
    ("close_fail", Errno::EIO),
    ("ftruncate_fail", Errno::EIO),
    ("getcwd_fail", Errno::ERANGE),
];

/// The object of short reads.
pub(crate) const SHORT_READS: &str = "short_reads";

/// How many reads may be short, which are the object's bytes.
pub(crate) const MOST_SHORT_READS: u64 = 64;

/// Bytes of the number of the call that fails.
pub(crate) const NUMBER_BYTES: u32 = 4;

/// Kinds of calls that may fail, as places in [`KINDS`].
#[derive(Clone, Copy)]
enum FailingKind {
    Read,
    Write,
    Close,
    Truncate,
    CurrentFolder,
}

/// The kind of a call that may fail.
fn kind(name: &str) -> Option<FailingKind> {
    Some(match name {
        "read" | "readv" | "pread64" | "preadv" => FailingKind::Read,
        "write" | "writev" | "pwrite64" | "pwritev" => FailingKind::Write,
        "close" => FailingKind::Close,
        "truncate" | "ftruncate" => FailingKind::Truncate,
        "getcwd" => FailingKind::CurrentFolder,
        _ => return None,
    })
}

/// What decides which calls fail, and how far that is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failing {
    /// How many calls may still fail.
    left: u32,
    /// The object of each kind, if calls may fail.
    objects: Rc<[Word]>,
    /// The object of short reads, if they may be.
    short: Option<Word>,
    /// How many calls of each kind there were.
    calls: [u64; KINDS.len()],
    /// How many reads of several bytes there were.
    reads: u64,
    /// How many questions about the present call were decided.
    decided: u32,
}

impl Failing {
    /// Whether nothing tells them apart.
    pub fn is_same(&self, other: &Failing) -> bool {
        self.left == other.left
            && Rc::ptr_eq(&self.objects, &other.objects)
            && self.short == other.short
            && self.calls == other.calls
            && self.reads == other.reads
            && self.decided == other.decided
    }
}

/// What becomes of a call.
pub(crate) enum CallFate {
    /// It is done.
    Done,
    /// It is done for one byte.
    Short,
    /// It fails.
    Fails(Errno),
}

impl Kernel {
    /// The last [`Need::Equal`] was decided: the number is known now, or is another one.
    pub fn note_decided(&mut self) {
        self.failing.decided += 1;
    }
}

/// What becomes of a call. Nothing of the kernel is changed if the answer is a need.
pub(crate) fn fate(
    kernel: &mut Kernel,
    memory: &Memory,
    name: &str,
    args: &[Word; 6],
) -> Result<CallFate, Need> {
    let mut asked = 0;
    let mut next = kernel.failing.clone();
    if next.left > 0
        && let Some(kind) = kind(name)
    {
        let kind = kind as usize;
        next.calls[kind] += 1;
        let (at, wanted) = (next.objects[kind], next.calls[kind]);
        if kernel
            .failing
            .is_equal(memory, at, NUMBER_BYTES, wanted, &mut asked)?
        {
            next.left -= 1;
            next.decided = 0;
            kernel.failing = next;
            return Ok(CallFate::Fails(KINDS[kind].1));
        }
    }
    let mut fate = CallFate::Done;
    if let Some(at) = next.short
        && name == "read"
        && args[2].bits > 1
        && next.reads < MOST_SHORT_READS
    {
        let at = offset(at, next.reads);
        next.reads += 1;
        if kernel.failing.is_equal(memory, at, 1, 1, &mut asked)? {
            fate = CallFate::Short;
        }
    }
    next.decided = 0;
    kernel.failing = next;
    Ok(fate)
}

impl Failing {
    /// Whether reads may be short.
    pub fn shortens(&self) -> bool {
        self.short.is_some()
    }

    /// What decides, before the first call.
    pub fn new(left: u32, objects: Vec<Word>, short: Option<Word>) -> Self {
        Failing {
            left,
            objects: objects.into(),
            short,
            ..Failing::default()
        }
    }

    /// Whether a number of an object is this one: asks if it is not known and was not decided.
    fn is_equal(
        &self,
        memory: &Memory,
        at: Word,
        bytes: u32,
        value: u64,
        asked: &mut u32,
    ) -> Result<bool, Need> {
        *asked += 1;
        match memory.load_word(at, bytes) {
            Ok(word) => Ok(word.bits == value),
            Err(Fault::Symbolic { .. }) if *asked > self.decided => {
                Err(Need::Equal { at, bytes, value })
            }
            // It was decided, and if it were this number it would be known.
            Err(_) => Ok(false),
        }
    }
}
