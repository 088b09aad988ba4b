//! `cairn ktest`: prints tests, takes objects out of them, or makes one.
//!
//! The layout is that of KLEE's ktest-tool, to the byte, because scripts read it: strings and bytes
//! are printed as Python prints them.

use crate::exit::{self, Failure};
use crate::output;
use crate::recorder::write_failures::write_whole;
use crate::say;
use cairn_replay::{ConcreteInput, KTest, KTestObject};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The options of `cairn ktest`.
#[derive(clap::Args)]
#[command(after_help = "\
Content of objects (--object NAME=CONTENT):
  hex:00ff2a      these bytes
  str:text        the bytes of the text, without a zero at the end
  int:-5          an int of 4 bytes; int8:, int16:, int32:, int64: for other sizes
  file:PATH       the bytes of a file; PATH alone means the same

Examples:
  cairn ktest --gen zero.ktest --arg prog --object x=int:0 --object buf=hex:000102
  cairn ktest --gen wc.ktest --arg wc --sym-stdin text.txt -- -l")]
pub struct KtestOptions {
    /// Tests to print
    #[arg(
        value_name = "FILE",
        required_unless_present = "gen",
        conflicts_with = "gen"
    )]
    files: Vec<PathBuf>,

    /// Leaves zeros at the end of data, hex and text out
    #[arg(long)]
    trim_zeros: bool,

    /// Writes the bytes of an object to FILE.NAME instead of printing
    #[arg(long, value_name = "NAME", conflicts_with = "gen")]
    extract: Vec<OsString>,

    /// Makes a test and writes it to this file
    #[arg(long, value_name = "OUT")]
    r#gen: Option<PathBuf>,

    /// With --gen: an argument of the program; the first is the program's name
    #[arg(
        long,
        value_name = "ARG",
        requires = "gen",
        conflicts_with = "files",
        allow_hyphen_values = true
    )]
    arg: Vec<OsString>,

    /// With --gen: an object and its content, see below
    #[arg(
        long,
        value_name = "NAME=CONTENT",
        requires = "gen",
        conflicts_with = "files"
    )]
    object: Vec<OsString>,

    /// With --gen: a file whose content is standard input
    #[arg(long, value_name = "FILE", requires = "gen", conflicts_with = "files")]
    sym_stdin: Option<PathBuf>,

    /// With --gen: a file that the program finds as A; the next one is B, and so on
    #[arg(long, value_name = "FILE", requires = "gen", conflicts_with = "files")]
    sym_file: Vec<PathBuf>,

    /// With --gen: arguments that are symbolic when the program is explored
    #[arg(
        last = true,
        value_name = "ARG",
        requires = "gen",
        conflicts_with = "files"
    )]
    sym_args: Vec<OsString>,
}

/// Runs the command; the result is the exit code.
pub fn run(options: &KtestOptions) -> Result<u8, Failure> {
    if let Some(output) = &options.r#gen {
        return generate(output, options);
    }
    for file in &options.files {
        let test = read(file)?;
        if options.extract.is_empty() {
            let text = print(file, &test, options.trim_zeros);
            output::print(text)?;
        } else {
            extract(file, &test, options)?;
        }
    }
    Ok(exit::DONE)
}

/// Reads a test; an error names the file.
pub fn read(file: &Path) -> Result<KTest, Failure> {
    let bytes = cairn_home::read_file(file).map_err(|e| bad(file, e))?;
    KTest::read(&bytes).map_err(|e| bad(file, e))
}

fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    let message = anyhow::anyhow!("{}: {why}", file.display());
    Failure::new(exit::BAD_INPUT, message)
}

fn trimmed(bytes: &[u8], trim: bool) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|b| *b != 0)
        .map_or(0, |last| last + 1);
    if trim { &bytes[..end] } else { bytes }
}

fn extract(file: &Path, test: &KTest, options: &KtestOptions) -> Result<(), Failure> {
    for name in &options.extract {
        let mut found = false;
        for object in test.objects.iter().filter(|o| o.name == name.as_bytes()) {
            let mut output = file.as_os_str().to_os_string();
            output.push(".");
            output.push(name);
            let output = Path::new(&output);
            write_whole(output, trimmed(&object.bytes, options.trim_zeros))
                .map_err(|e| Failure::unwritable(output, &e))?;
            found = true;
        }
        if !found {
            let name = name.to_string_lossy();
            return Err(bad(file, format!("there is no object {name}")));
        }
    }
    Ok(())
}

