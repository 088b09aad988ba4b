//! Caching the answers of queries.
//!
//! # Problem
//! Different paths ask the same question: a sliced query does not depend on the path it was cut from, so two
//! paths that differ elsewhere ask it twice.
//!
//! # Idea
//! A query is the *set* of its conjuncts, facts and goal alike: neither their order nor which of them is the
//! goal matters. KLEE \[CadarDunbarEngler08\] keys its branch cache by the slice and the expression.
//!
//! # What differs
//! The set of a prefix is attached to the prefix as a persistent trie with a commutative hash, so that one more
//! fact costs one insertion instead of a walk over the path. The goal is a member like the others. Answers are
//! kept with their evidence.
//!
//! # Soundness
//! A hit needs the same set, compared term by term after the hashes agree. The same set has the same models and
//! the same cores, so the evidence is returned as it is; only the role of the goal within a core is looked up
//! again. An entry holds its terms, so a birth number in a key always means the same term. UNKNOWN is never
//! stored, because it depends on the budget.
//!
//! # Cost
//! One insertion into a trie for each new fact; a hit on another path's list compares only what the two tries do
//! not share. Memory is bounded by weight (symbols and cells of models, members of cores) in two generations:
//! an entry that is not asked for during a whole generation is dropped.
//!
//! # Counters
//! `hits`, `misses`, `entries` stored, `generations` dropped.
//!
//! The persistent map and [`FactSet`] are defined here because this layer is built on them; other layers use
//! them too.

