//! All that is to be seen of a run, as lines.

use super::recorder::{Record, Recorder};
use super::setting::Setting;
use super::words;
use cairn_engine::{Exploration, Explorer, Finding, Observer, Outcome, TestCase};
use cairn_ir::Program;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A test that was handed out.
struct Test {
    outcome: String,
    decisions: String,
    objects: String,
}

/// What an observer was told.
#[derive(Default)]
struct Told {
    tests: Vec<Test>,
    said: Vec<String>,
}

struct Watcher(Arc<Mutex<Told>>);

impl Watcher {
    fn say(&self, kind: &str, text: &str) {
        let mut told = self.0.lock().expect("no worker panics");
        told.said
            .push(format!("{kind}: {}", text.replace('\n', " | ")));
    }
}

impl Observer for Watcher {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        true
    }
    fn wants_decisions(&self) -> bool {
        true
    }
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}
    fn test(&self, _number: u64, test: &TestCase, outcome: &Outcome, _program: &Program) {
        let objects = test.objects.iter();
        let mut objects: Vec<String> = objects
            .map(|(name, bytes)| format!("{name}={}", words::hex(bytes)))
            .collect();
        let printed = test.printed.as_ref().and_then(|p| p.output.as_ref());
        if let Some(output) = printed.filter(|output| !output.is_empty()) {
            objects.push(format!("prints {}", words::hex(output)));
        }
        if test.hidden {
            objects.push("hidden".to_string());
        }
        let mut told = self.0.lock().expect("no worker panics");
        told.tests.push(Test {
            outcome: words::outcome(outcome),
            decisions: words::decisions(test.decisions.as_deref().unwrap_or_default()),
            objects: objects.join(" "),
        });
    }
    fn message(&self, text: &str) {
        self.say("message", text);
    }
    fn warning(&self, text: &str) {
        self.say("warning", text);
    }
    fn warning_once(&self, text: &str) {
        self.say("warning once", text);
    }
}

/// What was seen of a run.
pub struct Seen {
    told: Told,
    record: Record,
    result: Exploration,
    program: Arc<Program>,
}

impl Seen {
    /// Runs a program.
    pub fn of(program: &Program, setting: &Setting) -> Result<Self, String> {
        let mut program = program.clone();
        setting.link(&mut program)?;
        cairn_ir::verify::verify(&program)
            .map_err(|errors| format!("the program is wrong: {errors:?}"))?;
        let program = Arc::new(program);
        let told: Arc<Mutex<Told>> = Arc::default();
        let record: Arc<Mutex<Record>> = Arc::default();
        let config = setting.config(&program)?;
        let watcher = Box::new(Watcher(Arc::clone(&told)));
        let explorer = Explorer::new(Arc::clone(&program), config, watcher);
        let recorded = Arc::clone(&record);
        let explorer = explorer.with_feature_behind(Box::new(move || {
            Box::new(Recorder::new(Arc::clone(&recorded)))
        }));
        let result = explorer.run().map_err(|error| error.to_string())?;
        let program = explorer.shared().program_now();
        drop(explorer);
        let told = std::mem::take(&mut *told.lock().expect("all workers have ended"));
        let record = std::mem::take(&mut *record.lock().expect("all workers have ended"));
        Ok(Seen {
            told,
            record,
            result,
            program,
        })
    }

    /// Operations executed.
    pub fn instructions(&self) -> u64 {
        self.result.instructions
    }

    /// How often bounds were asked for, as the reasons tell it.
    pub fn bounds(&self) -> usize {
        let kind = cairn_engine::ReasonKind::Bounds.name();
        let moments = self.record.moments.iter();
        moments.filter(|line| line.ends_with(kind)).count()
    }

