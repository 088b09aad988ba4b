//! Programs linked with musl: on the concrete machine they must print what they print natively, and
//! end in the same way.
//!
//! The programs in `musl/` print a line for each case. Both sides run the same bitcode; the native
//! one is linked with the same musl, as `scripts/libc.sh` made it. Where that is missing there is
//! nothing to compare, and the tests say so and pass: making it needs the network.

use cairn_ir::Program;
use cairn_linux::{Abi, Setup, StreamKind};
use cairn_llvm::{IndexedArchive, LibraryLink, LoadError, LowerOptions, Lowered};
use cairn_machine::{Cause, End, Image, MachineConfig, START, begin_with};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Operations after which a program is taken not to end.
const LIMIT: u64 = 1 << 32;

/// Where musl is, if it was set up.
fn musl() -> Option<PathBuf> {
    let named = std::env::var_os("CAIRN_LIBC").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let above = here.ancestors().map(|folder| folder.join(".deps/musl"));
    let found = named
        .into_iter()
        .chain(above)
        .find(|folder| folder.join("libc.bca").is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "musl is not set up: run ./setup"
        );
        eprintln!("musl is not set up: nothing is compared; run scripts/libc.sh");
    }
    found
}

/// A folder of a test's own, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cairn-musl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        Scratch(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn must_run(command: &mut Command) {
    let ran = command.stdin(Stdio::null()).output().expect("it starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {said}");
}

fn compile(musl: &Path, source: &Path, level: &str, bitcode: &Path) {
    let include = musl.join("include").display().to_string();
    let flags = [level, "-w", "-nostdlibinc", "-isystem", &include].map(str::to_string);
    cairn_llvm::compile(source, &flags, bitcode).expect("it compiles");
}

fn link_natively(musl: &Path, bitcode: &Path, program: &Path) {
    let lib = musl.join("lib");
    let builtins = Command::new("clang-19")
        .arg("-print-libgcc-file-name")
        .output()
        .expect("clang");
    let builtins = String::from_utf8_lossy(&builtins.stdout).trim().to_string();
    must_run(
        Command::new("clang-19")
            .args(["-w", "-static", "-nostdlib"])
            .args([lib.join("crt1.o"), lib.join("crti.o")])
            .arg(bitcode)
            .args([lib.join("libc.a"), builtins.into(), lib.join("crtn.o")])
            .arg("-o")
            .arg(program),
    );
}

fn lower(musl: &Path, name: &str, bitcode: &[u8]) -> Result<Lowered, LoadError> {
    let library = IndexedArchive::open(&musl.join("libc.bca"))?;
    let options = LowerOptions {
        defined_elsewhere: cairn_machine::native_names_beside_libc()
            .map(str::to_string)
            .collect(),
        ..LowerOptions::default()
    };
    let with = LibraryLink {
        library: &library,
        start: START,
    };
    cairn_llvm::load_linked(name, bitcode, &options, with)
}

fn linked(musl: &Path, bitcode: &Path) -> Program {
    let bytes = std::fs::read(bitcode).expect("just made");
    let lowered = lower(musl, &bitcode.to_string_lossy(), &bytes).expect("it links");
    cairn_ir::verify::verify(&lowered.program).expect("it is sound");
    lowered.program
}

/// What a program did: its output, and its exit code, or its signal as a negative number.
type Behaviour = (String, Result<i32, String>);

fn run_ours(mut program: Program, args: &[&str]) -> (String, End) {
    let main = program.find_function("main").expect("a main");
    let start = begin_with(&mut program, main);
    cairn_ir::verify::verify(&program).expect("it is sound with its entry");
    let args: Vec<Vec<u8>> = args.iter().map(|a| a.as_bytes().to_vec()).collect();
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let config = MachineConfig {
        limit: Some(LIMIT),
        ..MachineConfig::default()
    };
    let setup = Setup {
        output_kind: StreamKind::Pipe,
        ..Setup::new(Abi::X86_64)
    };
    let end = Image::new(Arc::new(program), config)
        .expect("it fits")
        .with_system(&setup)
        .expect("an ordinary system")
        .machine(&mut output, &mut errors)
        .run(start, &args);
    (String::from_utf8_lossy(&output).into_owned(), end)
}

