//! Control in programs that were made from machine code.
//!
//! - **Jumps to addresses that depend on inputs** come to the program's dispatcher, a switch over all
//!   functions. Its cases are not asked for one by one, there are thousands: the model of the state has
//!   one address, which is a way, and the other way is that it is another one, until there is none
//!   left. If it can be an address at which no code is, that is an error, and the others are not followed.
//! - **Code that was not seen before** is added to the program when a path comes there: all workers share
//!   one program that grows, and each goes on with what it has until it needs more.

use crate::cases::{Case, Effect, Next, Standing};
use crate::decisions::Decision;
use crate::finding::{Finding, Kind, Outcome};
use crate::gate::{OnReplay, Verdict};
use crate::omission::Omission;
use crate::space::Trouble;
use crate::state::State;
use crate::value::Value;
use crate::worker::{Provided, Worker};
use cairn_expr::Term;
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_machine::DISPATCH;
use cairn_memory::Fault;
use std::ops::Range;
use std::sync::Arc;

/// The decision that an address is one where no code is.
const NO_CODE: u32 = 0;
/// The decision that it is any other.
const ELSEWHERE: u32 = 1;
/// The decision that it is null.
const NULL: u32 = 2;

/// An access so far below the stack is one of a frame that does not fit.
const BELOW_STACK: u64 = 1 << 20;

/// Whether an access was refused because the stack of machine code is full.
pub(crate) fn is_below_stack(stack: &Range<u64>, fault: &Fault) -> bool {
    let Fault::OutOfBounds { address, .. } = fault else {
        return false;
    };
    (stack.start.saturating_sub(BELOW_STACK)..stack.start).contains(address)
}

