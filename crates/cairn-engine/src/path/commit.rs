//! Committing a step: the only place that forks and adds facts. The tree grows here from its root, which is there from the start
//! (`begin` in `explore/start.rs`); when nothing of it is left, `Worker::start` plants another for the next path.

use crate::calls::assumptions;
use crate::calls::descriptors::NEW_NUMBER;
use crate::calls::dispatch;
use crate::features::feature::Moment;
use crate::features::moments;
use crate::finding::Outcome;
use crate::gate::Round;
use crate::memory::sizes::Sizing;
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, Feasibility};
use crate::path::decided::Decided;
use crate::path::decisions::{Decision, LoggedDecision};
use crate::path::path_end;
use crate::path::state::{ReplayGuide, State};
use crate::path::step_context::StepContext;
use crate::path::tree::{Explored, NodeId};
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::{Model, Term};
use cairn_machine::AnyValue;
use cairn_solver::Facts;
use std::rc::Rc;

/// How a path came to know a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LearnedBy {
    /// It is the guard of the case that the path took.
    Decided,
    /// The program or the user said so.
    Assumed,
    /// A symbolic value was given one of its values.
    Chose,
}

/// Follows the cases that are left after all features had their say.
pub(crate) fn commit(
    step: &mut StepContext<'_>,
    mut state: Box<State>,
    mut cases: Vec<Case>,
) -> Option<Box<State>> {
    moments::note_left_out(step, &state);
    let left = state.guide.decisions.len();
    if state.guide.is_replaying()
        && let Some(taken) = state.guide.decisions.pop_front()
    {
        let mut next = follow(step, state, cases, taken);
        if let Some(state) = &mut next {
            state.guide.pass_with(left);
        }
        return next;
    }
    if state.guide.given
        && let Err(why) = keep_given(&mut state.guide, &mut cases)
    {
        path_end::finish(step, state, &Outcome::Stopped(Omission::GivenPath(why)));
        return None;
    }
    step.gate.limit_work(state.round);
    moments::announce_pending(step, &state, &mut cases);
    // Each case waits by itself.
    step.gate.take_too_hard();
    state.query_time += step.gate.take_spent();
    moments::announce_conclusions(step, &state);
    let sorted = sort_out(step, &state, cases);
    if state.guide.given && sorted.count() == 0 {
        let why = "the given path cannot be taken";
        path_end::finish(step, state, &Outcome::Stopped(Omission::GivenPath(why)));
        return None;
    }
    // A case that is postponed is counted when it turns out to be possible.
    let possible = sorted.ends.len() + sorted.live.len();
    if possible > 1 {
        count_fork(step, &mut state, possible as u64 - 1);
    }
    let next = go(step, state, sorted);
    // A wish about the test of an error may have taken too much work. It is not fulfilled then; the step is decided.
    step.gate.take_too_hard();
    next
}

/// The cases of a step that are not impossible.
struct SortedCases {
    /// Those that go on, each with a model.
    live: Vec<(Case, Rc<Model>)>,
    /// Those that wait for the solver.
    postponed: Vec<Case>,
    /// Those that end the path at once: they need no state of their own.
    ends: Vec<(Case, Rc<Model>)>,
    /// Every case that is in none of these lists is impossible: nothing is left out.
    others_impossible: bool,
}

impl SortedCases {
    fn count(&self) -> usize {
        self.live.len() + self.postponed.len() + self.ends.len()
    }
}

