//! The range of a number on a path, found by questions.
//!
//! Each question is answered by a model or a refutation. If the solver does not decide, the range is
//! wider than it need be, never narrower. While a path is run again the number that it took is in its
//! log, and nothing is asked.

use super::{Gate, Logged, Verdict};
use crate::path::state::State;
use crate::values::worker_context::WorkerContext;
use cairn_expr::{Model, Term};
use std::rc::Rc;

/// Where a search for a bound begins: it halves the candidates with each question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bisection {
    /// The lowest candidate.
    pub low: u64,
    /// The highest.
    pub high: u64,
    /// The one that is asked about first.
    pub first: u64,
}

impl Gate {
    /// The least candidate that is an upper bound: nothing on the path is above it. The highest, if that is not decided.
    pub(crate) fn least_upper_bound(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        bisection: Bisection,
        above: impl Fn(u64) -> Term,
    ) -> u64 {
        let Bisection {
            mut low,
            mut high,
            first,
        } = bisection;
        let mut probe = first;
        while low < high {
            match self.ask_under(cx, state, state.facts(), &above(probe)) {
                Verdict::Impossible(_) => high = probe,
                Verdict::Possible(_) => low = probe + 1,
                Verdict::Undecided(_) => break,
            }
            probe = low + (high - low) / 2;
        }
        high
    }

    /// The greatest candidate that is a lower bound: nothing on the path is below it. The lowest, if that is not decided.
    /// A model of something that is below a candidate says how far.
    pub(crate) fn greatest_lower_bound(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        bisection: Bisection,
        below: impl Fn(u64) -> Term,
        value: impl Fn(&Rc<Model>) -> u64,
    ) -> u64 {
        let Bisection {
            mut low,
            mut high,
            first,
        } = bisection;
        let mut probe = first;
        while low < high {
            match self.ask_under(cx, state, state.facts(), &below(probe)) {
                Verdict::Impossible(_) => low = probe,
                Verdict::Possible(model) => high = value(&model),
                Verdict::Undecided(_) => break,
            }
            probe = low + high.saturating_sub(low).div_ceil(2);
        }
        low
    }

    /// The number of a path's log, or what is given for another decision there, or what a search finds.
    pub(crate) fn logged_or(
        &mut self,
        state: &State,
        other: u64,
        search: impl FnOnce(&mut Gate) -> u64,
    ) -> u64 {
        match Gate::logged(state) {
            Logged::Number(number) => number,
            Logged::Other => other,
            Logged::Nothing => search(self),
        }
    }
}
