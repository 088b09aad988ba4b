//! The end of a path: its test, what is written of it, and whether the concrete machine agrees.

use crate::calls::machine_code;
use crate::calls::system;
use crate::explore::test_rerun::{Mismatch, RerunVerdict, Skip, TestRerun};
use crate::features::feature::Moment;
use crate::features::moments;
use crate::finding::{Finding, Outcome};
use crate::merge::WentBy;
use crate::omission::Omission;
use crate::path::decisions::LoggedDecision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::path::tree::{Explored, NodeId};
use crate::report::TestCase;
use crate::values::address_places;
use cairn_expr::{Model, Term};
use cairn_solver::Facts;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// A state's path is over.
pub(crate) fn finish(step: &mut StepContext<'_>, mut state: Box<State>, outcome: &Outcome) {
    address_places::note_new_uses(step, &mut state);
    let ends = matches!(
        outcome,
        Outcome::Exit(_) | Outcome::Signal(_) | Outcome::Silent
    );
    if ends && state.is_replayed() && !state.guide.given {
        // It went another way than the path that it stands for, which is lost.
        step.shared
            .note_bug("a path that was run again ended before its decisions were used up");
    }
    let model = Rc::clone(&state.domain.model);
    let node = state.node;
    moments::note_left_out(step, &state);
    ended(step, &state, node, outcome, &model, None);
    drop(state);
    moments::end_node(step, node, explored(outcome));
}

/// How a program ends under a model that lost these objects: one is the path's error, the others are reported.
pub(crate) fn program_end(
    step: &StepContext<'_>,
    state: &State,
    model: &Model,
    code: i32,
    lost: Vec<Finding>,
) -> Outcome {
    let mut lost = lost.into_iter();
    let Some(first) = lost.next() else {
        return Outcome::Exit(code);
    };
    for other in lost {
        step.shared.also_found(other, || test_case(state, model));
    }
    Outcome::Error(first)
}

/// Whether a path that ended like this was followed to its end.
pub(crate) fn explored(outcome: &Outcome) -> Explored {
    match outcome {
        Outcome::Exit(_)
        | Outcome::Signal(_)
        | Outcome::Silent
        | Outcome::Contradiction
        | Outcome::Subsumed(_) => Explored::Wholly,
        // What it could do is explored from where another node is.
        Outcome::Merged => Explored::Partly,
        Outcome::Error(finding) if finding.kind.is_unsupported() => Explored::Partly,
        Outcome::Error(_) => Explored::Wholly,
        Outcome::Stopped(_) | Outcome::Unsupported(_) => Explored::Partly,
    }
}

/// Ends a path that an operation keeps from going on, which is a bug in Cairn.
pub(crate) fn finish_stalled(step: &mut StepContext<'_>, state: Box<State>) {
    let place = transition::trace(step, &state)
        .first()
        .map(|(_, place)| *place);
    let place = place.map_or_else(
        || "an unknown place".to_string(),
        |p| machine_code::place_text(step, p),
    );
    let what = format!("{place}: an operation is run again for ever");
    step.shared.note_bug(&what);
    finish(step, state, &Outcome::Stopped(Omission::Bug(what)));
}

/// A path ended under a model, after a last decision if it has no state of its own.
pub(crate) fn ended(
    step: &mut StepContext<'_>,
    state: &State,
    node: NodeId,
    outcome: &Outcome,
    model: &Rc<Model>,
    last: Option<(&Term, LoggedDecision)>,
) {
    moments::announce(step, || Moment::Ended {
        node,
        state,
        outcome,
    });
    if !matches!(outcome, Outcome::Merged) {
        step.merger.note_gone(state, WentBy::End);
    }
    if let Outcome::Stopped(omission) = outcome {
        step.shared.leave_out(omission.clone());
    }
    if state.domain.origins.was_told_hidden() {
        step.shared.told_hidden.store(true, Ordering::Relaxed);
    }
    record(step, state, outcome, model, last);
}

/// Writes a test of a state that goes on as one with others.
pub(crate) fn write_test(step: &mut StepContext<'_>, state: &State, outcome: &Outcome) {
    let model = Rc::clone(&state.domain.model);
    record(step, state, outcome, &model, None);
}

