//! Arrays: reads are taken past stores whose index is known to be another one.

use crate::term::Args;
use crate::{Op, Rule, Sort, Table, Term, TermStore};
use cairn_bv::BitVec;
use smallvec::smallvec;
use std::sync::Arc;

/// A table that a store with constants is folded into has at most this many elements.
const LARGEST_FOLDED_TABLE: u64 = 1024;

/// Whether two indices are the same term plus different constants.
fn known_different(i: &Term, j: &Term) -> bool {
    fn split(t: &Term) -> (Option<&Term>, Option<&BitVec>) {
        match t.op() {
            Op::Const(c) => (None, Some(c)),
            Op::BvAdd => match t.arg(1).as_const() {
                Some(c) => (Some(t.arg(0)), Some(c)),
                None => (Some(t), None),
            },
            _ => (Some(t), None),
        }
    }
    let ((x, c), (y, d)) = (split(i), split(j));
    if x != y {
        return false;
    }
    match (c, d) {
        (Some(c), Some(d)) => c != d,
        // x and x + c with c not zero: the canonical sum never has a zero constant.
        (Some(_), None) | (None, Some(_)) => true,
        (None, None) => false,
    }
}

impl TermStore {
    /// An array with given content.
    pub fn table(&self, table: Table) -> Term {
        let sort = Sort::Array {
            index: table.index_width(),
            value: table.default_value().width(),
        };
        self.intern(Op::Table(Arc::new(table)), Args::new(), sort)
    }

    /// The array that is `value` everywhere.
    pub fn const_array(&self, index: u32, value: &Term) -> Term {
        if let Some(c) = value.as_const() {
            self.fired(Rule::ConstArrayOfConst);
            return self.table(Table::new(index, Vec::new(), c.clone()));
        }
        self.unary(Op::ConstArray { index }, value)
    }

    /// The element of `array` at `index`.
    pub fn select(&self, array: &Term, index: &Term) -> Term {
        let mut array = array;
        while matches!(array.op(), Op::Store) {
            if array.arg(1) == index {
                self.fired(Rule::SelectStoreSame);
                return array.arg(2).clone();
            }
            if !known_different(array.arg(1), index) {
                break;
            }
            self.fired(Rule::SelectStoreOther);
            array = array.arg(0);
        }
        match array.op() {
            Op::ConstArray { .. } => {
                self.fired(Rule::SelectConstArray);
                array.arg(0).clone()
            }
            Op::Table(table) => match index.as_const() {
                Some(c) => {
                    self.fired(Rule::SelectTable);
                    self.constant(table.get(c).clone())
                }
                None if table.values().is_empty() => {
                    self.fired(Rule::SelectConstArray);
                    self.constant(table.default_value().clone())
                }
                None => self.binary(Op::Select, array, index),
            },
            Op::Ite
                if index.as_const().is_some()
                    && array.args()[1..]
                        .iter()
                        .all(|t| matches!(t.op(), Op::Table(_) | Op::ConstArray { .. })) =>
            {
                self.fired(Rule::SelectIteConst);
                let then = self.select(array.arg(1), index);
                let otherwise = self.select(array.arg(2), index);
                self.ite(array.arg(0), &then, &otherwise)
            }
            _ => self.binary(Op::Select, array, index),
        }
    }

    /// `array` with `value` at `index`.
    pub fn store(&self, array: &Term, index: &Term, value: &Term) -> Term {
        let array = if matches!(array.op(), Op::Store) && array.arg(1) == index {
            self.fired(Rule::StoreTwice);
            array.arg(0)
        } else {
            array
        };
        if matches!(value.op(), Op::Select) && value.arg(0) == array && value.arg(1) == index {
            self.fired(Rule::StoreOwnValue);
            return array.clone();
        }
        if let (Op::Table(table), Some(i), Some(v)) =
            (array.op(), index.as_const(), value.as_const())
            && table.values().len() as u64 <= LARGEST_FOLDED_TABLE
            && let Some(position) = i.to_u64().filter(|i| *i < LARGEST_FOLDED_TABLE)
        {
            self.fired(Rule::StoreIntoTable);
            let mut values = table.values().to_vec();
            let position = position as usize;
            if position >= values.len() {
                values.resize(position + 1, table.default_value().clone());
            }
            values[position] = v.clone();
            let default = table.default_value().clone();
            return self.table(Table::new(table.index_width(), values, default));
        }
        self.node(
            Op::Store,
            smallvec![array.clone(), index.clone(), value.clone()],
        )
    }
}
