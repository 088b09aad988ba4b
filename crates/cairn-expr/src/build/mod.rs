//! The canonical constructors.
//!
//! Every term is made here, one function per operator, and each applies the rules of `rules.rs`
//! that start at its operator until none matches. A rule looks only a fixed number of levels
//! down. Rules that follow a chain do so in a loop; where one can lead into another (an
//! extraction below a sign extension of a concatenation of …) the nesting is counted and ends at
//! [`MAX_NESTING`], so building a term of any depth needs constant stack. The count starts at
//! zero with every call from outside: what is built depends on the operands alone. No rule looks
//! at a model.
//!
//! Operands must have the right sorts: callers that take input from outside check with
//! [`crate::Op::result_sort`] first. Constructors assert in debug builds.

mod arith;
mod array;
mod bits;
mod boolean;
mod compare;
mod derived;
mod ite;
mod quotient;
mod shift;
mod structure;
mod table;

pub(crate) use table::KnownComparisons;

use crate::term::Args;
use crate::{Base, Op, Rule, Sort, SortError, Symbol, Term, TermStore, apply_operator};
use cairn_bv::BitVec;
use smallvec::smallvec;
use std::cell::Cell;
use std::sync::Arc;

/// How deep rules may lead into one another before a term is left as it stands.
const MAX_NESTING: u32 = 32;

/// One level of nesting, until it is dropped.
struct Nested<'a>(&'a Cell<u32>);

impl Drop for Nested<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl TermStore {
    /// Goes one level deeper, unless that is too deep.
    fn nest(&self) -> Option<Nested<'_>> {
        let depth = self.nesting.get();
        (depth < MAX_NESTING).then(|| {
            self.nesting.set(depth + 1);
            Nested(&self.nesting)
        })
    }

    /// A bit-vector constant.
    pub fn constant(&self, value: BitVec) -> Term {
        let sort = Sort::BitVec(value.width());
        self.intern(Op::Const(value), Args::new(), sort)
    }

    /// A bit-vector constant of at most 64 significant bits.
    pub fn bv(&self, width: u32, value: u64) -> Term {
        self.constant(BitVec::new(width, value))
    }

    /// A Boolean constant.
    pub fn bool(&self, value: bool) -> Term {
        if value { self.true_() } else { self.false_() }
    }

    /// The address at which an object begins, as a constant that no rule computes with.
    pub fn base(&self, base: Base) -> Term {
        self.intern(Op::Base(base.into()), Args::new(), Sort::BitVec(64))
    }

    /// A free symbol that has only a name. The same name and sort give the same term.
    pub fn symbol(&self, name: &str, sort: Sort) -> Term {
        self.free(Symbol::Named(name.into()), sort)
    }

    /// A free symbol. The same symbol and sort give the same term.
    pub fn free(&self, symbol: impl Into<Arc<Symbol>>, sort: Sort) -> Term {
        self.intern(Op::Symbol(symbol.into()), Args::new(), sort)
    }

    /// The term of `op` over `args`, after checking their sorts.
    pub fn apply(&self, op: &Op, args: &[Term]) -> Result<Term, SortError> {
        let sorts: Vec<Sort> = args.iter().map(Term::sort).collect();
        op.result_sort(&sorts)?;
        Ok(self.apply_unchecked(op, args))
    }

    /// A term with the operator of `term` over other operands of the same sorts.
    pub fn rebuild(&self, term: &Term, args: &[Term]) -> Term {
        match term.op() {
            Op::Bool(_) | Op::Const(_) | Op::Base(_) | Op::Symbol(_) | Op::Table(_) => term.clone(),
            op => self.apply_unchecked(op, args),
        }
    }

    fn apply_unchecked(&self, op: &Op, args: &[Term]) -> Term {
        let a = || &args[0];
        let b = || &args[1];
        match op {
            Op::Bool(v) => self.bool(*v),
            Op::Const(v) => self.constant(v.clone()),
            Op::Base(base) => self.base((**base).clone()),
            Op::Symbol(_) => panic!("a symbol is made with its sort"),
            Op::Table(t) => self.table(t.as_ref().clone()),
            Op::Not => self.not(a()),
            Op::And => self.and(a(), b()),
            Op::Eq => self.eq(a(), b()),
            Op::Ite => self.ite(a(), b(), &args[2]),
            Op::BvNot => self.bv_not(a()),
            Op::BvNeg => self.bv_neg(a()),
            Op::BvAnd => self.bv_and(a(), b()),
            Op::BvOr => self.bv_or(a(), b()),
            Op::BvXor => self.bv_xor(a(), b()),
            Op::BvAdd => self.bv_add(a(), b()),
            Op::BvMul => self.bv_mul(a(), b()),
            Op::BvUdiv => self.bv_udiv(a(), b()),
            Op::BvUrem => self.bv_urem(a(), b()),
            Op::BvSdiv => self.bv_sdiv(a(), b()),
            Op::BvSrem => self.bv_srem(a(), b()),
            Op::BvSmod => self.bv_smod(a(), b()),
            Op::BvShl => self.bv_shl(a(), b()),
            Op::BvLshr => self.bv_lshr(a(), b()),
            Op::BvAshr => self.bv_ashr(a(), b()),
            Op::Concat => self.concat(a(), b()),
            Op::Extract { hi, lo } => self.extract(a(), *hi, *lo),
            Op::ZeroExtend(n) => self.zero_extend(a(), *n),
            Op::SignExtend(n) => self.sign_extend(a(), *n),
            Op::BvUlt => self.bv_ult(a(), b()),
            Op::BvSlt => self.bv_slt(a(), b()),
            Op::ConstArray { index } => self.const_array(*index, a()),
            Op::Select => self.select(a(), b()),
            Op::Store => self.store(a(), b(), &args[2]),
        }
    }

    /// Interns `op` over `args` once no rule applies.
    fn node(&self, op: Op, args: Args) -> Term {
        let sorts: smallvec::SmallVec<[Sort; 3]> = args.iter().map(Term::sort).collect();
        let sort = match op.result_sort(&sorts) {
            Ok(sort) => sort,
            Err(e) => panic!("constructor called with wrong sorts: {e}"),
        };
        self.intern(op, args, sort)
    }

    fn unary(&self, op: Op, a: &Term) -> Term {
        self.node(op, smallvec![a.clone()])
    }

    fn binary(&self, op: Op, a: &Term, b: &Term) -> Term {
        self.node(op, smallvec![a.clone(), b.clone()])
    }

    fn commutative(&self, op: Op, a: &Term, b: &Term) -> Term {
        if a.canonical_cmp(b).is_le() {
            self.binary(op, a, b)
        } else {
            self.binary(op, b, a)
        }
    }

    /// Folds constants, and lifts an if-then-else between constants out of a unary operator.
    fn fold_unary(&self, op: &Op, a: &Term) -> Option<Term> {
        if let Some(c) = a.as_const() {
            return Some(self.constant(apply_operator(op, &[c])));
        }
        let (cond, c, d) = const_ite(a)?;
        self.fired(Rule::LiftConstIteUnary);
        let then = self.constant(apply_operator(op, &[c]));
        let otherwise = self.constant(apply_operator(op, &[d]));
        Some(self.ite(cond, &then, &otherwise))
    }

    /// The same for an operator of two bit-vectors, one of them constant.
    fn fold_binary(&self, op: &Op, a: &Term, b: &Term) -> Option<Term> {
        let result = |x: &BitVec, y: &BitVec| {
            let value = apply_operator(op, &[x, y]);
            match op {
                Op::Eq | Op::BvUlt | Op::BvSlt => self.bool(value.is_one()),
                _ => self.constant(value),
            }
        };
        match (a.as_const(), b.as_const()) {
            (Some(x), Some(y)) => Some(result(x, y)),
            (None, Some(y)) => {
                let (cond, c, d) = const_ite(a)?;
                self.fired(Rule::LiftConstIteBinary);
                Some(self.ite(cond, &result(c, y), &result(d, y)))
            }
            (Some(x), None) => {
                let (cond, c, d) = const_ite(b)?;
                self.fired(Rule::LiftConstIteBinary);
                Some(self.ite(cond, &result(x, c), &result(x, d)))
            }
            (None, None) => None,
        }
    }
}

