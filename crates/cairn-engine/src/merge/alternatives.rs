//! Under which conditions a merged state stands for which of its members.
//!
//! # Problem
//!
//! The condition of a member is a conjunction of all that its path learnt since it parted from the others. A chain of such
//! conditions has the square of the size of the tree that they come from.
//!
//! # Idea
//!
//! Members share the beginnings of their lists of facts. So the lists are a tree, with the shape of the execution tree
//! ([Trabish24, section 5.2.3]). At a node the first facts of its sides tell them apart.
//!
//! # Soundness
//!
//! A side is chosen by its first fact if that excludes all that is true of the sides behind it, else by all that it
//! knows, if that does. Guards of one step exclude each other, and mostly their form says so; but the first fact of a merged
//! state is a disjunction, and an assumption is no guard: the solver is asked then. If it does not refute that two sides have
//! an input in common, or if the list of a member is the beginning of another one's, nothing is merged. The facts of
//! the merged state are what all share and, in place of what each member knows, the disjunction of that.
//!
//! # Cost
//!
//! Time in the facts that the members do not share; a question where the form of guards does not say that they exclude each other.

use cairn_expr::{Op, Term, TermStore};
use cairn_solver::Facts;

/// Sides of one node that are told apart by questions, at most.
const MOST_ASKED: usize = 64;

#[derive(Default)]
struct Node {
    /// Facts that all members below have here. The first mostly tells this node from its siblings.
    facts: Vec<Term>,
    /// Later in the list of nodes.
    sides: Vec<usize>,
    member: usize,
    /// It is the last of its siblings, or this excludes what is true of those behind it.
    guard: Option<Term>,
    /// What is true behind its own facts.
    rest: Option<Term>,
}

/// See the module's head.
pub(super) struct Alternatives {
    shared: Facts,
    nodes: Vec<Node>,
    /// What each member knows beside what all share.
    own: Vec<Vec<Term>>,
}

impl Alternatives {
    /// The tree of the facts of several members. `None` if they do not tell the members apart. `excludes` says whether some
    /// facts refute a claim; it may be false if that is not seen.
    pub fn of(
        all: &[&Facts],
        store: &TermStore,
        excludes: impl FnMut(&Facts, &Term) -> bool,
    ) -> Option<Alternatives> {
        let first = *all.first()?;
        let shared = all.iter().map(|facts| first.common_prefix(facts)).min()?;
        let own: Vec<Vec<Term>> = all.iter().map(|facts| behind(facts, shared)).collect();
        let mut prefix = first;
        while prefix.len() > shared {
            prefix = prefix.parent()?;
        }
        let mut alternatives = Alternatives {
            shared: prefix.clone(),
            nodes: tree(&own)?,
            own,
        };
        for number in (0..alternatives.nodes.len()).rev() {
            alternatives.nodes[number].rest = Some(alternatives.behind_facts(number, store));
        }
        alternatives.tell_apart(store, excludes)?;
        Some(alternatives)
    }

    fn rest(&self, number: usize) -> &Term {
        let rest = self.nodes[number].rest.as_ref();
        rest.expect("sides come later in the list")
    }

    /// All that is true below a node, with its own facts.
    fn whole(&self, number: usize, store: &TermStore) -> Term {
        joined(store, &self.nodes[number].facts, self.rest(number).clone())
    }

    /// What is true behind a node's own facts, if that is known of its sides.
    fn behind_facts(&self, number: usize, store: &TermStore) -> Term {
        let node = &self.nodes[number];
        let first = |n: usize| &self.nodes[n].facts[0];
        match node.sides[..] {
            [] => store.bool(true),
            [a, b] if *first(a) == store.not(first(b)) => {
                let behind_first =
                    |n: usize| joined(store, &self.nodes[n].facts[1..], self.rest(n).clone());
                store.ite(first(a), &behind_first(a), &behind_first(b))
            }
            _ => {
                let wholes = node.sides.iter().rev().map(|side| self.whole(*side, store));
                wholes.fold(store.bool(false), |any, whole| store.or(&whole, &any))
            }
        }
    }

