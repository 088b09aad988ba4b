//! What of a program's surroundings is explored and run: the page about it, signals, calls that fail,
//! variables, and coverage of a whole program.
//!
//! Where musl is not set up, the tests say so and pass, but in CI.

mod pages;
mod support;

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{cairn_in, err, out, root};

/// A folder for a test with its program, if musl is there.
fn folder(name: &str, program: &str) -> Option<PathBuf> {
    if !root().join(".deps/musl/libc.bca").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "musl is not set up: run ./setup"
        );
        eprintln!("musl is not set up: nothing is tested; run scripts/libc.sh");
        return None;
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("environment-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    std::fs::write(path.join("p.c"), program).expect("writable");
    Some(path)
}

/// What the tests of a run expect, sorted.
fn expectations(here: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(here.join("cairn-last")).expect("there was a run");
    let files = folder.map(|entry| entry.expect("readable").path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "expect"));
    let mut all: Vec<String> = files
        .map(|path| std::fs::read_to_string(path).expect("it is text"))
        .collect();
    all.sort();
    all
}

#[test]
fn the_page_about_the_environment_shows_what_happens() {
    let Some(here) = folder("page", "") else {
        return;
    };
    let commands = pages::follow("environment.md", &here);
    assert!(commands >= 12, "the page has commands");
}

const SIGNALS: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int seen;
static jmp_buf out;
static void one(int s) { seen += s; }
static void three(int s, siginfo_t *i, void *c) { seen += 100 * i->si_signo + (c != 0); }
static void leave(int s) { longjmp(out, s); }
static void last(int s) { printf("aborting %d\n", s); fflush(stdout); }

int main(int argc, char **argv) {
  struct sigaction action = {0};
  signal(SIGUSR1, one);
  action.sa_sigaction = three;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &action, 0);
  printf("%d %d", raise(SIGUSR1), kill(getpid(), SIGUSR2));
  signal(SIGINT, leave);
  int got = setjmp(out);
  if (!got)
    raise(SIGINT);
  printf(" %d %d\n", seen, got);
  fflush(stdout);
  if (argc > 2)
    alarm(5);
  if (argv[1][0] == 'a') {
    signal(SIGABRT, last);
    abort();
  }
  if (argv[1][0] == 't')
    raise(SIGTERM);
  if (argv[1][0] == 's')
    raise(SIGSEGV);
  return 0;
}
"#;

#[test]
fn handlers_run_and_signals_end_a_program() {
    let Some(here) = folder("signals", SIGNALS) else {
        return;
    };
    for (word, printed, code) in [
        ("x", "0 0 1211 2\n", 0),
        ("a", "0 0 1211 2\naborting 6\n", 128 + 6),
        ("t", "0 0 1211 2\n", 128 + 15),
        ("s", "0 0 1211 2\n", 128 + 11),
    ] {
        let run = cairn_in(
            &here,
            &["run", "--concrete", "--libc", "musl", "p.c", "--", word],
        );
        assert_eq!(
            (out(&run).as_str(), run.status.code()),
            (printed, Some(code)),
            "{word}"
        );
    }
    let run = cairn_in(&here, &["run", "--self-check", "p.c", "--sym-arg", "1"]);
    assert_eq!(run.status.code(), Some(1), "{}", err(&run));
    assert!(
        out(&run).starts_with("2 paths to the end, 2 in an error, 0 cut short\n"),
        "{}",
        out(&run)
    );
    assert!(
        out(&run).contains("\n4 tests were run again"),
        "{}",
        out(&run)
    );
    let ends = expectations(&here).concat();
    assert_eq!(ends.matches("\"signal\":15").count(), 1, "{ends}");
    assert_eq!(ends.matches("\"exit\":0").count(), 1, "{ends}");
    let replay = cairn_in(&here, &["replay", "p.c", "cairn-last"]);
    assert_eq!(
        replay.status.code(),
        Some(0),
        "{}{}",
        out(&replay),
        err(&replay)
    );

    let timer = cairn_in(&here, &["run", "--libc", "musl", "p.c", "--", "x", "y"]);
    assert_eq!(timer.status.code(), Some(2), "{}", err(&timer));
    let said = "not explored: the signal of a timer (alarm, setitimer) is never delivered\n";
    assert!(out(&timer).contains(said), "{}", out(&timer));
}

