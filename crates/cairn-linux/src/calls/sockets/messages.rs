//! Sending and receiving.

use super::addresses::MOST_ADDRESS;
use crate::Errno;
use crate::calls::io::{self, BufferRange, SIGPIPE};
use crate::calls::signals;
use crate::calls::sockets;
use crate::calls::sockets::addresses;
use crate::calls::{SystemCall, number, offset};
use crate::files::{AddressFamily, SocketKind, SocketRole};
use crate::reply::{CallResult, NoResult};
use cairn_memory::Word;

/// Flags of sending and receiving.
const MSG_OOB: u64 = 0x1;
const MSG_PEEK: u64 = 0x2;
const MSG_TRUNC: u64 = 0x20;
const MSG_DONTWAIT: u64 = 0x40;
const MSG_NOSIGNAL: u64 = 0x4000;

/// What was received.
struct Received {
    /// Bytes that were stored.
    stored: u64,
    /// Bytes that there were, of a datagram.
    whole: u64,
    /// The sender's address.
    from: Vec<u8>,
}

/// Reads from a socket.
pub(in crate::calls) fn read_socket(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
) -> CallResult {
    number(receive(call, fd, segments, 0)?.stored)
}

fn receive(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
    how: u64,
) -> Result<Received, NoResult> {
    if how & MSG_OOB != 0 {
        return Err(Errno::EINVAL.into());
    }
    let (node, socket) = sockets::socket_of(call, fd)?;
    let waits = how & MSG_DONTWAIT == 0 && !call.opened(fd)?.nonblocking();
    let (kind, role, family) = (socket.kind, socket.role, socket.family);
    let stopped = socket.stopped_reading;
    let remote = socket.remote.as_ref().or(socket.answers_from.as_ref());
    let remote = remote.cloned();
    let peers = sockets::peers(call)?;
    let wanted = SystemCall::total(segments);
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
            None => return Err(sockets::wait_without_peer(call)),
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
    io::check_room(call, segments, stored)?;
    let mut done = 0;
    for (at, part) in io::clipped(segments, stored) {
        let copied = call
            .memory
            .copy(at, offset(object, from + done), part, true);
        copied.map_err(|_| Errno::ENOMEM)?;
        done += part;
    }
    if how & MSG_PEEK == 0 {
        match kind {
            SocketKind::Stream => {
                let read = from + stored;
                sockets::socket_mut(call, node)?.role = SocketRole::Connected { peer, read };
            }
            SocketKind::Datagrams => sockets::peers_mut(call)?.meet(),
        }
    }
    Ok(Received {
        stored,
        whole,
        from: sender,
    })
}

/// Writes to a socket.
pub(in crate::calls) fn write_socket(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
) -> CallResult {
    transmit(call, fd, segments, None, 0)
}

fn transmit(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
    to: Option<Vec<u8>>,
    how: u64,
) -> CallResult {
    let (node, socket) = sockets::socket_of(call, fd)?;
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
        return signals::send_to_self(call, SIGPIPE, Errno::EPIPE.reply());
    }
    // A datagram to a peer that is not known yet: that peer is the next to answer.
    let (peer, asked) = match (socket.kind, socket.role) {
        (SocketKind::Stream, SocketRole::Connected { peer, .. }) => (Some(peer), None),
        (SocketKind::Stream, _) => (None, None),
        (SocketKind::Datagrams, _) => {
            let to = to.or_else(|| socket.remote.clone());
            let to = to.ok_or(Errno::EDESTADDRREQ)?;
            match sockets::peers(call)?.owner(&to, family) {
                Some(peer) => (Some(peer), None),
                None => (sockets::peers(call)?.next(), Some(to)),
            }
        }
    };
    for &(at, length) in segments {
        let readable = call.memory.check_readable(at, length);
        readable.map_err(NoResult::Fault)?;
    }
    let total = SystemCall::total(segments);
    if let Some(peer) = peer {
        for (at, part) in io::clipped(segments, total) {
            let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
            let peers = kernel.peers.as_mut().map(std::rc::Rc::make_mut);
            let content = &mut peers.ok_or(Errno::ENOTSOCK)?.sent[peer];
            let end = content.size();
            content.write(memory, end, at, part)?;
        }
    }
    if asked.is_some() {
        sockets::socket_mut(call, node)?.answers_from = asked;
    }
    number(total)
}

/// The parts of a `struct msghdr`: where its address is and how long, its buffers, where it is.
fn message(call: &SystemCall<'_>) -> Result<(Word, u64, Vec<BufferRange>), NoResult> {
    let at = call.args[1];
    let name = call.load_pointer(at)?;
    let length = call.load(offset(at, 8), 4)?;
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
    let parts = call.load_pointer(offset(at, 16))?;
    let count = call.load_number(offset(at, 24), None)?.bits;
    if count > io::MOST_PARTS {
        return Err(Errno::EMSGSIZE.into());
    }
    Ok((
        name,
        u64::from(length),
        io::parts(call, parts, count, None)?,
    ))
}

pub(super) fn sendto(call: &mut SystemCall<'_>) -> CallResult {
    let (fd, buffer, how) = (call.fd(0), (call.args[1], call.bits(2)), call.bits(3));
    let (_, socket) = sockets::socket_of(call, fd)?;
    let (at, family) = (call.args[4], socket.family);
    // A stream goes to its peer, whatever is said.
    let to = match socket.kind {
        SocketKind::Datagrams if at.bits != 0 => {
            Some(addresses::load_address(call, at, call.bits(5), family)?)
        }
        SocketKind::Datagrams | SocketKind::Stream => None,
    };
    transmit(call, fd, &[buffer], to, how)
}

pub(super) fn sendmsg(call: &mut SystemCall<'_>) -> CallResult {
    let (_, socket) = sockets::socket_of(call, call.fd(0))?;
    let (kind, family) = (socket.kind, socket.family);
    let (name, length, segments) = message(call)?;
    let to = match kind {
        SocketKind::Datagrams if name.bits != 0 => {
            Some(addresses::load_address(call, name, length, family)?)
        }
        SocketKind::Datagrams | SocketKind::Stream => None,
    };
    transmit(call, call.fd(0), &segments, to, call.bits(2))
}

/// What a call of receiving returns: how long a datagram was, if that is asked for.
fn received(kind: SocketKind, got: &Received, how: u64) -> CallResult {
    number(match kind {
        SocketKind::Datagrams if how & MSG_TRUNC != 0 => got.whole,
        SocketKind::Datagrams | SocketKind::Stream => got.stored,
    })
}

pub(super) fn recvfrom(call: &mut SystemCall<'_>) -> CallResult {
    let (fd, buffer, how) = (call.fd(0), (call.args[1], call.bits(2)), call.bits(3));
    let (at, length_at) = (call.args[4], call.args[5]);
    sockets::socket_of(call, fd)?;
    let room = addresses::address_room(call, at, length_at)?;
    let kind = sockets::socket_of(call, fd)?.1.kind;
    let got = receive(call, fd, &[buffer], how)?;
    addresses::store_address(call, at, length_at, room, &got.from)?;
    received(kind, &got, how)
}

pub(super) fn recvmsg(call: &mut SystemCall<'_>) -> CallResult {
    let (fd, at, how) = (call.fd(0), call.args[1], call.bits(2));
    let kind = sockets::socket_of(call, fd)?.1.kind;
    let (name, length, segments) = message(call)?;
    call.check_write(at, 56)?;
    if name.bits != 0 {
        call.check_write(name, length.min(MOST_ADDRESS))?;
    }
    let got = receive(call, fd, &segments, how)?;
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
