//! Time as searchers see it.
//!
//! Searchers that budget time ask a [`Clock`] that is given to them, so that tests say what time it
//! is and the only wall clock of the search is made here.

use std::time::{Duration, Instant};

/// Tells how much time has passed since some fixed moment.
pub struct Clock(Box<dyn Fn() -> Duration>);

impl Clock {
    /// The wall clock.
    pub fn wall() -> Clock {
        let start = Instant::now();
        Clock::from_fn(move || start.elapsed())
    }

    /// A clock that says what a function says. It must not run backwards.
    pub fn from_fn(now: impl Fn() -> Duration + 'static) -> Clock {
        Clock(Box::new(now))
    }

    /// The present time.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}
