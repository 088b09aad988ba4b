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

use crate::code::{Constant, FlatOp, LocalHome, Reg, SUM_BITS, WordRun};
use crate::flatten::Flattener;
use cairn_ir::{CastOp, GlobalId, Inst, Operand, PlaceId, Symbol};

/// Words of 8 bytes that make a run.
const SHORTEST_RUN: usize = 2;

/// The last word of a global that can be in a run.
const LAST_WORD: u32 = 1 << 16;

impl Flattener<'_> {
    /// The last operation, if it is in this block and the one thing that reads its result reads this
    /// operand.
    fn last_for(&self, operand: &Operand) -> Option<(FlatOp, Reg)> {
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
            LocalHome::Register(register) => Some((*self.code.ops.last()?, register)),
            LocalHome::Wide(_) => None,
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
            (FlatOp::Add(SUM_BITS, three), register) if three.dst == register => {
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
                FlatOp::Trunc {
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
            (FlatOp::Load { dst: read, .. } | FlatOp::LoadAt { dst: read, .. }, _)
                if read != register =>
            {
                return None;
            }
            (FlatOp::Load { bytes, at, .. }, CastOp::Sext) => {
                FlatOp::LoadSext { bytes, to, dst, at }
            }
            (FlatOp::Load { bytes, at, .. }, CastOp::Zext) => {
                FlatOp::LoadZext { bytes, to, dst, at }
            }
            (FlatOp::LoadAt { bytes, a, b, .. }, CastOp::Sext) => FlatOp::LoadSextAt {
                bytes,
                to,
                dst,
                a,
                b,
            },
            (FlatOp::LoadAt { bytes, a, b, .. }, CastOp::Zext) => FlatOp::LoadZextAt {
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
            FlatOp::Add(_, t)
            | FlatOp::Sub(_, t)
            | FlatOp::Mul(_, t)
            | FlatOp::And(_, t)
            | FlatOp::Or(_, t)
            | FlatOp::Xor(_, t)
            | FlatOp::Shl(_, t)
            | FlatOp::Lshr(_, t)
            | FlatOp::Ashr(_, t)
            | FlatOp::Divide(_, _, t) => &mut t.dst,
            FlatOp::Zext { dst, .. }
            | FlatOp::Sext { dst, .. }
            | FlatOp::Trunc { dst, .. }
            | FlatOp::FloatBinary { dst, .. }
            | FlatOp::Load { dst, .. }
            | FlatOp::LoadAt { dst, .. }
            | FlatOp::LoadSext { dst, .. }
            | FlatOp::LoadSextAt { dst, .. }
            | FlatOp::LoadZext { dst, .. }
            | FlatOp::LoadZextAt { dst, .. } => dst,
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
            FlatOp::Eq(w, t) if t.dst == condition => FlatOp::EqBranch(w, t),
            FlatOp::Ne(w, t) if t.dst == condition => FlatOp::NeBranch(w, t),
            FlatOp::Ult(w, t) if t.dst == condition => FlatOp::UltBranch(w, t),
            FlatOp::Ule(w, t) if t.dst == condition => FlatOp::UleBranch(w, t),
            FlatOp::Slt(w, t) if t.dst == condition => FlatOp::SltBranch(w, t),
            FlatOp::Sle(w, t) if t.dst == condition => FlatOp::SleBranch(w, t),
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
        self.code.runs.push(WordRun {
            base,
            words,
            length: 8 * (last + 1),
        });
        self.emit(if loads {
            FlatOp::LoadRun(index)
        } else {
            FlatOp::StoreRun(index)
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
