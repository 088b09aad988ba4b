//! A worker: one thread with its own terms, solver and states.
//!
//! Workers share numbers, findings, omissions, coverage, paths that wait, and a program that grows (`explore/shared.rs`). A path moves from one to another
//! as its list of decisions and is run again there: the machine does the same given the same
//! decisions, so nothing is asked up to the last of them. Then the model that was sent must hold, or the solver is
//! asked for one.

use crate::calls::machine_code;
use crate::explore::moving::{PortablePath, SetAsidePath};
use crate::explore::place_costs::{CostTable, PlaceCosts};
use crate::explore::postponed::Postponed;
use crate::explore::rejoin::{self, Rejoining};
use crate::explore::seeded::SeededFirst;
use crate::explore::shared::Shared;
use crate::explore::solver_figures::Published;
pub use crate::explore::start::StartError;
use crate::explore::start::{begin, distances};
use crate::explore::visits::Visits;
use crate::features::feature::{Departure, Ruling};
use crate::features::moments;
use crate::finding::Outcome;
use crate::merge;
use crate::omission::Omission;
use crate::path::cases::StepOutcome;
use crate::path::path_end;
use crate::path::progress::{Progress, Stall};
use crate::path::state::{ReplayGuide, State};
use crate::path::step_context;
use crate::path::step_context::{Choosing, StepContext};
use crate::path::transition;
use crate::path::tree::NodeId;
use crate::report::LayerReport;
use crate::search::{Searcher, StateId};
use crate::tracing::Watcher;
use crate::values::address_places;
use crate::values::symbolic_domain::SymbolicDomain;
use cairn_expr::{Model, Sort, Value as ModelValue};
use cairn_ir::analysis::distance::Distances;
use cairn_ir::{BlockId, FuncId};
use cairn_machine::{Stop, StopOf, run};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Operations between two looks at the clock.
const TURN: u64 = 200_000;
/// Terms that a state may make before limits are looked at: a write at an unknown place of an array makes thousands.
const TERMS_OF_TURN: u64 = 100_000;
/// Memory that a term takes, about.
const BYTES_OF_TERM: u64 = 150;

/// What was counted before a step.
struct Meter {
    at: Option<(FuncId, u32)>,
    asked: u64,
    time: Duration,
    forked: u64,
}

/// What becomes of a state at a stop point.
enum AtStopPoint {
    Next(StepOutcome),
    Parks,
    Merges,
}

/// A state arrived at a stop point.
fn arrive(
    step: &mut StepContext<'_>,
    state: &mut Box<State>,
    node: NodeId,
    block: BlockId,
) -> AtStopPoint {
    state.decisions.note_arrival();
    if state.guide.meets_here(state.decisions.arrivals()).is_some() {
        return AtStopPoint::Merges;
    }
    match moments::rule(step, state, block) {
        Ruling::GoOn if merge::waits_at(step, state, block) => AtStopPoint::Merges,
        Ruling::GoOn => AtStopPoint::Next(StepOutcome::Go),
        Ruling::Park => AtStopPoint::Parks,
        Ruling::Subsumed(by) => AtStopPoint::Next(StepOutcome::End(Outcome::Subsumed(by))),
        Ruling::Replace(other) => {
            assert!(other.node == node, "it goes on at the same node");
            *state = other;
            AtStopPoint::Next(StepOutcome::Go)
        }
    }
}

/// See the module's head.
pub struct Worker<'s> {
    pub(crate) step: StepContext<'s>,
    /// States that wait for a feature. The searcher does not know them.
    parked: Vec<StateId>,
    /// States that wait with a question that takes the solver long. The searcher does not know them.
    pub(crate) postponed: Postponed,
    pub(crate) searcher: Box<dyn Searcher>,
    pub(crate) states: Vec<Option<Box<State>>>,
    pub(crate) free: Vec<u32>,
    pub(crate) by_node: FxHashMap<NodeId, StateId>,
    /// The state before the program starts.
    first: Box<State>,
    /// Paths that became one, and are run again.
    pub(crate) rejoining: Rejoining,
    /// States that there was no memory for.
    pub(crate) aside: Vec<SetAsidePath>,
    /// How far it is to what this worker has not covered; only if a searcher asks.
    distances: Option<Distances>,
    pub(crate) looked_at_memory: Instant,
    /// Turns, if states are set aside after so many.
    pub(crate) turns: u64,
    /// Bytes by which memories of states have grown since then.
    pub(crate) grown: u64,
    /// Since when the process is far above its memory limit with nothing to let go.
    pub(crate) far_above_since: Option<Instant>,
    published: Published,
    /// What places cost.
    costs: CostTable,
    /// What searchers want to know of states.
    pub(crate) visits: Visits,
    /// States that seeds follow, and others.
    pub(crate) seeded: SeededFirst,
    /// Shows instructions, traces stretches; only if a run is to do that.
    watcher: Option<Watcher>,
}

