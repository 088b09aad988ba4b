//! Sets of values of the inputs, kept along the path.
//!
//! # Problem
//! Most branches compare one input, or something simple of it, with a constant. Bit-blasting such a question does
//! far too much.
//!
//! # Idea
//! PARTI \[SoriaDustmannWehrleCadar18\]: push every fact down to a set of intervals per input, then evaluate the
//! question over the sets. Strided value intervals \[AbyanehKirsch21\]: the same with steps, and where the
//! solutions are no product of sets, a *box* within them, so that satisfiability is still proved without the core solver.
//!
//! # What differs
//! One domain ([`cairn_domain`]) has both, with the rules as published corrected, signed operations, casts, narrowing
//! and residue classes. Sets are per input, not per memory cell: terms are shared, so evaluating one over the sets
//! is enough, and forking is free. Sets are attached to the facts: a query costs its new facts. A question is
//! learned as if it were a fact, and the result serves the child that takes that branch. Facts that no set can
//! hold make only their own inputs inexact. Beside the box there are over-sets of constrained subterms. Beyond the
//! papers, a fact about several inputs is solved for one of them, order between words is kept as a graph
//! (`order.rs`, `choosing.rs`), sums are compared whatever their order (`difference.rs`) and as inequalities between
//! numbers (`sums.rs`), and inputs with few values are enumerated (`search.rs`).
//!
//! # Soundness
//! There are three kinds of sets, distinguished by type ([`cairn_domain::Exact`], `Under`, `Over`).
//!
//! - UNSAT rests on over-sets alone: every solution has its inputs (and subterms) in them, and some set is empty
//!   or a fact holds nowhere in them. Each set names the facts that it came from; these are the unsat core.
//! - SAT rests on a box: all its points satisfy all facts. Inputs are *exact* as long as every fact about them was
//!   solved exactly, or held for all points of the over-sets anyway; so any values of exact inputs go with any
//!   solution of the others. Inputs that are not exact have sets of their own in every box, in which their facts
//!   hold everywhere.
//! - Operands that share an input make the result inexact (`x - x`).
//!
//! # Cost
//! Per fact: a walk down to the input, a few pieces of sets at each step, and two insertions into persistent maps.
//! Everything is bounded: pieces per set, nodes per term, boxes per list.
//!
//! The layer has two positions in the chain. Before facts are simplified and sliced, most questions can be answered
//! at a fraction of the cost ([`ValueSets::of_paths`]). The others are asked again part by part, where facts about
//! other inputs do not interfere ([`ValueSets::new`]). The first position does not enumerate values, and is skipped
//! more and more often where it does not pay (`Credit`).
//!
//! # Counters
//! `exact`: SAT without a box; `boxed`: SAT with one; `ordered`: by choosing values along the order; `summed`: by sums as
//! inequalities; `searched`: by enumeration; `cores`: UNSAT; `passed` queries; `kept`: models of the core solver as boxes of one point; `reused`: goals
//! that became facts; `skipped` queries.

mod backward;
mod boxes;
mod choosing;
mod difference;
mod forward;
mod image;
mod known;
mod learning;
mod order;
mod search;
mod settings;
mod sums;

pub use settings::Preset;

