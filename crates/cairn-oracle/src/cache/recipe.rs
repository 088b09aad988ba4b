//! Queries as recipes: what is computed from leaves that have no names yet, so that the same query can be made with others.
//!
//! Inputs are so narrow that all their values can be tried, by an evaluation of its own.

use crate::random::Random;
use cairn_expr::{Base, BaseKind, Sort, Term, TermStore};

/// What a leaf is. Renamings keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafSort {
    /// An input of so many bits.
    Word(u32),
    /// A Boolean input.
    Truth,
    /// An array of inputs: four elements of two bits.
    Array,
    /// Where an object begins.
    Object {
        capacity: u64,
        alignment: u64,
        kind: BaseKind,
    },
}

impl LeafSort {
    /// Bits that are unknown of it.
    fn bits(self) -> u32 {
        match self {
            LeafSort::Word(width) => width,
            LeafSort::Truth => 1,
            LeafSort::Array => 8,
            LeafSort::Object { .. } => 0,
        }
    }
}

/// Operators on two words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOperator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Div,
    Rem,
    Shift,
}

/// Comparisons of two words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Less,
    SignedLess,
}

/// A step; operands are numbers of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An input, extended to so many bits.
    Input {
        leaf: usize,
        width: u32,
    },
    /// A Boolean input.
    Truth {
        leaf: usize,
    },
    /// The element of an array of inputs at an index of which the low bits count, extended to 8 bits.
    Element {
        leaf: usize,
        index: usize,
    },
    /// Where an object begins.
    Object {
        leaf: usize,
    },
    /// A number.
    Number {
        width: u32,
        value: u64,
    },
    /// The low 8 bits of a word.
    Low(usize),
    /// A word of 8 bits, extended to 64.
    Wide(usize),
    Binary(WordOperator, usize, usize),
    Choice(usize, usize, usize),
    /// The entry at an index of which the low two bits count.
    Entry {
        index: usize,
        entries: [usize; 4],
    },
    Compare(Comparison, usize, usize),
    Not(usize),
    Both(usize, usize),
}

/// A query without names.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub leaves: Vec<LeafSort>,
    pub steps: Vec<Step>,
    /// The conditions that should hold together, the goal last.
    pub conjuncts: Vec<usize>,
}

/// Names of leaves: of inputs a number, of objects where they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeafName {
    Input(u64),
    Object(Base),
}

/// Where objects live.
pub(super) const KINDS: [BaseKind; 3] = [BaseKind::Heap, BaseKind::Stack, BaseKind::Global];

impl Recipe {
    /// Bits that are unknown.
    pub fn bits(&self) -> u32 {
        self.leaves.iter().map(|leaf| leaf.bits()).sum()
    }

    /// Whether an object occurs.
    pub fn has_objects(&self) -> bool {
        let is_object = |step: &Step| matches!(step, Step::Object { .. });
        self.steps.iter().any(is_object)
    }

    /// A recipe that differs in one thing; the same if the draw has no place in it.
    pub fn nearly(&self, r: &mut Random) -> Recipe {
        let mut other = self.clone();
        let at = r.below(other.steps.len());
        match r.below(9) {
            // A size, an alignment, a kind, a width.
            0 | 1 => {
                let leaf = r.below(other.leaves.len());
                match &mut other.leaves[leaf] {
                    LeafSort::Word(width) => *width = 5 - *width,
                    LeafSort::Object { capacity, .. } if r.chance(40) => *capacity += 8,
                    LeafSort::Object { alignment, .. } if r.chance(60) => {
                        *alignment = if *alignment == 16 { 32 } else { 16 };
                    }
                    LeafSort::Object { kind, .. } => *kind = *r.pick(&KINDS),
                    LeafSort::Truth | LeafSort::Array => {}
                }
            }
            // One more or one less leaf that is shared.
            2..=4 => {
                let leaf = match &other.steps[at] {
                    Step::Input { leaf, .. } | Step::Object { leaf } | Step::Truth { leaf } => {
                        *leaf
                    }
                    _ => return other,
                };
                let alike: Vec<usize> = (0..other.leaves.len())
                    .filter(|l| *l != leaf && other.leaves[*l] == other.leaves[leaf])
                    .collect();
                if alike.is_empty() {
                    return other;
                }
                let chosen = *r.pick(&alike);
                match &mut other.steps[at] {
                    Step::Input { leaf, .. } | Step::Object { leaf } | Step::Truth { leaf } => {
                        *leaf = chosen;
                    }
                    _ => {}
                }
            }
            5 => other.change_number(r),
            6 => match &mut other.steps[at] {
                Step::Binary(_, a, b) | Step::Compare(_, a, b) => std::mem::swap(a, b),
                Step::Choice(_, a, b) => std::mem::swap(a, b),
                Step::Entry { entries, .. } => entries.rotate_left(1),
                _ => {}
            },
            7 => match &mut other.steps[at] {
                Step::Compare(comparison, ..) => {
                    *comparison =
                        *r.pick(&[Comparison::Equal, Comparison::Less, Comparison::SignedLess]);
                }
                Step::Binary(operator, ..) => {
                    *operator = *r.pick(&[WordOperator::Add, WordOperator::Sub, WordOperator::Xor]);
                }
                _ => {}
            },
            _ => {
                let at = r.below(other.conjuncts.len());
                other.conjuncts.swap_remove(at);
            }
        }
        other
    }

