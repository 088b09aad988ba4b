//! Runs a guest on concrete words, from its first instruction to its end.
//!
//! The step function does the work. Here are only its surroundings: system calls go to a [`System`],
//! functions that were recognised by their symbol to the machine's library, and a function that was not
//! lowered yet makes the program grow.

use crate::guest::Guest;
use crate::load::{LoadError, Start};
use crate::registers::COUNT;
use crate::system::{Answer, System};
use cairn_bv::BitVec;
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_machine::natives::{self, Ending, Inputs, Library, Output, Stream, Surroundings};
use cairn_machine::{Any, CodeTable, Concrete, Stop, Thread, guest_memory, lay_out, run};
use cairn_memory::{Fault, Memory, MemoryConfig, Word};
use std::sync::Arc;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuestEnd {
    /// The program ended with this code.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It ended without a word, as it wanted.
    Silent,
    /// The limit of operations was reached.
    Limit,
    /// Something is wrong with it, or not supported.
    Error(GuestError),
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestError {
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where: the calls that had not returned, newest first.
    pub trace: Vec<GuestPlace>,
}

/// A place in a guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestPlace {
    /// The address of the instruction.
    pub address: u64,
    /// The function around it; empty if it has no symbol.
    pub function: String,
    /// `file:line:column`, as far as it is known.
    pub line: String,
}

/// A guest that runs.
pub struct GuestMachine<'s> {
    guest: Guest,
    table: CodeTable<Word>,
    domain: Concrete,
    library: Library,
    system: &'s mut dyn System,
    output: &'s mut dyn Output,
    /// The register file.
    file: Word,
    executed: u64,
    limit: u64,
}

/// Operations between two looks at the limit.
const SLICE: u64 = 1 << 24;

impl<'s> GuestMachine<'s> {
    /// Puts a guest into a memory of its own.
    ///
    /// # Errors
    /// [`LoadError`] if it does not fit.
    pub fn new(
        guest: Guest,
        start: &Start,
        config: &MemoryConfig,
        system: &'s mut dyn System,
        output: &'s mut dyn Output,
    ) -> Result<Self, LoadError> {
        let program = Arc::clone(guest.program());
        let image = guest.image(start);
        let mut memory = guest_memory(config);
        let globals = lay_out(&program, &mut memory)?;
        image.put(&mut memory, &globals)?;
        system.prepare(&mut memory, guest.executable().end())?;
        let library = Library::place(&program, &mut memory, &globals)?;
        Ok(GuestMachine {
            file: globals[0],
            domain: Concrete::new(&program, memory, globals),
            table: CodeTable::new(program),
            guest,
            library,
            system,
            output,
            executed: 0,
            limit: u64::MAX,
        })
    }

    /// Ends the run after this many operations.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Gives the program inputs: the objects of a test, in its order.
    #[must_use]
    pub fn with_inputs(mut self, objects: Vec<(String, Vec<u8>)>) -> Self {
        self.library.give_inputs(Inputs::new(objects));
        self
    }

