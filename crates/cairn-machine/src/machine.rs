//! The concrete machine: a program, its memory and a small world, run from start to end.
//!
//! An [`Image`] is a program laid out before it starts. A machine begins with a copy of it, which
//! costs a handful of references, so that one program can be run many times.

use crate::layout::undefined_global;
use crate::machine_code::{MachineCode, TRANSLATE, fault_text, no_code_text};
use crate::natives::{self, Ending, Inputs, Library, Native, NativeContext, StandardStreams};
use crate::process::{LayoutError, NextCall, Process, Stage, entry_arguments};
use crate::step::{Stop, run};
use crate::streams::Streams;
use crate::thread::{AnyValue, FrameArguments, Thread};
use crate::{CodeTable, Concrete};
use cairn_bv::BitVec;
use cairn_ir::{CheckKind, FuncId, PlaceId, Program};
use cairn_linux::{Setup, SetupError};
use cairn_memory::{Fault, Memory, MemoryConfig, Word};
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;

/// What a machine is told before it runs.
#[derive(Clone, Debug, Default)]
pub struct MachineConfig {
    /// Limits of memory.
    pub memory: MemoryConfig,
    /// Operations after which the run ends; `None` is no limit. Default is `None`.
    pub limit: Option<u64>,
    /// The environment's variables, each `NAME=VALUE`.
    pub variables: Vec<Vec<u8>>,
    /// The executable that the program was made from, if it was. Default is `None`.
    pub code: Option<Arc<dyn MachineCode>>,
    /// Checks that are passed even if they fail. Default is none.
    pub unchecked: Vec<CheckKind>,
}

/// An error in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, in one sentence.
    pub message: String,
    /// What kind of error.
    pub cause: Cause,
    /// The calls that had not returned, newest first.
    pub trace: Vec<(FuncId, PlaceId)>,
}

/// The kind of error that ended a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A check of the program form failed.
    Check(CheckKind),
    /// An error of memory.
    Fault(Fault),
    /// A function or variable that no module defines and the library does not provide.
    Undefined,
    /// A call of an address where no function is.
    NoFunction,
    /// Something that is not modelled.
    NotModelled,
    /// The library was used wrongly, or the program reported an error itself.
    Reported,
    /// The program called `abort`.
    Abort,
    /// An assertion failed.
    Assertion,
    /// The program assumed something that does not hold for its input.
    Assumption,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended with this code.
    Exit(i32),
    /// The program called `abort` or a failed assertion did.
    Abort(Report),
    /// A signal that the program sent itself ended it.
    Signal(u32, Report),
    /// An error in the program.
    Error(Report),
    /// The program assumed something that does not hold for its input.
    Assumption(Report),
    /// The program asked to end without a word (`klee_silent_exit`).
    Silent,
    /// The limit of operations was reached.
    Limit,
}

/// A [`Process`] made ready for the concrete machine, which can run it many times. A clone shares everything.
#[derive(Clone)]
pub struct Image {
    table: Rc<CodeTable<Word>>,
    domain: Concrete,
    library: Library,
    natives: Rc<[Option<Native>]>,
    config: MachineConfig,
}

impl Image {
    /// Lays a verified program out in memory.
    ///
    /// # Errors
    /// [`LayoutError`] if it does not fit.
    pub fn new(program: Arc<Program>, config: MachineConfig) -> Result<Self, LayoutError> {
        let process = Process::new(&program, &config.memory, config.code.as_deref())?;
        let domain = Concrete::new(&program, process.memory, process.globals);
        let natives = natives::of_program(&program, config.code.as_deref()).into();
        Ok(Image {
            table: Rc::new(CodeTable::new(program)),
            domain,
            library: process.library,
            natives,
            config,
        })
    }

    /// The same with a system that the program can call.
    ///
    /// # Errors
    /// What of it cannot be set up.
    pub fn with_system(mut self, setup: &Setup) -> Result<Self, SetupError> {
        self.library.boot(setup, &mut self.domain.memory)?;
        Ok(self)
    }

    /// A machine that starts here. What the program prints goes to `output` and `errors`.
    pub fn machine<'w>(&self, output: &'w mut dyn Write, errors: &'w mut dyn Write) -> Machine<'w> {
        let image = self.clone();
        Machine {
            table: image.table,
            domain: image.domain,
            library: image.library,
            streams: Streams::new(output, errors),
            natives: image.natives,
            config: image.config,
            executed: 0,
            stop: None,
        }
    }
}

