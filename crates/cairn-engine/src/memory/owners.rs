//! Pointers that become a part of a term, written so that the term says whose they are.
//!
//! # Problem
//!
//! In a term a pointer is its address, and whose it is is found by that. It is not the own object's if the pointer left it: by a constant, which
//! a choice between two addresses takes into each of them, or by a symbolic number before it was put beside other pointers. Then
//! the access would be to whatever is there.
//!
//! # Idea
//!
//! Where an address does not say whose it is, it is written as the beginning of its object ([`cairn_expr::Op::Base`]) and how far it
//! is from there. The operator names the object, so the form of the term tells (`memory/pointer_flow.rs`).
//!
//! # Soundness
//!
//! The operator has the object's address as its value, so the term has the same value for every input. Numbers that are no
//! pointers, and conditions, are written without it ([`without_bases`]): what is added to a pointer names no object.
//!
//! # Cost
//!
//! A look at a pointer that becomes a part of a choice, and at choices that a number is added to.

use crate::memory::bases::{Bases, base_of, without_inputs};
use crate::memory::dangling;
use crate::memory::pointer_flow::{Flow, Leaf, split};
use crate::values::candidates::candidates;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_expr::{Base, BaseKind, BitVec, Op, Substitution, Term, TermStore};
use cairn_ir::BinaryOp;
use cairn_memory::{Fault, ObjectId, ObjectInfo, ObjectKind, Word};
use rustc_hash::FxHashSet;

/// Whether pointers belong to their objects, and have the width of terms that are looked into.
fn has_owners(domain: &SymbolicDomain, width: u32) -> bool {
    width == u64::BITS && !domain.reaches_any && domain.memory.pointer_width().bits() == width
}

/// An object, also if it has ended; `None` if its size is forgotten.
pub(super) fn object(domain: &SymbolicDomain, word: Word) -> Option<ObjectInfo> {
    match domain.memory.info(word) {
        Ok(info) => Some(info),
        Err(Fault::UseAfterScope { object, .. }) => Some(object),
        Err(Fault::UseAfterFree { freed, .. }) => freed,
        Err(_) => None,
    }
}

/// Whether an address is in an object or at its end.
fn is_in(info: &ObjectInfo, address: u64) -> bool {
    address.wrapping_sub(info.address) <= info.capacity
}

/// An address as the beginning of its object and how far it is from there.
fn from_base(store: &TermStore, info: &ObjectInfo, address: &Term) -> Term {
    let width = address.width();
    let distance = store.bv_sub(address, &store.bv(width, info.address));
    store.bv_add(&base_of(store, width, info), &distance)
}

/// A number that an address was before something is added to it: the term keeps it as it is.
fn as_leaf(store: &TermStore, leaf: u64) -> Term {
    store.base(Base {
        birth: ObjectId::NONE.raw(),
        address: leaf,
        capacity: 0,
        alignment: 1,
        kind: BaseKind::Mapped,
    })
}

/// A value as a term that becomes a part of a choice between values.
pub(crate) fn part_of_choice(domain: &SymbolicDomain, value: &Value, width: u32) -> Term {
    pointer_in_term(domain, domain.operand(value, width), value.object())
}

/// The same of a term, and of what it belongs to.
pub(crate) fn pointer_in_term(domain: &SymbolicDomain, term: Term, object: ObjectId) -> Term {
    let is_pointer = object.is_address_of_known() || object == ObjectId::ADDRESS;
    if !is_pointer || term.attributes().has_base || !has_owners(domain, term.width()) {
        return term;
    }
    match object == ObjectId::ADDRESS {
        true => moved_choice(domain, &term).unwrap_or(term),
        false => in_term(domain, &term, object),
    }
}

/// A choice between addresses to which a symbolic number was added: each address as the beginning of its object and a distance. `None` if it is no
/// such sum, or too large.
fn moved_choice(domain: &SymbolicDomain, term: &Term) -> Option<Term> {
    if !matches!(term.op(), Op::BvAdd) {
        return None;
    }
    let store = &domain.cx.store;
    let is_address = |at: u64| domain.memory.object_at(at).is_some();
    let (flow, distance) = split(store, term, &domain.inside_offsets, is_address)?;
    let owned = |at: u64| {
        let plain = store.bv(term.width(), at);
        let leaves = flow.addresses.get(&at);
        let info = match leaves.and_then(|leaves| dangling::word_of(domain, leaves, at)) {
            Some(word) if !word.object.object_unknown() => object(domain, word),
            Some(_) => domain.memory.around(at, 0),
            None => None,
        };
        match info {
            Some(info) => from_base(store, &info, &plain),
            None => plain,
        }
    };
    Some(store.bv_add(&flow.map(store, &owned)?, &distance?))
}

