//! Documents: what they name exists, citations resolve, essays have one form, tests do not skip.

use std::collections::BTreeSet;

use crate::repository::Repository;
use crate::rust_source::prose;
use crate::{Problem, Rule};

/// The sections of a technique's module head, in their order.
pub(crate) const HEADINGS: [&str; 7] = [
    "Problem",
    "Idea",
    "What differs",
    "Soundness",
    "Cost",
    "Counters",
    "Source",
];

/// Sections of other names that a head may have after those of a technique.
const OTHER_HEADINGS: [&str; 5] = [
    "Corrections to the rules as published",
    "Two places",
    "Errors",
    "Panics",
    "Examples",
];

/// Where citation keys are explained.
const REFERENCES: &str = "docs/references.md";

pub(crate) fn check(repository: &Repository, found: &mut Vec<Problem>) {
    essays(repository, found);
    citations(repository, found);
    named_files(repository, found);
    skipped_tests(repository, found);
}

/// A module head that has a `Problem` has the sections of [`HEADINGS`], in this order, as headings.
fn essays(repository: &Repository, found: &mut Vec<Problem>) {
    for (_, path, text) in repository
        .rust_files()
        .filter(|(_, path, _)| path.contains("/src/"))
    {
        let mut in_example = false;
        let head: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .filter(|line| {
                // A line of an example may begin with `#` too: it is hidden code.
                let fence = line.trim_start().starts_with("```");
                in_example ^= fence;
                !in_example && !fence
            })
            .collect();
        let headings: Vec<&str> = head
            .iter()
            .filter_map(|line| line.trim_start().strip_prefix("# "))
            .map(str::trim)
            .collect();
        let bold = head.iter().filter(|line| {
            let line = line.trim_start().trim_start_matches("- ");
            HEADINGS
                .iter()
                .any(|heading| line.starts_with(&format!("**{heading}.**")))
        });
        let mut wrong = Vec::new();
        if bold.count() > 0 {
            wrong.push("its sections are bold words, not headings".to_owned());
        }
        let known: Vec<usize> = headings
            .iter()
            .filter_map(|heading| HEADINGS.iter().position(|known| known == heading))
            .collect();
        if !known.is_sorted() {
            wrong.push(format!(
                "its sections are not in the order {}",
                HEADINGS.join(", ")
            ));
        }
        for heading in &headings {
            if !HEADINGS.contains(heading) && !OTHER_HEADINGS.contains(heading) {
                wrong.push(format!("a section is called {heading}"));
            }
        }
        if headings.contains(&"Problem") && !headings.contains(&"Soundness") {
            wrong.push("it says no word about soundness".to_owned());
        }
        if !wrong.is_empty() {
            let message = wrong.join("; ");
            found.push(Problem {
                rule: Rule::EssayHeadings,
                subject: path.to_owned(),
                amount: wrong.len(),
                message,
            });
        }
    }
}

/// Has a word the form of a citation key: names and two digits of the year?
fn is_key(word: &str) -> bool {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() - name.len() == 2
        && name.len() >= 3
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphabetic())
}

/// The citation keys of a line: `[Author01]` or `[Author01, section 4]`, not followed by a link's target.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    line.split('[').skip(1).filter_map(|behind| {
        let (inside, rest) = behind.split_once(']')?;
        let (key, _) = inside.split_once(',').unwrap_or((inside, ""));
        let key = key.trim_end_matches('\\');
        (is_key(key) && !rest.starts_with('(')).then_some(key)
    })
}

/// The key that a row of the table of references explains: its first column.
fn explained(row: &str) -> Option<&str> {
    let key = row.strip_prefix('|')?.split('|').next()?.trim();
    is_key(key).then_some(key)
}

fn citations(repository: &Repository, found: &mut Vec<Problem>) {
    let references = repository.text(REFERENCES).unwrap_or_default();
    let known: BTreeSet<&str> = references.lines().filter_map(explained).collect();
    let mut unknown = BTreeSet::new();
    for (name, path, text) in repository
        .rust_files()
        .filter(|(name, _, _)| *name != "cairn-tidy")
    {
        for key in prose(text).flat_map(|(_, line)| keys(line)) {
            if !known.contains(key) {
                unknown.insert((path.to_owned(), key.to_owned(), name.to_owned()));
            }
        }
    }
    for (path, key, _) in unknown {
        let message = format!("[{key}] has no entry in {REFERENCES}: add one");
        found.push(Problem {
            rule: Rule::CitationKeys,
            subject: format!("{path}:{key}"),
            amount: 1,
            message,
        });
    }
}

