//! One strided interval, and the arithmetic of two of them.
//!
//! A piece is `lo, lo + step, …, hi` among the words of at most 64 bits. It does not wrap around zero: an interval
//! that does is two pieces \[AbyanehKirsch21, formula 1\]. A single word has step 0. Arithmetic that may exceed 64
//! bits is done in 128, so nothing here wraps; the rules as published do.

/// The words `lo, lo + step, …, hi`. A single word has step 0, all others a step that divides
/// `hi - lo`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StridedInterval {
    /// The smallest word.
    pub lo: u64,
    /// The largest word.
    pub hi: u64,
    /// The distance between neighbours.
    pub step: u64,
}

/// The greatest common divisor; of zero and a number, the number.
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The inverse of `a` modulo `m`; they have no common divisor. 0 if `m` is 1.
fn inverse_mod(a: u64, m: u64) -> u64 {
    // Extended Euclid; the coefficients stay below m in magnitude.
    let (mut r0, mut r1) = (i128::from(m), i128::from(a % m));
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    t0.rem_euclid(i128::from(m)) as u64
}

/// The smallest `x` with `a * x = c` modulo `m`, and the distance to the next one.
pub fn solve_congruence(a: u64, c: u64, m: u64) -> Option<(u64, u64)> {
    let g = gcd(a % m, m);
    if !c.is_multiple_of(g) {
        return None;
    }
    let reduced = m / g;
    let factor = inverse_mod(a % m / g, reduced);
    let x = u128::from(c / g % reduced) * u128::from(factor) % u128::from(reduced);
    Some((x as u64, reduced))
}

/// The inverse of an odd number modulo 2^64.
pub fn odd_inverse(odd: u64) -> u64 {
    // Newton: each step doubles the number of right bits; 3 bits are right to begin with.
    let mut inverse = odd;
    for _ in 0..5 {
        let error = 2u64.wrapping_sub(odd.wrapping_mul(inverse));
        inverse = inverse.wrapping_mul(error);
    }
    inverse
}

impl StridedInterval {
    /// One word.
    pub fn point(word: u64) -> StridedInterval {
        StridedInterval {
            lo: word,
            hi: word,
            step: 0,
        }
    }

    /// From `lo` up to at most `hi`, which is not smaller, by a step that is not 0.
    pub fn up_to(lo: u64, hi: u64, step: u64) -> StridedInterval {
        debug_assert!(lo <= hi && step > 0);
        let hi = hi - (hi - lo) % step;
        StridedInterval {
            lo,
            hi,
            step: if lo == hi { 0 } else { step },
        }
    }

    /// All words from `lo` to `hi`.
    pub fn range(lo: u64, hi: u64) -> StridedInterval {
        StridedInterval::up_to(lo, hi, 1)
    }

    /// Whether it is one word.
    pub fn is_point(&self) -> bool {
        self.step == 0
    }

    /// The step, or 1 for a single word: something to divide by.
    pub fn stride(&self) -> u64 {
        self.step.max(1)
    }

    /// How many words it has.
    pub fn count(&self) -> u128 {
        u128::from((self.hi - self.lo) / self.stride()) + 1
    }

    /// Whether it has a word.
    pub fn contains(&self, word: u64) -> bool {
        self.lo <= word && word <= self.hi && (word - self.lo).is_multiple_of(self.stride())
    }

    /// Its smallest word that is at least `word`: `glb` of the paper.
    pub fn at_least(&self, word: u64) -> Option<u64> {
        if word <= self.lo {
            return Some(self.lo);
        }
        let steps = (word - self.lo).div_ceil(self.stride());
        let found = u128::from(self.lo) + u128::from(steps) * u128::from(self.stride());
        (found <= u128::from(self.hi)).then_some(found as u64)
    }

    /// Its largest word that is at most `word`: `lub` of the paper.
    pub fn at_most(&self, word: u64) -> Option<u64> {
        if word >= self.hi {
            return Some(self.hi);
        }
        (word >= self.lo).then(|| word - (word - self.lo) % self.stride())
    }

