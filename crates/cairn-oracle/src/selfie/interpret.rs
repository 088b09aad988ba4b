//! Programs evaluated on their tree: what one run does, and all runs that there are.
//!
//! # Idea
//!
//! A run is given the values of its inputs. If it asks for one that was not given, it ends with what
//! that may be ([`EvaluationResult::Asks`]); so all runs are found by giving each value in turn ([`all_runs`]).
//!
//! # Soundness
//!
//! It shares nothing with the code generator but the tree. Memory is words at addresses of its own; an access to
//! a word that is in no variable or block is a mistake of the test and no outcome.

use super::syntax::{Callee, Expr, Operator, Program, Site, Statement, Variable};
use std::collections::BTreeMap;

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationEnd {
    /// By itself, with this code.
    Exit(u8),
    /// With an error.
    Error(EvaluationError, Site),
}

/// What is wrong at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationError {
    /// A division by zero.
    Division,
    /// An assertion that fails.
    Assertion,
    /// An input of which there is no value.
    Input,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationResult {
    /// It ended.
    Ended(Run),
    /// It asks for a further input: the first value, the last, the step.
    Asks(u64, u64, u64),
    /// It takes more steps than it may.
    Endless,
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values of its inputs, in the order in which it asked.
    pub inputs: Vec<u64>,
    /// How it ended.
    pub end: EvaluationEnd,
    /// What its branches did.
    pub branches: Vec<bool>,
    /// How many steps it took: of runs with the same branches, those with as many ended at the same place.
    pub steps: u64,
}

/// The most steps of a run.
const STEPS: u64 = 200_000;

/// Where memory begins, and where blocks do.
const VARIABLES: u64 = 1 << 20;
const BLOCKS: u64 = 1 << 40;

/// Why evaluating stops.
enum EvaluationStop {
    End(EvaluationEnd),
    Asks(u64, u64, u64),
    Endless,
    Mistake(String),
}

struct Interpreter<'p> {
    program: &'p Program,
    memory: BTreeMap<u64, u64>,
    /// Where the variables of the next procedure are.
    frame: u64,
    bump: u64,
    inputs: std::slice::Iter<'p, u64>,
    branches: Vec<bool>,
    steps: u64,
}

/// Runs a program on some values of its inputs.
///
/// # Errors
/// If the program uses memory that it does not have: then it is no program for this.
pub fn run(program: &Program, inputs: &[u64]) -> Result<EvaluationResult, String> {
    let mut all = Interpreter {
        program,
        memory: (0..program.globals)
            .map(|i| (VARIABLES + 8 * i as u64, 0))
            .collect(),
        frame: VARIABLES + 8 * program.globals as u64,
        bump: BLOCKS,
        inputs: inputs.iter(),
        branches: Vec::new(),
        steps: 0,
    };
    let stop = match all.procedure(program.main, &[]) {
        Ok(code) => EvaluationStop::End(EvaluationEnd::Exit(code as u8)),
        Err(stop) => stop,
    };
    Ok(match stop {
        EvaluationStop::End(end) => EvaluationResult::Ended(Run {
            inputs: inputs.to_vec(),
            end,
            branches: all.branches,
            steps: all.steps,
        }),
        EvaluationStop::Asks(first, last, step) => EvaluationResult::Asks(first, last, step),
        EvaluationStop::Endless => EvaluationResult::Endless,
        EvaluationStop::Mistake(what) => return Err(what),
    })
}

/// All runs of a program, if there are at most so many and all end.
///
/// # Errors
/// As for [`run`].
pub fn all_runs(program: &Program, most: usize) -> Result<Option<Vec<Run>>, String> {
    let mut runs = Vec::new();
    let mut waiting = vec![Vec::new()];
    while let Some(inputs) = waiting.pop() {
        match run(program, &inputs)? {
            EvaluationResult::Ended(run) => runs.push(run),
            EvaluationResult::Asks(first, last, step) => {
                let values = (first..=last).step_by(step as usize);
                for value in values.take(most + 1) {
                    let mut longer = inputs.clone();
                    longer.push(value);
                    waiting.push(longer);
                }
            }
            EvaluationResult::Endless => return Ok(None),
        }
        if runs.len() + waiting.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(runs))
}

