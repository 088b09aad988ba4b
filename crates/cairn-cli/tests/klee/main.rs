//! `cairn klee`: KLEE's lines, files and exit codes, as a script written for KLEE meets them.

mod command;
mod files;
mod flags;
mod host;
mod limits;
mod program;
mod seeds;
mod trace;

use cairn_replay::KTest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of one test, empty at its start, with a program in it.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str, program: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("klee-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder is writable");
        std::fs::write(folder.join("p.c"), program).expect("the folder is writable");
        Place { folder }
    }

    /// Runs KLEE's command line on the program.
    fn klee(&self, flags: &[&str]) -> Run {
        let mut words = vec!["klee"];
        words.extend(flags);
        words.push("p.c");
        self.cairn(&words)
    }

    fn cairn(&self, words: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        Run::of(command.args(words).current_dir(&self.folder))
    }

    fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    fn text(&self, file: &str) -> String {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn test(&self, number: u32) -> KTest {
        let path = self.folder.join(format!("klee-last/test{number:06}.ktest"));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        KTest::read(&bytes).expect("a test")
    }

    /// Files of the last run whose names end so, in their order.
    fn files(&self, end: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join("klee-last")).expect("there was a run");
        let names = entries.map(|e| e.expect("readable").file_name());
        let mut names: Vec<String> = names
            .map(|n| n.to_string_lossy().into_owned())
            .filter(|n| n.ends_with(end))
            .map(|n| format!("klee-last/{n}"))
            .collect();
        names.sort();
        names
    }

    /// Writes a file beside the program.
    fn write(&self, file: &str, content: &str) {
        std::fs::write(self.folder.join(file), content).expect("the folder is writable");
    }

    /// Runs another program there.
    fn tool(&self, words: &[&str]) {
        let mut command = Command::new(words[0]);
        let run = Run::of(command.args(&words[1..]).current_dir(&self.folder));
        assert_eq!(run.code(), 0, "{words:?}: {}", run.err());
    }

    /// All values of an input of four bytes, in order.
    fn values(&self, tests: u32) -> Vec<i32> {
        let value = |n| {
            let bytes = &self.test(n).objects[0].bytes;
            i32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
        };
        let mut values: Vec<i32> = (1..=tests).map(value).collect();
        values.sort_unstable();
        values
    }
}

struct Run {
    output: Output,
}

impl Run {
    fn of(command: &mut Command) -> Run {
        let output = command.stdin(Stdio::null()).output();
        Run {
            output: output.expect("the binary was built"),
        }
    }

    fn out(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn code(&self) -> i32 {
        self.output.status.code().expect("no signal")
    }

    /// Lines that begin so, without that beginning.
    fn lines(&self, start: &str) -> Vec<String> {
        let err = self.err();
        let lines = err.lines().filter_map(|l| l.strip_prefix(start));
        lines.map(str::to_string).collect()
    }

    /// Messages of errors, without their places, in order of the alphabet.
    fn errors(&self) -> Vec<String> {
        let lines = self.lines("KLEE: ERROR: ").into_iter();
        let mut errors: Vec<String> = lines
            .map(|l| l.split_once(": ").map_or(l.clone(), |(_, m)| m.to_string()))
            .collect();
        errors.sort();
        errors
    }

    fn done(&self, what: &str) -> u64 {
        let start = format!("KLEE: done: {what} = ");
        let lines = self.lines(&start);
        assert_eq!(lines.len(), 1, "{what}: {}", self.err());
        lines[0].parse().expect("a number")
    }
}

const SIGN: &str = r#"
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a == 0) return 0;
  if (a < 0) return -1;
  return 1;
}
"#;

const DIVIDES: &str = r#"
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a > 5) return 7;
  return 10 / a;
}
"#;
