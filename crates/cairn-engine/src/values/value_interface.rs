//! The value interface of the step function, on values that may be terms: one line for most operations, which
//! leads to where it is done.

use crate::memory::access;
use crate::memory::lengths;
use crate::memory::sizes;
use crate::values::address_notes;
use crate::values::address_notes::unknown;
use crate::values::moving_addresses;
use crate::values::operators;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Unwritten};
use crate::values::terms;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat,
    FloatUnaryOp, PointerWidth, SlotId, Symbol, UnaryOp,
};
use cairn_machine::{Domain, function_pointer, words};
use cairn_memory::{Cell, ObjectId, OriginId, Word};

const FLOAT: &str = "floating-point arithmetic on symbolic values is done on one value";

fn wide_bits(value: &BitVec) -> u128 {
    value.to_u128().expect("no float format is wider")
}

impl Domain for SymbolicDomain {
    type Value = Value;
    type Wide = Wide;
    type AccessError = AccessError;

    #[inline(always)]
    fn int(&self, bits: u64) -> Value {
        Value::int(bits)
    }

    fn pointer_width(&self) -> PointerWidth {
        self.memory.pointer_width()
    }

    fn stands_for_address(&self, bits: u64) -> Value {
        Value::Word(Word {
            bits,
            object: ObjectId::PART,
        })
    }

    fn symbol(&self, symbol: Symbol, offset: i64) -> Value {
        let width = self.pointer_width();
        let base = match symbol {
            Symbol::Global(global) => self.globals[global.index()],
            Symbol::Function(function) => function_pointer(width, function),
        };
        Value::Word(Word {
            bits: width.wrap(base.bits.wrapping_add_signed(offset)),
            ..base
        })
    }

    #[inline(always)]
    fn known(&self, value: &Value) -> Option<u64> {
        match value {
            Value::Word(word) => Some(word.bits),
            Value::Symbolic(_) => None,
        }
    }

    fn plain(&self, value: &Value) -> Value {
        match value {
            Value::Word(word) => Value::int(word.bits),
            Value::Symbolic(symbolic) => Value::from_term(symbolic.term.clone(), ObjectId::NONE),
        }
    }

    fn number_of(&mut self, value: &Value) -> Result<u64, AccessError> {
        Ok(self.number(value)?.bits)
    }

    #[inline(always)]
    fn note_control(&mut self, value: &Value) {
        if !value.object().is_number() && moving_addresses::is_of_layout(self, value) {
            address_notes::note_address(self);
        }
    }

    #[inline(always)]
    fn cover(&mut self, point: u32, is_back: bool) {
        self.last_point = point;
        if !is_back {
            self.cx.pass(point);
        }
    }

    fn arbitrary(&mut self, width: u32) -> Value {
        match self.unwritten {
            Unwritten::Zero | Unwritten::Filled(_) => Value::int(0),
            Unwritten::Anything => {
                let term = self.undefined(width);
                Value::from_term(term, ObjectId::NONE)
            }
        }
    }

