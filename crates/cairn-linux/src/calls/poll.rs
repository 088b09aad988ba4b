//! Waiting until something can be read or written.
//!
//! Nothing changes while the only process waits, so what is not ready at once never is: a wait with
//! a time lets it pass, one without waits for ever.

use super::{CallFamily, SystemCall, number, offset};
use crate::call_table::Varies::Exact;
use crate::calls::signals;
use crate::calls::sockets;
use crate::calls::time;
use crate::calls::time::GivenTime;
use crate::files::{InodeBody, OpenFile};
use crate::reply::{CallResult, NoResult};
use crate::{ClockForm, Errno, call_table};
use cairn_memory::Word;

pub(super) const CALLS: CallFamily = &[
    ("poll", "pii", Exact, poll),
    ("ppoll", "pippw", Exact, ppoll),
    ("select", "ipppp", Exact, select),
    ("pselect6", "ippppp", Exact, pselect),
];

const IN: u16 = 0x1;
const OUT: u16 = 0x4;
const ERROR: u16 = 0x8;
const HANG_UP: u16 = 0x10;
const INVALID: u16 = 0x20;
const READ_NORMAL: u16 = 0x40;
const WRITE_NORMAL: u16 = 0x100;

/// Files that are waited for at most, whatever the limit.
pub(crate) const MOST_FILES: u64 = 1 << 20;

/// Descriptors that `select` knows at most.
pub(crate) const MOST_SELECTED: u64 = 1024;

/// What can be done with a descriptor now.
fn ready_events(call: &SystemCall<'_>, open: &OpenFile) -> u16 {
    match &call.kernel.tree.node(open.node).body {
        InodeBody::Pipe(pipe) => {
            let mut events = 0;
            let waiting = pipe.content.size() - pipe.start;
            if open.readable() {
                // A read of what is awaited waits itself.
                if waiting > 0 || pipe.terminal || pipe.awaited {
                    events |= IN | READ_NORMAL;
                }
                if pipe.writers == 0 && !pipe.terminal && !pipe.awaited {
                    events |= HANG_UP;
                }
            }
            if open.writable() {
                if waiting + 4096 <= super::io::PIPE_BYTES {
                    events |= OUT | WRITE_NORMAL;
                }
                if pipe.readers == 0 {
                    events |= ERROR;
                }
            }
            events
        }
        InodeBody::Output { .. } => OUT | WRITE_NORMAL,
        InodeBody::Socket(socket) => {
            let (read, write, ended) = sockets::socket_ready(call, socket);
            let mut events = 0;
            if read {
                events |= IN | READ_NORMAL;
            }
            if write {
                events |= OUT | WRITE_NORMAL;
            }
            if ended {
                events |= HANG_UP;
            }
            events
        }
        InodeBody::File(_)
        | InodeBody::Directory(_)
        | InodeBody::Device(_)
        | InodeBody::Link(_)
        | InodeBody::DescriptorLink(_) => IN | OUT | READ_NORMAL | WRITE_NORMAL,
    }
}

/// Lets the time of a wait pass in which nothing became ready.
fn wait(call: &mut SystemCall<'_>, nanos: Option<u64>) -> Result<(), NoResult> {
    match nanos {
        Some(nanos) => {
            time::pass(call, nanos);
            Ok(())
        }
        None if sockets::has_peers(call) => Err(sockets::wait_without_peer(call)),
        None => Err(NoResult::unsupported(
            "waiting for ever until a file is ready",
        )),
    }
}

