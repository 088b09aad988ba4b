//! Reading and writing.
//!
//! A read checks the whole buffer, even if fewer bytes come: passing a length beyond the buffer is a bug even when
//! little data arrives.

use super::{CallFamily, SystemCall, number, offset};
use crate::call_table::Varies::{Decides, Exact, Tells};
use crate::call_table::{MISSING, RANDOM};
use crate::calls::signals;
use crate::calls::sockets::messages;
use crate::files::{Device, InodeBody, InodeId, MAX_SIZE};
use crate::reply::{CallResult, NoResult};
use crate::setup::RandomSource;
use crate::{Errno, Exactness, Need, Reply, call_table};
use cairn_memory::Word;

pub(super) const CALLS: CallFamily = &[
    ("read", "dow", Exact, read),
    ("write", "drw", Exact, write),
    ("pread64", "doww", Exact, pread),
    ("pwrite64", "drww", Exact, pwrite),
    ("readv", "dpw", Exact, readv),
    ("writev", "dpw", Exact, writev),
    ("preadv", "dpww", Exact, preadv),
    ("pwritev", "dpww", Exact, pwritev),
    ("lseek", "dwi", Exact, lseek),
    ("sendfile", "ddpw", Exact, sendfile),
    ("getrandom", "pwi", Tells(RANDOM), getrandom),
    (
        "copy_file_range",
        "------",
        Decides(MISSING),
        copy_file_range,
    ),
];

/// Bytes that one call moves at most.
const MOST: u64 = 0x7fff_f000;

/// Parts of a vector at most.
pub(super) const MOST_PARTS: u64 = 1024;

/// Bytes that every pipe has room for.
const SMALLEST_PIPE: u64 = 4096;

/// Bytes that wait in a pipe at most.
pub(super) const PIPE_BYTES: u64 = 65536;

pub(super) const SIGPIPE: u32 = 13;

/// Where bytes come from or go to.
pub(super) type BufferRange = (Word, u64);

fn read(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = (call.args[1], call.bits(2));
    read_into(call, call.fd(0), &[buffer], None)
}

fn write(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = (call.args[1], call.bits(2));
    write_from(call, call.fd(0), &[buffer], None)
}

fn pread(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = (call.args[1], call.bits(2));
    let position = position(call, 3)?;
    read_into(call, call.fd(0), &[buffer], Some(position))
}

fn pwrite(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = (call.args[1], call.bits(2));
    let position = position(call, 3)?;
    write_from(call, call.fd(0), &[buffer], Some(position))
}

fn readv(call: &mut SystemCall<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    let segments = segments(call, Some(false))?;
    read_into(call, call.fd(0), &segments, None)
}

fn writev(call: &mut SystemCall<'_>) -> CallResult {
    call.opened(call.fd(0))?;
    let segments = segments(call, Some(true))?;
    write_from(call, call.fd(0), &segments, None)
}

fn preadv(call: &mut SystemCall<'_>) -> CallResult {
    let position = position(call, 3)?;
    call.opened(call.fd(0))?;
    let segments = segments(call, None)?;
    read_into(call, call.fd(0), &segments, Some(position))
}

fn pwritev(call: &mut SystemCall<'_>) -> CallResult {
    let position = position(call, 3)?;
    call.opened(call.fd(0))?;
    let segments = segments(call, None)?;
    write_from(call, call.fd(0), &segments, Some(position))
}

/// What is left of segments when only so many bytes are moved.
pub(super) fn clipped(segments: &[BufferRange], mut length: u64) -> Vec<BufferRange> {
    let mut parts = Vec::new();
    for &(at, bytes) in segments {
        let part = bytes.min(length);
        if part > 0 {
            parts.push((at, part));
        }
        length -= part;
    }
    parts
}

/// What can be read.
enum ReadSource {
    /// This many bytes of a content from a position.
    Content {
        from: u64,
        length: u64,
    },
    Zeros,
    Random,
    Nothing,
}

impl SystemCall<'_> {
    /// The sum of lengths, as far as one call goes.
    pub(super) fn total(segments: &[BufferRange]) -> u64 {
        let sum = segments.iter().fold(0u64, |sum, s| sum.saturating_add(s.1));
        sum.min(MOST)
    }
}