    /// Finds for each side what excludes those behind it.
    fn tell_apart(
        &mut self,
        store: &TermStore,
        mut excludes: impl FnMut(&Facts, &Term) -> bool,
    ) -> Option<()> {
        let mut above: Vec<Option<Facts>> = vec![None; self.nodes.len()];
        above[0] = Some(self.shared.clone());
        for number in 0..self.nodes.len() {
            let mut facts = above[number].take()?;
            for fact in &self.nodes[number].facts {
                facts = facts.with(fact.clone());
            }
            let sides = self.nodes[number].sides.clone();
            for (i, side) in sides.iter().enumerate() {
                above[*side] = Some(facts.clone());
                let behind = &sides[i + 1..];
                let guard = &self.nodes[*side].facts[0];
                let by_form = |other: &usize| are_apart(store, guard, &self.nodes[*other].facts[0]);
                if behind.iter().all(by_form) {
                    self.nodes[*side].guard = Some(guard.clone());
                    continue;
                }
                if sides.len() > MOST_ASKED {
                    return None;
                }
                let wholes = behind.iter().map(|other| self.whole(*other, store));
                let any = wholes.fold(store.bool(false), |any, whole| store.or(&any, &whole));
                let tried = [guard.clone(), self.whole(*side, store)];
                let mut tried = tried.into_iter();
                let guard = tried.find(|guard| excludes(&facts, &store.and(guard, &any)));
                self.nodes[*side].guard = Some(guard?);
            }
        }
        Some(())
    }

    /// What all members know.
    pub fn shared(&self) -> &Facts {
        &self.shared
    }

    /// What each member knows beside that.
    pub fn own(&self) -> &[Vec<Term>] {
        &self.own
    }

    /// One value for the merged state: `leaf` gives that of a member, and `either` chooses between two by a condition.
    pub fn choose<T: Clone, E>(
        &self,
        leaf: impl Fn(usize) -> T,
        mut either: impl FnMut(&Term, &T, &T) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut values: Vec<Option<T>> = self.nodes.iter().map(|_| None).collect();
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let mut sides = node.sides.iter().rev();
            let value = match sides.next() {
                None => leaf(node.member),
                Some(last) => {
                    let mut value = taken(&mut values, *last);
                    for side in sides {
                        let other = taken(&mut values, *side);
                        let guard = self.nodes[*side].guard.as_ref();
                        value = either(guard.expect("sides are told apart"), &other, &value)?;
                    }
                    value
                }
            };
            values[number] = Some(value);
        }
        Ok(taken(&mut values, 0))
    }

    /// What the merged state knows: what all share, what follows at the root, and the disjunction of the rest.
    pub fn facts(&self) -> Facts {
        let first = self.nodes[0].facts.iter().cloned();
        let facts = first.fold(self.shared.clone(), |facts, fact| facts.with(fact));
        facts.with(self.rest(0).clone())
    }
}

/// The tree of lists of facts. `None` if one of them is the beginning of another one.
fn tree(own: &[Vec<Term>]) -> Option<Vec<Node>> {
    let mut nodes = vec![Node::default()];
    let mut work = vec![(0, (0..own.len()).collect::<Vec<usize>>(), 0)];
    while let Some((node, members, mut at)) = work.pop() {
        let leader = &own[members[0]];
        if let [member] = members[..] {
            nodes[node].facts.extend_from_slice(&leader[at..]);
            nodes[node].member = member;
            continue;
        }
        while let Some(fact) = leader.get(at)
            && members.iter().all(|m| own[*m].get(at) == Some(fact))
        {
            nodes[node].facts.push(fact.clone());
            at += 1;
        }
        let mut sides: Vec<(&Term, Vec<usize>)> = Vec::new();
        for member in members {
            let fact = own[member].get(at)?;
            match sides.iter_mut().find(|(first, _)| *first == fact) {
                Some((_, side)) => side.push(member),
                None => sides.push((fact, vec![member])),
            }
        }
        for (_, side) in sides {
            let number = nodes.len();
            nodes.push(Node::default());
            nodes[node].sides.push(number);
            work.push((number, side, at));
        }
    }
    Some(nodes)
}

