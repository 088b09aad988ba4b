//! Which values at unknown offsets may be addresses. Not: what an address is (`memory/addresses.rs`).
//!
//! # Problem
//!
//! A term that is read at an unknown offset, or from an object that was written at one, does not
//! say whether it is an address: under one model it is a number, under another it points to something.
//!
//! # Idea
//!
//! Memory knows of each byte whether it may be part of an address, in arrays too (`AddressMap`). An offset
//! mostly has the form `c + i * size`. A value that is read at such an offset may be an address if one is at
//! any of these places; an address that is written may be at each of them afterwards.
//!
//! # Soundness
//!
//! Over-approximates: all offsets of the form count, not only those that the path's facts leave. So a
//! number may be taken for an address, never an address for a number.
//!
//! # Cost
//!
//! A walk of at most 24 levels of the offset's term, and a look at each of its places in the object; only
//! where the object holds an address or one is written.

use crate::memory::access;
use crate::memory::arrays;
use crate::memory::dangling;
use crate::memory::owners;
use crate::memory::sizes;
use crate::values::address_notes;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::{Op, Term, low_zeros};
use cairn_memory::{AddressMap, Cell, ObjectId, ObjectInfo, Word};
use std::rc::Rc;

/// How far down a term is looked at.
const DEEPEST: u32 = 24;

/// Bounds above this are as good as none.
const LARGEST: i128 = 1 << 100;

/// An integer that a term is modulo 2 to the power of its width: `rest` and a multiple of `step` (`rest` alone
/// if that is 0), and no further from 0 than `bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AffineForm {
    step: i128,
    rest: i128,
    bound: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl AffineForm {
    fn number(value: i128) -> AffineForm {
        AffineForm {
            step: 0,
            rest: value,
            bound: value.abs(),
        }
    }

    /// What is known of any term, read as a number without a sign (or with one).
    fn any(term: &Term, signed: bool) -> AffineForm {
        let bits = term.width() - u32::from(signed);
        AffineForm {
            step: 1 << low_zeros(term).min(64),
            rest: 0,
            bound: 1 << bits.min(100),
        }
    }

    fn sum(self, other: AffineForm) -> AffineForm {
        AffineForm {
            step: gcd(self.step, other.step),
            rest: self.rest + other.rest,
            bound: self.bound + other.bound,
        }
    }

    fn times(self, by: i128) -> Option<AffineForm> {
        Some(AffineForm {
            step: self.step.checked_mul(by)?.abs(),
            rest: self.rest.checked_mul(by)?,
            bound: self.bound.checked_mul(by.abs())?,
        })
    }

    fn or(self, other: AffineForm) -> AffineForm {
        let step = gcd(gcd(self.step, other.step), self.rest - other.rest);
        AffineForm {
            step,
            rest: self.rest,
            bound: self.bound.max(other.bound),
        }
    }

    fn of(term: &Term, depth: u32) -> AffineForm {
        let Some(below) = depth.checked_sub(1) else {
            return AffineForm::any(term, false);
        };
        let of = |i: usize| AffineForm::of(term.arg(i), below);
        let constant = |i: usize| term.arg(i).as_const().and_then(signed);
        let found = match term.op() {
            Op::Const(value) => signed(value).map(AffineForm::number),
            Op::BvAdd => Some(of(0).sum(of(1))),
            Op::BvNeg => of(0).times(-1),
            Op::BvMul => match (constant(0), constant(1)) {
                (Some(by), _) => of(1).times(by),
                (_, Some(by)) => of(0).times(by),
                (None, None) => None,
            },
            Op::BvShl => match constant(1) {
                Some(by @ 0..64) => of(0).times(1 << by),
                Some(_) | None => None,
            },
            Op::Concat => {
                let low = term.arg(1);
                match (term.arg(0).as_const(), low.as_const()) {
                    (Some(high), _) if high.is_zero() => Some(AffineForm::any(low, false)),
                    (_, Some(below)) if low.width() < 64 => {
                        let below = below
                            .to_u64()
                            .map(|bits| AffineForm::number(i128::from(bits)));
                        let above = of(0).times(1 << low.width());
                        above.zip(below).map(|(above, below)| above.sum(below))
                    }
                    (_, _) => None,
                }
            }
            Op::ZeroExtend(_) => Some(AffineForm::any(term.arg(0), false)),
            Op::SignExtend(_) => Some(AffineForm::any(term.arg(0), true)),
            Op::Ite => Some(of(1).or(of(2))),
            Op::Base(_)
            | Op::Bool(_)
            | Op::Symbol(_)
            | Op::Table(_)
            | Op::Not
            | Op::And
            | Op::Eq
            | Op::BvNot
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvLshr
            | Op::BvAshr
            | Op::Extract { .. }
            | Op::BvUlt
            | Op::BvSlt
            | Op::ConstArray { .. }
            | Op::Select
            | Op::Store => None,
        };
        let found = found.filter(|form| form.bound < LARGEST && form.step < LARGEST);
        found.unwrap_or_else(|| AffineForm::any(term, false))
    }
}

