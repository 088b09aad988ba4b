//! What constant tables can give together, row by row.
//!
//! # Problem
//! A scanner made by a generator follows tables: `state = next[base[state] + class[byte]]`, while
//! `check[base[state] + class[byte]] != state` goes to `default[state]`. After a few bytes a state is
//! a read of a read of a read; as gates each read is the whole table, and that a branch is impossible
//! takes a solver thousands of conflicts. But on one path a state is one of a few.
//!
//! # Idea
//! Reads of tables, and inputs of at most a byte, have lists of the words they can be; variables that
//! facts compare have lists of the rows that are possible together (`net.rs`). A fact about a
//! state and a byte is looked at in every row of both; the next state is one more column. What is
//! known hangs on the list of facts, so a query costs its new facts.
//!
//! # Source
//! Intervals of indices and of what they read, as in type and interval aware array solving
//! (ISSTA'21), with exact lists in place of intervals: tables are no intervals. Relations are
//! those of constraint programming; where they form a chain, as states and bytes do, what is left
//! after propagation is exactly what is possible.
//!
//! # Soundness
//! UNSAT: `net.rs` says why; the facts that rows went for are the core. SAT: one row is chosen in
//! each relation, after a search if need be (`search.rs`), and the model is evaluated on all facts and the
//! goal, here and by the chain.
//! Nothing else is answered.
//!
//! # Cost
//! Nothing for queries whose facts read no table at an index of several inputs. A row costs some
//! nanoseconds. Rows are paid from an account that answers fill; when it is empty, queries go on to the
//! next layer and fill it slowly. It counts rows, not time, so a run can be repeated.
//!
//! # Counters
//! `refuted` UNSAT, `chosen` SAT, `passed` on, `rows` looked at, of these `searched` where relations go
//! round in a circle, `spared` for an empty account.

mod net;
mod program;
mod rows;
mod search;

use super::exact_cache::along;
use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use cairn_expr::{Evaluator, Model, Op, Support, Term};
use net::{Net, Why};
use search::Found;
use std::cell::RefCell;
use std::rc::Rc;

/// What the account begins with, in rows.
const START: i64 = 10_000;
/// The most it holds.
const MOST: i64 = 40_000_000;
/// What an answer is worth.
const ANSWER: i64 = 30_000;
/// What a query that was passed on unseen is worth.
const PASSED: i64 = 200;
/// Rows that are looked at in one search.
const MOST_SEARCHED: u64 = 1_000_000;
/// Prefixes looked at for a model to start from.
const LONGEST_LOOK: usize = 64;
/// Inputs of a fact that is looked at.
const MOST_INPUTS: usize = 64;

/// What hangs on a list of facts.
#[derive(Default)]
struct Known {
    net: Net,
    /// What the last question became, for the child that takes that side.
    asked: RefCell<Option<(Term, Rc<Known>)>>,
    /// A model of the facts.
    model: RefCell<Option<Rc<Model>>>,
}

/// Whether a list has a fact that reads tables at indices of several inputs.
#[derive(Default)]
struct Worthwhile(bool);

/// What rows say about a query.
enum Decided {
    /// It holds of all facts and the goal.
    Model(Model),
    /// Positions of facts that contradict each other.
    Refuted(Why),
    /// Nothing.
    Not,
}

/// The layer; see the file's head.
pub struct Tables {
    key: MemoKey,
    worth: MemoKey,
    empty: Rc<Known>,
    evaluator: Evaluator,
    account: i64,
    refuted: u64,
    chosen: u64,
    passed: u64,
    spared: u64,
    rows: u64,
    searched: u64,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            key: MemoKey::fresh(),
            worth: MemoKey::fresh(),
            empty: Rc::default(),
            evaluator: Evaluator::new(),
            account: START,
            refuted: 0,
            chosen: 0,
            passed: 0,
            spared: 0,
            rows: 0,
            searched: 0,
        }
    }
}

/// Whether a fact may read a table at an index of several inputs.
fn reads_tables(fact: &Term) -> bool {
    let attributes = fact.attributes();
    attributes.reads_table
        && !attributes.has_array_equality
        && matches!(&attributes.support, Support::Keys(keys) if (2..=MOST_INPUTS).contains(&keys.len()))
}

impl Tables {
    fn worthwhile(&self, facts: &Facts, goal: &Term) -> bool {
        let start = Rc::new(Worthwhile(false));
        let known = along(facts, self.worth, &start, |before, _, fact| {
            match before.0 || !reads_tables(fact) {
                true => Rc::clone(before),
                false => Rc::new(Worthwhile(true)),
            }
        });
        known.0 || reads_tables(goal)
    }

    fn pay(&mut self, work: u64) {
        self.rows += work;
        self.account -= i64::try_from(work).unwrap_or(i64::MAX);
    }

    fn earn(&mut self, credit: i64) {
        self.account = self.account.saturating_add(credit).min(MOST);
    }

