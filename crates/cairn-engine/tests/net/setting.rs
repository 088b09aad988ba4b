//! How a program of the net is run: `key=value` pairs that become a [`Config`].
//!
//! Without any: depth first, one worker, every test run again on the concrete machine.
//!
//! - `search seed jobs entry layers core args`: as in `Config`; lists with commas.
//! - `instructions depth forks tests findings time_ms cpu_ms solver_ms`: limits. `memory=+8M`: as much above
//!   what the process has now.
//! - `unwritten=anything|zero|fill:HH`, `bases=values|terms`, `policy=fork|segments|ite|adaptive`, `reach=own|any`, `stack heap object`: memory.
//! - `check=leaks,uninit`, `unchecked=KIND,…`, `stop_on=KIND,…`, `max_symbolic_size`, `fuzz_bytes`.
//! - `flags=all_errors,only_covering_new,tests_of_stopped,tests_of_stopped_new,silent_assume,unsupported_are_errors`.
//! - `seeding=first|only|then_end`, with `by_name`, `extend`, `truncate` after commas; each
//!   `seed_input=NAME:HEX,…` is a seed.
//! - `replay=way:0,object:0x10,is:3,is_not:4`: the path that is followed.
//! - `system=NAME,…`: a system with `file:NAME:TEXT`, `sym_files:COUNT:SIZE`, `stdin:TEXT`, `sym_stdin:SIZE`,
//!   `max_fail:N`, `short_reads`, `efault`, `clock`, `random`, `awaited`; `yes` adds nothing.
//! - `host=never|concrete|all`: functions of a host (`fakes.rs`). `code=yes`: an executable (`fakes.rs`).
//! - `link=harness|runtime`: what is linked to the program.
//! - `show=all|paths|ends`: how much is expected: everything (with one worker), what does not depend on the
//!   order of paths, or that without the list of paths.
//! - `again=yes`: with `same`, some path must be run again.

use super::fakes::{FakeCode, FakeHost};
use cairn_engine::search::{Plain, SearchError, SearchSpec};
use cairn_engine::{
    Bases, Config, Decision, ExternalPolicy, FindingKind, LoggedDecision, Reach, Seed, Seeding,
    StoppedTests, SystemSetup, Unwritten,
};
use cairn_ir::Program;
use cairn_linux::{Abi, HostFile, RandomSource, StandardInput};
use std::sync::Arc;
use std::time::Duration;

/// How much of a run is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    All,
    Paths,
    Ends,
}

/// How a program is run.
pub struct Setting {
    config: Config,
    seeding: Seeding,
    code: bool,
    links: Vec<String>,
    /// Bytes above what the process has now.
    memory: Option<u64>,
    show: Show,
    /// Some path must be run again.
    pub again: bool,
}

impl Default for Setting {
    fn default() -> Self {
        Setting {
            config: Config {
                search: SearchSpec::of(Plain::Dfs),
                self_check: true,
                ..Config::default()
            },
            seeding: Seeding::default(),
            code: false,
            links: Vec::new(),
            memory: None,
            show: Show::All,
            again: false,
        }
    }
}

const KINDS: [FindingKind; 17] = [
    FindingKind::Pointer,
    FindingKind::Free,
    FindingKind::ReadOnly,
    FindingKind::Overflow,
    FindingKind::Overshift,
    FindingKind::Division,
    FindingKind::Assertion,
    FindingKind::Abort,
    FindingKind::User,
    FindingKind::Execution,
    FindingKind::Unsupported,
    FindingKind::External,
    FindingKind::Model,
    FindingKind::VectorAccess,
    FindingKind::Leak,
    FindingKind::Uninitialised,
    FindingKind::Stack,
];

fn number<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let (digits, scale) = match text.strip_suffix('M') {
        Some(digits) => (digits, 1 << 20),
        None => (text, 1),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    let value = value.and_then(|value| T::try_from(value * scale).ok());
    value.ok_or_else(|| format!("`{text}` is no number that fits"))
}

fn milliseconds(text: &str) -> Result<Option<Duration>, String> {
    Ok(Some(Duration::from_millis(number(text)?)))
}

fn kinds(list: &str) -> Result<Vec<FindingKind>, String> {
    let kind = |word: &str| {
        let found = KINDS.iter().find(|kind| kind.word() == word);
        found.copied().ok_or_else(|| format!("no kind `{word}`"))
    };
    list.split(',').map(kind).collect()
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    };
    let bytes: Option<Vec<u8>> = digits.map(byte).collect();
    bytes.ok_or_else(|| format!("`{hex}` is not hexadecimal"))
}

fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once(':')
        .ok_or_else(|| format!("`{text}` lacks a colon"))
}

fn step(text: &str) -> Result<LoggedDecision, String> {
    let (word, value) = pair(text)?;
    let decision = match word {
        "way" => Decision::Case(number(value)?),
        "object" => Decision::Object(cairn_engine::ObjectId::from_raw(number(value)?)),
        "is" => Decision::Is(number(value)?),
        "is_not" => Decision::IsNot(number(value)?),
        _ => return Err(format!("no decision `{word}`")),
    };
    Ok(LoggedDecision {
        decision,
        forked: false,
    })
}

fn system(list: &str) -> Result<SystemSetup, String> {
    let mut setup = SystemSetup::new(Abi::X86_64);
    for item in list.split(',') {
        let (word, value) = item.split_once(':').unwrap_or((item, ""));
        match word {
            "yes" => {}
            "file" => {
                let (name, text) = pair(value)?;
                setup.files.push(HostFile::new(name, text.as_bytes()));
            }
            "sym_files" => {
                let (count, size) = pair(value)?;
                (setup.symbolic_files, setup.symbolic_size) = (number(count)?, number(size)?);
            }
            "stdin" => setup.stdin = StandardInput::Bytes(value.as_bytes().into()),
            "sym_stdin" => setup.stdin = StandardInput::Symbolic(number(value)?),
            "awaited" => setup.stdin = StandardInput::Awaited,
            "max_fail" => setup.max_fail = number(value)?,
            "short_reads" => setup.short_reads = true,
            "efault" => setup.efault = true,
            "clock" => setup.symbolic_clock = true,
            "random" => setup.random = RandomSource::Caller,
            _ => return Err(format!("the system has no `{word}`")),
        }
    }
    Ok(setup)
}

impl Setting {
    /// How much is expected. Several workers have no one order.
    pub fn show(&self) -> Show {
        match (self.show, self.config.jobs) {
            (Show::All, 2..) => Show::Paths,
            (show, _) => show,
        }
    }

    /// Whether one worker explores.
    pub fn is_alone(&self) -> bool {
        self.config.jobs == 1
    }

    /// Whether what is not followed is not always listed: only one path was asked for, or what is not supported counts as an error.
    pub fn lists_less(&self) -> bool {
        self.config.replayed.is_some() || self.config.unsupported_are_errors
    }

    /// Reads pairs.
    pub fn read(&mut self, line: &str) -> Result<(), String> {
        for item in line.split_whitespace() {
            let (key, value) = item
                .split_once('=')
                .ok_or_else(|| format!("`{item}` has no value"))?;
            let known = self.limit(key, value)? || self.option(key, value)?;
            if !known {
                return Err(format!("no setting `{key}`"));
            }
        }
        Ok(())
    }

