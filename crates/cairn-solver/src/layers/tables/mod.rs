//! Combinations of values that reads of constant tables can have, row by row.
//!
//! # Problem
//! A generated scanner follows tables: `state = next[base[state] + class[byte]]`, while
//! `check[base[state] + class[byte]] != state` goes to `default[state]`. After a few bytes a state is a read of a
//! read of a read; as gates each read is the whole table, and refuting a branch takes a solver thousands of
//! conflicts. But on one path a state has few values.
//!
//! # Idea
//! Reads of tables, and inputs of at most a byte, have domains listed value by value; variables that facts
//! compare have relations that list the possible rows (`net.rs`). A fact about a state and a byte is evaluated in
//! every row of both; the next state is one more column. Domains and relations are attached to the list of facts,
//! so a query costs its new facts. Relations are those of constraint programming \[RossiVanBeekWalsh06\]; where
//! they form a chain, as states and bytes do, exactly the possible rows are left after propagation.
//!
//! # What differs
//! From the intervals of indices and elements in \[ShuaiEtAl21\]: domains are exact lists, because the elements of
//! a table are no intervals.
//!
//! # Soundness
//! UNSAT: see `net.rs`; the facts that removed rows are the core. SAT: one row is chosen in each relation, after
//! a search if necessary (`search.rs`), and the model is evaluated on all facts and the goal, here and by the
//! chain. Nothing else is answered.
//!
//! # Cost
//! Nothing for queries whose facts read no table at an index of several inputs. A row costs some nanoseconds.
//! Rows are paid from an account that answers fill; when it is empty, queries are passed on and fill it slowly.
//! It counts rows, not time, so runs are repeatable.
//!
//! # Counters
//! `refuted`: UNSAT; `chosen`: SAT; `passed` on; `rows` evaluated, of these `searched` where relations are
//! cyclic; `spared` because the account was empty.

mod net;
mod program;
mod rows;
mod search;

use super::memo::along;
use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use cairn_expr::{Evaluator, Model, Op, Support, Term};
use net::{Net, ReasonSet};
use search::BisectionResult;
use std::cell::RefCell;
use std::rc::Rc;

/// Initial balance of the account, in rows.
const START: i64 = 10_000;
/// The most it holds.
const MOST: i64 = 40_000_000;
/// Credit for an answer.
const ANSWER: i64 = 30_000;
/// Credit for a query that was passed on unseen.
const PASSED: i64 = 200;
/// Most rows evaluated in one search.
const MOST_SEARCHED: u64 = 1_000_000;
/// Most prefixes searched for a model to start from.
const LONGEST_LOOK: usize = 64;
/// Facts with more inputs are ignored.
const MOST_INPUTS: usize = 64;

/// The network of a list of facts, attached to it.
#[derive(Default)]
struct PathNet {
    net: Net,
    /// The network with the last goal as a fact, for the child that takes that branch.
    asked: RefCell<Option<(Term, Rc<PathNet>)>>,
    /// A model of the facts.
    model: RefCell<Option<Rc<Model>>>,
}

/// Whether a list has a fact that reads tables at indices of several inputs.
#[derive(Default)]
struct ReadsTables(bool);

/// What the rows imply about a query.
enum TableVerdict {
    /// It holds of all facts and the goal.
    Model(Model),
    /// Positions of facts that contradict each other.
    Refuted(ReasonSet),
    /// Nothing.
    Not,
}

/// The layer; the module documentation describes it.
pub struct Tables {
    key: MemoKey,
    worth: MemoKey,
    empty: Rc<PathNet>,
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
        let start = Rc::new(ReadsTables(false));
        let known = along(facts, self.worth, &start, |before, _, fact| {
            match before.0 || !reads_tables(fact) {
                true => Rc::clone(before),
                false => Rc::new(ReadsTables(true)),
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

    fn known(&mut self, facts: &Facts) -> Rc<PathNet> {
        let mut work = 0;
        let known = along(facts, self.key, &self.empty, |before, _, fact| {
            if let Some((goal, then)) = &*before.asked.borrow()
                && goal == fact
            {
                return Rc::clone(then);
            }
            Rc::new(PathNet {
                net: before.net.with(fact, &mut work),
                ..PathNet::default()
            })
        });
        self.pay(work);
        known
    }

    fn with_goal(&mut self, known: &Rc<PathNet>, goal: &Term) -> Rc<PathNet> {
        if goal.is_true() {
            return Rc::clone(known);
        }
        if let Some((asked, then)) = &*known.asked.borrow()
            && asked == goal
        {
            return Rc::clone(then);
        }
        let mut work = 0;
        let then = Rc::new(PathNet {
            net: known.net.with(goal, &mut work),
            ..PathNet::default()
        });
        self.pay(work);
        *known.asked.borrow_mut() = Some((goal.clone(), Rc::clone(&then)));
        then
    }

    /// A model of the longest part of the facts that has one.
    fn base(&self, facts: &Facts) -> Option<Rc<Model>> {
        let prefixes = facts.prefixes().take(LONGEST_LOOK);
        let mut known = prefixes.filter_map(|p| p.memo::<PathNet>(self.key));
        known.find_map(|k| k.model.borrow().clone())
    }

    /// Decides a query by the rows: by themselves, by choosing one in each relation, or by a
    /// search.
    fn decide(&mut self, query: &Query, then: &PathNet) -> TableVerdict {
        if let Some(why) = &then.net.refuted {
            return TableVerdict::Refuted(Rc::clone(why));
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
                BisectionResult::Refuted(why) => return TableVerdict::Refuted(why),
                BisectionResult::Net(net) => model = rows::choose(&net, base.as_deref(), &mut 0),
                BisectionResult::Nothing => {}
            }
        }
        let model = model.filter(|m| self.holds(query, m));
        model.map_or(TableVerdict::Not, TableVerdict::Model)
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
            TableVerdict::Model(model) => {
                self.chosen += 1;
                self.earn(ANSWER);
                let model = Rc::new(model);
                *then.model.borrow_mut() = Some(Rc::clone(&model));
                return Answer::Sat(model);
            }
            TableVerdict::Refuted(why) if query.want != Want::Core || why.len() < 2 => {
                self.refuted += 1;
                self.earn(ANSWER);
                let facts = query.facts.to_vec();
                let listed = why.iter().filter(|p| (**p as usize) <= facts.len());
                return Answer::Unsat(UnsatCore {
                    facts: listed.map(|p| facts[*p as usize - 1].clone()).collect(),
                    goal: why.last().is_some_and(|p| *p as usize > facts.len()),
                });
            }
            TableVerdict::Refuted(_) | TableVerdict::Not => {}
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
