//! Two or more instructions that run as one operation.
//!
//! Each operation costs a dispatch, and each value that goes from one to the next a register. So a sum that
//! is only an address becomes part of the access, an extension part of the load before it, a truncation
//! part of the store after it, and a comparison is fused with its branch. An executable keeps its
//! registers in one global, which functions read when they begin and write when they end: accesses to
//! consecutive words of it are fused to a run.
//!
//! The previous operation is taken back only if it is in the same block and its result has no other reader.
//! Its operands still have their values then, as nothing was written in between. A value that is stored
//! to a variable in a register (`variables.rs`) is computed in that register. A fused operation that stops
//! at an access can run again from its beginning: its first half changes nothing that it reads.

use crate::code::{Constant, Home, Op, Reg, Run, SUM_BITS};
use crate::flatten::Flattener;
use cairn_ir::{CastOp, GlobalId, Inst, Operand, PlaceId, Symbol};

/// Words of 8 bytes that make a run.
const SHORTEST_RUN: usize = 2;

/// The last word of a global that can be in a run.
const LAST_WORD: u32 = 1 << 16;

impl Flattener<'_> {
    /// The last operation, if it is in this block and the one thing that reads its result reads this
    /// operand.
    fn last_for(&self, operand: &Operand) -> Option<(Op, Reg)> {
        let Operand::Local(local) = operand else {
            return None;
        };
        if self.uses[local.index()] != 1 || self.here() == self.block_start {
            return None;
        }
        // The operation may have made the variable, which others read.
        if self.variables.is_shared(*local) {
            return None;
        }
        match self.home(*local) {
            Home::Register(register) => Some((*self.code.ops.last()?, register)),
            Home::Wide(_) => None,
        }
    }

    /// Takes the last operation back.
    fn take_back(&mut self) {
        self.code.ops.pop();
        self.code.places.pop();
        self.code.points.pop();
    }

    /// If the last operation is the sum that is this address and nothing else uses it, takes it
    /// back and returns what is added.
    pub fn take_sum(&mut self, address: &Operand) -> Option<(Reg, Reg)> {
        match self.last_for(address)? {
            (Op::Add(SUM_BITS, three), register) if three.dst == register => {
                self.take_back();
                Some((three.a, three.b))
            }
            (_, _) => None,
        }
    }

    /// If the last operation is the truncation that is this value and nothing else uses it, takes it
    /// back and returns the width and the register of what is truncated.
    pub fn take_low(&mut self, value: &Operand) -> Option<(u8, Reg)> {
        match self.last_for(value)? {
            (
                Op::Trunc {
                    from, dst, value, ..
                },
                register,
            ) if dst == register => {
                self.take_back();
                Some((from, value))
            }
            (_, _) => None,
        }
    }

    /// If the last operation is the load that this extension to a width is of and nothing else uses it,
    /// lets it extend. It keeps its place: if something is wrong, it is with the load.
    pub fn extend_load(&mut self, op: CastOp, value: &Operand, to: u8, dst: Reg) -> Option<()> {
        let (last, register) = self.last_for(value)?;
        let load = match (last, op) {
            (_, CastOp::Trunc) => return None,
            (Op::Load { dst: read, .. } | Op::LoadAt { dst: read, .. }, _) if read != register => {
                return None;
            }
            (Op::Load { bytes, at, .. }, CastOp::Sext) => Op::LoadSext { bytes, to, dst, at },
            (Op::Load { bytes, at, .. }, CastOp::Zext) => Op::LoadZext { bytes, to, dst, at },
            (Op::LoadAt { bytes, a, b, .. }, CastOp::Sext) => Op::LoadSextAt {
                bytes,
                to,
                dst,
                a,
                b,
            },
            (Op::LoadAt { bytes, a, b, .. }, CastOp::Zext) => Op::LoadZextAt {
                bytes,
                to,
                dst,
                a,
                b,
            },
            (_, _) => return None,
        };
        *self.code.ops.last_mut()? = load;
        Some(())
    }

    /// If the last operation makes this value and nothing else uses it, lets it make it in a variable's
    /// register.
    pub fn make_there(&mut self, value: &Operand, variable: Reg) -> Option<()> {
        let (mut last, register) = self.last_for(value)?;
        let dst = match &mut last {
            Op::Add(_, t)
            | Op::Sub(_, t)
            | Op::Mul(_, t)
            | Op::And(_, t)
            | Op::Or(_, t)
            | Op::Xor(_, t)
            | Op::Shl(_, t)
            | Op::Lshr(_, t)
            | Op::Ashr(_, t)
            | Op::Divide(_, _, t) => &mut t.dst,
            Op::Zext { dst, .. }
            | Op::Sext { dst, .. }
            | Op::Trunc { dst, .. }
            | Op::FloatBinary { dst, .. }
            | Op::Load { dst, .. }
            | Op::LoadAt { dst, .. }
            | Op::LoadSext { dst, .. }
            | Op::LoadSextAt { dst, .. }
            | Op::LoadZext { dst, .. }
            | Op::LoadZextAt { dst, .. } => dst,
            // A move may be the second half of a select; others make no value of whole bytes, or several.
            _ => return None,
        };
        if *dst != register {
            return None;
        }
        *dst = variable;
        *self.code.ops.last_mut()? = last;
        Some(())
    }

    /// If the last operation is the comparison that is this condition, lets it branch.
    pub fn fuse_comparison(&mut self, condition: Reg) {
        if self.code.ops.len() as u32 == self.block_start {
            return;
        }
        let Some(last) = self.code.ops.last_mut() else {
            return;
        };
        *last = match *last {
            Op::Eq(w, t) if t.dst == condition => Op::EqBranch(w, t),
            Op::Ne(w, t) if t.dst == condition => Op::NeBranch(w, t),
            Op::Ult(w, t) if t.dst == condition => Op::UltBranch(w, t),
            Op::Ule(w, t) if t.dst == condition => Op::UleBranch(w, t),
            Op::Slt(w, t) if t.dst == condition => Op::SltBranch(w, t),
            Op::Sle(w, t) if t.dst == condition => Op::SleBranch(w, t),
            other => other,
        };
    }

    /// If the first of these instructions are a run, emits it and returns how many they are.
    pub fn run_of_words(&mut self, insts: &[(Inst, PlaceId)]) -> Option<usize> {
        let loads = matches!(insts.first()?.0, Inst::Load { .. });
        let mut global = None;
        let mut words = Vec::new();
        for (inst, _) in insts {
            let (address, operand) = match inst {
                Inst::Load { dst, address } if loads && self.body.width(*dst) == 64 => {
                    (address, Operand::Local(*dst))
                }
                Inst::Store {
                    value,
                    width: 64,
                    address,
                } if !loads => (address, value.clone()),
                _ => break,
            };
            let Some((of, word)) = word_of(address) else {
                break;
            };
            if *global.get_or_insert(of) != of {
                break;
            }
            words.push((self.reg(&operand)?, word));
        }
        let taken = words.len();
        let global = global.filter(|_| taken >= SHORTEST_RUN)?;
        let base = self.constant(Constant::Address(Symbol::Global(global), 0));
        let last = words.iter().map(|(_, word)| *word).max().unwrap_or(0);
        let index = self.code.runs.len() as u32;
        self.code.runs.push(Run {
            base,
            words,
            length: 8 * (last + 1),
        });
        self.emit(if loads {
            Op::LoadRun(index)
        } else {
            Op::StoreRun(index)
        });
        Some(taken)
    }
}

/// The global of an address and which of its words is there.
fn word_of(address: &Operand) -> Option<(GlobalId, u32)> {
    let Operand::Address(Symbol::Global(global), offset) = address else {
        return None;
    };
    let offset = u32::try_from(*offset).ok()?;
    let aligned = offset.is_multiple_of(8) && offset / 8 <= LAST_WORD;
    aligned.then_some((*global, offset / 8))
}
