//! An external program over pipes, which is not trusted.
//!
//! # Problem
//! The program may be missing, die at any point, never answer, never read, close its
//! input, or print anything at all. None of that may hang Cairn past a deadline, end it, or be
//! taken for an answer.
//!
//! # Idea
//! One thread writes, one reads; both report into one channel, which is waited on with a
//! time limit. Output is split into expressions (a word, or balanced parentheses) before it is
//! interpreted.
//!
//! # Soundness
//! A write into a closed pipe is an error value in the writing thread. Dropping a
//! [`SolverProcess`] kills the program, which ends both threads.
//!
//! # Cost
//! Two threads per program; a few tens of microseconds per exchange.

use crate::{Budget, UnknownReason};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest answer that is read.
const MAX_ANSWER: usize = 1 << 28;
/// How often the cancel flag is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How long a program may go on after it closed its input: its last answer may be on the way.
const GRACE: Duration = Duration::from_millis(500);

enum Event {
    Output(Vec<u8>),
    OutputClosed,
    InputClosed,
}

/// A running program.
pub(super) struct SolverProcess {
    child: Child,
    input: Sender<Vec<u8>>,
    events: Receiver<Event>,
    framer: Framer,
    input_closed: Option<Instant>,
    output_closed: bool,
}

impl Drop for SolverProcess {
    fn drop(&mut self) {
        // Either may fail because the program has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl SolverProcess {
    /// Starts a program; the first word is its name.
    pub(super) fn start(words: &[String]) -> Result<Self, std::io::Error> {
        let (name, arguments) = words
            .split_first()
            .ok_or_else(|| std::io::Error::other("no command"))?;
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipe"));
        };
        // Bounded, so that a program that prints without end is held up and not stored.
        let (report, events) = sync_channel(16);
        let (input, scripts) = channel();
        let from_writer = report.clone();
        thread::spawn(move || write_all(stdin, &scripts, &from_writer));
        thread::spawn(move || read_all(stdout, &report));
        Ok(SolverProcess {
            child,
            input,
            events,
            framer: Framer::default(),
            input_closed: None,
            output_closed: false,
        })
    }

    /// Hands text to the program, without waiting for it to read.
    pub(super) fn send(&self, text: String) {
        // The thread is gone if the program closed its input, which it has reported.
        let _ = self.input.send(text.into_bytes());
    }

    /// Whether the program has printed something unasked, or has ended.
    pub(super) fn is_out_of_step(&mut self) -> bool {
        while let Ok(event) = self.events.try_recv() {
            self.take(event);
        }
        self.output_closed || self.input_closed.is_some() || !self.framer.is_blank()
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Output(bytes) => self.framer.bytes.extend(bytes),
            Event::OutputClosed => self.output_closed = true,
            Event::InputClosed => self.input_closed = Some(Instant::now()),
        }
    }

    /// The next expression that the program prints. It is waited for by the wall clock: this thread takes
    /// no processor time meanwhile.
    pub(super) fn expression(&mut self, budget: &Budget) -> Result<String, UnknownReason> {
        let budget = &budget.by_wall_clock();
        loop {
            if let Some(text) = self.framer.next(self.output_closed) {
                return Ok(text);
            }
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            if self.output_closed {
                return Err(UnknownReason::SolverFailed(self.last_words()));
            }
            if self.framer.bytes.len() > MAX_ANSWER {
                return Err(UnknownReason::SolverFailed(
                    "its answer does not end".to_string(),
                ));
            }
            if self
                .input_closed
                .is_some_and(|since| since.elapsed() > GRACE)
            {
                return Err(UnknownReason::SolverFailed(
                    "it closed its input without answering".to_string(),
                ));
            }
            match self.events.recv_timeout(self.patience(budget)) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.output_closed = true,
            }
        }
    }

    /// How long to wait before looking at the limits again.
    fn patience(&self, budget: &Budget) -> Duration {
        let mut wait = Duration::from_secs(3600);
        if let Some(deadline) = budget.deadline {
            wait = deadline.saturating_duration_since(Instant::now());
        }
        if budget.cancel.is_some() || self.input_closed.is_some() {
            wait = wait.min(POLL);
        }
        wait
    }

    /// How the program ended.
    fn last_words(&mut self) -> String {
        let place = if self.framer.is_blank() {
            "before it answered"
        } else {
            "in the middle of an answer"
        };
        // It closed its output a moment ago; give it another to end.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return format!("it ended {place} ({status})");
            }
            thread::sleep(Duration::from_millis(1));
        }
        format!("it closed its output {place}")
    }
}

