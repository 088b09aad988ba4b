//! Unsigned arithmetic on little-endian slices of 64-bit limbs.
//!
//! Kept apart from `BitVec` because these are facts about natural numbers, with
//! no width to wrap at: the operators above decide what is cut off. All of it
//! is quadratic; wide vectors are rare enough for that to be the right trade.

use std::cmp::Ordering;

/// The slice without its high zero limbs.
pub(crate) fn trim(limbs: &[u64]) -> &[u64] {
    let len = limbs
        .iter()
        .rposition(|&limb| limb != 0)
        .map_or(0, |i| i + 1);
    &limbs[..len]
}

/// The number of bits up to and including the highest set one; 0 for zero.
pub(crate) fn bit_length(limbs: &[u64]) -> u64 {
    match trim(limbs) {
        [] => 0,
        [low @ .., top] => low.len() as u64 * 64 + u64::from(64 - top.leading_zeros()),
    }
}

/// Compares two numbers given by equally many limbs.
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert_eq!(a.len(), b.len());
    a.iter().rev().cmp(b.iter().rev())
}

/// The 64 bits from bit `pos` up, with zeros beyond the end of the slice.
pub(crate) fn window(limbs: &[u64], pos: u64) -> u64 {
    let limb = |i: usize| limbs.get(i).copied().unwrap_or(0);
    let index = (pos / 64) as usize;
    let shift = pos % 64;
    if shift == 0 {
        limb(index)
    } else {
        limb(index) >> shift | limb(index + 1) << (64 - shift)
    }
}

/// Ors `src << shift` into `dst`; bits beyond the end of `dst` are dropped.
pub(crate) fn or_shifted(dst: &mut [u64], src: &[u64], shift: u64) {
    let skip = (shift / 64) as usize;
    let shift = shift % 64;
    let Some(dst) = dst.get_mut(skip..) else {
        return;
    };
    let mut spill = 0;
    // The chained zero gives the bits spilled from the last limb a place.
    for (d, &s) in dst.iter_mut().zip(src.iter().chain(&[0])) {
        *d |= s << shift | spill;
        spill = if shift == 0 { 0 } else { s >> (64 - shift) };
    }
}

/// `a + b + carry`, split into the low limb and the carry out.
#[inline]
fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, over1) = a.overflowing_add(b);
    let (sum, over2) = sum.overflowing_add(u64::from(carry));
    (sum, over1 | over2)
}

/// `a - b - borrow`, split into the low limb and the borrow out.
#[inline]
fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (diff, under1) = a.overflowing_sub(b);
    let (diff, under2) = diff.overflowing_sub(u64::from(borrow));
    (diff, under1 | under2)
}

/// `a * b + c + d`, split into the low and the high limb; it cannot overflow,
/// since `(B-1)^2 + 2(B-1) = B^2 - 1`.
#[inline]
fn mul_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let wide = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (wide as u64, (wide >> 64) as u64)
}

/// Sum of equally many limbs, modulo their size.
pub(crate) fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    debug_assert_eq!(a.len(), b.len());
    let mut carry = false;
    let step = |(&x, &y)| {
        let (sum, out) = add_carry(x, y, carry);
        carry = out;
        sum
    };
    a.iter().zip(b).map(step).collect()
}

/// Difference of equally many limbs, modulo their size.
pub(crate) fn sub(a: &[u64], b: &[u64]) -> Vec<u64> {
    debug_assert_eq!(a.len(), b.len());
    let mut borrow = false;
    let step = |(&x, &y)| {
        let (diff, out) = sub_borrow(x, y, borrow);
        borrow = out;
        diff
    };
    a.iter().zip(b).map(step).collect()
}

/// The low `count` limbs of the product. With `a.len() + b.len()` limbs asked
/// for, that is all of it.
pub(crate) fn mul(a: &[u64], b: &[u64], count: usize) -> Vec<u64> {
    let (a, b) = (trim(a), trim(b));
    let mut product = vec![0; count];
    for (i, &x) in a.iter().enumerate().take(count) {
        let row = &mut product[i..];
        let mut carry = 0;
        for (p, &y) in row.iter_mut().zip(b) {
            (*p, carry) = mul_add(x, y, *p, carry);
        }
        // No earlier row reached this limb, so storing is adding.
        if let Some(p) = row.get_mut(b.len()) {
            *p = carry;
        }
    }
    product
}

