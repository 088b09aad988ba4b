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
