use super::*;
use cairn_expr::{Table, TermStore};
use cairn_random::Random;

/// A number from `-most` to `most`.
fn around_zero(random: &mut Random, most: u64) -> i128 {
    i128::from(random.below_u64(2 * most + 1)) - i128::from(most)
}

fn value(sum: &IntegerSum, point: &[i128]) -> i128 {
    let parts = sum.parts.iter().map(|(v, f)| f * point[*v as usize]);
    sum.constant + parts.sum::<i128>()
}

/// All points of small boxes are tried: a contradiction is never found where a point is left, the
/// rows named by its facts have none, and bounds lose no point.
#[test]
fn contradictions_are_right() {
    let store = TermStore::new();
    let mut random = Random::new(7);
    let (mut refuted, mut open) = (0, 0);
    for _ in 0..6_000 {
        let mut system = System::default();
        for _ in 0..3 {
            system.fresh(0, 4);
        }
        let elements: Vec<BitVec> = (0..5)
            .map(|_| BitVec::new(8, random.below_u64(9)))
            .collect();
        let table = store.table(Table::new(8, elements.clone(), BitVec::new(8, 1)));
        // A read of 2 x0 + 1 or of x0 + x1.
        let index = match random.below(2) {
            0 => IntegerSum::number(1).plus(&IntegerSum::variable(0), 2),
            _ => IntegerSum::variable(0).plus(&IntegerSum::variable(1), 1),
        };
        let index = index.expect("small");
        let variable = system.fresh(0, 255);
        let read = Read {
            variable,
            table,
            index,
        };
        system.reads.push(read.clone());
        for position in 0..3 + random.below(4) as u32 {
            let mut sum = IntegerSum::number(around_zero(&mut random, 6));
            for v in 0..4 {
                let factor = around_zero(&mut random, 3);
                sum = sum.plus(&IntegerSum::variable(v), factor).expect("small");
            }
            let why = FactPositions::from_slice(&[position]);
            system.rows.push(Row { sum, why });
        }
        let element = |i: i128| {
            elements
                .get(i as usize)
                .map_or(1, |e| e.to_u64().map_or(0, i128::from))
        };
        let points: Vec<[i128; 4]> = (0..125)
            .map(|i| {
                let mut point = [i % 5, i / 5 % 5, i / 25, 0];
                point[3] = element(value(&read.index, &point));
                point
            })
            .collect();
        let holds = |rows: &[&Row], point: &[i128]| rows.iter().all(|r| value(&r.sum, point) <= 0);
        let rows = system.rows.clone();
        let all: Vec<&Row> = rows.iter().collect();
        let solutions: Vec<&[i128; 4]> = points.iter().filter(|p| holds(&all, &p[..])).collect();
        let mut work = 100_000;
        match system.refute(&mut work) {
            LinearVerdict::Contradiction(why) => {
                refuted += 1;
                let named: Vec<&Row> = rows
                    .iter()
                    .filter(|r| r.why.iter().all(|w| why.contains(w)))
                    .collect();
                assert!(!points.iter().any(|p| holds(&named, &p[..])), "{named:?}");
            }
            LinearVerdict::Nothing => {
                open += 1;
                for point in solutions {
                    for (bounds, v) in system.variables.iter().zip(point) {
                        assert!(bounds.low.value <= *v && *v <= bounds.high.value);
                    }
                }
            }
        }
    }
    assert!(
        refuted > 500 && open > 500,
        "{refuted} refuted, {open} open"
    );
}

/// What narrowing alone does not see: x <= y, y <= z, z + 1 <= x.
#[test]
fn elimination_sees_cycles() {
    let mut system = System::default();
    for _ in 0..3 {
        system.fresh(0, 1 << 40);
    }
    for (i, (a, b, more)) in [(0, 1, 0), (1, 2, 0), (2, 0, 1)].into_iter().enumerate() {
        let sum = IntegerSum::variable(a)
            .plus(&IntegerSum::variable(b), -1)
            .expect("small");
        let sum = sum.plus(&IntegerSum::number(more), 1).expect("small");
        let why = FactPositions::from_slice(&[i as u32]);
        system.rows.push(Row { sum, why });
    }
    let mut work = 10_000;
    let LinearVerdict::Contradiction(why) = system.refute(&mut work) else {
        panic!("not seen")
    };
    assert_eq!(why.as_slice(), [0, 1, 2]);
}

/// Numbers beyond the limit are given up on: neither a wrong answer nor a panic.
#[test]
fn large_numbers_say_nothing() {
    let mut system = System::default();
    let (x, y) = (system.fresh(0, 1 << 100), system.fresh(0, 1 << 100));
    let sum = IntegerSum::number(-1).plus(&IntegerSum::variable(x), 1 << 60);
    let sum = sum.and_then(|s| s.plus(&IntegerSum::variable(y), -(1 << 61)));
    let sum = sum.expect("kept");
    assert!(sum.plus(&sum, 1 << 90).is_none());
    let why = FactPositions::from_slice(&[0]);
    system.rows.push(Row { sum, why });
    let mut work = 10_000;
    // x = y = 0 is a solution.
    assert!(matches!(system.refute(&mut work), LinearVerdict::Nothing));
}
