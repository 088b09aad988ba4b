//! Searchers around searchers.

use crate::engine::{Engine, PROTOCOLS, Protocol, build};
use cairn_engine::search::{Batching, Clock, Dfs, IterativeDeepening};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn interleaving_takes_turns() {
    let (mut engine, first) = Engine::of("bfs,dfs", Protocol::Continue);
    let pair = engine.fork(first, 2);
    engine.fork(pair[0], 2);
    // Now the oldest is the second child, the deepest the first one.
    for _ in 0..5 {
        assert_eq!(engine.pick(), Some(pair[1]));
        assert_eq!(engine.pick(), Some(pair[0]));
    }
}

#[test]
fn a_batch_lasts_as_long_as_it_should() {
    let (mut engine, first) = Engine::of("batching=100,bfs", Protocol::Continue);
    engine.update(first, |info| info.instructions = 5000);
    engine.fork(first, 2);
    let state = engine.pick().unwrap();
    for _ in 0..9 {
        // Forks would send it to the back of the queue.
        engine.update(state, |info| info.instructions += 11);
        engine.fork(state, 1);
        assert_eq!(engine.pick(), Some(state));
    }
    engine.update(state, |info| info.instructions += 1);
    let other = engine.pick().unwrap();
    assert_ne!(other, state);
    // It is over with its state.
    engine.end(other);
    assert_eq!(engine.pick(), Some(state));

    let time = Rc::new(Cell::new(Duration::ZERO));
    let now = time.clone();
    let clock = Clock::from_fn(move || now.get());
    let inner = build("bfs", 0).unwrap();
    let limit = Duration::from_secs(5);
    let searcher = Batching::new(inner, None, Some((limit, clock)));
    let (mut engine, first) = Engine::new(Box::new(searcher), Protocol::Continue);
    let pair = engine.fork(first, 2);
    assert_eq!(engine.pick(), Some(pair[0]));
    engine.fork(pair[0], 1);
    time.set(Duration::from_millis(4999));
    assert_eq!(engine.pick(), Some(pair[0]));
    time.set(Duration::from_secs(5));
    assert_eq!(engine.pick(), Some(pair[1]));
}

#[test]
fn a_subtree_is_finished_before_the_search_goes_elsewhere() {
    let (mut engine, first) = Engine::of("subtree=100,bfs", Protocol::Continue);
    let elsewhere = engine.fork(first, 2)[1];
    let state = engine.pick().unwrap();
    assert_ne!(state, elsewhere);
    let children = engine.fork(state, 3);
    assert_eq!(engine.pick(), Some(children[0]));
    engine.end(children[0]);
    // The youngest state that was forked off in the batch, and those forked off from it.
    assert_eq!(engine.pick(), Some(children[2]));
    let younger = engine.fork(children[2], 2);
    engine.end(younger[0]);
    assert_eq!(engine.pick(), Some(younger[1]));
    engine.end(younger[1]);
    assert_eq!(engine.pick(), Some(children[1]));
    // The instructions of the batch are used up, although states of it are left.
    engine.update(children[1], |info| info.instructions += 100);
    assert_eq!(engine.pick(), Some(elsewhere));
    engine.end(elsewhere);
    assert_eq!(engine.pick(), Some(children[1]));
}

#[test]
fn deepening_gives_every_path_its_time() {
    for protocol in PROTOCOLS {
        let time = Rc::new(Cell::new(Duration::ZERO));
        let now = time.clone();
        let clock = Clock::from_fn(move || now.get());
        let second = Duration::from_secs(1);
        let searcher = IterativeDeepening::new(Box::new(Dfs::new()), second, clock);
        let (mut engine, first) = Engine::new(Box::new(searcher), protocol);
        let mut used = HashMap::from([(first, Duration::ZERO)]);
        let mut round = second;
        // A loop that forks at each turn: depth first alone would follow it for ever.
        for _ in 0..300 {
            let state = engine.pick().unwrap();
            let before = used.remove(&state).unwrap();
            if before >= round {
                assert!(
                    used.values().all(|other| *other >= round),
                    "some path has time left"
                );
                round *= 2;
            }
            assert!(before < round);
            let step = Duration::from_millis(300);
            time.set(time.get() + step);
            for child in engine.fork(state, if engine.states.len() < 40 { 2 } else { 1 }) {
                used.insert(child, before + step);
            }
        }
        assert!(round > second, "more than one round was seen");
    }
}
