//! Programs that wait and look at clocks, on musl: which answers are listed, and what a symbolic clock may show.
//!
//! Where musl is not set up, the tests say so and pass, but in CI.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::{cairn_in, err, out, root};

/// What all programs of these tests begin with.
const HEAD: &str = "#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static void now(int clock, struct timespec *t) { clock_gettime(clock, t); }
static long whole(struct timespec t) { return t.tv_sec * 1000000000L + t.tv_nsec; }
int main(void) {
";

fn folder(name: &str) -> Option<PathBuf> {
    if !root().join(".deps/musl/libc.bca").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "musl is not set up: run ./setup"
        );
        eprintln!("musl is not set up: nothing is tested; run scripts/libc.sh");
        return None;
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("time-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    Some(path)
}

/// Runs a program with these words behind `--`: the exit code of the command, how its tests end, and what was said.
fn run(here: &Path, body: &str, words: &[&str]) -> (Option<i32>, BTreeSet<String>, String) {
    let _ = std::fs::remove_dir_all(here.join("out"));
    std::fs::write(here.join("p.c"), format!("{HEAD}{body}\n}}\n")).expect("writable");
    let args = [
        "run",
        "--output-dir",
        "out",
        "p.c",
        "--",
        "--sym-stdin",
        "1",
    ];
    let args: Vec<&str> = args.iter().chain(words).copied().collect();
    let output = cairn_in(here, &args);
    let files = std::fs::read_dir(here.join("out")).expect("there was a run");
    let files = files.map(|entry| entry.expect("readable").path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "expect"));
    let ends = files.map(|path| std::fs::read_to_string(path).expect("it is text"));
    let ends = ends.map(|text| {
        text.split([',', '}'])
            .next()
            .unwrap_or_default()
            .to_string()
    });
    let said = format!("{}{}", out(&output), err(&output));
    (output.status.code(), ends.collect(), said)
}

/// Waits in which nothing is ready, and what of their time is seen afterwards: nothing but 0.
const OVER: [&str; 4] = [
    "struct timeval t = {0, 1000}; syscall(SYS_select, 0, 0, 0, 0, &t); return t.tv_sec + t.tv_usec;",
    "struct timespec t = {5, 7}; syscall(SYS_ppoll, 0, 0L, &t, 0L, 8L); return t.tv_sec + t.tv_nsec;",
    "struct timespec t = {5, 7}; syscall(SYS_pselect6, 0, 0, 0, 0, &t, 0); return t.tv_sec + t.tv_nsec;",
    // It is divided with its sign before it is looked at.
    "struct timeval t = {1, -1000000}; int n = syscall(SYS_select, 0, 0, 0, 0, &t); return n + t.tv_sec + t.tv_usec - 1 + 1000000;",
];

/// Waits that end at once, and whether the time is as it was.
const READY: [&str; 4] = [
    "fd_set r; FD_ZERO(&r); FD_SET(0, &r); struct timeval t = {1, 0}; if (syscall(SYS_select, 1, &r, 0, 0, &t) != 1) return 9; if (t.tv_sec) return 1; return 0;",
    "struct pollfd p = {0, POLLIN, 0}; struct timespec t = {5, 0}; if (syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L) != 1) return 9; if (t.tv_sec == 5) return 1; return 0;",
    "fd_set r; FD_ZERO(&r); FD_SET(0, &r); struct timespec t = {1, 0}; if (syscall(SYS_pselect6, 1, &r, 0, 0, &t, 0) != 1) return 9; if (t.tv_sec) return 1; return 0;",
    "fd_set r; FD_ZERO(&r); FD_SET(77, &r); struct timeval t = {1, 0}; if (syscall(SYS_select, 78, &r, 0, 0, &t) != -1 || errno != EBADF) return 9; if (t.tv_sec) return 1; return 0;",
];

