//! Random system calls on few names and few descriptors, so that they meet.

use cairn_random::Random;
use std::fmt;

/// An argument.
#[derive(Clone)]
pub enum Arg {
    Number(u64),
    Name(Vec<u8>),
    Bytes(Vec<u8>),
    /// A buffer to be written.
    Room(usize),
    /// A buffer to be read and written.
    Both(Vec<u8>),
    /// A vector of buffers to be read.
    Parts(Vec<Vec<u8>>),
}

/// A system call.
#[derive(Clone)]
pub struct Step {
    pub name: &'static str,
    pub args: Vec<Arg>,
}

impl fmt::Debug for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Number(value) if *value as i64 <= 64 => write!(f, "{}", *value as i64),
            Arg::Number(value) => write!(f, "{value:#o}"),
            Arg::Name(text) if text.len() > 40 => {
                write!(f, "{}...", text[..20].escape_ascii())?;
                write!(f, "{}", text[text.len() - 20..].escape_ascii())
            }
            Arg::Name(text) => write!(f, "\"{}\"", text.escape_ascii()),
            Arg::Bytes(bytes) => write!(f, "[{} bytes]", bytes.len()),
            Arg::Room(length) => write!(f, "[room for {length}]"),
            Arg::Both(bytes) => write!(f, "{bytes:?}"),
            Arg::Parts(parts) => {
                let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
                write!(f, "[parts of {lengths:?}]")
            }
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.name, self.args)
    }
}

pub struct Generator {
    random: Random,
}

const AT_FDCWD: u64 = (-100i64) as u64;

