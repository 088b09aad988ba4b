//! Inversion: the values of one variable for which a condition can hold.
//!
//! # Problem
//! A model violates a condition. A search over gates knows only bits, so it finds a carry chain where a
//! subtraction would give the answer.
//!
//! # Idea
//! From the condition down to the variable there is mostly one path. A comparison leaves a range; each
//! operator on the path maps a set of results to the set of operands that yield it
//! ([`cairn_domain::RangeSet`]). The operands beside the path are known as words or as sets of words
//! ([`VariableView`]), so that one walk serves model repair (`model_repair.rs`) and domain propagation
//! (`domains.rs`). These are the inverse values of \[NiemetzPreinerBiere17\].
//!
//! # What differs
//! Sets of values instead of single ones.
//!
//! # Soundness
//! The result contains every value of the variable for which the condition can hold with some of the values
//! of the operands beside; if those are single words, it contains no other. Operators for which that is not
//! so give `None`.

use super::affine::{Comparison, affine, compare};
use cairn_bv::mask;
use cairn_domain::RangeSet;
use cairn_expr::{Op, Sort, Table, Term};

/// Conjunctions are inverted down to this depth.
const DEEPEST: u32 = 16;

/// One variable, and what is known about terms that do not mention it.
pub trait VariableView {
    /// The variable's width; 1 for a Boolean.
    fn width(&self) -> u32;
    /// Whether a term is the variable.
    fn is_variable(&mut self, term: &Term) -> bool;
    /// Whether the variable is an array symbol's element.
    fn is_cell(&mut self, array: &Term, index: u64) -> bool;
    /// Whether a term depends on the variable, or may.
    fn mentions(&mut self, term: &Term) -> bool;
    /// The values that a term can have.
    fn values(&mut self, term: &Term) -> Option<RangeSet>;
    /// The indices at which an array symbol holds one of these elements.
    fn indices(&mut self, array: &Term, elements: &RangeSet) -> Option<RangeSet>;
}

/// The values of the variable for which a Boolean term that mentions it can be `want`.
pub fn solutions(term: &Term, want: bool, view: &mut impl VariableView) -> Option<RangeSet> {
    of_bool(term.clone(), want, view, 0)
}

/// All values if `possible`, otherwise none.
fn either(possible: bool, width: u32) -> RangeSet {
    if possible {
        RangeSet::full(width)
    } else {
        RangeSet::empty(width)
    }
}

fn of_bool(
    mut term: Term,
    mut want: bool,
    view: &mut impl VariableView,
    depth: u32,
) -> Option<RangeSet> {
    let all = RangeSet::full(view.width());
    loop {
        if view.is_variable(&term) {
            return Some(RangeSet::point(1, u64::from(want)));
        }
        match term.op() {
            Op::Not => {
                want = !want;
                term = term.arg(0).clone();
            }
            Op::And if depth < DEEPEST => {
                let mut found = either(want, view.width());
                for arg in term.args() {
                    let part = if view.mentions(arg) {
                        of_bool(arg.clone(), want, view, depth + 1)?
                    } else {
                        let possible = view.values(arg)?.contains(u64::from(want));
                        either(possible, view.width())
                    };
                    found = if want {
                        found.intersect(&part)?
                    } else {
                        found.union(&part)?
                    };
                }
                return Some(found);
            }
            Op::Eq if term.arg(0).sort() == Sort::Bool => {
                let (below, beside, _) = split(&term, view)?;
                match view.values(&beside)?.as_point() {
                    Some(known) => want = want == (known == 1),
                    None => return Some(all),
                }
                term = below;
            }
            Op::Eq if !term.arg(0).sort().is_array() => {
                let Some((below, beside, _)) = split(&term, view) else {
                    return both_sides(&term, Comparison::Equal, want, view);
                };
                let beside = view.values(&beside)?;
                let target = match beside.as_point() {
                    _ if want => beside,
                    Some(_) => beside.complement(),
                    None => return Some(all),
                };
                return of_word(below, target, view);
            }
            Op::BvUlt | Op::BvSlt => {
                let signed = matches!(term.op(), Op::BvSlt);
                let Some((below, beside, left)) = split(&term, view) else {
                    let how = if signed {
                        Comparison::LessSigned
                    } else {
                        Comparison::Less
                    };
                    return both_sides(&term, how, want, view);
                };
                let mut beside = view.values(&beside)?;
                if signed {
                    beside = beside.sign_flipped()?;
                }
                let mut target = compared(&beside, left, want);
                if signed {
                    target = target.sign_flipped()?;
                }
                return of_word(below, target, view);
            }
            _ => return None,
        }
    }
}