/// The machine.
pub struct Machine<'w> {
    table: Rc<CodeTable<Word>>,
    domain: Concrete,
    library: Library,
    streams: Streams<'w>,
    natives: Rc<[Option<Native>]>,
    config: MachineConfig,
    executed: u64,
    stop: Option<&'w dyn Fn() -> bool>,
}

impl<'w> Machine<'w> {
    /// Lays a verified program out in memory. What it prints goes to `output` and `errors`.
    ///
    /// # Errors
    /// [`LayoutError`] if it does not fit.
    pub fn new(
        program: Arc<Program>,
        config: MachineConfig,
        output: &'w mut dyn Write,
        errors: &'w mut dyn Write,
    ) -> Result<Self, LayoutError> {
        Ok(Image::new(program, config)?.machine(output, errors))
    }

    /// Gives the program inputs: the objects of a test, in its order.
    #[must_use]
    pub fn with_inputs(mut self, objects: Vec<(String, Vec<u8>)>) -> Self {
        self.library.give_inputs(Inputs::new(objects));
        self
    }

    /// Reads an [awaited](cairn_linux::StandardInput::Awaited) standard input from here, when the program asks
    /// for it.
    #[must_use]
    pub fn with_standard_input(mut self, input: &'w mut dyn Read) -> Self {
        self.streams.input = Some(input);
        self
    }

