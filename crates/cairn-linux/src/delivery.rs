//! Signals whose handlers machine code runs itself.
//!
//! A kernel delivers a signal by changing the registers of the process: it goes on in the handler, and the
//! frame that the kernel left on the stack says how it comes back. Who runs machine code has the
//! registers, the kernel here has not. So they share a record in the program's memory: a call that
//! delivers a signal writes it and returns what it returns, and the code around every call looks
//! whether there is one. These are the numbers of the calls by which that code talks to the kernel; Linux
//! has none of them.

/// Tells where the record is: from then on handlers are asked for there and not by
/// [`Reply::Handle`](crate::Reply::Handle).
pub const REGISTER: u64 = 1 << 20;
/// A handler returned: its argument is the set of signals that are blocked again. May deliver the next.
pub const RETURN: u64 = REGISTER + 1;
/// The program aborts: 1 if that delivers a signal, which is its handler's last; 0 if there is no handler.
pub const ABORT: u64 = REGISTER + 2;

/// How many words of 8 bytes the record has.
pub const WORDS: usize = 9;
/// The handler that is to run; 0 if none is.
pub const HANDLER: usize = 0;
/// The number of the signal.
pub const SIGNAL: usize = 1;
/// How it was sent: `si_code`.
pub const CODE: usize = 2;
/// Who sent it: `si_pid`, and `si_uid` in the upper half.
pub const SENDER: usize = 3;
/// What was blocked before, and is again when the handler returns.
pub const MASK: usize = 4;
/// The other stack: its lowest address.
pub const STACK: usize = 5;
/// Its flags.
pub const STACK_FLAGS: usize = 6;
/// Its size.
pub const STACK_SIZE: usize = 7;
/// 1 if the handler runs on it, unless the program does already.
pub const ON_STACK: usize = 8;
