//! Values that carry the cells they came from: a value interface around the engine's own.
//!
//! What an operator gives is what [`SymbolicDomain`] gives; beside it stands the union of its operands'
//! sources. The step function asks [`Domain::known`] wherever control depends on a value (branches,
//! switches, checks, indirect calls, jump buffers), so that is where sources become required.

use super::cells::CoarseCell;
use super::sources::Sources;
use super::stretch::Untraceable;
use super::target::{MOST_BYTES, TraceTarget};
use super::trace::Trace;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat,
    FloatUnaryOp, PointerWidth, SlotId, Symbol, UnaryOp,
};
use cairn_machine::Domain;
use cairn_memory::Word;
use std::cell::RefCell;

/// A value and the cells that it came from.
#[derive(Clone, Debug)]
pub struct Traced<T> {
    /// The value.
    pub value: T,
    /// The cells.
    pub sources: Sources,
}

type TracedValue = Traced<Value>;
type TracedWide = Traced<Wide>;

impl<T> Traced<T> {
    /// A value that came from nowhere.
    pub fn constant(value: T) -> Self {
        Traced {
            value,
            sources: Sources::NONE,
        }
    }
}

/// See the module's head.
pub struct TracingDomain {
    /// Values and memory.
    pub inner: SymbolicDomain,
    /// What was found out.
    pub trace: RefCell<Trace>,
}

impl TracingDomain {
    /// Begins at a state's values and memory.
    pub fn new(mut inner: SymbolicDomain) -> Self {
        inner.addresses_used.clear();
        inner.tracks_addresses = true;
        TracingDomain {
            inner,
            trace: RefCell::default(),
        }
    }

    pub(super) fn trace(&mut self) -> &mut Trace {
        self.trace.get_mut()
    }

    /// Control, an access or the stop depends on a value.
    pub fn require<T>(&mut self, value: &Traced<T>) {
        self.trace().require(value.sources);
    }

    fn both<T, U>(&mut self, a: &Traced<T>, b: &Traced<U>) -> Sources {
        self.trace().union(a.sources, b.sources)
    }

    /// An operator that chooses a value for a term gets this operand.
    fn consume<T>(&mut self, operand: &Traced<T>, symbolic: bool) {
        if symbolic {
            self.trace().require(operand.sources);
        } else {
            self.trace().require_known(operand.sources);
        }
    }

    fn consume_wide(&mut self, operand: &TracedWide) {
        self.consume(operand, matches!(operand.value, Wide::Term(_)));
    }

    fn consume_value(&mut self, operand: &TracedValue) {
        self.consume(operand, matches!(operand.value, Value::Symbolic(_)));
    }

    /// A load that did not happen may depend on what is there.
    fn loaded<T>(
        &mut self,
        result: Result<T, AccessError>,
        sources: Sources,
    ) -> Result<Traced<T>, AccessError> {
        if result.is_err() {
            self.trace().require(sources);
        }
        result.map(|value| Traced { value, sources })
    }

    /// A length as it is known; otherwise the operation is not traced if it happens.
    fn length(&mut self, length: &TracedValue) -> Option<u64> {
        self.require(length);
        length.value.known().map(|word| word.bits)
    }
}

impl Domain for TracingDomain {
    type Value = TracedValue;
    type Wide = TracedWide;
    type AccessError = AccessError;

    fn int(&self, bits: u64) -> TracedValue {
        Traced::constant(self.inner.int(bits))
    }

    fn stands_for_address(&self, bits: u64) -> TracedValue {
        Traced::constant(self.inner.stands_for_address(bits))
    }

    fn pointer_width(&self) -> PointerWidth {
        self.inner.pointer_width()
    }

    fn symbol(&self, symbol: Symbol, offset: i64) -> TracedValue {
        Traced::constant(self.inner.symbol(symbol, offset))
    }

    fn known(&self, value: &TracedValue) -> Option<u64> {
        let mut trace = self.trace.borrow_mut();
        trace.require(value.sources);
        let known = self.inner.known(&value.value);
        if let Some(bits) = known {
            trace.pass(bits);
        }
        known
    }