    fn known(&mut self, facts: &Facts) -> Rc<Known> {
        let mut work = 0;
        let known = along(facts, self.key, &self.empty, |before, _, fact| {
            if let Some((goal, then)) = &*before.asked.borrow()
                && goal == fact
            {
                return Rc::clone(then);
            }
            Rc::new(Known {
                net: before.net.with(fact, &mut work),
                ..Known::default()
            })
        });
        self.pay(work);
        known
    }

    fn with_goal(&mut self, known: &Rc<Known>, goal: &Term) -> Rc<Known> {
        if goal.is_true() {
            return Rc::clone(known);
        }
        if let Some((asked, then)) = &*known.asked.borrow()
            && asked == goal
        {
            return Rc::clone(then);
        }
        let mut work = 0;
        let then = Rc::new(Known {
            net: known.net.with(goal, &mut work),
            ..Known::default()
        });
        self.pay(work);
        *known.asked.borrow_mut() = Some((goal.clone(), Rc::clone(&then)));
        then
    }

    /// A model of the longest part of the facts that has one.
    fn base(&self, facts: &Facts) -> Option<Rc<Model>> {
        let prefixes = facts.prefixes().take(LONGEST_LOOK);
        let mut known = prefixes.filter_map(|p| p.memo::<Known>(self.key));
        known.find_map(|k| k.model.borrow().clone())
    }

    /// What the rows say about a query: by themselves, by choosing one in each relation, or by a
    /// search.
    fn decide(&mut self, query: &Query, then: &Known) -> Decided {
        if let Some(why) = &then.net.refuted {
            return Decided::Refuted(Rc::clone(why));
        }
        let base = self.base(&query.facts);
        let mut work = 0;
        let mut model = rows::choose(&then.net, base.as_deref(), &mut work);
        self.pay(work);
        if model.is_none() {
            let limit = MOST_SEARCHED.min(self.account.max(0) as u64 / 4);
            let mut work = 0;
            let found = search::search(&then.net, limit, &mut work);
            self.searched += work;
            self.pay(work);
            match found {
                Found::Refuted(why) => return Decided::Refuted(why),
                Found::Net(net) => model = rows::choose(&net, base.as_deref(), &mut 0),
                Found::Nothing => {}
            }
        }
        let model = model.filter(|m| self.holds(query, m));
        model.map_or(Decided::Not, Decided::Model)
    }

    fn holds(&mut self, query: &Query, model: &Model) -> bool {
        self.evaluator.start();
        self.evaluator.eval_bool(&query.goal, model)
            && query
                .facts
                .iter()
                .all(|f| self.evaluator.eval_bool(f, model))
    }
}

impl Layer for Tables {
    fn name(&self) -> &'static str {
        "tables"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if !self.worthwhile(&query.facts, &query.goal) {
            return rest.solve(query);
        }
        if self.account <= 0 {
            self.earn(PASSED);
            self.spared += 1;
            return rest.solve(query);
        }
        let known = self.known(&query.facts);
        let then = self.with_goal(&known, &query.goal);
        match self.decide(query, &then) {
            Decided::Model(model) => {
                self.chosen += 1;
                self.earn(ANSWER);
                let model = Rc::new(model);
                *then.model.borrow_mut() = Some(Rc::clone(&model));
                return Answer::Sat(model);
            }
            Decided::Refuted(why) if query.want != Want::Core || why.len() < 2 => {
                self.refuted += 1;
                self.earn(ANSWER);
                let facts = query.facts.to_vec();
                let listed = why.iter().filter(|p| (**p as usize) <= facts.len());
                return Answer::Unsat(UnsatCore {
                    facts: listed.map(|p| facts[*p as usize - 1].clone()).collect(),
                    goal: why.last().is_some_and(|p| *p as usize > facts.len()),
                });
            }
            Decided::Refuted(_) | Decided::Not => {}
        }
        self.passed += 1;
        let answer = rest.solve(query);
        if let Answer::Sat(model) = &answer {
            *then.model.borrow_mut() = Some(Rc::clone(model));
        }
        answer
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("refuted", self.refuted),
            ("chosen", self.chosen),
            ("passed", self.passed),
            ("spared", self.spared),
            ("rows", self.rows),
            ("searched", self.searched),
        ]
    }
}

/// Gives an input a word in a model.
fn assign(model: &mut Model, input: &Term, value: u64) {
    use cairn_expr::{BitVec, Sort, Value};
    match (input.op(), input.sort()) {
        (Op::Select, _) => {
            let (array, index) = (input.arg(0), input.arg(1).as_const());
            let index = index.expect("inputs are read at known places").clone();
            let value = BitVec::new(input.width(), value);
            model.array_mut(array).set(index, value);
        }
        (_, Sort::Bool) => model.set(input.clone(), Value::Bool(value == 1)),
        (_, _) => {
            let value = BitVec::new(input.width(), value);
            model.set(input.clone(), Value::Bv(value));
        }
    }
}