fn position(call: &SystemCall<'_>, i: usize) -> Result<u64, Errno> {
    let position = call.bits(i);
    if (position as i64) < 0 {
        return Err(Errno::EINVAL);
    }
    Ok(position)
}

/// The vector of buffers that arguments 1 and 2 are.
fn segments(call: &SystemCall<'_>, writes: Option<bool>) -> Result<Vec<BufferRange>, NoResult> {
    let (at, count) = (call.args[1], call.bits(2));
    if count > MOST_PARTS {
        return Err(Errno::EINVAL.into());
    }
    parts(call, at, count, writes)
}

/// So many buffers of a vector. `writes` says whether the call writes them, at the position of its
/// descriptor, or reads into them; without it, no lengths are known to be alike.
pub(super) fn parts(
    call: &SystemCall<'_>,
    at: Word,
    count: u64,
    writes: Option<bool>,
) -> Result<Vec<BufferRange>, NoResult> {
    let mut segments = Vec::new();
    for i in 0..count {
        let base = call.load_pointer(offset(at, 16 * i))?;
        let classes = writes.and_then(|writes| {
            let part = (base, SystemCall::total(&segments));
            call.kernel
                .lengths_of_part(call.memory, &call.args, part, writes)
        });
        let length = call.load_number(offset(at, 16 * i + 8), classes)?.bits;
        if (length as i64) < 0 {
            return Err(Errno::EINVAL.into());
        }
        segments.push((base, length));
    }
    Ok(segments)
}

/// Reads from a descriptor, at a position or where it is.
fn read_into(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
    position: Option<u64>,
) -> CallResult {
    let open = call.opened(fd)?.clone();
    if position.is_some() && call.is_stream(open.node) {
        return Err(Errno::ESPIPE.into());
    }
    if !open.readable() {
        return Err(Errno::EBADF.into());
    }
    if matches!(call.kernel.tree.node(open.node).body, InodeBody::Socket(_)) {
        return messages::read_socket(call, fd, segments);
    }
    let from = position.unwrap_or(open.offset);
    let source = source(
        call,
        open.node,
        from,
        SystemCall::total(segments),
        open.nonblocking(),
    )?;
    let comes = match source {
        ReadSource::Content { length, .. } => length,
        ReadSource::Zeros | ReadSource::Random => MOST,
        ReadSource::Nothing => 0,
    };
    check_room(call, segments, comes)?;
    let length = match source {
        ReadSource::Content { from, length } => {
            let mut done = 0;
            let object = call.kernel.object_of(call.memory, open.node)?;
            for (at, part) in clipped(segments, length) {
                let source = offset(object, from + done);
                let copied = call.memory.copy(at, source, part, true);
                copied.map_err(|_| Errno::ENOMEM)?;
                done += part;
            }
            consumed(call, open.node, length);
            length
        }
        ReadSource::Zeros => {
            for (at, part) in clipped(segments, MOST) {
                call.memory.fill(at, 0, part).map_err(NoResult::Fault)?;
            }
            SystemCall::total(segments)
        }
        ReadSource::Random => {
            if let (RandomSource::Caller, Some((at, length))) = (
                call.kernel.process.random,
                clipped(segments, MOST).first().copied(),
            ) {
                // A read may give less than was asked for.
                return Err(NoResult::Reply(Reply::Random { at, length }));
            }
            call.kernel.exactness = Some(Exactness::OneOf(call_table::RANDOM));
            for (at, part) in clipped(segments, MOST) {
                fill_random(call, at, part)?;
            }
            SystemCall::total(segments)
        }
        ReadSource::Nothing => 0,
    };
    if position.is_none() && !call.is_stream(open.node) {
        let open = call.kernel.descriptors_mut().get_mut(fd)?;
        open.offset += length;
    }
    number(length)
}

