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

pub(crate) use content::{Content, MAX_SIZE};
pub(crate) use descriptors::{Descriptors, Open, flags};
pub(crate) use socket::{AddressFamily, Patience, Peers, Socket, SocketKind, SocketRole};
pub(crate) use tree::{Body, Device, Directory, Identity, Node, NodeId, Pipe, Tree, mode};
pub(crate) use walk::{Last, PATH_MAX, Parent, Walk};
