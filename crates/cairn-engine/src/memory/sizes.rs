//! Objects whose size is a term.
//!
//! # Problem
//!
//! A program asks for as many bytes as an input says. A path for each number is right,
//! and far too many.
//!
//! # Idea
//!
//! Sizes up to a limit (`Config::max_symbolic_size`) are one path. Its object has the
//! most bytes that the facts allow, rounded up, and memory is told of a byte only once the path's
//! facts say that it exists (`Memory::make_size_symbolic`). An access beyond those bytes is refused there and
//! becomes two cases here: the size is enough, and memory is told; or it is not, which is the error.
//! An access at a symbolic offset is guarded by the size (`memory/resolve.rs`), and so is a symbolic
//! length (`memory/lengths.rs`). Larger sizes are a path with one value, which the summary says; sizes
//! that are refused whatever else happens are a path of their own.
//!
//! # Soundness
//!
//! Bytes are told to memory only under a fact that they exist. What stands behind the
//! size in the object's content is never read: each access has the fact that it is inside. What must
//! know the size itself makes each value a path ([`closed`]).
//!
//! # Cost
//!
//! A few queries where such an object is made, one decided case when an access goes
//! further than any before. Nothing for other objects.

use crate::finding::Outcome;
use crate::gate::{Bisection, Gate, Logged};
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decided::Decided;
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::path::tree::NodeId;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Model, Term, TermStore};
use cairn_memory::{Fault, ObjectId, ObjectInfo, ObjectKind, Word};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The smallest capacity: smaller objects are not cheaper.
const LEAST_CAPACITY: u64 = 16;

/// The largest capacity that can be asked for.
pub(crate) const LARGEST_OPEN: u64 = 1 << 30;

/// What is said of a path with one of many large sizes.
pub(crate) const LARGE: &str =
    "a size of more bytes than may be symbolic was given one of its values";

/// How many bytes are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeRequest {
    /// The number, as wide as a pointer.
    pub term: Term,
    /// When there is no such object, whatever else happens.
    pub refused: Term,
    /// Whether no bytes are something else than few.
    pub zero_apart: bool,
}

impl SizeRequest {
    /// A request that is refused if it is for more bytes than this.
    pub(crate) fn at_most(store: &TermStore, term: Term, most: u64) -> Self {
        let refused = store.bv_ult(&number_like(store, &term, most), &term);
        SizeRequest {
            term,
            refused,
            zero_apart: false,
        }
    }
}

/// What was decided about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizing {
    /// It is for no bytes, which was asked for as a case of its own.
    Zero,
    /// It is for at most this many, which is not too many for one path.
    Within(u64),
    /// It is for more.
    Large,
    /// It is refused.
    Refused,
}

/// The sizes of a state's objects that are terms. A copy shares them.
#[derive(Clone, Default)]
pub(crate) struct Sizes {
    /// The largest size that is one path with all others; none if it is 0.
    pub most: u64,
    terms: Rc<FxHashMap<ObjectId, Term>>,
    /// How many there may be before those of objects that have ended are forgotten.
    crowd: usize,
    /// Which bytes were named as known to exist, and at which node; only if somebody wants reasons.
    named: RefCell<NamedBytes>,
}

/// Bytes of objects that were named.
#[derive(Clone, Default)]
struct NamedBytes {
    node: Option<NodeId>,
    bytes: Vec<(ObjectId, u64)>,
}

impl Sizes {
    /// Whether no object has a term for its size.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether two paths have the same sizes.
    pub fn are_same(&self, other: &Sizes) -> bool {
        Rc::ptr_eq(&self.terms, &other.terms) || self.terms == other.terms
    }

    /// Forgets which bytes were named: what they follow from is another fact now.
    pub fn forget_named(&mut self) {
        self.named = RefCell::default();
    }

    /// The size of an open object.
    pub fn of(&self, object: ObjectId) -> Option<&Term> {
        self.terms.get(&object)
    }
}

