//! The file system of a process, and what it has open.
//!
//! - `content`: the bytes of a file, an object of the program's memory
//! - `tree`: files, folders, links and devices, and who may do what with them
//! - `walk`: from a name to a file
//! - `descriptors`: what is open
//! - `socket`: sockets, and those at their other ends

mod content;
mod descriptors;
mod socket;
mod tree;
mod walk;

pub(crate) use content::{FileContent, MAX_SIZE};
pub(crate) use descriptors::{Descriptors, OpenFile, flags};
pub(crate) use socket::{AddressFamily, Socket, SocketKind, SocketPeers, SocketRole, WaitEnding};
pub(crate) use tree::{
    Device, Directory, FileTree, Identity, Inode, InodeBody, InodeId, Pipe, mode,
};
pub(crate) use walk::{LastComponent, PATH_MAX, Parent, Walk};
