//! System calls on sockets. They fail unless the setup has peers; `files/socket.rs` describes the peers.
//!
//! A peer does not let the program wait: a connection is never refused while peers are left, and all of the
//! peer's bytes have arrived when the connection is accepted. Pairs of sockets are not modelled.

use crate::calls::signals;
mod addresses;
pub(super) mod messages;

use super::{CallFamily, SystemCall, done, number};
use crate::Errno;
use crate::call_table;
use crate::call_table::SOCKETS;
use crate::call_table::Varies::{Decides, Exact};
use crate::files::{
    AddressFamily, Inode, InodeBody, InodeId, OpenFile, Socket, SocketKind, SocketPeers,
    SocketRole, WaitEnding, flags,
};
use crate::reply::{CallResult, NoResult, Reply};
use addresses::{getpeername, getsockname};
use messages::{recvfrom, recvmsg, sendmsg, sendto};

pub(super) const CALLS: CallFamily = &[
    ("socket", "iii", Decides(SOCKETS), socket),
    ("socketpair", "iiip", Decides(SOCKETS), no_family),
    ("bind", "dpi", Exact, bind),
    ("connect", "dpi", Exact, connect),
    ("listen", "di", Exact, listen),
    ("accept", "dpp", Exact, accept),
    ("accept4", "dppi", Exact, accept4),
    ("sendto", "drwipi", Exact, sendto),
    ("recvfrom", "dpwipp", Exact, recvfrom),
    ("sendmsg", "dpi", Exact, sendmsg),
    ("recvmsg", "dpi", Exact, recvmsg),
    ("shutdown", "di", Exact, shutdown),
    ("getsockname", "dpp", Exact, getsockname),
    ("getpeername", "dpp", Exact, getpeername),
    ("setsockopt", "diipi", Exact, setsockopt),
    ("getsockopt", "diipp", Exact, getsockopt),
];

/// The number of the address family of a socket, and flags beside its kind.
const STREAM: u32 = 1;
const DATAGRAMS: u32 = 2;
const KIND: u32 = 0xf;

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

const SIGKILL: u32 = 9;
const SIGTERM: u32 = 15;

fn no_family(_: &mut SystemCall<'_>) -> CallResult {
    Err(Errno::EAFNOSUPPORT.into())
}

fn peers<'c>(call: &'c SystemCall<'_>) -> Result<&'c SocketPeers, Errno> {
    let peers = call.kernel.peers.as_deref();
    peers.ok_or(Errno::ENOTSOCK)
}

fn peers_mut<'c>(call: &'c mut SystemCall<'_>) -> Result<&'c mut SocketPeers, Errno> {
    let peers = call.kernel.peers.as_mut();
    peers.map(std::rc::Rc::make_mut).ok_or(Errno::ENOTSOCK)
}

/// The socket that a descriptor is.
fn socket_of<'c>(call: &'c SystemCall<'_>, fd: u32) -> Result<(InodeId, &'c Socket), Errno> {
    let node = call.opened(fd)?.node;
    match &call.kernel.tree.node(node).body {
        InodeBody::Socket(socket) => Ok((node, socket)),
        _ => Err(Errno::ENOTSOCK),
    }
}

fn socket_mut<'c>(call: &'c mut SystemCall<'_>, node: InodeId) -> Result<&'c mut Socket, Errno> {
    match &mut call.kernel.tree_mut().node_mut(node).body {
        InodeBody::Socket(socket) => Ok(socket),
        _ => Err(Errno::ENOTSOCK),
    }
}

/// Opens a socket under a number that is free.
fn open_socket(call: &mut SystemCall<'_>, fd: u32, socket: Socket, how: u32) {
    let identity = call.kernel.process.identity;
    let mut node = Inode::new(
        InodeBody::Socket(socket),
        0o777,
        identity,
        call.kernel.now(),
    );
    node.links = 0;
    let node = call.kernel.tree_mut().add(node);
    let status = flags::READ_WRITE | how & flags::NONBLOCK;
    let close = how & flags::CLOEXEC != 0;
    call.kernel.install(fd, OpenFile::new(node, status), close);
}

