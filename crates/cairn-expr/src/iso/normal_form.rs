//! A list of terms, written down without the names of leaves.

use super::colours::Colours;
use super::graph::TermGraph;
use crate::store::mix;
use crate::{BaseKind, BitVec, Model, Op, Sort, Table, Term, Value};
use std::sync::Arc;

/// A list with more nodes has no normal form here.
const MOST_NODES: usize = 1 << 15;

/// A list of terms as it is under every renaming of its leaves. Equal normal forms are equal lists up to the bijection
/// that maps [`NormalForm::leaves`] of one to those of the other, place by place; [`NormalForm::members`] correspond in
/// the same way.
pub struct NormalForm {
    structure: Structure,
    leaves: Vec<Term>,
    members: Vec<usize>,
}

/// What two lists have in common that are equal up to a renaming: all but the leaves. It belongs to no store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// First, because it mostly tells two of them apart.
    hash: u64,
    bytes: Box<[u8]>,
    /// Constant arrays, in order of appearance.
    tables: Box<[Arc<Table>]>,
}

impl Structure {
    /// The same for equal structures, in every run.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        self.bytes.len() + 16 * self.tables.len()
    }

    /// All of it as bytes: equal structures have equal bytes, and no others have them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len() + 8);
        number(&mut bytes, self.bytes.len() as u64);
        bytes.extend_from_slice(&self.bytes);
        for table in &self.tables {
            number(&mut bytes, u64::from(table.index_width()));
            number(&mut bytes, table.values().len() as u64);
            for value in table.values().iter().chain([table.default_value()]) {
                bits(&mut bytes, value);
            }
        }
        bytes
    }
}

impl NormalForm {
    /// The normal form of a list; `None` if it has too many nodes.
    pub fn of(list: &[Term]) -> Option<NormalForm> {
        let graph = TermGraph::of(list, MOST_NODES)?;
        let colours = Colours::refined(&graph);
        let mut members: Vec<usize> = (0..list.len()).collect();
        members.sort_by_key(|m| colours.of[graph.roots[*m] as usize]);
        let mut writer = Writer {
            graph: &graph,
            colours: &colours,
            number: vec![u32::MAX; graph.nodes.len()],
            next: 0,
            bytes: Vec::with_capacity(graph.nodes.len() * 5),
            tables: Vec::new(),
            leaves: Vec::with_capacity(graph.leaves.len()),
        };
        for member in &members {
            writer.write(graph.roots[*member]);
        }
        number(&mut writer.bytes, members.len() as u64);
        for member in &members {
            let at = writer.number[graph.roots[*member] as usize];
            number(&mut writer.bytes, u64::from(at));
        }
        let hash = writer.hash();
        let (bytes, tables, leaves) = (writer.bytes, writer.tables, writer.leaves);
        Some(NormalForm {
            structure: Structure {
                hash,
                bytes: bytes.into(),
                tables: tables.into(),
            },
            leaves,
            members,
        })
    }

    /// What is the same for all lists that are equal to this one up to a renaming.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The leaves in an order that does not depend on their names.
    pub fn leaves(&self) -> &[Term] {
        &self.leaves
    }

    /// The members of the list, by their places in it, in an order that does not depend on names.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// The bijection to the leaves of another list that is equal to this one up to a renaming.
    pub fn renaming<'a>(
        &'a self,
        other: &'a NormalForm,
    ) -> Option<impl Iterator<Item = (&'a Term, &'a Term)>> {
        (self.structure == other.structure).then(|| self.leaves.iter().zip(&other.leaves))
    }

    /// What a model says of the leaves, in their order; nothing of bases.
    pub fn values(&self, model: &Model) -> Vec<Option<Value>> {
        let value = |leaf: &Term| {
            leaf.as_symbol()?;
            Some(
                model
                    .get(leaf)
                    .cloned()
                    .unwrap_or_else(|| Value::zero(leaf.sort())),
            )
        };
        self.leaves.iter().map(value).collect()
    }

    /// The model in which the leaves have some values; `None` if their sorts are others.
    pub fn model(&self, values: &[Option<Value>]) -> Option<Model> {
        if values.len() != self.leaves.len() {
            return None;
        }
        let mut model = Model::new();
        for (leaf, value) in self.leaves.iter().zip(values) {
            match (leaf.as_symbol(), value) {
                (Some(_), Some(value)) if fits(leaf.sort(), value) => {
                    model.set(leaf.clone(), value.clone());
                }
                (None, None) => {}
                (Some(_) | None, Some(_) | None) => return None,
            }
        }
        Some(model)
    }
}

