//! The last lines and files of a run.

use super::command_line::Wishes;
use super::failed;
use super::voice::Voice;
use crate::exit::Failure;
use crate::run::{profile, summary};
use cairn_engine::{Exploration, HOST_CALLED, Shared};
use cairn_report::{InfoFile, OutputFolder, Product, QueryTotals, RunEnd, RunTotals};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What is known when a run has ended.
pub struct Ended<'a> {
    /// What was asked for.
    pub wishes: &'a Wishes,
    /// The program's file.
    pub program: &'a Path,
    /// What the workers left.
    pub shared: &'a Shared,
    /// What came of it.
    pub result: &'a Exploration,
    /// How long it took.
    pub elapsed: Duration,
}

impl Ended<'_> {
    /// Says and writes what is left to say and write.
    pub fn report(
        &self,
        voice: &Voice,
        folder: &OutputFolder,
        info: InfoFile,
    ) -> Result<(), Failure> {
        let (wishes, result) = (self.wishes, self.result);
        match result.stopped_by {
            Some("max-time") => {
                voice.say("HaltTimer invoked");
                voice.say("halting execution, dumping remaining states");
            }
            Some("interrupt") => voice.say("ctrl-c detected, requesting interpreter to halt."),
            Some(_) => voice.say("halting execution, dumping remaining states"),
            None => {}
        }
        // Calls of the host were said when they were made.
        let unsaid = |what: &&String| !what.contains(HOST_CALLED);
        for what in result.incomplete.iter().filter(unsaid) {
            voice.warn(&format!("not everything was explored: {what}"));
        }
        let totals = RunTotals {
            instructions: result.instructions,
            completed_paths: result.completed,
            partial_paths: result.errors + result.stopped,
            tests: if wishes.write_tests { result.tests } else { 0 },
        };
        let end = RunEnd {
            finished: SystemTime::now(),
            explored_paths: Some(totals.completed_paths + totals.partial_paths),
            queries: QueryTotals {
                queries: Some(result.queries),
                ..QueryTotals::default()
            },
            totals,
        };
        if wishes.write_istats {
            let program = self.program.display().to_string();
            let command = format!("klee {program}");
            profile::profile(self.shared, Product::Klee, &command, &program)
                .write_atomically(&folder.file("run.istats"))
                .map_err(failed)?;
        }
        info.finish(&end).map_err(failed)?;
        // Last: whoever finds it finds everything else.
        summary::of(self.program, wishes.write_tests, result, self.elapsed)
            .write_atomically(&folder.file("summary.json"))
            .map_err(failed)?;
        eprint!("{}", totals.lines(Product::Klee));
        Ok(())
    }
}
