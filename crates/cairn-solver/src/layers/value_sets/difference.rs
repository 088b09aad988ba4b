//! Whether two words are equal or different whatever their inputs are, by their difference.
//!
//! # Problem
//! Sums are built in the order in which the program adds. Neither sets nor an order see that `a + b + c` equals
//! `c + b + a`, and a core solver that adds bit by bit sees it slowly.
//!
//! # Idea
//! The difference of two words is written as multiples of terms and a constant, modulo 2^w. If no term is left,
//! the words are equal, or different, for all inputs.
//!
//! # What differs
//! From the sums of array indices (`cores/native/arrays/index_sum.rs`): only operators of the full width are
//! taken apart, no bounds are needed, and the sum is not kept; it lives on the stack for one comparison.
//!
//! # Soundness
//! Exact: every step is an identity modulo 2^w, so an answer holds for all inputs. There is no answer if a term
//! is left, the walk is too long or the width is above 64.
//!
//! # Cost
//! A walk of at most [`NODES`] operators, only where a side is a sum.

use cairn_expr::{Op, Term};
use smallvec::SmallVec;

/// Most operators visited.
const NODES: u32 = 64;

/// Whether two words are equal for all inputs, or for none; `None` if neither is seen.
pub(super) fn equal(a: &Term, b: &Term) -> Option<bool> {
    let is_sum = |t: &Term| matches!(t.op(), Op::BvAdd);
    if !is_sum(a) && !is_sum(b) {
        return None;
    }
    let width = a.width();
    let mask = u64::MAX >> 64u32.checked_sub(width)?;
    let mut constant = 0u64;
    let mut parts: SmallVec<[(&Term, u64); 16]> = SmallVec::new();
    let mut work: SmallVec<[(&Term, u64); 16]> = SmallVec::new();
    work.push((a, 1));
    work.push((b, 1u64.wrapping_neg()));
    let mut left = NODES;
    while let Some((term, times)) = work.pop() {
        left = left.checked_sub(1)?;
        if let Some(c) = term.as_const() {
            constant = constant.wrapping_add(c.low_u64().wrapping_mul(times));
            continue;
        }
        match term.op() {
            Op::BvAdd => work.extend(term.args().iter().map(|t| (t, times))),
            Op::BvNeg => work.push((term.arg(0), times.wrapping_neg())),
            Op::BvNot => {
                // Minus the word, minus one.
                work.push((term.arg(0), times.wrapping_neg()));
                constant = constant.wrapping_sub(times);
            }
            Op::BvMul if term.arg(1).as_const().is_some() => {
                let c = term.arg(1).as_const()?.low_u64();
                work.push((term.arg(0), times.wrapping_mul(c)));
            }
            Op::BvMul if term.arg(0).as_const().is_some() => {
                let c = term.arg(0).as_const()?.low_u64();
                work.push((term.arg(1), times.wrapping_mul(c)));
            }
            _ => match parts.iter_mut().find(|(t, _)| *t == term) {
                Some((_, sum)) => *sum = sum.wrapping_add(times),
                None => parts.push((term, times)),
            },
        }
    }
    let nothing = parts.iter().all(|(_, times)| times & mask == 0);
    nothing.then_some(constant & mask == 0)
}
