//! Why a system call fails: Linux's numbers, which are the same on both architectures.

use cairn_memory::Word;
use std::fmt;

/// A number that says why a system call failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Errno(pub u16);

impl Errno {
    /// What a failed call returns.
    pub fn reply(self) -> Word {
        Word::int((-i64::from(self.0)) as u64)
    }
}

macro_rules! numbers {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        impl Errno {
            $(#[doc = $text] pub const $name: Errno = Errno($number);)*

            /// Its name in C, if it is one that the model gives.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(Errno::$name => Some(stringify!($name)),)*
                    Errno(_) => None,
                }
            }
        }
    };
}

numbers! {
    EPERM = 1, "Not permitted to anybody but the owner or the superuser.";
    ENOENT = 2, "There is no such file.";
    ESRCH = 3, "There is no such process.";
    EINTR = 4, "A signal came first.";
    EIO = 5, "The device failed.";
    ENXIO = 6, "There is no such device.";
    ENOEXEC = 8, "Not a program.";
    EBADF = 9, "Not an open descriptor, or not open for this.";
    ECHILD = 10, "There is no child process.";
    EAGAIN = 11, "Nothing is there yet.";
    ENOMEM = 12, "There is no memory left.";
    EACCES = 13, "Permission denied.";
    EFAULT = 14, "A bad address.";
    EBUSY = 16, "In use.";
    EEXIST = 17, "It exists already.";
    EXDEV = 18, "On another file system.";
    ENODEV = 19, "The device cannot do this.";
    ENOTDIR = 20, "Not a directory.";
    EISDIR = 21, "A directory.";
    EINVAL = 22, "An invalid argument.";
    EMFILE = 24, "Too many open files.";
    ENOTTY = 25, "Not a terminal.";
    EFBIG = 27, "The file would be too large.";
    ENOSPC = 28, "No room left on the device.";
    ESPIPE = 29, "A stream has no position.";
    EROFS = 30, "A read-only file system.";
    EMLINK = 31, "Too many links.";
    EPIPE = 32, "The other end has no reader.";
    ERANGE = 34, "The result does not fit.";
    ENAMETOOLONG = 36, "A name is too long.";
    ENOSYS = 38, "There is no such system call.";
    ENOTEMPTY = 39, "The directory is not empty.";
    ELOOP = 40, "Too many symbolic links.";
    EOVERFLOW = 75, "A value does not fit its type.";
    ENOTSOCK = 88, "Not a socket.";
    EDESTADDRREQ = 89, "No destination is given.";
    EMSGSIZE = 90, "A message is too long.";
    EPROTONOSUPPORT = 93, "No such protocol.";
    ESOCKTNOSUPPORT = 94, "No such kind of socket.";
    EOPNOTSUPP = 95, "Not supported here.";
    EAFNOSUPPORT = 97, "No such family of addresses.";
    EADDRINUSE = 98, "The address is in use.";
    EISCONN = 106, "Connected already.";
    ENOTCONN = 107, "Not connected.";
    ECONNREFUSED = 111, "No peer listens there.";
    EINPROGRESS = 115, "It will be done.";
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
