//! Evaluating terms over sets: the values that a term can have while its inputs have theirs.
//!
//! The result encloses the term's values, and says whether it is exact *for the product of the inputs' sets*: only
//! if every rule on the way is exact and no two operands share an input (`x - x`, `x + x`; the rules as published do
//! not check that). Work is bounded: a term that is too deep can have any value.

use super::known::Key;
use super::settings::Settings;
use cairn_domain::{Binary, Enclosure, Relation, StridedInterval, Truth, Unary, ValueSet};
use cairn_expr::{BitVec, Op, Sort, Support, SupportKey, Table, Term};
use std::cell::Cell;

/// How many nodes are visited for one term.
const NODES: u32 = 96;
/// How deep.
const DEPTH: u32 = 24;
/// The largest part of a table that is read element by element.
const TABLE: u64 = 256;

/// The source of the sets of inputs.
pub(super) trait InputSets {
    /// The values of an input; `None` if it has no set.
    fn input(&self, key: Key) -> Option<ValueSet>;

    /// The set that a fact gives to a term itself.
    fn narrowed(&self, term: &Term, set: ValueSet) -> ValueSet;
}

/// Evaluates terms over a view.
pub(super) struct Forward<'a, V: InputSets> {
    pub(super) view: &'a V,
    pub(super) settings: &'a Settings,
    left: Cell<u32>,
}

/// The words of a bit-vector term or a truth value; `None` if it has more than 64 bits or is an
/// array.
pub(super) fn width_of(term: &Term) -> Option<u32> {
    match term.sort() {
        Sort::Bool => Some(1),
        Sort::BitVec(w) if w <= 64 => Some(w),
        Sort::BitVec(_) | Sort::Array { .. } => None,
    }
}

/// The inputs of a term, if they are not too many.
pub(super) fn keys(term: &Term) -> Option<&[SupportKey]> {
    match &term.attributes().support {
        Support::Keys(keys) => Some(keys),
        Support::Many => None,
    }
}

/// Whether two terms share no input. Array symbols count as a whole.
pub(super) fn unrelated(a: &Term, b: &Term) -> bool {
    let (Some(a), Some(b)) = (keys(a), keys(b)) else {
        return false;
    };
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (&a[i], &b[j]);
        let overlap =
            x.symbol == y.symbol && (x.cell == y.cell || x.cell.is_none() || y.cell.is_none());
        if overlap {
            return false;
        }
        if x < y { i += 1 } else { j += 1 }
    }
    true
}

/// Whether a term depends on an input.
pub(super) fn depends(term: &Term, key: Key) -> bool {
    match keys(term) {
        Some(keys) => keys.iter().any(|k| {
            k.symbol == key.symbol() && (k.cell.is_none() || Key::of_support(k) == Some(key))
        }),
        None => true,
    }
}

/// The relation a comparison stands for when it has a truth value, and its sides.
pub(super) fn relation(term: &Term, truth: bool) -> Option<(Relation, &Term, &Term)> {
    let positive = match term.op() {
        Op::Eq => Relation::Equal,
        Op::BvUlt => Relation::Below,
        Op::BvSlt => Relation::SignedBelow,
        _ => return None,
    };
    let (a, b) = (term.arg(0), term.arg(1));
    width_of(a)?;
    if truth {
        return Some((positive, a, b));
    }
    let (negated, exchanged) = positive.negated();
    Some(if exchanged {
        (negated, b, a)
    } else {
        (negated, a, b)
    })
}

