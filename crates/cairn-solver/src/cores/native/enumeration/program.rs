//! Terms as a list of operations, evaluated again and again while bytes get values one after the other.
//!
//! # Idea
//! Bytes that get values have positions. A node knows on which of them it depends; when the byte at a position gets another
//! value, only the nodes that depend on it and were not known without it are computed. All other inputs are open: a node
//! has a value if it has that value whatever they are, as far as its operator shows it.
//!
//! # Soundness
//! A node that is known has its value under every assignment that agrees with the bytes that have values: operators are
//! applied to known operands by `cairn-expr`'s evaluator alone; a conjunction with a false operand is false, a conditional takes the
//! branch that its condition chooses, and a read finds its element by comparing known indices.

use cairn_expr::{BitVec, Op, Sort, Term, apply_operator, apply_to_words};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The depth of what has no value.
const OPEN: u8 = u8::MAX;

/// What a node is.
enum Code {
    /// An input that never gets a value, or an array: only reads look at it.
    Open,
    /// A byte that gets values.
    Byte,
    And,
    Ite,
    Read,
    Operator,
}

struct Node {
    term: Term,
    code: Code,
    args: SmallVec<[u32; 3]>,
    /// The positions of the bytes that it depends on.
    bytes: u32,
}

/// A node's value: a number of at most 64 bits.
#[derive(Clone, Copy)]
struct Slot {
    word: u64,
    /// The position of the byte with which it was known, plus one; 0 for a constant.
    depth: u8,
}

/// See the module's head.
pub struct ByteProgram {
    nodes: Vec<Node>,
    slots: Vec<Slot>,
    /// Values of more than 64 bits.
    wide: FxHashMap<u32, BitVec>,
    index: FxHashMap<u32, u32>,
    bytes: FxHashMap<u32, u8>,
    /// The nodes that depend on the byte at each position, operands first.
    of_byte: Vec<Vec<u32>>,
    /// Nodes that were computed.
    pub steps: u64,
}

impl ByteProgram {
    /// A program in which these symbols get values, at most 32, in this order.
    pub fn new(symbols: &[Term]) -> Self {
        let bytes = symbols.iter().zip(0u8..).map(|(s, at)| (s.id(), at));
        ByteProgram {
            nodes: Vec::new(),
            slots: Vec::new(),
            wide: FxHashMap::default(),
            index: FxHashMap::default(),
            bytes: bytes.collect(),
            of_byte: vec![Vec::new(); symbols.len()],
            steps: 0,
        }
    }

    /// The node of a term; with its operands, if it is new.
    pub fn add(&mut self, root: &Term) -> u32 {
        let mut stack = vec![root.clone()];
        while let Some(term) = stack.last() {
            if self.index.contains_key(&term.id()) {
                stack.pop();
                continue;
            }
            let missing = |t: &&Term| !self.index.contains_key(&t.id());
            let missing: Vec<Term> = term.args().iter().filter(missing).cloned().collect();
            if missing.is_empty() {
                let term = stack.pop().expect("the last one");
                self.add_node(term);
            } else {
                stack.extend(missing);
            }
        }
        self.index[&root.id()]
    }

