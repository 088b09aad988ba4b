//! Signals that a process sends to itself.
//!
//! No other process sends signals. A signal with a handler is handed to the caller of the model, which
//! runs the handler. Which signals the kernel blocks meanwhile is modelled for machine code only: there
//! a [record](crate::delivery) says which handler to run. One signal is delivered at a time.

use super::{Call, Family, done, offset};
use crate::reply::{CallResult, NoResult};
use crate::{Abi, Errno, Reply, delivery};
use cairn_memory::{Memory, Word};

pub(super) const CALLS: Family = &[
    ("rt_sigaction", sigaction),
    ("rt_sigprocmask", sigprocmask),
    ("rt_sigpending", sigpending),
    ("rt_sigsuspend", suspend),
    ("pause", pause),
    ("sigaltstack", sigaltstack),
    ("kill", kill),
    ("tkill", tkill),
    ("tgkill", tgkill),
];

/// The number of the last signal.
const LAST: u64 = 64;
/// The number of the signal that `abort` raises.
pub const SIGNAL_ABORT: u32 = 6;
const SIGKILL: u32 = 9;
const SIGCHLD: u32 = 17;
const SIGCONT: u32 = 18;
const SIGSTOP: u32 = 19;
const SIGTTOU: u32 = 22;
const SIGURG: u32 = 23;
const SIGWINCH: u32 = 28;

/// The first real-time signal, of which there may be several at a time.
const FIRST_QUEUED: u32 = 32;

/// `si_code` of a signal to a process, and of one to a thread.
const SI_USER: u64 = 0;
const SI_TKILL: u64 = -6i32 as u32 as u64;

const SA_SIGINFO: u64 = 4;
const SA_ONSTACK: u64 = 0x0800_0000;
const SA_NODEFER: u64 = 0x4000_0000;
const SA_RESETHAND: u64 = 0x8000_0000;

/// What a program wants done on a signal.
#[derive(Clone, Copy, Debug)]
struct Action {
    handler: Word,
    flags: u64,
    restorer: Word,
    mask: u64,
}

const DEFAULT: Action = Action {
    handler: Word {
        bits: 0,
        object: cairn_memory::ObjectId::NONE,
    },
    flags: 0,
    restorer: Word {
        bits: 0,
        object: cairn_memory::ObjectId::NONE,
    },
    mask: 0,
};

/// What a process wants with signals.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    actions: Vec<Action>,
    /// Bit 0 is signal 1.
    blocked: u64,
    pending: u64,
    /// Those that were last sent to the thread and not to the process.
    to_thread: u64,
    /// Where handlers are asked for, if machine code runs them.
    record: Option<Word>,
    /// Address, flags and size of the other stack.
    stack: (Word, u32, u64),
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            actions: vec![DEFAULT; LAST as usize + 1],
            blocked: 0,
            pending: 0,
            to_thread: 0,
            record: None,
            stack: (Word::int(0), 2, 0),
        }
    }
}

fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

impl crate::Kernel {
    /// The handler of the signal of `abort` and whether it takes three arguments, if there is one.
    /// It is not the handler any more then, so that the next `abort` ends the program.
    pub fn take_abort_handler(&mut self) -> Option<(Word, bool)> {
        let action = self.process.signals.actions[SIGNAL_ABORT as usize];
        if action.handler.bits <= 1 {
            return None;
        }
        self.process_mut().signals.actions[SIGNAL_ABORT as usize] = DEFAULT;
        Some((action.handler, action.flags & SA_SIGINFO != 0))
    }

    /// A call by which machine code talks of signals, if it is one; see [`delivery`].
    pub(crate) fn talk_of_signals(
        &mut self,
        memory: &mut Memory,
        number: u64,
        args: [Word; 6],
    ) -> Option<Reply> {
        match self.abi {
            Abi::Riscv64 => {}
            Abi::X86_64 => return None,
        }
        if !(delivery::CALL_SET_RECORD..=delivery::CALL_ABORT).contains(&number) {
            return None;
        }
        let mut call = Call {
            kernel: self,
            memory,
            args,
        };
        let done = match number {
            delivery::CALL_SET_RECORD => {
                call.kernel.process_mut().signals.record = Some(args[0]);
                done()
            }
            delivery::CALL_HANDLER_RETURNED => call.block(args[0].bits),
            _ => call.abort(),
        };
        Some(match done {
            Ok(word) => Reply::Return(word),
            Err(NoResult::End(reply)) => reply,
            Err(NoResult::Errno(errno)) => Reply::error(errno),
            Err(NoResult::Fault(fault)) => Reply::Fault(fault),
            Err(NoResult::Need(need)) => Reply::Need(need),
        })
    }
}

