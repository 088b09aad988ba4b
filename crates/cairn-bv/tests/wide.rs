//! Operators around and above the 64-bit boundary, against schoolbook
//! arithmetic on lists of bits, and against algebraic laws where bit lists
//! would be too slow.
//!
//! The reference works on one bit at a time and knows nothing of limbs, which
//! is what the implementation can get wrong: carries between limbs, shifts
//! across them, the unused bits of the last one, guessed quotient limbs.

mod common;

use std::cmp::Ordering;

use cairn_bv::BitVec;
use cairn_random::Random;
use common::{Values, sound};

/// A natural number: bits, least significant first, of a fixed length.
type Bits = Vec<bool>;

fn bits(x: &BitVec) -> Bits {
    (0..x.width()).map(|i| x.bit(i)).collect()
}

fn zero(w: usize) -> Bits {
    vec![false; w]
}

fn is_zero(a: &Bits) -> bool {
    a.iter().all(|b| !b)
}

/// Ripple-carry addition; the carry out is returned too.
fn add(a: &Bits, b: &Bits, mut carry: bool) -> (Bits, bool) {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        sum.push(x ^ y ^ carry);
        carry = (x & y) | (x & carry) | (y & carry);
    }
    (sum, carry)
}

fn not(a: &Bits) -> Bits {
    a.iter().map(|b| !b).collect()
}

fn neg(a: &Bits) -> Bits {
    add(&not(a), &zero(a.len()), true).0
}

fn sub(a: &Bits, b: &Bits) -> Bits {
    add(a, &not(b), true).0
}

fn cmp(a: &Bits, b: &Bits) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

fn msb(a: &Bits) -> bool {
    a[a.len() - 1]
}

fn abs(a: &Bits) -> Bits {
    if msb(a) { neg(a) } else { a.clone() }
}

/// The whole product, of twice the length: shift and add.
fn full_mul(a: &Bits, b: &Bits) -> Bits {
    let w = a.len();
    let mut product = zero(2 * w);
    for i in (0..w).filter(|&i| b[i]) {
        let mut carry = false;
        for j in 0..w {
            let (x, y) = (product[i + j], a[j]);
            product[i + j] = x ^ y ^ carry;
            carry = (x & y) | (x & carry) | (y & carry);
        }
        // No earlier row reached this bit.
        product[i + w] = carry;
    }
    product
}

/// Restoring division: bring down one bit at a time.
fn div_rem(a: &Bits, b: &Bits) -> (Bits, Bits) {
    let w = a.len();
    if is_zero(b) {
        return (vec![true; w], a.clone());
    }
    let divisor: Bits = b.iter().copied().chain([false]).collect();
    let mut rem = zero(w + 1);
    let mut quotient = zero(w);
    for i in (0..w).rev() {
        rem.rotate_right(1);
        rem[0] = a[i];
        if cmp(&rem, &divisor).is_ge() {
            rem = sub(&rem, &divisor);
            quotient[i] = true;
        }
    }
    rem.truncate(w);
    (quotient, rem)
}

/// The number of bits up to the highest set one.
fn length(a: &Bits) -> usize {
    a.iter().rposition(|&b| b).map_or(0, |i| i + 1)
}

/// Whether the signed value `(-1)^negative * magnitude` fits in `w` bits.
fn fits_signed(magnitude: &Bits, negative: bool, w: usize) -> bool {
    let ones = magnitude.iter().filter(|&&b| b).count();
    length(magnitude) < w || (negative && length(magnitude) == w && ones == 1)
}

#[track_caller]
fn same(got: BitVec, want: &Bits, what: &str, x: &BitVec, y: &BitVec) {
    assert_eq!(&bits(&sound(got)), want, "{what} {x} {y}");
}

