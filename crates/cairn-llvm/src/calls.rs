//! Calls: of functions, through pointers, of inline assembly that does nothing, and of the
//! functions by which the compiler's sanitiser reports undefined behaviour.

use crate::emit::{BodyBuilder, ValueWord, ValueWords};
use crate::lowering::{GlobalMeaning, Refusal, Unlowerable};
use crate::reader::{AttributeAt, Value};
use crate::types::{TypeLayout, TypeShape};
use cairn_ir::{Call, Callee, FloatFormat, FuncId, Inst, Operand, Symbol, VarArg, VarClass};
use llvm_sys::LLVMOpcode::LLVMCall;
use llvm_sys::LLVMValueKind::*;

/// Registers that the calling convention of x86-64 has for arguments.
const GENERAL_REGISTERS: u32 = 6;
const FLOAT_REGISTERS: u32 = 8;

/// Functions by which C++ throws.
const THROWING: [&str; 4] = [
    "__cxa_throw",
    "__cxa_rethrow",
    "_Unwind_Resume",
    "_Unwind_RaiseException",
];

/// Registers that arguments have taken so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Registers {
    pub(crate) general: u32,
    pub(crate) float: u32,
}

impl Registers {
    /// Takes the registers of a parameter. What does not fit whole takes none.
    fn take(&mut self, layout: &TypeLayout<'_>) {
        match &layout.shape {
            TypeShape::Int | TypeShape::Pointer => {
                let words = layout.width.div_ceil(64);
                if self.general + words <= GENERAL_REGISTERS {
                    self.general += words;
                }
            }
            TypeShape::Float(FloatFormat::X87) | TypeShape::Void | TypeShape::Exotic(_) => {}
            TypeShape::Float(_) => self.float = (self.float + 1).min(FLOAT_REGISTERS),
            TypeShape::Vector => {
                let registers = layout.store_size.div_ceil(16) as u32;
                self.float = (self.float + registers).min(FLOAT_REGISTERS);
            }
            TypeShape::Struct => {
                for element in &layout.elements {
                    self.take(element);
                }
            }
            TypeShape::Array => {
                for _ in 0..layout
                    .count
                    .min(u64::from(GENERAL_REGISTERS + FLOAT_REGISTERS))
                {
                    self.take(&layout.elements[0]);
                }
            }
        }
    }
}

