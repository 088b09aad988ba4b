//! Reads ELF executables: what is loaded where, and which symbols there are.
//!
//! Only what running needs is read: the header, the program headers, the symbol table and, for
//! source lines, the debugging sections. Every offset and size is checked against the file, so that
//! any bytes give an executable or an error with a reason, and no work is more than proportional to the
//! file's length and to [`MOST_BYTES`].
//!
//! A position-independent static executable is loaded at [`PIE_BASE`] and relocates itself, as it does
//! under Linux.

use thiserror::Error;

/// Where position-independent executables are loaded.
pub const PIE_BASE: u64 = 0x4000_0000;

/// The most bytes that the segments of an executable may take in memory.
pub const MOST_BYTES: u64 = 1 << 30;

/// Segments lie below this address; see the layout of memories.
const ADDRESS_END: u64 = 0xf000_0000;

/// The lowest address of a segment: below are null pointers.
const ADDRESS_START: u64 = 0x1000;

/// Why a file cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    /// It is something else.
    #[error("not an ELF file: it does not begin with 7f 45 4c 46")]
    NotElf,
    /// It ends too early.
    #[error("the ELF file is cut off: {what} would be at bytes {offset} to {end} of {size}")]
    CutOff {
        /// What lies beyond the end.
        what: &'static str,
        /// Its first byte.
        offset: u64,
        /// Behind its last byte.
        end: u64,
        /// Bytes of the file.
        size: u64,
    },
    /// It is for another machine or of another kind.
    #[error("{what} is {found}, but only {expected} can be run")]
    Unsupported {
        /// Which property.
        what: &'static str,
        /// What it is.
        found: String,
        /// What it would have to be.
        expected: &'static str,
    },
    /// It needs a dynamic linker.
    #[error("the program needs the dynamic linker {interpreter}; link it with -static")]
    Dynamic {
        /// The linker's path.
        interpreter: String,
    },
    /// There is nothing to load.
    #[error("the ELF file has no segment to load; is it an object file?")]
    NoSegments,
    /// A segment is at an impossible place.
    #[error("segment {index} takes {size} bytes at {address:#x}; {reason}")]
    Segment {
        /// Which one, from 0.
        index: usize,
        /// Its first address.
        address: u64,
        /// Its bytes in memory.
        size: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The program starts where no code is.
    #[error("the program starts at {entry:#x}, which is in no executable segment")]
    Entry {
        /// The address.
        entry: u64,
    },
    /// A function that was asked for is not there.
    #[error("there is no function {name} among the symbols of the executable")]
    NoFunction {
        /// Its name.
        name: String,
    },
}

/// A part of the executable in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its first address, a multiple of 8.
    pub address: u64,
    /// Its bytes in memory, a multiple of 8.
    pub size: u64,
    /// The first bytes; the others are zero.
    pub bytes: Vec<u8>,
    /// It may be written.
    pub write: bool,
    /// It is code.
    pub execute: bool,
}

impl Segment {
    /// Whether an address is in it.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.address) < self.size
    }
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A variable.
    Object,
    /// A label that says nothing about itself.
    Label,
}

/// A name of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The address.
    pub address: u64,
    /// Bytes; 0 if it does not say.
    pub size: u64,
    /// What it is.
    pub kind: SymbolKind,
    /// Whether other files see it; such names are preferred.
    pub global: bool,
    /// The name.
    pub name: String,
}

/// An executable.
#[derive(Clone, Debug, Default)]
pub struct Executable {
    /// Where it starts.
    pub entry: u64,
    /// What is added to the addresses in the file.
    pub bias: u64,
    /// Its segments in order of address; they do not overlap.
    pub segments: Vec<Segment>,
    /// Its symbols in order of address.
    pub symbols: Vec<Symbol>,
    /// Floating-point numbers of at most so many bits are passed in registers of their own.
    pub float_width: u32,
    /// Where the program headers are in memory, their size and their number.
    pub headers: Option<(u64, u64, u64)>,
    /// Sections with debugging information: name and bytes.
    pub debug: Vec<(String, Vec<u8>)>,
}

/// The bytes of a file, read with checks.
#[derive(Clone, Copy)]
struct File<'b>(&'b [u8]);

impl<'b> File<'b> {
    fn slice(self, what: &'static str, offset: u64, size: u64) -> Result<&'b [u8], ElfError> {
        let end = offset.saturating_add(size);
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        let slice = range.and_then(|(from, to)| self.0.get(from..to));
        slice.ok_or(ElfError::CutOff {
            what,
            offset,
            end,
            size: self.0.len() as u64,
        })
    }
}

fn half(bytes: &[u8], at: usize) -> u64 {
    u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    half(bytes, at) | half(bytes, at + 2) << 16
}

fn long(bytes: &[u8], at: usize) -> u64 {
    word(bytes, at) | word(bytes, at + 4) << 32
}

/// The text at an offset of a table of strings.
fn text(table: &[u8], offset: u64) -> Option<String> {
    let rest = table.get(usize::try_from(offset).ok()?..)?;
    let length = rest.iter().position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(&rest[..length]).into_owned())
}