fn check_cheap(x: &BitVec, y: &BitVec) {
    let (a, b) = (&bits(x), &bits(y));
    let w = a.len();
    let check = |got: BitVec, want: &Bits, what: &str| same(got, want, what, x, y);
    let zip =
        |f: fn(bool, bool) -> bool| -> Bits { a.iter().zip(b).map(|(&p, &q)| f(p, q)).collect() };
    check(x.and(y), &zip(|p, q| p && q), "and");
    check(x.or(y), &zip(|p, q| p || q), "or");
    check(x.xor(y), &zip(|p, q| p != q), "xor");
    check(x.nand(y), &zip(|p, q| !(p && q)), "nand");
    check(x.nor(y), &zip(|p, q| !(p || q)), "nor");
    check(x.xnor(y), &zip(|p, q| p == q), "xnor");
    check(x.not(), &not(a), "not");
    check(x.neg(), &neg(a), "neg");
    let (sum, carry) = add(a, b, false);
    check(x.add(y), &sum, "add");
    check(x.sub(y), &sub(a, b), "sub");
    assert_eq!(x.uaddo(y), carry);
    assert_eq!(x.usubo(y), cmp(a, b).is_lt());

    // One more bit holds the exact signed sum and difference: they fit exactly
    // when its two highest bits agree.
    let more = |v: &Bits| -> Bits { v.iter().copied().chain([msb(v)]).collect() };
    let exact = add(&more(a), &more(b), false).0;
    assert_eq!(x.saddo(y), exact[w] != exact[w - 1], "saddo {x} {y}");
    let exact = sub(&more(a), &more(b));
    assert_eq!(x.ssubo(y), exact[w] != exact[w - 1], "ssubo {x} {y}");
    let min = (0..w).all(|i| a[i] == (i == w - 1));
    assert_eq!(x.nego(), min);
    assert_eq!(x.sdivo(y), min && b.iter().all(|&bit| bit));

    let unsigned = cmp(a, b);
    let signed = match (msb(a), msb(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) | (true, true) => unsigned,
    };
    for (order, got) in [
        (unsigned, [x.ult(y), x.ule(y), x.ugt(y), x.uge(y)]),
        (signed, [x.slt(y), x.sle(y), x.sgt(y), x.sge(y)]),
    ] {
        let want = [order.is_lt(), order.is_le(), order.is_gt(), order.is_ge()];
        assert_eq!(got, want, "{x} {y}");
    }
    assert_eq!(x.cmp(y), unsigned);
    assert_eq!(x.comp(y), BitVec::from_bool(unsigned.is_eq()));

    // Only the low bits of an amount below the width can be set.
    let amount = if length(b) <= 32 {
        (0..length(b)).map(|i| usize::from(b[i]) << i).sum()
    } else {
        usize::MAX
    };
    let from = |i: Option<usize>, fill: bool| match i {
        Some(i) if i < w => a[i],
        Some(_) | None => fill,
    };
    let down = |fill| -> Bits { (0..w).map(|i| from(i.checked_add(amount), fill)).collect() };
    let up: Bits = (0..w).map(|i| from(i.checked_sub(amount), false)).collect();
    check(x.shl(y), &up, "shl");
    check(x.lshr(y), &down(false), "lshr");
    check(x.ashr(y), &down(msb(a)), "ashr");
}

fn check_quadratic(x: &BitVec, y: &BitVec) {
    let (a, b) = (&bits(x), &bits(y));
    let w = a.len();
    let check = |got: BitVec, want: &Bits, what: &str| same(got, want, what, x, y);
    let product = full_mul(a, b);
    check(x.mul(y), &product[..w].to_vec(), "mul");
    assert_eq!(x.umulo(y), length(&product) > w, "umulo {x} {y}");
    let negative = msb(a) != msb(b);
    let magnitude = full_mul(&abs(a), &abs(b));
    assert_eq!(
        x.smulo(y),
        !fits_signed(&magnitude, negative, w),
        "smulo {x} {y}"
    );

    let (quotient, rem) = div_rem(a, b);
    check(x.udiv(y), &quotient, "udiv");
    check(x.urem(y), &rem, "urem");
    let (quotient, rem) = div_rem(&abs(a), &abs(b));
    check(
        x.sdiv(y),
        &if negative { neg(&quotient) } else { quotient },
        "sdiv",
    );
    let srem = if msb(a) { neg(&rem) } else { rem.clone() };
    check(x.srem(y), &srem, "srem");
    // The modulus is the remainder, moved by one divisor if the signs differ.
    let moved = negative && !is_zero(&rem);
    check(
        x.smod(y),
        &if moved { add(&srem, b, false).0 } else { srem },
        "smod",
    );
}