    /// Operations of the program form that were executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.domain.memory
    }

    /// The words of the register file: integer registers, floating-point registers, rounding mode,
    /// flags and what else there is. They are those of the guest's last call, return or jump out of a
    /// function.
    pub fn registers(&self) -> Vec<u64> {
        let word = |i: usize| {
            let at = Word {
                bits: self.file.bits + 8 * i as u64,
                ..self.file
            };
            self.domain.memory.load_word(at, 8).map_or(0, |w| w.bits)
        };
        (0..COUNT).map(word).collect()
    }

    /// Lets the guest's program grow.
    fn grow<R>(&mut self, change: impl FnOnce(&mut Guest) -> R) -> R {
        // Nobody else may hold the program while it changes.
        drop(self.table.exchange(Arc::new(Program::new())));
        let result = change(&mut self.guest);
        self.table.exchange(Arc::clone(self.guest.program()));
        result
    }

    /// The function at an address that comes up for the first time.
    fn function_at(&mut self, address: u64) -> Result<FuncId, String> {
        let Some(function) = self.grow(|guest| guest.extend(address)) else {
            return Err(format!("control comes to {address:#x}, where no code is"));
        };
        // Code that a program made or changed cannot have been lowered from the file.
        let segment = self.guest.executable().segment_at(address);
        let Some((_, segment)) = segment.filter(|(_, s)| s.write) else {
            return Ok(function);
        };
        let range = self.guest.code_range().unwrap_or(0..0);
        let stored = segment.address + segment.bytes.len() as u64;
        for at in range.start.max(segment.address)..range.end.min(stored) {
            let now = self.domain.memory.load_word(Word::int(at), 1);
            let before = segment.bytes[(at - segment.address) as usize];
            if now.is_ok_and(|now| now.bits != u64::from(before)) {
                return Err(format!(
                    "the program changed its own code at {at:#x}; \
                     self-modifying code is not supported"
                ));
            }
        }
        Ok(function)
    }

    /// Runs the guest to its end.
    pub fn run(&mut self) -> GuestEnd {
        match self.run_on() {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    fn run_on(&mut self) -> Result<std::convert::Infallible, GuestEnd> {
        let mut thread: Thread<Word, BitVec> = Thread::default();
        let (table, domain) = (&self.table, &mut self.domain);
        let started = thread.start(table, domain, self.guest.start(), Vec::new());
        if let Err(fault) = started {
            return Err(self.fault(&thread, &fault));
        }
        loop {
            let slice = self.limit.saturating_sub(self.executed).min(SLICE);
            if slice == 0 {
                return Err(GuestEnd::Limit);
            }
            let before = thread.executed;
            let stop = run(&self.table, &mut self.domain, &mut thread, slice);
            self.executed += thread.executed - before;
            match stop {
                Stop::Limit => {}
                Stop::Env { request, args } => {
                    let mut all = [Word::int(0); 6];
                    for (to, from) in all.iter_mut().zip(args) {
                        *to = from;
                    }
                    let memory = &mut self.domain.memory;
                    match self.system.call(memory, request.bits, all) {
                        Answer::Return(word) => {
                            thread.answer(&self.table, vec![Any::Value(word)]);
                        }
                        Answer::Exit(code) => return Err(GuestEnd::Exit(code)),
                        Answer::Signal(signal) => return Err(GuestEnd::Signal(signal)),
                        Answer::Fault(fault) => {
                            // Linux answers a bad address with an error; a checker does not.
                            let message = format!("system call {}: {fault}", request.bits);
                            return Err(self.error(&thread, message));
                        }
                        Answer::NotModelled(what) => {
                            return Err(self.error(&thread, format!("{what} is not modelled")));
                        }
                    }
                }
                Stop::External {
                    function,
                    args,
                    extra,
                    results,
                } => {
                    if function == self.guest.translate() {
                        let address = match args.first() {
                            Some((Any::Value(word), _)) => word.bits,
                            Some((Any::Wide(_), _)) | None => 0,
                        };
                        let found = match self.function_at(address) {
                            Ok(found) => found,
                            Err(message) => return Err(self.error(&thread, message)),
                        };
                        let (table, domain) = (&self.table, &mut self.domain);
                        if let Err(fault) = thread.divert(table, domain, found, Vec::new()) {
                            return Err(self.fault(&thread, &fault));
                        }
                        continue;
                    }
                    if self.guest.is_pending(function) {
                        self.grow(|guest| guest.lower(function));
                        thread.retry();
                        continue;
                    }
                    let name = &self.table.program().function(function).name;
                    let Some(native) = natives::find(name) else {
                        let message = format!("{name} is not provided");
                        return Err(self.error(&thread, message));
                    };
                    let table = &self.table;
                    let mut around = Surroundings {
                        memory: &mut self.domain.memory,
                        library: &mut self.library,
                        output: self.output,
                        functions: &|address| table.function_at(address),
                    };
                    match natives::call(native, &mut around, args, extra, &results) {
                        Ok(answer) => thread.answer(&self.table, answer),
                        Err(ending) => return Err(self.ended(&thread, ending)),
                    }
                }
                Stop::CheckFailed { kind, message } => {
                    let message = natives::check_text(kind, &message);
                    return Err(self.error(&thread, message));
                }
                Stop::Fault(fault) => return Err(self.fault(&thread, &fault)),
                Stop::Returned(_) | Stop::Dead | Stop::WrongType { .. } | Stop::CallOpen { .. } => {
                    unreachable!("lowered code does not do that")
                }
                // The concrete machine asks for no stop points.
                Stop::Arrived(_) => {}
                Stop::Branch { .. } | Stop::Switch { .. } | Stop::CheckOpen { .. } => {
                    unreachable!("concrete values are known")
                }
            }
        }
    }

    fn ended(&self, thread: &Thread<Word, BitVec>, ending: Ending) -> GuestEnd {
        match ending {
            Ending::Exit(code) | Ending::ExitNow(code) => GuestEnd::Exit(code),
            Ending::Silent => GuestEnd::Silent,
            Ending::Signal(signal) => GuestEnd::Signal(signal as i32),
            Ending::Handler(_) => self.error(
                thread,
                "a handler of a signal is to be called, which is not supported".to_string(),
            ),
            Ending::Abort => self.error(thread, "abort was called".to_string()),
            Ending::Assertion { condition, .. } => {
                self.error(thread, format!("assertion failed: {condition}"))
            }
            Ending::Fault(fault) => self.fault(thread, &fault),
            Ending::Assumption(message)
            | Ending::ErrorCall(message)
            | Ending::NotModelled(message)
            | Ending::Wrong(message) => self.error(thread, message),
        }
    }

    fn fault(&self, thread: &Thread<Word, BitVec>, fault: &Fault) -> GuestEnd {
        let message = match fault {
            Fault::ReadOnly { address, .. }
                if self
                    .guest
                    .executable()
                    .segment_at(*address)
                    .is_some_and(|(_, s)| s.execute) =>
            {
                format!("write to code at {address:#x}: self-modifying code is not supported")
            }
            // Only calls that never return and use no stack nest so deeply.
            Fault::StackOverflow { .. } => {
                format!("calls nested {} deep are not supported", thread.depth())
            }
            other => other.to_string(),
        };
        self.error(thread, message)
    }

    fn error(&self, thread: &Thread<Word, BitVec>, message: String) -> GuestEnd {
        let trace = thread.trace(&self.table);
        let known = trace
            .into_iter()
            .filter(|(_, place)| *place != PlaceId::UNKNOWN);
        let trace = known.map(|(_, place)| self.place(place)).collect();
        GuestEnd::Error(GuestError { message, trace })
    }

    fn place(&self, place: PlaceId) -> GuestPlace {
        let address = self.guest.address_of(place);
        let function = self.guest.function_at(address);
        GuestPlace {
            address,
            function: function.map_or(String::new(), |(name, _)| name.to_string()),
            line: self.guest.program().place_text(place),
        }
    }
}

/// Throws away what the library prints: guests print by system calls.
pub struct NoOutput;

impl Output for NoOutput {
    fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
}
