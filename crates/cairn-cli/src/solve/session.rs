//! An SMT-LIB session: the assertion stack, the last answer, and what commands print.

use super::{FileReport, SolverOptions, Unprinted};
use cairn_expr::{Evaluator, Model, Term, TermStore};
use cairn_solver::{Answer, Facts, Query, Want};
use cairn_text::smtlib::{self, Command, Script, spell_symbol};
use std::io::{Read, Write};
use std::rc::Rc;
use std::time::Instant;

struct Assertion {
    term: Term,
    name: Option<String>,
}

/// What the last check left to ask about.
enum LastCheck {
    Nothing,
    Sat(Rc<Model>),
    /// Names of the core's assertions, and the assumptions in it as they were written.
    Unsat {
        names: Vec<String>,
        assumptions: Vec<String>,
    },
    Unknown(String),
}

struct Session<'a> {
    store: &'a TermStore,
    assertions: Vec<Assertion>,
    /// Number of assertions at each push.
    marks: Vec<usize>,
    last: LastCheck,
    options: Vec<(String, String)>,
    status: Option<String>,
}

/// Runs a script. An error inside a well-formed command is printed and the script goes on; what
/// cannot be read ends it.
pub fn solve(
    store: &TermStore,
    source: Box<dyn Read>,
    solver: &mut SolverOptions,
    out: &mut dyn Write,
    report: &mut FileReport,
) -> anyhow::Result<()> {
    let mut script = Script::new(source);
    let mut session = Session {
        store,
        assertions: Vec::new(),
        marks: Vec::new(),
        last: LastCheck::Nothing,
        options: Vec::new(),
        status: None,
    };
    loop {
        match script.next_command(store) {
            Ok(Some(Command::Exit)) | Ok(None) => return Ok(()),
            Ok(Some(command)) => {
                session.execute(command, &script, solver, out, report)?;
                // A dialogue partner waits for the answer.
                out.flush().map_err(Unprinted)?;
            }
            Err(e) => {
                writeln!(out, "(error {})", quoted(&e.to_string())).map_err(Unprinted)?;
                return Err(e.into());
            }
        }
    }
}

/// A string as SMT-LIB writes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

