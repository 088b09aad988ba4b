//! The operators of SMT-LIB's theories of Booleans, bit-vectors and arrays.
//!
//! # Problem
//!
//! Canonical terms have a third of the operators. An error in expressing the others by them would be the
//! same on both sides of a comparison of terms, and so go unseen.
//!
//! # Idea
//!
//! Tests are generated in SMT-LIB's own vocabulary. From it come a term, a text, and a
//! value by [`Operator::meaning`], which uses machine arithmetic only and no code of Cairn.
//!
//! # Soundness
//!
//! Values use no code of Cairn, so an error in its constructors, printer or reader cannot be on both sides.

use cairn_expr::{BitVec, Sort, Term, TermStore};
use std::collections::BTreeMap;

/// The widest bit-vector that [`Operator::meaning`] computes with.
pub const WIDEST: u32 = 100;

/// An operator as SMT-LIB has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // Their names are SMT-LIB's.
pub enum Operator {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equal,
    Distinct,
    Ite,
    BvNot,
    BvNeg,
    BvRedor,
    BvRedand,
    BvNego,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvMul,
    BvNand,
    BvNor,
    BvXnor,
    BvSub,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvUgt,
    BvUge,
    BvSlt,
    BvSle,
    BvSgt,
    BvSge,
    BvComp,
    BvUaddo,
    BvSaddo,
    BvUsubo,
    BvSsubo,
    BvUmulo,
    BvSmulo,
    BvSdivo,
    ExtRotateLeft,
    ExtRotateRight,
    Concat,
    Extract { hi: u32, lo: u32 },
    Repeat(u32),
    ZeroExtend(u32),
    SignExtend(u32),
    RotateLeft(u32),
    RotateRight(u32),
    Select,
    Store,
    ConstArray { index: u32, value: u32 },
}

use Operator as O;

/// Operators of two or more bit-vectors of one width.
pub const NARY: &[Operator] = &[O::BvAnd, O::BvOr, O::BvXor, O::BvAdd, O::BvMul];
/// Operators from two bit-vectors of one width to a third.
pub const BINARY: &[Operator] = &[
    O::BvAnd,
    O::BvOr,
    O::BvXor,
    O::BvAdd,
    O::BvNand,
    O::BvNor,
    O::BvXnor,
    O::BvSub,
    O::BvShl,
    O::BvLshr,
    O::BvAshr,
    O::ExtRotateLeft,
    O::ExtRotateRight,
    O::BvMul,
    O::BvUdiv,
    O::BvUrem,
    O::BvSdiv,
    O::BvSrem,
    O::BvSmod,
];
/// Operators from two bit-vectors of one width to a Boolean.
pub const PREDICATES: &[Operator] = &[
    O::BvUlt,
    O::BvUle,
    O::BvUgt,
    O::BvUge,
    O::BvSlt,
    O::BvSle,
    O::BvSgt,
    O::BvSge,
    O::BvUaddo,
    O::BvSaddo,
    O::BvUsubo,
    O::BvSsubo,
    O::BvSdivo,
    O::BvUmulo,
    O::BvSmulo,
];

/// A value: Booleans are 0 and 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConcreteValue {
    /// Of a Boolean or a bit-vector.
    Bits(u128),
    /// Of an array.
    Cells(ArrayData),
}

/// The value of an array: a default and exceptions, which may repeat the default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayData {
    /// Width of an index.
    pub index: u32,
    /// The element where no exception is.
    pub default: u128,
    /// The exceptions.
    pub cells: BTreeMap<u128, u128>,
}

impl ArrayData {
    /// The element at an index.
    pub fn get(&self, at: u128) -> u128 {
        self.cells.get(&at).copied().unwrap_or(self.default)
    }

    /// Whether two arrays are the same everywhere.
    pub fn same(&self, other: &ArrayData) -> bool {
        let mut listed: Vec<u128> = self
            .cells
            .keys()
            .chain(other.cells.keys())
            .copied()
            .collect();
        listed.sort_unstable();
        listed.dedup();
        let everywhere = self.index < 60 && listed.len() as u64 == 1 << self.index;
        listed.iter().all(|i| self.get(*i) == other.get(*i))
            && (everywhere || self.default == other.default)
    }
}

impl ConcreteValue {
    /// The bits of a scalar.
    ///
    /// # Panics
    /// On an array.
    pub fn bits(&self) -> u128 {
        match self {
            ConcreteValue::Bits(v) => *v,
            ConcreteValue::Cells(_) => panic!("an array is not a scalar"),
        }
    }

    fn cells(&self) -> &ArrayData {
        match self {
            ConcreteValue::Cells(c) => c,
            ConcreteValue::Bits(_) => panic!("a scalar is not an array"),
        }
    }

