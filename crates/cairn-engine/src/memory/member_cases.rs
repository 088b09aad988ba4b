//! The cases of an access by a pointer that chooses between several objects.
//!
//! Either one for all of them (`memory/members.rs`), or, where a symbolic number is added to the choice and a path is made for each, one for
//! each object that is chosen: the number belongs to that object, whatever else is at the address. Those in which the
//! access is wrong in the same way are one case each.

use crate::finding::{Finding, FindingKind};
use crate::memory::members::{CLASS_BITS, Members, WrongAddresses, looked_up, members};
use crate::memory::pointer_flow::Flow;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::value::Symbolic;
use cairn_expr::Term;
use cairn_memory::{Bytes, ObjectInfo, ObjectKind};
use std::rc::Rc;

/// The cases of an access that a load or store by a choice asked about.
pub(crate) fn member_cases(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> StepOutcome {
    let found = members(
        &state.domain,
        &state.domain.inside_offsets,
        &address.term,
        length,
        write,
    );
    let members = found.expect("the same memory as when it was asked about");
    inside_or_wrong(step, state, members, length)
}

/// That an access is inside of the object that was chosen, and what is wrong with it otherwise.
fn inside_or_wrong(
    step: &StepContext<'_>,
    state: &State,
    members: Members<'_>,
    length: u64,
) -> StepOutcome {
    let inside = Effect::RetryKnowing {
        condition: members.inside.clone(),
    };
    let mut cases = vec![Case::new(members.inside.clone(), inside, Decision::Case(0))];
    add_wrong(step, state, members.wrong, length, &mut cases);
    StepOutcome::Cases(cases)
}

/// The same before objects are found in other ways than by the form of a pointer to which a symbolic number is added: they do not say whose the
/// number is. `None` if it is known, or the form does not say it.
pub(crate) fn before_others(
    step: &StepContext<'_>,
    state: &State,
    address: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> Option<StepOutcome> {
    let domain = &state.domain;
    let members = looked_up(domain, &domain.inside_offsets, &address.term, length, write)?;
    let is_open = members.distance.is_some()
        && !members.inside.is_true()
        && !domain.decided_holds(&members.inside);
    is_open.then(|| inside_or_wrong(step, state, members, length))
}

/// The cases of an access at a symbolic distance from a choice, one for each object that is chosen: whatever else is at the
/// address does not count. `None` if it is no such access.
pub(crate) fn moved_cases(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> Option<StepOutcome> {
    let domain = &state.domain;
    let inside = &domain.inside_offsets;
    if Flow::of(&address.term, inside).is_some() {
        return None;
    }
    let members = looked_up(domain, inside, &address.term, length, write)?;
    let store = &step.cx.store;
    let which = members.which(store)?;
    let case = |(number, info): (u64, &ObjectInfo)| {
        let is = store.eq(&which, &store.bv(CLASS_BITS, number));
        let effect = Effect::RetryAccess {
            address: address.term.clone(),
            length,
            object: info.object,
            window: None,
        };
        let guard = store.and(&is, &members.inside);
        Case::new(guard, effect, Decision::Object(info.object))
    };
    let all = (0..).zip(&members.objects);
    let accessed = all.filter(|(_, info)| !write || info.kind != ObjectKind::Constant);
    let mut cases: Vec<Case> = accessed.map(case).collect();
    add_wrong(step, state, members.wrong, length, &mut cases);
    Some(StepOutcome::Cases(cases))
}

/// Adds the cases in which an access is not inside of an object.
fn add_wrong(
    step: &StepContext<'_>,
    state: &State,
    wrong: Vec<(Term, WrongAddresses)>,
    length: u64,
    cases: &mut Vec<Case>,
) {
    for (number, (condition, wrong)) in (1..).zip(wrong) {
        let finding = match wrong {
            WrongAddresses::Fault(fault) => transition::fault_finding(step, state, &fault),
            WrongAddresses::Outside { objects, one } => Finding {
                kind: FindingKind::Pointer,
                message: outside_message(length, objects, &one),
                trace: transition::trace(step, state),
            },
        };
        let effect = Effect::Error(Box::new(finding));
        cases.push(Case::new(condition, effect, Decision::Case(number)));
    }
}

fn outside_message(length: u64, objects: usize, one: &ObjectInfo) -> String {
    let length = Bytes(length);
    match objects {
        1 => format!("access of {length} that may be outside of the {one}"),
        _ => format!(
            "access of {length} that may be outside of the object that the pointer points to, one of {objects}"
        ),
    }
}
