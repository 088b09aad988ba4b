//! What a program of `tests/programs` must give, and how a run differs from it.
//!
//! The expectation stands in the program's first lines; `tests/programs/README.md` explains them.

use std::path::Path;

/// A finding that must be there.
#[derive(Debug)]
struct ExpectedFinding {
    kind: String,
    line: u64,
    words: String,
}

/// A test that must be there.
#[derive(Debug)]
struct ExpectedTest {
    of_error: bool,
    /// Names and values.
    inputs: Vec<(String, u128)>,
}

/// What a program must give.
#[derive(Debug)]
pub struct Expectation {
    paths: Option<(u64, u64)>,
    findings: Vec<ExpectedFinding>,
    tests: Vec<ExpectedTest>,
    /// Flags of the run.
    pub flags: Vec<String>,
    partial: Option<String>,
    exit: i32,
}

/// A test that was written.
#[derive(Debug)]
pub struct SeenTest {
    /// Whether it leads to an error.
    pub of_error: bool,
    /// Names and contents.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// A finding that was reported.
#[derive(Debug)]
pub struct SeenFinding {
    /// Its kind.
    pub kind: String,
    /// Its line, 0 if not known.
    pub line: u64,
    /// Its message.
    pub message: String,
}

/// What a run gave.
#[derive(Debug)]
pub struct Seen {
    /// Paths to the end, and into an error.
    pub paths: (u64, u64),
    /// Findings.
    pub findings: Vec<SeenFinding>,
    /// Tests.
    pub tests: Vec<SeenTest>,
    /// What ended the run early and what it left out; empty if it is complete.
    pub incomplete: Vec<String>,
    /// The exit code.
    pub exit: i32,
}

impl Expectation {
    /// Reads the first lines of a program; `None` if it is not one of the set.
    ///
    /// # Panics
    /// If a line is malformed.
    pub fn read(file: &Path) -> Option<Expectation> {
        let text = std::fs::read_to_string(file).expect("programs are readable text");
        let mut found = Expectation {
            paths: None,
            findings: Vec::new(),
            tests: Vec::new(),
            flags: Vec::new(),
            partial: None,
            exit: -1,
        };
        let name = file.display();
        for line in text.lines() {
            let Some(rest) = line.strip_prefix("//@ ") else {
                continue;
            };
            let (key, value) = rest
                .split_once(": ")
                .unwrap_or_else(|| panic!("{name}: expected \"//@ KEY: VALUE\", found {line}"));
            let wrong = || -> ! { panic!("{name}: cannot read \"{line}\"") };
            match key {
                "paths" => found.paths = Some(paths(value).unwrap_or_else(|| wrong())),
                "finding" => found
                    .findings
                    .push(finding(value).unwrap_or_else(|| wrong())),
                "test" => found.tests.push(test(value).unwrap_or_else(|| wrong())),
                "run" => found
                    .flags
                    .extend(value.split_whitespace().map(str::to_string)),
                "partial" => found.partial = Some(value.to_string()),
                "exit" => found.exit = value.parse().unwrap_or_else(|_| wrong()),
                "native" | "why" => {}
                other => panic!("{name}: the key {other} is not known"),
            }
        }
        (found.exit >= 0).then_some(found)
    }

    /// The same, but paths and tests may be others.
    pub fn differences_but_paths(&self, seen: &Seen) -> Vec<String> {
        let all = self.differences(seen).into_iter();
        all.filter(|what| !what.starts_with("paths: ") && !what.starts_with("missing test: "))
            .collect()
    }

    /// How a run differs from what it must give; empty if it does not.
    pub fn differences(&self, seen: &Seen) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(paths) = self.paths
            && paths != seen.paths
        {
            all.push(format!(
                "paths: expected {} and {} errors, got {} and {}",
                paths.0, paths.1, seen.paths.0, seen.paths.1
            ));
        }
        let mut unexpected: Vec<&SeenFinding> = seen.findings.iter().collect();
        for wanted in &self.findings {
            match unexpected.iter().position(|f| wanted.is(f)) {
                Some(at) => drop(unexpected.remove(at)),
                None => all.push(format!(
                    "missing finding: {} {} {}",
                    wanted.kind, wanted.line, wanted.words
                )),
            }
        }
        for finding in unexpected {
            all.push(format!(
                "unexpected finding: {} {} {}",
                finding.kind, finding.line, finding.message
            ));
        }
        for wanted in &self.tests {
            if !seen.tests.iter().any(|t| wanted.is(t)) {
                let error = if wanted.of_error { "error " } else { "" };
                all.push(format!("missing test: {error}{:?}", wanted.inputs));
            }
        }
        match &self.partial {
            Some(word) if !seen.incomplete.iter().any(|what| what.contains(word)) => {
                all.push(format!(
                    "expected partial by {word}, got {:?}",
                    seen.incomplete
                ));
            }
            None if !seen.incomplete.is_empty() => {
                all.push(format!("not complete: {:?}", seen.incomplete));
            }
            Some(_) | None => {}
        }
        if self.exit != seen.exit {
            all.push(format!(
                "exit code: expected {}, got {}",
                self.exit, seen.exit
            ));
        }
        all
    }
}

