//! From the tree of a program to an executable in the layout of Selfie's fork.
//!
//! # Idea
//!
//! Expressions are computed in seven registers as on a stack. Arguments are pushed and the procedure that is called
//! takes them off again; a procedure has a frame, to which a register points. Library functions are a procedure around
//! `ecall` each. The code is followed by the global variables.
//!
//! - **Layout.** A header, one program header, the length of the code in eight bytes; then, from byte 0x80
//!   on, code and data as one segment at 0x10000 that may be read, written and executed.
//! - **Sites.** Where a run can go wrong it is known at which address: a division at its instruction, the rest where the
//!   library function is called.

use super::encode::*;
use super::syntax::{Callee, Expr, Operator, Procedure, Program, Site, Statement, Variable};
use std::collections::BTreeMap;

/// An executable, and where its sites are.
pub struct Compiled {
    /// The file.
    pub file: Vec<u8>,
    /// The address at which each site goes wrong.
    pub sites: BTreeMap<Site, u64>,
}

/// Where code is.
const CODE: u64 = 0x10000;

/// Bytes of a word.
const WORD: i64 = 8;

/// Library functions: their number, and how many arguments they take from the stack.
const LIBRARY: [(Library, i64, usize); 7] = [
    (Library::Exit, 93, 1),
    (Library::Interval, 42, 4),
    (Library::Printsv, 43, 2),
    (Library::ZoneBegins, 44, 0),
    (Library::Assert, 45, 1),
    (Library::ZoneEnds, 46, 0),
    (Library::Malloc, 214, 1),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Library {
    Exit,
    Interval,
    Printsv,
    ZoneBegins,
    Assert,
    ZoneEnds,
    Malloc,
}

/// What a call leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Function {
    Library(Library),
    Procedure(usize),
}

#[derive(Default)]
struct Compiler {
    code: Vec<u32>,
    functions: BTreeMap<Function, usize>,
    /// Calls whose target is put in at the end.
    calls: Vec<(usize, Function)>,
    sites: BTreeMap<Site, u64>,
    /// Jumps to the end of the procedure.
    returns: Vec<usize>,
}

/// Why a program cannot be compiled.
type CompileFailure = String;

/// Compiles a program.
///
/// # Errors
/// If an expression needs more registers than there are, or a branch leads too far.
pub fn compile(program: &Program) -> Result<Compiled, String> {
    let mut compiler = Compiler::default();
    let words = program.globals as i64 + 1;
    compiler.start(program, words);
    for (library, number, args) in LIBRARY {
        compiler.library(library, number, args);
    }
    for (index, procedure) in program.procedures.iter().enumerate() {
        compiler.procedure(index, procedure)?;
    }
    if !compiler.code.len().is_multiple_of(2) {
        compiler.code.push(NOP);
    }
    let data = CODE + 4 * compiler.code.len() as u64;
    // The register of globals points past them.
    let end = (data as i64 + WORD * words) as u64;
    let upper = (end + 0x800) >> 12;
    compiler.code[0] = lui(GP, upper as u32);
    compiler.code[1] = addi(GP, GP, end as i64 - ((upper as i64) << 12));
    for (at, function) in std::mem::take(&mut compiler.calls) {
        let target = compiler.functions[&function];
        compiler.code[at] = jal(RA, distance(at, target));
    }
    Ok(Compiled {
        file: file(&compiler.code, words as usize),
        sites: compiler.sites,
    })
}

/// The file of some code with some words of data after it.
fn file(code: &[u32], words: usize) -> Vec<u8> {
    let mut image: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let length = image.len();
    image.resize(length + 8 * words, 0);
    in_layout(&image, length)
}

/// An executable in the layout of the fork: what is in memory from 0x10000 on, where it begins to run, and how many of
/// these bytes are code.
pub fn in_layout(image: &[u8], code: usize) -> Vec<u8> {
    let length = image.len() as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    let halves = |file: &mut Vec<u8>, all: &[u16]| {
        file.extend(all.iter().flat_map(|half| half.to_le_bytes()));
    };
    let longs = |file: &mut Vec<u8>, all: &[u64]| {
        file.extend(all.iter().flat_map(|word| word.to_le_bytes()));
    };
    // An executable for RISC-V; its entry, its program headers, no section headers.
    halves(&mut file, &[2, 243, 1, 0]);
    longs(&mut file, &[CODE, 64, 0]);
    halves(&mut file, &[0, 0, 64, 56, 1, 0, 0, 0]);
    // To be loaded, with all permissions.
    halves(&mut file, &[1, 0, 7, 0]);
    longs(&mut file, &[0x80, CODE, 0, length, length, 0x1000]);
    longs(&mut file, &[code as u64]);
    file.extend(image);
    file
}

fn distance(from: usize, to: usize) -> i64 {
    4 * (to as i64 - from as i64)
}

