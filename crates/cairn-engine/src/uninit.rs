//! Uses of values that nobody wrote (`--check uninit`).
//!
//! - **Problem.** Reading memory that was never written is no error as long as nothing depends on
//!   it: structures are copied with their padding.
//! - **Idea.** Unwritten bytes and undefined values are symbols of their own (`origins.rs`). What a
//!   path does depends on them where a branch, a switch, an address, a length or the argument of a
//!   library function mentions one. That is reported, and ends the path.
//! - **Soundness.** Terms are simplified when they are made, so a term that mentions a symbol almost
//!   always depends on it; `y & 0` does not mention `y`. What a term does not mention it does not
//!   depend on, so nothing is missed but what floating-point arithmetic narrowed before, which the
//!   summary lists.
//! - **Machine code** reads whole words and looks at some of their bytes, so a term may mention what it does
//!   not depend on. There the solver says whether the outcome can be another one if what nobody wrote is
//!   something else. Only heap objects begin unwritten: nothing says where variables on the stack are.
//! - **Cost.** A walk over the term of each such decision; nothing if the check is off.

use crate::cases::Next;
use crate::finding::Kind;
use crate::gate::{OnReplay, Verdict};
use crate::intrinsics::Call;
use crate::omission::Omission;
use crate::sizes::SizeRequest;
use crate::space::{Open, Space, Trouble};
use crate::state::State;
use crate::value::{Value, Wide};
use crate::worker::Worker;
use cairn_expr::{Substitution, Symbol, Term, symbols_of};
use cairn_machine::{Any, Stop, StopOf};
use cairn_memory::{Cell, Extent, OriginId, Part, Word};

/// Objects larger than this are not searched for the bytes that a finding is about.
const SEARCHED_BYTES: u64 = 1 << 20;

/// Bytes of a library call's range that are looked at.
const EXAMINED_BYTES: u64 = 1 << 12;

