//! Builds programs for RISC-V, explores them and runs them.

// Not every test uses everything.
#![allow(dead_code)]

use cairn_home::ScratchFolder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// System calls and a start for programs without a library.
pub const START: &str = r#"
typedef unsigned long word;
static long call(long number, long a, long b, long c) {
  register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}
static void leave(long code) { for (;;) call(93, code, 0, 0); }
static void say(const char *text) {
  long length = 0;
  while (text[length]) length++;
  call(64, 1, (long)text, length);
}
#define EMPTY __attribute__((noinline, used))
EMPTY void klee_make_symbolic(void *at, word size, const char *name) {
  __asm__ volatile("" : : "r"(at), "r"(size), "r"(name) : "memory");
}
EMPTY void klee_assume(word condition) { __asm__ volatile("" : : "r"(condition) : "memory"); }
EMPTY void abort(void) { __asm__ volatile("ebreak"); for (;;); }
__attribute__((naked)) void _start(void) { __asm__("mv a0, sp\n call begin"); }
"#;

/// A folder of a test's own, which goes with it.
pub struct Folder(
    pub PathBuf,
    #[expect(dead_code, reason = "it is removed when it is dropped")] ScratchFolder,
);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        let folder = ScratchFolder::new().unwrap();
        Folder(folder.path().to_path_buf(), folder)
    }

    /// Builds a program.
    pub fn build(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let (file, program) = (self.0.join(format!("{name}.c")), self.0.join(name));
        std::fs::write(&file, source).unwrap();
        let made = Command::new("clang-19")
            .args([
                "--target=riscv64-unknown-elf",
                "-nostdlib",
                "-ffreestanding",
            ])
            .args(["-fuse-ld=lld", "-static", "-w"])
            .args(flags)
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .output()
            .expect("clang-19 is installed");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{said}");
        program
    }

    /// A bare program with its start.
    pub fn bare(&self, name: &str, source: &str) -> PathBuf {
        let flags = ["-march=rv64gc", "-mabi=lp64d", "-O1", "-g"];
        self.build(name, &format!("{START}\n#line 1\n{source}"), &flags)
    }

    /// Explores a program; what was said, the summary and the folder of the results.
    pub fn explore(&self, program: &Path, words: &[&str], args: &[&str]) -> Explored {
        let results = self.0.join("results");
        let _ = std::fs::remove_dir_all(&results);
        let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["run", "--json", "--output-dir"])
            .arg(&results)
            .args(words)
            .arg(program)
            .arg("--")
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let summary = serde_json::from_str(&text);
        Explored {
            summary: summary.unwrap_or_else(|e| panic!("{e}: {text}{errors}")),
            code: output.status.code(),
            errors,
            results,
        }
    }
}

/// What an exploration said and left.
pub struct Explored {
    pub summary: serde_json::Value,
    pub code: Option<i32>,
    pub errors: String,
    pub results: PathBuf,
}

impl Explored {
    /// Paths to the end.
    pub fn completed(&self) -> u64 {
        self.summary["paths"]["completed"].as_u64().unwrap()
    }

    /// The kinds, functions, lines and messages of findings, in order.
    pub fn findings(&self) -> Vec<(String, String, u64, String)> {
        let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
        let findings = self.summary["findings"].as_array().unwrap().iter();
        let mut all: Vec<_> = findings
            .map(|f| {
                let line = f["line"].as_u64().unwrap_or(0);
                (
                    text(&f["kind"]),
                    text(&f["function"]),
                    line,
                    text(&f["message"]),
                )
            })
            .collect();
        all.sort();
        all
    }

    /// What was left out.
    pub fn incomplete(&self) -> String {
        self.summary["incomplete"].to_string()
    }

    /// The tests whose expectation has this text.
    pub fn tests(&self, wanted: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.results).unwrap();
        let files = files.map(|f| f.unwrap().path());
        let expectations = files.filter(|f| f.extension().is_some_and(|e| e == "expect"));
        let has = |f: &PathBuf| std::fs::read_to_string(f).unwrap().contains(wanted);
        let found = expectations.filter(has);
        found.map(|f| f.with_extension("ktest")).collect()
    }
}

/// Runs a program on concrete words.
pub fn concrete(program: &Path, words: &[&str], args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--concrete"])
        .args(words)
        .arg(program)
        .arg("--")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}
