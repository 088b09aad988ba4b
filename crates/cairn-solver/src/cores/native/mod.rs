//! The native core: word-level reasoning, then bit-blasting, incremental, arrays by refinement.
//!
//! # Problem
//! Symbolic execution asks thousands of small queries, each of which shares almost everything with the
//! one before. A solver that rebuilds the formula wastes most of its time; a solver that keeps everything
//! slows down with every query it has seen.
//!
//! # Idea
//! `NativeCore::decide` is the pipeline. Each stage answers or leaves the query to the next one:
//!
//! 1. **Warm model** (`warm.rs`): a model of the path so far may satisfy the goal already. Which conjuncts it violates is found by
//!    `ActiveConjuncts::violated_by` (`active_conjuncts.rs`): if none, it is the answer.
//! 2. **Words** (`words/`): domain propagation refutes the query; model repair or labelling changes a few
//!    words of the warm model, and labelling refutes the query if no choice of its own takes part in the contradiction.
//! 3. **Guided search** (`search/`): a small CDCL solver starts from the warm model and assigns only the
//!    cone of the conjuncts that are violated.
//! 4. **Enumeration** (`enumeration/`): if the search had many conflicts or gave up, all values of the few bytes that the path is
//!    about. What they leave is kept with the path, and looked at before the search from then on.
//! 5. **CDCL** (`cdcl/`): CaDiCaL, under assumptions. It decides everything, within its budget.
//!
//! Stages 3 and 5 work on one circuit per worker (`circuit/`), in which each term is blasted once, and
//! refine array axioms on demand (`arrays/`). Both add facts of the path on demand
//! (`active_conjuncts.rs`). When most of the circuit belongs to queries of the past, it is started again.
//!
//! # What differs
//! The stages and the lazily added facts are ours. Bit-blasting over an and-inverter graph with
//! structural hashing, incremental SAT under assumptions \[EenSorensson03\] and lemmas on demand for arrays
//! \[BrummayerBiere09\] are the usual techniques.
//!
//! # Soundness
//! SAT: the model was evaluated on terms, here and again by the chain. UNSAT: domains contain every value
//! that a symbol has in any model of the facts they come from; gate definitions and array lemmas are
//! valid, so the failed assumptions alone contradict each other.
//!
//! # Counters
//! `warm_hits` (answered by the warm model), `refuted_by_words` (refuted by domains or labelling), `repaired`, `labelled`,
//! `searches`, `conflicts` and `given_up` (guided search), `enumerated` (answered by enumeration), `rows` (that it looked at), `sat_calls` (CaDiCaL), `candidates` (instances
//! of array axioms that a search could need), `lemmas` (instances that were added), `rebuilds`; `terms`,
//! `gates` and `variables` are sizes.

mod active_conjuncts;
mod arrays;
mod candidate_model;
mod cdcl;
mod circuit;
mod enumeration;
mod search;
mod warm;
mod words;

use crate::{Answer, Layer, Query, Rest, UnknownReason, UnsatCore, Want};
use active_conjuncts::ActiveConjuncts;
pub use arrays::ArrayEncoding;
use arrays::ArrayOptions;
use cairn_expr::{Evaluator, Model, Term, TermStore};
use cdcl::Cdcl;
use circuit::Circuit;
use enumeration::Enumeration;
use search::GuidedSearch;
use std::rc::Rc;
use warm::WarmModels;
use words::DomainStore;

/// A circuit with fewer gates than this is never thrown away.
const SMALL_CIRCUIT: usize = 16_000;
/// Gates (or variables) of past queries are tolerated up to this many times those of the present one.
const DEAD_WEIGHT: usize = 4;

/// Statistics of the native core.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    queries: u64,
    warm_hits: u64,
    searches: u64,
    given_up: u64,
    sat_calls: u64,
    lemmas: u64,
    candidates: u64,
    rebuilds: u64,
    refuted_by_words: u64,
    repaired: u64,
    labelled: u64,
    enumerated: u64,
}

/// What a stage found.
enum StageResult {
    /// A model of all conjuncts.
    Sat(Rc<Model>),
    /// Positions of conjuncts that contradict each other.
    Unsat(Vec<usize>),
}

/// A query as the stages see it: its conjuncts in one list, the facts oldest first, the goal last.
struct Conjuncts<'a> {
    query: &'a Query,
    store: &'a TermStore,
    terms: Vec<&'a Term>,
}

impl<'a> Conjuncts<'a> {
    fn new(query: &'a Query, store: &'a TermStore) -> Self {
        let mut terms: Vec<&Term> = query.facts.iter().collect();
        terms.reverse();
        terms.push(&query.goal);
        Conjuncts {
            query,
            store,
            terms,
        }
    }

    /// The position of the goal.
    fn goal_position(&self) -> usize {
        self.terms.len() - 1
    }
}

/// The state that the stages share.
struct CoreState {
    circuit: Circuit,
    /// The domains of the path's symbols, which belong to no query: they are kept from one to the next.
    domains: DomainStore,
    evaluator: Evaluator,
    counts: Counts,
}

/// Which stages a core solver has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stages {
    All,
    /// No reasoning about words.
    Gates,
    /// CaDiCaL alone, without a warm model.
    Cdcl,
}

/// The native core; the module documentation describes it.
pub struct NativeCore {
    shared: CoreState,
    warm: WarmModels,
    search: GuidedSearch,
    enumeration: Enumeration,
    cdcl: Cdcl,
    stages: Stages,
}

impl Default for NativeCore {
    fn default() -> Self {
        NativeCore::with_arrays(ArrayEncoding::default())
    }
}

