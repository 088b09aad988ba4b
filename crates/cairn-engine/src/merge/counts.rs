//! What is counted of merging.

use crate::explore::shared::Shared;
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// Why states were not merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeRefusal {
    /// They are at different places, or in different calls.
    Place,
    /// Different objects are live in one place, or more than one of these differences is there.
    Objects,
    /// Some made objects that others did not make.
    Made,
    /// Objects of some have ended in others.
    Ended,
    /// Their stacks differ.
    Stack,
    /// An object of unknown size differs, or the sizes do.
    Sizes,
    /// Too much of memory differs.
    Large,
    /// A pointer is to different objects.
    Pointers,
    /// Bytes that differ cannot be read.
    Unreadable,
    /// Different inputs were made.
    Inputs,
    /// The same bytes of an input are divided in different ways.
    Division,
    /// The system, or what a library keeps, is in different states.
    System,
    /// Values were chosen that differ.
    Chosen,
    /// What the host answered, or clocks showed, differs.
    Answers,
    /// Their facts do not tell them apart.
    NotApart,
    /// A call that may return twice is in the function.
    Setjmp,
    /// Something else of the states differs.
    Other,
}

impl MergeRefusal {
    /// Its name in the summary.
    pub fn name(self) -> &'static str {
        match self {
            MergeRefusal::Place => "place",
            MergeRefusal::Objects => "objects",
            MergeRefusal::Made => "made",
            MergeRefusal::Ended => "ended",
            MergeRefusal::Stack => "stack",
            MergeRefusal::Sizes => "sizes",
            MergeRefusal::Large => "large",
            MergeRefusal::Pointers => "pointers",
            MergeRefusal::Unreadable => "unreadable",
            MergeRefusal::Inputs => "inputs",
            MergeRefusal::Division => "division",
            MergeRefusal::System => "system",
            MergeRefusal::Chosen => "chosen",
            MergeRefusal::Answers => "answers",
            MergeRefusal::NotApart => "not-apart",
            MergeRefusal::Setjmp => "setjmp",
            MergeRefusal::Other => "other",
        }
    }
}

/// How a member left its group without getting to where it closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WentBy {
    /// Its path ended: an error, the program's end, or a cut.
    End,
    /// Its call was left by a jump.
    Jump,
    /// It went to another worker, or was set aside.
    Departure,
    /// It did not wait until its group closed.
    Release,
}

impl WentBy {
    /// Its name in the summary.
    pub fn name(self) -> &'static str {
        match self {
            WentBy::End => "ended",
            WentBy::Jump => "jumped",
            WentBy::Departure => "departed",
            WentBy::Release => "released",
        }
    }
}

/// What happened to groups and members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    /// Groups that were opened.
    pub groups: u64,
    /// States that came of several.
    pub merges: u64,
    /// Paths that are no more because others go on for them.
    pub merged: u64,
    /// Merges of states whose memories differ.
    pub differing_memories: u64,
    /// Pairs of states that were not merged, by reason.
    pub refused: BTreeMap<MergeRefusal, u64>,
    /// Members that did not get to where their group closes.
    pub left: BTreeMap<WentBy, u64>,
    /// Merges that were made again, of paths that had been moved or set aside.
    pub again: u64,
    /// Merges of states in which an object on the heap differs.
    pub differing_heaps: u64,
    /// Claims about merges that were proved with another solver.
    pub proved: u64,
    /// Those that it did not decide.
    pub undecided: u64,
    /// Those that do not hold.
    pub flawed: Vec<String>,
}

impl MergeCounts {
    /// Adds those of another worker.
    pub fn add(&mut self, other: &MergeCounts) {
        self.groups += other.groups;
        self.merges += other.merges;
        self.merged += other.merged;
        self.differing_memories += other.differing_memories;
        self.differing_heaps += other.differing_heaps;
        self.again += other.again;
        for (refusal, count) in &other.refused {
            *self.refused.entry(*refusal).or_default() += count;
        }
        for (went, count) in &other.left {
            *self.left.entry(*went).or_default() += count;
        }
        self.proved += other.proved;
        self.undecided += other.undecided;
        self.flawed.extend(other.flawed.iter().cloned());
    }

    pub(crate) fn refuse(&mut self, why: MergeRefusal) {
        *self.refused.entry(why).or_default() += 1;
    }

    pub(crate) fn leave(&mut self, how: WentBy) {
        *self.left.entry(how).or_default() += 1;
    }
}

/// Adds what a worker merged.
pub(crate) fn add_merges(shared: &Shared, counts: &MergeCounts) {
    for flaw in &counts.flawed {
        shared.note_bug(&format!("a merge does not hold: {flaw}"));
    }
    let mut all = shared.merges.lock().unwrap_or_else(PoisonError::into_inner);
    all.add(counts);
}

/// What was merged.
pub(crate) fn merges_of(shared: &Shared) -> MergeCounts {
    let all = shared.merges.lock().unwrap_or_else(PoisonError::into_inner);
    all.clone()
}
