//! Sockets: none, unless peers were asked for. What those are, and what they send, is told in
//! `files/socket.rs`.
//!
//! A peer is there at once: a connection is never refused while there are any, and its bytes have all
//! arrived when it is accepted. Pairs of sockets are not modelled.

use super::io::Segment;
use super::{AT_FDCWD, Call, Family, done, number, offset};
use crate::Errno;
use crate::files::{
    AddressFamily, Body, Node, NodeId, Open, Patience, Peers, Socket, SocketKind, SocketRole, flags,
};
use crate::reply::{Done, Reply, Stop};
use cairn_memory::Word;

pub(super) const CALLS: Family = &[
    ("socket", socket),
    ("socketpair", no_family),
    ("bind", bind),
    ("connect", connect),
    ("listen", listen),
    ("accept", accept),
    ("accept4", accept4),
    ("sendto", sendto),
    ("recvfrom", recvfrom),
    ("sendmsg", sendmsg),
    ("recvmsg", recvmsg),
    ("shutdown", shutdown),
    ("getsockname", getsockname),
    ("getpeername", getpeername),
    ("setsockopt", setsockopt),
    ("getsockopt", getsockopt),
];

/// The number of the address family of a socket, and flags beside its kind.
const STREAM: u32 = 1;
const DATAGRAMS: u32 = 2;
const KIND: u32 = 0xf;

/// Flags of sending and receiving.
const MSG_OOB: u64 = 0x1;
const MSG_PEEK: u64 = 0x2;
const MSG_TRUNC: u64 = 0x20;
const MSG_DONTWAIT: u64 = 0x40;
const MSG_NOSIGNAL: u64 = 0x4000;

/// Bytes of an address at most.
const MOST_ADDRESS: u64 = 128;

/// Bytes of a local address at most.
const MOST_LOCAL: usize = 110;

/// Bytes of an option's value that are kept at most.
const MOST_OPTION: u64 = 256;

/// Options at the level of sockets.
const SOL_SOCKET: u32 = 1;
const SO_REUSEADDR: u32 = 2;
const SO_TYPE: u32 = 3;
const SO_ERROR: u32 = 4;
const SO_REUSEPORT: u32 = 15;
const SO_ACCEPTCONN: u32 = 30;
const SO_PROTOCOL: u32 = 38;
const SO_DOMAIN: u32 = 39;

/// The first port that the system chooses.
const CHOSEN_PORTS: u16 = 32768;

const SIGKILL: u32 = 9;
const SIGPIPE: u32 = 13;
const SIGTERM: u32 = 15;

fn no_family(_: &mut Call<'_>) -> Done {
    Err(Errno::EAFNOSUPPORT.into())
}

/// What was received.
struct Received {
    /// Bytes that were stored.
    stored: u64,
    /// Bytes that there were, of a datagram.
    whole: u64,
    /// The sender's address.
    from: Vec<u8>,
}

