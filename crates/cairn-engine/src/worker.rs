//! A worker: one thread with its own terms, solver and states.
//!
//! Workers share nothing but numbers and findings (`shared.rs`). A path moves from one to another
//! as its list of decisions and is run again there: the machine does the same given the same
//! decisions, so nothing is asked on the way.

use crate::announce::Features;
use crate::cases::Next;
use crate::commit::Learned;
use crate::costs::{CostTable, PlaceCosts};
use crate::counters::Own;
use crate::feature::{Departure, Ruling};
use crate::figures::Published;
use crate::finding::Outcome;
use crate::gate::Gate;
use crate::intrinsics::{Intrinsic, intrinsic};
use crate::moving::Aside;
use crate::omission::{Omission, Question};
use crate::progress::{Progress, Stall};
use crate::report::LayerReport;
use crate::search::{Searcher, StateId};
use crate::seeded::SeededFirst;
use crate::self_check::{Budget, SelfCheck};
use crate::shared::{Path, Shared};
use crate::sizes::LARGEST_OPEN;
use crate::space::Space;
pub use crate::start::StartError;
use crate::start::{distances, features};
use crate::state::{Guide, Stage, State};
use crate::tools::Tools;
use crate::tracer::Tracer;
use crate::tree::{NodeId, Tree};
use crate::value::{Value, Wide};
use crate::visits::Visits;
use cairn_bv::BitVec;
use cairn_expr::{Model, Sort, Value as ModelValue};
use cairn_ir::analysis::distance::Distances;
use cairn_ir::{FuncId, PlaceId};
use cairn_machine::natives::{self, Library, Native};
use cairn_machine::{
    CodeTable, Stop, StopOf, TRANSLATE, Thread, lay_out, memory_for, program_arguments, run,
};
use cairn_memory::{Reach, Word};
use cairn_solver::Facts;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Operations between two looks at the clock.
const SLICE: u64 = 200_000;

/// What a function without a body is.
#[derive(Clone, Copy)]
pub(crate) enum Provided {
    Intrinsic(Intrinsic),
    Native(Native),
    /// Code at an address that is not part of the program.
    Translate,
    Nothing,
}

/// What was counted before a step.
struct Meter {
    at: Option<(FuncId, u32)>,
    asked: u64,
    time: Duration,
    forked: u64,
}

/// See the module's head.
pub struct Worker<'s> {
    pub(crate) shared: &'s Shared,
    number: usize,
    pub(crate) tools: Rc<Tools>,
    pub(crate) table: CodeTable<Value>,
    pub(crate) gate: Gate,
    pub(crate) tree: Tree,
    pub(crate) entry: FuncId,
    /// What the entry is given, as far as it wants it.
    pub(crate) arguments: [Word; 3],
    pub(crate) globals: Rc<[Word]>,
    /// What functions without a body are, by number.
    pub(crate) provided: Rc<[Provided]>,
    /// The code to run in a native's place where bytes are not known.
    pub(crate) runtime: Rc<FxHashMap<String, FuncId>>,
    pub(crate) features: Features,
    /// Parked states that a feature has released: their numbers.
    pub(crate) released: Vec<u64>,
    /// States that wait for a feature. The searcher does not know them.
    parked: Vec<StateId>,
    pub(crate) searcher: Box<dyn Searcher>,
    pub(crate) states: Vec<Option<Box<State>>>,
    free: Vec<u32>,
    pub(crate) by_node: FxHashMap<NodeId, StateId>,
    /// The state before the program starts.
    first: Box<State>,
    /// States that there was no memory for.
    pub(crate) aside: Vec<Aside>,
    /// How far it is to what this worker has not covered; only if a searcher asks.
    distances: Option<Distances>,
    pub(crate) looked_at_memory: Instant,
    /// Since when the process is far above its memory limit with nothing to let go.
    pub(crate) far_above_since: Option<Instant>,
    /// Runs tests again; made for the first test.
    pub(crate) self_check: Option<SelfCheck>,
    pub(crate) check_budget: Budget,
    published: Published,
    /// States so far.
    numbered: u64,
    /// Forks so far.
    pub(crate) forked: u64,
    /// What places cost.
    costs: CostTable,
    /// What searchers want to know of states.
    pub(crate) visits: Visits,
    /// States that seeds follow, and others.
    pub(crate) seeded: SeededFirst,
    /// Shows each instruction before it runs; only if somebody wants to see them.
    tracer: Option<Tracer>,
}

