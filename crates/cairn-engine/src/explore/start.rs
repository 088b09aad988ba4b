//! What a worker starts with: the program laid out, the first state, its features, distances to uncovered
//! code, and why it may not start at all.

use crate::calls::intrinsics::intrinsic;
use crate::config::Config;
use crate::explore::shared::Shared;
use crate::explore::test_rerun::RerunBudget;
use crate::features::feature::Feature;
use crate::features::moments::Features;
use crate::features::{
    AskSolver, ByteSets, EveryCore, FixedInputs, ForkLimits, KnownConditions, Seeds,
};
use crate::gate::Gate;
use crate::memory::policy::MemoryPolicy;
use crate::memory::segments::Segments;
use crate::memory::sizes::LARGEST_OPEN;
use crate::merge::{MergeMode, MergePoints, Merger};
use crate::path::state::State;
use crate::path::step_context::{BodilessFunction, StepContext};
use crate::path::tree::Tree;
use crate::search::{Plain, SearchSpec, WeightBy};
use crate::values::layouts::GuestLayout;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Wide;
use crate::values::worker_context::WorkerContext;
use cairn_bv::BitVec;
use cairn_ir::analysis::callgraph::CallGraph;
use cairn_ir::analysis::distance::Distances;
use cairn_ir::{FuncId, Program};
use cairn_machine::natives;
use cairn_machine::{CodeTable, LayoutError, MachineCode, Process, TRANSLATE, entry_arguments};
use cairn_memory::{Memory, Reach, Word};
use std::rc::Rc;
use std::sync::Arc;