impl<'s> Worker<'s> {
    /// Lays the program out.
    pub fn new(shared: &'s Shared, number: usize) -> Result<Self, StartError> {
        let config = &shared.config;
        let (step, first) = begin(shared, number)?;
        let watcher = Watcher::new(shared, &step.table, TURN);
        Ok(Worker {
            step,
            parked: Vec::new(),
            postponed: Postponed::default(),
            searcher: config.search.build(config.seed.wrapping_add(number as u64)),
            states: Vec::new(),
            free: Vec::new(),
            by_node: FxHashMap::default(),
            first,
            rejoining: Rejoining::default(),
            turns: 0,
            aside: Vec::new(),
            distances: distances(&shared.program, &config.search),
            looked_at_memory: Instant::now(),
            grown: 0,
            far_above_since: None,
            published: Published::default(),
            costs: CostTable::default(),
            visits: Visits::new(&config.search),
            seeded: SeededFirst::default(),
            watcher,
        })
    }

    /// Explores paths until there are none left or the run must end.
    pub fn work(&mut self) {
        while let Some(path) = self.next_path() {
            self.start(path);
            while let Some(id) = self.pick() {
                self.advance(id);
                self.adopt_postponed();
                self.resume_postponed_in_turn();
                if self.step.merger.is_waited_for() {
                    merge::merge_complete(self, false);
                }
                let wish = self.step.shared.figures_wanted();
                if self.published.wish != wish {
                    self.published.wish = wish;
                    self.published
                        .publish(&self.step.gate, &self.step.shared.counters);
                }
                if self.step.shared.over() {
                    break;
                }
                if self.step.shared.somebody_waits() {
                    self.offer_path();
                }
                if self.short_of_memory() {
                    self.set_aside();
                }
            }
            if self.step.shared.over() {
                self.stop_all();
                break;
            }
        }
        self.published
            .publish(&self.step.gate, &self.step.shared.counters);
        self.step
            .shared
            .counters
            .add_accesses(self.step.cx.accesses());
        let costs = std::mem::take(&mut self.costs);
        self.step.shared.add_costs(self.step.cx.all_passes(), costs);
        merge::add_merges(self.step.shared, self.step.merger.counts());
        if let Some(counts) = self.step.gate.reason_counts() {
            self.step.shared.add_reasons(counts);
        }
        let watcher = self.watcher.as_ref();
        if let Some(counts) = watcher.and_then(Watcher::reason_counts) {
            self.step.shared.add_reasons(counts);
        }
    }

    /// What the layers of the solver did.
    pub fn layers(&self) -> Vec<LayerReport> {
        let stats = self.step.gate.chain().stats().into_iter();
        stats
            .filter(|(name, _)| *name != crate::gate::query_log::LAYER)
            .map(|(name, s)| LayerReport {
                name: name.to_string(),
                sat: s.sat,
                unsat: s.unsat,
                time: s.time,
            })
            .collect()
    }

    pub(crate) fn pick(&mut self) -> Option<StateId> {
        if let Some(id) = self.pick_seeded() {
            return Some(id);
        }
        if self.seeded.ended_run() {
            return None;
        }
        if !self.step.released.is_empty() {
            self.release(false);
        }
        let by_node = &self.by_node;
        let picked = self.searcher.pick(&self.step.tree, &|node| by_node[&node]);
        if picked.is_some() {
            return picked;
        }
        if merge::merge_complete(self, true) {
            let by_node = &self.by_node;
            return self.searcher.pick(&self.step.tree, &|node| by_node[&node]);
        }
        if self.parked.is_empty() {
            return self.pick_postponed();
        }
        self.release(true);
        let by_node = &self.by_node;
        self.searcher.pick(&self.step.tree, &|node| by_node[&node])
    }

