//! Random numbers that are the same on every machine.
//!
//! # Problem
//!
//! A run must be repeatable from its seed, on any platform and after an update of
//! any dependency.
//!
//! # Idea
//!
//! Blackman and Vigna's xoshiro256** with its state filled by SplitMix64, as its authors
//! advise: seeds that differ in one bit give unrelated sequences, and no seed gives the all-zero
//! state.
//!
//! # Soundness
//!
//! Only integer operations that wrap by definition, and one exact conversion
//! to a float. Numbers below a bound are unbiased (Lemire's multiplication with rejection).
//!
//! # Cost
//!
//! 32 bytes, about a nanosecond a number. It is not for secrets.

/// A seeded generator.
#[derive(Clone, Debug)]
pub struct Rng {
    words: [u64; 4],
}

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut counter = seed;
        Rng {
            words: std::array::from_fn(|_| split_mix(&mut counter)),
        }
    }

    /// A generator with a sequence of its own. Equal streams of equal generators are equal.
    pub fn stream(&self, stream: u64) -> Rng {
        let mut counter = stream;
        let mut source = self.clone();
        Rng::new(source.next_u64() ^ split_mix(&mut counter))
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.words;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let (c, d) = (c ^ a, d ^ b);
        self.words = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number below `bound`, each equally likely.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        // The high half of the product is the answer. Low halves under 2^64 mod bound belong to
        // answers that have one preimage too many, so they are drawn again.
        let excess = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= excess {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index of a list with `len` elements, each equally likely.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn index(&mut self, len: usize) -> usize {
        // Below `len`, so it fits.
        self.below(len as u64) as usize
    }

    /// A number of at least 0 and less than 1: a multiple of 2^-53, each equally likely.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Steele, Lea and Flood's SplitMix64: a counter, and a mix of its bits.
fn split_mix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *counter;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mix_is_the_published_one() {
        // The first words of seed 1234567, as its authors' reference program prints them.
        let mut counter = 1_234_567;
        let words: [u64; 3] = std::array::from_fn(|_| split_mix(&mut counter));
        assert_eq!(
            words,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // From the state 1, 2, 3, 4 of the reference program.
        let mut rng = Rng {
            words: [1, 2, 3, 4],
        };
        let words: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(words, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn numbers_below_a_bound_are_even() {
        let mut rng = Rng::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[rng.index(6)] += 1;
        }
        // Three standard deviations of a binomial with 60,000 draws at 1/6.
        assert!(
            counts
                .iter()
                .all(|&count| (count as f64 - 10_000.0).abs() < 3.0 * 91.3),
            "{counts:?}"
        );
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.unit())));
    }

    #[test]
    fn streams_differ_and_repeat() {
        let rng = Rng::new(1);
        let first = rng.stream(0).next_u64();
        assert_eq!(first, rng.stream(0).next_u64());
        assert_ne!(first, rng.stream(1).next_u64());
        assert_ne!(first, Rng::new(2).stream(0).next_u64());
    }
}
