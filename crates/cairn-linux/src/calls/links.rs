//! Names: making, renaming and removing them.

use super::{
    AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, CallFamily, SystemCall, done,
};
use crate::Errno;
use crate::call_table;
use crate::call_table::Varies::Exact;
use crate::calls::open;
use crate::files::{
    Directory, FileContent, Inode, InodeBody, InodeId, LastComponent, Parent, Pipe, mode,
};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: CallFamily = &[
    ("unlink", "p", Exact, unlink),
    ("unlinkat", "fpi", Exact, unlinkat),
    ("rmdir", "p", Exact, rmdir),
    ("mkdir", "pi", Exact, mkdir),
    ("mkdirat", "fpi", Exact, mkdirat),
    ("mknod", "piw", Exact, mknod),
    ("mknodat", "fpiw", Exact, mknodat),
    ("link", "pp", Exact, link),
    ("linkat", "fpfpi", Exact, linkat),
    ("symlink", "pp", Exact, symlink),
    ("symlinkat", "pfp", Exact, symlinkat),
    ("rename", "pp", Exact, rename),
    ("renameat", "fpfp", Exact, renameat),
    ("renameat2", "fpfpi", Exact, renameat2),
];

/// The folder of the last component of a name, which is to be made or removed.
fn parent(call: &SystemCall<'_>, dirfd: i32, path: &[u8]) -> Result<Parent, NoResult> {
    if path.is_empty() {
        return Err(Errno::ENOENT.into());
    }
    let start = call.start_of(dirfd, path)?;
    let parent = call.walk(|walk| walk.parent(start, path))?;
    call.kernel.changes_name(parent.directory);
    Ok(parent)
}

fn find(call: &SystemCall<'_>, directory: InodeId, name: &[u8]) -> Result<Option<InodeId>, Errno> {
    call.walk(|walk| walk.find(directory, name))
}

fn writable(call: &SystemCall<'_>, directory: InodeId) -> Result<(), Errno> {
    if call.kernel.tree.node(directory).read_only {
        return Err(Errno::EROFS);
    }
    Ok(())
}

/// Whether a name can be made in a folder.
pub(super) fn may_create(call: &SystemCall<'_>, directory: InodeId) -> Result<(), Errno> {
    let folder = call.kernel.tree.node(directory);
    if folder.is_dead() {
        return Err(Errno::ENOENT);
    }
    folder.check(call.kernel.process.identity, 3)
}

