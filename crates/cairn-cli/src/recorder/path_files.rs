//! What is written of a test's path beside the test: its constraints, decisions and lines.

use cairn_engine::{Decision, FileLine, LoggedDecision, ObjectId};
use cairn_expr::Term;
use cairn_ir::Program;
use cairn_text::{kquery, smtlib};
use std::fmt::{Display, Write};

/// The constraints as SMT-LIB.
pub fn smt2(text: &mut String, constraints: &[Term]) -> Result<(), String> {
    smtlib::write_query(text, "QF_ABV", constraints).map_err(message)
}

/// The constraints as KQuery: whether they contradict each other.
pub fn kquery(text: &mut String, constraints: &[Term]) -> Result<(), String> {
    kquery::write_satisfiability(text, constraints).map_err(message)
}

fn message(error: impl Display) -> String {
    error.to_string()
}

/// The decisions, one on each line.
pub fn decisions<'a>(text: &mut String, steps: impl IntoIterator<Item = &'a LoggedDecision>) {
    for step in steps {
        put_decision(text, step.decision, |case| case);
    }
}

/// The decisions as KLEE writes branches: 1 where the condition held, 0 where it did not. Further cases
/// of a step have their numbers, and what KLEE does not write has words.
pub fn klee_decisions<'a>(text: &mut String, steps: impl IntoIterator<Item = &'a LoggedDecision>) {
    for step in steps {
        put_decision(text, step.decision, klee_case);
    }
}

/// Reads what [`klee_decisions`] wrote; lines with a number are all that KLEE writes.
///
/// # Errors
/// The number of the first line that is not understood.
pub fn read_klee_decisions(text: &str) -> Result<Vec<LoggedDecision>, usize> {
    let lines = text
        .lines()
        .zip(1usize..)
        .filter(|(l, _)| !l.trim().is_empty());
    let steps = lines.map(|(line, number)| {
        let decision = read_decision(line.trim()).ok_or(number)?;
        Ok(LoggedDecision {
            decision,
            forked: true,
        })
    });
    steps.collect()
}

fn read_decision(line: &str) -> Option<Decision> {
    let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let object = |text: &str| hex(text).map(ObjectId::from_raw);
    if let Some(rest) = line.strip_prefix("object ") {
        return object(rest).map(Decision::Object);
    }
    if let Some(rest) = line.strip_prefix("with object ") {
        return object(rest).map(Decision::Member);
    }
    if let Some(rest) = line.strip_prefix("beginning of object ") {
        return object(rest).map(Decision::ObjectPartly);
    }
    if let Some(rest) = line.strip_prefix("part ") {
        let (offset, slot) = rest.split_once(" of object in slot ")?;
        let (offset, slot) = (hex(offset)?, slot.parse().ok()?);
        return Some(Decision::Part { slot, offset });
    }
    if let Some(rest) = line.strip_prefix("window ") {
        let (address, size) = rest.strip_suffix(" bytes")?.split_once(" of ")?;
        let (address, size) = (hex(address)?, size.parse().ok()?);
        return Some(Decision::Window { size, address });
    }
    if let Some(address) = line.strip_prefix("call ") {
        return hex(address).map(Decision::Call);
    }
    if let Some(term) = line.strip_prefix(NO_USE) {
        return hex(term).map(Decision::NoUse);
    }
    if let Some(value) = line.strip_prefix("is not ") {
        return hex(value).map(Decision::IsNot);
    }
    if let Some(value) = line.strip_prefix("is ") {
        return hex(value).map(Decision::Is);
    }
    line.parse()
        .ok()
        .map(|case| Decision::Case(klee_case(case)))
}

/// How a path file says that a step does not depend on uninitialised memory.
const NO_USE: &str = "no use of ";

/// The first case of a step is the one in which its condition holds.
fn klee_case(case: u32) -> u32 {
    match case {
        0 => 1,
        1 => 0,
        other => other,
    }
}

fn put_decision(text: &mut String, decision: Decision, number: impl Fn(u32) -> u32) {
    let written = match decision {
        Decision::Case(case) => writeln!(text, "{}", number(case)),
        Decision::Object(object) => writeln!(text, "object {:#x}", object.raw()),
        Decision::Member(object) => writeln!(text, "with object {:#x}", object.raw()),
        Decision::ObjectPartly(object) => {
            writeln!(text, "beginning of object {:#x}", object.raw())
        }
        Decision::Part { slot, offset } => {
            writeln!(text, "part {offset:#x} of object in slot {slot}")
        }
        Decision::Window { size, address } => writeln!(text, "window {address:#x} of {size} bytes"),
        Decision::Call(address) => writeln!(text, "call {address:#x}"),
        Decision::Is(value) => writeln!(text, "is {value:#x}"),
        Decision::IsNot(value) => writeln!(text, "is not {value:#x}"),
        Decision::NoUse(term) => writeln!(text, "{NO_USE}{term:#x}"),
    };
    written.expect("writing to a string cannot fail");
}

/// The source lines that the path passed, `file:line` each.
pub fn lines(text: &mut String, lines: &[FileLine], program: &Program) {
    for FileLine { file, line } in lines {
        let file = &program.files[*file as usize];
        writeln!(text, "{file}:{line}").expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_they_were_written() {
        let all = [
            Decision::Case(0),
            Decision::Case(1),
            Decision::Case(7),
            Decision::Object(ObjectId::from_raw(0x1_0000_0002)),
            Decision::ObjectPartly(ObjectId::from_raw(0x1_0000_0002)),
            Decision::Member(ObjectId::from_raw(0x1_0000_0004)),
            Decision::Part {
                slot: 7,
                offset: 64,
            },
            Decision::Window {
                size: 17,
                address: 0x2000,
            },
            Decision::Call(0x1000),
            Decision::Is(5),
            Decision::IsNot(u64::MAX),
        ];
        let steps = all.map(|decision| LoggedDecision {
            decision,
            forked: true,
        });
        let mut text = String::new();
        klee_decisions(&mut text, &steps);
        assert!(text.starts_with("1\n0\n7\nobject 0x100000002\n"), "{text}");
        assert_eq!(read_klee_decisions(&text), Ok(steps.to_vec()));
        assert_eq!(read_klee_decisions("1\n\nperhaps\n"), Err(3));
    }
}
