//! From facts about words to inequalities over the integers.
//!
//! # Idea
//! A word stands for its unsigned number. Where an operator may wrap around, the number is the exact sum minus a
//! multiple of 2^w, with a variable for the multiple; where bounds exclude wrapping there is no such variable.
//! Extraction, division and remainder by a constant are a quotient and a remainder. A sign is a variable that is
//! 0 or 1. An operator that is not linear is a variable with the bounds that the operator allows:
//!
//! | operator | bounds |
//! |---|---|
//! | `urem x c` | 0 to c - 1 for c ≥ 1; x for c = 0 (in the paper: up to c) |
//! | `bvand a b` | 0 to a, and to b; exact for a mask of low bits |
//! | `bvor a b` | a and b to a + b, below 2^w (in the paper: up to 2^w) |
//! | `bvxor a b` | 0 to a + b |
//! | a read of a table | the elements at the possible indices (`system.rs`) |
//! | another read | 0 to the largest element |
//!
//! # What differs
//! In the paper an index is required to be inside its array. That holds only if facts say so, and then they do.
//!
//! # Soundness
//! Every model of the facts satisfies the inequalities. Conditions that are not linear (`≠`, disjunctions) give
//! no inequality.

use super::system::{FactPositions, IntegerSum, Read, Row, System, number};
use cairn_expr::{Op, Sort, Term};
use rustc_hash::FxHashMap;

/// Most terms visited for one query.
const MOST_TERMS: usize = 600;
/// Conditions of one fact.
const MOST_CONDITIONS: usize = 32;

/// A system in the making.
pub(super) struct Abstraction {
    pub(super) system: System,
    known: FxHashMap<u32, IntegerSum>,
    /// Keeps the terms alive whose ids are keys.
    held: Vec<Term>,
    /// The last fact gave up because there is too much to look at.
    pub(super) full: bool,
}

fn width(term: &Term) -> Option<u32> {
    match term.sort() {
        Sort::BitVec(w) if w <= 64 => Some(w),
        Sort::Bool | Sort::BitVec(_) | Sort::Array { .. } => None,
    }
}

impl Abstraction {
    pub(super) fn new() -> Self {
        Abstraction {
            system: System::default(),
            known: FxHashMap::default(),
            held: Vec::new(),
            full: false,
        }
    }

    /// Adds what follows from a fact, in linear terms.
    pub(super) fn add(&mut self, fact: &Term, position: u32) {
        let mut conditions: Vec<(Term, bool)> = vec![(fact.clone(), true)];
        let mut looked = 0;
        while let Some((term, holds)) = conditions.pop() {
            looked += 1;
            if looked > MOST_CONDITIONS || self.full {
                return;
            }
            match term.op() {
                Op::Not => conditions.push((term.arg(0).clone(), !holds)),
                Op::And if holds => {
                    conditions.extend(term.args().iter().map(|t| (t.clone(), true)));
                }
                Op::Eq if holds && width(term.arg(0)).is_some() => {
                    let sides = self.sum(term.arg(0)).zip(self.sum(term.arg(1)));
                    if let Some((a, b)) = sides {
                        self.at_most(a.plus(&b, -1), position);
                        self.at_most(b.plus(&a, -1), position);
                    }
                }
                Op::BvUlt | Op::BvSlt if width(term.arg(0)).is_some() => {
                    let signed = matches!(term.op(), Op::BvSlt);
                    let mut side = |i: usize| {
                        let sum = self.sum(term.arg(i))?;
                        match signed {
                            true => self.signed(&sum, term.arg(i).width()),
                            false => Some(sum),
                        }
                    };
                    let Some((a, b)) = side(0).zip(side(1)) else {
                        continue;
                    };
                    // a < b is a + 1 <= b; its negation is b <= a.
                    let row = match holds {
                        true => a
                            .plus(&b, -1)
                            .and_then(|s| s.plus(&IntegerSum::number(1), 1)),
                        false => b.plus(&a, -1),
                    };
                    self.at_most(row, position);
                }
                _ => {}
            }
        }
    }

    /// A sum is at most zero, by a fact.
    fn at_most(&mut self, sum: Option<IntegerSum>, position: u32) {
        if let Some(sum) = sum {
            let why = FactPositions::from_slice(&[position]);
            self.system.rows.push(Row { sum, why });
        }
    }

    /// A sum is at most zero whatever the facts are.
    fn always(&mut self, sum: Option<IntegerSum>) {
        if let Some(sum) = sum {
            let why = FactPositions::new();
            self.system.rows.push(Row { sum, why });
        }
    }

    /// A new variable between two numbers.
    fn between(&mut self, low: i128, high: i128) -> IntegerSum {
        IntegerSum::variable(self.system.fresh(low, high))
    }

