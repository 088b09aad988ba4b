//! Evaluating terms under a model.
//!
//! # Idea
//! One pass over the distinct nodes, operands first; values up to 64 bits are kept as machine words in a table
//! indexed by term id. The table outlives the call: under the same model a subterm is evaluated once. Arrays are not
//! written out, except for an equality between arrays: a read walks down the stores with its concrete index.
//!
//! # Soundness
//! `cairn-bv` is the semantics; the word path is tested against it exhaustively. An entry counts only if its stamp
//! (the model) and the term's birth agree, so a reused id or another model can never supply a value.

use crate::{ArrayValue, Model, Op, Sort, Term, Value};
use cairn_bv::BitVec;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How many terms wait to be evaluated without memory of their own.
const STACK: usize = 24;

#[derive(Clone, Copy, Default)]
struct Slot {
    stamp: u64,
    birth: u64,
    word: u64,
}

/// A reusable evaluator; the module documentation describes it.
#[derive(Default)]
pub struct Evaluator {
    slots: Vec<Slot>,
    /// Values wider than 64 bits; the slot of such a term says whether the entry is current.
    wide: FxHashMap<u32, BitVec>,
    stamp: u64,
}

impl Evaluator {
    /// An evaluator without any remembered value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all values: call it whenever the model changes.
    pub fn start(&mut self) {
        self.stamp += 1;
        self.wide.clear();
    }

    /// The value of a Boolean term.
    pub fn eval_bool(&mut self, term: &Term, model: &Model) -> bool {
        debug_assert_eq!(term.sort(), Sort::Bool);
        self.run(term, model);
        self.word(term) != 0
    }

    /// The value of a bit-vector term.
    pub fn eval_bv(&mut self, term: &Term, model: &Model) -> BitVec {
        self.run(term, model);
        self.bv(term)
    }

    /// The value of a term of any sort.
    pub fn eval(&mut self, term: &Term, model: &Model) -> Value {
        match term.sort() {
            Sort::Bool => Value::Bool(self.eval_bool(term, model)),
            Sort::BitVec(_) => Value::Bv(self.eval_bv(term, model)),
            Sort::Array { .. } => {
                self.run(term, model);
                Value::Array(self.whole_array(term, model))
            }
        }
    }

    #[inline]
    fn known(&self, term: &Term) -> bool {
        self.slots
            .get(term.id() as usize)
            .is_some_and(|s| s.stamp == self.stamp && s.birth == term.birth())
    }

    #[inline]
    fn word(&self, term: &Term) -> u64 {
        debug_assert!(self.known(term));
        self.slots[term.id() as usize].word
    }

    fn bv(&self, term: &Term) -> BitVec {
        let w = term.width();
        if w <= 64 {
            BitVec::new(w, self.word(term))
        } else {
            self.wide[&term.id()].clone()
        }
    }

    fn put_word(&mut self, term: &Term, word: u64) {
        let id = term.id() as usize;
        if id >= self.slots.len() {
            self.slots.resize(id + id / 2 + 16, Slot::default());
        }
        self.slots[id] = Slot {
            stamp: self.stamp,
            birth: term.birth(),
            word,
        };
    }

    fn put_bv(&mut self, term: &Term, value: BitVec) {
        if value.width() <= 64 {
            self.put_word(term, value.low_u64());
        } else {
            self.put_word(term, 0);
            self.wide.insert(term.id(), value);
        }
    }

