//! Answers of the environment: programs whose ends depend on what the kernel and the C library answer,
//! explored by `cairn run` and run natively under many conditions.
//!
//! # Problem
//!
//! For the clock, random bytes, the number of the process, the user and addresses the model of Linux gives
//! one answer where a native run may get any of many. A run that reports "complete" although the program
//! depends on such an answer makes a false claim.
//!
//! # Idea
//!
//! Programs ask questions of a table ([`questions`]) and end in a way that depends on the answers: one
//! program for every question, and random ones with several. If `cairn run` reports that a program was
//! explored completely, the native program must end as one of the paths does; and as no program has
//! undefined behaviour, no error may be found but `abort`.
//!
//! - **Conditions.** Native runs get other users, variables, folders, inputs, limits ([`Tier`]).
//!
//! # Soundness
//!
//! The conditions of the first tier are those that the model promises: an outcome there that no path has is
//! certainly a bug. A disagreement names its tier and the conditions of the native run. Native runs only
//! sample the outcomes, so a missing path may go unseen.

mod campaign;
mod explore;
mod native;
mod program;
mod questions;
mod report;

pub use campaign::{Settings, run};
pub use native::{Library, Tier};
pub use program::{Program, everything, random, singles};
pub use questions::{Question, questions};
pub use report::{Disagreement, ProgramVerdict, Report};

use std::fmt;

/// How a program ended, natively or on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramEnd {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

impl fmt::Display for ProgramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramEnd::Exit(code) => write!(f, "exit {code}"),
            ProgramEnd::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Time and clocks.
    Clock,
    /// Random numbers.
    Random,
    /// Numbers and attributes of the process.
    Process,
    /// Users and groups.
    User,
    /// The machine and its limits.
    Host,
    /// Threads.
    Thread,
    /// Other processes.
    Child,
    /// Permissions.
    Permission,
    /// What `stat` says.
    Stat,
    /// Descriptors, standard input and output.
    Descriptor,
    /// Variables of the environment.
    Variable,
    /// The current folder.
    Folder,
    /// Terminals.
    Terminal,
    /// Addresses.
    Address,
    /// Calls that fail, and rare ones.
    Failure,
    /// The locale.
    Locale,
    /// Signals.
    Signal,
    /// The heap and the stack.
    Heap,
}

impl Topic {
    /// All topics.
    pub const ALL: [Topic; 18] = [
        Topic::Clock,
        Topic::Random,
        Topic::Process,
        Topic::User,
        Topic::Host,
        Topic::Thread,
        Topic::Child,
        Topic::Permission,
        Topic::Stat,
        Topic::Descriptor,
        Topic::Variable,
        Topic::Folder,
        Topic::Terminal,
        Topic::Address,
        Topic::Failure,
        Topic::Locale,
        Topic::Signal,
        Topic::Heap,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Clock => "clock",
            Topic::Random => "random",
            Topic::Process => "process",
            Topic::User => "user",
            Topic::Host => "host",
            Topic::Thread => "thread",
            Topic::Child => "child",
            Topic::Permission => "permission",
            Topic::Stat => "stat",
            Topic::Descriptor => "descriptor",
            Topic::Variable => "variable",
            Topic::Folder => "folder",
            Topic::Terminal => "terminal",
            Topic::Address => "address",
            Topic::Failure => "failure",
            Topic::Locale => "locale",
            Topic::Signal => "signal",
            Topic::Heap => "heap",
        }
    }

    /// The topic of a name.
    pub fn of_name(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|t| t.name() == name)
    }
}
