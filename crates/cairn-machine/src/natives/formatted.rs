//! `printf` and its relatives: where their arguments come from, and where the text goes.

use super::output::stream;
use super::{Ending, NativeCall, NativeFamily, NativeResult, Stream, int32, string};
use crate::thread::{AnyValue, Extra};
use cairn_bv::BitVec;
use cairn_float::printf::{self, PrintArguments, PrintedText};
use cairn_memory::{Memory, Word};
use std::collections::VecDeque;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("printf", |c| {
        print(c, PrintTarget::Stream(Stream::Output), 0, None)
    }),
    ("__printf_chk", |c| {
        print(c, PrintTarget::Stream(Stream::Output), 1, None)
    }),
    ("vprintf", |c| {
        print(c, PrintTarget::Stream(Stream::Output), 0, Some(1))
    }),
    ("__vprintf_chk", |c| {
        print(c, PrintTarget::Stream(Stream::Output), 1, Some(2))
    }),
    ("fprintf", |c| {
        print(c, PrintTarget::Stream(stream(c, 0)?), 1, None)
    }),
    ("__fprintf_chk", |c| {
        print(c, PrintTarget::Stream(stream(c, 0)?), 2, None)
    }),
    ("vfprintf", |c| {
        print(c, PrintTarget::Stream(stream(c, 0)?), 1, Some(2))
    }),
    ("__vfprintf_chk", |c| {
        print(c, PrintTarget::Stream(stream(c, 0)?), 2, Some(3))
    }),
    ("sprintf", |c| print(c, PrintTarget::Buffer(None), 1, None)),
    ("__sprintf_chk", |c| {
        print(c, PrintTarget::Buffer(None), 3, None)
    }),
    ("vsprintf", |c| {
        print(c, PrintTarget::Buffer(None), 1, Some(2))
    }),
    ("__vsprintf_chk", |c| {
        print(c, PrintTarget::Buffer(None), 3, Some(4))
    }),
    ("snprintf", |c| {
        print(c, PrintTarget::Buffer(Some(c.bits(1))), 2, None)
    }),
    ("__snprintf_chk", |c| {
        print(c, PrintTarget::Buffer(Some(c.bits(1))), 4, None)
    }),
    ("vsnprintf", |c| {
        print(c, PrintTarget::Buffer(Some(c.bits(1))), 2, Some(3))
    }),
    ("__vsnprintf_chk", |c| {
        print(c, PrintTarget::Buffer(Some(c.bits(1))), 4, Some(5))
    }),
];

/// Where text goes.
enum PrintTarget {
    Stream(Stream),
    /// To the first argument; at most so many bytes with the end, if there is a limit.
    Buffer(Option<u64>),
}

/// Prints the format that is argument number `format`; its arguments are the variadic ones, or
/// come from a `va_list` that is argument number `list`.
fn print(
    call: &mut NativeCall<'_>,
    target: PrintTarget,
    format: usize,
    list: Option<usize>,
) -> NativeResult {
    let text = call.string(call.word(format))?;
    let keep = match target {
        PrintTarget::Stream(_) | PrintTarget::Buffer(None) => u64::MAX,
        PrintTarget::Buffer(Some(size)) => size.saturating_sub(1),
    };
    let output = match list {
        Some(list) => {
            let list = call.word(list);
            let mut source = VaList {
                memory: call.memory,
                list,
            };
            printf::format(&text, &mut source, keep)?
        }
        None => {
            let mut source = PassedArguments {
                memory: call.memory,
                extra: std::mem::take(&mut call.extra).into(),
            };
            printf::format(&text, &mut source, keep)?
        }
    };
    write(call, &target, &output)?;
    Ok(match output.failure {
        Some(_) => int32(-1),
        None => int32(output.length as i32),
    })
}

fn write(
    call: &mut NativeCall<'_>,
    target: &PrintTarget,
    output: &PrintedText,
) -> Result<(), Ending> {
    match target {
        PrintTarget::Stream(stream) => call.output.write(*stream, &output.bytes),
        PrintTarget::Buffer(Some(0)) => {}
        PrintTarget::Buffer(_) => {
            let to = call.word(0);
            let memory = &mut *call.memory;
            memory.store_bytes(to, &output.bytes)?;
            memory.fill(to.offset(output.bytes.len() as u64), 0, 1)?;
        }
    }
    Ok(())
}

/// Arguments as a call passed them.
struct PassedArguments<'a> {
    memory: &'a mut Memory,
    extra: VecDeque<Extra<Word, BitVec>>,
}

