//! What was decided on a path about values that are terms: answers, not the cases that the path took (`path/decisions.rs`).
//!
//! An operation that needs to know something (the object of an access, a number, a size) is run
//! again once that is decided, and finds the answer here. Answers follow from the path's facts, so
//! they stay true, for objects as long as they live; only the last few are kept, because most are
//! asked for at once. Values of pointers are kept longer (`memory/pointers.rs`).
//!
//! Each answer is kept with the condition that it follows from. An operation that uses an answer relies on that
//! condition, and tells so ([`crate::values::worker_context::WorkerContext::rely_on`]): the reason why the other answers are
//! impossible. Where the condition is more than the guard of a case it is complete only if reasons are wanted.

use crate::memory::sizes::{SizeRequest, Sizing};
use crate::memory::windows::Window;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_linux::Classes;
use cairn_memory::{ObjectId, Word};
use std::rc::Rc;

/// One answer.
#[derive(Clone)]
pub(crate) enum Decided {
    Access {
        address: Term,
        length: u64,
        object: ObjectId,
        window: Option<Window>,
    },
    /// An access is inside of one of some objects.
    Segment {
        address: Term,
        length: u64,
        members: Rc<[ObjectId]>,
    },
    /// A condition holds.
    Holds {
        condition: Term,
    },
    Number {
        term: Term,
        value: u64,
    },
    /// A length is within its limits and at most this. Both are what it is known by: limits that hold for
    /// any input are the same condition for all lengths.
    AtMost {
        length: Term,
        within: Term,
        most: u64,
    },
    Size {
        request: SizeRequest,
        sizing: Sizing,
    },
    /// An address is in no object, or a descriptor is not open; a value that stands for all of those.
    Nowhere {
        address: Term,
        value: u64,
    },
    /// In which class of values a number is.
    Class {
        term: Term,
        classes: Box<Classes>,
        range: (u64, u64),
    },
}

/// An answer, and the condition that it follows from.
#[derive(Clone)]
pub(crate) struct DecidedAnswer {
    answer: Decided,
    because: Term,
}

/// How many answers are remembered: a system call has six arguments, an address is decided in two
/// steps.
const REMEMBERED: usize = 16;

impl SymbolicDomain {
    /// From now on this is the answer, because of a condition that holds on the path.
    pub(crate) fn remember_answer(&mut self, answer: Decided, because: &Term) {
        if self.decided.len() == REMEMBERED {
            self.decided.remove(0);
        }
        self.decided.push(DecidedAnswer {
            answer,
            because: because.clone(),
        });
    }

    /// The conditions that all answers follow from, of those here and of pointers.
    pub(crate) fn answers_follow_from(&self) -> impl Iterator<Item = &Term> {
        let own = self.decided.iter().map(|decided| &decided.because);
        own.chain(self.pointers.follow_from())
    }

    /// What the newest answers are about, of those here and of pointers: the numbers of terms.
    pub(crate) fn newest_answers(&self) -> (u32, u32) {
        let about = self.decided.last().map(|decided| match &decided.answer {
            Decided::Access { address, .. }
            | Decided::Segment { address, .. }
            | Decided::Nowhere { address, .. } => address,
            Decided::Number { term, .. } | Decided::Class { term, .. } => term,
            Decided::AtMost { length, .. } => length,
            Decided::Holds { condition } => condition,
            Decided::Size { request, .. } => &request.term,
        });
        let pointer = self.pointers.newest();
        (about.map_or(0, Term::id), pointer.map_or(0, Term::id))
    }

    /// The newest answer that fits.
    fn find_decided<T>(&self, fits: impl Fn(&Decided) -> Option<T>) -> Option<T> {
        self.decided.iter().rev().find_map(|decided| {
            let found = fits(&decided.answer)?;
            self.cx.rely_on(&decided.because);
            Some(found)
        })
    }