const FAILING: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  char bytes[8];
  long n = read(0, bytes, 8);
  if (n < 0)
    return 1;
  if (n == 1) {
    long m = read(0, bytes + 1, 7);
    return m < 0 ? 2 : m == 1 ? 3 : 4;
  }
  if (close(0))
    return 5;
  return getenv("WORD") ? getenv("WORD")[0] : 6;
}
"#;

#[test]
fn calls_fail_and_reads_are_short_if_that_is_wanted() {
    let Some(here) = folder("failing", FAILING) else {
        return;
    };
    let explored = |words: &[&str]| -> Vec<String> {
        let words = [&["run", "--self-check", "p.c"], words].concat();
        let run = cairn_in(&here, &words);
        assert_eq!(
            run.status.code(),
            Some(0),
            "{words:?}: {}{}",
            out(&run),
            err(&run)
        );
        let code = |text: &String| {
            let rest = text.split("\"exit\":").nth(1).expect("an exit code");
            rest.split(',').next().expect("a number").to_string()
        };
        let mut codes: Vec<String> = expectations(&here).iter().map(code).collect();
        codes.sort();
        codes
    };
    let input = ["--sym-stdin", "8"];
    assert_eq!(explored(&input), ["6"]);
    let with = |more: &[&'static str]| [&input[..], more].concat();
    assert_eq!(explored(&with(&["--max-fail", "1"])), ["1", "5", "6"]);
    assert_eq!(explored(&with(&["--short-reads"])), ["3", "4", "6"]);
    let both = with(&["--max-fail", "1", "--short-reads", "--env", "WORD=A"]);
    // After a short read the second fails, is short or not; but for one failure, all again.
    assert_eq!(explored(&both), ["1", "2", "3", "4", "5", "65"]);
    assert_eq!(
        explored(&["--max-fail", "1"]),
        ["1", "5", "6"],
        "without other words"
    );
    let replay = cairn_in(&here, &["replay", "p.c", "cairn-last"]);
    let refused = "not reached: --max-fail 1: system calls that fail or do less are not replayed";
    assert_eq!(out(&replay).matches(refused).count(), 2, "{}", out(&replay));
    assert_eq!(
        out(&replay).matches(": reached: exit 6").count(),
        1,
        "{}",
        out(&replay)
    );
}

const COVERED: &str = r#"#include <stdio.h>
#include <string.h>
static int classify(const char *s) {
  if (strcmp(s, "ab") == 0)
    return 1;
  switch (s[0]) {
  case 'x':
    return 2;
  case 'y':
    puts("y");
    break;
  default:
    return 3;
  }
  return 4;
}
static int unused(int a) {
  return a + 1;
}
int main(int argc, char **argv) {
  int sum = 0;
  if (argc > 5)
    return unused(argc);
  for (int i = 0; i < 3; i++)
    sum += i;
  if (sum != 3)
    return 9;
  return classify(argv[1]);
}
"#;

/// Lines of a file with whether they were covered, as lcov says it.
fn traced(text: &str) -> BTreeSet<(u32, bool)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("DA:"));
    lines
        .map(|line| {
            let (line, times) = line.split_once(',').expect("a line and a number");
            (line.parse().expect("a number"), times != "0")
        })
        .collect()
}

