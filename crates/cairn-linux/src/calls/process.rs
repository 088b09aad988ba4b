//! The process and its one thread: ending it, and what would make others.

use super::{CallFamily, SystemCall, done, number};
use crate::call_table::Varies::{Decides, Exact, Tells, Unsupported};
use crate::call_table::{IGNORED, MACHINE, MISSING, PROCESS};
use crate::calls::time;
use crate::calls::time::GivenTime;
use crate::files::{InodeBody, InodeId};
use crate::reply::{CallResult, NoResult};
use crate::{Abi, ClockForm, Errno, Reply, call_table};

pub(super) const CALLS: CallFamily = &[
    ("exit", "i", Exact, exit),
    ("exit_group", "i", Exact, exit),
    ("fork", "", Unsupported, fork),
    ("vfork", "", Unsupported, fork),
    ("clone", "-----", Unsupported, clone),
    ("clone3", "--", Unsupported, clone),
    ("execve", "ppp", Unsupported, execve),
    ("execveat", "fpppi", Unsupported, execveat),
    ("wait4", "i-i-", Exact, wait4),
    ("waitid", "ii-i-", Exact, waitid),
    ("set_tid_address", "p", Tells(PROCESS), set_tid_address),
    ("set_robust_list", "pw", Exact, set_robust_list),
    ("futex", "piipwi", Exact, futex),
    ("rseq", "----", Decides(MISSING), missing),
    ("membarrier", "---", Decides(MISSING), missing),
    ("riscv_hwprobe", "-----", Decides(MISSING), missing),
    ("sched_yield", "", Exact, succeeds),
    (
        "sched_getaffinity",
        "iwp",
        Decides(MACHINE),
        sched_getaffinity,
    ),
    (
        "sched_setaffinity",
        "iwp",
        Decides(IGNORED),
        sched_setaffinity,
    ),
    ("sched_getscheduler", "i", Decides(MACHINE), succeeds),
    ("getcpu", "pp-", Tells(MACHINE), getcpu),
    ("getpriority", "ii", Decides(MACHINE), getpriority),
    ("setpriority", "iii", Decides(IGNORED), succeeds),
    ("prctl", "iwwww", Decides(MACHINE), prctl),
    ("arch_prctl", "iw", Exact, arch_prctl),
];

fn exit(call: &mut SystemCall<'_>) -> CallResult {
    Err(NoResult::Reply(Reply::Exit(call.int(0) & 0xff)))
}

fn fork(_: &mut SystemCall<'_>) -> CallResult {
    Err(NoResult::unsupported("a second process (fork)"))
}

fn clone(_: &mut SystemCall<'_>) -> CallResult {
    Err(NoResult::unsupported("a second process or thread (clone)"))
}

fn execve(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup(super::AT_FDCWD, 0, true)?;
    run_program(call, node, "running another program (execve)")
}

fn execveat(call: &mut SystemCall<'_>) -> CallResult {
    let node = call.lookup_at(call.int(0), 1, call.bits(4))?;
    run_program(call, node, "running another program (execveat)")
}

/// What is no program cannot be run, which needs no model of running one.
fn run_program(call: &SystemCall<'_>, node: InodeId, what: &'static str) -> CallResult {
    let entry = call.kernel.tree.node(node);
    let InodeBody::File(content) = &entry.body else {
        return Err(Errno::EACCES.into());
    };
    entry.check(call.kernel.process.identity, 1)?;
    if content.size() == 0 {
        return Err(Errno::ENOEXEC.into());
    }
    Err(NoResult::unsupported(what))
}

/// Flags of both that a thread's children may have.
const WAIT_ANY: u32 = 0xe000_0000;
const WAIT_NO_HANG: u32 = 1;
const WAIT_STOPPED: u32 = 2;
const WAIT_ENDED: u32 = 4;
const WAIT_CONTINUED: u32 = 8;
const WAIT_KEEP: u32 = 0x100_0000;

