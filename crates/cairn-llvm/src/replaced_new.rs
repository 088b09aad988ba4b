//! Functions of C++ that make and free objects, where the program replaces some of them.
//!
//! Those that it does not replace are defined by the standard through others ([new.delete]): `operator new[]` calls `operator new`,
//! `operator delete(p, size)` calls `operator delete(p)`. So if what they call in the end is the program's, they get a body that calls it. All
//! others are the machine's own. Where `operator new` does not throw but what it calls may, its answer would be null: that is not
//! supported.

use crate::lowering::Lowering;
use crate::reader::Value;
use cairn_ir::{
    Block, Body, Call, Callee, Check, CheckKind, FuncId, Inst, Operand, PlaceId, Symbol, Terminator,
};
use llvm_sys::LLVMOpcode::{LLVMCall, LLVMInvoke};

/// A function, the one that it calls unless it is replaced, and which of its parameters it hands on.
const DEFAULTS: [(&str, &str, &[usize]); 16] = [
    ("_Znam", "_Znwm", &[0]),
    ("_ZnwmRKSt9nothrow_t", "_Znwm", &[0]),
    ("_ZnamRKSt9nothrow_t", "_Znam", &[0]),
    ("_ZnamSt11align_val_t", "_ZnwmSt11align_val_t", &[0, 1]),
    (
        "_ZnwmSt11align_val_tRKSt9nothrow_t",
        "_ZnwmSt11align_val_t",
        &[0, 1],
    ),
    (
        "_ZnamSt11align_val_tRKSt9nothrow_t",
        "_ZnamSt11align_val_t",
        &[0, 1],
    ),
    ("_ZdaPv", "_ZdlPv", &[0]),
    ("_ZdlPvm", "_ZdlPv", &[0]),
    ("_ZdaPvm", "_ZdaPv", &[0]),
    ("_ZdlPvRKSt9nothrow_t", "_ZdlPv", &[0]),
    ("_ZdaPvRKSt9nothrow_t", "_ZdaPv", &[0]),
    ("_ZdaPvSt11align_val_t", "_ZdlPvSt11align_val_t", &[0, 1]),
    ("_ZdlPvmSt11align_val_t", "_ZdlPvSt11align_val_t", &[0, 2]),
    ("_ZdaPvmSt11align_val_t", "_ZdaPvSt11align_val_t", &[0, 2]),
    (
        "_ZdlPvSt11align_val_tRKSt9nothrow_t",
        "_ZdlPvSt11align_val_t",
        &[0, 1],
    ),
    (
        "_ZdaPvSt11align_val_tRKSt9nothrow_t",
        "_ZdaPvSt11align_val_t",
        &[0, 1],
    ),
];

const MAY_THROW: &str =
    "operator new that does not throw, beside an operator new of the program that may";

impl<'m> Lowering<'m> {
    /// Gives the functions that the program leaves to the library their bodies, if they call one that it replaces.
    pub(crate) fn forward_to_replaced_new(&mut self) {
        let functions: Vec<Value<'m>> = self.module.functions().collect();
        let named = |name: &str| functions.iter().find(|f| f.name() == name);
        for (name, _, _) in DEFAULTS {
            let Some(Symbol::Function(id)) = named(name).and_then(|f| self.symbol(*f)) else {
                continue;
            };
            if self.program.function(id).body.is_some() {
                continue;
            }
            let mut handed: Vec<usize> = (0..self.program.function(id).params.len()).collect();
            let mut at = name;
            while let Some((_, next, kept)) = DEFAULTS.iter().find(|(name, _, _)| *name == at) {
                handed = kept
                    .iter()
                    .filter_map(|i| handed.get(*i).copied())
                    .collect();
                at = next;
                let Some(target) = named(at).filter(|f| !f.is_declaration()) else {
                    continue;
                };
                if let Some(Symbol::Function(to)) = self.symbol(*target) {
                    let refused = name.starts_with("_Zn")
                        && name.contains("nothrow")
                        && self.may_throw(*target);
                    self.forward(id, to, &handed, refused);
                }
                break;
            }
        }
    }

    /// Whether a function itself calls something that may throw.
    fn may_throw(&self, function: Value<'m>) -> bool {
        let nounwind = self.attributes.nounwind;
        let mut instructions = function.blocks().flat_map(|block| block.instructions());
        instructions.any(|inst| {
            matches!(inst.opcode(), LLVMCall | LLVMInvoke)
                && !self.call_is(inst, nounwind)
                && !inst.callee().name().starts_with("llvm.")
        })
    }

    fn forward(&mut self, from: FuncId, to: FuncId, handed: &[usize], refused: bool) {
        let function = self.program.function(from);
        let (place, params) = (PlaceId::UNKNOWN, function.params.clone());
        let mut body = Body::default();
        let parameters: Vec<_> = params.iter().map(|&width| body.local(width)).collect();
        let widths = function.results.clone();
        let received: Vec<_> = widths.iter().map(|&width| body.local(width)).collect();
        let first = match refused {
            true => Inst::Check(Box::new(Check {
                kind: CheckKind::Unsupported,
                condition: Operand::Int(0),
                message: MAY_THROW.into(),
            })),
            false => Inst::Call(Box::new(Call {
                callee: Callee::Direct(to),
                args: handed
                    .iter()
                    .map(|&i| (Operand::Local(parameters[i]), params[i]))
                    .collect(),
                variadic: Vec::new(),
                results: received.clone(),
            })),
        };
        let terminator = match refused {
            true => Terminator::Stop,
            false => Terminator::Return(received.into_iter().map(Operand::Local).collect()),
        };
        body.blocks.push(Block {
            params: parameters,
            insts: vec![(first, place)],
            terminator: (terminator, place),
        });
        self.program.functions[from.index()].body = Some(body);
    }
}
