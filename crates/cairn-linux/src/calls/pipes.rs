//! Pipes.

use super::{CallFamily, SystemCall, done};
use crate::Errno;
use crate::call_table::Varies::Exact;
use crate::files::{FileContent, Inode, InodeBody, OpenFile, Pipe, flags};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: CallFamily = &[("pipe", "p", Exact, pipe), ("pipe2", "pi", Exact, pipe2)];

fn pipe(call: &mut SystemCall<'_>) -> CallResult {
    make_pipe(call, 0)
}

fn pipe2(call: &mut SystemCall<'_>) -> CallResult {
    let how = call.bits(1) as u32;
    if how & !(flags::CLOEXEC | flags::NONBLOCK | flags::DIRECT) == 0 && how & flags::DIRECT != 0 {
        return Err(NoResult::unsupported("a pipe of packets"));
    }
    if how & !(flags::CLOEXEC | flags::NONBLOCK) != 0 {
        return Err(Errno::EINVAL.into());
    }
    make_pipe(call, how)
}

fn make_pipe(call: &mut SystemCall<'_>, how: u32) -> CallResult {
    let at = call.args[0];
    let limit = call.kernel.process.descriptor_limit();
    let read = call.free_fd()?;
    let write = call.kernel.descriptors.free_number(read + 1, limit)?;
    call.check_write(at, 8)?;
    let pipe = Pipe {
        content: FileContent::EMPTY,
        start: 0,
        readers: 0,
        writers: 0,
        terminal: false,
        awaited: false,
    };
    let identity = call.kernel.process.identity;
    let mut node = Inode::new(InodeBody::Pipe(pipe), 0o600, identity, call.kernel.now());
    // It ends with the last descriptor, though it says that it has a name.
    node.links = 1;
    let node = call.kernel.tree_mut().add(node);
    let status = how & flags::NONBLOCK;
    let close = how & flags::CLOEXEC != 0;
    call.kernel
        .install(read, OpenFile::new(node, status), close);
    let open = OpenFile::new(node, status | flags::WRITE_ONLY);
    call.kernel.install(write, open, close);
    let mut numbers = read.to_le_bytes().to_vec();
    numbers.extend(write.to_le_bytes());
    call.store(at, &numbers)?;
    done()
}
