//! Building a body: one method for each kind of instruction, which folds what is constant.

use crate::lowering::{Lowering, Refusal, Unlowerable, constant, number};
use crate::overflows::Overflows;
use crate::reader::{BasicBlock, Value};
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, Block, BlockId, Body, CastOp, Check, CheckKind, CompareOp, FuncId, Inst, Local,
    Operand, PlaceId, Symbol, Target, Terminator, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A word of a value: known, or any value each time it is looked at (undef and poison). The
/// instruction that makes an arbitrary value is emitted only where the word is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueWord {
    Known(Operand),
    Undefined,
}

/// The words of a value.
pub(crate) type ValueWords = SmallVec<[ValueWord; 2]>;

/// One word.
pub(crate) fn one(operand: Operand) -> ValueWords {
    SmallVec::from_iter([ValueWord::Known(operand)])
}

/// A function being lowered.
pub(crate) struct BodyBuilder<'a, 'm> {
    pub(crate) cx: &'a mut Lowering<'m>,
    pub(crate) id: FuncId,
    pub(crate) function: Value<'m>,
    pub(crate) body: Body,
    pub(crate) current: BlockId,
    pub(crate) place: PlaceId,
    /// The function was compiled without optimisation.
    pub(crate) unoptimized: bool,
    /// The function is the module's own, not a library's.
    pub(crate) own: bool,
    /// Stack objects whose scopes are followed.
    pub(crate) scoped: FxHashSet<Value<'m>>,
    /// Arithmetic that is not checked where it stands.
    pub(crate) overflows: Overflows<'m>,
    values: FxHashMap<Value<'m>, (u32, u32)>,
    arena: Vec<ValueWord>,
    pub(crate) blocks: FxHashMap<BasicBlock<'m>, BlockId>,
    /// What the phis of a block (second) get from a block (first).
    pub(crate) incoming: FxHashMap<(BasicBlock<'m>, BasicBlock<'m>), Vec<Value<'m>>>,
    /// The record of the function among those of functions that may catch exceptions.
    pub(crate) record: Option<Operand>,
    /// Numbers of types that it catches.
    pub(crate) type_numbers: FxHashMap<Value<'m>, u64>,
    /// What landing pads catch: a table, and how many entries it has.
    pub(crate) clause_tables: FxHashMap<BasicBlock<'m>, (Symbol, u64)>,
}

impl<'a, 'm> BodyBuilder<'a, 'm> {
    pub(crate) fn new(cx: &'a mut Lowering<'m>, id: FuncId, function: Value<'m>) -> Self {
        BodyBuilder {
            cx,
            id,
            function,
            body: Body::default(),
            current: BlockId(0),
            place: PlaceId::UNKNOWN,
            unoptimized: false,
            own: false,
            scoped: FxHashSet::default(),
            overflows: Overflows::default(),
            values: FxHashMap::default(),
            arena: Vec::new(),
            blocks: FxHashMap::default(),
            incoming: FxHashMap::default(),
            record: None,
            type_numbers: FxHashMap::default(),
            clause_tables: FxHashMap::default(),
        }
    }

    // Values.

    /// Says what an LLVM value is.
    pub(crate) fn define(&mut self, value: Value<'m>, pieces: &[ValueWord]) {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(pieces);
        self.values.insert(value, (start, pieces.len() as u32));
    }

    /// The words of an LLVM value.
    pub(crate) fn pieces(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        if let Some(&(start, length)) = self.values.get(&value) {
            let range = start as usize..(start + length) as usize;
            return Ok(SmallVec::from(&self.arena[range]));
        }
        if value.is_constant() {
            return self.constant_pieces(value);
        }
        // Only values of types without words are never defined.
        Err(Unlowerable::new(format!(
            "a value of type {}",
            value.ty().to_text()
        )))
    }