    fn run(&mut self, root: &Term, model: &Model) {
        if self.stamp == 0 {
            self.start();
        }
        if self.known(root) {
            return;
        }
        let mut stack: SmallVec<[&Term; STACK]> = SmallVec::new();
        stack.push(root);
        while let Some(&term) = stack.last() {
            if self.known(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if is_wide_concat(term) {
                self.each_part(term, |this, part| {
                    if !this.known(part) {
                        stack.push(part);
                    }
                });
            } else {
                for arg in term.args() {
                    if !self.known(arg) {
                        stack.push(arg);
                    }
                }
            }
            if stack.len() == before {
                stack.pop();
                self.apply(term, model);
            }
        }
    }

    /// Visits the parts of a wide concatenation, highest first: down to a tail that is narrow,
    /// or no concatenation, or known already. The tails between get no value of their own, which
    /// would take memory quadratic in the width.
    fn each_part<'t>(&mut self, term: &'t Term, mut visit: impl FnMut(&mut Self, &'t Term)) {
        let mut rest = term;
        loop {
            visit(self, rest.arg(0));
            rest = rest.arg(1);
            if !is_wide_concat(rest) || self.known(rest) {
                return visit(self, rest);
            }
        }
    }

    fn apply(&mut self, term: &Term, model: &Model) {
        let args = term.args();
        match (term.sort(), term.op()) {
            // An array's value is found when it is read; the mark says its operands are known.
            (Sort::Array { .. }, _) => self.put_word(term, 0),
            (_, Op::Bool(b)) => self.put_word(term, u64::from(*b)),
            (_, Op::Const(v)) if v.width() <= 64 => self.put_word(term, v.low_u64()),
            (_, Op::Const(v)) => self.put_bv(term, v.clone()),
            (_, Op::Base(base)) => self.put_word(term, base.address),
            (sort, Op::Symbol(_)) => match model.get(term) {
                Some(Value::Bool(b)) => self.put_word(term, u64::from(*b)),
                Some(Value::Bv(v)) if v.width() <= 64 => self.put_word(term, v.low_u64()),
                Some(Value::Bv(v)) => self.put_bv(term, v.clone()),
                Some(Value::Array(_)) | None => match Value::zero(sort) {
                    Value::Bv(v) => self.put_bv(term, v),
                    Value::Bool(_) | Value::Array(_) => self.put_word(term, 0),
                },
            },
            (_, Op::Select) => {
                let index = self.bv(&args[1]);
                let value = self.read(&args[0], &index, model);
                self.put_bv(term, value);
            }
            (_, Op::Eq) if args[0].sort().is_array() => {
                let a = self.whole_array(&args[0], model);
                let b = self.whole_array(&args[1], model);
                self.put_word(term, u64::from(a.same_function(&b)));
            }
            (_, Op::Ite) => {
                let taken = if self.word(&args[0]) != 0 {
                    &args[1]
                } else {
                    &args[2]
                };
                match term.sort() {
                    Sort::BitVec(w) if w > 64 => self.put_bv(term, self.bv(taken)),
                    _ => self.put_word(term, self.word(taken)),
                }
            }
            _ if is_wide_concat(term) => {
                let mut parts: Vec<BitVec> = Vec::new();
                self.each_part(term, |this, part| parts.push(this.bv(part)));
                self.put_bv(term, concat_all(parts));
            }
            _ => {
                let operands = |i: usize| self.word(&args[i]);
                if let Some(word) = apply_to_words(term, operands) {
                    self.put_word(term, word);
                } else {
                    self.apply_wide(term);
                }
            }
        }
    }

    fn apply_wide(&mut self, term: &Term) {
        let values: Vec<BitVec> = term.args().iter().map(|a| self.bv_or_bool(a)).collect();
        let refs: Vec<&BitVec> = values.iter().collect();
        let value = apply_operator(term.op(), &refs);
        match term.sort() {
            Sort::Bool => self.put_word(term, u64::from(!value.is_zero())),
            Sort::BitVec(_) | Sort::Array { .. } => self.put_bv(term, value),
        }
    }

    fn bv_or_bool(&self, term: &Term) -> BitVec {
        match term.sort() {
            Sort::Bool => BitVec::from_bool(self.word(term) != 0),
            Sort::BitVec(_) | Sort::Array { .. } => self.bv(term),
        }
    }

    /// Reads an evaluated array term at a concrete index.
    fn read(&self, array: &Term, index: &BitVec, model: &Model) -> BitVec {
        let mut array = array;
        loop {
            let args = array.args();
            match array.op() {
                Op::Store => {
                    if self.bv(&args[1]) == *index {
                        return self.bv(&args[2]);
                    }
                    array = &args[0];
                }
                Op::Ite => {
                    array = if self.word(&args[0]) != 0 {
                        &args[1]
                    } else {
                        &args[2]
                    };
                }
                Op::ConstArray { .. } => return self.bv(&args[0]),
                Op::Table(table) => return table.get(index).clone(),
                Op::Symbol(_) => {
                    return match model.get(array) {
                        Some(Value::Array(v)) => v.get(index).clone(),
                        Some(Value::Bool(_) | Value::Bv(_)) | None => match array.sort() {
                            Sort::Array { value, .. } => BitVec::zero(value),
                            Sort::Bool | Sort::BitVec(_) => unreachable!("an array"),
                        },
                    };
                }
                op => unreachable!("{op:?} does not make arrays"),
            }
        }
    }

    /// Writes an evaluated array term out.
    fn whole_array(&self, array: &Term, model: &Model) -> ArrayValue {
        let mut stores: Vec<&Term> = Vec::new();
        let mut array = array;
        let mut value = loop {
            let args = array.args();
            match array.op() {
                Op::Store => {
                    stores.push(array);
                    array = &args[0];
                }
                Op::Ite => {
                    array = if self.word(&args[0]) != 0 {
                        &args[1]
                    } else {
                        &args[2]
                    };
                }
                Op::ConstArray { index } => {
                    break ArrayValue::constant(*index, self.bv(&args[0]));
                }
                Op::Table(table) => {
                    let mut v =
                        ArrayValue::constant(table.index_width(), table.default_value().clone());
                    for (i, cell) in table.values().iter().enumerate() {
                        v.set(BitVec::new(table.index_width(), i as u64), cell.clone());
                    }
                    break v;
                }
                Op::Symbol(_) => match model.get(array) {
                    Some(Value::Array(v)) => break v.clone(),
                    Some(Value::Bool(_) | Value::Bv(_)) | None => match Value::zero(array.sort()) {
                        Value::Array(v) => break v,
                        Value::Bool(_) | Value::Bv(_) => unreachable!("an array"),
                    },
                },
                op => unreachable!("{op:?} does not make arrays"),
            }
        };
        for store in stores.into_iter().rev() {
            value.set(self.bv(store.arg(1)), self.bv(store.arg(2)));
        }
        value
    }
}

fn is_wide_concat(term: &Term) -> bool {
    matches!(term.op(), Op::Concat) && term.width() > 64
}

/// Concatenates values, highest first, by halves: each bit is copied once per level.
fn concat_all(mut parts: Vec<BitVec>) -> BitVec {
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [high, low] => high.concat(low),
                rest => rest[0].clone(),
            })
            .collect();
    }
    parts.pop().expect("a concatenation has parts")
}