    /// Asks the questions that wait until a state can run.
    fn pick_postponed(&mut self) -> Option<StateId> {
        while !self.step.shared.over() && self.resume_first_postponed() {
            let by_node = &self.by_node;
            let picked = self.searcher.pick(&self.step.tree, &|node| by_node[&node]);
            if picked.is_some() {
                return picked;
            }
        }
        None
    }

    /// Begins a path from the program's start.
    fn start(&mut self, mut path: PortablePath) {
        let root = match self.step.tree.root() {
            // The first path of all.
            Some(root) => root,
            None => self.step.tree.plant(),
        };
        let mut state = self.first.clone();
        state.node = root;
        state.parted_at = root;
        state.depth = path.depth;
        state.domain.covered_new = path.covered_new;
        state.number = self.step.number_state();
        state.on_seed = self.step.shared.config.seeding.is_some();
        state.guide = ReplayGuide {
            decisions: std::mem::take(&mut path.decisions).into(),
            given: path.given,
            answers: std::mem::take(&mut path.answers).into(),
            ..ReplayGuide::default()
        };
        let values = std::mem::take(&mut path.chosen_values);
        state.domain.values_to_choose = Rc::new(values.into());
        let mut model = Model::new();
        for (symbol, value) in std::mem::take(&mut path.model) {
            let symbol = self.step.cx.store.free(symbol, Sort::BitVec(value.width()));
            model.set(symbol, ModelValue::Bv(value));
        }
        state.domain.model = Rc::new(model);
        if !path.joins.is_empty() {
            return rejoin::start_joined(self, path, state);
        }
        rejoin::begin(self, state);
    }

    /// Lets a state run until it forks, ends or has run for long.
    pub(crate) fn advance(&mut self, id: StateId) {
        let mut state = self.states[id.0 as usize].take().expect("it lives");
        let mut node = state.node;
        let held = state.domain.memory.taken_bytes();
        let terms = self.step.cx.store.stats().births;
        // What was asked about another state's end.
        self.step.gate.take_spent();
        let mut spent = 0;
        let mut stall = Stall::default();
        loop {
            let before = state.thread.executed;
            let progress = Progress::of(&state);
            // What was chosen for an operation that is run again now.
            step_context::take_choices(&mut self.step, &mut state, Choosing::Stopped);
            let stop = self.run(&mut state);
            let executed = state.thread.executed - before;
            self.count_visits(&state, executed);
            let in_limits = self
                .step
                .shared
                .count_instructions(self.step.counters(), executed);
            step_context::take_choices(&mut self.step, &mut state, Choosing::Running);
            address_places::note_new_uses(&mut self.step, &mut state);
            self.note_coverage(&mut state);
            // A call or a decision may take long, whatever it executes.
            spent += executed + TURN / 256;
            let made = self.step.cx.store.stats().births - terms;
            let many = made >= TERMS_OF_TURN && !stall.is_counting();
            let over = spent >= TURN || many || !in_limits;
            let meter = self.meter(&state);
            let next = match stop {
                Stop::Arrived(block) => match arrive(&mut self.step, &mut state, node, block) {
                    AtStopPoint::Next(next) => Some(next),
                    AtStopPoint::Parks => return self.park(id, node, state),
                    AtStopPoint::Merges => return merge::wait_to_merge(self, id, node, state),
                },
                stop => self.transition(&mut state, stop),
            };
            state.query_time += self.step.gate.take_spent();
            // Also of a step that is postponed: they are true of this state, and of no other.
            moments::announce_conclusions(&mut self.step, &state);
            let Some(next) = next else {
                return self.postpone(id, state);
            };
            match next {
                StepOutcome::Go if state.groups.waits_at_mark() => {
                    return merge::wait_to_merge(self, id, node, state);
                }
                StepOutcome::Go => self.count_costs(meter),
                StepOutcome::Cases(cases) => {
                    // Choices that the transition itself made.
                    step_context::take_choices(&mut self.step, &mut state, Choosing::Stopped);
                    let guided = state.guide.is_replaying();
                    let committed = merge::commit(&mut self.step, state, cases);
                    let forked_states = std::mem::take(&mut self.step.forked_states);
                    self.adopt(forked_states);
                    self.count_costs(meter);
                    match committed {
                        Some(next) => state = next,
                        None => return self.forget(id, node),
                    }
                    if guided
                        && state.guide.decisions.is_empty()
                        && !step_context::finish_replay(&mut self.step, &mut state)
                    {
                        self.forget(id, node);
                        return moments::leave(&mut self.step, state, Departure::Lost);
                    }
                    if state.node != node && state.node == state.parted_at {
                        return self.put_back(id, node, state);
                    }
                    if state.node != node {
                        // The other cases were errors.
                        self.by_node.remove(&node);
                        self.by_node.insert(state.node, id);
                        node = state.node;
                    }
                }
                StepOutcome::End(outcome) => {
                    step_context::take_choices(&mut self.step, &mut state, Choosing::Stopped);
                    self.count_costs(meter);
                    self.forget(id, node);
                    return path_end::finish(&mut self.step, state, &outcome);
                }
            }
            if stall.note(&progress, &Progress::of(&state)) {
                self.forget(id, node);
                return path_end::finish_stalled(&mut self.step, state);
            }
            if over {
                let holds = state.domain.memory.taken_bytes();
                self.grown += holds.saturating_sub(held) + made * BYTES_OF_TERM;
                return self.put_back(id, node, state);
            }
        }
    }

