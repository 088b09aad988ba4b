//! Memory that a process asks the system for.
//!
//! A mapping is an object of its own, so that an access past its end is seen. A private mapping of
//! a file is a copy; a shared one is the file's own object, which must then be mapped from its start.
//! Pages that are given back while others of the mapping stay become zero, but can still be accessed:
//! an object has one size. Protection is not modelled: what may be accessed may be written, and a run whose
//! program asks for less says so. Memory that is of no mapping cannot be given back.

use super::pages::Pages;
use super::{CallFamily, SystemCall, done, offset};
use crate::Errno;
use crate::call_table;
use crate::call_table::LAYOUT;
use crate::call_table::Varies::{Exact, Tells};
use crate::calls::io;
use crate::files::{Device, InodeBody, InodeId};
use crate::reply::{CallResult, NoResult};
use cairn_memory::{ObjectKind, Word};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

pub(super) const CALLS: CallFamily = &[
    ("brk", "w", Tells(LAYOUT), brk),
    ("mmap", "wwiidw", Tells(LAYOUT), mmap),
    ("munmap", "ww", Exact, munmap),
    ("mremap", "wwwi-", Tells(LAYOUT), mremap),
    ("mprotect", "wwi", Exact, mprotect),
];

pub(super) const PAGE: u64 = 4096;

/// The largest mapping.
const MOST: u64 = 1 << 38;

/// The mappings of a process.
#[derive(Clone, Debug)]
pub(crate) struct Mappings {
    /// Where the data segment ended, and the last address that it may end at.
    segment: Range<u64>,
    /// Where it ends now.
    end: u64,
    /// The object of what was added to it.
    added: Option<Word>,
    /// By their first addresses.
    regions: BTreeMap<u64, MappedRegion>,
}

#[derive(Clone, Debug)]
struct MappedRegion {
    at: Word,
    length: u64,
    /// The file that it is shared with.
    file: Option<InodeId>,
    /// Whether it is a copy of a file's bytes.
    copy: bool,
    /// Whether its object is at an address that the program named: it cannot be released.
    fixed: bool,
    /// Pages that were given back.
    gone: Pages,
}

impl Mappings {
    pub fn new(segment: Range<u64>) -> Self {
        Mappings {
            end: segment.start,
            segment,
            added: None,
            regions: BTreeMap::new(),
        }
    }

    /// The mapping that contains an address.
    fn containing(&self, address: u64) -> Option<&MappedRegion> {
        let (base, region) = self.regions.range(..=address).next_back()?;
        (address - base < region.length).then_some(region)
    }

    /// Whether an address is in a mapping that is shared with a file.
    pub(super) fn is_shared(&self, address: u64) -> bool {
        let region = self.containing(address);
        region.is_some_and(|region| region.file.is_some())
    }

    /// First addresses of the mappings that a range touches.
    fn touching(&self, range: &Range<u64>) -> Vec<u64> {
        let before = self.regions.range(..range.end);
        let touches = |(base, region): &(&u64, &MappedRegion)| *base + region.length > range.start;
        before.filter(touches).map(|(base, _)| *base).collect()
    }
}

fn pages(length: u64) -> Result<u64, Errno> {
    if length > MOST {
        return Err(Errno::ENOMEM);
    }
    Ok(length.next_multiple_of(PAGE))
}

fn brk(call: &mut SystemCall<'_>) -> CallResult {
    let wanted = call.bits(0);
    let mappings = &call.kernel.mappings;
    let (start, now) = (mappings.segment.start, mappings.end);
    if wanted < start || wanted > mappings.segment.end {
        return Ok(Word::int(now));
    }
    // The part above the program's last page; pages are given as a whole.
    let base = start.next_multiple_of(PAGE);
    let size = wanted.saturating_sub(base).next_multiple_of(PAGE);
    let added = mappings.added;
    let done = match added {
        Some(at) => call.memory.resize_fixed(at, size).map(|()| Some(at)),
        None if size == 0 => Ok(None),
        None => call.memory.allocate_fixed(base, size).map(Some),
    };
    match done {
        Ok(added) => {
            let mappings = Rc::make_mut(&mut call.kernel.mappings);
            mappings.added = added;
            mappings.end = wanted;
            Ok(Word::int(wanted))
        }
        Err(_) => Ok(Word::int(now)),
    }
}

/// What a mapping shows.
enum MappingSource {
    Zeros,
    File {
        node: InodeId,
        from: u64,
        shared: bool,
    },
}

