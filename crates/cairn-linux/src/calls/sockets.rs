//! Sockets: there are none.

use super::{Call, Family};
use crate::Errno;
use crate::reply::Done;

pub(super) const CALLS: Family = &[
    ("socket", no_family),
    ("socketpair", no_family),
    ("bind", no_socket),
    ("connect", no_socket),
    ("listen", no_socket),
    ("accept", no_socket),
    ("accept4", no_socket),
    ("sendto", no_socket),
    ("recvfrom", no_socket),
    ("sendmsg", no_socket),
    ("recvmsg", no_socket),
    ("shutdown", no_socket),
    ("getsockname", no_socket),
    ("getpeername", no_socket),
    ("setsockopt", no_socket),
    ("getsockopt", no_socket),
];

fn no_family(_: &mut Call<'_>) -> Done {
    Err(Errno::EAFNOSUPPORT.into())
}

fn no_socket(call: &mut Call<'_>) -> Done {
    call.opened(call.fd(0))?;
    Err(Errno::ENOTSOCK.into())
}
