//! The partition of a list of facts into parts, built fact by fact; `slice.rs` explains its use.

use super::many::ManyKeys;
use super::{Counts, REMEMBERED, add, restricted};
use crate::Facts;
use cairn_expr::{Evaluator, Model, Op, PersistentMap, SupportKey, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The number of the part of all conjuncts without any input.
const GROUND: u64 = u64::MAX;

/// An input: a symbol, or one element of an array symbol.
#[derive(Clone)]
pub(super) struct SymbolOrCell {
    pub(super) symbol: Term,
    pub(super) cell: Option<u64>,
}

/// A persistent list of inputs, newest first.
#[derive(Clone, Default)]
pub(super) struct InputList(Option<Rc<InputNode>>);

struct InputNode {
    input: SymbolOrCell,
    rest: InputList,
}

impl InputList {
    fn with(&self, input: SymbolOrCell) -> InputList {
        InputList(Some(Rc::new(InputNode {
            input,
            rest: self.clone(),
        })))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SymbolOrCell> {
        let mut at = self;
        std::iter::from_fn(move || {
            let node = at.0.as_ref()?;
            at = &node.rest;
            Some(&node.input)
        })
    }
}

impl Drop for InputNode {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.rest.0.take();
        while let Some(rc) = next {
            next = Rc::into_inner(rc).and_then(|mut node| node.rest.0.take());
        }
    }
}

/// Conjuncts that are connected by their inputs.
#[derive(Default)]
pub(super) struct PartitionPart {
    pub(super) facts: Facts,
    pub(super) inputs: InputList,
    /// A model of the facts that lists nothing but inputs of this part.
    model: RefCell<Option<Rc<Model>>>,
}

impl PartitionPart {
    /// Its model, if one is known.
    pub(super) fn model(&self) -> Option<Rc<Model>> {
        self.model.borrow().clone()
    }

    pub(super) fn set_model(&self, model: Rc<Model>) {
        *self.model.borrow_mut() = Some(model);
    }
}

/// Which part an input belongs to.
struct KeyOwner {
    symbol: Term,
    whole: Option<u64>,
    cells: PersistentMap<u64>,
}

enum PartEntry {
    /// With its own number.
    Part(u64, Rc<PartitionPart>),
    /// Merged into another one.
    Into(u64),
}

/// A partition of facts. Cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct Partition {
    /// By symbol id; valid because the owner holds the symbol.
    owners: PersistentMap<KeyOwner>,
    slots: PersistentMap<PartEntry>,
    /// By birth of a conjunct: the conjunct, and the fact it comes from.
    pub(super) origins: PersistentMap<(Term, Term)>,
}

impl Partition {
    pub(super) fn root(&self, mut number: u64) -> u64 {
        while let Some(PartEntry::Into(other)) = self.slots.get(number) {
            number = *other;
        }
        number
    }

    pub(super) fn part(&self, root: u64) -> Rc<PartitionPart> {
        match self.slots.get(root) {
            Some(PartEntry::Part(_, part)) => Rc::clone(part),
            Some(PartEntry::Into(_)) | None => Rc::default(),
        }
    }

    /// The parts and their numbers.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u64, &Rc<PartitionPart>)> {
        self.slots.values().filter_map(|slot| match slot {
            PartEntry::Part(number, part) => Some((*number, part)),
            PartEntry::Into(_) => None,
        })
    }

    /// The roots that some keys belong to, sorted.
    fn touched(&self, keys: &[SupportKey]) -> Vec<u64> {
        let mut roots = Vec::new();
        for key in keys {
            let Some(owner) = self.owners.get(u64::from(key.symbol)) else {
                continue;
            };
            match (owner.whole, key.cell) {
                (Some(number), _) => roots.push(self.root(number)),
                (None, Some(cell)) => {
                    roots.extend(owner.cells.get(cell).map(|n| self.root(*n)));
                }
                (None, None) => roots.extend(owner.cells.values().map(|n| self.root(*n))),
            }
        }
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Gives a key to a part; says whether it is new.
    fn give(&mut self, key: SupportKey, symbol: &Term, number: u64) -> bool {
        let id = u64::from(key.symbol);
        let (whole, mut cells) = match self.owners.get(id) {
            Some(owner) => (owner.whole, owner.cells.clone()),
            None => (None, PersistentMap::default()),
        };
        let whole = match (whole, key.cell) {
            (Some(_), _) => return false,
            (None, None) => Some(number),
            (None, Some(cell)) if cells.get(cell).is_some() => return false,
            (None, Some(cell)) => {
                cells.insert(cell, number);
                None
            }
        };
        let symbol = symbol.clone();
        self.owners.insert(
            id,
            KeyOwner {
                symbol,
                whole,
                cells,
            },
        );
        true
    }

    pub(super) fn is_fact(&self, conjunct: &Term) -> bool {
        self.origins
            .get(conjunct.birth())
            .is_some_and(|(c, _)| c == conjunct)
    }
}

