//! Setting up: the files, streams and folders that a program finds.

use crate::abi::{Abi, Fields};
use crate::calls::{Mappings, Signals};
use crate::failing::{Failing, KINDS, MOST_SHORT_READS, NUMBER_BYTES, SHORT_READS};
use crate::files::{
    Descriptors, Device, Directory, FileContent, FileTree, Identity, Inode, InodeBody, InodeId,
    OpenFile, Pipe, SocketPeers, Walk, flags,
};
use crate::kernel::{Kernel, LIMIT_FILES, ProcessRecord};
use crate::setup::{HostContent, HostFile, Setup, StandardInput, StreamKind};
use crate::symbolic::{SymbolicKind, SymbolicObject, stat_rules};
use crate::{Errno, SetupError};
use cairn_memory::{Memory, ObjectKind, Word};
use std::rc::Rc;

/// Bytes of unknown standard output.
const SYMBOLIC_OUTPUT: u64 = 1024;

/// The most files of unknown content: they are named by letters.
const MOST_SYMBOLIC_FILES: u32 = 26;

/// The most peers that a program can meet by sockets.
const MOST_PEERS: u32 = 1000;

struct StartBuilder<'a> {
    abi: Abi,
    tree: FileTree,
    identity: Identity,
    now: (i64, u32),
    cwd: InodeId,
    memory: &'a mut Memory,
    symbolic: Vec<SymbolicObject>,
}

