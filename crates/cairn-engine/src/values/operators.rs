//! Operators on values of which one at least is a term.
//!
//! # Problem
//!
//! Paths share most of what they do: a loop over the same input makes the same terms on
//! each of them. Making a term that exists already costs its constructor's rules, a constant for
//! the other operand, and a look into the table of all terms.
//!
//! # Idea
//!
//! The last result of each operator on its operands is kept, in a table of fixed size with one
//! place for each hash. Terms are unique, so equal operands are the same reference and comparing
//! them costs nothing.
//!
//! # Soundness
//!
//! An operator's result depends on nothing but its operands, their objects and the
//! width, and all of those are compared. The table holds references to its terms, so none of them
//! can be another one's in the meantime.
//!
//! # Cost
//!
//! A hundred kilobytes for each worker.

use crate::memory::dangling;
use crate::memory::owners;
use crate::values::address_notes::unknown;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms;
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_ir::{BinaryOp, CastOp, CompareOp};
use cairn_machine::words;
use cairn_memory::{ObjectId, Word};

/// Places in the table.
const PLACES: usize = 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
    Cast(CastOp),
    /// Of a truth value.
    Not,
}

struct Remembered {
    operator: Operator,
    width: u32,
    operands: [Value; 2],
    result: Value,
}

/// See the module's head.
#[derive(Default)]
pub(crate) struct OperatorMemo {
    places: Vec<Option<Remembered>>,
}

/// Whether two values are the same word, or the same term of the same object.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Word(a), Value::Word(b)) => a == b,
        (Value::Symbolic(a), Value::Symbolic(b)) => a.term == b.term && a.object == b.object,
        (Value::Word(_), Value::Symbolic(_)) | (Value::Symbolic(_), Value::Word(_)) => false,
    }
}

fn hash(operator: Operator, width: u32, operands: &[&Value; 2]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let operator = match operator {
        Operator::Binary(op) => op as u64,
        Operator::Compare(op) => 32 + op as u64,
        Operator::Cast(op) => 64 + op as u64,
        Operator::Not => 96,
    };
    let mut hash = (operator << 32) ^ u64::from(width);
    for operand in operands {
        let key = match operand {
            Value::Word(word) => word.bits,
            Value::Symbolic(symbolic) => u64::from(symbolic.term.id()) | 1 << 40,
        };
        hash = (hash.rotate_left(23) ^ key).wrapping_mul(MIX);
    }
    (hash >> 54) as usize % PLACES
}

impl OperatorMemo {
    fn get(&self, place: usize, operator: Operator, width: u32, of: [&Value; 2]) -> Option<&Value> {
        let known = self.places.get(place)?.as_ref()?;
        let is_it = known.operator == operator
            && known.width == width
            && same(&known.operands[0], of[0])
            && same(&known.operands[1], of[1]);
        is_it.then_some(&known.result)
    }

    fn put(&mut self, place: usize, remembered: Remembered) {
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || None);
        }
        self.places[place] = Some(remembered);
    }
}

fn remembered(
    domain: &SymbolicDomain,
    operator: Operator,
    width: u32,
    operands: [&Value; 2],
    make: impl FnOnce() -> Value,
) -> Value {
    let place = hash(operator, width, &operands);
    let memo = domain.cx.operators.borrow();
    if let Some(result) = memo.get(place, operator, width, operands) {
        return result.clone();
    }
    drop(memo);
    let result = make();
    let mut memo = domain.cx.operators.borrow_mut();
    memo.put(
        place,
        Remembered {
            operator,
            width,
            operands: operands.map(Value::clone),
            result: result.clone(),
        },
    );
    result
}

#[cold]
pub(crate) fn binary_terms(
    domain: &SymbolicDomain,
    op: BinaryOp,
    width: u32,
    a: &Value,
    b: &Value,
) -> Value {
    if let Some(sum) = owners::sum_of_choice(domain, op, width, a, b) {
        return sum;
    }
    remembered(domain, Operator::Binary(op), width, [a, b], || {
        make_binary(domain, op, width, a, b)
    })
}