/// Sorts the cases of a step by what becomes of them; reports those that are cut.
fn sort_out(step: &mut StepContext<'_>, state: &State, cases: Vec<Case>) -> SortedCases {
    let mut sorted = SortedCases {
        live: Vec::with_capacity(cases.len()),
        postponed: Vec::new(),
        ends: Vec::new(),
        others_impossible: true,
    };
    for mut case in cases {
        match std::mem::replace(&mut case.feasibility, Feasibility::Unknown) {
            Feasibility::Feasible(model) => match case.effect {
                Effect::Error(_) | Effect::End { .. } => sorted.ends.push((case, model)),
                Effect::Proceed
                | Effect::GoTo(_)
                | Effect::Retry
                | Effect::RetryAccess { .. }
                | Effect::RetrySegment { .. }
                | Effect::RetryPointer { .. }
                | Effect::RetryKnowing { .. }
                | Effect::RetryAtMost { .. }
                | Effect::RetryNumber { .. }
                | Effect::RetryNowhere { .. }
                | Effect::RetryClass { .. }
                | Effect::RetryWithBytes { .. }
                | Effect::RetryChoosing { .. }
                | Effect::RetryChoosingNumber { .. }
                | Effect::ReturnValue { .. }
                | Effect::RetrySize { .. }
                | Effect::RetryWithSize { .. }
                | Effect::Call(_) => sorted.live.push((case, model)),
            },
            // The gate has the reason.
            Feasibility::Infeasible(_) => {}
            Feasibility::Excluded => {
                sorted.others_impossible = false;
                step.tree.mark_partial(state.node);
            }
            Feasibility::Postponed => sorted.postponed.push(case),
            Feasibility::Cut(omission) => {
                sorted.others_impossible = false;
                step.tree.mark_partial(state.node);
                note_cut(step, state, omission);
            }
            Feasibility::Unknown => unreachable!("every case was decided"),
        }
    }
    sorted
}

/// Makes a state for each case, and ends the path in those that are its end.
fn go(
    step: &mut StepContext<'_>,
    mut state: Box<State>,
    mut sorted: SortedCases,
) -> Option<Box<State>> {
    let all = sorted.count();
    let forked = all > 1;
    // A guard that follows from the facts is not added.
    let is_new = forked || !sorted.others_impossible;
    if all == 1
        && let Some((case, model)) = sorted.live.pop()
    {
        enter(step, &mut state, case, is_new, forked, model);
        return Some(state);
    }
    // Every case is a node of its own; those that end are done at once. They come last, so that the others
    // keep their order when they are done.
    let survivors = sorted.live.len();
    let with_states = survivors + sorted.postponed.len();
    let nodes = match all {
        0 | 1 => vec![state.node; all],
        all => step.tree.fork(state.node, all),
    };
    if forked {
        let (node, children) = (state.node, &nodes);
        moments::announce(step, || Moment::Forked { node, children });
    }
    for (case, &node) in sorted.postponed.into_iter().zip(&nodes[survivors..]) {
        state.decisions.share();
        let waiting = child_at(step, &state, node);
        step.postponed_cases.push((waiting, case));
    }
    for ((case, model), &node) in sorted.ends.into_iter().zip(&nodes[with_states..]) {
        end_at_once(step, &state, node, case, &model, forked);
    }
    let mut live = sorted.live.into_iter().zip(nodes);
    let Some(((first, first_model), first_node)) = live.next() else {
        if all == 0 {
            // Nothing is left of it, and what was cut is noted at its node.
            moments::end_node(step, state.node, Explored::Wholly);
        }
        return None;
    };
    if with_states == 1 {
        // Searchers know it as before: it has parted from no other state.
        state.node = first_node;
        enter(step, &mut state, first, is_new, forked, first_model);
        return Some(state);
    }
    state.decisions.share();
    let mut children = Vec::with_capacity(survivors - 1);
    for ((case, model), node) in live {
        let mut child = child_at(step, &state, node);
        enter(step, &mut child, case, true, forked, model);
        children.push(child);
    }
    state.node = first_node;
    state.parted_at = first_node;
    enter(step, &mut state, first, true, forked, first_model);
    step.forked_states = children;
    Some(state)
}

/// A case ends the path: it has a node and a test, but no state.
fn end_at_once(
    step: &mut StepContext<'_>,
    state: &State,
    node: NodeId,
    case: Case,
    model: &Rc<Model>,
    forked: bool,
) {
    let outcome = match case.effect {
        Effect::Error(finding) => Outcome::Error(*finding),
        Effect::End { code, lost } => path_end::program_end(step, state, model, code, lost),
        effect => unreachable!("{effect:?} goes on"),
    };
    let taken = LoggedDecision {
        decision: case.decision,
        forked,
    };
    let last = Some((&case.guard, taken));
    path_end::ended(step, state, node, &outcome, model, last);
    moments::end_node(step, node, path_end::explored(&outcome));
}

/// A copy of a state for another case of its step.
fn child_at(step: &mut StepContext<'_>, state: &State, node: NodeId) -> Box<State> {
    let mut child = Box::new(state.clone());
    child.node = node;
    child.parted_at = node;
    child.number = step.number_state();
    child.domain.covered_new = false;
    child
}

