//! Functions of the host.

use crate::Place;
#[test]
fn functions_of_the_host_are_called_in_another_process() {
    let place = Place::new(
        "host",
        r#"
#include <klee/klee.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int nowhere(int);
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  if (w == 1) { time_t t = 0; time_t r = time(&t); klee_assert(r == t && r > 1000000); return 0; }
  if (w == 2) { klee_assert(getppid() > 0); return 0; }
  if (w == 3) return nowhere(3);
  if (w == 4) { double d = erf(0.5); klee_assert(d > 0.5204 && d < 0.5206); return 0; }
  if (w == 5) {
    time_t t = 86400;
    struct tm m;
    klee_assert(gmtime_r(&t, &m) == &m);
    klee_assert(m.tm_mday == 2 && m.tm_year == 70);
    return 0;
  }
  if (w == 6) return (int)mktime((struct tm *)calloc(1, 1)) & 0;
  if (w == 7) return usleep(w);
  if (w > 100) return sleep(w & 0x100000 ? 0 : w & 0);
  return 0;
}
"#,
    );
    let run = place.klee(&[]);
    let expected = ["failed external call: nowhere"];
    let errors = run.errors();
    assert!(errors.contains(&expected[0].to_string()), "{}", run.err());
    assert!(!run.err().contains("ASSERTION FAIL"), "{}", run.err());
    assert!(
        run.err()
            .contains("KLEE: WARNING: undefined reference to function: nowhere")
    );
    let symbolic = "external call with symbolic argument: usleep".to_string();
    assert!(
        !errors.contains(&symbolic),
        "7 is known on that path: {}",
        run.err()
    );
    assert!(
        run.lines("KLEE: WARNING ONCE: calling external: ").len() >= 4,
        "{}",
        run.err()
    );
    let none = place.klee(&["--external-calls=none"]);
    assert!(
        none.errors()
            .iter()
            .any(|e| e == "external calls disallowed"),
        "{}",
        none.err()
    );
}

#[test]
fn calls_of_the_host_that_crash_or_hang_cost_one_path() {
    let place = Place::new(
        "crash",
        r#"
#include <klee/klee.h>
#include <fnmatch.h>
#include <unistd.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  if (w == 1) return fnmatch((char *)0, (char *)0, 0);
  if (w == 2) return getppid() <= 0;
  if (w != 3) return 0;
  return sleep(1000);
}
"#,
    );
    let start = std::time::Instant::now();
    let run = place.klee(&["--search=dfs", "--max-time=5s"]);
    // Without the limit it would sleep for 1000 seconds.
    assert!(start.elapsed().as_secs() < 120, "the limit is kept");
    assert_eq!(run.code(), 0);
    assert_eq!(
        run.errors(),
        ["failed external call: fnmatch"],
        "{}",
        run.err()
    );
    assert_eq!(run.done("completed paths"), 2, "{}", run.err());
    assert_eq!(run.done("partially completed paths"), 2, "{}", run.err());
    assert!(
        run.err().contains("KLEE: HaltTimer invoked"),
        "{}",
        run.err()
    );
}

#[test]
fn symbolic_arguments_of_the_host_follow_the_policy() {
    let place = Place::new(
        "policy",
        r#"
#include <klee/klee.h>
#include <unistd.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  klee_assume(w > 0);
  klee_assume(w < 20);
  return usleep(w);
}
"#,
    );
    let run = place.klee(&[]);
    assert_eq!(
        run.errors(),
        ["external call with symbolic argument: usleep"],
        "{}",
        run.err()
    );
    let run = place.klee(&["--external-calls=all"]);
    assert!(run.errors().is_empty(), "{}", run.err());
    assert_eq!(run.done("completed paths"), 1);
}

/// When tests are run again, other answers of the host and other uninitialised bytes are not reported as a
/// bug in Cairn.
#[test]
fn tests_that_are_run_again_meet_what_the_path_met() {
    let answers = Place::new(
        "again-host",
        r#"
#include <klee/klee.h>
#include <unistd.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  if (w == 3) return getpid() % 100 + 1;
  return getppid() % 100 + 101;
}
"#,
    );
    let unwritten = Place::new(
        "again-unwritten",
        r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int w, local;
  klee_make_symbolic(&w, sizeof w, "w");
  unsigned char *block = malloc(16);
  if (w == 3) return block[5];
  if (w == 4) return local & 255;
  if (w == 5) return ((unsigned char *)realloc(block, 90))[80];
  return 0;
}
"#,
    );
    let large = Place::new(
        "again-large",
        r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  unsigned char *block = malloc(4ul << 30);
  if (!block) return 7;
  if (w == 3) return block[100];
  block[100] = 4;
  return block[100];
}
"#,
    );
    for (place, paths) in [(answers, 2), (unwritten, 4), (large, 2)] {
        let run = place.klee(&[]);
        assert!(!run.err().contains("a bug in Cairn"), "{}", run.err());
        assert!(run.errors().is_empty(), "{}", run.err());
        assert_eq!(run.done("completed paths"), paths, "{}", run.err());
    }
}

#[test]
fn a_native_run_is_told_what_the_host_answered() {
    let place = Place::new(
        "told",
        r#"
#include <klee/klee.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  long w;
  int which;
  klee_make_symbolic(&w, sizeof w, "w");
  klee_make_symbolic(&which, sizeof which, "which");
  struct timeval day;
  struct timespec up;
  if (which == 0) klee_assert(w != time(0));
  if (which == 1) { gettimeofday(&day, 0); klee_assert(w != day.tv_sec * 1000000 + day.tv_usec); }
  if (which == 2) { clock_gettime(CLOCK_MONOTONIC, &up); klee_assert(w != up.tv_nsec); }
  if (which == 3) klee_assert(w != getpid());
  return 0;
}
"#,
    );
    let run = place.klee(&["--emit-all-errors"]);
    assert_eq!(run.errors().len(), 4, "{}", run.err());
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let replayed = place.cairn(&["replay", "p.c", "klee-last"]);
    assert_eq!(replayed.code(), 0, "{}", replayed.out());
}
