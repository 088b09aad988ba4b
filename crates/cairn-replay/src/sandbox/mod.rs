//! A native run that can do no harm: without network, with processes of its own, and with a view of the
//! file system in which the user's files cannot be changed.
//!
//! # Problem
//!
//! A test can make a program do anything: remove files that its arguments name, connect to servers, signal
//! other processes. A replay runs it with the rights of the user.
//!
//! # Idea
//!
//! The child process enters namespaces of its own (user, mounts, network, processes, IPC) between `fork`
//! and `exec` (`child.rs`). Its root is an empty file system in memory. The folders of the system with
//! programs and libraries and the folder of the program are mounted there read-only. The folder that it
//! runs in has its real content, but writes go to memory; only the run's own scratch folder is the real
//! one. The process has no capabilities, and cannot get any.
//!
//! - **Where it works.** Where the kernel lets users make user namespaces, and for root in any case.
//!   [`Sandbox::check`] tries it.
//!
//! - **What it is not.** Programs read what their user may read of the folders above. A test with peers
//!   at its sockets shares network and process numbers with the host, because peers come from there
//!   (`peers.rs`). The debugger is not confined.
//!
//! # Soundness
//!
//! All memory that the child needs is prepared here before `fork` and not changed any more; after `fork`
//! the child only makes system calls.

mod child;

use crate::watch::LARGEST_FILE;
use rustix::process::{getegid, geteuid};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// Folders of the root with programs and libraries.
const SYSTEM: [&str; 11] = [
    "bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr",
];

/// Folders that are made, with their modes.
const MADE: [(&str, u32); 8] = [
    ("tmp", 0o1777),
    ("var", 0o755),
    ("var/tmp", 0o1777),
    ("run", 0o755),
    ("home", 0o755),
    ("root", 0o700),
    ("dev", 0o755),
    ("dev/shm", 0o1777),
];

/// Devices that do no harm.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Names that lead to the streams of a process.
const STREAMS: [(&str, &str); 4] = [
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
];

/// How a folder or file of the host appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// It can be read.
    ReadOnly,
    /// It can be read, and what is written is forgotten.
    Forgetful,
    /// It is the real one.
    Writable,
}

/// A folder or file of the host, and where it appears.
#[derive(Debug)]
struct Mount {
    source: CString,
    target: CString,
    access: Access,
    /// The options that overlay it with a folder in memory.
    overlay: CString,
}

/// All that the process needs to know after `fork`.
#[derive(Debug)]
struct Plan {
    /// A folder of the host that becomes the root.
    root: CString,
    /// Made below it, in order; what is there already stays.
    folders: Vec<(CString, u32)>,
    /// Empty files that devices appear at.
    files: Vec<CString>,
    links: Vec<(CString, CString)>,
    /// In order: the outer ones first.
    mounts: Vec<Mount>,
    /// Where the processes are shown.
    proc_folder: CString,
    /// Where folders in memory are while they are laid over others.
    memory: CString,
    upper: CString,
    work: CString,
    /// The folder to run in.
    here: CString,
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    /// Whether it has network and process numbers of its own.
    is_alone: bool,
    largest_file: u64,
}

/// What a program is confined to.
#[derive(Debug)]
pub(crate) struct Sandbox<'a> {
    /// An empty folder that stays.
    pub root: &'a Path,
    /// The executable.
    pub executable: &'a Path,
    /// The folder it runs in; the caller's, if it has none of its own.
    pub folder: Option<&'a Path>,
    /// Folders that are written to.
    pub writable: &'a [&'a Path],
    /// Whether others reach its sockets.
    pub has_peers: bool,
}

