//! Learning one fact: new sets for its inputs, over-sets for its terms, boxes.
//!
//! A fact about one input that can be solved exactly leaves the input exact. A fact that already holds everywhere
//! changes nothing. A fact one side of which has one value is a fact about the other side. Every other fact makes
//! its inputs inexact: their sets, narrowed as far as possible, are over-sets from then on, and each box is
//! narrowed to a part in which the fact holds everywhere, or dropped.

use super::backward::Backward;
use super::boxes;
use super::difference;
use super::forward::{Forward, InputSets, binary, keys, relation, unary, width_of};
use super::known::{BoundedTerm, Boxes, InputSet, Key, LearnedBoxes, LearnedInput, Reasons};
use super::order::Entailment;
use super::settings::Settings;
use cairn_domain::{Enclosure, Exact, Over, Relation, Truth, ValueSet};
use cairn_expr::{Op, Term};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How many nodes are looked through for the symbols of a fact.
const SEARCH: usize = 4096;
/// How many nodes a conjunction computed as a word may have.
const CONJUNCTS: u32 = 64;
/// How deep an over-set is pushed down.
const PUSH: u32 = 12;
/// How many pieces of it are: what is said of one operand of several is coarse anyway, and each operator
/// on the way takes a step for each pair of pieces.
const PUSHED: usize = 8;

/// The over-sets of a list of facts. Remembers why, for what was looked at.
pub(super) struct OverView<'a> {
    learned: &'a LearnedBoxes,
    used: RefCell<Vec<Reasons>>,
}

impl<'a> OverView<'a> {
    pub(super) fn new(learned: &'a LearnedBoxes) -> Self {
        OverView {
            learned,
            used: RefCell::default(),
        }
    }
}

impl InputSets for OverView<'_> {
    fn input(&self, key: Key) -> Option<ValueSet> {
        let input = self.learned.input(key)?;
        self.used.borrow_mut().push(input.why.clone());
        Some(input.known.set().clone())
    }

    fn narrowed(&self, term: &Term, set: ValueSet) -> ValueSet {
        if self.learned.bounded.is_empty() {
            return set;
        }
        match self.learned.bounded.get(term.birth()) {
            Some(known) if known.term == *term && width_of(term).is_some() => {
                self.used.borrow_mut().push(known.why.clone());
                set.narrowed(known.over.set())
            }
            Some(_) | None => set,
        }
    }
}

/// Learns a fact. `goal`: it is only asked, so presets without boxes may
/// still look for one.
pub(super) fn learn(
    parent: &LearnedBoxes,
    fact: &Term,
    settings: &Settings,
    goal: bool,
) -> LearnedBoxes {
    let mut next = parent.copy();
    if next.contradiction.is_some() || fact.is_true() {
        return next;
    }
    let before = next.boxes.borrow().clone();
    let mut lesson = FactLearner {
        learned: &mut next,
        settings,
        fact,
        unsettled: Vec::new(),
    };
    lesson.conjuncts(fact, true);
    let unsettled = std::mem::take(&mut lesson.unsettled);
    if next.contradiction.is_some() || next.opaque {
        next.boxes.borrow_mut().clear();
        return next;
    }
    let mut kept: Boxes = before;
    if !unsettled.is_empty() && !goal && !settings.keeps_boxes {
        kept.clear();
    }
    for (term, truth) in unsettled {
        let narrowed = boxes::all_within(&next, &kept, &term, truth, settings);
        narrowed.note_changes(&kept, &next, &term);
        kept = narrowed.boxes;
    }
    *next.boxes.borrow_mut() = kept;
    next
}

struct FactLearner<'a> {
    learned: &'a mut LearnedBoxes,
    settings: &'a Settings,
    fact: &'a Term,
    /// Parts of the fact that the boxes have to be narrowed to.
    unsettled: Vec<(Term, bool)>,
}

