//! The SMT-LIB core: any program that reads SMT-LIB on its input and answers on its output.
//!
//! # Problem
//! There are many solvers; linking each is work, and a crash of one must not be
//! ours.
//!
//! # Idea
//! Every query is a whole script after a `(reset)`, so nothing of one query can leak
//! into the next. After `sat` the values of the symbols are asked for, after `unsat` (if an unsat core
//! is wanted) which facts were used: each is guarded by a literal whose assertion has a name.
//!
//! # Soundness
//! The first thing printed must be the verdict: a program that complains about any
//! command prints that first, and the query fails. A model is evaluated on the query before it is
//! returned, because a wrong one is the program's fault and not Cairn's. Whatever goes wrong
//! kills the program; the next query starts it again.
//!
//! # Cost
//! Writing and reading the whole query each time; an unsat core is the program's own and is
//! not made smaller. Meant for comparison and for solvers that Cairn does not link, not for
//! speed.

mod process;

use crate::layer::Rest;
use crate::{Answer, Layer, Query, UnknownReason, UnsatCore, Want};
use cairn_expr::{Evaluator, Model, Op, PostOrder, Sort, Term, TermStore, Value, symbols_of};
use cairn_text::smtlib::{self, Names};
use process::SolverProcess;
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::rc::Rc;

/// An SMT-LIB program over a pipe.
pub struct SmtlibCore {
    words: Vec<String>,
    process: Option<SolverProcess>,
    /// Whether the running program has had a query.
    used: bool,
    queries: u64,
    starts: u64,
}

impl SmtlibCore {
    /// Starts a command such as `z3 -in`. It is split at blanks; quotes and backslashes keep
    /// blanks together. No shell is involved.
    pub fn start(command: &str) -> Result<Self, String> {
        let mut core = SmtlibCore {
            words: split_words(command)?,
            process: None,
            used: false,
            queries: 0,
            starts: 0,
        };
        core.launch()?;
        Ok(core)
    }

    fn launch(&mut self) -> Result<(), String> {
        let process = SolverProcess::start(&self.words)
            .map_err(|e| format!("the solver \"{}\" cannot be started: {e}", self.words[0]))?;
        self.process = Some(process);
        self.used = false;
        self.starts += 1;
        Ok(())
    }

    /// Sends a script to the program, started anew if need be.
    fn send(&mut self, script: &str) -> Result<&mut SolverProcess, UnknownReason> {
        if self
            .process
            .as_mut()
            .is_some_and(SolverProcess::is_out_of_step)
        {
            self.process = None;
        }
        if self.process.is_none() {
            self.launch().map_err(UnknownReason::SolverFailed)?;
        }
        let Some(process) = &mut self.process else {
            unreachable!("started above");
        };
        let first = if std::mem::replace(&mut self.used, true) {
            "(reset)\n"
        } else {
            ""
        };
        process.send(format!("{first}{script}"));
        Ok(process)
    }

    fn decide(&mut self, store: &TermStore, query: &Query) -> Result<Answer, UnknownReason> {
        let script = Script::of(store, query)?;
        let process = self.send(&script.text)?;
        let mut dialogue = SolverDialogue { process, query };
        let answer = dialogue.next()?;
        match smtlib::read_answer(&answer) {
            Ok(smtlib::SolverResponse::Sat) => dialogue.model(&script.names).map(Answer::Sat),
            Ok(smtlib::SolverResponse::Unsat) => Ok(Answer::Unsat(dialogue.core(&script)?)),
            Ok(smtlib::SolverResponse::Unknown) => Err(query
                .budget
                .by_wall_clock()
                .exhausted()
                .unwrap_or_else(|| UnknownReason::SolverFailed("it says unknown".to_string()))),
            Ok(smtlib::SolverResponse::Error(text)) => Err(unexpected_output(&text)),
            Ok(smtlib::SolverResponse::Success | smtlib::SolverResponse::Unsupported) | Err(_) => {
                Err(unexpected_output(&answer))
            }
        }
    }
}