/// Checks that there is room for bytes that come, and for all others that were asked for, unless an
/// address without an object may be given: Linux looks only at what it writes.
pub(super) fn check_room(
    call: &SystemCall<'_>,
    segments: &[BufferRange],
    comes: u64,
) -> Result<(), NoResult> {
    for &(at, length) in segments {
        match call.check_write(at, length) {
            Err(NoResult::Fault(fault)) if call.kernel.refuses(&fault) => {
                for (at, length) in clipped(segments, comes) {
                    call.check_write(at, length)?;
                }
                return Ok(());
            }
            checked => checked?,
        }
    }
    Ok(())
}

/// What a read of a file at a position gives.
fn source(
    call: &SystemCall<'_>,
    node: InodeId,
    from: u64,
    wanted: u64,
    nonblocking: bool,
) -> Result<ReadSource, NoResult> {
    Ok(match &call.kernel.tree.node(node).body {
        InodeBody::File(content) => ReadSource::Content {
            from,
            length: content.size().saturating_sub(from).min(wanted),
        },
        InodeBody::Pipe(pipe) => {
            let waiting = pipe.content.size() - pipe.start;
            if wanted > 0 && waiting == 0 && pipe.awaited {
                return Err(NoResult::Need(Need::Input));
            }
            if wanted > 0 && waiting == 0 && pipe.writers > 0 {
                if nonblocking {
                    return Err(Errno::EAGAIN.into());
                }
                return Err(NoResult::unsupported(
                    "a read that waits for ever on a pipe",
                ));
            }
            ReadSource::Content {
                from: pipe.start,
                length: waiting.min(wanted),
            }
        }
        InodeBody::Directory(_) => return Err(Errno::EISDIR.into()),
        InodeBody::Device(Device::Zero | Device::Full) => ReadSource::Zeros,
        InodeBody::Device(Device::Random) => ReadSource::Random,
        InodeBody::Device(Device::Null) | InodeBody::Output { .. } => ReadSource::Nothing,
        // Sockets are read on their own.
        InodeBody::Device(Device::Tty)
        | InodeBody::Link(_)
        | InodeBody::DescriptorLink(_)
        | InodeBody::Socket(_) => {
            return Err(Errno::EINVAL.into());
        }
    })
}

/// Takes bytes out of a pipe that were read.
fn consumed(call: &mut SystemCall<'_>, node: InodeId, length: u64) {
    if !matches!(call.kernel.tree.node(node).body, InodeBody::Pipe(_)) {
        return;
    }
    let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
    if let InodeBody::Pipe(pipe) = &mut kernel.tree_mut().node_mut(node).body {
        pipe.start += length;
        if pipe.start == pipe.content.size() {
            pipe.start = 0;
            pipe.content.release(memory);
        }
    }
}

