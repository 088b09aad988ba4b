//! What a run left out, and why.
//!
//! A run that left nothing out has explored everything. So every part that leaves something out says what it is, as
//! a value ([`Omission`]), and so does every part that assumes one answer of several. Its words are made when it is shown (`Display`, below); places, and
//! what others say in their own words (a solver, the kernel's model), come as text.

use std::fmt;

/// What ends a run before everything was explored. Depth, forks, `klee_set_forking` and the time of one query end no run: they
/// keep paths from being followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StopCause {
    /// Time.
    Time,
    /// Time of the processor.
    CpuTime,
    /// Operations.
    Instructions,
    /// Memory of the process.
    Memory,
    /// Findings.
    Findings,
    /// Tests.
    Tests,
    /// Forks of one path.
    Depth,
    /// Forks of all paths.
    Forks,
    /// The program has forbidden forking (`klee_set_forking`).
    SetForking,
    /// Time of one query.
    SolverTimeout,
    /// An error of a kind that ends the run.
    ExitOnError,
    /// The paths of all seeds have ended.
    OnlySeed,
    /// A signal, or the observer.
    Interrupt,
    /// A worker did not start.
    Start,
    /// A bug in Cairn.
    Bug,
    /// Something else has stopped the run.
    Stop,
}

impl StopCause {
    /// Its name in summaries: that of the flag, if one sets it.
    pub fn name(self) -> &'static str {
        match self {
            StopCause::Time => "max-time",
            StopCause::CpuTime => "max-cpu-time",
            StopCause::Instructions => "max-instructions",
            StopCause::Memory => "max-memory",
            StopCause::Findings => "max-findings",
            StopCause::Tests => "max-tests",
            StopCause::Depth => "max-depth",
            StopCause::Forks => "max-forks",
            StopCause::SetForking => "set-forking",
            StopCause::SolverTimeout => "solver-timeout",
            StopCause::ExitOnError => "exit-on-error",
            StopCause::OnlySeed => "only-seed",
            StopCause::Interrupt => "interrupt",
            StopCause::Start => "start",
            StopCause::Bug => "bug",
            StopCause::Stop => "stop",
        }
    }

    /// Why it happened, in words, if it is no limit that a flag sets: those are known by the flag's name.
    fn circumstance(self) -> Option<&'static str> {
        match self {
            StopCause::SetForking => Some("because the program forbade forking (klee_set_forking)"),
            StopCause::OnlySeed => Some("when the paths of all seeds had ended (only-seed)"),
            StopCause::Interrupt => Some("because it was interrupted"),
            StopCause::Start => Some("because a worker did not start"),
            StopCause::Bug => Some("because of a bug in Cairn"),
            StopCause::Stop => Some("because the run was stopped"),
            StopCause::Time
            | StopCause::CpuTime
            | StopCause::Instructions
            | StopCause::Memory
            | StopCause::Findings
            | StopCause::Tests
            | StopCause::Depth
            | StopCause::Forks
            | StopCause::SolverTimeout
            | StopCause::ExitOnError => None,
        }
    }
}

/// What the solver did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Whether a case can happen.
    Case,
    /// Which objects a pointer can be to.
    Objects,
    /// Which functions a call can be to.
    Functions,
    /// What an address can be.
    Addresses,
    /// Which part of a segment an access can be to.
    Window,
    /// Whether a path that was run again can be gone on with.
    TakenUp,
}