/// Matches `(ite cond c d)` with constants `c`, `d`.
fn const_ite(t: &Term) -> Option<(&Term, &BitVec, &BitVec)> {
    if !matches!(t.op(), Op::Ite) {
        return None;
    }
    Some((t.arg(0), t.arg(1).as_const()?, t.arg(2).as_const()?))
}

/// Matches `(op x c)`: the operand that is not constant and the constant, which stands second.
fn with_const<'a>(t: &'a Term, op: &Op) -> Option<(&'a Term, &'a BitVec)> {
    if t.op() != op {
        return None;
    }
    Some((t.arg(0), t.arg(1).as_const()?))
}

/// Whether `b` is `(op a)` for a unary operator.
fn is_op_of(b: &Term, op: &Op, a: &Term) -> bool {
    b.op() == op && b.arg(0) == a
}

/// Whether one is `(op other)`.
fn are_complements(a: &Term, b: &Term, op: &Op) -> bool {
    is_op_of(a, op, b) || is_op_of(b, op, a)
}

/// Whether the largest value of a term is less than a constant.
fn is_below(t: &Term, c: &BitVec) -> bool {
    t.width() <= 64 && c.to_u64().is_some_and(|c| t.attributes().largest < c)
}

/// Whether the sign bit is known from the term's shape.
fn known_sign(t: &Term) -> Option<bool> {
    let width = t.width();
    if width <= 64 && t.attributes().largest >> (width - 1) == 0 {
        return Some(false);
    }
    match t.op() {
        Op::Const(c) => Some(c.msb()),
        Op::ZeroExtend(_) => Some(false),
        Op::Concat => t.arg(0).as_const().map(BitVec::msb),
        _ => None,
    }
}
