//! Where unknown bytes come from, and how they become symbols.
//!
//! # Problem
//!
//! An input is a number of bytes. If each byte is a symbol, an `int` is four symbols
//! joined together in every term; if the whole input is one symbol or array, a read of a byte
//! drags the rest along.
//!
//! # Idea
//!
//! Bytes of an input stay untouched references to their origin until the program reads
//! them. The first read of 1, 2, 4 or 8 aligned bytes decides that these are one symbol of that
//! width; a later read of other bytes is cut out of and joined from the symbols that exist.
//! Memory that was never written is an origin too.
//!
//! # Soundness
//!
//! The symbols of an origin are disjoint and cover each byte at most once, so any
//! assignment of symbols is an assignment of bytes and the other way round. The division
//! belongs to the path: no two terms of a path see a byte through different symbols. Two paths
//! may divide an input differently; no query is about both.
//!
//! # Cost
//!
//! A binary search in the pieces of the origin for a read of untouched bytes; nothing
//! for copies.

use cairn_bv::BitVec;
use cairn_expr::{Model, Sort, Support, Symbol, Term, TermStore, Value as ModelValue};
use cairn_memory::OriginId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Bytes of an origin that are one symbol.
#[derive(Clone)]
struct Piece {
    start: u64,
    length: u64,
    symbol: Term,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.length
    }
}

/// Whose bytes those of an origin are.
#[derive(Clone)]
enum Source {
    /// An input's, of that name and size.
    Input { name: Arc<str>, size: u64 },
    /// Uninitialised memory. No test holds them.
    Unwritten(OriginId),
}

impl Source {
    /// What some of its bytes are as a symbol.
    fn symbol(&self, place: u64, length: u64) -> Symbol {
        match self {
            Source::Input { name, size } => Symbol::Input {
                input: Arc::clone(name),
                place: (place != 0 || length != *size).then_some(place),
            },
            Source::Unwritten(origin) => Symbol::Uninitialised {
                origin: origin.0,
                place,
                other: false,
            },
        }
    }
}

#[derive(Clone)]
struct Origin {
    source: Source,
    /// In order, disjoint.
    pieces: Vec<Piece>,
}

/// A named input: what a test has an object for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, unique on the path.
    pub name: Rc<str>,
    /// Bytes.
    pub size: u64,
    /// Its bytes' origin.
    pub origin: OriginId,
}

/// How a path has divided its origins, at some moment.
pub struct Division(Rc<FxHashMap<OriginId, Rc<Origin>>>);

/// All origins of a path. A copy shares them.
#[derive(Clone, Default)]
pub struct Origins {
    /// Origins that were looked at, and all named ones.
    known: Rc<FxHashMap<OriginId, Rc<Origin>>>,
    inputs: Rc<Vec<Input>>,
    made: u32,
    /// Whether the path was told something that no test holds.
    told_hidden: bool,
    /// Symbols whose values no test holds, by their ids: of memory that was never written, and of
    /// values that are arbitrary. An id that another symbol has now is one too many, never one too
    /// few.
    hidden: Rc<FxHashSet<u32>>,
}

impl Origins {
    /// A new origin of memory that was never written.
    pub fn unwritten(&mut self) -> OriginId {
        self.made += 1;
        OriginId(self.made)
    }

    /// A new input. If the name was taken, a number is added to it.
    pub fn input(&mut self, name: &str, size: u64) -> &Input {
        let taken = |name: &str| self.inputs.iter().any(|i| &*i.name == name);
        let mut unique: Rc<str> = name.into();
        let mut number = 0;
        while taken(&unique) {
            number += 1;
            unique = format!("{name}_{number}").into();
        }
        self.made += 1;
        let origin = OriginId(self.made);
        let entry = Origin {
            source: Source::Input {
                name: (&*unique).into(),
                size,
            },
            pieces: Vec::new(),
        };
        Rc::make_mut(&mut self.known).insert(origin, Rc::new(entry));
        let inputs = Rc::make_mut(&mut self.inputs);
        inputs.push(Input {
            name: unique,
            size,
            origin,
        });
        inputs.last().expect("just pushed")
    }

    /// The named inputs in the order they were made.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Notes that the path was told something that no test holds, such as an example.
    pub fn note_hidden(&mut self) {
        self.told_hidden = true;
    }

