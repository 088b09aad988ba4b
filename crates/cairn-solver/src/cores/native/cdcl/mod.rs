//! CDCL: CaDiCaL under assumptions, arrays by refinement. The last stage.
//!
//! # Problem
//! Queries that the guided search gives up on, equalities between arrays, and unsat cores that are to be
//! minimised need a complete solver.
//!
//! # Idea
//! The roots of the active conjuncts are assumed, so that clauses and what is learnt from them stay valid
//! for every later query \[EenSorensson03\]. The solver has variables and clauses of its own, only for what
//! it was asked about. A satisfying assignment is checked against the theory of arrays; violated axioms
//! are added, and the solver is called again (`../arrays/refinement.rs`, `array_equality.rs`).
//!
//! # Soundness
//! UNSAT: the failed assumptions contradict each other given valid clauses. SAT: no read and no equality
//! of the query violates an axiom, and facts outside the active conjuncts were evaluated.
//!
//! # Counters
//! `sat_calls`, `lemmas`, `rebuilds`.

mod array_equality;
mod cadical;

use super::active_conjuncts::ActiveConjuncts;
use super::arrays::{Lemma, ReachedCells, check_reads};
use super::candidate_model::CandidateModel;
use super::circuit::{Circuit, ClauseSink, Cnf, Lit, Root, SatLit, TermSet};
use super::{Conjuncts, CoreState, Counts, StageResult};
use crate::{Budget, UnknownReason};
use cadical::{Cadical, SatResult};
use cairn_expr::{BitVec, Model, Sort, Term, TermStore, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A solver with fewer variables than this is never thrown away.
const SMALL: usize = 2_000;
/// Calls with some of the facts after which all facts become active.
const FEW_CALLS: usize = 1;

/// The result for some roots.
enum RootsResult {
    /// A model of the roots' inputs.
    Sat(PartialModel),
    /// Positions of roots that contradict each other.
    Unsat(Vec<usize>),
}

/// A model of some roots: complete for them, with the array elements that they read.
pub struct PartialModel {
    /// The values of scalars and arrays.
    pub model: Model,
    /// Array symbol, index and element for each read; elements that equal the array's default are
    /// not visible in the model itself.
    pub cells: Vec<(Term, BitVec, BitVec)>,
}

/// The complete solver with its variables.
pub struct Cdcl {
    cnf: Cnf,
    sat: Cadical,
}

/// The inputs of a query, united over its roots.
#[derive(Default)]
struct Scope {
    symbols: TermSet,
    reads: TermSet,
    equalities: TermSet,
}

impl Scope {
    fn add(&mut self, root: &Root) {
        for t in root.symbols.iter() {
            self.symbols.insert(t);
        }
        for t in root.reads.iter() {
            self.reads.insert(t);
        }
        for t in root.equalities.iter() {
            self.equalities.insert(t);
        }
    }
}

impl Cdcl {
    /// Without variables or clauses.
    pub fn new() -> Self {
        let mut sat = Cadical::new();
        let cnf = Cnf::new(&mut sat);
        Cdcl { cnf, sat }
    }

    /// Decides a query from the active conjuncts on.
    pub fn decide(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &mut ActiveConjuncts,
    ) -> Result<StageResult, UnknownReason> {
        let budget = &conjuncts.query.budget;
        let mut calls = 0;
        loop {
            let roots = active.roots(shared, conjuncts)?;
            let candidate = match self.solve(shared, conjuncts.store, &roots, budget)? {
                RootsResult::Unsat(core) => {
                    let core = core.into_iter().map(|k| active.positions[k]).collect();
                    return Ok(StageResult::Unsat(core));
                }
                RootsResult::Sat(found) => {
                    CandidateModel::merged(&active.start_model, &found, &roots)
                }
            };
            let terms = &conjuncts.terms;
            let violated = candidate.violated(&mut shared.evaluator, terms, &active.positions);
            if violated.is_empty() {
                return Ok(StageResult::Sat(Rc::new(candidate.model)));
            }
            calls += 1;
            // A further call costs more than the facts it is spared.
            active.all_at_next |= calls > FEW_CALLS;
            active.activate(violated, conjuncts);
        }
    }

    /// Decides a query with all its conjuncts, without a start model.
    pub fn decide_all(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
    ) -> Result<StageResult, UnknownReason> {
        let budget = &conjuncts.query.budget;
        let result = self.solve_terms(shared, conjuncts.store, &conjuncts.terms, budget)?;
        Ok(match result {
            RootsResult::Sat(found) => StageResult::Sat(Rc::new(found.model)),
            RootsResult::Unsat(core) => StageResult::Unsat(core),
        })
    }

    /// Removes one member of an unsatisfiable core after the other while the rest is unsatisfiable. A
    /// member stays if its removal is not decided.
    pub fn minimise(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        mut core: Vec<usize>,
    ) -> Vec<usize> {
        let budget = &conjuncts.query.budget;
        core.sort_unstable();
        // Members before `at` are needed; they stay in every smaller core.
        let mut at = 0;
        while at < core.len() && core.len() > 1 {
            if budget.exhausted().is_some() {
                break;
            }
            let trial: Vec<usize> = core.iter().copied().filter(|i| *i != core[at]).collect();
            let subset: Vec<&Term> = trial.iter().map(|i| conjuncts.terms[*i]).collect();
            match self.solve_terms(shared, conjuncts.store, &subset, budget) {
                Ok(RootsResult::Unsat(smaller)) => {
                    core = smaller.into_iter().map(|i| trial[i]).collect();
                    core.sort_unstable();
                }
                Ok(RootsResult::Sat(_)) | Err(_) => at += 1,
            }
        }
        core
    }

    /// Decides whether all terms can hold together.
    fn solve_terms(
        &mut self,
        shared: &mut CoreState,
        store: &TermStore,
        terms: &[&Term],
        budget: &Budget,
    ) -> Result<RootsResult, UnknownReason> {
        let mut roots: Vec<Rc<Root>> = Vec::with_capacity(terms.len());
        for t in terms {
            roots.push(shared.circuit.root(store, t, budget)?);
            budget.check()?;
        }
        self.solve(shared, store, &roots, budget)
    }

    /// Decides whether all roots can hold together.
    fn solve(
        &mut self,
        shared: &mut CoreState,
        store: &TermStore,
        roots: &[Rc<Root>],
        budget: &Budget,
    ) -> Result<RootsResult, UnknownReason> {
        let (circuit, counts) = (&mut shared.circuit, &mut shared.counts);
        self.shed_weight(circuit, roots, counts);
        let mut scope = Scope::default();
        let mut assumptions = Vec::with_capacity(roots.len());
        for root in roots {
            assumptions.push(self.define(circuit, root.lit, budget)?);
            budget.check()?;
            for &l in root.observed.iter() {
                self.define(circuit, l, budget)?;
            }
            scope.add(root);
        }
        self.assert_pending(circuit, budget)?;
        loop {
            counts.sat_calls += 1;
            if self.sat.solve(assumptions.iter().copied(), budget)? == SatResult::Unsat {
                return Ok(RootsResult::Unsat(self.failed(&assumptions)));
            }
            match self.refine(circuit, store, &mut scope, budget)? {
                Ok(model) => return Ok(RootsResult::Sat(model)),
                Err(lemmas) => {
                    counts.lemmas += lemmas.len() as u64;
                    for lemma in lemmas {
                        self.add_lemma(circuit, &lemma, budget)?;
                    }
                    self.assert_pending(circuit, budget)?;
                }
            }
        }
    }

    /// Starts again when most variables belong to past queries: every SAT answer assigns all of them.
    fn shed_weight(&mut self, circuit: &Circuit, roots: &[Rc<Root>], counts: &mut Counts) {
        let variables = self.sat.variables();
        if variables > SMALL && circuit.is_outweighed(variables, roots.iter().map(Rc::as_ref)) {
            counts.rebuilds += 1;
            *self = Cdcl::new();
        }
    }

    fn define(
        &mut self,
        circuit: &Circuit,
        lit: Lit,
        budget: &Budget,
    ) -> Result<SatLit, UnknownReason> {
        self.cnf
            .literal(&circuit.blaster.gates, &mut self.sat, lit, budget)
    }

    /// Asserts what must hold in every query: the conditions on witnesses of array equalities.
    fn assert_pending(&mut self, circuit: &Circuit, budget: &Budget) -> Result<(), UnknownReason> {
        for &pending in &circuit.blaster.pending {
            if self.cnf.known(pending).is_none() {
                let holds = self.define(circuit, pending, budget)?;
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
        self.cnf.word_value(bits, |l| self.sat.value(l))
    }

    /// Checks the assignment against the theory of arrays: a model, or lemmas that exclude it.
    fn refine(
        &mut self,
        circuit: &mut Circuit,
        store: &TermStore,
        scope: &mut Scope,
        budget: &Budget,
    ) -> Result<Result<PartialModel, Vec<Lemma>>, UnknownReason> {
        let reads = scope.reads.as_slice();
        let cells = if reads.is_empty() {
            ReachedCells::default()
        } else {
            let value = |bits: &[Lit]| self.cnf.word_value(bits, |l| self.sat.value(l));
            match check_reads(&mut circuit.blaster, reads, budget, value)? {
                Ok(cells) => cells,
                Err(lemmas) => return Ok(Err(lemmas)),
            }
        };
        let mut model = Model::new();
        for symbol in scope.symbols.as_slice() {
            let bits = self.value(circuit.blaster.bits(symbol));
            let value = match symbol.sort() {
                Sort::Bool => Value::Bool(bits.is_one()),
                Sort::BitVec(_) => Value::Bv(bits),
                Sort::Array { .. } => unreachable!("scalars only"),
            };
            model.set(symbol.clone(), value);
        }
        let with_equalities = !scope.equalities.as_slice().is_empty();
        if with_equalities {
            self.array_defaults(circuit, scope, &mut model);
        }
        let mut listed = Vec::with_capacity(cells.len());
        for ((array, index), cell) in cells {
            model
                .array_mut(&array)
                .set(index.clone(), cell.value.clone());
            listed.push((array, index, cell.value));
        }
        let lemmas = if with_equalities {
            self.check_equalities(circuit, store, scope, &model, budget)?
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

    fn add_lemma(
        &mut self,
        circuit: &mut Circuit,
        lemma: &Lemma,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        let path = circuit.blaster.gates.and_all(&lemma.path);
        let path = self.define(circuit, path, budget)?;
        for (&x, &y) in lemma.left.iter().zip(&lemma.right) {
            let x = self.define(circuit, x, budget)?;
            let y = self.define(circuit, y, budget)?;
            self.sat.clause(&[-path, -x, y]);
            self.sat.clause(&[-path, x, -y]);
        }
        Ok(())
    }
}