/// Whether two conditions cannot both hold, as far as their form says it.
fn are_apart(store: &TermStore, a: &Term, b: &Term) -> bool {
    let refutes = |one: &Term, other: &Term| {
        let not = store.not(one);
        let mut parts = vec![other];
        while let Some(part) = parts.pop() {
            if *part == not || are_different_values(one, part) {
                return true;
            }
            if let Op::And = part.op() {
                parts.extend([part.arg(0), part.arg(1)]);
            }
        }
        false
    };
    refutes(a, b) || refutes(b, a)
}

/// Whether they say that one term has two values.
fn are_different_values(a: &Term, b: &Term) -> bool {
    let (Op::Eq, Op::Eq) = (a.op(), b.op()) else {
        return false;
    };
    let same = |i: usize, j: usize| {
        let (value, other) = (a.arg(1 - i).as_const(), b.arg(1 - j).as_const());
        a.arg(i) == b.arg(j) && value.is_some() && other.is_some() && value != other
    };
    [(0, 0), (0, 1), (1, 0), (1, 1)]
        .into_iter()
        .any(|(i, j)| same(i, j))
}

/// Some facts and a condition.
fn joined(store: &TermStore, facts: &[Term], rest: Term) -> Term {
    facts
        .iter()
        .rev()
        .fold(rest, |rest, fact| store.and(fact, &rest))
}

fn taken<T>(values: &mut [Option<T>], number: usize) -> T {
    values[number].take().expect("sides come later in the list")
}

