//! What C++ programs without exceptions need of their run-time library.

use super::{Ending, NativeCall, NativeFamily, NativeResult, int32, null};
use cairn_ir::Program;
use cairn_memory::{AllocatorFamily, Fault, Word};

pub(super) const FUNCTIONS: NativeFamily = &[
    ("_Znwm", new),
    ("_Znam", new_array),
    ("_ZnwmRKSt9nothrow_t", new_nothrow),
    ("_ZnamRKSt9nothrow_t", new_array_nothrow),
    ("_ZnwmSt11align_val_t", new_aligned),
    ("_ZnamSt11align_val_t", new_array_aligned),
    ("_ZdlPv", delete),
    ("_ZdaPv", delete_array),
    ("_ZdlPvm", delete),
    ("_ZdaPvm", delete_array),
    ("_ZdlPvSt11align_val_t", delete),
    ("_ZdaPvSt11align_val_t", delete_array),
    ("_ZdlPvmSt11align_val_t", delete),
    ("_ZdaPvmSt11align_val_t", delete_array),
    ("_ZdlPvRKSt9nothrow_t", delete),
    ("_ZdaPvRKSt9nothrow_t", delete_array),
    ("__cxa_pure_virtual", pure_virtual),
    ("__cxa_deleted_virtual", pure_virtual),
    ("__cxa_guard_acquire", guard_acquire),
    ("__cxa_guard_release", guard_release),
    ("__dynamic_cast", dynamic_cast),
    ("_ZSt9terminatev", terminate),
    ("__clang_call_terminate", terminate),
];

/// Whether the program replaces a function that makes or frees objects of C++.
pub(super) fn replaces_new(program: &Program) -> bool {
    let replaceable: Vec<&str> = FUNCTIONS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| name.starts_with("_Zn") || name.starts_with("_Zd"))
        .collect();
    let mut defined = program.functions.iter().filter(|f| f.body.is_some());
    defined.any(|f| replaceable.contains(&f.name.as_str()))
}

fn new_or_fail(call: &mut NativeCall<'_>, align: u64, family: AllocatorFamily) -> NativeResult {
    let at = new_or_null(call, align, family)?;
    if at.bits == 0 {
        return Err(Ending::Wrong(
            "operator new has no memory and would throw std::bad_alloc".to_string(),
        ));
    }
    Ok(at)
}

fn new_or_null(call: &mut NativeCall<'_>, align: u64, family: AllocatorFamily) -> NativeResult {
    let at = super::heap::allocate_uninitialised(call, call.bits(0), align)?;
    cairn_memory::set_allocator(call.memory, at, family);
    Ok(at)
}

fn new(call: &mut NativeCall<'_>) -> NativeResult {
    new_or_fail(call, super::heap::ALIGN, AllocatorFamily::New)
}

fn new_array(call: &mut NativeCall<'_>) -> NativeResult {
    new_or_fail(call, super::heap::ALIGN, AllocatorFamily::NewArray)
}

fn new_aligned(call: &mut NativeCall<'_>) -> NativeResult {
    new_at_alignment(call, AllocatorFamily::New)
}

fn new_array_aligned(call: &mut NativeCall<'_>) -> NativeResult {
    new_at_alignment(call, AllocatorFamily::NewArray)
}

fn new_at_alignment(call: &mut NativeCall<'_>, family: AllocatorFamily) -> NativeResult {
    let align = call.bits(1);
    if !align.is_power_of_two() {
        return Err(Ending::Wrong(format!(
            "operator new with alignment {align}, which is no power of two"
        )));
    }
    new_or_fail(call, align.max(super::heap::ALIGN), family)
}

fn new_nothrow(call: &mut NativeCall<'_>) -> NativeResult {
    new_or_null(call, super::heap::ALIGN, AllocatorFamily::New)
}

fn new_array_nothrow(call: &mut NativeCall<'_>) -> NativeResult {
    new_or_null(call, super::heap::ALIGN, AllocatorFamily::NewArray)
}

fn delete(call: &mut NativeCall<'_>) -> NativeResult {
    super::heap::release(call, AllocatorFamily::New)
}

fn delete_array(call: &mut NativeCall<'_>) -> NativeResult {
    super::heap::release(call, AllocatorFamily::NewArray)
}

/// What the C++ library says, before it aborts, of a call of what stands in tables of virtual functions where there
/// is none. Such a function is called with the type of the one that is missing.
pub fn unimplemented_virtual(name: &str) -> Option<&'static str> {
    match name {
        "__cxa_pure_virtual" => Some("pure virtual method called"),
        "__cxa_deleted_virtual" => Some("deleted virtual method called"),
        _ => None,
    }
}

fn pure_virtual(_: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Abort)
}

fn terminate(_: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Abort)
}

/// The first byte of a guard says whether the variable is initialised.
fn guard_acquire(call: &mut NativeCall<'_>) -> NativeResult {
    let done = call.memory.load_word(call.word(0), 1)?;
    Ok(int32(i32::from(done.bits == 0)))
}