/// Endings of names that are files of this repository when a document puts them in backticks.
const ENDINGS: [&str; 6] = [".rs", ".md", ".toml", ".sh", ".cir", ".txt"];

/// The file names in backticks of a line, with `{a,b}` written out.
fn named(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    for quoted in line.split('`').skip(1).step_by(2) {
        let quoted = quoted.trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-{},".contains(c);
        if quoted.contains(char::is_whitespace) || !quoted.chars().all(plain) {
            continue;
        }
        if ENDINGS
            .iter()
            .any(|ending| quoted.ends_with(ending) && quoted.len() > ending.len())
        {
            match (quoted.find('{'), quoted.find('}')) {
                (Some(open), Some(close)) if open < close => {
                    let parts = quoted[open + 1..close].split(',');
                    names.extend(
                        parts.map(|part| {
                            format!("{}{part}{}", &quoted[..open], &quoted[close + 1..])
                        }),
                    );
                }
                _ => names.push(quoted.to_owned()),
            }
        }
    }
    names
}

/// Documents about what is no longer so: their names are of another time.
fn is_history(path: &str) -> bool {
    path == "CHANGELOG.md"
}

/// What a line says of today: the table of old names has them in its first column.
fn today<'a>(path: &str, line: &'a str) -> &'a str {
    match line.strip_prefix("| ") {
        Some(row) if path == "docs/history.md" => row.split_once(" | ").map_or("", |cells| cells.1),
        Some(_) | None => line,
    }
}

/// Names that stand for files of users and of runs.
const EXAMPLES: [&str; 4] = [
    "coverage.info",
    "messages.txt",
    "warnings.txt",
    "instructions.txt",
];

fn named_files(repository: &Repository, found: &mut Vec<Problem>) {
    let documents = repository
        .files()
        .filter(|(path, _)| path.ends_with(".md") && !is_history(path));
    for (path, text) in documents {
        let lines = text.lines().enumerate();
        missing(
            repository,
            path,
            lines.map(|(at, line)| (at + 1, today(path, line))),
            found,
        );
    }
    for (name, path, text) in repository.rust_files() {
        if name != "cairn-tidy" && path.contains("/src/") {
            missing(repository, path, prose(text), found);
        }
    }
}

fn missing<'a>(
    repository: &Repository,
    path: &str,
    lines: impl Iterator<Item = (usize, &'a str)>,
    found: &mut Vec<Problem>,
) {
    for (number, line) in lines {
        for name in named(line) {
            let beside = path
                .rsplit_once('/')
                .map(|(folder, _)| format!("{folder}/{name}"));
            let exists = repository.has(&name)
                || beside.is_some_and(|beside| repository.has(&beside))
                || repository.has_ending(name.trim_start_matches("../"))
                || EXAMPLES.contains(&name.as_str());
            if !exists {
                let message = format!("line {number} names {name}, which is no file here");
                let subject = format!("{path}:{name}");
                if !found.iter().any(|problem| problem.subject == subject) {
                    found.push(Problem {
                        rule: Rule::NamedFiles,
                        subject,
                        amount: 1,
                        message,
                    });
                }
            }
        }
    }
}

/// A test that returns because something is missing says so with one of these words.
const SKIPS: [&str; 4] = [
    "skipped:",
    "skipping",
    "is not installed; ",
    "is missing, so",
];

fn skipped_tests(repository: &Repository, found: &mut Vec<Problem>) {
    for (name, path, text) in repository.rust_files() {
        if name == "cairn-tidy" || !path.contains("/tests/") {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        let skips = lines.iter().enumerate().filter(|(at, line)| {
            // It says before that CI must have what is missing.
            let fails_in_ci = lines[at.saturating_sub(6)..*at]
                .iter()
                .any(|line| line.contains("\"CI\""));
            !fails_in_ci
                && SKIPS.iter().any(|skip| line.contains(skip))
                && lines[*at..]
                    .iter()
                    .take(4)
                    .any(|line| line.trim() == "return;")
        });
        let count = skips.count();
        if count > 0 {
            let message = format!(
                "{count} tests return where something is not installed: in CI they must fail"
            );
            found.push(Problem {
                rule: Rule::SkippedTests,
                subject: path.to_owned(),
                amount: count,
                message,
            });
        }
    }
}
