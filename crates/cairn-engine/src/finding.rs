//! How paths end, and what is wrong with a program.

use crate::features::feature::SubsumedBy;
use crate::omission::Omission;
use cairn_ir::{CheckKind, FuncId, PlaceId, Program};
use cairn_machine::{Cause, Report};
use cairn_memory::Fault;

/// Kinds of findings, named as users of this field know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Out of bounds, null, use after free.
    Pointer,
    /// Double or invalid free.
    Free,
    /// A write to a constant.
    ReadOnly,
    /// Arithmetic leaves its range.
    Overflow,
    /// A shift by the width or more.
    Overshift,
    /// Division by zero.
    Division,
    /// A failed assertion.
    Assertion,
    /// The program aborted.
    Abort,
    /// Reported by the program itself.
    User,
    /// A construct that cannot run: unreachable, wrong function type.
    Execution,
    /// A construct that Cairn does not support.
    Unsupported,
    /// A function that is not there.
    External,
    /// Something that is not modelled.
    Model,
    /// An element that a vector does not have.
    VectorAccess,
    /// Memory that was never freed.
    Leak,
    /// A use of a value that was never written.
    Uninitialised,
    /// The stack is full.
    Stack,
}

impl FindingKind {
    /// The word in file names and summaries.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Pointer => "ptr",
            FindingKind::Free => "free",
            FindingKind::ReadOnly => "readonly",
            FindingKind::Overflow => "overflow",
            FindingKind::Overshift => "overshift",
            FindingKind::Division => "div",
            FindingKind::Assertion => "assert",
            FindingKind::Abort => "abort",
            FindingKind::User => "user",
            // As KLEE says it; `cairn run` does not list these as findings.
            FindingKind::Execution | FindingKind::Unsupported => "exec",
            FindingKind::External => "external",
            FindingKind::Model => "model",
            FindingKind::VectorAccess => "bad_vector_access",
            FindingKind::Leak => "leak",
            FindingKind::Uninitialised => "uninit",
            FindingKind::Stack => "stack",
        }
    }

    /// Whether it is about what Cairn can do, and says nothing about the program.
    pub fn is_unsupported(self) -> bool {
        match self {
            FindingKind::Unsupported | FindingKind::External | FindingKind::Model => true,
            FindingKind::Pointer
            | FindingKind::Free
            | FindingKind::ReadOnly
            | FindingKind::Overflow
            | FindingKind::Overshift
            | FindingKind::Division
            | FindingKind::Assertion
            | FindingKind::Abort
            | FindingKind::User
            | FindingKind::Execution
            | FindingKind::VectorAccess
            | FindingKind::Leak
            | FindingKind::Uninitialised
            | FindingKind::Stack => false,
        }
    }

    /// The kind of a failed check.
    pub fn of_check(kind: CheckKind) -> Self {
        match kind {
            CheckKind::DivisionByZero => FindingKind::Division,
            CheckKind::DivisionOverflow
            | CheckKind::SignedOverflow
            | CheckKind::UnsignedOverflow
            | CheckKind::PointerOverflow => FindingKind::Overflow,
            CheckKind::Overshift => FindingKind::Overshift,
            CheckKind::VectorIndex => FindingKind::VectorAccess,
            CheckKind::Inexact
            | CheckKind::Unreachable
            | CheckKind::Assumption
            | CheckKind::OutOfRange
            | CheckKind::FunctionType
            | CheckKind::Undefined => FindingKind::Execution,
            CheckKind::Unsupported => FindingKind::Unsupported,
            CheckKind::Null | CheckKind::Misaligned | CheckKind::OutOfBounds => {
                FindingKind::Pointer
            }
        }
    }

    /// The kind of what the concrete machine ended with.
    pub fn of_cause(cause: &Cause) -> Self {
        match cause {
            Cause::Check(kind) => FindingKind::of_check(*kind),
            Cause::Fault(fault) => FindingKind::of_fault(fault),
            Cause::Undefined => FindingKind::External,
            Cause::NoFunction => FindingKind::Execution,
            Cause::NotModelled => FindingKind::Model,
            Cause::Reported | Cause::Assumption => FindingKind::User,
            Cause::Abort => FindingKind::Abort,
            Cause::Assertion => FindingKind::Assertion,
        }
    }

    /// The kind of a refused access.
    pub fn of_fault(fault: &Fault) -> Self {
        match fault {
            Fault::Null { .. }
            | Fault::OutOfBounds { .. }
            | Fault::UseAfterFree { .. }
            | Fault::UseAfterScope { .. }
            | Fault::Overlap { .. } => FindingKind::Pointer,
            Fault::ReadOnly { .. } => FindingKind::ReadOnly,
            Fault::InvalidFree { .. } | Fault::DoubleFree { .. } | Fault::MismatchedFree { .. } => {
                FindingKind::Free
            }
            Fault::StackOverflow { .. } => FindingKind::Stack,
            Fault::OutOfMemory { .. } | Fault::InvalidAlignment { .. } => FindingKind::Model,
            Fault::Symbolic { .. } => FindingKind::Execution,
        }
    }
}

/// Calls that had not returned, newest first.
pub type CallTrace = Vec<(FuncId, PlaceId)>;