impl StartBuilder<'_> {
    /// A folder and those above it, made if need be.
    fn folder(&mut self, path: &[u8]) -> Result<InodeId, Errno> {
        let mut at = if path.first() == Some(&b'/') {
            FileTree::ROOT
        } else {
            self.cwd
        };
        for name in path.split(|&b| b == b'/') {
            at = match name {
                b"" | b"." => at,
                b".." => self.tree.node(at).directory()?.parent,
                name => match self.tree.child(at, name) {
                    Some(_) => {
                        let opened = |_| None;
                        let root = Identity { uid: 0, gid: 0 };
                        let mut walk = Walk::new(&self.tree, root, &opened);
                        let found = walk.lookup(at, name, true)?;
                        self.tree.node(found).directory()?;
                        found
                    }
                    None => {
                        let mut folder = Directory::new(at);
                        folder.of_host = self.tree.node(at).directory()?.of_host;
                        self.make(at, name, InodeBody::Directory(folder), 0o755)?
                    }
                },
            };
        }
        Ok(at)
    }

    fn make(
        &mut self,
        directory: InodeId,
        name: &[u8],
        body: InodeBody,
        permissions: u32,
    ) -> Result<InodeId, Errno> {
        if self.tree.child(directory, name).is_some() {
            return Err(Errno::EEXIST);
        }
        let node = Inode::new(body, permissions, self.identity, self.now);
        let node = self.tree.add(node);
        self.tree.link(directory, name, node, self.now);
        Ok(node)
    }

    fn host_file(&mut self, file: &HostFile) -> Result<(), Errno> {
        let end = file.path.iter().rposition(|&b| b != b'/');
        let path = &file.path[..end.map_or(0, |end| end + 1)];
        let start = path.iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
        let (folder, name) = path.split_at(start);
        let node = match &file.content {
            HostContent::Directory => self.folder(path)?,
            HostContent::File(bytes) => {
                let folder = self.folder(folder)?;
                let body = InodeBody::File(FileContent::host(bytes.clone()));
                self.make(folder, name, body, 0o644)?
            }
            HostContent::Link(target) => {
                let folder = self.folder(folder)?;
                self.make(folder, name, InodeBody::Link(target.clone()), 0o777)?
            }
        };
        let entry = self.tree.node_mut(node);
        entry.read_only = file.read_only;
        if !matches!(file.content, HostContent::Link(_)) {
            entry.permissions = file.mode & 0o7777;
        }
        Ok(())
    }

    fn note(&mut self, name: String, at: Word, size: u64, kind: SymbolicKind) {
        self.symbolic.push(SymbolicObject {
            name,
            at,
            size,
            kind,
            rules: Vec::new(),
        });
    }

    /// What decides which calls fail, and which reads are short.
    fn failing(&mut self, setup: &Setup) -> Result<Failing, Errno> {
        let mut object = |name: &str, size: u64| {
            let at = self.memory.allocate(ObjectKind::Kernel, size, 8);
            let at = at.map_err(|_| Errno::ENOMEM)?;
            self.note(name.to_string(), at, size, SymbolicKind::Data);
            Ok(at)
        };
        let kinds = KINDS.iter().filter(|_| setup.max_fail > 0);
        let bytes = u64::from(NUMBER_BYTES);
        let objects = kinds.map(|(name, _)| object(name, bytes));
        let objects = objects.collect::<Result<Vec<Word>, Errno>>()?;
        let short = match setup.short_reads {
            true => Some(object(SHORT_READS, MOST_SHORT_READS)?),
            false => None,
        };
        Ok(Failing::new(setup.max_fail, objects, short))
    }

    /// Those at the other ends of sockets.
    fn peers(&mut self, count: u32, bytes: u64) -> Result<SocketPeers, Errno> {
        if count > MOST_PEERS {
            return Err(Errno::EINVAL);
        }
        let mut objects = Vec::new();
        for number in 0..count {
            let at = self.memory.allocate(ObjectKind::Kernel, bytes, 8);
            let at = at.map_err(|_| Errno::ENOMEM)?;
            self.note(format!("socket{number}"), at, bytes, SymbolicKind::Data);
            objects.push(at);
        }
        Ok(SocketPeers::new(objects, bytes))
    }

    /// A file of unknown content in the working directory.
    fn link_symbolic_file(&mut self, name: &str, size: u64) -> Result<(), Errno> {
        let (data, stat) = (format!("{name}-data"), format!("{name}-data-stat"));
        let node = self.symbolic_file(&data, &stat, size)?;
        if self.tree.child(self.cwd, name.as_bytes()).is_some() {
            return Err(Errno::EEXIST);
        }
        self.tree.link(self.cwd, name.as_bytes(), node, self.now);
        Ok(())
    }

    /// A file of unknown content whose `stat` is unknown too, without a name in a folder.
    fn symbolic_file(&mut self, data: &str, stat: &str, size: u64) -> Result<InodeId, Errno> {
        let (content, at) = FileContent::reserved(self.memory, size)?;
        self.note(data.to_string(), at, size, SymbolicKind::Data);
        let node = Inode::new(InodeBody::File(content), 0o644, self.identity, self.now);
        let node = self.tree.add(node);
        let bytes = Fields::of(self.abi).bytes;
        let at = self.memory.allocate(ObjectKind::Kernel, bytes, 8);
        let at = at.map_err(|_| Errno::ENOMEM)?;
        self.tree.node_mut(node).stat = Some(at);
        let usual = self.tree.node(node).stat(node);
        self.note(stat.to_string(), at, bytes, SymbolicKind::Stat);
        if let Some(last) = self.symbolic.last_mut() {
            last.rules = stat_rules(self.abi, &usual);
        }
        // Known until the caller fills it in.
        let encoded = Fields::of(self.abi).encode(&usual);
        let stored = self.memory.store_bytes(at, &encoded);
        stored.map_err(|_| Errno::ENOMEM)?;
        Ok(node)
    }

    fn standard_input(&mut self, setup: &Setup) -> Result<InodeId, Errno> {
        let content = match &setup.stdin {
            StandardInput::Symbolic(size) if setup.stdin_kind == StreamKind::File => {
                return self.symbolic_file("stdin", "stdin-stat", *size);
            }
            StandardInput::Symbolic(size) => {
                let (content, at) = FileContent::reserved(self.memory, *size)?;
                self.note("stdin".to_string(), at, *size, SymbolicKind::Data);
                content
            }
            StandardInput::Bytes(bytes) => FileContent::host(bytes.clone()),
            StandardInput::Awaited => FileContent::EMPTY,
        };
        let awaited = setup.stdin == StandardInput::Awaited;
        let body = match setup.stdin_kind {
            StreamKind::File if !awaited => InodeBody::File(content),
            StreamKind::File | StreamKind::Pipe | StreamKind::Terminal => InodeBody::Pipe(Pipe {
                content,
                start: 0,
                readers: 0,
                writers: 0,
                terminal: setup.stdin_kind == StreamKind::Terminal,
                awaited,
            }),
        };
        let node = Inode::new(body, 0o600, self.identity, self.now);
        Ok(self.tree.add(node))
    }

    fn output(&mut self, kind: StreamKind) -> InodeId {
        let content = FileContent::EMPTY;
        let body = match kind {
            StreamKind::File => InodeBody::File(content),
            StreamKind::Pipe | StreamKind::Terminal => InodeBody::Output {
                content,
                terminal: kind == StreamKind::Terminal,
            },
        };
        let permissions = if kind == StreamKind::File {
            0o644
        } else {
            0o600
        };
        let node = Inode::new(body, permissions, self.identity, self.now);
        self.tree.add(node)
    }

    /// A folder of the user in folders that are not the user's; all that is in it is known.
    fn own_folder(&mut self, path: &[u8]) -> Result<InodeId, Errno> {
        let user = self.identity;
        self.identity = Identity { uid: 0, gid: 0 };
        let folder = self.folder(path);
        self.identity = user;
        let folder_id = folder?;
        let node = self.tree.node_mut(folder_id);
        (node.uid, node.gid) = (user.uid, user.gid);
        if let InodeBody::Directory(folder) = &mut node.body {
            folder.of_host = folder_id == FileTree::ROOT;
        }
        folder
    }

    /// The folders and devices that every system has.
    fn usual_files(&mut self) -> Result<(), Errno> {
        let user = self.identity;
        self.identity = Identity { uid: 0, gid: 0 };
        let devices = [
            ("null", Device::Null),
            ("zero", Device::Zero),
            ("full", Device::Full),
            ("tty", Device::Tty),
            ("random", Device::Random),
            ("urandom", Device::Random),
        ];
        let folder = self.folder(b"/dev")?;
        for (name, device) in devices {
            self.make(folder, name.as_bytes(), InodeBody::Device(device), 0o666)?;
        }
        for (number, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
            let body = InodeBody::DescriptorLink(number as u32);
            self.make(folder, name.as_bytes(), body, 0o777)?;
        }
        let tmp = self.folder(b"/tmp")?;
        self.tree.node_mut(tmp).permissions = 0o1777;
        self.identity = user;
        Ok(())
    }
}

