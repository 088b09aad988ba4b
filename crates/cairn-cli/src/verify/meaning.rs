//! What the end of a path says about a property.
//!
//! Only what was asked for counts: a failed assertion is no overflow, and an abort is an end of the program like another. Errors
//! that are neither the violation nor such an end leave open what the program does behind them: the property is not
//! decided if there is one.

use cairn_engine::{Finding, Kind, REACHED};
use cairn_verify::{Property, Violation};

/// What the end of a path in an error says about the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It violates the property.
    Violates(Violation),
    /// The program ends there, as it may.
    Ends,
    /// What the program does there is not defined, and not what was asked for.
    Open,
}

/// What an error says about a property.
pub(super) fn of(property: &Property, finding: &Finding) -> Meaning {
    let reached = finding.kind == Kind::Assertion && finding.message == REACHED;
    match property {
        Property::UnreachCall(_) | Property::CoverCall(_) if reached => {
            Meaning::Violates(Violation::Call)
        }
        // Both ranges are there: that they overlap is no access outside of an object.
        Property::MemorySafety(_) if finding.message.contains("overlap") => Meaning::Open,
        Property::MemorySafety(rules) => of_memory(rules, finding.kind),
        Property::MemoryCleanup if finding.kind == Kind::Leak => {
            Meaning::Violates(Violation::Cleanup)
        }
        // Whether a shift that loses bits is an operation out of range, the property leaves open.
        Property::NoOverflow if finding.kind == Kind::Overflow => {
            match finding.message.contains("shift") {
                true => Meaning::Open,
                false => Meaning::Violates(Violation::Overflow),
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

fn of_memory(rules: &[Violation], kind: Kind) -> Meaning {
    let rule = match kind {
        Kind::Pointer => Violation::Dereference,
        Kind::Free => Violation::Free,
        Kind::Leak => Violation::Tracking,
        Kind::ReadOnly
        | Kind::Overflow
        | Kind::Overshift
        | Kind::Division
        | Kind::Assertion
        | Kind::Abort
        | Kind::User
        | Kind::Execution
        | Kind::Unsupported
        | Kind::External
        | Kind::Model
        | Kind::VectorAccess
        | Kind::Uninitialised
        | Kind::Stack => return of_others(kind),
    };
    match rules.contains(&rule) {
        true => Meaning::Violates(rule),
        false => Meaning::Open,
    }
}

/// Errors that no property asks for.
fn of_others(kind: Kind) -> Meaning {
    match kind {
        Kind::Assertion | Kind::Abort => Meaning::Ends,
        Kind::Pointer
        | Kind::Free
        | Kind::ReadOnly
        | Kind::Overflow
        | Kind::Overshift
        | Kind::Division
        | Kind::User
        | Kind::Execution
        | Kind::Unsupported
        | Kind::External
        | Kind::Model
        | Kind::VectorAccess
        | Kind::Leak
        | Kind::Uninitialised
        | Kind::Stack => Meaning::Open,
    }
}
