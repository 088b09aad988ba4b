//! Signed arithmetic that was promised not to wrap (`nsw`), in functions that LLVM has optimised.
//!
//! # Problem
//! The front end promises it where the source computes, so there a wrap is an error of the program. LLVM's optimiser also computes
//! where the source does not (`c ? x + 1 : 0` becomes a sum and a choice): the result of a wrap is then *poison*, which is
//! no error before something depends on it.
//!
//! # Idea
//! Arithmetic whose result is certainly used in its own block is checked where it stands
//! ([`is_certainly_used`]). Of other arithmetic the bit that tells a wrap goes with the result: through operators,
//! choices and phis. Where the result is used (a branch, an address, a divisor) or leaves the function (stored, returned, an argument of
//! a call), the bit is a check. Where it goes on to what is not followed (vectors, structures, `freeze`), a path on
//! which the bit is set ends as not supported: whether the result is used is not known.
//!
//! # Soundness
//! Branches and the like are undefined with poison. What leaves a function: optimising may make a value more defined, never less, so
//! where the optimised function stores, returns or hands on poison the source's function does, too; and there poison comes only
//! from arithmetic that wraps where the source computes it. (`undef`, which reading an unwritten variable gives, may not become
//! poison.) A wrap is neither reported nor listed only if nothing depends on it; `missing_checks.rs` says that such wraps
//! are not seen.

use crate::emit::BodyBuilder;
use crate::reader::{BasicBlock, Value};
use cairn_ir::{BinaryOp, CheckKind, Operand};
use llvm_sys::LLVMOpcode::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of arithmetic that is not checked where it stands.
#[derive(Default)]
pub(crate) struct Overflows<'m> {
    /// The values that may depend on a wrap, and the one instruction that may wrap, if there is only one.
    sources: FxHashMap<Value<'m>, Option<Value<'m>>>,
    /// The instructions among them that may wrap themselves.
    own: FxHashSet<Value<'m>>,
    /// Whether they depend on one, where they have been lowered.
    bits: FxHashMap<Value<'m>, Operand>,
    /// What a block has checked already.
    checked: FxHashSet<(Value<'m>, BasicBlock<'m>)>,
}

/// What an instruction does with a value that may be poison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PoisonUse {
    /// Nothing but to compute with it, if at all.
    Computes,
    /// It is not known.
    Unknown,
    /// It is used, or leaves the function.
    Wrong,
}

const UNKNOWN_USE: &str = "whether the result of a signed overflow in an optimised function is used: compile with -O0 or \
                           -fsanitize=signed-integer-overflow";

