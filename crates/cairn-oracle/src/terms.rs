//! Random well-sorted expressions.
//!
//! # Idea
//!
//! A sort is asked for; the generator takes an expression of that sort that exists
//! already, or a leaf, or an operator with that result over operands asked for in turn.
//!
//! - **Bounds.** Multiplication, division and what contains them stay narrow unless one operand is
//!   constant, so that every solver finds the queries easy and many can be asked.

use crate::operator::{BINARY, NARY, Operator as O, PREDICATES, WIDEST, mask};
use crate::pool::{Expression, Id, Pool};
use crate::random::{Draw, Random};
use cairn_expr::Sort;

/// What kinds of expressions come out.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Levels of operators over leaves or reused expressions.
    pub depth: u32,
    /// Percentage of operands that are expressions made before.
    pub reuse: usize,
    /// Percentage of leaves that are constants.
    pub constants: usize,
    /// Percentage of bit-vector operators that read arrays; 0 for no arrays at all.
    pub arrays: usize,
    /// Percentage of bit-vector operators that apply functions.
    pub functions: usize,
    /// Whether arrays are compared.
    pub array_equality: bool,
    /// The widest bit-vector chosen freely.
    pub widest: u32,
    /// The widest multiplication and division of two operands that are not constant.
    pub widest_product: u32,
    /// Whether operators come that SMT-LIB does not define but solvers know.
    pub extensions: bool,
    /// Different symbols of each sort.
    pub symbols: usize,
}

impl Shape {
    /// A shape drawn at random.
    pub fn random(r: &mut Random) -> Self {
        Shape {
            depth: r.within(1, 4),
            reuse: r.below(50),
            constants: 10 + r.below(40),
            arrays: *r.pick(&[0, 0, 5, 15]),
            functions: *r.pick(&[0, 0, 0, 8]),
            array_equality: r.chance(20),
            widest: *r.pick(&[4, 8, 8, 16, 32, 64, 64, WIDEST]),
            widest_product: *r.pick(&[4, 5, 6, 8]),
            extensions: true,
            symbols: 1 + r.below(3),
        }
    }

    /// Small enough that all assignments can be tried.
    pub fn tiny(r: &mut Random) -> Self {
        Shape {
            depth: r.within(1, 3),
            arrays: *r.pick(&[0, 0, 0, 10]),
            widest: 3,
            widest_product: 3,
            symbols: 2,
            ..Self::random(r)
        }
    }
}

/// A generator over one pool.
pub struct Generator {
    /// The source of randomness.
    pub random: Random,
    /// What comes out.
    pub shape: Shape,
    /// What was made.
    pub pool: Pool,
}