impl<'m> BodyBuilder<'_, 'm> {
    pub(crate) fn call(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let callee = inst.callee();
        if let LLVMInlineAsmValueKind = callee.kind() {
            return self.assembly(inst, callee);
        }
        if let Some(GlobalMeaning::Intrinsic(name)) = self.cx.meanings.get(&callee) {
            let name = name.clone();
            return self.intrinsic(&name, inst);
        }
        let target = self.scalar(callee)?;
        if let Operand::Address(Symbol::Function(id), 0) = target
            && let function = self.cx.program.function(id)
            && function.body.is_none()
        {
            if let Some(handler) = function.name.strip_prefix("__ubsan_handle_") {
                let handler = handler.to_string();
                return self.sanitizer_report(&handler, inst);
            }
            if self.cx.landings.is_none() && THROWING.contains(&function.name.as_str()) {
                return Err(Unlowerable::new("C++ exceptions"));
            }
        }
        self.check_kcfi(inst, &target);
        let ty = inst.callee_type();
        if ty.is_variadic() && matches!(inst.opcode(), LLVMCall) && inst.is_must_tail() {
            return Err(Unlowerable::new(
                "variadic arguments that are handed on as a whole",
            ));
        }
        let named = ty.parameters().len() as u32;
        let mut args = Vec::new();
        let mut registers = Registers::default();
        for at in 0..named {
            args.extend(self.operands(inst.operand(at))?);
            self.named_registers(inst, at, &mut registers);
        }
        let mut variadic = Vec::new();
        for at in named..inst.argument_count() {
            self.variadic_argument(inst, at, &mut registers, &mut variadic)?;
        }
        let widths = self.cx.layout(inst).leaves()?;
        let callee = match target {
            Operand::Address(Symbol::Function(id), 0)
                if self.signature_fits(id, &args, &widths, ty.is_variadic()) =>
            {
                Callee::Direct(id)
            }
            target => Callee::Indirect(self.as_local(target)),
        };
        Ok(self.emit_call(callee, args, variadic, &widths))
    }

    /// A call, with the words that it returns.
    pub(crate) fn emit_call(
        &mut self,
        callee: Callee,
        args: Vec<(Operand, u32)>,
        variadic: Vec<VarArg>,
        widths: &[u32],
    ) -> ValueWords {
        let results: Vec<_> = widths.iter().map(|&width| self.local(width)).collect();
        let pieces = results
            .iter()
            .map(|&local| ValueWord::Known(Operand::Local(local)))
            .collect();
        self.push(Inst::Call(Box::new(Call {
            callee,
            args,
            variadic,
            results,
        })));
        pieces
    }

    /// A call of a library function by its name, which the module need not declare.
    pub(crate) fn library_call(
        &mut self,
        name: &str,
        args: Vec<(Operand, u32)>,
        widths: &[u32],
    ) -> ValueWords {
        let params: Vec<u32> = args.iter().map(|&(_, width)| width).collect();
        let callee = match self.cx.library_symbol(name, &params, widths) {
            Symbol::Function(id) if self.signature_fits(id, &args, widths, false) => {
                Callee::Direct(id)
            }
            symbol => Callee::Indirect(self.as_local(Operand::Address(symbol, 0))),
        };
        self.emit_call(callee, args, Vec::new(), widths)
    }

    fn signature_fits(
        &self,
        id: FuncId,
        args: &[(Operand, u32)],
        results: &[u32],
        variadic: bool,
    ) -> bool {
        let function = self.cx.program.function(id);
        let widths = args.iter().map(|(_, width)| width);
        function.variadic == variadic
            && function.results == results
            && function.params.iter().eq(widths)
    }

    /// An address in a local. The program form has no plain copy; a choice between equals is
    /// one.
    fn as_local(&mut self, word: Operand) -> cairn_ir::Local {
        if let Operand::Local(local) = word {
            return local;
        }
        let dst = self.local(self.pointer_bits());
        self.push(Inst::Select {
            dst,
            condition: Operand::Int(1),
            then: word.clone(),
            otherwise: word,
        });
        dst
    }

    fn named_registers(&mut self, inst: Value<'m>, at: u32, registers: &mut Registers) {
        let byval = self.cx.attributes.byval;
        if inst
            .call_attribute(AttributeAt::Parameter(at), byval)
            .is_none()
        {
            let layout = self.cx.layout(inst.operand(at));
            registers.take(&layout);
        }
    }

    /// Registers that the named parameters of the present function take.
    pub(crate) fn own_registers(&mut self) -> Registers {
        let byval = self.cx.attributes.byval;
        let mut registers = Registers::default();
        for (at, parameter) in self.function.parameters().into_iter().enumerate() {
            let at = AttributeAt::Parameter(at as u32);
            if self.function.function_attribute(at, byval).is_none() {
                let layout = self.cx.layout(parameter);
                registers.take(&layout);
            }
        }
        registers
    }

    fn variadic_argument(
        &mut self,
        inst: Value<'m>,
        at: u32,
        registers: &mut Registers,
        to: &mut Vec<VarArg>,
    ) -> Refusal<()> {
        let argument = inst.operand(at);
        let place = AttributeAt::Parameter(at);
        if let Some(byval) = inst.call_attribute(place, self.cx.attributes.byval) {
            let layout = self.cx.types.layout(byval.ty());
            let stated = inst.call_attribute(place, self.cx.attributes.align);
            let align = stated.map_or(layout.align, |attribute| attribute.number());
            to.push(VarArg {
                value: self.scalar(argument)?,
                width: self.pointer_bits(),
                class: VarClass::Bytes {
                    size: layout.size,
                    // Stack slots of arguments are 8 bytes at least.
                    align: align.clamp(8, 1 << 16) as u32,
                },
            });
            return Ok(());
        }
        let layout = self.cx.layout(argument);
        let pieces = self.pieces(argument)?;
        self.variadic_value(&layout, &mut pieces.into_iter(), registers, to)
    }

    fn variadic_value(
        &mut self,
        layout: &TypeLayout<'m>,
        from: &mut impl Iterator<Item = ValueWord>,
        registers: &mut Registers,
        to: &mut Vec<VarArg>,
    ) -> Refusal<()> {
        let refused = || {
            Unlowerable::new(format!(
                "a variadic argument of type {}",
                layout.ty.to_text()
            ))
        };
        let width = layout.width;
        let class = match &layout.shape {
            TypeShape::Int if width > 128 => return Err(refused()),
            TypeShape::Int if width > 64 => {
                let word = self.next_word(from, width);
                let word = self.resize(width, 128, word);
                if registers.general + 2 > GENERAL_REGISTERS {
                    // Both halves stay together; a single register left stays free.
                    to.push(VarArg {
                        value: word,
                        width: 128,
                        class: VarClass::Memory(16),
                    });
                    return Ok(());
                }
                registers.general += 2;
                for value in self.split(word, 64, 2) {
                    to.push(VarArg {
                        value,
                        width: 64,
                        class: VarClass::General,
                    });
                }
                return Ok(());
            }
            TypeShape::Int | TypeShape::Pointer => VarClass::General,
            TypeShape::Float(FloatFormat::X87) => VarClass::Memory(16),
            TypeShape::Float(_) => VarClass::Float,
            TypeShape::Struct => {
                for element in &layout.elements {
                    self.variadic_value(element, from, registers, to)?;
                }
                return Ok(());
            }
            TypeShape::Array => {
                for _ in 0..layout.count {
                    self.variadic_value(&layout.elements[0], from, registers, to)?;
                }
                return Ok(());
            }
            TypeShape::Vector => {
                let lane = layout.elements[0].width;
                let bits = u64::from(lane) * layout.count;
                if bits > 128 {
                    return Err(refused());
                }
                let words: Vec<Operand> = (0..layout.count)
                    .map(|_| self.next_word(from, lane))
                    .collect();
                registers.take(layout);
                let value = self.join(lane, &words);
                to.push(VarArg {
                    value,
                    width: bits as u32,
                    class: VarClass::Float,
                });
                return Ok(());
            }
            TypeShape::Void | TypeShape::Exotic(_) => return Err(refused()),
        };
        registers.take(layout);
        let value = self.next_word(from, width);
        to.push(VarArg {
            value,
            width,
            class,
        });
        Ok(())
    }

    fn next_word(&mut self, from: &mut impl Iterator<Item = ValueWord>, width: u32) -> Operand {
        let piece = from.next().unwrap_or(ValueWord::Undefined);
        self.operand(&piece, width)
    }

    /// Assembly without instructions (a barrier for the compiler) hands its tied operands
    /// through; what it leaves in other outputs is anything.
    fn assembly(&mut self, inst: Value<'m>, assembly: Value<'m>) -> Refusal<ValueWords> {
        let (text, constraints) = assembly.assembly();
        if !is_without_effect(&text) {
            let text = text.replace(['\n', '\t'], " ");
            return Err(Unlowerable::new(format!(
                "inline assembly: {}",
                text.trim()
            )));
        }
        let leaves = self.cx.layout(inst).leaves()?;
        let constraints: Vec<&str> = constraints.split(',').collect();
        let is_output = |c: &&str| c.starts_with('=');
        let is_input = |c: &&str| !c.is_empty() && !c.starts_with(['=', '~', '!']);
        // Outputs through memory and inputs are the call's arguments, in order.
        let through_memory = |c: &&str| is_output(c) && c.contains('*');
        let first_input = constraints.iter().filter(|c| through_memory(c)).count() as u32;
        let mut tied = vec![None; constraints.len()];
        let inputs = constraints.iter().filter(|c| is_input(c));
        for (argument, constraint) in (first_input..).zip(inputs) {
            if let Ok(output) = constraint.parse::<usize>()
                && let Some(slot) = tied.get_mut(output)
            {
                *slot = Some(inst.operand(argument));
            }
        }
        let mut pieces = ValueWords::new();
        for (at, constraint) in constraints.iter().filter(|c| is_output(c)).enumerate() {
            if constraint.contains('*') {
                continue;
            }
            match tied[at] {
                Some(value) => pieces.extend(self.pieces(value)?),
                None => pieces.push(ValueWord::Undefined),
            }
        }
        if pieces.len() != leaves.len() {
            return Err(Unlowerable::new(format!(
                "inline assembly with the operands {}",
                constraints.join(",")
            )));
        }
        Ok(pieces)
    }
}

/// The text has no instruction that one thread would notice.
fn is_without_effect(text: &str) -> bool {
    text.split([';', '\n']).map(str::trim).all(|line| {
        line.is_empty()
            || line.starts_with('#')
            || [
                "nop", "pause", "rep", "rep nop", "mfence", "lfence", "sfence",
            ]
            .contains(&line)
    })
}
