//! Building terms from KQuery's operators.
//!
//! Checks widths before any constructor is called, gives untyped numbers the width that their
//! place asks for, and keeps Booleans and bits apart as the module documentation says.

use crate::error::shown;
use crate::limits::WorkAccount;
use crate::smtlib::operators::parts_of;
use cairn_bv::BitVec;
use cairn_expr::{Sort, Term, TermStore};

/// An operand: a term, or a number whose width its place decides.
#[derive(Clone, Debug)]
pub(super) enum BuildOperand<'a> {
    Term(Term),
    Number(&'a [u8]),
}

type Build2 = fn(&TermStore, &Term, &Term) -> Term;

/// The operators.
#[derive(Clone, Copy, Debug)]
pub(super) enum KqueryOperatorKind {
    /// Of two bit-vectors, with a result of their width; at width 1 perhaps of Booleans.
    Binary(Build2, Option<Build2>),
    /// Of two bit-vectors, with a Boolean result; at width 1 perhaps of Booleans.
    Compare(Build2, Option<Build2>),
    Not,
    Neg,
    Concat,
    /// With the lowest bit taken.
    Extract(u32),
    ZExt,
    SExt,
    Select,
    /// Reads one element.
    Read,
    /// Reads elements upward, the first one lowest.
    ReadLsb,
    /// Reads elements upward, the first one highest.
    ReadMsb,
}

fn not_equal(store: &TermStore, a: &Term, b: &Term) -> Term {
    store.not(&store.eq(a, b))
}

impl KqueryOperatorKind {
    /// The operator of that name.
    pub(super) fn of_name(name: &[u8]) -> Option<KqueryOperatorKind> {
        type S = TermStore;
        Some(match name {
            b"Add" => KqueryOperatorKind::Binary(S::bv_add, None),
            b"Sub" => KqueryOperatorKind::Binary(S::bv_sub, None),
            b"Mul" => KqueryOperatorKind::Binary(S::bv_mul, None),
            b"UDiv" => KqueryOperatorKind::Binary(S::bv_udiv, None),
            b"SDiv" => KqueryOperatorKind::Binary(S::bv_sdiv, None),
            b"URem" => KqueryOperatorKind::Binary(S::bv_urem, None),
            b"SRem" => KqueryOperatorKind::Binary(S::bv_srem, None),
            b"And" => KqueryOperatorKind::Binary(S::bv_and, Some(S::and)),
            b"Or" => KqueryOperatorKind::Binary(S::bv_or, Some(S::or)),
            b"Xor" => KqueryOperatorKind::Binary(S::bv_xor, Some(S::xor)),
            b"Shl" => KqueryOperatorKind::Binary(S::bv_shl, None),
            b"LShr" => KqueryOperatorKind::Binary(S::bv_lshr, None),
            b"AShr" => KqueryOperatorKind::Binary(S::bv_ashr, None),
            b"Eq" => KqueryOperatorKind::Compare(S::eq, Some(S::eq)),
            b"Ne" => KqueryOperatorKind::Compare(not_equal, Some(not_equal)),
            b"Ult" => KqueryOperatorKind::Compare(S::bv_ult, None),
            b"Ule" => KqueryOperatorKind::Compare(S::bv_ule, None),
            b"Ugt" => KqueryOperatorKind::Compare(S::bv_ugt, None),
            b"Uge" => KqueryOperatorKind::Compare(S::bv_uge, None),
            b"Slt" => KqueryOperatorKind::Compare(S::bv_slt, None),
            b"Sle" => KqueryOperatorKind::Compare(S::bv_sle, None),
            b"Sgt" => KqueryOperatorKind::Compare(S::bv_sgt, None),
            b"Sge" => KqueryOperatorKind::Compare(S::bv_sge, None),
            b"Not" => KqueryOperatorKind::Not,
            b"Neg" => KqueryOperatorKind::Neg,
            b"Concat" => KqueryOperatorKind::Concat,
            b"Extract" => KqueryOperatorKind::Extract(0),
            b"ZExt" => KqueryOperatorKind::ZExt,
            b"SExt" => KqueryOperatorKind::SExt,
            b"Select" => KqueryOperatorKind::Select,
            b"Read" => KqueryOperatorKind::Read,
            b"ReadLSB" => KqueryOperatorKind::ReadLsb,
            b"ReadMSB" => KqueryOperatorKind::ReadMsb,
            _ => return None,
        })
    }
}

