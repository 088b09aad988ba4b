//! The functions of the software verification competition on known values.

use super::{Ending, NativeCall, NativeFamily, NativeResult};
use cairn_bv::BitVec;
use cairn_memory::Word;

/// Rows of the table: each type's own function gives an object named after it.
macro_rules! inputs {
    ($($suffix:literal $bytes:literal),* $(,)?) => {
        pub(super) const FUNCTIONS: NativeFamily = &[
            $((
                concat!("__VERIFIER_nondet_", $suffix),
                |call| input(call, concat!("nondet_", $suffix), $bytes),
            ),)*
            ("__VERIFIER_assume", assume),
            ("__VERIFIER_error", error),
            ("reach_error", error),
            ("__VERIFIER_assert", assert),
            ("__VERIFIER_atomic_begin", nothing),
            ("__VERIFIER_atomic_end", nothing),
        ];
    };
}

inputs! {
    "bool" 1, "_Bool" 1, "char" 1, "uchar" 1, "schar" 1, "unsigned_char" 1, "u8" 1, "S8" 1,
    "short" 2, "ushort" 2, "unsigned_short" 2, "u16" 2,
    "int" 4, "uint" 4, "unsigned" 4, "unsigned_int" 4, "u32" 4, "float" 4, "sector_t" 8,
    "long" 8, "ulong" 8, "unsigned_long" 8, "longlong" 8, "ulonglong" 8, "u64" 8, "size_t" 8,
    "loff_t" 8, "pointer" 8, "pchar" 8, "double" 8, "pthread_t" 8, "int128" 16, "uint128" 16,
}

fn input(call: &mut NativeCall<'_>, name: &str, bytes: u64) -> NativeResult {
    let value = call.input_number(&format!("__VERIFIER_{name}"), name, bytes)?;
    if matches!(name, "nondet_bool" | "nondet__Bool") && value > 1 {
        return Err(Ending::Assumption(format!(
            "{name} is {value}, which is no value of its type"
        )));
    }
    call.wide_result = Some(BitVec::from_u128(128, value));
    Ok(Word::int(value as u64))
}

fn assume(call: &mut NativeCall<'_>) -> NativeResult {
    if call.bits(0) == 0 {
        let what = "a condition that __VERIFIER_assume was given is false";
        return Err(Ending::Assumption(what.to_string()));
    }
    Ok(Word::int(0))
}

fn error(_: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::ErrorCall("the error call was reached".to_string()))
}

fn assert(call: &mut NativeCall<'_>) -> NativeResult {
    if call.bits(0) == 0 {
        let what = "ASSERTION FAIL: __VERIFIER_assert";
        return Err(Ending::ErrorCall(what.to_string()));
    }
    Ok(Word::int(0))
}

fn nothing(_: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(0))
}
