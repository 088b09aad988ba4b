//! Intrinsics that are neither arithmetic nor about vectors: memory, variable arguments, hints
//! and questions to the compiler.

use crate::emit::{BodyBuilder, ValueWords, one};
use crate::lowering::{Refusal, Unlowerable, constant, number};
use crate::reader::Value;
use cairn_bv::BitVec;
use cairn_ir::{BinaryOp, CheckKind, Inst, Operand};

/// Bytes of a `va_list`.
const VA_LIST: u64 = 24;

impl<'m> BodyBuilder<'_, 'm> {
    /// Lowers a call of an intrinsic, by its name without type suffixes.
    pub(crate) fn intrinsic(&mut self, name: &str, inst: Value<'m>) -> Refusal<ValueWords> {
        let short = name.strip_prefix("llvm.").unwrap_or(name);
        if let Some(pieces) = self.plain_intrinsic(short, inst)? {
            return Ok(pieces);
        }
        if let Some(pieces) = self.int_intrinsic(short, inst)? {
            return Ok(pieces);
        }
        let constrained = short.strip_prefix("experimental.constrained.");
        if let Some(pieces) = self.float_intrinsic(constrained.unwrap_or(short), inst)? {
            return Ok(pieces);
        }
        if let Some(pieces) = self.vector_intrinsic(short, inst)? {
            return Ok(pieces);
        }
        if short == "eh.typeid.for" && self.cx.landings.is_some() {
            let number_of_type = self.type_number(inst.operand(0));
            return Ok(one(number(32, number_of_type)));
        }
        if short.starts_with("eh.") {
            return Err(Unlowerable::new("C++ exceptions"));
        }
        Err(Unlowerable::new(format!("the intrinsic {name}")))
    }

    fn plain_intrinsic(&mut self, name: &str, inst: Value<'m>) -> Refusal<Option<ValueWords>> {
        let nothing = Ok(Some(ValueWords::new()));
        if is_hint(name) || memory_intrinsic(self, name, inst)? {
            return nothing;
        }
        if gives_its_operand(name) {
            return Ok(Some(self.pieces(inst.operand(0))?));
        }
        match name {
            "stacksave" => {
                let dst = self.local(self.pointer_bits());
                self.push(Inst::StackSave { dst });
                Ok(Some(one(Operand::Local(dst))))
            }
            "stackrestore" => {
                let mark = self.scalar(inst.operand(0))?;
                self.push(Inst::StackRestore { mark });
                nothing
            }
            "assume" => {
                if self.cx.options.check_assumptions {
                    let condition = self.scalar(inst.operand(0))?;
                    self.check(CheckKind::Assumption, condition, "");
                }
                nothing
            }
            "lifetime.start" => Ok(Some(self.scope(true, inst)?)),
            "lifetime.end" => Ok(Some(self.scope(false, inst)?)),
            // The machine has none of these: it asks who runs it.
            "returnaddress" => Ok(Some(self.library_call(
                "__cairn_return_address",
                vec![],
                &[64],
            ))),
            "frameaddress" | "addressofreturnaddress" | "sponentry" => Ok(Some(self.library_call(
                "__cairn_frame_address",
                vec![],
                &[64],
            ))),
            "invariant.start" | "is.constant" => Ok(Some(one(Operand::Int(0)))),
            // A promise to the optimiser, whose addresses may be of other modules.
            "type.test" if inst.feeds_assumptions_only() => Ok(Some(one(Operand::Int(1)))),
            "type.test" => {
                let address = self.scalar(inst.operand(0))?;
                Ok(Some(one(self.type_test(address, inst.operand(1)))))
            }
            "type.checked.load" => Ok(Some(self.type_checked_load(inst)?)),
            // Round to nearest, as everything here does; tests that a linker may take for true
            // are; checks that the compiler may leave out are kept.
            "get.rounding"
            | "public.type.test"
            | "allow.runtime.check"
            | "allow.ubsan.check"
            | "experimental.widenable.condition" => Ok(Some(one(Operand::Int(1)))),
            "objectsize" => {
                // Not known: the largest number, or 0 if the least possible size is asked for.
                let width = self.cx.layout(inst).width;
                let size = match self.scalar(inst.operand(1))? {
                    Operand::Int(0) => constant(BitVec::ones(width)),
                    _ => number(width, 0),
                };
                Ok(Some(one(size)))
            }
            "readcyclecounter" | "readsteadycounter" => {
                Ok(Some(self.library_call("__cairn_cycles", vec![], &[64])))
            }
            "ubsantrap" => {
                self.sanitizer_trap(inst)?;
                nothing
            }
            "trap" | "debugtrap" => {
                self.check(CheckKind::Undefined, Operand::Int(0), "trap");
                nothing
            }
            "ptrmask" => Ok(Some(self.masked_pointer(inst)?)),
            "load.relative" => {
                let base = self.scalar(inst.operand(0))?;
                let offset = inst.operand(1);
                let width = self.cx.layout(offset).width;
                let offset = self.scalar(offset)?;
                let bits = self.pointer_bits();
                let offset = self.resize_signed(width, bits, offset);
                let at = self.binary(BinaryOp::Add, bits, base.clone(), offset);
                let distance = self.load_word(at, 32);
                let distance = self.resize_signed(32, bits, distance);
                // The sum is an address in another object than the table's.
                let sum = self.binary(BinaryOp::Add, bits, base, distance);
                Ok(Some(one(self.plain_number(sum))))
            }
            _ => Ok(None),
        }
    }

    /// A pointer with some of its bits cleared.
    fn masked_pointer(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        self.lanes(&[inst.operand(0), inst.operand(1)], |this, words| {
            Ok(this.binary(
                BinaryOp::And,
                this.pointer_bits(),
                words[0].clone(),
                words[1].clone(),
            ))
        })
    }

    /// A number of bytes as wide as an address.
    fn length(&mut self, value: Value<'m>) -> Refusal<Operand> {
        let width = self.cx.layout(value).width;
        let length = self.scalar(value)?;
        Ok(self.resize(width, self.pointer_bits(), length))
    }
}