    /// The number modulo 2^width.
    fn wrapped(&mut self, sum: IntegerSum, width: u32) -> Option<IntegerSum> {
        let modulus = 1i128 << width;
        let (low, high) = self.system.range(&sum)?;
        let (first, last) = (low.div_euclid(modulus), high.div_euclid(modulus));
        if first == last {
            return sum.plus(&IntegerSum::number(first), -modulus);
        }
        let times = self.between(first, last);
        let result = sum.plus(&times, -modulus)?;
        self.in_range(&result, 0, modulus - 1);
        Some(result)
    }

    /// A sum lies between two numbers whatever the facts are.
    fn in_range(&mut self, sum: &IntegerSum, low: i128, high: i128) {
        self.always(IntegerSum::number(low).plus(sum, -1));
        self.always(sum.plus(&IntegerSum::number(high), -1));
    }

    /// Quotient and remainder of a number that is not negative by a constant.
    fn divided(&mut self, sum: &IntegerSum, by: i128) -> Option<(IntegerSum, IntegerSum)> {
        let (low, high) = self.system.range(sum)?;
        if by == 1 {
            return Some((sum.clone(), IntegerSum::number(0)));
        }
        let low = low.max(0);
        if high < by {
            return Some((IntegerSum::number(0), sum.clone()));
        }
        let quotient = self.between(low.div_euclid(by), high.div_euclid(by));
        let rest = sum.plus(&quotient, -by)?;
        self.in_range(&rest, 0, by - 1);
        Some((quotient, rest))
    }

    /// The signed number of a word.
    fn signed(&mut self, sum: &IntegerSum, width: u32) -> Option<IntegerSum> {
        let half = 1i128 << (width - 1);
        let (low, high) = self.system.range(sum)?;
        if high < half {
            return Some(sum.clone());
        }
        if low >= half {
            return sum.plus(&IntegerSum::number(1), -2 * half);
        }
        let sign = self.between(0, 1);
        // half * sign <= sum <= half - 1 + half * sign
        self.always(
            sum.plus(&sign, -half)
                .and_then(|s| IntegerSum::number(0).plus(&s, -1)),
        );
        let above = sum.plus(&sign, -half);
        self.always(above.and_then(|s| s.plus(&IntegerSum::number(half - 1), -1)));
        sum.plus(&sign, -2 * half)
    }

