//! `cairn run`: explores a program on symbolic inputs; `--concrete` runs it once.

mod choices;
mod error_file;
pub(crate) mod explore;
mod hard_queries;
mod layout;
pub(crate) mod limits;
pub(crate) mod profile;
mod query_journal;
pub(crate) mod summary;
pub(crate) mod terminal;
mod tracefile;
pub(crate) mod watch;

use crate::bitcode;
use crate::compiler::CompilerFlags;
use crate::environment::{Environment, HostFiles, ProgramVariables};
use crate::exit::{self, Failure};
use crate::hints::with_hint;
use crate::output::{self, ProgramOutput};
use crate::prepare::{
    self, DescribedSystem, ExecutableRequest, LibcChoice, LoadedProgram, Purpose, Request,
};
use crate::say;
use cairn_ir::{PlaceId, Program};
use cairn_llvm::LowerOptions;
use cairn_machine::{End, Image, MachineCode, MachineConfig, Report};
use cairn_replay::KTestObject;
use cairn_riscv::Convention;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The options of `cairn run`.
#[derive(clap::Args)]
pub struct RunArguments {
    /// The program: C or C++ source, LLVM bitcode (.bc) or assembly (.ll), a program or object that
    /// was built with `cairn cc`, a static RISC-V executable, or Cairn's own form (.cir)
    program: PathBuf,

    /// Runs it once on concrete values, with its own output and exit code
    #[arg(long)]
    concrete: bool,

    /// The test that a concrete run takes its inputs from
    #[arg(long, value_name = "FILE", requires = "concrete")]
    ktest: Option<PathBuf>,

    /// The function to start with
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    entry: String,

    /// The C library that the program is linked with: musl, or none (a small one of Cairn's own);
    /// by default musl if the program was built with it, its environment is described, or it needs
    /// a function that Cairn's own does not have
    #[arg(long, value_name = "LIBRARY")]
    libc: Option<LibcChoice>,

    #[command(flatten)]
    host: HostFiles,

    #[command(flatten)]
    variables: ProgramVariables,

    #[command(flatten)]
    compiler: CompilerFlags,

    #[command(flatten)]
    explore: explore::ExploreOptions,

    /// Adds checks that are off by default: overflow, leak, uninit
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    check: Vec<CheckName>,

    /// RISC-V executables: a division by zero has the processor's result, and is no error
    #[arg(long)]
    defined_division: bool,

    /// RISC-V executables: whose system calls they make; by default the layout of the file says
    #[arg(long, value_name = "CONVENTION")]
    abi: Option<Abi>,

    /// Ends the run after this many instructions
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,

    /// Lists what the program contains that is not supported, and does not run it
    #[arg(long)]
    list_unsupported: bool,

    /// Writes the program in Cairn's own form to a file, and does not run it
    #[arg(long, value_name = "FILE")]
    emit_cir: Option<PathBuf>,

    /// Prints instructions and time to standard error at the end
    #[arg(long)]
    stats: bool,

    /// Arguments of the program
    #[arg(last = true, value_name = "ARG")]
    args: Vec<OsString>,
}

/// Whose system calls a RISC-V executable makes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Abi {
    /// Linux's
    Linux,
    /// Those of Selfie's own emulator (files of two segments, code at 0x10000)
    Selfie,
    /// Those of the fork of Selfie that the ASE'21 paper measures: brk answers with the break before it, 42
    /// makes a word an input (files of one segment, at byte 0x80 and address 0x10000)
    SelfieAse,
}

impl Abi {
    fn convention(self) -> Convention {
        match self {
            Abi::Linux => Convention::Linux,
            Abi::Selfie => Convention::Selfie,
            Abi::SelfieAse => Convention::SelfieAse,
        }
    }
}

/// Checks that are off by default.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CheckName {
    /// Signed arithmetic that leaves its range
    Overflow,
    /// Memory that is never freed and that nothing points to
    Leak,
    /// Decisions that depend on memory that was never written
    Uninit,
}

