//! Accesses at an offset that is one of a few, chosen by conditions.
//!
//! # Problem
//!
//! Compilers make selects out of branches: `a[x < y ? 1 : 2] = 0`. The offset is a term, so the
//! object would become an array with a store, and whatever is read of it later a select.
//!
//! # Idea
//!
//! What such a term chooses between is written in it: conditions and constants. A read is then a
//! choice between the few places, and a write changes each of them under its condition; the object stays
//! as it is. Only the shape of the term is looked at, nothing is asked.
//!
//! # Soundness
//!
//! [`choices`] follows the operators' meaning: for every input exactly one of its conditions
//! holds, and the term then has that value. The access is inside of the object, which is a fact of the
//! path before anything here is asked, so places outside are never chosen and are left out.
//! Places may overlap: they are written one after the other, and what was not chosen writes what was there.
//!
//! # Cost
//!
//! A walk of at most [`STEPS`] operators for an access at an unknown offset; it ends at the first
//! input. Terms grow with each write by a condition for each place, where an array grows by one store.

use crate::memory::arrays::PartQueue;
use crate::memory::bases::without_inputs;
use crate::memory::owners;
use crate::memory::sizes;
use crate::values::address_notes;
use crate::values::operators::either;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::value::Value;
use cairn_expr::{Op, Term, TermStore};
use cairn_memory::{Cell, ObjectId, ObjectInfo, Word};
use smallvec::SmallVec;

/// Values that an offset chooses between, at most.
const MOST: usize = 8;
/// Operators that are looked at.
const STEPS: u32 = 64;

/// A value and when it is chosen.
struct Choice {
    when: Term,
    value: Term,
}

type Choices = SmallVec<[Choice; MOST]>;

