//! SMT-LIB 2.6: scripts, terms, models and the answers of solvers.
//!
//! Reading: [`Script`] gives one [`Command`] at a time and holds no more of the text than the
//! current token. Writing: [`write_term`] and its relatives; what they write reads back as the
//! same term.

mod command;
mod machine;
pub(crate) mod operators;
mod print;
mod query;
mod response;
mod scope;
mod script;
mod sorts;
mod spelling;
mod term;

pub use command::Command;
pub use print::{term_to_string, write_term};
pub use query::{value_to_string, write_model, write_query, write_value};
pub use response::{Responses, SolverResponse, read_answer, read_values};
pub use scope::{Declaration, DefinedFunction};
pub use script::Script;
pub use spelling::{Names, spell_symbol};
