//! Instructions. All operators are total: what a source language calls undefined is a [`Check`] before the operator, or [`Inst::Arbitrary`].
//!
//! Values are bit-vectors of a fixed width: pointers (which object one belongs to, the machine knows) and floating-point numbers too.

use crate::{BlockId, FuncId, GlobalId, Local, SlotId};
use cairn_bv::BitVec;

/// What an instruction reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value of the function.
    Local(Local),
    /// A constant of at most 64 bits; the instruction says how wide it is.
    Int(u64),
    /// A constant of more than 64 bits.
    Wide(Box<BitVec>),
    /// The address of a global or function, plus an offset (as wide as a pointer).
    Address(Symbol, i64),
}

/// What has an address before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A global object.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
}

/// Operators on two words of one width, with the result of that width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum, modulo 2^width.
    Add,
    /// Difference, modulo 2^width.
    Sub,
    /// Product, modulo 2^width.
    Mul,
    /// Unsigned quotient; all ones by zero.
    Udiv,
    /// Signed quotient towards zero; 1 or -1 by zero, as SMT-LIB has it.
    Sdiv,
    /// Unsigned remainder; the dividend by zero.
    Urem,
    /// Signed remainder with the dividend's sign; the dividend by zero.
    Srem,
    /// Shift left; zero if by the width or more.
    Shl,
    /// Shift right with zeros; zero if by the width or more.
    Lshr,
    /// Shift right with the sign; all sign if by the width or more.
    Ashr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Operators on one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Number of ones.
    Popcount,
    /// Number of zeros above the highest one; the width of zero.
    LeadingZeros,
    /// Number of zeros below the lowest one; the width of zero.
    TrailingZeros,
    /// Bytes in opposite order; the width is a multiple of 8.
    ByteSwap,
    /// Bits in opposite order.
    BitReverse,
}

/// Comparisons of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
}

/// Changes of width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastOp {
    /// Zeros above.
    Zext,
    /// Copies of the sign above.
    Sext,
    /// The low bits.
    Trunc,
}

/// Formats of floating-point numbers; a value is its bits in memory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// Upper half of a binary32.
    Bfloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The 80-bit extended format of the x87.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FloatFormat {
    /// Bits of a value.
    pub fn width(self) -> u32 {
        match self {
            FloatFormat::Half | FloatFormat::Bfloat => 16,
            FloatFormat::Single => 32,
            FloatFormat::Double => 64,
            FloatFormat::X87 => 80,
            FloatFormat::Quad => 128,
        }
    }
}

/// Floating-point operators on two numbers, rounded to nearest even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder as C's `fmod`.
    Rem,
    /// The smaller; a number if the other is not one (C's `fmin`).
    MinNum,
    /// The larger; a number if the other is not one (C's `fmax`).
    MaxNum,
    /// The smaller; not a number if either is not; -0 below +0.
    Minimum,
    /// The larger; not a number if either is not; -0 below +0.
    Maximum,
}

/// Floating-point operators on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatUnaryOp {
    /// Square root.
    Sqrt,
    /// Towards minus infinity.
    Floor,
    /// Towards plus infinity.
    Ceil,
    /// Towards zero.
    Trunc,
    /// To nearest, ties to even (`rint`, `nearbyint`, `roundeven`).
    RoundEven,
    /// To nearest, ties away from zero (`round`).
    RoundAway,
}

/// Comparisons of floating-point numbers: which of the four relations make it true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatCompareOp {
    /// True if less.
    pub less: bool,
    /// True if equal.
    pub equal: bool,
    /// True if greater.
    pub greater: bool,
    /// True if one is not a number.
    pub unordered: bool,
}

/// Conversions from and to floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatConvertOp {
    /// Between formats, rounded to nearest even.
    Format {
        /// From.
        from: FloatFormat,
        /// To.
        to: FloatFormat,
    },
    /// From an integer, rounded to nearest even.
    FromInt {
        /// The integer is signed.
        signed: bool,
        /// Bits of the integer.
        from: u32,
        /// To.
        to: FloatFormat,
    },
    /// To an integer, towards zero. Out of range: the nearest integer if `saturating` (zero for
    /// not-a-number), otherwise what the x86-64 instruction gives for the width.
    ToInt {
        /// The integer is signed.
        signed: bool,
        /// From.
        from: FloatFormat,
        /// Bits of the integer.
        to: u32,
        /// Clamp to the range.
        saturating: bool,
    },
}

