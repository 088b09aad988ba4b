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
//! of whose symbols are fixed is what it is under the model. A symbol whose set of values (`bytes.rs`) has one element is
//! a fixed input without being asked about.
//!
//! # Soundness
//!
//! Facts of a path only grow, so a fixed input stays one. The model satisfies the facts,
//! so it has the fixed inputs' values. A set of values has all that the facts about the symbol alone allow.
//!
//! # Cost
//!
//! One query after [`FIRST`] forced branches, and one after [`FACTOR`] times as many. For a guard on a few symbols a look at
//! their sets, up to the first symbol that is not fixed; where that is no use it is done more and more seldom.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::{ReasonKind, Verdict, Why, facts_alone};
use crate::path::cases::Feasibility;
use crate::path::state::State;
use cairn_expr::{PersistentMap, Sort, Support, Term, symbols_of};
use cairn_solver::Facts;
use std::rc::Rc;

/// After how many forced branches on a symbol it is asked about.
const FIRST: u32 = 8;
/// After how many times as many it is asked again.
const FACTOR: u32 = 8;

/// Symbols of the largest guard whose sets of values are looked at.
const LOOKED_AT: usize = 8;

/// The facts that leave a symbol one value.
#[derive(Clone)]
enum FixedBy {
    Facts(Rc<[Term]>),
    /// All that are about the symbol alone.
    ItsOwn,
}

/// What a path knows about its fixed inputs.
#[derive(Clone, Default)]
pub struct KnownInputs {
    /// Symbols that have one value, by their ids, which the path's facts keep alive.
    fixed: PersistentMap<FixedBy>,
    /// The facts at the last branch, its symbol, and how many there were without a new fact.
    facts: Facts,
    symbol: u32,
    forced: u32,
    /// How many there must be for the next question.
    next: u32,
}

impl KnownInputs {
    /// Whether none is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.fixed.is_empty()
    }

    fn has(&self, symbol: u32) -> bool {
        self.fixed.get(u64::from(symbol)).is_some()
    }

    fn fix(&mut self, symbol: u32, by: FixedBy) {
        self.fixed.insert(u64::from(symbol), by);
    }

    /// The facts of a path that fix all symbols of a term.
    pub(crate) fn because(&self, guard: &Term, path: &Facts) -> Rc<[Term]> {
        let Support::Keys(keys) = &guard.attributes().support else {
            return Rc::new([]);
        };
        let mut facts: Vec<Term> = Vec::new();
        for key in keys.iter() {
            let found = match self.fixed.get(u64::from(key.symbol)) {
                Some(FixedBy::Facts(found)) => found.to_vec(),
                Some(FixedBy::ItsOwn) => facts_alone(path, key.symbol),
                None => Vec::new(),
            };
            for fact in found {
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        }
        facts.into()
    }

    /// Notes which symbols of a guard have one value left by the facts about them alone, up to the first that has more;
    /// whether there is none such. `None` if finding out is not worth it yet.
    fn look_at_sets(
        &mut self,
        state: &State,
        guard: &Term,
        context: &mut Context<'_>,
    ) -> Option<bool> {
        let Support::Keys(keys) = &guard.attributes().support else {
            return Some(false);
        };
        let mut tables = std::mem::take(&mut context.gate.bytes);
        let mut found = Some(true);
        for key in keys.iter() {
            if self.has(key.symbol) {
                continue;
            }
            let bounds = |own: &Facts, symbol: &Term| {
                let gate = &mut context.gate;
                gate.enclosing_alone(context.cx, own, symbol)
            };
            let mut bytes = state.bytes.borrow_mut();
            found = match key.cell {
                None => bytes.has_one_value(state.facts(), key.symbol, &mut tables, bounds),
                Some(_) => Some(false),
            };
            if found != Some(true) {
                break;
            }
            self.fix(key.symbol, FixedBy::ItsOwn);
        }
        context.gate.bytes = tables;
        found
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

/// Most guards that are not looked at after one that was no use.
const MOST_SKIPPED: u32 = 1 << 10;

/// See the module's head.
#[derive(Default)]
pub struct FixedInputs {
    /// Guards on several symbols whose sets are not looked at now, and how many were left out the last time: twice as many
    /// each time that one had a symbol that is not fixed.
    skip: u32,
    skipped: u32,
}

impl FixedInputs {
    /// Looks at the sets of the symbols of a guard that is not decided by the inputs that are known to be fixed, if that
    /// has been worth it.
    fn look(
        &mut self,
        known: &mut KnownInputs,
        state: &State,
        guard: &Term,
        context: &mut Context<'_>,
    ) {
        let Support::Keys(keys) = &guard.attributes().support else {
            return;
        };
        if !(2..=LOOKED_AT).contains(&keys.len()) || known.all_fixed(guard) {
            return;
        }
        context.gate.bytes.save();
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        match known.look_at_sets(state, guard, context) {
            Some(true) => self.skipped /= 2,
            Some(false) => {
                self.skipped = (2 * self.skipped + 1).min(MOST_SKIPPED);
                self.skip = self.skipped;
            }
            None => {}
        }
    }
}

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
                    known.fix(key.symbol, FixedBy::Facts(core.facts.into()));
                }
            }
        }
        self.look(&mut known, state, &first.guard, context);
        if known.fixed.is_empty() {
            return;
        }
        let model = &state.domain.model;
        // The guards exclude each other: where one holds, the others do not.
        let mut taken = false;
        for case in cases.iter_mut() {
            if matches!(case.feasibility, Feasibility::Unknown) && known.all_fixed(&case.guard) {
                let holds = !taken && context.cx.holds(model, &case.guard);
                taken |= holds;
                case.feasibility = match holds {
                    true => Feasibility::Feasible(Rc::clone(model)),
                    false => {
                        context.gate.conclude(state.facts(), &case.guard, || {
                            Why::FixedInputs(known.because(&case.guard, state.facts()))
                        });
                        Feasibility::Infeasible(ReasonKind::FixedInputs)
                    }
                };
            }
        }
    }
}
