//! What KLEE says for each kind of error.
//!
//! Scripts look for KLEE's words, so `cairn klee` prints those in place of our own, which say more; our
//! own stand in the `.err` file. The table is tried in order; the first row of the kind whose
//! words occur in our message is taken.

use cairn_engine::{Finding, FindingKind};

/// Kind, words of our message (none: any message), KLEE's message (none: our own).
const ROWS: &[(FindingKind, &str, Option<&str>)] = &[
    // What the undefined-behaviour sanitiser found has its own names.
    (
        FindingKind::Division,
        "sanitiser",
        Some("integer-divide-by-zero"),
    ),
    (
        FindingKind::Overshift,
        "sanitiser",
        Some("invalid-shift-exponent"),
    ),
    (
        FindingKind::Overflow,
        "sanitiser: shift",
        Some("invalid-shift-base"),
    ),
    (
        FindingKind::Overflow,
        "unsigned overflow: found by the sanitiser",
        Some("unsigned-integer-overflow"),
    ),
    (
        FindingKind::Pointer,
        "misaligned",
        Some("misaligned-pointer-use"),
    ),
    (
        FindingKind::Pointer,
        "out of bounds: found by the sanitiser: type mismatch",
        Some("insufficient-object-size"),
    ),
    (
        FindingKind::Pointer,
        "sanitiser: type mismatch",
        Some("null-pointer-use"),
    ),
    (
        FindingKind::Pointer,
        "sanitiser: nonnull arg",
        Some("invalid-null-argument"),
    ),
    (
        FindingKind::Pointer,
        "sanitiser: nonnull return",
        Some("invalid-null-return"),
    ),
    (
        FindingKind::Pointer,
        "sanitiser: out of bounds",
        Some("out-of-bounds-index"),
    ),
    (
        FindingKind::Execution,
        "sanitiser: load invalid value",
        Some("invalid-bool-load"),
    ),
    (
        FindingKind::Execution,
        "sanitiser: float cast overflow",
        Some("float-cast-overflow"),
    ),
    (
        FindingKind::Execution,
        "sanitiser: vla bound not positive",
        Some("non-positive-vla-index"),
    ),
    (
        FindingKind::Execution,
        "sanitiser: builtin unreachable",
        Some("unreachable-call"),
    ),
    (
        FindingKind::Execution,
        "sanitiser: missing return",
        Some("missing-return"),
    ),
    (
        FindingKind::Pointer,
        "null pointer",
        Some("memory error: null page access"),
    ),
    (
        FindingKind::Pointer,
        "which has ended",
        Some("memory error: use after free"),
    ),
    (
        FindingKind::Pointer,
        "",
        Some("memory error: out of bound pointer"),
    ),
    (
        FindingKind::ReadOnly,
        "",
        Some("memory error: object read only"),
    ),
    (FindingKind::Free, "stack object", Some("free of alloca")),
    (FindingKind::Free, "global object", Some("free of global")),
    (FindingKind::Free, "constant object", Some("free of global")),
    (
        FindingKind::Free,
        "",
        Some("memory error: invalid pointer: free"),
    ),
    (FindingKind::Division, "", Some("divide by zero")),
    (FindingKind::Overshift, "", Some("overshift error")),
    (
        FindingKind::Overflow,
        "division",
        Some("integer division overflow"),
    ),
    (
        FindingKind::Overflow,
        "unsigned",
        Some("unsigned-integer-overflow"),
    ),
    (FindingKind::Overflow, "pointer", Some("pointer-overflow")),
    (FindingKind::Overflow, "", Some("signed-integer-overflow")),
    (FindingKind::Assertion, "", None),
    (FindingKind::Abort, "", Some("abort failure")),
    (FindingKind::User, "", None),
    (
        FindingKind::Execution,
        "never reached",
        Some("reached \"unreachable\" instruction"),
    ),
    (FindingKind::Execution, "", None),
    (FindingKind::External, "", None),
    (FindingKind::Model, "", None),
    (FindingKind::Leak, "", None),
    (FindingKind::Uninitialised, "", None),
    (FindingKind::Stack, "", Some("memory error: stack overflow")),
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

    fn klee(kind: FindingKind, message_of_ours: &str) -> String {
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
            klee(FindingKind::Pointer, outside),
            "memory error: out of bound pointer"
        );
        let null = "access of 1 byte at the null pointer (0x0)";
        assert_eq!(
            klee(FindingKind::Pointer, null),
            "memory error: null page access"
        );
        assert_eq!(
            klee(FindingKind::Free, "free of 0x1, which was freed before"),
            "memory error: invalid pointer: free"
        );
        assert_eq!(
            klee(FindingKind::Assertion, "ASSERTION FAIL: x"),
            "ASSERTION FAIL: x"
        );
    }
}
