//! Bit-blasting: terms to gates, each term once per circuit, without recursion.
//!
//! A read of an array becomes a free word; `arrays/refinement.rs` adds axioms about it when an assignment
//! violates them. A read of a small constant table is a circuit.

use super::gates::{Gates, Lit};
use super::operators::{Bits, WordCircuits};
use crate::cores::native::arrays::{ArrayOptions, IndexSum};
use crate::{Budget, UnknownReason};
use cairn_expr::{
    BitVec, Evaluator, Model, Op, PostOrder, Sort, Support, Table, Term, TermStore, Value,
};
use rustc_hash::FxHashMap;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

/// A term with more nodes than this is not evaluated for every value of its input.
const LARGEST_TABULATED: u64 = 200;

/// Where the bits of a term start. The birth tells terms with a recycled id apart.
#[derive(Clone, Copy)]
struct WordPosition {
    birth: u64,
    start: u32,
}

const NOT_BLASTED: WordPosition = WordPosition {
    birth: u64::MAX,
    start: 0,
};

/// An equality between arrays: a free literal, and reads at an index where the arrays differ if
/// they are not equal.
pub struct ArrayEquality {
    /// Both sides read at the witness index.
    pub witnesses: [Term; 2],
}

/// The gates, and where each term is among them.
pub struct Blaster {
    /// The circuit.
    pub gates: Gates,
    words: Vec<Lit>,
    positions: Vec<WordPosition>,
    /// Keeps blasted terms alive, so that their ids stay theirs.
    kept: Vec<Term>,
    /// Equalities between arrays by term id.
    pub equalities: FxHashMap<u32, ArrayEquality>,
    /// Literals that must hold in every query.
    pub pending: Vec<Lit>,
    /// How often a read (by birth) disagreed with another read; see `arrays/refinement.rs`.
    pub conflicts: FxHashMap<u64, u32>,
    /// How arrays are encoded.
    pub arrays: ArrayOptions,
    /// Reads that were rewritten, by birth, and the terms that stand for them.
    pub expanded: FxHashMap<u64, Term>,
    /// Indices as sums, by birth; see `arrays/index_sum.rs`.
    sums: FxHashMap<u64, Option<Rc<IndexSum>>>,
    evaluator: Evaluator,
    stack: Vec<Term>,
}

impl Blaster {
    /// An empty circuit.
    pub fn new(arrays: ArrayOptions) -> Self {
        Blaster {
            gates: Gates::new(),
            words: Vec::new(),
            positions: Vec::new(),
            kept: Vec::new(),
            equalities: FxHashMap::default(),
            pending: Vec::new(),
            conflicts: FxHashMap::default(),
            arrays,
            expanded: FxHashMap::default(),
            sums: FxHashMap::default(),
            evaluator: Evaluator::new(),
            stack: Vec::new(),
        }
    }

    /// The number of terms in the circuit.
    pub fn terms(&self) -> usize {
        self.kept.len()
    }

    #[inline]
    fn position(&self, term: &Term) -> Option<u32> {
        let position = self.positions.get(term.id() as usize)?;
        (position.birth == term.birth()).then_some(position.start)
    }

    fn range(&self, term: &Term) -> Range<usize> {
        let start = self.position(term).expect("blasted before") as usize;
        let width = match term.sort() {
            Sort::Bool => 1,
            Sort::BitVec(w) => w as usize,
            Sort::Array { .. } => 0,
        };
        start..start + width
    }

    /// The bits of a term that was blasted, least significant first.
    pub fn bits(&self, term: &Term) -> &[Lit] {
        &self.words[self.range(term)]
    }

    /// The literal of a Boolean term that was blasted.
    pub fn lit(&self, term: &Term) -> Lit {
        self.words[self.range(term).start]
    }

    /// Whether a term is in the circuit by itself: what lies below a tabulated term is not.
    pub fn contains(&self, term: &Term) -> bool {
        self.position(term).is_some()
    }