/// The operator of two words that a term stands for.
pub(super) fn binary(op: &Op) -> Option<Binary> {
    Some(match op {
        Op::BvAnd => Binary::And,
        Op::BvOr => Binary::Or,
        Op::BvXor => Binary::Xor,
        Op::BvAdd => Binary::Add,
        Op::BvMul => Binary::Mul,
        Op::BvUdiv => Binary::Udiv,
        Op::BvUrem => Binary::Urem,
        Op::BvSdiv => Binary::Sdiv,
        Op::BvSrem => Binary::Srem,
        Op::BvSmod => Binary::Smod,
        Op::BvShl => Binary::Shl,
        Op::BvLshr => Binary::Lshr,
        Op::BvAshr => Binary::Ashr,
        Op::Concat => Binary::Concat,
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::Ite
        | Op::BvNot
        | Op::BvNeg
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => return None,
    })
}

/// The operator of one word that a term with one operand stands for.
pub(super) fn unary(op: &Op) -> Option<Unary> {
    match op {
        Op::BvNot => Some(Unary::Not),
        Op::BvNeg => Some(Unary::Neg),
        Op::Extract { hi, lo } => Some(Unary::Extract { hi: *hi, lo: *lo }),
        Op::ZeroExtend(n) => Some(Unary::ZeroExtend(*n)),
        Op::SignExtend(n) => Some(Unary::SignExtend(*n)),
        _ => None,
    }
}

impl<'a, V: InputSets> Forward<'a, V> {
    pub(super) fn new(view: &'a V, settings: &'a Settings) -> Self {
        Forward {
            view,
            settings,
            left: Cell::new(NODES),
        }
    }

    /// The values of a term of at most 64 bits (or a truth value, as a bit).
    pub(super) fn values(&self, term: &Term) -> Enclosure {
        self.at(term, DEPTH)
    }

    fn anything(term: &Term) -> Enclosure {
        Enclosure {
            set: ValueSet::full(width_of(term).unwrap_or(64)),
            exact: false,
        }
    }

    fn at(&self, term: &Term, depth: u32) -> Enclosure {
        if let Some(c) = term.as_const() {
            return Enclosure::exact(ValueSet::point(c.width().min(64), c.low_u64()));
        }
        let Some(key) = Key::of_term(term) else {
            let left = self.left.get();
            if depth == 0 || left == 0 || width_of(term).is_none() {
                return self.about(term, Self::anything(term));
            }
            self.left.set(left - 1);
            let found = self.composed(term, depth - 1);
            return self.about(term, found);
        };
        match self.view.input(key) {
            Some(set) => Enclosure::exact(set),
            None => Self::anything(term),
        }
    }

    /// With what is known about the term itself.
    fn about(&self, term: &Term, found: Enclosure) -> Enclosure {
        Enclosure {
            set: self.view.narrowed(term, found.set),
            exact: found.exact,
        }
    }

    fn composed(&self, term: &Term, depth: u32) -> Enclosure {
        if let Some(f) = unary(term.op()) {
            if width_of(term.arg(0)).is_none() || !self.settings.forward(f) {
                return Self::anything(term);
            }
            let inner = self.at(term.arg(0), depth);
            let made = f.image(&inner.set);
            return Enclosure {
                exact: made.exact && inner.exact,
                ..made
            };
        }
        if let Some(f) = binary(term.op()) {
            let (x, y) = (self.at(term.arg(0), depth), self.at(term.arg(1), depth));
            if !self.settings.forward_binary(f, &x.set, &y.set) {
                return Self::anything(term);
            }
            let made = f.image(&x.set, &y.set);
            let points = x.set.as_point().is_some() || y.set.as_point().is_some();
            let exact = made.exact && x.exact && y.exact;
            return Enclosure {
                exact: exact && (points || unrelated(term.arg(0), term.arg(1))),
                ..made
            };
        }
        match term.op() {
            Op::Bool(b) => Enclosure::exact(ValueSet::point(1, u64::from(*b))),
            Op::Base(base) => Enclosure::exact(ValueSet::point(64, base.address)),
            Op::Not | Op::And | Op::Eq | Op::BvUlt | Op::BvSlt => {
                match self.truth_at(term, depth) {
                    Truth::Always => Enclosure::exact(ValueSet::point(1, 1)),
                    Truth::Never => Enclosure::exact(ValueSet::point(1, 0)),
                    Truth::Sometimes => Self::anything(term),
                }
            }
            Op::Ite => match self.truth_at(term.arg(0), depth) {
                Truth::Always => self.at(term.arg(1), depth),
                Truth::Never => self.at(term.arg(2), depth),
                Truth::Sometimes => {
                    let (x, y) = (self.at(term.arg(1), depth), self.at(term.arg(2), depth));
                    Enclosure {
                        exact: false,
                        ..x.set.union(&y.set)
                    }
                }
            },
            Op::Select => match term.arg(0).op() {
                Op::Table(table) => self.element(term, table, depth),
                _ => Self::anything(term),
            },
            _ => Self::anything(term),
        }
    }