impl Call<'_> {
    /// Sends the process a signal; the call returns a value if it goes on.
    pub(super) fn send_to_self(&mut self, signal: u32, value: Word) -> CallResult {
        let signals = &self.kernel.process.signals;
        if signals.blocked & bit(signal) != 0 {
            let again = signals.pending & bit(signal) != 0;
            if again && signal >= FIRST_QUEUED && signals.record.is_some() {
                return Err(NoResult::unsupported("a real-time signal that waits twice"));
            }
            self.kernel.process_mut().signals.pending |= bit(signal);
            return Ok(value);
        }
        self.deliver(signal, value, signals.blocked)
    }

    /// Delivers a signal that is not blocked; when a handler of machine code returns, `blocked` is
    /// what is blocked again.
    fn deliver(&mut self, signal: u32, value: Word, blocked: u64) -> CallResult {
        let signals = &self.kernel.process.signals;
        let action = signals.actions[signal as usize];
        match action.handler.bits {
            1 => Ok(value),
            0 => match signal {
                SIGCHLD | SIGURG | SIGWINCH | SIGCONT => Ok(value),
                SIGSTOP..=SIGTTOU => Err(NoResult::unsupported("a signal that stops the process")),
                _ => Err(NoResult::End(Reply::Signal(signal))),
            },
            _ => {
                if action.flags & SA_RESETHAND != 0 {
                    self.kernel.process_mut().signals.actions[signal as usize] = DEFAULT;
                }
                if let Some(record) = self.kernel.process.signals.record {
                    return self.record(record, signal, &action, blocked, value);
                }
                Err(NoResult::End(Reply::Handle {
                    signal,
                    handler: action.handler,
                    information: action.flags & SA_SIGINFO != 0,
                    value,
                }))
            }
        }
    }

    /// Whether a signal that is sent now makes machine code run a handler.
    pub(super) fn records(&self, signal: u32) -> bool {
        let signals = &self.kernel.process.signals;
        let handled = signals.actions[signal as usize].handler.bits > 1;
        signals.record.is_some() && handled && signals.blocked & bit(signal) == 0
    }

    /// Asks machine code to run a handler, and blocks what is blocked while it runs.
    fn record(
        &mut self,
        record: Word,
        signal: u32,
        action: &Action,
        blocked: u64,
        value: Word,
    ) -> CallResult {
        let process = self.kernel.process_mut();
        let signals = &mut process.signals;
        signals.blocked |= action.mask & !(bit(SIGKILL) | bit(SIGSTOP));
        if action.flags & SA_NODEFER == 0 {
            signals.blocked |= bit(signal);
        }
        // The kernel would stack their frames, and the last one would run first.
        if signals.pending & !signals.blocked != 0 {
            return Err(NoResult::unsupported(
                "two signals that are delivered at once",
            ));
        }
        let to_thread = signals.to_thread & bit(signal) != 0;
        let (stack, flags, size) = signals.stack;
        let on_stack = action.flags & SA_ONSTACK != 0 && flags & 2 == 0;
        let sender = u64::from(process.pid) | u64::from(process.identity.uid) << 32;
        let mut words = [Word::int(0); delivery::RECORD_WORDS];
        words[delivery::RECORD_HANDLER] = action.handler;
        words[delivery::RECORD_SIGNAL] = Word::int(signal.into());
        words[delivery::RECORD_CODE] = Word::int(if to_thread { SI_TKILL } else { SI_USER });
        words[delivery::RECORD_SENDER] = Word::int(sender);
        words[delivery::RECORD_MASK] = Word::int(blocked);
        words[delivery::RECORD_STACK] = stack;
        words[delivery::RECORD_STACK_FLAGS] = Word::int(flags.into());
        words[delivery::RECORD_STACK_SIZE] = Word::int(size);
        words[delivery::RECORD_ON_STACK] = Word::int(on_stack.into());
        for (i, word) in words.into_iter().enumerate() {
            let at = offset(record, 8 * i as u64);
            self.memory
                .store_word(at, 8, word)
                .map_err(NoResult::Fault)?;
        }
        Ok(value)
    }

    /// Changes what is blocked, and delivers a signal that waited for that.
    fn block(&mut self, blocked: u64) -> CallResult {
        if blocked != self.kernel.process.signals.blocked {
            self.kernel.process_mut().signals.blocked = blocked;
        }
        while self.kernel.process.signals.pending & !blocked != 0 {
            let signals = &mut self.kernel.process_mut().signals;
            let signal = (signals.pending & !blocked).trailing_zeros() + 1;
            signals.pending &= !bit(signal);
            let handled = signals.actions[signal as usize].handler.bits > 1;
            let sent = self.send_to_self(signal, Word::int(0))?;
            if handled {
                return Ok(sent);
            }
        }
        done()
    }

    /// The signal of `abort`, if it has a handler: 1, and it has none any more; otherwise 0.
    fn abort(&mut self) -> CallResult {
        let signals = &mut self.kernel.process_mut().signals;
        signals.blocked &= !bit(SIGNAL_ABORT);
        signals.pending &= !bit(SIGNAL_ABORT);
        signals.to_thread |= bit(SIGNAL_ABORT);
        let handled =
            signals.record.is_some() && signals.actions[SIGNAL_ABORT as usize].handler.bits > 1;
        if !handled {
            return done();
        }
        let sent = self.send_to_self(SIGNAL_ABORT, Word::int(1));
        self.kernel.process_mut().signals.actions[SIGNAL_ABORT as usize] = DEFAULT;
        sent
    }

    fn send(&mut self, signal: u64, thread: bool) -> CallResult {
        match u32::try_from(signal) {
            Ok(0) => done(),
            Ok(signal) => {
                let signals = &mut self.kernel.process_mut().signals;
                let other = (signals.to_thread & bit(signal) != 0) != thread;
                if other && signals.pending & bit(signal) != 0 && signals.record.is_some() {
                    let what = "a signal that waits for the process and for its thread";
                    return Err(NoResult::unsupported(what));
                }
                match thread {
                    true => signals.to_thread |= bit(signal),
                    false => signals.to_thread &= !bit(signal),
                }
                self.send_to_self(signal, Word::int(0))
            }
            Err(_) => Err(Errno::EINVAL.into()),
        }
    }

    /// A signal's number as an argument.
    fn signal(&self, i: usize) -> Result<u64, Errno> {
        let signal = u64::from(self.bits(i) as u32);
        if signal > LAST {
            return Err(Errno::EINVAL);
        }
        Ok(signal)
    }
}

