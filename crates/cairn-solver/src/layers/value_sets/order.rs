//! Order between words: consequences of `a < b` and `b < c`.
//!
//! # Problem
//! Sets know no order between inputs. A program that sorts asks on every path whether `c < a` is possible after
//! `a < b` and `b < c`; no box refutes that.
//!
//! # Idea
//! Facts `a < b`, `a ≤ b`, `a = b`, `a ≠ b` between words of any kind are the edges of a graph. A comparison is
//! contradicted if the graph has a path against it, and implied if it has a path for it. Values that respect the
//! order are chosen in `choosing.rs`.
//!
//! # Soundness
//! The edges of a path are facts, and order is transitive.
//!
//! # Cost
//! The edges are a shared list of at most [`EDGES`]; a question walks it once for each vertex that it reaches.

use super::known::LearnedBoxes;
use cairn_domain::{Relation, Signedness};
use cairn_expr::Term;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many edges are kept; facts beyond are loose.
const EDGES: usize = 192;
/// How many loose facts are evaluated.
pub(super) const LOOSE: usize = 48;

/// The meaning of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    AtMost,
    Below,
    Apart,
}

pub(super) struct Edge {
    pub(super) from: Term,
    pub(super) to: Term,
    pub(super) link: Link,
    /// `None`: in both orders.
    pub(super) signedness: Option<Signedness>,
    pub(super) fact: Term,
    before: Option<Rc<Edge>>,
}

impl Edge {
    pub(super) fn is_in(&self, signedness: Signedness) -> bool {
        self.signedness.is_none_or(|s| s == signedness)
    }
}

/// The edges of a list of facts, shared with its prefixes.
#[derive(Clone, Default)]
pub(super) struct Order {
    last: Option<Rc<Edge>>,
    len: usize,
}

/// Facts that neither a set nor an edge holds, shared with the prefixes.
#[derive(Clone, Default)]
pub(super) struct LooseFacts {
    last: Option<Rc<LooseFact>>,
    pub(super) len: usize,
}

pub(super) struct LooseFact {
    pub(super) term: Term,
    pub(super) truth: bool,
    fact: Term,
    before: Option<Rc<LooseFact>>,
}

impl LooseFact {
    /// The fact that it is a part of.
    pub(super) fn fact(&self) -> &Term {
        &self.fact
    }
}

