//! Linear inequalities over the integers, and proofs that they have no solution.
//!
//! A row says that a sum of multiples of variables is at most a number. Every variable has a lower and an upper
//! bound. A *read* is a variable that is an element of a constant table; its bounds follow from those of the
//! index and from the residue class of the index.
//!
//! # Idea
//! Bounds are narrowed by rows and reads until nothing changes, which finds most contradictions. Then variables
//! are eliminated one by one (Fourier-Motzkin); every row is divided by its common factor and rounded, because
//! solutions are integers.
//!
//! # What differs
//! The sums ([`IntegerSum`]) are over the integers and over numbered variables, because a system is compared and
//! cached without its terms. The sums of array indices (`cores/native/arrays/index_sum.rs`) are modulo 2^w and
//! over terms, so the two share no representation.
//!
//! # Soundness
//! Arithmetic is exact in 128-bit integers; an operation that would overflow drops its row, which only loses
//! chances to refute. A contradiction by elimination is a sum of rows with non-negative factors; it is added up
//! again, row by row, before it is reported. Bounds and rows list the facts that they follow from.
//!
//! # Cost
//! A number of steps given by the caller; without enough steps nothing is concluded.

use cairn_expr::{BitVec, Op, Term};
use smallvec::SmallVec;

/// Rounds of narrowing.
const MOST_ROUNDS: usize = 24;
/// Rows during elimination.
const MOST_ROWS: usize = 240;
/// Most elements of a table visited for the bounds of a read.
const MOST_ELEMENTS: i128 = 4_096;

/// Numbers up to this are kept, so that sums and differences of a few never overflow.
const LARGEST: u128 = 1 << 120;

/// A number that is not too large.
fn kept(number: i128) -> Option<i128> {
    (number.unsigned_abs() <= LARGEST).then_some(number)
}

/// Positions of facts, in order.
pub(super) type FactPositions = SmallVec<[u32; 6]>;

/// Adds positions.
pub(super) fn join(into: &mut FactPositions, more: &FactPositions) {
    if more.iter().all(|m| into.contains(m)) {
        return;
    }
    into.extend_from_slice(more);
    into.sort_unstable();
    into.dedup();
}

/// A sum of multiples of variables and a number.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct IntegerSum {
    /// Variables in order, none with zero.
    pub(super) parts: SmallVec<[(u32, i128); 4]>,
    pub(super) constant: i128,
}

impl IntegerSum {
    pub(super) fn number(constant: i128) -> IntegerSum {
        IntegerSum {
            parts: SmallVec::new(),
            constant,
        }
    }

    pub(super) fn variable(variable: u32) -> IntegerSum {
        IntegerSum {
            parts: SmallVec::from_slice(&[(variable, 1)]),
            constant: 0,
        }
    }

    /// This and a multiple of another; `None` on overflow.
    pub(super) fn plus(&self, other: &IntegerSum, factor: i128) -> Option<IntegerSum> {
        let mut parts = SmallVec::new();
        let (mut i, mut j) = (0, 0);
        while i < self.parts.len() || j < other.parts.len() {
            let a = self.parts.get(i).copied();
            let b = other.parts.get(j).copied();
            let (variable, coefficient) = match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    i += 1;
                    j += 1;
                    (a.0, a.1.checked_add(b.1.checked_mul(factor)?)?)
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    i += 1;
                    a
                }
                (_, Some(b)) => {
                    j += 1;
                    (b.0, b.1.checked_mul(factor)?)
                }
                (_, None) => break,
            };
            if kept(coefficient)? != 0 {
                parts.push((variable, coefficient));
            }
        }
        let constant = other.constant.checked_mul(factor)?;
        let constant = kept(self.constant.checked_add(constant)?)?;
        Some(IntegerSum { parts, constant })
    }

    /// The greatest common divisor of its factors; 0 if it is a number.
    pub(super) fn step(&self) -> i128 {
        self.parts.iter().fold(0, |g, p| gcd(g, p.1.abs()))
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A sum that is at most zero, for these facts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Row {
    pub(super) sum: IntegerSum,
    pub(super) why: FactPositions,
}

/// A bound with the facts it follows from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Bound {
    pub(super) value: i128,
    pub(super) why: FactPositions,
}

