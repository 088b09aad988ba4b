//! The list of exceptions: what breaks a rule today, with its present size.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Problem, Rule};

/// Exceptions by rule and subject, each with the largest amount that is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exceptions {
    allowed: BTreeMap<(Rule, String), usize>,
}

/// A line of the list that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "exceptions.txt, line {line}: expected a rule, a number and what it is about, as in `file-lines 646 crates/a/src/b.rs`"
)]
pub struct ExceptionsError {
    /// The number of the line.
    pub line: usize,
}

const HEAD: &str = "# What breaks a rule of the house today: rule, present size, what it is about.\n\
                    # Entries get smaller and go; BLESS=1 cargo test -p cairn-tidy lowers them.\n";

impl Exceptions {
    /// Reads the list.
    ///
    /// # Errors
    /// If a line is not of the form that the message names.
    pub fn parse(text: &str) -> Result<Exceptions, ExceptionsError> {
        let mut allowed = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let error = ExceptionsError { line: at + 1 };
            let mut words = line.splitn(3, ' ');
            let (Some(rule), Some(amount), Some(subject)) =
                (words.next(), words.next(), words.next())
            else {
                return Err(error);
            };
            let rule = Rule::ALL.into_iter().find(|known| known.name() == rule);
            let (Some(rule), Ok(amount)) = (rule, amount.parse()) else {
                return Err(error);
            };
            allowed.insert((rule, subject.to_owned()), amount);
        }
        Ok(Exceptions { allowed })
    }

    /// The list as text.
    pub fn print(&self) -> String {
        let mut text = HEAD.to_owned();
        for ((rule, subject), amount) in &self.allowed {
            writeln!(text, "{} {amount} {subject}", rule.name())
                .expect("strings take all that is written");
        }
        text
    }

    /// One sentence for each problem that is not excepted and each exception that is larger than needed.
    pub fn judge(&self, problems: &[Problem]) -> Vec<String> {
        let mut said = Vec::new();
        for problem in problems {
            let allowed = self.allowed.get(&(problem.rule, problem.subject.clone()));
            if allowed.is_none_or(|allowed| problem.amount > *allowed) {
                said.push(format!(
                    "{}: {}: {}",
                    problem.rule.name(),
                    problem.subject,
                    problem.message
                ));
            }
        }
        let lowered = self.lowered(problems);
        for ((rule, subject), amount) in &self.allowed {
            if lowered.allowed.get(&(*rule, subject.clone())) != Some(amount) {
                said.push(format!(
                    "{}: {subject}: the exception is larger than needed: BLESS=1 cargo test -p cairn-tidy lowers it",
                    rule.name()
                ));
            }
        }
        said
    }

    /// The list with each entry lowered to what is needed, and without those that are not.
    pub fn lowered(&self, problems: &[Problem]) -> Exceptions {
        let mut allowed = BTreeMap::new();
        for problem in problems {
            let key = (problem.rule, problem.subject.clone());
            if let Some(most) = self.allowed.get(&key) {
                allowed.insert(key, problem.amount.min(*most));
            }
        }
        Exceptions { allowed }
    }

    /// A list that excepts all of these problems: how the list began.
    pub fn of(problems: &[Problem]) -> Exceptions {
        let entry = |problem: &Problem| ((problem.rule, problem.subject.clone()), problem.amount);
        Exceptions {
            allowed: problems.iter().map(entry).collect(),
        }
    }
}
