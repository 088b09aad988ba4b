//! Preimages of operators with one unknown operand.
//!
//! The result is within a domain, the set of values already known for the operand: where a rule has one part for
//! every block of words (remainders, narrowing), only the blocks of the domain are produced. If no rule is exact and
//! the domain is small, its words are tried one by one.
//!
//! # What differs
//! Corrections to the rules as published \[SoriaDustmannWehrleCadar18\] \[AbyanehKirsch21\]:
//!
//! - §3.3.4 and (9), products: `x * k` may wrap around k times, once for every multiple of 2^w; each time gives an
//!   interval with its bounds rounded inwards, with steps by a congruence. Where k is large, x is the product with
//!   the inverse of the odd part of k, and its high bits are free.
//! - §3.3.5, extension: words up to `2^k - 1`, not `2^k`.
//! - (11), quotients: `d * k + k - 1` is computed in 128 bits.
//! - Remainders (not in the papers): residue classes, or one copy for each block of the domain.
//! - Narrowing (refused in the papers): as remainders by 2^n.

use crate::collector::Collector;
use crate::piece::{StridedInterval, gcd, odd_inverse, solve_congruence};
use crate::piece_image::contiguous;
use crate::set::{Enclosure, ValueSet, sign_bit};
use crate::unary::{LISTED, PARTS, Unary, by_sign, through};
use cairn_bv::mask;
use smallvec::SmallVec;

impl Unary {
    /// The words of `domain` that the operator makes words of `set` of. The result is within the
    /// domain.
    pub fn preimage(self, set: &ValueSet, domain: &ValueSet) -> Enclosure {
        let w = domain.width();
        debug_assert_eq!(set.width(), self.result_width(w));
        if domain.is_empty() || set.is_empty() {
            return Enclosure::exact(ValueSet::empty(w));
        }
        if set.is_full() {
            return Enclosure::exact(domain.clone());
        }
        let found = self.rule(set, domain);
        if let (true, Some(both)) = (found.exact, found.set.intersect(domain)) {
            return Enclosure::exact(both);
        }
        if domain.count() <= LISTED {
            let mut all = Collector::new(w);
            let fits = domain.iter().filter(|x| set.contains(self.apply(w, *x)));
            fits.for_each(|x| all.push(StridedInterval::point(x)));
            let listed = all.disjoint();
            if listed.exact {
                return listed;
            }
        }
        Enclosure {
            set: domain.narrowed(&found.set),
            exact: false,
        }
    }

