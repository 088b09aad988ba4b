//! Concrete values: machine words that know which object they point into.
//!
//! A word's bits are what they would be on real hardware: a pointer's are its address, so
//! arithmetic needs no cases. Beside them travels the object that a pointer belongs to
//! (`cairn-memory` checks accesses against it). Sums, differences and masks keep the object if just
//! one operand has one; everything else yields a plain number, which is resolved by address if it
//! is ever used as a pointer.

use crate::Domain;
use crate::address_use::{self, flips_offset};
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat,
    FloatUnaryOp, Program, SlotId, Symbol, UnaryOp,
};
use cairn_memory::{Cell, Fault, Memory, ObjectId, OriginId, PointerWidth, Reach, Word};

/// Words, bytes, and where globals are.
#[derive(Clone)]
pub struct Concrete {
    /// The memory.
    pub memory: Memory,
    /// The address of each global.
    pub(crate) globals: std::rc::Rc<[Word]>,
    pub(crate) slots: Vec<BitVec>,
    /// Zero; see [`Domain::duplicate`].
    pub(crate) zero: u64,
}

impl Concrete {
    /// Words on a memory in which a program's globals were laid out ([`Process`](crate::Process)).
    pub fn new(program: &Program, memory: Memory, globals: Vec<Word>) -> Self {
        let slots = program.slots.iter().map(|s| BitVec::zero(s.width));
        Concrete {
            memory,
            globals: globals.into(),
            slots: slots.collect(),
            zero: std::hint::black_box(0),
        }
    }
}

#[inline(always)]
fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[inline(always)]
fn signed(width: u32, bits: u64) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

#[inline(always)]
fn truth(condition: bool) -> Word {
    Word::int(u64::from(condition))
}

/// The object of a sum, difference or mask.
#[inline(always)]
fn shared_object(a: ObjectId, b: ObjectId) -> ObjectId {
    if a.both_numbers(b) {
        return ObjectId::NONE;
    }
    if b.is_number() {
        a
    } else if a.is_number() {
        b
    } else {
        of_both(a, b)
    }
}

/// The same of two that both are no numbers. If just one has an object, the other is an address without
/// one, or a part.
#[cold]
pub(crate) fn of_both(a: ObjectId, b: ObjectId) -> ObjectId {
    match (a.object_unknown(), b.object_unknown()) {
        (false, true) => a,
        (true, false) => b,
        // Of a sum or difference of low bits those below both alignments are the same in every layout.
        (true, true) => match (a.low_alignment(), b.low_alignment()) {
            (Some(a), Some(b)) => ObjectId::low_part(a.min(b)),
            (_, _) => ObjectId::NONE,
        },
        (false, false) => ObjectId::NONE,
    }
}

/// A mask below this leaves at most the offset in a page of an address.
const LOW_BITS: u64 = 4096;

/// The object that the result of an operator belongs to.
#[inline(always)]
pub fn object_of(op: BinaryOp, a: Word, b: Word) -> ObjectId {
    match op {
        BinaryOp::Add | BinaryOp::Or => shared_object(a.object, b.object),
        BinaryOp::Sub if b.object.is_number() => a.object,
        BinaryOp::Sub => address_use::object_of_difference(a.object, b.object),
        BinaryOp::And => {
            let is_low = |mask: Word| mask.object.is_number() && mask.bits < LOW_BITS;
            match is_low(a) || is_low(b) {
                // The offset in a page or less, which is no address any more.
                true => ObjectId::NONE,
                false => shared_object(a.object, b.object),
            }
        }
        // A number that is no pointer any more: whose it is shows only its address.
        BinaryOp::Mul if !a.object.is_number() && b.bits == 1 => {
            match a.object.is_part() || a.object.is_taken() {
                true => a.object,
                false => ObjectId::ADDRESS,
            }
        }
        BinaryOp::Xor if flips_offset(a, b) => shared_object(a.object, b.object),
        // Two pointers joined by exclusive or come apart by it again, too.
        BinaryOp::Xor
        | BinaryOp::Mul
        | BinaryOp::Udiv
        | BinaryOp::Sdiv
        | BinaryOp::Urem
        | BinaryOp::Srem
        | BinaryOp::Shl
        | BinaryOp::Lshr
        | BinaryOp::Ashr => ObjectId::NONE,
    }
}

/// A comparison of the bits of two values of a width.
#[inline(always)]
pub fn compare(op: CompareOp, width: u32, a: u64, b: u64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Ult => a < b,
        CompareOp::Ule => a <= b,
        CompareOp::Slt => signed(width, a) < signed(width, b),
        CompareOp::Sle => signed(width, a) <= signed(width, b),
    }
}

