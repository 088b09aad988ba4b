//! A model word by word, with a look ahead.
//!
//! - **Problem.** A repair (`moves.rs`) sees only the conditions of the variable that it moves. Where
//!   conditions form chains over many variables it moves the first one to where the last cannot
//!   follow.
//! - **Idea.** One symbol after the other is given a word, its present one if possible, and what
//!   that leaves of the others is propagated (`bounds.rs`) before the next one is chosen. A
//!   word that leaves nothing of some symbol is taken back and another one is tried.
//! - **Source.** Labelling with propagation, as in constraint programming.
//! - **Soundness.** A model is evaluated by the caller. A contradiction that no choice is part of is one
//!   of the terms alone.
//! - **Cost.** At most [`MOST_CHOICES`] words are tried, each with a bounded propagation.

use super::bounds::Bounds;
use super::ranges::Ranges;
use cairn_expr::{BitVec, Evaluator, Model, Sort, Support, Term, Value};

/// Words tried before the dive is given up.
const MOST_CHOICES: usize = 64;

/// What a dive ended with.
pub enum Dived {
    /// All terms seem to hold; the symbols that changed.
    Model(Model, Vec<Term>),
    /// Positions of terms that contradict each other.
    Unsat(Vec<usize>),
    /// Nothing.
    Nothing,
}

/// Looks for a model of the terms, which `bounds` has entered. The base satisfies all of them
/// but those at the positions `wrong`.
pub fn dive(
    bounds: &mut Bounds,
    terms: &[&Term],
    wrong: &[usize],
    base: &Model,
    evaluator: &mut Evaluator,
) -> Dived {
    let count = bounds.len();
    let found = descend(bounds, terms, wrong, base, evaluator);
    bounds.truncate(count);
    found
}

fn descend(
    bounds: &mut Bounds,
    terms: &[&Term],
    wrong: &[usize],
    base: &Model,
    evaluator: &mut Evaluator,
) -> Dived {
    let mut model = base.clone();
    let mut changed: Vec<Term> = Vec::new();
    let mut choices = 0;
    evaluator.start();
    loop {
        // First what cannot stay as it is, the tightest first.
        let forced = bounds
            .narrowed_since(terms.len() - 1)
            .filter(|(symbol, set)| !set.contains(word(&model, symbol)))
            .min_by_key(|(_, set)| set.size())
            .map(|(symbol, _)| symbol.clone());
        let symbol = match forced {
            Some(symbol) => symbol,
            None => {
                let first = wrong.iter().map(|i| terms[*i]);
                let touched = terms.iter().copied().filter(|t| mentions(t, &changed));
                let wrong = first
                    .chain(touched)
                    .find(|t| !evaluator.eval_bool(t, &model));
                let Some(wrong) = wrong else {
                    return Dived::Model(model, changed);
                };
                let open = Bounds::symbols(wrong)
                    .into_iter()
                    .filter_map(|s| Some((bounds.of(&s)?.size(), s)))
                    .filter(|(size, _)| *size > 1)
                    .min_by_key(|(size, _)| *size);
                match open {
                    Some((_, symbol)) => symbol,
                    None => return Dived::Nothing,
                }
            }
        };
        let Some(set) = bounds.of(&symbol) else {
            return Dived::Nothing;
        };
        let mut taken = None;
        for value in candidates(set, word(&model, &symbol)) {
            choices += 1;
            if choices > MOST_CHOICES {
                return Dived::Nothing;
            }
            match bounds.assume(&symbol, value) {
                None => {
                    taken = Some(value);
                    break;
                }
                Some(reasons) if reasons.iter().all(|r| *r < terms.len()) => {
                    return Dived::Unsat(reasons);
                }
                Some(_) => bounds.truncate(bounds.len() - 1),
            }
        }
        let Some(value) = taken else {
            return Dived::Nothing;
        };
        if value != word(&model, &symbol) {
            let value = match symbol.sort() {
                Sort::Bool => Value::Bool(value == 1),
                _ => Value::Bv(BitVec::new(symbol.width(), value)),
            };
            model.set(symbol.clone(), value);
            changed.push(symbol);
            evaluator.start();
        }
    }
}

/// Whether a term depends on one of these symbols, or may.
fn mentions(term: &Term, symbols: &[Term]) -> bool {
    match &term.attributes().support {
        Support::Keys(keys) => keys
            .iter()
            .any(|k| symbols.iter().any(|s| s.id() == k.symbol)),
        Support::Many => true,
    }
}

/// The word of a symbol.
fn word(model: &Model, symbol: &Term) -> u64 {
    match model.get(symbol) {
        Some(Value::Bool(b)) => u64::from(*b),
        Some(Value::Bv(v)) => v.low_u64(),
        Some(Value::Array(_)) | None => 0,
    }
}

/// Words of a set worth trying: the present one or the nearest, the middle of the widest range,
/// the ends.
fn candidates(set: &Ranges, present: u64) -> Vec<u64> {
    let middle = set
        .ranges()
        .iter()
        .max_by_key(|(low, high)| high - low)
        .map(|(low, high)| low + (high - low) / 2);
    let mut list: Vec<u64> = Vec::new();
    for value in [set.nearest(present), middle, set.min(), set.max()] {
        if let Some(value) = value
            && !list.contains(&value)
        {
            list.push(value);
        }
    }
    list
}
