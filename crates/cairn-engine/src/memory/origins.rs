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
//! A search among the pieces of [`BLOCK`] bytes for a read of untouched bytes; nothing for copies. A name that is
//! taken is numbered on from the last number that it was given. Everything shares its structure with the states that
//! it was copied from, so that an input, or a read, costs the same however many inputs there are.

use crate::merge::MergeRefusal;
use cairn_bv::BitVec;
use cairn_expr::{
    Model, PersistentMap, Sort, Support, Symbol, Term, TermStore, Value as ModelValue,
};
use cairn_ir::PlaceId;
use cairn_memory::OriginId;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cell::Cell;
use std::hash::Hasher;
use std::rc::Rc;
use std::sync::Arc;

/// Bytes of an origin that are one symbol.
#[derive(Clone)]
struct SymbolPiece {
    start: u64,
    length: u64,
    symbol: Term,
}

impl SymbolPiece {
    fn end(&self) -> u64 {
        self.start + self.length
    }
}

/// Whose bytes those of an origin are.
#[derive(Clone)]
enum OriginSource {
    /// An input's, of that name and size.
    Input { name: Arc<str>, size: u64 },
    /// Uninitialised memory. No test holds them.
    Unwritten(OriginId),
}

impl OriginSource {
    /// What some of its bytes are as a symbol.
    fn symbol(&self, place: u64, length: u64) -> Symbol {
        match self {
            OriginSource::Input { name, size } => Symbol::Input {
                input: Arc::clone(name),
                place: (place != 0 || length != *size).then_some(place),
            },
            OriginSource::Unwritten(origin) => Symbol::Uninitialised {
                origin: origin.0,
                place,
                other: false,
            },
        }
    }
}

/// Bytes of an origin whose pieces are kept together. A multiple of the widest piece: pieces are aligned, so none
/// is in two blocks.
const BLOCK: u64 = 64;

#[derive(Clone)]
struct Origin {
    source: OriginSource,
    /// The pieces of each block by its number; in order, disjoint.
    blocks: PersistentMap<Rc<Vec<SymbolPiece>>>,
}

impl Origin {
    fn new(source: OriginSource) -> Self {
        Origin {
            source,
            blocks: PersistentMap::default(),
        }
    }

    /// What two paths know of it. `None` if they divide a byte in different ways, or if it is not the same.
    fn joined(self: &Rc<Origin>, other: &Rc<Origin>) -> Option<Rc<Origin>> {
        let same = match (&self.source, &other.source) {
            (
                OriginSource::Input { name: a, size: x },
                OriginSource::Input { name: b, size: y },
            ) => a == b && x == y,
            (OriginSource::Unwritten(a), OriginSource::Unwritten(b)) => a == b,
            (OriginSource::Input { .. }, OriginSource::Unwritten(_))
            | (OriginSource::Unwritten(_), OriginSource::Input { .. }) => false,
        };
        let mut joined = Origin::clone(self);
        let divided = joined
            .blocks
            .join(&other.blocks, |a, b| joined_pieces(a, b).map(Rc::new));
        (same && divided).then(|| Rc::new(joined))
    }

    /// The pieces of the block that a byte is in.
    fn pieces_near(&self, byte: u64) -> &[SymbolPiece] {
        let pieces = self.blocks.get(byte / BLOCK);
        pieces.map_or(&[], |pieces| pieces.as_slice())
    }

    /// All pieces, in no particular order.
    fn pieces(&self) -> impl Iterator<Item = &SymbolPiece> {
        self.blocks.values().flat_map(|pieces| pieces.iter())
    }
}

/// The pieces of two lists, in order. `None` if two of them overlap that are not the same.
fn joined_pieces(a: &[SymbolPiece], b: &[SymbolPiece]) -> Option<Vec<SymbolPiece>> {
    let mut all: Vec<SymbolPiece> = a.iter().chain(b).cloned().collect();
    all.sort_by_key(|piece| piece.start);
    all.dedup_by(|a, b| a.start == b.start && a.length == b.length && a.symbol == b.symbol);
    let apart = all.windows(2).all(|pair| pair[0].end() <= pair[1].start);
    apart.then_some(all)
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
    /// The call that made it, if that was noted.
    pub made_at: PlaceId,
}

/// Origins by their numbers.
type OriginMap = PersistentMap<Rc<Origin>>;

/// How a path has divided its origins, at some moment.
pub struct Division(OriginMap);

/// Names with the same hash, and the last number behind each.
type TakenNames = SmallVec<[(Rc<str>, u32); 1]>;

