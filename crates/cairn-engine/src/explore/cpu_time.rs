//! The limit on processor time.
//!
//! # Problem
//!
//! A limit on time cuts a run short when the machine is busy with something else. A limit
//! on processor time ends the same run after the same work, and bounds queries, which a limit on
//! instructions does not.
//!
//! # Idea
//!
//! A thread sleeps and looks at the clocks of the worker threads now and then; when their sum
//! has reached the limit it ends the run as an interrupt would: queries and long operations look at
//! that flag already. It sleeps no longer than the workers could need to get there.
//!
//! - **What counts.** The worker threads, solver included; not loading the program, and not processes
//!   that were started (external solvers, functions of the host). Where the kernel has no file about a
//!   thread, the time of the whole process is taken, which is at least as much.
//!
//! # Soundness
//!
//! A run that reaches the limit is incomplete and says so ([`StopCause::CpuTime`]).
//!
//! # Cost
//!
//! One file of `/proc` is read for each worker, every 2 to 50 milliseconds.

use crate::explore::shared::Shared;
use crate::omission::StopCause;
use rustix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// The longest and the shortest time between two looks.
const LONGEST: Duration = Duration::from_millis(50);
const SHORTEST: Duration = Duration::from_millis(2);

/// The unit of times under `/proc`, whatever the kernel's own clock.
const TICK: Duration = Duration::from_millis(10);

/// The clocks of a run's worker threads.
#[derive(Default)]
pub(crate) struct WorkerClocks {
    workers: Mutex<Vec<WorkerClock>>,
    /// All workers have ended.
    done: AtomicBool,
}

/// The clock of one thread.
struct WorkerClock {
    /// The kernel's file about the thread; `None` if that cannot be found.
    file: Option<PathBuf>,
    /// The last time that was read: the file goes away with the thread.
    used: Duration,
}

impl WorkerClocks {
    /// Counts the present thread.
    pub fn add_this_thread(&self) {
        let folder = std::fs::read_link("/proc/thread-self");
        let file = folder
            .ok()
            .map(|f| PathBuf::from("/proc").join(f).join("stat"));
        self.lock().push(WorkerClock {
            file,
            used: Duration::ZERO,
        });
    }

    /// Nothing is left to watch.
    pub fn end(&self, watcher: &Thread) {
        self.done.store(true, Ordering::Release);
        watcher.unpark();
    }

    /// Ends the run when its workers have used this much, unless they end before.
    pub fn watch(&self, shared: &Shared, most: Duration) {
        while !self.done.load(Ordering::Acquire) {
            let used = self.used();
            if used >= most {
                shared.stop_by(StopCause::CpuTime);
                return;
            }
            let soonest = (most - used) / shared.config.jobs.max(1) as u32;
            std::thread::park_timeout(soonest.clamp(SHORTEST, LONGEST));
        }
    }

    /// Processor time of all workers so far.
    fn used(&self) -> Duration {
        let mut workers = self.lock();
        if workers.iter().any(|w| w.file.is_none()) {
            // Without the kernel's files: the whole process, which is at least as much.
            let now = clock_gettime(ClockId::ProcessCPUTime);
            return Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32);
        }
        for worker in workers.iter_mut() {
            let text = worker
                .file
                .as_ref()
                .and_then(|f| std::fs::read_to_string(f).ok());
            if let Some(used) = text.as_deref().and_then(time_of) {
                worker.used = worker.used.max(used);
            }
        }
        workers.iter().map(|w| w.used).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WorkerClock>> {
        // Only times are in it, which are right even after a panic.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processor time, user and system, in a `stat` file of a thread.
fn time_of(text: &str) -> Option<Duration> {
    // The name of the thread may contain anything; fields are counted after it.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * ticks()?.saturating_add(ticks()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_thread_is_read_whatever_its_name() {
        let text = "12 (a) 1 (b) R 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0";
        assert_eq!(time_of(text), Some(Duration::from_millis(1750)));
        assert_eq!(time_of("12 (name) R 1 2"), None);
        assert_eq!(time_of(""), None);
    }

    #[test]
    fn a_thread_that_computes_is_counted_and_stays_counted_when_it_has_ended() {
        let clocks = WorkerClocks::default();
        let seen = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                clocks.add_this_thread();
                let start = clock_gettime(ClockId::ThreadCPUTime);
                let so_far = || {
                    let now = clock_gettime(ClockId::ThreadCPUTime);
                    (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1_000_000
                };
                while so_far() < 100 {
                    std::hint::spin_loop();
                }
                clocks.used()
            });
            worker.join().expect("it does not panic")
        });
        assert!(seen >= Duration::from_millis(80), "{seen:?}");
        assert!(clocks.used() >= seen);
    }
}
