//! Signals whose handlers machine code runs itself.
//!
//! A kernel delivers a signal by changing the registers of the process: it goes on in the handler, and the
//! frame that the kernel left on the stack says how it comes back. Who runs machine code has the
//! registers, the kernel here has not. So they share a record in the program's memory: a call that
//! delivers a signal writes it and returns what it returns, and the code around every call looks
//! whether there is one. The calls by which that code talks to the kernel (`CALL_…`) have numbers that Linux
//! does not use; `RECORD_…` are the places of words in the record.

// The numbers of the calls.

/// Tells where the record is: from then on handlers are asked for there and not by
/// [`Reply::Handle`](crate::Reply::Handle).
pub const CALL_SET_RECORD: u64 = 1 << 20;
/// A handler returned: its argument is the set of signals that are blocked again. May deliver the next.
pub const CALL_HANDLER_RETURNED: u64 = CALL_SET_RECORD + 1;
/// The program aborts: 1 if that delivers a signal, which is its handler's last; 0 if there is no handler.
pub const CALL_ABORT: u64 = CALL_SET_RECORD + 2;

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
