//! A program as text.
//!
//! Any program can be printed, a broken one too (that is when one wants to see it): what refers to
//! nothing is printed in angle brackets, which the parser refuses.

use std::fmt::{self, Write};

use super::pieces::{
    Address, BranchText, Commas, Definition, Int, NameText, OperandText, PlaceSuffix, Quoted,
    QuotedBytes, Variadic, Width, width_of,
};
use crate::{
    Block, BlockId, Body, Call, Callee, Content, FloatConvertOp, Function, Global, Inst, Local,
    Operand, PointerWidth, Program, SlotId, SourcePlace, Symbol, Terminator,
};

/// How many bytes of a global's content stand on a line.
const BYTES_PER_LINE: usize = 64;

/// The text of a program.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    write(program, &mut text).expect("a string takes everything");
    text
}

/// Writes the text of a program.
///
/// # Errors
/// What `out` gives.
pub fn write(program: &Program, out: &mut impl Write) -> fmt::Result {
    let mut printer = Printer { program, out };
    printer.tables()?;
    for global in &program.globals {
        printer.global(global)?;
    }
    for function in &program.functions {
        printer.function(function)?;
    }
    Ok(())
}

/// The text of one instruction of a function, without its place; after the last instruction of a
/// block stands its terminator. Empty if there is none of this number.
pub fn print_instruction(
    program: &Program,
    function: &Function,
    block: BlockId,
    index: usize,
) -> String {
    let mut text = String::new();
    let body = function.body.as_ref();
    if let Some((body, block)) = body.and_then(|b| Some((b, b.blocks.get(block.index())?))) {
        let mut printer = Printer {
            program,
            out: &mut text,
        };
        let written = match block.insts.get(index) {
            Some((inst, _)) => printer.inst_with_results(body, inst),
            None if index == block.insts.len() => {
                printer.terminator(function, body, &block.terminator.0)
            }
            None => Ok(()),
        };
        written.expect("a string takes everything");
    }
    text
}

