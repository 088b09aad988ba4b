//! Library functions that make objects, called with a size that depends on inputs.
//!
//! What a size may be is decided first (`sizes.rs`). Then the function of the concrete machine is
//! called with a size that stands for all that were decided on: the most that they can be, one that
//! is always refused, or the one that was chosen. What it made gets the term for its size.
//! `realloc` copies what was there, byte by byte where it is not known to have been there.

use crate::addresses::Purpose;
use crate::calls::frees;
use crate::cases::Next;
use crate::intrinsics::Call;
use crate::sizes::{SizeRequest, Sizing};
use crate::space::Trouble;
use crate::state::State;
use crate::value::{Value, Wide};
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_machine::Any;
use cairn_machine::natives::Native;
use cairn_memory::{Extent, Fault, ObjectKind, Word};
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
enum Wanted {
    Known(u64),
    Term(SizeRequest),
}

impl Worker<'_> {
    /// A call that makes an object of symbolic size, or asks for the size of one; `None` if it is
    /// neither.
    pub(crate) fn sized(
        &mut self,
        state: &mut State,
        native: Native,
        call: &Call,
    ) -> Result<Option<Next>, Trouble> {
        let name = native.name();
        if name == "malloc_usable_size" {
            return self.usable_size(state, call);
        }
        let Some(sizes) = size_arguments(name) else {
            return Ok(None);
        };
        if state.space.sizes.most == 0 {
            return Ok(None);
        }
        // What is no size is known, or each value is a path.
        for (i, value) in call.values().enumerate() {
            if i == 0 && frees(name) {
                state.space.known_address(value, Purpose::Free)?;
            } else if !sizes.contains(&i) {
                state.space.number(value)?;
            }
        }
        let known = |i: usize| state.space.number(&call.value(i)).ok();
        let all_known = sizes.clone().all(|i| known(i).is_some());
        let old = match name {
            "realloc" | "reallocarray" => known(0).filter(|at| at.bits != 0),
            _ => None,
        };
        if let Some(old) = old {
            let before = state.space.memory.extent(old)?;
            if before.open || !all_known {
                let wanted = self.wanted(state, call, sizes.clone(), true);
                return self
                    .resize(state, call, sizes, old, before, wanted)
                    .map(Some);
            }
        }
        if all_known {
            return Ok(None);
        }
        let (term, sizing) = match self.wanted(state, call, sizes.clone(), false) {
            Wanted::Known(_) => return Ok(None),
            Wanted::Term(request) => (request.term.clone(), state.space.sizing(request)?),
        };
        let stands_for = match sizing {
            Sizing::Zero => 0,
            Sizing::Within(capacity) => capacity.min(state.space.memory.heap_object_limit()),
            Sizing::Refused => u64::MAX,
            Sizing::Large => {
                self.choose_sizes(state, call, sizes);
                return Ok(None);
            }
        };
        let substituted = |(i, (any, width)): (usize, &(Any<Value, Wide>, u32))| {
            let value = match any {
                _ if i == sizes.start => Any::Value(Value::int(stands_for)),
                _ if sizes.contains(&i) => Any::Value(Value::int(1)),
                Any::Value(value) => Any::Value(match state.space.number(value) {
                    Ok(word) => Value::Word(word),
                    Err(_) => value.clone(),
                }),
                Any::Wide(wide) => Any::Wide(wide.clone()),
            };
            (value, *width)
        };
        let call = Call {
            args: call.args.iter().enumerate().map(substituted).collect(),
            extra: Vec::new(),
            results: call.results.clone(),
        };
        let size = matches!(sizing, Sizing::Within(_)).then_some(term);
        self.run_native(state, native, call, size).map(Some)
    }

    /// Gives the sizes of a call one of their values.
    fn choose_sizes(&mut self, state: &mut State, call: &Call, sizes: Range<usize>) {
        for i in sizes {
            let value = call.value(i);
            if state.space.number(&value).is_err()
                && let Value::Symbolic(symbolic) = &value
            {
                let bits = symbolic.bits(&self.tools.store);
                state.space.choose_size(&bits);
            }
        }
        self.take_choices(state);
    }

    /// The size that a call asks for, which is refused if the product does not fit into a word or
    /// no heap object has so many bytes.
    fn wanted(&self, state: &State, call: &Call, sizes: Range<usize>, zero_apart: bool) -> Wanted {
        let store = &self.tools.store;
        let mut size = store.bv(64, 1);
        let mut refused = store.false_();
        let mut known = Some(1u64);
        for i in sizes {
            let value = match state.space.number(&call.value(i)) {
                Ok(word) => Value::Word(word),
                Err(_) => call.value(i),
            };
            let factor = value.term(store, call.width(i));
            let factor = crate::terms::widened(store, &factor, 64);
            refused = store.or(&refused, &self.overflows(&size, &factor));
            size = store.bv_mul(&size, &factor);
            known = known
                .zip(value.known())
                .and_then(|(a, b)| a.checked_mul(b.bits));
        }
        if let Some(known) = known {
            return Wanted::Known(known);
        }
        let most = state.space.memory.heap_object_limit();
        let mut request = SizeRequest::at_most(store, size, most);
        request.refused = store.or(&refused, &request.refused);
        request.zero_apart = zero_apart;
        Wanted::Term(request)
    }

    /// That a product of two words is none.
    fn overflows(&self, a: &Term, b: &Term) -> Term {
        let store = &self.tools.store;
        let (constant, other) = match (a.as_const(), b.as_const()) {
            (Some(a), _) => (a.low_u64(), b),
            (None, Some(b)) => (b.low_u64(), a),
            (None, None) => {
                let (a, b) = (store.zero_extend(a, 64), store.zero_extend(b, 64));
                let high = store.extract(&store.bv_mul(&a, &b), 127, 64);
                return store.not(&store.eq(&high, &store.bv(64, 0)));
            }
        };
        match u64::MAX.checked_div(constant) {
            Some(most) => store.bv_ult(&store.bv(64, most), other),
            None => store.false_(),
        }
    }

    fn usable_size(&mut self, state: &mut State, call: &Call) -> Result<Option<Next>, Trouble> {
        let Ok(at) = state.space.number(&call.value(0)) else {
            return Ok(None);
        };
        match state.space.memory.extent(at) {
            Ok(extent) if extent.open => {
                let size = state.space.size_value(&extent);
                self.answer(state, call, size).map(Some)
            }
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// `realloc` from or to a symbolic size.
    fn resize(
        &mut self,
        state: &mut State,
        call: &Call,
        sizes: Range<usize>,
        old: Word,
        before: Extent,
        wanted: Wanted,
    ) -> Result<Next, Trouble> {
        let mut term = None;
        let size = match wanted {
            Wanted::Known(size) => size,
            Wanted::Term(request) => {
                let size = request.term.clone();
                match state.space.sizing(request)? {
                    Sizing::Zero => 0,
                    Sizing::Refused => return self.answer(state, call, Value::int(0)),
                    Sizing::Within(capacity) => {
                        term = Some(size);
                        capacity.min(state.space.memory.heap_object_limit())
                    }
                    Sizing::Large => {
                        self.choose_sizes(state, call, sizes);
                        state.thread.retry();
                        return Ok(Next::Go);
                    }
                }
            }
        };
        let space = &mut state.space;
        if size == 0 {
            space.memory.free(old)?;
            return self.answer(state, call, Value::int(0));
        }
        let new = match space.memory.allocate(ObjectKind::Heap, size, ALIGN) {
            Ok(new) => new,
            Err(Fault::OutOfMemory { .. }) => return self.answer(state, call, Value::int(0)),
            Err(fault) => return Err(fault.into()),
        };
        space.leave_unwritten(new, size)?;
        let base = Word {
            bits: before.base,
            object: before.object,
        };
        let known = before.size.min(size);
        space.memory.copy(new, base, known, false)?;
        if let Some(existed) = space.sizes.of(before.object).filter(|_| before.open) {
            let existed = existed.clone();
            space.with_all_bytes(&[before], |space| {
                for i in known..before.capacity.min(size) {
                    let byte = space.load_value(&Value::Word(moved(base, i)), 1)?;
                    space.put_if_below(moved(new, i), i, &existed, &byte)?;
                }
                Ok(())
            })?;
        }
        space.memory.free(old)?;
        if let Some(term) = term {
            space.open_size(new.object, term);
        }
        if self.shared.config.check_leaks {
            self.note_sites(state, [new].into_iter(), std::iter::empty());
        }
        self.answer(state, call, Value::Word(new))
    }
}

fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}
