//! The form of the rows of system calls (`calls/`): beside the function that does a call its signature (what it
//! looks at of its arguments), and whether its answer is the only one that Linux could give.
//!
//! A run may say that everything was explored only if no answer stood for others. The model answers for
//! one machine at one moment: one clock, one process number, one user. A call whose answer another run
//! or another machine could give differently is [`Exactness::OneOf`], and the caller lists it when it was
//! reached. Files, arguments and streams are what the user described: those answers are exact.

pub(crate) use crate::assumed::*;
use crate::calls::CallHandler;
use cairn_memory::Word;

/// What a call looks at of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentUse {
    /// Nothing: the argument may be anything.
    Nothing,
    /// Its lower 32 bits.
    Int,
    /// Its lower 32 bits, as a descriptor: of those that are not open, one is as good as another.
    Descriptor,
    /// The same, of a folder: `AT_FDCWD` means the working directory.
    Folder,
    /// Its lower 32 bits, as the number of a descriptor that is made.
    NewDescriptor,
    /// All of it.
    Word,
    /// All of it, as an address.
    Address,
    /// The same, of a buffer with as many bytes as the next argument says.
    Buffer {
        /// Whether the call writes there, from the beginning as many bytes as it returns. If not, it reads.
        written: bool,
    },
}

/// Whether one answer is the only one that Linux could give. What a row says of all answers of its call is `Varies`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Linux answers the same on every machine with the described environment.
    Exact,
    /// The model gives one of several answers: what it assumes.
    OneOf(&'static str),
}

/// Which answers of a call are some of many: what its row says. A handler may say otherwise of a single answer
/// (`Call::is_exact`, `Call::is_one_of`). Of any call, and whatever row and handler say, the errors `ENOMEM`, `EFBIG`, `EMFILE`,
/// `EACCES` and `EPERM` are some of many, and so are answers about files that the host may have more of (`perform` in
/// `kernel.rs`).
#[derive(Clone, Copy)]
pub(crate) enum Varies {
    /// None: each answer is [`Exactness::Exact`].
    Exact,
    /// None, because the only answers are errors. Where Linux would do what was asked, the path ends as unsupported.
    Unsupported,
    /// Answers that are no errors: they tell something that another run or machine could tell differently. The text says
    /// what they assume.
    Tells(&'static str),
    /// All, errors too: another run or machine decides whether the call succeeds.
    Decides(&'static str),
}

use Varies::{Decides, Exact, Tells, Unsupported};

impl Varies {
    /// Of an answer that is an error or not.
    pub fn exactness(self, is_error: bool) -> Exactness {
        match self {
            Tells(what) if !is_error => Exactness::OneOf(what),
            Decides(what) => Exactness::OneOf(what),
            Exact | Unsupported | Tells(_) => Exactness::Exact,
        }
    }
}

/// All that is known of a call: its name, a letter for each of its arguments, which of its answers are some of
/// many, and the function that does it.
///
/// | letter | argument |
/// |---|---|
/// | `i` | its lower 32 bits |
/// | `d` | the same, a descriptor |
/// | `f` | the same, a descriptor of a folder |
/// | `n` | the same, the number of a descriptor that is made |
/// | `w` | a word of 64 bits |
/// | `p` | an address |
/// | `r` | an address of a buffer that is read; the next argument is its length |
/// | `o` | an address of a buffer that is written; the next argument is its length |
/// | `-` | not looked at |
pub(crate) type CallRow = (&'static str, &'static str, Varies, CallHandler);

/// What a call looks at of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct CallSignature {
    takes: [ArgumentUse; 6],
    /// In which order they become known.
    order: [usize; 6],
    depends: Depends,
}

/// On what it depends which arguments a call looks at.
#[derive(Clone, Copy, Debug)]
enum Depends {
    /// Nothing.
    Nothing,
    /// The command of `fcntl`.
    Command,
    /// Whether the flags, which are this argument, make a file.
    MakesFile(usize),
    /// Whether the flags say that memory is of no file.
    MapsFile,
    /// The option of `prctl`.
    Option,
}

impl CallSignature {
    /// That of a call that is not modelled.
    pub(crate) const NONE: CallSignature = CallSignature {
        takes: [ArgumentUse::Nothing; 6],
        order: [0, 1, 2, 3, 4, 5],
        depends: Depends::Nothing,
    };