/// The partition of a list of facts, attached to it.
#[derive(Default)]
pub(super) struct PathPartition {
    pub(super) partition: Partition,
    /// Models of parts of this partition together with a goal: newest last.
    pub(super) answers: RefCell<VecDeque<(Facts, Rc<Model>)>>,
}

/// The conjuncts of a term, leftmost first.
pub(super) fn conjuncts(term: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut work = vec![term.clone()];
    while let Some(t) = work.pop() {
        if matches!(t.op(), Op::And) {
            work.extend(t.args().iter().rev().cloned());
        } else if !t.is_true() && seen.insert(t.clone()) {
            found.push(t);
        }
    }
    found
}

/// The symbols of a term with these ids.
fn symbols_with(term: &Term, ids: &FxHashSet<u32>) -> FxHashMap<u32, Term> {
    let mut found = FxHashMap::default();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![term.clone()];
    while let Some(t) = work.pop() {
        if found.len() == ids.len() {
            break;
        }
        if !seen.insert(t.id()) {
            continue;
        }
        if matches!(t.op(), Op::Symbol(_)) && ids.contains(&t.id()) {
            found.insert(t.id(), t);
        } else {
            work.extend(t.args().iter().cloned());
        }
    }
    found
}

/// A part and the parts it was merged from.
type Merge = (Vec<Rc<PartitionPart>>, Rc<PartitionPart>);

/// Everything but the memos: what building partitions needs.
#[derive(Default)]
pub(super) struct PartitionBuilder {
    evaluator: Evaluator,
    merges: VecDeque<Merge>,
    pub(super) keys: ManyKeys,
    pub(super) counts: Counts,
}

impl PartitionBuilder {
    /// Makes one part of all that share a key with a conjunct; says which these were.
    pub(super) fn link(&mut self, partition: &mut Partition, conjunct: &Term) -> Vec<u64> {
        let keys = self.keys.of(conjunct);
        if keys.is_empty() {
            return Vec::new();
        }
        let mut roots = partition.touched(&keys);
        // The longest list is extended: later layers know it, and fewest conjuncts move.
        roots.sort_by_key(|r| (std::cmp::Reverse(partition.part(*r).facts.len()), *r));
        let root = roots
            .first()
            .copied()
            .unwrap_or(partition.slots.len() as u64);
        let part = match roots.as_slice() {
            [] => Rc::new(PartitionPart {
                model: RefCell::new(Some(Rc::default())),
                ..PartitionPart::default()
            }),
            [one] => partition.part(*one),
            many => {
                let parts: Vec<Rc<PartitionPart>> =
                    many.iter().map(|r| partition.part(*r)).collect();
                self.merged(parts)
            }
        };
        for other in roots.iter().skip(1) {
            partition.slots.insert(*other, PartEntry::Into(root));
        }
        let inputs = self.give_all(partition, conjunct, &keys, root, &part.inputs);
        let part = match inputs {
            None => part,
            Some(inputs) => Rc::new(PartitionPart {
                facts: part.facts.clone(),
                inputs,
                model: part.model.clone(),
            }),
        };
        partition.slots.insert(root, PartEntry::Part(root, part));
        roots
    }

    /// Gives keys to a part; returns its inputs if any is new.
    fn give_all(
        &mut self,
        partition: &mut Partition,
        conjunct: &Term,
        keys: &[SupportKey],
        root: u64,
        inputs: &InputList,
    ) -> Option<InputList> {
        let unknown: FxHashSet<u32> = keys
            .iter()
            .map(|k| k.symbol)
            .filter(|id| partition.owners.get(u64::from(*id)).is_none())
            .collect();
        let found = symbols_with(conjunct, &unknown);
        let mut more: Option<InputList> = None;
        for key in keys {
            let symbol = match partition.owners.get(u64::from(key.symbol)) {
                Some(owner) => owner.symbol.clone(),
                None => match found.get(&key.symbol) {
                    Some(symbol) => symbol.clone(),
                    None => unreachable!("a support key names a symbol of the term"),
                },
            };
            if partition.give(*key, &symbol, root) {
                let cell = key.cell;
                let list = more.as_ref().unwrap_or(inputs);
                more = Some(list.with(SymbolOrCell { symbol, cell }));
            }
        }
        more
    }

