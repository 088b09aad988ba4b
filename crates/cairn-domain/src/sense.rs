//! The two orders of words, and what of a set is next in them.
//!
//! A word's *place* is its number in the order: of the unsigned order the word itself, of the signed
//! order the word with its sign flipped. Places are compared as numbers.

use crate::piece::{Piece, mask};
use crate::set::{ValueSet, sign_bit};

/// An order of words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sense {
    /// As numbers from zero.
    Unsigned,
    /// As two's complement.
    Signed,
}

impl Sense {
    /// The place of a word, and the word at a place.
    pub fn place(self, width: u32, word: u64) -> u64 {
        match self {
            Sense::Unsigned => word,
            Sense::Signed => word ^ sign_bit(width),
        }
    }

    /// The first place of a word of a set that is not before a place.
    pub fn at_least(self, set: &ValueSet, place: u64) -> Option<u64> {
        let from = |word: u64| {
            let found = set.pieces().iter().filter_map(|p: &Piece| p.at_least(word));
            found.min()
        };
        let sign = sign_bit(set.width());
        match self {
            Sense::Unsigned => from(place),
            Sense::Signed if place < sign => {
                // Negative words first, then the others.
                let found = from(place ^ sign).or_else(|| from(0).filter(|w| *w < sign));
                found.map(|w| w ^ sign)
            }
            Sense::Signed => from(place ^ sign).filter(|w| *w < sign).map(|w| w ^ sign),
        }
    }

    /// The last place of a word of a set that is not after a place.
    pub fn at_most(self, set: &ValueSet, place: u64) -> Option<u64> {
        let upto = |word: u64| {
            let found = set.pieces().iter().filter_map(|p: &Piece| p.at_most(word));
            found.max()
        };
        let sign = sign_bit(set.width());
        match self {
            Sense::Unsigned => upto(place),
            Sense::Signed if place >= sign => {
                let last = mask(set.width());
                let found = upto(place ^ sign).or_else(|| upto(last).filter(|w| *w >= sign));
                found.map(|w| w ^ sign)
            }
            Sense::Signed => upto(place ^ sign).filter(|w| *w >= sign).map(|w| w ^ sign),
        }
    }
}
