//! RISC-V executables: run on concrete words or explored, with the model of Linux for their system
//! calls.

use super::load::Loaded;
use super::{CheckName, Options};
use crate::environment::{Environment, Meant, meant_arguments};
use crate::exit::{self, Failure};
use crate::output::ProgramOutput;
use crate::say;
use cairn_engine::{HARNESS, MachineCode, SystemSetup};
use cairn_ir::Program;
use cairn_linux::{Abi, Errno, Kernel, Need, Reply, Stream};
use cairn_memory::{FixedError, Memory, MemoryConfig, Word};
use cairn_riscv::{
    Answer, Argument, Arguments, ElfError, Guest, GuestEnd, GuestMachine, GuestOptions, NoOutput,
    SharedGuest, Start, System,
};
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

/// The number of RISC-V in the header of an ELF file, and where it stands.
const MACHINE: u16 = 243;
const MACHINE_AT: usize = 18;

/// Bytes by which a program may move the end of its data.
const BREAK_BYTES: u64 = 1 << 30;

/// Whether a file is an executable for RISC-V.
pub fn is_one(file: &Path) -> bool {
    // Reading from a pipe would take its first bytes away.
    if !file.is_file() {
        return false;
    }
    let mut head = [0; MACHINE_AT + 2];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    let machine = u16::from_le_bytes([head[MACHINE_AT], head[MACHINE_AT + 1]]);
    read.is_ok() && head.starts_with(b"\x7fELF") && machine == MACHINE
}

/// Linux below a guest; what it prints is ours to print.
struct Linux {
    setup: SystemSetup,
    /// The system, or why it could not be set up.
    kernel: Result<Kernel, String>,
    printed: [u64; 2],
    output: ProgramOutput,
    unknown: Vec<String>,
}

impl System for Linux {
    fn prepare(&mut self, memory: &mut Memory, _end: u64) -> Result<(), FixedError> {
        // What cannot be set up is said at the first call.
        self.kernel = Kernel::new(&self.setup, memory).map_err(|e| e.to_string());
        Ok(())
    }

    fn call(&mut self, memory: &mut Memory, number: u64, args: [Word; 6]) -> Answer {
        let kernel = match &mut self.kernel {
            Ok(kernel) => kernel,
            Err(why) => return Answer::NotModelled(why.clone()),
        };
        let mut reply = kernel.call(memory, number, args);
        if reply == Reply::Need(Need::Input) {
            let _ = self.output.flush();
            let mut bytes = vec![0; 1 << 16];
            // What cannot be read is at its end.
            let read = std::io::stdin().read(&mut bytes).unwrap_or(0);
            reply = match kernel.give_input(memory, &bytes[..read]) {
                Ok(()) => kernel.call(memory, number, args),
                Err(errno) => Reply::error(errno),
            };
        }
        self.print(memory);
        match reply {
            Reply::Return(word) => Answer::Return(word),
            Reply::Fault(fault) => Answer::Fault(fault),
            Reply::Exit(code) => Answer::Exit(code),
            Reply::Signal(signal) => Answer::Signal(signal as i32),
            Reply::Handle { signal, .. } => {
                Answer::NotModelled(format!("a handler of signal {signal}"))
            }
            Reply::Random { .. } | Reply::Clock(_) | Reply::Need(_) => {
                Answer::NotModelled("a system call with bytes that are not known".to_string())
            }
            Reply::Unknown { number, name } => {
                let name = name.map_or_else(|| format!("number {number}"), str::to_string);
                if !self.unknown.contains(&name) {
                    self.unknown.push(name);
                }
                Answer::Return(Errno::ENOSYS.reply())
            }
            Reply::Unsupported { what } => Answer::NotModelled(what.to_string()),
        }
    }
}

impl Linux {
    fn print(&mut self, memory: &Memory) {
        let Ok(kernel) = &self.kernel else { return };
        for (i, stream) in [Stream::Output, Stream::Errors].into_iter().enumerate() {
            let (object, size) = kernel.output(stream);
            let printed = &mut self.printed[i];
            let Some(object) = object.filter(|_| size > *printed) else {
                continue;
            };
            let at = Word {
                bits: object.bits + *printed,
                ..object
            };
            let mut bytes = vec![0; (size - *printed) as usize];
            *printed = size;
            if memory.load_bytes(at, &mut bytes).is_err() {
                continue;
            }
            // Failures of standard output are reported when the program has ended.
            let _ = match stream {
                Stream::Output => self.output.write_all(&bytes),
                Stream::Errors => std::io::stderr().write_all(&bytes),
            };
        }
    }
}

/// The function that runs an executable from its first instruction.
pub const ENTRY: &str = "riscv.start";