/// The facts behind the first ones, oldest first.
fn behind(facts: &Facts, first: usize) -> Vec<Term> {
    let mut own: Vec<Term> = facts.iter().take(facts.len() - first).cloned().collect();
    own.reverse();
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{BitVec, Evaluator, Model, Sort, Value};

    fn facts(terms: &[&Term]) -> Facts {
        terms.iter().map(|term| (*term).clone()).collect()
    }

    /// Paths of a made-up tree: each node is a branch on one of a few conditions, or a switch on a byte, or learns something.
    fn paths(store: &TermStore, seed: u64) -> Vec<Facts> {
        let mut state = seed;
        let mut next = move |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % n
        };
        let byte = |i: u64| store.symbol(&format!("x{i}"), Sort::BitVec(8));
        let start = store.bv_ult(&byte(0), &store.bv(8, 200));
        let mut all = vec![facts(&[&start])];
        for _ in 0..1 + next(6) {
            let path = all.swap_remove(next(all.len() as u64) as usize);
            let (x, k) = (byte(next(3)), store.bv(8, next(7)));
            let below = store.bv_ult(&x, &k);
            match next(3) {
                0 => all.push(path.with(store.not(&below))),
                1 => all.extend([path.with(below.clone()), path.with(store.not(&below))]),
                _ => {
                    let (one, two) = (store.eq(&x, &store.bv(8, 1)), store.eq(&x, &store.bv(8, 2)));
                    let neither = store.and(&store.not(&one), &store.not(&two));
                    all.extend([path.with(one), path.with(two), path.with(neither)]);
                }
            }
        }
        all
    }

    fn holds(facts: &Facts, model: &Model) -> bool {
        let mut evaluator = Evaluator::new();
        facts.iter().all(|fact| evaluator.eval_bool(fact, model))
    }

    /// All models of three bytes below 9.
    fn models(store: &TermStore) -> impl Iterator<Item = Model> {
        (0..9 * 9 * 9).map(move |number| {
            let mut model = Model::new();
            for (i, v) in [number % 9, number / 9 % 9, number / 81]
                .into_iter()
                .enumerate()
            {
                let symbol = store.symbol(&format!("x{i}"), Sort::BitVec(8));
                model.set(symbol, Value::Bv(BitVec::new(8, v)));
            }
            model
        })
    }

    /// Whether no model of three small bytes has some facts and a claim.
    fn refuted(store: &TermStore) -> impl Fn(&Facts, &Term) -> bool {
        |facts, claim| {
            let all = facts.with(claim.clone());
            models(store).all(|model| !holds(&all, &model))
        }
    }

    #[test]
    fn the_choice_is_the_members_value_and_the_facts_are_the_members() {
        let store = TermStore::new();
        for seed in 0..200 {
            let all = paths(&store, seed);
            let members: Vec<&Facts> = all.iter().collect();
            let Some(alternatives) = Alternatives::of(&members, &store, refuted(&store)) else {
                assert!(all.len() > 1, "one path is told apart from nothing");
                continue;
            };
            let merged = alternatives.facts();
            let value = alternatives.choose(
                |member| store.bv(8, member as u64),
                |condition, a, b| Ok::<Term, ()>(store.ite(condition, a, b)),
            );
            let value = value.expect("nothing is refused");
            for model in models(&store) {
                let of: Vec<usize> = (0..all.len()).filter(|i| holds(&all[*i], &model)).collect();
                assert!(of.len() < 2, "seed {seed}: guards exclude each other");
                assert_eq!(holds(&merged, &model), of.len() == 1, "seed {seed}");
                if let [member] = of[..] {
                    let mut evaluator = Evaluator::new();
                    let expected = BitVec::new(8, member as u64);
                    assert_eq!(evaluator.eval_bv(&value, &model), expected, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_path_is_not_merged_with_itself() {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::Bool);
        let path = facts(&[&x]);
        assert!(Alternatives::of(&[&path, &path.clone()], &store, refuted(&store)).is_none());
        let longer = path.with(store.symbol("y", Sort::Bool));
        assert!(Alternatives::of(&[&path, &longer], &store, refuted(&store)).is_none());
        let alone = Alternatives::of(&[&longer], &store, refuted(&store)).expect("one member");
        assert!(alone.facts().iter().eq(longer.iter()));
    }

    /// Members whose first facts do not exclude each other, in every order: a merged path, whose first fact is a disjunction,
    /// and the path that it was not merged with.
    #[test]
    fn a_first_fact_that_excludes_nothing_is_no_guard() {
        let store = TermStore::new();
        let byte = |i: u64| store.symbol(&format!("x{i}"), Sort::BitVec(8));
        let below = |i: u64| store.bv_ult(&byte(i), &store.bv(8, 4));
        let (g, h) = (below(0), below(1));
        let (not_g, not_h) = (store.not(&g), store.not(&h));
        let merged = facts(&[&store.ite(&g, &store.bool(true), &h)]);
        let other = facts(&[&not_g, &not_h]);
        for members in [[&merged, &other], [&other, &merged]] {
            let alternatives = Alternatives::of(&members, &store, refuted(&store)).expect("apart");
            let value = alternatives.choose(
                |member| store.bv(8, member as u64),
                |condition, a, b| Ok::<Term, ()>(store.ite(condition, a, b)),
            );
            let value = value.expect("nothing is refused");
            for model in models(&store) {
                let of: Vec<usize> = (0..2).filter(|i| holds(members[*i], &model)).collect();
                let [member] = of[..] else {
                    panic!("each input is of one of them");
                };
                let expected = BitVec::new(8, member as u64);
                assert_eq!(Evaluator::new().eval_bv(&value, &model), expected);
            }
        }
        // Inputs of both: which one goes on is not said.
        assert!(
            Alternatives::of(&[&facts(&[&g]), &facts(&[&h])], &store, refuted(&store)).is_none()
        );
    }
}