impl RunArguments {
    /// The C library that is meant; nothing if what the program needs decides.
    ///
    /// # Errors
    /// If what else is asked for needs one and none is wanted.
    fn libc(&self) -> Result<Option<LibcChoice>, Failure> {
        let environment = Environment::of(&self.args)?;
        let needed = environment.is_described() || self.host.any() || self.variables.any();
        match self.libc {
            Some(LibcChoice::None) if needed => {
                let why = "--sym-args and the like, --max-fail, --file, --ro-dir and --env need a C \
                           library; leave out --libc none";
                Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)))
            }
            Some(choice) => Ok(Some(choice)),
            None if needed || bitcode::is_for_musl(&self.program) => Ok(Some(LibcChoice::Musl)),
            None => Ok(None),
        }
    }
}

impl RunArguments {
    /// What the program is prepared for.
    fn purpose(&self) -> Purpose {
        match (self.concrete, &self.ktest) {
            (false, _) => Purpose::Explore,
            (true, None) => Purpose::Run,
            (true, Some(_)) => Purpose::RunOnTest,
        }
    }

    /// What is described of the program's surroundings.
    fn described(&self) -> Result<DescribedSystem<'_>, Failure> {
        Ok(DescribedSystem {
            environment: Environment::of(&self.args)?,
            host: &self.host,
        })
    }

    /// The program as the user named it, and its arguments.
    fn program_arguments(&self) -> Vec<Vec<u8>> {
        let name = self.program.clone().into_os_string().into_vec();
        let rest = self.args.iter().map(|a| a.clone().into_vec());
        [name].into_iter().chain(rest).collect()
    }
}

/// Runs the command; the result is the exit code.
pub fn run(options: &RunArguments) -> Result<u8, Failure> {
    let started = Instant::now();
    let loaded = match load(options, started) {
        Err(failure) if failure.code == exit::INCOMPLETE && !options.concrete => {
            return explore::nothing_explored(options, &failure, started);
        }
        loaded => loaded?,
    };
    for warning in loaded.warning.iter().chain(&loaded.libc.warning) {
        say!("cairn: warning: {warning}");
    }
    if options.list_unsupported {
        let lines = loaded.unsupported.iter();
        output::print(lines.map(|line| format!("{line}\n")).collect::<String>())?;
        return Ok(exit::DONE);
    }
    if let Some(file) = &options.emit_cir {
        let text = cairn_ir::text::print(&loaded.program);
        crate::recorder::write_failures::write_whole(file, text.as_bytes())
            .map_err(|e| Failure::unwritable(file, &e))?;
        return Ok(exit::DONE);
    }
    if !options.concrete {
        return explore::explore(options, loaded, started);
    }
    run_concrete(options, loaded)
}

