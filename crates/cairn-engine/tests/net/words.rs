//! Terms, effects and outcomes in words that stay the same from run to run.

use cairn_engine::{
    Case, Decision, Effect, Feasibility, Finding, LoggedDecision, Omission, Outcome, Sizing, State,
};
use cairn_expr::{Op, Term};
use cairn_ir::Program;
use cairn_memory::{ObjectId, Word};
use std::fmt::Write as _;
use std::rc::Rc;

/// Characters of a term that are shown.
const LONGEST: usize = 240;

/// A term as a tree, cut off where it is long.
pub fn term(term: &Term) -> String {
    enum Piece<'a> {
        Term(&'a Term),
        Text(&'static str),
    }
    let mut text = String::new();
    let mut left = vec![Piece::Term(term)];
    while let Some(piece) = left.pop() {
        if text.len() > LONGEST {
            text += "…";
            break;
        }
        let term = match piece {
            Piece::Text(word) => {
                text += word;
                continue;
            }
            Piece::Term(term) => term,
        };
        let _ = match term.op() {
            Op::Bool(value) => write!(text, "{value}"),
            Op::Const(value) => match value.to_u64() {
                Some(word) if word < 256 => write!(text, "{word}:{}", term.width()),
                Some(word) => write!(text, "{word:#x}:{}", term.width()),
                None => write!(text, "{value}"),
            },
            Op::Base(base) => write!(text, "base@{:x}", base.address),
            Op::Symbol(symbol) => write!(text, "{}", symbol.name(term.sort())),
            Op::Table(table) => write!(text, "table[{}]", table.values().len()),
            op => {
                let name = op.info().name;
                left.push(Piece::Text(")"));
                for arg in term.args().iter().rev() {
                    left.push(Piece::Term(arg));
                    left.push(Piece::Text(" "));
                }
                match op {
                    Op::Extract { hi, lo } => write!(text, "({name}[{hi}:{lo}]"),
                    Op::ZeroExtend(n) | Op::SignExtend(n) => write!(text, "({name}[{n}]"),
                    _ => write!(text, "({name}"),
                }
            }
        };
    }
    text
}

/// What was decided at a step.
pub fn decision(decision: Decision) -> String {
    match decision {
        Decision::Case(way) => format!("way {way}"),
        Decision::Object(object) => format!("object {object:?}"),
        Decision::ObjectPartly(object) => format!("beginning of object {object:?}"),
        Decision::Part { slot, offset } => format!("part {offset:#x} of object in slot {slot}"),
        Decision::Window { size, address } => format!("window {address:#x} of {size} bytes"),
        Decision::Member(object) => format!("with object {object:?}"),
        Decision::Call(address) => format!("call {address:#x}"),
        Decision::Is(value) => format!("is {value:#x}"),
        Decision::IsNot(value) => format!("is not {value:#x}"),
        Decision::NoUse(_) => "no use".to_string(),
    }
}

/// The decisions of a path; a star is where there was another way.
pub fn decisions(steps: &[LoggedDecision]) -> String {
    // A window is no step: which bytes a layer knows to be enough may differ between runs.
    let is_step = |step: &&LoggedDecision| {
        !matches!(step.decision, Decision::Window { .. } | Decision::Member(_))
    };
    let words = steps.iter().filter(is_step).map(|step| {
        let star = if step.forked { "*" } else { "" };
        format!("{}{star}", decision(step.decision))
    });
    match steps {
        [] => "-".to_string(),
        [..] => words.collect::<Vec<_>>().join(", "),
    }
}

/// The object that an effect names.
fn object(state: &State, object: ObjectId) -> String {
    match state.domain.memory.info(Word { bits: 0, object }) {
        Ok(info) => info.to_string(),
        Err(fault) => fault.to_string(),
    }
}

/// A finding: kind, message.
fn finding(finding: &Finding) -> String {
    format!("{} \"{}\"", finding.kind.word(), finding.message)
}

/// What happens in a case. Positions of the flat form are left out: they change with it.
fn effect(state: &State, effect: &Effect) -> String {
    match effect {
        Effect::Proceed => "proceed".to_string(),
        Effect::GoTo(_) => "go to".to_string(),
        Effect::Retry => "retry".to_string(),
        Effect::RetryAccess {
            address: _,
            length,
            object: id,
            window,
        } => {
            let part = window.map_or_else(String::new, |w| {
                format!(", in {} bytes at {:#x}", w.size, w.address)
            });
            format!("retry access of {length} to {}{part}", object(state, *id))
        }
        Effect::RetrySegment {
            address: _,
            length,
            members,
            joined: _,
        } => {
            let all = members.iter().map(|id| object(state, *id));
            let all = all.collect::<Vec<_>>().join(", ");
            format!("retry access of {length} to one of {all}")
        }
        Effect::RetryPointer { address: _, value } => format!("retry pointer {value:#x}"),
        Effect::RetryKnowing { condition: _ } => "retry knowing".to_string(),
        Effect::RetryAtMost {
            length: _,
            within: _,
            most,
        } => format!("retry at most {most}"),
        Effect::RetrySize { request, sizing } => {
            let sizing = match sizing {
                Sizing::Zero => "zero".to_string(),
                Sizing::Within(most) => format!("within {most}"),
                Sizing::Large => "large".to_string(),
                Sizing::Refused => "refused".to_string(),
            };
            format!("retry size {} {sizing}", term(&request.term))
        }
        Effect::RetryWithSize { object: id, known } => {
            format!("retry known {known} of {}", object(state, *id))
        }
        Effect::RetryChoosingNumber { term: _ } => "retry choosing a number".to_string(),
        Effect::RetryNumber { term: _, value } => format!("retry number {value:#x}"),
        Effect::RetryNowhere { address: _, value } => format!("retry nowhere {value:#x}"),
        Effect::RetryClass {
            term: _,
            classes: _,
            range: (first, last),
        } => format!("retry class {first:#x} to {last:#x}"),
        Effect::RetryWithBytes { at, bytes } => {
            format!("retry knowing {} at {:#x}", hex(bytes), at.bits)
        }
        Effect::RetryChoosing { at, length } => {
            format!("retry choosing {length} bytes at {:#x}", at.bits)
        }
        Effect::ReturnValue {
            value,
            results,
            assumed: (_, assumed),
        } => {
            let assumed: String = assumed.iter().map(|what| format!(", {what}")).collect();
            format!("answer {:#x} for {results} results{assumed}", value.bits)
        }
        Effect::Call(address) => format!("call {address:#x}"),
        Effect::Error(error) => format!("error {}", finding(error)),
        Effect::End { code, lost } => {
            let lost: Vec<String> = lost.iter().map(finding).collect();
            format!("end {code}, lost [{}]", lost.join(", "))
        }
    }
}

/// What is known about a case.
fn feasibility(state: &State, case: &Case) -> String {
    let known = match &case.feasibility {
        Feasibility::Unknown => "open".to_string(),
        Feasibility::Feasible(model) if Rc::ptr_eq(model, &state.domain.model) => {
            "feasible (the state's model)".to_string()
        }
        Feasibility::Feasible(_) => "feasible".to_string(),
        Feasibility::Infeasible(kind) => format!("infeasible, {}", kind.name()),
        Feasibility::Cut(why) => format!("cut, {}", cut(why)),
        Feasibility::Postponed => "postponed".to_string(),
        Feasibility::Excluded => "elsewhere".to_string(),
    };
    match case.on_seed {
        true => format!("{known}, on seed"),
        false => known,
    }
}

/// A case in one line.
pub fn case(state: &State, case: &Case) -> String {
    format!(
        "{}: {}; {} if {}",
        decision(case.decision),
        feasibility(state, case),
        effect(state, &case.effect),
        term(&case.guard)
    )
}

/// Why a way is not followed.
pub fn cut(cut: &Omission) -> String {
    cut.to_string()
}

/// How a path ended.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("exit {code}"),
        Outcome::Signal(signal) => format!("signal {signal}"),
        Outcome::Silent => "silent".to_string(),
        Outcome::Error(error) => format!("error {}", finding(error)),
        Outcome::Unsupported(what) => format!("unsupported {}", finding(what)),
        Outcome::Stopped(why) => format!("stopped, {}", cut(why)),
        Outcome::Subsumed(by) => format!("covered by {} {}", by.feature, by.entry),
        Outcome::Merged => "merged".to_string(),
        Outcome::Contradiction => "contradiction".to_string(),
    }
}

/// The kind of an end, to count by.
pub fn outcome_kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("exit {code}"),
        Outcome::Signal(signal) => format!("signal {signal}"),
        Outcome::Silent => "silent".to_string(),
        Outcome::Error(error) => format!("error {}", error.kind.word()),
        Outcome::Unsupported(what) => format!("unsupported {}", what.kind.word()),
        Outcome::Stopped(_) => "stopped".to_string(),
        Outcome::Subsumed(by) => format!("covered by {} {}", by.feature, by.entry),
        Outcome::Merged => "merged".to_string(),
        Outcome::Contradiction => "contradiction".to_string(),
    }
}

/// The calls of a finding, newest first.
pub fn place(finding: &Finding, program: &Program) -> String {
    let calls = finding
        .lines(program)
        .into_iter()
        .map(|call| match call.line {
            0 => call.function,
            line => format!("{} {}:{line}", call.function, call.file),
        });
    calls.collect::<Vec<_>>().join(" < ")
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
