//! Images of one piece under the operators of [`Unary`](crate::Unary).

use crate::collector::Collector;
use crate::piece::{StridedInterval, gcd};
use crate::set::ValueSet;
use crate::unary::{LISTED, PARTS, Unary};
use cairn_bv::mask;

pub(crate) fn negate(set: &ValueSet, all: &mut Collector) {
    for p in set.pieces() {
        all.push_wrapped(p.hi.wrapping_neg(), p.count_minus_one(), p.stride());
    }
}

/// A product is an arithmetic progression modulo 2^w.
pub(crate) fn multiply(w: u32, p: &StridedInterval, k: u64, all: &mut Collector) {
    let m = mask(w);
    let k = k & m;
    let first = p.lo.wrapping_mul(k);
    let step = p.stride().wrapping_mul(k) & m;
    let more = p.count_minus_one();
    if more == 0 || step == 0 {
        return all.push_wrapped(first, 0, 1);
    }
    if u128::from(step) * u128::from(more) <= u128::from(m) {
        return all.push_wrapped(first, more, step);
    }
    let down = step.wrapping_neg() & m;
    if u128::from(down) * u128::from(more) <= u128::from(m) {
        return all.push_wrapped(p.hi.wrapping_mul(k), more, down);
    }
    let spacing = 1u64 << step.trailing_zeros();
    let coset = u128::from(m / spacing) + 1;
    if u128::from(more) + 1 < coset {
        if u128::from(more) < LISTED {
            return p
                .iter()
                .for_each(|x| all.push(StridedInterval::point(x.wrapping_mul(k) & m)));
        }
        all.inexact();
    }
    all.push(StridedInterval::up_to(first & (spacing - 1), m, spacing));
}

/// Quotients by a constant that is not zero.
pub(crate) fn divide(p: &StridedInterval, k: u64, all: &mut Collector) {
    let (lo, hi) = (p.lo / k, p.hi / k);
    if p.step.is_multiple_of(k) && p.step > 0 {
        return all.push(StridedInterval::up_to(lo, hi, p.step / k));
    }
    if p.step > k {
        if p.count() <= LISTED {
            return p
                .iter()
                .for_each(|x| all.push(StridedInterval::point(x / k)));
        }
        all.inexact();
    }
    all.push(StridedInterval::range(lo, hi));
}

/// Remainders by a constant that is not zero.
pub(crate) fn remainder(p: &StridedInterval, k: u64, all: &mut Collector) {
    let (lo, hi) = (p.lo / k, p.hi / k);
    if lo == hi {
        let base = lo * k;
        return all.push(StridedInterval {
            lo: p.lo - base,
            hi: p.hi - base,
            step: p.step,
        });
    }
    let spacing = gcd(p.stride(), k);
    let coset = StridedInterval::up_to(p.lo % spacing, k - 1, spacing);
    // Steps of p meet all k / spacing remainders in turn.
    if p.count() >= u128::from(k / spacing) {
        return all.push(coset);
    }
    if hi - lo < PARTS {
        for q in lo..=hi {
            let end = (q * k).saturating_add(k - 1);
            if let Some(part) = p.between(q * k, end) {
                all.push(StridedInterval {
                    lo: part.lo - q * k,
                    hi: part.hi - q * k,
                    step: part.step,
                });
            }
        }
    } else if p.count() <= LISTED {
        p.iter()
            .for_each(|x| all.push(StridedInterval::point(x % k)));
    } else {
        all.inexact();
        all.push(coset);
    }
}

/// Which bits differ between words of a piece (all others are the same in every word), and the
/// value of the others.
fn varying(p: &StridedInterval) -> (u64, u64) {
    let different = p.lo ^ p.hi;
    if different == 0 {
        return (0, p.lo);
    }
    let below = mask(64 - different.leading_zeros());
    let low = (1u64 << p.stride().trailing_zeros()) - 1;
    let bits = below & !low;
    (bits, p.lo & !bits)
}

/// Whether the ones of a mask stand together.
pub(crate) fn contiguous(k: u64) -> bool {
    let shifted = k >> k.trailing_zeros().min(63);
    shifted & shifted.wrapping_add(1) == 0
}

pub(crate) fn and_mask(w: u32, p: &StridedInterval, k: u64, all: &mut Collector) {
    let (bits, same) = varying(p);
    let kept = same & k;
    let free = k & bits;
    if free == 0 {
        return all.push(StridedInterval::point(kept));
    }
    let base = p.lo & !bits;
    let moving = StridedInterval {
        lo: p.lo - base,
        hi: p.hi - base,
        step: p.step,
    };
    if free == bits {
        return all.push(StridedInterval {
            lo: moving.lo | kept,
            hi: moving.hi | kept,
            step: p.step,
        });
    }
    if contiguous(free) {
        let lowest = free.trailing_zeros();
        let width = (free >> lowest).count_ones();
        let top = lowest + width - 1;
        let taken = Unary::Extract {
            hi: top,
            lo: lowest,
        }
        .image(&ValueSet::of_piece(w, moving));
        for q in taken.set.pieces() {
            let (lo, hi) = (q.lo << lowest | kept, q.hi << lowest | kept);
            all.push(StridedInterval {
                lo,
                hi,
                step: q.step << lowest,
            });
        }
        if !taken.exact {
            all.inexact();
        }
        return;
    }
    if p.count() <= LISTED {
        return p
            .iter()
            .for_each(|x| all.push(StridedInterval::point(x & k)));
    }
    all.inexact();
    let spacing = 1u64 << free.trailing_zeros();
    all.push(StridedInterval::up_to(
        kept,
        kept + free.min(moving.hi),
        spacing,
    ));
}

/// Exclusive or: cut at the highest bits that differ until the mask flips all bits that differ
/// below, or none.
pub(crate) fn flip(p: &StridedInterval, k: u64, parts: &mut u64, all: &mut Collector) {
    let (bits, same) = varying(p);
    let base = same ^ (k & !bits);
    let free = k & bits;
    let (lo, hi) = (p.lo & bits, p.hi & bits);
    let span = if bits == 0 {
        0
    } else {
        bits >> bits.trailing_zeros()
    };
    if free == 0 {
        return all.push(StridedInterval {
            lo: base | lo,
            hi: base | hi,
            step: p.step,
        });
    }
    if free == bits {
        // Counting down from all ones of these bits.
        let (lo, hi) = (base | (bits - hi), base | (bits - lo));
        return all.push(StridedInterval {
            lo,
            hi,
            step: p.step,
        });
    }
    if p.step.is_power_of_two() && p.count() == u128::from(span) + 1 {
        // All words with these other bits: exchanged among themselves.
        return all.push(StridedInterval {
            lo: base,
            hi: base | bits,
            step: p.step,
        });
    }
    if *parts == 0 {
        all.inexact();
        let spacing = 1u64 << bits.trailing_zeros();
        return all.push(StridedInterval::up_to(base, base | bits, spacing));
    }
    *parts -= 1;
    let top = 1u64 << (63 - bits.leading_zeros());
    let cut = (p.lo & !(top | (top - 1))) | top;
    let halves = [p.between(p.lo, cut - 1), p.between(cut, p.hi)];
    for half in halves.into_iter().flatten() {
        flip(&half, k, parts, all);
    }
}
