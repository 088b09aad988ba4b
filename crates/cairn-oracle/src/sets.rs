//! Value sets by the million: random paths of small queries, every answer proved.
//!
//! # Problem
//!
//! The layer of value sets has many rules, each right only under its conditions. A wrong combination
//! shows in one query of a hundred thousand, so many must be asked, and comparing each with Z3 is too
//! slow.
//!
//! # Idea
//!
//! Paths fork as an engine's do: a condition and its negation are asked, a feasible side becomes a fact.
//! Conditions are those that the layer has rules for: comparisons of inputs, sums, multiples, quotients,
//! remainders, masks, casts, words made of bytes; order between inputs; conjunctions and disjunctions.
//!
//! # Soundness
//!
//! Every answer is proved: SAT by evaluating its model here, UNSAT by our own core solver, which must refute
//! the unsat core that was given. A sample of all queries is decided by Z3, too.
//!
//! # Cost
//!
//! Tens of microseconds for most queries: no process, no text.

use crate::configurations::Configuration;
use crate::differential::script;
use crate::judge::{Reference, ask, fault, verdict};
use crate::random::{Draw, Random};
use crate::shrink::shrink;
use cairn_expr::{Sort, Term, TermStore};
use cairn_solver::{Chain, Facts, Query, Want};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The layers that are asked, one path after the other.
const LISTS: [&str; 14] = [
    "path-sets",
    "path-sets,simplify,slice,value-sets",
    "value-sets",
    "slice,value-sets",
    "simplify,slice,value-sets",
    "tables,path-sets,simplify,slice,value-sets,exact-cache,model-cache,few-values,linear",
    "iso-cache",
    "simplify,slice,iso-cache",
    "tables,path-sets,simplify,slice,value-sets,exact-cache,model-cache,iso-cache,few-values,linear",
    "intervals",
    "slice,intervals",
    "strided:first",
    "strided:middle",
    "slice,strided:middle",
];

/// How many paths share a store.
const PATHS: u64 = 12;
/// The most facts of a path.
const LONGEST: u32 = 14;

/// How much is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of queries.
    pub queries: u64,
    /// The first store's seed; the others follow.
    pub seed: u64,
    /// Every so many queries Z3 is asked, too; never if zero.
    pub sample: u64,
    /// Limit of one query.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            queries: 20_000,
            seed: 0,
            sample: 100,
            timeout: Duration::from_secs(5),
        }
    }
}

/// What a list of layers did.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Queries asked.
    pub asked: u64,
    /// Answered SAT; each model was evaluated.
    pub sat: u64,
    /// Answered UNSAT; our core solver confirmed each unsat core.
    pub unsat: u64,
    /// Stopped by the limit.
    pub undecided: u64,
    /// Queries that did not reach the core solver.
    pub alone: u64,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// A row for each list of layers.
    pub rows: Vec<(&'static str, Row)>,
    /// Queries that Z3 decided, too.
    pub sampled: u64,
    /// What was wrong, with the shrunk queries as SMT-LIB.
    pub failures: Vec<String>,
}

impl Report {
    /// The table for people.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<52} {:>9} {:>9} {:>9} {:>6} {:>13}\n",
            "layers", "asked", "sat", "unsat", "limit", "without core"
        );
        let mut asked = 0;
        for (name, r) in &self.rows {
            asked += r.asked;
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{name:<52} {:>9} {:>9} {:>9} {:>6} {:>13}",
                r.asked, r.sat, r.unsat, r.undecided, r.alone
            );
        }
        let _ = writeln!(
            text,
            "{asked} queries, {} of them also by Z3; disagreements: {}",
            self.sampled,
            self.failures.len()
        );
        text
    }
}

/// Runs the comparison; `note` is called for each failure when it is found.
pub fn run(settings: &Settings, note: &mut dyn FnMut(&str)) -> Report {
    let mut report = Report {
        rows: LISTS.map(|l| (l, Row::default())).to_vec(),
        ..Report::default()
    };
    let mut native = Reference::native(settings.timeout);
    let mut other = Reference::best(settings.timeout);
    let mut left = settings.queries;
    let mut seed = settings.seed;
    while left > 0 {
        native.restart();
        other.restart();
        let store = TermStore::new();
        let mut r = Random::new(seed ^ 0x5E75_0000);
        let inputs = Inputs::new(&store, &mut r);
        for path in 0..PATHS.min(left) {
            let at = ((seed * PATHS + path) % LISTS.len() as u64) as usize;
            let mut walk = Walk {
                settings,
                store: &store,
                inputs: &inputs,
                configuration: Configuration::native(LISTS[at]),
                native: &mut native,
                other: &mut other,
                trace: Vec::new(),
                row: Row::default(),
                sampled: 0,
                failures: Vec::new(),
            };
            walk.path(&mut r, left);
            left = left.saturating_sub(walk.row.asked.max(1));
            let Walk {
                row,
                sampled,
                failures,
                ..
            } = walk;
            let sum = &mut report.rows[at].1;
            sum.asked += row.asked;
            sum.sat += row.sat;
            sum.unsat += row.unsat;
            sum.undecided += row.undecided;
            sum.alone += row.alone;
            report.sampled += sampled;
            for failure in failures {
                let failure = format!("seed {seed}, {}: {failure}", LISTS[at]);
                note(&failure);
                report.failures.push(failure);
            }
            if left == 0 {
                break;
            }
        }
        seed += 1;
    }
    report
}

