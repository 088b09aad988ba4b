//! Instructions as they run, and what the program shows of itself.

use crate::{Place, Run};

const SHOWS: &str = r#"
#include <klee/klee.h>
int inner(unsigned a) {
  klee_print_range("a", a);
  klee_stack_trace();
  return a == 7;
}
int main(void) {
  unsigned a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_assume(a > 3);
  klee_assume(a < 12);
  klee_print_range("four", 4);
  b = a;
  if (a == 5) {
    klee_print_range("b", b);
    return 0;
  }
  return inner(a);
}
"#;

#[test]
fn ranges_and_stacks_are_printed() {
    let place = Place::new("shows", SHOWS);
    let run = place.klee(&[]);
    let err = run.err();
    let line = |start: &str| {
        let line = err.lines().find(|l| l.starts_with(start));
        line.unwrap_or_else(|| panic!("{start}: {err}")).to_string()
    };
    assert_eq!(line("four:"), "four:4");
    assert!(line("a:").ends_with(" (in [4, 11])"), "{err}");
    assert!(line("b:").ends_with("5"), "{err}");
    let out = run.out();
    let calls: Vec<&str> = out.lines().collect();
    assert_eq!(calls.len(), 2, "{out}");
    assert!(
        calls[0].starts_with("\t#0") && calls[0].contains(" in inner() at "),
        "{out}"
    );
    assert!(
        calls[1].starts_with("\t#1") && calls[1].ends_with("p.c:19"),
        "{out}"
    );
}

#[test]
fn instructions_are_shown_before_they_run() {
    let place = Place::new(
        "instructions",
        r#"
int twice(int a) {
  return a + a;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += twice(i);
  return sum;
}
"#,
    );
    let file = place.folder.join("p.c").display().to_string();
    let shown = |run: &Run| -> Vec<String> { run.lines("     ") };
    let all = place.klee(&["--debug-print-instructions=all:stderr"]);
    let lines = shown(&all);
    let adds = lines
        .iter()
        .filter(|l| l.starts_with(&format!("{file}:3:")) && l.contains("add "));
    let adds: Vec<&String> = adds.collect();
    assert_eq!(adds.len(), 3, "{lines:#?}");
    let assembly = place.text("klee-last/assembly.ll");
    let parts: Vec<&str> = adds[0][file.len() + 1..].splitn(4, ':').collect();
    let line = parts[1].parse::<usize>().expect("a line") - 1;
    assert!(
        assembly
            .lines()
            .nth(line)
            .is_some_and(|l| l.contains(" add ")),
        "{parts:?}"
    );
    assert!(parts[3].starts_with("twice: %"), "{parts:?}");
    // A call stands between what is before and after it.
    let at = |what: &str| lines.iter().position(|l| l.contains(what));
    assert!(at("call @twice") < at("twice: ") && at("twice: ") < at("main: return"));
    // Comparisons that branch are two instructions.
    let branches = lines.iter().filter(|l| l.contains("main: branch "));
    assert_eq!(branches.count(), 4, "{lines:#?}");
    assert_eq!(all.done("completed paths"), 1);

    let source = shown(&place.klee(&["--debug-print-instructions=src:stderr"]));
    assert_eq!(source.len(), lines.len());
    assert!(source.iter().all(|l| !l.contains("twice")));
    place.klee(&["--debug-print-instructions=compact:file"]);
    let text = place.text("klee-last/instructions.txt");
    assert_eq!(text.lines().count(), lines.len());
    assert!(text.lines().all(|l| l.ends_with(":1")), "{text}");
    assert_eq!(place.klee(&["--debug-print-instructions=most"]).code(), 1);
}
