//! Searchers by name.
//!
//! A list such as `random-path,covnew` interleaves its searchers; a name may occur more than once
//! and then has more turns. `batching` and `deepening` may stand anywhere in the list and wrap all
//! of it, batching inside. KLEE's names of weighted searchers (`nurs:covnew` …) are understood.
//!
//! **The default** is KLEE's pair in batches. Random paths reach every part of the tree and keep
//! loops that fork from eating all the time; weights by coverage go where new code is; each goes on
//! where the other is stuck. The batches are ours: a state that goes on asks queries that extend
//! its last ones, which is what the solver's memos and last models are good at, and its memory is
//! warm. They are short, because a batch follows a loop that forks into its first child again and
//! again: KLEE's usual 10,000 instructions make that a depth-first search in disguise. They have no
//! limit of time, which would make runs differ from each other.

use super::{
    Batching, Bfs, Clock, Dfs, Interleaved, IterativeDeepening, RandomPath, RandomState, Searcher,
    Subtree, WeightBy, Weighted,
};
use crate::rng::Rng;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The list for a user who names none.
pub const DEFAULT: &str = "subtree=4000,random-path,covnew";

/// What it says about instructions below a state that was picked.
const DEFAULT_SUBTREE: u64 = 4000;

/// Instructions of a batch if no limit is given, as in KLEE.
const BATCH_INSTRUCTIONS: u64 = 10_000;

/// The first round of iterative deepening if none is given, as in KLEE.
const FIRST_ROUND: Duration = Duration::from_secs(1);

/// Every name with one line about it.
pub fn names() -> &'static [(&'static str, &'static str)] {
    &[
        (
            "dfs",
            "depth first: follows a path to its end, first children first",
        ),
        (
            "bfs",
            "breadth first: the state with the fewest forks first",
        ),
        ("random-state", "any state, each equally likely"),
        (
            "random-path",
            "a random walk down the execution tree, each fork's children equally likely",
        ),
        (
            "covnew",
            "prefers states that covered new code lately or are near to uncovered code",
        ),
        ("md2u", "prefers states that are near to uncovered code"),
        ("depth", "prefers states with many forks"),
        (
            "rp",
            "prefers states with few forks, each fork halves the chance",
        ),
        (
            "icnt",
            "prefers states at instructions that were seldom executed",
        ),
        (
            "cpicnt",
            "prefers states in calls under which little was executed",
        ),
        ("qc", "prefers states whose queries were cheap"),
        (
            "batching",
            "wraps the list: a state goes on for =N instructions or a time such as =5s",
        ),
        (
            "subtree",
            "wraps the list: below a state that was picked goes on depth first for =N instructions",
        ),
        (
            "deepening",
            "wraps the list: no path gets more than =1s before all others had it, then twice that, and so on",
        ),
    ]
}

/// A list of searchers that cannot be built. The message says what is wrong and names all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchError {
    /// A name of no searcher.
    Unknown {
        /// The name.
        name: String,
    },
    /// A place in the list without a name, or nothing in it but wrappers.
    NoSearcher {
        /// The list.
        list: String,
    },
    /// A value after `=` that is not understood, or that the searcher does not take.
    BadValue {
        /// The place of the list, with name and value.
        item: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = names().iter().map(|(name, _)| *name).collect();
        let all = all.join(", ");
        match self {
            SearchError::Unknown { name } => write!(
                f,
                "no searcher is called `{name}`: expected names from {all}, separated by commas"
            ),
            SearchError::NoSearcher { list } => write!(
                f,
                "the list of searchers `{list}` lacks a name: expected names from {all}, \
                 separated by commas, and at least one that batching or deepening can wrap"
            ),
            SearchError::BadValue { item, expected } => write!(
                f,
                "`{item}` in the list of searchers is not understood: expected {expected} \
                 (the names are {all})"
            ),
        }
    }
}

impl std::error::Error for SearchError {}

/// A searcher that wraps none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// Depth first.
    Dfs,
    /// Breadth first.
    Bfs,
    /// Any state.
    RandomState,
    /// A random walk down the tree.
    RandomPath,
    /// Any state, by weight.
    Weighted(WeightBy),
}

impl Plain {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Plain::Dfs => "dfs",
            Plain::Bfs => "bfs",
            Plain::RandomState => "random-state",
            Plain::RandomPath => "random-path",
            Plain::Weighted(by) => by.name(),
        }
    }

    fn read(name: &str) -> Option<Plain> {
        let plain = match name {
            "dfs" => Plain::Dfs,
            "bfs" => Plain::Bfs,
            "random-state" => Plain::RandomState,
            "random-path" => Plain::RandomPath,
            _ => {
                let name = name.strip_prefix("nurs:").unwrap_or(name);
                let by = WeightBy::ALL.into_iter().find(|by| by.name() == name)?;
                Plain::Weighted(by)
            }
        };
        Some(plain)
    }

    fn build(self, rng: Rng) -> Box<dyn Searcher> {
        match self {
            Plain::Dfs => Box::new(Dfs::new()),
            Plain::Bfs => Box::new(Bfs::new()),
            Plain::RandomState => Box::new(RandomState::new(rng)),
            Plain::RandomPath => Box::new(RandomPath::new(rng)),
            Plain::Weighted(by) => Box::new(Weighted::new(by, rng)),
        }
    }
}

/// A list of searchers: what a run is told about which state runs next. It is read from text such as
/// `random-path,covnew` and written as the text that gives the same list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchSpec {
    /// Searchers that are interleaved; at least one.
    plain: Vec<Plain>,
    batch: Option<BatchLimits>,
    /// Instructions below a state that was picked.
    subtree: Option<u64>,
    /// The first round of iterative deepening.
    first_round: Option<Duration>,
}