struct Walk<'a> {
    settings: &'a Settings,
    store: &'a TermStore,
    inputs: &'a Inputs,
    configuration: Configuration,
    native: &'a mut Reference,
    other: &'a mut Reference,
    trace: Vec<Query>,
    row: Row,
    sampled: u64,
    failures: Vec<String>,
}

impl Walk<'_> {
    fn path(&mut self, r: &mut Random, most: u64) {
        let mut chain = self.configuration.chain();
        let mut facts = Facts::new();
        for _ in 0..r.within(4, LONGEST) {
            let goal = self.inputs.condition(self.store, r);
            let mut possible = Vec::new();
            for side in [goal.clone(), self.store.not(&goal)] {
                if self.row.asked == most {
                    return;
                }
                let want = match r.below(10) {
                    0 => Want::Core,
                    1 => Want::Model,
                    _ => Want::Verdict,
                };
                let mut query = Query::new(facts.clone(), side.clone()).wanting(want);
                query.facts_sat = r.chance(70);
                match self.ask(&mut chain, &query, r) {
                    Some(true) => possible.push(side),
                    Some(false) => {}
                    None => return,
                }
            }
            if possible.is_empty() {
                let text = script(&self.trace[self.trace.len() - 2..]);
                self.failures
                    .push(format!("neither a condition nor its negation\n{text}"));
                return;
            }
            facts = facts.with(possible.swap_remove(r.below(possible.len())));
        }
    }

    /// Asks, and proves the answer. `None`: no verdict, or a wrong one.
    fn ask(&mut self, chain: &mut Chain, query: &Query, r: &mut Random) -> Option<bool> {
        let core = |c: &Chain| c.stats().last().map_or(0, |(_, s)| s.asked);
        let before = core(chain);
        let mut limited = query.clone();
        limited.budget.deadline = Some(Instant::now() + self.settings.timeout);
        let answer = ask(chain, self.store, &limited);
        self.trace.push(query.clone());
        self.row.asked += 1;
        self.row.alone += u64::from(core(chain) == before);
        let found = verdict(&answer);
        match found {
            Some(true) => self.row.sat += 1,
            Some(false) => self.row.unsat += 1,
            None => self.row.undecided += 1,
        }
        let mut expected = None;
        if self.settings.sample > 0 && r.below_u64(self.settings.sample) == 0 {
            self.sampled += 1;
            match self.other.decide(self.store, query) {
                Ok(answer) => expected = verdict(&answer),
                Err(problem) => self.failures.push(problem),
            }
        }
        let Some(problem) = fault(self.store, query, &answer, expected, self.native) else {
            return found;
        };
        let shrunk = shrink(
            self.store,
            &self.trace,
            &self.configuration,
            self.native,
            self.settings.timeout,
            Duration::from_secs(20),
        );
        let text = match shrunk {
            Some(mut small) => {
                small.history.push(small.query);
                script(&small.history)
            }
            None => script(std::slice::from_ref(query)),
        };
        self.failures.push(format!("{problem}\n{text}"));
        None
    }
}

/// The inputs of a path: words of one width, some of them made of bytes, and a truth value.
struct Inputs {
    width: u32,
    words: Vec<Term>,
    truth: Term,
}

impl Inputs {
    fn new(store: &TermStore, r: &mut Random) -> Self {
        let width = *r.pick(&[4, 5, 8, 8, 16, 32, 32, 64]);
        let mut words: Vec<Term> = (0..r.within(1, 5))
            .map(|i| store.symbol(&format!("x{i}"), Sort::BitVec(width)))
            .collect();
        if width.is_multiple_of(8) && r.chance(30) {
            let bytes = store.symbol(
                "bytes",
                Sort::Array {
                    index: 32,
                    value: 8,
                },
            );
            let byte = |i: u64| store.select(&bytes, &store.bv(32, i));
            let first = r.below_u64(4);
            let word = (1..u64::from(width / 8))
                .fold(byte(first), |low, i| store.concat(&byte(first + i), &low));
            words.push(word);
        }
        Inputs {
            width,
            words,
            truth: store.symbol("p", Sort::Bool),
        }
    }

