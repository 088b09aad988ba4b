//! `cairn verify`: verdicts of tasks that are known, what is written beside them, and what is wrong with a task.

mod pages;
mod support;

use cairn_verify::{PropertyFile, VerificationTask};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{cairn, folder, root};

/// Processor time for a task: those that are known to need more are listed as not decided.
const TIME: &str = "4s";

/// The task definitions below a folder.
fn tasks(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            tasks(&path, into);
        } else if path.extension().is_some_and(|e| e == "yml") {
            into.push(path);
        }
    }
}

/// The first line printed, what was said, and the exit code.
fn verify(arguments: &[&str]) -> (String, String, i32) {
    let ran = cairn(&[&["verify"], arguments].concat());
    let text = String::from_utf8_lossy(&ran.stdout);
    let first = text.lines().next().unwrap_or_default().to_string();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    (first, said, ran.status.code().expect("no signal"))
}

/// Whether an answer is right, or open; `Err` if it is wrong.
fn judge(answer: &str, expected: Option<bool>, part: Option<&str>) -> Result<bool, ()> {
    if answer.starts_with("UNKNOWN (") || answer == "DONE" {
        return Ok(false);
    }
    match (answer, expected) {
        ("TRUE", Some(true)) => Ok(true),
        (answer, Some(false)) if answer.starts_with("FALSE(") => {
            match part.is_none_or(|part| answer == format!("FALSE({part})")) {
                true => Ok(true),
                false => Err(()),
            }
        }
        _ => Err(()),
    }
}

/// What `cairn verify` answers to tasks, each asked for all its properties.
#[derive(Default)]
struct Answers {
    right: usize,
    open: Vec<String>,
    wrong: Vec<String>,
}

impl Answers {
    fn ask(&mut self, file: &Path, time: &str) {
        let task = VerificationTask::read(file).expect("it is right");
        let file = file.display().to_string();
        for property in &task.properties {
            let property_file = property.file.display().to_string();
            let arguments = [&file, "--property", &property_file, "--max-cpu-time", time];
            let (answer, said, _) = verify(&arguments);
            let name = format!("{file} {property_file}: {answer} {said}");
            match judge(&answer, property.expected, property.subproperty.as_deref()) {
                Ok(true) => self.right += 1,
                Ok(false) => self.open.push(name),
                Err(()) => self.wrong.push(name),
            }
        }
    }
}

#[test]
fn no_verdict_is_wrong() {
    let mut all = Vec::new();
    tasks(&root().join("tests/verify/hand"), &mut all);
    let mut answers = Answers::default();
    for file in &all {
        answers.ask(file, TIME);
    }
    assert!(answers.wrong.is_empty(), "{:#?}", answers.wrong);
    // One is about symbolic floating point, two have more paths than there is time for.
    assert!(answers.open.len() <= 3, "{:#?}", answers.open);
    assert!(answers.right >= 23, "{}", answers.right);
}

/// The generator's tasks, of which a part is decided here; `scripts/verify-tasks.py` takes all.
#[test]
fn no_verdict_of_generated_tasks_is_wrong() {
    let here = folder("verify-generated");
    let generator = root().join("tests/verify/generate.py");
    let written = Command::new("python3").arg(generator).arg(&here).output();
    let written = written.expect("python3 is installed");
    assert!(written.status.success(), "{written:?}");
    let mut all = Vec::new();
    tasks(&here, &mut all);
    assert!(all.len() >= 1000, "{}", all.len());
    let mut answers = Answers::default();
    for file in all.iter().step_by(23) {
        answers.ask(file, "2s");
    }
    assert!(answers.wrong.is_empty(), "{:#?}", answers.wrong);
    assert!(answers.right >= 80, "{} {:#?}", answers.right, answers.open);
}

/// A billion paths and more, each task with a few merges; and one whose paths are few and whose merged questions are hard.
#[test]
fn what_only_one_way_of_exploring_decides_is_decided() {
    let here = folder("verify-hard");
    let generator = root().join("tests/verify/generate.py");
    let written = Command::new("python3").arg(generator).arg(&here).output();
    assert!(written.expect("python3 is installed").status.success());
    let property = here
        .join("properties/unreach-call.prp")
        .display()
        .to_string();
    for (task, expected) in [
        ("balance", "TRUE"),
        ("bounded_sum_bug", "FALSE(unreach-call)"),
        ("even_steps", "TRUE"),
        ("flag_word_bug", "FALSE(unreach-call)"),
        ("parity_loop_1", "TRUE"),
        ("sort_six_1", "TRUE"),
    ] {
        let file = here
            .join("hard")
            .join(format!("{task}.yml"))
            .display()
            .to_string();
        let (answer, said, _) = verify(&[&file, "--property", &property, "--max-cpu-time", "20s"]);
        assert_eq!(answer, expected, "{task}: {said}");
    }
}

