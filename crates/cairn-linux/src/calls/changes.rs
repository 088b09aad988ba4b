//! Changing what is known of a file: size, permissions, owner, times; and the working directory.

use super::{
    AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, CallFamily, SystemCall, done, number, offset,
};
use crate::call_table::Varies::{Decides, Exact, Tells};
use crate::call_table::{FOLDER, KERNELS, MACHINE, MASK};
use crate::calls::io;
use crate::calls::stat;
use crate::files::{InodeBody, InodeId, mode};
use crate::reply::{CallResult, NoResult};
use crate::{Errno, call_table};

pub(super) const CALLS: CallFamily = &[
    ("truncate", "pw", Exact, truncate),
    ("ftruncate", "dw", Exact, ftruncate),
    ("fallocate", "diww", Decides(MACHINE), fallocate),
    ("chmod", "pi", Exact, chmod),
    ("fchmod", "di", Exact, fchmod),
    ("fchmodat", "fpi", Exact, fchmodat),
    ("fchmodat2", "fpii", Decides(KERNELS), fchmodat2),
    ("chown", "pii", Exact, chown),
    ("lchown", "pii", Exact, lchown),
    ("fchown", "dii", Exact, fchown),
    ("fchownat", "fpiii", Exact, fchownat),
    ("utimensat", "fppi", Exact, utimensat),
    ("utime", "pp", Exact, utime),
    ("utimes", "pp", Exact, utimes),
    ("chdir", "p", Exact, chdir),
    ("fchdir", "d", Exact, fchdir),
    ("getcwd", "pw", Tells(FOLDER), getcwd),
    ("umask", "i", Tells(MASK), umask),
];

/// Gives a file another size.
pub(super) fn truncate_node(
    call: &mut SystemCall<'_>,
    node: InodeId,
    size: u64,
) -> Result<(), NoResult> {
    io::check_fits(call, node, size)?;
    let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
    let InodeBody::File(content) = &mut kernel.tree_mut().node_mut(node).body else {
        return Ok(());
    };
    content.set_size(memory, size)?;
    io::drop_privileges(call, node);
    call.kernel.touch(node);
    Ok(())
}

fn size_argument(call: &SystemCall<'_>) -> Result<u64, Errno> {
    u64::try_from(call.bits(1) as i64).map_err(|_| Errno::EINVAL)
}

fn owns(call: &SystemCall<'_>, node: InodeId) -> Result<(), Errno> {
    let user = call.kernel.process.identity.uid;
    if user != 0 && user != call.kernel.tree.node(node).uid {
        return Err(Errno::EPERM);
    }
    Ok(())
}

fn writable_node(call: &SystemCall<'_>, node: InodeId) -> Result<(), Errno> {
    if call.kernel.tree.node(node).read_only {
        return Err(Errno::EROFS);
    }
    Ok(())
}

fn change_mode(call: &mut SystemCall<'_>, node: InodeId, permissions: u32) -> CallResult {
    writable_node(call, node)?;
    if matches!(call.kernel.tree.node(node).body, InodeBody::Link(_)) {
        return Err(Errno::EOPNOTSUPP.into());
    }
    owns(call, node)?;
    let mut permissions = permissions & 0o7777;
    let user = call.kernel.process.identity;
    let entry = call.kernel.tree_mut().node_mut(node);
    if user.uid != 0 && user.gid != entry.gid {
        permissions &= !mode::SET_GROUP;
    }
    entry.permissions = permissions;
    let value = u64::from(entry.kind() | permissions);
    call.kernel.touch_status(node);
    stat::set_unknown(call, node, |fields| fields.mode, value)?;
    done()
}

fn change_owner(call: &mut SystemCall<'_>, node: InodeId, uid: u32, gid: u32) -> CallResult {
    writable_node(call, node)?;
    let user = call.kernel.process.identity;
    let entry = call.kernel.tree.node(node);
    let own = user.uid == entry.uid;
    // The superuser apart, one may give what one owns to oneself and to one's group.
    let uid_allowed = uid == u32::MAX || own && uid == entry.uid;
    let gid_allowed = gid == u32::MAX || own && (gid == entry.gid || gid == user.gid);
    if user.uid != 0 && !(uid_allowed && gid_allowed) {
        return Err(Errno::EPERM.into());
    }
    if uid != u32::MAX || gid != u32::MAX {
        call.is_one_of(call_table::USER);
    }
    let entry = call.kernel.tree.node(node);
    let uid = if uid == u32::MAX { entry.uid } else { uid };
    let gid = if gid == u32::MAX { entry.gid } else { gid };
    let entry = call.kernel.tree_mut().node_mut(node);
    entry.uid = uid;
    entry.gid = gid;
    if !entry.is_directory() {
        let group = entry.permissions & 0o010 != 0;
        let dropped = mode::SET_USER | if group { mode::SET_GROUP } else { 0 };
        entry.permissions &= !dropped;
    }
    let value = u64::from(entry.kind() | entry.permissions);
    call.kernel.touch_status(node);
    stat::set_unknown(call, node, |fields| fields.uid, u64::from(uid))?;
    stat::set_unknown(call, node, |fields| fields.gid, u64::from(gid))?;
    if call.kernel.tree.node(node).permissions & 0o7000 != 0 {
        stat::set_unknown(call, node, |fields| fields.mode, value)?;
    }
    done()
}

