//! Handlers of signals. The machine that runs the program calls them.
//!
//! A kernel delivers a signal by changing the registers of the process: it goes on in the handler, and the
//! frame that the kernel left on the stack says how it comes back. The machine has the registers, the kernel of
//! this crate has not. So a call that delivers a signal answers by a [`Delivery`]. Machine
//! code has a record of it in the program's memory: the call writes it and returns what it returns, and the
//! code around every call looks whether there is one. The calls by which that code, or the function that calls the
//! handler, talks to the kernel (`CALL_…`) have numbers that Linux does not use; `RECORD_…` are the places of
//! words in the record.

use cairn_memory::Word;

/// A handler that is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The signal.
    pub signal: u32,
    /// The address of the handler.
    pub handler: Word,
    /// Whether it takes three arguments (`SA_SIGINFO`) and not one.
    pub information: bool,
    /// How it was sent: `si_code`.
    pub code: i32,
    /// Who sent it: `si_pid`, and `si_uid` in the upper half.
    pub sender: u64,
    /// What is blocked when the handler has returned.
    pub blocked: u64,
    /// The other stack: its lowest address, its flags, its size.
    pub stack: (Word, u32, u64),
    /// Whether the handler runs on it, unless the program does already.
    pub on_stack: bool,
    /// Whether the program ends when it has returned.
    pub aborts: bool,
}

impl Delivery {
    /// The words of its record.
    pub(crate) fn words(&self) -> [Word; RECORD_WORDS] {
        let (stack, flags, size) = self.stack;
        let mut words = [Word::int(0); RECORD_WORDS];
        words[RECORD_HANDLER] = self.handler;
        words[RECORD_SIGNAL] = Word::int(self.signal.into());
        words[RECORD_CODE] = Word::int(u64::from(self.code as u32));
        words[RECORD_SENDER] = Word::int(self.sender);
        words[RECORD_MASK] = Word::int(self.blocked);
        words[RECORD_STACK] = stack;
        words[RECORD_STACK_FLAGS] = Word::int(flags.into());
        words[RECORD_STACK_SIZE] = Word::int(size);
        words[RECORD_ON_STACK] = Word::int(self.on_stack.into());
        words
    }

    /// The second argument of [`CALL_HANDLER_RETURNED`].
    pub fn returned(&self) -> u64 {
        let on_stack = if self.on_stack { RETURNED_ON_STACK } else { 0 };
        let aborts = if self.aborts { RETURNED_FROM_ABORT } else { 0 };
        on_stack | aborts
    }
}

// The numbers of the calls.

/// Tells where the record is: from then on handlers are asked for there and not by
/// [`Reply::Handle`](crate::Reply::Handle).
pub const CALL_SET_RECORD: u64 = 1 << 20;
/// A handler returned: its first argument is the set of signals that are blocked again, the second says what
/// else has ended (`RETURNED_…`). May deliver the next.
pub const CALL_HANDLER_RETURNED: u64 = CALL_SET_RECORD + 1;
/// The program aborts: 1 if that delivers a signal; 0 if there is no handler.
pub const CALL_ABORT: u64 = CALL_SET_RECORD + 2;
/// A handler is about to start: may deliver a signal that is not blocked, whose handler runs before it.
pub const CALL_HANDLER_STARTS: u64 = CALL_SET_RECORD + 3;

/// Whether a call of this number is one of these.
pub(crate) fn is_delivery_call(number: u64) -> bool {
    (CALL_SET_RECORD..=CALL_HANDLER_STARTS).contains(&number)
}

/// The handler was started with the other stack.
pub const RETURNED_ON_STACK: u64 = 1;
/// It was the handler of `abort`.
pub const RETURNED_FROM_ABORT: u64 = 2;

// The words of the record.

/// How many words of 8 bytes the record has.
pub const RECORD_WORDS: usize = 9;
/// The handler that is to run; 0 if none is.
pub const RECORD_HANDLER: usize = 0;
/// The number of the signal.
pub const RECORD_SIGNAL: usize = 1;
/// How it was sent: `si_code`.
pub const RECORD_CODE: usize = 2;
/// Who sent it: `si_pid`, and `si_uid` in the upper half.
pub const RECORD_SENDER: usize = 3;
/// What was blocked before, and is again when the handler returns.
pub const RECORD_MASK: usize = 4;
/// The other stack: its lowest address.
pub const RECORD_STACK: usize = 5;
/// Its flags.
pub const RECORD_STACK_FLAGS: usize = 6;
/// Its size.
pub const RECORD_STACK_SIZE: usize = 7;
/// 1 if the handler runs on it, unless the program does already.
pub const RECORD_ON_STACK: usize = 8;
