//! Instructions and blocks.

use super::{BasicBlock, Metadata, Type, Value, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::{LLVMOpcode, LLVMTailCallKind};

impl<'m> Value<'m> {
    pub(crate) fn opcode(self) -> LLVMOpcode {
        // SAFETY: callers have an instruction.
        unsafe { LLVMGetInstructionOpcode(self.raw) }
    }

    pub(crate) fn previous(self) -> Option<Value<'m>> {
        // SAFETY: callers have an instruction.
        Value::optional(unsafe { LLVMGetPreviousInstruction(self.raw) })
    }

    pub(crate) fn debug_location(self) -> Option<Metadata<'m>> {
        // SAFETY: callers have an instruction.
        Metadata::optional(unsafe { LLVMInstructionGetDebugLoc(self.raw) })
    }

    /// Predicate of an integer comparison.
    pub(crate) fn int_predicate(self) -> llvm_sys::LLVMIntPredicate {
        // SAFETY: callers have an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.raw) }
    }

    /// Predicate of a floating-point comparison.
    pub(crate) fn float_predicate(self) -> llvm_sys::LLVMRealPredicate {
        // SAFETY: callers have a floating-point comparison.
        unsafe { LLVMGetFCmpPredicate(self.raw) }
    }

    /// An arithmetic instruction was promised not to wrap as signed.
    pub(crate) fn no_signed_wrap(self) -> bool {
        // SAFETY: callers have an add, sub, mul or shl.
        unsafe { LLVMGetNSW(self.raw) != 0 }
    }

    /// An arithmetic instruction was promised not to wrap as unsigned.
    pub(crate) fn no_unsigned_wrap(self) -> bool {
        // SAFETY: callers have an add, sub, mul or shl.
        unsafe { LLVMGetNUW(self.raw) != 0 }
    }

    /// A division or right shift was promised to lose nothing.
    pub(crate) fn is_exact(self) -> bool {
        // SAFETY: callers have a division or right shift.
        unsafe { LLVMGetExact(self.raw) != 0 }
    }

    /// An address computation was promised to stay in its object.
    pub(crate) fn is_in_bounds(self) -> bool {
        // SAFETY: callers have an address computation.
        unsafe { LLVMIsInBounds(self.raw) != 0 }
    }

    /// The type that an address computation steps over.
    pub(crate) fn stepped_type(self) -> Type<'m> {
        // SAFETY: callers have an address computation.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// The type an alloca makes room for.
    pub(crate) fn allocated_type(self) -> Type<'m> {
        // SAFETY: callers have an alloca.
        Type::new(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// Constant indices of extractvalue and insertvalue.
    pub(crate) fn indices(self) -> Vec<u32> {
        // SAFETY: callers have one of these; LLVM keeps as many as it counts.
        unsafe {
            let count = LLVMGetNumIndices(self.raw) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec()
        }
    }

    /// Lanes that a shuffle picks; `None` for any value.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<u32>> {
        // SAFETY: callers have a shuffle.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw))
                .map(|i| u32::try_from(LLVMGetMaskValue(self.raw, i)).ok())
                .collect()
        }
    }

    /// What an atomic read-modify-write does.
    pub(crate) fn atomic_operation(self) -> llvm_sys::LLVMAtomicRMWBinOp {
        // SAFETY: callers have one.
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }
    }

    /// Values and blocks of a phi.
    pub(crate) fn incoming(self) -> impl Iterator<Item = (BasicBlock<'m>, Value<'m>)> {
        // SAFETY: callers have a phi.
        let count = unsafe { LLVMCountIncoming(self.raw) };
        (0..count).map(move |i| unsafe {
            (
                BasicBlock::new(LLVMGetIncomingBlock(self.raw, i)),
                Value::new(LLVMGetIncomingValue(self.raw, i)),
            )
        })
    }

    pub(crate) fn successor_count(self) -> u32 {
        // SAFETY: callers have a terminator.
        unsafe { LLVMGetNumSuccessors(self.raw) }
    }

    pub(crate) fn successor(self, index: u32) -> BasicBlock<'m> {
        // SAFETY: callers have a terminator and stay within its successors.
        BasicBlock::new(unsafe { LLVMGetSuccessor(self.raw, index) })
    }

    /// Where an invoke goes on.
    pub(crate) fn normal_destination(self) -> BasicBlock<'m> {
        // SAFETY: callers have an invoke.
        BasicBlock::new(unsafe { LLVMGetNormalDest(self.raw) })
    }

    /// Where an invoke goes on after an exception.
    pub(crate) fn unwind_destination(self) -> BasicBlock<'m> {
        // SAFETY: callers have an invoke.
        BasicBlock::new(unsafe { LLVMGetUnwindDest(self.raw) })
    }

    /// What a landing pad catches.
    pub(crate) fn clauses(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: callers have a landing pad.
        let count = unsafe { LLVMGetNumClauses(self.raw) };
        (0..count).map(move |i| Value::new(unsafe { LLVMGetClause(self.raw, i) }))
    }

    /// Whether a landing pad has something to do for every exception.
    pub(crate) fn is_cleanup(self) -> bool {
        // SAFETY: callers have a landing pad.
        unsafe { LLVMIsCleanup(self.raw) != 0 }
    }

    /// Where a callbr goes on by default.
    pub(crate) fn default_destination(self) -> BasicBlock<'m> {
        // SAFETY: callers have a callbr.
        BasicBlock::new(unsafe { LLVMGetCallBrDefaultDest(self.raw) })
    }

    /// A call that hands over the present frame, with all variadic arguments.
    pub(crate) fn is_must_tail(self) -> bool {
        // SAFETY: callers have a call instruction.
        unsafe {
            matches!(
                LLVMGetTailCallKind(self.raw),
                LLVMTailCallKind::LLVMTailCallKindMustTail
            )
        }
    }

    /// Arguments of a call.
    pub(crate) fn argument_count(self) -> u32 {
        // SAFETY: callers have a call.
        unsafe { LLVMGetNumArgOperands(self.raw) }
    }

    /// The first operand of a call's operand bundle of a name.
    pub(crate) fn bundle_operand(self, name: &str) -> Option<Value<'m>> {
        if !matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) {
            return None;
        }
        // SAFETY: a call or invoke; each bundle is freed, its operands belong to the module.
        unsafe {
            (0..LLVMGetNumOperandBundles(self.raw)).find_map(|i| {
                let bundle = LLVMGetOperandBundleAtIndex(self.raw, i);
                let mut length = 0;
                let tag = LLVMGetOperandBundleTag(bundle, &mut length);
                let found = text(tag, length) == name && LLVMGetNumOperandBundleArgs(bundle) > 0;
                let operand = found.then(|| LLVMGetOperandBundleArgAtIndex(bundle, 0));
                LLVMDisposeOperandBundle(bundle);
                operand.and_then(Value::optional)
            })
        }
    }

    /// A load or store that the optimiser must leave alone.
    pub(crate) fn is_volatile(self) -> bool {
        // SAFETY: callers have a load or store.
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// Everything that uses a value's result is a call of `llvm.assume`.
    pub(crate) fn feeds_assumptions_only(self) -> bool {
        self.users().all(|user| {
            user.is_instruction()
                && matches!(user.opcode(), LLVMOpcode::LLVMCall)
                && user.callee().name() == "llvm.assume"
        })
    }

    /// What uses a value; what uses it twice comes twice.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: any value may be asked; walks its list of uses.
        let first = unsafe { LLVMGetFirstUse(self.raw) };
        let mut next = first;
        std::iter::from_fn(move || {
            let current = next;
            if current.is_null() {
                return None;
            }
            // SAFETY: a living use of a living value.
            unsafe {
                next = LLVMGetNextUse(current);
                Some(Value::new(LLVMGetUser(current)))
            }
        })
    }

    /// The block of an instruction.
    pub(crate) fn block(self) -> BasicBlock<'m> {
        // SAFETY: callers have an instruction of a function.
        BasicBlock::new(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// What a call calls.
    pub(crate) fn callee(self) -> Value<'m> {
        // SAFETY: callers have a call.
        Value::new(unsafe { LLVMGetCalledValue(self.raw) })
    }

    /// The function type a call uses.
    pub(crate) fn callee_type(self) -> Type<'m> {
        // SAFETY: callers have a call.
        Type::new(unsafe { LLVMGetCalledFunctionType(self.raw) })
    }

    /// Text and constraints of inline assembly.
    pub(crate) fn assembly(self) -> (String, String) {
        let (mut first, mut second) = (0, 0);
        // SAFETY: callers have inline assembly; the texts are copied.
        unsafe {
            let assembly = LLVMGetInlineAsmAsmString(self.raw, &mut first);
            let constraints = LLVMGetInlineAsmConstraintString(self.raw, &mut second);
            (text(assembly, first), text(constraints, second))
        }
    }

    /// The text of a metadata string.
    pub(crate) fn metadata_string(self) -> Option<String> {
        let mut length = 0;
        // SAFETY: LLVM answers null for what is not a metadata string.
        unsafe {
            let start = LLVMGetMDString(self.raw, &mut length);
            (!start.is_null()).then(|| text(start, length as usize))
        }
    }
}

impl<'m> BasicBlock<'m> {
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: walks the list of a living block.
        let first = Value::optional(unsafe { LLVMGetFirstInstruction(self.raw) });
        std::iter::successors(first, |i| {
            Value::optional(unsafe { LLVMGetNextInstruction(i.raw) })
        })
    }

    pub(crate) fn terminator(self) -> Value<'m> {
        // SAFETY: the verifier has seen that every block has one.
        Value::new(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The condition of the one branch that leads to a block, if there is one and nothing else does.
    pub(crate) fn only_condition(self) -> Option<Value<'m>> {
        // SAFETY: any block is also a value, which branches use.
        let mut users = Value::new(unsafe { LLVMBasicBlockAsValue(self.raw) }).users();
        let branch = users.next().filter(|user| user.is_instruction())?;
        let conditional =
            matches!(branch.opcode(), LLVMOpcode::LLVMBr) && branch.successor_count() == 2;
        (conditional && users.next().is_none()).then(|| branch.operand(0))
    }

    pub(crate) fn parent(self) -> Value<'m> {
        // SAFETY: blocks of a module belong to a function.
        Value::new(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }
}