impl<'s> Worker<'s> {
    /// Lays the program out.
    pub fn new(shared: &'s Shared, number: usize) -> Result<Self, StartError> {
        let config = &shared.config;
        let program = &shared.program;
        let entry = program
            .find_function(&config.entry)
            .filter(|f| program.function(*f).body.is_some())
            .ok_or_else(|| StartError::NoEntry(config.entry.clone()))?;
        let stop = std::sync::Arc::clone(&shared.stop);
        let mut tools = Tools::new(shared.cover_now().len(), &config.limits, stop);
        if shared.observer.wants_lines() {
            tools = tools.noting_every_pass();
        }
        let tools = Rc::new(tools);
        let code = config.code.as_deref();
        let mut memory = memory_for(&config.memory, code);
        let globals: Rc<[Word]> = lay_out(program, &mut memory)?.into();
        if let Some(code) = code {
            code.load(&mut memory, &globals).map_err(StartError::Load)?;
        }
        let mut library = Library::place(program, &mut memory, &globals)?;
        if let Some(setup) = &config.system {
            library.boot(setup, &mut memory)?;
        }
        let arguments = match code {
            // They are on its stack.
            Some(_) => [Word::int(0); 3],
            None => program_arguments(&mut memory, &config.args, &config.variables)?,
        };
        let slots = program.slots.iter();
        let slots = slots.map(|s| Wide::Bits(BitVec::zero(s.width))).collect();
        let mut space = Space::new(
            Rc::clone(&tools),
            memory,
            Rc::clone(&globals),
            slots,
            config.unwritten,
        );
        space.reaches_any = config.memory.reach == Reach::AnyObject || code.is_some();
        space.bases = config.bases;
        // Where machine code is, and its segments, is part of it.
        space.tracks_addresses = code.is_none() && !config.unsupported_are_errors;
        // Bytes that may not exist are unwritten ones, which a term of the whole object mentions.
        space.sizes.most = match config.check_uninit {
            true => 0,
            false => config.max_symbolic_size.min(LARGEST_OPEN),
        };
        let mut gate = Gate::new(config, &shared.stop)?;
        let features = Features::new(features(shared));
        if features.want_reasons() {
            gate.want_reasons();
        }
        if gate.wants_reasons() {
            tools.want_reasons();
        }
        let stop_points = features.stop_points(program);
        let natives = natives::of_program(program);
        let provided = program.functions.iter().zip(natives).map(|(f, native)| {
            if f.body.is_some() {
                return Provided::Nothing;
            }
            match (intrinsic(&f.name), native) {
                (Some(intrinsic), _) => Provided::Intrinsic(intrinsic),
                (None, Some(native)) => Provided::Native(native),
                (None, None) if f.name == TRANSLATE => Provided::Translate,
                (None, None) => Provided::Nothing,
            }
        });
        let runtime = program.functions.iter().enumerate().filter_map(|(i, f)| {
            let name = f.name.strip_prefix("cairn.runtime.")?;
            Some((name.to_string(), FuncId::new(i)))
        });
        let (tree, root) = Tree::new();
        let first = Box::new(State {
            thread: Thread::default(),
            space,
            library,
            facts: Facts::new(),
            decisions: Default::default(),
            stage: Stage::Constructor(0),
            returned: None,
            clocks: Vec::new(),
            told: Vec::new(),
            node: root,
            parted_at: root,
            depth: 0,
            covered_at: 0,
            preferred: Vec::new(),
            guide: Guide::default(),
            known: Default::default(),
            bytes: Default::default(),
            points: Default::default(),
            trail: Default::default(),
            query_time: Duration::ZERO,
            number: 0,
            on_seed: false,
            may_fork: true,
            sites: Default::default(),
        });
        Ok(Worker {
            shared,
            number,
            table: CodeTable::new(std::sync::Arc::clone(program))
                .covering(shared.cover_now())
                .telling_unwritten()
                .stopping_at(std::sync::Arc::new(stop_points)),
            gate,
            tree,
            entry,
            arguments,
            globals,
            provided: provided.collect(),
            runtime: Rc::new(runtime.collect()),
            features,
            released: Vec::new(),
            parked: Vec::new(),
            searcher: crate::search::build(
                &config.search,
                config.seed.wrapping_add(number as u64),
            )?,
            states: Vec::new(),
            free: Vec::new(),
            by_node: FxHashMap::default(),
            first,
            aside: Vec::new(),
            distances: config.search.contains("md2u").then(|| distances(program)),
            looked_at_memory: Instant::now(),
            far_above_since: None,
            self_check: None,
            check_budget: Budget::new(config.self_check),
            published: Published::default(),
            numbered: 0,
            forked: 0,
            costs: CostTable::default(),
            visits: Visits::new(&config.search),
            seeded: SeededFirst::default(),
            tracer: shared.observer.wants_instructions().then(Tracer::default),
            tools,
        })
    }

