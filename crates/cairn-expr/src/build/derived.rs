//! The operators of SMT-LIB that are expressed by others.

use crate::{Term, TermStore};
use cairn_bv::BitVec;

impl TermStore {
    /// Pairwise different.
    pub fn distinct(&self, terms: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (i, a) in terms.iter().enumerate() {
            for b in &terms[i + 1..] {
                parts.push(self.not(&self.eq(a, b)));
            }
        }
        self.and_all(&parts)
    }

    /// Bitwise `not (a and b)`.
    pub fn bv_nand(&self, a: &Term, b: &Term) -> Term {
        self.bv_not(&self.bv_and(a, b))
    }

    /// Bitwise `not (a or b)`.
    pub fn bv_nor(&self, a: &Term, b: &Term) -> Term {
        self.bv_not(&self.bv_or(a, b))
    }

    /// Bitwise equality.
    pub fn bv_xnor(&self, a: &Term, b: &Term) -> Term {
        self.bv_not(&self.bv_xor(a, b))
    }

    /// One bit that says whether `a = b`.
    pub fn bv_comp(&self, a: &Term, b: &Term) -> Term {
        self.bool_to_bit(&self.eq(a, b))
    }

    /// `#b1` if `c`, else `#b0`.
    pub fn bool_to_bit(&self, c: &Term) -> Term {
        self.ite(c, &self.bv(1, 1), &self.bv(1, 0))
    }

    /// Unsigned `a <= b`.
    pub fn bv_ule(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.bv_ult(b, a))
    }

    /// Unsigned `a > b`.
    pub fn bv_ugt(&self, a: &Term, b: &Term) -> Term {
        self.bv_ult(b, a)
    }

    /// Unsigned `a >= b`.
    pub fn bv_uge(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.bv_ult(a, b))
    }

    /// Signed `a <= b`.
    pub fn bv_sle(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.bv_slt(b, a))
    }

    /// Signed `a > b`.
    pub fn bv_sgt(&self, a: &Term, b: &Term) -> Term {
        self.bv_slt(b, a)
    }

    /// Signed `a >= b`.
    pub fn bv_sge(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.bv_slt(a, b))
    }

    /// Rotation to the left by a constant.
    pub fn rotate_left(&self, a: &Term, n: u32) -> Term {
        let w = a.width();
        let n = n % w;
        if n == 0 {
            return a.clone();
        }
        self.concat(
            &self.extract(a, w - 1 - n, 0),
            &self.extract(a, w - 1, w - n),
        )
    }

    /// Rotation to the right by a constant.
    pub fn rotate_right(&self, a: &Term, n: u32) -> Term {
        let w = a.width();
        self.rotate_left(a, w - n % w)
    }

    /// Rotation to the left by a term.
    pub fn bv_rotate_left(&self, a: &Term, b: &Term) -> Term {
        let width = self.constant(BitVec::from_u128(a.width(), u128::from(a.width())));
        // A width that is a power of two may be 0 modulo 2^w only at w = 1, where a rotation
        // changes nothing.
        if a.width() == 1 {
            return a.clone();
        }
        let amount = self.bv_urem(b, &width);
        let back = self.bv_sub(&width, &amount);
        self.bv_or(&self.bv_shl(a, &amount), &self.bv_lshr(a, &back))
    }

    /// Rotation to the right by a term.
    pub fn bv_rotate_right(&self, a: &Term, b: &Term) -> Term {
        if a.width() == 1 {
            return a.clone();
        }
        let width = self.constant(BitVec::from_u128(a.width(), u128::from(a.width())));
        let amount = self.bv_urem(b, &width);
        let back = self.bv_sub(&width, &amount);
        self.bv_or(&self.bv_lshr(a, &amount), &self.bv_shl(a, &back))
    }

    /// `n` copies of `a`, one above the other; `n` is at least 1.
    pub fn repeat(&self, a: &Term, n: u32) -> Term {
        let mut result = a.clone();
        for _ in 1..n {
            result = self.concat(a, &result);
        }
        result
    }

    /// Whether `-a` overflows.
    pub fn bv_nego(&self, a: &Term) -> Term {
        self.eq(a, &self.constant(BitVec::min_signed(a.width())))
    }

    /// Whether unsigned `a + b` overflows.
    pub fn bv_uaddo(&self, a: &Term, b: &Term) -> Term {
        self.bv_ult(&self.bv_add(a, b), a)
    }

    /// Whether signed `a + b` overflows: both signs differ from the sum's.
    pub fn bv_saddo(&self, a: &Term, b: &Term) -> Term {
        let sum = self.bv_add(a, b);
        let (sa, sb, ss) = (self.sign(a), self.sign(b), self.sign(&sum));
        self.and(&self.eq(&sa, &sb), &self.xor(&sa, &ss))
    }

    /// Whether unsigned `a - b` overflows.
    pub fn bv_usubo(&self, a: &Term, b: &Term) -> Term {
        self.bv_ult(a, b)
    }

    /// Whether signed `a - b` overflows.
    pub fn bv_ssubo(&self, a: &Term, b: &Term) -> Term {
        let difference = self.bv_sub(a, b);
        let (sa, sb, sd) = (self.sign(a), self.sign(b), self.sign(&difference));
        self.and(&self.xor(&sa, &sb), &self.xor(&sa, &sd))
    }

    /// Whether unsigned `a * b` overflows, by the product at twice the width or, where there is
    /// no such width, by a division.
    pub fn bv_umulo(&self, a: &Term, b: &Term) -> Term {
        let w = a.width();
        if w > BitVec::MAX_WIDTH / 2 {
            // By zero the quotient is all ones, which nothing exceeds.
            let largest = self.bv_udiv(&self.constant(BitVec::ones(w)), a);
            return self.bv_ult(&largest, b);
        }
        let product = self.bv_mul(&self.zero_extend(a, w), &self.zero_extend(b, w));
        let high = self.extract(&product, 2 * w - 1, w);
        self.not(&self.eq(&high, &self.constant(BitVec::zero(w))))
    }

    /// Whether signed `a * b` overflows, by the product at twice the width or, where there is no
    /// such width, by dividing the product again.
    pub fn bv_smulo(&self, a: &Term, b: &Term) -> Term {
        let w = a.width();
        if w > BitVec::MAX_WIDTH / 2 {
            let is_zero = self.eq(a, &self.constant(BitVec::zero(w)));
            let same = self.eq(&self.bv_sdiv(&self.bv_mul(a, b), a), b);
            let wrong = self.or(&self.not(&same), &self.bv_sdivo(b, a));
            return self.and(&self.not(&is_zero), &wrong);
        }
        let product = self.bv_mul(&self.sign_extend(a, w), &self.sign_extend(b, w));
        let low = self.extract(&product, w - 1, 0);
        self.not(&self.eq(&product, &self.sign_extend(&low, w)))
    }

    /// Whether signed `a / b` overflows: the smallest number by -1.
    pub fn bv_sdivo(&self, a: &Term, b: &Term) -> Term {
        let minus_one = self.constant(BitVec::ones(a.width()));
        self.and(&self.bv_nego(a), &self.eq(b, &minus_one))
    }

    /// The sign bit as a Boolean.
    pub fn sign(&self, a: &Term) -> Term {
        let top = a.width() - 1;
        self.eq(&self.extract(a, top, top), &self.bv(1, 1))
    }
}
