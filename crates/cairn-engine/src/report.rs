//! What an exploration hands to the outside.

use crate::explore::coverage::CoverageFigures;
use crate::explore::shared::{Reported, Shared};
use crate::explore::test_rerun::Mismatch;
use crate::explore::tracer::Upcoming;
use crate::explore::trail::FileLine;
use crate::features::KeptTree;
use crate::finding::{Finding, Outcome, SourceLine};
use crate::gate::ReasonCounts;
use crate::merge::{MergeCounts, merges_of};
use crate::omission::{Omission, StopCause};
use crate::path::decisions::LoggedDecision;
use crate::values::worker_context::Accesses;
use cairn_expr::Term;
use cairn_ir::{PlaceId, Program};
use std::rc::Rc;
use std::time::Duration;

/// The input of a path: named objects in the order they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCase {
    /// Name and bytes of each.
    pub objects: Vec<(Rc<str>, Vec<u8>)>,
    /// The calls that made them, as far as they are known: the first ones, in the same order.
    pub made_at: Vec<PlaceId>,
    /// Whether the path may depend on something that is not in the test: memory that was never
    /// written, a value that is arbitrary, an example that the program asked for.
    pub hidden: bool,
    /// What the program printed, if it has a system.
    pub printed: Option<crate::calls::system::PrintedOutput>,
    /// What holds on the path, if the observer wants it.
    pub constraints: Option<Vec<Term>>,
    /// What was decided on the path, if the observer wants it.
    pub decisions: Option<Vec<LoggedDecision>>,
    /// The source lines that the path passed, if the observer wants them.
    pub lines: Option<Vec<FileLine>>,
    /// The number of the path's state among those of its worker.
    pub state: u64,
}

/// Receives tests as they are found, from several threads.
pub trait Observer: Send + Sync {
    /// Whether it wants the test of a path that ended so.
    fn wants_test(&self, outcome: &Outcome) -> bool;
    /// Whether it wants what holds on the path with each test.
    fn wants_constraints(&self) -> bool {
        false
    }
    /// Whether it wants the decisions of the path with each test.
    fn wants_decisions(&self) -> bool {
        false
    }
    /// Whether it wants the source lines of the path with each test.
    fn wants_lines(&self) -> bool {
        false
    }
    /// Whether it wants to see every instruction before it runs. That makes a run much slower.
    fn wants_instructions(&self) -> bool {
        false
    }
    /// An instruction is about to run. One that must be decided first may be shown once only.
    fn instruction(&self, instruction: &Upcoming<'_>) {
        let _ = instruction;
    }
    /// The first path ended in an error at a place. If it has a test, that was handed out before and
    /// has this number.
    fn found(&self, finding: &Finding, test: Option<u64>, program: &Program);
    /// A path ended; this input follows it. Numbers start at 1 and leave none out.
    fn test(&self, number: u64, test: &TestCase, outcome: &Outcome, program: &Program);
    /// The program says something to its user.
    fn message(&self, text: &str);
    /// Something about the run that its user may want to know.
    fn progress(&self, text: &str) {
        self.message(text);
    }
    /// The program shows the calls that have not returned; `here` is no error, it only holds these calls.
    fn stack(&self, here: &Finding, program: &Program) {
        self.message(&stack_message(here, program));
    }
    /// The program warns its user.
    fn warning(&self, text: &str);
    /// The program warns its user, who should see the same text once only.
    fn warning_once(&self, text: &str);
}

/// The calls that have not returned, as a message of several lines.
pub fn stack_message(here: &Finding, program: &Program) -> String {
    let mut text = String::from("stack:");
    for (i, call) in here.lines(program).iter().enumerate() {
        text += &format!("\n\t#{i} in {}", call.function);
        if call.line != 0 {
            text += &format!(" at {}:{}", call.file, call.line);
        }
    }
    text
}

/// What was covered, of how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Covered.
    pub covered: u64,
    /// In all.
    pub total: u64,
}

