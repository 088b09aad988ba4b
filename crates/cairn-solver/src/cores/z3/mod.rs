//! The Z3 core, loaded when it is first asked for.
//!
//! # Problem
//! Cross-checking our own core solver needs another decision procedure, and some queries
//! are Z3's strength. Along a path each query repeats the facts of the one before.
//!
//! # Idea
//! One solver, one level of assertions per fact. A query closes the levels that are not
//! a common prefix, opens the missing ones, and asks its goal in a level of its own. An unsat core is
//! asked of a second solver that gets every fact guarded by its own literal, and is then
//! minimised by removing facts one at a time.
//!
//! # Soundness
//! Facts are compared as terms, so a level is what its term says. The cells of
//! tables (see `translate.rs`) are asserted in the level that first needs them and noted there.
//! Whatever Z3 did not decide, and every error, throws the whole context away.
//!
//! # Cost
//! Pushing and popping is several times cheaper in Z3 than asking afresh. The context is
//! rebuilt after 500 queries, so that what it remembers stays bounded; until then the translated
//! terms are kept alive.
//!
//! Where to look: `library.rs` finding and loading, `handles.rs` and `solver.rs` the calls (these
//! three have all the `unsafe`), `watchdog.rs` limits, `translate.rs` terms, `values.rs` models,
//! `script.rs` whole SMT-LIB scripts for measurements.

mod handles;
mod library;
mod script;
mod solver;
mod translate;
mod values;
mod watchdog;

pub use script::{ScriptVerdict, Z3Script};

use crate::layer::Rest;
use crate::{Answer, Budget, Layer, Query, UnknownReason, UnsatCore, Want};
use cairn_expr::{Evaluator, Sort, Term};
use handles::{Ast, Z3Context};
use rustc_hash::FxHashSet;
use solver::{CheckResult, Solver};
use std::rc::Rc;
use std::time::{Duration, Instant};
use translate::{Translated, Translator};

/// After how many queries the context is built anew.
const REBUILD_AFTER: u32 = 500;

/// Which of its solvers Z3 uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Z3Setting {
    /// Z3's default: its incremental solver once there are levels.
    #[default]
    Default,
    /// The incremental solver without the choice.
    Simple,
    /// The solver for a logic, such as `QF_BV`, `QF_ABV` or `QF_AUFBV`.
    ForLogic(String),
    /// A new solver for each query, which gets all of its facts: how engines without levels ask, KLEE
    /// among them.
    Anew,
}

/// Z3 as a core solver.
pub struct Z3Core {
    api: &'static library::Api,
    setting: Z3Setting,
    session: Option<Session>,
    queries: u64,
    rebuilt: u64,
    kept_facts: u64,
    new_facts: u64,
}

/// A level of assertions.
struct Level {
    fact: Term,
    /// The tables whose cells were first needed here.
    tables: Vec<usize>,
}

/// The state that lives as long as a context.
struct Session {
    translator: Translator,
    solver: Solver,
    levels: Vec<Level>,
    /// The tables whose cells are asserted in some level.
    asserted: FxHashSet<usize>,
    queries: u32,
}

impl Z3Core {
    /// Z3 with its default solver, or why it cannot be loaded.
    pub fn load() -> Result<Self, String> {
        Self::load_with(Z3Setting::Default)
    }

    /// Z3 with a given solver.
    pub fn load_with(setting: Z3Setting) -> Result<Self, String> {
        Ok(Z3Core {
            api: library::api()?,
            setting,
            session: None,
            queries: 0,
            rebuilt: 0,
            kept_facts: 0,
            new_facts: 0,
        })
    }

    /// The version and where the library was found.
    pub fn describe(&self) -> String {
        self.api.describe()
    }

    /// Answers a query by itself.
    pub fn decide(&mut self, query: &Query) -> Answer {
        self.queries += 1;
        if let Some(reason) = query.budget.exhausted() {
            return Answer::Unknown(reason);
        }
        let answer = self.try_decide(query).unwrap_or_else(Answer::Unknown);
        if matches!(answer, Answer::Unknown(_)) {
            self.session = None;
        }
        answer
    }