    /// One part made of several, the first one's list first. Asked again for the same parts, it
    /// gives the same list.
    fn merged(&mut self, parts: Vec<Rc<PartitionPart>>) -> Rc<PartitionPart> {
        let known = self.merges.iter().find(|(from, _)| {
            from.len() == parts.len() && from.iter().zip(&parts).all(|(a, b)| Rc::ptr_eq(a, b))
        });
        if let Some((_, part)) = known {
            return Rc::clone(part);
        }
        self.counts.merges += 1;
        let mut facts = parts[0].facts.clone();
        let mut inputs = parts[0].inputs.clone();
        for part in &parts[1..] {
            facts = part
                .facts
                .to_vec()
                .into_iter()
                .fold(facts, |f, t| f.with(t));
            inputs = part.inputs.iter().fold(inputs, |l, i| l.with(i.clone()));
        }
        let models: Option<Vec<Rc<Model>>> =
            parts.iter().map(|p| p.model.borrow().clone()).collect();
        let model = models.map(|models| {
            let mut whole = Model::new();
            models.iter().for_each(|m| add(&mut whole, m));
            Rc::new(whole)
        });
        let part = Rc::new(PartitionPart {
            facts,
            inputs,
            model: RefCell::new(model),
        });
        if self.merges.len() == REMEMBERED {
            self.merges.pop_front();
        }
        self.merges.push_back((parts, Rc::clone(&part)));
        part
    }

    /// The node of a list from its parent's.
    pub(super) fn extended(&mut self, parent: &PathPartition, fact: &Term) -> PathPartition {
        let mut partition = parent.partition.clone();
        let fresh: Vec<Term> = conjuncts(fact)
            .into_iter()
            .filter(|c| !partition.is_fact(c))
            .collect();
        for c in &fresh {
            self.link(&mut partition, c);
        }
        // Only now is it known which of them end up together.
        for (root, new) in self.grouped(&partition, fresh) {
            let part = partition.part(root);
            let facts = new
                .iter()
                .fold(part.facts.clone(), |f, c| f.with(c.clone()));
            let model = self.inherited(parent, &part, &new);
            for c in new {
                partition.origins.insert(c.birth(), (c, fact.clone()));
            }
            let part = PartitionPart {
                facts,
                inputs: part.inputs.clone(),
                model: RefCell::new(model),
            };
            partition
                .slots
                .insert(root, PartEntry::Part(root, Rc::new(part)));
        }
        PathPartition {
            partition,
            answers: RefCell::default(),
        }
    }

    /// A model of a part that satisfies the new conjuncts too: its own one, or one that answered
    /// a goal at the parent.
    fn inherited(
        &mut self,
        parent: &PathPartition,
        part: &PartitionPart,
        new: &[Term],
    ) -> Option<Rc<Model>> {
        let answers = parent.answers.borrow();
        let answered = answers.iter().rev().filter(|(f, _)| f.same(&part.facts));
        let own = part.model.borrow().clone();
        let mut candidates = own.iter().chain(answered.map(|(_, m)| m));
        let found = candidates.find(|model| {
            self.evaluator.start();
            new.iter().all(|c| self.evaluator.eval_bool(c, model))
        })?;
        self.counts.inherited += 1;
        // The goal may have had inputs that this part has not.
        Some(restricted(found, &part.inputs))
    }

    /// The conjuncts by root, in the order in which the roots are first met.
    pub(super) fn grouped(
        &mut self,
        partition: &Partition,
        terms: Vec<Term>,
    ) -> Vec<(u64, Vec<Term>)> {
        let mut places: FxHashMap<u64, usize> = FxHashMap::default();
        let mut groups: Vec<(u64, Vec<Term>)> = Vec::new();
        for t in terms {
            let keys = self.keys.of(&t);
            let root = partition.touched(&keys).first().copied().unwrap_or(GROUND);
            let place = *places.entry(root).or_insert_with(|| {
                groups.push((root, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(t);
        }
        groups
    }
}
