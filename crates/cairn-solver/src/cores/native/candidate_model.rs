//! Models that are not known to satisfy all conjuncts yet.

use super::cdcl::PartialModel;
use super::circuit::Root;
use cairn_expr::{BitVec, Evaluator, Model, Support, Term, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A model, and the symbols in which it differs from the start model.
pub struct CandidateModel {
    /// The model.
    pub model: Model,
    /// Ids of the symbols that differ.
    pub changed: FxHashSet<u32>,
}

impl CandidateModel {
    /// The start model itself.
    pub fn unchanged(base: &Model) -> Self {
        CandidateModel {
            model: base.clone(),
            changed: FxHashSet::default(),
        }
    }

    /// The base with the values of a model of some roots. If equalities between arrays were decided,
    /// arrays are taken whole; otherwise element by element, so that other reads keep their values.
    pub fn merged(base: &Model, found: &PartialModel, roots: &[Rc<Root>]) -> Self {
        let mut candidate = CandidateModel::unchanged(base);
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

    /// Positions of terms outside `active` that the changes made false. The evaluator forgets its values
    /// before and after: they are of another model.
    pub fn violated(
        &self,
        evaluator: &mut Evaluator,
        terms: &[&Term],
        active: &[usize],
    ) -> Vec<usize> {
        evaluator.start();
        let mut violated = Vec::new();
        for (i, term) in terms.iter().enumerate() {
            let touched = match &term.attributes().support {
                Support::Keys(keys) => keys.iter().any(|k| self.changed.contains(&k.symbol)),
                Support::Many => true,
            };
            if touched && !active.contains(&i) && !evaluator.eval_bool(term, &self.model) {
                violated.push(i);
            }
        }
        evaluator.start();
        violated
    }
}