impl<'m> BodyBuilder<'_, 'm> {
    /// Finds the arithmetic that is not checked where it stands, and what depends on it.
    pub(crate) fn find_overflows(&mut self, order: &[BasicBlock<'m>]) {
        if !self.cx.options.check_signed_overflow || self.unoptimized {
            return;
        }
        let instructions = order.iter().flat_map(|block| block.instructions());
        let own: FxHashSet<Value<'m>> = instructions
            .filter(|inst| promises_no_wrap(*inst) && !is_certainly_used(*inst))
            .collect();
        let mut sources: FxHashMap<Value<'m>, Option<Value<'m>>> = FxHashMap::default();
        let mut open: Vec<(Value<'m>, Option<Value<'m>>)> =
            own.iter().map(|inst| (*inst, Some(*inst))).collect();
        while let Some((value, source)) = open.pop() {
            let joined = match sources.get(&value) {
                Some(known) if *known == source || known.is_none() => continue,
                Some(_) => None,
                None => source,
            };
            sources.insert(value, joined);
            let carriers = value.users().filter(|user| carries(*user, value));
            open.extend(carriers.map(|user| (user, joined)));
        }
        self.overflows = Overflows {
            sources,
            own,
            ..Overflows::default()
        };
    }

    /// A signed operation has a result if this holds: a check, unless it is not known yet whether the result is used.
    pub(crate) fn check_no_wrap(&mut self, value: Value<'m>, holds: Operand) {
        if !self.overflows.own.contains(&value) {
            self.check(CheckKind::SignedOverflow, holds, "");
            return;
        }
        let wraps = self.not(holds);
        // Each lane of a vector adds its own.
        let before = self.overflow_bit(value);
        let bit = self.binary(BinaryOp::Or, 1, before, wraps);
        self.overflows.bits.insert(value, bit);
    }

    /// The bit that goes with a phi, if it has one.
    pub(crate) fn overflow_of_phi(&mut self, phi: Value<'m>) -> Option<cairn_ir::Local> {
        self.overflows.sources.get(&phi)?;
        let local = self.local(1);
        self.overflows.bits.insert(phi, Operand::Local(local));
        Some(local)
    }

    /// What a phi gets for its bit, if it has one.
    pub(crate) fn overflow_for_phi(&self, phi: Value<'m>, value: Value<'m>) -> Option<Operand> {
        self.overflows.sources.get(&phi)?;
        Some(self.overflow_bit(value))
    }

    /// Whether a value depends on a wrap.
    fn overflow_bit(&self, value: Value<'m>) -> Operand {
        let known = self.overflows.bits.get(&value);
        known.cloned().unwrap_or(Operand::Int(0))
    }

    /// The checks before an instruction.
    pub(crate) fn check_overflows_used(&mut self, inst: Value<'m>) {
        if self.overflows.sources.is_empty() {
            return;
        }
        let block = inst.block();
        for at in 0..inst.operand_count() {
            let value = inst.operand(at);
            let Some(&source) = self.overflows.sources.get(&value) else {
                continue;
            };
            let used = poison_use(inst, value);
            if used == PoisonUse::Computes || !self.overflows.checked.insert((value, block)) {
                continue;
            }
            let bit = self.overflow_bit(value);
            let holds = self.not(bit);
            let place = self.place;
            match used {
                PoisonUse::Unknown => self.check(CheckKind::Unsupported, holds, UNKNOWN_USE),
                _ => {
                    if let Some(source) = source {
                        let program = &mut self.cx.program;
                        self.place = self.cx.places.of_instruction(program, source);
                    }
                    self.check(CheckKind::SignedOverflow, holds, "");
                }
            }
            self.place = place;
        }
    }

    /// Notes whether what was lowered depends on a wrap.
    pub(crate) fn carry_overflows(&mut self, inst: Value<'m>) {
        if !self.overflows.sources.contains_key(&inst) {
            return;
        }
        let bits: Vec<Operand> = (0..inst.operand_count())
            .map(|at| self.overflow_bit(inst.operand(at)))
            .collect();
        let mut bit = self.overflow_bit(inst);
        if let LLVMSelect = inst.opcode() {
            let Ok(condition) = self.scalar(inst.operand(0)) else {
                return;
            };
            let chosen = self.select(1, condition, bits[1].clone(), bits[2].clone());
            bit = self.binary(BinaryOp::Or, 1, bits[0].clone(), chosen);
        } else {
            for operand in bits {
                bit = self.binary(BinaryOp::Or, 1, bit, operand);
            }
        }
        self.overflows.bits.insert(inst, bit);
    }
}

/// Whether the program has no meaning if the result is poison: something in the block is undefined with it, and what stands between
/// goes on to it.
fn is_certainly_used(inst: Value<'_>) -> bool {
    if !inst.ty().is_scalar() {
        return false;
    }
    let mut poisoned = FxHashSet::default();
    poisoned.insert(inst);
    let rest = inst.block().instructions().skip_while(|i| *i != inst);
    for next in rest.skip(1) {
        let operands: Vec<Value<'_>> = (0..next.operand_count())
            .map(|at| next.operand(at))
            .collect();
        for (at, operand) in operands.iter().enumerate() {
            if !poisoned.contains(operand) {
                continue;
            }
            if poison_use(next, *operand) == PoisonUse::Wrong {
                return true;
            }
            let one_of_two = matches!(next.opcode(), LLVMSelect) && at > 0;
            if carries(next, *operand) && !one_of_two {
                poisoned.insert(next);
            }
        }
        if may_end_here(next) {
            return false;
        }
    }
    false
}

