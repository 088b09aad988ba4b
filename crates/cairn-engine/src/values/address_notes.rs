//! Where a path used an address as a number (`cairn_machine::words::uses_address`): what was explored holds
//! for one layout of many, and the run says so.
//!
//! An operation does not know its place; the last point that was passed tells the block.

use crate::calls::machine_code;
use crate::gate::{OnReplay, Verdict};
use crate::memory::array_addresses::is_within;
use crate::memory::bases::base_for;
use crate::memory::dangling;
use crate::omission::Omission;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::candidates::candidates;
use crate::values::layouts::Reach;
use crate::values::moving_addresses;
use crate::values::moving_addresses::is_same_in_all;
use crate::values::operators;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_ir::{BinaryOp, BlockId, CompareOp, FuncId, Inst, PlaceId, Program};
use cairn_machine::words::{self, At, Operand};
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
    /// To find an object, which may not be the one that it was made from.
    InItsPlace,
}

/// Files of the C++ library whose comparisons of addresses only ask whether one is in a range.
const RANGE_TESTS: [&str; 2] = ["/is_pointer_in_range.h:", "/fallback_malloc.cpp:"];

/// The file of the C++ library that such tests are inlined into; its own comparisons are of lengths.
const AROUND_RANGE_TESTS: &str = "/string:";

/// How many calls deep inlined code is looked at.
const DEEPEST_INLINED: usize = 64;

/// Offsets below this come from numbers that are no addresses.
const NEAREST_BEYOND: u64 = 1 << 46;

/// Bytes of a page; addresses below are null pointers with an offset.
const PAGE: u64 = 4096;

/// What `malloc` aligns to.
const USUAL_ALIGNMENT: u64 = 16;

/// Functions that lay out what a program finds at its start.
const STARTS: [&str; 6] = [
    "__cairn_start",
    "__cairn_arguments",
    "static_init_tls",
    "__copy_tls",
    "__init_libc",
    "__init_ssp",
];