/// What an executable finds when it starts.
pub struct Surroundings {
    /// The executable.
    pub code: Arc<dyn MachineCode>,
    /// The system.
    pub system: SystemSetup,
}

fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    let why = anyhow::anyhow!("{}: {why}", file.display());
    Failure::new(exit::BAD_INPUT, why)
}

/// The arguments that are meant: words like `--sym-args` stand for some that are inputs.
fn arguments(options: &Options) -> Arguments {
    let name = options.program.as_os_str().as_bytes().to_vec();
    let mut all = vec![Argument::Known(name)];
    let meant = meant_arguments(&options.args).into_iter();
    all.extend(meant.map(|argument| match argument {
        Meant::Known(text) => Argument::Known(text.into_vec()),
        Meant::Unknown { least, most, bytes } => Argument::Unknown { least, most, bytes },
    }));
    Arguments {
        all,
        environment: options.variables.all(),
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

/// What is asked for that only a source has.
fn refused(options: &Options) -> Option<&'static str> {
    if options.check.contains(&CheckName::Overflow) {
        return Some(
            "--check overflow needs a source: instructions of a processor have a result for all numbers",
        );
    }
    (options.entry == HARNESS).then_some(
        "a fuzzing harness needs a source, or a main that calls it: an executable says nothing \
         about what its functions take",
    )
}

/// How an executable is lowered, whoever runs it.
fn guest(options: &Options, guest: GuestOptions) -> Result<Guest, Failure> {
    if let Some(why) = refused(options) {
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    let file = &options.program;
    let guest = GuestOptions {
        in_place_of_main: (options.entry != "main").then(|| options.entry.clone()),
        ..guest
    };
    let bytes = cairn_replay::read_file(file).map_err(|e| bad(file, e))?;
    Guest::new(&file.to_string_lossy(), &bytes, &guest).map_err(|e| match &e {
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

/// Reads an executable that is to be explored.
pub fn load(options: &Options) -> Result<Loaded, Failure> {
    let environment = Environment::of(&options.args)?;
    let arguments = arguments(options);
    if arguments.ways().is_none() {
        let why = "--sym-args in more combinations of numbers of arguments than are supported";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    let guest_options = GuestOptions {
        eager: true,
        calls_system: true,
        checks_division: !options.defined_division,
        arguments: environment.is_described().then(|| arguments.clone()),
        ..GuestOptions::default()
    };
    let guest = guest(options, guest_options)?;
    let image = guest.image(arguments);
    let system = system(environment.explored(&options.host)?, &guest);
    let program = Program::clone(guest.program());
    let code = Arc::new(SharedGuest::new(guest, image));
    Ok(Loaded {
        program,
        unsupported: Vec::new(),
        lost: Vec::new(),
        assembly: None,
        warning: None,
        guest: Some(Surroundings { code, system }),
        libc: super::choose_libc::LibcUse::default(),
    })
}

/// Runs an executable; the result is the exit code.
pub fn run(options: &Options) -> Result<u8, Failure> {
    let file = &options.program;
    let guest = guest(options, GuestOptions::default())?;
    let environment = Environment::of(&options.args)?;
    let mut linux = Linux {
        setup: system(environment.run(&options.host, false)?, &guest),
        kernel: Err("a system call before the program is loaded".to_string()),
        printed: [0; 2],
        output: ProgramOutput::default(),
        unknown: Vec::new(),
    };
    let mut args = vec![file.as_os_str().as_bytes().to_vec()];
    args.extend(options.args.iter().map(|a| a.clone().into_vec()));
    let start = Start {
        args,
        environment: Vec::new(),
    };
    let (config, mut nothing) = (MemoryConfig::default(), NoOutput);
    let end = GuestMachine::new(guest, &start, &config, &mut linux, &mut nothing)
        .map_err(|e| bad(file, e))?
        .run();
    for call in &linux.unknown {
        say!("cairn: the system call {call} is not modelled: ENOSYS");
    }
    let code = match end {
        GuestEnd::Exit(code) => code as u8,
        GuestEnd::Signal(signal) => 128 + signal as u8,
        GuestEnd::Silent => exit::DONE,
        GuestEnd::Limit => exit::INCOMPLETE,
        GuestEnd::Error(error) => {
            say!("cairn: error: {}", error.message);
            for place in &error.trace {
                let function = match place.function.as_str() {
                    "" => "code without a name",
                    name => name,
                };
                match place.line.as_str() {
                    "" => say!("  in {function} at {:#x}", place.address),
                    line => say!("  in {function} at {line} ({:#x})", place.address),
                }
            }
            exit::FOUND
        }
    };
    let _ = linux.output.flush();
    linux.output.finish()?;
    Ok(code)
}
