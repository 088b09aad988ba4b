//! One program under one setting, run once and kept: a table that was interrupted goes on where it
//! was.

use crate::child::{self, Usage, scratch_folder};
use crate::riscv::Machine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A way to run the solver.
pub struct Setting {
    /// The name in tables and in `--settings`.
    pub name: &'static str,
    /// The flags of `cairn run`.
    pub flags: &'static [&'static str],
}

/// How many instructions of a program are run while the processor's are counted: that takes thirty times
/// as long, and the same work under two settings is compared.
const COUNTED: &str = "10000000";

/// All settings. Only the last has caches.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "z3",
        flags: &["--layers", "none", "--core", "z3"],
    },
    Setting {
        name: "z3:anew",
        flags: &["--layers", "none", "--core", "z3:anew"],
    },
    Setting {
        name: "core",
        flags: &["--layers", "none"],
    },
    Setting {
        name: "intervals",
        flags: &["--layers", "simplify,slice,intervals"],
    },
    Setting {
        name: "strided:first",
        flags: &["--layers", "simplify,slice,strided:first"],
    },
    Setting {
        name: "strided:middle",
        flags: &["--layers", "simplify,slice,strided:middle"],
    },
    Setting {
        name: "default",
        flags: &["--layers", "path-sets,simplify,slice,value-sets"],
    },
    Setting {
        name: "cached",
        flags: &[],
    },
];

/// The settings that a table has if none are chosen: Z3 once, as we ask it.
pub fn in_tables() -> Vec<&'static Setting> {
    SETTINGS.iter().filter(|s| s.name != "z3:anew").collect()
}

/// The settings of a list of names.
pub fn settings(names: &str) -> Result<Vec<&'static Setting>, String> {
    let find = |name: &str| {
        let found = SETTINGS.iter().find(|s| s.name == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = SETTINGS.iter().map(|s| s.name).collect();
            format!(
                "no setting is called {name}; the settings are {}",
                all.join(", ")
            )
        })
    };
    names.split(',').map(find).collect()
}

/// A program to run.
pub struct Program {
    /// The name in tables; files are named after it.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Macros, for the compiler.
    pub defines: Vec<String>,
    /// Flags of `cairn run` beside the setting's.
    pub flags: Vec<String>,
    /// Paths to the end and into an error, if they are known.
    pub expected: Option<(u64, u64)>,
    /// The machine that it is compiled for; LLVM's if there is none.
    pub machine: Option<Machine>,
}

/// What a run gave.
#[derive(Clone)]
pub struct Run {
    /// Paths to the end.
    pub completed: u64,
    /// Paths into an error.
    pub errors: u64,
    /// Whether everything was explored.
    pub complete: bool,
    /// Whether it ended by itself, whatever it lists as not explored.
    pub ended: bool,
    /// Queries that were asked.
    pub asked: u64,
    /// Queries that the core solver was asked.
    pub core: u64,
    /// The most bytes of the objects of one access by a choice between addresses.
    pub largest_choice: u64,
    /// The bytes of the largest object that was accessed in parts.
    pub largest_split: u64,
    /// Queries by which objects of addresses were found.
    pub resolutions: u64,
    /// The most memory resident, in bytes.
    pub peak: u64,
    /// Lines that were covered, and how many there are.
    pub lines: (u64, u64),
    /// CPU seconds, user and system; the limit if not everything was explored.
    pub seconds: f64,
    /// CPU seconds that were used.
    pub used: f64,
    /// Seconds of them in the solver.
    pub solving: f64,
    /// What was found: kind, line, and after a colon the message; sorted.
    pub findings: Vec<String>,
    /// What was left out, in words.
    pub incomplete: Vec<String>,
}

impl Run {
    /// The kinds and lines of what was found, sorted.
    pub fn places(&self) -> Vec<&str> {
        let place = |f: &'_ String| f.split(": ").next().map_or(0, str::len);
        self.findings.iter().map(|f| &f[..place(f)]).collect()
    }

    /// Whether the paths are right; of a run that was ended, whether they are too many.
    pub fn verdict(&self, expected: Option<(u64, u64)>) -> &'static str {
        let paths = (self.completed, self.errors);
        match (expected, self.complete) {
            (Some(expected), true) if expected != paths => "WRONG",
            (Some(e), false) if paths.0 > e.0 || paths.1 > e.1 => "WRONG",
            (Some(_), true) => "right",
            (None, true) => "all",
            (Some(_) | None, false) => "limit",
        }
    }
}

/// How runs are made.
pub struct Runner {
    /// The limit of a run, in seconds of CPU time.
    pub limit: u64,
    /// Where results are kept.
    pub folder: PathBuf,
    /// Whether to run again what is known.
    pub again: bool,
}

impl Runner {
    fn kept(&self, program: &Program, setting: &str, what: &str) -> PathBuf {
        let name = format!("{}.json", setting.replace(':', "-"));
        let program = program.name.replace([' ', '/'], "_");
        self.folder.join(what).join(program).join(name)
    }

