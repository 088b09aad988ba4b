//! All that a term can be on a path, class by class.
//!
//! # Problem
//!
//! An address may be in any object, a call may be to any function: the values of a term
//! fall into classes, each of which is one case.
//!
//! # Idea
//!
//! A model gives a value, its class becomes a case, and the class is left out of the next
//! question, until no value is left. What is in no class that matters is the remainder, one case; a part
//! of it that goes on differently is kept apart, as one case too.
//!
//! # Soundness
//!
//! The classes exclude each other. The part is all that was found of it, and the search
//! goes on until everything was. The remainder is that none of the others holds; if it
//! was refuted the gate has the reason. If the solver stops deciding, that is reported: if a member of the
//! remainder was found before, the remainder stays a feasible case and only the omission is noted; if none
//! was, the remainder is a case that is cut. If it stops only because the question took more work than it may now, the
//! whole step is taken again later (`explore/postponed.rs`), and the cases found so far are not used.
//!
//! # Cost
//!
//! A query for each class.

use super::{Verdict, Why};
use crate::memory::pointer_flow::values_by_form;
use crate::omission::{Omission, Question};
use crate::path::cases::{Case, Effect, Feasibility};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use cairn_expr::{Model, Term};
use cairn_solver::Facts;
use std::rc::Rc;

/// The class of a value.
pub(crate) enum ValueClass {
    /// It is a case of its own, whose guard is the class; cases are in order of these numbers.
    Case(Case, u64),
    /// It belongs to the remainder; so do all values of which this holds.
    Remainder(Term),
    /// It belongs to the part of the remainder that this decision is for; so do all values of which this
    /// holds.
    Apart(Term, Decision),
}

/// What was found of the part that is kept apart.
struct SeparatePart {
    feasibility: Feasibility,
    value: u64,
    decision: Decision,
    values: Vec<Term>,
}

/// What becomes of the values that are in no class of their own: for an access, that the address is in no object
/// is the case [`Decision::Case`] 0, and if the solver stops, what is not known is [`Question::Objects`].
pub(crate) struct RemainderSpec {
    /// The decision for it.
    pub decision: Decision,
    /// What is asked.
    pub question: Question,
}

/// What was found so far.
#[derive(Default)]
struct FoundClasses {
    cases: Vec<(u64, Case)>,
    /// A value of the remainder, and whether it can happen.
    other: Option<(Feasibility, u64)>,
    apart: Option<SeparatePart>,
}

/// Why the search ended before everything was found.
enum SearchEnd {
    Complete,
    /// The term's form says which values may be left.
    ByForm(Vec<u64>),
    /// The step is taken again.
    Postponed,
    Undecided(Omission),
}

impl FoundClasses {
    /// Adds the class of a value; which values it has.
    fn add(&mut self, class: ValueClass, value: u64, feasibility: Feasibility) -> Term {
        match class {
            ValueClass::Case(mut case, order) => {
                case.feasibility = feasibility;
                let guard = case.guard.clone();
                let is_new = |(_, known): &(u64, Case)| known.decision != case.decision;
                if self.cases.iter().all(is_new) {
                    self.cases.push((order, case));
                }
                guard
            }
            ValueClass::Remainder(values) => {
                self.other.get_or_insert((feasibility, value));
                values
            }
            ValueClass::Apart(values, decision) => {
                let part = self.apart.get_or_insert_with(|| SeparatePart {
                    feasibility,
                    value,
                    decision,
                    values: Vec::new(),
                });
                part.values.push(values.clone());
                values
            }
        }
    }
}

/// The cases of a term: a class for each of its values, and the remainder, whose effect is made from
/// the first value of it.
pub(crate) fn find_all(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    mut class: impl FnMut(&mut StepContext<'_>, &Facts, &Rc<Model>, u64) -> ValueClass,
    remainder: &RemainderSpec,
    effect: impl Fn(&StepContext<'_>, u64) -> Effect,
) -> Vec<Case> {
    let mut found = FoundClasses::default();
    let mut facts = state.facts().clone();
    let mut model = Rc::clone(&state.domain.model);
    let end = loop {
        let value = step.cx.value(&model, term);
        let value = value.to_u64().expect("a word");
        let class = class(step, &facts, &model, value);
        let values = found.add(class, value, Feasibility::Feasible(Rc::clone(&model)));
        let rest = step.cx.store.not(&values);
        if let Question::Objects = remainder.question {
            step.cx.count_resolution();
        }
        match step.gate.ask_under(&step.cx, state, &facts, &rest) {
            Verdict::Possible(next) => model = next,
            Verdict::Impossible(_) => break SearchEnd::Complete,
            Verdict::Undecided(reason) => {
                let question = remainder.question;
                break undecided(step, state, term, || Omission::undecided(question, &reason));
            }
        }
        facts = facts.with(rest);
    };
    if let SearchEnd::ByForm(values) = &end {
        for value in values {
            let class = class(step, state.facts(), &state.domain.model, *value);
            found.add(class, *value, Feasibility::Unknown);
        }
        // Each case waits by itself.
        step.gate.take_too_hard();
    }
    let FoundClasses {
        cases: mut found_cases,
        other,
        apart,
    } = found;
    found_cases.sort_by_key(|(order, _)| *order);
    let mut cases: Vec<Case> = found_cases.into_iter().map(|(_, case)| case).collect();
    let store = &step.cx.store;
    if let Some(part) = apart {
        let guard = store.or_all(&part.values);
        let mut case = Case::new(guard, effect(step, part.value), part.decision);
        case.feasibility = part.feasibility;
        cases.push(case);
    }
    let guards: Vec<Term> = cases.iter().map(|c| c.guard.clone()).collect();
    let none = store.not(&store.or_all(&guards));
    match (other, end) {
        (Some((feasibility, value)), end) => {
            let mut case = Case::new(none, effect(step, value), remainder.decision);
            case.feasibility = feasibility;
            cases.push(case);
            if let SearchEnd::Undecided(omission) = end {
                state.leave_out(step.shared, omission);
            }
        }
        (None, SearchEnd::Undecided(omission)) => {
            cases.push(Case::cut(none, omission, remainder.decision));
        }
        // It has no other value by its form.
        (None, SearchEnd::ByForm(_)) => {
            step.gate.conclude(state.facts(), &none, || Why::Bounds);
        }
        (None, SearchEnd::Complete | SearchEnd::Postponed) => {}
    }
    cases
}

/// How a search goes on that the solver did not decide.
fn undecided(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    omission: impl FnOnce() -> Omission,
) -> SearchEnd {
    if step.gate.is_run_over() {
        step.gate.put_off();
        return SearchEnd::Postponed;
    }
    // An object of symbolic size has another end under another model.
    let values = match state.domain.sizes.is_empty() {
        true => values_by_form(&state.domain, term),
        false => None,
    };
    match values {
        Some(values) => SearchEnd::ByForm(values),
        None if step.gate.too_hard() => SearchEnd::Postponed,
        None => SearchEnd::Undecided(omission()),
    }
}
