//! Damaged input never ends in a crash: each of some hundred damaged files is loaded by a process
//! of its own, which must say yes or no.

use cairn_llvm::{EXIT_BAD_INPUT, LowerOptions, compile, guarded, load};
use cairn_random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILE: &str = "CAIRN_DAMAGED_FILE";

/// What the processes run; on its own it does nothing.
#[test]
fn child() {
    let Some(file) = std::env::var_os(FILE) else {
        return;
    };
    let path = Path::new(&file);
    let code = match guarded(path, || load(path, &LowerOptions::default())) {
        Ok(lowered) => match cairn_ir::verify::verify(&lowered.program) {
            Ok(()) => 0,
            Err(errors) => {
                eprintln!("{}", errors[0]);
                3
            }
        },
        Err(error) => {
            eprintln!("{error}");
            EXIT_BAD_INPUT
        }
    };
    std::process::exit(code);
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}

fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match random.below(6) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let at = random.below(bytes.len());
            let length = random.below(64).min(bytes.len() - at);
            bytes.drain(at..at + length);
        }
        2 => {
            let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
            let length = random.below(64).min(bytes.len() - from.max(to));
            let piece = bytes[from..from + length].to_vec();
            bytes[to..to + length].copy_from_slice(&piece);
        }
        _ => {
            for _ in 0..1 + random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = match random.below(3) {
                    0 => bytes[at] ^ (1 << random.below(8)),
                    1 => random.below(256) as u8,
                    _ => bytes[random.below(bytes.len())],
                };
            }
        }
    }
    bytes
}

fn run(original: &[u8], kind: &str, count: usize) {
    let mut random = Random::new(1);
    let path = scratch(&format!("damaged.{kind}"));
    let mut accepted = 0;
    for number in 0..count {
        std::fs::write(&path, damage(original, &mut random)).unwrap();
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(FILE, &path)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&ran.stderr);
        match ran.status.code() {
            Some(0) => accepted += 1,
            Some(EXIT_BAD_INPUT) => {
                let lines = messages.trim_end().lines().count();
                assert_eq!(lines, 1, "{kind} {number}: {messages}");
            }
            code => panic!("{kind} {number}: {code:?} {:?}: {messages}", ran.status),
        }
    }
    println!("{kind}: {accepted} of {count} accepted");
}

#[test]
fn damaged_bitcode() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/language.c");
    let output = scratch("original.bc");
    compile(&source, &["-O1".into(), "-Wno-psabi".into()], &output).unwrap();
    run(&std::fs::read(&output).unwrap(), "bc", 300);
}

#[test]
fn damaged_text() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/language.c");
    let output = scratch("original.ll");
    let flags = ["-O0", "-S", "-g0", "-Wno-psabi"].map(String::from);
    compile(&source, &flags, &output).unwrap();
    run(&std::fs::read(&output).unwrap(), "ll", 200);
}

#[test]
fn the_guard_turns_crashes_into_messages() {
    let path = scratch("deep.ll");
    let depth = 200_000;
    let text = format!(
        "@g = global {}i8{} zeroinitializer\n",
        "[1 x ".repeat(depth),
        "]".repeat(depth)
    );
    std::fs::write(&path, text).unwrap();
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(FILE, &path)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(EXIT_BAD_INPUT), "{ran:?}");
    let message = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        message.trim_end().ends_with("LLVM's reader crashed on it"),
        "{message}"
    );
}
