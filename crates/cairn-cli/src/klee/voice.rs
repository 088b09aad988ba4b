//! KLEE's lines: to standard error, and to `messages.txt` and `warnings.txt`.

use cairn_report::{MessageLog, Stream};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Who says KLEE's lines. Workers share it.
#[derive(Debug)]
pub struct Voice {
    log: MessageLog,
    warnings_to_file: bool,
    said: Mutex<HashSet<String>>,
}

impl Voice {
    /// Writes into the files of a run; warnings go to standard error too unless told otherwise.
    pub fn new(log: MessageLog, warnings_to_file: bool) -> Self {
        Voice {
            log,
            warnings_to_file,
            said: Mutex::default(),
        }
    }

    /// `KLEE: …`, in `messages.txt`.
    pub fn say(&self, text: &str) {
        eprintln!("KLEE: {text}");
        // A full disk must not end the run; the line was shown.
        let _ = self.log.say(Stream::Messages, &format!("KLEE: {text}"));
    }

    /// What the program says, in `messages.txt` too.
    pub fn repeat(&self, text: &str) {
        eprintln!("{text}");
        let _ = self.log.say(Stream::Messages, text);
    }

    /// `KLEE: WARNING: …`, in `warnings.txt`.
    pub fn warn(&self, text: &str) {
        self.warning(&format!("KLEE: WARNING: {text}"));
    }

    /// `KLEE: WARNING ONCE: …`, the first time that something has this key.
    pub fn warn_once(&self, key: &str, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(key.to_string()) {
            self.warning(&format!("KLEE: WARNING ONCE: {text}"));
        }
    }

    fn warning(&self, line: &str) {
        if !self.warnings_to_file {
            eprintln!("{line}");
        }
        let _ = self.log.say(Stream::Warnings, line);
    }
}
