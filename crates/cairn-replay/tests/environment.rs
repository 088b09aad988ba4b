//! Tests of whole programs: arguments, files and standard input, rebuilt and run natively.

use cairn_replay::{
    BuildOptions, ConcreteInput, End, KTest, KTestObject, NativeProgram, NativeRun,
    RecordedEnvironment, RunError, RunOptions,
};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

fn test(words: &str, objects: &[(&str, &[u8])]) -> KTest {
    KTest {
        args: std::iter::once("prog")
            .chain(words.split_whitespace())
            .map(|word| word.as_bytes().to_vec())
            .collect(),
        objects: objects
            .iter()
            .map(|(name, bytes)| KTestObject {
                name: name.as_bytes().to_vec(),
                bytes: bytes.to_vec(),
            })
            .collect(),
        ..KTest::default()
    }
}

fn environment(words: &str, objects: &[(&str, &[u8])]) -> RecordedEnvironment {
    RecordedEnvironment::of(&test(words, objects))
        .unwrap_or_else(|e| panic!("{words}: {e}"))
        .unwrap_or_else(|| panic!("{words}: there is an environment"))
}

fn arguments(words: &str, objects: &[(&str, &[u8])]) -> Vec<String> {
    let arguments = environment(words, objects).arguments;
    let text = |argument: &Vec<u8>| String::from_utf8_lossy(argument).into_owned();
    arguments.iter().map(text).collect()
}

fn refused(words: &str, objects: &[(&str, &[u8])]) -> String {
    match RecordedEnvironment::of(&test(words, objects)) {
        Ok(found) => panic!("{words}: {found:?}"),
        Err(e) => e.to_string(),
    }
}

/// A `stat` with this mode and these times.
fn stat(mode: u32, accessed: i64, modified: i64) -> Vec<u8> {
    let mut bytes = vec![0; 144];
    bytes[24..28].copy_from_slice(&mode.to_le_bytes());
    bytes[72..80].copy_from_slice(&accessed.to_le_bytes());
    bytes[88..96].copy_from_slice(&modified.to_le_bytes());
    bytes
}

