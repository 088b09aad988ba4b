//! Signed and unsigned order of words, and the next member of a set in each.
//!
//! The *rank* of a word is its position in the order: in the unsigned order the word itself, in the signed order the
//! word with its sign bit flipped. Ranks are compared as numbers.

use crate::piece::StridedInterval;
use crate::set::{ValueSet, sign_bit};
use cairn_bv::mask;

/// An order of words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Signedness {
    /// As numbers from zero.
    Unsigned,
    /// As two's complement.
    Signed,
}

impl Signedness {
    /// The rank of a word, and also the word at a rank.
    pub fn rank(self, width: u32, word: u64) -> u64 {
        match self {
            Signedness::Unsigned => word,
            Signedness::Signed => word ^ sign_bit(width),
        }
    }

    /// The first rank of a word of a set that is not before a rank.
    pub fn at_least(self, set: &ValueSet, rank: u64) -> Option<u64> {
        let from = |word: u64| {
            let found = set
                .pieces()
                .iter()
                .filter_map(|p: &StridedInterval| p.at_least(word));
            found.min()
        };
        let sign = sign_bit(set.width());
        match self {
            Signedness::Unsigned => from(rank),
            Signedness::Signed if rank < sign => {
                // Negative words first, then the others.
                let found = from(rank ^ sign).or_else(|| from(0).filter(|w| *w < sign));
                found.map(|w| w ^ sign)
            }
            Signedness::Signed => from(rank ^ sign).filter(|w| *w < sign).map(|w| w ^ sign),
        }
    }

    /// The last rank of a word of a set that is not after a rank.
    pub fn at_most(self, set: &ValueSet, rank: u64) -> Option<u64> {
        let upto = |word: u64| {
            let found = set
                .pieces()
                .iter()
                .filter_map(|p: &StridedInterval| p.at_most(word));
            found.max()
        };
        let sign = sign_bit(set.width());
        match self {
            Signedness::Unsigned => upto(rank),
            Signedness::Signed if rank >= sign => {
                let last = mask(set.width());
                let found = upto(rank ^ sign).or_else(|| upto(last).filter(|w| *w >= sign));
                found.map(|w| w ^ sign)
            }
            Signedness::Signed => upto(rank ^ sign).filter(|w| *w >= sign).map(|w| w ^ sign),
        }
    }
}
