//! Natives: functions of the C library that the machine implements itself, enough for small programs.
//!
//! Each function is found by its name in the table of its family. It works on the program's memory
//! with the same checks as the program's own accesses, and besides that only on what [`NativeContext`]
//! names. So both the concrete machine and the engine can call it with a memory of their own.
//!
//! A function of the C library has up to four forms. A call gets the first of these that there is:
//!
//! | form | where it is | when |
//! |---|---|---|
//! | code of the program | the program, or musl as bitcode, which is linked if the user says so or if the program needs what only musl has | always; musl's bitcode leaves out what the machine does better: the heap, `memcpy` and four others, `setjmp`, `abort`, `assert`, some of `<math.h>` (`scripts/libc.sh`) |
//! | intrinsic of the engine | its `calls/intrinsics/` | exploring |
//! | code for unknown bytes | `runtime/strings.c` | exploring, if an argument, or a byte that the native would look at, is not known |
//! | native | here | otherwise; beside musl only those that [`native_names_beside_libc`] lists and operations on memory |

mod ctype;
mod cxx;
mod formatted;
mod frames;
mod heap;
mod inputs;
mod kernel;
mod klee;
mod library;
mod long_math;
mod math;
mod numbers;
mod output;
mod process;
mod rounded;
mod strings;
mod verifier;

pub use cxx::unimplemented_virtual;
pub use frames::{
    COUNTER, CYCLES, FRAME_ADDRESS, FRAME_BYTES, RETURN_ADDRESS, TIME_COUNTER, TIME_COUNTER_NAME,
    return_address,
};
pub use heap::NO_MEMORY;
pub use inputs::Inputs;
pub use kernel::ReplyMeaning;
pub use library::{Library, native_global_size};
pub use rounded::{RAISED, ROUNDED};

use crate::machine_code::MachineCode;
use crate::signals::SignalHandler;
use crate::thread::{AnyValue, Extra};
use cairn_bv::BitVec;
use cairn_ir::{CheckKind, FuncId, Program};
use cairn_memory::{Fault, Memory, Word};
use std::fmt;

/// What a native returns, unless it ends.
type NativeResult = Result<Word, Ending>;

/// The function that does what a native does.
type NativeFunction = fn(&mut NativeCall<'_>) -> NativeResult;

/// A list of natives.
type NativeFamily = &'static [(&'static str, NativeFunction)];

const FAMILIES: [NativeFamily; 15] = [
    ctype::FUNCTIONS,
    cxx::FUNCTIONS,
    formatted::FUNCTIONS,
    frames::FUNCTIONS,
    heap::FUNCTIONS,
    kernel::FUNCTIONS,
    klee::FUNCTIONS,
    long_math::FUNCTIONS,
    math::FUNCTIONS,
    numbers::FUNCTIONS,
    output::FUNCTIONS,
    process::FUNCTIONS,
    rounded::FUNCTIONS,
    strings::FUNCTIONS,
    verifier::FUNCTIONS,
];

/// A native.
#[derive(Clone, Copy)]
pub struct Native(&'static (&'static str, NativeFunction));

impl Native {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        self.0.0
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Native({})", self.name())
    }
}

/// All natives.
fn all() -> impl Iterator<Item = Native> {
    FAMILIES.iter().flat_map(|f| f.iter()).map(Native)
}

/// The names of the natives, and of the functions that jump.
pub fn native_names() -> impl Iterator<Item = &'static str> {
    all().map(Native::name).chain(crate::jump::names())
}

/// The native of a name.
pub fn find(name: &str) -> Option<Native> {
    all().find(|native| native.name() == name)
}

/// Functions that a program with its own C library still gets from here, by family: they work on
/// memory, or call the machine or engine that runs the program.
const BESIDE_LIBC: [NativeFamily; 9] = [
    cxx::FUNCTIONS,
    frames::FUNCTIONS,
    heap::FUNCTIONS,
    kernel::FUNCTIONS,
    klee::FUNCTIONS,
    long_math::FUNCTIONS,
    math::FUNCTIONS,
    rounded::FUNCTIONS,
    verifier::FUNCTIONS,
];

