//! What one path has passed, for the lines of each test.
//!
//! # Idea
//!
//! A set of the program's points (`CoverMap`), one bit each. Copies share it until one of
//! them adds something.
//!
//! # Cost
//!
//! Only where it is wanted: a copy of the set for each fork whose child passes something
//! new, and a list of all points that are passed in place of those passed first (`WorkerContext`).

use cairn_ir::{BlockId, Program};
use cairn_machine::CoverMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A line of a source file: the file as a number in the program's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileLine {
    /// The file.
    pub file: u32,
    /// The line.
    pub line: u32,
}

/// Points that a path has passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trail {
    words: Rc<Vec<u64>>,
}

impl Trail {
    /// Adds points.
    pub fn add(&mut self, points: &[u32]) {
        for &point in points {
            let (word, bit) = (point as usize / 64, 1 << (point % 64));
            let known = self.words.get(word).is_some_and(|w| w & bit != 0);
            if !known {
                let words = Rc::make_mut(&mut self.words);
                if words.len() <= word {
                    words.resize(word + 1, 0);
                }
                words[word] |= bit;
            }
        }
    }

    /// Adds the points of another path.
    pub fn join(&mut self, other: &Trail) {
        if Rc::ptr_eq(&self.words, &other.words) {
            return;
        }
        let words = Rc::make_mut(&mut self.words);
        words.resize(words.len().max(other.words.len()), 0);
        for (word, more) in words.iter_mut().zip(other.words.iter()) {
            *word |= more;
        }
    }

    /// The points, in order.
    fn points(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(i, word)| {
            let set = (0..64).filter(move |bit| word & (1 << bit) != 0);
            set.map(move |bit| i as u32 * 64 + bit)
        })
    }

    /// The source lines of the blocks that were entered, in order.
    pub fn lines(&self, program: &Program, map: &CoverMap) -> Vec<FileLine> {
        let mut lines = BTreeSet::new();
        for (function, block) in self.points().filter_map(|p| map.block_of(p)) {
            if !crate::explore::coverage::is_users_code(program, function) {
                continue;
            }
            let Some(body) = &program.function(function).body else {
                continue;
            };
            let block: &cairn_ir::Block = body.block(BlockId::new(block.index()));
            let places = block.insts.iter().map(|(_, place)| *place);
            for place in places.chain([block.terminator.1]) {
                let place = program.place(place);
                if place.line != 0 {
                    lines.insert(FileLine {
                        file: place.file,
                        line: place.line,
                    });
                }
            }
        }
        lines.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_part_when_one_goes_on() {
        let mut first = Trail::default();
        first.add(&[3, 70, 3]);
        let mut second = first.clone();
        second.add(&[130]);
        assert_eq!(first.points().collect::<Vec<_>>(), [3, 70]);
        assert_eq!(second.points().collect::<Vec<_>>(), [3, 70, 130]);
        let mut both = first.clone();
        both.join(&first);
        assert_eq!(both, first);
        both.join(&second);
        assert_eq!(both, second);
    }
}
