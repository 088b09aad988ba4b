//! Makes the body of a function of the program form, block by block.
//!
//! Operators on constants are folded here: addresses are made of pieces (`auipc` and `addi`), and only
//! the sum tells a call's target or which segment is meant.

use cairn_ir::{
    BinaryOp, Block, BlockId, Body, CastOp, Check, CheckKind, CompareOp, Inst, Local, Operand,
    PlaceId, Target, Terminator,
};

/// A body on its way.
pub(crate) struct RegionBuilder {
    pub body: Body,
    /// The block that instructions go to.
    pub block: BlockId,
    /// The place of what is emitted.
    pub place: PlaceId,
}

impl RegionBuilder {
    /// A body with this many blocks, all of which must be ended.
    pub fn new(blocks: usize) -> Self {
        let mut builder = RegionBuilder {
            body: Body::default(),
            block: BlockId::new(0),
            place: PlaceId::UNKNOWN,
        };
        for _ in 0..blocks {
            builder.new_block();
        }
        builder
    }

    /// A further block.
    pub fn new_block(&mut self) -> BlockId {
        self.body.blocks.push(Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: (Terminator::Stop, PlaceId::UNKNOWN),
        });
        BlockId::new(self.body.blocks.len() - 1)
    }

    /// A parameter of a block.
    pub fn param(&mut self, block: BlockId, width: u32) -> Local {
        let local = self.body.local(width);
        self.body.blocks[block.index()].params.push(local);
        local
    }

    /// Adds an instruction.
    pub fn emit(&mut self, inst: Inst) {
        self.body.blocks[self.block.index()]
            .insts
            .push((inst, self.place));
    }

    /// Ends the block.
    pub fn end(&mut self, terminator: Terminator) {
        self.body.blocks[self.block.index()].terminator = (terminator, self.place);
    }

    /// Ends the block with a branch that gives no values.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.end(Terminator::Branch {
            condition,
            then: target(then),
            otherwise: target(otherwise),
        });
    }

    /// `left op right` of a width of at most 64.
    pub fn binary(&mut self, op: BinaryOp, width: u32, left: Operand, right: Operand) -> Operand {
        if let (Operand::Int(a), Operand::Int(b)) = (&left, &right)
            && let Some(result) = fold(op, width, *a, *b)
        {
            return Operand::Int(result);
        }
        let neutral = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Lshr
                | BinaryOp::Ashr
        );
        if neutral && right == Operand::Int(0) {
            return left;
        }
        if matches!(op, BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor) && left == Operand::Int(0) {
            return right;
        }
        let dst = self.body.local(width);
        self.emit(Inst::Binary {
            op,
            dst,
            left,
            right,
        });
        Operand::Local(dst)
    }

    /// A comparison of two values of a width; one bit.
    pub fn compare(&mut self, op: CompareOp, width: u32, left: Operand, right: Operand) -> Operand {
        let dst = self.body.local(1);
        self.emit(Inst::Compare {
            op,
            dst,
            width,
            left,
            right,
        });
        Operand::Local(dst)
    }

    /// A change of width; the same width changes nothing.
    pub fn cast(&mut self, op: CastOp, from: u32, to: u32, value: Operand) -> Operand {
        if from == to {
            return value;
        }
        if let Operand::Int(bits) = value
            && to <= 64
        {
            let unused = 64 - from;
            let extended = match op {
                CastOp::Sext => ((bits << unused) as i64 >> unused) as u64,
                CastOp::Zext | CastOp::Trunc => bits,
            };
            return Operand::Int(extended & mask(to));
        }
        let dst = self.body.local(to);
        self.emit(Inst::Cast {
            op,
            dst,
            from,
            value,
        });
        Operand::Local(dst)
    }

    /// One of two values of a width.
    pub fn select(
        &mut self,
        width: u32,
        condition: Operand,
        then: Operand,
        other: Operand,
    ) -> Operand {
        let dst = self.body.local(width);
        self.emit(Inst::Select {
            dst,
            condition,
            then,
            otherwise: other,
        });
        Operand::Local(dst)
    }

    /// Reads memory.
    pub fn load(&mut self, width: u32, address: Operand) -> Operand {
        let dst = self.body.local(width);
        self.emit(Inst::Load { dst, address });
        Operand::Local(dst)
    }

    /// Writes memory.
    pub fn store(&mut self, width: u32, value: Operand, address: Operand) {
        self.emit(Inst::Store {
            value,
            width,
            address,
        });
    }

    /// A condition that must hold.
    pub fn check(&mut self, kind: CheckKind, condition: Operand, message: &str) {
        self.emit(Inst::Check(Box::new(Check {
            kind,
            condition,
            message: message.into(),
        })));
    }
}

/// A target that gets no values.
pub(crate) fn target(block: BlockId) -> Target {
    Target {
        block,
        args: Vec::new(),
    }
}

/// The bits of a width.
pub(crate) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The operators that addresses and constants are made with.
fn fold(op: BinaryOp, width: u32, a: u64, b: u64) -> Option<u64> {
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl if b < u64::from(width) => a << b,
        BinaryOp::Lshr if b < u64::from(width) => a >> b,
        _ => return None,
    };
    Some(value & mask(width))
}