impl Session<'_> {
    fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().rev().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_str())
    }

    fn is_on(&self, name: &str) -> bool {
        self.option(name) == Some("true")
    }

    fn execute(
        &mut self,
        command: Command,
        script: &Script<Box<dyn Read>>,
        solver: &mut SolverOptions,
        out: &mut dyn Write,
        report: &mut FileReport,
    ) -> anyhow::Result<()> {
        let quiet = solver.quiet;
        let mut silent = true;
        match command {
            Command::SetLogic(_)
            | Command::Declare(_)
            | Command::Define { .. }
            | Command::DefineSort { .. } => {}
            Command::SetOption { name, value } => self.options.push((name, value)),
            Command::SetInfo { name, value } => {
                if name == "status" {
                    self.status = Some(value);
                }
            }
            Command::Assert { term, name, .. } => {
                self.assertions.push(Assertion { term, name });
                self.last = LastCheck::Nothing;
            }
            Command::Push(n) => {
                for _ in 0..n {
                    self.marks.push(self.assertions.len());
                }
                self.last = LastCheck::Nothing;
            }
            Command::Pop(n) => {
                for _ in 0..n {
                    if let Some(mark) = self.marks.pop() {
                        self.assertions.truncate(mark);
                    }
                }
                self.last = LastCheck::Nothing;
            }
            Command::Reset => {
                self.assertions.clear();
                self.marks.clear();
                self.options.clear();
                self.last = LastCheck::Nothing;
            }
            Command::ResetAssertions => {
                self.assertions.clear();
                self.marks.clear();
                self.last = LastCheck::Nothing;
            }
            Command::CheckSat => {
                silent = false;
                self.check(&[], solver, out, report)?;
            }
            Command::CheckSatAssuming(assumptions) => {
                silent = false;
                self.check(&assumptions, solver, out, report)?;
            }
            Command::Echo(text) if !quiet => {
                silent = false;
                writeln!(out, "{}", quoted(&text)).map_err(Unprinted)?;
            }
            Command::GetModel
            | Command::GetValue(_)
            | Command::GetUnsatCore
            | Command::GetUnsatAssumptions
            | Command::GetAssertions
            | Command::GetAssignment
            | Command::GetInfo(_)
            | Command::GetOption(_)
            | Command::Echo(_)
                if quiet => {}
            Command::GetModel
            | Command::GetValue(_)
            | Command::GetUnsatCore
            | Command::GetUnsatAssumptions
            | Command::GetAssertions
            | Command::GetAssignment
            | Command::GetInfo(_)
            | Command::GetOption(_)
            | Command::Echo(_) => {
                silent = false;
                let text = match self.answer(&command, script) {
                    Ok(text) => text,
                    Err(message) => format!("(error {})", quoted(&message)),
                };
                writeln!(out, "{text}").map_err(Unprinted)?;
            }
            Command::Exit => {}
        }
        if silent && !quiet && self.is_on("print-success") {
            writeln!(out, "success").map_err(Unprinted)?;
        }
        Ok(())
    }

    fn check(
        &mut self,
        assumptions: &[(String, Term)],
        solver: &mut SolverOptions,
        out: &mut dyn Write,
        report: &mut FileReport,
    ) -> anyhow::Result<()> {
        let mut facts = Facts::new();
        for a in &self.assertions {
            facts = facts.with(a.term.clone());
        }
        for (_, term) in assumptions {
            facts = facts.with(term.clone());
        }
        let wants_core = self.is_on("produce-unsat-cores")
            || self.is_on("produce-unsat-assumptions")
            || !assumptions.is_empty();
        let want = if wants_core { Want::Core } else { Want::Model };
        let start = Instant::now();
        let query = Query::new(facts, self.store.true_())
            .wanting(want)
            .within(solver.budget());
        let answer = solver.chain.solve(self.store, &query);
        report.solving += start.elapsed();
        let verdict = answer.verdict();
        report.answers.push(verdict);
        if let Some(status) = self.status.take()
            && ((status == "sat" && verdict == "unsat") || (status == "unsat" && verdict == "sat"))
        {
            report.contradicts_status = true;
        }
        self.last = match answer {
            Answer::Sat(model) => LastCheck::Sat(model),
            Answer::Unsat(core) => LastCheck::Unsat {
                names: self
                    .assertions
                    .iter()
                    .filter(|a| core.facts.contains(&a.term))
                    .filter_map(|a| a.name.clone())
                    .collect(),
                assumptions: assumptions
                    .iter()
                    .filter(|(_, t)| core.facts.contains(t))
                    .map(|(text, _)| text.clone())
                    .collect(),
            },
            Answer::Unknown(reason) => {
                report.reasons.push(reason.to_string());
                LastCheck::Unknown(reason.to_string())
            }
        };
        writeln!(out, "{verdict}").map_err(Unprinted)?;
        Ok(())
    }

    /// What a `get-` command prints, or why it can't.
    fn answer(&self, command: &Command, script: &Script<Box<dyn Read>>) -> Result<String, String> {
        match command {
            Command::GetModel => {
                let mut text = String::new();
                smtlib::write_model(&mut text, script.declarations(), self.model()?)
                    .map_err(|e| e.to_string())?;
                Ok(text.trim_end().to_string())
            }
            Command::GetValue(terms) => {
                let model = self.model()?;
                let mut evaluator = Evaluator::new();
                let pairs: Vec<String> = terms
                    .iter()
                    .map(|(text, term)| {
                        let value = evaluator.eval(term, model);
                        format!("({text} {})", smtlib::value_to_string(&value))
                    })
                    .collect();
                Ok(format!("({})", pairs.join("\n ")))
            }
            Command::GetAssignment => {
                let model = self.model()?;
                let mut evaluator = Evaluator::new();
                let pairs: Vec<String> = script
                    .named_terms()
                    .iter()
                    .filter(|(_, t)| t.sort() == cairn_expr::Sort::Bool)
                    .map(|(name, t)| {
                        let value = evaluator.eval_bool(t, model);
                        format!("({} {value})", spell_symbol(name))
                    })
                    .collect();
                Ok(format!("({})", pairs.join(" ")))
            }
            Command::GetUnsatCore => match &self.last {
                LastCheck::Unsat { names, .. } => {
                    let names: Vec<String> = names.iter().map(|n| spell_symbol(n)).collect();
                    Ok(format!("({})", names.join(" ")))
                }
                LastCheck::Nothing | LastCheck::Sat(_) | LastCheck::Unknown(_) => {
                    Err("get-unsat-core needs a check-sat that answered unsat before it".into())
                }
            },
            Command::GetUnsatAssumptions => match &self.last {
                LastCheck::Unsat { assumptions, .. } => Ok(format!("({})", assumptions.join(" "))),
                LastCheck::Nothing | LastCheck::Sat(_) | LastCheck::Unknown(_) => Err(
                    "get-unsat-assumptions needs a check-sat-assuming that answered unsat before it"
                        .into(),
                ),
            },
            Command::GetAssertions => {
                let terms: Vec<String> = self
                    .assertions
                    .iter()
                    .map(|a| smtlib::term_to_string(&a.term))
                    .collect();
                Ok(format!("({})", terms.join("\n ")))
            }
            Command::GetInfo(name) => Ok(match name.as_str() {
                "name" => "(:name \"Cairn\")".to_string(),
                "version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
                "authors" => "(:authors \"the authors of Cairn\")".to_string(),
                "error-behavior" => "(:error-behavior continued-execution)".to_string(),
                "assertion-stack-levels" => {
                    format!("(:assertion-stack-levels {})", self.marks.len())
                }
                "reason-unknown" => match &self.last {
                    LastCheck::Unknown(reason) => format!("(:reason-unknown {})", quoted(reason)),
                    LastCheck::Nothing | LastCheck::Sat(_) | LastCheck::Unsat { .. } => {
                        return Err("the last check-sat was not unknown".to_string());
                    }
                },
                _ => "unsupported".to_string(),
            }),
            Command::GetOption(name) => {
                Ok(self.option(name).unwrap_or("unsupported").to_string())
            }
            other => Err(format!("{other:?} has no answer")),
        }
    }

    fn model(&self) -> Result<&Model, String> {
        match &self.last {
            LastCheck::Sat(model) => Ok(model),
            LastCheck::Nothing | LastCheck::Unsat { .. } | LastCheck::Unknown(_) => {
                Err("no model: the last command that checks must have answered sat".to_string())
            }
        }
    }
}
