//! What a program printed and returned on a test, and whether a native run did the same.
//!
//! # Problem
//!
//! For a whole program the end alone says little: `wc` ends with 0 on every input. What
//! it wrote says whether it took the same path.
//!
//! # Idea
//!
//! `testNNNNNN.expect` beside a test is a JSON object with the exit code or the signal, and
//! what went to standard output, standard error and sockets, one character per byte. Outputs are cut at
//! [`OUTPUT_LIMIT`] bytes; then only the beginning is compared.
//!
//! # Soundness
//!
//! Every key that is there is compared. Two things are weaker, and said: what
//! goes to standard error is mostly the C library's wording, so it counts only on demand; and if
//! the program did not end by itself, or is recorded with an error or as not followed to its end, the shorter output need only
//! be the beginning of the longer one, because output in the buffers is lost in a crash and a run
//! whose error did not show goes on.
//!
//! # Cost
//!
//! One small file per test.

use crate::build::NativeProgram;
use crate::expected_end::{Agreement, ExpectedEnd};
use crate::run::{End, NativeRun};
use serde_json::{Map, Value};
use std::fmt;
use std::io;
use std::path::Path;

/// How much of an output is recorded.
pub const OUTPUT_LIMIT: usize = 64 << 10;
/// How much of an output a difference shows.
const EXCERPT: usize = 16;

/// What should happen on a test; what is not known is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedOutput {
    /// The exit code, if the program ends by itself.
    pub exit: Option<i32>,
    /// The signal, if it ends by one.
    pub signal: Option<i32>,
    /// What it writes to standard output.
    pub stdout: Option<Vec<u8>>,
    /// What it writes to standard error.
    pub stderr: Option<Vec<u8>>,
    /// What it sends to each of those at the other ends of its sockets.
    pub sockets: Option<Vec<Vec<u8>>>,
    /// Is an output of [`OUTPUT_LIMIT`] bytes only the beginning? Longer ones are cut in any case.
    pub cut: bool,
}

/// Why a file is no expectation.
#[derive(Debug, thiserror::Error)]
pub enum ExpectedOutputError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is not JSON.
    #[error("expected a JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no object.
    #[error("expected a JSON object with keys among exit, signal, stdout, stderr, sockets and cut")]
    NoObject,
    /// A key that means nothing.
    #[error("key {key}: expected one of exit, signal, stdout, stderr, sockets and cut")]
    Key {
        /// The key.
        key: String,
    },
    /// A value of the wrong kind.
    #[error("key {key}: expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl ExpectedOutput {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut object = Map::new();
        let mut cut = self.cut;
        let numbers = [("exit", self.exit), ("signal", self.signal)];
        for (key, number) in numbers {
            if let Some(number) = number {
                object.insert(key.to_string(), number.into());
            }
        }
        let mut text = |bytes: &Vec<u8>| -> Value {
            cut |= bytes.len() > OUTPUT_LIMIT;
            let kept = &bytes[..bytes.len().min(OUTPUT_LIMIT)];
            let text: String = kept.iter().map(|byte| char::from(*byte)).collect();
            text.into()
        };
        for (key, output) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if let Some(bytes) = output {
                object.insert(key.to_string(), text(bytes));
            }
        }
        if let Some(sockets) = &self.sockets {
            let sockets: Vec<Value> = sockets.iter().map(text).collect();
            object.insert("sockets".to_string(), sockets.into());
        }
        if cut {
            object.insert("cut".to_string(), true.into());
        }
        let mut bytes = Value::Object(object).to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// If they are no expectation; a key that means nothing is an error, because it may be a
    /// misspelled one that should be compared.
    pub fn read(bytes: &[u8]) -> Result<ExpectedOutput, ExpectedOutputError> {
        let Value::Object(object) = serde_json::from_slice(bytes)? else {
            return Err(ExpectedOutputError::NoObject);
        };
        let mut read = ExpectedOutput::default();
        for (key, value) in object {
            let expected = match key.as_str() {
                "exit" => {
                    number(&value, 0..=255, "an exit code from 0 to 255").map(|n| read.exit = n)
                }
                "signal" => {
                    number(&value, 1..=64, "a signal from 1 to 64").map(|n| read.signal = n)
                }
                "stdout" => output(&value).map(|bytes| read.stdout = bytes),
                "stderr" => output(&value).map(|bytes| read.stderr = bytes),
                "sockets" => outputs(&value).map(|all| read.sockets = all),
                "cut" => match value {
                    Value::Bool(cut) => {
                        read.cut = cut;
                        Ok(())
                    }
                    _ => Err("true or false"),
                },
                _ => return Err(ExpectedOutputError::Key { key }),
            };
            expected.map_err(|expected| ExpectedOutputError::Value { key, expected })?;
        }
        Ok(read)
    }

    /// The expectation beside a test, if there is one.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn beside(test: &Path) -> Result<Option<ExpectedOutput>, ExpectedOutputError> {
        match cairn_home::read_file(&test.with_extension("expect")) {
            Ok(bytes) => ExpectedOutput::read(&bytes).map(Some),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Compares with a native run of a test for which this was recorded besides.
    pub fn judge(
        &self,
        record: &ExpectedEnd,
        native_run: &NativeRun,
        program: &NativeProgram,
    ) -> Judgement {
        let agreement = match (record, self.signal, &native_run.end) {
            (ExpectedEnd::Normal, Some(signal), end) => {
                if *end == End::Signal(signal) {
                    Agreement::Reached
                } else {
                    Agreement::NotReached
                }
            }
            (ExpectedEnd::Normal, None, end)
            | (ExpectedEnd::Error(_) | ExpectedEnd::Early, _, end) => record.judge(end, program),
        };
        let agreement = match (&native_run.end, self.exit) {
            (End::Exit(found), Some(expected)) if *found != expected => Agreement::NotReached,
            _ => agreement,
        };
        if agreement == Agreement::NotReached {
            return Judgement {
                agreement,
                output: None,
                errors: None,
            };
        }
        let whole = *record == ExpectedEnd::Normal && matches!(native_run.end, End::Exit(_));
        let compared = |stream, expected: &Option<Vec<u8>>, found: &[u8]| {
            OutputDifference::between(stream, expected.as_deref()?, found, self.cut, whole)
        };
        let output = compared("stdout", &self.stdout, &native_run.output).or_else(|| {
            let expected = self.sockets.iter().flatten();
            let mut pairs = expected.zip(&native_run.sent);
            pairs.find_map(|(expected, sent)| {
                OutputDifference::between("a socket", expected, sent, self.cut, whole)
            })
        });
        let errors = compared("stderr", &self.stderr, &native_run.errors);
        let agreement = match output {
            Some(_) => Agreement::NotReached,
            None => agreement,
        };
        Judgement {
            agreement,
            output,
            errors,
        }
    }
}

