//! Archives of bitcode: a library whose members are linked when something in them is needed.
//!
//! A table in the archive says which symbol is defined where. Only that and the members that are
//! asked for are looked at, so that a large library costs what is used of it.

use crate::error::LoadError;
use object::read::archive::{ArchiveFile, ArchiveOffset};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A library of bitcode.
#[derive(Clone, Debug)]
pub struct IndexedArchive {
    name: String,
    bytes: Vec<u8>,
    /// Where the member begins that defines a symbol.
    symbols: FxHashMap<String, u64>,
}

impl IndexedArchive {
    /// Reads the table of an archive.
    ///
    /// # Errors
    /// If the file cannot be read or is no archive with a table of symbols.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let name = path.to_string_lossy().into_owned();
        let bytes = std::fs::read(path).map_err(|source| LoadError::Read {
            file: name.clone(),
            source,
        })?;
        IndexedArchive::read(name, bytes)
    }

    fn read(name: String, bytes: Vec<u8>) -> Result<Self, LoadError> {
        let symbols = table(&bytes).ok_or_else(|| LoadError::Archive { file: name.clone() })?;
        Ok(IndexedArchive {
            name,
            bytes,
            symbols,
        })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where the member is that defines a symbol, and its bytes.
    pub(crate) fn defining(&self, symbol: &str) -> Option<(u64, &[u8])> {
        let at = *self.symbols.get(symbol)?;
        let archive = ArchiveFile::parse(&*self.bytes).ok()?;
        let member = archive.member(ArchiveOffset(at)).ok()?;
        Some((at, member.data(&*self.bytes).ok()?))
    }

    /// Whether some member defines a symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.symbols.contains_key(symbol)
    }

    /// The symbols that some member defines.
    #[cfg(test)]
    fn symbols(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }
}

/// The table of symbols; `None` if there is none that can be read.
fn table(bytes: &[u8]) -> Option<FxHashMap<String, u64>> {
    let archive = ArchiveFile::parse(bytes).ok()?;
    if archive.is_thin() {
        return None;
    }
    let mut symbols = FxHashMap::default();
    for symbol in archive.symbols().ok()?? {
        let symbol = symbol.ok()?;
        let name = std::str::from_utf8(symbol.name()).ok()?.to_string();
        // The first member that defines a symbol is the one, as for a linker.
        symbols.entry(name).or_insert(symbol.offset().0);
    }
    Some(symbols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::archive::{Header, MAGIC};

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            644,
            content.len()
        );
        if content.len() % 2 == 1 {
            bytes.push_str("");
        }
        let mut bytes = bytes.into_bytes();
        bytes.extend_from_slice(content);
        if content.len() % 2 == 1 {
            bytes.push(b'\n');
        }
        bytes
    }

    fn sample() -> Vec<u8> {
        let first = member("a.bc/", b"one");
        let second = member("b.bc/", b"second");
        let names = b"f\0g\0h\0";
        let table_size = 4 * 4 + names.len();
        let start = MAGIC.len() + size_of::<Header>() + table_size;
        let mut table = Vec::new();
        for n in [3, start, start, start + first.len()] {
            table.extend_from_slice(&(n as u32).to_be_bytes());
        }
        table.extend_from_slice(names);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(member("/", &table));
        bytes.extend(first);
        bytes.extend(second);
        bytes
    }

    #[test]
    fn members_are_found_by_what_they_define() {
        let archive = IndexedArchive::read("lib.a".to_string(), sample()).unwrap();
        let content = |name| archive.defining(name).map(|(_, bytes)| bytes.to_vec());
        assert_eq!(content("f"), Some(b"one".to_vec()));
        assert_eq!(content("g"), Some(b"one".to_vec()));
        assert_eq!(content("h"), Some(b"second".to_vec()));
        assert_eq!(content("i"), None);
        assert_eq!(archive.symbols().count(), 3);
    }

    #[test]
    fn what_is_cut_short_is_refused_or_misses_members() {
        let whole = sample();
        for length in 0..whole.len() {
            if let Ok(archive) = IndexedArchive::read("lib.a".to_string(), whole[..length].to_vec())
            {
                assert_ne!(archive.defining("h").map(|(_, b)| b), Some(&b"second"[..]));
            }
        }
    }
}