/// Whether a name can be removed from a folder, as that of a folder or of something else.
fn may_remove(
    call: &SystemCall<'_>,
    directory: InodeId,
    node: InodeId,
    as_folder: bool,
) -> Result<(), Errno> {
    let identity = call.kernel.process.identity;
    let folder = call.kernel.tree.node(directory);
    let entry = call.kernel.tree.node(node);
    folder.check(identity, 3)?;
    let owner = identity.uid == 0 || identity.uid == entry.uid || identity.uid == folder.uid;
    if folder.permissions & mode::STICKY != 0 && !owner {
        return Err(Errno::EPERM);
    }
    match (as_folder, entry.is_directory()) {
        (true, false) => Err(Errno::ENOTDIR),
        (false, true) => Err(Errno::EISDIR),
        (true, true) if node == crate::files::FileTree::ROOT => Err(Errno::EBUSY),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Where something new is made: the folder and its name.
pub(super) fn new_name(
    call: &SystemCall<'_>,
    dirfd: i32,
    path: &[u8],
    is_folder: bool,
) -> Result<(InodeId, Vec<u8>), NoResult> {
    let parent = parent(call, dirfd, path)?;
    let LastComponent::Name(name) = parent.last else {
        return Err(Errno::EEXIST.into());
    };
    if find(call, parent.directory, &name)?.is_some() {
        return Err(Errno::EEXIST.into());
    }
    if parent.slash && !is_folder {
        return Err(Errno::ENOENT.into());
    }
    writable(call, parent.directory)?;
    Ok((parent.directory, name))
}

/// Removes a name of a file. The file is freed if it has no other name and no holder.
fn remove_name(call: &mut SystemCall<'_>, directory: InodeId, name: &[u8], node: InodeId) {
    let now = call.kernel.now();
    let tree = call.kernel.tree_mut();
    tree.unlink(directory, name, now);
    let entry = tree.node_mut(node);
    entry.times[2] = now;
    if entry.is_directory() {
        entry.links = 0;
        // Its `..` leads there as long as a process is in it.
        call.kernel.hold(directory);
    } else {
        entry.links -= 1;
    }
    call.kernel.end_if_unused(call.memory, node);
}

fn unlink_path(call: &mut SystemCall<'_>, dirfd: i32, i: usize) -> CallResult {
    let path = call.path(i)?;
    let parent = parent(call, dirfd, &path)?;
    let LastComponent::Name(name) = &parent.last else {
        return Err(Errno::EISDIR.into());
    };
    writable(call, parent.directory)?;
    let node = find(call, parent.directory, name)?;
    let node = node.ok_or(Errno::ENOENT)?;
    if parent.slash {
        let is_folder = call.kernel.tree.node(node).is_directory();
        let errno = if is_folder {
            Errno::EISDIR
        } else {
            Errno::ENOTDIR
        };
        return Err(errno.into());
    }
    may_remove(call, parent.directory, node, false)?;
    remove_name(call, parent.directory, name, node);
    done()
}

fn rmdir_path(call: &mut SystemCall<'_>, dirfd: i32, i: usize) -> CallResult {
    let path = call.path(i)?;
    let parent = parent(call, dirfd, &path)?;
    let name = match &parent.last {
        LastComponent::Name(name) => name,
        LastComponent::DotDot => return Err(Errno::ENOTEMPTY.into()),
        LastComponent::Dot => return Err(Errno::EINVAL.into()),
        LastComponent::Root => return Err(Errno::EBUSY.into()),
    };
    writable(call, parent.directory)?;
    let node = find(call, parent.directory, name)?;
    let node = node.ok_or(Errno::ENOENT)?;
    may_remove(call, parent.directory, node, true)?;
    if !call.kernel.tree.node(node).directory()?.entries.is_empty() {
        return Err(Errno::ENOTEMPTY.into());
    }
    remove_name(call, parent.directory, name, node);
    done()
}

fn mkdir_path(call: &mut SystemCall<'_>, dirfd: i32, i: usize, permissions: u32) -> CallResult {
    let path = call.path(i)?;
    let (directory, name) = new_name(call, dirfd, &path, true)?;
    may_create(call, directory)?;
    let process = &call.kernel.process;
    let permissions = permissions & 0o1777 & !process.umask;
    let body = InodeBody::Directory(Directory::new(directory));
    let node = Inode::new(body, permissions, process.identity, call.kernel.now());
    open::create_file(call, directory, &name, node);
    done()
}

/// Makes a regular file or a named pipe. Devices are the superuser's, who has none here.
fn mknod_path(call: &mut SystemCall<'_>, dirfd: i32, i: usize, how: u32) -> CallResult {
    let body = match how & mode::TYPE {
        0 | mode::REGULAR => Some(InodeBody::File(FileContent::EMPTY)),
        mode::FIFO => Some(InodeBody::Pipe(Pipe {
            content: FileContent::EMPTY,
            start: 0,
            readers: 0,
            writers: 0,
            terminal: false,
            awaited: false,
        })),
        mode::DIRECTORY => return Err(Errno::EPERM.into()),
        mode::SOCKET => return Err(NoResult::unsupported("a socket with a name (mknod)")),
        mode::CHARACTER | mode::BLOCK => None,
        _ => return Err(Errno::EINVAL.into()),
    };
    let path = call.path(i)?;
    let (directory, name) = new_name(call, dirfd, &path, false)?;
    may_create(call, directory)?;
    let body = body.ok_or(Errno::EPERM)?;
    let process = &call.kernel.process;
    let permissions = how & 0o7777 & !process.umask;
    let node = Inode::new(body, permissions, process.identity, call.kernel.now());
    open::create_file(call, directory, &name, node);
    done()
}

fn symlink_path(call: &mut SystemCall<'_>, target: usize, dirfd: i32, i: usize) -> CallResult {
    let target = call.path(target)?;
    if target.is_empty() {
        return Err(Errno::ENOENT.into());
    }
    let path = call.path(i)?;
    let (directory, name) = new_name(call, dirfd, &path, false)?;
    may_create(call, directory)?;
    let process = &call.kernel.process;
    let node = Inode::new(
        InodeBody::Link(target),
        0o777,
        process.identity,
        call.kernel.now(),
    );
    open::create_file(call, directory, &name, node);
    done()
}

fn link_path(
    call: &mut SystemCall<'_>,
    old: (i32, usize),
    new: (i32, usize),
    flags: u64,
) -> CallResult {
    if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let old_path = call.path(old.1)?;
    let new_path = call.second_path(new.1)?;
    let node = if old_path.is_empty() && flags & AT_EMPTY_PATH != 0 {
        // Some versions allow it to the superuser only.
        call.is_one_of(call_table::KERNELS);
        call.start_of(old.0, b"")?
    } else {
        call.lookup_path(old.0, &old_path, flags & AT_SYMLINK_FOLLOW != 0)?
    };
    let (directory, name) = new_name(call, new.0, &new_path?, false)?;
    if call.is_stream(node) {
        return Err(Errno::EXDEV.into());
    }
    let entry = call.kernel.tree.node(node);
    let user = call.kernel.process.identity;
    // Only what one owns, or may read and write, is linked.
    let safe = matches!(entry.body, InodeBody::File(_)) && entry.allows(user, 6);
    if user.uid != 0 && user.uid != entry.uid && !safe {
        return Err(Errno::EPERM.into());
    }
    may_create(call, directory)?;
    if entry.is_directory() {
        return Err(Errno::EPERM.into());
    }
    if entry.links == 0 {
        return Err(Errno::ENOENT.into());
    }
    let now = call.kernel.now();
    let tree = call.kernel.tree_mut();
    let entry = tree.node_mut(node);
    entry.links += 1;
    entry.times[2] = now;
    tree.link(directory, &name, node, now);
    done()
}

/// What `rename` is asked to do with a name that exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rename {
    /// It is replaced.
    Replace,
    /// The call fails.
    Keep,
    /// Both files change places.
    Exchange,
}

impl Rename {
    fn from_flags(flags: u64) -> Result<Self, NoResult> {
        const NOREPLACE: u64 = 1;
        const EXCHANGE: u64 = 2;
        const WHITEOUT: u64 = 4;
        match flags {
            0 => Ok(Rename::Replace),
            NOREPLACE => Ok(Rename::Keep),
            EXCHANGE => Ok(Rename::Exchange),
            _ if flags & !(NOREPLACE | EXCHANGE | WHITEOUT) != 0
                || flags & EXCHANGE != 0 && flags & (NOREPLACE | WHITEOUT) != 0 =>
            {
                Err(Errno::EINVAL.into())
            }
            _ => Err(NoResult::unsupported(
                "a name that hides another (RENAME_WHITEOUT)",
            )),
        }
    }
}

/// A file that is renamed, and the one that has the new name.
struct Renamed {
    node: InodeId,
    is_folder: bool,
    target: Option<InodeId>,
    target_is_folder: Option<bool>,
}

fn rename_path(
    call: &mut SystemCall<'_>,
    old: (i32, usize),
    new: (i32, usize),
    flags: u64,
) -> CallResult {
    let how = Rename::from_flags(flags)?;
    if how == Rename::Exchange {
        call.is_one_of(call_table::FILE_SYSTEM);
    }
    let (old_path, new_path) = (call.path(old.1)?, call.second_path(new.1)?);
    let from = parent(call, old.0, &old_path)?;
    let to = parent(call, new.0, &new_path?)?;
    let LastComponent::Name(old_name) = &from.last else {
        return Err(Errno::EBUSY.into());
    };
    let LastComponent::Name(new_name) = &to.last else {
        let keep = how == Rename::Keep;
        return Err(if keep { Errno::EEXIST } else { Errno::EBUSY }.into());
    };
    writable(call, from.directory)?;
    writable(call, to.directory)?;
    let node = find(call, from.directory, old_name)?.ok_or(Errno::ENOENT)?;
    let target = find(call, to.directory, new_name)?;
    let is_folder = |node| call.kernel.tree.node(node).is_directory();
    let renamed = Renamed {
        node,
        is_folder: is_folder(node),
        target,
        target_is_folder: target.map(is_folder),
    };
    may_rename(call, how, (&from, &to), &renamed)?;
    if target == Some(node) {
        return done();
    }
    may_change_places(call, how, (&from, &to), &renamed)?;
    if let Some(target) = target {
        if how == Rename::Exchange {
            let (from, to) = (from.directory, to.directory);
            exchange(call, (from, old_name, node), (to, new_name, target));
            return done();
        }
        if let Ok(folder) = call.kernel.tree.node(target).directory()
            && !folder.entries.is_empty()
        {
            return Err(Errno::ENOTEMPTY.into());
        }
        remove_name(call, to.directory, new_name, target);
    }
    let now = call.kernel.now();
    let tree = call.kernel.tree_mut();
    tree.unlink(from.directory, old_name, now);
    tree.link(to.directory, new_name, node, now);
    call.kernel.touch_status(node);
    done()
}

/// Whether names and kinds of files allow it, for any user.
fn may_rename(
    call: &SystemCall<'_>,
    how: Rename,
    (from, to): (&Parent, &Parent),
    renamed: &Renamed,
) -> Result<(), NoResult> {
    let Renamed {
        node,
        is_folder,
        target,
        target_is_folder,
    } = *renamed;
    let exchange = how == Rename::Exchange;
    if target.is_some() && how == Rename::Keep {
        return Err(Errno::EEXIST.into());
    }
    if exchange {
        if target_is_folder.is_none() {
            return Err(Errno::ENOENT.into());
        }
        if target_is_folder == Some(false) && to.slash {
            return Err(Errno::ENOTDIR.into());
        }
    }
    if !is_folder && (from.slash || !exchange && to.slash) {
        return Err(Errno::ENOTDIR.into());
    }
    if is_folder && call.kernel.tree.is_above(node, to.directory) {
        return Err(Errno::EINVAL.into());
    }
    if let Some(target) = target
        && call.kernel.tree.is_above(target, from.directory)
    {
        let errno = match exchange {
            true => Errno::EINVAL,
            false => Errno::ENOTEMPTY,
        };
        return Err(errno.into());
    }
    Ok(())
}

/// Whether the user may do it.
fn may_change_places(
    call: &mut SystemCall<'_>,
    how: Rename,
    (from, to): (&Parent, &Parent),
    renamed: &Renamed,
) -> Result<(), NoResult> {
    let exchange = how == Rename::Exchange;
    may_remove(call, from.directory, renamed.node, renamed.is_folder)?;
    match (renamed.target, renamed.target_is_folder) {
        (Some(target), Some(target_is_folder)) => {
            let as_folder = match exchange {
                true => target_is_folder,
                false => renamed.is_folder,
            };
            may_remove(call, to.directory, target, as_folder)?;
        }
        _ => may_create(call, to.directory)?,
    }
    // A folder that moves gets another `..`.
    let user = call.kernel.process.identity;
    let moves = from.directory != to.directory;
    if renamed.is_folder && moves {
        call.kernel.tree.node(renamed.node).check(user, 2)?;
    }
    if let Some(target) = renamed.target
        && exchange
        && renamed.target_is_folder == Some(true)
        && moves
    {
        call.kernel.tree.node(target).check(user, 2)?;
    }
    Ok(())
}

/// Each of two files gets the other's name.
fn exchange(
    call: &mut SystemCall<'_>,
    one: (InodeId, &[u8], InodeId),
    other: (InodeId, &[u8], InodeId),
) {
    let now = call.kernel.now();
    let tree = call.kernel.tree_mut();
    tree.unlink(one.0, one.1, now);
    tree.unlink(other.0, other.1, now);
    tree.link(one.0, one.1, other.2, now);
    tree.link(other.0, other.1, one.2, now);
    call.kernel.touch_status(one.2);
    call.kernel.touch_status(other.2);
}

fn unlink(call: &mut SystemCall<'_>) -> CallResult {
    unlink_path(call, AT_FDCWD, 0)
}

fn unlinkat(call: &mut SystemCall<'_>) -> CallResult {
    let flags = call.bits(2);
    if flags & !AT_REMOVEDIR != 0 {
        return Err(Errno::EINVAL.into());
    }
    if flags & AT_REMOVEDIR != 0 {
        rmdir_path(call, call.int(0), 1)
    } else {
        unlink_path(call, call.int(0), 1)
    }
}

fn rmdir(call: &mut SystemCall<'_>) -> CallResult {
    rmdir_path(call, AT_FDCWD, 0)
}

fn mkdir(call: &mut SystemCall<'_>) -> CallResult {
    mkdir_path(call, AT_FDCWD, 0, call.bits(1) as u32)
}

fn mkdirat(call: &mut SystemCall<'_>) -> CallResult {
    mkdir_path(call, call.int(0), 1, call.bits(2) as u32)
}

fn mknod(call: &mut SystemCall<'_>) -> CallResult {
    mknod_path(call, AT_FDCWD, 0, call.bits(1) as u32)
}

fn mknodat(call: &mut SystemCall<'_>) -> CallResult {
    mknod_path(call, call.int(0), 1, call.bits(2) as u32)
}

fn link(call: &mut SystemCall<'_>) -> CallResult {
    link_path(call, (AT_FDCWD, 0), (AT_FDCWD, 1), 0)
}

fn linkat(call: &mut SystemCall<'_>) -> CallResult {
    link_path(call, (call.int(0), 1), (call.int(2), 3), call.bits(4))
}

fn symlink(call: &mut SystemCall<'_>) -> CallResult {
    symlink_path(call, 0, AT_FDCWD, 1)
}

fn symlinkat(call: &mut SystemCall<'_>) -> CallResult {
    symlink_path(call, 0, call.int(1), 2)
}

fn rename(call: &mut SystemCall<'_>) -> CallResult {
    rename_path(call, (AT_FDCWD, 0), (AT_FDCWD, 1), 0)
}

fn renameat(call: &mut SystemCall<'_>) -> CallResult {
    rename_path(call, (call.int(0), 1), (call.int(2), 3), 0)
}

fn renameat2(call: &mut SystemCall<'_>) -> CallResult {
    rename_path(call, (call.int(0), 1), (call.int(2), 3), call.bits(4))
}