/// Laws that pin quotient and remainder down, computed with the crate itself in
/// a width where nothing wraps.
fn check_division_laws(x: &BitVec, y: &BitVec) {
    if y.is_zero() {
        return;
    }
    let w = x.width();
    let (q, r) = (sound(x.udiv(y)), sound(x.urem(y)));
    assert!(r.ult(y), "{x} {y}");
    assert!(!q.umulo(y), "{x} {y}");
    assert_eq!(
        q.zext(w).mul(&y.zext(w)).add(&r.zext(w)),
        x.zext(w),
        "{x} {y}"
    );
    let (q, r) = (x.sdiv(y), x.srem(y));
    assert_eq!(q.mul(y).add(&r), *x, "{x} {y}");
    assert!(r.is_zero() || r.msb() == x.msb());
    let m = x.smod(y);
    assert!(m.is_zero() || m.msb() == y.msb());
    assert!(x.sub(&m).srem(y).is_zero() || x.ssubo(&m), "{x} {y}");
}

fn amount_or_value(rng: &mut Random, w: u32) -> BitVec {
    match rng.below(4) {
        0 => BitVec::new(w, rng.below_u64(u64::from(w + 3))),
        _ => rng.value(w),
    }
}

const WIDTHS: [u32; 8] = [63, 64, 65, 127, 128, 129, 200, 4096];

#[test]
fn linear_operators_against_bit_lists() {
    let mut rng = Random::new(2);
    for w in WIDTHS {
        for _ in 0..if w > 1000 { 120 } else { 1500 } {
            let x = sound(rng.value(w));
            let y = amount_or_value(&mut rng, w);
            check_cheap(&x, &y);
            check_cheap(&x, &x);
        }
    }
}

#[test]
fn quadratic_operators_against_bit_lists() {
    let mut rng = Random::new(3);
    for w in WIDTHS {
        for _ in 0..if w > 1000 { 12 } else { 400 } {
            let (x, y) = (rng.value(w), rng.value(w));
            check_quadratic(&x, &y);
        }
    }
}

#[test]
fn overflow_of_products_at_the_boundary() {
    // Random operands almost always overflow by far; these are chosen so that
    // the exact product is at or next to the bound.
    let mut rng = Random::new(4);
    for w in [5, 33, 63, 64, 65, 66, 128, 129, 200] {
        for _ in 0..150 {
            let y = rng
                .value(w)
                .lshr(&BitVec::new(w, rng.below_u64(u64::from(w))));
            let top = match rng.below(3) {
                0 => BitVec::ones(w),
                1 => BitVec::max_signed(w),
                _ => BitVec::min_signed(w),
            };
            let x = top.udiv(&y);
            for x in [x.sub(&BitVec::one(w)), x.clone(), x.add(&BitVec::one(w))] {
                for (x, y) in [(x.clone(), y.clone()), (x.neg(), y.clone()), (x, y.neg())] {
                    check_quadratic(&x, &y);
                }
            }
        }
        let (min, one, ones) = (BitVec::min_signed(w), BitVec::one(w), BitVec::ones(w));
        assert!(min.smulo(&ones) && ones.smulo(&min) && min.smulo(&min));
        assert!(!min.smulo(&one) && !ones.smulo(&ones) && !min.umulo(&one));
        for k in 0..w - 1 {
            // 2^(w-1-k) * 2^k overflows, its negation does not.
            let shift = |n: u32| one.shl(&BitVec::new(w, u64::from(n)));
            let (a, b) = (shift(w - 1 - k), shift(k));
            if k > 0 {
                assert!(a.smulo(&b) && !a.neg().smulo(&b), "{a} {b}");
            }
            assert!(!a.umulo(&b) && a.umulo(&shift(k + 1)), "{a} {b}");
        }
    }
}

#[test]
fn division_laws_on_random_operands() {
    let mut rng = Random::new(5);
    for w in [65, 127, 128, 129, 192, 200, 256, 320, 1024, 4096, 20_000] {
        for _ in 0..200_000 / w {
            let (x, y) = (rng.value(w), rng.value(w));
            check_division_laws(&x, &y);
            // Dividends just below a multiple are where guessed quotient limbs
            // come out too large.
            let z = y.mul(&rng.value(w)).sub(&BitVec::one(w));
            check_division_laws(&z, &y);
        }
    }
}

