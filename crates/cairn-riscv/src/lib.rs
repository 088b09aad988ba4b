//! RISC-V executables (RV64GC, static ELF) lowered to the program form.

#![forbid(unsafe_code)]

mod compressed;
mod decode;
mod print;
mod table;

pub use decode::{Inst, decode, decode_word, length_of};
pub use print::{assembly, float_register, integer_register};
pub use table::{Field, Op, Row, TABLE};
