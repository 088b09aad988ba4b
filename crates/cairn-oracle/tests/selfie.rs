//! Programs in C*: what they mean, and the executables that they become.

use cairn_oracle::selfie::{
    EvaluationEnd, EvaluationError, EvaluationResult, all_runs, compile, generate, parse, run,
};
use std::collections::BTreeSet;

/// How a program ends on some inputs.
fn end(text: &str, inputs: &[u64]) -> EvaluationEnd {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    match run(&program, inputs) {
        Ok(EvaluationResult::Ended(run)) => run.end,
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_mean_what_they_say() {
    let main = |body: &str| format!("uint64_t main() {{ uint64_t x; uint64_t* p; {body} }}");
    for (body, code) in [
        ("x = 2 + 3 * 4; return x;", 14),
        ("x = 7 - 2 - 1; return x;", 4),
        ("return (0 - 1) / 9223372036854775808;", 1),
        ("return 3 < 5; ", 1),
        ("return (5 <= 4) + (4 >= 5) + (5 != 5);", 0),
        ("x = 300; return x;", 44),
        (
            "p = malloc(17); *(p + 2) = 9; return *(p + 2) + *(p + 1);",
            9,
        ),
        ("x = 5; p = &x; *p = *p + 1; return x;", 6),
        ("x = 0; while (x < 4) { x = x + 3; } return x;", 6),
        ("if (1 == 2) { return 1; } else { return 2; }", 2),
        ("exit(3); return 4;", 3),
    ] {
        assert_eq!(end(&main(body), &[]), EvaluationEnd::Exit(code), "{body}");
    }
    let recursive = "uint64_t f(uint64_t n, uint64_t* p) {
  if (n == 0) { return 0; }
  *(p + n) = n;
  return n + f(n - 1, p);
}
uint64_t main() { uint64_t* p; p = malloc(48); return f(4, p) * 10 + *(p + 3); }";
    assert_eq!(end(recursive, &[]), EvaluationEnd::Exit(103));
}

#[test]
fn runs_go_wrong_where_they_should() {
    let text = "uint64_t g;
uint64_t main() {
  interval(&g, 0, 4, 2);
  assert(g != 4);
  return 6 % g + 6 / g;
}";
    let program = parse(text).unwrap();
    let runs = all_runs(&program, 10).unwrap().expect("three runs");
    let ends: BTreeSet<(Vec<u64>, bool)> = runs
        .iter()
        .map(|run| (run.inputs.clone(), run.end == EvaluationEnd::Exit(3)))
        .collect();
    let expected = [(vec![0], false), (vec![2], true), (vec![4], false)];
    assert_eq!(ends, BTreeSet::from(expected));
    let wrong = |input| match end(text, &[input]) {
        EvaluationEnd::Error(wrong, _) => Some(wrong),
        EvaluationEnd::Exit(_) => None,
    };
    assert_eq!(wrong(0), Some(EvaluationError::Division));
    assert_eq!(wrong(4), Some(EvaluationError::Assertion));
    let none = "uint64_t main() { uint64_t x; interval(&x, 2, 1, 1); return 0; }";
    assert!(matches!(
        end(none, &[]),
        EvaluationEnd::Error(EvaluationError::Input, _)
    ));
    assert_eq!(all_runs(&program, 2), Ok(None), "there are more");
}

#[test]
fn what_is_not_of_the_language_is_refused() {
    for text in [
        "",
        "uint64_t f() { return 1; }",
        "uint64_t main() { return x; }",
        "uint64_t main() { return f(1); }",
        "uint64_t main() { return malloc(1, 2); }",
        "uint64_t main() { uint64_t* p; uint64_t* q; return p - q; }",
        "uint64_t main() { return 1 }",
        "uint64_t main() { return 99999999999999999999; }",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    // Memory that a program does not have is no outcome.
    let program = parse("uint64_t main() { uint64_t* p; p = malloc(8); return *(p + 1); }");
    assert!(run(&program.unwrap(), &[]).is_err());
}

#[test]
fn executables_have_the_layout() {
    let program = parse("uint64_t g; uint64_t main() { g = 7; return 70 / g; }").unwrap();
    let compiled = compile(&program).unwrap();
    let word = |at: usize| u64::from_le_bytes(compiled.file[at..at + 8].try_into().unwrap());
    assert_eq!(word(24), 0x10000, "the entry");
    assert_eq!((word(40), word(72), word(80)), (0, 0x80, 0x10000));
    assert_eq!(word(96) as usize, compiled.file.len() - 0x80);
    let code = word(120);
    assert_eq!(word(96) - code, 16, "two words of data");
    let division = compiled.sites.values().copied().next().unwrap() - 0x10000;
    let at = 0x80 + division as usize;
    let inst = u32::from_le_bytes(compiled.file[at..at + 4].try_into().unwrap());
    assert_eq!(inst & 0xfe00_707f, 0x0200_5033, "divu");
}

#[test]
fn generated_programs_are_of_the_language() {
    let mut texts = BTreeSet::new();
    let mut compiled = 0;
    for seed in 0..300 {
        let text = generate(seed);
        assert_eq!(text, generate(seed));
        let program = parse(&text).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        compiled += usize::from(compile(&program).is_ok());
        texts.insert(text);
    }
    assert_eq!(texts.len(), 300);
    assert!(compiled > 290, "{compiled}");
}
