//! What an exploration is told.

use crate::calls::externals::Externals;
use crate::features::Seeding;
use crate::finding::FindingKind;
use crate::gate::query_log::QueryLog;
use crate::memory::bases::Bases;
use crate::memory::policy::MemoryPolicy;
use crate::memory::segments::Resolution;
use crate::merge::{MergeFault, MergeMode};
use crate::path::decisions::LoggedDecision;
use crate::search::SearchSpec;
use crate::values::symbolic_domain::Unwritten;
use cairn_machine::MachineCode;
use cairn_memory::MemoryConfig;
use cairn_solver::{AnswerFile, CoreName, LayerList};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits of a run. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// When the run started; set by the run.
    pub start: Option<Instant>,
    /// Time of the whole run.
    pub time: Option<Duration>,
    /// Processor time of all workers together.
    pub cpu_time: Option<Duration>,
    /// Bytes that the process may have resident.
    pub memory: Option<u64>,
    /// Operations of all paths together.
    pub instructions: Option<u64>,
    /// Forks of one path.
    pub depth: Option<u32>,
    /// Forks of all paths together.
    pub forks: Option<u64>,
    /// Tests written.
    pub tests: Option<u64>,
    /// Findings after which the run ends.
    pub findings: Option<u64>,
    /// Time of one query.
    pub solver: Option<Duration>,
}

impl Limits {
    /// When the run must be over.
    pub fn deadline(&self) -> Option<Instant> {
        // A time beyond what the clock can tell is no limit.
        self.start?.checked_add(self.time?)
    }
}

/// For which paths that were not followed to their end tests are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoppedTests {
    /// None.
    #[default]
    None,
    /// Those that covered something that no test has.
    CoveringNew,
    /// Those for which a path that ends has one.
    All,
}

/// A call by which a program ends itself because something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainEnd {
    /// `abort`.
    Abort,
    /// A failed assertion of the C library.
    Assertion,
    /// `reach_error`.
    ErrorCall,
}

impl PlainEnd {
    /// The kind of error that it is otherwise.
    pub fn kind(self) -> FindingKind {
        match self {
            PlainEnd::Abort => FindingKind::Abort,
            PlainEnd::Assertion | PlainEnd::ErrorCall => FindingKind::Assertion,
        }
    }
}

/// What an exploration is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// The searchers, interleaved.
    pub search: SearchSpec,
    /// Where random choices start.
    pub seed: u64,
    /// Worker threads.
    pub jobs: usize,
    /// Limits.
    pub limits: Limits,
    /// Layers of the solver.
    pub layers: LayerList,
    /// Its core solver.
    pub core: CoreName,
    /// What memory holds that was not written.
    pub unwritten: Unwritten,
    /// What stands for the beginning of an object in terms.
    pub bases: Bases,
    /// What an access by a pointer is that may be to several objects.
    pub policy: MemoryPolicy,
    /// How the objects of such a pointer are found.
    pub resolution: Resolution,
    /// Which paths are merged.
    pub merge: MergeMode,
    /// Limits of a program's memory.
    pub memory: MemoryConfig,
    /// Report every path that ends in an error, not only the first at a place.
    pub all_errors: bool,
    /// What Cairn does not support is reported as an error of the program, as KLEE does it. Otherwise it
    /// is what was not explored.
    pub unsupported_are_errors: bool,
    /// Report memory that was never freed and that nothing points to.
    pub check_leaks: bool,
    /// With `check_leaks`: report memory that was never freed, whatever points to it.
    pub check_unfreed: bool,
    /// Calls by which a program ends itself that are no errors: it ends there as it does elsewhere.
    pub plain_ends: Vec<PlainEnd>,
    /// Report what depends on memory that was never written; it must not be taken for zeros.
    pub check_uninit: bool,
    /// The largest size in bytes of an object that is asked for with a size that depends on inputs
    /// and is one path for all sizes; 0 makes each size a path, as `check_uninit` does.
    pub max_symbolic_size: u64,
    /// The most bytes of the input of a fuzzing harness.
    pub fuzz_bytes: u64,
    /// Write tests only for paths that covered something new, and for errors.
    pub only_covering_new: bool,
    /// Prove every reason why something cannot happen again with another solver.
    pub check_reasons: bool,
    /// Drop a fact from one reason in so many before it is proved again: for the test of that check.
    pub drop_from_reasons: Option<usize>,
    /// Break each merge in this way: for the test that the check of merges, and the comparison of runs, sees it.
    pub merge_fault: Option<MergeFault>,
    /// Set half of the states aside after so many turns of a worker, as if memory were short: for tests.
    pub set_aside_after: Option<u64>,
    /// Ask for the unsat core of every reason and drop it: for measuring what reasons cost.
    pub core_of_every_reason: bool,
    /// Keep so many nodes of the execution tree for the report ([`crate::KeptTree`]); without it none.
    pub keep_tree: Option<usize>,
    /// Run every test again, not only as many as cost little.
    pub self_check: bool,
    /// For which paths that were not followed to their end tests are written.
    pub tests_of_stopped: StoppedTests,
    /// An assumption that cannot hold ends its path without a word.
    pub silent_assume: bool,
    /// Kinds of errors that end the run.
    pub stop_on: Vec<FindingKind>,
    /// Kinds of errors that operations are not checked for.
    pub unchecked: Vec<FindingKind>,
    /// Inputs whose paths are followed first, or alone.
    pub seeding: Option<Arc<Seeding>>,
    /// Decisions of the one path that is followed.
    pub replayed: Option<Arc<[LoggedDecision]>>,
    /// A file of answers that the solver takes some from and adds some to; the layers must have one that keeps answers.
    pub answers: Option<Arc<AnswerFile>>,
    /// Who writes queries down.
    pub query_log: Option<Arc<dyn QueryLog>>,
    /// Functions of the host; without it none is called.
    pub externals: Option<Arc<dyn Externals>>,
    /// Arguments of the program, its name first.
    pub args: Vec<Vec<u8>>,
    /// The environment's variables, each `NAME=VALUE`.
    pub variables: Vec<Vec<u8>>,
    /// The system that a program with a C library of its own calls.
    pub system: Option<cairn_linux::Setup>,
    /// The executable that the program was made from, if it was.
    pub code: Option<Arc<dyn MachineCode>>,
    /// What is covered of the C library counts too.
    pub cover_libc: bool,
    /// The function to start with.
    pub entry: String,
}