/// A system as a program finds it.
pub(crate) fn start(setup: &Setup, memory: &mut Memory) -> Result<Kernel, SetupError> {
    let identity = Identity {
        uid: setup.uid,
        gid: setup.gid,
    };
    let now = (setup.start_seconds, 0);
    let mut start = StartBuilder {
        abi: setup.abi,
        tree: FileTree::new(Identity { uid: 0, gid: 0 }, now),
        identity,
        now,
        cwd: FileTree::ROOT,
        memory,
        symbolic: Vec::new(),
    };
    let failed = |what: &str| {
        let what = what.to_string();
        move |errno| SetupError { what, errno }
    };
    if setup.symbolic_files > MOST_SYMBOLIC_FILES {
        return Err(failed("more than 26 files of unknown content")(
            Errno::EINVAL,
        ));
    }
    start.usual_files().map_err(failed("the usual files"))?;
    let cwd = String::from_utf8_lossy(&setup.cwd).into_owned();
    start.cwd = start.own_folder(&setup.cwd).map_err(failed(&cwd))?;
    for file in &setup.files {
        let name = String::from_utf8_lossy(&file.path).into_owned();
        start.host_file(file).map_err(failed(&name))?;
    }
    for number in 0..setup.symbolic_files {
        let name = char::from(b'A' + number as u8).to_string();
        let linked = start.link_symbolic_file(&name, setup.symbolic_size);
        linked.map_err(failed(&name))?;
    }
    let input = start.standard_input(setup);
    let input = input.map_err(failed("standard input"))?;
    let output = if setup.symbolic_stdout {
        let node = start.symbolic_file("stdout", "stdout-stat", SYMBOLIC_OUTPUT);
        node.map_err(failed("standard output"))?
    } else {
        start.output(setup.output_kind)
    };
    let errors = start.output(setup.output_kind);

    let peers = match setup.sockets {
        Some((count, bytes)) => Some(start.peers(count, bytes).map_err(failed("sockets"))?),
        None => None,
    };
    let failing = start.failing(setup).map_err(failed("calls that fail"))?;
    let process = process(setup, identity, start.cwd);
    let cwd = start.cwd;
    start.tree.settle();
    let homes = folders_above(&start.tree, cwd);
    let mut kernel = Kernel {
        abi: setup.abi,
        tree: Rc::new(start.tree),
        descriptors: Rc::new(Descriptors::default()),
        exactness: None,
        given: Vec::new(),
        met_host: std::cell::Cell::default(),
        homes: homes.into(),
        at_home: std::cell::Cell::new(false),
        process: Rc::new(process),
        mappings: Rc::new(Mappings::new(setup.brk.clone())),
        symbolic: Rc::new(start.symbolic),
        input,
        outputs: [output, errors],
        peers: peers.map(Rc::new),
        failing,
        efault: setup.efault,
    };
    kernel.hold(cwd);
    // The outputs are kept when the program has closed them.
    kernel.hold(output);
    kernel.hold(errors);
    kernel.install(0, OpenFile::new(input, flags::LARGE), false);
    // Those that open a file set it; those that make a pipe do not.
    let large = match setup.output_kind {
        crate::StreamKind::Pipe => 0,
        crate::StreamKind::File | crate::StreamKind::Terminal => flags::LARGE,
    };
    let write = large | flags::WRITE_ONLY;
    kernel.install(1, OpenFile::new(output, write), false);
    kernel.install(2, OpenFile::new(errors, write), false);
    Ok(kernel)
}

