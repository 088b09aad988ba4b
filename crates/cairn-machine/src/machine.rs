//! The concrete machine: a program, its memory and a small world, run from start to end.

use crate::natives::{self, Native, World};
use crate::step::{Stop, run};
use crate::thread::{Any, Thread};
use crate::{CodeTable, Concrete};
use cairn_bv::BitVec;
use cairn_ir::{CheckKind, FuncId, PlaceId, Program, Symbol};
use cairn_memory::{Fault, Memory, MemoryConfig, ObjectKind, Word};
use std::io::Write;
use std::rc::Rc;

/// What a machine is told before it runs.
#[derive(Clone, Debug, Default)]
pub struct MachineConfig {
    /// Limits of memory.
    pub memory: MemoryConfig,
    /// Operations after which the run ends; `None` is no limit. Default is `None`.
    pub limit: Option<u64>,
}

/// An error in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, in one sentence.
    pub message: String,
    /// What kind of error; `None` if it is one of memory or of the library.
    pub check: Option<CheckKind>,
    /// The calls that had not returned, newest first.
    pub trace: Vec<(FuncId, PlaceId)>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended with this code.
    Exit(i32),
    /// The program called `abort` or a failed assertion did.
    Abort,
    /// An error in the program.
    Error(Report),
    /// The limit of operations was reached.
    Limit,
}

/// A stop that is no value: what a native function may end in.
pub(crate) enum Ending {
    Exit(i32),
    /// As `_exit`: nothing that was registered runs, and no destructor.
    ExitNow(i32),
    Abort,
    Fault(Fault),
    /// Something else that is wrong, in one sentence.
    Wrong(String),
}

impl From<Fault> for Ending {
    fn from(fault: Fault) -> Self {
        Ending::Fault(fault)
    }
}

/// The machine.
pub struct Machine<'w> {
    table: Rc<CodeTable<Word>>,
    pub(crate) domain: Concrete,
    pub(crate) world: World<'w>,
    natives: Rc<[Option<Native>]>,
    config: MachineConfig,
    executed: u64,
}

impl<'w> Machine<'w> {
    /// Lays a verified program out in memory. What it prints goes to `output` and `errors`.
    pub fn new(
        program: Rc<Program>,
        config: MachineConfig,
        output: &'w mut dyn Write,
        errors: &'w mut dyn Write,
    ) -> Result<Self, Fault> {
        let mut memory = Memory::new(config.memory.clone());
        let mut world = World::new(output, errors);
        let mut globals = Vec::with_capacity(program.globals.len());
        for global in &program.globals {
            let kind = if global.constant {
                ObjectKind::Constant
            } else {
                ObjectKind::Global
            };
            // What nobody defines has an address, but nothing in it can be read or written.
            let size = match global.content {
                Some(_) => global.size,
                None => natives::provided_size(&global.name),
            };
            globals.push(memory.allocate(kind, size, global.align)?);
        }
        let slots = program
            .slots
            .iter()
            .map(|s| BitVec::zero(s.width))
            .collect();
        let mut domain = Concrete {
            memory,
            globals: globals.into(),
            slots,
            zero: std::hint::black_box(0),
        };
        fill_globals(&program, &mut domain)?;
        world.place(&program, &mut domain)?;
        let natives = program
            .functions
            .iter()
            .map(|f| f.body.is_none().then(|| natives::find(&f.name)).flatten())
            .collect();
        Ok(Machine {
            table: Rc::new(CodeTable::new(program)),
            domain,
            world,
            natives,
            config,
            executed: 0,
        })
    }