    /// Ends the run after this many operations.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.config.limit = Some(limit);
        self
    }

    /// Ends the run as at its limit when this says so; it is asked now and then.
    #[must_use]
    pub fn stopping_when(mut self, stop: &'w dyn Fn() -> bool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Where the inputs that the program asked for were not those of the test: the first such
    /// place, in one sentence.
    pub fn misfit(&self) -> Option<&str> {
        self.library.inputs().and_then(Inputs::misfit)
    }

    /// System calls of the program that are not modelled, by name or number.
    pub fn unknown_calls(&self) -> &[String] {
        self.library.unknown_calls()
    }

    /// Whether there is memory that was not freed.
    pub fn leaks(&self) -> bool {
        self.domain.memory.heap_objects().next().is_some()
    }

    /// Operations executed so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        self.table.program()
    }

    /// Runs constructors, the entry function with arguments, and what follows it. The program of an
    /// executable begins in [`CODE_ENTRY`](crate::CODE_ENTRY).
    pub fn run(&mut self, entry: FuncId, args: &[Vec<u8>]) -> End {
        let code = self.config.code.as_deref();
        let variables = &self.config.variables;
        let memory = &mut self.domain.memory;
        let arguments = match entry_arguments(memory, code, args, variables) {
            Ok(arguments) => arguments,
            Err(fault) => return failed_outside("the arguments of the program", fault),
        };
        let takes = self.program().function(entry).params.len();
        self.run_stages(|machine| {
            let args = arguments.into_iter().take(takes).map(AnyValue::Value);
            let results = machine.call(entry, args.collect())?;
            Ok(match results.first() {
                Some(AnyValue::Value(code)) => code.bits as u32 as i32,
                Some(AnyValue::Wide(_)) | None => 0,
            })
        })
    }

    /// Runs all stages of the program; `entry` runs the entry, its result is the exit code.
    pub(crate) fn run_stages(&mut self, entry: impl Fn(&mut Self) -> Result<i32, End>) -> End {
        let mut stage = Stage::Constructor(0);
        let end = loop {
            let ended = match stage.begin(self.table.program(), &mut self.library) {
                NextCall::Entry => {
                    stage = Stage::Entry;
                    entry(self)
                }
                NextCall::Call(now, function, argument) => {
                    stage = now;
                    let args = argument.into_iter().map(AnyValue::Value).collect();
                    self.call(function, args).map(|_| 0)
                }
                NextCall::End(code) => break End::Exit(code),
            };
            stage = match ended {
                Ok(code) => stage.after_return(code),
                Err(End::Exit(code)) if !self.library.left_at_once() => {
                    match stage.after_exit(code) {
                        Some(next) => next,
                        None => break End::Exit(code),
                    }
                }
                Err(end) => break end,
            };
        };
        self.streams.flush();
        end
    }

    pub(crate) fn memory(&mut self) -> &mut Memory {
        &mut self.domain.memory
    }

    pub(crate) fn library_mut(&mut self) -> &mut Library {
        &mut self.library
    }

    /// Calls a function and runs it to its return.
    pub(crate) fn call(
        &mut self,
        function: FuncId,
        args: Vec<AnyValue<Word, BitVec>>,
    ) -> Result<Vec<AnyValue<Word, BitVec>>, End> {
        let mut thread = Thread::default();
        let mut table = Rc::clone(&self.table);
        if table.program().function(function).body.is_none() {
            let name = &table.program().function(function).name;
            return Err(End::Error(Report {
                message: format!("{name} is not defined"),
                cause: Cause::Undefined,
                trace: Vec::new(),
            }));
        }
        if let Err(fault) = thread.start(&table, &mut self.domain, function, args) {
            let message = fault.to_string();
            return Err(error(&table, &thread, message, Cause::Fault(fault)));
        }
        loop {
            let limit = match self.config.limit {
                Some(limit) => limit.saturating_sub(self.executed).min(SLICE),
                None => SLICE,
            };
            if limit == 0 {
                return Err(End::Limit);
            }
            let before = thread.executed;
            let stop = run(&table, &mut self.domain, &mut thread, limit);
            self.executed += thread.executed - before;
            match stop {
                Stop::Limit if self.stop.is_some_and(|stop| stop()) => return Err(End::Limit),
                Stop::Limit => {}
                Stop::Returned(results) => return Ok(results),
                Stop::Bodiless {
                    function,
                    args,
                    extra,
                    results,
                } => {
                    let native = self.natives.get(function.index()).copied().flatten();
                    let Some(native) = native else {
                        // The table is the machine's alone while its program grows.
                        drop(table);
                        let grown = self.grow(&mut thread, function, &args)?;
                        table = Rc::clone(&self.table);
                        if grown {
                            continue;
                        }
                        let name = &table.program().function(function).name;
                        let message = format!("{name} is not defined and not provided");
                        return Err(error(&table, &thread, message, Cause::Undefined));
                    };
                    let mut around = NativeContext {
                        memory: &mut self.domain.memory,
                        library: &mut self.library,
                        output: &mut self.streams,
                        functions: &|address| table.function_at(address),
                    };
                    match natives::call(native, &mut around, args, extra, &results) {
                        Ok(answer) => thread.answer(&table, answer),
                        // Handlers of an executable are called by its own code.
                        Err(Ending::Handler(handler)) if self.config.code.is_none() => {
                            let domain = &mut self.domain;
                            if let Err(fault) = thread.handle(&table, domain, &handler, |w| w) {
                                return Err(self.fault(&thread, fault));
                            }
                        }
                        Err(ending) => return Err(self.ended(&thread, ending)),
                    }
                }
                Stop::CheckFailed { kind, .. } if self.config.unchecked.contains(&kind) => {}
                Stop::CheckFailed { kind, message } => {
                    let message = natives::check_text(kind, &message);
                    return Err(error(&table, &thread, message, Cause::Check(kind)));
                }
                Stop::WrongType { function } => {
                    let name = &table.program().function(function).name;
                    if natives::unimplemented_virtual(name).is_some() {
                        return Err(self.ended(&thread, Ending::Abort));
                    }
                    let message = format!("{name} is called with other types than it has");
                    let cause = Cause::Check(CheckKind::FunctionType);
                    return Err(error(&table, &thread, message, cause));
                }
                Stop::CalleeUndecided { address } => {
                    let (message, cause) = match address.bits {
                        0 => {
                            let fault = Fault::Null {
                                address: 0,
                                length: 0,
                            };
                            let message = "call of a null function pointer".to_string();
                            (message, Cause::Fault(fault))
                        }
                        bits => {
                            let message = format!("call of {bits:#x}, which is no function");
                            (message, Cause::NoFunction)
                        }
                    };
                    return Err(error(&table, &thread, message, cause));
                }
                Stop::Access(fault) => return Err(self.fault(&thread, fault)),
                Stop::Dead => {
                    let message = "a function that does not return did".to_string();
                    let cause = Cause::Check(CheckKind::Unreachable);
                    return Err(error(&table, &thread, message, cause));
                }
                // The concrete machine asks for no stop points.
                Stop::Arrived(_) => {}
                Stop::Branch { .. } | Stop::Switch { .. } | Stop::CheckUndecided { .. } => {
                    unreachable!("concrete values are known")
                }
            }
        }
    }

    /// If a call needs code that a program made from machine code does not have yet: adds the code and lets
    /// the call go on. Returns whether that was so.
    fn grow(
        &mut self,
        thread: &mut Thread<Word, BitVec>,
        function: FuncId,
        args: &FrameArguments<Word, BitVec>,
    ) -> Result<bool, End> {
        let Some(code) = self.config.code.clone() else {
            return Ok(false);
        };
        if self.table.program().function(function).name != TRANSLATE {
            self.give_up_program();
            let lowered = code.lower(function);
            let found = lowered.is_some();
            self.go_on_with(lowered.unwrap_or_else(|| code.program()), thread);
            if found {
                thread.retry();
            }
            return Ok(found);
        }
        let address = match args.first() {
            Some((AnyValue::Value(address), _)) => address.bits,
            Some((AnyValue::Wide(_), _)) | None => return Ok(false),
        };
        if !code.code().iter().any(|range| range.contains(&address)) {
            let cause = Cause::Check(match address {
                0 => CheckKind::Null,
                _ => CheckKind::Undefined,
            });
            return Err(error(&self.table, thread, no_code_text(address), cause));
        }
        self.give_up_program();
        let found = match code.translate(address) {
            Ok((found, program)) => {
                self.go_on_with(program, thread);
                found
            }
            Err(why) => {
                self.go_on_with(code.program(), thread);
                return Err(error(&self.table, thread, why, Cause::NotModelled));
            }
        };
        let started = thread.divert(&self.table, &mut self.domain, found, Vec::new());
        started.map_err(|fault| self.fault(thread, fault))?;
        Ok(true)
    }

    /// Lets go of the program, so that the executable can add to it without a copy: unless the table is
    /// that of other machines too.
    fn give_up_program(&mut self) {
        if let Some(table) = Rc::get_mut(&mut self.table) {
            table.exchange(Arc::new(Program::new()));
        }
    }

    /// Takes a program that has grown.
    fn go_on_with(&mut self, program: Arc<Program>, thread: &Thread<Word, BitVec>) {
        if let Some(table) = Rc::get_mut(&mut self.table) {
            table.exchange(program);
            return;
        }
        // Other machines keep the table as it is.
        let table = CodeTable::new(program);
        for (function, _) in thread.calls() {
            table.code(&self.domain, function);
        }
        self.table = Rc::new(table);
    }

    fn ended(&self, thread: &Thread<Word, BitVec>, ending: Ending) -> End {
        let report = |message: String, cause| Report {
            message,
            cause,
            trace: thread.trace(&self.table),
        };
        match ending {
            Ending::Exit(code) | Ending::ExitNow(code) => End::Exit(code),
            Ending::Silent => End::Silent,
            Ending::Signal(signal) => {
                let message = format!("signal {signal} ends the program");
                End::Signal(signal, report(message, Cause::Reported))
            }
            Ending::Handler(handler) => {
                let message = format!(
                    "a handler of signal {} is not called",
                    handler.delivery.signal
                );
                End::Error(report(message, Cause::NotModelled))
            }
            Ending::Abort => End::Abort(report("abort was called".to_string(), Cause::Abort)),
            Ending::Assertion { condition, .. } => {
                let message = format!("assertion failed: {condition}");
                End::Abort(report(message, Cause::Assertion))
            }
            Ending::Assumption(message) => End::Assumption(report(message, Cause::Assumption)),
            Ending::Fault(fault) => self.fault(thread, fault),
            Ending::Wrong(message) => End::Error(report(message, Cause::Reported)),
            Ending::ErrorCall(message) => End::Error(report(message, Cause::Assertion)),
            Ending::NotModelled(message) => End::Error(report(message, Cause::NotModelled)),
        }
    }

    /// The end by a fault. An access to an undefined global is not the program's error.
    fn fault(&self, thread: &Thread<Word, BitVec>, fault: Fault) -> End {
        if let Some(name) = undefined_global(self.table.program(), &self.domain.globals, &fault) {
            let message = format!("{name} is not defined and not provided");
            return error(&self.table, thread, message, Cause::Undefined);
        }
        let message = fault_text(self.config.code.as_deref(), &fault);
        error(&self.table, thread, message, Cause::Fault(fault))
    }
}

/// Operations between two looks at the limit and at who may stop the run.
const SLICE: u64 = 1 << 24;

/// The end of a run because of something that is no code of the program.
pub(crate) fn failed_outside(what: &str, fault: Fault) -> End {
    End::Error(Report {
        message: format!("{what}: {fault}"),
        cause: Cause::Fault(fault),
        trace: Vec::new(),
    })
}

fn error(
    table: &CodeTable<Word>,
    thread: &Thread<Word, BitVec>,
    message: String,
    cause: Cause,
) -> End {
    End::Error(Report {
        message,
        cause,
        trace: thread.trace(table),
    })
}
