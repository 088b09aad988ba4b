//! Random numbers for tests and benchmarks, and the clock of a thread ([`thread_time`]).
//!
//! # Problem
//!
//! A test that draws its cases must draw them again when it failed, and a benchmark
//! must measure the same work on every machine: all numbers come from a seed, and do not change
//! with a dependency.
//!
//! # Idea
//!
//! SplitMix64 of Steele, Lea and Flood (*Fast Splittable Pseudorandom Number
//! Generators*, 2014), with the constants of Vigna's version in the public domain: a counter, and
//! a mix of its bits. Any seed is fine, and seeds that are near give unrelated numbers.
//!
//! # Soundness
//!
//! Only operations on 64 bits that wrap by definition.
//!
//! - **What it is not for.** Cryptography; and the engine's searchers, whose generator has streams
//!   (`cairn-engine/src/rng.rs`).
//!
//! ```
//! use cairn_random::Random;
//!
//! let mut random = Random::new(7);
//! let die = 1 + random.below(6);
//! let letter = *random.pick(b"abc");
//! # assert!((1..=6).contains(&die) && b"abc".contains(&letter));
//! assert_eq!(Random::new(7).next(), Random::new(7).next());
//! ```

mod clock;

pub use clock::thread_time;

/// A seeded generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 random bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "the numbers never end, and an iterator would offer `count` and `max`"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`. It is the remainder of 64 bits: what that prefers small numbers by
    /// is too little to be seen with the bounds of tests.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        // Below `bound`, so it fits.
        self.below_u64(bound as u64) as usize
    }

    /// [`below`](Random::below) for words, addresses and other numbers that are no index.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        self.next() % bound
    }

    /// True in one of `n` cases.
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True in `percent` of a hundred cases: never for 0, always for 100 and more.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some things, each equally likely.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        assert!(!of.is_empty(), "there is nothing to pick from");
        &of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = Random::new(0);
        let words: [u64; 3] = std::array::from_fn(|_| random.next());
        assert_eq!(
            words,
            [
                0xe220_a839_7b1d_cdaf,
                0x6e78_9e6a_a1b9_65f4,
                0x06c4_5d18_8009_454f
            ]
        );
    }

    #[test]
    fn a_seed_says_all_numbers() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            [(); 100].map(|()| random.next())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let mut random = Random::new(3);
        random.next();
        assert_eq!(random.clone().next(), random.next());
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = Random::new(4);
        for bound in (1..200).chain([1 << 32, usize::MAX - 1, usize::MAX]) {
            for _ in 0..50 {
                assert!(random.below(bound) < bound);
                assert!(random.below_u64(bound as u64) < bound as u64);
            }
        }
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn numbers_below_a_bound_are_even() {
        let mut random = Random::new(5);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[random.below(6)] += 1;
        }
        // Four standard deviations of a binomial with 60,000 draws at 1/6.
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 365),
            "{counts:?}"
        );
    }

    #[test]
    fn chances_are_what_they_say() {
        let mut random = Random::new(6);
        let mut count =
            |draw: fn(&mut Random) -> bool| (0..10_000).filter(|_| draw(&mut random)).count();
        assert_eq!(count(|random| random.chance(0)), 0);
        assert_eq!(count(|random| random.chance(100)), 10_000);
        assert_eq!(count(|random| random.one_in(1)), 10_000);
        // Four standard deviations of a binomial with 10,000 draws.
        assert!(count(|random| random.chance(30)).abs_diff(3000) < 184);
        assert!(count(|random| random.one_in(4)).abs_diff(2500) < 174);
    }

    #[test]
    fn everything_is_picked() {
        let mut random = Random::new(7);
        let picked: std::collections::BTreeSet<u8> =
            (0..1000).map(|_| *random.pick(b"abcdef")).collect();
        assert!(picked.iter().eq(b"abcdef"));
    }

    #[test]
    #[should_panic(expected = "no number below zero")]
    fn nothing_is_below_zero() {
        Random::new(0).below(0);
    }

    #[test]
    #[should_panic(expected = "no number below zero")]
    fn no_case_of_none() {
        Random::new(0).one_in(0);
    }

    #[test]
    #[should_panic(expected = "nothing to pick from")]
    fn nothing_is_picked_of_nothing() {
        Random::new(0).pick::<u8>(&[]);
    }
}
