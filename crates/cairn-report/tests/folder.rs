//! The output folder, its link, and the text files in it.

mod common;

use cairn_report::{
    InfoFile, MessageFile, MessageLog, OutputFolder, Product, QueryTotals, RunEnd, RunStart,
    RunTotals,
};
use common::scratch;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("it is there");
    let name = |e: fs::DirEntry| e.file_name().into_string().expect("utf-8");
    entries.map(|e| name(e.expect("readable"))).collect()
}

#[test]
fn the_smallest_free_number_is_taken_and_the_link_follows() {
    let here = scratch("numbers");
    let program = here.join("p.c");
    for taken in ["cairn-out-0", "cairn-out-2"] {
        fs::create_dir(here.join(taken)).expect("writable");
    }
    for expected in ["cairn-out-1", "cairn-out-3"] {
        let folder = OutputFolder::beside(&program, Product::Cairn).expect("writable");
        assert_eq!(folder.path(), here.join(expected));
        assert!(folder.link_failure().is_none());
        let link = fs::read_link(here.join("cairn-last")).expect("a link");
        assert_eq!(link, PathBuf::from(expected), "the link is relative");
    }
    let folder = OutputFolder::beside(&program, Product::Klee).expect("writable");
    assert_eq!(folder.file("info"), here.join("klee-out-0/info"));
    let link = fs::read_link(here.join("klee-last")).expect("a link");
    assert_eq!(link, PathBuf::from("klee-out-0"));
    assert_eq!(names_in(&here).len(), 7, "nothing else is left behind");
}

#[test]
fn runs_that_start_together_get_folders_of_their_own() {
    let here = scratch("race");
    let program = here.join("p.c");
    let start = || OutputFolder::beside(&program, Product::Cairn).expect("writable");
    let folders: BTreeSet<PathBuf> = std::thread::scope(|scope| {
        let one = || (0..25).map(|_| start().path().to_path_buf()).collect();
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        let done = runs.into_iter();
        done.flat_map(|r| -> Vec<PathBuf> { r.join().expect("no panic") })
            .collect()
    });
    let expected = (0..100).map(|n| here.join(format!("cairn-out-{n}")));
    assert_eq!(folders, expected.collect());
    assert!(here.join("cairn-last").is_dir(), "the link leads to a run");
    assert_eq!(names_in(&here).len(), 101);
}

#[test]
fn what_is_not_a_link_is_not_replaced() {
    let here = scratch("no-link");
    fs::write(here.join("cairn-last"), "mine").expect("writable");
    let folder = OutputFolder::beside(&here.join("p.c"), Product::Cairn).expect("writable");
    let failure = folder.link_failure().expect("no link").to_string();
    assert!(
        failure.contains("something else has that name"),
        "{failure}"
    );
    let content = fs::read_to_string(here.join("cairn-last")).expect("still there");
    assert_eq!(content, "mine");
}

#[test]
fn a_named_folder_is_new_or_empty() {
    let here = scratch("named");
    let folder = OutputFolder::at(&here.join("new")).expect("created");
    assert_eq!(folder.path(), here.join("new"));
    OutputFolder::at(&here.join("new")).expect("it is empty");
    assert_eq!(names_in(&here).len(), 1, "no link");
    fs::write(here.join("new/x"), "").expect("writable");
    let message = |path: &str| {
        let error = OutputFolder::at(&here.join(path)).expect_err("refused");
        error.to_string().replace(here.to_str().expect("utf-8"), "")
    };
    assert_eq!(
        message("new"),
        "the output folder /new is not empty: name one that is empty or does not exist yet"
    );
    assert_eq!(
        message("new/x"),
        "the output folder /new/x is not a folder: name one that is empty or does not exist yet"
    );
    assert!(message("a/b").starts_with("cannot create the output folder /a/b: "));
}

#[test]
fn a_program_in_a_missing_place_is_one_sentence() {
    let here = scratch("missing-place").join("nowhere");
    let error = OutputFolder::beside(&here.join("p.c"), Product::Cairn).expect_err("no place");
    let error = error.to_string();
    assert!(
        error.contains("cannot create an output folder in"),
        "{error}"
    );
    assert!(error.contains("another place"), "{error}");
}

