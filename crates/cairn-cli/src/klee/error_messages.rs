//! What KLEE says for each kind of error.
//!
//! Scripts look for KLEE's words, so `cairn klee` prints those in place of our own, which say more; our
//! own stand in the `.err` file. The table is tried in order; the first row of the kind whose
//! words occur in our message is taken.

use cairn_engine::{Finding, Kind};

/// Kind, words of our message (none: any message), KLEE's message (none: our own).
const ROWS: &[(Kind, &str, Option<&str>)] = &[
    // What the undefined-behaviour sanitiser found has its own names.
    (Kind::Division, "sanitiser", Some("integer-divide-by-zero")),
    (Kind::Overshift, "sanitiser", Some("invalid-shift-exponent")),
    (
        Kind::Overflow,
        "sanitiser: shift",
        Some("invalid-shift-base"),
    ),
    (
        Kind::Overflow,
        "unsigned overflow: found by the sanitiser",
        Some("unsigned-integer-overflow"),
    ),
    (Kind::Pointer, "misaligned", Some("misaligned-pointer-use")),
    (
        Kind::Pointer,
        "out of bounds: found by the sanitiser: type mismatch",
        Some("insufficient-object-size"),
    ),
    (
        Kind::Pointer,
        "sanitiser: type mismatch",
        Some("null-pointer-use"),
    ),
    (
        Kind::Pointer,
        "sanitiser: nonnull arg",
        Some("invalid-null-argument"),
    ),
    (
        Kind::Pointer,
        "sanitiser: nonnull return",
        Some("invalid-null-return"),
    ),
    (
        Kind::Pointer,
        "sanitiser: out of bounds",
        Some("out-of-bounds-index"),
    ),
    (
        Kind::Execution,
        "sanitiser: load invalid value",
        Some("invalid-bool-load"),
    ),
    (
        Kind::Execution,
        "sanitiser: float cast overflow",
        Some("float-cast-overflow"),
    ),
    (
        Kind::Execution,
        "sanitiser: vla bound not positive",
        Some("non-positive-vla-index"),
    ),
    (
        Kind::Execution,
        "sanitiser: builtin unreachable",
        Some("unreachable-call"),
    ),
    (
        Kind::Execution,
        "sanitiser: missing return",
        Some("missing-return"),
    ),
    (
        Kind::Pointer,
        "null pointer",
        Some("memory error: null page access"),
    ),
    (
        Kind::Pointer,
        "which has ended",
        Some("memory error: use after free"),
    ),
    (
        Kind::Pointer,
        "",
        Some("memory error: out of bound pointer"),
    ),
    (Kind::ReadOnly, "", Some("memory error: object read only")),
    (Kind::Free, "stack object", Some("free of alloca")),
    (Kind::Free, "global object", Some("free of global")),
    (Kind::Free, "constant object", Some("free of global")),
    (Kind::Free, "", Some("memory error: invalid pointer: free")),
    (Kind::Division, "", Some("divide by zero")),
    (Kind::Overshift, "", Some("overshift error")),
    (
        Kind::Overflow,
        "division",
        Some("integer division overflow"),
    ),
    (
        Kind::Overflow,
        "unsigned",
        Some("unsigned-integer-overflow"),
    ),
    (Kind::Overflow, "pointer", Some("pointer-overflow")),
    (Kind::Overflow, "", Some("signed-integer-overflow")),
    (Kind::Assertion, "", None),
    (Kind::Abort, "", Some("abort failure")),
    (Kind::User, "", None),
    (
        Kind::Execution,
        "never reached",
        Some("reached \"unreachable\" instruction"),
    ),
    (Kind::Execution, "", None),
    (Kind::External, "", None),
    (Kind::Model, "", None),
    (Kind::Leak, "", None),
    (Kind::Uninitialised, "", None),
    (Kind::Stack, "", Some("memory error: stack overflow")),
];

/// KLEE's message of a finding.
pub fn message(finding: &Finding) -> &str {
    let row = ROWS
        .iter()
        .find(|(kind, words, _)| *kind == finding.kind && finding.message.contains(words));
    row.and_then(|(_, _, message)| *message)
        .unwrap_or(&finding.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn klee(kind: Kind, message_of_ours: &str) -> String {
        let finding = Finding {
            kind,
            message: message_of_ours.to_string(),
            trace: Vec::new(),
        };
        message(&finding).to_string()
    }

    #[test]
    fn kinds_are_told_apart_by_our_words() {
        let outside = "access of 4 bytes at 0x10 outside of the heap object";
        assert_eq!(
            klee(Kind::Pointer, outside),
            "memory error: out of bound pointer"
        );
        let null = "access of 1 byte at the null pointer (0x0)";
        assert_eq!(klee(Kind::Pointer, null), "memory error: null page access");
        assert_eq!(
            klee(Kind::Free, "free of 0x1, which was freed before"),
            "memory error: invalid pointer: free"
        );
        assert_eq!(
            klee(Kind::Assertion, "ASSERTION FAIL: x"),
            "ASSERTION FAIL: x"
        );
    }
}
