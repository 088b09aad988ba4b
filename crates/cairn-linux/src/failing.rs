//! Calls that fail or do less at the caller's wish, so that a program's handling of it is reached.
//!
//! The calls and their errors are those that KLEE lets fail. The caller asks before a call whether
//! it may fail, and decides; nothing fails by itself.

use crate::{Errno, Kernel, Reply};

/// Calls that may fail, and how.
const FAILING: [(&str, Errno); 9] = [
    ("read", Errno::EIO),
    ("write", Errno::EIO),
    ("close", Errno::EIO),
    ("truncate", Errno::EIO),
    ("ftruncate", Errno::EIO),
    ("getcwd", Errno::ERANGE),
    ("chmod", Errno::EIO),
    ("fchmod", Errno::EIO),
    ("fchmodat", Errno::EIO),
];

impl Kernel {
    /// How a call would fail, if it is one that may and not as many have failed as may.
    pub fn may_fail(&self, number: u64) -> Option<Errno> {
        if self.failures == 0 {
            return None;
        }
        let name = self.abi.name(number)?;
        let row = FAILING.iter().find(|row| row.0 == name);
        row.map(|row| row.1)
    }

    /// Lets a call fail. The reply is that of a call that may not.
    pub fn fail(&mut self, number: u64) -> Reply {
        let Some(errno) = self.may_fail(number) else {
            return Reply::error(Errno::ENOSYS);
        };
        self.failures -= 1;
        Reply::error(errno)
    }

    /// Whether a call is a read of several bytes that may give fewer: the caller may then make the
    /// third argument of the call smaller.
    pub fn may_be_short(&self, number: u64, length: u64) -> bool {
        self.short_reads && length > 1 && self.abi.name(number) == Some("read")
    }
}
