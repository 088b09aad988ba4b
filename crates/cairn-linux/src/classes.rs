//! Values of an argument that mean the same.
//!
//! # Problem
//!
//! A length, a bound or a least number that is not known has up to 2^64 values, nearly all of
//! which a call answers alike: with the same error, or with the bytes that there are.
//!
//! # Idea
//!
//! [`Kernel::classes`] divides the values of an argument: all values of a class have the same
//! effect and the same answer, so that one of them stands for all.
//!
//! # Soundness
//!
//! Each division is read off the handler of its call, and says less than it could where a handler
//! looks at more: values that are not said to be alike are classes of their own. A length beyond what
//! the buffer has room for is alike only because the memory refuses it and all longer ones.
//! `tests/classes.rs` makes each call with every value of small ranges and compares.

use crate::calls::{self, MOST_FILES, MOST_SELECTED};
use crate::files::{Device, InodeBody};
use crate::{Kernel, Need};
use cairn_memory::{Memory, ReadPart, Word};

/// A division of all numbers of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Where stretches begin, the first at zero, and whether all values of a stretch are alike; if not,
    /// each is a class.
    stretches: Vec<(u64, bool)>,
    /// Whether the last value of a class stands for it, and not the first.
    by_last: bool,
}

/// What a division of lengths goes by.
struct Lengths {
    /// Bytes that come at most.
    comes: u64,
    /// Bytes that the buffer has room for.
    room: u64,
    /// Whether no bytes are something else than a few.
    zero_apart: bool,
}

impl Classes {
    fn new() -> Self {
        Classes {
            stretches: Vec::new(),
            by_last: false,
        }
    }

    /// Goes on with a stretch from a value on.
    fn then(mut self, first: u64, alike: bool) -> Self {
        while self.stretches.last().is_some_and(|last| last.0 >= first) {
            self.stretches.pop();
        }
        self.stretches.push((first, alike));
        self
    }

    /// All values are alike.
    fn one() -> Self {
        Self::new().then(0, true)
    }

    /// Lengths of a buffer: below what comes each is a class, above all are alike, and all that are too
    /// long.
    fn lengths(lengths: &Lengths) -> Self {
        let mut classes = Self::new().then(0, false);
        let enough = match lengths.zero_apart {
            true => lengths.comes.max(1),
            false => lengths.comes,
        };
        if enough <= lengths.room {
            classes = classes.then(enough, true);
        }
        classes.then(lengths.room.saturating_add(1), true)
    }

    /// The first and the last value of the class of a value.
    pub fn of(&self, value: u64) -> (u64, u64) {
        let next = self.stretches.partition_point(|s| s.0 <= value);
        let last = self.stretches.get(next).map_or(u64::MAX, |s| s.0 - 1);
        match next.checked_sub(1).map(|i| self.stretches[i]) {
            Some((first, true)) => (first, last),
            Some((_, false)) | None => (value, value),
        }
    }

    /// The value that stands for those from the first to the last of a class.
    pub fn stands(&self, (first, last): (u64, u64)) -> u64 {
        match self.by_last {
            true => last,
            false => first,
        }
    }

    /// Without the stretches from a value on.
    fn before(mut self, end: u64) -> Self {
        self.stretches.retain(|s| s.0 < end);
        self
    }
}

/// In which order the arguments of a call become known: what decides about an argument comes before it.
pub(crate) fn order(name: &str) -> [usize; 6] {
    match name {
        "select" | "pselect6" => [1, 2, 3, 4, 5, 0],
        "pread64" | "pwrite64" => [0, 1, 3, 2, 4, 5],
        _ => [0, 1, 2, 3, 4, 5],
    }
}