/// Names that are taken, and for each the last number that was put behind it.
#[derive(Clone, Default)]
struct Names {
    /// By the hashes of the names; names with the same hash stand together.
    taken: PersistentMap<TakenNames>,
}

impl Names {
    fn hash(name: &str) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        hasher.finish()
    }

    fn numbered(&self, name: &str) -> Option<u32> {
        let same = self.taken.get(Self::hash(name))?;
        let found = same.iter().find(|(taken, _)| **taken == *name);
        found.map(|(_, number)| *number)
    }

    fn note(&mut self, name: Rc<str>, number: u32) {
        let hash = Self::hash(&name);
        match self.taken.get_mut(hash) {
            Some(same) => match same.iter_mut().find(|(taken, _)| *taken == name) {
                Some((_, known)) => *known = number,
                None => same.push((name, number)),
            },
            None => self
                .taken
                .insert(hash, SmallVec::from_iter([(name, number)])),
        }
    }

    /// The name itself, or with the smallest number behind it that makes it a new one. Names stay taken, so numbers
    /// that were tried for it before need not be tried again.
    fn unique(&mut self, name: &str) -> Rc<str> {
        let Some(mut number) = self.numbered(name) else {
            let unique: Rc<str> = name.into();
            self.note(Rc::clone(&unique), 0);
            return unique;
        };
        loop {
            number += 1;
            let numbered = format!("{name}_{number}");
            if self.numbered(&numbered).is_none() {
                let unique: Rc<str> = numbered.into();
                self.note(Rc::clone(&unique), 0);
                self.note(name.into(), number);
                return unique;
            }
        }
    }
}

/// What an input of a few bytes takes: 590 bytes of the process each, where 250,000 inputs of a byte were made.
const BYTES_OF_INPUT: u64 = 590;

/// All origins of a path. A copy shares them.
#[derive(Clone, Default)]
pub struct Origins {
    /// Origins that were looked at, and all named ones.
    known: OriginMap,
    /// By the order in which they were made.
    inputs: PersistentMap<Input>,
    names: Names,
    made: u32,
    /// Whether the path was told something that no test holds.
    told_hidden: Cell<bool>,
    /// Symbols whose values no test holds, by their ids: of memory that was never written, and of
    /// values that are arbitrary. An id that another symbol has now is one too many, never one too
    /// few.
    hidden: PersistentMap<()>,
}

impl Origins {
    /// A new origin of memory that was never written.
    pub fn unwritten(&mut self) -> OriginId {
        self.made += 1;
        OriginId(self.made)
    }

    /// A new input. If the name was taken, a number is added to it.
    pub fn input(&mut self, name: &str, size: u64) -> &Input {
        let unique = self.names.unique(name);
        self.made += 1;
        let origin = OriginId(self.made);
        let source = OriginSource::Input {
            name: (&*unique).into(),
            size,
        };
        let entry = Rc::new(Origin::new(source));
        self.known.insert(u64::from(origin.0), entry);
        let number = self.inputs.len() as u64;
        let input = Input {
            name: unique,
            size,
            origin,
            made_at: PlaceId::UNKNOWN,
        };
        self.inputs.insert(number, input);
        self.inputs.get(number).expect("just put in place")
    }

    /// Notes the call that made the last input.
    pub fn note_place(&mut self, place: PlaceId) {
        let Some(number) = (self.inputs.len() as u64).checked_sub(1) else {
            return;
        };
        if let Some(input) = self.inputs.get(number).cloned() {
            let input = Input {
                made_at: place,
                ..input
            };
            self.inputs.insert(number, input);
        }
    }

    /// About how many bytes all inputs take: their names, symbols, and values in a model.
    pub fn taken_bytes(&self) -> u64 {
        self.inputs.len() as u64 * BYTES_OF_INPUT
    }

