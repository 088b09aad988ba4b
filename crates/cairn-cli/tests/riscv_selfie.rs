//! An executable as the compiler of the Selfie project lays it out: fourteen instructions (RISC-U), an ELF
//! file of a header and two segments with code at 0x10000 and data after it, no sections and no
//! symbols, a heap that grows by `brk`, and words that come by `read`.

use cairn_home::ScratchFolder;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Takes a page of heap, reads a word into it, and exits with 1 if it is 49, with 99 if there are arguments.
/// It divides by the word minus 50.
const SOURCE: &str = "
  lui gp, 17
  addi gp, gp, 16
  addi a0, zero, 0
  addi a7, zero, 214
  ecall
  addi a0, a0, 7
  addi t0, zero, 8
  remu t1, a0, t0
  sub a0, a0, t1
  sd a0, -8(gp)
  addi a0, a0, 16
  addi a7, zero, 214
  ecall
  ld t2, -8(gp)
  ld t0, 0(sp)
  addi t1, zero, 1
  beq t0, t1, alone
  addi a0, zero, 99
  jal zero, leave
alone:
  addi a0, zero, 0
  addi a1, t2, 0
  addi a2, zero, 8
  addi a7, zero, 63
  ecall
  ld t0, 0(t2)
  addi t1, zero, 49
  sub t1, t0, t1
  beq t1, zero, found
  addi t1, zero, 50
  sub t1, t0, t1
  divu a0, t0, t1
  addi a0, zero, 0
  jal zero, leave
found:
  addi a0, zero, 1
leave:
  addi a7, zero, 93
  ecall
";

const CODE: u64 = 0x10000;
const DATA: u64 = 0x11000;
const PAGE: u64 = 0x1000;

/// The words of the code.
fn assembled(folder: &Path) -> Vec<u8> {
    let (source, object) = (folder.join("code.s"), folder.join("code.o"));
    let flat = folder.join("code.bin");
    std::fs::write(&source, SOURCE).unwrap();
    let run = |command: &mut Command| {
        let done = command.output().expect("LLVM's tools are installed");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{said}");
    };
    run(Command::new("clang-19")
        .args(["--target=riscv64-unknown-elf", "-march=rv64im"])
        .args(["-mno-relax", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&object));
    run(Command::new("llvm-objcopy-19")
        .args(["-O", "binary", "-j", ".text"])
        .arg(&object)
        .arg(&flat));
    std::fs::read(flat).unwrap()
}

/// The file: a header, two segments, and each on a page of its own.
fn executable(code: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(*b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    file.extend([2, 0, 243, 0, 1, 0, 0, 0]);
    let sections: u64 = 0;
    for word in [CODE, 64, sections] {
        file.extend(word.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 2, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let segments = [(5u32, PAGE, CODE, code), (6, 2 * PAGE, DATA, data)];
    for (flags, offset, address, bytes) in segments {
        file.extend(1u32.to_le_bytes());
        file.extend(flags.to_le_bytes());
        let size = bytes.len() as u64;
        for word in [offset, address, address, size, size, PAGE] {
            file.extend(word.to_le_bytes());
        }
    }
    for (_, offset, _, bytes) in segments {
        file.resize(offset as usize, 0);
        file.extend(bytes);
    }
    file
}

#[test]
fn words_that_are_read_are_inputs_and_exit_codes_tell_paths_apart() {
    let folder = ScratchFolder::new().unwrap();
    let program = folder.path().join("selfie.m");
    let code = assembled(folder.path());
    assert_eq!(code.len(), 4 * 36, "no instruction is a short one");
    std::fs::write(&program, executable(&code, &[0; 16])).unwrap();
    let explore = |words: &[&str], args: &[&str]| -> serde_json::Value {
        let done = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["run", "--json", "--output-dir"])
            .arg(folder.path().join("results"))
            .args(words)
            .arg(&program)
            .arg("--")
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        let text = String::from_utf8_lossy(&done.stdout);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{said}"))
    };
    let expectations = |wanted: &str| {
        let files = std::fs::read_dir(folder.path().join("results")).unwrap();
        let files = files.map(|f| f.unwrap().path());
        let files = files.filter(|f| f.extension().is_some_and(|e| e == "expect"));
        let has = |f: &PathBuf| std::fs::read_to_string(f).unwrap().contains(wanted);
        files.filter(has).collect::<Vec<PathBuf>>()
    };
    let summary = explore(&[], &["--sym-stdin", "8"]);
    assert_eq!(summary["paths"]["completed"], 2, "{summary}");
    assert_eq!(summary["abi"], "selfie", "by its layout");
    let findings = summary["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{summary}");
    assert_eq!(findings[0]["kind"], "div");
    let message = findings[0]["message"].as_str().unwrap();
    // There is no name and no line: the address is the place of `divu`.
    assert!(message.contains("(at 0x10078)"), "{message}");
    let [found] = &expectations("{\"exit\":1,")[..] else {
        panic!("{summary}")
    };
    let test = std::fs::read(found.with_extension("ktest")).unwrap();
    let word = 49u64.to_le_bytes();
    assert!(test.windows(8).any(|bytes| bytes == word));
    assert_eq!(expectations("{\"exit\":0,").len(), 1);
    // With the processor's division there is nothing wrong.
    let _ = std::fs::remove_dir_all(folder.path().join("results"));
    let summary = explore(&["--defined-division"], &["--sym-stdin", "8"]);
    assert_eq!(summary["paths"]["completed"], 2, "{summary}");
    assert!(summary["findings"].as_array().unwrap().is_empty());
    // Arguments are on the stack as Selfie puts them: how many, then where.
    let _ = std::fs::remove_dir_all(folder.path().join("results"));
    explore(&[], &["one"]);
    assert_eq!(expectations("{\"exit\":99,").len(), 1);
}
