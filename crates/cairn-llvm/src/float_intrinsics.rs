//! Intrinsics on floating-point numbers. Those that the processor has no instruction for are
//! calls of the mathematical library, as in machine code.

use crate::emit::{BodyBuilder, ValueWord, ValueWords};
use crate::lowering::{Refusal, Unlowerable, constant, number};
use crate::reader::Value;
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, CompareOp, FloatBinaryOp, FloatConvertOp, FloatFormat, FloatUnaryOp, Inst, Operand,
};
use llvm_sys::LLVMOpcode::*;

impl<'m> BodyBuilder<'_, 'm> {
    /// Lowers an intrinsic by its name; those with stated rounding and exceptions (constrained)
    /// come here by the rest of their name and are lowered as the plain ones.
    pub(crate) fn float_intrinsic(
        &mut self,
        name: &str,
        inst: Value<'m>,
    ) -> Refusal<Option<ValueWords>> {
        let opcode = match name {
            "fadd" => Some(LLVMFAdd),
            "fsub" => Some(LLVMFSub),
            "fmul" => Some(LLVMFMul),
            "fdiv" => Some(LLVMFDiv),
            "frem" => Some(LLVMFRem),
            "fptosi" => Some(LLVMFPToSI),
            "fptoui" => Some(LLVMFPToUI),
            "sitofp" => Some(LLVMSIToFP),
            "uitofp" => Some(LLVMUIToFP),
            "fptrunc" => Some(LLVMFPTrunc),
            "fpext" => Some(LLVMFPExt),
            _ => None,
        };
        if let Some(opcode) = opcode {
            return Ok(Some(self.float_operation(opcode, inst)?));
        }
        let unary = match name {
            "sqrt" => Some(FloatUnaryOp::Sqrt),
            "floor" => Some(FloatUnaryOp::Floor),
            "ceil" => Some(FloatUnaryOp::Ceil),
            "trunc" => Some(FloatUnaryOp::Trunc),
            "rint" | "nearbyint" | "roundeven" => Some(FloatUnaryOp::RoundEven),
            "round" => Some(FloatUnaryOp::RoundAway),
            _ => None,
        };
        if let Some(op) = unary {
            let format = self.cx.layout(inst).format()?;
            let pieces = self.lanes(&[inst.operand(0)], |this, words| {
                Ok(this.float_unary(op, format, words[0].clone()))
            })?;
            return Ok(Some(pieces));
        }
        let binary = match name {
            "minnum" => Some(FloatBinaryOp::MinNum),
            "maxnum" => Some(FloatBinaryOp::MaxNum),
            "minimum" => Some(FloatBinaryOp::Minimum),
            "maximum" => Some(FloatBinaryOp::Maximum),
            _ => None,
        };
        if let Some(op) = binary {
            return Ok(Some(self.float_lanes(
                op,
                inst.operand(0),
                inst.operand(1),
            )?));
        }
        self.other_float_intrinsic(name, inst)
    }

    /// `lrint`, `lround` and their like: rounded, then made an integer.
    fn rounded_integer(&mut self, name: &str, inst: Value<'m>) -> Refusal<ValueWords> {
        let first = inst.operand(0);
        let format = self.cx.layout(first).format()?;
        let width = self.cx.layout(inst).lane().width;
        let rounding = match name.ends_with("rint") {
            true => FloatUnaryOp::RoundEven,
            false => FloatUnaryOp::RoundAway,
        };
        let op = FloatConvertOp::ToInt {
            signed: true,
            from: format,
            to: width,
            saturating: false,
        };
        self.lanes(&[first], |this, words| {
            let rounded = this.float_unary(rounding, format, words[0].clone());
            Ok(this.float_convert(op, width, rounded))
        })
    }

    fn other_float_intrinsic(
        &mut self,
        name: &str,
        inst: Value<'m>,
    ) -> Refusal<Option<ValueWords>> {
        let first = inst.operand(0);
        let pieces = match name {
            "fcmp" | "fcmps" => {
                let predicate = inst.operand(2).metadata_string().unwrap_or_default();
                let Some(bits) = predicate_bits(&predicate) else {
                    return Ok(None);
                };
                self.float_comparison(bits, inst)?
            }
            "fma" | "fmuladd" => {
                let format = self.cx.layout(inst).format()?;
                let operands = [first, inst.operand(1), inst.operand(2)];
                self.lanes(&operands, |this, words| {
                    let (a, b, c) = (words[0].clone(), words[1].clone(), words[2].clone());
                    if name == "fma" {
                        return Ok(this.float_fma(format, a, b, c));
                    }
                    // The baseline of the target has no fused instruction.
                    let product = this.float_binary(FloatBinaryOp::Mul, format, a, b);
                    Ok(this.float_binary(FloatBinaryOp::Add, format, product, c))
                })?
            }
            "fabs" => {
                let width = self.cx.layout(inst).format()?.width();
                self.lanes(&[first], |this, words| {
                    Ok(this.clear_sign(width, words[0].clone()))
                })?
            }
            "copysign" => {
                let width = self.cx.layout(inst).format()?.width();
                self.lanes(&[first, inst.operand(1)], |this, words| {
                    Ok(this.copy_sign(width, words[0].clone(), words[1].clone()))
                })?
            }
            "canonicalize" => {
                let format = self.cx.layout(inst).format()?;
                self.lanes(&[first], |this, words| {
                    let value = words[0].clone();
                    Ok(this.float_binary(FloatBinaryOp::Mul, format, value, one_in(format)))
                })?
            }
            "is.fpclass" => {
                let format = self.cx.layout(first).format()?;
                let Operand::Int(classes) = self.scalar(inst.operand(1))? else {
                    return Ok(None);
                };
                self.lanes(&[first], |this, words| {
                    Ok(this.classify(format, words[0].clone(), classes))
                })?
            }
            "fptosi.sat" | "fptoui.sat" => {
                let width = self.cx.layout(inst).lane().width;
                let op = FloatConvertOp::ToInt {
                    signed: name == "fptosi.sat",
                    from: self.cx.layout(first).format()?,
                    to: width,
                    saturating: true,
                };
                self.conversion(op, width, first)?
            }
            "lrint" | "llrint" | "lround" | "llround" => self.rounded_integer(name, inst)?,
            "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "exp"
            | "exp2" | "exp10" | "log" | "log2" | "log10" => {
                let format = self.cx.layout(inst).format()?;
                self.lanes(&[first], |this, words| {
                    this.library(name, format, &[(words[0].clone(), None)])
                })?
            }
            "pow" => {
                let format = self.cx.layout(inst).format()?;
                self.lanes(&[first, inst.operand(1)], |this, words| {
                    let args = [(words[0].clone(), None), (words[1].clone(), None)];
                    this.library("pow", format, &args)
                })?
            }
            "powi" | "ldexp" => {
                let format = self.cx.layout(inst).format()?;
                let from = self.cx.layout(inst.operand(1)).lane().width;
                self.lanes(&[first, inst.operand(1)], |this, words| {
                    let exponent = this.resize_signed(from, 32, words[1].clone());
                    let args = [(words[0].clone(), None), (exponent, Some(32))];
                    this.library(name, format, &args)
                })?
            }
            "frexp" => self.split_exponent(inst)?,
            _ => return Ok(None),
        };
        Ok(Some(pieces))
    }

    /// A call of the library's function for a format. Arguments without a width are numbers of
    /// the format.
    fn library(
        &mut self,
        name: &str,
        format: FloatFormat,
        args: &[(Operand, Option<u32>)],
    ) -> Refusal<Operand> {
        // There are no functions for the 16-bit formats; their values are exact in the next one.
        let wider = match format {
            FloatFormat::Half | FloatFormat::Bfloat => FloatFormat::Single,
            other => other,
        };
        let mut given = Vec::new();
        for (arg, width) in args {
            match width {
                Some(width) => given.push((arg.clone(), *width)),
                None => {
                    let arg = self.change_format(format, wider, arg.clone());
                    given.push((arg, wider.width()));
                }
            }
        }
        let name = library_name(name, wider);
        let pieces = self.library_call(&name, given, &[wider.width()]);
        match pieces.into_iter().next() {
            Some(ValueWord::Known(result)) => Ok(self.change_format(wider, format, result)),
            _ => Err(Unlowerable::new(name)),
        }
    }

    fn change_format(&mut self, from: FloatFormat, to: FloatFormat, value: Operand) -> Operand {
        if from == to {
            return value;
        }
        self.float_convert(FloatConvertOp::Format { from, to }, to.width(), value)
    }

    /// The fractions of all lanes, then their exponents, which the library writes to memory.
    fn split_exponent(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let value = inst.operand(0);
        let format = self.cx.layout(value).format()?;
        let width = match self.cx.layout(inst).elements.get(1) {
            Some(exponent) => exponent.lane().width,
            None => return Err(Unlowerable::new("frexp")),
        };
        let pointer = self.pointer_bits();
        let place = self.local(pointer);
        self.push(Inst::Alloca {
            dst: place,
            size: Operand::Int(4),
            align: 4,
        });
        let place = Operand::Local(place);
        let mut exponents = ValueWords::new();
        let mut pieces = self.lanes(&[value], |this, words| {
            let args = [(words[0].clone(), None), (place.clone(), Some(pointer))];
            let fraction = this.library("frexp", format, &args)?;
            let exponent = this.load_word(place.clone(), 32);
            exponents.push(ValueWord::Known(this.resize_signed(32, width, exponent)));
            Ok(fraction)
        })?;
        pieces.extend(exponents);
        Ok(pieces)
    }

    /// Whether a number is of one of some classes; one bit for each, from the lowest: signaling
    /// and quiet not-a-number, then -inf, negative normal, subnormal and zero, then the positive
    /// ones from zero to inf.
    fn classify(&mut self, format: FloatFormat, value: Operand, classes: u64) -> Operand {
        let width = format.width();
        let (exponent_bits, explicit) = match format {
            FloatFormat::Half => (5, false),
            FloatFormat::Bfloat | FloatFormat::Single => (8, false),
            FloatFormat::Double => (11, false),
            FloatFormat::X87 => (15, true),
            FloatFormat::Quad => (15, false),
        };
        let rest = width - 1 - exponent_bits;
        let fraction_bits = rest - u32::from(explicit);
        let negative = self.sign(width, value.clone());
        let exponent = self.extract(width, value.clone(), rest, exponent_bits);
        let fraction = self.extract(width, value.clone(), 0, fraction_bits);
        let leading = match explicit {
            true => self.extract(width, value.clone(), fraction_bits, 1),
            false => Operand::Int(1),
        };
        let ones = constant(BitVec::ones(exponent_bits));
        let low = self.compare(
            CompareOp::Eq,
            exponent_bits,
            exponent.clone(),
            number(64, 0),
        );
        let high = self.compare(CompareOp::Eq, exponent_bits, exponent, ones);
        let no_fraction = {
            let zero = number(fraction_bits, 0);
            self.compare(CompareOp::Eq, fraction_bits, fraction.clone(), zero)
        };
        let quiet_bit = self.sign(fraction_bits, fraction);
        let not_low = self.not(low.clone());
        let not_high = self.not(high.clone());
        let both = |this: &mut Self, a: &Operand, b: &Operand| {
            this.binary(BinaryOp::And, 1, a.clone(), b.clone())
        };
        let zero = match explicit {
            true => {
                let no_leading = self.not(leading.clone());
                let low = both(self, &low, &no_leading);
                both(self, &low, &no_fraction)
            }
            false => both(self, &low, &no_fraction),
        };
        let not_zero = self.not(zero.clone());
        let subnormal = both(self, &low, &not_zero);
        let middle = both(self, &not_low, &not_high);
        let normal = both(self, &middle, &leading);
        let top = both(self, &high, &leading);
        let infinite = both(self, &top, &no_fraction);
        let finite = self.binary(BinaryOp::Or, 1, low, normal.clone());
        let number_or_infinite = self.binary(BinaryOp::Or, 1, finite, infinite.clone());
        let nan = self.not(number_or_infinite);
        let quiet = both(self, &top, &quiet_bit);
        let quiet = both(self, &nan, &quiet);
        let not_quiet = self.not(quiet.clone());
        let signaling = both(self, &nan, &not_quiet);
        let positive = self.not(negative.clone());
        let mut result = Operand::Int(0);
        let signed = [
            (2, &negative, &infinite),
            (3, &negative, &normal),
            (4, &negative, &subnormal),
            (5, &negative, &zero),
            (6, &positive, &zero),
            (7, &positive, &subnormal),
            (8, &positive, &normal),
            (9, &positive, &infinite),
        ];
        for (bit, sign, class) in signed {
            if classes >> bit & 1 != 0 {
                let member = both(self, sign, class);
                result = self.binary(BinaryOp::Or, 1, result, member);
            }
        }
        for (bit, class) in [(0, signaling), (1, quiet)] {
            if classes >> bit & 1 != 0 {
                result = self.binary(BinaryOp::Or, 1, result, class);
            }
        }
        result
    }
}

