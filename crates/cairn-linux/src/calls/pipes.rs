//! Pipes.

use super::{CallFamily, SystemCall, done};
use crate::Errno;
use crate::call_table::Varies::Exact;
use crate::files::{FileContent, Inode, InodeBody, OpenFile, Pipe, flags};
use crate::reply::{CallResult, NoResult};

pub(super) const CALLS: CallFamily = &[("pipe", "p", Exact, pipe), ("pipe2", "pi", Exact, pipe2)];

fn pipe(call: &mut SystemCall<'_>) -> CallResult {
    call.make_pipe(0)
}

fn pipe2(call: &mut SystemCall<'_>) -> CallResult {
    let how = call.bits(1) as u32;
    if how & !(flags::CLOEXEC | flags::NONBLOCK | flags::DIRECT) == 0 && how & flags::DIRECT != 0 {
        return Err(NoResult::unsupported("a pipe of packets"));
    }
    if how & !(flags::CLOEXEC | flags::NONBLOCK) != 0 {
        return Err(Errno::EINVAL.into());
    }
    call.make_pipe(how)
}

impl SystemCall<'_> {
    fn make_pipe(&mut self, how: u32) -> CallResult {
        let at = self.args[0];
        let limit = self.kernel.process.descriptor_limit();
        let read = self.free_fd()?;
        let write = self.kernel.descriptors.free_number(read + 1, limit)?;
        self.check_write(at, 8)?;
        let pipe = Pipe {
            content: FileContent::EMPTY,
            start: 0,
            readers: 0,
            writers: 0,
            terminal: false,
            awaited: false,
        };
        let identity = self.kernel.process.identity;
        let mut node = Inode::new(InodeBody::Pipe(pipe), 0o600, identity, self.kernel.now());
        // It ends with the last descriptor, though it says that it has a name.
        node.links = 1;
        let node = self.kernel.tree_mut().add(node);
        let status = how & flags::NONBLOCK;
        let close = how & flags::CLOEXEC != 0;
        self.kernel
            .install(read, OpenFile::new(node, status), close);
        let open = OpenFile::new(node, status | flags::WRITE_ONLY);
        self.kernel.install(write, open, close);
        let mut numbers = read.to_le_bytes().to_vec();
        numbers.extend(write.to_le_bytes());
        self.store(at, &numbers)?;
        done()
    }
}
