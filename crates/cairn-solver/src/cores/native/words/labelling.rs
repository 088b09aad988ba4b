//! Labelling: symbols get values one by one, with propagation after each.
//!
//! # Problem
//! Model repair (`model_repair.rs`) sees only the conditions on the symbol that it changes. Where
//! conditions form chains over many symbols, it moves the first one to where the last cannot follow.
//!
//! # Idea
//! One symbol after the other gets a value, its present one if possible, and the consequences for the other
//! domains are propagated (`domains.rs`) before the next symbol is chosen. A value that empties a domain is
//! taken back, and another one is tried. This is labelling as in constraint programming
//! \[RossiVanBeekWalsh06\].
//!
//! # What differs
//! It starts from a model, touches only symbols whose present values violate something, and backtracks over
//! one choice only.
//!
//! # Soundness
//! The caller evaluates the model. A contradiction in which no choice takes part is one of the terms alone.
//!
//! # Cost
//! At most [`MOST_CHOICES`] values are tried, each with a bounded propagation.
//!
//! # Counters
//! `labelled`, and `refuted_by_words` for contradictions.

use super::domains::DomainStore;
use cairn_domain::RangeSet;
use cairn_expr::{BitVec, Evaluator, Model, Sort, Support, Term, Value};

/// Values tried before labelling gives up.
const MOST_CHOICES: usize = 64;

/// The result of labelling.
pub enum Labelling {
    /// A model that seems to satisfy all terms, and the symbols that changed.
    Model(Model, Vec<Term>),
    /// Positions of terms that contradict each other.
    Unsat(Vec<usize>),
    /// Neither was found.
    GaveUp,
}

/// Looks for a model of the terms, which `domains` has entered. The start model satisfies all of them
/// except those at the positions `violated`.
pub fn label(
    domains: &mut DomainStore,
    terms: &[&Term],
    violated: &[usize],
    base: &Model,
    evaluator: &mut Evaluator,
) -> Labelling {
    let count = domains.len();
    let found = assign(domains, terms, violated, base, evaluator);
    domains.truncate(count);
    found
}

fn assign(
    domains: &mut DomainStore,
    terms: &[&Term],
    violated: &[usize],
    base: &Model,
    evaluator: &mut Evaluator,
) -> Labelling {
    let mut model = base.clone();
    let mut changed: Vec<Term> = Vec::new();
    let mut choices = 0;
    evaluator.start();
    loop {
        // First the symbols whose values left their domains, the smallest domain first.
        let forced = domains
            .narrowed_since(terms.len() - 1)
            .filter(|(symbol, set)| !set.contains(word(&model, symbol)))
            .min_by_key(|(_, set)| set.size())
            .map(|(symbol, _)| symbol.clone());
        let symbol = match forced {
            Some(symbol) => symbol,
            None => {
                let first = violated.iter().map(|i| terms[*i]);
                let touched = terms.iter().copied().filter(|t| mentions(t, &changed));
                let wrong = first
                    .chain(touched)
                    .find(|t| !evaluator.eval_bool(t, &model));
                let Some(wrong) = wrong else {
                    return Labelling::Model(model, changed);
                };
                let open = DomainStore::symbols(wrong)
                    .into_iter()
                    .filter_map(|s| Some((domains.of(&s)?.size(), s)))
                    .filter(|(size, _)| *size > 1)
                    .min_by_key(|(size, _)| *size);
                match open {
                    Some((_, symbol)) => symbol,
                    None => return Labelling::GaveUp,
                }
            }
        };
        let Some(set) = domains.of(&symbol) else {
            return Labelling::GaveUp;
        };
        let mut taken = None;
        for value in values_to_try(set, word(&model, &symbol)) {
            choices += 1;
            if choices > MOST_CHOICES {
                return Labelling::GaveUp;
            }
            match domains.assume(&symbol, value) {
                None => {
                    taken = Some(value);
                    break;
                }
                Some(reasons) if reasons.iter().all(|r| *r < terms.len()) => {
                    return Labelling::Unsat(reasons);
                }
                Some(_) => domains.truncate(domains.len() - 1),
            }
        }
        let Some(value) = taken else {
            return Labelling::GaveUp;
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

/// The value of a symbol.
fn word(model: &Model, symbol: &Term) -> u64 {
    match model.get(symbol) {
        Some(Value::Bool(b)) => u64::from(*b),
        Some(Value::Bv(v)) => v.low_u64(),
        Some(Value::Array(_)) | None => 0,
    }
}

/// The values of a domain to try: the present one or the nearest, the middle of the widest range, and
/// both ends.
fn values_to_try(set: &RangeSet, present: u64) -> Vec<u64> {
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