/// Sets the times of access and of change: a time, now, or as it is.
fn change_times(call: &mut SystemCall<'_>, node: InodeId, times: [NewTime; 2]) -> CallResult {
    if times.contains(&NewTime::Invalid) {
        return Err(Errno::EINVAL.into());
    }
    writable_node(call, node)?;
    let entry = call.kernel.tree.node(node);
    let user = call.kernel.process.identity;
    let only_now = times.iter().all(|time| *time == NewTime::Now);
    if times.iter().all(|time| *time == NewTime::Keep) {
        return done();
    }
    if user.uid != 0 && user.uid != entry.uid {
        if !only_now {
            return Err(Errno::EPERM.into());
        }
        entry.check(user, 2)?;
    }
    let now = call.kernel.tick();
    for (place, time) in times.into_iter().enumerate() {
        let value = match time {
            NewTime::Keep | NewTime::Invalid => continue,
            NewTime::Now => now,
            NewTime::At(seconds, nanos) => (seconds, nanos),
        };
        call.kernel.tree_mut().node_mut(node).times[place] = value;
        stat::set_unknown(call, node, |fields| fields.times[place].0, value.0 as u64)?;
        stat::set_unknown(
            call,
            node,
            |fields| fields.times[place].1,
            u64::from(value.1),
        )?;
    }
    call.kernel.touch_status(node);
    done()
}

fn change_directory(call: &mut SystemCall<'_>, node: InodeId) -> CallResult {
    let entry = call.kernel.tree.node(node);
    entry.directory()?;
    entry.check(call.kernel.process.identity, 1)?;
    call.kernel.hold(node);
    let before = std::mem::replace(&mut call.kernel.process_mut().cwd, node);
    call.kernel.let_go(call.memory, before);
    done()
}

/// A time that is set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NewTime {
    Keep,
    Now,
    At(i64, u32),
    /// To be refused when the file is known.
    Invalid,
}

fn truncate(call: &mut SystemCall<'_>) -> CallResult {
    let size = size_argument(call)?;
    let node = call.lookup(AT_FDCWD, 0, true)?;
    let entry = call.kernel.tree.node(node);
    match &entry.body {
        InodeBody::File(_) => {}
        InodeBody::Directory(_) => return Err(Errno::EISDIR.into()),
        InodeBody::Link(_)
        | InodeBody::Device(_)
        | InodeBody::Pipe(_)
        | InodeBody::Output { .. }
        | InodeBody::DescriptorLink(_)
        | InodeBody::Socket(_) => return Err(Errno::EINVAL.into()),
    }
    writable_node(call, node)?;
    entry.check(call.kernel.process.identity, 2)?;
    truncate_node(call, node, size)?;
    done()
}

fn ftruncate(call: &mut SystemCall<'_>) -> CallResult {
    let size = size_argument(call)?;
    let open = call.opened(call.fd(0))?.clone();
    let is_file = matches!(call.kernel.tree.node(open.node).body, InodeBody::File(_));
    if !is_file || !open.writable() {
        return Err(Errno::EINVAL.into());
    }
    truncate_node(call, open.node, size)?;
    done()
}

fn fallocate(call: &mut SystemCall<'_>) -> CallResult {
    const KEEP_SIZE: u64 = 1;
    const PUNCH_HOLE: u64 = 2;
    const ZERO_RANGE: u64 = 16;
    let (how, from, length) = (call.bits(1), call.bits(2) as i64, call.bits(3) as i64);
    let open = call.opened(call.fd(0))?.clone();
    if from < 0 || length <= 0 {
        return Err(Errno::EINVAL.into());
    }
    if how & !(KEEP_SIZE | PUNCH_HOLE | ZERO_RANGE) != 0
        || how & PUNCH_HOLE != 0 && how & KEEP_SIZE == 0
        || how & PUNCH_HOLE != 0 && how & ZERO_RANGE != 0
    {
        return Err(Errno::EOPNOTSUPP.into());
    }
    if !open.writable() {
        return Err(Errno::EBADF.into());
    }
    if call.is_stream(open.node) {
        return Err(Errno::ESPIPE.into());
    }
    let (from, length) = (from as u64, length as u64);
    let end = from.checked_add(length).ok_or(Errno::EFBIG)?;
    let size = match &call.kernel.tree.node(open.node).body {
        InodeBody::File(content) => content.size(),
        InodeBody::Directory(_) => return Err(Errno::EISDIR.into()),
        InodeBody::Link(_)
        | InodeBody::Device(_)
        | InodeBody::Pipe(_)
        | InodeBody::Output { .. }
        | InodeBody::DescriptorLink(_)
        | InodeBody::Socket(_) => return Err(Errno::ENODEV.into()),
    };
    if how & KEEP_SIZE == 0 && end > size {
        truncate_node(call, open.node, end)?;
    }
    io::drop_privileges(call, open.node);
    call.kernel.touch(open.node);
    if how & (PUNCH_HOLE | ZERO_RANGE) != 0 && from < size {
        let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
        if let Some(content) = kernel.content_mut(open.node) {
            content.zero(memory, from, end.min(size) - from)?;
        }
    }
    done()
}