fn hand(name: &str) -> String {
    root()
        .join("tests/verify/hand")
        .join(name)
        .display()
        .to_string()
}

#[test]
fn a_witness_and_a_suite_say_what_was_found() {
    let here = folder("verify-evidence");
    let (witness, suite) = (here.join("w.yml"), here.join("suite"));
    let (witness, suite) = (witness.display().to_string(), suite.display().to_string());
    let program = hand("array_offbyone.c");
    let property = hand("valid-memsafety.prp");
    let arguments = [
        "--property",
        &property,
        "--witness",
        &witness,
        "--test-suite",
        &suite,
    ];
    let (answer, said, code) = verify(&[&[program.as_str()], &arguments[..]].concat());
    assert_eq!((answer.as_str(), code), ("FALSE(valid-deref)", 1), "{said}");
    let text = std::fs::read_to_string(&witness).expect("written");
    let expected = "constraint:\n              value: \"\\\\result == 10\"\n              format: \"acsl_expression\"\n            \
                    location:\n              file_name: \"array_offbyone.c\"\n              line: 4\n              column: 33\n";
    assert!(text.contains(expected), "{text}");
    let target = text.split("type: \"target\"").nth(1).expect("it has one");
    assert!(target.contains("line: 7\n"), "{text}");
    let files = std::fs::read_dir(&suite).expect("written").count();
    assert!(files >= 2, "{files}");
    let tests = std::fs::read_dir(&suite).expect("written");
    let tests = tests.map(|e| std::fs::read_to_string(e.expect("there").path()).expect("text"));
    assert_eq!(
        tests.filter(|t| t.contains("coversError=\"true\"")).count(),
        1
    );
}

#[test]
fn a_preprocessed_program_has_its_own_lines() {
    let here = folder("verify-preprocessed");
    let program = "# 1 \"original.c\"\n# 1 \"<built-in>\" 1\n# 1 \"original.c\" 2\nextern int __VERIFIER_nondet_int(void);\n\
                   extern void __assert_fail(const char *, const char *, unsigned int, const char *);\n\
                   # 90 \"original.c\"\nvoid reach_error() { __assert_fail(\"0\", \"original.c\", 90, \"reach_error\"); }\n\
                   int main() {\n  int x = __VERIFIER_nondet_int();\n  if (x == 77)\n    reach_error();\n  return 0;\n}\n";
    std::fs::write(here.join("p.i"), program).expect("writable");
    let file = here.join("p.i").display().to_string();
    let witness = here.join("w.yml").display().to_string();
    let property = hand("unreach-call.prp");
    let (answer, said, _) = verify(&[&file, "--property", &property, "--witness", &witness]);
    assert_eq!(answer, "FALSE(unreach-call)", "{said}");
    let text = std::fs::read_to_string(&witness).expect("written");
    assert!(text.contains("\\\\result == 77"), "{text}");
    // The call of the input is in line 9 of the preprocessed file, which came from line 92 of another.
    assert!(
        text.contains("line: 9\n              column: 33\n"),
        "{text}"
    );
    assert!(text.contains("line: 11\n"), "{text}");
}

