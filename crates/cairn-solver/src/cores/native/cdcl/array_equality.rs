//! Equalities between arrays, checked against an assignment.
//!
//! # Problem
//! An equality between arrays is a free literal of the circuit. An assignment may call two arrays equal
//! that differ somewhere, or different though they are equal.
//!
//! # Idea
//! For "different" there is a witness index at which the arrays are read (`../circuit/blast.rs`). For
//! "equal", both sides are evaluated under the candidate model; at the first index at which they differ,
//! both are read, and a lemma requires these reads to be equal if the literal holds.
//!
//! # Soundness
//! The lemma is an instance of extensionality, valid in every model.

use super::{Cdcl, Scope};
use crate::cores::native::arrays::Lemma;
use crate::cores::native::circuit::Circuit;
use crate::{Budget, UnknownReason};
use cairn_expr::{ArrayValue, BitVec, Evaluator, Model, Op, Sort, Term, TermStore, Value};
use rustc_hash::FxHashMap;

impl Cdcl {
    /// Gives array symbols their default elements: arrays that are equal in the assignment have the same
    /// default, and that of a constant array or a table is given.
    pub(super) fn array_defaults(&self, circuit: &Circuit, scope: &Scope, model: &mut Model) {
        let mut evaluator = Evaluator::new();
        let mut class: FxHashMap<Term, usize> = FxHashMap::default();
        let mut parents: Vec<usize> = Vec::new();
        let mut defaults: Vec<Option<BitVec>> = Vec::new();
        fn find(parents: &mut [usize], mut i: usize) -> usize {
            while parents[i] != i {
                parents[i] = parents[parents[i]];
                i = parents[i];
            }
            i
        }
        for equality in scope.equalities.as_slice() {
            let holds = self.value(&[circuit.blaster.lit(equality)]).is_one();
            let mut sides = Vec::new();
            for side in equality.args() {
                let base = self.base_array(circuit, side);
                let next = parents.len();
                let at = *class.entry(base.clone()).or_insert(next);
                if at == next {
                    parents.push(next);
                    defaults.push(match base.op() {
                        Op::ConstArray { .. } => Some(evaluator.eval_bv(base.arg(0), model)),
                        Op::Table(table) => Some(table.default_value().clone()),
                        _ => None,
                    });
                }
                sides.push(at);
            }
            if holds {
                let (x, y) = (find(&mut parents, sides[0]), find(&mut parents, sides[1]));
                parents[x] = y;
                if defaults[y].is_none() {
                    defaults[y] = defaults[x].clone();
                }
            }
        }
        for (base, at) in &class {
            let (Op::Symbol(_), Sort::Array { index, .. }) = (base.op(), base.sort()) else {
                continue;
            };
            let top = find(&mut parents, *at);
            if let Some(default) = &defaults[top] {
                let value = ArrayValue::constant(index, default.clone());
                model.set(base.clone(), Value::Array(value));
            }
        }
    }

    /// The array below stores and branches, under the assignment.
    fn base_array(&self, circuit: &Circuit, array: &Term) -> Term {
        let mut array = array.clone();
        loop {
            let next = match array.op() {
                Op::Store => array.arg(0).clone(),
                Op::Ite => {
                    let taken = self.value(&[circuit.blaster.lit(array.arg(0))]).is_one();
                    array.arg(if taken { 1 } else { 2 }).clone()
                }
                _ => return array,
            };
            array = next;
        }
    }

    /// Evaluates both sides of every equality that holds in the assignment. Where they differ, returns a
    /// lemma that requires the elements to be equal.
    pub(super) fn check_equalities(
        &mut self,
        circuit: &mut Circuit,
        store: &TermStore,
        scope: &mut Scope,
        model: &Model,
        budget: &Budget,
    ) -> Result<Vec<Lemma>, UnknownReason> {
        let mut evaluator = Evaluator::new();
        evaluator.start();
        let mut lemmas = Vec::new();
        for equality in scope.equalities.as_slice() {
            let lit = circuit.blaster.lit(equality);
            if !self.value(&[lit]).is_one() {
                continue;
            }
            let sides = [
                evaluator.eval(equality.arg(0), model),
                evaluator.eval(equality.arg(1), model),
            ];
            let [Value::Array(a), Value::Array(b)] = sides else {
                unreachable!("arrays evaluate to arrays")
            };
            let Some(index) = a.difference(&b) else {
                continue;
            };
            let at = store.constant(index);
            let reads = [
                store.select(equality.arg(0), &at),
                store.select(equality.arg(1), &at),
            ];
            for read in &reads {
                circuit.blaster.blast(store, read, budget)?;
                for r in circuit.collect(read).reads {
                    scope.reads.insert(&r);
                }
            }
            lemmas.push(Lemma {
                read: None,
                other: None,
                path: vec![lit],
                left: circuit.blaster.bits(&reads[0]).to_vec(),
                right: circuit.blaster.bits(&reads[1]).to_vec(),
            });
        }
        if lemmas.is_empty() {
            return Ok(lemmas);
        }
        for read in scope.reads.as_slice() {
            for l in circuit.collect(read).observed {
                // The assignment is not read any more, so definitions may be added.
                self.define(circuit, l, budget)?;
            }
        }
        Ok(lemmas)
    }
}
