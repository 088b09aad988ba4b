//! The oracle: many random queries, many chains, one reference.
//!
//! # Problem
//!
//! A wrong answer of a solver is silent: a path is missed or invented.
//!
//! # Idea
//!
//! Each session's queries go to Z3 and to a number of chains. Verdicts must agree; models and unsat cores are
//! checked independently (`judge.rs`). Queries over few bits are also decided by exhaustion (`brute.rs`),
//! which checks the reference and the canonical constructors, too.
//!
//! # Soundness
//!
//! An answer counts as wrong if it contradicts the reference or exhaustion, if its model violates a
//! conjunct, if its unsat core is none, or if the chain fails. Queries that reach a limit count as undecided.
//! Without Z3 the reference is our own core solver without its search; then the run shows only that Cairn agrees
//! with itself, and the report says so.

use crate::brute;
use crate::configurations::{Configuration, always, others};
use crate::judge::{Reference, ask, fault, guarded, is_limit, verdict, violated, wrong_meaning};
use crate::operator::{ArrayData, ConcreteValue, mask};
use crate::pool::value_of;
use crate::queries::{PooledQuery, Session};
use crate::random::{Draw, Random};
use crate::shrink::shrink;
use crate::terms::Shape;
use cairn_expr::{Model, PostOrder, Sort, Term, TermStore, symbols_of};
use cairn_solver::{Answer, Budget, Chain, Query};
use cairn_text::smtlib;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How much is asked of whom.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of queries.
    pub queries: u64,
    /// The first session's seed; the others follow.
    pub seed: u64,
    /// When to stop even if queries are left.
    pub limit: Option<Duration>,
    /// Queries of a usual session, over one store; some are a third or five times as long.
    pub session: u64,
    /// How many of the less usual chains each session asks, besides the usual ones.
    pub extra: usize,
    /// Limit of one query.
    pub timeout: Duration,
    /// How long a failure may be shrunk.
    pub shrinking: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            queries: 1000,
            seed: 0,
            limit: None,
            session: 60,
            extra: 6,
            timeout: Duration::from_secs(2),
            shrinking: Duration::from_secs(30),
        }
    }
}

/// What one chain did.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The configuration's name.
    pub name: String,
    /// Queries asked.
    pub asked: u64,
    /// Answered SAT.
    pub sat: u64,
    /// Answered UNSAT.
    pub unsat: u64,
    /// Stopped by a limit.
    pub undecided: u64,
    /// Wrong.
    pub wrong: u64,
    /// Time for solving.
    pub time: Duration,
}

impl Row {
    fn count(&mut self, answer: &Answer, time: Duration) {
        self.asked += 1;
        self.time += time;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.undecided += 1,
        }
    }
}

/// Something wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The session's seed.
    pub seed: u64,
    /// The query's number in the session.
    pub number: u64,
    /// Who answered.
    pub configuration: String,
    /// What is wrong.
    pub problem: String,
    /// The shrunk queries as SMT-LIB, the failing one last.
    pub script: String,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The reference's name.
    pub reference: &'static str,
    /// Whether the reference is another program than ours.
    pub independent: bool,
    /// Sessions.
    pub sessions: u64,
    /// The reference's row.
    pub expected: Row,
    /// The chains' rows.
    pub rows: Vec<Row>,
    /// Queries also decided by trying everything.
    pub brute: u64,
    /// Queries compared with their expressions under a model.
    pub meanings: u64,
    /// Smallest and largest values that the reference confirmed.
    pub bounds: u64,
    /// Queries written as text and read back.
    pub texts: u64,
    /// What was wrong.
    pub failures: Vec<Failure>,
}

impl Report {
    fn row(&mut self, name: &str) -> &mut Row {
        if let Some(at) = self.rows.iter().position(|r| r.name == name) {
            return &mut self.rows[at];
        }
        self.rows.push(Row {
            name: name.to_string(),
            ..Row::default()
        });
        self.rows.last_mut().expect("just pushed")
    }

