//! Comparing two sets.
//!
//! - [`Relation::decide`]: whether a relation holds between all words of two sets, none, or some.
//! - [`Relation::left_for`] and [`Relation::right_for`]: the words that have a partner.
//! - [`Relation::splits`]: boxes all of whose pairs are related \[AbyanehKirsch21, section V\].
//!
//! # What differs
//! Corrections to the rules as published \[SoriaDustmannWehrleCadar18\] \[AbyanehKirsch21\]:
//!
//! - §3.4.3: `a < b` always holds if the largest `a` is below the smallest `b`, and never if the smallest `a` is not
//!   below the largest `b`. The print has it the wrong way round.
//! - "Some" holds for *sets*: it says nothing about terms that share an input.
//! - Table I: row 3 starts at the first word of x that is at least c, row 4 ends at the last word of y that is at
//!   most a.

use crate::set::ValueSet;

/// A comparison of two words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `a = b`
    Equal,
    /// `a ≠ b`
    Different,
    /// `a < b`, unsigned
    Below,
    /// `a ≤ b`, unsigned
    AtMost,
    /// `a < b`, signed
    SignedBelow,
    /// `a ≤ b`, signed
    SignedAtMost,
}

/// Which pairs of two sets a relation holds for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// All (or there is none).
    Always,
    /// None.
    Never,
    /// At least one, and at least one not.
    Sometimes,
}

/// How to choose a box of related pairs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Split {
    /// Observation 1: two boxes, each giving one side all it can have.
    First,
    /// Observation 2: one box, cut in the middle of what both sides share.
    Middle,
}

impl Relation {
    /// Whether it holds for two words of a width.
    pub fn holds(self, width: u32, a: u64, b: u64) -> bool {
        let flip = 1 << (width - 1);
        match self {
            Relation::Equal => a == b,
            Relation::Different => a != b,
            Relation::Below => a < b,
            Relation::AtMost => a <= b,
            Relation::SignedBelow => (a ^ flip) < (b ^ flip),
            Relation::SignedAtMost => (a ^ flip) <= (b ^ flip),
        }
    }

    /// The relation that holds exactly where this one does not, and whether its sides are
    /// exchanged.
    pub fn negated(self) -> (Relation, bool) {
        match self {
            Relation::Equal => (Relation::Different, false),
            Relation::Different => (Relation::Equal, false),
            Relation::Below => (Relation::AtMost, true),
            Relation::AtMost => (Relation::Below, true),
            Relation::SignedBelow => (Relation::SignedAtMost, true),
            Relation::SignedAtMost => (Relation::SignedBelow, true),
        }
    }

    /// For which pairs it holds.
    pub fn decide(self, a: &ValueSet, b: &ValueSet) -> Truth {
        let (Some(ends_a), Some(ends_b)) = (self.ends(a), self.ends(b)) else {
            return Truth::Always;
        };
        let w = a.width();
        match self {
            Relation::Equal => match (a.as_point(), b.as_point()) {
                (Some(x), Some(y)) if x == y => Truth::Always,
                _ if a.is_disjoint(b) => Truth::Never,
                _ => Truth::Sometimes,
            },
            Relation::Different => match Relation::Equal.decide(a, b) {
                Truth::Always => Truth::Never,
                Truth::Never => Truth::Always,
                Truth::Sometimes => Truth::Sometimes,
            },
            Relation::Below | Relation::AtMost | Relation::SignedBelow | Relation::SignedAtMost => {
                if self.holds(w, ends_a.1, ends_b.0) {
                    Truth::Always
                } else if !self.holds(w, ends_a.0, ends_b.1) {
                    Truth::Never
                } else {
                    Truth::Sometimes
                }
            }
        }
    }

