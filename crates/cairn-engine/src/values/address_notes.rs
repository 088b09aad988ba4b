//! Where a path used an address as a number (`cairn_machine::words::uses_address`): what was explored holds
//! for one layout of many, and the run says so. Not: where addresses leave the program (`calls/address_sinks.rs`), or which numbers of
//! machine code move with its segments (`values/moving_addresses.rs`).
//!
//! An operation does not know its place; the last point that was passed tells the block (`address_places.rs`).

use crate::memory::array_addresses::is_within;
use crate::memory::bases::base_for;
use crate::memory::dangling;
use crate::omission::Omission;
use crate::values::candidates::candidates;
use crate::values::chosen_places::may_be_beyond_places;
use crate::values::equal_places::{LayoutEquality, equality};
use crate::values::layouts::OffsetReach;
use crate::values::moving_addresses;
use crate::values::operators;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_ir::{BinaryOp, CompareOp};
use cairn_machine::words::{self, AddressPlace, LayoutOperand};
use cairn_memory::{ObjectId, ObjectInfo, ObjectKind, Word};

/// How an address was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// As a number.
    Number,
    /// As a number, if this can hold.
    NumberIf(Term),
    /// In a comparison with another, or with a number.
    Comparison(CompareOp),
    /// To find an object, which may not be the one that it was made from, as these words say.
    Followed(&'static str),
}

/// Offsets below this come from numbers that are no addresses.
pub(crate) const NEAREST_BEYOND: u64 = 1 << 46;

/// Bytes of a page; addresses below are null pointers with an offset.
const PAGE: u64 = 4096;

/// What `malloc` aligns to.
const USUAL_ALIGNMENT: u64 = 16;

/// A value as a word with what it belongs to. If it is symbolic, its bits mean nothing: a function that needs
/// them is called again with the value itself.
pub(crate) fn unknown(value: &Value) -> Word {
    match value {
        Value::Word(word) => *word,
        Value::Symbolic(symbolic) => Word {
            bits: u64::MAX,
            object: symbolic.object,
        },
    }
}

/// What a value is that an operator uses.
fn operand_of(domain: &SymbolicDomain, value: &Value) -> LayoutOperand {
    let (known, object) = match value {
        Value::Word(word) => (Some(word.bits), word.object),
        Value::Symbolic(symbolic) => (None, symbolic.object),
    };
    if object.is_number() {
        return LayoutOperand::Number(known);
    }
    if object.is_part() {
        return LayoutOperand::Part(object.low_alignment());
    }
    if !object.object_unknown() {
        return match domain.memory.info(Word { bits: 0, object }) {
            Ok(info) if object.is_taken() => LayoutOperand::Taken(info, known),
            Ok(info) => in_object(domain, info, value, known),
            Err(_) => LayoutOperand::Gone(known.unwrap_or(0)),
        };
    }
    // Which object it is in may depend on inputs.
    let bits = match value {
        Value::Word(word) => word.bits,
        Value::Symbolic(symbolic) => match domain.pointers.find(&symbolic.term) {
            Some((bits, _)) => bits,
            None => return chosen_by_inputs(domain, symbolic),
        },
    };
    if words::is_code(domain.memory.pointer_width(), bits) {
        return LayoutOperand::Code(bits);
    }
    // One that is rounded up, to a page at most, still means its object.
    match domain.memory.around(
        words::without_tag(domain.memory.pointer_width(), bits),
        PAGE,
    ) {
        Some(info) => LayoutOperand::Object(info, AddressPlace::Known(bits)),
        // Null, or another number that stands in a pointer's place.
        None if bits < PAGE => LayoutOperand::Number(Some(bits)),
        None => LayoutOperand::Gone(bits),
    }
}

/// An address of which the object is known. One that depends on inputs may be anywhere in it, unless under the
/// path's model it is far from it.
fn in_object(
    domain: &SymbolicDomain,
    info: ObjectInfo,
    value: &Value,
    known: Option<u64>,
) -> LayoutOperand {
    let width = domain.memory.pointer_width();
    let bits = match (value, known) {
        (Value::Word(word), _) => {
            return LayoutOperand::Object(info, AddressPlace::Known(word.bits));
        }
        (Value::Symbolic(_), Some(known)) => {
            return LayoutOperand::Object(info, AddressPlace::Known(known));
        }
        (Value::Symbolic(symbolic), None) => under_model(domain, &symbolic.bits(&domain.cx.store)),
    };
    let example = LayoutOperand::Object(info, AddressPlace::Known(bits));
    match example.is_near_object(width) {
        true => LayoutOperand::Object(info, AddressPlace::Anywhere(words::tag_of(width, bits))),
        false => LayoutOperand::Object(info, AddressPlace::Beyond),
    }
}

