//! Files that never end, and things that are no files: one sentence and exit code 65, soon.

use crate::command::{err, folder, folder_with_program, out, shell};
use std::time::{Duration, Instant};

/// Longer than any refusal takes, shorter than reading gigabytes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn devices_folders_and_endless_files_are_refused() {
    let here = folder_with_program("endless");
    let made = shell(
        &here,
        "ln -s /dev/zero zero.bc; ln -s /dev/zero zero.c; ln -s /dev/zero zero.cir; \
         ln -s /dev/zero zero.ktest; ln -s /dev/zero zero.kquery; ln -s /dev/zero zero.path; \
         ln -s /dev/zero zero.ll; mkdir run.d; ln -s /dev/zero run.d/run.stats; mkdir folder.bc; \
         truncate -s 6G sparse.bc sparse.ktest sparse.kquery sparse.c sparse.expect; \
         printf '\\x7fELF\\2\\1' > elf; truncate -s 6G elf; cp --sparse=always elf riscv; \
         printf '\\xf3' | dd of=riscv bs=1 seek=18 conv=notrunc status=none; \
         cairn run p.c --quiet --output-dir out; cp out/test000001.ktest good.ktest; \
         cp good.ktest sparse2.ktest; ln -s sparse.expect sparse2.expect",
    );
    assert!(here.join("good.ktest").exists(), "{}", err(&made));
    for line in [
        "cairn ktest /dev/zero",
        "cairn ktest sparse.ktest",
        "cairn ktest folder.bc",
        "cairn ktest --gen t.ktest --sym-file /dev/zero",
        "cairn ktest --gen t.ktest --sym-stdin sparse.bc",
        "cairn replay p.c /dev/zero",
        "cairn replay p.c zero.ktest",
        "cairn replay p.c sparse2.ktest",
        "cairn replay zero.bc good.ktest",
        "cairn replay sparse.c good.ktest",
        "cairn run sparse.bc",
        "cairn run zero.bc",
        "cairn run zero.ll",
        "cairn run zero.c",
        "cairn run sparse.c",
        "cairn run zero.cir",
        "cairn run folder.bc",
        "cairn run elf",
        "cairn run riscv",
        "cairn run --concrete --ktest /dev/zero p.c",
        "cairn bitcode elf",
        "cairn run p.c --file /dev/zero",
        "cairn run p.c --file sparse.bc",
        "cairn run --libc musl p.c --ro-dir folder.bc --ro-dir .",
        "cairn solve zero.kquery",
        "cairn solve sparse.kquery",
        "cairn solve folder.bc",
        "cairn stats run.d",
    ] {
        let begin = Instant::now();
        let done = shell(
            &here,
            &format!(
                "ulimit -v 40000000; timeout 60 {}",
                line.replace("cairn", "\"$CAIRN\"")
            ),
        );
        let errors = err(&done);
        assert_eq!(done.status.code(), Some(65), "{line}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{line}: {errors}");
        assert!(begin.elapsed() < SOON, "{line} took {:?}", begin.elapsed());
    }
    for line in [
        "cairn klee --seed-file=/dev/zero p.c",
        "cairn klee --replay-path=zero.path p.c",
        "cairn klee --link-llvm-lib=sparse.bc p.c",
        "cairn klee zero.bc",
    ] {
        let done = shell(
            &here,
            &format!("timeout 60 {}", line.replace("cairn", "\"$CAIRN\"")),
        );
        assert_eq!(done.status.code(), Some(1), "{line}: {}", err(&done));
        assert!(
            err(&done).contains("KLEE: ERROR: "),
            "{line}: {}",
            err(&done)
        );
    }
}

#[test]
fn pipes_are_read_like_files() {
    let here = folder("pipes");
    let done = shell(
        &here,
        "cairn solve <(echo '(declare-const x (_ BitVec 8))(assert (= x #x05))(check-sat)')",
    );
    assert_eq!(
        (out(&done).as_str(), done.status.code()),
        ("sat\n", Some(0))
    );
    shell(&here, "cairn ktest --gen t.ktest --object x=:05");
    let made = shell(
        &here,
        "cairn ktest --gen t.ktest -- abc; cairn ktest <(cat t.ktest)",
    );
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert!(out(&made).contains("num objects:"), "{}", out(&made));
    // A pipe whose end comes after more than what is read at most.
    let done = shell(&here, "cairn ktest <(head -c 1100M /dev/zero)");
    assert_eq!(done.status.code(), Some(65), "{}", err(&done));
    assert!(err(&done).contains("longer than 1 GiB"), "{}", err(&done));
}

#[test]
fn an_error_is_said_once() {
    let here = folder_with_program("said-once");
    shell(&here, "mkfifo pipe; chmod 000 p.c");
    for line in [
        "cairn run no-such.bc",
        "cairn run p.c --file no-such",
        "cairn run p.c --output-dir /proc/x",
        "cairn run p.c --emit-cir /proc/x/y",
        "cairn replay no-such.c t.ktest",
        "cairn klee no-such.bc",
        "cairn klee --seed-file=no-such p.c",
        "cairn klee --link-llvm-lib=no-such p.c",
        "cairn solve no-such.smt2",
        "cairn stats no-such",
        "cairn headers /proc/x",
        "cairn ktest no-such",
        "cairn run p.c --file pipe",
    ] {
        let done = shell(&here, line);
        let errors = err(&done);
        assert_ne!(done.status.code(), Some(0), "{line}");
        let reasons = ["No such file or directory", "os error", "Permission denied"];
        for reason in reasons {
            assert!(errors.matches(reason).count() <= 1, "{line}: {errors}");
        }
    }
}
