//! KLEE's lines: to standard error, and to `messages.txt` and `warnings.txt`.

use crate::recorder::write_failures::WriteFailures;
use crate::say;
use cairn_report::{MessageFile, MessageLog};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Who says KLEE's lines. Workers share it.
#[derive(Debug)]
pub struct Messages {
    log: Option<MessageLog>,
    failures: Arc<WriteFailures>,
    warnings_to_file: bool,
    printed: Mutex<HashSet<String>>,
}

impl Messages {
    /// Writes into the files of a run; warnings go to standard error too unless told otherwise.
    pub fn new(
        log: Option<MessageLog>,
        failures: Arc<WriteFailures>,
        warnings_to_file: bool,
    ) -> Self {
        Messages {
            log,
            failures,
            warnings_to_file,
            printed: Mutex::default(),
        }
    }

    /// `KLEE: …`, in `messages.txt`.
    pub fn say(&self, text: &str) {
        say!("KLEE: {text}");
        self.log(MessageFile::Messages, &format!("KLEE: {text}"));
    }

    /// What the program says, in `messages.txt` too.
    pub fn repeat(&self, text: &str) {
        say!("{text}");
        self.log(MessageFile::Messages, text);
    }

    /// `KLEE: WARNING: …`, in `warnings.txt`.
    pub fn warn(&self, text: &str) {
        self.warning(&format!("KLEE: WARNING: {text}"));
    }

    /// `KLEE: WARNING ONCE: …`, the first time that something has this key.
    pub fn warn_once(&self, key: &str, text: &str) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if printed.insert(key.to_string()) {
            self.warning(&format!("KLEE: WARNING ONCE: {text}"));
        }
    }

    fn warning(&self, line: &str) {
        if !self.warnings_to_file {
            say!("{line}");
        }
        self.log(MessageFile::Warnings, line);
    }

    /// Adds a line to a file. A full disk does not end the run: the loss is noted.
    fn log(&self, stream: MessageFile, line: &str) {
        if let Some(log) = &self.log {
            self.failures.check(log.say(stream, line));
        }
    }
}
