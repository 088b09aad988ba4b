//! What is known of a file.

use super::{AT_EACCESS, AT_EMPTY_PATH, AT_FDCWD, AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW};
use super::{CallFamily, SystemCall, done, number, offset};
use crate::Errno;
use crate::abi::{DEVICE, Fields, STATX, blocks};
use crate::call_table::Varies::{Exact, Tells};
use crate::call_table::{MACHINE, METADATA};
use crate::files::{Identity, InodeBody, InodeId};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: CallFamily = &[
    ("stat", "pp", Tells(METADATA), stat),
    ("lstat", "pp", Tells(METADATA), lstat),
    ("fstat", "dp", Tells(METADATA), fstat),
    ("newfstatat", "fppi", Tells(METADATA), newfstatat),
    ("statx", "fpiip", Tells(METADATA), statx),
    ("access", "pi", Exact, access),
    ("faccessat", "fpi", Exact, faccessat),
    ("faccessat2", "fpii", Exact, faccessat2),
    ("readlink", "ppi", Exact, readlink),
    ("readlinkat", "fppi", Exact, readlinkat),
    ("statfs", "pp", Tells(MACHINE), statfs),
    ("fstatfs", "dp", Tells(MACHINE), fstatfs),
];

fn stat(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(AT_FDCWD, 0, true)?;
    put_stat(call, node, 1)
}

fn lstat(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(AT_FDCWD, 0, false)?;
    put_stat(call, node, 1)
}

fn fstat(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.kernel.descriptors.get(call.fd(0))?.node;
    put_stat(call, node, 1)
}

fn newfstatat(call: &mut SystemCall<'_>) -> CallResult {
    let flags = call.bits(3);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let node = call.lookup_at(call.int(0), 1, flags)?;
    put_stat(call, node, 2)
}

fn statx(call: &mut SystemCall<'_>) -> CallResult {
    const SYNC: u64 = 0x6000;
    let (flags, mask, at) = (call.bits(2), call.bits(3), call.args[4]);
    if mask & 0x8000_0000 != 0 || flags & SYNC == SYNC {
        return Err(Errno::EINVAL.into());
    }
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | SYNC) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let node = call.lookup_at(call.int(0), 1, flags)?;
    call.check_write(at, STATX.bytes)?;
    let entry = call.kernel.tree.node(node);
    let (known, unknown) = (entry.stat(node), entry.stat);
    let mut bytes = STATX.encode(&known);
    // All that `struct stat` has.
    bytes[..4].copy_from_slice(&0x7ffu32.to_le_bytes()[..]);
    for (at, device) in [(128, known.device), (136, DEVICE)] {
        let (major, minor) = ((device >> 8) as u32, (device & 0xff) as u32);
        bytes[at..at + 4].copy_from_slice(&major.to_le_bytes());
        bytes[at + 4..at + 8].copy_from_slice(&minor.to_le_bytes());
    }
    call.store(at, &bytes)?;
    if let Some(from) = unknown {
        let fields = Fields::of(call.kernel.abi);
        for (source, target) in fields.pairs(&STATX) {
            if source == fields.size || source == fields.blocks {
                continue;
            }
            let length = u64::from(source.1.min(target.1));
            let (to, from) = (offset(at, target.0), offset(from, source.0));
            let copied = call.memory.copy(to, from, length, false);
            copied.map_err(NoResult::Fault)?;
        }
    }
    done()
}

/// Writes what is known of a file to where argument `i` points.
fn put_stat(call: &mut SystemCall<'_>, node: InodeId, i: usize) -> CallResult {
    let at = call.args[i];
    let fields = Fields::of(call.kernel.abi);
    call.check_write(at, fields.bytes)?;
    let entry = call.kernel.tree.node(node);
    let known = entry.stat(node);
    match entry.stat {
        None => call.store(at, &fields.encode(&known))?,
        Some(from) => {
            let copied = call.memory.copy(at, from, fields.bytes, false);
            copied.map_err(NoResult::Fault)?;
            // The size is what it is now.
            let size = known.size.to_le_bytes();
            call.store(offset(at, fields.size.0), &size)?;
            let blocks = blocks(known.size).to_le_bytes();
            call.store(offset(at, fields.blocks.0), &blocks)?;
        }
    }
    done()
}

