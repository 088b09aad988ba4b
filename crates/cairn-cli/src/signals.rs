//! Signals: which of them end a run early, and which must not end it.
//!
//! A signal that was ignored when Cairn started stays ignored: `nohup cairn run …` survives the end of
//! its terminal, and a shell that starts a job in the background keeps Ctrl-C from it.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a shell reports for a process that a signal ended.
const SIGNALLED: i32 = 128;

/// A write beyond the limit on the size of files fails like one to a full disk, and is reported like
/// one. With a handler (rather than being ignored) the signal keeps its usual meaning in the processes
/// that Cairn starts: handlers do not outlive `exec`.
pub fn write_errors_instead_of_signals() {
    if !is_ignored(SIGXFSZ) {
        // Without the handler a write beyond the limit ends the process, as it would without us.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}

/// Calls `stop` when the process is asked to end, which ends the run with everything written; when it is asked again
/// the process ends at once.
pub fn stop_when_asked(stop: impl Fn() + Send + 'static) {
    let heeded = [SIGINT, SIGTERM, SIGHUP];
    let heeded = heeded.into_iter().filter(|signal| !is_ignored(*signal));
    // A run that cannot be stopped gracefully is still ended by the signals themselves.
    let Ok(mut signals) = Signals::new(heeded.collect::<Vec<c_int>>()) else {
        return;
    };
    std::thread::spawn(move || {
        let mut asked = false;
        for signal in signals.forever() {
            if asked {
                std::process::exit(SIGNALLED + signal);
            }
            asked = true;
            stop();
        }
    });
}

/// Whether a signal is ignored, as the kernel tells it; not, if it does not tell.
fn is_ignored(signal: c_int) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
