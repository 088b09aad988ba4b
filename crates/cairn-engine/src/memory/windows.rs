//! Accesses by symbolic addresses to a part of an object: the whole stack or a segment of machine code, or a large object of a source.
//!
//! # Problem
//!
//! Machine code has no objects: its arrays lie in the stack and in segments, which are
//! objects of megabytes. Read as a whole, such an object is a large array; written as a whole, every
//! variable beside the array would become a term of the index, return addresses first.
//!
//! # Idea
//!
//! The solver knows where an address can be. An access is to the bytes between the smallest and the
//! largest address that it can have on its path, its window; the rest of the object stays as it
//! is. Most windows come from the sets of values that a layer keeps of inputs, and nothing is
//! asked. For a write in machine code the window is exact.
//!
//! Where objects are those of the source (not `goes_by_address`), those of more than [`LARGE`] bytes have windows if a
//! layer knows that an access is to less than half of the object; nothing is solved for it, and nothing is cut.
//!
//! # Soundness
//!
//! The window holds every address that the access can have under the facts of the path, which
//! only become more. If it is larger than [`LARGEST`], the access is followed in one
//! part of it and the rest is cut and reported.
//!
//! - **Words at the end of an object.** String functions read aligned words, also past the end of what the
//!   program asked for. Such a word has zeros behind the end. If the size is a term, so is what is behind it.
//!
//! # Cost
//!
//! No query for a read whose window is known, a few for others.

use crate::calls::machine_code;
use crate::gate::{Gate, Logged};
use crate::memory::access;
use crate::memory::array_addresses;
use crate::memory::arrays;
use crate::memory::arrays::is_multiple;
use crate::memory::bases::base_for;
use crate::memory::sizes;
use crate::omission::{Omission, Question};
use crate::path::cases::{Case, Effect, Feasibility, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::address_notes;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Term, TermStore};
use cairn_memory::{Fault, ObjectInfo, ObjectKind, Word};
use cairn_solver::Bounds;

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first address.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
}

/// The largest window that is followed, and the part of a larger one.
const LARGEST: u64 = 16 << 10;
const PART: u64 = 4 << 10;

/// The largest window of a read that need not be exact.
const LOOSE: u64 = 1 << 10;

/// Heap objects of at most this size are objects of the source, and taken as a whole.
const WHOLE: u64 = 4 << 10;

/// Objects of the source of at most this size are taken as a whole.
const LARGE: u64 = 300;

impl Window {
    /// The part of an object.
    pub(crate) fn of(self, info: &ObjectInfo) -> ObjectInfo {
        ObjectInfo {
            address: self.address,
            size: self.size,
            capacity: self.size,
            ..*info
        }
    }

    /// As the log of a path has it: windows are at most some thousand bytes.
    pub(crate) fn decision(self) -> Decision {
        Decision::Window {
            address: self.address,
            size: u32::try_from(self.size).expect("a window that was followed"),
        }
    }

    /// From bounds of addresses, inside of an object.
    fn between(bounds: &Bounds, info: &ObjectInfo, length: u64) -> Option<Window> {
        let (min, max) = (bounds.min.to_u64()?, bounds.max.to_u64()?);
        let address = min.max(info.address);
        let end = max.saturating_add(length).min(info.address + info.capacity);
        (address < end).then(|| Window {
            address,
            size: end - address,
        })
    }
}

