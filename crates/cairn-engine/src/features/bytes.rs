//! Branches on single bytes, decided by sets of values.
//!
//! # Problem
//!
//! Parsers compare one byte of input with many constants. Each comparison is a query
//! whose answer is a matter of 256 values.
//!
//! # Idea
//!
//! A path keeps, for each input byte, the set of values that the facts about that byte
//! alone allow: a fact that mentions one symbol of at most 8 bits is tried on all its values,
//! once per worker. A guard about one such symbol is then a test of two sets.
//!
//! # Soundness
//!
//! Every fact about the byte alone must hold, so a guard whose set does not meet
//! the path's is infeasible: UNSAT, whatever other facts say. If no other fact mentions the
//! byte, the set is exact, and changing the byte to one of its values keeps all other facts true
//! under the state's model: SAT, with that model. Otherwise this feature says nothing.
//!
//! - **Widths.** A symbol of up to 16 bits is tried too if its condition multiplies or divides: 65,536
//!   evaluations are some milliseconds, a query about a product may be minutes.
//!
//! # Cost
//!
//! 256 evaluations for each new guard, then a few words per branch.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::{ReasonKind, Why};
use crate::path::cases::Feasibility;
use cairn_expr::{
    BitVec, Evaluator, Model, Op, PersistentMap, PostOrder, Sort, Support, Term, Value, symbols_of,
};
use cairn_solver::Facts;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A set of values, a bit for each.
type Set = Rc<[u64]>;

/// The smallest value that is in both sets; a set that is not known has all values.
fn smallest_common(a: Option<&Set>, b: &Set) -> Option<u64> {
    let words = b.iter().enumerate().map(|(i, word)| match a {
        Some(a) => a[i] & word,
        None => *word,
    });
    let (i, word) = words.enumerate().find(|(_, word)| *word != 0)?;
    Some(64 * i as u64 + u64::from(word.trailing_zeros()))
}

/// What a path knows about one byte.
#[derive(Clone)]
struct Byte {
    /// The values that the facts about it alone allow; all, if there is none.
    set: Option<Set>,
    /// No other fact mentions it.
    alone: bool,
}

/// What a path knows about its bytes.
#[derive(Clone, Default)]
pub struct KnownBytes {
    /// The facts that were looked at.
    seen: Facts,
    /// By the symbol's id, which the path's facts keep alive.
    bytes: PersistentMap<Byte>,
    /// A fact mentions more symbols than are listed: no byte is alone.
    crowded: bool,
}

impl KnownBytes {
    /// What is known about a byte: at first that no fact mentions it.
    fn of(&self, symbol: u32) -> Byte {
        let known = self.bytes.get(u64::from(symbol));
        known.cloned().unwrap_or(Byte {
            set: None,
            alone: true,
        })
    }

    fn set(&mut self, symbol: u32, byte: Byte) {
        self.bytes.insert(u64::from(symbol), byte);
    }

    /// Looks at the facts that are new.
    fn absorb(&mut self, facts: &Facts, tables: &mut ByteTables) {
        if facts.same(&self.seen) {
            return;
        }
        let seen = self.seen.clone();
        for prefix in facts.prefixes().take_while(|prefix| !prefix.same(&seen)) {
            let Some(fact) = prefix.last() else { break };
            match (&tables.of(fact), &fact.attributes().support) {
                (Some(table), _) => {
                    let mut byte = self.of(table.symbol.id());
                    byte.set = Some(match &byte.set {
                        Some(set) => set.iter().zip(&*table.holds).map(|(a, b)| a & b).collect(),
                        None => Rc::clone(&table.holds),
                    });
                    self.set(table.symbol.id(), byte);
                }
                (None, Support::Keys(keys)) => {
                    for key in keys.iter() {
                        let byte = self.of(key.symbol);
                        if byte.alone {
                            let alone = false;
                            self.set(key.symbol, Byte { alone, ..byte });
                        }
                    }
                }
                (None, Support::Many) => self.crowded = true,
            }
        }
        self.seen = facts.clone();
    }
}

/// A condition on one byte.
struct Table {
    symbol: Term,
    /// The values under which it holds.
    holds: Set,
}