    /// That of the calls that deliver signals to handlers.
    pub(crate) const TWO_WORDS: CallSignature = CallSignature {
        takes: [
            ArgumentUse::Word,
            ArgumentUse::Word,
            ArgumentUse::Nothing,
            ArgumentUse::Nothing,
            ArgumentUse::Nothing,
            ArgumentUse::Nothing,
        ],
        ..CallSignature::NONE
    };

    /// That of a row.
    pub(crate) fn new((name, letters, ..): CallRow) -> Self {
        let mut takes = [ArgumentUse::Nothing; 6];
        for (taken, letter) in takes.iter_mut().zip(letters.bytes()) {
            *taken = match letter {
                b'i' => ArgumentUse::Int,
                b'd' => ArgumentUse::Descriptor,
                b'f' => ArgumentUse::Folder,
                b'n' => ArgumentUse::NewDescriptor,
                b'w' => ArgumentUse::Word,
                b'p' => ArgumentUse::Address,
                b'r' => ArgumentUse::Buffer { written: false },
                b'o' => ArgumentUse::Buffer { written: true },
                b'-' => ArgumentUse::Nothing,
                _ => unreachable!("{name}: {letter} is not a letter of the table"),
            };
        }
        let depends = match name {
            "fcntl" => Depends::Command,
            "open" => Depends::MakesFile(1),
            "openat" => Depends::MakesFile(2),
            "mmap" => Depends::MapsFile,
            "prctl" => Depends::Option,
            _ => Depends::Nothing,
        };
        CallSignature {
            takes,
            order: crate::classes::order(name),
            depends,
        }
    }

    /// The arguments in the order in which they become known: what decides about one comes before it.
    pub fn order(&self) -> [usize; 6] {
        self.order
    }

    /// What the call looks at of an argument, given those that come before it. Programs
    /// leave out arguments that have no meaning, and pass an `int` where the library takes a word:
    /// what is in the rest of a register is not the call's business.
    pub fn looks_at(&self, index: usize, args: &[Word; 6]) -> ArgumentUse {
        match (self.depends, index) {
            (Depends::Nothing, _) => self.takes[index],
            (Depends::Command, 2) => third_of_fcntl(args[1].bits as u32),
            // Permissions are those of a new file.
            (Depends::MakesFile(flags), _) if index == flags + 1 => {
                match makes_file(args[flags].bits as u32) {
                    true => self.takes[index],
                    false => ArgumentUse::Nothing,
                }
            }
            // Memory of no file.
            (Depends::MapsFile, 4) if args[3].bits & 0x20 != 0 => ArgumentUse::Nothing,
            (Depends::Option, 1..) => argument_of_prctl(args[0].bits as u32, index),
            (Depends::Command | Depends::MakesFile(_) | Depends::MapsFile | Depends::Option, _) => {
                self.takes[index]
            }
        }
    }