#[test]
fn an_abort_ends_a_program_and_violates_nothing() {
    let here = folder("verify-abort");
    let program = "void abort(void);\nvoid *malloc(unsigned long);\nvoid free(void *);\nint __VERIFIER_nondet_int(void);\n\
                   int main(void) {\n  char *p = malloc(4);\n  int x = __VERIFIER_nondet_int();\n  if (LOST) p = 0;\n  \
                   if (x > 3) abort();\n  free(p);\n  return 0;\n}\n";
    for (lost, property, expected) in [
        ("0", "unreach-call", "TRUE"),
        ("0", "valid-memsafety", "TRUE"),
        ("x == 4", "valid-memsafety", "FALSE(valid-memtrack)"),
        ("0", "no-overflow", "TRUE"),
    ] {
        let file = here.join(format!("{property}.c"));
        std::fs::write(&file, program.replace("LOST", lost)).expect("writable");
        let file = file.display().to_string();
        let (answer, said, _) = verify(&[&file, "--property", &hand(&format!("{property}.prp"))]);
        assert_eq!(answer, expected, "{lost} {property} {said}");
    }
    // Whether memory that an abort leaves counts as not freed is not defined.
    let cleanup = here.join("cleanup.prp");
    std::fs::write(&cleanup, "CHECK( init(main()), LTL(G valid-memcleanup) )\n").expect("writable");
    let file = here.join("unreach-call.c").display().to_string();
    let (answer, _, code) = verify(&[&file, "--property", &cleanup.display().to_string()]);
    assert!(
        answer.starts_with("UNKNOWN (memory was not freed when the program aborted"),
        "{answer}"
    );
    assert_eq!(code, 2);
}

/// Programs that do something else with another input, environment or arguments, which no task describes.
#[test]
fn what_a_program_asks_of_its_surroundings_leaves_a_verdict_open() {
    let here = folder("verify-surroundings");
    let property = hand("unreach-call.prp");
    let programs = [
        ("int getchar(void);", "int c = getchar();", "calls getchar"),
        (
            "int getchar(void); static int (*const get[1])(void) = {getchar};",
            "int c = get[0]();",
            "calls getchar",
        ),
        (
            "char *getenv(const char *);",
            "int c = getenv(\"X\") != 0;",
            "calls getenv",
        ),
        (
            "extern char **environ;",
            "int c = environ[0] != 0;",
            "environ, which is not",
        ),
        ("", "int c = argc;", "main looks at its arguments"),
    ];
    for (i, (declared, asks, expected)) in programs.into_iter().enumerate() {
        let program = format!(
            "{declared}\nvoid reach_error(void);\nint main(int argc, char **argv) {{ {asks} if (c == 120) reach_error(); return 0; }}\n"
        );
        let file = here.join(format!("p{i}.c"));
        std::fs::write(&file, program).expect("writable");
        let (answer, said, _) = verify(&[&file.display().to_string(), "--property", &property]);
        assert!(
            answer.starts_with("UNKNOWN (") && answer.contains(expected),
            "{answer} {said}"
        );
    }
    // Code that no path enters asks nothing; a table that holds the function may lead to it from anywhere.
    let unreached = [
        ("", "if (x > 5 && x < 3) x = getchar();", "TRUE"),
        ("", "if (x > 5 && x < 8) x = getchar();", "UNKNOWN"),
        ("", "if (x > 5 && x < 3) x = environ != 0;", "TRUE"),
        (
            "int (*get)(void) = getchar;",
            "if (x > 5 && x < 3) x = get();",
            "UNKNOWN",
        ),
        (
            "static void ask(void) { getchar(); }",
            "if (x > 5 && x < 3) ask();",
            "TRUE",
        ),
        (
            "static void ask(void) { getchar(); }",
            "void (*f)(void) = ask; f();",
            "UNKNOWN",
        ),
    ];
    for (i, (declared, asks, expected)) in unreached.into_iter().enumerate() {
        let program = format!(
            "extern int getchar(void), __VERIFIER_nondet_int(void);\nextern char **environ;\n{declared}\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); {asks} return 0; }}\n"
        );
        let file = here.join(format!("unreached{i}.c"));
        std::fs::write(&file, program).expect("writable");
        let (answer, said, _) = verify(&[&file.display().to_string(), "--property", &property]);
        assert!(answer.starts_with(expected), "{i}: {answer} {said}");
    }
    // What only prints, or has arguments that it does not look at, depends on nothing else.
    let program = "#include <stdio.h>\nint main(int argc, char **argv) { fprintf(stderr, \"%d\", 3); puts(\"x\"); return 0; }\n";
    let file = here.join("prints.c");
    std::fs::write(&file, program).expect("writable");
    let (answer, said, _) = verify(&[&file.display().to_string(), "--property", &property]);
    assert_eq!(answer, "TRUE", "{said}");
}

