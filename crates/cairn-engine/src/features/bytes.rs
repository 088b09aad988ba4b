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
//! - **Wider words.** The facts about a wider symbol alone may leave it fewer than [`WINDOW`] values next to each
//!   other. Their bounds are asked for under these facts and no others, and enclose all values that they allow; each
//!   of these facts is tried on all values between the bounds. So the set is what these facts allow, as for a byte.
//!   This is done for small guards that were met [`OFTEN`] times, and at most one table is made for each [`OFTEN`]
//!   guards that were met: before that a question costs less than the table.
//! - **Widths.** A symbol of up to 16 bits is tried too if its condition multiplies or divides: 65,536
//!   evaluations are some milliseconds, a query about a product may be minutes.
//!
//! # Cost
//!
//! For each new guard as many evaluations as the byte has values or the word may have left, at most 256; then a few words
//! per branch.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::{Gate, ReasonKind, Why};
use crate::path::cases::Feasibility;
use crate::values::worker_context::WorkerContext;
use cairn_expr::{
    BitVec, Evaluator, Model, Op, PersistentMap, PostOrder, Sort, Support, Term, Value, symbols_of,
};
use cairn_solver::{Bounds, Facts};
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

/// How many values next to each other a word may have left to be tried on all of them.
const WINDOW: u64 = 256;

/// How often a guard on a wider word is met before it is tried on all values.
const OFTEN: u32 = 64;

/// From so many facts about a word alone on its bounds are not asked for: each would be looked at.
const FEW: usize = 16;

/// So many facts that were not looked at yet are too many to be looked at for one word.
const MANY: usize = 128;

/// What a path knows about one byte, or about one wider word.
#[derive(Clone)]
struct Byte {
    /// The values that the facts about it alone allow; all, if there is none. Of a wider word: those from the
    /// beginning of its window on that the first of these facts allow.
    set: Option<Set>,
    /// No other fact mentions it.
    alone: bool,
    /// The facts about a wider word alone.
    facts: Facts,
    /// How many of them the set is of.
    tried: usize,
    window: ValuesLeft,
}

/// Which values a wider word has left.
#[derive(Clone, Copy, PartialEq)]
enum ValuesLeft {
    NotAsked,
    /// Too many, or they are not known.
    Wide,
    /// At most [`WINDOW`]: so many, from this one on.
    From(u64, u64),
}

/// What is left of a byte or word where a guard on it holds.
struct ValueLeft {
    symbol: Term,
    /// The smallest value.
    value: Option<u64>,
    /// No other fact mentions it, so that the value goes with those that all other symbols have.
    exact: bool,
}

/// What a path knows about its bytes.
#[derive(Clone, Default)]
pub struct KnownBytes {
    /// The facts that were looked at.
    seen_facts: Facts,
    /// By the symbol's id, which the path's facts keep alive.
    bytes: PersistentMap<Byte>,
    /// A fact mentions more symbols than are listed: no byte is alone.
    crowded: bool,
}

