//! Words as sums of inputs.
//!
//! # Problem
//! A word is a sum modulo 2^w; an inequality needs a number.
//!
//! # Idea
//! Sums, differences, multiples, truncations and extensions of words are sums of their inputs modulo 2^w. Where the sets of
//! the inputs leave such a sum one period, the word is that number less a multiple of 2^w.
//!
//! # Soundness
//! Each step is an identity modulo 2^w, and the periods follow from sets that enclose all solutions.
//!
//! # Cost
//! At most [`NODES`] operators for all facts.

use super::super::forward::width_of;
use super::super::known::{Key, LearnedBoxes, LearnedInput};
use cairn_domain::Signedness;
use cairn_expr::{Op, Term};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many inputs there may be.
const INPUTS: usize = 32;
/// How deep sums are read.
const DEPTH: u32 = 32;
/// How many operators are read in all.
const NODES: u32 = 1024;
/// The largest factor of an input.
const FACTOR: i128 = 1 << 31;

/// An input as a number: its word without a sign, or with one, whichever of these has its values closer together.
pub(super) struct NumberedInput<'a> {
    pub(super) input: &'a Rc<LearnedInput>,
    order: Signedness,
}

impl NumberedInput<'_> {
    fn width(&self) -> u32 {
        self.input.known.set().width()
    }

    /// The number of rank 0.
    fn first(&self) -> i128 {
        least(self.width(), self.order)
    }

    pub(super) fn number(&self, word: u64) -> i128 {
        i128::from(self.order.rank(self.width(), word)) + self.first()
    }

    /// The word of a number that it can have.
    pub(super) fn word(&self, number: i128) -> u64 {
        self.order
            .rank(self.width(), (number - self.first()) as u64)
    }

    /// Its numbers between two, without what is in no set at the ends; `None` if there are none.
    pub(super) fn within(&self, span: NumberSpan) -> Option<NumberSpan> {
        let (set, first) = (self.input.known.set(), self.first());
        let low = self.order.at_least(set, (span.low - first) as u64)?;
        let high = self.order.at_most(set, (span.high - first) as u64)?;
        let found = NumberSpan {
            low: i128::from(low) + first,
            high: i128::from(high) + first,
        };
        (found.low <= found.high).then_some(found)
    }
}

/// The least number of a width.
fn least(width: u32, order: Signedness) -> i128 {
    match order {
        Signedness::Unsigned => 0,
        Signedness::Signed => -(1 << (width - 1)),
    }
}

/// The numbers from one to another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberSpan {
    pub(super) low: i128,
    pub(super) high: i128,
}

pub(super) type NumberSpans = SmallVec<[NumberSpan; 8]>;
/// Inputs by their places, with factors.
pub(super) type SumParts = SmallVec<[(usize, i128); 6]>;

/// A number that depends on inputs.
#[derive(Clone, Default)]
pub(super) struct Sum {
    pub(super) parts: SumParts,
    pub(super) constant: i128,
}

impl Sum {
    /// With a multiple of another one. `None` if a factor gets too large.
    pub(super) fn plus(mut self, other: &Sum, times: i128) -> Option<Sum> {
        for (at, factor) in &other.parts {
            let factor = factor * times;
            match self.parts.iter_mut().find(|(a, _)| a == at) {
                Some((_, sum)) => *sum += factor,
                None => self.parts.push((*at, factor)),
            }
        }
        self.constant = other
            .constant
            .checked_mul(times)?
            .checked_add(self.constant)?;
        self.parts.retain(|(_, factor)| *factor != 0);
        let fits = self.parts.iter().all(|(_, f)| f.abs() <= FACTOR);
        (fits && self.constant.abs() < 1 << 100).then_some(self)
    }

    pub(super) fn span(&self, spans: &[NumberSpan]) -> NumberSpan {
        let mut all = NumberSpan {
            low: self.constant,
            high: self.constant,
        };
        for (at, factor) in &self.parts {
            let (low, high) = (factor * spans[*at].low, factor * spans[*at].high);
            all.low += low.min(high);
            all.high += low.max(high);
        }
        all
    }
}

/// The inputs of some facts.
#[derive(Default)]
pub(super) struct InputNumbers<'a> {
    pub(super) variables: SmallVec<[NumberedInput<'a>; 8]>,
    /// What their sets say.
    pub(super) spans: NumberSpans,
    /// Those that were seen since this was cleared, as bits.
    pub(super) seen: u64,
    nodes: u32,
}

