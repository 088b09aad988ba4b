//! A world of a few small symbols: every term comes with its value under every assignment, so
//! that what a constructor returns can be compared with the operator's meaning by exhaustion.

use cairn_expr::{
    ArrayValue, BitVec, Evaluator, Model, Op, Rule, Sort, Table, Term, TermStore, Value,
    apply_operator,
};
use cairn_random::Random;
use std::collections::{BTreeMap, HashSet};

/// A term of the pool. Values are words: an array's cells stand one above the other.
struct Shape {
    term: Term,
    sort: Sort,
    column: Vec<u64>,
}

struct Probe {
    op: Op,
    args: Vec<usize>,
    result: Term,
}

/// Symbols, all their assignments, and the shapes built so far.
pub struct World {
    pub store: TermStore,
    rng: Random,
    assignments: Vec<Model>,
    shapes: Vec<Shape>,
    known: HashSet<Term>,
    pending: Vec<Probe>,
    max_width: u32,
    /// How many operator applications were compared.
    pub probes: u64,
}

/// The bits that a value of a sort takes.
fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(w) => w,
        Sort::Array { index, value } => value << index,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn decode(sort: Sort, word: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word == 1),
        Sort::BitVec(w) => Value::Bv(BitVec::new(w, word)),
        Sort::Array { index, value } => {
            let mut array = ArrayValue::constant(index, BitVec::zero(value));
            for i in 0..1u64 << index {
                let cell = BitVec::new(value, word >> (i as u32 * value));
                array.set(BitVec::new(index, i), cell);
            }
            Value::Array(array)
        }
    }
}

fn encode(value: &Value) -> u64 {
    match value {
        Value::Bool(b) => u64::from(*b),
        Value::Bv(v) => v.low_u64(),
        Value::Array(a) => (0..1u64 << a.index_width()).rev().fold(0, |word, i| {
            let cell = a.get(&BitVec::new(a.index_width(), i));
            word << cell.width() | cell.low_u64()
        }),
    }
}

/// The meaning of an operator on words.
fn meaning(op: &Op, sorts: &[Sort], words: &[u64]) -> u64 {
    match (op, sorts[0]) {
        (Op::Select, Sort::Array { value, .. }) => {
            words[0] >> (words[1] as u32 * value) & mask(value)
        }
        (Op::Store, Sort::Array { value, .. }) => {
            let at = words[1] as u32 * value;
            words[0] & !(mask(value) << at) | words[2] << at
        }
        (Op::ConstArray { index }, Sort::BitVec(w)) => {
            (0..1u32 << index).fold(0, |word, _| word << w | words[0])
        }
        (Op::Ite, _) => words[if words[0] == 1 { 1 } else { 2 }],
        (Op::Eq, _) => u64::from(words[0] == words[1]),
        _ => {
            let operand = |i: usize| BitVec::new(bits_of(sorts[i]), words[i]);
            match words.len() {
                1 => apply_operator(op, &[&operand(0)]),
                _ => apply_operator(op, &[&operand(0), &operand(1)]),
            }
            .low_u64()
        }
    }
}

impl World {
    /// A world with the given symbols; no bit-vector in it becomes wider than `max_width`.
    pub fn new(symbols: &[(&str, Sort)], max_width: u32) -> Self {
        let store = TermStore::new();
        let total: u32 = symbols.iter().map(|(_, sort)| bits_of(*sort)).sum();
        let mut assignments = vec![Model::new(); 1 << total];
        let mut shapes = Vec::new();
        let mut offset = 0;
        for (name, sort) in symbols {
            let term = store.symbol(name, *sort);
            let mut column = Vec::with_capacity(assignments.len());
            for (n, model) in assignments.iter_mut().enumerate() {
                let word = (n as u64) >> offset & mask(bits_of(*sort));
                model.set(term.clone(), decode(*sort, word));
                column.push(word);
            }
            offset += bits_of(*sort);
            shapes.push(Shape {
                term,
                sort: *sort,
                column,
            });
        }
        let known = shapes.iter().map(|s| s.term.clone()).collect();
        World {
            store,
            rng: Random::new(u64::from(total)),
            assignments,
            shapes,
            known,
            pending: Vec::new(),
            max_width,
            probes: 0,
        }
    }

    /// The number of shapes so far: a mark between levels.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Adds a constant.
    pub fn constant(&mut self, sort: Sort, word: u64) {
        let term = match decode(sort, word) {
            Value::Bool(b) => self.store.bool(b),
            Value::Bv(v) => self.store.constant(v),
            Value::Array(a) => {
                let values = (0..1u64 << a.index_width())
                    .map(|i| a.get(&BitVec::new(a.index_width(), i)).clone())
                    .collect();
                let default = a.default_value().clone();
                self.store
                    .table(Table::new(a.index_width(), values, default))
            }
        };
        let column = vec![word; self.assignments.len()];
        self.keep(term, sort, column);
    }

