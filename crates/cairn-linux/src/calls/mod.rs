//! The system calls, by family, and what all of them use: arguments, the program's memory, names.
//!
//! A function reads all that it needs before it changes anything, so that it can be called again
//! when something had to be made known first. Errors come in the order of the kernel's checks.

mod advice;
mod changes;
mod descriptors;
mod identity;
mod io;
mod kill;
mod links;
mod mapping;
mod open;
mod pages;
mod pipes;
mod poll;
mod process;
pub(crate) mod signals;
mod sockets;
mod stat;
mod system;
mod time;
mod xattr;

pub(crate) use mapping::Mappings;
pub(crate) use poll::{MOST_FILES, MOST_SELECTED};
pub use signals::SIGNAL_ABORT;
pub(crate) use signals::Signals;
pub(crate) use time::Timer;

use crate::call_table::CallRow;
use crate::files::{FileTree, InodeBody as NodeBody, InodeId, OpenFile, PATH_MAX, Walk};
use crate::kernel::HostFolders;
use crate::reply::{CallResult, NoResult};
use crate::{Classes, Errno, Exactness, Kernel, Need};
use cairn_memory::{Fault, Memory, ReadPart, Word};

/// The function that does a system call.
pub(crate) type CallHandler = fn(&mut SystemCall<'_>) -> CallResult;

/// The rows of some system calls.
pub(crate) type CallFamily = &'static [CallRow];

/// All system calls that are modelled.
pub(crate) const FAMILIES: [CallFamily; 18] = [
    advice::CALLS,
    changes::CALLS,
    descriptors::CALLS,
    identity::CALLS,
    io::CALLS,
    kill::CALLS,
    links::CALLS,
    mapping::CALLS,
    open::CALLS,
    pipes::CALLS,
    poll::CALLS,
    process::CALLS,
    signals::CALLS,
    sockets::CALLS,
    stat::CALLS,
    system::CALLS,
    time::CALLS,
    xattr::CALLS,
];

/// The working directory, in place of a descriptor.
const AT_FDCWD: i32 = -100;
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_REMOVEDIR: u64 = 0x200;
const AT_EACCESS: u64 = 0x200;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const AT_NO_AUTOMOUNT: u64 = 0x800;
const AT_EMPTY_PATH: u64 = 0x1000;

/// How many names are offered for one that is not known.
const MOST_CANDIDATES: usize = 4096;

/// A system call.
pub(crate) struct SystemCall<'a> {
    pub kernel: &'a mut Kernel,
    pub memory: &'a mut Memory,
    pub args: [Word; 6],
}

/// Nothing to say but that it was done.
fn done() -> CallResult {
    Ok(Word::int(0))
}

/// A number as a result.
fn number(value: u64) -> CallResult {
    Ok(Word::int(value))
}

/// [`Word::offset`], as the handlers of calls write it.
pub(crate) fn offset(at: Word, by: u64) -> Word {
    at.offset(by)
}

