//! The peers at the other ends of a program's sockets.
//!
//! # Problem
//!
//! A test has the bytes that peers send (`socket0`, `socket1`, …). In a native run a server has to meet
//! these peers, at an address that only the server knows.
//!
//! # Idea
//!
//! A thread looks up in `/proc` which sockets of the process listen, or receive datagrams. To the first
//! that it finds it connects once for each peer, in their order, sends the peer's bytes and nothing
//! after them, and keeps the answer. If the process then sleeps in a call that waits for files, no peer is
//! left to wait for: it is sent `SIGTERM`, and `SIGKILL` if it waits again, as in the model of Linux.
//!
//! # Soundness
//!
//! All connections are on this machine. Peers close first, so the program's port is free at once for the
//! next test. If the thread does not find the socket, the program waits until the time-out, which ends the
//! run and is reported.
//!
//! - **What it is not.** A program that connects by itself gets no peer of the test, only a server that
//!   happens to listen there; the bytes of the test's peers are not sent.
//!
//! # Cost
//!
//! A thread for the process and one for each peer; a look at `/proc` every few milliseconds.

use rustix::net::sockopt::set_tcp_cork;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a look at the process waits for the next one.
const BETWEEN_LOOKS: Duration = Duration::from_millis(3);
/// How often in a row a process must be seen waiting.
const LOOKS: u32 = 12;
/// How long a connection or a read may take until the end of the run is looked for.
const PATIENCE: Duration = Duration::from_millis(100);
/// How much of what a peer is sent is kept.
const KEPT: usize = 1 << 20;

/// System calls that wait for files: read, readv, poll, select, accept, recvfrom, recvmsg, epoll_wait,
/// pselect6, ppoll, epoll_pwait, accept4.
const WAITING_CALLS: [&str; 12] = [
    "0", "19", "7", "23", "43", "45", "47", "232", "270", "271", "281", "288",
];

/// Those at the other ends of the sockets of one process.
pub(crate) struct Peers {
    over: Arc<AtomicBool>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
    thread: Option<JoinHandle<()>>,
}

/// A socket that peers can reach.
#[derive(Debug, PartialEq, Eq)]
enum Door {
    Stream(SocketAddr),
    Datagrams(SocketAddr),
    LocalStream(PathBuf),
    LocalDatagrams(PathBuf),
}

impl Peers {
    /// Starts to look after a process that runs in a folder. Nothing is done without peers.
    pub fn start(child: &Child, folder: Option<&Path>, bytes: &[Vec<u8>]) -> Peers {
        let over = Arc::new(AtomicBool::new(false));
        let received = Arc::new(Mutex::new(vec![Vec::new(); bytes.len()]));
        let meeting = Meeting {
            process: Pid::from_child(child),
            folder: folder.unwrap_or(Path::new(".")).to_path_buf(),
            bytes: bytes.to_vec(),
            over: Arc::clone(&over),
            received: Arc::clone(&received),
        };
        let thread = (!bytes.is_empty()).then(|| std::thread::spawn(move || meeting.run()));
        Peers {
            over,
            received,
            thread,
        }
    }

    /// The process has ended: what each of them was sent.
    pub fn finish(mut self) -> Vec<Vec<u8>> {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that failed has received nothing.
            let _ = thread.join();
        }
        std::mem::take(&mut self.received.lock().unwrap_or_else(|e| e.into_inner()))
    }
}