    /// The values of a read of a table: the elements at the index's values, or, if there are many, what all elements
    /// that are listed lie between.
    fn element(&self, term: &Term, table: &Table, depth: u32) -> Enclosure {
        let index = self.at(term.arg(1), depth);
        let (Some(low), Some(high)) = (index.set.min(), index.set.max()) else {
            return Self::anything(term);
        };
        let (Some(w), width) = (width_of(term.arg(1)), term.width()) else {
            return Self::anything(term);
        };
        if high - low > TABLE {
            let Some(spread) = table.spread() else {
                return Self::anything(term);
            };
            let listed = match spread.step {
                0 => StridedInterval::point(spread.least),
                step => StridedInterval::up_to(spread.least, spread.largest, step),
            };
            let beyond = StridedInterval::point(table.default_value().low_u64());
            let pieces = match high < table.values().len() as u64 {
                true => &[listed][..],
                false => &[listed, beyond][..],
            };
            return Enclosure {
                exact: false,
                ..ValueSet::from_pieces(width, pieces)
            };
        }
        let words = index.set.iter().take(TABLE as usize + 1);
        let read = words.map(|i| table.get(&BitVec::new(w, i)).low_u64());
        let pieces: Vec<_> = read.map(StridedInterval::point).collect();
        let made = ValueSet::from_pieces(width, &pieces);
        Enclosure {
            exact: made.exact && index.exact,
            ..made
        }
    }

    /// Whether a Boolean term holds for all points of the view, for none, or neither is known.
    pub(super) fn truth(&self, term: &Term) -> Truth {
        self.truth_at(term, DEPTH)
    }

    /// Whether the values leave it open.
    pub(super) fn is_open(&self, term: &Term) -> bool {
        self.truth(term) == Truth::Sometimes
    }

    fn truth_at(&self, term: &Term, depth: u32) -> Truth {
        if let Some(b) = term.as_bool() {
            return if b { Truth::Always } else { Truth::Never };
        }
        if depth == 0 {
            return Truth::Sometimes;
        }
        match term.op() {
            Op::Not => match self.truth_at(term.arg(0), depth - 1) {
                Truth::Always => Truth::Never,
                Truth::Never => Truth::Always,
                Truth::Sometimes => Truth::Sometimes,
            },
            Op::And => {
                let sides = [term.arg(0), term.arg(1)].map(|t| self.truth_at(t, depth - 1));
                if sides.contains(&Truth::Never) {
                    Truth::Never
                } else if sides == [Truth::Always; 2] {
                    Truth::Always
                } else {
                    Truth::Sometimes
                }
            }
            Op::Eq | Op::BvUlt | Op::BvSlt => match relation(term, true) {
                Some((relation, a, b)) => {
                    let (x, y) = (self.at(a, depth - 1), self.at(b, depth - 1));
                    relation.decide(&x.set, &y.set)
                }
                None => Truth::Sometimes,
            },
            _ => match self.at(term, depth - 1).set.as_point() {
                Some(0) => Truth::Never,
                Some(_) => Truth::Always,
                None => Truth::Sometimes,
            },
        }
    }
}
