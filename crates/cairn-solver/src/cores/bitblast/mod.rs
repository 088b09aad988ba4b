//! The native core: terms to gates to SAT, incremental, arrays by refinement.
//!
//! - **Problem.** Symbolic execution asks thousands of small queries that share almost everything
//!   with the query before. Solvers that rebuild the formula waste most of their time; solvers
//!   that never forget slow down with every query they have ever seen.
//! - **Idea.** A query is first tried by words: bounds of its symbols refute it (`bounds.rs`), or the
//!   last model is repaired (`moves.rs`, `dive.rs`). What is left goes to gates: one circuit per
//!   worker, in which each term is blasted once (`blast.rs`), and a search of our own from the
//!   last model that assigns only what the query mentions (`guided.rs`, `search.rs`); what is not
//!   easy goes to CaDiCaL under assumptions (`thorough.rs`). When most of the circuit is of
//!   queries long gone, it is started again.
//! - **Soundness.** SAT: the model was evaluated on terms, here and again by the chain. UNSAT:
//!   bounds hold in every model of the facts they came from; definitions and
//!   array lemmas are valid, so the failed assumptions alone contradict each other.
//! - **Counters.** warm_hits (answered by the last model), bounded, moved, dived (answered by
//!   words), searches, given_up (not easy), sat_calls (CaDiCaL), candidates (array axioms that searches
//!   could need, see `candidates.rs`), lemmas (those that were made), rebuilds.

mod arrays;
mod blast;
mod bounds;
mod candidate;
mod candidates;
mod cnf;
mod context;
mod dive;
mod encode;
mod encoding;
mod gates;
mod guided;
mod heap;
mod inverse;
mod linear;
mod moves;
mod ranges;
mod sat;
mod search;
mod sums;
mod thorough;

use crate::{Answer, Budget, Layer, Query, Reason, Rest, UnsatCore, Want};
use cairn_expr::{BitVec, Term, TermStore};
use cnf::Cnf;
use context::{Context, Root};
pub use encoding::Arrays;
use encoding::Encoding;
use gates::Lit;
use guided::{Guided, Outcome};
use sat::SatLit;
use std::rc::Rc;
use thorough::{Decision, Thorough};

/// A circuit below this number of gates is never thrown away.
const SMALL_CIRCUIT: usize = 16_000;
/// Dead weight is tolerated up to this many times the living.
const DEAD_WEIGHT: usize = 4;

/// How often things happened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) queries: u64,
    pub(crate) warm_hits: u64,
    pub(crate) searches: u64,
    pub(crate) given_up: u64,
    pub(crate) sat_calls: u64,
    pub(crate) lemmas: u64,
    pub(crate) candidates: u64,
    pub(crate) rebuilds: u64,
    pub(crate) bounded: u64,
    pub(crate) moved: u64,
    pub(crate) dived: u64,
}

/// The native core.
pub struct BitblastCore {
    context: Context,
    guided: Option<Guided>,
    thorough: Thorough,
    counts: Counts,
    use_guided: bool,
}

impl Default for BitblastCore {
    fn default() -> Self {
        BitblastCore::with_arrays(Arrays::default())
    }
}

impl BitblastCore {
    /// A core that writes arrays down in one of the ways there are.
    pub fn with_arrays(arrays: Arrays) -> Self {
        BitblastCore {
            context: Context::new(arrays.into()),
            guided: Some(Guided::new()),
            thorough: Thorough::new(),
            counts: Counts::default(),
            use_guided: true,
        }
    }
}

impl Layer for BitblastCore {
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
        let guided = self.guided.as_ref();
        vec![
            ("warm_hits", self.counts.warm_hits),
            ("bounded", self.counts.bounded),
            ("moved", self.counts.moved),
            ("dived", self.counts.dived),
            ("searches", self.counts.searches),
            ("conflicts", guided.map_or(0, Guided::conflicts)),
            ("given_up", self.counts.given_up),
            ("sat_calls", self.counts.sat_calls),
            ("candidates", self.counts.candidates),
            ("lemmas", self.counts.lemmas),
            ("rebuilds", self.counts.rebuilds),
            ("terms", self.context.blaster.terms() as u64),
            ("gates", self.context.blaster.gates.len() as u64),
            ("variables", guided.map_or(0, Guided::variables) as u64),
        ]
    }
}

impl BitblastCore {
    /// The core, asking CaDiCaL for everything: for comparisons, and to test that path alone.
    pub fn thorough_only(self) -> Self {
        BitblastCore {
            use_guided: false,
            ..self
        }
    }

    /// The core, answering nothing by words: to test its search over gates, which is left with few
    /// queries otherwise.
    pub fn gates_only(self) -> Self {
        BitblastCore {
            guided: Some(Guided::without_words()),
            ..self
        }
    }

    /// The core with circuits for tables of at most this many elements: to test axioms about tables
    /// that are small enough to be enumerated.
    pub fn with_circuits_up_to(mut self, elements: usize) -> Self {
        let encoding = Encoding {
            largest_circuit: elements,
            ..self.context.blaster.arrays
        };
        self.context = Context::new(encoding);
        self
    }

