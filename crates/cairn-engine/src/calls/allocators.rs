//! Library functions that make objects, called with a size that depends on inputs.
//!
//! What a size may be is decided first (`memory/sizes.rs`). Then the function of the concrete machine is
//! called with a size that stands for all that were decided on: the most that they can be, one that
//! is always refused, or the one that was chosen. What it made gets the term for its size.
//! `realloc` copies what was there, byte by byte where it is not known to have been there.

use crate::calls::dispatch;
use crate::calls::dispatch::frees;
use crate::calls::intrinsics;
use crate::calls::intrinsics::IntrinsicCall;
use crate::memory::access;
use crate::memory::addresses;
use crate::memory::addresses::AddressPurpose;
use crate::memory::leaks;
use crate::memory::lengths;
use crate::memory::sizes;
use crate::memory::sizes::{SizeRequest, Sizing};
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context;
use crate::path::step_context::{Choosing, StepContext};
use crate::values::symbolic_domain::AccessError;
use crate::values::value::{Value, Wide};
use cairn_expr::Term;
use cairn_machine::AnyValue;
use cairn_machine::natives::Native;
use cairn_memory::{AllocatorFamily, Fault, ObjectInfo, ObjectKind, Word};
use std::ops::Range;

/// The alignment that `malloc` promises.
const ALIGN: u64 = 16;

/// The arguments whose product a function takes for the size of what it makes.
pub(crate) fn size_arguments(name: &str) -> Option<Range<usize>> {
    match name {
        "malloc"
        | "_Znwm"
        | "_Znam"
        | "_ZnwmRKSt9nothrow_t"
        | "_ZnamRKSt9nothrow_t"
        | "_ZnwmSt11align_val_t"
        | "_ZnamSt11align_val_t" => Some(0..1),
        "calloc" => Some(0..2),
        "realloc" | "aligned_alloc" | "memalign" => Some(1..2),
        "reallocarray" => Some(1..3),
        "posix_memalign" => Some(2..3),
        _ => None,
    }
}

/// A size that is asked for.
enum RequestedSize {
    Known(u64),
    Term(SizeRequest),
}

/// A call that makes an object of symbolic size, or asks for the size of one; `None` if it is
/// neither.
pub(crate) fn sized(
    step: &mut StepContext<'_>,
    state: &mut State,
    native: Native,
    call: &IntrinsicCall,
) -> Result<Option<StepOutcome>, AccessError> {
    let name = native.name();
    if name == "malloc_usable_size" {
        return usable_size(step, state, call);
    }
    let Some(sizes) = size_arguments(name) else {
        return Ok(None);
    };
    if state.domain.sizes.most == 0 {
        return Ok(None);
    }
    // What is no size is known, or each value is a path.
    for (i, value) in call.values().enumerate() {
        if i == 0 && frees(name) {
            addresses::known_address(&state.domain, value, AddressPurpose::Free)?;
        } else if !sizes.contains(&i) {
            state.domain.number(value)?;
        }
    }
    let known = |i: usize| state.domain.number(&call.value(i)).ok();
    let all_known = sizes.clone().all(|i| known(i).is_some());
    let old = match name {
        // The machine refuses the call.
        _ if state.library.replaces_malloc() => None,
        "realloc" | "reallocarray" => known(0).filter(|at| at.bits != 0),
        _ => None,
    };
    if let Some(old) = old {
        let before = state.domain.memory.info(old)?;
        if before.open || !all_known {
            let requested = requested_size(step, state, call, sizes.clone(), true);
            return resize(step, state, call, sizes, old, before, requested).map(Some);
        }
    }
    if all_known {
        return Ok(None);
    }
    let (term, sizing) = match requested_size(step, state, call, sizes.clone(), false) {
        RequestedSize::Known(_) => return Ok(None),
        RequestedSize::Term(request) => {
            (request.term.clone(), sizes::sizing(&state.domain, request)?)
        }
    };
    let stands_for = match sizing {
        Sizing::Zero => 0,
        Sizing::Within(capacity) => capacity.min(state.domain.memory.heap_object_limit()),
        Sizing::Refused => u64::MAX,
        Sizing::Large => {
            choose_sizes(step, state, call, sizes);
            return Ok(None);
        }
    };
    let substituted = |(i, (any, width)): (usize, &(AnyValue<Value, Wide>, u32))| {
        let value = match any {
            _ if i == sizes.start => AnyValue::Value(Value::int(stands_for)),
            _ if sizes.contains(&i) => AnyValue::Value(Value::int(1)),
            AnyValue::Value(value) => AnyValue::Value(match state.domain.number(value) {
                Ok(word) => Value::Word(word),
                Err(_) => value.clone(),
            }),
            AnyValue::Wide(wide) => AnyValue::Wide(wide.clone()),
        };
        (value, *width)
    };
    let call = IntrinsicCall {
        args: call.args.iter().enumerate().map(substituted).collect(),
        extra: Vec::new(),
        results: call.results.clone(),
    };
    let size = matches!(sizing, Sizing::Within(_)).then_some(term);
    dispatch::run_native(step, state, native, call, size).map(Some)
}

/// Gives the sizes of a call one of their values.
fn choose_sizes(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    sizes: Range<usize>,
) {
    for i in sizes {
        let value = call.value(i);
        if state.domain.number(&value).is_err()
            && let Value::Symbolic(symbolic) = &value
        {
            let bits = symbolic.bits(&step.cx.store);
            sizes::choose_size(&mut state.domain, &bits);
        }
    }
    step_context::take_choices(step, state, Choosing::Stopped);
}

