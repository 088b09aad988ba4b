//! What a campaign came to.

use super::{Tier, Topic};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// What is wrong with a program's exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramVerdict {
    /// It was said to be complete, and a native run ends as no path does.
    Missed {
        /// The tier of the closest conditions under which it does.
        tier: Tier,
        /// How it ends, and how paths do.
        what: String,
        /// The conditions of the native run.
        conditions: String,
    },
    /// An error was found in a program that has none.
    FalseError(String),
    /// `cairn run` failed.
    Failed(String),
}

/// A program that shows something wrong.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The program's name: its question, or its seed.
    pub program: String,
    /// Its questions.
    pub asks: Vec<String>,
    /// What is wrong.
    pub verdict: ProgramVerdict,
    /// How to run `cairn` on it.
    pub command: String,
    /// Where the source was kept.
    pub file: Option<PathBuf>,
}

impl Disagreement {
    /// One paragraph about it.
    pub fn text(&self) -> String {
        let what = match &self.verdict {
            ProgramVerdict::Missed {
                what, conditions, ..
            } => format!("{what}\n    natively under {conditions}"),
            ProgramVerdict::FalseError(what) => {
                format!("an error in a program without any: {what}")
            }
            ProgramVerdict::Failed(what) => what.clone(),
        };
        format!(
            "{}: {what}\n    asks {}\n    {}",
            self.program,
            self.asks.join("; "),
            self.command
        )
    }
}

/// What was counted about the programs of a topic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Programs that ask a question of the topic.
    pub programs: u64,
    /// Those that `cairn run` explored completely, as it says.
    pub complete: u64,
    /// Those of them with outcomes that no path has, by the tier of the closest conditions.
    pub missed: [u64; 3],
    /// Those in which an error was found though there is none.
    pub false_errors: u64,
    /// Those on which `cairn run` failed.
    pub failed: u64,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Counts by topic; a program of several topics counts for each.
    pub topics: BTreeMap<Topic, Count>,
    /// Counts of all programs, each once.
    pub all: Count,
    /// Native runs.
    pub runs: u64,
    /// Native runs that did not end in time.
    pub endless: u64,
    /// What is wrong.
    pub disagreements: Vec<Disagreement>,
    /// For each program the reasons why it was not explored completely.
    pub incomplete: BTreeMap<String, Vec<String>>,
}

impl Report {
    /// Counts by topic, and sums.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<12}{:>9}{:>10}{:>9}{:>15}{:>15}{:>15}{:>8}{:>8}\n",
            "topic",
            "programs",
            "complete",
            "partial",
            "missed: alike",
            "missed: usual",
            "missed: harsh",
            "false",
            "failed"
        );
        let named = self
            .topics
            .iter()
            .map(|(topic, count)| (topic.name(), count));
        for (name, count) in named.chain([("all", &self.all)]) {
            let partial = count.programs - count.complete;
            let [alike, usual, harsh] = count.missed;
            let (programs, complete) = (count.programs, count.complete);
            let (false_errors, failed) = (count.false_errors, count.failed);
            let _ = writeln!(
                text,
                "{name:<12}{programs:>9}{complete:>10}{partial:>9}{alike:>15}{usual:>15}{harsh:>15}{false_errors:>8}{failed:>8}"
            );
        }
        let _ = writeln!(
            text,
            "{} native runs, {} without an end in time; disagreements: {}",
            self.runs,
            self.endless,
            self.disagreements.len()
        );
        text
    }

    /// The names of programs with disagreements, each on a line with its kind.
    pub fn list(&self) -> String {
        let mut text = String::new();
        for one in &self.disagreements {
            let kind = match &one.verdict {
                ProgramVerdict::Missed { tier, .. } => tier.name(),
                ProgramVerdict::FalseError(_) => "false",
                ProgramVerdict::Failed(_) => "failed",
            };
            let _ = writeln!(text, "{kind:<8}{}", one.program);
        }
        text
    }
}
