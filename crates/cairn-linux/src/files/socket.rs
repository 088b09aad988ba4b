//! Sockets, and the peers at their other ends.
//!
//! # Problem
//!
//! A server or a client reads what its peers send. In the model it has none: the process is alone,
//! and no network is touched.
//!
//! # Idea
//!
//! The setup says how many peers there are. Each has an object of a given number of unknown bytes
//! (`socket0`, `socket1` and so on), sends them as soon as the program meets it, and sends nothing
//! after them. The program meets the peers in their order: by `accept`, by `connect`, or as the senders
//! of datagrams, one each. The bytes that it sends to a peer are kept.
//!
//! - **The end.** After all peers were met, a program that waits for another would wait for ever. It is
//!   ended as a server is: `SIGTERM` is sent, and `SIGKILL` if it waits again after that.
//!
//! # Soundness
//!
//! Under-approximates: every path is one of a program whose peers behave as described. Peers that send
//! more, send later, answer what they are sent or come in another order are not explored.

use super::FileContent;
use cairn_memory::Word;
use std::collections::BTreeMap;

/// Families of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressFamily {
    Local,
    Internet4,
    Internet6,
}

impl AddressFamily {
    pub const ALL: [AddressFamily; 3] = [
        AddressFamily::Local,
        AddressFamily::Internet4,
        AddressFamily::Internet6,
    ];

    /// Its number.
    pub fn number(self) -> u16 {
        match self {
            AddressFamily::Local => 1,
            AddressFamily::Internet4 => 2,
            AddressFamily::Internet6 => 10,
        }
    }

    /// Bytes of an address, at least; a local one may have more.
    pub fn address_bytes(self) -> usize {
        match self {
            AddressFamily::Local => 2,
            AddressFamily::Internet4 => 16,
            AddressFamily::Internet6 => 28,
        }
    }

    /// An address without a host, or that of this machine, and a port.
    pub fn address(self, this_machine: bool, port: u16) -> Vec<u8> {
        let mut bytes = vec![0; self.address_bytes()];
        bytes[..2].copy_from_slice(&self.number().to_le_bytes());
        match self {
            AddressFamily::Local => return bytes,
            AddressFamily::Internet4 if this_machine => {
                bytes[4..8].copy_from_slice(&[127, 0, 0, 1])
            }
            AddressFamily::Internet6 if this_machine => bytes[23] = 1,
            AddressFamily::Internet4 | AddressFamily::Internet6 => {}
        }
        bytes[2..4].copy_from_slice(&port.to_be_bytes());
        bytes
    }
}

/// What a socket carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketKind {
    Stream,
    Datagrams,
}

/// What a socket is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketRole {
    /// Nothing yet; datagrams may be sent and received.
    Free,
    /// Peers connect to it.
    Listening,
    /// A stream from and to a peer, of which so many bytes were read.
    Connected { peer: usize, read: u64 },
}

/// A socket.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub family: AddressFamily,
    pub kind: SocketKind,
    pub role: SocketRole,
    /// Its own address, if it has one.
    pub local: Option<Vec<u8>>,
    /// Whether the system chose its port.
    pub chosen_port: bool,
    /// The address that it is connected to.
    pub remote: Option<Vec<u8>>,
    /// An address that was sent a datagram and belongs to no known peer: the next datagram comes from it.
    pub answers_from: Option<Vec<u8>>,
    pub stopped_reading: bool,
    pub stopped_writing: bool,
    /// Options that were set, by level and number.
    pub options: BTreeMap<(u32, u32), Vec<u8>>,
}

impl Socket {
    pub fn new(family: AddressFamily, kind: SocketKind) -> Self {
        Socket {
            family,
            kind,
            role: SocketRole::Free,
            local: None,
            chosen_port: false,
            remote: None,
            answers_from: None,
            stopped_reading: false,
            stopped_writing: false,
            options: BTreeMap::new(),
        }
    }
}

/// What was done to end a program that waits although all peers were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WaitEnding {
    #[default]
    Waiting,
    /// It was asked to end.
    Asked,
}

/// The port of the first peer; others have the next ones.
const FIRST_PORT: u16 = 50000;

/// The peers at the other ends.
#[derive(Clone, Debug)]
pub(crate) struct SocketPeers {
    /// What each of them sends.
    objects: Vec<Word>,
    /// How many bytes that is.
    pub size: u64,
    /// How many were met.
    met: usize,
    /// What each of them was sent.
    pub sent: Vec<FileContent>,
    pub patience: WaitEnding,
}

impl SocketPeers {
    pub fn new(objects: Vec<Word>, size: u64) -> Self {
        SocketPeers {
            size,
            met: 0,
            sent: vec![FileContent::EMPTY; objects.len()],
            objects,
            patience: WaitEnding::Waiting,
        }
    }

    /// The next one, if not all were met.
    pub fn next(&self) -> Option<usize> {
        (self.met < self.objects.len()).then_some(self.met)
    }

    /// The next one was met.
    pub fn meet(&mut self) {
        self.met += 1;
    }

    /// The bytes that one sends.
    pub fn object(&self, peer: usize) -> Word {
        self.objects[peer]
    }

    /// The address of one.
    pub fn address(&self, peer: usize, family: AddressFamily) -> Vec<u8> {
        family.address(true, FIRST_PORT + peer as u16)
    }

    /// Whose address it is. Local ones have none that tells them apart.
    pub fn owner(&self, address: &[u8], family: AddressFamily) -> Option<usize> {
        match family {
            AddressFamily::Local => None,
            AddressFamily::Internet4 | AddressFamily::Internet6 => {
                let mut all = 0..self.objects.len();
                all.find(|peer| self.address(*peer, family) == address)
            }
        }
    }
}
