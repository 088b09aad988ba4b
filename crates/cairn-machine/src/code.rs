//! Functions in the form that runs: flat, numbered registers, jumps by position.
//!
//! # Problem
//!
//! Walking the program form costs a lookup per block, operand and constant.
//!
//! # Idea
//!
//! A function is flattened once, when it is first called. Each local of at most 64 bits
//! is a register of its frame; so is each constant, written when the frame is made, so that
//! an operator reads registers only. Block parameters become moves on the edges.
//! `flatten.rs` does it, `edges.rs` the moves; `variables.rs` finds the stack objects that are registers
//! too.
//!
//! - **Rare things** (values of more than 64 bits, unusual operators) keep their instruction of the
//!   program form and run on the slow path (`slow.rs`).
//!
//! # Soundness
//!
//! Operations stand in the order of their instructions. The moves of an edge are ordered so that none reads
//! a register that another has overwritten. Operations are fused and variables moved to registers only
//! under the conditions in `fuse.rs` and `variables.rs`.

use cairn_ir::{
    BinaryOp, Callee, CheckKind, FloatBinaryOp, FloatCompareOp, FuncId, Inst, PlaceId,
    PointerWidth, Symbol, VarClass,
};

/// Bits of the sums that become part of an access: those of programs whose pointers are so wide. With
/// narrower pointers a sum is an operation of its own.
pub(crate) const SUM_BITS: u8 = PointerWidth::Eight.bits() as u8;

/// A register of a frame.
pub(crate) type Reg = u32;

/// Where a local lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalHome {
    /// In a register.
    Register(Reg),
    /// Among the frame's wide values.
    Wide(u32),
}

/// What a register holds when a frame is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Int(u64),
    Address(Symbol, i64),
}

/// A destination and two operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreeRegisters {
    pub dst: Reg,
    pub a: Reg,
    pub b: Reg,
}

