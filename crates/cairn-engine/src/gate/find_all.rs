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

use super::Verdict;
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
    model: Rc<Model>,
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

/// The cases of a term: a class for each of its values, and the remainder, whose effect is made from
/// the first model of it.
pub(crate) fn find_all(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    mut class: impl FnMut(&mut StepContext<'_>, &Facts, &Rc<Model>, u64) -> ValueClass,
    remainder: &RemainderSpec,
    effect: impl Fn(&StepContext<'_>, &Rc<Model>, u64) -> Effect,
) -> Vec<Case> {
    let mut found_cases: Vec<(u64, Case)> = Vec::new();
    let mut first_other: Option<(Rc<Model>, u64)> = None;
    let mut apart: Option<SeparatePart> = None;
    let mut undecided: Option<Omission> = None;
    let mut facts = state.facts().clone();
    let mut model = Rc::clone(&state.domain.model);
    loop {
        let value = step.cx.value(&model, term);
        let value = value.to_u64().expect("a word");
        let found = match class(step, &facts, &model, value) {
            ValueClass::Case(mut case, order) => {
                case.feasibility = Feasibility::Feasible(Rc::clone(&model));
                let guard = case.guard.clone();
                found_cases.push((order, case));
                guard
            }
            ValueClass::Remainder(values) => {
                first_other.get_or_insert((Rc::clone(&model), value));
                values
            }
            ValueClass::Apart(values, decision) => {
                let part = apart.get_or_insert_with(|| SeparatePart {
                    model: Rc::clone(&model),
                    value,
                    decision,
                    values: Vec::new(),
                });
                part.values.push(values.clone());
                values
            }
        };
        let rest = step.cx.store.not(&found);
        if let Question::Objects = remainder.question {
            step.cx.count_resolution();
        }
        match step.gate.ask_under(&step.cx, state, &facts, &rest) {
            Verdict::Possible(next) => model = next,
            Verdict::Impossible(_) => break,
            // The step is taken again with more work.
            Verdict::Undecided(_) if step.gate.too_hard() => break,
            Verdict::Undecided(reason) => {
                undecided = Some(Omission::undecided(remainder.question, &reason));
                break;
            }
        }
        facts = facts.with(rest);
    }
    found_cases.sort_by_key(|(order, _)| *order);
    let mut cases: Vec<Case> = found_cases.into_iter().map(|(_, case)| case).collect();
    let store = &step.cx.store;
    if let Some(part) = apart {
        let guard = store.or_all(&part.values);
        let effect = effect(step, &part.model, part.value);
        let mut case = Case::new(guard, effect, part.decision);
        case.feasibility = Feasibility::Feasible(part.model);
        cases.push(case);
    }
    let guards: Vec<Term> = cases.iter().map(|c| c.guard.clone()).collect();
    let none = store.not(&store.or_all(&guards));
    if let Some((model, value)) = first_other {
        let mut case = Case::new(none, effect(step, &model, value), remainder.decision);
        case.feasibility = Feasibility::Feasible(model);
        cases.push(case);
        if let Some(omission) = undecided {
            state.leave_out(step.shared, omission);
        }
    } else if let Some(omission) = undecided {
        cases.push(Case::cut(none, omission, remainder.decision));
    }
    cases
}
