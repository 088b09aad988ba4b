//! Sizes: a file, a function and a type fit in a head.

use std::collections::BTreeMap;

use crate::repository::Repository;
use crate::rust_source::outline;
use crate::{Problem, Rule};

/// The most lines of a Rust file.
pub(crate) const FILE_LINES: usize = 600;
/// The most lines of a function.
pub(crate) const FUNCTION_LINES: usize = 100;
/// The most inherent methods of a type, over all files of its crate.
pub(crate) const TYPE_METHODS: usize = 40;

pub(crate) fn check(repository: &Repository, found: &mut Vec<Problem>) {
    let mut methods: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (name, path, text) in repository.rust_files() {
        let lines = text.lines().count();
        if lines > FILE_LINES {
            let message =
                format!("{lines} lines, at most {FILE_LINES}: split it by what its parts are for");
            found.push(Problem {
                rule: Rule::FileLines,
                subject: path.to_owned(),
                amount: lines,
                message,
            });
        }
        let outline = outline(text);
        // Functions with one name (in `cfg` variants, in modules of one file) share an entry: the longest.
        let mut longest: BTreeMap<String, usize> = BTreeMap::new();
        for function in outline.functions {
            let lines = longest.entry(function.name).or_default();
            *lines = (*lines).max(function.lines);
        }
        for (function, lines) in longest
            .into_iter()
            .filter(|(_, lines)| *lines > FUNCTION_LINES)
        {
            let message = format!(
                "{lines} lines, at most {FUNCTION_LINES}: give its steps names of their own"
            );
            let subject = format!("{path}:{function}");
            found.push(Problem {
                rule: Rule::FunctionLines,
                subject,
                amount: lines,
                message,
            });
        }
        if path.contains("/src/") {
            for type_name in outline.methods_of {
                *methods.entry((name.to_owned(), type_name)).or_default() += 1;
            }
        }
    }
    for ((name, type_name), count) in methods
        .into_iter()
        .filter(|(_, count)| *count > TYPE_METHODS)
    {
        let message = format!(
            "{count} methods, at most {TYPE_METHODS}: take a part out, or use functions over a small context"
        );
        let subject = format!("{name}:{type_name}");
        found.push(Problem {
            rule: Rule::TypeMethods,
            subject,
            amount: count,
            message,
        });
    }
}
