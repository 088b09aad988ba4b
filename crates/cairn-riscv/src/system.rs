//! What a guest asks the operating system for.
//!
//! [`System`] is the line at which a machine that runs a guest meets a model of Linux.
//! [`SmallSystem`] is the smallest model that real programs start and print with: standard streams,
//! memory, the end. Everything else it refuses, most of it as Linux refuses what it does not have, and
//! what a program could not do without by name.

use crate::load::STACK_END;
use cairn_linux::delivery;
use cairn_memory::{Fault, Memory, Word};
use std::io::Write;

/// The answer to a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call returns this word.
    Return(Word),
    /// The program ends with this code.
    Exit(i32),
    /// The program is ended by a signal.
    Signal(i32),
    /// An access to the program's memory failed.
    Fault(Fault),
    /// The call is not modelled; what it is, in one sentence.
    NotModelled(String),
}

/// A model of an operating system.
pub trait System {
    /// Prepares the memory of a program whose segments end at an address.
    ///
    /// # Errors
    /// [`cairn_memory::FixedError`] if there is no room.
    fn prepare(&mut self, memory: &mut Memory, end: u64) -> Result<(), cairn_memory::FixedError>;

    /// Answers a call.
    fn call(&mut self, memory: &mut Memory, number: u64, args: [Word; 6]) -> Answer;
}

/// Bytes that `brk` can give at most.
const BREAK_BYTES: u64 = 1 << 30;

/// The first address that `mmap` gives.
const MAPPINGS: u64 = 0x3000_0000_0000;

/// The most bytes that one call reads or writes.
const MOST_BYTES: u64 = 1 << 26;

/// A small system; see the module's head.
pub struct SmallSystem<'w> {
    input: Vec<u8>,
    read: usize,
    output: &'w mut dyn Write,
    errors: &'w mut dyn Write,
    first_break: u64,
    present_break: u64,
    last_break: u64,
    next_mapping: u64,
    ticks: u64,
}

/// A negative error number, as calls return it.
fn error(number: i64) -> Answer {
    Answer::Return(Word::int(number.wrapping_neg() as u64))
}

fn done(value: u64) -> Answer {
    Answer::Return(Word::int(value))
}

/// A pointer moved on.
fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}

const NO_ENTRY: i64 = 2;
const BAD_FILE: i64 = 9;
const NO_MEMORY: i64 = 12;
const NO_TERMINAL: i64 = 25;
const NO_SEEKING: i64 = 29;
const INVALID: i64 = 22;
const NO_SUCH_CALL: i64 = 38;

impl<'w> SmallSystem<'w> {
    /// A system whose standard input has these bytes.
    pub fn new(input: Vec<u8>, output: &'w mut dyn Write, errors: &'w mut dyn Write) -> Self {
        SmallSystem {
            input,
            read: 0,
            output,
            errors,
            first_break: 0,
            present_break: 0,
            last_break: 0,
            next_mapping: MAPPINGS,
            ticks: 0,
        }
    }

    fn write(
        &mut self,
        memory: &Memory,
        file: u64,
        at: Word,
        length: u64,
    ) -> Result<Option<u64>, Fault> {
        let length = length.min(MOST_BYTES);
        let mut bytes = vec![0; length as usize];
        if length > 0 {
            memory.load_bytes(at, &mut bytes)?;
        }
        // What cannot be written is lost, as with a closed pipe.
        match file {
            1 => drop(self.output.write_all(&bytes)),
            2 => drop(self.errors.write_all(&bytes)),
            _ => return Ok(None),
        }
        Ok(Some(length))
    }

    fn read(&mut self, memory: &mut Memory, at: Word, length: u64) -> Result<u64, Fault> {
        let left = &self.input[self.read..];
        let count = left.len().min(length.min(MOST_BYTES) as usize);
        if count > 0 {
            memory.store_bytes(at, &left[..count])?;
        }
        self.read += count;
        Ok(count as u64)
    }

    fn vector(
        &mut self,
        memory: &mut Memory,
        reading: bool,
        args: [Word; 6],
    ) -> Result<Answer, Fault> {
        let mut total = 0;
        for i in 0..args[2].bits.min(1024) {
            let base = memory.load_word(moved(args[1], 16 * i), 8)?;
            let length = memory.load_word(moved(args[1], 16 * i + 8), 8)?.bits;
            total += if reading {
                self.read(memory, base, length)?
            } else {
                match self.write(memory, args[0].bits, base, length)? {
                    Some(written) => written,
                    None => return Ok(error(BAD_FILE)),
                }
            };
        }
        Ok(done(total))
    }

    fn map(&mut self, memory: &mut Memory, args: [Word; 6]) -> Answer {
        let (length, flags) = (args[1].bits, args[3].bits);
        // Anonymous pages at an address that the system chooses.
        if flags & 0x20 == 0 || flags & 0x10 != 0 {
            return Answer::NotModelled("mmap of a file or at a fixed address".to_string());
        }
        let Some(size) = length.checked_next_multiple_of(4096).filter(|s| *s > 0) else {
            return error(INVALID);
        };
        if size > STACK_END - MAPPINGS {
            return error(NO_MEMORY);
        }
        match memory.allocate_fixed(self.next_mapping, size) {
            Ok(at) => {
                self.next_mapping += size + 4096;
                Answer::Return(at)
            }
            Err(_) => error(NO_MEMORY),
        }
    }

