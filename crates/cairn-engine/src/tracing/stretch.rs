//! Runs a stretch once more on values that know where they came from.
//!
//! A stretch begins at a state and ends where its thread stops: at a fork, a stop point, an error, the end,
//! or a call that the engine answers. Functions that only move bytes (`memcpy` and its kin) are
//! operations of the domain and part of the stretch. So are those that only look at bytes: there is code of
//! the program form for them, which is run in their place. Other natives and system calls are called, and what they
//! touch is noted (`outside.rs`).

use super::cells::{CoarseCell, RequiredCells, SourceCell};
use super::domain::{Traced, TracingDomain};
use super::outside::{self, OutsideCall};
use super::sources::Sources;
use super::trace::Trace;
use crate::calls::intrinsics;
use crate::path::state::State;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_ir::{BinaryOp, BlockId, CastOp, CheckKind, FuncId};
use cairn_machine::natives::{self, Ending, Library, Native};
use cairn_machine::{
    AnyValue, Carry, CodeTable, Domain, RUNTIME_PREFIX, Stop, StopOf, Thread, ThreadCell, run,
};
use cairn_memory::{Fault, Word};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a stretch has no known required cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Untraceable {
    /// It copies or fills a number of bytes that is a term.
    SymbolicLength,
    /// It accesses a symbolic address while there are objects of symbolic size.
    SymbolicSize,
    /// It accesses one of several objects that a pointer chooses between.
    Choice,
    /// It accesses too many bytes at once.
    Large,
    /// A native or the system looks at all of memory.
    AllMemory,
    /// The step after it is a call that the engine answers itself (it makes inputs, adds a fact, tells the
    /// time), or of a function of the host.
    Call,
}

impl Untraceable {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Untraceable::SymbolicLength => "copies of symbolic length",
            Untraceable::SymbolicSize => "objects of symbolic size",
            Untraceable::Choice => "accesses of one of several objects",
            Untraceable::Large => "large accesses",
            Untraceable::AllMemory => "calls that look at all of memory",
            Untraceable::Call => "calls that the engine answers",
        }
    }
}

/// Where a stretch begins: what a state's thread and memory are there.
#[derive(Clone)]
pub struct StretchStart {
    /// Calls and their values.
    pub thread: Thread<Value, Wide>,
    /// Values and memory.
    pub domain: SymbolicDomain,
    /// What the C library and the system keep.
    pub library: Library,
}

impl StretchStart {
    /// At a state, which may run on: nothing is copied but references.
    pub fn of(state: &State) -> Self {
        StretchStart {
            thread: state.thread.clone(),
            domain: state.domain.clone(),
            library: state.library.clone(),
        }
    }
}

/// The code of a program for values that are traced; flattened when a stretch first runs it.
pub struct TracedCode {
    pub(super) table: CodeTable<Traced<Value>>,
    /// The natives that a path calls, by the numbers of functions.
    pub(super) natives: Vec<Option<Native>>,
}

impl TracedCode {
    /// Nothing flattened yet.
    pub fn of(table: &CodeTable<Value>) -> Self {
        let program = table.program();
        let natives = natives::of_program(program, None);
        let functions = program.functions.iter().zip(natives);
        let called = |name: &str| intrinsics::intrinsic(name).is_none();
        TracedCode {
            table: table.for_other_values(),
            natives: functions
                .map(|(f, native)| native.filter(|_| called(&f.name)))
                .collect(),
        }
    }
}

impl TracedCode {
    /// Whether it is of this code: programs of executables grow.
    pub fn is_of(&self, table: &CodeTable<Value>) -> bool {
        Arc::ptr_eq(self.table.program(), table.program())
    }
}

/// Why control went as it did along a stretch where everything was a word: the cells that it stands on, found
/// when they are first asked for.
pub struct ConcreteReason {
    start: StretchStart,
    /// Operations until the stretch ends by itself.
    limit: u64,
    found: OnceCell<Result<TracedStretch, Untraceable>>,
}

impl ConcreteReason {
    /// Of the stretch that begins here.
    pub fn new(start: StretchStart, limit: u64) -> Self {
        ConcreteReason {
            start,
            limit,
            found: OnceCell::new(),
        }
    }

    /// Where the stretch begins.
    pub fn start(&self) -> &StretchStart {
        &self.start
    }

    /// The required cells, and where the stretch ends.
    ///
    /// # Errors
    /// If the stretch does something that is not traced.
    pub fn found(
        &self,
        table: &CodeTable<Value>,
        code: &TracedCode,
    ) -> Result<&TracedStretch, Untraceable> {
        let find = || required_cells(&self.start, table, code, self.limit);
        self.found
            .get_or_init(find)
            .as_ref()
            .map_err(|cause| *cause)
    }
}

/// What tracing a stretch found.
pub struct TracedStretch {
    /// The cells that its control path and its stop stand on.
    pub required: RequiredCells,
    /// Where it ends.
    pub end: StretchEnd,
}

