//! The program `cairn-cc`: what it compiles carries bitcode, what configure scripts try out does not.

use cairn_cc::{FrameContent, LinkedLibrary, parts};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("driver")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    folder
}

fn cairn_cc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn-cc"))
        .args(arguments)
        .current_dir(folder)
        .env("CAIRN_CC_LIBC", "host")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .expect("it was built")
}

#[test]
fn objects_carry_the_bitcode_of_their_source() {
    let folder = folder("objects");
    std::fs::write(folder.join("a.c"), "int a(void) { return 1; }\n").expect("writable");
    let made = cairn_cc(&folder, &["-O2", "-c", "a.c"]);
    assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
    let frames = parts(&folder.join("a.o")).expect("it has bitcode");
    assert_eq!(frames.len(), 1);
    assert_eq!(
        (frames[0].name.as_str(), frames[0].library),
        ("a.c", LinkedLibrary::Host)
    );
    assert!(matches!(&frames[0].content, FrameContent::Bitcode(b) if b.starts_with(b"BC")));
    // The compiler's object is in it, byte by byte, but for the place of its table.
    let clang = Command::new("clang-19")
        .args(["-O2", "-c", "a.c", "-o", "b.o"])
        .current_dir(&folder)
        .status();
    assert!(clang.expect("clang runs").success());
    let read = |name: &str| std::fs::read(folder.join(name)).expect("it was written");
    let (ours, theirs) = (read("a.o"), read("b.o"));
    assert_eq!(ours[64..theirs.len()], theirs[64..]);
}

#[test]
fn what_is_only_tried_out_is_only_compiled() {
    let folder = folder("tried");
    std::fs::write(folder.join("conftest.c"), "int main(void) { return 0; }\n").expect("writable");
    for arguments in [
        &["-c", "conftest.c", "-o", "x"][..],
        &["conftest.c", "-o", "x"],
    ] {
        let made = cairn_cc(&folder, arguments);
        assert!(made.status.success(), "{made:?}");
        let why = parts(&folder.join("x")).expect_err("nobody explores it");
        assert_eq!(why, "no bitcode in it: build it with `cairn cc`");
    }
}

#[test]
fn commands_at_the_same_time_do_not_meet() {
    let folder = folder("parallel");
    for n in 0..8 {
        let text =
            format!("int f{n}(void) {{ return {n}; }}\nint main(void) {{ return f{n}(); }}\n");
        std::fs::write(folder.join(format!("p{n}.c")), text).expect("writable");
    }
    // The first commands also make the folder that all of them use.
    std::thread::scope(|scope| {
        for n in 0..8 {
            let folder = &folder;
            scope.spawn(move || {
                let (source, program) = (format!("p{n}.c"), format!("p{n}"));
                let made = cairn_cc(folder, &[&source, "-o", &program]);
                assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
                let ran = Command::new(folder.join(&program))
                    .status()
                    .expect("it runs");
                assert_eq!(ran.code(), Some(n));
                let frames = parts(&folder.join(&program)).expect("it has bitcode");
                assert_eq!(frames.len(), 1);
                assert_eq!(frames[0].name, source);
            });
        }
    });
}

#[test]
fn a_source_that_asks_whether_it_is_optimised_gets_the_native_answer() {
    let folder = folder("optimised");
    let source = "int fast(void); int slow(void);\n\
                  #ifdef __OPTIMIZE__\nint a(void) { return fast(); }\n\
                  #else\nint a(void) { return slow(); }\n#endif\n";
    std::fs::write(folder.join("a.c"), source).expect("writable");
    for (flags, called) in [(&["-O2"][..], "fast"), (&["-O2", "-O0"], "slow")] {
        let made = cairn_cc(&folder, &[flags, &["-c", "a.c"]].concat());
        assert!(made.status.success(), "{made:?}");
        let frames = parts(&folder.join("a.o")).expect("it has bitcode");
        let FrameContent::Bitcode(bitcode) = &frames[0].content else {
            panic!("no bitcode");
        };
        let calls = |name: &str| bitcode.windows(4).any(|w| w == name.as_bytes());
        assert_eq!(
            (calls("fast"), calls("slow")),
            (called == "fast", called == "slow")
        );
    }
}

#[test]
fn what_its_flags_let_pass_has_bitcode() {
    let folder = folder("lenient");
    let text = "int f(void) { return undeclared(1); }\nint *p(long x) { int *q = x; return q; }\n";
    std::fs::write(folder.join("old.c"), text).expect("writable");
    let flags = "-Wno-implicit-function-declaration -Wno-error=int-conversion";
    let mut arguments: Vec<&str> = flags.split(' ').collect();
    arguments.extend(["-c", "old.c"]);
    let made = cairn_cc(&folder, &arguments);
    assert!(made.status.success(), "{made:?}");
    let frames = parts(&folder.join("old.o")).expect("it has bitcode");
    assert!(matches!(&frames[0].content, FrameContent::Bitcode(b) if b.starts_with(b"BC")));
}