fn ours(program: Program, args: &[&str]) -> Behaviour {
    let (output, end) = run_ours(program, args);
    let end = match end {
        End::Exit(code) => Ok(code & 0xff),
        End::Abort(_) => Ok(-6),
        other => Err(format!("{other:?}")),
    };
    (output, end)
}

fn natively(program: &Path, args: &[&str]) -> Behaviour {
    let ran = Command::new(program)
        .args(&args[1..])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let status = ran.status;
    let end = status.code().or_else(|| status.signal().map(|s| -s));
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    (output, Ok(end.expect("it ended")))
}

/// Compares a program at a level of optimisation; how many lines it printed.
fn compare(musl: &Path, name: &str, level: &str, runs: &[&[&str]]) -> usize {
    let scratch = Scratch::new(&format!("{name}{level}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/musl")
        .join(format!("{name}.c"));
    let (bitcode, native) = (scratch.file("program.bc"), scratch.file("program"));
    compile(musl, &source, level, &bitcode);
    link_natively(musl, &bitcode, &native);
    let mut lines = 0;
    for args in runs {
        let (expected, expected_end) = natively(&native, args);
        let (output, end) = ours(linked(musl, &bitcode), args);
        for (i, (ours, native)) in output.lines().zip(expected.lines()).enumerate() {
            assert_eq!(ours, native, "{name} {level} {args:?}: line {}", i + 1);
        }
        assert_eq!(end, expected_end, "{name} {level} {args:?}");
        assert_eq!(output, expected, "{name} {level} {args:?}");
        lines += expected.lines().count();
    }
    lines
}

const ALONE: &[&[&str]] = &[&["program"]];

#[test]
fn programs_do_as_they_do_natively() {
    let Some(musl) = musl() else { return };
    let mut lines = 0;
    for name in [
        "print", "scan", "strings", "library", "files", "jumps", "math",
    ] {
        lines += compare(&musl, name, "-O0", ALONE);
    }
    // Optimised code holds variables in other places across jumps, and asks for other functions.
    for name in ["jumps", "strings", "math"] {
        lines += compare(&musl, name, "-O2", ALONE);
    }
    assert!(lines >= 2000, "only {lines} cases were compared");
}

#[test]
fn programs_end_as_they_do_natively() {
    let Some(musl) = musl() else { return };
    let runs: &[&[&str]] = &[
        &["program"],
        &["program", "1"],
        &["program", "1", "2"],
        &["program", "1", "2", "3"],
        &["program", "1", "2", "3", "4"],
        &["program", "1", "2", "3", "4", "5"],
    ];
    compare(&musl, "ends", "-O0", runs);
}

/// The program of a text, compiled with the headers that the flags find.
fn from_text(scratch: &Scratch, text: &str, flags: &[String]) -> Vec<u8> {
    let (source, bitcode) = (scratch.file("program.c"), scratch.file("program.bc"));
    std::fs::write(&source, text).expect("room");
    cairn_llvm::compile(&source, flags, &bitcode).expect("it compiles");
    std::fs::read(&bitcode).expect("just made")
}

/// Names that glibc's headers make of those in the source, without the headers.
#[test]
fn names_of_glibc_are_understood() {
    let Some(musl) = musl() else { return };
    let scratch = Scratch::new("glibc");
    let text = r#"
        typedef unsigned long size_t;
        int __printf_chk(int, const char *, ...);
        int __sprintf_chk(char *, int, size_t, const char *, ...);
        int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
        int __isoc99_sscanf(const char *, const char *, ...);
        long __isoc23_strtol(const char *, char **, int);
        void *__memcpy_chk(void *, const void *, size_t, size_t);
        char *__strcpy_chk(char *, const char *, size_t);
        const unsigned short **__ctype_b_loc(void);
        const int **__ctype_toupper_loc(void);
        int *__errno_location(void);
        void *rawmemchr(const void *, int);
        unsigned gnu_dev_major(unsigned long long);
        void error(int, int, const char *, ...);
        int main(int argc, char **argv) {
            char line[40], other[40];
            int number = 0;
            __sprintf_chk(line, 1, sizeof line, "%d %s", 12, "text");
            __isoc99_sscanf(line, "%d %39s", &number, other);
            __printf_chk(1, "%d %s %ld\n", number, other, __isoc23_strtol("77", 0, 10));
            __memcpy_chk(other, "copied", 7, sizeof other);
            __printf_chk(1, "%s %d %c\n", other, (*__ctype_b_loc())['a'] != 0,
                         (*__ctype_toupper_loc())['q']);
            __printf_chk(1, "%d %u\n", (int)((char *)rawmemchr(line, 't') - line),
                         gnu_dev_major(0x801));
            *__errno_location() = 2;
            if (argc > 1) __strcpy_chk(line, "longer than this", 5);
            error(3, 0, "message %d", 1);
            return 0;
        }"#;
    let bitcode = from_text(&scratch, text, &[]);
    let program = || lower(&musl, "program", &bitcode).expect("it links").program;
    let (output, end) = ours(program(), &["program"]);
    assert_eq!(output, "12 text 77\ncopied 1 Q\n3 8\n");
    assert_eq!(end, Ok(3));
    // A target that is too small ends the program.
    assert_eq!(ours(program(), &["program", "1"]).1, Ok(-6));
}

#[test]
fn the_inside_of_glibcs_files_is_refused_by_name() {
    let Some(musl) = musl() else { return };
    let scratch = Scratch::new("inside");
    let text = "int __uflow(void *); int main(void) { return __uflow(0); }";
    let bitcode = from_text(&scratch, text, &[]);
    let error = lower(&musl, "program", &bitcode).expect_err("it is refused");
    assert!(error.to_string().contains("uses __uflow"), "{error}");
}

/// A program's own functions come first, also for the library.
#[test]
fn a_program_may_have_functions_of_the_library_itself() {
    let Some(musl) = musl() else { return };
    let scratch = Scratch::new("own");
    let text = r#"
        int printf(const char *, ...);
        int puts(const char *text) { return printf("<%s>\n", text); }
        char *getenv(const char *name) { return "mine"; }
        int main(void) { puts("text"); puts(getenv("X")); return 0; }"#;
    let bitcode = from_text(&scratch, text, &["-fno-builtin".to_string()]);
    let program = lower(&musl, "program", &bitcode).expect("it links").program;
    assert_eq!(
        ours(program, &["program"]),
        ("<text>\n<mine>\n".into(), Ok(0))
    );
}

#[test]
fn only_what_is_used_is_linked() {
    let Some(musl) = musl() else { return };
    let scratch = Scratch::new("small");
    let bitcode = from_text(&scratch, "int main(void) { return 3; }", &[]);
    let program = lower(&musl, "program", &bitcode).expect("it links").program;
    let bodies = program
        .functions
        .iter()
        .filter(|f| f.body.is_some())
        .count();
    assert!(bodies < 60, "{bodies} functions");
    assert!(program.find_function("printf").is_none());
    assert_eq!(ours(program, &["program"]).1, Ok(3));
}

/// Jumps that C does not define are errors of the program; without any library, too.
#[test]
fn jumps_to_nowhere_are_found() {
    let scratch = Scratch::new("jumps");
    let head = "typedef long jmp_buf[25]; int _setjmp(long *); void longjmp(long *, int);
        static jmp_buf buffer;
        static int set(void) { return _setjmp(buffer); }
        static int other(void) { volatile int x = 1; longjmp(buffer, 1); return x; }";
    let cases = [
        ("set(); other();", "a call that has returned"),
        ("set(); longjmp(buffer, 1);", "a call that has returned"),
        ("longjmp(buffer, 1);", "that setjmp did not fill"),
        (
            "if (_setjmp(buffer) == 0) { buffer[5]++; other(); }",
            "that setjmp did not fill",
        ),
        ("if (_setjmp(buffer) == 0) other();", ""),
    ];
    for (body, expected) in cases {
        let text = format!("{head} int main(void) {{ {body} return 0; }}");
        let bitcode = from_text(&scratch, &text, &["-w".to_string()]);
        let lowered = cairn_llvm::load_bytes("program", &bitcode, &LowerOptions::default());
        let (_, end) = run_ours(lowered.expect("it loads").program, &["program"]);
        match end {
            End::Exit(0) => assert_eq!(expected, "", "{body}"),
            End::Error(report) => {
                assert!(matches!(report.cause, Cause::Check(_)), "{report:?}");
                assert!(
                    !expected.is_empty() && report.message.contains(expected),
                    "{report:?}"
                );
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}