fn chmod(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(AT_FDCWD, 0, true)?;
    change_mode(call, node, call.bits(1) as u32)
}

fn fchmod(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.opened(call.fd(0))?.node;
    change_mode(call, node, call.bits(1) as u32)
}

fn fchmodat(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(call.int(0), 1, true)?;
    change_mode(call, node, call.bits(2) as u32)
}

fn fchmodat2(call: &mut SystemCall<'_>) -> CallResult {
    let flags = call.bits(3);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let node = call.lookup_at(call.int(0), 1, flags)?;
    change_mode(call, node, call.bits(2) as u32)
}

fn chown(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(AT_FDCWD, 0, true)?;
    change_owner(call, node, call.bits(1) as u32, call.bits(2) as u32)
}

fn lchown(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(AT_FDCWD, 0, false)?;
    change_owner(call, node, call.bits(1) as u32, call.bits(2) as u32)
}

fn fchown(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.opened(call.fd(0))?.node;
    change_owner(call, node, call.bits(1) as u32, call.bits(2) as u32)
}

fn fchownat(call: &mut SystemCall<'_>) -> CallResult {
    let flags = call.bits(4);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let node = call.lookup_at(call.int(0), 1, flags)?;
    change_owner(call, node, call.bits(2) as u32, call.bits(3) as u32)
}

fn utimensat(call: &mut SystemCall<'_>) -> CallResult {
    const NOW: i64 = 0x3fff_ffff;
    const OMIT: i64 = 0x3fff_fffe;
    let (at, flags) = (call.args[2], call.bits(3));
    let mut times = [NewTime::Now; 2];
    if at.bits != 0 {
        for (place, time) in times.iter_mut().enumerate() {
            let place = 16 * place as u64;
            let seconds = call.load_u64(offset(at, place))?.bits as i64;
            *time = match call.load_u64(offset(at, place + 8))?.bits as i64 {
                NOW => NewTime::Now,
                OMIT => NewTime::Keep,
                nanos @ 0..1_000_000_000 => NewTime::At(seconds, nanos as u32),
                _ => NewTime::Invalid,
            };
        }
        if times == [NewTime::Keep; 2] {
            return done();
        }
    }
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let node = if call.bits(1) == 0 && call.int(0) != AT_FDCWD {
        if flags != 0 {
            return Err(Errno::EINVAL.into());
        }
        call.opened(call.fd(0))?.node
    } else {
        call.lookup_at(call.int(0), 1, flags)?
    };
    change_times(call, node, times)
}

fn utime(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[1];
    let mut times = [NewTime::Now; 2];
    if at.bits != 0 {
        for (place, time) in times.iter_mut().enumerate() {
            let seconds = call.load_u64(offset(at, 8 * place as u64))?.bits;
            *time = NewTime::At(seconds as i64, 0);
        }
    }
    let node = call.lookup(AT_FDCWD, 0, true)?;
    change_times(call, node, times)
}

fn utimes(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[1];
    let mut times = [NewTime::Now; 2];
    if at.bits != 0 {
        for (place, time) in times.iter_mut().enumerate() {
            let place = 16 * place as u64;
            let seconds = call.load_u64(offset(at, place))?.bits as i64;
            *time = match call.load_u64(offset(at, place + 8))?.bits as i64 {
                micros @ 0..1_000_000 => NewTime::At(seconds, 1000 * micros as u32),
                _ => return Err(Errno::EINVAL.into()),
            };
        }
    }
    let node = call.lookup(AT_FDCWD, 0, true)?;
    change_times(call, node, times)
}

fn chdir(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.path(0)?;
    let node = call.lookup_path(AT_FDCWD, &path, true)?;
    change_directory(call, node)
}

fn fchdir(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.kernel.descriptors.get(call.fd(0))?.node;
    change_directory(call, node)
}

fn getcwd(call: &mut SystemCall<'_>) -> CallResult {
    let (at, room) = (call.args[0], call.bits(1));
    let path = call.kernel.tree.path_of(call.kernel.process.cwd);
    let mut path = path.ok_or(Errno::ENOENT)?;
    path.push(0);
    let length = path.len() as u64;
    if length > room {
        return Err(Errno::ERANGE.into());
    }
    call.check_write(at, room)?;
    call.store(at, &path)?;
    number(length)
}

fn umask(call: &mut SystemCall<'_>) -> CallResult {
    let new = call.bits(0) as u32 & 0o777;
    let process = call.kernel.process_mut();
    number(u64::from(std::mem::replace(&mut process.umask, new)))
}
