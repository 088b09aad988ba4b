//! Large objects as parts, each a path: the splitting of objects that others have, to compare with.
//!
//! # Problem
//!
//! An access at an unknown offset of a large object is to a large array.
//!
//! # Idea
//!
//! With `--memory split:N` an object of more than [`SPLIT_ABOVE`] bytes that is accessed at an unknown offset has parts of N bytes, and the
//! path forks for each part in which the access can begin (\[Trabish24, chapter 3\]).
//!
//! # What differs
//!
//! Objects stay whole: a part is the window of one access (`memory/windows.rs`). An access that begins in one part and
//! ends in the next is to a window that is as much longer, so that any alignment is right; the original demands that parts and accesses
//! be aligned.
//!
//! # Soundness
//!
//! The parts in which an access begins exclude each other, and which there are is found by queries until none is left
//! (`gate/find_all.rs`). A window holds all bytes of the accesses that begin in its part.
//!
//! # Cost
//!
//! A path for each part, and a query.

use crate::gate::find_all::find_all;
use crate::gate::{RemainderSpec, ValueClass};
use crate::memory::policy::MemoryPolicy;
use crate::memory::windows::{self, Window};
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::state::State;
use crate::path::step_context::StepContext;
use cairn_expr::Term;
use cairn_memory::ObjectInfo;

/// The largest object that has no parts.
pub(crate) const SPLIT_ABOVE: u64 = 300;

/// The part of an object that an access at an address begins in.
fn part_at(policy: MemoryPolicy, info: &ObjectInfo, length: u64, value: u64) -> Option<Window> {
    let bytes = match policy {
        MemoryPolicy::Split { bytes } => u64::from(bytes),
        MemoryPolicy::Fork
        | MemoryPolicy::Segments
        | MemoryPolicy::Ite
        | MemoryPolicy::PointsTo
        | MemoryPolicy::Adaptive { .. } => return None,
    };
    if info.open || info.capacity <= SPLIT_ABOVE {
        return None;
    }
    let start = (value - info.address) / bytes * bytes;
    Some(Window {
        address: info.address + start,
        size: (bytes + length - 1).min(info.capacity - start),
    })
}

/// Narrows the case that an access is inside of an object to the part that it begins in at a value of the address; the case, and the number
/// that puts it in order.
pub(crate) fn in_part(
    step: &StepContext<'_>,
    state: &State,
    mut case: Case,
    address: &Term,
    info: &ObjectInfo,
    value: u64,
) -> (Case, u64) {
    let Effect::RetryAccess { length, window, .. } = &mut case.effect else {
        return (case, info.address);
    };
    let length = *length;
    let Some(part) = part_at(state.domain.policy, info, length, value) else {
        return (case, info.address);
    };
    *window = Some(part);
    step.cx.note_split(info.capacity);
    windows::narrow_to(step, &mut case, address, length, info, part);
    (case, part.address)
}

/// The cases of an access by a pointer to an object: inside and outside, the first for each part if there are some.
pub(crate) fn in_parts(
    step: &mut StepContext<'_>,
    state: &State,
    [inside, outside]: [Case; 2],
    address: &Term,
    info: &ObjectInfo,
    (remainder, write): (&RemainderSpec, bool),
) -> StepOutcome {
    let Effect::RetryAccess { length, .. } = &inside.effect else {
        return StepOutcome::Cases(vec![inside, outside]);
    };
    let length = *length;
    let has_parts = length <= info.capacity
        && part_at(state.domain.policy, info, length, info.address).is_some();
    if !has_parts || state.guide.is_replaying() {
        return windows::in_windows(step, state, vec![inside, outside], write);
    }
    let last = info.capacity - length;
    let class = |step: &mut StepContext<'_>, _: &_, _: &_, value: u64| {
        let offset = value.wrapping_sub(info.address);
        if offset > last {
            return ValueClass::Remainder(outside.guard.clone());
        }
        let (case, order) = in_part(step, state, inside.clone(), address, info, value);
        ValueClass::Case(case, order)
    };
    let effect = |_: &StepContext<'_>, _: u64| outside.effect.clone();
    StepOutcome::Cases(find_all(step, state, address, class, remainder, effect))
}

#[cfg(test)]
mod tests {
    use super::part_at;
    use crate::memory::policy::MemoryPolicy;
    use crate::memory::windows::Window;
    use cairn_memory::{ObjectId, ObjectInfo, ObjectKind};

    /// Every access of every length is in the window of the one part that it begins in.
    #[test]
    fn every_access_is_in_the_window_of_its_part() {
        for (size, bytes) in [
            (301, 8),
            (301, 7),
            (310, 1),
            (512, 512),
            (512, 600),
            (400, 33),
        ] {
            let info = ObjectInfo {
                address: 0x1000,
                size,
                capacity: size,
                open: false,
                kind: ObjectKind::Heap,
                align: 8,
                object: ObjectId::NONE,
            };
            for length in [1, 2, 4, 8, 16] {
                for offset in 0..=size - length {
                    let value = info.address + offset;
                    let policy = MemoryPolicy::Split { bytes };
                    let part = part_at(policy, &info, length, value).expect("it is large");
                    let Window { address, size: all } = part;
                    assert!(address <= value && value + length <= address + all);
                    assert!(address + all <= info.address + size);
                    // The guard of the part is that the access begins in it.
                    let begins = value - address <= all - length;
                    let next = value + u64::from(bytes);
                    let is_next = next + length <= info.address + size;
                    assert!(begins && (!is_next || next - address > all - length));
                }
            }
        }
    }
}
