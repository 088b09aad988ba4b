//! Narrowing a box to a part in which a fact holds everywhere.
//!
//! # Idea
//! \[AbyanehKirsch21, section V\]: where the sides of a comparison overlap,
//! the solutions are no box, but a box within them suffices to prove later questions satisfiable. Sides with one
//! input each are cut ([`cairn_domain::Relation::splits`]).
//!
//! # What differs
//! Any fact can be solved for one of its inputs while the others get one value each.

use super::backward::Backward;
use super::forward::{Forward, InputSets, keys, relation, unrelated};
use super::known::{BOXES, Boxes, Key, LearnedBoxes, UnderBox};
use super::settings::Settings;
use cairn_domain::{MOST_PIECES, Truth, Under, ValueSet};
use cairn_expr::{Op, Term};
use smallvec::SmallVec;
use std::rc::Rc;

/// How deep connectives are read.
const DEPTH: u32 = 8;
/// For how many inputs of a fact it is tried to solve for one.
const TRIED: usize = 3;

/// The sets of a box, some inputs having one value.
struct BoxView<'a> {
    learned: &'a LearnedBoxes,
    chosen: &'a UnderBox,
    pinned: SmallVec<[(Key, u64); 4]>,
}

impl InputSets for BoxView<'_> {
    fn input(&self, key: Key) -> Option<ValueSet> {
        let input = self.learned.input(key)?;
        let set = self.learned.set_in(self.chosen, input);
        match self.pinned.iter().find(|(k, _)| *k == key) {
            Some((_, word)) => Some(ValueSet::point(set.width(), *word)),
            None => Some(set.clone()),
        }
    }

    fn narrowed(&self, _term: &Term, set: ValueSet) -> ValueSet {
        // What facts say about terms they say about solutions, and a box has nothing else: but
        // rules that are exact for the box stay so only without it.
        set
    }
}

/// Boxes that were narrowed.
pub(super) struct Narrowed {
    pub(super) boxes: Boxes,
    /// Which of the boxes before the first of them is within: it differs from that in the inputs of the term alone.
    pub(super) first_of: usize,
}

impl Narrowed {
    /// Notes in which inputs the first box differs from the first one before.
    pub(super) fn note_changes(&self, before: &Boxes, learned: &LearnedBoxes, term: &Term) {
        if self.first_of > 0 {
            learned.note_other_box(&before[0], &before[self.first_of]);
        }
        // What has inputs that are not listed has none that have sets.
        let inputs = keys(term).unwrap_or_default().iter();
        let inputs = inputs.filter_map(Key::of_support);
        inputs.for_each(|key| learned.note_changed(key));
    }
}

/// Narrows boxes to parts in which a Boolean term has a truth value.
pub(super) fn all_within(
    learned: &LearnedBoxes,
    boxes: &Boxes,
    term: &Term,
    truth: bool,
    settings: &Settings,
) -> Narrowed {
    let mut found = Boxes::new();
    let mut first_of = 0;
    for (at, chosen) in boxes.iter().enumerate() {
        if found.is_empty() {
            first_of = at;
        }
        let narrowing = Narrowing { learned, settings };
        for narrow in narrowing.within(chosen, term, truth, DEPTH) {
            if found.len() < BOXES {
                found.push(Rc::new(narrow));
            }
        }
        if found.len() == BOXES {
            break;
        }
    }
    Narrowed {
        boxes: found,
        first_of,
    }
}

struct Narrowing<'a> {
    learned: &'a LearnedBoxes,
    settings: &'a Settings,
}