fn note_cut(step: &mut StepContext<'_>, state: &State, omission: Omission) {
    moments::announce(step, || Moment::Cut {
        state,
        omission: &omission,
    });
    step.shared.leave_out(omission);
    step.counters().stopped.add(1);
}

/// A case that had been postponed is not followed.
pub(crate) fn omit_postponed(step: &mut StepContext<'_>, state: Box<State>, omission: Omission) {
    note_cut(step, &state, omission);
    let node = state.node;
    drop(state);
    moments::end_node(step, node, Explored::Partly);
}

/// Takes a case that had been postponed, under a model of it. Other cases of its step were possible, or were postponed
/// too. Returns the state if its path goes on.
pub(crate) fn go_postponed(
    step: &mut StepContext<'_>,
    mut state: Box<State>,
    case: Case,
    model: Rc<Model>,
) -> Option<Box<State>> {
    count_fork(step, &mut state, 1);
    if let Effect::Error(_) | Effect::End { .. } = case.effect {
        let node = state.node;
        end_at_once(step, &state, node, case, &model, true);
        return None;
    }
    enter(step, &mut state, case, true, true, model);
    Some(state)
}

/// Adds a fact to a path: the only place that does.
pub(crate) fn learn(step: &mut StepContext<'_>, state: &mut State, fact: Term, how: LearnedBy) {
    match how {
        LearnedBy::Decided => {}
        LearnedBy::Assumed => {
            let (state, fact) = (&*state, &fact);
            moments::announce(step, || Moment::Assumed { state, fact });
        }
        LearnedBy::Chose => {
            let (state, fact) = (&*state, &fact);
            moments::announce(step, || Moment::Chose { state, fact });
        }
    }
    state.facts = state.facts.with(fact);
}

/// A state stands for several paths from now on: it knows what they have in common, and that it is one of them.
pub(crate) fn know_less(state: &mut State, facts: Facts) {
    state.facts = facts;
}

fn count_fork(step: &mut StepContext<'_>, state: &mut State, forks: u64) {
    step.forked += forks;
    state.depth += 1;
    let own = step.counters();
    own.forks.add(forks);
    own.max_depth.raise(u64::from(state.depth));
}

/// Takes the case of a decision that was taken before. Nothing is asked.
fn follow(
    step: &mut StepContext<'_>,
    mut state: Box<State>,
    cases: Vec<Case>,
    taken: LoggedDecision,
) -> Option<Box<State>> {
    let mut case = cases
        .into_iter()
        .find(|case| case.decision == taken.decision)
        .expect("a path that was taken can be taken again");
    // The feature that knows is not asked.
    case.on_seed = state.on_seed;
    // The other cases are explored elsewhere, if at all.
    step.tree.mark_partial(state.node);
    let model = Rc::clone(&state.domain.model);
    enter(step, &mut state, case, true, taken.forked, model);
    Some(state)
}

/// Runs the operation again, which now finds an answer that follows from a condition.
fn retry_with(state: &mut State, answer: Decided, because: &Term) {
    state.domain.remember_answer(answer, because);
    state.thread.retry();
}