/// The process before it ran.
fn process(setup: &Setup, identity: Identity, cwd: InodeId) -> ProcessRecord {
    let mut limits = [(u64::MAX, u64::MAX); 16];
    limits[LIMIT_FILES] = (1024, 4096);
    // RLIMIT_STACK and RLIMIT_CORE.
    limits[3] = (8 << 20, u64::MAX);
    limits[4] = (0, u64::MAX);
    ProcessRecord {
        pid: setup.pid,
        identity,
        real: identity,
        cwd,
        umask: setup.umask & 0o777,
        elapsed: 0,
        origin: setup.start_seconds,
        random: setup.random,
        symbolic_clock: setup.symbolic_clock,
        slept_at: [0; 16],
        told: Vec::new(),
        drawn: 0,
        output_incomparable: false,
        limits,
        signals: Signals::default(),
        timers: Default::default(),
        name: *b"program\0\0\0\0\0\0\0\0\0",
        dumpable: 1,
        thread_pointer: Word::int(0),
    }
}

/// A folder and those above it, without the root.
fn folders_above(tree: &FileTree, folder: InodeId) -> Vec<InodeId> {
    let mut above = Vec::new();
    let mut folder = folder;
    while folder != FileTree::ROOT
        && let Ok(directory) = tree.node(folder).directory()
    {
        above.push(folder);
        folder = directory.parent;
    }
    above
}
