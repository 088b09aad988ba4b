//! Witnesses in format 2.0: what others need to check a verdict.
//!
//! That a property is violated is shown by the values of the inputs in the order of their calls, then the place of the violation. That it
//! holds is shown by invariants; none are known here yet, and an empty set is a witness.

use crate::DataModel;
use crate::sha256;
use chrono::{DateTime, SecondsFormat, Utc};
use std::fmt::Write as _;
use std::time::SystemTime;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPosition {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is known.
    pub column: Option<u32>,
    /// The function it is in.
    pub function: Option<String>,
}

/// A call that returned an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnedInput {
    /// The parenthesis that closes the call.
    pub at: WitnessPosition,
    /// The value as a literal.
    pub value: String,
}

/// What a witness says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessContent {
    /// The property is violated: these calls return these values, then the target is reached.
    Violation {
        /// The calls in order.
        returned: Vec<ReturnedInput>,
        /// Where the violation is.
        target: WitnessPosition,
    },
    /// The property holds.
    Correctness,
}

/// What a witness is about.
#[derive(Clone, Debug)]
pub struct WitnessMetadata<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// When it was made.
    pub created: SystemTime,
    /// The name of the program's file.
    pub file: &'a str,
    /// The bytes of the file.
    pub source: &'a [u8],
    /// The text of the property file.
    pub specification: &'a str,
    /// How wide types are.
    pub data_model: DataModel,
}

/// The text of a witness.
pub fn witness(metadata: &WitnessMetadata<'_>, content: &WitnessContent) -> String {
    let mut text = String::new();
    let kind = match content {
        WitnessContent::Violation { .. } => "violation_sequence",
        WitnessContent::Correctness => "invariant_set",
    };
    let hash = sha256(metadata.source);
    let created: DateTime<Utc> = metadata.created.into();
    let created = created.to_rfc3339_opts(SecondsFormat::Secs, true);
    let file = quoted(metadata.file);
    let _ = write!(
        text,
        "- entry_type: \"{kind}\"\n\
         \x20 metadata:\n\
         \x20   format_version: \"2.0\"\n\
         \x20   uuid: \"{}\"\n\
         \x20   creation_time: \"{created}\"\n\
         \x20   producer:\n\
         \x20     name: \"Cairn\"\n\
         \x20     version: {}\n\
         \x20   task:\n\
         \x20     input_files:\n\
         \x20       - {file}\n\
         \x20     input_file_hashes:\n\
         \x20       {file}: \"{hash}\"\n\
         \x20     specification: {}\n\
         \x20     data_model: \"{}\"\n\
         \x20     language: \"C\"\n",
        uuid(&hash, &created, kind),
        quoted(metadata.version),
        quoted(metadata.specification),
        metadata.data_model,
    );
    match content {
        WitnessContent::Correctness => text += "  content: []\n",
        WitnessContent::Violation { returned, target } => {
            text += "  content:\n";
            for call in returned {
                text += "    - segment:\n        - waypoint:\n            type: \"function_return\"\n            action: \"follow\"\n";
                let _ = write!(
                    text,
                    "            constraint:\n              value: {}\n              format: \"acsl_expression\"\n",
                    quoted(&format!("\\result == {}", call.value))
                );
                location(&mut text, metadata.file, &call.at);
            }
            text += "    - segment:\n        - waypoint:\n            type: \"target\"\n            action: \"follow\"\n";
            location(&mut text, metadata.file, target);
        }
    }
    text
}

fn location(text: &mut String, file: &str, at: &WitnessPosition) {
    let _ = write!(
        text,
        "            location:\n              file_name: {}\n              line: {}\n",
        quoted(file),
        at.line
    );
    if let Some(column) = at.column {
        let _ = writeln!(text, "              column: {column}");
    }
    if let Some(function) = &at.function {
        let _ = writeln!(text, "              function: {}", quoted(function));
    }
}

/// A string of YAML in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An identifier that is the same for the same witness only, in the form of a UUID of version 8.
fn uuid(hash: &str, created: &str, kind: &str) -> String {
    let digits = sha256(format!("{hash} {created} {kind} {}", std::process::id()).as_bytes());
    format!(
        "{}-{}-8{}-a{}-{}",
        &digits[0..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}
