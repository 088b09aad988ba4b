//! What stands in for a C library: enough for small programs.
//!
//! Each function is found by its name in the table of its family. It works on the machine's
//! memory with the same checks as the program's own accesses.

mod ctype;
mod cxx;
mod formatted;
mod heap;
mod long_math;
mod math;
mod numbers;
mod output;
mod process;
mod strings;

use crate::Concrete;
use crate::machine::{Ending, Machine};
use crate::thread::{Any, Extra};
use cairn_bv::BitVec;
use cairn_ir::{CheckKind, FuncId, Program};
use cairn_memory::{Fault, ObjectKind, Word};
use std::io::Write;

/// The standard streams: global pointers that programs declare and nobody defines.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Bytes of a global that is provided; 0 if it is not.
pub(crate) fn provided_size(name: &str) -> u64 {
    if STREAMS.contains(&name) { 8 } else { 0 }
}

/// A provided function.
pub(crate) type Native = fn(&mut Call<'_, '_>) -> Result<Word, Ending>;

/// A list of provided functions.
type Family = &'static [(&'static str, Native)];

const FAMILIES: [Family; 10] = [
    ctype::FUNCTIONS,
    cxx::FUNCTIONS,
    formatted::FUNCTIONS,
    heap::FUNCTIONS,
    long_math::FUNCTIONS,
    math::FUNCTIONS,
    numbers::FUNCTIONS,
    output::FUNCTIONS,
    process::FUNCTIONS,
    strings::FUNCTIONS,
];

/// All provided functions.
fn all() -> impl Iterator<Item = &'static (&'static str, Native)> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// The names of the functions that are provided.
pub fn provided() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| *name)
}

/// The provided function of a name.
pub(crate) fn find(name: &str) -> Option<Native> {
    all().find(|(n, _)| *n == name).map(|(_, native)| *native)
}

/// A call of a provided function.
pub(crate) struct Call<'m, 'w> {
    pub machine: &'m mut Machine<'w>,
    args: Vec<(Any<Word, BitVec>, u32)>,
    pub extra: Vec<Extra<Word, BitVec>>,
    /// The result, if it has more than 64 bits.
    pub wide_result: Option<BitVec>,
}

impl Call<'_, '_> {
    /// An argument; zero if it is not there, as a register would hold anything.
    pub fn word(&self, i: usize) -> Word {
        match self.args.get(i) {
            Some((Any::Value(word), _)) => *word,
            Some((Any::Wide(_), _)) => Word::int(0),
            None => match self.extra.get(i - self.args.len()) {
                Some(Extra {
                    value: Any::Value(word),
                    ..
                }) => *word,
                Some(_) | None => Word::int(0),
            },
        }
    }

    /// An argument's bits.
    pub fn bits(&self, i: usize) -> u64 {
        self.word(i).bits
    }

    /// An argument of more than 64 bits; zero if it is not there.
    pub fn wide(&self, i: usize) -> u128 {
        match self.args.get(i) {
            Some((Any::Wide(value), _)) => value.to_u128().unwrap_or(0),
            Some((Any::Value(_), _)) | None => 0,
        }
    }

    /// The bytes of a string.
    pub fn string(&self, at: Word) -> Result<Vec<u8>, Fault> {
        self.machine.domain.string(at, None)
    }
}

/// Calls a provided function and gives its result the widths that are expected.
pub(crate) fn call(
    machine: &mut Machine<'_>,
    native: Native,
    args: Vec<(Any<Word, BitVec>, u32)>,
    extra: Vec<Extra<Word, BitVec>>,
    results: &[u32],
) -> Result<Vec<Any<Word, BitVec>>, Ending> {
    let mut call = Call {
        machine,
        args,
        extra,
        wide_result: None,
    };
    let word = native(&mut call)?;
    let wide = call.wide_result;
    Ok(results
        .iter()
        .map(|&width| {
            if width <= 64 {
                let bits = word.bits & (u64::MAX >> (64 - width));
                Any::Value(Word { bits, ..word })
            } else {
                match &wide {
                    Some(value) if value.width() == width => Any::Wide(value.clone()),
                    Some(_) | None => Any::Wide(BitVec::new(width, word.bits)),
                }
            }
        })
        .collect())
}