/// Counts how a path ended, and hands out its test if it gets one.
fn record(
    step: &mut StepContext<'_>,
    state: &State,
    outcome: &Outcome,
    model: &Rc<Model>,
    last: Option<(&Term, LoggedDecision)>,
) {
    let covered_new = state.domain.covered_new;
    let last_guard = last.map(|(guard, _)| guard.clone());
    let facts = match last_guard {
        Some(guard) => state.facts.with(guard),
        None => state.facts.clone(),
    };
    let preferred = preferred_model(step, state, &facts, model);
    let exit = match (outcome, &state.returned) {
        (Outcome::Exit(_), Some(term)) => {
            Some(Outcome::Exit(transition::exit_code(step, &preferred, term)))
        }
        (_, Some(_) | None) => None,
    };
    let located = machine_code::located(step, outcome);
    let outcome = exit.as_ref().or(located.as_ref()).unwrap_or(outcome);
    let unsupported = unsupported(step, outcome);
    let outcome = unsupported.as_ref().unwrap_or(outcome);
    let shared = step.shared;
    let positions = match outcome {
        Outcome::Error(_) => state.thread.positions(),
        _ => Vec::new(),
    };
    let handed_out = shared.path_ended(step.counters(), outcome, &positions, covered_new, || {
        TestCase {
            constraints: shared.observer.wants_constraints().then(|| facts.to_vec()),
            // Those of a merged state are of one of its paths, and its lines of all.
            decisions: (shared.observer.wants_decisions() && !state.groups.is_merged()).then(
                || {
                    let mut steps = state.decisions.to_vec();
                    steps.extend(last.map(|(_, step)| step));
                    steps
                },
            ),
            lines: (shared.observer.wants_lines() && !state.groups.is_merged()).then(|| {
                state
                    .trail
                    .lines(&shared.program_now(), &shared.cover_now())
            }),
            state: state.number,
            printed: system::printed(step, state, &preferred),
            hidden: {
                let origins = &state.domain.origins;
                origins.depends_on_hidden(facts.iter().chain(&state.returned))
            },
            ..test_case(state, &preferred)
        }
    });
    if let Some((number, test)) = handed_out {
        rerun_test(step, number, &test, outcome, state.thread.executed);
    }
}

/// What Cairn does not support is no error of the program, unless the run was told to report it as
/// one.
fn unsupported(step: &StepContext<'_>, outcome: &Outcome) -> Option<Outcome> {
    match outcome {
        Outcome::Error(finding)
            if finding.kind.is_unsupported() && !step.shared.config.unsupported_are_errors =>
        {
            Some(Outcome::Unsupported(finding.clone()))
        }
        Outcome::Error(_)
        | Outcome::Unsupported(_)
        | Outcome::Exit(_)
        | Outcome::Signal(_)
        | Outcome::Silent
        | Outcome::Stopped(_)
        | Outcome::Subsumed(_)
        | Outcome::Merged
        | Outcome::Contradiction => None,
    }
}

/// Runs a test on the concrete machine, if there is time for it, and compares.
fn rerun_test(
    step: &mut StepContext<'_>,
    number: u64,
    test: &TestCase,
    outcome: &Outcome,
    executed: u64,
) {
    let shared = step.shared;
    let test_rerun = &mut step.test_rerun;
    let verdict = step.check_budget.spend(|| {
        let code = shared.config.code.as_ref();
        // What a program grew by is not in an earlier copy of it.
        let small = |check: &TestRerun| code.is_some() && !check.is_of(&shared.program_now());
        if test_rerun.as_ref().is_some_and(small) {
            *test_rerun = None;
        }
        let check = test_rerun.get_or_insert_with(|| {
            let program = match code {
                Some(code) => code.whole(),
                None => std::sync::Arc::clone(&shared.program),
            };
            TestRerun::new(program, &shared.config)
                .expect("the worker has laid the same program out")
        });
        check.check(test, outcome, executed, &|| shared.over())
    });
    let counters = &shared.counters;
    match verdict {
        None | Some(RerunVerdict::Skipped(Skip::NoEnd | Skip::Interrupted)) => {}
        Some(RerunVerdict::Skipped(Skip::Hidden)) => {
            counters.not_compared.fetch_add(1, Ordering::Relaxed);
        }
        Some(RerunVerdict::Agree) => {
            counters.reruns.fetch_add(1, Ordering::Relaxed);
        }
        Some(RerunVerdict::Differ { expected, happened }) => {
            counters.reruns.fetch_add(1, Ordering::Relaxed);
            shared.note_mismatch(Mismatch {
                test: number,
                expected,
                happened,
            });
        }
    }
}

/// A model that also satisfies what the user would like, as far as that is possible.
fn preferred_model(
    step: &mut StepContext<'_>,
    state: &State,
    facts: &Facts,
    model: &Rc<Model>,
) -> Rc<Model> {
    if state.preferred.is_empty() {
        return Rc::clone(model);
    }
    let mut facts = facts.clone();
    let mut best = Rc::clone(model);
    for wish in &state.preferred {
        if step.cx.holds(&best, wish) {
            facts = facts.with(wish.clone());
            continue;
        }
        if let Some(better) = step.gate.look(&step.cx.store, &facts, wish) {
            best = better;
            facts = facts.with(wish.clone());
        }
    }
    best
}

/// The input of a path under a model.
pub(crate) fn test_case(state: &State, model: &Model) -> TestCase {
    let origins = &state.domain.origins;
    let objects = origins.inputs().map(|input| {
        let mut bytes = Vec::new();
        origins.bytes(input, model, &mut bytes);
        (Rc::clone(&input.name), bytes)
    });
    let told = state.library.system.as_ref().map(|system| system.told());
    let told = told.unwrap_or_default().iter().chain(&state.told);
    let told = told.map(|(name, bytes)| (Rc::from(*name), bytes.clone()));
    TestCase {
        objects: objects.chain(told).collect(),
        made_at: origins.inputs().map(|input| input.made_at).collect(),
        hidden: origins.depends_on_hidden(state.facts.iter().chain(&state.returned)),
        ..TestCase::default()
    }
}
