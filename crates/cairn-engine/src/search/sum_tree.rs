//! A choice among many, each as likely as its weight says.
//!
//! # Problem
//!
//! Weights change all the time, so tables for constant-time choices do not pay; sums
//! that are kept by adding differences drift, and in the end choose what is not there. Weights of
//! 2^-depth leave the range of a float at depth 1075.
//!
//! # Idea
//!
//! A complete binary tree in an array. A leaf has a weight, an inner node the sum of its
//! two children, computed again from them whenever one changes. The choice descends from the
//! root with a fresh random number at each node. A [`Weight`] has an exponent beside its float.
//!
//! # Soundness
//!
//! A sum depends on the weights below it alone, not on their history, so
//! nothing drifts. A node of weight zero is never entered, because `draw < 0` and `draw >= 1`
//! do not happen; zero leaves are those without an owner. Every step is one IEEE operation or
//! an exact scaling: the same on every machine.
//!
//! # Cost
//!
//! Logarithmic for a change and a choice; 16 bytes a node, twice as many nodes as
//! places. Doubling is amortised.

use crate::rng::Rng;

/// A positive number `value * 2^exponent`, or zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Weight {
    value: f64,
    exponent: i64,
}

/// Values outside of this range are moved to its ends, so that sums neither vanish nor overflow.
const LEAST: f64 = 1e-60;
const MOST: f64 = 1e60;

impl Weight {
    const ZERO: Weight = Weight {
        value: 0.0,
        exponent: 0,
    };

    /// An ordinary weight. What is not a positive number counts as the least one, so that every
    /// state has a chance.
    pub(super) fn new(value: f64) -> Weight {
        let value = if value > LEAST {
            value.min(MOST)
        } else {
            LEAST
        };
        Weight { value, exponent: 0 }
    }

    /// 2 to the power of `exponent`.
    pub(super) fn power_of_two(exponent: i64) -> Weight {
        Weight {
            value: 1.0,
            exponent,
        }
    }

    /// The value in units of `2^exponent`, for an exponent that is not smaller than its own.
    fn in_units_of(self, exponent: i64) -> f64 {
        self.value * power_of_two(self.exponent - exponent)
    }

    fn plus(self, other: Weight) -> Weight {
        if self.value == 0.0 {
            return other;
        }
        if other.value == 0.0 {
            return self;
        }
        let exponent = self.exponent.max(other.exponent);
        Weight {
            value: self.in_units_of(exponent) + other.in_units_of(exponent),
            exponent,
        }
    }

    /// Which part of `self + other` this is.
    fn share(self, other: Weight) -> f64 {
        if self.value == 0.0 {
            return 0.0;
        }
        if other.value == 0.0 {
            return 1.0;
        }
        let exponent = self.exponent.max(other.exponent);
        let (own, others) = (self.in_units_of(exponent), other.in_units_of(exponent));
        own / (own + others)
    }
}

/// 2 to the power of a number that is not positive, exactly; zero if it is no normal float.
fn power_of_two(exponent: i64) -> f64 {
    const BIAS: i64 = 1023;
    if exponent <= -BIAS {
        return 0.0;
    }
    f64::from_bits(((exponent + BIAS) as u64) << 52)
}

/// Weights by place, and a random choice of a place.
#[derive(Debug)]
pub(super) struct SumTree {
    /// Node 1 is the root, node n has the children 2n and 2n + 1, the second half are the leaves.
    nodes: Vec<Weight>,
}

impl SumTree {
    pub(super) fn new() -> SumTree {
        SumTree {
            nodes: vec![Weight::ZERO; 2],
        }
    }

    fn places(&self) -> usize {
        self.nodes.len() / 2
    }

    /// Sets the weight of a place. Makes room if needed.
    pub(super) fn set(&mut self, place: usize, weight: Weight) {
        while place >= self.places() {
            self.grow();
        }
        let mut node = self.places() + place;
        self.nodes[node] = weight;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].plus(self.nodes[2 * node + 1]);
        }
    }

    /// Frees a place: it is not chosen any more.
    pub(super) fn clear(&mut self, place: usize) {
        self.set(place, Weight::ZERO);
    }

    /// A place, as likely as its weight. `None` if no place has a weight.
    pub(super) fn choose(&self, rng: &mut Rng) -> Option<usize> {
        if self.nodes[1] == Weight::ZERO {
            return None;
        }
        let mut node = 1;
        while node < self.places() {
            let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
            let share = left.share(right);
            // No random number where there is no choice.
            let goes_left = share >= 1.0 || (share > 0.0 && rng.unit() < share);
            node = if goes_left { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.places())
    }

    /// Doubles the number of places; all sums are computed again.
    fn grow(&mut self) {
        let places = self.places();
        let mut nodes = vec![Weight::ZERO; 4 * places];
        nodes[2 * places..3 * places].copy_from_slice(&self.nodes[places..]);
        for node in (1..2 * places).rev() {
            nodes[node] = nodes[2 * node].plus(nodes[2 * node + 1]);
        }
        self.nodes = nodes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_history() {
        let mut rng = Rng::new(5);
        let mut old = SumTree::new();
        let mut weights = [0.0; 37];
        for _ in 0..20_000 {
            let place = rng.index(weights.len());
            // Large weights come and go, which ruins sums that are kept by differences.
            let size = if rng.index(2) == 0 { 1e30 } else { 1e-30 };
            weights[place] = size * (1.0 + rng.unit());
            old.set(place, Weight::new(weights[place]));
        }
        let mut new = SumTree::new();
        for (place, &weight) in weights.iter().enumerate() {
            new.set(place, Weight::new(weight));
        }
        assert_eq!(old.nodes, new.nodes);
    }

    #[test]
    fn places_without_weight_are_never_chosen() {
        let mut rng = Rng::new(6);
        let mut tree = SumTree::new();
        assert_eq!(tree.choose(&mut rng), None);
        for place in 0..100 {
            tree.set(place, Weight::new(1.0 / (place + 1) as f64));
        }
        for place in (0..100).filter(|place| place % 3 != 0) {
            tree.clear(place);
        }
        for _ in 0..10_000 {
            assert_eq!(tree.choose(&mut rng).map(|place| place % 3), Some(0));
        }
        for place in 0..100 {
            tree.clear(place);
        }
        assert_eq!(tree.choose(&mut rng), None);
    }

    #[test]
    fn tiny_powers_keep_their_proportions() {
        let mut rng = Rng::new(7);
        let mut tree = SumTree::new();
        // 2^-5000, 2^-5001, and one that is too small to matter.
        for (place, exponent) in [-5000, -5001, -9000].into_iter().enumerate() {
            tree.set(place, Weight::power_of_two(exponent));
        }
        let mut counts = [0u32; 3];
        for _ in 0..90_000 {
            counts[tree.choose(&mut rng).unwrap()] += 1;
        }
        assert_eq!(counts[2], 0);
        // Three standard deviations of a binomial with 90,000 draws at 1/3.
        assert!(
            (f64::from(counts[1]) - 30_000.0).abs() < 3.0 * 141.5,
            "{counts:?}"
        );
        // Alone it is chosen.
        tree.clear(0);
        tree.clear(1);
        assert_eq!(tree.choose(&mut rng), Some(2));
    }

    #[test]
    fn odd_weights_count_as_the_least() {
        for odd in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(Weight::new(odd), Weight::new(LEAST));
        }
        assert_eq!(Weight::new(f64::INFINITY), Weight::new(MOST));
    }
}