/// Something that was not explored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Omission {
    /// Paths were left out.
    LeftOut(StopCause),
    /// The run ended before everything was explored.
    EndedBy(StopCause),
    /// Loading took all the time there was: tenths of seconds, and the limit.
    LoadingTooLong(u64, u64),
    /// Loading took all the memory there was: megabytes, and the limit.
    LoadingTooLarge(u64, u64),
    /// The solver did not decide a question, and why.
    Undecided(Question, String),
    /// Questions had been postponed, because the solver needs much work for them, when the run ended.
    Postponed,
    /// Whether something depends on uninitialised memory was not decided: what, and why.
    UndecidedUse(String, String),
    /// A symbolic value was given one of its values: where, and what.
    Narrowed(String, &'static str),
    /// An address is used as a number: where.
    AddressUsed(Option<String>),
    /// The environment gave one answer of several.
    OneAnswerOfMany {
        /// Where, if that is known.
        at: Option<String>,
        /// What was asked.
        asked: String,
        /// What the answer is one of.
        what: String,
    },
    /// A function of the host was called: where, and which.
    HostCalled(String, String),
    /// A function prints symbolic bytes, which is not followed.
    PrintsSymbolic(String),
    /// A system call that is not modelled.
    SystemCall(String),
    /// The signal of a timer is never delivered.
    TimerSignal,
    /// A handler of a signal in an executable is not called.
    SignalHandler(u32),
    /// Cases that no seed takes.
    NoSeed,
    /// A path that the user gave is not one of the program.
    GivenPath(&'static str),
    /// Paths that were not followed to their end have no test.
    NoTests,
    /// A jump may be to any address: where.
    AnyJump(String),
    /// Code could not be translated: where, and why.
    NoCode(String, String),
    /// An access may be to more bytes than are followed: where, how many, and how many are.
    LargeAccess(String, u64, u64),
    /// A stack may be full or not.
    FullStack,
    /// The program needs something that is not supported: where, and what.
    Unsupported(String),
    /// A bug in Cairn.
    Bug(String),
    /// What the caller of the run said.
    Said(String),
}

impl Omission {
    /// That the solver did not decide a question.
    pub fn undecided(question: Question, why: &cairn_solver::UnknownReason) -> Self {
        Omission::Undecided(question, why.to_string())
    }

    /// Whether the path went on with one answer of several: what was left out are other answers.
    pub fn is_assumption(&self) -> bool {
        matches!(
            self,
            Omission::AddressUsed(_) | Omission::OneAnswerOfMany { .. }
        )
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Omission::LeftOut(cause) => match cause.circumstance() {
                Some(why) => write!(f, "paths were left out {why}"),
                None => write!(f, "paths were left out by {}", cause.name()),
            },
            Omission::EndedBy(cause) => match cause.circumstance() {
                Some(why) => write!(f, "the run ended {why}"),
                None => write!(f, "the run was ended by {}", cause.name()),
            },
            Omission::LoadingTooLong(took, limit) => write!(
                f,
                "nothing was explored: compiling and loading the program took {:.1} s, and max-time is {:.1} s",
                *took as f64 / 10.0,
                *limit as f64 / 10.0
            ),
            Omission::LoadingTooLarge(took, limit) => write!(
                f,
                "nothing was explored: loading the program takes {took} MB, and max-memory is {limit} MB"
            ),
            Omission::Undecided(question, why) => {
                let what = match question {
                    Question::Case => "",
                    Question::Objects => "not all objects of a pointer were found: ",
                    Question::Functions => "not all functions of a call were found: ",
                    Question::Addresses => "not all values of an address were found: ",
                    Question::Window => "where an access can be was not found out: ",
                    Question::TakenUp => "a path could not be taken up again: ",
                };
                write!(f, "the solver did not decide: {what}{why}")
            }
            Omission::Postponed => f.write_str(
                "a question that takes the solver long was postponed and not decided when the run ended",
            ),
            Omission::UndecidedUse(what, why) => write!(
                f,
                "whether {what} depends on uninitialised memory was not decided: {why}"
            ),
            Omission::Narrowed(at, what) => write!(f, "{at}: {what}"),
            Omission::AddressUsed(at) => {
                if let Some(at) = at {
                    write!(f, "{at}: ")?;
                }
                f.write_str("an address is used as a number, and is one of many")
            }
            Omission::OneAnswerOfMany { at, asked, what } => {
                if let Some(at) = at {
                    write!(f, "{at}: ")?;
                }
                write!(f, "{asked}: {what}")
            }
            Omission::HostCalled(at, name) => {
                write!(f, "{at}: {name} {}", crate::calls::externals::HOST_CALLED)
            }
            Omission::PrintsSymbolic(name) => {
                write!(f, "{name} prints symbolic bytes, which is not followed")
            }
            Omission::SystemCall(name) => {
                write!(f, "the system call {name} is not modelled: ENOSYS")
            }
            Omission::TimerSignal => {
                f.write_str("the signal of a timer (alarm, setitimer) is never delivered")
            }
            Omission::SignalHandler(signal) => {
                write!(
                    f,
                    "a handler of signal {signal} in an executable is not called"
                )
            }
            Omission::NoSeed => f.write_str("cases that no seed takes were not followed"),
            Omission::GivenPath(what) => f.write_str(what),
            Omission::NoTests => f.write_str(
                "paths that were not followed to their end have no test: the time was over",
            ),
            Omission::AnyJump(at) => write!(f, "{at}: a jump to any address is not followed"),
            Omission::NoCode(at, why) => write!(f, "{at}: {why}"),
            Omission::LargeAccess(at, of, followed) => write!(
                f,
                "{at}: an access that may be anywhere in {of} bytes is followed in {followed} of them"
            ),
            Omission::FullStack => {
                f.write_str("a stack that may be full holds objects of symbolic size")
            }
            Omission::Unsupported(what) | Omission::Said(what) => f.write_str(what),
            Omission::Bug(what) => write!(f, "a bug in Cairn: {what}"),
        }
    }
}