impl Worker<'_> {
    /// The finding of a stop whose outcome depends on something that nobody wrote.
    pub(crate) fn unwritten_decision(
        &mut self,
        state: &State,
        stop: &StopOf<Space>,
    ) -> Option<Next> {
        if !self.shared.config.check_uninit {
            return None;
        }
        match stop {
            Stop::Branch { condition, .. } => self.unwritten_value(state, "a branch", condition),
            Stop::Switch { value, .. } => self.unwritten_value(state, "a switch", value),
            Stop::CallOpen { address } => {
                self.unwritten_value(state, "the address of a call", address)
            }
            // Troubles come from other places too: `unwritten_open`.
            Stop::Fault(_)
            | Stop::Limit
            | Stop::Arrived(_)
            | Stop::Returned(_)
            | Stop::CheckOpen { .. }
            | Stop::CheckFailed { .. }
            | Stop::External { .. }
            | Stop::Env { .. }
            | Stop::WrongType { .. }
            | Stop::Dead => None,
        }
    }

    /// The finding of an operation that must know something that nobody wrote.
    pub(crate) fn unwritten_open(&mut self, state: &State, open: &Open) -> Option<Next> {
        match open {
            Open::Access { address, .. } | Open::Address { address, .. } => {
                self.unwritten_use(state, "the address of an access", &address.term)
            }
            Open::Number { term }
            | Open::Descriptor { term, .. }
            | Open::AtMost { term, .. }
            | Open::Size(SizeRequest { term, .. }) => {
                self.unwritten_use(state, "a length or another number that must be known", term)
            }
            // Sizes are known where this is looked for.
            Open::Word(_) => None,
        }
    }

    /// The finding of a library call with an argument that nobody wrote.
    pub(crate) fn unwritten_argument(
        &mut self,
        state: &State,
        name: &str,
        call: &Call,
    ) -> Option<Next> {
        if !self.shared.config.check_uninit || !call.is_symbolic() {
            return None;
        }
        let what = format!("an argument of {name}");
        call.all().find_map(|any| match any {
            Any::Value(value) => self.unwritten_value(state, &what, value),
            Any::Wide(Wide::Term(term)) => self.unwritten_use(state, &what, term),
            Any::Wide(Wide::Bits(_)) => None,
        })
    }

    /// The finding of a library call that reads bytes that nobody wrote.
    pub(crate) fn unwritten_bytes(
        &mut self,
        state: &mut State,
        name: &str,
        address: u64,
        length: u64,
    ) -> Result<Option<Next>, Trouble> {
        if !self.shared.config.check_uninit {
            return Ok(None);
        }
        let what = format!("what {name} does");
        for i in 0..length.clamp(1, EXAMINED_BYTES) {
            let at = Value::Word(Word::int(address + i));
            let byte = state.space.load_value(&at, 1)?;
            if let Some(next) = self.unwritten_value(state, &what, &byte) {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    fn unwritten_value(&mut self, state: &State, what: &str, value: &Value) -> Option<Next> {
        match value {
            Value::Word(_) => None,
            Value::Symbolic(symbolic) => self.unwritten_use(state, what, &symbolic.term),
        }
    }

    /// The finding of something that depends on a term, if nobody wrote a part of that.
    fn unwritten_use(&mut self, state: &State, what: &str, term: &Term) -> Option<Next> {
        if !self.shared.config.check_uninit {
            return None;
        }
        let symbols = symbols_of([term]);
        let mut sources = symbols.iter().filter_map(Term::as_symbol);
        let source = sources.find(|s| s.is_uninitialised())?;
        if self.shared.config.code.is_some() && !self.depends(state, what, term, &symbols) {
            return None;
        }
        let of = match **source {
            Symbol::Named(_) | Symbol::Input { .. } => return None,
            Symbol::Undefined { .. } => "an uninitialised or undefined value".to_string(),
            Symbol::Uninitialised { origin, .. } => match holder(state, OriginId(origin)) {
                Some(extent) => format!("uninitialised bytes of the {extent}"),
                None => "uninitialised memory".to_string(),
            },
        };
        let message = format!("{what} depends on {of}");
        Some(self.error(state, Kind::Uninitialised, message))
    }

    /// Whether a term has another value if what nobody wrote is something else.
    fn depends(&mut self, state: &State, what: &str, term: &Term, symbols: &[Term]) -> bool {
        let store = &self.tools.store;
        let mut other = Substitution::new();
        for symbol in symbols {
            if let Some(another) = symbol.as_symbol().and_then(|s| s.otherwise()) {
                other.insert(symbol.clone(), store.free(another, symbol.sort()));
            }
        }
        let changed = other.apply(store, term);
        let differs = store.not(&store.eq(term, &changed));
        // A path that is run again came past this place.
        let again = OnReplay::Impossible;
        match self.gate.ask(&self.tools, state, &differs, again) {
            Verdict::Possible(_) => true,
            Verdict::Impossible(_) => false,
            Verdict::Undecided(reason) => {
                let (what, why) = (what.to_string(), reason.to_string());
                self.shared.leave_out(Omission::UndecidedUse(what, why));
                false
            }
        }
    }
}

/// The live object that has unwritten bytes where they were from the start.
fn holder(state: &State, origin: OriginId) -> Option<Extent> {
    let memory = &state.space.memory;
    let holds = |extent: &Extent| {
        if extent.capacity > SEARCHED_BYTES {
            return false;
        }
        let mut parts = Vec::new();
        if let Some(content) = memory.snapshot(extent.object) {
            content.load_parts(0, extent.capacity, &mut parts);
        }
        let mut position = 0;
        parts.iter().any(|part| {
            let here = position;
            match part {
                Part::Known { length, .. } => {
                    position += u64::from(*length);
                    false
                }
                Part::Cell { cell, length } => {
                    position += u64::from(*length);
                    let expected = Cell::Origin {
                        origin,
                        offset: here,
                    };
                    *cell == expected
                }
            }
        })
    };
    memory.objects().filter(holds).min_by_key(|e| e.base)
}
