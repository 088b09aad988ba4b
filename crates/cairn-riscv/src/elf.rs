//! Reads ELF executables: what is loaded where, and which symbols there are.
//!
//! Only what running needs is read: the header, the program headers, the symbol table and, for
//! source lines, the debugging sections. The crate `object` checks every offset and size against the file;
//! here is what of it can be run. So any bytes give an executable or an error with a reason, and no work is more than proportional to the
//! file's length and to [`MOST_BYTES`].
//!
//! A position-independent static executable is loaded at [`PIE_BASE`] and relocates itself, as it does
//! under Linux.

use crate::convention::{Convention, Loadable};
use object::elf::{self, FileHeader64, ProgramHeader64, Sym64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{LittleEndian, ReadRef, StringTable};
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
        /// After its last byte.
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
pub struct ElfSegment {
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

impl ElfSegment {
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
pub struct ElfSymbol {
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
    pub segments: Vec<ElfSegment>,
    /// Its symbols in order of address.
    pub symbols: Vec<ElfSymbol>,
    /// Floating-point numbers of at most so many bits are passed in registers of their own.
    pub float_width: u32,
    /// Where the program headers are in memory, their size and their number.
    pub headers: Option<(u64, u64, u64)>,
    /// Sections with debugging information: name and bytes.
    pub debug: Vec<(String, Vec<u8>)>,
    /// What `ecall` means, by the layout of the file.
    pub convention: Convention,
}

type Header = FileHeader64<LittleEndian>;

/// The order of bytes.
const ORDER: LittleEndian = LittleEndian;

/// Bytes of a file's header and of a program header.
const HEADER_BYTES: u64 = size_of::<Header>() as u64;
const PROGRAM_HEADER_BYTES: u16 = size_of::<ProgramHeader64<LittleEndian>>() as u16;

/// The error of something that lies beyond the end of a file.
fn cut_off(file: &[u8], what: &'static str, offset: u64, length: u64) -> ElfError {
    ElfError::CutOff {
        what,
        offset,
        end: offset.saturating_add(length),
        size: file.len() as u64,
    }
}

impl Executable {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`ElfError`] if it is none, or one that cannot be run.
    pub fn read(bytes: &[u8]) -> Result<Self, ElfError> {
        if !bytes.starts_with(&elf::ELFMAG) {
            return Err(ElfError::NotElf);
        }
        let header: &Header = bytes
            .read_at(0)
            .map_err(|()| cut_off(bytes, "the ELF header", 0, HEADER_BYTES))?;
        let property = |what, value: u64, wanted: u64, expected| match value == wanted {
            true => Ok(()),
            false => Err(ElfError::Unsupported {
                what,
                found: value.to_string(),
                expected,
            }),
        };
        let ident = &header.e_ident;
        property("the class", ident.class.into(), 2, "class 2 (64 bits)")?;
        property("the byte order", ident.data.into(), 1, "1 (little-endian)")?;
        let machine = header.e_machine(ORDER).into();
        property("the machine", machine, elf::EM_RISCV.into(), "243 (RISC-V)")?;
        let position_independent = match header.e_type(ORDER) {
            elf::ET_EXEC => false,
            elf::ET_DYN => true,
            other => {
                return Err(ElfError::Unsupported {
                    what: "the type",
                    found: other.to_string(),
                    expected: "a linked program (type 2 or 3)",
                });
            }
        };
        let mut executable = Executable {
            bias: if position_independent { PIE_BASE } else { 0 },
            ..Executable::default()
        };
        executable.entry = header.e_entry(ORDER).wrapping_add(executable.bias);
        executable.float_width = match header.e_flags(ORDER) & elf::EF_RISCV_FLOAT_ABI {
            elf::EF_RISCV_FLOAT_ABI_SOFT => 0,
            elf::EF_RISCV_FLOAT_ABI_SINGLE => 32,
            _ => 64,
        };
        executable.load(bytes, header)?;
        executable.name(bytes, header);
        let entry = executable.entry;
        if executable.code_at(entry).is_none() || !entry.is_multiple_of(2) {
            return Err(ElfError::Entry { entry });
        }
        Ok(executable)
    }

    /// Reads the program headers and the segments.
    fn load(&mut self, file: &[u8], header: &Header) -> Result<(), ElfError> {
        let (offset, size) = (header.e_phoff(ORDER), header.e_phentsize(ORDER));
        let count = header.e_phnum(ORDER);
        if count > 0 && size != PROGRAM_HEADER_BYTES {
            return Err(ElfError::Unsupported {
                what: "the size of a program header",
                found: size.to_string(),
                expected: "56 bytes",
            });
        }
        let length = u64::from(size) * u64::from(count);
        let table = header
            .program_headers(ORDER, file)
            .map_err(|_| cut_off(file, "the table of program headers", offset, length))?;
        let mut total = 0;
        let mut loaded = Vec::new();
        for (index, entry) in table.iter().enumerate() {
            match entry.p_type(ORDER) {
                elf::PT_INTERP => {
                    let (from, stored) = entry.file_range(ORDER);
                    let path = entry.data(ORDER, file).map_err(|()| {
                        cut_off(file, "the path of the dynamic linker", from, stored)
                    })?;
                    let path = path.split(|b| *b == 0).next().unwrap_or_default();
                    let interpreter = String::from_utf8_lossy(path).into_owned();
                    return Err(ElfError::Dynamic { interpreter });
                }
                elf::PT_LOAD if entry.p_memsz(ORDER) > 0 => {
                    let segment = self.segment(file, index, entry, &mut total)?;
                    let (from, stored) = entry.file_range(ORDER);
                    if (from..from.saturating_add(stored)).contains(&offset) {
                        let address = entry.p_vaddr(ORDER).wrapping_add(self.bias);
                        let at = address.wrapping_add(offset.wrapping_sub(from));
                        self.headers = Some((at, size.into(), count.into()));
                    }
                    loaded.push(Loadable {
                        offset: from,
                        address: segment.address,
                        write: segment.write,
                        execute: segment.execute,
                    });
                    self.segments.push(segment);
                }
                _ => {}
            }
        }
        if header.e_shoff(ORDER) == 0 && header.e_shnum(ORDER) == 0 {
            let code = self.segments.first().map_or(&[][..], |s| &s.bytes);
            self.convention = Convention::of_layout(&loaded, code);
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

    /// A segment that is loaded. `total` are the bytes of all so far.
    fn segment(
        &self,
        file: &[u8],
        index: usize,
        entry: &ProgramHeader64<LittleEndian>,
        total: &mut u64,
    ) -> Result<ElfSegment, ElfError> {
        let address = entry.p_vaddr(ORDER).wrapping_add(self.bias);
        let size = entry.p_memsz(ORDER);
        let (from, stored) = entry.file_range(ORDER);
        let wrong = |reason| ElfError::Segment {
            index,
            address,
            size,
            reason,
        };
        *total = total.saturating_add(size);
        if stored > size {
            return Err(wrong("the file has more bytes of it"));
        }
        if *total > MOST_BYTES {
            return Err(wrong("all of them may take 1 GiB"));
        }
        let end = address.checked_add(size);
        if address < ADDRESS_START || end.is_none_or(|end| end > ADDRESS_END) {
            return Err(wrong("addresses from 0x1000 to 0xefffffff can be used"));
        }
        let bytes = entry
            .data(ORDER, file)
            .map_err(|()| cut_off(file, "the content of a segment", from, stored))?;
        Ok(aligned(address, size, bytes, entry.p_flags(ORDER)))
    }

    /// Reads symbols and debugging sections. They only name things: what is broken is left out.
    fn name(&mut self, file: &[u8], header: &Header) {
        let Ok(sections) = header.sections(ORDER, file) else {
            return;
        };
        if let Ok(table) = sections.symbols(ORDER, file, elf::SHT_SYMTAB) {
            let symbols = table.iter();
            self.symbols = symbols
                .filter_map(|symbol| self.symbol(symbol, table.strings()))
                .collect();
        }
        for section in sections.iter() {
            let compressed = section.sh_flags(ORDER) & u64::from(elf::SHF_COMPRESSED) != 0;
            let (Ok(name), Ok(bytes)) = (
                sections.section_name(ORDER, section),
                section.data(ORDER, file),
            ) else {
                continue;
            };
            let name = String::from_utf8_lossy(name);
            let known = self.debug.iter().any(|(known, _)| *known == name);
            // Compressed sections are left out.
            if name.starts_with(".debug_") && !known && !compressed && !bytes.is_empty() {
                self.debug.push((name.into_owned(), bytes.to_vec()));
            }
        }
        self.symbols.sort_by(|a, b| {
            let key = |s: &ElfSymbol| (s.address, s.kind != SymbolKind::Function, !s.global);
            key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
        });
    }

    /// A symbol that names an address of the program.
    fn symbol(&self, symbol: &Sym64<LittleEndian>, strings: StringTable<'_>) -> Option<ElfSymbol> {
        let kind = match symbol.st_type() {
            elf::STT_NOTYPE => SymbolKind::Label,
            elf::STT_OBJECT => SymbolKind::Object,
            elf::STT_FUNC | elf::STT_GNU_IFUNC => SymbolKind::Function,
            _ => return None,
        };
        let name = symbol.name(ORDER, strings).ok()?;
        let name = String::from_utf8_lossy(name).into_owned();
        let defined = symbol.st_shndx(ORDER) != elf::SHN_UNDEF;
        // Marks of the assembler, local labels, symbols defined elsewhere.
        if name.is_empty() || name.starts_with(['$', '.']) || !defined {
            return None;
        }
        Some(ElfSymbol {
            address: symbol.st_value(ORDER).wrapping_add(self.bias),
            size: symbol.st_size(ORDER),
            kind,
            global: symbol.st_bind() != elf::STB_LOCAL,
            name,
        })
    }

    /// The segment that contains an address.
    pub fn segment_at(&self, address: u64) -> Option<(usize, &ElfSegment)> {
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
        let is_it = |s: &&ElfSymbol| {
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

    /// Where memory that the program asks for with `brk` begins: the page after the last segment.
    pub fn end(&self) -> u64 {
        let last = self.segments.last().map_or(0, |s| s.address + s.size);
        last.next_multiple_of(0x1000)
    }
}

/// A segment that begins and ends at multiples of 8, as objects do.
fn aligned(address: u64, size: u64, bytes: &[u8], flags: u32) -> ElfSegment {
    let before = address % 8;
    let mut content = vec![0; before as usize];
    content.extend_from_slice(bytes);
    ElfSegment {
        address: address - before,
        size: (size + before).next_multiple_of(8),
        bytes: content,
        write: flags & elf::PF_W != 0,
        execute: flags & elf::PF_X != 0,
    }
}
