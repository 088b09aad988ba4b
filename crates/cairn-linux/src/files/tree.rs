//! Files, folders, links and devices, and who may do what with them.

use super::{FileContent, Socket};
use crate::Errno;
use crate::abi::Stat;
use cairn_memory::Word;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Names a file; also its number in `stat`.
pub(crate) type InodeId = u64;

/// Bits of a file's mode.
pub(crate) mod mode {
    pub const FIFO: u32 = 0o010000;
    pub const CHARACTER: u32 = 0o020000;
    pub const DIRECTORY: u32 = 0o040000;
    pub const BLOCK: u32 = 0o060000;
    pub const REGULAR: u32 = 0o100000;
    pub const LINK: u32 = 0o120000;
    pub const SOCKET: u32 = 0o140000;
    /// All bits of the type.
    pub const TYPE: u32 = 0o170000;
    pub const SET_USER: u32 = 0o4000;
    pub const SET_GROUP: u32 = 0o2000;
    pub const STICKY: u32 = 0o1000;
}

/// A time: seconds and nanoseconds.
pub(crate) type Time = (i64, u32);

/// A file of any type.
#[derive(Clone, Debug)]
pub(crate) struct Inode {
    /// Permissions, without the type.
    pub permissions: u32,
    pub uid: u32,
    pub gid: u32,
    /// How many names it has; of a folder those of its own `.` and of the `..` in it too.
    pub links: u32,
    /// Last access, last change of content, last change of anything.
    pub times: [Time; 3],
    /// How often it is open, mapped or the working directory: it lives as long.
    pub held: u32,
    /// Whether it may not be changed whatever the permissions say.
    pub read_only: bool,
    /// A `struct stat` whose bytes are not known.
    pub stat: Option<Word>,
    pub body: InodeBody,
}

/// What a file is.
#[derive(Clone, Debug)]
pub(crate) enum InodeBody {
    File(FileContent),
    Directory(Directory),
    Link(Vec<u8>),
    Device(Device),
    Pipe(Pipe),
    /// What the program prints; a terminal if told so.
    Output {
        content: FileContent,
        terminal: bool,
    },
    /// A link to what a descriptor of the process has open, as `/dev/stdin`.
    DescriptorLink(u32),
    /// One end of a connection, or the name of such a file.
    Socket(Socket),
}

/// A special file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Null,
    Zero,
    Full,
    /// The terminal of a process that has none.
    Tty,
    Random,
}

/// A queue of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Pipe {
    /// All bytes since it was last empty.
    pub content: FileContent,
    /// How many of them were read.
    pub start: u64,
    pub readers: u32,
    pub writers: u32,
    pub terminal: bool,
    /// Whether more bytes may come from outside: then it is not at its end when it is empty.
    pub awaited: bool,
}

/// The names in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub entries: BTreeMap<Vec<u8>, DirectoryEntry>,
    pub parent: InodeId,
    /// Whether the host has more in it than is known: neither the user nor the program made it.
    pub of_host: bool,
    /// The number of the next entry.
    next: u64,
}

/// A name in a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectoryEntry {
    pub node: InodeId,
    /// Grows with each entry: a place in the folder that stays when others go.
    pub number: u64,
}

impl Directory {
    pub fn new(parent: InodeId) -> Self {
        Directory {
            entries: BTreeMap::new(),
            parent,
            of_host: false,
            // Below are `.` and `..`.
            next: 3,
        }
    }

    pub fn insert(&mut self, name: Vec<u8>, node: InodeId) {
        let number = self.next;
        self.next += 1;
        self.entries.insert(name, DirectoryEntry { node, number });
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub uid: u32,
    pub gid: u32,
}

impl Inode {
    pub fn new(body: InodeBody, permissions: u32, identity: Identity, now: Time) -> Self {
        let links = match body {
            InodeBody::Directory(_) => 2,
            _ => 1,
        };
        Inode {
            permissions,
            uid: identity.uid,
            gid: identity.gid,
            links,
            times: [now; 3],
            held: 0,
            read_only: false,
            stat: None,
            body,
        }
    }