/// The value of a term from those of its operands, by position, all of at most 64 bits. `None`: too wide, or left to
/// [`apply_operator`].
///
/// # Panics
/// On leaves, conditional terms and array operators.
#[inline]
pub fn apply_to_words(term: &Term, operand: impl Fn(usize) -> u64) -> Option<u64> {
    let args = term.args();
    let width = match args[0].sort() {
        Sort::Bool => 1,
        Sort::BitVec(w) => w,
        Sort::Array { .. } => return None,
    };
    let result_width = match term.sort() {
        Sort::Bool => 1,
        Sort::BitVec(w) => w,
        Sort::Array { .. } => return None,
    };
    if width > 64 || result_width > 64 {
        return None;
    }
    let mask = |w: u32| u64::MAX >> (64 - w);
    let a = operand(0);
    let b = || operand(1);
    let signed = |v: u64| ((v << (64 - width)) as i64) >> (64 - width);
    let word = match term.op() {
        Op::Not => a ^ 1,
        Op::And | Op::BvAnd => a & b(),
        Op::Eq => {
            if args[1].sort() != Sort::Bool && args[1].width() > 64 {
                return None;
            }
            u64::from(a == b())
        }
        Op::BvNot => !a,
        Op::BvNeg => a.wrapping_neg(),
        Op::BvOr => a | b(),
        Op::BvXor => a ^ b(),
        Op::BvAdd => a.wrapping_add(b()),
        Op::BvMul => a.wrapping_mul(b()),
        Op::BvUlt => u64::from(a < b()),
        Op::BvSlt => u64::from(signed(a) < signed(b())),
        Op::Concat => {
            if args[1].width() >= 64 {
                return None;
            }
            a << args[1].width() | b()
        }
        Op::Extract { lo, .. } => a >> lo,
        Op::ZeroExtend(_) => a,
        Op::SignExtend(_) => signed(a) as u64,
        Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr => return None,
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Ite
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => unreachable!("handled before"),
    };
    Some(word & mask(result_width))
}

/// Applies an operator to concrete values; Booleans are bit-vectors of width 1 on both sides.
/// This is the one place that maps operators to `cairn-bv`.
///
/// # Panics
/// On leaves and array operators, which have no meaning on bit-vectors alone.
pub fn apply_operator(op: &Op, args: &[&BitVec]) -> BitVec {
    let a = args[0];
    let b = || args[1];
    match op {
        Op::Not | Op::BvNot => a.not(),
        Op::And | Op::BvAnd => a.and(b()),
        Op::Eq => BitVec::from_bool(a == b()),
        Op::Ite => if a.is_one() { args[1] } else { args[2] }.clone(),
        Op::BvNeg => a.neg(),
        Op::BvOr => a.or(b()),
        Op::BvXor => a.xor(b()),
        Op::BvAdd => a.add(b()),
        Op::BvMul => a.mul(b()),
        Op::BvUdiv => a.udiv(b()),
        Op::BvUrem => a.urem(b()),
        Op::BvSdiv => a.sdiv(b()),
        Op::BvSrem => a.srem(b()),
        Op::BvSmod => a.smod(b()),
        Op::BvShl => a.shl(b()),
        Op::BvLshr => a.lshr(b()),
        Op::BvAshr => a.ashr(b()),
        Op::Concat => a.concat(b()),
        Op::Extract { hi, lo } => a.extract(*hi, *lo),
        Op::ZeroExtend(n) => a.zext(*n),
        Op::SignExtend(n) => a.sext(*n),
        Op::BvUlt => BitVec::from_bool(a.ult(b())),
        Op::BvSlt => BitVec::from_bool(a.slt(b())),
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => panic!("{op:?} is not an operator on bit-vectors"),
    }
}