fn sigaction(call: &mut Call<'_>) -> CallResult {
    let (new, old) = (call.args[1], call.args[2]);
    if call.bits(3) != 8 {
        return Err(Errno::EINVAL.into());
    }
    let has_restorer = match call.kernel.abi {
        Abi::X86_64 => true,
        Abi::Riscv64 => false,
    };
    let mask_at = if has_restorer { 24 } else { 16 };
    let action = if new.bits == 0 {
        None
    } else {
        let mut action = DEFAULT;
        action.handler = call.load_u64(new)?;
        action.flags = call.load_u64(offset(new, 8))?.bits;
        if has_restorer {
            action.restorer = call.load_u64(offset(new, 16))?;
        }
        action.mask = call.load_u64(offset(new, mask_at))?.bits;
        Some(action)
    };
    let signal = call.bits(0);
    let fixed = signal == u64::from(SIGKILL) || signal == u64::from(SIGSTOP);
    if signal == 0 || signal > LAST || fixed && action.is_some() {
        return Err(Errno::EINVAL.into());
    }
    let before = call.kernel.process.signals.actions[signal as usize];
    if old.bits != 0 {
        call.check_write(old, mask_at + 8)?;
        let stored = call.memory.store_word(old, 8, before.handler);
        stored.map_err(NoResult::Fault)?;
        call.store(offset(old, 8), &before.flags.to_le_bytes())?;
        if has_restorer {
            let at = offset(old, 16);
            let stored = call.memory.store_word(at, 8, before.restorer);
            stored.map_err(NoResult::Fault)?;
        }
        call.store(offset(old, mask_at), &before.mask.to_le_bytes())?;
    }
    if let Some(action) = action {
        let signals = &mut call.kernel.process_mut().signals;
        signals.actions[signal as usize] = action;
        if action.handler.bits == 1 {
            signals.pending &= !bit(signal as u32);
        }
    }
    done()
}