/// Why a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CheckKind {
    /// Division or remainder by zero.
    DivisionByZero,
    /// The smallest number divided by -1.
    DivisionOverflow,
    /// A shift by the width or more.
    Overshift,
    /// Signed arithmetic leaves its range.
    SignedOverflow,
    /// Unsigned arithmetic that was promised not to wrap does.
    UnsignedOverflow,
    /// Bits are lost that were promised to be zero.
    Inexact,
    /// Pointer arithmetic leaves its object.
    PointerOverflow,
    /// What was promised never to be reached is.
    Unreachable,
    /// A condition that the compiler was told to assume is false.
    Assumption,
    /// An index or access outside of its object.
    OutOfBounds,
    /// A value out of its range: an enumeration, a Boolean, a size.
    OutOfRange,
    /// The number of a vector's element is not below their number.
    VectorIndex,
    /// A null pointer where one may not be.
    Null,
    /// An unaligned pointer where one may not be.
    Misaligned,
    /// A function called with another type than it has.
    FunctionType,
    /// An undefined behaviour that has no kind of its own; the message names it.
    Undefined,
    /// A construct that Cairn does not support; the message names it.
    Unsupported,
}

/// A condition that holds, or the path ends with an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    /// What it means if it does not hold.
    pub kind: CheckKind,
    /// One bit.
    pub condition: Operand,
    /// More about it; may be empty.
    pub message: Box<str>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A known function.
    Direct(FuncId),
    /// The function at an address.
    Indirect(Local),
}

/// How a variadic argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarClass {
    /// In a general register while there are some, then in memory.
    General,
    /// In a floating-point register while there are some, then in memory.
    Float,
    /// In memory, aligned to this many bytes.
    Memory(u32),
    /// The argument is the address of this many bytes, which are passed in memory.
    Bytes {
        /// How many.
        size: u64,
        /// Aligned to this many bytes.
        align: u32,
    },
}

