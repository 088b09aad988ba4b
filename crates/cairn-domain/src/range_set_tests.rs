//! `RangeSet` against enumeration: every set of three-bit words, and the limits of wide words.

use super::RangeSet;
use cairn_bv::mask;

const W: u32 = 3;

/// The set whose words are the bits of `members`.
fn set(width: u32, members: u64) -> RangeSet {
    let points: Vec<(u64, u64)> = (0..1 << width)
        .filter(|i| members >> i & 1 == 1)
        .map(|i| (i, i))
        .collect();
    RangeSet::from_ranges(width, &points).expect("short")
}

fn members(s: &RangeSet) -> u64 {
    (0..1 << s.width())
        .filter(|i| s.contains(*i))
        .fold(0, |m, i| m | 1 << i)
}

fn all_sets() -> impl Iterator<Item = RangeSet> {
    (0..1u64 << (1 << W)).map(|m| set(W, m))
}

/// Checks that `found` has exactly the words for which `belongs`.
fn exactly(found: &RangeSet, what: &str, belongs: impl Fn(u64) -> bool) {
    for x in 0..1u64 << found.width() {
        assert_eq!(found.contains(x), belongs(x), "{what}: {x} of {found:?}");
    }
    for pair in found.ranges().windows(2) {
        assert!(pair[0].1 + 1 < pair[1].0, "{what}: {found:?} has no gap");
    }
}

/// Checks that `found` has all words for which `belongs`.
fn at_least(found: &RangeSet, what: &str, belongs: impl Fn(u64) -> bool) {
    for x in 0..1u64 << found.width() {
        assert!(found.contains(x) || !belongs(x), "{what}: {x} of {found:?}");
    }
}

#[test]
fn sets_of_one_operand() {
    let m = mask(W);
    for s in all_sets() {
        let has = |x: u64| s.contains(x & m);
        exactly(&s.complement(), "complement", |x| !has(x));
        exactly(&s.image_neg(), "negated", |x| has(x.wrapping_neg()));
        exactly(&s.image_not(), "inverted", |x| has(!x));
        exactly(&s.sign_flipped().expect("short"), "flip", |x| has(x ^ 4));
        assert_eq!(s.size(), u64::from(members(&s).count_ones()));
        for word in 0..=m {
            let nearest = (0..=m).filter(|x| has(*x)).map(|x| x.abs_diff(word)).min();
            assert_eq!(s.nearest(word).map(|x| x.abs_diff(word)), nearest);
        }
        for k in 0..=m {
            let products = s.image_mul(k);
            at_least(&products, "times", |y| {
                (0..=m).any(|x| has(x) && (x * k) & m == y)
            });
            let divided = s.preimage_mul(k).expect("small factors");
            exactly(&divided, "divided", |x| has(x * k));
        }
    }
}

#[test]
fn sets_of_two_operands() {
    for a in all_sets() {
        for b in all_sets().step_by(3) {
            let both = a.intersect(&b).expect("short");
            exactly(&both, "intersect", |x| a.contains(x) && b.contains(x));
            let either = a.union(&b).expect("short");
            exactly(&either, "union", |x| a.contains(x) || b.contains(x));
            let sums = a.image_add(&b).expect("short");
            exactly(&sums, "plus", |z| {
                (0..8).any(|x| a.contains(x) && b.contains((z + 8 - x) & 7))
            });
            let joined = a.image_concat(&b);
            at_least(&joined, "concatenated", |x| {
                a.contains(x >> 3) && b.contains(x & 7)
            });
        }
    }
}

