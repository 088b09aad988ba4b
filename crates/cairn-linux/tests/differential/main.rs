//! The model against the kernel that the test runs on.
//!
//! Random sequences of system calls go, with the same numbers and arguments, to a model and to the
//! machine's own kernel, in a fresh folder that is the root of the process meanwhile. Values,
//! errors, bytes and what is known of files must be the same after each call. Half of the sequences
//! run as the superuser, half as an ordinary user.
//!
//! The test closes what it inherited, so that descriptors have the same numbers on both sides; it
//! changes its root, so it needs to be the superuser, and is left out otherwise. By hand, more of
//! it: `SEQUENCES=100000 SEED=7 cargo test --release -p cairn-linux --test differential`.

#[path = "../common/mod.rs"]
mod common;
mod generate;
mod host;

use cairn_linux::{Abi, Errno, Reply, Setup};
use cairn_memory::Word;
use common::Process;
use generate::{Arg, Generator, Step};
use host::Host;
use std::collections::BTreeMap;

/// What a step gave, in a form that both sides share.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Value(u64),
    Failed(Errno),
    Bytes(Vec<u8>),
    Stat {
        mode: u64,
        links: u64,
        owner: (u64, u64),
        size: Option<u64>,
        /// When the content changed, if that was set by the test.
        changed: Option<(u64, u64)>,
    },
    Names(Vec<(Vec<u8>, u8)>),
}

/// A result and what was written to the buffer.
type Answer = (Result<u64, Errno>, Vec<u8>);

/// One side: something that does a call on a buffer of so many bytes.
trait Side {
    fn answer(&mut self, name: &str, args: &[Arg]) -> Answer;
}

struct Model(Process);

impl Side for Model {
    fn answer(&mut self, name: &str, args: &[Arg]) -> Answer {
        match self.attempt(name, args) {
            Ok(answer) => answer,
            Err(reply) => panic!("{name}: {reply:?}"),
        }
    }
}

impl Model {
    /// As the kernel would answer, or a reply that is no answer.
    fn attempt(&mut self, name: &str, args: &[Arg]) -> Result<Answer, Reply> {
        let process = &mut self.0;
        let mut words = Vec::new();
        let mut made = Vec::new();
        let mut out = None;
        for arg in args {
            words.push(match arg {
                Arg::Number(value) => Word::int(*value),
                Arg::Name(text) => {
                    made.push(process.string(text));
                    *made.last().unwrap()
                }
                Arg::Bytes(bytes) => {
                    made.push(process.bytes(bytes));
                    *made.last().unwrap()
                }
                Arg::Both(bytes) => {
                    let at = process.bytes(bytes);
                    made.push(at);
                    out = Some((at, bytes.len() as u64));
                    at
                }
                Arg::Parts(parts) => {
                    let mut words = Vec::new();
                    for part in parts {
                        made.push(process.bytes(part));
                        words.extend(made.last().unwrap().bits.to_le_bytes());
                        words.extend(part.len().to_le_bytes());
                    }
                    made.push(process.bytes(&words));
                    *made.last().unwrap()
                }
                Arg::Room(length) => {
                    made.push(process.bytes(&vec![0xcc; *length]));
                    out = Some((*made.last().unwrap(), *length as u64));
                    *made.last().unwrap()
                }
            });
        }
        let reply = process.reply(name, &words);
        let bytes = out.map_or(Vec::new(), |(at, length)| process.load(at, length));
        for at in made {
            process.memory.free(at).unwrap();
        }
        match reply {
            Reply::Return(_) => Ok((common::outcome(reply), bytes)),
            other => Err(other),
        }
    }
}

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let mut all = [0; 8];
    all[..length].copy_from_slice(&bytes[at..at + length]);
    u64::from_le_bytes(all)
}

/// Numbers of files on both sides, which must always go together.
#[derive(Default)]
struct Pairs(BTreeMap<u64, u64>);

/// A time of change, if the test set it. Kernels differ in whether pipes have one.
fn was_set(mode: u64, time: (u64, u64)) -> Option<(u64, u64)> {
    let is_pipe = mode & 0o170000 == 0o010000;
    (time.0 < 1000 && !is_pipe).then_some(time)
}

/// What both sides are compared by.
fn seen(step: &Step, (result, bytes): &Answer) -> Seen {
    let value = match result {
        Err(errno) => return Seen::Failed(*errno),
        Ok(value) => *value,
    };
    match step.name {
        "read" | "pread64" | "readlink" | "readlinkat" | "getcwd" => {
            Seen::Bytes(bytes[..value as usize].to_vec())
        }
        "stat" | "lstat" | "fstat" | "newfstatat" => {
            let mode = number(bytes, 24, 4);
            let is_folder = mode & 0o170000 == 0o040000;
            let changed = (number(bytes, 88, 8), number(bytes, 96, 8));
            Seen::Stat {
                mode,
                links: number(bytes, 16, 8),
                owner: (number(bytes, 28, 4), number(bytes, 32, 4)),
                size: (!is_folder).then(|| number(bytes, 48, 8)),
                changed: was_set(mode, changed),
            }
        }
        "statx" => {
            let mode = number(bytes, 28, 2);
            let is_folder = mode & 0o170000 == 0o040000;
            let changed = (number(bytes, 112, 8), number(bytes, 120, 4));
            Seen::Stat {
                mode,
                links: number(bytes, 16, 4),
                owner: (number(bytes, 20, 4), number(bytes, 24, 4)),
                size: (!is_folder).then(|| number(bytes, 40, 8)),
                changed: was_set(mode, changed),
            }
        }
        "pipe2" | "ioctl" | "poll" | "select" => Seen::Bytes(bytes.clone()),
        _ => Seen::Value(value),
    }
}