/// Loads the program that the options name.
fn load(options: &RunArguments, started: Instant) -> Result<LoadedProgram, Failure> {
    let check_signed_overflow = options.check.contains(&CheckName::Overflow);
    if prepare::is_executable(&options.program) {
        if check_signed_overflow {
            let why = "--check overflow needs a source: instructions of a processor have a result \
                       for all numbers";
            return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
        }
        return prepare::load_executable(&ExecutableRequest {
            file: &options.program,
            entry: &options.entry,
            args: &options.args,
            variables: &options.variables,
            host: &options.host,
            checks_division: !options.defined_division,
            abi: options.abi.map(Abi::convention),
            purpose: options.purpose(),
        });
    }
    if options.abi.is_some() {
        let why =
            "--abi says what the system calls of a RISC-V executable mean; this program is none";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    prepare::load(Request {
        file: &options.program,
        flags: options.compiler.flags(),
        checks: LowerOptions {
            check_signed_overflow,
            check_folded: true,
            check_scopes: true,
            keep_assembly: options.explore.write_ll,
            ..LowerOptions::default()
        },
        libc: options.libc()?,
        deadline: options.explore.deadline(started),
    })
}

/// Runs the program once; the result is the exit code.
fn run_concrete(options: &RunArguments, loaded: LoadedProgram) -> Result<u8, Failure> {
    let inputs = options.ktest.as_deref().map(inputs).transpose()?;
    let prepared = loaded.for_running(
        &options.program,
        &options.entry,
        &options.described()?,
        options.purpose(),
    )?;
    let args = options.program_arguments();
    let config = MachineConfig {
        limit: options.max_instructions,
        variables: options.variables.all(),
        code: prepared.code.clone(),
        ..MachineConfig::default()
    };
    let (mut output, mut errors) = (ProgramOutput::default(), std::io::stderr());
    let mut input = std::io::stdin();
    let start = Instant::now();
    // The program of an executable grows, which is a copy for all others that hold it.
    let mut image = Image::new(prepared.program, config)
        .map_err(|e| Failure::new(exit::BAD_INPUT, anyhow::Error::from(e)))?;
    if let Some(setup) = &prepared.system {
        image = image
            .with_system(setup)
            .map_err(|e| Failure::new(exit::USAGE, anyhow::Error::from(e)))?;
    }
    let machine = image.machine(&mut output, &mut errors);
    drop(image);
    let mut machine = machine.with_standard_input(&mut input);
    if let Some(inputs) = inputs {
        machine = machine.with_inputs(inputs);
    }
    let end = match prepared.is_harness {
        true => machine.run_harness(prepared.entry, &args),
        false => machine.run(prepared.entry, &args),
    };
    if let Some(misfit) = machine.misfit() {
        say!("cairn: {misfit}");
    }
    for call in machine.unknown_calls() {
        say!("cairn: the system call {call} is not modelled: ENOSYS");
    }
    let executed = machine.executed();
    if options.stats {
        let seconds = start.elapsed().as_secs_f64();
        say!(
            "cairn: {executed} instructions in {seconds:.3} s, {:.1} million per second",
            executed as f64 / seconds / 1e6
        );
    }
    let program = Arc::clone(machine.program());
    drop(machine);
    let print_report = |report: &Report| print_report(&program, prepared.code.as_deref(), report);
    let code = match end {
        End::Exit(code) => code as u8,
        End::Abort(_) => exit::ABORTED,
        End::Signal(signal, _) => exit::SIGNALLED + signal as u8,
        End::Silent => exit::DONE,
        End::Assumption(report) => {
            print_report(&report);
            exit::INCOMPLETE
        }
        End::Limit => {
            say!("cairn: stopped after {executed} instructions");
            exit::INCOMPLETE
        }
        End::Error(report) => {
            print_report(&report);
            exit::FOUND
        }
    };
    output.finish()?;
    Ok(code)
}

/// The objects of a test.
fn inputs(file: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let test = crate::ktest::read(file)?;
    let objects = test.objects.into_iter();
    let named = |o: KTestObject| (String::from_utf8_lossy(&o.name).into_owned(), o.bytes);
    Ok(objects.map(named).collect())
}

/// One sentence, then the calls that led there.
fn print_report(program: &Program, code: Option<&dyn MachineCode>, report: &Report) {
    let mut text = format!("cairn: error: {}\n", with_hint(&report.message));
    for (function, place) in &report.trace {
        let mut place = *place;
        if let Some(code) = code {
            // Functions that the lowering adds have no place.
            if place != PlaceId::UNKNOWN {
                text += &guest_line(program, place, code.address_of(place));
            }
            continue;
        }
        // Calls that were inlined are calls to the reader.
        while let Some(outer) = program.place(place).inlined_at {
            let name = &program.names[program.place(place).function as usize];
            text += &trace_line(program, name, place);
            place = outer;
        }
        text += &trace_line(program, &program.function(*function).name, place);
    }
    output::errors(&text);
}

/// A call in an executable.
fn guest_line(program: &Program, place: PlaceId, address: u64) -> String {
    let function = match program.names[program.place(place).function as usize].as_str() {
        "" => "code without a name",
        name => name,
    };
    match program.place_text(place).as_str() {
        "" => format!("  in {function} at {address:#x}\n"),
        line => format!("  in {function} at {line} ({address:#x})\n"),
    }
}

/// Files below the current folder are named from there, as the user named them.
fn trace_line(program: &Program, function: &str, place: PlaceId) -> String {
    let text = program.place_text(place);
    let here = std::env::current_dir().unwrap_or_default();
    let below = text
        .strip_prefix(&*here.to_string_lossy())
        .and_then(|rest| rest.strip_prefix('/'));
    format!("  in {function} at {}\n", below.unwrap_or(&text))
}
