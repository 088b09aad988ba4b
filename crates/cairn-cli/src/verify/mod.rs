//! `cairn verify`: decides a verification task. One line is the answer: `TRUE`, `FALSE(property)` or `UNKNOWN (reason)`; for a test
//! suite `DONE`.
//!
//! - `question.rs`: what is asked: the task, the property, the program, from the command line.
//! - `meaning.rs`: what the end of a path says about the property.
//! - `attempts.rs`: which ways of exploring are tried, in which order.
//! - `search.rs`: the explorations, until it is decided.
//! - `surroundings.rs`: what the program asks of its surroundings, which a task does not describe.
//! - `verdict.rs`: the answer, and why it is right.
//! - `evidence.rs`: the witness and the test suite.

mod attempts;
mod evidence;
mod meaning;
mod question;
mod search;
mod surroundings;
mod verdict;

use crate::exit::{self, Failure};
use crate::output;
use crate::run::limits;
use crate::say;
use cairn_verify::DataModel;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdict::TaskVerdict;

/// What `--help` says about answers.
const AFTER_HELP: &str = "\
The first line printed is the answer:
  TRUE               the property holds: everything was explored
  FALSE(property)    it is violated; the test was run again and showed it
  UNKNOWN (reason)   it was not decided
  DONE               a test suite was asked for (coverage properties)
Exit codes: 0 TRUE or DONE, 1 FALSE, 2 UNKNOWN, 64 wrong usage, 65 a bad task, property or program,
70 a bug in Cairn, 74 the witness or the suite could not be written";

/// The options of `cairn verify`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct VerifyOptions {
    /// A task definition (.yml), or a program in C (.c, or preprocessed: .i)
    task: PathBuf,

    /// The property file; a task definition with one property names it
    #[arg(long, value_name = "FILE.prp")]
    property: Option<PathBuf>,

    /// How wide the types of the program are: LP64 (32-bit programs are not supported yet); a task
    /// definition may say it
    #[arg(long, value_name = "MODEL", ignore_case = true)]
    data_model: Option<DataModelChoice>,

    /// Writes the witness of the verdict
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,

    /// Writes the tests that were found, in the exchange format of test suites
    #[arg(long, value_name = "FOLDER")]
    test_suite: Option<PathBuf>,

    /// Gives up after this time, compiling and loading included
    #[arg(long, value_name = "TIME", value_parser = limits::time, default_value = "900s")]
    max_time: Duration,

    /// Gives up after this much processor time
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    max_cpu_time: Option<Duration>,

    /// The memory that Cairn may take, loading included, for example 4G
    #[arg(long, value_name = "SIZE", value_parser = limits::bytes)]
    max_memory: Option<u64>,

    /// Worker threads, from 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = limits::jobs)]
    jobs: usize,

    /// Where random choices start
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Which paths first; by default as suits the property
    #[arg(long, value_name = "LIST")]
    search: Option<String>,

    /// Prints the answer as JSON
    #[arg(long)]
    json: bool,
}

/// How wide types are, on the command line.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum DataModelChoice {
    /// Pointers and long of 64 bits
    Lp64,
    /// Of 32
    Ilp32,
}

impl From<DataModelChoice> for DataModel {
    fn from(model: DataModelChoice) -> Self {
        match model {
            DataModelChoice::Lp64 => DataModel::Lp64,
            DataModelChoice::Ilp32 => DataModel::Ilp32,
        }
    }
}

/// Runs the command; the result is the exit code.
pub fn run(options: &VerifyOptions) -> Result<u8, Failure> {
    let started = Instant::now();
    let question = question::read(options)?;
    let nowhere = || {
        let wants = question.property.property.wants_tests() && options.test_suite.is_none();
        wants.then(|| {
            "the answer is a test suite: --test-suite FOLDER says where it goes".to_string()
        })
    };
    let answer = match question.refused().or_else(nowhere) {
        Some(why) => search::TaskAnswer::unknown(why),
        None => match search::decide(options, &question, started) {
            Err(failure) if failure.code == exit::INCOMPLETE => {
                search::TaskAnswer::unknown(failure.text())
            }
            answer => answer?,
        },
    };
    let written = evidence::write(options, &question, &answer);
    let text = match options.json {
        true => verdict::json(&question, &answer, started.elapsed()),
        false => format!("{}\n", answer.verdict),
    };
    output::print(text)?;
    for bug in &answer.bugs {
        say!("cairn: a bug in Cairn: {bug}; please report it with the program.");
    }
    written?;
    if !answer.bugs.is_empty() {
        return Ok(exit::BUG);
    }
    Ok(match &answer.verdict {
        TaskVerdict::True | TaskVerdict::Done => exit::DONE,
        TaskVerdict::False(_) => exit::FOUND,
        TaskVerdict::Unknown(_) => exit::INCOMPLETE,
    })
}