/// Intrinsics that tell the optimiser, a debugger or a processor something, and do nothing.
fn is_hint(name: &str) -> bool {
    matches!(
        name,
        "va_end"
            | "invariant.end"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.assign"
            | "dbg.label"
            | "sideeffect"
            | "donothing"
            | "prefetch"
            | "pseudoprobe"
            | "var.annotation"
            | "codeview.annotation"
            | "experimental.noalias.scope.decl"
            | "clear_cache"
            | "x86.sse2.pause"
            | "x86.sse2.mfence"
            | "x86.sse2.lfence"
            | "x86.sse.sfence"
    )
}

/// Intrinsics whose result is their first operand.
fn gives_its_operand(name: &str) -> bool {
    matches!(
        name,
        "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "arithmetic.fence"
            | "threadlocal.address"
    )
}

/// Lowers an intrinsic that writes memory and has no result; `false` if it is another.
fn memory_intrinsic<'m>(
    builder: &mut BodyBuilder<'_, 'm>,
    name: &str,
    inst: Value<'m>,
) -> Refusal<bool> {
    match name {
        "memcpy" | "memcpy.inline" | "memmove" => {
            let to = builder.scalar(inst.operand(0))?;
            let from = builder.scalar(inst.operand(1))?;
            let length = builder.length(inst.operand(2))?;
            builder.push(Inst::Copy {
                to,
                from,
                length,
                overlapping: name == "memmove",
            });
        }
        "memset" | "memset.inline" => {
            let to = builder.scalar(inst.operand(0))?;
            let byte = builder.scalar(inst.operand(1))?;
            let length = builder.length(inst.operand(2))?;
            builder.push(Inst::Fill { to, byte, length });
        }
        "va_start" => {
            let list = builder.scalar(inst.operand(0))?;
            let registers = builder.own_registers();
            builder.push(Inst::VaStart {
                list,
                general: registers.general,
                float: registers.float,
            });
        }
        "va_copy" => {
            let to = builder.scalar(inst.operand(0))?;
            let from = builder.scalar(inst.operand(1))?;
            builder.push(Inst::Copy {
                to,
                from,
                length: Operand::Int(VA_LIST),
                overlapping: false,
            });
        }
        _ => return Ok(false),
    }
    Ok(true)
}
