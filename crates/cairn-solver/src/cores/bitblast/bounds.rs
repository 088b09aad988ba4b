//! What the facts leave of each symbol, as sets of words.
//!
//! - **Problem.** That a size is below ten and above twenty takes a search over gates some
//!   conflicts, again in every query of the path, and linear facts over several symbols
//!   take thousands.
//! - **Idea.** Every symbol has a set of words (`ranges.rs`). A fact takes from the set of one of
//!   its symbols what it cannot be for any words of the others (`inverse.rs`); that is
//!   repeated for the facts of symbols whose sets became smaller. The sets belong to a path: facts
//!   that the next query does not have are taken back, new ones are added, the goal comes last. An
//!   empty set refutes the query.
//! - **Source.** Bounds propagation as in constraint programming.
//! - **Soundness.** Each set has all words that its symbol has in any model of the facts it came
//!   from; these are listed with it and are the core when it is empty. Only UNSAT is answered.
//! - **Cost.** A microsecond for each fact and symbol looked at. What creeps (x < y, y < x) is cut
//!   off: at most [`MOST_STEPS`] facts are looked at for each that is added.

use super::inverse::{View, solutions};
use super::ranges::Ranges;
use cairn_expr::{Op, Sort, Support, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Facts looked at for each that is added.
const MOST_STEPS: usize = 256;
/// Larger facts are not looked at.
const LARGEST: u64 = 64;
/// Facts with more symbols are not.
const MOST_SYMBOLS: usize = 8;
/// A set that comes from more facts is not kept.
const MOST_REASONS: usize = 200;
/// A set that loses less than this part of its range is not worth another look at its facts.
const SMALL_GAIN: u64 = 256;

type Reasons = SmallVec<[u32; 8]>;

struct Domain {
    symbol: Term,
    set: Ranges,
    /// Positions of the facts it came from, in order.
    reasons: Reasons,
    /// Positions of the facts that mention the symbol.
    facts: Vec<u32>,
}

/// How to take something back.
enum Undo {
    Set(u32, Ranges, Reasons),
    Mention(u32),
}

struct Fact {
    term: Term,
    symbols: SmallVec<[u32; 4]>,
    undo: usize,
}

/// The sets of a path; see the module's head.
#[derive(Default)]
pub struct Bounds {
    domains: FxHashMap<u32, Domain>,
    facts: Vec<Fact>,
    trail: Vec<Undo>,
    queue: VecDeque<u32>,
    /// The facts that contradict each other, once that is known, and how many there were then.
    refuted: Option<(usize, Reasons)>,
}

/// A symbol among sets.
struct Among<'a> {
    symbol: &'a Term,
    domains: &'a FxHashMap<u32, Domain>,
}

impl View for Among<'_> {
    fn width(&self) -> u32 {
        width(self.symbol)
    }

    fn is_variable(&mut self, term: &Term) -> bool {
        term == self.symbol
    }

    fn is_cell(&mut self, _: &Term, _: u64) -> bool {
        false
    }

    fn mentions(&mut self, term: &Term) -> bool {
        match &term.attributes().support {
            Support::Keys(keys) => keys.iter().any(|k| k.symbol == self.symbol.id()),
            Support::Many => true,
        }
    }

    fn values(&mut self, term: &Term) -> Option<Ranges> {
        self.of(term)
    }

    fn indices(&mut self, _: &Term, _: &Ranges) -> Option<Ranges> {
        None
    }
}

fn width(symbol: &Term) -> u32 {
    match symbol.sort() {
        Sort::Bool => 1,
        _ => symbol.width(),
    }
}

