//! Signals that a process sends to itself.
//!
//! No other process sends signals. As in the kernel, a signal that is blocked waits, for the process or for its
//! thread, and those that do not wait are delivered before a call returns: those of the thread first, then
//! those that errors of the processor have, then by their numbers. A signal with a handler is handed to
//! the caller of the model, which runs the handler: by [`Reply::Handle`], or for machine code by a
//! [record](crate::delivery). It says when the handler is about to run, for then others may be delivered, whose
//! handlers run before it, and when it has returned.

use super::{CallFamily, SystemCall, done, offset};
use crate::call_table::SENDER;
use crate::call_table::Varies::Exact;
use crate::delivery::Delivery;
use crate::reply::{CallResult, NoResult};
use crate::{Abi, Errno, Kernel, Reply, delivery};
use cairn_memory::{Memory, Word};

pub(super) const CALLS: CallFamily = &[
    ("rt_sigaction", "ippw", Exact, sigaction),
    ("rt_sigprocmask", "ippw", Exact, sigprocmask),
    ("rt_sigpending", "pw", Exact, sigpending),
    ("rt_sigsuspend", "pw", Exact, suspend),
    ("pause", "", Exact, pause),
    ("sigaltstack", "pp", Exact, sigaltstack),
];

/// The number of the last signal.
pub(super) const LAST: u64 = 64;
/// The number of the signal that `abort` raises.
pub const SIGNAL_ABORT: u32 = 6;
const SIGKILL: u32 = 9;
const SIGCHLD: u32 = 17;
const SIGCONT: u32 = 18;
const SIGSTOP: u32 = 19;
const SIGTTOU: u32 = 22;
const SIGURG: u32 = 23;
const SIGWINCH: u32 = 28;

/// Those of errors of the processor, which come first: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
const SYNCHRONOUS: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 30;

/// The first real-time signal, of which there may be several at a time.
const FIRST_QUEUED: u32 = 32;
/// How many may wait: a limit of the process says how many, and is some thousands.
const MOST_WAITING: usize = 1000;

/// `si_code` of a signal to a process, and of one to a thread.
pub(super) const SI_USER: i32 = 0;
pub(super) const SI_TKILL: i32 = -6;

const SA_SIGINFO: u64 = 4;
const SA_ONSTACK: u64 = 0x0800_0000;
const SA_NODEFER: u64 = 0x4000_0000;
const SA_RESETHAND: u64 = 0x8000_0000;
/// All flags that a kernel keeps; that of the restorer only where there is one.
const SA_KEPT: u64 = 0xd800_0807;
const SA_RESTORER: u64 = 0x0400_0000;

/// `ss_flags`: there is no other stack; it is in use; it is none while its handler runs.
const SS_ONSTACK: u32 = 1;
const SS_DISABLE: u32 = 2;
const SS_AUTODISARM: u32 = 1 << 31;

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

/// A signal that was sent and not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PendingSignal {
    signal: u32,
    code: i32,
    /// It was sent to the thread and not to the process.
    thread: bool,
}

/// What a process wants with signals.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    actions: Vec<Action>,
    /// Bit 0 is signal 1.
    blocked: u64,
    /// What is blocked when the call ends that waits with another set.
    saved: Option<u64>,
    /// In the order in which they were sent.
    waiting: Vec<PendingSignal>,
    /// Where handlers are asked for, if machine code runs them.
    record: Option<Word>,
    /// Address, flags and size of the other stack.
    stack: (Word, u32, u64),
    /// Handlers that were started on the other stack and have not returned.
    on_stack: u32,
    /// The handler of `abort` has returned.
    aborted: bool,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            actions: vec![DEFAULT; LAST as usize + 1],
            blocked: 0,
            saved: None,
            waiting: Vec::new(),
            record: None,
            stack: (Word::int(0), SS_DISABLE, 0),
            on_stack: 0,
            aborted: false,
        }
    }
}

fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// Whether a signal without an action does nothing.
fn is_harmless(signal: u32) -> bool {
    matches!(signal, SIGCHLD | SIGURG | SIGWINCH | SIGCONT)
}

impl Signals {
    /// The signals that wait.
    fn pending(&self) -> u64 {
        let all = self.waiting.iter();
        all.fold(0, |set, waiting| set | bit(waiting.signal))
    }

    /// Whether a signal that is sent now does nothing.
    fn is_ignored(&self, signal: u32) -> bool {
        match self.actions[signal as usize].handler.bits {
            0 => is_harmless(signal),
            handler => handler == 1,
        }
    }

