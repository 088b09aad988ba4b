//! Words that operators with one operand make of an input.
//!
//! # Problem
//! Order between words is chosen by giving inputs values. A program that reads an `int` out of a 64-bit input compares
//! truncations, one that reads `1 + x` sums: the words of the order are no inputs.
//!
//! # Idea
//! Such a word is an input with some operators behind it. Its values are the image of the input's set, and an input for a
//! chosen word is in the preimage.
//!
//! # Soundness
//! The image encloses the words, so it may refute. A value that is given back is in the input's set, and the operators
//! were applied to it: it has the chosen word.
//!
//! # Cost
//! At most [`STEPS`] operators for each word.

use super::forward::{binary, unary, width_of};
use super::known::{Key, LearnedBoxes, LearnedInput};
use cairn_domain::{Unary, ValueSet};
use cairn_expr::Term;
use std::borrow::Cow;
use std::rc::Rc;

/// How many operators may be between an input and a word.
const STEPS: usize = 4;

/// A word as the image of an input.
pub(super) struct InputImage<'a> {
    pub(super) input: &'a Rc<LearnedInput>,
    /// From the input on; none for the input itself.
    steps: Vec<Unary>,
}

/// The operator of a term with one operand that is no constant, and that operand.
fn step(term: &Term) -> Option<(Unary, &Term)> {
    if let Some(f) = unary(term.op()) {
        return Some((f, term.arg(0)));
    }
    let f = binary(term.op())?;
    let (a, b) = (term.arg(0), term.arg(1));
    match (a.as_const(), b.as_const()) {
        (_, Some(c)) => Some((f.with_right(b.width(), c.low_u64()), a)),
        (Some(c), _) => Some((f.with_left(a.width(), c.low_u64())?, b)),
        (None, None) => None,
    }
}

impl<'a> InputImage<'a> {
    /// A word of the order; `None` if it is not made of one listed input by a few operators.
    pub(super) fn of(learned: &'a LearnedBoxes, term: &Term) -> Option<InputImage<'a>> {
        let mut steps = Vec::new();
        let mut at = term;
        let key = loop {
            if let Some(key) = Key::of_term(at) {
                break key;
            }
            width_of(at)?;
            let (f, inner) = step(at).filter(|_| steps.len() < STEPS)?;
            width_of(inner)?;
            steps.push(f);
            at = inner;
        };
        steps.reverse();
        let input = learned.input(key)?;
        Some(InputImage { input, steps })
    }

    /// Whether it is the input itself.
    pub(super) fn is_plain(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether both are images of one input.
    pub(super) fn is_of_same(&self, other: &InputImage<'_>) -> bool {
        self.input.key == other.input.key
    }

    /// All words that the input's values give, and perhaps more.
    pub(super) fn values(&self) -> Cow<'a, ValueSet> {
        let set = self.input.known.set();
        match self.is_plain() {
            true => Cow::Borrowed(set),
            false => {
                let image = |set: ValueSet, f: &Unary| f.image(&set).set;
                Cow::Owned(self.steps.iter().fold(set.clone(), image))
            }
        }
    }

    /// The word that a value of the input gives.
    pub(super) fn word_of(&self, value: u64) -> u64 {
        let mut width = self.input.known.set().width();
        self.steps.iter().fold(value, |word, f| {
            let next = f.apply(width, word);
            width = f.result_width(width);
            next
        })
    }

    /// A value of the input that gives a word of its values, near another one. `None` if none is found.
    pub(super) fn source(&self, word: u64, near: u64) -> Option<u64> {
        if self.is_plain() {
            return Some(word);
        }
        let mut domains = vec![self.input.known.set().clone()];
        for f in &self.steps {
            let image = f.image(&domains[domains.len() - 1]).set;
            domains.push(image);
        }
        let width = domains.pop()?.width();
        let mut wanted = ValueSet::point(width, word);
        for (f, domain) in self.steps.iter().zip(&domains).rev() {
            wanted = f.preimage(&wanted, domain).set;
        }
        let found = wanted.nearest(near)?;
        (self.word_of(found) == word).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Preset, Settings, learn};
    use super::*;
    use cairn_expr::{Sort, TermStore};

    /// Every input of four bits, every range of its values, and words of up to three operators: a word is given back a value
    /// that gives it, and all words that the values give are among its values.
    #[test]
    fn images_enclose_all_words_and_give_values_back() {
        let s = TermStore::new();
        let x = s.symbol("x", Sort::BitVec(4));
        let c = |value| s.bv(4, value);
        let small = s.extract(&x, 2, 0);
        let sum = s.bv_add(&x, &c(5));
        let words = [
            x.clone(),
            small.clone(),
            sum.clone(),
            s.zero_extend(&small, 3),
            s.sign_extend(&small, 2),
            s.extract(&sum, 2, 0),
            s.bv_mul(&x, &c(6)),
            s.bv_urem(&sum, &c(3)),
            s.bv_and(&s.bv_not(&x), &c(10)),
            s.sign_extend(&s.extract(&sum, 3, 1), 4),
        ];
        let settings = Settings::of(Preset::ValueSets);
        let (mut given, mut missing) = (0, 0);
        for (low, high) in (0..16).flat_map(|low| (low..16).map(move |high| (low, high))) {
            let mut learned = LearnedBoxes::default();
            for fact in [
                s.bv_ule(&c(low), &x),
                s.bv_ule(&x, &c(high)),
                s.bv_ule(&x, &c(15)),
            ] {
                learned = learn(&learned, &fact, &settings, false);
            }
            let Some(input) = learned.inputs.values().next().cloned() else {
                continue;
            };
            for term in &words {
                let image = InputImage::of(&learned, term).expect("it is made of one input");
                let words = (low..=high).map(|value| image.word_of(value));
                for (value, word) in (low..=high).zip(words) {
                    assert!(image.values().contains(word), "{term:?} of {value}");
                    match image.source(word, value) {
                        Some(found) => {
                            assert!(input.known.set().contains(found));
                            assert_eq!(image.word_of(found), word, "{term:?}");
                            given += 1;
                        }
                        None => missing += 1,
                    }
                }
                if image.is_plain() {
                    // Its words are chosen within its set.
                    continue;
                }
                for word in 0..1 << width_of(term).expect("a word") {
                    if let Some(found) = image.source(word, low) {
                        assert!((low..=high).contains(&found));
                        assert_eq!(image.word_of(found), word, "{term:?}");
                    }
                }
            }
        }
        // All values of all ranges but the whole one, which teaches nothing, for ten words.
        assert_eq!((given, missing), (8000, 0));
    }
}