/// The width of a value; an array has none.
fn width(term: &Term) -> Result<u32, String> {
    match term.sort() {
        Sort::Bool => Ok(1),
        Sort::BitVec(w) => Ok(w),
        Sort::Array { .. } => Err("expected a value, found an array".to_string()),
    }
}

/// A number at a width.
fn number(text: &[u8], width: u32) -> Result<BitVec, String> {
    let wrong = |what: &str| format!("the number `{}` {what}", shown(text));
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let digits = |from: usize| -> String {
        rest[from.min(rest.len())..]
            .iter()
            .filter(|b| **b != b'_')
            .map(|b| char::from(*b))
            .collect()
    };
    let value = match rest {
        [b'0', b'x', ..] => BitVec::parse_hex(&digits(2)),
        [b'0', b'b', ..] => BitVec::parse_bin(&digits(2)),
        [b'0', b'o', ..] => {
            let mut bits = String::new();
            for c in digits(2).chars() {
                let digit = c.to_digit(8).ok_or_else(|| wrong("is not octal"))?;
                bits.push_str(&format!("{digit:03b}"));
            }
            BitVec::parse_bin(&bits)
        }
        _ => {
            let digits = digits(0);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(wrong("is malformed"));
            }
            match BitVec::parse_dec(width, &digits) {
                Some(value) => Some(value),
                None => return Err(wrong(&format!("does not fit in {width} bits"))),
            }
        }
    };
    let value = value.ok_or_else(|| wrong("is malformed"))?;
    let value = match value.width() {
        w if w == width => value,
        w if w < width => value.zext(width - w),
        w if value.leading_zeros() >= w - width => value.extract(width - 1, 0),
        _ => return Err(wrong(&format!("does not fit in {width} bits"))),
    };
    Ok(if negative { value.neg() } else { value })
}

/// Builds terms over one store.
pub(super) struct KqueryBuilder<'s> {
    pub(super) store: &'s TermStore,
    pub(super) account: WorkAccount,
}

impl<'s> KqueryBuilder<'s> {
    /// A number at a width, as a term.
    pub(super) fn number(&mut self, text: &[u8], width: u32) -> Result<Term, String> {
        self.account.charge_operation(width, false)?;
        Ok(self.store.constant(number(text, width)?))
    }

    /// A number at a width, as a value.
    pub(super) fn value(&mut self, text: &[u8], width: u32) -> Result<BitVec, String> {
        self.account.charge_operation(width, false)?;
        number(text, width)
    }

    /// An operand as a bit-vector of a width.
    pub(super) fn bits(
        &mut self,
        operand: &BuildOperand<'_>,
        expected: u32,
    ) -> Result<Term, String> {
        let term = match operand {
            BuildOperand::Number(text) => return self.number(text, expected),
            BuildOperand::Term(term) => self.as_bits(term),
        };
        let found = width(&term)?;
        if found != expected {
            return Err(format!(
                "expected a value of w{expected}, found one of w{found}"
            ));
        }
        Ok(term)
    }

    fn as_bits(&self, term: &Term) -> Term {
        match term.sort() {
            Sort::Bool => self.store.bool_to_bit(term),
            Sort::BitVec(_) | Sort::Array { .. } => term.clone(),
        }
    }

    /// An operand as a Boolean.
    pub(super) fn boolean(&mut self, operand: &BuildOperand<'_>) -> Result<Term, String> {
        if let BuildOperand::Term(term) = operand
            && term.sort() == Sort::Bool
        {
            return Ok(term.clone());
        }
        let bit = self.bits(operand, 1)?;
        Ok(self.store.eq(&bit, &self.store.bv(1, 1)))
    }

    /// An operand that must know its width.
    pub(super) fn typed(&self, operand: &BuildOperand<'_>) -> Result<Term, String> {
        match operand {
            BuildOperand::Term(term) => Ok(term.clone()),
            BuildOperand::Number(text) => Err(format!(
                "the number `{}` needs a width: (w32 {})",
                shown(text),
                shown(text)
            )),
        }
    }