/// Which of two objects is lost depends on an input that no branch looks at: under the path's own value none may be. If both are kept
/// somewhere else, none is lost.
#[test]
fn a_pointer_that_inputs_choose_does_not_hide_what_is_lost() {
    let here = folder("verify-chosen");
    let (file, property) = (here.join("p.c"), here.join("memtrack.prp"));
    std::fs::write(&property, "CHECK( init(main()), LTL(G valid-memtrack) )\n").expect("writable");
    for (kept, verdict) in [
        ("g = b;", "FALSE(valid-memtrack)"),
        ("g = b; h = a;", "TRUE"),
    ] {
        let program = format!(
            "unsigned __VERIFIER_nondet_uint(void);\nvoid *malloc(unsigned long);\nint *g, *h, *keep;\nint main(void) {{\n  \
             int *a = malloc(4), *b = malloc(4);\n  int *t[2] = {{a, b}};\n  {kept}\n  keep = t[__VERIFIER_nondet_uint() & 1];\n  \
             return 0;\n}}\n"
        );
        std::fs::write(&file, program).expect("writable");
        let (file, property) = (file.display().to_string(), property.display().to_string());
        let (answer, said, _) = verify(&[&file, "--property", &property]);
        assert_eq!(answer, verdict, "{kept} {said}");
    }
}

#[test]
fn a_suite_needs_a_place() {
    let here = folder("verify-suite");
    let property = root().join("tests/verify/properties/coverage-branches.prp");
    let (property, program) = (property.display().to_string(), hand("array_offbyone.c"));
    let (answer, _, code) = verify(&[&program, "--property", &property]);
    assert!(
        answer.starts_with("UNKNOWN (the answer is a test suite"),
        "{answer}"
    );
    assert_eq!(code, 2);
    let suite = here.join("suite").display().to_string();
    let (answer, _, code) = verify(&[&program, "--property", &property, "--test-suite", &suite]);
    assert_eq!((answer.as_str(), code), ("DONE", 0));
    assert!(here.join("suite/metadata.xml").is_file());
}

#[test]
fn what_is_wrong_is_said_in_one_sentence() {
    let here = folder("verify-wrong");
    let write = |name: &str, text: &str| {
        std::fs::write(here.join(name), text).expect("writable");
        here.join(name).display().to_string()
    };
    let property = hand("unreach-call.prp");
    let program = hand("bits_popcount.c");
    let bad_task = write("bad.yml", "format_version: '3.5'\n");
    let bad_property = write("bad.prp", "CHECK( everything )\n");
    let narrow = write(
        "narrow.yml",
        &format!(
            "format_version: '2.0'\ninput_files: '{program}'\nproperties:\n  - property_file: '{property}'\noptions: {{language: C, data_model: ILP32}}\n"
        ),
    );
    let several = write(
        "several.yml",
        &format!(
            "format_version: '2.0'\ninput_files: '{program}'\nproperties:\n  - property_file: a.prp\n  - property_file: b.prp\n"
        ),
    );
    let cases: [(&[&str], i32, &str); 6] = [
        (
            &[&program],
            64,
            "needs --property FILE.prp, which says what is asked",
        ),
        (
            &[&bad_task],
            65,
            "bad.yml: format_version 3.5 is not known: expected '1.0' or '2.0'",
        ),
        (
            &[&program, "--property", &bad_property],
            65,
            "bad.prp:1: expected CHECK( init(main()), LTL(...) )",
        ),
        (&[&several], 64, "has 2 properties; --property says which"),
        (&["nowhere.c", "--property", &property], 65, "nowhere.c"),
        (&["nowhere.yml"], 65, "nowhere.yml: cannot be read"),
    ];
    for (arguments, expected, sentence) in cases {
        let (answer, said, code) = verify(arguments);
        assert_eq!((answer.as_str(), code), ("", expected), "{said}");
        assert!(
            said.contains(sentence) && said.lines().count() == 1,
            "{said}"
        );
    }
    let (answer, _, code) = verify(&[&narrow]);
    assert_eq!(
        answer,
        "UNKNOWN (data model ILP32: 32-bit programs are not supported yet)"
    );
    assert_eq!(code, 2);
    // The property of the program's own entry is taken from the property file.
    let (answer, said, _) = verify(&[&program, "--property", &property, "--json"]);
    assert_eq!(answer, "{", "{said}");
    assert!(PropertyFile::read(Path::new(&property)).is_ok());
}

#[test]
fn the_page_about_it_is_true() {
    assert_eq!(pages::follow("verify.md", &folder("verify-page")), 3);
}
