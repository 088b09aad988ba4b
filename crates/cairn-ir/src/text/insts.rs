//! Text to instructions.

use super::body::Reader;
use super::cursor::Result;
use super::lexer::Token;
use crate::{
    BinaryOp, Call, Callee, CastOp, Check, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp,
    FloatConvertOp, FloatFormat, FloatUnaryOp, Inst, Local, UnaryOp, VarArg, VarClass,
};

impl Reader<'_, '_> {
    /// An instruction, without its place.
    pub(super) fn inst(&mut self) -> Result<Inst> {
        let mut results = Vec::new();
        let start = self.cursor.at;
        if let Token::Local(_) = self.cursor.peek() {
            loop {
                results.push(self.definition()?);
                if !self.cursor.accept(',') {
                    break;
                }
            }
            self.cursor.expect('=')?;
        }
        let Token::Word(word) = self.cursor.peek() else {
            return Err(self.cursor.expected("an instruction or a terminator"));
        };
        if word == "call" {
            self.cursor.advance();
            return self.call(results);
        }
        if results.is_empty() {
            return self.effect(word);
        }
        let [dst] = results[..] else {
            let message = "only a call has several results";
            return Err(self.cursor.error_at(start, message));
        };
        self.value(word, dst)
    }

    /// An instruction other than a call that has no result.
    fn effect(&mut self, word: &str) -> Result<Inst> {
        // The words are checked before they are passed, so that errors point at them.
        let start = self.cursor.at;
        self.cursor.advance();
        Ok(match word {
            "store" => {
                let width = self.cursor.width()?;
                let value = self.operand(Some(width))?;
                self.cursor.expect_word("to")?;
                Inst::Store {
                    value,
                    width,
                    address: self.word()?,
                }
            }
            "stack_restore" => Inst::StackRestore { mark: self.word()? },
            "begin_scope" | "end_scope" => Inst::Scope {
                address: self.word()?,
                begins: word == "begin_scope",
            },
            "copy" | "move" => Inst::Copy {
                to: self.word()?,
                from: self.next_word()?,
                length: self.next_word()?,
                overlapping: word == "move",
            },
            "fill" => Inst::Fill {
                to: self.word()?,
                byte: self.next_operand(Some(8))?,
                length: self.next_word()?,
            },
            "va_start" => {
                let list = self.word()?;
                self.cursor.expect_word("general")?;
                let general = self.cursor.u32("a number of registers")?;
                self.cursor.expect_word("float")?;
                Inst::VaStart {
                    list,
                    general,
                    float: self.cursor.u32("a number of registers")?,
                }
            }
            "check" => {
                let kind = match self.cursor.peek() {
                    Token::Word(kind) => CheckKind::from_word(kind),
                    _ => None,
                };
                let kind = kind.ok_or_else(|| {
                    let words: Vec<_> = CheckKind::ALL.iter().map(|kind| kind.word()).collect();
                    self.cursor
                        .expected(&format!("a kind of check ({})", words.join(" ")))
                })?;
                self.cursor.advance();
                let condition = self.operand(Some(1))?;
                let message = match self.cursor.peek() {
                    Token::Text(_) => self.cursor.string("a message")?,
                    _ => "",
                };
                Inst::Check(Box::new(Check {
                    kind,
                    condition,
                    message: message.into(),
                }))
            }
            "write" => {
                let slot = self.cursor.slot_id()?;
                let width = self.cursor.slot_width(slot);
                Inst::WriteSlot {
                    slot,
                    value: self.operand(width)?,
                }
            }
            _ => {
                self.cursor.at = start;
                return Err(self
                    .cursor
                    .expected("an instruction without result or a terminator"));
            }
        })
    }

    fn format(&mut self) -> Result<FloatFormat> {
        let format = match self.cursor.peek() {
            Token::Word(word) => FloatFormat::from_word(word),
            _ => None,
        };
        let format = format.ok_or_else(|| {
            self.cursor
                .expected("`half`, `bfloat`, `single`, `double`, `x87` or `quad`")
        })?;
        self.cursor.advance();
        Ok(format)
    }