    /// The one word of a scalar.
    pub(crate) fn scalar(&mut self, value: Value<'m>) -> Refusal<Operand> {
        if let Some(&(start, 1)) = self.values.get(&value)
            && let ValueWord::Known(operand) = &self.arena[start as usize]
        {
            return Ok(operand.clone());
        }
        let pieces = self.pieces(value)?;
        let width = self.cx.layout(value).width;
        match pieces.as_slice() {
            [piece] if width != 0 => Ok(self.operand(piece, width)),
            _ => Err(Unlowerable::new(format!(
                "a value of type {} as a word",
                value.ty().to_text()
            ))),
        }
    }

    /// A word as an operand.
    pub(crate) fn operand(&mut self, piece: &ValueWord, width: u32) -> Operand {
        match piece {
            ValueWord::Known(operand) => operand.clone(),
            ValueWord::Undefined => self.arbitrary(width),
        }
    }

    /// All words of a value as operands, with their widths.
    pub(crate) fn operands(&mut self, value: Value<'m>) -> Refusal<Vec<(Operand, u32)>> {
        let pieces = self.pieces(value)?;
        let widths = self.cx.layout(value).leaves()?;
        Ok(pieces
            .iter()
            .zip(widths.iter())
            .map(|(piece, &width)| (self.operand(piece, width), width))
            .collect())
    }

    // Instructions.

    pub(crate) fn push(&mut self, inst: Inst) {
        let place = self.place;
        self.body.blocks[self.current.index()]
            .insts
            .push((inst, place));
    }

    pub(crate) fn local(&mut self, width: u32) -> Local {
        self.body.local(width)
    }

