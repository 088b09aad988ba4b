//! Watching a process until it ends or the time is over.
//!
//! # Problem
//!
//! The process may hang, flood its output or leave children behind.
//!
//! # Idea
//!
//! It leads a process group, threads read its outputs, and at its end or when the time is over the
//! whole group is killed.
//!
//! # Soundness
//!
//! The group is killed before its leader is waited for, whether the leader has ended or not, so its number
//! cannot belong to another group. Output beyond a limit is read and dropped.
//!
//! # Cost
//!
//! Two threads, and a look at the process every 20 ms at most.

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, prlimit, waitid,
};
use std::io::{self, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How much of each output is kept.
const KEPT: usize = 1 << 20;
/// The largest file that a program may write.
pub(crate) const LARGEST_FILE: u64 = 1 << 30;

/// Limits what a process that was just started may leave: no image of a crash, no huge file.
pub(crate) fn limit(child: &Child) {
    for (resource, most) in [(Resource::Core, 0), (Resource::Fsize, LARGEST_FILE)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // It may have ended already, or may have lower limits.
        let _ = prlimit(Some(Pid::from_child(child)), resource, limit);
    }
}

/// What a process left.
pub(crate) struct Watched<T> {
    /// How it ended.
    pub status: std::process::ExitStatus,
    /// Was the time over before that?
    pub timed_out: bool,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: Vec<u8>,
    /// What was done at its end.
    pub at_end: T,
}

/// Reads a child's output until it ends or the time is over, then ends its whole group. Something is done
/// between its end and the moment when its number may belong to another.
pub(crate) fn watch<T>(
    child: &mut Child,
    timeout: Duration,
    at_end: impl FnOnce() -> T,
) -> io::Result<Watched<T>> {
    let deadline = Instant::now() + timeout;
    let (done, finished) = channel();
    let output = keep(child.stdout.take(), done.clone());
    let errors = keep(child.stderr.take(), done);
    let group = Pid::from_child(child);
    // Both outputs end when the process does, unless it left children: so waiting for them is
    // waiting for it, and a look at the process now and then is enough for the rest.
    let mut patience = Duration::from_millis(1);
    let timed_out = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        pause(&finished, patience.min(left));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(group), options)?.is_some() {
            break false;
        }
        if left.is_zero() {
            break true;
        }
        patience = (patience * 2).min(Duration::from_millis(20));
    };
    // The leader was not waited for, so the number of the group is still its own. An empty group is no error.
    let _ = kill_process_group(group, Signal::KILL);
    let at_end = at_end();
    let status = child.wait()?;
    // A process that left the group may hold the pipes open for ever.
    for _ in 0..2 {
        pause(&finished, Duration::from_millis(200));
    }
    Ok(Watched {
        status,
        timed_out,
        output: taken(&output),
        errors: taken(&errors),
        at_end,
    })
}

/// Waits until one output has ended, or that long.
fn pause(finished: &Receiver<()>, time: Duration) {
    match finished.recv_timeout(time) {
        Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        // Both have ended: what is left is the process itself.
        Err(RecvTimeoutError::Disconnected) => {
            std::thread::sleep(time.min(Duration::from_micros(200)));
        }
    }
}

type SharedBytes = Arc<Mutex<Vec<u8>>>;

/// Reads all of an output and keeps its beginning.
fn keep(source: Option<impl Read + Send + 'static>, done: Sender<()>) -> SharedBytes {
    let kept = SharedBytes::default();
    let shared = Arc::clone(&kept);
    if let Some(mut source) = source {
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(|e| e.into_inner());
                let room = KEPT - kept.len();
                kept.extend_from_slice(&buffer[..count.min(room)]);
            }
            // It fails if the receiver is gone.
            let _ = done.send(());
        });
    }
    kept
}

fn taken(kept: &SharedBytes) -> Vec<u8> {
    std::mem::take(&mut kept.lock().unwrap_or_else(|e| e.into_inner()))
}