    fn change_number(&mut self, r: &mut Random) {
        let numbers = self.steps.iter_mut().filter_map(|step| match step {
            Step::Number { value, width } => Some((value, *width)),
            _ => None,
        });
        let mut numbers: Vec<(&mut u64, u32)> = numbers.collect();
        if !numbers.is_empty() {
            let at = r.below(numbers.len());
            let (value, width) = &mut numbers[at];
            **value = (**value).wrapping_add(*r.pick(&[1, 8, 16, u64::MAX])) & mask(*width);
        }
    }

    /// Fresh names: inputs that no other query has, and objects at other places, in another order.
    pub fn names(&self, r: &mut Random) -> Vec<LeafName> {
        let first = r.below_u64(1 << 20);
        let leaves = self.leaves.iter().zip(0..);
        let name = |(leaf, number): (&LeafSort, u64)| match *leaf {
            LeafSort::Word(_) | LeafSort::Truth | LeafSort::Array => {
                LeafName::Input(first + number)
            }
            LeafSort::Object {
                capacity,
                alignment,
                kind,
            } => {
                // So few places that objects are neighbours, share a place one after the other, or are in any order.
                let place = r.below_u64(8) * *r.pick(&[32, 32, 96]);
                LeafName::Object(Base {
                    birth: first + number,
                    address: ((1 << 42) + place).next_multiple_of(alignment),
                    capacity,
                    alignment,
                    kind,
                })
            }
        };
        leaves.map(name).collect()
    }