fn poll_files(call: &mut SystemCall<'_>, timeout: Option<u64>, waits: bool) -> CallResult {
    let (at, count) = (call.args[0], call.bits(1));
    if count > call.kernel.process.descriptor_limit().min(MOST_FILES) {
        call.is_one_of(call_table::LIMITS);
        return Err(Errno::EINVAL.into());
    }
    call.check_write(at, 8 * count)?;
    let mut answers = Vec::new();
    for i in 0..count {
        let entry = offset(at, 8 * i);
        let fd = call.load_descriptor(entry)?;
        let wanted = call.load(offset(entry, 4), 2)?;
        let wanted = u16::from_le_bytes([wanted[0], wanted[1]]) | ERROR | HANG_UP;
        let events = match u32::try_from(fd) {
            // A negative one is left out.
            Err(_) => 0,
            Ok(fd) => match call.opened(fd) {
                Ok(open) => ready_events(call, open) & wanted,
                Err(_) => INVALID,
            },
        };
        answers.push(events);
    }
    let ready = answers.iter().filter(|&&events| events != 0).count();
    if ready == 0 {
        if !waits {
            return number(0);
        }
        wait(call, timeout)?;
    }
    for (i, events) in answers.into_iter().enumerate() {
        call.store(offset(at, 8 * i as u64 + 6), &events.to_le_bytes())?;
    }
    number(ready as u64)
}

fn select_files(call: &mut SystemCall<'_>, timeout: Option<u64>, waits: bool) -> CallResult {
    let count = call.bits(0) as i32;
    let count = u64::try_from(count)
        .map_err(|_| Errno::EINVAL)?
        .min(MOST_SELECTED);
    let bytes = count.div_ceil(64) * 8;
    // What each of the sets asks for.
    let asked = [
        IN | READ_NORMAL | HANG_UP | ERROR,
        OUT | WRITE_NORMAL | ERROR,
        0,
    ];
    let sets: [Word; 3] = [call.args[1], call.args[2], call.args[3]];
    let mut wanted = Vec::new();
    for &at in &sets {
        if at.bits != 0 {
            call.check_write(at, bytes)?;
            wanted.push(call.load(at, bytes)?);
        } else {
            wanted.push(vec![0; bytes as usize]);
        }
    }
    let mut ready = 0;
    for (set, asked) in wanted.iter_mut().zip(asked) {
        for fd in 0..8 * bytes as u32 {
            let (byte, bit) = ((fd / 8) as usize, 1 << (fd % 8));
            if set[byte] & bit == 0 || u64::from(fd) >= count {
                set[byte] &= !bit;
                continue;
            }
            // What is open only as a path is ready for anything.
            let open = call.kernel.descriptors.get(fd)?;
            if !open.path_only() && ready_events(call, open) & asked == 0 {
                set[byte] &= !bit;
            } else {
                ready += 1;
            }
        }
    }
    if ready == 0 {
        if !waits {
            return number(0);
        }
        wait(call, timeout)?;
    }
    for (at, set) in sets.into_iter().zip(wanted) {
        call.store_if(at, &set)?;
    }
    number(ready)
}

fn poll(call: &mut SystemCall<'_>) -> CallResult {
    let timeout = u64::try_from(call.int(2)).ok();
    poll_files(call, timeout.map(|millis| millis * 1_000_000), true)
}

fn ppoll(call: &mut SystemCall<'_>) -> CallResult {
    let given = GivenTime::load(call, call.args[2], ClockForm::Nanoseconds)?;
    let timeout = given.map(GivenTime::nanos);
    let mask = signals::load_mask(call, call.args[3], call.bits(4))?;
    let result = signals::with_mask(call, mask, |call, waits| poll_files(call, timeout, waits));
    time::leave_rest(call, given, result)
}

fn select(call: &mut SystemCall<'_>) -> CallResult {
    let given = GivenTime::load(call, call.args[4], ClockForm::Microseconds)?;
    let result = select_files(call, given.map(GivenTime::nanos), true);
    time::leave_rest(call, given, result)
}

fn pselect(call: &mut SystemCall<'_>) -> CallResult {
    let given = GivenTime::load(call, call.args[4], ClockForm::Nanoseconds)?;
    let timeout = given.map(GivenTime::nanos);
    let at = call.args[5];
    let mask = if at.bits == 0 {
        None
    } else {
        let size = call.load_u64(offset(at, 8))?.bits;
        signals::load_mask(call, call.load_u64(at)?, size)?
    };
    let result = signals::with_mask(call, mask, |call, waits| select_files(call, timeout, waits));
    time::leave_rest(call, given, result)
}
