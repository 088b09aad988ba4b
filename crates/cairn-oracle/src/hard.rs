//! Single queries that are hard because of their multiplications and divisions.
//!
//! # Problem
//!
//! Random queries are easy. How good a solver is at arithmetic shows on queries whose answer is a fact of
//! number theory or the equivalence of two circuits.
//!
//! # Idea
//!
//! Families with sizes drawn from the seed, chosen by Z3's times alone. Each has a
//! satisfiable and an unsatisfiable side, so that neither answer can be guessed.
//!
//! - **Selection.** [`crate::select`] takes the seeds in order and keeps those that take Z3 some
//!   time; it was fixed before any other solver was measured on them.
//!
//! - **Numbers.** `data/hard.txt` lists seeds, and published times are those of the queries that these seeds
//!   give. So this file keeps the generator that the list was selected with, which has no other user;
//!   a new selection will replace it by `cairn-random`.
//!
//! # Soundness
//!
//! The selection looks at Z3's times only, so it cannot favour Cairn. Verdicts are compared with Z3's.

use cairn_expr::{Sort, Term, TermStore};

/// A family of queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// `x * y = c` with bounds: two primes, or a prime.
    Factor,
    /// `x^2 mod p = c` below a prime: a residue, or none.
    Residue,
    /// Remainders by several numbers below a bound: one number has them, or none.
    Remainders,
    /// A mix of multiplications, shifts and rotations of few bits has a given value.
    Mix,
    /// Two polynomials in two variables have given values.
    System,
    /// `x * (y + z)` against `x * y + x * z`, low bits; right, or wrong for rare operands.
    Distribute,
    /// `(x * y) * z` against `x * (y * z)`, low bits; right, or wrong for rare operands.
    Associate,
    /// A product against shifts and sums; right, or wrong for rare operands.
    ShiftAndAdd,
    /// `a / b * b + a mod b = a`; right, or wrong for rare operands.
    Divide,
    /// Rounding up, and dividing twice, against one division; right, or wrong for rare operands.
    Round,
    /// `(x + a) * (y + b)` against its expansion, low bits; right, or one coefficient is not.
    Expand,
    /// The difference of squares against a product, low bits; right, or wrong for rare operands.
    Squares,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family::Factor,
    Family::Residue,
    Family::Remainders,
    Family::Mix,
    Family::System,
    Family::Distribute,
    Family::Associate,
    Family::ShiftAndAdd,
    Family::Divide,
    Family::Round,
    Family::Expand,
    Family::Squares,
];

/// Width of the words.
const W: u32 = 32;

