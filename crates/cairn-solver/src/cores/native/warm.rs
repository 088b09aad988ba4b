//! Models of the path so far, to start a query from.
//!
//! # Problem
//! The query of a branch is the path's facts, which an earlier model satisfies, and one new condition.
//! Half of the time that model satisfies the condition as well.
//!
//! # Idea
//! A model that satisfies some facts is attached to that node of the persistent list
//! ([`Facts::set_memo`]). A query looks for the nearest prefix that has models and evaluates on them what
//! the path added since. A fork inherits the models of its parent, and they die with the path.
//!
//! # Soundness
//! [`WarmStart::Satisfied`] is claimed only for a model that was attached to a prefix because it satisfies
//! it, and that satisfies all later facts when evaluated.
//!
//! # Cost
//! At most [`MOST_PREFIXES`] prefixes are searched and [`MODELS_KEPT`] models are kept for each.

use crate::{Facts, MemoKey, Query};
use cairn_expr::{Evaluator, Model, Term};
use std::rc::Rc;

/// Models kept for a prefix: those of both outcomes of the last branch, and one more.
const MODELS_KEPT: usize = 3;
/// Most prefixes searched for a model to start from.
const MOST_PREFIXES: usize = 64;

/// Models that satisfy a prefix of facts; attached to the prefix.
struct PrefixModels(Vec<Rc<Model>>);

/// The model that a query starts from.
pub enum WarmStart {
    /// It satisfies all facts; the goal was not looked at.
    Satisfied(Rc<Model>),
    /// It satisfies a prefix of the facts.
    Near(Rc<Model>),
    /// It is the last model of another path, or empty.
    Cold(Rc<Model>),
}

/// The warm models of a native core.
pub struct WarmModels {
    memo: MemoKey,
    /// The models of the empty list, which has no node to attach them to.
    of_no_facts: Option<Rc<PrefixModels>>,
    last: Rc<Model>,
}

impl WarmModels {
    /// No models.
    pub fn new() -> Self {
        WarmModels {
            memo: MemoKey::fresh(),
            of_no_facts: None,
            last: Rc::new(Model::new()),
        }
    }

    fn models(&self, facts: &Facts) -> Option<Rc<PrefixModels>> {
        if facts.is_empty() {
            return self.of_no_facts.clone();
        }
        facts.memo::<PrefixModels>(self.memo)
    }

    /// Remembers that a model satisfies these facts.
    pub fn remember(&mut self, facts: &Facts, model: &Rc<Model>) {
        self.last = Rc::clone(model);
        let mut list = vec![Rc::clone(model)];
        if let Some(old) = self.models(facts) {
            let others = old.0.iter().filter(|m| !Rc::ptr_eq(m, model));
            list.extend(others.take(MODELS_KEPT - 1).cloned());
        }
        let list = Rc::new(PrefixModels(list));
        if facts.is_empty() {
            self.of_no_facts = Some(list);
        } else {
            facts.set_memo(self.memo, list);
        }
    }

    /// A model of the nearest prefix of the facts that also satisfies the later facts, and the goal too if there is one.
    /// If there is none, the model that was found last.
    pub fn nearest(&mut self, evaluator: &mut Evaluator, query: &Query) -> WarmStart {
        let facts = &query.facts;
        let mut since: Vec<&Term> = Vec::new();
        for prefix in facts.prefixes().take(MOST_PREFIXES) {
            let Some(models) = self.models(prefix) else {
                since.extend(prefix.last());
                continue;
            };
            let mut first: Option<Rc<Model>> = None;
            for model in &models.0 {
                evaluator.start();
                if since.iter().all(|t| evaluator.eval_bool(t, model)) {
                    if evaluator.eval_bool(&query.goal, model) {
                        first = Some(Rc::clone(model));
                        break;
                    }
                    first.get_or_insert_with(|| Rc::clone(model));
                }
            }
            let Some(model) = first else {
                return WarmStart::Near(Rc::clone(&models.0[0]));
            };
            if !since.is_empty() {
                self.remember(facts, &model);
            }
            return WarmStart::Satisfied(model);
        }
        if facts.is_empty() {
            return WarmStart::Satisfied(Rc::clone(&self.last));
        }
        WarmStart::Cold(Rc::clone(&self.last))
    }
}
