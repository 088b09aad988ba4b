//! Scopes of stack objects: what `llvm.lifetime.start` and `llvm.lifetime.end` say.
//!
//! - **Which.** Objects of the entry block whose marks all stand at their first byte and are for all of
//!   them. Variables that are only loaded and stored are left out: no pointer leads to them, so nothing
//!   can reach them out of their scope, and they may live in registers.
//! - **Optimised code.** LLVM may load from an object out of its scope if the value is not used: the load
//!   gives `poison`. So in functions that the optimiser has seen, an object with loads of the function
//!   itself is left out; accesses by others through a pointer are still found.
//! - **`setjmp`.** A function that it returns to twice may be back in a scope that was left. The marks of
//!   such functions mean nothing here.

use crate::emit::{BodyBuilder, ValueWords};
use crate::lowering::Refusal;
use crate::reader::Value;
use cairn_ir::Inst;
use llvm_sys::LLVMOpcode::*;
use rustc_hash::FxHashSet;

/// How many blocks are followed to the end of a function.
const MOST_BLOCKS: usize = 4;

/// How many uses of an address are followed.
const MOST_USES: usize = 10_000;

impl<'m> BodyBuilder<'_, 'm> {
    /// Finds the objects whose scopes are followed.
    pub(crate) fn find_scopes(&mut self) {
        if !self.cx.options.check_scopes || self.returns_twice() {
            return;
        }
        let entry = self.function.blocks().next();
        let instructions = entry.into_iter().flat_map(|block| block.instructions());
        let allocas = instructions.filter(|inst| matches!(inst.opcode(), LLVMAlloca));
        let followed: FxHashSet<Value<'m>> = allocas.filter(|a| self.is_followed(*a)).collect();
        self.scoped = followed;
    }

    /// Lowers a mark.
    pub(crate) fn scope(&mut self, begins: bool, inst: Value<'m>) -> Refusal<ValueWords> {
        let object = inst.operand(1);
        // The end of the function ends its objects, too, and a path that ends with it copies nothing.
        let ends_with_function = !begins && only_returns_after(inst);
        if self.scoped.contains(&object) && !ends_with_function {
            let address = self.scalar(object)?;
            self.push(Inst::Scope { address, begins });
        }
        Ok(ValueWords::new())
    }

    fn is_followed(&mut self, alloca: Value<'m>) -> bool {
        let Some(count) = alloca.operand(0).constant_int() else {
            return false;
        };
        let size = self.cx.types.layout(alloca.allocated_type()).size;
        let size = size.wrapping_mul(count);
        let mut marked = false;
        let whole = alloca.users().filter(|user| is_mark(*user)).all(|mark| {
            marked = true;
            let said = mark.operand(0).constant_int();
            said == Some(size) || said == Some(u64::MAX)
        });
        if !marked || !whole {
            return false;
        }
        match self.unoptimized {
            true => !is_only_accessed(alloca),
            false => !is_read_here(alloca),
        }
    }

    fn returns_twice(&self) -> bool {
        let twice = self.cx.attributes.returns_twice;
        let mut instructions = self
            .function
            .blocks()
            .flat_map(|block| block.instructions());
        instructions.any(|inst| {
            matches!(inst.opcode(), LLVMCall | LLVMInvoke) && self.cx.call_is(inst, twice)
        })
    }
}

/// Nothing comes after a mark but other marks, loads of variables, and the function's end.
fn only_returns_after(mark: Value<'_>) -> bool {
    let mut block = mark.block();
    let mut rest: Vec<Value<'_>> = block
        .instructions()
        .skip_while(|inst| *inst != mark)
        .collect();
    for _ in 0..MOST_BLOCKS {
        for inst in rest {
            match inst.opcode() {
                LLVMRet => return true,
                LLVMLoad if inst.operand(0).is_instruction() => {
                    if !matches!(inst.operand(0).opcode(), LLVMAlloca) {
                        return false;
                    }
                }
                LLVMBr if inst.successor_count() == 1 => block = inst.successor(0),
                _ if is_mark(inst) => {}
                _ => return false,
            }
        }
        rest = block.instructions().collect();
    }
    false
}

fn is_mark(user: Value<'_>) -> bool {
    user.is_instruction()
        && matches!(user.opcode(), LLVMCall)
        && user.callee().name().starts_with("llvm.lifetime.")
}

/// The object is only loaded and stored by its own address.
fn is_only_accessed(alloca: Value<'_>) -> bool {
    alloca.users().all(|user| {
        is_mark(user)
            || user.is_instruction()
                && match user.opcode() {
                    LLVMLoad => true,
                    LLVMStore => user.operand(0) != alloca,
                    _ => false,
                }
    })
}

/// The function itself may read the object: by a load or copy from an address that is computed from the
/// object's, or in a way that is not known.
fn is_read_here(alloca: Value<'_>) -> bool {
    let mut addresses = vec![alloca];
    let mut at = 0;
    while at < addresses.len() {
        let address = addresses[at];
        at += 1;
        for user in address.users() {
            if addresses.len() > MOST_USES || !user.is_instruction() {
                return true;
            }
            match user.opcode() {
                LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast => addresses.push(user),
                LLVMStore | LLVMICmp => {}
                LLVMCall | LLVMInvoke => {
                    let callee = user.callee().name();
                    let copies =
                        callee.starts_with("llvm.memcpy") || callee.starts_with("llvm.memmove");
                    if copies && user.operand(1) == address {
                        return true;
                    }
                }
                _ => return true,
            }
        }
    }
    false
}

/// A switch goes to its default, which is `unreachable`, for no value that its variable is ever given: the
/// compiler keeps in a variable where to go on when scopes have been left, and lists all such places.
/// Taken for a way of the program, the default could never be covered.
pub(crate) fn default_is_never_taken(switch: Value<'_>) -> bool {
    let value = switch.operand(0);
    if !value.is_instruction() || !matches!(value.opcode(), LLVMLoad) {
        return false;
    }
    let slot = value.operand(0);
    let cases: FxHashSet<u64> = (1..switch.successor_count())
        .filter_map(|case| switch.operand(2 * case).constant_int())
        .collect();
    let first = switch.successor(0).instructions().next();
    slot.is_instruction()
        && matches!(slot.opcode(), LLVMAlloca)
        && !cases.is_empty()
        && first.is_some_and(|inst| matches!(inst.opcode(), LLVMUnreachable))
        && slot.users().all(|user| {
            user.is_instruction()
                && match user.opcode() {
                    LLVMLoad => true,
                    LLVMStore => {
                        let stored = user.operand(0).constant_int();
                        stored.is_some_and(|value| cases.contains(&value))
                    }
                    _ => is_mark(user),
                }
        })
}
