//! RISC-V executables: run on concrete words or explored, with the model of Linux for their system
//! calls.

use super::{LoadedProgram, Purpose, bad};
use crate::environment::{ArgumentSpec, Environment, HostFiles, ProgramVariables, meant_arguments};
use crate::exit::{self, Failure};
use cairn_engine::{HARNESS, MachineCode, SystemSetup};
use cairn_ir::Program;
use cairn_linux::Abi;
use cairn_riscv::{
    Argument, Convention, ElfError, Guest, GuestArguments, GuestOptions, SharedGuest,
};
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

/// The number of RISC-V in the header of an ELF file, and where it stands.
const MACHINE: u16 = 243;
const MACHINE_AT: usize = 18;

/// Bytes by which a program may move the end of its data.
const BREAK_BYTES: u64 = 1 << 30;

/// Whether a file is an executable for RISC-V.
pub fn is_executable(file: &Path) -> bool {
    // Reading from a pipe would take its first bytes away.
    if !file.is_file() {
        return false;
    }
    let mut head = [0; MACHINE_AT + 2];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    let machine = u16::from_le_bytes([head[MACHINE_AT], head[MACHINE_AT + 1]]);
    read.is_ok() && head.starts_with(b"\x7fELF") && machine == MACHINE
}

/// An executable that is to be run or explored.
pub struct ExecutableRequest<'a> {
    /// The file.
    pub file: &'a Path,
    /// The function that is called in place of `main`, unless it is that.
    pub entry: &'a str,
    /// Its arguments, as the user wrote them: words like `--sym-args` stand for some that are inputs.
    pub args: &'a [OsString],
    /// Variables of its environment.
    pub variables: &'a ProgramVariables,
    /// Files of the host that it may read.
    pub host: &'a HostFiles,
    /// Whether a division by zero is an error.
    pub checks_division: bool,
    /// What its system calls mean; nothing if its layout decides.
    pub abi: Option<Convention>,
    /// What it is prepared for.
    pub purpose: Purpose,
}

/// What the system calls of an executable mean, and who says so.
#[derive(Clone, Copy)]
pub struct AbiUse {
    /// What they mean.
    pub convention: Convention,
    /// Whether the user said so.
    pub abi_given: bool,
}

impl AbiUse {
    /// A line about it, if it is not what everybody expects.
    pub fn text(self) -> Option<String> {
        let name = self.convention.name();
        match (self.abi_given, self.convention) {
            (true, _) => Some(format!("convention of system calls: {name}\n")),
            (false, Convention::Linux) => None,
            (false, Convention::Selfie | Convention::SelfieAse) => Some(format!(
                "convention of system calls: {name}, assumed by the layout of the file (--abi)\n"
            )),
        }
    }
}

/// What an executable finds when it starts.
pub struct LoadedExecutable {
    /// The executable.
    pub code: Arc<dyn MachineCode>,
    /// The system.
    pub system: SystemSetup,
}

/// The arguments that are meant.
fn arguments(request: &ExecutableRequest<'_>) -> GuestArguments {
    let name = request.file.as_os_str().as_bytes().to_vec();
    let mut all = vec![Argument::Known(name)];
    let meant = meant_arguments(request.args).into_iter();
    all.extend(meant.map(|argument| match argument {
        ArgumentSpec::Known(text) => Argument::Known(text.into_vec()),
        ArgumentSpec::Unknown { least, most, bytes } => Argument::Unknown { least, most, bytes },
    }));
    GuestArguments {
        all,
        environment: request.variables.all(),
    }
}

/// The system below an executable.
fn system(setup: SystemSetup, guest: &Guest) -> SystemSetup {
    let end = guest.executable().end().next_multiple_of(4096);
    SystemSetup {
        abi: Abi::Riscv64,
        brk: end..end + BREAK_BYTES,
        ..setup
    }
}

/// Reads an executable and lowers it.
fn guest(file: &Path, options: &GuestOptions) -> Result<Guest, Failure> {
    let bytes = cairn_home::read_file(file).map_err(|e| bad(file, e))?;
    Guest::new(&file.to_string_lossy(), &bytes, options).map_err(|e| match &e {
        ElfError::NoFunction { .. } => bad(
            file,
            format!("{e}; --entry names one that is called in place of main"),
        ),
        ElfError::NotElf
        | ElfError::CutOff { .. }
        | ElfError::Unsupported { .. }
        | ElfError::Dynamic { .. }
        | ElfError::NoSegments
        | ElfError::Segment { .. }
        | ElfError::Entry { .. } => bad(file, e),
    })
}

/// Reads an executable that is to be run or explored.
///
/// # Errors
/// What is wrong with it, or with what is described of its surroundings.
pub fn load_executable(request: &ExecutableRequest<'_>) -> Result<LoadedProgram, Failure> {
    if request.entry == HARNESS {
        let why = "a fuzzing harness needs a source, or a main that calls it: an executable says \
                   nothing about what its functions take";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    let environment = Environment::of(request.args)?;
    let arguments = arguments(request);
    if arguments.ways().is_none() {
        let why = "--sym-args in more combinations of numbers of arguments than are supported";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    let options = GuestOptions {
        // One run comes to a part of the code only; an exploration shows how much of all was covered.
        eager: request.purpose == Purpose::Explore,
        checks_division: request.checks_division,
        arguments: environment.is_described().then(|| arguments.clone()),
        convention: request.abi,
        in_place_of_main: (request.entry != "main").then(|| request.entry.to_string()),
        ..GuestOptions::default()
    };
    let guest = guest(request.file, &options)?;
    let system = system(environment.system(request.host, request.purpose)?, &guest);
    let program = Program::clone(guest.program());
    let abi = AbiUse {
        convention: guest.convention(),
        abi_given: request.abi.is_some(),
    };
    let code = Arc::new(SharedGuest::new(guest, arguments));
    Ok(LoadedProgram {
        executable: Some(LoadedExecutable { code, system }),
        abi: Some(abi),
        ..LoadedProgram::of(program)
    })
}
