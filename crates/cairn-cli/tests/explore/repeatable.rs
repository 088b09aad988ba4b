//! The same seed and one worker give the same files, byte by byte, times aside.

use crate::command;
use std::collections::BTreeMap;
use std::path::Path;

/// Files in which times stand.
const WITH_TIMES: [&str; 4] = ["summary.json", "info", "run.stats", "messages.txt"];

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the run made its folder");
    entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("entries have names");
            let content = std::fs::read(&path).expect("results are files");
            (name.to_string_lossy().into_owned(), content)
        })
        .collect()
}

/// The summary without what depends on time.
fn timeless(folder: &Path) -> serde_json::Value {
    let mut summary = command::summary(folder).expect("the run wrote it");
    for key in ["seconds", "cpu_seconds", "peak_rss_bytes"] {
        summary[key] = serde_json::Value::Null;
    }
    if let Some(layers) = summary["queries"]["by_layer"].as_object_mut() {
        for layer in layers.values_mut() {
            layer["seconds"] = serde_json::Value::Null;
        }
    }
    summary
}

fn twice_the_same(source: &Path, flags: &[&str]) {
    let name = source.file_stem().expect("a name").to_string_lossy();
    let folder = crate::fresh_folder(&format!("repeatable-{name}"));
    for search in ["dfs", "random-state", cairn_engine::search::DEFAULT] {
        let run = |number: u32| {
            let out = folder.join(format!("{search}-{number}"));
            let mut all = flags.to_vec();
            all.extend(["--search", search, "--seed", "7"]);
            let ended = command::run_for(
                &mut command::cairn_run(source, &out, &all),
                command::PATIENCE,
            );
            assert!(
                ended.code.is_some(),
                "{name} takes too long: {}",
                ended.messages
            );
            (files(&out), timeless(&out))
        };
        let ((mut first, first_summary), (mut again, again_summary)) = (run(1), run(2));
        assert_eq!(first_summary, again_summary, "{name} under {search}");
        for file in WITH_TIMES {
            assert_eq!(first.remove(file).is_some(), again.remove(file).is_some());
        }
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&first), names(&again), "{name} under {search}");
        for (file, content) in &first {
            assert!(
                content == &again[file],
                "{name} under {search}: {file} differs between two runs with one seed"
            );
        }
        let tests = first.keys().filter(|f| f.ends_with(".ktest")).count();
        assert!(tests > 100, "{name} under {search} has {tests} tests only");
    }
}

#[test]
fn one_seed_gives_one_folder() {
    twice_the_same(&crate::data("speed").join("regexp.c"), &["-DSIZE=5"]);
    twice_the_same(&crate::data("speed").join("heaploop.c"), &["-DMAX=9"]);
    twice_the_same(&crate::data("algo").join("insertion_sort_1.c"), &[]);
}
