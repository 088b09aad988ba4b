//! Arrays with given content: the constant tables of programs.

use crate::largest;
use cairn_bv::BitVec;

/// The content of a constant array: `values[i]` at index `i`, `default` beyond.
///
/// Invariant: the last value differs from `default`, `default` is the element at the largest
/// index (so that equal functions are equal tables), and every index that `values` covers is
/// representable in the index width.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table {
    index_width: u32,
    values: Box<[BitVec]>,
    default: BitVec,
    largest: u64,
    spread: Option<Spread>,
}

/// The numbers `least, least + step, …, largest`, of which some list has no others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spread {
    /// The smallest number of the list.
    pub least: u64,
    /// The largest.
    pub largest: u64,
    /// What divides all distances; 0 if there is only one number.
    pub step: u64,
}

impl Spread {
    /// Of numbers of at most 64 bits; `None` if there are wider ones, or none.
    fn of(values: &[BitVec]) -> Option<Spread> {
        let first = values.first()?.to_u64()?;
        let one = Spread {
            least: first,
            largest: first,
            step: 0,
        };
        values.iter().try_fold(one, |spread, value| {
            let number = value.to_u64()?;
            Some(Spread {
                least: spread.least.min(number),
                largest: spread.largest.max(number),
                step: common_divisor(number.abs_diff(first), spread.step),
            })
        })
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Table {
    /// Makes a table; values beyond the index width are dropped, trailing values equal to
    /// `default` are cut. If `values` covers every index, `default` is never read and the last
    /// value takes its place.
    pub fn new(index_width: u32, mut values: Vec<BitVec>, mut default: BitVec) -> Self {
        if index_width < 63 {
            let size = 1 << index_width;
            values.truncate(size);
            if values.len() == size {
                default = values[size - 1].clone();
            }
        }
        while values.last().is_some_and(|v| *v == default) {
            values.pop();
        }
        debug_assert!(values.iter().all(|v| v.width() == default.width()));
        let all = values.iter().chain([&default]).map(largest::of_constant);
        let largest = all.max().unwrap_or(u64::MAX);
        Table {
            index_width,
            spread: Spread::of(&values),
            values: values.into(),
            default,
            largest,
        }
    }

    /// The element at an index.
    pub fn get(&self, index: &BitVec) -> &BitVec {
        index
            .to_u64()
            .and_then(|i| usize::try_from(i).ok())
            .and_then(|i| self.values.get(i))
            .unwrap_or(&self.default)
    }

    /// The largest element, as an unsigned number; `u64::MAX` also stands for what is wider.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Between which numbers the listed elements are, and how far apart; `None` if none is listed or they are wider than 64 bits.
    pub fn spread(&self) -> Option<Spread> {
        self.spread
    }

    /// Width of an index.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The elements that are listed.
    pub fn values(&self) -> &[BitVec] {
        &self.values
    }

    /// The element at every index that is not listed.
    pub fn default_value(&self) -> &BitVec {
        &self.default
    }
}

#[cfg(test)]
mod tests {
    use super::{Spread, Table};
    use cairn_bv::BitVec;

    #[test]
    fn the_spread_is_of_the_listed_elements_alone() {
        let of = |values: &[u64]| {
            let values = values.iter().map(|v| BitVec::new(32, *v)).collect();
            Table::new(8, values, BitVec::zero(32)).spread()
        };
        let spread = |least, largest, step| {
            Some(Spread {
                least,
                largest,
                step,
            })
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0, 0]), None);
        assert_eq!(of(&[7, 7]), spread(7, 7, 0));
        assert_eq!(of(&[40, 16, 64, 40]), spread(16, 64, 24));
        assert_eq!(of(&[3, 0, 9]), spread(0, 9, 3));
        let wide = Table::new(8, vec![BitVec::ones(128)], BitVec::zero(128));
        assert_eq!(wide.spread(), None);
    }
}