/// A constant of at most 64 bits as a number with a sign.
fn signed(value: &BitVec) -> Option<i128> {
    let unused = 64u32.checked_sub(value.width())?;
    let bits = value.to_u64()?;
    Some(i128::from(((bits << unused) as i64) >> unused))
}

/// Whether a term of 64 bits is nearer to 0 than a number for every input, read with a sign.
pub(crate) fn is_within(term: &Term, number: u64) -> bool {
    AffineForm::of(term, DEEPEST).bound < i128::from(number).min(1 << 63)
}

/// Offsets inside of an object: some number, and every one that is further by a multiple of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offsets {
    pub first: u64,
    pub step: u64,
}

impl Offsets {
    /// Those that a term of at most 64 bits can be which is inside of an object.
    pub fn of(offset: &Term) -> Offsets {
        let form = AffineForm::of(offset, DEEPEST);
        // The offset is a small number; an integer that is as small is the offset itself.
        let width = offset.width();
        let step = match form.bound < 1 << (width - 1) {
            true => form.step,
            false => gcd(form.step, 1 << width),
        };
        match step {
            0 => Offsets {
                first: u64::try_from(form.rest).unwrap_or(u64::MAX),
                step: 0,
            },
            step => Offsets {
                first: form.rest.rem_euclid(step) as u64,
                step: u64::try_from(step).unwrap_or(0),
            },
        }
    }

    /// The numbers that the lowest bits of a term can be, whatever the bits above them are.
    pub fn modulo(term: &Term, bits: u32) -> Offsets {
        let form = AffineForm::of(term, DEEPEST);
        let modulus = 1i128 << bits.min(term.width()).min(64);
        let step = gcd(form.step, modulus);
        Offsets {
            first: form.rest.rem_euclid(step) as u64,
            // A step as large as all numbers is none.
            step: if step == modulus { 0 } else { step as u64 },
        }
    }

    /// The same, further by some bytes.
    fn moved(self, by: u64) -> Offsets {
        Offsets {
            first: self.first.saturating_add(by),
            ..self
        }
    }

    /// Those at which an access of a length is in an object of a size.
    fn inside(self, size: u64, length: u64) -> impl Iterator<Item = u64> {
        let next = move |offset: &u64| match self.step {
            0 => None,
            step => offset.checked_add(step),
        };
        let fits = move |offset: &u64| offset.checked_add(length).is_some_and(|end| end <= size);
        std::iter::successors(Some(self.first), next).take_while(fits)
    }
}

fn start_of(info: &ObjectInfo) -> Word {
    Word {
        bits: info.address,
        object: info.object,
    }
}

fn pointer_bytes(domain: &SymbolicDomain) -> u64 {
    u64::from(domain.memory.pointer_width().bytes())
}

