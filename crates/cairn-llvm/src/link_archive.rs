//! Linking a program with a library of bitcode.
//!
//! Members of the library are added as a native linker does: a member is added when it defines a symbol
//! that is referred to and not defined yet. So a program may define functions of the library itself, and
//! a weak definition gives way to another only if the member of the other is needed. Unreferenced
//! functions and globals of the added members are removed afterwards, so only what is used is lowered.
//!
//! Functions by which a program compiled against glibc's headers accesses the inside of a `FILE` are
//! refused by name: another library's `FILE` has a different layout.

use crate::error::LoadError;
use crate::exceptions::{LANDINGS, RESUME};
use crate::indexed_archive::IndexedArchive;
use crate::reader::{Member, Module, Value};
use llvm_sys::LLVMLinkage::*;
use rustc_hash::FxHashSet;

/// A library to link with.
#[derive(Clone, Copy, Debug)]
pub struct LibraryLink<'a> {
    /// The library.
    pub library: &'a IndexedArchive,
    /// A function of the library that is always linked.
    pub start: &'a str,
}

/// Names that glibc's headers use for the inside of a `FILE`.
const INSIDE_FILES: [&str; 8] = [
    "__uflow",
    "__underflow",
    "__overflow",
    "_IO_list_all",
    "_IO_file_jumps",
    "_IO_2_1_stdin_",
    "_IO_2_1_stdout_",
    "_IO_2_1_stderr_",
];

/// Operations on floating-point numbers that are lowered to calls of library functions.
const COMPUTED: [&str; 18] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
    "log", "log2", "log10", "pow", "ldexp", "frexp",
];

/// Adds to a module what it needs of a library.
pub(crate) fn link(name: &str, module: &Module, with: LibraryLink<'_>) -> Result<(), LoadError> {
    let mut wanted = vec![with.start.to_string()];
    let mut defined = FxHashSet::default();
    let mut kept = FxHashSet::default();
    let symbols = module.symbols();
    for symbol in symbols.needed {
        if INSIDE_FILES.contains(&symbol.as_str()) {
            return Err(LoadError::InsideFile {
                file: name.to_string(),
                symbol,
            });
        }
        wanted.push(symbol);
    }
    defined.extend(symbols.defined);
    let own = defined.clone();
    let computed = computed_by(module.functions());
    kept.extend(computed.iter().cloned());
    wanted.extend(computed);
    let mut added = FxHashSet::default();
    let mut members = Vec::new();
    while let Some(symbol) = wanted.pop() {
        if defined.contains(&symbol) {
            continue;
        }
        let Some((at, bytes)) = with.library.defining(&symbol) else {
            continue;
        };
        if !added.insert(at) {
            continue;
        }
        let member = module.read_member(with.library.name(), bytes)?;
        let symbols = member.symbols();
        defined.extend(symbols.defined);
        wanted.extend(symbols.needed);
        let computed = computed_by(member.functions());
        kept.extend(computed.iter().cloned());
        wanted.extend(computed);
        members.push(member);
    }
    let name = with.library.name();
    if let Some(members) = join_neighbours(name, members)? {
        module.add(name, members)?;
    }
    kept.insert(with.start.to_string());
    // What code that catches exceptions is lowered to.
    kept.extend([LANDINGS, RESUME].map(str::to_string));
    for value in module
        .functions()
        .chain(module.globals())
        .chain(module.aliases())
    {
        let name = value.name();
        let keeps = own.contains(&name) || kept.contains(&name) || name.starts_with("llvm.");
        let linkage = value.linkage();
        let shared = !matches!(
            linkage,
            LLVMInternalLinkage | LLVMPrivateLinkage | LLVMAppendingLinkage
        );
        if shared && !keeps && !value.is_declaration() {
            value.make_internal();
        }
    }
    module
        .remove_unused()
        .map_err(|message| LoadError::Linking {
            file: name.to_string(),
            message,
        })
}

/// Links members of a library to each other, in their order.
///
/// LLVM's linker looks through all of the module that it adds to, each time. One after the other, n members are so
/// looked through n / 2 times on average. Groups of about √n neighbours are linked first and then to each other:
/// √n times on average, for moving each member once more. Neighbours stay neighbours, so of definitions that
/// may be replaced the first stays the first.
fn join_neighbours<'m>(
    name: &str,
    members: Vec<Member<'m>>,
) -> Result<Option<Member<'m>>, LoadError> {
    let size = members.len().isqrt().max(1);
    let mut members = members.into_iter().peekable();
    let mut groups = Vec::new();
    while members.peek().is_some() {
        groups.extend(join(name, members.by_ref().take(size))?);
    }
    join(name, groups.into_iter())
}

/// Adds all to the first.
fn join<'m>(
    name: &str,
    mut members: impl Iterator<Item = Member<'m>>,
) -> Result<Option<Member<'m>>, LoadError> {
    let Some(first) = members.next() else {
        return Ok(None);
    };
    for member in members {
        first.add(name, member)?;
    }
    Ok(Some(first))
}

/// The library functions that operations of a module are lowered to.
fn computed_by<'m>(functions: impl Iterator<Item = Value<'m>>) -> Vec<String> {
    let names = functions.filter_map(Value::intrinsic_name);
    let computed = names.filter_map(|name| {
        let short = name.strip_prefix("llvm.")?;
        COMPUTED.contains(&short).then(|| short.to_string())
    });
    let formats = |name: String| ["", "f", "l"].map(|suffix| format!("{name}{suffix}"));
    computed.flat_map(formats).collect()
}
