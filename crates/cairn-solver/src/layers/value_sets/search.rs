//! Enumerating a few inputs with a few values each.
//!
//! # Problem
//! Sums and remainders of several inputs are neither a product of sets nor an order; but if each input has a
//! handful of values, these can be tried long before gates are built.
//!
//! # Idea
//! The facts that no set holds are evaluated over the sets. A fact that holds nowhere ends the branch, one that
//! holds everywhere is settled below it. Then the input with the fewest values among those of the open facts gets
//! each of its values in turn. For the last input the facts are solved.
//!
//! # Soundness
//! SAT: every fact holds everywhere in the remaining sets, so any of their points is a model. UNSAT: the values
//! tried are all that the over-sets have, and in each branch some fact holds nowhere, or facts that were solved
//! exactly leave the last input no value; the core consists of the facts that ended branches and those that the
//! sets of their inputs came from.
//!
//! # Cost
//! A number of fact evaluations that doubles with every answer and halves with every search without one, down to
//! [`LEAST`]; from there on searches are skipped, twice as many each time. Nothing depends on the clock.

use super::Backoff;
use super::backward::Backward;
use super::choosing::Choice;
use super::forward::{Forward, InputSets, depends, keys};
use super::known::{Key, LearnedBoxes, LearnedInput, Reasons};
use super::settings::Settings;
use cairn_domain::{Truth, ValueSet};
use cairn_expr::{Evaluator, Model, Term};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many facts are folded in one search, at least and at most.
const LEAST: u32 = 1 << 12;
const MOST: u32 = 1 << 19;
/// How many inputs there may be.
const INPUTS: usize = 16;
/// How many values one of them may have.
const VALUES: u128 = 128;
/// How many combinations of values there may be, as a power of two.
const COMBINATIONS: u32 = 30;
/// How many facts there may be.
const FACTS: usize = 64;

/// The budget of searches, by their success so far.
pub(super) struct SearchBudget {
    /// Facts that the next search may fold.
    folds: u32,
    luck: Backoff,
}

impl Default for SearchBudget {
    fn default() -> Self {
        SearchBudget {
            folds: LEAST,
            luck: Backoff::default(),
        }
    }
}

impl SearchBudget {
    fn learn(&mut self, decided: bool) {
        if decided {
            self.folds = (2 * self.folds).min(MOST);
        } else if self.folds > LEAST {
            self.folds = (self.folds / 8).max(LEAST);
            return;
        }
        self.luck.learn(decided);
    }
}

/// The over-sets, some inputs having one value.
struct Assigned<'a> {
    learned: &'a LearnedBoxes,
    pinned: SmallVec<[(Key, u64); INPUTS]>,
}

impl InputSets for Assigned<'_> {
    #[inline]
    fn input(&self, key: Key) -> Option<ValueSet> {
        let set = self.learned.input(key)?.known.set();
        match self.pinned.iter().find(|(k, _)| *k == key) {
            Some((_, word)) => Some(ValueSet::point(set.width(), *word)),
            None => Some(set.clone()),
        }
    }

    fn narrowed(&self, _term: &Term, set: ValueSet) -> ValueSet {
        // What facts say about terms is about solutions, not about all points.
        set
    }
}

struct ValueSearch<'a> {
    settings: &'a Settings,
    evaluator: &'a mut Evaluator,
    view: Assigned<'a>,
    /// A part of a fact, the truth value it must have, and the fact.
    facts: SmallVec<[(&'a Term, bool, &'a Term); 16]>,
    /// Facts that ended a branch.
    used: u64,
    /// Inputs whose values were tried.
    tried: SmallVec<[Key; INPUTS]>,
    left: u32,
}

/// The result of a branch.
enum Branch {
    /// All points of what is left are solutions.
    Good,
    /// None is; the fact that was seen to hold nowhere last.
    Bad(usize),
    /// Out of folds, or a fact that cannot be folded.
    Open,
}