    /// An instruction other than a call with one result.
    fn value(&mut self, word: &str, dst: Local) -> Result<Inst> {
        let start = self.cursor.at;
        self.cursor.advance();
        if let Some(inst) = self.operator(word, dst)? {
            return Ok(inst);
        }
        let width = Some(self.width_of(dst));
        Ok(match word {
            "extract" => {
                let from = self.cursor.width()?;
                let value = self.operand(Some(from))?;
                self.cursor.expect_word("from")?;
                Inst::Extract {
                    dst,
                    from,
                    value,
                    low: self.cursor.u32("a bit")?,
                }
            }
            "concat" => self.concat(dst)?,
            "select" => Inst::Select {
                dst,
                condition: self.operand(Some(1))?,
                then: self.next_operand(width)?,
                otherwise: self.next_operand(width)?,
            },
            "fma" => {
                let format = self.format()?;
                let width = Some(format.width());
                Inst::FloatFma {
                    format,
                    dst,
                    a: self.operand(width)?,
                    b: self.next_operand(width)?,
                    c: self.next_operand(width)?,
                }
            }
            "fcmp" => {
                let op = match self.cursor.peek() {
                    Token::Word(word) => FloatCompareOp::from_word(word),
                    _ => None,
                };
                let op = op.ok_or_else(|| self.cursor.expected("a comparison such as `olt`"))?;
                self.cursor.advance();
                let format = self.format()?;
                let width = Some(format.width());
                Inst::FloatCompare {
                    op,
                    format,
                    dst,
                    left: self.operand(width)?,
                    right: self.next_operand(width)?,
                }
            }
            "fconvert" | "from_signed" | "from_unsigned" | "to_signed" | "to_unsigned" => {
                self.float_convert(word, dst)?
            }
            "arbitrary" => Inst::Arbitrary { dst },
            "load" => Inst::Load {
                dst,
                address: self.word()?,
            },
            "alloca" => {
                let size = self.word()?;
                self.cursor.expect_word("align")?;
                Inst::Alloca {
                    dst,
                    size,
                    align: self.cursor.u64("an alignment")?,
                }
            }
            "stack_save" => Inst::StackSave { dst },
            "read" => Inst::ReadSlot {
                dst,
                slot: self.cursor.slot_id()?,
            },
            _ => {
                self.cursor.at = start;
                return Err(self.cursor.expected("an instruction with a result"));
            }
        })
    }

    /// An instruction whose word is an operator's: arithmetic, comparison, cast; `None` if the word is not one of these.
    fn operator(&mut self, word: &str, dst: Local) -> Result<Option<Inst>> {
        let width = Some(self.width_of(dst));
        if let Some(op) = BinaryOp::from_word(word) {
            return Ok(Some(Inst::Binary {
                op,
                dst,
                left: self.operand(width)?,
                right: self.next_operand(width)?,
            }));
        }
        if let Some(op) = CompareOp::from_word(word) {
            let width = self.cursor.width()?;
            return Ok(Some(Inst::Compare {
                op,
                dst,
                width,
                left: self.operand(Some(width))?,
                right: self.next_operand(Some(width))?,
            }));
        }
        if let Some(op) = CastOp::from_word(word) {
            let from = self.cursor.width()?;
            return Ok(Some(Inst::Cast {
                op,
                dst,
                from,
                value: self.operand(Some(from))?,
            }));
        }
        if let Some(op) = UnaryOp::from_word(word) {
            return Ok(Some(Inst::Unary {
                op,
                dst,
                value: self.operand(width)?,
            }));
        }
        if let Some(op) = FloatBinaryOp::from_word(word) {
            let format = self.format()?;
            let width = Some(format.width());
            return Ok(Some(Inst::FloatBinary {
                op,
                format,
                dst,
                left: self.operand(width)?,
                right: self.next_operand(width)?,
            }));
        }
        if let Some(op) = FloatUnaryOp::from_word(word) {
            let format = self.format()?;
            return Ok(Some(Inst::FloatUnary {
                op,
                format,
                dst,
                value: self.operand(Some(format.width()))?,
            }));
        }
        Ok(None)
    }