impl Layer for SmtlibCore {
    fn name(&self) -> &'static str {
        "smtlib"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        self.queries += 1;
        if let Some(reason) = query.budget.exhausted() {
            return Answer::Unknown(reason);
        }
        self.decide(rest.store(), query).unwrap_or_else(|reason| {
            self.process = None;
            Answer::Unknown(reason)
        })
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("queries", self.queries), ("starts", self.starts)]
    }
}

/// The program's output in place of an answer, shortened.
fn unexpected_output(text: &str) -> UnknownReason {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    UnknownReason::SolverFailed(format!("it says {short:?}"))
}

/// A query as a script.
struct Script {
    text: String,
    names: Names,
    /// The query's facts, then its goal.
    conjuncts: Vec<Term>,
}

/// How the assertions that say which facts were used are called.
const NAMED: &str = "cairn!used!";

impl Script {
    fn of(store: &TermStore, query: &Query) -> Result<Self, UnknownReason> {
        let conjuncts = query.conjuncts();
        let mut assertions: Vec<Term> = Vec::new();
        let mut literals = Vec::new();
        if query.want == Want::Core {
            let unique = store.fresh_number();
            for (i, conjunct) in conjuncts.iter().enumerate() {
                let literal = store.symbol(&format!("cairn!lit!{unique}!{i}"), Sort::Bool);
                assertions.push(store.implies(&literal, conjunct));
                literals.push(literal);
            }
        } else {
            assertions.extend(conjuncts.iter().cloned());
        }
        let arrays = PostOrder::of(&assertions).any(|t| t.sort().is_array());
        let logic = if arrays { "QF_ABV" } else { "QF_BV" };
        let names = Names::of(&assertions);
        let mut text =
            String::from("(set-option :print-success false)\n(set-option :produce-models true)\n");
        if query.want == Want::Core {
            text.push_str("(set-option :produce-unsat-cores true)\n");
        }
        let unwritten = |_| UnknownReason::SolverFailed("the query cannot be written".to_string());
        smtlib::write_query(&mut text, logic, &assertions).map_err(unwritten)?;
        if query.want == Want::Core {
            let check = "(check-sat)\n";
            text.truncate(text.strip_suffix(check).unwrap_or(&text).len());
            for (i, literal) in literals.iter().enumerate() {
                // A literal is in no assertion if its fact is the constant true.
                if let Some(name) = names.get(literal) {
                    writeln!(text, "(assert (! {name} :named {NAMED}{i}))").map_err(unwritten)?;
                }
            }
            text.push_str(check);
        }
        Ok(Script {
            text,
            names,
            conjuncts,
        })
    }
}

/// The exchange after the script.
struct SolverDialogue<'a> {
    process: &'a mut SolverProcess,
    query: &'a Query,
}

