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
use crate::omission::{Omission, Question};
use crate::path::cases::Case;
use crate::path::commit;
use crate::path::commit::Learned;
use crate::path::state::State;
use crate::path::transition;
use crate::path::tree::Tree;
use crate::tracing::TracedCode;
use crate::values::value::Value;
use crate::values::worker_context::WorkerContext;
use cairn_ir::{FuncId, PlaceId};
use cairn_machine::CodeTable;
use cairn_machine::natives::Native;
use cairn_memory::Word;
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

/// A path that was run again is where it was. The model that was sent with it must hold; if it does not (a path that
/// was set aside has none), the solver is asked for one. Whether there is one.
pub(crate) fn finish_replay(step: &mut StepContext<'_>, state: &mut State) -> bool {
    let model = Rc::clone(&state.domain.model);
    if state.facts.iter().all(|f| step.cx.holds(&model, f)) {
        return true;
    }
    match step.gate.model(&step.cx.store, &state.facts) {
        Some(model) => {
            state.domain.model = model;
            true
        }
        None => {
            let why = "no model was found".to_string();
            step.shared
                .leave_out(Omission::Undecided(Question::TakenUp, why));
            step.counters().stopped.add(1);
            false
        }
    }
}

/// Facts that a transition chose, under which the model holds.
pub(crate) fn take_choices(step: &mut StepContext<'_>, state: &mut State) {
    take_choices_since(step, state, None);
}

/// Facts that operations chose, under which the model holds; they were executed since this position, or
/// the last of them chose.
pub(crate) fn take_choices_since(
    step: &mut StepContext<'_>,
    state: &mut State,
    began: Option<(FuncId, u32)>,
) {
    if state.domain.chosen_facts.is_empty() {
        return;
    }
    for fact in std::mem::take(&mut state.domain.chosen_facts) {
        commit::learn(step, state, fact, Learned::Chose);
    }
    if state.domain.narrowed.is_empty() {
        return;
    }
    let ended = transition::trace(step, state)
        .first()
        .map(|(_, place)| *place);
    let began = began.map(|(function, at)| step.table.place(function, at));
    let text = |place: PlaceId| machine_code::place_text(step, place);
    // Operations do not know where they are, so that there may be a range of places.
    let at = match (began, ended) {
        (Some(began), Some(ended)) if text(began) != text(ended) => {
            format!("between {} and {}", text(began), text(ended))
        }
        (Some(began), None) => format!("after {}", text(began)),
        (_, Some(ended)) => text(ended),
        (None, None) => "at an unknown place".to_string(),
    };
    for what in std::mem::take(&mut state.domain.narrowed) {
        state.leave_out(step.shared, Omission::Narrowed(at.clone(), what));
    }
}