    fn limit(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let limits = &mut self.config.limits;
        match key {
            "instructions" => limits.instructions = Some(number(value)?),
            "depth" => limits.depth = Some(number(value)?),
            "forks" => limits.forks = Some(number(value)?),
            "tests" => limits.tests = Some(number(value)?),
            "findings" => limits.findings = Some(number(value)?),
            "time_ms" => limits.time = milliseconds(value)?,
            "cpu_ms" => limits.cpu_time = milliseconds(value)?,
            "solver_ms" => limits.solver = milliseconds(value)?,
            "memory" => self.memory = Some(number(value.trim_start_matches('+'))?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn option(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let config = &mut self.config;
        match key {
            "search" => config.search = value.parse().map_err(|e: SearchError| e.to_string())?,
            "seed" => config.seed = number(value)?,
            "jobs" => config.jobs = number(value)?,
            "entry" => config.entry = value.to_string(),
            "layers" => config.layers = value.parse().map_err(|e| format!("{e}"))?,
            "core" => config.core = value.parse().map_err(|e| format!("{e}"))?,
            "args" => config.args = value.split(',').map(|a| a.as_bytes().to_vec()).collect(),
            "max_symbolic_size" => config.max_symbolic_size = number(value)?,
            "fuzz_bytes" => config.fuzz_bytes = number(value)?,
            "stack" => config.memory.stack_bytes = number(value)?,
            "heap" => config.memory.heap_bytes = number(value)?,
            "object" => config.memory.object_bytes = number(value)?,
            "unchecked" => config.unchecked = kinds(value)?,
            "stop_on" => config.stop_on = kinds(value)?,
            "system" => config.system = Some(system(value)?),
            "replay" => {
                let steps: Result<Arc<[LoggedDecision]>, String> =
                    value.split(',').map(step).collect();
                config.replayed = Some(steps?);
            }
            "unwritten" => {
                config.unwritten = match value.strip_prefix("fill:") {
                    Some(byte) => Unwritten::Filled(bytes(byte)?[0]),
                    None if value == "zero" => Unwritten::Zero,
                    None => Unwritten::Anything,
                };
            }
            "bases" => {
                config.bases = match value {
                    "terms" => Bases::Terms,
                    _ => Bases::Values,
                };
            }
            "policy" => {
                config.policy = value.parse().map_err(|e| format!("{e}"))?;
            }
            "reach" => {
                config.memory.reach = match value {
                    "any" => Reach::AnyObject,
                    _ => Reach::OwnObject,
                };
            }
            "host" => {
                let policy = match value {
                    "never" => ExternalPolicy::Never,
                    "concrete" => ExternalPolicy::Concrete,
                    _ => ExternalPolicy::All,
                };
                config.externals = Some(Arc::new(FakeHost::new(policy)));
            }
            "check" | "flags" | "seeding" => {
                return value
                    .split(',')
                    .try_for_each(|w| self.flag(w))
                    .map(|()| true);
            }
            "seed_input" => self.seed(value)?,
            "show" => {
                self.show = match value {
                    "all" => Show::All,
                    "paths" => Show::Paths,
                    "ends" => Show::Ends,
                    _ => return Err(format!("nothing to show is called `{value}`")),
                };
            }
            "code" => self.code = value == "yes",
            "again" => self.again = value == "yes",
            "link" => self.links.push(value.to_string()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn flag(&mut self, word: &str) -> Result<(), String> {
        let (config, seeding) = (&mut self.config, &mut self.seeding);
        let flag = match word {
            "leaks" => &mut config.check_leaks,
            "uninit" => &mut config.check_uninit,
            "all_errors" => &mut config.all_errors,
            "only_covering_new" => &mut config.only_covering_new,
            "tests_of_stopped" => {
                config.tests_of_stopped = StoppedTests::All;
                return Ok(());
            }
            "tests_of_stopped_new" => {
                config.tests_of_stopped = StoppedTests::CoveringNew;
                return Ok(());
            }
            "silent_assume" => &mut config.silent_assume,
            "unsupported_are_errors" => &mut config.unsupported_are_errors,
            "first" => return Ok(()),
            "only" => &mut seeding.only,
            "then_end" => &mut seeding.then_end,
            "by_name" => &mut seeding.by_name,
            "extend" => &mut seeding.extend,
            "truncate" => &mut seeding.truncate,
            _ => return Err(format!("no flag `{word}`")),
        };
        *flag = true;
        Ok(())
    }

    fn seed(&mut self, list: &str) -> Result<(), String> {
        let object = |text| {
            let (name, hex) = pair(text)?;
            Ok((name.to_string(), bytes(hex)?))
        };
        let objects: Result<Vec<_>, String> = list.split(',').map(object).collect();
        let number = self.seeding.seeds.len() + 1;
        self.seeding.seeds.push(Seed {
            origin: format!("seed {number}"),
            objects: objects?,
        });
        Ok(())
    }

    /// Adds to a program what it is linked with.
    pub fn link(&self, program: &mut Program) -> Result<(), String> {
        for link in &self.links {
            let linked = match link.as_str() {
                "harness" => cairn_engine::link_harness(program),
                "runtime" => cairn_machine::link_runtime(program),
                _ => return Err(format!("nothing to link is called `{link}`")),
            };
            linked.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// What the exploration is told.
    pub fn config(&self, program: &Arc<Program>) -> Result<Config, String> {
        let mut config = self.config.clone();
        if !self.seeding.seeds.is_empty() {
            config.seeding = Some(Arc::new(self.seeding.clone()));
        }
        if self.code {
            config.code = Some(Arc::new(FakeCode::of(program)));
        }
        if let Some(more) = self.memory {
            let now =
                cairn_home::resident_bytes().ok_or("the memory of the process is not known")?;
            config.limits.memory = Some(now + more);
        }
        Ok(config)
    }
}