    /// A new block without instructions, not yet ended.
    pub(crate) fn new_block(&mut self) -> BlockId {
        self.body.blocks.push(Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: (Terminator::Stop, PlaceId::UNKNOWN),
        });
        BlockId::new(self.body.blocks.len() - 1)
    }

    pub(crate) fn end(&mut self, terminator: Terminator) {
        let place = self.place;
        self.body.blocks[self.current.index()].terminator = (terminator, place);
    }

    pub(crate) fn arbitrary(&mut self, width: u32) -> Operand {
        let dst = self.local(width);
        self.push(Inst::Arbitrary { dst });
        Operand::Local(dst)
    }

    pub(crate) fn check(&mut self, kind: CheckKind, condition: Operand, message: &str) {
        if condition == Operand::Int(1) {
            return;
        }
        self.push(Inst::Check(Box::new(Check {
            kind,
            condition,
            message: message.into(),
        })));
    }

    /// Ends every path here because something is not supported, and says so.
    pub(crate) fn refuse(&mut self, refused: &Unlowerable) {
        let name = self.cx.program.function(self.id).name.clone();
        self.cx.report(refused.text(), &name, self.place);
        self.check(CheckKind::Unsupported, Operand::Int(0), refused.text());
    }

    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        if let Some(folded) = fold_binary(op, width, &left, &right) {
            return folded;
        }
        let dst = self.local(width);
        self.push(Inst::Binary {
            op,
            dst,
            left,
            right,
        });
        Operand::Local(dst)
    }

    /// A word as a plain number. Machines take a sum with a pointer to stay in the pointer's
    /// object, but a product to be a number, which is looked up by its value when it is used as
    /// an address.
    pub(crate) fn plain_number(&mut self, word: Operand) -> Operand {
        let Operand::Local(_) = word else {
            return word;
        };
        let plain = self.local(self.pointer_bits());
        self.push(Inst::Binary {
            op: BinaryOp::Mul,
            dst: plain,
            left: word,
            right: Operand::Int(1),
        });
        Operand::Local(plain)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, width: u32, value: Operand) -> Operand {
        let dst = self.local(width);
        self.push(Inst::Unary { op, dst, value });
        Operand::Local(dst)
    }

    pub(crate) fn compare(
        &mut self,
        op: CompareOp,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        if let (Some(left), Some(right)) = (literal(width, &left), literal(width, &right)) {
            return Operand::Int(u64::from(match op {
                CompareOp::Eq => left == right,
                CompareOp::Ne => left != right,
                CompareOp::Ult => left.ult(&right),
                CompareOp::Ule => left.ule(&right),
                CompareOp::Slt => left.slt(&right),
                CompareOp::Sle => left.sle(&right),
            }));
        }
        let dst = self.local(1);
        self.push(Inst::Compare {
            op,
            dst,
            width,
            left,
            right,
        });
        Operand::Local(dst)
    }

    pub(crate) fn cast(&mut self, op: CastOp, from: u32, to: u32, value: Operand) -> Operand {
        if from == to {
            return value;
        }
        if let Some(value) = literal(from, &value) {
            return constant(match op {
                CastOp::Zext => value.zext(to - from),
                CastOp::Sext => value.sext(to - from),
                CastOp::Trunc => value.extract(to - 1, 0),
            });
        }
        let dst = self.local(to);
        self.push(Inst::Cast {
            op,
            dst,
            from,
            value,
        });
        Operand::Local(dst)
    }

    /// Cut or extended with zeros.
    pub(crate) fn resize(&mut self, from: u32, to: u32, value: Operand) -> Operand {
        let op = if to < from {
            CastOp::Trunc
        } else {
            CastOp::Zext
        };
        self.cast(op, from, to, value)
    }

    /// Cut or extended with the sign.
    pub(crate) fn resize_signed(&mut self, from: u32, to: u32, value: Operand) -> Operand {
        let op = if to < from {
            CastOp::Trunc
        } else {
            CastOp::Sext
        };
        self.cast(op, from, to, value)
    }

    pub(crate) fn extract(&mut self, from: u32, value: Operand, low: u32, width: u32) -> Operand {
        if from == width {
            return value;
        }
        if let Some(value) = literal(from, &value) {
            return constant(value.extract(low + width - 1, low));
        }
        let dst = self.local(width);
        self.push(Inst::Extract {
            dst,
            from,
            value,
            low,
        });
        Operand::Local(dst)
    }

    pub(crate) fn concat(
        &mut self,
        high: Operand,
        high_width: u32,
        low: Operand,
        low_width: u32,
    ) -> Operand {
        if let (Some(high), Some(low)) = (literal(high_width, &high), literal(low_width, &low)) {
            return constant(high.concat(&low));
        }
        let dst = self.local(high_width + low_width);
        self.push(Inst::Concat {
            dst,
            high,
            low,
            low_width,
        });
        Operand::Local(dst)
    }

    pub(crate) fn select(
        &mut self,
        width: u32,
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    ) -> Operand {
        match condition {
            Operand::Int(1) => return then,
            Operand::Int(0) => return otherwise,
            _ if then == otherwise => return then,
            _ => {}
        }
        let dst = self.local(width);
        self.push(Inst::Select {
            dst,
            condition,
            then,
            otherwise,
        });
        Operand::Local(dst)
    }

    /// The opposite of a bit.
    pub(crate) fn not(&mut self, bit: Operand) -> Operand {
        self.binary(BinaryOp::Xor, 1, bit, Operand::Int(1))
    }

    /// All bits flipped.
    pub(crate) fn complement(&mut self, width: u32, value: Operand) -> Operand {
        self.binary(BinaryOp::Xor, width, value, constant(BitVec::ones(width)))
    }

    pub(crate) fn negate(&mut self, width: u32, value: Operand) -> Operand {
        self.binary(BinaryOp::Sub, width, number(width, 0), value)
    }

    /// The top bit.
    pub(crate) fn sign(&mut self, width: u32, value: Operand) -> Operand {
        self.extract(width, value, width - 1, 1)
    }

    /// Bits of an address, and of the size of an object.
    pub(crate) fn pointer_bits(&self) -> u32 {
        self.cx.program.pointer_width.bits()
    }

    /// An address moved by a constant.
    pub(crate) fn offset(&mut self, address: Operand, offset: u64) -> Operand {
        let bits = self.pointer_bits();
        self.binary(BinaryOp::Add, bits, address, number(bits, offset))
    }

    pub(crate) fn load_word(&mut self, address: Operand, width: u32) -> Operand {
        let dst = self.local(width);
        self.push(Inst::Load { dst, address });
        Operand::Local(dst)
    }

    pub(crate) fn store_word(&mut self, value: Operand, width: u32, address: Operand) {
        self.push(Inst::Store {
            value,
            width,
            address,
        });
    }

    /// Words of one width, the first lowest, as one word.
    pub(crate) fn join(&mut self, width: u32, words: &[Operand]) -> Operand {
        let mut joined = words[0].clone();
        let mut total = width;
        for word in &words[1..] {
            joined = self.concat(word.clone(), width, joined, total);
            total += width;
        }
        joined
    }

    /// The inverse of [`BodyBuilder::join`].
    pub(crate) fn split(&mut self, value: Operand, width: u32, count: usize) -> Vec<Operand> {
        (0..count as u32)
            .map(|i| self.extract(width * count as u32, value.clone(), width * i, width))
            .collect()
    }
}

