//! Every rule on random sets of 6 to 64 bits: words of the sets must be where the rules say.

mod common;

use cairn_bv::mask;
use cairn_domain::{StridedInterval, Unary, ValueSet};
use cairn_random::Random;
use common::{BINARIES, Draw};

const ROUNDS: u64 = 60_000;

fn width(random: &mut Random) -> u32 {
    match random.below(6) {
        0 => 7,
        1 | 2 => 8,
        3 => 32,
        4 => 64,
        _ => 6 + random.below(59) as u32,
    }
}

fn unary(random: &mut Random, width: u32) -> Unary {
    let small = 1 + random.below_u64(20);
    let k = if random.one_in(2) {
        small
    } else {
        random.word(width)
    };
    let room = u64::from(64 - width);
    match random.below(20) {
        0 => Unary::Neg,
        1 => Unary::Not,
        2 => Unary::Add(k),
        3 => Unary::Mul(k & mask(width)),
        4 => Unary::Udiv(k & mask(width)),
        5 => Unary::Urem(k & mask(width)),
        6 => Unary::Sdiv(k),
        7 => Unary::Srem(k),
        8 => Unary::Smod(k),
        9 => Unary::And(k),
        10 => Unary::Or(k),
        11 => Unary::Xor(k),
        12 => Unary::Shl(random.below_u64(u64::from(width) + 2) & mask(width)),
        13 => Unary::Lshr(random.below_u64(u64::from(width) + 2) & mask(width)),
        14 => Unary::Ashr(random.below_u64(u64::from(width) + 2) & mask(width)),
        15 if room > 0 => Unary::ZeroExtend(1 + random.below_u64(room) as u32),
        16 if room > 0 => Unary::SignExtend(1 + random.below_u64(room) as u32),
        17 if room > 0 => {
            let width = 1 + random.below_u64(room) as u32;
            Unary::Prepend {
                value: random.word(width),
                width,
            }
        }
        18 if room > 0 => {
            let width = 1 + random.below_u64(room) as u32;
            Unary::Append {
                value: random.word(width),
                width,
            }
        }
        _ => {
            let lo = random.below(width as usize) as u32;
            let hi = lo + random.below((width - lo) as usize) as u32;
            Unary::Extract { hi, lo }
        }
    }
}

/// Some words of a set, all if they are few.
fn samples(set: &ValueSet, random: &mut Random) -> Vec<u64> {
    if set.count() <= 600 {
        return set.iter().collect();
    }
    let mut all = Vec::new();
    for p in set.pieces() {
        let steps = (p.hi - p.lo) / p.stride();
        all.extend([p.lo, p.hi]);
        for _ in 0..4 {
            let i = if steps == u64::MAX {
                random.next()
            } else {
                random.below_u64(steps + 1)
            };
            all.push(p.lo + i * p.stride());
        }
    }
    all
}

/// Whether no two pieces share a word, as counting and choosing expect, and all are in order.
fn is_well_made(set: &ValueSet) -> bool {
    let pieces = set.pieces();
    let apart = |(i, a): (usize, &StridedInterval)| {
        let mut later = pieces[i + 1..].iter();
        later.all(|b| a.intersect(b).is_none() && a.lo < b.lo)
    };
    pieces.iter().enumerate().all(apart)
}

#[test]
fn images_and_preimages() {
    let mut random = Random::new(11);
    let (mut exact_images, mut exact_preimages) = (0, 0);
    for _ in 0..ROUNDS {
        let w = width(&mut random);
        let f = unary(&mut random, w);
        let d = random.set(w);
        let image = f.image(&d);
        assert!(is_well_made(&image.set), "{f:?} of {d:?}: {image:?}");
        for x in samples(&d, &mut random) {
            let y = f.apply(w, x);
            assert!(
                image.set.contains(y),
                "{f:?} of {x} in {d:?} at {w}: {image:?}"
            );
        }
        if image.exact {
            exact_images += 1;
            // Every word of an exact image comes from somewhere.
            for y in samples(&image.set, &mut random).into_iter().take(8) {
                let point = ValueSet::point(image.set.width(), y);
                let from = f.preimage(&point, &d);
                assert!(
                    !from.set.is_empty(),
                    "{f:?} of {d:?} at {w} does not give {y}"
                );
                if from.exact {
                    assert!(from.set.iter().take(5).all(|x| f.apply(w, x) == y));
                }
            }
        }
        let s = random.set(f.result_width(w));
        let s = s.union(&image.set.hull()).set.narrowed(&s);
        let before = f.preimage(&s, &d);
        assert!(is_well_made(&before.set), "{f:?} before {s:?}: {before:?}");
        exact_preimages += u64::from(before.exact);
        for x in samples(&d, &mut random) {
            let wanted = s.contains(f.apply(w, x));
            let found = before.set.contains(x);
            assert!(
                found || !wanted,
                "{f:?} before {s:?} in {d:?}: {before:?} lacks {x}"
            );
            assert!(
                !before.exact || found == wanted,
                "{f:?} before {s:?} in {d:?}: {before:?}: {x}"
            );
        }
        for x in samples(&before.set, &mut random) {
            assert!(d.contains(x));
            let wanted = s.contains(f.apply(w, x));
            assert!(
                !before.exact || wanted,
                "{f:?} before {s:?} in {d:?}: {before:?}: {x}"
            );
        }
    }
    println!("{exact_images} images and {exact_preimages} preimages of {ROUNDS} are exact");
    assert!(exact_images > ROUNDS * 3 / 4);
    assert!(exact_preimages > ROUNDS * 3 / 4);
}

#[test]
fn algebra() {
    let mut random = Random::new(5);
    for _ in 0..ROUNDS {
        let w = width(&mut random);
        let (a, b) = (random.set(w), random.set(w));
        let both = a.intersect(&b);
        let union = a.union(&b);
        let without = a.without(&b);
        let mut words = samples(&a, &mut random);
        words.extend(samples(&b, &mut random));
        words.extend((0..4).map(|_| random.word(w)));
        let subset = a.is_subset(&b);
        for x in words {
            let (in_a, in_b) = (a.contains(x), b.contains(x));
            assert!(
                both.as_ref()
                    .is_none_or(|s| s.contains(x) == (in_a && in_b))
            );
            assert!(
                without
                    .as_ref()
                    .is_none_or(|s| s.contains(x) == (in_a && !in_b))
            );
            assert!(union.set.contains(x) || !(in_a || in_b));
            assert!(!union.exact || union.set.contains(x) == (in_a || in_b));
            assert!(!subset || !in_a || in_b);
        }
        if let Some(both) = &both {
            assert_eq!(both.is_empty(), a.is_disjoint(&b));
            let total = a.count() + b.count() - both.count();
            assert!(!union.exact || union.set.count() == total);
        }
    }
}

#[test]
fn binary_images() {
    let mut random = Random::new(17);
    for _ in 0..ROUNDS / 4 {
        let w = width(&mut random).min(32);
        let (a, b) = (random.set(w), random.set(w));
        for f in BINARIES {
            let image = f.image(&a, &b);
            let (xs, ys) = (samples(&a, &mut random), samples(&b, &mut random));
            for (x, y) in xs.iter().zip(ys.iter().rev()) {
                let z = f.apply((w, w), *x, *y);
                assert!(
                    image.set.contains(z),
                    "{f:?} of {x} in {a:?} and {y} in {b:?}: {image:?}"
                );
            }
        }
    }
}