impl Sandbox<'_> {
    /// Confines a command that is not started yet. Its program must be named by an absolute path.
    pub fn confine(&self, command: &mut Command) -> io::Result<()> {
        let plan = self.plan()?;
        // SAFETY: `enter` makes only system calls, on memory that was prepared above and is not
        // changed any more: the closure owns it.
        unsafe {
            command.pre_exec(move || child::enter(&plan));
        }
        Ok(())
    }

    /// Tries whether programs can be confined here, with one that does nothing.
    ///
    /// # Errors
    /// Why not.
    pub fn check(root: &Path, writable: &Path) -> io::Result<()> {
        let nothing = Path::new("/bin/true");
        let mut command = Command::new(nothing);
        Sandbox {
            root,
            executable: nothing,
            folder: Some(writable),
            writable: &[writable],
            has_peers: false,
        }
        .confine(&mut command)?;
        let done = command.stdin(Stdio::null()).stdout(Stdio::null());
        let status = done.stderr(Stdio::null()).status()?;
        if status.success() {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "a confined program ended with {status}"
        )))
    }

    fn plan(&self) -> io::Result<Plan> {
        let here = match self.folder {
            Some(folder) => std::path::absolute(folder)?,
            None => std::env::current_dir()?,
        };
        let mut shown: Vec<(PathBuf, Access)> = Vec::new();
        let mut links = Vec::new();
        for name in SYSTEM {
            let path = Path::new("/").join(name);
            match std::fs::read_link(&path) {
                Ok(target) => links.push((target, path)),
                Err(_) if path.is_dir() => shown.push((path, Access::ReadOnly)),
                Err(_) => {}
            }
        }
        for path in [
            self.executable.to_path_buf(),
            self.executable.canonicalize()?,
        ] {
            let path = std::path::absolute(path)?;
            shown.push((around(&path).to_path_buf(), Access::ReadOnly));
        }
        match self.folder {
            // It was made for this run, and peers look for local sockets there.
            Some(_) => shown.push((here.clone(), Access::Writable)),
            None if here != Path::new("/") => shown.push((here.clone(), Access::Forgetful)),
            None => {}
        }
        for path in self.writable {
            shown.push((std::path::absolute(path)?, Access::Writable));
        }
        // The outer ones first; of two for the same folder the one that allows more is last.
        shown
            .sort_by_key(|(path, access)| (path.components().count(), path.clone(), *access as u8));
        self.laid_out(&here, &shown, links)
    }

    /// The plan in the words of the system.
    fn laid_out(
        &self,
        here: &Path,
        shown: &[(PathBuf, Access)],
        links: Vec<(PathBuf, PathBuf)>,
    ) -> io::Result<Plan> {
        let root = std::path::absolute(self.root)?;
        let below = |path: &Path| text(&root.join(path.strip_prefix("/").unwrap_or(path)));
        let streams = STREAMS.iter().map(|(to, at)| (to.into(), at.into()));
        let links = links.into_iter().chain(streams);
        let devices = DEVICES.iter().map(|name| Path::new("dev").join(name));
        let mut folders = Vec::new();
        for (folder, mode) in MADE {
            folders.push((below(Path::new(folder))?, mode));
        }
        folders.push((below(Path::new("proc"))?, 0o555));
        for (path, _) in shown {
            let is_folder = path.is_dir();
            let mut outer: Vec<&Path> = path.ancestors().skip(usize::from(!is_folder)).collect();
            outer.reverse();
            for folder in outer.into_iter().skip(1) {
                folders.push((below(folder)?, 0o755));
            }
        }
        let mut files = Vec::new();
        let mut mounts = Vec::new();
        for device in devices {
            files.push(below(&device)?);
            mounts.push(Mount {
                source: text(&Path::new("/").join(&device))?,
                target: below(&device)?,
                access: Access::Writable,
                overlay: CString::default(),
            });
        }
        let (memory, upper, work) = (".memory", ".memory/upper", ".memory/work");
        let (upper, work) = (below(Path::new(upper))?, below(Path::new(work))?);
        for (path, access) in shown {
            if !path.is_dir() {
                files.push(below(path)?);
            }
            mounts.push(Mount {
                source: text(path)?,
                target: below(path)?,
                access: *access,
                overlay: overlay(path, &upper, &work)?,
            });
        }
        folders.push((below(Path::new(memory))?, 0o755));
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        Ok(Plan {
            root: text(&root)?,
            folders,
            files,
            links: links
                .map(|(to, at)| Ok((text(&to)?, below(&at)?)))
                .collect::<io::Result<_>>()?,
            mounts,
            proc_folder: below(Path::new("proc"))?,
            memory: below(Path::new(memory))?,
            upper,
            work,
            here: text(here)?,
            uid_map: format!("{user} {user} 1\n").into_bytes(),
            gid_map: format!("{group} {group} 1\n").into_bytes(),
            is_alone: !self.has_peers,
            largest_file: LARGEST_FILE,
        })
    }
}

/// The folder of an executable, with what it may need; the file alone where the folder is everybody's.
fn around(executable: &Path) -> &Path {
    let folder = executable.parent().unwrap_or(executable);
    let depth = folder
        .components()
        .filter(|c| matches!(c, Component::Normal(_)));
    let shared = [Path::new("/tmp"), Path::new("/var/tmp")];
    if depth.count() == 0 || shared.contains(&folder) {
        return executable;
    }
    folder
}

/// The options of an overlay; none where a name has characters that mean something there.
fn overlay(lower: &Path, upper: &CString, work: &CString) -> io::Result<CString> {
    let mut options = b"lowerdir=".to_vec();
    options.extend_from_slice(lower.as_os_str().as_bytes());
    options.extend_from_slice(b",upperdir=");
    options.extend_from_slice(upper.as_bytes());
    options.extend_from_slice(b",workdir=");
    options.extend_from_slice(work.as_bytes());
    let names = [lower.as_os_str().as_bytes(), upper.as_bytes()];
    let special = |byte: &u8| b",:\\".contains(byte);
    if names.iter().any(|name| name.iter().any(special)) {
        options.clear();
    }
    Ok(CString::new(options)?)
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
