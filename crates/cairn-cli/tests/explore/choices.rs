//! What accesses by pointers that inputs choose cost: paths and queries of a look-up in hash tables, under each policy.

use crate::library::Explorable;
use cairn_engine::search::{Plain, SearchSpec};
use cairn_engine::{Exploration, MemoryPolicy};

fn explored(policy: MemoryPolicy, defines: &[&str]) -> Exploration {
    let file = crate::data("speed/hashtab.c");
    let flags = defines.iter().flat_map(|define| ["--cc-flag", define]);
    let flags: Vec<String> = flags.map(str::to_string).collect();
    let explorable = Explorable::new(&file, &flags).expect("it compiles");
    let mut config = explorable.config.clone();
    config.policy = policy;
    config.search = SearchSpec::of(Plain::Dfs);
    explorable.count(config).expect("it is explored")
}

/// Queries of the core solver.
fn core_queries(result: &Exploration) -> u64 {
    result.layers.last().map_or(0, |core| core.sat + core.unsat)
}

#[test]
fn a_look_up_in_a_hash_table_is_a_path_for_each_key_of_a_bucket() {
    let forked = explored(MemoryPolicy::Fork, &[]);
    // A bucket is a path, and each of its keys, and that it has none of them.
    assert_eq!((forked.completed, forked.accesses.by_choice), (1800, 0));
    let as_one = explored(MemoryPolicy::Segments, &[]);
    assert_eq!((as_one.completed, core_queries(&as_one)), (6, 0));
    assert!(as_one.incomplete.is_empty(), "{:?}", as_one.incomplete);
    // Each is accessed a few times, so that no policy makes a path of it.
    for policy in [MemoryPolicy::Ite, MemoryPolicy::Adaptive] {
        assert_eq!(explored(policy, &[]).completed, 6, "{policy:?}");
    }
    // Five keys of a bucket and the links between them.
    assert!(as_one.accesses.by_choice >= 10, "{:?}", as_one.accesses);
}

#[test]
fn a_larger_hash_table_has_no_more_paths_than_keys_in_a_bucket() {
    let as_one = explored(MemoryPolicy::Segments, &["-DNB=3000", "-DKEYS=10"]);
    assert_eq!(as_one.completed, 11);
    assert_eq!(core_queries(&as_one), 0);
}