impl fmt::Display for ExpectedOutput {
    /// The end, in the words of [`End`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exit, self.signal) {
            (_, Some(signal)) => write!(f, "{}", End::Signal(signal)),
            (Some(code), None) => write!(f, "{}", End::Exit(code)),
            (None, None) => write!(f, "a normal end"),
        }
    }
}

fn number(
    value: &Value,
    range: std::ops::RangeInclusive<i64>,
    expected: &'static str,
) -> Result<Option<i32>, &'static str> {
    if value.is_null() {
        return Ok(None);
    }
    let number = value.as_i64().filter(|number| range.contains(number));
    let number = number.and_then(|number| i32::try_from(number).ok());
    number.map(Some).ok_or(expected)
}

fn output(value: &Value) -> Result<Option<Vec<u8>>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => {
            let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
            let expected = "a string with a character up to U+00FF for each byte";
            bytes.map(Some).ok_or(expected)
        }
        _ => Err("a string"),
    }
}

fn outputs(value: &Value) -> Result<Option<Vec<Vec<u8>>>, &'static str> {
    let expected = "a list of strings";
    match value {
        Value::Null => Ok(None),
        Value::Array(all) => {
            let all = all.iter().map(|value| output(value)?.ok_or(expected));
            all.collect::<Result<_, _>>().map(Some)
        }
        _ => Err(expected),
    }
}

/// Whether a run did what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The agreement about the end and standard output.
    pub agreement: Agreement,
    /// How standard output differs, or else what went to a socket.
    pub output: Option<OutputDifference>,
    /// How standard error differs; the agreement does not depend on it.
    pub errors: Option<OutputDifference>,
}

/// Where an output differs from what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputDifference {
    /// `stdout`, `stderr` or `a socket`.
    pub stream: &'static str,
    /// The first byte that differs, counted from 0.
    pub offset: usize,
    /// What was expected from there on, cut short.
    pub expected: Vec<u8>,
    /// What was found from there on, cut short.
    pub found: Vec<u8>,
}

impl OutputDifference {
    fn between(
        stream: &'static str,
        expected: &[u8],
        found: &[u8],
        cut: bool,
        whole: bool,
    ) -> Option<OutputDifference> {
        let pairs = expected.iter().zip(found);
        let same = pairs.take_while(|(a, b)| a == b).count();
        let only_beginning = cut && expected.len() == OUTPUT_LIMIT;
        let equal = match (same == expected.len(), same == found.len()) {
            (true, true) => true,
            (true, false) => only_beginning || !whole,
            (false, true) => !whole,
            (false, false) => false,
        };
        let excerpt = |bytes: &[u8]| bytes[same..bytes.len().min(same + EXCERPT)].to_vec();
        (!equal).then(|| OutputDifference {
            stream,
            offset: same,
            expected: excerpt(expected),
            found: excerpt(found),
        })
    }
}

impl fmt::Display for OutputDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |bytes: &[u8]| match bytes {
            [] => "its end".to_string(),
            _ => format!("\"{}\"", bytes.escape_ascii()),
        };
        write!(
            f,
            "{} differs at byte {}: expected {}, found {}",
            self.stream,
            self.offset,
            shown(&self.expected),
            shown(&self.found)
        )
    }
}