    /// The smallest and the largest word in the relation's order.
    fn ends(self, set: &ValueSet) -> Option<(u64, u64)> {
        match self {
            Relation::SignedBelow | Relation::SignedAtMost => {
                Some((set.signed_min()?, set.signed_max()?))
            }
            Relation::Equal | Relation::Different | Relation::Below | Relation::AtMost => {
                Some((set.min()?, set.max()?))
            }
        }
    }

    /// The words that are related to some word of `b` on their right.
    pub fn left_for(self, b: &ValueSet) -> ValueSet {
        let w = b.width();
        let Some((_, most)) = self.ends(b) else {
            return ValueSet::empty(w);
        };
        match self {
            Relation::Equal => b.clone(),
            Relation::Different => all_but(w, b),
            Relation::Below => ValueSet::below(w, most),
            Relation::AtMost => ValueSet::range(w, 0, most),
            Relation::SignedBelow => ValueSet::signed_below(w, most),
            Relation::SignedAtMost => up_to(w, most),
        }
    }

    /// The words that are related to some word of `a` on their left.
    pub fn right_for(self, a: &ValueSet) -> ValueSet {
        let w = a.width();
        let Some((least, _)) = self.ends(a) else {
            return ValueSet::empty(w);
        };
        match self {
            Relation::Equal => a.clone(),
            Relation::Different => all_but(w, a),
            Relation::Below => ValueSet::above(w, least),
            Relation::AtMost => ValueSet::range(w, least, cairn_bv::mask(w)),
            Relation::SignedBelow => ValueSet::signed_above(w, least),
            Relation::SignedAtMost => from(w, least),
        }
    }

    /// Boxes within `a` and `b` all of whose pairs are related; best first. Empty if there are no
    /// related pairs or none were found.
    pub fn splits(self, split: Split, a: &ValueSet, b: &ValueSet) -> Vec<(ValueSet, ValueSet)> {
        match self.decide(a, b) {
            Truth::Always => return vec![(a.clone(), b.clone())],
            Truth::Never => return Vec::new(),
            Truth::Sometimes => {}
        }
        let (Some(ends_a), Some(ends_b)) = (self.ends(a), self.ends(b)) else {
            return Vec::new();
        };
        let w = a.width();
        let found: Vec<(ValueSet, ValueSet)> = match self {
            Relation::Equal => {
                let Some(both) = a.intersect(b) else {
                    return Vec::new();
                };
                let word = match split {
                    Split::First => both.min(),
                    Split::Middle => both.middle(),
                };
                let point = word.map(|x| ValueSet::point(w, x));
                point.map(|p| (p.clone(), p)).into_iter().collect()
            }
            Relation::Different => {
                // One side keeps everything but one word, which the other side has.
                let without = |set: &ValueSet, word: u64| set.without(&ValueSet::point(w, word));
                let keep_b = a
                    .nearest(ends_b.0)
                    .and_then(|x| Some((ValueSet::point(w, x), without(b, x)?)));
                let keep_a = b
                    .nearest(ends_a.0)
                    .and_then(|y| Some((without(a, y)?, ValueSet::point(w, y))));
                let below = Relation::Below.splits(Split::Middle, a, b);
                let above = Relation::Below.splits(Split::Middle, b, a);
                let above = above.into_iter().map(|(y, x)| (x, y));
                match split {
                    Split::First => keep_b.into_iter().chain(keep_a).collect(),
                    Split::Middle => {
                        let mut all: Vec<_> = below.into_iter().chain(above).collect();
                        all.extend(keep_b);
                        all.sort_by_key(|(x, y)| std::cmp::Reverse(x.count().min(y.count())));
                        all
                    }
                }
            }
            Relation::Below | Relation::AtMost | Relation::SignedBelow | Relation::SignedAtMost => {
                // Everything that is related to the other side's worst word.
                let against_b = |y: u64| a.intersect(&self.left_for(&ValueSet::point(w, y)));
                let against_a = |x: u64| b.intersect(&self.right_for(&ValueSet::point(w, x)));
                match split {
                    Split::First => {
                        let wide_b = self.widest_right(ends_a.0, &against_a, &against_b);
                        let wide_a = self.widest_left(ends_b.1, &against_a, &against_b);
                        wide_b.into_iter().chain(wide_a).collect()
                    }
                    Split::Middle => self
                        .cut_in_the_middle(w, ends_a, ends_b)
                        .and_then(|cut| Some((against_b(cut.1)?, against_a(cut.0)?)))
                        .into_iter()
                        .collect(),
                }
            }
        };
        let whole = |(x, y): &(ValueSet, ValueSet)| {
            !x.is_empty() && !y.is_empty() && self.decide(x, y) == Truth::Always
        };
        let mut found: Vec<_> = found.into_iter().filter(whole).collect();
        found.dedup();
        found.truncate(match split {
            Split::First => 2,
            Split::Middle => 1,
        });
        found
    }