use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use cairn_expr::{Model, Term, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::OnceLock;

/// Bits of the key that choose a branch at each level.
const DIGIT: u32 = 3;

/// Mixes a number. Each step can be undone, so different keys stay different; there are two
/// multiplications because sums of the results are used, and after one of them the sums of births
/// would still show through.
fn scramble(key: u64) -> u64 {
    let k = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let k = (k ^ (k >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    k ^ (k >> 31)
}

/// A map from numbers that shares its structure with the maps it was made from.
///
/// A trie over the scrambled key. Nothing is ever removed, so the shape depends on the keys alone
/// and equal key sets have equal shapes. Its depth is at most 64 / 3, so recursion in its
/// destructor is harmless.
pub(super) struct PersistentMap<V> {
    root: Option<Rc<Trie<V>>>,
    len: usize,
}

enum Trie<V> {
    Leaf {
        path: u64,
        value: V,
    },
    /// `below` holds a subtrie for each bit of `present`, lowest first.
    Branch {
        present: u8,
        below: SmallVec<[Rc<Trie<V>>; 4]>,
    },
}

fn digit_bit(path: u64, shift: u32) -> u8 {
    1 << ((path >> shift) & ((1 << DIGIT) - 1))
}

fn position(present: u8, bit: u8) -> usize {
    (present & (bit - 1)).count_ones() as usize
}

impl<V> Clone for PersistentMap<V> {
    fn clone(&self) -> Self {
        PersistentMap {
            root: self.root.clone(),
            len: self.len,
        }
    }
}

impl<V> Default for PersistentMap<V> {
    fn default() -> Self {
        PersistentMap { root: None, len: 0 }
    }
}

impl<V> PersistentMap<V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether two maps are the same structure: a sufficient test for equality.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    pub(super) fn get(&self, key: u64) -> Option<&V> {
        let wanted = scramble(key);
        let mut at = self.root.as_ref()?;
        let mut shift = 0;
        loop {
            match &**at {
                Trie::Leaf { path, value } => return (*path == wanted).then_some(value),
                Trie::Branch { present, below } => {
                    let bit = digit_bit(wanted, shift);
                    if present & bit == 0 {
                        return None;
                    }
                    at = &below[position(*present, bit)];
                    shift += DIGIT;
                }
            }
        }
    }

    /// Puts a value in place, copying the branches above it.
    pub(super) fn insert(&mut self, key: u64, value: V) {
        let path = scramble(key);
        let leaf = Rc::new(Trie::Leaf { path, value });
        let Some(root) = &self.root else {
            self.root = Some(leaf);
            self.len = 1;
            return;
        };
        let mut trail: SmallVec<[(Rc<Trie<V>>, usize); 8]> = SmallVec::new();
        let mut at = Rc::clone(root);
        let mut shift = 0;
        let mut made = loop {
            let next = match &*at {
                Trie::Leaf { path: other, .. } if *other == path => break leaf,
                Trie::Leaf { path: other, .. } => {
                    self.len += 1;
                    break fork(Rc::clone(&at), *other, leaf, path, shift);
                }
                Trie::Branch { present, below } => {
                    let bit = digit_bit(path, shift);
                    let place = position(*present, bit);
                    if present & bit == 0 {
                        self.len += 1;
                        let mut below = below.clone();
                        below.insert(place, leaf);
                        let present = present | bit;
                        break Rc::new(Trie::Branch { present, below });
                    }
                    (Rc::clone(&below[place]), place)
                }
            };
            trail.push((at, next.1));
            at = next.0;
            shift += DIGIT;
        };
        while let Some((branch, place)) = trail.pop() {
            if let Trie::Branch { present, below } = &*branch {
                let (present, mut below) = (*present, below.clone());
                below[place] = made;
                made = Rc::new(Trie::Branch { present, below });
            }
        }
        self.root = Some(made);
    }

    /// The values, in an order that depends on the keys alone.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        let mut stack: Vec<&Rc<Trie<V>>> = self.root.iter().collect();
        std::iter::from_fn(move || {
            loop {
                match &**stack.pop()? {
                    Trie::Leaf { value, .. } => return Some(value),
                    Trie::Branch { below, .. } => stack.extend(below.iter().rev()),
                }
            }
        })
    }

    /// Whether both have the same keys with equal values. Shared parts are not compared.
    pub(super) fn equal(&self, other: &Self) -> bool
    where
        V: PartialEq,
    {
        if self.len != other.len {
            return false;
        }
        let mut work: Vec<_> = self.root.iter().zip(other.root.iter()).collect();
        while let Some((a, b)) = work.pop() {
            if Rc::ptr_eq(a, b) {
                continue;
            }
            match (&**a, &**b) {
                (Trie::Leaf { path: p, value: v }, Trie::Leaf { path: q, value: w }) => {
                    if p != q || v != w {
                        return false;
                    }
                }
                (
                    Trie::Branch {
                        present: p,
                        below: v,
                    },
                    Trie::Branch {
                        present: q,
                        below: w,
                    },
                ) => {
                    if p != q {
                        return false;
                    }
                    work.extend(v.iter().zip(w.iter()));
                }
                (Trie::Leaf { .. }, Trie::Branch { .. })
                | (Trie::Branch { .. }, Trie::Leaf { .. }) => return false,
            }
        }
        true
    }
}

/// Two leaves with different keys under a chain of branches as long as their keys agree.
fn fork<V>(a: Rc<Trie<V>>, p: u64, b: Rc<Trie<V>>, q: u64, from: u32) -> Rc<Trie<V>> {
    let mut shift = from;
    while digit_bit(p, shift) == digit_bit(q, shift) {
        shift += DIGIT;
    }
    let (x, y) = (digit_bit(p, shift), digit_bit(q, shift));
    let below = if x < y { [a, b] } else { [b, a] };
    let mut made = Rc::new(Trie::Branch {
        present: x | y,
        below: below.into_iter().collect(),
    });
    while shift > from {
        shift -= DIGIT;
        made = Rc::new(Trie::Branch {
            present: digit_bit(p, shift),
            below: [made].into_iter().collect(),
        });
    }
    made
}

/// The memo of a list of facts, made from that of its parent where it is missing.
pub(super) fn along<T: 'static>(
    facts: &Facts,
    key: MemoKey,
    empty: &Rc<T>,
    mut extend: impl FnMut(&Rc<T>, &Facts, &Term) -> Rc<T>,
) -> Rc<T> {
    let mut missing: Vec<&Facts> = Vec::new();
    let mut known = None;
    for prefix in facts.prefixes() {
        known = prefix.memo::<T>(key);
        if known.is_some() {
            break;
        }
        missing.push(prefix);
    }
    let mut known = known.unwrap_or_else(|| Rc::clone(empty));
    for prefix in missing.into_iter().rev() {
        if let Some(fact) = prefix.last() {
            known = extend(&known, prefix, fact);
            prefix.set_memo(key, Rc::clone(&known));
        }
    }
    known
}

/// The facts of a list as a set.
#[derive(Clone, Default)]
pub(super) struct FactSet {
    members: PersistentMap<Term>,
    /// The sum of the members' scrambled births: it does not depend on the order.
    hash: u64,
}

