//! From a stop of the step function to the ways to go on.

use crate::cases::{Case, Effect, Next};
use crate::decisions::Decision;
use crate::ending::test_case;
use crate::finding::{Finding, Kind, Outcome, Trace};
use crate::gate::Search;
use crate::omission::Omission;
use crate::space::{Open, Space, Trouble};
use crate::state::{Stage, State};
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_ir::CheckKind;
use cairn_machine::{Any, Stop, StopOf, natives};
use cairn_memory::{Fault, Word};

impl Worker<'_> {
    /// What a stop leads to.
    pub(crate) fn transition(&mut self, state: &mut State, stop: StopOf<Space>) -> Next {
        if let Some(next) = self.unwritten_decision(state, &stop) {
            return next;
        }
        match stop {
            // Stop points were ruled about.
            Stop::Limit | Stop::Arrived(_) => Next::Go,
            Stop::Returned(results) => self.returned(state, &results),
            Stop::Branch {
                condition,
                then,
                otherwise,
            } => {
                let (condition, not) = state.space.both_ways(&condition);
                Next::Cases(vec![
                    Case::new(condition, Effect::GoTo(then), Decision::Way(0)),
                    Case::new(not, Effect::GoTo(otherwise), Decision::Way(1)),
                ])
            }
            Stop::Switch { value, table } => match self.dispatch(state, &value, table) {
                Some(next) => next,
                None => self.switch(state, &value, table),
            },
            Stop::CheckOpen {
                condition,
                kind,
                message,
            } => {
                if self.unchecked(kind) {
                    return Next::Go;
                }
                let (condition, not) = state.space.both_ways(&condition);
                let finding = self.check_finding(state, kind, &message);
                Next::Cases(vec![
                    Case::new(condition, Effect::Proceed, Decision::Way(0)),
                    Case::new(not, Effect::Error(Box::new(finding)), Decision::Way(1)),
                ])
            }
            Stop::CheckFailed { kind, .. } if self.unchecked(kind) => Next::Go,
            Stop::CheckFailed { kind, message } => {
                Next::End(Outcome::Error(self.check_finding(state, kind, &message)))
            }
            Stop::External {
                function,
                args,
                extra,
                results,
            } => self.external(state, function, args, extra, &results),
            Stop::CallOpen { address } => self.call_open(state, &address),
            Stop::Env { .. } => {
                let message = "a request to the environment, which is not modelled";
                self.error(state, Kind::Model, message)
            }
            Stop::WrongType { function } => {
                let name = &self.shared.program.function(function).name;
                let message = format!("{name} is called with another function type than it has");
                self.error(state, Kind::Execution, message)
            }
            Stop::Fault(trouble) => self.trouble(state, trouble),
            Stop::Dead => {
                let message = "a function that does not return did";
                self.error(state, Kind::Execution, message)
            }
        }
    }

    /// The path ends with an error here.
    pub(crate) fn error(&self, state: &State, kind: Kind, message: impl Into<String>) -> Next {
        Next::End(Outcome::Error(Finding {
            kind,
            message: message.into(),
            trace: self.trace(state),
        }))
    }

    /// Whether the run was told not to check for this.
    fn unchecked(&self, kind: CheckKind) -> bool {
        self.shared.config.unchecked.contains(&Kind::of_check(kind))
    }

    /// The calls that have not returned.
    pub(crate) fn trace(&self, state: &State) -> Trace {
        state.thread.trace(&self.table)
    }

    fn check_finding(&self, state: &State, kind: CheckKind, message: &str) -> Finding {
        Finding {
            kind: Kind::of_check(kind),
            message: natives::check_text(kind, message),
            trace: self.trace(state),
        }
    }

    /// The finding of a refused access. One to a global that nobody defines is not the program's
    /// error.
    pub(crate) fn fault_finding(&self, state: &State, fault: &Fault) -> Finding {
        let undefined = cairn_machine::undefined_global(&self.shared.program, &self.globals, fault);
        let (kind, message) = match undefined {
            Some(name) => (
                Kind::External,
                format!("{name} is not defined and not provided"),
            ),
            None => (self.kind_of_fault(fault), self.fault_text(fault)),
        };
        Finding {
            kind,
            message,
            trace: self.trace(state),
        }
    }

    /// What became of an operation that did not happen.
    pub(crate) fn trouble(&mut self, state: &mut State, trouble: Trouble) -> Next {
        if let Trouble::Open(open) = &trouble
            && let Some(next) = self.unwritten_open(state, open)
        {
            return next;
        }
        match trouble {
            Trouble::Fault(fault) if !state.space.sizes.is_empty() => self
                .open_cases(state, &fault)
                .or_else(|| self.maybe_full(state, &fault))
                .unwrap_or_else(|| Next::End(Outcome::Error(self.fault_finding(state, &fault)))),
            Trouble::Fault(fault) => Next::End(Outcome::Error(self.fault_finding(state, &fault))),
            Trouble::Interrupted(limit) => {
                let limit = self.shared.stopped_by().unwrap_or(limit);
                Next::End(Outcome::Stopped(Omission::LeftOut(limit)))
            }
            Trouble::Open(Open::Number { term, .. }) => self.number_cases(state, &term),
            Trouble::Open(Open::AtMost {
                term,
                limit,
                within,
                fault,
            }) => self.at_most_cases(state, &term, limit, within, &fault),
            Trouble::Open(Open::Address { address, purpose }) => {
                self.address_cases(state, &address, purpose)
            }
            Trouble::Open(Open::Descriptor { term, role }) => {
                self.descriptor_cases(state, &term, role)
            }
            Trouble::Open(Open::Size(request)) => self.size_cases(state, &request),
            Trouble::Open(Open::Word(fault)) => self.word_cases(state, &fault),
            Trouble::Open(Open::Access {
                address,
                length,
                write,
            }) => self.resolve(state, &address, length, write),
        }
    }

    /// A length that must not be more than what there is room for.
    fn at_most_cases(
        &mut self,
        state: &State,
        term: &Term,
        limit: u64,
        within: Term,
        fault: &Fault,
    ) -> Next {
        let store = &self.tools.store;
        let beyond = store.not(&within);
        // The largest that can happen: fewer bytes to choose.
        let above = |length: u64| {
            let above = store.bv_ult(&store.bv(64, length), term);
            store.and(&above, &within)
        };
        let search = Search {
            low: 0,
            high: limit,
            first: limit / 2,
        };
        let tools = &self.tools;
        let high = self.gate.logged_or(state, limit, |gate| {
            gate.lowest_above_all(tools, state, search, above)
        });
        let known = Effect::RetryAtMost {
            length: term.clone(),
            within: within.clone(),
            most: high,
        };
        let mut finding = self.fault_finding(state, fault);
        if let Some(message) = fault.with_symbolic_length() {
            finding.message = message;
        }
        Next::Cases(vec![
            Case::new(within, known, Decision::Is(high)),
            Case::new(beyond, Effect::Error(Box::new(finding)), Decision::Way(1)),
        ])
    }

    /// A term that must be known: it has the value of the model, or another.
    fn number_cases(&mut self, state: &State, term: &Term) -> Next {
        let store = &self.tools.store;
        let value = state.guide.next().and_then(Decision::value);
        let value = value.unwrap_or_else(|| {
            let value = self.tools.value(&state.space.model, term);
            value.to_u64().expect("a word")
        });
        let is = store.eq(term, &store.bv(term.width(), value));
        let is_not = store.not(&is);
        let known = Effect::RetryNumber {
            term: term.clone(),
            value,
        };
        Next::Cases(vec![
            Case::new(is, known, Decision::Is(value)),
            Case::new(is_not, Effect::Retry, Decision::IsNot(value)),
        ])
    }

    fn switch(&mut self, state: &State, value: &Value, table: u32) -> Next {
        let (cases, default) = state.thread.switch(&self.table, table);
        let store = &self.tools.store;
        let term = match value {
            Value::Symbolic(symbolic) => &symbolic.bits(store),
            Value::Word(_) => unreachable!("the switch was open"),
        };
        let width = term.width();
        // Values that lead to the same place are one way.
        let mut ways: Vec<(u32, Term)> = Vec::new();
        let mut listed = store.false_();
        for (case, position) in cases {
            let is = store.eq(term, &store.bv(width, case));
            if position == default {
                continue;
            }
            listed = store.or(&listed, &is);
            match ways.iter_mut().find(|(p, _)| *p == position) {
                Some((_, guard)) => *guard = store.or(guard, &is),
                None => ways.push((position, is)),
            }
        }
        ways.push((default, store.not(&listed)));
        let ways = ways.into_iter().enumerate().map(|(i, (position, guard))| {
            Case::new(guard, Effect::GoTo(position), Decision::Way(i as u32))
        });
        Next::Cases(ways.collect())
    }

    /// The function of the present stage returned.
    fn returned(&mut self, state: &mut State, results: &[Any<Value, crate::value::Wide>]) -> Next {
        let stage = match state.stage {
            Stage::Constructor(i) => Stage::Constructor(i + 1),
            Stage::Entry => {
                if let Some(Any::Value(code)) = results.first() {
                    self.note_exit(state, code);
                }
                let code = match results.first() {
                    Some(Any::Value(Value::Word(code))) => code.bits as u32 as i32,
                    Some(Any::Value(Value::Symbolic(symbolic))) => {
                        state.returned = Some(symbolic.term.clone());
                        self.exit_code(&state.space.model, &symbolic.term)
                    }
                    Some(Any::Wide(_)) | None => 0,
                };
                Stage::AtExit(code)
            }
            Stage::AtExit(code) => Stage::AtExit(code),
            Stage::Destructor(i, code) => Stage::Destructor(i + 1, code),
        };
        self.begin(state, stage)
    }

    /// The exit code that a term is under a model.
    pub(crate) fn exit_code(&self, model: &std::rc::Rc<cairn_expr::Model>, term: &Term) -> i32 {
        self.tools.value(model, term).low_u64() as u32 as i32
    }

    /// Starts a stage, or the next one that has something to run.
    pub(crate) fn begin(&mut self, state: &mut State, stage: Stage) -> Next {
        // Borrowed: a count of owners would move from core to core with the program's first line.
        let program = &self.shared.program;
        let mut stage = stage;
        let (function, args) = loop {
            match stage {
                Stage::Constructor(i) => match program.constructors.get(i) {
                    Some(function) => break (*function, Vec::new()),
                    None => stage = Stage::Entry,
                },
                Stage::Entry => {
                    let params = &program.function(self.entry).params;
                    let all = self.arguments.iter();
                    let args = params.iter().zip(all).map(|(_, word)| *word).collect();
                    break (self.entry, args);
                }
                Stage::AtExit(code) => match state.library.next_at_exit() {
                    Some((function, argument)) => {
                        let wanted = program.function(function).params.len();
                        break (function, argument.into_iter().take(wanted).collect());
                    }
                    None => stage = Stage::Destructor(0, code),
                },
                Stage::Destructor(i, code) => match program.destructors.get(i) {
                    Some(function) => break (*function, Vec::new()),
                    None => return self.exited(state, code),
                },
            }
        };
        state.stage = stage;
        let args: Vec<Word> = args;
        let args = args.into_iter().map(|w| Any::Value(Value::Word(w)));
        let started = state
            .thread
            .start(&self.table, &mut state.space, function, args.collect());
        match started {
            Ok(()) => Next::Go,
            Err(trouble) => self.trouble(state, trouble),
        }
    }

    /// The program is at its end.
    pub(crate) fn exited(&mut self, state: &State, code: i32) -> Next {
        if self.shared.config.check_leaks {
            let mut leaks = self.leaks(state).into_iter();
            if let Some(first) = leaks.next() {
                for other in leaks {
                    let test = || test_case(state, &state.space.model);
                    self.shared.also_found(other, test);
                }
                return Next::End(Outcome::Error(first));
            }
        }
        Next::End(Outcome::Exit(code))
    }

    /// `exit`: what was registered runs, then the destructors. Calls that have not returned never
    /// do; their objects stay.
    pub(crate) fn exit(&mut self, state: &mut State, code: i32) -> Next {
        state.thread.abandon(&self.table);
        state.returned = None;
        let stage = match state.stage {
            // A destructor that exits: what follows it is left out.
            Stage::Destructor(..) => return self.exited(state, code),
            Stage::Constructor(_) | Stage::Entry | Stage::AtExit(_) => Stage::AtExit(code),
        };
        self.begin(state, stage)
    }
}
