//! The meaning of the control-register instructions, for the registers that programs may use: the
//! floating-point status and the counters.
//!
//! Exception flags cost much and hardly any program looks at them. So they are computed in executables that
//! have an instruction that reads them, and in no others ([`looks`]). One reading does not count: compilers
//! save the flags, compare, and restore them. What is between has then raised nothing, and the register
//! that held them holds any flags. Should flags be read that were not computed, because code was
//! entered in the middle, that is refused by name. What counters show is asked of the machine.

use crate::decode::{GuestInst, decode};
use crate::elf::Executable;
use crate::print::assembly;
use crate::registers::{FLAGS, RAISED, ROUNDING, effects, one};
use crate::table::{Opcode, OperandField};
use crate::values::{RegisterForms, WordForms};
use cairn_ir::{BinaryOp, CheckKind, CompareOp, Inst as Ir, Operand};

/// In place of flags that were not computed.
pub(crate) const UNKNOWN: u64 = 1 << 8;

/// How many instructions may stand between saving and restoring flags.
const KEEPING: usize = 16;

/// Whether an executable has instructions that read exception flags, and whether some change the rounding
/// mode. Every word that could be one counts, wherever it stands.
pub(crate) fn looks(executable: &Executable) -> (bool, bool) {
    let (mut flags, mut rounding) = (false, false);
    for segment in executable.segments.iter().filter(|s| s.execute) {
        for at in (0..segment.bytes.len()).step_by(2) {
            let bytes = &segment.bytes[at..];
            let Some(inst) =
                decode(bytes).filter(|i| i.op.row().fields.contains(&OperandField::Csr))
            else {
                continue;
            };
            let replaces = matches!(inst.op, Opcode::Csrrw | Opcode::Csrrwi);
            let (reads, writes) = (inst.rd != 0, replaces || inst.rs1 != 0);
            rounding |= writes && matches!(inst.imm, 2 | 3);
            if reads && matches!(inst.imm, 1 | 3) && !flags {
                flags = keeps_flags(&following(bytes)).is_none();
            }
        }
    }
    (flags, rounding)
}

/// Some instructions in a row.
fn following(bytes: &[u8]) -> Vec<(u64, GuestInst)> {
    let mut all = Vec::with_capacity(KEEPING);
    let mut at = 0;
    while all.len() < KEEPING
        && let Some(inst) = decode(&bytes[at.min(bytes.len())..])
    {
        all.push((at as u64, inst));
        at += usize::from(inst.length);
    }
    all
}

/// If these instructions begin with saving the flags in a register that only restores them, how many
/// instructions later that is.
pub(crate) fn keeps_flags(insts: &[(u64, GuestInst)]) -> Option<usize> {
    let (_, first) = insts.first()?;
    if first.op != Opcode::Csrrs || first.imm != 1 || first.rs1 != 0 || first.rd == 0 {
        return None;
    }
    for (i, (_, inst)) in insts.iter().enumerate().skip(1) {
        let restores = inst.op == Opcode::Csrrw && inst.imm == 1;
        if restores && inst.rs1 == first.rd && inst.rd == 0 {
            return Some(i);
        }
        let (reads, writes) = effects(inst);
        let touched = reads | writes;
        if touched & (one(first.rd.into()) | one(FLAGS)) != 0 || inst.op == Opcode::Ecall {
            return None;
        }
    }
    None
}

/// Lowers the first and the last instruction that [`keeps_flags`] speaks of; false for those between.
/// `left` is how many are to come.
pub(crate) fn keep_flags(v: &mut RegisterForms<'_>, inst: &GuestInst, left: usize) -> bool {
    match inst.op {
        Opcode::Csrrs if inst.imm == 1 && left > 0 => {
            v.saved_flags = Some((v.now[FLAGS].clone(), v.now[RAISED].clone()));
            let dst = v.builder.body.local(64);
            v.builder.emit(Ir::Arbitrary { dst });
            let any = v
                .builder
                .binary(BinaryOp::And, 64, Operand::Local(dst), Operand::Int(31));
            v.set(inst.rd.into(), WordForms::wide(any));
            true
        }
        Opcode::Csrrw if left == 0 => {
            if let Some((flags, raised)) = v.saved_flags.take() {
                (v.now[FLAGS], v.now[RAISED]) = (flags, raised);
            }
            true
        }
        _ => false,
    }
}

