//! The same text compiled by a C compiler, and run on the values of inputs.
//!
//! The program is one function of another: it reads the values for many runs, and for each makes a process in which the
//! text's `main` runs. How that ends is a line: a code, or the signal that stands for what went wrong.

use super::interpret::{EvaluationEnd, EvaluationError, Run};
use super::syntax::Site;
use crate::programs::scratch::Scratch;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What stands around a program.
const BEFORE: &str = r#"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static uint64_t values[64];
static int given, taken;
static uint64_t *block(uint64_t bytes) { return calloc(bytes / 8 + 1, 8); }
static void input(uint64_t *at, uint64_t first, uint64_t last, uint64_t step) {
  if (step == 0 || first > last) { raise(SIGUSR1); }
  if (taken == given) { raise(SIGUSR2); }
  *at = values[taken++];
}
static void check(uint64_t value) { if (value == 0) raise(SIGABRT); }
static void nothing(void) {}
static void shown(uint64_t number, uint64_t value) {}
static void leave(uint64_t code) { _exit(code & 255); }
#define malloc block
#define interval input
#define assert check
#define assert_begin nothing
#define assert_end nothing
#define printsv shown
#define exit leave
#define main program
"#;

const BEHIND: &str = r#"
#undef main
int main(void) {
  while (scanf("%d", &given) == 1) {
    for (int i = 0; i < given; i++) if (scanf("%lu", &values[i]) != 1) return 1;
    taken = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(program() & 255);
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
    else printf("exit %d\n", WEXITSTATUS(status));
  }
  return 0;
}
"#;

const SIGABRT: i32 = 6;
/// What the compiler's check of a division raises.
const SIGILL: i32 = 4;
const SIGUSR1: i32 = 10;

/// A disagreement of the native program with the runs that the tree has.
///
/// # Errors
/// If it cannot be compiled or run.
pub(super) fn disagreement(
    text: &str,
    runs: &[Run],
    scratch: &Scratch,
) -> Result<Option<String>, String> {
    let (source, binary) = (scratch.file("native.c"), scratch.file("native"));
    let whole = format!("{BEFORE}{}{BEHIND}", unsigned(text));
    std::fs::write(&source, whole).map_err(|e| e.to_string())?;
    build(&source, &binary)?;
    let mut wanted = String::new();
    for run in runs {
        let values: Vec<String> = run.inputs.iter().map(u64::to_string).collect();
        wanted += &format!("{} {}\n", run.inputs.len(), values.join(" "));
    }
    let failed = |e: std::io::Error| format!("the native program: {e}");
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let feeds = std::thread::spawn(move || stdin.write_all(wanted.as_bytes()));
    let told = child.wait_with_output().map_err(failed)?;
    feeds
        .join()
        .expect("writing does not panic")
        .map_err(failed)?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let lines: Vec<&str> = told.lines().collect();
    if lines.len() != runs.len() {
        return Err(format!("{} native runs for {}", lines.len(), runs.len()));
    }
    let differs = runs
        .iter()
        .zip(lines)
        .find(|(run, line)| expected(run) != *line);
    Ok(differs.map(|(run, line)| {
        let (inputs, end) = (&run.inputs, &run.end);
        format!("natively {line}, on the tree {end:?}, on {inputs:?}")
    }))
}

/// The text with numbers of the type that all numbers of the language have, also as the result of comparisons.
fn unsigned(text: &str) -> String {
    let mut changed = String::new();
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let named = before.is_ascii_alphanumeric() || before == '_';
        changed.push(letter);
        if letter.is_ascii_digit() && !named {
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                changed.push(digit);
            }
            changed += "UL";
        }
        before = letter;
    }
    changed.replace(" - ", " + 0UL - ")
}

fn build(source: &Path, binary: &Path) -> Result<(), String> {
    let built = Command::new("gcc")
        .args(["-O0", "-w"])
        // A compiler may take 0 / x for 0 and x / x for 1, unless it is asked to look.
        .args(["-fsanitize=integer-divide-by-zero"])
        .args(["-fsanitize-undefined-trap-on-error", "-o"])
        .args([binary, source])
        .output()
        .map_err(|e| format!("gcc: {e}"))?;
    match built.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
    }
}

fn expected(run: &Run) -> String {
    match &run.end {
        EvaluationEnd::Exit(code) => format!("exit {code}"),
        EvaluationEnd::Error(wrong, Site(_)) => {
            let signal = match wrong {
                EvaluationError::Division => SIGILL,
                EvaluationError::Assertion => SIGABRT,
                EvaluationError::Input => SIGUSR1,
            };
            format!("signal {signal}")
        }
    }
}