/// Whether a value is of a sort.
fn fits(sort: Sort, value: &Value) -> bool {
    match (sort, value) {
        (Sort::Bool, Value::Bool(_)) => true,
        (Sort::BitVec(width), Value::Bv(value)) => value.width() == width,
        (Sort::Array { index, value }, Value::Array(array)) => {
            array.index_width() == index && array.default_value().width() == value
        }
        (Sort::Bool | Sort::BitVec(_) | Sort::Array { .. }, _) => false,
    }
}

/// Writes nodes in an order that does not depend on names.
struct Writer<'a> {
    graph: &'a TermGraph,
    colours: &'a Colours,
    /// The numbers of the nodes that are written.
    number: Vec<u32>,
    next: u32,
    bytes: Vec<u8>,
    tables: Vec<Arc<Table>>,
    leaves: Vec<Term>,
}

impl Writer<'_> {
    /// The operands of a node in the order in which they are written.
    fn args(&self, node: u32) -> [Option<u32>; 3] {
        let args = self.graph.args(node as usize);
        let mut all = [None; 3];
        for (slot, arg) in all.iter_mut().zip(args) {
            *slot = Some(*arg);
        }
        if let ([Some(a), Some(b), _], true) = (all, self.graph.nodes[node as usize].commutative) {
            let colour = |n: u32| self.colours.of[n as usize];
            if colour(b) < colour(a) {
                all.swap(0, 1);
            }
        }
        all
    }

    /// Writes what is below a node and was not written yet, and the node.
    fn write(&mut self, root: u32) {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.number[node as usize] != u32::MAX {
                stack.pop();
                continue;
            }
            let args = self.args(node);
            let before = stack.len();
            let missing = args.iter().rev().flatten();
            stack.extend(missing.filter(|a| self.number[**a as usize] == u32::MAX));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.node(node);
            for arg in args.iter().flatten() {
                let back = self.next - self.number[*arg as usize];
                number(&mut self.bytes, u64::from(back));
            }
            self.number[node as usize] = self.next;
            self.next += 1;
        }
    }

    /// Writes a node without its operands.
    fn node(&mut self, node: u32) {
        let term = &self.graph.nodes[node as usize].term;
        let op = term.op();
        let out = &mut self.bytes;
        number(out, op.info().code);
        match op {
            Op::Bool(value) => out.push(u8::from(*value)),
            Op::Const(value) => bits(out, value),
            Op::Base(base) => {
                number(out, base.capacity);
                number(out, base.alignment);
                out.push(kind_code(base.kind));
                self.leaves.push(term.clone());
            }
            Op::Symbol(_) => {
                sort(out, term.sort());
                self.leaves.push(term.clone());
            }
            Op::Table(table) => self.tables.push(Arc::clone(table)),
            Op::Extract { hi, lo } => {
                number(out, u64::from(*hi));
                number(out, u64::from(*lo));
            }
            Op::ZeroExtend(n) | Op::SignExtend(n) | Op::ConstArray { index: n } => {
                number(out, u64::from(*n));
            }
            Op::Not
            | Op::And
            | Op::Eq
            | Op::Ite
            | Op::BvNot
            | Op::BvNeg
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::Concat
            | Op::BvUlt
            | Op::BvSlt
            | Op::Select
            | Op::Store => {}
        }
    }

    fn hash(&self) -> u64 {
        let mut hash = mix(4, self.bytes.len() as u64);
        for chunk in self.bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = mix(hash, u64::from_le_bytes(word));
        }
        // Tables were hashed when their terms were made, and are among the colours of the members.
        for root in &self.graph.roots {
            hash = hash.wrapping_add(self.colours.of[*root as usize]);
        }
        hash
    }
}

fn kind_code(kind: BaseKind) -> u8 {
    match kind {
        BaseKind::Heap => 0,
        BaseKind::Stack => 1,
        BaseKind::Global => 2,
        BaseKind::Constant => 3,
        BaseKind::Mapped => 4,
        BaseKind::Kernel => 5,
    }
}

/// Writes a number, seven bits to a byte, lowest first.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bits(out: &mut Vec<u8>, value: &BitVec) {
    number(out, u64::from(value.width()));
    for limb in value.limbs() {
        number(out, *limb);
    }
}

fn sort(out: &mut Vec<u8>, sort: Sort) {
    match sort {
        Sort::Bool => out.push(0),
        Sort::BitVec(width) => {
            out.push(1);
            number(out, u64::from(width));
        }
        Sort::Array { index, value } => {
            out.push(2);
            number(out, u64::from(index));
            number(out, u64::from(value));
        }
    }
}
