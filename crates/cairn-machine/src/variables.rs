//! Variables that live in registers.
//!
//! # Problem
//!
//! A compiler that does not optimise keeps every variable of C in a stack object. Much of
//! what such a program does is then loads and stores, each of which finds an object and checks that
//! it is live, large enough and the one that the pointer was made from.
//!
//! # Idea
//!
//! Register promotion, as every compiler does it. A stack object becomes a register, the one that would
//! have held its address, if it has at most 8 bytes, is made once in a call, is loaded and stored only
//! as a whole, and is certainly written before it is read ([`Initialised`]). A store is a move to the
//! register. A load is a move from it, or no operation at all where the register still has the value
//! whenever the loaded value is read.
//!
//! # What differs
//!
//! The variable still takes its bytes of the stack ([`StackVariables::stack_bytes`]), so a program runs out
//! of stack at the same place. Loads and stores that became no operation are still counted as executed,
//! with the next call or the end of their block: not at all if a path ends before that, and once for each
//! path if it forks before that.
//!
//! # Soundness
//!
//! Nothing but those loads and stores can reach such an object: its address is in no other
//! register and no memory, and a pointer belongs to its object (where it does not, as with
//! `--outside object`, there are no variables). No load of it can fail. What is read in place of a load
//! is the register itself, only in the same block and before the variable's next store there, so it
//! has the value that the load would have found. A call of `setjmp` can return again in the middle of a
//! block after other code has run: a value that is loaded before it and read after it is moved.
//!
//! # Cost
//!
//! Two passes over a function when it is first called, and a word for each local.

use crate::code::FlatOp;
use crate::flatten::Flattener;
use crate::jump::{Jump, jump};
use cairn_ir::analysis::initialised::Initialised;
use cairn_ir::{Body, Callee, Inst, Local, Operand, Program};
use rustc_hash::FxHashMap;

/// Bytes of the largest variable.
const LARGEST: u64 = 8;

/// What a local is to the variables of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Other,
    /// The address of a stack object that is a variable.
    Variable,
    /// A loaded value that can be read in the register of this variable.
    Same(Local),
}

/// The variables of a function.
pub(crate) struct StackVariables {
    roles: Vec<Role>,
    stack_bytes: u64,
}

impl StackVariables {
    /// None at all.
    pub fn none(body: &Body) -> Self {
        StackVariables {
            roles: vec![Role::Other; body.widths.len()],
            stack_bytes: 0,
        }
    }

    pub fn new(program: &Program, body: &Body, written_first: &Initialised) -> Self {
        let mut variables = StackVariables::none(body);
        // Nothing jumps to the first block, so each of its allocas runs once. An object that is made after
        // a `StackSave` may die before the call returns.
        let made_once = body.blocks[0].insts.iter().map(|(inst, _)| inst);
        for inst in made_once.take_while(|inst| !matches!(inst, Inst::StackSave { .. })) {
            if let Inst::Alloca {
                dst,
                size: Operand::Int(size),
                ..
            } = inst
                && (1..=LARGEST).contains(size)
                && written_first.is_certain(*dst)
            {
                variables.roles[dst.index()] = Role::Variable;
                variables.stack_bytes += cairn_memory::stack_cost(*size);
            }
        }
        if variables.stack_bytes > 0 {
            variables.find_loads_that_stay(program, body);
        }
        variables
    }

    /// Finds the loads whose values are read before their variable changes.
    fn find_loads_that_stay(&mut self, program: &Program, body: &Body) {
        let last_reads = last_reads(body);
        let mut next_store: FxHashMap<Local, usize> = FxHashMap::default();
        for (number, block) in body.blocks.iter().enumerate() {
            // Backwards, so that the next store to each variable is known.
            next_store.clear();
            let mut next_return = usize::MAX;
            for (at, (inst, _)) in block.insts.iter().enumerate().rev() {
                match inst {
                    Inst::Store {
                        address: Operand::Local(to),
                        ..
                    } if self.is_variable(*to) => {
                        next_store.insert(*to, at);
                    }
                    Inst::Load {
                        dst,
                        address: Operand::Local(from),
                    } if self.is_variable(*from) => {
                        let until = next_store.get(from).copied().unwrap_or(usize::MAX);
                        let until = until.min(next_return);
                        let stays = match last_reads[dst.index()] {
                            Reads::Never => true,
                            // A store reads before it writes, a call before it returns.
                            Reads::In { block, last } => block == number && last <= until,
                            Reads::Spread => false,
                        };
                        if stays {
                            self.roles[dst.index()] = Role::Same(*from);
                        }
                    }
                    Inst::Call(call) if may_return_twice(program, call.callee) => next_return = at,
                    _ => {}
                }
            }
        }
    }

