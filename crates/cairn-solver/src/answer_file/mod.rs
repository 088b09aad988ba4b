//! A file of answers that runs share.
//!
//! # Problem
//! A program is explored again after a small change, or with other options, and the solver is asked what it was asked
//! the last time.
//!
//! # Idea
//! Queries in normal form have no names and belong to no store, so they and their answers can be kept in a file
//! (`record.rs` has its format). The layer `iso-cache` looks there for what it has not met itself, and adds what it learns.
//!
//! # Soundness
//! A model that comes from the file is evaluated on the whole query like any other. An unsat core is believed if the record's
//! check is right and the same version of Cairn wrote it: the sources of terms and solver are part of every check
//! ([`VERSION`]), so that a solver whose mistakes were corrected leaves nothing behind. One in `SAMPLED` is proved again
//! anyway, unless that takes much work, and with [`AnswerFile::prove_all`] every one. If that finds a model, the query's answer is an internal error, and
//! the file is not used any more.
//!
//! **Two runs at once.** Records are only appended, each by one write to a file opened for appending, which the system does
//! not mix. A record that was torn (the process was killed, the disk is full) has a wrong check and is left out; the next one
//! is found by its mark. Only who has the file alone (an exclusive lock that is tried, never waited for) writes a header
//! or a smaller file; all others hold a shared lock as long as they run. Where there are no locks nothing is ever
//! replaced, and the version in each check keeps versions apart.
//!
//! **What is not ours** is left alone: a file that does not begin as ours does is neither read on nor written. A file of ours of
//! another version or format is started anew.
//!
//! # Cost
//! Reading the file at the start; for each query that the file could know, and each new answer, a normal form. A file larger than
//! its limit is made half as large at the start: answers that were used least go first, then those that took least to
//! find, then the oldest.
//!
//! # Counters
//! [`FileCounts`].

mod open;
mod record;

use crate::nameless::Nameless;
use cairn_expr::Structure;
use record::{FileRecord, StoredAnswer};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What answers depend on besides their queries: the sources of terms and solver, as this was built.
pub const VERSION: u64 = version();

/// One of so many unsat cores from the file is proved again.
const SAMPLED: u64 = 16;

const fn version() -> u64 {
    let text = env!("CAIRN_ANSWERS").as_bytes();
    let (mut value, mut i) = (0u64, 0);
    while i < text.len() {
        value = value.wrapping_mul(10).wrapping_add((text[i] - b'0') as u64);
        i += 1;
    }
    value
}

/// A file of answers could not be used at all.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot be used for answers: {error}")]
pub struct AnswerFileError {
    /// The file.
    pub path: String,
    /// What the system says.
    #[source]
    pub error: std::io::Error,
}

/// What a run did with its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Answers that were read at the start.
    pub read: u64,
    /// Those that were used.
    pub used: u64,
    /// Unsat cores that were proved again.
    pub proved: u64,
    /// Answers that were added.
    pub added: u64,
}

/// An open file of answers. Workers share it.
#[derive(Debug)]
pub struct AnswerFile {
    /// By the hash that is known before a query's normal form is. Immutable, so that workers do not wait.
    known: FxHashMap<u64, Vec<Stored>>,
    version: u64,
    prove_all: AtomicBool,
    refuted: AtomicBool,
    proved: AtomicU64,
    used: AtomicU64,
    writing: Mutex<Writing>,
    remarks: Vec<String>,
}

#[derive(Debug)]
struct Stored {
    answer: StoredAnswer,
    uses: AtomicU64,
}

/// The side that changes.
#[derive(Debug)]
struct Writing {
    /// Nothing, if the file must not be written.
    file: Option<File>,
    /// How many bytes may still be added.
    room: u64,
    added: u64,
    failure: Option<String>,
}

/// An answer from the file.
pub(crate) struct FromFile<'a> {
    pub answer: &'a Nameless,
    /// Whether an unsat core is proved again before it is believed.
    pub proof: Proof,
}

/// Whether an unsat core from the file is proved again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It is not.
    None,
    /// It is, unless that takes much.
    Tried,
    /// It is in any case.
    Required,
}

impl AnswerFile {
    /// Opens a file, or makes it. What is wrong with its content is told by [`AnswerFile::remarks`].
    ///
    /// # Errors
    /// If it can be neither read nor written.
    pub fn open(path: &Path, most_bytes: u64) -> Result<AnswerFile, AnswerFileError> {
        Self::open_as(path, most_bytes, VERSION)
    }

