//! The processor time of a thread, for tests that bound work: the time on the wall depends on what else
//! the machine does.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What the present thread has computed so far. Only differences mean something.
pub fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn computing_takes_time_and_sleeping_does_not() {
        let before = thread_time();
        let start = Instant::now();
        while thread_time() - before < Duration::from_millis(20) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "the clock stands"
            );
        }
        let before = thread_time();
        std::thread::sleep(Duration::from_millis(200));
        assert!(thread_time() - before < Duration::from_millis(100));
    }
}