/// An executable that knows nothing of tests, from its C source.
fn executable(name: &str, source: &str) -> NativeProgram {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("environment");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let (code, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&code, source).expect("the folder is writable");
    let built = Command::new("clang-19")
        .arg(&code)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "{name}");
    NativeProgram::build(&program, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn run(program: &NativeProgram, test: &KTest) -> NativeRun {
    program
        .run(test, &RunOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn printed(outcome: &NativeRun) -> String {
    String::from_utf8_lossy(&outcome.output).into_owned()
}

#[test]
fn arguments_stand_where_their_words_stood() {
    let n = |n: u32| n.to_le_bytes();
    assert_eq!(
        arguments(
            "-a --sym-args 0 3 4 mid -sym-arg 2 end --sym-args 0 1 1",
            &[
                ("n_args", &n(2)),
                ("arg00", b"one\0\0"),
                // The byte after the last was overwritten by a zero, whatever stands here.
                ("arg01", b"fourX"),
                ("arg02", b"\0ab"),
                ("n_args_1", &n(1)),
                ("arg03", b"z\0"),
                ("model_version", &n(1)),
            ]
        ),
        ["-a", "one", "four", "mid", "", "end", "z"]
    );
    // A range of one needs no object; older names; none at all.
    let old: &[(&str, &[u8])] = &[("arg0", b"x\0"), ("arg1", b"y\0")];
    assert_eq!(arguments("--sym-args 2 2 0x1", old), ["x", "y"]);
    let none: &[(&str, &[u8])] = &[("n_args", &n(0))];
    assert_eq!(
        arguments("--sym-args 0 2 8 --sym-stdout last", none),
        ["last"]
    );
}

#[test]
fn what_is_left_is_the_programs_own() {
    let regular = stat(0o100_644, 0, 0);
    for (file, file_stat, input_stat) in [
        ("A-data", "A-data-stat", "stdin-stat"),
        ("A_data", "A_data_stat", "stdin_stat"),
    ] {
        let found = environment(
            "--sym-files 1 2 --sym-stdin 3 --sym-stdout",
            &[
                (file, b"ab"),
                (file_stat, &regular),
                ("stdin", b"xyz"),
                (input_stat, &regular),
                ("stdout", &[0; 1024]),
                (input_stat.replace("in", "out").as_str(), &regular),
                ("model_version", &[1, 0, 0, 0]),
                ("x", &[1, 2, 3, 4]),
                ("stdin_1", &[5]),
                ("C-data", &[6]),
            ],
        );
        let left: Vec<&[u8]> = found.rest.objects.iter().map(|o| &*o.name).collect();
        assert_eq!(left, [&b"x"[..], b"stdin_1", b"C-data"]);
        assert_eq!(found.input.as_deref(), Some(&b"xyz"[..]));
        assert_eq!(found.notes, Vec::<String>::new());
    }
    // Without words a file with its `stat` is one, a mere name is not.
    let pair = environment("-x", &[("stdin", b"in"), ("stdin-stat", &regular)]);
    assert_eq!(pair.input.as_deref(), Some(&b"in"[..]));
    assert_eq!(pair.arguments, [b"-x"]);
    for plain in [
        test("", &[("stdin", b"in"), ("arg00", b"x")]),
        test("-x", &[("A-data", b"in"), ("model_version", &[1, 0, 0, 0])]),
    ] {
        assert_eq!(RecordedEnvironment::of(&plain), Ok(None));
    }
    // A kind of file that a replay does not make.
    let terminal = stat(0o020_620, 0, 0);
    let noted = environment(
        "--sym-stdin 2",
        &[("stdin", b"in"), ("stdin-stat", &terminal)],
    );
    assert_eq!(
        noted.notes,
        ["standard input is a character device in the test, but a regular file in the replay"]
    );
}

#[test]
fn words_and_objects_that_do_not_fit_are_named() {
    for (words, objects, expected) in [
        (
            "a --sym-args 1 2",
            &[][..],
            "--sym-args: expected the least and the greatest number and a length after it in \
             the arguments of the test",
        ),
        (
            "--sym-arg +1",
            &[],
            "--sym-arg: expected a length after it in the arguments of the test",
        ),
        (
            "--sym-args 1 2 3",
            &[],
            "the test has no object n_args, which --sym-args 1 2 3 needs",
        ),
        (
            "--sym-args 1 2 3",
            &[("n_args", &[3, 0, 0, 0][..])],
            "the object n_args does not fit --sym-args 1 2 3: expected 4 bytes with a number from \
             1 to 2",
        ),
        (
            "--sym-args 1 2 3",
            &[("n_args", &[2, 0, 0, 0]), ("arg00", b"a\0")],
            "the test has no object arg01, which --sym-args 1 2 3 needs",
        ),
        (
            "-sym-arg 3",
            &[("arg01", b"a\0\0\0")],
            "the test has no object arg00, which -sym-arg 3 needs",
        ),
        (
            "--sym-arg 3",
            &[("arg00", b"abcde")],
            "the object arg00 does not fit --sym-arg 3: expected at most 3 bytes and a zero",
        ),
        (
            "--sym-files 2 1",
            &[("A-data", b"a")],
            "the test has no object B-data, which --sym-files 2 1 needs",
        ),
        (
            "--sym-files 1000 1",
            &[],
            "the test has no object A-data, which --sym-files 1000 1 needs",
        ),
        (
            "--sym-stdin 4",
            &[],
            "the test has no object stdin, which --sym-stdin 4 needs",
        ),
        (
            "--fd-fail",
            &[],
            "--fd-fail: system calls that fail or do less are not replayed natively",
        ),
    ] {
        assert_eq!(refused(words, objects), expected);
    }
    let mut calls: Vec<(&str, &[u8])> = vec![
        ("read_fail", &[0; 4]),
        ("write_fail", &[0; 4]),
        ("close_fail", &[0; 4]),
        ("ftruncate_fail", &[0; 4]),
        ("getcwd_fail", &[0; 4]),
    ];
    assert_eq!(arguments("--max-fail 1 a", &calls), ["a"]);
    assert_eq!(arguments("--max-fail 0 a", &[]), ["a"]);
    let whole: &[(&str, &[u8])] = &[("short_reads", &[0, 2, 0])];
    assert_eq!(arguments("--short-reads a", whole), ["a"]);
    assert_eq!(
        refused("--short-reads a", &[("short_reads", &[0, 1, 0])]),
        "--short-reads: system calls that fail or do less are not replayed natively"
    );
    calls[1].1 = &[2, 0, 0, 0];
    assert_eq!(
        refused("--max-fail 1 a", &calls),
        "--max-fail 1: system calls that fail or do less are not replayed natively"
    );
}

const ECHO: &str = r#"
#include <stdio.h>
extern char **environ;
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    printf("[%s]", argv[i]);
  for (char **variable = environ; *variable; variable++)
    printf("<%s>", *variable);
  return argc;
}
"#;

#[test]
fn the_program_gets_its_arguments_and_no_variables() {
    let echo = executable("echo", ECHO);
    let given = test(
        "-n --sym-args 0 1 9",
        &[("n_args", &[1, 0, 0, 0]), ("arg00", b"a b\n'\xff\0\0\0\0")],
    );
    let outcome = run(&echo, &given);
    assert_eq!(outcome.end, End::Exit(3));
    assert_eq!(outcome.output, b"[prog][-n][a b\n'\xff]");
    let options = RunOptions {
        variables: vec![("LANG".into(), "C".into()), ("X".into(), "".into())],
        ..RunOptions::default()
    };
    let outcome = echo.run(&given, &options).expect("it runs");
    assert!(outcome.output.ends_with(b"]<LANG=C><X=>"));

    // A program from source is linked with the library, which shows as little.
    let source = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("environment/echo.c");
    let linked = NativeProgram::build(&source, &BuildOptions::default()).expect("it is built");
    assert_eq!(run(&linked, &given).output, b"[prog][-n][a b\n'\xff]");
    // It could have an object of its own; the executable could not.
    let mut more = given.clone();
    more.objects.push(KTestObject {
        name: b"x".to_vec(),
        bytes: vec![1],
    });
    assert_eq!(run(&linked, &more).end, End::Exit(3));
    let refused = echo.run(&more, &RunOptions::default());
    assert!(matches!(refused, Err(RunError::NotLinked { .. })));
}

#[test]
fn objects_of_the_program_itself_come_behind_those_of_its_environment() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("environment");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let source = folder.join("both.c");
    let text = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int own = klee_int("stdin");
  klee_assume(own != 3);
  printf("%d %d %d", own, getchar(), getenv("KTEST_FILE") != NULL);
  return argc;
}
"#;
    std::fs::write(&source, text).expect("the folder is writable");
    let program = NativeProgram::build(&source, &BuildOptions::default()).expect("it is built");
    let given = |own: u8| {
        test(
            "--sym-stdin 1",
            &[
                ("stdin", b"A"),
                ("stdin-stat", &[0; 144]),
                ("model_version", &[1, 0, 0, 0]),
                ("stdin_1", &[own, 0, 0, 0]),
            ],
        )
    };
    assert_eq!(printed(&run(&program, &given(7))), "7 65 0");
    // What the library says still arrives.
    assert_eq!(run(&program, &given(3)).end, End::AssumptionFailed);
}