impl SystemCall<'_> {
    /// Says that this answer is the only one that Linux could give, whatever the row of the call says. Some errors are
    /// some of many all the same (`perform` in `kernel.rs`: no room, no permission, too many files).
    fn is_exact(&mut self) {
        self.kernel.exactness = Some(Exactness::Exact);
    }

    /// Says that another machine could give another answer than this, and what it assumes, whatever the row says.
    fn is_one_of(&mut self, what: &'static str) {
        self.kernel.exactness = Some(Exactness::OneOf(what));
    }

    /// An argument's bits.
    fn bits(&self, i: usize) -> u64 {
        self.args[i].bits
    }

    /// An argument as an `int`.
    fn int(&self, i: usize) -> i32 {
        self.args[i].bits as i32
    }

    /// An argument as a number of 32 bits.
    fn u32(&self, i: usize) -> u32 {
        self.args[i].bits as u32
    }

    /// An argument as a descriptor; a negative one is never open.
    fn fd(&self, i: usize) -> u32 {
        self.u32(i)
    }

    /// Bytes of the program, which must be known.
    fn load(&self, at: Word, length: u64) -> Result<Vec<u8>, NoResult> {
        self.memory
            .check_readable(at, length)
            .map_err(NoResult::Fault)?;
        let mut bytes = vec![0; length as usize];
        match self.memory.load_bytes(at, &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(Fault::Symbolic { .. }) => Err(NoResult::Need(Need::Bytes { at, length })),
            Err(fault) => Err(NoResult::Fault(fault)),
        }
    }

    /// A word of the program, which must be known.
    fn load_u64(&self, at: Word) -> Result<Word, NoResult> {
        match self.memory.load_word(at, 8) {
            Ok(word) => Ok(word),
            Err(Fault::Symbolic { .. }) => Err(NoResult::Need(Need::Bytes { at, length: 8 })),
            Err(fault) => Err(NoResult::Fault(fault)),
        }
    }

    /// An address that the program keeps in memory.
    fn load_pointer(&self, at: Word) -> Result<Word, NoResult> {
        self.load_given(at, 8, Need::Address { at })
    }

    /// A descriptor that the program keeps in memory.
    fn load_descriptor(&self, at: Word) -> Result<i32, NoResult> {
        let fd = self.load_given(at, 4, Need::Descriptor { at })?;
        Ok(fd.bits as i32)
    }

    /// What is in memory, or what the caller gave for it.
    fn load_given(&self, at: Word, bytes: u32, need: Need) -> Result<Word, NoResult> {
        match self.memory.load_word(at, bytes) {
            Err(Fault::Symbolic { .. }) => {
                let given = self.kernel.given.iter().find(|given| given.0 == at.bits);
                given.map(|given| given.1).ok_or(NoResult::Need(need))
            }
            Ok(word) => Ok(word),
            Err(fault) => Err(NoResult::Fault(fault)),
        }
    }

    /// A length that the program keeps in memory: each of its classes is followed, or each of its values
    /// if there are none.
    fn load_number(&self, at: Word, classes: Option<Classes>) -> Result<Word, NoResult> {
        self.load_given(at, 8, Need::length(at, classes))
    }

    /// Checks that the program may write somewhere.
    fn check_write(&self, at: Word, length: u64) -> Result<(), NoResult> {
        self.memory
            .check_writable(at, length)
            .map_err(NoResult::Fault)
    }

    /// Writes bytes to the program.
    fn store(&mut self, at: Word, bytes: &[u8]) -> Result<(), NoResult> {
        self.memory.store_bytes(at, bytes).map_err(NoResult::Fault)
    }

    /// Writes bytes to the program, if it wants them.
    fn store_if(&mut self, at: Word, bytes: &[u8]) -> Result<(), NoResult> {
        if at.bits == 0 {
            return Ok(());
        }
        self.store(at, bytes)
    }

    /// What a descriptor has open; not if only its path is.
    fn opened(&self, fd: u32) -> Result<&OpenFile, Errno> {
        let open = self.kernel.descriptors.get(fd)?;
        if open.path_only() {
            return Err(Errno::EBADF);
        }
        Ok(open)
    }

    /// A name, which may be empty.
    fn path(&self, i: usize) -> Result<Vec<u8>, NoResult> {
        let at = self.args[i];
        match self.memory.find_byte(at, 0, PATH_MAX) {
            Ok(Some(length)) => self.load(at, length),
            Ok(None) => Err(Errno::ENAMETOOLONG.into()),
            Err(Fault::Symbolic { .. }) => Err(NoResult::Need(self.unknown_path(i, at))),
            Err(fault) => Err(NoResult::Fault(fault)),
        }
    }

    /// A second name: what is wrong with it counts only after what is wrong with the first, but it
    /// must be known as early.
    fn second_path(&self, i: usize) -> Result<Result<Vec<u8>, NoResult>, NoResult> {
        match self.path(i) {
            Err(NoResult::Need(need)) => Err(NoResult::Need(need)),
            result => Ok(result),
        }
    }

    /// What is known of a name of which some bytes are not.
    fn unknown_path(&self, i: usize, at: Word) -> Need {
        let pattern = self.pattern(at).unwrap_or_default();
        // Calls that take a folder have it before the name. What stands there in others is no open
        // folder: then names start here, and nothing is promised.
        let told = match i.checked_sub(1).map(|before| self.args[before].bits as i32) {
            None | Some(AT_FDCWD) => Some(self.kernel.process.cwd),
            Some(folder) => self.opened(folder as u32).ok().map(|open| open.node),
        };
        let tree = &self.kernel.tree;
        let told = told.filter(|folder| tree.node(*folder).is_directory());
        let start = told.unwrap_or(self.kernel.process.cwd);
        let candidates = self.candidates(start, &pattern);
        let plain = tree.node(start).directory();
        let all_plain = told.is_some()
            && !pattern.is_empty()
            && plain.is_ok_and(|folder| {
                let mut names = folder.entries.keys();
                names.all(|name| !may_be(name, &pattern) || candidates.contains(&name.to_vec()))
            });
        Need::Path {
            at,
            candidates,
            all_plain,
        }
    }

    /// The bytes from an address on as far as they are known; nothing if their end is not.
    fn pattern(&self, at: Word) -> Option<Vec<Option<u8>>> {
        let info = self.memory.info(at).ok().filter(|info| !info.open)?;
        let room = (info.address + info.size).saturating_sub(at.bits);
        let mut parts = Vec::new();
        let length = room.min(PATH_MAX);
        self.memory.load_parts(at, length, &mut parts).ok()?;
        let mut pattern: Vec<Option<u8>> = Vec::new();
        for part in &parts {
            match part {
                ReadPart::Known { bytes, length } => {
                    let bytes = bytes.to_le_bytes();
                    pattern.extend(bytes[..*length as usize].iter().copied().map(Some));
                }
                ReadPart::Cell { length, .. } => {
                    pattern.resize(pattern.len() + *length as usize, None);
                }
            }
        }
        Some(pattern)
    }

    /// The names of existing files that partly unknown bytes may be.
    fn candidates(&self, start: InodeId, pattern: &[Option<u8>]) -> Vec<Vec<u8>> {
        let tree = &self.kernel.tree;
        let mut names = tree.names_below(start, b"", MOST_CANDIDATES);
        if matches!(pattern.first(), Some(None | Some(b'/'))) {
            names.extend(tree.names_below(FileTree::ROOT, b"/", MOST_CANDIDATES));
        }
        names.retain(|name| may_be(name, pattern));
        names.sort();
        names
    }

    /// The folder that a name starts from.
    fn start_of(&self, dirfd: i32, path: &[u8]) -> Result<InodeId, Errno> {
        if path.first() == Some(&b'/') {
            return Ok(FileTree::ROOT);
        }
        if dirfd == AT_FDCWD {
            return Ok(self.kernel.process.cwd);
        }
        let node = self.kernel.descriptors.get(dirfd as u32)?.node;
        if !path.is_empty() {
            self.kernel.tree.node(node).directory()?;
        }
        Ok(node)
    }

    /// Does something with a walk through the tree.
    fn walk<R>(&self, action: impl FnOnce(&mut Walk<'_>) -> Result<R, Errno>) -> Result<R, Errno> {
        let identity = self.kernel.process.identity;
        self.walk_as(identity, action)
    }

    fn walk_as<R>(
        &self,
        identity: crate::files::Identity,
        action: impl FnOnce(&mut Walk<'_>) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let descriptors = &self.kernel.descriptors;
        let opened = |number| descriptors.get(number).ok().map(|open| open.node);
        let mut walk = Walk::new(&self.kernel.tree, identity, &opened);
        walk.homes = &self.kernel.homes;
        let done = action(&mut walk);
        let at_home = walk.at_home;
        let (through, missed) = (walk.through_host, walk.missed_host.get());
        let met = self.kernel.met_host.get();
        self.kernel.met_host.set(HostFolders {
            through: met.through || through,
            missed: met.missed || missed,
            ..met
        });
        if at_home {
            self.kernel.at_home.set(true);
        }
        done
    }

    /// The file of a name that is argument `i`, from a folder.
    fn lookup(&self, dirfd: i32, i: usize, follow: bool) -> Result<InodeId, NoResult> {
        let path = self.path(i)?;
        self.lookup_path(dirfd, &path, follow)
    }

    fn lookup_path(&self, dirfd: i32, path: &[u8], follow: bool) -> Result<InodeId, NoResult> {
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let start = self.start_of(dirfd, path)?;
        Ok(self.walk(|walk| walk.lookup(start, path, follow))?)
    }

    /// As [`lookup`](Self::lookup), with the flags of the calls that take a descriptor: with
    /// `AT_EMPTY_PATH`, an empty name is the descriptor's own file.
    fn lookup_at(&self, dirfd: i32, i: usize, flags: u64) -> Result<InodeId, NoResult> {
        let empty_allowed = flags & AT_EMPTY_PATH != 0;
        if empty_allowed && self.args[i].bits == 0 {
            return Ok(self.start_of(dirfd, b"")?);
        }
        let path = self.path(i)?;
        if path.is_empty() && empty_allowed {
            return Ok(self.start_of(dirfd, b"")?);
        }
        self.lookup_path(dirfd, &path, flags & AT_SYMLINK_NOFOLLOW == 0)
    }

    /// The lowest free descriptor.
    fn free_fd(&self) -> Result<u32, Errno> {
        let limit = self.kernel.process.descriptor_limit();
        self.kernel.descriptors.free_number(0, limit)
    }

    /// Whether a file is a stream without a position.
    fn is_stream(&self, node: InodeId) -> bool {
        let body = &self.kernel.tree.node(node).body;
        matches!(
            body,
            NodeBody::Pipe(_) | NodeBody::Output { .. } | NodeBody::Socket(_)
        )
    }
}

/// Whether partly unknown bytes may be a name and the zero after it.
fn may_be(name: &[u8], pattern: &[Option<u8>]) -> bool {
    let terminated = name.iter().copied().chain([0]);
    name.len() < pattern.len()
        && terminated
            .zip(pattern)
            .all(|(byte, known)| known.is_none_or(|known| known == byte))
}
