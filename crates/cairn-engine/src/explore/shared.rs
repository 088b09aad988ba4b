//! What the workers of a run share.

use crate::config::Config;
use crate::explore::counters::{Counters, WorkerCounters};
use crate::explore::coverage::{CoverageFigures, LineCoverage, SourceMap};
use crate::explore::moving::PortablePath;
use crate::explore::place_costs::CostTable;
use crate::explore::test_rerun::Mismatch;
use crate::features::TreeKeeper;
use crate::features::feature::Feature;
use crate::finding::{Finding, Outcome, SourceLine};
use crate::gate::ReasonCounts;
use crate::merge::MergeCounts;
use crate::omission::{Omission, StopCause};
use crate::report::{Observer, Omitted, TestCase};
use cairn_ir::Program;
use cairn_machine::CoverMap;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

/// How the names of the C library's own files begin.
pub(crate) const LIBRARY_FILES: &str = "musl/";

/// Makes a feature for a worker.
pub type FeatureMaker = Box<dyn Fn() -> Box<dyn Feature> + Send + Sync>;

#[derive(Default)]
struct Exchange {
    /// Paths that no worker follows.
    paths: Vec<PortablePath>,
    /// Workers without work.
    idle: usize,
}

/// What is known of one place with a finding.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The first finding there.
    pub finding: Finding,
    /// The number of its test, if one was written.
    pub test: Option<u64>,
    /// Paths that ended there.
    pub paths: u64,
}

/// What makes a finding another one: its kind, its line, and if that is not known, a number of the
/// instruction.
type FindingKey = (crate::finding::FindingKind, SourceLine, u32);

/// See the module's head.
pub struct Shared {
    /// The program.
    pub program: Arc<Program>,
    /// What the run was told.
    pub config: Config,
    /// Numbers.
    pub counters: Counters,
    /// Whether a path was told something that no test holds.
    pub told_hidden: AtomicBool,
    /// Who receives tests.
    pub observer: Box<dyn Observer>,
    /// Makes the features that were asked for, for each worker.
    pub features: Vec<FeatureMaker>,
    /// The same for those that see what is pending after all others, when it is decided.
    pub features_behind: Vec<FeatureMaker>,
    /// Set when everybody must stop.
    pub stop: Arc<AtomicBool>,
    stopped_by: Mutex<Option<StopCause>>,
    exchange: Mutex<Exchange>,
    wake: Condvar,
    /// Workers that wait for work: cheap to look at.
    hungry: AtomicUsize,
    findings: Mutex<FxHashMap<FindingKey, Reported>>,
    left_out: Mutex<BTreeMap<Omission, u64>>,
    mismatches: Mutex<Vec<Mismatch>>,
    bugs: Mutex<Vec<String>>,
    covered: Mutex<Vec<bool>>,
    /// How often points were passed, of workers that have ended.
    passes: Mutex<Vec<u64>>,
    reasons: Mutex<ReasonCounts>,
    pub(crate) merges: Mutex<MergeCounts>,
    /// What places cost, of workers that have ended.
    costs: Mutex<CostTable>,
    figures_wanted: AtomicU64,
    /// The program as it has grown.
    grown: RwLock<GrownProgram>,
    /// Nodes of the tree, if they are to be kept.
    pub(crate) tree_keeper: Option<TreeKeeper>,
}

/// A program that may have grown, and its points.
#[derive(Clone)]
struct GrownProgram {
    program: Arc<Program>,
    cover: Arc<CoverMap>,
}