fn mmap(call: &mut SystemCall<'_>) -> CallResult {
    const SHARED: u64 = 1;
    const PRIVATE: u64 = 2;
    const FIXED: u64 = 0x10;
    const ANONYMOUS: u64 = 0x20;
    const FIXED_NOREPLACE: u64 = 0x10_0000;
    let (hint, length, protection) = (call.bits(0), call.bits(1), call.bits(2));
    let (flags, fd, from) = (call.bits(3), call.fd(4), call.bits(5));
    if !from.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL.into());
    }
    let file = if flags & ANONYMOUS != 0 {
        None
    } else {
        Some(call.opened(fd)?.clone())
    };
    if length == 0 {
        return Err(Errno::EINVAL.into());
    }
    let shared = match flags & 0xf {
        SHARED | 3 => true,
        PRIVATE => false,
        _ => return Err(Errno::EINVAL.into()),
    };
    let length = pages(length)?;
    let shown = match file {
        None => MappingSource::Zeros,
        Some(open) => {
            if !open.readable() || shared && protection & 2 != 0 && !open.writable() {
                return Err(Errno::EACCES.into());
            }
            match &call.kernel.tree.node(open.node).body {
                InodeBody::File(_) => MappingSource::File {
                    node: open.node,
                    from,
                    shared,
                },
                InodeBody::Device(Device::Zero) => MappingSource::Zeros,
                InodeBody::Directory(_)
                | InodeBody::Device(_)
                | InodeBody::Link(_)
                | InodeBody::Pipe(_)
                | InodeBody::Output { .. }
                | InodeBody::DescriptorLink(_)
                | InodeBody::Socket(_) => return Err(Errno::ENODEV.into()),
            }
        }
    };
    if flags & (FIXED | FIXED_NOREPLACE) != 0 {
        if !hint.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        let at = map_fixed(call, hint, length, shown, flags & FIXED == 0)?;
        note_protection(call, protection);
        return Ok(at);
    }
    if let MappingSource::File {
        node, shared: true, ..
    } = shown
    {
        let at = map_shared(call, node, length, &shown)?;
        note_protection(call, protection);
        return Ok(at);
    }
    let at = call.memory.allocate(ObjectKind::Mapped, length, PAGE);
    let at = at.map_err(|_| Errno::ENOMEM)?;
    if let Err(stop) = show(call, at, length, &shown) {
        call.memory.release(at);
        return Err(stop);
    }
    add_region(call, at, length, &shown, false);
    note_protection(call, protection);
    Ok(at)
}

/// Whether there is memory in a range that is of no mapping.
pub(super) fn holds_others(call: &SystemCall<'_>, range: &Range<u64>) -> bool {
    let mappings = &call.kernel.mappings;
    let inside = mappings.containing(range.start);
    if inside.is_some_and(|region| range.end <= region.at.bits + region.length) {
        return false;
    }
    call.memory.objects().any(|object| {
        object.address < range.end
            && object.address + object.size > range.start
            && !mappings.regions.contains_key(&object.address)
    })
}

/// Whether no object is at the beginning or at the end of a range, or all of it was given back.
pub(super) fn is_gone(call: &SystemCall<'_>, range: &Range<u64>) -> bool {
    let some = |address| call.memory.object_at(address).is_some();
    if range.is_empty() {
        return false;
    }
    let gone = call.kernel.mappings.containing(range.start);
    let gone = gone.is_some_and(|region| {
        let base = region.at.bits;
        let end = range.end.min(base + region.length);
        let pages = (range.start - base) / PAGE..(end - base) / PAGE;
        region.gone.contains(&pages)
    });
    gone || !some(range.start) && !some(range.end - 1)
}

/// Gives a mapping back as a whole.
fn unmap(call: &mut SystemCall<'_>, base: u64) {
    let Some(region) = call.kernel.mappings.regions.get(&base).cloned() else {
        return;
    };
    if region.fixed {
        // The object stays where it is; mapping the place again finds it empty.
        let _ = call.memory.fill(region.at, 0, region.length);
        let mappings = Rc::make_mut(&mut call.kernel.mappings);
        if let Some(region) = mappings.regions.get_mut(&base) {
            region.gone.insert(0..region.length / PAGE);
        }
        return;
    }
    Rc::make_mut(&mut call.kernel.mappings)
        .regions
        .remove(&base);
    match region.file {
        None => {
            call.memory.release(region.at);
        }
        Some(node) => {
            let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
            if let Some(content) = kernel.content_mut(node) {
                content.unmap(memory);
            }
            call.kernel.touch(node);
            call.kernel.let_go(call.memory, node);
        }
    }
}

/// Gives pages of a mapping back.
fn unmap_part(call: &mut SystemCall<'_>, base: u64, range: &Range<u64>) {
    let Some(region) = call.kernel.mappings.regions.get(&base).cloned() else {
        return;
    };
    let start = range.start.max(base) - base;
    let end = (range.end - base).min(region.length);
    let mut gone = region.gone;
    gone.insert(start / PAGE..end / PAGE);
    if gone.contains(&(0..region.length / PAGE)) {
        unmap(call, base);
        return;
    }
    if region.file.is_none() {
        let _ = call.memory.fill(offset(region.at, start), 0, end - start);
    }
    let mappings = Rc::make_mut(&mut call.kernel.mappings);
    if let Some(region) = mappings.regions.get_mut(&base) {
        region.gone = gone;
    }
}

