//! What a step of a state needs besides the state: the program's code, the gate, the features, the
//! execution tree, and what the run shares.
//!
//! A worker has one ([`crate::explore::worker::Worker`]) and schedules the states; everything that happens
//! to one state is a function over this context and the state: stops become cases
//! (`path/transition.rs`, `memory/resolve.rs`, `calls/`), cases become states (`path/commit.rs`), paths end
//! (`path/path_end.rs`).

use crate::calls::intrinsics::Intrinsic;
use crate::calls::machine_code;
use crate::explore::counters::WorkerCounters;
use crate::explore::shared::Shared;
use crate::explore::test_rerun::{RerunBudget, TestRerun};
use crate::features::moments::Features;
use crate::gate::Gate;
use crate::memory::sizes;
use crate::merge::Merger;
use crate::omission::{Omission, Question};
use crate::path::cases::Case;
use crate::path::commit;
use crate::path::commit::LearnedBy;
use crate::path::state::State;
use crate::path::tree::Tree;
use crate::tracing::TracedCode;
use crate::values::value::Value;
use crate::values::worker_context::WorkerContext;
use cairn_ir::{BlockId, FuncId, Inst, PlaceId};
use cairn_machine::CodeTable;
use cairn_machine::natives::Native;
use cairn_memory::Word;
use cairn_solver::Answer;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a function without a body is.
#[derive(Clone, Copy)]
pub(crate) enum BodilessFunction {
    Intrinsic(Intrinsic),
    Native(Native),
    /// Code at an address that is not part of the program.
    Translate,
    Nothing,
}

/// See the module's head.
pub(crate) struct StepContext<'s> {
    pub(crate) shared: &'s Shared,
    /// The worker's number.
    pub(crate) number: usize,
    pub(crate) cx: Rc<WorkerContext>,
    pub(crate) table: CodeTable<Value>,
    pub(crate) gate: Gate,
    pub(crate) tree: Tree,
    pub(crate) entry: FuncId,
    /// Arguments of the entry, as many as it takes.
    pub(crate) arguments: [Word; 3],
    pub(crate) globals: Rc<[Word]>,
    /// What functions without a body are, by number.
    pub(crate) bodiless: Rc<[BodilessFunction]>,
    /// Code that runs in the place of a native function if bytes are not known.
    pub(crate) runtime: Rc<FxHashMap<String, FuncId>>,
    pub(crate) features: Features,
    /// Parked states that a feature has released: their numbers.
    pub(crate) released: Vec<u64>,
    /// The code for traced values; made when a feature first asks for cells.
    pub(crate) traced: Option<TracedCode>,
    /// States that a fork made and the worker has not taken up yet.
    #[expect(clippy::vec_box, reason = "a state is large and moves as a pointer")]
    pub(crate) forked_states: Vec<Box<State>>,
    /// States of cases that the last step left undecided because the question takes long, and the worker has not taken
    /// up yet; each with its case.
    pub(crate) postponed_cases: Vec<(Box<State>, Case)>,
    /// Paths that become one.
    pub(crate) merger: Merger,
    /// Runs tests again; made for the first test.
    pub(crate) test_rerun: Option<TestRerun>,
    pub(crate) check_budget: RerunBudget,
    /// States so far.
    pub(crate) numbered: u64,
    /// Forks so far.
    pub(crate) forked: u64,
}

impl<'s> StepContext<'s> {
    /// A number for a state that is new.
    pub(crate) fn number_state(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// What this worker counts by itself.
    pub(crate) fn counters(&self) -> &'s WorkerCounters {
        self.shared.counters.of(self.number)
    }
}

/// A path that was run again is where it was. The solver is asked for a model, unless the one that was sent along holds: a path
/// that was set aside has none, and arrays and Booleans are not sent. Whether there is a model.
pub(crate) fn finish_replay(step: &mut StepContext<'_>, state: &mut State) -> bool {
    if state.guide.meets.is_some() {
        // The path that it becomes a part of has a model.
        return true;
    }
    let model = Rc::clone(&state.domain.model);
    if state.facts.iter().all(|f| step.cx.holds(&model, f)) {
        return true;
    }
    match step.gate.model(&step.cx.store, &state.facts) {
        Ok(model) => {
            state.domain.model = model;
            true
        }
        Err(answer) => {
            let omission = match answer {
                Answer::Unknown(reason) => Omission::undecided(Question::TakenUp, &reason),
                Answer::Sat(_) | Answer::Unsat(_) => {
                    let why = "the facts of a path that was run again contradict each other";
                    // A path that the user gave may be none of the program's.
                    if !state.guide.given {
                        step.shared.note_bug(why);
                    }
                    Omission::Undecided(Question::TakenUp, why.to_string())
                }
            };
            step.shared.leave_out(omission);
            step.counters().stopped.add(1);
            false
        }
    }
}

/// When a path chose values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choosing {
    /// While it ran: an operation does not know its place, the last point that was passed tells the block.
    Running,
    /// In a transition, whose place is the state's.
    Stopped,
}

/// Facts that operations or a transition chose, under which the model holds.
pub(crate) fn take_choices(step: &mut StepContext<'_>, state: &mut State, when: Choosing) {
    if state.domain.chosen_facts.is_empty() {
        return;
    }
    for fact in std::mem::take(&mut state.domain.chosen_facts) {
        commit::learn(step, state, fact, LearnedBy::Chose);
    }
    for (point, what) in std::mem::take(&mut state.domain.narrowed) {
        let block = match when {
            Choosing::Running => step.shared.cover_now().block_of(point),
            Choosing::Stopped => None,
        };
        let at = match block {
            Some(block) => narrowed_in(step, block, what),
            None => Some(machine_code::where_is(step, state)).filter(|at| !at.is_empty()),
        };
        let at = at.unwrap_or_else(|| "unknown place".to_string());
        state.leave_out(step.shared, Omission::Narrowed(at, what));
    }
}

/// Where in a block values were narrowed while a path ran: where it makes a variable of a large size, or computes in
/// floating point; the whole block if nothing in it says so.
fn narrowed_in(
    step: &StepContext<'_>,
    (function, block): (FuncId, BlockId),
    what: &str,
) -> Option<String> {
    let program = step.shared.program_now();
    let body = program.function(function).body.as_ref();
    let block = body.map(|body| body.block(block));
    let known = |place: &PlaceId| *place != PlaceId::UNKNOWN;
    let all = || {
        let insts = block.iter().flat_map(|block| &block.insts);
        insts.filter(|(_, place)| known(place))
    };
    let places = |of: &dyn Fn(&Inst) -> bool| -> Vec<PlaceId> {
        all()
            .filter(|(inst, _)| of(inst))
            .map(|(_, place)| *place)
            .collect()
    };
    let is_variable = |inst: &Inst| matches!(inst, Inst::Alloca { .. });
    let mut found = match what == sizes::LARGE {
        true => places(&is_variable),
        false => places(&Inst::is_floating_point),
    };
    if found.is_empty() {
        found = places(&|_| true);
    }
    let text = |place: &PlaceId| machine_code::place_text(step, *place);
    let (first, last) = (text(found.first()?), text(found.last()?));
    Some(match first == last {
        true => first,
        false => format!("between {first} and {last}"),
    })
}