/// An address whose object may depend on inputs. Numbers among them that are no addresses are not looked at
/// here: see [`may_be_a_number`].
fn chosen_by_inputs(domain: &SymbolicDomain, symbolic: &Symbolic) -> LayoutOperand {
    let width = domain.memory.pointer_width();
    let term = symbolic.bits(&domain.cx.store);
    let Some(all) = candidates(&term, &domain.inside_offsets) else {
        let tag = words::tag_of(width, under_model(domain, &term));
        return LayoutOperand::Chosen(1, Some(tag));
    };
    let addresses = || all.iter().copied().filter(|bits| *bits >= PAGE);
    let mut tags = addresses().map(|bits| words::tag_of(width, bits));
    let first = tags.next().unwrap_or(0);
    let tag = tags.all(|tag| tag == first).then_some(first);
    let mut alignment = USUAL_ALIGNMENT;
    let mut only: Option<(ObjectInfo, u64)> = None;
    let mut is_one = tag.is_some();
    for bits in addresses() {
        let address = words::without_tag(width, bits);
        if words::is_code(width, address) {
            is_one = false;
            continue;
        }
        match domain.memory.around(address, PAGE) {
            // What is at an object's end may be another's.
            Some(info) if address == info.address + info.capacity => {
                return LayoutOperand::Gone(bits);
            }
            Some(info) => {
                alignment = alignment.min(info.align);
                is_one &= only.is_none_or(|(only, _)| only.object == info.object);
                only = Some((info, bits));
            }
            None => return LayoutOperand::Chosen(1, tag),
        }
    }
    match only {
        // One of them stands for all: none is the end of the object, or far from it.
        Some((info, bits)) if is_one => LayoutOperand::Object(info, AddressPlace::Known(bits)),
        Some(_) | None => LayoutOperand::Chosen(alignment, tag),
    }
}

/// That a value which is taken for an address is a number, as null in a table of pointers, if its form allows
/// that: such a number is the same in every layout, but its distance from an address is not.
fn may_be_a_number(domain: &SymbolicDomain, value: &Value) -> Option<Term> {
    let Value::Symbolic(symbolic) = value else {
        return None;
    };
    if symbolic.object.is_number() || !symbolic.object.object_unknown() {
        return None;
    }
    let store = &domain.cx.store;
    let term = symbolic.bits(store);
    if domain.pointers.find(&term).is_some() {
        return None;
    }
    // Without a list of its values it is a use whatever it is.
    let small = candidates(&term, &domain.inside_offsets)?
        .into_iter()
        .any(|bits| bits < PAGE);
    small.then(|| store.bv_ult(&term, &number_like(store, &term, PAGE)))
}

/// Whether two addresses whose objects depend on inputs are at a known distance: in one object, whichever it is.
fn is_one_place(domain: &SymbolicDomain, a: &Value, b: &Value) -> bool {
    let store = &domain.cx.store;
    match (a, b) {
        (Value::Symbolic(a), Value::Symbolic(b)) => {
            let of_both = a.object == ObjectId::ADDRESS && b.object == ObjectId::ADDRESS;
            of_both
                && store
                    .bv_sub(&a.bits(store), &b.bits(store))
                    .as_const()
                    .is_some()
        }
        (Value::Word(_), _) | (_, Value::Word(_)) => false,
    }
}

/// Whether two addresses are in constants that have the same bytes from there on: linkers make one of such
/// strings. Constants that a program names are not merged, and taken for strings here.
fn may_be_merged(domain: &SymbolicDomain, a: &LayoutOperand, b: &LayoutOperand) -> bool {
    let rest = |of: &LayoutOperand| match of {
        LayoutOperand::Object(info, AddressPlace::Known(bits))
            if info.kind == ObjectKind::Constant =>
        {
            let length = (info.address + info.capacity).checked_sub(*bits)?;
            let object = info.object;
            Some((
                Word {
                    bits: *bits,
                    object,
                },
                usize::try_from(length).ok()?,
            ))
        }
        LayoutOperand::Number(_)
        | LayoutOperand::Part(_)
        | LayoutOperand::Object(_, _)
        | LayoutOperand::Taken(..)
        | LayoutOperand::Chosen(..)
        | LayoutOperand::Code(_)
        | LayoutOperand::Gone(_) => None,
    };
    let (Some((a, length)), Some((b, other))) = (rest(a), rest(b)) else {
        return false;
    };
    if length != other || length == 0 || a.object == b.object {
        return false;
    }
    let bytes = |at: Word| {
        let mut bytes = vec![0; length];
        domain.memory.load_bytes(at, &mut bytes).map(|()| bytes)
    };
    bytes(a) == bytes(b)
}

