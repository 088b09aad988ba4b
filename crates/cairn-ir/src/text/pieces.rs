//! The small parts of the text form, as things that can be displayed.

use std::fmt::{self, Write};

use super::lexer::is_word_byte;
use crate::{Body, Local, Operand, PlaceId, Program, Symbol, Target, VarArg, VarClass};

/// A string in quotes.
pub(super) struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            if c.is_ascii() || c.is_control() {
                let mut buffer = [0; 4];
                for byte in c.encode_utf8(&mut buffer).bytes() {
                    escape(byte, f)?;
                }
            } else {
                f.write_char(c)?;
            }
        }
        f.write_char('"')
    }
}

/// Bytes in quotes.
pub(super) struct QuotedBytes<'a>(pub &'a [u8]);

impl fmt::Display for QuotedBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for &byte in self.0 {
            escape(byte, f)?;
        }
        f.write_char('"')
    }
}

fn escape(byte: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match byte {
        b'\n' => f.write_str("\\n"),
        b'\t' => f.write_str("\\t"),
        b'"' => f.write_str("\\\""),
        b'\\' => f.write_str("\\\\"),
        b' '..=b'~' => f.write_char(char::from(byte)),
        _ => write!(f, "\\{byte:02x}"),
    }
}

/// The name of a function or global.
pub(super) struct NameText<'a>(pub &'a str);

impl fmt::Display for NameText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.bytes().all(is_word_byte) {
            write!(f, "@{}", self.0)
        } else {
            write!(f, "@{}", Quoted(self.0))
        }
    }
}

/// A symbol and what is added to it.
pub(super) struct Address<'a>(pub &'a Program, pub Symbol, pub i64);

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.1 {
            Symbol::Global(id) => self.0.globals.get(id.index()).map(|g| &g.name),
            Symbol::Function(id) => self.0.functions.get(id.index()).map(|f| &f.name),
        };
        match (name, self.1) {
            (Some(name), _) => NameText(name).fmt(f)?,
            (None, Symbol::Global(id)) => write!(f, "@<{id}>")?,
            (None, Symbol::Function(id)) => write!(f, "@<{id}>")?,
        }
        match self.2 {
            0 => Ok(()),
            addend if addend < 0 => write!(f, " - {}", addend.unsigned_abs()),
            addend => write!(f, " + {addend}"),
        }
    }
}

/// A constant of at most 64 bits at a width (0 if that is not known). Those a little below zero
/// are written as negative numbers: how far that goes depends on the width, so that bytes above
/// 127 mostly stay what they look like.
pub(super) struct Int(pub u64, pub u32);

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Int(value, width) = *self;
        if (8..=64).contains(&width) {
            let ones = cairn_bv::mask(width);
            let below = value.wrapping_neg() & ones;
            if value <= ones && (1..=1 << (width / 2).min(12)).contains(&below) {
                return write!(f, "-{below}");
            }
        }
        value.fmt(f)
    }
}

/// An operand that is used at a width.
pub(super) struct OperandText<'a>(pub &'a Program, pub &'a Operand, pub u32);

impl fmt::Display for OperandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Local(local) => local.fmt(f),
            Operand::Int(value) => Int(*value, self.2).fmt(f),
            Operand::Wide(value) => {
                let limbs = value.limbs();
                let top = limbs.iter().rposition(|l| *l != 0).unwrap_or(0);
                write!(f, "0x{:x}", limbs[top])?;
                for limb in limbs[..top].iter().rev() {
                    write!(f, "{limb:016x}")?;
                }
                write!(f, "i{}", value.width())
            }
            Operand::Address(symbol, addend) => Address(self.0, *symbol, *addend).fmt(f),
        }
    }
}

/// The suffix of what has a place.
pub(super) struct PlaceSuffix(pub PlaceId);

impl fmt::Display for PlaceSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            PlaceId::UNKNOWN => Ok(()),
            place => write!(f, " !{place}"),
        }
    }
}

/// A local where it is defined.
pub(super) struct Definition<'a>(pub &'a Body, pub Local);

impl fmt::Display for Definition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.widths.get(self.1.index()) {
            Some(width) => write!(f, "{}: i{width}", self.1),
            None => write!(f, "{}: <no width>", self.1),
        }
    }
}

/// Things with commas between them.
pub(super) struct Commas<I>(pub I);

impl<I: Iterator<Item: fmt::Display> + Clone> fmt::Display for Commas<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.clone().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// A width.
pub(super) struct Width(pub u32);

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{}", self.0)
    }
}

/// The width of a local; 0 if it has none.
pub(super) fn width_of(body: &Body, local: Local) -> u32 {
    body.widths.get(local.index()).copied().unwrap_or(0)
}

/// A block with the values for its parameters.
pub(super) struct BranchText<'a>(pub &'a Program, pub &'a Body, pub &'a Target);

impl fmt::Display for BranchText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BranchText(program, body, target) = *self;
        target.block.fmt(f)?;
        if !target.args.is_empty() {
            let block = body.blocks.get(target.block.index());
            let params = block.map_or(&[][..], |block| &block.params);
            let args = target.args.iter().enumerate().map(|(i, arg)| {
                let width = params.get(i).map_or(0, |param| width_of(body, *param));
                OperandText(program, arg, width)
            });
            write!(f, "({})", Commas(args))?;
        }
        Ok(())
    }
}

/// A variadic argument.
pub(super) struct Variadic<'a>(pub &'a Program, pub &'a VarArg);

impl fmt::Display for Variadic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "i{} {} ",
            self.1.width,
            OperandText(self.0, &self.1.value, self.1.width)
        )?;
        match self.1.class {
            VarClass::General => f.write_str("general"),
            VarClass::Float => f.write_str("float"),
            VarClass::Memory(align) => write!(f, "memory {align}"),
            VarClass::Bytes { size, align } => write!(f, "bytes {size} align {align}"),
        }
    }
}
