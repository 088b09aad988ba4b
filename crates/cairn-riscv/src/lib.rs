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
//! - `convention`: what `ecall` means, if not Linux's system calls.
//! - `arguments`: arguments of a guest that are inputs; `shared`: one guest that several machines run.
//! - `load`: the guest in a memory. What runs it is a machine of `cairn-machine`, for which a
//!   [`SharedGuest`] is the executable behind a program ([`cairn_machine::MachineCode`]).
//!
//! What machine code cannot say is not guessed: memory is checked by segment, stack, heap object and
//! mapping, at its address ([`cairn_memory::Memory::going_by_address`]). What is not supported is a failing
//! check that names it: privileged instructions, code that changes itself.
//!
//! ```no_run
//! use cairn_linux::{Abi, Setup};
//! use cairn_machine::{CODE_ENTRY, Image, MachineCode, MachineConfig};
//! use cairn_riscv::{Guest, GuestArguments, GuestOptions, SharedGuest};
//! use std::sync::Arc;
//!
//! let file = std::fs::read("prog.elf")?;
//! let guest = Guest::new("prog.elf", &file, &GuestOptions::default())?;
//! let end = guest.executable().end();
//! let setup = Setup { brk: end..end + (1 << 24), ..Setup::new(Abi::Riscv64) };
//! let arguments = GuestArguments::known(vec![b"prog.elf".to_vec()], Vec::new());
//! let code = Arc::new(SharedGuest::new(guest, arguments));
//! let program = code.program();
//! let entry = program.find_function(CODE_ENTRY).expect("every guest has it");
//! let config = MachineConfig { code: Some(code), ..MachineConfig::default() };
//! let image = Image::new(program, config)?.with_system(&setup)?;
//! let (mut output, mut errors) = (std::io::stdout(), std::io::stderr());
//! println!("{:?}", image.machine(&mut output, &mut errors).run(entry, &[]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod arguments;
mod atomic;
mod build;
mod compressed;
mod control;
mod convention;
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
mod shared;
mod signals;
mod table;
mod values;

pub use arguments::{Argument, GuestArguments};
pub use convention::Convention;
pub use decode::{GuestInst, decode, decode_word, length_of};
pub use elf::{ElfError, ElfSegment, ElfSymbol, Executable, SymbolKind};
pub use guest::{Guest, GuestOptions};
pub use print::{assembly, float_register, integer_register};
pub use shared::SharedGuest;
pub use table::{Opcode, OpcodeRow, OperandField, TABLE};