impl Kernel {
    /// The classes of an argument of a call, if they are known: those that come before in the
    /// [order](crate::CallSignature::order) of the call must be. An `int` is a number of 32 bits here.
    pub fn classes(
        &self,
        memory: &Memory,
        number: u64,
        args: &[Word; 6],
        index: usize,
    ) -> Option<Classes> {
        const DUPFD: u64 = 0;
        const DUPFD_CLOEXEC: u64 = 1030;
        match (self.abi.name(number)?, index) {
            ("read", 2) => lengths_read(self, memory, args, None),
            ("pread64", 2) => lengths_read(self, memory, args, Some(args[3].bits)),
            ("write" | "pwrite64", 2) => lengths_written(self, memory, args),
            ("fcntl", 2) if matches!(args[1].bits, DUPFD | DUPFD_CLOEXEC) => {
                Some(self.least_numbers(args))
            }
            ("close_range", 0) => Some(bounds(self, 1)),
            ("close_range", 1) => Some(Classes {
                by_last: true,
                ..bounds(self, 0)
            }),
            ("poll" | "ppoll", 1) => self.files_polled(memory, args),
            ("select" | "pselect6", 0) => Some(selected(memory, args)),
            _ => None,
        }
    }

    /// The lengths of one of the parts of a vector that is read into or written from, of which the parts
    /// before are known.
    pub(crate) fn lengths_of_part(
        &self,
        memory: &Memory,
        args: &[Word; 6],
        (part, before): (Word, u64),
        write: bool,
    ) -> Option<Classes> {
        const NEGATIVE: u64 = 1 << 63;
        let open = self.descriptors.get(args[0].bits as u32).ok()?;
        let room = room(memory, part, !write)?;
        let comes = match (&self.tree.node(open.node).body, write) {
            (InodeBody::File(content), false) if open.readable() => {
                let left = content.size().saturating_sub(open.offset);
                left.saturating_sub(before)
            }
            (InodeBody::File(_) | InodeBody::Output { .. }, true) if open.writable() => u64::MAX,
            (_, _) => return None,
        };
        let classes = Classes::lengths(&Lengths {
            comes,
            room,
            zero_apart: false,
        });
        Some(classes.then(NEGATIVE, true))
    }

    /// The least numbers that a duplicate of a descriptor may have. One that is open leads to the next number that is
    /// not open; each other one leads to itself.
    fn least_numbers(&self, args: &[Word; 6]) -> Classes {
        if self.descriptors.get(args[0].bits as u32).is_err() {
            return Classes::one();
        }
        let limit = self.process.descriptor_limit();
        let mut classes = Classes::new().then(0, false);
        let mut free = None;
        for open in self.descriptors().map(u64::from) {
            if free != Some(open) {
                classes = classes.then(open, true);
            }
            free = Some(open + 1);
            // The next one that is free leads to itself as well.
            classes = classes.before(open + 1).then(open + 2, false);
        }
        classes.before(limit).then(limit, true)
    }

    /// How many files are waited for: as many as there is room for, more, or too many.
    fn files_polled(&self, memory: &Memory, args: &[Word; 6]) -> Option<Classes> {
        let most = self.process.descriptor_limit().min(MOST_FILES);
        let room = room(memory, args[0], true)? / 8;
        let classes = Classes::new().then(0, false);
        let classes = match room < most {
            true => classes.then(room + 1, true),
            false => classes,
        };
        Some(classes.then(most + 1, true))
    }
}

/// The lengths of a read into a buffer.
fn lengths_read(
    kernel: &Kernel,
    memory: &Memory,
    args: &[Word; 6],
    position: Option<u64>,
) -> Option<Classes> {
    if kernel.failing.shortens() {
        return None;
    }
    if position.is_some_and(|p| (p as i64) < 0) {
        return Some(Classes::one());
    }
    let Ok(open) = kernel.descriptors.get(args[0].bits as u32) else {
        return Some(Classes::one());
    };
    let room = room(memory, args[1], true)?;
    let body = &kernel.tree.node(open.node).body;
    let comes = match body {
        _ if !open.readable() => return Some(Classes::one()),
        InodeBody::Directory(_) => return Some(Classes::one()),
        InodeBody::File(content) => {
            let from = position.unwrap_or(open.offset);
            content.size().saturating_sub(from)
        }
        InodeBody::Pipe(_) if position.is_some() => return Some(Classes::one()),
        InodeBody::Pipe(pipe) if !pipe.awaited => pipe.content.size() - pipe.start,
        InodeBody::Device(Device::Null) => 0,
        InodeBody::Device(Device::Zero | Device::Full | Device::Random) => u64::MAX,
        InodeBody::Pipe(_)
        | InodeBody::Output { .. }
        | InodeBody::Socket(_)
        | InodeBody::Device(Device::Tty)
        | InodeBody::Link(_)
        | InodeBody::DescriptorLink(_) => return None,
    };
    Some(Classes::lengths(&Lengths {
        comes,
        room,
        zero_apart: matches!(body, InodeBody::Pipe(_)),
    }))
}

