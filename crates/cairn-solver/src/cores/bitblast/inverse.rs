//! Which values of one variable make a condition true.
//!
//! - **Problem.** A model violates a condition. The gates below it know only bits, so a search over
//!   them finds a carry chain again that a subtraction would have told.
//! - **Idea.** From the condition down to the variable there is mostly one way. A comparison with
//!   known words asks for a range; each operator on the way turns a set of results into the set
//!   of operands that yield it (`ranges.rs`). What stands beside the way is known as a word, or
//!   as a set of words ([`View`]): the same walk serves moves from a model (`moves.rs`) and
//!   the propagation of bounds (`bounds.rs`).
//! - **Source.** Inverse values as in propagation-based local search for bit-vectors
//!   [NiemetzPreinerBiere17], for sets instead of single values.
//! - **Soundness.** The result has every value of the variable for which the condition can be true
//!   with some of the words that stand beside; with single words it has no other. Operators
//!   for which that is not so give `None`.

use super::linear::{Comparison, compare, line};
use super::ranges::{Ranges, mask};
use cairn_expr::{Op, Sort, Table, Term};

/// Conjunctions are followed to this depth.
const DEEPEST: u32 = 16;

/// One variable, and what is known of terms that do not mention it.
pub trait View {
    /// The variable's width; 1 for a Boolean.
    fn width(&self) -> u32;
    /// Whether a term is the variable.
    fn is_variable(&mut self, term: &Term) -> bool;
    /// Whether the variable is an array symbol's element.
    fn is_cell(&mut self, array: &Term, index: u64) -> bool;
    /// Whether a term depends on the variable, or may.
    fn mentions(&mut self, term: &Term) -> bool;
    /// The words a term can be.
    fn values(&mut self, term: &Term) -> Option<Ranges>;
    /// Where an array symbol holds one of these elements.
    fn indices(&mut self, array: &Term, elements: &Ranges) -> Option<Ranges>;
}

/// The values of the variable for which a Boolean term that mentions it can be `want`.
pub fn solutions(term: &Term, want: bool, view: &mut impl View) -> Option<Ranges> {
    of_bool(term.clone(), want, view, 0)
}

/// All values if `possible`, otherwise none.
fn either(possible: bool, width: u32) -> Ranges {
    if possible {
        Ranges::full(width)
    } else {
        Ranges::empty(width)
    }
}

fn of_bool(mut term: Term, mut want: bool, view: &mut impl View, depth: u32) -> Option<Ranges> {
    let all = Ranges::full(view.width());
    loop {
        if view.is_variable(&term) {
            return Some(Ranges::point(1, u64::from(want)));
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
                    return twice(&term, Comparison::Equal, want, view);
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
                    return twice(&term, how, want, view);
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

/// Both sides mention the variable, or nothing is known.
fn twice(term: &Term, how: Comparison, want: bool, view: &mut impl View) -> Option<Ranges> {
    let (a, b) = (line(term.arg(0), view)?, line(term.arg(1), view)?);
    if !view.mentions(term.arg(0)) {
        return None;
    }
    compare(view.width(), a, b, how, want)
}

/// The words that can be less than one of `beside` (`left`), or greater, or not so.
fn compared(beside: &Ranges, left: bool, want: bool) -> Ranges {
    let width = beside.width();
    let (Some(least), Some(most)) = (beside.min(), beside.max()) else {
        return Ranges::empty(width);
    };
    match (left, want) {
        (true, true) if most == 0 => Ranges::empty(width),
        (true, true) => Ranges::range(width, 0, most - 1),
        (true, false) => Ranges::range(width, least, mask(width)),
        (false, true) if least == mask(width) => Ranges::empty(width),
        (false, true) => Ranges::range(width, least + 1, mask(width)),
        (false, false) => Ranges::range(width, 0, most),
    }
}

/// The operand that mentions the variable, the other one, and whether the first is the left one.
fn split(term: &Term, view: &mut impl View) -> Option<(Term, Term, bool)> {
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

fn of_word(mut term: Term, mut target: Ranges, view: &mut impl View) -> Option<Ranges> {
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
                    let sum = line(&term, view).filter(|_| view.mentions(term.arg(0)))?;
                    let minus = Ranges::point(target.width(), sum.offset).negated();
                    return target.plus(&minus)?.divided(sum.factor);
                };
                target = target.plus(&view.values(&beside)?.negated())?;
                term = below;
            }
            Op::BvMul => {
                let (below, beside, _) = split(&term, view)?;
                target = target.divided(view.values(&beside)?.as_point()?)?;
                term = below;
            }
            Op::BvNot => {
                target = target.inverted();
                term = term.arg(0).clone();
            }
            Op::BvNeg => {
                target = target.negated();
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
                    .before_zero_extension(target.width() - bits)?
                    .before_extraction(target.width(), 0)?;
                term = below;
            }
            Op::ZeroExtend(n) => {
                target = target.before_zero_extension(*n)?;
                term = term.arg(0).clone();
            }
            Op::SignExtend(n) => {
                target = target.before_sign_extension(*n)?;
                term = term.arg(0).clone();
            }
            Op::Extract { lo, .. } if term.arg(0).width() <= 64 => {
                target = target.before_extraction(term.arg(0).width(), *lo)?;
                term = term.arg(0).clone();
            }
            Op::Concat => {
                let (high, low) = (term.arg(0), term.arg(1));
                let next = match (view.mentions(high), view.mentions(low)) {
                    (true, false) => {
                        target = target.before_low_part(&view.values(low)?)?;
                        high.clone()
                    }
                    (false, true) => {
                        let known = view.values(high)?.as_point()?;
                        target = target.before_high_part(known, low.width())?;
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
            Op::Select => match below_read(&term, &target, view)? {
                Below::Solved(found) => return Some(found),
                Below::Term(next, set) => {
                    term = next;
                    target = set;
                }
            },
            _ => return None,
        }
    }
}

/// All values of the variable if a term that does not depend on it can be in the set.
fn known_word(term: &Term, target: &Ranges, view: &mut impl View) -> Option<Ranges> {
    let possible = !view.values(term)?.intersect(target)?.is_empty();
    Some(either(possible, view.width()))
}

/// Where a read leads.
enum Below {
    Solved(Ranges),
    Term(Term, Ranges),
}

fn below_read(read: &Term, target: &Ranges, view: &mut impl View) -> Option<Below> {
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
        return Some(Below::Term(index.clone(), indices));
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
                return Some(Below::Solved(target.clone()));
            }
            Op::Symbol(_) | Op::Table(_) => read.clone(),
            _ => return None,
        };
        return if value != *read && view.mentions(&value) {
            Some(Below::Term(value, target.clone()))
        } else {
            known_word(&value, target, view).map(Below::Solved)
        };
    }
}

/// Where a table holds one of these elements.
fn table_indices(table: &Table, elements: &Ranges) -> Option<Ranges> {
    let cells = table.values().iter().enumerate();
    let listed = cells.map(|(i, v)| Some((i as u64, v.to_u64()?)));
    let default = table.default_value().to_u64()?;
    Ranges::places(table.index_width(), elements, listed, default)
}
