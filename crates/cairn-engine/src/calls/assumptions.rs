//! Answers of the environment that stand for others, and whose matter they are: the program's, at the place that
//! called the library, or the library's own, which is no assumption about the program.

use crate::calls::machine_code;
use crate::explore::shared::LIBRARY_FILES;
use crate::omission::Omission;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use cairn_linux::CLOCK;

/// How the names of the files of the C++ library begin.
const CXX_LIBRARY_FILES: &str = "llvm/";

/// Functions of C libraries that ask the system for their own sake: for their start, how a stream is
/// to be buffered, and which thread initialises a static variable. What they are told does not reach the
/// program.
const LIBRARY_ASKS: [&str; 25] = [
    "__cxa_guard_acquire",
    "__init_tp",
    "__init_libc",
    "__stdout_write",
    "__fdopen",
    "_IO_file_doallocate",
    "__libc_setup_tls",
    "__libc_init_secure",
    "__libc_init_first",
    "__libc_early_init",
    "__libc_initial",
    "_dl_non_dynamic_init",
    "_dl_relocate_static_pie",
    "_dl_protect_relro",
    "__tls_init_tp",
    "_dl_discover_osversion",
    "__tunables_init",
    "tcache_key_initialize",
    "ptmalloc_init",
    "nearbyint",
    "nearbyintf",
    "nearbyintl",
    "lrint",
    "llrint",
    "fmal",
];

/// An answer of the system stands for others: what was explored is not everything.
pub(crate) fn note_assumed(step: &StepContext<'_>, state: &State, asked: &str, what: &str) {
    if !is_library_asking(step, state) {
        note_at_caller(step, state, asked, what);
    }
}

/// Calls of the system that leave what is left of a time where it was given.
const LEAVE_TIME: [&str; 3] = ["select", "pselect6", "ppoll"];

/// Functions of C libraries that give such a call a copy of the program's time, which then stays as it was: those of
/// any library, and one more of the library that programs in bitcode are linked with.
const COPY_TIME: [&str; 9] = [
    "poll",
    "ppoll",
    "pselect",
    "__poll",
    "__ppoll",
    "__pselect",
    "__poll_chk",
    "__ppoll64",
    "__pselect64",
];
const COPIES_TIME_HERE: &str = "select";

/// An answer of a call of the system stands for others.
pub(crate) fn note_system(
    step: &StepContext<'_>,
    state: &State,
    name: Option<&'static str>,
    what: &'static str,
) {
    let name = name.unwrap_or("a system call");
    if !(LEAVE_TIME.contains(&name) && what == CLOCK && has_copied_time(step, state)) {
        note_assumed(step, state, name, what);
    }
}

/// Whether the time that a call of the system was given is a copy that a function of the library made.
fn has_copied_time(step: &StepContext<'_>, state: &State) -> bool {
    let program = step.table.program();
    let executable = step.shared.config.code.is_some();
    for (function, at) in transition::trace(step, state) {
        let name = program.function(function).name.as_str();
        if executable {
            // Libraries make calls that may be cancelled in functions of their own. What is around the one that copies may be the
            // program's, of any name.
            if name.contains("syscall") {
                continue;
            }
            return COPY_TIME.contains(&name);
        }
        if !machine_code::place_text(step, at).starts_with(LIBRARY_FILES) {
            return false;
        }
        if COPY_TIME.contains(&name) || name == COPIES_TIME_HERE {
            return true;
        }
    }
    false
}

/// Whether the library asks for its own sake.
fn is_library_asking(step: &StepContext<'_>, state: &State) -> bool {
    let program = step.table.program();
    let executable = step.shared.config.code.is_some();
    for (function, at) in transition::trace(step, state) {
        let name = program.function(function).name.as_str();
        let text = machine_code::place_text(step, at);
        let of_c = text.starts_with(LIBRARY_FILES);
        let in_library = executable || of_c || text.starts_with(CXX_LIBRARY_FILES);
        if in_library && LIBRARY_ASKS.contains(&name) {
            return true;
        }
        if name == "main" || !(executable || of_c) {
            return false;
        }
    }
    false
}

/// What was explored is not everything, because of a call of the program's.
pub(crate) fn note_at_caller(step: &StepContext<'_>, state: &State, asked: &str, what: &str) {
    state.one_of_many.set(true);
    state.left_out.set(true);
    if step.shared.config.unsupported_are_errors {
        return;
    }
    let program = step.table.program();
    let executable = step.shared.config.code.is_some();
    let mut place = None;
    for (function, at) in transition::trace(step, state) {
        let name = program.function(function).name.as_str();
        let text = machine_code::place_text(step, at);
        if executable {
            // Files do not tell an executable's library from its program.
            place.get_or_insert(text);
            if name == "main" {
                break;
            }
        } else if name == "main" || !text.starts_with(LIBRARY_FILES) {
            place = Some(text);
            break;
        }
    }
    step.shared.leave_out(Omission::OneAnswerOfMany {
        at: place,
        asked: asked.to_string(),
        what: what.to_string(),
    });
}
