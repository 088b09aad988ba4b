//! Why a file of a run could not be written or read: one sentence each, fit for a user.

use std::io;
use std::path::{Path, PathBuf};

/// What went wrong with a run's folder or a file in it.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No numbered folder could be created.
    #[error("cannot create an output folder in {}: {source}; another place may do", .parent.display())]
    NoFolder {
        /// Where it was to be.
        parent: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder that the user named could not be created.
    #[error("cannot create the output folder {}: {source}", .path.display())]
    NoNamedFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder that the user named holds something.
    #[error("the output folder {} is not empty: name one that is empty or does not exist yet", .path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder that the user named is something else.
    #[error("the output folder {} is not a folder: name one that is empty or does not exist yet", .path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
    },
    /// The link to the newest folder could not be replaced.
    #[error("cannot make {} a link to {}: {source}", .link.display(), .target.display())]
    NoLink {
        /// The link.
        link: PathBuf,
        /// The folder it was to lead to.
        target: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Rows could not be written to `run.stats`.
    #[error("cannot write {}: {source}", .path.display())]
    WriteStats {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file of statistics could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    ReadStats {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file is no file of statistics.
    #[error("{} is not an SQLite database with a table `stats`, as Cairn and KLEE from 2.0 on write it", .path.display())]
    NotStats {
        /// The file.
        path: PathBuf,
    },
}

impl ReportError {
    /// A file could not be written.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        ReportError::Write {
            path: path.to_path_buf(),
            source,
        }
    }
}
