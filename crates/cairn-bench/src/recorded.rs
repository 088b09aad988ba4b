//! Recorded queries of real programs: solving time against Z3, parsing aside, in one process.

use crate::clock;
use cairn_expr::{Term, TermStore};
use cairn_solver::cores::z3::{ScriptVerdict, Z3Script, Z3Setting};
use cairn_solver::{Answer, Budget, Chain, CoreName, Facts, LayerList, Query};
use cairn_text::smtlib::{Command, Script};
use std::path::PathBuf;
use std::time::Duration;

/// A script with the answer that it records.
pub struct Recorded {
    file: PathBuf,
    text: String,
    /// What should hold together, in the script's order.
    pub assertions: Vec<Term>,
    /// `sat`, `unsat` or `unknown`; empty if it records none.
    pub status: String,
}

impl Recorded {
    /// The name of its file without the ending.
    pub fn name(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }
}

fn read(store: &TermStore, file: PathBuf) -> Result<Recorded, String> {
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut script = Script::new(text.as_bytes());
    let mut assertions = Vec::new();
    let mut status = String::new();
    loop {
        match script.next_command(store) {
            Ok(None) => break,
            Ok(Some(Command::Assert { term, .. })) => assertions.push(term),
            Ok(Some(Command::SetInfo { name, value })) if name == "status" => status = value,
            Ok(Some(_)) => {}
            Err(e) => return Err(format!("{}: {e}", file.display())),
        }
    }
    Ok(Recorded {
        file,
        text,
        assertions,
        status,
    })
}

/// The scripts of a folder, by name.
pub fn read_folder(store: &TermStore, folder: &str) -> Result<Vec<Recorded>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "smt2"))
        .collect();
    files.sort();
    files.into_iter().map(|f| read(store, f)).collect()
}

/// Runs the comparison and prints the table.
pub fn run(folder: &str) -> Result<(), String> {
    let store = TermStore::new();
    let queries = read_folder(&store, folder)?;
    println!(
        "{} recorded queries, CPU seconds for solving, parsing aside",
        queries.len()
    );
    let mut best: Option<Duration> = None;
    for (name, setting) in [
        ("Z3 default", Z3Setting::Default),
        ("Z3 QF_ABV", Z3Setting::ForLogic("QF_ABV".to_string())),
        ("Z3 QF_AUFBV", Z3Setting::ForLogic("QF_AUFBV".to_string())),
    ] {
        let mut time = Duration::ZERO;
        let mut wrong = 0;
        for q in &queries {
            let script = Z3Script::parse(&q.text)?;
            let start = clock::thread();
            let verdict = script.check(&setting, &Budget::timeout(Duration::from_secs(60)));
            time += clock::thread() - start;
            let agrees = match verdict {
                ScriptVerdict::Sat => q.status == "sat",
                ScriptVerdict::Unsat => q.status == "unsat",
                ScriptVerdict::Unknown(_) => false,
            };
            wrong += u32::from(!agrees);
        }
        println!(
            "{name:<14} {:>8.3} s   not as recorded: {wrong}",
            time.as_secs_f64()
        );
        best = Some(best.map_or(time, |b| b.min(time)));
    }
    let best = best.unwrap_or_default();
    for (name, layers) in [
        ("native core", LayerList::none()),
        ("cairn solve", LayerList::for_scripts()),
        ("whole chain", LayerList::default()),
    ] {
        let mut time = Duration::ZERO;
        let mut wrong = Vec::new();
        let mut chain = Chain::build(&layers, &CoreName::default()).map_err(|e| e.to_string())?;
        for q in &queries {
            let facts: Facts = q.assertions.iter().cloned().collect();
            let query = Query::new(facts, store.true_());
            let start = clock::thread();
            let answer = chain.solve(&store, &query);
            time += clock::thread() - start;
            if let Answer::Unknown(reason) = &answer {
                println!("{}: {reason}", q.file.display());
            }
            if answer.verdict() != q.status {
                wrong.push(q.file.display().to_string());
            }
        }
        println!(
            "{name:<14} {:>8.3} s   not as recorded: {}   Z3 / Cairn {:.1}",
            time.as_secs_f64(),
            wrong.len(),
            best.as_secs_f64() / time.as_secs_f64()
        );
        for file in wrong {
            println!("  not as recorded: {file}");
        }
    }
    Ok(())
}