/// Lowers an access to a control register.
pub(crate) fn lower(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst) {
    let immediate = matches!(inst.op, Opcode::Csrrwi | Opcode::Csrrsi | Opcode::Csrrci);
    let replaces = matches!(inst.op, Opcode::Csrrw | Opcode::Csrrwi);
    let reads = inst.rd != 0;
    let writes = replaces || inst.rs1 != 0;
    let text = assembly(inst, at);
    // `unimp`: writing a counter is never allowed.
    if inst.imm == 0xc00 && writes {
        let message = format!("a trap (unimp) at {at:#x}");
        return v
            .builder
            .check(CheckKind::Unreachable, Operand::Int(0), &message);
    }
    let before = match inst.imm {
        // fflags, frm, fcsr
        1..=3 => {
            let raised = v.wide(RAISED);
            if inst.imm != 2 && reads {
                let known =
                    v.builder
                        .compare(CompareOp::Ult, 64, raised.clone(), Operand::Int(UNKNOWN));
                let message =
                    format!("{text} at {at:#x} reads exception flags, which were not computed");
                v.builder.check(CheckKind::Unsupported, known, &message);
            }
            let flags = v.wide(FLAGS);
            let flags = v.builder.binary(BinaryOp::Or, 64, flags, raised);
            let mode = v.wide(ROUNDING);
            match inst.imm {
                1 => flags,
                2 => mode,
                _ => {
                    let mode = v.builder.binary(BinaryOp::Shl, 64, mode, Operand::Int(5));
                    v.builder.binary(BinaryOp::Or, 64, mode, flags)
                }
            }
        }
        // cycle, time, instret
        0xc00..=0xc02 if !writes => {
            let number = Operand::Int(u64::from(inst.imm as u32));
            let counter = v.counter.expect("the program has the function");
            let shown = crate::helpers::call(&mut v.builder, counter, vec![(number, 64)], &[64]);
            shown.into_iter().next().expect("a result")
        }
        _ => {
            let message = format!("{text} at {at:#x}: this control register is not supported");
            return v
                .builder
                .check(CheckKind::Unsupported, Operand::Int(0), &message);
        }
    };
    if writes {
        let source = match immediate {
            true => Operand::Int(inst.rs1.into()),
            false => v.wide(inst.rs1.into()),
        };
        let after = match inst.op {
            Opcode::Csrrw | Opcode::Csrrwi => source,
            Opcode::Csrrs | Opcode::Csrrsi => {
                v.builder.binary(BinaryOp::Or, 64, before.clone(), source)
            }
            _ => {
                let kept = v
                    .builder
                    .binary(BinaryOp::Xor, 64, source, Operand::Int(u64::MAX));
                v.builder.binary(BinaryOp::And, 64, before.clone(), kept)
            }
        };
        let mut part = |low: u64, mask: u64| {
            let shifted = v
                .builder
                .binary(BinaryOp::Lshr, 64, after.clone(), Operand::Int(low));
            v.builder
                .binary(BinaryOp::And, 64, shifted, Operand::Int(mask))
        };
        let (flags, mode) = match inst.imm {
            1 => (Some(part(0, 31)), None),
            2 => (None, Some(part(0, 7))),
            _ => (Some(part(0, 31)), Some(part(5, 7))),
        };
        if let Some(flags) = flags {
            // What sets or clears some flags leaves it open whether others were raised.
            let all = inst.op == Opcode::Csrrci && inst.rs1 == 31;
            v.set(FLAGS, WordForms::wide(flags));
            if replaces || all || v.floats.looks_at_flags {
                v.set(RAISED, WordForms::constant(0));
            }
        }
        if let Some(mode) = mode {
            v.set(ROUNDING, WordForms::wide(mode));
        }
    }
    v.set(inst.rd.into(), WordForms::wide(before));
}
