//! Functions of the host, called in a process of their own.
//!
//! # Problem
//!
//! KLEE calls undefined functions of a program in its own process. A function that crashes ends KLEE, or
//! has to be caught by a signal handler that knows little about the cause.
//!
//! # Idea
//!
//! A second process of the same binary (`--external-call-server`) makes the calls. A request
//! has the function, its arguments, and copies of the objects that pointers point into; the answer
//! has the result and the objects as they are now. If that process dies, the path that called ends
//! with an error and the next call starts a new one.
//!
//! - **What is called.** Functions in `external_table.rs`: the program form has no C types, and a guess at
//!   whether an argument is a double would give wrong answers. Functions that make processes, end
//!   them or change files are not in it.
//!
//! # Soundness
//!
//! A path with such a call holds for the host's answer only, which the engine notes (`calls/externals.rs`).
//! Pointers inside of objects are passed as they are. A result that points to memory of the host would be an
//! address that the program cannot use; pointers that functions of the table return are null or point
//! into an argument.
//!
//! # Cost
//!
//! Two context switches and a copy of each object to and fro.

use super::external_table::SIGNATURES;
use super::messages::Messages;
use cairn_engine::{ExternalCall, ExternalPolicy, ExternalReply, Externals, PassedAs, Signature};
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The word that makes a process a server.
pub const SERVER: &str = "--external-call-server";

fn passed(letter: char) -> Option<PassedAs> {
    match letter {
        'i' => Some(PassedAs::Integer),
        'p' => Some(PassedAs::Pointer),
        'd' => Some(PassedAs::Double),
        _ => None,
    }
}

/// The host, as `cairn klee` uses it.
#[derive(Debug)]
pub struct Host {
    policy: ExternalPolicy,
    messages: Arc<Messages>,
    server: Mutex<Option<Server>>,
}

impl Host {
    /// A host whose calls are said.
    pub fn new(policy: ExternalPolicy, messages: Arc<Messages>) -> Self {
        Host {
            policy,
            messages,
            server: Mutex::new(None),
        }
    }
}

/// How often a call that takes long looks whether it should be given up.
const PATIENCE: Duration = Duration::from_millis(50);

/// A process that makes calls.
#[derive(Debug)]
struct Server {
    child: Child,
    /// Its answers, read by a thread so that a call can be given up.
    replies: Receiver<io::Result<ExternalReply>>,
}

impl Server {
    fn start() -> io::Result<Server> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (send, replies) = mpsc::channel();
        std::thread::spawn(move || {
            loop {
                let reply = read_reply(&mut output);
                let last = reply.is_err();
                if send.send(reply).is_err() || last {
                    return;
                }
            }
        });
        Ok(Server { child, replies })
    }

    fn exchange(
        &mut self,
        call: &ExternalCall,
        give_up: &dyn Fn() -> bool,
    ) -> io::Result<ExternalReply> {
        let input = self.child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(&request(call))?;
        input.flush()?;
        loop {
            match self.replies.recv_timeout(PATIENCE) {
                Ok(reply) => return reply,
                Err(RecvTimeoutError::Timeout) if !give_up() => {}
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
            }
        }
    }
}

impl Drop for Server {
    /// It keeps nothing that is worth waiting for.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Externals for Host {
    fn policy(&self) -> ExternalPolicy {
        self.policy
    }

    fn signature(&self, name: &str) -> Option<Signature> {
        let (_, params, result) = SIGNATURES.iter().find(|(n, ..)| *n == name)?;
        Some(Signature {
            params: params.chars().filter_map(passed).collect(),
            result: passed(*result),
        })
    }

    fn call(
        &self,
        call: &ExternalCall,
        give_up: &dyn Fn() -> bool,
    ) -> Result<ExternalReply, String> {
        let mut place = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = match place.take() {
            Some(server) => server,
            None => Server::start().map_err(|e| e.to_string())?,
        };
        // A server that crashed, or whose state is unknown, is not used again.
        let reply = server.exchange(call, give_up).map_err(|e| e.to_string())?;
        *place = Some(server);
        Ok(reply)
    }

    fn calling(&self, name: &str, args: &[u64], place: &str) {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        // KLEE sets the column apart by a blank.
        let place = match place.rsplit_once(':') {
            Some((line, column)) if line.contains(':') => format!("{line} {column}"),
            Some(_) => place.to_string(),
            None => "[no debug info]".to_string(),
        };
        let text = format!("calling external: {name}({}) at {place}", args.join(", "));
        self.messages.warn_once(name, &text);
    }
}

fn request(call: &ExternalCall) -> Vec<u8> {
    let mut request = Vec::new();
    put_bytes(&mut request, call.name.as_bytes());
    put(&mut request, letter(call.result));
    put(&mut request, call.args.len() as u64);
    for argument in &call.args {
        put(&mut request, letter(Some(argument.passed)));
        put(&mut request, argument.bits);
    }
    put(&mut request, call.objects.len() as u64);
    for (base, bytes) in &call.objects {
        put(&mut request, *base);
        put_bytes(&mut request, bytes);
    }
    request
}

fn read_reply(from: &mut impl Read) -> io::Result<ExternalReply> {
    let result = get(from)?;
    let objects = (0..get(from)?).map(|_| get_bytes(from));
    Ok(ExternalReply {
        result,
        objects: objects.collect::<io::Result<_>>()?,
    })
}

/// How something is passed, as a number of the protocol.
pub(super) fn letter(passed: Option<PassedAs>) -> u64 {
    match passed {
        None => 0,
        Some(PassedAs::Integer) => 1,
        Some(PassedAs::Pointer) => 2,
        Some(PassedAs::Double) => 3,
    }
}

pub(super) fn put(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(super) fn get(from: &mut impl Read) -> io::Result<u64> {
    let mut word = [0; 8];
    from.read_exact(&mut word)?;
    Ok(u64::from_le_bytes(word))
}

pub(super) fn get_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = get(from)?;
    let mut bytes = Vec::new();
    let read = from.take(length).read_to_end(&mut bytes)?;
    if read as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_fits_the_registers() {
        for (name, params, result) in SIGNATURES {
            let integers = params.chars().filter(|c| "ip".contains(*c)).count();
            let doubles = params.chars().filter(|c| *c == 'd').count();
            assert_eq!(integers + doubles, params.len(), "{name}");
            assert!(integers <= 6 && doubles <= 8, "{name}");
            assert!("ipdv".contains(*result), "{name}");
        }
    }
}
