//! What a system call answers.

use crate::delivery::Delivery;
use crate::{Classes, Errno};
use cairn_memory::{Fault, Word};

/// What a system call answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It returns: what was asked for, or the negative of an [`Errno`]. Pointers to mapped memory
    /// have their provenance.
    Return(Word),
    /// A pointer of the program is bad. Linux would return `-EFAULT`, or touch what it should not; the
    /// fault says what a checker would report. Nothing was changed.
    Fault(Fault),
    /// The process ends with a status.
    Exit(i32),
    /// A signal ends the process.
    Signal(u32),
    /// A signal is delivered: its handler is to be called, then the call returns.
    Handle {
        /// The handler, and what is told to it.
        delivery: Delivery,
        /// What the call returns afterwards.
        value: Word,
    },
    /// Random bytes are to be put at an address; then the call returns their number. Only if
    /// [`RandomSource::Caller`](crate::RandomSource::Caller) was asked for.
    Random {
        /// Where to, which was checked.
        at: Word,
        /// How many.
        length: u64,
    },
    /// The time is to be put somewhere; then the call returns. Only if the clock is the caller's
    /// ([`Setup::symbolic_clock`](crate::Setup::symbolic_clock)).
    Clock(ClockReading),
    /// Time has passed, of which only the caller knows how much; then the call answers this. As
    /// [`Clock`](Self::Clock) only if the clock is the caller's.
    Waited(Waited, Box<Reply>),
    /// Something must be known before the call can be done. Nothing was changed: the caller makes
    /// it known and calls again.
    Need(Need),
    /// A system call that is not modelled: the caller returns [`Errno::ENOSYS`] and lists it.
    NotModelled {
        /// Its number.
        number: u64,
        /// Its name, if there is a system call of this number.
        name: Option<&'static str>,
    },
    /// Something that the program cannot go on without and that is not modelled.
    Unsupported {
        /// What it is, for the middle of a sentence.
        what: &'static str,
    },
}

impl Reply {
    /// An error.
    pub fn error(errno: Errno) -> Self {
        Reply::Return(errno.reply())
    }
}

/// A look at a clock whose time the caller decides. A clock does not go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clock's number.
    pub clock: u32,
    /// Nanoseconds that have passed at least since the last look at this clock.
    pub passed: u64,
    /// Where the time goes, which was checked, and in which form.
    pub to: Option<(Word, ClockForm)>,
    /// Whether the call returns the seconds, or zero.
    pub returns_seconds: bool,
}

impl ClockReading {
    /// Names of readings in tests, by the clock's number.
    const NAMES: [&str; 12] = [
        "clock0", "clock1", "clock2", "clock3", "clock4", "clock5", "clock6", "clock7", "clock8",
        "clock9", "clock10", "clock11",
    ];

    /// What readings of any clock were called in tests of older versions, in one order.
    pub const OLD_NAME: &str = "clock";

    /// What a reading of a clock is called in tests.
    pub fn name(clock: u32) -> &'static str {
        let name = Self::NAMES.get(clock as usize);
        name.copied().unwrap_or(Self::OLD_NAME)
    }
}

/// How long a call has waited that depends on clocks whose time the caller decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Until a clock shows a time, or not at all if it did before.
    Until {
        /// The clock's number.
        clock: u32,
        /// Nanoseconds that have passed at least since the last look at this clock, this wait apart.
        passed: u64,
        /// Seconds and nanoseconds.
        time: (u64, u32),
    },
    /// Not longer than for a time of which something may be left, which is written.
    Partly {
        /// Seconds and nanoseconds that were given.
        most: (u64, u32),
        /// Where what is left goes, which was checked.
        to: Word,
        /// In which form.
        form: ClockForm,
    },
}

impl Waited {
    /// What the time that is left is called in tests: seconds and nanoseconds, each a word.
    pub const LEFT: &str = "time_left";
}

/// How a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockForm {
    /// A word of seconds.
    Seconds,
    /// A word of seconds, and one of nanoseconds.
    Nanoseconds,
    /// A word of seconds, and one of microseconds.
    Microseconds,
}

/// What must be known before a call can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Bytes of the program's memory, or of the system's.
    Bytes {
        /// The first of them.
        at: Word,
        /// How many.
        length: u64,
    },
    /// A number in the program's memory: a length. Each class of its values is a way to go on, for which
    /// the caller [gives](crate::Kernel::give) the value that stands for it; without classes each value is.
    Number {
        /// Its first byte; the lowest is first.
        at: Word,
        /// How many bytes.
        bytes: u32,
        /// Which values are alike.
        classes: Option<Classes>,
    },
    /// An address in the program's memory, of 8 bytes: where a buffer begins. The caller
    /// [gives](crate::Kernel::give) one that stands for all that mean the same.
    Address {
        /// Its first byte.
        at: Word,
    },
    /// A descriptor in the program's memory, of 4 bytes, of those that are waited for. The caller
    /// [gives](crate::Kernel::give) one that stands for all that mean the same: an open one, a
    /// negative one, any other.
    Descriptor {
        /// Its first byte.
        at: Word,
    },
    /// The name of a file, up to its zero.
    Path {
        /// The first byte.
        at: Word,
        /// Names of what exists that these bytes may be, without the zero, in order. There may be
        /// other names that lead to something.
        candidates: Vec<Vec<u8>>,
        /// Whether all plain names of what exists, those without a slash that these bytes may be, are
        /// among them.
        all_plain: bool,
    },
    /// What comes next on standard input, which is [awaited](crate::StandardInput::Awaited): the caller hands
    /// it over by [`Kernel::give_input`](crate::Kernel::give_input).
    Input,
    /// Whether a number of the system's memory is this one. The caller makes it known if it is, and
    /// calls [`Kernel::note_decided`](crate::Kernel::note_decided) in both cases.
    Equal {
        /// Its first byte; the lowest is first.
        at: Word,
        /// How many bytes.
        bytes: u32,
        /// The number.
        value: u64,
    },
}

/// Why a call does not return what was asked for.
#[derive(Clone, Debug)]
pub(crate) enum NoResult {
    Errno(Errno),
    Fault(Fault),
    Need(Need),
    Reply(Reply),
}

impl NoResult {
    pub fn unsupported(what: &'static str) -> Self {
        NoResult::Reply(Reply::Unsupported { what })
    }
}

impl From<Errno> for NoResult {
    fn from(errno: Errno) -> Self {
        NoResult::Errno(errno)
    }
}

/// What the handler of a call gives back.
pub(crate) type CallResult = Result<Word, NoResult>;
