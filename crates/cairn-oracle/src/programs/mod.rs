//! Programs in C and C++ run natively and on the concrete machine, side by side.
//!
//! The LLVM front end and the machine claim to give programs the meaning that a compiler gives
//! them. The strongest witness is the compiler itself: a program without undefined behaviour is
//! compiled to bitcode at every level of optimisation, the same bitcode becomes a native program,
//! and both must print the same and end in the same way.
//!
//! | Source | What it reaches |
//! |---|---|
//! | [`SourceKind::Csmith`] | what the generator `csmith` writes: integers, pointers, structures, jumps |
//! | [`SourceKind::Floats`] | all floating-point formats, conversions, the mathematical library |
//! | [`SourceKind::Varargs`] | variadic functions, structures by value, calls through pointers |
//! | [`SourceKind::Vectors`] | vector types, and loops that the optimiser makes vectors of |
//! | [`SourceKind::Layout`] | bit-fields, packed structures, unions, integers of odd and large widths |
//! | [`SourceKind::Memory`] | memory and string functions, the heap, control flow, compiler built-ins |
//! | [`SourceKind::Cxx`] | classes, virtual bases, casts, templates, static objects |
//!
//! A program is a function of its kind and seed. The generators write programs without undefined
//! behaviour by construction, so an error that only the machine reports is its own.

mod campaign;
mod csmith;
mod cxx;
mod cxx_classes;
mod draft;
mod floats;
mod layout;
mod memory;
mod memory_builtins;
mod memory_pointers;
mod native;
mod ours;
pub(crate) mod scratch;
mod shapes;
mod varargs;
mod vectors;

pub use campaign::{Disagreement, Report, Settings, compare_text, run};
pub use csmith::available as csmith_available;
pub use native::compiler_problem;

use crate::random::Random;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// The generator of that name.
    Csmith,
    /// Floating-point numbers.
    Floats,
    /// Variadic functions and structures by value.
    Varargs,
    /// Vectors.
    Vectors,
    /// Layouts of structures, odd integers.
    Layout,
    /// Memory, strings, control flow, built-ins.
    Memory,
    /// C++.
    Cxx,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [SourceKind; 7] = [
        SourceKind::Csmith,
        SourceKind::Floats,
        SourceKind::Varargs,
        SourceKind::Vectors,
        SourceKind::Layout,
        SourceKind::Memory,
        SourceKind::Cxx,
    ];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Csmith => "csmith",
            SourceKind::Floats => "floats",
            SourceKind::Varargs => "varargs",
            SourceKind::Vectors => "vectors",
            SourceKind::Layout => "layout",
            SourceKind::Memory => "memory",
            SourceKind::Cxx => "cxx",
        }
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<SourceKind> {
        SourceKind::ALL.into_iter().find(|k| k.name() == name)
    }

    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            SourceKind::Cxx => "cpp",
            SourceKind::Csmith
            | SourceKind::Floats
            | SourceKind::Varargs
            | SourceKind::Vectors
            | SourceKind::Layout
            | SourceKind::Memory => "c",
        }
    }
}

/// A program's text and how to compile it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Where it comes from.
    pub kind: SourceKind,
    /// C or C++.
    pub text: String,
    /// Options of the compiler besides the level.
    pub flags: Vec<String>,
}

/// The program of a kind and seed. Only `csmith` can fail.
pub fn generate(kind: SourceKind, seed: u64) -> std::io::Result<SourceText> {
    let text = match kind {
        SourceKind::Csmith => csmith::program(seed)?,
        SourceKind::Floats => floats::program(seed),
        SourceKind::Varargs => varargs::program(seed),
        SourceKind::Vectors => vectors::program(seed),
        SourceKind::Layout => layout::program(seed),
        SourceKind::Memory => memory::program(seed),
        SourceKind::Cxx => cxx::program(seed),
    };
    Ok(SourceText {
        kind,
        text,
        flags: flags(kind, seed),
    })
}

/// Options of the compiler that change what the front end meets, but not what a program means.
fn flags(kind: SourceKind, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed ^ 0x666C_6167);
    let mut flags = vec!["-w".to_string()];
    let mut perhaps = |percent: usize, some: &str| {
        if random.chance(percent) {
            flags.extend(some.split(' ').map(str::to_string));
        }
    };
    perhaps(60, "-g0");
    perhaps(15, "-fno-strict-aliasing");
    perhaps(15, "-fno-inline");
    perhaps(10, "-funroll-loops");
    perhaps(10, "-fwrapv");
    perhaps(10, "-fno-builtin");
    perhaps(10, "-fno-pic");
    perhaps(8, "-ftrivial-auto-var-init=pattern");
    match kind {
        SourceKind::Csmith => flags.push(format!("-I{}", csmith::HEADERS)),
        // Contraction lets the compiler's back end choose between two results: where it fuses or
        // adds in another order, none of them is wrong.
        SourceKind::Floats => perhaps(100, "-ffp-contract=off"),
        SourceKind::Vectors => match native::vector_bytes() {
            32 => perhaps(30, "-mavx2 -ffp-contract=off"),
            64 => perhaps(
                40,
                "-mavx512vl -mavx512bw -mprefer-vector-width=512 -ffp-contract=off",
            ),
            _ => {}
        },
        SourceKind::Cxx => {
            perhaps(50, "-fno-exceptions");
            flags.push("-std=c++17".to_string());
        }
        SourceKind::Varargs | SourceKind::Layout | SourceKind::Memory => {}
    }
    flags
}