struct Meeting {
    process: Pid,
    folder: PathBuf,
    bytes: Vec<Vec<u8>>,
    over: Arc<AtomicBool>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Meeting {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn run(&self) {
        let door = loop {
            if self.is_over() {
                return;
            }
            match self.door() {
                Some(door) => break door,
                None => std::thread::sleep(BETWEEN_LOOKS),
            }
        };
        let mut readers = Vec::new();
        for peer in 0..self.bytes.len() {
            if self.is_over() {
                break;
            }
            readers.extend(self.meet(&door, peer));
        }
        self.end_if_waiting();
        for reader in readers {
            let _ = reader.join();
        }
    }

    /// One peer comes: the thread that reads what it is sent.
    fn meet(&self, door: &Door, peer: usize) -> Option<JoinHandle<()>> {
        let bytes = &self.bytes[peer];
        match door {
            Door::Stream(address) => {
                let mut stream =
                    TcpStream::connect_timeout(address, Duration::from_secs(5)).ok()?;
                // Bytes and their end go together, so that the program cannot close first: its port
                // would be taken for a minute.
                set_tcp_cork(&stream, true).ok()?;
                // A program that closed the connection wants none of it.
                let _ = stream.write_all(bytes);
                let _ = stream.shutdown(Shutdown::Write);
                stream.set_read_timeout(Some(PATIENCE)).ok()?;
                Some(self.read(peer, move |buffer| stream.read(buffer), false))
            }
            Door::LocalStream(path) => {
                let mut stream = UnixStream::connect(path).ok()?;
                let _ = stream.write_all(bytes);
                let _ = stream.shutdown(Shutdown::Write);
                stream.set_read_timeout(Some(PATIENCE)).ok()?;
                Some(self.read(peer, move |buffer| stream.read(buffer), false))
            }
            Door::Datagrams(address) => {
                let own: IpAddr = match address {
                    SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                    SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
                };
                let socket = UdpSocket::bind((own, 0)).ok()?;
                socket.send_to(bytes, address).ok()?;
                socket.set_read_timeout(Some(PATIENCE)).ok()?;
                Some(self.read(peer, move |buffer| socket.recv(buffer), true))
            }
            Door::LocalDatagrams(path) => {
                let socket = UnixDatagram::unbound().ok()?;
                // The socket has no address, so the program cannot answer.
                let _ = socket.send_to(bytes, path);
                None
            }
        }
    }

    /// Keeps what a peer is sent until its end, or until the run is over and nothing comes any more.
    fn read(
        &self,
        peer: usize,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize> + Send + 'static,
        datagrams: bool,
    ) -> JoinHandle<()> {
        let (over, received) = (Arc::clone(&self.over), Arc::clone(&self.received));
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match read(&mut buffer) {
                    Ok(0) if !datagrams => return,
                    Ok(count) => {
                        let mut all = received.lock().unwrap_or_else(|e| e.into_inner());
                        let room = KEPT.saturating_sub(all[peer].len());
                        all[peer].extend_from_slice(&buffer[..count.min(room)]);
                    }
                    Err(e) if is_wait(&e) && !over.load(Ordering::Relaxed) => {}
                    Err(_) => return,
                }
            }
        })
    }

    /// Ends a process that waits for another peer.
    fn end_if_waiting(&self) {
        let mut signals = [Signal::TERM, Signal::KILL].into_iter();
        let (mut seen, mut before) = (0, None);
        while !self.is_over() {
            std::thread::sleep(BETWEEN_LOOKS);
            let now = self.waits();
            seen = if now.is_some() && now == before {
                seen + 1
            } else {
                0
            };
            before = now;
            if seen < LOOKS {
                continue;
            }
            seen = 0;
            let Some(signal) = signals.next() else { return };
            // It is not waited for before this thread has ended, so its number is its own.
            let _ = kill_process(self.process, signal);
        }
    }

    /// If the process sleeps in a call that waits for files: the time that it has used.
    fn waits(&self) -> Option<String> {
        let folder = self.proc();
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // The name of the program, in parentheses, may hold anything.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        if fields.first() != Some(&"S") {
            return None;
        }
        if let Ok(call) = fs::read_to_string(folder.join("syscall")) {
            let number = call.split_whitespace().next()?;
            if !WAITING_CALLS.contains(&number) {
                return None;
            }
        }
        Some(fields.get(11..13)?.join(" "))
    }

    fn proc(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}", self.process.as_raw_nonzero()))
    }

    /// The first socket of the process that peers can reach.
    fn door(&self) -> Option<Door> {
        let mut inodes = Vec::new();
        for entry in fs::read_dir(self.proc().join("fd")).ok()? {
            let target = fs::read_link(entry.ok()?.path()).unwrap_or_default();
            let inode = target.to_str().and_then(|t| t.strip_prefix("socket:["));
            if let Some(inode) = inode.and_then(|inode| inode.strip_suffix(']')) {
                inodes.push(inode.to_string());
            }
        }
        if inodes.is_empty() {
            return None;
        }
        let table = |name: &str| fs::read_to_string(self.proc().join("net").join(name));
        let tables = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];
        for (name, state) in tables {
            let Ok(text) = table(name) else { continue };
            let found = text
                .lines()
                .find_map(|line| internet_door(line, state, &inodes));
            if let Some(address) = found {
                return Some(match name {
                    "tcp" | "tcp6" => Door::Stream(address),
                    _ => Door::Datagrams(address),
                });
            }
        }
        let text = table("unix").ok()?;
        text.lines()
            .find_map(|line| local_door(line, &inodes, &self.folder))
    }
}

fn is_wait(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

/// Where a socket of these is reached that a line of a table of internet sockets describes, if it is in
/// this state.
fn internet_door(line: &str, state: &str, inodes: &[String]) -> Option<SocketAddr> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let inode = *fields.get(9)?;
    if *fields.get(3)? != state || !inodes.iter().any(|own| own == inode) {
        return None;
    }
    let (address, port) = fields.get(1)?.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    // Words in the order of this machine.
    let mut bytes = Vec::new();
    for at in (0..address.len()).step_by(8) {
        let word = u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let address: IpAddr = match bytes.len() {
        4 => Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?).into(),
        _ => Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into(),
    };
    let address = match address {
        IpAddr::V4(any) if any.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(any) if any.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => other,
    };
    Some(SocketAddr::new(address, port))
}

/// Where a socket of these is reached that a line of the table of local sockets describes.
fn local_door(line: &str, inodes: &[String], folder: &Path) -> Option<Door> {
    const LISTENS: u32 = 0x10000;
    let mut fields = line.split_whitespace().skip(3);
    let flags = u32::from_str_radix(fields.next()?, 16).ok()?;
    let kind = fields.next()?;
    let inode = fields.nth(1)?;
    let path = fields.next()?;
    if !inodes.iter().any(|own| own == inode) || path.starts_with('@') {
        return None;
    }
    let path = folder.join(path);
    match kind {
        "0001" if flags & LISTENS != 0 => Some(Door::LocalStream(path)),
        "0002" => Some(Door::LocalDatagrams(path)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_that_can_be_reached_are_found_in_the_tables() {
        let inodes = ["4711".to_string()];
        let line = "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 \
                    1000 0 4711 1 0000000000000000 100 0 0 10 0";
        let found = internet_door(line, "0A", &inodes);
        assert_eq!(found, Some(SocketAddr::from(([127, 0, 0, 1], 8080))));
        assert_eq!(internet_door(line, "07", &inodes), None);
        assert_eq!(internet_door(line, "0A", &["1".to_string()]), None);
        let six = line.replace("00000000:1F90", "00000000000000000000000000000000:0050");
        let found = internet_door(&six, "0A", &inodes);
        assert_eq!(found, Some(SocketAddr::from((Ipv6Addr::LOCALHOST, 80))));

        let line = "ffff: 00000002 00000000 00010000 0001 01 4711 door";
        let found = local_door(line, &inodes, Path::new("/run"));
        assert_eq!(found, Some(Door::LocalStream("/run/door".into())));
        assert_eq!(local_door(line, &[], Path::new("/run")), None);
    }
}
