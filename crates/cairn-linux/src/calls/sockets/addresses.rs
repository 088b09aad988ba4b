//! Addresses of sockets: reading and writing them, ports and names that the system gives.

use super::{SO_REUSEADDR, SO_REUSEPORT, SOL_SOCKET};
use crate::Errno;
use crate::call_table;
use crate::calls::links;
use crate::calls::open;
use crate::calls::sockets;
use crate::calls::{AT_FDCWD, SystemCall, done};
use crate::files::{AddressFamily, Inode, InodeBody, InodeId, Socket, SocketKind, SocketRole};
use crate::reply::{CallResult, NoResult};
use cairn_memory::Word;

/// Bytes of an address at most.
pub(super) const MOST_ADDRESS: u64 = 128;

/// Bytes of a local address at most.
const MOST_LOCAL: usize = 110;

/// The first port that the system chooses.
const CHOSEN_PORTS: u16 = 32768;

/// An address of the program's, of the family of a socket.
pub(super) fn load_address(
    call: &SystemCall<'_>,
    at: Word,
    length: u64,
    family: AddressFamily,
) -> Result<Vec<u8>, NoResult> {
    if (length as i32) < 0 || length > MOST_ADDRESS {
        return Err(Errno::EINVAL.into());
    }
    let mut bytes = call.load(at, length)?;
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
pub(super) fn address_room(
    call: &SystemCall<'_>,
    at: Word,
    length_at: Word,
) -> Result<Option<u64>, NoResult> {
    if at.bits == 0 {
        return Ok(None);
    }
    call.check_write(length_at, 4)?;
    let room = call.load(length_at, 4)?;
    let room = i32::from_le_bytes([room[0], room[1], room[2], room[3]]);
    let room = u64::try_from(room).map_err(|_| Errno::EINVAL)?;
    call.check_write(at, room.min(MOST_ADDRESS))?;
    Ok(Some(room))
}

pub(super) fn store_address(
    call: &mut SystemCall<'_>,
    at: Word,
    length_at: Word,
    room: Option<u64>,
    address: &[u8],
) -> Result<(), NoResult> {
    let Some(room) = room else { return Ok(()) };
    call.is_one_of(call_table::ADDRESSES);
    let stored = address.len().min(room as usize);
    call.store(at, &address[..stored])?;
    call.store(length_at, &(address.len() as u32).to_le_bytes())
}

/// A port that the system chooses.
pub(super) fn choose_port(call: &mut SystemCall<'_>, node: InodeId) -> Result<(), Errno> {
    let port = CHOSEN_PORTS + (node % 16384) as u16;
    let socket = sockets::socket_mut(call, node)?;
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
pub(super) fn port_is_taken(call: &SystemCall<'_>, node: InodeId, address: &[u8]) -> bool {
    let shares = |socket: &Socket| {
        [SO_REUSEADDR, SO_REUSEPORT].iter().any(|option| {
            let value = socket.options.get(&(SOL_SOCKET, *option));
            value.is_some_and(|value| value.iter().any(|byte| *byte != 0))
        })
    };
    let own = match &call.kernel.tree.node(node).body {
        InodeBody::Socket(socket) => socket,
        _ => return false,
    };
    let descriptors = &call.kernel.descriptors;
    descriptors.numbers().any(|number| {
        let Ok((other, socket)) = sockets::socket_of(call, number) else {
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

/// Makes the file that is the name of a local socket.
pub(super) fn name_socket(call: &mut SystemCall<'_>, path: &[u8]) -> Result<(), NoResult> {
    let (directory, name) = match links::new_name(call, AT_FDCWD, path, false) {
        Err(NoResult::Errno(Errno::EEXIST)) => return Err(Errno::EADDRINUSE.into()),
        result => result?,
    };
    links::may_create(call, directory)?;
    let process = &call.kernel.process;
    let body = InodeBody::Socket(Socket::new(AddressFamily::Local, SocketKind::Stream));
    let permissions = 0o777 & !process.umask;
    let node = Inode::new(body, permissions, process.identity, call.kernel.now());
    open::create_file(call, directory, &name, node);
    Ok(())
}

/// Puts an address where arguments 1 and 2 say.
pub(super) fn give_address(call: &mut SystemCall<'_>, address: &[u8]) -> Result<(), NoResult> {
    let (at, length_at) = (call.args[1], call.args[2]);
    let room = address_room(call, at, length_at)?;
    store_address(call, at, length_at, room, address)
}

pub(super) fn getsockname(call: &mut SystemCall<'_>) -> CallResult {
    let (_, socket) = sockets::socket_of(call, call.fd(0))?;
    let (family, chosen) = (socket.family, socket.chosen_port);
    let address = socket.local.clone();
    let address = address.unwrap_or_else(|| family.address(false, 0));
    give_address(call, &address)?;
    if chosen {
        call.kernel.process_mut().output_incomparable = true;
    } else {
        call.is_exact();
    }
    done()
}

pub(super) fn getpeername(call: &mut SystemCall<'_>) -> CallResult {
    let (_, socket) = sockets::socket_of(call, call.fd(0))?;
    let connected = matches!(socket.role, SocketRole::Connected { .. });
    let known = connected || socket.kind == SocketKind::Datagrams;
    let address = socket.remote.clone().filter(|_| known);
    let address = address.ok_or(Errno::ENOTCONN)?;
    give_address(call, &address)?;
    done()
}
