//! The answer to a task.

use super::question::TaskQuestion;
use super::search::TaskAnswer;
use cairn_verify::Violation;
use std::fmt;
use std::time::Duration;

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TaskVerdict {
    /// The property holds.
    True,
    /// It is violated.
    False(Violation),
    /// It was not decided, and why.
    Unknown(String),
    /// The tests that were asked for are written.
    Done,
}

impl fmt::Display for TaskVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskVerdict::True => f.write_str("TRUE"),
            TaskVerdict::False(violation) => write!(f, "FALSE({})", violation.name()),
            TaskVerdict::Unknown(why) => write!(f, "UNKNOWN ({why})"),
            TaskVerdict::Done => f.write_str("DONE"),
        }
    }
}

/// The answer as JSON, with what it took.
pub(super) fn json(question: &TaskQuestion, answer: &TaskAnswer, elapsed: Duration) -> String {
    let (verdict, violated, reason) = match &answer.verdict {
        TaskVerdict::True => ("TRUE", None, None),
        TaskVerdict::False(violation) => ("FALSE", Some(violation.name()), None),
        TaskVerdict::Unknown(why) => ("UNKNOWN", None, Some(why.as_str())),
        TaskVerdict::Done => ("DONE", None, None),
    };
    let found = answer.violation.as_ref();
    let value = serde_json::json!({
        "verdict": verdict,
        "violated": violated,
        "reason": reason,
        "property": question.property.property.name(),
        "program": question.program.display().to_string(),
        "file": found.map(|v| v.place.file.clone()),
        "line": found.map(|v| v.place.line),
        "message": found.map(|v| v.message.clone()),
        "paths": answer.paths,
        "instructions": answer.instructions,
        "attempts": answer.attempts,
        "seconds": elapsed.as_secs_f64(),
    });
    format!("{value:#}\n")
}
