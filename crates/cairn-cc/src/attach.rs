//! Puts a section into an object file.
//!
//! # Problem
//!
//! The compiler has written an object, and the bitcode must be added to it without starting another
//! program for each source.
//!
//! # Idea
//!
//! The section's content, a longer table of names and a longer table of sections are appended to the
//! file, then the header is changed to the new table. Sources that are compiled and linked by one command
//! leave no object: for them the linker gets an object that holds nothing but the section.
//!
//! # Soundness
//!
//! Existing bytes do not move, and the header changes last: if the command is interrupted, the object is
//! as the compiler made it. The section takes no memory when the program runs. In an object that holds
//! nothing else it is marked as one to keep, since a linker that removes unused sections drops those
//! of objects without a used section.
//!
//! # Cost
//!
//! The old tables stay in the file, some hundred bytes.

use crate::frame::{BitcodeFrame, SECTION, write_frames};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const HEADER: usize = 64;
const ENTRY: usize = 64;
/// From here on the number of sections stands in the first of them.
const MANY: u64 = 0xff00;
/// The index of the names stands in the first section (`SHN_XINDEX`).
const ELSEWHERE: u64 = 0xffff;
/// `SHT_PROGBITS`.
const PROGRAM_BITS: u32 = 1;
/// `SHT_STRTAB`.
const STRINGS: u32 = 3;
/// `SHF_GNU_RETAIN`.
const RETAIN: u64 = 0x20_0000;

/// A field of `size` bytes, lowest first.
fn get(bytes: &[u8], at: usize, size: usize) -> u64 {
    let little = bytes[at..at + size].iter().rev();
    little.fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

fn put(bytes: &mut [u8], at: usize, size: usize, value: u64) {
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// An entry of the table of sections.
fn section_entry(name: u64, kind: u32, flags: u64, offset: u64, size: u64) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    put(&mut entry, 0, 4, name);
    put(&mut entry, 4, 4, u64::from(kind));
    put(&mut entry, 8, 8, flags);
    put(&mut entry, 24, 8, offset);
    put(&mut entry, 32, 8, size);
    put(&mut entry, 48, 8, 1);
    entry
}

/// Adds the frames to a 64-bit object file or program. The result is whether it is one: a compiler
/// may have been told to write something else.
pub fn attach(file: &Path, frames: &[BitcodeFrame]) -> io::Result<bool> {
    let file = OpenOptions::new().read(true).write(true).open(file)?;
    let length = file.metadata()?.len();
    let mut header = [0; HEADER];
    if length < HEADER as u64 {
        return Ok(false);
    }
    file.read_exact_at(&mut header, 0)?;
    // 64 bits, lowest byte first.
    let table = get(&header, 0x28, 8);
    if !header.starts_with(b"\x7fELF\x02\x01")
        || get(&header, 0x3a, 2) != ENTRY as u64
        || table == 0
    {
        return Ok(false);
    }
    let mut first = [0; ENTRY];
    file.read_exact_at(&mut first, table)?;
    let count = match get(&header, 0x3c, 2) {
        0 => get(&first, 32, 8),
        count => count,
    };
    let names_index = match get(&header, 0x3e, 2) {
        ELSEWHERE => get(&first, 40, 4),
        index => index,
    };
    if names_index >= count || count > length / ENTRY as u64 {
        return Ok(false);
    }
    let mut entries = read_at(&file, table, count * ENTRY as u64, length)?;
    let names_at = names_index as usize * ENTRY;
    let names_offset = get(&entries, names_at + 24, 8);
    let mut names = read_at(&file, names_offset, get(&entries, names_at + 32, 8), length)?;

    let content = write_frames(frames);
    let name = names.len() as u64;
    names.extend(SECTION.as_bytes());
    names.push(0);
    let content_at = length;
    let new_names_at = content_at + content.len() as u64;
    let new_table = (new_names_at + names.len() as u64).next_multiple_of(8);
    put(&mut entries, names_at + 24, 8, new_names_at);
    put(&mut entries, names_at + 32, 8, names.len() as u64);
    let size = content.len() as u64;
    entries.extend(section_entry(name, PROGRAM_BITS, 0, content_at, size));
    if count + 1 >= MANY {
        put(&mut entries, 32, 8, count + 1);
        put(&mut header, 0x3c, 2, 0);
    } else {
        put(&mut header, 0x3c, 2, count + 1);
    }
    put(&mut header, 0x28, 8, new_table);
    file.write_all_at(&content, content_at)?;
    file.write_all_at(&names, new_names_at)?;
    file.write_all_at(&entries, new_table)?;
    file.write_all_at(&header, 0)?;
    Ok(true)
}

fn read_at(file: &File, offset: u64, size: u64, length: u64) -> io::Result<Vec<u8>> {
    if offset.checked_add(size).is_none_or(|end| end > length) {
        return Err(io::Error::other("it ends before its last section"));
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

/// An object file for x86-64 that holds the frames and nothing else.
pub fn carrier(frames: &[BitcodeFrame]) -> Vec<u8> {
    // Without a section of the last name the linker would make the stack executable.
    const NAMES: &[u8] = b"\0.cairn_bc\0.shstrtab\0.note.GNU-stack\0";
    const NAME_OF_NAMES: u64 = 11;
    const NAME_OF_STACK: u64 = 21;
    let content = write_frames(frames);
    let names_at = (HEADER + content.len()) as u64;
    let table = (names_at + NAMES.len() as u64).next_multiple_of(8);
    let mut bytes = vec![0; HEADER];
    // 64 bits, lowest byte first, version 1, with the extensions of GNU (the mark to keep is one).
    bytes[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x03");
    let fields = [(0x10, 2, 1), (0x12, 2, 62), (0x14, 4, 1), (0x28, 8, table)];
    let sizes = [(0x34, 2, 64), (0x3a, 2, 64), (0x3c, 2, 4), (0x3e, 2, 2)];
    for (at, size, value) in fields.into_iter().chain(sizes) {
        put(&mut bytes, at, size, value);
    }
    bytes.extend(&content);
    bytes.extend(NAMES);
    bytes.resize(table as usize, 0);
    let size = content.len() as u64;
    bytes.extend([0; ENTRY]);
    bytes.extend(section_entry(1, PROGRAM_BITS, RETAIN, HEADER as u64, size));
    bytes.extend(section_entry(
        NAME_OF_NAMES,
        STRINGS,
        0,
        names_at,
        NAMES.len() as u64,
    ));
    bytes.extend(section_entry(NAME_OF_STACK, PROGRAM_BITS, 0, names_at, 0));
    bytes
}
