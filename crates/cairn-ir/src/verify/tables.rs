//! The rules about everything outside functions' bodies.

use rustc_hash::FxHashSet;

use super::{Location, VerifierRule, VerifyError, has_place, has_symbol, is_width};
use crate::{FuncId, Function, Global, Prefix, Program, SourcePlace};

struct Checker<'a> {
    program: &'a Program,
    errors: &'a mut Vec<VerifyError>,
}

/// Checks the tables of a program.
pub(super) fn check(program: &Program, errors: &mut Vec<VerifyError>) {
    let mut checker = Checker { program, errors };
    checker.first_entries();
    checker.places();
    checker.names();
    checker.start_functions("constructor", &program.constructors);
    checker.start_functions("destructor", &program.destructors);
    checker.prefixes();
    for (i, slot) in program.slots.iter().enumerate() {
        checker.width(slot.width, || format!("slot s{i}"));
    }
    for global in &program.globals {
        checker.global(global);
    }
    for function in &program.functions {
        checker.signature(function);
    }
}

impl Checker<'_> {
    fn fail(&mut self, rule: VerifierRule, subject: impl Into<String>, message: impl Into<String>) {
        self.errors.push(VerifyError {
            rule,
            location: Location {
                subject: subject.into(),
                block: None,
                inst: None,
            },
            message: message.into(),
        });
    }

    fn width(&mut self, width: u32, subject: impl FnOnce() -> String) {
        if !is_width(width) {
            self.fail(
                VerifierRule::Width,
                subject(),
                format!("{width} is no width"),
            );
        }
    }

    fn first_entries(&mut self) {
        let fresh = Program::new();
        let first = |list: &[String]| list.first().is_some_and(String::is_empty);
        if !first(&self.program.files) {
            self.fail(
                VerifierRule::FirstEntries,
                "files",
                "the first is not empty",
            );
        }
        if !first(&self.program.names) {
            self.fail(
                VerifierRule::FirstEntries,
                "names",
                "the first is not empty",
            );
        }
        if self.program.places.first() != fresh.places.first() {
            self.fail(
                VerifierRule::FirstEntries,
                "places",
                "the first is not the unknown place",
            );
        }
    }

    fn places(&mut self) {
        let program = self.program;
        let places = &program.places;
        for (i, place) in places.iter().enumerate() {
            if place.file as usize >= program.files.len() {
                let message = format!("there is no file {}", place.file);
                self.fail(VerifierRule::PlaceEntry, format!("place p{i}"), message);
            }
            if place.function as usize >= program.names.len() {
                let message = format!("there is no name {}", place.function);
                self.fail(VerifierRule::PlaceEntry, format!("place p{i}"), message);
            }
            if let Some(outer) = place.inlined_at
                && !has_place(program, outer)
            {
                let message = format!("it was inlined at {outer}, which there is not");
                self.fail(VerifierRule::PlaceChain, format!("place p{i}"), message);
            }
        }
        // Each chain is followed until what an earlier walk has seen; meeting the present walk
        // again is a cycle.
        let mut seen_by = vec![usize::MAX; places.len()];
        for start in 0..places.len() {
            let mut at = start;
            loop {
                match seen_by[at] {
                    usize::MAX => seen_by[at] = start,
                    walk if walk == start => {
                        let message = "following where it was inlined does not end";
                        self.fail(VerifierRule::PlaceChain, format!("place p{at}"), message);
                        break;
                    }
                    _ => break,
                }
                let outer = |place: &SourcePlace| place.inlined_at.map(|outer| outer.index());
                match outer(&places[at]) {
                    Some(next) if next < places.len() => at = next,
                    Some(_) | None => break,
                }
            }
        }
    }

    fn names(&mut self) {
        let program = self.program;
        let globals = program.globals.iter().map(|global| &global.name);
        let functions = program.functions.iter().map(|function| &function.name);
        let mut seen = FxHashSet::default();
        for name in globals.chain(functions) {
            if !seen.insert(name) {
                let message = "another function or global has the same name";
                self.fail(VerifierRule::UniqueName, format!("name `{name}`"), message);
            }
        }
    }

    fn start_functions(&mut self, role: &str, functions: &[FuncId]) {
        for id in functions {
            match self.program.functions.get(id.index()) {
                None => self.fail(VerifierRule::SymbolRange, role, format!("there is no {id}")),
                Some(function) if !function.params.is_empty() => {
                    let subject = format!("{role} `{}`", function.name);
                    self.fail(VerifierRule::StartFunction, subject, "it has parameters");
                }
                Some(_) => {}
            }
        }
    }

    fn prefixes(&mut self) {
        let program = self.program;
        let mut seen = FxHashSet::default();
        for prefix in &program.prefixes {
            let id = prefix.function;
            let Some(function) = program.functions.get(id.index()) else {
                self.fail(
                    VerifierRule::SymbolRange,
                    "prefix",
                    format!("there is no {id}"),
                );
                continue;
            };
            let subject = || format!("prefix of `{}`", function.name);
            if !(1..=Prefix::MOST).contains(&prefix.bytes.len()) {
                let message = format!("{} bytes do not fit", prefix.bytes.len());
                self.fail(VerifierRule::Prefix, subject(), message);
            }
            if !seen.insert(id) {
                self.fail(VerifierRule::Prefix, subject(), "there is another one");
            }
        }
    }

    fn signature(&mut self, function: &Function) {
        let subject = || format!("function `{}`", function.name);
        for width in function.params.iter().chain(&function.results) {
            self.width(*width, subject);
        }
        if !has_place(self.program, function.place) {
            let message = format!("there is no {}", function.place);
            self.fail(VerifierRule::PlaceRange, subject(), message);
        }
    }

    fn global(&mut self, global: &Global) {
        let subject = || format!("global `{}`", global.name);
        if !global.align.is_power_of_two() {
            let message = format!("the alignment {} is no power of two", global.align);
            self.fail(VerifierRule::Align, subject(), message);
        }
        if !has_place(self.program, global.place) {
            let message = format!("there is no {}", global.place);
            self.fail(VerifierRule::PlaceRange, subject(), message);
        }
        let Some(content) = &global.content else {
            return;
        };
        if content.bytes.len() as u64 > global.size {
            let message = format!("{} bytes in {}", content.bytes.len(), global.size);
            self.fail(VerifierRule::ContentSize, subject(), message);
        }
        let relocations = content.relocations.iter();
        let differences = content.differences.iter();
        let pointer = self.program.pointer_width.bytes();
        let relocations = relocations.map(|r| (r.offset, pointer, r.symbol, r.symbol));
        let differences = differences.map(|d| (d.offset, u32::from(d.bytes), d.symbol, d.base));
        let mut ranges = Vec::new();
        for (offset, bytes, symbol, base) in relocations.chain(differences) {
            for symbol in [symbol, base] {
                if !has_symbol(self.program, symbol) {
                    let message = format!("what is at {offset} refers to nothing");
                    self.fail(VerifierRule::SymbolRange, subject(), message);
                }
            }
            let end = offset.checked_add(u64::from(bytes));
            match end.filter(|end| *end <= global.size && (1..=8).contains(&bytes)) {
                Some(end) => ranges.push((offset, end)),
                None => {
                    let message = format!("{bytes} bytes at {offset} of {}", global.size);
                    self.fail(VerifierRule::RelocationRange, subject(), message);
                }
            }
        }
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            if pair[0].1 > pair[1].0 {
                let message = format!("what is at {} and at {} overlaps", pair[0].0, pair[1].0);
                self.fail(VerifierRule::RelocationOverlap, subject(), message);
            }
        }
    }
}