impl GrownProgram {
    /// What only becomes more: functions, those with a body, places.
    fn size(program: &Program) -> (usize, usize, usize) {
        let lowered = program.functions.iter().filter(|f| f.body.is_some());
        let lowered = lowered.count();
        (program.functions.len(), lowered, program.places.len())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked leaves numbers that are at worst too small.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// A run that has not started.
    pub fn new(program: Arc<Program>, config: Config, observer: Box<dyn Observer>) -> Self {
        let cover = Arc::new(CoverMap::new(&program));
        let first = config
            .replayed
            .as_ref()
            .map_or_else(PortablePath::default, |steps| PortablePath {
                decisions: steps.to_vec(),
                given: true,
                ..PortablePath::default()
            });
        Shared {
            covered: Mutex::new(vec![false; cover.len()]),
            passes: Mutex::new(vec![0; cover.len()]),
            reasons: Mutex::default(),
            merges: Mutex::default(),
            costs: Mutex::default(),
            grown: RwLock::new(GrownProgram {
                program: Arc::clone(&program),
                cover,
            }),
            program,
            counters: Counters::new(config.jobs),
            told_hidden: AtomicBool::default(),
            tree_keeper: config.keep_tree.map(TreeKeeper::new),
            config,
            observer,
            features: Vec::new(),
            features_behind: Vec::new(),
            stop: Arc::default(),
            stopped_by: Mutex::default(),
            exchange: Mutex::new(Exchange {
                paths: vec![first],
                idle: 0,
            }),
            wake: Condvar::new(),
            hungry: AtomicUsize::new(0),
            findings: Mutex::default(),
            left_out: Mutex::default(),
            mismatches: Mutex::default(),
            bugs: Mutex::default(),
            figures_wanted: AtomicU64::new(0),
        }
    }

    /// The program with all that was added to it while it ran.
    pub fn program_now(&self) -> Arc<Program> {
        self.grown_now().program
    }

    /// The points of the program with all that was added to it.
    pub(crate) fn cover_now(&self) -> Arc<CoverMap> {
        self.grown_now().cover
    }

    fn grown_now(&self) -> GrownProgram {
        let grown = self.grown.read().unwrap_or_else(PoisonError::into_inner);
        grown.clone()
    }

    /// The program has grown.
    pub(crate) fn note_grown(&self, program: &Arc<Program>) {
        let mut grown = self.grown.write().unwrap_or_else(PoisonError::into_inner);
        if GrownProgram::size(&grown.program) >= GrownProgram::size(program) {
            return;
        }
        grown.program = Arc::clone(program);
        let cover = Arc::make_mut(&mut grown.cover);
        cover.extend(program);
        lock(&self.covered).resize(cover.len(), false);
        lock(&self.passes).resize(cover.len(), 0);
    }

    /// Ends the run, because of a limit or a wish.
    pub fn stop_by(&self, why: StopCause) {
        lock(&self.stopped_by).get_or_insert(why);
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Whether there are paths that were not followed to their end, or anything else that was left out.
    /// Known when all workers have ended.
    pub(crate) fn left_something_out(&self) -> bool {
        self.counters.stopped() > 0 || !lock(&self.left_out).is_empty()
    }

    /// Nothing was left out, so nothing ended the run early.
    pub(crate) fn forget_stop(&self) {
        *lock(&self.stopped_by) = None;
    }

    /// What ended the run early.
    pub fn stopped_by(&self) -> Option<StopCause> {
        *lock(&self.stopped_by)
    }

    /// What ended the run, for paths that are left out because of it.
    pub fn ended_by(&self) -> StopCause {
        self.stopped_by().unwrap_or(StopCause::Stop)
    }

    /// Whether the run must end.
    pub fn over(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        let late = |deadline: Instant| Instant::now() >= deadline;
        if self.config.limits.deadline().is_some_and(late) {
            self.stop_by(StopCause::Time);
            return true;
        }
        false
    }

    /// Counts operations of a worker; whether the run may go on.
    pub fn count_instructions(&self, own: &WorkerCounters, executed: u64) -> bool {
        own.instructions.add(executed);
        let limit = self.config.limits.instructions;
        if limit.is_some_and(|most| self.counters.instructions() >= most) {
            self.stop_by(StopCause::Instructions);
            return false;
        }
        true
    }

    /// Says that something was not explored, and why; how often that was said.
    pub fn leave_out(&self, what: Omission) -> u64 {
        let mut all = lock(&self.left_out);
        let times = all.entry(what).or_default();
        *times += 1;
        *times
    }

    /// What was not explored, each with how often.
    pub fn left_out(&self) -> Vec<Omitted> {
        let list = lock(&self.left_out);
        let omitted = list.iter().map(|(what, times)| Omitted {
            what: what.clone(),
            times: *times,
        });
        omitted.collect()
    }

    /// What makes a finding another one.
    fn key(&self, finding: &Finding, positions: &[u32]) -> FindingKey {
        let (line, number) = finding.spot(&self.program_now(), positions);
        (finding.kind, line, number)
    }

    /// Notes a finding; whether it is the first at its place.
    fn note_finding(&self, finding: &Finding, key: FindingKey) -> bool {
        let mut findings = lock(&self.findings);
        if let Some(known) = findings.get_mut(&key) {
            known.paths += 1;
            return false;
        }
        let reported = Reported {
            finding: finding.clone(),
            test: None,
            paths: 1,
        };
        findings.insert(key, reported);
        true
    }

    /// All findings, in order of their tests.
    pub fn findings(&self) -> Vec<(SourceLine, Reported)> {
        let findings = lock(&self.findings);
        let all = findings.iter();
        let mut all: Vec<_> = all.map(|(k, r)| (k.1.clone(), r.clone())).collect();
        all.sort_by(|a, b| {
            let key = |x: &(SourceLine, Reported)| {
                (
                    x.1.test.unwrap_or(u64::MAX),
                    x.0.file.clone(),
                    x.0.line,
                    x.1.finding.kind,
                )
            };
            key(a).cmp(&key(b))
        });
        all
    }

    /// Notes a test that the concrete machine does not confirm.
    pub fn note_mismatch(&self, mismatch: Mismatch) {
        self.leave_out(Omission::Bug(mismatch.to_string()));
        lock(&self.mismatches).push(mismatch);
    }

    /// Notes something that only a bug in Cairn explains: what, and where. The path that it ends is
    /// cut.
    pub fn note_bug(&self, what: &str) {
        lock(&self.bugs).push(what.to_string());
    }

    /// What only bugs in Cairn explain, each once.
    pub fn bugs(&self) -> Vec<String> {
        let mut all = lock(&self.bugs).clone();
        all.sort();
        all.dedup();
        all
    }

    /// Tests that the concrete machine does not confirm, in their order.
    pub fn mismatches(&self) -> Vec<Mismatch> {
        let mut all = lock(&self.mismatches).clone();
        all.sort();
        all
    }

    /// Counts a path's end and hands its test on, if it gets one: then that is the result, with
    /// its number. Positions in the code of the calls that had not returned tell the findings of a line apart.
    pub fn path_ended(
        &self,
        own: &WorkerCounters,
        outcome: &Outcome,
        positions: &[u32],
        covered_new: bool,
        test: impl FnOnce() -> TestCase,
    ) -> Option<(u64, TestCase)> {
        let mut first_at_its_place = None;
        let mut key = None;
        let (counter, wanted) = match outcome {
            Outcome::Exit(_) | Outcome::Signal(_) => (
                &own.completed,
                covered_new || !self.config.only_covering_new,
            ),
            Outcome::Silent => (&own.completed, false),
            Outcome::Error(finding) => {
                let found = key.insert(self.key(finding, positions));
                let first = self.note_finding(finding, found.clone());
                if self.config.stop_on.contains(&finding.kind) {
                    self.stop_by(StopCause::ExitOnError);
                }
                if first {
                    first_at_its_place = Some(finding);
                    self.count_finding();
                }
                (&own.errors, first || self.config.all_errors)
            }
            Outcome::Unsupported(finding) => {
                let what = in_words(finding, &self.program_now());
                let first = self.leave_out(Omission::Unsupported(what)) == 1;
                (&own.stopped, first || self.config.all_errors)
            }
            Outcome::Stopped(_) => (&own.stopped, self.config.wants_test_of_stopped(covered_new)),
            // Code that only the beginning of this path covered has no other test.
            Outcome::Subsumed(_) => (&own.subsumed, covered_new),
            // Those are counted where they are merged.
            Outcome::Merged if covered_new => return self.hand_out(outcome, None, test),
            Outcome::Merged | Outcome::Contradiction => return None,
        };
        counter.add(1);
        if !wanted {
            return None;
        }
        let handed_out = self.hand_out(outcome, key.as_ref(), test);
        if let Some(finding) = first_at_its_place {
            let test = handed_out.as_ref().map(|(number, _)| *number);
            self.observer.found(finding, test, &self.program_now());
        }
        handed_out
    }

    /// Notes something else that is wrong on a path whose end is counted on its own.
    pub fn also_found(&self, finding: Finding, test: impl FnOnce() -> TestCase) {
        let key = self.key(&finding, &[]);
        if self.note_finding(&finding, key.clone()) {
            self.count_finding();
            let outcome = Outcome::Error(finding.clone());
            let handed_out = self.hand_out(&outcome, Some(&key), test);
            let test = handed_out.map(|(number, _)| number);
            self.observer.found(&finding, test, &self.program_now());
        }
    }

    /// Counts a finding at a new place.
    fn count_finding(&self) {
        let found = self.counters.findings.fetch_add(1, Ordering::Relaxed) + 1;
        let most = self.config.limits.findings;
        if most.is_some_and(|most| found >= most) {
            self.stop_by(StopCause::Findings);
        }
    }

    /// Hands a test to the observer, if there may be one more; that test and its number.
    fn hand_out(
        &self,
        outcome: &Outcome,
        finding: Option<&FindingKey>,
        test: impl FnOnce() -> TestCase,
    ) -> Option<(u64, TestCase)> {
        if !self.observer.wants_test(outcome) {
            return None;
        }
        let counters = &self.counters;
        let number = counters.tests.fetch_add(1, Ordering::Relaxed) + 1;
        if self.config.limits.tests.is_some_and(|most| number > most) {
            counters.tests.fetch_sub(1, Ordering::Relaxed);
            self.leave_out(Omission::LeftOut(StopCause::Tests));
            self.stop_by(StopCause::Tests);
            return None;
        }
        if let Some(key) = finding
            && let Some(reported) = lock(&self.findings).get_mut(key)
        {
            reported.test.get_or_insert(number);
        }
        let test = test();
        self.observer
            .test(number, &test, outcome, &self.program_now());
        if self.config.limits.tests == Some(number) {
            self.stop_by(StopCause::Tests);
        }
        Some((number, test))
    }

    /// Notes that points were passed; whether one of them was passed for the first time.
    pub fn note_covered(&self, points: &[u32]) -> bool {
        let mut covered = lock(&self.covered);
        let mut newly = |&point: &u32| !std::mem::replace(&mut covered[point as usize], true);
        points.iter().fold(false, |new, point| newly(point) | new)
    }

    /// Which points were passed.
    pub fn covered(&self) -> Vec<bool> {
        lock(&self.covered).clone()
    }

    /// How much of the program was passed.
    pub fn coverage(&self) -> CoverageFigures {
        let GrownProgram { program, cover } = self.grown_now();
        let counted = self.counted(&program);
        crate::explore::coverage::figures(&program, &cover, &counted, &self.covered())
    }

    /// Functions whose coverage counts.
    fn counted(&self, program: &Program) -> Vec<bool> {
        crate::explore::coverage::counted(program, self.config.cover_libc)
    }

    /// What was passed of the program's source; how often, on workers that have ended.
    pub fn source_coverage(&self) -> SourceMap {
        let GrownProgram { program, cover } = self.grown_now();
        crate::explore::coverage::source(
            &program,
            &cover,
            &self.counted(&program),
            &self.covered(),
            &lock(&self.passes),
        )
    }

    /// What was passed of each line of the program, and what that cost on workers that have ended.
    pub fn line_coverage(&self) -> Vec<LineCoverage> {
        // The worker that added costs had announced their code before.
        let costs = lock(&self.costs);
        let GrownProgram { program, cover } = self.grown_now();
        crate::explore::coverage::lines(
            &program,
            &cover,
            &self.covered(),
            &lock(&self.passes),
            &costs,
        )
    }

    /// Adds what a worker counted.
    pub(crate) fn add_costs(&self, passes: impl Iterator<Item = u64>, costs: CostTable) {
        for (sum, more) in lock(&self.passes).iter_mut().zip(passes) {
            *sum = sum.saturating_add(more);
        }
        crate::explore::place_costs::merge(&mut lock(&self.costs), costs);
    }

    /// Adds the reasons that a worker proved again.
    pub(crate) fn add_reasons(&self, counts: &ReasonCounts) {
        for flaw in &counts.flawed {
            self.note_bug(&format!(
                "a reason ({}) does not hold: {}",
                flaw.kind.name(),
                flaw.what
            ));
        }
        lock(&self.reasons).add(counts);
    }

    /// The reasons that were proved again.
    pub fn reasons(&self) -> ReasonCounts {
        lock(&self.reasons).clone()
    }

    /// Asks workers to bring the counters of queries up to date, which they do between two states.
    pub fn ask_for_figures(&self) {
        self.figures_wanted.fetch_add(1, Ordering::Relaxed);
    }

    /// How often figures were asked for.
    #[inline]
    pub(crate) fn figures_wanted(&self) -> u64 {
        self.figures_wanted.load(Ordering::Relaxed)
    }

    /// Whether a worker waits for work.
    #[inline]
    pub fn somebody_waits(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Gives a path to a worker that waits.
    pub fn send(&self, path: PortablePath) {
        lock(&self.exchange).paths.push(path);
        self.hungry.store(0, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Takes a path, waiting for one; `None` when all is done or the run must end.
    pub fn receive(&self) -> Option<PortablePath> {
        let mut exchange = lock(&self.exchange);
        exchange.idle += 1;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(path) = exchange.paths.pop() {
                exchange.idle -= 1;
                let waiting = exchange.idle.saturating_sub(exchange.paths.len());
                self.hungry.store(waiting, Ordering::Relaxed);
                return Some(path);
            }
            if exchange.idle == self.config.jobs {
                // No worker is busy, so none will give a path.
                self.wake.notify_all();
                return None;
            }
            self.hungry.store(exchange.idle, Ordering::Relaxed);
            let wait = std::time::Duration::from_millis(50);
            let (guard, _) = self
                .wake
                .wait_timeout(exchange, wait)
                .unwrap_or_else(PoisonError::into_inner);
            exchange = guard;
        }
    }

    /// How many paths no worker follows.
    pub fn waiting_paths(&self) -> usize {
        lock(&self.exchange).paths.len()
    }
}

/// What is the matter, and the place: where the program calls the C library, if it happened in that.
fn in_words(finding: &Finding, program: &Program) -> String {
    let mut lines = finding.lines(program).into_iter();
    let own = |line: &SourceLine| line.line != 0 && !line.file.starts_with(LIBRARY_FILES);
    let place = lines.find(own);
    let place = place.unwrap_or_else(|| finding.place(program));
    match place.line {
        0 => format!("{}: {}", place.function, finding.message),
        line => format!("{}:{line}: {}", place.file, finding.message),
    }
}