    /// The arguments as the call sees them.
    pub(crate) fn seen_arguments(&self, given: [Word; 6]) -> [Word; 6] {
        let mut args = [Word::int(0); 6];
        for i in self.order {
            args[i] = match self.looks_at(i, &args) {
                ArgumentUse::Nothing => Word::int(0),
                ArgumentUse::Int
                | ArgumentUse::Descriptor
                | ArgumentUse::Folder
                | ArgumentUse::NewDescriptor => Word::int(u64::from(given[i].bits as u32)),
                ArgumentUse::Word | ArgumentUse::Address | ArgumentUse::Buffer { .. } => given[i],
            };
        }
        args
    }
}

fn makes_file(flags: u32) -> bool {
    const CREATE: u32 = 0o100;
    const TEMPORARY: u32 = 0o20_000_000;
    flags & (CREATE | TEMPORARY) != 0
}

fn third_of_fcntl(command: u32) -> ArgumentUse {
    const GETTERS: [u32; 5] = [1, 3, 9, 1025, 1032];
    const ADDRESSES: [u32; 8] = [5, 6, 7, 15, 16, 36, 37, 38];
    if GETTERS.contains(&command) {
        ArgumentUse::Nothing
    } else if ADDRESSES.contains(&command) {
        ArgumentUse::Address
    } else {
        ArgumentUse::Int
    }
}

fn argument_of_prctl(option: u32, index: usize) -> ArgumentUse {
    const GET_DUMPABLE: u32 = 3;
    const SET_DUMPABLE: u32 = 4;
    const SET_NAME: u32 = 15;
    const GET_NAME: u32 = 16;
    match (option, index) {
        (SET_NAME | GET_NAME, 1) => ArgumentUse::Address,
        (GET_DUMPABLE, _) => ArgumentUse::Nothing,
        (SET_DUMPABLE, 1) => ArgumentUse::Word,
        (_, _) => ArgumentUse::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abi, calls};
    use std::collections::BTreeSet;

    #[test]
    fn every_modelled_call_has_one_row_and_a_number() {
        let mut names = BTreeSet::new();
        for row in rows() {
            let name = row.0;
            // An unknown letter panics.
            CallSignature::new(row);
            assert!(names.insert(name), "{name} stands twice");
            let numbers = [Abi::X86_64, Abi::Riscv64].map(|abi| abi.number(name));
            assert_ne!(numbers, [None, None], "{name} has no number in abi/");
        }
    }

    /// Calls whose answers vary, and whose programs' output is compared all the same.
    const COMPARED: &[&str] = &[
        // Where memory is, and whether there is room: seldom printed, and nearly every program asks.
        "brk mmap mremap mlock mlockall",
        // Of files: times, owners, numbers of inodes, the order of names. As seldom.
        "stat lstat fstat newfstatat statx getdents64 getcwd umask ioctl fallocate fchmodat2 openat2 copy_file_range",
        "getxattr setxattr removexattr lgetxattr lsetxattr lremovexattr fgetxattr fsetxattr fremovexattr",
        "listxattr llistxattr flistxattr",
        // The user: a native run has the same one, or the answer is refused.
        "getuid geteuid getgid getegid getresuid getresgid setuid setgid setreuid setregid setresuid setresgid",
        "setfsuid setfsgid getgroups setgroups sethostname mount umount2 chroot reboot settimeofday clock_settime",
        // C libraries call these at their start, for themselves.
        "set_tid_address getrandom rseq membarrier riscv_hwprobe prlimit64 getrlimit setrlimit prctl",
        // Which sockets there are: programs print that it failed, at most.
        "socket socketpair",
        // Signals and groups: their answers tell only whether it was done.
        "kill tkill tgkill setpgid setsid",
        // The scheduler and the clock's resolution: the same on nearly all machines.
        "getcpu sched_getscheduler sched_setaffinity getpriority setpriority clock_getres",
    ];

    #[test]
    fn every_call_that_varies_is_compared_or_not() {
        let mut compared: BTreeSet<&str> = BTreeSet::new();
        for name in COMPARED.iter().flat_map(|names| names.split(' ')) {
            assert!(compared.insert(name), "{name} stands twice");
        }
        for (name, _, varies, _) in rows() {
            let may_vary = matches!(varies, Tells(_) | Decides(_));
            let is_compared = compared.remove(name);
            let is_not = crate::kernel::makes_output_incomparable(name);
            assert!(
                may_vary == (is_compared != is_not) && !(is_compared && is_not),
                "{name}: may another run print something else because of it? Yes: `makes_output_incomparable` in kernel.rs; \
                 no: `COMPARED` here; neither if it is exact"
            );
        }
        assert!(compared.is_empty(), "no row is of {compared:?}");
    }

    fn rows() -> impl Iterator<Item = CallRow> {
        calls::FAMILIES
            .iter()
            .flat_map(|family| family.iter().copied())
    }

    /// The page about answers, from the table.
    fn page() -> String {
        let mut exact = Vec::new();
        let mut unsupported = Vec::new();
        let mut groups: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
        for (name, _, varies, _) in rows() {
            let (what, decides) = match varies {
                Exact => {
                    exact.push(name);
                    continue;
                }
                Unsupported => {
                    unsupported.push(name);
                    continue;
                }
                Tells(what) => (what, false),
                Decides(what) => (what, true),
            };
            let at = groups.iter().position(|group| group.0 == what);
            let at = at.unwrap_or_else(|| {
                groups.push((what, Vec::new(), Vec::new()));
                groups.len() - 1
            });
            match decides {
                false => groups[at].1.push(name),
                true => groups[at].2.push(name),
            }
        }
        let names = |names: &[&str]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            quoted.join(", ")
        };
        let mut text = String::from(
            "# Answers of the model of Linux that stand for others

The model answers for one machine at one moment. A run whose program reaches one of these calls lists it in
`incomplete` with the place in the program, and its exit code is 2 if nothing is wrong. This page is made from
the rows that the model uses (`crates/cairn-linux/src/calls/`).

| what the answer assumes | successful answers of | all answers of, errors too |
|---|---|---|
",
        );
        for (what, tells, decides) in &groups {
            text += &format!("| {what} | {} | {} |\n", names(tells), names(decides));
        }
        text += &format!(
            "
Besides, of every call:

- `EACCES` and `EPERM`: {PRIVILEGE};
- `ENOMEM`: {ROOM};
- `EMFILE`, and numbers of descriptors at or beyond the limit: {LIMITS};
- a new or removed name that leads through a folder of the host (the root, `/tmp`, …), whatever it looks like: {HOST_FILES};
- names that lead to the folder that the program began in, or to one above it, or out of it by `..`: {FOLDER};
- `O_DIRECT`, `O_TMPFILE` and `RENAME_EXCHANGE`: {FILE_SYSTEM};
- `EFBIG`, and `lseek` further than that: {FILE_SIZE};
- `SEEK_DATA` and `SEEK_HOLE`: {HOLES};
- places in a folder (`lseek`): {PLACES};
- a pipe that holds more than 4096 bytes, and writing to an output or a socket that does not wait (`O_NONBLOCK`): {PIPES};
- memory that is asked for without the permission to read or write (`mmap`, `mprotect`): {PROTECTION};
- advice to `madvise` that depends on how Linux was built: {IGNORED};
- `EEXIST` of `MAP_FIXED_NOREPLACE`: {OCCUPIED};
- `O_CREAT` with `O_DIRECTORY`, `linkat` with `AT_EMPTY_PATH`: {KERNELS};
- `arch_prctl` but for the segment registers: {MACHINE};
- handlers with `SA_SIGINFO`: {SENDER};
- what `select`, `pselect6` and `ppoll` leave of the time that they were given, unless it is over: {CLOCK};
- addresses of sockets, but for what the program has bound: {ADDRESSES};
- options of sockets that were set, or never: {MACHINE};
- locks (`flock`, `fcntl`): {LOCKS};
- commands of `ioctl` and `fcntl` that are not modelled: {MISSING};
- an owner or group that `chown` and its like are given: {USER};
- `ENOENT` for a name that leads, with its links, through such a folder: {HOST_FILES};
- reading `/dev/random` and `/dev/urandom`: {RANDOM}.

A call that is not modelled returns `ENOSYS` and is listed by name. What cannot be answered at all (a second thread or
process, a wait that never ends) ends the path, which is listed as not explored; so do these if nothing is wrong with
their arguments: {}. Of symbolic files
and symbolic standard input permissions, times and block sizes are symbolic; device, inode number and owner are one of many.

## Answers that are the only ones

With the described environment (arguments, variables, files, what the streams are, permissions) Linux answers these the same on
every machine: {}.
",
            names(&unsupported),
            names(&exact)
        );
        text
    }