const CAT: &str = r#"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char bytes[64];
  ssize_t count;
  off_t end = lseek(0, 0, SEEK_END);
  struct stat stat;
  fstat(0, &stat);
  lseek(0, 0, SEEK_SET);
  dprintf(1, "%d %d:", (int)end, S_ISREG(stat.st_mode));
  while ((count = read(0, bytes, sizeof bytes)) > 0)
    write(1, bytes, count);
  return 0;
}
"#;

#[test]
fn standard_input_is_a_file_with_all_its_bytes() {
    let cat = executable("cat", CAT);
    let given = test("--sym-stdin 5", &[("stdin", b"a\n\0\xffz")]);
    assert_eq!(run(&cat, &given).output, b"5 1:a\n\0\xffz");
    // Nothing was open: there is nothing to read.
    let given = test("--sym-arg 1", &[("arg00", b"x\0")]);
    assert_eq!(run(&cat, &given).output, b"0 0:");
}

const COPY: &str = r#"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
  struct dirent **entries;
  int count = scandir(".", &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    struct stat stat_of;
    if (entries[i]->d_name[0] == '.' || stat(entries[i]->d_name, &stat_of) != 0)
      continue;
    printf("%s %o %d %ld %ld\n", entries[i]->d_name, stat_of.st_mode & 07777, (int)stat_of.st_size,
           (long)stat_of.st_atim.tv_sec, (long)stat_of.st_mtim.tv_sec);
  }
  FILE *from = fopen("A", "rb"), *to = fopen("B", "wb");
  if (!from || !to)
    return 1;
  for (int byte; (byte = getc(from)) != EOF;)
    putc(byte, to);
  fclose(to);
  to = fopen("B", "rb");
  for (int byte; (byte = getc(to)) != EOF;)
    putchar(byte);
  char path[4096];
  printf("\n%s", realpath(".", path));
  /* What may be hard to remove. */
  mkdir("locked", 0755);
  fclose(fopen("locked/file", "w"));
  chmod("locked", 0);
  return 0;
}
"#;

