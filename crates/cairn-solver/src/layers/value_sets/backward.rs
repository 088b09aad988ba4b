//! Solving a Boolean term for one input while all others have one value each.
//!
//! The wanted truth value is pushed down: through connectives as intersections and unions, through a comparison
//! whose other side is one word, then through one operator after the other to the input. The result encloses the
//! solutions within a domain and says whether it is exact; `None` means that the term's form is not supported.

use super::forward::{Forward, InputSets, binary, depends, relation, unary, width_of};
use super::known::Key;
use cairn_domain::{Binary, Enclosure, StridedInterval, Truth, Unary, ValueSet};
use cairn_expr::{Op, Term};
use std::cell::Cell;

/// How deep terms are read.
const DEPTH: u32 = 40;
/// How many operators are read for one solution: where a condition chooses between words, everything
/// below it is read once for each.
const STEPS: u32 = 320;
/// So many pieces of a set count as one operator more.
const PIECES: u32 = 4;
/// How many words there may be of which each has a part in each block, where solutions are wanted briefly.
const BRIEF: u128 = 16;
/// The largest table that is read backward.
const TABLE: usize = 4096;

/// Solves for one input of a view.
pub(super) struct Backward<'a, V: InputSets> {
    forward: &'a Forward<'a, V>,
    key: Key,
    /// Operators that may still be read.
    left: Cell<u32>,
    /// Whether solutions are wanted only if they take a few pieces.
    briefly: Cell<bool>,
}

impl<'a, V: InputSets> Backward<'a, V> {
    /// For one input.
    pub(super) fn new(forward: &'a Forward<'a, V>, key: Key) -> Self {
        Backward {
            forward,
            key,
            left: Cell::new(STEPS),
            briefly: Cell::new(false),
        }
    }

    /// Counts operators; `None` if there were too many.
    fn spend(&self, steps: u32) -> Option<()> {
        self.left.set(self.left.get().checked_sub(steps)?);
        Some(())
    }

    /// The values of the input in `domain` for which a Boolean term has a truth value.
    pub(super) fn solve(&self, term: &Term, truth: bool, domain: &ValueSet) -> Option<Enclosure> {
        self.left.set(STEPS);
        self.boolean(term, truth, domain, DEPTH)
    }

    /// [`Self::solve`] without any domain, which gives up where a rule would have a part for each word and block: that
    /// is mostly inexact in the end.
    pub(super) fn solve_briefly(&self, term: &Term, truth: bool, width: u32) -> Option<Enclosure> {
        self.briefly.set(true);
        let found = self.solve(term, truth, &ValueSet::full(width));
        self.briefly.set(false);
        found
    }

    /// The values of the input in `domain` for which a term has a value in `wanted`.
    pub(super) fn solve_for(
        &self,
        term: &Term,
        wanted: &ValueSet,
        domain: &ValueSet,
    ) -> Option<Enclosure> {
        self.left.set(STEPS);
        self.word(term, wanted, domain, DEPTH)
    }