    /// Whether the path may go another way on a test: it was told something that no test holds, or
    /// one of these terms, its facts, depends on memory that was never written or on a value that
    /// is arbitrary.
    pub fn depends_on_hidden<'t>(&self, terms: impl IntoIterator<Item = &'t Term>) -> bool {
        self.told_hidden
            || (!self.hidden.is_empty() && terms.into_iter().any(|term| self.is_hidden(term)))
    }

    /// Whether a term depends on something that no test holds.
    pub fn is_hidden(&self, term: &Term) -> bool {
        match &term.attributes().support {
            Support::Keys(keys) => keys.iter().any(|key| self.hidden.contains(&key.symbol)),
            Support::Many => !self.hidden.is_empty(),
        }
    }

    /// Notes that no test holds the value of a symbol.
    pub fn hide(&mut self, symbol: &Term) {
        Rc::make_mut(&mut self.hidden).insert(symbol.id());
    }

    /// How they are divided now.
    pub fn division(&self) -> Division {
        Division(Rc::clone(&self.known))
    }

    /// Whether they are divided as they were then, or on the path that it is of.
    pub fn is_divided_so(&self, division: &Division) -> bool {
        Rc::ptr_eq(&self.known, &division.0)
    }

    /// A number that no other origin of the path has, for symbols that are no memory.
    pub fn fresh_number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// The term of some bytes, little-endian. They become symbols if they are not yet.
    pub fn read(&mut self, store: &TermStore, origin: OriginId, offset: u64, length: u64) -> Term {
        if let Some(piece) = self.exact(origin, offset, length) {
            return piece;
        }
        self.divide(store, origin, offset, length);
        let pieces = &self.known[&origin].pieces;
        let first = pieces.partition_point(|p| p.end() <= offset);
        let mut joined: Option<Term> = None;
        for piece in pieces[first..]
            .iter()
            .take_while(|p| p.start < offset + length)
        {
            let low = offset.max(piece.start) - piece.start;
            let high = (offset + length).min(piece.end()) - piece.start;
            let part = store.extract(&piece.symbol, 8 * high as u32 - 1, 8 * low as u32);
            joined = Some(match joined {
                Some(below) => store.concat(&part, &below),
                None => part,
            });
        }
        joined.expect("all bytes have a piece now")
    }

    fn exact(&self, origin: OriginId, offset: u64, length: u64) -> Option<Term> {
        let pieces = &self.known.get(&origin)?.pieces;
        let at = pieces.binary_search_by_key(&offset, |p| p.start).ok()?;
        (pieces[at].length == length).then(|| pieces[at].symbol.clone())
    }

    /// Gives every byte of a range a symbol.
    fn divide(&mut self, store: &TermStore, origin: OriginId, offset: u64, length: u64) {
        let known = Rc::make_mut(&mut self.known);
        // All named origins are known.
        let entry = known.entry(origin).or_insert_with(|| {
            Rc::new(Origin {
                source: Source::Unwritten(origin),
                pieces: Vec::new(),
            })
        });
        let entry = Rc::make_mut(entry);
        let end = offset + length;
        let mut at = offset;
        while at < end {
            let next = entry.pieces.partition_point(|p| p.end() <= at);
            let until = match entry.pieces.get(next) {
                Some(piece) if piece.start <= at => {
                    at = piece.end();
                    continue;
                }
                Some(piece) => piece.start.min(end),
                None => end,
            };
            // The widest aligned word that fits.
            let mut length = 8;
            while !at.is_multiple_of(length) || at + length > until {
                length /= 2;
            }
            let symbol = entry.source.symbol(at, length);
            let symbol = store.free(symbol, Sort::BitVec(8 * length as u32));
            if matches!(entry.source, Source::Unwritten(_)) {
                Rc::make_mut(&mut self.hidden).insert(symbol.id());
            }
            let piece = Piece {
                start: at,
                length,
                symbol,
            };
            entry.pieces.insert(next, piece);
            at += length;
        }
    }

    /// The symbols of an input, each with the place of its bytes, in order.
    pub fn symbols(&self, input: &Input) -> Vec<(u64, Term)> {
        let entry = self.known.get(&input.origin);
        let pieces = entry.map(|e| e.pieces.iter().map(|p| (p.start, p.symbol.clone())));
        pieces.into_iter().flatten().collect()
    }

    /// The bytes of an input under a model; bytes that the path did not read are zero.
    pub fn bytes(&self, input: &Input, model: &Model, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + input.size as usize, 0);
        let Some(entry) = self.known.get(&input.origin) else {
            return;
        };
        for piece in &entry.pieces {
            if let Some(ModelValue::Bv(value)) = model.get(&piece.symbol) {
                let bytes = word_of(value).to_le_bytes();
                let at = start + piece.start as usize;
                out[at..][..piece.length as usize].copy_from_slice(&bytes[..piece.length as usize]);
            }
        }
    }
}

fn word_of(value: &BitVec) -> u64 {
    value.to_u64().expect("pieces are at most a word")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_different_inputs_are_different() {
        let names = [
            "x",
            "x[0:4]",
            "x[0:4]'",
            "'x",
            "'x[0:4]",
            "unwritten1",
            "unwritten1[0:4]",
            "'unwritten1",
            "arbitrary2",
            "",
        ];
        let store = TermStore::new();
        let mut origins = Origins::default();
        let memory = origins.unwritten();
        let value = Symbol::Undefined {
            number: 2,
            other: false,
        };
        let value = store.free(value, Sort::BitVec(32));
        let mut seen = vec![origins.read(&store, memory, 0, 4), value];
        for name in names {
            let input = origins.input(name, 8).origin;
            let symbols = [
                origins.read(&store, input, 0, 4),
                origins.read(&store, input, 4, 4),
            ];
            for symbol in symbols {
                assert!(!seen.contains(&symbol), "{symbol:?} of {name}");
                seen.push(symbol);
            }
            let whole = origins.input(name, 4).origin;
            let whole = origins.read(&store, whole, 0, 4);
            assert!(!seen.contains(&whole), "{whole:?} of {name}");
            seen.push(whole);
        }
        // Nor do any two look alike.
        let spelled: FxHashSet<_> = seen.iter().filter_map(Term::symbol_name).collect();
        assert_eq!(spelled.len(), seen.len());
        assert_eq!(seen[0].symbol_name().as_deref(), Some("unwritten1[0:4]"));
        assert_eq!(seen[1].symbol_name().as_deref(), Some("arbitrary2"));
    }
}
