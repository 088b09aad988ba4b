//! Domain propagation: the values that the facts leave to each symbol.
//!
//! # Problem
//! To refute "a size is below ten and above twenty", a search over gates needs some conflicts, again in
//! every query of the path. For linear facts over several symbols it needs thousands.
//!
//! # Idea
//! Every symbol has a domain ([`cairn_domain::RangeSet`]). A fact removes from the domain of one of its
//! symbols the values that it excludes for all values of the other symbols (`inverse.rs`); this is repeated
//! for the facts of every symbol whose domain became smaller. Domains belong to a path: facts that the next
//! query does not have are undone, new ones are added, the goal comes last. An empty domain refutes the
//! query. This is the bounds propagation of constraint programming \[RossiVanBeekWalsh06\].
//!
//! # What differs
//! Domains are unions of ranges, and every domain lists the facts that it depends on, for unsat cores.
//!
//! # Soundness
//! A domain contains every value that its symbol has in any model of the facts that it lists; these are the
//! core when it is empty. Only UNSAT is answered.
//!
//! # Cost
//! About a microsecond for each pair of fact and symbol. Slow convergence (`x < y`, `y < x`) is cut off: at
//! most [`MOST_STEPS`] facts are propagated for each that is added.
//!
//! # Counters
//! `refuted_by_words`.

use super::inverse::{VariableView, solutions};
use cairn_domain::RangeSet;
use cairn_expr::{Op, Sort, Support, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Facts propagated for each that is added.
const MOST_STEPS: usize = 256;
/// Larger facts are not propagated.
const LARGEST: u64 = 64;
/// Facts with more symbols are not propagated.
const MOST_SYMBOLS: usize = 8;
/// A domain that depends on more facts is not kept.
const MOST_REASONS: usize = 200;
/// A domain that loses less than this fraction of its range does not wake its facts.
const SMALL_GAIN: u64 = 256;

type DomainReasons = SmallVec<[u32; 8]>;

struct SymbolDomain {
    symbol: Term,
    set: RangeSet,
    /// Positions of the facts that it depends on, ascending.
    reasons: DomainReasons,
    /// Positions of the facts that mention the symbol.
    facts: Vec<u32>,
}

/// An entry of the trail.
enum Undo {
    Set(u32, RangeSet, DomainReasons),
    Mention(u32),
}

struct Fact {
    term: Term,
    symbols: SmallVec<[u32; 4]>,
    undo: usize,
}

/// The domains of a path's symbols; the module documentation describes them.
#[derive(Default)]
pub struct DomainStore {
    domains: FxHashMap<u32, SymbolDomain>,
    facts: Vec<Fact>,
    trail: Vec<Undo>,
    queue: VecDeque<u32>,
    /// The facts that contradict each other, and the number of facts when that was found.
    refuted: Option<(usize, DomainReasons)>,
}

/// A symbol, with domains for all other terms.
struct DomainView<'a> {
    symbol: &'a Term,
    domains: &'a FxHashMap<u32, SymbolDomain>,
}

impl VariableView for DomainView<'_> {
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

    fn values(&mut self, term: &Term) -> Option<RangeSet> {
        self.of(term)
    }

    fn indices(&mut self, _: &Term, _: &RangeSet) -> Option<RangeSet> {
        None
    }
}

fn width(symbol: &Term) -> u32 {
    match symbol.sort() {
        Sort::Bool => 1,
        _ => symbol.width(),
    }
}

impl DomainView<'_> {
    /// The values of a quotient or remainder of a constant above zero.
    fn of_division(&self, term: &Term) -> Option<RangeSet> {
        let constant = term.arg(1).as_const()?;
        let k = constant.low_u64();
        if k == 0 {
            return None;
        }
        let dividend = self.of(term.arg(0))?;
        match term.op() {
            Op::BvUdiv => Some(dividend.image_udiv(k)),
            Op::BvUrem => Some(dividend.image_urem(k)),
            _ if constant.msb() => None,
            Op::BvSdiv => dividend.image_by_sign(|m| m.image_udiv(k)),
            Op::BvSrem => dividend.image_by_sign(|m| m.image_urem(k)),
            _ => None,
        }
    }

    /// The values that a term can have; all if nothing better is known.
    fn of(&self, term: &Term) -> Option<RangeSet> {
        let w = match term.sort() {
            Sort::Bool => 1,
            Sort::BitVec(w) if w <= 64 => w,
            Sort::BitVec(_) | Sort::Array { .. } => return None,
        };
        let all = || RangeSet::full(w);
        let arg = |i: usize| self.of(term.arg(i));
        let found = match term.op() {
            Op::Bool(b) => Some(RangeSet::point(1, u64::from(*b))),
            Op::Const(v) => Some(RangeSet::point(w, v.low_u64())),
            Op::Base(base) => Some(RangeSet::point(w, base.address)),
            Op::Symbol(_) => self.domains.get(&term.id()).map(|d| d.set.clone()),
            Op::BvAdd => arg(0).zip(arg(1)).and_then(|(a, b)| a.image_add(&b)),
            Op::BvMul => arg(0)
                .zip(arg(1))
                .and_then(|(a, b)| match (a.as_point(), b.as_point()) {
                    (Some(k), _) => Some(b.image_mul(k)),
                    (_, Some(k)) => Some(a.image_mul(k)),
                    _ => None,
                }),
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => self.of_division(term),
            Op::BvNot => arg(0).map(|a| a.image_not()),
            Op::BvNeg => arg(0).map(|a| a.image_neg()),
            Op::BvAnd => arg(0).zip(arg(1)).and_then(|(a, b)| {
                let most = a.max()?.min(b.max()?);
                Some(RangeSet::range(w, 0, most))
            }),
            Op::ZeroExtend(n) => arg(0).map(|a| a.image_zero_extend(*n)),
            Op::SignExtend(n) => arg(0).and_then(|a| a.image_sign_extend(*n)),
            Op::Concat => arg(0)
                .zip(arg(1))
                .map(|(high, low)| high.image_concat(&low)),
            Op::Extract { lo, .. } => arg(0).map(|a| a.image_extract(*lo, w)),
            Op::Ite => arg(1).zip(arg(2)).and_then(|(a, b)| a.union(&b)),
            _ => None,
        };
        Some(found.unwrap_or_else(all))
    }
}

