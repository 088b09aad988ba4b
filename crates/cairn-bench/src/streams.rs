//! Query streams shaped like symbolic execution.
//!
//! A path deepens branch by branch; at each branch both outcomes are asked, one that is possible
//! is taken, and now and then the path is left for an earlier branch, as a searcher does. The
//! choice depends on verdicts and the seed only, so every solver is asked the same queries. All
//! constants are drawn afresh: no query repeats.

use cairn_expr::{BitVec, Sort, Table, Term, TermStore};
use cairn_random::Random;
use cairn_solver::{Answer, Chain, Facts, Query};
use std::time::Duration;

/// The kinds of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryStream {
    /// Comparisons of input bytes with constants and with each other.
    Bytes,
    /// Linear arithmetic over 32-bit inputs.
    Linear,
    /// Reads of a 256-byte constant table at symbolic indices.
    Table,
    /// Reads of a symbolic array at symbolic indices.
    Array,
}

impl QueryStream {
    /// All kinds.
    pub const ALL: [QueryStream; 4] = [
        QueryStream::Bytes,
        QueryStream::Linear,
        QueryStream::Table,
        QueryStream::Array,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            QueryStream::Bytes => "bytes",
            QueryStream::Linear => "linear32",
            QueryStream::Table => "table256",
            QueryStream::Array => "array",
        }
    }
}

/// Paths are at most this deep.
const DEEPEST: usize = 100;

struct Generator {
    kind: QueryStream,
    random: Random,
    bytes: Vec<Term>,
    words: Vec<Term>,
    table: Term,
    array: Term,
}

impl Generator {
    fn new(store: &TermStore, kind: QueryStream, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let named = |prefix: &str, n: usize, w: u32| -> Vec<Term> {
            (0..n)
                .map(|i| store.symbol(&format!("{prefix}{i}"), Sort::BitVec(w)))
                .collect()
        };
        let values = (0..256).map(|_| BitVec::new(8, random.next())).collect();
        Generator {
            kind,
            bytes: named("byte", 64, 8),
            words: named("word", 16, 32),
            table: store.table(Table::new(32, values, BitVec::zero(8))),
            array: store.symbol(
                "array",
                Sort::Array {
                    index: 32,
                    value: 8,
                },
            ),
            random,
        }
    }

    fn byte(&mut self) -> Term {
        let n = self.random.below(self.bytes.len());
        self.bytes[n].clone()
    }

    fn word(&mut self) -> Term {
        let n = self.random.below(self.words.len());
        self.words[n].clone()
    }

    fn compare(&mut self, s: &TermStore, a: &Term, b: &Term) -> Term {
        match self.random.below(3) {
            0 => s.eq(a, b),
            1 => s.bv_ult(a, b),
            _ => s.bv_slt(a, b),
        }
    }

    fn index(&mut self, s: &TermStore) -> Term {
        let b = self.byte();
        let wide = s.zero_extend(&b, 24);
        if self.random.chance(30) {
            s.bv_and(
                &s.bv_add(&wide, &s.bv(32, self.random.below_u64(16))),
                &s.bv(32, 255),
            )
        } else {
            wide
        }
    }

