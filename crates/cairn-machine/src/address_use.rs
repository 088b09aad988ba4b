//! Which operations on words depend on where objects are.
//!
//! - **Problem.** An address is one of many: the system and the library choose it anew in each run. What a
//!   program does with it is the same in every run only as long as no number depends on it.
//! - **Idea.** A pointer is its address and the object it belongs to. Equality, order within an object,
//!   differences, offsets and alignment are the same in every layout; every other operator makes a number
//!   that is not, and is told here before it runs.
//! - **On which side it errs.** It may name a use whose effect vanishes again (exclusive or with the same
//!   number, twice). It misses addresses that belong to no object: those made from integers, and bytes
//!   of a pointer; functions belong to none and are known by where they are.
//! - **Cost.** One comparison of objects for an operator on words; additions and comparisons for equality,
//!   which are the most frequent, need two.

use cairn_ir::{BinaryOp, CastOp, CompareOp};
use cairn_memory::{CODE_REGION, Word};

/// Numbers below this, and masks of so few bits, are about the alignment of an address.
const ALIGNMENT: u64 = 64;

/// Numbers so close to 0, from below or above, are no addresses: results of system calls are compared
/// with them.
const NO_ADDRESS: u64 = 4096;

/// Whether the result of an operator on words of 64 bits depends on where objects are, and does not say
/// so by belonging to one: other than offsets and alignment, which every layout has.
#[inline(always)]
pub fn uses_address(op: BinaryOp, a: Word, b: Word) -> bool {
    match op {
        // The most frequent by far: an offset is added.
        BinaryOp::Add => !a.object.is_none() && !b.object.is_none(),
        BinaryOp::Sub => {
            let objects = !a.object.is_none() && !b.object.is_none() && a.object != b.object;
            objects || (is_code(a.bits) && is_code(b.bits) && a.bits != b.bits)
        }
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Mul
        | BinaryOp::Udiv
        | BinaryOp::Sdiv
        | BinaryOp::Urem
        | BinaryOp::Srem
        | BinaryOp::Shl
        | BinaryOp::Lshr
        | BinaryOp::Ashr => {
            let any = !a.object.are_none(b.object) || is_code(a.bits) || is_code(b.bits);
            any && is_use(op, a, b)
        }
    }
}

/// Whether a number is the address of a function, which belongs to no object. Other numbers are there by
/// chance only.
#[inline(always)]
fn is_code(bits: u64) -> bool {
    const PART: u32 = 40;
    const _: () = assert!(CODE_REGION.start.is_multiple_of(1 << PART));
    const _: () = assert!(CODE_REGION.end - CODE_REGION.start == 1 << PART);
    bits >> PART == CODE_REGION.start >> PART
}

#[cold]
fn is_use(op: BinaryOp, a: Word, b: Word) -> bool {
    let is_address = |word: Word| !word.object.is_none() || is_code(word.bits);
    let both = is_address(a) && is_address(b);
    let number = if is_address(a) { b.bits } else { a.bits };
    // What is left of an address after a mask.
    if !both && (a.bits < ALIGNMENT && b.bits < ALIGNMENT) {
        return false;
    }
    match op {
        BinaryOp::And => both || (number >= ALIGNMENT && !number >= ALIGNMENT),
        BinaryOp::Or => both || number >= ALIGNMENT,
        // How a front end says that a number is no pointer.
        BinaryOp::Mul => both || number != 1,
        BinaryOp::Urem | BinaryOp::Srem => {
            both || !is_address(a) || !(b.bits <= ALIGNMENT && b.bits.is_power_of_two())
        }
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Xor
        | BinaryOp::Udiv
        | BinaryOp::Sdiv
        | BinaryOp::Shl
        | BinaryOp::Lshr
        | BinaryOp::Ashr => true,
    }
}

/// Whether a comparison of words of 64 bits is one of two objects' addresses, or of the order of an address
/// and a number: it may depend on where objects are.
#[inline(always)]
pub fn compares_addresses(op: CompareOp, a: Word, b: Word) -> bool {
    match op {
        CompareOp::Eq | CompareOp::Ne => {
            !a.object.is_none() && !b.object.is_none() && a.object != b.object
        }
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => {
            // Within one object, or none: the usual.
            let objects = a.object != b.object && is_layout(a, b);
            objects || (is_code(a.bits) && is_code(b.bits))
        }
    }
}

#[cold]
fn is_layout(a: Word, b: Word) -> bool {
    let number = if a.object.is_none() { a.bits } else { b.bits };
    let both = !a.object.is_none() && !b.object.is_none();
    both || (NO_ADDRESS..NO_ADDRESS.wrapping_neg()).contains(&number)
}

/// The same of a change of width.
#[inline(always)]
pub fn converts_address(op: CastOp, value: Word) -> bool {
    matches!(op, CastOp::Trunc)
        && value.bits >= ALIGNMENT
        && (!value.object.is_none() || is_code(value.bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_memory::{Memory, MemoryConfig, ObjectKind};

    #[test]
    fn alignment_and_offsets_are_in_every_layout_and_other_numbers_are_not() {
        let mut memory = Memory::new(MemoryConfig::default());
        let mut make = || memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
        let (p, q) = (make(), make());
        let n = Word::int;
        let beyond = Word {
            bits: p.bits + 8,
            ..p
        };
        for (op, a, b) in [
            (BinaryOp::Add, p, n(8)),
            (BinaryOp::Sub, p, n(8)),
            (BinaryOp::Sub, beyond, p),
            (BinaryOp::And, p, n(15)),
            (BinaryOp::And, p, n(!15)),
            (BinaryOp::Or, p, n(1)),
            (BinaryOp::Urem, p, n(16)),
            (BinaryOp::Mul, p, n(1)),
            (BinaryOp::Mul, n(1 << 40), n(3)),
        ] {
            assert!(!uses_address(op, a, b), "{op:?} {a:?} {b:?}");
        }
        let function = n(CODE_REGION.start + 32);
        for (op, a, b) in [
            (BinaryOp::Sub, p, q),
            (BinaryOp::And, p, n(0xff0)),
            (BinaryOp::Urem, p, n(61)),
            (BinaryOp::Urem, n(61), p),
            (BinaryOp::Xor, p, n(0x5555)),
            (BinaryOp::Lshr, p, n(4)),
            (BinaryOp::Mul, p, n(31)),
            (BinaryOp::Urem, function, n(61)),
        ] {
            assert!(uses_address(op, a, b), "{op:?} {a:?} {b:?}");
        }
        assert!(!compares_addresses(CompareOp::Ult, p, beyond));
        assert!(!compares_addresses(CompareOp::Ult, p, n(-4095i64 as u64)));
        assert!(!compares_addresses(CompareOp::Slt, p, n(0)));
        assert!(compares_addresses(CompareOp::Ult, p, q));
        assert!(compares_addresses(CompareOp::Ult, p, n(1 << 33)));
        assert!(converts_address(CastOp::Trunc, p));
        assert!(!converts_address(CastOp::Zext, p));
        assert!(!converts_address(CastOp::Trunc, n(1 << 40)));
    }
}