impl SolverDialogue<'_> {
    fn next(&mut self) -> Result<String, UnknownReason> {
        self.process.expression(&self.query.budget)
    }

    fn ask(&mut self, command: String) -> Result<String, UnknownReason> {
        self.process.send(command);
        self.next()
    }

    /// Asks which facts were used.
    fn core(&mut self, script: &Script) -> Result<UnsatCore, UnknownReason> {
        let goal = script.conjuncts.len() - 1;
        let mut used: Vec<usize> = (0..=goal).collect();
        if self.query.want == Want::Core {
            let answer = self.ask("(get-unsat-core)\n".to_string())?;
            let inner = answer.strip_prefix('(').and_then(|a| a.strip_suffix(')'));
            let listed: Option<Vec<usize>> = inner.and_then(|names| {
                let place = |n: &str| n.strip_prefix(NAMED)?.parse().ok();
                names.split_whitespace().map(place).collect()
            });
            used = listed.ok_or_else(|| unexpected_output(&answer))?;
            used.sort_unstable();
            used.dedup();
            if used.last().is_some_and(|last| *last > goal) {
                return Err(unexpected_output(&answer));
            }
        }
        Ok(UnsatCore {
            goal: used.contains(&goal) && !self.query.goal.is_true(),
            facts: used
                .into_iter()
                .filter(|i| *i != goal)
                .map(|i| script.conjuncts[i].clone())
                .collect(),
        })
    }

    /// Asks for the values of all symbols.
    fn model(&mut self, names: &Names) -> Result<Rc<Model>, UnknownReason> {
        let roots = self.query.conjuncts();
        let (arrays, scalars): (Vec<Term>, Vec<Term>) = symbols_of(&roots)
            .into_iter()
            .partition(|s| s.sort().is_array());
        let mut model = Model::new();
        if !scalars.is_empty() {
            let spelled: Vec<&str> = scalars.iter().filter_map(|s| names.get(s)).collect();
            let sorts: Vec<Sort> = scalars.iter().map(Term::sort).collect();
            let answer = self.ask(format!("(get-value ({}))\n", spelled.join(" ")))?;
            let values =
                smtlib::read_values(&answer, &sorts).map_err(|_| unexpected_output(&answer))?;
            for (symbol, value) in scalars.into_iter().zip(values) {
                model.set(symbol, value);
            }
        }
        let mut unread = Vec::new();
        for array in arrays {
            let Some(name) = names.get(&array) else {
                continue;
            };
            let answer = self.ask(format!("(get-value ({name}))\n"))?;
            match smtlib::read_values(&answer, &[array.sort()]).as_deref() {
                Ok([value]) => model.set(array, value.clone()),
                _ => unread.push((array.clone(), name.to_string())),
            }
        }
        if !unread.is_empty() {
            self.cells(&roots, &unread, &mut model)?;
        }
        let mut evaluator = Evaluator::new();
        if !roots.iter().all(|t| evaluator.eval_bool(t, &model)) {
            return Err(UnknownReason::SolverFailed(
                "its model does not satisfy the query".to_string(),
            ));
        }
        Ok(Rc::new(model))
    }

    /// Asks for the elements of arrays whose values are written in a way that is not read: at every
    /// index that the query reads or writes. Indices may depend on elements, so they are asked for
    /// one by one, inner ones first.
    fn cells(
        &mut self,
        roots: &[Term],
        arrays: &[(Term, String)],
        model: &mut Model,
    ) -> Result<(), UnknownReason> {
        let mut evaluator = Evaluator::new();
        let mut asked = FxHashSet::default();
        for term in PostOrder::of(roots) {
            if matches!(term.op(), Op::Eq) && term.arg(0).sort().is_array() {
                return Err(UnknownReason::Unsupported(
                    "equality of arrays with a solver that writes their values in its own way"
                        .to_string(),
                ));
            }
            if !matches!(term.op(), Op::Select | Op::Store) {
                continue;
            }
            let index = evaluator.eval_bv(term.arg(1), model);
            for (array, name) in arrays {
                let Sort::Array {
                    index: width,
                    value,
                } = array.sort()
                else {
                    continue;
                };
                if width != index.width() || !asked.insert((array.clone(), index.clone())) {
                    continue;
                }
                let answer = self.ask(format!("(get-value ((select {name} {index})))\n"))?;
                let read = smtlib::read_values(&answer, &[Sort::BitVec(value)]);
                match read.as_deref() {
                    Ok([Value::Bv(element)]) => {
                        model.array_mut(array).set(index.clone(), element.clone());
                        evaluator.start();
                    }
                    _ => return Err(unexpected_output(&answer)),
                }
            }
        }
        Ok(())
    }
}

/// Splits a command at blanks, as a shell does with simple quotes.
fn split_words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                // An empty pair of quotes is an empty word.
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = chars.next().ok_or("the command ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(q) = quote {
        return Err(format!("the command has an unclosed {q}: {command}"));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("the command is empty; name an SMT-LIB solver such as \"z3 -in\"".to_string());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split_words;

    #[test]
    fn commands_are_split_like_a_shell_does() {
        let words = |c: &str| split_words(c).expect("a command");
        assert_eq!(words("z3 -in"), ["z3", "-in"]);
        assert_eq!(
            words("  a\t'b c' \"d 'e\" f\\ g h''i ''"),
            ["a", "b c", "d 'e", "f g", "hi", ""]
        );
        for wrong in ["", "  ", "a 'b", "a \\", "\"\""] {
            assert!(split_words(wrong).is_err(), "{wrong:?}");
        }
    }
}
