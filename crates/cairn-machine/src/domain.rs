//! The value interface: what the step function asks of values and memory.
//!
//! The step function (`step.rs`) is the meaning of the program form, written once. What a value is
//! (a machine word, a pointer, a term) and where bytes live is a domain's business. The concrete
//! machine is one domain; the engine, whose values may be terms, is another.
//!
//! Values of at most 64 bits are [`Domain::Value`]: they live in registers and are on the fast
//! path. Wider ones, and operators that are rare, use [`Domain::Wide`].
//!
//! Laws. Operators are total and mean what `cairn-bv` says. A value's bits above its width are
//! zero. [`Domain::known`] is `Some` only if the value is the same on every run of this path.

use cairn_ir::{
    BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat,
    FloatUnaryOp, PointerWidth, SlotId, Symbol, UnaryOp,
};

/// Values and memory; see the module's head.
pub trait Domain {
    /// A value of at most 64 bits.
    type Value: Clone;
    /// A value of any width, which it knows.
    type Wide: Clone;
    /// Why an access to memory did not happen: it ends the path, or something must be decided first.
    type AccessError;

    /// How wide addresses are.
    fn pointer_width(&self) -> PointerWidth;
    /// A constant.
    fn int(&self, bits: u64) -> Self::Value;
    /// A number that stands where other systems have an address, or what they make of one.
    fn stands_for_address(&self, bits: u64) -> Self::Value {
        self.int(bits)
    }
    /// The address of a global or function, plus an offset.
    fn symbol(&self, symbol: Symbol, offset: i64) -> Self::Value;
    /// The bits of a value, if they are known.
    fn known(&self, value: &Self::Value) -> Option<u64>;
    /// The bits of a value as a plain number: what the machine itself decides with is no use of an address by
    /// the program.
    fn plain(&self, value: &Self::Value) -> Self::Value;
    /// The bits of a value, which must be known for the operation.
    fn number_of(&mut self, value: &Self::Value) -> Result<u64, Self::AccessError>;
    /// A value decides where a program goes on, as it is.
    #[inline(always)]
    fn note_control(&mut self, value: &Self::Value) {
        let _ = value;
    }
    /// A copy of a value.
    #[inline(always)]
    fn duplicate(&self, value: &Self::Value) -> Self::Value {
        value.clone()
    }
    /// Whether a pointer can reach a stack object that it was not made from. Then every variable is an
    /// object.
    fn reaches_any(&self) -> bool;
    /// Control passes a point that can be covered (see `CoverMap`), or is back in its block after a call.
    #[inline(always)]
    fn cover(&mut self, point: u32, is_back: bool) {
        let _ = (point, is_back);
    }
    /// Any value of a width.
    fn arbitrary(&mut self, width: u32) -> Self::Value;
    /// An operator on two values of a width.
    fn binary(&mut self, op: BinaryOp, width: u32, a: &Self::Value, b: &Self::Value)
    -> Self::Value;
    /// A comparison; one bit.
    fn compare(
        &mut self,
        op: CompareOp,
        width: u32,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;
    /// A change of width.
    fn cast(&mut self, op: CastOp, from: u32, to: u32, value: &Self::Value) -> Self::Value;
    /// One of two values of a width.
    fn select(
        &mut self,
        width: u32,
        condition: &Self::Value,
        then: &Self::Value,
        otherwise: &Self::Value,
    ) -> Self::Value;
    /// An operator on two numbers of format single or double.
    fn float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;
    /// A comparison of two numbers of format single or double; one bit.
    fn float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;

    /// [`load`](Self::load), if nothing is unusual about it.
    #[inline(always)]
    fn load_quick(&mut self, at: &Self::Value, bytes: u32) -> Option<Self::Value> {
        let _ = (at, bytes);
        None
    }
    /// [`store`](Self::store), if nothing is unusual about it; whether it was done.
    #[inline(always)]
    fn store_quick(&mut self, at: &Self::Value, bytes: u32, value: &Self::Value) -> bool {
        let _ = (at, bytes, value);
        false
    }
    /// Reads words of 8 bytes of one object to registers, if nothing is unusual about any of them;
    /// whether it was done. Each is a register and the word's number from `at` on; `length` is how many
    /// bytes there must be.
    #[inline(always)]
    fn load_words_quick(
        &mut self,
        at: &Self::Value,
        length: u32,
        words: &[(u32, u32)],
        registers: &mut [Self::Value],
    ) -> bool {
        let _ = (at, length, words, registers);
        false
    }
    /// Writes registers to words as [`load_words_quick`](Self::load_words_quick) reads them. If it was
    /// not done, some may be written.
    #[inline(always)]
    fn store_words_quick(
        &mut self,
        at: &Self::Value,
        length: u32,
        words: &[(u32, u32)],
        registers: &[Self::Value],
    ) -> bool {
        let _ = (at, length, words, registers);
        false
    }
    /// Reads 1 to 8 bytes.
    fn load(&mut self, at: &Self::Value, bytes: u32) -> Result<Self::Value, Self::AccessError>;
    /// Writes 1 to 8 bytes.
    fn store(
        &mut self,
        at: &Self::Value,
        bytes: u32,
        value: &Self::Value,
    ) -> Result<(), Self::AccessError>;
    /// Reads any number of bytes.
    fn load_wide(&mut self, at: &Self::Value, bytes: u32) -> Result<Self::Wide, Self::AccessError>;
    /// Writes any number of bytes.
    fn store_wide(&mut self, at: &Self::Value, value: &Self::Wide)
    -> Result<(), Self::AccessError>;
    /// Copies bytes.
    fn copy(
        &mut self,
        to: &Self::Value,
        from: &Self::Value,
        length: &Self::Value,
        overlapping: bool,
    ) -> Result<(), Self::AccessError>;
    /// Writes one byte many times.
    fn fill(
        &mut self,
        to: &Self::Value,
        byte: &Self::Value,
        length: &Self::Value,
    ) -> Result<(), Self::AccessError>;
    /// Begins a frame of the stack, whose variables in registers take this many bytes of it.
    fn push_frame(&mut self, variables: u64) -> Result<(), Self::AccessError>;
    /// Ends the newest frame and its objects.
    fn pop_frame(&mut self);
    /// Makes an object in the newest frame. If it is not `unwritten`, nothing of it is read before it
    /// is written.
    fn alloca(
        &mut self,
        size: &Self::Value,
        align: u64,
        unwritten: bool,
    ) -> Result<Self::Value, Self::AccessError>;
    /// Marks bytes that the program has no business to read: arguments that were not passed.
    fn leave_missing(&mut self, at: &Self::Value, size: u64) -> Result<(), Self::AccessError>;
    /// Leaves the scope of the stack object that begins at an address, if there is one.
    fn end_scope(&mut self, at: &Self::Value) -> Result<(), Self::AccessError>;
    /// Begins the scope of a stack object again; nothing of it is written then.
    fn begin_scope(&mut self, at: &Self::Value) -> Result<(), Self::AccessError>;
    /// A mark of the stack's height.
    fn stack_mark(&mut self) -> Self::Value;
    /// Ends the newest frame's objects that were made since a mark.
    fn stack_restore(&mut self, mark: &Self::Value) -> Result<(), Self::AccessError>;
    /// The content of a machine slot.
    fn read_slot(&mut self, slot: SlotId) -> Self::Wide;
    /// Changes a machine slot.
    fn write_slot(&mut self, slot: SlotId, value: Self::Wide);

    /// A value as a wide one of a width.
    fn widen(&mut self, width: u32, value: &Self::Value) -> Self::Wide;
    /// A wide value of at most 64 bits as a value.
    fn narrow(&self, value: &Self::Wide) -> Self::Value;
    /// A constant.
    fn wide_int(&self, value: &cairn_bv::BitVec) -> Self::Wide;
    /// Any value of a width.
    fn wide_arbitrary(&mut self, width: u32) -> Self::Wide;
    /// An operator on two values of one width.
    fn wide_binary(&mut self, op: BinaryOp, a: &Self::Wide, b: &Self::Wide) -> Self::Wide;
    /// An operator on one value.
    fn wide_unary(&mut self, op: UnaryOp, value: &Self::Wide) -> Self::Wide;
    /// A comparison of two values of one width.
    fn wide_compare(&mut self, op: CompareOp, a: &Self::Wide, b: &Self::Wide) -> Self::Wide;
    /// A change to a width.
    fn wide_cast(&mut self, op: CastOp, to: u32, value: &Self::Wide) -> Self::Wide;
    /// Bits from `low` upwards.
    fn wide_extract(&mut self, low: u32, width: u32, value: &Self::Wide) -> Self::Wide;
    /// One value above another.
    fn wide_concat(&mut self, high: &Self::Wide, low: &Self::Wide) -> Self::Wide;
    /// One of two values.
    fn wide_select(
        &mut self,
        condition: &Self::Value,
        then: &Self::Wide,
        otherwise: &Self::Wide,
    ) -> Self::Wide;
    /// A floating-point operator on two numbers.
    fn wide_float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        a: &Self::Wide,
        b: &Self::Wide,
    ) -> Self::Wide;
    /// A floating-point operator on one number.
    fn wide_float_unary(
        &mut self,
        op: FloatUnaryOp,
        format: FloatFormat,
        value: &Self::Wide,
    ) -> Self::Wide;
    /// `a * b + c`, rounded once.
    fn wide_float_fma(
        &mut self,
        format: FloatFormat,
        a: &Self::Wide,
        b: &Self::Wide,
        c: &Self::Wide,
    ) -> Self::Wide;
    /// A comparison of floating-point numbers.
    fn wide_float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        a: &Self::Wide,
        b: &Self::Wide,
    ) -> Self::Wide;
    /// A conversion from or to a floating-point number.
    fn wide_float_convert(&mut self, op: FloatConvertOp, value: &Self::Wide) -> Self::Wide;
}