/// Tries the values of the inputs of facts that no set holds.
pub(super) fn search(
    learned: &LearnedBoxes,
    settings: &Settings,
    budget: &mut SearchBudget,
    evaluator: &mut Evaluator,
) -> Choice {
    let search = ValueSearch::new(learned, settings, budget.folds, evaluator)
        .filter(|_| budget.luck.allows());
    let Some(mut search) = search else {
        return Choice::Unknown;
    };
    let all: SmallVec<[usize; 16]> = (0..search.facts.len()).collect();
    let found = search.branch(&all, None);
    budget.learn(!matches!(found, Branch::Open));
    match found {
        Branch::Good => match search.model() {
            Some(model) => Choice::Model(Rc::new(model)),
            None => Choice::Unknown,
        },
        Branch::Bad(_) => Choice::Contradiction(search.why()),
        Branch::Open => Choice::Unknown,
    }
}

impl<'a> ValueSearch<'a> {
    fn new(
        learned: &'a LearnedBoxes,
        settings: &'a Settings,
        left: u32,
        evaluator: &'a mut Evaluator,
    ) -> Option<Self> {
        let facts: SmallVec<[_; 16]> = learned.unheld()?.take(FACTS + 1).collect();
        if learned.opaque || facts.is_empty() || facts.len() > FACTS {
            return None;
        }
        let mut inputs = 0;
        let mut combinations = 0;
        for input in learned.inputs.values().filter(|i| !i.known.is_exact()) {
            inputs += 1;
            let count = input.known.set().count();
            if count > VALUES || inputs > INPUTS {
                return None;
            }
            combinations += u128::BITS - count.leading_zeros();
        }
        (combinations <= COMBINATIONS).then(|| ValueSearch {
            settings,
            evaluator,
            view: Assigned {
                learned,
                pinned: SmallVec::new(),
            },
            facts,
            used: 0,
            tried: SmallVec::new(),
            left,
        })
    }

    /// Tries all values below what is pinned. The depth is bounded by the number of inputs.
    fn branch(&mut self, open: &[usize], pinned: Option<Key>) -> Branch {
        let mut still: SmallVec<[usize; 16]> = SmallVec::new();
        for &at in open {
            let (term, truth, _) = self.facts[at];
            // At the top nothing is pinned: what the sets say by themselves was seen when they were learned.
            if pinned.is_none_or(|key| !depends(term, key)) {
                still.push(at);
                continue;
            }
            if self.left == 0 {
                return Branch::Open;
            }
            self.left -= 1;
            match (Forward::new(&self.view, self.settings).truth(term), truth) {
                (Truth::Always, true) | (Truth::Never, false) => {}
                (Truth::Always, false) | (Truth::Never, true) => {
                    self.used |= 1 << at;
                    return Branch::Bad(at);
                }
                (Truth::Sometimes, _) => still.push(at),
            }
        }
        if still.is_empty() {
            return Branch::Good;
        }
        let Some((input, last)) = self.next_input(&still) else {
            return match self.model() {
                Some(model) => self.at_a_point(&still, &model),
                None => Branch::Open,
            };
        };
        if last {
            return self.last_input(&input, &still);
        }
        let (key, set) = (input.key, input.known.set().clone());
        if !self.tried.contains(&key) {
            self.tried.push(key);
        }
        let first = set.nearest(self.view.learned.earlier_value(&input));
        let others = set.iter().filter(|w| Some(*w) != first);
        let words: SmallVec<[u64; 32]> = first.into_iter().chain(others).collect();
        let mut last = still[0];
        for word in words {
            self.view.pinned.push((key, word));
            match self.branch(&still, Some(key)) {
                Branch::Bad(at) => {
                    self.view.pinned.pop();
                    last = at;
                    // What excluded this value is likely to exclude the next.
                    if let Some(place) = still.iter().position(|s| *s == at) {
                        still[..=place].rotate_right(1);
                    }
                }
                // What is pinned stays: it is the answer.
                end @ (Branch::Good | Branch::Open) => return end,
            }
        }
        Branch::Bad(last)
    }

