//! The state that the library keeps besides memory.
//!
//! It is a part of a program's state: a clone of it belongs to a clone of the memory that it was
//! placed in. Everything in it is an address or a list of functions, so that copying is cheap.

use super::{Inputs, cxx};
use cairn_ir::{FuncId, Program};
use cairn_linux::{Kernel, Setup, SetupError, same_systems};
use cairn_memory::{AllocatorFamily, Fault, Memory, ObjectKind, PointerWidth, Word};

/// The standard streams: global pointers that programs declare and no module defines.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The tables that the type information of a class with one base, or with several, points into.
const CLASS_KINDS: [&str; 2] = [
    "_ZTVN10__cxxabiv120__si_class_type_infoE",
    "_ZTVN10__cxxabiv121__vmi_class_type_infoE",
];

/// Bytes of a global that the machine has itself though no module defines it; 0 if it has none of that name.
pub fn native_global_size(name: &str, width: PointerWidth) -> u64 {
    if STREAMS.contains(&name) {
        u64::from(width.bytes())
    } else {
        0
    }
}

/// What the library keeps besides memory; see the module's head.
#[derive(Clone)]
pub struct Library {
    /// Functions to call at the end, newest last, each with an argument if it wants one.
    pub(super) at_exit: Vec<(FuncId, Option<Word>)>,
    /// The program left by `_exit`.
    pub(super) left_at_once: bool,
    /// Where `errno` is.
    pub(super) error_number: Word,
    /// Where the tables of `<ctype.h>` are; made when first asked for.
    pub(super) tables: [Option<Word>; 3],
    /// Which pointers are the standard streams: input, output, errors.
    pub(super) streams: [Word; 3],
    /// The addresses of [`CLASS_KINDS`].
    pub(super) class_kinds: [Option<u64>; 2],
    /// The program has an `operator new` or `operator delete` of its own: what it makes memory of is its affair.
    own_new: bool,
    /// The program has a `malloc` of its own, which other functions of a library would call.
    own_malloc: bool,
    /// What the processor's counter has shown.
    pub(super) cycles: u64,
    /// The test that the program runs on, if it was given one.
    pub(super) inputs: Option<Inputs>,
    /// The system that a program with a C library of its own calls.
    pub system: Option<Kernel>,
    /// How much of what the system was given to print was handed on: output, errors.
    pub(super) printed: [u64; 2],
    /// System calls that are not modelled, by name or number, each once.
    pub(super) unknown_calls: Vec<String>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").finish_non_exhaustive()
    }
}

impl Library {
    /// What the processor's counter shows: more than the last time.
    pub fn next_cycles(&mut self) -> u64 {
        self.cycles += 1000;
        self.cycles
    }

    /// Makes the library's own objects and puts their addresses where the program looks. The
    /// program is laid out already, its globals at the addresses that are given.
    ///
    /// # Errors
    /// [`Fault::OutOfMemory`] if there is no room for them.
    pub fn place(program: &Program, memory: &mut Memory, globals: &[Word]) -> Result<Self, Fault> {
        let error_number = memory.allocate(ObjectKind::Global, 4, 4)?;
        let mut streams = [Word::int(0); 3];
        for stream in &mut streams {
            *stream = memory.allocate(ObjectKind::Constant, 1, 1)?;
        }
        let mut class_kinds = [None; 2];
        for (global, at) in program.globals.iter().zip(globals) {
            if let Some(i) = CLASS_KINDS.iter().position(|n| *n == global.name) {
                class_kinds[i] = Some(at.bits);
            }
            if global.content.is_none()
                && let Some(i) = STREAMS.iter().position(|n| *n == global.name)
            {
                memory.initialise_pointer(*at, streams[i])?;
            }
        }
        Ok(Library {
            at_exit: Vec::new(),
            left_at_once: false,
            error_number,
            tables: [None; 3],
            streams,
            class_kinds,
            own_new: cxx::replaces_new(program),
            own_malloc: program
                .functions
                .iter()
                .any(|f| f.name == "malloc" && f.body.is_some()),
            cycles: 0,
            inputs: None,
            system: None,
            printed: [0; 2],
            unknown_calls: Vec::new(),
        })
    }

    /// Whether nothing tells two libraries, and the systems behind them, apart. What is not compared may make it false.
    pub fn is_same(&self, other: &Library) -> bool {
        let systems = match (&self.system, &other.system) {
            (None, None) => true,
            (Some(a), Some(b)) => same_systems(a, b),
            (Some(_), None) | (None, Some(_)) => false,
        };
        systems
            && self.at_exit == other.at_exit
            && self.left_at_once == other.left_at_once
            && self.error_number == other.error_number
            && self.tables == other.tables
            && self.streams == other.streams
            && self.class_kinds == other.class_kinds
            && self.own_new == other.own_new
            && self.own_malloc == other.own_malloc
            && self.cycles == other.cycles
            && self.inputs.is_none()
            && other.inputs.is_none()
            && self.printed == other.printed
            && self.unknown_calls == other.unknown_calls
    }

    /// Whether the program has a `malloc` of its own: memory that functions of the library make is its matter.
    pub fn replaces_malloc(&self) -> bool {
        self.own_malloc
    }

    /// Whether functions of this family may free what a pointer leads to.
    ///
    /// # Errors
    /// [`Fault::MismatchedFree`] if others made it.
    pub fn check_allocator(
        &self,
        memory: &Memory,
        at: Word,
        by: AllocatorFamily,
    ) -> Result<(), Fault> {
        match self.own_new {
            true => Ok(()),
            false => cairn_memory::check_allocator(memory, at, by),
        }
    }

    /// The next function that was registered to run at the end, newest first, and what it is given.
    /// It is not registered any more then.
    pub fn next_at_exit(&mut self) -> Option<(FuncId, Option<Word>)> {
        self.at_exit.pop()
    }

    /// Whether the program left by `_exit`: nothing that was registered runs, and no destructor.
    pub fn left_at_once(&self) -> bool {
        self.left_at_once
    }

    /// Gives the program a system to call.
    ///
    /// # Errors
    /// What of it cannot be set up.
    pub fn boot(&mut self, setup: &Setup, memory: &mut Memory) -> Result<(), SetupError> {
        self.system = Some(Kernel::new(setup, memory)?);
        Ok(())
    }

    /// System calls that are not modelled, by name or number.
    pub fn unknown_calls(&self) -> &[String] {
        &self.unknown_calls
    }

    /// Gives the program a test to run on.
    pub fn give_inputs(&mut self, inputs: Inputs) {
        self.inputs = Some(inputs);
    }

    /// The test that the program runs on.
    pub fn inputs(&self) -> Option<&Inputs> {
        self.inputs.as_ref()
    }

    pub(crate) fn inputs_mut(&mut self) -> Option<&mut Inputs> {
        self.inputs.as_mut()
    }

    /// Where `errno` is: 4 bytes.
    pub fn error_number(&self) -> Word {
        self.error_number
    }
}