/// The lengths of a write from a buffer.
fn lengths_written(kernel: &Kernel, memory: &Memory, args: &[Word; 6]) -> Option<Classes> {
    let Ok(open) = kernel.descriptors.get(args[0].bits as u32) else {
        return Some(Classes::one());
    };
    let room = room(memory, args[1], false)?;
    match &kernel.tree.node(open.node).body {
        _ if !open.writable() => Some(Classes::one()),
        InodeBody::File(_)
        | InodeBody::Output { .. }
        | InodeBody::Device(Device::Null | Device::Zero | Device::Random) => {
            Some(Classes::lengths(&Lengths {
                comes: u64::MAX,
                room,
                zero_apart: false,
            }))
        }
        InodeBody::Pipe(_)
        | InodeBody::Socket(_)
        | InodeBody::Directory(_)
        | InodeBody::Device(Device::Full | Device::Tty)
        | InodeBody::Link(_)
        | InodeBody::DescriptorLink(_) => None,
    }
}

/// Bounds of a range of descriptors: those are alike between which nothing is open. `behind` is how far
/// after an open one the next class begins.
fn bounds(kernel: &Kernel, behind: u64) -> Classes {
    let open = kernel.descriptors().map(u64::from);
    open.fold(Classes::new().then(0, true), |classes, open| {
        classes.then(open + behind, true)
    })
}

/// How many descriptors `select` looks at: as many as lead to the same words and the same members of sets.
fn selected(memory: &Memory, args: &[Word; 6]) -> Classes {
    const NEGATIVE: u64 = 1 << 31;
    let mut classes = Classes::new().then(0, true);
    for fd in 0..MOST_SELECTED {
        let is_member = args[1..4].iter().any(|set| {
            let byte = calls::offset(*set, fd / 8);
            set.bits != 0 && may_have(memory, byte, 1 << (fd % 8))
        });
        if fd % 64 == 0 || is_member {
            classes = classes.then(fd + 1, true);
        }
    }
    classes
        .before(MOST_SELECTED)
        .then(MOST_SELECTED, true)
        .then(NEGATIVE, true)
}

/// Whether a byte may have a bit.
fn may_have(memory: &Memory, at: Word, bit: u64) -> bool {
    let mut parts = Vec::new();
    match memory.load_parts(at, 1, &mut parts) {
        Ok(()) => parts.iter().any(|part| match part {
            ReadPart::Known { bytes, .. } => bytes & bit != 0,
            ReadPart::Cell { .. } => true,
        }),
        Err(_) => false,
    }
}

/// How many bytes may be accessed from an address on, if one more is refused: up to the end of its object, or
/// none if not even the first may be.
fn room(memory: &Memory, at: Word, write: bool) -> Option<u64> {
    let info = memory.info(at).ok();
    if info.is_some_and(|info| info.open) {
        return None;
    }
    let is_allowed = |length: u64| match write {
        true => memory.check_writable(at, length).is_ok(),
        false => memory.check_readable(at, length).is_ok(),
    };
    if !is_allowed(1) {
        return Some(0);
    }
    let room = info.map_or(0, |info| (info.address + info.size).saturating_sub(at.bits));
    (is_allowed(room) && !is_allowed(room.saturating_add(1))).then_some(room)
}

impl Need {
    /// That one of the classes of a number must be chosen, or its value if there are none.
    pub(crate) fn length(at: Word, classes: Option<Classes>) -> Self {
        Need::Number {
            at,
            bytes: 8,
            classes,
        }
    }
}
