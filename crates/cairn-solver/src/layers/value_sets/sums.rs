//! Sums of inputs, as linear inequalities between numbers.
//!
//! # Problem
//! The words of a shortest way are sums of several inputs. The order between words knows no values for them, no box is
//! left where several of them are compared, and seven inputs of fifty values have too many combinations to be tried.
//!
//! # Idea
//! As long as no sum wraps around, which the sets of the inputs say, a comparison is a linear inequality between
//! integers. Each narrows the bounds of its inputs by the bounds of the others, until nothing changes. Then the input with
//! the fewest values gets the one that is nearest to its previous value, and if that leads nowhere, the values below and
//! above it are left. If that takes long, inequalities are added to each other where that leaves fewer inputs, as
//! `a + b < c` and `c + d < b + e` leave `a + d < e`.
//!
//! # What differs
//! The layer `linear` refutes systems with arrays and gives no models; `search.rs` tries all values of any facts and narrows
//! no bounds.
//!
//! # Soundness
//! Every solution has its inputs within their over-sets, so a sum that stays in one period of 2^w for all of these is, for
//! every solution, the number that the inequality says. A bound is moved only past values that no solution below the
//! values chosen so far has. UNSAT: the values tried are all, and the core has every fact that moved a bound or failed and
//! the reasons of the sets of their inputs and of those that were tried. SAT: all inequalities hold at the point, all other
//! facts were evaluated there, and the chain evaluates the whole query.
//!
//! # Cost
//! At most [`FEW_VISITS`] visits of an inequality, and [`VISITS`] with what was added up; attempts that decide nothing make
//! the next ones rarer.

mod reading;
use super::Backoff;
use super::choosing::Choice;
use super::forward::relation;
use super::known::{LearnedBoxes, LearnedInput, Reasons};
use super::order::{LOOSE, Link};
use cairn_domain::{Relation, Signedness};
use cairn_expr::{Evaluator, Model, Term};
use reading::{InputNumbers, NumberSpan, NumberSpans, Sum};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many facts there may be.
const FACTS: usize = 64;
/// How often inequalities are visited at first.
const FEW_VISITS: u32 = 1 << 9;
/// How often they are with those that are added up.
const VISITS: u32 = 1 << 13;
/// How many inequalities are added up.
const ADDED: usize = 32;
/// After how many attempts in a row that decided nothing others are left out.
const MISSES: u32 = 8;
/// How many choices may depend on each other.
const CHOICES: u32 = 64;

/// Whether this was worth it so far.
#[derive(Default)]
pub(super) struct SumLuck {
    misses: u32,
    backoff: Backoff,
}

impl SumLuck {
    pub(super) fn allows(&mut self) -> bool {
        self.backoff.allows()
    }

    pub(super) fn learn(&mut self, decided: bool) {
        self.misses = if decided { 0 } else { self.misses + 1 };
        if decided || self.misses >= MISSES {
            self.backoff.learn(decided);
        }
    }
}

/// What a fact says about a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// It is at most zero.
    AtMostZero,
    /// It is not zero.
    NotZero,
}

#[derive(Clone)]
struct Inequality {
    sum: Sum,
    demand: Demand,
    /// The facts that it follows from, as bits.
    facts: u64,
    /// The inputs of these, as bits: some may cancel, but that nothing wraps around follows from all of their sets.
    inputs: u64,
}

/// The end of a part of the search.
enum SumBranch {
    Found(Rc<Model>),
    /// There is no solution.
    Nowhere,
    /// Too much work, or a fact that is no inequality does not hold where all inequalities do.
    Open,
}

/// What narrowing may end with.
enum Failure {
    Nowhere,
    Open,
}

