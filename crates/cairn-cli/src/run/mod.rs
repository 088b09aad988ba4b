//! `cairn run`: runs a program.

mod choose_libc;
mod error_file;
pub(crate) mod explore;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod losses;
mod observer;
pub(crate) mod path_files;
pub(crate) mod profile;
pub(crate) mod resources;
mod riscv;
pub(crate) mod summary;
pub(crate) mod terminal;
mod tracefile;
pub(crate) mod watch;

use crate::bitcode;
use crate::compiler::CompilerFlags;
use crate::environment::{Environment, HostFiles, Variables};
use crate::exit::{self, Failure};
use crate::libc::LibcChoice;
use crate::output::{self, ProgramOutput};
use crate::say;
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_machine::{End, HARNESS, Image, MachineConfig, Report};
use cairn_replay::KTestObject;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The options of `cairn run`.
#[derive(clap::Args)]
pub struct Options {
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
    variables: Variables,

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

impl Options {
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

/// Runs the command; the result is the exit code.
pub fn run(options: &Options) -> Result<u8, Failure> {
    let started = Instant::now();
    let loaded = if riscv::is_one(&options.program) {
        if options.concrete && options.ktest.is_none() {
            return riscv::run(options);
        }
        riscv::load(options)?
    } else {
        match load::load(options, options.explore.deadline(started)) {
            Err(failure) if failure.code == exit::INCOMPLETE && !options.concrete => {
                return explore::nothing_explored(options, &failure, started);
            }
            loaded => loaded?,
        }
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
        losses::write_whole(file, text.as_bytes()).map_err(|e| Failure::unwritable(file, &e))?;
        return Ok(exit::DONE);
    }
    if !options.concrete {
        return explore::explore(options, loaded, started);
    }
    if let Some(guest) = loaded.guest {
        let inputs = options.ktest.as_deref().map(inputs).transpose()?;
        let program = Arc::new(loaded.program);
        let entry = program.find_function(riscv::ENTRY).expect("it has one");
        return run_entry(options, program, Entry::Guest(entry, guest), inputs);
    }
    run_concrete(options, loaded.program)
}

/// The function to start with in a program whose C library, if it has one, is to be prepared first.
pub(crate) fn begin(program: &mut Program, entry: &str) -> Option<FuncId> {
    let entry = program.find_function(entry)?;
    Some(cairn_machine::begin_with(program, entry))
}

fn run_concrete(options: &Options, mut program: Program) -> Result<u8, Failure> {
    let inputs = options.ktest.as_deref().map(inputs).transpose()?;
    if cairn_machine::has_libc(&program) {
        let entry = explore::entry(options, &mut program)?;
        let entry = begin(&mut program, &entry).expect("just found");
        return run_entry(options, Arc::new(program), Entry::Main(entry), inputs);
    }
    let program = Arc::new(program);
    // A program without a main may be a harness, which a test gives its bytes.
    let harness = match (&inputs, program.find_function(&options.entry)) {
        (Some(_), None) => program
            .find_function(HARNESS)
            .filter(|h| program.function(*h).params == [64, 64]),
        (Some(_) | None, _) => None,
    };
    let entry = match harness {
        Some(harness) => Entry::Harness(harness),
        None => Entry::Main(find_entry(&program, options)?),
    };
    run_entry(options, program, entry, inputs)
}

/// What a concrete run begins with.
enum Entry {
    /// The function that runs an executable, and the executable.
    Guest(FuncId, riscv::Surroundings),
    /// A function that takes what `main` does.
    Main(FuncId),
    /// A fuzzing harness, which a test gives its bytes.
    Harness(FuncId),
}

fn run_entry(
    options: &Options,
    program: Arc<Program>,
    entry: Entry,
    inputs: Option<Vec<(String, Vec<u8>)>>,
) -> Result<u8, Failure> {
    let mut args = vec![options.program.clone().into_os_string().into_vec()];
    args.extend(options.args.iter().map(|a| a.clone().into_vec()));
    let config = MachineConfig {
        limit: options.max_instructions,
        variables: options.variables.all(),
        code: match &entry {
            Entry::Guest(_, guest) => Some(Arc::clone(&guest.code)),
            Entry::Main(_) | Entry::Harness(_) => None,
        },
        ..MachineConfig::default()
    };
    let (mut output, mut errors) = (ProgramOutput::default(), std::io::stderr());
    let mut input = std::io::stdin();
    let start = Instant::now();
    let mut image = Image::new(Arc::clone(&program), config)
        .map_err(|e| Failure::new(exit::BAD_INPUT, anyhow::Error::from(e)))?;
    let setup = match &entry {
        Entry::Guest(_, guest) => Some(guest.system.clone()),
        Entry::Main(_) | Entry::Harness(_) if cairn_machine::has_libc(&program) => {
            let environment = Environment::of(&options.args)?;
            Some(environment.run(&options.host, inputs.is_some())?)
        }
        Entry::Main(_) | Entry::Harness(_) => None,
    };
    if let Some(setup) = setup {
        image = image
            .with_system(&setup)
            .map_err(|e| Failure::new(exit::USAGE, anyhow::Error::from(e)))?;
    }
    let machine = image.machine(&mut output, &mut errors);
    let mut machine = machine.with_standard_input(&mut input);
    if let Some(inputs) = inputs {
        machine = machine.with_inputs(inputs);
    }
    let end = match entry {
        Entry::Harness(harness) => machine.run_harness(harness, &args),
        Entry::Main(entry) | Entry::Guest(entry, _) => machine.run(entry, &args),
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
    drop(machine);
    let code = match end {
        End::Exit(code) => code as u8,
        End::Abort(_) => exit::ABORTED,
        End::Signal(signal, _) => exit::SIGNALLED + signal as u8,
        End::Silent => exit::DONE,
        End::Assumption(report) => {
            print_report(&program, &report);
            exit::INCOMPLETE
        }
        End::Limit => {
            say!("cairn: stopped after {executed} instructions");
            exit::INCOMPLETE
        }
        End::Error(report) => {
            print_report(&program, &report);
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

fn find_entry(program: &Program, options: &Options) -> Result<FuncId, Failure> {
    let fail = |why: String| {
        let file = options.program.display();
        Failure::new(exit::BAD_INPUT, anyhow::anyhow!("{file}: {why}"))
    };
    let name = &options.entry;
    let entry = program
        .find_function(name)
        .ok_or_else(|| fail(format!("no function {name}; --entry names another")))?;
    let function = program.function(entry);
    if function.body.is_none() {
        return Err(fail(format!("{name} is declared but not defined")));
    }
    if function.params.len() > 3 || function.params.iter().any(|w| *w > 64) {
        return Err(fail(format!(
            "{name} takes other parameters than argc, argv and envp"
        )));
    }
    Ok(entry)
}

/// One sentence, then the calls that led there.
fn print_report(program: &Program, report: &Report) {
    let mut text = format!("cairn: error: {}\n", report.message);
    for (function, place) in &report.trace {
        let mut place = *place;
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

/// Files below the current folder are named from there, as the user named them.
fn trace_line(program: &Program, function: &str, place: PlaceId) -> String {
    let text = program.place_text(place);
    let here = std::env::current_dir().unwrap_or_default();
    let below = text
        .strip_prefix(&*here.to_string_lossy())
        .and_then(|rest| rest.strip_prefix('/'));
    format!("  in {function} at {}\n", below.unwrap_or(&text))
}