    /// The table for people.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} queries in {} sessions; {} also by trying everything, {} against their \
             expressions, {} read back from text; {} bounds",
            self.expected.asked, self.sessions, self.brute, self.meanings, self.texts, self.bounds
        );
        if !self.independent {
            let _ = writeln!(
                text,
                "Z3 was not found: the reference is our own core solver, so this run shows only that \
                 Cairn agrees with itself and, on small queries, with trying everything"
            );
        }
        let _ = writeln!(
            text,
            "{:<52} {:>8} {:>8} {:>8} {:>6} {:>6} {:>8}",
            "chain", "asked", "sat", "unsat", "limit", "wrong", "seconds"
        );
        for r in std::iter::once(&self.expected).chain(&self.rows) {
            let _ = writeln!(
                text,
                "{:<52} {:>8} {:>8} {:>8} {:>6} {:>6} {:>8.2}",
                r.name,
                r.asked,
                r.sat,
                r.unsat,
                r.undecided,
                r.wrong,
                r.time.as_secs_f64()
            );
        }
        let _ = writeln!(text, "disagreements: {}", self.failures.len());
        text
    }
}

struct Run<'a> {
    settings: &'a Settings,
    reference: Reference,
    report: Report,
    started: Instant,
}

/// Runs the comparison; `note` is called for each failure when it is found.
pub fn run(settings: &Settings, note: &mut dyn FnMut(&Failure)) -> Report {
    let reference = Reference::best(settings.timeout);
    let mut run = Run {
        settings,
        report: Report {
            reference: reference.name,
            independent: reference.independent,
            expected: Row {
                name: format!("(reference) {}", reference.name),
                ..Row::default()
            },
            ..Report::default()
        },
        reference,
        started: Instant::now(),
    };
    let mut seed = settings.seed;
    while run.goes_on() {
        run.session(seed, note);
        run.report.sessions += 1;
        seed += 1;
    }
    run.report
}

/// The chains of a session.
fn chosen(seed: u64, extra: usize) -> Vec<Configuration> {
    let mut r = Random::new(seed ^ 0xC4A1);
    let mut all = always();
    let mut rest = others();
    for _ in 0..extra.min(rest.len()) {
        let at = r.below(rest.len());
        all.push(rest.swap_remove(at));
    }
    all
}