/// Replaces the number by `number * factor + addend` and returns what does not
/// fit.
pub(crate) fn mul_add_small(limbs: &mut [u64], factor: u64, addend: u64) -> u64 {
    let mut carry = addend;
    for limb in limbs {
        (*limb, carry) = mul_add(*limb, factor, carry, 0);
    }
    carry
}

/// Replaces the number by its quotient by one limb and returns the remainder.
pub(crate) fn div_rem_small(limbs: &mut [u64], divisor: u64) -> u64 {
    let divisor = u128::from(divisor);
    let mut rem = 0u64;
    for limb in limbs.iter_mut().rev() {
        let part = u128::from(rem) << 64 | u128::from(*limb);
        // `rem < divisor`, so the quotient fits in one limb.
        *limb = (part / divisor) as u64;
        rem = (part % divisor) as u64;
    }
    rem
}

/// Quotient and remainder of natural numbers, with any number of high zero
/// limbs; the divisor must not be zero.
pub(crate) fn div_rem(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (a, b) = (trim(a), trim(b));
    match b {
        [] => unreachable!("division of limbs by zero"),
        [divisor] => {
            let mut quotient = a.to_vec();
            let rem = div_rem_small(&mut quotient, *divisor);
            (quotient, vec![rem])
        }
        _ if a.len() < b.len() => (Vec::new(), a.to_vec()),
        [.., top] => div_rem_long(a, b, *top),
    }
}

/// Long division in base `B = 2^64` (Knuth, volume 2, algorithm D) for a
/// divisor of two limbs or more (`top` is its highest, not zero) and a dividend
/// that is not shorter.
fn div_rem_long(a: &[u64], b: &[u64], top: u64) -> (Vec<u64>, Vec<u64>) {
    let n = b.len();
    // Scale both so that the divisor's highest bit is set: only then is a
    // quotient digit guessed from the two highest limbs at most two too large.
    let shift = u64::from(top.leading_zeros());
    let mut rem = vec![0; a.len() + 1];
    or_shifted(&mut rem, a, shift);
    let mut divisor = vec![0; n];
    or_shifted(&mut divisor, b, shift);
    let v1 = u128::from(divisor[n - 1]);
    let v2 = u128::from(divisor[n - 2]);

    let mut quotient = vec![0; a.len() - n + 1];
    for j in (0..quotient.len()).rev() {
        let high = u128::from(rem[j + n]) << 64 | u128::from(rem[j + n - 1]);
        let third = u128::from(rem[j + n - 2]);
        let mut guess = high / v1;
        let mut rest = high % v1;
        // Correct the guess by the third limb while that can still matter, that
        // is while `rest` is a limb; what remains is then at most one too large.
        while guess >> 64 != 0 || guess * v2 > (rest << 64 | third) {
            guess -= 1;
            rest += v1;
            if rest >> 64 != 0 {
                break;
            }
        }
        let mut digit = guess as u64;
        if sub_product(&mut rem[j..=j + n], &divisor, digit) {
            // One too large (rare): add the divisor back once.
            digit -= 1;
            add_back(&mut rem[j..=j + n], &divisor);
        }
        quotient[j] = digit;
    }

    let unscaled = (0..n as u64)
        .map(|i| window(&rem, i * 64 + shift))
        .collect();
    (quotient, unscaled)
}

/// Subtracts `divisor * digit` from `part`, one limb longer than the divisor,
/// and says whether that went below zero.
fn sub_product(part: &mut [u64], divisor: &[u64], digit: u64) -> bool {
    let mut carry = 0;
    let mut borrow = false;
    for (p, &v) in part.iter_mut().zip(divisor.iter().chain(&[0])) {
        let low;
        (low, carry) = mul_add(v, digit, carry, 0);
        (*p, borrow) = sub_borrow(*p, low, borrow);
    }
    borrow
}

/// Adds the divisor to `part`, one limb longer; the carry out cancels the
/// borrow that made this necessary.
fn add_back(part: &mut [u64], divisor: &[u64]) {
    let mut carry = false;
    for (p, &v) in part.iter_mut().zip(divisor.iter().chain(&[0])) {
        (*p, carry) = add_carry(*p, v, carry);
    }
}
