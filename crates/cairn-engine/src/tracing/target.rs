//! Which bytes an access of a traced stretch is to, and what they came from.

use super::cells::CoarseCell;
use super::domain::{Traced, TracingDomain};
use super::sources::Sources;
use super::stretch::Untraceable;
use crate::memory::members;
use crate::values::value::{Symbolic, Value};
use cairn_memory::{ObjectId, Word};

/// Which bytes an access is to.
#[derive(Clone, Copy)]
pub(super) enum TraceTarget {
    /// These.
    At(ObjectId, u64),
    /// Some of these.
    Within(ObjectId, u64, u64),
    /// None that are known: the access does not happen.
    Nowhere,
}

/// Bytes that one operation may read or write.
pub(super) const MOST_BYTES: u64 = 1 << 16;

impl TracingDomain {
    /// Which bytes an access is to; what decides that is required.
    pub(super) fn target(&mut self, at: &Traced<Value>, length: u64) -> TraceTarget {
        self.require(at);
        if length > MOST_BYTES {
            self.trace().give_up(Untraceable::Large);
            return TraceTarget::Nowhere;
        }
        let word = match &at.value {
            Value::Word(word) => *word,
            Value::Symbolic(symbolic) => {
                self.trace().require_coarse(CoarseCell::Decided);
                if !self.inner.sizes.is_empty() {
                    self.trace().give_up(Untraceable::SymbolicSize);
                    return TraceTarget::Nowhere;
                }
                match self.inner.pointers.find(&symbolic.term) {
                    Some((bits, _)) => Word {
                        bits,
                        object: symbolic.object,
                    },
                    None => return self.decided_target(symbolic, length),
                }
            }
        };
        self.trace().require_object(word.object);
        let Ok(info) = self.inner.memory.info(word) else {
            return TraceTarget::Nowhere;
        };
        if word.object.object_unknown() || self.inner.reaches_any {
            // It is found by its address.
            self.trace().require_coarse(CoarseCell::Layout);
            self.trace().require_object(info.object);
        }
        match word.bits.checked_sub(info.address) {
            Some(offset) if offset.saturating_add(length) <= info.capacity => {
                TraceTarget::At(info.object, offset)
            }
            Some(_) | None => TraceTarget::Nowhere,
        }
    }

    /// The same by an address whose object was decided.
    fn decided_target(&mut self, at: &Symbolic, length: u64) -> TraceTarget {
        let Some((object, window)) = self.inner.decided_access(at, length) else {
            if members::is_choice(&self.inner, at) {
                self.trace().give_up(Untraceable::Choice);
            }
            self.trace().require_object(at.object);
            return TraceTarget::Nowhere;
        };
        self.trace().require_object(object);
        let Ok(info) = self.inner.memory.info(Word { bits: 0, object }) else {
            return TraceTarget::Nowhere;
        };
        let part = window.map_or(info, |window| window.of(&info));
        if part.capacity > MOST_BYTES {
            self.trace().give_up(Untraceable::Large);
            return TraceTarget::Nowhere;
        }
        TraceTarget::Within(object, part.address - info.address, part.capacity)
    }

    /// What the bytes of an access came from.
    pub(super) fn read(&mut self, target: TraceTarget, length: u64) -> Sources {
        let trace = self.trace();
        match target {
            TraceTarget::At(object, offset) => {
                trace.shadow.read(&mut trace.sets, object, offset, length)
            }
            TraceTarget::Within(object, offset, size) => {
                trace.shadow.read(&mut trace.sets, object, offset, size)
            }
            TraceTarget::Nowhere => Sources::NONE,
        }
    }

    /// Bytes were written.
    pub(super) fn wrote(&mut self, target: TraceTarget, length: u64, from: Sources) {
        let trace = self.trace();
        match target {
            TraceTarget::At(object, offset) => trace.shadow.write(object, offset, length, from),
            TraceTarget::Within(object, offset, size) => {
                let sets = &mut trace.sets;
                trace.shadow.write_some(sets, object, offset, size, from);
            }
            TraceTarget::Nowhere => {}
        }
    }
}