    /// Adds all constants of the width if it is small, else corners.
    pub fn constants(&mut self, width: u32) {
        if width <= 3 {
            (0..1 << width).for_each(|c| self.constant(Sort::BitVec(width), c));
            return;
        }
        let top = 1 << (width - 1);
        let ones = mask(width);
        for c in [0, 1, 2, 3, 5, 6, top - 1, top, top + 1, ones - 1, ones] {
            self.constant(Sort::BitVec(width), c & ones);
        }
    }

    fn keep(&mut self, term: Term, sort: Sort, column: Vec<u64>) {
        if self.known.insert(term.clone()) {
            self.shapes.push(Shape { term, sort, column });
        }
    }

    /// The unary operators that fit a sort.
    fn unary(&self, sort: Sort) -> Vec<Op> {
        match sort {
            Sort::Bool => vec![Op::Not],
            Sort::Array { .. } => vec![],
            Sort::BitVec(w) => {
                let mut ops = vec![Op::BvNot, Op::BvNeg];
                for hi in 0..w {
                    ops.extend((0..=hi).map(|lo| Op::Extract { hi, lo }));
                }
                for n in 0..=self.max_width.saturating_sub(w) {
                    ops.extend([Op::ZeroExtend(n), Op::SignExtend(n)]);
                }
                ops
            }
        }
    }

    /// The binary operators whose operands have the given sorts.
    fn binary(&self, a: Sort, b: Sort) -> Vec<Op> {
        match (a, b) {
            (Sort::Bool, Sort::Bool) => vec![Op::And, Op::Eq],
            (Sort::BitVec(v), Sort::BitVec(w)) => {
                let mut ops = Vec::new();
                if v == w {
                    ops.extend(super::BINARY);
                    ops.extend([Op::Eq, Op::BvUlt, Op::BvSlt]);
                }
                if v + w <= self.max_width {
                    ops.push(Op::Concat);
                }
                ops
            }
            (Sort::Array { index, .. }, Sort::BitVec(w)) if w == index => vec![Op::Select],
            (Sort::Array { .. }, _) if a == b => vec![Op::Eq],
            _ => vec![],
        }
    }

    fn by_sort(&self, places: &[usize]) -> BTreeMap<Sort, Vec<usize>> {
        let mut groups: BTreeMap<Sort, Vec<usize>> = BTreeMap::new();
        for i in places {
            groups.entry(self.shapes[*i].sort).or_default().push(*i);
        }
        groups
    }

    /// Every unary operator over the given shapes.
    pub fn unary_over(&mut self, places: &[usize]) {
        for i in places {
            for op in self.unary(self.shapes[*i].sort) {
                self.probe(op, &[*i]);
            }
        }
    }

    /// Every binary operator over all pairs of a left and a right shape, or over `cap` random
    /// pairs for each operator and pair of sorts that has more.
    pub fn binary_over(&mut self, left: &[usize], right: &[usize], cap: usize) {
        let (left, right) = (self.by_sort(left), self.by_sort(right));
        for (a, lefts) in &left {
            for (b, rights) in &right {
                for op in self.binary(*a, *b) {
                    self.product(&op, &[lefts, rights], cap);
                }
            }
        }
    }

    /// If-then-else over conditions and pairs of branches, and stores into arrays.
    pub fn ternary_over(&mut self, places: &[usize], cap: usize) {
        let groups = self.by_sort(places);
        let none = Vec::new();
        let group = |sort: Sort| groups.get(&sort).unwrap_or(&none);
        for (sort, members) in &groups {
            self.product(&Op::Ite, &[group(Sort::Bool), members, members], cap);
            if let Sort::Array { index, value } = *sort {
                let (i, v) = (group(Sort::BitVec(index)), group(Sort::BitVec(value)));
                self.product(&Op::Store, &[members, i, v], cap);
            }
        }
    }

    /// Every read and write over all shapes.
    pub fn select_and_store(&mut self, cap: usize) {
        let groups = self.by_sort(&(0..self.len()).collect::<Vec<_>>());
        for (sort, members) in &groups {
            if let Sort::Array { index, value } = *sort {
                let (i, v) = (
                    &groups[&Sort::BitVec(index)],
                    groups.get(&Sort::BitVec(value)),
                );
                self.product(&Op::Select, &[members, i], cap);
                self.product(&Op::Store, &[members, i, v.unwrap_or(&Vec::new())], cap);
            }
        }
    }

    /// Probes an operator over the product of operand lists, or over a sample of it.
    pub fn product(&mut self, op: &Op, lists: &[&Vec<usize>], cap: usize) {
        let total: usize = lists.iter().map(|l| l.len()).product();
        for n in 0..total.min(cap) {
            let mut n = if total <= cap {
                n
            } else {
                self.rng.below(total)
            };
            let mut args = Vec::with_capacity(3);
            for list in lists {
                args.push(list[n % list.len()]);
                n /= list.len();
            }
            self.probe(op.clone(), &args);
        }
    }

