//! Every operator with operands of one width, against the definitions of
//! SMT-LIB read over mathematical integers: exhaustively at widths 1 to 5, on
//! random operands up to width 63 (whose products still fit in an `i128`).
//!
//! The signed divisions are checked twice: against truncated and floored
//! division of integers, and against the case distinction in the text of the
//! standard.

mod common;

use cairn_bv::BitVec;
use cairn_random::Random;
use common::{Values, sound};

/// The integers a bit-vector of `w` bits stands for.
#[derive(Clone, Copy)]
struct Width(u32);

impl Width {
    fn modulus(self) -> i128 {
        1 << self.0
    }
    fn wrap(self, x: i128) -> i128 {
        x.rem_euclid(self.modulus())
    }
    fn signed(self, x: i128) -> i128 {
        if x < self.modulus() / 2 {
            x
        } else {
            x - self.modulus()
        }
    }
    /// Whether an integer has a signed representation.
    fn in_signed_range(self, x: i128) -> bool {
        -self.modulus() / 2 <= x && x < self.modulus() / 2
    }
    fn in_unsigned_range(self, x: i128) -> bool {
        0 <= x && x < self.modulus()
    }
    /// A result given bit by bit from the bits of the operands.
    fn bitwise(self, a: i128, b: i128, f: impl Fn(bool, bool) -> bool) -> i128 {
        (0..self.0)
            .filter(|&i| f(a >> i & 1 == 1, b >> i & 1 == 1))
            .map(|i| 1 << i)
            .sum()
    }
    fn floor_div_pow2(self, x: i128, n: i128) -> i128 {
        // Shifting further than the width changes nothing any more.
        x.div_euclid(1 << n.min(i128::from(self.0)))
    }
}

type Op2 = (
    &'static str,
    fn(&BitVec, &BitVec) -> BitVec,
    fn(Width, i128, i128) -> i128,
);
type Pred2 = (
    &'static str,
    fn(&BitVec, &BitVec) -> bool,
    fn(Width, i128, i128) -> bool,
);

const BINARY: &[Op2] = &[
    ("and", BitVec::and, |w, a, b| w.bitwise(a, b, |x, y| x && y)),
    ("or", BitVec::or, |w, a, b| w.bitwise(a, b, |x, y| x || y)),
    ("xor", BitVec::xor, |w, a, b| w.bitwise(a, b, |x, y| x != y)),
    ("nand", BitVec::nand, |w, a, b| {
        w.bitwise(a, b, |x, y| !(x && y))
    }),
    ("nor", BitVec::nor, |w, a, b| {
        w.bitwise(a, b, |x, y| !(x || y))
    }),
    ("xnor", BitVec::xnor, |w, a, b| {
        w.bitwise(a, b, |x, y| x == y)
    }),
    ("add", BitVec::add, |w, a, b| w.wrap(a + b)),
    ("sub", BitVec::sub, |w, a, b| w.wrap(a - b)),
    ("mul", BitVec::mul, |w, a, b| w.wrap(a * b)),
    ("udiv", BitVec::udiv, |w, a, b| {
        if b == 0 { w.modulus() - 1 } else { a / b }
    }),
    (
        "urem",
        BitVec::urem,
        |_, a, b| if b == 0 { a } else { a % b },
    ),
    ("sdiv", BitVec::sdiv, |w, a, b| {
        let (a, b) = (w.signed(a), w.signed(b));
        w.wrap(match (b, a) {
            (0, ..0) => 1,
            (0, 0..) => -1,
            // `/` on integers truncates.
            _ => a / b,
        })
    }),
    ("srem", BitVec::srem, |w, a, b| {
        let (a, b) = (w.signed(a), w.signed(b));
        w.wrap(if b == 0 { a } else { a - b * (a / b) })
    }),
    ("smod", BitVec::smod, |w, a, b| {
        let (a, b) = (w.signed(a), w.signed(b));
        if b == 0 {
            return w.wrap(a);
        }
        let truncated = a / b;
        let exact = truncated * b == a;
        let floor = if !exact && (a < 0) != (b < 0) {
            truncated - 1
        } else {
            truncated
        };
        w.wrap(a - b * floor)
    }),
    ("shl", BitVec::shl, |w, a, b| {
        if b >= i128::from(w.0) {
            0
        } else {
            w.wrap(a * (1 << b))
        }
    }),
    ("lshr", BitVec::lshr, |w, a, b| w.floor_div_pow2(a, b)),
    ("ashr", BitVec::ashr, |w, a, b| {
        w.wrap(w.floor_div_pow2(w.signed(a), b))
    }),
];