    fn try_solve(&mut self, query: &Query, store: &TermStore) -> Result<Answer, Reason> {
        self.counts.queries += 1;
        // The goal last: it is what changes between queries.
        let mut terms: Vec<&Term> = query.facts.iter().collect();
        terms.reverse();
        let facts = terms.len();
        terms.push(&query.goal);
        self.shed_weight(&terms);
        if self.use_guided {
            let mut guided = self.guided.take().expect("only taken here");
            let outcome = guided.decide(
                &mut self.context,
                &mut self.thorough,
                store,
                query,
                &terms,
                &mut self.counts,
            );
            if let Ok(Outcome::Sat(model)) = &outcome {
                guided.remember(&query.facts, model);
            }
            self.guided = Some(guided);
            return match outcome? {
                Outcome::Sat(model) => Ok(Answer::Sat(model)),
                Outcome::Unsat(core) => self.refuted(store, query, &terms, facts, core),
            };
        }
        match self.decide(store, &terms, &query.budget)? {
            Decision::Sat(found) => Ok(Answer::Sat(Rc::new(found.model))),
            Decision::Unsat(core) => self.refuted(store, query, &terms, facts, core),
        }
    }

    /// The answer for positions of terms that contradict each other: the facts, then the goal.
    fn refuted(
        &mut self,
        store: &TermStore,
        query: &Query,
        terms: &[&Term],
        facts: usize,
        mut core: Vec<usize>,
    ) -> Result<Answer, Reason> {
        if query.want == Want::Core {
            core = self.minimise(store, terms, core, &query.budget)?;
        }
        Ok(Answer::Unsat(UnsatCore {
            facts: core
                .iter()
                .filter(|i| **i < facts)
                .map(|i| terms[*i].clone())
                .collect(),
            goal: core.contains(&(terms.len() - 1)),
        }))
    }

    /// Starts the circuit again when most of it is dead. Looking costs a walk over the facts, so
    /// it is done every so often only.
    fn shed_weight(&mut self, terms: &[&Term]) {
        let gates = self.context.blaster.gates.len();
        if gates < SMALL_CIRCUIT || !self.counts.queries.is_multiple_of(64) {
            return;
        }
        let living: usize = terms.iter().map(|t| self.context.weight_of(t)).sum();
        if gates > DEAD_WEIGHT * living {
            self.counts.rebuilds += 1;
            self.context = Context::new(self.context.blaster.arrays);
            if let Some(guided) = &mut self.guided {
                guided.restart();
            }
            self.thorough = Thorough::new();
        }
    }

    /// Asks CaDiCaL about all terms.
    fn decide(
        &mut self,
        store: &TermStore,
        terms: &[&Term],
        budget: &Budget,
    ) -> Result<Decision, Reason> {
        let mut roots: Vec<Rc<Root>> = Vec::with_capacity(terms.len());
        for t in terms {
            roots.push(self.context.root(store, t, budget)?);
            poll(budget)?;
        }
        self.thorough.shed_weight(&roots, &mut self.counts);
        self.thorough
            .decide(&mut self.context, store, &roots, budget, &mut self.counts)
    }

    /// Leaves out one member of the core after the other as long as the rest is unsatisfiable.
    /// A member whose test is not decided stays in.
    fn minimise(
        &mut self,
        store: &TermStore,
        terms: &[&Term],
        mut core: Vec<usize>,
        budget: &Budget,
    ) -> Result<Vec<usize>, Reason> {
        core.sort_unstable();
        // Members before `at` are needed; they stay in every smaller core.
        let mut at = 0;
        while at < core.len() && core.len() > 1 {
            if budget.exhausted().is_some() {
                break;
            }
            let trial: Vec<usize> = core.iter().copied().filter(|i| *i != core[at]).collect();
            let subset: Vec<&Term> = trial.iter().map(|i| terms[*i]).collect();
            match self.decide(store, &subset, budget) {
                Ok(Decision::Unsat(smaller)) => {
                    core = smaller.into_iter().map(|i| trial[i]).collect();
                    core.sort_unstable();
                }
                Ok(Decision::Sat(_)) | Err(_) => at += 1,
            }
        }
        Ok(core)
    }
}

/// Ends the work when a limit is reached.
fn poll(budget: &Budget) -> Result<(), Reason> {
    match budget.exhausted() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}

/// The value of a word under an assignment. An input that no clause mentions is false.
fn word_value(cnf: &Cnf, bits: &[Lit], value: impl Fn(SatLit) -> bool) -> BitVec {
    let bit = |l: Lit| match cnf.known(l) {
        Some(lit) => value(lit),
        None => l.negated(),
    };
    let limb = |bits: &[Lit]| {
        bits.iter()
            .enumerate()
            .fold(0u64, |w, (i, &l)| w | u64::from(bit(l)) << i)
    };
    if bits.len() <= 64 {
        return BitVec::new(bits.len() as u32, limb(bits));
    }
    let limbs: Vec<u64> = bits.chunks(64).map(limb).collect();
    BitVec::from_limbs(bits.len() as u32, &limbs)
}