impl Interpreter<'_> {
    fn step(&mut self) -> Result<(), EvaluationStop> {
        self.steps += 1;
        match self.steps > STEPS {
            true => Err(EvaluationStop::Endless),
            false => Ok(()),
        }
    }

    /// Runs a procedure; its result.
    fn procedure(&mut self, index: usize, args: &[u64]) -> Result<u64, EvaluationStop> {
        let program = self.program;
        let procedure = &program.procedures[index];
        let frame = self.frame;
        self.frame += 8 * procedure.variables as u64;
        for i in 0..procedure.variables {
            let value = args.get(i).copied().unwrap_or(0);
            self.memory.insert(frame + 8 * i as u64, value);
        }
        let result = self.statements(&procedure.body, frame)?;
        self.frame = frame;
        Ok(result.unwrap_or(0))
    }

    /// Runs statements; what they return, if they do.
    fn statements(&mut self, all: &[Statement], frame: u64) -> Result<Option<u64>, EvaluationStop> {
        for statement in all {
            self.step()?;
            let returned = match statement {
                Statement::Assign(variable, value) => {
                    let value = self.value(value, frame)?;
                    self.memory.insert(place(*variable, frame), value);
                    None
                }
                Statement::Store(address, value) => {
                    let address = self.value(address, frame)?;
                    let value = self.value(value, frame)?;
                    *self.word(address)? = value;
                    None
                }
                Statement::If(condition, then, otherwise) => {
                    let list = match self.decide(condition, frame)? {
                        true => then,
                        false => otherwise,
                    };
                    self.statements(list, frame)?
                }
                Statement::While(condition, body) => {
                    let mut returned = None;
                    while returned.is_none() && self.decide(condition, frame)? {
                        returned = self.statements(body, frame)?;
                    }
                    returned
                }
                Statement::Return(value) => Some(self.value(value, frame)?),
                Statement::Call(callee, args) => {
                    self.call(*callee, args, frame)?;
                    None
                }
            };
            if returned.is_some() {
                return Ok(returned);
            }
        }
        Ok(None)
    }

    fn decide(&mut self, condition: &Expr, frame: u64) -> Result<bool, EvaluationStop> {
        self.step()?;
        let goes = self.value(condition, frame)? != 0;
        self.branches.push(goes);
        Ok(goes)
    }

    fn word(&mut self, address: u64) -> Result<&mut u64, EvaluationStop> {
        let known = self.memory.get_mut(&address);
        known.ok_or_else(|| EvaluationStop::Mistake(format!("there is no word at {address:#x}")))
    }

    fn value(&mut self, expr: &Expr, frame: u64) -> Result<u64, EvaluationStop> {
        Ok(match expr {
            Expr::Number(number) => *number,
            Expr::Variable(variable) => *self.word(place(*variable, frame))?,
            Expr::Address(variable) => place(*variable, frame),
            Expr::Load(address) => {
                let address = self.value(address, frame)?;
                *self.word(address)?
            }
            Expr::Binary(operator, left, right) => {
                let left = self.value(left, frame)?;
                let right = self.value(right, frame)?;
                apply(*operator, left, right)?
            }
            Expr::Call(callee, args) => self.call(*callee, args, frame)?,
        })
    }

    fn call(&mut self, callee: Callee, args: &[Expr], frame: u64) -> Result<u64, EvaluationStop> {
        self.step()?;
        let args = args.iter().map(|arg| self.value(arg, frame));
        let args: Vec<u64> = args.collect::<Result<_, _>>()?;
        match callee {
            Callee::Procedure(index) => return self.procedure(index, &args),
            Callee::Malloc => {
                let block = self.bump;
                self.bump += args[0].next_multiple_of(8);
                let words = (block..self.bump).step_by(8);
                self.memory.extend(words.map(|at| (at, 0)));
                return Ok(block);
            }
            Callee::Exit => return Err(EvaluationStop::End(EvaluationEnd::Exit(args[0] as u8))),
            Callee::Interval(site) => {
                let [at, first, last, step] = args[..] else {
                    return Err(EvaluationStop::Mistake("interval takes four".to_string()));
                };
                if step == 0 || first > last {
                    return Err(EvaluationStop::End(EvaluationEnd::Error(
                        EvaluationError::Input,
                        site,
                    )));
                }
                let given = self.inputs.next().copied();
                *self.word(at)? = given.ok_or(EvaluationStop::Asks(first, last, step))?;
            }
            Callee::Assert(site) if args[0] == 0 => {
                return Err(EvaluationStop::End(EvaluationEnd::Error(
                    EvaluationError::Assertion,
                    site,
                )));
            }
            Callee::Assert(_) | Callee::Printsv | Callee::ZoneBegins | Callee::ZoneEnds => {}
        }
        Ok(0)
    }
}

/// Where a variable is.
fn place(variable: Variable, frame: u64) -> u64 {
    match variable {
        Variable::Global(i) => VARIABLES + 8 * i as u64,
        Variable::Local(i) => frame + 8 * i as u64,
    }
}

fn apply(operator: Operator, left: u64, right: u64) -> Result<u64, EvaluationStop> {
    let divided = |site, result: Option<u64>| {
        result.ok_or(EvaluationStop::End(EvaluationEnd::Error(
            EvaluationError::Division,
            site,
        )))
    };
    Ok(match operator {
        Operator::Add => left.wrapping_add(right),
        Operator::Sub => left.wrapping_sub(right),
        Operator::Mul => left.wrapping_mul(right),
        Operator::Div(site) => divided(site, left.checked_div(right))?,
        Operator::Rem(site) => divided(site, left.checked_rem(right))?,
        Operator::Eq => u64::from(left == right),
        Operator::Ne => u64::from(left != right),
        Operator::Lt => u64::from(left < right),
        Operator::Le => u64::from(left <= right),
        Operator::Gt => u64::from(left > right),
        Operator::Ge => u64::from(left >= right),
    })
}
