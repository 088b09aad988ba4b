//! Output: characters, strings, and `printf` with its relatives.

use super::{Ending, NativeCall, NativeFamily, NativeResult, Stream, int32};
use cairn_memory::Word;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("putchar", putchar),
    ("putchar_unlocked", putchar),
    ("puts", puts),
    ("fputs", fputs),
    ("fputc", fputc),
    ("putc", fputc),
    ("fwrite", fwrite),
    ("fflush", fflush),
];

fn putchar(call: &mut NativeCall<'_>) -> NativeResult {
    let byte = call.bits(0) as u8;
    call.output.write(Stream::Output, &[byte]);
    Ok(int32(i32::from(byte)))
}

fn puts(call: &mut NativeCall<'_>) -> NativeResult {
    let mut line = call.string(call.word(0))?;
    line.push(b'\n');
    call.output.write(Stream::Output, &line);
    Ok(int32(line.len() as i32))
}

/// The stream that an argument points to.
pub(super) fn stream(call: &NativeCall<'_>, i: usize) -> Result<Stream, Ending> {
    let at = call.bits(i);
    let [_, output, errors] = call.library.streams;
    if at == output.bits {
        Ok(Stream::Output)
    } else if at == errors.bits {
        Ok(Stream::Errors)
    } else {
        Err(Ending::Wrong(format!(
            "{at:#x} is neither standard output nor standard error"
        )))
    }
}

fn fputs(call: &mut NativeCall<'_>) -> NativeResult {
    let to = stream(call, 1)?;
    let text = call.string(call.word(0))?;
    call.output.write(to, &text);
    Ok(int32(1))
}

fn fputc(call: &mut NativeCall<'_>) -> NativeResult {
    let to = stream(call, 1)?;
    let byte = call.bits(0) as u8;
    call.output.write(to, &[byte]);
    Ok(int32(i32::from(byte)))
}

fn fwrite(call: &mut NativeCall<'_>) -> NativeResult {
    let to = stream(call, 3)?;
    let (size, count) = (call.bits(1), call.bits(2));
    let length = size.saturating_mul(count);
    if length == 0 {
        return Ok(Word::int(0));
    }
    // Look before a buffer is made: the length may be garbage.
    let from = call.word(0);
    let last = from.offset(length - 1);
    call.memory.load_word(from, 1)?;
    call.memory.load_word(last, 1)?;
    let mut bytes = vec![0; length as usize];
    call.memory.load_bytes(from, &mut bytes)?;
    call.output.write(to, &bytes);
    Ok(Word::int(count))
}

fn fflush(call: &mut NativeCall<'_>) -> NativeResult {
    call.output.flush();
    Ok(int32(0))
}
