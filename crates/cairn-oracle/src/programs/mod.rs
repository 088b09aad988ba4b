//! Programs in C and C++ run natively and on the concrete machine, side by side.
//!
//! The LLVM front end and the machine claim to give programs the meaning that a compiler gives
//! them. The strongest witness is the compiler itself: a program without undefined behaviour is
//! compiled to bitcode at every level of optimisation, the same bitcode becomes a native program,
//! and both must print the same and end in the same way.
//!
//! | Source | What it reaches |
//! |---|---|
//! | [`Kind::Csmith`] | what the generator `csmith` writes: integers, pointers, structures, jumps |
//! | [`Kind::Floats`] | all floating-point formats, conversions, the mathematical library |
//! | [`Kind::Varargs`] | variadic functions, structures by value, calls through pointers |
//! | [`Kind::Vectors`] | vector types, and loops that the optimiser makes vectors of |
//! | [`Kind::Layout`] | bit-fields, packed structures, unions, integers of odd and large widths |
//! | [`Kind::Memory`] | memory and string functions, the heap, control flow, compiler built-ins |
//! | [`Kind::Cxx`] | classes, virtual bases, casts, templates, static objects |
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
pub enum Kind {
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

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Csmith,
        Kind::Floats,
        Kind::Varargs,
        Kind::Vectors,
        Kind::Layout,
        Kind::Memory,
        Kind::Cxx,
    ];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Csmith => "csmith",
            Kind::Floats => "floats",
            Kind::Varargs => "varargs",
            Kind::Vectors => "vectors",
            Kind::Layout => "layout",
            Kind::Memory => "memory",
            Kind::Cxx => "cxx",
        }
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }

    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Cxx => "cpp",
            Kind::Csmith
            | Kind::Floats
            | Kind::Varargs
            | Kind::Vectors
            | Kind::Layout
            | Kind::Memory => "c",
        }
    }
}

/// A program's text and how to compile it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it comes from.
    pub kind: Kind,
    /// C or C++.
    pub text: String,
    /// Options of the compiler besides the level.
    pub flags: Vec<String>,
}

/// The program of a kind and seed. Only `csmith` can fail.
pub fn generate(kind: Kind, seed: u64) -> std::io::Result<Source> {
    let text = match kind {
        Kind::Csmith => csmith::program(seed)?,
        Kind::Floats => floats::program(seed),
        Kind::Varargs => varargs::program(seed),
        Kind::Vectors => vectors::program(seed),
        Kind::Layout => layout::program(seed),
        Kind::Memory => memory::program(seed),
        Kind::Cxx => cxx::program(seed),
    };
    Ok(Source {
        kind,
        text,
        flags: flags(kind, seed),
    })
}

/// Options of the compiler that change what the front end meets, but not what a program means.
fn flags(kind: Kind, seed: u64) -> Vec<String> {
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
        Kind::Csmith => flags.push(format!("-I{}", csmith::HEADERS)),
        // Contraction lets the compiler's back end choose between two results: where it fuses or
        // adds in another order, none of them is wrong.
        Kind::Floats => perhaps(100, "-ffp-contract=off"),
        Kind::Vectors => match native::vector_bytes() {
            32 => perhaps(30, "-mavx2 -ffp-contract=off"),
            64 => perhaps(
                40,
                "-mavx512vl -mavx512bw -mprefer-vector-width=512 -ffp-contract=off",
            ),
            _ => {}
        },
        Kind::Cxx => {
            perhaps(50, "-fno-exceptions");
            flags.push("-std=c++17".to_string());
        }
        Kind::Varargs | Kind::Layout | Kind::Memory => {}
    }
    flags
}