/// The same of a pointer to a known object.
fn in_term(domain: &SymbolicDomain, term: &Term, object: ObjectId) -> Term {
    let address = term.as_const().and_then(BitVec::to_u64);
    let bits = address.unwrap_or(0);
    let Some(info) = self::object(domain, Word { bits, object }) else {
        return term.clone();
    };
    let says_itself = match address {
        Some(address) => is_in(&info, address),
        None => {
            let all = candidates(term, &domain.inside_offsets).unwrap_or_default();
            let are_in = !all.is_empty() && all.iter().all(|at| is_in(&info, *at));
            if are_in && info.kind == ObjectKind::Stack {
                let words = all.iter().map(|&bits| Word { bits, object });
                words.for_each(|word| dangling::note_word(domain, word));
            }
            are_in
        }
    };
    match says_itself {
        true => term.clone(),
        false => from_base(&domain.cx.store, &info, term),
    }
}

/// A choice between two addresses to which a number is added, if they lead out of their objects; the sum as it would be made takes the number
/// into each of them.
pub(crate) fn sum_of_choice(
    domain: &SymbolicDomain,
    op: BinaryOp,
    width: u32,
    a: &Value,
    b: &Value,
) -> Option<Value> {
    let (chosen, by) = match (op, a, b) {
        (BinaryOp::Add, Value::Symbolic(chosen), Value::Word(by))
        | (BinaryOp::Add, Value::Word(by), Value::Symbolic(chosen)) => (chosen, by.bits),
        (BinaryOp::Sub, Value::Symbolic(chosen), Value::Word(by)) => {
            (chosen, by.bits.wrapping_neg())
        }
        _ => return None,
    };
    let is_number = [a, b].iter().any(|value| value.object().is_number());
    if chosen.object != ObjectId::ADDRESS
        || !is_number
        || by == 0
        || !matches!(chosen.term.op(), Op::Ite)
        || !has_owners(domain, width)
    {
        return None;
    }
    let leaf = |i: usize| chosen.term.arg(i).as_const().and_then(BitVec::to_u64);
    let leaves = [leaf(1)?, leaf(2)?];
    let store = &domain.cx.store;
    let kept = leaves.map(|leaf| {
        match dangling::word_of_leaf(domain, Leaf::from(leaf), leaf.wrapping_add(by)) {
            Some(word) if word.object.object_unknown() && word.bits != leaf => None,
            Some(word) if !word.object.object_unknown() => {
                let info = object(domain, word)?;
                (!is_in(&info, word.bits)).then(|| from_base(store, &info, &store.bv(width, leaf)))
            }
            // It has ended, or the term does not say whose it is.
            Some(_) | None => Some(as_leaf(store, leaf)),
        }
    });
    if kept.iter().all(Option::is_none) {
        return None;
    }
    let arm = |i: usize| {
        kept[i]
            .clone()
            .unwrap_or_else(|| store.bv(width, leaves[i]))
    };
    let choice = store.ite(chosen.term.arg(0), &arm(0), &arm(1));
    let sum = store.bv_add(&choice, &store.bv(width, by));
    Some(Value::from_term(sum, chosen.object))
}

/// A term with addresses in the place of the beginnings of objects, unless they are asked for.
pub(crate) fn without_bases(domain: &SymbolicDomain, term: Term) -> Term {
    if !term.attributes().has_base || domain.bases == Bases::Terms {
        return term;
    }
    let store = &domain.cx.store;
    let mut numbers = Substitution::new();
    let mut seen = FxHashSet::default();
    let mut left = vec![&term];
    while let Some(term) = left.pop() {
        if !term.attributes().has_base || !seen.insert(term.id()) {
            continue;
        }
        match term.op() {
            Op::Base(base) => {
                numbers.insert(term.clone(), store.bv(term.width(), base.address));
            }
            _ => left.extend(term.args()),
        }
    }
    numbers.apply(store, &term)
}

/// A value that was read from an array, or put together; if it is a known address, with the object that it points into.
pub(crate) fn value_of_part(domain: &mut SymbolicDomain, term: Term, object: ObjectId) -> Value {
    if let Some(address) = without_inputs(&term).and_then(|bits| bits.to_u64())
        && let Some(word) = word_of_term(domain, &term, address)
    {
        return Value::Word(word);
    }
    dangling::with_object(domain, Value::from_term(term, object))
}

/// A pointer whose value is known, if its term says whose it is by the beginning of an object.
pub(crate) fn word_of_term(domain: &SymbolicDomain, term: &Term, address: u64) -> Option<Word> {
    if !term.attributes().has_base || domain.reaches_any {
        return None;
    }
    let flow = Flow::of(term, &domain.inside_offsets)?;
    dangling::word_of(domain, flow.addresses.get(&address)?, address)
}
