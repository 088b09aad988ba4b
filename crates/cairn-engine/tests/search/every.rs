//! What holds for every searcher: picks are alive, equal seeds pick equally, fair ones are fair.

use crate::engine::{Engine, PROTOCOLS, Protocol, build, lists};
use cairn_engine::rng::Rng;
use cairn_engine::search::{Clock, DEFAULT, Dfs, IterativeDeepening, Searcher, StateId};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn picks_are_alive_and_the_shallowest_is_given_away() {
    for list in lists() {
        for protocol in PROTOCOLS {
            let (mut engine, _) = Engine::of(&list, protocol);
            let mut rng = Rng::new(9);
            for step in 0..4000 {
                let picked = engine.pick();
                assert_eq!(
                    picked.is_some(),
                    !engine.states.is_empty(),
                    "{list} {protocol:?}"
                );
                let Some(picked) = picked else { break };
                assert!(engine.states.contains_key(&picked), "{list} {protocol:?}");
                if step % 3 == 0 {
                    assert_eq!(
                        engine.searcher.choose_to_send(),
                        engine.shallowest(),
                        "{list}"
                    );
                }
                // Mostly what was picked runs, sometimes another worker interferes.
                let any = rng.index(engine.states.len());
                let any = *engine.states.keys().nth(any).unwrap();
                let state = if rng.index(8) == 0 { any } else { picked };
                match rng.index(10) {
                    0..3 if engine.states.len() < 60 => {
                        engine.fork(state, 1 + rng.index(3));
                    }
                    3..5 if engine.states.len() > 1 => engine.end(state),
                    5 => {
                        // Told twice, and told of one that is not there.
                        let info = engine.states[&state].clone();
                        engine.searcher.add(state, &info);
                        engine.searcher.update(StateId(1_000_000), &info);
                        engine.searcher.remove(StateId(1_000_000));
                    }
                    _ => engine.update(state, |info| {
                        info.instructions += 1 + rng.below(20);
                        info.covered_new = rng.index(2) == 0;
                        info.since_new = rng.below(3000);
                        info.distance = (rng.index(3) > 0).then(|| rng.below(500) as u32);
                        info.query_seconds += rng.unit();
                        info.instruction_count += rng.below(100);
                        info.call_path_count += rng.below(100);
                    }),
                }
            }
            for state in engine.states.keys().copied().collect::<Vec<_>>() {
                engine.end(state);
            }
            assert_eq!(
                (engine.pick(), engine.searcher.choose_to_send()),
                (None, None),
                "{list}"
            );
        }
    }
}

#[test]
fn equal_seeds_pick_equally() {
    let run = |list: &str, seed| {
        let (mut engine, _) = Engine::new(build(list, seed).unwrap(), Protocol::Continue);
        let mut rng = Rng::new(1);
        let mut picks = Vec::new();
        for _ in 0..300 {
            let Some(state) = engine.pick() else { break };
            picks.push(state);
            match rng.index(5) {
                0 if engine.states.len() > 3 => engine.end(state),
                1 => engine.update(state, |info| info.instructions += 700),
                _ => drop(engine.fork(state, 2)),
            }
        }
        picks
    };
    for list in [
        "random-path",
        "random-state",
        "covnew",
        DEFAULT,
        "rp,random-path,depth",
    ] {
        assert_eq!(run(list, 5), run(list, 5), "{list}");
        assert_ne!(run(list, 5), run(list, 6), "{list}");
    }
}

#[test]
fn fair_searchers_pick_every_state() {
    let clock = Rc::new(Cell::new(Duration::ZERO));
    let mut searchers: Vec<Box<dyn Searcher>> = Vec::new();
    let fair = [
        "bfs",
        "random-state",
        "random-path",
        "covnew",
        "md2u",
        "depth",
        "rp",
        "icnt",
    ];
    let combined = [
        "cpicnt",
        "qc",
        "dfs,bfs",
        "dfs,dfs,random-state",
        "batching=30,dfs,rp",
        DEFAULT,
    ];
    for list in fair.iter().chain(&combined) {
        searchers.push(build(list, 4).unwrap());
    }
    // Depth first is not fair, but rounds are.
    let time = clock.clone();
    searchers.push(Box::new(IterativeDeepening::new(
        Box::new(Dfs::new()),
        Duration::from_millis(3),
        Clock::from_fn(move || time.get()),
    )));
    for searcher in searchers {
        let name = searcher.name();
        let (mut engine, first) = Engine::new(searcher, Protocol::Continue);
        let mut open = vec![first];
        for _ in 0..6 {
            open = open
                .into_iter()
                .flat_map(|state| engine.fork(state, 2))
                .collect();
        }
        let mut missing: BTreeSet<StateId> = open.into_iter().collect();
        assert_eq!(missing.len(), 64);
        // Each state runs a little and forks without a choice, for ever.
        for _ in 0..20_000 {
            let state = engine.pick().unwrap();
            missing.remove(&state);
            clock.set(clock.get() + Duration::from_millis(1));
            engine.update(state, |info| info.instructions += 400);
            if engine.states[&state].depth < 16 || name.contains("bfs") {
                engine.fork(state, 1);
            }
        }
        assert!(missing.is_empty(), "{name} never picked {missing:?}");
    }
}