/// All names in a folder that is open.
fn names(side: &mut dyn Side, fd: u64, room: usize) -> Seen {
    let back = [Arg::Number(fd), Arg::Number(0), Arg::Number(0)];
    if let (Err(errno), _) = side.answer("lseek", &back) {
        return Seen::Failed(errno);
    }
    let mut names = Vec::new();
    loop {
        let args = [Arg::Number(fd), Arg::Room(room), Arg::Number(room as u64)];
        let (result, bytes) = side.answer("getdents64", &args);
        match result {
            Err(errno) => return Seen::Failed(errno),
            Ok(0) => break,
            Ok(length) => {
                let mut at = 0;
                while at < length as usize {
                    let record = number(&bytes, at + 16, 2) as usize;
                    let name = &bytes[at + 19..at + record];
                    let end = name.iter().position(|&b| b == 0).unwrap();
                    names.push((name[..end].to_vec(), bytes[at + 18]));
                    at += record;
                }
            }
        }
    }
    names.sort();
    Seen::Names(names)
}

/// Whether the kernel must not be asked: it would wait, or answer by its own inner order.
fn left_out(model: &mut Model, step: &Step) -> bool {
    let known = |model: &mut Model, fd: u64, (at, length)| {
        let args = [Arg::Number(fd), Arg::Room(144)];
        let (result, bytes) = model.answer("fstat", &args);
        result.ok().map(|_| number(&bytes, at, length))
    };
    let kind = |model: &mut Model, fd: u64| {
        let mode = known(model, fd, (24, 4));
        mode.map(|mode| mode & 0o170000)
    };
    let Some(Arg::Number(fd)) = step.args.first() else {
        return false;
    };
    match step.name {
        // Places in a folder are each file system's own.
        "lseek" => kind(model, *fd) == Some(0o040000),
        "sendfile" => {
            let Arg::Number(from) = step.args[1] else {
                return true;
            };
            let file = Some(0o100000);
            // From a file to itself, the kernel goes page by page.
            let same = known(model, *fd, (8, 8)) == known(model, from, (8, 8));
            kind(model, *fd) != file || kind(model, from) != file || same
        }
        // A file system decides what it says of folders here.
        "ioctl" => matches!(kind(model, *fd), Some(0o040000)),
        _ => false,
    }
}

fn run(seed: u64, host: &mut Host, uid: u32) -> Result<u64, String> {
    let mut setup = Setup::new(Abi::X86_64);
    setup.uid = uid;
    setup.gid = uid;
    setup.cwd = b"/w".to_vec();
    let mut model = Model(Process::new(&setup));
    // As in the test's own process.
    let mut ignore = vec![0; 32];
    ignore[0] = 1;
    let args = [
        Arg::Number(13),
        Arg::Bytes(ignore),
        Arg::Number(0),
        Arg::Number(8),
    ];
    assert_eq!(model.answer("rt_sigaction", &args).0, Ok(0));
    host.enter(uid);
    let mut generator = Generator::new(seed);
    let mut pairs = Pairs::default();
    let mut log: Vec<String> = Vec::new();
    let mut outcome = Ok(0);
    for count in 0..generator.length() {
        let step = generator.step();
        if left_out(&mut model, &step) {
            continue;
        }
        let (ours, theirs, numbers) = if step.name == "getdents64" {
            let (Arg::Number(fd), Arg::Room(room)) = (&step.args[0], &step.args[1]) else {
                unreachable!("a folder and a buffer");
            };
            let ours = names(&mut model, *fd, *room);
            (ours, names(host, *fd, *room), None)
        } else {
            let ours = match model.attempt(step.name, &step.args) {
                Ok(ours) => ours,
                Err(Reply::Unsupported { .. }) => continue,
                Err(other) => return Err(format!("{step:?}: {other:?}")),
            };
            let theirs = host.answer(step.name, &step.args);
            let is_stat = ours.0.is_ok() && theirs.0.is_ok() && step.name.contains("stat");
            let place = if step.name == "statx" { 32 } else { 8 };
            let pair = || (number(&ours.1, place, 8), number(&theirs.1, place, 8));
            let numbers = is_stat.then(pair);
            (seen(&step, &ours), seen(&step, &theirs), numbers)
        };
        let mut line = format!("{step:?} -> {ours:?}");
        line.truncate(200);
        log.push(line);
        let same_file =
            numbers.is_none_or(|(ours, theirs)| *pairs.0.entry(ours).or_insert(theirs) == theirs);
        if ours != theirs || !same_file {
            let story = log.join("\n");
            outcome = Err(format!(
                "seed {seed}, user {uid}:\n{story}\nthe kernel says {theirs:?} (files {numbers:?})"
            ));
            break;
        }
        outcome = Ok(count);
    }
    host.leave();
    outcome
}

fn main() {
    let number = |name: &str, default: u64| {
        let value = std::env::var(name).ok();
        value.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let Some(mut host) = Host::new() else {
        println!("left out: the test must be run by the superuser on x86-64");
        return;
    };
    let (count, first) = (number("SEQUENCES", 4000), number("SEED", 1));
    let most = number("FAILURES", 1);
    let mut failures = 0;
    for seed in first..first + count {
        let uid = if seed % 2 == 0 { 0 } else { 1000 };
        if let Err(story) = run(seed, &mut host, uid) {
            println!("{story}\n");
            failures += 1;
            if failures == most {
                break;
            }
        }
    }
    drop(host);
    assert_eq!(failures, 0, "the model and the kernel differ");
    println!("{count} sequences of calls gave the same on the model and on the kernel");
}