impl Narrowing<'_> {
    fn view<'b>(&'b self, chosen: &'b UnderBox) -> BoxView<'b> {
        BoxView {
            learned: self.learned,
            chosen,
            pinned: SmallVec::new(),
        }
    }

    /// The box with sets of its own for all inputs of a term.
    fn settled(&self, chosen: &UnderBox, term: &Term) -> UnderBox {
        let mut sets = chosen.sets.clone();
        for key in keys(term)
            .unwrap_or_default()
            .iter()
            .filter_map(Key::of_support)
        {
            if sets.get(key.0).is_none()
                && let Some(input) = self.learned.input(key)
            {
                sets.insert(key.0, (key, Under::new(input.known.set().clone())));
            }
        }
        UnderBox { sets }
    }

    fn within(&self, chosen: &UnderBox, term: &Term, truth: bool, depth: u32) -> Vec<UnderBox> {
        let view = self.view(chosen);
        let forward = Forward::new(&view, self.settings);
        match (forward.truth(term), truth) {
            (Truth::Always, true) | (Truth::Never, false) => {
                return vec![self.settled(chosen, term)];
            }
            (Truth::Always, false) | (Truth::Never, true) => return Vec::new(),
            (Truth::Sometimes, _) => {}
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let found = match (term.op(), truth) {
            (Op::Not, _) => self.within(chosen, term.arg(0), !truth, depth),
            (Op::And, true) => {
                self.one_after_another(chosen, &[(term.arg(0), true), (term.arg(1), true)], depth)
            }
            (Op::And, false) if self.settings.reads_structure => {
                let mut all = self.within(chosen, term.arg(0), false, depth);
                all.extend(self.within(chosen, term.arg(1), false, depth));
                all
            }
            (Op::Ite, _) if self.settings.reads_structure => {
                let [condition, yes, no] = [0, 1, 2].map(|i| term.arg(i));
                let mut all =
                    self.one_after_another(chosen, &[(condition, true), (yes, truth)], depth);
                let other = [(condition, false), (no, truth)];
                all.extend(self.one_after_another(chosen, &other, depth));
                all
            }
            _ => self.literal(chosen, term, truth),
        };
        let mut found: Vec<UnderBox> = found.iter().map(|b| self.settled(b, term)).collect();
        found.truncate(BOXES);
        found
    }

    fn one_after_another(
        &self,
        chosen: &UnderBox,
        parts: &[(&Term, bool)],
        depth: u32,
    ) -> Vec<UnderBox> {
        let mut boxes = vec![chosen.clone()];
        for (term, truth) in parts {
            let next = boxes
                .iter()
                .flat_map(|b| self.within(b, term, *truth, depth));
            boxes = next.take(BOXES).collect();
        }
        boxes
    }

    fn literal(&self, chosen: &UnderBox, term: &Term, truth: bool) -> Vec<UnderBox> {
        let Some(support) = keys(term) else {
            return Vec::new();
        };
        let inputs: Option<SmallVec<[Key; 8]>> = support.iter().map(Key::of_support).collect();
        let Some(inputs) = inputs else {
            return Vec::new();
        };
        if let [key] = inputs.as_slice() {
            return self
                .one_input(chosen, term, truth, *key)
                .into_iter()
                .collect();
        }
        let cut = self.cut(chosen, term, truth);
        if !cut.is_empty() || !self.settings.solves_for_one {
            return cut;
        }
        let solved = inputs.iter().take(TRIED);
        solved
            .filter_map(|key| self.solved_for(chosen, term, truth, *key, &inputs))
            .take(1)
            .collect()
    }

    fn with(&self, chosen: &UnderBox, key: Key, set: ValueSet) -> UnderBox {
        let mut sets = chosen.sets.clone();
        sets.insert(key.0, (key, Under::new(set)));
        UnderBox { sets }
    }

    /// A fact about one input.
    fn one_input(&self, chosen: &UnderBox, term: &Term, truth: bool, key: Key) -> Option<UnderBox> {
        let input = self.learned.input(key)?;
        let domain = self.learned.set_in(chosen, input);
        let view = self.view(chosen);
        let forward = Forward::new(&view, self.settings);
        let backward = Backward::new(&forward, key);
        let mut found = backward.solve(term, truth, domain);
        if domain.pieces().len() > MOST_PIECES / 2 && !found.as_ref().is_some_and(|e| e.exact) {
            // Too many pieces, perhaps: some of them are enough.
            let some = &domain.pieces()[..MOST_PIECES / 2];
            let less = ValueSet::from_pieces(domain.width(), some).set;
            found = backward.solve(term, truth, &less).or(found);
        }
        match found {
            Some(found) if found.exact && self.settings.holds(&found.set) => {
                (!found.set.is_empty()).then(|| self.with(chosen, key, found.set))
            }
            Some(_) | None if !self.settings.solves_for_one => None,
            found => {
                // No rule: perhaps one of a few words does.
                let within = found.map_or_else(|| domain.clone(), |e| e.set);
                let earlier = within.nearest(self.learned.earlier_value(input));
                let tried = [earlier, within.min(), within.middle(), within.max()];
                let word = tried.into_iter().flatten().find(|w| {
                    let mut view = self.view(chosen);
                    view.pinned.push((key, *w));
                    let forward = Forward::new(&view, self.settings);
                    forward.truth(term) == if truth { Truth::Always } else { Truth::Never }
                })?;
                Some(self.with(chosen, key, ValueSet::point(domain.width(), word)))
            }
        }
    }

    /// A comparison whose sides have one input each, or one value: cut as the observations say.
    fn cut(&self, chosen: &UnderBox, term: &Term, truth: bool) -> Vec<UnderBox> {
        let Some((relation, a, b)) = relation(term, truth) else {
            return Vec::new();
        };
        let one = |t: &Term| match keys(t) {
            Some([one]) => Key::of_support(one),
            Some(_) | None => None,
        };
        let (Some(left), Some(right), true) = (one(a), one(b), unrelated(a, b)) else {
            return Vec::new();
        };
        let view = self.view(chosen);
        let forward = Forward::new(&view, self.settings);
        let (x, y) = (forward.values(a).set, forward.values(b).set);
        let side = |key: Key, t: &Term, wanted: &ValueSet| {
            let input = self.learned.input(key)?;
            let domain = self.learned.set_in(chosen, input);
            let backward = Backward::new(&forward, key);
            let found = backward.solve_for(t, wanted, domain)?;
            let good = found.exact && !found.set.is_empty() && self.settings.holds(&found.set);
            good.then_some(found.set)
        };
        let splits = relation.splits(self.settings.split, &x, &y);
        let boxes = splits.iter().filter_map(|(for_a, for_b)| {
            let (set_a, set_b) = (side(left, a, for_a)?, side(right, b, for_b)?);
            Some(self.with(&self.with(chosen, left, set_a), right, set_b))
        });
        boxes.collect()
    }

    /// Solves a fact for one input; the others get values.
    fn solved_for(
        &self,
        chosen: &UnderBox,
        term: &Term,
        truth: bool,
        key: Key,
        inputs: &[Key],
    ) -> Option<UnderBox> {
        let mut view = self.view(chosen);
        for other in inputs.iter().filter(|k| **k != key) {
            let input = self.learned.input(*other)?;
            let set = self.learned.set_in(chosen, input);
            let word = set.nearest(self.learned.earlier_value(input))?;
            view.pinned.push((*other, word));
        }
        let domain = self.learned.set_in(chosen, self.learned.input(key)?);
        let forward = Forward::new(&view, self.settings);
        let backward = Backward::new(&forward, key);
        let found = backward.solve(term, truth, domain)?;
        if !found.exact || found.set.is_empty() {
            return None;
        }
        let mut narrow = self.with(chosen, key, found.set);
        for (other, word) in &view.pinned {
            let width = self.learned.input(*other)?.known.set().width();
            let point = ValueSet::point(width, *word);
            narrow.sets.insert(other.0, (*other, Under::new(point)));
        }
        Some(narrow)
    }
}
