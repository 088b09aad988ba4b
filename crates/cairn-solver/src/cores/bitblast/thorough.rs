//! The complete solver: CaDiCaL under assumptions, arrays by refinement.
//!
//! Asked when the small search gives up, for queries with equalities between arrays, and for
//! cores that are to be minimised. It has variables and clauses of its own, only for what it was
//! asked about.

use super::arrays::{Cells, Lemma, check_reads};
use super::cnf::{ClauseSink, Cnf};
use super::context::{Context, Root, TermSet};
use super::gates::Lit;
use super::sat::{Sat, SatLit, SatResult};
use super::{Counts, DEAD_WEIGHT, poll, word_value};
use crate::{Budget, Reason};
use cairn_expr::{ArrayValue, BitVec, Evaluator, Model, Op, Sort, Term, TermStore, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Fewer variables than this are never thrown away.
const SMALL: usize = 2_000;

/// What a query ended with.
pub enum Decision {
    /// A model of the roots' inputs.
    Sat(PartialModel),
    /// Positions of roots that cannot hold together.
    Unsat(Vec<usize>),
}

/// A model of some roots: complete for them, with the array elements they read.
pub struct PartialModel {
    /// The values of scalars and arrays.
    pub model: Model,
    /// Array symbol, index and element for each read; elements that are the array's default are
    /// not visible in the model itself.
    pub cells: Vec<(Term, BitVec, BitVec)>,
}

/// The solver with its variables.
pub struct Thorough {
    cnf: Cnf,
    sat: Sat,
}

/// The inputs of a query, united over its roots.
#[derive(Default)]
struct Scope {
    symbols: TermSet,
    reads: TermSet,
    equalities: TermSet,
}

impl Thorough {
    /// No variables.
    pub fn new() -> Self {
        let mut sat = Sat::new();
        let cnf = Cnf::new(&mut sat);
        Thorough { cnf, sat }
    }

    /// Variables: what every SAT answer has to assign.
    fn weight(&self) -> usize {
        self.sat.variables()
    }

    /// Starts again when most variables are of queries long gone: every SAT answer assigns all.
    pub fn shed_weight(&mut self, roots: &[Rc<Root>], counts: &mut Counts) {
        let living: usize = roots.iter().map(|r| r.weight).sum();
        if self.weight() > SMALL && self.weight() > DEAD_WEIGHT * living {
            counts.rebuilds += 1;
            *self = Thorough::new();
        }
    }

    fn define(&mut self, cx: &Context, lit: Lit, budget: &Budget) -> Result<SatLit, Reason> {
        self.cnf
            .literal(&cx.blaster.gates, &mut self.sat, lit, budget)
    }

    /// Decides whether all roots can hold together.
    pub fn decide(
        &mut self,
        cx: &mut Context,
        store: &TermStore,
        roots: &[Rc<Root>],
        budget: &Budget,
        counts: &mut Counts,
    ) -> Result<Decision, Reason> {
        let mut scope = Scope::default();
        let mut assumptions = Vec::with_capacity(roots.len());
        for root in roots {
            assumptions.push(self.define(cx, root.lit, budget)?);
            poll(budget)?;
            for &l in root.observed.iter() {
                self.define(cx, l, budget)?;
            }
            root.symbols.iter().for_each(|t| {
                scope.symbols.insert(t);
            });
            root.reads.iter().for_each(|t| {
                scope.reads.insert(t);
            });
            root.equalities.iter().for_each(|t| {
                scope.equalities.insert(t);
            });
        }
        self.flush_pending(cx, budget)?;
        loop {
            counts.sat_calls += 1;
            if self.sat.solve(assumptions.iter().copied(), budget)? == SatResult::Unsat {
                return Ok(Decision::Unsat(self.failed(&assumptions)));
            }
            match self.refine(cx, store, &mut scope, budget)? {
                Ok(model) => return Ok(Decision::Sat(model)),
                Err(lemmas) => {
                    counts.lemmas += lemmas.len() as u64;
                    for lemma in lemmas {
                        self.add_lemma(cx, &lemma, budget)?;
                    }
                    self.flush_pending(cx, budget)?;
                }
            }
        }
    }

    /// What must hold in every query (the witnesses of array equalities).
    fn flush_pending(&mut self, cx: &Context, budget: &Budget) -> Result<(), Reason> {
        for &pending in &cx.blaster.pending {
            if self.cnf.known(pending).is_none() {
                let holds = self.define(cx, pending, budget)?;
                self.sat.clause(&[holds]);
            }
        }
        Ok(())
    }

    fn failed(&self, assumptions: &[SatLit]) -> Vec<usize> {
        let mut listed: FxHashSet<SatLit> = FxHashSet::default();
        (0..assumptions.len())
            .filter(|&i| self.sat.failed(assumptions[i]) && listed.insert(assumptions[i]))
            .collect()
    }

    fn value(&self, bits: &[Lit]) -> BitVec {
        word_value(&self.cnf, bits, |l| self.sat.value(l))
    }

    /// Checks the candidate against the theory of arrays: a model, or lemmas that exclude it.
    fn refine(
        &mut self,
        cx: &mut Context,
        store: &TermStore,
        scope: &mut Scope,
        budget: &Budget,
    ) -> Result<Result<PartialModel, Vec<Lemma>>, Reason> {
        let reads = scope.reads.as_slice();
        let cells = if reads.is_empty() {
            Cells::default()
        } else {
            let value = |bits: &[Lit]| word_value(&self.cnf, bits, |l| self.sat.value(l));
            match check_reads(&mut cx.blaster, reads, budget, value)? {
                Ok(cells) => cells,
                Err(lemmas) => return Ok(Err(lemmas)),
            }
        };
        let mut model = Model::new();
        for symbol in scope.symbols.as_slice() {
            let bits = self.value(cx.blaster.bits(symbol));
            let value = match symbol.sort() {
                Sort::Bool => Value::Bool(bits.is_one()),
                Sort::BitVec(_) => Value::Bv(bits),
                Sort::Array { .. } => unreachable!("scalars only"),
            };
            model.set(symbol.clone(), value);
        }
        let with_equalities = !scope.equalities.as_slice().is_empty();
        if with_equalities {
            self.array_defaults(cx, scope, &mut model);
        }
        let mut listed = Vec::with_capacity(cells.len());
        for ((array, index), cell) in cells {
            model
                .array_mut(&array)
                .set(index.clone(), cell.value.clone());
            listed.push((array, index, cell.value));
        }
        let lemmas = if with_equalities {
            self.check_equalities(cx, store, scope, &model, budget)?
        } else {
            Vec::new()
        };
        Ok(if lemmas.is_empty() {
            Ok(PartialModel {
                model,
                cells: listed,
            })
        } else {
            Err(lemmas)
        })
    }

    /// Arrays that are equal in the candidate need one default; a constant array's is given.
    fn array_defaults(&self, cx: &Context, scope: &Scope, model: &mut Model) {
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
            let holds = self.value(&[cx.blaster.lit(equality)]).is_one();
            let mut sides = Vec::new();
            for side in equality.args() {
                let base = self.base_array(cx, side);
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

    /// The array below stores and branches, under the candidate.
    fn base_array(&self, cx: &Context, array: &Term) -> Term {
        let mut array = array.clone();
        loop {
            let next = match array.op() {
                Op::Store => array.arg(0).clone(),
                Op::Ite => {
                    let taken = self.value(&[cx.blaster.lit(array.arg(0))]).is_one();
                    array.arg(if taken { 1 } else { 2 }).clone()
                }
                _ => return array,
            };
            array = next;
        }
    }

    /// For each equality that the candidate claims, both sides must evaluate to the same array;
    /// where they differ, the elements there are required to be equal.
    fn check_equalities(
        &mut self,
        cx: &mut Context,
        store: &TermStore,
        scope: &mut Scope,
        model: &Model,
        budget: &Budget,
    ) -> Result<Vec<Lemma>, Reason> {
        let mut evaluator = Evaluator::new();
        evaluator.start();
        let mut lemmas = Vec::new();
        for equality in scope.equalities.as_slice() {
            let lit = cx.blaster.lit(equality);
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
                cx.blaster.blast(store, read, budget)?;
                for r in cx.collect(read).reads {
                    scope.reads.insert(&r);
                }
            }
            lemmas.push(Lemma {
                read: None,
                other: None,
                path: vec![lit],
                left: cx.blaster.bits(&reads[0]).to_vec(),
                right: cx.blaster.bits(&reads[1]).to_vec(),
            });
        }
        if lemmas.is_empty() {
            return Ok(lemmas);
        }
        for read in scope.reads.as_slice() {
            for l in cx.collect(read).observed {
                // The candidate is read no more: definitions may come.
                self.define(cx, l, budget)?;
            }
        }
        Ok(lemmas)
    }

    fn add_lemma(
        &mut self,
        cx: &mut Context,
        lemma: &Lemma,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let path = cx.blaster.gates.and_all(&lemma.path);
        let path = self.define(cx, path, budget)?;
        for (&x, &y) in lemma.left.iter().zip(&lemma.right) {
            let x = self.define(cx, x, budget)?;
            let y = self.define(cx, y, budget)?;
            self.sat.clause(&[-path, -x, y]);
            self.sat.clause(&[-path, x, -y]);
        }
        Ok(())
    }
}
