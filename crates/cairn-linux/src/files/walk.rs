//! From a name to a file, as the kernel walks it.
//!
//! A walk goes to the folder of the last component first, because most calls that make, rename or
//! remove something want that. Links are followed by going on with their text; after 40 of them
//! the walk gives up.

use super::{FileTree, Identity, InodeBody, InodeId};
use crate::Errno;
use std::cell::Cell;

/// Bytes of a name, with its zero, at most.
pub(crate) const PATH_MAX: u64 = 4096;

/// Bytes of a component at most.
pub(crate) const NAME_MAX: usize = 255;

/// Links that a walk follows at most.
const LINKS_MAX: u32 = 40;

/// The last component of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LastComponent {
    Name(Vec<u8>),
    Dot,
    DotDot,
    Root,
}

/// Where a walk stops before its last component.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub directory: InodeId,
    pub last: LastComponent,
    /// Whether slashes follow the last component: it must be a folder.
    pub slash: bool,
}

/// What walks need to know besides the tree.
pub(crate) struct Walk<'a> {
    pub tree: &'a FileTree,
    pub identity: Identity,
    /// What descriptors have open, for links to them.
    pub opened: &'a dyn Fn(u32) -> Option<InodeId>,
    links: u32,
    /// Whether it was in a folder of which the host may have more: what is below is another one's, too.
    pub through_host: bool,
    /// Whether a name was not found there.
    pub missed_host: Cell<bool>,
    /// The folder that the program began in and those above it, but for the root.
    pub homes: &'a [InodeId],
    /// Whether it came to one of these by its name, or left one upwards.
    pub at_home: bool,
}

impl<'a> Walk<'a> {
    pub fn new(
        tree: &'a FileTree,
        identity: Identity,
        opened: &'a dyn Fn(u32) -> Option<InodeId>,
    ) -> Self {
        Walk {
            tree,
            identity,
            opened,
            links: 0,
            through_host: false,
            missed_host: Cell::new(false),
            homes: &[],
            at_home: false,
        }
    }

    /// A name in a folder. In a removed folder no name is found, and none is refused as impossible.
    pub fn find(&self, directory: InodeId, name: &[u8]) -> Result<Option<InodeId>, Errno> {
        if self.tree.node(directory).is_dead() {
            return Ok(None);
        }
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let found = self.tree.child(directory, name);
        if found.is_none() && (self.through_host || self.tree.is_of_host(directory)) {
            self.missed_host.set(true);
        }
        Ok(found)
    }

