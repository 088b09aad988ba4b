//! Tests the required cells of concrete stretches (`--self-check`).
//!
//! # Problem
//!
//! A required cell that is left out is a wrong answer without a symptom, until a path is pruned because
//! of it.
//!
//! # Idea
//!
//! A stretch is run once more with all other cells scrambled, and must take the same path to the
//! same stop. If it does not, halving the cells finds one that it depends on.
//!
//! - **Which.** The first stretches, then a sample that depends on counted work alone: a stretch is checked
//!   when the checks so far cost less than the paths' own operations.
//!
//! - **Mutation.** On request a required cell is dropped at random, which must be seen.
//!
//! # Soundness
//!
//! A stretch that ends differently disproves its required cells, which is reported. One that ends the same
//! under two scramblings is evidence, no proof.
//!
//! # Cost
//!
//! About as much as running the paths, and the first 128 stretches.

use super::cells::RequiredCells;
use super::scramble::{free_cells, scrambled};
use super::stretch::{
    ConcreteReason, StopKind, StretchEnd, StretchStart, TracedCode, Untraceable, required_cells,
};
use crate::gate::{FlawedReason, ReasonCounts, ReasonKind};
use crate::path::state::State;
use crate::rng::Rng;
use crate::values::value::Value;
use cairn_machine::CodeTable;

/// What a run of a thread costs beside its operations, in operations.
const EACH_RUN: u64 = 200;

/// What an operation of a checked stretch costs, and the check itself, in operations.
const COST: u64 = 8;
const EACH_CHECK: u64 = 4_000;

/// How many stretches are tried whatever they cost.
const ALWAYS: u64 = 128;

/// How many flawed reasons are described.
const MOST_DESCRIBED: usize = 16;

/// How often a stretch is tried.
const SEEDS: u64 = 2;

/// See the module's head.
pub(crate) struct ConcreteCheck {
    code: TracedCode,
    counts: ReasonCounts,
    /// Operations of paths, and what checks cost.
    seen: u64,
    spent: u64,
    tried: u64,
    limit: u64,
    /// Drops a required cell of one stretch in so many, chosen at random.
    mutation: Option<(Rng, usize)>,
}

impl ConcreteCheck {
    /// Of stretches of at most about so many operations.
    pub fn new(table: &CodeTable<Value>, limit: u64, drop_one_in: Option<usize>) -> Self {
        ConcreteCheck {
            code: TracedCode::of(table),
            counts: ReasonCounts::default(),
            seen: 0,
            spent: 0,
            tried: 0,
            limit,
            mutation: drop_one_in.map(|n| (Rng::new(1), n)),
        }
    }

    /// What was tried so far.
    pub fn counts(&self) -> &ReasonCounts {
        &self.counts
    }

    /// The reason of the stretch that begins at a state, if it is one of those that are tried.
    pub fn begin(&mut self, state: &State) -> Option<ConcreteReason> {
        let tries = self.tried < ALWAYS || self.spent <= self.seen;
        tries.then(|| ConcreteReason::new(StretchStart::of(state), self.limit))
    }

    /// A state ran for so many operations.
    pub fn count(&mut self, executed: u64) {
        self.seen += executed + EACH_RUN;
    }

    /// Tries the reason of a stretch that has ended at this state.
    pub fn check(&mut self, table: &CodeTable<Value>, reason: &ConcreteReason, state: &State) {
        self.tried += 1;
        if !self.code.is_of(table) {
            self.code = TracedCode::of(table);
        }
        let found = match reason.found(table, &self.code) {
            Ok(found) => found,
            Err(cause) => {
                self.spent += EACH_CHECK + COST * (state.thread.executed - began(reason));
                *self.counts.untraced.entry(cause).or_default() += 1;
                return;
            }
        };
        let end = &found.end;
        self.spent += EACH_CHECK + COST * (end.executed - began(reason));
        let arrived = (state.thread.executed, state.thread.position());
        if end.first_stop != arrived {
            self.flaw(format!(
                "tracing a stretch came to {:?}, its path to {arrived:?}",
                end.first_stop
            ));
            return;
        }
        if matches!(end.stop, StopKind::Bodiless(_)) {
            *self.counts.untraced.entry(Untraceable::Call).or_default() += 1;
        }
        let mut required = found.required.clone();
        if let Some((rng, one_in)) = &mut self.mutation
            && rng.index(*one_in) == 0
        {
            drop_one(&mut required, rng);
        }
        let differs = differs(
            reason.start(),
            table,
            &self.code,
            &required,
            end,
            self.limit,
        );
        match differs {
            Some(what) => self.flaw(what),
            None => {
                let proved = &mut self.counts.proved;
                *proved.entry(ReasonKind::Concrete).or_default() += 1;
            }
        }
    }

    fn flaw(&mut self, what: String) {
        if self.counts.flawed.len() < MOST_DESCRIBED {
            let kind = ReasonKind::Concrete;
            self.counts.flawed.push(FlawedReason { kind, what });
        }
    }
}

/// Operations that were executed before a stretch.
fn began(reason: &ConcreteReason) -> u64 {
    reason.start().thread.executed
}

/// Takes out a place of the thread or a run of bytes.
pub(super) fn drop_one(required: &mut RequiredCells, rng: &mut Rng) {
    let places = required.thread.len();
    let runs: usize = required.bytes.values().map(Vec::len).sum();
    if places + runs == 0 {
        return;
    }
    let mut dropped = rng.index(places + runs);
    if dropped < places {
        let place = required.thread.keys().nth(dropped).copied();
        place.map(|place| required.thread.remove(&place));
        return;
    }
    dropped -= places;
    for runs in required.bytes.values_mut() {
        if dropped < runs.len() {
            runs.remove(dropped);
            return;
        }
        dropped -= runs.len();
    }
}

/// Runs a stretch with cells scrambled that are not required; how it differs, if it does.
pub(super) fn differs(
    start: &StretchStart,
    table: &CodeTable<Value>,
    code: &TracedCode,
    required: &RequiredCells,
    end: &StretchEnd,
    limit: u64,
) -> Option<String> {
    let cells = free_cells(start, table, required);
    for seed in 0..SEEDS {
        let seed = seed ^ end.path;
        let run = |count: usize| {
            let changed = scrambled(start, table, required, &cells[..count], seed);
            required_cells(&changed, table, code, limit).map(|found| found.end)
        };
        let other = run(cells.len());
        let is_same = |other: &Result<StretchEnd, Untraceable>| other.as_ref() == Ok(end);
        if is_same(&other) {
            continue;
        }
        // The path stays the same without the first `low` cells, and differs with the first `high`.
        let (mut low, mut high) = (0, cells.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            match is_same(&run(middle)) {
                true => low = middle,
                false => high = middle,
            }
        }
        let cell = cells.get(high.saturating_sub(1));
        let cell = cell.map_or_else(|| "no cell".to_string(), ToString::to_string);
        let place = |end: &StretchEnd| {
            let function = end.calls.last().map(|(f, _)| *f);
            let name = function.map_or("", |f| table.program().function(f).name.as_str());
            format!("{:?} in {name} at {:?}", end.stop, end.positions.first())
        };
        let there = other.map_or_else(|cause| cause.name().to_string(), |end| place(&end));
        let here = place(end);
        return Some(format!(
            "with other content in {cell} a stretch ends with {there} in place of {here}"
        ));
    }
    None
}
