//! A process for tests: a memory, a kernel, and calls by name.

#![allow(dead_code)]

use cairn_linux::{Abi, Errno, Kernel, Reply, Setup};
use cairn_memory::{Memory, MemoryConfig, ObjectKind, Word};

/// A memory and a kernel.
#[derive(Clone)]
pub struct Process {
    pub memory: Memory,
    pub kernel: Kernel,
    /// A buffer that is never in the way.
    pub buffer: Word,
}

pub const BUFFER: u64 = 1 << 16;

/// What a call returns: a value or an error.
pub type Outcome = Result<u64, Errno>;

pub fn outcome(reply: Reply) -> Outcome {
    match reply {
        Reply::Return(word) => match word.bits as i64 {
            error @ -4095..0 => Err(Errno((-error) as u16)),
            _ => Ok(word.bits),
        },
        other => panic!("{other:?}"),
    }
}

impl Process {
    pub fn new(setup: &Setup) -> Self {
        let mut memory = Memory::new(MemoryConfig::default());
        let kernel = Kernel::new(setup, &mut memory).expect("a setup");
        let buffer = memory.allocate(ObjectKind::Heap, BUFFER, 16).expect("room");
        memory.fill(buffer, 0xcc, BUFFER).expect("its own object");
        Process {
            memory,
            kernel,
            buffer,
        }
    }

    pub fn x86() -> Self {
        Process::new(&Setup::new(Abi::X86_64))
    }

    /// Bytes in an object of their own.
    pub fn bytes(&mut self, bytes: &[u8]) -> Word {
        let size = bytes.len() as u64;
        let at = self
            .memory
            .allocate(ObjectKind::Heap, size, 8)
            .expect("room");
        self.memory.store_bytes(at, bytes).expect("its own object");
        at
    }

    /// A string with its zero in an object of its own.
    pub fn string(&mut self, text: impl AsRef<[u8]>) -> Word {
        let mut bytes = text.as_ref().to_vec();
        bytes.push(0);
        self.bytes(&bytes)
    }

    /// A call by name, whatever it answers.
    pub fn reply(&mut self, name: &str, args: &[Word]) -> Reply {
        let number = self.kernel.abi().number(name);
        let number = number.unwrap_or_else(|| panic!("{name} has no number"));
        let mut all = [Word::int(0); 6];
        all[..args.len()].copy_from_slice(args);
        self.kernel.call(&mut self.memory, number, all)
    }

    /// A call by its number, of numbers.
    pub fn talk(&mut self, number: u64, args: &[u64]) -> Reply {
        let mut all = [Word::int(0); 6];
        for (word, arg) in all.iter_mut().zip(args) {
            *word = Word::int(*arg);
        }
        self.kernel.call(&mut self.memory, number, all)
    }

    /// A call by name that returns.
    pub fn call(&mut self, name: &str, args: &[Word]) -> Outcome {
        outcome(self.reply(name, args))
    }

    /// A call whose first arguments are names, which are freed afterwards.
    pub fn named(&mut self, name: &str, names: &[&[u8]], rest: &[u64]) -> Outcome {
        let strings: Vec<Word> = names.iter().map(|text| self.string(text)).collect();
        let mut args = strings.clone();
        args.extend(rest.iter().map(|&word| Word::int(word)));
        let result = self.call(name, &args);
        for string in strings {
            self.memory.free(string).expect("its own object");
        }
        result
    }

    /// A call of numbers.
    pub fn plain(&mut self, name: &str, args: &[u64]) -> Outcome {
        let words: Vec<Word> = args.iter().map(|&word| Word::int(word)).collect();
        self.call(name, &words)
    }

    pub fn open(&mut self, path: &str, flags: u64, mode: u64) -> Outcome {
        self.named("open", &[path.as_bytes()], &[flags, mode])
    }

    /// Writes bytes to a descriptor.
    pub fn write(&mut self, fd: u64, bytes: &[u8]) -> Outcome {
        let at = self.bytes(bytes);
        let result = self.call("write", &[Word::int(fd), at, Word::int(bytes.len() as u64)]);
        self.memory.free(at).expect("its own object");
        result
    }

    /// Reads up to so many bytes from a descriptor.
    pub fn read(&mut self, fd: u64, length: u64) -> Result<Vec<u8>, Errno> {
        let args = [Word::int(fd), self.buffer, Word::int(length)];
        let length = self.call("read", &args)?;
        Ok(self.seen(length))
    }

    /// The first bytes of the buffer.
    pub fn seen(&self, length: u64) -> Vec<u8> {
        self.load(self.buffer, length)
    }

    pub fn load(&self, at: Word, length: u64) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        self.memory.load_bytes(at, &mut bytes).expect("known bytes");
        bytes
    }

    pub fn word(&self, at: Word, offset: u64, bytes: u32) -> u64 {
        let at = Word {
            bits: at.bits + offset,
            ..at
        };
        self.memory.load_word(at, bytes).expect("known bytes").bits
    }
}
