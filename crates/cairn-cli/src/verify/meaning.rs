//! What the end of a path says about a property.
//!
//! Only what was asked for counts: a failed assertion is no overflow, and an abort is an end of the program like another. Errors
//! that are neither the violation nor such an end leave open what the program does after them: the property is not
//! decided if there is one.

use cairn_engine::{Finding, FindingKind, REACHED};
use cairn_verify::{Property, Violation};

/// What the end of a path in an error says about the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndMeaning {
    /// It violates the property.
    Violates(Violation),
    /// The program ends there, as it may.
    Ends,
    /// What the program does there is not defined, and not what was asked for.
    Open,
}

/// What an error says about a property.
pub(super) fn of(property: &Property, finding: &Finding) -> EndMeaning {
    let reached = finding.kind == FindingKind::Assertion && finding.message == REACHED;
    match property {
        Property::UnreachCall(_) | Property::CoverCall(_) if reached => {
            EndMeaning::Violates(Violation::Call)
        }
        // Both ranges are there: that they overlap is no access outside of an object.
        Property::MemorySafety(_) if finding.message.contains("overlap") => EndMeaning::Open,
        Property::MemorySafety(rules) => of_memory(rules, finding.kind),
        Property::MemoryCleanup if finding.kind == FindingKind::Leak => {
            EndMeaning::Violates(Violation::Cleanup)
        }
        // Whether a shift that loses bits is an operation out of range, the property leaves open.
        Property::NoOverflow if finding.kind == FindingKind::Overflow => {
            match finding.message.contains("shift") {
                true => EndMeaning::Open,
                false => EndMeaning::Violates(Violation::Overflow),
            }
        }
        Property::UnreachCall(_)
        | Property::CoverCall(_)
        | Property::MemoryCleanup
        | Property::NoOverflow
        | Property::Termination
        | Property::CoverBranches => of_others(finding.kind),
    }
}

fn of_memory(rules: &[Violation], kind: FindingKind) -> EndMeaning {
    let rule = match kind {
        FindingKind::Pointer => Violation::Dereference,
        FindingKind::Free => Violation::Free,
        FindingKind::Leak => Violation::Tracking,
        FindingKind::ReadOnly
        | FindingKind::Overflow
        | FindingKind::Overshift
        | FindingKind::Division
        | FindingKind::Assertion
        | FindingKind::Abort
        | FindingKind::User
        | FindingKind::Execution
        | FindingKind::Unsupported
        | FindingKind::External
        | FindingKind::Model
        | FindingKind::VectorAccess
        | FindingKind::Uninitialised
        | FindingKind::Stack => return of_others(kind),
    };
    match rules.contains(&rule) {
        true => EndMeaning::Violates(rule),
        false => EndMeaning::Open,
    }
}

/// Errors that no property asks for.
fn of_others(kind: FindingKind) -> EndMeaning {
    match kind {
        FindingKind::Assertion | FindingKind::Abort => EndMeaning::Ends,
        FindingKind::Pointer
        | FindingKind::Free
        | FindingKind::ReadOnly
        | FindingKind::Overflow
        | FindingKind::Overshift
        | FindingKind::Division
        | FindingKind::User
        | FindingKind::Execution
        | FindingKind::Unsupported
        | FindingKind::External
        | FindingKind::Model
        | FindingKind::VectorAccess
        | FindingKind::Leak
        | FindingKind::Uninitialised
        | FindingKind::Stack => EndMeaning::Open,
    }
}
