//! Property files: what is asked of a program.

use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is asked of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// A function is never called.
    UnreachCall(String),
    /// Memory is used as it should be: these rules hold.
    MemorySafety(Vec<Violation>),
    /// All memory is freed when the program ends.
    MemoryCleanup,
    /// No operation of a signed type leaves the range of the type.
    NoOverflow,
    /// All executions end.
    Termination,
    /// A test suite is wanted that has a call of a function.
    CoverCall(String),
    /// A test suite is wanted that takes all branches.
    CoverBranches,
}

/// How a property is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Violation {
    /// The function is called.
    Call,
    /// An access outside of a live object.
    Dereference,
    /// A `free` of what is no beginning of a live heap object.
    Free,
    /// Memory that was not freed and that nothing points to.
    Tracking,
    /// Memory that was not freed when the program ended.
    Cleanup,
    /// An operation left the range of its type.
    Overflow,
}

impl Violation {
    /// The property or part of one that a verdict names.
    pub fn name(self) -> &'static str {
        match self {
            Violation::Call => "unreach-call",
            Violation::Dereference => "valid-deref",
            Violation::Free => "valid-free",
            Violation::Tracking => "valid-memtrack",
            Violation::Cleanup => "valid-memcleanup",
            Violation::Overflow => "no-overflow",
        }
    }
}

impl Property {
    /// Its usual name.
    pub fn name(&self) -> &'static str {
        match self {
            Property::UnreachCall(_) => "unreach-call",
            Property::MemorySafety(_) => "valid-memsafety",
            Property::MemoryCleanup => "valid-memcleanup",
            Property::NoOverflow => "no-overflow",
            Property::Termination => "termination",
            Property::CoverCall(_) => "coverage-error-call",
            Property::CoverBranches => "coverage-branches",
        }
    }

    /// Whether the answer is a test suite and no verdict.
    pub fn wants_tests(&self) -> bool {
        match self {
            Property::CoverCall(_) | Property::CoverBranches => true,
            Property::UnreachCall(_)
            | Property::MemorySafety(_)
            | Property::MemoryCleanup
            | Property::NoOverflow
            | Property::Termination => false,
        }
    }

    /// The function whose calls it is about.
    pub fn function(&self) -> Option<&str> {
        match self {
            Property::UnreachCall(function) | Property::CoverCall(function) => Some(function),
            Property::MemorySafety(_)
            | Property::MemoryCleanup
            | Property::NoOverflow
            | Property::Termination
            | Property::CoverBranches => None,
        }
    }
}

/// A property as a file states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyFile {
    /// The property.
    pub property: Property,
    /// The function that the program starts with.
    pub entry: String,
    /// The text of the file, as witnesses repeat it.
    pub text: String,
}

/// What is wrong with a property file.
#[derive(Debug, Error)]
pub enum PropertyError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is not understood.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was expected.
        what: String,
    },
    /// The lines do not make one property.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was expected.
        what: &'static str,
    },
}

/// One line of a property file.
#[derive(Debug, PartialEq, Eq)]
enum PropertyLine {
    Whole(Property),
    Memory(Violation),
}

impl PropertyFile {
    /// Reads a property file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Self, PropertyError> {
        let text = std::fs::read_to_string(path).map_err(|source| PropertyError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Self::parse(path, &text)
    }

    /// Understands the text of a property file, which messages call by this path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(path: &Path, text: &str) -> Result<Self, PropertyError> {
        let mut clauses = Vec::new();
        let mut entry: Option<String> = None;
        for (i, line) in text.lines().enumerate() {
            let wrong = |what: String| PropertyError::Line {
                path: path.to_path_buf(),
                line: i + 1,
                what,
            };
            let words: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            if words.is_empty() {
                continue;
            }
            let (start, clause) = clause(&words).map_err(wrong)?;
            if entry.as_ref().is_some_and(|entry| *entry != start) {
                return Err(wrong(format!(
                    "starts with {start} where the lines before start with another function"
                )));
            }
            entry = Some(start);
            clauses.push(clause);
        }
        let file = |what| PropertyError::File {
            path: path.to_path_buf(),
            what,
        };
        let entry = entry.ok_or_else(|| {
            file("no property: expected a line such as CHECK( init(main()), LTL(G ! call(reach_error())) )")
        })?;
        let property = combined(clauses).map_err(file)?;
        Ok(PropertyFile {
            property,
            entry,
            text: text.trim_end().to_string(),
        })
    }
}

