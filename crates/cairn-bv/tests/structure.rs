//! Constructors, accessors, and the operators that take vectors apart or put
//! them together, checked on the written form of the bits: a string of digits
//! is a model in which concatenation and extraction are plain slicing.

mod common;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cairn_bv::BitVec;
use cairn_random::Random;
use common::{Values, sound};

/// The digits, most significant first, read through `bit` alone.
fn digits(x: &BitVec) -> String {
    let digit = |i| if x.bit(i) { '1' } else { '0' };
    (0..x.width()).rev().map(digit).collect()
}

#[track_caller]
fn same(got: BitVec, want: &str) {
    assert_eq!(digits(&sound(got)), want);
}

fn check_extract(x: &BitVec, hi: u32, lo: u32) {
    let text = digits(x);
    let w = x.width();
    same(
        x.extract(hi, lo),
        &text[(w - 1 - hi) as usize..(w - lo) as usize],
    );
}

fn check_extend(x: &BitVec, extra: u32) {
    let text = digits(x);
    same(x.zext(extra), &("0".repeat(extra as usize) + &text));
    same(x.sext(extra), &(text[..1].repeat(extra as usize) + &text));
}

fn check_rotate(x: &BitVec, n: u32) {
    let text = digits(x);
    let at = (n % x.width()) as usize;
    let (high, low) = text.split_at(at);
    same(x.rotate_left(n), &format!("{low}{high}"));
    let (high, low) = text.split_at(text.len() - at);
    same(x.rotate_right(n), &format!("{low}{high}"));
}

#[test]
fn exhaustive_at_small_widths() {
    for w in 1..=6 {
        for a in 0..1 << w {
            let x = BitVec::new(w, a);
            for hi in 0..w {
                for lo in 0..=hi {
                    check_extract(&x, hi, lo);
                }
            }
            for n in 0..=2 * w + 1 {
                check_extend(&x, n);
                check_rotate(&x, n);
                if n > 0 {
                    same(x.repeat(n), &digits(&x).repeat(n as usize));
                }
            }
            for v in 1..=4 {
                for b in 0..1 << v {
                    let y = BitVec::new(v, b);
                    same(x.concat(&y), &(digits(&x) + &digits(&y)));
                }
            }
        }
    }
}

/// A number below a bound, of the type of widths.
fn below(rng: &mut Random, bound: u32) -> u32 {
    rng.below(bound as usize) as u32
}

#[test]
fn random_across_limb_boundaries() {
    let mut rng = Random::new(10);
    for w in [
        1, 7, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 192, 200, 1000,
    ] {
        for _ in 0..60 {
            let x = sound(rng.value(w));
            let (i, j) = (below(&mut rng, w), below(&mut rng, w));
            check_extract(&x, i.max(j), i.min(j));
            check_extract(&x, w - 1, i);
            check_extract(&x, i, 0);
            for n in [0, 1, 63, 64, 65, below(&mut rng, 300)] {
                check_extend(&x, n);
                check_rotate(&x, n);
            }
            check_extend(&x, 64u32.saturating_sub(w));
            check_rotate(&x, u32::MAX - below(&mut rng, 5));
            let n = 1 + below(&mut rng, 9);
            same(x.repeat(n), &digits(&x).repeat(n as usize));
            let v = 1 + below(&mut rng, 150);
            let y = rng.value(v);
            same(x.concat(&y), &(digits(&x) + &digits(&y)));
            same(y.concat(&x), &(digits(&y) + &digits(&x)));
        }
    }
}

#[test]
fn constructors_give_the_bits_they_promise() {
    for w in [1, 2, 5, 63, 64, 65, 127, 128, 129, 200] {
        let n = w as usize;
        same(BitVec::zero(w), &"0".repeat(n));
        same(BitVec::one(w), &("0".repeat(n - 1) + "1"));
        same(BitVec::ones(w), &"1".repeat(n));
        same(
            BitVec::min_signed(w),
            &("1".to_string() + &"0".repeat(n - 1)),
        );
        same(
            BitVec::max_signed(w),
            &("0".to_string() + &"1".repeat(n - 1)),
        );
        // Constructors keep the low bits of the value written out at length.
        let cut = |text: String| text[text.len() - n..].to_string();
        let mut rng = Random::new(11);
        for _ in 0..40 {
            let v = rng.next() >> rng.below(64);
            let zeros = "0".repeat(n);
            same(BitVec::new(w, v), &cut(format!("{zeros}{v:064b}")));
            let signed = (v as i64).wrapping_neg();
            let fill = if signed < 0 { "1" } else { "0" }.repeat(n);
            same(
                BitVec::from_i64(w, signed),
                &cut(format!("{fill}{signed:064b}")),
            );
            let u = u128::from(v) << 64 | u128::from(rng.next());
            same(BitVec::from_u128(w, u), &cut(format!("{zeros}{u:0128b}")));
            let [a, b, c] = [rng.next(), rng.next(), rng.next()];
            let full = format!("{zeros}{c:064b}{b:064b}{a:064b}");
            same(BitVec::from_limbs(w, &[a, b, c]), &cut(full));
        }
        same(BitVec::from_limbs(w, &[]), &"0".repeat(n));
        same(BitVec::from_limbs(w, &[u64::MAX; 9]), &"1".repeat(n));
    }
    same(BitVec::from_bool(true), "1");
    same(BitVec::from_bool(false), "0");
}