impl Generator {
    /// A generator of a shape drawn at random.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let shape = Shape::random(&mut random);
        Self::with_shape(random, shape)
    }

    /// A generator of a given shape.
    pub fn with_shape(random: Random, shape: Shape) -> Self {
        Generator {
            random,
            shape,
            pool: Pool::new(),
        }
    }

    /// A width: mostly narrow, else a machine's, else any.
    pub fn width(&mut self) -> u32 {
        let r = &mut self.random;
        let width = match r.below(10) {
            0..=5 => r.within(1, 8),
            6 => 16,
            7 => 32,
            8 => 64,
            _ => r.within(1, self.shape.widest),
        };
        width.min(self.shape.widest)
    }

    /// A value that is likely to be a boundary.
    pub fn value(&mut self, width: u32) -> u128 {
        let r = &mut self.random;
        let power = 1u128 << r.below(width as usize);
        let value = match r.below(12) {
            0 | 1 => 0,
            2 => 1,
            3 => u128::MAX,
            4 => 1 << (width - 1),
            5 => mask(width) >> 1,
            6 => power,
            7 => power.wrapping_sub(1),
            8 => power + 1,
            9 => u128::from(r.below_u64(20)),
            _ => r.wide(),
        };
        value & mask(width)
    }

    /// A Boolean expression.
    pub fn condition(&mut self) -> Id {
        let depth = self.shape.depth;
        self.boolean(depth)
    }

    /// An expression of a sort, at most that deep over leaves and reused expressions.
    pub fn expression(&mut self, sort: Sort, depth: u32) -> Id {
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::BitVec(w) => self.bit_vector(w, depth),
            Sort::Array { index, value } => self.array(index, value, depth),
        }
    }

    fn reused(&mut self, sort: Sort) -> Option<Id> {
        let known = self.pool.of_sort(sort);
        if known.is_empty() || !self.random.chance(self.shape.reuse) {
            return None;
        }
        // Newer expressions are larger.
        let recent = known.len().saturating_sub(24);
        Some(*self.random.pick(&known[recent..]))
    }

    fn leaf(&mut self, sort: Sort) -> Id {
        let n = self.random.below(self.shape.symbols);
        match sort {
            Sort::Bool if self.random.chance(5) => {
                let value = self.random.chance(50);
                self.pool.push(Expression::Bool(value), Sort::Bool)
            }
            Sort::Bool => self.pool.symbol(&format!("p{n}"), sort),
            Sort::BitVec(w) if self.random.chance(self.shape.constants) => {
                let value = self.value(w);
                self.pool.bits(w, value)
            }
            Sort::BitVec(w) => self.pool.symbol(&format!("x{n}_{w}"), sort),
            Sort::Array { index, value } => match self.random.below(8) {
                0 => {
                    let most = if index < 4 { 1 << index } else { 12 };
                    let count = self.random.below_u64(most + 1);
                    let cells = (0..count).map(|_| self.value(value)).collect();
                    let default = self.value(value);
                    self.pool.push(Expression::Table(cells, default), sort)
                }
                1 => {
                    let fill = self.leaf(Sort::BitVec(value));
                    self.pool
                        .apply(O::ConstArray { index, value }, vec![fill], sort)
                }
                _ => self.pool.symbol(&format!("a{n}_{index}_{value}"), sort),
            },
        }
    }

    fn many(&mut self, sort: Sort, depth: u32) -> Vec<Id> {
        let count = *self.random.pick(&[2, 2, 2, 3, 4]);
        (0..count).map(|_| self.expression(sort, depth)).collect()
    }

    fn boolean(&mut self, depth: u32) -> Id {
        let sort = Sort::Bool;
        if let Some(id) = self.reused(sort) {
            return id;
        }
        if depth == 0 || self.random.chance(4) {
            return self.leaf(sort);
        }
        let d = depth - 1;
        let w = self.width();
        let choice = self.random.below(20);
        let (operator, args) = match choice {
            0 => (O::Not, vec![self.boolean(d)]),
            1 | 2 => (O::And, self.many(sort, d)),
            3 | 4 => (O::Or, self.many(sort, d)),
            5 => (O::Xor, self.many(sort, d)),
            6 => (O::Implies, self.many(sort, d)),
            7 => (O::Equal, self.many(sort, d)),
            8 => (
                O::Ite,
                vec![self.boolean(d), self.boolean(d), self.boolean(d)],
            ),
            9 => (O::Distinct, self.many(Sort::BitVec(w), d)),
            10 => (O::BvNego, vec![self.bit_vector(w, d)]),
            11..=13 => {
                let args = vec![self.bit_vector(w, d), self.bit_vector(w, d)];
                (O::Equal, args)
            }
            14 if self.shape.array_equality && self.shape.arrays > 0 => {
                let index = self.random.within(1, 3);
                let value = self.random.within(1, 3);
                let args = vec![self.array(index, value, d), self.array(index, value, d)];
                (O::Equal, args)
            }
            _ => {
                let operator = *self.random.pick(PREDICATES);
                let w = match operator {
                    O::BvUmulo | O::BvSmulo => w.min(self.shape.widest_product),
                    _ => w,
                };
                (operator, vec![self.bit_vector(w, d), self.bit_vector(w, d)])
            }
        };
        self.pool.apply(operator, args, sort)
    }

    fn bit_vector(&mut self, w: u32, depth: u32) -> Id {
        let sort = Sort::BitVec(w);
        if let Some(id) = self.reused(sort) {
            return id;
        }
        if depth == 0 || self.random.chance(8) {
            return self.leaf(sort);
        }
        let d = depth - 1;
        if self.random.chance(self.shape.arrays) {
            return self.read(w, d);
        }
        if self.random.chance(self.shape.functions) {
            let index = self.random.within(1, 8);
            let array = Sort::Array { index, value: w };
            let n = self.random.below(2);
            let function = self.pool.function(&format!("f{n}_{index}_{w}"), array);
            let operand = self.bit_vector(index, d);
            return self.pool.apply(O::Select, vec![function, operand], sort);
        }
        let same = |g: &mut Self| g.bit_vector(w, d);
        let choice = self.random.below(24);
        let (operator, args) = match choice {
            0 => (O::BvNot, vec![same(self)]),
            1 => (O::BvNeg, vec![same(self)]),
            2 => {
                let operator = *self.random.pick(NARY);
                if operator == O::BvMul && w > self.shape.widest_product {
                    (O::BvAdd, self.many(sort, d))
                } else {
                    (operator, self.many(sort, d))
                }
            }
            3 | 4 if w > 1 => self.concatenation(w, d),
            5 | 6 => {
                let extra = self.random.below((WIDEST - w).min(9) as usize + 1) as u32;
                let lo = self.random.below(extra as usize + 1) as u32;
                let from = self.bit_vector(w + extra, d);
                (O::Extract { hi: lo + w - 1, lo }, vec![from])
            }
            7 | 8 => {
                let extra = self.random.below(w as usize) as u32;
                let from = self.bit_vector(w - extra, d);
                let signed = self.random.chance(50);
                let operator = if signed {
                    O::SignExtend(extra)
                } else {
                    O::ZeroExtend(extra)
                };
                (operator, vec![from])
            }
            9 => {
                let n = self.random.below(2 * w as usize) as u32;
                let left = self.random.chance(50);
                (
                    if left {
                        O::RotateLeft(n)
                    } else {
                        O::RotateRight(n)
                    },
                    vec![same(self)],
                )
            }
            10 => {
                let divisors: Vec<u32> = (1..=w).filter(|n| w.is_multiple_of(*n)).collect();
                let n = *self.random.pick(&divisors);
                (O::Repeat(n), vec![self.bit_vector(w / n, d)])
            }
            11 | 12 => (O::Ite, vec![self.boolean(d), same(self), same(self)]),
            13 if w == 1 => {
                let from = self.width();
                (
                    O::BvComp,
                    vec![self.bit_vector(from, d), self.bit_vector(from, d)],
                )
            }
            14 if w == 1 => {
                let from = self.width();
                let all = self.random.chance(50);
                (
                    if all { O::BvRedand } else { O::BvRedor },
                    vec![self.bit_vector(from, d)],
                )
            }
            _ => self.binary(w, d),
        };
        self.pool.apply(operator, args, sort)
    }

    fn concatenation(&mut self, w: u32, d: u32) -> (O, Vec<Id>) {
        let mut left = w;
        let mut args = Vec::new();
        while left > 0 {
            let most = if args.is_empty() { left - 1 } else { left };
            let part = if args.len() >= 2 {
                left
            } else {
                self.random.within(1, most)
            };
            args.push(self.bit_vector(part, d));
            left -= part;
        }
        (O::Concat, args)
    }

    fn binary(&mut self, w: u32, d: u32) -> (O, Vec<Id>) {
        let operator = match *self.random.pick(BINARY) {
            O::ExtRotateLeft | O::ExtRotateRight if !self.shape.extensions => O::BvNor,
            operator => operator,
        };
        let sort = Sort::BitVec(w);
        let hard = match operator {
            O::BvMul | O::BvUdiv | O::BvUrem | O::BvSdiv | O::BvSrem | O::BvSmod => true,
            // A width that is no power of two needs a remainder by it.
            O::ExtRotateLeft | O::ExtRotateRight => !w.is_power_of_two() && w > 12,
            _ => false,
        };
        if !hard || w <= self.shape.widest_product {
            return (operator, vec![self.bit_vector(w, d), self.bit_vector(w, d)]);
        }
        if operator != O::BvMul && w > 16 {
            return (O::BvSub, vec![self.bit_vector(w, d), self.bit_vector(w, d)]);
        }
        // Wide: one operand is constant.
        let value = self.value(w);
        let constant = self.pool.bits(w, value);
        let other = self.expression(sort, d);
        let swap = operator == O::BvMul && self.random.chance(50);
        (
            operator,
            if swap {
                vec![constant, other]
            } else {
                vec![other, constant]
            },
        )
    }

    fn read(&mut self, w: u32, d: u32) -> Id {
        let index = match self.random.below(8) {
            0 => 32,
            1 => 8,
            _ => self.random.within(1, 5),
        };
        let array = self.array(index, w, d.min(3));
        let at = self.bit_vector(index, d);
        self.pool.apply(O::Select, vec![array, at], Sort::BitVec(w))
    }

    fn array(&mut self, index: u32, value: u32, depth: u32) -> Id {
        let sort = Sort::Array { index, value };
        if let Some(id) = self.reused(sort) {
            return id;
        }
        if depth == 0 || self.random.chance(20) {
            return self.leaf(sort);
        }
        let d = depth - 1;
        let (operator, args) = if self.random.chance(20) {
            let args = vec![
                self.boolean(d),
                self.array(index, value, d),
                self.array(index, value, d),
            ];
            (O::Ite, args)
        } else {
            let args = vec![
                self.array(index, value, d),
                self.bit_vector(index, d),
                self.bit_vector(value, d),
            ];
            (O::Store, args)
        };
        self.pool.apply(operator, args, sort)
    }
}