    /// Takes the signal that is delivered next, if one is not in a set.
    fn take_next(&mut self, blocked: u64) -> Option<PendingSignal> {
        let ready = |w: &PendingSignal| blocked & bit(w.signal) == 0;
        let order = |w: &PendingSignal| (!w.thread, SYNCHRONOUS & bit(w.signal) == 0, w.signal);
        // Of several with one number the first: `min_by_key` finds it.
        let all = self.waiting.iter().enumerate();
        let next = all.filter(|(_, w)| ready(w)).min_by_key(|(_, w)| order(w));
        let next = next.map(|(i, _)| i)?;
        Some(self.waiting.remove(next))
    }

    /// A signal waits from now on, unless it does already.
    fn add(&mut self, sent: PendingSignal) -> Result<(), NoResult> {
        match sent.signal {
            SIGCONT => self.forget(|signal| (SIGSTOP..=SIGTTOU).contains(&signal)),
            SIGSTOP..=SIGTTOU => self.forget(|signal| signal == SIGCONT),
            _ => {}
        }
        let mut same = self.waiting.iter();
        let same = same.any(|w| (w.signal, w.thread) == (sent.signal, sent.thread));
        if self.blocked & bit(sent.signal) == 0 && self.is_ignored(sent.signal)
            || same && sent.signal < FIRST_QUEUED
        {
            return Ok(());
        }
        if self.waiting.len() == MOST_WAITING {
            return Err(NoResult::unsupported("more than 1000 signals that wait"));
        }
        self.waiting.push(sent);
        Ok(())
    }

    fn forget(&mut self, which: impl Fn(u32) -> bool) {
        self.waiting.retain(|w| !which(w.signal));
    }
}

impl Kernel {
    /// How to run the handler of the signal of `abort`, if there is one and it has not returned yet.
    pub fn take_abort_handler(&mut self) -> Option<Delivery> {
        let signals = &mut self.process_mut().signals;
        if signals.aborted {
            return None;
        }
        signals.blocked &= !bit(SIGNAL_ABORT);
        if signals.actions[SIGNAL_ABORT as usize].handler.bits <= 1 {
            return None;
        }
        signals.forget(|signal| signal == SIGNAL_ABORT);
        let mut delivery = begin(self, SIGNAL_ABORT, SI_TKILL);
        delivery.aborts = true;
        Some(delivery)
    }
}

/// Blocks what is blocked while the handler of a signal runs, and says how to run it.
fn begin(kernel: &mut Kernel, signal: u32, code: i32) -> Delivery {
    let process = kernel.process_mut();
    let sender = u64::from(process.pid) | u64::from(process.identity.uid) << 32;
    let signals = &mut process.signals;
    let action = signals.actions[signal as usize];
    if action.flags & SA_RESETHAND != 0 {
        signals.actions[signal as usize].handler = DEFAULT.handler;
    }
    let blocked = signals.saved.take().unwrap_or(signals.blocked);
    signals.blocked |= action.mask;
    if action.flags & SA_NODEFER == 0 {
        signals.blocked |= bit(signal);
    }
    let (_, flags, _) = signals.stack;
    let on_stack = action.flags & SA_ONSTACK != 0 && flags & SS_DISABLE == 0;
    signals.on_stack += u32::from(on_stack);
    Delivery {
        signal,
        handler: action.handler,
        information: action.flags & SA_SIGINFO != 0,
        code,
        sender,
        blocked,
        stack: signals.stack,
        on_stack,
        aborts: false,
    }
}

/// Does one of the calls by which a machine that runs handlers delivers signals; `None` if it is no such call. See [`delivery`].
pub(crate) fn deliver_by_call(
    kernel: &mut Kernel,
    memory: &mut Memory,
    number: u64,
    args: [Word; 6],
) -> Option<Reply> {
    if !delivery::is_delivery_call(number) {
        return None;
    }
    kernel.exactness = None;
    let mut call = SystemCall {
        kernel,
        memory,
        args,
    };
    let done = match number {
        delivery::CALL_SET_RECORD => {
            call.kernel.process_mut().signals.record = Some(args[0]);
            done()
        }
        delivery::CALL_HANDLER_STARTS => deliver(&mut call, Word::int(0)),
        delivery::CALL_HANDLER_RETURNED => handler_returned(&mut call),
        _ => abort(&mut call),
    };
    Some(match done {
        Ok(word) => Reply::Return(word),
        Err(NoResult::Reply(reply)) => reply,
        Err(NoResult::Errno(errno)) => Reply::error(errno),
        Err(NoResult::Fault(fault)) => Reply::Fault(fault),
        Err(NoResult::Need(need)) => Reply::Need(need),
    })
}

