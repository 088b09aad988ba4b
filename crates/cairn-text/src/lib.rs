//! Text formats: SMT-LIB 2.6 scripts and KQuery files, read into terms and written from them.
//!
//! Everything here is made for input from outside: any sequence of bytes gives terms or a
//! [`TextError`] with the place and one sentence. No function recurses on the nesting of its
//! input, and what is built stays proportional to the text that asks for it ([`TextLimits`]).
//!
//! ```
//! use cairn_expr::TermStore;
//! use cairn_text::smtlib::{Command, Script, term_to_string};
//!
//! let store = TermStore::new();
//! let text = "(declare-const x (_ BitVec 8)) (assert (bvult x #x05)) (check-sat)";
//! let mut script = Script::new(text.as_bytes());
//! while let Some(command) = script.next_command(&store)? {
//!     if let Command::Assert { term, .. } = command {
//!         assert_eq!(term_to_string(&term), "(bvult x #x05)");
//!     }
//! }
//! # Ok::<(), cairn_text::TextError>(())
//! ```
//!
//! | Task | Where |
//! |---|---|
//! | read a script, command by command | [`smtlib::Script`], [`smtlib::Command`] |
//! | write a term, a query, a model | [`smtlib::write_term`], [`smtlib::write_query`], [`smtlib::write_model`] |
//! | read the answers of another solver | [`smtlib::Responses`] |
//! | read a KQuery file | [`kquery::read`] |
//! | write a KQuery query | [`kquery::write`] |
//! | write and read what a run asked the solver | [`journal`] |
//! | fuzz all of it | [`fuzz`] |
//!
//! **This crate does no solving.**
#![forbid(unsafe_code)]

mod error;
pub mod fuzz;
pub mod journal;
pub mod kquery;
mod lexer;
mod limits;
mod sharing;
pub mod smtlib;

pub use error::TextError;
pub use limits::TextLimits;
