//! Replays that can do no harm, and many of them at once.

use crate::command::{CAIRN, err, folder, out, shell};
use std::path::Path;
use std::time::Duration;

/// Tries to do harm, and says what came of it: the exit code has a bit for each success.
const HARMFUL: &str = r#"#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static int writes(const char *file) { return open(file, O_WRONLY | O_APPEND | O_CREAT, 0644) >= 0; }

int main(int argc, char **argv) {
  unsigned char how;
  klee_make_symbolic(&how, 1, "how");
  int harm = 0;
  switch (how) {
  case 1: abort();
  case 2: raise(SIGTERM);
  case 3: *(volatile int *)0 = 1;
  case 4: for (;;) pause();
  case 5:
    /* A child that leaves its group outlives the program. */
    if (!fork()) { setsid(); sleep(2); writes(argv[1]); _exit(0); }
    return 0;
  }
  unlink("victim");
  writes("made");
  harm |= writes("/etc/made-by-a-test") << 0;
  writes("/tmp/made-by-a-test");
  harm |= (kill(atoi(argv[2]), 0) == 0) << 1;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {AF_INET, htons(atoi(argv[3])), {htonl(0x7f000001)}};
  harm |= (connect(s, (void *)&at, sizeof at) == 0) << 2;
  harm |= (mount("", "/usr", 0, MS_REMOUNT | MS_BIND, 0) == 0) << 3;
  harm |= (access(argv[4], F_OK) == 0) << 4;
  harm |= (getppid() != 1) << 5;
  return harm;
}
"#;

/// A test that gives the program this byte and these arguments.
fn write_test(file: &Path, how: u8, arguments: &[&str]) {
    let args = ["p"].iter().chain(arguments);
    let test = cairn_replay::KTest {
        args: args.map(|a| a.as_bytes().to_vec()).collect(),
        objects: vec![cairn_replay::KTestObject {
            name: b"how".to_vec(),
            bytes: vec![how],
        }],
        ..cairn_replay::KTest::default()
    };
    test.write_atomically(file).expect("writable");
}

#[test]
fn a_replayed_test_can_do_no_harm() {
    let here = folder("sandbox");
    std::fs::write(here.join("p.c"), HARMFUL).expect("writable");
    std::fs::write(here.join("victim"), "precious").expect("writable");
    std::fs::write(here.with_extension("secret"), "another folder").expect("writable");
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
    let port = server.local_addr().expect("it has one").port().to_string();
    let (own, secret) = (
        std::process::id().to_string(),
        here.with_extension("secret"),
    );
    let made = here.join("late");
    let arguments = [
        made.to_str().expect("a text"),
        &own,
        &port,
        secret.to_str().expect("a text"),
    ];
    for how in 0..=5 {
        write_test(&here.join(format!("t{how}.ktest")), how, &arguments);
    }
    // As root, and as a user without rights.
    let cairn = here.join("cairn");
    std::fs::copy(CAIRN, &cairn).expect("it can be copied");
    let user = "setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/";
    for who in ["env", user] {
        let line = format!("{who} ./cairn replay --sandbox on --timeout 2s p.c .");
        let done = shell(&here, &line);
        let text = out(&done);
        let ends = [
            "exit 0",
            "SIGABRT",
            "SIGTERM",
            "SIGSEGV",
            "still running",
            "exit 0",
        ];
        for (line, (how, end)) in text.lines().zip(ends.iter().enumerate()) {
            assert!(
                line.starts_with(&format!("t{how}.ktest: ")),
                "{who}: {text}"
            );
            assert!(line.contains(end), "{who}: {text}{}", err(&done));
        }
        assert_eq!(text.lines().count(), ends.len(), "{text}{}", err(&done));
        assert!(here.join("victim").exists(), "{who}");
        let leftovers = [
            here.join("made"),
            Path::new("/etc/made-by-a-test").to_path_buf(),
            Path::new("/tmp/made-by-a-test").to_path_buf(),
        ];
        assert!(leftovers.iter().all(|file| !file.exists()), "{who}");
    }
    std::thread::sleep(Duration::from_secs(3));
    assert!(!made.exists(), "a child outlived its program");
    // Without the sandbox the same test does all of that: the checks above can fail.
    let done = shell(&here, "./cairn replay --no-sandbox p.c t0.ktest");
    assert!(out(&done).contains("exit "), "{}", out(&done));
    assert!(!out(&done).contains("exit 0"), "{}", out(&done));
    assert!(!here.join("victim").exists());
    let _ = std::fs::remove_file("/etc/made-by-a-test");
    let _ = std::fs::remove_file("/tmp/made-by-a-test");
}

