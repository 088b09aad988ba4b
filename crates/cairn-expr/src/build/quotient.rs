//! Comparisons of quotients by constants with constants: ranges of the dividend. Chains of divisions, as printing makes them, are
//! peeled off in a loop.

use crate::{Op, Rule, Term, TermStore};
use cairn_bv::{BitVec, mask};

/// The dividend and the divisor of a quotient by a constant other than zero, of at most 64 bits.
fn unsigned_quotient(t: &Term) -> Option<(&Term, u64)> {
    match t.op() {
        Op::BvUdiv if t.width() <= 64 => {
            let d = t.arg(1).as_const()?.low_u64();
            (d != 0).then_some((t.arg(0), d))
        }
        _ => None,
    }
}

/// The dividend and the divisor of a signed quotient by a positive constant, of at most 64 bits.
fn signed_quotient(t: &Term) -> Option<(&Term, i128)> {
    match t.op() {
        Op::BvSdiv if t.width() <= 64 => {
            let d = t.arg(1).as_const()?;
            (!d.msb() && !d.is_zero()).then_some((t.arg(0), i128::from(d.low_u64())))
        }
        _ => None,
    }
}

/// What a term without its highest bits was made of, if these are zero in all its values.
fn uncut(t: &Term) -> Option<&Term> {
    match t.op() {
        Op::Extract { lo: 0, .. } if t.arg(0).width() <= 64 => {
            let whole = t.arg(0);
            (whole.attributes().largest <= mask(t.width())).then_some(whole)
        }
        _ => None,
    }
}

/// A constant as a signed number.
fn signed(c: &BitVec) -> i128 {
    let unsigned = i128::from(c.low_u64());
    match c.msb() {
        true => unsigned - (1i128 << c.width()),
        false => unsigned,
    }
}

/// The smallest and the largest signed number of a width.
fn signed_limits(width: u32) -> (i128, i128) {
    let half = 1i128 << (width - 1);
    (-half, half - 1)
}

/// The smallest `x` with `x / d >= q`.
fn first_reaching(q: i128, d: i128) -> i128 {
    match q > 0 {
        true => q * d,
        false => q * d - (d - 1),
    }
}

/// The largest `x` with `x / d <= q`.
fn last_within(q: i128, d: i128) -> i128 {
    match q >= 0 {
        true => q * d + (d - 1),
        false => q * d,
    }
}

impl TermStore {
    fn word(&self, width: u32, value: i128) -> Term {
        // The low bits are what is meant, also of a negative number.
        self.bv(width, value as u64 & mask(width))
    }

    /// `a < c` or, with `above`, `c < a`, for a term without divisions at its top: they were peeled off. `None` if there was none.
    pub(super) fn ult_quotient(&self, a: &Term, c: &BitVec, above: bool) -> Option<Term> {
        if a.width() > 64 {
            return None;
        }
        let mut at = a;
        // The least word that is too large for `a < c`, or that is large enough for `c < a`.
        let mut bound = u128::from(c.low_u64()) + u128::from(above);
        let mut peeled = false;
        loop {
            if let Some((x, d)) = unsigned_quotient(at) {
                self.fired(Rule::UltUdivConst);
                bound = bound.checked_mul(u128::from(d))?;
                (at, peeled) = (x, true);
            } else if let Some(whole) = uncut(at)
                && unsigned_quotient(whole).is_some()
            {
                self.fired(Rule::UltExtractQuotient);
                at = whole;
            } else if peeled
                && matches!(at.op(), Op::ZeroExtend(_))
                && bound <= u128::from(mask(at.arg(0).width()))
            {
                // A quotient may be below.
                at = at.arg(0);
            } else {
                break;
            }
        }
        if !peeled {
            return None;
        }
        if bound > u128::from(mask(at.width())) {
            return Some(self.bool(!above));
        }
        let bound = bound as u64;
        let term = |word: u64| self.bv(at.width(), word);
        Some(match (above, bound) {
            (false, _) => self.bv_ult(at, &term(bound)),
            (true, 0) => self.true_(),
            (true, _) => self.bv_ult(&term(bound - 1), at),
        })
    }