/// Why a worker cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The solver cannot be built.
    #[error(transparent)]
    Solver(#[from] cairn_solver::ChainError),
    /// The program does not fit into memory.
    #[error("the program does not fit: {0}")]
    Layout(#[from] cairn_memory::Fault),
    /// What lies beside its globals does not.
    #[error("the program cannot be loaded: {0}")]
    Load(String),
    /// The program's environment cannot be set up.
    #[error(transparent)]
    System(#[from] cairn_linux::SetupError),
    /// The system starts no more threads.
    #[error("worker {number} cannot be started: {source}; a run with fewer workers may start")]
    Thread {
        /// Which one.
        number: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no such function.
    #[error("no function {0} to begin with")]
    NoEntry(String),
}

impl From<LayoutError> for StartError {
    fn from(error: LayoutError) -> Self {
        match error {
            LayoutError::Fault(fault) => StartError::Layout(fault),
            LayoutError::Load(why) => StartError::Load(why),
        }
    }
}

/// Lays the program out: what all steps of a worker share, and the state before the program starts.
pub(crate) fn begin(
    shared: &Shared,
    number: usize,
) -> Result<(StepContext<'_>, Box<State>), StartError> {
    let config = &shared.config;
    let program = &shared.program;
    let entry = program
        .find_function(&config.entry)
        .filter(|f| program.function(*f).body.is_some())
        .ok_or_else(|| StartError::NoEntry(config.entry.clone()))?;
    let mut cx = WorkerContext::new(
        shared.cover_now().len(),
        &config.limits,
        Arc::clone(&shared.stop),
    );
    if shared.observer.wants_lines() {
        cx = cx.noting_every_pass();
    }
    let cx = Rc::new(cx);
    let code = config.code.as_deref();
    let process = Process::new(program, &config.memory, code)?;
    let (mut memory, mut library) = (process.memory, process.library);
    let globals: Rc<[Word]> = process.globals.into();
    if let Some(setup) = &config.system {
        library.boot(setup, &mut memory)?;
    }
    let arguments = entry_arguments(&mut memory, code, &config.args, &config.variables)?;
    let domain = symbolic_domain(config, program, &cx, memory, &globals);
    let mut gate = Gate::new(config, &shared.stop)?;
    let features = Features::new(features(shared));
    if features.want_reasons() {
        gate.want_reasons();
    }
    if gate.wants_reasons() {
        cx.want_reasons();
    }
    let stop_points = features.stop_points(program);
    let (tree, root) = Tree::new();
    let step = StepContext {
        shared,
        number,
        cx,
        table: CodeTable::new(Arc::clone(program))
            .covering(shared.cover_now())
            .telling_unwritten()
            .stopping_at(Arc::new(stop_points)),
        gate,
        tree,
        entry,
        arguments,
        globals,
        bodiless: bodiless_functions(program, code),
        runtime: Rc::new(runtime_functions(program).collect()),
        features,
        released: Vec::new(),
        traced: None,
        forked_states: Vec::new(),
        postponed_cases: Vec::new(),
        merger: Merger::of(config)?,
        test_rerun: None,
        check_budget: RerunBudget::new(config.self_check),
        numbered: 0,
        forked: 0,
    };
    Ok((step, Box::new(State::first(domain, library, root))))
}

/// Values and memory before the program starts.
fn symbolic_domain(
    config: &Config,
    program: &Program,
    cx: &Rc<WorkerContext>,
    memory: Memory,
    globals: &Rc<[Word]>,
) -> SymbolicDomain {
    let slots = program.slots.iter();
    let slots = slots.map(|s| Wide::Bits(BitVec::zero(s.width))).collect();
    let mut domain = SymbolicDomain::new(
        Rc::clone(cx),
        memory,
        Rc::clone(globals),
        slots,
        config.unwritten,
    );
    let is_machine_code = config.code.is_some();
    domain.reaches_any = config.memory.reach == Reach::AnyObject || is_machine_code;
    domain.bases = config.bases;
    // A term of several objects mentions the unwritten bytes of each.
    domain.policy = match config.check_uninit {
        true => MemoryPolicy::Fork,
        false => config.policy,
    };
    domain.segments = match config.check_uninit {
        true => Segments::default(),
        false => Segments::new(program, globals, config.policy, config.resolution),
    };
    domain.tracks_addresses = !config.unsupported_are_errors;
    let layout = |code| Rc::new(GuestLayout::new(code, config));
    domain.layout = config.code.as_deref().map(layout);
    // Bytes that may not exist are unwritten ones, which a term of the whole object mentions.
    domain.sizes.most = match config.check_uninit {
        true => 0,
        false => config.max_symbolic_size.min(LARGEST_OPEN),
    };
    domain
}

/// What functions without a body are, by number.
fn bodiless_functions(program: &Program, code: Option<&dyn MachineCode>) -> Rc<[BodilessFunction]> {
    let natives = natives::of_program(program, code);
    let has_code = |i: usize| code.is_some_and(|code| code.has_code(FuncId::new(i)));
    let functions = program.functions.iter().zip(natives).enumerate();
    let bodiless = functions.map(|(i, (f, native))| {
        if f.body.is_some() || has_code(i) {
            return BodilessFunction::Nothing;
        }
        match (intrinsic(&f.name), native) {
            (Some(intrinsic), _) => BodilessFunction::Intrinsic(intrinsic),
            (None, Some(native)) => BodilessFunction::Native(native),
            (None, None) if f.name == TRANSLATE => BodilessFunction::Translate,
            (None, None) => BodilessFunction::Nothing,
        }
    });
    bodiless.collect()
}

/// The code that stands in for native functions if bytes are not known, by their names.
fn runtime_functions(program: &Program) -> impl Iterator<Item = (String, FuncId)> {
    program.functions.iter().enumerate().filter_map(|(i, f)| {
        let name = f.name.strip_prefix("cairn.runtime.")?;
        Some((name.to_string(), FuncId::new(i)))
    })
}

/// Distances to all of the program's own code, if a searcher weighs by them.
pub(crate) fn distances(program: &Program, search: &SearchSpec) -> Option<Distances> {
    if !search.has(Plain::Weighted(WeightBy::Distance)) {
        return None;
    }
    let calls = CallGraph::new(program);
    Some(Distances::new(program, &calls, |function, _| {
        !program.function(function).name.starts_with("cairn.")
    }))
}

/// The features of a run, in the order in which they see what is pending: those that the caller of the run
/// added, then those that decide, the cheapest first, then those that look at what was decided.
pub(crate) fn features(shared: &Shared) -> Vec<Box<dyn Feature>> {
    let limits = &shared.config.limits;
    let mut all: Vec<Box<dyn Feature>> = shared.features.iter().map(|make| make()).collect();
    if let Some(seeding) = &shared.config.seeding {
        all.push(Box::new(Seeds::new(std::sync::Arc::clone(seeding))));
    }
    all.push(Box::new(KnownConditions));
    all.push(Box::new(ByteSets));
    all.push(Box::new(FixedInputs::default()));
    all.push(Box::new(AskSolver));
    all.push(Box::new(ForkLimits {
        depth: limits.depth,
        forks: limits.forks,
    }));
    if shared.config.merge != MergeMode::None {
        all.push(Box::new(MergePoints(shared.config.merge)));
    }
    all.extend(shared.features_behind.iter().map(|make| make()));
    if shared.config.core_of_every_reason {
        all.push(Box::new(EveryCore));
    }
    all.extend(shared.tree_keeper.as_ref().map(|keeper| keeper.feature()));
    all
}