fn poison_use(inst: Value<'_>, value: Value<'_>) -> PoisonUse {
    let is_at = |at: u32| inst.operand(at) == value;
    match inst.opcode() {
        LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMLoad | LLVMStore => PoisonUse::Wrong,
        LLVMRet if value.ty().is_scalar() => PoisonUse::Wrong,
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem if is_at(1) => PoisonUse::Wrong,
        LLVMCall | LLVMInvoke | LLVMCallBr => poison_argument(inst, value),
        LLVMPHI => PoisonUse::Computes,
        _ if carries(inst, value) => PoisonUse::Computes,
        _ => PoisonUse::Unknown,
    }
}

fn poison_argument(call: Value<'_>, value: Value<'_>) -> PoisonUse {
    let callee = call.callee();
    if callee == value {
        return PoisonUse::Wrong;
    }
    let name = callee.name();
    // Reports of the sanitiser, and what only the compiler looks at.
    let is_note = name.starts_with("__ubsan_handle_") || name.starts_with("llvm.dbg.");
    if is_note || carries(call, value) {
        return PoisonUse::Computes;
    }
    let known = !name.starts_with("llvm.") || name == "llvm.assume" || name.starts_with("llvm.mem");
    // An operand of a bundle is none of the arguments.
    let is_argument = (0..call.argument_count()).any(|at| call.operand(at) == value);
    match known && is_argument {
        true => PoisonUse::Wrong,
        false => PoisonUse::Unknown,
    }
}

/// Signed arithmetic whose result is poison if it leaves its range.
fn promises_no_wrap(inst: Value<'_>) -> bool {
    match inst.opcode() {
        LLVMAdd | LLVMSub | LLVMMul | LLVMShl => inst.no_signed_wrap(),
        LLVMCall => {
            inst.callee().name().starts_with("llvm.abs.")
                && inst.operand(1).constant_int() == Some(1)
        }
        _ => false,
    }
}

/// The result of an instruction is poison if this operand is, or may be, if it is a choice; it is one word, or a number with a bit that
/// tells whether it wrapped.
fn carries(inst: Value<'_>, operand: Value<'_>) -> bool {
    if !inst.is_instruction() {
        return false;
    }
    let scalar = inst.ty().is_scalar() && operand.ty().is_scalar();
    match inst.opcode() {
        LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
        | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd | LLVMFSub | LLVMFMul
        | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMFCmp | LLVMICmp | LLVMFPToUI | LLVMFPToSI
        | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt | LLVMTrunc | LLVMZExt | LLVMSExt
        | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMGetElementPtr
        | LLVMSelect => scalar,
        // Of any type: the bit is one.
        LLVMPHI => true,
        LLVMExtractValue => {
            operand.is_instruction()
                && matches!(operand.opcode(), LLVMCall)
                && has_overflow_bit(&operand.callee().name())
        }
        LLVMCall => {
            let name = inst.callee().name();
            scalar && only_computes(&name) || has_overflow_bit(&name)
        }
        _ => false,
    }
}

fn has_overflow_bit(intrinsic: &str) -> bool {
    intrinsic.starts_with("llvm.") && intrinsic.contains(".with.overflow.")
}

/// Intrinsics whose result is poison if an operand is.
fn only_computes(intrinsic: &str) -> bool {
    const NAMES: [&str; 17] = [
        "abs",
        "smax",
        "smin",
        "umax",
        "umin",
        "fshl",
        "fshr",
        "bswap",
        "bitreverse",
        "ctpop",
        "ctlz",
        "cttz",
        "uadd",
        "usub",
        "sadd",
        "ssub",
        "expect",
    ];
    let name = intrinsic.strip_prefix("llvm.");
    let name = name.and_then(|name| name.split('.').next());
    name.is_some_and(|name| NAMES.contains(&name))
}

/// What comes after an instruction may not be reached.
fn may_end_here(inst: Value<'_>) -> bool {
    match inst.opcode() {
        LLVMCall => {
            let name = inst.callee().name();
            !name.starts_with("llvm.") || name.contains("trap")
        }
        LLVMInvoke | LLVMCallBr => true,
        _ => false,
    }
}