    fn boolean(
        &self,
        term: &Term,
        truth: bool,
        domain: &ValueSet,
        depth: u32,
    ) -> Option<Enclosure> {
        let depth = depth.checked_sub(1)?;
        self.spend(1)?;
        if Key::of_term(term) == Some(self.key) {
            let wanted = ValueSet::point(1, u64::from(truth));
            return meet(domain, &Enclosure::exact(wanted));
        }
        if !depends(term, self.key) {
            return match (self.forward.truth(term), truth) {
                (Truth::Always, true) | (Truth::Never, false) => {
                    Some(Enclosure::exact(domain.clone()))
                }
                (Truth::Always, false) | (Truth::Never, true) => {
                    Some(Enclosure::exact(ValueSet::empty(domain.width())))
                }
                (Truth::Sometimes, _) => None,
            };
        }
        let structure = self.forward.settings.reads_structure;
        match term.op() {
            Op::Not => self.boolean(term.arg(0), !truth, domain, depth),
            Op::And if truth && structure => {
                let first = self.boolean(term.arg(0), true, domain, depth)?;
                let second = self.boolean(term.arg(1), true, &first.set, depth)?;
                Some(both(first.exact, second))
            }
            Op::And if structure => {
                let first = self.boolean(term.arg(0), false, domain, depth)?;
                let second = self.boolean(term.arg(1), false, domain, depth)?;
                Some(either(&first, &second))
            }
            Op::Ite if structure => {
                let [condition, yes, no] = [0, 1, 2].map(|i| term.arg(i));
                let then = self.boolean(condition, true, domain, depth)?;
                let second = self.boolean(yes, truth, &then.set, depth)?;
                let then = both(then.exact, second);
                let other = self.boolean(condition, false, domain, depth)?;
                let second = self.boolean(no, truth, &other.set, depth)?;
                let other = both(other.exact, second);
                Some(either(&then, &other))
            }
            Op::Eq | Op::BvUlt | Op::BvSlt => {
                let (relation, a, b) = relation(term, truth)?;
                let side = |t: &Term| self.forward.values(t).set.as_point();
                if !depends(b, self.key) {
                    let point = ValueSet::point(width_of(b)?, side(b)?);
                    return self.word(a, &relation.left_for(&point), domain, depth);
                }
                if !depends(a, self.key) {
                    let point = ValueSet::point(width_of(a)?, side(a)?);
                    return self.word(b, &relation.right_for(&point), domain, depth);
                }
                None
            }
            _ => None,
        }
    }

    fn word(
        &self,
        term: &Term,
        wanted: &ValueSet,
        domain: &ValueSet,
        depth: u32,
    ) -> Option<Enclosure> {
        if Key::of_term(term) == Some(self.key) {
            return meet(domain, &Enclosure::exact(wanted.clone()));
        }
        let depth = depth.checked_sub(1)?;
        self.spend(1)?;
        if let Some(f) = unary(term.op()) {
            return self.through(f, term.arg(0), wanted, domain, depth);
        }
        if let Some(f) = binary(term.op()) {
            let (a, b) = (term.arg(0), term.arg(1));
            if !depends(b, self.key) {
                let c = self.forward.values(b).set.as_point()?;
                return self.through(f.with_right(b.width(), c), a, wanted, domain, depth);
            }
            if !depends(a, self.key) {
                let c = self.forward.values(a).set.as_point()?;
                return self.through(f.with_left(a.width(), c)?, b, wanted, domain, depth);
            }
            return self.by_cases(term, f, wanted, domain, depth);
        }
        if !self.forward.settings.reads_structure {
            return None;
        }
        match term.op() {
            // A truth value as a word.
            Op::Not | Op::And | Op::Eq | Op::BvUlt | Op::BvSlt => {
                match (wanted.contains(0), wanted.contains(1)) {
                    (true, true) => Some(Enclosure::exact(domain.clone())),
                    (false, false) => Some(Enclosure::exact(ValueSet::empty(domain.width()))),
                    (_, truth) => self.boolean(term, truth, domain, depth),
                }
            }
            Op::Ite => {
                let condition = term.arg(0);
                let branch = |truth: bool, t: &Term| {
                    let when = self.boolean(condition, truth, domain, depth)?;
                    if when.set.is_empty() {
                        return Some(when);
                    }
                    let value = if depends(t, self.key) {
                        self.word(t, wanted, &when.set, depth)?
                    } else {
                        let c = self.forward.values(t).set.as_point()?;
                        let holds = wanted.contains(c);
                        Enclosure::exact(if holds {
                            when.set.clone()
                        } else {
                            ValueSet::empty(domain.width())
                        })
                    };
                    Some(both(when.exact, value))
                };
                let then = branch(true, term.arg(1))?;
                let other = branch(false, term.arg(2))?;
                Some(either(&then, &other))
            }
            Op::Select => {
                let Op::Table(table) = term.arg(0).op() else {
                    return None;
                };
                let index = term.arg(1);
                let w = width_of(index)?;
                if table.values().len() > TABLE || width_of(term).is_none() {
                    return None;
                }
                let places = places(
                    w,
                    table.values().iter().map(|v| wanted.contains(v.low_u64())),
                    wanted.contains(table.default_value().low_u64()),
                )?;
                self.word(index, &places, domain, depth)
            }
            _ => None,
        }
    }

