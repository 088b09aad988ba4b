//! A query of a journal as a graph whose leaves may be renamed.
//!
//! The conjuncts are a set. Operators whose operands may be exchanged and grouped have all of them as one set, where
//! the inner ones have no other user: how sums are grouped depends on the names of what is added.

use cairn_expr::{BitVec, Op, Sort};
use cairn_text::journal::Journal;
use std::hash::{Hash, Hasher};

/// Where addresses of objects are: globals, heap, code and stack with pointers of 8 bytes.
const ADDRESSES: std::ops::Range<u64> = 4 << 30..0x7fff_ffff_f000;

/// What a leaf is, as far as renaming goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeafClass {
    /// Means itself in every query.
    Fixed,
    /// A symbol.
    Input,
    /// Where an object begins.
    Base,
    /// A number of 64 bits that may be an address.
    Number,
}

/// A leaf.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub class: LeafClass,
    /// What only this leaf has.
    pub identity: u64,
    /// What all leaves have that it may be renamed to.
    pub alike: u64,
}

/// A node.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// Of an operator: itself and what it carries. Of a leaf: nothing.
    pub label: u64,
    pub leaf: Option<Leaf>,
    /// Whether the order of the operands says nothing.
    pub unordered: bool,
    pub args: Vec<u32>,
}

/// A query.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Operands before their users.
    pub nodes: Vec<GraphNode>,
    /// The conjuncts, each once.
    pub roots: Vec<u32>,
}

/// Builds graphs of a journal's queries.
pub struct GraphBuilder<'j> {
    journal: &'j Journal,
    /// The place of a journal's node in the graph that is being built.
    local: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

/// Mixes two words.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.rotate_left(23) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A hash in which every bit counts.
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = mix(self.0, u64::from_le_bytes(word));
        }
        self.0 = mix(self.0, bytes.len() as u64);
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = MixHasher(0x1d8e_4e27_c47d_124f);
    value.hash(&mut hasher);
    hasher.finish()
}

/// Whether a number may be an address.
pub fn is_address_like(value: &BitVec) -> bool {
    value.width() == 64 && value.to_u64().is_some_and(|n| ADDRESSES.contains(&n))
}

fn is_grouping(op: &Op) -> bool {
    match op {
        Op::And | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul => true,
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::Eq
        | Op::Ite
        | Op::BvNot
        | Op::BvNeg
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => false,
    }
}

fn number(value: &BitVec) -> Leaf {
    let identity = hash_of((1, value));
    match is_address_like(value) {
        true => Leaf {
            class: LeafClass::Number,
            identity,
            alike: hash_of(2),
        },
        false => fixed(identity),
    }
}

fn fixed(identity: u64) -> Leaf {
    Leaf {
        class: LeafClass::Fixed,
        identity,
        alike: identity,
    }
}

/// A leaf of a journal. Tables with addresses are no leaves: see `GraphBuilder`.
fn leaf(op: &Op, sort: Sort) -> Option<Leaf> {
    match op {
        Op::Bool(value) => Some(fixed(hash_of((3, value)))),
        Op::Const(value) => Some(number(value)),
        Op::Table(table) => Some(fixed(hash_of((4, table)))),
        Op::Symbol(symbol) => Some(Leaf {
            class: LeafClass::Input,
            identity: hash_of((5, symbol, sort)),
            alike: hash_of((6, sort)),
        }),
        Op::Base(base) => Some(Leaf {
            class: LeafClass::Base,
            identity: hash_of((7, base)),
            alike: hash_of((8, base.capacity, base.alignment, base.kind)),
        }),
        _ => None,
    }
}

impl<'j> GraphBuilder<'j> {
    pub fn new(journal: &'j Journal) -> Self {
        GraphBuilder {
            journal,
            local: vec![ABSENT; journal.nodes.len()],
        }
    }

