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

/// Paths that became one: the decisions of each, in the order in which they were merged.
pub(crate) struct Join {
    pub members: Vec<Decisions>,
}

/// Decisions from the start of a path, or since it became one with others.
#[derive(Clone, Default)]
pub struct Decisions {
    /// What it began with, if not with the program.
    start: Option<Rc<Join>>,
    before: Option<Rc<Stretch>>,
    /// After those: what only this path decided.
    own: Vec<LoggedDecision>,
    /// Stop points and marks that it arrived at since the last decision: they tell where it is, if it waits.
    arrivals: u32,
}

impl Decisions {
    /// Of a path that goes on for several.
    pub(crate) fn of_join(members: Vec<Decisions>) -> Decisions {
        Decisions {
            start: Some(Rc::new(Join { members })),
            ..Decisions::default()
        }
    }

    /// The paths that it goes on for.
    pub(crate) fn start(&self) -> Option<&Rc<Join>> {
        self.start.as_ref()
    }

    /// The path arrived at a stop point or a mark.
    pub(crate) fn note_arrival(&mut self) {
        self.arrivals += 1;
    }

    /// How often it did since the last decision.
    pub(crate) fn arrivals(&self) -> u32 {
        self.arrivals
    }

    /// Adds a decision.
    pub fn push(&mut self, decision: Decision, forked: bool) {
        self.arrivals = 0;
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

    /// All decisions since the start, oldest first.
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

impl Drop for Join {
    /// Frees a long row of joins without recursion.
    fn drop(&mut self) {
        let starts = |join: &mut Join| {
            let members = join.members.iter_mut();
            members
                .filter_map(|member| member.start.take())
                .collect::<Vec<_>>()
        };
        let mut work = starts(self);
        while let Some(next) = work.pop() {
            if let Some(mut join) = Rc::into_inner(next) {
                work.extend(starts(&mut join));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_row_of_joins_is_freed() {
        let mut last = Decisions::default();
        for _ in 0..200_000 {
            last = Decisions::of_join(vec![last.clone(), last]);
        }
        assert!(last.start().is_some_and(|join| join.members.len() == 2));
    }

    #[test]
    fn arrivals_are_counted_from_the_last_decision() {
        let mut path = Decisions::default();
        path.note_arrival();
        path.push(Decision::Case(1), true);
        path.note_arrival();
        path.note_arrival();
        assert_eq!((path.arrivals(), path.to_vec().len()), (2, 1));
        let merged = Decisions::of_join(vec![path.clone(), path]);
        assert_eq!((merged.arrivals(), merged.to_vec().len()), (0, 0));
    }
}