/// An operation: 16 bytes. A number beside the registers is the width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FlatOp {
    Add(u8, ThreeRegisters),
    Sub(u8, ThreeRegisters),
    Mul(u8, ThreeRegisters),
    And(u8, ThreeRegisters),
    Or(u8, ThreeRegisters),
    Xor(u8, ThreeRegisters),
    Shl(u8, ThreeRegisters),
    Lshr(u8, ThreeRegisters),
    Ashr(u8, ThreeRegisters),
    /// The other binary operators.
    Divide(BinaryOp, u8, ThreeRegisters),
    Eq(u8, ThreeRegisters),
    Ne(u8, ThreeRegisters),
    Ult(u8, ThreeRegisters),
    Ule(u8, ThreeRegisters),
    Slt(u8, ThreeRegisters),
    Sle(u8, ThreeRegisters),
    // The same, where the next operation is a branch on the result.
    EqBranch(u8, ThreeRegisters),
    NeBranch(u8, ThreeRegisters),
    UltBranch(u8, ThreeRegisters),
    UleBranch(u8, ThreeRegisters),
    SltBranch(u8, ThreeRegisters),
    SleBranch(u8, ThreeRegisters),
    Zext {
        from: u8,
        to: u8,
        dst: Reg,
        value: Reg,
    },
    Sext {
        from: u8,
        to: u8,
        dst: Reg,
        value: Reg,
    },
    Trunc {
        from: u8,
        to: u8,
        dst: Reg,
        value: Reg,
    },
    /// `otherwise` is in the next operation's `Move::value`, which is skipped.
    Select {
        width: u8,
        dst: Reg,
        condition: Reg,
        then: Reg,
    },
    Move {
        dst: Reg,
        value: Reg,
    },
    FloatBinary {
        op: FloatBinaryOp,
        double: bool,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    FloatCompare {
        /// Index into the float comparisons.
        op: u16,
        double: bool,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Control passes a point that can be covered, or is back in its block after a call.
    Cover {
        point: u32,
        is_back: bool,
    },
    /// Control arrives at a block where the thread stops.
    Arrive(u32),
    Arbitrary {
        width: u8,
        dst: Reg,
    },
    Load {
        bytes: u8,
        dst: Reg,
        at: Reg,
    },
    /// Reads at the sum of `a` and `b`.
    LoadAt {
        bytes: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    // The same, where what is read is extended to a width.
    LoadSext {
        bytes: u8,
        to: u8,
        dst: Reg,
        at: Reg,
    },
    LoadSextAt {
        bytes: u8,
        to: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LoadZext {
        bytes: u8,
        to: u8,
        dst: Reg,
        at: Reg,
    },
    LoadZextAt {
        bytes: u8,
        to: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Reads words of one global; index into the runs.
    LoadRun(u32),
    Store {
        bytes: u8,
        value: Reg,
        at: Reg,
    },
    /// Writes at the sum of `a` and `b`.
    StoreAt {
        bytes: u8,
        value: Reg,
        a: Reg,
        b: Reg,
    },
    // The same, of the low bytes of a value of a width.
    StoreLow {
        bytes: u8,
        from: u8,
        value: Reg,
        at: Reg,
    },
    StoreLowAt {
        bytes: u8,
        from: u8,
        value: Reg,
        a: Reg,
        b: Reg,
    },
    /// Writes words of one global; index into the runs.
    StoreRun(u32),
    Alloca {
        align_log2: u8,
        /// It may be read before it is written.
        unwritten: bool,
        dst: Reg,
        size: Reg,
    },
    Check {
        condition: Reg,
        /// Index into the checks.
        check: u32,
    },
    /// A call; index into the calls. `free` is how many instructions before it are no operations of their own and are
    /// counted here; operations that end a block have the same.
    Call {
        free: u16,
        index: u32,
    },
    /// Index into the instructions of the slow path.
    Slow(u32),
    /// Moves wide values: (index of destination, index of source).
    MoveWide {
        dst: u32,
        value: u32,
    },
    Jump {
        free: u16,
        to: u32,
    },
    Branch {
        free: u16,
        condition: Reg,
        then: u32,
        otherwise: u32,
    },
    /// Index into the switches.
    Switch {
        free: u16,
        value: Reg,
        table: u32,
    },
    /// Index into the returns.
    Return {
        free: u16,
        index: u32,
    },
    Stop,
}

/// Words of 8 bytes of one global that are read or written one after the other.
#[derive(Debug)]
pub(crate) struct WordRun {
    /// The register of the global's address.
    pub base: Reg,
    /// The register of each word, and which word of the global it is.
    pub words: Vec<(Reg, u32)>,
    /// Bytes of the global up to the end of the last of them.
    pub length: u32,
}

/// A call's parts.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub callee: Callee,
    /// The register of the callee's address, if it is indirect.
    pub address: Reg,
    pub args: Vec<LocalHome>,
    pub arg_widths: Vec<u32>,
    pub variadic: Vec<(LocalHome, u32, VarClass)>,
    pub results: Vec<LocalHome>,
    pub result_widths: Vec<u32>,
}

/// Where the cases of a switch lead.
#[derive(Debug)]
pub(crate) enum SwitchTable {
    /// Positions of the values from `first` on; `default` where there is none.
    Dense {
        first: u64,
        to: Vec<u32>,
        default: u32,
    },
    /// Sorted values.
    Sparse {
        cases: Vec<(u64, u32)>,
        default: u32,
    },
}

impl SwitchTable {
    #[inline]
    pub(crate) fn target(&self, value: u64) -> u32 {
        match self {
            SwitchTable::Dense { first, to, default } => {
                let at = value.wrapping_sub(*first);
                usize::try_from(at)
                    .ok()
                    .and_then(|at| to.get(at))
                    .copied()
                    .unwrap_or(*default)
            }
            SwitchTable::Sparse { cases, default } => cases
                .binary_search_by_key(&value, |c| c.0)
                .map_or(*default, |at| cases[at].1),
        }
    }
}

/// A function as it runs.
#[derive(Debug)]
pub(crate) struct Code {
    pub function: FuncId,
    pub ops: Vec<FlatOp>,
    /// The place of each operation.
    pub places: Vec<PlaceId>,
    /// The block and instruction that each operation comes from.
    pub points: Vec<(u32, u32)>,
    /// What the registers after those of the locals hold.
    pub constants: Vec<Constant>,
    /// Registers that locals take.
    pub locals: u32,
    /// How many wide values a frame has.
    pub wide: u32,
    /// The registers that are variables, and the bytes of the stack that they take.
    pub variables: Vec<Reg>,
    pub stack_bytes: u64,
    pub homes: Vec<LocalHome>,
    /// The width of each local.
    pub widths: Vec<u32>,
    pub params: Vec<LocalHome>,
    pub calls: Vec<CallSite>,
    pub runs: Vec<WordRun>,
    pub checks: Vec<(CheckKind, Box<str>)>,
    pub float_comparisons: Vec<FloatCompareOp>,
    pub slow: Vec<Inst>,
    pub switches: Vec<SwitchTable>,
    pub returns: Vec<Vec<LocalHome>>,
}
