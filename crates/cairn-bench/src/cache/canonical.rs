//! Canonical forms of queries up to a renaming of leaves.
//!
//! # Problem
//!
//! Which queries of a run are equal up to a renaming of inputs, of bases, or of both? The answer must be right and complete, so
//! that it can judge a matcher that is fast and may miss some; and it must share no code with that.
//!
//! # Idea
//!
//! Colour refinement: the colour of a leaf is made of what is above it, of a node of what is below it, until no colours
//! split any more. Where leaves of one colour are left, each of them in turn is given a colour of its own. The smallest
//! result of all these ways is the canonical form.
//!
//! # Soundness
//!
//! Colours and results are hashes, of 64 and 128 bits: equal forms mean equal queries but for a chance that does not matter to
//! a measurement. Of two leaves of a colour one is left out if both give the same result for the same choices before: then a
//! renaming that keeps those choices takes one to the other, and all that follows is the same. A query with more ways than
//! [`MOST_WAYS`] has no form, and counts as equal to none.
//!
//! # Cost
//!
//! A few passes over the query for each colour that is given by hand.

use super::graph::{Graph, LeafClass, mix};

/// Ways that are tried for one query.
const MOST_WAYS: usize = 300;

/// What may be renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renaming {
    pub inputs: bool,
    pub bases: bool,
    pub numbers: bool,
}

impl Renaming {
    pub const NONE: Renaming = Renaming {
        inputs: false,
        bases: false,
        numbers: false,
    };
    pub const BASES: Renaming = Renaming {
        bases: true,
        ..Renaming::NONE
    };
    pub const INPUTS: Renaming = Renaming {
        inputs: true,
        ..Renaming::NONE
    };
    pub const BOTH: Renaming = Renaming {
        numbers: false,
        ..Renaming::ALL
    };
    /// Also numbers that may be addresses: more than is right.
    pub const ALL: Renaming = Renaming {
        inputs: true,
        bases: true,
        numbers: true,
    };

    fn renames(self, class: LeafClass) -> bool {
        match class {
            LeafClass::Fixed => false,
            LeafClass::Input => self.inputs,
            LeafClass::Base => self.bases,
            LeafClass::Number => self.numbers,
        }
    }
}

/// The leaves that may be renamed and their colours.
struct Colouring<'g> {
    graph: &'g Graph,
    /// Places of the leaves.
    leaves: Vec<usize>,
    /// Colours of all leaves of the graph, by place; of other nodes nothing.
    start: Vec<u64>,
}

/// A choice between leaves of one colour.
struct Choice {
    /// Colours before the choice.
    colours: Vec<u64>,
    /// Leaves that are still to be tried, places in `Colouring::leaves`.
    rest: Vec<usize>,
    /// The result of the first way of the first leaf.
    first: u128,
}

impl<'g> Colouring<'g> {
    fn new(graph: &'g Graph, renaming: Renaming) -> Self {
        let mut leaves = Vec::new();
        let mut start = vec![0; graph.nodes.len()];
        for (at, node) in graph.nodes.iter().enumerate() {
            let Some(leaf) = node.leaf else {
                continue;
            };
            if renaming.renames(leaf.class) {
                leaves.push(at);
                start[at] = leaf.alike;
            } else {
                start[at] = leaf.identity;
            }
        }
        Colouring {
            graph,
            leaves,
            start,
        }
    }