/// Does what a case says.
fn enter(
    step: &mut StepContext<'_>,
    state: &mut State,
    case: Case,
    is_new: bool,
    forked: bool,
    model: Rc<Model>,
) {
    let Case {
        guard,
        effect,
        decision,
        feasibility: _,
        on_seed,
    } = case;
    let guard = &guard;
    state.round = Round::default();
    state.decisions.push(decision, forked);
    state.on_seed = on_seed;
    state.known.note(guard);
    if is_new {
        learn(step, state, guard.clone(), LearnedBy::Decided);
    }
    state.domain.model = model;
    match effect {
        Effect::Proceed => {}
        Effect::GoTo(position) => state.thread.go_to(position),
        Effect::Retry => state.thread.retry(),
        Effect::RetryAccess {
            address,
            length,
            object,
            window,
        } => {
            if let Some(window) = window {
                state.decisions.push(window.decision(), false);
                state.guide.pass_window();
            }
            let answer = Decided::Access {
                address,
                length,
                object,
                window,
            };
            retry_with(state, answer, guard);
        }
        Effect::RetrySegment {
            address,
            length,
            members,
            joined,
        } => {
            for object in joined.iter() {
                state.decisions.push(Decision::Member(*object), false);
            }
            state.guide.pass_members();
            if let Decision::Object(first) = decision {
                state.domain.segments.join(first, &joined);
            }
            let answer = Decided::Segment {
                address,
                length,
                members,
            };
            retry_with(state, answer, guard);
        }
        Effect::RetryPointer { address, value } => {
            state.domain.pointers.note(&address, value, guard);
            state.thread.retry();
        }
        Effect::RetryKnowing { condition } => {
            retry_with(state, Decided::Holds { condition }, guard);
        }
        Effect::RetrySize { request, sizing } => {
            let because = match sizing {
                Sizing::Within(most) => and_at_most(step, guard, &request.term, most),
                Sizing::Zero | Sizing::Large | Sizing::Refused => guard.clone(),
            };
            retry_with(state, Decided::Size { request, sizing }, &because);
        }
        Effect::RetryWithSize { object, known } => {
            state.domain.memory.set_known_size(object, known);
            state.domain.known_count += 1;
            state.thread.retry();
        }
        Effect::RetryAtMost {
            length,
            within,
            most,
        } => {
            let because = and_at_most(step, guard, &length, most);
            let answer = Decided::AtMost {
                length,
                within,
                most,
            };
            retry_with(state, answer, &because);
        }
        Effect::RetryNumber { term, value } => {
            retry_with(state, Decided::Number { term, value }, guard);
        }
        Effect::RetryChoosingNumber { term } => {
            let chosen = state.domain.choose(&term, NEW_NUMBER);
            let value = chosen.low_u64();
            let store = &step.cx.store;
            let because = store.eq(&term, &store.constant(chosen));
            let answer = Decided::Number { term, value };
            retry_with(state, answer, &because);
        }
        Effect::RetryNowhere { address, value } => {
            retry_with(state, Decided::Nowhere { address, value }, guard);
        }
        Effect::RetryClass {
            term,
            classes,
            range,
        } => {
            let answer = Decided::Class {
                term,
                classes,
                range,
            };
            retry_with(state, answer, guard);
        }
        Effect::RetryWithBytes { at, bytes } => {
            let written = state.domain.make_known(at, &bytes);
            written.expect("they were read there");
            state.thread.retry();
        }
        Effect::RetryChoosing { at, length } => {
            let chosen = dispatch::choose_bytes(state, at, length);
            chosen.expect("they were read there");
            state.thread.retry();
        }
        effect @ Effect::ReturnValue { .. } => answer(step, state, effect),
        Effect::Call(address) => {
            state.thread.set_callee(&step.table, Value::int(address));
            state.thread.retry();
        }
        Effect::Error(_) | Effect::End { .. } => unreachable!("these end before"),
    }
}

/// Returns from a call of the system with a value that is the same for all inputs of the case.
fn answer(step: &StepContext<'_>, state: &mut State, effect: Effect) {
    let Effect::ReturnValue {
        value,
        results,
        assumed: (asked, assumed),
    } = effect
    else {
        unreachable!("an answer");
    };
    for what in assumed {
        assumptions::note_assumed(step, state, asked, what);
    }
    // As after any call of the system.
    state.domain.forget_nowhere_and_classes();
    let answer = (0..results).map(|_| AnyValue::Value(Value::Word(value)));
    state.thread.answer(&step.table, answer.collect());
}

/// A guard, and that a number is at most what was found out; only if reasons are wanted.
fn and_at_most(step: &StepContext<'_>, guard: &Term, number: &Term, most: u64) -> Term {
    if !step.gate.wants_reasons() {
        return guard.clone();
    }
    let store = &step.cx.store;
    store.and(
        guard,
        &store.bv_ule(number, &number_like(store, number, most)),
    )
}

/// Leaves only the case that a given path takes, or says why there is none.
fn keep_given(guide: &mut ReplayGuide, cases: &mut [Case]) -> Result<(), &'static str> {
    let Some(given) = guide.decisions.pop_front() else {
        return Err("the given path ends before the program does");
    };
    if !cases.iter().any(|case| case.decision == given.decision) {
        return Err("the given path does not fit the program");
    }
    for case in cases {
        if case.decision != given.decision {
            case.feasibility = Feasibility::Excluded;
        }
    }
    Ok(())
}
