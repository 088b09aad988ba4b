//! Sending signals.

use super::signals::{LAST, SI_TKILL, SI_USER};
use super::{CallFamily, SystemCall};
use crate::Errno;
use crate::call_table::ALONE;
use crate::call_table::Varies::Decides;
use crate::calls::signals;
use crate::reply::CallResult;
use cairn_memory::Word;

pub(super) const CALLS: CallFamily = &[
    ("kill", "ii", Decides(ALONE), kill),
    ("tkill", "ii", Decides(ALONE), tkill),
    ("tgkill", "iii", Decides(ALONE), tgkill),
];

/// A signal's number as an argument.
fn signal(call: &SystemCall<'_>, i: usize) -> Result<u64, Errno> {
    let signal = u64::from(call.bits(i) as u32);
    if signal > LAST {
        return Err(Errno::EINVAL);
    }
    Ok(signal)
}

fn kill(call: &mut SystemCall<'_>) -> CallResult {
    let pid = i64::from(call.int(0));
    let signal = u64::from(call.bits(1) as u32);
    let own = i64::from(call.kernel.process.pid);
    if signal > LAST {
        return Err(Errno::EINVAL.into());
    }
    if pid == own || pid == 0 || pid == -own {
        call.is_exact();
        return signals::send(call, signal as u32, (SI_USER, false), Word::int(0));
    }
    // The first process, and all processes but this, belong to others.
    let errno = if pid == 1 && call.kernel.process.identity.uid != 0 {
        Errno::EPERM
    } else {
        Errno::ESRCH
    };
    Err(errno.into())
}

fn tkill(call: &mut SystemCall<'_>) -> CallResult {
    let thread = call.int(0);
    if thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = signal(call, 1)?;
    if thread as u32 != call.kernel.process.pid {
        return Err(Errno::ESRCH.into());
    }
    call.is_exact();
    signals::send(call, signal as u32, (SI_TKILL, true), Word::int(0))
}

fn tgkill(call: &mut SystemCall<'_>) -> CallResult {
    let (group, thread) = (call.int(0), call.int(1));
    if group <= 0 || thread <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let signal = signal(call, 2)?;
    let own = call.kernel.process.pid;
    if group as u32 != own || thread as u32 != own {
        return Err(Errno::ESRCH.into());
    }
    call.is_exact();
    signals::send(call, signal as u32, (SI_TKILL, true), Word::int(0))
}
