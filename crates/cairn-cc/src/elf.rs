//! Reads object files, programs and archives.
//!
//! # Problem
//!
//! The bitcode of a program is in the sections that its objects carried; and of the
//! objects on the way to the linker we want to know which carry none.
//!
//! # Idea
//!
//! The crate `object` reads the formats. Only what is looked at is read from the file: a
//! link of a large archive must not wait for us.
//!
//! # Soundness
//!
//! The linker takes sections of one name in the order of its inputs, so the parts
//! are in the order of the link.
//!
//! # Cost
//!
//! Some reads per object.

use crate::frame::{BitcodeFrame, LinkedLibrary, SECTION, read_frames};
use object::elf::{EM_X86_64, FileHeader64};
use object::endian::LittleEndian;
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile, FileHeader};
use object::{Object, ObjectSection, ObjectSymbol, ReadCache, ReadRef};
use std::fs::File;
use std::io::Read;
use std::path::Path;

type Elf<'data, R> = ElfFile<'data, FileHeader64<LittleEndian>, R>;

/// Kinds of machine code, by how a file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedFile {
    /// An object file, a library to load or a program.
    Elf,
    /// A static library.
    Archive,
}

impl LinkedFile {
    /// The kind of a file, if it is one of them.
    pub fn of(file: &Path) -> Option<LinkedFile> {
        // What is not a regular file may not have an end, or wait for a writer.
        if !file.is_file() {
            return None;
        }
        let mut start = [0; 8];
        let mut file = File::open(file).ok()?;
        let length = file.read(&mut start).ok()?;
        match &start[..length] {
            [0x7f, b'E', b'L', b'F', ..] => Some(LinkedFile::Elf),
            b"!<arch>\n" | b"!<thin>\n" => Some(LinkedFile::Archive),
            _ => None,
        }
    }
}

/// The parts of a program or object, in the order of the link. The error says what is wrong with it.
pub fn parts(file: &Path) -> Result<Vec<BitcodeFrame>, String> {
    let bytes = cairn_home::read_file(file).map_err(|e| e.to_string())?;
    let elf = Elf::parse(&*bytes).map_err(|e| format!("not a 64-bit ELF file: {e}"))?;
    if elf.elf_header().e_machine(LittleEndian) != EM_X86_64 {
        return Err("machine code for another processor than x86-64".to_string());
    }
    let mut frames = Vec::new();
    for section in elf.sections() {
        if section.name() == Ok(SECTION) {
            let content = section.data().map_err(|e| e.to_string())?;
            frames.extend(read_frames(content)?);
        }
    }
    if frames.is_empty() {
        let stripped = elf.section_by_name(".symtab").is_none();
        let how = if stripped {
            "build it with `cairn cc`, and do not strip it"
        } else {
            "build it with `cairn cc`"
        };
        return Err(format!("no bitcode in it: {how}"));
    }
    Ok(frames)
}

/// An object in an archive that carries no frame.
pub struct ForeignMember {
    /// Its name in the archive.
    pub name: String,
    /// The names that others can use.
    pub defines: Vec<String>,
}

/// What a file that goes to the linker brings along.
pub enum LinkInput {
    /// An object whose frames say whose headers it was compiled with.
    Framed(LinkedLibrary),
    /// An object without frames.
    Foreign,
    /// An archive, with its members that have no frames.
    Archive(Vec<ForeignMember>),
    /// Something else: a library to load, a script of the linker, or a file that is not there.
    Other,
}

/// Looks at a file that goes to the linker. What cannot be read is the linker's to complain about.
pub fn inspect(file: &Path) -> LinkInput {
    let kind = LinkedFile::of(file);
    let Ok(opened) = File::open(file) else {
        return LinkInput::Other;
    };
    let data = ReadCache::new(opened);
    match kind {
        Some(LinkedFile::Elf) => {
            let Ok(elf) = Elf::parse(&data) else {
                return LinkInput::Other;
            };
            if elf.kind() != object::ObjectKind::Relocatable {
                return LinkInput::Other;
            }
            first_library(&elf, &data).map_or(LinkInput::Foreign, LinkInput::Framed)
        }
        Some(LinkedFile::Archive) => LinkInput::Archive(foreign_members(file, &data)),
        None => LinkInput::Other,
    }
}

/// What the first frame says, if there is one.
fn first_library<'data, R: ReadRef<'data>>(elf: &Elf<'data, R>, data: R) -> Option<LinkedLibrary> {
    let section = elf.section_by_name(SECTION)?;
    let (offset, size) = section.file_range()?;
    // The head of a frame, and the name: a frame without a body is read as any other.
    let head = data.read_bytes_at(offset, size.min(10)).ok()?;
    Some(match head.get(9) {
        Some(1) => LinkedLibrary::Musl,
        Some(_) | None => LinkedLibrary::Host,
    })
}

/// The members of an archive without frames.
fn foreign_members(file: &Path, data: &ReadCache<File>) -> Vec<ForeignMember> {
    let mut found = Vec::new();
    let Ok(archive) = ArchiveFile::parse(data) else {
        return found;
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    for member in archive.members().flatten() {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        if member.is_thin() {
            // The archive only names its members.
            if let Ok(opened) = File::open(folder.join(&name)) {
                let data = ReadCache::new(opened);
                found.extend(foreign_member(name, &data));
            }
        } else {
            let (offset, size) = member.file_range();
            found.extend(foreign_member(name, data.range(offset, size)));
        }
    }
    found
}

fn foreign_member<'data, R: ReadRef<'data>>(name: String, data: R) -> Option<ForeignMember> {
    let elf = Elf::parse(data).ok()?;
    if first_library(&elf, data).is_some() {
        return None;
    }
    let globals = elf
        .symbols()
        .filter(|s| s.is_global() && s.is_definition())
        .filter_map(|s| s.name().ok().map(str::to_string));
    Some(ForeignMember {
        defines: globals.collect(),
        name,
    })
}