impl SearchSpec {
    /// One searcher, wrapped by none.
    pub fn of(searcher: Plain) -> Self {
        SearchSpec {
            plain: vec![searcher],
            batch: None,
            subtree: None,
            first_round: None,
        }
    }

    /// Whether a searcher is in the list.
    pub fn has(&self, searcher: Plain) -> bool {
        self.plain.contains(&searcher)
    }

    /// Makes the searcher. Equal lists and seeds give equal picks, unless clocks are asked for.
    pub fn build(&self, seed: u64) -> Box<dyn Searcher> {
        let rng = Rng::new(seed);
        let all = self.plain.iter().enumerate();
        let mut searchers: Vec<Box<dyn Searcher>> = all
            .map(|(i, plain)| plain.build(rng.stream(i as u64)))
            .collect();
        let mut searcher = match searchers.len() {
            1 => searchers.remove(0),
            _ => Box::new(Interleaved::new(searchers)),
        };
        if let Some(BatchLimits { instructions, time }) = self.batch {
            let time = time.map(|limit| (limit, Clock::wall()));
            searcher = Box::new(Batching::new(searcher, instructions, time));
        }
        if let Some(instructions) = self.subtree {
            searcher = Box::new(Subtree::new(searcher, instructions));
        }
        if let Some(first_round) = self.first_round {
            searcher = Box::new(IterativeDeepening::new(
                searcher,
                first_round,
                Clock::wall(),
            ));
        }
        searcher
    }
}

impl Default for SearchSpec {
    /// What [`DEFAULT`] says.
    fn default() -> Self {
        SearchSpec {
            plain: vec![Plain::RandomPath, Plain::Weighted(WeightBy::CoveringNew)],
            batch: None,
            subtree: Some(DEFAULT_SUBTREE),
            first_round: None,
        }
    }
}

impl FromStr for SearchSpec {
    type Err = SearchError;

    fn from_str(list: &str) -> Result<Self, SearchError> {
        let lacks_name = || SearchError::NoSearcher {
            list: list.to_owned(),
        };
        let mut spec = SearchSpec {
            plain: Vec::new(),
            batch: None,
            subtree: None,
            first_round: None,
        };
        for item in list.split(',').map(str::trim) {
            let (name, value) = match item.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (item, None),
            };
            match name {
                "" => return Err(lacks_name()),
                "batching" => spec
                    .batch
                    .get_or_insert_with(BatchLimits::default)
                    .read(item, value)?,
                "subtree" => spec.subtree = Some(read_subtree(item, value)?),
                "deepening" => spec.first_round = Some(read_first_round(item, value)?),
                _ => {
                    let plain = Plain::read(name).ok_or_else(|| SearchError::Unknown {
                        name: name.to_owned(),
                    })?;
                    if value.is_some() {
                        let expected = "the name alone, because this searcher takes no value";
                        return Err(SearchError::BadValue {
                            item: item.to_owned(),
                            expected,
                        });
                    }
                    spec.plain.push(plain);
                }
            }
        }
        match spec.plain.is_empty() {
            true => Err(lacks_name()),
            false => Ok(spec),
        }
    }
}

impl fmt::Display for SearchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(time) = self.first_round {
            write!(f, "deepening={time:?},")?;
        }
        if let Some(instructions) = self.subtree {
            write!(f, "subtree={instructions},")?;
        }
        if let Some(BatchLimits { instructions, time }) = self.batch {
            if let Some(instructions) = instructions {
                write!(f, "batching={instructions},")?;
            }
            if let Some(time) = time {
                write!(f, "batching={time:?},")?;
            }
        }
        let names: Vec<&str> = self.plain.iter().map(|plain| plain.name()).collect();
        f.write_str(&names.join(","))
    }
}

/// The limits of a batch, one or both.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct BatchLimits {
    instructions: Option<u64>,
    time: Option<Duration>,
}

impl BatchLimits {
    fn read(&mut self, item: &str, value: Option<&str>) -> Result<(), SearchError> {
        let value = match value {
            None => {
                self.instructions = Some(BATCH_INSTRUCTIONS);
                return Ok(());
            }
            Some(value) => value,
        };
        if let Some(instructions) = value.parse().ok().filter(|&count| count > 0) {
            self.instructions = Some(instructions);
        } else if let Some(time) = read_time(value) {
            self.time = Some(time);
        } else {
            let expected = "a number of instructions such as `batching=10000`, \
                            or a time such as `batching=5s`";
            return Err(SearchError::BadValue {
                item: item.to_owned(),
                expected,
            });
        }
        Ok(())
    }
}

fn read_subtree(item: &str, value: Option<&str>) -> Result<u64, SearchError> {
    let Some(value) = value else {
        return Ok(BATCH_INSTRUCTIONS);
    };
    let count = value.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| SearchError::BadValue {
        item: item.to_owned(),
        expected: "a number of instructions such as `subtree=10000`",
    })
}

fn read_first_round(item: &str, value: Option<&str>) -> Result<Duration, SearchError> {
    let Some(value) = value else {
        return Ok(FIRST_ROUND);
    };
    read_time(value).ok_or_else(|| SearchError::BadValue {
        item: item.to_owned(),
        expected: "a time such as `deepening=1s`",
    })
}

/// A positive time with its unit: `100ms`, `1.5s`, `2m`, `1h`.
fn read_time(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
    (!time.is_zero()).then_some(time)
}
