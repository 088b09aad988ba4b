//! The values and memory of one state: the value interface on words, pointers and terms.
//!
//! The step function is the concrete machine's (`cairn-machine`); this is what its operators do
//! when values may be terms. An operator on two words is the concrete one. Where a term stands in
//! for something that must be known (an address, a length), the operation says so and is run again
//! once the engine has decided: see [`Undecided`].
//!
//! Floating-point operators have no terms yet: a symbolic operand is given the value it has under
//! the state's model, which becomes a fact of the path and a line in the summary.

use crate::calls::descriptors::Role;
use crate::memory::access;
use crate::memory::access_sizes::AccessSizes;
use crate::memory::addresses::Purpose;
use crate::memory::bases::{Bases, without_inputs};
use crate::memory::lengths;
use crate::memory::origins::Origins;
use crate::memory::pointers::Pointers;
use crate::memory::sizes;
use crate::memory::sizes::{SizeRequest, Sizes};
use crate::omission::Limit;
use crate::path::decided::DecidedAnswer;
use crate::values::address_notes;
use crate::values::address_notes::{Use, unknown};
use crate::values::layouts::Layout;
use crate::values::moving_addresses;
use crate::values::operators;
use crate::values::terms;
use crate::values::value::{Symbolic, Value, Wide};
use crate::values::worker_context::WorkerContext;
use cairn_bv::BitVec;
use cairn_expr::{Model, Sort, Term};
use cairn_ir::{
    BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat,
    FloatUnaryOp, PointerWidth, SlotId, Symbol, UnaryOp,
};
use cairn_linux::Classes;
use cairn_machine::{Domain, function_pointer, words};
use cairn_memory::{Cell, Fault, Memory, ObjectId, ObjectInfo, OriginId, Word};
use std::collections::VecDeque;
use std::rc::Rc;

/// What an operation must know and does not.
#[derive(Clone, Debug)]
pub enum Undecided {
    /// Which object an access is to, and that it is inside of it.
    Access {
        /// The address.
        address: Rc<Symbolic>,
        /// Bytes.
        length: u64,
        /// It writes.
        write: bool,
    },
    /// That a number is not more than a limit.
    AtMost {
        /// The term.
        term: Term,
        /// The limit.
        limit: u64,
        /// When it is not: objects of symbolic size may have room for less.
        within: Term,
        /// What is wrong if it is more.
        fault: Fault,
    },
    /// A number.
    Number {
        /// The term.
        term: Term,
    },
    /// What an address is that must be known as a whole.
    Address {
        /// The address.
        address: Rc<Symbolic>,
        /// What for.
        purpose: Purpose,
    },
    /// What a descriptor is.
    Descriptor {
        /// Its 32 bits.
        term: Term,
        /// What it is for.
        role: Role,
    },
    /// In which class of values a number is, of those that the system answers alike.
    Class {
        /// The number.
        term: Term,
        /// The classes.
        classes: Box<Classes>,
    },
    /// Whether a buffer that is in an object has room there for all of its bytes.
    Room {
        /// Where it begins.
        address: Rc<Symbolic>,
        /// Its bytes.
        length: u64,
        /// The object.
        extent: ObjectInfo,
    },
    /// How many bytes are asked for.
    Size(SizeRequest),
    /// How much of a word exists that is read at a known address in an object of symbolic size; what is
    /// wrong if nothing does.
    Word(Fault),
}

/// Why an operation on memory did not happen.
#[derive(Clone, Debug)]
pub enum AccessError {
    /// It is an error.
    Fault(Fault),
    /// Something must be decided first; then the operation is run again.
    Undecided(Undecided),
    /// This limit was reached in the middle of a long operation.
    Interrupted(Limit),
}

impl From<Fault> for AccessError {
    fn from(fault: Fault) -> Self {
        AccessError::Fault(fault)
    }
}

/// What memory holds that the program has not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Anything: bytes that are inputs.
    Anything,
    /// Zeros.
    Zero,
    /// This byte everywhere; values that the program leaves undefined are zero.
    Filled(u8),
}

/// See the module's head.
#[derive(Clone)]
pub struct SymbolicDomain {
    pub(crate) cx: Rc<WorkerContext>,
    /// The memory.
    pub memory: Memory,
    /// Whether a pointer reaches whatever object is at its address.
    pub(crate) reaches_any: bool,
    /// What stands for the beginning of an object in terms.
    pub(crate) bases: Bases,
    /// Where unknown bytes come from.
    pub origins: Origins,
    /// A model of the path's facts.
    pub model: Rc<Model>,
    globals: Rc<[Word]>,
    slots: Rc<[Wide]>,
    unwritten: Unwritten,
    pub(crate) decided: Vec<DecidedAnswer>,
    /// Addresses whose value is known.
    pub(crate) pointers: Pointers,
    /// Objects whose size is a term.
    pub(crate) sizes: Sizes,
    /// With which sizes objects are written at unknown offsets.
    pub(crate) access_sizes: AccessSizes,
    /// Facts that operations chose, under which the model holds; the engine takes them.
    pub(crate) chosen: Vec<Term>,
    /// All values that operations chose, for when the path is run again.
    pub(crate) log: Vec<BitVec>,
    /// Values that they must choose while it is.
    pub(crate) forced: VecDeque<BitVec>,
    /// What was narrowed by choosing, in words.
    pub(crate) narrowed: Vec<&'static str>,
    /// Whether the state passed a point for the first time.
    pub covered_new: bool,
    /// The last point that was passed: where the path is, to a block.
    pub(crate) last_point: u32,
    /// Points where an address was used as a number: those of the path that were not reported yet.
    pub(crate) addresses_used: Vec<(u32, Use)>,
    /// Whether such uses are looked for.
    pub(crate) tracks_addresses: bool,
    /// Where things are that machine code has, if it is explored.
    pub(crate) layout: Option<Rc<Layout>>,
    /// Bytes that decisions made known in memory: an operation that is run again finds them.
    pub(crate) made_known: u64,
}