/// What a stop is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopKind {
    Limit,
    Arrived(BlockId),
    Returned,
    Branch,
    Switch(u32),
    CheckUndecided(CheckKind),
    CheckFailed(CheckKind),
    Bodiless(FuncId),
    Ended(FuncId, Ending),
    CalleeUndecided,
    WrongType(FuncId),
    Fault(Fault),
    Undecided,
    Interrupted,
    Dead,
}

/// A value that a stop is about, as far as stops are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedOperand {
    Word(Word),
    Bits(BitVec),
    /// Inputs may be divided in another way, so terms are not compared.
    Term,
}

/// Where a stretch ends and how it got there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StretchEnd {
    /// Operations that the thread has executed.
    pub executed: u64,
    /// The operations that the calls go on with, newest first.
    pub positions: Vec<u32>,
    /// The functions that were called and the call sites, oldest first.
    pub calls: Vec<(FuncId, u32)>,
    /// A number of the decisions of control.
    pub path: u64,
    /// What the stop is about.
    pub stop: StopKind,
    /// The values that it depends on.
    pub operands: Vec<TracedOperand>,
    /// Operations executed and the next one at the first stop, which may be a call that moves bytes.
    pub first_stop: (u64, Option<(FuncId, u32)>),
}

/// Gives each place of a thread itself as the source.
struct Label<'a> {
    trace: &'a mut Trace,
    held: BTreeMap<ThreadCell, AnyValue<Value, Wide>>,
}

impl Carry<Value, Wide> for Label<'_> {
    type Value = Traced<Value>;
    type Wide = Traced<Wide>;

    fn value(&mut self, at: Option<ThreadCell>, value: &Value) -> Traced<Value> {
        let sources = at.map_or(Sources::NONE, |cell| {
            self.held.insert(cell, AnyValue::Value(value.clone()));
            self.trace.sets.leaf(SourceCell::Thread(cell))
        });
        Traced {
            value: value.clone(),
            sources,
        }
    }

    fn wide(&mut self, at: ThreadCell, value: &Wide) -> Traced<Wide> {
        self.held.insert(at, AnyValue::Wide(value.clone()));
        Traced {
            value: value.clone(),
            sources: self.trace.sets.leaf(SourceCell::Thread(at)),
        }
    }
}

/// Runs a stretch, for at most about `limit` operations, and says which cells its control path and its stop
/// stand on. Nothing of the path changes by it.
///
/// # Errors
/// If the stretch does something that is not traced.
pub fn required_cells(
    start: &StretchStart,
    table: &CodeTable<Value>,
    code: &TracedCode,
    limit: u64,
) -> Result<TracedStretch, Untraceable> {
    let cx = std::rc::Rc::clone(&start.domain.cx);
    cx.quietly(|| follow(start, table, code, limit))
}

fn follow(
    start: &StretchStart,
    table: &CodeTable<Value>,
    traced: &TracedCode,
    limit: u64,
) -> Result<TracedStretch, Untraceable> {
    let code = &traced.table;
    let mut library = start.library.clone();
    let mut domain = TracingDomain::new(start.domain.clone());
    let mut trace = Trace::default();
    let mut label = Label {
        trace: &mut trace,
        held: BTreeMap::new(),
    };
    let mut thread = start.thread.carried(table, code, &domain, &mut label);
    let held = label.held;
    domain.trace = trace.into();
    let last = thread.executed.saturating_add(limit);
    let mut first_stop = None;
    let mut ended = None;
    let stop = loop {
        let left = last.saturating_sub(thread.executed);
        let stop = run(code, &mut domain, &mut thread, left);
        first_stop.get_or_insert((thread.executed, thread.position()));
        if go_on(code, &mut domain, &mut thread, &stop) {
            continue;
        }
        match outside::call(traced, &mut domain, &mut library, &mut thread, &stop) {
            OutsideCall::Returned => {}
            OutsideCall::Ended(ending) => {
                ended = Some(ending);
                break stop;
            }
            OutsideCall::NotTraced => break stop,
        }
    };
    if !domain.inner.addresses_used.is_empty() {
        domain.trace.get_mut().require_coarse(CoarseCell::Layout);
    }
    let (mut kind, operands) = describe(&mut domain, stop);
    if let (StopKind::Bodiless(function), Some(ending)) = (&kind, ended) {
        kind = StopKind::Ended(*function, ending);
    }
    let trace = domain.trace.into_inner();
    let end = StretchEnd {
        executed: thread.executed,
        positions: thread.positions(),
        calls: thread.calls().collect(),
        path: trace.path(),
        stop: kind,
        operands,
        first_stop: first_stop.unwrap_or((0, None)),
    };
    let required = trace.finish(&start.domain.memory, &held)?;
    Ok(TracedStretch { required, end })
}

/// Functions without a body that look at bytes and change nothing.
const READERS: [&str; 32] = [
    "memcmp",
    "bcmp",
    "memchr",
    "memrchr",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strchrnul",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "isupper",
    "islower",
    "isalpha",
    "isdigit",
    "isxdigit",
    "isspace",
    "isprint",
    "isgraph",
    "isblank",
    "iscntrl",
    "ispunct",
    "isalnum",
    "toupper",
    "tolower",
    "isascii",
];

