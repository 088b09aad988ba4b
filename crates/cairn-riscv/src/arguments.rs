//! Arguments that are inputs: how many there are, and their bytes.
//!
//! # Problem
//!
//! A program finds the list of its arguments on the stack, a word for each, followed by the environment.
//! If the number of arguments is an input, the addresses of everything there depend on it.
//!
//! # Idea
//!
//! The texts have fixed addresses, with room for the longest text of each, and so has the part of the
//! stack after the list of arguments (the rest). A function of the program, which runs before the guest's
//! first instruction, asks how many arguments there are, makes their bytes inputs, and for each number
//! writes the list so that it ends where the rest begins. Two copies of the rest, eight bytes apart modulo
//! sixteen, keep the stack pointer aligned for even and odd numbers.
//!
//! - **Order.** Inputs are made in the order that tests have them: for each group how many there are, then
//!   its arguments, then unknown files and streams, then the version of this convention.
//!
//! # Soundness
//!
//! For each number of arguments the program finds the list, what follows it and an aligned stack pointer as
//! Linux lays them out. The texts have other addresses than on Linux, where they are packed: a program
//! could tell only by comparing their addresses.

use crate::build::{RegionBuilder, target};
use crate::helpers::call;
use crate::load::{AUXILIARY_WORDS, STACK_END};
use crate::values::address_of;
use cairn_ir::{
    BinaryOp, BlockId, CastOp, CompareOp, Content, FuncId, Function, Global, GlobalId, Operand,
    PlaceId, Program, Switch, Symbol, Terminator,
};

/// One or more arguments of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// This text.
    Known(Vec<u8>),
    /// As many as an input says, each of at most so many unknown bytes.
    Unknown {
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
        /// The most bytes of each.
        bytes: u64,
    },
}

/// What a program is started with, some of it inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuestArguments {
    /// Its arguments; the first is its name.
    pub all: Vec<Argument>,
    /// Its environment: `NAME=value`.
    pub environment: Vec<Vec<u8>>,
}

/// The most ways in which there can be arguments: each is code.
const MOST_WAYS: u64 = 4096;

/// Where things are on the stack of a program that starts.
pub(crate) struct StackPlan {
    /// The places of the texts that each argument may be.
    pub texts: Vec<Vec<u64>>,
    /// The places of the environment's texts.
    pub environment: Vec<u64>,
    /// Sixteen bytes that pass for random ones.
    pub random: u64,
    /// Where the environment's list begins, after an even and after an odd number of arguments.
    pub rest: [u64; 2],
    /// Bytes that all this takes.
    pub bytes: u64,
}

impl StackPlan {
    /// The stack pointer with this many arguments.
    pub fn pointer(&self, arguments: usize) -> u64 {
        self.rest[arguments % 2] - 8 * (arguments as u64 + 2)
    }
}

impl GuestArguments {
    /// Arguments of which none is an input; the first is the program's name.
    pub fn known(args: Vec<Vec<u8>>, environment: Vec<Vec<u8>>) -> Self {
        GuestArguments {
            all: args.into_iter().map(Argument::Known).collect(),
            environment,
        }
    }

    /// Whether none of them is an input.
    pub fn is_known(&self) -> bool {
        let known = |a: &Argument| matches!(a, Argument::Known(_));
        self.all.iter().all(known)
    }

    /// How many of them are no inputs.
    fn known_count(&self) -> usize {
        let known = |a: &&Argument| matches!(a, Argument::Known(_));
        self.all.iter().filter(known).count()
    }

    /// In how many ways there can be arguments, if that is not too many.
    pub fn ways(&self) -> Option<u64> {
        self.all.iter().try_fold(1u64, |ways, argument| {
            let own = match argument {
                Argument::Known(_) => 1,
                Argument::Unknown { least, most, .. } => u64::from(most - least) + 1,
            };
            ways.checked_mul(own).filter(|ways| *ways <= MOST_WAYS)
        })
    }

    /// Where everything is, with this many words after the environment's list.
    pub(crate) fn plan(&self, auxiliary: usize) -> StackPlan {
        let mut at = STACK_END - 16;
        let mut place = |bytes: u64| {
            at = (at - bytes) & !7;
            at
        };
        let mut texts = Vec::with_capacity(self.all.len());
        let mut most = 0;
        for argument in &self.all {
            texts.push(match argument {
                Argument::Known(text) => vec![place(text.len() as u64 + 1)],
                Argument::Unknown { most, bytes, .. } => {
                    (0..*most).map(|_| place(bytes + 1)).collect()
                }
            });
            most += texts.last().map_or(0, Vec::len);
        }
        let environment = self.environment.iter();
        let environment: Vec<u64> = environment.map(|t| place(t.len() as u64 + 1)).collect();
        let random = place(16);
        let rest_bytes = 8 * (environment.len() + 1 + auxiliary) as u64;
        let even = (random - rest_bytes) & !15;
        let list_bytes = 8 * (most as u64 + 2);
        let odd = ((even - list_bytes - rest_bytes) & !15) - 8;
        StackPlan {
            texts,
            environment,
            random,
            rest: [even, odd],
            bytes: STACK_END - (odd - list_bytes),
        }
    }