/// Writes a field of a file's `struct stat`, if it is unknown: the program set it.
pub(super) fn set_unknown(
    call: &mut SystemCall<'_>,
    node: InodeId,
    field: impl FnOnce(&Fields) -> (u64, u32),
    value: u64,
) -> Result<(), NoResult> {
    let Some(at) = call.kernel.tree.node(node).stat else {
        return Ok(());
    };
    let (place, bytes) = field(Fields::of(call.kernel.abi));
    call.store(offset(at, place), &value.to_le_bytes()[..bytes as usize])
}

fn may_access(call: &SystemCall<'_>, dirfd: i32, i: usize, want: i32, flags: u64) -> CallResult {
    if want & !7 != 0 {
        return Err(Errno::EINVAL.into());
    }
    let process = &call.kernel.process;
    let identity = if flags & AT_EACCESS != 0 {
        process.identity
    } else {
        process.real
    };
    let node = lookup_as(call, identity, dirfd, i, flags)?;
    let entry = call.kernel.tree.node(node);
    if want & 2 != 0 && entry.read_only {
        return Err(Errno::EROFS.into());
    }
    entry.check(identity, want as u32)?;
    done()
}

fn lookup_as(
    call: &SystemCall<'_>,
    identity: Identity,
    dirfd: i32,
    i: usize,
    flags: u64,
) -> Result<InodeId, NoResult> {
    let path = call.path(i)?;
    if path.is_empty() && flags & AT_EMPTY_PATH == 0 {
        return Err(Errno::ENOENT.into());
    }
    let start = call.start_of(dirfd, &path)?;
    if path.is_empty() {
        return Ok(start);
    }
    let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
    Ok(call.walk_as(identity, |walk| walk.lookup(start, &path, follow))?)
}

fn put_link(call: &mut SystemCall<'_>, dirfd: i32, i: usize) -> CallResult {
    let (at, room) = (call.args[i + 1], call.int(i + 2));
    if room <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let path = call.path(i)?;
    let node = if path.is_empty() {
        let node = call.start_of(dirfd, b"")?;
        if !matches!(call.kernel.tree.node(node).body, InodeBody::Link(_)) {
            return Err(Errno::ENOENT.into());
        }
        node
    } else {
        call.lookup_path(dirfd, &path, false)?
    };
    let target = match &call.kernel.tree.node(node).body {
        InodeBody::Link(target) => target.clone(),
        InodeBody::DescriptorLink(number) => format!("/proc/call/fd/{number}").into_bytes(),
        InodeBody::File(_)
        | InodeBody::Directory(_)
        | InodeBody::Device(_)
        | InodeBody::Pipe(_)
        | InodeBody::Output { .. }
        | InodeBody::Socket(_) => return Err(Errno::EINVAL.into()),
    };
    let length = target.len().min(room as usize);
    call.check_write(at, room as u64)?;
    call.store(at, &target[..length])?;
    number(length as u64)
}

/// `struct statfs`, which is the same on both architectures.
fn put_statfs(call: &mut SystemCall<'_>, at: cairn_memory::Word) -> CallResult {
    // Type, size of a block, blocks, free, available, files, free files, id, longest name,
    // size of a fragment, flags.
    let words: [u64; 12] = [
        0xef53,
        4096,
        1 << 22,
        1 << 21,
        1 << 21,
        1 << 20,
        1 << 19,
        0,
        255,
        4096,
        0x20,
        0,
    ];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(120, 0);
    call.check_write(at, 120)?;
    call.store(at, &bytes)?;
    done()
}

fn access(call: &mut SystemCall<'_>) -> CallResult {
    may_access(call, AT_FDCWD, 0, call.int(1), 0)
}

fn faccessat(call: &mut SystemCall<'_>) -> CallResult {
    may_access(call, call.int(0), 1, call.int(2), 0)
}

fn faccessat2(call: &mut SystemCall<'_>) -> CallResult {
    let flags = call.bits(3);
    if flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    may_access(call, call.int(0), 1, call.int(2), flags)
}

fn readlink(call: &mut SystemCall<'_>) -> CallResult {
    put_link(call, AT_FDCWD, 0)
}

fn readlinkat(call: &mut SystemCall<'_>) -> CallResult {
    put_link(call, call.int(0), 1)
}

fn statfs(call: &mut SystemCall<'_>) -> CallResult {
    call.lookup(AT_FDCWD, 0, true)?;
    put_statfs(call, call.args[1])
}

fn fstatfs(call: &mut SystemCall<'_>) -> CallResult {
    call.kernel.descriptors.get(call.fd(0))?;
    put_statfs(call, call.args[1])
}