    /// The conditions as terms.
    pub fn terms(&self, s: &TermStore, names: &[LeafName]) -> Vec<Term> {
        let mut made: Vec<Term> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let term = self.term(s, names, step, &made);
            made.push(term);
        }
        self.conjuncts.iter().map(|c| made[*c].clone()).collect()
    }

    fn symbol(&self, s: &TermStore, names: &[LeafName], leaf: usize) -> Term {
        let sort = match self.leaves[leaf] {
            LeafSort::Word(width) => Sort::BitVec(width),
            LeafSort::Truth => Sort::Bool,
            LeafSort::Array => Sort::Array { index: 2, value: 2 },
            LeafSort::Object { .. } => Sort::BitVec(64),
        };
        match &names[leaf] {
            LeafName::Input(number) => s.symbol(&format!("x{number}"), sort),
            LeafName::Object(base) => s.base(base.clone()),
        }
    }

    fn term(&self, s: &TermStore, names: &[LeafName], step: &Step, made: &[Term]) -> Term {
        let leaf = |leaf: &usize| self.symbol(s, names, *leaf);
        let of = |at: &usize| &made[*at];
        match step {
            Step::Input { leaf: at, width } => {
                let word = leaf(at);
                s.zero_extend(&word, width - word.width())
            }
            Step::Truth { leaf: at } | Step::Object { leaf: at } => leaf(at),
            Step::Element { leaf: at, index } => {
                let element = s.select(&leaf(at), &s.extract(of(index), 1, 0));
                s.zero_extend(&element, 6)
            }
            Step::Number { width, value } => s.bv(*width, *value),
            Step::Low(word) => s.extract(of(word), 7, 0),
            Step::Wide(word) => s.zero_extend(of(word), 56),
            Step::Binary(operator, a, b) => {
                let (a, b) = (of(a), of(b));
                match operator {
                    WordOperator::Add => s.bv_add(a, b),
                    WordOperator::Sub => s.bv_sub(a, b),
                    WordOperator::Mul => s.bv_mul(a, b),
                    WordOperator::And => s.bv_and(a, b),
                    WordOperator::Or => s.bv_or(a, b),
                    WordOperator::Xor => s.bv_xor(a, b),
                    WordOperator::Div => s.bv_udiv(a, b),
                    WordOperator::Rem => s.bv_urem(a, b),
                    WordOperator::Shift => s.bv_lshr(a, b),
                }
            }
            Step::Choice(c, a, b) => s.ite(of(c), of(a), of(b)),
            Step::Entry { index, entries } => {
                let table = s.const_array(2, &s.bv(64, 0));
                let stores = entries.iter().zip(0..);
                let table = stores.fold(table, |table, (entry, i)| {
                    s.store(&table, &s.bv(2, i), of(entry))
                });
                s.select(&table, &s.extract(of(index), 1, 0))
            }
            Step::Compare(comparison, a, b) => match comparison {
                Comparison::Equal => s.eq(of(a), of(b)),
                Comparison::Less => s.bv_ult(of(a), of(b)),
                Comparison::SignedLess => s.bv_slt(of(a), of(b)),
            },
            Step::Not(a) => s.not(of(a)),
            Step::Both(a, b) => s.and(of(a), of(b)),
        }
    }

    /// For each assignment of the inputs: which conditions hold, as bits, the first lowest.
    pub fn all_outcomes(&self, names: &[LeafName]) -> Vec<u32> {
        let widths = self.widths();
        let mut values = vec![0_u64; self.steps.len()];
        let outcomes = (0..1_u64 << self.bits()).map(|word| {
            let mut rest = word;
            let inputs: Vec<u64> = self
                .leaves
                .iter()
                .zip(names)
                .map(|(leaf, name)| match name {
                    LeafName::Object(base) => base.address,
                    LeafName::Input(_) => {
                        let value = rest & mask(leaf.bits());
                        rest >>= leaf.bits();
                        value
                    }
                })
                .collect();
            for (at, step) in self.steps.iter().enumerate() {
                values[at] = value(step, &inputs, &values, &widths);
            }
            let conjuncts = self.conjuncts.iter().enumerate();
            conjuncts.fold(0, |bits, (i, c)| bits | (values[*c] as u32) << i)
        });
        outcomes.collect()
    }

    /// The width of each step; 1 for truth values.
    fn widths(&self) -> Vec<u32> {
        let mut widths: Vec<u32> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            widths.push(match step {
                Step::Input { width, .. } | Step::Number { width, .. } => *width,
                Step::Element { .. } | Step::Low(_) => 8,
                Step::Object { .. } | Step::Wide(_) | Step::Entry { .. } => 64,
                Step::Binary(_, a, _) | Step::Choice(_, a, _) => widths[*a],
                Step::Truth { .. } | Step::Compare(..) | Step::Not(_) | Step::Both(..) => 1,
            });
        }
        widths
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The value of a step: what SMT-LIB says of its operator.
fn value(step: &Step, inputs: &[u64], values: &[u64], widths: &[u32]) -> u64 {
    match step {
        Step::Input { leaf, .. } | Step::Truth { leaf } | Step::Object { leaf } => inputs[*leaf],
        Step::Element { leaf, index } => inputs[*leaf] >> (2 * (values[*index] & 3)) & 3,
        Step::Number { value, .. } => *value,
        Step::Low(a) => values[*a] & 0xff,
        Step::Wide(a) => values[*a],
        Step::Binary(operator, a, b) => {
            let width = widths[*a];
            let (a, b) = (values[*a], values[*b]);
            mask(width)
                & match operator {
                    WordOperator::Add => a.wrapping_add(b),
                    WordOperator::Sub => a.wrapping_sub(b),
                    WordOperator::Mul => a.wrapping_mul(b),
                    WordOperator::And => a & b,
                    WordOperator::Or => a | b,
                    WordOperator::Xor => a ^ b,
                    WordOperator::Div => a.checked_div(b).unwrap_or(u64::MAX),
                    WordOperator::Rem => a.checked_rem(b).unwrap_or(a),
                    WordOperator::Shift if b >= u64::from(width) => 0,
                    WordOperator::Shift => a >> b,
                }
        }
        Step::Choice(c, a, b) => values[if values[*c] == 1 { *a } else { *b }],
        Step::Entry { index, entries } => values[entries[values[*index] as usize & 3]],
        Step::Compare(comparison, a, b) => {
            let up = 64 - widths[*a];
            let (a, b) = (values[*a], values[*b]);
            u64::from(match comparison {
                Comparison::Equal => a == b,
                Comparison::Less => a < b,
                Comparison::SignedLess => ((a << up).cast_signed()) < (b << up).cast_signed(),
            })
        }
        Step::Not(a) => 1 - values[*a],
        Step::Both(a, b) => values[*a] & values[*b],
    }
}
