//! Values of symbols.

use crate::{PersistentMap, Sort, Term};
use cairn_bv::BitVec;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The value of a term of any sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a Boolean.
    Bool(bool),
    /// Of a bit-vector.
    Bv(BitVec),
    /// Of an array.
    Array(ArrayValue),
}

impl Value {
    /// Zero, false, or the array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(w) => Value::Bv(BitVec::zero(w)),
            Sort::Array { index, value } => {
                Value::Array(ArrayValue::constant(index, BitVec::zero(value)))
            }
        }
    }
}

/// An array's value: a default and exceptions.
///
/// Invariant: no exception equals the default, so equal functions are equal values (except when
/// exceptions cover the whole index range; [`ArrayValue::same_function`] knows that case).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    index_width: u32,
    default: BitVec,
    cells: BTreeMap<BitVec, BitVec>,
}

impl ArrayValue {
    /// The array that is `default` everywhere.
    pub fn constant(index_width: u32, default: BitVec) -> Self {
        ArrayValue {
            index_width,
            default,
            cells: BTreeMap::new(),
        }
    }

    /// The element at an index.
    pub fn get(&self, index: &BitVec) -> &BitVec {
        self.cells.get(index).unwrap_or(&self.default)
    }

    /// Replaces one element.
    pub fn set(&mut self, index: BitVec, value: BitVec) {
        debug_assert_eq!(index.width(), self.index_width);
        if value == self.default {
            self.cells.remove(&index);
        } else {
            self.cells.insert(index, value);
        }
    }

    /// The element at every index without an exception.
    pub fn default_value(&self) -> &BitVec {
        &self.default
    }

    /// Width of an index.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The exceptions in order of index.
    pub fn cells(&self) -> impl Iterator<Item = (&BitVec, &BitVec)> {
        self.cells.iter()
    }

    /// An index at which two arrays differ, if there is one.
    pub fn difference(&self, other: &ArrayValue) -> Option<BitVec> {
        let exception = self
            .cells
            .keys()
            .chain(other.cells.keys())
            .find(|i| self.get(i) != other.get(i));
        if let Some(i) = exception {
            return Some(i.clone());
        }
        if self.default == other.default {
            return None;
        }
        // The defaults differ: any index that neither lists shows it, if there is one.
        let listed = self.cells.len() + other.cells.len();
        (0..=listed as u64)
            .take_while(|i| self.index_width >= 64 || *i < 1 << self.index_width)
            .map(|i| BitVec::new(self.index_width, i))
            .find(|i| self.get(i) != other.get(i))
    }

    /// Whether two arrays have the same element at every index.
    pub fn same_function(&self, other: &ArrayValue) -> bool {
        self.difference(other).is_none()
    }
}

/// Values for symbols. A symbol that is not listed is zero, so a model is total. A copy shares what is not
/// changed in it, so that copying and comparing take time in what differs, not in the number of symbols.
#[derive(Clone, Default)]
pub struct Model {
    /// By the births of the symbols, which are of one store.
    listed: PersistentMap<(Term, Value)>,
}

impl Model {
    /// A model that lists nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a symbol a value.
    pub fn set(&mut self, symbol: Term, value: Value) {
        debug_assert!(symbol.as_symbol().is_some());
        self.listed.insert(symbol.birth(), (symbol, value));
    }

    /// The value of a symbol if listed.
    #[inline]
    pub fn get(&self, symbol: &Term) -> Option<&Value> {
        let (listed, value) = self.listed.get(symbol.birth())?;
        (listed == symbol).then_some(value)
    }

    /// The listed array value of a symbol, made if absent.
    pub fn array_mut(&mut self, symbol: &Term) -> &mut ArrayValue {
        if self.get(symbol).is_none() {
            self.set(symbol.clone(), Value::zero(symbol.sort()));
        }
        match self.listed.get_mut(symbol.birth()) {
            Some((_, Value::Array(a))) => a,
            Some((_, Value::Bool(_) | Value::Bv(_))) | None => {
                panic!("an array symbol has an array value")
            }
        }
    }

    /// The listed symbols and values, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Term, &Value)> {
        self.listed.values().map(|(symbol, value)| (symbol, value))
    }

    /// The ids of symbols whose value differs from another model's.
    pub fn changed_symbols(&self, other: &Model) -> FxHashSet<u32> {
        let mut changed = FxHashSet::default();
        self.listed.differing(&other.listed, |a, b| {
            let differs = match (a, b) {
                (Some((_, a)), Some((_, b))) => a != b,
                (Some((symbol, v)), None) | (None, Some((symbol, v))) => {
                    *v != Value::zero(symbol.sort())
                }
                (None, None) => false,
            };
            if let Some((symbol, _)) = a.or(b).filter(|_| differs) {
                changed.insert(symbol.id());
            }
        });
        changed
    }

    /// How many symbols are listed.
    pub fn len(&self) -> usize {
        self.listed.len()
    }

    /// Whether no symbol is listed.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Adds another model's values for symbols that this one does not list.
    pub fn extend_missing(&mut self, other: &Model) {
        for (symbol, value) in other.iter() {
            if self.get(symbol).is_none() {
                self.set(symbol.clone(), value.clone());
            }
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
