//! Whether an input equals an element of a table at an index that it gives itself.
//!
//! # Problem
//! A look-up in a hash table compares the key with that of the bucket: `key == keys[key % 3000]`. Gates of the division
//! and of the table's 3,000 elements are a large circuit for a question that has an answer in every element.
//!
//! # Idea
//! Each of the first elements is tried as the value of the input; the last numbers of its width where it must differ.
//!
//! # Soundness
//! Answers SAT only: the goal and all facts were evaluated under the model.
//!
//! # Cost
//! At most [`MOST_TRIED`] evaluations, only of queries whose goal has this form.

use crate::Query;
use cairn_expr::{BitVec, Evaluator, Model, Op, Term, Value};

/// Elements that are tried.
const MOST_TRIED: usize = 16;

/// The symbol and the values to try, if the goal says that a symbol equals an element, or that it does not.
fn candidates(goal: &Term) -> Option<(&Term, Vec<BitVec>)> {
    let negated = matches!(goal.op(), Op::Not);
    let equality = if negated { goal.arg(0) } else { goal };
    if !matches!(equality.op(), Op::Eq) {
        return None;
    }
    let (a, b) = (equality.arg(0), equality.arg(1));
    let sides = [(a, b), (b, a)];
    sides.into_iter().find_map(|(symbol, read)| {
        let is_read = matches!(symbol.op(), Op::Symbol(_)) && matches!(read.op(), Op::Select);
        match read.args().first().map(Term::op) {
            Some(Op::Table(_)) if is_read && negated => {
                let last = |i: usize| {
                    BitVec::ones(symbol.width()).sub(&BitVec::new(symbol.width(), i as u64))
                };
                Some((symbol, (0..MOST_TRIED).map(last).collect()))
            }
            Some(Op::Table(table)) if is_read => {
                let values = table.values().iter().take(MOST_TRIED);
                Some((symbol, values.cloned().collect()))
            }
            Some(_) | None => None,
        }
    })
}

/// A model of the query.
pub(super) fn model(query: &Query, evaluator: &mut Evaluator) -> Option<Model> {
    let (symbol, values) = candidates(&query.goal)?;
    values.into_iter().find_map(|value| {
        let mut model = Model::new();
        model.set(symbol.clone(), Value::Bv(value));
        evaluator.start();
        let holds = evaluator.eval_bool(&query.goal, &model)
            && query.facts.iter().all(|f| evaluator.eval_bool(f, &model));
        holds.then_some(model)
    })
}

#[cfg(test)]
mod tests {
    use super::model;
    use crate::{Facts, Query};
    use cairn_expr::{BitVec, Evaluator, Sort, Table, TermStore};

    #[test]
    fn a_key_of_a_bucket_is_found_unless_a_fact_excludes_it() {
        let store = TermStore::new();
        let key = store.symbol("key", Sort::BitVec(32));
        let values = (0..30).map(|i| BitVec::new(32, 90 + i)).collect();
        let table = store.table(Table::new(5, values, BitVec::zero(32)));
        let place = store.bv_urem(&key, &store.bv(32, 30));
        let read = store.select(&table, &store.extract(&place, 4, 0));
        let goal = store.eq(&key, &read);
        let mut evaluator = Evaluator::new();
        let query = Query::new(Facts::default(), goal.clone());
        let found = model(&query, &mut evaluator).expect("90 is in its bucket");
        evaluator.start();
        assert!(evaluator.eval_bool(&goal, &found));
        let large = store.bv_ult(&store.bv(32, 97), &key);
        let facts: Facts = [large.clone()].into_iter().collect();
        let query = Query::new(facts, goal.clone());
        let found = model(&query, &mut evaluator).expect("98 is, too");
        evaluator.start();
        assert!(evaluator.eval_bool(&large, &found) && evaluator.eval_bool(&goal, &found));
        let none: Facts = [store.bv_ult(&key, &store.bv(32, 90))]
            .into_iter()
            .collect();
        let query = Query::new(none, goal.clone());
        assert!(model(&query, &mut evaluator).is_none());
        let query = Query::new(Facts::default(), store.not(&goal));
        let found = model(&query, &mut evaluator).expect("the last number is in no bucket");
        evaluator.start();
        assert!(!evaluator.eval_bool(&goal, &found));
    }
}
