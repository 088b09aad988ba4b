//! RISC-V executables (RV64GC, static ELF) lowered to the program form.
//!
//! - `table`, `decode`, `compressed`, `print`: instructions. One table says what there is; words of 16
//!   bits become those of 32 bits that they stand for.
//! - `elf`, `lines`: executables, their symbols and source lines.
//! - `region`, `flow`: which instructions are a function, and which registers it needs where.
//! - `lower` and under it `integer`, `float`, `atomic`, `control`: what they mean. The head of `lower`
//!   is the design: registers are a global of the program between functions and locals inside of
//!   them, calls are calls, and nothing about calling conventions is believed.
//! - `guest`: an executable and its program, which grows while it runs; `helpers`: functions that every
//!   such program has; `recognised`: functions that are
//!   known by their symbol and run outside, so that errors of the heap are found.
//! - `arguments`: arguments of a guest that are inputs; `shared`: one guest that several machines run.
//! - `load`, `system`, `run`: the guest in a memory, the line to an operating system, and a machine
//!   that runs it on concrete words.
//!
//! What machine code cannot say is not guessed: memory is checked by segment, stack, heap object and
//! mapping, at its address ([`cairn_memory::Memory::going_by_address`]). What is not supported is a failing
//! check that names it: privileged instructions, code that changes itself.
//!
//! ```no_run
//! use cairn_riscv::{Guest, GuestMachine, GuestOptions, NoOutput, SmallSystem, Start};
//!
//! let file = std::fs::read("prog.elf")?;
//! let guest = Guest::new("prog.elf", &file, &GuestOptions::default())?;
//! let (mut output, mut errors) = (std::io::stdout(), std::io::stderr());
//! let mut system = SmallSystem::new(Vec::new(), &mut output, &mut errors);
//! let start = Start { args: vec![b"prog.elf".to_vec()], environment: Vec::new() };
//! let config = cairn_memory::MemoryConfig::default();
//! let mut nothing = NoOutput;
//! let mut machine = GuestMachine::new(guest, &start, &config, &mut system, &mut nothing)?;
//! println!("{:?}", machine.run());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod arguments;
mod atomic;
mod build;
mod compressed;
mod control;
mod decode;
mod elf;
mod float;
mod flow;
mod guest;
mod helpers;
mod integer;
mod lines;
mod load;
mod lower;
mod print;
mod recognised;
mod region;
mod registers;
mod run;
mod shared;
mod signals;
mod system;
mod table;
mod values;

pub use arguments::{Argument, Arguments};
pub use decode::{Inst, decode, decode_word, length_of};
pub use elf::{ElfError, Executable, Segment, Symbol, SymbolKind};
pub use guest::{Guest, GuestOptions};
pub use load::{GuestImage, LoadError, STACK_BYTES, STACK_END, Start};
pub use print::{assembly, float_register, integer_register};
pub use run::{GuestEnd, GuestError, GuestMachine, GuestPlace, NoOutput};
pub use shared::SharedGuest;
pub use system::{Answer, SmallSystem, System};
pub use table::{Field, Op, Row, TABLE};