/// What a layer of the solver did.
#[derive(Clone, Debug, Default)]
pub struct LayerReport {
    /// Its name.
    pub name: String,
    /// Queries it found satisfiable.
    pub sat: u64,
    /// Queries it found unsatisfiable.
    pub unsat: u64,
    /// Time in it.
    pub time: Duration,
}

/// Something that was not explored, and how often that was so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// What, and why.
    pub what: Omission,
    /// How often.
    pub times: u64,
}

impl std::fmt::Display for Omitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.times {
            1 => write!(f, "{}", self.what),
            n => write!(f, "{} ({n} times)", self.what),
        }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Paths that ran to the program's end.
    pub completed: u64,
    /// Paths that ended in an error.
    pub errors: u64,
    /// Paths that were not followed to their end.
    pub stopped: u64,
    /// Paths whose rest could do only what was done on other paths.
    pub subsumed: u64,
    /// Operations executed.
    pub instructions: u64,
    /// Forks.
    pub forks: u64,
    /// The most forks of one path.
    pub max_depth: u64,
    /// Tests handed out.
    pub tests: u64,
    /// Tests that were run again on the concrete machine.
    pub reruns: u64,
    /// Tests that were not, because their paths may depend on something that is not in a test.
    pub not_compared: u64,
    /// Reasons why something cannot happen that another solver proved again.
    pub reasons: ReasonCounts,
    /// Paths that became one.
    pub merges: MergeCounts,
    /// Tests that ended in another way than was recorded: bugs in Cairn.
    pub mismatches: Vec<Mismatch>,
    /// What else only bugs in Cairn explain.
    pub bugs: Vec<String>,
    /// Accesses by symbolic addresses.
    pub accesses: Accesses,
    /// Queries asked.
    pub queries: u64,
    /// Queries that were not decided in time.
    pub timeouts: u64,
    /// What the layers did, the core solver last.
    pub layers: Vec<LayerReport>,
    /// Findings, one for each place.
    pub findings: Vec<(SourceLine, Reported)>,
    /// What was not explored, and why.
    pub incomplete: Vec<Omitted>,
    /// What ended the run before everything was explored.
    pub stopped_by: Option<StopCause>,
    /// What was covered of the program.
    pub coverage: CoverageFigures,
    /// The execution tree, if it was to be kept.
    pub tree: Option<KeptTree>,
}

/// Whatever tells a path something that no test holds says that it is one of several.
const UNSAID: &str = "a path depends on what no test holds, and nothing says why";

impl Exploration {
    pub(crate) fn of(shared: &Shared, layers: Vec<LayerReport>) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        let counters = &shared.counters;
        let mut incomplete = shared.left_out();
        // KLEE's own programs ask for such things, and nothing is listed.
        let lists = !shared.config.unsupported_are_errors;
        if incomplete.is_empty() && lists && shared.told_hidden.load(Relaxed) {
            incomplete.push(Omitted {
                what: Omission::Bug(UNSAID.to_string()),
                times: 1,
            });
        }
        incomplete.sort_by_cached_key(|left| left.what.to_string());
        Exploration {
            completed: counters.completed(),
            errors: counters.errors(),
            stopped: counters.stopped(),
            subsumed: counters.subsumed(),
            instructions: counters.instructions(),
            forks: counters.forks(),
            max_depth: counters.max_depth(),
            tests: counters.tests.load(Relaxed),
            reruns: counters.reruns.load(Relaxed),
            not_compared: counters.not_compared.load(Relaxed),
            reasons: shared.reasons(),
            merges: merges_of(shared),
            mismatches: shared.mismatches(),
            bugs: shared.bugs(),
            accesses: counters.accesses(),
            queries: counters.queries.load(Relaxed),
            timeouts: counters.timeouts.load(Relaxed),
            layers,
            findings: shared.findings(),
            incomplete,
            stopped_by: shared.stopped_by(),
            coverage: shared.coverage(),
            tree: shared.tree_keeper.as_ref().map(|keeper| keeper.tree()),
        }
    }
}
