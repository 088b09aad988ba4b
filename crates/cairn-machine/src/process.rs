//! What a program has in memory before it starts, and in which order its functions run: the same for all that run it. Where globals and
//! arguments are is decided in `layout.rs`; the loop that goes through the stages is in `machine.rs` for the concrete machine, and in
//! the engine's `path/transition.rs`.
//!
//! A run goes through [stages](Stage): functions that run before the entry, the entry, what was registered to run at the end, functions
//! that run last. `exit` in a constructor or in the entry goes on with what was registered; in a function that was registered, with the
//! next of these; in a destructor it ends the program. `_exit` ends it at once, whatever the stage (`left_at_once` in `machine.rs`).
//!
//! A program that is linked with a C library of its own has no constructors and destructors here, and its entry is the library's start: the
//! library calls them itself (`begin_with` in `libc.rs`).

use crate::layout::{lay_out, program_arguments};
use crate::machine_code::{MachineCode, memory_for};
use crate::natives::Library;
use cairn_ir::{FuncId, Program};
use cairn_memory::{Fault, Memory, MemoryConfig, Word};

/// Why a program cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Its globals do not fit.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Something else does not.
    #[error("{0}")]
    Load(String),
}

/// The parts of a program that was laid out: what a machine and the engine each build their first state from. An
/// [`Image`](crate::Image) is what the concrete machine makes of it.
pub struct Process {
    /// Globals, what an executable adds to them, and objects of the library.
    pub memory: Memory,
    /// Where each global is.
    pub globals: Vec<Word>,
    /// What the library keeps besides memory.
    pub library: Library,
}

impl Process {
    /// Lays a verified program out. `code` is the executable that it was made from, if it was.
    ///
    /// # Errors
    /// [`LayoutError`] if it does not fit.
    pub fn new(
        program: &Program,
        config: &MemoryConfig,
        code: Option<&dyn MachineCode>,
    ) -> Result<Self, LayoutError> {
        let mut memory = memory_for(program, config, code);
        let globals = lay_out(program, &mut memory)?;
        if let Some(code) = code {
            code.load(&mut memory, &globals)
                .map_err(LayoutError::Load)?;
        }
        let library = Library::place(program, &mut memory, &globals)?;
        Ok(Process {
            memory,
            globals,
            library,
        })
    }
}

/// `argc`, `argv` and `envp` of an entry function. An executable has them on its stack; its entry takes
/// nothing.
///
/// # Errors
/// [`Fault::OutOfMemory`] if they do not fit.
pub fn entry_arguments(
    memory: &mut Memory,
    code: Option<&dyn MachineCode>,
    args: &[Vec<u8>],
    variables: &[Vec<u8>],
) -> Result<[Word; 3], Fault> {
    match code {
        Some(_) => Ok([Word::int(0); 3]),
        None => program_arguments(memory, args, variables),
    }
}

/// What of a program is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A function that runs before the entry: its number.
    Constructor(usize),
    /// The entry.
    Entry,
    /// What was registered to run at the end, with the exit code.
    AtExit(i32),
    /// A function that runs after the entry: its number, and the exit code.
    Destructor(usize, i32),
}

/// What runs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextCall {
    /// The entry.
    Entry,
    /// A function of a stage, and what it is given.
    Call(Stage, FuncId, Option<Word>),
    /// Nothing: the program ends with this code.
    End(i32),
}

impl Stage {
    /// What a stage runs, or the next one that has something to run.
    pub fn begin(self, program: &Program, library: &mut Library) -> NextCall {
        let mut stage = self;
        loop {
            stage = match stage {
                Stage::Constructor(i) => match program.constructors.get(i) {
                    Some(function) => return NextCall::Call(stage, *function, None),
                    None => return NextCall::Entry,
                },
                Stage::Entry => return NextCall::Entry,
                Stage::AtExit(code) => match library.next_at_exit() {
                    Some((function, argument)) => {
                        let takes = !program.function(function).params.is_empty();
                        return NextCall::Call(stage, function, argument.filter(|_| takes));
                    }
                    None => Stage::Destructor(0, code),
                },
                Stage::Destructor(i, code) => match program.destructors.get(i) {
                    Some(function) => return NextCall::Call(stage, *function, None),
                    None => return NextCall::End(code),
                },
            };
        }
    }

    /// The stage after a function that returned; `code` is what the entry's result stands for.
    #[must_use]
    pub fn after_return(self, code: i32) -> Stage {
        match self {
            Stage::Constructor(i) => Stage::Constructor(i + 1),
            Stage::Entry => Stage::AtExit(code),
            Stage::AtExit(code) => Stage::AtExit(code),
            Stage::Destructor(i, code) => Stage::Destructor(i + 1, code),
        }
    }

    /// The stage after a call of `exit`; `None` if the program is at its end.
    #[must_use]
    pub fn after_exit(self, code: i32) -> Option<Stage> {
        match self {
            Stage::Constructor(_) | Stage::Entry | Stage::AtExit(_) => Some(Stage::AtExit(code)),
            // A destructor that exits: what follows it is left out.
            Stage::Destructor(..) => None,
        }
    }
}