    /// Gives a function that is declared the body that makes what is unknown inputs.
    pub(crate) fn add_to(&self, program: &mut Program, function: FuncId) {
        let known = HarnessParts {
            make: declared(program, "klee_make_symbolic", &[64, 64, 64], &[]),
            range: declared(program, "klee_range", &[32, 32, 64], &[32]),
            assume: declared(program, "klee_assume", &[64], &[]),
            environment: declared(program, "__cairn_environment", &[], &[]),
            plan: self.plan(AUXILIARY_WORDS),
            loaded: self.known_count(),
        };
        let mut builder = RegionBuilder::new(1);
        let mut made = PointersMade::default();
        self.write(program, &known, &mut builder, &mut made, 0);
        program.functions[function.index()].body = Some(builder.body);
    }

    /// Writes the code for the arguments from one on.
    fn write(
        &self,
        program: &mut Program,
        known: &HarnessParts,
        b: &mut RegionBuilder,
        made: &mut PointersMade,
        from: usize,
    ) {
        let Some(argument) = self.all.get(from) else {
            return known.finish(program, b, made);
        };
        let (least, most, bytes) = match argument {
            Argument::Known(_) => {
                made.pointers.push(known.plan.texts[from][0]);
                self.write(program, known, b, made, from + 1);
                made.pointers.pop();
                return;
            }
            Argument::Unknown { least, most, bytes } => (*least, *most, *bytes),
        };
        let number = if least == most {
            None
        } else {
            let name = text(program, "n_args");
            let args = vec![
                (Operand::Int(u64::from(least)), 32),
                (Operand::Int(u64::from(most) + 1), 32),
                (name, 64),
            ];
            Some(call(b, known.range, args, &[32]).remove(0))
        };
        let here = b.block;
        let mut cases: Vec<(u64, BlockId)> = Vec::new();
        for count in least..=most {
            if number.is_some() {
                b.block = b.new_block();
                cases.push((u64::from(count), b.block));
            }
            let before = (made.pointers.len(), made.named);
            for &at in &known.plan.texts[from][..count as usize] {
                let name = format!("arg{:02}", made.named % 100);
                made.named += 1;
                let text = known.on_stack(b, at);
                known.make_input(program, b, text, bytes + 1, &name);
                let end = known.on_stack(b, at + bytes);
                b.store(8, Operand::Int(0), end);
                made.pointers.push(at);
            }
            self.write(program, known, b, made, from + 1);
            made.pointers.truncate(before.0);
            made.named = before.1;
        }
        if let Some(value) = number {
            b.block = here;
            // The range has no other values.
            let (_, last) = cases.pop().expect("a range has values");
            b.end(Terminator::Switch(Box::new(Switch {
                value,
                width: 32,
                cases: cases.into_iter().map(|(n, to)| (n, target(to))).collect(),
                default: target(last),
            })));
        }
    }
}

/// What was made on the way to a place in the code.
#[derive(Default)]
struct PointersMade {
    pointers: Vec<u64>,
    named: u32,
}

/// What the code refers to.
struct HarnessParts {
    make: FuncId,
    range: FuncId,
    assume: FuncId,
    environment: FuncId,
    plan: StackPlan,
    /// For how many arguments the loader sets the stack pointer.
    loaded: usize,
}

impl HarnessParts {
    /// An address on the stack, made from the stack pointer that the loader left: it belongs to the stack,
    /// which a number does not.
    fn on_stack(&self, b: &mut RegionBuilder, at: u64) -> Operand {
        let stack = b.load(64, address_of(2));
        let by = at.wrapping_sub(self.plan.pointer(self.loaded));
        b.binary(BinaryOp::Add, 64, stack, Operand::Int(by))
    }

    fn make_input(
        &self,
        program: &mut Program,
        b: &mut RegionBuilder,
        at: Operand,
        bytes: u64,
        name: &str,
    ) {
        let name = text(program, name);
        let args = vec![(at, 64), (Operand::Int(bytes), 64), (name, 64)];
        call(b, self.make, args, &[]);
    }