/// How long tests of those paths are written that covered something new, after the run was ended.
const TESTS_AFTER_END: Duration = Duration::from_millis(500);

impl Config {
    /// Whether a path that was not followed to its end gets a test.
    pub(crate) fn wants_test_of_stopped(&self, covered_new: bool) -> bool {
        match self.tests_of_stopped {
            StoppedTests::None => false,
            StoppedTests::CoveringNew => covered_new,
            StoppedTests::All => covered_new || !self.only_covering_new,
        }
    }

    /// Until when tests of paths that were not followed to their end are written, if the run was ended now.
    /// All of them may be hundreds of thousands: a tenth of the time more, and at least a second.
    pub(crate) fn grace_end(&self) -> Option<Instant> {
        match self.tests_of_stopped {
            StoppedTests::None | StoppedTests::CoveringNew => {
                Instant::now().checked_add(TESTS_AFTER_END)
            }
            StoppedTests::All => {
                let grace = (self.limits.time? / 10).max(Duration::from_secs(1));
                self.limits.deadline()?.checked_add(grace)
            }
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            search: SearchSpec::default(),
            seed: 0,
            jobs: 1,
            limits: Limits::default(),
            layers: LayerList::default(),
            core: CoreName::default(),
            unwritten: Unwritten::Anything,
            bases: Bases::default(),
            policy: MemoryPolicy::default(),
            resolution: Resolution::default(),
            merge: MergeMode::default(),
            memory: MemoryConfig::default(),
            all_errors: false,
            unsupported_are_errors: false,
            check_leaks: false,
            check_unfreed: false,
            plain_ends: Vec::new(),
            check_uninit: false,
            max_symbolic_size: 4096,
            fuzz_bytes: 64,
            only_covering_new: false,
            check_reasons: false,
            drop_from_reasons: None,
            merge_fault: None,
            set_aside_after: None,
            core_of_every_reason: false,
            keep_tree: None,
            self_check: false,
            tests_of_stopped: StoppedTests::None,
            silent_assume: false,
            stop_on: Vec::new(),
            unchecked: Vec::new(),
            seeding: None,
            replayed: None,
            answers: None,
            query_log: None,
            externals: None,
            args: vec![b"program".to_vec()],
            variables: Vec::new(),
            system: None,
            code: None,
            cover_libc: false,
            entry: "main".to_string(),
        }
    }
}
