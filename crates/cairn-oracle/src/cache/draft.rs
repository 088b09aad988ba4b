//! Random recipes: step by step, from conditions down to leaves.

use super::recipe::{Comparison, KINDS, LeafSort, Recipe, Step, WordOperator};
use crate::random::{Draw, Random};

/// The most unknown bits of a query.
const MOST_BITS: u32 = 11;

fn object(r: &mut Random) -> LeafSort {
    LeafSort::Object {
        capacity: *r.pick(&[16, 16, 16, 24, 32]),
        alignment: *r.pick(&[16, 16, 16, 8, 32]),
        kind: *r.pick(&KINDS),
    }
}

/// Makes a recipe step by step.
struct Draft<'r> {
    r: &'r mut Random,
    recipe: Recipe,
    words: Vec<usize>,
    truths: Vec<usize>,
    arrays: Vec<usize>,
    objects: Vec<usize>,
}

impl Recipe {
    /// Some inputs in a strict order above zero: whether there is room for them depends on their widths alone.
    fn ladder(r: &mut Random) -> Recipe {
        let mut steps: Vec<Step> = (0..4).map(|leaf| Step::Input { leaf, width: 8 }).collect();
        steps.push(Step::Number { width: 8, value: 0 });
        let pairs = [(4, 0), (0, 1), (1, 2), (2, 3)];
        let order = pairs.map(|(a, b)| Step::Compare(Comparison::Less, a, b));
        steps.extend(order);
        let last = if r.chance(70) { 2 } else { 3 };
        Recipe {
            leaves: [2, 2, 2, last].map(LeafSort::Word).to_vec(),
            steps,
            conjuncts: (5..9).collect(),
        }
    }

    /// A random query, about objects more often than not.
    pub fn random(r: &mut Random) -> Recipe {
        if r.chance(8) {
            return Recipe::ladder(r);
        }
        let mut recipe = Recipe {
            leaves: Vec::new(),
            steps: Vec::new(),
            conjuncts: Vec::new(),
        };
        for _ in 0..r.within(1, 3) {
            recipe.leaves.push(LeafSort::Word(r.within(2, 3)));
        }
        if r.chance(60) {
            recipe.leaves.push(LeafSort::Truth);
        }
        if r.chance(15) && recipe.bits() + 8 <= MOST_BITS {
            recipe.leaves.push(LeafSort::Array);
        }
        let first = object(r);
        for _ in 0..*r.pick(&[0, 1, 2, 2, 3, 3]) {
            // Mostly of one size, so that they can be taken for each other.
            let sort = if r.chance(70) { first } else { object(r) };
            recipe.leaves.push(sort);
        }
        let of = |wanted: fn(&LeafSort) -> bool| -> Vec<usize> {
            let all = recipe.leaves.iter().enumerate();
            all.filter(|(_, leaf)| wanted(leaf))
                .map(|(at, _)| at)
                .collect()
        };
        let mut draft = Draft {
            words: of(|l| matches!(l, LeafSort::Word(_))),
            truths: of(|l| matches!(l, LeafSort::Truth)),
            arrays: of(|l| matches!(l, LeafSort::Array)),
            objects: of(|l| matches!(l, LeafSort::Object { .. })),
            r,
            recipe,
        };
        for _ in 0..draft.r.within(2, 5) {
            let condition = draft.condition(2);
            draft.recipe.conjuncts.push(condition);
        }
        draft.recipe
    }
}

