//! Deciding by trying all assignments: slow, small, and without any code of Cairn.

use crate::operator::{ArrayData, ConcreteValue};
use crate::pool::{Id, Pool};
use cairn_expr::Sort;
use std::collections::HashMap;

/// The bits that a value of a sort takes, if that is a small number.
fn bits(sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(1),
        Sort::BitVec(w) => Some(w),
        Sort::Array { index, value } if index <= 3 => Some(value << index),
        Sort::Array { .. } => None,
    }
}

fn decode(sort: Sort, word: u128) -> ConcreteValue {
    match sort {
        Sort::Bool | Sort::BitVec(_) => ConcreteValue::Bits(word),
        Sort::Array { index, value } => {
            let cell = |i: u32| word >> (i * value) & crate::operator::mask(value);
            ConcreteValue::Cells(ArrayData {
                index,
                default: 0,
                cells: (0..1u32 << index)
                    .map(|i| (u128::from(i), cell(i)))
                    .collect(),
            })
        }
    }
}

/// Whether some Boolean expressions can be true together. `None` if their symbols have more than
/// `most` bits.
pub fn satisfiable(pool: &Pool, conjuncts: &[Id], most: u32) -> Option<bool> {
    let symbols = pool.symbols(conjuncts);
    let mut total = 0u32;
    for (_, sort) in &symbols {
        total = total.saturating_add(bits(*sort)?);
    }
    if total > most {
        return None;
    }
    for word in 0..1u128 << total {
        let mut rest = word;
        let mut values: HashMap<(&str, Sort), ConcreteValue> = HashMap::new();
        for (name, sort) in &symbols {
            let width = bits(*sort).expect("counted above");
            values.insert((name, *sort), decode(*sort, rest & ((1 << width) - 1)));
            rest >>= width;
        }
        let results = pool.values(conjuncts, &|name, sort| values[&(name, sort)].clone());
        if results.iter().all(|v| v.bits() == 1) {
            return Some(true);
        }
    }
    Some(false)
}