impl Worker<'_> {
    /// What a function without a body is.
    pub(crate) fn provided(&self, function: FuncId) -> Provided {
        let known = self.provided.get(function.index());
        known.copied().unwrap_or(Provided::Nothing)
    }

    /// Whether a function was there when the run began: what a program grew by has no distance.
    pub(crate) fn was_there(&self, function: FuncId) -> bool {
        let functions = &self.shared.program.functions;
        let function = functions.get(function.index());
        function.is_some_and(|f| f.body.is_some())
    }

    /// A place in words.
    pub(crate) fn place_text(&self, place: PlaceId) -> String {
        let text = self.table.program().place_text(place);
        match &self.shared.config.code {
            Some(code) => format!("{text} ({:#x})", code.address_of(place)),
            None => text,
        }
    }

    /// Where a state is, in words.
    pub(crate) fn where_is(&self, state: &State) -> String {
        let trace = self.trace(state);
        let mut places = trace.iter().map(|(_, place)| *place);
        let known = places.find(|p| *p != PlaceId::UNKNOWN);
        known.map_or_else(String::new, |place| self.place_text(place))
    }

    /// A finding in machine code says at which instruction.
    pub(crate) fn located(&self, outcome: &Outcome) -> Option<Outcome> {
        let code = self.shared.config.code.as_ref()?;
        let Outcome::Error(finding) = outcome else {
            return None;
        };
        let mut places = finding.trace.iter().map(|(_, place)| *place);
        let place = places.find(|p| *p != PlaceId::UNKNOWN)?;
        let address = code.address_of(place);
        let message = format!("{} (at {address:#x})", finding.message);
        Some(Outcome::Error(Finding {
            message,
            ..finding.clone()
        }))
    }

    /// Goes on at an address that the dispatcher does not know.
    pub(crate) fn go_on_at(&mut self, state: &mut State, address: &Value) -> Result<Next, Trouble> {
        let address = state.space.number(address)?.bits;
        let Some(code) = &self.shared.config.code else {
            let message = "a jump to an address in a program that has none";
            return Ok(self.error(state, Kind::Model, message));
        };
        if !code.code().iter().any(|range| range.contains(&address)) {
            let finding = self.no_code(state, Some(address));
            return Ok(Next::End(Outcome::Error(finding)));
        }
        match code.translate(address) {
            Ok((function, program)) => {
                self.grow(program);
                let (table, space) = (&self.table, &mut state.space);
                state.thread.divert(table, space, function, Vec::new())?;
                Ok(Next::Go)
            }
            Err(why) => {
                let what = Omission::NoCode(self.where_is(state), why.to_string());
                Ok(Next::End(Outcome::Stopped(what)))
            }
        }
    }

    /// Gives a function of machine code its body, if that is what is missing, and calls it again.
    pub(crate) fn lower_now(&mut self, state: &mut State, function: FuncId) -> bool {
        let missing = matches!(self.provided(function), Provided::Nothing);
        let Some(code) = self.shared.config.code.as_ref().filter(|_| missing) else {
            return false;
        };
        let Some(program) = code.lower(function) else {
            return false;
        };
        self.grow(program);
        state.thread.retry();
        true
    }

    /// Goes on with a program that has grown.
    fn grow(&mut self, program: Arc<Program>) {
        self.shared.note_grown(&program);
        self.table.exchange(program);
        self.table.cover_more(self.shared.cover_now());
    }

    /// The ways of the dispatcher; `None` if it is another switch that is open.
    pub(crate) fn dispatch(&mut self, state: &State, value: &Value, table: u32) -> Option<Next> {
        let code = self.shared.config.code.as_ref()?;
        let (function, _) = state.thread.position()?;
        if self.table.program().function(function).name != DISPATCH {
            return None;
        }
        let Value::Symbolic(symbolic) = value else {
            return None;
        };
        let store = &self.tools.store;
        let term = symbolic.bits(store);
        let ranges = code.code();
        let in_code: Vec<Term> = ranges
            .iter()
            .map(|range| {
                let offset = store.bv_sub(&term, &store.bv(64, range.start));
                store.bv_ult(&offset, &store.bv(64, range.end - range.start))
            })
            .collect();
        let in_code = store.or_all(&in_code);
        let wild = store.not(&in_code);
        let is_code = |address: u64| ranges.iter().any(|range| range.contains(&address));
        let found = self.tools.value(&state.space.model, &term).low_u64();
        let address = match state.guide.next() {
            Some(decision) => decision.value(),
            None if !is_code(found) => None,
            // The log has a decision if the path is run again.
            None => match self
                .gate
                .ask(&self.tools, state, &wild, OnReplay::Impossible)
            {
                Verdict::Impossible(_) => Some(found),
                Verdict::Possible(_) | Verdict::Undecided(_) => None,
            },
        };
        let Some(address) = address else {
            // Inputs decide where control goes: that is the finding, and nobody wants to see all the rest.
            let null = store.and(&wild, &store.eq(&term, &store.bv(64, 0)));
            let finding = Box::new(self.no_code(state, Some(0)));
            let nowhere = Case::new(null, Effect::Error(finding), Decision::Way(NULL));
            let other = store.and(&wild, &store.not(&store.eq(&term, &store.bv(64, 0))));
            let finding = Box::new(self.no_code(state, None));
            let error = Case::new(other, Effect::Error(finding), Decision::Way(NO_CODE));
            let mut rest = Case::new(in_code, Effect::Retry, Decision::Way(ELSEWHERE));
            rest.standing = Standing::Cut(Omission::AnyJump(self.where_is(state)));
            return Some(Next::Cases(vec![nowhere, error, rest]));
        };
        let (cases, default) = state.thread.switch(&self.table, table);
        let known = cases.iter().find(|(case, _)| *case == address);
        let position = known.map_or(default, |(_, position)| *position);
        let is = store.eq(&term, &store.bv(64, address));
        let other = store.not(&is);
        Some(Next::Cases(vec![
            Case::new(is, Effect::GoTo(position), Decision::Is(address)),
            Case::new(other, Effect::Retry, Decision::IsNot(address)),
        ]))
    }

    /// What kind of error a refused access is: below the stack of machine code it is a full stack.
    pub(crate) fn kind_of_fault(&self, fault: &Fault) -> Kind {
        match self.below_stack(fault) {
            true => Kind::Stack,
            false => Kind::of_fault(fault),
        }
    }

    fn below_stack(&self, fault: &Fault) -> bool {
        let code = self.shared.config.code.as_ref();
        code.is_some_and(|code| is_below_stack(&code.stack(), fault))
    }

    /// What is wrong with an access, in words.
    pub(crate) fn fault_text(&self, fault: &Fault) -> String {
        let code = self.shared.config.code.as_ref();
        match (code, fault) {
            (Some(code), Fault::OutOfBounds { address, .. }) if self.below_stack(fault) => {
                let stack = code.stack();
                let bytes = stack.end - stack.start;
                format!(
                    "stack overflow: an access at {address:#x}, below the stack of {bytes} bytes"
                )
            }
            (Some(code), Fault::ReadOnly { address, .. })
                if code.code().iter().any(|range| range.contains(address)) =>
            {
                format!("write to code at {address:#x}: self-modifying code is not supported")
            }
            (_, fault) => fault.to_string(),
        }
    }

    /// The finding of a jump to where no code is.
    fn no_code(&self, state: &State, address: Option<u64>) -> Finding {
        let message = match address {
            Some(0) => "call of a null function pointer".to_string(),
            Some(address) => format!("control comes to {address:#x}, where no code is"),
            None => {
                "control comes to an address that depends on inputs, where no code is".to_string()
            }
        };
        Finding {
            kind: match address {
                Some(0) => Kind::Pointer,
                Some(_) | None => Kind::Execution,
            },
            message,
            trace: self.trace(state),
        }
    }
}