struct Printer<'a, W: Write> {
    program: &'a Program,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    fn tables(&mut self) -> fmt::Result {
        let program = self.program;
        if program.pointer_width != PointerWidth::default() {
            writeln!(self.out, "pointer {}", program.pointer_width.bytes())?;
        }
        for (i, file) in program.files.iter().enumerate().skip(1) {
            writeln!(self.out, "file {i} {}", Quoted(file))?;
        }
        for (i, name) in program.names.iter().enumerate().skip(1) {
            writeln!(self.out, "name {i} {}", Quoted(name))?;
        }
        for (i, place) in program.places.iter().enumerate().skip(1) {
            let SourcePlace {
                file,
                line,
                column,
                function,
                inlined_at,
            } = place;
            write!(
                self.out,
                "place p{i} = file {file} line {line} column {column} in {function}"
            )?;
            if let Some(outer) = inlined_at {
                write!(self.out, " inlined at {outer}")?;
            }
            writeln!(self.out)?;
        }
        for (i, slot) in program.slots.iter().enumerate() {
            writeln!(self.out, "slot s{i} {} i{}", Quoted(&slot.name), slot.width)?;
        }
        for &id in &program.constructors {
            let address = Address(program, Symbol::Function(id), 0);
            writeln!(self.out, "constructor {address}")?;
        }
        for &id in &program.destructors {
            let address = Address(program, Symbol::Function(id), 0);
            writeln!(self.out, "destructor {address}")?;
        }
        for prefix in &program.prefixes {
            let address = Address(program, Symbol::Function(prefix.function), 0);
            let bytes = QuotedBytes(&prefix.bytes);
            writeln!(self.out, "prefix {address} {bytes}")?;
        }
        Ok(())
    }

    fn global(&mut self, global: &Global) -> fmt::Result {
        let Global {
            name,
            size,
            align,
            constant,
            thread_local,
            place,
            content,
        } = global;
        if content.is_none() {
            self.out.write_str("extern ")?;
        }
        write!(self.out, "global {}", NameText(name))?;
        if *constant {
            self.out.write_str(" const")?;
        }
        if *thread_local {
            self.out.write_str(" thread_local")?;
        }
        write!(
            self.out,
            " align {align} size {size}{}",
            PlaceSuffix(*place)
        )?;
        if let Some(content) = content {
            self.content(content)?;
        }
        writeln!(self.out)
    }

    fn content(&mut self, content: &Content) -> fmt::Result {
        let program = self.program;
        let Content {
            bytes,
            relocations,
            differences,
        } = content;
        if bytes.is_empty() && relocations.is_empty() && differences.is_empty() {
            return Ok(());
        }
        writeln!(self.out, " {{")?;
        for chunk in bytes.chunks(BYTES_PER_LINE) {
            writeln!(self.out, "  bytes {}", QuotedBytes(chunk))?;
        }
        for relocation in relocations {
            let address = Address(program, relocation.symbol, relocation.addend);
            writeln!(self.out, "  at {} address {address}", relocation.offset)?;
        }
        for difference in differences {
            writeln!(
                self.out,
                "  at {} difference {} {} - {}",
                difference.offset,
                difference.bytes,
                Address(program, difference.symbol, 0),
                Address(program, difference.base, difference.addend),
            )?;
        }
        self.out.write_char('}')
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        let Function {
            name,
            params,
            results,
            variadic,
            place,
            body,
        } = function;
        if body.is_none() {
            self.out.write_str("extern ")?;
        }
        write!(self.out, "func {}(", NameText(name))?;
        let entry = body.as_ref().and_then(|b| b.blocks.first());
        for (i, width) in params.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            if let Some(local) = entry.and_then(|entry| entry.params.get(i)) {
                write!(self.out, "{local}: ")?;
            }
            write!(self.out, "i{width}")?;
        }
        if *variadic {
            let separator = if params.is_empty() { "" } else { ", " };
            write!(self.out, "{separator}...")?;
        }
        self.out.write_char(')')?;
        match results.as_slice() {
            [] => {}
            [width] => write!(self.out, " -> i{width}")?,
            several => {
                let widths = several.iter().map(|width| Width(*width));
                write!(self.out, " -> ({})", Commas(widths))?;
            }
        }
        write!(self.out, "{}", PlaceSuffix(*place))?;
        if let Some(body) = body {
            writeln!(self.out, " {{")?;
            for (i, block) in body.blocks.iter().enumerate() {
                self.block(function, body, i, block)?;
            }
            self.out.write_char('}')?;
        }
        writeln!(self.out)
    }

    fn block(
        &mut self,
        function: &Function,
        body: &Body,
        index: usize,
        block: &Block,
    ) -> fmt::Result {
        write!(self.out, "b{index}")?;
        // The entry's parameters stand in the function's header.
        if index > 0 && !block.params.is_empty() {
            let params = block.params.iter().map(|local| Definition(body, *local));
            write!(self.out, "({})", Commas(params))?;
        }
        writeln!(self.out, ":")?;
        for (inst, place) in &block.insts {
            self.out.write_str("  ")?;
            self.inst_with_results(body, inst)?;
            writeln!(self.out, "{}", PlaceSuffix(*place))?;
        }
        let (terminator, place) = &block.terminator;
        self.out.write_str("  ")?;
        self.terminator(function, body, terminator)?;
        writeln!(self.out, "{}", PlaceSuffix(*place))
    }

    fn terminator(
        &mut self,
        function: &Function,
        body: &Body,
        terminator: &Terminator,
    ) -> fmt::Result {
        let program = self.program;
        match terminator {
            Terminator::Jump(target) => {
                write!(self.out, "jump {}", BranchText(program, body, target))
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => write!(
                self.out,
                "branch {}, {}, {}",
                OperandText(program, condition, 1),
                BranchText(program, body, then),
                BranchText(program, body, otherwise)
            ),
            Terminator::Switch(switch) => {
                write!(
                    self.out,
                    "switch i{} {} [",
                    switch.width,
                    OperandText(program, &switch.value, switch.width)
                )?;
                for (i, (value, target)) in switch.cases.iter().enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    let value = Int(*value, switch.width);
                    write!(
                        self.out,
                        "{separator}{value}: {}",
                        BranchText(program, body, target)
                    )?;
                }
                write!(
                    self.out,
                    "] else {}",
                    BranchText(program, body, &switch.default)
                )
            }
            Terminator::Return(values) if values.is_empty() => self.out.write_str("return"),
            Terminator::Return(values) => {
                let values = values.iter().enumerate().map(|(i, value)| {
                    let width = function.results.get(i).copied().unwrap_or(0);
                    OperandText(program, value, width)
                });
                write!(self.out, "return {}", Commas(values))
            }
            Terminator::Stop => self.out.write_str("stop"),
        }
    }

    /// An instruction without its place.
    fn inst_with_results(&mut self, body: &Body, inst: &Inst) -> fmt::Result {
        let results = inst.results();
        if !results.is_empty() {
            let results = results.iter().map(|local| Definition(body, *local));
            write!(self.out, "{} = ", Commas(results))?;
        }
        self.inst(body, inst)
    }

    /// An instruction without its results and place.
    fn inst(&mut self, body: &Body, inst: &Inst) -> fmt::Result {
        let program = self.program;
        let op = |operand, width| OperandText(program, operand, width);
        // Of the width of the result, of a pointer, and of a slot's width.
        let like = |operand, dst: &Local| OperandText(program, operand, width_of(body, *dst));
        let word = |operand| OperandText(program, operand, program.pointer_width.bits());
        let slot_width = |slot: &SlotId| program.slots.get(slot.index()).map_or(0, |s| s.width);
        match inst {
            Inst::Binary {
                op: operator,
                left,
                right,
                dst,
            } => write!(
                self.out,
                "{} {}, {}",
                operator.word(),
                like(left, dst),
                like(right, dst)
            ),
            Inst::Unary {
                op: operator,
                value,
                dst,
            } => write!(self.out, "{} {}", operator.word(), like(value, dst)),
            Inst::Compare {
                op: operator,
                width,
                left,
                right,
                ..
            } => write!(
                self.out,
                "{} i{width} {}, {}",
                operator.word(),
                op(left, *width),
                op(right, *width)
            ),
            Inst::Cast {
                op: operator,
                from,
                value,
                ..
            } => write!(self.out, "{} i{from} {}", operator.word(), op(value, *from)),
            Inst::Extract {
                from, value, low, ..
            } => write!(self.out, "extract i{from} {} from {low}", op(value, *from)),
            Inst::Concat {
                high,
                low,
                low_width,
                dst,
            } => write!(
                self.out,
                "concat {}, i{low_width} {}",
                op(high, width_of(body, *dst).saturating_sub(*low_width)),
                op(low, *low_width)
            ),
            Inst::Select {
                condition,
                then,
                otherwise,
                dst,
            } => write!(
                self.out,
                "select {}, {}, {}",
                op(condition, 1),
                like(then, dst),
                like(otherwise, dst)
            ),
            Inst::FloatBinary {
                op: operator,
                format,
                left,
                right,
                ..
            } => write!(
                self.out,
                "{} {} {}, {}",
                operator.word(),
                format.word(),
                op(left, format.width()),
                op(right, format.width())
            ),
            Inst::FloatUnary {
                op: operator,
                format,
                value,
                ..
            } => write!(
                self.out,
                "{} {} {}",
                operator.word(),
                format.word(),
                op(value, format.width())
            ),
            Inst::FloatFma {
                format, a, b, c, ..
            } => write!(
                self.out,
                "fma {} {}, {}, {}",
                format.word(),
                op(a, format.width()),
                op(b, format.width()),
                op(c, format.width())
            ),
            Inst::FloatCompare {
                op: operator,
                format,
                left,
                right,
                ..
            } => write!(
                self.out,
                "fcmp {} {} {}, {}",
                operator.word(),
                format.word(),
                op(left, format.width()),
                op(right, format.width())
            ),
            Inst::FloatConvert {
                op: operator,
                value,
                ..
            } => self.float_convert(*operator, value),
            Inst::Arbitrary { .. } => self.out.write_str("arbitrary"),
            Inst::Load { address, .. } => write!(self.out, "load {}", word(address)),
            Inst::Store {
                value,
                width,
                address,
            } => write!(
                self.out,
                "store i{width} {} to {}",
                op(value, *width),
                word(address)
            ),
            Inst::Alloca { size, align, .. } => {
                write!(self.out, "alloca {} align {align}", word(size))
            }
            Inst::StackSave { .. } => self.out.write_str("stack_save"),
            Inst::StackRestore { mark } => write!(self.out, "stack_restore {}", word(mark)),
            Inst::Scope { address, begins } => {
                let name = if *begins { "begin_scope" } else { "end_scope" };
                write!(self.out, "{name} {}", word(address))
            }
            Inst::Copy {
                to,
                from,
                length,
                overlapping,
            } => {
                let name = if *overlapping { "move" } else { "copy" };
                write!(
                    self.out,
                    "{name} {}, {}, {}",
                    word(to),
                    word(from),
                    word(length)
                )
            }
            Inst::Fill { to, byte, length } => {
                write!(
                    self.out,
                    "fill {}, {}, {}",
                    word(to),
                    op(byte, 8),
                    word(length)
                )
            }
            Inst::Call(call) => self.call(call),
            Inst::VaStart {
                list,
                general,
                float,
            } => write!(
                self.out,
                "va_start {} general {general} float {float}",
                word(list)
            ),
            Inst::Check(check) => {
                let (kind, condition) = (check.kind.word(), op(&check.condition, 1));
                write!(self.out, "check {kind} {condition}")?;
                if !check.message.is_empty() {
                    write!(self.out, " {}", Quoted(&check.message))?;
                }
                Ok(())
            }
            Inst::ReadSlot { slot, .. } => write!(self.out, "read {slot}"),
            Inst::WriteSlot { slot, value } => {
                write!(self.out, "write {slot} {}", op(value, slot_width(slot)))
            }
        }
    }

    fn float_convert(&mut self, operator: FloatConvertOp, value: &Operand) -> fmt::Result {
        let width = match operator {
            FloatConvertOp::Format { from, .. } | FloatConvertOp::ToInt { from, .. } => {
                from.width()
            }
            FloatConvertOp::FromInt { from, .. } => from,
        };
        let value = OperandText(self.program, value, width);
        match operator {
            FloatConvertOp::Format { from, to } => {
                write!(
                    self.out,
                    "fconvert {} {value} to {}",
                    from.word(),
                    to.word()
                )
            }
            FloatConvertOp::FromInt { signed, from, to } => {
                let word = if signed {
                    "from_signed"
                } else {
                    "from_unsigned"
                };
                write!(self.out, "{word} i{from} {value} to {}", to.word())
            }
            FloatConvertOp::ToInt {
                signed,
                from,
                to,
                saturating,
            } => {
                let word = if signed { "to_signed" } else { "to_unsigned" };
                let suffix = if saturating { " saturating" } else { "" };
                write!(self.out, "{word} {} {value} to i{to}{suffix}", from.word())
            }
        }
    }

    fn call(&mut self, call: &Call) -> fmt::Result {
        let program = self.program;
        match call.callee {
            Callee::Direct(id) => {
                write!(
                    self.out,
                    "call {}(",
                    Address(program, Symbol::Function(id), 0)
                )?;
            }
            Callee::Indirect(local) => write!(self.out, "call {local}(")?,
        }
        for (i, (value, width)) in call.args.iter().enumerate() {
            let separator = if i > 0 { ", " } else { "" };
            write!(
                self.out,
                "{separator}i{width} {}",
                OperandText(program, value, *width)
            )?;
        }
        if !call.variadic.is_empty() {
            let separator = if call.args.is_empty() { "" } else { " " };
            let args = call.variadic.iter().map(|arg| Variadic(program, arg));
            write!(self.out, "{separator}... {}", Commas(args))?;
        }
        self.out.write_char(')')
    }
}