    fn try_decide(&mut self, query: &Query) -> Result<Answer, UnknownReason> {
        if self.session.as_ref().is_some_and(Session::is_used_up) {
            self.session = None;
        }
        if self.session.is_none() {
            self.rebuilt += 1;
            self.session = Some(Session::new(self.api, &self.setting).map_err(failed)?);
        }
        let Some(session) = &mut self.session else {
            unreachable!("made above");
        };
        session.queries += 1;
        if self.setting == Z3Setting::Anew {
            session.forget(&self.setting).map_err(failed)?;
        }
        if query.want == Want::Core {
            return session.decide_with_core(query, &self.setting);
        }
        let facts = query.facts.to_vec();
        let kept = session.keep(&facts)?;
        self.kept_facts += kept as u64;
        self.new_facts += (facts.len() - kept) as u64;
        session.open(&facts[kept..], &query.budget)?;
        session.ask(query, facts)
    }
}

impl Layer for Z3Core {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        self.decide(query)
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("queries", self.queries),
            ("contexts built", self.rebuilt),
            ("facts kept", self.kept_facts),
            ("facts asserted", self.new_facts),
        ]
    }
}

fn failed(why: String) -> UnknownReason {
    UnknownReason::SolverFailed(format!("Z3: {why}"))
}

impl Session {
    fn new(api: &'static library::Api, setting: &Z3Setting) -> Result<Self, String> {
        let ctx = Z3Context::new(api)?;
        let solver = Solver::new(&ctx, setting)?;
        Ok(Session {
            translator: Translator::new(ctx),
            solver,
            levels: Vec::new(),
            asserted: FxHashSet::default(),
            queries: 0,
        })
    }

    /// Whether it should be built anew.
    fn is_used_up(&self) -> bool {
        self.queries >= REBUILD_AFTER || self.translator.context().was_interrupted()
    }

    /// Takes a solver without levels.
    fn forget(&mut self, setting: &Z3Setting) -> Result<(), String> {
        self.solver = Solver::new(self.translator.context(), setting)?;
        self.levels.clear();
        self.asserted.clear();
        Ok(())
    }

    /// Closes the levels that are no prefix of the facts; returns how many stay.
    fn keep(&mut self, facts: &[Term]) -> Result<usize, UnknownReason> {
        let same = self
            .levels
            .iter()
            .zip(facts)
            .take_while(|(level, fact)| level.fact == **fact)
            .count();
        let closed = self.levels.split_off(same);
        if !closed.is_empty() {
            self.solver.pop(closed.len()).map_err(failed)?;
        }
        for table in closed.iter().flat_map(|level| &level.tables) {
            self.asserted.remove(table);
        }
        Ok(same)
    }

    /// Opens a level for each of some further facts.
    fn open(&mut self, facts: &[Term], budget: &Budget) -> Result<(), UnknownReason> {
        for fact in facts {
            let translated = self.translator.term(fact, budget)?;
            self.solver.push().map_err(failed)?;
            let tables = self.assert(&translated)?;
            self.levels.push(Level {
                fact: fact.clone(),
                tables,
            });
        }
        Ok(())
    }

    /// Asserts a term and the tables that it needs and that no level has; returns those.
    fn assert(&mut self, term: &Translated) -> Result<Vec<usize>, UnknownReason> {
        let mut fresh = Vec::new();
        for table in term.tables.as_deref().unwrap_or_default() {
            if self.asserted.insert(*table) {
                let cells = self.translator.cells(*table);
                self.solver.assert(cells).map_err(failed)?;
                fresh.push(*table);
            }
        }
        self.solver.assert(&term.ast).map_err(failed)?;
        Ok(fresh)
    }

    /// Asks the goal in a level of its own, above the facts that are open.
    fn ask(&mut self, query: &Query, facts: Vec<Term>) -> Result<Answer, UnknownReason> {
        let goal = self.translator.term(&query.goal, &query.budget)?;
        self.solver.push().map_err(failed)?;
        let tables = self.assert(&goal)?;
        let answer = match self.solver.check(&[], &query.budget) {
            CheckResult::Sat => self.model(&self.solver, query, facts)?,
            CheckResult::Unsat => Answer::Unsat(UnsatCore {
                facts,
                goal: !query.goal.is_true(),
            }),
            CheckResult::Unknown(reason) => return Err(reason),
        };
        self.solver.pop(1).map_err(failed)?;
        for table in tables {
            self.asserted.remove(&table);
        }
        Ok(answer)
    }

