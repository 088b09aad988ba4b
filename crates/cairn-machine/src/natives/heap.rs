//! The `malloc` family.

use super::{Ending, NativeCall, NativeFamily, NativeResult, int32, null};
use cairn_memory::{AllocatorFamily, Fault, ObjectKind, Word};

pub(super) const FUNCTIONS: NativeFamily = &[
    ("malloc", malloc),
    ("calloc", calloc),
    ("realloc", realloc),
    ("reallocarray", reallocarray),
    ("free", free),
    ("cfree", free),
    ("aligned_alloc", aligned_alloc),
    ("memalign", aligned_alloc),
    ("posix_memalign", posix_memalign),
    ("malloc_usable_size", usable_size),
];

/// The alignment that `malloc` promises.
pub(super) const ALIGN: u64 = 16;
/// What `posix_memalign` answers if there is no room.
pub const NO_MEMORY: i32 = 12;
const INVALID: i32 = 22;

/// A new heap object, or null if there is no memory for it.
pub(super) fn allocate(call: &mut NativeCall<'_>, size: u64, align: u64) -> NativeResult {
    if call.library.replaces_malloc() {
        return Err(Ending::NotModelled(
            "memory made by a function of the library beside a malloc of the program".to_string(),
        ));
    }
    match call.memory.allocate(ObjectKind::Heap, size, align) {
        Ok(at) => Ok(at),
        Err(Fault::OutOfMemory { .. }) => Ok(null()),
        Err(fault) => Err(fault.into()),
    }
}

/// A new heap object with uninitialised bytes, or null.
pub(super) fn allocate_uninitialised(
    call: &mut NativeCall<'_>,
    size: u64,
    align: u64,
) -> NativeResult {
    let at = allocate(call, size, align)?;
    if at.bits != 0 {
        call.memory.leave_uninitialised(at, size)?;
    }
    Ok(at)
}

fn malloc(call: &mut NativeCall<'_>) -> NativeResult {
    allocate_uninitialised(call, call.bits(0), ALIGN)
}

fn calloc(call: &mut NativeCall<'_>) -> NativeResult {
    match call.bits(0).checked_mul(call.bits(1)) {
        Some(size) => allocate(call, size, ALIGN),
        None => Ok(null()),
    }
}

fn resize(call: &mut NativeCall<'_>, old: Word, size: u64) -> NativeResult {
    if old.bits == 0 {
        return allocate_uninitialised(call, size, ALIGN);
    }
    let info = match call.memory.info(old) {
        Ok(info) => info,
        Err(fault) => {
            // Wrong in the way in which freeing it is.
            call.memory.free(old)?;
            return Err(fault.into());
        }
    };
    let by = AllocatorFamily::Malloc;
    call.library.check_allocator(call.memory, old, by)?;
    if size == 0 {
        call.memory.free(old)?;
        return Ok(null());
    }
    let new = allocate_uninitialised(call, size, ALIGN)?;
    if new.bits == 0 {
        return Ok(new);
    }
    let memory = &mut *call.memory;
    let base = Word {
        bits: info.address,
        object: info.object,
    };
    memory.copy(new, base, info.size.min(size), false)?;
    memory.free(old)?;
    Ok(new)
}

fn realloc(call: &mut NativeCall<'_>) -> NativeResult {
    resize(call, call.word(0), call.bits(1))
}

fn reallocarray(call: &mut NativeCall<'_>) -> NativeResult {
    match call.bits(1).checked_mul(call.bits(2)) {
        Some(size) => resize(call, call.word(0), size),
        None => Ok(null()),
    }
}

fn free(call: &mut NativeCall<'_>) -> NativeResult {
    release(call, AllocatorFamily::Malloc)
}

/// Frees the first argument, by a function of this family.
pub(super) fn release(call: &mut NativeCall<'_>, by: AllocatorFamily) -> NativeResult {
    let at = call.word(0);
    call.library.check_allocator(call.memory, at, by)?;
    call.memory.free(at)?;
    Ok(Word::int(0))
}

fn aligned_alloc(call: &mut NativeCall<'_>) -> NativeResult {
    let align = call.bits(0);
    if !align.is_power_of_two() {
        return Ok(null());
    }
    allocate_uninitialised(call, call.bits(1), align.max(ALIGN))
}

fn posix_memalign(call: &mut NativeCall<'_>) -> NativeResult {
    let (place, align, size) = (call.word(0), call.bits(1), call.bits(2));
    let pointer = u64::from(call.memory.pointer_width().bytes());
    if !align.is_power_of_two() || !align.is_multiple_of(pointer) {
        return Ok(int32(INVALID));
    }
    let at = allocate_uninitialised(call, size, align.max(ALIGN))?;
    if at.bits == 0 {
        return Ok(int32(NO_MEMORY));
    }
    call.memory.store_pointer(place, at)?;
    Ok(int32(0))
}

fn usable_size(call: &mut NativeCall<'_>) -> NativeResult {
    if call.bits(0) == 0 {
        return Ok(Word::int(0));
    }
    let info = call.memory.info(call.word(0))?;
    Ok(Word::int(info.size))
}