impl NativeCore {
    /// A native core with a given encoding of arrays.
    pub fn with_arrays(encoding: ArrayEncoding) -> Self {
        NativeCore {
            shared: CoreState {
                circuit: Circuit::new(encoding.into()),
                domains: DomainStore::new(),
                evaluator: Evaluator::new(),
                counts: Counts::default(),
            },
            warm: WarmModels::new(),
            search: GuidedSearch::new(),
            enumeration: Enumeration::new(),
            cdcl: Cdcl::new(),
            stages: Stages::All,
        }
    }

    /// The native core with CaDiCaL as its only stage: for comparisons, and to test that stage alone.
    pub fn cdcl_only(self) -> Self {
        NativeCore {
            stages: Stages::Cdcl,
            ..self
        }
    }

    /// The native core without reasoning about words: to test its search over gates, which gets few queries
    /// otherwise.
    pub fn gates_only(self) -> Self {
        NativeCore {
            stages: Stages::Gates,
            ..self
        }
    }

    /// The native core with circuits for tables of at most this many elements: to test axioms about tables
    /// that are small enough to be enumerated.
    pub fn with_circuits_up_to(mut self, elements: usize) -> Self {
        let options = ArrayOptions {
            largest_circuit: elements,
            ..self.shared.circuit.blaster.arrays
        };
        self.shared.circuit = Circuit::new(options);
        self
    }

    /// The pipeline.
    fn decide(&mut self, conjuncts: &Conjuncts<'_>) -> Result<StageResult, UnknownReason> {
        let shared = &mut self.shared;
        if self.stages == Stages::Cdcl {
            return self.cdcl.decide_all(shared, conjuncts);
        }
        let start = self.warm.nearest(&mut shared.evaluator, conjuncts.query);
        let mut active = ActiveConjuncts::violated_by(start, &mut shared.evaluator, conjuncts);
        if active.positions.is_empty() {
            shared.counts.warm_hits += 1;
            return Ok(StageResult::Sat(active.start_model));
        }
        if self.stages == Stages::All
            && let Some(verdict) = words::decide(shared, conjuncts, &active)
        {
            return Ok(verdict);
        }
        let enumerates = self.stages == Stages::All;
        if enumerates
            && let Some(verdict) = self.enumeration.decide_by_rows(shared, conjuncts, &active)
        {
            return Ok(verdict);
        }
        let conflicts = self.search.conflicts();
        let searched = self.search.decide(shared, conjuncts, &mut active);
        let conflicts = self.search.conflicts() - conflicts;
        match searched {
            Ok(Some(verdict)) => {
                if enumerates {
                    self.enumeration.note_conflicts(conjuncts, conflicts);
                }
                return Ok(verdict);
            }
            Ok(None) | Err(UnknownReason::Work) => {}
            Err(reason) => return Err(reason),
        }
        if enumerates && let Some(verdict) = self.enumeration.decide(shared, conjuncts, &active) {
            return Ok(verdict);
        }
        searched?;
        self.cdcl.decide(shared, conjuncts, &mut active)
    }

    fn try_solve(&mut self, query: &Query, store: &TermStore) -> Result<Answer, UnknownReason> {
        self.shared.counts.queries += 1;
        let conjuncts = Conjuncts::new(query, store);
        self.shed_weight(&conjuncts.terms);
        match self.decide(&conjuncts)? {
            StageResult::Sat(model) => {
                if self.stages != Stages::Cdcl {
                    self.warm.remember(&query.facts, &model);
                }
                Ok(Answer::Sat(model))
            }
            StageResult::Unsat(mut core) => {
                if query.want == Want::Core {
                    core = self.cdcl.minimise(&mut self.shared, &conjuncts, core);
                }
                let goal = conjuncts.goal_position();
                let facts = core.iter().filter(|i| **i < goal);
                Ok(Answer::Unsat(UnsatCore {
                    facts: facts.map(|i| conjuncts.terms[*i].clone()).collect(),
                    goal: core.contains(&goal),
                }))
            }
        }
    }

    /// Starts the circuit again when most of it belongs to past queries. The check walks over all
    /// facts, so only every 64th query makes it.
    fn shed_weight(&mut self, terms: &[&Term]) {
        let circuit = &mut self.shared.circuit;
        let gates = circuit.blaster.gates.len();
        if gates < SMALL_CIRCUIT || !self.shared.counts.queries.is_multiple_of(64) {
            return;
        }
        let roots = terms.iter().filter_map(|t| circuit.known_root(t));
        if circuit.is_outweighed(gates, roots) {
            self.shared.counts.rebuilds += 1;
            *circuit = Circuit::new(circuit.blaster.arrays);
            self.search.restart();
            self.cdcl = Cdcl::new();
        }
    }
}

impl Layer for NativeCore {
    fn name(&self) -> &'static str {
        "native"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        match self.try_solve(query, rest.store()) {
            Ok(answer) => answer,
            Err(reason) => Answer::Unknown(reason),
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counts = &self.shared.counts;
        let blaster = &self.shared.circuit.blaster;
        vec![
            ("warm_hits", counts.warm_hits),
            ("refuted_by_words", counts.refuted_by_words),
            ("repaired", counts.repaired),
            ("labelled", counts.labelled),
            ("searches", counts.searches),
            ("conflicts", self.search.conflicts()),
            ("given_up", counts.given_up),
            ("enumerated", counts.enumerated),
            ("rows", self.enumeration.rows),
            ("sat_calls", counts.sat_calls),
            ("candidates", counts.candidates),
            ("lemmas", counts.lemmas),
            ("rebuilds", counts.rebuilds),
            ("terms", blaster.terms() as u64),
            ("gates", blaster.gates.len() as u64),
            ("variables", self.search.variables() as u64),
        ]
    }
}
