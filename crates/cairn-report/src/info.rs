//! `info`: the command line, process, times and totals of a run, in KLEE's form. Scripts look for
//! `Started: ` and for `done: ` lines. A total that is not known has no line.

use crate::{OutputFolder, Product, ReportError};
use chrono::{DateTime, Local};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::SystemTime;

/// What is known when a run starts.
#[derive(Clone, Debug)]
pub struct RunStart {
    /// The command line, word by word.
    pub command_line: Vec<String>,
    /// The process.
    pub pid: u32,
    /// When it started.
    pub started: SystemTime,
    /// The searcher, one or more lines.
    pub searcher: String,
    /// The C library that the program is linked with, if that is to be said.
    pub libc: Option<String>,
}

/// The figures that also end the output on the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// Instructions that were executed.
    pub instructions: u64,
    /// Paths that ran to the program's end.
    pub completed_paths: u64,
    /// Paths that ended before: in an error, or at a limit.
    pub partial_paths: u64,
    /// Tests that were written.
    pub tests: u64,
}

impl RunTotals {
    /// The lines as they stand in `info` and end the output on the terminal, with the empty line
    /// before them.
    pub fn lines(&self, product: Product) -> String {
        let speaker = product.speaker();
        let mut text = String::from("\n");
        for (what, count) in [
            ("total instructions", self.instructions),
            ("completed paths", self.completed_paths),
            ("partially completed paths", self.partial_paths),
            ("generated tests", self.tests),
        ] {
            line(&mut text, speaker, what, count);
        }
        text
    }
}

/// What the solver was asked; what is not known is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryTotals {
    /// Operators per query, on average.
    pub average_constructs: Option<u64>,
    /// All queries.
    pub queries: Option<u64>,
    /// Those whose answer was "always".
    pub valid: Option<u64>,
    /// Those whose answer was "not always".
    pub invalid: Option<u64>,
    /// Those that asked for values.
    pub counterexamples: Option<u64>,
}

/// What is known when a run has ended.
#[derive(Clone, Copy, Debug)]
pub struct RunEnd {
    /// When it ended.
    pub finished: SystemTime,
    /// All paths, ended or not.
    pub explored_paths: Option<u64>,
    /// What the solver was asked.
    pub queries: QueryTotals,
    /// The figures that everybody looks for.
    pub totals: RunTotals,
}

/// The file `info` of a run that goes on.
#[derive(Debug)]
pub struct InfoFile {
    path: PathBuf,
    file: File,
    product: Product,
    started: SystemTime,
}

impl InfoFile {
    /// Writes the first part, when a run starts.
    pub fn create(
        folder: &OutputFolder,
        product: Product,
        start: &RunStart,
    ) -> Result<InfoFile, ReportError> {
        let path = folder.file("info");
        let libc = start.libc.as_ref();
        let libc = libc.map_or(String::new(), |name| format!("C library: {name}\n"));
        let text = format!(
            "{}\nPID: {}\nUsing monotonic steady clock with 1/1000000000s resolution\n\
             Started: {}\nBEGIN searcher description\n{}\nEND searcher description\n{libc}",
            start.command_line.join(" "),
            start.pid,
            local_time(start.started),
            start.searcher.trim_end_matches('\n'),
        );
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            Ok(file)
        });
        match written {
            Ok(file) => Ok(InfoFile {
                path,
                file,
                product,
                started: start.started,
            }),
            Err(source) => Err(ReportError::Write { path, source }),
        }
    }

    /// Writes the second part, when the run has ended.
    pub fn finish(mut self, end: &RunEnd) -> Result<(), ReportError> {
        let speaker = self.product.speaker();
        let mut text = format!(
            "Finished: {}\nElapsed: {}\n",
            local_time(end.finished),
            hours_minutes_seconds(self.started, end.finished)
        );
        for (what, count) in [
            ("explored paths", end.explored_paths),
            ("avg. constructs per query", end.queries.average_constructs),
            ("total queries", end.queries.queries),
            ("valid queries", end.queries.valid),
            ("invalid queries", end.queries.invalid),
            ("query cex", end.queries.counterexamples),
        ] {
            if let Some(count) = count {
                line(&mut text, speaker, what, count);
            }
        }
        text.push_str(&end.totals.lines(self.product));
        self.file
            .write_all(text.as_bytes())
            .map_err(|e| ReportError::write(&self.path, e))
    }
}

fn line(text: &mut String, speaker: &str, what: &str, count: u64) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{speaker}: done: {what} = {count}");
}

fn local_time(time: SystemTime) -> String {
    let local: DateTime<Local> = time.into();
    local.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The difference of the two times as shown, in whole seconds; a clock that was set back gives zero.
fn hours_minutes_seconds(from: SystemTime, to: SystemTime) -> String {
    let whole = |time: SystemTime| {
        time.duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |d| d.as_secs())
    };
    let seconds = whole(to).saturating_sub(whole(from));
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}
