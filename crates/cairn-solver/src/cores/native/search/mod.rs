//! Guided search: a small CDCL solver that starts from a model of the path.
//!
//! # Problem
//! A query on a path is the path's facts, which the start model satisfies, and one new condition. A general
//! SAT solver assigns every variable it has, of all queries so far, to say SAT.
//!
//! # Idea
//! Search an assignment of the active conjuncts alone (`../active_conjuncts.rs`), near the start model: the
//! solver (`cone_solver.rs`) assigns only the cone of their roots, and its first choice for every input is
//! the start model's value.
//!
//! # Soundness
//! UNSAT: the solver names assumptions that contradict each other. SAT: the candidate obeys all array
//! axioms that the query's reads need, and every conjunct that it touches was evaluated.
//!
//! # Cost
//! Search and evaluation are proportional to what changes; only the look at each fact's support is linear
//! in the path. The stage gives up after a number of conflicts or rounds, for cones that are too large,
//! and for equalities between arrays.
//!
//! # Counters
//! `searches`, `conflicts`, `given_up`, `candidates`, `lemmas`.

mod cone;
mod cone_solver;
mod conflict;
mod heap;

use super::active_conjuncts::ActiveConjuncts;
use super::arrays::{Lemma, check_reads, instantiate_few};
use super::candidate_model::CandidateModel;
use super::circuit::{Circuit, ClauseSink, Cnf, Lit, Root, SatLit};
use super::{Conjuncts, CoreState, StageResult};
use crate::{Budget, UnknownReason};
use cairn_expr::{Evaluator, Model, Sort, Term, Value};
use cone::{Cone, ConeWalk};
use cone_solver::{ConeSolver, SearchResult};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Conflicts times variables after which the search gives up: about a tenth of a second, however large
/// the cone is.
const EFFORT: u64 = 8_000_000;
/// Fewest and most conflicts that follow from it.
const CONFLICTS: std::ops::RangeInclusive<u64> = 100..=4_000;
/// Rounds of adding facts or lemmas after which the search gives up.
const MOST_ROUNDS: usize = 40;
/// Conflicts after which the search is given all facts: it learns from conflicts what a fact would have
/// told it.
const FEW_CONFLICTS: u64 = 2;
/// A search over more variables than this is not small.
const LARGEST_CONE: usize = 60_000;

/// The cone of a lemma about one read, and the id of the other read if it is about two.
type LemmaCone = (Option<u32>, Rc<Cone>);

/// The result of one round.
enum RoundResult {
    /// An assignment of the active conjuncts.
    Candidate(CandidateModel),
    /// Positions of conjuncts that contradict each other.
    Unsat(Vec<usize>),
    /// Array axioms were added: search again.
    Lemmas,
    /// The search is not small.
    GaveUp,
}

/// The guided search of a native core.
pub struct GuidedSearch {
    solver: ConeSolver,
    cnf: Cnf,
    cones: FxHashMap<u64, Rc<Cone>>,
    /// Lemmas of a read, by its birth. A lemma about two reads counts when both are part of the query.
    lemmas: FxHashMap<u64, Vec<LemmaCone>>,
    /// Axioms that were added before a candidate violated them: birth of the read, and index.
    instantiated: FxHashSet<(u64, u64)>,
    walk: ConeWalk,
    /// Conflicts before the last restart.
    conflicts_before: u64,
}

impl GuidedSearch {
    /// Without variables or clauses.
    pub fn new() -> Self {
        let mut solver = ConeSolver::new();
        let cnf = Cnf::new(&mut solver);
        GuidedSearch {
            solver,
            cnf,
            cones: FxHashMap::default(),
            lemmas: FxHashMap::default(),
            instantiated: FxHashSet::default(),
            walk: ConeWalk::default(),
            conflicts_before: 0,
        }
    }

    /// Forgets everything about a circuit that was thrown away.
    pub fn restart(&mut self) {
        let conflicts_before = self.conflicts();
        *self = GuidedSearch {
            conflicts_before,
            ..GuidedSearch::new()
        };
    }