#[test]
fn a_kernel_that_refuses_is_said() {
    let here = folder("no-sandbox");
    let program = "int main(void) { return 0; }\n";
    std::fs::write(here.join("p.c"), program).expect("writable");
    cairn_replay::KTest {
        args: vec![b"p".to_vec()],
        ..cairn_replay::KTest::default()
    }
    .write_atomically(&here.join("t.ktest"))
    .expect("writable");
    // Where no more namespaces may be made, and without any rights.
    let refused = |words: &str| {
        let line = format!(
            "unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && \
             setpriv --inh-caps=-all --bounding-set=-all \"$CAIRN\" replay p.c t.ktest {words}'"
        );
        shell(&here, &line)
    };
    let done = refused("");
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert_eq!(err(&done).lines().count(), 1, "{}", err(&done));
    assert!(err(&done).contains("cannot be confined"), "{}", err(&done));
    let done = refused("--sandbox on");
    assert_eq!(done.status.code(), Some(64), "{}", err(&done));
    assert_eq!(err(&done).lines().count(), 1, "{}", err(&done));
    for words in ["--sandbox off", "--no-sandbox"] {
        let done = refused(words);
        assert_eq!(
            (done.status.code(), err(&done).as_str()),
            (Some(0), ""),
            "{words}"
        );
    }
}

/// Sleeps a little where the test says so.
const SLEEPY: &str = "#include <klee/klee.h>
#include <unistd.h>
int main(void) {
  unsigned char how;
  klee_make_symbolic(&how, 1, \"how\");
  if (how % 50 == 0) usleep(200000);
  return how;
}
";

#[test]
fn results_of_several_at_a_time_are_in_order() {
    let here = folder("many");
    std::fs::create_dir(here.join("tests")).expect("writable");
    std::fs::write(here.join("p.c"), SLEEPY).expect("writable");
    for number in 0..600u32 {
        let file = here.join(format!("tests/test{number:06}.ktest"));
        write_test(&file, number as u8, &[]);
    }
    std::fs::write(here.join("tests/test000100.ktest"), "no test").expect("writable");
    let one = shell(&here, "cairn replay p.c tests");
    let several = shell(&here, "cairn replay --jobs 16 p.c tests");
    assert_eq!(out(&one), out(&several));
    assert_eq!(err(&one), err(&several));
    assert_eq!(several.status.code(), Some(65), "{}", err(&several));
    assert!(out(&several).starts_with("test000000.ktest: reached: exit 0\n"));
    assert_eq!(out(&several).lines().count(), 599);
    let said = "cairn: 599 of 600 tests reached what was recorded (99%)";
    assert!(err(&several).contains(said), "{}", err(&several));
    let done = shell(&here, "cairn replay --jobs 2 --folder tests p.c tests");
    assert_eq!(done.status.code(), Some(65), "{}", err(&done));
    let done = shell(
        &here,
        "mkdir empty; cairn replay --jobs 2 --folder empty p.c tests",
    );
    assert_eq!(done.status.code(), Some(64), "{}", err(&done));
}

/// `REPLAYS=100000 cargo test --release -p cairn-cli --test hostile -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_tests() {
    let count: u32 = std::env::var("REPLAYS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(100_000);
    let here = folder("hundred-thousand");
    std::fs::create_dir(here.join("tests")).expect("writable");
    std::fs::write(here.join("p.c"), "int main(void) { return 0; }\n").expect("writable");
    for number in 0..count {
        let test = cairn_replay::KTest {
            args: vec![b"p".to_vec()],
            ..cairn_replay::KTest::default()
        };
        let file = here.join(format!("tests/test{number:06}.ktest"));
        test.write_atomically(&file).expect("writable");
    }
    let line = "\"$CAIRN\" replay --jobs 4 p.c tests & pid=$!; peak=0; \
                while kill -0 $pid 2>/dev/null; do \
                kb=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null); \
                peak=${kb:-$peak}; sleep 0.2; done; wait $pid; echo code $? peak $peak >&2";
    let done = shell(&here, line);
    assert_eq!(out(&done).lines().count(), count as usize, "{}", err(&done));
    assert!(err(&done).contains("code 0"), "{}", err(&done));
    let peak = err(&done);
    let peak: u64 = peak
        .rsplit(' ')
        .next()
        .and_then(|n| n.trim().parse().ok())
        .expect("a number");
    assert!(peak < 300 << 10, "{peak} KB");
}
