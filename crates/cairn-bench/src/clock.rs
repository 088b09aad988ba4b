//! CPU time, which does not count what other programs on the machine do.

use std::time::Duration;

fn read(clock: libc::clockid_t) -> Duration {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a valid clock id and a place to write to.
    let status = unsafe { libc::clock_gettime(clock, &mut t) };
    assert_eq!(status, 0, "the CPU clocks exist on every Linux");
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

/// CPU time of this thread so far.
pub fn thread() -> Duration {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of the whole process so far.
pub fn process() -> Duration {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the programs that this one started and waited for.
pub fn children() -> Duration {
    // SAFETY: an all-zero value is valid for this plain structure, and it is written below.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: a valid request and a place to write to.
    let status = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    assert_eq!(status, 0, "the request is valid on every Linux");
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, 1_000 * t.tv_usec as u32);
    time(usage.ru_utime) + time(usage.ru_stime)
}
