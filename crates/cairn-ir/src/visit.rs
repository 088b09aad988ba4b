//! What an instruction or a terminator reads, defines and leads to.
//!
//! Analyses, the verifier and machines ask these questions about every instruction there is, so
//! the answers stand here once; a new instruction is added to these matches and to nothing else
//! that only wants to know its operands.

use crate::{Callee, Inst, Local, Operand, Target, Terminator};

/// The operands of an instruction, shared or exclusive: one list of them for both.
macro_rules! inst_operands {
    ($inst:expr, $visit:ident, $iter:ident $(, $mutable:ident)?) => {
        match $inst {
            Inst::Binary { left, right, .. }
            | Inst::Compare { left, right, .. }
            | Inst::FloatBinary { left, right, .. }
            | Inst::FloatCompare { left, right, .. } => {
                $visit(left);
                $visit(right);
            }
            Inst::Unary { value, .. }
            | Inst::Cast { value, .. }
            | Inst::Extract { value, .. }
            | Inst::FloatUnary { value, .. }
            | Inst::FloatConvert { value, .. }
            | Inst::WriteSlot { value, .. } => $visit(value),
            Inst::Concat { high, low, .. } => {
                $visit(high);
                $visit(low);
            }
            Inst::Select {
                condition,
                then,
                otherwise,
                ..
            } => {
                $visit(condition);
                $visit(then);
                $visit(otherwise);
            }
            Inst::FloatFma { a, b, c, .. } => {
                $visit(a);
                $visit(b);
                $visit(c);
            }
            Inst::Arbitrary { .. } | Inst::StackSave { .. } | Inst::ReadSlot { .. } => {}
            Inst::Load { address, .. } => $visit(address),
            Inst::Store { value, address, .. } => {
                $visit(value);
                $visit(address);
            }
            Inst::Alloca { size, .. } => $visit(size),
            Inst::StackRestore { mark } => $visit(mark),
            Inst::Scope { address, .. } => $visit(address),
            Inst::Copy {
                to, from, length, ..
            } => {
                $visit(to);
                $visit(from);
                $visit(length);
            }
            Inst::Fill { to, byte, length } => {
                $visit(to);
                $visit(byte);
                $visit(length);
            }
            Inst::Call(call) => {
                call.args.$iter().for_each(|(value, _)| $visit(value));
                call.variadic.$iter().for_each(|arg| $visit(&$($mutable)? arg.value));
            }
            Inst::VaStart { list, .. } => $visit(list),
            Inst::Check(check) => $visit(&$($mutable)? check.condition),
        }
    };
}

impl Operand {
    /// The local that is read, if it is one.
    #[inline]
    pub fn local(&self) -> Option<Local> {
        match self {
            Operand::Local(local) => Some(*local),
            Operand::Int(_) | Operand::Wide(_) | Operand::Address(..) => None,
        }
    }
}

impl Inst {
    /// Whether it computes in floating point.
    pub fn is_floating_point(&self) -> bool {
        match self {
            Inst::FloatBinary { .. }
            | Inst::FloatUnary { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatCompare { .. }
            | Inst::FloatConvert { .. } => true,
            Inst::Binary { .. }
            | Inst::Unary { .. }
            | Inst::Compare { .. }
            | Inst::Cast { .. }
            | Inst::Extract { .. }
            | Inst::Concat { .. }
            | Inst::Select { .. }
            | Inst::Arbitrary { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Alloca { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Scope { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. }
            | Inst::Call(_)
            | Inst::VaStart { .. }
            | Inst::Check(_)
            | Inst::ReadSlot { .. }
            | Inst::WriteSlot { .. } => false,
        }
    }

    /// The locals that it defines.
    pub fn results(&self) -> &[Local] {
        match self {
            Inst::Binary { dst, .. }
            | Inst::Unary { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Extract { dst, .. }
            | Inst::Concat { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::FloatBinary { dst, .. }
            | Inst::FloatUnary { dst, .. }
            | Inst::FloatFma { dst, .. }
            | Inst::FloatCompare { dst, .. }
            | Inst::FloatConvert { dst, .. }
            | Inst::Arbitrary { dst }
            | Inst::Load { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::StackSave { dst }
            | Inst::ReadSlot { dst, .. } => std::slice::from_ref(dst),
            Inst::Call(call) => &call.results,
            Inst::Store { .. }
            | Inst::StackRestore { .. }
            | Inst::Scope { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. }
            | Inst::VaStart { .. }
            | Inst::Check(_)
            | Inst::WriteSlot { .. } => &[],
        }
    }

    /// Visits its operands in the order of the text form. The callee of an indirect call is a
    /// local but not an operand: see [`Inst::for_each_use`].
    pub fn for_each_operand<'a>(&'a self, mut f: impl FnMut(&'a Operand)) {
        inst_operands!(self, f, iter);
    }

    /// As [`for_each_operand`](Self::for_each_operand), to change them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        inst_operands!(self, f, iter_mut, mut);
    }

    /// Visits the locals that it reads, the callee of an indirect call included.
    pub fn for_each_use(&self, mut f: impl FnMut(Local)) {
        if let Inst::Call(call) = self
            && let Callee::Indirect(local) = call.callee
        {
            f(local);
        }
        self.for_each_operand(|operand| {
            if let Some(local) = operand.local() {
                f(local);
            }
        });
    }
}

impl Terminator {
    /// Where it may lead, in the order of the text form; a block may occur more than once.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (first, cases, last): (_, &[(u64, Target)], _) = match self {
            Terminator::Jump(target) => (Some(target), &[], None),
            Terminator::Branch {
                then, otherwise, ..
            } => (Some(then), &[], Some(otherwise)),
            Terminator::Switch(switch) => (None, &switch.cases, Some(&switch.default)),
            Terminator::Return(_) | Terminator::Stop => (None, &[], None),
        };
        first
            .into_iter()
            .chain(cases.iter().map(|(_, target)| target))
            .chain(last)
    }

    /// Visits its operands, those given to targets included.
    pub fn for_each_operand<'a>(&'a self, mut f: impl FnMut(&'a Operand)) {
        match self {
            Terminator::Branch { condition, .. } => f(condition),
            Terminator::Switch(switch) => f(&switch.value),
            Terminator::Return(values) => values.iter().for_each(&mut f),
            Terminator::Jump(_) | Terminator::Stop => {}
        }
        for target in self.targets() {
            target.args.iter().for_each(&mut f);
        }
    }

    /// As [`for_each_operand`](Self::for_each_operand), to change them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        let target = |target: &mut Target, f: &mut dyn FnMut(&mut Operand)| {
            target.args.iter_mut().for_each(f);
        };
        match self {
            Terminator::Jump(to) => target(to, &mut f),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                f(condition);
                target(then, &mut f);
                target(otherwise, &mut f);
            }
            Terminator::Switch(switch) => {
                f(&mut switch.value);
                for (_, to) in &mut switch.cases {
                    target(to, &mut f);
                }
                target(&mut switch.default, &mut f);
            }
            Terminator::Return(values) => values.iter_mut().for_each(f),
            Terminator::Stop => {}
        }
    }

    /// Visits the locals that it reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Local)) {
        self.for_each_operand(|operand| {
            if let Some(local) = operand.local() {
                f(local);
            }
        });
    }
}