impl SeenFinding {
    /// Its kind and line.
    pub fn place(&self) -> (String, u64) {
        (self.kind.clone(), self.line)
    }
}

impl ExpectedFinding {
    fn is(&self, seen: &SeenFinding) -> bool {
        let message = seen.message.to_lowercase();
        seen.kind == self.kind
            && seen.line == self.line
            && message.contains(&self.words.to_lowercase())
    }
}

impl ExpectedTest {
    fn is(&self, seen: &SeenTest) -> bool {
        seen.of_error == self.of_error
            && self.inputs.iter().all(|(name, value)| {
                let mut objects = seen.objects.iter();
                objects.any(|(n, bytes)| n == name && is_little_endian(bytes, *value))
            })
    }
}

/// Whether these bytes are this number.
fn is_little_endian(bytes: &[u8], value: u128) -> bool {
    let wanted = value.to_le_bytes();
    let (low, high) = bytes.split_at(bytes.len().min(wanted.len()));
    low == &wanted[..low.len()]
        && wanted[low.len()..].iter().all(|b| *b == 0)
        && high.iter().all(|b| *b == 0)
}

/// `3 completed, 1 errors`.
fn paths(text: &str) -> Option<(u64, u64)> {
    let (completed, errors) = text.split_once(" completed, ")?;
    let errors = errors.strip_suffix(" errors")?;
    Some((completed.parse().ok()?, errors.parse().ok()?))
}

/// `ptr 14 outside`.
fn finding(text: &str) -> Option<ExpectedFinding> {
    let mut parts = text.splitn(3, ' ');
    Some(ExpectedFinding {
        kind: parts.next()?.to_string(),
        line: parts.next()?.parse().ok()?,
        words: parts.next().unwrap_or("").to_string(),
    })
}

/// `x=10`, `error x=0x10 y=3`.
fn test(text: &str) -> Option<ExpectedTest> {
    let inputs = text.strip_prefix("error ");
    let input = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let value = match value.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        Some((name.to_string(), value))
    };
    Some(ExpectedTest {
        of_error: inputs.is_some(),
        inputs: inputs
            .unwrap_or(text)
            .split_whitespace()
            .map(input)
            .collect::<Option<_>>()?,
    })
}

#[test]
fn values_are_compared_as_little_endian_numbers() {
    assert!(is_little_endian(&[0x34, 0x12, 0, 0], 0x1234));
    assert!(!is_little_endian(&[0x12, 0x34], 0x1234));
    assert!(!is_little_endian(&[0x34], 0x1234));
    assert!(!is_little_endian(&[0x34, 0x12, 1], 0x1234));
}

#[test]
fn what_is_missing_or_too_much_is_named() {
    let wanted = Expectation {
        paths: Some((1, 1)),
        findings: vec![finding("div 7 zero").expect("well formed")],
        tests: vec![test("error y=0").expect("well formed")],
        flags: Vec::new(),
        partial: None,
        exit: 1,
    };
    let mut seen = Seen {
        paths: (1, 1),
        findings: vec![SeenFinding {
            kind: "div".to_string(),
            line: 7,
            message: "Division by Zero".to_string(),
        }],
        tests: vec![SeenTest {
            of_error: true,
            objects: vec![("y".to_string(), vec![0; 4])],
        }],
        incomplete: Vec::new(),
        exit: 1,
    };
    assert_eq!(wanted.differences(&seen), Vec::<String>::new());
    seen.findings[0].line = 8;
    seen.tests[0].of_error = false;
    seen.incomplete.push("paths were left out".to_string());
    seen.exit = 0;
    seen.paths = (2, 0);
    assert_eq!(wanted.differences(&seen).len(), 6);
}