    /// Decides a query, or gives up: then the active conjuncts are what the next stage starts with.
    pub fn decide(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &mut ActiveConjuncts,
    ) -> Result<Option<StageResult>, UnknownReason> {
        let conflicts_before = self.conflicts();
        for round in 0..MOST_ROUNDS {
            let roots = active.roots(shared, conjuncts)?;
            if round == 0 && roots.iter().any(|r| !r.reads.is_empty()) {
                let made = &mut self.instantiated;
                for axiom in instantiate_few(shared, conjuncts, &roots, made)? {
                    self.add_lemma(&mut shared.circuit, &axiom, &conjuncts.query.budget)?;
                }
            }
            if roots.iter().any(|r| !r.equalities.is_empty()) {
                return Ok(None);
            }
            let result = self.round(shared, conjuncts, active, &roots)?;
            active.all_at_next = self.conflicts() - conflicts_before > FEW_CONFLICTS;
            let candidate = match result {
                RoundResult::Candidate(candidate) => candidate,
                RoundResult::Unsat(core) => return Ok(Some(StageResult::Unsat(core))),
                RoundResult::Lemmas => continue,
                RoundResult::GaveUp => {
                    shared.counts.given_up += 1;
                    return Ok(None);
                }
            };
            let terms = &conjuncts.terms;
            let violated = candidate.violated(&mut shared.evaluator, terms, &active.positions);
            if violated.is_empty() {
                return Ok(Some(StageResult::Sat(Rc::new(candidate.model))));
            }
            active.activate(violated, conjuncts);
        }
        // Lemma after lemma: inactive facts may be what bounds them.
        active.activate_all(conjuncts);
        Ok(None)
    }

    /// One search over the active conjuncts.
    fn round(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &ActiveConjuncts,
        roots: &[Rc<Root>],
    ) -> Result<RoundResult, UnknownReason> {
        shared.counts.searches += 1;
        let budget = &conjuncts.query.budget;
        let (assumptions, size) = self.enter(shared, conjuncts, active, roots)?;
        if size > LARGEST_CONE {
            return Ok(RoundResult::GaveUp);
        }
        let distinct = self.solver.cone_size();
        let effort = EFFORT / (distinct as u64 + 1);
        let effort = effort.clamp(*CONFLICTS.start(), *CONFLICTS.end());
        let effort = effort.min(budget.conflicts_among(distinct).unwrap_or(effort));
        match self.solver.solve(&assumptions, effort, budget)? {
            SearchResult::GaveUp => return Ok(RoundResult::GaveUp),
            SearchResult::Unsat(core) => {
                let core: FxHashSet<SatLit> = core.into_iter().collect();
                let mut listed: FxHashSet<SatLit> = FxHashSet::default();
                let positions: Vec<usize> = (0..assumptions.len())
                    .filter(|&k| core.contains(&assumptions[k]) && listed.insert(assumptions[k]))
                    .map(|k| active.positions[k])
                    .collect();
                if positions.is_empty() {
                    // Definitions and lemmas never contradict each other by themselves.
                    return Err(UnknownReason::Internal(
                        "the search refutes the empty query".to_string(),
                    ));
                }
                return Ok(RoundResult::Unsat(positions));
            }
            SearchResult::Assignment => {}
        }
        match self.candidate(&mut shared.circuit, roots, &active.start_model, budget)? {
            Ok(candidate) => Ok(RoundResult::Candidate(candidate)),
            Err(lemmas) => {
                shared.counts.lemmas += lemmas.len() as u64;
                for lemma in lemmas {
                    self.add_lemma(&mut shared.circuit, &lemma, budget)?;
                }
                Ok(RoundResult::Lemmas)
            }
        }
    }

    /// Gives the solver the cone of the roots and of their reads' lemmas, with phases from the base
    /// model. Returns the assumptions and the sum of the sizes of the cones.
    fn enter(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &ActiveConjuncts,
        roots: &[Rc<Root>],
    ) -> Result<(Vec<SatLit>, usize), UnknownReason> {
        let budget = &conjuncts.query.budget;
        let circuit = &mut shared.circuit;
        self.solver.start_cone();
        let mut assumptions = Vec::with_capacity(roots.len());
        let mut size = 0;
        let mut reads: FxHashSet<u32> = FxHashSet::default();
        for (root, &i) in roots.iter().zip(&active.positions) {
            let lit = self.define(circuit, root.lit, budget)?;
            budget.check()?;
            assumptions.push(lit);
            let key = conjuncts.terms[i].birth();
            if !self.cones.contains_key(&key) {
                for &l in root.observed.iter() {
                    self.define(circuit, l, budget)?;
                }
                let lits = root.observed.iter().copied().chain([root.lit]);
                let cone = self.walk.below(&circuit.blaster.gates, &self.cnf, lits);
                self.cones.insert(key, Rc::new(cone));
            }
            let cone = &self.cones[&key];
            size += cone.variables.len();
            self.solver.extend_cone(&cone.variables, &cone.inputs);
            reads.extend(root.reads.iter().map(Term::id));
            self.set_phases(circuit, &mut shared.evaluator, root, &active.start_model);
        }
        for root in roots {
            for read in root.reads.iter() {
                for (other, cone) in self.lemmas.get(&read.birth()).into_iter().flatten() {
                    if other.is_none_or(|o| reads.contains(&o)) {
                        size += cone.variables.len();
                        self.solver.extend_cone(&cone.variables, &cone.inputs);
                    }
                }
            }
        }
        Ok((assumptions, size))
    }

