//! Concretising: a symbolic value is given one of its values.
//!
//! An operation that is not followed on terms (floating point, arguments of host functions) takes the value under the
//! path's model, which becomes a fact. The values are in the path's log, so a path that is run again takes the same.
//! What was narrowed is an omission (`path/step_context.rs`).

use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::Term;
use std::rc::Rc;

/// How much operations had chosen at some time.
#[derive(Clone, Copy)]
pub(crate) struct ChosenSoFar {
    facts: usize,
    values: usize,
    narrowed: usize,
}

impl SymbolicDomain {
    /// The value that a term has under the model.
    pub fn example(&mut self, term: &Term) -> BitVec {
        let value = if self.values_to_choose.is_empty() {
            None
        } else {
            Rc::make_mut(&mut self.values_to_choose).pop_front()
        };
        let value = value.unwrap_or_else(|| self.cx.value(&self.model, term));
        self.chosen_values.push(value.clone());
        value
    }

    /// The value that a term has under the model, made a fact.
    pub fn choose(&mut self, term: &Term, what: &'static str) -> BitVec {
        let value = self.example(term);
        let store = &self.cx.store;
        self.chosen_facts
            .push(store.eq(term, &store.constant(value.clone())));
        let noted = (self.last_point, what);
        if !self.narrowed.contains(&noted) {
            self.narrowed.push(noted);
        }
        value
    }

    /// What operations have chosen, to go back to.
    pub(crate) fn chosen_so_far(&self) -> ChosenSoFar {
        ChosenSoFar {
            facts: self.chosen_facts.len(),
            values: self.chosen_values.len(),
            narrowed: self.narrowed.len(),
        }
    }

    /// Takes back what was chosen since: the operation that chose has not happened.
    pub(crate) fn forget_chosen(&mut self, mark: ChosenSoFar) {
        self.chosen_facts.truncate(mark.facts);
        self.chosen_values.truncate(mark.values);
        self.narrowed.truncate(mark.narrowed);
    }

    pub(super) fn choose_wide(&mut self, value: &Wide, what: &'static str) -> BitVec {
        match value {
            Wide::Bits(bits) => bits.clone(),
            Wide::Term(term) => self.choose(term, what),
        }
    }

    pub(super) fn choose_word(&mut self, value: &Value, what: &'static str) -> u64 {
        match value {
            Value::Word(word) => word.bits,
            Value::Symbolic(symbolic) => {
                let chosen = self.choose(&symbolic.bits(&self.cx.store), what);
                chosen.to_u64().expect("a word")
            }
        }
    }
}
