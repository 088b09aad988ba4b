//! What a program says of how it uses its memory.

use super::mapping::PAGE;
use super::{CallFamily, SystemCall, done};
use crate::Errno;
use crate::call_table;
use crate::call_table::MACHINE;
use crate::call_table::Varies::{Decides, Exact};
use crate::calls::mapping;
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: CallFamily = &[
    ("madvise", "wwi", Exact, madvise),
    ("msync", "wwi", Exact, msync),
    ("mlock", "ww", Decides(MACHINE), locked),
    ("munlock", "ww", Exact, locked),
    ("mlockall", "i", Decides(MACHINE), locked_all),
    ("munlockall", "", Exact, locked_all),
];

// Kinds of advice, as Linux numbers them.
const NORMAL: u32 = 0;
const RANDOM: u32 = 1;
const SEQUENTIAL: u32 = 2;
const WILL_NEED: u32 = 3;
const DONT_NEED: u32 = 4;
const FREE: u32 = 8;
const REMOVE: u32 = 9;
const DONT_FORK: u32 = 10;
const DO_FORK: u32 = 11;
const MERGEABLE: u32 = 12;
const NO_HUGE_PAGE: u32 = 15;
const DONT_DUMP: u32 = 16;
const DO_DUMP: u32 = 17;
const WIPE_ON_FORK: u32 = 18;
const KEEP_ON_FORK: u32 = 19;
const COLD: u32 = 20;
const POPULATE_WRITE: u32 = 23;
const DONT_NEED_LOCKED: u32 = 24;
const COLLAPSE: u32 = 25;
const HW_POISON: u32 = 100;
const SOFT_OFFLINE: u32 = 101;
const GUARD_INSTALL: u32 = 102;
const GUARD_REMOVE: u32 = 103;

fn madvise(call: &mut SystemCall<'_>) -> CallResult {
    let advice = call.bits(2) as u32;
    match advice {
        NORMAL | RANDOM | SEQUENTIAL | DONT_FORK | DO_FORK | DONT_DUMP | DO_DUMP | KEEP_ON_FORK
        | DONT_NEED | REMOVE | DONT_NEED_LOCKED => {}
        // What kernels are built with decides.
        WILL_NEED
        | FREE
        | MERGEABLE..=NO_HUGE_PAGE
        | WIPE_ON_FORK
        | COLD..=POPULATE_WRITE
        | COLLAPSE => call.is_one_of(call_table::IGNORED),
        HW_POISON | SOFT_OFFLINE => return Err(Errno::EPERM.into()),
        GUARD_INSTALL | GUARD_REMOVE => {
            call.is_one_of(call_table::KERNELS);
            return Err(Errno::EINVAL.into());
        }
        _ => return Err(Errno::EINVAL.into()),
    }
    let (base, length) = mapping::page_span(call)?;
    let end = base.checked_add(length).ok_or(Errno::EINVAL)?;
    if length == 0 {
        return match call.bits(1) {
            0 => done(),
            _ => Err(Errno::EINVAL.into()),
        };
    }
    let range = base..end;
    if mapping::is_gone(call, &range) {
        return Err(Errno::ENOMEM.into());
    }
    if advice == REMOVE {
        if call.kernel.mappings.is_shared(range.start) {
            return Err(NoResult::unsupported(
                "a hole in a mapped file (MADV_REMOVE)",
            ));
        }
        return Err(Errno::EINVAL.into());
    }
    if !matches!(advice, DONT_NEED | DONT_NEED_LOCKED) {
        return done();
    }
    if mapping::holds_others(call, &range) {
        return Err(NoResult::unsupported(
            "giving up what is in memory of no mapping (MADV_DONTNEED)",
        ));
    }
    mapping::give_up(call, &range)
}

fn msync(call: &mut SystemCall<'_>) -> CallResult {
    const ASYNCHRONOUS: u64 = 1;
    const SYNCHRONOUS: u64 = 4;
    let flags = call.bits(2);
    let both = ASYNCHRONOUS | SYNCHRONOUS;
    if flags & !7 != 0 || flags & both == both {
        return Err(Errno::EINVAL.into());
    }
    let (base, length) = mapping::page_span(call)?;
    let end = base.checked_add(length).ok_or(Errno::ENOMEM)?;
    if mapping::is_gone(call, &(base..end)) {
        return Err(Errno::ENOMEM.into());
    }
    done()
}

/// Locks pages in memory, or the opposite.
fn locked(call: &mut SystemCall<'_>) -> CallResult {
    let (base, length) = (call.bits(0), call.bits(1));
    let start = base - base % PAGE;
    let end = base
        .checked_add(length)
        .and_then(|end| end.checked_next_multiple_of(PAGE));
    let end = end.ok_or(Errno::EINVAL)?;
    if length > 0 && mapping::is_gone(call, &(start..end)) {
        return Err(Errno::ENOMEM.into());
    }
    done()
}

fn locked_all(_: &mut SystemCall<'_>) -> CallResult {
    done()
}