    /// The first values that decisions try for a root's symbols and reads: those of the start model.
    fn set_phases(
        &mut self,
        circuit: &Circuit,
        evaluator: &mut Evaluator,
        root: &Root,
        base: &Model,
    ) {
        for t in root.symbols.iter().chain(root.reads.iter()) {
            let word = match evaluator.eval(t, base) {
                Value::Bool(b) => vec![u64::from(b)],
                Value::Bv(v) => v.limbs().to_vec(),
                Value::Array(_) => unreachable!("scalars and reads have no array sort"),
            };
            for (i, l) in circuit.blaster.bits(t).iter().enumerate() {
                if let Some(v) = self.cnf.variable_of(l.node()) {
                    let bit = word[i / 64] >> (i % 64) & 1 == 1;
                    self.solver.set_phase(v, bit ^ l.negated());
                }
            }
        }
    }

    fn define(
        &mut self,
        circuit: &Circuit,
        lit: Lit,
        budget: &Budget,
    ) -> Result<SatLit, UnknownReason> {
        self.cnf
            .literal(&circuit.blaster.gates, &mut self.solver, lit, budget)
    }

    fn add_lemma(
        &mut self,
        circuit: &mut Circuit,
        lemma: &Lemma,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        self.solver.start_cone();
        let path = circuit.blaster.gates.and_all(&lemma.path);
        let path_lit = self.define(circuit, path, budget)?;
        for (&x, &y) in lemma.left.iter().zip(&lemma.right) {
            let x = self.define(circuit, x, budget)?;
            let y = self.define(circuit, y, budget)?;
            self.solver.clause(&[-path_lit, -x, y]);
            self.solver.clause(&[-path_lit, x, -y]);
        }
        if let Some(read) = &lemma.read {
            let lits = lemma.left.iter().chain(&lemma.right).copied();
            let lits = lits.chain([path]);
            let cone = self.walk.below(&circuit.blaster.gates, &self.cnf, lits);
            let other = lemma.other.as_ref().map(Term::id);
            let list = self.lemmas.entry(read.birth()).or_default();
            list.push((other, Rc::new(cone)));
        }
        Ok(())
    }

    /// The model of an assignment, or the array axioms that it violates.
    fn candidate(
        &mut self,
        circuit: &mut Circuit,
        roots: &[Rc<Root>],
        base: &Model,
        budget: &Budget,
    ) -> Result<Result<CandidateModel, Vec<Lemma>>, UnknownReason> {
        let mut candidate = CandidateModel::unchanged(base);
        let mut reads: Vec<Term> = Vec::new();
        let mut listed: FxHashSet<u32> = FxHashSet::default();
        let (cnf, solver) = (&self.cnf, &self.solver);
        let value = |bits: &[Lit]| cnf.word_value(bits, |l| solver.value(l));
        for root in roots {
            for symbol in root.symbols.iter() {
                if !listed.insert(symbol.id()) {
                    continue;
                }
                let bits = value(circuit.blaster.bits(symbol));
                let new = match symbol.sort() {
                    Sort::Bool => Value::Bool(bits.is_one()),
                    Sort::BitVec(_) => Value::Bv(bits),
                    Sort::Array { .. } => unreachable!("scalars only"),
                };
                candidate.set(symbol, new);
            }
            for read in root.reads.iter() {
                if listed.insert(read.id()) {
                    reads.push(read.clone());
                }
            }
        }
        if !reads.is_empty() {
            match check_reads(&mut circuit.blaster, &reads, budget, value)? {
                Ok(cells) => {
                    for ((array, index), cell) in &cells {
                        candidate.set_cell(array, index, &cell.value);
                    }
                }
                Err(lemmas) => return Ok(Err(lemmas)),
            }
        }
        Ok(Ok(candidate))
    }

    /// Variables of the solver, for statistics.
    pub fn variables(&self) -> usize {
        self.solver.variables()
    }

    /// Conflicts so far, for statistics.
    pub fn conflicts(&self) -> u64 {
        self.conflicts_before + self.solver.conflicts()
    }
}