fn holds_addresses(domain: &SymbolicDomain, info: &ObjectInfo) -> bool {
    let all = info.capacity;
    domain.tracks_addresses && domain.memory.address_bytes(start_of(info), all, 1) != 0
}

/// The provenance of a value of up to 8 bytes that is read at an unknown offset.
pub(crate) fn marks_at(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    offset: &Term,
    bytes: u32,
) -> ObjectId {
    if !holds_addresses(domain, info) {
        return ObjectId::NONE;
    }
    let offsets = Offsets::of(offset);
    with_whole(domain, info, |domain| {
        marks_at_one_of(domain, info, offsets, u64::from(bytes))
    })
}

/// Looks at an object of which all bytes can be read that it has room for: what it holds does not depend
/// on how many of them are known to exist.
fn with_whole<T>(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    look: impl FnOnce(&SymbolicDomain) -> T,
) -> T {
    let found = sizes::with_all_bytes(domain, &[*info], |domain| Ok(look(domain)));
    found.expect("looking does not fail")
}

fn marks_at_one_of(
    domain: &SymbolicDomain,
    info: &ObjectInfo,
    offsets: Offsets,
    bytes: u64,
) -> ObjectId {
    marks_at_places(domain, info, offsets.inside(info.capacity, bytes), bytes)
}

/// The provenance of a value that is read at one of some places of an object.
pub(crate) fn marks_at_places(
    domain: &SymbolicDomain,
    info: &ObjectInfo,
    places: impl Iterator<Item = u64>,
    bytes: u64,
) -> ObjectId {
    let mut found = ObjectId::NONE;
    if !holds_addresses(domain, info) {
        return found;
    }
    for offset in places {
        let at = start_of(info).offset(offset);
        match dangling::marks_noted(domain, at, bytes) {
            ObjectId::NONE => {}
            ObjectId::ADDRESS if !is_far_there(domain, at) => found = ObjectId::ADDRESS,
            _ => return ObjectId::PART,
        }
    }
    found
}

/// Whether a word in memory is an address that a number was subtracted from.
fn is_far_there(domain: &SymbolicDomain, at: Word) -> bool {
    let bytes = domain.memory.pointer_width().bytes();
    let word = domain.memory.load_word(at, bytes);
    match (word, domain.memory.cell_around(at, bytes)) {
        (Ok(word), _) => address_notes::is_far(domain, &Value::Word(word)),
        (Err(_), Some((Cell::Term { term, object, .. }, 0))) if term.width() == 8 * bytes => {
            address_notes::is_far(domain, &Value::from_term(term.clone(), *object))
        }
        (Err(_), _) => false,
    }
}

/// Which bytes of an array that is to replace an object's content may be part of an address, after a value
/// was written at an unknown offset. The array begins `shift` bytes before the object.
pub(crate) fn addresses_with(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    shift: u64,
    offset: &Term,
    value: &Term,
    object: ObjectId,
) -> Option<Rc<AddressMap>> {
    let before = with_whole(domain, info, |domain| addresses_of(domain, info, shift));
    if object.is_number() || !domain.tracks_addresses {
        return before;
    }
    let is_part =
        object.is_part() || address_notes::is_far(domain, &Value::from_term(value.clone(), object));
    let length = u64::from(value.width() / 8);
    let offsets = Offsets::of(offset);
    let places = || {
        let inside = offsets.inside(info.capacity, length);
        inside.map(move |offset| shift.wrapping_add(offset))
    };
    if let Some(before) = &before
        && (before.has_parts() || !is_part)
        && places().all(|at| before.count(at, length) == length)
    {
        return Some(Rc::clone(before));
    }
    let mut map = before.as_deref().cloned().unwrap_or_default();
    places().for_each(|at| map.add(at, length, is_part));
    Some(Rc::new(map))
}