impl SymbolicDomain {
    /// The values and memory of a program whose globals are laid out.
    pub fn new(
        cx: Rc<WorkerContext>,
        memory: Memory,
        globals: Rc<[Word]>,
        slots: Vec<Wide>,
        unwritten: Unwritten,
    ) -> Self {
        SymbolicDomain {
            cx,
            memory,
            origins: Origins::default(),
            model: Rc::default(),
            globals,
            slots: slots.into(),
            unwritten,
            decided: Vec::new(),
            pointers: Pointers::default(),
            reaches_any: false,
            bases: Bases::default(),
            sizes: Sizes::default(),
            access_sizes: AccessSizes::default(),
            chosen: Vec::new(),
            log: Vec::new(),
            forced: VecDeque::new(),
            narrowed: Vec::new(),
            made_known: 0,
            last_point: 0,
            addresses_used: Vec::new(),
            tracks_addresses: false,
            layout: None,
            covered_new: false,
        }
    }

    /// Writes bytes that the path's facts leave one value in place of their terms.
    pub(crate) fn make_known(&mut self, at: Word, bytes: &[u8]) -> Result<(), Fault> {
        self.made_known += bytes.len() as u64;
        self.memory.initialise(at, bytes)
    }

    /// The same for a word, which may be a pointer.
    pub(crate) fn make_known_word(
        &mut self,
        at: Word,
        bytes: u32,
        word: Word,
    ) -> Result<(), Fault> {
        self.made_known += u64::from(bytes);
        self.memory.initialise_word(at, bytes, word)
    }

    /// A Boolean term as a value of one bit.
    pub(crate) fn truth(&self, condition: &Term) -> Value {
        let known = condition.as_bool();
        match known.or_else(|| without_inputs(condition).map(|bit| !bit.is_zero())) {
            Some(known) => Value::int(u64::from(known)),
            None => Value::Symbolic(Rc::new(Symbolic {
                term: condition.clone(),
                object: ObjectId::NONE,
            })),
        }
    }

    /// That a value of one bit is one.
    pub fn condition(&self, value: &Value) -> Term {
        let store = &self.cx.store;
        match value {
            Value::Word(word) => store.bool(word.bits != 0),
            Value::Symbolic(symbolic) => match symbolic.term.sort() {
                Sort::Bool => symbolic.term.clone(),
                Sort::BitVec(_) | Sort::Array { .. } => store.eq(&symbolic.term, &store.bv(1, 1)),
            },
        }
    }

    /// A symbol that no other part of the path knows.
    fn undefined(&mut self, width: u32) -> Term {
        let number = self.origins.fresh_number();
        let symbol = cairn_expr::Symbol::Undefined {
            number,
            other: false,
        };
        let symbol = self.cx.store.free(symbol, Sort::BitVec(width));
        self.origins.hide(&symbol);
        symbol
    }

    /// Leaves the bytes of a new object to what the program has not written.
    pub(crate) fn leave_unwritten(&mut self, at: Word, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        match self.unwritten {
            Unwritten::Anything => {
                let origin = self.origins.unwritten();
                let cell = Cell::Origin { origin, offset: 0 };
                self.memory.store_cell(at, size, cell)
            }
            Unwritten::Zero => Ok(()),
            Unwritten::Filled(byte) => self.memory.fill_uninitialised(at, byte, size),
        }
    }
}

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
    fn decide(&mut self, value: &Value) {
        if !value.object().is_number() && moving_addresses::is_of_layout(self, value) {
            address_notes::note_address(self);
        }
    }

    #[inline(always)]
    fn cover(&mut self, point: u32) {
        self.last_point = point;
        self.cx.pass(point);
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
                if words::compares_addresses(op, unknown(a), unknown(b)) {
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
        self.decide(a);
        self.decide(b);
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
        self.decide(a);
        self.decide(b);
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
        self.decide(length);
        if let Some(()) = lengths::copy_some(self, to, from, length, overlapping)? {
            return Ok(());
        }
        let length = self.number(length)?.bits;
        access::copy_bytes(self, to, from, length, overlapping)
    }

    fn fill(&mut self, to: &Value, byte: &Value, length: &Value) -> Result<(), AccessError> {
        self.decide(length);
        self.decide(byte);
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
        Value::int(self.memory.stack_mark())
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
        self.decide(value);
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
