//! Attributes of files beyond the usual ones: the file system has none.

use super::{AT_FDCWD, Call, Family, done};
use crate::Errno;
use crate::reply::CallResult;

pub(super) const CALLS: Family = &[
    ("getxattr", path),
    ("setxattr", path),
    ("removexattr", path),
    ("lgetxattr", link),
    ("lsetxattr", link),
    ("lremovexattr", link),
    ("fgetxattr", open),
    ("fsetxattr", open),
    ("fremovexattr", open),
    ("listxattr", list_path),
    ("llistxattr", list_link),
    ("flistxattr", list_open),
];

fn path(call: &mut Call<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, true)?;
    Err(Errno::EOPNOTSUPP.into())
}

fn link(call: &mut Call<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, false)?;
    Err(Errno::EOPNOTSUPP.into())
}

fn open(call: &mut Call<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    Err(Errno::EOPNOTSUPP.into())
}

fn list_path(call: &mut Call<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, true)?;
    done()
}

fn list_link(call: &mut Call<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, false)?;
    done()
}

fn list_open(call: &mut Call<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    done()
}
