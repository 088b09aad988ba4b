//! Which C library a program is linked with if the user names none.
//!
//! # Problem
//!
//! Cairn's own functions are few; a program that calls `qsort` needs a real library. But
//! linking one always would make every small program larger and slower to start.
//!
//! # Idea
//!
//! The program is loaded without a library first. If a name is neither defined in it nor
//! that of a native and musl (for C++ with libc++) defines it, the program is loaded again with that library.
//! A source is compiled with the library's headers then.
//!
//! # Soundness
//!
//! A program that needs nothing stays as it was. Bitcode may have been compiled
//! with glibc's headers: on x86-64 musl keeps glibc's types, constants and tables, so that its
//! functions can be called by such code, except where code reaches into a `FILE` (which the linker
//! refuses) and for the few names in [`OTHERWISE_IN_GLIBC`]. Such bitcode is not linked unasked, and a
//! warning says so.
//!
//! # Cost
//!
//! Programs that need a library are compiled and lowered twice; others only look at their
//! own list of functions.

use super::libc::Libc;
use super::load::{FileKind, FrontEndInput, Headers, LoadedProgram, Request, is_cxx, kind};
use crate::exit::{self, Failure};
use cairn_ir::Program;
use std::collections::BTreeSet;
use std::path::Path;

/// Functions that glibc and musl both have under one name, and that do not do the same in both.
const OTHERWISE_IN_GLIBC: [&str; 3] = ["basename", "sigpause", "strerror_r"];

/// Globals that the machine has without a library.
const NATIVE_GLOBALS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// What the names of tables of type information begin with, of which the machine knows the meaning.
const TYPE_TABLES: &str = "_ZTVN10__cxxabiv1";

/// The most names that are listed in a sentence.
const LISTED: usize = 3;

/// The C library of a loaded program.
#[derive(Clone, Debug, Default)]
pub struct LibcUse {
    /// Its name, as it stands in summaries; nothing if the program has no use for one.
    pub name: Option<&'static str>,
    /// Why it was chosen: what the program needs of it. Empty if the user asked for it.
    pub because: Option<String>,
    /// Why what the program needs is missing all the same, in one sentence.
    pub warning: Option<String>,
}

impl LibcUse {
    /// Cairn's own functions.
    pub fn none() -> Self {
        LibcUse {
            name: Some("none"),
            ..LibcUse::default()
        }
    }

    /// The library and why it was chosen, for people.
    pub fn text(&self) -> Option<String> {
        Some(match (self.name?, &self.because) {
            (name, None) => name.to_string(),
            (name, Some(names)) => format!("{name}, which the program needs for {names}"),
        })
    }

    /// A library that is linked, for a program in C or for any.
    pub fn linked(libc: &Libc, only_c: bool) -> Self {
        let cxx = !only_c && libc.cxx().is_some();
        LibcUse {
            name: Some(if cxx { "musl and libc++" } else { "musl" }),
            ..LibcUse::default()
        }
    }
}

/// Loads a program, and links it with musl if it needs a function that is missing without.
pub(super) fn load_where_needed(request: &Request<'_>) -> Result<LoadedProgram, Failure> {
    let found = Libc::find();
    let kind = kind(request.file)?;
    let cxx_source = kind == FileKind::Source && is_cxx(request.file);
    let (input, with_its_headers) = read(request, cxx_source, found.as_ref().ok())?;
    let mut loaded = request.lower(&input, None)?;
    let missing = missing(&loaded.program);
    if missing.is_empty() || kind == FileKind::Own {
        return Ok(loaded);
    }
    let file = request.file.display();
    let libc = match found {
        Ok(libc) => libc,
        Err(why) => {
            loaded.libc.warning = Some(format!(
                "{file}: {}: neither defined nor among Cairn's own functions, and there is no C \
                 library to look in: {why:#}",
                listed(&missing)
            ));
            return Ok(loaded);
        }
    };
    let only_c = kind == FileKind::Source && !cxx_source;
    let archive = libc.open(only_c);
    let archive = archive.map_err(|e| Failure::new(exit::USAGE, e))?;
    let (of_library, others): (BTreeSet<String>, BTreeSet<String>) =
        missing.into_iter().partition(|name| archive.defines(name));
    let warning = other_library(request.file, &others, &libc);
    if of_library.is_empty() {
        loaded.libc.warning = warning;
        return Ok(loaded);
    }
    let names = listed(&of_library);
    let obstacle = if kind == FileKind::Source {
        // Headers that were refused, and a library that is not there, which was reported already.
        let refused = cxx_source && !with_its_headers;
        refused.then(|| "it does not compile with libc++'s headers; --libc musl shows why".into())
    } else {
        of_glibc(&of_library)
    };
    let linked = match obstacle {
        Some(why) => Err(why),
        None => link(request, &input, with_its_headers, &libc),
    };
    match linked {
        Ok(linked) => Ok(LoadedProgram {
            libc: LibcUse {
                because: Some(names),
                warning,
                ..linked.libc
            },
            ..linked
        }),
        Err(why) => {
            let why = format!("{file}: not linked with musl, which has {names}: {why}");
            loaded.libc.warning = Some(warning.unwrap_or(why));
            Ok(loaded)
        }
    }
}