/// Where a variable is: a register, and the distance from it.
fn place(variable: Variable, params: usize) -> (Reg, i64) {
    match variable {
        // The word nearest to the register is the library's.
        Variable::Global(i) => (GP, -WORD * (i as i64 + 2)),
        // The last argument was pushed last.
        Variable::Local(i) if i < params => (FP, WORD * (params - i + 1) as i64),
        Variable::Local(i) => (FP, -WORD * (i - params + 1) as i64),
    }
}

impl Compiler {
    fn emit(&mut self, word: u32) {
        self.code.push(word);
    }

    fn push(&mut self, register: Reg) {
        self.emit(addi(SP, SP, -WORD));
        self.emit(sd(register, SP, 0));
    }

    fn pop(&mut self, register: Reg) {
        self.emit(ld(register, SP, 0));
        self.emit(addi(SP, SP, WORD));
    }

    fn call(&mut self, function: Function) {
        self.calls.push((self.code.len(), function));
        self.emit(0);
    }

    /// The start: the register of globals, where the break is, then `main`.
    fn start(&mut self, program: &Program, words: i64) {
        debug_assert!(words * WORD < 2048, "globals are near their register");
        self.code.extend([NOP, NOP]);
        self.emit(addi(A0, ZERO, 0));
        self.emit(addi(A7, ZERO, 214));
        self.emit(ECALL);
        self.emit(sd(A0, GP, -WORD));
        self.call(Function::Procedure(program.main));
        self.push(A0);
        self.call(Function::Library(Library::Exit));
    }

    /// A library function: arguments from the stack into registers, the first of them pushed first.
    fn library(&mut self, library: Library, number: i64, args: usize) {
        let here = self.code.len();
        self.functions.insert(Function::Library(library), here);
        for i in (0..args).rev() {
            self.pop(A0 + i as Reg);
        }
        if library == Library::Malloc {
            self.malloc();
        }
        self.emit(addi(A7, ZERO, number));
        self.emit(ECALL);
        self.emit(RET);
    }

    /// Where the break shall be. It answers with where it was, which is the block.
    fn malloc(&mut self) {
        let [size, rest, ..] = TEMPORARIES;
        self.emit(addi(size, A0, 7));
        self.emit(addi(rest, ZERO, WORD));
        self.emit(two(REMU, rest, size, rest));
        self.emit(two(SUB, size, size, rest));
        self.emit(ld(rest, GP, -WORD));
        self.emit(two(ADD, A0, rest, size));
        self.emit(sd(A0, GP, -WORD));
    }

    fn procedure(&mut self, index: usize, procedure: &Procedure) -> Result<(), CompileFailure> {
        let here = self.code.len();
        self.functions.insert(Function::Procedure(index), here);
        let locals = (procedure.variables - procedure.params) as i64;
        self.push(RA);
        self.push(FP);
        self.emit(addi(FP, SP, 0));
        for _ in 0..locals {
            self.push(ZERO);
        }
        self.statements(&procedure.body, procedure.params)?;
        self.emit(addi(A0, ZERO, 0));
        let end = self.code.len();
        for at in std::mem::take(&mut self.returns) {
            self.code[at] = jal(ZERO, distance(at, end));
        }
        self.emit(addi(SP, FP, 0));
        self.pop(FP);
        self.pop(RA);
        self.emit(addi(SP, SP, WORD * procedure.params as i64));
        self.emit(RET);
        Ok(())
    }

    fn statements(&mut self, all: &[Statement], params: usize) -> Result<(), CompileFailure> {
        for statement in all {
            let mut used = 0;
            match statement {
                Statement::Assign(variable, value) => {
                    let value = self.value(value, params, &mut used)?;
                    let (base, offset) = place(*variable, params);
                    self.emit(sd(value, base, offset));
                }
                Statement::Store(address, value) => {
                    let address = self.value(address, params, &mut used)?;
                    let value = self.value(value, params, &mut used)?;
                    self.emit(sd(value, address, 0));
                }
                Statement::If(condition, then, otherwise) => {
                    let skip = self.unless(condition, params)?;
                    self.statements(then, params)?;
                    let over = self.code.len();
                    self.emit(0);
                    self.branch_here(skip)?;
                    self.statements(otherwise, params)?;
                    self.code[over] = jal(ZERO, distance(over, self.code.len()));
                }
                Statement::While(condition, body) => {
                    let again = self.code.len();
                    let leave = self.unless(condition, params)?;
                    self.statements(body, params)?;
                    self.emit(jal(ZERO, distance(self.code.len(), again)));
                    self.branch_here(leave)?;
                }
                Statement::Return(value) => {
                    let value = self.value(value, params, &mut used)?;
                    self.emit(addi(A0, value, 0));
                    self.returns.push(self.code.len());
                    self.emit(0);
                }
                Statement::Call(callee, args) => {
                    self.called(*callee, args, params, &mut used)?;
                }
            }
        }
        Ok(())
    }