#[test]
fn coverage_is_that_of_native_runs() {
    let Some(here) = folder("coverage", COVERED) else {
        return;
    };
    let run = cairn_in(&here, &["run", "p.c", "--sym-arg", "2"]);
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    let last = here.join("cairn-last");
    let text = std::fs::read_to_string(last.join("coverage.info")).expect("it was written");
    assert_eq!(text.matches("SF:").count(), 1, "the program alone: {text}");
    for line in ["FNDA:0,unused", "FNF:3\nFNH:2", "end_of_record"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let summary = std::fs::read_to_string(last.join("summary.json")).expect("it was written");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("it is JSON");
    assert_eq!(summary["coverage"]["functions"], serde_json::json!([2, 3]));
    let ours = traced(&text);
    let covered = ours.iter().filter(|(_, covered)| *covered).count();
    assert_eq!(
        summary["coverage"]["lines"],
        serde_json::json!([covered, ours.len()])
    );

    // The same tests natively, by what the compiler counts itself.
    let native = Command::new("clang-19")
        .args(["-w", "-O0", "-g", "--coverage", "p.c", "-o", "counted"])
        .current_dir(&here)
        .status()
        .expect("clang is there");
    assert!(native.success());
    for file in std::fs::read_dir(&last).expect("there was a run") {
        let path = file.expect("readable").path();
        if path.extension().is_none_or(|e| e != "ktest") {
            continue;
        }
        let shown = cairn_in(&here, &["ktest", path.to_str().expect("utf-8")]);
        let shown = out(&shown);
        let hex = shown.split("hex : 0x").nth(1).expect("the argument");
        let bytes: Vec<u8> = (0..2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("a byte"))
            .take_while(|byte| *byte != 0)
            .collect();
        let _ = Command::new(here.join("counted"))
            .arg(std::ffi::OsString::from_vec(bytes))
            .current_dir(&here)
            .stdout(Stdio::null())
            .status()
            .expect("it runs");
    }
    let counted = Command::new("llvm-cov-19")
        .args(["gcov", "-t", "counted-p.gcda"])
        .current_dir(&here)
        .output()
        .expect("llvm-cov is there");
    let lines = out(&counted);
    let native: BTreeSet<(u32, bool)> = lines
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':').map(str::trim);
            let (times, line) = (parts.next()?, parts.next()?.parse().ok()?);
            (times != "-" && line > 0).then_some((line, times != "#####"))
        })
        .collect();
    assert!(native.len() > 15, "{lines}{}", err(&counted));
    // The compiler's counter also has the lines on which functions begin, which have no
    // instruction of their own.
    let begins: BTreeSet<u32> = [3, 17, 20].into();
    let native: BTreeSet<(u32, bool)> = native
        .into_iter()
        .filter(|(line, _)| !begins.contains(line))
        .collect();
    assert_eq!(ours, native, "{lines}");

    let run = cairn_in(&here, &["run", "p.c", "--sym-arg", "2", "--cover-libc"]);
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    let text = std::fs::read_to_string(last.join("coverage.info")).expect("it was written");
    assert!(text.contains("SF:musl/src/stdio/puts.c\n"), "{text}");
}

#[test]
fn klees_words_work_with_its_flag() {
    let program = "#include <string.h>\nint main(int argc, char **argv) {\n  \
                   return argc > 1 && strcmp(argv[1], \"x\") == 0;\n}\n";
    let Some(here) = folder("klee", program) else {
        return;
    };
    let words = [
        "klee",
        "--posix-runtime",
        "--libc=uclibc",
        "p.c",
        "--sym-args",
        "0",
        "1",
        "1",
    ];
    let run = cairn_in(&here, &words);
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    assert!(!err(&run).contains("WARNING"), "{}", err(&run));
    let done = "KLEE: done: completed paths = 3\n";
    assert!(err(&run).contains(done), "{}", err(&run));
    assert!(here.join("klee-last/test000003.ktest").exists());
}

/// Exit codes of the tests of a run, each once.
fn exits(here: &Path) -> BTreeSet<String> {
    let all = expectations(here).into_iter();
    let exit = |text: String| -> Option<String> {
        let behind = text.split_once("\"exit\":")?.1;
        let end = behind.find(|c: char| !c.is_ascii_digit())?;
        Some(behind[..end].to_string())
    };
    all.filter_map(exit).collect()
}