/// Writes to a descriptor, at a position or where it is.
fn write_from(
    call: &mut SystemCall<'_>,
    fd: u32,
    segments: &[BufferRange],
    position: Option<u64>,
) -> CallResult {
    let open = call.opened(fd)?.clone();
    if position.is_some() && call.is_stream(open.node) {
        return Err(Errno::ESPIPE.into());
    }
    if !open.writable() {
        return Err(Errno::EBADF.into());
    }
    if open.nonblocking()
        && matches!(
            call.kernel.tree.node(open.node).body,
            InodeBody::Output { .. } | InodeBody::Socket(_)
        )
    {
        call.is_one_of(call_table::PIPES);
    }
    if matches!(call.kernel.tree.node(open.node).body, InodeBody::Socket(_)) {
        return messages::write_socket(call, fd, segments);
    }
    let mut total = SystemCall::total(segments);
    let node = call.kernel.tree.node(open.node);
    let is_device = matches!(node.body, InodeBody::Device(_));
    let to = match &node.body {
        // Not even a file to append to changes its position.
        InodeBody::Pipe(_) | InodeBody::File(_) if total == 0 => return number(0),
        InodeBody::File(content) if open.append() => content.size(),
        InodeBody::File(_) => position.unwrap_or(open.offset),
        InodeBody::Output { content, .. } => content.size(),
        InodeBody::Pipe(pipe) => {
            if pipe.readers == 0 && !pipe.terminal {
                return signals::send_to_self(call, SIGPIPE, Errno::EPIPE.reply());
            }
            let held = pipe.content.size() - pipe.start;
            let room = PIPE_BYTES.saturating_sub(held);
            let end = pipe.content.size();
            // A pipe has room for a page, and mostly for more.
            if held + total > SMALLEST_PIPE {
                call.is_one_of(call_table::PIPES);
            }
            if total > room {
                if !open.nonblocking() {
                    return Err(NoResult::unsupported(
                        "a write that waits for ever on a pipe",
                    ));
                }
                // Up to a page goes as a whole or not at all.
                if room == 0 || total <= 4096 {
                    return Err(Errno::EAGAIN.into());
                }
                total = room;
            }
            end
        }
        InodeBody::Device(Device::Full) => return Err(Errno::ENOSPC.into()),
        InodeBody::Device(Device::Null | Device::Zero | Device::Random) => 0,
        InodeBody::Device(Device::Tty)
        | InodeBody::Directory(_)
        | InodeBody::Link(_)
        | InodeBody::DescriptorLink(_)
        | InodeBody::Socket(_) => return Err(Errno::EINVAL.into()),
    };
    for &(at, length) in segments {
        call.memory
            .check_readable(at, length)
            .map_err(NoResult::Fault)?;
    }
    if is_device {
        return number(total);
    }
    check_fits(call, open.node, to.saturating_add(total))?;
    let mut done = 0;
    for (at, part) in clipped(segments, total) {
        let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
        if let Some(content) = kernel.content_mut(open.node) {
            let written = content.write(memory, to + done, at, part);
            if done == 0 {
                written?;
            } else if written.is_err() {
                break;
            }
        }
        done += part;
    }
    if total > 0 {
        drop_privileges(call, open.node);
        call.kernel.touch(open.node);
    }
    if position.is_none() && !call.is_stream(open.node) {
        let open = call.kernel.descriptors_mut().get_mut(fd)?;
        open.offset = to + done;
    }
    number(done)
}

/// Says that a file which the program has mapped cannot grow.
pub(super) fn check_fits(call: &SystemCall<'_>, node: InodeId, size: u64) -> Result<(), NoResult> {
    match &call.kernel.tree.node(node).body {
        InodeBody::File(content) if !content.fits(size) => Err(NoResult::unsupported(
            "growing a file beyond what the program has mapped of it",
        )),
        _ => Ok(()),
    }
}

/// A file that a user other than the superuser writes no longer runs as its owner.
pub(super) fn drop_privileges(call: &mut SystemCall<'_>, node: InodeId) {
    use crate::files::mode::{SET_GROUP, SET_USER};
    let entry = call.kernel.tree.node(node);
    let permissions = entry.permissions;
    if !matches!(entry.body, InodeBody::File(_)) {
        return;
    }
    if call.kernel.process.identity.uid == 0 || permissions & (SET_USER | SET_GROUP) == 0 {
        return;
    }
    let group = if permissions & 0o010 != 0 {
        SET_GROUP
    } else {
        0
    };
    call.kernel.tree_mut().node_mut(node).permissions = permissions & !(SET_USER | group);
}

/// Fills a place that was checked with the next random bytes.
pub(super) fn fill_random(
    call: &mut SystemCall<'_>,
    at: Word,
    length: u64,
) -> Result<(), NoResult> {
    let process = call.kernel.process_mut();
    let seed = match process.random {
        RandomSource::Seed(seed) => seed,
        RandomSource::Caller => 0,
    };
    let first = process.drawn;
    process.drawn += length;
    let bytes: Vec<u8> = (first..first + length)
        .map(|i| random_byte(seed, i))
        .collect();
    call.store(at, &bytes)?;
    call.kernel.tell("random", bytes);
    Ok(())
}