    pub fn kind(&self) -> u32 {
        match &self.body {
            InodeBody::File(_) => mode::REGULAR,
            InodeBody::Directory(_) => mode::DIRECTORY,
            InodeBody::Link(_) | InodeBody::DescriptorLink(_) => mode::LINK,
            InodeBody::Device(_) => mode::CHARACTER,
            InodeBody::Socket(_) => mode::SOCKET,
            InodeBody::Pipe(Pipe { terminal, .. }) | InodeBody::Output { terminal, .. } => {
                if *terminal {
                    mode::CHARACTER
                } else {
                    mode::FIFO
                }
            }
        }
    }

    pub fn is_directory(&self) -> bool {
        matches!(self.body, InodeBody::Directory(_))
    }

    /// Whether it is a folder that was removed.
    pub fn is_dead(&self) -> bool {
        self.is_directory() && self.links == 0
    }

    pub fn directory(&self) -> Result<&Directory, Errno> {
        match &self.body {
            InodeBody::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub fn size(&self) -> u64 {
        match &self.body {
            InodeBody::File(content) => content.size(),
            InodeBody::Directory(_) => 4096,
            InodeBody::Link(target) => target.len() as u64,
            InodeBody::Device(_)
            | InodeBody::Pipe(_)
            | InodeBody::Output { .. }
            | InodeBody::Socket(_) => 0,
            InodeBody::DescriptorLink(_) => 64,
        }
    }

    pub fn stat(&self, node: InodeId) -> Stat {
        let device = match &self.body {
            InodeBody::Device(Device::Null) => 0x103,
            InodeBody::Device(Device::Zero) => 0x105,
            InodeBody::Device(Device::Full) => 0x107,
            InodeBody::Device(Device::Random) => 0x109,
            InodeBody::Device(Device::Tty) => 0x500,
            InodeBody::Pipe(Pipe { terminal: true, .. })
            | InodeBody::Output { terminal: true, .. } => 0x8800,
            _ => 0,
        };
        Stat {
            node,
            mode: self.kind() | self.permissions,
            links: self.links,
            uid: self.uid,
            gid: self.gid,
            device,
            size: self.size(),
            times: self.times,
        }
    }

    /// Whether a user may read (4), write (2), execute or search (1).
    pub fn allows(&self, identity: Identity, want: u32) -> bool {
        if identity.uid == 0 {
            return want & 1 == 0 || self.is_directory() || self.permissions & 0o111 != 0;
        }
        let shift = if identity.uid == self.uid {
            6
        } else if identity.gid == self.gid {
            3
        } else {
            0
        };
        self.permissions >> shift & want == want
    }

    pub fn check(&self, identity: Identity, want: u32) -> Result<(), Errno> {
        if self.allows(identity, want) {
            Ok(())
        } else {
            Err(Errno::EACCES)
        }
    }
}

/// All files. Those that the program found and did not change are shared by all clones for ever, so
/// that a change after a clone costs what was changed so far, not what there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileTree {
    found: Rc<BTreeMap<InodeId, Rc<Inode>>>,
    /// Nothing in place of what was removed.
    changed: BTreeMap<InodeId, Option<Rc<Inode>>>,
    last: InodeId,
}

impl FileTree {
    /// The root folder.
    pub const ROOT: InodeId = 2;

    /// A tree of an empty root folder.
    pub fn new(identity: Identity, now: Time) -> Self {
        let mut tree = FileTree {
            last: Self::ROOT - 1,
            ..FileTree::default()
        };
        let mut root = Directory::new(Self::ROOT);
        root.of_host = true;
        tree.add(Inode::new(InodeBody::Directory(root), 0o755, identity, now));
        tree
    }

    /// Adds a file that has no name yet.
    pub fn add(&mut self, node: Inode) -> InodeId {
        self.last += 1;
        self.changed.insert(self.last, Some(Rc::new(node)));
        self.last
    }

    /// Makes what is there now what the program finds.
    pub fn settle(&mut self) {
        let mut found = BTreeMap::clone(&self.found);
        for (id, node) in std::mem::take(&mut self.changed) {
            match node {
                Some(node) => found.insert(id, node),
                None => found.remove(&id),
            };
        }
        self.found = Rc::new(found);
    }

