//! `cairn stats`: tables of runs, as klee-stats prints them, from the `run.stats` of Cairn and of KLEE.

mod columns;
mod table;

use crate::exit::{self, Failure};
use crate::output;
use anyhow::anyhow;
use cairn_report::{ReportError, StatsCell, StatsReader};
use columns::{Column, Record};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use table::{Format, TextTable};

/// The options of `cairn stats`.
#[derive(clap::Args)]
#[command(after_long_help = columns::legend())]
pub struct StatsOptions {
    /// Folders of runs, or folders that contain some
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// How the table is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "klee")]
    table_format: Format,

    /// Prints all rows and columns of one run as comma-separated values
    #[arg(long, conflicts_with = "table_format")]
    to_csv: bool,

    /// Prints all columns
    #[arg(long, conflicts_with_all = ["print_more", "print_rel_times", "print_abs_times", "print_columns"])]
    print_all: bool,

    /// Prints some columns more: states and memory
    #[arg(long, conflicts_with_all = ["print_rel_times", "print_abs_times", "print_columns"])]
    print_more: bool,

    /// Prints times only, in percent of the time that passed
    #[arg(long, conflicts_with_all = ["print_abs_times", "print_columns"])]
    print_rel_times: bool,

    /// Prints times only, in seconds
    #[arg(long, conflicts_with_all = ["print_columns"])]
    print_abs_times: bool,

    /// Prints these columns, separated by commas, in this order
    #[arg(long, value_name = "LIST")]
    print_columns: Option<String>,
}

/// Runs the command.
pub fn run(options: &StatsOptions) -> Result<u8, Failure> {
    let mut folders = Vec::new();
    for folder in &options.folders {
        folders.extend(find_runs(folder)?);
    }
    if options.to_csv {
        let [folder] = folders.as_slice() else {
            let found = folders.len();
            let error = anyhow!("--to-csv takes one run, but {found} were found: name one folder");
            return Err(Failure::new(exit::USAGE, error));
        };
        print_rows(folder)?.map_err(|e| output::unprintable(&e))?;
    } else {
        output::print(make_table(options, &folders)?)?;
    }
    Ok(exit::DONE)
}

fn bad_input(error: impl Into<anyhow::Error>) -> Failure {
    Failure::new(exit::BAD_INPUT, error)
}

fn stats_file(folder: &Path) -> PathBuf {
    folder.join("run.stats")
}

/// The folder itself if it is one of a run, otherwise all below it, sorted by name. Links below it are
/// not followed: `cairn-last` leads to a run that is there anyway.
fn find_runs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = folder.display();
    match fs::metadata(folder) {
        Err(e) => {
            return Err(bad_input(anyhow!(
                "{shown}: {e}; the folder of a run was expected"
            )));
        }
        Ok(m) if !m.is_dir() => {
            return Err(bad_input(anyhow!(
                "{shown} is a file; the folder of a run was expected"
            )));
        }
        Ok(_) => {}
    }
    if stats_file(folder).exists() {
        return Ok(vec![folder.to_path_buf()]);
    }
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(parent) = open.pop() {
        // A folder below that cannot be read has no runs that could be shown.
        for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                let path = entry.path();
                if stats_file(&path).exists() {
                    found.insert(path);
                } else {
                    open.push(path);
                }
            }
        }
    }
    if found.is_empty() {
        return Err(bad_input(anyhow!(
            "{shown} is not the folder of a run and contains none: a file run.stats was expected in it"
        )));
    }
    Ok(found.into_iter().collect())
}

fn make_table(options: &StatsOptions, folders: &[PathBuf]) -> Result<String, Failure> {
    let mut records = Vec::new();
    for (folder, path) in folders.iter().zip(shown_paths(folders)) {
        let reader = StatsReader::open(&stats_file(folder)).map_err(bad_input)?;
        records.push(Record::read(path, &reader).map_err(bad_input)?);
    }
    let columns = choose(options, &records)?;
    let mut rows: Vec<Vec<_>> = records
        .iter()
        .map(|record| columns.iter().map(|c| record.value(c)).collect())
        .collect();
    let has_total = rows.len() > 1 && options.table_format.has_total();
    if has_total {
        rows.push(columns::total(&columns, &rows));
    }
    let table = TextTable {
        columns: &columns,
        rows,
        has_total,
    };
    Ok(table.to_text(options.table_format))
}

/// The paths without what all have in common.
fn shown_paths(folders: &[PathBuf]) -> Vec<String> {
    let parts: Vec<Vec<_>> = folders.iter().map(|f| f.components().collect()).collect();
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let differs = |i: &usize| parts.iter().any(|p| p[*i] != parts[0][*i]);
    let common = if folders.len() > 1 {
        // The last part always stays, even if the same folder was named twice.
        let end = shortest.saturating_sub(1);
        (0..end).find(differs).unwrap_or(end)
    } else {
        0
    };
    let rest = |p: &Vec<std::path::Component<'_>>| p[common..].iter().collect::<PathBuf>();
    let show = |p| rest(p).display().to_string();
    parts.iter().map(show).collect()
}

fn choose(options: &StatsOptions, records: &[Record]) -> Result<Vec<Column>, Failure> {
    let usage = |error| Failure::new(exit::USAGE, error);
    if let Some(list) = &options.print_columns {
        let names = list.split(',').map(str::trim).filter(|n| !n.is_empty());
        let all = columns::available(records);
        let find = |name: &str| {
            let found = all.iter().find(|c| c.title() == name).cloned();
            found.ok_or_else(|| {
                let hint = "`cairn stats --help` lists the columns";
                usage(anyhow!(
                    "--print-columns: there is no column `{name}`; {hint}"
                ))
            })
        };
        let chosen: Vec<Column> = names.map(find).collect::<Result<_, _>>()?;
        if chosen.is_empty() {
            return Err(usage(anyhow!(
                "--print-columns names no column; for example --print-columns 'Path,Time(s)'"
            )));
        }
        return Ok(chosen);
    }
    if options.print_all {
        return Ok(columns::available(records));
    }
    Ok(columns::named(if options.print_more {
        columns::MORE
    } else if options.print_rel_times {
        columns::RELATIVE_TIMES
    } else if options.print_abs_times {
        columns::ABSOLUTE_TIMES
    } else {
        columns::DEFAULT
    }))
}

/// Every row of a run as it is stored. The inner error is that of standard output.
fn print_rows(folder: &Path) -> Result<io::Result<()>, Failure> {
    let reader = StatsReader::open(&stats_file(folder)).map_err(bad_input)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let names: Vec<String> = reader.columns().iter().map(|n| table::csv(n)).collect();
    let mut printed = writeln!(out, "{}", names.join(","));
    let read: Result<(), ReportError> = reader.rows(|row| {
        let cells: Vec<String> = row.iter().map(raw).collect();
        printed = writeln!(out, "{}", cells.join(","));
        printed.is_ok()
    });
    read.map_err(bad_input)?;
    Ok(printed.and_then(|()| out.flush()))
}

fn raw(cell: &StatsCell) -> String {
    match cell {
        StatsCell::Missing => String::new(),
        StatsCell::Integer(value) => value.to_string(),
        StatsCell::Real(value) => format!("{value:?}"),
        StatsCell::Text(text) => table::csv(text),
    }
}