/// A comparison both sides of which mention the variable; `None` if they are not affine in it.
fn both_sides(
    term: &Term,
    how: Comparison,
    want: bool,
    view: &mut impl VariableView,
) -> Option<RangeSet> {
    let (a, b) = (affine(term.arg(0), view)?, affine(term.arg(1), view)?);
    if !view.mentions(term.arg(0)) {
        return None;
    }
    compare(view.width(), a, b, how, want)
}

/// The words `x` for which `x < y` (`left`) or `y < x` can be `want` for some `y` in `beside`.
fn compared(beside: &RangeSet, left: bool, want: bool) -> RangeSet {
    let width = beside.width();
    let (Some(least), Some(most)) = (beside.min(), beside.max()) else {
        return RangeSet::empty(width);
    };
    match (left, want) {
        (true, true) if most == 0 => RangeSet::empty(width),
        (true, true) => RangeSet::range(width, 0, most - 1),
        (true, false) => RangeSet::range(width, least, mask(width)),
        (false, true) if least == mask(width) => RangeSet::empty(width),
        (false, true) => RangeSet::range(width, least + 1, mask(width)),
        (false, false) => RangeSet::range(width, 0, most),
    }
}

/// The operand that mentions the variable, the other one, and whether the first is the left one.
fn split(term: &Term, view: &mut impl VariableView) -> Option<(Term, Term, bool)> {
    let (a, b) = (term.arg(0), term.arg(1));
    if let Sort::BitVec(w) = a.sort()
        && w > 64
    {
        return None;
    }
    match (view.mentions(a), view.mentions(b)) {
        (true, false) => Some((a.clone(), b.clone(), true)),
        (false, true) => Some((b.clone(), a.clone(), false)),
        _ => None,
    }
}

