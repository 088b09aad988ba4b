//! The parts of a state that are not values: what must be equal, what is forgotten, what is joined.
//!
//! | part | becomes |
//! |---|---|
//! | calls, stage, kernel and library, groups, chosen values, answers of the host, clocks, wishes, sizes, seeds | must be equal |
//! | inputs | must be equal; divisions of their bytes must fit together, and are joined |
//! | what was decided, pointers with known values, offsets that are inside, single bytes, fixed inputs | forgotten: it rested on facts that only grow |
//! | conditions that were decided last | those that all know |
//! | objects on the stack that terms may point into, symbols that no test holds, lines that were passed | joined |
//! | numbers of symbols, operations, depth | the largest |
//! | model | any member's: it is one of the merged facts |
//! | decisions | a join of the members' |

use crate::merge::counts::MergeRefusal;
use crate::merge::faults::MergeFault;
use crate::path::state::State;
use crate::values::operators;
use crate::values::value::Wide;

/// Whether two states can be merged as far as that is seen without a look at their memory.
pub(super) fn check(a: &State, b: &State) -> Result<(), MergeRefusal> {
    refuse_unless(
        a.thread.is_at(&b.thread) && a.stage == b.stage && a.groups.are_same(&b.groups),
        MergeRefusal::Place,
    )?;
    refuse_unless(same_older_values(a, b), MergeRefusal::Place)?;
    let (x, y) = (&a.domain, &b.domain);
    let no_choice = x.chosen_values == y.chosen_values
        && x.chosen_facts.is_empty()
        && y.chosen_facts.is_empty()
        && x.values_to_choose == y.values_to_choose;
    refuse_unless(no_choice, MergeRefusal::Chosen)?;
    refuse_unless(a.library.is_same(&b.library), MergeRefusal::System)?;
    refuse_unless(x.sizes.are_same(&y.sizes), MergeRefusal::Sizes)?;
    let same_answers =
        a.host_answers.are_same(&b.host_answers) && a.told == b.told && a.clocks == b.clocks;
    refuse_unless(same_answers, MergeRefusal::Answers)?;
    let same = a.returned == b.returned
        && a.preferred == b.preferred
        && a.may_fork == b.may_fork
        && !a.on_seed
        && !b.on_seed
        && !a.is_replayed()
        && !b.is_replayed()
        && !a.guide.given
        && !b.guide.given
        && a.sites.are_same(&b.sites)
        && x.has_same_slots(y)
        // Which objects belong together was found on each path by itself.
        && x.segments.by_form()
        && y.segments.by_form()
        && x.narrowed.is_empty()
        && y.narrowed.is_empty()
        && x.addresses_used.is_empty()
        && y.addresses_used.is_empty();
    refuse_unless(same, MergeRefusal::Other)
}

pub(super) fn refuse_unless(fits: bool, why: MergeRefusal) -> Result<(), MergeRefusal> {
    if fits { Ok(()) } else { Err(why) }
}

/// Whether the calls below the newest have the same values.
fn same_older_values(a: &State, b: &State) -> bool {
    let ((registers, wide), (others, other_wide)) =
        (a.thread.older_values(), b.thread.older_values());
    registers.len() == others.len()
        && wide.len() == other_wide.len()
        && registers
            .iter()
            .zip(others)
            .all(|(a, b)| operators::same(a, b))
        && wide
            .iter()
            .zip(other_wide)
            .all(|(a, b)| same_wide(a.as_ref(), b.as_ref()))
}

pub(super) fn same_wide(a: Option<&Wide>, b: Option<&Wide>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(Wide::Bits(a)), Some(Wide::Bits(b))) => a == b,
        (Some(Wide::Term(a)), Some(Wide::Term(b))) => a == b,
        (Some(_), Some(_)) | (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Joins what is neither memory nor registers of several states into a copy of the first.
pub(super) fn join(merged: &mut State, others: &[Box<State>], fault: Option<MergeFault>) {
    let meets = |obligation: MergeFault| fault != Some(obligation);
    forget(merged, meets);
    let domain = &mut merged.domain;
    if !meets(MergeFault::OtherModel) {
        domain.model = Default::default();
    }
    merged.round = Default::default();
    merged.groups.note_merged();
    for other in others {
        if meets(MergeFault::StackPointersOfOne) {
            domain.stack_pointers.join(&other.domain.stack_pointers);
        }
        if meets(MergeFault::KeepsKnown) {
            merged.known.retain_known_to(&other.known);
        }
        merged.trail.join(&other.trail);
        merged
            .one_of_many
            .set(merged.one_of_many.get() || other.one_of_many.get());
        if !meets(MergeFault::CountersOfOne) {
            continue;
        }
        domain.known_count = domain.known_count.max(other.domain.known_count);
        merged.thread.executed = merged.thread.executed.max(other.thread.executed);
        merged.thread.retried = merged.thread.retried.max(other.thread.retried);
        merged.depth = merged.depth.max(other.depth);
        merged.covered_at = merged.covered_at.max(other.covered_at);
        merged.query_time = merged.query_time.max(other.query_time);
    }
}

/// Forgets what followed from facts of one path.
fn forget(merged: &mut State, meets: impl Fn(MergeFault) -> bool) {
    let domain = &mut merged.domain;
    domain.sizes.forget_named();
    if meets(MergeFault::KeepsDecided) {
        domain.decided.clear();
    }
    if meets(MergeFault::KeepsPointers) {
        domain.pointers = Default::default();
    }
    if meets(MergeFault::KeepsOffsets) {
        domain.inside_offsets = Default::default();
    }
    if meets(MergeFault::KeepsBytes) {
        merged.bytes = Default::default();
    }
    if meets(MergeFault::KeepsFixedInputs) {
        merged.fixed_inputs = Default::default();
    }
}
