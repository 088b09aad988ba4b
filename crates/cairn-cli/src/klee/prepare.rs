//! Prepares a program for its run: reads, links and optimises it, replaces functions, and names undefined
//! ones.

use super::command_line::KleeOptions;
use super::failed;
use super::messages::Messages;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::prepare::{self, Libc, LibcChoice, LoadedProgram, Request};
use cairn_ir::Program;
use cairn_llvm::{LowerOptions, Overshift, UserLibrary};
use std::path::Path;
use std::time::Instant;

/// The C library that is linked, or why it is not though it was asked for.
pub fn libc(options: &KleeOptions) -> Result<LibcChoice, String> {
    let described = Environment::of(&options.args).is_ok_and(|e| e.is_described());
    if !options.libc && !described {
        return Ok(LibcChoice::None);
    }
    match Libc::find() {
        Ok(_) => Ok(LibcChoice::Musl),
        Err(why) => Err(format!(
            "--libc=uclibc does nothing: the functions of the C library are built in ({why})"
        )),
    }
}

/// Reads the program and what is linked to it.
pub fn load_program(
    options: &KleeOptions,
    file: &Path,
    libc: LibcChoice,
    start: Instant,
) -> Result<LoadedProgram, Failure> {
    let libraries = options.libraries.iter().map(|library| {
        let name = library.display().to_string();
        let bytes = cairn_home::read_file(library).map_err(|e| {
            failed(anyhow::Error::from(e).context(format!("{name}: expected a library to link")))
        })?;
        Ok(UserLibrary { name, bytes })
    });
    let checks = LowerOptions {
        check_overshift: match (options.check_overshift, options.optimize) {
            (false, _) => Overshift::Never,
            // The optimiser may move a shift to where its result is not used.
            (true, true) => Overshift::Unoptimized,
            (true, false) => Overshift::Own,
        },
        keep_assembly: true,
        libraries: libraries.collect::<Result<_, Failure>>()?,
        optimize: options.optimize,
        ..LowerOptions::default()
    };
    // Without these words the compiler forbids what the user asks for.
    let flags: &[&str] = match options.optimize {
        true => &["-O1", "-Xclang", "-disable-llvm-passes"],
        false => &[],
    };
    let flags = flags.iter().map(ToString::to_string).collect();
    let deadline = options.max_time.and_then(|time| start.checked_add(time));
    let loaded = prepare::load(Request {
        file,
        flags,
        checks,
        libc: Some(libc),
        deadline,
    })?;
    let program = &loaded.program;
    let entry = program.find_function(&options.entry);
    match entry.map(|f| program.function(f)) {
        Some(function) if function.body.is_some() => Ok(loaded),
        Some(_) | None => Err(failed(anyhow::anyhow!(
            "Entry function '{}' not found in module.",
            options.entry
        ))),
    }
}

/// Lets a function run in another's place.
pub fn alias(program: &mut Program, from: &str, to: &str, messages: &Messages) {
    let (Some(from_id), Some(to_id)) = (program.find_function(from), program.find_function(to))
    else {
        messages.warn(&format!(
            "function-alias: {from} or {to} is not in the program; nothing is replaced (patterns \
             are not understood)"
        ));
        return;
    };
    let (old, new) = (program.function(from_id), program.function(to_id));
    let fits = old.params == new.params
        && old.results == new.results
        && old.variadic == new.variadic
        && new.body.is_some();
    if !fits {
        messages.warn(&format!(
            "function-alias: {to} has no body or takes and gives other values than {from}; \
             nothing is replaced"
        ));
        return;
    }
    let body = new.body.clone();
    program.functions[from_id.index()].body = body;
    messages.say(&format!("function-alias: replaced @{from} with @{to}"));
}

/// Names functions that are neither defined nor natives or intrinsics.
pub fn name_undefined(program: &Program, messages: &Messages) {
    let there: std::collections::BTreeSet<&str> = cairn_machine::native_names()
        .chain(cairn_engine::intrinsic_names())
        .collect();
    for function in &program.functions {
        let name = &function.name;
        if function.body.is_none()
            && !there.contains(name.as_str())
            && !name.starts_with("__VERIFIER_nondet_")
            // Calls of these became checks.
            && !name.starts_with("__ubsan_handle_")
            // The C library's calls of the program are made when it begins.
            && !name.starts_with("__cairn_")
        {
            messages.warn(&format!("undefined reference to function: {name}"));
        }
    }
}