    /// Small numbers, numbers near the ends, any numbers.
    fn constant(&self, store: &TermStore, r: &mut Random) -> Term {
        let most = u64::MAX >> (64 - self.width);
        let near = r.below_u64(12);
        let word = match r.below(6) {
            0 | 1 => near,
            2 => most - near,
            3 => (most / 2).wrapping_add(near),
            4 => r.below_u64(100),
            _ => r.next(),
        };
        store.bv(self.width, word & most)
    }

    fn word(&self, store: &TermStore, r: &mut Random, depth: u32) -> Term {
        if depth == 0 || r.chance(25) {
            return r.pick(&self.words).clone();
        }
        let a = self.word(store, r, depth - 1);
        let b = match r.chance(70) {
            true => self.constant(store, r),
            false => self.word(store, r, depth - 1),
        };
        let w = self.width;
        match r.below(20) {
            0..=3 => store.bv_add(&a, &b),
            4 => store.bv_sub(&a, &b),
            5 => store.bv_sub(&b, &a),
            6 => store.bv_mul(&a, &store.bv(w, r.below_u64(12))),
            7 => store.bv_udiv(&a, &store.bv(w, r.below_u64(12))),
            8 => store.bv_urem(&a, &store.bv(w, r.below_u64(12))),
            9 => store.bv_sdiv(&a, &store.bv(w, r.below_u64(12))),
            10 => store.bv_srem(&a, &store.bv(w, r.below_u64(12))),
            11 => store.bv_and(&a, &b),
            12 => store.bv_or(&a, &b),
            13 => store.bv_xor(&a, &b),
            14 => store.bv_shl(&a, &store.bv(w, r.below_u64(u64::from(w)))),
            15 => store.bv_lshr(&a, &store.bv(w, r.below_u64(u64::from(w)))),
            16 => store.bv_ashr(&a, &store.bv(w, r.below_u64(u64::from(w)))),
            17 => store.bv_not(&a),
            18 => {
                let low = r.within(0, w / 2);
                let part = store.extract(&a, low + w / 2 - 1, low);
                match r.chance(50) {
                    true => store.zero_extend(&part, w - w / 2),
                    false => store.sign_extend(&part, w - w / 2),
                }
            }
            _ => store.ite(&self.comparison(store, r, depth - 1), &a, &b),
        }
    }

    fn comparison(&self, store: &TermStore, r: &mut Random, depth: u32) -> Term {
        let a = self.word(store, r, depth);
        let b = match r.below(10) {
            0..=4 => self.constant(store, r),
            5..=8 => r.pick(&self.words).clone(),
            _ => self.word(store, r, depth),
        };
        let (a, b) = if r.chance(30) { (b, a) } else { (a, b) };
        match r.below(9) {
            0 | 1 => store.eq(&a, &b),
            2 | 3 => store.bv_slt(&a, &b),
            4 => store.bv_sle(&a, &b),
            5 if self.width < 64 => {
                let (a, b) = (store.zero_extend(&a, 2), store.zero_extend(&b, 2));
                store.bv_ult(&a, &b)
            }
            6 if self.width < 64 => {
                let (a, b) = (store.sign_extend(&a, 2), store.sign_extend(&b, 2));
                store.bv_slt(&a, &b)
            }
            7 => store.bv_ule(&a, &b),
            _ => store.bv_ult(&a, &b),
        }
    }

    fn condition(&self, store: &TermStore, r: &mut Random) -> Term {
        // Half of them compare two inputs, or an input with a constant.
        let depth = if r.chance(50) { 0 } else { r.within(1, 3) };
        let one = self.comparison(store, r, depth);
        match r.below(14) {
            0 => store.or(&one, &self.comparison(store, r, 0)),
            1 => store.and(&one, &self.comparison(store, r, 0)),
            2 => store.or(&one, &self.truth),
            3 => {
                let word = |t: &Term| store.ite(t, &store.bv(32, 1), &store.bv(32, 0));
                let both = store.bv_and(&word(&one), &word(&self.comparison(store, r, 0)));
                store.not(&store.eq(&both, &store.bv(32, 0)))
            }
            _ => one,
        }
    }
}
