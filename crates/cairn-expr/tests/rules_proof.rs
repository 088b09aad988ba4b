//! Proves the rewrite rules: every operator is built over shapes of operands at small widths with
//! the canonical constructors, and the result is compared with the operator's meaning under every
//! assignment of the symbols. Fails if a rule of the table was never applied on the way.

mod common;

use cairn_expr::{Op, Rule, Sort};
use common::world::World;

const fn bv(width: u32) -> Sort {
    Sort::BitVec(width)
}

const fn array(index: u32, value: u32) -> Sort {
    Sort::Array { index, value }
}

/// How much of a product is compared at each level, for an operator and its operand sorts.
struct Effort {
    /// Pairs of shapes of the first level.
    pairs: usize,
    /// Triples of shapes of the first level.
    triples: usize,
    /// Shapes of the second level that are kept as operands.
    deep: usize,
    /// Pairs of a shape of the second level and one of a lower level.
    deep_pairs: usize,
}

/// Builds leaves, all operators over leaves, all operators over those, and once more over a
/// sample; compares everything.
fn explore(world: &mut World, effort: &Effort) {
    let leaves: Vec<usize> = (0..world.len()).collect();
    world.unary_over(&leaves);
    world.binary_over(&leaves, &leaves, usize::MAX);
    world.ternary_over(&leaves, 4 * effort.triples);
    world.next_level(usize::MAX);

    let shapes: Vec<usize> = (0..world.len()).collect();
    world.unary_over(&shapes);
    world.ternary_over(&shapes, effort.triples);
    world.binary_over(&shapes, &shapes, effort.pairs);
    // A sample of the last batch and a fresh one of every operator become operands.
    world.unary_over(&shapes[leaves.len()..]);
    world.binary_over(&shapes, &leaves, effort.deep);
    world.ternary_over(&shapes, effort.deep);
    let before = world.len();
    world.next_level(effort.deep);

    let deep: Vec<usize> = (before..world.len()).collect();
    world.unary_over(&deep);
    world.binary_over(&deep, &leaves, effort.deep_pairs);
    world.binary_over(&leaves, &deep, effort.deep_pairs);
    world.binary_over(&deep, &shapes, effort.deep_pairs);
    world.binary_over(&shapes, &deep, effort.deep_pairs);
    world.ternary_over(&deep, effort.deep_pairs);
    world.check();
}

/// All `(op (op (op a) b) (op c))` with the operators that keep the width, over symbols alone.
fn nest(world: &mut World) {
    let symbols: Vec<usize> = (0..world.len()).collect();
    let mut signed = symbols.clone();
    signed.extend(world.keep_unary(&[Op::BvNot, Op::BvNeg, Op::Not], &symbols));
    let before = world.len();
    world.binary_over(&signed, &symbols, usize::MAX);
    world.next_level(usize::MAX);
    let nested: Vec<usize> = (before..world.len()).collect();
    world.binary_over(&nested, &signed, usize::MAX);
    world.check();
    world.truncate(symbols.len());
}

fn booleans(counts: &mut [u64]) -> u64 {
    let mut world = World::new(
        &[("p", Sort::Bool), ("q", Sort::Bool), ("r", Sort::Bool)],
        1,
    );
    world.constant(Sort::Bool, 0);
    world.constant(Sort::Bool, 1);
    explore(
        &mut world,
        &Effort {
            pairs: usize::MAX,
            triples: 50_000,
            deep: 400,
            deep_pairs: 50_000,
        },
    );
    world.count_rules(counts);
    world.probes
}

/// Two bit-vectors of one width and a condition.
fn one_width(w: u32, counts: &mut [u64]) -> u64 {
    let mut world = World::new(&[("x", bv(w)), ("y", bv(w)), ("p", Sort::Bool)], w + 1);
    nest(&mut world);
    world.constants(w);
    explore(
        &mut world,
        &Effort {
            pairs: [20_000, 10_000, 5_000, 900][w as usize - 1],
            triples: [4_000, 4_000, 2_000, 500][w as usize - 1],
            deep: 200,
            deep_pairs: [1_500, 1_500, 500, 100][w as usize - 1],
        },
    );
    world.count_rules(counts);
    world.probes
}

/// Bit-vectors of different widths: extensions, extractions and concatenations meet.
fn mixed_widths(counts: &mut [u64]) -> u64 {
    let mut world = World::new(
        &[("x", bv(3)), ("y", bv(2)), ("z", bv(1)), ("p", Sort::Bool)],
        6,
    );
    for w in 1..=6 {
        world.constants(w);
    }
    explore(
        &mut world,
        &Effort {
            pairs: 1_000,
            triples: 500,
            deep: 400,
            deep_pairs: 250,
        },
    );
    world.count_rules(counts);
    world.probes
}