/// The value of a term under the path's model; nothing is decided by it.
fn under_model(domain: &SymbolicDomain, term: &Term) -> u64 {
    domain.cx.value(&domain.model, term).low_u64()
}

/// That an address is not near its object, if its form does not exclude that: then a number that may be as large
/// as an address was added or taken away.
pub(crate) fn may_be_beyond(domain: &SymbolicDomain, value: &Value) -> Option<(ObjectInfo, Term)> {
    let Value::Symbolic(symbolic) = value else {
        return None;
    };
    let object = symbolic.object;
    if !object.is_address_of_known() {
        return None;
    }
    let info = domain.memory.info(Word { bits: 0, object }).ok()?;
    let store = &domain.cx.store;
    let term = symbolic.bits(store);
    let offset = store.bv_sub(&term, &base_for(store, &term, &info));
    if term.width() != 64 || is_within(&offset, NEAREST_BEYOND) {
        return None;
    }
    let from_first = store.bv_add(&offset, &store.bv(64, PAGE));
    let last = store.bv(64, info.capacity + 2 * PAGE);
    Some((info, store.bv_ult(&last, &from_first)))
}

/// What an operand may be under other values than those of the path's model, and when it is that.
fn other_operand(domain: &SymbolicDomain, value: &Value) -> Option<(LayoutOperand, Term)> {
    if let Some((info, claim)) = may_be_beyond(domain, value) {
        return Some((LayoutOperand::Object(info, AddressPlace::Beyond), claim));
    }
    let claim = may_have_another_tag(domain, value)?;
    Some((LayoutOperand::Chosen(1, None), claim))
}

/// That the bits above an address are other ones than under the path's model, if the address is none of a list of
/// values.
fn may_have_another_tag(domain: &SymbolicDomain, value: &Value) -> Option<Term> {
    let Value::Symbolic(symbolic) = value else {
        return None;
    };
    let object = symbolic.object;
    if object.is_number() || object.is_part() || !object.object_unknown() {
        return None;
    }
    let store = &domain.cx.store;
    let term = symbolic.bits(store);
    if term.width() != 64
        || domain.pointers.find(&term).is_some()
        || candidates(&term, &domain.inside_offsets).is_some()
    {
        return None;
    }
    let width = domain.memory.pointer_width();
    let first = words::without_tag(width, u64::MAX) + 1;
    let tag = store.bv_udiv(&term, &store.bv(64, first));
    let own = words::tag_of(width, under_model(domain, &term));
    Some(store.not(&store.eq(&tag, &store.bv(64, own))))
}

/// Notes two values as used if something is a use under other values than those of the path's model.
fn note_if_other(
    domain: &mut SymbolicDomain,
    a: &Value,
    b: &Value,
    is_use: impl Fn(&LayoutOperand, &LayoutOperand) -> bool,
) {
    let others = [a, b].map(|value| other_operand(domain, value));
    let [left, right] = [(a, &others[0]), (b, &others[1])].map(|(value, other)| match other {
        Some((operand, _)) => *operand,
        None => operand_of(domain, value),
    });
    // Of one object only the order depends on how far they are: `note_if_order_wraps`.
    if others.iter().all(Option::is_none) || left.same_object(&right) || !is_use(&left, &right) {
        return;
    }
    for (_, claim) in others.into_iter().flatten() {
        note_use(domain, Use::NumberIf(claim));
    }
}

/// Whether two terms are ordered that are addresses of one object, or an address that is a term is compared with null.
#[inline(always)]
pub(crate) fn compares_terms(op: CompareOp, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Symbolic(a), Value::Symbolic(b)) => {
            is_order(op) && a.object == b.object && !a.object.object_unknown()
        }
        (Value::Symbolic(a), Value::Word(_)) | (Value::Word(_), Value::Symbolic(a)) => {
            a.object.is_address_of_known()
        }
        (Value::Word(_), Value::Word(_)) => false,
    }
}

fn is_order(op: CompareOp) -> bool {
    match op {
        CompareOp::Eq | CompareOp::Ne => false,
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
    }
}

