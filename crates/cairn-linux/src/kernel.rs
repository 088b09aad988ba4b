//! The system as one process sees it: what it consists of, and how a call gets to its function.

use crate::abi::Abi;
use crate::calls::signals;
use crate::calls::{Mappings, Signals, SystemCall, Timer};
use crate::failing;
use crate::failing::{CallFate, Failing};
use crate::files::{
    Descriptors, FileContent, FileTree, Identity, InodeBody, InodeId, OpenFile, SocketPeers,
};
use crate::reply::NoResult;
use crate::setup::RandomSource;
use crate::symbolic::SymbolicObject;
use crate::{Errno, Exactness, Reply, Setup};
use cairn_memory::{Fault, Memory, Word};
use std::cell::Cell;
use std::rc::Rc;

/// Linux as one process sees it. A clone shares everything with the original until one of them
/// changes something; together with a clone of the memory it is a copy of the whole system.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) abi: Abi,
    pub(crate) tree: Rc<FileTree>,
    pub(crate) descriptors: Rc<Descriptors>,
    pub(crate) process: Rc<ProcessRecord>,
    pub(crate) mappings: Rc<Mappings>,
    pub(crate) symbolic: Rc<Vec<SymbolicObject>>,
    /// Standard input as the program found it.
    pub(crate) input: InodeId,
    pub(crate) outputs: [InodeId; 2],
    /// Those at the other ends of sockets, if there are sockets.
    pub(crate) peers: Option<Rc<SocketPeers>>,
    pub(crate) failing: Failing,
    /// Whether a bad address gives `EFAULT`.
    pub(crate) efault: bool,
    /// Whether the last answer was the only one that Linux could give, if its call said so.
    pub(crate) exactness: Option<Exactness>,
    /// Values that the caller chose for this call in place of unknown words of the program's memory: the
    /// address of each word, and its value.
    pub(crate) given: Vec<(u64, Word)>,
    /// What the last call had to do with folders of the host.
    pub(crate) met_host: Cell<HostFolders>,
    /// The folder that the program began in and those above it, but for the root.
    pub(crate) homes: Rc<[InodeId]>,
    /// Whether a name of the last call led to one of them, or out of it upwards.
    pub(crate) at_home: Cell<bool>,
}

/// Whether the answer of a call differs between runs of a program, or between machines, so that its
/// output cannot be compared: the time, the numbers of processes, the name and the state of the system, the room on a
/// disk. This does not follow from the call table: nearly every program calls `mmap`, `ioctl` or `stat`,
/// whose answers are some of many as well but seldom printed, and no output would be left to compare. A test of the table
/// (`every_call_that_varies_is_compared_or_not`) asks for each call whose answers vary to be in one of two lists.
pub(crate) fn makes_output_incomparable(name: &str) -> bool {
    matches!(
        name,
        "time"
            | "gettimeofday"
            | "clock_gettime"
            | "times"
            | "getrusage"
            | "getpid"
            | "gettid"
            | "getppid"
            | "getpgrp"
            | "getpgid"
            | "getsid"
            | "uname"
            | "sysinfo"
            | "sched_getaffinity"
            | "statfs"
            | "fstatfs"
    )
}

/// What a call had to do with folders of which the host may have more than the model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostFolders {
    /// A name leads through one.
    pub through: bool,
    /// A name was not found in one, or below.
    pub missed: bool,
    /// A name in one, or below, was to be made or removed.
    pub changed: bool,
}

/// Whether Linux is certain to refuse an address: nothing is there, or nothing that may be written. An
/// access that leaves an object, or whose object has ended, may well hit memory of the process; that
/// stays an error of the program.
fn is_surely_refused(fault: &Fault) -> bool {
    match fault {
        Fault::Null { .. } | Fault::ReadOnly { .. } => true,
        Fault::OutOfBounds { object, .. } => object.is_none(),
        Fault::UseAfterFree { .. }
        | Fault::UseAfterScope { .. }
        | Fault::Symbolic { .. }
        | Fault::Overlap { .. }
        | Fault::InvalidFree { .. }
        | Fault::DoubleFree { .. }
        | Fault::MismatchedFree { .. }
        | Fault::StackOverflow { .. }
        | Fault::OutOfMemory { .. }
        | Fault::InvalidAlignment { .. } => false,
    }
}