impl FactSet {
    /// The set of a list. It depends on the list alone, so all layers share one memo of it.
    pub(super) fn of(facts: &Facts) -> Rc<FactSet> {
        static KEY: OnceLock<MemoKey> = OnceLock::new();
        let key = *KEY.get_or_init(MemoKey::fresh);
        along(facts, key, &Rc::default(), |parent, _, fact| {
            if parent.contains(fact) {
                Rc::clone(parent)
            } else {
                Rc::new(parent.with(fact))
            }
        })
    }

    pub(super) fn contains(&self, term: &Term) -> bool {
        self.members.get(term.birth()) == Some(term)
    }

    fn with(&self, term: &Term) -> FactSet {
        let mut more = self.clone();
        more.members.insert(term.birth(), term.clone());
        more.hash = more.hash.wrapping_add(scramble(term.birth()));
        more
    }
}

/// The weight of a generation; two of them are kept.
const GENERATION_WEIGHT: usize = 1 << 20;
/// The number of entries of a generation.
const GENERATION_ENTRIES: usize = 1 << 15;

struct Entry {
    facts: Rc<FactSet>,
    /// `None` if the goal is one of the facts, or `true`.
    goal: Option<Term>,
    answer: Stored,
}

enum Stored {
    Sat(Rc<Model>),
    Unsat { members: Vec<Term>, minimised: bool },
}

impl Entry {
    fn answers(&self, facts: &Rc<FactSet>, goal: Option<&Term>) -> bool {
        if self.goal.as_ref() == goal {
            return self.facts.members.equal(&facts.members);
        }
        // Another member plays the goal.
        let size = |set: &FactSet, goal: Option<&Term>| set.members.len() + goal.iter().count();
        if size(&self.facts, self.goal.as_ref()) != size(facts, goal) {
            return false;
        }
        let whole = |set: &FactSet, goal: Option<&Term>| match goal {
            Some(goal) => set.with(goal),
            None => set.clone(),
        };
        whole(&self.facts, self.goal.as_ref())
            .members
            .equal(&whole(facts, goal).members)
    }

    /// The answer in the roles of another query over the same set.
    fn answer(&self, facts: &FactSet, query: &Query) -> Option<Answer> {
        match &self.answer {
            Stored::Sat(model) => Some(Answer::Sat(Rc::clone(model))),
            Stored::Unsat { members, minimised } => {
                if query.want == Want::Core && !minimised && members.len() > 1 {
                    return None;
                }
                let (listed, others): (Vec<Term>, Vec<Term>) =
                    members.iter().cloned().partition(|t| facts.contains(t));
                Some(Answer::Unsat(UnsatCore {
                    facts: listed,
                    goal: !others.is_empty(),
                }))
            }
        }
    }

    fn weight(&self) -> usize {
        1 + match &self.answer {
            Stored::Sat(model) => model
                .iter()
                .map(|(_, value)| match value {
                    Value::Bool(_) | Value::Bv(_) => 1,
                    Value::Array(a) => 1 + a.cells().count(),
                })
                .sum(),
            Stored::Unsat { members, .. } => members.len(),
        }
    }
}

#[derive(Default)]
struct Generation {
    entries: FxHashMap<u64, Vec<Entry>>,
    count: usize,
    weight: usize,
}

/// The layer; the module documentation describes it.
#[derive(Default)]
pub struct ExactCache {
    young: Generation,
    old: Generation,
    hits: u64,
    misses: u64,
    stored: u64,
    generations: u64,
}

impl ExactCache {
    /// The entry for a set, moved to the young generation if it was in the old one.
    fn find(&mut self, hash: u64, facts: &Rc<FactSet>, goal: Option<&Term>) -> Option<&Entry> {
        let place = |generation: &Generation| {
            generation
                .entries
                .get(&hash)?
                .iter()
                .position(|e| e.answers(facts, goal))
        };
        let at = match (place(&self.young), place(&self.old)) {
            (Some(at), _) => at,
            (None, Some(at)) => {
                let bucket = self.old.entries.get_mut(&hash)?;
                let entry = bucket.swap_remove(at);
                self.put(hash, entry);
                self.young.entries.get(&hash)?.len() - 1
            }
            (None, None) => return None,
        };
        self.young.entries.get(&hash)?.get(at)
    }

