//! Every rule against brute force at small widths: all pairs of sets at 3 bits, all wrapped strided
//! intervals at 4 and 5 bits, with samples of unions.

mod common;

use cairn_bv::mask;
use cairn_domain::{Relation, Signedness, Split, Truth, Unary, ValueSet};
use cairn_random::Random;
use common::{BINARIES, Draw, bits, of_bits, singles, unaries};

/// All sets at 3 bits; at 4 and 5 bits all single intervals and some unions.
fn sets(width: u32) -> Vec<ValueSet> {
    let mut all = singles(width);
    if width <= 3 {
        all.extend((0..1u64 << (mask(width) + 1)).map(|m| of_bits(width, m)));
    } else {
        let mut random = Random::new(7 + u64::from(width));
        all.extend((0..200).map(|_| random.set(width)));
        all.extend((0..100).map(|_| of_bits(width, random.next() & mask(1 << width.min(5)))));
    }
    all
}

#[test]
fn algebra_of_all_pairs_at_three_bits() {
    for a in sets(3) {
        let x = bits(&a);
        assert_eq!(a.complement().map(|s| bits(&s)), Some(!x & 0xff));
        for b in sets(3) {
            let y = bits(&b);
            assert_eq!(
                a.intersect(&b).map(|s| bits(&s)),
                Some(x & y),
                "{a:?} {b:?}"
            );
            let union = a.union(&b);
            assert!(
                union.exact && bits(&union.set) == x | y,
                "{a:?} {b:?} {union:?}"
            );
            assert_eq!(a.without(&b).map(|s| bits(&s)), Some(x & !y));
            assert_eq!(a.is_subset(&b), x & !y == 0);
            assert_eq!(a.is_disjoint(&b), x & y == 0);
        }
    }
}

#[test]
fn algebra_of_intervals_at_four_and_five_bits() {
    for width in [4, 5] {
        let all = sets(width);
        let some: Vec<&ValueSet> = all
            .iter()
            .step_by(if width == 4 { 1 } else { 13 })
            .collect();
        let full = mask(1 << width);
        for a in &all {
            let x = bits(a);
            assert_eq!(a.complement().map(|s| bits(&s)), Some(!x & full));
            for b in &some {
                let y = bits(b);
                assert_eq!(a.intersect(b).map(|s| bits(&s)), Some(x & y), "{a:?} {b:?}");
                let union = a.union(b);
                assert!(
                    union.exact && bits(&union.set) == x | y,
                    "{a:?} {b:?} {union:?}"
                );
                assert_eq!(a.without(b).map(|s| bits(&s)), Some(x & !y));
                assert_eq!(a.is_subset(b), x & !y == 0);
                assert_eq!(a.is_disjoint(b), x & y == 0);
            }
        }
    }
}

#[test]
fn questions_about_one_set() {
    for width in 1..=5 {
        for a in sets(width) {
            let x = bits(&a);
            let half = 1u64 << (width - 1);
            let words: Vec<u64> = (0..=mask(width)).filter(|w| x >> w & 1 == 1).collect();
            assert_eq!(a.min(), words.first().copied());
            assert_eq!(a.max(), words.last().copied());
            assert_eq!(
                a.signed_min(),
                words.iter().copied().min_by_key(|w| w ^ half)
            );
            assert_eq!(
                a.signed_max(),
                words.iter().copied().max_by_key(|w| w ^ half)
            );
            assert_eq!(a.count(), words.len() as u128);
            assert_eq!(a.is_empty(), words.is_empty());
            assert_eq!(a.is_full(), words.len() as u64 == mask(width) + 1);
            assert_eq!(a.as_point().is_some(), words.len() == 1);
            assert_eq!(a.middle().is_some(), !words.is_empty());
            assert!(a.middle().is_none_or(|w| a.contains(w)));
            for word in 0..=mask(width) {
                assert_eq!(a.contains(word), words.contains(&word));
                let nearest = words.iter().map(|w| w.abs_diff(word)).min();
                assert_eq!(a.nearest(word).map(|w| w.abs_diff(word)), nearest);
                for (signedness, flip) in [(Signedness::Unsigned, 0), (Signedness::Signed, half)] {
                    let places = || words.iter().map(|w| w ^ flip);
                    assert_eq!(signedness.rank(width, word), word ^ flip);
                    let after = places().filter(|p| *p >= word).min();
                    assert_eq!(
                        signedness.at_least(&a, word),
                        after,
                        "{a:?} {signedness:?} {word}"
                    );
                    let before = places().filter(|p| *p <= word).max();
                    assert_eq!(
                        signedness.at_most(&a, word),
                        before,
                        "{a:?} {signedness:?} {word}"
                    );
                }
            }
            assert_eq!(bits(&a.hull()) & x, x);
            for most in 1..=3 {
                let around = a.enclosed(most);
                assert_eq!(bits(&around) & x, x);
                assert!(around.pieces().len() <= most, "{around:?}");
                assert_eq!(around.count(), u128::from(bits(&around).count_ones()));
            }
            let flipped = words.iter().fold(0u64, |s, w| s | 1 << (w ^ half));
            assert_eq!(bits(&a.sign_flipped().set), flipped);
        }
    }
}

