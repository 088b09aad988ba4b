//! Bad input gives one clear sentence.

use cairn_llvm::{CompileError, LowerOptions, compile, load, load_bytes};
use std::path::{Path, PathBuf};

fn error(bytes: &[u8]) -> String {
    match load_bytes("in.ll", bytes, &LowerOptions::default()) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors");
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}

#[test]
fn not_a_module() {
    assert_eq!(
        error(b""),
        "in.ll: not a valid LLVM module: the file is empty"
    );
    assert!(error(b"\x7fELF\x02\x01").contains("machine-code file"));
    assert!(error(b"a\0b").contains("neither LLVM bitcode nor LLVM assembly text"));
    assert!(error(b"BC\xC0\xDE").starts_with("in.ll: not a valid LLVM module: "));
    assert!(error(b"BC\xC0\xDEgarbage that is long enough").starts_with("in.ll: not a valid"));
}

#[test]
fn text_errors_have_line_and_column() {
    assert_eq!(
        error(b"define i32 @f() {\n  ret i33 0\n}\n"),
        "in.ll:2:7: not a valid LLVM module: value doesn't match function result type 'i32'"
    );
    assert_eq!(
        error(b"int main() { return 0; }"),
        "in.ll:1:1: not a valid LLVM module: expected top-level entity"
    );
}

#[test]
fn the_verifier_is_asked() {
    let text = "
define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}";
    let message = error(text.as_bytes());
    assert!(
        message.contains("Instruction does not dominate all uses"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn other_machines_are_refused() {
    for text in [
        "target triple = \"aarch64-unknown-linux-gnu\"",
        "target datalayout = \"E-p:64:64\"",
        "target triple = \"i686-pc-linux-gnu\"",
    ] {
        let message = error(text.as_bytes());
        assert!(
            message.ends_with("but only x86-64 is supported"),
            "{message}"
        );
    }
}

#[test]
fn other_widths_of_pointers_are_refused() {
    for (text, bytes) in [
        ("target datalayout = \"e-p:32:32\"", 4),
        ("target datalayout = \"e-p:16:16\"", 2),
        (
            "target datalayout = \"e-m:e-p:32:32\"\ntarget triple = \"i686-pc-linux-gnu\"",
            4,
        ),
    ] {
        let message = error(text.as_bytes());
        let expected =
            format!("its pointers have {bytes} bytes, but only pointers of 8 bytes are supported");
        assert!(message.ends_with(&expected), "{message}");
    }
}

#[test]
fn missing_files_are_named() {
    let path = Path::new("/nowhere/to/be/found.bc");
    let message = load(path, &LowerOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("/nowhere/to/be/found.bc: No such file"),
        "{message}"
    );
}

#[test]
fn the_compiler_speaks() {
    let source = scratch("bad.c");
    std::fs::write(&source, "int f( { return }\n").unwrap();
    let error = compile(&source, &[], &scratch("bad.bc")).unwrap_err();
    assert!(matches!(error, CompileError::Failed { .. }));
    let message = error.to_string();
    assert!(message.contains("bad.c:1:8: error:"), "{message}");
}
