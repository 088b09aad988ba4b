//! What the tests of this crate share: a seeded generator of random terms that carries, for every
//! term, the values it must have under some models, computed without looking at the term.
#![allow(dead_code)] // Each test file uses its part.

pub mod world;

use cairn_expr::{
    ArrayValue, BitVec, Model, Op, Sort, Table, Term, TermStore, Value, apply_operator,
};
use cairn_random::Random;

/// Values, drawn.
pub trait Values {
    /// A value of the given width, often a corner.
    fn bits(&mut self, width: u32) -> BitVec;
    /// A value of the given width, all equally likely.
    fn uniform(&mut self, width: u32) -> BitVec;
    /// A value of any sort.
    fn value(&mut self, sort: Sort) -> Value;
}

impl Values for Random {
    fn bits(&mut self, width: u32) -> BitVec {
        let position = self.below(width as usize) as u32;
        let shift = BitVec::from_u128(width, u128::from(position));
        match self.below(10) {
            0 => BitVec::zero(width),
            1 => BitVec::one(width),
            2 => BitVec::ones(width),
            3 => BitVec::min_signed(width),
            4 => BitVec::max_signed(width),
            5 => BitVec::one(width).shl(&shift),
            6 => BitVec::ones(width).lshr(&shift),
            7 => BitVec::ones(width).shl(&shift),
            _ => self.uniform(width),
        }
    }

    fn uniform(&mut self, width: u32) -> BitVec {
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
        BitVec::from_limbs(width, &limbs)
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.one_in(2)),
            Sort::BitVec(w) => Value::Bv(self.bits(w)),
            Sort::Array { index, value } => {
                let mut array = ArrayValue::constant(index, self.bits(value));
                for _ in 0..self.below(6) {
                    let i = self.bits(index);
                    let v = self.bits(value);
                    array.set(i, v);
                }
                Value::Array(array)
            }
        }
    }
}

/// A Boolean or bit-vector value as the bit-vector that `apply_operator` takes.
pub fn as_bits(value: &Value) -> BitVec {
    match value {
        Value::Bool(b) => BitVec::from_bool(*b),
        Value::Bv(v) => v.clone(),
        Value::Array(_) => panic!("an array is not a bit-vector"),
    }
}

fn array(value: &Value) -> &ArrayValue {
    match value {
        Value::Array(a) => a,
        Value::Bool(_) | Value::Bv(_) => panic!("expected an array"),
    }
}

/// Whether two values are the same; arrays by looking at every index that could show otherwise.
pub fn same_value(a: &Value, b: &Value) -> bool {
    let (Value::Array(a), Value::Array(b)) = (a, b) else {
        return a == b;
    };
    let listed = a.cells().count() + b.cells().count();
    let all = 1u64.checked_shl(a.index_width()).unwrap_or(u64::MAX);
    let mut indices = (0..all.min(listed as u64 + 1)).map(|i| BitVec::new(a.index_width(), i));
    let cells = || a.cells().chain(b.cells()).map(|(i, _)| i);
    indices.all(|i| a.get(&i) == b.get(&i)) && cells().all(|i| a.get(i) == b.get(i))
}

/// The meaning of an operator on values of any sort.
pub fn reference(op: &Op, args: &[&Value]) -> Value {
    match op {
        Op::Select => Value::Bv(array(args[0]).get(&as_bits(args[1])).clone()),
        Op::Store => {
            let mut a = array(args[0]).clone();
            a.set(as_bits(args[1]), as_bits(args[2]));
            Value::Array(a)
        }
        Op::ConstArray { index } => Value::Array(ArrayValue::constant(*index, as_bits(args[0]))),
        Op::Ite => args[if *args[0] == Value::Bool(true) { 1 } else { 2 }].clone(),
        Op::Eq => Value::Bool(same_value(args[0], args[1])),
        _ => {
            let operands: Vec<BitVec> = args.iter().map(|v| as_bits(v)).collect();
            let refs: Vec<&BitVec> = operands.iter().collect();
            let result = apply_operator(op, &refs);
            match op {
                Op::Not | Op::And | Op::BvUlt | Op::BvSlt => Value::Bool(result.is_one()),
                _ => Value::Bv(result),
            }
        }
    }
}

/// The operators of two bit-vectors of one width with a result of that width.
pub const BINARY: [Op; 13] = [
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvAdd,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
];

/// A term and the values it must have under the generator's models.
pub struct Entry {
    pub term: Term,
    pub values: Vec<Value>,
}

/// Makes random terms from a growing pool.
pub struct Generator<'s> {
    pub store: &'s TermStore,
    pub rng: Random,
    pub pool: Vec<Entry>,
    pub models: Vec<Model>,
    max_width: u32,
}

impl<'s> Generator<'s> {
    /// A pool with symbols and constants of the given widths, and arrays between the first two
    /// of them; `models` random models give the symbols values.
    pub fn new(store: &'s TermStore, seed: u64, widths: &[u32], models: usize) -> Self {
        let mut g = Generator {
            store,
            rng: Random::new(seed),
            pool: Vec::new(),
            models: vec![Model::new(); models],
            max_width: widths.iter().max().map_or(8, |w| w * 2),
        };
        let mut sorts = vec![Sort::Bool];
        sorts.extend(widths.iter().map(|w| Sort::BitVec(*w)));
        sorts.push(Sort::Array {
            index: widths[0],
            value: widths[widths.len() / 2],
        });
        for (n, sort) in sorts.iter().enumerate() {
            for name in ["a", "b"] {
                g.symbol(&format!("{name}{n}"), *sort);
            }
            g.constant_of(*sort);
        }
        g
    }