    /// Adds the given unary operators over the given shapes and returns the new places.
    pub fn keep_unary(&mut self, ops: &[Op], places: &[usize]) -> Vec<usize> {
        let before = self.len();
        for i in places {
            for op in ops {
                if op.result_sort(&[self.shapes[*i].sort]).is_ok() {
                    self.probe(op.clone(), &[*i]);
                }
            }
        }
        self.next_level(usize::MAX);
        (before..self.len()).collect()
    }

    /// Forgets all shapes from the given place on.
    pub fn truncate(&mut self, len: usize) {
        self.check();
        for shape in self.shapes.drain(len..) {
            self.known.remove(&shape.term);
        }
    }

    /// Probes a unary operator over every shape that it takes.
    pub fn unary_everywhere(&mut self, op: &Op) {
        for i in 0..self.len() {
            if op.result_sort(&[self.shapes[i].sort]).is_ok() {
                self.probe(op.clone(), &[i]);
            }
        }
    }

    /// Builds one application; it is compared with the rest of the batch.
    pub fn probe(&mut self, op: Op, args: &[usize]) {
        let terms: Vec<Term> = args.iter().map(|i| self.shapes[*i].term.clone()).collect();
        let result = self.store.apply(&op, &terms).expect("the sorts fit");
        self.pending.push(Probe {
            op,
            args: args.to_vec(),
            result,
        });
        if self.pending.len() == 1 << 15 {
            self.check();
        }
    }

    /// Compares all pending probes under every assignment.
    pub fn check(&mut self) {
        // In pieces that stay in the cache while all assignments pass over them.
        for probes in self.pending.chunks(512) {
            self.compare(probes);
        }
        self.probes += self.pending.len() as u64;
        self.pending.clear();
    }

    fn compare(&self, probes: &[Probe]) {
        let mut evaluator = Evaluator::new();
        let inputs: Vec<Vec<Sort>> = (probes.iter())
            .map(|p| p.args.iter().map(|i| self.shapes[*i].sort).collect())
            .collect();
        for (n, model) in self.assignments.iter().enumerate() {
            evaluator.start();
            for (probe, sorts) in probes.iter().zip(&inputs) {
                let mut words = [0; 3];
                for (word, i) in words.iter_mut().zip(&probe.args) {
                    *word = self.shapes[*i].column[n];
                }
                let expected = meaning(&probe.op, sorts, &words[..probe.args.len()]);
                let found = match probe.result.sort() {
                    Sort::Bool => u64::from(evaluator.eval_bool(&probe.result, model)),
                    Sort::BitVec(_) => evaluator.eval_bv(&probe.result, model).low_u64(),
                    Sort::Array { .. } => encode(&evaluator.eval(&probe.result, model)),
                };
                assert_eq!(found, expected, "{}", self.describe(probe, n));
            }
        }
    }

    fn describe(&self, probe: &Probe, n: usize) -> String {
        let operands: Vec<&Term> = probe.args.iter().map(|i| &self.shapes[*i].term).collect();
        let symbols: Vec<String> = (self.shapes.iter())
            .filter_map(|s| Some(format!("{}={}", s.term.symbol_name()?, s.column[n])))
            .collect();
        let Probe { op, result, .. } = probe;
        format!("{op:?} over {operands:?} gave {result:?} under {symbols:?}")
    }

    /// Checks the pending probes and keeps at most `cap` of them, chosen at random, as shapes.
    pub fn next_level(&mut self, cap: usize) {
        let mut made = Vec::new();
        let mut seen = HashSet::new();
        for probe in &self.pending {
            let new = !self.known.contains(&probe.result);
            let narrow = !matches!(probe.result.sort(), Sort::BitVec(w) if w > self.max_width);
            if new && narrow && seen.insert(probe.result.clone()) {
                made.push((probe.result.clone(), probe.op.clone(), probe.args.clone()));
            }
        }
        self.check();
        while made.len() > cap {
            let i = self.rng.below(made.len());
            made.swap_remove(i);
        }
        for (term, op, args) in made {
            let sorts: Vec<Sort> = args.iter().map(|i| self.shapes[*i].sort).collect();
            let column = (0..self.assignments.len())
                .map(|n| {
                    let words: Vec<u64> = args.iter().map(|i| self.shapes[*i].column[n]).collect();
                    meaning(&op, &sorts, &words)
                })
                .collect();
            let sort = term.sort();
            self.keep(term, sort, column);
        }
    }

    /// Adds how often each rule was applied here, in the order of `Rule::ALL`.
    pub fn count_rules(&self, counts: &mut [u64]) {
        for (count, rule) in counts.iter_mut().zip(Rule::ALL) {
            *count += self.store.rule_count(*rule);
        }
    }
}