/// Notes the order of two addresses of one object if a number as large as an address may have been added to one of
/// them: where the sum wraps around depends on the layout.
fn note_if_order_wraps(domain: &mut SymbolicDomain, op: CompareOp, a: &Value, b: &Value) {
    if !is_order(op) || a.object() != b.object() || a.object().object_unknown() {
        return;
    }
    for value in [a, b] {
        if let Some(claim) = may_wrap_around(domain, value) {
            note_use(domain, Use::NumberIf(claim));
        }
    }
}

/// That an address, or a number less an address, is so far from its object that it may have wrapped around, if its
/// form does not exclude that.
fn may_wrap_around(domain: &SymbolicDomain, value: &Value) -> Option<Term> {
    let Value::Symbolic(symbolic) = value else {
        return None;
    };
    let object = symbolic.object;
    let info = domain.memory.info(Word { bits: 0, object }).ok()?;
    let store = &domain.cx.store;
    let term = symbolic.bits(store);
    if term.width() != 64 {
        return None;
    }
    let base = base_for(store, &term, &info);
    let offset = match object.is_taken() {
        true => store.bv_add(&term, &base),
        false => store.bv_sub(&term, &base),
    };
    if is_within(&offset, NEAREST_BEYOND) {
        return None;
    }
    let from_first = store.bv_add(&offset, &store.bv(64, NEAREST_BEYOND));
    Some(store.bv_ult(&store.bv(64, 2 * NEAREST_BEYOND), &from_first))
}

/// Notes the operator on two values, of which one at least is no plain number, if it is a use.
#[cold]
#[inline(never)]
pub(crate) fn judge(domain: &mut SymbolicDomain, op: BinaryOp, a: &Value, b: &Value) {
    if !domain.tracks_addresses || (op == BinaryOp::Sub && is_one_place(domain, a, b)) {
        return;
    }
    let width = domain.memory.pointer_width();
    if words::result_depends_on_layout(width, op, &operand_of(domain, a), &operand_of(domain, b)) {
        note_address(domain);
        return;
    }
    note_if_other(domain, a, b, |a, b| {
        words::result_depends_on_layout(width, op, a, b)
    });
    let joins = matches!(op, BinaryOp::Add | BinaryOp::Sub);
    if joins && !a.object().is_number() && !b.object().is_number() {
        for value in [a, b] {
            if let Some(claim) = may_be_a_number(domain, value) {
                note_use(domain, Use::NumberIf(claim));
            }
        }
    }
}

#[cold]
#[inline(never)]
pub(crate) fn judge_words(
    domain: &mut SymbolicDomain,
    op: BinaryOp,
    width: u32,
    a: Word,
    b: Word,
) -> ObjectId {
    let (left, right) = (Value::Word(a), Value::Word(b));
    if moving_addresses::is_machine_code(domain) {
        return moving_addresses::mark_of(domain, op, width, &left, &right);
    }
    judge(domain, op, &left, &right);
    words::object_of(op, a, b)
}

/// An operator on two values, of which one at least is a term and one no plain number.
#[cold]
#[inline(never)]
pub(crate) fn binary_of_addresses(
    domain: &mut SymbolicDomain,
    op: BinaryOp,
    width: u32,
    a: &Value,
    b: &Value,
) -> Value {
    if moving_addresses::is_machine_code(domain) {
        let object = moving_addresses::mark_of(domain, op, width, a, b);
        return moving_addresses::marked(operators::binary_terms(domain, op, width, a, b), object);
    }
    if let (BinaryOp::Mul, Value::Symbolic(chosen)) = (op, a) {
        dangling::note_integer(domain, chosen);
    }
    judge(domain, op, a, b);
    operators::binary_terms(domain, op, width, a, b)
}

/// Whether what a comparison says depends on the layout.
fn compares_layout(domain: &SymbolicDomain, op: CompareOp, a: &Value, b: &Value) -> bool {
    if moving_addresses::is_machine_code(domain) {
        return moving_addresses::orders_places(domain, op, a, b, OffsetReach::Objects);
    }
    if is_one_place(domain, a, b) {
        return false;
    }
    let (left, right) = (operand_of(domain, a), operand_of(domain, b));
    let width = domain.memory.pointer_width();
    words::comparison_depends_on_layout(width, op, &left, &right)
        || may_be_merged(domain, &left, &right)
}