    fn same(&self, other: &ConcreteValue) -> bool {
        match (self, other) {
            (ConcreteValue::Bits(a), ConcreteValue::Bits(b)) => a == b,
            (ConcreteValue::Cells(a), ConcreteValue::Cells(b)) => a.same(b),
            (ConcreteValue::Bits(_), ConcreteValue::Cells(_))
            | (ConcreteValue::Cells(_), ConcreteValue::Bits(_)) => false,
        }
    }
}

/// All ones in `width` bits.
pub fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn signed(value: u128, width: u32) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

fn rotated(value: u128, width: u32, left: u32) -> u128 {
    let left = left % width;
    (value << left | value >> (width - left)) & mask(width)
}

fn fits(value: Option<i128>, width: u32) -> bool {
    value.is_some_and(|v| signed(v as u128 & mask(width), width) == v)
}

impl Operator {
    /// The operator without its numbers, as SMT-LIB names it.
    pub fn base_name(self) -> &'static str {
        match self {
            O::Not => "not",
            O::And => "and",
            O::Or => "or",
            O::Xor => "xor",
            O::Implies => "=>",
            O::Equal => "=",
            O::Distinct => "distinct",
            O::Ite => "ite",
            O::BvNot => "bvnot",
            O::BvNeg => "bvneg",
            O::BvRedor => "bvredor",
            O::BvRedand => "bvredand",
            O::BvNego => "bvnego",
            O::BvAnd => "bvand",
            O::BvOr => "bvor",
            O::BvXor => "bvxor",
            O::BvAdd => "bvadd",
            O::BvMul => "bvmul",
            O::BvNand => "bvnand",
            O::BvNor => "bvnor",
            O::BvXnor => "bvxnor",
            O::BvSub => "bvsub",
            O::BvUdiv => "bvudiv",
            O::BvUrem => "bvurem",
            O::BvSdiv => "bvsdiv",
            O::BvSrem => "bvsrem",
            O::BvSmod => "bvsmod",
            O::BvShl => "bvshl",
            O::BvLshr => "bvlshr",
            O::BvAshr => "bvashr",
            O::BvUlt => "bvult",
            O::BvUle => "bvule",
            O::BvUgt => "bvugt",
            O::BvUge => "bvuge",
            O::BvSlt => "bvslt",
            O::BvSle => "bvsle",
            O::BvSgt => "bvsgt",
            O::BvSge => "bvsge",
            O::BvComp => "bvcomp",
            O::BvUaddo => "bvuaddo",
            O::BvSaddo => "bvsaddo",
            O::BvUsubo => "bvusubo",
            O::BvSsubo => "bvssubo",
            O::BvUmulo => "bvumulo",
            O::BvSmulo => "bvsmulo",
            O::BvSdivo => "bvsdivo",
            O::ExtRotateLeft => "ext_rotate_left",
            O::ExtRotateRight => "ext_rotate_right",
            O::Concat => "concat",
            O::Extract { .. } => "extract",
            O::Repeat(_) => "repeat",
            O::ZeroExtend(_) => "zero_extend",
            O::SignExtend(_) => "sign_extend",
            O::RotateLeft(_) => "rotate_left",
            O::RotateRight(_) => "rotate_right",
            O::Select => "select",
            O::Store => "store",
            O::ConstArray { .. } => "const",
        }
    }

    /// The head of an application in a script.
    pub fn head(self) -> String {
        let name = self.base_name();
        match self {
            O::Extract { hi, lo } => format!("(_ {name} {hi} {lo})"),
            O::Repeat(n)
            | O::ZeroExtend(n)
            | O::SignExtend(n)
            | O::RotateLeft(n)
            | O::RotateRight(n) => format!("(_ {name} {n})"),
            O::ConstArray { index, value } => {
                format!("(as const {})", Sort::Array { index, value })
            }
            _ => name.to_string(),
        }
    }

    /// The term over some operands of the right sorts.
    pub fn build(self, s: &TermStore, args: &[Term]) -> Term {
        let (first, rest) = args.split_first().expect("every operator has an operand");
        let b = || &rest[0];
        let fold = |f: fn(&TermStore, &Term, &Term) -> Term| {
            rest.iter().fold(first.clone(), |all, a| f(s, &all, a))
        };
        match self {
            O::Not => s.not(first),
            O::And => s.and_all(args),
            O::Or => s.or_all(args),
            O::Xor => fold(TermStore::xor),
            O::Implies => {
                let (last, before) = args.split_last().expect("not empty");
                let fold = |all: Term, a: &Term| s.implies(a, &all);
                before.iter().rev().fold(last.clone(), fold)
            }
            O::Equal => {
                let parts: Vec<Term> = args.windows(2).map(|w| s.eq(&w[0], &w[1])).collect();
                s.and_all(&parts)
            }
            O::Distinct => s.distinct(args),
            O::Ite => s.ite(first, b(), &rest[1]),
            O::BvNot => s.bv_not(first),
            O::BvNeg => s.bv_neg(first),
            O::BvRedor => {
                let zero = s.constant(BitVec::zero(first.width()));
                s.bool_to_bit(&s.distinct(&[first.clone(), zero]))
            }
            O::BvRedand => s.bv_comp(first, &s.constant(BitVec::ones(first.width()))),
            O::BvNego => s.bv_nego(first),
            O::BvAnd => fold(TermStore::bv_and),
            O::BvOr => fold(TermStore::bv_or),
            O::BvXor => fold(TermStore::bv_xor),
            O::BvAdd => fold(TermStore::bv_add),
            O::BvMul => fold(TermStore::bv_mul),
            O::BvNand => s.bv_nand(first, b()),
            O::BvNor => s.bv_nor(first, b()),
            O::BvXnor => s.bv_xnor(first, b()),
            O::BvSub => s.bv_sub(first, b()),
            O::BvUdiv => s.bv_udiv(first, b()),
            O::BvUrem => s.bv_urem(first, b()),
            O::BvSdiv => s.bv_sdiv(first, b()),
            O::BvSrem => s.bv_srem(first, b()),
            O::BvSmod => s.bv_smod(first, b()),
            O::BvShl => s.bv_shl(first, b()),
            O::BvLshr => s.bv_lshr(first, b()),
            O::BvAshr => s.bv_ashr(first, b()),
            O::BvUlt => s.bv_ult(first, b()),
            O::BvUle => s.bv_ule(first, b()),
            O::BvUgt => s.bv_ugt(first, b()),
            O::BvUge => s.bv_uge(first, b()),
            O::BvSlt => s.bv_slt(first, b()),
            O::BvSle => s.bv_sle(first, b()),
            O::BvSgt => s.bv_sgt(first, b()),
            O::BvSge => s.bv_sge(first, b()),
            O::BvComp => s.bv_comp(first, b()),
            O::BvUaddo => s.bv_uaddo(first, b()),
            O::BvSaddo => s.bv_saddo(first, b()),
            O::BvUsubo => s.bv_usubo(first, b()),
            O::BvSsubo => s.bv_ssubo(first, b()),
            O::BvUmulo => s.bv_umulo(first, b()),
            O::BvSmulo => s.bv_smulo(first, b()),
            O::BvSdivo => s.bv_sdivo(first, b()),
            O::ExtRotateLeft => s.bv_rotate_left(first, b()),
            O::ExtRotateRight => s.bv_rotate_right(first, b()),
            O::Concat => fold(TermStore::concat),
            O::Extract { hi, lo } => s.extract(first, hi, lo),
            O::Repeat(n) => s.repeat(first, n),
            O::ZeroExtend(n) => s.zero_extend(first, n),
            O::SignExtend(n) => s.sign_extend(first, n),
            O::RotateLeft(n) => s.rotate_left(first, n),
            O::RotateRight(n) => s.rotate_right(first, n),
            O::Select => s.select(first, b()),
            O::Store => s.store(first, b(), &rest[1]),
            O::ConstArray { index, .. } => s.const_array(index, first),
        }
    }

    /// The value over some operands, by machine arithmetic alone.
    pub fn meaning(self, sorts: &[Sort], args: &[&ConcreteValue]) -> ConcreteValue {
        let widths: Vec<u32> = sorts.iter().map(|s| bits_of(*s)).collect();
        match self {
            O::Equal => truth(args.windows(2).all(|w| w[0].same(w[1]))),
            O::Distinct => {
                truth((0..args.len()).all(|i| !args[..i].iter().any(|a| a.same(args[i]))))
            }
            O::Ite => args[if args[0].bits() == 1 { 1 } else { 2 }].clone(),
            O::Select => ConcreteValue::Bits(args[0].cells().get(args[1].bits())),
            O::Store => {
                let mut all = args[0].cells().clone();
                all.cells.insert(args[1].bits(), args[2].bits());
                ConcreteValue::Cells(all)
            }
            O::ConstArray { index, .. } => ConcreteValue::Cells(ArrayData {
                index,
                default: args[0].bits(),
                cells: BTreeMap::new(),
            }),
            _ => {
                let values: Vec<u128> = args.iter().map(|a| a.bits()).collect();
                ConcreteValue::Bits(self.scalar(&widths, &values))
            }
        }
    }

    /// The meaning of an operator on scalars.
    fn scalar(self, widths: &[u32], v: &[u128]) -> u128 {
        let w = widths[0];
        let all = mask(w);
        let a = v[0];
        let b = || v[1];
        let (sa, sb) = (signed(a, w), || signed(v[1], w));
        let bit = |c: bool| u128::from(c);
        let shift = |f: &dyn Fn(u32) -> u128, beyond: u128| {
            if v[1] >= u128::from(w) {
                beyond
            } else {
                f(v[1] as u32)
            }
        };
        let turn = || (v[1] % u128::from(w)) as u32;
        let result = match self {
            O::Not => a ^ 1,
            O::And => bit(v.iter().all(|x| *x == 1)),
            O::Or => bit(v.contains(&1)),
            O::Xor | O::BvXor => v.iter().fold(0, |x, y| x ^ y),
            O::Implies => {
                let (last, before) = v.split_last().expect("not empty");
                bit(*last == 1 || before.contains(&0))
            }
            O::BvNot => !a,
            O::BvNeg => a.wrapping_neg(),
            O::BvRedor => return bit(a != 0),
            O::BvRedand => return bit(a == all),
            O::BvNego => return bit(a == 1 << (w - 1)),
            O::BvAnd => v.iter().fold(all, |x, y| x & y),
            O::BvOr => v.iter().fold(0, |x, y| x | y),
            O::BvAdd => v.iter().fold(0, |x: u128, y| x.wrapping_add(*y)),
            O::BvMul => v.iter().fold(1, |x: u128, y| x.wrapping_mul(*y)),
            O::BvNand => !(a & b()),
            O::BvNor => !(a | b()),
            O::BvXnor => !(a ^ b()),
            O::BvSub => a.wrapping_sub(b()),
            O::BvUdiv => a.checked_div(b()).unwrap_or(all),
            O::BvUrem => a.checked_rem(b()).unwrap_or(a),
            O::BvSdiv if b() == 0 => {
                if sa < 0 {
                    1
                } else {
                    all
                }
            }
            O::BvSdiv => (sa / sb()) as u128,
            O::BvSrem | O::BvSmod if b() == 0 => a,
            O::BvSrem => (sa % sb()) as u128,
            O::BvSmod => {
                let r = sa % sb();
                let wrong_sign = r != 0 && (r < 0) != (sb() < 0);
                (if wrong_sign { r + sb() } else { r }) as u128
            }
            O::BvShl => shift(&|n| a << n, 0),
            O::BvLshr => shift(&|n| a >> n, 0),
            O::BvAshr => shift(&|n| (sa >> n) as u128, if sa < 0 { all } else { 0 }),
            O::BvUlt | O::BvUsubo => return bit(a < b()),
            O::BvUle => return bit(a <= b()),
            O::BvUgt => return bit(a > b()),
            O::BvUge => return bit(a >= b()),
            O::BvSlt => return bit(sa < sb()),
            O::BvSle => return bit(sa <= sb()),
            O::BvSgt => return bit(sa > sb()),
            O::BvSge => return bit(sa >= sb()),
            O::BvComp => return bit(a == b()),
            O::BvUaddo => return bit(a + b() > all),
            O::BvSaddo => return bit(!fits(Some(sa + sb()), w)),
            O::BvSsubo => return bit(!fits(Some(sa - sb()), w)),
            O::BvUmulo => return bit(a.checked_mul(b()).is_none_or(|p| p > all)),
            O::BvSmulo => return bit(!fits(sa.checked_mul(sb()), w)),
            O::BvSdivo => return bit(sb() == -1 && a == 1 << (w - 1)),
            O::ExtRotateLeft => rotated(a, w, turn()),
            O::ExtRotateRight => rotated(a, w, w - turn()),
            O::Concat => {
                let parts = widths.iter().zip(v);
                return parts.fold(0, |all, (w, part)| all << w | part);
            }
            O::Extract { hi, lo } => return a >> lo & mask(hi - lo + 1),
            O::Repeat(n) => return (0..n).fold(0, |all, _| all << w | a),
            O::ZeroExtend(_) => a,
            O::SignExtend(n) => return sa as u128 & mask(w + n),
            O::RotateLeft(n) => rotated(a, w, n),
            O::RotateRight(n) => rotated(a, w, w - n % w),
            O::Equal | O::Distinct | O::Ite | O::Select | O::Store | O::ConstArray { .. } => {
                unreachable!("handled by the caller")
            }
        };
        result & all
    }
}

/// The bits of a scalar sort; 1 for arrays, which no scalar operator takes.
fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::BitVec(w) => w,
        Sort::Bool | Sort::Array { .. } => 1,
    }
}

fn truth(c: bool) -> ConcreteValue {
    ConcreteValue::Bits(u128::from(c))
}
