//! Programs of `tests/programs` as RISC-V executables: the findings are those of the run through LLVM.
//!
//! Every eighth program is taken that has a heap, an assertion, an abort, a division or a plain answer;
//! `cairn-bench riscv findings` takes all of them, and says which differences machine code explains.

use cairn_home::ScratchFolder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CROSS: &str = "/usr/riscv64-linux-gnu";
const COMPILERS: &str = "/usr/lib/gcc-cross/riscv64-linux-gnu";
/// One of so many programs is taken.
const EVERY: usize = 8;

/// Links a program with glibc and the header; false if it is none for this machine.
fn build(source: &Path, program: &Path, folder: &Path) -> bool {
    let version = std::fs::read_dir(COMPILERS).expect("the cross compiler is installed");
    let version = version.map(|v| v.unwrap().path()).max().unwrap();
    let known = folder.join("known.c");
    std::fs::write(&known, "#include <cairn/riscv.h>\n").unwrap();
    let mut compiler = Command::new("clang-19");
    compiler
        .args(["--target=riscv64-linux-gnu", "-static", "-fuse-ld=lld"])
        .args(["-O0", "-g", "-w"])
        .arg(format!("--sysroot={CROSS}"))
        .arg(format!("-I{CROSS}/include"))
        .arg(format!("-I{}", folder.display()));
    for path in [Path::new(CROSS).join("lib"), version] {
        compiler
            .arg(format!("-L{}", path.display()))
            .arg(format!("-B{}", path.display()));
    }
    let made = compiler.arg(known).arg(source).arg("-o").arg(program);
    made.output()
        .expect("clang-19 is installed")
        .status
        .success()
}

/// The kinds and lines of findings.
fn findings(program: &Path, folder: &Path) -> BTreeSet<(String, u64)> {
    let results = folder.join("results");
    let _ = std::fs::remove_dir_all(&results);
    let done = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--json", "--no-tests", "--output-dir"])
        .arg(&results)
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let said = String::from_utf8_lossy(&done.stderr);
    let summary: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{}: {e}: {text}{said}", program.display()));
    let all = summary["findings"].as_array().unwrap().iter();
    all.map(|f| {
        let kind = f["kind"].as_str().unwrap().to_string();
        (kind, f["line"].as_u64().unwrap())
    })
    .collect()
}

/// Whether machine code has what the answer of a program speaks of: arithmetic that C leaves open has a
/// meaning there, neither frames nor segments are divided into objects, and an access goes to what is at its address.
fn comparable(text: &str) -> bool {
    let answers: Vec<&str> = text.lines().filter(|l| l.starts_with("//@ ")).collect();
    let kind = |l: &&str| {
        l.strip_prefix("//@ finding: ")?
            .split(' ')
            .next()
            .map(str::to_string)
    };
    let kinds: Vec<String> = answers.iter().filter_map(kind).collect();
    let plain = ["abort", "assert", "free", "div", "user", "none"];
    let on_heap = text.contains("malloc(") || text.contains("calloc(");
    let seen = |k: &String| plain.contains(&k.as_str()) || (k == "ptr" && on_heap);
    let flags = answers.iter().any(|l| l.starts_with("//@ run: "));
    let by_address = answers.iter().any(|l| l.contains("where objects lie"));
    let asks_sizes = text.contains("klee_get_obj_size");
    !answers.is_empty() && !flags && !by_address && !asks_sizes && kinds.iter().all(seen)
}

#[test]
fn executables_have_the_findings_of_their_sources() {
    let folder = ScratchFolder::new().unwrap();
    let headers = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("headers")
        .arg(folder.path())
        .status();
    assert!(headers.unwrap().success());
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(programs)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|f| f.extension().is_some_and(|e| e == "c"))
        .filter(|f| comparable(&std::fs::read_to_string(f).unwrap()))
        .collect();
    files.sort();
    let program = folder.path().join("program.elf");
    let (mut compared, mut found) = (0, 0);
    for file in files.iter().step_by(EVERY) {
        if !build(file, &program, folder.path()) {
            continue;
        }
        let ours = findings(&program, folder.path());
        let theirs = findings(file, folder.path());
        assert_eq!(ours, theirs, "{}", file.display());
        compared += 1;
        found += ours.len();
    }
    assert!(
        compared >= 15 && found >= 3,
        "{compared} programs, {found} findings"
    );
}