#[test]
fn files_have_their_bytes_and_rights_and_are_removed_afterwards() {
    let copy = executable("copy", COPY);
    let objects: &[(&str, &[u8])] = &[
        ("A-data", b"he\0lo"),
        ("A-data-stat", &stat(0o100_640, 1_000, 2_000)),
        ("B-data", b"other"),
        // A `stat` that was not filled in.
        ("B-data-stat", &[0; 144]),
        ("model_version", &[1, 0, 0, 0]),
    ];
    let outcome = run(&copy, &test("--sym-files 2 5", objects));
    assert_eq!(outcome.end, End::Exit(0));
    let text = printed(&outcome);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        ["A 640 5 1000 2000", "B 644 5 0 0", "he\0lo"],
        "{text}"
    );
    let folder = PathBuf::from(lines[3]);
    assert!(folder.is_absolute() && !folder.exists(), "{text}");
    // Each run starts anew.
    assert!(printed(&run(&copy, &test("--sym-files 2 5", objects))).contains("B 644 5"));
}

#[test]
fn a_program_that_sleeps_is_ended_with_its_children_and_one_that_aborts_is_told() {
    let sleeper = executable(
        "sleeper",
        r#"
#include <unistd.h>
#include <stdio.h>
int main(void) {
  if (fork() == 0)
    for (;;)
      pause();
  dprintf(1, "awake");
  for (;;)
    pause();
}
"#,
    );
    let options = RunOptions {
        timeout: Duration::from_secs(1),
        ..RunOptions::default()
    };
    let given = test("--sym-arg 1", &[("arg00", b"x\0")]);
    let begun = Instant::now();
    let outcome = sleeper.run(&given, &options).expect("it runs");
    assert_eq!(outcome.end, End::TimedOut(options.timeout));
    assert_eq!(outcome.output, b"awake");
    assert!(begun.elapsed() < Duration::from_secs(60));

    let aborts = executable(
        "aborts",
        r#"
#include <stdlib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rlimit core, file;
  /* The limits come a moment after the start. */
  do {
    usleep(1000);
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_FSIZE, &file);
  } while (file.rlim_max == RLIM_INFINITY);
  dprintf(1, "%d %d", (int)core.rlim_max, (int)file.rlim_cur);
  if (argv[1][0] == 'x')
    abort();
}
"#,
    );
    let outcome = run(&aborts, &given);
    assert_eq!(outcome.end, End::Signal(6));
    assert_eq!(printed(&outcome), "0 1073741824");
}

#[test]
fn a_test_made_of_concrete_input_gives_that_input() {
    let input = ConcreteInput {
        literal: vec![b"wc".to_vec(), b"-l".to_vec()],
        arguments: vec![b"A".to_vec(), Vec::new()],
        files: vec![(b"abc".to_vec(), 0o600), (b"d".to_vec(), 0o755)],
        input: Some(b"in".to_vec()),
        objects: vec![KTestObject {
            name: b"x".to_vec(),
            bytes: vec![9],
        }],
    };
    let made = input.test();
    let words: Vec<&[u8]> = made.args.iter().map(|word| &**word).collect();
    let expected = "wc -l --sym-arg 1 --sym-arg 0 --sym-files 2 3 --sym-stdin 2";
    let expected: Vec<&[u8]> = expected.split(' ').map(str::as_bytes).collect();
    assert_eq!(words, expected);
    let names: Vec<&[u8]> = made.objects.iter().map(|object| &*object.name).collect();
    let expected =
        "arg00 arg01 A-data A-data-stat B-data B-data-stat stdin stdin-stat model_version x";
    let expected: Vec<&[u8]> = expected.split(' ').map(str::as_bytes).collect();
    assert_eq!(names, expected);
    let found = RecordedEnvironment::of(&made)
        .expect("it fits")
        .expect("it is one");
    assert_eq!(found.arguments, [&b"-l"[..], b"A", b""]);
    assert_eq!(found.input.as_deref(), Some(&b"in"[..]));
    assert_eq!(found.rest.objects, input.objects);

    // The program finds the files as they were written, the shorter one padded.
    let copy = executable("copy2", COPY);
    let mut executable_input = input.clone();
    executable_input.objects.clear();
    let text = printed(&run(&copy, &executable_input.test()));
    assert!(
        text.starts_with("A 600 3 0 0\nB 755 3 0 0\nabc\n"),
        "{text}"
    );

    // Nothing open: a test as it always was.
    let plain = ConcreteInput {
        literal: vec![b"p".to_vec()],
        ..ConcreteInput::default()
    };
    assert_eq!(RecordedEnvironment::of(&plain.test()), Ok(None));
    assert!(plain.test().objects.is_empty());
}