impl<'a> InputNumbers<'a> {
    /// The number that a word is in an order, if the sets of its inputs leave no choice of the period.
    pub(super) fn number(
        &mut self,
        learned: &'a LearnedBoxes,
        term: &'a Term,
        order: Signedness,
    ) -> Option<Sum> {
        self.number_at(learned, term, order, DEPTH)
    }

    fn number_at(
        &mut self,
        learned: &'a LearnedBoxes,
        term: &'a Term,
        order: Signedness,
        depth: u32,
    ) -> Option<Sum> {
        let width = width_of(term)?;
        let mut sum = self.modulo(learned, term, depth)?;
        let (span, first) = (sum.span(&self.spans), least(width, order));
        let period = (span.low - first) >> width;
        ((span.high - first) >> width == period).then(|| {
            sum.constant -= period << width;
            sum
        })
    }

    /// A number that is a word modulo 2^w, w being its width.
    fn modulo(&mut self, learned: &'a LearnedBoxes, term: &'a Term, depth: u32) -> Option<Sum> {
        if let Some(word) = term.as_const() {
            return (word.width() <= 64).then(|| Sum {
                parts: SumParts::new(),
                constant: word.low_u64().into(),
            });
        }
        if let Some(key) = Key::of_term(term) {
            let at = self.variable(learned, key)?;
            self.seen |= 1 << at;
            return Some(Sum {
                parts: SmallVec::from_slice(&[(at, 1)]),
                constant: 0,
            });
        }
        let depth = depth.checked_sub(1)?;
        self.nodes += 1;
        let width = width_of(term).filter(|_| self.nodes <= NODES)?;
        let times = |word: u64| {
            let word = i128::from(word);
            if word >> (width - 1) == 0 {
                word
            } else {
                word - (1 << width)
            }
        };
        let nothing = Sum::default();
        match term.op() {
            Op::BvAdd => {
                let left = self.modulo(learned, term.arg(0), depth)?;
                left.plus(&self.modulo(learned, term.arg(1), depth)?, 1)
            }
            Op::BvNeg => nothing.plus(&self.modulo(learned, term.arg(0), depth)?, -1),
            Op::BvNot => {
                let mut sum = nothing.plus(&self.modulo(learned, term.arg(0), depth)?, -1)?;
                sum.constant -= 1;
                Some(sum)
            }
            Op::BvMul => {
                let (a, b) = (term.arg(0), term.arg(1));
                let (factor, other) = match (a.as_const(), b.as_const()) {
                    (_, Some(c)) => (c, a),
                    (Some(c), None) => (c, b),
                    (None, None) => return None,
                };
                let factor = times(factor.low_u64());
                nothing.plus(&self.modulo(learned, other, depth)?, factor)
            }
            Op::Concat => {
                let (high, low) = (term.arg(0), term.arg(1));
                let below = self.number_at(learned, low, Signedness::Unsigned, depth)?;
                below.plus(&self.modulo(learned, high, depth)?, 1 << width_of(low)?)
            }
            Op::Extract { lo: 0, .. } if width_of(term.arg(0)).is_some() => {
                self.modulo(learned, term.arg(0), depth)
            }
            Op::ZeroExtend(_) => self.number_at(learned, term.arg(0), Signedness::Unsigned, depth),
            Op::SignExtend(_) => self.number_at(learned, term.arg(0), Signedness::Signed, depth),
            _ => None,
        }
    }

    /// The place of an input.
    fn variable(&mut self, learned: &'a LearnedBoxes, key: Key) -> Option<usize> {
        if let Some(at) = self.variables.iter().position(|v| v.input.key == key) {
            return Some(at);
        }
        let input = learned.input(key)?;
        let set = input.known.set();
        if self.variables.len() == INPUTS || set.is_empty() {
            return None;
        }
        let in_order = |order: Signedness| {
            let variable = NumberedInput { input, order };
            let everything = NumberSpan {
                low: variable.first(),
                high: variable.first() + i128::from(cairn_bv::mask(set.width())),
            };
            variable.within(everything).map(|span| (variable, span))
        };
        let (unsigned, signed) = (
            in_order(Signedness::Unsigned)?,
            in_order(Signedness::Signed)?,
        );
        let wide = |(_, span): &(NumberedInput<'_>, NumberSpan)| span.high - span.low;
        let (variable, span) = match wide(&signed) < wide(&unsigned) {
            true => signed,
            false => unsigned,
        };
        self.variables.push(variable);
        self.spans.push(span);
        Some(self.variables.len() - 1)
    }
}
