//! Scripts through `cairn solve` and through Z3's program, side by side.
//!
//! - **Verdicts** of all checks must be the same.
//! - **Models and values** that Cairn prints go back to Z3 in place of the declarations: the
//!   assertions must be satisfiable still.
//! - **Cores** that Cairn prints go back to Z3 as the only named assertions: they must be
//!   unsatisfiable.

use crate::scripts::{Sample, sample, script};
use crate::z3::{Program, run, verdicts};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The two programs, and where files may be written.
pub struct Programs {
    /// Cairn's command.
    pub cairn: PathBuf,
    /// More options of `cairn solve`.
    pub options: Vec<String>,
    /// Z3's program.
    pub z3: Program,
    /// Limit of one script.
    pub limit: Duration,
    /// A directory for files.
    pub directory: PathBuf,
}

/// What a comparison of scripts came to.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Scripts compared.
    pub scripts: u64,
    /// Checks with the same verdict.
    pub checks: u64,
    /// Of them satisfiable.
    pub sat: u64,
    /// Checks that one of the two did not decide.
    pub undecided: u64,
    /// Models that Z3 confirmed.
    pub models: u64,
    /// Cores that Z3 confirmed.
    pub cores: u64,
    /// Seeds and what is wrong with them.
    pub disagreements: Vec<(u64, String)>,
}

impl Programs {
    fn write(&self, name: &str, text: &str) -> std::io::Result<PathBuf> {
        let file = self
            .directory
            .join(format!("{name}-{}.smt2", std::process::id()));
        std::fs::write(&file, text)?;
        Ok(file)
    }

    fn cairn(&self, file: &Path) -> std::io::Result<(String, String)> {
        let mut options = vec!["solve"];
        options.extend(self.options.iter().map(String::as_str));
        let ran = run(&self.cairn, &options, file, self.limit)?;
        Ok((ran.output, ran.errors))
    }

    fn z3(&self, text: &str) -> std::io::Result<String> {
        let file = self.write("cairn-z3", text)?;
        Ok(self.z3.run(&file, self.limit, &[])?.output)
    }

    /// Compares the verdicts on a script. `Err` is a disagreement.
    fn compare(&self, text: &str, all: &mut Agreement) -> std::io::Result<Result<(), String>> {
        let file = self.write("cairn-script", text)?;
        let (ours, errors) = self.cairn(&file)?;
        let theirs = self.z3.run(&file, self.limit, &[])?.output;
        let (a, b) = (verdicts(&ours), verdicts(&theirs));
        if b.contains(&"timeout") {
            all.undecided += 1;
            return Ok(Ok(()));
        }
        if a.len() != b.len() {
            let said: Vec<&str> = theirs.lines().filter(|l| l.starts_with("(error")).collect();
            return Ok(Err(format!(
                "{} verdicts, expected {}; cairn: {errors}{}; z3: {}",
                a.len(),
                b.len(),
                ours.lines()
                    .filter(|l| l.starts_with("(error"))
                    .collect::<Vec<_>>()
                    .join(" "),
                said.join(" ")
            )));
        }
        for (i, (x, y)) in a.iter().zip(&b).enumerate() {
            match (*x, *y) {
                ("unknown", _) | (_, "unknown") => all.undecided += 1,
                (x, y) if x == y => {
                    all.checks += 1;
                    all.sat += u64::from(x == "sat");
                }
                (x, y) => return Ok(Err(format!("check {i} is {x}, expected {y}; {errors}"))),
            }
        }
        Ok(Ok(()))
    }

