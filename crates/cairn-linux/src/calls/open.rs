//! Opening and closing.

use super::{AT_FDCWD, CallFamily, SystemCall, done, number};
use crate::call_table::MISSING;
use crate::call_table::Varies::{Decides, Exact};
use crate::calls::changes;
use crate::files::{
    Device, FileContent, Inode, InodeBody, InodeId, LastComponent, OpenFile, flags,
};
use crate::reply::{CallResult, NoResult};
use crate::{Errno, call_table};

pub(super) const CALLS: CallFamily = &[
    ("open", "pii", Exact, open),
    ("openat", "fpii", Exact, openat),
    ("openat2", "----", Decides(MISSING), openat2),
    ("creat", "pi", Exact, creat),
    ("close", "d", Exact, close),
    ("close_range", "iii", Exact, close_range),
];

/// Flags that `open` keeps for `F_GETFL`.
const KEPT: u32 = flags::ACCESS
    | flags::APPEND
    | flags::NONBLOCK
    | flags::ASYNC
    | flags::DIRECT
    | flags::LARGE
    | flags::DIRECTORY
    | flags::NOFOLLOW
    | flags::NOATIME
    | flags::PATH
    | 0o4010000;

fn open(call: &mut SystemCall<'_>) -> CallResult {
    open_at(call, AT_FDCWD, 0, call.bits(1) as u32, call.bits(2) as u32)
}

fn openat(call: &mut SystemCall<'_>) -> CallResult {
    open_at(
        call,
        call.int(0),
        1,
        call.bits(2) as u32,
        call.bits(3) as u32,
    )
}

fn openat2(_: &mut SystemCall<'_>) -> CallResult {
    // As on a kernel without it: programs use openat then.
    Err(Errno::ENOSYS.into())
}

fn creat(call: &mut SystemCall<'_>) -> CallResult {
    let how = flags::CREATE | flags::WRITE_ONLY | flags::TRUNCATE;
    open_at(call, AT_FDCWD, 0, how, call.bits(1) as u32)
}

/// What is to be opened.
enum Target {
    Existing(InodeId),
    New { directory: InodeId, name: Vec<u8> },
}

fn open_at(
    call: &mut SystemCall<'_>,
    dirfd: i32,
    i: usize,
    how: u32,
    permissions: u32,
) -> CallResult {
    let create = how & flags::CREATE != 0;
    let mut how = how;
    // Temporary files have the bit of folders too.
    if how & flags::PATH == 0
        && (how & flags::DIRECT != 0 || how & flags::TMPFILE == flags::TMPFILE)
    {
        call.is_one_of(call_table::FILE_SYSTEM);
    }
    if how & flags::PATH != 0 {
        how &= flags::PATH | flags::DIRECTORY | flags::NOFOLLOW | flags::CLOEXEC;
    } else if how & flags::TMPFILE != 0 {
        return Err(Errno::EOPNOTSUPP.into());
    } else if create && how & flags::DIRECTORY != 0 {
        // Older kernels make the file, and fail.
        call.is_one_of(call_table::KERNELS);
        return Err(Errno::EINVAL.into());
    }
    let path = call.path(i)?;
    if path.is_empty() {
        return Err(Errno::ENOENT.into());
    }
    let fd = call.free_fd()?;
    let start = call.start_of(dirfd, &path)?;
    let target = open_target(call, start, &path, how)?;
    let node = match target {
        Target::New { directory, name } => {
            call.kernel.changes_name(directory);
            let folder = call.kernel.tree.node(directory);
            if folder.read_only {
                return Err(Errno::EROFS.into());
            }
            if folder.is_dead() {
                return Err(Errno::ENOENT.into());
            }
            folder.check(call.kernel.process.identity, 3)?;
            let body = InodeBody::File(FileContent::EMPTY);
            let permissions = permissions & 0o7777 & !call.kernel.process.umask;
            let identity = call.kernel.process.identity;
            let node = Inode::new(body, permissions, identity, call.kernel.now());
            create_file(call, directory, &name, node)
        }
        Target::Existing(node) => {
            let may_open = may_open(call, node, how);
            if let InodeBody::Device(Device::Tty) = call.kernel.tree.node(node).body {
                call.is_one_of(call_table::TERMINAL);
            }
            may_open?;
            if how & flags::TRUNCATE != 0 && how & flags::PATH == 0 {
                changes::truncate_node(call, node, 0)?;
            }
            node
        }
    };
    let mut kept = how & KEPT;
    if how & flags::PATH == 0 {
        kept |= flags::LARGE;
    }
    let close_on_exec = how & flags::CLOEXEC != 0;
    call.kernel
        .install(fd, OpenFile::new(node, kept), close_on_exec);
    number(u64::from(fd))
}

