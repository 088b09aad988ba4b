//! C's formatted output, byte for byte as the GNU library prints it in the C locale.
//!
//! The text of a format is taken apart first (`spec`), because a format with numbered arguments
//! has to be known as a whole before its first argument can be read. Numbers are printed from
//! their exact decimal digits (`decimal`), rounded half to even, at any precision.
//!
//! - Where arguments and memory come from is the caller's: [`PrintArguments`]. Pointers are of a type
//!   of its own, so they can be more than their address.
//! - Only the bytes that the caller wants are kept; the rest is counted. A width of a thousand
//!   million costs nothing if the buffer has ten bytes.
//! - What makes the library's call fail is a [`PrintFailure`] in the [`PrintedText`]; what was printed
//!   before it is there too.
//! - A conversion that does not exist is printed as the library prints it, without an argument.
//!   Formats with both numbered and unnumbered conversions have no meaning in C; here the latter
//!   count from the first argument.
//! - Three faults of the library are not followed, where C says what is right: some versions lose
//!   zeros of `%#g` when a number is rounded up to the next power of ten; fill on the right with
//!   zeros if a numbered width with the flag `0` is negative; and print pseudo-denormals of the
//!   80-bit format as other numbers.

mod decimal;
mod float;
mod source;
mod spec;

use float::{FloatText, TextPart};
use source::{ArgumentSource, ArgumentValue};
use spec::{Amount, FormatPiece, Length, Spec};

/// The variadic arguments of a call, and the memory that they point to.
pub trait PrintArguments {
    /// Why reading can fail.
    type Error;
    /// A pointer argument.
    type Pointer: Clone;

    /// The next argument, an integer: eight bytes, of which an `int` is the lower four.
    fn int(&mut self) -> Result<u64, Self::Error>;

    /// The next argument, the bits of a `double`.
    fn double(&mut self) -> Result<u64, Self::Error>;

    /// The next argument, the 80 bits of a `long double`.
    fn long_double(&mut self) -> Result<u128, Self::Error>;

    /// The next argument, a pointer.
    fn pointer(&mut self) -> Result<Self::Pointer, Self::Error>;

    /// The address that a pointer has.
    fn address(&self, pointer: &Self::Pointer) -> u64;

    /// The bytes before the first zero, at most as many as the limit: what is beyond it is not to
    /// be read.
    fn read_string(
        &mut self,
        pointer: &Self::Pointer,
        limit: Option<u64>,
    ) -> Result<Vec<u8>, Self::Error>;

    /// The four-byte characters before the first zero, at most as many as the limit.
    fn read_wide_string(
        &mut self,
        pointer: &Self::Pointer,
        limit: Option<u64>,
    ) -> Result<Vec<u32>, Self::Error>;

    /// Writes how many bytes have been printed as a little-endian integer of so many bytes.
    fn write_count(
        &mut self,
        pointer: &Self::Pointer,
        size: u32,
        count: u64,
    ) -> Result<(), Self::Error>;

    /// What `%m` prints for the present value of `errno`: its text, or its name for `%#m`. As it
    /// stands here, there never was an error.
    fn error_message(&mut self, name: bool) -> Result<Vec<u8>, Self::Error> {
        Ok(if name {
            b"0".to_vec()
        } else {
            b"Success".to_vec()
        })
    }
}

/// What was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedText {
    /// The bytes, as many as were to be kept.
    pub bytes: Vec<u8>,
    /// How many bytes there are in all.
    pub length: u64,
    /// The call fails after these bytes: it returns a negative number and sets `errno`.
    pub failure: Option<PrintFailure>,
}

/// Why the library's call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintFailure {
    /// A wide character that the C locale does not have (`EILSEQ`).
    IllegalSequence,
    /// A width, a precision or the whole output beyond the range of `int` (`EOVERFLOW`).
    Overflow,
    /// The format ends within a conversion, or takes one numbered argument for two types
    /// (`EINVAL`; in the latter case the library prints anything).
    Invalid,
}

/// Prints arguments as a format says; `keep` is how many bytes are wanted.
pub fn format<A: PrintArguments>(
    format: &[u8],
    arguments: &mut A,
    keep: u64,
) -> Result<PrintedText, A::Error> {
    let pieces = spec::parse(format);
    let mut printer = Printer {
        source: ArgumentSource::new(arguments),
        sink: Sink {
            bytes: Vec::new(),
            length: 0,
            keep,
        },
    };
    let failure = match printer.pieces(&pieces) {
        Ok(()) => None,
        Err(PrintStop::Failure(failure)) => Some(failure),
        Err(PrintStop::Error(error)) => return Err(error),
    };
    Ok(PrintedText {
        bytes: printer.sink.bytes,
        length: printer.sink.length,
        failure,
    })
}

/// Why printing ends early.
enum PrintStop<E> {
    /// The call fails.
    Failure(PrintFailure),
    /// An argument cannot be read.
    Error(E),
}

impl<E> From<E> for PrintStop<E> {
    fn from(error: E) -> Self {
        PrintStop::Error(error)
    }
}

