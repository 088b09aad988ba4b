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

/// Methods of a type of which there is one for each entry of a list that lies outside of it. How many
/// there are is not for the type to say, so they do not count; its other methods do.
struct MethodFamily {
    krate: &'static str,
    type_name: &'static str,
    /// The files or folders below `src/` that hold nothing else of the type.
    files: &'static [&'static str],
    /// What the list is.
    list: &'static str,
}

const FAMILIES: [MethodFamily; 6] = [
    MethodFamily {
        krate: "cairn-bv",
        type_name: "BitVec",
        files: &["arith.rs", "bits.rs", "compare.rs"],
        list: "the operators of SMT-LIB's theory of bit-vectors",
    },
    MethodFamily {
        krate: "cairn-expr",
        type_name: "TermStore",
        files: &["build/"],
        list: "the operators of terms: each has one canonical constructor, and its rules as steps",
    },
    MethodFamily {
        krate: "cairn-llvm",
        type_name: "Value",
        files: &["reader/instructions.rs"],
        list: "what LLVM's C interface says of an instruction",
    },
    MethodFamily {
        krate: "cairn-llvm",
        type_name: "BodyBuilder",
        files: &["emit.rs"],
        list: "the instructions of the program form",
    },
    MethodFamily {
        krate: "cairn-llvm",
        type_name: "BodyBuilder",
        files: &[
            "arith.rs",
            "calls.rs",
            "exceptions.rs",
            "float.rs",
            "float_intrinsics.rs",
            "function_types.rs",
            "int_intrinsics.rs",
            "intrinsics.rs",
            "memory.rs",
            "vector.rs",
            "vector_intrinsics.rs",
        ],
        list: "LLVM's instructions and intrinsics: each is lowered by one, and by its steps",
    },
    MethodFamily {
        krate: "cairn-memory",
        type_name: "Memory",
        files: &["access.rs", "bulk.rs", "register_words.rs", "symbolic.rs"],
        list: "the ways in which instructions and the C library read and write: words, bytes, cells",
    },
];

/// The part of a problem's message that names the families of methods of a type that were not counted.
fn not_counted(krate: &str, type_name: &str) -> String {
    let lists = FAMILIES
        .iter()
        .filter(|family| family.krate == krate && family.type_name == type_name)
        .map(|family| format!(" (one for each of these did not count: {})", family.list));
    lists.collect()
}

/// Does a file hold one of the families of a type?
fn is_family(krate: &str, type_name: &str, path: &str) -> bool {
    let inside = path.split_once("/src/").map_or("", |(_, inside)| inside);
    FAMILIES.iter().any(|family| {
        let mut files = family.files.iter();
        family.krate == krate
            && family.type_name == type_name
            && files.any(|file| inside == *file || file.ends_with('/') && inside.starts_with(file))
    })
}

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
            let counted = outline.methods_of.into_iter();
            for type_name in counted.filter(|type_name| !is_family(name, type_name, path)) {
                *methods.entry((name.to_owned(), type_name)).or_default() += 1;
            }
        }
    }
    for ((name, type_name), count) in methods
        .into_iter()
        .filter(|(_, count)| *count > TYPE_METHODS)
    {
        let message = format!(
            "{count} methods, at most {TYPE_METHODS}: take a part out, or use functions over a small context{}",
            not_counted(&name, &type_name)
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
