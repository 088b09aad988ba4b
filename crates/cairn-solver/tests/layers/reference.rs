//! A core solver that enumerates: it knows every assignment of a few small symbols.

use cairn_expr::{ArrayValue, BitVec, Evaluator, Model, Sort, Term, Value};
use cairn_random::Random;
use cairn_solver::{Answer, Layer, Query, Rest, UnknownReason, UnsatCore, Want};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The assignments under which something holds, one bit each.
pub type Truth = Vec<u64>;

pub fn meet(a: &mut Truth, b: &Truth) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x &= y);
}

pub fn some_index(truth: &Truth, random: &mut Random) -> Option<usize> {
    let all: Vec<usize> = (0..truth.len() * 64)
        .filter(|i| truth[i / 64] >> (i % 64) & 1 == 1)
        .collect();
    (!all.is_empty()).then(|| *random.pick(&all))
}

pub fn is_empty(truth: &Truth) -> bool {
    truth.iter().all(|w| *w == 0)
}

/// All assignments of some symbols, each with an evaluator of its own.
pub struct Universe {
    pub models: Vec<Model>,
    pub evaluators: Vec<Evaluator>,
    pub truths: HashMap<Term, Truth>,
}

impl Universe {
    pub fn new(symbols: &[Term]) -> Self {
        let mut models = vec![Model::new()];
        for s in symbols {
            let values = values_of(s.sort());
            models = models
                .iter()
                .flat_map(|m| {
                    values.iter().map(|v| {
                        let mut m = m.clone();
                        m.set(s.clone(), v.clone());
                        m
                    })
                })
                .collect();
        }
        Universe {
            evaluators: models.iter().map(|_| Evaluator::new()).collect(),
            models,
            truths: HashMap::new(),
        }
    }

    pub fn everything(&self) -> Truth {
        let n = self.models.len();
        (0..n.div_ceil(64))
            .map(|i| u64::MAX >> (64 - (n - i * 64).min(64)))
            .collect()
    }

    pub fn truth(&mut self, term: &Term) -> Truth {
        if let Some(t) = self.truths.get(term) {
            return t.clone();
        }
        let mut truth = vec![0; self.models.len().div_ceil(64)];
        for (i, (m, e)) in self.models.iter().zip(&mut self.evaluators).enumerate() {
            truth[i / 64] |= u64::from(e.eval_bool(term, m)) << (i % 64);
        }
        self.truths.insert(term.clone(), truth.clone());
        truth
    }

    pub fn all<'a>(&mut self, terms: impl IntoIterator<Item = &'a Term>) -> Truth {
        let mut truth = self.everything();
        for t in terms {
            meet(&mut truth, &self.truth(t));
        }
        truth
    }
}

pub fn values_of(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1u64 << w)
            .map(|v| Value::Bv(BitVec::new(w, v)))
            .collect(),
        Sort::Array { index, value } => {
            let cells = 1u32 << index;
            (0..1u64 << (cells * value))
                .map(|bits| match Value::zero(sort) {
                    Value::Array(mut a) => {
                        for i in 0..cells {
                            let v = bits >> (i * value) & ((1 << value) - 1);
                            a.set(BitVec::new(index, u64::from(i)), BitVec::new(value, v));
                        }
                        Value::Array(a)
                    }
                    Value::Bool(_) | Value::Bv(_) => unreachable!(),
                })
                .collect()
        }
    }
}

/// The core solver that enumerates. It varies what it is free to vary: which model, what the model
/// lists besides, how small the core is, and whether it answers at all.
pub struct Reference {
    pub universe: Rc<RefCell<Universe>>,
    pub random: Random,
    pub gives_up: bool,
}

impl Layer for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        let mut u = self.universe.borrow_mut();
        let facts = query.facts.to_vec();
        let alone = u.all(&facts);
        assert!(
            !query.facts_sat || !is_empty(&alone),
            "a layer called unsatisfiable facts satisfiable"
        );
        if self.gives_up && self.random.one_in(6) {
            return Answer::Unknown(UnknownReason::Conflicts);
        }
        let mut both = alone;
        meet(&mut both, &u.truth(&query.goal));
        if let Some(i) = some_index(&both, &mut self.random) {
            let mut model = u.models[i].clone();
            if self.random.one_in(2) {
                // Only what the query mentions, and zeros not listed.
                let conjuncts = query.conjuncts();
                let mentioned = cairn_expr::symbols_of(&conjuncts);
                let named: HashSet<Term> = mentioned.into_iter().collect();
                let mut fewer = Model::new();
                for (s, v) in model.iter() {
                    if named.contains(s) && *v != Value::zero(s.sort()) {
                        fewer.set(s.clone(), v.clone());
                    }
                }
                model = fewer;
            }
            if self.random.one_in(2) {
                model = with_other_defaults(&model, &mut self.random);
            }
            return Answer::Sat(Rc::new(model));
        }
        let mut core: Vec<(Term, bool)> = facts.into_iter().map(|f| (f, false)).collect();
        core.push((query.goal.clone(), true));
        if query.want == Want::Core || self.random.one_in(2) {
            let mut i = 0;
            while i < core.len() {
                let without: Vec<Term> = core
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| *j != i)
                    .map(|(_, (t, _))| t.clone())
                    .collect();
                if is_empty(&u.all(&without)) {
                    core.remove(i);
                } else {
                    i += 1;
                }
            }
        }
        Answer::Unsat(UnsatCore {
            goal: core.iter().any(|(_, goal)| *goal),
            facts: core
                .into_iter()
                .filter(|(_, goal)| !goal)
                .map(|(t, _)| t)
                .collect(),
        })
    }
}

/// The same model with its arrays written down differently.
pub fn with_other_defaults(model: &Model, random: &mut Random) -> Model {
    let mut other = Model::new();
    for (s, v) in model.iter() {
        let v = match v {
            Value::Array(a) => {
                let index = |i: u64| BitVec::new(a.index_width(), i);
                let size = 1u64 << a.index_width();
                let default = a.get(&index(random.next() % size)).clone();
                let mut same = ArrayValue::constant(a.index_width(), default);
                for i in (0..size).map(index) {
                    let element = a.get(&i).clone();
                    same.set(i, element);
                }
                Value::Array(same)
            }
            Value::Bool(_) | Value::Bv(_) => v.clone(),
        };
        other.set(s.clone(), v);
    }
    other
}
