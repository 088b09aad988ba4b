//! Random searchers pick with the chances that they promise.

use crate::engine::{Engine, Protocol, info_at};
use cairn_engine::rng::Rng;
use cairn_engine::search::{RandomPath, Searcher, SearcherInfo, StateId, WeightBy, Weighted};
use cairn_engine::tree::Tree;
use std::collections::BTreeMap;

/// An engine whose states are to be picked with these chances.
type Chances = (Engine, BTreeMap<StateId, f64>);

/// Checks the chances of a searcher, made anew for each of many seeds.
///
/// Pearson's statistic looks at all states at once: it has the degrees of freedom as its mean and
/// twice that as its variance. One sample of it has a long tail, so the mean over the seeds is
/// checked, which is nearly normal: it lies within three standard deviations, on both sides.
fn assert_chances(make: impl Fn(u64) -> Chances) {
    const SEEDS: u64 = 25;
    const DRAWS: u32 = 20_000;
    let mut mean = 0.0;
    let mut freedom = 0.0;
    for seed in 0..SEEDS {
        let (mut engine, chances) = make(seed);
        let mut counts: BTreeMap<StateId, u32> = chances.keys().map(|state| (*state, 0)).collect();
        for _ in 0..DRAWS {
            let picked = engine.pick().unwrap();
            *counts
                .get_mut(&picked)
                .expect("only states with a chance are picked") += 1;
        }
        for (state, chance) in &chances {
            let expected = f64::from(DRAWS) * chance;
            assert!(expected > 5.0, "the statistic needs more draws");
            mean += (f64::from(counts[state]) - expected).powi(2) / expected / SEEDS as f64;
        }
        freedom = (chances.len() - 1) as f64;
    }
    let deviation = (2.0 * freedom / SEEDS as f64).sqrt();
    assert!(
        (mean - freedom).abs() <= 3.0 * deviation,
        "{mean} is not {freedom} ± {deviation}"
    );
}

#[test]
fn random_paths_follow_the_structure() {
    assert_chances(|seed| {
        let searcher = RandomPath::new(Rng::new(seed));
        let (mut engine, first) = Engine::new(Box::new(searcher), Protocol::Continue);
        // A comb: one leaf at each depth, then three at the bottom.
        let mut chances = BTreeMap::new();
        let mut state = first;
        let mut chance = 1.0;
        for _ in 0..6 {
            let pair = engine.fork(state, 2);
            chance /= 2.0;
            chances.insert(pair[0], chance);
            state = pair[1];
        }
        // Forks whose other sides have ended are no choice.
        for _ in 0..10 {
            let pair = engine.fork(state, 2);
            engine.end(pair[0]);
            state = pair[1];
        }
        let four = engine.fork(state, 4);
        engine.end(four[2]);
        for bottom in [four[0], four[1], four[3]] {
            chances.insert(bottom, chance / 3.0);
        }
        (engine, chances)
    });
}

#[test]
fn random_paths_avoid_what_is_set_aside() {
    // The searcher has one of 1024 leaves: walks will hardly find it.
    let (mut tree, root) = Tree::new();
    let leaves = tree.fork(root, 1024);
    let mut searcher = RandomPath::new(Rng::new(1));
    searcher.add(StateId(7), &info_at(leaves[7], 1));
    for _ in 0..100 {
        let picked = searcher.pick(&tree, &|node| StateId(tree.ordinal(node).unwrap()));
        assert_eq!(picked, Some(StateId(7)));
    }
}

#[test]
fn weights_are_chances() {
    type Change = fn(&mut SearcherInfo, u32);
    type WeightOf = fn(f64) -> f64;
    // Per weight: how the info of state i differs, and the weight it then has.
    let cases: [(WeightBy, Change, WeightOf); 8] = [
        (
            WeightBy::Distance,
            |f, i| f.distance = Some(i + 1),
            |i| (i + 1.0).powi(-2),
        ),
        (WeightBy::Depth, |f, i| f.depth = i + 1, |i| i + 1.0),
        (
            WeightBy::HalfPerFork,
            |f, i| f.depth = i,
            |i| 0.5f64.powf(i),
        ),
        // Too deep for floats.
        (
            WeightBy::HalfPerFork,
            |f, i| f.depth = 50_000 + i,
            |i| 0.5f64.powf(i),
        ),
        (
            WeightBy::InstructionCount,
            |f, i| f.instruction_count = u64::from(i) + 1,
            |i| (i + 1.0).powi(-2),
        ),
        (
            WeightBy::CallPathCount,
            |f, i| f.call_path_count = u64::from(i) + 1,
            |i| (i + 1.0).powi(-1),
        ),
        // State 0 is cheap.
        (
            WeightBy::QueryCost,
            |f, i| f.query_seconds = f64::from(i),
            |i| if i == 0.0 { 1.0 } else { 1.0 / i },
        ),
        (
            WeightBy::CoveringNew,
            |f, i| {
                f.covered_new = i > 0;
                f.since_new = 999 + u64::from(i);
                f.distance = (i != 3).then_some(4);
            },
            |i| {
                let near = if i == 3.0 { 1e-8 } else { 1.0 / 16.0 };
                let recent = if i == 0.0 {
                    0.0
                } else {
                    (i - 1.0).max(1.0).powi(-2)
                };
                near + recent
            },
        ),
    ];
    for (by, change, weight) in cases {
        assert_chances(|seed| {
            let searcher = Weighted::new(by, Rng::new(seed));
            let (mut engine, first) = Engine::new(Box::new(searcher), Protocol::Continue);
            let states = engine.fork(first, 12);
            // Other weights before, and states that leave, must not matter.
            for &state in &states {
                engine.update(state, |info| change(info, 40));
            }
            for (i, &state) in states.iter().enumerate() {
                engine.update(state, |info| change(info, i as u32));
            }
            engine.end(states[1]);
            let remaining = (0..12).filter(|i| *i != 1);
            let sum: f64 = remaining.clone().map(|i| weight(f64::from(i))).sum();
            let chance = |i| (states[i as usize], weight(f64::from(i)) / sum);
            let chances = remaining.map(chance).collect();
            (engine, chances)
        });
    }
}