impl Executable {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`ElfError`] if it is none, or one that cannot be run.
    pub fn read(bytes: &[u8]) -> Result<Self, ElfError> {
        let file = File(bytes);
        if !bytes.starts_with(b"\x7fELF") {
            return Err(ElfError::NotElf);
        }
        let header = file.slice("the ELF header", 0, 64)?;
        let property = |what, value: u64, wanted: u64, expected| {
            if value == wanted {
                return Ok(());
            }
            let found = format!("{value}");
            Err(ElfError::Unsupported {
                what,
                found,
                expected,
            })
        };
        property("the class", header[4].into(), 2, "class 2 (64 bits)")?;
        property("the byte order", header[5].into(), 1, "1 (little-endian)")?;
        property("the machine", half(header, 18), 243, "243 (RISC-V)")?;
        let position_independent = match half(header, 16) {
            2 => false,
            3 => true,
            other => {
                return Err(ElfError::Unsupported {
                    what: "the type",
                    found: format!("{other}"),
                    expected: "a linked program (type 2 or 3)",
                });
            }
        };
        let mut executable = Executable {
            bias: if position_independent { PIE_BASE } else { 0 },
            ..Executable::default()
        };
        executable.entry = long(header, 24).wrapping_add(executable.bias);
        executable.float_width = match word(header, 48) & 6 {
            0 => 0,
            2 => 32,
            _ => 64,
        };
        executable.load(file, header)?;
        executable.name(file, header);
        let entry = executable.entry;
        if executable.code_at(entry).is_none() || !entry.is_multiple_of(2) {
            return Err(ElfError::Entry { entry });
        }
        Ok(executable)
    }

    /// Reads the program headers and the segments.
    fn load(&mut self, file: File<'_>, header: &[u8]) -> Result<(), ElfError> {
        let (offset, size, count) = (long(header, 32), half(header, 54), half(header, 56));
        if count > 0 && size < 56 {
            return Err(ElfError::Unsupported {
                what: "the size of a program header",
                found: format!("{size}"),
                expected: "56 or more bytes",
            });
        }
        let table = file.slice("the table of program headers", offset, size * count)?;
        let mut total = 0u64;
        for (index, entry) in table.chunks_exact((size as usize).max(1)).enumerate() {
            let (from, stored) = (long(entry, 8), long(entry, 32));
            match word(entry, 0) {
                // PT_INTERP
                3 => {
                    let path = file.slice("the path of the dynamic linker", from, stored)?;
                    let path = path.split(|b| *b == 0).next().unwrap_or_default();
                    let interpreter = String::from_utf8_lossy(path).into_owned();
                    return Err(ElfError::Dynamic { interpreter });
                }
                // PT_LOAD
                1 => {
                    let address = long(entry, 16).wrapping_add(self.bias);
                    let size = long(entry, 40);
                    let wrong = |reason| ElfError::Segment {
                        index,
                        address,
                        size,
                        reason,
                    };
                    if size == 0 {
                        continue;
                    }
                    total = total.saturating_add(size);
                    if stored > size {
                        return Err(wrong("the file has more bytes of it"));
                    }
                    if total > MOST_BYTES {
                        return Err(wrong("all of them may take 1 GiB"));
                    }
                    let end = address.checked_add(size);
                    if address < ADDRESS_START || end.is_none_or(|end| end > ADDRESS_END) {
                        return Err(wrong("addresses from 0x1000 to 0xefffffff can be used"));
                    }
                    let bytes = file.slice("the content of a segment", from, stored)?;
                    if (from..from.saturating_add(stored)).contains(&offset) {
                        let at = address.wrapping_add(offset.wrapping_sub(from));
                        self.headers = Some((at, half(header, 54), count));
                    }
                    let flags = word(entry, 4);
                    self.segments.push(aligned(address, size, bytes, flags));
                }
                _ => {}
            }
        }
        self.segments.sort_by_key(|s| s.address);
        if self.segments.is_empty() {
            return Err(ElfError::NoSegments);
        }
        for (index, pair) in self.segments.windows(2).enumerate() {
            if pair[0].address + pair[0].size > pair[1].address {
                return Err(ElfError::Segment {
                    index: index + 1,
                    address: pair[1].address,
                    size: pair[1].size,
                    reason: "it overlaps another one",
                });
            }
        }
        Ok(())
    }

    /// Reads symbols and debugging sections. They only name things: what is broken is left out.
    fn name(&mut self, file: File<'_>, header: &[u8]) {
        let (offset, size, count) = (long(header, 40), half(header, 58), half(header, 60));
        if size < 64 {
            return;
        }
        let Ok(table) = file.slice("the table of sections", offset, size * count) else {
            return;
        };
        let sections: Vec<&[u8]> = table.chunks_exact(size as usize).collect();
        let content = |section: &[u8]| -> Option<&[u8]> {
            // SHT_NOBITS has none.
            if word(section, 4) == 8 {
                return None;
            }
            file.slice("a section", long(section, 24), long(section, 32))
                .ok()
        };
        let names = sections.get(half(header, 62) as usize);
        let names = names.and_then(|s| content(s)).unwrap_or_default();
        for section in &sections {
            // SHT_SYMTAB
            if word(section, 4) == 2 && self.symbols.is_empty() {
                let strings = sections.get(word(section, 40) as usize);
                let strings = strings.and_then(|s| content(s)).unwrap_or_default();
                let entries = content(section).unwrap_or_default();
                self.read_symbols(entries, strings);
            }
            // Compressed sections (flag 0x800) are left out.
            if let Some(name) = text(names, word(section, 0))
                && name.starts_with(".debug_")
                && self.debug.iter().all(|(known, _)| *known != name)
                && long(section, 8) & 0x800 == 0
                && let Some(bytes) = content(section)
            {
                self.debug.push((name, bytes.to_vec()));
            }
        }
        self.symbols.sort_by(|a, b| {
            let key = |s: &Symbol| (s.address, s.kind != SymbolKind::Function, !s.global);
            key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
        });
    }

    fn read_symbols(&mut self, entries: &[u8], strings: &[u8]) {
        for entry in entries.chunks_exact(24) {
            let kind = match entry[4] & 15 {
                0 => SymbolKind::Label,
                1 => SymbolKind::Object,
                // STT_FUNC, STT_GNU_IFUNC
                2 | 10 => SymbolKind::Function,
                _ => continue,
            };
            let Some(name) = text(strings, word(entry, 0)) else {
                continue;
            };
            // Marks of the assembler, local labels, symbols defined elsewhere.
            if name.is_empty() || name.starts_with(['$', '.']) || half(entry, 6) == 0 {
                continue;
            }
            self.symbols.push(Symbol {
                address: long(entry, 8).wrapping_add(self.bias),
                size: long(entry, 16),
                kind,
                global: entry[4] >> 4 != 0,
                name,
            });
        }
    }

    /// The segment that contains an address.
    pub fn segment_at(&self, address: u64) -> Option<(usize, &Segment)> {
        let above = self.segments.partition_point(|s| s.address <= address);
        let index = above.checked_sub(1)?;
        let segment = &self.segments[index];
        segment.contains(address).then_some((index, segment))
    }

    /// The address of a function, by its symbol.
    ///
    /// # Errors
    /// [`ElfError::NoFunction`] if there is none.
    pub fn function(&self, name: &str) -> Result<u64, ElfError> {
        let is_it = |s: &&Symbol| {
            s.name == name && s.kind != SymbolKind::Object && self.code_at(s.address).is_some()
        };
        let found = self.symbols.iter().find(is_it);
        found
            .map(|s| s.address)
            .ok_or_else(|| ElfError::NoFunction {
                name: name.to_string(),
            })
    }

    /// The bytes from an address on, if it is in an executable segment and in the file.
    pub fn code_at(&self, address: u64) -> Option<&[u8]> {
        let (_, segment) = self.segment_at(address)?;
        let offset = (address - segment.address) as usize;
        let rest = segment.bytes.get(offset..)?;
        (segment.execute && !rest.is_empty()).then_some(rest)
    }

    /// The first content of memory at an address: up to eight bytes, little-endian.
    pub fn read_at(&self, address: u64, bytes: u32) -> Option<u64> {
        let (_, segment) = self.segment_at(address)?;
        let offset = address - segment.address;
        if offset + u64::from(bytes) > segment.size {
            return None;
        }
        let byte = |i: u64| {
            segment
                .bytes
                .get((offset + i) as usize)
                .copied()
                .unwrap_or(0)
        };
        Some((0..u64::from(bytes)).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i)))
    }

    /// Where memory that the program asks for with `brk` begins: the page behind the last segment.
    pub fn end(&self) -> u64 {
        let last = self.segments.last().map_or(0, |s| s.address + s.size);
        last.next_multiple_of(0x1000)
    }
}

/// A segment that begins and ends at multiples of 8, as objects do.
fn aligned(address: u64, size: u64, bytes: &[u8], flags: u64) -> Segment {
    let before = address % 8;
    let mut content = vec![0; before as usize];
    content.extend_from_slice(bytes);
    Segment {
        address: address - before,
        size: (size + before).next_multiple_of(8),
        bytes: content,
        write: flags & 2 != 0,
        execute: flags & 1 != 0,
    }
}
