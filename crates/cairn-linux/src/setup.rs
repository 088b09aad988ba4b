//! What a program finds when it starts: files, streams, identity, clock.

use crate::Abi;
use std::sync::Arc;

/// A file of the host, as the program sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFile {
    /// Its name. A relative one is in the working directory. Folders on the way are made.
    pub path: Vec<u8>,
    /// What it is.
    pub content: HostContent,
    /// Its permissions, as `0o644`.
    pub mode: u32,
    /// Whether the program may not change it, whatever the permissions say.
    pub read_only: bool,
}

/// What a file of the host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostContent {
    /// A regular file. Its bytes enter a memory when they are first looked at.
    File(Arc<[u8]>),
    /// A folder; what is in it has entries of its own.
    Directory,
    /// A symbolic link to a name.
    Link(Vec<u8>),
}

impl HostFile {
    /// A regular file that the program may change.
    pub fn new(path: impl Into<Vec<u8>>, bytes: impl Into<Arc<[u8]>>) -> Self {
        HostFile {
            path: path.into(),
            content: HostContent::File(bytes.into()),
            mode: 0o644,
            read_only: false,
        }
    }
}

/// What a stream of the program is connected to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamKind {
    /// A regular file: it has a size and a position.
    File,
    /// A pipe whose other end is closed to the program.
    #[default]
    Pipe,
    /// A terminal.
    Terminal,
}

/// What the program reads from standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandardInput {
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// This many bytes that the caller fills in.
    Symbolic(u64),
    /// Bytes that the caller gives when the program asks for them: see
    /// [`Need::Input`](crate::Need::Input). It is a stream, never a file.
    Awaited,
}

/// Where random bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomSource {
    /// A sequence that this number determines.
    Seed(u64),
    /// The caller: see [`Reply::Random`](crate::Reply::Random).
    Caller,
}

/// What a program finds when it starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Numbers of calls and layouts of structures.
    pub abi: Abi,
    /// Files that exist.
    pub files: Vec<HostFile>,
    /// How many files of unknown content are in the working directory: `A`, `B` and so on, at most
    /// 26.
    pub symbolic_files: u32,
    /// The size of each of them.
    pub symbolic_size: u64,
    /// Peers that the program meets by sockets, and how many unknown bytes each of them sends; without
    /// any there are no sockets.
    pub sockets: Option<(u32, u64)>,
    /// Standard input.
    pub stdin: StandardInput,
    /// What standard input is. Unknown input that is to have an unknown `stat` must be a file.
    pub stdin_kind: StreamKind,
    /// What standard output and standard error are.
    pub output_kind: StreamKind,
    /// Whether standard output is a file whose first 1024 bytes and `stat` are unknown.
    pub symbolic_stdout: bool,
    /// How many calls may fail.
    pub max_fail: u32,
    /// Whether reads of several bytes may give one.
    pub short_reads: bool,
    /// Whether a call with an address where nothing is fails with `EFAULT`, as on Linux. If not it is
    /// answered with the fault, which is an error of the program.
    pub efault: bool,
    /// Seconds since 1970 when the program starts.
    pub start_seconds: i64,
    /// Whether the caller decides what time it is: see [`Reply::Clock`](crate::Reply::Clock).
    pub symbolic_clock: bool,
    /// Where random bytes come from.
    pub random: RandomSource,
    /// The process.
    pub pid: u32,
    /// The user. The superuser, 0, may do everything.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The working directory. It is made.
    pub cwd: Vec<u8>,
    /// Permissions that new files do not get.
    pub umask: u32,
    /// Where the data segment ends, which the program may move up, and the last address that it may
    /// move it to.
    pub brk: std::ops::Range<u64>,
}

impl Setup {
    /// A process of an ordinary user in an empty folder, without input.
    pub fn new(abi: Abi) -> Self {
        Setup {
            abi,
            files: Vec::new(),
            symbolic_files: 0,
            symbolic_size: 0,
            sockets: None,
            stdin: StandardInput::Bytes(Arc::from([])),
            stdin_kind: StreamKind::File,
            output_kind: StreamKind::Pipe,
            symbolic_stdout: false,
            max_fail: 0,
            short_reads: false,
            efault: false,
            start_seconds: 1_700_000_000,
            symbolic_clock: false,
            random: RandomSource::Seed(1),
            pid: 1000,
            uid: 1000,
            gid: 1000,
            cwd: b"/home/user".to_vec(),
            umask: 0o022,
            brk: 0xc000_0000..0xf000_0000,
        }
    }
}
