//! Edges between crates: which crate may depend on which, and the graph that ARCHITECTURE.md shows.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::Repository;
use crate::{Problem, Rule};

/// Levels of the architecture, the lowest first. A crate depends only on crates of lower levels.
const LEVELS: [&[&str]; 7] = [
    &[
        "cairn-bv",
        "cairn-home",
        "cairn-random",
        "cairn-report",
        "cairn-tidy",
        "cairn-verify",
    ],
    &["cairn-domain", "cairn-expr", "cairn-ir", "cairn-replay"],
    &[
        "cairn-text",
        "cairn-float",
        "cairn-llvm",
        "cairn-memory",
        "cairn-cc",
    ],
    &["cairn-solver", "cairn-linux"],
    &["cairn-machine"],
    &["cairn-engine", "cairn-riscv"],
    &["cairn-cli", "cairn-oracle", "cairn-bench"],
];

/// Edges inside of a level that are allowed, with the reason.
const WITHIN: [(&str, &str); 2] = [
    // Benchmarks use the generators of queries and programs.
    ("cairn-bench", "cairn-oracle"),
    // Cases of the command that are compared with the generators' answers.
    ("cairn-cli", "cairn-oracle"),
];

/// Crates that exist for development: nothing that users get depends on them, except in tests.
const DEVELOPMENT: [&str; 4] = ["cairn-oracle", "cairn-bench", "cairn-random", "cairn-tidy"];

/// Where the generated graph begins in ARCHITECTURE.md.
pub const GRAPH_BEGIN: &str = "<!-- crate graph: made by cairn-tidy -->";
/// Where it ends.
pub const GRAPH_END: &str = "<!-- end of crate graph -->";

/// The crates with their dependencies on other crates of the workspace, without those of tests.
fn dependencies(repository: &Repository) -> BTreeMap<String, BTreeSet<String>> {
    let manifests = repository.files().filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((name.to_owned(), text))
    });
    manifests
        .map(|(name, text)| {
            let manifest: toml::Table = text.parse().unwrap_or_default();
            let own = |table: &toml::Value| -> BTreeSet<String> {
                let names = table.as_table().into_iter().flat_map(|table| table.keys());
                names
                    .filter(|name| name.starts_with("cairn-"))
                    .cloned()
                    .collect()
            };
            let all = manifest.get("dependencies").map(own).unwrap_or_default();
            (name, all)
        })
        .collect()
}

fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&name))
}

/// The graph as text: a line for each crate from the highest level down, with the dependencies that do
/// not follow from others.
pub fn crate_graph(repository: &Repository) -> String {
    let edges = dependencies(repository);
    let mut lines = Vec::new();
    for (number, names) in LEVELS.iter().enumerate().rev() {
        for name in names.iter().filter(|name| edges.contains_key(**name)) {
            let direct = &edges[*name];
            let shown: Vec<&str> = direct
                .iter()
                .filter(|to| {
                    !direct
                        .iter()
                        .any(|over| over != *to && reaches(&edges, over, to))
                })
                .map(|to| to.trim_start_matches("cairn-"))
                .collect();
            let short = name.trim_start_matches("cairn-");
            let arrow = if shown.is_empty() {
                String::new()
            } else {
                format!(" -> {}", shown.join(", "))
            };
            lines.push(format!("{} {short}{arrow}", number + 1));
        }
    }
    format!(
        "{GRAPH_BEGIN}\n```text\n{}\n```\n{GRAPH_END}",
        lines.join("\n")
    )
}

fn reaches(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name) {
            open.extend(edges.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

/// `document` with the graph between its marks replaced; `None` if it has no marks.
pub fn with_crate_graph(document: &str, graph: &str) -> Option<String> {
    let begin = document.find(GRAPH_BEGIN)?;
    let end = document.find(GRAPH_END)? + GRAPH_END.len();
    Some(format!("{}{graph}{}", &document[..begin], &document[end..]))
}

pub(crate) fn check(repository: &Repository, found: &mut Vec<Problem>) {
    for (from, targets) in dependencies(repository) {
        let Some(from_level) = level(&from) else {
            let message =
                "this crate has no level: give it one in cairn-tidy/src/edges.rs".to_owned();
            found.push(Problem {
                rule: Rule::CrateEdges,
                subject: from,
                amount: 1,
                message,
            });
            continue;
        };
        for to in targets {
            let lower = level(&to).is_some_and(|to| to < from_level);
            let allowed = lower || WITHIN.contains(&(from.as_str(), to.as_str()));
            let development =
                DEVELOPMENT.contains(&to.as_str()) && !DEVELOPMENT.contains(&from.as_str());
            if !allowed || development {
                let message =
                    "this dependency is not allowed: a crate depends on lower levels, and \
                               crates for development are used in tests only"
                        .to_owned();
                let subject = format!("{from}:{to}");
                found.push(Problem {
                    rule: Rule::CrateEdges,
                    subject,
                    amount: 1,
                    message,
                });
            }
        }
    }
    let graph = crate_graph(repository);
    if !repository
        .text("ARCHITECTURE.md")
        .is_some_and(|document| document.contains(&graph))
    {
        let message =
            "the crate graph is not the manifests': BLESS=1 cargo test -p cairn-tidy".to_owned();
        found.push(Problem {
            rule: Rule::CrateGraph,
            subject: "ARCHITECTURE.md".to_owned(),
            amount: 1,
            message,
        });
    }
}
