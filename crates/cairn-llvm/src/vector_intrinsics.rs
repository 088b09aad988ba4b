//! Intrinsics on vectors: reductions, and memory accesses of chosen lanes.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, one, plain_target};
use crate::lowering::{Refusal, Unlowerable};
use crate::reader::Value;
use cairn_ir::{BinaryOp, FloatBinaryOp, Operand, Target, Terminator};

impl<'m> BodyBuilder<'_, 'm> {
    pub(crate) fn vector_intrinsic(
        &mut self,
        name: &str,
        inst: Value<'m>,
    ) -> Refusal<Option<ValueWords>> {
        if let Some(operator) = name.strip_prefix("vector.reduce.") {
            return self.reduction(operator, inst);
        }
        match name {
            "masked.load" => {
                let (address, mask, otherwise) =
                    (inst.operand(0), inst.operand(2), inst.operand(3));
                let addresses = self.lane_addresses(address, inst)?;
                Ok(Some(self.masked_load(addresses, mask, otherwise)?))
            }
            "masked.gather" => {
                let (addresses, mask, otherwise) =
                    (inst.operand(0), inst.operand(2), inst.operand(3));
                let addresses = self.words(addresses)?;
                Ok(Some(self.masked_load(addresses, mask, otherwise)?))
            }
            "masked.store" => {
                let (value, address, mask) = (inst.operand(0), inst.operand(1), inst.operand(3));
                let addresses = self.lane_addresses(address, value)?;
                self.masked_store(addresses, mask, value)?;
                Ok(Some(ValueWords::new()))
            }
            "masked.scatter" => {
                let (value, addresses, mask) = (inst.operand(0), inst.operand(1), inst.operand(3));
                let addresses = self.words(addresses)?;
                self.masked_store(addresses, mask, value)?;
                Ok(Some(ValueWords::new()))
            }
            _ => Ok(None),
        }
    }

    fn words(&mut self, value: Value<'m>) -> Refusal<Vec<Operand>> {
        let operands = self.operands(value)?;
        Ok(operands.into_iter().map(|(operand, _)| operand).collect())
    }

    fn reduction(&mut self, operator: &str, inst: Value<'m>) -> Refusal<Option<ValueWords>> {
        // Sums and products of floating-point numbers have a start value first, and go in order.
        let (start, vector) = match operator {
            "fadd" | "fmul" => (Some(inst.operand(0)), inst.operand(1)),
            _ => (None, inst.operand(0)),
        };
        let layout = self.cx.layout(vector);
        let width = layout.lane().width;
        let mut words = self.words(vector)?.into_iter();
        let first = match start {
            Some(start) => Some(self.scalar(start)?),
            None => words.next(),
        };
        let Some(mut result) = first else {
            return Ok(None);
        };
        for word in words {
            result = match operator {
                "add" => self.binary(BinaryOp::Add, width, result, word),
                "mul" => self.binary(BinaryOp::Mul, width, result, word),
                "and" => self.binary(BinaryOp::And, width, result, word),
                "or" => self.binary(BinaryOp::Or, width, result, word),
                "xor" => self.binary(BinaryOp::Xor, width, result, word),
                "smin" | "smax" | "umin" | "umax" => self.extreme(operator, width, result, word),
                "fadd" | "fmul" | "fmin" | "fmax" | "fminimum" | "fmaximum" => {
                    let op = match operator {
                        "fadd" => FloatBinaryOp::Add,
                        "fmul" => FloatBinaryOp::Mul,
                        "fmin" => FloatBinaryOp::MinNum,
                        "fmax" => FloatBinaryOp::MaxNum,
                        "fminimum" => FloatBinaryOp::Minimum,
                        _ => FloatBinaryOp::Maximum,
                    };
                    self.float_binary(op, layout.format()?, result, word)
                }
                _ => return Ok(None),
            };
        }
        Ok(Some(one(result)))
    }

    /// Addresses of the lanes of a vector in memory.
    fn lane_addresses(&mut self, address: Value<'m>, vector: Value<'m>) -> Refusal<Vec<Operand>> {
        let layout = self.cx.layout(vector);
        let base = self.scalar(address)?;
        let stride = self.lane_bytes(vector)?;
        Ok((0..layout.lanes() as u64)
            .map(|lane| self.offset(base.clone(), lane * stride))
            .collect())
    }

    /// Bytes of a lane; lanes that are not whole bytes have no address.
    fn lane_bytes(&mut self, vector: Value<'m>) -> Refusal<u64> {
        let width = self.cx.layout(vector).lane().width;
        if width == 0 || !width.is_multiple_of(8) {
            let text = vector.ty().to_text();
            return Err(Unlowerable::new(format!("a masked access of {text}")));
        }
        Ok(u64::from(width / 8))
    }

    fn masked_load(
        &mut self,
        addresses: Vec<Operand>,
        mask: Value<'m>,
        otherwise: Value<'m>,
    ) -> Refusal<ValueWords> {
        let width = self.lane_bytes(otherwise)? as u32 * 8;
        let mask = self.words(mask)?;
        let otherwise = self.pieces(otherwise)?;
        let mut result = ValueWords::new();
        for ((address, chosen), kept) in addresses.into_iter().zip(mask).zip(otherwise) {
            let piece = match chosen {
                Operand::Int(0) => kept,
                Operand::Int(_) => ValueWord::Known(self.load_word(address, width)),
                chosen => {
                    let kept = self.operand(&kept, width);
                    let (reading, after) = (self.new_block(), self.new_block());
                    let received = self.local(width);
                    self.body.blocks[after.index()].params.push(received);
                    let then = plain_target(reading);
                    let skip = Target {
                        block: after,
                        args: vec![kept],
                    };
                    self.end(Terminator::Branch {
                        condition: chosen,
                        then,
                        otherwise: skip,
                    });
                    self.current = reading;
                    let word = self.load_word(address, width);
                    self.end(Terminator::Jump(Target {
                        block: after,
                        args: vec![word],
                    }));
                    self.current = after;
                    ValueWord::Known(Operand::Local(received))
                }
            };
            result.push(piece);
        }
        Ok(result)
    }

    fn masked_store(
        &mut self,
        addresses: Vec<Operand>,
        mask: Value<'m>,
        value: Value<'m>,
    ) -> Refusal<()> {
        let width = self.lane_bytes(value)? as u32 * 8;
        let mask = self.words(mask)?;
        let words = self.words(value)?;
        for ((address, chosen), word) in addresses.into_iter().zip(mask).zip(words) {
            match chosen {
                Operand::Int(0) => {}
                Operand::Int(_) => self.store_word(word, width, address),
                chosen => {
                    let (writing, after) = (self.new_block(), self.new_block());
                    let then = plain_target(writing);
                    let otherwise = plain_target(after);
                    self.end(Terminator::Branch {
                        condition: chosen,
                        then,
                        otherwise,
                    });
                    self.current = writing;
                    self.store_word(word, width, address);
                    let on = plain_target(after);
                    self.end(Terminator::Jump(on));
                    self.current = after;
                }
            }
        }
        Ok(())
    }
}