/// A variadic argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarArg {
    /// The value.
    pub value: Operand,
    /// Its width.
    pub width: u32,
    /// How it is passed.
    pub class: VarClass,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Arguments and their widths.
    pub args: Vec<(Operand, u32)>,
    /// Arguments beyond the named ones.
    pub variadic: Vec<VarArg>,
    /// What receives the results.
    pub results: Vec<Local>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// `dst = left op right`, all of the width of `dst`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Receives the result.
        dst: Local,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// `dst = op value`, both of the width of `dst`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Receives the result.
        dst: Local,
        /// The operand.
        value: Operand,
    },
    /// `dst = left op right`, `dst` one bit.
    Compare {
        /// The operator.
        op: CompareOp,
        /// Receives the result.
        dst: Local,
        /// Width of the operands.
        width: u32,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// `dst = op value`.
    Cast {
        /// The operator.
        op: CastOp,
        /// Receives the result.
        dst: Local,
        /// Width of the operand.
        from: u32,
        /// The operand.
        value: Operand,
    },
    /// `dst` is the bits of `value` from `low` upwards.
    Extract {
        /// Receives the result.
        dst: Local,
        /// Width of the operand.
        from: u32,
        /// The operand.
        value: Operand,
        /// The lowest bit taken.
        low: u32,
    },
    /// `dst` is `high` above `low`.
    Concat {
        /// Receives the result.
        dst: Local,
        /// The upper part.
        high: Operand,
        /// The lower part.
        low: Operand,
        /// Width of the lower part.
        low_width: u32,
    },
    /// `dst` is one of two values.
    Select {
        /// Receives the result.
        dst: Local,
        /// One bit.
        condition: Operand,
        /// If it is 1.
        then: Operand,
        /// If it is 0.
        otherwise: Operand,
    },
    /// A floating-point operator on two numbers.
    FloatBinary {
        /// The operator.
        op: FloatBinaryOp,
        /// The format.
        format: FloatFormat,
        /// Receives the result.
        dst: Local,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// A floating-point operator on one number.
    FloatUnary {
        /// The operator.
        op: FloatUnaryOp,
        /// The format.
        format: FloatFormat,
        /// Receives the result.
        dst: Local,
        /// The operand.
        value: Operand,
    },
    /// `dst = a * b + c`, rounded once.
    FloatFma {
        /// The format.
        format: FloatFormat,
        /// Receives the result.
        dst: Local,
        /// A factor.
        a: Operand,
        /// A factor.
        b: Operand,
        /// What is added.
        c: Operand,
    },
    /// A comparison of floating-point numbers; `dst` one bit.
    FloatCompare {
        /// The comparison.
        op: FloatCompareOp,
        /// The format.
        format: FloatFormat,
        /// Receives the result.
        dst: Local,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// A conversion from or to a floating-point number.
    FloatConvert {
        /// The conversion.
        op: FloatConvertOp,
        /// Receives the result.
        dst: Local,
        /// The operand.
        value: Operand,
    },
    /// `dst` is any value of its width.
    Arbitrary {
        /// Receives the value.
        dst: Local,
    },
    /// Reads little-endian bytes; the width of `dst` is a multiple of 8.
    Load {
        /// Receives the value.
        dst: Local,
        /// Where.
        address: Operand,
    },
    /// Writes little-endian bytes; `width` is a multiple of 8.
    Store {
        /// What.
        value: Operand,
        /// Its width.
        width: u32,
        /// Where.
        address: Operand,
    },
    /// Makes an object on the stack that lives until the function returns.
    Alloca {
        /// Receives its address.
        dst: Local,
        /// Bytes (as wide as a pointer).
        size: Operand,
        /// Its address is a multiple of this power of two.
        align: u64,
    },
    /// A mark of the stack's height.
    StackSave {
        /// Receives it (as wide as a pointer).
        dst: Local,
    },
    /// Ends the objects of this function's frame that were made since a mark.
    StackRestore {
        /// The mark.
        mark: Operand,
    },
    /// Begins or ends the scope of a stack object: outside of it there is nothing to access, and when it
    /// begins again, nothing of the object is written. An object that was just made is in its scope.
    /// At an address where no stack object begins, nothing happens.
    Scope {
        /// Where the object begins.
        address: Operand,
        /// The scope begins; otherwise it ends.
        begins: bool,
    },
    /// Copies bytes. If not `overlapping`, ranges that partly overlap are an error.
    Copy {
        /// Where to.
        to: Operand,
        /// Where from.
        from: Operand,
        /// How many (as wide as a pointer).
        length: Operand,
        /// The ranges may overlap.
        overlapping: bool,
    },
    /// Writes one byte many times.
    Fill {
        /// Where to.
        to: Operand,
        /// 8 bits.
        byte: Operand,
        /// How many (as wide as a pointer).
        length: Operand,
    },
    /// Calls a function.
    Call(Box<Call>),
    /// Makes an x86-64 `va_list` of the present function's variadic arguments.
    VaStart {
        /// Where it goes: 24 bytes.
        list: Operand,
        /// General registers that named parameters took.
        general: u32,
        /// Floating-point registers that named parameters took.
        float: u32,
    },
    /// A condition that must hold.
    Check(Box<Check>),
    /// Reads a machine slot.
    ReadSlot {
        /// Receives the value.
        dst: Local,
        /// The slot.
        slot: SlotId,
    },
    /// Writes a machine slot.
    WriteSlot {
        /// The slot.
        slot: SlotId,
        /// The value, of the slot's width.
        value: Operand,
    },
}

/// A block and what its parameters get.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The block.
    pub block: BlockId,
    /// One value for each of its parameters.
    pub args: Vec<Operand>,
}

/// A choice among many.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    /// What is looked at.
    pub value: Operand,
    /// Its width, at most 64.
    pub width: u32,
    /// Values, each at most once, and where they lead.
    pub cases: Vec<(u64, Target)>,
    /// Where other values lead.
    pub default: Target,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// Goes on in a block.
    Jump(Target),
    /// Goes on in one of two blocks.
    Branch {
        /// One bit.
        condition: Operand,
        /// If it is 1.
        then: Target,
        /// If it is 0.
        otherwise: Target,
    },
    /// Goes on in one of many blocks.
    Switch(Box<Switch>),
    /// Returns from the function.
    Return(Vec<Operand>),
    /// Never reached: a check before it ends every path, or the callee does not return.
    Stop,
}
