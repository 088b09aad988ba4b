//! The arguments of conversions: one after the other, or by number.
//!
//! Arguments can only be read in sequence and only if it is known how each is passed, so a format
//! that numbers them has all of them read before the first is printed.

use super::spec::{Amount, FormatPiece, Length, Spec};
use super::{PrintArguments, PrintFailure, PrintStop};

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Int,
    Pointer,
    Double,
    LongDouble,
}

/// An argument.
#[derive(Clone)]
pub(super) enum ArgumentValue<P> {
    Int(u64),
    Pointer(P),
    Double(u64),
    LongDouble(u128),
}

/// Arguments in sequence, or by number.
pub(super) struct ArgumentSource<'a, A: PrintArguments> {
    pub(super) arguments: &'a mut A,
    /// All of them, if the format numbers them.
    fetched: Option<Vec<ArgumentValue<A::Pointer>>>,
    /// How many without a number were taken.
    next: usize,
}

impl<'a, A: PrintArguments> ArgumentSource<'a, A> {
    /// In sequence, from the first.
    pub(super) fn new(arguments: &'a mut A) -> Self {
        ArgumentSource {
            arguments,
            fetched: None,
            next: 0,
        }
    }

    fn read(&mut self, kind: ArgumentKind) -> Result<ArgumentValue<A::Pointer>, A::Error> {
        Ok(match kind {
            ArgumentKind::Int => ArgumentValue::Int(self.arguments.int()?),
            ArgumentKind::Pointer => ArgumentValue::Pointer(self.arguments.pointer()?),
            ArgumentKind::Double => ArgumentValue::Double(self.arguments.double()?),
            ArgumentKind::LongDouble => ArgumentValue::LongDouble(self.arguments.long_double()?),
        })
    }

    /// Reads all arguments that a format with numbers needs.
    pub(super) fn fetch(&mut self, pieces: &[FormatPiece]) -> Result<(), PrintStop<A::Error>> {
        let mut kinds: Vec<Option<ArgumentKind>> = Vec::new();
        let mut next = 0;
        let mut note = |position: Option<u32>, kind: ArgumentKind| {
            let index = place(position, &mut next);
            if index >= MOST_ARGUMENTS {
                return Err(PrintStop::Failure(PrintFailure::Overflow));
            }
            if kinds.len() <= index {
                kinds.resize(index + 1, None);
            }
            // A pointer can serve as an integer, but not the other way round.
            if kinds[index] != Some(ArgumentKind::Pointer) || kind != ArgumentKind::Int {
                kinds[index] = Some(kind);
            }
            Ok(())
        };
        for piece in pieces {
            let FormatPiece::Spec(spec) = piece else {
                continue;
            };
            for amount in [spec.width, spec.precision] {
                if let Amount::Argument(position) = amount {
                    note(position, ArgumentKind::Int)?;
                }
            }
            if let Some(kind) = kind_of(spec) {
                note(spec.position, kind)?;
            }
        }
        let mut values = Vec::with_capacity(kinds.len());
        for kind in kinds {
            // The library takes one that no conversion names for an integer.
            values.push(self.read(kind.unwrap_or(ArgumentKind::Int))?);
        }
        self.fetched = Some(values);
        Ok(())
    }

    fn take(
        &mut self,
        position: Option<u32>,
        kind: ArgumentKind,
    ) -> Result<ArgumentValue<A::Pointer>, PrintStop<A::Error>> {
        let Some(values) = &self.fetched else {
            return Ok(self.read(kind)?);
        };
        let index = place(position, &mut self.next);
        values
            .get(index)
            .cloned()
            .ok_or(PrintStop::Failure(PrintFailure::Invalid))
    }

    /// An integer, as it was passed.
    pub(super) fn int(&mut self, position: Option<u32>) -> Result<u64, PrintStop<A::Error>> {
        match self.take(position, ArgumentKind::Int)? {
            ArgumentValue::Int(value) => Ok(value),
            ArgumentValue::Pointer(pointer) => Ok(self.arguments.address(&pointer)),
            ArgumentValue::Double(_) | ArgumentValue::LongDouble(_) => {
                Err(PrintStop::Failure(PrintFailure::Invalid))
            }
        }
    }

    /// A pointer.
    pub(super) fn pointer(
        &mut self,
        position: Option<u32>,
    ) -> Result<A::Pointer, PrintStop<A::Error>> {
        match self.take(position, ArgumentKind::Pointer)? {
            ArgumentValue::Pointer(pointer) => Ok(pointer),
            ArgumentValue::Int(_) | ArgumentValue::Double(_) | ArgumentValue::LongDouble(_) => {
                Err(PrintStop::Failure(PrintFailure::Invalid))
            }
        }
    }

    /// A number of the size that a conversion says.
    pub(super) fn float(
        &mut self,
        spec: &Spec,
    ) -> Result<ArgumentValue<A::Pointer>, PrintStop<A::Error>> {
        self.take(spec.position, float_kind(spec))
    }
}

/// The largest number of an argument that we follow; POSIX wants 9.
const MOST_ARGUMENTS: usize = 4096;

/// The index of an argument with a number, or of the next one without.
fn place(position: Option<u32>, next: &mut usize) -> usize {
    match position {
        Some(number) => number as usize - 1,
        None => {
            *next += 1;
            *next - 1
        }
    }
}

/// How the argument of a conversion is passed, if it has one.
fn kind_of(spec: &Spec) -> Option<ArgumentKind> {
    if !spec.is_known() {
        return None;
    }
    match spec.conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'C' => Some(ArgumentKind::Int),
        b's' | b'S' | b'p' | b'n' => Some(ArgumentKind::Pointer),
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Some(float_kind(spec)),
        _ => None,
    }
}

fn float_kind(spec: &Spec) -> ArgumentKind {
    if spec.length == Length::LongLong {
        ArgumentKind::LongDouble
    } else {
        ArgumentKind::Double
    }
}