    /// Opens a file as another version of Cairn would: for tests.
    ///
    /// # Errors
    /// If it can be neither read nor written.
    #[doc(hidden)]
    pub fn open_as(
        path: &Path,
        most_bytes: u64,
        version: u64,
    ) -> Result<AnswerFile, AnswerFileError> {
        let opened = open::opened(path, most_bytes, version).map_err(|error| AnswerFileError {
            path: path.display().to_string(),
            error,
        })?;
        let mut known: FxHashMap<u64, Vec<Stored>> = FxHashMap::default();
        for answer in opened.answers {
            let stored = Stored {
                uses: AtomicU64::new(0),
                answer,
            };
            known.entry(stored.answer.coarse).or_default().push(stored);
        }
        Ok(AnswerFile {
            known,
            version,
            prove_all: AtomicBool::new(false),
            refuted: AtomicBool::new(false),
            proved: AtomicU64::new(0),
            used: AtomicU64::new(0),
            writing: Mutex::new(Writing {
                file: opened.file,
                room: opened.room,
                added: 0,
                failure: None,
            }),
            remarks: opened.remarks,
        })
    }

    /// Has every unsat core proved again before it is believed.
    pub fn prove_all(&self) {
        self.prove_all.store(true, Ordering::Relaxed);
    }

    /// What was found when the file was opened that its user should know, a sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// What was done with it.
    pub fn counts(&self) -> FileCounts {
        FileCounts {
            read: self.known.values().map(|list| list.len() as u64).sum(),
            used: self.used.load(Ordering::Relaxed),
            proved: self.proved.load(Ordering::Relaxed),
            added: self.writing().added,
        }
    }

    /// Notes in the file which answers were used. What could not be written is told, once.
    pub fn finish(&self) -> Option<String> {
        let all = self.known.values().flatten();
        let uses = all.map(|s| (s.answer.hash, s.uses.swap(0, Ordering::Relaxed)));
        let mut uses: Vec<(u64, u64)> = uses.filter(|(_, count)| *count > 0).collect();
        uses.sort_unstable();
        if !uses.is_empty() {
            self.append(&FileRecord::Uses(uses));
        }
        self.writing().failure.take()
    }

    fn writing(&self) -> std::sync::MutexGuard<'_, Writing> {
        // Nothing that holds it can be left half done.
        self.writing
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether an answer with such a hash may be there.
    pub(crate) fn may_know(&self, coarse: u64) -> bool {
        self.known.contains_key(&coarse) && !self.refuted.load(Ordering::Relaxed)
    }

    /// The answer for a query.
    pub(crate) fn find(&self, coarse: u64, structure: &Structure) -> Option<FromFile<'_>> {
        if self.refuted.load(Ordering::Relaxed) {
            return None;
        }
        let mut alike = self
            .known
            .get(&coarse)?
            .iter()
            .filter(|s| s.answer.hash == structure.hash())
            .peekable();
        alike.peek()?;
        let bytes = structure.to_bytes();
        let stored = alike.find(|s| s.answer.structure == bytes)?;
        stored.uses.fetch_add(1, Ordering::Relaxed);
        let number = self.used.fetch_add(1, Ordering::Relaxed);
        let proof = if self.prove_all.load(Ordering::Relaxed) {
            Proof::Required
        } else if number.is_multiple_of(SAMPLED) {
            Proof::Tried
        } else {
            Proof::None
        };
        Some(FromFile {
            answer: &stored.answer.answer,
            proof,
        })
    }

    /// Notes that an unsat core from the file was proved.
    pub(crate) fn proved(&self) {
        self.proved.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that one was refuted: nothing more is taken from the file, or added to it.
    pub(crate) fn refuted(&self) {
        self.refuted.store(true, Ordering::Relaxed);
        self.writing().file = None;
    }

    /// Adds an answer.
    pub(crate) fn add(&self, coarse: u64, structure: &Structure, answer: &Nameless, cost: u64) {
        let record = FileRecord::Answer(StoredAnswer {
            coarse,
            hash: structure.hash(),
            structure: structure.to_bytes(),
            answer: answer.clone(),
            cost,
        });
        if self.append(&record) {
            self.writing().added += 1;
        }
    }

    fn append(&self, record: &FileRecord) -> bool {
        let Some(bytes) = record::encode(self.version, record) else {
            return false;
        };
        let mut writing = self.writing();
        let length = bytes.len() as u64;
        let Some(mut file) = writing.file.as_ref().filter(|_| length <= writing.room) else {
            return false;
        };
        // One write: records of runs that go on at once are not mixed.
        match file.write(&bytes) {
            Ok(written) if written == bytes.len() => {
                writing.room -= length;
                true
            }
            Ok(_) => {
                writing.failure = Some("the disk is full".to_string());
                writing.file = None;
                false
            }
            Err(error) => {
                writing.failure = Some(error.to_string());
                writing.file = None;
                false
            }
        }
    }
}

impl Drop for AnswerFile {
    fn drop(&mut self) {
        // What could not be written was told before, if it was asked for.
        let _ = self.finish();
    }
}