/// The property that several lines state together: rules about memory, or one other.
fn combined(mut clauses: Vec<PropertyLine>) -> Result<Property, &'static str> {
    if clauses.len() == 1
        && let Some(PropertyLine::Whole(_)) = clauses.first()
        && let Some(PropertyLine::Whole(property)) = clauses.pop()
    {
        return Ok(property);
    }
    let mut rules = Vec::new();
    for clause in clauses {
        match clause {
            PropertyLine::Memory(rule) => rules.push(rule),
            PropertyLine::Whole(_) => {
                return Err(
                    "several properties: expected one, or valid-deref, valid-free and valid-memtrack together",
                );
            }
        }
    }
    rules.sort_unstable();
    rules.dedup();
    Ok(Property::MemorySafety(rules))
}

/// The text between a beginning and an end.
fn inside<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    text.strip_prefix(begin)?.strip_suffix(end)
}

/// The function that a line starts with, and what it states; all spaces are taken out.
fn clause(line: &str) -> Result<(String, PropertyLine), String> {
    const FORM: &str =
        "expected CHECK( init(main()), LTL(...) ) or COVER( init(main()), FQL(...) )";
    let of = |begin: &str, end: &str| {
        let rest = inside(line, begin, end)?;
        let (start, formula) = rest.split_once("()),")?;
        let entry = start.strip_prefix("init(")?;
        Some((entry.to_string(), formula.to_string()))
    };
    if let Some((entry, formula)) = of("CHECK(", ")") {
        let formula = inside(&formula, "LTL(", ")").ok_or(FORM)?;
        return Ok((entry, checked(formula)?));
    }
    if let Some((entry, goal)) = of("COVER(", ")") {
        let goal = inside(&goal, "FQL(", ")").ok_or(FORM)?;
        return Ok((entry, covered(goal)?));
    }
    Err(FORM.to_string())
}

fn checked(formula: &str) -> Result<PropertyLine, String> {
    if let Some(function) = inside(formula, "G!call(", "())") {
        return Ok(PropertyLine::Whole(Property::UnreachCall(
            function.to_string(),
        )));
    }
    Ok(match formula {
        "Gvalid-deref" => PropertyLine::Memory(Violation::Dereference),
        "Gvalid-free" => PropertyLine::Memory(Violation::Free),
        "Gvalid-memtrack" => PropertyLine::Memory(Violation::Tracking),
        "Gvalid-memcleanup" => PropertyLine::Whole(Property::MemoryCleanup),
        "G!overflow" => PropertyLine::Whole(Property::NoOverflow),
        "Fend" => PropertyLine::Whole(Property::Termination),
        "G!data-race" => {
            return Err("data races are not looked for: threads are not modelled".to_string());
        }
        other => {
            return Err(format!(
                "unknown formula {other}: expected G ! call(F()), G valid-free, G valid-deref, \
                 G valid-memtrack, G valid-memcleanup, G ! overflow or F end"
            ));
        }
    })
}

fn covered(goal: &str) -> Result<PropertyLine, String> {
    if let Some(function) = inside(goal, "COVEREDGES(@CALL(", "))") {
        return Ok(PropertyLine::Whole(Property::CoverCall(
            function.to_string(),
        )));
    }
    match goal {
        "COVEREDGES(@DECISIONEDGE)" => Ok(PropertyLine::Whole(Property::CoverBranches)),
        other => Err(format!(
            "unknown goal {other}: expected COVER EDGES(@CALL(F)) or COVER EDGES(@DECISIONEDGE)"
        )),
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
