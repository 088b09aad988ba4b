//! Names: making, renaming and removing them.

use super::{AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, Call, Family, done};
use crate::Errno;
use crate::call_table;
use crate::files::{Body, Content, Directory, Last, Node, NodeId, Parent, Pipe, mode};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: Family = &[
    ("unlink", unlink),
    ("unlinkat", unlinkat),
    ("rmdir", rmdir),
    ("mkdir", mkdir),
    ("mkdirat", mkdirat),
    ("mknod", mknod),
    ("mknodat", mknodat),
    ("link", link),
    ("linkat", linkat),
    ("symlink", symlink),
    ("symlinkat", symlinkat),
    ("rename", rename),
    ("renameat", renameat),
    ("renameat2", renameat2),
];

impl Call<'_> {
    /// The folder of the last component of a name, which is to be made or removed.
    fn parent(&self, dirfd: i32, path: &[u8]) -> Result<Parent, NoResult> {
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let start = self.start_of(dirfd, path)?;
        let parent = self.walk(|walk| walk.parent(start, path))?;
        self.kernel.changes_name(parent.directory);
        Ok(parent)
    }

    fn find(&self, directory: NodeId, name: &[u8]) -> Result<Option<NodeId>, Errno> {
        self.walk(|walk| walk.find(directory, name))
    }

    fn writable(&self, directory: NodeId) -> Result<(), Errno> {
        if self.kernel.tree.node(directory).read_only {
            return Err(Errno::EROFS);
        }
        Ok(())
    }

    /// Whether a name can be made in a folder.
    pub(super) fn may_create(&self, directory: NodeId) -> Result<(), Errno> {
        let folder = self.kernel.tree.node(directory);
        if folder.is_dead() {
            return Err(Errno::ENOENT);
        }
        folder.check(self.kernel.process.identity, 3)
    }

    /// Whether a name can be removed from a folder, as that of a folder or of something else.
    fn may_remove(&self, directory: NodeId, node: NodeId, as_folder: bool) -> Result<(), Errno> {
        let identity = self.kernel.process.identity;
        let folder = self.kernel.tree.node(directory);
        let entry = self.kernel.tree.node(node);
        folder.check(identity, 3)?;
        let owner = identity.uid == 0 || identity.uid == entry.uid || identity.uid == folder.uid;
        if folder.permissions & mode::STICKY != 0 && !owner {
            return Err(Errno::EPERM);
        }
        match (as_folder, entry.is_directory()) {
            (true, false) => Err(Errno::ENOTDIR),
            (false, true) => Err(Errno::EISDIR),
            (true, true) if node == crate::files::Tree::ROOT => Err(Errno::EBUSY),
            (true, true) | (false, false) => Ok(()),
        }
    }

    /// Where something new is made: the folder and its name.
    pub(super) fn new_name(
        &self,
        dirfd: i32,
        path: &[u8],
        is_folder: bool,
    ) -> Result<(NodeId, Vec<u8>), NoResult> {
        let parent = self.parent(dirfd, path)?;
        let Last::Name(name) = parent.last else {
            return Err(Errno::EEXIST.into());
        };
        if self.find(parent.directory, &name)?.is_some() {
            return Err(Errno::EEXIST.into());
        }
        if parent.slash && !is_folder {
            return Err(Errno::ENOENT.into());
        }
        self.writable(parent.directory)?;
        Ok((parent.directory, name))
    }

    fn unlink_path(&mut self, dirfd: i32, i: usize) -> CallResult {
        let path = self.path(i)?;
        let parent = self.parent(dirfd, &path)?;
        let Last::Name(name) = &parent.last else {
            return Err(Errno::EISDIR.into());
        };
        self.writable(parent.directory)?;
        let node = self.find(parent.directory, name)?;
        let node = node.ok_or(Errno::ENOENT)?;
        if parent.slash {
            let is_folder = self.kernel.tree.node(node).is_directory();
            let errno = if is_folder {
                Errno::EISDIR
            } else {
                Errno::ENOTDIR
            };
            return Err(errno.into());
        }
        self.may_remove(parent.directory, node, false)?;
        self.remove_name(parent.directory, name, node);
        done()
    }

    /// Removes a name of a file. The file is freed if it has no other name and no holder.
    fn remove_name(&mut self, directory: NodeId, name: &[u8], node: NodeId) {
        let now = self.kernel.now();
        let tree = self.kernel.tree_mut();
        tree.unlink(directory, name, now);
        let entry = tree.node_mut(node);
        entry.times[2] = now;
        if entry.is_directory() {
            entry.links = 0;
            // Its `..` leads there as long as somebody is in it.
            self.kernel.hold(directory);
        } else {
            entry.links -= 1;
        }
        self.kernel.end_if_unused(self.memory, node);
    }

    fn rmdir_path(&mut self, dirfd: i32, i: usize) -> CallResult {
        let path = self.path(i)?;
        let parent = self.parent(dirfd, &path)?;
        let name = match &parent.last {
            Last::Name(name) => name,
            Last::DotDot => return Err(Errno::ENOTEMPTY.into()),
            Last::Dot => return Err(Errno::EINVAL.into()),
            Last::Root => return Err(Errno::EBUSY.into()),
        };
        self.writable(parent.directory)?;
        let node = self.find(parent.directory, name)?;
        let node = node.ok_or(Errno::ENOENT)?;
        self.may_remove(parent.directory, node, true)?;
        if !self.kernel.tree.node(node).directory()?.entries.is_empty() {
            return Err(Errno::ENOTEMPTY.into());
        }
        self.remove_name(parent.directory, name, node);
        done()
    }

    fn mkdir_path(&mut self, dirfd: i32, i: usize, permissions: u32) -> CallResult {
        let path = self.path(i)?;
        let (directory, name) = self.new_name(dirfd, &path, true)?;
        self.may_create(directory)?;
        let process = &self.kernel.process;
        let permissions = permissions & 0o1777 & !process.umask;
        let body = Body::Directory(Directory::new(directory));
        let node = Node::new(body, permissions, process.identity, self.kernel.now());
        self.create(directory, &name, node);
        done()
    }

    /// Makes a regular file or a named pipe. Devices are the superuser's, who has none here.
    fn mknod_path(&mut self, dirfd: i32, i: usize, how: u32) -> CallResult {
        let body = match how & mode::TYPE {
            0 | mode::REGULAR => Some(Body::File(Content::EMPTY)),
            mode::FIFO => Some(Body::Pipe(Pipe {
                content: Content::EMPTY,
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
        let path = self.path(i)?;
        let (directory, name) = self.new_name(dirfd, &path, false)?;
        self.may_create(directory)?;
        let body = body.ok_or(Errno::EPERM)?;
        let process = &self.kernel.process;
        let permissions = how & 0o7777 & !process.umask;
        let node = Node::new(body, permissions, process.identity, self.kernel.now());
        self.create(directory, &name, node);
        done()
    }

    fn symlink_path(&mut self, target: usize, dirfd: i32, i: usize) -> CallResult {
        let target = self.path(target)?;
        if target.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let path = self.path(i)?;
        let (directory, name) = self.new_name(dirfd, &path, false)?;
        self.may_create(directory)?;
        let process = &self.kernel.process;
        let node = Node::new(
            Body::Link(target),
            0o777,
            process.identity,
            self.kernel.now(),
        );
        self.create(directory, &name, node);
        done()
    }

    fn link_path(&mut self, old: (i32, usize), new: (i32, usize), flags: u64) -> CallResult {
        if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let old_path = self.path(old.1)?;
        let new_path = self.second_path(new.1)?;
        let node = if old_path.is_empty() && flags & AT_EMPTY_PATH != 0 {
            // Some versions allow it to the superuser only.
            self.is_one_of(call_table::KERNELS);
            self.start_of(old.0, b"")?
        } else {
            self.lookup_path(old.0, &old_path, flags & AT_SYMLINK_FOLLOW != 0)?
        };
        let (directory, name) = self.new_name(new.0, &new_path?, false)?;
        if self.is_stream(node) {
            return Err(Errno::EXDEV.into());
        }
        let entry = self.kernel.tree.node(node);
        let user = self.kernel.process.identity;
        // Only what one owns, or may read and write, is linked.
        let safe = matches!(entry.body, Body::File(_)) && entry.allows(user, 6);
        if user.uid != 0 && user.uid != entry.uid && !safe {
            return Err(Errno::EPERM.into());
        }
        self.may_create(directory)?;
        if entry.is_directory() {
            return Err(Errno::EPERM.into());
        }
        if entry.links == 0 {
            return Err(Errno::ENOENT.into());
        }
        let now = self.kernel.now();
        let tree = self.kernel.tree_mut();
        let entry = tree.node_mut(node);
        entry.links += 1;
        entry.times[2] = now;
        tree.link(directory, &name, node, now);
        done()
    }

    fn rename_path(&mut self, old: (i32, usize), new: (i32, usize), flags: u64) -> CallResult {
        const NOREPLACE: u64 = 1;
        const EXCHANGE: u64 = 2;
        const WHITEOUT: u64 = 4;
        let exchange = flags & EXCHANGE != 0;
        if flags & !(NOREPLACE | EXCHANGE | WHITEOUT) != 0
            || exchange && flags & (NOREPLACE | WHITEOUT) != 0
        {
            return Err(Errno::EINVAL.into());
        }
        if flags & WHITEOUT != 0 {
            return Err(NoResult::unsupported(
                "a name that hides another (RENAME_WHITEOUT)",
            ));
        }
        if exchange {
            self.is_one_of(call_table::FILE_SYSTEM);
        }
        let (old_path, new_path) = (self.path(old.1)?, self.second_path(new.1)?);
        let from = self.parent(old.0, &old_path)?;
        let to = self.parent(new.0, &new_path?)?;
        let Last::Name(old_name) = &from.last else {
            return Err(Errno::EBUSY.into());
        };
        let Last::Name(new_name) = &to.last else {
            let keep = flags & NOREPLACE != 0;
            return Err(if keep { Errno::EEXIST } else { Errno::EBUSY }.into());
        };
        self.writable(from.directory)?;
        self.writable(to.directory)?;
        let node = self.find(from.directory, old_name)?.ok_or(Errno::ENOENT)?;
        let target = self.find(to.directory, new_name)?;
        if target.is_some() && flags & NOREPLACE != 0 {
            return Err(Errno::EEXIST.into());
        }
        let is_folder = self.kernel.tree.node(node).is_directory();
        let target_is_folder = target.map(|target| self.kernel.tree.node(target).is_directory());
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
        if is_folder && self.kernel.tree.is_above(node, to.directory) {
            return Err(Errno::EINVAL.into());
        }
        if let Some(target) = target
            && self.kernel.tree.is_above(target, from.directory)
        {
            let errno = if exchange {
                Errno::EINVAL
            } else {
                Errno::ENOTEMPTY
            };
            return Err(errno.into());
        }
        if target == Some(node) {
            return done();
        }
        self.may_remove(from.directory, node, is_folder)?;
        match (target, target_is_folder) {
            (Some(target), Some(target_is_folder)) => {
                let as_folder = if exchange {
                    target_is_folder
                } else {
                    is_folder
                };
                self.may_remove(to.directory, target, as_folder)?;
            }
            _ => self.may_create(to.directory)?,
        }
        let moves = from.directory != to.directory;
        let user = self.kernel.process.identity;
        if is_folder && moves {
            self.kernel.tree.node(node).check(user, 2)?;
        }
        if let Some(target) = target
            && exchange
        {
            if target_is_folder == Some(true) && moves {
                self.kernel.tree.node(target).check(user, 2)?;
            }
            self.exchange(
                (from.directory, old_name, node),
                (to.directory, new_name, target),
            );
            return done();
        }
        if let Some(target) = target {
            if let Ok(folder) = self.kernel.tree.node(target).directory()
                && !folder.entries.is_empty()
            {
                return Err(Errno::ENOTEMPTY.into());
            }
            self.remove_name(to.directory, new_name, target);
        }
        let now = self.kernel.now();
        let tree = self.kernel.tree_mut();
        tree.unlink(from.directory, old_name, now);
        tree.link(to.directory, new_name, node, now);
        self.kernel.touch_status(node);
        done()
    }

    /// Each of two files gets the other's name.
    fn exchange(&mut self, one: (NodeId, &[u8], NodeId), other: (NodeId, &[u8], NodeId)) {
        let now = self.kernel.now();
        let tree = self.kernel.tree_mut();
        tree.unlink(one.0, one.1, now);
        tree.unlink(other.0, other.1, now);
        tree.link(one.0, one.1, other.2, now);
        tree.link(other.0, other.1, one.2, now);
        self.kernel.touch_status(one.2);
        self.kernel.touch_status(other.2);
    }
}

fn unlink(call: &mut Call<'_>) -> CallResult {
    call.unlink_path(AT_FDCWD, 0)
}

fn unlinkat(call: &mut Call<'_>) -> CallResult {
    let flags = call.bits(2);
    if flags & !AT_REMOVEDIR != 0 {
        return Err(Errno::EINVAL.into());
    }
    if flags & AT_REMOVEDIR != 0 {
        call.rmdir_path(call.int(0), 1)
    } else {
        call.unlink_path(call.int(0), 1)
    }
}

fn rmdir(call: &mut Call<'_>) -> CallResult {
    call.rmdir_path(AT_FDCWD, 0)
}

fn mkdir(call: &mut Call<'_>) -> CallResult {
    call.mkdir_path(AT_FDCWD, 0, call.bits(1) as u32)
}

fn mkdirat(call: &mut Call<'_>) -> CallResult {
    call.mkdir_path(call.int(0), 1, call.bits(2) as u32)
}

fn mknod(call: &mut Call<'_>) -> CallResult {
    call.mknod_path(AT_FDCWD, 0, call.bits(1) as u32)
}

fn mknodat(call: &mut Call<'_>) -> CallResult {
    call.mknod_path(call.int(0), 1, call.bits(2) as u32)
}

fn link(call: &mut Call<'_>) -> CallResult {
    call.link_path((AT_FDCWD, 0), (AT_FDCWD, 1), 0)
}

fn linkat(call: &mut Call<'_>) -> CallResult {
    call.link_path((call.int(0), 1), (call.int(2), 3), call.bits(4))
}

fn symlink(call: &mut Call<'_>) -> CallResult {
    call.symlink_path(0, AT_FDCWD, 1)
}

fn symlinkat(call: &mut Call<'_>) -> CallResult {
    call.symlink_path(0, call.int(1), 2)
}

fn rename(call: &mut Call<'_>) -> CallResult {
    call.rename_path((AT_FDCWD, 0), (AT_FDCWD, 1), 0)
}

fn renameat(call: &mut Call<'_>) -> CallResult {
    call.rename_path((call.int(0), 1), (call.int(2), 3), 0)
}

fn renameat2(call: &mut Call<'_>) -> CallResult {
    call.rename_path((call.int(0), 1), (call.int(2), 3), call.bits(4))
}