/// The same before anything is written.
fn addresses_of(domain: &SymbolicDomain, info: &ObjectInfo, shift: u64) -> Option<Rc<AddressMap>> {
    let start = start_of(info);
    let all = u32::try_from(info.capacity).ok();
    if let Some(all) = all
        && let Some((
            Cell::Array {
                index, addresses, ..
            },
            0,
        )) = domain.memory.cell_around(start, all)
        && *index == shift
    {
        return addresses.clone();
    }
    if !holds_addresses(domain, info) {
        return None;
    }
    let mut map = AddressMap::default();
    let word = pointer_bytes(domain);
    for offset in (0..info.capacity).step_by(word as usize) {
        let length = (info.capacity - offset).min(word);
        let place = shift.wrapping_add(offset);
        match dangling::marks_noted(domain, start.offset(offset), length) {
            ObjectId::NONE => {}
            ObjectId::ADDRESS => {
                map.add(place, length, is_far_there(domain, start.offset(offset)));
            }
            _ => (0..length)
                .filter(|i| domain.memory.address_bytes(start.offset(offset + i), 1, 1) != 0)
                .for_each(|i| map.add(place + i, 1, true)),
        }
    }
    Some(Rc::new(map))
}

/// The provenance of each word of a pointer's width of bytes that are copied; none if all are plain numbers.
pub(crate) fn marks_of_copy(
    domain: &mut SymbolicDomain,
    from: &Value,
    info: Option<(&ObjectInfo, &Term)>,
    length: u64,
) -> Vec<ObjectId> {
    let word = pointer_bytes(domain);
    let pieces = || {
        let starts = (0..length).step_by(word as usize);
        starts.map(|at| (at, (length - at).min(word)))
    };
    match (from, info) {
        (Value::Word(from), _) => {
            if !domain.tracks_addresses || domain.memory.address_bytes(*from, length, 1) == 0 {
                return Vec::new();
            }
            let marks =
                pieces().map(|(at, bytes)| dangling::marks_noted(domain, from.offset(at), bytes));
            marks.collect()
        }
        (Value::Symbolic(_), Some((info, offset))) if holds_addresses(domain, info) => {
            let offsets = Offsets::of(offset);
            with_whole(domain, info, |domain| {
                let at_piece =
                    |(at, bytes)| marks_at_one_of(domain, info, offsets.moved(at), bytes);
                pieces().map(at_piece).collect()
            })
        }
        (Value::Symbolic(_), _) => Vec::new(),
    }
}

/// Bytes of a wide value, from a byte on.
fn piece(domain: &SymbolicDomain, value: &Wide, from: u64, bytes: u64) -> Term {
    let store = &domain.cx.store;
    let (low, high) = (8 * from as u32, 8 * (from + bytes) as u32 - 1);
    store.extract(&value.term(store), high, low)
}

/// Writes again those of some bytes that were copied which belong to something.
pub(crate) fn store_marks(
    domain: &mut SymbolicDomain,
    to: &Value,
    info: Option<(&ObjectInfo, &Term)>,
    content: &Wide,
    marks: &[ObjectId],
) -> Result<(), AccessError> {
    let length = u64::from(content.width() / 8);
    let word = pointer_bytes(domain);
    for (i, &object) in marks.iter().enumerate().filter(|(_, o)| !o.is_number()) {
        let from = word * i as u64;
        let bytes = (length - from).min(word);
        let term = piece(domain, content, from, bytes);
        match (to, info) {
            (Value::Word(to), _) => {
                let value = owners::value_of_part(domain, term, object);
                access::store_value(domain, &Value::Word(to.offset(from)), bytes as u32, &value)?;
            }
            (Value::Symbolic(_), Some((info, offset))) => {
                let store = &domain.cx.store;
                let offset = store.bv_add(offset, &store.bv(64, from));
                arrays::write_at(domain, info, &offset, &term, object)?;
            }
            (Value::Symbolic(_), None) => {}
        }
    }
    Ok(())
}