    /// The rule of the operator. What it gives need not be within the domain; it is exact for the
    /// words of the domain if it says so.
    fn rule(self, set: &ValueSet, domain: &ValueSet) -> Enclosure {
        let w = domain.width();
        let m = mask(w);
        match self {
            // These are their own inverses, or have one.
            Unary::Neg | Unary::Not | Unary::Xor(_) => self.image(set),
            Unary::Add(k) => Unary::Add(k.wrapping_neg() & m).image(set),
            Unary::Mul(k) => before_product(set, k & m),
            Unary::Shl(k) if k >= u64::from(w) => before_product(set, 0),
            Unary::Shl(k) => before_product(set, 1 << k),
            Unary::Udiv(0) => all_or_nothing(set, w, m),
            Unary::Udiv(k) => before_quotient(set, k, domain),
            Unary::Lshr(k) if k >= u64::from(w) => all_or_nothing(set, w, 0),
            Unary::Lshr(k) => before_quotient(set, 1 << k, domain),
            Unary::Urem(0) => Enclosure::exact(set.clone()),
            Unary::Urem(k) => before_remainder(set, k.into(), domain),
            Unary::Sdiv(_) | Unary::Srem(_) | Unary::Smod(_) => self.before_signed(set, domain),
            Unary::Ashr(k) => {
                let logical = Unary::Lshr(k.min(u64::from(w) - 1));
                let (positive, negative) = by_sign(domain);
                let mut all = Collector::new(w);
                all.push_enclosure(&logical.preimage(set, &positive));
                let (inverted, magnitudes) = (Unary::Not.image(set), Unary::Not.image(&negative));
                let found = logical.preimage(&inverted.set, &magnitudes.set);
                all.push_enclosure(&through(Unary::Not, found));
                all.apart_if_exact()
            }
            Unary::And(k) => before_mask(set, k & m, domain),
            Unary::Or(k) => {
                let inverted = Unary::Not.image(set).set;
                let found = before_mask(&inverted, !k & m, &Unary::Not.image(domain).set);
                through(Unary::Not, found)
            }
            Unary::ZeroExtend(_) => low_words(set, 0, w),
            Unary::SignExtend(_) => {
                let half = sign_bit(w);
                let top = mask(set.width());
                let mut all = Collector::new(w);
                for p in set.pieces() {
                    if let Some(p) = p.between(0, half - 1) {
                        all.push(p);
                    }
                    if let Some(p) = p.between(top - (half - 1), top) {
                        let (lo, hi) = (p.lo & m, p.hi & m);
                        all.push(StridedInterval {
                            lo,
                            hi,
                            step: p.step,
                        });
                    }
                }
                all.disjoint()
            }
            Unary::Extract { hi, lo } => {
                let taken = hi - lo + 1;
                let quotients = Unary::Lshr(u64::from(lo)).image(domain).set;
                let wide = set.at_width(w);
                let whole = if taken == w {
                    Enclosure::exact(wide)
                } else {
                    before_remainder(&wide, 1 << taken, &quotients)
                };
                let found = before_quotient(&whole.set, 1 << lo, domain);
                Enclosure {
                    exact: found.exact && whole.exact,
                    ..found
                }
            }
            Unary::Prepend { value, .. } => low_words(set, if w == 64 { 0 } else { value << w }, w),
            Unary::Append { value, width } => {
                let fits = StridedInterval::up_to(value, mask(set.width()), 1 << width);
                let mut all = Collector::new(w);
                for p in set.pieces().iter().filter_map(|p| p.intersect(&fits)) {
                    let (lo, hi) = (p.lo >> width, p.hi >> width);
                    all.push(StridedInterval {
                        lo,
                        hi,
                        step: p.step >> width,
                    });
                }
                all.disjoint()
            }
        }
    }

    fn before_signed(self, set: &ValueSet, domain: &ValueSet) -> Enclosure {
        let w = domain.width();
        let mut all = Collector::new(w);
        let (positive, negative) = by_sign(domain);
        if let Some((unsigned, sign)) = self.by_magnitude(w, false) {
            let wanted = sign.undo(set);
            let found = unsigned.preimage(&wanted.set, &positive);
            all.push_enclosure(&found);
            if !wanted.exact {
                all.inexact();
            }
        }
        if let Some((unsigned, sign)) = self.by_magnitude(w, true) {
            let wanted = sign.undo(set);
            let found = unsigned.preimage(&wanted.set, &Unary::Neg.image(&negative).set);
            all.push_enclosure(&through(Unary::Neg, found));
            if !wanted.exact {
                all.inexact();
            }
        }
        all.apart_if_exact()
    }
}

fn all_or_nothing(set: &ValueSet, w: u32, word: u64) -> Enclosure {
    Enclosure::exact(if set.contains(word) {
        ValueSet::full(w)
    } else {
        ValueSet::empty(w)
    })
}

/// The words that are in the set after `high`, the bits above the lowest `w`.
fn low_words(set: &ValueSet, high: u64, w: u32) -> Enclosure {
    let mut all = Collector::new(w);
    let fits = set
        .pieces()
        .iter()
        .filter_map(|p| p.between(high, high | mask(w)));
    fits.for_each(|p| {
        all.push(StridedInterval {
            lo: p.lo - high,
            hi: p.hi - high,
            step: p.step,
        });
    });
    all.disjoint()
}