    /// Explores paths until there are none left or the run must end.
    pub fn work(&mut self) {
        while let Some(path) = self.next_path() {
            self.start(path);
            while let Some(id) = self.pick() {
                self.advance(id);
                let wish = self.shared.figures_wanted();
                if self.published.wish != wish {
                    self.published.wish = wish;
                    self.published.publish(&self.gate, &self.shared.counters);
                }
                if self.shared.over() {
                    break;
                }
                if self.shared.somebody_waits() {
                    self.give();
                }
                if self.short_of_memory() {
                    self.set_aside();
                }
            }
            if self.shared.over() {
                self.stop_all();
                break;
            }
        }
        self.published.publish(&self.gate, &self.shared.counters);
        self.shared.counters.add_accesses(self.tools.accesses());
        let costs = std::mem::take(&mut self.costs);
        self.shared.add_costs(self.tools.all_passes(), costs);
        if let Some(counts) = self.gate.reason_counts() {
            self.shared.add_reasons(counts);
        }
    }

    /// A number for a state that is new.
    pub(crate) fn number_state(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// What this worker counts by itself.
    pub(crate) fn own(&self) -> &'s Own {
        self.shared.counters.of(self.number)
    }

    /// What the layers of the solver did.
    pub fn layers(&self) -> Vec<LayerReport> {
        let stats = self.gate.chain().stats().into_iter();
        stats
            .filter(|(name, _)| *name != crate::query_log::LAYER)
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
        if !self.released.is_empty() {
            self.release(false);
        }
        let by_node = &self.by_node;
        let picked = self.searcher.pick(&self.tree, &|node| by_node[&node]);
        if picked.is_some() || self.parked.is_empty() {
            return picked;
        }
        self.release(true);
        let by_node = &self.by_node;
        self.searcher.pick(&self.tree, &|node| by_node[&node])
    }

    /// Begins a path from the program's start.
    fn start(&mut self, path: Path) {
        let root = match self.tree.root() {
            // The first path of all.
            Some(root) => root,
            None => self.tree.plant(),
        };
        let mut state = self.first.clone();
        state.node = root;
        state.parted_at = root;
        state.depth = path.depth;
        state.number = self.number_state();
        state.on_seed = self.shared.config.seeding.is_some();
        state.guide = Guide {
            steps: path.decisions.into(),
            given: path.given,
        };
        state.space.forced = path.chosen.into();
        let mut model = Model::new();
        for (symbol, value) in path.model {
            let symbol = self.tools.store.free(symbol, Sort::BitVec(value.width()));
            model.set(symbol, ModelValue::Bv(value));
        }
        state.space.model = Rc::new(model);
        match self.begin(&mut state, Stage::Constructor(0)) {
            Next::Go => self.adopt([state]),
            Next::Cases(_) => unreachable!("nothing is symbolic yet"),
            Next::End(outcome) => self.finish(state, &outcome),
        }
    }

