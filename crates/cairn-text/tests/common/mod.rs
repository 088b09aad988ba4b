//! Shared by the tests: readers of texts, and random terms.
#![allow(dead_code)]

use cairn_expr::{BitVec, Op, Sort, Table, Term, TermStore};
use cairn_random::Random;
use cairn_text::TextError;
use cairn_text::smtlib::{Command, Script};

/// A value of a width, often a corner.
pub fn some_bits(random: &mut Random, width: u32) -> BitVec {
    match random.below(4) {
        0 => BitVec::new(width, random.below_u64(4)),
        1 => BitVec::ones(width),
        _ => {
            let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.next()).collect();
            BitVec::from_limbs(width, &limbs)
        }
    }
}

/// All commands of a text.
pub fn commands(store: &TermStore, text: &str) -> Result<Vec<Command>, TextError> {
    let mut script = Script::new(text.as_bytes());
    let mut all = Vec::new();
    while let Some(command) = script.next_command(store)? {
        all.push(command);
    }
    Ok(all)
}

/// The assertions of a text.
pub fn assertions(store: &TermStore, text: &str) -> Vec<Term> {
    commands(store, text)
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .into_iter()
        .filter_map(|c| match c {
            Command::Assert { term, .. } => Some(term),
            _ => None,
        })
        .collect()
}

const PRELUDE: &str = "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)\
    (declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(declare-const z (_ BitVec 8))\
    (declare-const a (Array (_ BitVec 8) (_ BitVec 8)))\
    (declare-const b (Array (_ BitVec 8) (_ BitVec 8)))\n";

/// Reads one term over the prelude's symbols.
pub fn term(store: &TermStore, text: &str) -> Result<Term, TextError> {
    let script = format!("{PRELUDE}(get-value ({text}))");
    match commands(store, &script)?.pop() {
        Some(Command::GetValue(mut terms)) => Ok(terms.remove(0).1),
        other => panic!("{other:?}"),
    }
}

const WIDTHS: [u32; 6] = [1, 4, 8, 16, 32, 65];
const ARRAYS: [Sort; 3] = [
    Sort::Array {
        index: 32,
        value: 8,
    },
    Sort::Array { index: 4, value: 1 },
    Sort::Array {
        index: 65,
        value: 16,
    },
];

/// Random terms over a growing pool of earlier ones.
pub struct Terms<'s> {
    store: &'s TermStore,
    pub pool: Vec<Term>,
    /// Whether only what KQuery can express is made.
    kquery: bool,
}

impl<'s> Terms<'s> {
    pub fn new(store: &'s TermStore, random: &mut Random, kquery: bool) -> Self {
        let mut pool = Vec::new();
        if !kquery {
            for name in ["p", "q r", "let", "assert", ""] {
                pool.push(store.symbol(name, Sort::Bool));
            }
            for w in WIDTHS {
                for name in ["x", "y"] {
                    pool.push(store.symbol(&format!("{name}{w}"), Sort::BitVec(w)));
                }
            }
        }
        for w in WIDTHS {
            pool.push(store.constant(some_bits(random, w)));
        }
        for (i, sort) in ARRAYS.into_iter().enumerate() {
            pool.push(store.symbol(&format!("a{i}"), sort));
            let Sort::Array { index, value } = sort else {
                unreachable!()
            };
            let values = (0..random.below(12))
                .map(|_| some_bits(random, value))
                .collect();
            let default = if kquery {
                BitVec::zero(value)
            } else {
                some_bits(random, value)
            };
            pool.push(store.table(Table::new(index, values, default)));
        }
        Terms {
            store,
            pool,
            kquery,
        }
    }

    /// A term of the sort from the pool, preferring young ones.
    pub fn of_sort(&self, random: &mut Random, sort: Sort) -> Term {
        for _ in 0..40 {
            let t = if random.one_in(2) {
                let young = self.pool.len().min(12);
                &self.pool[self.pool.len() - 1 - random.below(young)]
            } else {
                random.pick(&self.pool)
            };
            if t.sort() == sort {
                return t.clone();
            }
        }
        match sort {
            Sort::Bool => {
                let w = *random.pick(&WIDTHS);
                let a = self.of_sort(random, Sort::BitVec(w));
                let b = self.of_sort(random, Sort::BitVec(w));
                self.store.bv_ult(&a, &b)
            }
            Sort::BitVec(w) => self.store.constant(some_bits(random, w)),
            Sort::Array { index, value } => {
                let table = Table::new(index, Vec::new(), BitVec::zero(value));
                self.store.table(table)
            }
        }
    }

    /// Makes one more term.
    pub fn grow(&mut self, random: &mut Random) -> Term {
        let s = self.store;
        let w = *random.pick(&WIDTHS);
        let v = Sort::BitVec(w);
        let array = *random.pick(&ARRAYS);
        let Sort::Array { index, value } = array else {
            unreachable!()
        };
        let one = |op: Op, sort| (op, vec![sort]);
        let (op, sorts) = match random.below(34) {
            0 => one(Op::Not, Sort::Bool),
            1 | 2 => (Op::And, vec![Sort::Bool; 2]),
            3 => (Op::Eq, vec![Sort::Bool; 2]),
            4 | 5 => (Op::Eq, vec![v; 2]),
            6 => (Op::Ite, vec![Sort::Bool, Sort::Bool, Sort::Bool]),
            7 | 8 => (Op::Ite, vec![Sort::Bool, v, v]),
            9 => one(Op::BvNot, v),
            10 => one(Op::BvNeg, v),
            11 => (Op::BvAnd, vec![v; 2]),
            12 => (Op::BvOr, vec![v; 2]),
            13 => (Op::BvXor, vec![v; 2]),
            14 | 15 => (Op::BvAdd, vec![v; 2]),
            16 => (Op::BvMul, vec![v; 2]),
            17 => (Op::BvUdiv, vec![v; 2]),
            18 => (Op::BvUrem, vec![v; 2]),
            19 => (Op::BvSdiv, vec![v; 2]),
            20 => (Op::BvSrem, vec![v; 2]),
            21 if !self.kquery => (Op::BvSmod, vec![v; 2]),
            21 | 22 => (Op::BvShl, vec![v; 2]),
            23 => (Op::BvLshr, vec![v; 2]),
            24 => (Op::BvAshr, vec![v; 2]),
            25 => (Op::Concat, vec![v, Sort::BitVec(*random.pick(&WIDTHS))]),
            26 => {
                let lo = random.below(w as usize) as u32;
                let hi = lo + random.below((w - lo) as usize) as u32;
                one(Op::Extract { hi, lo }, v)
            }
            27 => one(Op::ZeroExtend(1 + random.below(9) as u32), v),
            28 => one(Op::SignExtend(1 + random.below(9) as u32), v),
            29 => (Op::BvUlt, vec![v; 2]),
            30 => (Op::BvSlt, vec![v; 2]),
            31 if !self.kquery => match random.below(3) {
                0 => (Op::Eq, vec![array; 2]),
                1 => (Op::Ite, vec![Sort::Bool, array, array]),
                _ => one(Op::ConstArray { index }, Sort::BitVec(value)),
            },
            31 | 32 => (
                Op::Store,
                vec![array, Sort::BitVec(index), Sort::BitVec(value)],
            ),
            _ => (Op::Select, vec![array, Sort::BitVec(index)]),
        };
        let args: Vec<Term> = sorts.iter().map(|s| self.of_sort(random, *s)).collect();
        let term = s.apply(&op, &args).expect("operands were chosen by sort");
        self.pool.push(term.clone());
        term
    }
}