/// Names that do not exist fail alike, but for those that only look as if they were such names.
#[test]
fn names_that_are_not_plain_and_missing_are_paths_of_their_own() {
    let programs = [
        // An empty name is missing where others are forbidden.
        (
            "empty-name",
            "#include <errno.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
             int main(int argc, char **argv) {\n\
               chdir(\"/\");\n\
               if (mkdir(argv[1], 0700) == 0) return 1;\n\
               return errno == ENOENT ? 2 : errno == EACCES ? 3 : errno == EEXIST ? 4 : 5;\n}\n",
            "2 3 4",
        ),
        // What is missing here may exist in another folder. (The folder is open as itself, too.)
        (
            "other-folder",
            "#include <fcntl.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
             int main(int argc, char **argv) {\n\
               mkdir(\"d\", 0700);\n\
               close(open(\"d/f\", O_CREAT | O_WRONLY, 0600));\n\
               int d = open(\"d\", O_RDONLY | O_DIRECTORY);\n\
               int f = openat(d, argv[1], O_RDONLY);\n\
               struct stat s;\n\
               if (f < 0) return 0;\n\
               fstat(f, &s);\n\
               return S_ISDIR(s.st_mode) ? 7 : 8;\n}\n",
            "0 7 8",
        ),
    ];
    for (name, program, wanted) in programs {
        let Some(here) = folder(name, program) else {
            return;
        };
        let run = cairn_in(&here, &["run", "p.c", "--self-check", "--sym-arg", "1"]);
        assert_ne!(run.status.code(), Some(70), "{}", err(&run));
        let found = exits(&here);
        for code in wanted.split(' ') {
            assert!(found.contains(code), "{name}: {code} in {found:?}");
        }
    }
}

const ASKS: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
  char name[16];
  if (argc > 1)
    return 3;
  printf("name? ");
  fflush(stdout);
  if (!fgets(name, sizeof name, stdin))
    return 1;
  printf("hello %s", name);
  return 0;
}
"#;

#[test]
fn a_concrete_run_reads_input_when_the_program_does() {
    use std::io::{Read, Write};
    let Some(here) = folder("asks", ASKS) else {
        return;
    };
    let start = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["run", "--concrete", "--libc", "musl", "p.c"])
            .args(more)
            .current_dir(&here)
            .env("CAIRN_HOME", root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary was built")
    };
    // Its input stays open, and it does not wait for the end.
    let mut silent = start(&["--", "x"]);
    let held = silent.stdin.take();
    assert_eq!(silent.wait().expect("it ends").code(), Some(3));
    drop(held);

    let mut asking = start(&[]);
    let mut output = asking.stdout.take().expect("a pipe");
    let mut question = [0; 6];
    output.read_exact(&mut question).expect("a question");
    assert_eq!(&question, b"name? ");
    let mut input = asking.stdin.take().expect("a pipe");
    input.write_all(b"anna\n").expect("it is there");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "hello anna\n");
    assert_eq!(asking.wait().expect("it ends").code(), Some(0));
}

const DATAGRAMS: &str = r#"
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct sockaddr_in6 there = {.sin6_family = AF_INET6, .sin6_port = htons(47008)};
  struct sockaddr_un here = {.sun_family = AF_UNIX, .sun_path = "door"};
  there.sin6_addr = in6addr_loopback;
  if (argv[1][0] == 'd') {
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    char text[4];
    int s = socket(AF_INET6, SOCK_DGRAM, 0);
    if (bind(s, (void *)&there, sizeof there) < 0)
      return 9;
    long got = recvfrom(s, text, sizeof text, 0, (void *)&from, &length);
    if (got == 2 && text[0] == 'a')
      return sendto(s, "yes", 3, 0, (void *)&from, length) == 3 ? 4 : 5;
    return 6;
  }
  int door = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(door, (void *)&here, sizeof here) < 0 || listen(door, 1) < 0)
    return 9;
  int peer = accept(door, 0, 0);
  char byte;
  int sum = 0;
  while (read(peer, &byte, 1) == 1)
    sum = sum * 2 + (byte == 'b');
  write(peer, &"0123"[sum], 1);
  unlink("door");
  return sum;
}
"#;

#[test]
fn peers_of_sockets_are_explored_and_replayed() {
    let Some(here) = folder("sockets", DATAGRAMS) else {
        return;
    };
    // Which byte of a text is sent is one path, whatever it is.
    // Who sent a datagram is one of many.
    for (way, tests, code) in [("d", 2, 2), ("s", 1, 0)] {
        let explored = [
            "run",
            "--self-check",
            "p.c",
            "--sym-sockets",
            "1",
            "2",
            "--",
            way,
        ];
        let run = cairn_in(&here, &explored);
        assert_eq!(run.status.code(), Some(code), "{}{}", out(&run), err(&run));
        let expected = expectations(&here);
        assert_eq!(expected.len(), tests, "{expected:?}");
        let answered = ["yes", "0", "1", "2", "3"].map(|text| format!("\"sockets\":[\"{text}\"]"));
        let answers = |text: &&String| answered.iter().any(|answer| text.contains(answer));
        assert_eq!(expected.iter().filter(answers).count(), 1, "{expected:?}");
        let replay = cairn_in(&here, &["replay", "p.c", "cairn-last"]);
        let reached = out(&replay).matches(": reached: exit").count();
        assert_eq!(reached, tests, "{}{}", out(&replay), err(&replay));
    }
}
