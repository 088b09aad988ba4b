//! Watches a run: a row in `run.stats` now and then, a line of progress twice a second.
//!
//! # Idea
//!
//! One thread reads the counters that workers share and asks them to bring those of the
//! solver up to date. It sleeps in between and is woken at the end, so it never holds a run up.
//!
//! # Cost
//!
//! Counting what was covered looks at every instruction of the program. So it is done at most
//! for a hundredth of the time; in between the last figures are shown again.

use super::terminal::Terminal;
use crate::recorder::write_failures::WriteFailures;
use cairn_engine::{CoverageFigures, Shared};
use cairn_report::{StatsRow, StatsWriter};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_millis(500);
/// Counting what was covered takes at most this part of the time.
const COVERAGE_SHARE: u32 = 100;

/// A line that a terminal would break could not be erased.
const WIDEST_LINE: usize = 79;

/// A run that is watched. Dropped without [`RunWatch::finish`], it stops watching.
pub struct RunWatch {
    ended: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<Meter>>,
}

impl RunWatch {
    /// Writes the first row and starts to watch; the others follow at these distances.
    pub fn start(
        shared: Arc<Shared>,
        terminal: Arc<Terminal>,
        stats: Option<StatsWriter>,
        failures: Arc<WriteFailures>,
        rows: Duration,
        start: Instant,
    ) -> Self {
        let mut meter = Meter::new(shared, start, failures);
        meter.stats = stats;
        meter.add_row();
        let ended = Arc::<(Mutex<bool>, Condvar)>::default();
        let until = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            let mut next_row = Instant::now() + rows;
            loop {
                let left = next_row.saturating_duration_since(Instant::now());
                if wait(&until, left.min(PROGRESS)) {
                    break;
                }
                meter.update();
                terminal.progress(&meter.line());
                let now = Instant::now();
                if now >= next_row {
                    meter.add_row();
                    next_row = now + rows;
                }
            }
            terminal.erase();
            meter
        });
        RunWatch {
            ended,
            thread: Some(thread),
        }
    }

    /// The run has ended: writes the last row.
    pub fn finish(mut self) {
        let Some(thread) = self.stop() else {
            return;
        };
        let mut meter = match thread.join() {
            Ok(meter) => meter,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        meter.count_coverage();
        meter.add_row();
        if let Some(stats) = meter.stats {
            meter.failures.check(stats.finish());
        }
    }

    fn stop(&mut self) -> Option<JoinHandle<Meter>> {
        let (ended, wake) = &*self.ended;
        *ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        wake.notify_all();
        self.thread.take()
    }
}

impl Drop for RunWatch {
    fn drop(&mut self) {
        if let Some(thread) = self.stop() {
            // The run failed otherwise.
            let _ = thread.join();
        }
    }
}

/// Waits; whether the run has ended.
fn wait((ended, wake): &(Mutex<bool>, Condvar), time: Duration) -> bool {
    let guard = ended.lock().unwrap_or_else(PoisonError::into_inner);
    let result = wake.wait_timeout_while(guard, time, |ended| !*ended);
    *result.unwrap_or_else(PoisonError::into_inner).0
}

/// Reads the figures of a run.
struct Meter {
    shared: Arc<Shared>,
    start: Instant,
    stats: Option<StatsWriter>,
    failures: Arc<WriteFailures>,
    coverage: CoverageFigures,
    /// Before this moment what was covered is not counted again.
    coverage_due: Instant,
    /// Queries at the last two updates and the time between them.
    queries: (u64, u64),
    updated: (Instant, Instant),
}

impl Meter {
    fn new(shared: Arc<Shared>, start: Instant, failures: Arc<WriteFailures>) -> Self {
        let now = Instant::now();
        let mut meter = Meter {
            shared,
            start,
            stats: None,
            failures,
            coverage: CoverageFigures::default(),
            coverage_due: now,
            queries: (0, 0),
            updated: (now, now),
        };
        meter.count_coverage();
        meter
    }

    fn count_coverage(&mut self) {
        let before = Instant::now();
        self.coverage = self.shared.coverage();
        let now = Instant::now();
        self.coverage_due = now + (now - before) * COVERAGE_SHARE;
    }

    /// Looks at what has changed.
    fn update(&mut self) {
        self.shared.ask_for_figures();
        if Instant::now() >= self.coverage_due {
            self.count_coverage();
        }
        let queries = self.shared.counters.queries.load(Relaxed);
        self.queries = (self.queries.1, queries);
        self.updated = (self.updated.1, Instant::now());
    }

    /// Adds a row. After one that could not be written no others are tried.
    fn add_row(&mut self) {
        let row = self.row();
        if let Some(stats) = &mut self.stats
            && self.failures.check(stats.add(&row)).is_none()
        {
            self.stats = None;
        }
    }

    fn row(&self) -> StatsRow {
        let counters = &self.shared.counters;
        let solver = &counters.solver;
        let count = |counter: &AtomicU64| Some(counter.load(Relaxed));
        let time = |nanos: &AtomicU64| Some(Duration::from_nanos(nanos.load(Relaxed)));
        let instructions = self.coverage.instructions;
        StatsRow {
            instructions: Some(counters.instructions()),
            full_branches: Some(self.coverage.full_branches),
            partial_branches: Some(self.coverage.partial_branches),
            branches: Some(self.coverage.branches),
            user_time: cairn_home::cpu_time().map(|t| t.user),
            active_states: Some(counters.states()),
            memory: cairn_home::resident_bytes(),
            queries: count(&counters.queries),
            core_queries: count(&solver.core_queries),
            wall_time: Some(self.start.elapsed()),
            covered_instructions: Some(instructions.covered),
            uncovered_instructions: Some(instructions.total - instructions.covered),
            core_time: time(&solver.core_nanos),
            solver_time: time(&solver.chain_nanos),
            exact_cache_hits: count(&solver.exact_cache_hits),
            exact_cache_misses: count(&solver.exact_cache_misses),
            model_cache_hits: count(&solver.model_cache_hits),
            model_cache_misses: count(&solver.model_cache_misses),
            // Every fork of a path makes one state more than there was.
            states: Some(counters.forks() + 1),
            ended_exit: Some(counters.completed()),
            ended_early: Some(counters.stopped()),
            ended_program_error: Some(counters.errors()),
            ..StatsRow::default()
        }
    }

    /// The line of progress.
    fn line(&self) -> String {
        let counters = &self.shared.counters;
        let paths = counters.completed() + counters.errors();
        let lines = self.coverage.lines;
        let per_second = {
            let seconds = (self.updated.1 - self.updated.0).as_secs_f64().max(1e-3);
            (self.queries.1 - self.queries.0) as f64 / seconds
        };
        let workers = self.shared.config.jobs.max(1) as f64;
        let all = self.start.elapsed().as_secs_f64().max(1e-3) * workers;
        let solver = counters.solver.chain_nanos.load(Relaxed) as f64 / 1e9;
        let mut line = format!(
            "{:.0} s: {paths} paths, {} states, {:.0}% of lines, {per_second:.0} queries/s, \
             {:.0}% in the solver",
            self.start.elapsed().as_secs_f64(),
            counters.states(),
            100.0 * lines.covered as f64 / lines.total.max(1) as f64,
            (100.0 * solver / all).min(100.0),
        );
        line.truncate(WIDEST_LINE);
        line
    }
}
