//! The command line of `cairn stats`: tables, messages and exit codes, as a user meets them.

mod support;

use cairn_report::{StatsRow, StatsWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use support::folder;

fn cairn(here: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("stats")
        .args(arguments)
        .current_dir(here)
        .output()
        .expect("the binary was built")
}

/// What is printed by a command that succeeds.
fn shown(here: &Path, arguments: &[&str]) -> String {
    let output = cairn(here, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors, "");
    String::from_utf8(output.stdout).expect("utf-8")
}

/// The message and exit code of a command that fails.
fn refused(here: &Path, arguments: &[&str]) -> (String, i32) {
    let output = cairn(here, arguments);
    assert_eq!(output.stdout, b"");
    let errors = String::from_utf8(output.stderr).expect("utf-8");
    (errors, output.status.code().expect("no signal"))
}

fn row(instructions: u64, millis: u64, states: u64) -> StatsRow {
    StatsRow {
        instructions: Some(instructions),
        wall_time: Some(Duration::from_millis(millis)),
        solver_time: Some(Duration::from_millis(millis / 4)),
        covered_instructions: Some(30),
        uncovered_instructions: Some(10),
        branches: Some(4),
        full_branches: Some(2),
        partial_branches: Some(1),
        active_states: Some(states),
        memory: Some(states << 20),
        ..StatsRow::default()
    }
}

fn run_folder(path: &Path, rows: &[StatsRow]) {
    std::fs::create_dir_all(path).expect("writable");
    let mut writer = StatsWriter::create(&path.join("run.stats")).expect("writable");
    for row in rows {
        writer.add(row).expect("writable");
    }
    writer.finish().expect("writable");
}

/// Two runs, and a link to the second.
fn two_runs(name: &str) -> PathBuf {
    let here = folder(name);
    run_folder(
        &here.join("cairn-out-0"),
        &[row(0, 0, 1), row(499, 2000, 6), row(800, 4000, 0)],
    );
    run_folder(&here.join("cairn-out-1"), &[row(100, 1000, 2)]);
    std::os::unix::fs::symlink("cairn-out-1", here.join("cairn-last")).expect("writable");
    here
}

#[test]
fn one_run_is_shown_as_klee_stats_does() {
    let here = two_runs("stats-one");
    assert_eq!(
        shown(&here, &["cairn-out-0"]),
        "--------------------------------------------------------------------------\n\
         |   Path    |  Instrs|  Time(s)|  ICov(%)|  BCov(%)|  ICount|  TSolver(%)|\n\
         --------------------------------------------------------------------------\n\
         |cairn-out-0|     800|     4.00|    75.00|    62.50|      40|       25.00|\n\
         --------------------------------------------------------------------------\n"
    );
    assert_eq!(
        shown(&here, &["cairn-last"]).lines().count(),
        5,
        "a link is fine"
    );
}

#[test]
fn several_runs_have_a_total() {
    let here = two_runs("stats-several");
    let expected = "--------------------------------------------------------------------------\n\
         |   Path    |  Instrs|  Time(s)|  ICov(%)|  BCov(%)|  ICount|  TSolver(%)|\n\
         --------------------------------------------------------------------------\n\
         |cairn-out-0|     800|     4.00|    75.00|    62.50|      40|       25.00|\n\
         |cairn-out-1|     100|     1.00|    75.00|    62.50|      40|       25.00|\n\
         --------------------------------------------------------------------------\n\
         | Total (2) |     900|     5.00|    75.00|    62.50|      80|       25.00|\n\
         --------------------------------------------------------------------------\n";
    assert_eq!(shown(&here, &["cairn-out-0", "cairn-out-1"]), expected);
    assert_eq!(
        shown(&here, &["."]),
        expected,
        "a folder of runs, without the link"
    );
    let absolute = here.to_str().expect("utf-8");
    assert_eq!(
        shown(&here, &[absolute]),
        expected,
        "without what paths have in common"
    );
}

#[test]
fn columns_are_chosen() {
    let here = two_runs("stats-columns");
    let csv = |option: &[&str]| {
        let mut arguments = vec!["--table-format=csv", "cairn-out-0"];
        arguments.extend(option);
        shown(&here, &arguments)
    };
    assert_eq!(
        csv(&["--print-more"]),
        "Path,Instrs,Time(s),ICov(%),BCov(%),ICount,TSolver(%),ActiveStates,MaxActiveStates,\
         Mem(MiB),MaxMem(MiB)\ncairn-out-0,800,4.00,75.00,62.50,40,25.00,0,6,0.00,6.00\n"
    );
    assert_eq!(
        csv(&["--print-abs-times"]),
        "Path,Time(s),TUser(s),TResolve(s),TCex(s),TSolver(s),TFork(s)\n\
         cairn-out-0,4.00,,,,1.00,\n",
        "what is not known is blank"
    );
    assert_eq!(
        csv(&["--print-rel-times"]),
        "Path,Time(s),TSolver(%),TResolve(%),TCex(%),TFork(%),TUser(%)\n\
         cairn-out-0,4.00,25.00,,,,\n"
    );
    assert_eq!(
        csv(&["--print-columns", "Time(s), Path,AvgActiveStates"]),
        "Time(s),Path,AvgActiveStates\n4.00,cairn-out-0,2.33\n"
    );
    let all = csv(&["--print-all"]);
    let titles = all.lines().next().expect("a heading");
    assert_eq!(titles.split(',').count(), 59, "{titles}");
    assert!(
        titles.ends_with("TArrayHash(s),TFork(s),TFork(%),TUser(%)"),
        "{titles}"
    );
}

#[test]
fn formats_differ_in_lines_only() {
    let here = two_runs("stats-formats");
    let table = |format: &str| {
        let columns = [
            "--print-columns",
            "Path,Instrs",
            "--table-format",
            format,
            ".",
        ];
        shown(&here, &columns)
    };
    assert_eq!(
        table("csv"),
        "Path,Instrs\ncairn-out-0,800\ncairn-out-1,100\n"
    );
    assert_eq!(
        table("readable-csv"),
        "Path       ,  Instrs\ncairn-out-0,     800\ncairn-out-1,     100\n"
    );
    assert_eq!(
        table("simple"),
        "   Path        Instrs\n-----------  --------\ncairn-out-0       800\n\
         cairn-out-1       100\n Total (2)        900\n"
    );
    assert_eq!(
        table("grid"),
        "+-------------+----------+\n|    Path     |   Instrs |\n\
         +=============+==========+\n| cairn-out-0 |      800 |\n\
         +-------------+----------+\n| cairn-out-1 |      100 |\n\
         +-------------+----------+\n|  Total (2)  |      900 |\n\
         +-------------+----------+\n"
    );
    assert_eq!(
        table("github"),
        "|    Path     |   Instrs |\n|-------------|----------|\n| cairn-out-0 |      800 |\n\
         | cairn-out-1 |      100 |\n|  Total (2)  |      900 |\n"
    );
    for format in ["plain", "psql", "orgtbl", "rst", "klee"] {
        assert!(table(format).contains("800"), "{format}");
    }
}

#[test]
fn folders_of_klee_are_read_whatever_columns_they_have() {
    let here = folder("stats-klee");
    let folder = here.join("klee-out-0");
    std::fs::create_dir(&folder).expect("writable");
    let database = rusqlite::Connection::open(folder.join("run.stats")).expect("writable");
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE stats (Instructions INTEGER, WallTime REAL, NumQueries INTEGER,
                                 ArrayHashTime INTEGER);
             INSERT INTO stats VALUES (7, 2500000, 3, -1);",
        )
        .expect("writable");
    drop(database);
    let csv = |option| shown(&here, &["--table-format=csv", option, "klee-out-0"]);
    assert_eq!(
        csv("--print-more"),
        "Path,Instrs,Time(s),ICov(%),BCov(%),ICount,TSolver(%),ActiveStates,MaxActiveStates,\
         Mem(MiB),MaxMem(MiB)\nklee-out-0,7,2.50,,,,,,,,\n"
    );
    assert_eq!(
        csv("--print-all"),
        "Path,Instrs,Time(s),TArrayHash(s),NumQueries\nklee-out-0,7,2.50,,3\n"
    );
}