    /// A branch that is taken if a condition is zero; where it is, with its register for now.
    fn unless(&mut self, condition: &Expr, params: usize) -> Result<(usize, Reg), CompileFailure> {
        let value = self.value(condition, params, &mut 0)?;
        self.emit(0);
        Ok((self.code.len() - 1, value))
    }

    fn branch_here(&mut self, (at, register): (usize, Reg)) -> Result<(), CompileFailure> {
        let by = distance(at, self.code.len());
        if by >= 4096 {
            return Err("a branch leads too far".to_string());
        }
        self.code[at] = beq(register, ZERO, by);
        Ok(())
    }

    /// The next register for a value.
    fn temporary(used: &mut usize) -> Result<Reg, CompileFailure> {
        *used += 1;
        let register = TEMPORARIES.get(*used - 1).copied();
        register.ok_or_else(|| "an expression needs too many registers".to_string())
    }

    /// Computes a value into the next register.
    fn value(
        &mut self,
        expr: &Expr,
        params: usize,
        used: &mut usize,
    ) -> Result<Reg, CompileFailure> {
        match expr {
            Expr::Number(number) => {
                let to = Self::temporary(used)?;
                self.code.extend(constant(to, *number));
                Ok(to)
            }
            Expr::Variable(variable) => {
                let to = Self::temporary(used)?;
                let (base, offset) = place(*variable, params);
                self.emit(ld(to, base, offset));
                Ok(to)
            }
            Expr::Address(variable) => {
                let to = Self::temporary(used)?;
                let (base, offset) = place(*variable, params);
                self.emit(addi(to, base, offset));
                Ok(to)
            }
            Expr::Load(address) => {
                let address = self.value(address, params, used)?;
                self.emit(ld(address, address, 0));
                Ok(address)
            }
            Expr::Binary(operator, left, right) => {
                let left = self.value(left, params, used)?;
                let right = self.value(right, params, used)?;
                self.operator(*operator, left, right);
                *used -= 1;
                Ok(left)
            }
            Expr::Call(callee, args) => {
                self.called(*callee, args, params, used)?;
                let to = Self::temporary(used)?;
                self.emit(addi(to, A0, 0));
                Ok(to)
            }
        }
    }

    /// `left` becomes `left operator right`.
    fn operator(&mut self, operator: Operator, left: Reg, right: Reg) {
        match operator {
            Operator::Add => self.emit(two(ADD, left, left, right)),
            Operator::Sub => self.emit(two(SUB, left, left, right)),
            Operator::Mul => self.emit(two(MUL, left, left, right)),
            Operator::Div(site) => {
                self.site(site);
                self.emit(two(DIVU, left, left, right));
            }
            Operator::Rem(site) => {
                self.site(site);
                self.emit(two(REMU, left, left, right));
            }
            Operator::Lt => self.emit(two(SLTU, left, left, right)),
            Operator::Gt => self.emit(two(SLTU, left, right, left)),
            Operator::Ge => {
                self.emit(two(SLTU, left, left, right));
                self.not(left, right);
            }
            Operator::Le => {
                self.emit(two(SLTU, left, right, left));
                self.not(left, right);
            }
            Operator::Ne => {
                self.emit(two(SUB, left, right, left));
                self.emit(two(SLTU, left, ZERO, left));
            }
            Operator::Eq => {
                self.emit(two(SUB, left, right, left));
                self.emit(addi(right, ZERO, 1));
                self.emit(two(SLTU, left, left, right));
            }
        }
    }

    /// One less a register.
    fn not(&mut self, register: Reg, other: Reg) {
        self.emit(addi(other, ZERO, 1));
        self.emit(two(SUB, register, other, register));
    }

    fn site(&mut self, site: Site) {
        let here = CODE + 4 * self.code.len() as u64;
        self.sites.insert(site, here);
    }

    /// Calls, with the registers that are in use kept on the stack.
    fn called(
        &mut self,
        callee: Callee,
        args: &[Expr],
        params: usize,
        used: &mut usize,
    ) -> Result<(), CompileFailure> {
        let kept = &TEMPORARIES[..*used];
        for register in kept {
            self.push(*register);
        }
        for arg in args {
            let value = self.value(arg, params, &mut 0)?;
            self.push(value);
        }
        let function = match callee {
            Callee::Procedure(index) => Function::Procedure(index),
            Callee::Malloc => Function::Library(Library::Malloc),
            Callee::Exit => Function::Library(Library::Exit),
            Callee::Printsv => Function::Library(Library::Printsv),
            Callee::ZoneBegins => Function::Library(Library::ZoneBegins),
            Callee::ZoneEnds => Function::Library(Library::ZoneEnds),
            Callee::Interval(site) => {
                self.site(site);
                Function::Library(Library::Interval)
            }
            Callee::Assert(site) => {
                self.site(site);
                Function::Library(Library::Assert)
            }
        };
        self.call(function);
        for register in kept.iter().rev() {
            self.pop(*register);
        }
        Ok(())
    }
}
