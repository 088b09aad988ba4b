//! The arguments of conversions: one after the other, or by number.
//!
//! Arguments can only be read in sequence and only if it is known how each is passed, so a format
//! that numbers them has all of them read before the first is printed.

use super::spec::{Amount, Length, Piece, Spec};
use super::{Arguments, Failure, PrintStop};

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Pointer,
    Double,
    LongDouble,
}

/// An argument.
#[derive(Clone)]
pub(super) enum Value<P> {
    Int(u64),
    Pointer(P),
    Double(u64),
    LongDouble(u128),
}

/// Arguments in sequence, or by number.
pub(super) struct Source<'a, A: Arguments> {
    pub(super) arguments: &'a mut A,
    /// All of them, if the format numbers them.
    fetched: Option<Vec<Value<A::Pointer>>>,
    /// How many without a number were taken.
    next: usize,
}

impl<'a, A: Arguments> Source<'a, A> {
    /// In sequence, from the first.
    pub(super) fn new(arguments: &'a mut A) -> Self {
        Source {
            arguments,
            fetched: None,
            next: 0,
        }
    }

    fn read(&mut self, kind: Kind) -> Result<Value<A::Pointer>, A::Error> {
        Ok(match kind {
            Kind::Int => Value::Int(self.arguments.int()?),
            Kind::Pointer => Value::Pointer(self.arguments.pointer()?),
            Kind::Double => Value::Double(self.arguments.double()?),
            Kind::LongDouble => Value::LongDouble(self.arguments.long_double()?),
        })
    }

    /// Reads all arguments that a format with numbers needs.
    pub(super) fn fetch(&mut self, pieces: &[Piece]) -> Result<(), PrintStop<A::Error>> {
        let mut kinds: Vec<Option<Kind>> = Vec::new();
        let mut next = 0;
        let mut note = |position: Option<u32>, kind: Kind| {
            let index = place(position, &mut next);
            if index >= MOST_ARGUMENTS {
                return Err(PrintStop::Failure(Failure::Overflow));
            }
            if kinds.len() <= index {
                kinds.resize(index + 1, None);
            }
            // A pointer can serve as an integer, but not the other way round.
            if kinds[index] != Some(Kind::Pointer) || kind != Kind::Int {
                kinds[index] = Some(kind);
            }
            Ok(())
        };
        for piece in pieces {
            let Piece::Spec(spec) = piece else { continue };
            for amount in [spec.width, spec.precision] {
                if let Amount::Argument(position) = amount {
                    note(position, Kind::Int)?;
                }
            }
            if let Some(kind) = kind_of(spec) {
                note(spec.position, kind)?;
            }
        }
        let mut values = Vec::with_capacity(kinds.len());
        for kind in kinds {
            // The library takes one that no conversion names for an integer.
            values.push(self.read(kind.unwrap_or(Kind::Int))?);
        }
        self.fetched = Some(values);
        Ok(())
    }

    fn take(
        &mut self,
        position: Option<u32>,
        kind: Kind,
    ) -> Result<Value<A::Pointer>, PrintStop<A::Error>> {
        let Some(values) = &self.fetched else {
            return Ok(self.read(kind)?);
        };
        let index = place(position, &mut self.next);
        values
            .get(index)
            .cloned()
            .ok_or(PrintStop::Failure(Failure::Invalid))
    }

    /// An integer, as it was passed.
    pub(super) fn int(&mut self, position: Option<u32>) -> Result<u64, PrintStop<A::Error>> {
        match self.take(position, Kind::Int)? {
            Value::Int(value) => Ok(value),
            Value::Pointer(pointer) => Ok(self.arguments.address(&pointer)),
            Value::Double(_) | Value::LongDouble(_) => Err(PrintStop::Failure(Failure::Invalid)),
        }
    }

    /// A pointer.
    pub(super) fn pointer(
        &mut self,
        position: Option<u32>,
    ) -> Result<A::Pointer, PrintStop<A::Error>> {
        match self.take(position, Kind::Pointer)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Int(_) | Value::Double(_) | Value::LongDouble(_) => {
                Err(PrintStop::Failure(Failure::Invalid))
            }
        }
    }

    /// A number of the size that a conversion says.
    pub(super) fn float(&mut self, spec: &Spec) -> Result<Value<A::Pointer>, PrintStop<A::Error>> {
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
fn kind_of(spec: &Spec) -> Option<Kind> {
    if !spec.is_known() {
        return None;
    }
    match spec.conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'C' => Some(Kind::Int),
        b's' | b'S' | b'p' | b'n' => Some(Kind::Pointer),
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Some(float_kind(spec)),
        _ => None,
    }
}

fn float_kind(spec: &Spec) -> Kind {
    if spec.length == Length::LongLong {
        Kind::LongDouble
    } else {
        Kind::Double
    }
}