/// A value as a word with what it belongs to. The bits of one that is not known are none: what looks at
/// them is asked again with the value itself.
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
fn operand_of(domain: &SymbolicDomain, value: &Value) -> Operand {
    let (known, object) = match value {
        Value::Word(word) => (Some(word.bits), word.object),
        Value::Symbolic(symbolic) => (None, symbolic.object),
    };
    if object.is_number() {
        return Operand::Number(known);
    }
    if object.is_part() {
        return Operand::Part(object.low_alignment());
    }
    if !object.object_unknown() {
        return match domain.memory.info(Word { bits: 0, object }) {
            Ok(info) => in_object(domain, info, value, known),
            Err(_) => Operand::Gone(known.unwrap_or(0)),
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
        return Operand::Code(bits);
    }
    // One that is rounded up, to a page at most, still means its object.
    match domain.memory.around(
        words::without_tag(domain.memory.pointer_width(), bits),
        PAGE,
    ) {
        Some(info) => Operand::Object(info, At::Known(bits)),
        // Null, or another number that stands in a pointer's place.
        None if bits < PAGE => Operand::Number(Some(bits)),
        None => Operand::Gone(bits),
    }
}

/// An address of which the object is known. One that depends on inputs may be anywhere in it, unless it is
/// far from it under the path's model.
fn in_object(
    domain: &SymbolicDomain,
    info: ObjectInfo,
    value: &Value,
    known: Option<u64>,
) -> Operand {
    let width = domain.memory.pointer_width();
    let bits = match (value, known) {
        (Value::Word(word), _) => return Operand::Object(info, At::Known(word.bits)),
        (Value::Symbolic(_), Some(known)) => return Operand::Object(info, At::Known(known)),
        (Value::Symbolic(symbolic), None) => under_model(domain, &symbolic.bits(&domain.cx.store)),
    };
    let example = Operand::Object(info, At::Known(bits));
    match example.is_near_object(width) {
        true => Operand::Object(info, At::Anywhere(words::tag_of(width, bits))),
        false => example,
    }
}

/// An address whose object may depend on inputs. Numbers among them that are no addresses are not looked at
/// here: see [`may_be_a_number`].
fn chosen_by_inputs(domain: &SymbolicDomain, symbolic: &Symbolic) -> Operand {
    let width = domain.memory.pointer_width();
    let term = symbolic.bits(&domain.cx.store);
    let Some(all) = candidates(&term) else {
        let tag = words::tag_of(width, under_model(domain, &term));
        return Operand::Chosen(1, Some(tag));
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
                return Operand::Gone(bits);
            }
            Some(info) => {
                alignment = alignment.min(info.align);
                is_one &= only.is_none_or(|(only, _)| only.object == info.object);
                only = Some((info, bits));
            }
            None => return Operand::Chosen(1, tag),
        }
    }
    match only {
        // One of them stands for all: none is the end of the object, or far from it.
        Some((info, bits)) if is_one => Operand::Object(info, At::Known(bits)),
        Some(_) | None => Operand::Chosen(alignment, tag),
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
    let small = candidates(&term)?.into_iter().any(|bits| bits < PAGE);
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
fn may_be_merged(domain: &SymbolicDomain, a: &Operand, b: &Operand) -> bool {
    let rest = |of: &Operand| match of {
        Operand::Object(info, At::Known(bits)) if info.kind == ObjectKind::Constant => {
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
        Operand::Number(_)
        | Operand::Part(_)
        | Operand::Object(_, _)
        | Operand::Chosen(..)
        | Operand::Code(_)
        | Operand::Gone(_) => None,
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
    if object.is_number() || object.is_part() || object.object_unknown() {
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

/// Notes two values as used if one of them is not near its object and something is then a use.
fn note_if_beyond(
    domain: &mut SymbolicDomain,
    a: &Value,
    b: &Value,
    is_use: impl Fn(&Operand, &Operand) -> bool,
) {
    let beyond = [a, b].map(|value| may_be_beyond(domain, value));
    let [left, right] = [(a, &beyond[0]), (b, &beyond[1])].map(|(value, beyond)| match beyond {
        Some((info, _)) => Operand::Object(*info, At::Beyond),
        None => operand_of(domain, value),
    });
    // The order of two addresses of one object is taken for that of their offsets.
    if beyond.iter().all(Option::is_none) || left.same_object(&right) || !is_use(&left, &right) {
        return;
    }
    for (_, claim) in beyond.into_iter().flatten() {
        note_use(domain, Use::NumberIf(claim));
    }
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
    note_if_beyond(domain, a, b, |a, b| {
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
    judge(domain, op, a, b);
    operators::binary_terms(domain, op, width, a, b)
}

/// Whether what a comparison says depends on the layout.
fn compares_layout(domain: &SymbolicDomain, op: CompareOp, a: &Value, b: &Value) -> bool {
    if moving_addresses::is_machine_code(domain) {
        return moving_addresses::orders_places(domain, op, a, b, Reach::Objects);
    }
    if is_one_place(domain, a, b) {
        return false;
    }
    let (left, right) = (operand_of(domain, a), operand_of(domain, b));
    let width = domain.memory.pointer_width();
    words::comparison_depends_on_layout(width, op, &left, &right)
        || may_be_merged(domain, &left, &right)
}

/// The same of a comparison.
#[cold]
#[inline(never)]
pub(crate) fn judge_order(domain: &mut SymbolicDomain, op: CompareOp, a: &Value, b: &Value) {
    if !domain.tracks_addresses {
        return;
    }
    if compares_layout(domain, op, a, b) {
        return note_use(domain, Use::Comparison(op));
    }
    if moving_addresses::is_machine_code(domain) {
        if moving_addresses::orders_places(domain, op, a, b, Reach::Anywhere) {
            for (_, claim) in [a, b]
                .into_iter()
                .filter_map(|v| may_be_beyond(domain, v))
                .collect::<Vec<_>>()
            {
                note_use(domain, Use::NumberIf(claim));
            }
        }
        return;
    }
    let width = domain.memory.pointer_width();
    note_if_beyond(domain, a, b, |a, b| {
        words::comparison_depends_on_layout(width, op, a, b)
    });
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

/// Decides about addresses that were used as numbers if something holds.
#[cold]
pub(crate) fn settle_uses(step: &mut StepContext<'_>, state: &mut State) {
    let mut settled = Vec::new();
    for (point, what) in std::mem::take(&mut state.domain.addresses_used) {
        let what = match what {
            Use::NumberIf(claim) => {
                // A path that is run again said so before.
                match step.gate.ask(&step.cx, state, &claim, OnReplay::Impossible) {
                    Verdict::Impossible(_) => continue,
                    Verdict::Possible(_) | Verdict::Undecided(_) => Use::Number,
                }
            }
            what @ (Use::Number | Use::Comparison(_) | Use::InItsPlace) => what,
        };
        if !settled.contains(&(point, what.clone())) {
            settled.push((point, what));
        }
    }
    state.domain.addresses_used = settled;
}

/// An access was to the object that has the place of one that has ended.
pub(crate) fn note_in_its_place(domain: &mut SymbolicDomain) {
    note_use(domain, Use::InItsPlace);
}

/// The same, at a place of the program.
pub(crate) fn in_its_place(at: Option<String>) -> Omission {
    let at = at.unwrap_or_else(|| "at an unknown place".to_string());
    Omission::Narrowed(at, dangling::IN_ITS_PLACE)
}

/// Addresses were used as numbers, in output or in conditions: another layout has others.
#[cold]
pub(crate) fn note_addresses(step: &StepContext<'_>, state: &mut State) {
    let cover = step.shared.cover_now();
    let program = step.shared.program_now();
    for (point, what) in std::mem::take(&mut state.domain.addresses_used) {
        if matches!(what, Use::NumberIf(_)) {
            state.domain.addresses_used.push((point, what));
            continue;
        }
        let block = cover.block_of(point);
        let starts = |function: FuncId| STARTS.contains(&program.function(function).name.as_str());
        if block.is_some_and(|(function, _)| starts(function)) {
            continue;
        }
        if let (Use::Comparison(op), Some(at)) = (&what, block)
            && is_range_test(step, &program, at, *op)
        {
            continue;
        }
        let same = |function: FuncId| is_same_in_all(&program.function(function).name);
        let in_code =
            moving_addresses::is_machine_code(&state.domain) && matches!(what, Use::Comparison(_));
        if in_code && block.is_some_and(|(function, _)| same(function)) {
            continue;
        }
        let place = block.and_then(|(function, block)| {
            let body = program.function(function).body.as_ref()?;
            let block = body.block(block);
            let mut places = block.insts.iter().map(|(_, place)| *place);
            let known = places.find(|place| *place != PlaceId::UNKNOWN);
            Some(machine_code::place_text(
                step,
                known.unwrap_or(block.terminator.1),
            ))
        });
        let omission = match what {
            Use::Number | Use::NumberIf(_) | Use::Comparison(_) => Omission::AddressUsed(place),
            Use::InItsPlace => in_its_place(place),
        };
        step.shared.leave_out(omission);
    }
}

/// Whether a block asks whether a pointer is in a range, as code of the library does (whichever way objects of
/// different places are ordered, it is not), and has no comparison of the kind that is the program's own: which
/// of them was the one is not known. One whose place the optimiser lost is taken for the library's.
fn is_range_test(
    step: &StepContext<'_>,
    program: &Program,
    (function, block): (FuncId, BlockId),
    op: CompareOp,
) -> bool {
    let Some(body) = program.function(function).body.as_ref() else {
        return false;
    };
    let is_alike = |inst: &Inst| matches!(inst, Inst::Compare { op: of, .. } if *of == op);
    // Also what is inlined into the test: it calls a function that compares.
    let tests = |place: PlaceId| {
        let outer = |place: &PlaceId| program.place(*place).inlined_at;
        let mut chain = std::iter::successors(Some(place), outer).take(DEEPEST_INLINED);
        chain.any(|place| {
            let text = machine_code::place_text(step, place);
            RANGE_TESTS.iter().any(|file| text.contains(file))
        })
    };
    let is_other = |place: PlaceId| {
        let around = || machine_code::place_text(step, place).contains(AROUND_RANGE_TESTS);
        place != PlaceId::UNKNOWN && !tests(place) && !around()
    };
    let block = body.block(block);
    let places = block.insts.iter().map(|(_, place)| *place);
    let mut places = places.chain([block.terminator.1]);
    let mut alike = block.insts.iter().filter(|(inst, _)| is_alike(inst));
    places.any(tests) && !alike.any(|(_, place)| is_other(*place))
}