    /// Puts a term into the circuit.
    pub fn blast(
        &mut self,
        store: &TermStore,
        root: &Term,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        if self.position(root).is_some() {
            return Ok(());
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(root.clone());
        let mut steps = 0u32;
        let gates_before = self.gates.len();
        while let Some(term) = stack.last().cloned() {
            steps = steps.wrapping_add(1);
            budget.check_gates(self.gates.len() - gates_before)?;
            if steps.is_multiple_of(512) {
                let stop = budget.exhausted().or_else(|| {
                    steps
                        .is_multiple_of(65536)
                        .then(|| budget.exhausted_memory())
                        .flatten()
                });
                if let Some(reason) = stop {
                    return Err(reason);
                }
            }
            if self.position(&term).is_some() {
                stack.pop();
                continue;
            }
            if let Some(input) = single_small_input(&term) {
                stack.pop();
                self.tabulate(&term, &input);
                continue;
            }
            let before = stack.len();
            for arg in term.args() {
                if self.position(arg).is_none() {
                    stack.push(arg.clone());
                }
            }
            if stack.len() > before {
                continue;
            }
            if matches!(term.op(), Op::Eq) && term.arg(0).sort().is_array() {
                let witnesses = self.witnesses(store, &term);
                for w in &witnesses {
                    if self.position(w).is_none() {
                        stack.push(w.clone());
                    }
                }
                if stack.len() > before {
                    continue;
                }
                stack.pop();
                self.array_equality(&term, budget);
                continue;
            }
            if let Some(written) = self.rewritten(store, &term) {
                if self.position(&written).is_none() {
                    stack.push(written);
                    continue;
                }
                stack.pop();
                let bits = self.bits(&written).to_vec();
                self.put(&term, &bits);
                continue;
            }
            stack.pop();
            let bits = self.encode(&term, budget)?;
            self.put(&term, &bits);
        }
        self.stack = stack;
        Ok(())
    }

    fn put(&mut self, term: &Term, bits: &[Lit]) {
        let id = term.id() as usize;
        if id >= self.positions.len() {
            self.positions.resize(id + id / 2 + 64, NOT_BLASTED);
        }
        self.positions[id] = WordPosition {
            birth: term.birth(),
            start: u32::try_from(self.words.len()).expect("fewer than 2^32 bits in a context"),
        };
        self.words.extend_from_slice(bits);
        self.kept.push(term.clone());
    }

    /// A Boolean of one small input becomes its truth table, as a decision diagram over the input's bits:
    /// at most a few dozen gates, however long its chain of table reads.
    fn tabulate(&mut self, term: &Term, input: &Term) {
        if self.position(input).is_none() {
            let bits = self.inputs(input.width());
            self.put(input, &bits);
        }
        let mut level: Bits = Vec::with_capacity(1 << input.width());
        let mut model = Model::new();
        for value in 0..1u64 << input.width() {
            model.set(input.clone(), Value::Bv(BitVec::new(input.width(), value)));
            self.evaluator.start();
            level.push(Lit::constant(self.evaluator.eval_bool(term, &model)));
        }
        for i in self.range(input) {
            let selector = self.words[i];
            for pair in 0..level.len() / 2 {
                level[pair] = self
                    .gates
                    .mux(selector, level[2 * pair + 1], level[2 * pair]);
            }
            level.truncate(level.len() / 2);
        }
        self.put(term, &level);
    }

    fn inputs(&mut self, width: u32) -> Bits {
        (0..width).map(|_| self.gates.input()).collect()
    }

    fn encode(&mut self, term: &Term, budget: &Budget) -> Result<Bits, UnknownReason> {
        let args = term.args();
        let width = |i: usize| args[i].width() as usize;
        let word = |i: usize| self.words[self.range(&args[i])].to_vec();
        Ok(match term.op() {
            Op::Bool(b) => vec![Lit::constant(*b)],
            Op::Const(v) => constant(v),
            Op::Base(base) => constant(&BitVec::new(64, base.address)),
            Op::Symbol(_) => match term.sort() {
                Sort::Bool => vec![self.gates.input()],
                Sort::BitVec(w) => self.inputs(w),
                Sort::Array { .. } => Vec::new(),
            },
            // Arrays have no bits of their own; reads of them have.
            Op::Table(_) | Op::ConstArray { .. } | Op::Store => Vec::new(),
            Op::Ite if term.sort().is_array() => Vec::new(),
            Op::Select => match args[0].op() {
                Op::Table(table) if self.arrays.is_circuit(table) => {
                    self.table_circuit(table, &args[1], budget)?
                }
                _ => self.inputs(term.width()),
            },
            Op::Not => vec![!word(0)[0]],
            Op::And => {
                let (a, b) = (word(0)[0], word(1)[0]);
                vec![self.gates.and(a, b)]
            }
            Op::BvNot => word(0).into_iter().map(|l| !l).collect(),
            Op::Concat => {
                let mut bits = word(1);
                bits.extend_from_slice(&word(0));
                bits
            }
            Op::Extract { hi, lo } => word(0)[*lo as usize..=*hi as usize].to_vec(),
            Op::ZeroExtend(n) => {
                let mut bits = word(0);
                bits.resize(bits.len() + *n as usize, Lit::FALSE);
                bits
            }
            Op::SignExtend(n) => {
                let mut bits = word(0);
                let sign = bits[width(0) - 1];
                bits.resize(bits.len() + *n as usize, sign);
                bits
            }
            Op::Eq => {
                let (a, b) = (word(0), word(1));
                vec![self.circuits(budget).eq(&a, &b)]
            }
            Op::Ite => {
                let (c, a, b) = (word(0)[0], word(1), word(2));
                self.circuits(budget).mux(c, &a, &b)
            }
            Op::BvNeg => {
                let a = word(0);
                self.circuits(budget).neg(&a)
            }
            Op::BvAnd
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
            | Op::BvUlt
            | Op::BvSlt => {
                let (a, b) = (word(0), word(1));
                self.binary(term.op(), &a, &b, budget)?
            }
        })
    }

    /// The circuit of an operator with two words.
    fn binary(
        &mut self,
        op: &Op,
        a: &[Lit],
        b: &[Lit],
        budget: &Budget,
    ) -> Result<Bits, UnknownReason> {
        let pairs = a.iter().zip(b);
        let mut circuits = self.circuits(budget);
        Ok(match op {
            Op::BvAnd => pairs.map(|(x, y)| circuits.gates.and(*x, *y)).collect(),
            Op::BvOr => pairs.map(|(x, y)| circuits.gates.or(*x, *y)).collect(),
            Op::BvXor => pairs.map(|(x, y)| circuits.gates.xor(*x, *y)).collect(),
            Op::BvAdd => circuits.add(a, b),
            Op::BvMul => circuits.mul(a, b)?,
            Op::BvUdiv => circuits.udivrem(a, b)?.0,
            Op::BvUrem => circuits.udivrem(a, b)?.1,
            Op::BvSdiv | Op::BvSrem | Op::BvSmod => self.signed_division(op, a, b, budget)?,
            Op::BvShl => circuits.shift(a, b, true, Lit::FALSE),
            Op::BvLshr => circuits.shift(a, b, false, Lit::FALSE),
            Op::BvAshr => circuits.shift(a, b, false, a[a.len() - 1]),
            Op::BvUlt => vec![circuits.ult(a, b)],
            Op::BvSlt => vec![circuits.slt(a, b)],
            _ => unreachable!("{op:?} is not an operator with two words"),
        })
    }

    /// A builder of word circuits over these gates.
    pub fn circuits<'a>(&'a mut self, budget: &'a Budget) -> WordCircuits<'a> {
        WordCircuits {
            gates: &mut self.gates,
            budget,
        }
    }

    /// The element of a constant table at an index.
    pub fn table_circuit(
        &mut self,
        table: &Table,
        index: &Term,
        budget: &Budget,
    ) -> Result<Bits, UnknownReason> {
        let reach = self.reach(index);
        let bits = self.bits(index).to_vec();
        let rows: Vec<Bits> = table.values().iter().map(constant).collect();
        let default = constant(table.default_value());
        self.circuits(budget).table(&rows, &default, &bits, reach)
    }

    /// An index as a sum, if it is narrow enough and the encoding uses the form of indices.
    pub fn sum(&mut self, index: &Term) -> Option<Rc<IndexSum>> {
        if !self.arrays.is_typed() {
            return None;
        }
        let sum = self.sums.entry(index.birth());
        sum.or_insert_with(|| IndexSum::of(index).map(Rc::new))
            .clone()
    }

    /// The range of values that an index can have by its form.
    fn reach(&mut self, index: &Term) -> RangeInclusive<u64> {
        match self.sum(index).map(|sum| sum.values()) {
            Some(values) => values.first..=values.last,
            None => 0..=u64::MAX,
        }
    }

    /// Whether two indices are never equal, by their form.
    pub fn never_equal(&mut self, one: &Term, other: &Term) -> bool {
        match (self.sum(one), self.sum(other)) {
            (Some(one), Some(other)) => one.is_never_equal(&other),
            (None, _) | (_, None) => false,
        }
    }

    /// Signed division by the unsigned one on magnitudes, as the standard defines it.
    fn signed_division(
        &mut self,
        op: &Op,
        a: &[Lit],
        b: &[Lit],
        budget: &Budget,
    ) -> Result<Bits, UnknownReason> {
        let top = a.len() - 1;
        let (sa, sb) = (a[top], b[top]);
        let mut e = self.circuits(budget);
        let (na, nb) = (e.neg(a), e.neg(b));
        let (ma, mb) = (e.mux(sa, &na, a), e.mux(sb, &nb, b));
        let (q, r) = e.udivrem(&ma, &mb)?;
        Ok(match op {
            Op::BvSdiv => {
                let nq = e.neg(&q);
                let differ = e.gates.xor(sa, sb);
                e.mux(differ, &nq, &q)
            }
            Op::BvSrem => {
                let nr = e.neg(&r);
                e.mux(sa, &nr, &r)
            }
            Op::BvSmod => {
                // The remainder of the magnitudes, brought to the divisor's sign: zero stays
                // zero, otherwise -r, b - r, r or b + r by the signs of a and b.
                let nr = e.neg(&r);
                let signed = e.mux(sa, &nr, &r);
                let shifted = e.add(&signed, b);
                let flags: Vec<Lit> = r.clone();
                let nonzero = e.gates.or_all(&flags);
                let differ = e.gates.xor(sa, sb);
                let shift = e.gates.and(differ, nonzero);
                e.mux(shift, &shifted, &signed)
            }
            _ => unreachable!("{op:?} is not a signed division"),
        })
    }

    fn witnesses(&mut self, store: &TermStore, equality: &Term) -> [Term; 2] {
        let entry = self.equalities.entry(equality.id()).or_insert_with(|| {
            let Sort::Array { index, .. } = equality.arg(0).sort() else {
                unreachable!("an equality between arrays")
            };
            let name = format!("cairn!differs!{}", store.fresh_number());
            let at = store.symbol(&name, Sort::BitVec(index));
            ArrayEquality {
                witnesses: [
                    store.select(equality.arg(0), &at),
                    store.select(equality.arg(1), &at),
                ],
            }
        });
        entry.witnesses.clone()
    }

    /// The term that replaces a read. An encoding that writes everything out replaces it by a choice
    /// between the last stored element and a read of the array before; one that uses the form of indices
    /// replaces it by a read of the array before all stores that it cannot reach.
    fn rewritten(&mut self, store: &TermStore, read: &Term) -> Option<Term> {
        if !matches!(read.op(), Op::Select) {
            return None;
        }
        if let Some(written) = self.expanded.get(&read.birth()) {
            return Some(written.clone());
        }
        let (array, index) = (read.arg(0), read.arg(1));
        let written = match array.op() {
            Op::Store if self.arrays.is_typed() => {
                let mut reached = array;
                while matches!(reached.op(), Op::Store) && self.never_equal(index, reached.arg(1)) {
                    reached = reached.arg(0);
                }
                if reached == array {
                    return None;
                }
                store.select(reached, index)
            }
            _ if !self.arrays.expands() => return None,
            Op::Store => {
                let before = store.select(array.arg(0), index);
                store.ite(&store.eq(index, array.arg(1)), array.arg(2), &before)
            }
            Op::Ite => {
                let (then, other) = (array.arg(1), array.arg(2));
                let (then, other) = (store.select(then, index), store.select(other, index));
                store.ite(array.arg(0), &then, &other)
            }
            Op::ConstArray { .. } => array.arg(0).clone(),
            _ => return None,
        };
        // A rule may have put the same read back together.
        if written == *read {
            return None;
        }
        self.expanded.insert(read.birth(), written.clone());
        Some(written)
    }

    /// A free literal with a pending condition: the arrays are equal, or they differ at the witness. Every
    /// model can choose the witness so that this holds, so it restricts nothing else.
    fn array_equality(&mut self, term: &Term, budget: &Budget) {
        let [x, y] = self.equalities[&term.id()].witnesses.clone();
        let equal = self.gates.input();
        let (a, b) = (self.bits(&x).to_vec(), self.bits(&y).to_vec());
        let same_there = self.circuits(budget).eq(&a, &b);
        let holds = self.gates.or(equal, !same_there);
        self.pending.push(holds);
        self.put(term, &[equal]);
    }
}

/// The only input of a Boolean that reads constant tables, if it is a scalar of at most a byte.
fn single_small_input(term: &Term) -> Option<Term> {
    if term.sort() != Sort::Bool || !term.attributes().has_array {
        return None;
    }
    let Support::Keys(keys) = &term.attributes().support else {
        return None;
    };
    let [key] = keys.as_ref() else { return None };
    if key.cell.is_some() || term.attributes().tree_size > LARGEST_TABULATED {
        return None;
    }
    let input = PostOrder::new(term).find(|t| t.id() == key.symbol)?;
    matches!(input.sort(), Sort::BitVec(w) if w <= 8).then_some(input)
}

/// The bits of a constant.
pub fn constant(v: &BitVec) -> Bits {
    (0..v.width()).map(|i| Lit::constant(v.bit(i))).collect()
}
