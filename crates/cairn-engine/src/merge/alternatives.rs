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
//! Sides are told apart by guards of one step, which exclude each other. A member whose list is the beginning of another
//! one's has none, and then nothing is merged. The facts of the merged state are what all share and, in place of what each
//! member knows, the disjunction of that.
//!
//! # Cost
//!
//! Time in the facts that the members do not share.

use cairn_expr::{Term, TermStore};
use cairn_solver::Facts;

struct Node {
    /// Facts that all members below have here. The first tells this node from its siblings.
    facts: Vec<Term>,
    /// Later in the list of nodes.
    sides: Vec<usize>,
    member: usize,
}

/// See the module's head.
pub(super) struct Alternatives {
    shared: Facts,
    nodes: Vec<Node>,
    /// What each member knows beside what all share.
    own: Vec<Vec<Term>>,
}

impl Alternatives {
    /// The tree of the facts of several members. `None` if they do not tell the members apart.
    pub fn of(all: &[&Facts]) -> Option<Alternatives> {
        let first = *all.first()?;
        let shared = all.iter().map(|facts| first.common_prefix(facts)).min()?;
        let own: Vec<Vec<Term>> = all.iter().map(|facts| behind(facts, shared)).collect();
        let mut prefix = first;
        while prefix.len() > shared {
            prefix = prefix.parent()?;
        }
        let mut nodes = vec![Node {
            facts: Vec::new(),
            sides: Vec::new(),
            member: 0,
        }];
        let mut work = vec![(0, (0..all.len()).collect::<Vec<usize>>(), 0)];
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
                nodes.push(Node {
                    facts: Vec::new(),
                    sides: Vec::new(),
                    member: 0,
                });
                nodes[node].sides.push(number);
                work.push((number, side, at));
            }
        }
        Some(Alternatives {
            shared: prefix.clone(),
            nodes,
            own,
        })
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
                        value = either(&self.nodes[*side].facts[0], &other, &value)?;
                    }
                    value
                }
            };
            values[number] = Some(value);
        }
        Ok(taken(&mut values, 0))
    }

    /// What the merged state knows: what all share, what follows at the root, and the disjunction of the rest.
    pub fn facts(&self, store: &TermStore) -> Facts {
        let mut rests: Vec<Option<Term>> = self.nodes.iter().map(|_| None).collect();
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let rest = match node.sides[..] {
                [] => store.bool(true),
                [a, b] if self.nodes[a].facts[0] == store.not(&self.nodes[b].facts[0]) => {
                    let mut side = |n: usize| {
                        let rest = taken(&mut rests, n);
                        joined(store, &self.nodes[n].facts[1..], rest)
                    };
                    let (then, otherwise) = (side(a), side(b));
                    store.ite(&self.nodes[a].facts[0], &then, &otherwise)
                }
                _ => {
                    let mut any = store.bool(false);
                    for side in node.sides.iter().rev() {
                        let rest = taken(&mut rests, *side);
                        let all = joined(store, &self.nodes[*side].facts, rest);
                        any = store.or(&all, &any);
                    }
                    any
                }
            };
            rests[number] = Some(rest);
        }
        let root = taken(&mut rests, 0);
        let first = self.nodes[0].facts.iter().cloned();
        let facts = first.fold(self.shared.clone(), |facts, fact| facts.with(fact));
        facts.with(root)
    }
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

    #[test]
    fn the_choice_is_the_members_value_and_the_facts_are_the_members() {
        let store = TermStore::new();
        for seed in 0..200 {
            let all = paths(&store, seed);
            let members: Vec<&Facts> = all.iter().collect();
            let Some(alternatives) = Alternatives::of(&members) else {
                assert!(all.len() > 1, "one path is told apart from nothing");
                continue;
            };
            let merged = alternatives.facts(&store);
            let value = alternatives.choose(
                |member| store.bv(8, member as u64),
                |condition, a, b| Ok::<Term, ()>(store.ite(condition, a, b)),
            );
            let value = value.expect("nothing is refused");
            for (x, y, z) in
                (0..9).flat_map(|x| (0..9).flat_map(move |y| (0..9).map(move |z| (x, y, z))))
            {
                let mut model = Model::new();
                for (i, v) in [x, y, z].into_iter().enumerate() {
                    let symbol = store.symbol(&format!("x{i}"), Sort::BitVec(8));
                    model.set(symbol, Value::Bv(BitVec::new(8, v)));
                }
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
        assert!(Alternatives::of(&[&path, &path.clone()]).is_none());
        let longer = path.with(store.symbol("y", Sort::Bool));
        assert!(Alternatives::of(&[&path, &longer]).is_none());
        let alone = Alternatives::of(&[&longer]).expect("one member");
        assert!(alone.facts(&store).iter().eq(longer.iter()));
    }
}
