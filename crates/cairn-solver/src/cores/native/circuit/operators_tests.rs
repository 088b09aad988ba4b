//! Every circuit at widths 1 to 4, by exhaustion, against `cairn-bv`; with free operands and with
//! every constant in place of one of them.

use super::super::gates::{GateFunction, Gates, Lit};
use super::{Bits, WordCircuits};
use crate::Budget;
use cairn_bv::BitVec;

/// The value of every node; nodes stand after their operands.
fn evaluate(gates: &Gates, inputs: &[Lit], values: u64) -> Vec<bool> {
    let mut given = vec![false; gates.len()];
    for (i, l) in inputs.iter().enumerate() {
        given[l.node() as usize] = values >> i & 1 == 1;
    }
    let mut nodes: Vec<bool> = Vec::with_capacity(gates.len());
    for node in 0..gates.len() as u32 {
        let of = |l: Lit| nodes[l.node() as usize] ^ l.negated();
        let value = match gates.gate(node) {
            GateFunction::True => true,
            GateFunction::Input => given[node as usize],
            GateFunction::And(a, b) => of(a) & of(b),
            GateFunction::Xor(a, b) => of(a) ^ of(b),
            GateFunction::Mux(c, a, b) => {
                if of(c) {
                    of(a)
                } else {
                    of(b)
                }
            }
            GateFunction::Maj(a, b, c) => [of(a), of(b), of(c)].iter().filter(|v| **v).count() >= 2,
        };
        nodes.push(value);
    }
    nodes
}

fn read(nodes: &[bool], bits: &[Lit]) -> u64 {
    bits.iter().enumerate().fold(0, |w, (i, l)| {
        w | u64::from(nodes[l.node() as usize] ^ l.negated()) << i
    })
}

fn constant(width: u32, value: u64) -> Bits {
    (0..width)
        .map(|i| Lit::constant(value >> i & 1 == 1))
        .collect()
}

type Circuit = fn(&mut WordCircuits<'_>, &[Lit], &[Lit]) -> Bits;
type Meaning = fn(&BitVec, &BitVec) -> BitVec;

fn bit(b: bool) -> BitVec {
    BitVec::from_bool(b)
}

const CIRCUITS: &[(&str, Circuit, Meaning)] = &[
    ("not", |e, a, _| e.not(a), |a, _| a.not()),
    ("add", |e, a, b| e.add(a, b), BitVec::add),
    ("neg", |e, a, _| e.neg(a), |a, _| a.neg()),
    ("mul", |e, a, b| e.mul(a, b).expect("no limit"), BitVec::mul),
    (
        "udiv",
        |e, a, b| e.udivrem(a, b).expect("no limit").0,
        BitVec::udiv,
    ),
    (
        "urem",
        |e, a, b| e.udivrem(a, b).expect("no limit").1,
        BitVec::urem,
    ),
    (
        "shl",
        |e, a, b| e.shift(a, b, true, Lit::FALSE),
        BitVec::shl,
    ),
    (
        "lshr",
        |e, a, b| e.shift(a, b, false, Lit::FALSE),
        BitVec::lshr,
    ),
    (
        "ashr",
        |e, a, b| e.shift(a, b, false, a[a.len() - 1]),
        BitVec::ashr,
    ),
    (
        "shl ones",
        |e, a, b| e.shift(a, b, true, Lit::TRUE),
        |a, b| a.not().shl(b).not(),
    ),
    (
        "lshr ones",
        |e, a, b| e.shift(a, b, false, Lit::TRUE),
        |a, b| a.not().lshr(b).not(),
    ),
    ("eq", |e, a, b| vec![e.eq(a, b)], |a, b| bit(a == b)),
    ("ult", |e, a, b| vec![e.ult(a, b)], |a, b| bit(a.ult(b))),
    ("slt", |e, a, b| vec![e.slt(a, b)], |a, b| bit(a.slt(b))),
    // The lowest bits, one of either word, as condition.
    (
        "mux",
        |e, a, b| e.mux(a[0], a, b),
        |a, b| if a.bit(0) { a.clone() } else { b.clone() },
    ),
    (
        "mux not",
        |e, a, b| e.mux(!b[0], a, b),
        |a, b| if b.bit(0) { b.clone() } else { a.clone() },
    ),
];

fn check(width: u32, a_fixed: Option<u64>, b_fixed: Option<u64>, same: bool) {
    let budget = Budget::unlimited();
    for (name, circuit, meaning) in CIRCUITS {
        let mut gates = Gates::new();
        let mut inputs = Vec::new();
        let mut word = |fixed: Option<u64>, gates: &mut Gates| match fixed {
            Some(v) => constant(width, v),
            None => {
                let bits: Bits = (0..width).map(|_| gates.input()).collect();
                inputs.extend_from_slice(&bits);
                bits
            }
        };
        let a = word(a_fixed, &mut gates);
        let b = if same {
            a.clone()
        } else {
            word(b_fixed, &mut gates)
        };
        let mut encoder = WordCircuits {
            gates: &mut gates,
            budget: &budget,
        };
        let out = circuit(&mut encoder, &a, &b);
        for values in 0..1u64 << inputs.len() {
            let nodes = evaluate(&gates, &inputs, values);
            let (x, y) = (read(&nodes, &a), read(&nodes, &b));
            let expected = meaning(&BitVec::new(width, x), &BitVec::new(width, y));
            assert_eq!(out.len() as u32, expected.width(), "{name}");
            assert_eq!(
                read(&nodes, &out),
                expected.low_u64(),
                "{name} of {x} and {y} at width {width}, fixed {a_fixed:?} {b_fixed:?}"
            );
        }
    }
}

#[test]
fn free_operands() {
    for width in 1..=4 {
        check(width, None, None, false);
    }
}

#[test]
fn the_same_operand_twice() {
    for width in 1..=4 {
        check(width, None, None, true);
    }
}

#[test]
fn constant_operands() {
    for width in 1..=4 {
        for v in 0..1 << width {
            check(width, Some(v), None, false);
            check(width, None, Some(v), false);
            for w in 0..1 << width {
                check(width, Some(v), Some(w), false);
            }
        }
    }
}

#[test]
fn addition_with_carry() {
    let budget = Budget::unlimited();
    for width in 1..=4u32 {
        let mut gates = Gates::new();
        let inputs: Bits = (0..2 * width + 1).map(|_| gates.input()).collect();
        let (a, rest) = inputs.split_at(width as usize);
        let (b, carry) = rest.split_at(width as usize);
        let mut encoder = WordCircuits {
            gates: &mut gates,
            budget: &budget,
        };
        let (mut sum, out) = encoder.add_carry(a, b, carry[0]);
        sum.push(out);
        for values in 0..1u64 << inputs.len() {
            let nodes = evaluate(&gates, &inputs, values);
            let expected = read(&nodes, a) + read(&nodes, b) + read(&nodes, carry);
            assert_eq!(read(&nodes, &sum), expected);
        }
    }
}

/// Shift amounts that are wider or narrower than the word.
#[test]
fn shifts_by_words_of_other_widths() {
    let budget = Budget::unlimited();
    for width in 1..=4u32 {
        for amounts in 1..=5u32 {
            for (left, fill) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
                let mut gates = Gates::new();
                let inputs: Bits = (0..width + amounts).map(|_| gates.input()).collect();
                let (a, amount) = inputs.split_at(width as usize);
                let mut encoder = WordCircuits {
                    gates: &mut gates,
                    budget: &budget,
                };
                let out = encoder.shift(a, amount, left, Lit::constant(fill == 1));
                for values in 0..1u64 << inputs.len() {
                    let nodes = evaluate(&gates, &inputs, values);
                    let (x, n) = (read(&nodes, a), read(&nodes, amount));
                    let filled = |i: i64| match u32::try_from(i) {
                        Ok(i) if i < width => x >> i & 1,
                        _ => fill,
                    };
                    let n = i64::try_from(n).expect("small");
                    let step = if left { -n } else { n };
                    let expected = (0..width).fold(0, |w, i| w | filled(i64::from(i) + step) << i);
                    assert_eq!(read(&nodes, &out), expected, "{x} by {n}, left: {left}");
                }
            }
        }
    }
}