#[test]
fn comparisons_with_constants() {
    for width in 1..=5 {
        let half = 1u64 << (width - 1);
        for c in 0..=mask(width) {
            let where_ = |test: &dyn Fn(u64) -> bool| {
                (0..=mask(width))
                    .filter(|w| test(*w))
                    .fold(0u64, |s, w| s | 1 << w)
            };
            assert_eq!(bits(&ValueSet::below(width, c)), where_(&|w| w < c));
            assert_eq!(bits(&ValueSet::above(width, c)), where_(&|w| w > c));
            assert_eq!(
                bits(&ValueSet::signed_below(width, c)),
                where_(&|w| w ^ half < c ^ half)
            );
            assert_eq!(
                bits(&ValueSet::signed_above(width, c)),
                where_(&|w| w ^ half > c ^ half)
            );
        }
    }
}

/// How many of the results were exact; the rest must enclose.
fn check_images(width: u32, all: &[ValueSet]) -> (u64, u64) {
    let (mut exact, mut asked) = (0, 0);
    for f in unaries(width) {
        let table: Vec<u64> = (0..=mask(width)).map(|w| f.apply(width, w)).collect();
        for a in all {
            let real: Vec<u64> = a.iter().map(|w| table[w as usize]).collect();
            let made = f.image(a);
            assert_eq!(made.set.width(), f.result_width(width));
            let inside = real.iter().all(|w| made.set.contains(*w));
            assert!(inside, "{f:?} of {a:?} at {width} gives {made:?}");
            if made.exact {
                let mut distinct = real.clone();
                distinct.sort_unstable();
                distinct.dedup();
                let count = made.set.count();
                assert_eq!(
                    count,
                    distinct.len() as u128,
                    "{f:?} of {a:?} gives {made:?}"
                );
            }
            exact += u64::from(made.exact);
            asked += 1;
        }
    }
    (exact, asked)
}

#[test]
fn images() {
    for width in 1..=5 {
        let (exact, asked) = check_images(width, &sets(width));
        println!("images at {width}: {exact} exact of {asked}");
        // At these widths everything can be listed.
        assert_eq!(exact, asked);
    }
}

