//! Which programs make sense.
//!
//! Machines and analyses rely on a verified program instead of checking again. Each rule has a
//! name, [`VerifierRule`], that errors carry; these are all of them.
//!
//! Tables:
//!
//! 1. [`FirstEntries`](VerifierRule::FirstEntries): the lists of files, names and places start with what
//!    [`Program::new`](crate::Program::new) puts there: empty, empty and unknown.
//! 2. [`PlaceEntry`](VerifierRule::PlaceEntry): a place's file and function are entries of their lists.
//! 3. [`PlaceChain`](VerifierRule::PlaceChain): where a place was inlined is a place, and following that
//!    comes to an end.
//! 4. [`PlaceRange`](VerifierRule::PlaceRange): the place of a global, function, instruction or terminator
//!    is in the list of places.
//! 5. [`UniqueName`](VerifierRule::UniqueName): no two functions or globals have one name.
//! 6. [`StartFunction`](VerifierRule::StartFunction): constructors and destructors are functions without
//!    parameters.
//! 7. [`Width`](VerifierRule::Width): every width, of locals, slots, parameters, results or operands, is
//!    at least 1 and at most [`BitVec::MAX_WIDTH`].
//! 8. [`SymbolRange`](VerifierRule::SymbolRange): every function, global and slot that is referred to
//!    exists.
//!
//! Globals:
//!
//! 9. [`Align`](VerifierRule::Align): alignments (of globals, `alloca` and variadic arguments in memory)
//!    are powers of two.
//! 10. [`ContentSize`](VerifierRule::ContentSize): the first bytes are not more than the global's size.
//! 11. [`RelocationRange`](VerifierRule::RelocationRange): the bytes of an address, as many as a pointer has,
//!     and the 1 to 8 bytes of a difference, are inside the global.
//! 12. [`RelocationOverlap`](VerifierRule::RelocationOverlap): addresses and differences do not overlap.
//!
//! Functions:
//!
//! 13. [`NoBlocks`](VerifierRule::NoBlocks): a body has a block.
//! 14. [`EntryParams`](VerifierRule::EntryParams): the entry's parameters have the widths of the function's.
//! 15. [`EntryTarget`](VerifierRule::EntryTarget): nothing jumps to the entry.
//! 16. [`BlockRange`](VerifierRule::BlockRange): targets are blocks of the body.
//! 17. [`LocalRange`](VerifierRule::LocalRange): locals are locals of the body.
//! 18. [`DefinedOnce`](VerifierRule::DefinedOnce): every local of the body is defined exactly once, by a
//!     parameter of a block or by an instruction.
//! 19. [`Dominance`](VerifierRule::Dominance): a definition dominates every use of it. Uses in blocks that
//!     are not reached from the entry are exempt.
//!
//! Operands and results:
//!
//! 20. [`OperandWidth`](VerifierRule::OperandWidth): a local has the width of the place it is used at.
//! 21. [`IntConstant`](VerifierRule::IntConstant): a constant of one word is used at a width of at most 64
//!     bits, and fits.
//! 22. [`WideConstant`](VerifierRule::WideConstant): a wide constant is used at its own width, which is
//!     more than 64 bits.
//! 23. [`AddressWidth`](VerifierRule::AddressWidth): an address is used at the width of a pointer.
//! 24. [`ResultWidth`](VerifierRule::ResultWidth): a result has the width that its instruction gives: 1 for
//!     comparisons, a pointer's for `alloca` and `stack_save`, the format's for numbers, the
//!     slot's, the integer's that is converted to.
//!
//! Instructions:
//!
//! 25. [`CastWidths`](VerifierRule::CastWidths): extensions make wider, truncations narrower.
//! 26. [`ExtractRange`](VerifierRule::ExtractRange): the extracted bits are bits of the operand.
//! 27. [`ConcatWidths`](VerifierRule::ConcatWidths): the lower part is narrower than the whole.
//! 28. [`WholeBytes`](VerifierRule::WholeBytes): what is loaded, stored or byte-swapped is whole bytes.
//! 29. [`CallArgs`](VerifierRule::CallArgs): a direct call gives as many arguments as the callee has
//!     parameters, of their widths.
//! 30. [`CallResults`](VerifierRule::CallResults): a direct call takes the callee's results, in number and
//!     widths.
//! 31. [`CallVariadic`](VerifierRule::CallVariadic): variadic arguments are given to variadic functions
//!     only; one that is the address of bytes is as wide as a pointer.
//! 32. [`VaStart`](VerifierRule::VaStart): `va_start` stands in a variadic function of a program
//!     with pointers of 8 bytes, and counts at most the
//!     6 general and 8 floating-point registers that there are.
//! 33. [`SwitchWidth`](VerifierRule::SwitchWidth): a switch looks at not more than 64 bits, and its cases
//!     fit.
//! 34. [`SwitchCases`](VerifierRule::SwitchCases): its cases are distinct.
//! 35. [`TargetArgs`](VerifierRule::TargetArgs): a target gets as many values as the block has parameters
//!     (their widths are rules 20 to 23).
//! 36. [`ReturnCount`](VerifierRule::ReturnCount): a return gives as many values as the function has
//!     results.
//!
//! Prefixes:
//!
//! 37. [`Prefix`](VerifierRule::Prefix): what stands before a function has 1 to
//!     [`MOST`](crate::Prefix::MOST) bytes, and a function has one prefix at most.