impl PassedArguments<'_> {
    fn next(&mut self) -> Result<AnyValue<Word, BitVec>, Ending> {
        match self.extra.pop_front() {
            Some(extra) => Ok(extra.value),
            None => Err(Ending::Wrong(
                "a format asks for more arguments than were passed".to_string(),
            )),
        }
    }

    fn word(&mut self) -> NativeResult {
        match self.next()? {
            AnyValue::Value(word) => Ok(word),
            AnyValue::Wide(_) => Err(Ending::Wrong(
                "a format asks for another argument than was passed".to_string(),
            )),
        }
    }
}

/// Arguments in a `va_list`; see `va_start` for its form.
struct VaList<'a> {
    memory: &'a mut Memory,
    list: Word,
}

impl VaList<'_> {
    /// The place of the next argument of a register class: `field` of the list says how much of
    /// the save area is used, which ends at `end`.
    fn register(&mut self, field: u64, end: u64, step: u64) -> NativeResult {
        let at = self.list.offset(field);
        let used = self.memory.load_word(at, 4)?.bits;
        if used >= end {
            return self.overflow(8, 8);
        }
        let save = self.memory.load_word(self.list.offset(16), 8)?;
        let memory = &mut *self.memory;
        memory.store_word(at, 4, Word::int(used + step))?;
        Ok(save.offset(used))
    }

    /// The place of the next argument in memory.
    fn overflow(&mut self, size: u64, align: u64) -> NativeResult {
        let field = self.list.offset(8);
        let area = self.memory.load_word(field, 8)?;
        let at = Word {
            bits: area.bits.next_multiple_of(align),
            ..area
        };
        let memory = &mut *self.memory;
        memory.store_word(field, 8, at.offset(size))?;
        Ok(at)
    }

    fn general(&mut self) -> NativeResult {
        let at = self.register(0, 48, 8)?;
        Ok(self.memory.load_word(at, 8)?)
    }
}

/// What reading the program's memory is for both sources.
macro_rules! memory_access {
    () => {
        fn address(&self, pointer: &Word) -> u64 {
            pointer.bits
        }

        fn read_string(&mut self, at: &Word, limit: Option<u64>) -> Result<Vec<u8>, Ending> {
            Ok(string(self.memory, *at, limit)?)
        }

        fn read_wide_string(&mut self, at: &Word, limit: Option<u64>) -> Result<Vec<u32>, Ending> {
            let mut text = Vec::new();
            while limit.is_none_or(|l| (text.len() as u64) < l) {
                let next = (*at).offset(4 * text.len() as u64);
                match self.memory.load_word(next, 4)?.bits as u32 {
                    0 => break,
                    c => text.push(c),
                }
            }
            Ok(text)
        }

        fn write_count(&mut self, at: &Word, size: u32, count: u64) -> Result<(), Ending> {
            let bits = count & (u64::MAX >> (64 - 8 * size));
            Ok(self.memory.store_word(*at, size, Word::int(bits))?)
        }
    };
}

impl PrintArguments for PassedArguments<'_> {
    type Error = Ending;
    type Pointer = Word;

    fn int(&mut self) -> Result<u64, Ending> {
        Ok(self.word()?.bits)
    }

    fn double(&mut self) -> Result<u64, Ending> {
        Ok(self.word()?.bits)
    }

    fn long_double(&mut self) -> Result<u128, Ending> {
        match self.next()? {
            AnyValue::Wide(value) if value.width() <= 128 => {
                Ok(value.to_u128().expect("at most 128 bits"))
            }
            AnyValue::Wide(_) | AnyValue::Value(_) => Err(Ending::Wrong(
                "a format asks for another argument than was passed".to_string(),
            )),
        }
    }

    fn pointer(&mut self) -> NativeResult {
        self.word()
    }

    memory_access!();
}

impl PrintArguments for VaList<'_> {
    type Error = Ending;
    type Pointer = Word;

    fn int(&mut self) -> Result<u64, Ending> {
        Ok(self.general()?.bits)
    }

    fn double(&mut self) -> Result<u64, Ending> {
        let at = self.register(4, 176, 16)?;
        Ok(self.memory.load_word(at, 8)?.bits)
    }

    fn long_double(&mut self) -> Result<u128, Ending> {
        let at = self.overflow(16, 16)?;
        let mut bytes = [0; 16];
        self.memory.load_bytes(at, &mut bytes[..10])?;
        Ok(u128::from_le_bytes(bytes))
    }

    fn pointer(&mut self) -> NativeResult {
        self.general()
    }

    memory_access!();
}
