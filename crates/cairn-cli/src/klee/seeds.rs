//! Tests that are given: read from files, as seeds or to be replayed.

use super::command_line::KleeOptions;
use crate::recorder::path_files;
use crate::recorder::write_failures::WriteFailures;
use anyhow::Context;
use cairn_engine::{LoggedDecision, Seed, Seeding};
use cairn_replay::KTest;
use cairn_report::OutputFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seeds that a command line names, if it names any.
///
/// Tests that are replayed are seeds of which only the paths are followed; their objects are found
/// by their order, as KLEE does.
pub fn read(options: &KleeOptions) -> anyhow::Result<Option<Seeding>> {
    let replayed = files(&options.replay_files, &options.replay_folders)?;
    let given = files(&options.seed_files, &options.seed_folders)?;
    anyhow::ensure!(
        replayed.is_empty() || given.is_empty(),
        "cannot provide both seeds and tests to replay: expected --seed-file or --replay-ktest-file"
    );
    let only = options.only_seeds || !replayed.is_empty();
    let all: Vec<PathBuf> = replayed.into_iter().chain(given).collect();
    if all.is_empty() {
        return Ok(None);
    }
    let seeds = all.iter().map(|file| seed(file));
    Ok(Some(Seeding {
        seeds: seeds.collect::<anyhow::Result<_>>()?,
        only,
        time: options.seed_time,
        then_end: options.end_after_seeds,
        by_name: options.seeds_by_name,
        extend: options.seed_extension,
        truncate: options.seed_truncation,
    }))
}

/// The path that a command line names, if it names one.
pub fn read_path(options: &KleeOptions) -> anyhow::Result<Option<Arc<[LoggedDecision]>>> {
    let Some(file) = &options.replay_path else {
        return Ok(None);
    };
    let name = file.display();
    let text = cairn_home::read_text(file).with_context(|| format!("{name}: expected a path"))?;
    let steps = path_files::read_klee_decisions(&text).map_err(|line| {
        anyhow::anyhow!("{name}:{line}: expected 0, 1, or a line of --write-paths")
    })?;
    Ok(Some(steps.into()))
}

/// Files, and the tests of folders in order of their names.
fn files(files: &[PathBuf], folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = files.to_vec();
    for folder in folders {
        let entries = std::fs::read_dir(folder)
            .with_context(|| format!("{}: expected a folder with tests", folder.display()))?;
        let mut tests = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "ktest") {
                tests.push(path);
            }
        }
        anyhow::ensure!(
            !tests.is_empty(),
            "{}: expected tests (.ktest), found none",
            folder.display()
        );
        tests.sort();
        all.extend(tests);
    }
    Ok(all)
}

fn seed(file: &Path) -> anyhow::Result<Seed> {
    let name = file.display().to_string();
    let bytes = cairn_home::read_file(file).with_context(|| format!("{name}: expected a test"))?;
    let test = KTest::read(&bytes).with_context(|| name.clone())?;
    let objects = test.objects.into_iter();
    Ok(Seed {
        origin: name,
        objects: objects
            // What the environment of another run added is no input of this program.
            .filter(|o| o.name != b"model_version")
            .map(|o| (String::from_utf8_lossy(&o.name).into_owned(), o.bytes))
            .collect(),
    })
}

/// `metadata.xml`: what the tests of Test-Comp's format belong to.
pub fn write_metadata(
    folder: &OutputFolder,
    program: &Path,
    entry: &str,
    failures: &WriteFailures,
) {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n\
         <test-metadata>\n\t<sourcecodelang>C</sourcecodelang>\n\t<producer>Cairn</producer>\n\
         \t<programfile>{}</programfile>\n\t<entryfunction>{entry}</entryfunction>\n\
         \t<architecture>64bit</architecture>\n</test-metadata>\n",
        program.display()
    );
    failures.write(&folder.file("metadata.xml"), text);
}