/// The size that a call asks for, which is refused if the product does not fit into a word or
/// no heap object has so many bytes.
fn requested_size(
    step: &StepContext<'_>,
    state: &State,
    call: &IntrinsicCall,
    sizes: Range<usize>,
    zero_apart: bool,
) -> RequestedSize {
    let store = &step.cx.store;
    let pointer = state.domain.memory.pointer_width();
    let mut size = store.bv(pointer.bits(), 1);
    let mut refused = store.false_();
    let mut known = Some(1u64);
    for i in sizes {
        let value = match state.domain.number(&call.value(i)) {
            Ok(word) => Value::Word(word),
            Err(_) => call.value(i),
        };
        let factor = value.term(store, call.width(i));
        let factor = match factor.width().checked_sub(pointer.bits()) {
            None | Some(0) => crate::values::terms::widened(store, &factor, pointer.bits()),
            // No object has as many bytes as a number that no address has the bits of.
            Some(more) => {
                let high = store.extract(&factor, factor.width() - 1, pointer.bits());
                let fits = store.eq(&high, &store.bv(more, 0));
                refused = store.or(&refused, &store.not(&fits));
                store.extract(&factor, pointer.bits() - 1, 0)
            }
        };
        refused = store.or(&refused, &overflows(step, &size, &factor));
        size = store.bv_mul(&size, &factor);
        known = known
            .zip(value.known())
            .and_then(|(a, b)| a.checked_mul(b.bits));
    }
    if let Some(known) = known {
        return RequestedSize::Known(known);
    }
    let most = state.domain.memory.heap_object_limit();
    let mut request = SizeRequest::at_most(store, size, most);
    request.refused = store.or(&refused, &request.refused);
    request.zero_apart = zero_apart;
    RequestedSize::Term(request)
}

/// The condition that a product of two words does not fit into a word.
fn overflows(step: &StepContext<'_>, a: &Term, b: &Term) -> Term {
    let store = &step.cx.store;
    let bits = a.width();
    let (constant, other) = match (a.as_const(), b.as_const()) {
        (Some(a), _) => (a.low_u64(), b),
        (None, Some(b)) => (b.low_u64(), a),
        (None, None) => {
            let (a, b) = (store.zero_extend(a, bits), store.zero_extend(b, bits));
            let high = store.extract(&store.bv_mul(&a, &b), 2 * bits - 1, bits);
            return store.not(&store.eq(&high, &store.bv(bits, 0)));
        }
    };
    let last = u64::MAX >> (u64::BITS - bits);
    match last.checked_div(constant) {
        Some(most) => store.bv_ult(&store.bv(bits, most), other),
        None => store.false_(),
    }
}

fn usable_size(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<Option<StepOutcome>, AccessError> {
    let Ok(at) = state.domain.number(&call.value(0)) else {
        return Ok(None);
    };
    match state.domain.memory.info(at) {
        Ok(info) if info.open => {
            let size = sizes::size_value(&state.domain, &info);
            intrinsics::answer(step, state, call, size).map(Some)
        }
        Ok(_) | Err(_) => Ok(None),
    }
}

/// `realloc` from or to a symbolic size.
fn resize(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    sizes: Range<usize>,
    old: Word,
    before: ObjectInfo,
    requested: RequestedSize,
) -> Result<StepOutcome, AccessError> {
    let mut term = None;
    let size = match requested {
        RequestedSize::Known(size) => size,
        RequestedSize::Term(request) => {
            let size = request.term.clone();
            match sizes::sizing(&state.domain, request)? {
                Sizing::Zero => 0,
                Sizing::Refused => return intrinsics::answer(step, state, call, Value::int(0)),
                Sizing::Within(capacity) => {
                    term = Some(size);
                    capacity.min(state.domain.memory.heap_object_limit())
                }
                Sizing::Large => {
                    choose_sizes(step, state, call, sizes);
                    state.thread.retry();
                    return Ok(StepOutcome::Go);
                }
            }
        }
    };
    let domain = &mut state.domain;
    let library = &state.library;
    library.check_allocator(&domain.memory, old, AllocatorFamily::Malloc)?;
    if size == 0 {
        domain.memory.free(old)?;
        return intrinsics::answer(step, state, call, Value::int(0));
    }
    let new = match domain.memory.allocate(ObjectKind::Heap, size, ALIGN) {
        Ok(new) => new,
        Err(Fault::OutOfMemory { .. }) => {
            return intrinsics::answer(step, state, call, Value::int(0));
        }
        Err(fault) => return Err(fault.into()),
    };
    domain.leave_unwritten(new, size)?;
    let base = Word {
        bits: before.address,
        object: before.object,
    };
    let known = before.size.min(size);
    domain.memory.copy(new, base, known, false)?;
    if let Some(existed) = domain.sizes.of(before.object).filter(|_| before.open) {
        let existed = existed.clone();
        sizes::with_all_bytes(domain, &[before], |domain| {
            for i in known..before.capacity.min(size) {
                let byte = access::load_value(domain, &Value::Word(base.offset(i)), 1)?;
                lengths::put_if_below(domain, new.offset(i), i, &existed, &byte)?;
            }
            Ok(())
        })?;
    }
    domain.memory.free(old)?;
    if let Some(term) = term {
        sizes::open_size(domain, new.object, term);
    }
    if step.shared.config.check_leaks {
        leaks::note_sites(step, state, [new].into_iter(), std::iter::empty());
    }
    intrinsics::answer(step, state, call, Value::Word(new))
}
