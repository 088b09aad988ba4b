//! An upper bound of a term, read as an unsigned number, from its form.
//!
//! # Problem
//! A count of a few bits, printed, is divided by ten at 64 bits again and again. The division is a large circuit, and
//! whether the quotient is zero is a query, though the form of the term shows that the count is at most eight.
//!
//! # Idea
//! A bound is kept with every term and computed from those of its operands. The bound of an array is that of its
//! elements.
//!
//! # Soundness
//! Each line bounds an operator's result by the bounds of its operands; where a result may wrap around, the bound is
//! that of the width. Terms wider than 64 bits have only the bound of their width, represented by [`u64::MAX`].
//!
//! # Cost
//! A few instructions for each new term.

use crate::{Op, Sort, Term};
use cairn_bv::BitVec;

/// The largest number of a width; for wide ones, `u64::MAX`, which says nothing.
fn ones(width: u32) -> u64 {
    match width {
        0 => 0,
        1..=64 => u64::MAX >> (64 - width),
        65.. => u64::MAX,
    }
}

/// The bound of a constant.
pub(crate) fn of_constant(value: &BitVec) -> u64 {
    value.to_u64().unwrap_or(u64::MAX)
}

/// The bound of an operator over operands.
pub(crate) fn largest(op: &Op, args: &[Term], sort: Sort) -> u64 {
    let width = match sort {
        Sort::Bool => return 1,
        Sort::BitVec(width) | Sort::Array { value: width, .. } => width,
    };
    let all = ones(width);
    if width > 64 {
        return all;
    }
    let of = |i: usize| args[i].attributes().largest;
    let constant = |i: usize| args[i].as_const().and_then(BitVec::to_u64);
    let bound = match op {
        Op::Const(value) => return of_constant(value),
        Op::Table(table) => table.largest(),
        Op::Ite => of(1).max(of(2)),
        Op::Store => of(0).max(of(2)),
        Op::ConstArray { .. } | Op::ZeroExtend(_) | Op::Select => of(0),
        Op::BvAdd => of(0).checked_add(of(1)).unwrap_or(all),
        Op::BvMul => of(0).checked_mul(of(1)).unwrap_or(all),
        Op::BvAnd => of(0).min(of(1)),
        // No bit above the highest that one of them can have.
        Op::BvOr | Op::BvXor => ones(64 - (of(0) | of(1)).leading_zeros()),
        Op::BvUdiv => match constant(1) {
            Some(c) if c > 0 => of(0) / c,
            Some(_) | None => all,
        },
        // By zero it is the dividend.
        Op::BvUrem => match constant(1) {
            Some(c) if c > 0 => of(0).min(c - 1),
            Some(_) | None => of(0),
        },
        Op::BvLshr => match constant(1) {
            Some(by) => u32::try_from(by).map_or(0, |by| of(0).checked_shr(by).unwrap_or(0)),
            None => of(0),
        },
        Op::BvShl => match constant(1) {
            Some(by) if by < u64::from(of(0).leading_zeros()) => of(0) << by,
            Some(_) | None => all,
        },
        Op::SignExtend(_) if of(0) <= ones(args[0].width() - 1) => of(0),
        Op::Extract { lo, .. } if args[0].width() <= 64 => of(0) >> lo,
        // The high part is not wider than the whole, so nothing is shifted out.
        Op::Concat => of(0) << args[1].width() | of(1),
        Op::SignExtend(_)
        | Op::Extract { .. }
        | Op::Bool(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::BvNot
        | Op::BvNeg
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvAshr
        | Op::BvUlt
        | Op::BvSlt => all,
    };
    bound.min(all)
}