/// What was decided about a size.
pub(crate) fn sizing(domain: &SymbolicDomain, request: SizeRequest) -> Result<Sizing, AccessError> {
    let decided = domain.decided_size(&request);
    decided.ok_or(AccessError::Undecided(Undecided::Size(request)))
}

/// Makes a term the size of a new object, which has as many bytes as it can be at most.
pub(crate) fn open_size(domain: &mut SymbolicDomain, object: ObjectId, size: Term) {
    if !domain.memory.make_size_symbolic(object) {
        return;
    }
    let terms = Rc::make_mut(&mut domain.sizes.terms);
    if terms.len() >= domain.sizes.crowd {
        let memory = &domain.memory;
        terms.retain(|&object, _| memory.info(Word { bits: 0, object }).is_ok());
        domain.sizes.crowd = 2 * terms.len() + 16;
    }
    terms.insert(object, size);
}

/// An object whose size must be known: each value is a path.
pub(crate) fn closed(
    domain: &mut SymbolicDomain,
    info: ObjectInfo,
) -> Result<ObjectInfo, AccessError> {
    let object = info.object;
    let Some(term) = domain.sizes.of(object).filter(|_| info.open) else {
        return Ok(info);
    };
    let value = Value::Symbolic(Rc::new(Symbolic {
        term: term.clone(),
        object: ObjectId::NONE,
    }));
    let size = domain.number(&value)?.bits;
    domain.memory.fix_size(object, size);
    Rc::make_mut(&mut domain.sizes.terms).remove(&object);
    Ok(domain.memory.info(Word { bits: 0, object })?)
}

/// The size of an object as a value.
pub(crate) fn size_value(domain: &SymbolicDomain, info: &ObjectInfo) -> Value {
    match domain.sizes.of(info.object).filter(|_| info.open) {
        Some(term) => Value::from_term(term.clone(), ObjectId::NONE),
        None => Value::int(info.size),
    }
}

/// Makes an object of the present frame whose size depends on inputs.
pub(crate) fn open_alloca(
    domain: &mut SymbolicDomain,
    size: &Symbolic,
    align: u64,
    unwritten: bool,
) -> Result<Word, AccessError> {
    let store = &domain.cx.store;
    let bits = size.bits(store);
    let term = crate::values::terms::widened(store, &bits, domain.memory.pointer_width().bits());
    let room = domain.memory.stack_room();
    let request = SizeRequest::at_most(store, term.clone(), room);
    let sizing = sizing(domain, request)?;
    let size = match sizing {
        Sizing::Zero => 0,
        Sizing::Within(capacity) => capacity.min(room),
        Sizing::Large => choose_size(domain, &bits),
        Sizing::Refused => return Err(domain.memory.stack_overflow_of_unknown_size().into()),
    };
    let at = domain.memory.stack_allocate(size, align)?;
    if unwritten {
        domain.leave_unwritten(at, size)?;
    }
    if matches!(sizing, Sizing::Within(_)) {
        open_size(domain, at.object, term);
    }
    Ok(at)
}

/// One of the values of a large size.
pub(crate) fn choose_size(domain: &mut SymbolicDomain, bits: &Term) -> u64 {
    let chosen = domain.choose(bits, LARGE).low_u64();
    let value = domain.cx.store.bv(bits.width(), chosen);
    let because = domain.cx.store.eq(bits, &value);
    let answer = Decided::Number {
        term: bits.clone(),
        value: chosen,
    };
    domain.remember_answer(answer, &because);
    chosen
}