    /// The width of the upper part follows from that of the lower one, which comes after it.
    fn concat(&mut self, dst: Local) -> Result<Inst> {
        let start = self.cursor.at;
        // The upper part is read again once the lower width is known.
        self.skip_operand();
        self.cursor.expect(',')?;
        let low_width = self.cursor.width()?;
        let low = self.operand(Some(low_width))?;
        let end = self.cursor.at;
        self.cursor.at = start;
        let high_width = self.width_of(dst).checked_sub(low_width);
        let high = self.operand(high_width.filter(|width| *width > 0))?;
        self.cursor.expect(',')?;
        self.cursor.at = end;
        Ok(Inst::Concat {
            dst,
            high,
            low,
            low_width,
        })
    }

    /// Goes to the comma after an operand.
    fn skip_operand(&mut self) {
        while matches!(
            self.cursor.peek(),
            Token::Local(_) | Token::Symbol(_) | Token::Number(_) | Token::Sign('-' | '+')
        ) {
            self.cursor.advance();
        }
    }

    fn float_convert(&mut self, word: &str, dst: Local) -> Result<Inst> {
        let (op, value) = match word {
            "fconvert" => {
                let from = self.format()?;
                let value = self.operand(Some(from.width()))?;
                self.cursor.expect_word("to")?;
                let to = self.format()?;
                (FloatConvertOp::Format { from, to }, value)
            }
            "from_signed" | "from_unsigned" => {
                let from = self.cursor.width()?;
                let value = self.operand(Some(from))?;
                self.cursor.expect_word("to")?;
                let op = FloatConvertOp::FromInt {
                    signed: word == "from_signed",
                    from,
                    to: self.format()?,
                };
                (op, value)
            }
            _ => {
                let from = self.format()?;
                let value = self.operand(Some(from.width()))?;
                self.cursor.expect_word("to")?;
                let op = FloatConvertOp::ToInt {
                    signed: word == "to_signed",
                    from,
                    to: self.cursor.width()?,
                    saturating: self.cursor.accept_word("saturating"),
                };
                (op, value)
            }
        };
        Ok(Inst::FloatConvert { op, dst, value })
    }

    fn call(&mut self, results: Vec<Local>) -> Result<Inst> {
        let callee = match self.cursor.peek() {
            Token::Local(_) => Callee::Indirect(self.local()?),
            Token::Symbol(_) => Callee::Direct(self.cursor.function_id()?),
            _ => {
                return Err(self
                    .cursor
                    .expected("a function or a local with its address"));
            }
        };
        self.cursor.expect('(')?;
        let (mut args, mut variadic) = (Vec::new(), Vec::new());
        let closed = |t| matches!(t, Token::Sign(')') | Token::Dots);
        if !closed(self.cursor.peek()) {
            loop {
                let width = self.cursor.width()?;
                args.push((self.operand(Some(width))?, width));
                if !self.cursor.accept(',') {
                    break;
                }
            }
        }
        if self.cursor.peek() == Token::Dots {
            self.cursor.advance();
            loop {
                variadic.push(self.variadic_arg()?);
                if !self.cursor.accept(',') {
                    break;
                }
            }
        }
        self.cursor.expect(')')?;
        Ok(Inst::Call(Box::new(Call {
            callee,
            args,
            variadic,
            results,
        })))
    }

    fn variadic_arg(&mut self) -> Result<VarArg> {
        let width = self.cursor.width()?;
        let value = self.operand(Some(width))?;
        let class = if self.cursor.accept_word("general") {
            VarClass::General
        } else if self.cursor.accept_word("float") {
            VarClass::Float
        } else if self.cursor.accept_word("memory") {
            VarClass::Memory(self.cursor.u32("an alignment")?)
        } else if self.cursor.accept_word("bytes") {
            let size = self.cursor.u64("a number of bytes")?;
            self.cursor.expect_word("align")?;
            VarClass::Bytes {
                size,
                align: self.cursor.u32("an alignment")?,
            }
        } else {
            let what = "`general`, `float`, `memory` or `bytes`";
            return Err(self.cursor.expected(what));
        };
        Ok(VarArg {
            value,
            width,
            class,
        })
    }
}