    /// The most that a length can be, if it was decided that it is within these limits.
    pub(crate) fn decided_at_most(&self, asked: &Term, limits: &Term) -> Option<u64> {
        self.find_decided(|answer| match answer {
            Decided::AtMost {
                length,
                within,
                most,
            } if length == asked && within == limits => Some(*most),
            Decided::AtMost { .. }
            | Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::Number { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// The value that stands for an address in no object, if that was decided.
    pub(crate) fn decided_nowhere(&self, asked: &Term) -> Option<u64> {
        self.find_decided(|answer| match answer {
            Decided::Nowhere { address, value } if address == asked => Some(*value),
            Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::Number { .. }
            | Decided::AtMost { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// The class that a number is in, if that was decided.
    pub(crate) fn decided_class(&self, asked: &Term, by: &Classes) -> Option<(u64, u64)> {
        self.find_decided(|answer| match answer {
            Decided::Class {
                term,
                classes,
                range,
            } if term == asked && **classes == *by => Some(*range),
            Decided::Class { .. }
            | Decided::Nowhere { .. }
            | Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::Number { .. }
            | Decided::AtMost { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// The operation is done that asked for addresses in no object or for classes of numbers: those answers were for it alone.
    pub fn forget_nowhere_and_classes(&mut self) {
        let is_for_one_operation = |decided: &DecidedAnswer| {
            matches!(
                decided.answer,
                Decided::Nowhere { .. } | Decided::Class { .. }
            )
        };
        if self.decided.iter().any(is_for_one_operation) {
            self.decided
                .retain(|decided| !is_for_one_operation(decided));
        }
    }

    /// What was decided about a size.
    pub(crate) fn decided_size(&self, asked: &SizeRequest) -> Option<Sizing> {
        self.find_decided(|answer| match answer {
            Decided::Size { request, sizing } if request == asked => Some(*sizing),
            Decided::Size { .. }
            | Decided::AtMost { .. }
            | Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Number { .. } => None,
        })
    }

    /// The object of an access that was decided. If it has ended, another may have its place and
    /// addresses; and a pointer into another object may have the same address, which is for that
    /// object to judge.
    pub(crate) fn decided_access(
        &self,
        symbolic: &Symbolic,
        bytes: u64,
    ) -> Option<(ObjectId, Option<Window>)> {
        let any = symbolic.object.object_unknown() || self.reaches_any;
        let is_meant = |object: ObjectId| {
            let live = self.memory.info(Word { bits: 0, object }).is_ok();
            live && (any || object == symbolic.object)
        };
        self.find_decided(|answer| match answer {
            Decided::Access {
                address,
                length,
                object,
                window,
            } if *address == symbolic.term && *length >= bytes && is_meant(*object) => {
                Some((*object, *window))
            }
            Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::Number { .. }
            | Decided::AtMost { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// The objects of which an access is inside of one, if that was decided and all of them live.
    pub(crate) fn decided_segment(
        &self,
        symbolic: &Symbolic,
        bytes: u64,
    ) -> Option<Rc<[ObjectId]>> {
        let is_live = |object: &ObjectId| {
            let (bits, object) = (0, *object);
            self.memory.info(Word { bits, object }).is_ok()
        };
        self.find_decided(|answer| match answer {
            Decided::Segment {
                address,
                length,
                members,
            } if *address == symbolic.term && *length >= bytes && members.iter().all(is_live) => {
                Some(Rc::clone(members))
            }
            Decided::Segment { .. }
            | Decided::Access { .. }
            | Decided::Holds { .. }
            | Decided::Number { .. }
            | Decided::AtMost { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// Whether it was decided that a condition holds.
    pub(crate) fn decided_holds(&self, asked: &Term) -> bool {
        let holds = |answer: &Decided| match answer {
            Decided::Holds { condition } => (condition == asked).then_some(()),
            Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Number { .. }
            | Decided::AtMost { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Size { .. } => None,
        };
        self.find_decided(holds).is_some()
    }

    /// The value of a term, if it was decided.
    pub(crate) fn decided_number(&self, asked: &Term) -> Option<u64> {
        self.find_decided(|answer| match answer {
            Decided::Number { term, value } if term == asked => Some(*value),
            Decided::Number { .. }
            | Decided::Access { .. }
            | Decided::Segment { .. }
            | Decided::Holds { .. }
            | Decided::AtMost { .. }
            | Decided::Nowhere { .. }
            | Decided::Class { .. }
            | Decided::Size { .. } => None,
        })
    }

    /// A number that must be known.
    pub fn number(&self, value: &Value) -> Result<Word, AccessError> {
        let symbolic = match value {
            Value::Word(word) => return Ok(*word),
            Value::Symbolic(symbolic) => symbolic,
        };
        let asked = symbolic.bits(&self.cx.store);
        let known = self.decided_number(&asked);
        match known {
            Some(bits) => Ok(Word {
                bits,
                object: symbolic.object,
            }),
            None => Err(AccessError::Undecided(Undecided::Number { term: asked })),
        }
    }
}
