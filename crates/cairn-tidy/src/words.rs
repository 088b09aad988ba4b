//! Words: prose has no riddles, and a crate does not speak of layers that it must not know.

use crate::repository::Repository;
use crate::rust_source::{code, prose};
use crate::{Problem, Rule};

/// Words that stand in the place of a subject: a reader has to guess who is meant.
pub(crate) const BANNED: [&str; 6] = [
    "nobody",
    "nobodys",
    "whoever",
    "whatsoever",
    "thereof",
    "talk of",
];

/// A word that the code of some crates must not contain.
struct ForeignWord {
    word: &'static str,
    /// Crates that may use it.
    allowed: &'static [&'static str],
    why: &'static str,
}

const FOREIGN: [ForeignWord; 3] = [
    ForeignWord {
        word: "riscv",
        allowed: &[
            "cairn-riscv",
            "cairn-cli",
            "cairn-bench",
            "cairn-oracle",
            "cairn-replay",
            "cairn-tidy",
            "cairn-linux",
        ],
        why: "only the RISC-V front end, the commands and the table of system calls know the processor",
    },
    ForeignWord {
        word: "llvm",
        allowed: &[
            "cairn-llvm",
            "cairn-cli",
            "cairn-bench",
            "cairn-oracle",
            "cairn-replay",
            "cairn-tidy",
            "cairn-cc",
            "cairn-riscv",
            "cairn-home",
        ],
        why: "only the LLVM front end and the commands know LLVM",
    },
    ForeignWord {
        word: "--flag",
        allowed: &[
            "cairn-cli",
            "cairn-bench",
            "cairn-oracle",
            "cairn-cc",
            "cairn-replay",
            "cairn-tidy",
        ],
        why: "a library does not know the flags of the command line",
    },
];

pub(crate) fn check(repository: &Repository, found: &mut Vec<Problem>) {
    banned(repository, found);
    foreign(repository, found);
}

/// Does `line` contain `word` with no letter before and after it? Case does not matter.
fn contains_word(line: &str, word: &str) -> bool {
    let line = line.to_lowercase();
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(letter) && !line[at + word.len()..].starts_with(letter)
    })
}

fn banned(repository: &Repository, found: &mut Vec<Problem>) {
    let mut counts: std::collections::BTreeMap<String, (usize, String)> =
        std::collections::BTreeMap::new();
    let mut note = |subject: &str, path: &str, number: usize, line: &str| {
        for word in BANNED.iter().filter(|word| contains_word(line, word)) {
            let (count, place) = counts.entry(subject.to_owned()).or_default();
            *count += 1;
            if place.is_empty() {
                *place = format!("{path}:{number} ({word})");
            }
        }
    };
    for (name, path, text) in repository
        .rust_files()
        .filter(|(name, _, _)| *name != "cairn-tidy")
    {
        for (number, line) in prose(text) {
            note(name, path, number, line);
        }
    }
    for (path, text) in repository.files().filter(|(path, _)| path.ends_with(".md")) {
        for (number, line) in text.lines().enumerate() {
            note(path, path, number + 1, line);
        }
    }
    for (subject, (count, first)) in counts {
        let message =
            format!("{count} lines use a banned word, the first at {first}: name the subject");
        found.push(Problem {
            rule: Rule::BannedWords,
            subject,
            amount: count,
            message,
        });
    }
}

/// Does a line of code use a foreign word? `--flag` stands for any flag of the command line.
fn uses(code: &str, word: &str) -> bool {
    if word != "--flag" {
        return code.to_lowercase().contains(word);
    }
    code.match_indices("--").any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let behind = code[at + 2..].chars().next();
        matches!(before, Some(' ' | '"' | '(' | '`'))
            && behind.is_some_and(|c| c.is_ascii_lowercase())
    })
}

fn foreign(repository: &Repository, found: &mut Vec<Problem>) {
    for rule in &FOREIGN {
        let mut counts: std::collections::BTreeMap<&str, (usize, String)> =
            std::collections::BTreeMap::new();
        for (name, path, text) in repository.rust_files() {
            if rule.allowed.contains(&name) || !path.contains("/src/") {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                if uses(code(line), rule.word) {
                    let (count, place) = counts.entry(name).or_default();
                    *count += 1;
                    if place.is_empty() {
                        *place = format!("{path}:{}", number + 1);
                    }
                }
            }
        }
        for (name, (count, first)) in counts {
            let message = format!(
                "{count} lines of code contain {}, the first at {first}: {}",
                rule.word, rule.why
            );
            let subject = format!("{name}:{}", rule.word);
            found.push(Problem {
                rule: Rule::ForeignWords,
                subject,
                amount: count,
                message,
            });
        }
    }
}
