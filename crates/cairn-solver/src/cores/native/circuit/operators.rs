//! Bit-vector operators as circuits; words have the least significant bit first.
//!
//! Adders and comparators are ripple-carry (majority gates propagate well), multipliers shift and add over
//! the operand with fewer unknown bits, division is restoring (by a constant with a remainder that is no wider
//! than the constant), shifters are logarithmic. Each circuit is tested exhaustively at small widths against `cairn-bv`.

use super::gates::{Gates, Lit};
use crate::{Budget, UnknownReason};
use std::ops::RangeInclusive;

/// A word of the circuit.
pub type Bits = Vec<Lit>;

/// Builds word circuits; large ones stop when the budget is exhausted.
pub struct WordCircuits<'a> {
    /// The circuit.
    pub gates: &'a mut Gates,
    /// The limits of the query.
    pub budget: &'a Budget,
}

/// The number of bits that are not constant.
fn unknown_bits(a: &[Lit]) -> usize {
    a.iter().filter(|l| !l.is_constant()).count()
}

/// Number of set constant bits plus unknown bits: the rows a multiplier needs.
fn rows_needed(a: &[Lit]) -> usize {
    a.iter().filter(|l| **l != Lit::FALSE).count()
}

impl WordCircuits<'_> {
    fn check(&self) -> Result<(), UnknownReason> {
        let stop = self.budget.exhausted();
        match stop.or_else(|| self.budget.exhausted_memory()) {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// Bitwise complement.
    pub fn not(&mut self, a: &[Lit]) -> Bits {
        a.iter().map(|l| !*l).collect()
    }

    /// `a + b + carry`, and the carry out.
    pub fn add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
        let mut sum = Bits::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.gates.xor(x, y);
            sum.push(self.gates.xor(half, carry));
            carry = self.gates.maj(x, y, carry);
        }
        (sum, carry)
    }

    /// `a + b`.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.add_carry(a, b, Lit::FALSE).0
    }

    /// `-a`.
    pub fn neg(&mut self, a: &[Lit]) -> Bits {
        let flipped = self.not(a);
        let zero = vec![Lit::FALSE; a.len()];
        self.add_carry(&flipped, &zero, Lit::TRUE).0
    }

    /// `a = b`.
    pub fn eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut same = Bits::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let e = !self.gates.xor(x, y);
            if e == Lit::FALSE {
                return Lit::FALSE;
            }
            same.push(e);
        }
        self.gates.and_all(&same)
    }

    /// Unsigned `a < b`: the carry of `b - a - 1`.
    pub fn ult(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&x, &y) in a.iter().zip(b) {
            less = self.gates.maj(!x, y, less);
        }
        less
    }

    /// Signed `a < b`: unsigned with the sign bits exchanged.
    pub fn slt(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let top = a.len() - 1;
        let less = self.ult(&a[..top], &b[..top]);
        self.gates.maj(a[top], !b[top], less)
    }

    /// Bit by bit `a` if `c`, else `b`.
    pub fn mux(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter()
            .zip(b)
            .map(|(&x, &y)| self.gates.mux(c, x, y))
            .collect()
    }

    /// `a * b`.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Result<Bits, UnknownReason> {
        let w = a.len();
        let (a, b) = if (rows_needed(a), unknown_bits(a)) < (rows_needed(b), unknown_bits(b)) {
            (b, a)
        } else {
            (a, b)
        };
        let mut sum = vec![Lit::FALSE; w];
        for (i, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            self.check()?;
            let row: Bits = a[..w - i].iter().map(|&x| self.gates.and(x, bit)).collect();
            let high = self.add(&sum[i..], &row);
            sum[i..].copy_from_slice(&high);
        }
        Ok(sum)
    }

    /// Unsigned quotient and remainder; by zero all ones and the dividend, which is what the
    /// restoring circuit computes by itself.
    pub fn udivrem(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Bits, Bits), UnknownReason> {
        let w = a.len();
        if b.iter().all(|l| l.is_constant()) && b.contains(&Lit::TRUE) {
            return self.udivrem_by_constant(a, b);
        }
        let mut quotient = vec![Lit::FALSE; w];
        // One bit more than the divisor: the shifted remainder may need it.
        let mut remainder = vec![Lit::FALSE; w];
        for i in (0..w).rev() {
            self.check()?;
            let overflow = remainder[w - 1];
            remainder.rotate_right(1);
            remainder[0] = a[i];
            let flipped = self.not(b);
            let (difference, no_borrow) = self.add_carry(&remainder, &flipped, Lit::TRUE);
            let fits = self.gates.or(overflow, no_borrow);
            quotient[i] = fits;
            remainder = self.mux(fits, &difference, &remainder);
        }
        Ok((quotient, remainder))
    }

    /// Quotient and remainder of a constant other than zero. Before each step the remainder is less than the divisor, so that
    /// it has no more bits than that: gates do not know this by themselves. Factors of two are taken out first.
    fn udivrem_by_constant(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Bits, Bits), UnknownReason> {
        let w = a.len();
        let is_set = |l: &Lit| *l == Lit::TRUE;
        let first = b.iter().position(is_set).expect("not zero");
        let last = b.iter().rposition(is_set).expect("not zero");
        // The odd part of the divisor, with a zero before it.
        let mut divisor = b[first..=last].to_vec();
        let bits = divisor.len();
        divisor.push(Lit::FALSE);
        let flipped = self.not(&divisor);
        let mut quotient = vec![Lit::FALSE; w];
        let mut remainder = vec![Lit::FALSE; bits];
        for i in (first..w).rev() {
            self.check()?;
            remainder.insert(0, a[i]);
            let (difference, fits) = self.add_carry(&remainder, &flipped, Lit::TRUE);
            quotient[i - first] = fits;
            remainder = self.mux(fits, &difference, &remainder);
            remainder.truncate(bits);
        }
        let mut whole = a[..first].to_vec();
        whole.append(&mut remainder);
        whole.resize(w, Lit::FALSE);
        Ok((quotient, whole))
    }

    /// Shift by a term: one multiplexer row per bit of the amount that matters, then the fill if
    /// a higher bit is set. `left` shifts up; `fill` comes in.
    pub fn shift(&mut self, a: &[Lit], amount: &[Lit], left: bool, fill: Lit) -> Bits {
        let w = a.len();
        let mut word = a.to_vec();
        let mut too_far = Vec::new();
        for (k, &bit) in amount.iter().enumerate() {
            let step = if k < usize::BITS as usize - 1 {
                1usize << k
            } else {
                usize::MAX
            };
            if step >= w {
                too_far.push(bit);
                continue;
            }
            let moved: Bits = (0..w)
                .map(|i| {
                    if left {
                        if i >= step { word[i - step] } else { fill }
                    } else if i + step < w {
                        word[i + step]
                    } else {
                        fill
                    }
                })
                .collect();
            word = self.mux(bit, &moved, &word);
        }
        let out = self.gates.or_all(&too_far);
        let filled = vec![fill; w];
        self.mux(out, &filled, &word)
    }

    /// The element of a constant table at `index`: a decision diagram over the index bits, built
    /// from the lowest bit up so that equal parts of the table are one gate.
    ///
    /// `rows[i]` is the word at index `i`; indices beyond have `default`. The index is known to be in
    /// `reach`: elements outside it are chosen to need the fewest gates.
    pub fn table(
        &mut self,
        rows: &[Bits],
        default: &[Lit],
        index: &[Lit],
        reach: RangeInclusive<u64>,
    ) -> Result<Bits, UnknownReason> {
        let width = default.len();
        let mut result = Bits::with_capacity(width);
        let end = usize::try_from(*reach.end()).map_or(usize::MAX, |e| e.saturating_add(1));
        let rows = &rows[..rows.len().min(end)];
        let reaches_beyond = end > rows.len();
        for bit in 0..width {
            self.check()?;
            let row = |(i, r): (usize, &Bits)| (i as u64 >= *reach.start()).then(|| r[bit]);
            let mut level: Vec<Option<Lit>> = rows.iter().enumerate().map(row).collect();
            let beyond = reaches_beyond.then(|| default[bit]);
            for &i in index {
                let pairs = level.len().div_ceil(2);
                for p in 0..pairs {
                    let low = level[2 * p];
                    let high = level.get(2 * p + 1).copied().unwrap_or(beyond);
                    level[p] = match (high, low) {
                        (Some(high), Some(low)) => Some(self.gates.mux(i, high, low)),
                        (one, None) | (None, one) => one,
                    };
                }
                level.truncate(pairs);
                if level.is_empty() {
                    level.push(beyond);
                }
                // With one entry left that covers only part of the remaining range, the next
                // bits still choose between it and the default.
            }
            result.push(level[0].unwrap_or(default[bit]));
        }
        Ok(result)
    }
}

#[cfg(test)]
#[path = "operators_tests.rs"]
mod tests;