#[test]
fn division_of_edge_limbs() {
    // All dividends of four and divisors of two and three limbs from the values
    // at which the quotient guess needs each kind of correction.
    const EDGE: [u64; 6] = [0, 1, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
    let pick = |mut code: usize, count: usize| -> Vec<u64> {
        let mut limbs = Vec::new();
        for _ in 0..count {
            limbs.push(EDGE[code % EDGE.len()]);
            code /= EDGE.len();
        }
        limbs
    };
    let total = |count: u32| EDGE.len().pow(count);
    for divisor_len in [2u32, 3] {
        for d in 0..total(divisor_len) {
            let y = BitVec::from_limbs(256, &pick(d, divisor_len as usize));
            if y.is_zero() {
                continue;
            }
            for n in 0..total(4) {
                let x = BitVec::from_limbs(256, &pick(n, 4));
                let (q, r) = (x.udiv(&y), x.urem(&y));
                assert!(r.ult(&y) && !q.umulo(&y), "{x} {y}");
                let back = q.mul(&y);
                assert!(!back.uaddo(&r), "{x} {y}");
                assert_eq!(back.add(&r), x, "{x} {y}");
            }
        }
    }
}

#[test]
fn arithmetic_of_64_and_128_bits_against_the_machine() {
    let mut rng = Random::new(6);
    for _ in 0..20_000 {
        let (x, y) = (rng.value(128), rng.value(128));
        let (a, b) = (x.to_u128().unwrap(), y.to_u128().unwrap());
        let bv = |v: u128| BitVec::from_u128(128, v);
        assert_eq!(x.mul(&y), bv(a.wrapping_mul(b)));
        assert_eq!(x.udiv(&y), bv(a.checked_div(b).unwrap_or(u128::MAX)));
        assert_eq!(x.urem(&y), bv(a.checked_rem(b).unwrap_or(a)));
        assert_eq!(x.umulo(&y), a.checked_mul(b).is_none());
        let (s, t) = (a as i128, b as i128);
        assert_eq!(x.smulo(&y), s.checked_mul(t).is_none());
        assert_eq!(x.saddo(&y), s.checked_add(t).is_none());
        assert_eq!(x.ssubo(&y), s.checked_sub(t).is_none());
        assert_eq!(x.slt(&y), s < t);
        if t != 0 {
            assert_eq!(x.sdiv(&y), bv(s.wrapping_div(t) as u128));
            assert_eq!(x.srem(&y), bv(s.wrapping_rem(t) as u128));
        }
        // Another way to each width: compute in 128 bits and cut.
        let (lx, ly) = (x.extract(63, 0), y.extract(63, 0));
        assert_eq!(lx.mul(&ly), x.mul(&y).extract(63, 0));
        assert_eq!(lx.add(&ly), x.add(&y).extract(63, 0));
        let (zx, zy) = (lx.zext(64), ly.zext(64));
        assert_eq!(lx.umulo(&ly), zx.mul(&zy).to_u64().is_none());
        if !ly.is_zero() {
            assert_eq!(lx.udiv(&ly), zx.udiv(&zy).extract(63, 0));
        }
    }
}

#[test]
fn the_widest_vectors_work() {
    let w = BitVec::MAX_WIDTH;
    let mut rng = Random::new(7);
    let limbs: Vec<u64> = (0..w / 64).map(|_| rng.next()).collect();
    let x = sound(BitVec::from_limbs(w, &limbs));
    let y = sound(BitVec::from_limbs(w, &limbs[..w as usize / 128]));
    let (q, r) = (x.udiv(&y), x.urem(&y));
    assert!(r.ult(&y));
    assert_eq!(q.mul(&y).add(&r), x);
    assert_eq!(x.rotate_left(w / 3).rotate_right(w / 3), x);
    assert_eq!(
        x.shl(&BitVec::new(w, 77))
            .lshr(&BitVec::new(w, 77))
            .extract(w - 78, 0),
        x.extract(w - 78, 0)
    );
}
