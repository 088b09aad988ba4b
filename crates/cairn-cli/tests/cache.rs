//! `--cache FILE`, as a user meets it: runs one after the other, at once, and killed.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{cairn, code, err, out};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// A script that asks for factors of some numbers; each is a question of its own.
fn script(folder: &Path, from: u64, count: u64) -> PathBuf {
    let mut text = "(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))
        (assert (bvult #x01 a))(assert (bvult #x01 b))\n"
        .to_string();
    for n in from..from + count {
        text += &format!(
            "(push)(assert (= (bvmul (concat #x00 a) (concat #x00 b)) (_ bv{n} 16)))(check-sat)(pop)\n"
        );
    }
    let file = folder.join(format!("{from}.smt2"));
    std::fs::write(&file, text).expect("it can be written");
    file
}

fn expected(from: u64, count: u64) -> String {
    let is_product = |n: u64| (2..256).any(|a| n.is_multiple_of(a) && (2..256).contains(&(n / a)));
    let verdict = |n: u64| if is_product(n) { "sat\n" } else { "unsat\n" };
    (from..from + count).map(verdict).collect()
}

fn words<'a>(cache: &'a Path, script: &'a Path) -> [&'a str; 5] {
    let text = |p: &'a Path| p.to_str().expect("utf-8");
    ["solve", "--stats", "--cache", text(cache), text(script)]
}

/// How many answers were read, used and added.
fn figures(stderr: &str) -> [u64; 3] {
    let line = stderr.lines().find(|l| l.contains("answers read"));
    let line = line.unwrap_or_else(|| panic!("{stderr}"));
    let before = |what: &str| -> u64 {
        let head = &line[..line.find(what).expect("it is said")];
        let word = head.trim_end().rsplit(' ').next().expect("a number");
        word.parse().expect("a number")
    };
    [before("answers read"), before("used,"), before("added.")]
}

#[test]
fn scripts_take_the_answers_of_the_run_before() {
    let folder = folder("solve");
    let (cache, script) = (folder.join("answers"), script(&folder, 30_000, 20));
    let first = cairn(&words(&cache, &script));
    assert_eq!(out(&first), expected(30_000, 20), "{}", err(&first));
    assert_eq!(figures(&err(&first)), [0, 0, 20]);
    let second = cairn(&words(&cache, &script));
    assert_eq!(out(&second), expected(30_000, 20));
    assert_eq!(figures(&err(&second)), [20, 20, 0]);
    let checked = cairn(&[&words(&cache, &script)[..], &["--self-check"]].concat());
    assert_eq!(out(&checked), expected(30_000, 20), "{}", err(&checked));
}

fn start(cache: &Path, script: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(words(cache, script))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built")
}

#[test]
fn runs_at_once_share_a_file() {
    let folder = folder("at-once");
    let cache = folder.join("answers");
    let scripts = [30_000, 40_000].map(|from| script(&folder, from, 60));
    let children = scripts.each_ref().map(|script| start(&cache, script));
    for (child, from) in children.into_iter().zip([30_000, 40_000]) {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(out(&output), expected(from, 60), "{}", err(&output));
    }
    let again = cairn(&words(&cache, &scripts[1]));
    assert_eq!(figures(&err(&again)), [120, 60, 0], "{}", err(&again));
}

/// Kills runs at all sorts of moments; what the next one reads is right. `CAIRN_KILLS=50` for more.
#[test]
fn a_killed_run_leaves_a_file_that_can_be_used() {
    let folder = folder("killed");
    let cache = folder.join("answers");
    let script = script(&folder, 30_000, 80);
    let kills = std::env::var("CAIRN_KILLS").map_or(4, |n| n.parse().expect("a number"));
    let mut read = 0;
    for round in 0..kills {
        let mut child = start(&cache, &script);
        std::thread::sleep(Duration::from_millis(15 + 37 * round % 400));
        child.kill().expect("it was started");
        child.wait().expect("it ends");
        if round % 5 == 3 {
            let output = cairn(&words(&cache, &script));
            assert_eq!(code(&output), 0, "{}", err(&output));
            assert_eq!(out(&output), expected(30_000, 80), "{}", err(&output));
            read = figures(&err(&output))[0];
            assert!(!err(&output).contains("version"), "{}", err(&output));
            // The next ones have something to add again.
            if round % 10 == 8 {
                std::fs::remove_file(&cache).expect("it is there");
            }
        }
    }
    println!("the last whole run read {read} answers");
    let output = cairn(&words(&cache, &script));
    assert_eq!(figures(&err(&output))[2] + figures(&err(&output))[1], 80);
}

#[test]
fn what_is_no_file_of_answers_is_said_and_left_alone() {
    let folder = folder("foreign");
    let (cache, script) = (folder.join("letter"), script(&folder, 30_000, 3));
    std::fs::write(&cache, "a letter to a friend").expect("it can be written");
    let output = cairn(&words(&cache, &script));
    assert_eq!((code(&output), out(&output)), (0, expected(30_000, 3)));
    let said = err(&output);
    assert_eq!(said.matches("is no file of answers").count(), 1, "{said}");
    let content = std::fs::read_to_string(&cache).expect("it is there");
    assert_eq!(content, "a letter to a friend");
    let nowhere = folder.join("none").join("answers");
    let output = cairn(&words(&nowhere, &script));
    assert_eq!(code(&output), 74, "{}", err(&output));
}

#[test]
fn an_exploration_takes_the_answers_of_the_run_before() {
    let folder = folder("run");
    let program = folder.join("factors.c");
    let text = "#include <assert.h>
        void klee_make_symbolic(void *, unsigned long, const char *);
        int main(void) {
          unsigned char a, b;
          klee_make_symbolic(&a, 1, \"a\");
          klee_make_symbolic(&b, 1, \"b\");
          unsigned c = a * b + (a ^ b) * 3;
          if (c % 251 == 17 && a % 7 == 3) return 1;
          if (c * c % 1009 == 12) return 2;
          assert(c * 5 != 77777);
          return 0;
        }";
    std::fs::write(&program, text).expect("it can be written");
    let cache = folder.join("answers");
    let explore = |number: u32, more: &[&str]| {
        let results = folder.join(format!("out{number}"));
        let words = [
            "run",
            program.to_str().expect("utf-8"),
            "--cache",
            cache.to_str().expect("utf-8"),
            "--output-dir",
            results.to_str().expect("utf-8"),
        ];
        cairn(&[&words[..], more].concat())
    };
    let first = explore(1, &[]);
    assert_eq!(code(&first), 0, "{}{}", out(&first), err(&first));
    let [read, used, added] = figures(&err(&first));
    assert!(read == 0 && used == 0 && added > 0, "{}", err(&first));
    let second = explore(2, &[]);
    let [read, used, more] = figures(&err(&second));
    assert!(
        read == added && used > 0 && more < added,
        "{}",
        err(&second)
    );
    let paths = |text: &str| {
        let line = text.lines().find(|l| l.contains("paths"));
        line.map(str::to_string)
    };
    assert_eq!(paths(&out(&first)), paths(&out(&second)));
    let checked = explore(3, &["--self-check", "--jobs", "2"]);
    assert_eq!(code(&checked), 0, "{}{}", out(&checked), err(&checked));
}
