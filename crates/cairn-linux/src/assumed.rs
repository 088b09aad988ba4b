//! What answers that stand for others assume, in words for those who read `incomplete`.

/// Of answers that tell the time.
pub const CLOCK: &str = "the time is one of many";
pub(crate) const RANDOM: &str = "random bytes are some of many";
pub(crate) const PROCESS: &str = "the numbers of processes are some of many";
pub(crate) const USER: &str = "the user is one of many (1000, not the superuser)";
pub(crate) const MACHINE: &str = "the machine is one of many (its name, version, size or load)";
pub(crate) const PRIVILEGE: &str = "it is refused, as to an unprivileged user";
pub(crate) const METADATA: &str =
    "inode numbers, devices, link counts and times of files are some of many";
pub(crate) const SENDER: &str =
    "a handler is told the process and the user that sent the signal, which are some of many";
pub(crate) const IGNORED: &str = "it has no effect in the model";
pub(crate) const MISSING: &str = "it is refused, as by a kernel without it";
pub(crate) const ALONE: &str = "no other process exists in the model";
pub(crate) const TERMINAL: &str = "whether a stream is a terminal is one of two answers";
pub(crate) const MASK: &str = "the mask that the program inherits is one of many (022)";
pub(crate) const ATTRIBUTES: &str = "the model has no extended attributes; file systems differ";
pub(crate) const FOLDER: &str = "the working directory is one of many (/home/user)";
pub(crate) const LOCKS: &str =
    "nothing else has a lock on the file, neither another process nor another opening";
pub(crate) const LIMITS: &str = "the limits of the process are some of many (1024 descriptors)";
pub(crate) const FILE_SYSTEM: &str = "file systems differ in whether they can do it";
pub(crate) const LAYOUT: &str = "addresses are some of many";
pub(crate) const OCCUPIED: &str = "what is at an address is one of many";
pub(crate) const PROTECTION: &str = "memory may be read and written whatever its protection";
pub(crate) const KERNELS: &str = "versions of Linux differ in it";
pub(crate) const PIPES: &str =
    "how much a pipe, a terminal or a socket takes at once is one of many";
pub(crate) const FILE_SIZE: &str =
    "file systems differ in how large files may be (64 GB in the model)";
pub(crate) const HOLES: &str = "file systems differ in the holes of files";
pub(crate) const PLACES: &str = "places in a folder are those of its file system";
pub(crate) const ADDRESSES: &str =
    "addresses of peers and ports that Linux chooses are some of many";
pub(crate) const ROOM: &str = "memory is refused, as on a small machine";
pub(crate) const HOST_FILES: &str = "a file of the host is not in the model";
pub(crate) const SOCKETS: &str = "the model has no network but the peers that the user describes";