/// The bits of a value after a change of width.
#[inline(always)]
pub fn convert(op: CastOp, from: u32, to: u32, bits: u64) -> u64 {
    match op {
        CastOp::Zext => bits,
        CastOp::Sext => signed(from, bits) as u64 & mask(to),
        CastOp::Trunc => bits & mask(to),
    }
}

/// An operator on the bits of two values of a width.
#[inline(always)]
pub fn arithmetic(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    match op {
        BinaryOp::Add => a.wrapping_add(b) & mask(width),
        BinaryOp::Sub => a.wrapping_sub(b) & mask(width),
        BinaryOp::Mul => a.wrapping_mul(b) & mask(width),
        BinaryOp::Udiv => a.checked_div(b).unwrap_or(mask(width)),
        BinaryOp::Urem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::Sdiv => {
            let (x, y) = (signed(width, a), signed(width, b));
            let quotient = match y {
                0 if x < 0 => 1,
                0 => -1,
                _ => x.wrapping_div(y),
            };
            quotient as u64 & mask(width)
        }
        BinaryOp::Srem => {
            let (x, y) = (signed(width, a), signed(width, b));
            let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
            remainder as u64 & mask(width)
        }
        BinaryOp::Shl if b >= u64::from(width) => 0,
        BinaryOp::Shl => a << b & mask(width),
        BinaryOp::Lshr if b >= u64::from(width) => 0,
        BinaryOp::Lshr => a >> b,
        BinaryOp::Ashr => {
            let by = b.min(u64::from(width) - 1);
            (signed(width, a) >> by) as u64 & mask(width)
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }
}

fn wide_bits(value: &BitVec) -> u128 {
    value.to_u128().expect("no float format is wider")
}

impl Domain for Concrete {
    type Value = Word;
    type Wide = BitVec;
    type AccessError = Fault;

    #[inline(always)]
    fn int(&self, bits: u64) -> Word {
        Word::int(bits)
    }

    fn pointer_width(&self) -> PointerWidth {
        self.memory.pointer_width()
    }

    fn symbol(&self, symbol: Symbol, offset: i64) -> Word {
        let width = self.pointer_width();
        let base = match symbol {
            Symbol::Global(global) => self.globals[global.index()],
            Symbol::Function(function) => crate::function_pointer(width, function),
        };
        Word {
            bits: width.wrap(base.bits.wrapping_add_signed(offset)),
            ..base
        }
    }

    fn reaches_any(&self) -> bool {
        self.memory.reach() == Reach::AnyObject || self.memory.goes_by_address()
    }

    #[inline(always)]
    fn known(&self, value: &Word) -> Option<u64> {
        Some(value.bits)
    }

    fn plain(&self, value: &Word) -> Word {
        Word::int(value.bits)
    }

    fn number_of(&mut self, value: &Word) -> Result<u64, Fault> {
        Ok(value.bits)
    }

    /// Half by half: a copy of all 16 bytes in one instruction would wait for the two stores of 8
    /// that made the value (measured: a sixth of a loop's time). Adding a zero that the compiler
    /// does not know keeps it from joining the halves.
    #[inline(always)]
    fn duplicate(&self, value: &Word) -> Word {
        Word {
            bits: value.bits.wrapping_add(self.zero),
            object: value.object,
        }
    }

    /// Any value will do: zero, so that runs repeat.
    #[inline]
    fn arbitrary(&mut self, _width: u32) -> Word {
        Word::int(0)
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, width: u32, a: &Word, b: &Word) -> Word {
        let bits = arithmetic(op, width, a.bits, b.bits);
        let object = object_of(op, *a, *b);
        Word { bits, object }
    }

    #[inline(always)]
    fn compare(&mut self, op: CompareOp, width: u32, a: &Word, b: &Word) -> Word {
        truth(compare(op, width, a.bits, b.bits))
    }

    #[inline(always)]
    fn cast(&mut self, op: CastOp, from: u32, to: u32, value: &Word) -> Word {
        match op {
            // The bits above a value's width are zero: only the name changes.
            CastOp::Zext => self.duplicate(value),
            CastOp::Sext | CastOp::Trunc => Word::int(convert(op, from, to, value.bits)),
        }
    }

    #[inline(always)]
    fn select(&mut self, _width: u32, condition: &Word, then: &Word, otherwise: &Word) -> Word {
        if condition.bits != 0 {
            *then
        } else {
            *otherwise
        }
    }

    #[inline]
    fn float_binary(&mut self, op: FloatBinaryOp, format: FloatFormat, a: &Word, b: &Word) -> Word {
        Word::int(match format {
            FloatFormat::Single => {
                u64::from(cairn_float::binary_f32(op, a.bits as u32, b.bits as u32))
            }
            FloatFormat::Double => cairn_float::binary_f64(op, a.bits, b.bits),
            FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
                unreachable!("only what the host computes is fast")
            }
        })
    }

    #[inline]
    fn float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &Word,
        b: &Word,
    ) -> Word {
        truth(match format {
            FloatFormat::Single => cairn_float::compare_f32(op, a.bits as u32, b.bits as u32),
            FloatFormat::Double => cairn_float::compare_f64(op, a.bits, b.bits),
            FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
                unreachable!("only what the host computes is fast")
            }
        })
    }

    #[inline(always)]
    fn load_quick(&mut self, at: &Word, bytes: u32) -> Option<Word> {
        self.memory.load_word_quick(*at, bytes)
    }

    #[inline(always)]
    fn store_quick(&mut self, at: &Word, bytes: u32, value: &Word) -> bool {
        self.memory.store_word_quick(*at, bytes, *value)
    }

    #[inline]
    fn load_words_quick(
        &mut self,
        at: &Word,
        length: u32,
        words: &[(u32, u32)],
        registers: &mut [Word],
    ) -> bool {
        let Some(object) = self.memory.register_words(*at, length) else {
            return false;
        };
        for &(register, word) in words {
            registers[register as usize] = object.get(word as usize);
        }
        true
    }

    #[inline]
    fn store_words_quick(
        &mut self,
        at: &Word,
        length: u32,
        words: &[(u32, u32)],
        registers: &[Word],
    ) -> bool {
        let Some(mut object) = self.memory.register_words_mut(*at, length) else {
            return false;
        };
        words
            .iter()
            .all(|&(register, word)| object.set(word as usize, registers[register as usize]))
    }

    #[inline(never)]
    fn load(&mut self, at: &Word, bytes: u32) -> Result<Word, Fault> {
        self.memory.load_word(*at, bytes)
    }

    #[inline(never)]
    fn store(&mut self, at: &Word, bytes: u32, value: &Word) -> Result<(), Fault> {
        self.memory.store_word(*at, bytes, *value)
    }

    fn load_wide(&mut self, at: &Word, bytes: u32) -> Result<BitVec, Fault> {
        let mut buffer = vec![0u8; (bytes as usize).next_multiple_of(8)];
        self.memory.load_bytes(*at, &mut buffer[..bytes as usize])?;
        let limbs: Vec<u64> = buffer
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")))
            .collect();
        Ok(BitVec::from_limbs(8 * bytes, &limbs))
    }

    fn store_wide(&mut self, at: &Word, value: &BitVec) -> Result<(), Fault> {
        let bytes: Vec<u8> = value
            .limbs()
            .iter()
            .flat_map(|limb| limb.to_le_bytes())
            .collect();
        let length = value.width().div_ceil(8) as usize;
        self.memory.store_bytes(*at, &bytes[..length])
    }

    fn copy(
        &mut self,
        to: &Word,
        from: &Word,
        length: &Word,
        overlapping: bool,
    ) -> Result<(), Fault> {
        self.memory.copy(*to, *from, length.bits, overlapping)
    }

    fn fill(&mut self, to: &Word, byte: &Word, length: &Word) -> Result<(), Fault> {
        self.memory.fill(*to, byte.bits as u8, length.bits)
    }

    #[inline]
    fn push_frame(&mut self, variables: u64) -> Result<(), Fault> {
        self.memory.push_frame(variables)
    }

    #[inline]
    fn pop_frame(&mut self) {
        self.memory.pop_frame();
    }

    #[inline]
    fn alloca(&mut self, size: &Word, align: u64, _unwritten: bool) -> Result<Word, Fault> {
        let at = self.memory.stack_allocate(size.bits, align)?;
        self.memory.leave_uninitialised(at, size.bits)?;
        Ok(at)
    }

    fn leave_missing(&mut self, at: &Word, size: u64) -> Result<(), Fault> {
        let (origin, offset) = (OriginId::MISSING, 0);
        self.memory
            .store_cell(*at, size, Cell::Origin { origin, offset })
    }

    fn end_scope(&mut self, at: &Word) -> Result<(), Fault> {
        self.memory.end_scope(*at);
        Ok(())
    }

    fn begin_scope(&mut self, at: &Word) -> Result<(), Fault> {
        match self.memory.begin_scope(*at) {
            Some(size) => self.memory.fill(*at, 0, size),
            None => Ok(()),
        }
    }

    fn stack_mark(&mut self) -> Word {
        Word::int(self.memory.stack_mark())
    }

    fn stack_restore(&mut self, mark: &Word) -> Result<(), Fault> {
        // A mark that is not this frame's has nothing to end here.
        self.memory.stack_restore(mark.bits);
        Ok(())
    }

    fn read_slot(&mut self, slot: SlotId) -> BitVec {
        self.slots[slot.index()].clone()
    }

    fn write_slot(&mut self, slot: SlotId, value: BitVec) {
        let slot = &mut self.slots[slot.index()];
        let width = slot.width();
        *slot = if value.width() > width {
            value.extract(width - 1, 0)
        } else {
            value.zext(width - value.width())
        };
    }

    fn widen(&mut self, width: u32, value: &Word) -> BitVec {
        BitVec::new(width, value.bits)
    }

    fn narrow(&self, value: &BitVec) -> Word {
        Word::int(value.low_u64())
    }

    fn wide_int(&self, value: &BitVec) -> BitVec {
        value.clone()
    }

    fn wide_arbitrary(&mut self, width: u32) -> BitVec {
        BitVec::zero(width)
    }

    fn wide_binary(&mut self, op: BinaryOp, a: &BitVec, b: &BitVec) -> BitVec {
        match op {
            BinaryOp::Add => a.add(b),
            BinaryOp::Sub => a.sub(b),
            BinaryOp::Mul => a.mul(b),
            BinaryOp::Udiv => a.udiv(b),
            BinaryOp::Sdiv => a.sdiv(b),
            BinaryOp::Urem => a.urem(b),
            BinaryOp::Srem => a.srem(b),
            BinaryOp::Shl => a.shl(b),
            BinaryOp::Lshr => a.lshr(b),
            BinaryOp::Ashr => a.ashr(b),
            BinaryOp::And => a.and(b),
            BinaryOp::Or => a.or(b),
            BinaryOp::Xor => a.xor(b),
        }
    }

    fn wide_unary(&mut self, op: UnaryOp, value: &BitVec) -> BitVec {
        let width = value.width();
        let number = |n: u32| BitVec::from_u128(width, u128::from(n));
        match op {
            UnaryOp::Popcount => number(value.count_ones()),
            UnaryOp::LeadingZeros => number(value.leading_zeros()),
            UnaryOp::TrailingZeros => number(value.trailing_zeros()),
            UnaryOp::ByteSwap => reversed(value, 8),
            UnaryOp::BitReverse => reversed(value, 1),
        }
    }

    fn wide_compare(&mut self, op: CompareOp, a: &BitVec, b: &BitVec) -> BitVec {
        BitVec::from_bool(match op {
            CompareOp::Eq => a == b,
            CompareOp::Ne => a != b,
            CompareOp::Ult => a.ult(b),
            CompareOp::Ule => a.ule(b),
            CompareOp::Slt => a.slt(b),
            CompareOp::Sle => a.sle(b),
        })
    }

    fn wide_cast(&mut self, op: CastOp, to: u32, value: &BitVec) -> BitVec {
        match op {
            CastOp::Zext => value.zext(to - value.width()),
            CastOp::Sext => value.sext(to - value.width()),
            CastOp::Trunc => value.extract(to - 1, 0),
        }
    }

    fn wide_extract(&mut self, low: u32, width: u32, value: &BitVec) -> BitVec {
        value.extract(low + width - 1, low)
    }

    fn wide_concat(&mut self, high: &BitVec, low: &BitVec) -> BitVec {
        high.concat(low)
    }

    fn wide_select(&mut self, condition: &Word, then: &BitVec, otherwise: &BitVec) -> BitVec {
        if condition.bits != 0 {
            then.clone()
        } else {
            otherwise.clone()
        }
    }

    fn wide_float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &BitVec,
        b: &BitVec,
    ) -> BitVec {
        let bits = cairn_float::binary(op, format, wide_bits(a), wide_bits(b));
        BitVec::from_u128(format.width(), bits)
    }

    fn wide_float_unary(
        &mut self,
        op: FloatUnaryOp,
        format: FloatFormat,
        value: &BitVec,
    ) -> BitVec {
        let bits = cairn_float::unary(op, format, wide_bits(value));
        BitVec::from_u128(format.width(), bits)
    }

    fn wide_float_fma(
        &mut self,
        format: FloatFormat,
        a: &BitVec,
        b: &BitVec,
        c: &BitVec,
    ) -> BitVec {
        let bits = cairn_float::fma(format, wide_bits(a), wide_bits(b), wide_bits(c));
        BitVec::from_u128(format.width(), bits)
    }

    fn wide_float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &BitVec,
        b: &BitVec,
    ) -> BitVec {
        BitVec::from_bool(cairn_float::compare(op, format, wide_bits(a), wide_bits(b)))
    }

    fn wide_float_convert(&mut self, op: FloatConvertOp, value: &BitVec) -> BitVec {
        cairn_float::convert(op, value)
    }
}

/// The groups of `group` bits in opposite order.
fn reversed(value: &BitVec, group: u32) -> BitVec {
    let mut low = 0;
    let mut result: Option<BitVec> = None;
    while low < value.width() {
        let piece = value.extract(low + group - 1, low);
        result = Some(match result {
            Some(high) => high.concat(&piece),
            None => piece,
        });
        low += group;
    }
    result.expect("no value is empty")
}