#[test]
fn accessors_agree_with_the_digits() {
    let mut rng = Random::new(12);
    for w in [1, 8, 63, 64, 65, 127, 128, 129, 200, 4096] {
        for _ in 0..200 {
            let x = sound(rng.value(w));
            let text = digits(&x);
            let low = |n: usize| &text[text.len().saturating_sub(n)..];
            let high_is_zero = |n: usize| !text[..text.len().saturating_sub(n)].contains('1');
            let u128_value = u128::from_str_radix(low(128), 2).unwrap();
            assert_eq!(x.low_u64(), u128_value as u64);
            assert_eq!(x.to_u64(), high_is_zero(64).then_some(u128_value as u64));
            assert_eq!(x.to_u128(), high_is_zero(128).then_some(u128_value));
            let ones = text.matches('1').count();
            assert_eq!(x.count_ones() as usize, ones);
            let leading = text.find('1').unwrap_or(text.len());
            assert_eq!(x.leading_zeros() as usize, leading);
            let trailing = text.rfind('1').map_or(text.len(), |i| text.len() - 1 - i);
            assert_eq!(x.trailing_zeros() as usize, trailing);
            assert_eq!(x.exact_log2(), (ones == 1).then_some(trailing as u32));
            assert_eq!(x.is_zero(), ones == 0);
            assert_eq!(x.is_ones(), ones == text.len());
            assert_eq!(x.is_one(), ones == 1 && text.ends_with('1'));
            assert_eq!(x.msb(), text.starts_with('1'));
            assert_eq!(BitVec::from_limbs(w, x.limbs()), x);
        }
        for k in 0..w.min(300) {
            let power = BitVec::one(w).rotate_left(k);
            assert_eq!(power.exact_log2(), Some(k));
            assert_eq!(power.not().exact_log2(), None);
        }
    }
}

#[test]
fn order_is_by_width_then_value() {
    let mut rng = Random::new(13);
    let widths = [1, 2, 63, 64, 65, 128, 129];
    let values: Vec<BitVec> = (0..300)
        .map(|i| rng.value(widths[i % widths.len()]))
        .collect();
    for x in &values {
        for y in &values {
            // Equally long digit strings order as the numbers do.
            let by_text = x.width().cmp(&y.width()).then(digits(x).cmp(&digits(y)));
            assert_eq!(x.cmp(y), by_text);
            assert_eq!(x.partial_cmp(y), Some(by_text));
            assert_eq!(x == y, by_text.is_eq());
        }
    }
    // Equal values hash alike however they came about.
    let mut seen = HashSet::new();
    assert!(seen.insert(BitVec::new(65, 3)));
    assert!(!seen.insert(BitVec::ones(65).lshr(&BitVec::new(65, 63))));
    assert!(seen.insert(BitVec::new(64, 3)));
}

#[test]
fn ill_sorted_uses_panic() {
    let panics = |f: &dyn Fn()| catch_unwind(AssertUnwindSafe(f)).is_err();
    let (a, b) = (&BitVec::zero(8), &BitVec::zero(9));
    let wide = &BitVec::zero(80);
    type Op = fn(&BitVec, &BitVec) -> BitVec;
    type Pred = fn(&BitVec, &BitVec) -> bool;
    use BitVec as B;
    let ops: [Op; 18] = [
        B::and,
        B::or,
        B::xor,
        B::nand,
        B::nor,
        B::xnor,
        B::add,
        B::sub,
        B::mul,
        B::udiv,
        B::urem,
        B::sdiv,
        B::srem,
        B::smod,
        B::shl,
        B::lshr,
        B::ashr,
        B::comp,
    ];
    let preds: [Pred; 15] = [
        B::ult,
        B::ule,
        B::ugt,
        B::uge,
        B::slt,
        B::sle,
        B::sgt,
        B::sge,
        B::uaddo,
        B::saddo,
        B::umulo,
        B::smulo,
        B::usubo,
        B::ssubo,
        B::sdivo,
    ];
    for (x, y) in [(a, b), (b, a), (a, wide), (wide, a)] {
        for op in ops {
            assert!(panics(&|| drop(op(x, y))));
        }
        for pred in preds {
            assert!(panics(&|| assert!(pred(x, y) || !pred(x, y))));
        }
    }
    let max = B::MAX_WIDTH;
    assert!(panics(&|| drop(B::zero(0))));
    assert!(panics(&|| drop(B::ones(max + 1))));
    assert!(panics(&|| drop(a.zext(max - 7))));
    assert!(panics(&|| drop(a.sext(u32::MAX))));
    assert!(panics(&|| drop(a.repeat(0))));
    assert!(panics(&|| drop(a.repeat(u32::MAX))));
    assert!(panics(&|| drop(B::zero(max).concat(a))));
    assert!(panics(&|| drop(a.extract(8, 0))));
    assert!(panics(&|| drop(a.extract(2, 3))));
    assert!(panics(&|| assert!(a.bit(8))));
    assert!(panics(&|| assert!(wide.bit(80))));
    assert_eq!(a.zext(max - 8).width(), max);
}