    /// Where the part of the page begins that is written by hand: options of the command, which this crate does not know.
    const BY_HAND: &str = "\n## Options that change answers\n";

    #[test]
    fn the_page_about_answers_is_the_table() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/answers.md");
        let written = std::fs::read_to_string(file).unwrap_or_default();
        let by_hand = written.find(BY_HAND).expect("the page has this part");
        let (from_table, by_hand) = written.split_at(by_hand);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(file, page() + by_hand).expect("writable");
        } else {
            assert!(
                from_table == page(),
                "docs/answers.md is old: BLESS=1 makes it anew, see CONTRIBUTING.md"
            );
        }
    }

    #[test]
    fn calls_that_end_the_program_are_those_of_these_names() {
        for abi in [Abi::X86_64, Abi::Riscv64] {
            for number in 0..2000 {
                let is_exit = matches!(abi.name(number), Some("exit" | "exit_group"));
                assert_eq!(abi.ends_program(number), is_exit, "{abi:?} {number}");
            }
        }
    }

    #[test]
    fn arguments_are_seen_with_the_width_that_the_call_takes() {
        let abi = Abi::X86_64;
        let openat = 257;
        let garbage = 0xdead_beef_0000_0000;
        let given = [
            Word::int(garbage | 0xffff_ff9c),
            Word::int(0x1000),
            Word::int(garbage),
            Word::int(garbage | 0o644),
            Word::int(7),
            Word::int(8),
        ];
        let openat = abi.signature(openat);
        let seen = openat.seen_arguments(given).map(|word| word.bits);
        assert_eq!(seen, [0xffff_ff9c, 0x1000, 0, 0, 0, 0]);
        let mut creating = given;
        creating[2] = Word::int(garbage | 0o100);
        assert_eq!(openat.seen_arguments(creating)[3].bits, 0o644);
    }
}