    /// Lets a state run until it forks, ends or has run for long.
    fn advance(&mut self, id: StateId) {
        let mut state = self.states[id.0 as usize].take().expect("it lives");
        let mut node = state.node;
        // What was asked about another state's end.
        self.gate.take_spent();
        let mut spent = 0;
        let mut stall = Stall::default();
        loop {
            let before = state.thread.executed;
            let progress = Progress::of(&state);
            let began = state.thread.position();
            let stop = self.run(&mut state);
            let executed = state.thread.executed - before;
            self.count_visits(&state, executed);
            let in_limits = self.shared.count_instructions(self.own(), executed);
            self.take_choices_since(&mut state, began);
            if !state.space.addresses_used.is_empty() {
                self.note_addresses(&mut state);
            }
            self.note_coverage(&mut state);
            // A call or a decision may take long, whatever it executes.
            spent += executed + SLICE / 256;
            let over = spent >= SLICE || !in_limits;
            let meter = self.meter(&state);
            let next = match stop {
                Stop::Arrived(block) => match self.rule(&state, block) {
                    Ruling::GoOn => Next::Go,
                    Ruling::Park => return self.park(id, node, state),
                    Ruling::Covered(by) => Next::End(Outcome::Covered(by)),
                    Ruling::Replace(other) => {
                        assert!(other.node == node, "it goes on at the same node");
                        state = other;
                        Next::Go
                    }
                },
                stop => self.transition(&mut state, stop),
            };
            state.query_time += self.gate.take_spent();
            self.announce_conclusions(&state);
            match next {
                Next::Go => self.count_costs(meter),
                Next::Cases(cases) => {
                    // Choices that the transition itself made.
                    self.take_choices(&mut state);
                    let guided = state.guide.runs_again();
                    let committed = self.commit(state, cases);
                    self.count_costs(meter);
                    match committed {
                        Some(next) => state = next,
                        None => return self.forget(id, node),
                    }
                    if guided && state.guide.steps.is_empty() && !self.arrive(&mut state) {
                        self.forget(id, node);
                        return self.leave(state, Departure::Lost);
                    }
                    if state.node != node && state.node == state.parted_at {
                        return self.put_back(id, node, state);
                    }
                    if state.node != node {
                        // The other ways were errors.
                        self.by_node.remove(&node);
                        self.by_node.insert(state.node, id);
                        node = state.node;
                    }
                }
                Next::End(outcome) => {
                    self.take_choices(&mut state);
                    self.count_costs(meter);
                    self.forget(id, node);
                    return self.finish(state, &outcome);
                }
            }
            if stall.note(&progress, &Progress::of(&state)) {
                self.forget(id, node);
                return self.finish_stalled(state);
            }
            if over {
                return self.put_back(id, node, state);
            }
        }
    }

    /// Ends a path that an operation keeps from going on, which is a bug in Cairn.
    fn finish_stalled(&mut self, state: Box<State>) {
        let place = self.trace(&state).first().map(|(_, place)| *place);
        let place = place.map_or_else(|| "an unknown place".to_string(), |p| self.place_text(p));
        let what = format!("{place}: an operation is run again for ever");
        self.shared.note_bug(&what);
        self.finish(state, &Outcome::Stopped(Omission::Bug(what)));
    }

    /// Lets a state run until something must be decided, or for a while.
    fn run(&mut self, state: &mut State) -> StopOf<Space> {
        match &mut self.tracer {
            None => run(&self.table, &mut state.space, &mut state.thread, SLICE),
            Some(tracer) => tracer.run(&self.table, state, self.shared, SLICE),
        }
    }

    /// Where a state is, and what was asked and forked before its step.
    fn meter(&self, state: &State) -> Meter {
        Meter {
            at: state.thread.position(),
            asked: self.gate.asked(),
            time: self.gate.spent_in_all(),
            forked: self.forked,
        }
    }

    /// Counts what a step cost where it stands.
    fn count_costs(&mut self, before: Meter) {
        let costs = PlaceCosts {
            forks: self.forked - before.forked,
            queries: self.gate.asked() - before.asked,
            query_time: self.gate.spent_in_all() - before.time,
        };
        if costs.queries == 0 && costs.forks == 0 {
            return;
        }
        if let Some((function, next)) = before.at {
            let place = self.table.place_before(function, next);
            self.costs.entry((function, place)).or_default().add(&costs);
        }
    }

    /// A path that was run again is where it was: its model must hold.
    fn arrive(&mut self, state: &mut State) -> bool {
        let model = Rc::clone(&state.space.model);
        if state.facts.iter().all(|f| self.tools.holds(&model, f)) {
            return true;
        }
        match self.gate.model(&self.tools.store, &state.facts) {
            Some(model) => {
                state.space.model = model;
                true
            }
            None => {
                let why = "no model was found".to_string();
                self.shared
                    .leave_out(Omission::Undecided(Question::TakenUp, why));
                self.own().stopped.add(1);
                false
            }
        }
    }

    /// Facts that a transition chose, under which the model holds.
    pub(crate) fn take_choices(&mut self, state: &mut State) {
        self.take_choices_since(state, None);
    }

    /// Facts that operations chose, under which the model holds; they were executed since this position, or
    /// the last of them chose.
    fn take_choices_since(&mut self, state: &mut State, began: Option<(FuncId, u32)>) {
        if state.space.chosen.is_empty() {
            return;
        }
        for fact in std::mem::take(&mut state.space.chosen) {
            self.learn(state, fact, Learned::Chose);
        }
        if state.space.narrowed.is_empty() {
            return;
        }
        let ended = self.trace(state).first().map(|(_, place)| *place);
        let began = began.map(|(function, at)| self.table.place(function, at));
        let text = |place: PlaceId| self.place_text(place);
        // Operations do not know where they are, so that there may be a range of places.
        let at = match (began, ended) {
            (Some(began), Some(ended)) if text(began) != text(ended) => {
                format!("between {} and {}", text(began), text(ended))
            }
            (Some(began), None) => format!("after {}", text(began)),
            (_, Some(ended)) => text(ended),
            (None, None) => "at an unknown place".to_string(),
        };
        for what in std::mem::take(&mut state.space.narrowed) {
            self.shared.leave_out(Omission::Narrowed(at.clone(), what));
        }
    }

