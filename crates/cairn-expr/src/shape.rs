//! Facts about a term's values that follow from its form, without a solver and without path facts.
//!
//! # Problem
//! A pointer that was read from a table of pointers is one of few addresses, and all of them are aligned. Asking a
//! solver for each is expensive.
//!
//! # Idea
//! Follow the term down to its constants, through reads of tables and branches.
//!
//! # Soundness
//! Both functions err on one side only: [`low_zeros`] may return fewer bits, and [`possible_values`] may return more
//! values than there are, never fewer.
//!
//! # Cost
//! One visit of each part and of each table below, up to a limit.

use crate::{Op, Term, apply_operator};
use cairn_bv::BitVec;
use std::collections::BTreeSet;

/// How deep a term is looked into.
const DEEPEST: u32 = 12;

/// A table that is looked through has at most this many elements.
const LARGEST: usize = 4096;
/// Zeros at the end of where an object begins that are taken for its alignment.
const BASE_ZEROS: u32 = 4;

/// How many low bits are zero under every assignment; maybe more are.
pub fn low_zeros(term: &Term) -> u32 {
    zeros(term, DEEPEST)
}

fn zeros(term: &Term, depth: u32) -> u32 {
    let width = term.width();
    let Some(below) = depth.checked_sub(1) else {
        return term.as_const().map_or(0, BitVec::trailing_zeros);
    };
    let of = |i: usize| zeros(term.arg(i), below);
    match term.op() {
        Op::Const(c) => c.trailing_zeros(),
        Op::BvAdd | Op::BvOr | Op::BvXor => of(0).min(of(1)),
        Op::BvAnd => of(0).max(of(1)),
        Op::BvMul => (of(0) + of(1)).min(width),
        Op::BvNeg => of(0),
        Op::BvShl => match term.arg(1).as_const().map(BitVec::to_u64) {
            Some(Some(by)) => (u64::from(of(0)) + by).min(u64::from(width)) as u32,
            Some(None) => width,
            None => of(0),
        },
        Op::Concat => {
            let low = term.arg(1).width();
            match of(1) {
                zeros if zeros == low => low + of(0),
                zeros => zeros,
            }
        }
        Op::ZeroExtend(_) | Op::SignExtend(_) => match of(0) {
            zeros if zeros == term.arg(0).width() => width,
            zeros => zeros,
        },
        Op::Extract { lo, .. } => of(0).saturating_sub(*lo).min(width),
        Op::Ite => of(1).min(of(2)),
        Op::Select => elements(term.arg(0), below),
        // Wherever an object is, it is no less aligned than this one must be.
        Op::Base(base) => base.address.trailing_zeros().min(BASE_ZEROS),
        Op::Bool(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::BvNot
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvLshr
        | Op::BvAshr
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Store => 0,
    }
}

/// How many low bits are zero in every element of an array.
fn elements(array: &Term, depth: u32) -> u32 {
    let mut least = u32::MAX;
    let mut at = array;
    let mut stores = 0;
    loop {
        match at.op() {
            Op::Store if stores < LARGEST => {
                least = least.min(zeros(at.arg(2), depth));
                at = at.arg(0);
                stores += 1;
            }
            Op::Table(table) if table.values().len() <= LARGEST => {
                let all = table.values().iter().chain([table.default_value()]);
                let table = all.map(BitVec::trailing_zeros).min();
                return least.min(table.unwrap_or(0));
            }
            Op::ConstArray { .. } => return least.min(zeros(at.arg(0), depth)),
            _ => return 0,
        }
        if least == 0 {
            return 0;
        }
    }
}

/// Values of which a bit-vector has one under every assignment; nothing if they may be more than
/// `most` or their number is not known.
pub fn possible_values(term: &Term, most: usize) -> Option<BTreeSet<BitVec>> {
    let mut values = BTreeSet::new();
    collect(term, most, DEEPEST, &mut values).then_some(values)
}

/// Adds the values of a term; whether all are there.
fn collect(term: &Term, most: usize, depth: u32, into: &mut BTreeSet<BitVec>) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    match term.op() {
        Op::Const(value) => add(value, most, into),
        Op::Ite => {
            collect(term.arg(1), most, below, into) && collect(term.arg(2), most, below, into)
        }
        Op::Select => {
            let mut at = term.arg(0);
            loop {
                match at.op() {
                    Op::Store => {
                        if !collect(at.arg(2), most, below, into) {
                            return false;
                        }
                        at = at.arg(0);
                    }
                    Op::Table(table) if table.values().len() <= LARGEST => {
                        let mut all = table.values().iter().chain([table.default_value()]);
                        return all.all(|value| add(value, most, into));
                    }
                    Op::ConstArray { .. } => return collect(at.arg(0), most, below, into),
                    _ => return false,
                }
            }
        }
        Op::BvNot
        | Op::BvNeg
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::Concat
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_) => {
            // One unknown part, the others constant.
            let mut unknown = term.args().iter().filter(|a| a.as_const().is_none());
            let (Some(part), None) = (unknown.next(), unknown.next()) else {
                return false;
            };
            let mut values = BTreeSet::new();
            if !collect(part, most, below, &mut values) {
                return false;
            }
            values.iter().all(|value| {
                let args: Vec<&BitVec> = (term.args().iter())
                    .map(|a| a.as_const().unwrap_or(value))
                    .collect();
                add(&apply_operator(term.op(), &args), most, into)
            })
        }
        Op::Base(base) => add(&BitVec::new(64, base.address), most, into),
        Op::Bool(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Store => false,
    }
}

/// Adds a value; whether they are not too many.
fn add(value: &BitVec, most: usize, into: &mut BTreeSet<BitVec>) -> bool {
    if !into.contains(value) {
        into.insert(value.clone());
    }
    into.len() <= most
}
