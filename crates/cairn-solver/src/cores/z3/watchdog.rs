//! The limits of a check, enforced by a thread.
//!
//! # Problem
//! A check must end at the deadline, when it is cancelled, and when memory runs
//! out. Z3 has a clock of its own, but setting it can cost several times an easy query (4.8.12 on
//! a busy machine: 0.8 ms became 5.4 ms), and it knows nothing of the other two.
//!
//! # Idea
//! One thread per context sleeps until the running check reaches a limit, and then
//! interrupts Z3 again and again (an interruption before the search began is lost) until the
//! check has ended.
//!
//! # Soundness
//! The thread interrupts only under the lock and while a check is announced, and a
//! check is announced and revoked under the lock. So it never touches a context that is gone, and
//! whether it interrupted is known when the check has been revoked.
//!
//! # Cost
//! A lock per check. The thread is woken only if it would sleep too long, which it does
//! not if deadlines move forward.

use crate::{Budget, UnknownReason};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Stops a check; called from the watchdog's thread.
pub(super) trait Interrupt: Send {
    /// Asks it to stop.
    fn interrupt(&self);
}

/// The thread and what it shares; ends when dropped.
pub(super) struct Watchdog(Arc<SharedWatchdog>);

#[derive(Default)]
struct SharedWatchdog {
    state: Mutex<WatchdogState>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchdogState {
    check: Option<Check>,
    /// When the thread looks again by itself; `None`: not at all.
    wakes: Option<Instant>,
    ended: bool,
}

struct Check {
    target: Box<dyn Interrupt>,
    budget: Budget,
    stopped: Option<UnknownReason>,
}

impl SharedWatchdog {
    fn lock(&self) -> MutexGuard<'_, WatchdogState> {
        // A panic elsewhere leaves the state as it was, which is good enough to go on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.ended {
            let pause = state.check.as_mut().map(Check::look);
            state.wakes = pause.map(|p| Instant::now() + p);
            state = match pause {
                Some(pause) => {
                    let woken = self.changed.wait_timeout(state, pause);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.changed.wait(state);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

impl Check {
    /// Interrupts if a limit is reached; returns when to look again.
    fn look(&mut self) -> Duration {
        if self.stopped.is_none() {
            let budget = &self.budget;
            self.stopped = budget.exhausted().or_else(|| budget.exhausted_memory());
        }
        if self.stopped.is_some() {
            self.target.interrupt();
            return POLL;
        }
        pause(&self.budget)
    }
}

const POLL: Duration = Duration::from_millis(20);

/// How long nothing can happen: until the deadline, if that is the only limit.
fn pause(budget: &Budget) -> Duration {
    let until = budget
        .deadline
        .map_or(Duration::from_secs(3600), |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
    if budget.cancel.is_some() || budget.memory.is_some() {
        until.min(POLL)
    } else {
        until
    }
}

impl Watchdog {
    /// Starts the thread.
    pub(super) fn new() -> Self {
        let shared = Arc::new(SharedWatchdog::default());
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || of_thread.run());
        Watchdog(shared)
    }

    /// Runs something under a budget; returns its result and the limit that stopped it. A result
    /// that comes with a limit may be cut short.
    pub(super) fn guard<R>(
        &self,
        budget: &Budget,
        target: Box<dyn Interrupt>,
        run: impl FnOnce() -> R,
    ) -> (R, Option<UnknownReason>) {
        // The watching thread has a clock of its own.
        let budget = &budget.by_wall_clock();
        let first_look = Instant::now() + pause(budget);
        {
            let mut state = self.0.lock();
            state.check = Some(Check {
                target,
                budget: budget.clone(),
                stopped: None,
            });
            if state.wakes.is_none_or(|wakes| wakes > first_look) {
                self.0.changed.notify_one();
            }
        }
        // Revoked on every way out, so that the target is not interrupted later.
        let revoke = Revoke(&self.0);
        let result = run();
        (result, revoke.now())
    }
}

struct Revoke<'a>(&'a SharedWatchdog);

impl Revoke<'_> {
    fn now(&self) -> Option<UnknownReason> {
        self.0.lock().check.take()?.stopped
    }
}

impl Drop for Revoke<'_> {
    fn drop(&mut self) {
        self.now();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Flag(Arc<AtomicBool>);

    impl Interrupt for Flag {
        fn interrupt(&self) {
            self.0.store(true, Ordering::Release);
        }
    }

    /// Waits until interrupted, at most for a given time.
    fn wait(flag: &AtomicBool, limit: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit {
            if flag.load(Ordering::Acquire) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn limits_interrupt_and_only_while_something_runs() {
        let watchdog = Watchdog::new();
        // A long limit first, so that the thread sleeps longer than the next check allows.
        for (limit, patience, expected) in
            [(60_000, 0, false), (30, 30_000, true), (60_000, 60, false)]
        {
            let flag = Arc::new(AtomicBool::new(false));
            let budget = Budget::timeout(Duration::from_millis(limit));
            let target = Box::new(Flag(Arc::clone(&flag)));
            let wait = || wait(&flag, Duration::from_millis(patience));
            let (interrupted, stopped) = watchdog.guard(&budget, target, wait);
            assert_eq!(interrupted, expected);
            assert_eq!(stopped, expected.then_some(UnknownReason::Timeout));
        }
    }
}
