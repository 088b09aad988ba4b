//! Inputs that a path has left one value only. An input is a symbol here; the objects of a test (`memory/origins.rs`) may consist of
//! many.
//!
//! # Problem
//!
//! `while (i < n)` leaves the path on which `n` is 4000, say. From there on every
//! branch on `n` is decided, and each is a query all the same.
//!
//! # Idea
//!
//! If branches on one symbol alone were forced several times in a row, it is asked once
//! whether the symbol can have another value than the model's. If not, it is a fixed input: a guard all
//! of whose symbols are fixed is what it is under the model.
//!
//! # Soundness
//!
//! Facts of a path only grow, so a fixed input stays one. The model satisfies the facts,
//! so it has the fixed inputs' values.
//!
//! # Cost
//!
//! One query after [`FIRST`] forced branches, and one after [`FACTOR`] times as many.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::{ReasonKind, Verdict, Why};
use crate::path::cases::Feasibility;
use cairn_expr::{Sort, Support, Term, symbols_of};
use cairn_solver::Facts;
use std::rc::Rc;

/// After how many forced branches on a symbol it is asked about.
const FIRST: u32 = 8;
/// After how many times as many it is asked again.
const FACTOR: u32 = 8;

/// A symbol that has one value on the path.
#[derive(Clone)]
struct FixedInput {
    /// Its id; the path's facts keep it alive.
    symbol: u32,
    /// The facts that leave it no other.
    because: Rc<[Term]>,
}

/// What a path knows about its fixed inputs.
#[derive(Clone, Default)]
pub struct KnownInputs {
    /// Symbols that have one value.
    fixed: Rc<Vec<FixedInput>>,
    /// The facts at the last branch, its symbol, and how many there were without a new fact.
    facts: Facts,
    symbol: u32,
    forced: u32,
    /// How many there must be for the next question.
    next: u32,
}

impl KnownInputs {
    fn has(&self, symbol: u32) -> bool {
        self.fixed.iter().any(|input| input.symbol == symbol)
    }

    /// The facts that fix all symbols of a term.
    pub(crate) fn because(&self, guard: &Term) -> Rc<[Term]> {
        let Support::Keys(keys) = &guard.attributes().support else {
            return Rc::new([]);
        };
        let of = |input: &&FixedInput| keys.iter().any(|key| key.symbol == input.symbol);
        let mut facts: Vec<Term> = Vec::new();
        for input in self.fixed.iter().filter(of) {
            for fact in input.because.iter() {
                if !facts.contains(fact) {
                    facts.push(fact.clone());
                }
            }
        }
        facts.into()
    }

    /// Whether all symbols of a term are fixed: it has the value that it has under the path's model.
    pub(crate) fn decide(&self, term: &Term) -> bool {
        !self.fixed.is_empty() && self.all_fixed(term)
    }

    fn all_fixed(&self, term: &Term) -> bool {
        match &term.attributes().support {
            Support::Keys(keys) => keys.iter().all(|k| self.has(k.symbol)),
            Support::Many => false,
        }
    }

    /// Counts a branch on one symbol; whether it is time to ask about it.
    fn count(&mut self, facts: &Facts, symbol: u32) -> bool {
        if symbol != self.symbol || !facts.same(&self.facts) {
            self.facts = facts.clone();
            self.symbol = symbol;
            self.forced = 0;
            self.next = FIRST;
        }
        self.forced += 1;
        let ask = self.forced == self.next;
        if ask {
            self.next = self.next.saturating_mul(FACTOR);
        }
        ask
    }
}

/// See the module's head.
pub struct FixedInputs;

impl Feature for FixedInputs {
    fn name(&self) -> &'static str {
        "fixed-inputs"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let mut known = state.fixed_inputs.borrow_mut();
        let Some(first) = cases
            .iter()
            .find(|c| matches!(c.feasibility, Feasibility::Unknown))
        else {
            return;
        };
        let Support::Keys(keys) = &first.guard.attributes().support else {
            return;
        };
        if let [key] = &keys[..]
            && key.cell.is_none()
            && !known.has(key.symbol)
            && known.count(state.facts(), key.symbol)
        {
            let symbols = symbols_of([&first.guard]);
            let symbol = symbols.iter().find(|s| s.id() == key.symbol);
            let store = &context.cx.store;
            if let Some(symbol) = symbol.filter(|s| matches!(s.sort(), Sort::BitVec(_))) {
                let value = context.cx.value(&state.domain.model, symbol);
                let other = store.not(&store.eq(symbol, &store.constant(value)));
                let facts = state.facts();
                let verdict = context.gate.ask_solver(context.cx, facts, &other);
                if let Verdict::Impossible(Why::Refuted(core)) = verdict {
                    Rc::make_mut(&mut known.fixed).push(FixedInput {
                        symbol: key.symbol,
                        because: core.facts.into(),
                    });
                }
            }
        }
        if known.fixed.is_empty() {
            return;
        }
        let model = &state.domain.model;
        for case in cases.iter_mut() {
            if matches!(case.feasibility, Feasibility::Unknown) && known.all_fixed(&case.guard) {
                case.feasibility = match context.cx.holds(model, &case.guard) {
                    true => Feasibility::Feasible(Rc::clone(model)),
                    false => {
                        context.gate.conclude(state.facts(), &case.guard, || {
                            Why::FixedInputs(known.because(&case.guard))
                        });
                        Feasibility::Infeasible(ReasonKind::FixedInputs)
                    }
                };
            }
        }
    }
}
