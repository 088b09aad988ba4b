//! The operators a term can have after canonicalisation.
//!
//! SMT-LIB has more operators than this; the others (or, xor, bvsub, bvuge, rotate, …) are
//! constructors in `build/derived.rs` that are expressed by these. Fewer node kinds means that
//! every later procedure (gates, value sets, printers) has fewer cases to be right about.
//!
//! **To add an operator**: a variant and its row in [`Op::info`]; then the compiler leads through
//! the exhaustive matches (evaluation, gates, printers, other core solvers).

use crate::{Sort, Symbol, Table};
use cairn_bv::BitVec;
use std::sync::Arc;

/// The object whose beginning a term names, and where that is on the path of the term. Two objects that
/// had the same address one after the other are two bases.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Base {
    /// Its identity on its path: paths that made the same objects in the same order agree on it.
    pub birth: u64,
    /// Its first address, which is the value of the term.
    pub address: u64,
    /// The most bytes that it can have.
    pub capacity: u64,
    /// The alignment that it was asked for with.
    pub alignment: u64,
    /// Where it lives.
    pub kind: BaseKind,
}

/// Where an object lives that a term names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BaseKind {
    /// On the heap.
    Heap,
    /// On the stack.
    Stack,
    /// It is a global variable.
    Global,
    /// It is a constant.
    Constant,
    /// It is memory that the system gave.
    Mapped,
    /// It is memory of the system.
    Kernel,
}

/// The operator of a term, with what it carries besides its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant.
    Const(BitVec),
    /// Where an object begins: a constant of 64 bits that is not computed with. What is made of it
    /// holds wherever the object is, unless it looks at the value.
    Base(Arc<Base>),
    /// A free symbol; the sort is the node's.
    Symbol(Arc<Symbol>),
    /// An array with given content.
    Table(Arc<Table>),
    /// Boolean negation.
    Not,
    /// Boolean conjunction. Disjunction is `not (and (not a) (not b))`.
    And,
    /// Equality of two operands of one sort.
    Eq,
    /// If-then-else, any sort.
    Ite,
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Addition modulo 2^w.
    BvAdd,
    /// Multiplication modulo 2^w.
    BvMul,
    /// Unsigned division; by zero all ones.
    BvUdiv,
    /// Unsigned remainder; by zero the dividend.
    BvUrem,
    /// Signed division, truncating.
    BvSdiv,
    /// Signed remainder, sign of the dividend.
    BvSrem,
    /// Signed remainder, sign of the divisor.
    BvSmod,
    /// Shift left.
    BvShl,
    /// Logical shift right.
    BvLshr,
    /// Arithmetic shift right.
    BvAshr,
    /// Concatenation; the first operand is the high part.
    Concat,
    /// Bits `hi` down to `lo`.
    Extract {
        /// Highest bit taken.
        hi: u32,
        /// Lowest bit taken.
        lo: u32,
    },
    /// Zero extension by that many bits.
    ZeroExtend(u32),
    /// Sign extension by that many bits.
    SignExtend(u32),
    /// Unsigned less-than. `a <= b` is `not (b < a)`.
    BvUlt,
    /// Signed less-than.
    BvSlt,
    /// The array that holds its operand everywhere.
    ConstArray {
        /// Width of an index.
        index: u32,
    },
    /// Reading an array.
    Select,
    /// An array with one element replaced.
    Store,
}

/// A row of the operator table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The name SMT-LIB gives it (indices aside).
    pub name: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Whether the two operands may be exchanged.
    pub commutative: bool,
    /// A small stable number, part of the structural hash.
    pub code: u64,
}

const fn row(name: &'static str, arity: usize, commutative: bool, code: u64) -> OpInfo {
    OpInfo {
        name,
        arity,
        commutative,
        code,
    }
}