#[test]
fn preimages() {
    for width in 1..=5 {
        let domains = match width {
            1 | 2 => sets(width),
            _ => {
                let mut some: Vec<ValueSet> = sets(width).into_iter().step_by(89).collect();
                some.push(ValueSet::full(width));
                some
            }
        };
        for f in unaries(width) {
            let table: Vec<u64> = (0..=mask(width)).map(|w| f.apply(width, w)).collect();
            let results = sets(f.result_width(width).min(5));
            let results: Vec<&ValueSet> = match width {
                1..=3 => results.iter().collect(),
                4 => results.iter().step_by(11).collect(),
                _ => results.iter().step_by(97).collect(),
            };
            for s in results {
                let s = &ValueSet::from_pieces(f.result_width(width), s.pieces()).set;
                for d in &domains {
                    let real = d.iter().filter(|w| s.contains(table[*w as usize]));
                    let real = real.fold(0u64, |m, w| m | 1 << w);
                    let made = f.preimage(s, d);
                    let found = bits(&made.set);
                    assert_eq!(real & !found, 0, "{f:?} before {s:?} in {d:?}: {made:?}");
                    assert_eq!(found & !bits(d), 0, "within the domain");
                    assert!(made.exact, "{f:?} before {s:?} in {d:?}");
                    assert_eq!(real, found, "{f:?} before {s:?} in {d:?}: {made:?}");
                    let count = u128::from(real.count_ones());
                    assert_eq!(made.set.count(), count, "pieces share no word: {made:?}");
                }
            }
        }
    }
}

/// A domain around zero has its words in the first and in the last blocks of a remainder: those between, thousands at
/// wide words, are none of it.
#[test]
fn remainders_of_words_around_zero() {
    let width = 14;
    let operators = [
        Unary::Extract { hi: 6, lo: 0 },
        Unary::And(127),
        Unary::Urem(100),
        Unary::Or(!127 & mask(width)),
    ];
    let ends = [0, 40, 99, 127, 128, 200, 300, 1000];
    let pairs = ends.iter().flat_map(|a| ends.map(|b| (*a, b)));
    for (below, above) in pairs {
        let from = (below as u64).wrapping_neg() & mask(width);
        let domain = ValueSet::wrapped(width, from, above as u64, 1);
        for f in operators {
            let out = f.result_width(width);
            let table: Vec<(u64, u64)> = domain.iter().map(|x| (x, f.apply(width, x))).collect();
            let starts = (0..128).step_by(9);
            for (low, length) in starts.flat_map(|low| [1, 30, 65, 90].map(|l| (low, l))) {
                let low = low | (f.apply(width, 0) & !127);
                let high = (low + length - 1) & mask(out);
                let wanted = ValueSet::wrapped(out, low, high, 1);
                let made = f.preimage(&wanted, &domain);
                assert!(made.exact, "{f:?} before {wanted:?} in {domain:?}");
                let real = table.iter().filter(|(_, y)| wanted.contains(*y)).count();
                assert_eq!(made.set.count(), real as u128);
                for (x, y) in &table {
                    assert_eq!(made.set.contains(*x), wanted.contains(*y), "{f:?} of {x}");
                }
            }
        }
    }
}

#[test]
fn binary_images() {
    for width in 1..=5 {
        let all = sets(width);
        let step = [1, 1, 1, 1, 17, 101][width as usize];
        let some: Vec<&ValueSet> = all.iter().step_by(step).collect();
        for f in BINARIES {
            let mut inexact = 0;
            for a in &some {
                for b in &some {
                    let made = f.image(a, b);
                    let mut real = [false; 1 << 10];
                    for x in a.iter() {
                        for y in b.iter() {
                            real[f.apply((width, width), x, y) as usize] = true;
                        }
                    }
                    let count = real.iter().filter(|r| **r).count();
                    let inside = (0..1 << 10).all(|w| !real[w] || made.set.contains(w as u64));
                    assert!(inside, "{f:?} {a:?} {b:?}: {made:?}");
                    if made.exact {
                        assert_eq!(
                            made.set.count(),
                            count as u128,
                            "{f:?} {a:?} {b:?}: {made:?}"
                        );
                    } else {
                        inexact += 1;
                    }
                }
            }
            println!(
                "{f:?} at {width}: {inexact} inexact of {}",
                some.len() * some.len()
            );
        }
    }
}

const RELATIONS: [Relation; 6] = [
    Relation::Equal,
    Relation::Different,
    Relation::Below,
    Relation::AtMost,
    Relation::SignedBelow,
    Relation::SignedAtMost,
];

