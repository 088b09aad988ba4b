//! Descriptors: sharing them, asking about them, and reading folders.

use super::{CallFamily, SystemCall, done, number};
use crate::call_table::Varies::{Decides, Exact, Tells};
use crate::call_table::{METADATA, TERMINAL};
use crate::calls::open;
use crate::calls::sockets;
use crate::files::{FileTree, InodeBody, InodeId, Pipe, flags};
use crate::reply::CallResult;
use crate::{Errno, call_table};
use cairn_memory::Word;
use std::ops::RangeInclusive;

pub(super) const CALLS: CallFamily = &[
    ("dup", "d", Exact, dup),
    ("dup2", "dn", Exact, dup2),
    ("dup3", "dni", Exact, dup3),
    ("fcntl", "diw", Exact, fcntl),
    ("ioctl", "dip", Decides(TERMINAL), ioctl),
    ("flock", "di", Exact, flock),
    ("fsync", "d", Exact, sync_one),
    ("fdatasync", "d", Exact, sync_one),
    ("syncfs", "d", Exact, sync_one),
    ("sync", "", Exact, sync_all),
    ("fadvise64", "dwwi", Exact, advise),
    ("getdents64", "dpi", Tells(METADATA), getdents64),
];

/// Flags that `F_SETFL` changes.
const CHANGEABLE: u32 =
    flags::APPEND | flags::NONBLOCK | flags::ASYNC | flags::DIRECT | flags::NOATIME;

fn share(call: &mut SystemCall<'_>, old: u32, new: u32, close_on_exec: bool) -> CallResult {
    call.kernel
        .descriptors_mut()
        .share(old, new, close_on_exec)?;
    number(u64::from(new))
}

fn share_as(call: &mut SystemCall<'_>, old: u32, new: u32, close_on_exec: bool) -> CallResult {
    call.kernel.descriptors.get(old)?;
    if u64::from(new) >= call.kernel.process.descriptor_limit() {
        call.is_one_of(call_table::LIMITS);
        return Err(Errno::EBADF.into());
    }
    if call.kernel.descriptors.get(new).is_ok() {
        open::close_fd(call, new)?;
    }
    share(call, old, new, close_on_exec)
}

fn is_terminal(call: &SystemCall<'_>, node: InodeId) -> bool {
    match &call.kernel.tree.node(node).body {
        InodeBody::Pipe(Pipe { terminal, .. }) | InodeBody::Output { terminal, .. } => *terminal,
        InodeBody::File(_)
        | InodeBody::Directory(_)
        | InodeBody::Link(_)
        | InodeBody::Device(_)
        | InodeBody::DescriptorLink(_)
        | InodeBody::Socket(_) => false,
    }
}

fn dup(call: &mut SystemCall<'_>) -> CallResult {
    let old = call.fd(0);
    call.kernel.descriptors.get(old)?;
    let new = call.free_fd()?;
    share(call, old, new, false)
}

fn dup2(call: &mut SystemCall<'_>) -> CallResult {
    let (old, new) = (call.fd(0), call.fd(1));
    if old == new {
        call.kernel.descriptors.get(old)?;
        return number(u64::from(new));
    }
    share_as(call, old, new, false)
}

fn dup3(call: &mut SystemCall<'_>) -> CallResult {
    let (old, new, how) = (call.fd(0), call.fd(1), call.bits(2) as u32);
    if how & !flags::CLOEXEC != 0 || old == new {
        return Err(Errno::EINVAL.into());
    }
    share_as(call, old, new, how & flags::CLOEXEC != 0)
}