/// Ends a program that waits for a peer after all peers were met: `SIGTERM` first, then `SIGKILL`.
pub(super) fn wait_without_peer(call: &mut SystemCall<'_>) -> NoResult {
    let killed = NoResult::Reply(Reply::Signal(SIGKILL));
    let Ok(peers) = peers_mut(call) else {
        return killed;
    };
    match std::mem::replace(&mut peers.patience, WaitEnding::Asked) {
        // If no handler runs and the signal does not end it, it would go on waiting: it is killed.
        WaitEnding::Waiting => {
            let listens = signals::records(call, SIGTERM);
            match signals::send_to_self(call, SIGTERM, Errno::EINTR.reply()) {
                Ok(value) if listens => NoResult::Reply(Reply::Return(value)),
                Ok(_) => killed,
                Err(stop) => stop,
            }
        }
        WaitEnding::Asked => killed,
    }
}

/// Whether the setup has peers: then a program that waits for ever is ended by a signal.
pub(super) fn has_peers(call: &SystemCall<'_>) -> bool {
    call.kernel.peers.is_some()
}

/// What can be done with a socket now: read it, write it, both ends have ended.
pub(super) fn socket_ready(call: &SystemCall<'_>, socket: &Socket) -> (bool, bool, bool) {
    let more = peers(call).is_ok_and(|peers| peers.next().is_some());
    match (socket.kind, socket.role) {
        (SocketKind::Datagrams, _) => (more || socket.stopped_reading, true, false),
        (SocketKind::Stream, SocketRole::Listening) => (more, false, false),
        (SocketKind::Stream, SocketRole::Free) => (false, true, true),
        // Bytes or their end.
        (SocketKind::Stream, SocketRole::Connected { .. }) => (true, true, socket.stopped_writing),
    }
}

/// Bytes that can be read at once.
pub(super) fn socket_waiting(call: &SystemCall<'_>, socket: &Socket) -> u64 {
    let Ok(peers) = peers(call) else { return 0 };
    match socket.role {
        SocketRole::Connected { read, .. } => peers.size - read,
        SocketRole::Free if socket.kind == SocketKind::Datagrams => {
            peers.next().map_or(0, |_| peers.size)
        }
        SocketRole::Free | SocketRole::Listening => 0,
    }
}

fn socket(call: &mut SystemCall<'_>) -> CallResult {
    if !has_peers(call) {
        return no_family(call);
    }
    call.is_exact();
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
    open_socket(call, fd, Socket::new(family, kind), how);
    number(u64::from(fd))
}

fn bind(call: &mut SystemCall<'_>) -> CallResult {
    let (node, socket) = socket_of(call, call.fd(0))?;
    let (family, bound) = (socket.family, socket.local.is_some());
    let address = addresses::load_address(call, call.args[1], call.bits(2), family)?;
    if bound {
        return Err(Errno::EINVAL.into());
    }
    match family {
        AddressFamily::Local => {
            let path = &address[2..];
            if path.first().is_some_and(|byte| *byte != 0) {
                let end = path.iter().position(|byte| *byte == 0);
                let path = path[..end.unwrap_or(path.len())].to_vec();
                addresses::name_socket(call, &path)?;
            }
        }
        AddressFamily::Internet4 | AddressFamily::Internet6 => {
            if address[2..4] == [0, 0] {
                socket_mut(call, node)?.local = Some(address);
                addresses::choose_port(call, node)?;
                return done();
            }
            if addresses::port_is_taken(call, node, &address) {
                return Err(Errno::EADDRINUSE.into());
            }
        }
    }
    socket_mut(call, node)?.local = Some(address);
    done()
}

fn connect(call: &mut SystemCall<'_>) -> CallResult {
    let fd = call.fd(0);
    let (node, socket) = socket_of(call, fd)?;
    let (family, kind, role) = (socket.family, socket.kind, socket.role);
    let unbound = socket.local.is_none();
    let address = addresses::load_address(call, call.args[1], call.bits(2), family)?;
    if kind == SocketKind::Datagrams {
        socket_mut(call, node)?.remote = Some(address);
        if unbound {
            addresses::choose_port(call, node)?;
        }
        return done();
    }
    match role {
        SocketRole::Free => {}
        SocketRole::Listening | SocketRole::Connected { .. } => return Err(Errno::EISCONN.into()),
    }
    let Some(peer) = peers(call)?.next() else {
        return Err(Errno::ECONNREFUSED.into());
    };
    let waits = !call.opened(fd)?.nonblocking() || family == AddressFamily::Local;
    peers_mut(call)?.meet();
    let socket = socket_mut(call, node)?;
    socket.role = SocketRole::Connected { peer, read: 0 };
    socket.remote = Some(address);
    if unbound {
        addresses::choose_port(call, node)?;
    }
    if waits {
        done()
    } else {
        Err(Errno::EINPROGRESS.into())
    }
}