    /// The input of open facts that has the fewest values, of those that have no single one yet, and whether
    /// it is the only one.
    fn next_input(&self, open: &[usize]) -> Option<(Rc<LearnedInput>, bool)> {
        let mut best: Option<&Rc<LearnedInput>> = None;
        let mut several = false;
        for &at in open {
            for key in keys(self.facts[at].0)?.iter().filter_map(Key::of_support) {
                let Some(input) = self.view.learned.input(key) else {
                    continue;
                };
                if self.view.pinned.iter().any(|(k, _)| *k == key) {
                    continue;
                }
                several |= best.is_some_and(|b| b.key != key);
                let fewer =
                    |b: &Rc<LearnedInput>| input.known.set().count() < b.known.set().count();
                if best.is_none_or(fewer) {
                    best = Some(input);
                }
            }
        }
        Some((best.cloned()?, !several))
    }

    /// One input is left: each open fact is solved for it, and where that is not exact, its values are
    /// tried.
    fn last_input(&mut self, input: &LearnedInput, open: &[usize]) -> Branch {
        let mut set = input.known.set().clone();
        let mut solved = 0;
        let mut unsolved: SmallVec<[usize; 16]> = SmallVec::new();
        for &at in open {
            let Some(left) = self.left.checked_sub(1) else {
                return Branch::Open;
            };
            self.left = left;
            let (term, truth, _) = self.facts[at];
            let forward = Forward::new(&self.view, self.settings);
            let backward = Backward::new(&forward, input.key);
            match backward.solve(term, truth, &set).filter(|e| e.exact) {
                Some(found) => {
                    solved |= 1 << at;
                    set = found.set;
                }
                None => unsolved.push(at),
            }
            if set.is_empty() {
                self.used |= solved;
                return Branch::Bad(at);
            }
        }
        let Some(mut model) = self.model() else {
            return Branch::Open;
        };
        let first = set.nearest(input.value_in(&model));
        let others = set.iter().filter(|w| Some(*w) != first);
        let mut last = open[0];
        for word in first.into_iter().chain(others) {
            input.write(&mut model, word);
            match self.at_a_point(&unsolved, &model) {
                Branch::Bad(at) => last = at,
                Branch::Open => return Branch::Open,
                Branch::Good => {
                    self.view.pinned.push((input.key, word));
                    return Branch::Good;
                }
            }
        }
        self.used |= solved;
        Branch::Bad(last)
    }

    /// Facts that cannot be folded or solved are evaluated.
    fn at_a_point(&mut self, open: &[usize], model: &Model) -> Branch {
        self.evaluator.start();
        for &at in open {
            let Some(left) = self.left.checked_sub(1) else {
                return Branch::Open;
            };
            self.left = left;
            let (term, truth, _) = self.facts[at];
            if self.evaluator.eval_bool(term, model) != truth {
                self.used |= 1 << at;
                return Branch::Bad(at);
            }
        }
        Branch::Good
    }

    /// A point of what is left.
    fn model(&self) -> Option<Model> {
        let learned = self.view.learned;
        let mut model = learned.earlier_model().as_ref().clone();
        for input in learned.unsure_inputs() {
            let before = input.value_in(&model);
            let word = input.known.set().nearest(before)?;
            if word != before {
                input.write(&mut model, word);
            }
        }
        for (key, word) in &self.view.pinned {
            learned.input(*key)?.write(&mut model, *word);
        }
        Some(model)
    }

    /// Reasons there is no solution.
    fn why(&self) -> Reasons {
        let mut all = Vec::new();
        let mut inputs = self.tried.clone();
        for (at, (term, _, fact)) in self.facts.iter().enumerate() {
            if self.used >> at & 1 == 1 {
                all.push(Reasons::fact(fact));
                let named = keys(term).unwrap_or_default().iter();
                inputs.extend(named.filter_map(Key::of_support));
            }
        }
        let inputs = inputs.iter().filter_map(|k| self.view.learned.input(*k));
        all.extend(inputs.map(|i| i.why.clone()));
        Reasons::all(all)
    }
}