fn wait4(call: &mut SystemCall<'_>) -> CallResult {
    let (process, options) = (call.int(0), call.bits(2) as u32);
    if options & !(WAIT_NO_HANG | WAIT_STOPPED | WAIT_CONTINUED | WAIT_ANY) != 0 {
        return Err(Errno::EINVAL.into());
    }
    if process == i32::MIN {
        return Err(Errno::ESRCH.into());
    }
    Err(Errno::ECHILD.into())
}

fn waitid(call: &mut SystemCall<'_>) -> CallResult {
    const OF_DESCRIPTOR: u64 = 3;
    let (kind, number, options) = (call.bits(0), call.int(1), call.bits(3) as u32);
    let wanted = WAIT_STOPPED | WAIT_ENDED | WAIT_CONTINUED;
    if options & !(wanted | WAIT_NO_HANG | WAIT_KEEP | WAIT_ANY) != 0 || options & wanted == 0 {
        return Err(Errno::EINVAL.into());
    }
    match kind {
        0 => {}
        1 if number > 0 => {}
        2 if number >= 0 => {}
        // No descriptor of a process is ever open.
        OF_DESCRIPTOR if number >= 0 => return Err(Errno::EBADF.into()),
        _ => return Err(Errno::EINVAL.into()),
    }
    Err(Errno::ECHILD.into())
}

fn missing(_: &mut SystemCall<'_>) -> CallResult {
    // As on a kernel without it: libraries go on without.
    Err(Errno::ENOSYS.into())
}

fn set_tid_address(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.pid))
}

fn set_robust_list(call: &mut SystemCall<'_>) -> CallResult {
    if call.bits(1) != 24 {
        return Err(Errno::EINVAL.into());
    }
    done()
}

/// `ETIMEDOUT`.
const TIMED_OUT: Errno = Errno(110);

fn futex(call: &mut SystemCall<'_>) -> CallResult {
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const REQUEUE: u64 = 3;
    const CMP_REQUEUE: u64 = 4;
    const WAKE_OP: u64 = 5;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    const PRIVATE: u64 = 128;
    const REAL_TIME: u64 = 256;
    let (at, expected) = (call.args[0], call.bits(2) as u32);
    let how = call.bits(1);
    let operation = how & !(PRIVATE | REAL_TIME);
    if how & REAL_TIME != 0 && !matches!(operation, WAIT_BITSET | 11 | 13) {
        return Err(Errno::ENOSYS.into());
    }
    let timeout = match operation {
        WAIT | WAIT_BITSET => GivenTime::load(call, call.args[3], ClockForm::Nanoseconds)?,
        _ => None,
    };
    if matches!(operation, WAIT_BITSET | WAKE_BITSET) && call.bits(5) as u32 == 0 {
        return Err(Errno::EINVAL.into());
    }
    if operation == REQUEUE && (expected as i32) < 0 {
        return Err(Errno::EINVAL.into());
    }
    let aligned = at.bits.is_multiple_of(4);
    match operation {
        WAKE | WAKE_BITSET | REQUEUE | WAIT | WAIT_BITSET if !aligned => Err(Errno::EINVAL.into()),
        WAKE | WAKE_BITSET | REQUEUE => {
            if how & PRIVATE == 0 {
                let readable = call.memory.check_readable(at, 4);
                readable.map_err(NoResult::Fault)?;
            }
            done()
        }
        WAIT | WAIT_BITSET => {
            let value = call.load(at, 4)?;
            if value != expected.to_le_bytes() {
                return Err(Errno::EAGAIN.into());
            }
            match timeout {
                Some(wanted) if operation == WAIT => {
                    time::pass(call, wanted.nanos());
                    Ok(TIMED_OUT.reply())
                }
                // Until a time, and not for one.
                Some(wanted) => {
                    let clock = if how & REAL_TIME == 0 { 1 } else { 0 };
                    time::wait_until(call, clock, wanted.parts(), TIMED_OUT.reply())
                }
                None => Err(NoResult::unsupported(
                    "a deadlock: waiting for ever on a futex",
                )),
            }
        }
        CMP_REQUEUE | WAKE_OP => Err(NoResult::unsupported("this operation of futex")),
        6..=8 | 11..=13 => Err(NoResult::unsupported("a futex that inherits priority")),
        _ => Err(Errno::ENOSYS.into()),
    }
}

