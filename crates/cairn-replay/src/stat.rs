//! `struct stat` as the bytes of an object: what a program is told about a file.
//!
//! The layout is that of Linux on x86-64, 144 bytes: mode at 24, size at 48, size and number of
//! blocks at 56 and 64, times of access and change at 72 and 88, each as seconds and nanoseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The size of the structure.
pub const STAT_SIZE: usize = 144;

const DEVICE: usize = 0;
const INODE: usize = 8;
const LINKS: usize = 16;
const MODE: usize = 24;
const SIZE: usize = 48;
const BLOCK_SIZE: usize = 56;
const BLOCKS: usize = 64;
const ACCESSED: usize = 72;
const MODIFIED: usize = 88;

const KIND_MASK: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// The part of it that a real file can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStat {
    /// Kind and permissions.
    pub mode: u32,
    accessed: (i64, i64),
    modified: (i64, i64),
}

impl FileStat {
    /// Reads an object; another size is another system's.
    pub fn read(bytes: &[u8]) -> Option<FileStat> {
        if bytes.len() != STAT_SIZE {
            return None;
        }
        let word = |at: usize| Some(i64::from_le_bytes(*bytes[at..].first_chunk()?));
        Some(FileStat {
            mode: u32::from_le_bytes(*bytes[MODE..].first_chunk()?),
            accessed: (word(ACCESSED)?, word(ACCESSED + 8)?),
            modified: (word(MODIFIED)?, word(MODIFIED + 8)?),
        })
    }

    /// When the file was read, if that is a time.
    pub fn accessed(self) -> Option<SystemTime> {
        time(self.accessed)
    }

    /// When the file was written, if that is a time.
    pub fn modified(self) -> Option<SystemTime> {
        time(self.modified)
    }

    /// What it is, if it is neither a regular file nor unknown.
    pub fn special_kind(self) -> Option<&'static str> {
        match self.mode & KIND_MASK {
            0 | REGULAR => None,
            0o040_000 => Some("a folder"),
            0o020_000 => Some("a character device"),
            0o060_000 => Some("a block device"),
            0o010_000 => Some("a pipe"),
            0o120_000 => Some("a symbolic link"),
            0o140_000 => Some("a socket"),
            _ => Some("of no known kind"),
        }
    }
}

fn time((seconds, nanoseconds): (i64, i64)) -> Option<SystemTime> {
    let nanoseconds = u32::try_from(nanoseconds)
        .ok()
        .filter(|n| *n < 1_000_000_000)?;
    let after = Duration::from_nanos(nanoseconds.into());
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 {
        UNIX_EPOCH.checked_sub(whole)
    } else {
        UNIX_EPOCH.checked_add(whole)
    };
    base?.checked_add(after)
}

/// The `stat` of a regular file with these permissions and this size; its times are zero and its
/// number is given, so that it depends on nothing else.
pub(crate) fn regular_file(number: u64, permissions: u32, size: u64) -> Vec<u8> {
    let mut bytes = vec![0; STAT_SIZE];
    let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    put(DEVICE, 1);
    put(INODE, number);
    put(LINKS, 1);
    // The owner's number, zero, is in the upper half.
    put(MODE, u64::from(REGULAR | permissions & 0o777));
    put(SIZE, size);
    put(BLOCK_SIZE, 4096);
    put(BLOCKS, size.div_ceil(512));
    bytes
}
