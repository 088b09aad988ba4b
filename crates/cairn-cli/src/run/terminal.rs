//! Standard error while a run goes on: lines that stay, and below them one line of progress.
//!
//! The line of progress is drawn only on a terminal, over itself (carriage return, erase to the end of
//! the line). A line that stays erases it first; the next update draws it again. Workers and the
//! watcher share one terminal: a lock is held for one write.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// Back to the beginning of the line, and nothing on it.
const ERASE: &str = "\r\x1b[K";

/// See the module's head.
pub struct Terminal {
    shows_progress: bool,
    /// Whether a line of progress is drawn.
    drawn: Mutex<bool>,
}

impl Terminal {
    /// Standard error; progress is shown if it is wanted and this is a terminal.
    pub fn new(progress_wanted: bool) -> Self {
        Terminal {
            shows_progress: progress_wanted && std::io::stderr().is_terminal(),
            drawn: Mutex::new(false),
        }
    }

    /// Prints a line that stays.
    pub fn say(&self, line: &str) {
        self.put(&format!("{line}\n"), false);
    }

    /// Draws the line of progress.
    pub fn progress(&self, line: &str) {
        if self.shows_progress {
            self.put(line, true);
        }
    }

    /// Removes the line of progress.
    pub fn erase(&self) {
        self.put("", false);
    }

    fn put(&self, text: &str, draws: bool) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let erase = if *drawn { ERASE } else { "" };
        // A terminal that is gone is no reason to end a run.
        let _ = std::io::stderr().write_all(format!("{erase}{text}").as_bytes());
        *drawn = draws;
    }
}
