//! Intrinsics on integers: counting, rotating, saturating, detecting overflow.

use crate::arith::IntegerSign;
use crate::emit::{BodyBuilder, ValueWord, ValueWords, plain_target};
use crate::lowering::{Refusal, constant, number};
use crate::reader::Value;
use cairn_bv::BitVec;
use cairn_ir::{BinaryOp, CastOp, CompareOp, Operand, Target, Terminator, UnaryOp};

impl<'m> BodyBuilder<'_, 'm> {
    /// The number of zeros of a word; of 0 any value: `__builtin_clz(0)` is what the processor's instruction leaves. In blocks of their own,
    /// so that other words make no arbitrary value.
    fn count_unless_zero(&mut self, op: UnaryOp, width: u32, word: Operand) -> Operand {
        let is_zero = self.compare(CompareOp::Eq, width, word.clone(), number(width, 0));
        match is_zero {
            Operand::Int(0) => self.unary(op, width, word),
            Operand::Int(_) => self.arbitrary(width),
            condition => {
                let (zero, other, after) = (self.new_block(), self.new_block(), self.new_block());
                let received = self.local(width);
                self.body.blocks[after.index()].params.push(received);
                self.end(Terminator::Branch {
                    condition,
                    then: plain_target(zero),
                    otherwise: plain_target(other),
                });
                for block in [zero, other] {
                    self.current = block;
                    let result = match block == zero {
                        true => self.arbitrary(width),
                        false => self.unary(op, width, word.clone()),
                    };
                    self.end(Terminator::Jump(Target {
                        block: after,
                        args: vec![result],
                    }));
                }
                self.current = after;
                Operand::Local(received)
            }
        }
    }

    /// Counts or orders bits. The second argument of `ctlz` and `cttz` says whether the result for 0 is no number.
    fn unary_intrinsic(
        &mut self,
        inst: Value<'m>,
        op: UnaryOp,
        first: Value<'m>,
        second: Value<'m>,
    ) -> Refusal<ValueWords> {
        let width = self.cx.layout(inst).lane().width;
        let counts = matches!(op, UnaryOp::LeadingZeros | UnaryOp::TrailingZeros);
        let has_no_zero = counts && second.constant_int() == Some(1);
        self.lanes(&[first], |this, words| {
            Ok(match has_no_zero {
                true => this.count_unless_zero(op, width, words[0].clone()),
                false => this.unary(op, width, words[0].clone()),
            })
        })
    }

    pub(crate) fn int_intrinsic(
        &mut self,
        name: &str,
        inst: Value<'m>,
    ) -> Refusal<Option<ValueWords>> {
        let (first, second) = match inst.argument_count() {
            0 => return Ok(None),
            1 => (inst.operand(0), inst.operand(0)),
            _ => (inst.operand(0), inst.operand(1)),
        };
        let unary = match name {
            "ctpop" => Some(UnaryOp::Popcount),
            "ctlz" => Some(UnaryOp::LeadingZeros),
            "cttz" => Some(UnaryOp::TrailingZeros),
            "bswap" => Some(UnaryOp::ByteSwap),
            "bitreverse" => Some(UnaryOp::BitReverse),
            _ => None,
        };
        if let Some(op) = unary {
            return Ok(Some(self.unary_intrinsic(inst, op, first, second)?));
        }
        if let Some(rest) = name.strip_suffix(".with.overflow")
            && let Some((op, sign)) = overflow_operator(rest)
        {
            return Ok(Some(self.with_overflow(op, sign, first, second)?));
        }
        if let Some(rest) = name.strip_suffix(".sat")
            && let Some((op, sign)) = overflow_operator(rest)
        {
            let width = self.cx.layout(inst).lane().width;
            let pieces = self.lanes(&[first, second], |this, words| {
                Ok(this.saturating(op, sign, width, words[0].clone(), words[1].clone()))
            })?;
            return Ok(Some(pieces));
        }
        let pieces = match name {
            "fshl" | "fshr" => {
                let width = self.cx.layout(inst).lane().width;
                let left = name == "fshl";
                self.lanes(&[first, second, inst.operand(2)], |this, words| {
                    let [high, low, amount] = words else {
                        return Ok(Operand::Int(0));
                    };
                    let (high, low) = (high.clone(), low.clone());
                    Ok(this.funnel(left, width, high, low, amount.clone()))
                })?
            }
            "abs" => {
                let width = self.cx.layout(inst).lane().width;
                // The least number has no opposite: anything, or itself if that was not said.
                let checked = self.cx.options.check_signed_overflow
                    && inst.operand(1).constant_int() == Some(1);
                self.lanes(&[first], |this, words| {
                    let value = words[0].clone();
                    if checked {
                        let least = constant(BitVec::min_signed(width));
                        let holds = this.compare(CompareOp::Ne, width, value.clone(), least);
                        this.check_no_wrap(inst, holds);
                    }
                    let zero = number(width, 0);
                    let below = this.compare(CompareOp::Slt, width, value.clone(), zero);
                    let negated = this.negate(width, value.clone());
                    Ok(this.select(width, below, negated, value))
                })?
            }
            "smin" | "smax" | "umin" | "umax" => {
                let width = self.cx.layout(inst).lane().width;
                self.lanes(&[first, second], |this, words| {
                    Ok(this.extreme(name, width, words[0].clone(), words[1].clone()))
                })?
            }
            "scmp" | "ucmp" => {
                let order = match name {
                    "scmp" => CompareOp::Slt,
                    _ => CompareOp::Ult,
                };
                let from = self.cx.layout(first).lane().width;
                let to = self.cx.layout(inst).lane().width;
                self.lanes(&[first, second], |this, words| {
                    let (left, right) = (words[0].clone(), words[1].clone());
                    let less = this.compare(order, from, left.clone(), right.clone());
                    let greater = this.compare(order, from, right, left);
                    let less = this.cast(CastOp::Zext, 1, to, less);
                    let greater = this.cast(CastOp::Zext, 1, to, greater);
                    Ok(this.binary(BinaryOp::Sub, to, greater, less))
                })?
            }
            _ => return Ok(None),
        };
        Ok(Some(pieces))
    }

    /// The smaller or larger of two, by the name of the operator.
    pub(crate) fn extreme(
        &mut self,
        name: &str,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let order = match name.starts_with('s') {
            true => CompareOp::Slt,
            false => CompareOp::Ult,
        };
        match name.ends_with("min") {
            true => self.smaller(order, width, left, right),
            false => self.larger(order, width, left, right),
        }
    }

    /// The results of all lanes, then whether each left the range.
    fn with_overflow(
        &mut self,
        op: BinaryOp,
        sign: IntegerSign,
        left: Value<'m>,
        right: Value<'m>,
    ) -> Refusal<ValueWords> {
        let width = self.cx.layout(left).lane().width;
        let mut flags = ValueWords::new();
        let mut pieces = self.lanes(&[left, right], |this, words| {
            let (left, right) = (words[0].clone(), words[1].clone());
            let (result, wraps) = this.overflowing(op, sign, width, left, right);
            flags.push(ValueWord::Known(wraps));
            Ok(result)
        })?;
        pieces.extend(flags);
        Ok(pieces)
    }

    fn saturating(
        &mut self,
        op: BinaryOp,
        sign: IntegerSign,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let (result, wraps) = match op {
            BinaryOp::Shl => {
                let back = match sign {
                    IntegerSign::Signed => BinaryOp::Ashr,
                    IntegerSign::Unsigned => BinaryOp::Lshr,
                };
                let result = self.binary(BinaryOp::Shl, width, left.clone(), right.clone());
                let restored = self.binary(back, width, result.clone(), right);
                let wraps = self.compare(CompareOp::Ne, width, restored, left.clone());
                (result, wraps)
            }
            _ => self.overflowing(op, sign, width, left.clone(), right),
        };
        let limit = match (sign, op) {
            (IntegerSign::Unsigned, BinaryOp::Sub) => number(width, 0),
            (IntegerSign::Unsigned, _) => constant(BitVec::ones(width)),
            (IntegerSign::Signed, _) => {
                // The true result lies on the side of the left operand's sign.
                let zero = number(width, 0);
                let negative = self.compare(CompareOp::Slt, width, left, zero);
                let least = constant(BitVec::min_signed(width));
                let most = constant(BitVec::max_signed(width));
                self.select(width, negative, least, most)
            }
        };
        self.select(width, wraps, limit, result)
    }

    /// A shift of two words in one; the amount counts modulo the width. A shift by the whole
    /// width gives zero, so no case needs care.
    fn funnel(
        &mut self,
        left: bool,
        width: u32,
        high: Operand,
        low: Operand,
        amount: Operand,
    ) -> Operand {
        let whole = number(width, u64::from(width));
        let amount = if width == 1 {
            // The width is the largest number of one bit, and every amount counts as 0.
            Operand::Int(0)
        } else {
            self.binary(BinaryOp::Urem, width, amount, whole.clone())
        };
        let rest = self.binary(BinaryOp::Sub, width, whole, amount.clone());
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let upper = self.binary(BinaryOp::Shl, width, high, up);
        let lower = self.binary(BinaryOp::Lshr, width, low, down);
        self.binary(BinaryOp::Or, width, upper, lower)
    }
}

fn overflow_operator(name: &str) -> Option<(BinaryOp, IntegerSign)> {
    Some(match name {
        "sadd" => (BinaryOp::Add, IntegerSign::Signed),
        "uadd" => (BinaryOp::Add, IntegerSign::Unsigned),
        "ssub" => (BinaryOp::Sub, IntegerSign::Signed),
        "usub" => (BinaryOp::Sub, IntegerSign::Unsigned),
        "smul" => (BinaryOp::Mul, IntegerSign::Signed),
        "umul" => (BinaryOp::Mul, IntegerSign::Unsigned),
        "sshl" => (BinaryOp::Shl, IntegerSign::Signed),
        "ushl" => (BinaryOp::Shl, IntegerSign::Unsigned),
        _ => return None,
    })
}