/// Where bytes go.
struct Sink {
    bytes: Vec<u8>,
    length: u64,
    keep: u64,
}

impl Sink {
    fn room(&self) -> usize {
        let room = self.keep.saturating_sub(self.bytes.len() as u64);
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    fn text(&mut self, text: &[u8]) {
        let kept = text.len().min(self.room());
        self.bytes.extend_from_slice(&text[..kept]);
        self.length += text.len() as u64;
    }

    fn fill(&mut self, byte: u8, count: u64) {
        let kept = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .min(self.room());
        self.bytes.resize(self.bytes.len() + kept, byte);
        self.length += count;
    }
}

/// A width and how it is filled.
#[derive(Clone, Copy)]
struct Field {
    width: u64,
    left: bool,
    zeros: bool,
}

struct Printer<'a, A: PrintArguments> {
    source: ArgumentSource<'a, A>,
    sink: Sink,
}

impl<A: PrintArguments> Printer<'_, A> {
    fn pieces(&mut self, pieces: &[FormatPiece]) -> Result<(), PrintStop<A::Error>> {
        if pieces.iter().any(FormatPiece::is_numbered) {
            self.source.fetch(pieces)?;
        }
        for piece in pieces {
            match piece {
                FormatPiece::Text(text) => self.sink.text(text),
                FormatPiece::Spec(spec) => self.conversion(spec)?,
                FormatPiece::Failure(failure) => return Err(PrintStop::Failure(*failure)),
            }
            if self.sink.length > i32::MAX as u64 {
                return Err(PrintStop::Failure(PrintFailure::Overflow));
            }
        }
        Ok(())
    }

    /// A width or precision that may come from an argument; negative ones are the caller's.
    fn amount(&mut self, amount: Amount) -> Result<Option<i32>, PrintStop<A::Error>> {
        match amount {
            Amount::None => Ok(None),
            Amount::Fixed(value) => Ok(Some(value)),
            Amount::Argument(position) => Ok(Some(self.source.int(position)? as i32)),
        }
    }

    fn conversion(&mut self, spec: &Spec) -> Result<(), PrintStop<A::Error>> {
        let width = self.amount(spec.width)?.unwrap_or(0);
        let left = spec.flags.left || width < 0;
        let field = Field {
            width: width.unsigned_abs().into(),
            left,
            zeros: spec.flags.zero && !left,
        };
        if field.width > i32::MAX as u64 {
            return Err(PrintStop::Failure(PrintFailure::Overflow));
        }
        // A negative precision is as none.
        let precision = self
            .amount(spec.precision)?
            .and_then(|value| u64::try_from(value).ok());
        if !spec.is_known() {
            self.unknown(spec, field, precision);
            return Ok(());
        }
        let wide = spec.length == Length::Long || spec.length == Length::LongLong;
        match spec.conversion {
            b'%' => self.sink.text(b"%"),
            b'd' | b'i' => {
                let value = spec.length.signed(self.source.int(spec.position)?);
                let sign = self.sign(spec, value < 0);
                self.integer(spec, field, precision, sign, value.unsigned_abs());
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = spec.length.unsigned(self.source.int(spec.position)?);
                self.integer(spec, field, precision, b"", value);
            }
            b'p' => {
                let pointer = self.source.pointer(spec.position)?;
                let address = self.source.arguments.address(&pointer);
                if address == 0 {
                    self.padded(field, b"(nil)");
                } else {
                    let sign = self.sign(spec, false);
                    self.integer(spec, field, precision, sign, address);
                }
            }
            b'c' if !wide => {
                let value = self.source.int(spec.position)?;
                self.padded(field, &[value as u8]);
            }
            b'c' | b'C' => {
                let value = self.source.int(spec.position)? as u32;
                let byte = narrow(value).map_err(PrintStop::Failure)?;
                self.padded(field, &[byte]);
            }
            b's' if !wide => self.string(spec, field, precision, false)?,
            b's' | b'S' => self.string(spec, field, precision, true)?,
            b'm' => {
                let mut text = self.source.arguments.error_message(spec.flags.alternate)?;
                shorten(&mut text, precision);
                self.padded(field, &text);
            }
            b'n' => {
                let pointer = self.source.pointer(spec.position)?;
                let count = self.sink.length;
                self.source
                    .arguments
                    .write_count(&pointer, spec.length.bytes(), count)?;
            }
            _ => self.float(spec, field, precision)?,
        }
        Ok(())
    }

    /// The sign of a signed conversion.
    fn sign(&self, spec: &Spec, negative: bool) -> &'static [u8] {
        match (negative, spec.flags.plus, spec.flags.space) {
            (true, _, _) => b"-",
            (false, true, _) => b"+",
            (false, false, true) => b" ",
            (false, false, false) => b"",
        }
    }

    /// Text in a field of blanks.
    fn padded(&mut self, field: Field, text: &[u8]) {
        let fill = field.width.saturating_sub(text.len() as u64);
        if !field.left {
            self.sink.fill(b' ', fill);
        }
        self.sink.text(text);
        if field.left {
            self.sink.fill(b' ', fill);
        }
    }

    fn integer(
        &mut self,
        spec: &Spec,
        field: Field,
        precision: Option<u64>,
        sign: &[u8],
        value: u64,
    ) {
        let mut digits = match spec.conversion {
            b'o' => format!("{value:o}"),
            b'x' | b'p' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => format!("{value}"),
        };
        if value == 0 && precision == Some(0) {
            digits.clear();
        }
        let prefix: &[u8] = match spec.conversion {
            b'p' => b"0x",
            b'x' if spec.flags.alternate && value != 0 => b"0x",
            b'X' if spec.flags.alternate && value != 0 => b"0X",
            _ => b"",
        };
        let mut zeros = precision.unwrap_or(1).saturating_sub(digits.len() as u64);
        if spec.conversion == b'o' && spec.flags.alternate && zeros == 0 && !digits.starts_with('0')
        {
            zeros = 1;
        }
        let used = (sign.len() + prefix.len() + digits.len()) as u64 + zeros;
        let mut fill = field.width.saturating_sub(used);
        if field.zeros && precision.is_none() {
            zeros += fill;
            fill = 0;
        }
        if !field.left {
            self.sink.fill(b' ', fill);
        }
        self.sink.text(sign);
        self.sink.text(prefix);
        self.sink.fill(b'0', zeros);
        self.sink.text(digits.as_bytes());
        if field.left {
            self.sink.fill(b' ', fill);
        }
    }

    fn string(
        &mut self,
        spec: &Spec,
        field: Field,
        precision: Option<u64>,
        wide: bool,
    ) -> Result<(), PrintStop<A::Error>> {
        let pointer = self.source.pointer(spec.position)?;
        let null: &[u8] = b"(null)";
        if self.source.arguments.address(&pointer) == 0 {
            let whole = precision.is_none_or(|most| most >= null.len() as u64);
            self.padded(field, if whole { null } else { b"" });
            return Ok(());
        }
        let mut text = if wide {
            let characters = self
                .source
                .arguments
                .read_wide_string(&pointer, precision)?;
            characters
                .into_iter()
                .map(narrow)
                .collect::<Result<_, _>>()
                .map_err(PrintStop::Failure)?
        } else {
            self.source.arguments.read_string(&pointer, precision)?
        };
        shorten(&mut text, precision);
        self.padded(field, &text);
        Ok(())
    }

    fn float(
        &mut self,
        spec: &Spec,
        field: Field,
        precision: Option<u64>,
    ) -> Result<(), PrintStop<A::Error>> {
        let text = match self.source.float(spec)? {
            ArgumentValue::Double(bits) => FloatText::double(bits, spec, precision),
            ArgumentValue::LongDouble(bits) => FloatText::long_double(bits, spec, precision),
            ArgumentValue::Int(_) | ArgumentValue::Pointer(_) => {
                return Err(PrintStop::Failure(PrintFailure::Invalid));
            }
        };
        let sign = self.sign(spec, text.negative);
        let used = (sign.len() + text.prefix.len()) as u64 + text.length();
        let fill = field.width.saturating_sub(used);
        let zeros = field.zeros && text.finite;
        if !field.left && !zeros {
            self.sink.fill(b' ', fill);
        }
        self.sink.text(sign);
        self.sink.text(text.prefix);
        if zeros {
            self.sink.fill(b'0', fill);
        }
        for part in &text.parts {
            match part {
                TextPart::Bytes(bytes) => self.sink.text(bytes),
                TextPart::Zeros(count) => self.sink.fill(b'0', *count),
            }
        }
        if field.left {
            self.sink.fill(b' ', fill);
        }
        Ok(())
    }

    /// A conversion that there is not: the library prints what it understood of it.
    fn unknown(&mut self, spec: &Spec, field: Field, precision: Option<u64>) {
        let mut text = vec![b'%'];
        let flags = [
            (spec.flags.alternate, b'#'),
            (spec.flags.group, b'\''),
            (spec.flags.plus, b'+'),
            (spec.flags.space && !spec.flags.plus, b' '),
            (field.left, b'-'),
            (field.zeros, b'0'),
            (spec.flags.native_digits, b'I'),
        ];
        text.extend(flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1));
        if field.width != 0 {
            text.extend(field.width.to_string().bytes());
        }
        if let Some(precision) = precision {
            text.push(b'.');
            text.extend(precision.to_string().bytes());
        }
        text.push(spec.conversion);
        self.sink.text(&text);
    }
}

/// Cuts a text to a precision.
fn shorten(text: &mut Vec<u8>, precision: Option<u64>) {
    if let Some(most) = precision.and_then(|most| usize::try_from(most).ok()) {
        text.truncate(most);
    }
}

/// The byte of a wide character; the C locale has just those of ASCII.
fn narrow(character: u32) -> Result<u8, PrintFailure> {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => Ok(byte),
        Ok(_) | Err(_) => Err(PrintFailure::IllegalSequence),
    }
}