/// The values that a term has, all constants, with the condition of each; `None` if there are many or
/// they are not written in it.
fn choices(store: &TermStore, term: &Term, steps: &mut u32) -> Option<Choices> {
    *steps = steps.checked_sub(1)?;
    let mut all = Choices::new();
    match term.op() {
        Op::Const(_) => all.push(Choice {
            when: store.true_(),
            value: term.clone(),
        }),
        Op::Ite => {
            let condition = term.arg(0);
            for (when, side) in [
                (condition.clone(), term.arg(1)),
                (store.not(condition), term.arg(2)),
            ] {
                for choice in choices(store, side, steps)? {
                    add(
                        store,
                        &mut all,
                        store.and(&when, &choice.when),
                        choice.value,
                    )?;
                }
            }
        }
        Op::BvNot | Op::BvNeg | Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { .. } => {
            for choice in choices(store, term.arg(0), steps)? {
                let value = store.rebuild(term, &[choice.value]);
                add(store, &mut all, choice.when, value)?;
            }
        }
        Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat => {
            let left = choices(store, term.arg(0), steps)?;
            let right = choices(store, term.arg(1), steps)?;
            for a in &left {
                for b in &right {
                    let when = store.and(&a.when, &b.when);
                    let value = store.rebuild(term, &[a.value.clone(), b.value.clone()]);
                    add(store, &mut all, when, value)?;
                }
            }
        }
        Op::Bool(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => return None,
    }
    Some(all)
}

/// One more value; the same one twice is chosen by either condition.
fn add(store: &TermStore, all: &mut Choices, when: Term, value: Term) -> Option<()> {
    if when.is_false() {
        return Some(());
    }
    value.as_const()?;
    match all.iter().position(|c| c.value == value) {
        Some(same) => all[same].when = store.or(&all[same].when, &when),
        None if all.len() == MOST => return None,
        None => all.push(Choice { when, value }),
    }
    Some(())
}

/// A place in memory and when it is the one.
pub(crate) struct GuardedPlace {
    when: Term,
    pub at: Word,
}

impl GuardedPlace {
    pub fn new(when: Term, at: Word) -> Self {
        GuardedPlace { when, at }
    }
}

/// The places of an access at an offset that is inside of an object, if they are a few.
pub(crate) fn few_places(
    domain: &SymbolicDomain,
    info: &ObjectInfo,
    offset: &Term,
    length: u64,
) -> Option<SmallVec<[GuardedPlace; MOST]>> {
    let all = choices(&domain.cx.store, offset, &mut STEPS.clone())?;
    let inside = all.into_iter().filter_map(|choice| {
        let offset = choice.value.as_const()?.to_u64()?;
        let end = offset.checked_add(length)?;
        (end <= info.capacity).then(|| GuardedPlace {
            when: choice.when,
            at: Word {
                bits: info.address + offset,
                object: info.object,
            },
        })
    });
    let places: SmallVec<[GuardedPlace; MOST]> = inside.collect();
    (!places.is_empty()).then_some(places)
}

fn at_place(
    domain: &mut SymbolicDomain,
    place: &GuardedPlace,
    length: u32,
) -> Result<Term, AccessError> {
    let mut parts = Vec::new();
    domain
        .memory
        .load_parts(place.at, u64::from(length), &mut parts)?;
    let taken = PartQueue::new(parts).take(domain, length);
    Ok(taken.into_term(&domain.cx.store, length))
}

/// Reads at one of some places.
pub(crate) fn read_chosen(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    places: &[GuardedPlace],
    length: u32,
) -> Result<Term, AccessError> {
    let (last, others) = places.split_last().expect("there is a place");
    sizes::with_all_bytes(domain, &[*info], |domain| {
        let mut term = at_place(domain, last, length)?;
        for place in others {
            let here = at_place(domain, place, length)?;
            term = domain.cx.store.ite(&place.when, &here, &term);
        }
        Ok(term)
    })
}

/// Writes to one of some places.
pub(crate) fn write_chosen(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    places: &[GuardedPlace],
    value: &Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    sizes::with_all_bytes(domain, &[*info], |domain| {
        write_places(domain, places, value, object)
    })
}

/// Writes to one of some places, all of whose bytes exist.
pub(crate) fn write_places(
    domain: &mut SymbolicDomain,
    places: &[GuardedPlace],
    value: &Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    let length = value.width() / 8;
    for place in places {
        let (term, object) = match places.len() {
            1 => (value.clone(), object),
            _ => {
                let before = at_place(domain, place, length)?;
                let term = domain.cx.store.ite(&place.when, value, &before);
                (
                    term,
                    either(object, address_notes::marks(domain, place.at, length)),
                )
            }
        };
        write_place(domain, place, length, term, object)?;
    }
    Ok(())
}

fn write_place(
    domain: &mut SymbolicDomain,
    place: &GuardedPlace,
    length: u32,
    term: Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    let is_known = term.as_const().is_some() || without_inputs(&term).is_some();
    if is_known
        && length <= 8
        && let Value::Word(word) = owners::value_of_part(domain, term.clone(), object)
    {
        // Every value that it may be is the same address.
        return Ok(domain.memory.store_word(place.at, length, word)?);
    }
    let skip = 0;
    let cell = Cell::Term { term, skip, object };
    Ok(domain
        .memory
        .store_cell(place.at, u64::from(length), cell)?)
}

#[cfg(test)]
mod tests {
    use super::{STEPS, choices};
    use cairn_bv::BitVec;
    use cairn_expr::{Evaluator, Model, Sort, TermStore, Value};

    /// For every input exactly one condition holds, and the term has its value.
    #[test]
    fn exactly_one_choice_holds_and_is_the_value() {
        let store = TermStore::new();
        let [x, y] = ["x", "y"].map(|name| store.symbol(name, Sort::BitVec(3)));
        let bv = |word| store.bv(8, word);
        let first = store.ite(&store.bv_ult(&x, &y), &bv(3), &bv(250));
        let second = store.ite(&store.eq(&x, &store.bv(3, 2)), &bv(8), &first);
        let moved = store.bv_add(&store.bv_mul(&second, &bv(4)), &first);
        let term = store.sign_extend(&store.bv_neg(&moved), 8);
        let all = choices(&store, &term, &mut STEPS.clone()).expect("a few");
        assert!((2..=4).contains(&all.len()), "{}", all.len());
        let mut evaluator = Evaluator::new();
        for i in 0..64 {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(BitVec::new(3, i % 8)));
            model.set(y.clone(), Value::Bv(BitVec::new(3, i / 8)));
            evaluator.start();
            let value = evaluator.eval_bv(&term, &model);
            let mut holds = all.iter().filter(|c| evaluator.eval_bool(&c.when, &model));
            let chosen = holds.next().expect("one holds");
            assert_eq!(chosen.value.as_const(), Some(&value));
            assert!(holds.next().is_none(), "only one holds");
        }
        let many = store.zero_extend(&x, 5);
        assert!(choices(&store, &many, &mut STEPS.clone()).is_none());
    }
}