const PREDICATES: &[Pred2] = &[
    ("ult", BitVec::ult, |_, a, b| a < b),
    ("ule", BitVec::ule, |_, a, b| a <= b),
    ("ugt", BitVec::ugt, |_, a, b| a > b),
    ("uge", BitVec::uge, |_, a, b| a >= b),
    ("slt", BitVec::slt, |w, a, b| w.signed(a) < w.signed(b)),
    ("sle", BitVec::sle, |w, a, b| w.signed(a) <= w.signed(b)),
    ("sgt", BitVec::sgt, |w, a, b| w.signed(a) > w.signed(b)),
    ("sge", BitVec::sge, |w, a, b| w.signed(a) >= w.signed(b)),
    ("uaddo", BitVec::uaddo, |w, a, b| {
        !w.in_unsigned_range(a + b)
    }),
    ("usubo", BitVec::usubo, |w, a, b| {
        !w.in_unsigned_range(a - b)
    }),
    ("umulo", BitVec::umulo, |w, a, b| {
        !w.in_unsigned_range(a * b)
    }),
    ("saddo", BitVec::saddo, |w, a, b| {
        !w.in_signed_range(w.signed(a) + w.signed(b))
    }),
    ("ssubo", BitVec::ssubo, |w, a, b| {
        !w.in_signed_range(w.signed(a) - w.signed(b))
    }),
    ("smulo", BitVec::smulo, |w, a, b| {
        !w.in_signed_range(w.signed(a) * w.signed(b))
    }),
    ("sdivo", BitVec::sdivo, |w, a, b| {
        b != 0 && !w.in_signed_range(w.signed(a) / w.signed(b))
    }),
];

/// The definitions of `bvsdiv`, `bvsrem` and `bvsmod` in the text of the
/// standard, over the reference for the unsigned operators.
fn standard_text(w: Width, s: i128, t: i128) -> [i128; 3] {
    let neg = |x: i128| w.wrap(-x);
    let udiv = |x: i128, y: i128| if y == 0 { w.modulus() - 1 } else { x / y };
    let urem = |x: i128, y: i128| if y == 0 { x } else { x % y };
    let msb_s = s >> (w.0 - 1) & 1 == 1;
    let msb_t = t >> (w.0 - 1) & 1 == 1;
    let sdiv = match (msb_s, msb_t) {
        (false, false) => udiv(s, t),
        (true, false) => neg(udiv(neg(s), t)),
        (false, true) => neg(udiv(s, neg(t))),
        (true, true) => udiv(neg(s), neg(t)),
    };
    let srem = match (msb_s, msb_t) {
        (false, false) => urem(s, t),
        (true, false) => neg(urem(neg(s), t)),
        (false, true) => urem(s, neg(t)),
        (true, true) => neg(urem(neg(s), neg(t))),
    };
    let abs_s = if msb_s { neg(s) } else { s };
    let abs_t = if msb_t { neg(t) } else { t };
    let u = urem(abs_s, abs_t);
    let smod = if u == 0 {
        u
    } else {
        match (msb_s, msb_t) {
            (false, false) => u,
            (true, false) => w.wrap(neg(u) + t),
            (false, true) => w.wrap(u + t),
            (true, true) => neg(u),
        }
    };
    [sdiv, srem, smod]
}

fn int(x: &BitVec) -> i128 {
    i128::from(x.to_u64().expect("the width is at most 64"))
}

fn check_pair(w: u32, x: &BitVec, y: &BitVec) {
    let (a, b) = (int(x), int(y));
    for (name, op, reference) in BINARY {
        let got = sound(op(x, y));
        assert_eq!(got.width(), w, "{name}");
        assert_eq!(int(&got), reference(Width(w), a, b), "{name} {x} {y}");
    }
    for (name, op, reference) in PREDICATES {
        assert_eq!(op(x, y), reference(Width(w), a, b), "{name} {x} {y}");
    }
    let text = standard_text(Width(w), a, b);
    assert_eq!(int(&x.sdiv(y)), text[0], "sdiv {x} {y}");
    assert_eq!(int(&x.srem(y)), text[1], "srem {x} {y}");
    assert_eq!(int(&x.smod(y)), text[2], "smod {x} {y}");
    let comp = sound(x.comp(y));
    assert_eq!(comp.width(), 1);
    assert_eq!(comp.is_one(), a == b);
    assert_eq!(x == y, a == b);
    assert_eq!(x.cmp(y), a.cmp(&b));
}