impl FactLearner<'_> {
    /// Takes a conjunction apart.
    fn conjuncts(&mut self, term: &Term, truth: bool) {
        let mut work = vec![(term.clone(), truth)];
        while let Some((t, truth)) = work.pop() {
            match (t.op(), truth) {
                (Op::Not, _) => work.push((t.arg(0).clone(), !truth)),
                (Op::And, true) => work.extend(t.args().iter().map(|a| (a.clone(), true))),
                (Op::Eq, _) => match as_conjuncts(&t, truth) {
                    Some(parts) => work.extend(parts),
                    None => self.literal(&t, truth),
                },
                _ => self.literal(&t, truth),
            }
            if self.learned.contradiction.is_some() {
                return;
            }
        }
    }

    fn literal(&mut self, term: &Term, truth: bool) {
        if let Some(b) = term.as_bool() {
            if b != truth {
                self.learned.contradiction = Some(Reasons::fact(self.fact));
            }
            return;
        }
        let Some(inputs) = self.inputs_of(term) else {
            self.learned.opaque = true;
            self.over_only(term, truth);
            return;
        };
        if let [key] = inputs.as_slice() {
            self.one_input(term, truth, *key);
            return;
        }
        self.several(term, truth, &inputs);
    }

    /// The inputs of a term, all listed with their sets. `None` if one has no set.
    fn inputs_of(&mut self, term: &Term) -> Option<Vec<Key>> {
        let support = keys(term)?;
        let mut all: Vec<Key> = Vec::with_capacity(support.len());
        let mut missing: Vec<Key> = Vec::new();
        for k in support {
            let key = Key::of_support(k)?;
            all.push(key);
            if self.learned.input(key).is_none() {
                missing.push(key);
            }
        }
        if missing.is_empty() {
            return Some(all);
        }
        let mut symbols: FxHashMap<u32, Option<Term>> =
            missing.iter().map(|k| (k.symbol(), None)).collect();
        find_symbols(term, &mut symbols);
        for key in missing {
            let symbol = symbols.get(&key.symbol())?.as_ref()?;
            let input = LearnedInput::unknown(symbol, key)?;
            self.learned.inputs.insert(key.0, Rc::new(input));
        }
        Some(all)
    }

    fn one_input(&mut self, term: &Term, truth: bool, key: Key) {
        let Some(input) = self.learned.input(key).cloned() else {
            return;
        };
        let domain = input.known.set();
        let view = OverView::new(self.learned);
        let forward = Forward::new(&view, self.settings);
        let backward = Backward::new(&forward, key);
        // First by itself: then the fact alone is the reason, if it says more than was known.
        let width = domain.width();
        let unbounded = match domain.is_full() {
            true => backward.solve(term, truth, domain),
            false => backward.solve_briefly(term, truth, width),
        };
        let by_itself = view.used.borrow().iter().all(Reasons::is_nothing);
        let good = |e: &&Enclosure| by_itself && e.exact && self.settings.holds(&e.set);
        let alone = unbounded.as_ref().filter(good).cloned();
        let met = alone.as_ref().and_then(|e| domain.intersect(&e.set));
        let found = match met {
            Some(met) => Some(Enclosure::exact(met)),
            None if domain.is_full() => unbounded,
            None => backward.solve(term, truth, domain),
        };
        // Where solving for the input only encloses, the values of the term may decide.
        let found = found.filter(|f| f.exact || f.set.is_empty() || forward.is_open(term));
        let reason = |set: &ValueSet| match &alone {
            Some(alone) if set.is_empty() => input.why.against(self.fact, &alone.set),
            Some(alone) => input.why.with_alone(self.fact, &alone.set),
            None => {
                let used = view.used.borrow().clone();
                Reasons::because(self.fact, input.why.clone(), used)
            }
        };
        match found {
            Some(found) if found.set.is_empty() => {
                let why = reason(&found.set);
                self.learned.contradiction = Some(why);
            }
            Some(found) if found.set == *domain && found.exact => {
                // It holds anyway.
            }
            Some(found) => {
                let holdable = self.settings.holds(&found.set);
                let why = reason(&found.set);
                let held = found.exact && holdable;
                let exact = input.known.is_exact() && held;
                let known = if exact {
                    InputSet::Exact(Exact::new(found.set))
                } else {
                    InputSet::Over(Over::new(if holdable { found.set } else { domain.clone() }))
                };
                self.set(&input, known, why);
                if !exact {
                    self.leave(term, truth, held);
                }
            }
            None => match forward.truth(term) {
                Truth::Always if truth => {}
                Truth::Never if !truth => {}
                Truth::Always | Truth::Never => {
                    let why = reason(&ValueSet::empty(domain.width()));
                    self.learned.contradiction = Some(why);
                }
                Truth::Sometimes => {
                    let used = view.used.into_inner();
                    self.bound_sides(term, truth, used);
                    self.unsettle(&[key]);
                    self.leave(term, truth, false);
                }
            },
        }
    }

    /// A fact about several inputs (or none).
    fn several(&mut self, term: &Term, truth: bool, inputs: &[Key]) {
        let view = OverView::new(self.learned);
        let forward = Forward::new(&view, self.settings);
        let Some((relation, a, b)) = relation(term, truth) else {
            let found = forward.truth(term);
            return self.other_shape(term, truth, inputs, found, view.used.into_inner());
        };
        if self.settings.keeps_order
            && let Relation::Equal | Relation::Different = relation
            && let Some(equal) = difference::equal(a, b)
        {
            if equal != (relation == Relation::Equal) {
                self.learned.contradiction = Some(Reasons::fact(self.fact));
            }
            return;
        }
        let (x, y) = (forward.values(a).set, forward.values(b).set);
        let truth_now = relation.decide(&x, &y);
        let used = view.used.into_inner();
        match truth_now {
            Truth::Always => return,
            Truth::Never => {
                self.learned.contradiction =
                    Some(Reasons::because(self.fact, Reasons::default(), used));
                return;
            }
            Truth::Sometimes => {}
        }
        if self.settings.keeps_order {
            match self.learned.order.entails(relation, a, b) {
                Entailment::Open => {}
                Entailment::Implied => return,
                Entailment::Contradicted(facts) => {
                    let because = facts.iter().map(Reasons::fact).collect();
                    let why = Reasons::because(self.fact, Reasons::default(), because);
                    self.learned.contradiction = Some(why);
                    return;
                }
            }
        }
        // One side has one value: the fact is about the other side alone.
        if x.as_point().is_some() && self.one_side(b, &relation.right_for(&x), &used) {
            return;
        }
        if y.as_point().is_some() && self.one_side(a, &relation.left_for(&y), &used) {
            return;
        }
        let left = x.narrowed(&relation.left_for(&y));
        let right = y.narrowed(&relation.right_for(&x));
        if left.is_empty() || right.is_empty() {
            self.learned.contradiction =
                Some(Reasons::because(self.fact, Reasons::default(), used));
            return;
        }
        let why = Reasons::because(self.fact, Reasons::default(), used);
        self.unsettle(inputs);
        if left != x {
            self.push_down(a, &left, &why, PUSH);
        }
        if right != y && self.learned.contradiction.is_none() {
            self.push_down(b, &right, &why, PUSH);
        }
        let held = self.settings.keeps_order && self.learned.order.push(relation, a, b, self.fact);
        self.leave(term, truth, held);
    }

    /// Leaves a part of the fact to the boxes; `held`: a set or the order says all that it says.
    fn leave(&mut self, term: &Term, truth: bool, held: bool) {
        if !held && self.settings.keeps_order {
            self.learned.loose.push(term, truth, self.fact);
        }
        self.unsettled.push((term.clone(), truth));
    }

    /// A side with one input that must have a wanted value; whether that was learned exactly.
    fn one_side(&mut self, side: &Term, wanted: &ValueSet, used: &[Reasons]) -> bool {
        let Some([support]) = keys(side) else {
            return false;
        };
        let Some(input) = Key::of_support(support).and_then(|k| self.learned.input(k).cloned())
        else {
            return false;
        };
        let view = OverView::new(self.learned);
        let forward = Forward::new(&view, self.settings);
        let backward = Backward::new(&forward, input.key);
        let found = backward.solve_for(side, wanted, input.known.set());
        let Some(found) = found.filter(|e| e.exact && self.settings.holds(&e.set)) else {
            return false;
        };
        let mut reasons = used.to_vec();
        reasons.extend(view.used.into_inner());
        let why = Reasons::because(self.fact, input.why.clone(), reasons);
        if found.set.is_empty() {
            self.learned.contradiction = Some(why);
        } else if input.known.is_exact() {
            self.set(&input, InputSet::Exact(Exact::new(found.set)), why);
        } else {
            // The boxes have sets of their own for it.
            return false;
        }
        true
    }

    fn other_shape(
        &mut self,
        term: &Term,
        truth: bool,
        inputs: &[Key],
        found: Truth,
        used: Vec<Reasons>,
    ) {
        match (found, truth) {
            (Truth::Always, true) | (Truth::Never, false) => {}
            (Truth::Always, false) | (Truth::Never, true) => {
                self.learned.contradiction =
                    Some(Reasons::because(self.fact, Reasons::default(), used));
            }
            (Truth::Sometimes, _) => {
                self.unsettle(inputs);
                self.leave(term, truth, false);
            }
        }
    }

    /// A fact with inputs that have no set: still it may contradict, and bound terms.
    fn over_only(&mut self, term: &Term, truth: bool) {
        let view = OverView::new(self.learned);
        let forward = Forward::new(&view, self.settings);
        let found = forward.truth(term);
        let used = view.used.into_inner();
        match (found, truth) {
            (Truth::Always, false) | (Truth::Never, true) => {
                self.learned.contradiction =
                    Some(Reasons::because(self.fact, Reasons::default(), used));
            }
            (Truth::Always, true) | (Truth::Never, false) => {}
            (Truth::Sometimes, _) => {
                self.bound_sides(term, truth, used);
                let listed: Vec<Key> = keys(term)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Key::of_support)
                    .collect();
                self.unsettle(&listed);
            }
        }
    }

    /// Over-sets of the sides of a comparison.
    fn bound_sides(&mut self, term: &Term, truth: bool, mut used: Vec<Reasons>) {
        let Some((relation, a, b)) = relation(term, truth) else {
            return;
        };
        let view = OverView::new(self.learned);
        let forward = Forward::new(&view, self.settings);
        let (x, y) = (forward.values(a).set, forward.values(b).set);
        used.extend(view.used.into_inner());
        let left = x.narrowed(&relation.left_for(&y));
        let right = y.narrowed(&relation.right_for(&x));
        let why = Reasons::because(self.fact, Reasons::default(), used);
        if left != x {
            self.push_down(a, &left, &why, PUSH);
        }
        if right != y && self.learned.contradiction.is_none() {
            self.push_down(b, &right, &why, PUSH);
        }
    }

    /// Records that a term has its values in a set, and what that says about its operands.
    fn push_down(&mut self, term: &Term, set: &ValueSet, why: &Reasons, depth: u32) {
        if term.as_const().is_some() || width_of(term).is_none() {
            return;
        }
        let set = &set.enclosed(PUSHED);
        if let Some(key) = Key::of_term(term) {
            let Some(input) = self.learned.input(key).cloned() else {
                return;
            };
            let narrowed = input.known.set().narrowed(set);
            if narrowed == *input.known.set() || !self.settings.holds(&narrowed) {
                return;
            }
            let why = Reasons::because(self.fact, input.why.clone(), vec![why.clone()]);
            if narrowed.is_empty() {
                self.learned.contradiction = Some(why);
            } else {
                // Only of inputs that are not exact any more.
                self.set(&input, InputSet::Over(Over::new(narrowed)), why);
            }
            return;
        }
        self.bound(term, set, why);
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let (f, inner) = if let Some(f) = unary(term.op()) {
            (f, term.arg(0))
        } else if let Some(f) = binary(term.op()) {
            let view = OverView::new(self.learned);
            let forward = Forward::new(&view, self.settings);
            let (a, b) = (term.arg(0), term.arg(1));
            // Operands that have one value by themselves need no further reason.
            match (a.as_const(), b.as_const()) {
                (_, Some(c)) => (f.with_right(b.width(), c.low_u64()), a),
                (Some(c), _) => match f.with_left(a.width(), c.low_u64()) {
                    Some(f) => (f, b),
                    None => return,
                },
                (None, None) => {
                    // x + y in S: x is in S - y.
                    if f != cairn_domain::Binary::Add {
                        return;
                    }
                    let (x, y) = (forward.values(a).set, forward.values(b).set);
                    let minus = |s: &ValueSet| cairn_domain::Unary::Neg.image(s).set;
                    let left = f.image(set, &minus(&y)).set;
                    let right = f.image(set, &minus(&x)).set;
                    let used = view.used.into_inner();
                    let why = Reasons::because(self.fact, why.clone(), used);
                    let (left, right) = (x.narrowed(&left), y.narrowed(&right));
                    if left != x {
                        self.push_down(a, &left, &why, depth);
                    }
                    if right != y && self.learned.contradiction.is_none() {
                        self.push_down(b, &right, &why, depth);
                    }
                    return;
                }
            }
        } else {
            return;
        };
        let Some(width) = width_of(inner).filter(|_| self.settings.backward(f)) else {
            return;
        };
        let before = f.preimage(set, &ValueSet::full(width));
        if !before.set.is_full() {
            self.push_down(inner, &before.set, why, depth);
        }
    }

    fn bound(&mut self, term: &Term, set: &ValueSet, why: &Reasons) {
        let (over, why) = match self.learned.bounded.get(term.birth()) {
            Some(known) => {
                let narrowed = known.over.set().narrowed(set);
                if narrowed == *known.over.set() {
                    return;
                }
                let why = Reasons::because(self.fact, known.why.clone(), vec![why.clone()]);
                (narrowed, why)
            }
            None => (set.clone(), why.clone()),
        };
        if over.is_empty() {
            self.learned.contradiction = Some(why);
            return;
        }
        let entry = BoundedTerm {
            term: term.clone(),
            over: Over::new(over),
            why,
        };
        self.learned.bounded.insert(term.birth(), Rc::new(entry));
    }

    /// Makes inputs inexact. Their exact sets become overs, and boxes get sets for them.
    fn unsettle(&mut self, inputs: &[Key]) {
        for key in inputs {
            let Some(input) = self.learned.input(*key).cloned() else {
                continue;
            };
            if let InputSet::Exact(exact) = &input.known {
                let over = exact.to_over();
                let why = input.why.clone();
                self.set(&input, InputSet::Over(over), why);
            }
        }
    }

    fn set(&mut self, input: &Rc<LearnedInput>, known: InputSet, why: Reasons) {
        let input = LearnedInput {
            known,
            why,
            ..input.as_ref().clone()
        };
        self.learned.note_changed(input.key);
        self.learned.inputs.insert(input.key.0, Rc::new(input));
    }
}