/// Gives up what is in pages of mappings: they are zero, or what the file has.
pub(super) fn give_up(call: &mut SystemCall<'_>, range: &Range<u64>) -> CallResult {
    for base in call.kernel.mappings.touching(range) {
        let Some(region) = call.kernel.mappings.regions.get(&base).cloned() else {
            continue;
        };
        if region.copy {
            return Err(NoResult::unsupported(
                "reading a mapped file anew (MADV_DONTNEED)",
            ));
        }
        if region.file.is_none() {
            let start = range.start.max(base) - base;
            let end = (range.end - base).min(region.length);
            let filled = call.memory.fill(offset(region.at, start), 0, end - start);
            filled.map_err(|_| Errno::ENOMEM)?;
        }
    }
    done()
}

/// A range of pages that arguments 0 and 1 are.
fn page_range(call: &SystemCall<'_>) -> Result<Range<u64>, Errno> {
    let (base, length) = (call.bits(0), call.bits(1));
    if !base.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL);
    }
    let length = pages(length).map_err(|_| Errno::EINVAL)?;
    let end = base.checked_add(length).ok_or(Errno::EINVAL)?;
    Ok(base..end)
}

/// The same, of any length; it is rounded to pages, and may go around the end of all addresses.
pub(super) fn page_span(call: &SystemCall<'_>) -> Result<(u64, u64), Errno> {
    let (base, length) = (call.bits(0), call.bits(1));
    if !base.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL);
    }
    Ok((base, length.wrapping_add(PAGE - 1) & !(PAGE - 1)))
}

fn add_region(
    call: &mut SystemCall<'_>,
    at: Word,
    length: u64,
    shown: &MappingSource,
    fixed: bool,
) {
    let (file, copy) = match *shown {
        MappingSource::Zeros => (None, false),
        MappingSource::File { node, shared, .. } => (shared.then_some(node), !shared),
    };
    let region = MappedRegion {
        at,
        length,
        file,
        copy,
        fixed,
        gone: Pages::default(),
    };
    let mappings = Rc::make_mut(&mut call.kernel.mappings);
    mappings.regions.insert(at.bits, region);
}

/// Puts what a mapping shows into memory that holds zeros.
fn show(
    call: &mut SystemCall<'_>,
    at: Word,
    length: u64,
    shown: &MappingSource,
) -> Result<(), NoResult> {
    let MappingSource::File { node, from, .. } = *shown else {
        return Ok(());
    };
    let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
    if let Some(content) = kernel.content_mut(node) {
        let part = content.size().saturating_sub(from).min(length);
        content.read(memory, from, at, part)?;
    }
    Ok(())
}

/// Gives the object of a file to the program.
fn map_shared(
    call: &mut SystemCall<'_>,
    node: InodeId,
    length: u64,
    shown: &MappingSource,
) -> CallResult {
    let MappingSource::File { from, .. } = *shown else {
        return Err(Errno::ENODEV.into());
    };
    if from != 0 {
        return Err(NoResult::unsupported(
            "a shared mapping of a file that does not start at its first byte",
        ));
    }
    io::check_fits(call, node, length)?;
    let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
    let at = match kernel.content_mut(node) {
        Some(content) => content.map(memory, length)?,
        None => return Err(Errno::ENODEV.into()),
    };
    if call.kernel.mappings.containing(at.bits).is_some() {
        let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
        if let Some(content) = kernel.content_mut(node) {
            content.unmap(memory);
        }
        return Err(NoResult::unsupported("a second shared mapping of a file"));
    }
    call.kernel.hold(node);
    add_region(call, at, length, shown, false);
    Ok(at)
}

/// Maps something at an address that the program names.
fn map_fixed(
    call: &mut SystemCall<'_>,
    base: u64,
    length: u64,
    shown: MappingSource,
    keep: bool,
) -> CallResult {
    if let MappingSource::File { shared: true, .. } = shown {
        return Err(NoResult::unsupported(
            "a shared mapping of a file at a given address",
        ));
    }
    let range = base..base.checked_add(length).ok_or(Errno::ENOMEM)?;
    let Some(region) = call.kernel.mappings.containing(base).cloned() else {
        if !call.kernel.mappings.touching(&range).is_empty() {
            if keep {
                return occupied(call);
            }
            return Err(NoResult::unsupported("a mapping over a part of another"));
        }
        let at = match call.memory.allocate_fixed(base, length) {
            Ok(at) => at,
            Err(_) if keep => return occupied(call),
            Err(_) => return Err(NoResult::unsupported("a mapping at this address")),
        };
        show(call, at, length, &shown)?;
        add_region(call, at, length, &shown, true);
        return Ok(at);
    };
    let place = base - region.at.bits;
    let numbers = place / PAGE..(place + length) / PAGE;
    if keep && !region.gone.contains(&numbers) {
        return occupied(call);
    }
    if place + length > region.length || region.file.is_some() {
        return Err(NoResult::unsupported("a mapping over a part of another"));
    }
    let at = offset(region.at, place);
    call.memory.fill(at, 0, length).map_err(|_| Errno::ENOMEM)?;
    show(call, at, length, &shown)?;
    let mappings = Rc::make_mut(&mut call.kernel.mappings);
    if let Some(region) = mappings.regions.get_mut(&region.at.bits) {
        region.gone.remove(&numbers);
        region.copy |= matches!(shown, MappingSource::File { .. });
    }
    Ok(at)
}

