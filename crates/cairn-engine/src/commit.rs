//! Committing a step: the only place that forks, grows the tree and adds facts.

use crate::cases::{Case, Effect, Standing};
use crate::decisions::Step;
use crate::descriptors::NEW_NUMBER;
use crate::feature::Moment;
use crate::finding::Outcome;
use crate::omission::Omission;
use crate::settled::Answer;
use crate::sizes::Sizing;
use crate::state::{Guide, State};
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::{Model, Term};
use cairn_machine::Any;
use std::rc::Rc;

/// How a path came to know a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    /// It is the guard of the way that the path went.
    Decided,
    /// The program or the user said so.
    Assumed,
    /// A symbolic value was given one of its values.
    Chose,
}

impl Worker<'_> {
    /// Goes the ways that are left after all features had their say.
    pub(crate) fn commit(
        &mut self,
        mut state: Box<State>,
        mut cases: Vec<Case>,
    ) -> Option<Box<State>> {
        if state.guide.runs_again()
            && let Some(step) = state.guide.steps.pop_front()
        {
            return self.follow(state, cases, step);
        }
        if state.guide.given
            && let Err(why) = keep_given(&mut state.guide, &mut cases)
        {
            self.finish(state, &Outcome::Stopped(Omission::GivenPath(why)));
            return None;
        }
        self.announce_pending(&state, &mut cases);
        state.query_time += self.gate.take_spent();
        self.announce_conclusions(&state);
        // Errors end at once: they need no state of their own.
        let mut errors: Vec<(Case, Rc<Model>)> = Vec::new();
        let mut live: Vec<(Case, Rc<Model>)> = Vec::with_capacity(cases.len());
        let mut implied = true;
        for mut case in cases {
            match std::mem::replace(&mut case.standing, Standing::Open) {
                Standing::Feasible(model) => match case.effect {
                    Effect::Error(_) => errors.push((case, model)),
                    Effect::Proceed
                    | Effect::GoTo(_)
                    | Effect::Retry
                    | Effect::RetryAccess { .. }
                    | Effect::RetryPointer { .. }
                    | Effect::RetryAtMost { .. }
                    | Effect::RetryNumber { .. }
                    | Effect::RetryNowhere { .. }
                    | Effect::RetryKnowing { .. }
                    | Effect::RetryChoosing { .. }
                    | Effect::RetryChoosingNumber { .. }
                    | Effect::Answer { .. }
                    | Effect::RetrySize { .. }
                    | Effect::RetryKnown { .. }
                    | Effect::Call(_) => live.push((case, model)),
                },
                // The gate has the reason.
                Standing::Infeasible(_) => {}
                Standing::Elsewhere => implied = false,
                Standing::Cut(cut) => {
                    implied = false;
                    self.announce(|| Moment::Cut {
                        state: &state,
                        cut: &cut,
                    });
                    self.shared.leave_out(cut);
                    self.own().stopped.add(1);
                }
                Standing::Open => unreachable!("every case was decided"),
            }
        }
        if state.guide.given && errors.is_empty() && live.is_empty() {
            let why = "the given path cannot be taken";
            self.finish(state, &Outcome::Stopped(Omission::GivenPath(why)));
            return None;
        }
        let all = errors.len() + live.len();
        let forked = all > 1;
        if forked {
            self.count_fork(&mut state, all as u64 - 1);
        }
        implied &= all == 1;
        if all == 1
            && let Some((case, model)) = live.pop()
        {
            self.enter(&mut state, case, !implied, forked, model);
            return Some(state);
        }
        // Every way is a node of its own; the errors are done at once. They come last, so that the others
        // keep their order when they are gone.
        let survivors = live.len();
        let nodes = match all {
            0 | 1 => vec![state.node; all],
            all => self.tree.fork(state.node, all),
        };
        if forked {
            let (node, children) = (state.node, &nodes);
            self.announce(|| Moment::Forked { node, children });
        }
        for ((case, model), &node) in errors.into_iter().zip(&nodes[survivors..]) {
            if let Effect::Error(finding) = case.effect {
                let step = Step {
                    decision: case.decision,
                    forked,
                };
                let last = Some((&case.guard, step));
                self.ended(&state, node, &Outcome::Error(*finding), &model, last);
                self.end_node(node);
            }
        }
        let mut live = live.into_iter().zip(nodes);
        let Some(((first, first_model), first_node)) = live.next() else {
            if all == 0 {
                self.end_node(state.node);
            }
            return None;
        };
        if survivors == 1 {
            // Searchers know it as before: it has parted from no other state.
            state.node = first_node;
            self.enter(&mut state, first, !implied, forked, first_model);
            return Some(state);
        }
        state.decisions.share();
        let mut children = Vec::with_capacity(survivors - 1);
        for ((case, model), node) in live {
            let mut child = state.clone();
            child.node = node;
            child.parted_at = node;
            child.number = self.number_state();
            child.space.covered_new = false;
            self.enter(&mut child, case, true, forked, model);
            children.push(child);
        }
        state.node = first_node;
        state.parted_at = first_node;
        self.enter(&mut state, first, true, forked, first_model);
        self.adopt(children);
        Some(state)
    }

    /// Adds a fact to a path: the only place that does.
    pub(crate) fn learn(&mut self, state: &mut State, fact: Term, how: Learned) {
        match how {
            Learned::Decided => {}
            Learned::Assumed => {
                let (state, fact) = (&*state, &fact);
                self.announce(|| Moment::Assumed { state, fact });
            }
            Learned::Chose => {
                let (state, fact) = (&*state, &fact);
                self.announce(|| Moment::Chose { state, fact });
            }
        }
        state.facts = state.facts.with(fact);
    }

    fn count_fork(&mut self, state: &mut State, forks: u64) {
        self.forked += forks;
        state.depth += 1;
        let own = self.own();
        own.forks.add(forks);
        own.max_depth.raise(u64::from(state.depth));
    }

    /// Goes the way of a decision that was taken before, without asking.
    fn follow(
        &mut self,
        mut state: Box<State>,
        cases: Vec<Case>,
        step: Step,
    ) -> Option<Box<State>> {
        let mut case = cases
            .into_iter()
            .find(|case| case.decision == step.decision)
            .expect("a path that was taken can be taken again");
        // Nobody is asked who would know.
        case.on_seed = state.on_seed;
        let model = Rc::clone(&state.space.model);
        self.enter(&mut state, case, true, step.forked, model);
        Some(state)
    }

    /// Does what a case says.
    fn enter(
        &mut self,
        state: &mut State,
        way: Case,
        is_new: bool,
        forked: bool,
        model: Rc<Model>,
    ) {
        let Case {
            guard,
            effect,
            decision,
            standing: _,
            on_seed,
        } = way;
        let guard = &guard;
        state.decisions.push(decision, forked);
        state.on_seed = on_seed;
        if !state.known.has(guard) {
            state.known.note(guard);
        }
        if is_new {
            self.learn(state, guard.clone(), Learned::Decided);
        }
        state.space.model = model;
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
                let answer = Answer::Access {
                    address,
                    length,
                    object,
                    window,
                };
                state.space.settle(answer, guard);
                state.thread.retry();
            }
            Effect::RetryPointer { address, value } => {
                state.space.pointers.note(&address, value, guard);
                state.thread.retry();
            }
            Effect::RetrySize { request, sizing } => {
                let because = match sizing {
                    Sizing::Within(most) => self.and_at_most(guard, &request.term, most),
                    Sizing::Zero | Sizing::Large | Sizing::Refused => guard.clone(),
                };
                state
                    .space
                    .settle(Answer::Size { request, sizing }, &because);
                state.thread.retry();
            }
            Effect::RetryKnown { object, known } => {
                state.space.memory.set_known(object, known);
                state.space.made_known += 1;
                state.thread.retry();
            }
            Effect::RetryAtMost {
                length,
                within,
                most,
            } => {
                let because = self.and_at_most(guard, &length, most);
                let answer = Answer::AtMost {
                    length,
                    within,
                    most,
                };
                state.space.settle(answer, &because);
                state.thread.retry();
            }
            Effect::RetryNumber { term, value } => {
                state.space.settle(Answer::Number { term, value }, guard);
                state.thread.retry();
            }
            Effect::RetryChoosingNumber { term } => {
                let chosen = state.space.choose(&term, NEW_NUMBER);
                let value = chosen.low_u64();
                let store = &self.tools.store;
                let because = store.eq(&term, &store.constant(chosen));
                let answer = Answer::Number { term, value };
                state.space.settle(answer, &because);
                state.thread.retry();
            }
            Effect::RetryNowhere { address, value } => {
                state
                    .space
                    .settle(Answer::Nowhere { address, value }, guard);
                state.thread.retry();
            }
            Effect::RetryKnowing { at, bytes } => {
                let written = state.space.make_known(at, &bytes);
                written.expect("they were read there");
                state.thread.retry();
            }
            Effect::RetryChoosing { at, length } => {
                let chosen = self.choose_bytes(state, at, length);
                chosen.expect("they were read there");
                state.thread.retry();
            }
            Effect::Answer { value, results } => {
                let answer = (0..results).map(|_| Any::Value(Value::Word(value)));
                state.thread.answer(&self.table, answer.collect());
            }
            Effect::Call(address) => {
                state.thread.set_callee(&self.table, Value::int(address));
                state.thread.retry();
            }
            Effect::Error(_) => unreachable!("errors end before"),
        }
    }
}

impl Worker<'_> {
    /// A guard, and that a number is at most what was found out; only if somebody wants reasons.
    fn and_at_most(&self, guard: &Term, number: &Term, most: u64) -> Term {
        if !self.gate.wants_reasons() {
            return guard.clone();
        }
        let store = &self.tools.store;
        store.and(guard, &store.bv_ule(number, &store.bv(64, most)))
    }
}

/// Leaves only the way that a given path goes, or says why there is none.
fn keep_given(guide: &mut Guide, cases: &mut [Case]) -> Result<(), &'static str> {
    let Some(step) = guide.steps.pop_front() else {
        return Err("the given path ends before the program does");
    };
    if !cases.iter().any(|case| case.decision == step.decision) {
        return Err("the given path does not fit the program");
    }
    for case in cases {
        if case.decision != step.decision {
            case.standing = Standing::Elsewhere;
        }
    }
    Ok(())
}