/// The words whose product with `k` is in the set.
fn before_product(set: &ValueSet, k: u64) -> Enclosure {
    let w = set.width();
    let m = mask(w);
    if k == 0 {
        return all_or_nothing(set, w, 0);
    }
    if k > m / 2 + 1 {
        let negated = Unary::Neg.image(set);
        let found = before_product(&negated.set, k.wrapping_neg() & m);
        return Enclosure {
            exact: found.exact && negated.exact,
            ..found
        };
    }
    let mut all = Collector::new(w);
    if u128::from(k) * set.pieces().len() as u128 <= u128::from(PARTS) {
        for around in 0..u128::from(k) {
            for p in set.pieces() {
                product_once(p, k, around << w, &mut all);
            }
        }
        return all.apart_if_exact();
    }
    // Only multiples of 2^t are products; x * odd is known up to its high t bits, so x is too.
    let t = k.trailing_zeros();
    let inverse = odd_inverse(k >> t);
    let known = w - t;
    let multiples = StridedInterval::up_to(0, m, 1 << t);
    let mut low = Collector::new(known);
    for p in set.pieces().iter().filter_map(|p| p.intersect(&multiples)) {
        let (lo, hi) = (p.lo >> t, p.hi >> t);
        let divided = ValueSet::of_piece(
            known,
            StridedInterval {
                lo,
                hi,
                step: p.step >> t,
            },
        );
        low.push_enclosure(&Unary::Mul(inverse & mask(known)).image(&divided));
    }
    let low = low.apart_if_exact();
    let found = if t == 0 {
        return low;
    } else {
        before_remainder(&low.set.at_width(w), 1 << known, &ValueSet::full(w))
    };
    Enclosure {
        exact: found.exact && low.exact,
        ..found
    }
}

/// The `x` with `x * k` in a piece moved up by `offset`.
fn product_once(p: &StridedInterval, k: u64, offset: u128, all: &mut Collector) {
    let wide = u128::from(k);
    let low = (offset + u128::from(p.lo)).div_ceil(wide);
    let high = (offset + u128::from(p.hi)) / wide;
    if low > high {
        return;
    }
    // Below 2^w, since offset + p.hi is below k * 2^w.
    let (low, high) = (low as u64, high as u64);
    if p.step <= 1 {
        return all.push(StridedInterval::range(low, high));
    }
    // k * x = offset + lo modulo the step.
    let wanted = (offset + u128::from(p.lo)) % u128::from(p.step);
    if let Some((first, distance)) = solve_congruence(k, wanted as u64, p.step) {
        // The smallest x of this class that is at least `low`.
        let past = u128::from(first) + u128::from(distance) - u128::from(low % distance);
        let start = u128::from(low) + past % u128::from(distance);
        if start <= u128::from(high) {
            all.push(StridedInterval::up_to(start as u64, high, distance));
        }
    }
}

/// The words of the domain whose quotient by `k` is in the set.
fn before_quotient(set: &ValueSet, k: u64, domain: &ValueSet) -> Enclosure {
    let w = domain.width();
    let m = u128::from(mask(w));
    let (Some(least), Some(most)) = (domain.min(), domain.max()) else {
        return Enclosure::exact(ValueSet::empty(w));
    };
    if k == 1 {
        return Enclosure::exact(set.clone());
    }
    let mut all = Collector::new(w);
    let mut push = |low: u64, high: u64| {
        let low = u128::from(low) * u128::from(k);
        let high = (u128::from(high) * u128::from(k) + u128::from(k - 1)).min(m);
        if low <= m {
            all.push(StridedInterval::range(low as u64, high as u64));
        }
    };
    let mut exact = true;
    for p in set
        .pieces()
        .iter()
        .filter_map(|p| p.between(least / k, most / k))
    {
        if p.step <= 1 {
            push(p.lo, p.hi);
        } else if p.count() <= u128::from(PARTS) {
            p.iter().for_each(|q| push(q, q));
        } else {
            exact = false;
            push(p.lo, p.hi);
        }
    }
    if !exact {
        all.inexact();
    }
    all.apart_if_exact()
}