    fn model(
        &self,
        solver: &Solver,
        query: &Query,
        facts: Vec<Term>,
    ) -> Result<Answer, UnknownReason> {
        let mut roots = facts;
        roots.push(query.goal.clone());
        let assignment = solver.model().map_err(failed)?;
        let model = values::read_model(&assignment, &self.translator, &roots).map_err(failed)?;
        if self.translator.is_doubtful() {
            let mut evaluator = Evaluator::new();
            let conjuncts = query.facts.iter().chain([&query.goal]);
            if !conjuncts
                .into_iter()
                .all(|t| evaluator.eval_bool(t, &model))
            {
                return Err(UnknownReason::SolverFailed(
                    "Z3's model breaks an equality of arrays, as it may for small arrays"
                        .to_string(),
                ));
            }
        }
        Ok(Answer::Sat(Rc::new(model)))
    }

    /// Decides a query with a solver of its own that knows which facts it used.
    fn decide_with_core(
        &mut self,
        query: &Query,
        setting: &Z3Setting,
    ) -> Result<Answer, UnknownReason> {
        let solver = Solver::new(self.translator.context(), setting).map_err(failed)?;
        let conjuncts = query.conjuncts();
        let mut literals = Vec::with_capacity(conjuncts.len());
        let mut asserted = FxHashSet::default();
        for conjunct in &conjuncts {
            let translated = self.translator.term(conjunct, &query.budget)?;
            for table in translated.tables.as_deref().unwrap_or_default() {
                if asserted.insert(*table) {
                    solver
                        .assert(self.translator.cells(*table))
                        .map_err(failed)?;
                }
            }
            let ctx = self.translator.context();
            let literal = ctx.fresh(Sort::Bool).map_err(failed)?;
            let guarded = ctx.implies(&literal, &translated.ast).map_err(failed)?;
            solver.assert(&guarded).map_err(failed)?;
            literals.push(literal);
        }
        let start = Instant::now();
        match solver.check(&literals, &query.budget) {
            CheckResult::Sat => self.model(&solver, query, query.facts.to_vec()),
            CheckResult::Unsat => {
                let patience = start.elapsed() * 4 + Duration::from_millis(250);
                let core = minimise(&solver, &literals, &query.budget, patience)?;
                let goal = conjuncts.len() - 1;
                Ok(Answer::Unsat(UnsatCore {
                    goal: core.contains(&goal) && !query.goal.is_true(),
                    facts: core
                        .into_iter()
                        .filter(|i| *i != goal)
                        .map(|i| conjuncts[i].clone())
                        .collect(),
                }))
            }
            CheckResult::Unknown(reason) => Err(reason),
        }
    }
}

/// The unsat core of the last check, as places in `literals`, made smaller by leaving out one literal
/// after the other. No trial may take longer than `patience`; with the budget at its end, what is
/// there is the answer.
fn minimise(
    solver: &Solver,
    literals: &[Ast],
    budget: &Budget,
    patience: Duration,
) -> Result<Vec<usize>, UnknownReason> {
    let places = |core: &[Ast]| -> Vec<usize> {
        let listed = |literal: &Ast| core.contains(literal);
        (0..literals.len())
            .filter(|i| listed(&literals[*i]))
            .collect()
    };
    let budget = &budget.by_wall_clock();
    let mut core = places(&solver.core().map_err(failed)?);
    // From the newest on: the oldest facts are shared with most other paths, so an unsat core of them
    // serves most other queries.
    // Those that were tried are at the end, and needed by every smaller core as well.
    let mut tried = 0;
    while tried < core.len() && budget.exhausted().is_none() {
        let mut without = core.clone();
        without.remove(core.len() - 1 - tried);
        let assumed: Vec<Ast> = without.iter().map(|i| literals[*i].clone()).collect();
        let limit = Instant::now() + patience;
        let trial = Budget {
            deadline: Some(budget.deadline.map_or(limit, |d| d.min(limit))),
            ..budget.clone()
        };
        match solver.check(&assumed, &trial) {
            CheckResult::Sat => tried += 1,
            CheckResult::Unsat => core = places(&solver.core().map_err(failed)?),
            // A solver that was stopped is not asked again.
            CheckResult::Unknown(_) => break,
        }
    }
    Ok(core)
}
