//! Conditions on one narrow word that is not an input: a digit that was printed.
//!
//! # Problem
//! `printf` divides a number by ten again and again, and what reads its output asks whether a character is a letter or a
//! quote. The condition is a long list of characters; gates have to find out from a chain of divisions that a digit is a digit.
//!
//! # Idea
//! If all comparisons of a condition are between one word of at most eight bits and constants, the condition is a
//! set of words. The domains of the inputs give the values that the word can have ([`DomainStore::values`]): each is tried.
//!
//! # Soundness
//! UNSAT only. The values contain every value of the word under the facts that they stand on; those facts and the condition
//! are the core.
//!
//! # Cost
//! At most 256 evaluations of at most [`LARGEST`] comparisons and connectives, of conditions that a start model violates.
//!
//! # Counters
//! `refuted_by_words`.

use super::domains::DomainStore;
use cairn_expr::{BitVec, Op, PostOrder, Sort, Term, apply_operator};
use rustc_hash::{FxHashMap, FxHashSet};

/// Comparisons and connectives of a condition.
const LARGEST: usize = 1_000;

/// A condition on one word.
struct OnOneWord<'a> {
    condition: &'a Term,
    word: Term,
    /// The ids of its comparisons and connectives.
    nodes: FxHashSet<u32>,
}

/// The word that all comparisons of a condition are about.
fn on_one_word(condition: &Term) -> Option<OnOneWord<'_>> {
    let mut word: Option<Term> = None;
    let mut nodes = FxHashSet::default();
    let mut stack = vec![condition];
    while let Some(term) = stack.pop() {
        if !nodes.insert(term.id()) {
            continue;
        }
        if nodes.len() > LARGEST {
            return None;
        }
        match term.op() {
            Op::Not | Op::And => stack.extend(term.args()),
            Op::Eq if term.arg(0).sort() == Sort::Bool => stack.extend(term.args()),
            Op::Eq | Op::BvUlt | Op::BvSlt => {
                let (a, b) = (term.arg(0), term.arg(1));
                let compared = match (a.as_const(), b.as_const()) {
                    (None, Some(_)) => a,
                    (Some(_), None) => b,
                    _ => return None,
                };
                let narrow = matches!(compared.sort(), Sort::BitVec(w) if w <= 8);
                let same = word.as_ref().is_none_or(|w| w == compared);
                if !narrow || !same || matches!(compared.op(), Op::Symbol(_)) {
                    return None;
                }
                word = Some(compared.clone());
            }
            _ => return None,
        }
    }
    Some(OnOneWord {
        condition,
        word: word?,
        nodes,
    })
}

impl OnOneWord<'_> {
    /// Whether the condition holds for a value of the word.
    fn holds(&self, value: &BitVec) -> bool {
        let mut known: FxHashMap<u32, BitVec> = FxHashMap::default();
        known.insert(self.word.id(), value.clone());
        for node in PostOrder::new(self.condition) {
            if !self.nodes.contains(&node.id()) {
                continue;
            }
            let operand = |t: &Term| match t.as_const() {
                Some(constant) => constant.clone(),
                None => known[&t.id()].clone(),
            };
            let operands: Vec<BitVec> = node.args().iter().map(operand).collect();
            let operands: Vec<&BitVec> = operands.iter().collect();
            known.insert(node.id(), apply_operator(node.op(), &operands));
        }
        !known[&self.condition.id()].is_zero()
    }
}

/// Positions of terms that contradict each other, because a violated one is about a word whose values are known.
pub fn refute(domains: &DomainStore, terms: &[&Term], violated: &[usize]) -> Option<Vec<usize>> {
    violated.iter().find_map(|&at| {
        let condition = on_one_word(terms[at])?;
        let (values, mut reasons) = domains.values_and_reasons(&condition.word)?;
        let width = condition.word.width();
        let mut all = values.ranges().iter().flat_map(|&(low, high)| low..=high);
        if all.any(|value| condition.holds(&BitVec::new(width, value))) {
            return None;
        }
        reasons.push(at);
        reasons.sort_unstable();
        reasons.dedup();
        Some(reasons)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::TermStore;

    /// The digits of a negative number, as `printf` makes them: which characters each condition can be about.
    #[test]
    fn a_digit_is_no_letter() {
        let s = TermStore::new();
        let x = s.symbol("x", Sort::BitVec(64));
        let ten = s.bv(64, 10);
        let quotient = s.bv_sdiv(&s.bv_sdiv(&x, &ten), &ten);
        let rest = s.bv_srem(&quotient, &ten);
        let digit = s.extract(&s.bv_add(&s.bv_neg(&rest), &s.bv(64, 0x30)), 7, 0);
        let negative = s.bv_slt(&x, &s.bv(64, 0));
        let is = |c: u8| s.eq(&digit, &s.bv(8, c.into()));
        for first in 0..=255u8 {
            let second = first.wrapping_mul(7).wrapping_add(90);
            let goal = s.not(&s.and(&s.not(&is(first)), &s.not(&is(second))));
            let mut domains = DomainStore::new();
            let terms = [&negative, &goal];
            assert_eq!(domains.enter(&terms), None);
            let found = refute(&domains, &terms, &[1]);
            let possible = [first, second].iter().any(u8::is_ascii_digit);
            assert_eq!(found, (!possible).then(|| vec![0, 1]), "{first} {second}");
            // Without the sign the character may also be before the digits.
            let mut domains = DomainStore::new();
            assert_eq!(domains.enter(&[&goal]), None);
            let found = refute(&domains, &[&goal], &[0]);
            let possible = [first, second]
                .iter()
                .any(|c| (b'0' - 9..=b'9').contains(c));
            assert_eq!(found.is_some(), !possible, "{first} {second}");
        }
        // Two words, or an input itself, are left to others.
        let both = s.and(&is(3), &s.eq(&s.extract(&x, 7, 0), &s.bv(8, 3)));
        let mut domains = DomainStore::new();
        assert_eq!(domains.enter(&[&both]), None);
        assert_eq!(refute(&domains, &[&both], &[0]), None);
    }
}