    /// A result that is kept, if it is for the same question.
    fn known(&self, file: &Path, question: &str) -> Option<Value> {
        let text = std::fs::read_to_string(file).ok().filter(|_| !self.again)?;
        let row: Value = serde_json::from_str(&text).ok()?;
        (row["question"] == question).then_some(row)
    }

    fn keep(file: &Path, row: &Value) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("{}: {e}", file.display());
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(file, format!("{row:#}\n")).map_err(failed)
    }

    fn question(&self, program: &Program, setting: &Setting) -> String {
        let all = [program.defines.join(" "), program.flags.join(" ")];
        let flags = setting.flags.join(" ");
        let machine = program.machine.as_ref().map_or("", Machine::text);
        format!("{} s {} {flags}{machine}", self.limit, all.join(" "))
    }

    /// Runs a program under a setting, or finds what was found before.
    pub fn run(&self, program: &Program, setting: &Setting) -> Result<Run, String> {
        let file = self.kept(program, setting.name, "runs");
        let question = self.question(program, setting);
        let row = match self.known(&file, &question) {
            Some(row) => row,
            None => {
                let usage = self.explore(program, setting)?;
                let used = (usage.user + usage.system).as_secs_f64();
                let row = json!({
                    "question": question,
                    "completed": usage.completed,
                    "errors": usage.errors,
                    "complete": usage.complete,
                    "ended": usage.ended,
                    "asked": usage.asked,
                    "largest_choice": usage.largest_choice,
                    "largest_split": usage.largest_split,
                    "resolutions": usage.resolutions,
                    "lines": [usage.lines.0, usage.lines.1],
                    "core": usage.core,
                    "cpu_seconds": used,
                    "solving_seconds": usage.solving,
                    "wall_seconds": usage.wall.as_secs_f64(),
                    "peak_bytes": usage.peak,
                    "findings": usage.findings,
                    "incomplete": usage.incomplete,
                });
                Self::keep(&file, &row)?;
                row
            }
        };
        let number = |key: &str| row[key].as_u64().unwrap_or(0);
        let complete = row["complete"] == true;
        Ok(Run {
            completed: number("completed"),
            errors: number("errors"),
            complete,
            ended: row["ended"] == true,
            asked: number("asked"),
            core: number("core"),
            largest_choice: number("largest_choice"),
            largest_split: number("largest_split"),
            resolutions: number("resolutions"),
            peak: number("peak_bytes"),
            used: row["cpu_seconds"].as_f64().unwrap_or(0.0),
            lines: (
                row["lines"][0].as_u64().unwrap_or(0),
                row["lines"][1].as_u64().unwrap_or(0),
            ),
            seconds: match complete {
                true => row["cpu_seconds"].as_f64().unwrap_or(0.0),
                false => self.limit as f64,
            },
            solving: row["solving_seconds"].as_f64().unwrap_or(f64::NAN),
            findings: child::texts(&row["findings"]),
            incomplete: child::texts(&row["incomplete"]),
        })
    }

    /// What `cairn run` is given.
    fn prepare(&self, program: &Program, folder: &Path) -> Result<PathBuf, String> {
        match &program.machine {
            None => child::prepare(&program.source, &program.defines, folder),
            Some(machine) => machine.build(&program.source, &program.defines, folder),
        }
    }

    fn explore(&self, program: &Program, setting: &Setting) -> Result<Usage, String> {
        let scratch = scratch_folder()?;
        let prepared = self.prepare(program, scratch.path())?;
        let mut flags = vec!["--no-tests"];
        // The program's flags may end with arguments of its own.
        flags.extend(setting.flags);
        flags.extend(program.flags.iter().map(String::as_str));
        let limit = Some(Duration::from_secs(self.limit));
        child::explore_within(&prepared, &flags, scratch.path(), limit)
    }

    /// Millions of the processor's instructions, of an exploration up to [`COUNTED`] of the program's own;
    /// nothing if there is no count.
    pub fn instructions(
        &self,
        program: &Program,
        setting: &Setting,
    ) -> Result<Option<f64>, String> {
        let file = self.kept(program, setting.name, "instructions");
        let question = format!(
            "{} --max-instructions {COUNTED}",
            self.question(program, setting)
        );
        let row = match self.known(&file, &question) {
            Some(row) => row,
            None => {
                let scratch = scratch_folder()?;
                let prepared = self.prepare(program, scratch.path())?;
                let mut flags = vec!["--no-tests"];
                flags.extend(setting.flags);
                if !program.flags.iter().any(|f| f == "--max-instructions") {
                    flags.extend(["--max-instructions", COUNTED]);
                }
                flags.extend(program.flags.iter().map(String::as_str));
                let counted = child::count_instructions(&prepared, &flags, scratch.path())?;
                let row = json!({ "question": question, "instructions": counted });
                Self::keep(&file, &row)?;
                row
            }
        };
        Ok(row["instructions"].as_f64().map(|n| n / 1e6))
    }
}