impl Concrete {
    /// The bytes of a string up to its end or a limit.
    pub(crate) fn string(&self, at: Word, limit: Option<u64>) -> Result<Vec<u8>, Fault> {
        let limit = limit.unwrap_or(u64::MAX);
        let length = self.memory.find_byte(at, 0, limit)?.unwrap_or(limit);
        let mut bytes = vec![0; length as usize];
        self.memory.load_bytes(at, &mut bytes)?;
        Ok(bytes)
    }
}

/// What a program can reach besides its memory.
pub(crate) struct World<'w> {
    output: Vec<u8>,
    sink: &'w mut dyn Write,
    errors: &'w mut dyn Write,
    /// Functions to call at the end, newest last, each with an argument if it wants one.
    pub at_exit: Vec<(FuncId, Option<Word>)>,
    /// The program left by `_exit`.
    pub left_at_once: bool,
    /// Where `errno` is.
    pub error_number: Word,
    /// Where the tables of `<ctype.h>` are; made when first asked for.
    pub tables: [Option<Word>; 3],
    /// Which pointers are the standard streams: input, output, errors.
    pub streams: [Word; 3],
}

/// Standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

impl<'w> World<'w> {
    pub fn new(sink: &'w mut dyn Write, errors: &'w mut dyn Write) -> Self {
        World {
            output: Vec::new(),
            sink,
            errors,
            at_exit: Vec::new(),
            left_at_once: false,
            error_number: Word::int(0),
            tables: [None; 3],
            streams: [Word::int(0); 3],
        }
    }

    /// Makes the library's own objects and puts their addresses where the program looks.
    pub fn place(&mut self, program: &Program, domain: &mut Concrete) -> Result<(), Fault> {
        self.error_number = domain.memory.allocate(ObjectKind::Global, 4, 4)?;
        for stream in &mut self.streams {
            *stream = domain.memory.allocate(ObjectKind::Constant, 1, 1)?;
        }
        for (global, at) in program.globals.iter().zip(domain.globals.iter()) {
            if global.content.is_some() {
                continue;
            }
            if let Some(i) = STREAMS.iter().position(|n| *n == global.name) {
                domain.memory.initialise_word(*at, self.streams[i])?;
            }
        }
        Ok(())
    }

    /// Bytes after which output is handed on.
    const BUFFER: usize = 1 << 16;

    /// Writes to a stream. What cannot be written is lost, as with a closed pipe.
    pub fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Output => {
                self.output.extend_from_slice(bytes);
                if self.output.len() >= Self::BUFFER {
                    self.flush();
                }
            }
            Stream::Errors => {
                let _ = self.errors.write_all(bytes);
            }
        }
    }

    pub fn flush(&mut self) {
        let _ = self.sink.write_all(&self.output);
        let _ = self.sink.flush();
        self.output.clear();
    }
}

/// What a failed check means, in a sentence.
pub(crate) fn check_text(kind: CheckKind, message: &str) -> String {
    let text = match kind {
        CheckKind::DivisionByZero => "division by zero",
        CheckKind::DivisionOverflow => "overflow in division",
        CheckKind::Overshift => "shift by the width or more",
        CheckKind::SignedOverflow => "signed overflow",
        CheckKind::UnsignedOverflow => "unsigned overflow",
        CheckKind::Inexact => "bits are lost",
        CheckKind::PointerOverflow => "pointer arithmetic overflows",
        CheckKind::Unreachable => "code that is never reached was",
        CheckKind::Assumption => "an assumption is false",
        CheckKind::OutOfRange => "a value is out of its range",
        CheckKind::Null => "null pointer",
        CheckKind::Misaligned => "misaligned pointer",
        CheckKind::FunctionType => "wrong function type",
        CheckKind::Undefined => "undefined behaviour",
        CheckKind::Unsupported => "not supported",
    };
    if message.is_empty() {
        text.to_string()
    } else {
        format!("{text}: {message}")
    }
}

/// A word of 32 bits from a signed number.
pub(crate) fn int32(value: i32) -> Word {
    Word::int(u64::from(value as u32))
}

/// A pointer moved by an offset.
pub(crate) fn offset(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}

/// Null.
pub(crate) fn null() -> Word {
    Word::int(0)
}