mod body;
mod inst;
mod tables;

use std::fmt;

use cairn_bv::BitVec;
use thiserror::Error;

use crate::{BlockId, PlaceId, Program, Symbol};

/// The rules; the module's text says what each asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerifierRule {
    /// Rule 1. The tables start with the empty and the unknown.
    FirstEntries,
    /// Rule 2. Places name files and functions that there are.
    PlaceEntry,
    /// Rule 3. Inlining ends.
    PlaceChain,
    /// Rule 4. Places are in the list.
    PlaceRange,
    /// Rule 5. Names are unique.
    UniqueName,
    /// Rule 6. Constructors and destructors have no parameters.
    StartFunction,
    /// Rule 7. Widths are possible.
    Width,
    /// Rule 8. Functions, globals and slots exist.
    SymbolRange,
    /// Rule 9. Alignments are powers of two.
    Align,
    /// Rule 10. Bytes fit their global.
    ContentSize,
    /// Rule 11. Addresses are inside their global.
    RelocationRange,
    /// Rule 12. Addresses do not overlap.
    RelocationOverlap,
    /// Rule 13. Bodies have blocks.
    NoBlocks,
    /// Rule 14. The entry's parameters are the function's.
    EntryParams,
    /// Rule 15. Nothing jumps to the entry.
    EntryTarget,
    /// Rule 16. Targets exist.
    BlockRange,
    /// Rule 17. Locals exist.
    LocalRange,
    /// Rule 18. Locals are defined exactly once.
    DefinedOnce,
    /// Rule 19. Definitions dominate uses.
    Dominance,
    /// Rule 20. Locals have the width they are used at.
    OperandWidth,
    /// Rule 21. Constants of one word fit.
    IntConstant,
    /// Rule 22. Wide constants have the width they are used at.
    WideConstant,
    /// Rule 23. Addresses are as wide as a pointer.
    AddressWidth,
    /// Rule 24. Results have the width of their instruction.
    ResultWidth,
    /// Rule 25. Casts go the right way.
    CastWidths,
    /// Rule 26. Extracted bits exist.
    ExtractRange,
    /// Rule 27. Parts are smaller than the whole.
    ConcatWidths,
    /// Rule 28. Memory has whole bytes.
    WholeBytes,
    /// Rule 29. Calls give what the callee takes.
    CallArgs,
    /// Rule 30. Calls take what the callee gives.
    CallResults,
    /// Rule 31. Variadic arguments are for variadic functions.
    CallVariadic,
    /// Rule 32. Variadic arguments are read where there are some.
    VaStart,
    /// Rule 33. Switches look at a word.
    SwitchWidth,
    /// Rule 34. Cases are distinct.
    SwitchCases,
    /// Rule 35. Jumps give what the block takes.
    TargetArgs,
    /// Rule 36. Returns give what the function says.
    ReturnCount,
    /// Rule 37. What stands before a function fits there.
    Prefix,
}

/// Where in a program something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The thing: "function `main`", "global `table`", "place p3".
    pub subject: String,
    /// The block, in a function.
    pub block: Option<BlockId>,
    /// The instruction of the block; its length for the terminator.
    pub inst: Option<usize>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        if let Some(block) = self.block {
            write!(f, ", {block}")?;
        }
        if let Some(inst) = self.inst {
            write!(f, ", instruction {inst}")?;
        }
        Ok(())
    }
}

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{location}: {message} ({rule:?})")]
pub struct VerifyError {
    /// The rule.
    pub rule: VerifierRule,
    /// Where.
    pub location: Location,
    /// How.
    pub message: String,
}

/// Checks a program against all rules.
///
/// # Errors
/// Everything that was found, in the order of the program.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    tables::check(program, &mut errors);
    for function in &program.functions {
        if let Some(body) = &function.body {
            body::check(program, function, body, &mut errors);
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

fn is_width(width: u32) -> bool {
    (1..=BitVec::MAX_WIDTH).contains(&width)
}

fn has_symbol(program: &Program, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Global(id) => id.index() < program.globals.len(),
        Symbol::Function(id) => id.index() < program.functions.len(),
    }
}

fn has_place(program: &Program, place: PlaceId) -> bool {
    place.index() < program.places.len()
}
