//! The decisions of a path: all that is needed to run it again. Not: what operations find of them (`path/decided.rs`).
//!
//! A step that depends on inputs goes on in one of several cases. Given the same decisions, the
//! machine does the same, so a path can be given to another worker, or set aside, as its list of
//! decisions. A copy shares what was decided before it was made.

use cairn_memory::ObjectId;
use std::rc::Rc;

const _: () = assert!(size_of::<Decision>() <= 16, "there are many");

/// What was decided at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The case of this number was taken.
    Case(u32),
    /// The object was accessed.
    Object(ObjectId),
    /// The object was accessed, of which only the first bytes of a word exist.
    ObjectPartly(ObjectId),
    /// A part of a large object was accessed.
    Part {
        /// The object's place in the table of objects.
        slot: u32,
        /// How far the part is from the object's beginning.
        offset: u64,
    },
    /// The access that was decided before this is inside of these bytes. It is no step of its own.
    Window {
        /// How many.
        size: u32,
        /// The address of the first.
        address: u64,
    },
    /// The access that was decided before this is to a segment that this object belongs to. It is no step of its own.
    Member(ObjectId),
    /// The function at this address was called.
    Call(u64),
    /// A term has this value.
    Is(u64),
    /// A term does not have this value.
    IsNot(u64),
    /// The outcome of the step does not depend on uninitialised memory. It is the only step of a path of which that was decided
    /// about a term with this structural hash, so that a path that is run again takes it there and nowhere else.
    NoUse(u64),
}

impl Decision {
    /// The object of a segment, if it is one.
    pub(crate) fn member(self) -> Option<ObjectId> {
        match self {
            Decision::Member(object) => Some(object),
            Decision::Case(_)
            | Decision::Object(_)
            | Decision::ObjectPartly(_)
            | Decision::Part { .. }
            | Decision::Window { .. }
            | Decision::Call(_)
            | Decision::Is(_)
            | Decision::IsNot(_)
            | Decision::NoUse(_) => None,
        }
    }

    /// The value that was decided about: that a term has it, or has it not.
    pub fn value(self) -> Option<u64> {
        match self {
            Decision::Is(value) | Decision::IsNot(value) => Some(value),
            Decision::Case(_)
            | Decision::Object(_)
            | Decision::ObjectPartly(_)
            | Decision::Part { .. }
            | Decision::Window { .. }
            | Decision::Member(_)
            | Decision::Call(_)
            | Decision::NoUse(_) => None,
        }
    }
}

/// A decision in the log of a path, and whether another case was possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoggedDecision {
    /// What was decided.
    pub decision: Decision,
    /// Another case was possible too.
    pub forked: bool,
}

struct Stretch {
    before: Option<Rc<Stretch>>,
    steps: Vec<LoggedDecision>,
}

/// Decisions from the start of a path.
#[derive(Clone, Default)]
pub struct Decisions {
    before: Option<Rc<Stretch>>,
    /// After those: what only this path decided.
    own: Vec<LoggedDecision>,
}

impl Decisions {
    /// Adds a decision.
    pub fn push(&mut self, decision: Decision, forked: bool) {
        self.own.push(LoggedDecision { decision, forked });
    }

    /// Makes copies share what is decided now.
    pub fn share(&mut self) {
        if self.own.is_empty() {
            return;
        }
        self.before = Some(Rc::new(Stretch {
            before: self.before.take(),
            steps: std::mem::take(&mut self.own),
        }));
    }

    /// All decisions, oldest first.
    pub fn to_vec(&self) -> Vec<LoggedDecision> {
        let mut stretches = Vec::new();
        let mut at = &self.before;
        while let Some(stretch) = at {
            stretches.push(stretch);
            at = &stretch.before;
        }
        let before = stretches.iter().rev().flat_map(|s| s.steps.iter());
        before.chain(&self.own).copied().collect()
    }
}

impl Drop for Stretch {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(rc) = next {
            match Rc::into_inner(rc) {
                Some(mut stretch) => next = stretch.before.take(),
                None => break,
            }
        }
    }
}