    fn put(&mut self, hash: u64, entry: Entry) {
        if self.young.count >= GENERATION_ENTRIES || self.young.weight >= GENERATION_WEIGHT {
            self.old = std::mem::take(&mut self.young);
            self.generations += 1;
        }
        self.young.count += 1;
        self.young.weight += entry.weight();
        self.young.entries.entry(hash).or_default().push(entry);
    }
}

impl Layer for ExactCache {
    fn name(&self) -> &'static str {
        "exact-cache"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let facts = FactSet::of(&query.facts);
        let goal = Some(&query.goal).filter(|g| !g.is_true() && !facts.contains(g));
        let hash = facts
            .hash
            .wrapping_add(goal.map_or(0, |g| scramble(g.birth())));
        let found = self
            .find(hash, &facts, goal)
            .and_then(|entry| entry.answer(&facts, query));
        if let Some(answer) = found {
            self.hits += 1;
            return answer;
        }
        self.misses += 1;
        let answer = rest.solve(query);
        let stored = match &answer {
            Answer::Sat(model) => Stored::Sat(Rc::clone(model)),
            Answer::Unsat(core) => {
                let mut members = core.facts.clone();
                if core.goal && !query.goal.is_true() {
                    members.push(query.goal.clone());
                }
                members.sort_unstable_by_key(Term::birth);
                members.dedup();
                Stored::Unsat {
                    members,
                    minimised: query.want == Want::Core,
                }
            }
            Answer::Unknown(_) => return answer,
        };
        let entry = Entry {
            facts: Rc::clone(&facts),
            goal: goal.cloned(),
            answer: stored,
        };
        // A core that was not small enough for this query is replaced by the smaller one.
        if let Some(bucket) = self.young.entries.get_mut(&hash) {
            bucket.retain(|e| !e.answers(&facts, goal));
        }
        self.stored += 1;
        self.put(hash, entry);
        answer
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("hits", self.hits),
            ("misses", self.misses),
            ("entries", self.stored),
            ("generations", self.generations),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{Sort, TermStore};
    use std::collections::BTreeMap;

    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(11);
        *state >> 33
    }

    #[test]
    fn the_persistent_map_is_a_map_and_old_versions_stay() {
        let mut state = 7;
        let mut map: PersistentMap<u64> = PersistentMap::default();
        let mut plain: BTreeMap<u64, u64> = BTreeMap::new();
        let mut versions = Vec::new();
        for step in 0..3000 {
            let key = match next(&mut state) % 3 {
                0 => next(&mut state) % 64,
                1 => next(&mut state) << 40,
                _ => u64::MAX - next(&mut state) % 500,
            };
            map.insert(key, step);
            plain.insert(key, step);
            assert_eq!(map.len(), plain.len());
            if step % 500 == 0 {
                versions.push((map.clone(), plain.clone()));
            }
        }
        versions.push((map, plain));
        for (map, plain) in versions {
            for (k, v) in &plain {
                assert_eq!(map.get(*k), Some(v));
            }
            assert_eq!(map.get(1 << 50 | 3), None);
            let mut values: Vec<u64> = map.values().copied().collect();
            values.sort_unstable();
            let mut expected: Vec<u64> = plain.values().copied().collect();
            expected.sort_unstable();
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn equal_maps_are_equal_in_whatever_order_they_were_filled() {
        let fill = |keys: &mut dyn Iterator<Item = u64>| {
            let mut map: PersistentMap<u64> = PersistentMap::default();
            keys.for_each(|k| map.insert(k, k));
            map
        };
        let up = fill(&mut (0..500));
        let down = fill(&mut (0..500).rev());
        assert!(up.equal(&down) && down.equal(&up));
        let other = fill(&mut (1..501));
        assert!(!up.equal(&other));
        assert!(!up.equal(&fill(&mut (0..499))));
    }

    #[test]
    fn a_set_of_facts_forgets_order_and_repetition() {
        let s = TermStore::new();
        let t: Vec<Term> = (0..3)
            .map(|i| s.symbol(&format!("p{i}"), Sort::Bool))
            .collect();
        let list = |order: &[usize]| -> Facts { order.iter().map(|i| t[*i].clone()).collect() };
        let a = FactSet::of(&list(&[0, 1, 2]));
        let b = FactSet::of(&list(&[2, 1, 2, 0, 0]));
        assert_eq!(a.hash, b.hash);
        assert!(a.members.equal(&b.members));
        assert_ne!(FactSet::of(&list(&[0, 1])).hash, a.hash);
    }
}
