//! RISC-V executables (RV64GC, static ELF) lowered to the program form.

#![forbid(unsafe_code)]

mod atomic;
mod build;
mod compressed;
mod control;
mod decode;
mod elf;
mod float;
mod flow;
mod guest;
mod integer;
mod lines;
mod load;
mod lower;
mod print;
mod recognised;
mod region;
mod registers;
mod run;
mod system;
mod table;
mod values;

pub use decode::{Inst, decode, decode_word, length_of};
pub use elf::{ElfError, Executable, Segment, Symbol, SymbolKind};
pub use guest::{Guest, GuestOptions};
pub use load::{GuestImage, LoadError, STACK_BYTES, STACK_END, Start};
pub use print::{assembly, float_register, integer_register};
pub use run::{GuestEnd, GuestError, GuestMachine, GuestPlace, NoOutput};
pub use system::{Answer, SmallSystem, System};
pub use table::{Field, Op, Row, TABLE};