    /// Operations executed so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.table.program()
    }

    /// Runs constructors, the entry function with arguments, and what follows it.
    pub fn run(&mut self, entry: FuncId, args: &[Vec<u8>]) -> End {
        let end = self.run_to_exit(entry, args).unwrap_or_else(|end| end);
        let end = match end {
            End::Exit(code) if !self.world.left_at_once => self.finish(code),
            other => other,
        };
        self.world.flush();
        end
    }

    fn run_to_exit(&mut self, entry: FuncId, args: &[Vec<u8>]) -> Result<End, End> {
        let program = Rc::clone(self.table.program());
        for &constructor in &program.constructors {
            self.call(constructor, Vec::new())?;
        }
        let arguments = self.main_arguments(&program.function(entry).params, args)?;
        let results = self.call(entry, arguments)?;
        Ok(End::Exit(match results.first() {
            Some(Any::Value(code)) => code.bits as u32 as i32,
            Some(Any::Wide(_)) | None => 0,
        }))
    }

    /// What runs after the entry function: registered functions, newest first, then destructors.
    fn finish(&mut self, code: i32) -> End {
        let mut code = code;
        while let Some((function, argument)) = self.world.at_exit.pop() {
            let params = self.table.program().function(function).params.len();
            let args = argument.into_iter().take(params).map(Any::Value).collect();
            match self.call(function, args) {
                Ok(_) => {}
                Err(End::Exit(other)) if !self.world.left_at_once => code = other,
                Err(end) => return end,
            }
        }
        let program = Rc::clone(self.table.program());
        for &destructor in &program.destructors {
            match self.call(destructor, Vec::new()) {
                Ok(_) => {}
                Err(End::Exit(other)) => return End::Exit(other),
                Err(end) => return end,
            }
        }
        End::Exit(code)
    }

    /// `argc`, `argv` and `envp`, as far as the entry function wants them.
    fn main_arguments(
        &mut self,
        params: &[u32],
        args: &[Vec<u8>],
    ) -> Result<Vec<Any<Word, BitVec>>, End> {
        let outside = |fault: Fault| {
            End::Error(Report {
                message: format!("the arguments of the program do not fit: {fault}"),
                check: None,
                trace: Vec::new(),
            })
        };
        let memory = &mut self.domain.memory;
        let mut pointers = Vec::with_capacity(args.len());
        for arg in args {
            let at = memory
                .allocate(ObjectKind::Global, arg.len() as u64 + 1, 1)
                .map_err(outside)?;
            memory.store_bytes(at, arg).map_err(outside)?;
            pointers.push(at);
        }
        let vector = memory
            .allocate(ObjectKind::Global, 8 * (args.len() as u64 + 2), 8)
            .map_err(outside)?;
        for (i, pointer) in pointers.iter().enumerate() {
            let at = Word {
                bits: vector.bits + 8 * i as u64,
                ..vector
            };
            memory.store_word(at, 8, *pointer).map_err(outside)?;
        }
        let environment = Word {
            bits: vector.bits + 8 * (args.len() as u64 + 1),
            ..vector
        };
        let all = [Word::int(args.len() as u64), vector, environment];
        Ok(params
            .iter()
            .zip(all)
            .map(|(_, value)| Any::Value(value))
            .collect())
    }

    /// Calls a function and runs it to its return.
    pub(crate) fn call(
        &mut self,
        function: FuncId,
        args: Vec<Any<Word, BitVec>>,
    ) -> Result<Vec<Any<Word, BitVec>>, End> {
        let mut thread = Thread::default();
        let table = Rc::clone(&self.table);
        if table.program().function(function).body.is_none() {
            let name = &table.program().function(function).name;
            return Err(End::Error(Report {
                message: format!("{name} is not defined"),
                check: Some(CheckKind::Unsupported),
                trace: Vec::new(),
            }));
        }
        if let Err(fault) = thread.start(&table, &mut self.domain, function, args) {
            return Err(error(&table, &thread, fault.to_string(), None));
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
                Stop::Limit => {}
                Stop::Returned(results) => return Ok(results),
                Stop::External {
                    function,
                    args,
                    extra,
                    results,
                } => {
                    let Some(native) = self.natives[function.index()] else {
                        let name = &table.program().function(function).name;
                        let message = format!("{name} is not defined and not provided");
                        let kind = Some(CheckKind::Unsupported);
                        return Err(error(&table, &thread, message, kind));
                    };
                    match natives::call(self, native, args, extra, &results) {
                        Ok(answer) => thread.answer(&table, answer),
                        Err(ending) => return Err(self.ended(&thread, ending)),
                    }
                }
                Stop::CheckFailed { kind, message } => {
                    let message = crate::natives::check_text(kind, &message);
                    return Err(error(&table, &thread, message, Some(kind)));
                }
                Stop::WrongType { function } => {
                    let name = &table.program().function(function).name;
                    let message = format!("{name} is called with other types than it has");
                    let kind = Some(CheckKind::FunctionType);
                    return Err(error(&table, &thread, message, kind));
                }
                Stop::CallOpen { address } => {
                    let message = format!("call of {:#x}, which is no function", address.bits);
                    return Err(error(&table, &thread, message, None));
                }
                Stop::Fault(fault) => {
                    let (message, kind) = self.fault_text(&fault);
                    return Err(error(&table, &thread, message, kind));
                }
                Stop::Dead => {
                    let message = "a function that does not return did".to_string();
                    return Err(error(
                        &table,
                        &thread,
                        message,
                        Some(CheckKind::Unreachable),
                    ));
                }
                Stop::Env { request, .. } => {
                    let message = format!("request {} to the environment", request.bits);
                    let kind = Some(CheckKind::Unsupported);
                    return Err(error(&table, &thread, message, kind));
                }
                Stop::Branch { .. } | Stop::Switch { .. } | Stop::CheckOpen { .. } => {
                    unreachable!("concrete values are known")
                }
            }
        }
    }

    fn ended(&mut self, thread: &Thread<Word, BitVec>, ending: Ending) -> End {
        match ending {
            Ending::Exit(code) => End::Exit(code),
            Ending::ExitNow(code) => {
                self.world.left_at_once = true;
                End::Exit(code)
            }
            Ending::Abort => End::Abort,
            Ending::Fault(fault) => {
                let (message, kind) = self.fault_text(&fault);
                error(&self.table, thread, message, kind)
            }
            Ending::Wrong(message) => error(&self.table, thread, message, None),
        }
    }

    /// A fault in words. An access to a global that nobody defines is not the program's error.
    fn fault_text(&self, fault: &Fault) -> (String, Option<CheckKind>) {
        if let Fault::OutOfBounds {
            object: Some(extent),
            ..
        } = fault
        {
            let globals = self.domain.globals.iter();
            let mut named = globals.zip(&self.table.program().globals);
            if let Some((_, global)) =
                named.find(|(at, global)| at.object == extent.object && global.content.is_none())
            {
                let message = format!("{} is not defined and not provided", global.name);
                return (message, Some(CheckKind::Unsupported));
            }
        }
        (fault.to_string(), None)
    }

    /// The function at an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<FuncId> {
        self.table.function_at(address)
    }
}

