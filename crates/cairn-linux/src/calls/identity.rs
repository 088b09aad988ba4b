//! Who the process is.

use super::{CallFamily, SystemCall, done, number};
use crate::Errno;
use crate::call_table::Varies::{Decides, Tells};
use crate::call_table::{ALONE, PRIVILEGE, PROCESS, USER};
use crate::reply::CallResult;

pub(super) const CALLS: CallFamily = &[
    ("getpid", "", Tells(PROCESS), getpid),
    ("gettid", "", Tells(PROCESS), own_number),
    ("getppid", "", Tells(PROCESS), getppid),
    ("getpgrp", "", Tells(PROCESS), own_number),
    ("getpgid", "i", Decides(PROCESS), getpgid),
    ("setpgid", "ii", Decides(ALONE), setpgid),
    ("getsid", "i", Decides(PROCESS), getpgid),
    ("setsid", "", Decides(ALONE), setsid),
    ("getuid", "", Tells(USER), getuid),
    ("geteuid", "", Tells(USER), geteuid),
    ("getgid", "", Tells(USER), getgid),
    ("getegid", "", Tells(USER), getegid),
    ("getresuid", "ppp", Tells(USER), getresuid),
    ("getresgid", "ppp", Tells(USER), getresgid),
    ("setuid", "i", Decides(PRIVILEGE), setuid),
    ("setgid", "i", Decides(PRIVILEGE), setgid),
    ("setreuid", "ii", Decides(PRIVILEGE), setreuid),
    ("setregid", "ii", Decides(PRIVILEGE), setregid),
    ("setresuid", "iii", Decides(PRIVILEGE), setreuid),
    ("setresgid", "iii", Decides(PRIVILEGE), setregid),
    ("setfsuid", "i", Tells(USER), geteuid),
    ("setfsgid", "i", Tells(USER), getegid),
    ("getgroups", "ip", Tells(USER), getgroups),
    ("setgroups", "ip", Decides(PRIVILEGE), setgroups),
];

fn getpid(call: &mut SystemCall<'_>) -> CallResult {
    let pid = call.kernel.process.pid;
    call.kernel.tell("pid", pid.to_le_bytes().to_vec());
    number(u64::from(pid))
}

/// The number of the only thread, and of the group that the process leads.
fn own_number(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.pid))
}

fn getppid(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.pid.saturating_sub(1)))
}

fn getpgid(call: &mut SystemCall<'_>) -> CallResult {
    let own = call.kernel.process.pid;
    match call.u32(0) {
        0 => number(u64::from(own)),
        pid if pid == own => number(u64::from(own)),
        _ => Err(Errno::ESRCH.into()),
    }
}

fn setpgid(call: &mut SystemCall<'_>) -> CallResult {
    let own = call.kernel.process.pid;
    if call.int(1) < 0 {
        return Err(Errno::EINVAL.into());
    }
    if !matches!(call.u32(0), pid if pid == 0 || pid == own) {
        return Err(Errno::ESRCH.into());
    }
    // It leads its session, whose group cannot be changed.
    Err(Errno::EPERM.into())
}

fn setsid(_: &mut SystemCall<'_>) -> CallResult {
    Err(Errno::EPERM.into())
}

fn getuid(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.real.uid))
}

fn geteuid(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.identity.uid))
}

fn getgid(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.real.gid))
}

fn getegid(call: &mut SystemCall<'_>) -> CallResult {
    number(u64::from(call.kernel.process.identity.gid))
}

fn put_three(call: &mut SystemCall<'_>, values: [u32; 3]) -> CallResult {
    for i in 0..3 {
        call.check_write(call.args[i], 4)?;
    }
    for (i, value) in values.into_iter().enumerate() {
        call.store(call.args[i], &value.to_le_bytes())?;
    }
    done()
}

fn getresuid(call: &mut SystemCall<'_>) -> CallResult {
    let process = &call.kernel.process;
    let (real, effective) = (process.real.uid, process.identity.uid);
    put_three(call, [real, effective, process.real.uid])
}

fn getresgid(call: &mut SystemCall<'_>) -> CallResult {
    let process = &call.kernel.process;
    let (real, effective) = (process.real.gid, process.identity.gid);
    put_three(call, [real, effective, process.real.gid])
}

fn setuid(call: &mut SystemCall<'_>) -> CallResult {
    let uid = call.u32(0);
    if uid == u32::MAX {
        return Err(Errno::EINVAL.into());
    }
    let process = &call.kernel.process;
    if process.identity.uid == 0 {
        let process = call.kernel.process_mut();
        process.identity.uid = uid;
        process.real.uid = uid;
        return done();
    }
    if uid != process.real.uid {
        return Err(Errno::EPERM.into());
    }
    call.kernel.process_mut().identity.uid = uid;
    done()
}

fn setgid(call: &mut SystemCall<'_>) -> CallResult {
    let gid = call.u32(0);
    if gid == u32::MAX {
        return Err(Errno::EINVAL.into());
    }
    let process = &call.kernel.process;
    if process.identity.uid == 0 {
        let process = call.kernel.process_mut();
        process.identity.gid = gid;
        process.real.gid = gid;
        return done();
    }
    if gid != process.real.gid {
        return Err(Errno::EPERM.into());
    }
    call.kernel.process_mut().identity.gid = gid;
    done()
}

/// What real and effective become; a third, saved one goes with the real one.
fn chosen(call: &SystemCall<'_>, real: u32, effective: u32) -> Result<(u32, u32), Errno> {
    let pick = |wanted: u32, now: u32| if wanted == u32::MAX { now } else { wanted };
    let new = (pick(call.u32(0), real), pick(call.u32(1), effective));
    let known = |id: u32| id == real || id == effective;
    if call.kernel.process.identity.uid != 0 && !(known(new.0) && known(new.1)) {
        return Err(Errno::EPERM);
    }
    Ok(new)
}

fn setreuid(call: &mut SystemCall<'_>) -> CallResult {
    let process = &call.kernel.process;
    let (real, effective) = chosen(call, process.real.uid, process.identity.uid)?;
    let process = call.kernel.process_mut();
    process.real.uid = real;
    process.identity.uid = effective;
    done()
}

fn setregid(call: &mut SystemCall<'_>) -> CallResult {
    let process = &call.kernel.process;
    let (real, effective) = chosen(call, process.real.gid, process.identity.gid)?;
    let process = call.kernel.process_mut();
    process.real.gid = real;
    process.identity.gid = effective;
    done()
}

fn getgroups(call: &mut SystemCall<'_>) -> CallResult {
    let (room, at) = (call.int(0), call.args[1]);
    if room < 0 {
        return Err(Errno::EINVAL.into());
    }
    if room > 0 {
        call.check_write(at, 4)?;
        let gid = call.kernel.process.real.gid;
        call.store(at, &gid.to_le_bytes())?;
    }
    number(1)
}

fn setgroups(call: &mut SystemCall<'_>) -> CallResult {
    if call.kernel.process.identity.uid != 0 {
        return Err(Errno::EPERM.into());
    }
    done()
}
