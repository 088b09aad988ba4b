//! The standard streams of a program on the concrete machine.

use crate::natives::{StandardStreams, Stream};
use std::io::{ErrorKind, Read, Write};

/// Where what the program prints goes, and where what it reads comes from.
pub(crate) struct Streams<'w> {
    /// What standard input is read from.
    pub input: Option<&'w mut dyn Read>,
    held_back: Vec<u8>,
    output: &'w mut dyn Write,
    errors: &'w mut dyn Write,
}

impl<'w> Streams<'w> {
    /// Bytes after which output is handed on.
    const BUFFER: usize = 1 << 16;

    /// Bytes of input that are asked for at once.
    const INPUT: usize = 1 << 16;

    /// Streams without input.
    pub fn new(output: &'w mut dyn Write, errors: &'w mut dyn Write) -> Self {
        Streams {
            input: None,
            held_back: Vec::new(),
            output,
            errors,
        }
    }
}

/// What cannot be written is lost, as with a closed pipe.
impl StandardStreams for Streams<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Output => {
                self.held_back.extend_from_slice(bytes);
                if self.held_back.len() >= Self::BUFFER {
                    self.flush();
                }
            }
            Stream::Errors => {
                let _ = self.errors.write_all(bytes);
            }
        }
    }

    fn flush(&mut self) {
        let _ = self.output.write_all(&self.held_back);
        let _ = self.output.flush();
        self.held_back.clear();
    }

    fn next_input(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; Self::INPUT];
        let read = loop {
            match self.input.as_mut().map_or(Ok(0), |i| i.read(&mut bytes)) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                // What cannot be read is at its end.
                result => break result.unwrap_or(0),
            }
        };
        bytes.truncate(read);
        bytes
    }
}
