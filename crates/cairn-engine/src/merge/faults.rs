//! Ways to break merging, for the test that each of them is seen ([`crate::Config::merge_fault`]).

/// An obligation of a merge that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeFault {
    /// A choice takes its first value, whatever its condition.
    NoGuard,
    /// A choice has the value of another member.
    OtherMember,
    /// The merged facts are those of one member.
    FactsOfOne,
    /// The merged facts are only what all members share.
    SharedFacts,
    /// One of the registers that differ is not merged.
    SkipsRegister,
    /// One of the places in memory that differ is not merged.
    SkipsMemory,
    /// What ended on other paths is not noted.
    ObjectsOfOne,
    /// Numbers of symbols, divisions of inputs and hidden symbols are those of one member.
    OriginsOfOne,
    /// Counters are those of one member.
    CountersOfOne,
    /// Objects on the stack that terms may point into are those of one member.
    StackPointersOfOne,
    /// Answers that were decided on one path stay.
    KeepsDecided,
    /// Values of pointers that were decided on one path stay.
    KeepsPointers,
    /// Conditions that hold on one path stay.
    KeepsKnown,
    /// Offsets that are inside on one path stay.
    KeepsOffsets,
    /// Values of bytes that are left on one path stay.
    KeepsBytes,
    /// Inputs that one path fixes stay.
    KeepsFixedInputs,
    /// The model is of no member.
    OtherModel,
}

impl MergeFault {
    /// All of them.
    pub const ALL: [MergeFault; 17] = [
        MergeFault::NoGuard,
        MergeFault::OtherMember,
        MergeFault::FactsOfOne,
        MergeFault::SharedFacts,
        MergeFault::SkipsRegister,
        MergeFault::SkipsMemory,
        MergeFault::ObjectsOfOne,
        MergeFault::OriginsOfOne,
        MergeFault::CountersOfOne,
        MergeFault::StackPointersOfOne,
        MergeFault::KeepsDecided,
        MergeFault::KeepsPointers,
        MergeFault::KeepsKnown,
        MergeFault::KeepsOffsets,
        MergeFault::KeepsBytes,
        MergeFault::KeepsFixedInputs,
        MergeFault::OtherModel,
    ];
}
