//! What was decided on a path about values that are terms.
//!
//! An operation that needs to know something (the object of an access, a number, a size) is run
//! again once that is decided, and finds the answer here. Answers follow from the path's facts, so
//! they stay true, for objects as long as they live; only the last few are kept, because most are
//! asked for at once. Values of pointers are kept longer (`pointers.rs`).

use crate::sizes::{SizeRequest, Sizing};
use crate::space::{Open, Space, Trouble};
use crate::value::{Symbolic, Value};
use crate::windows::Window;
use cairn_expr::Term;
use cairn_memory::{ObjectId, Word};

/// One answer.
#[derive(Clone)]
pub(crate) enum Settled {
    Access {
        address: Term,
        length: u64,
        object: ObjectId,
        window: Option<Window>,
    },
    Number {
        term: Term,
        value: u64,
    },
    AtMost {
        within: Term,
        most: u64,
    },
    Size {
        request: SizeRequest,
        sizing: Sizing,
    },
    /// An address is in no object; a value that stands for all of those.
    Nowhere {
        address: Term,
        value: u64,
    },
}

/// How many decisions are remembered: a system call has six arguments, an address is decided in two
/// steps.
const REMEMBERED: usize = 16;

impl Space {
    fn settle(&mut self, settled: Settled) {
        if self.settled.len() == REMEMBERED {
            self.settled.remove(0);
        }
        self.settled.push(settled);
    }

    /// From now on an access by this address is to this object, and inside of it or of a part of it.
    pub fn settle_access(
        &mut self,
        address: &Term,
        length: u64,
        object: ObjectId,
        window: Option<Window>,
    ) {
        self.settle(Settled::Access {
            address: address.clone(),
            length,
            object,
            window,
        });
    }

    /// From now on a term has this value.
    pub fn settle_number(&mut self, term: &Term, value: u64) {
        self.settle(Settled::Number {
            term: term.clone(),
            value,
        });
    }

    /// From now on a length is within its limits, and at most this.
    pub fn settle_at_most(&mut self, within: &Term, most: u64) {
        self.settle(Settled::AtMost {
            within: within.clone(),
            most,
        });
    }

    /// The most that a length can be, if it was decided that it is within these limits.
    pub(crate) fn settled_at_most(&self, wanted: &Term) -> Option<u64> {
        self.settled.iter().rev().find_map(|s| match s {
            Settled::AtMost { within, most } if within == wanted => Some(*most),
            Settled::AtMost { .. }
            | Settled::Access { .. }
            | Settled::Number { .. }
            | Settled::Nowhere { .. }
            | Settled::Size { .. } => None,
        })
    }

    /// From now on an address is in no object, and this value stands for it.
    pub fn settle_nowhere(&mut self, address: &Term, value: u64) {
        self.settle(Settled::Nowhere {
            address: address.clone(),
            value,
        });
    }

    /// The operation that asked for addresses is done.
    pub fn forget_nowhere(&mut self) {
        let is_nowhere = |s: &Settled| matches!(s, Settled::Nowhere { .. });
        if self.settled.iter().any(is_nowhere) {
            self.settled.retain(|s| !is_nowhere(s));
        }
    }

    /// From now on this is known about a size.
    pub fn settle_size(&mut self, request: SizeRequest, sizing: Sizing) {
        self.settle(Settled::Size { request, sizing });
    }

    /// What was decided about a size.
    pub(crate) fn settled_size(&self, wanted: &SizeRequest) -> Option<Sizing> {
        self.settled.iter().rev().find_map(|s| match s {
            Settled::Size { request, sizing } if request == wanted => Some(*sizing),
            Settled::Size { .. }
            | Settled::AtMost { .. }
            | Settled::Access { .. }
            | Settled::Nowhere { .. }
            | Settled::Number { .. } => None,
        })
    }

    /// The object of an access that was decided. If it has ended, another may have its place and
    /// addresses; and a pointer into another object may have the same address, which is for that
    /// object to judge.
    pub(crate) fn settled_access(
        &self,
        symbolic: &Symbolic,
        bytes: u64,
    ) -> Option<(ObjectId, Option<Window>)> {
        let any = symbolic.object.is_none() || self.reaches_any;
        let is_meant = |object: ObjectId| {
            let live = self.memory.extent(Word { bits: 0, object }).is_ok();
            live && (any || object == symbolic.object)
        };
        self.settled.iter().rev().find_map(|s| match s {
            Settled::Access {
                address,
                length,
                object,
                window,
            } if *address == symbolic.term && *length >= bytes && is_meant(*object) => {
                Some((*object, *window))
            }
            Settled::Access { .. }
            | Settled::Number { .. }
            | Settled::AtMost { .. }
            | Settled::Nowhere { .. }
            | Settled::Size { .. } => None,
        })
    }

    /// A number that must be known.
    pub fn number(&self, value: &Value) -> Result<Word, Trouble> {
        let symbolic = match value {
            Value::Word(word) => return Ok(*word),
            Value::Symbolic(symbolic) => symbolic,
        };
        let wanted = symbolic.bits(&self.tools.store);
        let known = self.settled.iter().rev().find_map(|s| match s {
            Settled::Number { term, value } if *term == wanted => Some(*value),
            Settled::Number { .. }
            | Settled::Access { .. }
            | Settled::AtMost { .. }
            | Settled::Nowhere { .. }
            | Settled::Size { .. } => None,
        });
        match known {
            Some(bits) => Ok(Word {
                bits,
                object: symbolic.object,
            }),
            None => Err(Trouble::Open(Open::Number { term: wanted })),
        }
    }
}