/// A byte of the sequence that a number determines (the mixing steps of SplitMix64).
fn random_byte(seed: u64, index: u64) -> u8 {
    let word = index / 8;
    let mut z = seed.wrapping_add(word.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    z.to_le_bytes()[(index % 8) as usize]
}

fn lseek(call: &mut SystemCall<'_>) -> CallResult {
    let (fd, by, whence) = (call.fd(0), call.bits(1) as i64, call.bits(2) as u32);
    let open = call.opened(fd)?.clone();
    if whence > 4 {
        return Err(Errno::EINVAL.into());
    }
    if call.is_stream(open.node) {
        return Err(Errno::ESPIPE.into());
    }
    let is_folder = call.kernel.tree.node(open.node).is_directory();
    match whence {
        0 if by == 0 => {}
        _ if is_folder => call.is_one_of(call_table::PLACES),
        3 | 4 => call.is_one_of(call_table::HOLES),
        _ => {}
    }
    let node = call.kernel.tree.node(open.node);
    let size = node.size();
    let target = match (&node.body, whence) {
        (InodeBody::Device(_), _) => Some(0),
        (_, 0) => Some(by),
        (_, 1) => (open.offset as i64).checked_add(by),
        (InodeBody::Directory(_), _) => None,
        (_, 2) => (size as i64).checked_add(by),
        // Data or the next hole: all is data up to the end.
        _ if by < 0 || by as u64 >= size => return Err(Errno::ENXIO.into()),
        (_, 3) => Some(by),
        _ => Some(size as i64),
    };
    let target = target.ok_or(Errno::EINVAL)?;
    let position = u64::try_from(target).map_err(|_| Errno::EINVAL)?;
    let is_file = matches!(node.body, InodeBody::File(_));
    if is_file && position > MAX_SIZE {
        call.is_one_of(call_table::FILE_SIZE);
    }
    call.kernel.descriptors_mut().get_mut(fd)?.offset = position;
    number(position)
}

fn sendfile(call: &mut SystemCall<'_>) -> CallResult {
    let (to, from, at, count) = (call.fd(0), call.fd(1), call.args[2], call.bits(3));
    let source = call.opened(from)?.clone();
    if !source.readable() {
        return Err(Errno::EBADF.into());
    }
    let start = if at.bits == 0 {
        source.offset
    } else {
        call.load_number(at, None)?.bits
    };
    if (start as i64) < 0 {
        return Err(Errno::EINVAL.into());
    }
    let target = call.opened(to)?.clone();
    if !target.writable() {
        return Err(Errno::EBADF.into());
    }
    let InodeBody::File(content) = &call.kernel.tree.node(source.node).body else {
        return Err(Errno::EINVAL.into());
    };
    if target.append() {
        return Err(Errno::EINVAL.into());
    }
    let length = content.size().saturating_sub(start).min(count).min(MOST);
    if length == 0 {
        return number(0);
    }
    let (kernel, memory) = (&mut *call.kernel, &mut *call.memory);
    // The bytes go through an object of their own: both files may be one.
    let passage = memory.allocate(cairn_memory::ObjectKind::Kernel, length, 8);
    let passage = passage.map_err(|_| Errno::ENOMEM)?;
    let read = match kernel.content_mut(source.node) {
        Some(content) => content.read(memory, start, passage, length),
        None => Err(Errno::EINVAL),
    };
    let written = match read {
        Ok(()) => write_from(call, to, &[(passage, length)], None),
        Err(errno) => Err(errno.into()),
    };
    call.memory.release(passage);
    let moved = written?;
    if at.bits == 0 {
        let open = call.kernel.descriptors_mut().get_mut(from)?;
        open.offset = start + moved.bits;
    } else {
        call.store(at, &(start + moved.bits).to_le_bytes())?;
    }
    Ok(moved)
}

fn copy_file_range(_: &mut SystemCall<'_>) -> CallResult {
    // As on a kernel without it: programs copy by reading and writing then.
    Err(Errno::ENOSYS.into())
}

fn getrandom(call: &mut SystemCall<'_>) -> CallResult {
    let (at, length, flags) = (call.args[0], call.bits(1).min(MOST), call.bits(2));
    // Both sources at once is no choice.
    if flags & !7 != 0 || flags & 6 == 6 {
        return Err(Errno::EINVAL.into());
    }
    call.check_write(at, length)?;
    match call.kernel.process.random {
        RandomSource::Seed(_) => {
            fill_random(call, at, length)?;
            number(length)
        }
        RandomSource::Caller => Err(NoResult::Reply(crate::Reply::Random { at, length })),
    }
}
