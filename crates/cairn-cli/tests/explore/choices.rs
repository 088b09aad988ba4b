//! What accesses by pointers that inputs choose cost: paths and queries of a look-up in hash tables, under each policy.

use crate::library::Explorable;
use cairn_engine::search::{Plain, SearchSpec};
use cairn_engine::{Exploration, MemoryPolicy, Resolution};
use std::time::Duration;

fn explored(policy: MemoryPolicy, defines: &[&str]) -> Exploration {
    explored_of("speed/hashtab.c", policy, defines)
}

fn explored_of(file: &str, policy: MemoryPolicy, defines: &[&str]) -> Exploration {
    let file = crate::data(file);
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
    for policy in [MemoryPolicy::Ite, MemoryPolicy::ADAPTIVE] {
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

/// The tables of real programs: what a path for each object makes many paths of is few under every other policy.
#[test]
fn tables_as_programs_have_them_have_the_paths_of_the_program() {
    let drivers = [
        ("segments/make.c", 676, 1),
        ("segments/json.c", 420, 108),
        ("segments/apr.c", 3025, 121),
        ("segments/xmldict.c", 197, 9),
    ];
    for (file, forked, as_one) in drivers {
        let policies = [
            (MemoryPolicy::Fork, forked),
            (MemoryPolicy::Segments, as_one),
            (MemoryPolicy::Ite, as_one),
            (MemoryPolicy::ADAPTIVE, as_one),
        ];
        for (policy, paths) in policies {
            let result = explored_of(file, policy, &[]);
            assert_eq!(result.completed, paths, "{file} {policy:?}");
            assert!(
                result.incomplete.is_empty(),
                "{file} {:?}",
                result.incomplete
            );
        }
    }
}

/// A buffer of half a megabyte that is written: only the bytes that can be reached are looked at.
#[test]
fn a_large_object_that_is_written_is_seen_through_windows() {
    let file = crate::data("segments/gas.c");
    let explorable = Explorable::new(&file, &[]).expect("it compiles");
    let mut config = explorable.config.clone();
    // As an array of all its bytes it takes ten seconds.
    config.limits.cpu_time = Some(Duration::from_secs(2));
    let result = explorable.count(config).expect("it is explored");
    assert_eq!((result.completed, result.stopped), (1, 0));
    assert!(result.incomplete.is_empty(), "{:?}", result.incomplete);
}

/// Objects of a class of an analysis, and objects that were found by queries, are one path too; parts of an object are paths.
#[test]
fn ways_of_others_have_their_paths() {
    let of = |file: &str, policy, resolution| {
        let explorable = Explorable::new(&crate::data(file), &[]).expect("it compiles");
        let mut config = explorable.config.clone();
        (config.policy, config.resolution) = (policy, resolution);
        config.search = SearchSpec::of(Plain::Dfs);
        explorable.count(config).expect("it is explored")
    };
    let apr = |policy, resolution| of("segments/apr.c", policy, resolution);
    let context = Resolution::Context { frames: 2 };
    let static_ones = apr(MemoryPolicy::PointsTo, Resolution::Flow);
    let scanned = apr(MemoryPolicy::Segments, Resolution::Scan);
    let by_context = apr(MemoryPolicy::Segments, context);
    for result in [&static_ones, &scanned, &by_context] {
        assert_eq!(result.completed, 121);
        assert!(result.accesses.by_choice > 0);
    }
    // A class has more objects than those that a pointer may be to; contexts save queries.
    assert!(static_ones.accesses.largest_choice > scanned.accesses.largest_choice);
    assert!(by_context.accesses.resolutions < scanned.accesses.resolutions);
    let split = |bytes| {
        of(
            "segments/gas.c",
            MemoryPolicy::Split { bytes },
            Resolution::Flow,
        )
    };
    let (large, small) = (split(1 << 10), split(16));
    assert_eq!(large.completed, 1);
    assert!(small.completed > 1 && small.accesses.largest_split > 500_000);
}

/// A text that is read to its end is a path of its own under the adaptive policy, after a few accesses.
#[test]
fn a_pointer_that_is_used_often_becomes_a_path_for_each_object() {
    let of = |policy| explored_of("segments/texts.c", policy, &[]);
    let forked = of(MemoryPolicy::Fork);
    let as_one = of(MemoryPolicy::Segments);
    let adaptive = of(MemoryPolicy::ADAPTIVE);
    let all = [&forked, &as_one, &adaptive].map(|result| result.completed);
    assert_eq!(all, [26, 26, 26]);
    // At most 32 on each path; some are of several.
    let few = 26 * 32;
    assert_eq!(forked.accesses.by_choice, 0);
    assert!(
        adaptive.accesses.by_choice <= few,
        "{:?}",
        adaptive.accesses
    );
    assert!(
        as_one.accesses.by_choice > 10 * few,
        "{:?}",
        as_one.accesses
    );
}