use super::memo::along;
use crate::{Answer, Bounds, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use cairn_expr::{BitVec, Evaluator, Term};
use choosing::Choice;
use forward::Forward;
use known::{LearnedBoxes, Reasons};
use learning::{OverView, learn};
use settings::Settings;
use std::rc::Rc;

#[derive(Default)]
struct Counts {
    exact: u64,
    boxed: u64,
    ordered: u64,
    summed: u64,
    searched: u64,
    cores: u64,
    passed: u64,
    kept: u64,
    reused: u64,
    skipped: u64,
}

/// The position of the layer in the chain.
enum ChainPosition {
    /// Behind the layer that cuts queries into parts.
    Parts,
    /// Before everything, with what that was worth so far.
    Paths(Credit),
}

/// Whether asking before slicing has paid.
struct Credit {
    left: u32,
    /// Queries skipped since the last one that was tried.
    skipped: u32,
    /// Without credit, how many queries are skipped.
    skip: u32,
}

impl Credit {
    /// The most that is saved up.
    const MOST: u32 = 64;
    /// Credit for a model.
    const MODEL: u32 = 4;
    /// Price of an UNSAT answer on a path that compares inputs with each other: most of these are found as soon as
    /// facts are simplified, and here the graph of order is gone through. Where there is no order, the sets alone
    /// refute, which costs less than simplifying.
    const IMPOSSIBLE: u32 = 1;
    /// Price of a question that is not answered.
    const MISS: u32 = 16;
    /// Without credit, so many questions are left out before one is looked at, and twice as many each time
    /// that it was no use, up to [`Credit::SELDOM`]: all facts since the last one are learned for it.
    const OFTEN: u32 = 32;
    const SELDOM: u32 = 4096;

    fn full() -> Self {
        Credit {
            left: Self::MOST,
            skipped: 0,
            skip: Self::OFTEN,
        }
    }

    fn allows(&mut self) -> bool {
        if self.left == 0 && self.skipped < self.skip {
            self.skipped += 1;
            return false;
        }
        self.skipped = 0;
        true
    }

    fn learn(&mut self, answer: Option<&Answer>, ordered: bool) {
        let cost = match answer {
            Some(Answer::Sat(_)) => {
                self.left = (self.left + Self::MODEL).min(Self::MOST);
                self.skip = Self::OFTEN;
                return;
            }
            Some(Answer::Unsat(_)) if !ordered => 0,
            Some(Answer::Unsat(_)) => Self::IMPOSSIBLE,
            Some(Answer::Unknown(_)) | None => Self::MISS,
        };
        if self.left == 0 {
            self.skip = (2 * self.skip).min(Self::SELDOM);
        }
        self.left = self.left.saturating_sub(cost);
    }
}

/// Exponential back-off: after a failure the attempt is skipped, twice as often each time.
#[derive(Default)]
struct Backoff {
    skip: u32,
    penalty: u32,
}

impl Backoff {
    const MOST: u32 = 1 << 12;

    fn allows(&mut self) -> bool {
        let now = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        now
    }

    fn learn(&mut self, worth_it: bool) {
        if worth_it {
            self.penalty /= 2;
        } else {
            self.penalty = (2 * self.penalty + 1).min(Self::MOST);
            self.skip = self.penalty;
        }
    }
}

/// The layer; the module documentation describes it.
pub struct ValueSets {
    key: MemoKey,
    empty: Rc<LearnedBoxes>,
    settings: Settings,
    place: ChainPosition,
    searching: search::SearchBudget,
    /// Whether choosing along the order has been worth it in parts.
    choosing: Backoff,
    /// Whether sums as inequalities have.
    summing: sums::SumLuck,
    /// Kept: a fresh one makes room for all terms there are.
    evaluator: Evaluator,
    counts: Counts,
}

impl ValueSets {
    /// The layer with a preset.
    pub fn new(preset: Preset) -> Self {
        ValueSets {
            key: MemoKey::fresh(),
            empty: Rc::default(),
            settings: Settings::of(preset),
            place: ChainPosition::Parts,
            searching: search::SearchBudget::default(),
            choosing: Backoff::default(),
            summing: sums::SumLuck::default(),
            evaluator: Evaluator::new(),
            counts: Counts::default(),
        }
    }

    /// The layer as it stands at the start of a chain, on whole paths; the chain has another one behind slicing.
    pub fn of_paths() -> Self {
        let mut layer = ValueSets::new(Preset::ValueSets);
        layer.place = ChainPosition::Paths(Credit::full());
        layer
    }

    fn learned(&mut self, facts: &Facts) -> Rc<LearnedBoxes> {
        let (settings, counts) = (&self.settings, &mut self.counts);
        along(facts, self.key, &self.empty, |parent, _, fact| {
            let asked = parent.with_goal(fact).filter(|_| settings.keeps_boxes);
            if let Some(asked) = asked {
                counts.reused += 1;
                return asked;
            }
            Rc::new(learn(parent, fact, settings, false))
        })
    }

    /// Sees to it that questions about a long path need not look at all that changed on it: the branch that a path
    /// takes is often not the one that was asked about.
    fn bring_up_to_date(&mut self, learned: &LearnedBoxes) {
        if !learned.wants_model() || learned.model().is_some() {
            return;
        }
        if let ChainPosition::Paths(_) = self.place
            && let Choice::Model(model) = choosing::choose(learned, &mut self.evaluator)
        {
            learned.found(&model);
        }
    }

    fn with_goal(&self, learned: &Rc<LearnedBoxes>, goal: &Term) -> Rc<LearnedBoxes> {
        if goal.is_true() {
            return Rc::clone(learned);
        }
        learned.with_goal(goal).unwrap_or_else(|| {
            let next = Rc::new(learn(learned, goal, &self.settings, true));
            learned.remember(goal, &next);
            next
        })
    }

    /// An unsat core; `None` if a smaller one is wanted.
    fn core(&mut self, query: &Query, why: &Reasons) -> Option<Answer> {
        let found = why.facts();
        if query.want == Want::Core && found.as_ref().is_none_or(|facts| facts.len() > 1) {
            return None;
        }
        let (facts, goal) = match found {
            Some(mut facts) => {
                let before = facts.len();
                facts.retain(|f| *f != query.goal);
                let goal = facts.len() < before;
                (facts, goal)
            }
            // Looking through a long list costs more than a small core saves: all facts are one too.
            None => (query.facts.to_vec(), !query.goal.is_true()),
        };
        self.counts.cores += 1;
        Some(Answer::Unsat(UnsatCore { facts, goal }))
    }

    /// The answer, as far as sets and order know it.
    fn decide(&mut self, query: &Query, next: &Rc<LearnedBoxes>) -> Option<Answer> {
        if let Some(why) = next.contradiction.clone()
            && let Some(answer) = self.core(query, &why)
        {
            return Some(answer);
        }
        if let Some(model) = next.model() {
            let boxes = next.boxes.borrow();
            let plain = boxes.first().is_none_or(|b| b.sets.is_empty());
            if plain {
                self.counts.exact += 1;
            } else {
                self.counts.boxed += 1;
            }
            return Some(Answer::Sat(model));
        }
        if !self.settings.keeps_order || next.contradiction.is_some() {
            return None;
        }
        let mut count: fn(&mut Counts) = |counts| counts.ordered += 1;
        let in_parts = matches!(self.place, ChainPosition::Parts);
        let mut choice = if in_parts && !self.choosing.allows() {
            Choice::Unknown
        } else {
            let choice = choosing::choose(next, &mut self.evaluator);
            if in_parts {
                self.choosing.learn(!matches!(choice, Choice::Unknown));
            }
            choice
        };
        let open = in_parts && matches!(choice, Choice::Unknown);
        if open && self.summing.allows() {
            choice = sums::solve(next, &mut self.evaluator);
            self.summing.learn(!matches!(choice, Choice::Unknown));
            count = |counts| counts.summed += 1;
        }
        if let (Choice::Unknown, true) = (&choice, in_parts) {
            let (budget, evaluator) = (&mut self.searching, &mut self.evaluator);
            choice = search::search(next, &self.settings, budget, evaluator);
            count = |counts| counts.searched += 1;
        }
        match choice {
            Choice::Model(model) => {
                count(&mut self.counts);
                next.found(&model);
                Some(Answer::Sat(model))
            }
            Choice::Contradiction(why) => self.core(query, &why),
            Choice::Unknown => None,
        }
    }
}

impl Layer for ValueSets {
    fn name(&self) -> &'static str {
        match (&self.place, self.settings.preset) {
            (ChainPosition::Paths(_), _) => "path-sets",
            (ChainPosition::Parts, Preset::Intervals) => "intervals",
            (ChainPosition::Parts, Preset::StridedFirst) => "strided:first",
            (ChainPosition::Parts, Preset::StridedMiddle) => "strided:middle",
            (ChainPosition::Parts, Preset::ValueSets) => "value-sets",
        }
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if let ChainPosition::Paths(credit) = &mut self.place
            && !credit.allows()
        {
            self.counts.skipped += 1;
            return rest.solve(query);
        }
        let learned = self.learned(&query.facts);
        self.bring_up_to_date(&learned);
        let next = self.with_goal(&learned, &query.goal);
        let answer = self.decide(query, &next);
        if let ChainPosition::Paths(credit) = &mut self.place {
            credit.learn(answer.as_ref(), next.order.is_some());
        }
        if let Some(answer) = answer {
            return answer;
        }
        self.counts.passed += 1;
        let answer = rest.solve(query);
        if let (Answer::Sat(model), true) = (&answer, self.settings.keeps_boxes) {
            self.counts.kept += 1;
            next.keep_model(model);
        }
        answer
    }

    fn enclosing_bounds(&mut self, query: &Query, term: &Term) -> Option<Bounds> {
        let width = forward::width_of(term).filter(|_| !term.sort().is_array())?;
        let learned = self.learned(&query.facts);
        let next = self.with_goal(&learned, &query.goal);
        let view = OverView::new(&next);
        let values = Forward::new(&view, &self.settings).values(term).set;
        Some(Bounds {
            min: BitVec::new(width, values.min()?),
            max: BitVec::new(width, values.max()?),
        })
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counts;
        vec![
            ("exact", c.exact),
            ("boxed", c.boxed),
            ("ordered", c.ordered),
            ("summed", c.summed),
            ("searched", c.searched),
            ("cores", c.cores),
            ("passed", c.passed),
            ("kept", c.kept),
            ("reused", c.reused),
            ("skipped", c.skipped),
        ]
    }
}
