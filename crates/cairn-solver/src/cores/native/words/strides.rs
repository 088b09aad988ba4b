//! Models at a distance of some divisors from the start model.
//!
//! # Problem
//! `localtime` takes a number of seconds apart into years, months, days and hours by divisions and remainders. The goal is another
//! month or another hour: a search over gates has to turn a product of divisors around bit by bit.
//!
//! # Idea
//! A word moves by a multiple of a divisor of the violated conjuncts, or of a product of such divisors: by some days, some
//! hours, some powers of ten. Each move is evaluated.
//!
//! # Soundness
//! SAT only: the caller evaluates the model under all terms that the change touches.
//!
//! # Cost
//! At most [`MOST_TRIED`] evaluations of the violated conjuncts, and only where they divide by constants.
//!
//! # Counters
//! `strides`.

use cairn_expr::{BitVec, Evaluator, Model, Op, PostOrder, Sort, Term, Value, symbols_of};

/// Nodes of the violated conjuncts.
const LARGEST: usize = 600;
/// Distances.
const MOST_STEPS: usize = 24;
/// Words that are moved.
const MOST_WORDS: usize = 3;
/// Moves that are evaluated.
const MOST_TRIED: usize = 1_500;
/// How far a word moves, in steps, to either side.
const MOVES: [u64; 18] = [
    1, 2, 3, 4, 5, 6, 7, 9, 12, 15, 20, 30, 45, 60, 90, 150, 210, 300,
];

/// The divisors of some terms and their products, ascending; none if there are too many nodes.
fn steps(terms: &[&Term]) -> Vec<u64> {
    let mut divisors: Vec<u64> = Vec::new();
    let mut nodes = 0;
    for node in PostOrder::of(terms.iter().copied()) {
        nodes += 1;
        if nodes > LARGEST {
            return Vec::new();
        }
        let divides = matches!(
            node.op(),
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod
        );
        if divides
            && let Some(divisor) = node.arg(1).as_const().and_then(BitVec::to_u64)
            && divisor > 1
        {
            divisors.push(divisor);
        }
    }
    divisors.sort_unstable();
    divisors.dedup();
    let mut found = divisors.clone();
    let mut at = 0;
    while at < found.len() && found.len() < 4 * MOST_STEPS {
        let products = divisors.iter().filter_map(|d| d.checked_mul(found[at]));
        let new: Vec<u64> = products.filter(|p| !found.contains(p)).collect();
        found.extend(new);
        at += 1;
    }
    found.sort_unstable();
    found.truncate(MOST_STEPS);
    if !found.is_empty() {
        found.insert(0, 1);
    }
    found
}

/// A model that satisfies the violated terms, and the symbol that it changes.
pub fn moved(
    terms: &[&Term],
    violated: &[usize],
    base: &Model,
    evaluator: &mut Evaluator,
) -> Option<(Model, Term)> {
    let wrong: Vec<&Term> = violated.iter().map(|&i| terms[i]).collect();
    let steps = steps(&wrong);
    if steps.is_empty() {
        return None;
    }
    let mut words = symbols_of(wrong.iter().copied());
    words.retain(|s| matches!(s.sort(), Sort::BitVec(w) if w > 8 && w <= 64));
    let mut tried = 0;
    for word in words.iter().take(MOST_WORDS) {
        let present = match base.get(word) {
            Some(Value::Bv(value)) => value.low_u64(),
            Some(Value::Bool(_) | Value::Array(_)) | None => 0,
        };
        for times in MOVES {
            for distance in steps.iter().filter_map(|step| step.checked_mul(times)) {
                for new in [
                    present.wrapping_add(distance),
                    present.wrapping_sub(distance),
                ] {
                    tried += 1;
                    if tried > MOST_TRIED {
                        return None;
                    }
                    let mut model = base.clone();
                    model.set(word.clone(), Value::Bv(BitVec::new(word.width(), new)));
                    evaluator.start();
                    if wrong.iter().rev().all(|t| evaluator.eval_bool(t, &model)) {
                        return Some((model, word.clone()));
                    }
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::TermStore;

    #[test]
    fn another_hour_of_another_day_is_found() {
        let s = TermStore::new();
        let x = s.symbol("x", Sort::BitVec(64));
        let day = s.bv_urem(&x, &s.bv(64, 86_400));
        let hour = s.bv_udiv(&day, &s.bv(64, 3_600));
        let weekday = s.bv_urem(&s.bv_udiv(&x, &s.bv(64, 86_400)), &s.bv(64, 7));
        let mut evaluator = Evaluator::new();
        for goal_hour in 0..24 {
            for goal_day in 0..7 {
                let is_hour = s.eq(&hour, &s.bv(64, goal_hour));
                let is_day = s.eq(&weekday, &s.bv(64, goal_day));
                let mut base = Model::new();
                base.set(x.clone(), Value::Bv(BitVec::new(64, goal_day * 86_400 + 5)));
                // Both at once need two moves, unless one of them holds already.
                let terms = [&is_hour, &is_day];
                if let Some((model, symbol)) = moved(&terms, &[0, 1], &base, &mut evaluator) {
                    assert_eq!(symbol, x);
                    evaluator.start();
                    assert!(terms.iter().all(|t| evaluator.eval_bool(t, &model)));
                } else {
                    assert!(goal_hour > 0, "the hour 0 is a second away");
                }
            }
        }
        let plain = s.bv_ult(&x, &s.bv(64, 9));
        assert!(moved(&[&plain], &[0], &Model::new(), &mut evaluator).is_none());
    }
}