#[test]
fn sets_below_operators_that_change_the_width() {
    for s in all_sets() {
        let zero = s.preimage_zero_extend(1).expect("short");
        exactly(&zero, "below zero extension", |x| s.contains(x));
        let sign = s.preimage_sign_extend(1).expect("short");
        let extended = |x: u64| x | (x & 2) << 1;
        exactly(&sign, "below sign extension", |x| s.contains(extended(x)));
        let out = s.image_zero_extend(2);
        exactly(&out, "zero extended", |x| x < 8 && s.contains(x));
        let out = s.image_sign_extend(2).expect("short");
        exactly(&out, "sign extended", |x| {
            s.contains(x & 7) && x >> 3 == if x & 4 == 0 { 0 } else { 3 }
        });
        for lowest in 0..3 {
            for above in 0..3 {
                let width = W + lowest + above;
                let found = s.preimage_extract(width, lowest).expect("short");
                exactly(&found, "below extraction", |x| s.contains(x >> lowest & 7));
            }
        }
        for (lowest, width) in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)] {
            at_least(&s.image_extract(lowest, width), "extracted", |y| {
                (0..8).any(|x| s.contains(x) && x >> lowest & mask(width) == y)
            });
        }
        for high in 0..4 {
            let low = s.preimage_concat_low(high & 1, 2).expect("short");
            exactly(&low, "below high part", |x| s.contains((high & 1) << 2 | x));
            let point = RangeSet::point(2, high);
            let found = s.preimage_concat_high(&point).expect("short");
            exactly(&found, "below low part", |x| s.contains(x << 2 | high));
        }
        for low in 0..16 {
            let low = set(2, low);
            let found = s.preimage_concat_high(&low).expect("short");
            at_least(&found, "below low parts", |x| {
                (0..4).any(|l| low.contains(l) && s.contains(x << 2 | l))
            });
        }
    }
}

#[test]
fn indices_of_elements() {
    for s in all_sets() {
        for default in 0..8 {
            let listed = [(1, 5), (2, 0), (3, 7), (6, 5)];
            let cells = listed.iter().map(|c| Some(*c));
            let found = RangeSet::indices_holding(3, &s, cells, default).expect("short");
            exactly(&found, "places", |i| {
                let cell = listed.iter().find(|c| c.0 == i);
                s.contains(cell.map_or(default, |c| c.1))
            });
        }
    }
}

/// At 63 and 64 bits nothing overflows, and preimages agree with products at the edges.
#[test]
fn wide_words() {
    for width in [63, 64] {
        let m = mask(width);
        let edges = [0, 1, 2, 5, m / 2, m / 2 + 1, m - 2, m - 1, m];
        for low in edges {
            for high in edges.into_iter().filter(|h| *h >= low) {
                let s = RangeSet::range(width, low, high);
                let sums = s.image_add(&RangeSet::point(width, high)).expect("short");
                let negated = s.image_neg();
                for x in edges {
                    assert_eq!(s.contains(x), sums.contains(x.wrapping_add(high) & m));
                    assert_eq!(s.contains(x), negated.contains(x.wrapping_neg() & m));
                    assert_eq!(s.contains(x), !s.complement().contains(x));
                }
                for k in [0, 1, 2, 3, 10, 64, 65, 1 << 20, m / 2 + 1, m - 9, m - 1, m] {
                    let products = s.image_mul(k);
                    let divided = s.preimage_mul(k);
                    for x in edges {
                        let product = x.wrapping_mul(k) & m;
                        assert!(!s.contains(x) || products.contains(product));
                        if let Some(divided) = &divided {
                            assert_eq!(divided.contains(x), s.contains(product), "{s:?} {k} {x}");
                        }
                    }
                }
            }
        }
        assert!(!RangeSet::full(width).is_empty());
        assert!(RangeSet::empty(width).complement().is_full());
    }
}

#[test]
fn quotients_and_remainders() {
    use cairn_bv::BitVec;
    let word = |x: u64| BitVec::new(W, x);
    let all = 0..1u64 << W;
    for s in all_sets() {
        for k in 1..1u64 << W {
            let is = |y: u64, f: &dyn Fn(&BitVec, &BitVec) -> BitVec| {
                let mut members = all.clone().filter(|x| s.contains(*x));
                members.any(|x| f(&word(x), &word(k)).low_u64() == y)
            };
            exactly(&s.image_udiv(k), "udiv", |y| is(y, &BitVec::udiv));
            exactly(&s.image_urem(k), "urem", |y| is(y, &BitVec::urem));
            if k < 1 << (W - 1) {
                let quotients = s.image_by_sign(|m| m.image_udiv(k)).expect("short");
                exactly(&quotients, "sdiv", |y| is(y, &BitVec::sdiv));
                let rests = s.image_by_sign(|m| m.image_urem(k)).expect("short");
                exactly(&rests, "srem", |y| is(y, &BitVec::srem));
            }
        }
    }
}