/// A block that takes no values.
pub(crate) fn plain_target(block: BlockId) -> Target {
    Target {
        block,
        args: Vec::new(),
    }
}

/// The value of a constant operand.
pub(crate) fn literal(width: u32, operand: &Operand) -> Option<BitVec> {
    match operand {
        Operand::Int(value) => Some(BitVec::new(width, *value)),
        Operand::Wide(value) => Some((**value).clone()),
        Operand::Local(_) | Operand::Address(..) => None,
    }
}

/// The offsets of a constant address are smaller. What leads further is computed where it is used: that may depend on
/// where objects are, which machines see by operators.
const FARTHEST: u64 = 1 << 22;

/// A constant address and an offset as one of both, unless it leads far away.
fn near_symbol(symbol: Symbol, at: i64, by: u64, width: u32) -> Option<Operand> {
    let unused = 64 - width.min(64);
    let sum = (at.wrapping_add(by as i64) << unused) >> unused;
    (sum.unsigned_abs() < FARTHEST).then_some(Operand::Address(symbol, sum))
}

fn fold_binary(op: BinaryOp, width: u32, left: &Operand, right: &Operand) -> Option<Operand> {
    match (op, left, right) {
        (BinaryOp::Add, Operand::Address(symbol, at), Operand::Int(by))
        | (BinaryOp::Add, Operand::Int(by), Operand::Address(symbol, at)) => {
            return near_symbol(*symbol, *at, *by, width);
        }
        (BinaryOp::Sub, Operand::Address(symbol, at), Operand::Int(by)) => {
            return near_symbol(*symbol, *at, by.wrapping_neg(), width);
        }
        (BinaryOp::Sub, Operand::Address(symbol, at), Operand::Address(base, from))
            if symbol == base =>
        {
            return Some(Operand::Int(at.wrapping_sub(*from) as u64));
        }
        (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, kept, Operand::Int(0))
        | (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, Operand::Int(0), kept)
        | (BinaryOp::Sub, kept, Operand::Int(0))
        | (BinaryOp::Mul, kept, Operand::Int(1))
        | (BinaryOp::Mul, Operand::Int(1), kept) => return Some(kept.clone()),
        (BinaryOp::Or, _, Operand::Int(1)) | (BinaryOp::Or, Operand::Int(1), _) if width == 1 => {
            return Some(Operand::Int(1));
        }
        _ => {}
    }
    let (left, right) = (literal(width, left)?, literal(width, right)?);
    Some(constant(match op {
        BinaryOp::Add => left.add(&right),
        BinaryOp::Sub => left.sub(&right),
        BinaryOp::Mul => left.mul(&right),
        BinaryOp::And => left.and(&right),
        BinaryOp::Or => left.or(&right),
        BinaryOp::Xor => left.xor(&right),
        BinaryOp::Shl => left.shl(&right),
        BinaryOp::Lshr => left.lshr(&right),
        BinaryOp::Ashr => left.ashr(&right),
        BinaryOp::Udiv => left.udiv(&right),
        BinaryOp::Sdiv => left.sdiv(&right),
        BinaryOp::Urem => left.urem(&right),
        BinaryOp::Srem => left.srem(&right),
    }))
}