/// What is known about the equality of two addresses of which one is a term, and in what way it depends on the layout.
fn equality_of_terms(
    domain: &SymbolicDomain,
    op: CompareOp,
    a: &Value,
    b: &Value,
) -> Option<LayoutEquality> {
    let is_term = matches!(a, Value::Symbolic(_)) || matches!(b, Value::Symbolic(_));
    if !is_term || is_order(op) || moving_addresses::is_machine_code(domain) {
        return None;
    }
    let (left, right) = (operand_of(domain, a), operand_of(domain, b));
    match left.same_object(&right) || may_be_merged(domain, &left, &right) {
        true => None,
        false => equality(domain, a, b),
    }
}

/// The same of a comparison.
#[cold]
#[inline(never)]
pub(crate) fn judge_order(domain: &mut SymbolicDomain, op: CompareOp, a: &Value, b: &Value) {
    if !domain.tracks_addresses {
        return;
    }
    match equality_of_terms(domain, op, a, b) {
        Some(LayoutEquality::Same) => {}
        Some(LayoutEquality::DependsIf(claim)) => note_use(domain, Use::NumberIf(claim)),
        Some(LayoutEquality::Depends) => return note_use(domain, Use::Comparison(op)),
        None if compares_layout(domain, op, a, b) => return note_use(domain, Use::Comparison(op)),
        None => {}
    }
    if moving_addresses::is_machine_code(domain) {
        if moving_addresses::orders_places(domain, op, a, b, OffsetReach::Anywhere) {
            for value in [a, b] {
                let of_object = may_be_beyond(domain, value).map(|(_, claim)| claim);
                let of_places = match value {
                    Value::Symbolic(symbolic) => may_be_beyond_places(domain, symbolic),
                    Value::Word(_) => None,
                };
                if let Some(claim) = of_object.or(of_places) {
                    note_use(domain, Use::NumberIf(claim));
                }
            }
        }
        return;
    }
    let width = domain.memory.pointer_width();
    note_if_other(domain, a, b, |a, b| {
        words::comparison_depends_on_layout(width, op, a, b)
    });
    note_if_order_wraps(domain, op, a, b);
}

#[cold]
#[inline(never)]
pub(crate) fn judge_order_of_words(domain: &mut SymbolicDomain, op: CompareOp, a: Word, b: Word) {
    judge_order(domain, op, &Value::Word(a), &Value::Word(b));
}

/// What is no plain number gets a smaller width: one bit of a part of an address is a condition. Returns what
/// the low bits belong to.
#[cold]
#[inline(never)]
pub(crate) fn judge_cut(domain: &mut SymbolicDomain, to: u32, value: &Value) -> ObjectId {
    if moving_addresses::is_machine_code(domain) {
        let left = moving_addresses::mark_of_cut(domain, to, value);
        if to == 1 && !left.is_number() {
            note_address(domain);
        }
        return left;
    }
    let operand = operand_of(domain, value);
    if to == 1 && operand.alignment() == 1 {
        note_address(domain);
    }
    words::object_of_low(&operand)
}

/// What bytes of memory belong to that are loaded as one value, if that is no object.
pub(crate) fn marks(domain: &SymbolicDomain, at: Word, bytes: u32) -> ObjectId {
    match domain.tracks_addresses && bytes <= 8 {
        true => dangling::marks_noted(domain, at, u64::from(bytes)),
        false => ObjectId::NONE,
    }
}

/// Whether a value is an address that a number was taken from: it is not in its object, nor near it.
/// Of machine code every operator says that of its own operands.
pub(crate) fn is_far(domain: &SymbolicDomain, value: &Value) -> bool {
    if moving_addresses::is_machine_code(domain) || value.object().object_unknown() {
        return false;
    }
    !operand_of(domain, value).is_near_object(domain.memory.pointer_width())
}

/// The result of an operation depends on where objects are, which is one layout of many.
#[cold]
pub(crate) fn note_address(domain: &mut SymbolicDomain) {
    note_use(domain, Use::Number);
}

fn note_use(domain: &mut SymbolicDomain, what: Use) {
    let noted = (domain.last_point, what);
    if domain.tracks_addresses && !domain.addresses_used.contains(&noted) {
        domain.addresses_used.push(noted);
    }
}

/// An access was to one of two objects that its address may belong to; `why` says which. The test may end otherwise.
pub(crate) fn note_followed(domain: &mut SymbolicDomain, why: &'static str) {
    domain.origins.note_hidden();
    note_use(domain, Use::Followed(why));
}

/// The same, at a place of the program.
pub(crate) fn followed(at: Option<String>, why: &'static str) -> Omission {
    let at = at.unwrap_or_else(|| "at an unknown place".to_string());
    Omission::Narrowed(at, why)
}
