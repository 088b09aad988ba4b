//! `messages.txt` and `warnings.txt`: what was said during a run. The words are the caller's.
//!
//! Every line goes to the file in one write when it is printed, so a killed run keeps it. Some lines are
//! worth saying once only (a warning per called function); the caller gives them a key. Workers share
//! one log: a lock is held for the write, which happens rarely.

use crate::{OutputFolder, ReportError};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Which of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageFile {
    /// `messages.txt`.
    Messages,
    /// `warnings.txt`.
    Warnings,
}

/// Both files of one run.
#[derive(Debug)]
pub struct MessageLog {
    open: Mutex<OpenMessageFiles>,
}

#[derive(Debug)]
struct OpenMessageFiles {
    messages: (PathBuf, File),
    warnings: (PathBuf, File),
    said: HashSet<(MessageFile, String)>,
}

impl MessageLog {
    /// Creates both files, empty.
    pub fn create(folder: &OutputFolder) -> Result<MessageLog, ReportError> {
        let create = |name| {
            let path = folder.file(name);
            match File::create(&path) {
                Ok(file) => Ok((path, file)),
                Err(source) => Err(ReportError::Write { path, source }),
            }
        };
        let open = OpenMessageFiles {
            messages: create("messages.txt")?,
            warnings: create("warnings.txt")?,
            said: HashSet::new(),
        };
        Ok(MessageLog {
            open: Mutex::new(open),
        })
    }

    /// Adds a line.
    pub fn say(&self, stream: MessageFile, line: &str) -> Result<(), ReportError> {
        self.lock().write(stream, line)
    }

    /// Adds a line unless one with this key is there already. Says whether it was added, so that the
    /// caller shows it on the terminal or not.
    pub fn say_once(
        &self,
        stream: MessageFile,
        key: &str,
        line: &str,
    ) -> Result<bool, ReportError> {
        let mut open = self.lock();
        if !open.said.insert((stream, key.to_string())) {
            return Ok(false);
        }
        open.write(stream, line)?;
        Ok(true)
    }

    /// A worker that panicked in the middle of a line leaves files that can still be added to.
    fn lock(&self) -> std::sync::MutexGuard<'_, OpenMessageFiles> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenMessageFiles {
    fn write(&mut self, stream: MessageFile, line: &str) -> Result<(), ReportError> {
        let (path, file) = match stream {
            MessageFile::Messages => &mut self.messages,
            MessageFile::Warnings => &mut self.warnings,
        };
        file.write_all(format!("{line}\n").as_bytes())
            .map_err(|e| ReportError::write(path, e))
    }
}