/// What the process is and has besides files and memory.
#[derive(Clone, Debug)]
pub(crate) struct ProcessRecord {
    pub pid: u32,
    pub identity: Identity,
    /// Identities that were saved: the real ones stay as they are.
    pub real: Identity,
    pub cwd: InodeId,
    pub umask: u32,
    /// Nanoseconds since the program started.
    pub elapsed: u64,
    /// Seconds since 1970 when it started.
    pub origin: i64,
    pub random: RandomSource,
    /// The time is the caller's.
    pub symbolic_clock: bool,
    /// Nanoseconds that the program had slept at its last look at each clock.
    pub slept_at: [u64; 16],
    /// Answers that the program got and that differ between runs, in order: a name and the bytes.
    pub told: Vec<(&'static str, Vec<u8>)>,
    /// Random bytes that were given away.
    pub drawn: u64,
    pub limits: [(u64, u64); 16],
    pub signals: Signals,
    /// Timers, by their numbers.
    pub timers: [Timer; 3],
    pub name: [u8; 16],
    /// Whether what the program prints may differ from a real run, because it was told something that differs between
    /// runs, or what is in the root folder or that of the devices.
    pub output_incomparable: bool,
    /// What `umask`, `prctl` and the like keep that nothing depends on.
    pub dumpable: u64,
    /// The thread pointer that `arch_prctl` sets.
    pub thread_pointer: Word,
}

/// Streams whose output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// Nanoseconds that pass with each look at the clock, so that a program that waits for a time gets
/// there.
pub(crate) const TICK: u64 = 1000;

/// The number of `RLIMIT_NOFILE`.
pub(crate) const LIMIT_FILES: usize = 7;

impl ProcessRecord {
    /// Descriptors are below this number.
    pub fn descriptor_limit(&self) -> u64 {
        self.limits[LIMIT_FILES].0
    }
}

/// Whether the time is the caller's.
pub fn has_symbolic_clock(kernel: &Kernel) -> bool {
    kernel.process.symbolic_clock
}

/// Whether nothing tells two systems apart. What is shared is not compared further, so it may be false of systems
/// that are equal.
pub fn same_systems(one: &Kernel, other: &Kernel) -> bool {
    let peers = match (&one.peers, &other.peers) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (Some(_), None) | (None, Some(_)) => false,
    };
    peers
        && Rc::ptr_eq(&one.tree, &other.tree)
        && Rc::ptr_eq(&one.descriptors, &other.descriptors)
        && Rc::ptr_eq(&one.process, &other.process)
        && Rc::ptr_eq(&one.mappings, &other.mappings)
        && Rc::ptr_eq(&one.symbolic, &other.symbolic)
        && one.failing.is_same(&other.failing)
        && one.given.is_empty()
        && other.given.is_empty()
}

impl Kernel {
    /// A system as a program finds it. What is unknown is made in the memory and listed by
    /// [`symbolic`](Self::symbolic), to be filled in before the first call.
    ///
    /// # Errors
    /// What cannot be set up.
    pub fn new(setup: &Setup, memory: &mut Memory) -> Result<Self, crate::SetupError> {
        crate::start::start(setup, memory)
    }

    /// Does a system call.
    pub fn call(&mut self, memory: &mut Memory, number: u64, args: [Word; 6]) -> Reply {
        let reply = perform(self, memory, number, args);
        if !matches!(reply, Reply::Need(_)) {
            self.given.clear();
        }
        reply
    }

    /// Answers [`Need::Address`](crate::Need::Address) and [`Need::Descriptor`](crate::Need::Descriptor): when the call
    /// that asked is made again, it reads this value at the place, whose bytes in memory stay unknown.
    pub fn give(&mut self, at: Word, value: Word) {
        self.given.push((at.bits, value));
    }

    /// What was [given](Self::give) since the last call: the address of each word, and its value.
    pub fn given(&self) -> &[(u64, Word)] {
        &self.given
    }

    /// The descriptors that are open, in order.
    pub fn descriptors(&self) -> impl Iterator<Item = u32> {
        self.descriptors.numbers()
    }

    /// Descriptors are below this number when they are made.
    pub fn descriptor_limit(&self) -> u64 {
        self.process.descriptor_limit()
    }

    /// Notes that a name in a folder is to be made or removed.
    pub(crate) fn changes_name(&self, directory: InodeId) {
        let met = self.met_host.get();
        let of_host = self.tree.is_of_host(directory);
        self.met_host.set(HostFolders {
            changed: met.changed || met.through || of_host,
            ..met
        });
    }

