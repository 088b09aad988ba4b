//! The text of a `.err` file, laid out as KLEE does, so that scripts find what they look for: the
//! message, the place, the calls that had not returned, and the values of inputs that lead there.
//!
//! A line of the stack begins with the number of the call and eight digits for the line in
//! `assembly.ll`. Where that line is not known, because the text was not requested, the digits are zeros,
//! and there is no `assembly.ll line:`.

use crate::recorder::DescribedError;
use std::fmt::Write;

/// Inputs longer than this are cut.
const SHOWN_BYTES: usize = 64;

/// Puts the text of a finding and its test after what the buffer holds.
pub fn write(text: &mut String, error: &DescribedError<'_>) {
    put(text, error).expect("writing to a string cannot fail");
}

fn put(text: &mut String, error: &DescribedError<'_>) -> std::fmt::Result {
    let DescribedError {
        finding,
        test,
        program,
        assembly,
    } = *error;
    let assembly_line = |place| assembly.and_then(|a| a.line(place));
    let place = finding.place(program);
    writeln!(text, "Error: {}", finding.message)?;
    if place.line != 0 {
        writeln!(text, "File: {}\nLine: {}", place.file, place.line)?;
    }
    let calls = finding.calls(program);
    if let Some(line) = calls.first().and_then(|(_, place)| assembly_line(*place)) {
        writeln!(text, "assembly.ll line: {line}")?;
    }
    if assembly.is_some() {
        writeln!(text, "State: {}", test.state)?;
    }
    writeln!(text, "Stack: ")?;
    for (i, (line, place)) in calls.iter().enumerate() {
        let in_text = assembly_line(*place).unwrap_or(0);
        write!(text, "\t#{i}{in_text:08} in {} ()", line.function)?;
        if line.line != 0 {
            write!(text, " at {}:{}", line.file, line.line)?;
        }
        writeln!(text)?;
    }
    if test.objects.is_empty() {
        return Ok(());
    }
    writeln!(text, "Info: ")?;
    for (name, bytes) in &test.objects {
        write!(text, "\t{name} = 0x")?;
        for byte in bytes.iter().take(SHOWN_BYTES) {
            write!(text, "{byte:02x}")?;
        }
        if bytes.len() > SHOWN_BYTES {
            write!(text, "...")?;
        }
        write!(text, " ({} bytes", bytes.len())?;
        if let Some(number) = number(bytes) {
            write!(text, ", as a number {number}")?;
        }
        writeln!(text, ")")?;
    }
    Ok(())
}

/// Bytes that may be a number, as a signed one.
fn number(bytes: &[u8]) -> Option<i64> {
    match *bytes {
        [a] => Some(i8::from_le_bytes([a]).into()),
        [a, b] => Some(i16::from_le_bytes([a, b]).into()),
        [a, b, c, d] => Some(i32::from_le_bytes([a, b, c, d]).into()),
        [a, b, c, d, e, f, g, h] => Some(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}