/// The blocks of `k` words in which the domain has words, as runs of their first and last, and how many they are. A
/// domain around zero has words in the first and the last block, and in none between.
fn blocks_of(domain: &ValueSet, k: u64) -> (SmallVec<[(u64, u64); 4]>, u64) {
    let mut runs: SmallVec<[(u64, u64); 4]> = SmallVec::new();
    for p in domain.pieces() {
        let (first, last) = (p.lo / k, p.hi / k);
        match runs.last_mut() {
            Some(run) if first <= run.1 => run.1 = run.1.max(last),
            Some(_) | None => runs.push((first, last)),
        }
    }
    let lengths = runs.iter().map(|(first, last)| last - first);
    let count = lengths.fold(0u64, |all, more| all.saturating_add(more).saturating_add(1));
    (runs, count)
}

/// The words of the domain whose remainder by `k` is in the set.
fn before_remainder(set: &ValueSet, k: u128, domain: &ValueSet) -> Enclosure {
    let w = domain.width();
    let m = mask(w);
    let Some(most) = domain.max() else {
        return Enclosure::exact(ValueSet::empty(w));
    };
    if k > u128::from(most) {
        // Every word of the domain is its own remainder.
        return Enclosure::exact(set.clone());
    }
    let k = k as u64;
    let remainders: Vec<StridedInterval> = set
        .pieces()
        .iter()
        .filter_map(|p| p.between(0, k - 1))
        .collect();
    // A progression that goes on over the end of a block is one class.
    let goes_on = |p: &StridedInterval| {
        !p.is_point() && k.is_multiple_of(p.step) && p.lo < p.step && k - p.hi <= p.step
    };
    let mut all = Collector::new(w);
    let (runs, blocks) = blocks_of(domain, k);
    for p in &remainders {
        if goes_on(p) {
            all.push(StridedInterval::up_to(p.lo, m, p.step));
        } else if p.count() <= u128::from(blocks) && p.count() <= u128::from(PARTS) {
            for r in p.iter() {
                all.push(StridedInterval::up_to(r, m, k));
            }
        } else if blocks <= PARTS {
            for block in runs.iter().flat_map(|(first, last)| *first..=*last) {
                let base = block * k;
                let end = p.hi.min(m - base);
                if let Some(part) = p.between(p.lo, end) {
                    let (lo, hi) = (base + part.lo, base + part.hi);
                    all.push(StridedInterval {
                        lo,
                        hi,
                        step: part.step,
                    });
                }
            }
        } else {
            all.inexact();
            let spacing = gcd(p.stride(), k);
            all.push(StridedInterval::up_to(p.lo % spacing, m, spacing));
        }
    }
    all.apart_if_exact()
}

/// The words of the domain that give a word of the set when masked.
fn before_mask(set: &ValueSet, k: u64, domain: &ValueSet) -> Enclosure {
    let w = domain.width();
    if k == 0 {
        return all_or_nothing(set, w, 0);
    }
    if contiguous(k) {
        let lo = k.trailing_zeros();
        let hi = 63 - k.leading_zeros();
        // (x >> lo) mod 2^n, moved back up.
        let multiples = StridedInterval::up_to(0, k, 1 << lo);
        let mut taken = Collector::new(hi - lo + 1);
        for p in set.pieces().iter().filter_map(|p| p.intersect(&multiples)) {
            taken.push(StridedInterval {
                lo: p.lo >> lo,
                hi: p.hi >> lo,
                step: p.step >> lo,
            });
        }
        let taken = taken.disjoint();
        let found = Unary::Extract { hi, lo }.preimage(&taken.set, domain);
        return Enclosure {
            exact: found.exact && taken.exact,
            ..found
        };
    }
    // Masking never makes a word larger, and every result is a submask.
    let Some(least) = set.min().filter(|low| *low <= k) else {
        return Enclosure::exact(ValueSet::empty(w));
    };
    Enclosure {
        set: ValueSet::range(w, least, mask(w)),
        exact: false,
    }
}