impl Among<'_> {
    /// The words a term can be; all if nothing better is known.
    fn of(&self, term: &Term) -> Option<Ranges> {
        let w = match term.sort() {
            Sort::Bool => 1,
            Sort::BitVec(w) if w <= 64 => w,
            Sort::BitVec(_) | Sort::Array { .. } => return None,
        };
        let all = || Ranges::full(w);
        let arg = |i: usize| self.of(term.arg(i));
        let found = match term.op() {
            Op::Bool(b) => Some(Ranges::point(1, u64::from(*b))),
            Op::Const(v) => Some(Ranges::point(w, v.low_u64())),
            Op::Base(base) => Some(Ranges::point(w, base.address)),
            Op::Symbol(_) => self.domains.get(&term.id()).map(|d| d.set.clone()),
            Op::BvAdd => arg(0).zip(arg(1)).and_then(|(a, b)| a.plus(&b)),
            Op::BvMul => arg(0)
                .zip(arg(1))
                .and_then(|(a, b)| match (a.as_point(), b.as_point()) {
                    (Some(k), _) => Some(b.times(k)),
                    (_, Some(k)) => Some(a.times(k)),
                    _ => None,
                }),
            Op::BvNot => arg(0).map(|a| a.inverted()),
            Op::BvNeg => arg(0).map(|a| a.negated()),
            Op::BvAnd => arg(0).zip(arg(1)).and_then(|(a, b)| {
                let most = a.max()?.min(b.max()?);
                Some(Ranges::range(w, 0, most))
            }),
            Op::ZeroExtend(n) => arg(0).map(|a| a.zero_extended(*n)),
            Op::SignExtend(n) => arg(0).and_then(|a| a.sign_extended(*n)),
            Op::Concat => arg(0)
                .zip(arg(1))
                .map(|(high, low)| high.concatenated(&low)),
            Op::Extract { lo, .. } => arg(0).map(|a| a.extracted(*lo, w)),
            Op::Ite => arg(1).zip(arg(2)).and_then(|(a, b)| a.union(&b)),
            _ => None,
        };
        Some(found.unwrap_or_else(all))
    }
}

impl Bounds {
    /// No facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is left of a symbol.
    pub fn of(&self, symbol: &Term) -> Option<&Ranges> {
        self.domains.get(&symbol.id()).map(|d| &d.set)
    }

    /// The words that a term can be under the facts; `None` if it is too large to be looked at.
    pub fn values(&self, term: &Term) -> Option<Ranges> {
        if term.attributes().tree_size > LARGEST {
            return None;
        }
        let among = Among {
            symbol: term,
            domains: &self.domains,
        };
        among.of(term)
    }

    /// How many facts and assumptions there are.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Takes back all but the first facts.
    pub fn truncate(&mut self, count: usize) {
        while self.facts.len() > count {
            self.pop();
        }
    }

    /// The symbols whose sets became smaller by a fact or what came after it; some more than once.
    pub fn narrowed_since(&self, position: usize) -> impl Iterator<Item = (&Term, &Ranges)> {
        let from = self
            .facts
            .get(position)
            .map_or(self.trail.len(), |f| f.undo);
        self.trail[from..].iter().filter_map(|undo| match undo {
            Undo::Set(id, ..) => self.domains.get(id).map(|d| (&d.symbol, &d.set)),
            Undo::Mention(_) => None,
        })
    }

    /// The symbols of a term that have sets.
    pub fn symbols(term: &Term) -> SmallVec<[Term; 4]> {
        symbols_of(term)
    }

    /// Assumes that a symbol is a word of its set, as if that were one more fact; returns positions
    /// that contradict each other, if that shows.
    pub fn assume(&mut self, symbol: &Term, value: u64) -> Option<Vec<usize>> {
        let position = self.facts.len() as u32;
        self.facts.push(Fact {
            term: symbol.clone(),
            symbols: SmallVec::new(),
            undo: self.trail.len(),
        });
        let domain = self.domains.get_mut(&symbol.id())?;
        let set = Ranges::point(domain.set.width(), value);
        let old = std::mem::replace(&mut domain.set, set);
        let why = std::mem::replace(&mut domain.reasons, Reasons::from_slice(&[position]));
        self.trail.push(Undo::Set(symbol.id(), old, why));
        self.queue.clear();
        let several = |f: &&u32| self.facts[**f as usize].symbols.len() > 1;
        self.queue.extend(domain.facts.iter().filter(several));
        self.propagate();
        self.contradiction()
    }

    fn contradiction(&self) -> Option<Vec<usize>> {
        let (_, reasons) = self.refuted.as_ref()?;
        Some(reasons.iter().map(|r| *r as usize).collect())
    }

    /// Makes these terms the facts; returns positions that contradict each other, if that shows.
    pub fn enter(&mut self, terms: &[&Term]) -> Option<Vec<usize>> {
        let same = self
            .facts
            .iter()
            .zip(terms)
            .take_while(|(f, t)| f.term == ***t)
            .count();
        self.truncate(same);
        for term in &terms[same..] {
            if self.refuted.is_some() {
                break;
            }
            self.push(term);
        }
        self.contradiction()
    }

