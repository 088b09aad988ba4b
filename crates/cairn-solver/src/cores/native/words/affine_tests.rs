//! Comparisons of affine terms against enumeration.

use super::{Affine, Comparison, compare};

#[test]
fn comparisons_of_all_affine_terms() {
    const W: u32 = 3;
    let signed = |x: u64| if x >= 4 { x as i64 - 8 } else { x as i64 };
    let lines = || (0..8).flat_map(|factor| (0..8).map(move |offset| Affine { factor, offset }));
    for a in lines() {
        for b in lines() {
            let how = [Comparison::Equal, Comparison::Less, Comparison::LessSigned];
            for (how, want) in how.into_iter().flat_map(|h| [(h, true), (h, false)]) {
                let found = compare(W, a, b, how, want).expect("small");
                for x in 0..8 {
                    let at = |l: Affine| (l.factor * x + l.offset) & 7;
                    let holds = match how {
                        Comparison::Equal => at(a) == at(b),
                        Comparison::Less => at(a) < at(b),
                        Comparison::LessSigned => signed(at(a)) < signed(at(b)),
                    };
                    assert_eq!(found.contains(x), holds == want, "{a:?} {how:?} {b:?} {x}");
                }
            }
        }
    }
}

#[test]
fn affine_terms_of_wide_words() {
    let edges = [
        0,
        1,
        63,
        u64::MAX / 2,
        u64::MAX / 2 + 1,
        u64::MAX - 1,
        u64::MAX,
    ];
    for (p, q) in [(0, 1), (1, 1), (1, 2), (3, 1), (10, 64), (64, 10)] {
        for c in edges {
            for d in edges {
                let a = Affine {
                    factor: p,
                    offset: c,
                };
                let b = Affine {
                    factor: q,
                    offset: d,
                };
                let found = compare(64, a, b, Comparison::Less, true).expect("small");
                for x in edges {
                    let at = |l: Affine| l.factor.wrapping_mul(x).wrapping_add(l.offset);
                    assert_eq!(found.contains(x), at(a) < at(b), "{a:?} {b:?} {x}");
                }
            }
        }
    }
}