    fn count_link(&mut self) -> Result<(), Errno> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(Errno::ELOOP);
        }
        Ok(())
    }

    fn searchable(&self, directory: InodeId) -> Result<(), Errno> {
        let node = self.tree.node(directory);
        node.directory()?;
        node.check(self.identity, 1)
    }

    /// The folder of the last component.
    pub fn parent(&mut self, start: InodeId, path: &[u8]) -> Result<Parent, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let mut directory = if path[0] == b'/' {
            FileTree::ROOT
        } else {
            start
        };
        // What is left to walk, the innermost link's text last. The rest of a text is never
        // empty, but for a name of nothing but slashes.
        let mut rests: Vec<Vec<u8>> = vec![path.to_vec()];
        loop {
            self.through_host |= self.tree.is_of_host(directory);
            let Some(text) = rests.pop() else {
                return Ok(Parent {
                    directory,
                    last: LastComponent::Root,
                    slash: false,
                });
            };
            let first = text.iter().position(|&b| b != b'/');
            let Some(first) = first else {
                if rests.is_empty() {
                    self.searchable(directory)?;
                    return Ok(Parent {
                        directory,
                        last: LastComponent::Root,
                        slash: false,
                    });
                }
                continue;
            };
            self.searchable(directory)?;
            let text = &text[first..];
            let end = text.iter().position(|&b| b == b'/').unwrap_or(text.len());
            let (component, rest) = text.split_at(end);
            let only_slashes = rest.iter().all(|&b| b == b'/');
            let is_last = only_slashes && rests.is_empty();
            if is_last {
                let last = match component {
                    b"." => LastComponent::Dot,
                    b".." => LastComponent::DotDot,
                    name => LastComponent::Name(name.to_vec()),
                };
                return Ok(Parent {
                    directory,
                    last,
                    slash: !rest.is_empty(),
                });
            }
            if !only_slashes {
                rests.push(rest.to_vec());
            }
            directory = match component {
                b"." => directory,
                b".." => {
                    self.at_home |= self.homes.contains(&directory);
                    self.tree.node(directory).directory()?.parent
                }
                name => {
                    let child = self.find(directory, name)?.ok_or(Errno::ENOENT)?;
                    self.at_home |= self.homes.contains(&child);
                    match &self.tree.node(child).body {
                        InodeBody::Directory(_) => child,
                        InodeBody::Link(target) => {
                            self.count_link()?;
                            let target = target.clone();
                            let absolute = target.first() == Some(&b'/');
                            rests.push(target);
                            if absolute { FileTree::ROOT } else { directory }
                        }
                        InodeBody::DescriptorLink(number) => {
                            self.count_link()?;
                            (self.opened)(*number).ok_or(Errno::ENOENT)?
                        }
                        InodeBody::File(_)
                        | InodeBody::Device(_)
                        | InodeBody::Pipe(_)
                        | InodeBody::Output { .. }
                        | InodeBody::Socket(_) => {
                            return Err(Errno::ENOTDIR);
                        }
                    }
                }
            };
        }
    }

    /// The file of a name. Links at its end are followed if told so or if a slash follows.
    pub fn lookup(&mut self, start: InodeId, path: &[u8], follow: bool) -> Result<InodeId, Errno> {
        let (parent, node) = self.lookup_or_parent(start, path, follow, |_| Ok(()))?;
        let node = node.ok_or(Errno::ENOENT)?;
        if parent.slash {
            self.tree.node(node).directory()?;
        }
        Ok(node)
    }

    /// As [`lookup`](Self::lookup) for something that is made if it is not there: also the folder
    /// and last component where the walk ended, and no file if there is none of that name. With a
    /// slash after it, it would be a folder, which is not made so.
    pub fn lookup_to_create(
        &mut self,
        start: InodeId,
        path: &[u8],
        follow: bool,
    ) -> Result<(Parent, Option<InodeId>), Errno> {
        self.lookup_or_parent(start, path, follow, |parent| {
            if parent.slash && matches!(parent.last, LastComponent::Name(_)) {
                return Err(Errno::EISDIR);
            }
            Ok(())
        })
    }

    /// The walk of both. Each parent on the way from link to link is checked.
    fn lookup_or_parent(
        &mut self,
        mut start: InodeId,
        path: &[u8],
        follow: bool,
        check: impl Fn(&Parent) -> Result<(), Errno>,
    ) -> Result<(Parent, Option<InodeId>), Errno> {
        let mut path = path.to_vec();
        loop {
            let parent = self.parent(start, &path)?;
            check(&parent)?;
            let directory = parent.directory;
            let name = match &parent.last {
                LastComponent::Root | LastComponent::Dot => return Ok((parent, Some(directory))),
                LastComponent::DotDot => {
                    self.at_home |= self.homes.contains(&directory);
                    let above = self.tree.node(directory).directory()?.parent;
                    return Ok((parent, Some(above)));
                }
                LastComponent::Name(name) => name,
            };
            let Some(child) = self.find(directory, name)? else {
                return Ok((parent, None));
            };
            self.at_home |= self.homes.contains(&child);
            let follow = follow || parent.slash;
            match &self.tree.node(child).body {
                InodeBody::Link(target) if follow => {
                    self.count_link()?;
                    start = directory;
                    path.clone_from(target);
                    if parent.slash {
                        path.push(b'/');
                    }
                }
                InodeBody::DescriptorLink(number) if follow => {
                    self.count_link()?;
                    let node = (self.opened)(*number).ok_or(Errno::ENOENT)?;
                    return Ok((parent, Some(node)));
                }
                _ => return Ok((parent, Some(child))),
            }
        }
    }
}