/// The numbers that the list was selected with: a xorshift generator with a multiplicative finish.
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Self {
        let mut mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Numbers((mixed ^ (mixed >> 31)) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.half() << 32 | self.half()
    }

    fn half(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    fn within(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(u64::from(high - low) + 1) as u32
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// The family of a seed.
pub fn family(seed: u64) -> Family {
    *start(seed).pick(FAMILIES)
}

fn start(seed: u64) -> Numbers {
    Numbers::new(seed ^ 0x4A4D_0000_0000)
}

/// The query of a seed: one Boolean term, to be decided on its own.
pub fn query(store: &TermStore, seed: u64) -> Term {
    let mut r = start(seed);
    let family = *r.pick(FAMILIES);
    let sat = r.chance(50);
    let mut m = Maker { s: store, r };
    match family {
        Family::Factor => m.factor(sat),
        Family::Residue => m.residue(sat),
        Family::Remainders => m.remainders(sat),
        Family::Mix => m.mix(sat),
        Family::System => m.system(sat),
        Family::Distribute => m.distribute(sat),
        Family::Associate => m.associate(sat),
        Family::ShiftAndAdd => m.shift_and_add(sat),
        Family::Divide => m.divide(sat),
        Family::Round => m.round(sat),
        Family::Expand => m.expand(sat),
        Family::Squares => m.squares(sat),
    }
}

fn is_prime(n: u64) -> bool {
    n >= 2
        && (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

struct Maker<'a> {
    s: &'a TermStore,
    r: Numbers,
}

impl Maker<'_> {
    fn c(&self, value: u64) -> Term {
        self.s.bv(W, value)
    }

    fn var(&self, name: &str) -> Term {
        self.s.symbol(name, Sort::BitVec(W))
    }

    /// A word of which only the low bits may be set.
    fn narrow(&self, name: &str, bits: u32) -> Term {
        self.s.bv_and(&self.var(name), &self.c((1 << bits) - 1))
    }

    fn below(&self, t: &Term, bound: u64) -> Term {
        self.s.bv_ult(t, &self.c(bound))
    }

    /// A random prime of exactly so many bits.
    fn prime(&mut self, bits: u32) -> u64 {
        loop {
            let n = self.r.below(1 << (bits - 1)) | 1 << (bits - 1) | 1;
            if is_prime(n) {
                return n;
            }
        }
    }

    /// Whether two words differ in their low bits.
    fn differ(&self, a: &Term, b: &Term, bits: u32) -> Term {
        let low = |t: &Term| self.s.extract(t, bits - 1, 0);
        self.s.not(&self.s.eq(&low(a), &low(b)))
    }

    /// One if two words have rare values together, else zero: an error that is hard to find.
    fn rarely(&mut self, x: &Term, y: &Term, bits: u32) -> Term {
        let s = self.s;
        let (first, second) = (self.prime(bits), self.prime(bits));
        let product = s.bv_mul(x, &s.bv_add(y, &self.c(1)));
        let mixed = s.bv_mul(&s.bv_add(x, &self.c(3)), &s.bv_xor(x, y));
        let mut hit = s.true_();
        for (value, modulus) in [(product, first), (mixed, second)] {
            let wanted = self.r.below(modulus);
            let remainder = s.bv_urem(&value, &self.c(modulus));
            hit = s.and(&hit, &s.eq(&remainder, &self.c(wanted)));
        }
        s.ite(&hit, &self.c(1), &self.c(0))
    }

    /// `a + b` in a form that is not a sum of the two.
    fn hidden_sum(&self, a: &Term, b: &Term) -> Term {
        self.s.bv_add(&self.s.bv_or(a, b), &self.s.bv_and(a, b))
    }

    /// `a * b` in a form that is not a product of the two.
    fn hidden_product(&self, a: &Term, b: &Term) -> Term {
        let s = self.s;
        let common = s.bv_mul(&s.bv_and(a, b), &s.bv_or(a, b));
        let only_a = s.bv_and(a, &s.bv_not(b));
        let only_b = s.bv_and(b, &s.bv_not(a));
        s.bv_add(&common, &s.bv_mul(&only_a, &only_b))
    }

    /// `right`, or `right` with a rare error.
    fn maybe_wrong(&mut self, right: Term, wrong: bool, x: &Term, y: &Term, bits: u32) -> Term {
        if !wrong {
            return right;
        }
        let error = self.rarely(x, y, bits);
        self.s.bv_add(&right, &error)
    }

    fn factor(&mut self, sat: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(15, 16);
        let product = if sat {
            self.prime(bits) * self.prime(bits)
        } else {
            self.prime(2 * bits - 1)
        };
        let (x, y) = (self.var("x"), self.var("y"));
        s.and_all(&[
            self.below(&x, 1 << bits),
            self.below(&y, 1 << bits),
            s.bv_ult(&self.c(1), &x),
            s.bv_ule(&x, &y),
            s.eq(&s.bv_mul(&x, &y), &self.c(product)),
        ])
    }

    fn residue(&mut self, sat: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(13, 15);
        let p = self.prime(bits);
        let squares: Vec<u64> = (1..p).map(|x| x * x % p).collect();
        let c = loop {
            let c = 1 + self.r.below(p - 1);
            if squares.contains(&c) == sat {
                break c;
            }
        };
        let x = self.var("x");
        let square = s.bv_mul(&x, &x);
        s.and(
            &self.below(&x, p),
            &s.eq(&s.bv_urem(&square, &self.c(p)), &self.c(c)),
        )
    }

    fn remainders(&mut self, sat: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(6, 7);
        let moduli: Vec<u64> = (0..2).map(|_| self.prime(bits)).collect();
        let bound = 1 << self.r.within(10, 12);
        let hidden = self.r.below(bound);
        let x = self.var("x");
        let offset = self.r.below(1000);
        // The square keeps the remainders from being plain congruences of x.
        let y = s.bv_add(&s.bv_mul(&x, &x), &self.c(offset));
        let mut all = vec![self.below(&x, bound)];
        for (i, m) in moduli.iter().enumerate() {
            let value = hidden * hidden + offset;
            let off = if sat || i > 0 {
                0
            } else {
                1 + self.r.below(m - 1)
            };
            let remainder = s.bv_urem(&y, &self.c(*m));
            all.push(s.eq(&remainder, &self.c((value + off) % m)));
        }
        s.and_all(&all)
    }

    fn mix(&mut self, sat: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(20, 26);
        let hidden = self.r.below(1 << bits) as u32;
        let x = self.var("x");
        let (mut term, mut value) = (x.clone(), hidden);
        for _ in 0..self.r.within(6, 10) {
            let factor = self.r.bits() as u32 | 1;
            let (turn, shift) = (self.r.within(3, 29), self.r.within(5, 17));
            term = s.bv_mul(&term, &self.c(u64::from(factor)));
            term = s.rotate_left(&term, turn);
            term = s.bv_xor(&term, &s.bv_lshr(&term, &self.c(u64::from(shift))));
            value = value.wrapping_mul(factor).rotate_left(turn);
            value ^= value >> shift;
        }
        // What is reached by few of 2^32 values is most likely reached by none.
        let target = if sat {
            value
        } else {
            value ^ self.r.bits() as u32
        };
        s.and(
            &self.below(&x, 1 << bits),
            &s.eq(&term, &self.c(u64::from(target))),
        )
    }

    fn system(&mut self, sat: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(12, 15);
        let (a, b) = (self.r.below(1 << bits), self.r.below(1 << bits));
        let (x, y) = (self.var("x"), self.var("y"));
        let factor = self.r.below(100) | 1;
        let first = s.bv_add(
            &s.bv_mul(&x, &x),
            &s.bv_mul(&s.bv_mul(&y, &y), &self.c(factor)),
        );
        let second = s.bv_mul(&s.bv_mul(&x, &y), &s.bv_add(&x, &y));
        let off = if sat { 0 } else { 8 * (1 + self.r.below(1000)) };
        let second_value = (a * b).wrapping_mul(a + b).wrapping_add(off);
        s.and_all(&[
            self.below(&x, 1 << bits),
            self.below(&y, 1 << bits),
            s.eq(&first, &self.c(a * a + factor * b * b)),
            s.eq(&second, &self.c(second_value)),
        ])
    }

    fn distribute(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(7, 9);
        let (x, y, z) = (self.var("x"), self.var("y"), self.var("z"));
        let left = s.bv_mul(&x, &self.hidden_sum(&y, &z));
        let right = s.bv_add(&s.bv_mul(&x, &y), &s.bv_mul(&x, &z));
        let right = self.maybe_wrong(right, wrong, &x, &y, 13);
        self.differ(&left, &right, bits)
    }

    fn associate(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(6, 7);
        let (x, y, z) = (self.var("x"), self.var("y"), self.var("z"));
        let xy = s.bv_mul(&x, &y);
        let yz = self.hidden_product(&y, &z);
        let right = self.maybe_wrong(s.bv_mul(&x, &yz), wrong, &x, &z, 13);
        self.differ(&s.bv_mul(&xy, &z), &right, bits)
    }

    fn shift_and_add(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(7, 8);
        let (x, y) = (self.narrow("x", bits), self.narrow("y", bits));
        let product = s.bv_mul(&x, &y);
        let mut sum = self.c(0);
        // From the top down, so that the circuits have no partial sum in common.
        for i in (0..bits).rev() {
            let bit = s.eq(&s.extract(&y, i, i), &s.bv(1, 1));
            let row = s.bv_shl(&x, &self.c(u64::from(i)));
            sum = s.bv_add(&s.ite(&bit, &row, &self.c(0)), &sum);
        }
        let sum = self.maybe_wrong(sum, wrong, &x, &y, 5);
        self.differ(&product, &sum, 2 * bits)
    }

    fn divide(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(7, 8);
        let (a, b) = (self.narrow("a", bits), self.narrow("b", bits));
        let back = s.bv_add(&s.bv_mul(&s.bv_udiv(&a, &b), &b), &s.bv_urem(&a, &b));
        let back = self.maybe_wrong(back, wrong, &a, &b, 4);
        s.and(&s.bv_ult(&self.c(0), &b), &self.differ(&back, &a, W))
    }

    fn round(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(7, 8);
        let (a, b, c) = (
            self.narrow("a", bits),
            self.narrow("b", bits),
            self.narrow("c", bits),
        );
        let positive = s.and(&s.bv_ult(&self.c(0), &b), &s.bv_ult(&self.c(0), &c));
        let (left, right) = if self.r.chance(50) {
            let up = s.bv_udiv(&s.bv_sub(&s.bv_add(&a, &b), &self.c(1)), &b);
            let exact = s.eq(&s.bv_urem(&a, &b), &self.c(0));
            let one = s.ite(&exact, &self.c(0), &self.c(1));
            (up, s.bv_add(&s.bv_udiv(&a, &b), &one))
        } else {
            (
                s.bv_udiv(&s.bv_udiv(&a, &b), &c),
                s.bv_udiv(&a, &s.bv_mul(&b, &c)),
            )
        };
        let right = self.maybe_wrong(right, wrong, &a, &b, 5);
        s.and(&positive, &self.differ(&left, &right, W))
    }

    fn expand(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(7, 8);
        let (a, b) = (self.r.below(1 << W), self.r.below(1 << W));
        let (x, y) = (self.var("x"), self.var("y"));
        let (xa, yb) = (s.bv_add(&x, &self.c(a)), s.bv_add(&y, &self.c(b)));
        let left = self.hidden_product(&xa, &yb);
        let ends = s.bv_add(&s.bv_mul(&x, &y), &self.c(a.wrapping_mul(b)));
        let middle = s.bv_add(&s.bv_mul(&x, &self.c(b)), &s.bv_mul(&y, &self.c(a)));
        let right = self.maybe_wrong(s.bv_add(&ends, &middle), wrong, &x, &y, 13);
        self.differ(&left, &right, bits)
    }

    fn squares(&mut self, wrong: bool) -> Term {
        let s = self.s;
        let bits = self.r.within(8, 9);
        let (x, y) = (self.var("x"), self.var("y"));
        let left = s.bv_sub(&s.bv_mul(&x, &x), &s.bv_mul(&y, &y));
        let right = s.bv_mul(&self.hidden_sum(&x, &y), &s.bv_sub(&x, &y));
        let right = self.maybe_wrong(right, wrong, &x, &y, 13);
        self.differ(&left, &right, bits)
    }
}