    /// A hash of every node from those of the leaves.
    fn upwards(&self, leaf: impl Fn(usize) -> u64, seed: u64, up: &mut Vec<u64>) {
        up.clear();
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let hash = match node.leaf {
                Some(_) => mix(leaf(at), seed),
                None if node.unordered => {
                    let parts = node.args.iter().map(|a| mix(up[*a as usize], seed));
                    let sum = parts.fold(0_u64, u64::wrapping_add);
                    mix(mix(node.label, seed), sum)
                }
                None => node
                    .args
                    .iter()
                    .fold(mix(node.label, seed), |h, a| mix(h, up[*a as usize])),
            };
            up.push(hash);
        }
    }

    /// A hash of the set of conjuncts.
    fn whole(&self, up: &[u64], seed: u64) -> u64 {
        let roots = self.graph.roots.iter();
        roots.fold(seed, |sum, root| {
            sum.wrapping_add(mix(up[*root as usize], seed))
        })
    }

    /// Colours of the leaves, one for each of `leaves`, refined until no more split.
    fn refine(&self, colours: &mut [u64]) {
        let nodes = &self.graph.nodes;
        let mut all = self.start.clone();
        let (mut up, mut down) = (Vec::new(), vec![0_u64; nodes.len()]);
        let mut count = distinct(colours);
        while count < colours.len() {
            for (leaf, colour) in self.leaves.iter().zip(&*colours) {
                all[*leaf] = *colour;
            }
            self.upwards(|at| all[at], 1, &mut up);
            down.fill(0);
            for root in &self.graph.roots {
                down[*root as usize] = down[*root as usize].wrapping_add(0x5bd1_e995);
            }
            for (at, node) in nodes.iter().enumerate().rev() {
                let above = mix(down[at], up[at]);
                for (position, operand) in node.args.iter().enumerate() {
                    let position = if node.unordered { 0 } else { position as u64 };
                    let part = mix(above, position + 1);
                    let sum = &mut down[*operand as usize];
                    *sum = sum.wrapping_add(part);
                }
            }
            for (leaf, colour) in self.leaves.iter().zip(&mut *colours) {
                *colour = mix(*colour, down[*leaf]);
            }
            let now = distinct(colours);
            if now == count {
                break;
            }
            count = now;
        }
    }

    /// The smallest class of leaves with one colour; of several the one of the smallest colour.
    fn class(&self, colours: &[u64]) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..colours.len()).collect();
        order.sort_unstable_by_key(|i| colours[*i]);
        let classes = order.chunk_by(|a, b| colours[*a] == colours[*b]);
        let several = classes.filter(|class| class.len() > 1);
        several
            .min_by_key(|class| class.len())
            .map(<[usize]>::to_vec)
    }

    /// The result where every leaf has its own colour. Colours depend on the form and the choices alone, so two equal results
    /// are of a renaming that keeps the choices.
    fn result(&self, colours: &[u64]) -> u128 {
        let mut names = self.start.clone();
        for (leaf, colour) in self.leaves.iter().zip(colours) {
            names[*leaf] = *colour;
        }
        let mut up = Vec::new();
        let half = |seed: u64, up: &mut Vec<u64>| {
            self.upwards(|at| names[at], seed, up);
            self.whole(up, seed)
        };
        u128::from(half(3, &mut up)) << 64 | u128::from(half(5, &mut up))
    }

    /// Goes down with the first leaf of each class; the choices on the way and the result.
    fn descend(&self, mut colours: Vec<u64>, ways: &mut usize) -> (Vec<Choice>, u128) {
        let mut choices = Vec::new();
        loop {
            self.refine(&mut colours);
            let Some(class) = self.class(&colours) else {
                break;
            };
            *ways += 1;
            choices.push(Choice {
                colours: colours.clone(),
                rest: class[1..].to_vec(),
                first: 0,
            });
            single_out(&mut colours, class[0]);
        }
        let result = self.result(&colours);
        for choice in &mut choices {
            choice.first = result;
        }
        (choices, result)
    }
}

/// Gives a leaf a colour of its own.
fn single_out(colours: &mut [u64], leaf: usize) {
    colours[leaf] = mix(colours[leaf], 0xc2b2_ae3d_27d4_eb4f);
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// A hash that equal queries share: cheap, and mostly already the difference.
pub fn invariant(graph: &Graph, renaming: Renaming) -> u64 {
    let colouring = Colouring::new(graph, renaming);
    let mut up = Vec::new();
    colouring.upwards(|at| colouring.start[at], 7, &mut up);
    colouring.whole(&up, 7)
}

/// The canonical form; `None` if it takes too long.
pub fn form(graph: &Graph, renaming: Renaming) -> Option<u128> {
    let colouring = Colouring::new(graph, renaming);
    let start = colouring.leaves.iter().map(|leaf| colouring.start[*leaf]);
    let mut ways = 0;
    let (mut choices, mut best) = colouring.descend(start.collect(), &mut ways);
    while let Some(choice) = choices.last_mut() {
        let Some(leaf) = choice.rest.pop() else {
            choices.pop();
            continue;
        };
        if ways > MOST_WAYS {
            return None;
        }
        let mut colours = choice.colours.clone();
        let first = choice.first;
        single_out(&mut colours, leaf);
        let (more, result) = colouring.descend(colours, &mut ways);
        ways += 1;
        if result != first {
            best = best.min(result);
            choices.extend(more);
        }
    }
    Some(best)
}