fn fcntl(call: &mut SystemCall<'_>) -> CallResult {
    const DUPFD: u32 = 0;
    const GETFD: u32 = 1;
    const SETFD: u32 = 2;
    const GETFL: u32 = 3;
    const SETFL: u32 = 4;
    const GETLK: u32 = 5;
    const SETLK: u32 = 6;
    const SETLKW: u32 = 7;
    const SETOWN: u32 = 8;
    const GETOWN: u32 = 9;
    const OFD_SETLK: u32 = 37;
    const OFD_SETLKW: u32 = 38;
    const DUPFD_CLOEXEC: u32 = 1030;
    const GETPIPE_SIZE: u32 = 1032;
    const UNLOCKED: [u8; 2] = [2, 0];
    /// Those that Linux has.
    const COMMANDS: [RangeInclusive<u32>; 2] = [0..=41, 1024..=1045];
    let (fd, command, argument) = (call.fd(0), call.bits(1) as u32, call.bits(2));
    let open = call.kernel.descriptors.get(fd)?;
    let path_only_may = [DUPFD, DUPFD_CLOEXEC, GETFD, SETFD, GETFL];
    if open.path_only() && !path_only_may.contains(&command) {
        return Err(Errno::EBADF.into());
    }
    match command {
        DUPFD | DUPFD_CLOEXEC => {
            let limit = call.kernel.process.descriptor_limit();
            let from = argument as u32;
            if u64::from(from) >= limit {
                call.is_one_of(call_table::LIMITS);
                return Err(Errno::EINVAL.into());
            }
            let new = call.kernel.descriptors.free_number(from, limit)?;
            share(call, fd, new, command == DUPFD_CLOEXEC)
        }
        GETFD => number(u64::from(call.kernel.descriptors.close_on_exec(fd)?)),
        SETFD => {
            let close = argument & 1 != 0;
            call.kernel.descriptors_mut().set_close_on_exec(fd, close)?;
            done()
        }
        GETFL => number(u64::from(open.flags)),
        SETFL => {
            if argument as u32 & flags::DIRECT != 0 {
                call.is_one_of(call_table::FILE_SYSTEM);
            }
            let open = call.kernel.descriptors_mut().get_mut(fd)?;
            open.flags = open.flags & !CHANGEABLE | argument as u32 & CHANGEABLE;
            done()
        }
        GETLK => {
            // No other process has a lock: the type becomes F_UNLCK.
            let at = call.args[2];
            call.load(at, 32)?;
            call.check_write(at, 32)?;
            call.store(at, &2u16.to_le_bytes())?;
            call.is_one_of(call_table::LOCKS);
            done()
        }
        SETLK | SETLKW | OFD_SETLK | OFD_SETLKW => {
            let lock = call.load(call.args[2], 32)?;
            let (readable, writable) = (open.readable(), open.writable());
            if lock[..2] != UNLOCKED {
                call.is_one_of(call_table::LOCKS);
            }
            match u16::from_le_bytes([lock[0], lock[1]]) {
                0 if !readable => Err(Errno::EBADF.into()),
                1 if !writable => Err(Errno::EBADF.into()),
                0..=2 => done(),
                _ => Err(Errno::EINVAL.into()),
            }
        }
        SETOWN => {
            call.is_one_of(call_table::IGNORED);
            done()
        }
        GETOWN => number(0),
        GETPIPE_SIZE => match call.kernel.tree.node(open.node).body {
            InodeBody::Pipe(_) | InodeBody::Output { .. } => {
                call.is_one_of(call_table::MACHINE);
                number(super::io::PIPE_BYTES)
            }
            _ => Err(Errno::EBADF.into()),
        },
        _ => {
            if COMMANDS.iter().any(|commands| commands.contains(&command)) {
                call.is_one_of(call_table::MISSING);
            }
            Err(Errno::EINVAL.into())
        }
    }
}

/// What a terminal has: its modes, speeds and special characters, as a fresh one has them.
fn terminal_modes() -> Vec<u8> {
    let mut bytes = Vec::new();
    for flags in [0x4500u32, 0x0005, 0x00bf, 0x8a3b] {
        bytes.extend(flags.to_le_bytes());
    }
    bytes.push(0);
    bytes.extend([
        0x03, 0x1c, 0x7f, 0x15, 0x04, 0x00, 0x01, 0x00, 0x11, 0x13, 0x1a, 0x00, 0x12, 0x0f, 0x17,
        0x16, 0x00, 0x00, 0x00,
    ]);
    bytes
}

/// Whether a command of `ioctl` is for terminals: others fail with `ENOTTY`.
fn asks_terminal(command: u32) -> bool {
    (0x5401..=0x5418).contains(&command)
}