    fn plain(&self, value: &TracedValue) -> TracedValue {
        Traced {
            value: self.inner.plain(&value.value),
            sources: value.sources,
        }
    }

    fn number_of(&mut self, value: &TracedValue) -> Result<u64, AccessError> {
        self.require(value);
        let bits = self.inner.number_of(&value.value)?;
        self.trace().pass(bits);
        Ok(bits)
    }

    fn note_control(&mut self, value: &TracedValue) {
        self.inner.note_control(&value.value);
    }

    fn reaches_any(&self) -> bool {
        self.inner.reaches_any()
    }

    /// Coverage is the real run's.
    fn cover(&mut self, point: u32, is_back: bool) {
        self.inner.last_point = point;
        if !is_back {
            self.trace().pass(u64::from(point));
        }
    }

    fn arbitrary(&mut self, width: u32) -> TracedValue {
        Traced::constant(self.inner.arbitrary(width))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        width: u32,
        a: &TracedValue,
        b: &TracedValue,
    ) -> TracedValue {
        Traced {
            value: self.inner.binary(op, width, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn compare(
        &mut self,
        op: CompareOp,
        width: u32,
        a: &TracedValue,
        b: &TracedValue,
    ) -> TracedValue {
        Traced {
            value: self.inner.compare(op, width, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn cast(&mut self, op: CastOp, from: u32, to: u32, value: &TracedValue) -> TracedValue {
        Traced {
            value: self.inner.cast(op, from, to, &value.value),
            sources: value.sources,
        }
    }

    fn select(
        &mut self,
        width: u32,
        condition: &TracedValue,
        then: &TracedValue,
        otherwise: &TracedValue,
    ) -> TracedValue {
        let sources = match condition.value {
            Value::Word(Word { bits: 0, .. }) => self.both(condition, otherwise),
            Value::Word(_) => self.both(condition, then),
            Value::Symbolic(_) => {
                let ways = self.both(then, otherwise);
                self.trace().union(ways, condition.sources)
            }
        };
        let (then, otherwise) = (&then.value, &otherwise.value);
        let value = self.inner.select(width, &condition.value, then, otherwise);
        Traced { value, sources }
    }

    fn float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &TracedValue,
        b: &TracedValue,
    ) -> TracedValue {
        self.consume_value(a);
        self.consume_value(b);
        Traced {
            value: self.inner.float_binary(op, format, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &TracedValue,
        b: &TracedValue,
    ) -> TracedValue {
        self.consume_value(a);
        self.consume_value(b);
        Traced {
            value: self.inner.float_compare(op, format, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn load(&mut self, at: &TracedValue, bytes: u32) -> Result<TracedValue, AccessError> {
        let target = self.target(at, u64::from(bytes));
        let sources = self.read(target, u64::from(bytes));
        let result = self.inner.load(&at.value, bytes);
        self.loaded(result, sources)
    }

    fn store(
        &mut self,
        at: &TracedValue,
        bytes: u32,
        value: &TracedValue,
    ) -> Result<(), AccessError> {
        let target = self.target(at, u64::from(bytes));
        self.inner.store(&at.value, bytes, &value.value)?;
        self.wrote(target, u64::from(bytes), value.sources);
        Ok(())
    }

    fn load_wide(&mut self, at: &TracedValue, bytes: u32) -> Result<TracedWide, AccessError> {
        let target = self.target(at, u64::from(bytes));
        let sources = self.read(target, u64::from(bytes));
        let result = self.inner.load_wide(&at.value, bytes);
        self.loaded(result, sources)
    }

    fn store_wide(&mut self, at: &TracedValue, value: &TracedWide) -> Result<(), AccessError> {
        let bytes = u64::from(value.value.width().div_ceil(8));
        let target = self.target(at, bytes);
        self.inner.store_wide(&at.value, &value.value)?;
        self.wrote(target, bytes, value.sources);
        Ok(())
    }

    fn copy(
        &mut self,
        to: &TracedValue,
        from: &TracedValue,
        length: &TracedValue,
        overlapping: bool,
    ) -> Result<(), AccessError> {
        let bytes = self.length(length);
        let targets = match bytes {
            Some(0) => None,
            Some(bytes) => Some((self.target(to, bytes), self.target(from, bytes), bytes)),
            None => {
                self.require(to);
                self.require(from);
                None
            }
        };
        let (a, b) = (&to.value, &from.value);
        self.inner.copy(a, b, &length.value, overlapping)?;
        let trace = self.trace();
        match targets {
            Some((TraceTarget::At(to, first), TraceTarget::At(from, offset), bytes)) => {
                let sets = &mut trace.sets;
                let (to, from) = ((to, first), (from, offset));
                trace.shadow.copy(sets, to, from, bytes);
            }
            Some((to, from, bytes)) => {
                let sources = self.read(from, bytes);
                self.wrote(to, bytes, sources);
            }
            None if bytes.is_none() => trace.give_up(Untraceable::SymbolicLength),
            None => {}
        }
        Ok(())
    }

    fn fill(
        &mut self,
        to: &TracedValue,
        byte: &TracedValue,
        length: &TracedValue,
    ) -> Result<(), AccessError> {
        let bytes = self.length(length);
        let target = match bytes {
            Some(0) => None,
            Some(bytes) => Some((self.target(to, bytes), bytes)),
            None => {
                self.require(to);
                None
            }
        };
        self.inner.fill(&to.value, &byte.value, &length.value)?;
        match target {
            Some((target, bytes)) => self.wrote(target, bytes, byte.sources),
            None if bytes.is_none() => self.trace().give_up(Untraceable::SymbolicLength),
            None => {}
        }
        Ok(())
    }

    fn push_frame(&mut self, variables: u64) -> Result<(), AccessError> {
        self.trace().require_coarse(CoarseCell::Stack);
        self.inner.push_frame(variables)
    }

    fn pop_frame(&mut self) {
        self.inner.pop_frame();
    }

    fn alloca(
        &mut self,
        size: &TracedValue,
        align: u64,
        unwritten: bool,
    ) -> Result<TracedValue, AccessError> {
        self.require(size);
        self.trace().require_coarse(CoarseCell::Stack);
        let made = self.inner.alloca(&size.value, align, unwritten)?;
        self.trace().shadow.make(made.object());
        Ok(Traced::constant(made))
    }

    fn leave_missing(&mut self, at: &TracedValue, size: u64) -> Result<(), AccessError> {
        let target = self.target(at, size);
        self.inner.leave_missing(&at.value, size)?;
        self.wrote(target, size, Sources::NONE);
        Ok(())
    }

    fn end_scope(&mut self, at: &TracedValue) -> Result<(), AccessError> {
        self.require(at);
        self.trace().require_object(at.value.object());
        self.inner.end_scope(&at.value)
    }

    fn begin_scope(&mut self, at: &TracedValue) -> Result<(), AccessError> {
        self.require(at);
        let object = at.value.object();
        self.trace().require_object(object);
        self.inner.begin_scope(&at.value)?;
        // Nothing of it is written then.
        if let Ok(info) = self.inner.memory.info(Word { bits: 0, object }) {
            match info.capacity <= MOST_BYTES {
                true => {
                    let trace = self.trace();
                    trace.shadow.write(object, 0, info.capacity, Sources::NONE);
                }
                false => self.trace().give_up(Untraceable::Large),
            }
        }
        Ok(())
    }

    fn stack_mark(&mut self) -> TracedValue {
        self.trace().require_coarse(CoarseCell::Stack);
        Traced::constant(self.inner.stack_mark())
    }

    fn stack_restore(&mut self, mark: &TracedValue) -> Result<(), AccessError> {
        self.require(mark);
        self.trace().require_coarse(CoarseCell::Calls);
        self.inner.stack_restore(&mark.value)
    }

    fn read_slot(&mut self, slot: SlotId) -> TracedWide {
        self.trace().require_coarse(CoarseCell::Slots);
        Traced::constant(self.inner.read_slot(slot))
    }

    fn write_slot(&mut self, slot: SlotId, value: TracedWide) {
        // A later read is of all slots.
        self.require(&value);
        self.inner.write_slot(slot, value.value);
    }

    fn widen(&mut self, width: u32, value: &TracedValue) -> TracedWide {
        Traced {
            value: self.inner.widen(width, &value.value),
            sources: value.sources,
        }
    }

    fn narrow(&self, value: &TracedWide) -> TracedValue {
        Traced {
            value: self.inner.narrow(&value.value),
            sources: value.sources,
        }
    }

    fn wide_int(&self, value: &BitVec) -> TracedWide {
        Traced::constant(self.inner.wide_int(value))
    }

    fn wide_arbitrary(&mut self, width: u32) -> TracedWide {
        Traced::constant(self.inner.wide_arbitrary(width))
    }

    fn wide_binary(&mut self, op: BinaryOp, a: &TracedWide, b: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_binary(op, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn wide_unary(&mut self, op: UnaryOp, value: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_unary(op, &value.value),
            sources: value.sources,
        }
    }

    fn wide_compare(&mut self, op: CompareOp, a: &TracedWide, b: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_compare(op, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn wide_cast(&mut self, op: CastOp, to: u32, value: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_cast(op, to, &value.value),
            sources: value.sources,
        }
    }

    fn wide_extract(&mut self, low: u32, width: u32, value: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_extract(low, width, &value.value),
            sources: value.sources,
        }
    }

    fn wide_concat(&mut self, high: &TracedWide, low: &TracedWide) -> TracedWide {
        Traced {
            value: self.inner.wide_concat(&high.value, &low.value),
            sources: self.both(high, low),
        }
    }

    fn wide_select(
        &mut self,
        condition: &TracedValue,
        then: &TracedWide,
        otherwise: &TracedWide,
    ) -> TracedWide {
        let ways = self.both(then, otherwise);
        let sources = self.trace().union(ways, condition.sources);
        let (then, otherwise) = (&then.value, &otherwise.value);
        let value = self.inner.wide_select(&condition.value, then, otherwise);
        Traced { value, sources }
    }

    fn wide_float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &TracedWide,
        b: &TracedWide,
    ) -> TracedWide {
        self.consume_wide(a);
        self.consume_wide(b);
        Traced {
            value: self.inner.wide_float_binary(op, format, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn wide_float_unary(
        &mut self,
        op: FloatUnaryOp,
        format: FloatFormat,
        value: &TracedWide,
    ) -> TracedWide {
        self.consume_wide(value);
        Traced {
            value: self.inner.wide_float_unary(op, format, &value.value),
            sources: value.sources,
        }
    }

    fn wide_float_fma(
        &mut self,
        format: FloatFormat,
        a: &TracedWide,
        b: &TracedWide,
        c: &TracedWide,
    ) -> TracedWide {
        for operand in [a, b, c] {
            self.consume_wide(operand);
        }
        let factors = self.both(a, b);
        Traced {
            value: self
                .inner
                .wide_float_fma(format, &a.value, &b.value, &c.value),
            sources: self.trace().union(factors, c.sources),
        }
    }

    fn wide_float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &TracedWide,
        b: &TracedWide,
    ) -> TracedWide {
        self.consume_wide(a);
        self.consume_wide(b);
        Traced {
            value: self
                .inner
                .wide_float_compare(op, format, &a.value, &b.value),
            sources: self.both(a, b),
        }
    }

    fn wide_float_convert(&mut self, op: FloatConvertOp, value: &TracedWide) -> TracedWide {
        self.consume_wide(value);
        Traced {
            value: self.inner.wide_float_convert(op, &value.value),
            sources: value.sources,
        }
    }
}