/// A variable's bounds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct IntegerBounds {
    pub(super) low: Bound,
    pub(super) high: Bound,
}

/// A variable that is an element of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Read {
    pub(super) variable: u32,
    pub(super) table: Term,
    pub(super) index: IntegerSum,
}

/// Variables, rows and reads.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct System {
    pub(super) variables: Vec<IntegerBounds>,
    pub(super) rows: Vec<Row>,
    pub(super) reads: Vec<Read>,
}

/// Facts that contradict each other were found, or the work was used up, or neither.
pub(super) enum LinearVerdict {
    Contradiction(FactPositions),
    Nothing,
}

impl System {
    /// A new variable between two numbers.
    pub(super) fn fresh(&mut self, low: i128, high: i128) -> u32 {
        let bound = |value| Bound {
            value,
            why: FactPositions::new(),
        };
        self.variables.push(IntegerBounds {
            low: bound(low),
            high: bound(high),
        });
        self.variables.len() as u32 - 1
    }

    /// The smallest and the largest value of a sum, by bounds alone; `None` on overflow.
    pub(super) fn range(&self, sum: &IntegerSum) -> Option<(i128, i128)> {
        let (mut low, mut high) = (sum.constant, sum.constant);
        for &(variable, factor) in &sum.parts {
            let bounds = &self.variables[variable as usize];
            let a = bounds.low.value.checked_mul(factor)?;
            let b = bounds.high.value.checked_mul(factor)?;
            low = low.checked_add(a.min(b))?;
            high = high.checked_add(a.max(b))?;
        }
        Some((kept(low)?, kept(high)?))
    }

    /// The facts that the bounds of a sum follow from.
    fn why_range(&self, sum: &IntegerSum) -> FactPositions {
        let mut why = FactPositions::new();
        for &(variable, _) in &sum.parts {
            let bounds = &self.variables[variable as usize];
            join(&mut why, &bounds.low.why);
            join(&mut why, &bounds.high.why);
        }
        why
    }