    /// `a = c` for a quotient.
    pub(super) fn eq_quotient(&self, a: &Term, c: &BitVec) -> Option<Term> {
        let w = a.width();
        if let Some((x, d)) = unsigned_quotient(a) {
            self.fired(Rule::EqUdivConst);
            let low = u128::from(c.low_u64()) * u128::from(d);
            if low > u128::from(mask(w)) {
                return Some(self.false_());
            }
            let low = low as u64;
            let length = u64::min(d - 1, mask(w) - low);
            return Some(self.range(x, low, length));
        }
        let (mut x, mut d) = signed_quotient(a)?;
        self.fired(Rule::EqSdivConst);
        let q = signed(c);
        let (least, most) = signed_limits(w);
        // A quotient is zero if the first dividend is less than the product of the divisors.
        while q == 0
            && let Some((y, e)) = signed_quotient(x)
            && d * e <= most
        {
            self.fired(Rule::EqSdivChain);
            (x, d) = (y, d * e);
        }
        let low = first_reaching(q, d).max(least);
        let high = last_within(q, d).min(most);
        if low > high {
            return Some(self.false_());
        }
        let low_word = low as u64 & mask(w);
        Some(self.range(x, low_word, (high - low) as u64))
    }

    /// Whether `x` is one of the `length + 1` words from a first one on.
    fn range(&self, x: &Term, first: u64, length: u64) -> Term {
        let w = x.width();
        if length == mask(w) {
            return self.true_();
        }
        let offset = self.bv_add(x, &self.bv(w, first.wrapping_neg() & mask(w)));
        self.bv_ult(&offset, &self.bv(w, length + 1))
    }

    /// `a < c` or, with `above`, `c < a`, signed, for a quotient.
    pub(super) fn slt_quotient(&self, a: &Term, c: &BitVec, above: bool) -> Option<Term> {
        let w = a.width();
        if w > 64 {
            return None;
        }
        let (least, most) = signed_limits(w);
        let mut at = a;
        let mut bound = signed(c);
        let mut peeled = false;
        while let Some((x, d)) = signed_quotient(at) {
            if !(least..=most).contains(&bound) {
                break;
            }
            self.fired(Rule::SltSdivConst);
            bound = match above {
                // c < x / d: from the first dividend that reaches c + 1 on.
                true => first_reaching(bound + 1, d) - 1,
                false => last_within(bound - 1, d) + 1,
            };
            (at, peeled) = (x, true);
        }
        if !peeled {
            return None;
        }
        Some(match above {
            true if bound < least => self.true_(),
            true if bound >= most => self.false_(),
            true => self.bv_slt(&self.word(w, bound), at),
            false if bound > most => self.true_(),
            false if bound <= least => self.false_(),
            false => self.bv_slt(at, &self.word(w, bound)),
        })
    }

    /// `a < c` for a product with the inverse of `d`, if `c - 1` is the last word divided by `d`: the multiples of `d`, and nothing
    /// else, are mapped to the words up to there.
    pub(super) fn is_multiple(&self, a: &Term, c: &BitVec) -> Option<Term> {
        let w = a.width();
        if w > 64 {
            return None;
        }
        let (x, m) = super::with_const(a, &Op::BvMul)?;
        let last = c.low_u64().checked_sub(1).filter(|last| *last > 0)?;
        let d = mask(w) / last;
        let inverse = m.low_u64().wrapping_mul(d) & mask(w) == 1;
        if d < 3 || mask(w) / d != last || !inverse {
            return None;
        }
        self.fired(Rule::UltMulInverse);
        let rest = self.bv_urem(x, &self.bv(w, d));
        Some(self.eq(&rest, &self.bv(w, 0)))
    }
}