impl Op {
    /// The operator's row in the table.
    #[inline]
    pub fn info(&self) -> OpInfo {
        match self {
            Op::Bool(_) => row("bool", 0, false, 1),
            Op::Const(_) => row("const", 0, false, 2),
            Op::Base(_) => row("base", 0, false, 33),
            Op::Symbol(_) => row("symbol", 0, false, 3),
            Op::Table(_) => row("table", 0, false, 4),
            Op::Not => row("not", 1, false, 5),
            Op::And => row("and", 2, true, 6),
            Op::Eq => row("=", 2, true, 7),
            Op::Ite => row("ite", 3, false, 8),
            Op::BvNot => row("bvnot", 1, false, 9),
            Op::BvNeg => row("bvneg", 1, false, 10),
            Op::BvAnd => row("bvand", 2, true, 11),
            Op::BvOr => row("bvor", 2, true, 12),
            Op::BvXor => row("bvxor", 2, true, 13),
            Op::BvAdd => row("bvadd", 2, true, 14),
            Op::BvMul => row("bvmul", 2, true, 15),
            Op::BvUdiv => row("bvudiv", 2, false, 16),
            Op::BvUrem => row("bvurem", 2, false, 17),
            Op::BvSdiv => row("bvsdiv", 2, false, 18),
            Op::BvSrem => row("bvsrem", 2, false, 19),
            Op::BvSmod => row("bvsmod", 2, false, 20),
            Op::BvShl => row("bvshl", 2, false, 21),
            Op::BvLshr => row("bvlshr", 2, false, 22),
            Op::BvAshr => row("bvashr", 2, false, 23),
            Op::Concat => row("concat", 2, false, 24),
            Op::Extract { .. } => row("extract", 1, false, 25),
            Op::ZeroExtend(_) => row("zero_extend", 1, false, 26),
            Op::SignExtend(_) => row("sign_extend", 1, false, 27),
            Op::BvUlt => row("bvult", 2, false, 28),
            Op::BvSlt => row("bvslt", 2, false, 29),
            Op::ConstArray { .. } => row("const", 1, false, 30),
            Op::Select => row("select", 2, false, 31),
            Op::Store => row("store", 3, false, 32),
        }
    }

    /// The sort of this operator applied to operands of the given sorts, or what is wrong.
    /// Leaves carry their sort themselves and are not asked.
    pub fn result_sort(&self, args: &[Sort]) -> Result<Sort, crate::SortError> {
        use Sort::{Array, BitVec as Bv, Bool};
        let wrong = |expected: &str| crate::SortError {
            operator: self.info().name.to_string(),
            expected: expected.to_string(),
            found: args
                .iter()
                .map(|s| s.to_string())
                .collect::<Vec<_>>()
                .join(" "),
        };
        match (self, args) {
            (Op::Not, [Bool]) | (Op::And, [Bool, Bool]) => Ok(Bool),
            (Op::Not | Op::And, _) => Err(wrong("Booleans")),
            (Op::Eq, [a, b]) if a == b => Ok(Bool),
            (Op::Eq, _) => Err(wrong("two operands of the same sort")),
            (Op::Ite, [Bool, a, b]) if a == b => Ok(*a),
            (Op::Ite, _) => Err(wrong("a Boolean and two operands of the same sort")),
            (Op::BvNot | Op::BvNeg, [Bv(w)]) => Ok(Bv(*w)),
            (Op::BvNot | Op::BvNeg, _) => Err(wrong("one bit-vector")),
            (
                Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvSmod
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr,
                [Bv(a), Bv(b)],
            ) if a == b => Ok(Bv(*a)),
            (Op::BvUlt | Op::BvSlt, [Bv(a), Bv(b)]) if a == b => Ok(Bool),
            (
                Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvSmod
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr
                | Op::BvUlt
                | Op::BvSlt,
                _,
            ) => Err(wrong("two bit-vectors of the same width")),
            (Op::Concat, [Bv(a), Bv(b)])
                if u64::from(*a) + u64::from(*b) <= u64::from(BitVec::MAX_WIDTH) =>
            {
                Ok(Bv(a + b))
            }
            (Op::Concat, _) => Err(wrong("two bit-vectors (of at most 2^20 bits together)")),
            (Op::Extract { hi, lo }, [Bv(w)]) if lo <= hi && hi < w => Ok(Bv(hi - lo + 1)),
            (Op::Extract { hi, lo }, _) => {
                Err(wrong(&format!("a bit-vector with bits {hi} down to {lo}")))
            }
            (Op::ZeroExtend(n) | Op::SignExtend(n), [Bv(w)])
                if u64::from(*w) + u64::from(*n) <= u64::from(BitVec::MAX_WIDTH) =>
            {
                Ok(Bv(w + n))
            }
            (Op::ZeroExtend(_) | Op::SignExtend(_), _) => {
                Err(wrong("one bit-vector (of at most 2^20 bits extended)"))
            }
            (Op::ConstArray { index }, [Bv(v)]) if (1..=BitVec::MAX_WIDTH).contains(index) => {
                Ok(Array {
                    index: *index,
                    value: *v,
                })
            }
            (Op::ConstArray { .. }, _) => {
                Err(wrong("one bit-vector (and an index of 1 to 2^20 bits)"))
            }
            (Op::Select, [Array { index, value }, Bv(i)]) if i == index => Ok(Bv(*value)),
            (Op::Select, _) => Err(wrong("an array and an index of its index width")),
            (Op::Store, [Array { index, value }, Bv(i), Bv(v)]) if i == index && v == value => {
                Ok(args[0])
            }
            (Op::Store, _) => Err(wrong("an array, an index and a value of its widths")),
            (Op::Bool(_) | Op::Const(_) | Op::Base(_) | Op::Symbol(_) | Op::Table(_), _) => {
                Err(wrong("no operands"))
            }
        }
    }
}