/// Sends the process a signal that the kernel sends; the call returns a value if it goes on.
pub(super) fn send_to_self(call: &mut SystemCall<'_>, signal: u32, value: Word) -> CallResult {
    send(call, signal, (SI_USER, true), value)
}

/// Sends a signal, with its code and whether it is for the thread.
pub(super) fn send(
    call: &mut SystemCall<'_>,
    signal: u32,
    (code, thread): (i32, bool),
    value: Word,
) -> CallResult {
    if signal != 0 {
        call.kernel.process_mut().signals.add(PendingSignal {
            signal,
            code,
            thread,
        })?;
    }
    deliver(call, value)
}

/// Whether a signal that is sent now makes machine code run a handler.
pub(super) fn records(call: &SystemCall<'_>, signal: u32) -> bool {
    let signals = &call.kernel.process.signals;
    let handled = signals.actions[signal as usize].handler.bits > 1;
    signals.record.is_some() && handled && signals.blocked & bit(signal) == 0
}

/// Waits while other signals are blocked than otherwise, if a set is given. What waits is asked first whether
/// it need not wait: it returns zero then if it must.
pub(super) fn with_mask(
    call: &mut SystemCall<'_>,
    mask: Option<u64>,
    mut wait: impl FnMut(&mut SystemCall<'_>, bool) -> CallResult,
) -> CallResult {
    let Some(mask) = mask else {
        return wait(call, true);
    };
    let signals = &mut call.kernel.process_mut().signals;
    let mask = mask & !(bit(SIGKILL) | bit(SIGSTOP));
    signals.saved = Some(std::mem::replace(&mut signals.blocked, mask));
    let result = if signals.pending() & !mask == 0 {
        wait(call, true)
    } else {
        match wait(call, false) {
            Ok(none) if none.bits == 0 => {
                deliver_next(call, Errno::EINTR.reply()).unwrap_or_else(|| wait(call, true))
            }
            found => found,
        }
    };
    let signals = &mut call.kernel.process_mut().signals;
    // A handler that is to run has taken it.
    if let Some(saved) = signals.saved.take() {
        signals.blocked = saved;
    }
    result
}

/// The set of signals at an address, if there is one.
pub(super) fn load_mask(
    call: &SystemCall<'_>,
    at: Word,
    size: u64,
) -> Result<Option<u64>, NoResult> {
    if at.bits == 0 {
        return Ok(None);
    }
    if size != 8 {
        return Err(Errno::EINVAL.into());
    }
    Ok(Some(call.load_u64(at)?.bits))
}

/// Delivers what need not wait, before a call returns a value.
fn deliver(call: &mut SystemCall<'_>, value: Word) -> CallResult {
    deliver_next(call, value).unwrap_or(Ok(value))
}

/// Delivers the signals that need not wait up to the first with a handler. Nothing if no signal had an
/// effect.
fn deliver_next(call: &mut SystemCall<'_>, value: Word) -> Option<CallResult> {
    loop {
        let signals = &call.kernel.process.signals;
        if signals.waiting.is_empty() {
            return None;
        }
        let blocked = signals.blocked;
        let sent = call.kernel.process_mut().signals.take_next(blocked)?;
        let signal = sent.signal;
        return Some(
            match call.kernel.process.signals.actions[signal as usize]
                .handler
                .bits
            {
                1 => continue,
                0 if is_harmless(signal) => continue,
                0 if (SIGSTOP..=SIGTTOU).contains(&signal) => {
                    Err(NoResult::unsupported("a signal that stops the process"))
                }
                0 => Err(NoResult::Reply(Reply::Signal(signal))),
                _ => {
                    let delivery = begin(call.kernel, signal, sent.code);
                    hand_over(call, delivery, value)
                }
            },
        );
    }
}

/// Lets a handler run.
fn hand_over(call: &mut SystemCall<'_>, delivery: Delivery, value: Word) -> CallResult {
    if delivery.information {
        call.is_one_of(SENDER);
    }
    let Some(record) = call.kernel.process.signals.record else {
        return Err(NoResult::Reply(Reply::Handle { delivery, value }));
    };
    for (i, word) in delivery.words().into_iter().enumerate() {
        let at = offset(record, 8 * i as u64);
        call.memory
            .store_word(at, 8, word)
            .map_err(NoResult::Fault)?;
    }
    Ok(value)
}

/// A handler has returned: what its frame says is blocked again, and what waited for that is delivered.
fn handler_returned(call: &mut SystemCall<'_>) -> CallResult {
    let (blocked, flags) = (call.bits(0), call.bits(1));
    let signals = &mut call.kernel.process_mut().signals;
    signals.blocked = blocked & !(bit(SIGKILL) | bit(SIGSTOP));
    if flags & delivery::RETURNED_ON_STACK != 0 {
        signals.on_stack = signals.on_stack.saturating_sub(1);
    }
    if flags & delivery::RETURNED_FROM_ABORT != 0 {
        signals.aborted = true;
    }
    deliver(call, Word::int(0))
}

/// The signal of `abort`, if it has a handler: 1; otherwise 0.
fn abort(call: &mut SystemCall<'_>) -> CallResult {
    match call.kernel.take_abort_handler() {
        None => done(),
        Some(_) if call.kernel.process.signals.record.is_none() => done(),
        Some(delivery) => hand_over(call, delivery, Word::int(1)),
    }
}

fn sigaction(call: &mut SystemCall<'_>) -> CallResult {
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
        action.handler = call.load_number(new, None)?;
        let kept = if has_restorer {
            SA_KEPT | SA_RESTORER
        } else {
            SA_KEPT
        };
        action.flags = call.load_u64(offset(new, 8))?.bits & kept;
        if has_restorer {
            action.restorer = call.load_u64(offset(new, 16))?;
        }
        action.mask = call.load_u64(offset(new, mask_at))?.bits & !(bit(SIGKILL) | bit(SIGSTOP));
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
        if signals.is_ignored(signal as u32) {
            signals.forget(|waiting| u64::from(waiting) == signal);
        }
    }
    done()
}