impl Call<'_> {
    fn peers(&self) -> Result<&Peers, Errno> {
        let peers = self.kernel.peers.as_deref();
        peers.ok_or(Errno::ENOTSOCK)
    }

    fn peers_mut(&mut self) -> Result<&mut Peers, Errno> {
        let peers = self.kernel.peers.as_mut();
        peers.map(std::rc::Rc::make_mut).ok_or(Errno::ENOTSOCK)
    }

    /// The socket that a descriptor is.
    fn socket(&self, fd: u32) -> Result<(NodeId, &Socket), Errno> {
        let node = self.opened(fd)?.node;
        match &self.kernel.tree.node(node).body {
            Body::Socket(socket) => Ok((node, socket)),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    fn socket_mut(&mut self, node: NodeId) -> Result<&mut Socket, Errno> {
        match &mut self.kernel.tree_mut().node_mut(node).body {
            Body::Socket(socket) => Ok(socket),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    /// Opens a socket under a number that is free.
    fn open_socket(&mut self, fd: u32, socket: Socket, how: u32) {
        let identity = self.kernel.process.identity;
        let mut node = Node::new(Body::Socket(socket), 0o777, identity, self.kernel.now());
        node.links = 0;
        let node = self.kernel.tree_mut().add(node);
        let status = flags::READ_WRITE | how & flags::NONBLOCK;
        let close = how & flags::CLOEXEC != 0;
        self.kernel.install(fd, Open::new(node, status), close);
    }

    /// An address of the program's, of the family of a socket.
    fn load_address(&self, at: Word, length: u64, family: AddressFamily) -> Result<Vec<u8>, Stop> {
        if (length as i32) < 0 || length > MOST_ADDRESS {
            return Err(Errno::EINVAL.into());
        }
        let mut bytes = self.load(at, length)?;
        let short = bytes.len() < family.address_bytes();
        if short || family == AddressFamily::Local && bytes.len() > MOST_LOCAL {
            return Err(Errno::EINVAL.into());
        }
        if bytes[..2] != family.number().to_le_bytes() {
            return Err(Errno::EAFNOSUPPORT.into());
        }
        match family {
            AddressFamily::Local => {}
            AddressFamily::Internet4 | AddressFamily::Internet6 => {
                bytes.truncate(family.address_bytes());
            }
        }
        if family == AddressFamily::Internet4 {
            bytes[8..].fill(0);
        }
        Ok(bytes)
    }

    /// Where an address goes and how many of its bytes; nothing if none is wanted.
    fn address_room(&self, at: Word, length_at: Word) -> Result<Option<u64>, Stop> {
        if at.bits == 0 {
            return Ok(None);
        }
        self.check_write(length_at, 4)?;
        let room = self.load(length_at, 4)?;
        let room = i32::from_le_bytes([room[0], room[1], room[2], room[3]]);
        let room = u64::try_from(room).map_err(|_| Errno::EINVAL)?;
        self.check_write(at, room.min(MOST_ADDRESS))?;
        Ok(Some(room))
    }

    fn store_address(
        &mut self,
        at: Word,
        length_at: Word,
        room: Option<u64>,
        address: &[u8],
    ) -> Result<(), Stop> {
        let Some(room) = room else { return Ok(()) };
        let stored = address.len().min(room as usize);
        self.store(at, &address[..stored])?;
        self.store(length_at, &(address.len() as u32).to_le_bytes())
    }

    /// A port that the system chooses.
    fn choose_port(&mut self, node: NodeId) -> Result<(), Errno> {
        let port = CHOSEN_PORTS + (node % 16384) as u16;
        let socket = self.socket_mut(node)?;
        let family = socket.family;
        let local = socket.local.take();
        let mut address = local.unwrap_or_else(|| family.address(false, 0));
        if family != AddressFamily::Local {
            address[2..4].copy_from_slice(&port.to_be_bytes());
            socket.chosen_port = true;
        }
        socket.local = Some(address);
        Ok(())
    }

    /// Whether another socket of the process has the port of an address, and one of both does not
    /// share it.
    fn port_is_taken(&self, node: NodeId, address: &[u8]) -> bool {
        let shares = |socket: &Socket| {
            [SO_REUSEADDR, SO_REUSEPORT].iter().any(|option| {
                let value = socket.options.get(&(SOL_SOCKET, *option));
                value.is_some_and(|value| value.iter().any(|byte| *byte != 0))
            })
        };
        let own = match &self.kernel.tree.node(node).body {
            Body::Socket(socket) => socket,
            _ => return false,
        };
        let descriptors = &self.kernel.descriptors;
        descriptors.numbers().any(|number| {
            let Ok((other, socket)) = self.socket(number) else {
                return false;
            };
            let same_port = socket
                .local
                .as_ref()
                .is_some_and(|l| l[2..] == address[2..]);
            let listens = socket.role == SocketRole::Listening;
            other != node
                && socket.family == own.family
                && socket.kind == own.kind
                && !matches!(socket.role, SocketRole::Connected { .. })
                && same_port
                && (listens || !shares(socket) || !shares(own))
        })
    }

    /// What becomes of a program that waits for somebody who never comes.
    pub(super) fn wait_for_nobody(&mut self) -> Stop {
        let killed = Stop::End(Reply::Signal(SIGKILL));
        let Ok(peers) = self.peers_mut() else {
            return killed;
        };
        match std::mem::replace(&mut peers.patience, Patience::Asked) {
            // If it does not listen, it goes on waiting.
            Patience::Waiting => {
                let listens = self.records(SIGTERM);
                match self.send_to_self(SIGTERM, Errno::EINTR.reply()) {
                    Ok(value) if listens => Stop::End(Reply::Return(value)),
                    Ok(_) => killed,
                    Err(stop) => stop,
                }
            }
            Patience::Asked => killed,
        }
    }

    /// Whether there are peers: then whoever waits is ended.
    pub(super) fn has_peers(&self) -> bool {
        self.kernel.peers.is_some()
    }

    /// What can be done with a socket now: read it, write it, both ends have ended.
    pub(super) fn socket_ready(&self, socket: &Socket) -> (bool, bool, bool) {
        let more = self.peers().is_ok_and(|peers| peers.next().is_some());
        match (socket.kind, socket.role) {
            (SocketKind::Datagrams, _) => (more || socket.stopped_reading, true, false),
            (SocketKind::Stream, SocketRole::Listening) => (more, false, false),
            (SocketKind::Stream, SocketRole::Free) => (false, true, true),
            // Bytes or their end.
            (SocketKind::Stream, SocketRole::Connected { .. }) => {
                (true, true, socket.stopped_writing)
            }
        }
    }

    /// Bytes that can be read at once.
    pub(super) fn socket_waiting(&self, socket: &Socket) -> u64 {
        let Ok(peers) = self.peers() else { return 0 };
        match socket.role {
            SocketRole::Connected { read, .. } => peers.size - read,
            SocketRole::Free if socket.kind == SocketKind::Datagrams => {
                peers.next().map_or(0, |_| peers.size)
            }
            SocketRole::Free | SocketRole::Listening => 0,
        }
    }

    /// Reads from a socket.
    pub(super) fn read_socket(&mut self, fd: u32, segments: &[Segment]) -> Done {
        number(self.receive(fd, segments, 0)?.stored)
    }

    fn receive(&mut self, fd: u32, segments: &[Segment], how: u64) -> Result<Received, Stop> {
        if how & MSG_OOB != 0 {
            return Err(Errno::EINVAL.into());
        }
        let (node, socket) = self.socket(fd)?;
        let waits = how & MSG_DONTWAIT == 0 && !self.opened(fd)?.nonblocking();
        let (kind, role, family) = (socket.kind, socket.role, socket.family);
        let stopped = socket.stopped_reading;
        let remote = socket.remote.as_ref().or(socket.answers_from.as_ref());
        let remote = remote.cloned();
        let peers = self.peers()?;
        let wanted = Self::total(segments);
        let nothing = |from| Received {
            stored: 0,
            whole: 0,
            from,
        };
        let (peer, from) = match (kind, role) {
            (SocketKind::Stream, SocketRole::Connected { peer, read }) => (peer, read),
            (SocketKind::Stream, SocketRole::Free | SocketRole::Listening) => {
                return Err(match family {
                    AddressFamily::Local => Errno::EINVAL.into(),
                    AddressFamily::Internet4 | AddressFamily::Internet6 => Errno::ENOTCONN.into(),
                });
            }
            (SocketKind::Datagrams, _) => match peers.next() {
                Some(peer) => (peer, 0),
                None if stopped => return Ok(nothing(Vec::new())),
                None if !waits => return Err(Errno::EAGAIN.into()),
                None => return Err(self.wait_for_nobody()),
            },
        };
        let object = peers.object(peer);
        let whole = peers.size - from;
        let sender = match (kind, remote) {
            (SocketKind::Datagrams, Some(remote)) => remote,
            (SocketKind::Datagrams, None) => peers.address(peer, family),
            (SocketKind::Stream, _) => Vec::new(),
        };
        if stopped && kind == SocketKind::Stream {
            return Ok(nothing(sender));
        }
        let stored = whole.min(wanted);
        self.check_room(segments, stored)?;
        let mut done = 0;
        for (at, part) in super::io::clipped(segments, stored) {
            let copied = self
                .memory
                .copy(at, offset(object, from + done), part, true);
            copied.map_err(|_| Errno::ENOMEM)?;
            done += part;
        }
        if how & MSG_PEEK == 0 {
            match kind {
                SocketKind::Stream => {
                    let read = from + stored;
                    self.socket_mut(node)?.role = SocketRole::Connected { peer, read };
                }
                SocketKind::Datagrams => self.peers_mut()?.meet(),
            }
        }
        Ok(Received {
            stored,
            whole,
            from: sender,
        })
    }

    /// Writes to a socket.
    pub(super) fn write_socket(&mut self, fd: u32, segments: &[Segment]) -> Done {
        self.transmit(fd, segments, None, 0)
    }

    fn transmit(&mut self, fd: u32, segments: &[Segment], to: Option<Vec<u8>>, how: u64) -> Done {
        let (node, socket) = self.socket(fd)?;
        let family = socket.family;
        let broken = match (socket.kind, socket.role) {
            (SocketKind::Stream, SocketRole::Connected { .. }) => socket.stopped_writing,
            (SocketKind::Stream, _) if family == AddressFamily::Local => {
                return Err(Errno::ENOTCONN.into());
            }
            (SocketKind::Stream, _) => true,
            (SocketKind::Datagrams, _) => socket.stopped_writing,
        };
        if broken {
            if how & MSG_NOSIGNAL != 0 {
                return Err(Errno::EPIPE.into());
            }
            return self.send_to_self(SIGPIPE, Errno::EPIPE.reply());
        }
        // Somebody who is not known is sent something: he is the one who answers next.
        let (peer, asked) = match (socket.kind, socket.role) {
            (SocketKind::Stream, SocketRole::Connected { peer, .. }) => (Some(peer), None),
            (SocketKind::Stream, _) => (None, None),
            (SocketKind::Datagrams, _) => {
                let to = to.or_else(|| socket.remote.clone());
                let to = to.ok_or(Errno::EDESTADDRREQ)?;
                match self.peers()?.owner(&to, family) {
                    Some(peer) => (Some(peer), None),
                    None => (self.peers()?.next(), Some(to)),
                }
            }
        };
        for &(at, length) in segments {
            let readable = self.memory.check_readable(at, length);
            readable.map_err(Stop::Fault)?;
        }
        let total = Self::total(segments);
        if let Some(peer) = peer {
            for (at, part) in super::io::clipped(segments, total) {
                let (kernel, memory) = (&mut *self.kernel, &mut *self.memory);
                let peers = kernel.peers.as_mut().map(std::rc::Rc::make_mut);
                let content = &mut peers.ok_or(Errno::ENOTSOCK)?.sent[peer];
                let end = content.size();
                content.write(memory, end, at, part)?;
            }
        }
        if asked.is_some() {
            self.socket_mut(node)?.answers_from = asked;
        }
        number(total)
    }

    /// The parts of a `struct msghdr`: where its address is and how long, its buffers, where it is.
    fn message(&self) -> Result<(Word, u64, Vec<Segment>), Stop> {
        let at = self.args[1];
        let name = self.load_u64(at)?;
        let length = self.load(offset(at, 8), 4)?;
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
        let parts = self.load_u64(offset(at, 16))?;
        let count = self.load_u64(offset(at, 24))?.bits;
        if count > super::io::MOST_PARTS {
            return Err(Errno::EMSGSIZE.into());
        }
        Ok((name, u64::from(length), self.parts(parts, count)?))
    }
}

fn socket(call: &mut Call<'_>) -> Done {
    if !call.has_peers() {
        return no_family(call);
    }
    let (family, how, protocol) = (call.bits(0), call.bits(1) as u32, call.bits(2));
    let family = AddressFamily::ALL
        .into_iter()
        .find(|known| u64::from(known.number()) == family)
        .ok_or(Errno::EAFNOSUPPORT)?;
    if how & !(KIND | flags::NONBLOCK | flags::CLOEXEC) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let (kind, own_protocol) = match how & KIND {
        STREAM => (SocketKind::Stream, 6),
        DATAGRAMS => (SocketKind::Datagrams, 17),
        _ => return Err(Errno::ESOCKTNOSUPPORT.into()),
    };
    if protocol != 0 && (family == AddressFamily::Local || protocol != own_protocol) {
        return Err(Errno::EPROTONOSUPPORT.into());
    }
    let fd = call.free_fd()?;
    call.open_socket(fd, Socket::new(family, kind), how);
    number(u64::from(fd))
}

fn bind(call: &mut Call<'_>) -> Done {
    let (node, socket) = call.socket(call.fd(0))?;
    let (family, bound) = (socket.family, socket.local.is_some());
    let address = call.load_address(call.args[1], call.bits(2), family)?;
    if bound {
        return Err(Errno::EINVAL.into());
    }
    match family {
        AddressFamily::Local => {
            let path = &address[2..];
            if path.first().is_some_and(|byte| *byte != 0) {
                let end = path.iter().position(|byte| *byte == 0);
                let path = path[..end.unwrap_or(path.len())].to_vec();
                call.name_socket(&path)?;
            }
        }
        AddressFamily::Internet4 | AddressFamily::Internet6 => {
            if address[2..4] == [0, 0] {
                call.socket_mut(node)?.local = Some(address);
                call.choose_port(node)?;
                return done();
            }
            if call.port_is_taken(node, &address) {
                return Err(Errno::EADDRINUSE.into());
            }
        }
    }
    call.socket_mut(node)?.local = Some(address);
    done()
}

impl Call<'_> {
    /// Makes the file that is the name of a local socket.
    fn name_socket(&mut self, path: &[u8]) -> Result<(), Stop> {
        let (directory, name) = match self.new_name(AT_FDCWD, path, false) {
            Err(Stop::Errno(Errno::EEXIST)) => return Err(Errno::EADDRINUSE.into()),
            result => result?,
        };
        self.may_create(directory)?;
        let process = &self.kernel.process;
        let body = Body::Socket(Socket::new(AddressFamily::Local, SocketKind::Stream));
        let permissions = 0o777 & !process.umask;
        let node = Node::new(body, permissions, process.identity, self.kernel.now());
        self.create(directory, &name, node);
        Ok(())
    }
}

fn connect(call: &mut Call<'_>) -> Done {
    let fd = call.fd(0);
    let (node, socket) = call.socket(fd)?;
    let (family, kind, role) = (socket.family, socket.kind, socket.role);
    let unbound = socket.local.is_none();
    let address = call.load_address(call.args[1], call.bits(2), family)?;
    if kind == SocketKind::Datagrams {
        call.socket_mut(node)?.remote = Some(address);
        if unbound {
            call.choose_port(node)?;
        }
        return done();
    }
    match role {
        SocketRole::Free => {}
        SocketRole::Listening | SocketRole::Connected { .. } => return Err(Errno::EISCONN.into()),
    }
    let Some(peer) = call.peers()?.next() else {
        return Err(Errno::ECONNREFUSED.into());
    };
    let waits = !call.opened(fd)?.nonblocking() || family == AddressFamily::Local;
    call.peers_mut()?.meet();
    let socket = call.socket_mut(node)?;
    socket.role = SocketRole::Connected { peer, read: 0 };
    socket.remote = Some(address);
    if unbound {
        call.choose_port(node)?;
    }
    if waits {
        done()
    } else {
        Err(Errno::EINPROGRESS.into())
    }
}

fn listen(call: &mut Call<'_>) -> Done {
    let (node, socket) = call.socket(call.fd(0))?;
    if socket.kind == SocketKind::Datagrams {
        return Err(Errno::EOPNOTSUPP.into());
    }
    let unbound = socket.local.is_none();
    match (socket.role, socket.family) {
        (SocketRole::Connected { .. }, _) => return Err(Errno::EINVAL.into()),
        (_, AddressFamily::Local) if unbound => return Err(Errno::EINVAL.into()),
        (SocketRole::Free | SocketRole::Listening, _) => {}
    }
    if unbound {
        call.choose_port(node)?;
    }
    call.socket_mut(node)?.role = SocketRole::Listening;
    done()
}

fn accept(call: &mut Call<'_>) -> Done {
    call.accept_peer(0)
}

fn accept4(call: &mut Call<'_>) -> Done {
    let how = call.bits(3) as u32;
    if how & !(flags::NONBLOCK | flags::CLOEXEC) != 0 {
        return Err(Errno::EINVAL.into());
    }
    call.accept_peer(how)
}

impl Call<'_> {
    fn accept_peer(&mut self, how: u32) -> Done {
        let (at, length_at) = (self.args[1], self.args[2]);
        let fd = self.fd(0);
        let (_, socket) = self.socket(fd)?;
        if socket.kind == SocketKind::Datagrams {
            return Err(Errno::EOPNOTSUPP.into());
        }
        if socket.role != SocketRole::Listening {
            return Err(Errno::EINVAL.into());
        }
        let (family, local) = (socket.family, socket.local.clone());
        let Some(peer) = self.peers()?.next() else {
            if self.opened(fd)?.nonblocking() {
                return Err(Errno::EAGAIN.into());
            }
            return Err(self.wait_for_nobody());
        };
        let accepted = self.free_fd()?;
        let room = self.address_room(at, length_at)?;
        let remote = self.peers()?.address(peer, family);
        self.store_address(at, length_at, room, &remote)?;
        self.peers_mut()?.meet();
        let socket = Socket {
            role: SocketRole::Connected { peer, read: 0 },
            local,
            remote: Some(remote),
            ..Socket::new(family, SocketKind::Stream)
        };
        self.open_socket(accepted, socket, how);
        number(u64::from(accepted))
    }
}

fn sendto(call: &mut Call<'_>) -> Done {
    let (fd, buffer, how) = (call.fd(0), (call.args[1], call.bits(2)), call.bits(3));
    let (_, socket) = call.socket(fd)?;
    let (at, family) = (call.args[4], socket.family);
    // A stream goes to its peer, whatever is said.
    let to = match socket.kind {
        SocketKind::Datagrams if at.bits != 0 => {
            Some(call.load_address(at, call.bits(5), family)?)
        }
        SocketKind::Datagrams | SocketKind::Stream => None,
    };
    call.transmit(fd, &[buffer], to, how)
}

fn sendmsg(call: &mut Call<'_>) -> Done {
    let (_, socket) = call.socket(call.fd(0))?;
    let (kind, family) = (socket.kind, socket.family);
    let (name, length, segments) = call.message()?;
    let to = match kind {
        SocketKind::Datagrams if name.bits != 0 => Some(call.load_address(name, length, family)?),
        SocketKind::Datagrams | SocketKind::Stream => None,
    };
    call.transmit(call.fd(0), &segments, to, call.bits(2))
}

/// What a call of receiving returns: how long a datagram was, if that is asked for.
fn received(kind: SocketKind, got: &Received, how: u64) -> Done {
    number(match kind {
        SocketKind::Datagrams if how & MSG_TRUNC != 0 => got.whole,
        SocketKind::Datagrams | SocketKind::Stream => got.stored,
    })
}

fn recvfrom(call: &mut Call<'_>) -> Done {
    let (fd, buffer, how) = (call.fd(0), (call.args[1], call.bits(2)), call.bits(3));
    let (at, length_at) = (call.args[4], call.args[5]);
    call.socket(fd)?;
    let room = call.address_room(at, length_at)?;
    let kind = call.socket(fd)?.1.kind;
    let got = call.receive(fd, &[buffer], how)?;
    call.store_address(at, length_at, room, &got.from)?;
    received(kind, &got, how)
}

fn recvmsg(call: &mut Call<'_>) -> Done {
    let (fd, at, how) = (call.fd(0), call.args[1], call.bits(2));
    let kind = call.socket(fd)?.1.kind;
    let (name, length, segments) = call.message()?;
    call.check_write(at, 56)?;
    if name.bits != 0 {
        call.check_write(name, length.min(MOST_ADDRESS))?;
    }
    let got = call.receive(fd, &segments, how)?;
    let stored = got.from.len().min(length as usize);
    if name.bits != 0 {
        call.store(name, &got.from[..stored])?;
    }
    call.store(offset(at, 8), &(got.from.len() as u32).to_le_bytes())?;
    // There is nothing beside the bytes.
    call.store(offset(at, 40), &0u64.to_le_bytes())?;
    let cut = kind == SocketKind::Datagrams && got.whole > got.stored;
    let flags = if cut { MSG_TRUNC as u32 } else { 0 };
    call.store(offset(at, 48), &flags.to_le_bytes())?;
    received(kind, &got, how)
}

fn shutdown(call: &mut Call<'_>) -> Done {
    let (node, socket) = call.socket(call.fd(0))?;
    let how = call.bits(1);
    if how > 2 {
        return Err(Errno::EINVAL.into());
    }
    match (socket.kind, socket.role) {
        (_, SocketRole::Connected { .. }) => {}
        (SocketKind::Datagrams, SocketRole::Free) if socket.remote.is_some() => {}
        (_, SocketRole::Free) => return Err(Errno::ENOTCONN.into()),
        // Nobody can connect any more.
        (_, SocketRole::Listening) => {
            call.socket_mut(node)?.role = SocketRole::Free;
            return done();
        }
    }
    let socket = call.socket_mut(node)?;
    socket.stopped_reading |= how != 1;
    socket.stopped_writing |= how != 0;
    done()
}

fn getsockname(call: &mut Call<'_>) -> Done {
    let (_, socket) = call.socket(call.fd(0))?;
    let (family, chosen) = (socket.family, socket.chosen_port);
    let address = socket.local.clone();
    let address = address.unwrap_or_else(|| family.address(false, 0));
    call.give_address(&address)?;
    if chosen {
        call.kernel.process_mut().varied = true;
    }
    done()
}

fn getpeername(call: &mut Call<'_>) -> Done {
    let (_, socket) = call.socket(call.fd(0))?;
    let connected = matches!(socket.role, SocketRole::Connected { .. });
    let known = connected || socket.kind == SocketKind::Datagrams;
    let address = socket.remote.clone().filter(|_| known);
    let address = address.ok_or(Errno::ENOTCONN)?;
    call.give_address(&address)?;
    done()
}

impl Call<'_> {
    /// Puts an address where arguments 1 and 2 say.
    fn give_address(&mut self, address: &[u8]) -> Result<(), Stop> {
        let (at, length_at) = (self.args[1], self.args[2]);
        let room = self.address_room(at, length_at)?;
        self.store_address(at, length_at, room, address)
    }
}

