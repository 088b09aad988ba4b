//! The rules of the house as a test.
//!
//! A rule that nothing checks stops being true. Each module here is one family of rules, a function from
//! the [`Repository`] to a list of [`Problem`]s; `tests/repository.rs` applies all of them to the
//! working tree, and `tests/mutations.rs` shows that each one notices what it is for.
//!
//! What breaks a rule today and cannot be mended at once is in `exceptions.txt`, with its present
//! size. An exception may not grow, and one that is larger than needed is a problem too, so the list
//! only gets shorter. `BLESS=1 cargo test -p cairn-tidy` lowers the numbers, removes entries that are
//! no longer needed and writes the generated crate graph; it never adds an entry or raises a number.

mod documents;
mod edges;
mod exceptions;
mod names;
mod repository;
mod rust_source;
mod sizes;
mod words;

pub use edges::{GRAPH_BEGIN, GRAPH_END, crate_graph, with_crate_graph};
pub use exceptions::{Exceptions, ExceptionsError};
pub use repository::{Repository, RepositoryError};

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The rule, by its name in `exceptions.txt`.
    pub rule: Rule,
    /// What breaks it: a file, a function or type of a file, a crate.
    pub subject: String,
    /// How far, for rules with a limit; 1 for the others.
    pub amount: usize,
    /// What is wrong and what to do, in one sentence.
    pub message: String,
}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A source file has at most `sizes::FILE_LINES` lines.
    FileLines,
    /// A function has at most `sizes::FUNCTION_LINES` lines.
    FunctionLines,
    /// A type has at most `sizes::TYPE_METHODS` inherent methods, counted over its crate, besides those of
    /// `sizes::FAMILIES`.
    TypeMethods,
    /// Prose uses none of `words::BANNED`, counted for each crate and document.
    BannedWords,
    /// A crate contains no word of a layer it must not know.
    ForeignWords,
    /// The sections of a technique's module head have one set of names, in one order.
    EssayHeadings,
    /// A citation key such as `[Author01]` has an entry in `docs/references.md`.
    CitationKeys,
    /// A file that a document names exists.
    NamedFiles,
    /// A crate depends only on the crates of a lower level that `edges.rs` allows.
    CrateEdges,
    /// The crate graph in ARCHITECTURE.md is the one that the manifests say.
    CrateGraph,
    /// A test that lacks a tool fails in CI; it does not return early.
    SkippedTests,
    /// No type has one of the names in `names::VAGUE`.
    VagueTypes,
    /// A type with a name of the glossary is the one that the glossary means.
    GlossaryTypes,
    /// A name that several modules can see is defined once.
    SharedTypes,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 14] = [
        Rule::FileLines,
        Rule::FunctionLines,
        Rule::TypeMethods,
        Rule::BannedWords,
        Rule::ForeignWords,
        Rule::EssayHeadings,
        Rule::CitationKeys,
        Rule::NamedFiles,
        Rule::CrateEdges,
        Rule::CrateGraph,
        Rule::SkippedTests,
        Rule::VagueTypes,
        Rule::GlossaryTypes,
        Rule::SharedTypes,
    ];

    /// The rule's name in `exceptions.txt` and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Rule::FileLines => "file-lines",
            Rule::FunctionLines => "function-lines",
            Rule::TypeMethods => "type-methods",
            Rule::BannedWords => "banned-words",
            Rule::ForeignWords => "foreign-words",
            Rule::EssayHeadings => "essay-headings",
            Rule::CitationKeys => "citation-keys",
            Rule::NamedFiles => "named-files",
            Rule::CrateEdges => "crate-edges",
            Rule::CrateGraph => "crate-graph",
            Rule::SkippedTests => "skipped-tests",
            Rule::VagueTypes => "vague-types",
            Rule::GlossaryTypes => "glossary-types",
            Rule::SharedTypes => "shared-types",
        }
    }
}

/// Applies all rules; nothing is excepted yet.
pub fn problems(repository: &Repository) -> Vec<Problem> {
    let mut found = Vec::new();
    sizes::check(repository, &mut found);
    words::check(repository, &mut found);
    names::check(repository, &mut found);
    documents::check(repository, &mut found);
    edges::check(repository, &mut found);
    found.sort();
    found
}