    /// The width that some operands have together, if one of them knows it.
    fn common_width(&self, operands: &[&BuildOperand<'_>]) -> Result<Option<u32>, String> {
        for operand in operands {
            if let BuildOperand::Term(term) = operand {
                return width(term).map(Some);
            }
        }
        Ok(None)
    }

    /// Two operands of one width: as Booleans if one of them is and Booleans will do.
    fn pair(
        &mut self,
        a: &BuildOperand<'_>,
        b: &BuildOperand<'_>,
        width: u32,
        booleans: bool,
    ) -> Result<(Term, Term, bool), String> {
        let is_bool =
            |o: &BuildOperand<'_>| matches!(o, BuildOperand::Term(t) if t.sort() == Sort::Bool);
        if width == 1 && booleans && (is_bool(a) || is_bool(b)) {
            return Ok((self.boolean(a)?, self.boolean(b)?, true));
        }
        let (a, b) = (self.bits(a, width)?, self.bits(b, width)?);
        let constant = a.as_const().is_some() || b.as_const().is_some();
        self.account.charge_operation(width, constant)?;
        Ok((a, b, false))
    }

    /// The term of an operator over operands; reads go through [`KqueryBuilder::read`].
    pub(super) fn apply(
        &mut self,
        kind: KqueryOperatorKind,
        explicit: Option<u32>,
        operands: &[BuildOperand<'_>],
    ) -> Result<Term, String> {
        match (kind, operands) {
            (KqueryOperatorKind::Binary(build, boolean), [a, b]) => {
                let width = match explicit {
                    Some(width) => width,
                    None => self
                        .common_width(&[a, b])?
                        .ok_or("the operator needs a width, as both operands are numbers")?,
                };
                let (a, b, booleans) = self.pair(a, b, width, boolean.is_some())?;
                Ok(match (boolean, booleans) {
                    (Some(boolean), true) => boolean(self.store, &a, &b),
                    (Some(_) | None, _) => build(self.store, &a, &b),
                })
            }
            (KqueryOperatorKind::Compare(build, boolean), [a, b]) => {
                let width = self
                    .common_width(&[a, b])?
                    .or(explicit)
                    .ok_or("the comparison needs a width, as both operands are numbers")?;
                let (a, b, booleans) = self.pair(a, b, width, boolean.is_some())?;
                Ok(match (boolean, booleans) {
                    (Some(boolean), true) => boolean(self.store, &a, &b),
                    (Some(_) | None, _) => build(self.store, &a, &b),
                })
            }
            (KqueryOperatorKind::Select, [c, a, b]) => {
                let c = self.boolean(c)?;
                let width = match explicit {
                    Some(width) => width,
                    None => self
                        .common_width(&[a, b])?
                        .ok_or("Select needs a width, as both operands are numbers")?,
                };
                let (a, b, _) = self.pair(a, b, width, true)?;
                Ok(self.store.ite(&c, &a, &b))
            }
            (KqueryOperatorKind::Not, [a]) => {
                let a = match (a, explicit) {
                    (BuildOperand::Number(text), Some(width)) => self.number(text, width)?,
                    (operand, _) => self.typed(operand)?,
                };
                self.check(explicit, &a)?;
                Ok(match a.sort() {
                    Sort::Bool => self.store.not(&a),
                    Sort::BitVec(_) | Sort::Array { .. } => self.store.bv_not(&a),
                })
            }
            (KqueryOperatorKind::Neg, [a]) => {
                let width = match (a, explicit) {
                    (_, Some(width)) => width,
                    (operand, None) => width(&self.typed(operand)?)?,
                };
                let a = self.bits(a, width)?;
                Ok(self.store.bv_neg(&a))
            }
            (KqueryOperatorKind::ZExt, [a]) => self.extension(a, explicit, false),
            (KqueryOperatorKind::SExt, [a]) => self.extension(a, explicit, true),
            (KqueryOperatorKind::Extract(low), [a]) => self.extraction(a, low, explicit),
            (KqueryOperatorKind::Concat, [_, _, ..]) => self.concat(explicit, operands),
            (
                KqueryOperatorKind::Read
                | KqueryOperatorKind::ReadLsb
                | KqueryOperatorKind::ReadMsb,
                _,
            ) => Err("a read needs an index and an array".to_string()),
            (
                KqueryOperatorKind::Binary(..)
                | KqueryOperatorKind::Compare(..)
                | KqueryOperatorKind::Select
                | KqueryOperatorKind::Not
                | KqueryOperatorKind::Neg
                | KqueryOperatorKind::ZExt
                | KqueryOperatorKind::SExt
                | KqueryOperatorKind::Extract(_)
                | KqueryOperatorKind::Concat,
                _,
            ) => Err(format!(
                "the operator is given {} operand(s), which is not its number",
                operands.len()
            )),
        }
    }

    /// An extension to a width; KLEE also writes truncations in this way.
    fn extension(
        &mut self,
        a: &BuildOperand<'_>,
        explicit: Option<u32>,
        signed: bool,
    ) -> Result<Term, String> {
        let to = explicit.ok_or("the extension needs a width")?;
        let a = self.as_bits(&self.typed(a)?);
        let from = width(&a)?;
        self.account.charge_operation(to, false)?;
        Ok(match to.checked_sub(from) {
            None => self.store.extract(&a, to - 1, 0),
            Some(more) if signed => self.store.sign_extend(&a, more),
            Some(more) => self.store.zero_extend(&a, more),
        })
    }

    fn extraction(
        &mut self,
        a: &BuildOperand<'_>,
        low: u32,
        explicit: Option<u32>,
    ) -> Result<Term, String> {
        // KLEE leaves out the width of one bit.
        let count = explicit.unwrap_or(1);
        let a = self.as_bits(&self.typed(a)?);
        let from = width(&a)?;
        if u64::from(low) + u64::from(count) > u64::from(from) {
            return Err(format!(
                "Extract of {count} bits from bit {low} of a value of w{from}"
            ));
        }
        self.account.charge_operation(from, false)?;
        Ok(self.store.extract(&a, low + count - 1, low))
    }

    fn check(&self, explicit: Option<u32>, term: &Term) -> Result<(), String> {
        let found = width(term)?;
        match explicit {
            Some(expected) if expected != found => Err(format!(
                "expected a value of w{expected}, found one of w{found}"
            )),
            Some(_) | None => Ok(()),
        }
    }

    fn concat(
        &mut self,
        explicit: Option<u32>,
        operands: &[BuildOperand<'_>],
    ) -> Result<Term, String> {
        let mut result: Option<Term> = None;
        for operand in operands.iter().rev() {
            let part = self.as_bits(&self.typed(operand)?);
            let part_width = width(&part)?;
            result = Some(match result {
                None => part,
                Some(low) => {
                    let total = u64::from(part_width) + u64::from(low.width());
                    let total = self.account.width(total)?;
                    self.account.charge(1 + u64::from(total / 64))?;
                    self.account.charge(2 * parts_of(&part))?;
                    self.store.concat(&part, &low)
                }
            });
        }
        let result = result.ok_or("Concat needs operands")?;
        self.check(explicit, &result)?;
        Ok(result)
    }

    /// The elements of an array from an index on.
    pub(super) fn read(
        &mut self,
        kind: KqueryOperatorKind,
        explicit: Option<u32>,
        index: &BuildOperand<'_>,
        array: &Term,
    ) -> Result<Term, String> {
        let Sort::Array {
            index: index_width,
            value,
        } = array.sort()
        else {
            return Err("a read needs an array".to_string());
        };
        let index = self.bits(index, index_width)?;
        let total = explicit.unwrap_or(value);
        if matches!(kind, KqueryOperatorKind::Read) && total != value {
            return Err(format!(
                "Read of w{total} from an array whose elements are w{value}"
            ));
        }
        if !total.is_multiple_of(value) {
            return Err(format!(
                "a read of w{total} is no number of elements of w{value}"
            ));
        }
        let count = total / value;
        // An element is a sum, a read and a concatenation.
        self.account.charge(64 * u64::from(count))?;
        let mut result: Option<Term> = None;
        for i in 0..count {
            let upward = matches!(kind, KqueryOperatorKind::ReadLsb);
            let offset = if upward { i } else { count - 1 - i };
            let offset = BitVec::from_u128(index_width, u128::from(offset));
            let position = self.store.bv_add(&index, &self.store.constant(offset));
            let element = self.store.select(array, &position);
            result = Some(match result {
                None => element,
                Some(low) => self.store.concat(&element, &low),
            });
        }
        result.ok_or_else(|| "a read of nothing".to_string())
    }

    /// An array after an update.
    pub(super) fn update(
        &mut self,
        array: &Term,
        index: &BuildOperand<'_>,
        value: &BuildOperand<'_>,
    ) -> Result<Term, String> {
        let Sort::Array {
            index: index_width,
            value: value_width,
        } = array.sort()
        else {
            return Err("an update needs an array".to_string());
        };
        let index = self.bits(index, index_width)?;
        let value = self.bits(value, value_width)?;
        if let cairn_expr::Op::Table(table) = array.op() {
            self.account
                .charge(table.values().len().min(1024) as u64 / 8)?;
        }
        Ok(self.store.store(array, &index, &value))
    }
}
