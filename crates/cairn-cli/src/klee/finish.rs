//! The last lines and files of a run.

use super::command_line::KleeOptions;
use super::messages::Messages;
use crate::exit;
use crate::output;
use crate::recorder::write_failures::WriteFailures;
use crate::run::{profile, summary};
use cairn_engine::{Exploration, Omission, Omitted, Shared, StopCause};
use cairn_report::{InfoFile, OutputFolder, Product, QueryTotals, RunEnd, RunTotals};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What is known when a run has ended.
pub struct FinishedRun<'a> {
    /// What was asked for.
    pub options: &'a KleeOptions,
    /// The program's file.
    pub program: &'a Path,
    /// What the workers left.
    pub shared: &'a Shared,
    /// What came of it.
    pub result: &'a Exploration,
    /// How long it took.
    pub elapsed: Duration,
    /// What could not be written.
    pub failures: &'a WriteFailures,
}

impl FinishedRun<'_> {
    /// Says and writes what is left to say and write; the result is the exit code.
    pub fn report(&self, messages: &Messages, folder: &OutputFolder, info: Option<InfoFile>) -> u8 {
        let (options, result, failures) = (self.options, self.result, self.failures);
        let mut summary = summary::of(self.program, options.write_tests, result, self.elapsed);
        failures.correct(&mut summary);
        match result.stopped_by {
            Some(StopCause::Time) => {
                messages.say("HaltTimer invoked");
                messages.say("halting execution, dumping remaining states");
            }
            Some(StopCause::Interrupt) => {
                messages.say("ctrl-c detected, requesting interpreter to halt.")
            }
            Some(_) => messages.say("halting execution, dumping remaining states"),
            None => {}
        }
        // Calls of the host were said when they were made.
        let unsaid = |left: &&Omitted| !matches!(left.what, Omission::HostCalled(..));
        for what in result.incomplete.iter().filter(unsaid) {
            messages.warn(&format!("not everything was explored: {what}"));
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
        if options.write_istats {
            let program = self.program.display().to_string();
            let command = format!("klee {program}");
            let profile = profile::profile(self.shared, Product::Klee, &command, &program);
            failures.check(profile.write_atomically(&folder.file("run.istats")));
        }
        if let Some(info) = info {
            failures.check(info.finish(&end));
        }
        // Last: a reader that finds it finds everything else.
        failures.check(summary.write_atomically(&folder.file("summary.json")));
        output::errors(&totals.lines(Product::Klee));
        failures.exit_code(exit::DONE, &summary)
    }
}