    /// Narrows bounds; a contradiction if one shows.
    pub(super) fn narrow(&mut self, work: &mut u64) -> Option<FactPositions> {
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for r in 0..self.rows.len() {
                match self.narrow_by_row(r, work) {
                    Ok(better) => changed |= better,
                    Err(why) => return Some(why),
                }
            }
            for r in 0..self.reads.len() {
                match self.narrow_by_read(r, work) {
                    Ok(better) => changed |= better,
                    Err(why) => return Some(why),
                }
            }
            if !changed || *work == 0 {
                break;
            }
        }
        None
    }

    /// Narrows the bounds of the variables of a row. Nothing is concluded where a number is too large.
    fn narrow_by_row(&mut self, r: usize, work: &mut u64) -> Result<bool, FactPositions> {
        let row = self.rows[r].clone();
        *work = work.saturating_sub(1 + 2 * row.sum.parts.len() as u64);
        let Some((least, _)) = self.range(&row.sum) else {
            return Ok(false);
        };
        // The side of each variable that makes the sum least, and why it is there.
        let side = |system: &System, (variable, factor): (u32, i128)| {
            let bounds = &system.variables[variable as usize];
            match factor > 0 {
                true => bounds.low.clone(),
                false => bounds.high.clone(),
            }
        };
        if least > 0 {
            let mut why = row.why.clone();
            for part in &row.sum.parts {
                join(&mut why, &side(self, *part).why);
            }
            return Err(why);
        }
        let mut changed = false;
        for &(variable, factor) in &row.sum.parts {
            let own = side(self, (variable, factor)).value;
            // factor * x + (least - factor * own) <= 0, where the second is the least of the rest.
            let Some(room) = factor.checked_mul(own).and_then(|o| o.checked_sub(least)) else {
                continue;
            };
            let limit = room.div_euclid(factor);
            let bounds = &self.variables[variable as usize];
            let better = match factor > 0 {
                true => limit < bounds.high.value,
                // Dividing by a negative number turns the order; the remainder is never negative,
                // so the quotient is rounded up.
                false => limit > bounds.low.value,
            };
            if !better {
                continue;
            }
            let mut why = row.why.clone();
            for part in row.sum.parts.iter().filter(|p| p.0 != variable) {
                join(&mut why, &side(self, *part).why);
            }
            changed = true;
            self.set(variable, limit, factor > 0, why)?;
        }
        Ok(changed)
    }

    /// Narrows the bounds of a read by the elements of its table.
    fn narrow_by_read(&mut self, r: usize, work: &mut u64) -> Result<bool, FactPositions> {
        let read = self.reads[r].clone();
        let Op::Table(table) = read.table.op() else {
            return Ok(false);
        };
        let Some((low, high)) = self.range(&read.index) else {
            return Ok(false);
        };
        let listed = table.values().len() as i128;
        let step = read.index.step().max(1);
        // What the index is congruent to: with a step, only every so many elements are read.
        let residue = read.index.constant.rem_euclid(step);
        let first = low.max(0);
        let first = first + (residue - first).rem_euclid(step);
        let last = high.min(listed - 1);
        let count = (last - first).div_euclid(step) + 1;
        if count > MOST_ELEMENTS || count > *work as i128 {
            return Ok(false);
        }
        *work = work.saturating_sub(count.max(0) as u64);
        let element = |i: i128| table.values()[i as usize].to_u64().map(i128::from);
        let mut found: Option<(i128, i128)> = None;
        let mut add = |value: Option<i128>| -> Option<()> {
            let value = value?;
            found = Some(found.map_or((value, value), |(l, h)| (l.min(value), h.max(value))));
            Some(())
        };
        let mut at = first;
        while at <= last {
            if add(element(at)).is_none() {
                return Ok(false);
            }
            at += step;
        }
        if high >= listed && add(table.default_value().to_u64().map(i128::from)).is_none() {
            return Ok(false);
        }
        let why = self.why_range(&read.index);
        let Some((least, most)) = found else {
            return Err(why);
        };
        let mut changed = false;
        let bounds = &self.variables[read.variable as usize];
        let (lower, upper) = (least > bounds.low.value, most < bounds.high.value);
        if lower {
            changed = true;
            self.set(read.variable, least, false, why.clone())?;
        }
        if upper {
            changed = true;
            self.set(read.variable, most, true, why)?;
        }
        Ok(changed)
    }

    /// Puts a better bound in place; a contradiction if the bounds cross.
    fn set(
        &mut self,
        variable: u32,
        value: i128,
        upper: bool,
        why: FactPositions,
    ) -> Result<(), FactPositions> {
        let bounds = &mut self.variables[variable as usize];
        let bound = Bound { value, why };
        match upper {
            true => bounds.high = bound,
            false => bounds.low = bound,
        }
        if bounds.low.value > bounds.high.value {
            let mut why = bounds.low.why.clone();
            join(&mut why, &bounds.high.why);
            return Err(why);
        }
        Ok(())
    }

    /// Looks for a contradiction.
    pub(super) fn refute(&mut self, work: &mut u64) -> LinearVerdict {
        if let Some(why) = self.narrow(work) {
            return LinearVerdict::Contradiction(why);
        }
        match self.eliminate(work) {
            Some(why) => LinearVerdict::Contradiction(why),
            None => LinearVerdict::Nothing,
        }
    }

    /// Eliminates one variable after the other; facts that contradict each other, if the rest is
    /// false by itself.
    fn eliminate(&self, work: &mut u64) -> Option<FactPositions> {
        let mut proof = Proof::default();
        let used: Vec<u32> = {
            let parts = self.rows.iter().flat_map(|r| &r.sum.parts);
            let mut all: Vec<u32> = parts.map(|p| p.0).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut living: Vec<usize> = Vec::new();
        for row in &self.rows {
            living.push(proof.given(row.clone()));
        }
        for &variable in &used {
            let bounds = &self.variables[variable as usize];
            let one = IntegerSum::variable(variable);
            let below = IntegerSum::number(bounds.low.value).plus(&one, -1)?;
            let above = one.plus(&IntegerSum::number(bounds.high.value), -1)?;
            for (sum, bound) in [(below, &bounds.low), (above, &bounds.high)] {
                let why = bound.why.clone();
                living.push(proof.given(Row { sum, why }));
            }
        }
        let mut left = used;
        while !left.is_empty() {
            let factor = |proof: &Proof, row: usize, variable: u32| {
                let parts = &proof.rows[row].sum.parts;
                parts.iter().find(|p| p.0 == variable).map_or(0, |p| p.1)
            };
            // The variable that makes the fewest new rows.
            let cost = |variable: u32| {
                let signs = living.iter().map(|&r| factor(&proof, r, variable).signum());
                let (up, down) = signs.fold((0usize, 0usize), |(u, d), s| {
                    (u + usize::from(s > 0), d + usize::from(s < 0))
                });
                (up * down) as i64 - (up + down) as i64
            };
            let at = (0..left.len()).min_by_key(|&i| cost(left[i]))?;
            let variable = left.swap_remove(at);
            let (mut up, mut down, mut rest) = (Vec::new(), Vec::new(), Vec::new());
            for &row in &living {
                match factor(&proof, row, variable).signum() {
                    1 => up.push(row),
                    -1 => down.push(row),
                    _ => rest.push(row),
                }
            }
            if rest.len() + up.len() * down.len() > MOST_ROWS {
                return None;
            }
            for &a in &up {
                for &b in &down {
                    let (fa, fb) = (factor(&proof, a, variable), -factor(&proof, b, variable));
                    let common = gcd(fa, fb);
                    *work = work.checked_sub(4 + proof.rows[a].sum.parts.len() as u64)?;
                    let Some(new) = proof.combine(a, fb / common, b, fa / common) else {
                        continue;
                    };
                    let sum = &proof.rows[new].sum;
                    if !sum.parts.is_empty() {
                        rest.push(new);
                    } else if sum.constant > 0 {
                        return proof.checked(new);
                    }
                }
            }
            living = rest;
        }
        None
    }
}