/// Differences of operands of different widths, extended to one, compared with everything.
fn differences(counts: &mut [u64]) -> u64 {
    let mut world = World::new(&[("x", bv(3)), ("y", bv(3)), ("z", bv(2))], 4);
    let symbols: Vec<usize> = (0..world.len()).collect();
    let widen = [1, 2].map(|n| [Op::ZeroExtend(n), Op::SignExtend(n)]);
    let wide = world.keep_unary(&widen.concat(), &symbols);
    let negated = world.keep_unary(&[Op::BvNeg], &wide);
    let first = world.len();
    world.constants(4);
    let before = world.len();
    let constants: Vec<usize> = (first..before).collect();
    world.binary_over(&wide, &negated, usize::MAX);
    world.next_level(usize::MAX);
    let sums: Vec<usize> = (before..world.len()).collect();
    world.binary_over(&sums, &constants, usize::MAX);
    world.binary_over(&constants, &sums, usize::MAX);
    world.check();
    world.count_rules(counts);
    world.probes
}

/// Quotients by constants of quotients by constants, whole and without their highest bits, compared with constants.
fn quotients(counts: &mut [u64]) -> u64 {
    let mut world = World::new(&[("x", bv(5))], 5);
    let symbols: Vec<usize> = (0..world.len()).collect();
    let (first, last) = (world.len(), 1..=5);
    last.for_each(|w| world.constants(w));
    let constants: Vec<usize> = (first..world.len()).collect();
    let before = world.len();
    world.binary_over(&symbols, &constants, usize::MAX);
    world.next_level(usize::MAX);
    let once: Vec<usize> = (before..world.len()).collect();
    world.unary_over(&once);
    world.binary_over(&once, &constants, 8_000);
    let before = world.len();
    world.next_level(2_000);
    let twice: Vec<usize> = (before..world.len()).collect();
    world.binary_over(&twice, &constants, 4_000);
    world.binary_over(&constants, &twice, 4_000);
    world.check();
    world.count_rules(counts);
    world.probes
}

fn arrays(index: u32, value: u32, symbols: &[(&str, Sort)], counts: &mut [u64]) -> u64 {
    let mut world = World::new(symbols, index.max(value));
    // Reads and writes of reads and writes, over symbols alone.
    for _ in 0..3 {
        world.select_and_store(2_000);
        world.next_level(100);
    }
    world.truncate(symbols.len());
    world.constants(index);
    world.constants(value);
    for content in [0, 1, 0b0110, u64::MAX >> (64 - (value << index))] {
        world.constant(array(index, value), content);
    }
    world.unary_everywhere(&Op::ConstArray { index });
    world.next_level(usize::MAX);
    explore(
        &mut world,
        &Effort {
            pairs: 300,
            triples: 400,
            deep: 60,
            deep_pairs: 40,
        },
    );
    world.count_rules(counts);
    world.probes
}

#[test]
fn every_rule_is_applied_and_right() {
    let mut counts = vec![0; Rule::ALL.len()];
    let mut timed = |name: &str, run: &mut dyn FnMut(&mut [u64]) -> u64| {
        let start = std::time::Instant::now();
        let probes = run(&mut counts);
        println!("{name}: {probes} applications, {:?}", start.elapsed());
    };
    timed("Booleans", &mut booleans);
    for w in 1..=4 {
        timed(&format!("width {w}"), &mut |c| one_width(w, c));
    }
    timed("mixed widths", &mut mixed_widths);
    timed("differences", &mut differences);
    timed("quotients", &mut quotients);
    let scalars = [("i", bv(1)), ("j", bv(1)), ("v", bv(2)), ("p", Sort::Bool)];
    let symbols = [&[("a", array(1, 2))], &scalars[..]].concat();
    timed("arrays 1 to 2", &mut |c| arrays(1, 2, &symbols, c));
    let scalars = [("i", bv(2)), ("j", bv(2)), ("v", bv(1)), ("p", Sort::Bool)];
    let symbols = [&[("a", array(2, 1))], &scalars[..]].concat();
    timed("arrays 2 to 1", &mut |c| arrays(2, 1, &symbols, c));
    let scalars = [("i", bv(2)), ("p", Sort::Bool)];
    let symbols = [&[("a", array(2, 2))], &scalars[..]].concat();
    timed("arrays 2 to 2", &mut |c| arrays(2, 2, &symbols, c));

    let missing: Vec<&Rule> = (Rule::ALL.iter().zip(&counts))
        .filter(|(_, count)| **count == 0)
        .map(|(rule, _)| rule)
        .collect();
    assert!(missing.is_empty(), "never applied: {missing:?}");
}
