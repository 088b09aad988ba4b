//! The processor time of a thread, for tests that bound work: the time on the wall depends on what else
//! the machine does.

use std::time::{Duration, Instant};

/// What the present thread has computed so far, where the system tells; the time on the wall since the
/// first call elsewhere. Only differences mean something.
pub fn thread_time() -> Duration {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(
        || FIRST.get_or_init(Instant::now).elapsed(),
        Duration::from_nanos,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
        if std::path::Path::new("/proc/thread-self/schedstat").exists() {
            assert!(thread_time() - before < Duration::from_millis(100));
        }
    }
}