    fn condition(&mut self, s: &TermStore) -> Term {
        let constant8 = s.bv(8, self.random.next());
        match self.kind {
            QueryStream::Bytes => {
                let x = self.byte();
                match self.random.below(10) {
                    0..=5 => self.compare(s, &x, &constant8),
                    6 => {
                        let y = self.byte();
                        self.compare(s, &x, &y)
                    }
                    7 => {
                        let sum = s.bv_add(&x, &self.byte());
                        self.compare(s, &sum, &constant8)
                    }
                    8 => {
                        // As `isdigit` and its like compare: at int width after promotion.
                        let wide = s.sign_extend(&x, 24);
                        let limit = s.bv(32, self.random.below_u64(128));
                        self.compare(s, &wide, &limit)
                    }
                    _ => {
                        let word = s.concat(&x, &self.byte());
                        let limit = s.bv(16, self.random.next());
                        self.compare(s, &word, &limit)
                    }
                }
            }
            QueryStream::Linear => {
                // Sizes, offsets and counters: k*x + c against a limit or another variable.
                let factor = [1, 1, 1, 2, 4, 8, 3, 10][self.random.below(8)];
                let offset = s.bv(32, self.random.below_u64(1 << 12));
                let left = s.bv_add(&s.bv_mul(&self.word(), &s.bv(32, factor)), &offset);
                let right = match self.random.below(4) {
                    0 => self.word(),
                    1 => s.bv_add(&self.word(), &self.word()),
                    _ => s.bv(32, self.random.below_u64(1 << 31)),
                };
                self.compare(s, &left, &right)
            }
            QueryStream::Table => {
                let index = self.index(s);
                let mut read = s.select(&self.table, &index);
                if self.random.chance(20) {
                    let second = s.zero_extend(&read, 24);
                    read = s.select(&self.table, &second);
                }
                self.compare(s, &read, &constant8)
            }
            QueryStream::Array => {
                let index = self.index(s);
                let read = s.select(&self.array, &index);
                if self.random.chance(30) {
                    let index = self.index(s);
                    let other = s.select(&self.array, &index);
                    self.compare(s, &read, &other)
                } else {
                    self.compare(s, &read, &constant8)
                }
            }
        }
    }
}

/// What a run over a stream did.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamFigures {
    /// Queries answered SAT.
    pub sat: u64,
    /// Queries answered UNSAT.
    pub unsat: u64,
    /// Queries not answered.
    pub unknown: u64,
    /// CPU time in the chain.
    pub cpu: Duration,
    /// A fingerprint of the verdicts in order: equal streams have equal ones.
    pub verdicts: u64,
}

impl StreamFigures {
    /// Queries per CPU second.
    pub fn rate(&self) -> f64 {
        (self.sat + self.unsat + self.unknown) as f64 / self.cpu.as_secs_f64()
    }
}

/// Runs a stream of `queries` through a chain; stops early at `limit` of CPU time.
pub fn run(
    kind: QueryStream,
    seed: u64,
    queries: u64,
    chain: &mut Chain,
    limit: Duration,
) -> StreamFigures {
    let store = TermStore::new();
    let mut generator = Generator::new(&store, kind, seed);
    let mut path: Vec<Facts> = vec![Facts::new()];
    let mut outcome = StreamFigures::default();
    let mut asked = 0;
    while asked < queries && outcome.cpu < limit {
        let condition = generator.condition(&store);
        if condition.as_bool().is_some() {
            continue;
        }
        let facts = path.last().expect("never empty").clone();
        let sides = [condition.clone(), store.not(&condition)];
        let mut possible = Vec::new();
        for side in &sides {
            let query = Query::new(facts.clone(), side.clone()).assuming_facts_sat();
            let start = crate::clock::thread();
            let answer = chain.solve(&store, &query);
            outcome.cpu += crate::clock::thread() - start;
            asked += 1;
            let code = match answer {
                Answer::Sat(_) => {
                    outcome.sat += 1;
                    possible.push(side.clone());
                    1
                }
                Answer::Unsat(_) => {
                    outcome.unsat += 1;
                    2
                }
                Answer::Unknown(reason) => {
                    outcome.unknown += 1;
                    eprintln!("unknown in stream {}: {reason}", kind.name());
                    3
                }
            };
            outcome.verdicts = outcome
                .verdicts
                .wrapping_mul(0x100_0000_01B3)
                .wrapping_add(code);
        }
        if possible.is_empty() {
            // Only after an unknown: leave the path.
            path.truncate(1);
            continue;
        }
        let taken = generator.random.below(possible.len());
        path.push(facts.with(possible[taken].clone()));
        if path.len() > DEEPEST || generator.random.chance(2) {
            let keep = 1 + generator.random.below(path.len());
            path.truncate(keep);
        }
    }
    outcome
}