/// Conditions that were tried on all values.
#[derive(Default)]
pub(crate) struct ByteTables {
    known: FxHashMap<Term, Option<Rc<Table>>>,
    evaluator: Evaluator,
}

/// How many conditions are remembered.
const REMEMBERED: usize = 1 << 16;

impl ByteTables {
    /// The table of a condition, if it is about one byte.
    fn of(&mut self, condition: &Term) -> Option<Rc<Table>> {
        let one = match &condition.attributes().support {
            Support::Keys(keys) => keys.len() == 1 && keys[0].cell.is_none(),
            Support::Many => false,
        };
        if !one {
            return None;
        }
        if let Some(table) = self.known.get(condition) {
            return table.clone();
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let table = self.make(condition).map(Rc::new);
        self.known.insert(condition.clone(), table.clone());
        table
    }

    /// The byte that a condition is about, if the facts leave it no value under which that holds.
    pub(crate) fn refutes(
        &mut self,
        bytes: &RefCell<KnownBytes>,
        facts: &Facts,
        condition: &Term,
    ) -> Option<u32> {
        let table = self.of(condition)?;
        let mut bytes = bytes.borrow_mut();
        bytes.absorb(facts, self);
        let symbol = table.symbol.id();
        match smallest_common(bytes.of(symbol).set.as_ref(), &table.holds) {
            Some(_) => None,
            None => Some(symbol),
        }
    }

    fn make(&mut self, condition: &Term) -> Option<Table> {
        let symbols = symbols_of([condition]);
        let [symbol] = &symbols[..] else { return None };
        let width = match symbol.sort() {
            Sort::BitVec(width) if width <= 8 => width,
            Sort::BitVec(width) if width <= 16 && multiplies(condition) => width,
            Sort::BitVec(_) | Sort::Bool | Sort::Array { .. } => return None,
        };
        let mut holds = vec![0u64; (1usize << width).div_ceil(64)];
        let mut model = Model::new();
        for value in 0..1u64 << width {
            model.set(symbol.clone(), Value::Bv(BitVec::new(width, value)));
            self.evaluator.start();
            if self.evaluator.eval_bool(condition, &model) {
                holds[value as usize / 64] |= 1 << (value % 64);
            }
        }
        let symbol = symbol.clone();
        let holds = holds.into();
        Some(Table { symbol, holds })
    }
}

/// Whether a small term multiplies or divides.
fn multiplies(condition: &Term) -> bool {
    condition.attributes().tree_size <= LARGEST
        && PostOrder::new(condition).any(|term| {
            matches!(
                term.op(),
                Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod
            )
        })
}

/// Operators of the largest condition that is tried on more than a byte's values.
const LARGEST: u64 = 64;

/// See the module's head. The tables are the gate's, which looks at them for other questions too.
pub struct ByteSets;

impl Feature for ByteSets {
    fn name(&self) -> &'static str {
        "byte-sets"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        for i in 0..cases.len() {
            if !matches!(cases[i].feasibility, Feasibility::Unknown) {
                continue;
            }
            let Some(table) = context.gate.bytes.of(&cases[i].guard) else {
                continue;
            };
            let mut bytes = state.bytes.borrow_mut();
            bytes.absorb(state.facts(), &mut context.gate.bytes);
            let crowded = bytes.crowded;
            let byte = bytes.of(table.symbol.id());
            let model = &state.domain.model;
            let Some(value) = smallest_common(byte.set.as_ref(), &table.holds) else {
                context.gate.conclude(state.facts(), &cases[i].guard, || {
                    let symbol = table.symbol.id();
                    Why::NoValue { symbol }
                });
                cases[i].feasibility = Feasibility::Infeasible(ReasonKind::NoValue);
                continue;
            };
            if context.cx.holds(model, &cases[i].guard) {
                cases[i].feasibility = Feasibility::Feasible(Rc::clone(model));
            } else if byte.alone && !crowded {
                let mut changed = (**model).clone();
                let width = table.symbol.width();
                let value = BitVec::new(width, value);
                changed.set(table.symbol.clone(), Value::Bv(value));
                cases[i].feasibility = Feasibility::Feasible(Rc::new(changed));
            }
        }
    }
}
