//! Lists of names, and what is said about those that are not understood.

use crate::engine::{WRAPPERS, build};
use cairn_engine::search::{DEFAULT, Plain, SearchError, SearchSpec, WeightBy, names};

#[test]
fn every_name_is_understood() {
    for (name, about) in names() {
        assert!(!about.is_empty());
        if WRAPPERS.contains(name) {
            assert!(build(&format!("{name},dfs"), 0).is_ok(), "{name}");
        } else {
            assert_eq!(build(name, 0).unwrap().name(), *name);
        }
    }
    for by in WeightBy::ALL {
        assert_eq!(
            build(&format!("nurs:{}", by.name()), 0).unwrap().name(),
            by.name()
        );
    }
    for list in [
        DEFAULT,
        "dfs",
        "random-path,covnew",
        "deepening=1.5s,batching=7,batching=5ms,bfs",
    ] {
        assert_eq!(build(list, 0).unwrap().name(), list);
        assert_eq!(spec(list).to_string(), list);
    }
    assert_eq!(
        build("dfs , deepening=2m, batching", 0).unwrap().name(),
        "deepening=120s,batching=10000,dfs"
    );
}

fn spec(list: &str) -> SearchSpec {
    list.parse().unwrap()
}

#[test]
fn a_list_is_written_as_it_is_read() {
    assert_eq!(spec(DEFAULT), SearchSpec::default());
    for list in [
        "dfs , deepening=2m, batching",
        "nurs:md2u,nurs:md2u,bfs,subtree",
        "batching=1500ms,batching=3,random-state",
    ] {
        let read = spec(list);
        assert_eq!(spec(&read.to_string()), read, "{list}");
    }
    // A name inside of another, or in another place of the text, is not that searcher.
    assert!(spec("cpicnt").has(Plain::Weighted(WeightBy::CallPathCount)));
    assert!(!spec("cpicnt").has(Plain::Weighted(WeightBy::InstructionCount)));
    assert!(spec("dfs,nurs:md2u").has(Plain::Weighted(WeightBy::Distance)));
    assert!(!spec("covnew").has(Plain::Weighted(WeightBy::Distance)));
}

#[test]
fn what_is_not_understood_is_said() {
    let error = |list: &str| {
        build(list, 0)
            .err()
            .unwrap_or_else(|| panic!("{list} is understood"))
    };
    assert_eq!(
        error("dsf"),
        SearchError::Unknown {
            name: "dsf".to_owned()
        }
    );
    assert_eq!(
        error("dfs,nurs:dfs"),
        SearchError::Unknown {
            name: "nurs:dfs".to_owned()
        }
    );
    for list in ["", "dfs,", "batching", "deepening=1s,batching=5"] {
        assert_eq!(
            error(list),
            SearchError::NoSearcher {
                list: list.to_owned()
            }
        );
    }
    let bad = [
        "dfs=3",
        "batching=,dfs",
        "batching=0,dfs",
        "batching=-1,dfs",
        "batching=5y,dfs",
    ];
    let bad_times = [
        "batching=0s,dfs",
        "deepening=5,dfs",
        "deepening=0ms,dfs",
        "deepening=1.1.1s,dfs",
    ];
    for list in bad.iter().chain(&bad_times) {
        assert!(
            matches!(error(list), SearchError::BadValue { .. }),
            "{list}"
        );
    }
    for list in ["dsf", "", "dfs=3"] {
        let message = error(list).to_string();
        assert!(
            names().iter().all(|(name, _)| message.contains(name)),
            "{message}"
        );
        assert!(!message.contains('\n'));
    }
}
