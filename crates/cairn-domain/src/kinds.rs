//! Exact, under- and over-approximating sets as three types, so that one is not taken for another.
//!
//! - [`Exact`]: all and only the values. It proves possibility and impossibility.
//! - [`Under`]: some of the values. It proves that something is possible.
//! - [`Over`]: at least the values. It proves that something is impossible.
//!
//! `new` states that a set is of its kind: who calls it must know why that is so. Exact sets convert to the others; nothing
//! else converts. Operators keep the kind: an enclosing result is valid for [`Over`] alone, and the others need an exact rule and
//! return `None` without one.

use crate::set::ValueSet;
use crate::unary::Unary;

/// All and only the values of something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exact(ValueSet);

/// Some of the values of something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Under(ValueSet);

/// The values of something, perhaps among others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over(ValueSet);

impl Exact {
    /// States that a set is exact.
    pub fn new(set: ValueSet) -> Self {
        Exact(set)
    }

    /// The values of something that nothing is known about.
    pub fn full(width: u32) -> Self {
        Exact(ValueSet::full(width))
    }

    /// The set.
    pub fn set(&self) -> &ValueSet {
        &self.0
    }

    /// As some of the values.
    pub fn to_under(&self) -> Under {
        Under(self.0.clone())
    }

    /// As at least the values.
    pub fn to_over(&self) -> Over {
        Over(self.0.clone())
    }

    /// The image under an operator, if the rule is exact.
    pub fn image(&self, f: Unary) -> Option<Exact> {
        f.image(&self.0).if_exact().map(Exact)
    }

    /// The values of a domain that an operator takes into it, if that can be said exactly.
    pub fn preimage(&self, f: Unary, domain: &Exact) -> Option<Exact> {
        f.preimage(&self.0, &domain.0).if_exact().map(Exact)
    }

    /// The values that are in both.
    pub fn meet(&self, other: &Exact) -> Option<Exact> {
        self.0.intersect(&other.0).map(Exact)
    }
}

impl Under {
    /// States that a set has only values of something.
    pub fn new(set: ValueSet) -> Self {
        Under(set)
    }

    /// The set.
    pub fn set(&self) -> &ValueSet {
        &self.0
    }

    /// Some values an operator makes of it.
    pub fn image(&self, f: Unary) -> Option<Under> {
        f.image(&self.0).if_exact().map(Under)
    }

    /// Some values of a domain that an operator takes into it.
    pub fn preimage(&self, f: Unary, domain: &Under) -> Option<Under> {
        f.preimage(&self.0, &domain.0).if_exact().map(Under)
    }

    /// The values that are in both.
    pub fn meet(&self, other: &Under) -> Option<Under> {
        self.0.intersect(&other.0).map(Under)
    }
}

impl Over {
    /// States that a set has all values of something.
    pub fn new(set: ValueSet) -> Self {
        Over(set)
    }

    /// All words of a width: nothing known.
    pub fn full(width: u32) -> Self {
        Over(ValueSet::full(width))
    }

    /// The set.
    pub fn set(&self) -> &ValueSet {
        &self.0
    }

    /// A superset of the image under an operator.
    pub fn image(&self, f: Unary) -> Over {
        Over(f.image(&self.0).set)
    }

    /// The values of a domain that an operator may take into it.
    pub fn preimage(&self, f: Unary, domain: &Over) -> Over {
        Over(f.preimage(&self.0, &domain.0).set)
    }

    /// The values of this set that are in the other one, and some more of this one where that has too many pieces.
    pub fn narrowed_by(&self, other: &Over) -> Over {
        Over(self.0.narrowed(&other.0))
    }
}