    /// Gives Cairn's evidence for a sample back to Z3.
    fn confirm(&self, sample: &Sample, all: &mut Agreement) -> std::io::Result<Result<(), String>> {
        let file = self.write("cairn-sample", &sample.commands.join("\n"))?;
        let (ours, errors) = self.cairn(&file)?;
        let answers = expressions(&ours);
        match answers.first().map(String::as_str) {
            Some("sat") if answers.len() >= 3 => {
                let text = with_model(sample, &answers[1], &answers[2]);
                let theirs = self.z3(&text)?;
                match verdicts(&theirs).first() {
                    Some(&"sat") if !theirs.contains("(error") => all.models += 1,
                    Some(&"unknown" | &"timeout") | None if !theirs.contains("(error") => {
                        all.undecided += 1;
                    }
                    _ => return Ok(Err(format!("the model is refused: {theirs}\n{text}"))),
                }
            }
            Some("unsat") => {
                let names = expressions(inside(answers.last().map_or("", String::as_str)));
                let text = with_core(sample, &names);
                let theirs = self.z3(&text)?;
                match verdicts(&theirs).first() {
                    Some(&"unsat") => all.cores += 1,
                    Some(&"unknown" | &"timeout") | None if !theirs.contains("(error") => {
                        all.undecided += 1;
                    }
                    _ => return Ok(Err(format!("the core is refused: {theirs}\n{text}"))),
                }
            }
            Some("unknown") => all.undecided += 1,
            _ => return Ok(Err(format!("no verdict: {ours}{errors}"))),
        }
        Ok(Ok(()))
    }
}

/// Compares the scripts of some seeds, and for each the evidence of a sample.
pub fn compare(
    programs: &Programs,
    first: u64,
    count: u64,
    note: &mut dyn FnMut(u64, &str),
) -> std::io::Result<Agreement> {
    let mut all = Agreement::default();
    for seed in first..first + count {
        let verdicts = programs.compare(&script(seed), &mut all)?;
        let evidence = programs.confirm(&sample(seed), &mut all)?;
        all.scripts += 1;
        for problem in [verdicts, evidence].into_iter().filter_map(Result::err) {
            note(seed, &problem);
            all.disagreements.push((seed, problem));
        }
    }
    Ok(all)
}

fn starts(command: &str, with: &str) -> bool {
    command.trim_start().starts_with(with)
}

/// The sample with a model's definitions in place of the declarations, and values as assertions.
fn with_model(sample: &Sample, model: &str, values: &str) -> String {
    let mut text = String::new();
    for command in &sample.commands {
        let asks = starts(command, "(get-") || starts(command, "(check-sat");
        if asks || starts(command, "(declare-") {
            continue;
        }
        text.push_str(command);
        text.push('\n');
        if starts(command, "(set-logic") {
            text.push_str(inside(model));
            text.push('\n');
        }
    }
    for pair in expressions(inside(values)) {
        text.push_str(&format!("(assert (= {}))\n", inside(&pair)));
    }
    text.push_str("(check-sat)\n");
    text
}

/// The sample without the named assertions that are not listed.
fn with_core(sample: &Sample, names: &[String]) -> String {
    let bare = |n: &str| n.trim_matches('|').to_string();
    let listed: Vec<String> = names.iter().map(|n| bare(n)).collect();
    let mut text = String::new();
    for (command, name) in sample.commands.iter().zip(&sample.names) {
        let left_out = name.as_ref().is_some_and(|n| !listed.contains(&bare(n)));
        if !left_out && !starts(command, "(get-") {
            text.push_str(command);
            text.push('\n');
        }
    }
    text
}

/// What stands between the outer parentheses.
fn inside(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('(')
        .and_then(|t| t.strip_suffix(')'))
        .unwrap_or(text)
}

/// The expressions that a text consists of.
pub fn expressions(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut current = String::new();
    let mut depth = 0usize;
    let mut until: Option<char> = None;
    for c in text.chars() {
        if let Some(end) = until {
            current.push(c);
            if c == end {
                until = None;
            }
            continue;
        }
        match c {
            '"' | '|' => {
                until = Some(c);
                current.push(c);
            }
            '(' => {
                depth += 1;
                current.push(c);
            }
            ')' => {
                depth = depth.saturating_sub(1);
                current.push(c);
            }
            c if c.is_whitespace() && depth == 0 => {}
            c => current.push(c),
        }
        let ends = depth == 0 && (c.is_whitespace() || c == ')');
        if ends && !current.is_empty() {
            all.push(std::mem::take(&mut current));
        }
    }
    if !current.is_empty() {
        all.push(current);
    }
    all
}