    /// An operator both of whose operands depend on the input, one of them choosing between two
    /// words: one case for each.
    fn by_cases(
        &self,
        term: &Term,
        f: Binary,
        wanted: &ValueSet,
        domain: &ValueSet,
        depth: u32,
    ) -> Option<Enclosure> {
        if !self.forward.settings.reads_structure {
            return None;
        }
        let chooses = |t: &Term| match t.op() {
            Op::Ite => Some((
                t.arg(1).as_const()?.low_u64(),
                t.arg(2).as_const()?.low_u64(),
            )),
            _ => None,
        };
        let (a, b) = (term.arg(0), term.arg(1));
        let (choice, other, words, left) = match (chooses(a), chooses(b)) {
            (Some(words), _) => (a, b, words, true),
            (None, Some(words)) => (b, a, words, false),
            (None, None) => return None,
        };
        let case = |truth: bool, word: u64| {
            let when = self.boolean(choice.arg(0), truth, domain, depth)?;
            if when.set.is_empty() {
                return Some(when);
            }
            let f = if left {
                f.with_left(a.width(), word)?
            } else {
                f.with_right(b.width(), word)
            };
            let value = self.through(f, other, wanted, &when.set, depth)?;
            Some(both(when.exact, value))
        };
        let (then, else_) = (case(true, words.0)?, case(false, words.1)?);
        Some(either(&then, &else_))
    }

    /// Through one operator.
    fn through(
        &self,
        f: Unary,
        inner: &Term,
        wanted: &ValueSet,
        domain: &ValueSet,
        depth: u32,
    ) -> Option<Enclosure> {
        let width = width_of(inner)?;
        if !self.forward.settings.backward(f) {
            return None;
        }
        // Only rules that have a part for each block look at the operand's values.
        let blocks = matches!(
            f,
            Unary::Urem(_)
                | Unary::Srem(_)
                | Unary::Smod(_)
                | Unary::And(_)
                | Unary::Or(_)
                | Unary::Extract { .. }
        );
        if blocks && self.briefly.get() && wanted.count() > BRIEF {
            return None;
        }
        let known = if blocks && !domain.is_full() {
            if Key::of_term(inner) == Some(self.key) {
                domain.clone()
            } else {
                self.forward.values(inner).set
            }
        } else {
            ValueSet::full(width)
        };
        let before = f.preimage(wanted, &known);
        self.spend(before.set.pieces().len() as u32 / PIECES)?;
        if before.set.is_empty() {
            return Some(Enclosure::exact(ValueSet::empty(domain.width())));
        }
        let found = self.word(inner, &before.set, domain, depth)?;
        Some(both(before.exact, found))
    }
}

fn both(exact: bool, second: Enclosure) -> Enclosure {
    Enclosure {
        exact: exact && second.exact,
        ..second
    }
}

fn either(a: &Enclosure, b: &Enclosure) -> Enclosure {
    let all = a.set.union(&b.set);
    Enclosure {
        exact: all.exact && a.exact && b.exact,
        ..all
    }
}

/// The words of a domain that are in a set.
fn meet(domain: &ValueSet, set: &Enclosure) -> Option<Enclosure> {
    Some(match domain.intersect(&set.set) {
        Some(found) => both(set.exact, Enclosure::exact(found)),
        None => Enclosure {
            set: domain.clone(),
            exact: false,
        },
    })
}

/// The places of a table that hold wanted words.
fn places(width: u32, wanted: impl Iterator<Item = bool>, default: bool) -> Option<ValueSet> {
    let mut pieces: Vec<StridedInterval> = Vec::new();
    let mut length = 0u64;
    for (i, holds) in wanted.enumerate() {
        length += 1;
        if !holds {
            continue;
        }
        let i = i as u64;
        match pieces.last_mut() {
            Some(last) if last.hi + 1 == i => *last = StridedInterval::range(last.lo, i),
            _ => pieces.push(StridedInterval::point(i)),
        }
    }
    let most = cairn_bv::mask(width);
    if default && length <= most {
        pieces.push(StridedInterval::range(length, most));
    }
    // Places that the width does not have hold nothing.
    let fits = pieces.iter().filter_map(|p| p.between(0, most));
    let fits: Vec<StridedInterval> = fits.collect();
    ValueSet::from_pieces(width, &fits).if_exact()
}
