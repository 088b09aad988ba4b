//! Slicing: splitting a query into parts that share no input.
//!
//! # Problem
//! A path over many inputs collects facts about all of them; a goal concerns few. The other facts make the query
//! larger for the core solver and different for every cache.
//!
//! # Idea
//! KLEE's constraint independence \[CadarDunbarEngler08\]: facts that share no input, directly or through other
//! facts, do not constrain each other. Only the part of the goal is solved; the models of all parts together are
//! a model of the query.
//!
//! # What differs
//! Cells of an array at constant indices are inputs of their own. Conjunctions are split. The partition is
//! attached to the list of facts and grows with it: one more fact costs its own inputs, not the path. Each part
//! is a persistent list that only grows at its end (merging appends the shorter list to the longer), so an
//! incremental core solver sees the same lists again. Each part keeps a model, and a child inherits it as long as its
//! new fact holds in it.
//!
//! # Soundness
//! Parts share no key (symbol, or cell; a whole array overlaps all its cells), so the values of one part's keys
//! do not affect another part's conjuncts, and a model composed of models of all parts, each restricted to its
//! own keys, satisfies all. UNSAT of one part is UNSAT of the whole with the same core, each conjunct replaced by
//! the fact it was split from. Facts known to be satisfiable have satisfiable parts, and a part with a known model
//! is satisfiable; nothing else is assumed to be.
//!
//! # Cost
//! Per fact: insertions for new inputs, and a merge (each conjunct moves at most a logarithmic number of times).
//! Per query: the keys of the goal's part, and a pointer per part. A full model is written out only if a part's
//! model changed, if possible as a copy of an earlier one with that part exchanged; it takes time in the number
//! of all inputs, which is the size of the answer.
//!
//! # Counters
//! `parts` solved, `dropped` parts that were not; `merges` of parts; `inherited` models of parts; `full_models`
//! written out, `same_model` times that was avoided; `walks` through terms whose inputs are not listed.

mod many;
mod partition;