impl Draft<'_> {
    fn push(&mut self, step: Step) -> usize {
        self.recipe.steps.push(step);
        self.recipe.steps.len() - 1
    }

    fn number(&mut self, width: u32) -> usize {
        let value = match width {
            64 => *self
                .r
                .pick(&[0, 1, 4, 8, 15, 16, 24, 31, 32, 64, 96, u64::MAX]),
            _ => self.r.below_u64(10),
        };
        self.push(Step::Number { width, value })
    }

    fn input(&mut self, width: u32) -> usize {
        let leaf = *self.r.pick(&self.words);
        self.push(Step::Input { leaf, width })
    }

    /// A word of 8 bits.
    fn byte(&mut self, depth: u32) -> usize {
        match self.r.below(8) {
            _ if depth == 0 => self.input(8),
            0 | 1 => self.input(8),
            2 => self.number(8),
            3 if !self.arrays.is_empty() => {
                let index = self.byte(depth - 1);
                let leaf = *self.r.pick(&self.arrays);
                self.push(Step::Element { leaf, index })
            }
            4 => {
                let word = self.word(depth - 1);
                self.push(Step::Low(word))
            }
            5 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.byte(depth - 1), self.byte(depth - 1));
                self.push(Step::Choice(condition, a, b))
            }
            _ => {
                let operator = *self.r.pick(&[
                    WordOperator::Add,
                    WordOperator::Sub,
                    WordOperator::Mul,
                    WordOperator::And,
                    WordOperator::Or,
                    WordOperator::Xor,
                    WordOperator::Div,
                    WordOperator::Rem,
                    WordOperator::Shift,
                ]);
                let a = self.byte(depth - 1);
                let b = if self.r.chance(50) {
                    self.number(8)
                } else {
                    self.byte(depth - 1)
                };
                self.push(Step::Binary(operator, a, b))
            }
        }
    }

    fn binary(&mut self, operator: WordOperator, a: usize, b: usize) -> usize {
        self.push(Step::Binary(operator, a, b))
    }

    /// A pointer, or null.
    fn pointer(&mut self, depth: u32) -> usize {
        if self.objects.is_empty() {
            return self.word(depth);
        }
        match self.r.below(12) {
            8 if depth > 0 => {
                let base = self.pointer(depth - 1);
                let (index, size) = (self.input(64), self.number(64));
                let offset = self.binary(WordOperator::Mul, index, size);
                self.binary(WordOperator::Add, base, offset)
            }
            6 | 7 => {
                let base = self.pointer(depth.saturating_sub(1));
                let by = self.number(64);
                self.binary(WordOperator::Add, base, by)
            }
            3..=5 if depth > 0 => {
                let condition = self.condition(0);
                let (a, b) = (self.pointer(depth - 1), self.pointer(depth - 1));
                self.push(Step::Choice(condition, a, b))
            }
            9 | 10 if depth > 0 => {
                let index = self.byte(0);
                let entries = [(); 4].map(|()| self.pointer(depth - 1));
                self.push(Step::Entry { index, entries })
            }
            11 => self.push(Step::Number {
                width: 64,
                value: 0,
            }),
            _ => {
                let leaf = *self.r.pick(&self.objects);
                self.push(Step::Object { leaf })
            }
        }
    }

    /// A word of 64 bits: often one that looks at where objects are.
    fn word(&mut self, depth: u32) -> usize {
        if depth == 0 || self.objects.is_empty() {
            let byte = self.byte(depth.saturating_sub(1));
            return self.push(Step::Wide(byte));
        }
        let a = self.pointer(depth - 1);
        let (operator, b) = match self.r.below(8) {
            0..=3 => (WordOperator::Sub, self.pointer(depth - 1)),
            4 => (WordOperator::And, self.number(64)),
            5 => (WordOperator::Rem, self.number(64)),
            6 => (
                WordOperator::Shift,
                self.push(Step::Number {
                    width: 64,
                    value: 4,
                }),
            ),
            _ => (WordOperator::Xor, self.pointer(depth - 1)),
        };
        self.binary(operator, a, b)
    }

    fn condition(&mut self, depth: u32) -> usize {
        let below = depth.saturating_sub(1);
        match self.r.below(20) {
            0 | 1 if !self.truths.is_empty() => {
                let leaf = *self.r.pick(&self.truths);
                self.push(Step::Truth { leaf })
            }
            2..=4 if depth > 0 => {
                let one = self.condition(below);
                self.push(Step::Not(one))
            }
            5 | 6 if depth > 0 => {
                let (a, b) = (self.condition(below), self.condition(below));
                self.push(Step::Both(a, b))
            }
            7..=11 if !self.objects.is_empty() => {
                let (a, b) = (self.pointer(depth), self.pointer(below));
                let comparison = self.comparison(85);
                self.push(Step::Compare(comparison, a, b))
            }
            12..=14 if !self.objects.is_empty() => {
                let (a, b) = (self.word(depth), self.number(64));
                let comparison = self.comparison(50);
                self.push(Step::Compare(comparison, a, b))
            }
            _ => {
                let a = self.byte(depth);
                let b = if self.r.chance(50) {
                    self.number(8)
                } else {
                    self.byte(below)
                };
                let comparison = self.comparison(40);
                self.push(Step::Compare(comparison, a, b))
            }
        }
    }

    /// Equality this often.
    fn comparison(&mut self, percent: usize) -> Comparison {
        match self.r.chance(percent) {
            true => Comparison::Equal,
            false => *self.r.pick(&[Comparison::Less, Comparison::SignedLess]),
        }
    }
}