    /// Its words from `low` to `high`.
    pub fn between(&self, low: u64, high: u64) -> Option<StridedInterval> {
        if low > high {
            return None;
        }
        let (lo, hi) = (self.at_least(low)?, self.at_most(high)?);
        (lo <= hi).then(|| StridedInterval::up_to(lo, hi, self.stride()))
    }

    /// The words of both: again one piece, by the Chinese remainder theorem.
    pub fn intersect(&self, other: &StridedInterval) -> Option<StridedInterval> {
        if self.is_point() {
            return other.contains(self.lo).then_some(*self);
        }
        if other.is_point() {
            return self.contains(other.lo).then_some(*other);
        }
        let low = self.lo.max(other.lo);
        let high = self.hi.min(other.hi);
        if low > high {
            return None;
        }
        if other.step == 1 {
            return self.between(low, high);
        }
        if self.step == 1 {
            return other.between(low, high);
        }
        let (fine, coarse) = match self.step <= other.step {
            true => (self, other),
            false => (other, self),
        };
        if coarse.step.is_multiple_of(fine.step) {
            // All words of the coarse one are in the class of the fine one, or none is.
            let same_class = fine.lo.abs_diff(coarse.lo).is_multiple_of(fine.step);
            return same_class.then(|| coarse.between(low, high)).flatten();
        }
        // lo + step * t = other.lo modulo other.step; the sum of what follows is below 2^128.
        let distance = (i128::from(other.lo) - i128::from(self.lo)).rem_euclid(other.step.into());
        let (t, _) = solve_congruence(self.step, distance as u64, other.step)?;
        let period = u128::from(self.step / gcd(self.step, other.step)) * u128::from(other.step);
        let first = u128::from(self.lo) + u128::from(self.step) * u128::from(t);
        let first = if first < u128::from(low) {
            first + (u128::from(low) - first).div_ceil(period) * period
        } else {
            first
        };
        if first > u128::from(high) {
            return None;
        }
        let count = (u128::from(high) - first) / period;
        let last = first + count * period;
        Some(StridedInterval {
            lo: first as u64,
            hi: last as u64,
            step: if count == 0 { 0 } else { period as u64 },
        })
    }

    /// The words of this piece that are not in another, piece by piece. `None` if that takes more than
    /// `most` of them.
    pub fn subtract(
        &self,
        other: &StridedInterval,
        most: usize,
        mut into: impl FnMut(StridedInterval),
    ) -> Option<()> {
        let Some(both) = self.intersect(other) else {
            into(*self);
            return Some(());
        };
        if both.lo > self.lo {
            into(StridedInterval::up_to(
                self.lo,
                both.lo - self.step,
                self.step,
            ));
        }
        if both.step > self.step {
            let classes = both.step / self.step - 1;
            let gaps = both.count() - 1;
            if classes.min(gaps.min(u64::MAX.into()) as u64) > most as u64 {
                return None;
            }
            if u128::from(classes) <= gaps {
                for class in 1..=classes {
                    let lo = both.lo + class * self.step;
                    let hi = both.hi - both.step + class * self.step;
                    into(StridedInterval::up_to(lo, hi, both.step));
                }
            } else {
                for gap in 0..gaps as u64 {
                    let lo = both.lo + gap * both.step + self.step;
                    let hi = both.lo + gap * both.step + both.step - self.step;
                    into(StridedInterval::up_to(lo, hi, self.step));
                }
            }
        }
        if both.hi < self.hi {
            into(StridedInterval::up_to(
                both.hi + self.step,
                self.hi,
                self.step,
            ));
        }
        Some(())
    }

    /// The least piece that has both.
    pub fn hull(&self, other: &StridedInterval) -> StridedInterval {
        let lo = self.lo.min(other.lo);
        let hi = self.hi.max(other.hi);
        let step = gcd(gcd(self.step, other.step), self.lo.abs_diff(other.lo));
        StridedInterval { lo, hi, step }
    }

    /// Its words in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        let StridedInterval { lo, hi, step } = *self;
        let mut next = Some(lo);
        std::iter::from_fn(move || {
            let word = next?;
            next = (word < hi).then(|| word + step);
            Some(word)
        })
    }
}