/// The others of these, by name.
const NAMED_BESIDE_LIBC: [&str; 8] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "abort",
    "__assert_fail",
    "__assert",
];

/// The names of the natives, and of the functions that jump, that a program with its own C library has.
pub fn native_names_beside_libc() -> impl Iterator<Item = &'static str> {
    let families = BESIDE_LIBC.iter().flat_map(|f| f.iter());
    let named = NAMED_BESIDE_LIBC.into_iter();
    families
        .map(|(name, _)| *name)
        .chain(named)
        .chain(crate::jump::names())
}

/// The natives of a program, by the numbers of its functions. If it has a C library of its own, functions
/// that the library should have are not among them, except operations on memory. Functions that have code
/// in an executable are none.
pub fn of_program(program: &Program, code: Option<&dyn MachineCode>) -> Vec<Option<Native>> {
    let libc = crate::has_libc(program);
    let beside = |native: &Native| {
        !libc
            || native_names_beside_libc().any(|n| n == native.name())
            || strings::MEMORY_OPERATIONS.contains(&native.name())
    };
    let has_code = |i: usize| code.is_some_and(|code| code.has_code(FuncId::new(i)));
    let functions = program.functions.iter().enumerate();
    functions
        .map(|(i, f)| match f.body {
            None if !has_code(i) => find(&f.name).filter(beside),
            Some(_) | None => None,
        })
        .collect()
}

/// How a native ends that does not return to its call. But for [`Ending::Handler`] the program, or the path, ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As `exit`: registered functions and destructors are still to run.
    Exit(i32),
    /// As `_exit`: nothing that was registered runs, and no destructor.
    ExitNow(i32),
    /// As `abort`.
    Abort,
    /// A signal ends the program.
    Signal(u32),
    /// A handler of a signal is to be called in its place. After the handler the call returns, or is made again.
    Handler(SignalHandler),
    /// A failed `assert`. The program's own message is written already.
    Assertion {
        /// The asserted expression as it stands in the source.
        condition: String,
        /// The source file, as the compiler was given it.
        file: String,
        /// The line.
        line: u32,
        /// The function that asserts; `?` if it is not told.
        function: String,
    },
    /// As `klee_silent_exit`: the program wants nothing to be said about this run.
    Silent,
    /// Something that the program assumes does not hold, in one sentence.
    Assumption(String),
    /// A function was called whose call says that something is wrong, in one sentence.
    ErrorCall(String),
    /// Something that is not modelled, in one sentence.
    NotModelled(String),
    /// An error of memory.
    Fault(Fault),
    /// Something else that is wrong, in one sentence.
    Wrong(String),
}

impl From<Fault> for Ending {
    fn from(fault: Fault) -> Self {
        Ending::Fault(fault)
    }
}

pub use cairn_linux::Stream;

/// Where what a program prints goes, and where what it reads comes from.
pub trait StandardStreams {
    /// Writes to a stream.
    fn write(&mut self, stream: Stream, bytes: &[u8]);

    /// Hands on what is held back, if anything is.
    fn flush(&mut self) {}

    /// What comes next on standard input, for which it waits; nothing at its end.
    fn next_input(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

/// What natives work on.
pub struct NativeContext<'a> {
    /// The program's memory.
    pub memory: &'a mut Memory,
    /// What the library keeps besides; placed in that memory.
    pub library: &'a mut Library,
    /// Where output goes.
    pub output: &'a mut dyn StandardStreams,
    /// The function at an address.
    pub functions: &'a dyn Fn(u64) -> Option<FuncId>,
}

/// A call of a native.
struct NativeCall<'a> {
    memory: &'a mut Memory,
    library: &'a mut Library,
    output: &'a mut dyn StandardStreams,
    functions: &'a dyn Fn(u64) -> Option<FuncId>,
    args: Vec<(AnyValue<Word, BitVec>, u32)>,
    extra: Vec<Extra<Word, BitVec>>,
    /// The result, if it has more than 64 bits.
    wide_result: Option<BitVec>,
}