fn listen(call: &mut SystemCall<'_>) -> CallResult {
    let (node, socket) = socket_of(call, call.fd(0))?;
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
        addresses::choose_port(call, node)?;
    }
    socket_mut(call, node)?.role = SocketRole::Listening;
    done()
}

fn accept(call: &mut SystemCall<'_>) -> CallResult {
    accept_peer(call, 0)
}

fn accept4(call: &mut SystemCall<'_>) -> CallResult {
    let how = call.bits(3) as u32;
    if how & !(flags::NONBLOCK | flags::CLOEXEC) != 0 {
        return Err(Errno::EINVAL.into());
    }
    accept_peer(call, how)
}

fn accept_peer(call: &mut SystemCall<'_>, how: u32) -> CallResult {
    let (at, length_at) = (call.args[1], call.args[2]);
    let fd = call.fd(0);
    let (_, socket) = socket_of(call, fd)?;
    if socket.kind == SocketKind::Datagrams {
        return Err(Errno::EOPNOTSUPP.into());
    }
    if socket.role != SocketRole::Listening {
        return Err(Errno::EINVAL.into());
    }
    let (family, local) = (socket.family, socket.local.clone());
    let Some(peer) = peers(call)?.next() else {
        if call.opened(fd)?.nonblocking() {
            return Err(Errno::EAGAIN.into());
        }
        return Err(wait_without_peer(call));
    };
    let accepted = call.free_fd()?;
    let room = addresses::address_room(call, at, length_at)?;
    let remote = peers(call)?.address(peer, family);
    addresses::store_address(call, at, length_at, room, &remote)?;
    peers_mut(call)?.meet();
    let socket = Socket {
        role: SocketRole::Connected { peer, read: 0 },
        local,
        remote: Some(remote),
        ..Socket::new(family, SocketKind::Stream)
    };
    open_socket(call, accepted, socket, how);
    number(u64::from(accepted))
}

fn shutdown(call: &mut SystemCall<'_>) -> CallResult {
    let (node, socket) = socket_of(call, call.fd(0))?;
    let how = call.bits(1);
    if how > 2 {
        return Err(Errno::EINVAL.into());
    }
    match (socket.kind, socket.role) {
        (_, SocketRole::Connected { .. }) => {}
        (SocketKind::Datagrams, SocketRole::Free) if socket.remote.is_some() => {}
        (_, SocketRole::Free) => return Err(Errno::ENOTCONN.into()),
        // The socket stops listening: no peer can connect any more.
        (_, SocketRole::Listening) => {
            socket_mut(call, node)?.role = SocketRole::Free;
            return done();
        }
    }
    let socket = socket_mut(call, node)?;
    socket.stopped_reading |= how != 1;
    socket.stopped_writing |= how != 0;
    done()
}

fn setsockopt(call: &mut SystemCall<'_>) -> CallResult {
    let (node, _) = socket_of(call, call.fd(0))?;
    let (level, option, length) = (call.bits(1) as u32, call.bits(2) as u32, call.bits(4));
    if (length as i32) < 0 {
        return Err(Errno::EINVAL.into());
    }
    if level == SOL_SOCKET && length < 4 {
        return Err(Errno::EINVAL.into());
    }
    let value = call.load(call.args[3], length.min(MOST_OPTION))?;
    let socket = socket_mut(call, node)?;
    socket.options.insert((level, option), value);
    done()
}

fn getsockopt(call: &mut SystemCall<'_>) -> CallResult {
    let (_, socket) = socket_of(call, call.fd(0))?;
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
    let told = own.is_some();
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
    if !told {
        call.is_one_of(call_table::MACHINE);
    }
    done()
}
