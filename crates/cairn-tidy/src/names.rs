//! Names of types: each says what it stands for, and one word stands for one thing.
//!
//! Three rules. A type has none of the names in [`VAGUE`], which a reader has to look up to learn anything. A
//! type whose name is in the glossary is defined where the glossary says, and nowhere else. Other names
//! that more than one module can see are defined once over all crates that a user runs, but for the words of
//! a craft in [`SHARED`].
//!
//! Types of tests do not count, nor do associated types, whose trait says what they are.

use std::collections::BTreeMap;

use crate::repository::Repository;
use crate::rust_source::{TypeDefinition, outline};
use crate::{Problem, Rule};

/// Names that say nothing: pronouns, participles of what was done, and nouns for anything at all.
pub(crate) const VAGUE: [&str; 66] = [
    "Any",
    "Apart",
    "Asked",
    "At",
    "Below",
    "Both",
    "Called",
    "Compared",
    "Data",
    "Described",
    "Ended",
    "Examined",
    "Failed",
    "Fate",
    "Following",
    "Form",
    "Found",
    "Given",
    "Grown",
    "Home",
    "Info",
    "Inside",
    "Item",
    "Kept",
    "Kind",
    "Known",
    "Last",
    "Learned",
    "Left",
    "Life",
    "Living",
    "Loaded",
    "Made",
    "Meaning",
    "Meant",
    "More",
    "Moving",
    "Named",
    "Next",
    "Noted",
    "Nowhere",
    "Open",
    "Other",
    "Others",
    "Outside",
    "Own",
    "Part",
    "Passed",
    "Patience",
    "Piece",
    "Pieces",
    "Place",
    "Places",
    "Prepared",
    "Said",
    "Shelf",
    "Shown",
    "Standing",
    "Surroundings",
    "Taken",
    "Takes",
    "Thing",
    "Things",
    "Waiting",
    "Wanted",
    "Wrong",
];

/// Names that several crates may define, each for its own: why one word is right there.
pub(crate) const SHARED: [(&str, &str); 4] = [
    ("Lexer", "each text form has one"),
    (
        "Symbol",
        "a free variable of terms, and a global or function as an operand: the word of both fields",
    ),
    ("Token", "each text form has its own"),
    (
        "Value",
        "of a term under a model, and of a register on a path: the word of both fields",
    ),
];

/// Crates that no user runs: they may name what they test or measure by its own word.
const DEVELOPMENT: [&str; 4] = ["cairn-bench", "cairn-oracle", "cairn-random", "cairn-tidy"];

pub(crate) fn check(repository: &Repository, found: &mut Vec<Problem>) {
    let types = definitions(repository);
    vague(&types, found);
    glossary(repository, &types, found);
    shared(repository, &types, found);
}

/// A definition and the file that it is in.
struct DefinedType<'a> {
    krate: &'a str,
    path: &'a str,
    definition: TypeDefinition,
}

fn definitions(repository: &Repository) -> BTreeMap<String, Vec<DefinedType<'_>>> {
    let mut types: BTreeMap<String, Vec<DefinedType<'_>>> = BTreeMap::new();
    for (krate, path, text) in repository.rust_files() {
        let is_test = path.ends_with("tests.rs") || path.contains("/tests/");
        if is_test || !path.contains("/src/") {
            continue;
        }
        for definition in outline(text).types {
            let name = definition.name.clone();
            let found = DefinedType {
                krate,
                path,
                definition,
            };
            types.entry(name).or_default().push(found);
        }
    }
    types
}

fn vague(types: &BTreeMap<String, Vec<DefinedType<'_>>>, found: &mut Vec<Problem>) {
    for name in VAGUE {
        for place in types.get(name).into_iter().flatten() {
            found.push(Problem {
                rule: Rule::VagueTypes,
                subject: format!("{}:{name}", place.path),
                amount: 1,
                message: "the name says nothing: say of what it is, or what for".to_owned(),
            });
        }
    }
}

/// The types that rows of the glossary name, each with the files or crates that the row says.
fn glossary_types(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let Some(place) = line.trim_end_matches([' ', '|']).rsplit('|').next() else {
            continue;
        };
        let mut files = Vec::new();
        // Between marks of code stand paths; a name in brackets is of the paths before it.
        for (number, part) in place.split('`').enumerate() {
            if number % 2 == 0 {
                continue;
            }
            let is_type = part.starts_with(|c: char| c.is_ascii_uppercase());
            match (is_type, part.starts_with("cairn-")) {
                (true, _) => {
                    let name = part.split("::").next().unwrap_or(part);
                    types.entry(name.to_owned()).or_default().append(&mut files);
                }
                (false, true) => files.push(format!("crates/{part}")),
                (false, false) => files.push(format!("crates/cairn-engine/src/{part}")),
            }
        }
    }
    types
}

fn glossary(
    repository: &Repository,
    types: &BTreeMap<String, Vec<DefinedType<'_>>>,
    found: &mut Vec<Problem>,
) {
    let Some(text) = repository.text("GLOSSARY.md") else {
        return;
    };
    for (name, files) in glossary_types(text) {
        let all = types.get(&name).map_or(&[][..], Vec::as_slice);
        let (right, wrong): (Vec<_>, Vec<_>) = all.iter().partition(|place| {
            files
                .iter()
                .any(|file| place.path.starts_with(file.as_str()))
        });
        if right.is_empty() {
            found.push(Problem {
                rule: Rule::GlossaryTypes,
                subject: format!("GLOSSARY.md:{name}"),
                amount: 1,
                message: "no such type is where the glossary says".to_owned(),
            });
        }
        if let Some(first) = wrong.first() {
            found.push(Problem {
                rule: Rule::GlossaryTypes,
                subject: name.clone(),
                amount: wrong.len(),
                message: format!(
                    "{} has a type of this name, which is a word of the glossary for another thing",
                    first.path
                ),
            });
        }
    }
}

fn shared(
    repository: &Repository,
    types: &BTreeMap<String, Vec<DefinedType<'_>>>,
    found: &mut Vec<Problem>,
) {
    // What a word of the glossary may name is judged by the rule of the glossary.
    let glossary = glossary_types(repository.text("GLOSSARY.md").unwrap_or_default());
    for (name, all) in types
        .iter()
        .filter(|(name, _)| !glossary.contains_key(*name))
    {
        let visible: Vec<_> = all
            .iter()
            .filter(|place| place.definition.visible && !DEVELOPMENT.contains(&place.krate))
            .map(|place| place.path)
            .collect();
        let is_craft = SHARED.iter().any(|(craft, _)| craft == name);
        if visible.len() > 1 && !is_craft {
            found.push(Problem {
                rule: Rule::SharedTypes,
                subject: name.clone(),
                amount: visible.len(),
                message: format!(
                    "{} modules define a type of this name for others: {}; give each a name of its own",
                    visible.len(),
                    visible.join(", ")
                ),
            });
        }
        if visible.len() < 2 && is_craft && !all.is_empty() {
            found.push(Problem {
                rule: Rule::SharedTypes,
                subject: name.clone(),
                amount: 1,
                message: "it is defined once: take it out of SHARED in names.rs".to_owned(),
            });
        }
    }
}