    fn note_coverage(&mut self, state: &mut State) {
        let mut fresh = self.tools.take_noted();
        if fresh.is_empty() {
            return;
        }
        if self.shared.observer.wants_lines() {
            state.trail.add(&fresh);
            fresh.sort_unstable();
            fresh.dedup();
        }
        if self.distances.is_some() {
            let cover = self.shared.cover_now();
            for (function, block) in fresh.iter().filter_map(|p| cover.block_of(*p)) {
                if self.was_there(function)
                    && let Some(distances) = &mut self.distances
                {
                    distances.cover(function, block);
                }
            }
        }
        if self.shared.note_covered(&fresh) {
            state.space.covered_new = true;
            state.covered_at = state.thread.executed;
        }
    }

    /// Instructions to code that was not covered, if a searcher wants to know.
    fn distance(&self, state: &State) -> Option<u32> {
        let distances = self.distances.as_ref()?;
        let points = state.thread.points(&self.table).into_iter();
        let points = points.filter(|point| self.was_there(point.function));
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
            .update(id, &state.facts_for_search(distance, visits));
        self.states[id.0 as usize] = Some(state);
    }

    /// Takes up new states.
    pub(crate) fn adopt(&mut self, states: impl IntoIterator<Item = Box<State>>) {
        for state in states {
            let id = match self.free.pop() {
                Some(free) => StateId(free),
                None => {
                    self.states.push(None);
                    StateId(self.states.len() as u32 - 1)
                }
            };
            self.by_node.insert(state.node, id);
            let distance = self.distance(&state);
            let visits = self.visits_of(&state);
            let facts = state.facts_for_search(distance, visits);
            self.searcher.add(id, &facts);
            if state.on_seed {
                self.seeded.add(id);
            }
            self.states[id.0 as usize] = Some(state);
            self.own().taken_up.add(1);
        }
    }

    pub(crate) fn forget(&mut self, id: StateId, node: NodeId) {
        self.by_node.remove(&node);
        self.searcher.remove(id);
        self.free.push(id.0);
        self.own().gone.add(1);
    }

    /// A state's path is over.
    pub(crate) fn finish(&mut self, state: Box<State>, outcome: &Outcome) {
        let model = Rc::clone(&state.space.model);
        let node = state.node;
        self.ended(&state, node, outcome, &model, None);
        drop(state);
        self.end_node(node);
    }

    /// Lets a state wait for a feature.
    fn park(&mut self, id: StateId, node: NodeId, state: Box<State>) {
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
        let numbers = std::mem::take(&mut self.released);
        let parked = std::mem::take(&mut self.parked);
        for id in parked {
            let state = self.states[id.0 as usize].as_deref().expect("it waits");
            if !all && !numbers.contains(&state.number) {
                self.parked.push(id);
                continue;
            }
            let facts = state.facts_for_search(self.distance(state), self.visits_of(state));
            self.searcher.add(id, &facts);
        }
    }

    /// The run must end: what lives is not followed. There may be hundreds of thousands of states, and
    /// the time is over, so each is only counted; those that get a test get one while there is time.
    fn stop_all(&mut self) {
        let cut = Omission::LeftOut(self.shared.ended_by());
        let tests_until = self.shared.config.limits.grace_end();
        let mut without_test = 0u64;
        let states = std::mem::take(&mut self.states).into_iter().flatten();
        for state in states {
            self.own().gone.add(1);
            let in_time = tests_until.is_none_or(|end| Instant::now() < end);
            if self.shared.config.tests_of_stopped && in_time {
                let model = Rc::clone(&state.space.model);
                let outcome = Outcome::Stopped(cut.clone());
                self.ended(&state, state.node, &outcome, &model, None);
                continue;
            }
            self.shared.leave_out(cut.clone());
            self.own().stopped.add(1);
            without_test += 1;
        }
        if self.shared.config.tests_of_stopped && without_test > 0 {
            self.shared.leave_out(Omission::NoTests);
        }
        for _ in std::mem::take(&mut self.aside) {
            self.shared.leave_out(cut.clone());
            self.own().stopped.add(1);
        }
    }
}