fn check_one(width: u32, x: &BitVec) {
    let w = Width(width);
    let a = int(x);
    assert_eq!(int(&sound(x.not())), w.modulus() - 1 - a);
    assert_eq!(int(&sound(x.neg())), w.wrap(w.modulus() - a));
    assert_eq!(x.nego(), !w.in_signed_range(-w.signed(a)));
    let bits: Vec<bool> = (0..width).map(|i| a >> i & 1 == 1).collect();
    assert_eq!((0..width).map(|i| x.bit(i)).collect::<Vec<_>>(), bits);
    assert_eq!(x.msb(), w.signed(a) < 0);
    assert_eq!(x.is_zero(), a == 0);
    assert_eq!(x.is_one(), a == 1);
    assert_eq!(x.is_ones(), a == w.modulus() - 1);
    assert_eq!(x.low_u64(), a as u64);
    assert_eq!(x.to_u128(), Some(a as u128));
    assert_eq!(x.count_ones() as usize, bits.iter().filter(|&&b| b).count());
    let low = bits.iter().take_while(|&&b| !b).count();
    let high = bits.iter().rev().take_while(|&&b| !b).count();
    assert_eq!(x.trailing_zeros() as usize, low);
    assert_eq!(x.leading_zeros() as usize, high);
    assert_eq!(x.exact_log2(), (0..width).find(|&k| a == 1 << k));
}

#[test]
fn exhaustive_at_small_widths() {
    for w in 1..=5 {
        for a in 0..1u64 << w {
            let x = sound(BitVec::new(w, a));
            check_one(w, &x);
            for b in 0..1u64 << w {
                check_pair(w, &x, &BitVec::new(w, b));
            }
        }
    }
}

#[test]
fn random_up_to_63_bits() {
    let mut rng = Random::new(1);
    for w in 6..=63 {
        for _ in 0..500 {
            let x = sound(rng.value(w));
            let y = match rng.below(4) {
                0 => BitVec::new(w, rng.below_u64(u64::from(w + 2))),
                _ => rng.value(w),
            };
            check_one(w, &x);
            check_pair(w, &x, &y);
        }
    }
}

#[test]
fn corner_cases_spelled_out() {
    // Written down from the standard rather than computed, as a check on the
    // references themselves.
    let bv = |v: i64| BitVec::from_i64(8, v);
    assert_eq!(bv(5).udiv(&bv(0)), bv(-1));
    assert_eq!(bv(5).urem(&bv(0)), bv(5));
    assert_eq!(bv(5).sdiv(&bv(0)), bv(-1));
    assert_eq!(bv(0).sdiv(&bv(0)), bv(-1));
    assert_eq!(bv(-5).sdiv(&bv(0)), bv(1));
    assert_eq!(bv(-5).srem(&bv(0)), bv(-5));
    assert_eq!(bv(-5).smod(&bv(0)), bv(-5));
    assert_eq!(bv(-128).sdiv(&bv(-1)), bv(-128));
    assert_eq!(bv(-128).srem(&bv(-1)), bv(0));
    assert_eq!(bv(-7).sdiv(&bv(2)), bv(-3));
    assert_eq!(bv(-7).srem(&bv(2)), bv(-1));
    assert_eq!(bv(-7).smod(&bv(2)), bv(1));
    assert_eq!(bv(7).srem(&bv(-2)), bv(1));
    assert_eq!(bv(7).smod(&bv(-2)), bv(-1));
    assert_eq!(bv(1).shl(&bv(7)), bv(-128));
    assert_eq!(bv(1).shl(&bv(8)), bv(0));
    assert_eq!(bv(-1).lshr(&bv(7)), bv(1));
    assert_eq!(bv(-1).lshr(&bv(8)), bv(0));
    assert_eq!(bv(-128).ashr(&bv(-1)), bv(-1));
    assert_eq!(bv(64).ashr(&bv(8)), bv(0));
    assert!(bv(-128).sdivo(&bv(-1)) && bv(-128).nego() && !bv(-127).nego());
    assert!(bv(-128).smulo(&bv(-1)) && !bv(-64).smulo(&bv(2)) && bv(64).smulo(&bv(2)));
}