/// The origin of a row.
enum RowOrigin {
    Given,
    /// A sum of multiples of two rows, rounded.
    Combined(usize, i128, usize, i128),
}

/// Rows with where they came from.
#[derive(Default)]
struct Proof {
    rows: Vec<Row>,
    origins: Vec<RowOrigin>,
}

/// A row divided by the common factor of its variables; its number is rounded up, since the sum of
/// integers that is left is at most zero with the next larger number too.
fn rounded(sum: IntegerSum) -> IntegerSum {
    let step = sum.step();
    if step <= 1 {
        return sum;
    }
    let constant = -(-sum.constant).div_euclid(step);
    let parts = sum.parts.iter().map(|&(v, f)| (v, f / step)).collect();
    IntegerSum { parts, constant }
}

impl Proof {
    fn given(&mut self, row: Row) -> usize {
        self.rows.push(row);
        self.origins.push(RowOrigin::Given);
        self.rows.len() - 1
    }

    fn combine(&mut self, a: usize, fa: i128, b: usize, fb: i128) -> Option<usize> {
        let sum = IntegerSum::default().plus(&self.rows[a].sum, fa)?;
        let sum = rounded(sum.plus(&self.rows[b].sum, fb)?);
        let mut why = self.rows[a].why.clone();
        join(&mut why, &self.rows[b].why);
        self.rows.push(Row { sum, why });
        self.origins.push(RowOrigin::Combined(a, fa, b, fb));
        Some(self.rows.len() - 1)
    }

    /// Adds up again what a contradiction was made of: its facts if every step is right.
    fn checked(&self, contradiction: usize) -> Option<FactPositions> {
        let last = &self.rows[contradiction];
        let mut why = FactPositions::new();
        let mut waiting = vec![contradiction];
        let mut seen = vec![false; self.rows.len()];
        while let Some(at) = waiting.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match self.origins[at] {
                RowOrigin::Given => join(&mut why, &self.rows[at].why),
                RowOrigin::Combined(a, fa, b, fb) => {
                    let right = fa >= 0 && fb >= 0 && a < at && b < at;
                    let sum = self.rows[b].sum.plus(&IntegerSum::default(), 0)?;
                    let sum = IntegerSum::default()
                        .plus(&sum, fb)?
                        .plus(&self.rows[a].sum, fa)?;
                    if !right || rounded(sum) != self.rows[at].sum {
                        return None;
                    }
                    waiting.extend([a, b]);
                }
            }
        }
        (last.sum.parts.is_empty() && last.sum.constant > 0).then_some(why)
    }
}

/// A word as a number.
pub(super) fn number(value: &BitVec) -> Option<i128> {
    value.to_u64().map(i128::from)
}

#[cfg(test)]
#[path = "system_tests.rs"]
mod tests;