/// A word of which only the first bytes are inside of a heap object, with zeros above; see
/// [`cairn_memory::Memory::going_by_address`].
pub(crate) fn load_partly(domain: &mut SymbolicDomain, at: Word, bytes: u32) -> Option<Value> {
    let aligned = bytes.is_power_of_two() && at.bits.is_multiple_of(u64::from(bytes));
    if !domain.memory.goes_by_address() || !aligned || bytes == 1 {
        return None;
    }
    let at = Word::int(at.bits);
    let info = domain.memory.info(at).ok()?;
    let offset = at.bits.checked_sub(info.address)?;
    if info.kind != ObjectKind::Heap || offset >= info.size {
        return None;
    }
    let end = match info.open {
        true => info.capacity,
        false => info.size,
    };
    let room = end - offset;
    let inside = u32::try_from(room.min(u64::from(bytes))).ok()?;
    let word = |domain: &mut SymbolicDomain| {
        let mut all = domain.cx.store.bv(8 * inside, 0);
        for i in 0..inside {
            let byte = Word::int(at.bits + u64::from(i));
            let byte = access::load_value(domain, &Value::Word(byte), 1)?;
            let store = &domain.cx.store;
            let byte = store.zero_extend(&byte.term(store, 8), 8 * (inside - 1));
            let by = store.bv(8 * inside, u64::from(8 * i));
            all = store.bv_or(&all, &store.bv_shl(&byte, &by));
        }
        Ok(all)
    };
    let found = sizes::with_all_bytes(domain, &[info], word).ok()?;
    let store = &domain.cx.store;
    let found = store.zero_extend(&found, 8 * (bytes - inside));
    let found = match domain.sizes.of(info.object).filter(|_| info.open) {
        Some(size) => existing(store, &found, &number_like(store, size, offset), size),
        None => found,
    };
    let marks = address_notes::marks(domain, at, inside);
    Some(Value::from_term(found, marks))
}

/// The same of a word at a symbolic address in an object of symbolic size, of which the first byte was
/// found to be inside and nothing is known of the others.
pub(crate) fn load_partly_at(
    domain: &mut SymbolicDomain,
    at: &Symbolic,
    bytes: u32,
) -> Option<Value> {
    if domain.sizes.is_empty() || !is_whole_word(domain, &at.term, u64::from(bytes)) {
        return None;
    }
    if domain.decided_access(at, u64::from(bytes)).is_some() {
        return None;
    }
    let (object, _) = domain.decided_access(at, 1)?;
    let info = domain.memory.info(Word { bits: 0, object }).ok()?;
    let size = domain.sizes.of(object).filter(|_| is_open_heap(&info))?;
    let size = size.clone();
    let store = &domain.cx.store;
    let offset = store.bv_sub(&at.term, &base_for(store, &at.term, &info));
    let found = arrays::read_at(domain, &info, &offset, bytes);
    let found = existing(&domain.cx.store, &found, &offset, &size);
    let marks = array_addresses::marks_at(domain, &info, &offset, bytes);
    Some(Value::from_term(found, marks))
}

/// What must be decided before a word can be read at a known address: how much of it exists.
pub(crate) fn open_word(domain: &SymbolicDomain, fault: Fault) -> AccessError {
    let Fault::OutOfBounds {
        address,
        length,
        object: Some(info),
    } = &fault
    else {
        return fault.into();
    };
    let inside = (info.address..info.address + info.capacity).contains(address);
    let word = matches!(length, 2 | 4 | 8) && address.is_multiple_of(*length);
    if !inside || !word || !is_open_heap(info) || !domain.memory.goes_by_address() {
        return fault.into();
    }
    AccessError::Undecided(Undecided::Word(fault))
}

/// Whether a read of this length is one of an aligned word, which may be read whole if its first bytes
/// are in a heap object; see [`cairn_memory::Memory::going_by_address`].
fn is_whole_word(domain: &SymbolicDomain, address: &Term, length: u64) -> bool {
    domain.memory.goes_by_address()
        && matches!(length, 2 | 4 | 8)
        && is_multiple(address, length as u32)
}

/// Whether an object is one of the heap whose size is a term.
fn is_open_heap(info: &ObjectInfo) -> bool {
    info.open && info.kind == ObjectKind::Heap
}

/// A word at an offset of an object of symbolic size, with zeros in place of the bytes that do not exist.
fn existing(store: &TermStore, word: &Term, offset: &Term, size: &Term) -> Term {
    let bytes = (0..word.width() / 8).map(|i| {
        let byte = store.extract(word, 8 * i + 7, 8 * i);
        let at = store.bv_add(offset, &number_like(store, offset, u64::from(i)));
        store.ite(&store.bv_ult(&at, size), &byte, &store.bv(8, 0))
    });
    bytes
        .reduce(|below, above| store.concat(&above, &below))
        .expect("no word is empty")
}