/// The bits of LLVM's predicate number, by the predicate's name.
fn predicate_bits(name: &str) -> Option<u32> {
    Some(match name {
        "oeq" => 1,
        "ogt" => 2,
        "oge" => 3,
        "olt" => 4,
        "ole" => 5,
        "one" => 6,
        "ord" => 7,
        "uno" => 8,
        "ueq" => 9,
        "ugt" => 10,
        "uge" => 11,
        "ult" => 12,
        "ule" => 13,
        "une" => 14,
        _ => return None,
    })
}

/// The bits of the number one.
fn one_in(format: FloatFormat) -> Operand {
    match format {
        FloatFormat::Half => Operand::Int(0x3C00),
        FloatFormat::Bfloat => Operand::Int(0x3F80),
        FloatFormat::Single => Operand::Int(0x3F80_0000),
        FloatFormat::Double => Operand::Int(0x3FF0_0000_0000_0000),
        FloatFormat::X87 => constant(BitVec::from_u128(80, 0x3FFF_8000_0000_0000_0000)),
        FloatFormat::Quad => constant(BitVec::from_u128(128, 0x3FFF << 112)),
    }
}

/// The library's name of a function for a format.
fn library_name(name: &str, format: FloatFormat) -> String {
    if name == "powi" {
        let letter = match format {
            FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::Single => 's',
            FloatFormat::Double => 'd',
            FloatFormat::X87 => 'x',
            FloatFormat::Quad => 't',
        };
        return format!("__powi{letter}f2");
    }
    let suffix = match format {
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::Single => "f",
        FloatFormat::Double => "",
        FloatFormat::X87 => "l",
        FloatFormat::Quad => "f128",
    };
    format!("{name}{suffix}")
}