fn ioctl(call: &mut SystemCall<'_>) -> CallResult {
    const TCGETS: u32 = 0x5401;
    const TCSETS: [u32; 3] = [0x5402, 0x5403, 0x5404];
    const TIOCGPGRP: u32 = 0x540f;
    const TIOCSPGRP: u32 = 0x5410;
    const TIOCGWINSZ: u32 = 0x5413;
    const FIONREAD: u32 = 0x541b;
    const FIONBIO: u32 = 0x5421;
    const FIONCLEX: u32 = 0x5450;
    const FIOCLEX: u32 = 0x5451;
    let (fd, command, at) = (call.fd(0), call.bits(1) as u32, call.args[2]);
    match command {
        FIONREAD | FIONBIO | FIONCLEX | FIOCLEX => call.is_exact(),
        _ if asks_terminal(command) => {}
        _ => call.is_one_of(call_table::MISSING),
    }
    let open = call.opened(fd)?.clone();
    match command {
        FIOCLEX | FIONCLEX => {
            let close = command == FIOCLEX;
            call.kernel.descriptors_mut().set_close_on_exec(fd, close)?;
            return done();
        }
        FIONBIO => {
            let on = call.load(at, 4)?.iter().any(|&byte| byte != 0);
            let open = call.kernel.descriptors_mut().get_mut(fd)?;
            open.flags &= !flags::NONBLOCK;
            if on {
                open.flags |= flags::NONBLOCK;
            }
            return done();
        }
        FIONREAD => {
            let waiting = match &call.kernel.tree.node(open.node).body {
                InodeBody::File(content) => content.size().wrapping_sub(open.offset),
                InodeBody::Pipe(pipe) => pipe.content.size() - pipe.start,
                InodeBody::Output { .. } => 0,
                InodeBody::Socket(socket) => sockets::socket_waiting(call, socket),
                InodeBody::Directory(_)
                | InodeBody::Device(_)
                | InodeBody::Link(_)
                | InodeBody::DescriptorLink(_) => {
                    return Err(Errno::ENOTTY.into());
                }
            };
            call.check_write(at, 4)?;
            call.store(at, &(waiting as u32).to_le_bytes())?;
            return done();
        }
        _ => {}
    }
    if !is_terminal(call, open.node) {
        return Err(Errno::ENOTTY.into());
    }
    let answer = match command {
        TCGETS => terminal_modes(),
        TIOCGWINSZ => [24u16, 80, 0, 0]
            .into_iter()
            .flat_map(u16::to_le_bytes)
            .collect(),
        TIOCGPGRP => call.kernel.process.pid.to_le_bytes().to_vec(),
        _ if TCSETS.contains(&command) => {
            call.load(at, 36)?;
            return done();
        }
        TIOCSPGRP => {
            call.load(at, 4)?;
            return done();
        }
        _ => return Err(Errno::ENOTTY.into()),
    };
    call.check_write(at, answer.len() as u64)?;
    call.store(at, &answer)?;
    done()
}

/// No other process has locks. Those that two openings of the process have on one file, which would
/// exclude each other, are not told apart: every answer says so.
fn flock(call: &mut SystemCall<'_>) -> CallResult {
    const NONBLOCK: u32 = 4;
    const UNLOCK: u32 = 8;
    let how = call.bits(1) as u32 & !NONBLOCK;
    if !matches!(how, 1 | 2 | UNLOCK) {
        return Err(Errno::EINVAL.into());
    }
    let open = call.opened(call.fd(0))?;
    if how != UNLOCK && !open.readable() && !open.writable() {
        return Err(Errno::EBADF.into());
    }
    if how != UNLOCK {
        call.is_one_of(call_table::LOCKS);
    }
    done()
}

fn sync_one(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.opened(call.fd(0))?.node;
    if call.is_stream(node) || matches!(call.kernel.tree.node(node).body, InodeBody::Device(_)) {
        return Err(Errno::EINVAL.into());
    }
    done()
}

fn sync_all(_: &mut SystemCall<'_>) -> CallResult {
    done()
}

fn advise(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.opened(call.fd(0))?.node;
    if call.is_stream(node) {
        return Err(Errno::ESPIPE.into());
    }
    if call.bits(3) > 5 {
        return Err(Errno::EINVAL.into());
    }
    done()
}

fn getdents64(call: &mut SystemCall<'_>) -> CallResult {
    let (fd, at, room) = (call.fd(0), call.args[1], u64::from(call.bits(2) as u32));
    let open = call.opened(fd)?.clone();
    let entry = call.kernel.tree.node(open.node);
    let directory = entry.directory()?;
    if entry.is_dead() {
        return Err(Errno::ENOENT.into());
    }
    let mut names: Vec<(u64, InodeId, &[u8])> =
        vec![(1, open.node, b"."), (2, directory.parent, b"..")];
    let is_device =
        |node: InodeId| matches!(call.kernel.tree.node(node).body, InodeBody::Device(_));
    // The content of the root and of folders with devices depends on the machine.
    let varies = open.node == FileTree::ROOT
        || directory
            .entries
            .values()
            .any(|entry| is_device(entry.node));
    let others = directory.entries.iter();
    names.extend(others.map(|(name, entry)| (entry.number, entry.node, &name[..])));
    names.retain(|name| name.0 > open.offset);
    names.sort_unstable();
    let mut bytes: Vec<u8> = Vec::new();
    let mut last = open.offset;
    for &(place, node, name) in &names {
        let length = (19 + name.len() as u64 + 1).next_multiple_of(8);
        if bytes.len() as u64 + length > room {
            break;
        }
        let start = bytes.len();
        let kind = call.kernel.tree.node(node).kind() >> 12;
        bytes.extend(node.to_le_bytes());
        bytes.extend(place.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.push(kind as u8);
        bytes.extend(name);
        bytes.resize(start + length as usize, 0);
        last = place;
    }
    if bytes.is_empty() && !names.is_empty() {
        return Err(Errno::EINVAL.into());
    }
    call.check_write(at, room)?;
    call.store(at, &bytes)?;
    call.kernel.descriptors_mut().get_mut(fd)?.offset = last;
    if varies && !call.kernel.process.output_incomparable {
        call.kernel.process_mut().output_incomparable = true;
    }
    Ok(Word::int(bytes.len() as u64))
}