    fn add_node(&mut self, term: Term) {
        let at = u32::try_from(self.nodes.len()).expect("fewer terms than ids");
        let args: SmallVec<[u32; 3]> = term.args().iter().map(|a| self.index[&a.id()]).collect();
        let mut bytes = args
            .iter()
            .fold(0, |b, &a| b | self.nodes[a as usize].bytes);
        let mut slot = Slot {
            word: 0,
            depth: OPEN,
        };
        let code = match term.op() {
            Op::Bool(b) => {
                slot = Slot {
                    word: u64::from(*b),
                    depth: 0,
                };
                Code::Open
            }
            Op::Const(v) => {
                slot = Slot {
                    word: v.low_u64(),
                    depth: 0,
                };
                if v.width() > 64 {
                    self.wide.insert(at, v.clone());
                }
                Code::Open
            }
            Op::Base(base) => {
                slot = Slot {
                    word: base.address,
                    depth: 0,
                };
                Code::Open
            }
            Op::Symbol(_) => match self.bytes.get(&term.id()) {
                Some(position) => {
                    bytes = 1 << position;
                    Code::Byte
                }
                None => Code::Open,
            },
            _ if term.sort().is_array() => Code::Open,
            Op::Eq if term.arg(0).sort().is_array() => Code::Open,
            Op::And => Code::And,
            Op::Ite => Code::Ite,
            Op::Select => Code::Read,
            _ => Code::Operator,
        };
        if matches!(code, Code::And | Code::Ite | Code::Read | Code::Operator) {
            for (position, list) in self.of_byte.iter_mut().enumerate() {
                if bytes >> position & 1 == 1 {
                    list.push(at);
                }
            }
        }
        self.index.insert(term.id(), at);
        self.nodes.push(Node {
            term,
            code,
            args,
            bytes,
        });
        self.slots.push(slot);
        // What depends on no byte may be known all the same: a read of a table at a constant that a store hid, for example.
        if bytes == 0 {
            self.compute(at, 0);
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The positions of the bytes that a node depends on.
    pub fn bytes_of(&self, node: u32) -> u32 {
        self.nodes[node as usize].bytes
    }

    /// Gives the byte at a position a value; those before it keep theirs, those after it have none now.
    pub fn set(&mut self, position: usize, symbol: &Term, value: u64) {
        let depth = position as u8 + 1;
        if let Some(&at) = self.index.get(&symbol.id()) {
            self.slots[at as usize] = Slot { word: value, depth };
        }
        let list = std::mem::take(&mut self.of_byte[position]);
        for &at in &list {
            if self.slots[at as usize].depth >= depth {
                self.compute(at, depth);
            }
        }
        self.steps += list.len() as u64;
        self.of_byte[position] = list;
    }

    /// Whether a Boolean node holds, if that is known with the bytes up to a position.
    pub fn truth(&self, node: u32, position: usize) -> Option<bool> {
        let slot = self.slots[node as usize];
        (usize::from(slot.depth) <= position + 1).then_some(slot.word != 0)
    }

    /// Whether an operand is known at this depth: bytes after it may have values of another assignment.
    fn known(&self, at: u32, depth: u8) -> bool {
        self.slots[at as usize].depth <= depth
    }

    fn compute(&mut self, at: u32, depth: u8) {
        let node = &self.nodes[at as usize];
        let known = |a: u32| self.known(a, depth);
        let found = match node.code {
            Code::Open | Code::Byte => return,
            Code::And => {
                let is = |a: u32| known(a).then(|| self.slots[a as usize].word != 0);
                match (is(node.args[0]), is(node.args[1])) {
                    (Some(false), _) | (_, Some(false)) => Some(NodeValue::Word(0)),
                    (Some(true), Some(true)) => Some(NodeValue::Word(1)),
                    _ => None,
                }
            }
            Code::Ite => {
                let [condition, then, other] = [0, 1, 2].map(|i| node.args[i]);
                let taken = if known(condition) {
                    let holds = self.slots[condition as usize].word != 0;
                    Some(if holds { then } else { other })
                } else if known(then) && known(other) && self.same(then, other) {
                    Some(then)
                } else {
                    None
                };
                taken.filter(|t| known(*t)).map(|t| self.value(t))
            }
            Code::Read => self.read(node.args[0], node.args[1], depth),
            Code::Operator if node.args.iter().all(|a| known(*a)) => Some(self.apply(node)),
            Code::Operator => None,
        };
        match found {
            None => self.slots[at as usize].depth = OPEN,
            Some(NodeValue::Word(word)) => self.slots[at as usize] = Slot { word, depth },
            Some(NodeValue::Wide(value)) => {
                self.wide.insert(at, value);
                self.slots[at as usize] = Slot { word: 0, depth };
            }
        }
    }

    fn is_wide(&self, at: u32) -> bool {
        matches!(self.nodes[at as usize].term.sort(), Sort::BitVec(w) if w > 64)
    }

    fn same(&self, a: u32, b: u32) -> bool {
        match self.is_wide(a) {
            true => self.wide[&a] == self.wide[&b],
            false => self.slots[a as usize].word == self.slots[b as usize].word,
        }
    }

    fn value(&self, at: u32) -> NodeValue {
        match self.is_wide(at) {
            true => NodeValue::Wide(self.wide[&at].clone()),
            false => NodeValue::Word(self.slots[at as usize].word),
        }
    }

    fn word(&self, at: u32) -> BitVec {
        match self.nodes[at as usize].term.sort() {
            Sort::BitVec(w) if w > 64 => self.wide[&at].clone(),
            Sort::BitVec(w) => BitVec::new(w, self.slots[at as usize].word),
            Sort::Bool | Sort::Array { .. } => BitVec::new(1, self.slots[at as usize].word),
        }
    }

    fn apply(&self, node: &Node) -> NodeValue {
        let narrow = !node.args.iter().any(|a| self.is_wide(*a));
        let operand = |i: usize| self.slots[node.args[i] as usize].word;
        if narrow && let Some(word) = apply_to_words(&node.term, operand) {
            return NodeValue::Word(word);
        }
        let args: SmallVec<[BitVec; 2]> = node.args.iter().map(|a| self.word(*a)).collect();
        let args: SmallVec<[&BitVec; 2]> = args.iter().collect();
        let value = apply_operator(node.term.op(), &args);
        match value.width() {
            0..=64 => NodeValue::Word(value.low_u64()),
            _ => NodeValue::Wide(value),
        }
    }

    /// An element of an array, if the way to it is known.
    fn read(&self, mut array: u32, index: u32, depth: u8) -> Option<NodeValue> {
        if !self.known(index, depth) {
            return None;
        }
        loop {
            let node = &self.nodes[array as usize];
            match node.term.op() {
                Op::Table(table) => {
                    let element = table.get(&self.word(index));
                    return Some(match element.width() {
                        0..=64 => NodeValue::Word(element.low_u64()),
                        _ => NodeValue::Wide(element.clone()),
                    });
                }
                Op::ConstArray { .. } => {
                    let element = node.args[0];
                    return self.known(element, depth).then(|| self.value(element));
                }
                Op::Store => {
                    let (at, element) = (node.args[1], node.args[2]);
                    if !self.known(at, depth) {
                        return None;
                    }
                    if self.same(at, index) {
                        return self.known(element, depth).then(|| self.value(element));
                    }
                    array = node.args[0];
                }
                Op::Ite => {
                    let condition = node.args[0];
                    if !self.known(condition, depth) {
                        return None;
                    }
                    let holds = self.slots[condition as usize].word != 0;
                    array = node.args[if holds { 1 } else { 2 }];
                }
                _ => return None,
            }
        }
    }
}

/// A value that was computed.
enum NodeValue {
    Word(u64),
    Wide(BitVec),
}
