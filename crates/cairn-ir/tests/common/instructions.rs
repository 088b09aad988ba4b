//! One arm for each instruction: random ones, whose operands fit.

use super::{Maker, NAMES};
use cairn_ir::*;

impl Maker<'_> {
    /// Every kind of instruction; none if the program has nothing for the kind that was drawn.
    pub(super) fn inst(&mut self) -> Option<Inst> {
        let format = *self.rng.pick(FloatFormat::ALL);
        let float = format.width();
        Some(match self.rng.below(25) {
            0 => {
                let width = self.width();
                Inst::Binary {
                    op: *self.rng.pick(BinaryOp::ALL),
                    left: self.operand(width),
                    right: self.operand(width),
                    dst: self.define(width),
                }
            }
            1 => {
                let width = self.bytes();
                Inst::Unary {
                    op: *self.rng.pick(UnaryOp::ALL),
                    value: self.operand(width),
                    dst: self.define(width),
                }
            }
            2 => {
                let width = self.width();
                Inst::Compare {
                    op: *self.rng.pick(CompareOp::ALL),
                    width,
                    left: self.operand(width),
                    right: self.operand(width),
                    dst: self.define(1),
                }
            }
            3 => {
                let op = *self.rng.pick(CastOp::ALL);
                let (a, b) = (self.width(), self.width());
                let (from, to) = match op {
                    CastOp::Trunc => (a.max(b), a.min(b)),
                    CastOp::Zext | CastOp::Sext => (a.min(b), a.max(b)),
                };
                if from == to {
                    return None;
                }
                Inst::Cast {
                    op,
                    from,
                    value: self.operand(from),
                    dst: self.define(to),
                }
            }
            4 => {
                let from = self.width();
                // A wild width may be zero.
                let most = from.max(1) as usize;
                let low = self.rng.below(most);
                let width = 1 + self.rng.below(most - low) as u32;
                let low = low as u32;
                Inst::Extract {
                    from,
                    value: self.operand(from),
                    low,
                    dst: self.define(width),
                }
            }
            5 => {
                let (high, low) = (self.width(), self.width());
                Inst::Concat {
                    high: self.operand(high),
                    low: self.operand(low),
                    low_width: low,
                    dst: self.define(high.saturating_add(low)),
                }
            }
            6 => {
                let width = self.width();
                Inst::Select {
                    condition: self.operand(1),
                    then: self.operand(width),
                    otherwise: self.operand(width),
                    dst: self.define(width),
                }
            }
            7 => Inst::FloatBinary {
                op: *self.rng.pick(FloatBinaryOp::ALL),
                format,
                left: self.operand(float),
                right: self.operand(float),
                dst: self.define(float),
            },
            8 => Inst::FloatUnary {
                op: *self.rng.pick(FloatUnaryOp::ALL),
                format,
                value: self.operand(float),
                dst: self.define(float),
            },
            9 => Inst::FloatFma {
                format,
                a: self.operand(float),
                b: self.operand(float),
                c: self.operand(float),
                dst: self.define(float),
            },
            10 => Inst::FloatCompare {
                op: FloatCompareOp::from_bits(self.rng.below(16) as u8),
                format,
                left: self.operand(float),
                right: self.operand(float),
                dst: self.define(1),
            },
            11 => self.float_convert(format),
            12 => {
                let width = self.width();
                Inst::Arbitrary {
                    dst: self.define(width),
                }
            }
            13 => {
                let width = self.bytes();
                Inst::Load {
                    address: self.operand(64),
                    dst: self.define(width),
                }
            }
            14 => {
                let width = self.bytes();
                Inst::Store {
                    value: self.operand(width),
                    width,
                    address: self.operand(64),
                }
            }
            15 => Inst::Alloca {
                size: self.operand(64),
                align: 1 << self.rng.below(64),
                dst: self.define(64),
            },
            16 => Inst::StackSave {
                dst: self.define(64),
            },
            17 if self.rng.chance(50) => Inst::Scope {
                address: self.operand(64),
                begins: self.rng.chance(50),
            },
            17 => Inst::StackRestore {
                mark: self.operand(64),
            },
            18 => Inst::Copy {
                to: self.operand(64),
                from: self.operand(64),
                length: self.operand(64),
                overlapping: self.rng.chance(50),
            },
            19 => Inst::Fill {
                to: self.operand(64),
                byte: self.operand(8),
                length: self.operand(64),
            },
            20 | 21 => self.call(),
            22 => {
                if !self.function.variadic && !self.wild {
                    return None;
                }
                Inst::VaStart {
                    list: self.operand(64),
                    general: self.rng.below(7) as u32,
                    float: self.rng.below(9) as u32,
                }
            }
            23 => Inst::Check(Box::new(Check {
                kind: *self.rng.pick(CheckKind::ALL),
                condition: self.operand(1),
                message: (*self.rng.pick(&NAMES)).into(),
            })),
            _ => {
                let slot = self.rng.below(self.program.slots.len().max(1));
                let width = self.program.slots.get(slot)?.width;
                let slot = SlotId::new(slot + usize::from(self.wild && self.rng.chance(10)));
                match self.rng.chance(50) {
                    true => Inst::ReadSlot {
                        slot,
                        dst: self.define(width),
                    },
                    false => Inst::WriteSlot {
                        slot,
                        value: self.operand(width),
                    },
                }
            }
        })
    }
}