#[test]
fn messages_and_warnings_are_kept_apart_and_said_once() {
    let folder = OutputFolder::at(&scratch("messages")).expect("empty");
    let log = MessageLog::create(&folder).expect("writable");
    let once = |stream, key, line| log.say_once(stream, key, line).expect("writable");
    log.say(MessageFile::Messages, "KLEE: output directory is \"x\"")
        .expect("writable");
    assert!(once(MessageFile::Warnings, "printf", "calling printf(1)"));
    assert!(!once(MessageFile::Warnings, "printf", "calling printf(2)"));
    assert!(once(MessageFile::Messages, "printf", "another stream"));
    log.say(MessageFile::Warnings, "again").expect("writable");
    log.say(MessageFile::Warnings, "again").expect("writable");
    let read = |name| fs::read_to_string(folder.file(name)).expect("there");
    assert_eq!(
        read("messages.txt"),
        "KLEE: output directory is \"x\"\nanother stream\n"
    );
    assert_eq!(read("warnings.txt"), "calling printf(1)\nagain\nagain\n");
}

#[test]
fn workers_share_one_log() {
    let folder = OutputFolder::at(&scratch("workers")).expect("empty");
    let log = MessageLog::create(&folder).expect("writable");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..50 {
                    let line = format!("line {n}");
                    log.say_once(MessageFile::Warnings, &line, &line)
                        .expect("writable");
                }
            });
        }
    });
    let text = fs::read_to_string(folder.file("warnings.txt")).expect("there");
    let lines: BTreeSet<&str> = text.lines().collect();
    assert_eq!((text.lines().count(), lines.len()), (50, 50));
}

/// Set for the process that writes `info` under a time zone of its own.
const CHILD_FOLDER: &str = "CAIRN_REPORT_TEST_INFO";

#[test]
fn info_has_klees_form_and_local_times() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        return write_infos(Path::new(&folder));
    }
    let here = scratch("info");
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "info_has_klees_form_and_local_times"])
        .env(CHILD_FOLDER, &here)
        .env("TZ", "UTC-05:30")
        .output()
        .expect("it starts");
    assert!(child.status.success(), "{child:?}");
    let read = |name| fs::read_to_string(here.join(name)).expect("there");
    assert_eq!(
        read("klee/info"),
        "klee --search=dfs p.bc\nPID: 164\n\
         Using monotonic steady clock with 1/1000000000s resolution\n\
         Started: 2020-10-14 14:06:23\n\
         BEGIN searcher description\nDFSSearcher\nEND searcher description\n\
         Finished: 2020-10-15 15:09:55\nElapsed: 25:03:32\n\
         KLEE: done: explored paths = 44\n\
         KLEE: done: avg. constructs per query = 389\n\
         KLEE: done: total queries = 49\n\
         KLEE: done: valid queries = 4\n\
         KLEE: done: invalid queries = 45\n\
         KLEE: done: query cex = 49\n\n\
         KLEE: done: total instructions = 1431\n\
         KLEE: done: completed paths = 40\n\
         KLEE: done: partially completed paths = 4\n\
         KLEE: done: generated tests = 43\n"
    );
    let cairn = read("cairn/info");
    assert!(cairn.ends_with(
        "Elapsed: 25:03:32\n\ncairn: done: total instructions = 1431\n\
         cairn: done: completed paths = 40\ncairn: done: partially completed paths = 4\n\
         cairn: done: generated tests = 43\n"
    ));
}

fn write_infos(folder: &Path) {
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_602_664_583_900);
    let start = RunStart {
        command_line: ["klee", "--search=dfs", "p.bc"].map(String::from).to_vec(),
        pid: 164,
        started,
        searcher: "DFSSearcher\n".to_string(),
        libc: None,
    };
    let mut end = RunEnd {
        finished: started + Duration::from_millis(25 * 3_600_000 + 212_050),
        explored_paths: None,
        queries: QueryTotals::default(),
        totals: RunTotals {
            instructions: 1431,
            completed_paths: 40,
            partial_paths: 4,
            tests: 43,
        },
    };
    let write = |name, product, end: &RunEnd| {
        let folder = OutputFolder::at(&folder.join(name)).expect("new");
        let info = InfoFile::create(&folder, product, &start).expect("writable");
        info.finish(end).expect("writable");
    };
    write("cairn", Product::Cairn, &end);
    end.explored_paths = Some(44);
    end.queries = QueryTotals {
        average_constructs: Some(389),
        queries: Some(49),
        valid: Some(4),
        invalid: Some(45),
        counterexamples: Some(49),
    };
    write("klee", Product::Klee, &end);
}