fn guard_release(call: &mut NativeCall<'_>) -> NativeResult {
    let at = call.word(0);
    call.memory.store_word(at, 1, Word::int(1))?;
    Ok(Word::int(0))
}

/// What a class's type information lists.
enum Bases {
    None,
    One(Word),
    Many { first: Word, count: u64 },
}

/// A part of an object: its class, where it is, and whether a public path leads to it.
struct Subobject {
    class: Word,
    at: Word,
    public: bool,
}

/// Reads the class of an object and its parts.
///
/// ```text
/// vtable      -16 offset to the whole object   -8 type information   0 functions
/// type info     0 its kind's vtable   8 name
///   one base   16 base
///   many      16 flags: u32   20 count: u32   24 (base, offset * 256 + flags) ...
/// ```
struct Classes<'a> {
    memory: &'a cairn_memory::Memory,
    one_base: Option<u64>,
    many_bases: Option<u64>,
}

const VIRTUAL: u64 = 1;
const PUBLIC: u64 = 2;
/// Deeper class graphs than this are taken for garbage.
const DEEPEST: usize = 256;

impl Classes<'_> {
    fn word(&self, at: Word, by: i64) -> Result<Word, Fault> {
        self.memory.load_word(at.offset(by as u64), 8)
    }

    fn bases(&self, class: Word) -> Result<Bases, Fault> {
        let kind = self.word(class, 0)?.bits;
        Ok(if Some(kind) == self.one_base {
            Bases::One(self.word(class, 16)?)
        } else if Some(kind) == self.many_bases {
            let count = self.memory.load_word(class.offset(20), 4)?.bits;
            Bases::Many {
                first: class.offset(24),
                count,
            }
        } else {
            Bases::None
        })
    }

    /// The parts of an object of a class, the object itself first.
    fn parts(&self, class: Word, at: Word) -> Result<Vec<Subobject>, Ending> {
        let mut found = Vec::new();
        let mut open = vec![(class, at, true, 0)];
        while let Some((class, at, public, depth)) = open.pop() {
            if depth > DEEPEST {
                return Err(Ending::Wrong("a class has itself as a base".to_string()));
            }
            match self.bases(class)? {
                Bases::None => {}
                Bases::One(base) => open.push((base, at, public, depth + 1)),
                Bases::Many { first, count } => {
                    for i in 0..count {
                        let entry = first.offset(16 * i);
                        let base = self.word(entry, 0)?;
                        let flags = self.word(entry, 8)?.bits;
                        let mut by = flags as i64 >> 8;
                        if flags & VIRTUAL != 0 {
                            by = self.word(self.word(at, 0)?, by)?.bits as i64;
                        }
                        let public = public && flags & PUBLIC != 0;
                        open.push((base, at.offset(by as u64), public, depth + 1));
                    }
                }
            }
            // A virtual base is reached along several paths; one public path is enough.
            match found
                .iter_mut()
                .find(|p: &&mut Subobject| p.class.bits == class.bits && p.at.bits == at.bits)
            {
                Some(known) => known.public |= public,
                None => found.push(Subobject { class, at, public }),
            }
        }
        Ok(found)
    }
}

/// `dynamic_cast` as the Itanium C++ ABI defines it: the part of the wanted class that the given
/// part belongs to, if there is one; otherwise the only part of that class in the whole object.
fn dynamic_cast(call: &mut NativeCall<'_>) -> NativeResult {
    let (from, source, wanted) = (call.word(0), call.word(1), call.word(2));
    // Type information points past the two words at a vtable's start.
    let [one_base, many_bases] = call
        .library
        .class_kinds
        .map(|table| Some(table?.wrapping_add(16)));
    let classes = Classes {
        memory: call.memory,
        one_base,
        many_bases,
    };
    let table = classes.word(from, 0)?;
    let to_top = classes.word(table, -16)?.bits;
    let whole = from.offset(to_top);
    let parts = classes.parts(classes.word(table, -8)?, whole)?;
    let is = |part: &Subobject, class: Word, at: u64| {
        part.class.bits == class.bits && part.at.bits == at
    };
    let mut down = Vec::new();
    for part in parts.iter().filter(|p| p.class.bits == wanted.bits) {
        let below = classes.parts(part.class, part.at)?;
        if below.iter().any(|b| b.public && is(b, source, from.bits)) {
            down.push(part.at);
        }
    }
    if let [at] = down[..] {
        return Ok(at);
    }
    let reachable = parts.iter().any(|p| p.public && is(p, source, from.bits));
    let across: Vec<&Subobject> = parts
        .iter()
        .filter(|p| p.class.bits == wanted.bits)
        .collect();
    if let ([part], true, true) = (&across[..], reachable, down.is_empty())
        && part.public
    {
        return Ok(part.at);
    }
    Ok(null())
}