fn setsockopt(call: &mut Call<'_>) -> Done {
    let (node, _) = call.socket(call.fd(0))?;
    let (level, option, length) = (call.bits(1) as u32, call.bits(2) as u32, call.bits(4));
    if (length as i32) < 0 {
        return Err(Errno::EINVAL.into());
    }
    if level == SOL_SOCKET && length < 4 {
        return Err(Errno::EINVAL.into());
    }
    let value = call.load(call.args[3], length.min(MOST_OPTION))?;
    let socket = call.socket_mut(node)?;
    socket.options.insert((level, option), value);
    done()
}

fn getsockopt(call: &mut Call<'_>) -> Done {
    let (_, socket) = call.socket(call.fd(0))?;
    let (level, option) = (call.bits(1) as u32, call.bits(2) as u32);
    let own = match (level, option) {
        (SOL_SOCKET, SO_ERROR) => Some(0),
        (SOL_SOCKET, SO_TYPE) => Some(match socket.kind {
            SocketKind::Stream => STREAM,
            SocketKind::Datagrams => DATAGRAMS,
        }),
        (SOL_SOCKET, SO_ACCEPTCONN) => Some(u32::from(socket.role == SocketRole::Listening)),
        (SOL_SOCKET, SO_DOMAIN) => Some(u32::from(socket.family.number())),
        (SOL_SOCKET, SO_PROTOCOL) => Some(match (socket.family, socket.kind) {
            (AddressFamily::Local, _) => 0,
            (_, SocketKind::Stream) => 6,
            (_, SocketKind::Datagrams) => 17,
        }),
        _ => None,
    };
    let value = match own {
        Some(number) => number.to_le_bytes().to_vec(),
        // What was never set is off.
        None => match socket.options.get(&(level, option)) {
            Some(value) => value.clone(),
            None => vec![0; 4],
        },
    };
    let (at, length_at) = (call.args[3], call.args[4]);
    call.check_write(length_at, 4)?;
    let room = call.load(length_at, 4)?;
    let room = i32::from_le_bytes([room[0], room[1], room[2], room[3]]);
    let room = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
    let stored = value.len().min(room);
    call.check_write(at, stored as u64)?;
    call.store(at, &value[..stored])?;
    call.store(length_at, &(stored as u32).to_le_bytes())?;
    done()
}