use Arg::{Both, Bytes, Name, Number, Parts, Room};

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator {
            // One step more than a seed needs: reported sequences stay what they were.
            random: Random::new(Random::new(seed).next()),
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.below_u64(limit)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *self.random.pick(from)
    }

    /// How many steps a sequence has.
    pub fn length(&mut self) -> u64 {
        10 + self.below(60)
    }

    fn path(&mut self) -> Vec<u8> {
        if self.one_in(60) {
            return self
                .pick(&[&b""[..], b"/", b"//", b".", b"..", b"./", b"../.", b"/w/"])
                .to_vec();
        }
        let mut path = Vec::new();
        if self.one_in(12) {
            path.extend(b"/w/");
        }
        let parts = self.pick(&[1, 1, 1, 1, 2, 2, 3]);
        for i in 0..parts {
            if i > 0 {
                path.push(b'/');
                if self.one_in(15) {
                    path.push(b'/');
                }
            }
            match self.below(30) {
                0 => path.extend(b"."),
                1 => path.extend(b".."),
                2 if self.one_in(4) => path.extend([b'x'; 255]),
                2 if self.one_in(3) => path.extend([b'x'; 256]),
                _ => path.extend(self.pick(&[&b"a"[..], b"b", b"c", b"d", b"e"])),
            }
        }
        if self.one_in(12) {
            path.push(b'/');
        }
        if self.one_in(400) {
            path.resize(4090 + self.below(10) as usize, b'/');
        }
        path
    }

    fn name(&mut self) -> Arg {
        Name(self.path())
    }

    fn fd(&mut self) -> Arg {
        Number(self.pick(&[3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8]))
    }

    fn dirfd(&mut self) -> Arg {
        if self.one_in(2) {
            Number(AT_FDCWD)
        } else {
            self.fd()
        }
    }

    fn mode(&mut self) -> Arg {
        Number(self.pick(&[
            0o644, 0o600, 0o777, 0o755, 0o700, 0o400, 0o200, 0o100, 0, 0o666, 0o4755, 0o2755,
            0o444, 0o500, 0o070, 0o007, 0o2644, 0o777, 0o700, 0o1777, 0o2777,
        ]))
    }

    fn open_flags(&mut self) -> Arg {
        let mut flags = self.pick(&[0, 1, 2, 2, 2, 3]);
        for (flag, chance) in [
            (0o100, 2),
            (0o200, 8),
            (0o1000, 8),
            (0o2000, 8),
            (0o4000, 20),
            (0o200000, 8),
            (0o400000, 10),
            (0o2000000, 10),
            (0o10000000, 16),
        ] {
            if self.one_in(chance) {
                flags |= flag;
            }
        }
        Number(flags)
    }

    fn position(&mut self) -> Arg {
        let value = match self.below(8) {
            0 => (-1i64) as u64,
            1 => self.below(100_000),
            _ => self.below(40),
        };
        Number(value)
    }

    fn data(&mut self) -> Vec<u8> {
        let length = match self.below(10) {
            0 => 0,
            1 => 5000 + self.below(5000),
            _ => self.below(60),
        };
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    /// Two times, each of which may be now or stay.
    fn times(&mut self) -> Arg {
        let mut bytes = Vec::new();
        for _ in 0..2 {
            let nanos = self.pick(&[0x3fff_ffff, 0x3fff_fffe, 5, 999_999_999, 1_000_000_000]);
            bytes.extend(self.below(1000).to_le_bytes());
            bytes.extend(u64::to_le_bytes(nanos));
        }
        Bytes(bytes)
    }

    /// The next call.
    pub fn step(&mut self) -> Step {
        if self.one_in(8) {
            return self.rare_step();
        }
        self.usual_step()
    }

    /// A call that does not wait for another process, or says something of memory where nothing is.
    fn process_step(&mut self) -> Step {
        let step = |name, args: Vec<Arg>| Step { name, args };
        let bits = |generator: &mut Self, known: &[u64]| {
            let one = generator.pick(known);
            let other = generator.pick(known);
            one | if generator.one_in(3) { other } else { 0 }
        };
        let options = [0, 1, 2, 4, 8, 16, 0x100_0000, 0x2000_0000, 0x8000_0000];
        match self.below(6) {
            0 => {
                let process = self.pick(&[(-1i64) as u64, 0, (-77i64) as u64, 0x8000_0000]);
                let options = bits(self, &options);
                step(
                    "wait4",
                    vec![Number(process), Number(0), Number(options), Number(0)],
                )
            }
            1 => {
                let kind = self.pick(&[0, 1, 2, 3, 4, 77]);
                let number = self.pick(&[0, 99, (-1i64) as u64]);
                let options = bits(self, &options);
                let mut args = vec![Number(kind), Number(number), Number(0)];
                args.extend([Number(options), Number(0)]);
                step("waitid", args)
            }
            2 => {
                let operation = self.pick(&[1, 1, 2, 3, 9, 10, 10, 14, 77]);
                let operation = operation | self.pick(&[0, 128, 256, 512]);
                let word = Both(vec![7, 0, 0, 0]);
                let expected = self.pick(&[0, 1, 7, (-1i64) as u64]);
                let mask = self.pick(&[0, 1, u64::MAX]);
                // A time that is past.
                let time = match operation & 0x7f {
                    9 => Bytes(vec![0; 16]),
                    _ => Number(0),
                };
                let mut args = vec![word.clone(), Number(operation), Number(expected), time];
                args.extend([word, Number(mask)]);
                step("futex", args)
            }
            3..=4 => {
                // Nothing is there, and nothing of the test's own.
                let (base, length) = (self.pick(&[0, 1, 4096]), self.pick(&[0, 1, 4096, u64::MAX]));
                let known: Vec<u64> = vec![0, 1, 2, 3, 4, 8, 9, 10, 16, 19, 26, 77, 0x300_0000];
                let (name, how) = match self.below(3) {
                    0 => ("mprotect", bits(self, &known)),
                    1 => (
                        "madvise",
                        self.pick(&[0, 1, 2, 4, 5, 9, 10, 11, 16, 26, 77]),
                    ),
                    _ => ("msync", bits(self, &[0, 1, 2, 4, 8])),
                };
                step(name, vec![Number(base), Number(length), Number(how)])
            }
            _ => {
                let (old, new) = (self.pick(&[0, 1, 4096]), self.pick(&[0, 4096]));
                let how = self.pick(&[0, 1, 2, 4, 8]);
                let args = vec![
                    Number(old),
                    Number(4096),
                    Number(new),
                    Number(how),
                    Number(0),
                ];
                step("mremap", args)
            }
        }
    }

    fn rare_step(&mut self) -> Step {
        let step = |name, args: Vec<Arg>| Step { name, args };
        if self.one_in(5) {
            return self.process_step();
        }
        match self.below(20) {
            0..=2 => {
                let flags = self.pick(&[0, 0, 0x100, 0x1000, 0x200]);
                let times = if self.one_in(5) {
                    Number(0)
                } else {
                    self.times()
                };
                let args = vec![self.dirfd(), self.name(), times, Number(flags)];
                step("utimensat", args)
            }
            3 => {
                let args = vec![self.fd(), Number(0), self.times(), Number(0)];
                step("utimensat", args)
            }
            4..=5 => {
                let flags = self.pick(&[0, 0, 0x100, 0x1000, 0x800, 0x2000, 0x6000, 0x200]);
                let mut args = vec![self.dirfd(), self.name(), Number(flags), Number(0x7ff)];
                args.push(Room(256));
                step("statx", args)
            }
            6..=7 => {
                let parts = (0..self.below(4)).map(|_| self.data()).collect::<Vec<_>>();
                let count = parts.len() as u64;
                step("writev", vec![self.fd(), Parts(parts), Number(count)])
            }
            8 => step("fchmodat", vec![self.dirfd(), self.name(), self.mode()]),
            9 => {
                let flags = self.pick(&[0, 0x100, 0x1000, 0x800]);
                let args = vec![self.dirfd(), self.name(), self.mode(), Number(flags)];
                step("fchmodat2", args)
            }
            10 => {
                let ids = [0, 1000, 0xffff_ffff, 0xffff_ffff];
                let (uid, gid) = (Number(self.pick(&ids)), Number(self.pick(&ids)));
                let flags = Number(self.pick(&[0, 0x100, 0x1000, 0x800]));
                step("fchownat", vec![self.dirfd(), self.name(), uid, gid, flags])
            }
            11 => step("symlinkat", vec![self.name(), self.dirfd(), self.name()]),
            12 => {
                let room = self.pick(&[0, 1, 5, 300]);
                let args = vec![self.dirfd(), self.name(), Room(room), Number(room as u64)];
                step("readlinkat", args)
            }
            13 => {
                let flags = self.pick(&[0, 0x100, 0x200, 0x1000, 0x400]);
                let want = self.below(9);
                let args = vec![self.dirfd(), self.name(), Number(want), Number(flags)];
                step("faccessat2", args)
            }
            14..=15 => {
                let mut bytes = Vec::new();
                let count = self.below(4);
                for _ in 0..count {
                    let Number(fd) = self.fd() else {
                        unreachable!("a descriptor is a number");
                    };
                    bytes.extend((fd as u32).to_le_bytes());
                    bytes.extend((self.pick(&[0u16, 1, 4, 5, 0x145])).to_le_bytes());
                    bytes.extend([0xcc; 2]);
                }
                step("poll", vec![Both(bytes), Number(count), Number(0)])
            }
            16 => {
                let name = self.pick(&["fsync", "fdatasync"]);
                step(name, vec![self.fd()])
            }
            17 => {
                // Locks of two openings of a file would wait for each other.
                let how = self.pick(&[8, 12, 3]);
                step("flock", vec![self.fd(), Number(how)])
            }
            18 => {
                let set = self.random.next() & 0x1ff & !7;
                let set = Both(set.to_le_bytes().to_vec());
                let at = self.pick(&[1usize, 2]);
                let mut args = vec![Number(9), Number(0), Number(0), Number(0)];
                args[at] = set;
                args.push(Bytes(vec![0; 16]));
                step("select", args)
            }
            _ => {
                let first = 3 + self.below(6);
                let last = first + self.below(3);
                let how = self.pick(&[0, 4, 1]);
                step(
                    "close_range",
                    vec![Number(first), Number(last), Number(how)],
                )
            }
        }
    }

    fn usual_step(&mut self) -> Step {
        match self.below(100) {
            choice @ 0..=38 => self.content_step(choice),
            choice @ 39..=79 => self.name_step(choice),
            choice => self.descriptor_step(choice),
        }
    }

    /// A call that opens or closes a file, or is about its content; `choice` is below 39.
    fn content_step(&mut self, choice: u64) -> Step {
        let step = |name, args: Vec<Arg>| Step { name, args };
        match choice {
            0..=9 => {
                let args = vec![self.name(), self.open_flags(), self.mode()];
                step("open", args)
            }
            10..=13 => {
                let args = vec![self.dirfd(), self.name(), self.open_flags(), self.mode()];
                step("openat", args)
            }
            14..=16 => step("close", vec![self.fd()]),
            17..=23 => {
                let data = self.data();
                let length = Number(data.len() as u64);
                step("write", vec![self.fd(), Bytes(data), length])
            }
            24..=29 => {
                let room = self.pick(&[0, 1, 10, 100, 20_000]);
                step("read", vec![self.fd(), Room(room), Number(room as u64)])
            }
            30..=31 => {
                let data = self.data();
                let length = Number(data.len() as u64);
                step(
                    "pwrite64",
                    vec![self.fd(), Bytes(data), length, self.position()],
                )
            }
            32..=33 => {
                let room = self.pick(&[0, 1, 10, 100, 20_000]);
                let args = vec![self.fd(), Room(room), Number(room as u64), self.position()];
                step("pread64", args)
            }
            _ => {
                let whence = self.pick(&[0, 0, 1, 1, 2, 2, 2, 5, 9]);
                step("lseek", vec![self.fd(), self.position(), Number(whence)])
            }
        }
    }

    /// A call that is about names, or about what is known of files besides their content; `choice` is from 39 to 79.
    fn name_step(&mut self, choice: u64) -> Step {
        let step = |name, args: Vec<Arg>| Step { name, args };
        match choice {
            39..=41 => step("stat", vec![self.name(), Room(144)]),
            42..=43 => step("lstat", vec![self.name(), Room(144)]),
            44..=47 => step("fstat", vec![self.fd(), Room(144)]),
            48 => {
                let flags = self.pick(&[0, 0x100, 0x1000, 0x1100, 0x200]);
                let args = vec![self.dirfd(), self.name(), Room(144), Number(flags)];
                step("newfstatat", args)
            }
            49..=51 => step("unlink", vec![self.name()]),
            52 => {
                let flags = self.pick(&[0, 0x200, 1]);
                step("unlinkat", vec![self.dirfd(), self.name(), Number(flags)])
            }
            53..=57 => step("mkdir", vec![self.name(), self.mode()]),
            58 => step("mkdirat", vec![self.dirfd(), self.name(), self.mode()]),
            59..=60 => step("rmdir", vec![self.name()]),
            61..=65 => step("rename", vec![self.name(), self.name()]),
            66..=67 => {
                let flags = self.pick(&[0, 1, 2, 3, 8]);
                let mut args = vec![self.dirfd(), self.name(), self.dirfd(), self.name()];
                args.push(Number(flags));
                step("renameat2", args)
            }
            68..=69 => step("link", vec![self.name(), self.name()]),
            70 => {
                let flags = self.pick(&[0, 0x400, 0x1000, 1]);
                let mut args = vec![self.dirfd(), self.name(), self.dirfd(), self.name()];
                args.push(Number(flags));
                step("linkat", args)
            }
            71..=73 => step("symlink", vec![self.name(), self.name()]),
            74 => {
                let room = self.pick(&[0, 1, 5, 300]);
                step(
                    "readlink",
                    vec![self.name(), Room(room), Number(room as u64)],
                )
            }
            75 => step("access", vec![self.name(), Number(self.below(9))]),
            76..=77 => step("chmod", vec![self.name(), self.mode()]),
            78 => step("fchmod", vec![self.fd(), self.mode()]),
            _ => {
                let ids = [0, 1000, 0xffff_ffff, 0xffff_ffff];
                let (uid, gid) = (self.pick(&ids), self.pick(&ids));
                let name = self.pick(&["chown", "lchown"]);
                step(name, vec![self.name(), Number(uid), Number(gid)])
            }
        }
    }

    /// A call that is about sizes, descriptors and folders; `choice` is at least 80.
    fn descriptor_step(&mut self, choice: u64) -> Step {
        let step = |name, args: Vec<Arg>| Step { name, args };
        match choice {
            80..=81 => step("ftruncate", vec![self.fd(), self.position()]),
            82 => step("truncate", vec![self.name(), self.position()]),
            83..=84 => step("dup", vec![self.fd()]),
            85 => step("dup2", vec![self.fd(), self.fd()]),
            86 => {
                let flags = self.pick(&[0, 0o2000000, 1]);
                step("dup3", vec![self.fd(), self.fd(), Number(flags)])
            }
            87..=88 => {
                let (command, argument) = self.pick(&[
                    (0, 5),
                    (1, 0),
                    (2, 1),
                    (3, 0),
                    (4, 0o2000),
                    (4, 0o4000),
                    (1030, 4),
                    (0, 5000),
                    (77, 0),
                ]);
                step("fcntl", vec![self.fd(), Number(command), Number(argument)])
            }
            89..=91 => {
                let room = self.pick(&[300, 1000]);
                step("getdents64", vec![self.fd(), Room(room)])
            }
            92 => {
                let path = if self.one_in(3) {
                    b"/w".to_vec()
                } else {
                    self.path()
                };
                step("chdir", vec![Name(path)])
            }
            93 => step("fchdir", vec![self.fd()]),
            94 => {
                let room = self.pick(&[0, 2, 5, 300]);
                step("getcwd", vec![Room(room), Number(room as u64)])
            }
            95 => step("umask", vec![Number(self.pick(&[0, 0o022, 0o077, 0o7777]))]),
            96 => {
                let flags = self.pick(&[0, 0o4000, 0o4000, 0o2000000, 1]);
                step("pipe2", vec![Room(8), Number(flags)])
            }
            97 => {
                let (how, from) = (self.pick(&[0, 0, 1, 3, 2, 4]), self.below(50));
                let length = self.pick(&[0, 1, 30, 6000]);
                let args = vec![self.fd(), Number(how), Number(from), Number(length)];
                step("fallocate", args)
            }
            98 => {
                let args = vec![self.fd(), self.fd(), Number(0), Number(self.below(100))];
                step("sendfile", args)
            }
            _ => {
                let command = self.pick(&[0x5401, 0x541b, 0x541b, 0x5451]);
                step("ioctl", vec![self.fd(), Number(command), Room(4)])
            }
        }
    }
}