/// Goes on after a call that can be traced; whether it was one.
fn go_on(
    code: &CodeTable<Traced<Value>>,
    domain: &mut TracingDomain,
    thread: &mut Thread<Traced<Value>, Traced<Wide>>,
    stop: &StopOf<TracingDomain>,
) -> bool {
    if let Some(result) = moves_bytes(code, domain, stop) {
        let result = result.map(|result| thread.answer(code, vec![AnyValue::Value(result)]));
        return result.is_ok();
    }
    let Stop::Bodiless {
        function,
        args,
        extra,
        ..
    } = stop
    else {
        return false;
    };
    let program = code.program();
    let name = program.function(*function).name.as_str();
    let runtime = || program.find_function(&format!("{RUNTIME_PREFIX}{name}"));
    let Some(body) = READERS.contains(&name).then(runtime).flatten() else {
        return false;
    };
    let all = args.iter().map(|(value, _)| value);
    let all = all.chain(extra.iter().map(|e| &e.value)).cloned();
    let wanted = program.function(body).params.len();
    thread
        .divert(code, domain, body, all.take(wanted).collect())
        .is_ok()
}

/// Does a call that only moves bytes, and gives its result; `None` if the stop is no such call.
fn moves_bytes(
    code: &CodeTable<Traced<Value>>,
    domain: &mut TracingDomain,
    stop: &StopOf<TracingDomain>,
) -> Option<Result<Traced<Value>, AccessError>> {
    let Stop::Bodiless { function, args, .. } = stop else {
        return None;
    };
    let value = |i: usize| match args.get(i) {
        Some((AnyValue::Value(value), _)) => Some(value),
        Some((AnyValue::Wide(_), _)) | None => None,
    };
    let name = &code.program().function(*function).name;
    let (to, second) = (value(0)?, value(1)?);
    let done = match name.strip_prefix("__").unwrap_or(name) {
        "memcpy" | "memcpy_chk" => domain.copy(to, second, value(2)?, false),
        "memmove" | "memmove_chk" => domain.copy(to, second, value(2)?, true),
        "mempcpy" | "mempcpy_chk" => {
            let length = value(2)?;
            let done = domain.copy(to, second, length, false);
            return Some(done.map(|()| domain.binary(BinaryOp::Add, 64, to, length)));
        }
        "memset" | "memset_chk" => {
            let byte = domain.cast(CastOp::Trunc, args[1].1, 8, second);
            domain.fill(to, &byte, value(2)?)
        }
        _ => return None,
    };
    Some(done.map(|()| to.clone()))
}

/// A stop without its values, and those; what it depends on is required.
fn describe(
    domain: &mut TracingDomain,
    stop: StopOf<TracingDomain>,
) -> (StopKind, Vec<TracedOperand>) {
    let (kind, about) = match stop {
        Stop::Limit => (StopKind::Limit, vec![]),
        Stop::Arrived(block) => (StopKind::Arrived(block), vec![]),
        Stop::Returned(_) => (StopKind::Returned, vec![]),
        Stop::Branch { condition, .. } => (StopKind::Branch, vec![AnyValue::Value(condition)]),
        Stop::Switch { value, table } => (StopKind::Switch(table), vec![AnyValue::Value(value)]),
        Stop::CheckUndecided {
            condition, kind, ..
        } => (
            StopKind::CheckUndecided(kind),
            vec![AnyValue::Value(condition)],
        ),
        Stop::CheckFailed { kind, .. } => (StopKind::CheckFailed(kind), vec![]),
        Stop::Bodiless {
            function,
            args,
            extra,
            ..
        } => {
            let args = args.into_iter().map(|(any, _)| any);
            let args = args.chain(extra.into_iter().map(|e| e.value));
            (StopKind::Bodiless(function), args.collect())
        }
        Stop::CalleeUndecided { address } => {
            (StopKind::CalleeUndecided, vec![AnyValue::Value(address)])
        }
        Stop::WrongType { function } => (StopKind::WrongType(function), vec![]),
        Stop::Access(AccessError::Fault(fault)) => (StopKind::Fault(fault), vec![]),
        Stop::Access(AccessError::Undecided(_)) => (StopKind::Undecided, vec![]),
        Stop::Access(AccessError::Interrupted(_)) => {
            // Only long accesses look at the clock.
            domain.trace().give_up(Untraceable::Large);
            (StopKind::Interrupted, vec![])
        }
        Stop::Dead => (StopKind::Dead, vec![]),
    };
    let operands = about.into_iter().map(|any| match any {
        AnyValue::Value(value) => {
            domain.require(&value);
            match value.value {
                Value::Word(word) => TracedOperand::Word(word),
                Value::Symbolic(_) => TracedOperand::Term,
            }
        }
        AnyValue::Wide(wide) => {
            domain.require(&wide);
            match wide.value {
                Wide::Bits(bits) => TracedOperand::Bits(bits),
                Wide::Term(_) => TracedOperand::Term,
            }
        }
    });
    (kind, operands.collect())
}