    fn symbol(&mut self, name: &str, sort: Sort) {
        let term = self.store.symbol(name, sort);
        let mut values = Vec::new();
        for model in &mut self.models {
            let value = self.rng.value(sort);
            model.set(term.clone(), value.clone());
            values.push(value);
        }
        self.pool.push(Entry { term, values });
    }

    /// Adds a constant of a sort and returns its place.
    fn constant_of(&mut self, sort: Sort) -> usize {
        let (term, value) = match sort {
            Sort::Bool => {
                let b = self.rng.one_in(2);
                (self.store.bool(b), Value::Bool(b))
            }
            Sort::BitVec(w) => {
                let v = self.rng.bits(w);
                (self.store.constant(v.clone()), Value::Bv(v))
            }
            Sort::Array { index, value } => {
                let most = 1usize.checked_shl(index).unwrap_or(8).min(8);
                let listed: Vec<BitVec> = (0..self.rng.below(most + 1))
                    .map(|_| self.rng.bits(value))
                    .collect();
                let default = self.rng.bits(value);
                let mut v = ArrayValue::constant(index, default.clone());
                for (i, cell) in listed.iter().enumerate() {
                    v.set(BitVec::new(index, i as u64), cell.clone());
                }
                let table = self.store.table(Table::new(index, listed, default));
                (table, Value::Array(v))
            }
        };
        let values = vec![value; self.models.len()];
        self.pool.push(Entry { term, values });
        self.pool.len() - 1
    }

    /// A place in the pool, rather a late one.
    fn any(&mut self) -> usize {
        let n = self.pool.len();
        self.rng.below(n).max(self.rng.below(n))
    }

    /// The place of a term of the given sort, now and then a fresh constant.
    fn of_sort(&mut self, sort: Sort) -> usize {
        let places: Vec<usize> = (0..self.pool.len())
            .filter(|i| self.pool[*i].term.sort() == sort)
            .collect();
        if places.is_empty() || self.rng.one_in(8) {
            return self.constant_of(sort);
        }
        *self.rng.pick(&places)
    }

    /// Adds a random operator over random terms of the pool and returns its place.
    pub fn grow(&mut self) -> usize {
        let first = self.any();
        let sort = self.pool[first].term.sort();
        let (op, args) = match sort {
            _ if self.rng.one_in(8) => {
                let c = self.of_sort(Sort::Bool);
                (Op::Ite, vec![c, first, self.of_sort(sort)])
            }
            _ if self.rng.one_in(10) => (Op::Eq, vec![first, self.of_sort(sort)]),
            Sort::Bool if self.rng.one_in(3) => (Op::Not, vec![first]),
            Sort::Bool => (Op::And, vec![first, self.of_sort(sort)]),
            Sort::Array { index, value } => {
                let i = self.of_sort(Sort::BitVec(index));
                if self.rng.one_in(2) {
                    (Op::Select, vec![first, i])
                } else {
                    (Op::Store, vec![first, i, self.of_sort(Sort::BitVec(value))])
                }
            }
            Sort::BitVec(w) => self.bit_vector_operator(first, w),
        };
        self.add(&op, &args)
    }

    fn bit_vector_operator(&mut self, first: usize, w: u32) -> (Op, Vec<usize>) {
        let room = self.max_width - w.min(self.max_width);
        match self.rng.below(12) {
            0 => (Op::BvNot, vec![first]),
            1 => (Op::BvNeg, vec![first]),
            2 | 3 => {
                let lo = self.rng.below(w as usize) as u32;
                let hi = lo + self.rng.below((w - lo) as usize) as u32;
                (Op::Extract { hi, lo }, vec![first])
            }
            4 if room > 0 => {
                let n = self.rng.below(room as usize + 1) as u32;
                let op = *self.rng.pick(&[0, 1]);
                let op = [Op::ZeroExtend(n), Op::SignExtend(n)][op].clone();
                (op, vec![first])
            }
            5 if room > 0 => {
                let fits = |e: &Entry| matches!(e.term.sort(), Sort::BitVec(v) if v <= room);
                let places: Vec<usize> = (0..self.pool.len())
                    .filter(|i| fits(&self.pool[*i]))
                    .collect();
                match places.as_slice() {
                    [] => (Op::BvNot, vec![first]),
                    places => (Op::Concat, vec![first, *self.rng.pick(places)]),
                }
            }
            6 => (Op::BvUlt, vec![first, self.of_sort(Sort::BitVec(w))]),
            7 => (Op::BvSlt, vec![first, self.of_sort(Sort::BitVec(w))]),
            _ => {
                let op = self.rng.pick(&BINARY).clone();
                let second = self.of_sort(Sort::BitVec(w));
                if self.rng.one_in(2) {
                    (op, vec![first, second])
                } else {
                    (op, vec![second, first])
                }
            }
        }
    }

    /// Adds an operator over terms of the pool and returns its place.
    pub fn add(&mut self, op: &Op, args: &[usize]) -> usize {
        let terms: Vec<Term> = args.iter().map(|i| self.pool[*i].term.clone()).collect();
        let term = self.store.apply(op, &terms).expect("the sorts fit");
        let values = (0..self.models.len())
            .map(|m| {
                let operands: Vec<&Value> = args.iter().map(|i| &self.pool[*i].values[m]).collect();
                reference(op, &operands)
            })
            .collect();
        self.pool.push(Entry { term, values });
        self.pool.len() - 1
    }
}
