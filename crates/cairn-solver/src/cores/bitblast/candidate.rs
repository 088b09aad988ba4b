//! Models that are not known to be right yet.

use super::context::Root;
use super::thorough::PartialModel;
use cairn_expr::{BitVec, Model, Term, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A model that differs from the base in these symbols.
pub struct Candidate {
    /// The model.
    pub model: Model,
    /// Ids of the symbols.
    pub changed: FxHashSet<u32>,
}

impl Candidate {
    /// The base with the values of a model of some roots. Arrays are taken whole if equalities
    /// between them were decided, otherwise element by element, so that other reads keep theirs.
    pub fn merged(base: &Model, found: &PartialModel, roots: &[Rc<Root>]) -> Self {
        let mut candidate = Candidate {
            model: base.clone(),
            changed: FxHashSet::default(),
        };
        let whole_arrays = roots.iter().any(|r| !r.equalities.is_empty());
        for (symbol, value) in found.model.iter() {
            if !symbol.sort().is_array() {
                candidate.set(symbol, value.clone());
            }
        }
        if whole_arrays {
            // An array that the model does not list is zero there, whatever the base says.
            for array in roots.iter().flat_map(|r| r.arrays.iter()) {
                let value = found.model.get(array).cloned();
                candidate.set(array, value.unwrap_or_else(|| Value::zero(array.sort())));
            }
        } else {
            for (array, index, value) in &found.cells {
                candidate.set_cell(array, index, value);
            }
        }
        candidate
    }

    /// Replaces an element of an array.
    pub fn set_cell(&mut self, array: &Term, index: &BitVec, value: &BitVec) {
        let cells = self.model.array_mut(array);
        if cells.get(index) != value {
            cells.set(index.clone(), value.clone());
            self.changed.insert(array.id());
        }
    }

    /// Gives a symbol a value.
    pub fn set(&mut self, symbol: &Term, new: Value) {
        let same = match self.model.get(symbol) {
            Some(old) => *old == new,
            None => new == Value::zero(symbol.sort()),
        };
        if !same {
            self.changed.insert(symbol.id());
            self.model.set(symbol.clone(), new);
        }
    }
}
