//! The list of exceptions: what breaks a rule today, with its present size.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Problem, Rule};

/// Exceptions by rule and subject, each with the largest amount that is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exceptions {
    allowed: BTreeMap<(Rule, String), Exception>,
}

/// How far a rule may be broken, and why it is better to leave it so.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exception {
    most: usize,
    why: String,
}

/// A line of the list that cannot be read or gives no reason.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "exceptions.txt, line {line}: expected a rule, a number, what it is about and a reason, as in `file-lines 646 crates/a/src/b.rs # one table`"
)]
pub struct ExceptionsError {
    /// The number of the line.
    pub line: usize,
}

const HEAD: &str = "# What breaks a rule of the house today: rule, present size, what it is about, and after # the reason why it stays so.\n\
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
            let Some((subject, why)) = subject.split_once(" # ") else {
                return Err(error);
            };
            let exception = Exception {
                most: amount,
                why: why.to_owned(),
            };
            allowed.insert((rule, subject.to_owned()), exception);
        }
        Ok(Exceptions { allowed })
    }

    /// The list as text.
    pub fn print(&self) -> String {
        let mut text = HEAD.to_owned();
        for ((rule, subject), Exception { most, why }) in &self.allowed {
            writeln!(text, "{} {most} {subject} # {why}", rule.name())
                .expect("strings take all that is written");
        }
        text
    }

    /// One sentence for each problem that is not excepted and each exception that is larger than needed.
    pub fn judge(&self, problems: &[Problem]) -> Vec<String> {
        let mut said = Vec::new();
        for problem in problems {
            let allowed = self.allowed.get(&(problem.rule, problem.subject.clone()));
            if allowed.is_none_or(|allowed| problem.amount > allowed.most) {
                said.push(format!(
                    "{}: {}: {}",
                    problem.rule.name(),
                    problem.subject,
                    problem.message
                ));
            }
        }
        let lowered = self.lowered(problems);
        for ((rule, subject), exception) in &self.allowed {
            if lowered.allowed.get(&(*rule, subject.clone())) != Some(exception) {
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
            if let Some(exception) = self.allowed.get(&key) {
                let most = problem.amount.min(exception.most);
                let why = exception.why.clone();
                allowed.insert(key, Exception { most, why });
            }
        }
        Exceptions { allowed }
    }

    /// A list that excepts all of these problems for one reason.
    pub fn of(problems: &[Problem], why: &str) -> Exceptions {
        let entry = |problem: &Problem| {
            let exception = Exception {
                most: problem.amount,
                why: why.to_owned(),
            };
            ((problem.rule, problem.subject.clone()), exception)
        };
        Exceptions {
            allowed: problems.iter().map(entry).collect(),
        }
    }
}
