//! The one program form of Cairn: what front ends lower to and what machines run.
//!
//! A program is functions of blocks over bit-vectors. Blocks have parameters instead of phi
//! instructions. There are no undefined values: what a source language leaves undefined is an
//! explicit check with a kind, or an instruction that makes a value arbitrary. There are no
//! front-end types either: aggregates and vectors are taken apart, pointers are words of the
//! width that the program says ([`PointerWidth`]),
//! floating-point numbers are their bits.
//!
//! Besides the form itself there are its [text], the [verifier](verify) that says which
//! programs make sense, and the [analyses](analysis) that machines and searchers ask for. `program.rs` has what a
//! program consists of, `inst.rs` the instructions, `visit.rs` walks over operands, `link.rs` puts programs together.

#![forbid(unsafe_code)]

pub mod analysis;
mod ids;
mod inst;
mod link;
mod program;
pub mod text;
pub mod verify;
mod visit;

pub use cairn_bv::PointerWidth;
pub use ids::{BlockId, FuncId, GlobalId, Local, PlaceId, SlotId};
pub use inst::{
    BinaryOp, Call, Callee, CastOp, Check, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp,
    FloatConvertOp, FloatFormat, FloatUnaryOp, Inst, Operand, Switch, Symbol, Target, Terminator,
    UnaryOp, VarArg, VarClass,
};
pub use link::LinkError;
pub use program::{
    Block, Body, Content, Function, Global, Prefix, Program, ProgramDifference, Relocation, Slot,
    SourcePlace,
};