fn of_word(mut term: Term, mut target: RangeSet, view: &mut impl VariableView) -> Option<RangeSet> {
    loop {
        if view.is_variable(&term) {
            return Some(target);
        }
        if target.is_full() || target.is_empty() {
            return Some(either(target.is_full(), view.width()));
        }
        match term.op() {
            Op::BvAdd => {
                let Some((below, beside, _)) = split(&term, view) else {
                    let sum = affine(&term, view).filter(|_| view.mentions(term.arg(0)))?;
                    let minus = RangeSet::point(target.width(), sum.offset).image_neg();
                    return target.image_add(&minus)?.preimage_mul(sum.factor);
                };
                target = target.image_add(&view.values(&beside)?.image_neg())?;
                term = below;
            }
            Op::BvMul => {
                let (below, beside, _) = split(&term, view)?;
                target = target.preimage_mul(view.values(&beside)?.as_point()?)?;
                term = below;
            }
            Op::BvNot => {
                target = target.image_not();
                term = term.arg(0).clone();
            }
            Op::BvNeg => {
                target = target.image_neg();
                term = term.arg(0).clone();
            }
            Op::BvAnd => {
                let (below, beside, _) = split(&term, view)?;
                let kept = view.values(&beside)?.as_point()?;
                if !kept.wrapping_add(1).is_power_of_two() || kept == 0 {
                    return None;
                }
                let bits = kept.trailing_ones();
                target = target
                    .preimage_zero_extend(target.width() - bits)?
                    .preimage_extract(target.width(), 0)?;
                term = below;
            }
            Op::ZeroExtend(n) => {
                target = target.preimage_zero_extend(*n)?;
                term = term.arg(0).clone();
            }
            Op::SignExtend(n) => {
                target = target.preimage_sign_extend(*n)?;
                term = term.arg(0).clone();
            }
            Op::Extract { lo, .. } if term.arg(0).width() <= 64 => {
                target = target.preimage_extract(term.arg(0).width(), *lo)?;
                term = term.arg(0).clone();
            }
            Op::Concat => {
                let (high, low) = (term.arg(0), term.arg(1));
                let next = match (view.mentions(high), view.mentions(low)) {
                    (true, false) => {
                        target = target.preimage_concat_high(&view.values(low)?)?;
                        high.clone()
                    }
                    (false, true) => {
                        let known = view.values(high)?.as_point()?;
                        target = target.preimage_concat_low(known, low.width())?;
                        low.clone()
                    }
                    _ => return None,
                };
                term = next;
            }
            Op::Ite if !view.mentions(term.arg(0)) => {
                let known = view.values(term.arg(0))?.as_point()?;
                let taken = term.arg(if known == 1 { 1 } else { 2 }).clone();
                if !view.mentions(&taken) {
                    return known_word(&taken, &target, view);
                }
                term = taken;
            }
            Op::Select => match invert_read(&term, &target, view)? {
                ReadInversion::Solved(found) => return Some(found),
                ReadInversion::Term(next, set) => {
                    term = next;
                    target = set;
                }
            },
            _ => return None,
        }
    }
}

/// All values of the variable if a term that does not mention it can be in the set, otherwise none.
fn known_word(term: &Term, target: &RangeSet, view: &mut impl VariableView) -> Option<RangeSet> {
    let possible = !view.values(term)?.intersect(target)?.is_empty();
    Some(either(possible, view.width()))
}

/// The inversion of a read.
enum ReadInversion {
    Solved(RangeSet),
    Term(Term, RangeSet),
}

fn invert_read(
    read: &Term,
    target: &RangeSet,
    view: &mut impl VariableView,
) -> Option<ReadInversion> {
    let index = read.arg(1);
    if index.width() > 64 {
        return None;
    }
    if view.mentions(index) {
        let indices = match read.arg(0).op() {
            Op::Table(table) => table_indices(table, target)?,
            Op::Symbol(_) => view.indices(read.arg(0), target)?,
            _ => return None,
        };
        return Some(ReadInversion::Term(index.clone(), indices));
    }
    let at = view.values(index)?.as_point()?;
    let mut array = read.arg(0).clone();
    loop {
        let value = match array.op() {
            Op::Store => {
                if view.mentions(array.arg(1)) {
                    return None;
                }
                if view.values(array.arg(1))?.as_point()? != at {
                    array = array.arg(0).clone();
                    continue;
                }
                array.arg(2).clone()
            }
            Op::ConstArray { .. } => array.arg(0).clone(),
            Op::Symbol(_) if view.is_cell(&array, at) => {
                return Some(ReadInversion::Solved(target.clone()));
            }
            Op::Symbol(_) | Op::Table(_) => read.clone(),
            _ => return None,
        };
        return if value != *read && view.mentions(&value) {
            Some(ReadInversion::Term(value, target.clone()))
        } else {
            known_word(&value, target, view).map(ReadInversion::Solved)
        };
    }
}

/// The indices at which a table holds one of these elements.
fn table_indices(table: &Table, elements: &RangeSet) -> Option<RangeSet> {
    let cells = table.values().iter().enumerate();
    let listed = cells.map(|(i, v)| Some((i as u64, v.to_u64()?)));
    let default = table.default_value().to_u64()?;
    RangeSet::indices_holding(table.index_width(), elements, listed, default)
}
