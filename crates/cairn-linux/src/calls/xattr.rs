//! Attributes of files beyond the usual ones: the file system has none.

use super::{AT_FDCWD, CallFamily, SystemCall, done};
use crate::Errno;
use crate::call_table::ATTRIBUTES;
use crate::call_table::Varies::Decides;
use crate::reply::CallResult;

pub(super) const CALLS: CallFamily = &[
    ("getxattr", "ppp-", Decides(ATTRIBUTES), path),
    ("setxattr", "ppp--", Decides(ATTRIBUTES), path),
    ("removexattr", "pp", Decides(ATTRIBUTES), path),
    ("lgetxattr", "ppp-", Decides(ATTRIBUTES), link),
    ("lsetxattr", "ppp--", Decides(ATTRIBUTES), link),
    ("lremovexattr", "pp", Decides(ATTRIBUTES), link),
    ("fgetxattr", "dpp-", Decides(ATTRIBUTES), open),
    ("fsetxattr", "dpp--", Decides(ATTRIBUTES), open),
    ("fremovexattr", "dp", Decides(ATTRIBUTES), open),
    ("listxattr", "p--", Decides(ATTRIBUTES), list_path),
    ("llistxattr", "p--", Decides(ATTRIBUTES), list_link),
    ("flistxattr", "d--", Decides(ATTRIBUTES), list_open),
];

fn path(call: &mut SystemCall<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, true)?;
    Err(Errno::EOPNOTSUPP.into())
}

fn link(call: &mut SystemCall<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, false)?;
    Err(Errno::EOPNOTSUPP.into())
}

fn open(call: &mut SystemCall<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    Err(Errno::EOPNOTSUPP.into())
}

fn list_path(call: &mut SystemCall<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, true)?;
    done()
}

fn list_link(call: &mut SystemCall<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, false)?;
    done()
}

fn list_open(call: &mut SystemCall<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    done()
}
