//! Signals that a process sends to itself.
//!
//! Nobody else sends any. A signal with a handler is handed to the caller, who runs it; what the
//! kernel blocks meanwhile is not modelled. One signal is delivered at a time.

use super::{Call, Family, done, offset};
use crate::reply::{Done, Stop};
use crate::{Abi, Errno, Reply};
use cairn_memory::Word;

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

const SA_SIGINFO: u64 = 4;
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
    /// Address, flags and size of the other stack.
    stack: (Word, u32, u64),
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            actions: vec![DEFAULT; LAST as usize + 1],
            blocked: 0,
            pending: 0,
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
}

impl Call<'_> {
    /// Sends the process a signal; the call returns a value if it goes on.
    pub(super) fn send_to_self(&mut self, signal: u32, value: Word) -> Done {
        let signals = &self.kernel.process.signals;
        if signals.blocked & bit(signal) != 0 {
            self.kernel.process_mut().signals.pending |= bit(signal);
            return Ok(value);
        }
        let action = signals.actions[signal as usize];
        match action.handler.bits {
            1 => Ok(value),
            0 => match signal {
                SIGCHLD | SIGURG | SIGWINCH | SIGCONT => Ok(value),
                SIGSTOP..=SIGTTOU => Err(Stop::unsupported("a signal that stops the process")),
                _ => Err(Stop::End(Reply::Signal(signal))),
            },
            _ => {
                if action.flags & SA_RESETHAND != 0 {
                    self.kernel.process_mut().signals.actions[signal as usize] = DEFAULT;
                }
                Err(Stop::End(Reply::Handle {
                    signal,
                    handler: action.handler,
                    information: action.flags & SA_SIGINFO != 0,
                    value,
                }))
            }
        }
    }

    fn send(&mut self, signal: u64) -> Done {
        match u32::try_from(signal) {
            Ok(0) => done(),
            Ok(signal) => self.send_to_self(signal, Word::int(0)),
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

fn sigaction(call: &mut Call<'_>) -> Done {
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
        stored.map_err(Stop::Fault)?;
        call.store(offset(old, 8), &before.flags.to_le_bytes())?;
        if has_restorer {
            let at = offset(old, 16);
            let stored = call.memory.store_word(at, 8, before.restorer);
            stored.map_err(Stop::Fault)?;
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

fn sigprocmask(call: &mut Call<'_>) -> Done {
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
    if after != before {
        call.kernel.process_mut().signals.blocked = after;
    }
    let ready = call.kernel.process.signals.pending & !after;
    if ready != 0 {
        let signal = ready.trailing_zeros() + 1;
        call.kernel.process_mut().signals.pending &= !bit(signal);
        return call.send_to_self(signal, Word::int(0));
    }
    done()
}

fn sigpending(call: &mut Call<'_>) -> Done {
    if call.bits(1) > 8 {
        return Err(Errno::EINVAL.into());
    }
    let pending = call.kernel.process.signals.pending.to_le_bytes();
    call.check_write(call.args[0], call.bits(1))?;
    let length = call.bits(1) as usize;
    call.store(call.args[0], &pending[..length])?;
    done()
}

fn suspend(call: &mut Call<'_>) -> Done {
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
    let sent = call.send_to_self(signal, Errno::EINTR.reply());
    call.kernel.process_mut().signals.blocked = blocked;
    sent
}

fn pause(_: &mut Call<'_>) -> Done {
    Err(Stop::unsupported("waiting for ever for a signal"))
}

fn sigaltstack(call: &mut Call<'_>) -> Done {
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
        stored.map_err(Stop::Fault)?;
        call.store(offset(old, 8), &u64::from(before.1).to_le_bytes())?;
        call.store(offset(old, 16), &before.2.to_le_bytes())?;
    }
    if let Some(stack) = stack {
        call.kernel.process_mut().signals.stack = stack;
    }
    done()
}

fn kill(call: &mut Call<'_>) -> Done {
    let pid = i64::from(call.int(0));
    let signal = u64::from(call.bits(1) as u32);
    let own = i64::from(call.kernel.process.pid);
    if signal > LAST {
        return Err(Errno::EINVAL.into());
    }
    if pid == own || pid == 0 || pid == -own {
        return call.send(signal);
    }
    // The first process, and all processes but this, belong to others.
    let errno = if pid == 1 && call.kernel.process.identity.uid != 0 {
        Errno::EPERM
    } else {
        Errno::ESRCH
    };
    Err(errno.into())
}

fn tkill(call: &mut Call<'_>) -> Done {
    let thread = call.int(0);
    if thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = call.signal(1)?;
    if thread as u32 != call.kernel.process.pid {
        return Err(Errno::ESRCH.into());
    }
    call.send(signal)
}

fn tgkill(call: &mut Call<'_>) -> Done {
    let (group, thread) = (call.int(0), call.int(1));
    if group <= 0 || thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = call.signal(2)?;
    let own = call.kernel.process.pid;
    if group as u32 != own || thread as u32 != own {
        return Err(Errno::ESRCH.into());
    }
    call.send(signal)
}