/// Truth values that were computed as words: a conjunction of words that are 0 or 1 being 1, or not
/// being 0, is a conjunction. C programs say `(a < b) & (c < d)`.
fn as_conjuncts(equation: &Term, truth: bool) -> Option<Vec<(Term, bool)>> {
    let word = equation.arg(1).as_const()?.to_u64()?;
    if !(truth && word == 1 || !truth && word == 0) || !is_conjunction(equation.arg(0)) {
        return None;
    }
    let mut parts = Vec::new();
    let mut work = vec![equation.arg(0).clone()];
    while let Some(t) = work.pop() {
        match t.op() {
            Op::BvAnd => work.extend(t.args().iter().cloned()),
            Op::ZeroExtend(_) => work.push(t.arg(0).clone()),
            _ => parts.push((t.arg(0).clone(), !t.arg(1).as_const()?.is_zero())),
        }
    }
    Some(parts)
}

/// Whether a word is a conjunction of truth values, each 0 or 1.
fn is_conjunction(term: &Term) -> bool {
    let mut work = vec![term];
    for _ in 1..CONJUNCTS {
        let Some(t) = work.pop() else { return true };
        match t.op() {
            Op::BvAnd => work.extend(t.args()),
            Op::ZeroExtend(_) => work.push(t.arg(0)),
            Op::Ite => {
                let values = [t.arg(1), t.arg(2)].map(|v| v.as_const().and_then(|c| c.to_u64()));
                if values != [Some(0), Some(1)] && values != [Some(1), Some(0)] {
                    return false;
                }
            }
            _ => return false,
        }
    }
    work.is_empty()
}

/// The symbols of a term with given ids.
fn find_symbols(term: &Term, wanted: &mut FxHashMap<u32, Option<Term>>) {
    let mut left = wanted.len();
    let mut seen: rustc_hash::FxHashSet<u32> = rustc_hash::FxHashSet::default();
    let mut work = vec![term.clone()];
    while let (Some(t), true) = (work.pop(), left > 0 && seen.len() < SEARCH) {
        if let Op::Symbol(_) = t.op() {
            if let Some(slot @ None) = wanted.get_mut(&t.id()) {
                *slot = Some(t);
                left -= 1;
            }
            continue;
        }
        let empty = keys(&t).is_some_and(|k| k.is_empty());
        if !empty && seen.insert(t.id()) {
            work.extend(t.args().iter().cloned());
        }
    }
}
