//! What makes an answer wrong.
//!
//! - **Verdict.** It contradicts the reference.
//! - **Model.** A conjunct is false under it, by an evaluation of our own and not the chain's.
//! - **Core.** It lists what is no fact of the query, or the reference satisfies it.
//! - **Failure.** The chain reports an internal error, gives up without a limit, or panics.

use crate::queries::PooledQuery;
use cairn_expr::{Evaluator, Model, Sort, Term, TermStore};
use cairn_solver::cores::native::NativeCore;
use cairn_solver::{
    Answer, Budget, Chain, ChainConfig, CoreName, Facts, Layer, Query, UnknownReason, UnsatCore,
    Want,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// What answers are compared with.
pub struct Reference {
    chain: Chain,
    make: fn() -> Option<Box<dyn Layer>>,
    /// Its name, for tables.
    pub name: &'static str,
    /// Whether it is another program than ours.
    pub independent: bool,
    timeout: Duration,
    /// Cores asked about since the last query.
    cores: HashMap<(Vec<u64>, bool), Option<bool>>,
}

fn z3() -> Option<Box<dyn Layer>> {
    CoreName::Z3.build().ok()
}

fn native() -> Option<Box<dyn Layer>> {
    CoreName::default().build().ok()
}

fn cdcl() -> Option<Box<dyn Layer>> {
    Some(Box::new(NativeCore::default().cdcl_only()))
}

/// A chain of one core solver.
fn alone(core: Box<dyn Layer>) -> Chain {
    Chain::new(vec![core], ChainConfig::default())
}

impl Reference {
    /// Z3 if it can be loaded, else our own core solver without its search.
    pub fn best(timeout: Duration) -> Self {
        let make: fn() -> Option<Box<dyn Layer>> = if z3().is_some() { z3 } else { cdcl };
        let independent = z3().is_some();
        let name = if independent {
            "z3"
        } else {
            "native without search"
        };
        Reference {
            chain: alone(make().expect("tried above")),
            make,
            name,
            independent,
            timeout,
            cores: HashMap::new(),
        }
    }

    /// Our own core: what layers before it are compared with.
    pub fn native(timeout: Duration) -> Self {
        Reference {
            chain: alone(native().expect("our own core solver is always there")),
            make: native,
            name: "native",
            independent: false,
            timeout,
            cores: HashMap::new(),
        }
    }

    /// Forgets everything: terms of another store come next.
    pub fn restart(&mut self) {
        self.chain = alone((self.make)().expect("it was there before"));
        self.cores.clear();
    }

    /// Decides a query; `Err` if the reference itself fails.
    pub fn decide(&mut self, store: &TermStore, query: &Query) -> Result<Answer, String> {
        let query = query
            .clone()
            .wanting(Want::Model)
            .within(Budget::timeout(self.timeout));
        let query = Query {
            facts_sat: false,
            ..query
        };
        self.cores.clear();
        let answer = self.chain.solve(store, &query);
        match &answer {
            Answer::Sat(model) => violated(&query, model).map_or(Ok(answer), Err),
            Answer::Unsat(_) => Ok(answer),
            Answer::Unknown(reason) if is_limit(reason) => Ok(answer),
            Answer::Unknown(reason) => Err(format!("{}: {reason}", self.name)),
        }
    }

    /// Whether some of a query's conjuncts can hold together.
    fn decide_core(&mut self, store: &TermStore, query: &Query, core: &UnsatCore) -> Option<bool> {
        let mut key: Vec<u64> = core.facts.iter().map(Term::birth).collect();
        key.sort_unstable();
        if let Some(known) = self.cores.get(&(key.clone(), core.goal)) {
            return *known;
        }
        let goal = if core.goal {
            query.goal.clone()
        } else {
            store.true_()
        };
        let part = Query {
            facts: core.facts.iter().cloned().collect::<Facts>(),
            facts_sat: false,
            goal,
            want: Want::Verdict,
            budget: Budget::timeout(self.timeout),
        };
        let sat = verdict(&self.chain.solve(store, &part));
        self.cores.insert((key, core.goal), sat);
        sat
    }
}

/// Whether a reason is a limit that was set.
pub fn is_limit(reason: &UnknownReason) -> bool {
    match reason {
        UnknownReason::Timeout
        | UnknownReason::Memory
        | UnknownReason::Conflicts
        | UnknownReason::Work
        | UnknownReason::Cancelled => true,
        UnknownReason::NotDecided(_)
        | UnknownReason::Unsupported(_)
        | UnknownReason::SolverFailed(_)
        | UnknownReason::Internal(_) => false,
    }
}

/// The verdict, if there is one.
pub fn verdict(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Calls something; `Err` is the message of its panic.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
        format!("panic: {}", text.unwrap_or("?"))
    })
}

/// Asks a chain; a panic is an internal error.
pub fn ask(chain: &mut Chain, store: &TermStore, query: &Query) -> Answer {
    guarded(|| chain.solve(store, query))
        .unwrap_or_else(|text| Answer::Unknown(UnknownReason::Internal(text)))
}

/// What a model makes false.
pub fn violated(query: &Query, model: &Model) -> Option<String> {
    let mut evaluator = Evaluator::new();
    let wrong = query
        .conjuncts()
        .into_iter()
        .find(|t| !evaluator.eval_bool(t, model))?;
    Some(format!("the model makes {wrong:?} false"))
}

/// What is wrong with an answer, if anything. `expected` is the known verdict.
pub fn fault(
    store: &TermStore,
    query: &Query,
    answer: &Answer,
    expected: Option<bool>,
    reference: &mut Reference,
) -> Option<String> {
    match answer {
        Answer::Sat(_) if expected == Some(false) => Some("sat, expected unsat".to_string()),
        Answer::Sat(model) => violated(query, model),
        Answer::Unsat(_) if expected == Some(true) => Some("unsat, expected sat".to_string()),
        Answer::Unsat(core) => wrong_core(store, query, core, reference),
        Answer::Unknown(reason) if is_limit(reason) => None,
        Answer::Unknown(reason) => Some(reason.to_string()),
    }
}

fn wrong_core(
    store: &TermStore,
    query: &Query,
    core: &UnsatCore,
    reference: &mut Reference,
) -> Option<String> {
    if let Some(stranger) = core
        .facts
        .iter()
        .find(|t| !query.facts.iter().any(|f| f == *t))
    {
        return Some(format!("the core lists {stranger:?}, which is no fact"));
    }
    let sat = reference.decide_core(store, query, core);
    (sat == Some(true)).then(|| {
        format!(
            "the core of {} of {} facts{} is satisfiable",
            core.facts.len(),
            query.facts.len(),
            if core.goal { " and the goal" } else { "" }
        )
    })
}

/// Compares the canonical conjuncts with their expressions under a model.
pub fn wrong_meaning(
    store: &TermStore,
    session: &crate::queries::Session,
    asked: &PooledQuery,
    model: &Model,
) -> Option<String> {
    let pool = session.pool();
    let mut terms = asked.query.facts.to_vec();
    terms.push(asked.query.goal.clone());
    let symbol = |name: &str, sort: Sort| crate::pool::model_value(store, model, name, sort);
    let values = pool.values(&asked.conjuncts, &symbol);
    let plain = values.iter().all(|v| v.bits() == 1);
    let canonical = violated(&asked.query, model).is_none();
    (plain != canonical).then(|| {
        format!("the expressions are {plain} and the terms {canonical} under {model:?}: {terms:?}")
    })
}