impl Run<'_> {
    fn goes_on(&self) -> bool {
        let in_time = self
            .settings
            .limit
            .is_none_or(|limit| self.started.elapsed() < limit);
        in_time && self.report.expected.asked < self.settings.queries
    }

    fn session(&mut self, seed: u64, note: &mut dyn FnMut(&Failure)) {
        let store = TermStore::new();
        let mut r = Random::new(seed ^ 0x0DD5);
        let mut session = if r.chance(15) {
            let shape = Shape::tiny(&mut r);
            Session::with_shape(seed, shape)
        } else {
            Session::new(seed)
        };
        let mut chains: Vec<(Configuration, Chain)> = chosen(seed, self.settings.extra)
            .into_iter()
            .map(|c| (c.clone(), c.chain()))
            .collect();
        self.reference.restart();
        let usual = self.settings.session;
        let length = match r.below(10) {
            0 => 5 * usual,
            1 | 2 => usual.div_ceil(3),
            _ => usual,
        };
        let mut trace: Vec<Query> = Vec::new();
        for number in 0..length {
            if !self.goes_on() {
                return;
            }
            let asked = session.next(&store);
            let (expected, problems) = self.expect(&store, &session, &asked, &mut r);
            let mut failures: Vec<Failure> = Vec::new();
            for problem in problems {
                failures.push(Failure {
                    seed,
                    number,
                    configuration: self.reference.name.to_string(),
                    problem,
                    script: script(std::slice::from_ref(&asked.query)),
                });
                self.report.expected.wrong += 1;
            }
            let mut query = asked.query.clone();
            let limit = self.interrupt(&mut query, &mut r);
            trace.push(query.clone());
            let mut known = expected;
            for (configuration, chain) in &mut chains {
                let mut limited = query.clone();
                limited.budget.deadline = Some(Instant::now() + limit);
                let start = Instant::now();
                let answer = ask(chain, &store, &limited);
                let row = self.report.row(&configuration.name());
                row.count(&answer, start.elapsed());
                match fault(&store, &query, &answer, known, &mut self.reference) {
                    // The other chains must agree with a verdict that was checked.
                    None => known = known.or(verdict(&answer)),
                    Some(problem) => {
                        row_of(&mut self.report, configuration).wrong += 1;
                        let place = (seed, number);
                        failures.push(self.failure(&store, &trace, configuration, place, problem));
                        // A chain that was wrong once may be wrong from then on.
                        *chain = configuration.chain();
                    }
                }
            }
            if known == Some(true) && r.chance(2) {
                let at = r.below(chains.len());
                let (configuration, chain) = &mut chains[at];
                if let Some(problem) = self.wrong_bounds(&store, &asked.query, chain, &mut r) {
                    row_of(&mut self.report, configuration).wrong += 1;
                    *chain = configuration.chain();
                    failures.push(Failure {
                        seed,
                        number,
                        configuration: configuration.name(),
                        problem,
                        script: script(std::slice::from_ref(&asked.query)),
                    });
                }
            }
            failures.iter().for_each(&mut *note);
            self.report.failures.append(&mut failures);
            session.learn(&store, known);
            if r.chance(2) {
                store.sweep();
            }
        }
    }

    /// Lets some queries end early: a chain must be right after an interruption, too.
    fn interrupt(&self, query: &mut Query, r: &mut Random) -> Duration {
        match r.below(50) {
            0 | 1 => query.budget.conflicts = Some(r.below_u64(5)),
            2 => return Duration::from_micros(r.below_u64(400)),
            _ => {}
        }
        self.settings.timeout
    }

    /// What is wrong with the smallest and largest value of some part of a satisfiable query.
    fn wrong_bounds(
        &mut self,
        store: &TermStore,
        query: &Query,
        chain: &mut Chain,
        r: &mut Random,
    ) -> Option<String> {
        let conjuncts = query.conjuncts();
        let narrow = |t: &Term| matches!(t.sort(), Sort::BitVec(w) if w <= 16);
        let parts: Vec<Term> = PostOrder::of(&conjuncts).filter(narrow).collect();
        if parts.is_empty() {
            return None;
        }
        let part = r.pick(&parts).clone();
        let limited = query.clone().within(Budget::timeout(self.settings.timeout));
        let bounds = match guarded(|| chain.bounds(store, &limited, &part)) {
            Ok(Ok(bounds)) => bounds,
            Ok(Err(Answer::Unknown(reason))) if is_limit(&reason) => return None,
            Ok(Err(other)) => return Some(format!("no bounds of {part:?}: {other:?}")),
            Err(panic) => return Some(format!("bounds of {part:?}: {panic}")),
        };
        let (min, max) = (store.constant(bounds.min), store.constant(bounds.max));
        for (beyond, expected) in [
            (store.eq(&part, &min), true),
            (store.eq(&part, &max), true),
            (store.bv_ult(&part, &min), false),
            (store.bv_ult(&max, &part), false),
        ] {
            let asked = query.with_goal(store.and(&query.goal, &beyond));
            let answer = self.reference.decide(store, &asked).ok()?;
            if verdict(&answer).is_some_and(|v| v != expected) {
                return Some(format!("{part:?} is not within {min:?} to {max:?} exactly"));
            }
        }
        self.report.bounds += 1;
        None
    }

    /// The expected verdict, and what is wrong with the reference or the terms.
    fn expect(
        &mut self,
        store: &TermStore,
        session: &Session,
        asked: &PooledQuery,
        r: &mut Random,
    ) -> (Option<bool>, Vec<String>) {
        let mut problems = Vec::new();
        let start = Instant::now();
        let mut expected = None;
        let mut models = vec![random_model(&asked.query, r)];
        match self.reference.decide(store, &asked.query) {
            Ok(answer) => {
                self.report.expected.count(&answer, start.elapsed());
                expected = verdict(&answer);
                if let Answer::Sat(model) = &answer {
                    models.push(model.as_ref().clone());
                }
            }
            Err(problem) => {
                self.report.expected.asked += 1;
                problems.push(problem);
            }
        }
        for model in &models {
            problems.extend(wrong_meaning(store, session, asked, model));
            if expected == Some(false) && violated(&asked.query, model).is_none() {
                problems.push("unsat, but a random model satisfies it".to_string());
            }
        }
        self.report.meanings += 1;
        if r.chance(5) {
            self.report.texts += 1;
            problems.extend(wrong_text(store, &asked.query));
        }
        if let Some(sat) = brute::satisfiable(session.pool(), &asked.conjuncts, 8) {
            self.report.brute += 1;
            if expected.is_some_and(|e| e != sat) {
                problems.push(format!("trying everything says {sat}"));
            }
            expected = Some(sat);
        }
        (expected, problems)
    }

    fn failure(
        &mut self,
        store: &TermStore,
        trace: &[Query],
        configuration: &Configuration,
        (seed, number): (u64, u64),
        problem: String,
    ) -> Failure {
        let shrunk = shrink(
            store,
            trace,
            configuration,
            &mut self.reference,
            self.settings.timeout,
            self.settings.shrinking,
        );
        let (problem, script) = match shrunk {
            Some(mut small) => {
                small.history.push(small.query);
                (
                    format!("{problem}; shrunk: {}", small.problem),
                    script(&small.history),
                )
            }
            None => (
                format!("{problem} (not seen again when asked anew)"),
                script(&trace[trace.len() - 1..]),
            ),
        };
        Failure {
            seed,
            number,
            configuration: configuration.name(),
            problem,
            script,
        }
    }
}