    /// Hands over what came on standard input, after [`Need::Input`](crate::Need::Input); nothing is its
    /// end.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn give_input(&mut self, memory: &mut Memory, bytes: &[u8]) -> Result<(), Errno> {
        let input = self.input;
        if let InodeBody::Pipe(pipe) = &mut self.tree_mut().node_mut(input).body {
            pipe.awaited = !bytes.is_empty();
            pipe.content.append(memory, bytes)?;
        }
        Ok(())
    }

    /// Whether a bad address is refused with `EFAULT`, and is no error of the program.
    pub(crate) fn refuses(&self, fault: &Fault) -> bool {
        self.efault && is_surely_refused(fault)
    }

    /// Whether an address where nothing is and nothing was is refused with `EFAULT`, while others in no
    /// object are errors of the program. If not, all of them are.
    pub fn refuses_addresses(&self) -> bool {
        self.efault
    }

    /// Whether a timer runs. Its signal is never delivered.
    pub fn has_timer(&self) -> bool {
        self.process.timers.iter().any(Timer::runs)
    }

    /// Whether the program got an answer that differs between runs on a real system: the time, random
    /// bytes and the like. Its output may be different then.
    pub fn output_is_incomparable(&self) -> bool {
        self.process.output_incomparable || self.process.drawn > 0
    }

    /// Whether the answer of the last call is the only one that Linux could give.
    pub fn exactness(&self) -> Exactness {
        self.exactness.unwrap_or(Exactness::Exact)
    }

    /// Answers that the program got and that differ between runs, in order, to be kept in tests: readings
    /// of clocks (seconds and nanoseconds, each a word), random bytes, the process's number.
    pub fn told(&self) -> &[(&'static str, Vec<u8>)] {
        &self.process.told
    }

    /// Keeps what the program is told, as far as there is room.
    pub(crate) fn tell(&mut self, name: &'static str, bytes: Vec<u8>) {
        const MOST: usize = 1000;
        let told = &mut self.process_mut().told;
        if told.len() < MOST {
            told.push((name, bytes));
        }
    }

    /// The architecture.
    pub fn abi(&self) -> Abi {
        self.abi
    }

    /// The objects with unknown content when the program starts: the caller fills them in.
    pub fn symbolic(&self) -> &[SymbolicObject] {
        &self.symbolic
    }

    /// The bytes that were written to a stream: the object that begins with them, and how many they are;
    /// no object if nothing was written.
    pub fn output(&self, stream: Stream) -> (Option<Word>, u64) {
        let node = match stream {
            Stream::Output => self.outputs[0],
            Stream::Errors => self.outputs[1],
        };
        match &self.tree.node(node).body {
            InodeBody::Output { content, .. } | InodeBody::File(content) => {
                (content.object(), content.size())
            }
            InodeBody::Directory(_)
            | InodeBody::Link(_)
            | InodeBody::Device(_)
            | InodeBody::Pipe(_)
            | InodeBody::DescriptorLink(_)
            | InodeBody::Socket(_) => (None, 0),
        }
    }

    /// The bytes that each peer of a socket was sent, in the order of [`Setup::sockets`]: as
    /// [`output`](Self::output) of a stream.
    pub fn sent(&self) -> Vec<(Option<Word>, u64)> {
        let peers = self.peers.iter();
        let sent = peers.flat_map(|peers| &peers.sent);
        sent.map(|content| (content.object(), content.size()))
            .collect()
    }

    /// The content of a regular file: its object, if it has been looked at, and its size.
    ///
    /// # Errors
    /// Why there is no such file.
    pub fn file(&self, path: &[u8]) -> Result<(Option<Word>, u64), Errno> {
        let opened = |_| None;
        let root = Identity { uid: 0, gid: 0 };
        let mut walk = crate::files::Walk::new(&self.tree, root, &opened);
        let node = walk.lookup(self.process.cwd, path, true)?;
        match &self.tree.node(node).body {
            InodeBody::File(content) => Ok((content.object(), content.size())),
            InodeBody::Directory(_) => Err(Errno::EISDIR),
            InodeBody::Link(_)
            | InodeBody::Device(_)
            | InodeBody::Pipe(_)
            | InodeBody::Output { .. }
            | InodeBody::DescriptorLink(_)
            | InodeBody::Socket(_) => Err(Errno::EINVAL),
        }
    }

    /// The time as it is now, which moves on a little.
    pub(crate) fn tick(&mut self) -> (i64, u32) {
        Rc::make_mut(&mut self.process).elapsed += TICK;
        self.now()
    }

    /// The time as it is now.
    pub(crate) fn now(&self) -> (i64, u32) {
        let seconds = (self.process.elapsed / 1_000_000_000) as i64;
        let nanos = (self.process.elapsed % 1_000_000_000) as u32;
        (self.process.origin.saturating_add(seconds), nanos)
    }

    pub(crate) fn process_mut(&mut self) -> &mut ProcessRecord {
        Rc::make_mut(&mut self.process)
    }

    pub(crate) fn tree_mut(&mut self) -> &mut FileTree {
        Rc::make_mut(&mut self.tree)
    }

    pub(crate) fn descriptors_mut(&mut self) -> &mut Descriptors {
        Rc::make_mut(&mut self.descriptors)
    }

    /// Keeps a file from ending.
    pub(crate) fn hold(&mut self, node: InodeId) {
        self.tree_mut().node_mut(node).held += 1;
    }

    /// The opposite of [`hold`](Self::hold).
    pub(crate) fn let_go(&mut self, memory: &mut Memory, node: InodeId) {
        let held = &mut self.tree_mut().node_mut(node).held;
        *held = held.saturating_sub(1);
        self.end_if_unused(memory, node);
    }

    /// Frees a file that has neither a name nor a holder. A folder that was removed holds its parent,
    /// which may be freed with it.
    pub(crate) fn end_if_unused(&mut self, memory: &mut Memory, mut node: InodeId) {
        loop {
            let entry = self.tree.node(node);
            if entry.links > 0 || entry.held > 0 {
                return;
            }
            let tree = self.tree_mut();
            let above = match &mut tree.node_mut(node).body {
                InodeBody::File(content) | InodeBody::Output { content, .. } => {
                    content.release(memory);
                    None
                }
                InodeBody::Pipe(pipe) => {
                    pipe.content.release(memory);
                    None
                }
                InodeBody::Directory(directory) => Some(directory.parent),
                InodeBody::Link(_)
                | InodeBody::Device(_)
                | InodeBody::DescriptorLink(_)
                | InodeBody::Socket(_) => None,
            };
            tree.remove(node);
            let Some(above) = above else {
                return;
            };
            let held = &mut tree.node_mut(above).held;
            *held = held.saturating_sub(1);
            node = above;
        }
    }

    /// What happens when the last descriptor of an opening is closed.
    pub(crate) fn closed(&mut self, memory: &mut Memory, open: &OpenFile) {
        let is_pipe = matches!(self.tree.node(open.node).body, InodeBody::Pipe(_));
        if is_pipe && let InodeBody::Pipe(pipe) = &mut self.tree_mut().node_mut(open.node).body {
            if open.readable() {
                pipe.readers = pipe.readers.saturating_sub(1);
            }
            if open.writable() {
                pipe.writers = pipe.writers.saturating_sub(1);
            }
            if pipe.readers == 0 && pipe.writers == 0 {
                self.tree_mut().node_mut(open.node).links = 0;
            }
        }
        self.let_go(memory, open.node);
    }

    /// Opens a file under a number that is free.
    pub(crate) fn install(&mut self, number: u32, open: OpenFile, close_on_exec: bool) {
        if let InodeBody::Pipe(pipe) = &mut self.tree_mut().node_mut(open.node).body {
            pipe.readers += u32::from(open.readable());
            pipe.writers += u32::from(open.writable());
        }
        self.hold(open.node);
        self.descriptors_mut().insert(number, open, close_on_exec);
    }

    /// The content of a file that has some.
    pub(crate) fn content_mut(&mut self, node: InodeId) -> Option<&mut FileContent> {
        match &mut self.tree_mut().node_mut(node).body {
            InodeBody::File(content) | InodeBody::Output { content, .. } => Some(content),
            InodeBody::Pipe(pipe) => Some(&mut pipe.content),
            InodeBody::Directory(_)
            | InodeBody::Link(_)
            | InodeBody::Device(_)
            | InodeBody::DescriptorLink(_)
            | InodeBody::Socket(_) => None,
        }
    }

    /// The object of a file's content. A file that was read before is not changed by it, so that
    /// clones that only read go on sharing all files.
    pub(crate) fn object_of(&mut self, memory: &mut Memory, node: InodeId) -> Result<Word, Errno> {
        let known = match &self.tree.node(node).body {
            InodeBody::File(content) | InodeBody::Output { content, .. } => content.object(),
            InodeBody::Pipe(pipe) => pipe.content.object(),
            InodeBody::Directory(_)
            | InodeBody::Link(_)
            | InodeBody::Device(_)
            | InodeBody::DescriptorLink(_)
            | InodeBody::Socket(_) => None,
        };
        if let Some(object) = known {
            return Ok(object);
        }
        match self.content_mut(node) {
            Some(content) => content.materialise(memory),
            None => Err(Errno::EINVAL),
        }
    }

    /// Notes that the content of a file was changed now.
    pub(crate) fn touch(&mut self, node: InodeId) {
        let now = self.now();
        let entry = self.tree_mut().node_mut(node);
        entry.times[1] = now;
        entry.times[2] = now;
    }

    /// Notes that something about a file was changed now.
    pub(crate) fn touch_status(&mut self, node: InodeId) {
        let now = self.now();
        self.tree_mut().node_mut(node).times[2] = now;
    }
}