fn make_binary(domain: &SymbolicDomain, op: BinaryOp, width: u32, a: &Value, b: &Value) -> Value {
    let store = &domain.cx.store;
    if width == 1 {
        let joined = match op {
            BinaryOp::And => Some(store.and(&domain.condition(a), &domain.condition(b))),
            BinaryOp::Or => Some(store.or(&domain.condition(a), &domain.condition(b))),
            BinaryOp::Xor => Some(store.xor(&domain.condition(a), &domain.condition(b))),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Udiv
            | BinaryOp::Sdiv
            | BinaryOp::Urem
            | BinaryOp::Srem
            | BinaryOp::Shl
            | BinaryOp::Lshr
            | BinaryOp::Ashr => None,
        };
        if let Some(joined) = joined {
            return domain.truth(&joined);
        }
    }
    let (left, right) = (domain.operand(a, width), domain.operand(b, width));
    let term = terms::binary(store, op, &left, &right);
    let object = match (op, a) {
        // An address whose object is not known, less one whose object is: how far they are apart.
        (BinaryOp::Sub, Value::Symbolic(left))
            if left.object == ObjectId::ADDRESS && b.object().is_address_of_known() =>
        {
            ObjectId::NONE
        }
        (_, _) => words::object_of(op, unknown(a), unknown(b)),
    };
    let term = match object.is_number() {
        true => owners::without_bases(domain, term),
        false => term,
    };
    Value::from_term(term, object)
}

#[cold]
pub(crate) fn compare_terms(
    domain: &SymbolicDomain,
    op: CompareOp,
    width: u32,
    a: &Value,
    b: &Value,
) -> Value {
    remembered(domain, Operator::Compare(op), width, [a, b], || {
        let store = &domain.cx.store;
        let (left, right) = (domain.operand(a, width), domain.operand(b, width));
        let term = terms::compare(store, op, &left, &right);
        let term = owners::without_bases(domain, term);
        domain.truth(&term)
    })
}

#[cold]
pub(crate) fn cast_term(
    domain: &SymbolicDomain,
    op: CastOp,
    to: u32,
    value: &Value,
    term: &Symbolic,
) -> Value {
    let nothing = Value::Word(Word::int(0));
    remembered(domain, Operator::Cast(op), to, [value, &nothing], || {
        let store = &domain.cx.store;
        // What the low bits of an address belong to depends on the memory, which is not compared here: `cast` asks.
        let cast = terms::cast(store, op, to, &term.bits(store));
        let cast = match op {
            CastOp::Trunc => owners::without_bases(domain, cast),
            CastOp::Zext | CastOp::Sext => cast,
        };
        Value::from_term(cast, term.object)
    })
}

/// A condition on which a program branches, and what it is not.
pub(crate) fn both_ways(domain: &SymbolicDomain, value: &Value) -> (Term, Term) {
    let condition = domain.condition(value);
    let nothing = Value::Word(Word::int(0));
    let not = remembered(domain, Operator::Not, 1, [value, &nothing], || {
        domain.truth(&domain.cx.store.not(&condition))
    });
    (condition, domain.condition(&not))
}

#[cold]
pub(crate) fn select_terms(
    domain: &SymbolicDomain,
    width: u32,
    condition: &Value,
    a: &Value,
    b: &Value,
) -> Value {
    let store = &domain.cx.store;
    let condition = domain.condition(condition);
    if width == 1 {
        // Truth values stay truth values.
        let (a, b) = (domain.condition(a), domain.condition(b));
        return domain.truth(&store.ite(&condition, &a, &b));
    }
    let is_one = a.object() == b.object() && a.object() != ObjectId::ADDRESS;
    let part = |value| match is_one {
        true => domain.operand(value, width),
        false => owners::part_of_choice(domain, value, width),
    };
    let (then, otherwise) = (part(a), part(b));
    let term = store.ite(&condition, &then, &otherwise);
    dangling::note_value(domain, a);
    dangling::note_value(domain, b);
    let chosen = Value::from_term(term, either(a.object(), b.object()));
    match (&chosen, a, b) {
        // The condition is known after all, or does not matter.
        (Value::Word(chosen), Value::Word(a), Value::Symbolic(_)) if chosen.bits == a.bits => {
            Value::Word(*a)
        }
        (Value::Word(chosen), Value::Symbolic(_), Value::Word(b)) if chosen.bits == b.bits => {
            Value::Word(*b)
        }
        (Value::Word(chosen), Value::Word(a), Value::Word(b)) if a.bits != b.bits => {
            Value::Word(if chosen.bits == a.bits { *a } else { *b })
        }
        (Value::Word(_) | Value::Symbolic(_), _, _) => chosen,
    }
}

/// What one of two values belongs to.
pub(crate) fn either(a: ObjectId, b: ObjectId) -> ObjectId {
    if a == b {
        a
    } else if a.is_part() || b.is_part() || a.is_taken() || b.is_taken() {
        ObjectId::PART
    } else {
        ObjectId::ADDRESS
    }
}