/// Something that is wrong with the program.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// What, in one sentence.
    pub message: String,
    /// Where.
    pub trace: CallTrace,
}

/// A place in the source, in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The function.
    pub function: String,
    /// The file; empty if not known.
    pub file: String,
    /// The line; 0 if not known.
    pub line: u32,
}

impl Finding {
    /// What the concrete machine ended with.
    pub fn of_report(report: &Report) -> Self {
        Finding {
            kind: FindingKind::of_cause(&report.cause),
            message: report.message.clone(),
            trace: report.trace.clone(),
        }
    }

    /// Where it happened: the innermost call that has a known line, or at least a place. An exception
    /// that is not caught ends in the library of C++ and happened where it was thrown.
    pub fn place(&self, program: &Program) -> SourceLine {
        self.spot(program, &[]).0
    }

    /// Where it happened, and a number that tells the instructions of the line apart: the position in the code of the
    /// call, of which there is a list in the order of the calls, or else the place. Copies of inlined code are one, and without
    /// such a list all of a line is.
    pub(crate) fn spot(&self, program: &Program, positions: &[u32]) -> (SourceLine, u32) {
        let calls = framed_calls(program, &self.trace);
        let throws = |call: &FramedCall| call.line.function == "__cxa_throw";
        let thrown = calls.iter().position(throws);
        let thrown = thrown.filter(|_| self.kind == FindingKind::Abort);
        let first = thrown.map_or(0, |at| at + 1);
        // What calls `main` is the library: its lines say nothing.
        let is_main = |call: &FramedCall| call.line.function == "main";
        let behind = calls[first..].iter().position(is_main);
        let calls = &calls[first..behind.map_or(calls.len(), |main| first + main + 1)];
        let line = calls.iter().find(|call| call.line.line != 0);
        let place = || calls.iter().find(|call| call.at != PlaceId::UNKNOWN);
        let known = line.or_else(place).or(calls.first());
        known.map_or_else(
            || {
                let nowhere = SourceLine {
                    function: String::new(),
                    file: String::new(),
                    line: 0,
                };
                (nowhere, 0)
            },
            |call| {
                let number = match (call.inlined_column, call.line.line) {
                    (Some(column), 1..) => column | INLINED,
                    (_, line) => {
                        let place = (line == 0).then_some(call.at.index() as u32);
                        let position = positions.get(call.frame).copied();
                        position.or(place).unwrap_or(0)
                    }
                };
                (call.line.clone(), number)
            },
        )
    }

    /// The calls in words, newest first. Calls that were inlined are calls to the reader.
    pub fn lines(&self, program: &Program) -> Vec<SourceLine> {
        calls(program, &self.trace)
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    }

    /// The same calls, each with its place in the program. Calls that were inlined have the place of
    /// the instruction that they ended up in.
    pub fn calls(&self, program: &Program) -> Vec<(SourceLine, PlaceId)> {
        calls(program, &self.trace)
    }
}

/// Tells columns of inlined code from positions.
const INLINED: u32 = 1 << 31;

/// A call in words.
struct FramedCall {
    line: SourceLine,
    /// The place of the instruction that it is at.
    at: PlaceId,
    /// The call of the machine that it is or is inlined into, counted from the newest.
    frame: usize,
    /// The column of its source, if it is inlined.
    inlined_column: Option<u32>,
}

/// Calls in words, each with its place.
fn calls(program: &Program, trace: &CallTrace) -> Vec<(SourceLine, PlaceId)> {
    let calls = framed_calls(program, trace).into_iter();
    calls.map(|call| (call.line, call.at)).collect()
}

fn framed_calls(program: &Program, trace: &CallTrace) -> Vec<FramedCall> {
    let mut lines = Vec::new();
    let line = |function: &str, place: PlaceId| {
        let place = program.place(place);
        SourceLine {
            // Machine code without lines has places by address.
            function: match (place.line, place.column) {
                (0, address) if address != 0 => format!("{function} ({address:#x})"),
                (_, _) => function.to_string(),
            },
            file: program.files[place.file as usize].clone(),
            line: place.line,
        }
    };
    for (frame, (function, at)) in trace.iter().enumerate() {
        let mut add = |name: &str, place: PlaceId| {
            let source = program.place(place);
            lines.push(FramedCall {
                line: line(name, place),
                at: *at,
                frame,
                inlined_column: source.inlined_at.map(|_| source.column),
            });
        };
        let mut place = *at;
        while let Some(outer) = program.place(place).inlined_at {
            let name = &program.names[program.place(place).function as usize];
            add(name, place);
            place = outer;
        }
        add(&program.function(*function).name, place);
    }
    lines
}

/// How a path ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The program ended with this code.
    Exit(i32),
    /// A signal that is no error ended the program.
    Signal(u32),
    /// The program asked to end without a word (`klee_silent_exit`).
    Silent,
    /// An error.
    Error(Finding),
    /// The program needs something that Cairn does not support: what, and where.
    Unsupported(Finding),
    /// It was not followed to its end.
    Stopped(Omission),
    /// An assumption does not hold for any input of the path.
    Contradiction,
    /// All that the rest of the path could do was done on other paths.
    Subsumed(SubsumedBy),
    /// It goes on as one state with others.
    Merged,
}