impl NativeCall<'_> {
    /// An argument; zero if it is not there, as a register would hold anything.
    fn word(&self, i: usize) -> Word {
        match self.args.get(i) {
            Some((AnyValue::Value(word), _)) => *word,
            Some((AnyValue::Wide(_), _)) => Word::int(0),
            None => match self.extra.get(i - self.args.len()) {
                Some(Extra {
                    value: AnyValue::Value(word),
                    ..
                }) => *word,
                Some(_) | None => Word::int(0),
            },
        }
    }

    /// An argument's bits.
    fn bits(&self, i: usize) -> u64 {
        self.word(i).bits
    }

    /// An argument of more than 64 bits; zero if it is not there.
    fn wide(&self, i: usize) -> u128 {
        match self.args.get(i) {
            Some((AnyValue::Wide(value), _)) => value.to_u128().unwrap_or(0),
            Some((AnyValue::Value(_), _)) | None => 0,
        }
    }

    /// The bytes of a string.
    fn string(&self, at: Word) -> Result<Vec<u8>, Fault> {
        string(self.memory, at, None)
    }
}

/// Calls a native. Its results have the widths that are asked for.
///
/// # Errors
/// How it ends, if it does not return.
pub fn call(
    native: Native,
    around: &mut NativeContext<'_>,
    args: Vec<(AnyValue<Word, BitVec>, u32)>,
    extra: Vec<Extra<Word, BitVec>>,
    results: &[u32],
) -> Result<Vec<AnyValue<Word, BitVec>>, Ending> {
    let mut call = NativeCall {
        memory: around.memory,
        library: around.library,
        output: around.output,
        functions: around.functions,
        args,
        extra,
        wide_result: None,
    };
    let word = (native.0.1)(&mut call)?;
    let wide = call.wide_result;
    Ok(results
        .iter()
        .map(|&width| {
            if width <= 64 {
                let bits = word.bits & (u64::MAX >> (64 - width));
                AnyValue::Value(Word { bits, ..word })
            } else {
                match &wide {
                    Some(value) if value.width() == width => AnyValue::Wide(value.clone()),
                    Some(_) | None => AnyValue::Wide(BitVec::new(width, word.bits)),
                }
            }
        })
        .collect())
}

/// The bytes of a string up to its end or a limit.
fn string(memory: &Memory, at: Word, limit: Option<u64>) -> Result<Vec<u8>, Fault> {
    let limit = limit.unwrap_or(u64::MAX);
    let length = memory.find_byte(at, 0, limit)?.unwrap_or(limit);
    let mut bytes = vec![0; length as usize];
    memory.load_bytes(at, &mut bytes)?;
    Ok(bytes)
}

/// What a failed check means, in a sentence.
pub fn check_text(kind: CheckKind, message: &str) -> String {
    let text = match kind {
        CheckKind::DivisionByZero => "division by zero",
        CheckKind::DivisionOverflow => "overflow in division",
        CheckKind::Overshift => "shift by the width or more",
        CheckKind::SignedOverflow => "signed overflow",
        CheckKind::UnsignedOverflow => "unsigned overflow",
        CheckKind::Inexact => "bits are lost",
        CheckKind::PointerOverflow => "pointer arithmetic overflows",
        CheckKind::Unreachable => "code that is never reached was",
        CheckKind::Assumption => "an assumption is false",
        CheckKind::OutOfBounds => "out of bounds",
        CheckKind::OutOfRange => "a value is out of its range",
        CheckKind::VectorIndex => "index outside of a vector",
        CheckKind::Null => "null pointer",
        CheckKind::Misaligned => "misaligned pointer",
        CheckKind::FunctionType => "wrong function type",
        CheckKind::Undefined => "undefined behaviour",
        CheckKind::Unsupported => "not supported",
    };
    if message.is_empty() {
        text.to_string()
    } else {
        format!("{text}: {message}")
    }
}

/// A word of 32 bits from a signed number.
fn int32(value: i32) -> Word {
    Word::int(u64::from(value as u32))
}

/// Null.
fn null() -> Word {
    Word::int(0)
}