    /// Lets a state run until something must be decided, or for a while.
    fn run(&mut self, state: &mut State) -> StopOf<SymbolicDomain> {
        match &mut self.watcher {
            None => run(&self.step.table, &mut state.domain, &mut state.thread, TURN),
            Some(watcher) => watcher.run(&self.step.table, state, self.step.shared, TURN),
        }
    }

    /// What a stop leads to. `None` if a question took more work than it may now: then the operation has not
    /// happened, and is run again with more.
    fn transition(
        &mut self,
        state: &mut State,
        stop: StopOf<SymbolicDomain>,
    ) -> Option<StepOutcome> {
        let mark = state.domain.chosen_so_far();
        let parting = rejoin::parts(state);
        let next = transition::transition(&mut self.step, state, stop);
        self.step.gate.lift_limits();
        if let Some(parting) = parting {
            rejoin::part(self, state, parting, &next);
        }
        if !self.step.gate.take_too_hard() || matches!(next, StepOutcome::Go) {
            return Some(next);
        }
        state.domain.forget_chosen(mark);
        state.thread.retry();
        state.query_time += self.step.gate.take_spent();
        None
    }

    /// Where a state is, and what was asked and forked before its step.
    fn meter(&self, state: &State) -> Meter {
        Meter {
            at: state.thread.position(),
            asked: self.step.gate.asked(),
            time: self.step.gate.spent_in_all(),
            forked: self.step.forked,
        }
    }

    /// Counts what a step cost where it stands.
    fn count_costs(&mut self, before: Meter) {
        let costs = PlaceCosts {
            forks: self.step.forked - before.forked,
            queries: self.step.gate.asked() - before.asked,
            query_time: self.step.gate.spent_in_all() - before.time,
        };
        if costs.queries == 0 && costs.forks == 0 {
            return;
        }
        if let Some((function, next)) = before.at {
            let place = self.step.table.place_before(function, next);
            self.costs.entry((function, place)).or_default().add(&costs);
        }
    }

    fn note_coverage(&mut self, state: &mut State) {
        let mut fresh = self.step.cx.take_noted();
        if fresh.is_empty() {
            return;
        }
        if self.step.shared.observer.wants_lines() {
            state.trail.add(&fresh);
            fresh.sort_unstable();
            fresh.dedup();
        }
        if self.distances.is_some() {
            let cover = self.step.shared.cover_now();
            for (function, block) in fresh.iter().filter_map(|p| cover.block_of(*p)) {
                if machine_code::was_there(&self.step, function)
                    && let Some(distances) = &mut self.distances
                {
                    distances.cover(function, block);
                }
            }
        }
        if self.step.shared.note_covered(&fresh) {
            state.domain.covered_new = true;
            state.covered_at = state.thread.executed;
        }
    }

