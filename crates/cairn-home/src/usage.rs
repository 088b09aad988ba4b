//! What the process has used, as the kernel tells it under `/proc`.

use std::time::Duration;

/// Processor time of all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In the program.
    pub user: Duration,
    /// In the kernel for it.
    pub system: Duration,
}

/// Processor time so far.
pub fn cpu_time() -> Option<CpuTime> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process may contain anything; fields are counted after it.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    // The kernel reports hundredths of a second, whatever its own clock.
    let mut next = || {
        Some(Duration::from_millis(
            fields.next()?.parse::<u64>().ok()? * 10,
        ))
    };
    Some(CpuTime {
        user: next()?,
        system: next()?,
    })
}

/// Processor time of all threads, user and system.
pub fn cpu_seconds() -> Option<f64> {
    cpu_time().map(|time| (time.user + time.system).as_secs_f64())
}

/// The most memory that was resident.
pub fn peak_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The memory that is resident. It is asked for often, so it is read from the shorter of the files.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