/// An aligned word may be read whole if its first bytes are in a heap object; see
/// [`cairn_memory::Memory::going_by_address`].
pub(crate) fn whole_words(
    state: &State,
    objects: &mut [ObjectInfo],
    address: &Term,
    length: u64,
    write: bool,
) {
    if write || !is_whole_word(&state.domain, address, length) {
        return;
    }
    for info in objects {
        if info.kind == ObjectKind::Heap {
            info.capacity = info.capacity.next_multiple_of(length);
        }
    }
}

/// How many bytes of an object must exist for an access to it.
pub(crate) fn least_bytes(
    state: &State,
    info: &ObjectInfo,
    address: &Term,
    length: u64,
    write: bool,
) -> u64 {
    match !write && is_open_heap(info) && is_whole_word(&state.domain, address, length) {
        true => 1,
        false => length,
    }
}

/// A word that is read at a known address in an object of symbolic size: it exists, its first
/// bytes do, or none of it does.
pub(crate) fn word_cases(step: &mut StepContext<'_>, state: &State, fault: &Fault) -> StepOutcome {
    let Fault::OutOfBounds {
        address,
        length,
        object: Some(info),
    } = fault
    else {
        unreachable!("a word of an object")
    };
    let object = info.object;
    let size = state.domain.sizes.of(object).expect("it is open").clone();
    let offset = address - info.address;
    let (first, needed) = (offset + 1, offset + length);
    let store = &step.cx.store;
    let begins = store.bv_ult(&number_like(store, &size, offset), &size);
    let exists = store.bv_ult(&number_like(store, &size, needed - 1), &size);
    let partly = store.and(&begins, &store.not(&exists));
    let lacks = store.not(&begins);
    let known = match Gate::logged(state) {
        Logged::Number(before) if before >= needed => before,
        Logged::Number(_) | Logged::Other => needed,
        Logged::Nothing => sizes::least(step, state, &size, &exists, needed, info.size),
    };
    let finding = transition::fault_finding(step, state, fault);
    StepOutcome::Cases(vec![
        Case::new(
            exists,
            Effect::RetryWithSize { object, known },
            Decision::Is(known),
        ),
        Case::new(
            partly,
            Effect::RetryWithSize {
                object,
                known: first,
            },
            Decision::Is(first),
        ),
        Case::new(lacks, Effect::Error(Box::new(finding)), Decision::Case(1)),
    ])
}

/// The object that every address is inside of that an access can have, if a layer of the solver knows
/// that without being asked.
pub(crate) fn certain_object(
    step: &mut StepContext<'_>,
    state: &State,
    objects: &[ObjectInfo],
    address: &Term,
    length: u64,
) -> Option<ObjectInfo> {
    if !state.domain.memory.goes_by_address() {
        return None;
    }
    let facts = state.facts();
    let bounds = step.gate.enclosing(&step.cx, state, facts, address)?;
    let (min, max) = (bounds.min.to_u64()?, bounds.max.to_u64()?);
    let above = objects.partition_point(|e| e.address <= min);
    let info = objects[above.checked_sub(1)?];
    let last = max.checked_add(length)?;
    (!info.open && last <= info.address + info.size).then_some(info)
}

/// The window of an access inside of an object; `None` if the whole object is one.
fn window_of(
    step: &mut StepContext<'_>,
    state: &State,
    guard: &Term,
    address: &Term,
    length: u64,
    write: bool,
    info: &ObjectInfo,
) -> Result<Option<Window>, Omission> {
    if info.open || (info.kind == ObjectKind::Heap && info.capacity <= WHOLE) {
        return Ok(None);
    }
    let facts = &state.facts().with(guard.clone());
    if !write
        && let Some(bounds) = step.gate.enclosing(&step.cx, state, facts, address)
        && let Some(window) = Window::between(&bounds, info, length)
        && window.size <= LOOSE
    {
        return Ok(Some(window));
    }
    match step.gate.bounds(&step.cx, state, facts, address) {
        Some(bounds) => Ok(Window::between(&bounds, info, length)),
        None if step.shared.over() => Err(Omission::LeftOut(step.shared.ended_by())),
        None => Err(Omission::Undecided(
            Question::Window,
            "no bounds".to_string(),
        )),
    }
}