fn sigprocmask(call: &mut Call<'_>) -> CallResult {
    let (how, new, old) = (call.bits(0), call.args[1], call.args[2]);
    if call.bits(3) != 8 {
        return Err(Errno::EINVAL.into());
    }
    let before = call.kernel.process.signals.blocked;
    let mut after = before;
    if new.bits != 0 {
        let set = call.load_u64(new)?.bits;
        after = match how {
            0 => before | set,
            1 => before & !set,
            2 => set,
            _ => return Err(Errno::EINVAL.into()),
        };
        after &= !(bit(SIGKILL) | bit(SIGSTOP));
    }
    if old.bits != 0 {
        call.check_write(old, 8)?;
        call.store(old, &before.to_le_bytes())?;
    }
    call.block(after)
}

fn sigpending(call: &mut Call<'_>) -> CallResult {
    if call.bits(1) > 8 {
        return Err(Errno::EINVAL.into());
    }
    let pending = call.kernel.process.signals.pending.to_le_bytes();
    call.check_write(call.args[0], call.bits(1))?;
    let length = call.bits(1) as usize;
    call.store(call.args[0], &pending[..length])?;
    done()
}

fn suspend(call: &mut Call<'_>) -> CallResult {
    if call.bits(1) != 8 {
        return Err(Errno::EINVAL.into());
    }
    let set = call.load_u64(call.args[0])?.bits;
    let ready = call.kernel.process.signals.pending & !set;
    if ready == 0 {
        return pause(call);
    }
    let signal = ready.trailing_zeros() + 1;
    let blocked = call.kernel.process.signals.blocked;
    let signals = &mut call.kernel.process_mut().signals;
    signals.pending &= !bit(signal);
    signals.blocked = set;
    let handler = signals.actions[signal as usize].handler.bits > 1;
    let later = handler && signals.record.is_some();
    let sent = call.deliver(signal, Errno::EINTR.reply(), blocked);
    // A handler of machine code has yet to run, and its return does this.
    if !later {
        call.kernel.process_mut().signals.blocked = blocked;
    }
    sent
}

fn pause(_: &mut Call<'_>) -> CallResult {
    Err(NoResult::unsupported("waiting for ever for a signal"))
}

fn sigaltstack(call: &mut Call<'_>) -> CallResult {
    const DISABLE: u32 = 2;
    let (new, old) = (call.args[0], call.args[1]);
    let stack = if new.bits == 0 {
        None
    } else {
        let at = call.load_u64(new)?;
        let flags = call.load(offset(new, 8), 4)?;
        let flags = u32::from_le_bytes([flags[0], flags[1], flags[2], flags[3]]);
        let size = call.load_u64(offset(new, 16))?.bits;
        if flags & !(DISABLE | 1) != 0 {
            return Err(Errno::EINVAL.into());
        }
        if flags & DISABLE == 0 && size < 2048 {
            return Err(Errno::ENOMEM.into());
        }
        Some((at, flags, size))
    };
    let before = call.kernel.process.signals.stack;
    if old.bits != 0 {
        call.check_write(old, 24)?;
        let stored = call.memory.store_word(old, 8, before.0);
        stored.map_err(NoResult::Fault)?;
        call.store(offset(old, 8), &u64::from(before.1).to_le_bytes())?;
        call.store(offset(old, 16), &before.2.to_le_bytes())?;
    }
    if let Some(stack) = stack {
        call.kernel.process_mut().signals.stack = stack;
    }
    done()
}

fn kill(call: &mut Call<'_>) -> CallResult {
    let pid = i64::from(call.int(0));
    let signal = u64::from(call.bits(1) as u32);
    let own = i64::from(call.kernel.process.pid);
    if signal > LAST {
        return Err(Errno::EINVAL.into());
    }
    if pid == own || pid == 0 || pid == -own {
        call.is_exact();
        return call.send(signal, false);
    }
    // The first process, and all processes but this, belong to others.
    let errno = if pid == 1 && call.kernel.process.identity.uid != 0 {
        Errno::EPERM
    } else {
        Errno::ESRCH
    };
    Err(errno.into())
}

fn tkill(call: &mut Call<'_>) -> CallResult {
    let thread = call.int(0);
    if thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = call.signal(1)?;
    if thread as u32 != call.kernel.process.pid {
        return Err(Errno::ESRCH.into());
    }
    call.is_exact();
    call.send(signal, true)
}

fn tgkill(call: &mut Call<'_>) -> CallResult {
    let (group, thread) = (call.int(0), call.int(1));
    if group <= 0 || thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = call.signal(2)?;
    let own = call.kernel.process.pid;
    if group as u32 != own || thread as u32 != own {
        return Err(Errno::ESRCH.into());
    }
    call.is_exact();
    call.send(signal, true)
}