/// Makes a file and gives it a name.
pub(super) fn create_file(
    call: &mut SystemCall<'_>,
    directory: InodeId,
    name: &[u8],
    mut node: Inode,
) -> InodeId {
    let folder = call.kernel.tree.node(directory);
    // In a folder with the set-group bit, files are of its group.
    if folder.permissions & crate::files::mode::SET_GROUP != 0 {
        node.gid = folder.gid;
        if node.is_directory() {
            node.permissions |= crate::files::mode::SET_GROUP;
        }
    }
    let now = call.kernel.now();
    let tree = call.kernel.tree_mut();
    let id = tree.add(node);
    tree.link(directory, name, id, now);
    id
}

fn open_target(
    call: &SystemCall<'_>,
    start: InodeId,
    path: &[u8],
    how: u32,
) -> Result<Target, Errno> {
    let create = how & flags::CREATE != 0;
    let exclusive = create && how & flags::EXCLUSIVE != 0;
    let follow = how & flags::NOFOLLOW == 0 && !exclusive;
    if !create {
        let node = call.walk(|walk| walk.lookup(start, path, follow))?;
        return Ok(Target::Existing(node));
    }
    let (parent, node) = call.walk(|walk| walk.lookup_to_create(start, path, follow))?;
    match (node, parent.last) {
        (Some(_), _) if exclusive => Err(Errno::EEXIST),
        (Some(node), _) if call.kernel.tree.node(node).is_directory() => Err(Errno::EISDIR),
        (Some(node), _) => Ok(Target::Existing(node)),
        (None, LastComponent::Name(name)) => Ok(Target::New {
            directory: parent.directory,
            name,
        }),
        (None, LastComponent::Dot | LastComponent::DotDot | LastComponent::Root) => {
            Err(Errno::ENOENT)
        }
    }
}

/// Whether a file can be opened so.
fn may_open(call: &SystemCall<'_>, node: InodeId, how: u32) -> Result<(), NoResult> {
    let entry = call.kernel.tree.node(node);
    let path_only = how & flags::PATH != 0;
    if how & flags::DIRECTORY != 0 {
        entry.directory()?;
    }
    if path_only {
        return Ok(());
    }
    let mut want = match how & flags::ACCESS {
        0 => 4,
        flags::WRITE_ONLY => 2,
        _ => 6,
    };
    if how & flags::TRUNCATE != 0 {
        want |= 2;
    }
    match &entry.body {
        InodeBody::Link(_) | InodeBody::DescriptorLink(_) => return Err(Errno::ELOOP.into()),
        InodeBody::Socket(_) => return Err(Errno::ENXIO.into()),
        InodeBody::Directory(_) if want & 2 != 0 => return Err(Errno::EISDIR.into()),
        // It waits until the other end is opened.
        InodeBody::Pipe(_) if entry.links > 0 => {
            entry.check(call.kernel.process.identity, want)?;
            return Err(NoResult::unsupported("opening a named pipe"));
        }
        InodeBody::Directory(_)
        | InodeBody::File(_)
        | InodeBody::Device(_)
        | InodeBody::Pipe(_)
        | InodeBody::Output { .. } => {}
    }
    if want & 2 != 0 && entry.read_only {
        return Err(Errno::EROFS.into());
    }
    entry.check(call.kernel.process.identity, want)?;
    if let InodeBody::Device(Device::Tty) = entry.body {
        return Err(Errno::ENXIO.into());
    }
    if how & flags::NOATIME != 0 {
        let user = call.kernel.process.identity.uid;
        if user != 0 && user != entry.uid {
            return Err(Errno::EPERM.into());
        }
    }
    Ok(())
}

/// Closes a descriptor.
pub(super) fn close_fd(call: &mut SystemCall<'_>, fd: u32) -> Result<(), Errno> {
    // To be known before anything is copied to be changed.
    call.kernel.descriptors.get(fd)?;
    if let Some(open) = call.kernel.descriptors_mut().remove(fd)? {
        call.kernel.closed(call.memory, &open);
    }
    Ok(())
}

fn close(call: &mut SystemCall<'_>) -> CallResult {
    close_fd(call, call.fd(0))?;
    done()
}

fn close_range(call: &mut SystemCall<'_>) -> CallResult {
    const UNSHARE: u32 = 2;
    const ONLY_MARK: u32 = 4;
    let (first, last, how) = (call.fd(0), call.fd(1), call.bits(2) as u32);
    if how & !(UNSHARE | ONLY_MARK) != 0 || first > last {
        return Err(Errno::EINVAL.into());
    }
    let numbers: Vec<u32> = call.kernel.descriptors.numbers().collect();
    for fd in numbers.into_iter().filter(|fd| (first..=last).contains(fd)) {
        if how & ONLY_MARK != 0 {
            call.kernel.descriptors_mut().set_close_on_exec(fd, true)?;
        } else {
            close_fd(call, fd)?;
        }
    }
    done()
}
