//! Choosing one row of each relation such that all agree.
//!
//! Relations are visited from the last to the first: the last are about the newest states, and the earlier ones
//! have to lead to what they choose. If no row agrees with the choices so far, the previous choice is changed.
//! Where relations form a chain no choice is ever changed; elsewhere the work is limited. The result is a
//! candidate only: facts that no relation contains are not considered, so the caller evaluates it.

use super::assign;
use super::net::{Net, TableRelation};
use cairn_expr::{BitVec, Model, Op, Term, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most rows tried for one candidate.
const MOST: u64 = 40_000;

/// A choice that was made.
struct ChosenRow {
    /// The row, from 0.
    row: usize,
    /// Variables that got their words by it.
    assigned: Vec<u64>,
}

/// The word of an input in a model.
fn word(model: Option<&Model>, input: &Term) -> u64 {
    let value = match (input.op(), model) {
        (_, None) => return 0,
        (Op::Select, Some(model)) => match (model.get(input.arg(0)), input.arg(1).as_const()) {
            (Some(Value::Array(cells)), Some(index)) => Some(cells.get(index).clone()),
            _ => None,
        },
        (_, Some(model)) => match model.get(input) {
            Some(Value::Bool(b)) => return u64::from(*b),
            Some(Value::Bv(v)) => Some(v.clone()),
            Some(Value::Array(_)) | None => None,
        },
    };
    value.as_ref().and_then(BitVec::to_u64).unwrap_or(0)
}

/// A model in which every relation has a row, made from another; nothing if that takes too long.
pub(super) fn choose(net: &Net, base: Option<&Model>, work: &mut u64) -> Option<Model> {
    let relations: Vec<&Rc<TableRelation>> = (0..net.count)
        .rev()
        .filter_map(|n| net.relations.get(u64::from(n)))
        .collect();
    let mut words: FxHashMap<u64, u64> = FxHashMap::default();
    let mut levels: Vec<ChosenRow> = Vec::with_capacity(relations.len());
    let mut from = 0;
    let mut looked = 0;
    while levels.len() < relations.len() {
        let relation = relations[levels.len()];
        let width = relation.columns.len();
        let rows = relation.rows.len() / width;
        let row_at = |i: usize| &relation.rows[i * width..(i + 1) * width];
        let births: Vec<u64> = relation.columns.iter().map(Term::birth).collect();
        let known: Vec<Option<u64>> = births.iter().map(|b| words.get(b).copied()).collect();
        let agrees = |i: &usize| {
            let mut pairs = row_at(*i).iter().zip(&known);
            pairs.all(|(v, k)| k.is_none_or(|k| k == *v))
        };
        let found = (from..rows).find(agrees);
        looked += found.map_or(rows, |r| r + 1) as u64 - from as u64;
        if looked > MOST {
            *work += looked;
            return None;
        }
        match found {
            Some(row) => {
                let new = births.iter().zip(&known).zip(row_at(row));
                let new = new.filter(|((_, k), _)| k.is_none());
                let mut assigned = Vec::new();
                for ((birth, _), value) in new {
                    words.insert(*birth, *value);
                    assigned.push(*birth);
                }
                levels.push(ChosenRow { row, assigned });
                from = 0;
            }
            None => {
                let ChosenRow { row, assigned } = levels.pop()?;
                assigned.iter().for_each(|b| {
                    words.remove(b);
                });
                from = row + 1;
            }
        }
    }
    *work += looked;
    let mut model = base.cloned().unwrap_or_default();
    for input in net.inputs.iter() {
        let variable = net.variables.get(input.birth())?;
        let before = word(base, input);
        let value = match words.get(&input.birth()) {
            Some(value) => *value,
            None if variable.values.binary_search(&before).is_ok() => before,
            None => *variable.values.first()?,
        };
        if value != before || base.is_none() {
            assign(&mut model, input, value);
        }
    }
    Some(model)
}
