//! The machine and what the process may use of it.

use super::{CallFamily, SystemCall, done, offset};
use crate::Errno;
use crate::call_table::Varies::{Decides, Exact, Tells};
use crate::call_table::{CLOCK, MACHINE, PRIVILEGE};
use crate::kernel::LIMIT_FILES;
use crate::reply::CallResult;

pub(super) const CALLS: CallFamily = &[
    ("uname", "p", Tells(MACHINE), uname),
    ("sethostname", "--", Decides(PRIVILEGE), not_permitted),
    ("sysinfo", "p", Tells(MACHINE), sysinfo),
    ("getrlimit", "ip", Tells(MACHINE), getrlimit),
    ("setrlimit", "ip", Tells(MACHINE), setrlimit),
    ("prlimit64", "iipp", Decides(MACHINE), prlimit64),
    ("getrusage", "ip", Tells(CLOCK), getrusage),
    ("mount", "-----", Decides(PRIVILEGE), not_permitted),
    ("umount2", "--", Decides(PRIVILEGE), not_permitted),
    ("chroot", "-", Decides(PRIVILEGE), not_permitted),
    ("reboot", "----", Decides(PRIVILEGE), not_permitted),
    ("riscv_flush_icache", "---", Exact, nothing),
];

fn not_permitted(_: &mut SystemCall<'_>) -> CallResult {
    Err(Errno::EPERM.into())
}

fn nothing(_: &mut SystemCall<'_>) -> CallResult {
    done()
}

fn uname(call: &mut SystemCall<'_>) -> CallResult {
    let machine = call.kernel.abi.machine();
    let texts = ["Linux", "cairn", "6.1.0", "#1 SMP", machine, "(none)"];
    let mut bytes = Vec::new();
    for (i, text) in texts.into_iter().enumerate() {
        bytes.extend(text.as_bytes());
        bytes.resize(65 * (i + 1), 0);
    }
    call.check_write(call.args[0], 390)?;
    call.store(call.args[0], &bytes)?;
    done()
}

fn sysinfo(call: &mut SystemCall<'_>) -> CallResult {
    // Uptime, three loads, then memory: all, free, shared, buffers, swap, free swap.
    let words: [u64; 10] = [1000, 0, 0, 0, 8 << 30, 4 << 30, 0, 0, 0, 0];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(112, 0);
    // One process; sizes count bytes.
    bytes[80] = 1;
    bytes[104] = 1;
    call.check_write(call.args[0], 112)?;
    call.store(call.args[0], &bytes)?;
    done()
}

/// The resource that an argument names.
fn limit(call: &SystemCall<'_>, i: usize) -> Result<usize, Errno> {
    let resource = call.bits(i) as u32 as usize;
    if resource >= call.kernel.process.limits.len() {
        return Err(Errno::EINVAL);
    }
    Ok(resource)
}

/// The soft and the hard limit in memory.
fn load_limit(
    call: &SystemCall<'_>,
    at: cairn_memory::Word,
) -> Result<(u64, u64), crate::reply::NoResult> {
    let soft = call.load_u64(at)?.bits;
    let hard = call.load_u64(offset(at, 8))?.bits;
    Ok((soft, hard))
}

/// Whether the process may set a limit.
fn check_limit(
    call: &SystemCall<'_>,
    resource: usize,
    (soft, hard): (u64, u64),
) -> Result<(), Errno> {
    if soft > hard {
        return Err(Errno::EINVAL);
    }
    // Not even the superuser has more descriptors.
    if resource == LIMIT_FILES && hard > 1 << 20 {
        return Err(Errno::EPERM);
    }
    let process = &call.kernel.process;
    if process.identity.uid != 0 && hard > process.limits[resource].1 {
        return Err(Errno::EPERM);
    }
    Ok(())
}

fn store_limit(call: &mut SystemCall<'_>, at: cairn_memory::Word, limit: (u64, u64)) -> CallResult {
    call.check_write(at, 16)?;
    call.store(at, &limit.0.to_le_bytes())?;
    call.store(offset(at, 8), &limit.1.to_le_bytes())?;
    done()
}

fn getrlimit(call: &mut SystemCall<'_>) -> CallResult {
    let resource = limit(call, 0)?;
    let limit = call.kernel.process.limits[resource];
    store_limit(call, call.args[1], limit)
}

fn setrlimit(call: &mut SystemCall<'_>) -> CallResult {
    let new = load_limit(call, call.args[1])?;
    let resource = limit(call, 0)?;
    check_limit(call, resource, new)?;
    call.kernel.process_mut().limits[resource] = new;
    done()
}

fn prlimit64(call: &mut SystemCall<'_>) -> CallResult {
    let (pid, new, old) = (call.u32(0), call.args[2], call.args[3]);
    let new = if new.bits == 0 {
        None
    } else {
        Some(load_limit(call, new)?)
    };
    if pid != 0 && pid != call.kernel.process.pid {
        return Err(Errno::ESRCH.into());
    }
    let resource = limit(call, 1)?;
    let before = call.kernel.process.limits[resource];
    if let Some(new) = new {
        check_limit(call, resource, new)?;
    }
    if old.bits != 0 {
        store_limit(call, old, before)?;
    }
    if let Some(new) = new {
        call.kernel.process_mut().limits[resource] = new;
    }
    done()
}

fn getrusage(call: &mut SystemCall<'_>) -> CallResult {
    const SELF: i32 = 0;
    const CHILDREN: i32 = -1;
    const THREAD: i32 = 1;
    let who = call.int(0);
    if ![SELF, CHILDREN, THREAD].contains(&who) {
        return Err(Errno::EINVAL.into());
    }
    let mut bytes = vec![0; 144];
    if who != CHILDREN {
        let micros = call.kernel.process.elapsed / 1000;
        bytes[..8].copy_from_slice(&(micros / 1_000_000).to_le_bytes());
        bytes[8..16].copy_from_slice(&(micros % 1_000_000).to_le_bytes());
    }
    call.check_write(call.args[1], 144)?;
    call.store(call.args[1], &bytes)?;
    done()
}
