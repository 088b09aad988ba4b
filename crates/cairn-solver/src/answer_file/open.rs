//! Opening a file of answers: whose it is, what is in it, and making it smaller.

use super::record::{self, FileRecord, HEADER, MAGIC, StoredAnswer};
use rustc_hash::FxHashMap;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// How often a file is opened again that was replaced in between.
const ATTEMPTS: usize = 20;
/// How long another run is waited for that is replacing the file.
const PAUSE: Duration = Duration::from_millis(10);

/// A file that was opened.
pub(super) struct Opened {
    /// To append to; nothing if it must not be written.
    pub file: Option<File>,
    /// Its answers, each structure once.
    pub answers: Vec<StoredAnswer>,
    /// How many bytes may be added.
    pub room: u64,
    pub remarks: Vec<String>,
}

/// Whose a file is.
enum FileOwner {
    /// It is empty.
    Empty,
    /// This version's.
    Us,
    /// Another version's of Cairn.
    Another,
    /// Somebody else's.
    Foreign,
}

fn owner(bytes: &[u8], version: u64) -> FileOwner {
    if bytes.is_empty() {
        FileOwner::Empty
    } else if bytes.starts_with(&record::header(version)) {
        FileOwner::Us
    } else if bytes.starts_with(&MAGIC) {
        FileOwner::Another
    } else {
        FileOwner::Foreign
    }
}

/// The lock that a run has on its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    /// No other run uses the file.
    Alone,
    /// Others may use it.
    Shared,
    /// Another run is replacing it.
    Busy,
    /// There are no locks here.
    None,
}

/// Gets the best lock on a file that there is; nothing is waited for.
fn lock(file: &File) -> Lock {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Alone,
        Err(Errno::WOULDBLOCK) => match flock(file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Lock::Shared,
            Err(Errno::WOULDBLOCK) => Lock::Busy,
            Err(_) => Lock::None,
        },
        Err(_) => Lock::None,
    }
}

/// The file of a path, opened for reading and appending.
fn file_at(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(file)
}

/// Whether a path still leads to a file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

fn content(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The answers of a file, each structure once, the newest of it; with how often they were used.
fn answers(records: Vec<FileRecord>) -> Vec<(StoredAnswer, u64)> {
    let mut uses: FxHashMap<u64, u64> = FxHashMap::default();
    let mut all: Vec<(StoredAnswer, u64)> = Vec::new();
    let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for record in records {
        match record {
            FileRecord::Answer(stored) => {
                let same = places.entry(stored.hash).or_default();
                match same
                    .iter()
                    .find(|at| all[**at].0.structure == stored.structure)
                {
                    Some(at) => all[*at].0 = stored,
                    None => {
                        same.push(all.len());
                        all.push((stored, 0));
                    }
                }
            }
            FileRecord::Uses(list) => {
                for (hash, count) in list {
                    let sum = uses.entry(hash).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
    }
    for (stored, count) in &mut all {
        *count = uses.get(&stored.hash).copied().unwrap_or(0);
    }
    all
}

/// A file with the most useful answers that fit into a size, oldest first.
fn smaller(all: Vec<(StoredAnswer, u64)>, most_bytes: u64, version: u64) -> Vec<u8> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse((all[*i].1, all[*i].0.cost, *i)));
    let mut records: Vec<Option<Vec<u8>>> = vec![None; all.len()];
    let uses: Vec<u64> = all.iter().map(|(_, count)| *count).collect();
    let hashes: Vec<u64> = all.iter().map(|(stored, _)| stored.hash).collect();
    let mut all: Vec<Option<StoredAnswer>> = all.into_iter().map(|(a, _)| Some(a)).collect();
    // The record of uses: two numbers for each.
    let mut size = HEADER as u64 + 64;
    for i in order {
        let stored = all[i].take().map(FileRecord::Answer);
        let record = stored.and_then(|stored| record::encode(version, &stored));
        let length = record.as_ref().map_or(u64::MAX, |r| r.len() as u64 + 16);
        if size.saturating_add(length) <= most_bytes {
            size += length;
            records[i] = record;
        }
    }
    let mut bytes = record::header(version);
    let mut used = Vec::new();
    for (i, record) in records.into_iter().enumerate() {
        let Some(record) = record else { continue };
        bytes.extend(record);
        if uses[i] > 0 {
            used.push((hashes[i], uses[i]));
        }
    }
    if !used.is_empty() {
        bytes.extend(record::encode(version, &FileRecord::Uses(used)).unwrap_or_default());
    }
    bytes
}

/// Puts a new file in the place of one that is locked, with its content written before it is seen.
fn replaced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = Path::new(&name);
    let written = File::create(beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(beside);
    }
    written
}

pub(super) fn opened(path: &Path, most_bytes: u64, version: u64) -> io::Result<Opened> {
    let mut remarks = Vec::new();
    let named = |what: &str| format!("{}: {what}", path.display());
    let limit = most_bytes.max(HEADER as u64);
    for _ in 0..ATTEMPTS {
        let mut file = file_at(path)?;
        let lock = lock(&file);
        if lock == Lock::Busy {
            std::thread::sleep(PAUSE);
            continue;
        }
        if !is_at(&file, path) {
            continue;
        }
        let alone = lock == Lock::Alone;
        let bytes = content(&mut file)?;
        let nothing = |file, remarks| Opened {
            file,
            answers: Vec::new(),
            room: limit - HEADER as u64,
            remarks,
        };
        match owner(&bytes, version) {
            FileOwner::Foreign => {
                let what = "is no file of answers of Cairn's; it is neither used nor changed";
                remarks.push(named(what));
                return Ok(nothing(None, remarks));
            }
            FileOwner::Another if !alone => {
                let what = "another version of Cairn is using it; this run goes without it";
                remarks.push(named(what));
                return Ok(nothing(None, remarks));
            }
            FileOwner::Another => {
                let what = "was written by another version of Cairn, or cut short; it starts empty";
                remarks.push(named(what));
                replaced(path, &record::header(version))?;
            }
            // Somebody else is about to write the header.
            FileOwner::Empty if lock == Lock::Shared => std::thread::sleep(PAUSE),
            FileOwner::Empty => file.write_all(&record::header(version))?,
            FileOwner::Us => {
                let (records, damaged) = record::decode(version, &bytes[HEADER..]);
                if damaged {
                    let what = "some of it is damaged, and was left out";
                    remarks.push(named(what));
                }
                let mut all = answers(records);
                let size = bytes.len() as u64;
                if alone && (damaged || size > limit) {
                    let most = if size > limit { limit / 2 } else { limit };
                    replaced(path, &smaller(all, most, version))?;
                    continue;
                }
                if size > limit {
                    all.clear();
                }
                if alone {
                    // Others may use it from now on. Without a lock they could replace it: they do not wait for us.
                    flock(&file, FlockOperation::NonBlockingLockShared)?;
                }
                return Ok(Opened {
                    file: Some(file),
                    answers: all.into_iter().map(|(stored, _)| stored).collect(),
                    room: limit.saturating_sub(size),
                    remarks,
                });
            }
        }
    }
    remarks.push(named("it changes all the time; this run goes without it"));
    Ok(Opened {
        file: None,
        answers: Vec::new(),
        room: 0,
        remarks,
    })
}
