//! What a program says of how it uses its memory.

use super::mapping::PAGE;
use super::{Call, Family, done};
use crate::Errno;
use crate::call_table;
use crate::call_table::MACHINE;
use crate::call_table::Varies::{Decides, Exact};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: Family = &[
    ("madvise", "wwi", Exact, madvise),
    ("msync", "wwi", Exact, msync),
    ("mlock", "ww", Decides(MACHINE), locked),
    ("munlock", "ww", Exact, locked),
    ("mlockall", "i", Decides(MACHINE), locked_all),
    ("munlockall", "", Exact, locked_all),
];

fn madvise(call: &mut Call<'_>) -> CallResult {
    const DONT_NEED: [u32; 2] = [4, 24];
    const REMOVE: u32 = 9;
    let advice = call.bits(2) as u32;
    match advice {
        // Of how memory is used, and of what a child or a dump has.
        0..=2 | 10 | 11 | 16 | 17 | 19 | 4 | REMOVE | 24 => {}
        // What kernels are built with decides.
        3 | 8 | 12..=15 | 18 | 20..=23 | 25 => call.is_one_of(call_table::IGNORED),
        100 | 101 => return Err(Errno::EPERM.into()),
        102 | 103 => {
            call.is_one_of(call_table::KERNELS);
            return Err(Errno::EINVAL.into());
        }
        _ => return Err(Errno::EINVAL.into()),
    }
    let (base, length) = call.page_span()?;
    let end = base.checked_add(length).ok_or(Errno::EINVAL)?;
    if length == 0 {
        return match call.bits(1) {
            0 => done(),
            _ => Err(Errno::EINVAL.into()),
        };
    }
    let range = base..end;
    if call.is_gone(&range) {
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
    if !DONT_NEED.contains(&advice) {
        return done();
    }
    if call.holds_others(&range) {
        return Err(NoResult::unsupported(
            "giving up what is in memory of no mapping (MADV_DONTNEED)",
        ));
    }
    call.give_up(&range)
}

fn msync(call: &mut Call<'_>) -> CallResult {
    const ASYNCHRONOUS: u64 = 1;
    const SYNCHRONOUS: u64 = 4;
    let flags = call.bits(2);
    let both = ASYNCHRONOUS | SYNCHRONOUS;
    if flags & !7 != 0 || flags & both == both {
        return Err(Errno::EINVAL.into());
    }
    let (base, length) = call.page_span()?;
    let end = base.checked_add(length).ok_or(Errno::ENOMEM)?;
    if call.is_gone(&(base..end)) {
        return Err(Errno::ENOMEM.into());
    }
    done()
}

/// Locks pages in memory, or the opposite.
fn locked(call: &mut Call<'_>) -> CallResult {
    let (base, length) = (call.bits(0), call.bits(1));
    let start = base - base % PAGE;
    let end = base
        .checked_add(length)
        .and_then(|end| end.checked_next_multiple_of(PAGE));
    let end = end.ok_or(Errno::EINVAL)?;
    if length > 0 && call.is_gone(&(start..end)) {
        return Err(Errno::ENOMEM.into());
    }
    done()
}

fn locked_all(_: &mut Call<'_>) -> CallResult {
    done()
}