    /// A word as a sum, without recursion; `None` if it is too wide or there is too much to look at.
    pub(super) fn sum(&mut self, term: &Term) -> Option<IntegerSum> {
        let mut stack = vec![term.clone()];
        while let Some(top) = stack.last().cloned() {
            if self.known.contains_key(&top.id()) {
                stack.pop();
                continue;
            }
            if self.known.len() >= MOST_TERMS || stack.len() > MOST_TERMS {
                self.full = true;
                return None;
            }
            width(&top)?;
            let before = stack.len();
            for part in parts(&top) {
                if width(part).is_some() && !self.known.contains_key(&part.id()) {
                    stack.push(part.clone());
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let sum = match self.operator(&top) {
                Some(sum) => sum,
                None => self.anything(&top)?,
            };
            self.known.insert(top.id(), sum);
            self.held.push(top);
        }
        self.known.get(&term.id()).cloned()
    }

    /// A word of which only the largest value is known.
    fn anything(&mut self, term: &Term) -> Option<IntegerSum> {
        let all = (1i128 << width(term)?) - 1;
        let most = i128::from(term.attributes().largest).min(all);
        Some(self.between(0, most))
    }

    /// The number of an operator whose operands are known; `None` if nothing is said about it.
    fn operator(&mut self, term: &Term) -> Option<IntegerSum> {
        let w = width(term)?;
        let arg =
            |known: &FxHashMap<u32, IntegerSum>, i: usize| known.get(&term.arg(i).id()).cloned();
        let known = &self.known;
        let constant = |i: usize| term.arg(i).as_const().and_then(number);
        match term.op() {
            Op::Const(value) => Some(IntegerSum::number(number(value)?)),
            Op::Base(base) => Some(IntegerSum::number(i128::from(base.address))),
            Op::ZeroExtend(_) => arg(known, 0),
            Op::SignExtend(_) => {
                let sum = arg(known, 0)?;
                let signed = self.signed(&sum, term.arg(0).width())?;
                self.wrapped(signed, w)
            }
            Op::BvAdd => {
                let sum = arg(known, 0)?.plus(&arg(known, 1)?, 1)?;
                self.wrapped(sum, w)
            }
            Op::BvNeg => {
                let sum = IntegerSum::number(0).plus(&arg(known, 0)?, -1)?;
                self.wrapped(sum, w)
            }
            Op::BvNot => IntegerSum::number((1i128 << w) - 1).plus(&arg(known, 0)?, -1),
            Op::BvMul => {
                let (factor, other) = match (constant(0), constant(1)) {
                    (Some(c), _) => (c, 1),
                    (None, Some(c)) => (c, 0),
                    (None, None) => return None,
                };
                // The nearer of a factor and what it is modulo 2^w: fewer times around.
                let modulus = 1i128 << w;
                let factor = match factor > modulus / 2 {
                    true => factor - modulus,
                    false => factor,
                };
                let sum = IntegerSum::number(0).plus(&arg(known, other)?, factor)?;
                self.wrapped(sum, w)
            }
            Op::BvShl => {
                let by = u32::try_from(constant(1)?).ok()?;
                if by >= w {
                    return Some(IntegerSum::number(0));
                }
                let sum = IntegerSum::number(0).plus(&arg(known, 0)?, 1i128 << by)?;
                self.wrapped(sum, w)
            }
            Op::BvLshr => {
                let by = u32::try_from(constant(1)?).ok()?;
                if by >= w {
                    return Some(IntegerSum::number(0));
                }
                let sum = arg(known, 0)?;
                Some(self.divided(&sum, 1i128 << by)?.0)
            }
            Op::BvUdiv => {
                let by = constant(1)?;
                if by == 0 {
                    return Some(IntegerSum::number((1i128 << w) - 1));
                }
                let sum = arg(known, 0)?;
                Some(self.divided(&sum, by)?.0)
            }
            Op::BvUrem => {
                let by = constant(1)?;
                let sum = arg(known, 0)?;
                match by {
                    0 => Some(sum),
                    _ => Some(self.divided(&sum, by)?.1),
                }
            }
            Op::Concat => {
                let low = term.arg(1).width();
                arg(known, 1)?.plus(&arg(known, 0)?, 1i128 << low)
            }
            Op::Extract { hi, lo } => {
                let sum = arg(known, 0)?;
                let (_, below) = self.divided(&sum, 1i128 << (hi + 1))?;
                Some(self.divided(&below, 1i128 << lo)?.0)
            }
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::Ite => self.not_linear(term),
            Op::Select if matches!(term.arg(0).op(), Op::Table(_)) => self.not_linear(term),
            Op::Select
            | Op::Symbol(_)
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvAshr
            | Op::Bool(_)
            | Op::Not
            | Op::And
            | Op::Eq
            | Op::BvUlt
            | Op::BvSlt
            | Op::Table(_)
            | Op::ConstArray { .. }
            | Op::Store => None,
        }
    }

    /// The number of a term whose operator is not linear: a variable with bounds.
    fn not_linear(&mut self, term: &Term) -> Option<IntegerSum> {
        let arg =
            |known: &FxHashMap<u32, IntegerSum>, i: usize| known.get(&term.arg(i).id()).cloned();
        let known = &self.known;
        let constant = |i: usize| term.arg(i).as_const().and_then(number);
        match term.op() {
            Op::BvAnd => {
                let mask = constant(0).or(constant(1));
                if let Some(mask) = mask.filter(|m| m & (m + 1) == 0) {
                    let other = usize::from(constant(0).is_some());
                    let sum = arg(known, other)?;
                    return Some(self.divided(&sum, mask + 1)?.1);
                }
                let (a, b) = (arg(known, 0)?, arg(known, 1)?);
                let result = self.anything(term)?;
                self.always(result.plus(&a, -1));
                self.always(result.plus(&b, -1));
                Some(result)
            }
            Op::BvOr | Op::BvXor => {
                let (a, b) = (arg(known, 0)?, arg(known, 1)?);
                let result = self.anything(term)?;
                if matches!(term.op(), Op::BvOr) {
                    self.always(a.plus(&result, -1));
                    self.always(b.plus(&result, -1));
                }
                let both = a.plus(&b, 1)?;
                self.always(result.plus(&both, -1));
                Some(result)
            }
            Op::Ite => {
                let (a, b) = (arg(known, 1)?, arg(known, 2)?);
                let (a, b) = (self.system.range(&a)?, self.system.range(&b)?);
                Some(self.between(a.0.min(b.0), a.1.max(b.1)))
            }
            Op::Select if matches!(term.arg(0).op(), Op::Table(_)) => {
                let index = arg(known, 1)?;
                let result = self.anything(term)?;
                let (variable, _) = result.parts[0];
                self.system.reads.push(Read {
                    variable,
                    table: term.arg(0).clone(),
                    index,
                });
                Some(result)
            }
            _ => None,
        }
    }
}

/// The operands that a word's number is made of.
fn parts(term: &Term) -> &[Term] {
    match term.op() {
        Op::Select if matches!(term.arg(0).op(), Op::Table(_)) => &term.args()[1..],
        Op::Select => &[],
        Op::Ite => &term.args()[1..],
        _ => term.args(),
    }
}