fn write_all(
    mut stdin: std::process::ChildStdin,
    scripts: &Receiver<Vec<u8>>,
    report: &SyncSender<Event>,
) {
    while let Ok(text) = scripts.recv() {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() {
            // If this fails, the receiver is gone.
            let _ = report.send(Event::InputClosed);
            return;
        }
    }
}

fn read_all(mut stdout: std::process::ChildStdout, report: &SyncSender<Event>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let event = match stdout.read(&mut buffer) {
            Ok(0) => Event::OutputClosed,
            Ok(n) => Event::Output(buffer[..n].to_vec()),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => Event::OutputClosed,
        };
        let ended = matches!(event, Event::OutputClosed);
        if report.send(event).is_err() || ended {
            return;
        }
    }
}

/// The state of the split of the output into expressions.
#[derive(Clone, Copy, Default, PartialEq)]
enum SplitState {
    #[default]
    Blank,
    Word,
    List,
    String,
    Bars,
    Comment,
}

/// Cuts output into expressions. Looks at each byte once, however it arrives.
#[derive(Default)]
struct Framer {
    bytes: Vec<u8>,
    /// How many bytes have been looked at.
    seen: usize,
    /// Where the current expression starts.
    start: usize,
    depth: u32,
    inside: SplitState,
    /// The state before a comment.
    before_comment: SplitState,
}

impl Framer {
    /// Whether nothing but blanks has arrived since the last expression.
    fn is_blank(&self) -> bool {
        matches!(self.inside, SplitState::Blank | SplitState::Comment)
            && self.bytes[self.seen..].iter().all(u8::is_ascii_whitespace)
    }

    /// The next whole expression. At the end of the output a word needs no blank after it.
    fn next(&mut self, ended: bool) -> Option<String> {
        while let Some(&byte) = self.bytes.get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            match (self.inside, byte) {
                (SplitState::Comment, b'\n') => self.inside = self.before_comment,
                (SplitState::Comment, _) => {}
                (SplitState::Blank, b) if b.is_ascii_whitespace() => {}
                (SplitState::Blank, b';') | (SplitState::List, b';') => {
                    self.before_comment = self.inside;
                    self.inside = SplitState::Comment;
                }
                (SplitState::Blank, b'(') => {
                    (self.start, self.depth, self.inside) = (at, 1, SplitState::List);
                }
                (SplitState::Blank, b'"' | b'|') => {
                    (self.start, self.depth) = (at, 0);
                    self.inside = opened_by(byte);
                }
                (SplitState::Blank, _) => (self.start, self.inside) = (at, SplitState::Word),
                (SplitState::Word, b) if b.is_ascii_whitespace() || b == b'(' => {
                    self.seen = at;
                    return Some(self.cut());
                }
                (SplitState::Word, _) => {}
                (SplitState::List, b'(') => self.depth += 1,
                (SplitState::List, b')') => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.cut());
                    }
                }
                (SplitState::List, b'"' | b'|') => self.inside = opened_by(byte),
                (SplitState::List, _) => {}
                // A doubled quote closes and opens again.
                (SplitState::String, b'"') | (SplitState::Bars, b'|') => {
                    if self.depth == 0 {
                        return Some(self.cut());
                    }
                    self.inside = SplitState::List;
                }
                (SplitState::String | SplitState::Bars, _) => {}
            }
        }
        (ended && self.inside == SplitState::Word).then(|| self.cut())
    }

    /// Takes out what lies between the start and the place that was reached.
    fn cut(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.bytes[self.start..self.seen]).into_owned();
        self.bytes.drain(..self.seen);
        (self.seen, self.start, self.inside) = (0, 0, SplitState::Blank);
        text
    }
}

fn opened_by(byte: u8) -> SplitState {
    if byte == b'"' {
        SplitState::String
    } else {
        SplitState::Bars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a text that arrives in pieces of a given length.
    fn pieces(text: &str, length: usize) -> Vec<String> {
        let mut framer = Framer::default();
        let mut found = Vec::new();
        for chunk in text.as_bytes().chunks(length) {
            framer.bytes.extend(chunk);
            while let Some(e) = framer.next(false) {
                found.push(e);
            }
        }
        found.extend(framer.next(true));
        found
    }

    #[test]
    fn output_is_cut_the_same_however_it_arrives() {
        let text = "sat\n ; a comment ( \n((x #x05)\n(|a ) b| \"q)\"\"(\") ; (\n) \"alone\" unsat(a)(b)end";
        let whole = [
            "sat",
            "((x #x05)\n(|a ) b| \"q)\"\"(\") ; (\n)",
            "\"alone\"",
            "unsat",
            "(a)",
            "(b)",
            "end",
        ];
        for length in 1..=text.len() {
            assert_eq!(pieces(text, length), whole, "in pieces of {length}");
        }
    }
}