fn print(file: &Path, test: &KTest, trim: bool) -> String {
    let args: Vec<String> = test.args.iter().map(|arg| python_string(arg)).collect();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "ktest file : {}\nargs       : [{}]\nnum objects: {}",
        python_string(file.as_os_str().as_bytes()),
        args.join(", "),
        test.objects.len()
    );
    let width = test
        .objects
        .len()
        .saturating_sub(1)
        .max(1)
        .to_string()
        .len();
    for (index, object) in test.objects.iter().enumerate() {
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "object {index:width$}: {key}: {value}");
        };
        let shown = trimmed(&object.bytes, trim);
        line(
            "name",
            &format!("'{}'", String::from_utf8_lossy(&object.name)),
        );
        line("size", &object.bytes.len().to_string());
        line("data", &python_bytes(shown));
        line("hex ", &format!("0x{}", hex(shown)));
        if let Some((signed, unsigned)) = integers(&object.bytes) {
            line("int ", &signed.to_string());
            line("uint", &unsigned.to_string());
        }
        line("text", &plain(shown));
    }
    text
}

/// The bytes as a number of this machine, if it has one of that size.
fn integers(bytes: &[u8]) -> Option<(i64, u64)> {
    match *bytes {
        [a] => Some((i64::from(a as i8), u64::from(a))),
        [a, b] => {
            let bytes = [a, b];
            Some((
                i64::from(i16::from_le_bytes(bytes)),
                u64::from(u16::from_le_bytes(bytes)),
            ))
        }
        [a, b, c, d] => {
            let bytes = [a, b, c, d];
            Some((
                i64::from(i32::from_le_bytes(bytes)),
                u64::from(u32::from_le_bytes(bytes)),
            ))
        }
        _ => {
            let bytes: [u8; 8] = bytes.try_into().ok()?;
            Some((i64::from_le_bytes(bytes), u64::from_le_bytes(bytes)))
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Letters as they are, anything else as a dot.
fn plain(bytes: &[u8]) -> String {
    let letter = |b: &u8| matches!(b, b' '..=b'~').then_some(char::from(*b));
    bytes.iter().map(|b| letter(b).unwrap_or('.')).collect()
}

/// Python takes double quotes only if that saves escaping single ones.
fn python_quote(bytes: &[u8]) -> char {
    if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    }
}

/// A character of ASCII as Python escapes it between such quotes.
fn push_python_ascii(text: &mut String, byte: u8, quote: char) {
    match byte {
        b'\t' => text.push_str("\\t"),
        b'\n' => text.push_str("\\n"),
        b'\r' => text.push_str("\\r"),
        b'\\' => text.push_str("\\\\"),
        b' '..=b'~' => {
            if char::from(byte) == quote {
                text.push('\\');
            }
            text.push(char::from(byte));
        }
        _ => {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
}

/// `repr` of a Python `bytes`.
fn python_bytes(bytes: &[u8]) -> String {
    let quote = python_quote(bytes);
    let mut text = format!("b{quote}");
    for byte in bytes {
        push_python_ascii(&mut text, *byte, quote);
    }
    text.push(quote);
    text
}

/// `repr` of a Python `str`; bytes that are not UTF-8 appear as Python carries them in file names.
fn python_string(bytes: &[u8]) -> String {
    let quote = python_quote(bytes);
    let mut text = String::from(quote);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(character) {
                Ok(byte @ ..0x80) => push_python_ascii(&mut text, byte, quote),
                // Controls, the space that does not break, and the hyphen that may not show.
                Ok(byte @ (0x80..=0xa0 | 0xad)) => {
                    let _ = write!(text, "\\x{byte:02x}");
                }
                Ok(_) | Err(_) => text.push(character),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\udc{byte:02x}");
        }
    }
    text.push(quote);
    text
}

fn generate(output: &Path, options: &KtestOptions) -> Result<u8, Failure> {
    let mut objects = Vec::with_capacity(options.object.len());
    for object in &options.object {
        objects.push(parse_object(object)?);
    }
    let bytes = |words: &[OsString]| words.iter().map(|a| a.clone().into_vec()).collect();
    let mut input = ConcreteInput {
        literal: bytes(&options.arg),
        arguments: bytes(&options.sym_args),
        objects,
        ..ConcreteInput::default()
    };
    let whole_program =
        !options.sym_args.is_empty() || !options.sym_file.is_empty() || options.sym_stdin.is_some();
    if whole_program && input.literal.is_empty() {
        // The first argument is always the program's name.
        input.literal.push(b"program".to_vec());
    }
    if options.sym_file.len() > ConcreteInput::MOST_FILES {
        let most = ConcreteInput::MOST_FILES;
        let message = anyhow::anyhow!("--sym-file: expected at most {most} files");
        return Err(Failure::new(exit::USAGE, message));
    }
    for file in &options.sym_file {
        let content = read_input(file)?;
        let metadata = std::fs::metadata(file).map_err(|e| bad(file, e))?;
        input.files.push((content, metadata.permissions().mode()));
    }
    if let Some(file) = &options.sym_stdin {
        input.input = Some(read_input(file)?);
    }
    let length = input.file_length();
    for (file, (content, _)) in options.sym_file.iter().zip(&input.files) {
        if content.len() < length {
            say!(
                "cairn: {}: zeros were added up to {length} bytes, the length of the longest file",
                file.display()
            );
        }
    }
    let test = input.test();
    test.write_atomically(output)
        .map_err(|e| Failure::unwritable(output, &e))?;
    Ok(exit::DONE)
}

/// A file that becomes an object.
fn read_input(file: &Path) -> Result<Vec<u8>, Failure> {
    cairn_home::read_file(file).map_err(|e| bad(file, e))
}

fn parse_object(given: &OsStr) -> Result<KTestObject, Failure> {
    let wrong = |why: String| {
        let message = anyhow::anyhow!("--object {}: {why}", given.to_string_lossy());
        Failure::new(exit::USAGE, message)
    };
    let bytes = given.as_bytes();
    let Some(split) = bytes.iter().position(|b| *b == b'=') else {
        return Err(wrong("expected NAME=CONTENT".to_string()));
    };
    let (name, content) = (&bytes[..split], &bytes[split + 1..]);
    let text = std::str::from_utf8(content).unwrap_or_default();
    let bytes = if let Some(text) = content.strip_prefix(b"str:") {
        text.to_vec()
    } else if let Some(digits) = text.strip_prefix("hex:") {
        let expected = "expected an even number of hexadecimal digits after hex:";
        parse_hex(digits).ok_or_else(|| wrong(expected.to_string()))?
    } else if let Some((size, number)) = integer_size(text) {
        parse_integer(number, size)
            .ok_or_else(|| wrong(format!("expected a number of {size} bytes, in decimal")))?
    } else {
        let path = content.strip_prefix(b"file:").unwrap_or(content);
        let path = Path::new(OsStr::from_bytes(path));
        std::fs::read(path).map_err(|e| bad(path, e))?
    };
    if u32::try_from(bytes.len()).is_err() {
        return Err(wrong("expected less than 4 GiB".to_string()));
    }
    Ok(KTestObject {
        name: name.to_vec(),
        bytes,
    })
}

/// The size that a prefix stands for, and what is after it.
fn integer_size(text: &str) -> Option<(usize, &str)> {
    [
        ("int:", 4),
        ("int8:", 1),
        ("int16:", 2),
        ("int32:", 4),
        ("int64:", 8),
    ]
    .into_iter()
    .find_map(|(prefix, size)| Some((size, text.strip_prefix(prefix)?)))
}

/// The number in the order of this machine, signed or not.
fn parse_integer(text: &str, size: usize) -> Option<Vec<u8>> {
    let number: i128 = text.parse().ok()?;
    let bits = 8 * size as u32;
    let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(&number);
    fits.then(|| number.to_le_bytes()[..size].to_vec())
}

fn parse_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match *pair {
            [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
            _ => None,
        })
        .collect()
}
