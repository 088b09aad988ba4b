//! The command line of `cairn ktest`: what it prints, makes and refuses.

mod support;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use support::folder;

/// Runs `cairn ktest` in a folder, so that paths are printed as a user types them.
fn ktest(folder: &PathBuf, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("ktest")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built")
}

fn printed(folder: &PathBuf, arguments: &[&str]) -> String {
    let output = ktest(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout).expect("utf-8")
}

fn refused(folder: &PathBuf, arguments: &[&str], code: i32) -> String {
    let output = ktest(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// How the test of eight objects is printed.
const PRINTED: &str = r#"ktest file : 'a.ktest'
args       : ['prog.bc', '-x', "it's"]
num objects: 8
object 0: name: 'x'
object 0: size: 4
object 0: data: b'\x00\x00\x00\x80'
object 0: hex : 0x00000080
object 0: int : -2147483648
object 0: uint: 2147483648
object 0: text: ....
object 1: name: 'buf'
object 1: size: 13
object 1: data: b'A\\\'"\n\t\x00\x7f\x80\xe9\x00\x00\x00'
object 1: hex : 0x415c27220a09007f80e9000000
object 1: text: A\'".........
object 2: name: 'file'
object 2: size: 6
object 2: data: b"it's\x00\xff"
object 2: hex : 0x6974277300ff
object 2: text: it's..
object 3: name: 's'
object 3: size: 3
object 3: data: b'a=b'
object 3: hex : 0x613d62
object 3: text: a=b
object 4: name: 'b'
object 4: size: 1
object 4: data: b'\xc8'
object 4: hex : 0xc8
object 4: int : -56
object 4: uint: 200
object 4: text: .
object 5: name: 'h'
object 5: size: 2
object 5: data: b'\xfe\xff'
object 5: hex : 0xfeff
object 5: int : -2
object 5: uint: 65534
object 5: text: ..
object 6: name: 'l'
object 6: size: 8
object 6: data: b'\xff\xff\xff\xff\xff\xff\xff\xff'
object 6: hex : 0xffffffffffffffff
object 6: int : -1
object 6: uint: 18446744073709551615
object 6: text: ........
object 7: name: 'none'
object 7: size: 0
object 7: data: b''
object 7: hex : 0x
object 7: text: 
"#;

#[test]
fn a_test_is_made_and_printed_in_the_layout_that_scripts_read() {
    let here = folder("ktest-print");
    std::fs::write(here.join("content"), b"it's\x00\xff").expect("writable");
    let made = [
        "--gen",
        "a.ktest",
        "--arg",
        "prog.bc",
        "--arg",
        "-x",
        "--arg",
        "it's",
        "--object",
        "x=int:-2147483648",
        "--object",
        "buf=hex:415c27220a09007f80e9000000",
        "--object",
        "file=content",
        "--object",
        "s=str:a=b",
        "--object",
        "b=int8:200",
        "--object",
        "h=int16:-2",
        "--object",
        "l=int64:-1",
        "--object",
        "none=str:",
    ];
    assert_eq!(printed(&here, &made), "");
    let expected = PRINTED;
    assert_eq!(printed(&here, &["a.ktest"]), expected);
    // Two files follow each other without a line between them.
    let twice = printed(&here, &["a.ktest", "a.ktest"]);
    assert_eq!(twice, format!("{expected}{expected}"));

    let trimmed = printed(&here, &["--trim-zeros", "a.ktest"]);
    for line in [
        "object 0: size: 4\n",
        "object 0: int : -2147483648\n",
        "object 1: size: 13\n",
        "object 1: data: b'A\\\\\\'\"\\n\\t\\x00\\x7f\\x80\\xe9'\n",
        "object 1: hex : 0x415c27220a09007f80e9\n",
        "object 1: text: A\\'\"......\n",
    ] {
        assert!(trimmed.contains(line), "{line} in {trimmed}");
    }

    assert_eq!(
        printed(
            &here,
            &[
                "--extract",
                "buf",
                "--extract",
                "s",
                "--trim-zeros",
                "a.ktest"
            ]
        ),
        ""
    );
    let taken = std::fs::read(here.join("a.ktest.buf")).expect("it was written");
    assert_eq!(taken, b"A\\'\"\n\t\x00\x7f\x80\xe9");
    assert_eq!(
        std::fs::read(here.join("a.ktest.s")).expect("written"),
        b"a=b"
    );
    let message = refused(&here, &["--extract", "nobody", "a.ktest"], 65);
    assert_eq!(message, "cairn: a.ktest: there is no object nobody\n");
}

#[test]
fn numbers_of_objects_are_aligned_when_there_are_many() {
    let here = folder("ktest-many");
    let mut arguments = vec!["--gen", "m.ktest"];
    for _ in 0..11 {
        arguments.extend(["--object", "o=int8:1"]);
    }
    printed(&here, &arguments);
    let text = printed(&here, &["m.ktest"]);
    assert!(text.starts_with("ktest file : 'm.ktest'\nargs       : []\nnum objects: 11\n"));
    assert!(text.contains("object  0: name: 'o'\n") && text.contains("object 10: name: 'o'\n"));
}

#[test]
fn bad_files_and_bad_usage_are_one_sentence() {
    let here = folder("ktest-bad");
    std::fs::write(
        here.join("cut.ktest"),
        b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x09a",
    )
    .expect("ok");
    let message = refused(&here, &["cut.ktest"], 65);
    assert_eq!(
        message,
        "cairn: cut.ktest: offset 17: expected argument 0 (9 bytes), but only 1 bytes are left\n"
    );
    assert!(refused(&here, &["missing.ktest"], 65).contains("missing.ktest: No such file"));
    for (object, expected) in [
        ("x", "expected NAME=CONTENT"),
        ("x=hex:123", "even number of hexadecimal digits"),
        ("x=int:5000000000", "expected a number of 4 bytes"),
    ] {
        let message = refused(&here, &["--gen", "x.ktest", "--object", object], 64);
        assert!(message.contains(expected), "{message}");
    }
    assert!(refused(&here, &["--gen", "x.ktest", "--object", "x=no/file"], 65).contains("no/file"));
    assert!(!here.join("x.ktest").exists());
}