/// Does something to objects as if all bytes that they can have existed.
pub(crate) fn with_all_bytes<T>(
    domain: &mut SymbolicDomain,
    objects: &[ObjectInfo],
    work: impl FnOnce(&mut SymbolicDomain) -> Result<T, AccessError>,
) -> Result<T, AccessError> {
    let open = objects.iter().filter(|e| e.open);
    let before: Vec<ObjectInfo> = open
        .filter_map(|e| domain.memory.set_known_size(e.object, e.capacity))
        .collect();
    let done = work(domain);
    // The same object may be listed twice: the first entry tells what it was.
    for info in before.iter().rev() {
        domain.memory.set_known_size(info.object, info.size);
    }
    done
}

/// Names what accesses to open objects rely on: that the bytes exist which memory was told of. Memory
/// does not say which it was asked for, so that all are named, once for each node of the tree: more than
/// needed, never less.
pub(crate) fn rely_on_known_bytes(domain: &SymbolicDomain, node: NodeId) {
    let mut named = domain.sizes.named.borrow_mut();
    if named.node != Some(node) {
        named.node = Some(node);
        named.bytes.clear();
    }
    let mut open: Vec<(ObjectInfo, &Term)> = domain
        .sizes
        .terms
        .iter()
        .filter_map(|(&object, size)| {
            let info = domain.memory.info(Word { bits: 0, object }).ok()?;
            (info.open && info.size > 0).then_some((info, size))
        })
        .collect();
    open.sort_unstable_by_key(|(info, _)| info.object.slot());
    for (info, size) in open {
        let bytes = (info.object, info.size);
        if named.bytes.contains(&bytes) {
            continue;
        }
        named.bytes.push(bytes);
        let store = &domain.cx.store;
        let last = number_like(store, size, info.size - 1);
        domain.cx.rely_on(&store.bv_ult(&last, size));
    }
}

/// Makes all bytes exist that objects of symbolic size can have. Behind the size that an object has under the path's model may be what was
/// written there for larger ones.
pub(crate) fn size_by_capacity(domain: &mut SymbolicDomain) {
    let terms = Rc::clone(&domain.sizes.terms);
    for &object in terms.keys() {
        domain.memory.set_known_size(object, u64::MAX);
    }
}

/// Sizes that objects are made with, the smallest first.
fn capacities(most: u64) -> Vec<u64> {
    let powers = std::iter::successors(Some(LEAST_CAPACITY), |c| c.checked_mul(2));
    let mut all: Vec<u64> = powers.take_while(|&c| c < most).collect();
    all.push(most);
    all
}

/// How many bytes are asked for: none, few, many or too many.
pub(crate) fn size_cases(
    step: &mut StepContext<'_>,
    state: &State,
    request: &SizeRequest,
) -> StepOutcome {
    let store = &step.cx.store;
    let most = state.domain.sizes.most;
    let given = store.not(&request.refused);
    let few = store.bv_ule(&request.term, &number_like(store, &request.term, most));
    let many = store.and(&given, &store.not(&few));
    let mut within = store.and(&given, &few);
    let mut cases = Vec::with_capacity(4);
    let case = |guard, sizing, decision| {
        let request = request.clone();
        Case::new(guard, Effect::RetrySize { request, sizing }, decision)
    };
    if request.zero_apart {
        let zero = store.eq(&request.term, &number_like(store, &request.term, 0));
        cases.push(case(
            store.and(&given, &zero),
            Sizing::Zero,
            Decision::Case(0),
        ));
        within = store.and(&within, &store.not(&zero));
    }
    let capacity = capacity(step, state, &request.term, &within);
    cases.push(case(
        within,
        Sizing::Within(capacity),
        Decision::Is(capacity),
    ));
    cases.push(case(many, Sizing::Large, Decision::Case(1)));
    cases.push(case(
        request.refused.clone(),
        Sizing::Refused,
        Decision::Case(2),
    ));
    step.gate.drop_folded(state, &mut cases);
    StepOutcome::Cases(cases)
}

