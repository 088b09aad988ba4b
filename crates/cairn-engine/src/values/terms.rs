//! Operators of the program form as terms.
//!
//! Each is the constructor of the same meaning: the program form's operators are total with
//! SMT-LIB's values (division by zero, shifts by the width or more), so there is nothing to guard.

use cairn_expr::{Term, TermStore};
use cairn_ir::{BinaryOp, CastOp, CompareOp, UnaryOp};

/// An operator on two terms of one width.
pub fn binary(store: &TermStore, op: BinaryOp, a: &Term, b: &Term) -> Term {
    match op {
        BinaryOp::Add => store.bv_add(a, b),
        BinaryOp::Sub => store.bv_sub(a, b),
        BinaryOp::Mul => store.bv_mul(a, b),
        BinaryOp::Udiv => store.bv_udiv(a, b),
        BinaryOp::Sdiv => store.bv_sdiv(a, b),
        BinaryOp::Urem => store.bv_urem(a, b),
        BinaryOp::Srem => store.bv_srem(a, b),
        BinaryOp::Shl => store.bv_shl(a, b),
        BinaryOp::Lshr => store.bv_lshr(a, b),
        BinaryOp::Ashr => store.bv_ashr(a, b),
        BinaryOp::And => store.bv_and(a, b),
        BinaryOp::Or => store.bv_or(a, b),
        BinaryOp::Xor => store.bv_xor(a, b),
    }
}

/// A comparison: a Boolean term.
pub fn compare(store: &TermStore, op: CompareOp, a: &Term, b: &Term) -> Term {
    match op {
        CompareOp::Eq => store.eq(a, b),
        CompareOp::Ne => store.not(&store.eq(a, b)),
        CompareOp::Ult => store.bv_ult(a, b),
        CompareOp::Ule => store.bv_ule(a, b),
        CompareOp::Slt => store.bv_slt(a, b),
        CompareOp::Sle => store.bv_sle(a, b),
    }
}

/// A change to another width.
pub fn cast(store: &TermStore, op: CastOp, to: u32, value: &Term) -> Term {
    let from = value.width();
    match op {
        CastOp::Zext => store.zero_extend(value, to - from),
        CastOp::Sext => store.sign_extend(value, to - from),
        CastOp::Trunc => store.extract(value, to - 1, 0),
    }
}

/// An operator on one term.
pub fn unary(store: &TermStore, op: UnaryOp, value: &Term) -> Term {
    let width = value.width();
    match op {
        UnaryOp::Popcount => {
            let one_bit = |i| store.extract(value, i, i);
            let bits = (0..width).map(|i| widened(store, &one_bit(i), width));
            bits.reduce(|a, b| store.bv_add(&a, &b))
                .expect("no value is empty")
        }
        // The position of the highest or lowest one: a chain of choices, the deciding one outermost.
        UnaryOp::LeadingZeros => first_one(store, value, 0..width, |i| width - 1 - i),
        UnaryOp::TrailingZeros => first_one(store, value, (0..width).rev(), |i| i),
        UnaryOp::ByteSwap => reversed(store, value, 8),
        UnaryOp::BitReverse => reversed(store, value, 1),
    }
}

/// Zeros above, up to a width.
pub fn widened(store: &TermStore, value: &Term, width: u32) -> Term {
    store.zero_extend(value, width - value.width())
}

/// A number as wide as a term: what an address, an offset, a size or a length is compared with or moved
/// by. How wide those are is the program's matter.
pub fn number_like(store: &TermStore, term: &Term, number: u64) -> Term {
    let width = term.width();
    assert!(
        width >= u64::BITS || number >> width == 0,
        "{number:#x} has more than {width} bits"
    );
    store.bv(width, number)
}

/// The number that the last bit in the order that is one stands for; the width if none is.
fn first_one(
    store: &TermStore,
    value: &Term,
    order: impl Iterator<Item = u32>,
    number: impl Fn(u32) -> u32,
) -> Term {
    let width = value.width();
    // A width of one bit cannot hold the number 1 of zeros but as its only bit.
    let count = |n: u32| store.constant(cairn_bv::BitVec::from_u128(width, u128::from(n)));
    let one = store.bv(1, 1);
    order.fold(count(width), |otherwise, i| {
        let set = store.eq(&store.extract(value, i, i), &one);
        store.ite(&set, &count(number(i)), &otherwise)
    })
}

/// Groups of bits in opposite order.
fn reversed(store: &TermStore, value: &Term, group: u32) -> Term {
    let groups = (0..value.width() / group).map(|i| {
        let low = i * group;
        store.extract(value, low + group - 1, low)
    });
    groups
        .reduce(|high, low| store.concat(&high, &low))
        .expect("no value is empty")
}
