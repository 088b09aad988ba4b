//! What the presets use: the domains of two papers as subsets of one.

use cairn_domain::{Binary, Split, Unary, ValueSet};

/// A preset of the layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// Multi-intervals: no steps, no boxes, no division or remainder, no narrowing.
    Intervals,
    /// Strided boxes, observation 1: two candidate boxes, each favouring one side.
    StridedFirst,
    /// Strided boxes, observation 2: one box, cut in the middle.
    StridedMiddle,
    /// Everything.
    ValueSets,
}

/// The features that a preset uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) preset: Preset,
    /// How boxes are cut.
    pub(super) split: Split,
    /// Whether under-boxes are kept for the facts that follow.
    pub(super) keeps_boxes: bool,
    /// Whether a fact about several inputs may be solved for one of them.
    pub(super) solves_for_one: bool,
    /// Whether order between words is kept.
    pub(super) keeps_order: bool,
    /// Whether facts that are no comparison are read.
    pub(super) reads_structure: bool,
}

impl Settings {
    pub(super) fn of(preset: Preset) -> Settings {
        let whole = preset == Preset::ValueSets;
        Settings {
            preset,
            split: match preset {
                Preset::StridedFirst => Split::First,
                Preset::Intervals | Preset::StridedMiddle | Preset::ValueSets => Split::Middle,
            },
            keeps_boxes: preset != Preset::Intervals,
            solves_for_one: whole,
            keeps_order: whole,
            reads_structure: whole,
        }
    }

    /// Whether an operator may be taken forward.
    pub(super) fn forward(&self, f: Unary) -> bool {
        match self.preset {
            Preset::ValueSets => true,
            // §3.4: no narrowing, except that a right shift is one followed by an extension here.
            Preset::Intervals => match f {
                Unary::Neg
                | Unary::Not
                | Unary::Add(_)
                | Unary::Mul(_)
                | Unary::Shl(_)
                | Unary::Lshr(_)
                | Unary::ZeroExtend(_)
                | Unary::SignExtend(_)
                | Unary::Extract { .. }
                | Unary::Append { .. }
                | Unary::Prepend { .. } => true,
                Unary::Udiv(_)
                | Unary::Urem(_)
                | Unary::Sdiv(_)
                | Unary::Srem(_)
                | Unary::Smod(_)
                | Unary::And(_)
                | Unary::Or(_)
                | Unary::Xor(_)
                | Unary::Ashr(_) => false,
            },
            // The paper has addition, multiplication, division and remainder. Casts are allowed:
            // its programs have words of one size, those of C have not.
            Preset::StridedFirst | Preset::StridedMiddle => match f {
                Unary::Neg
                | Unary::Not
                | Unary::Add(_)
                | Unary::Mul(_)
                | Unary::Shl(_)
                | Unary::Lshr(_)
                | Unary::Udiv(_)
                | Unary::Urem(_)
                | Unary::ZeroExtend(_)
                | Unary::SignExtend(_)
                | Unary::Extract { .. }
                | Unary::Append { .. }
                | Unary::Prepend { .. } => true,
                Unary::Sdiv(_)
                | Unary::Srem(_)
                | Unary::Smod(_)
                | Unary::And(_)
                | Unary::Or(_)
                | Unary::Xor(_)
                | Unary::Ashr(_) => false,
            },
        }
    }

    /// Whether an operator may be taken backward.
    pub(super) fn backward(&self, f: Unary) -> bool {
        match self.preset {
            Preset::ValueSets => true,
            // §3.3.5: narrowing is refused.
            Preset::Intervals => {
                self.forward(f) && !matches!(f, Unary::Extract { .. } | Unary::Lshr(_))
            }
            // §IV-B: the remainder is refused.
            Preset::StridedFirst | Preset::StridedMiddle => {
                self.forward(f) && !matches!(f, Unary::Urem(_))
            }
        }
    }

    /// Whether an operator may be applied to two sets.
    pub(super) fn forward_binary(&self, f: Binary, a: &ValueSet, b: &ValueSet) -> bool {
        match (a.as_point(), b.as_point()) {
            (Some(_), Some(_)) => true,
            (_, Some(c)) => self.forward(f.with_right(b.width(), c)),
            (Some(c), None) => match f.with_left(a.width(), c) {
                Some(unary) => self.forward(unary),
                None => self.preset == Preset::ValueSets,
            },
            (None, None) => match f {
                Binary::Add | Binary::Concat => true,
                Binary::Mul
                | Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Udiv
                | Binary::Urem
                | Binary::Sdiv
                | Binary::Srem
                | Binary::Smod
                | Binary::Shl
                | Binary::Lshr
                | Binary::Ashr => self.preset == Preset::ValueSets,
            },
        }
    }

    /// Whether a set of an input can be held. Intervals have steps only while a term is folded (the
    /// left-shift attribute of §3.4.7).
    pub(super) fn holds(&self, set: &ValueSet) -> bool {
        self.preset != Preset::Intervals || set.is_intervals()
    }
}