impl KnownBytes {
    /// Whether no fact was looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.seen_facts.is_empty()
    }

    /// What is known about a byte: at first that no fact mentions it.
    fn of(&self, symbol: u32) -> Byte {
        let known = self.bytes.get(u64::from(symbol));
        known.cloned().unwrap_or(Byte {
            set: None,
            alone: true,
            facts: Facts::new(),
            tried: 0,
            window: ValuesLeft::NotAsked,
        })
    }

    fn set(&mut self, symbol: u32, byte: Byte) {
        self.bytes.insert(u64::from(symbol), byte);
    }

    /// Looks at the facts that are new.
    fn absorb(&mut self, facts: &Facts, tables: &mut ByteTables) {
        if facts.same(&self.seen_facts) {
            return;
        }
        let seen = self.seen_facts.clone();
        let mut new: Vec<(u32, &Term)> = Vec::new();
        for prefix in facts.prefixes().take_while(|prefix| !prefix.same(&seen)) {
            let Some(fact) = prefix.last() else { break };
            match (tables.about(fact), &fact.attributes().support) {
                (About::Byte(table), _) => {
                    let mut byte = self.of(table.symbol.id());
                    byte.set = Some(match &byte.set {
                        Some(set) => intersection(set, &table.holds),
                        None => Rc::clone(&table.holds),
                    });
                    self.set(table.symbol.id(), byte);
                }
                (About::Word(symbol), _) => new.push((symbol.id(), fact)),
                (About::Others, Support::Keys(keys)) => {
                    for key in keys.iter() {
                        let byte = self.of(key.symbol);
                        if byte.alone {
                            let alone = false;
                            self.set(key.symbol, Byte { alone, ..byte });
                        }
                    }
                }
                (About::Others, Support::Many) => self.crowded = true,
            }
        }
        for (symbol, fact) in new.into_iter().rev() {
            let mut byte = self.of(symbol);
            byte.facts = byte.facts.with(fact.clone());
            self.set(symbol, byte);
        }
        self.seen_facts = facts.clone();
    }

    /// Asks which values a wider word has left, if that is not known. `None` if it is not worth it yet.
    fn window_of(
        &mut self,
        byte: &mut Byte,
        symbol: &Term,
        tables: &mut ByteTables,
        bounds: impl FnOnce(&Facts, &Term) -> Option<Bounds>,
    ) -> Option<ValuesLeft> {
        if byte.window == ValuesLeft::NotAsked {
            byte.window = match byte.facts.len() > FEW {
                true => ValuesLeft::Wide,
                false => tables.window(&byte.facts, symbol, bounds)?,
            };
            self.set(symbol.id(), byte.clone());
        }
        Some(byte.window)
    }

    /// Tries the facts about a wider word alone that were not tried yet on the values of its window. `None` if that is not
    /// worth it yet.
    fn try_own(
        &mut self,
        byte: &mut Byte,
        symbol: &Term,
        window: (u64, u64),
        tables: &mut ByteTables,
    ) -> Option<()> {
        if byte.tried == byte.facts.len() {
            return Some(());
        }
        for fact in byte.facts.iter().take(byte.facts.len() - byte.tried) {
            let table = tables.from(fact, symbol, window)?;
            byte.set = Some(match &byte.set {
                Some(set) => intersection(set, &table.holds),
                None => Rc::clone(&table.holds),
            });
        }
        byte.tried = byte.facts.len();
        self.set(symbol.id(), byte.clone());
        Some(())
    }

    /// Whether the facts about a symbol alone leave it one value; not, if they are too many. `None` if finding out is not
    /// worth it yet. `bounds`: those of a symbol under a list of facts.
    pub(crate) fn has_one_value(
        &mut self,
        facts: &Facts,
        symbol: u32,
        tables: &mut ByteTables,
        bounds: impl FnOnce(&Facts, &Term) -> Option<Bounds>,
    ) -> Option<bool> {
        if facts.len().saturating_sub(self.seen_facts.len()) > MANY {
            return Some(false);
        }
        self.absorb(facts, tables);
        let mut byte = self.of(symbol);
        if let Some(fact) = byte.facts.last().cloned()
            && let About::Word(symbol) = tables.about(&fact)
        {
            match self.window_of(&mut byte, &symbol, tables, bounds)? {
                ValuesLeft::From(_, 1) => return Some(true),
                ValuesLeft::From(start, count) => {
                    self.try_own(&mut byte, &symbol, (start, count), tables)?;
                }
                ValuesLeft::Wide | ValuesLeft::NotAsked => return Some(false),
            }
        }
        let mut left = 0;
        for word in byte.set.iter().flat_map(|set| set.iter()) {
            left += word.count_ones();
            if left > 1 {
                return Some(false);
            }
        }
        Some(left == 1)
    }

    /// What a guard leaves of the wider word that it is about, if that is known. `bounds`: those of a symbol under a
    /// list of facts.
    fn left_of_word(
        &mut self,
        facts: &Facts,
        guard: &Term,
        tables: &mut ByteTables,
        bounds: impl FnOnce(&Facts, &Term) -> Option<Bounds>,
    ) -> Option<ValueLeft> {
        let About::Word(symbol) = tables.about(guard) else {
            return None;
        };
        let id = symbol.id();
        let byte = self.of(id);
        let many = facts.len().saturating_sub(self.seen_facts.len()) > MANY;
        if byte.window == ValuesLeft::NotAsked && many {
            // Looking at all of them would cost more than it is worth.
            let window = ValuesLeft::Wide;
            self.set(id, Byte { window, ..byte });
            return None;
        }
        if byte.window == ValuesLeft::Wide {
            return None;
        }
        self.absorb(facts, tables);
        let mut byte = self.of(id);
        if byte.facts.is_empty() {
            return None;
        }
        let window = self.window_of(&mut byte, &symbol, tables, bounds)?;
        let ValuesLeft::From(start, count) = window else {
            return None;
        };
        self.try_own(&mut byte, &symbol, (start, count), tables)?;
        let table = tables.from(guard, &symbol, (start, count))?;
        let value = smallest_common(byte.set.as_ref(), &table.holds);
        Some(ValueLeft {
            symbol,
            value: value.map(|place| start + place),
            exact: byte.alone && !self.crowded,
        })
    }
}