    /// The right side keeps all that is related to the least word of the left.
    fn widest_right(
        self,
        least: u64,
        against_a: &impl Fn(u64) -> Option<ValueSet>,
        against_b: &impl Fn(u64) -> Option<ValueSet>,
    ) -> Option<(ValueSet, ValueSet)> {
        let right = against_a(least)?;
        let worst = self.ends(&right)?.0;
        Some((against_b(worst)?, right))
    }

    /// The left side keeps all that is related to the greatest word of the right.
    fn widest_left(
        self,
        most: u64,
        against_a: &impl Fn(u64) -> Option<ValueSet>,
        against_b: &impl Fn(u64) -> Option<ValueSet>,
    ) -> Option<(ValueSet, ValueSet)> {
        let left = against_b(most)?;
        let worst = self.ends(&left)?.1;
        Some((left, against_a(worst)?))
    }

    /// The largest word allowed on the left and the smallest on the right: neighbours, or the same
    /// word, in the middle of what the sides share.
    fn cut_in_the_middle(
        self,
        w: u32,
        ends_a: (u64, u64),
        ends_b: (u64, u64),
    ) -> Option<(u64, u64)> {
        let flip = match self {
            Relation::SignedBelow | Relation::SignedAtMost => 1u64 << (w - 1),
            Relation::Equal | Relation::Different | Relation::Below | Relation::AtMost => 0,
        };
        // In the order of unsigned words from here on. The left side must keep its least word and
        // the right side its greatest.
        let low = (ends_a.0 ^ flip).max(ends_b.0 ^ flip);
        let high = (ends_a.1 ^ flip).min(ends_b.1 ^ flip);
        let (low, high) = (low.min(high), low.max(high));
        let middle = low + (high - low) / 2;
        let strict = matches!(self, Relation::Below | Relation::SignedBelow);
        // left: words related to `right bound`, right: words `left bound` is related to.
        if strict {
            // The right side must keep its greatest word even if the middle is that word.
            let middle = middle.min((ends_b.1 ^ flip).checked_sub(1)?);
            Some((middle ^ flip, (middle + 1) ^ flip))
        } else {
            Some((middle ^ flip, middle ^ flip))
        }
    }
}

/// The words that differ from some word of a set.
fn all_but(w: u32, set: &ValueSet) -> ValueSet {
    match set.as_point() {
        Some(word) => {
            let rest = ValueSet::full(w).without(&ValueSet::point(w, word));
            rest.unwrap_or_else(|| ValueSet::full(w))
        }
        None => ValueSet::full(w),
    }
}

/// The words up to one, signed.
fn up_to(w: u32, word: u64) -> ValueSet {
    let flip = 1 << (w - 1);
    ValueSet::range(w, 0, word ^ flip).sign_flipped().set
}

/// The words from one on, signed.
fn from(w: u32, word: u64) -> ValueSet {
    let flip = 1 << (w - 1);
    ValueSet::range(w, word ^ flip, cairn_bv::mask(w))
        .sign_flipped()
        .set
}