    /// The journal's nodes below some conjuncts, operands before their users.
    pub fn below(&mut self, conjuncts: &[u32]) -> Vec<u32> {
        let mut all = Vec::new();
        let mut stack = conjuncts.to_vec();
        while let Some(node) = stack.pop() {
            let seen = &mut self.local[node as usize];
            if *seen == ABSENT {
                *seen = 0;
                all.push(node);
                stack.extend(&self.journal.nodes[node as usize].args);
            }
        }
        for node in &all {
            self.local[*node as usize] = ABSENT;
        }
        // Operands were written before their users.
        all.sort_unstable();
        all
    }

    /// The graph of a query.
    pub fn graph(&mut self, conjuncts: &[u32]) -> Graph {
        let nodes = &self.journal.nodes;
        let mut roots = Vec::new();
        let mut stack = conjuncts.to_vec();
        while let Some(root) = stack.pop() {
            match &nodes[root as usize].op {
                Op::And => stack.extend(&nodes[root as usize].args),
                Op::Bool(true) => {}
                _ => roots.push(root),
            }
        }
        roots.sort_unstable();
        roots.dedup();
        let all = self.below(&roots);
        let mut users = vec![0_u32; all.len()];
        for (at, node) in all.iter().enumerate() {
            self.local[*node as usize] = at as u32;
            for operand in &nodes[*node as usize].args {
                users[self.local[*operand as usize] as usize] += 1;
            }
        }
        for root in &roots {
            users[self.local[*root as usize] as usize] += 1;
        }
        // Which nodes became part of their only user, and the places of the others.
        let mut grouped: Vec<Option<Vec<u32>>> = vec![None; all.len()];
        let mut graph = Graph::default();
        let mut place = vec![ABSENT; all.len()];
        let mut only_user: Vec<Option<&Op>> = vec![None; all.len()];
        for node in &all {
            let node = &nodes[*node as usize];
            for operand in &node.args {
                only_user[self.local[*operand as usize] as usize] = Some(&node.op);
            }
        }
        for (at, number) in all.iter().enumerate() {
            let node = &nodes[*number as usize];
            let mut args = Vec::new();
            for operand in &node.args {
                let operand = self.local[*operand as usize] as usize;
                match &mut grouped[operand] {
                    Some(inner) => args.append(inner),
                    None => args.push(place[operand]),
                }
            }
            let joins = is_grouping(&node.op)
                && users[at] == 1
                && only_user[at] == Some(&node.op)
                && !roots.contains(number);
            if joins {
                grouped[at] = Some(args);
            } else {
                place[at] = graph.add(&node.op, node.sort, args);
            }
        }
        graph.roots = roots
            .iter()
            .map(|root| place[self.local[*root as usize] as usize])
            .collect();
        for node in all {
            self.local[node as usize] = ABSENT;
        }
        graph
    }
}

impl Graph {
    fn push(&mut self, node: GraphNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn add(&mut self, op: &Op, sort: Sort, args: Vec<u32>) -> u32 {
        // A table of pointers: its addresses are leaves, in their places.
        if let Op::Table(table) = op
            && table.values().iter().any(is_address_like)
        {
            let args = table.values().iter().map(|value| {
                let leaf = number(value);
                self.push(GraphNode {
                    label: 0,
                    leaf: Some(leaf),
                    unordered: false,
                    args: Vec::new(),
                })
            });
            let args = args.collect();
            return self.push(GraphNode {
                label: hash_of((9, table.index_width(), table.default_value())),
                leaf: None,
                unordered: false,
                args,
            });
        }
        let leaf = leaf(op, sort);
        self.push(GraphNode {
            label: match leaf {
                Some(_) => 0,
                None => hash_of((10, op, sort)),
            },
            leaf,
            unordered: is_grouping(op) || matches!(op, Op::Eq),
            args,
        })
    }

    /// Whether a leaf of a class occurs.
    pub fn has(&self, class: LeafClass) -> bool {
        let leaves = self.nodes.iter().filter_map(|node| node.leaf);
        leaves.into_iter().any(|leaf| leaf.class == class)
    }
}