    /// All arguments are there: writes their list and makes the other inputs.
    fn finish(&self, program: &mut Program, b: &mut RegionBuilder, made: &PointersMade) {
        let pointer = self.plan.pointer(made.pointers.len());
        let count = made.pointers.len() as u64;
        let first = self.on_stack(b, pointer);
        b.store(64, Operand::Int(count), first.clone());
        for (i, at) in made.pointers.iter().enumerate() {
            let text = self.on_stack(b, *at);
            let to = self.on_stack(b, pointer + 8 * (i as u64 + 1));
            b.store(64, text, to);
        }
        let last = self.on_stack(b, pointer + 8 * (count + 1));
        b.store(64, Operand::Int(0), last);
        b.store(64, first, address_of(2));
        call(b, self.environment, Vec::new(), &[]);
        let version = global(program, "machine_code.model_version", vec![0; 4]);
        let at = Operand::Address(Symbol::Global(version), 0);
        self.make_input(program, b, at.clone(), 4, "model_version");
        let number = b.load(32, at);
        let is_one = b.compare(CompareOp::Eq, 32, number, Operand::Int(1));
        let is_one = b.cast(CastOp::Zext, 1, 64, is_one);
        call(b, self.assume, vec![(is_one, 64)], &[]);
        b.end(Terminator::Return(Vec::new()));
    }
}

/// A function of this name, which is declared if it is not there.
pub(crate) fn declared(
    program: &mut Program,
    name: &str,
    params: &[u32],
    results: &[u32],
) -> FuncId {
    if let Some(known) = program.find_function(name) {
        return known;
    }
    program.functions.push(Function {
        name: name.to_string(),
        params: params.to_vec(),
        results: results.to_vec(),
        variadic: false,
        place: PlaceId::UNKNOWN,
        body: None,
    });
    FuncId::new(program.functions.len() - 1)
}

/// A global with a content, made if it is not there.
fn global(program: &mut Program, name: &str, bytes: Vec<u8>) -> GlobalId {
    let known = program.globals.iter().position(|g| g.name == name);
    GlobalId::new(known.unwrap_or_else(|| {
        program.globals.push(Global {
            name: name.to_string(),
            size: bytes.len() as u64,
            align: 8,
            constant: false,
            thread_local: false,
            place: PlaceId::UNKNOWN,
            content: Some(Content {
                bytes,
                ..Content::default()
            }),
        });
        program.globals.len() - 1
    }))
}

/// The address of a text.
pub(crate) fn text(program: &mut Program, text: &str) -> Operand {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let global = global(program, &format!("machine_code.text.{text}"), bytes);
    Operand::Address(Symbol::Global(global), 0)
}

/// Gives the function its body that makes a word an input between two numbers: the address of the word,
/// the first number, the last, and the step. A step of 0, and no numbers at all, are errors.
pub(crate) fn define_interval(program: &mut Program, function: FuncId) {
    let make = declared(program, "klee_make_symbolic", &[64, 64, 64], &[]);
    let assume = declared(program, "klee_assume", &[64], &[]);
    let report = declared(program, "klee_report_error", &[64, 32, 64, 64], &[]);
    let name = text(program, "interval");
    let mut b = RegionBuilder::new(1);
    let entry = b.block;
    let [at, first, last, step] = [(); 4].map(|()| Operand::Local(b.param(entry, 64)));
    let wrong = [
        (
            b.compare(CompareOp::Eq, 64, step.clone(), Operand::Int(0)),
            "interval with step 0: a step is at least 1",
        ),
        (
            b.compare(CompareOp::Ult, 64, last.clone(), first.clone()),
            "interval with a first number above the last: no number is between them",
        ),
    ];
    for (is_wrong, message) in wrong {
        let [refuse, on] = [(); 2].map(|()| b.new_block());
        b.branch(is_wrong, refuse, on);
        b.block = refuse;
        let message = text(program, message);
        let args = vec![
            (message.clone(), 64),
            (Operand::Int(0), 32),
            (message, 64),
            (name.clone(), 64),
        ];
        call(&mut b, report, args, &[]);
        b.end(Terminator::Stop);
        b.block = on;
    }
    let args = vec![(at.clone(), 64), (Operand::Int(8), 64), (name, 64)];
    call(&mut b, make, args, &[]);
    let value = b.load(64, at);
    let above = b.compare(CompareOp::Ule, 64, first.clone(), value.clone());
    let below = b.compare(CompareOp::Ule, 64, value.clone(), last);
    let distance = b.binary(BinaryOp::Sub, 64, value, first);
    let rest = b.binary(BinaryOp::Urem, 64, distance, step);
    let even = b.compare(CompareOp::Eq, 64, rest, Operand::Int(0));
    for fact in [above, below, even] {
        let fact = b.cast(CastOp::Zext, 1, 64, fact);
        call(&mut b, assume, vec![(fact, 64)], &[]);
    }
    b.end(Terminator::Return(Vec::new()));
    program.functions[function.index()].body = Some(b.body);
}
