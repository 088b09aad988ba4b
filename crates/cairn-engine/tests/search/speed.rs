//! Many states.

use crate::engine::{build, info_at};
use cairn_engine::rng::Rng;
use cairn_engine::search::{DEFAULT, StateId};
use cairn_engine::tree::{SideTable, Tree};
use cairn_random::thread_time;
use std::time::Duration;

#[test]
fn a_hundred_thousand_states_are_no_burden() {
    const STATES: u32 = 100_000;
    // One of each kind: weights differ in a formula only.
    let plain = ["dfs", "bfs", "random-state", "random-path", "covnew", "rp"];
    for list in plain
        .into_iter()
        .chain([DEFAULT, "deepening=1ms,random-path"])
    {
        let (mut tree, root) = Tree::new();
        let mut searcher = build(list, 1).unwrap();
        let mut rng = Rng::new(2);
        let mut nodes = vec![root];
        let mut numbers = SideTable::new();
        let before = thread_time();
        numbers.insert(root, StateId(0));
        searcher.add(StateId(0), &info_at(root, 0));
        for new in 1..STATES {
            let old = rng.below(u64::from(new)) as u32;
            let fork = nodes[old as usize];
            let pair = tree.fork(fork, 2);
            let depth = tree.depth(pair[0]).unwrap();
            numbers.remove(fork);
            numbers.insert(pair[0], StateId(old));
            numbers.insert(pair[1], StateId(new));
            nodes[old as usize] = pair[0];
            nodes.push(pair[1]);
            searcher.update(StateId(old), &info_at(pair[0], depth));
            searcher.add(StateId(new), &info_at(pair[1], depth));
        }
        // As many runs as there are states, and then they end as they are picked.
        for turn in 0..STATES {
            let state = searcher
                .pick(&tree, &|node| *numbers.get(node).unwrap())
                .unwrap();
            let node = nodes[state.0 as usize];
            let mut info = info_at(node, tree.depth(node).unwrap());
            info.instruction_count = u64::from(turn);
            info.call_path_count = u64::from(turn);
            searcher.update(state, &info);
        }
        while let Some(state) = searcher.pick(&tree, &|node| *numbers.get(node).unwrap()) {
            searcher.choose_to_send().unwrap();
            searcher.remove(state);
            tree.end(nodes[state.0 as usize], &mut |_, _| {});
        }
        let took = thread_time() - before;
        assert_eq!(tree.leaf_count(), 0);
        println!("{list}: {took:?}");
        assert!(took < Duration::from_secs(1), "{list} took {took:?}");
    }
}