fn sigprocmask(call: &mut SystemCall<'_>) -> CallResult {
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
    deliver(call, Word::int(0))
}

fn sigpending(call: &mut SystemCall<'_>) -> CallResult {
    if call.bits(1) > 8 {
        return Err(Errno::EINVAL.into());
    }
    let signals = &call.kernel.process.signals;
    let pending = (signals.pending() & signals.blocked).to_le_bytes();
    call.check_write(call.args[0], call.bits(1))?;
    let length = call.bits(1) as usize;
    call.store(call.args[0], &pending[..length])?;
    done()
}

fn suspend(call: &mut SystemCall<'_>) -> CallResult {
    if call.bits(1) != 8 {
        return Err(Errno::EINVAL.into());
    }
    let set = call.load_u64(call.args[0])?.bits;
    with_mask(call, Some(set), |call, waits| match waits {
        false => done(),
        true => pause(call),
    })
}

fn pause(_: &mut SystemCall<'_>) -> CallResult {
    Err(NoResult::unsupported("waiting for ever for a signal"))
}

fn sigaltstack(call: &mut SystemCall<'_>) -> CallResult {
    let (new, old) = (call.args[0], call.args[1]);
    if call.kernel.process.signals.on_stack > 0 {
        // It depends on where the program's own stack is.
        return Err(NoResult::unsupported(
            "asking for the other stack in a handler that runs on it, or that has left it",
        ));
    }
    let stack = if new.bits == 0 {
        None
    } else {
        let at = call.load_u64(new)?;
        let flags = call.load(offset(new, 8), 4)?;
        let flags = u32::from_le_bytes([flags[0], flags[1], flags[2], flags[3]]);
        let size = call.load_u64(offset(new, 16))?.bits;
        match flags & !SS_AUTODISARM {
            SS_DISABLE => Some((Word::int(0), flags, 0)),
            0 | SS_ONSTACK if size < 2048 => return Err(Errno::ENOMEM.into()),
            0 | SS_ONSTACK if flags & SS_AUTODISARM != 0 => {
                return Err(NoResult::unsupported("another stack with SS_AUTODISARM"));
            }
            0 | SS_ONSTACK => Some((at, flags, size)),
            _ => return Err(Errno::EINVAL.into()),
        }
    };
    let before = call.kernel.process.signals.stack;
    if old.bits != 0 {
        call.check_write(old, 24)?;
        let stored = call.memory.store_word(old, 8, before.0);
        stored.map_err(NoResult::Fault)?;
        let flags = match before.2 {
            0 => SS_DISABLE | before.1 & SS_AUTODISARM,
            _ => before.1 & SS_AUTODISARM,
        };
        call.store(offset(old, 8), &u64::from(flags).to_le_bytes())?;
        call.store(offset(old, 16), &before.2.to_le_bytes())?;
    }
    if let Some(stack) = stack {
        call.kernel.process_mut().signals.stack = stack;
    }
    done()
}