/// Reads the program, and says whether it was compiled with the library's headers: C++ is, since its
/// headers are most of its library, and what was compiled with others cannot be linked afterwards.
fn read(
    request: &Request<'_>,
    cxx_source: bool,
    libc: Option<&Libc>,
) -> Result<(FrontEndInput, bool), Failure> {
    let libc = libc.filter(|libc| cxx_source && libc.cxx().is_some());
    let with_its_headers = libc.and_then(|libc| request.read(Headers::Of(libc)).ok());
    match with_its_headers {
        Some(input) => Ok((input, true)),
        None => Ok((request.read(Headers::Host)?, false)),
    }
}

/// Links the program; a source in C is compiled again with the library's headers. The error is one
/// line.
fn link(
    request: &Request<'_>,
    input: &FrontEndInput,
    with_its_headers: bool,
    libc: &Libc,
) -> Result<LoadedProgram, String> {
    let one_line = |failure: Failure| {
        let why = format!("{:#}", failure.error);
        let first = why.lines().find(|l| l.contains("error:"));
        first.or(why.lines().next()).unwrap_or_default().to_string()
    };
    let is_source = matches!(kind(request.file), Ok(FileKind::Source));
    if with_its_headers || !is_source {
        return request.lower(input, Some(libc)).map_err(one_line);
    }
    let again = request.read(Headers::Again(libc));
    again
        .and_then(|input| request.lower(&input, Some(libc)))
        .map_err(one_line)
}

/// Why bitcode that may have been compiled with glibc's headers is not linked with musl unasked.
fn of_glibc(names: &BTreeSet<String>) -> Option<String> {
    let mut names = names.iter();
    let name = names.find(|name| OTHERWISE_IN_GLIBC.contains(&name.as_str()))?;
    Some(format!(
        "{name} is another function in glibc, whose headers it may have been compiled with; --libc \
         musl links it nevertheless"
    ))
}

/// Names that a program uses and that are neither defined nor those of natives or intrinsics.
fn missing(program: &Program) -> BTreeSet<String> {
    let there: BTreeSet<&str> = cairn_machine::native_names()
        .chain(cairn_engine::intrinsic_names())
        .collect();
    let functions = program.functions.iter();
    let functions = functions.filter(|f| f.body.is_none()).map(|f| &f.name);
    let globals = program.globals.iter();
    let globals = globals.filter(|g| g.content.is_none()).map(|g| &g.name);
    let globals = globals
        .filter(|name| !NATIVE_GLOBALS.contains(&name.as_str()) && !name.starts_with(TYPE_TABLES));
    functions
        .filter(|name| !there.contains(name.as_str()))
        .chain(globals)
        .cloned()
        .collect()
}

/// Is a name one of the C++ library, or of what exceptions need?
fn is_of_cxx(name: &str) -> bool {
    ["_ZSt", "_ZNSt", "_ZNKSt", "_ZTVSt", "_ZTISt", "__cxa_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Says that a program needs a C++ library that is not there: none was set up, or it was compiled with
/// the headers of another. The names are those that the library that is there lacks.
fn other_library(file: &Path, lacking: &BTreeSet<String>, libc: &Libc) -> Option<String> {
    let name = lacking.iter().find(|name| is_of_cxx(name))?;
    let file = file.display();
    Some(match libc.cxx() {
        None => format!(
            "{file}: it uses the C++ library ({name}), which is not set up: ./setup makes it (or \
             scripts/libcxx.sh alone)"
        ),
        Some(_) => format!(
            "{file}: it was compiled with the headers of another C++ library than libc++, whose \
             functions ({name}) are not there; give the source, or build it with `cairn c++`"
        ),
    })
}

/// The first few of some names, as words of a sentence. Those of C++ are for linkers, not for people.
fn listed(names: &BTreeSet<String>) -> String {
    let plain = |name: &String| {
        let name = name.as_str();
        let versions = ["__isoc99_", "__isoc23_"];
        let plain = versions.iter().find_map(|start| name.strip_prefix(start));
        plain.unwrap_or(name).to_string()
    };
    let (cxx, others): (Vec<_>, Vec<_>) = names
        .iter()
        .partition(|name| is_of_cxx(name) || name.starts_with("_Z"));
    let mut words: Vec<String> = others.into_iter().map(plain).collect();
    if words.len() > LISTED {
        let more = format!("{} more", words.len() - LISTED);
        words.truncate(LISTED);
        words.push(more);
    }
    if !cxx.is_empty() {
        words.push("its C++".to_string());
    }
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn names_are_listed_as_words() {
        let list = |names: &[&str]| listed(&names.iter().map(ToString::to_string).collect());
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
        assert_eq!(list(&["_ZNSt3__14coutE"]), "its C++");
        assert_eq!(
            list(&["__isoc99_sscanf", "qsort", "__cxa_throw"]),
            "sscanf, qsort and its C++"
        );
    }
}
