//! The cases of a step: how it may go on.
//!
//! A step that depends on inputs becomes a list of cases: a guard over inputs, and what happens
//! under it. The guards of a step exclude each other and leave nothing out. Features look at the list
//! before anything happens (`features/feature.rs`); then it is committed (`path/commit.rs`).

use crate::finding::Finding;
use crate::gate::ReasonKind;
use crate::memory::sizes::{SizeRequest, Sizing};
use crate::memory::windows::Window;
use crate::omission::Omission;
use crate::path::decisions::Decision;
use cairn_expr::{Model, Term};
use cairn_linux::Classes;
use cairn_memory::{ObjectId, Word};
use std::rc::Rc;

/// What happens in a case.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Goes on after the operation.
    Proceed,
    /// Goes on at a position of the present function.
    GoTo(u32),
    /// Runs the operation again.
    Retry,
    /// Runs it again, knowing the object of an access.
    RetryAccess {
        /// The address.
        address: Term,
        /// Bytes.
        length: u64,
        /// The object.
        object: ObjectId,
        /// The part of it that the access is inside of, if that is known to be smaller.
        window: Option<Window>,
    },
    /// Runs it again, knowing the objects of an access, which are one segment.
    RetrySegment {
        /// The address.
        address: Term,
        /// Bytes.
        length: u64,
        /// The objects that it is inside of one of.
        members: Rc<[ObjectId]>,
        /// Those that belong to the segment from now on, but for the first; the first if that is nothing new.
        joined: Rc<[ObjectId]>,
    },
    /// Runs it again, knowing the value of an address.
    RetryPointer {
        /// The address.
        address: Term,
        /// Its value.
        value: u64,
    },
    /// Runs it again, knowing that a condition holds.
    RetryKnowing {
        /// The condition.
        condition: Term,
    },
    /// Runs it again, knowing that a length is not more than this.
    RetryAtMost {
        /// The length.
        length: Term,
        /// That it is within its limits.
        within: Term,
        /// The most it can be.
        most: u64,
    },
    /// Runs it again, knowing this about a size.
    RetrySize {
        /// The request.
        request: SizeRequest,
        /// What is known.
        sizing: Sizing,
    },
    /// Runs it again, knowing that so many bytes of an object of symbolic size exist.
    RetryWithSize {
        /// The object.
        object: ObjectId,
        /// Bytes.
        known: u64,
    },
    /// Runs it again, knowing a number.
    RetryNumber {
        /// The term.
        term: Term,
        /// Its value.
        value: u64,
    },
    /// Runs it again with a number that is given one of its values.
    RetryChoosingNumber {
        /// The term.
        term: Term,
    },
    /// Runs it again, knowing that an address is in no object, or that a descriptor is not open.
    RetryNowhere {
        /// The address or descriptor.
        address: Term,
        /// A value that stands for all of those.
        value: u64,
    },
    /// Runs it again, knowing in which class of values a number is.
    RetryClass {
        /// The number.
        term: Term,
        /// The classes.
        classes: Box<Classes>,
        /// The first and the last value of its class.
        range: (u64, u64),
    },
    /// Runs it again with bytes that are known now.
    RetryWithBytes {
        /// Where.
        at: Word,
        /// The bytes that are there, as the guard says.
        bytes: Vec<u8>,
    },
    /// Runs it again with bytes that are given one of their values.
    RetryChoosing {
        /// Where.
        at: Word,
        /// How many.
        length: u64,
    },
    /// Goes on after a call with this as its result.
    ReturnValue {
        /// The result.
        value: Word,
        /// How many results the call has.
        results: usize,
        /// What the answer assumes, which is listed: the name of the call, and each assumption.
        assumed: (&'static str, Vec<&'static str>),
    },
    /// Calls the function at an address.
    Call(u64),
    /// Ends the path with an error.
    Error(Box<Finding>),
    /// Ends the path: the program is at its end.
    End {
        /// Its exit code.
        code: i32,
        /// The objects that it lost, which are errors.
        lost: Vec<Finding>,
    },
}

/// What is known about a case.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// Nothing yet.
    Unknown,
    /// It happens under this model of the facts and the guard.
    Feasible(Rc<Model>),
    /// It does not happen; the gate has the reason, if reasons are wanted.
    Infeasible(ReasonKind),
    /// It may happen and is not followed; that is reported, and the run is incomplete.
    Cut(Omission),
    /// The solver was not done within the work that a question may take now: it is asked again later.
    Postponed,
    /// It is not followed on purpose, and not reported as cut. Seeds report what they exclude (`features/seeds.rs`, [`Omission::NoSeed`]);
    /// where the user gave a path nothing is reported, because nothing else was asked for (`keep_given` in `path/commit.rs`).
    Excluded,
}

/// A case of a step.
#[derive(Clone, Debug)]
pub struct Case {
    /// When.
    pub guard: Term,
    /// What happens.
    pub effect: Effect,
    /// What is known about it.
    pub feasibility: Feasibility,
    /// What the log notes when the case is taken.
    pub decision: Decision,
    /// A seed takes this case.
    pub on_seed: bool,
}

impl Case {
    /// A case about which nothing is known.
    pub fn new(guard: Term, effect: Effect, decision: Decision) -> Self {
        Case {
            guard,
            effect,
            feasibility: Feasibility::Unknown,
            decision,
            on_seed: false,
        }
    }

    /// A case that is not followed, which is reported. Its effect never happens.
    pub fn cut(guard: Term, omission: Omission, decision: Decision) -> Self {
        Case {
            feasibility: Feasibility::Cut(omission),
            ..Case::new(guard, Effect::Retry, decision)
        }
    }
}

/// What a step leads to.
pub enum StepOutcome {
    /// The state runs on.
    Go,
    /// It depends.
    Cases(Vec<Case>),
    /// The path is over.
    End(crate::finding::Outcome),
}