    fn pop(&mut self) {
        let Some(fact) = self.facts.pop() else { return };
        while self.trail.len() > fact.undo {
            match self.trail.pop().expect("longer") {
                Undo::Set(id, set, reasons) => {
                    let domain = self.domains.get_mut(&id).expect("it was narrowed");
                    domain.set = set;
                    domain.reasons = reasons;
                }
                Undo::Mention(id) => {
                    let domain = self.domains.get_mut(&id).expect("it was mentioned");
                    domain.facts.pop();
                    if domain.facts.is_empty() {
                        self.domains.remove(&id);
                    }
                }
            }
        }
        if self
            .refuted
            .as_ref()
            .is_some_and(|r| r.0 > self.facts.len())
        {
            self.refuted = None;
        }
    }

    fn push(&mut self, term: &Term) {
        let position = self.facts.len() as u32;
        let undo = self.trail.len();
        let symbols = symbols_of(term);
        for symbol in &symbols {
            let domain = self.domains.entry(symbol.id()).or_insert_with(|| Domain {
                symbol: symbol.clone(),
                set: Ranges::full(width(symbol)),
                reasons: Reasons::new(),
                facts: Vec::new(),
            });
            domain.facts.push(position);
            self.trail.push(Undo::Mention(symbol.id()));
        }
        self.facts.push(Fact {
            term: term.clone(),
            symbols: symbols.iter().map(Term::id).collect(),
            undo,
        });
        if symbols.is_empty() {
            return;
        }
        self.queue.clear();
        self.queue.push_back(position);
        self.propagate();
    }

    /// Looks at the facts that wait.
    fn propagate(&mut self) {
        let mut steps = 0;
        while let Some(at) = self.queue.pop_front() {
            steps += 1;
            if steps > MOST_STEPS || self.refuted.is_some() {
                break;
            }
            self.narrow(at);
        }
    }

    /// Narrows the sets of a fact's symbols.
    fn narrow(&mut self, at: u32) {
        for k in 0..self.facts[at as usize].symbols.len() {
            let fact = &self.facts[at as usize];
            let id = fact.symbols[k];
            let domain = &self.domains[&id];
            let mut view = Among {
                symbol: &domain.symbol,
                domains: &self.domains,
            };
            let Some(set) = solutions(&fact.term, true, &mut view) else {
                continue;
            };
            let Some(set) = set.intersect(&domain.set) else {
                continue;
            };
            if set == domain.set {
                continue;
            }
            let mut reasons = Reasons::from_slice(&[at]);
            for s in &fact.symbols {
                reasons.extend_from_slice(&self.domains[s].reasons);
            }
            reasons.sort_unstable();
            reasons.dedup();
            if set.is_empty() {
                self.refuted = Some((self.facts.len(), reasons));
                return;
            }
            if reasons.len() > MOST_REASONS {
                continue;
            }
            let worth = gain(&domain.set, &set);
            let domain = self.domains.get_mut(&id).expect("just looked at");
            if worth {
                for &f in &domain.facts {
                    // A fact about one symbol has taken from it what it can, once and for all.
                    let several = self.facts[f as usize].symbols.len() > 1;
                    if several && f != at && !self.queue.contains(&f) {
                        self.queue.push_back(f);
                    }
                }
            }
            let old = std::mem::replace(&mut domain.set, set);
            let why = std::mem::replace(&mut domain.reasons, reasons);
            self.trail.push(Undo::Set(id, old, why));
        }
    }
}

/// Whether a set became smaller by enough to look at other facts again.
fn gain(old: &Ranges, new: &Ranges) -> bool {
    let span = |s: &Ranges| match (s.min(), s.max()) {
        (Some(low), Some(high)) => high - low,
        _ => 0,
    };
    let (before, after) = (span(old), span(new));
    before - after > before / SMALL_GAIN || new.as_point().is_some()
}

/// The scalar symbols of a term; none if it is not looked at.
fn symbols_of(term: &Term) -> SmallVec<[Term; 4]> {
    let mut found: SmallVec<[Term; 4]> = SmallVec::new();
    let attributes = term.attributes();
    match &attributes.support {
        Support::Keys(keys) if attributes.tree_size <= LARGEST && keys.len() <= MOST_SYMBOLS => {}
        Support::Keys(_) | Support::Many => return found,
    }
    let mut stack: SmallVec<[&Term; 16]> = SmallVec::new();
    stack.push(term);
    while let Some(t) = stack.pop() {
        let scalar = match t.sort() {
            Sort::Bool => true,
            Sort::BitVec(w) => w <= 64,
            Sort::Array { .. } => false,
        };
        if matches!(t.op(), Op::Symbol(_)) && scalar && !found.contains(t) {
            found.push(t.clone());
        }
        stack.extend(t.args());
    }
    found
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;