#[test]
fn relations() {
    for width in 1..=5 {
        let all = sets(width);
        let step = [1, 1, 1, 1, 3, 23][width as usize];
        let some: Vec<&ValueSet> = all.iter().step_by(step).collect();
        for relation in RELATIONS {
            let (negated, exchanged) = relation.negated();
            for x in 0..=mask(width) {
                for y in 0..=mask(width) {
                    let (a, b) = if exchanged { (y, x) } else { (x, y) };
                    assert_eq!(relation.holds(width, x, y), !negated.holds(width, a, b));
                }
            }
            for a in &some {
                let has_left = |y: u64| a.iter().any(|x| relation.holds(width, x, y));
                let right: u64 = (0..=mask(width))
                    .filter(|y| has_left(*y))
                    .map(|y| 1 << y)
                    .sum();
                assert_eq!(bits(&relation.right_for(a)), right, "{relation:?} {a:?}");
                let has_right = |x: u64| a.iter().any(|y| relation.holds(width, x, y));
                let left: u64 = (0..=mask(width))
                    .filter(|x| has_right(*x))
                    .map(|x| 1 << x)
                    .sum();
                assert_eq!(bits(&relation.left_for(a)), left, "{relation:?} {a:?}");
                for b in &some {
                    let pairs = || a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
                    let truth = relation.decide(a, b);
                    let all = pairs().all(|(x, y)| relation.holds(width, x, y));
                    let none = !pairs().any(|(x, y)| relation.holds(width, x, y));
                    let expected = match (all, none) {
                        (true, _) => Truth::Always,
                        (false, true) => Truth::Never,
                        (false, false) => Truth::Sometimes,
                    };
                    assert_eq!(truth, expected, "{relation:?} {a:?} {b:?}");
                    for split in [Split::First, Split::Middle] {
                        let boxes = relation.splits(split, a, b);
                        assert_eq!(
                            boxes.is_empty(),
                            truth == Truth::Never,
                            "{a:?} {relation:?} {b:?}"
                        );
                        for (left, right) in boxes {
                            assert_eq!(bits(&left) & !bits(a), 0);
                            assert_eq!(bits(&right) & !bits(b), 0);
                            assert!(
                                left.is_empty() == a.is_empty() && right.is_empty() == b.is_empty()
                            );
                            let related = left
                                .iter()
                                .all(|x| right.iter().all(|y| relation.holds(width, x, y)));
                            assert!(related, "{relation:?} {left:?} {right:?}");
                        }
                    }
                }
            }
        }
    }
}

/// The rules that are wrong as published, as examples with known answers.
#[test]
fn corrected_rules() {
    // (7): {0,5,10,15} / 2 has 5 and 7.
    let steps = ValueSet::wrapped(5, 0, 15, 5);
    assert_eq!(bits(&Unary::Udiv(2).image(&steps).set), 0b1010_0101);
    // §3.4.4: narrowing is modular.
    let narrow = Unary::Extract { hi: 3, lo: 0 }.image(&ValueSet::range(8, 14, 18));
    assert_eq!(bits(&narrow.set), 0b1100_0000_0000_0111);
    // §3.3.4: x * 3 below 6 at 4 bits: 0 and 1, and what goes around: 6 and 7, 11 and 12.
    let product = Unary::Mul(3).preimage(&ValueSet::below(4, 6), &ValueSet::full(4));
    assert_eq!(bits(&product.set), 0b0001_1000_1100_0011);
    // §3.3.2: nothing is below zero.
    assert!(ValueSet::below(8, 0).is_empty());
    assert!(ValueSet::signed_below(8, 0x80).is_empty());
    // Definition 4.2: the full set has 2^w words.
    assert_eq!(ValueSet::full(64).count(), 1 << 64);
    assert_eq!(ValueSet::full(5).count(), 32);
    // §3.4.3: {0..5} < {3..9} sometimes, {0..2} < {3..9} always.
    let (low, wide) = (ValueSet::range(8, 0, 2), ValueSet::range(8, 0, 5));
    let high = ValueSet::range(8, 3, 9);
    assert_eq!(Relation::Below.decide(&low, &high), Truth::Always);
    assert_eq!(Relation::Below.decide(&wide, &high), Truth::Sometimes);
    assert_eq!(Relation::Below.decide(&high, &low), Truth::Never);
}