    fn reaches_any(&self) -> bool {
        self.reaches_any
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, width: u32, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Word(a), Value::Word(b)) => {
                let object = match words::uses_address(op, *a, *b) {
                    true => address_notes::judge_words(self, op, width, *a, *b),
                    false => words::object_of(op, *a, *b),
                };
                Value::Word(Word {
                    bits: words::arithmetic(op, width, a.bits, b.bits),
                    object,
                })
            }
            (a, b) => {
                if words::uses_address(op, unknown(a), unknown(b)) {
                    return address_notes::binary_of_addresses(self, op, width, a, b);
                }
                operators::binary_terms(self, op, width, a, b)
            }
        }
    }

    #[inline(always)]
    fn compare(&mut self, op: CompareOp, width: u32, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Word(a), Value::Word(b)) => {
                if words::compares_addresses(op, *a, *b) {
                    address_notes::judge_order_of_words(self, op, *a, *b);
                }
                Value::int(u64::from(words::compare(op, width, a.bits, b.bits)))
            }
            (a, b) => {
                if words::compares_addresses(op, unknown(a), unknown(b))
                    || address_notes::compares_terms(op, a, b)
                {
                    address_notes::judge_order(self, op, a, b);
                }
                operators::compare_terms(self, op, width, a, b)
            }
        }
    }

    #[inline(always)]
    fn cast(&mut self, op: CastOp, from: u32, to: u32, value: &Value) -> Value {
        match value {
            Value::Word(word) if words::converts_address(op, *word) => {
                let object = address_notes::judge_cut(self, to, value);
                Value::Word(Word {
                    bits: words::convert(op, from, to, word.bits),
                    object,
                })
            }
            Value::Word(word) => Value::Word(Word {
                bits: words::convert(op, from, to, word.bits),
                object: match op {
                    CastOp::Zext | CastOp::Sext => word.object,
                    CastOp::Trunc => ObjectId::NONE,
                },
            }),
            Value::Symbolic(symbolic) => {
                let cut = words::converts_address(op, unknown(value));
                let object = cut.then(|| address_notes::judge_cut(self, to, value));
                let result = operators::cast_term(self, op, to, value, symbolic);
                match object {
                    Some(object) => moving_addresses::marked(result, object),
                    None => result,
                }
            }
        }
    }

    #[inline(always)]
    fn select(&mut self, width: u32, condition: &Value, then: &Value, otherwise: &Value) -> Value {
        match condition {
            Value::Word(Word { bits: 0, .. }) => otherwise.clone(),
            Value::Word(_) => then.clone(),
            Value::Symbolic(_) => operators::select_terms(self, width, condition, then, otherwise),
        }
    }

    fn float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &Value,
        b: &Value,
    ) -> Value {
        self.note_control(a);
        self.note_control(b);
        let (a, b) = (self.choose_word(a, FLOAT), self.choose_word(b, FLOAT));
        let bits = cairn_float::binary(op, format, u128::from(a), u128::from(b));
        Value::int(bits as u64)
    }

    fn float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &Value,
        b: &Value,
    ) -> Value {
        self.note_control(a);
        self.note_control(b);
        let (a, b) = (self.choose_word(a, FLOAT), self.choose_word(b, FLOAT));
        Value::int(u64::from(cairn_float::compare(
            op,
            format,
            u128::from(a),
            u128::from(b),
        )))
    }

    #[inline(always)]
    fn load_quick(&mut self, at: &Value, bytes: u32) -> Option<Value> {
        match at {
            Value::Word(at) => self.memory.load_word_quick(*at, bytes).map(Value::Word),
            Value::Symbolic(_) => None,
        }
    }

    #[inline(always)]
    fn store_quick(&mut self, at: &Value, bytes: u32, value: &Value) -> bool {
        match (at, value) {
            (Value::Word(at), Value::Word(value)) => {
                self.memory.store_word_quick(*at, bytes, *value)
            }
            (Value::Symbolic(_), _) | (Value::Word(_), Value::Symbolic(_)) => false,
        }
    }

    #[inline(never)]
    fn load(&mut self, at: &Value, bytes: u32) -> Result<Value, AccessError> {
        moving_addresses::judge_access(self, at);
        access::load_value(self, at, bytes)
    }

    #[inline(never)]
    fn store(&mut self, at: &Value, bytes: u32, value: &Value) -> Result<(), AccessError> {
        moving_addresses::judge_access(self, at);
        access::store_value(self, at, bytes, value)
    }

    fn load_wide(&mut self, at: &Value, bytes: u32) -> Result<Wide, AccessError> {
        access::load_any(self, at, u64::from(bytes))
    }

    fn store_wide(&mut self, at: &Value, value: &Wide) -> Result<(), AccessError> {
        access::store_any(self, at, value)
    }

    fn copy(
        &mut self,
        to: &Value,
        from: &Value,
        length: &Value,
        overlapping: bool,
    ) -> Result<(), AccessError> {
        self.note_control(length);
        if let Some(()) = lengths::copy_some(self, to, from, length, overlapping)? {
            return Ok(());
        }
        let length = self.number(length)?.bits;
        access::copy_bytes(self, to, from, length, overlapping)
    }

    fn fill(&mut self, to: &Value, byte: &Value, length: &Value) -> Result<(), AccessError> {
        self.note_control(length);
        self.note_control(byte);
        if let Some(()) = lengths::fill_some(self, to, byte, length)? {
            return Ok(());
        }
        let length = self.number(length)?.bits;
        access::fill_bytes(self, to, byte, length)
    }

    #[inline]
    fn push_frame(&mut self, variables: u64) -> Result<(), AccessError> {
        Ok(self.memory.push_frame(variables)?)
    }

    #[inline]
    fn pop_frame(&mut self) {
        self.memory.pop_frame();
    }

    fn alloca(&mut self, size: &Value, align: u64, unwritten: bool) -> Result<Value, AccessError> {
        let size = match (self.number(size), size) {
            (Ok(size), _) => size.bits,
            (Err(_), Value::Symbolic(size)) if self.sizes.most > 0 => {
                return Ok(Value::Word(sizes::open_alloca(
                    self, size, align, unwritten,
                )?));
            }
            (Err(error), _) => return Err(error),
        };
        let at = self.memory.stack_allocate(size, align)?;
        if unwritten {
            self.leave_unwritten(at, size)?;
        }
        Ok(Value::Word(at))
    }

    fn leave_missing(&mut self, at: &Value, size: u64) -> Result<(), AccessError> {
        let (origin, offset) = (OriginId::MISSING, 0);
        let at = self.number(at)?;
        let missing = Cell::Origin { origin, offset };
        Ok(self.memory.store_cell(at, size, missing)?)
    }

    fn end_scope(&mut self, at: &Value) -> Result<(), AccessError> {
        let at = self.number(at)?;
        self.memory.end_scope(at);
        Ok(())
    }

    fn begin_scope(&mut self, at: &Value) -> Result<(), AccessError> {
        let at = self.number(at)?;
        if let Some(size) = self.memory.begin_scope(at) {
            if let Unwritten::Zero = self.unwritten {
                self.memory.fill(at, 0, size)?;
            }
            self.leave_unwritten(at, size)?;
        }
        Ok(())
    }

    fn stack_mark(&mut self) -> Value {
        // On a real machine it is an address of the stack.
        Value::Word(Word {
            bits: self.memory.stack_mark(),
            object: ObjectId::ADDRESS,
        })
    }

    fn stack_restore(&mut self, mark: &Value) -> Result<(), AccessError> {
        // A mark that is not this frame's has nothing to end here.
        let mark = self.number(mark)?;
        self.memory.stack_restore(mark.bits);
        Ok(())
    }

    fn read_slot(&mut self, slot: SlotId) -> Wide {
        self.slots[slot.index()].clone()
    }

    fn write_slot(&mut self, slot: SlotId, value: Wide) {
        let width = self.slots[slot.index()].width();
        let value = match value.width() {
            w if w > width => self.wide_cast(CastOp::Trunc, width, &value),
            w if w < width => self.wide_cast(CastOp::Zext, width, &value),
            _ => value,
        };
        let mut slots: Vec<Wide> = self.slots.to_vec();
        slots[slot.index()] = value;
        self.slots = slots.into();
    }

    fn widen(&mut self, width: u32, value: &Value) -> Wide {
        // Wide numbers do not know what they belong to.
        self.note_control(value);
        match value {
            Value::Word(word) => Wide::Bits(BitVec::new(width, word.bits)),
            Value::Symbolic(symbolic) => Wide::Term(symbolic.bits(&self.cx.store)),
        }
    }

    fn narrow(&self, value: &Wide) -> Value {
        match value {
            Wide::Bits(bits) => Value::int(bits.low_u64()),
            Wide::Term(term) => Value::from_term(term.clone(), ObjectId::NONE),
        }
    }

    fn wide_int(&self, value: &BitVec) -> Wide {
        Wide::Bits(value.clone())
    }

    fn wide_arbitrary(&mut self, width: u32) -> Wide {
        match self.unwritten {
            Unwritten::Zero | Unwritten::Filled(_) => Wide::Bits(BitVec::zero(width)),
            Unwritten::Anything => Wide::Term(self.undefined(width)),
        }
    }

    fn wide_binary(&mut self, op: BinaryOp, a: &Wide, b: &Wide) -> Wide {
        let store = &self.cx.store;
        Wide::from_term(terms::binary(store, op, &a.term(store), &b.term(store)))
    }

    fn wide_unary(&mut self, op: UnaryOp, value: &Wide) -> Wide {
        let store = &self.cx.store;
        Wide::from_term(terms::unary(store, op, &value.term(store)))
    }

    fn wide_compare(&mut self, op: CompareOp, a: &Wide, b: &Wide) -> Wide {
        let store = &self.cx.store;
        let term = terms::compare(store, op, &a.term(store), &b.term(store));
        Wide::from_term(store.bool_to_bit(&term))
    }

    fn wide_cast(&mut self, op: CastOp, to: u32, value: &Wide) -> Wide {
        let store = &self.cx.store;
        Wide::from_term(terms::cast(store, op, to, &value.term(store)))
    }

    fn wide_extract(&mut self, low: u32, width: u32, value: &Wide) -> Wide {
        let store = &self.cx.store;
        Wide::from_term(store.extract(&value.term(store), low + width - 1, low))
    }

    fn wide_concat(&mut self, high: &Wide, low: &Wide) -> Wide {
        let store = &self.cx.store;
        Wide::from_term(store.concat(&high.term(store), &low.term(store)))
    }

    fn wide_select(&mut self, condition: &Value, then: &Wide, otherwise: &Wide) -> Wide {
        let store = &self.cx.store;
        let condition = self.condition(condition);
        let (then, otherwise) = (then.term(store), otherwise.term(store));
        Wide::from_term(store.ite(&condition, &then, &otherwise))
    }

    fn wide_float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &Wide,
        b: &Wide,
    ) -> Wide {
        let (a, b) = (self.choose_wide(a, FLOAT), self.choose_wide(b, FLOAT));
        let bits = cairn_float::binary(op, format, wide_bits(&a), wide_bits(&b));
        Wide::Bits(BitVec::from_u128(format.width(), bits))
    }

    fn wide_float_unary(&mut self, op: FloatUnaryOp, format: FloatFormat, value: &Wide) -> Wide {
        let value = self.choose_wide(value, FLOAT);
        let bits = cairn_float::unary(op, format, wide_bits(&value));
        Wide::Bits(BitVec::from_u128(format.width(), bits))
    }

    fn wide_float_fma(&mut self, format: FloatFormat, a: &Wide, b: &Wide, c: &Wide) -> Wide {
        let (a, b) = (self.choose_wide(a, FLOAT), self.choose_wide(b, FLOAT));
        let c = self.choose_wide(c, FLOAT);
        let bits = cairn_float::fma(format, wide_bits(&a), wide_bits(&b), wide_bits(&c));
        Wide::Bits(BitVec::from_u128(format.width(), bits))
    }

    fn wide_float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &Wide,
        b: &Wide,
    ) -> Wide {
        let (a, b) = (self.choose_wide(a, FLOAT), self.choose_wide(b, FLOAT));
        let result = cairn_float::compare(op, format, wide_bits(&a), wide_bits(&b));
        Wide::Bits(BitVec::from_bool(result))
    }

    fn wide_float_convert(&mut self, op: FloatConvertOp, value: &Wide) -> Wide {
        let value = self.choose_wide(value, FLOAT);
        Wide::Bits(cairn_float::convert(op, &value))
    }
}