/// Operations between two looks at the limit.
const SLICE: u64 = 1 << 30;

fn error(
    table: &CodeTable<Word>,
    thread: &Thread<Word, BitVec>,
    message: String,
    check: Option<CheckKind>,
) -> End {
    End::Error(Report {
        message,
        check,
        trace: thread.trace(table),
    })
}

/// Writes the first content of all globals.
fn fill_globals(program: &Program, domain: &mut Concrete) -> Result<(), Fault> {
    let globals = Rc::clone(&domain.globals);
    for (global, &at) in program.globals.iter().zip(globals.iter()) {
        let Some(content) = &global.content else {
            continue;
        };
        domain.memory.initialise(at, &content.bytes)?;
        let inside = |offset: u64| Word {
            bits: at.bits + offset,
            ..at
        };
        for r in &content.relocations {
            let value = crate::Domain::symbol(domain, r.symbol, r.addend);
            domain.memory.initialise_word(inside(r.offset), value)?;
        }
        for d in &content.differences {
            let address = |symbol: Symbol| crate::Domain::symbol(domain, symbol, 0).bits;
            let value = address(d.symbol)
                .wrapping_sub(address(d.base))
                .wrapping_add_signed(d.addend);
            let bytes = value.to_le_bytes();
            domain
                .memory
                .initialise(inside(d.offset), &bytes[..usize::from(d.bytes)])?;
        }
    }
    Ok(())
}