    /// Whether the object whose address a local would be is a variable.
    pub fn is_variable(&self, address: Local) -> bool {
        self.roles[address.index()] == Role::Variable
    }

    /// The variable in whose register a loaded value is read.
    pub fn same_as(&self, loaded: Local) -> Option<Local> {
        match self.roles[loaded.index()] {
            Role::Same(variable) => Some(variable),
            Role::Other | Role::Variable => None,
        }
    }

    /// Whether a local is read in the register of a variable, which later instructions may change.
    pub fn is_shared(&self, local: Local) -> bool {
        self.roles[local.index()] != Role::Other
    }

    /// Bytes of the stack that the variables take.
    pub fn stack_bytes(&self) -> u64 {
        self.stack_bytes
    }
}

impl Flattener<'_> {
    /// Emits what makes, loads or stores a variable; whether the instruction does that.
    pub fn of_variable(&mut self, inst: &Inst) -> bool {
        match inst {
            Inst::Alloca { dst, .. } if self.variables.is_variable(*dst) => self.cost_nothing(),
            Inst::Load {
                dst,
                address: Operand::Local(variable),
            } if self.variables.is_variable(*variable) => {
                if self.variables.same_as(*dst).is_some() {
                    self.cost_nothing();
                } else {
                    self.emit_move(*dst, &Operand::Local(*variable));
                }
            }
            Inst::Store {
                value,
                address: Operand::Local(variable),
                ..
            } if self.variables.is_variable(*variable) => {
                let register = self.dst(*variable).expect("at most 64 bits");
                if self.make_there(value, register).is_some() {
                    self.cost_nothing();
                } else {
                    self.emit_move(*variable, value);
                }
            }
            _ => return false,
        }
        true
    }

    fn emit_move(&mut self, dst: Local, value: &Operand) {
        let dst = self.dst(dst).expect("at most 64 bits");
        let value = self.reg(value).expect("at most 64 bits");
        self.emit(FlatOp::Move { dst, value });
    }

    /// Counts an instruction for which there is no operation: with the next call or the end of its block.
    fn cost_nothing(&mut self) {
        self.free = self.free.saturating_add(1);
    }

    /// How many instructions cost nothing since the block began or a call took them.
    pub fn take_free(&mut self) -> u16 {
        std::mem::take(&mut self.free)
    }
}

/// Whether a function may return again when others have run.
fn may_return_twice(program: &Program, callee: Callee) -> bool {
    match callee {
        Callee::Direct(callee) => jump(&program.function(callee).name) == Some(Jump::Set),
        Callee::Indirect(_) => true,
    }
}

/// Where a local is read.
#[derive(Clone, Copy)]
enum Reads {
    Never,
    /// In one block, for the last time by this of its instructions; the terminator is after all.
    In {
        block: usize,
        last: usize,
    },
    Spread,
}

fn last_reads(body: &Body) -> Vec<Reads> {
    let mut reads = vec![Reads::Never; body.widths.len()];
    for (number, block) in body.blocks.iter().enumerate() {
        let mut see = |local: Local, at: usize| {
            let entry = &mut reads[local.index()];
            *entry = match *entry {
                Reads::In { block, .. } if block != number => Reads::Spread,
                Reads::Spread => Reads::Spread,
                Reads::Never | Reads::In { .. } => Reads::In {
                    block: number,
                    last: at,
                },
            };
        };
        for (at, (inst, _)) in block.insts.iter().enumerate() {
            inst.for_each_use(|local| see(local, at));
        }
        let end = block.insts.len();
        block.terminator.0.for_each_use(|local| see(local, end));
    }
    reads
}