impl DomainStore {
    /// Without facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// The domain of a symbol.
    pub fn of(&self, symbol: &Term) -> Option<&RangeSet> {
        self.domains.get(&symbol.id()).map(|d| &d.set)
    }

    /// The values that a term can have under the facts; `None` if it is too large.
    pub fn values(&self, term: &Term) -> Option<RangeSet> {
        if term.attributes().tree_size > LARGEST {
            return None;
        }
        let among = DomainView {
            symbol: term,
            domains: &self.domains,
        };
        among.of(term)
    }

    /// The number of facts and assumptions.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Removes all but the first facts.
    pub fn truncate(&mut self, count: usize) {
        while self.facts.len() > count {
            self.pop();
        }
    }

    /// The symbols whose domains a fact or a later one narrowed, with repetitions.
    pub fn narrowed_since(&self, position: usize) -> impl Iterator<Item = (&Term, &RangeSet)> {
        let from = self
            .facts
            .get(position)
            .map_or(self.trail.len(), |f| f.undo);
        self.trail[from..].iter().filter_map(|undo| match undo {
            Undo::Set(id, ..) => self.domains.get(id).map(|d| (&d.symbol, &d.set)),
            Undo::Mention(_) => None,
        })
    }

    /// The symbols of a term that have domains.
    pub fn symbols(term: &Term) -> SmallVec<[Term; 4]> {
        symbols_of(term)
    }

    /// Assumes that a symbol has a value of its domain, as one more fact. Returns the positions of facts
    /// that contradict each other, if propagation finds that.
    pub fn assume(&mut self, symbol: &Term, value: u64) -> Option<Vec<usize>> {
        let position = self.facts.len() as u32;
        self.facts.push(Fact {
            term: symbol.clone(),
            symbols: SmallVec::new(),
            undo: self.trail.len(),
        });
        let domain = self.domains.get_mut(&symbol.id())?;
        let set = RangeSet::point(domain.set.width(), value);
        let old = std::mem::replace(&mut domain.set, set);
        let why = std::mem::replace(&mut domain.reasons, DomainReasons::from_slice(&[position]));
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

    /// Makes these terms the facts. Returns the positions of facts that contradict each other, if
    /// propagation finds that.
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
            let domain = self
                .domains
                .entry(symbol.id())
                .or_insert_with(|| SymbolDomain {
                    symbol: symbol.clone(),
                    set: RangeSet::full(width(symbol)),
                    reasons: DomainReasons::new(),
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

    /// Propagates the facts in the queue.
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

    /// Narrows the domains of a fact's symbols.
    fn narrow(&mut self, at: u32) {
        for k in 0..self.facts[at as usize].symbols.len() {
            let fact = &self.facts[at as usize];
            let id = fact.symbols[k];
            let domain = &self.domains[&id];
            let mut view = DomainView {
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
            let mut reasons = DomainReasons::from_slice(&[at]);
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
            let worth = narrowed_enough(&domain.set, &set);
            let domain = self.domains.get_mut(&id).expect("just looked at");
            if worth {
                for &f in &domain.facts {
                    // A fact about one symbol needs no second propagation.
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

/// Whether a domain became smaller by enough to propagate its facts again.
fn narrowed_enough(old: &RangeSet, new: &RangeSet) -> bool {
    let span = |s: &RangeSet| match (s.min(), s.max()) {
        (Some(low), Some(high)) => high - low,
        _ => 0,
    };
    let (before, after) = (span(old), span(new));
    before - after > before / SMALL_GAIN || new.as_point().is_some()
}

/// The scalar symbols of a term; none if it is too large to propagate.
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
#[path = "domains_tests.rs"]
mod tests;
