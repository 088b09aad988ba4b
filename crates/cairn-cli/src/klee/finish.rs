//! The last lines and files of a run.

use super::command_line::Wishes;
use super::voice::Voice;
use crate::exit;
use crate::output;
use crate::run::losses::Losses;
use crate::run::{profile, summary};
use cairn_engine::{Exploration, Limit, Omission, Omitted, Shared};
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
    /// What could not be written.
    pub losses: &'a Losses,
}

impl Ended<'_> {
    /// Says and writes what is left to say and write; the result is the exit code.
    pub fn report(&self, voice: &Voice, folder: &OutputFolder, info: Option<InfoFile>) -> u8 {
        let (wishes, result, losses) = (self.wishes, self.result, self.losses);
        let mut summary = summary::of(self.program, wishes.write_tests, result, self.elapsed);
        losses.correct(&mut summary);
        match result.stopped_by {
            Some(Limit::Time) => {
                voice.say("HaltTimer invoked");
                voice.say("halting execution, dumping remaining states");
            }
            Some(Limit::Interrupt) => voice.say("ctrl-c detected, requesting interpreter to halt."),
            Some(_) => voice.say("halting execution, dumping remaining states"),
            None => {}
        }
        // Calls of the host were said when they were made.
        let unsaid = |left: &&Omitted| !matches!(left.what, Omission::HostCalled(..));
        for what in result.incomplete.iter().filter(unsaid) {
            voice.warn(&format!("not everything was explored: {what}"));
        }
        let totals = RunTotals {
            instructions: result.instructions,
            completed_paths: result.completed,
            partial_paths: result.errors + result.stopped,
            tests: summary.tests.unwrap_or(0),
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
            let profile = profile::profile(self.shared, Product::Klee, &command, &program);
            losses.check(profile.write_atomically(&folder.file("run.istats")));
        }
        if let Some(info) = info {
            losses.check(info.finish(&end));
        }
        // Last: a reader that finds it finds everything else.
        losses.check(summary.write_atomically(&folder.file("summary.json")));
        output::errors(&totals.lines(Product::Klee));
        losses.exit_code(exit::DONE, &summary)
    }
}
