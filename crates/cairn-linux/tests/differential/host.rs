//! The machine's own kernel, in a folder that is the root of the process meanwhile.

use super::{Answer, Side};
use crate::generate::Arg;
use cairn_linux::{Abi, Errno};
use std::path::PathBuf;

/// Descriptors of the test's own: of the outer root. Sequences do not reach so far.
const OUTER: u64 = 1000;

const O_PATH: u64 = 0o10000000;

pub struct Host {
    folder: PathBuf,
    count: u64,
}

impl Host {
    /// `None` if this cannot be done here.
    pub fn new() -> Option<Self> {
        if !cfg!(target_arch = "x86_64") || raw("geteuid", &[]) != Ok(0) {
            return None;
        }
        // A file system in memory counts links as the model does.
        let shared = PathBuf::from("/dev/shm");
        let base = if shared.is_dir() {
            shared
        } else {
            std::env::temp_dir()
        };
        let folder = base.join(format!("cairn-differential-{}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        // Nothing but the standard streams, and the way back out.
        raw("close_range", &[3, 0xffff_ffff, 0]).ok()?;
        let root = c"/".as_ptr() as u64;
        let fd = raw("open", &[root, O_PATH, 0]).ok()?;
        raw("dup2", &[fd, OUTER]).ok()?;
        raw("close", &[fd]).ok()?;
        // As long as others have groups, they would have rights.
        raw("setgroups", &[0, 0]).ok()?;
        raw("umask", &[0o022]).ok()?;
        let limit = [1024u64, 4096];
        raw("setrlimit", &[7, limit.as_ptr() as u64]).ok()?;
        Some(Host { folder, count: 0 })
    }

    /// Goes into a fresh folder that belongs to a user, as that user.
    pub fn enter(&mut self, uid: u32) {
        self.count += 1;
        let root = self.folder.join(self.count.to_string());
        for name in ["", "dev", "tmp", "w"] {
            std::fs::create_dir(root.join(name)).expect("a fresh folder");
        }
        let owner = std::os::unix::fs::chown(root.join("w"), Some(uid), Some(uid));
        owner.expect("the superuser");
        std::os::unix::fs::chroot(&root).expect("the superuser");
        std::env::set_current_dir("/w").expect("it is there");
        let (uid, keep) = (u64::from(uid), 0);
        raw("setresgid", &[uid, uid, keep]).expect("the superuser");
        raw("setresuid", &[uid, uid, keep]).expect("the superuser");
    }

    /// Goes back, and removes the folder.
    pub fn leave(&mut self) {
        raw("setresuid", &[0, 0, 0]).expect("it was saved");
        raw("setresgid", &[0, 0, 0]).expect("it was saved");
        raw("close_range", &[3, OUTER - 1, 0]).expect("descriptors");
        raw("umask", &[0o022]).expect("a mask");
        raw("fchdir", &[OUTER]).expect("the way back");
        std::os::unix::fs::chroot(".").expect("the superuser");
        let root = self.folder.join(self.count.to_string());
        std::fs::remove_dir_all(root).expect("the test's own folder");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A system call of numbers.
fn raw(name: &str, args: &[u64]) -> Result<u64, Errno> {
    let number = Abi::X86_64.number(name).expect("a system call");
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(args);
    let [a, b, c, d, e, f] = all;
    // SAFETY: pointers among the arguments are to buffers of the caller that outlive the call and
    // are as long as the call is told.
    let result = unsafe { libc::syscall(number as i64, a, b, c, d, e, f) };
    if result < 0 {
        let errno = std::io::Error::last_os_error().raw_os_error();
        return Err(Errno(errno.unwrap_or(0) as u16));
    }
    Ok(result as u64)
}

impl Side for Host {
    fn answer(&mut self, name: &str, args: &[Arg]) -> Answer {
        let mut buffers: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| match arg {
                Arg::Number(_) => Vec::new(),
                Arg::Name(text) => [&text[..], b"\0"].concat(),
                Arg::Bytes(bytes) => bytes.clone(),
                Arg::Room(length) => vec![0xcc; *length],
                Arg::Both(bytes) => bytes.clone(),
                Arg::Parts(parts) => {
                    let pairs = parts.iter().map(|part| (part.as_ptr() as u64, part.len()));
                    let words = pairs.flat_map(|(at, length)| [at, length as u64]);
                    words.flat_map(u64::to_le_bytes).collect()
                }
            })
            .collect();
        let words: Vec<u64> = args
            .iter()
            .zip(&mut buffers)
            .map(|(arg, buffer)| match arg {
                Arg::Number(value) => *value,
                Arg::Name(_) | Arg::Bytes(_) | Arg::Room(_) | Arg::Both(_) | Arg::Parts(_) => {
                    buffer.as_mut_ptr() as u64
                }
            })
            .collect();
        let result = raw(name, &words);
        let room = args
            .iter()
            .position(|arg| matches!(arg, Arg::Room(_) | Arg::Both(_)));
        (
            result,
            room.map_or(Vec::new(), |at| buffers.swap_remove(at)),
        )
    }
}
