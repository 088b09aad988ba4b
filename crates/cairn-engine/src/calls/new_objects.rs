//! Objects that functions of the C library make: which they are, and what they hold.

use crate::values::symbolic_domain::{SymbolicDomain, Unwritten};
use cairn_bv::BitVec;
use cairn_machine::AnyValue;
use cairn_memory::{Fault, Word};

/// Functions that make objects whose content is uninitialised.
pub(crate) const MAKERS: &[&str] = &[
    "malloc",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
];

/// For a function that makes an object: how many bytes of it were there before the call, whose first argument is
/// given. `None` if the function makes none, or if new objects are zeros.
pub(crate) fn bytes_kept(domain: &SymbolicDomain, name: &str, first: Option<Word>) -> Option<u64> {
    if domain.unwritten == Unwritten::Zero {
        return None;
    }
    match name {
        "realloc" | "reallocarray" => {
            let before = first.map(|at| domain.memory.info(at));
            Some(before.and_then(Result::ok).map_or(0, |info| info.size))
        }
        "posix_memalign" => Some(0),
        _ => MAKERS.contains(&name).then_some(0),
    }
}

/// Makes the content of a new object uninitialised, but for the bytes that it keeps.
pub(crate) fn leave_unwritten(
    domain: &mut SymbolicDomain,
    name: &str,
    first: Option<Word>,
    answer: &[AnyValue<Word, BitVec>],
    kept: u64,
) -> Result<(), Fault> {
    let Some(made) = new_object(domain, name, first, answer)? else {
        return Ok(());
    };
    let size = domain.memory.info(made)?.size;
    let rest = Word {
        bits: made.bits + kept.min(size),
        ..made
    };
    domain.leave_unwritten(rest, size.saturating_sub(kept))
}

/// What a function made, which it returns or puts where its first argument says.
pub(crate) fn new_object(
    domain: &SymbolicDomain,
    name: &str,
    first: Option<Word>,
    answer: &[AnyValue<Word, BitVec>],
) -> Result<Option<Word>, Fault> {
    let made = match (name, answer.first()) {
        ("posix_memalign", Some(AnyValue::Value(Word { bits: 0, .. })) | None) => match first {
            Some(at) => domain.memory.load_pointer(at)?,
            None => return Ok(None),
        },
        ("posix_memalign", Some(_)) | (_, Some(AnyValue::Wide(_)) | None) => return Ok(None),
        (_, Some(AnyValue::Value(at))) => *at,
    };
    Ok((made.bits != 0).then_some(made))
}