impl LooseFacts {
    /// With one more. More than can be evaluated are counted only.
    pub(super) fn push(&mut self, term: &Term, truth: bool, fact: &Term) {
        self.len += 1;
        if self.len <= LOOSE {
            self.last = Some(Rc::new(LooseFact {
                term: term.clone(),
                truth,
                fact: fact.clone(),
                before: self.last.take(),
            }));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &LooseFact> {
        let mut at = self.last.as_deref();
        std::iter::from_fn(move || {
            let here = at?;
            at = here.before.as_deref();
            Some(here)
        })
    }
}

/// How a comparison relates to the facts so far.
pub(super) enum Entailment {
    /// It follows from them.
    Implied,
    /// It contradicts these of them.
    Contradicted(Vec<Term>),
    /// Neither is seen.
    Open,
}

/// A word that was reached, whether by a strict way, the edge into it and the place it came from.
type Reached<'a> = (&'a Term, bool, Option<(&'a Edge, usize)>);

/// A search from one word along the edges of one order.
struct OrderWalk<'a> {
    reached: SmallVec<[Reached<'a>; 16]>,
}

impl<'a> OrderWalk<'a> {
    fn from(order: &'a Order, start: &'a Term, signedness: Signedness) -> Self {
        let mut reached = SmallVec::new();
        reached.push((start, false, None));
        let mut ways = OrderWalk { reached };
        let mut at = 0;
        while at < ways.reached.len() {
            let (here, strict, _) = ways.reached[at];
            for edge in order.iter() {
                if edge.from == *here && edge.link != Link::Apart && edge.is_in(signedness) {
                    let strict = strict || edge.link == Link::Below;
                    let known = |(t, s, _): &(&Term, bool, _)| **t == edge.to && (*s || !strict);
                    if !ways.reached.iter().any(known) {
                        ways.reached.push((&edge.to, strict, Some((edge, at))));
                    }
                }
            }
            at += 1;
        }
        ways
    }

    /// The facts of a way to a word.
    fn to(&self, end: &Term, strict: bool) -> Option<Vec<Term>> {
        let found =
            |(t, s, by): &(&Term, bool, Option<_>)| **t == *end && (*s || !strict) && by.is_some();
        let mut at = self.reached.iter().position(found)?;
        let mut facts = Vec::new();
        while let (_, _, Some((edge, before))) = &self.reached[at] {
            facts.push(edge.fact.clone());
            at = *before;
        }
        Some(facts)
    }
}

/// The order that a relation is about; `None` if it is about both.
fn signedness_of(relation: Relation) -> Option<Signedness> {
    match relation {
        Relation::Equal | Relation::Different => None,
        Relation::Below | Relation::AtMost => Some(Signedness::Unsigned),
        Relation::SignedBelow | Relation::SignedAtMost => Some(Signedness::Signed),
    }
}

impl Order {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Edge> {
        let mut at = self.last.as_deref();
        std::iter::from_fn(move || {
            let here = at?;
            at = here.before.as_deref();
            Some(here)
        })
    }

    /// How many edges there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether there is any edge.
    pub(super) fn is_some(&self) -> bool {
        self.last.is_some()
    }

    fn mentions(&self, term: &Term) -> bool {
        self.iter().any(|e| e.from == *term || e.to == *term)
    }

    /// The fact that says that two words are different, if one does.
    fn apart(&self, a: &Term, b: &Term) -> Option<&Term> {
        let between = |e: &&Edge| {
            e.link == Link::Apart && (e.from == *a && e.to == *b || e.from == *b && e.to == *a)
        };
        self.iter().find(between).map(|e| &e.fact)
    }

    /// Whether the edges imply or contradict a comparison of two words.
    pub(super) fn entails(&self, relation: Relation, a: &Term, b: &Term) -> Entailment {
        if self.last.is_none() || !self.mentions(a) || !self.mentions(b) {
            return Entailment::Open;
        }
        let with = |mut facts: Vec<Term>, more: Option<Vec<Term>>| {
            facts.extend(more?);
            Some(facts)
        };
        let apart = || self.apart(a, b).map(|f| vec![f.clone()]);
        if let Some(signedness) = signedness_of(relation) {
            let strict = matches!(relation, Relation::Below | Relation::SignedBelow);
            let back = OrderWalk::from(self, b, signedness);
            // b ≤ a contradicts a < b, b < a contradicts a ≤ b.
            let against = back.to(a, !strict).or_else(|| {
                let weak = back.to(a, false)?;
                with(weak, apart())
            });
            if let Some(facts) = against {
                return Entailment::Contradicted(facts);
            }
            let there = OrderWalk::from(self, a, signedness);
            let implied = there.to(b, strict).is_some()
                || there.to(b, false).is_some() && self.apart(a, b).is_some();
            return if implied {
                Entailment::Implied
            } else {
                Entailment::Open
            };
        }
        let mut equal = None;
        let mut different = apart();
        for signedness in [Signedness::Unsigned, Signedness::Signed] {
            let (there, back) = (
                OrderWalk::from(self, a, signedness),
                OrderWalk::from(self, b, signedness),
            );
            different = different
                .or_else(|| there.to(b, true))
                .or_else(|| back.to(a, true));
            let both = || with(there.to(b, false)?, back.to(a, false));
            equal = equal.or_else(both);
        }
        let (holds, against) = match relation {
            Relation::Equal => (equal, different),
            Relation::Different
            | Relation::Below
            | Relation::AtMost
            | Relation::SignedBelow
            | Relation::SignedAtMost => (different, equal),
        };
        match (against, holds) {
            (Some(facts), _) => Entailment::Contradicted(facts),
            (None, Some(_)) => Entailment::Implied,
            (None, None) => Entailment::Open,
        }
    }

    /// With the edges of a comparison that a fact says. Whether there was room.
    pub(super) fn push(&mut self, relation: Relation, a: &Term, b: &Term, fact: &Term) -> bool {
        if self.len + 2 > EDGES {
            return false;
        }
        let signedness = signedness_of(relation);
        let mut add = |from: &Term, to: &Term, link: Link| {
            self.len += 1;
            self.last = Some(Rc::new(Edge {
                from: from.clone(),
                to: to.clone(),
                link,
                signedness,
                fact: fact.clone(),
                before: self.last.take(),
            }));
        };
        match relation {
            Relation::Equal => {
                add(a, b, Link::AtMost);
                add(b, a, Link::AtMost);
            }
            Relation::Different => add(a, b, Link::Apart),
            Relation::Below | Relation::SignedBelow => add(a, b, Link::Below),
            Relation::AtMost | Relation::SignedAtMost => add(a, b, Link::AtMost),
        }
        true
    }
}

impl LearnedBoxes {
    /// Facts that no set holds, newest first of each kind: the part, its truth value, the fact.
    /// `None` if they are too many to be listed.
    pub(super) fn unheld(&self) -> Option<impl Iterator<Item = (&Term, bool, &Term)>> {
        let loose = self.loose.iter().map(|l| (&l.term, l.truth, &l.fact));
        let edges = self.order.iter().map(|e| (&e.fact, true, &e.fact));
        (self.loose.len <= LOOSE).then(|| loose.chain(edges))
    }
}