    /// The named inputs in the order they were made.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        let all = 0..self.inputs.len() as u64;
        all.filter_map(|number| self.inputs.get(number))
    }

    /// Notes that the path was told something that no test holds, such as an example.
    pub fn note_hidden(&self) {
        self.told_hidden.set(true);
    }

    /// Whether [`note_hidden`](Self::note_hidden) was called.
    pub fn was_told_hidden(&self) -> bool {
        self.told_hidden.get()
    }

    /// Whether the path may go another way on a test: it was told something that no test holds, or
    /// one of these terms, its facts, depends on memory that was never written or on a value that
    /// is arbitrary.
    pub fn depends_on_hidden<'t>(&self, terms: impl IntoIterator<Item = &'t Term>) -> bool {
        self.told_hidden.get()
            || (!self.hidden.is_empty() && terms.into_iter().any(|term| self.is_hidden(term)))
    }

    /// Whether a term depends on something that no test holds.
    pub fn is_hidden(&self, term: &Term) -> bool {
        match &term.attributes().support {
            Support::Keys(keys) => keys
                .iter()
                .any(|key| self.hidden.get(u64::from(key.symbol)).is_some()),
            Support::Many => !self.hidden.is_empty(),
        }
    }

    /// Notes that no test holds the value of a symbol.
    pub fn hide(&mut self, symbol: &Term) {
        self.hidden.insert(u64::from(symbol.id()), ());
    }

    /// How they are divided now.
    pub fn division(&self) -> Division {
        Division(self.known.clone())
    }

    /// Whether they are divided as they were then, or on the path that it is of.
    pub fn is_divided_so(&self, division: &Division) -> bool {
        self.known.same(&division.0)
    }

    /// The origins of several paths that made the same inputs. Numbers go on behind those of all.
    ///
    /// # Errors
    /// If inputs differ, or some of their bytes are divided in different ways.
    pub(crate) fn merged(all: &[&Origins]) -> Result<Origins, MergeRefusal> {
        let (first, others) = all.split_first().ok_or(MergeRefusal::Inputs)?;
        let mut merged = (*first).clone();
        for other in others {
            if !merged.inputs.equal(&other.inputs) {
                return Err(MergeRefusal::Inputs);
            }
            if !merged.known.join(&other.known, |a, b| a.joined(b)) {
                return Err(MergeRefusal::Division);
            }
            merged.hidden.join(&other.hidden, |(), ()| Some(()));
            merged.made = merged.made.max(other.made);
            merged
                .told_hidden
                .set(merged.told_hidden.get() || other.told_hidden.get());
        }
        Ok(merged)
    }

    /// Whether what another path made, hides and was told is known here too.
    pub(crate) fn include(&self, other: &Origins) -> bool {
        let mut hidden = self.hidden.clone();
        hidden.join(&other.hidden, |(), ()| Some(()));
        let mut known = self.known.clone();
        let fits = known.join(&other.known, |a, b| a.joined(b));
        self.made >= other.made
            && hidden.len() == self.hidden.len()
            && fits
            && known.len() == self.known.len()
            && self.inputs.equal(&other.inputs)
            && (self.told_hidden.get() || !other.told_hidden.get())
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
        let entry = self.known.get(u64::from(origin.0));
        let entry = entry.expect("it was just divided");
        let end = offset + length;
        let mut joined: Option<Term> = None;
        for block in offset / BLOCK..=(end - 1) / BLOCK {
            let pieces = entry.pieces_near(block * BLOCK);
            let first = pieces.partition_point(|p| p.end() <= offset);
            for piece in pieces[first..].iter().take_while(|p| p.start < end) {
                let low = offset.max(piece.start) - piece.start;
                let high = end.min(piece.end()) - piece.start;
                let part = store.extract(&piece.symbol, 8 * high as u32 - 1, 8 * low as u32);
                joined = Some(match joined {
                    Some(below) => store.concat(&part, &below),
                    None => part,
                });
            }
        }
        joined.expect("all bytes have a piece now")
    }

    fn exact(&self, origin: OriginId, offset: u64, length: u64) -> Option<Term> {
        let entry = self.known.get(u64::from(origin.0))?;
        let pieces = entry.pieces_near(offset);
        let at = pieces.binary_search_by_key(&offset, |p| p.start).ok()?;
        (pieces[at].length == length).then(|| pieces[at].symbol.clone())
    }

    /// Gives every byte of a range a symbol.
    fn divide(&mut self, store: &TermStore, origin: OriginId, offset: u64, length: u64) {
        let number = u64::from(origin.0);
        // All named origins are known.
        if self.known.get(number).is_none() {
            let source = OriginSource::Unwritten(origin);
            self.known.insert(number, Rc::new(Origin::new(source)));
        }
        let entry = self.known.get_mut(number).expect("it is known now");
        let entry = Rc::make_mut(entry);
        let (mut at, end) = (offset, offset + length);
        while at < end {
            let block = at / BLOCK;
            let limit = end.min(block.saturating_add(1).saturating_mul(BLOCK));
            if entry.blocks.get(block).is_none() {
                entry.blocks.insert(block, Rc::default());
            }
            let pieces = entry.blocks.get_mut(block).expect("it is there now");
            let pieces = Rc::make_mut(pieces);
            while at < limit {
                let next = pieces.partition_point(|p| p.end() <= at);
                let until = match pieces.get(next) {
                    Some(piece) if piece.start <= at => {
                        at = piece.end();
                        continue;
                    }
                    Some(piece) => piece.start.min(limit),
                    None => limit,
                };
                // The widest aligned word that fits.
                let mut length = 8;
                while !at.is_multiple_of(length) || at + length > until {
                    length /= 2;
                }
                let symbol = entry.source.symbol(at, length);
                let symbol = store.free(symbol, Sort::BitVec(8 * length as u32));
                if matches!(entry.source, OriginSource::Unwritten(_)) {
                    self.hidden.insert(u64::from(symbol.id()), ());
                }
                let piece = SymbolPiece {
                    start: at,
                    length,
                    symbol,
                };
                pieces.insert(next, piece);
                at += length;
            }
        }
    }

    /// The symbols of an input, each with the place of its bytes, in order.
    pub fn symbols(&self, input: &Input) -> Vec<(u64, Term)> {
        let entry = self.known.get(u64::from(input.origin.0));
        let pieces = entry.into_iter().flat_map(|e| e.pieces());
        let mut all: Vec<(u64, Term)> = pieces.map(|p| (p.start, p.symbol.clone())).collect();
        all.sort_unstable_by_key(|(start, _)| *start);
        all
    }

    /// The bytes of an input under a model; bytes that the path did not read are zero.
    pub fn bytes(&self, input: &Input, model: &Model, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + input.size as usize, 0);
        let Some(entry) = self.known.get(u64::from(input.origin.0)) else {
            return;
        };
        for piece in entry.pieces() {
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
    fn a_name_that_is_taken_gets_the_smallest_number_that_is_free() {
        let mut origins = Origins::default();
        let mut named: Vec<String> = Vec::new();
        let given = [
            "x", "x_2", "x", "x", "x_1", "y", "x_2", "x", "x_1_1", "x_1", "x",
        ];
        for name in given.into_iter().cycle().take(200) {
            let expected = (0..).map(|number| match number {
                0 => name.to_string(),
                _ => format!("{name}_{number}"),
            });
            let expected = expected.into_iter().find(|n| !named.contains(n));
            let found = origins.input(name, 4).name.to_string();
            assert_eq!(Some(&found), expected.as_ref());
            named.push(found);
        }
        let listed: Vec<String> = origins.inputs().map(|i| i.name.to_string()).collect();
        assert_eq!(listed, named);
    }

    #[test]
    fn a_large_input_is_divided_as_it_is_read_and_a_copy_has_its_own_division() {
        let store = TermStore::new();
        let mut origins = Origins::default();
        let input = origins.input("x", 1000).clone();
        // Across the ends of two blocks, and into the middle.
        let wide = origins.read(&store, input.origin, 60, 80);
        assert_eq!(wide.width(), 640);
        let mut other = origins.clone();
        let byte = other.read(&store, input.origin, 201, 1);
        let word = origins.read(&store, input.origin, 200, 8);
        assert_eq!(word.width(), 64);
        assert_ne!(origins.read(&store, input.origin, 201, 1), byte);
        let starts = |o: &Origins| {
            let all = o.symbols(&input);
            all.iter().map(|(start, _)| *start).collect::<Vec<u64>>()
        };
        let first = [60, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136];
        assert_eq!(starts(&origins), [&first[..], &[200]].concat());
        assert_eq!(starts(&other), [&first[..], &[201]].concat());
        let mut model = Model::new();
        for (start, symbol) in origins.symbols(&input) {
            let value = BitVec::new(symbol.width(), start + 1);
            model.set(symbol, ModelValue::Bv(value));
        }
        let mut bytes = Vec::new();
        origins.bytes(&input, &model, &mut bytes);
        assert_eq!(bytes.len(), 1000);
        let set: Vec<usize> = (0..1000).filter(|i| bytes[*i] != 0).collect();
        let expected: Vec<usize> = starts(&origins).iter().map(|s| *s as usize).collect();
        assert_eq!(set, expected);
        assert_eq!(bytes[136], 137);
    }

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
        let spelled: std::collections::HashSet<_> =
            seen.iter().filter_map(Term::symbol_name).collect();
        assert_eq!(spelled.len(), seen.len());
        assert_eq!(seen[0].symbol_name().as_deref(), Some("unwritten1[0:4]"));
        assert_eq!(seen[1].symbol_name().as_deref(), Some("arbitrary2"));
    }
}