fn row_of<'a>(report: &'a mut Report, configuration: &Configuration) -> &'a mut Row {
    report.row(&configuration.name())
}

/// What is lost when a query is written as text and read back.
fn wrong_text(store: &TermStore, query: &Query) -> Option<String> {
    let conjuncts = query.conjuncts();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = smtlib::write_query(&mut text, "ALL", &conjuncts);
    let mut read = Vec::new();
    let mut commands = smtlib::Script::new(text.as_bytes());
    loop {
        match commands.next_command(store) {
            Ok(Some(smtlib::Command::Assert { term, .. })) => read.push(term),
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(e) => return Some(format!("cannot be read back: {e}")),
        }
    }
    // Where an object begins is written as its address, with which more can be computed.
    let same = |(a, b): (&Term, &Term)| a == b || b.attributes().has_base;
    let whole = read.len() == conjuncts.len() && read.iter().zip(&conjuncts).all(same);
    (!whole).then(|| format!("reads back as {read:?}"))
}

/// A model of a query's symbols.
fn random_model(query: &Query, r: &mut Random) -> Model {
    let mut model = Model::new();
    let conjuncts: Vec<Term> = query.conjuncts();
    for symbol in symbols_of(&conjuncts) {
        let sort = symbol.sort();
        let data = match sort {
            Sort::Bool => ConcreteValue::Bits(u128::from(r.chance(50))),
            Sort::BitVec(w) => ConcreteValue::Bits(r.wide() & mask(w)),
            Sort::Array { index, value } => ConcreteValue::Cells(ArrayData {
                index,
                default: r.wide() & mask(value),
                cells: (0..1u128 << index.min(4))
                    .map(|i| (i, r.wide() & mask(value)))
                    .collect(),
            }),
        };
        model.set(symbol, value_of(&data, sort));
    }
    model
}

/// Queries as SMT-LIB scripts, one after the other, with what SMT-LIB does not say as comments.
pub fn script(queries: &[Query]) -> String {
    let mut text = String::new();
    for (i, query) in queries.iter().enumerate() {
        let last = i + 1 == queries.len();
        let _ = writeln!(
            text,
            "; {} query: wants {:?}, facts known to be satisfiable: {}, goal asserted last",
            if last { "failing" } else { "earlier" },
            query.want,
            query.facts_sat
        );
        let _ = smtlib::write_query(&mut text, "ALL", &query.conjuncts());
    }
    text
}