    pub fn node(&self, id: InodeId) -> &Inode {
        let node = match self.changed.get(&id) {
            Some(changed) => changed.as_ref(),
            None => self.found.get(&id),
        };
        node.expect("a file that is held")
    }

    /// Whether the host has more in a folder than is known.
    pub fn is_of_host(&self, folder: InodeId) -> bool {
        let folder = self.node(folder).directory();
        folder.is_ok_and(|folder| folder.of_host)
    }

    pub fn node_mut(&mut self, id: InodeId) -> &mut Inode {
        let found = &self.found;
        let changed = self.changed.entry(id);
        let node = changed.or_insert_with(|| found.get(&id).cloned());
        Rc::make_mut(node.as_mut().expect("a file that is held"))
    }

    pub fn remove(&mut self, id: InodeId) {
        if self.found.contains_key(&id) {
            self.changed.insert(id, None);
        } else {
            self.changed.remove(&id);
        }
    }

    /// What a name in a folder means, `.` and `..` aside.
    pub fn child(&self, directory: InodeId, name: &[u8]) -> Option<InodeId> {
        let directory = self.node(directory).directory().ok()?;
        directory.entries.get(name).map(|entry| entry.node)
    }

    /// Gives a file a name in a folder. The counts of links are right afterwards.
    pub fn link(&mut self, directory: InodeId, name: &[u8], node: InodeId, now: Time) {
        let is_directory = self.node(node).is_directory();
        let folder = self.node_mut(directory);
        folder.times[1] = now;
        folder.times[2] = now;
        if is_directory {
            folder.links += 1;
        }
        if let InodeBody::Directory(folder) = &mut folder.body {
            folder.insert(name.to_vec(), node);
        }
        if let InodeBody::Directory(child) = &mut self.node_mut(node).body {
            child.parent = directory;
        }
    }

    /// Takes a name out of a folder; the file itself stays.
    pub fn unlink(&mut self, directory: InodeId, name: &[u8], now: Time) {
        let Some(node) = self.child(directory, name) else {
            return;
        };
        let is_directory = self.node(node).is_directory();
        let folder = self.node_mut(directory);
        folder.times[1] = now;
        folder.times[2] = now;
        if is_directory {
            folder.links -= 1;
        }
        if let InodeBody::Directory(folder) = &mut folder.body {
            folder.entries.remove(name);
        }
    }

    /// Whether a folder is another one or above it.
    pub fn is_above(&self, above: InodeId, mut below: InodeId) -> bool {
        loop {
            if above == below {
                return true;
            }
            match self.node(below).directory() {
                Ok(directory) if directory.parent != below => below = directory.parent,
                Ok(_) | Err(_) => return false,
            }
        }
    }

    /// Folders and names on the way from the root to a folder; `None` if it was removed.
    pub fn path_of(&self, mut directory: InodeId) -> Option<Vec<u8>> {
        let mut names: Vec<&[u8]> = Vec::new();
        while directory != Self::ROOT {
            let parent = self.node(directory).directory().ok()?.parent;
            let folder = self.node(parent).directory().ok()?;
            let (name, _) = folder.entries.iter().find(|(_, e)| e.node == directory)?;
            names.push(name);
            directory = parent;
        }
        if names.is_empty() {
            return Some(b"/".to_vec());
        }
        let mut path = Vec::new();
        for name in names.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        Some(path)
    }

    /// Names of everything below a folder with their paths, at most `limit` of them.
    pub fn names_below(&self, directory: InodeId, prefix: &[u8], limit: usize) -> Vec<Vec<u8>> {
        let mut names = Vec::new();
        let mut work = vec![(directory, prefix.to_vec())];
        while let Some((folder, prefix)) = work.pop() {
            let Ok(folder) = self.node(folder).directory() else {
                continue;
            };
            for (name, entry) in &folder.entries {
                if names.len() == limit {
                    return names;
                }
                let path = [&prefix[..], name].concat();
                if self.node(entry.node).is_directory() {
                    work.push((entry.node, [&path[..], b"/"].concat()));
                }
                names.push(path);
            }
        }
        names
    }
}