/// Tables of every length, from empty to full, with rows that repeat and a default that may be
/// one of them; the index free, partly constant and constant.
#[test]
fn tables() {
    let budget = Budget::unlimited();
    for index_width in 1..=4u32 {
        for length in 0..=1u64 << index_width {
            for (factor, default) in [(1, 0), (5, 3), (7, 6), (0, 0), (0, 5), (3, 7)] {
                let element = |i: u64| {
                    if i < length {
                        (i * factor + i / 3) & 7
                    } else {
                        default
                    }
                };
                let rows: Vec<Bits> = (0..length).map(|i| constant(3, element(i))).collect();
                // Which index bits are constant, and the constants.
                for fixed in 0..1u64 << index_width {
                    for ones in 0..1u64 << index_width {
                        if ones & !fixed != 0 {
                            continue;
                        }
                        let mut gates = Gates::new();
                        let mut inputs = Bits::new();
                        let index: Bits = (0..index_width)
                            .map(|i| {
                                if fixed >> i & 1 == 1 {
                                    return Lit::constant(ones >> i & 1 == 1);
                                }
                                inputs.push(gates.input());
                                inputs[inputs.len() - 1]
                            })
                            .collect();
                        // Every stretch that the index is known to be in.
                        let last = (1u64 << index_width) - 1;
                        let stretches = (0..=last).flat_map(|a| (a..=last).map(move |b| (a, b)));
                        for (from, to) in stretches.chain([(0, u64::MAX)]) {
                            let mut encoder = WordCircuits {
                                gates: &mut gates,
                                budget: &budget,
                            };
                            let out = encoder
                                .table(&rows, &constant(3, default), &index, from..=to)
                                .expect("no limit");
                            for values in 0..1u64 << inputs.len() {
                                let nodes = evaluate(&gates, &inputs, values);
                                let at = read(&nodes, &index);
                                if (from..=to).contains(&at) {
                                    assert_eq!(
                                        read(&nodes, &out),
                                        element(at),
                                        "at {at} of {length}, index width {index_width}, from {from} to {to}"
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A budget that is used up stops the circuits that can be large.
#[test]
fn an_exhausted_budget_stops_large_circuits() {
    let budget = Budget::timeout(std::time::Duration::ZERO);
    let mut gates = Gates::new();
    let a: Bits = (0..4).map(|_| gates.input()).collect();
    let b: Bits = (0..4).map(|_| gates.input()).collect();
    let mut encoder = WordCircuits {
        gates: &mut gates,
        budget: &budget,
    };
    assert!(encoder.mul(&a, &b).is_err());
    assert!(encoder.udivrem(&a, &b).is_err());
    assert!(
        encoder
            .table(&[constant(2, 1)], &constant(2, 0), &a, 0..=u64::MAX)
            .is_err()
    );
}
