//! The orders of depth-first and breadth-first search.

use crate::engine::{Engine, PROTOCOLS};
use cairn_engine::rng::Rng;
use std::collections::HashMap;

/// What a random program does on a path: ends (0), or forks into so many.
fn outcome(seed: u64, path: &[u32]) -> usize {
    let mut rng = Rng::new(seed);
    for &branch in path {
        rng = rng.stream(u64::from(branch));
    }
    if path.len() > 9 {
        0
    } else {
        [0, 1, 2, 2, 3][rng.index(5)]
    }
}

fn recursion(seed: u64, path: &mut Vec<u32>, ends: &mut Vec<Vec<u32>>) {
    match outcome(seed, path) {
        0 => ends.push(path.clone()),
        children => {
            for branch in 0..children {
                path.push(branch as u32);
                recursion(seed, path, ends);
                path.pop();
            }
        }
    }
}

#[test]
fn depth_first_is_recursion() {
    let mut longest = 0;
    for seed in 0..200 {
        let mut expected = Vec::new();
        recursion(seed, &mut Vec::new(), &mut expected);
        longest = longest.max(expected.len());
        for protocol in PROTOCOLS {
            for (list, forks_per_run) in [("dfs", 1), ("dfs", 4), ("batching=2,dfs", 1)] {
                let (mut engine, first) = Engine::of(list, protocol);
                let mut paths = HashMap::from([(first, Vec::new())]);
                let mut ends = Vec::new();
                while let Some(mut state) = engine.pick() {
                    // A state may fork more than once before the searcher is asked again.
                    for _ in 0..forks_per_run {
                        let path = paths.remove(&state).unwrap();
                        let children = outcome(seed, &path);
                        engine.update(state, |info| info.instructions += 1);
                        if children == 0 {
                            engine.end(state);
                            ends.push(path);
                            break;
                        }
                        let states = engine.fork(state, children);
                        for (branch, child) in states.iter().enumerate() {
                            let mut path = path.clone();
                            path.push(branch as u32);
                            paths.insert(*child, path);
                        }
                        state = states[0];
                    }
                }
                assert_eq!(ends, expected, "{list} {protocol:?} seed {seed}");
            }
        }
    }
    assert!(
        longest > 200,
        "the trees are large enough to tell orders apart: {longest}"
    );
}

#[test]
fn breadth_first_goes_level_by_level() {
    for protocol in PROTOCOLS {
        let (mut engine, first) = Engine::of("bfs", protocol);
        let mut paths = HashMap::from([(first, Vec::new())]);
        let mut depth = 0;
        while let Some(state) = engine.pick() {
            assert!(engine.states[&state].depth >= depth);
            depth = engine.states[&state].depth;
            // It stays in front while it does not fork.
            engine.update(state, |info| info.instructions += 1);
            assert_eq!(engine.pick(), Some(state));
            let path: Vec<u32> = paths.remove(&state).unwrap();
            match outcome(17, &path) {
                0 => engine.end(state),
                children => {
                    for (branch, child) in engine.fork(state, children).into_iter().enumerate() {
                        paths.insert(child, [path.as_slice(), &[branch as u32]].concat());
                    }
                }
            }
        }
        assert!(depth > 5);
    }
}
