//! Rounding directions and flags, against the host's arithmetic and against each other.

use cairn_float::rounded::{
    BY_ZERO, INEXACT, INVALID, OVERFLOW, Operation, OperationKind, Rounding, UNDERFLOW,
};
use cairn_random::Random;

fn double(what: OperationKind) -> Operation {
    Operation { what, double: true }
}

fn apply(what: OperationKind, rounding: Rounding, a: f64, b: f64) -> (f64, u64) {
    let (bits, raised) = double(what).apply(rounding, a.to_bits(), b.to_bits(), 0);
    (f64::from_bits(bits), raised)
}

/// Numbers of all sizes.
fn numbers() -> Vec<f64> {
    let mut random = Random::new(81);
    let mut all = vec![
        0.0,
        -0.0,
        1.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        f64::INFINITY,
    ];
    for _ in 0..120 {
        let bits = random.next();
        let number = f64::from_bits(bits);
        if !number.is_nan() {
            all.push(number);
        }
        all.push(f64::from_bits(
            bits & 0x801f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000,
        ));
    }
    all
}

#[test]
fn to_the_nearest_is_what_the_host_computes() {
    for a in numbers() {
        for b in numbers() {
            let expected = [
                (OperationKind::Add, a + b),
                (OperationKind::Sub, a - b),
                (OperationKind::Mul, a * b),
                (OperationKind::Div, a / b),
                (OperationKind::Sqrt, a.sqrt()),
            ];
            for (what, expected) in expected {
                let (found, raised) = apply(what, Rounding::Even, a, b);
                if expected.is_nan() {
                    assert_eq!(
                        found.to_bits(),
                        0x7ff8_0000_0000_0000,
                        "{what:?} {a:e} {b:e}"
                    );
                    assert_eq!(raised, INVALID, "{what:?} {a:e} {b:e}");
                } else {
                    assert_eq!(found.to_bits(), expected.to_bits(), "{what:?} {a:e} {b:e}");
                }
            }
        }
    }
}

#[test]
fn directions_enclose_the_exact_result() {
    for a in numbers() {
        for b in numbers() {
            for what in [OperationKind::Add, OperationKind::Mul, OperationKind::Div] {
                let of = |rounding| apply(what, rounding, a, b);
                let [even, zero, down, up, away] = Rounding::ALL.map(of);
                if even.0.is_nan() {
                    continue;
                }
                assert!(down.0 <= even.0 && even.0 <= up.0, "{what:?} {a:e} {b:e}");
                let inexact = even.1 & INEXACT != 0;
                assert_eq!(inexact, down.0 != up.0, "{what:?} {a:e} {b:e}");
                let toward = if down.0 >= 0.0 { down.0 } else { up.0 };
                assert_eq!(zero.0, toward, "{what:?} {a:e} {b:e}");
                assert!(away.0 == down.0 || away.0 == up.0);
            }
        }
    }
}

#[test]
fn what_is_raised() {
    let even = Rounding::Even;
    assert_eq!(
        apply(OperationKind::Div, even, 1.0, 0.0),
        (f64::INFINITY, BY_ZERO)
    );
    assert_eq!(
        apply(OperationKind::Mul, even, f64::MAX, 2.0).1,
        OVERFLOW | INEXACT
    );
    let largest = apply(OperationKind::Mul, Rounding::Zero, f64::MAX, 2.0);
    assert_eq!(largest, (f64::MAX, OVERFLOW | INEXACT));
    let tiny = apply(OperationKind::Mul, even, f64::MIN_POSITIVE, 0.1);
    assert_eq!(tiny.1, UNDERFLOW | INEXACT);
    // Exact, though it is tiny.
    assert_eq!(apply(OperationKind::Mul, even, f64::MIN_POSITIVE, 0.5).1, 0);
    // It rounds to the smallest normal number also without a bound on exponents, so it is not tiny.
    let below = f64::from_bits(f64::MIN_POSITIVE.to_bits() - 1);
    let above = apply(OperationKind::Mul, even, below, 1.0 + f64::EPSILON);
    assert_eq!(above, (f64::MIN_POSITIVE, INEXACT));
    // The sum of opposites is -0 only downwards.
    assert!(
        apply(OperationKind::Add, Rounding::Down, 1.0, -1.0)
            .0
            .is_sign_negative()
    );
    assert!(
        apply(OperationKind::Add, Rounding::Up, 1.0, -1.0)
            .0
            .is_sign_positive()
    );
}

#[test]
fn integers_that_do_not_fit_are_invalid_and_nothing_else() {
    let to = |signed, a: f64| {
        let what = OperationKind::ToInt {
            wide: false,
            signed,
        };
        double(what).apply(Rounding::Even, a.to_bits(), 0, 0)
    };
    assert_eq!(to(true, 2.5), (2, INEXACT));
    assert_eq!(to(true, 2147483647.5), (0x7fff_ffff, INVALID));
    assert_eq!(to(true, -2147483648.5), (0x8000_0000, INEXACT));
    assert_eq!(to(false, -1.0), (0, INVALID));
    assert_eq!(to(false, -0.25), (0, INEXACT));
    assert_eq!(to(false, f64::NAN), (0xffff_ffff, INVALID));
}

#[test]
fn operations_are_numbers_and_back() {
    for code in 0..1024 {
        if let Some(operation) = Operation::from_code(code) {
            assert_eq!(operation.code(), code);
        }
    }
    let from = double(OperationKind::FromInt {
        wide: true,
        signed: false,
    });
    assert_eq!(Operation::from_code(from.code()), Some(from));
}