    /// Instructions to code that was not covered, if a searcher wants to know.
    pub(crate) fn distance(&self, state: &State) -> Option<u32> {
        let distances = self.distances.as_ref()?;
        let points = state.thread.points(&self.step.table).into_iter();
        let points = points.filter(|point| machine_code::was_there(&self.step, point.function));
        let distance = distances.from_stack(points)?;
        Some(u32::try_from(distance).unwrap_or(u32::MAX))
    }

    fn put_back(&mut self, id: StateId, node: NodeId, state: Box<State>) {
        if state.node != node {
            self.by_node.remove(&node);
            self.by_node.insert(state.node, id);
        }
        let distance = self.distance(&state);
        let visits = self.visits_of(&state);
        self.searcher
            .update(id, &state.for_searcher(distance, visits));
        self.states[id.0 as usize] = Some(state);
    }

    /// A number for a state.
    pub(crate) fn new_id(&mut self) -> StateId {
        match self.free.pop() {
            Some(free) => StateId(free),
            None => {
                self.states.push(None);
                StateId(self.states.len() as u32 - 1)
            }
        }
    }

    /// Takes up new states.
    pub(crate) fn adopt(&mut self, states: impl IntoIterator<Item = Box<State>>) {
        for state in states {
            let id = self.new_id();
            self.by_node.insert(state.node, id);
            let distance = self.distance(&state);
            let visits = self.visits_of(&state);
            let info = state.for_searcher(distance, visits);
            self.searcher.add(id, &info);
            if state.on_seed {
                self.seeded.add(id);
            }
            self.states[id.0 as usize] = Some(state);
            self.step.counters().taken_up.add(1);
        }
    }

    pub(crate) fn forget(&mut self, id: StateId, node: NodeId) {
        self.by_node.remove(&node);
        self.searcher.remove(id);
        self.free.push(id.0);
        self.step.counters().gone.add(1);
    }

    /// Lets a state wait for a feature.
    fn park(&mut self, id: StateId, node: NodeId, state: Box<State>) {
        moments::announce_conclusions(&mut self.step, &state);
        if state.node != node {
            self.by_node.remove(&node);
            self.by_node.insert(state.node, id);
        }
        self.searcher.remove(id);
        self.states[id.0 as usize] = Some(state);
        self.parked.push(id);
    }

    /// Lets the parked states run that a feature has released, or all, if there is no other.
    fn release(&mut self, all: bool) {
        let numbers = std::mem::take(&mut self.step.released);
        let parked = std::mem::take(&mut self.parked);
        for id in parked {
            let state = self.states[id.0 as usize].as_deref().expect("it waits");
            if !all && !numbers.contains(&state.number) {
                self.parked.push(id);
                continue;
            }
            let info = state.for_searcher(self.distance(state), self.visits_of(state));
            self.searcher.add(id, &info);
        }
    }

    /// The run must end: what lives is not followed. There may be hundreds of thousands of states, and
    /// the time is over, so each is only counted; those that get a test get one while there is time.
    fn stop_all(&mut self) {
        let omission = Omission::LeftOut(self.step.shared.ended_by());
        let tests_until = self.step.shared.config.grace_end();
        let mut without_test = 0u64;
        self.stop_postponed(&omission);
        let states = std::mem::take(&mut self.states).into_iter().flatten();
        for state in states {
            self.step.counters().gone.add(1);
            let covered_new = state.domain.covered_new;
            let wanted = self.step.shared.config.wants_test_of_stopped(covered_new);
            // A path that is run again has no model of its facts yet.
            let can = wanted && !state.is_replayed();
            if can && tests_until.is_none_or(|end| Instant::now() < end) {
                let model = Rc::clone(&state.domain.model);
                let outcome = Outcome::Stopped(omission.clone());
                path_end::ended(&mut self.step, &state, state.node, &outcome, &model, None);
                continue;
            }
            self.step.shared.leave_out(omission.clone());
            self.step.counters().stopped.add(1);
            without_test += u64::from(wanted);
        }
        for path in std::mem::take(&mut self.aside) {
            self.step.shared.leave_out(omission.clone());
            self.step.counters().stopped.add(1);
            let wanted = self
                .step
                .shared
                .config
                .wants_test_of_stopped(path.covered_new);
            without_test += u64::from(wanted);
        }
        if without_test > 0 {
            self.step.shared.leave_out(Omission::NoTests);
        }
    }
}