/// Finds the handler of a call, calls it, and notes whether another answer was possible.
fn perform(kernel: &mut Kernel, memory: &mut Memory, number: u64, args: [Word; 6]) -> Reply {
    if let Some(reply) = signals::deliver_by_call(kernel, memory, number, args) {
        return reply;
    }
    let entry = kernel.abi.entry(number);
    let Some((entry, handler)) = entry.and_then(|entry| Some((entry, entry.handler?))) else {
        let name = entry.map(|entry| entry.name);
        return Reply::NotModelled { number, name };
    };
    let name = entry.name;
    let before = kernel.failing.clone();
    let mut args = entry.signature.seen_arguments(args);
    let varies = entry.varies;
    let last = kernel.exactness.take();
    kernel.at_home.set(false);
    match failing::fate(kernel, memory, name, &args) {
        Ok(CallFate::Done) => {}
        Ok(CallFate::Short) => args[2] = Word::int(1),
        Ok(CallFate::Fails(errno)) => return Reply::error(errno),
        Err(need) => {
            kernel.exactness = last;
            return Reply::Need(need);
        }
    }
    let mut call = SystemCall {
        kernel: &mut *kernel,
        memory: &mut *memory,
        args,
    };
    let result = handler(&mut call);
    if kernel.exactness.is_none() {
        kernel.exactness = varies.map(|varies| varies.exactness(result.is_err()));
    }
    if kernel.at_home.get() && kernel.exactness() == Exactness::Exact {
        kernel.exactness = Some(Exactness::OneOf(crate::call_table::FOLDER));
    }
    let met = kernel.met_host.take();
    let is_missing = matches!(result, Err(NoResult::Errno(Errno::ENOENT)));
    if met.changed || (met.missed && is_missing) {
        kernel.exactness = Some(Exactness::OneOf(crate::call_table::HOST_FILES));
    }
    if kernel.abi == Abi::Riscv64
        && kernel.exactness == Some(Exactness::OneOf(crate::call_table::LAYOUT))
    {
        // The library of an executable asks, for its heap.
        kernel.exactness = Some(Exactness::Exact);
    }
    if let Err(NoResult::Errno(errno)) = result {
        kernel.exactness = match errno {
            Errno::ENOMEM => Some(Exactness::OneOf(crate::call_table::ROOM)),
            Errno::EFBIG => Some(Exactness::OneOf(crate::call_table::FILE_SIZE)),
            Errno::EMFILE => Some(Exactness::OneOf(crate::call_table::LIMITS)),
            // The superuser may, and a file may belong to another user.
            Errno::EACCES | Errno::EPERM => Some(Exactness::OneOf(crate::call_table::PRIVILEGE)),
            _ => kernel.exactness,
        };
    }
    match result {
        Ok(word) => {
            if makes_output_incomparable(name) && !kernel.process.output_incomparable {
                kernel.process_mut().output_incomparable = true;
            }
            Reply::Return(word)
        }
        Err(NoResult::Errno(errno)) => Reply::error(errno),
        // The call counts: it was made, and failed.
        Err(NoResult::Fault(fault)) if kernel.refuses(&fault) => Reply::error(Errno::EFAULT),
        Err(NoResult::Fault(fault)) => {
            kernel.exactness = last;
            kernel.failing = before;
            Reply::Fault(fault)
        }
        Err(NoResult::Need(need)) => {
            // It is called again, and counts once.
            kernel.exactness = last;
            kernel.failing = before;
            Reply::Need(need)
        }
        Err(NoResult::Reply(reply)) => reply,
    }
}
