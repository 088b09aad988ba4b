//! `run.stats`: the schema, the values, and what is left of a run that was killed.

mod common;

use cairn_report::{ReportError, StatsCell, StatsReader, StatsRow, StatsWriter};
use common::scratch;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn rows(reader: &StatsReader) -> Vec<Vec<StatsCell>> {
    let mut rows = Vec::new();
    let collect = |row| {
        rows.push(row);
        true
    };
    reader.rows(collect).expect("readable");
    rows
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("there");
    let name = |e: std::fs::DirEntry| e.file_name().into_string().expect("utf-8");
    entries.map(|e| name(e.expect("readable"))).collect()
}

#[test]
fn the_schema_is_klees() {
    let path = scratch("schema").join("run.stats");
    StatsWriter::create(&path)
        .and_then(StatsWriter::finish)
        .expect("writable");
    let database = rusqlite::Connection::open(&path).expect("a database");
    let sql: String = database
        .query_row(
            "SELECT sql FROM sqlite_master WHERE name = 'stats'",
            [],
            |r| r.get(0),
        )
        .expect("a table");
    let integers = |names: &str| {
        names
            .split(' ')
            .map(|n| format!("{n} INTEGER"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let expected = format!(
        "CREATE TABLE stats ({},UserTime REAL,{},WallTime REAL,{})",
        integers("Instructions FullBranches PartialBranches NumBranches"),
        integers("NumStates MallocUsage Queries SolverQueries NumQueryConstructs"),
        integers(
            "CoveredInstructions UncoveredInstructions QueryTime SolverTime CexCacheTime ForkTime \
             ResolveTime QueryCacheMisses QueryCacheHits QueryCexCacheMisses QueryCexCacheHits \
             InhibitedForks ExternalCalls Allocations States BranchesConditional BranchesIndirect \
             BranchesSwitch BranchesCall BranchesMemOp BranchesResolvePointer BranchesAlloc \
             BranchesRealloc BranchesFree BranchesGetVal TerminationExit TerminationEarly \
             TerminationSolverError TerminationProgramError TerminationUserError \
             TerminationExecutionError TerminationEarlyAlgorithm TerminationEarlyUser ArrayHashTime"
        ),
    );
    assert_eq!(sql, expected);
}

#[test]
fn values_have_klees_units_and_unknown_is_null() {
    let folder = scratch("values");
    let path = folder.join("run.stats");
    let mut writer = StatsWriter::create(&path).expect("writable");
    writer.add(&StatsRow::default()).expect("writable");
    let row = StatsRow {
        instructions: Some(1431),
        wall_time: Some(Duration::from_millis(1500)),
        solver_time: Some(Duration::from_micros(250)),
        memory: Some(3 << 20),
        active_states: Some(0),
        states: Some(u64::MAX),
        ..StatsRow::default()
    };
    writer.add(&row).expect("writable");
    writer.finish().expect("writable");
    assert_eq!(names_in(&folder), ["run.stats"], "one file is left");

    let reader = StatsReader::open(&path).expect("readable");
    let all = rows(&reader);
    assert_eq!(all.len(), 2);
    assert!(all[0].iter().all(|c| *c == StatsCell::Missing));
    assert_eq!(reader.last().expect("readable"), Some(all[1].clone()));
    let known: Vec<(&str, &StatsCell)> = reader
        .columns()
        .iter()
        .map(String::as_str)
        .zip(&all[1])
        .filter(|(_, c)| **c != StatsCell::Missing)
        .collect();
    assert_eq!(
        known,
        [
            ("Instructions", &StatsCell::Integer(1431)),
            ("NumStates", &StatsCell::Integer(0)),
            ("MallocUsage", &StatsCell::Integer(3 << 20)),
            ("WallTime", &StatsCell::Real(1_500_000.0)),
            ("SolverTime", &StatsCell::Integer(250)),
            ("States", &StatsCell::Integer(i64::MAX)),
        ]
    );
    assert_eq!(
        reader.maximum("NumStates").expect("readable"),
        StatsCell::Integer(0)
    );
    assert_eq!(
        reader.average("MallocUsage").expect("readable"),
        StatsCell::Real(f64::from(3 << 20))
    );
    assert_eq!(
        reader.maximum("NoSuchColumn").expect("readable"),
        StatsCell::Missing
    );
    drop(reader);
    assert_eq!(names_in(&folder), ["run.stats"], "reading leaves no trace");
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let path = scratch("existing").join("run.stats");
    std::fs::write(&path, "mine").expect("writable");
    let error = StatsWriter::create(&path).expect_err("refused").to_string();
    assert!(error.contains("exists"), "{error}");
    assert_eq!(std::fs::read(&path).expect("there"), b"mine");
}

#[test]
fn other_files_are_told_apart() {
    let folder = scratch("other");
    let old = folder.join("old.stats");
    std::fs::write(&old, "('Instructions','FullBranches',)\n(1,2)\n".repeat(40)).expect("writable");
    let other = folder.join("other.stats");
    rusqlite::Connection::open(&other)
        .and_then(|c| c.execute("CREATE TABLE t (x)", []))
        .expect("writable");
    let empty = folder.join("empty.stats");
    std::fs::write(&empty, "").expect("writable");
    for path in [old, other, empty] {
        let error = StatsReader::open(&path).expect_err("refused");
        assert!(matches!(error, ReportError::NotStats { .. }), "{error}");
    }
    let error = StatsReader::open(&folder.join("none")).expect_err("refused");
    assert!(matches!(error, ReportError::ReadStats { .. }), "{error}");
}

#[test]
fn a_run_can_be_read_while_it_goes_on_and_from_any_path() {
    let folder = scratch("live").join("a ? b % c # d");
    std::fs::create_dir(&folder).expect("writable");
    let path = folder.join("run.stats");
    let mut writer = StatsWriter::create(&path).expect("writable");
    for n in 1..=3 {
        let row = StatsRow {
            instructions: Some(n),
            ..StatsRow::default()
        };
        writer.add(&row).expect("writable");
        let reader = StatsReader::open(&path).expect("readable");
        assert_eq!(rows(&reader).len(), n as usize);
    }
    // A reader that is open does not keep the writer from finishing.
    let reader = StatsReader::open(&path).expect("readable");
    assert_eq!(rows(&reader).len(), 3);
    writer.finish().expect("no harm");
    drop(reader);
    assert_eq!(rows(&StatsReader::open(&path).expect("readable")).len(), 3);
}

#[test]
fn a_finished_file_can_be_read_in_a_folder_that_cannot_be_written() {
    let folder = scratch("read-only");
    let path = folder.join("run.stats");
    let mut writer = StatsWriter::create(&path).expect("writable");
    writer.add(&StatsRow::default()).expect("writable");
    writer.finish().expect("writable");
    let mode = |bits| std::fs::set_permissions(&folder, PermissionsExt::from_mode(bits));
    mode(0o555).expect("ours");
    let reader = StatsReader::open(&path).map(|r| rows(&r).len());
    mode(0o755).expect("ours");
    assert_eq!(reader.expect("readable"), 1);
}

/// Set for the process that writes rows until it is killed.
const CHILD_FILE: &str = "CAIRN_REPORT_TEST_STATS";

#[test]
fn a_killed_run_keeps_its_rows() {
    if let Some(path) = std::env::var_os(CHILD_FILE) {
        return write_until_killed(Path::new(&path));
    }
    let path = scratch("killed").join("run.stats");
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "a_killed_run_keeps_its_rows", "--nocapture"])
        .env(CHILD_FILE, &path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let told = lines.find(|l| l.as_ref().is_ok_and(|l| l == "row 50"));
    child.kill().expect("ours");
    child.wait().expect("ours");
    assert!(told.is_some(), "the child wrote 50 rows");

    let all = rows(&StatsReader::open(&path).expect("readable"));
    assert!(all.len() >= 50, "{} rows", all.len());
    let expected = (1..=all.len() as i64).map(StatsCell::Integer);
    assert!(all.iter().map(|r| r[0].clone()).eq(expected));
    let database = rusqlite::Connection::open(&path).expect("a database");
    let sound: String = database
        .query_row("PRAGMA integrity_check", [], |r| r.get(0))
        .expect("readable");
    assert_eq!(sound, "ok");
}

fn write_until_killed(path: &Path) {
    let mut writer = StatsWriter::create(path).expect("writable");
    for n in 1..=1_000_000 {
        let row = StatsRow {
            instructions: Some(n),
            ..StatsRow::default()
        };
        writer.add(&row).expect("writable");
        println!("row {n}");
    }
}

/// `cargo test --release -p cairn-report --test stats -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn what_a_row_costs() {
    let path = scratch("cost").join("run.stats");
    let mut writer = StatsWriter::create(&path).expect("writable");
    let start = std::time::Instant::now();
    for n in 0..10_000 {
        let row = StatsRow {
            instructions: Some(n),
            wall_time: Some(start.elapsed()),
            ..StatsRow::default()
        };
        writer.add(&row).expect("writable");
    }
    println!("{:?} per row", start.elapsed() / 10_000);
    writer.finish().expect("writable");
}
