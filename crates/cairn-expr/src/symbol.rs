//! Free symbols, and what they stand for.
//!
//! # Problem
//! A program's inputs, memory that it never wrote and undefined values are all symbols to a solver, but not to the
//! engine. If a symbol were a name, its meaning would have to be parsed from that name.
//!
//! # Idea
//! A symbol is a value that says what it stands for; its name is derived from that when it is printed. The same symbol
//! and sort are the same term. A symbol contains nothing of a path except what identifies the bytes: two paths that
//! read the same bytes of the same input have one term for them.
//!
//! # Soundness
//! No two symbols of a program have the same name in one sort: names of parts end with a bracket, those of whole
//! objects do not, and marks distinguish inputs whose names collide with others. A [`Symbol::Named`] may have the name
//! of any other symbol; printers spell such symbols differently.

use crate::Sort;
use std::fmt;
use std::sync::Arc;

/// How the names of symbols of memory that was never written start.
const UNWRITTEN: &str = "unwritten";

/// How the names of symbols of undefined values start.
const ARBITRARY: &str = "arbitrary";

/// How the names of symbols end that stand for another value than the one there is.
const OTHERWISE: &str = " otherwise";

/// A mark in the names of symbols whose input's name looks like another symbol's.
const MARK: char = '\'';

/// A free symbol, by what it stands for. Its sort tells the number of bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    /// Something that has a name and nothing else, as in a script.
    Named(Arc<str>),
    /// Bytes of an input.
    Input {
        /// The name of the input, unique on a path.
        input: Arc<str>,
        /// The offset of the first byte; `None` if the symbol is the whole input.
        place: Option<u64>,
    },
    /// Bytes of memory that was never written.
    Uninitialised {
        /// Which memory of the path.
        origin: u32,
        /// The offset of the first byte.
        place: u64,
        /// Whether other bytes are meant than those that are there.
        other: bool,
    },
    /// A value that is undefined.
    Undefined {
        /// Which one of the path.
        number: u32,
        /// Whether another value is meant than the one that it has.
        other: bool,
    },
}

impl Symbol {
    /// Whether it stands for memory that was never written, or for an undefined value.
    pub fn is_uninitialised(&self) -> bool {
        match self {
            Symbol::Named(_) | Symbol::Input { .. } => false,
            Symbol::Uninitialised { .. } | Symbol::Undefined { .. } => true,
        }
    }

    /// A fresh symbol for the same thing, if it is uninitialised or undefined.
    pub fn otherwise(&self) -> Option<Symbol> {
        match *self {
            Symbol::Named(_) | Symbol::Input { .. } => None,
            Symbol::Uninitialised { origin, place, .. } => Some(Symbol::Uninitialised {
                origin,
                place,
                other: true,
            }),
            Symbol::Undefined { number, .. } => Some(Symbol::Undefined {
                number,
                other: true,
            }),
        }
    }

    /// The name of the symbol of that sort.
    pub fn name(&self, sort: Sort) -> Name<'_> {
        Name { symbol: self, sort }
    }
}

/// The name of a symbol, to be written.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    symbol: &'a Symbol,
    sort: Sort,
}

impl Name<'_> {
    /// Writes which bytes of something a symbol is.
    fn range(&self, f: &mut impl fmt::Write, place: u64) -> fmt::Result {
        let bytes = match self.sort {
            Sort::BitVec(width) => u64::from(width / 8),
            Sort::Bool | Sort::Array { .. } => 0,
        };
        write!(f, "[{place}:{}]", place.saturating_add(bytes))
    }

    /// Writes the name. Its hash is made of the same text.
    pub(crate) fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let other = match self.symbol {
            Symbol::Named(name) => return f.write_str(name),
            Symbol::Input { input, place } => {
                if [UNWRITTEN, ARBITRARY].iter().any(|s| input.starts_with(s))
                    || input.starts_with(MARK)
                {
                    f.write_char(MARK)?;
                }
                f.write_str(input)?;
                if input.ends_with([']', MARK]) {
                    f.write_char(MARK)?;
                }
                return place.map_or(Ok(()), |place| self.range(f, place));
            }
            Symbol::Uninitialised {
                origin,
                place,
                other,
            } => {
                write!(f, "{UNWRITTEN}{origin}")?;
                self.range(f, *place)?;
                other
            }
            Symbol::Undefined { number, other } => {
                write!(f, "{ARBITRARY}{number}")?;
                other
            }
        };
        if *other {
            f.write_str(OTHERWISE)?;
        }
        Ok(())
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TermStore;

    fn input(name: &str, place: Option<u64>) -> Symbol {
        Symbol::Input {
            input: name.into(),
            place,
        }
    }

    /// Every kind of symbol with its name, and its hash is that of the name.
    #[test]
    fn names_say_what_symbols_are() {
        let memory = Symbol::Uninitialised {
            origin: 7,
            place: 12,
            other: false,
        };
        let value = Symbol::Undefined {
            number: 2,
            other: false,
        };
        let expected = [
            (input("x", None), "x"),
            (input("x", Some(0)), "x[0:4]"),
            (
                input("a longer name", Some(1 << 40)),
                "a longer name[1099511627776:1099511627780]",
            ),
            (input("x[0:4]", None), "x[0:4]'"),
            (input("'", None), "'''"),
            (input("unwritten1", Some(8)), "'unwritten1[8:12]"),
            (input("arbitrary2", None), "'arbitrary2"),
            (input("", None), ""),
            (input("12345678", None), "12345678"),
            (memory.clone(), "unwritten7[12:16]"),
            (memory.otherwise().unwrap(), "unwritten7[12:16] otherwise"),
            (value.clone(), "arbitrary2"),
            (value.otherwise().unwrap(), "arbitrary2 otherwise"),
        ];
        let store = TermStore::new();
        let sort = Sort::BitVec(32);
        for (symbol, name) in expected {
            let term = store.free(symbol.clone(), sort);
            assert_eq!(term, store.free(symbol, sort));
            assert_eq!(term.symbol_name().as_deref(), Some(name));
            assert_eq!(format!("{term:?}"), name);
            let named = store.symbol(name, sort);
            assert_ne!(term, named);
            assert_eq!(term.shape_hash(), named.shape_hash(), "{name}");
        }
        assert_eq!(input("x", None).otherwise(), None);
        assert_eq!(Symbol::Named("x".into()).otherwise(), None);
    }
}