/// The room that all sizes have in an object. While a path is run again nothing is asked.
fn capacity(step: &mut StepContext<'_>, state: &State, term: &Term, within: &Term) -> u64 {
    let all = capacities(state.domain.sizes.most);
    let last = all.len() - 1;
    let cx = &step.cx;
    step.gate.logged_or(state, all[last], |gate| {
        let model = &state.domain.model;
        let low = match cx.holds(model, within) {
            true => {
                let size = cx.value(model, term).low_u64();
                all.partition_point(|&c| c < size).min(last)
            }
            false => 0,
        };
        let above = |number: u64| {
            let store = &cx.store;
            let above = store.bv_ult(&number_like(store, term, all[number as usize]), term);
            store.and(&above, within)
        };
        // Sizes that nothing bounds are the usual ones: the upper half is asked for first.
        let bisection = Bisection {
            low: low as u64,
            high: last as u64,
            first: last.saturating_sub(1) as u64,
        };
        all[gate.least_upper_bound(cx, state, bisection, above) as usize]
    })
}

/// A refused access to an object whose size is a term: the bytes exist, or they do not.
pub(crate) fn open_cases(
    step: &mut StepContext<'_>,
    state: &State,
    fault: &Fault,
) -> Option<StepOutcome> {
    let (needed, info) = open_access(fault)?;
    let size = state.domain.sizes.of(info.object)?.clone();
    let store = &step.cx.store;
    let exists = store.bv_ult(&number_like(store, &size, needed - 1), &size);
    let lacks = store.not(&exists);
    let known = match Gate::logged(state) {
        Logged::Number(before) => before,
        Logged::Other => needed,
        Logged::Nothing => least(step, state, &size, &exists, needed, info.size),
    };
    let object = info.object;
    let finding = transition::fault_finding(step, state, fault);
    Some(StepOutcome::Cases(vec![
        Case::new(
            exists,
            Effect::RetryWithSize { object, known },
            Decision::Is(known),
        ),
        Case::new(lacks, Effect::Error(Box::new(finding)), Decision::Case(1)),
    ]))
}

/// How many bytes of an object exist, of which so many do and fewer were known before: more, if
/// the facts say so. It is asked for now and then only: whenever the number has doubled.
pub(crate) fn least(
    step: &mut StepContext<'_>,
    state: &State,
    size: &Term,
    exists: &Term,
    needed: u64,
    before: u64,
) -> u64 {
    let model = &state.domain.model;
    if before.leading_zeros() == needed.leading_zeros() {
        return needed;
    }
    let cx = &step.cx;
    let value = |model: &Rc<Model>| cx.value(model, size).low_u64();
    let less = |bytes: u64| {
        let store = &cx.store;
        store.and(
            exists,
            &store.bv_ult(size, &number_like(store, size, bytes)),
        )
    };
    // Mostly nothing more is known: that is asked first.
    let bisection = Bisection {
        low: needed,
        high: value(model),
        first: needed + 1,
    };
    step.gate
        .greatest_lower_bound(cx, state, bisection, less, value)
}

/// A stack that is full: objects whose size is a term took the most that they can be, so whether
/// there is room is not known.
pub(crate) fn maybe_full(state: &State, fault: &Fault) -> Option<StepOutcome> {
    let sizes = &state.domain.sizes;
    if sizes.is_empty() || !matches!(fault, Fault::StackOverflow { .. }) {
        return None;
    }
    let mut objects = state.domain.memory.objects();
    objects
        .any(|e| e.open && e.kind == ObjectKind::Stack)
        .then(|| StepOutcome::End(Outcome::Stopped(Omission::FullStack)))
}

/// How many bytes of an open object a refused access needs, if it can have so many.
pub(crate) fn open_access(fault: &Fault) -> Option<(u64, ObjectInfo)> {
    let Fault::OutOfBounds {
        address,
        length,
        object: Some(info),
    } = fault
    else {
        return None;
    };
    let offset = address.checked_sub(info.address)?;
    let needed = offset.checked_add(*length)?;
    let possible = info.open && needed > info.size && needed <= info.capacity;
    possible.then_some((needed, *info))
}