/// The window of an access inside of an object of the source, if it is known to be less than half of a large one.
fn window_of_source(
    step: &mut StepContext<'_>,
    state: &State,
    guard: &Term,
    address: &Term,
    length: u64,
    info: &ObjectInfo,
) -> Option<Window> {
    if info.open || info.capacity <= LARGE || length > info.capacity {
        return None;
    }
    let facts = &state.facts().with(guard.clone());
    let bounds = step.gate.enclosing(&step.cx, state, facts, address)?;
    let window = Window::between(&bounds, info, length)?;
    let sizes = length..=(info.capacity / 2).min(u64::from(u32::MAX));
    sizes.contains(&window.size).then_some(window)
}

/// Narrows the accesses among the cases of a step to their windows.
pub(crate) fn in_windows(
    step: &mut StepContext<'_>,
    state: &State,
    cases: Vec<Case>,
    write: bool,
) -> StepOutcome {
    let by_address = state.domain.memory.goes_by_address();
    let mut all = Vec::with_capacity(cases.len());
    for mut case in cases {
        let Effect::RetryAccess {
            address,
            length,
            object,
            window,
        } = &mut case.effect
        else {
            all.push(case);
            continue;
        };
        let (address, length) = (address.clone(), *length);
        let info = state.domain.memory.info(Word {
            bits: 0,
            object: *object,
        });
        let info = info.expect("the object was found");
        if state.guide.is_replaying() {
            // The path took this way before, and its log says how far.
            *window = state.guide.replayed_window();
            if let (Some(Decision::Part { .. }), Some(part)) =
                (state.guide.next_replayed(), *window)
            {
                narrow_to(step, &mut case, &address, length, &info, part);
            }
            all.push(case);
            continue;
        }
        if !by_address {
            if window.is_none() {
                *window = window_of_source(step, state, &case.guard, &address, length, &info);
            }
            all.push(case);
            continue;
        }
        match window_of(step, state, &case.guard, &address, length, write, &info) {
            Ok(None) => all.push(case),
            Ok(Some(found)) if found.size <= LARGEST => {
                *window = Some(found);
                all.push(case);
            }
            Ok(Some(found)) => {
                let part = part_of(
                    step,
                    state,
                    &case.feasibility,
                    &address,
                    length,
                    &info,
                    found,
                );
                *window = Some(part);
                let elsewhere = narrow_to(step, &mut case, &address, length, &info, part);
                let omission = Omission::LargeAccess(
                    machine_code::where_is(step, state),
                    found.size,
                    part.size,
                );
                let rest = Case::cut(elsewhere, omission, Decision::Case(u32::MAX));
                all.push(case);
                all.push(rest);
            }
            Err(omission) => {
                case.feasibility = Feasibility::Cut(omission);
                all.push(case);
            }
        }
    }
    StepOutcome::Cases(all)
}

/// Narrows the case of an access to a part of its object; gives the guard of the rest.
pub(crate) fn narrow_to(
    step: &StepContext<'_>,
    case: &mut Case,
    address: &Term,
    length: u64,
    info: &ObjectInfo,
    part: Window,
) -> Term {
    let store = &step.cx.store;
    let offset = store.bv_sub(address, &number_like(store, address, part.address));
    let here = store.bv_ule(&offset, &number_like(store, address, part.size - length));
    let elsewhere = store.and(&case.guard, &store.not(&here));
    case.guard = store.and(&case.guard, &here);
    case.decision = Decision::Part {
        slot: info.object.slot(),
        offset: part.address - info.address,
    };
    elsewhere
}

/// The part of a window that is followed: that of the address under the model, or of the decision
/// that was given.
fn part_of(
    step: &StepContext<'_>,
    state: &State,
    feasibility: &Feasibility,
    address: &Term,
    length: u64,
    info: &ObjectInfo,
    window: Window,
) -> Window {
    let last = window.address + window.size - PART;
    let start = match (state.guide.next_decision(), feasibility) {
        (Some(Decision::Part { offset, .. }), _) => info.address + offset,
        (_, Feasibility::Feasible(model)) => {
            let at = step.cx.value(model, address).low_u64();
            (at & !(PART - 1)).max(window.address)
        }
        (_, _) => window.address,
    };
    // An access that begins in a part may end in the next.
    Window {
        address: start.min(last),
        size: (PART + length).min(window.address + window.size - start.min(last)),
    }
}