/// Something is where the program wants a mapping that replaces nothing.
fn occupied(call: &mut SystemCall<'_>) -> CallResult {
    call.is_one_of(call_table::OCCUPIED);
    Err(Errno::EEXIST.into())
}

/// Says that memory has another protection here than the program asks for.
fn note_protection(call: &mut SystemCall<'_>, protection: u64) {
    if protection & 3 != 3 {
        call.is_one_of(call_table::PROTECTION);
    }
}

fn munmap(call: &mut SystemCall<'_>) -> CallResult {
    let range = page_range(call)?;
    if range.is_empty() {
        return Err(Errno::EINVAL.into());
    }
    if holds_others(call, &range) {
        return Err(NoResult::unsupported(
            "giving back memory that is of no mapping (munmap)",
        ));
    }
    for base in call.kernel.mappings.touching(&range) {
        unmap_part(call, base, &range);
    }
    done()
}

fn mremap(call: &mut SystemCall<'_>) -> CallResult {
    const MAY_MOVE: u64 = 1;
    const FIXED: u64 = 2;
    const KEEP: u64 = 4;
    let (base, old, new, flags) = (call.bits(0), call.bits(1), call.bits(2), call.bits(3));
    if flags & !(MAY_MOVE | FIXED | KEEP) != 0
        || flags & (FIXED | KEEP) != 0 && flags & MAY_MOVE == 0
        || !base.is_multiple_of(PAGE)
        || new == 0
    {
        return Err(Errno::EINVAL.into());
    }
    if flags & (FIXED | KEEP) != 0 {
        return Err(NoResult::unsupported(
            "mremap to a given address, or one that keeps the old mapping",
        ));
    }
    let (old, new) = (pages(old)?, pages(new)?);
    let region = call.kernel.mappings.regions.get(&base).cloned();
    let region = region.ok_or(Errno::EFAULT)?;
    if old > region.length || old == 0 {
        return Err(Errno::EFAULT.into());
    }
    if new <= old {
        if new < old {
            unmap_part(call, base, &(base + new..base + old));
        }
        return Ok(region.at);
    }
    if old != region.length || region.file.is_some() {
        return Err(NoResult::unsupported(
            "growing a part of a mapping, or a shared one",
        ));
    }
    if flags & MAY_MOVE == 0 {
        return Err(Errno::ENOMEM.into());
    }
    let at = call.memory.allocate(ObjectKind::Mapped, new, PAGE);
    let at = at.map_err(|_| Errno::ENOMEM)?;
    if call.memory.copy(at, region.at, old, false).is_err() {
        call.memory.release(at);
        return Err(Errno::ENOMEM.into());
    }
    let copy = region.copy;
    unmap(call, base);
    add_region(call, at, new, &MappingSource::Zeros, false);
    if copy {
        let mappings = Rc::make_mut(&mut call.kernel.mappings);
        if let Some(region) = mappings.regions.get_mut(&at.bits) {
            region.copy = true;
        }
    }
    Ok(at)
}

fn mprotect(call: &mut SystemCall<'_>) -> CallResult {
    const KNOWN: u64 = 0xf;
    const GROWS: u64 = 0x300_0000;
    let (base, length, protection) = (call.bits(0), call.bits(1), call.bits(2));
    if !base.is_multiple_of(PAGE) || protection & GROWS == GROWS {
        return Err(Errno::EINVAL.into());
    }
    if length == 0 {
        return done();
    }
    let end = base
        .checked_add(length)
        .and_then(|end| end.checked_next_multiple_of(PAGE));
    let range = base..end.ok_or(Errno::ENOMEM)?;
    if protection & !(KNOWN | GROWS) != 0 {
        return Err(Errno::EINVAL.into());
    }
    if protection & GROWS != 0 {
        return Err(NoResult::unsupported("a protection of all of a stack"));
    }
    if is_gone(call, &range) {
        return Err(Errno::ENOMEM.into());
    }
    note_protection(call, protection);
    done()
}