    fn answer(
        &mut self,
        memory: &mut Memory,
        number: u64,
        args: [Word; 6],
    ) -> Result<Answer, Fault> {
        let file = args[0].bits;
        Ok(match number {
            // exit, exit_group
            93 | 94 => Answer::Exit(args[0].bits as i32),
            // write
            64 => match self.write(memory, file, args[1], args[2].bits)? {
                Some(written) => done(written),
                None => error(BAD_FILE),
            },
            // read
            63 if file == 0 => done(self.read(memory, args[1], args[2].bits)?),
            63 => error(BAD_FILE),
            // readv, writev
            65 if file == 0 => self.vector(memory, true, args)?,
            65 => error(BAD_FILE),
            66 => self.vector(memory, false, args)?,
            // openat, faccessat, readlinkat
            56 | 48 | 78 => error(NO_ENTRY),
            // close
            57 => done(0),
            // lseek
            62 => error(NO_SEEKING),
            // ioctl: the streams are no terminals.
            29 => error(NO_TERMINAL),
            // fstat, newfstatat of a descriptor: a pipe.
            80 if file <= 2 => {
                self.describe(memory, args[1])?;
                done(0)
            }
            79 if file <= 2 && args[3].bits & 0x1000 != 0 => {
                self.describe(memory, args[2])?;
                done(0)
            }
            79 | 80 => error(NO_ENTRY),
            // brk
            214 => {
                let wanted = args[0].bits;
                if (self.first_break..=self.last_break).contains(&wanted) {
                    self.present_break = wanted;
                }
                done(self.present_break)
            }
            222 => self.map(memory, args),
            // munmap, mprotect, madvise: pages stay as they are.
            215 | 226 | 233 => done(0),
            // set_tid_address, gettid, getpid
            96 | 172 | 178 => done(1),
            // set_robust_list, rt_sigaction, rt_sigprocmask, sigaltstack, futex
            99 | 134 | 135 | 132 | 98 => done(0),
            // getuid, geteuid, getgid, getegid
            174..=177 => done(1000),
            // clock_gettime: time goes on with every look.
            113 => {
                self.ticks += 1;
                memory.store_word(args[1], 8, Word::int(self.ticks / 1000))?;
                let nanoseconds = Word::int(self.ticks % 1000 * 1_000_000);
                memory.store_word(moved(args[1], 8), 8, nanoseconds)?;
                done(0)
            }
            // uname
            160 => {
                memory.fill(args[0], 0, 6 * 65)?;
                let fields: [&[u8]; 5] = [b"Linux", b"guest", b"6.1.0", b"#1", b"riscv64"];
                for (i, text) in fields.iter().enumerate() {
                    memory.store_bytes(moved(args[0], 65 * i as u64), text)?;
                }
                done(0)
            }
            // getrandom
            278 => {
                let length = args[1].bits.min(256);
                let bytes: Vec<u8> = (0..length).map(|i| (i * 151 + 17) as u8).collect();
                memory.store_bytes(args[0], &bytes)?;
                done(length)
            }
            // tgkill, tkill, kill
            131 => Answer::Signal(args[2].bits as i32),
            129 | 130 => Answer::Signal(args[1].bits as i32),
            // prlimit64, rseq, riscv_hwprobe, get_robust_list: as an old kernel.
            261 | 293 | 258 | 100 => error(NO_SUCH_CALL),
            // Signals end the program: nobody is asked to run a handler.
            delivery::REGISTER..=delivery::ABORT => error(NO_SUCH_CALL),
            other => Answer::NotModelled(format!("system call {other}")),
        })
    }

    /// What `stat` says of a standard stream: a pipe with blocks of 4096 bytes.
    fn describe(&self, memory: &mut Memory, at: Word) -> Result<(), Fault> {
        memory.fill(at, 0, 128)?;
        memory.store_word(moved(at, 16), 4, Word::int(0o010_600))?;
        memory.store_word(moved(at, 20), 4, Word::int(1))?;
        memory.store_word(moved(at, 56), 4, Word::int(4096))
    }
}

impl System for SmallSystem<'_> {
    fn prepare(&mut self, memory: &mut Memory, end: u64) -> Result<(), cairn_memory::FixedError> {
        let last = end.saturating_add(BREAK_BYTES).min(0xffff_f000);
        self.first_break = end;
        self.present_break = end;
        self.last_break = last.max(end);
        if last > end {
            memory.allocate_fixed(end, last - end)?;
        }
        Ok(())
    }

    fn call(&mut self, memory: &mut Memory, number: u64, args: [Word; 6]) -> Answer {
        self.answer(memory, number, args)
            .unwrap_or_else(Answer::Fault)
    }
}
