//! Where a program's globals and arguments are when it starts.
//!
//! The concrete machine and the engine lay a program out in a memory with these functions, so that
//! it has the same addresses in both.

use crate::address_use::FARTHEST;
use crate::natives::native_global_size;
use crate::table::{function_address, function_pointer};
use cairn_ir::{Program, Symbol};
use cairn_memory::{Fault, FixedError, Memory, ObjectId, ObjectKind, Word};

/// Objects begin at multiples of this many bytes.
const PREFIX_GRANULE: u64 = 8;

/// Makes the globals of a program, in their order, and writes their initial content; returns the address
/// of each. A global that no module defines and the library does not provide has an address, but
/// nothing in it can be read or written; see [`undefined_global`].
///
/// # Errors
/// [`Fault::OutOfMemory`] if they do not fit.
pub fn lay_out(program: &Program, memory: &mut Memory) -> Result<Vec<Word>, Fault> {
    let mut globals = Vec::with_capacity(program.globals.len());
    for global in &program.globals {
        let kind = if global.constant {
            ObjectKind::Constant
        } else {
            ObjectKind::Global
        };
        let size = match global.content {
            Some(_) => global.size,
            None => native_global_size(&global.name, program.pointer_width),
        };
        globals.push(memory.allocate(kind, size, global.align)?);
    }
    fill(program, memory, &globals)?;
    lay_out_prefixes(program, memory)?;
    Ok(globals)
}

/// Makes the constants that stand right before functions (prefix data). They are found by their
/// address, because a function's address belongs to no object.
fn lay_out_prefixes(program: &Program, memory: &mut Memory) -> Result<(), Fault> {
    for prefix in &program.prefixes {
        let length = prefix.bytes.len() as u64;
        let room = length.next_multiple_of(PREFIX_GRANULE);
        let base = function_address(program.pointer_width, prefix.function) - room;
        let at = match memory.allocate_beside_code(base, room) {
            Ok(at) => at,
            Err(FixedError::Full(fault)) => return Err(fault),
            Err(error) => unreachable!("functions are far enough apart: {error}"),
        };
        memory.initialise(at.offset(room - length), &prefix.bytes)?;
    }
    Ok(())
}

/// Writes the first content of all globals.
fn fill(program: &Program, memory: &mut Memory, globals: &[Word]) -> Result<(), Fault> {
    let width = program.pointer_width;
    let base = |symbol: Symbol| match symbol {
        Symbol::Global(global) => globals[global.index()],
        Symbol::Function(function) => function_pointer(width, function),
    };
    for (global, &at) in program.globals.iter().zip(globals) {
        let Some(content) = &global.content else {
            continue;
        };
        memory.initialise(at, &content.bytes)?;
        for r in &content.relocations {
            let value = far_or_near(memory, base(r.symbol), r.addend);
            memory.initialise_pointer(at.offset(r.offset), value)?;
        }
        for d in &content.differences {
            let value = base(d.symbol)
                .bits
                .wrapping_sub(base(d.base).bits)
                .wrapping_add_signed(d.addend);
            let bytes = value.to_le_bytes();
            memory.initialise(at.offset(d.offset), &bytes[..usize::from(d.bytes)])?;
        }
    }
    Ok(())
}

/// An address and an offset. If it leads so far that no object is there, the number is one of many and no pointer.
fn far_or_near(memory: &Memory, base: Word, offset: i64) -> Word {
    let bits = memory
        .pointer_width()
        .wrap(base.bits.wrapping_add_signed(offset));
    let is_far = offset.unsigned_abs() >= FARTHEST && memory.object_at(bits).is_none();
    let object = match is_far {
        true => ObjectId::PART,
        false => base.object,
    };
    Word { bits, object }
}

/// The arguments of `main`: `argc`, `argv` and `envp`. The first of `args` is the program's name;
/// `variables` are the environment's, each `NAME=VALUE`.
///
/// # Errors
/// [`Fault::OutOfMemory`] if they do not fit.
pub fn program_arguments(
    memory: &mut Memory,
    args: &[Vec<u8>],
    variables: &[Vec<u8>],
) -> Result<[Word; 3], Fault> {
    let mut pointers = Vec::with_capacity(args.len() + variables.len());
    for arg in args.iter().chain(variables) {
        let at = memory.allocate(ObjectKind::Global, arg.len() as u64 + 1, 1)?;
        memory.store_bytes(at, arg)?;
        pointers.push(at);
    }
    // Both lists end in a null pointer, and one object holds them, as on a real stack.
    let count = args.len() as u64;
    let words = pointers.len() as u64 + 2;
    let bytes = u64::from(memory.pointer_width().bytes());
    let vector = memory.allocate(ObjectKind::Global, bytes * words, bytes)?;
    let environment = vector.offset(bytes * (count + 1));
    let (named, rest) = pointers.split_at(args.len());
    for (list, pointers) in [(vector, named), (environment, rest)] {
        for (i, pointer) in pointers.iter().enumerate() {
            memory.store_pointer(list.offset(bytes * i as u64), *pointer)?;
        }
    }
    Ok([Word::int(count), vector, environment])
}

/// The name of the global that a fault is about, if the global is undefined: then the access is not the
/// program's error. `globals` are their addresses, as [`Process`](crate::Process) laid them out.
pub fn undefined_global<'p>(
    program: &'p Program,
    globals: &[Word],
    fault: &Fault,
) -> Option<&'p str> {
    let Fault::OutOfBounds {
        object: Some(info), ..
    } = fault
    else {
        return None;
    };
    let mut named = globals.iter().zip(&program.globals);
    let (_, global) =
        named.find(|(at, global)| at.object == info.object && global.content.is_none())?;
    Some(&global.name)
}