    /// That the tree says as much as the summary: where all of it was explored wholly nothing was left out, and where nothing
    /// was left out all of it was explored wholly. Only for one worker, whose paths have not left it.
    pub fn tree_agrees(&self, lists_less: bool) -> Result<(), String> {
        let moments = &self.record.moments;
        let any = |word: &str| moments.iter().any(|moment| moment.starts_with(word));
        if any("left ") {
            return Ok(());
        }
        // The first worker's root is the first node of all. It is neither done nor gone if a limit ended the run.
        let wholly = moments.iter().any(|moment| moment == "done n0");
        let left_out = self.left_out();
        match (wholly, any("gone "), left_out.first()) {
            (true, _, Some(what)) => Err(format!("all is done, and yet: {what}")),
            (_, true, None) if !lists_less => {
                Err("nothing was left out, but a node is not done".to_string())
            }
            (false, _, _) | (_, _, None) => Ok(()),
        }
    }

    /// What is the same whatever the order of paths, without the paths.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = self.ends();
        lines.push(format!("forks: {}", self.result.forks));
        lines.extend(self.findings());
        // How often something was left out is counted again where a path is run again.
        let once = |line: String| match line.rsplit_once(" (") {
            Some((what, times)) if times.ends_with(" times)") => what.to_string(),
            _ => line,
        };
        lines.extend(self.left_out().into_iter().map(once));
        lines
    }

    /// The same with the paths: how each ends, and by which decisions.
    pub fn paths(&self) -> Vec<String> {
        let mut lines = self.summary();
        let tests = self.told.tests.iter();
        let mut tests: Vec<String> = tests
            .map(|test| format!("path: {}, by {}", test.outcome, test.decisions))
            .collect();
        tests.sort();
        lines.extend(tests);
        lines
    }

    /// Everything, in the order in which it happened.
    pub fn all(&self) -> Vec<String> {
        let mut lines = self.ends();
        let result = &self.result;
        lines.push(format!(
            "paths: {} completed, {} errors, {} stopped",
            result.completed, result.errors, result.stopped
        ));
        lines.push(format!(
            "counters: {} instructions, {} forks, {} deep, {} queries, {} timeouts",
            result.instructions, result.forks, result.max_depth, result.queries, result.timeouts
        ));
        lines.push(format!(
            "tests: {}, {} run again, {} not compared",
            result.tests, result.reruns, result.not_compared
        ));
        lines.extend(self.findings());
        lines.extend(self.left_out());
        let tests = self.told.tests.iter().zip(1..);
        lines.extend(tests.map(|(test, number)| {
            let objects = match test.objects.as_str() {
                "" => String::new(),
                objects => format!("; {objects}"),
            };
            format!(
                "test {number}: {}, by {}{objects}",
                test.outcome, test.decisions
            )
        }));
        lines.extend(self.told.said.iter().cloned());
        lines.push("moments:".to_string());
        let moments = self.record.moments.iter();
        lines.extend(moments.map(|moment| format!("  {moment}")));
        lines
    }

    /// How many paths ended how.
    fn ends(&self) -> Vec<String> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for end in &self.record.ends {
            *counts.entry(end).or_default() += 1;
        }
        let counts = counts.into_iter();
        let counts: Vec<String> = counts.map(|(end, n)| format!("{n} {end}")).collect();
        vec![format!("ends: {}", counts.join(", "))]
    }

    fn findings(&self) -> Vec<String> {
        let findings = self.result.findings.iter();
        let mut lines: Vec<String> = findings
            .map(|(_, reported)| {
                let finding = &reported.finding;
                let (kind, message) = (finding.kind.word(), &finding.message);
                let place = words::place(finding, &self.program);
                let paths = reported.paths;
                format!("finding: {kind} \"{message}\" in {place}, paths {paths}")
            })
            .collect();
        lines.sort();
        lines
    }

    fn left_out(&self) -> Vec<String> {
        let incomplete = self.result.incomplete.iter();
        let lines = incomplete.map(|what| format!("incomplete: {what}"));
        let stopped = self.result.stopped_by;
        let stopped = stopped.map(|limit| format!("stopped by: {}", limit.name()));
        let bugs = self.result.bugs.iter().map(|what| format!("bug: {what}"));
        lines.chain(stopped).chain(bugs).collect()
    }
}