/// What has nothing to do for one process.
fn succeeds(_: &mut SystemCall<'_>) -> CallResult {
    done()
}

fn own_process(call: &SystemCall<'_>, i: usize) -> Result<(), Errno> {
    let pid = call.bits(i) as u32;
    if pid != 0 && pid != call.kernel.process.pid {
        return Err(Errno::ESRCH);
    }
    Ok(())
}

fn sched_getaffinity(call: &mut SystemCall<'_>) -> CallResult {
    let (length, at) = (call.bits(1), call.args[2]);
    if length < 8 || !length.is_multiple_of(8) {
        return Err(Errno::EINVAL.into());
    }
    own_process(call, 0)?;
    call.check_write(at, 8)?;
    call.store(at, &1u64.to_le_bytes())?;
    number(8)
}

fn sched_setaffinity(call: &mut SystemCall<'_>) -> CallResult {
    own_process(call, 0)?;
    done()
}

fn getpriority(call: &mut SystemCall<'_>) -> CallResult {
    if call.bits(0) > 2 {
        return Err(Errno::EINVAL.into());
    }
    // Twenty minus the niceness.
    number(20)
}

fn getcpu(call: &mut SystemCall<'_>) -> CallResult {
    for i in 0..2 {
        if call.bits(i) != 0 {
            call.check_write(call.args[i], 4)?;
        }
    }
    for i in 0..2 {
        call.store_if(call.args[i], &[0; 4])?;
    }
    done()
}

fn prctl(call: &mut SystemCall<'_>) -> CallResult {
    const GET_DUMPABLE: u64 = 3;
    const SET_DUMPABLE: u64 = 4;
    const SET_NAME: u64 = 15;
    const GET_NAME: u64 = 16;
    let at = call.args[1];
    match call.bits(0) {
        SET_NAME => {
            call.is_exact();
            let length = call.memory.find_byte(at, 0, 15);
            let length = match length {
                Ok(length) => length.unwrap_or(15),
                // The bytes must be known, or cannot be read.
                Err(_) => {
                    call.load(at, 16)?;
                    15
                }
            };
            let bytes = call.load(at, length)?;
            let name = &mut call.kernel.process_mut().name;
            name.fill(0);
            name[..bytes.len()].copy_from_slice(&bytes);
            done()
        }
        GET_NAME => {
            call.is_exact();
            let name = call.kernel.process.name;
            call.check_write(at, 16)?;
            call.store(at, &name)?;
            done()
        }
        GET_DUMPABLE => number(call.kernel.process.dumpable),
        SET_DUMPABLE => {
            if at.bits > 1 {
                return Err(Errno::EINVAL.into());
            }
            call.kernel.process_mut().dumpable = at.bits;
            done()
        }
        _ => Err(Errno::EINVAL.into()),
    }
}

fn arch_prctl(call: &mut SystemCall<'_>) -> CallResult {
    const SET_GS: u64 = 0x1001;
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    const GET_GS: u64 = 0x1004;
    const GET_CPUID: u64 = 0x1011;
    let at = call.args[1];
    match (call.kernel.abi, call.bits(0)) {
        (Abi::X86_64, SET_FS) => {
            call.kernel.process_mut().thread_pointer = at;
            done()
        }
        (Abi::X86_64, GET_FS) => {
            let pointer = call.kernel.process.thread_pointer;
            if pointer.bits == 0 {
                // The library keeps it to itself.
                return Err(NoResult::unsupported("the segment register fs"));
            }
            call.check_write(at, 8)?;
            let stored = call.memory.store_word(at, 8, pointer);
            stored.map_err(NoResult::Fault)?;
            done()
        }
        (Abi::X86_64, SET_GS | GET_GS) => Err(NoResult::unsupported("the segment register gs")),
        (Abi::X86_64, GET_CPUID) => {
            call.is_one_of(call_table::MACHINE);
            number(1)
        }
        (Abi::X86_64 | Abi::Riscv64, _) => {
            // Processors and versions of Linux have others.
            call.is_one_of(call_table::MACHINE);
            Err(Errno::EINVAL.into())
        }
    }
}
