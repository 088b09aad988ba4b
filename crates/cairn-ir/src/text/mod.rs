//! The text form of a program, `.cir`: for tests written by hand, for dumps, for bug reports.
//!
//! [`print()`] and [`parse()`] are inverse on programs that [`verify`](crate::verify::verify) accepts.
//! Line ends are white space, `;` starts a comment that ends with the line.
//! `pointer 4`, before globals and functions, says that pointers have 4 bytes; without it they have 8.
//!
//! ```
//! use cairn_ir::text::{parse, print};
//!
//! let program = parse(
//!     r#"
//! file 1 "maze.c"
//! name 1 "main"
//! place p1 = file 1 line 3 column 5 in 1
//! place p2 = file 1 line 9 column 1 in 1 inlined at p1
//! slot s0 "x1" i64
//! constructor @start
//! destructor @finish
//! prefix @start "\01\02"
//! extern global @environ align 8 size 8
//! global @table const align 8 size 24 !p1 {
//!   bytes "ab\00" i32 7
//!   at 8 address @main + 4
//!   at 16 difference 4 @main - @table + 8
//! }
//! extern func @start()
//! extern func @finish()
//! extern func @printf(i64, ...) -> i32
//!
//! func @main(%argc: i32, %argv: i64) -> i32 !p1 {
//! entry:
//!   %twice: i32 = add %argc, %argc !p2
//!   %few: i1 = ult i32 %twice, 7
//!   branch %few, done(%twice), more
//! more:
//!   %n: i32 = call @printf(i64 @table ... i32 %twice general)
//!   jump done(-1)
//! done(%result: i32):
//!   return %result
//! }
//! "#,
//! )?;
//! cairn_ir::verify::verify(&program).expect("it makes sense");
//! assert_eq!(parse(&print(&program))?, program);
//! # Ok::<(), cairn_ir::text::ParseError>(())
//! ```
//!
//! Words:
//!
//! - `iN` is a width. `!pN` after an instruction, a terminator or a header is its place.
//! - `%name` is a local. It is defined once, with its width. A number is the local's own number
//!   (as the printer writes it); names get the numbers that are left, in order.
//! - Labels are any words; blocks are numbered in order, the first is the entry and its
//!   parameters are the function's.
//! - `@name` is a function or a global, which may be defined further down; `@"..."` if the name
//!   is not made of letters, digits, `_`, `.` and `$`.
//! - Constants are decimal or `0x` hexadecimal, may be negative (two's complement of the width
//!   that the instruction asks for), and may say their width: `-1i32`, `0xffi128`.
//! - Strings have the escapes `\n`, `\t`, `\"`, `\\` and `\hh` (a byte in hexadecimal).
//!
//! Instructions:
//!
//! ```text
//! %d: i32 = add %a, %b                  sub mul udiv sdiv urem srem shl lshr ashr and or xor
//! %d: i32 = popcount %a                 leading_zeros trailing_zeros byte_swap bit_reverse
//! %d: i1 = ult i32 %a, %b               eq ne ule slt sle
//! %d: i64 = zext i32 %a                 sext trunc
//! %d: i8 = extract i64 %a from 16
//! %d: i96 = concat %high, i32 %low
//! %d: i32 = select %c, %a, %b
//! %d: i64 = fadd double %a, %b          fsub fmul fdiv frem fminnum fmaxnum fminimum fmaximum
//! %d: i64 = fsqrt double %a             ffloor fceil ftrunc fround_even fround_away
//! %d: i64 = fma double %a, %b, %c
//! %d: i1 = fcmp olt double %a, %b       never oeq ole ogt one oge ord uno ult ueq ule ugt une
//!                                       uge always
//! %d: i64 = fconvert single %a to double
//! %d: i64 = from_signed i32 %a to double                from_unsigned
//! %d: i32 = to_signed double %a to i32 saturating       to_unsigned; saturating or not
//! %d: i32 = arbitrary
//! %d: i32 = load %p
//! store i32 %a to %p
//! %d: i64 = alloca 16 align 8
//! %d: i64 = stack_save
//! stack_restore %m
//! end_scope %p    begin_scope %p
//! copy %to, %from, %length              move if the ranges may overlap
//! fill %to, %byte, %length
//! %d: i32, %e: i64 = call @f(i32 %a, i64 5 ... i32 %b general, i64 %c float,
//!                            i128 %d memory 16, i64 %e bytes 24 align 8)
//! call %pointer(i32 %a)
//! va_start %list general 1 float 0
//! check division_by_zero %c "message"   the message may be left out
//! %d: i64 = read s0
//! write s0 %a
//! ```
//!
//! Terminators: `jump b(%a)`, `branch %c, b(%a), e`, `switch i32 %v [0: b, -1: c(%a)] else e`,
//! `return %a, %b`, `stop`.

mod body;
mod cursor;
mod insts;
mod lexer;
mod names;
mod parse;
mod pieces;
mod print;

pub use cursor::ParseError;
pub use parse::parse;
pub use print::{print, print_instruction, write};