/// The values that are in both sets.
fn intersection(a: &Set, b: &Set) -> Set {
    a.iter().zip(&**b).map(|(a, b)| a & b).collect()
}

/// A condition on one byte.
struct Table {
    symbol: Term,
    /// The values under which it holds.
    holds: Set,
}

/// What a condition is about.
#[derive(Clone)]
enum About {
    /// One byte, or one word that is tried like a byte.
    Byte(Rc<Table>),
    /// One wider word, and small enough to be tried.
    Word(Term),
    /// Anything else.
    Others,
}

/// Conditions that were tried on all values.
#[derive(Default)]
pub(crate) struct ByteTables {
    known: FxHashMap<Term, About>,
    /// Conditions on wider words, tried on so many values from a value on.
    words: FxHashMap<(Term, (u64, u64)), Rc<Table>>,
    /// What facts about one wider word leave it.
    windows: FxHashMap<Vec<Term>, ValuesLeft>,
    /// How often guards on wider words were met.
    met: FxHashMap<Term, u32>,
    /// How many such guards were met that no table was made for yet.
    saved: u32,
    evaluator: Evaluator,
}

/// How many conditions are remembered.
const REMEMBERED: usize = 1 << 16;

impl ByteTables {
    /// What a condition is about; a byte with its table.
    fn about(&mut self, condition: &Term) -> About {
        let one = match &condition.attributes().support {
            Support::Keys(keys) => keys.len() == 1 && keys[0].cell.is_none(),
            Support::Many => false,
        };
        if !one {
            return About::Others;
        }
        if let Some(about) = self.known.get(condition) {
            return about.clone();
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let about = self.make(condition);
        self.known.insert(condition.clone(), about.clone());
        about
    }

    /// Which values some facts about a word leave it, if that is known or worth to be asked.
    fn window(
        &mut self,
        own: &Facts,
        symbol: &Term,
        bounds: impl FnOnce(&Facts, &Term) -> Option<Bounds>,
    ) -> Option<ValuesLeft> {
        let facts = own.to_vec();
        if let Some(window) = self.windows.get(&facts) {
            return Some(*window);
        }
        self.pay()?;
        if self.windows.len() >= REMEMBERED {
            self.windows.clear();
        }
        let window = match bounds(own, symbol) {
            Some(found) if found.min.width() <= 64 => {
                let (min, max) = (found.min.low_u64(), found.max.low_u64());
                match max.checked_sub(min) {
                    Some(more) if more < WINDOW => ValuesLeft::From(min, more + 1),
                    Some(_) | None => ValuesLeft::Wide,
                }
            }
            Some(_) | None => ValuesLeft::Wide,
        };
        self.windows.insert(facts, window);
        Some(window)
    }

    /// Counts a guard on several symbols that may be worth a question for bounds.
    pub(crate) fn save(&mut self) {
        self.saved = self.saved.saturating_add(1);
    }

    /// Takes the price of a table, or of a question for bounds, from what was saved.
    fn pay(&mut self) -> Option<()> {
        self.saved = self.saved.checked_sub(OFTEN)?;
        Some(())
    }

    /// Counts a guard; whether it was met so often that a table of it pays.
    fn is_met_often(&mut self, guard: &Term) -> bool {
        if self.met.len() >= REMEMBERED {
            self.met.clear();
        }
        let met = self.met.entry(guard.clone()).or_default();
        *met = met.saturating_add(1);
        self.saved = self.saved.saturating_add(1);
        *met > OFTEN
    }

    /// The byte that a condition is about, if the facts leave it no value under which that holds.
    pub(crate) fn refutes(
        &mut self,
        bytes: &RefCell<KnownBytes>,
        facts: &Facts,
        condition: &Term,
    ) -> Option<u32> {
        let About::Byte(table) = self.about(condition) else {
            return None;
        };
        let mut bytes = bytes.borrow_mut();
        bytes.absorb(facts, self);
        let symbol = table.symbol.id();
        match smallest_common(bytes.of(symbol).set.as_ref(), &table.holds) {
            Some(_) => None,
            None => Some(symbol),
        }
    }

    fn make(&mut self, condition: &Term) -> About {
        let symbols = symbols_of([condition]);
        let [symbol] = &symbols[..] else {
            return About::Others;
        };
        let values = match symbol.sort() {
            Sort::BitVec(width) if width <= 8 => 1 << width,
            Sort::BitVec(width) if width <= 16 && multiplies(condition) => 1 << width,
            Sort::BitVec(17..=64) if condition.attributes().tree_size <= LARGEST => {
                return About::Word(symbol.clone());
            }
            Sort::BitVec(_) | Sort::Bool | Sort::Array { .. } => return About::Others,
        };
        About::Byte(Rc::new(self.table(condition, symbol, 0, values)))
    }

    /// The table of a condition on a wider word for the values of a window, if there is one or it is worth to be made.
    fn from(&mut self, condition: &Term, symbol: &Term, window: (u64, u64)) -> Option<Rc<Table>> {
        let key = (condition.clone(), window);
        if let Some(table) = self.words.get(&key) {
            return Some(Rc::clone(table));
        }
        self.pay()?;
        if self.words.len() >= REMEMBERED {
            self.words.clear();
        }
        let table = Rc::new(self.table(condition, symbol, window.0, window.1));
        self.words.insert(key, Rc::clone(&table));
        Some(table)
    }

    /// For each of some values from `start` on whether a condition holds; values that the symbol does not have do not
    /// count.
    fn table(&mut self, condition: &Term, symbol: &Term, start: u64, values: u64) -> Table {
        let width = symbol.width();
        let mut holds = vec![0u64; (values as usize).div_ceil(64)];
        let mut model = Model::new();
        for place in 0..values {
            let Some(value) = start.checked_add(place).filter(|v| v >> (width - 1) <= 1) else {
                break;
            };
            model.set(symbol.clone(), Value::Bv(BitVec::new(width, value)));
            self.evaluator.start();
            if self.evaluator.eval_bool(condition, &model) {
                holds[place as usize / 64] |= 1 << (place % 64);
            }
        }
        let symbol = symbol.clone();
        let holds = holds.into();
        Table { symbol, holds }
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

/// Operators of the largest condition that is tried on more than a byte's values, or on some of a word's.
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
            let guard = &cases[i].guard;
            let mut bytes = state.bytes.borrow_mut();
            let Some(left) =
                values_left(&mut bytes, state.facts(), guard, context.cx, context.gate)
            else {
                continue;
            };
            let model = &state.domain.model;
            let Some(value) = left.value else {
                context.gate.conclude(state.facts(), guard, || {
                    let symbol = left.symbol.id();
                    Why::NoValue { symbol }
                });
                cases[i].feasibility = Feasibility::Infeasible(ReasonKind::NoValue);
                continue;
            };
            if context.cx.holds(model, guard) {
                cases[i].feasibility = Feasibility::Feasible(Rc::clone(model));
            } else if left.exact {
                let mut changed = (**model).clone();
                let value = BitVec::new(left.symbol.width(), value);
                changed.set(left.symbol, Value::Bv(value));
                cases[i].feasibility = Feasibility::Feasible(Rc::new(changed));
            }
        }
    }
}

/// What a guard on a byte leaves of it, or one on a wider word that was met often.
fn values_left(
    bytes: &mut KnownBytes,
    facts: &Facts,
    guard: &Term,
    cx: &WorkerContext,
    gate: &mut Gate,
) -> Option<ValueLeft> {
    match gate.bytes.about(guard) {
        About::Byte(table) => {
            bytes.absorb(facts, &mut gate.bytes);
            let byte = bytes.of(table.symbol.id());
            Some(ValueLeft {
                symbol: table.symbol.clone(),
                value: smallest_common(byte.set.as_ref(), &table.holds),
                exact: byte.alone && !bytes.crowded,
            })
        }
        About::Word(_) if gate.bytes.is_met_often(guard) => {
            let mut tables = std::mem::take(&mut gate.bytes);
            let found = bytes.left_of_word(facts, guard, &mut tables, |own, symbol| {
                gate.enclosing_alone(cx, own, symbol)
            });
            gate.bytes = tables;
            found
        }
        About::Word(_) | About::Others => None,
    }
}

#[cfg(test)]
#[path = "bytes_tests.rs"]
mod tests;
