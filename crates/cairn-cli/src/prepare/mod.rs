//! From a file to a program that is ready to run: the one place where commands get their programs.
//!
//! - [`load()`] reads a file: a source is compiled, a module is lowered and linked with a C library.
//!   [`load_executable`] reads an executable for RISC-V ([`is_executable`]).
//! - [`LoadedProgram::for_exploring`] and [`LoadedProgram::for_running`] give it what it needs before it starts: the function that
//!   it begins in, code for library functions whose bytes are not known, a harness, its system.

mod choose_libc;
mod entry;
mod executable;
mod libc;
mod load;

pub use choose_libc::LibcUse;
pub use executable::{AbiUse, ExecutableRequest, is_executable, load_executable};
pub use libc::{Libc, LibcChoice};
pub use load::{LoadedProgram, Request, load};

use crate::environment::{Environment, HostFiles};
use crate::exit::{self, Failure};
use cairn_engine::{Config, MachineCode, SystemSetup};
use cairn_ir::{FuncId, Program};
use cairn_machine::{CODE_ENTRY, has_libc};
use std::path::Path;
use std::sync::Arc;

/// What a program is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is explored.
    Explore,
    /// It is run once, with our own standard input.
    Run,
    /// It is run once, on a test.
    RunOnTest,
}

/// The function that an exploration starts with, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFunction<'a> {
    /// It takes what `main` does. If it is `main` and there is none, a fuzzing harness is called in its place.
    Main(&'a str),
    /// Whatever it takes, as KLEE does: the first three values are those of `main`.
    Any(&'a str),
}

/// What is described of a program's surroundings.
pub struct DescribedSystem<'a> {
    /// Inputs that are not arguments.
    pub environment: Environment,
    /// Files of the host that it may read.
    pub host: &'a HostFiles,
}

/// A program that is ready to start.
pub struct PreparedProgram {
    /// The program.
    pub program: Arc<Program>,
    /// The function to start with.
    pub entry: FuncId,
    /// Whether that is a fuzzing harness, which a test gives its bytes.
    pub is_harness: bool,
    /// The executable that it was made from, if it was.
    pub code: Option<Arc<dyn MachineCode>>,
    /// The system that it calls, if it calls one.
    pub system: Option<SystemSetup>,
}

impl PreparedProgram {
    /// Tells an exploration what it starts with; the program.
    pub fn configure(self, config: &mut Config) -> Arc<Program> {
        config.entry = self.program.function(self.entry).name.clone();
        config.code = self.code;
        config.system = self.system;
        self.program
    }
}

impl LoadedProgram {
    /// Makes the program ready to be explored from a function on. `file` is what messages call the program.
    ///
    /// # Errors
    /// What it lacks, or that is wrong with its surroundings.
    pub fn for_exploring(
        self,
        file: &Path,
        entry: EntryFunction<'_>,
        described: &DescribedSystem<'_>,
    ) -> Result<PreparedProgram, Failure> {
        let mut program = self.program;
        if let Some(executable) = self.executable {
            return Ok(executable.prepared(Arc::new(program)));
        }
        let entry = match entry {
            EntryFunction::Main(name) => entry::with_harness(file, name, &mut program)?,
            EntryFunction::Any(name) => entry::defined(file, name, &program)?,
        };
        cairn_machine::link_runtime(&mut program)
            .map_err(|e| Failure::new(exit::BUG, anyhow::Error::from(e)))?;
        with_system(program, entry, described, Purpose::Explore)
    }

    /// Makes the program ready to be run once.
    ///
    /// # Errors
    /// As for [`LoadedProgram::for_exploring`].
    pub fn for_running(
        self,
        file: &Path,
        entry: &str,
        described: &DescribedSystem<'_>,
        purpose: Purpose,
    ) -> Result<PreparedProgram, Failure> {
        let mut program = self.program;
        if let Some(executable) = self.executable {
            let program = executable.code.program();
            return Ok(executable.prepared(program));
        }
        let entry = if has_libc(&program) {
            entry::with_harness(file, entry, &mut program)?
        } else if let Some(harness) = entry::harness(&program, entry, purpose) {
            return Ok(PreparedProgram {
                program: Arc::new(program),
                entry: harness,
                is_harness: true,
                code: None,
                system: None,
            });
        } else {
            entry::find(file, entry, &program)?
        };
        with_system(program, entry, described, purpose)
    }
}

/// Lets a program begin in its C library, if it has one, and gives it a system then.
fn with_system(
    mut program: Program,
    entry: FuncId,
    described: &DescribedSystem<'_>,
    purpose: Purpose,
) -> Result<PreparedProgram, Failure> {
    let entry = cairn_machine::begin_with(&mut program, entry);
    let system = match has_libc(&program) {
        true => Some(described.environment.system(described.host, purpose)?),
        false => None,
    };
    Ok(PreparedProgram {
        program: Arc::new(program),
        entry,
        is_harness: false,
        code: None,
        system,
    })
}

impl executable::LoadedExecutable {
    /// The program of an executable, which finds the rest on its stack.
    fn prepared(self, program: Arc<Program>) -> PreparedProgram {
        PreparedProgram {
            entry: program
                .find_function(CODE_ENTRY)
                .expect("every executable has it"),
            program,
            is_harness: false,
            code: Some(self.code),
            system: Some(self.system),
        }
    }
}

/// The failure of a file that cannot be used.
fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    let why = anyhow::anyhow!("{}: {why}", file.display());
    Failure::new(exit::BAD_INPUT, why)
}
