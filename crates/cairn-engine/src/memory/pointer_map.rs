//! The term of a function of the address that a pointer chooses.
//!
//! The pointer's term with each address in it replaced by the function's result (`memory/pointer_flow.rs` says which terms these are, and why that
//! is right). A table of addresses becomes one of results.

use crate::memory::pointer_flow::{elements, moved, moved_pointer, number};
use crate::memory::positions::InsideOffsets;
use cairn_expr::{BitVec, Op, Table, Term, TermStore};
use rustc_hash::FxHashMap;

/// Elements of a table whose results are not constants, at most.
const MOST_TERMS: usize = 256;

/// Terms that are made for the terms that a pointer's term consists of.
pub(super) struct Mapping<'a> {
    pub(super) store: &'a TermStore,
    pub(super) results: &'a FxHashMap<u64, Term>,
    /// The result for what is never chosen.
    pub(super) any: &'a Term,
    pub(super) inside: &'a InsideOffsets,
    pub(super) done: FxHashMap<(u32, u64), Term>,
    /// Whether symbolic numbers that are added to an address are added to its result.
    pub(super) adds: bool,
}

impl Mapping<'_> {
    /// The result of a term that the addresses were found in.
    pub(super) fn term(&mut self, term: &Term, plus: u64) -> Option<Term> {
        if let Some(done) = self.done.get(&(term.id(), plus)) {
            return Some(done.clone());
        }
        let mapped = match term.op() {
            Op::Const(value) => self.results.get(&moved(value, plus)?)?.clone(),
            Op::Base(base) => self.results.get(&base.address.wrapping_add(plus))?.clone(),
            Op::BvAdd => match term.arg(1).as_const() {
                Some(by) => self.term(term.arg(0), plus.wrapping_add(number(by)?))?,
                None => {
                    let (pointer, by) = moved_pointer(term)?;
                    let result = self.term(pointer, plus)?;
                    match self.adds {
                        true => self.store.bv_add(&result, by),
                        false => result,
                    }
                }
            },
            Op::Ite => return self.chain(term, plus),
            Op::Select => {
                let array = self.array(term.arg(0), term.arg(1), plus)?;
                self.store.select(&array, term.arg(1))
            }
            _ => return None,
        };
        self.done.insert((term.id(), plus), mapped.clone());
        Some(mapped)
    }

    /// A chain of choices, which may be long.
    fn chain(&mut self, first: &Term, plus: u64) -> Option<Term> {
        let mut arms = Vec::new();
        let mut others = first;
        while matches!(others.op(), Op::Ite) && !self.done.contains_key(&(others.id(), plus)) {
            arms.push((others, self.term(others.arg(1), plus)?));
            others = others.arg(2);
        }
        let mut mapped = self.term(others, plus)?;
        for (choice, then) in arms.into_iter().rev() {
            mapped = self.store.ite(choice.arg(0), &then, &mapped);
            self.done.insert((choice.id(), plus), mapped.clone());
        }
        Some(mapped)
    }

    fn array(&mut self, array: &Term, index: &Term, plus: u64) -> Option<Term> {
        let mut stores = Vec::new();
        let mut at = array;
        while matches!(at.op(), Op::Store) {
            stores.push(at);
            at = at.arg(0);
        }
        let mut mapped = match at.op() {
            Op::ConstArray { index } => {
                let element = self.term(at.arg(0), plus)?;
                self.store.const_array(*index, &element)
            }
            Op::Table(table) => self.table(table, index, plus)?,
            _ => return None,
        };
        for before in stores.iter().rev() {
            let value = self.term(before.arg(2), plus)?;
            mapped = self.store.store(&mapped, before.arg(1), &value);
        }
        Some(mapped)
    }

    fn table(&self, table: &Table, index: &Term, plus: u64) -> Option<Term> {
        // What no index reaches is as what one reaches, so that it is no further value to think of.
        let mut reached = elements(table, index, self.inside);
        let one = reached.find_map(|(_, value)| {
            let result = self.results.get(&moved(value, plus)?)?;
            result.as_const().cloned()
        });
        let any = one.unwrap_or_else(|| BitVec::zero(self.any.width()));
        let mut values = vec![any.clone(); table.values().len()];
        let mut default = None;
        let mut terms = Vec::new();
        for (i, value) in elements(table, index, self.inside) {
            let result = self.results.get(&moved(value, plus)?)?;
            let known = result.as_const();
            match values.get_mut(i) {
                Some(element) => match known {
                    Some(known) => *element = known.clone(),
                    None if terms.len() == MOST_TERMS => return None,
                    None => terms.push((i, result)),
                },
                // What stands for all elements that are not listed.
                None => default = Some(result),
            }
        }
        let index_width = table.index_width();
        let constant = match default {
            None => Some(any),
            Some(result) => result.as_const().cloned(),
        };
        let mut mapped = match (constant, default) {
            (Some(constant), _) => self.store.table(Table::new(index_width, values, constant)),
            // A table has constants only: its elements are written one by one.
            (None, Some(default)) if values.len() <= MOST_TERMS => {
                let mut all = self.store.const_array(index_width, default);
                for (i, value) in values.into_iter().enumerate() {
                    let at = self.store.bv(index_width, i as u64);
                    all = self.store.store(&all, &at, &self.store.constant(value));
                }
                all
            }
            (None, _) => return None,
        };
        for (i, term) in terms {
            let at = self.store.bv(index_width, i as u64);
            mapped = self.store.store(&mapped, &at, term);
        }
        Some(mapped)
    }
}