#[derive(Default)]
struct SumSystem<'a> {
    inputs: InputNumbers<'a>,
    inequalities: SmallVec<[Inequality; 16]>,
    /// Facts that inequalities follow from.
    facts: SmallVec<[&'a Term; 16]>,
    /// Facts that are no inequalities.
    others: SmallVec<[(&'a Term, bool); 4]>,
    /// Visits of inequalities that are left.
    visits: u32,
    /// Facts of inequalities that moved a bound or failed, as bits.
    used: u64,
    /// Inputs of these, and those of which values were tried or none is left, as bits.
    tried: u64,
}

/// Decides facts that are inequalities between sums.
pub(super) fn solve(learned: &LearnedBoxes, evaluator: &mut Evaluator) -> Choice {
    let Some(mut system) = SumSystem::read(learned) else {
        return Choice::Unknown;
    };
    for visits in [FEW_VISITS, VISITS] {
        if visits == VISITS {
            system.add_up();
        }
        system.visits = visits;
        let spans = system.inputs.spans.clone();
        match system.branch(spans, CHOICES, evaluator, learned) {
            SumBranch::Found(model) => return Choice::Model(model),
            SumBranch::Nowhere => return Choice::Contradiction(system.why()),
            SumBranch::Open => {}
        }
    }
    Choice::Unknown
}

impl<'a> SumSystem<'a> {
    /// The facts that no set holds; `None` if they are too many, or none is an inequality.
    fn read(learned: &'a LearnedBoxes) -> Option<Self> {
        // Of more loose facts only the first are kept.
        let too_many = learned.order.len() + learned.loose.len > FACTS || learned.loose.len > LOOSE;
        if learned.opaque || too_many {
            return None;
        }
        let mut system = SumSystem::default();
        for edge in learned.order.iter() {
            let orders = match &edge.signedness {
                Some(order) => std::slice::from_ref(order),
                None => &[Signedness::Signed, Signedness::Unsigned],
            };
            let sides = (&edge.from, &edge.to);
            let mut read = |order: &Signedness| {
                system.inequality(learned, edge.link, sides, *order, &edge.fact)
            };
            if !orders.iter().any(&mut read) {
                system.others.push((&edge.fact, true));
            }
        }
        for loose in learned.loose.iter() {
            if !system.loose(learned, &loose.term, loose.truth, loose.fact()) {
                system.others.push((&loose.term, loose.truth));
            }
        }
        (!system.inequalities.is_empty()).then_some(system)
    }

    /// Reads a comparison that the order had no place for.
    fn loose(
        &mut self,
        learned: &'a LearnedBoxes,
        term: &'a Term,
        truth: bool,
        fact: &'a Term,
    ) -> bool {
        let Some((relation, a, b)) = relation(term, truth) else {
            return false;
        };
        let mut read = |link: Link, order| self.inequality(learned, link, (a, b), order, fact);
        let (signed, unsigned) = (Signedness::Signed, Signedness::Unsigned);
        match relation {
            Relation::Below => read(Link::Below, unsigned),
            Relation::AtMost => read(Link::AtMost, unsigned),
            Relation::SignedBelow => read(Link::Below, signed),
            Relation::SignedAtMost => read(Link::AtMost, signed),
            Relation::Different => read(Link::Apart, signed) || read(Link::Apart, unsigned),
            Relation::Equal => [signed, unsigned].into_iter().any(|order| {
                // Each of both follows from the fact.
                let mut read = |sides| self.inequality(learned, Link::AtMost, sides, order, fact);
                read((a, b)) && read((b, a))
            }),
        }
    }

    /// Adds what an edge says. Whether both its sides are sums that do not wrap around.
    fn inequality(
        &mut self,
        learned: &'a LearnedBoxes,
        link: Link,
        (a, b): (&'a Term, &'a Term),
        order: Signedness,
        fact: &'a Term,
    ) -> bool {
        if self.facts.len() == FACTS {
            return false;
        }
        self.inputs.seen = 0;
        let difference = |system: &mut Self| {
            let left = system.inputs.number(learned, a, order)?;
            let right = system.inputs.number(learned, b, order)?;
            left.plus(&right, -1)
        };
        let Some(mut sum) = difference(self) else {
            return false;
        };
        sum.constant += i128::from(link == Link::Below);
        let demand = match link {
            Link::Apart => Demand::NotZero,
            Link::AtMost | Link::Below => Demand::AtMostZero,
        };
        self.facts.push(fact);
        self.inequalities.push(Inequality {
            sum,
            demand,
            facts: 1 << (self.facts.len() - 1),
            inputs: self.inputs.seen,
        });
        true
    }

    /// Adds inequalities to each other where fewer inputs are left than one of both has.
    fn add_up(&mut self) {
        let most = self.inequalities.len() + ADDED;
        let mut second = 0;
        while second < self.inequalities.len() {
            for first in 0..second {
                let [a, b] = [first, second].map(|at| &self.inequalities[at]);
                if a.demand != Demand::AtMostZero || b.demand != Demand::AtMostZero {
                    continue;
                }
                let fewer = a.sum.parts.len().max(b.sum.parts.len());
                let sum = a.sum.clone().plus(&b.sum, 1);
                let Some(sum) = sum.filter(|s| s.parts.len() < fewer) else {
                    continue;
                };
                let added = Inequality {
                    sum,
                    demand: Demand::AtMostZero,
                    facts: a.facts | b.facts,
                    inputs: a.inputs | b.inputs,
                };
                self.inequalities.push(added);
                if self.inequalities.len() == most {
                    return;
                }
            }
            second += 1;
        }
    }

    /// Tries values within bounds.
    fn branch(
        &mut self,
        mut spans: NumberSpans,
        choices: u32,
        evaluator: &mut Evaluator,
        learned: &LearnedBoxes,
    ) -> SumBranch {
        loop {
            match self.narrow(&mut spans) {
                Ok(()) => {}
                Err(Failure::Nowhere) => return SumBranch::Nowhere,
                Err(Failure::Open) => return SumBranch::Open,
            }
            let open = (0..spans.len()).filter(|at| spans[*at].low < spans[*at].high);
            let Some(at) = open.min_by_key(|at| spans[*at].high - spans[*at].low) else {
                return self.at_a_point(&spans, evaluator, learned);
            };
            let Some(deeper) = choices.checked_sub(1) else {
                return SumBranch::Open;
            };
            self.tried |= 1 << at;
            let variable = &self.inputs.variables[at];
            let NumberSpan { low, high } = spans[at];
            let wanted = variable.number(learned.earlier_value(variable.input));
            let wanted = wanted.clamp(low, high);
            let up = variable.within(NumberSpan { low: wanted, high });
            let value = match up {
                Some(span) => span.low,
                // Its bounds are among its values.
                None => low,
            };
            let mut chosen = spans.clone();
            chosen[at] = NumberSpan {
                low: value,
                high: value,
            };
            match self.branch(chosen, deeper, evaluator, learned) {
                SumBranch::Nowhere => {}
                end @ (SumBranch::Found(_) | SumBranch::Open) => return end,
            }
            if value > low {
                let mut below = spans.clone();
                below[at].high = value - 1;
                match self.branch(below, deeper, evaluator, learned) {
                    SumBranch::Nowhere => {}
                    end @ (SumBranch::Found(_) | SumBranch::Open) => return end,
                }
            }
            if value == high {
                return SumBranch::Nowhere;
            }
            spans[at].low = value + 1;
        }
    }

    /// Moves bounds until nothing changes.
    fn narrow(&mut self, spans: &mut NumberSpans) -> Result<(), Failure> {
        for (at, variable) in self.inputs.variables.iter().enumerate() {
            match variable.within(spans[at]) {
                Some(span) => spans[at] = span,
                None => {
                    self.tried |= 1 << at;
                    return Err(Failure::Nowhere);
                }
            }
        }
        loop {
            let before = spans.clone();
            for inequality in &self.inequalities {
                self.visits = self.visits.checked_sub(1).ok_or(Failure::Open)?;
                let moved = match inequality.demand {
                    Demand::AtMostZero => inequality.at_most_zero(spans),
                    Demand::NotZero => inequality.not_zero(spans),
                };
                if moved == Some(false) {
                    continue;
                }
                self.used |= inequality.facts;
                self.tried |= inequality.inputs;
                moved.ok_or(Failure::Nowhere)?;
                // A bound that moved goes on to the next value of its set.
                for (at, _) in &inequality.sum.parts {
                    let span = self.inputs.variables[*at].within(spans[*at]);
                    spans[*at] = span.ok_or(Failure::Nowhere)?;
                }
            }
            if *spans == before {
                return Ok(());
            }
        }
    }

    /// All inequalities hold; the other facts are evaluated.
    fn at_a_point(
        &self,
        spans: &NumberSpans,
        evaluator: &mut Evaluator,
        learned: &LearnedBoxes,
    ) -> SumBranch {
        let model = self.model(learned, spans);
        evaluator.start();
        let holds = |(term, truth): &(&Term, bool)| evaluator.eval_bool(term, &model) == *truth;
        match self.others.iter().all(holds) {
            true => SumBranch::Found(Rc::new(model)),
            false => SumBranch::Open,
        }
    }

    fn model(&self, learned: &LearnedBoxes, spans: &NumberSpans) -> Model {
        let mut model = learned.earlier_model().as_ref().clone();
        let mut write = |input: &LearnedInput, word: u64| {
            if input.value_in(&model) != word {
                input.write(&mut model, word);
            }
        };
        for input in learned.unsure_inputs() {
            let set = input.known.set();
            if let Some(word) = set.nearest(learned.earlier_value(input)) {
                write(input, word);
            }
        }
        for (variable, span) in self.inputs.variables.iter().zip(spans) {
            write(variable.input, variable.word(span.low));
        }
        model
    }

    /// Reasons there is no solution.
    fn why(&self) -> Reasons {
        let facts = self.facts.iter().enumerate();
        let used = facts.filter(|(at, _)| self.used >> at & 1 == 1);
        let mut all: Vec<Reasons> = used.map(|(_, fact)| Reasons::fact(fact)).collect();
        let inputs = self.inputs.variables.iter().enumerate();
        let tried = inputs.filter(|(at, _)| self.tried >> at & 1 == 1);
        all.extend(tried.map(|(_, variable)| variable.input.why.clone()));
        Reasons::all(all)
    }
}

impl Inequality {
    /// Moves bounds that leave too little for the others. Whether one moved; `None` if the sum is always above zero.
    fn at_most_zero(&self, spans: &mut NumberSpans) -> Option<bool> {
        let room = -self.sum.span(spans).low;
        if room < 0 {
            return None;
        }
        let mut moved = false;
        for (at, factor) in &self.sum.parts {
            let span = &mut spans[*at];
            if factor.abs() * (span.high - span.low) <= room {
                continue;
            }
            let steps = match factor.abs() {
                1 => room,
                many => room / many,
            };
            match *factor > 0 {
                true => span.high = span.low + steps,
                false => span.low = span.high - steps,
            }
            moved = true;
        }
        Some(moved)
    }

    /// Moves a bound at which the sum is zero, if one input is left. `None` if the sum is always zero.
    fn not_zero(&self, spans: &mut NumberSpans) -> Option<bool> {
        let mut rest = self.sum.constant;
        let mut last = None;
        for (at, factor) in &self.sum.parts {
            let span = spans[*at];
            if span.low == span.high {
                rest += factor * span.low;
            } else if last.replace((*at, *factor)).is_some() {
                return Some(false);
            }
        }
        let Some((at, factor)) = last else {
            return (rest != 0).then_some(false);
        };
        if rest % factor != 0 {
            return Some(false);
        }
        let span = &mut spans[at];
        let zero = -rest / factor;
        if zero == span.low {
            span.low += 1;
        } else if zero == span.high {
            span.high -= 1;
        } else {
            return Some(false);
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests;