use super::memo::along;
use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnknownReason, UnsatCore};
use cairn_expr::{ArrayValue, BitVec, Model, Sort, Term, Value};
use partition::conjuncts;
use partition::{
    InputList, Partition, PartitionBuilder, PartitionPart, PathPartition, SymbolOrCell,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::rc::Rc;

/// How many recent merges the layer remembers.
const REMEMBERED: usize = 16;
/// How many full models it remembers.
const FULL_MODELS: usize = 4;
/// How many recent answers are attached to a list of facts for its children: both sides of a branch,
/// and some more.
const ANSWERS: usize = 4;

fn index_of(symbol: &Term, cell: u64) -> BitVec {
    match symbol.sort() {
        Sort::Array { index, .. } => BitVec::new(index, cell),
        Sort::Bool | Sort::BitVec(_) => unreachable!("only arrays have cells"),
    }
}

/// Whether a model lists nothing but some inputs, none of which is a cell. InputList are listed once, so counting tells.
fn is_about(model: &Model, inputs: &InputList) -> bool {
    let mut left = model.len();
    for SymbolOrCell { symbol, cell } in inputs.iter() {
        match (model.get(symbol), cell) {
            (None, _) => {}
            (Some(_), None) => left -= 1,
            (Some(_), Some(_)) => return false,
        }
    }
    left == 0
}

/// What a model says about some inputs, and nothing else. If it says nothing else anyway, it is
/// the same model, so that what was made from it is found again.
fn restricted(model: &Rc<Model>, inputs: &InputList) -> Rc<Model> {
    if is_about(model, inputs) {
        return Rc::clone(model);
    }
    let mut some = Model::new();
    for SymbolOrCell { symbol, cell } in inputs.iter() {
        match (model.get(symbol), cell) {
            (None, _) => {}
            (Some(value), None) => some.set(symbol.clone(), value.clone()),
            (Some(Value::Array(a)), Some(cell)) => {
                let index = index_of(symbol, *cell);
                let value = a.get(&index).clone();
                some.array_mut(symbol).set(index, value);
            }
            (Some(Value::Bool(_) | Value::Bv(_)), Some(_)) => {}
        }
    }
    let nothing_else = model.iter().all(|(s, v)| some.get(s) == Some(v));
    if nothing_else {
        Rc::clone(model)
    } else {
        Rc::new(some)
    }
}

/// Whether an array of a part's model is listed by cells, with zero elsewhere. If not, the part
/// owns the whole array and no other part lists it.
fn by_cells(array: &ArrayValue) -> bool {
    array.default_value().is_zero()
}

/// Adds the model of a part to those of others.
fn add(whole: &mut Model, part: &Model) {
    for (symbol, value) in part.iter() {
        match (whole.get(symbol), value) {
            (Some(Value::Array(_)), Value::Array(cells)) if by_cells(cells) => {
                let target = whole.array_mut(symbol);
                for (index, value) in cells.cells() {
                    target.set(index.clone(), value.clone());
                }
            }
            (Some(_) | None, _) => whole.set(symbol.clone(), value.clone()),
        }
    }
}

/// Takes the model of a part out again: what it listed is zero.
fn take_out(whole: &mut Model, part: &Model) {
    for (symbol, value) in part.iter() {
        match value {
            Value::Array(cells) if by_cells(cells) => {
                let target = whole.array_mut(symbol);
                let zero = target.default_value().clone();
                for (index, _) in cells.cells() {
                    target.set(index.clone(), zero.clone());
                }
            }
            Value::Array(_) | Value::Bool(_) | Value::Bv(_) => {
                whole.set(symbol.clone(), Value::zero(symbol.sort()));
            }
        }
    }
}

/// What is only in the first and what is only in the second of two lists sorted by place.
fn differences<'a>(
    a: &'a [Rc<Model>],
    b: &'a [Rc<Model>],
) -> (Vec<&'a Rc<Model>>, Vec<&'a Rc<Model>>) {
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match Rc::as_ptr(x).cmp(&Rc::as_ptr(y)) {
            Ordering::Less => {
                only_a.push(x);
                i += 1;
            }
            Ordering::Greater => {
                only_b.push(y);
                j += 1;
            }
            Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    only_a.extend(&a[i..]);
    only_b.extend(&b[j..]);
    (only_a, only_b)
}

/// Whether two models of the same inputs say the same.
fn same_values(a: &Model, b: &Model, inputs: &InputList) -> bool {
    inputs.iter().all(|SymbolOrCell { symbol, cell }| {
        let zero = Value::zero(symbol.sort());
        let x = a.get(symbol).unwrap_or(&zero);
        let y = b.get(symbol).unwrap_or(&zero);
        match (x, y, cell) {
            (Value::Array(x), Value::Array(y), Some(cell)) => {
                let index = index_of(symbol, *cell);
                x.get(&index) == y.get(&index)
            }
            _ => x == y,
        }
    })
}

/// A full model and the parts it was written from.
struct FullModel {
    parts: Vec<Rc<Model>>,
    model: Rc<Model>,
}

#[derive(Default)]
struct Counts {
    parts: u64,
    dropped: u64,
    merges: u64,
    inherited: u64,
    full_models: u64,
    same_model: u64,
}

/// The layer; the module documentation describes it.
pub struct Slice {
    key: MemoKey,
    empty: Rc<PathPartition>,
    full_models: VecDeque<FullModel>,
    shop: PartitionBuilder,
}

impl Default for Slice {
    fn default() -> Self {
        Slice {
            key: MemoKey::fresh(),
            empty: Rc::default(),
            full_models: VecDeque::new(),
            shop: PartitionBuilder::default(),
        }
    }
}

impl Slice {
    fn node(&mut self, facts: &Facts) -> Rc<PathPartition> {
        let shop = &mut self.shop;
        along(facts, self.key, &self.empty, |parent, _, fact| {
            Rc::new(shop.extended(parent, fact))
        })
    }

    /// A part's model out of a model of at least that part; its old one if that says the same.
    fn kept(part: &PartitionPart, known: Option<Rc<Model>>, model: &Rc<Model>) -> Rc<Model> {
        match known {
            Some(known) if same_values(&known, model, &part.inputs) => known,
            Some(_) => restricted(model, &part.inputs),
            None => {
                let mine = restricted(model, &part.inputs);
                part.set_model(Rc::clone(&mine));
                mine
            }
        }
    }

    /// The model of everything from the models of all parts.
    fn full_model(&mut self, mut parts: Vec<Rc<Model>>) -> Rc<Model> {
        // Parts share nothing, so their order has no meaning.
        parts.sort_unstable_by_key(Rc::as_ptr);
        // Mostly one part changed since the last time, so that is taken out and put in.
        let nearest = self
            .full_models
            .iter()
            .rev()
            .map(|f| (f, differences(&f.parts, &parts)))
            .min_by_key(|(_, (gone, new))| gone.len() + new.len());
        let whole = match nearest {
            Some((full, (gone, new))) if gone.is_empty() && new.is_empty() => {
                self.shop.counts.same_model += 1;
                return Rc::clone(&full.model);
            }
            Some((full, (gone, new))) if gone.len() + new.len() < parts.len() => {
                let mut whole = full.model.as_ref().clone();
                gone.iter().for_each(|m| take_out(&mut whole, m));
                new.iter().for_each(|m| add(&mut whole, m));
                whole
            }
            Some(_) | None => {
                let mut whole = Model::new();
                parts.iter().for_each(|m| add(&mut whole, m));
                whole
            }
        };
        self.shop.counts.full_models += 1;
        let model = Rc::new(whole);
        if self.full_models.len() == FULL_MODELS {
            self.full_models.pop_front();
        }
        self.full_models.push_back(FullModel {
            parts,
            model: Rc::clone(&model),
        });
        model
    }
}

/// An unsat core of conjuncts as one of facts.
fn core_of_facts(partition: &Partition, core: UnsatCore) -> Answer {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let facts = core.facts.into_iter().map(|c| {
        let origin = partition.origins.get(c.birth());
        origin.map_or(c, |(_, fact)| fact.clone())
    });
    Answer::Unsat(UnsatCore {
        facts: facts.filter(|f| seen.insert(f.clone())).collect(),
        goal: core.goal,
    })
}

impl Layer for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if query.goal.is_false() {
            return Answer::Unsat(UnsatCore {
                facts: Vec::new(),
                goal: true,
            });
        }
        let node = self.node(&query.facts);
        let mut partition = node.partition.clone();
        let all = conjuncts(&query.goal);
        let count = all.len();
        let asked: Vec<Term> = all.into_iter().filter(|c| !partition.is_fact(c)).collect();
        let complete = asked.len() == count;
        let mut linked: FxHashSet<u64> = FxHashSet::default();
        for c in &asked {
            linked.extend(self.shop.link(&mut partition, c));
        }
        let groups = self.shop.grouped(&partition, asked);
        let whole_goal = complete && groups.len() == 1;
        let about = |part: &PartitionPart, goal: Term, facts_sat: bool| Query {
            facts: part.facts.clone(),
            facts_sat,
            goal,
            ..query.clone()
        };
        let mut unknown: Option<UnknownReason> = None;
        let mut answered: FxHashMap<u64, Rc<Model>> = FxHashMap::default();
        for (root, goals) in groups {
            let part = partition.part(root);
            let known = part.model();
            let goal = if whole_goal {
                query.goal.clone()
            } else {
                rest.store().and_all(&goals)
            };
            self.shop.counts.parts += 1;
            let facts_sat = query.facts_sat || known.is_some();
            match rest.solve(&about(&part, goal, facts_sat)) {
                Answer::Sat(model) => {
                    let model = Self::kept(&part, known, &model);
                    let mut answers = node.answers.borrow_mut();
                    if answers.len() == ANSWERS {
                        answers.pop_front();
                    }
                    answers.push_back((part.facts.clone(), Rc::clone(&model)));
                    answered.insert(root, model);
                }
                Answer::Unsat(core) => return core_of_facts(&partition, core),
                Answer::Unknown(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        if let (Some(reason), true) = (&unknown, query.facts_sat) {
            // No other part can be unsatisfiable.
            return Answer::Unknown(reason.clone());
        }
        let mut models: Vec<Rc<Model>> = answered.values().cloned().collect();
        for (number, part) in node.partition.parts() {
            let known = part.model();
            if linked.contains(&number) {
                // Asked together with the goal. It keeps the model it has.
                if let (None, Some(model)) = (&known, answered.get(&partition.root(number))) {
                    Self::kept(part, None, model);
                }
                continue;
            }
            if let Some(known) = known {
                self.shop.counts.dropped += 1;
                models.push(known);
                continue;
            }
            self.shop.counts.parts += 1;
            let goal = rest.store().true_();
            match rest.solve(&about(part, goal, query.facts_sat)) {
                Answer::Sat(model) => models.push(Self::kept(part, None, &model)),
                Answer::Unsat(core) => return core_of_facts(&partition, core),
                Answer::Unknown(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        match unknown {
            Some(reason) => Answer::Unknown(reason),
            None => Answer::Sat(self.full_model(models)),
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.shop.counts;
        vec![
            ("parts", c.parts),
            ("dropped", c.dropped),
            ("merges", c.merges),
            ("inherited", c.inherited),
            ("full_models", c.full_models),
            ("same_model", c.same_model),
            ("walks", self.shop.keys.walks()),
        ]
    }
}