#[test]
fn all_rows_of_a_run_as_csv() {
    let here = two_runs("stats-csv");
    let text = shown(&here, &["--to-csv", "cairn-out-0"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(
        lines[0].starts_with("Instructions,FullBranches,PartialBranches,NumBranches,UserTime,")
    );
    assert!(
        lines[2].starts_with("499,2,1,4,,6,6291456,,,,2000000.0,30,10,,500000,"),
        "{}",
        lines[2]
    );
    let (message, code) = refused(&here, &["--to-csv", "."]);
    assert_eq!(
        message,
        "cairn: --to-csv takes one run, but 2 were found: name one folder\n"
    );
    assert_eq!(code, 64);
}

#[test]
fn a_run_without_rows_is_blank() {
    let here = folder("stats-empty");
    run_folder(&here.join("r"), &[]);
    assert_eq!(
        shown(&here, &["--table-format=csv", "r"]),
        "Path,Instrs,Time(s),ICov(%),BCov(%),ICount,TSolver(%)\nr,,,,,,\n"
    );
}

#[test]
fn bad_folders_are_one_sentence() {
    let here = folder("stats-bad");
    std::fs::create_dir(here.join("none")).expect("writable");
    std::fs::write(here.join("file"), "").expect("writable");
    std::fs::create_dir(here.join("old")).expect("writable");
    std::fs::write(here.join("old/run.stats"), "('Instructions',)\n".repeat(90)).expect("writable");
    for (folder, expected) in [
        (
            "missing",
            "cairn: missing: No such file or directory (os error 2); the folder of a run was expected\n",
        ),
        (
            "file",
            "cairn: file is a file; the folder of a run was expected\n",
        ),
        (
            "none",
            "cairn: none is not the folder of a run and contains none: a file run.stats was expected in it\n",
        ),
        (
            "old",
            "cairn: old/run.stats is not an SQLite database with a table `stats`, as Cairn and KLEE from 2.0 on write it\n",
        ),
    ] {
        assert_eq!(refused(&here, &[folder]), (expected.to_string(), 65));
    }
}

#[test]
fn wrong_columns_are_wrong_usage() {
    let here = two_runs("stats-usage");
    let (message, code) = refused(&here, &["--print-columns", "Path,Foo", "."]);
    assert!(message.contains("there is no column `Foo`"), "{message}");
    assert_eq!(code, 64);
    assert_eq!(refused(&here, &["--print-columns", "", "."]).1, 64);
    assert_eq!(refused(&here, &["--print-all", "--print-more", "."]).1, 64);
    assert_eq!(refused(&here, &[]).1, 64);
}
