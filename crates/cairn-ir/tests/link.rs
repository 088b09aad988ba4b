//! One program added to another: names, ids, places, and what is refused.

mod common;

use cairn_ir::text::{parse, print};
use cairn_ir::verify::verify;
use cairn_ir::{LinkError, Program};
use cairn_random::Random;
use common::program;

fn parsed(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    program
}

const PROGRAM: &str = r#"
file 1 "main.c"
name 1 "main"
place p1 = file 1 line 3 column 5 in 1
slot s0 "x1" i64
constructor @begin
global @state align 8 size 8
extern func @malloc(i64) -> i64
func @begin() {
b0:
  return
}
func @helper(%0: i64) -> i64 !p1 {
b0:
  return %0 !p1
}
"#;

const LIBRARY: &str = r#"
file 1 "library.c"
name 1 "helper"
place p1 = file 1 line 7 column 1 in 1
place p2 = file 1 line 9 column 1 in 1 inlined at p1
slot s0 "x2" i64
constructor @start
destructor @start
extern global @elsewhere align 8 size 8
extern global @state align 8 size 8
global @table align 8 size 24 !p1 {
  at 0 address @helper + 4
  at 8 address @malloc
  at 16 difference 4 @helper - @table + 8
}
extern func @malloc(i64) -> i64
extern func @free(i64)
func @start() {
b0:
  return
}
func @helper(%0: i64) -> i64 !p2 {
b0:
  %1: i64 = call @malloc(i64 %0) !p2
  call @free(i64 %1)
  store i64 @table + 8 to @state
  %2: i64 = load @elsewhere
  write s0 %2
  %3: i64 = read s0
  %4: i1 = eq i64 %3, @helper
  branch %4, b1(@start), b1(@table) !p1
b1(%5: i64):
  switch i64 %5 [0: b2(@malloc)] else b2(@helper)
b2(%6: i64):
  return %6
}
"#;

const LINKED: &str = r#"
file 1 "main.c"
file 2 "library.c"
name 1 "main"
name 2 "helper"
place p1 = file 1 line 3 column 5 in 1
place p2 = file 2 line 7 column 1 in 2
place p3 = file 2 line 9 column 1 in 2 inlined at p2
slot s0 "x1" i64
slot s1 "x2" i64
constructor @begin
constructor @lib.start
destructor @lib.start
global @state align 8 size 8
extern global @elsewhere align 8 size 8
global @lib.table align 8 size 24 !p2 {
  at 0 address @lib.helper + 4
  at 8 address @malloc
  at 16 difference 4 @lib.helper - @lib.table + 8
}
extern func @malloc(i64) -> i64
func @begin() {
b0:
  return
}
func @helper(%0: i64) -> i64 !p1 {
b0:
  return %0 !p1
}
extern func @free(i64)
func @lib.start() {
b0:
  return
}
func @lib.helper(%0: i64) -> i64 !p3 {
b0:
  %1: i64 = call @malloc(i64 %0) !p3
  call @free(i64 %1)
  store i64 @lib.table + 8 to @state
  %2: i64 = load @elsewhere
  write s1 %2
  %3: i64 = read s1
  %4: i1 = eq i64 %3, @lib.helper
  branch %4, b1(@lib.start), b1(@lib.table) !p2
b1(%5: i64):
  switch i64 %5 [0: b2(@malloc)] else b2(@lib.helper)
b2(%6: i64):
  return %6
}
"#;

#[test]
fn definitions_get_the_prefix_and_declarations_are_resolved() {
    let mut program = parsed(PROGRAM);
    program.link(parsed(LIBRARY), "lib.").unwrap();
    assert_eq!(print(&program), print(&parsed(LINKED)));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let cases = [
        (
            "extern func @malloc(i32) -> i64",
            LinkError::Signature {
                name: "malloc".to_string(),
            },
        ),
        (
            "extern func @state()",
            LinkError::Kind {
                name: "state".to_string(),
            },
        ),
        (
            "extern global @malloc align 8 size 8",
            LinkError::Kind {
                name: "malloc".to_string(),
            },
        ),
        (
            "global @per align 8 size 8",
            LinkError::Taken {
                name: "helper".to_string(),
            },
        ),
        (
            "extern func @helloha()\nglobal @loha align 8 size 8",
            LinkError::Taken {
                name: "helloha".to_string(),
            },
        ),
    ];
    for (text, expected) in cases {
        let mut program = parsed(PROGRAM);
        assert_eq!(program.link(parsed(text), "hel"), Err(expected), "{text}");
        assert_eq!(program, parsed(PROGRAM), "{text}");
    }
}

/// Linking into nothing without a prefix gives the program itself; linking two gives one that is
/// valid and begins with the first.
#[test]
fn random_programs_stay_valid() {
    let mut linked = 0;
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let (first, second) = (program(&mut rng, false), program(&mut rng, false));
        let mut alone = Program::new();
        alone.link(second.clone(), "").unwrap();
        assert_eq!(alone, second, "seed {seed}");
        let mut both = first.clone();
        if both.link(second.clone(), "second.").is_err() {
            assert_eq!(both, first, "seed {seed}");
            continue;
        }
        linked += 1;
        verify(&both).unwrap_or_else(|errors| panic!("seed {seed}: {errors:#?}"));
        let kept = first.functions.len();
        assert_eq!(both.functions[..kept], first.functions[..], "seed {seed}");
        let mut own = second.functions.iter().filter(|f| f.body.is_some());
        let added = both.functions[kept..].iter();
        for function in added.filter(|f| f.body.is_some()) {
            let original = own.next().expect("one for each");
            assert_eq!(function.name, format!("second.{}", original.name));
            assert_eq!(function.params, original.params);
        }
        assert!(own.next().is_none(), "seed {seed}");
    }
    assert!(linked > 100, "only {linked} pairs fit each other");
}