#[test]
fn what_is_left_of_a_time_is_written_where_it_stood() {
    let Some(here) = folder("left") else {
        return;
    };
    for body in OVER {
        let (code, ends, said) = run(&here, body, &[]);
        let exit = BTreeSet::from([r#"{"exit":0"#.to_string()]);
        assert_eq!((code, ends), (Some(0), exit), "{body}: {said}");
    }
    for body in READY {
        let (code, _, said) = run(&here, body, &[]);
        assert_eq!(code, Some(2), "{body}: {said}");
        assert!(said.contains("the time is one of many"), "{body}: {said}");
        let (code, ends, said) = run(&here, body, &["--sym-clock"]);
        let both = [0, 1].map(|code| format!("{{\"exit\":{code}"));
        assert_eq!(
            (code, ends),
            (Some(0), BTreeSet::from(both)),
            "{body}: {said}"
        );
    }
}

/// Calls that leave the time alone: of zero, in constants, and those of the library that work on a copy.
const LEFT_ALONE: [&str; 5] = [
    "struct timespec t = {0, 0}; struct pollfd p = {0, POLLIN, 0}; syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L); return t.tv_sec;",
    "static const struct timespec t = {9, 0}; struct pollfd p = {0, POLLIN, 0}; return syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L) - 1;",
    "struct timespec t = {9, 0}; struct pollfd p = {0, POLLIN, 0}; ppoll(&p, 1, &t, 0); return t.tv_sec - 9;",
    "struct timespec t = {9, 0}; fd_set r; FD_ZERO(&r); FD_SET(0, &r); pselect(1, &r, 0, 0, &t, 0); return t.tv_sec - 9;",
    "struct timeval t = {9, 0}; fd_set r; FD_ZERO(&r); FD_SET(0, &r); select(1, &r, 0, 0, &t); return t.tv_sec - 9;",
];

#[test]
fn copies_of_the_library_and_constants_are_not_listed() {
    let Some(here) = folder("copies") else {
        return;
    };
    for body in LEFT_ALONE {
        let (code, ends, said) = run(&here, body, &[]);
        let exit = BTreeSet::from([r#"{"exit":0"#.to_string()]);
        assert_eq!((code, ends), (Some(0), exit), "{body}: {said}");
    }
}

/// What holds after waits whatever clocks show.
const HOLDS: [&str; 5] = [
    "struct timespec a = {100, 0}, b; if (clock_nanosleep(1, TIMER_ABSTIME, &a, 0)) return 1; now(1, &b); assert(b.tv_sec >= 100);",
    // A time that is past.
    "struct timespec a, b, c = {7, 0}, d = {2, 0}; now(1, &a); nanosleep(&d, 0); clock_nanosleep(1, TIMER_ABSTIME, &c, 0); now(1, &b); assert(b.tv_sec >= a.tv_sec + 2); assert(b.tv_sec >= 7);",
    "struct timespec a = {50, 1}, b; int w = 1; syscall(SYS_futex, &w, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 1, &a, 0, -1); assert(errno == ETIMEDOUT); now(1, &b); assert(whole(b) >= whole(a));",
    // What has passed, and what is left.
    "struct timespec a, b, t = {3, 5}; struct pollfd p = {0, POLLIN, 0}; now(1, &a); syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L); now(1, &b); assert(t.tv_sec < 3 || (t.tv_sec == 3 && t.tv_nsec <= 5)); if (t.tv_sec == 1 && t.tv_nsec == 0) assert(b.tv_sec > a.tv_sec + 1);",
    "struct timespec a, b; struct timeval t = {3, 5}; now(0, &a); syscall(SYS_select, 0, 0, 0, 0, &t); now(0, &b); assert(!t.tv_sec && !t.tv_usec); assert(b.tv_sec >= a.tv_sec + 3);",
];

/// The same of times that are computed from what a clock shows: one of them is followed, and the others are listed.
const HOLDS_OF_ONE: [&str; 2] = [
    "struct timespec a, b; now(1, &a); a.tv_sec += 5; if (clock_nanosleep(1, TIMER_ABSTIME, &a, 0)) return 1; now(1, &b); assert(b.tv_sec >= a.tv_sec);",
    "struct timespec a = {0}, b; now(0, &a); a.tv_sec += 5; clock_nanosleep(0, TIMER_ABSTIME, &a, 0); now(0, &b); assert(b.tv_sec >= a.tv_sec);",
];

/// What need not hold.
const FAILS: [&str; 3] = [
    "struct timespec a = {100, 0}, b; clock_nanosleep(1, TIMER_ABSTIME, &a, 0); now(1, &b); assert(b.tv_sec == 100);",
    "struct timespec t = {3, 5}; struct pollfd p = {0, POLLIN, 0}; syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L); assert(t.tv_sec == 3);",
    "struct timespec t = {3, 5}; struct pollfd p = {0, POLLIN, 0}; syscall(SYS_ppoll, &p, 1L, &t, 0L, 8L); assert(t.tv_sec || t.tv_nsec);",
];

#[test]
fn symbolic_clocks_have_moved_on_after_waits() {
    let Some(here) = folder("waits") else {
        return;
    };
    for body in HOLDS {
        let (code, _, said) = run(&here, &format!("{body} return 0;"), &["--sym-clock"]);
        assert_eq!(code, Some(0), "{body}: {said}");
    }
    for body in HOLDS_OF_ONE {
        let (code, _, said) = run(&here, &format!("{body} return 0;"), &["--sym-clock"]);
        assert_eq!(code, Some(2), "{body}: {said}");
    }
    for body in FAILS {
        let (code, _, said) = run(&here, &format!("{body} return 0;"), &["--sym-clock"]);
        assert_eq!(code, Some(1), "{body}: {said}");
    }
}
