//! Source lines of addresses, from the debugging sections.
//!
//! They only name things: sections that are missing or damaged give no lines, never an error.

use crate::elf::Executable;
use addr2line::Context;
use gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use std::sync::Arc;

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// The file; empty if it is not known.
    pub file: String,
    /// Line and column, from 1; 0 if it is not known.
    pub line: u32,
    pub column: u32,
}

/// The lines of an executable.
pub(crate) struct Lines {
    context: Option<Context<EndianArcSlice<LittleEndian>>>,
    bias: u64,
}

impl Lines {
    pub fn new(executable: &Executable) -> Self {
        let section = |id: SectionId| -> Result<_, gimli::Error> {
            let named = executable.debug.iter().find(|(name, _)| name == id.name());
            let bytes: Arc<[u8]> = named.map_or(Arc::from([]), |(_, b)| Arc::from(&b[..]));
            Ok(EndianArcSlice::new(bytes, LittleEndian))
        };
        let context = (!executable.debug.is_empty())
            .then(|| Dwarf::load(section).ok())
            .flatten()
            .and_then(|dwarf| Context::from_dwarf(dwarf).ok());
        Lines {
            context,
            bias: executable.bias,
        }
    }

    /// The line of an address.
    pub fn find(&self, address: u64) -> Line {
        let context = self.context.as_ref();
        let address = address.wrapping_sub(self.bias);
        let location = context.and_then(|c| c.find_location(address).ok().flatten());
        location.map_or_else(Line::default, |location| Line {
            file: location.file.unwrap_or("").to_string(),
            line: location.line.unwrap_or(0),
            column: location.column.unwrap_or(0),
        })
    }
}
