//! What is recorded about a program's output: the file, and what counts as the same.

use cairn_replay::{
    Agreement, BuildOptions, End, ExpectedEnd, ExpectedOutput, NativeProgram, NativeRun,
    OUTPUT_LIMIT,
};
use std::path::PathBuf;

fn expectation(exit: i32, stdout: &[u8], stderr: &[u8]) -> ExpectedOutput {
    ExpectedOutput {
        exit: Some(exit),
        stdout: Some(stdout.to_vec()),
        stderr: Some(stderr.to_vec()),
        ..ExpectedOutput::default()
    }
}

fn native_run(end: End, output: &[u8], errors: &[u8]) -> NativeRun {
    NativeRun {
        end,
        output: output.to_vec(),
        errors: errors.to_vec(),
        sent: Vec::new(),
        notes: Vec::new(),
    }
}

/// A program that was built without sanitizers.
fn program() -> NativeProgram {
    let script = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("expectation-{:?}", std::thread::current().id()));
    std::fs::write(&script, "#!/bin/sh\n").expect("the folder is writable");
    NativeProgram::build(&script, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_file_has_a_character_per_byte_and_is_read_back() {
    let all: Vec<u8> = (0..=255).collect();
    let written = expectation(3, b"a\"\n\xe9", b"");
    let bytes = written.to_bytes();
    let text = String::from_utf8(bytes.clone()).expect("it is UTF-8");
    assert_eq!(
        text,
        "{\"exit\":3,\"stdout\":\"a\\\"\\n\u{e9}\",\"stderr\":\"\"}\n"
    );
    assert_eq!(ExpectedOutput::read(&bytes).expect("it is one"), written);
    let signal = ExpectedOutput {
        signal: Some(15),
        stdout: Some(all),
        ..ExpectedOutput::default()
    };
    let read = ExpectedOutput::read(&signal.to_bytes()).expect("it is one");
    assert_eq!(read, signal);
    let nothing = ExpectedOutput::read(b"{\"exit\": null, \"stdout\": null}").expect("it is one");
    assert_eq!(nothing, ExpectedOutput::default());
    assert_eq!(nothing.to_bytes(), b"{}\n");
}

#[test]
fn long_outputs_are_cut_and_only_their_beginning_is_compared() {
    let program = program();
    let long = vec![b'x'; OUTPUT_LIMIT + 10];
    let read =
        ExpectedOutput::read(&expectation(0, &long, b"short").to_bytes()).expect("it is one");
    assert!(read.cut);
    assert_eq!(read.stdout.as_ref().map(Vec::len), Some(OUTPUT_LIMIT));
    let judged = |output: &[u8]| {
        read.judge(
            &ExpectedEnd::Normal,
            &native_run(End::Exit(0), output, b"short!"),
            &program,
        )
    };
    assert_eq!(judged(&long).agreement, Agreement::Reached);
    // The other one was not cut.
    let errors = judged(&long).errors.expect("it differs");
    assert_eq!((errors.stream, errors.offset), ("stderr", 5));
    assert_eq!(
        judged(&long[..OUTPUT_LIMIT - 1]).agreement,
        Agreement::NotReached
    );

    let exact = expectation(0, &long[..OUTPUT_LIMIT], b"");
    let read = ExpectedOutput::read(&exact.to_bytes()).expect("it is one");
    assert!(!read.cut);
    let judged = read.judge(
        &ExpectedEnd::Normal,
        &native_run(End::Exit(0), &long, b""),
        &program,
    );
    assert_eq!(judged.agreement, Agreement::NotReached);
}

#[test]
fn ends_and_outputs_are_compared() {
    let program = program();
    let expected = expectation(0, b"3 words\n", b"");
    let judged = |end: End, output: &[u8], errors: &[u8]| {
        expected.judge(
            &ExpectedEnd::Normal,
            &native_run(end, output, errors),
            &program,
        )
    };
    let same = judged(End::Exit(0), b"3 words\n", b"");
    assert_eq!(
        (same.agreement, same.output, same.errors),
        (Agreement::Reached, None, None)
    );
    assert_eq!(
        judged(End::Exit(1), b"3 words\n", b"").agreement,
        Agreement::NotReached
    );
    assert_eq!(
        judged(End::Signal(6), b"3 words\n", b"").agreement,
        Agreement::NotReached
    );
    for (output, sentence) in [
        (
            &b"4 words\n"[..],
            "stdout differs at byte 0: expected \"3 words\\n\", found \"4 words\\n\"",
        ),
        (
            b"3 wo",
            "stdout differs at byte 4: expected \"rds\\n\", found its end",
        ),
        (
            b"3 words\n\xffand more of them than fit",
            "stdout differs at byte 8: expected its end, found \"\\xffand more of the\"",
        ),
    ] {
        let judged = judged(End::Exit(0), output, b"");
        assert_eq!(judged.agreement, Agreement::NotReached);
        assert_eq!(judged.output.expect("it differs").to_string(), sentence);
    }
    // Standard error is told, and counts for nothing here.
    let other = judged(End::Exit(0), b"3 words\n", b"wc: ?\n");
    assert_eq!(other.agreement, Agreement::Reached);
    assert_eq!(other.errors.expect("it differs").offset, 0);
}

#[test]
fn after_a_crash_one_output_is_the_beginning_of_the_other() {
    let program = program();
    let crash = ExpectedOutput {
        stdout: Some(b"before".to_vec()),
        ..ExpectedOutput::default()
    };
    let abort = ExpectedEnd::Error("abort".to_string());
    let pointer = ExpectedEnd::Error("ptr".to_string());
    let judged = |record: &ExpectedEnd, end: End, output: &[u8]| {
        crash
            .judge(record, &native_run(end, output, b""), &program)
            .agreement
    };
    assert_eq!(judged(&abort, End::Signal(6), b""), Agreement::Reached);
    assert_eq!(
        judged(&abort, End::Signal(6), b"before and"),
        Agreement::Reached
    );
    assert_eq!(
        judged(&abort, End::Signal(6), b"behind"),
        Agreement::NotReached
    );
    assert_eq!(
        judged(&abort, End::Exit(0), b"before"),
        Agreement::NotReached
    );
    // An error that does not show: the program went on.
    let quiet = judged(&pointer, End::Exit(0), b"before and after");
    assert!(matches!(quiet, Agreement::NotConfirmed(_)));
    assert_eq!(
        judged(&pointer, End::Exit(0), b"never"),
        Agreement::NotReached
    );

    let killed = ExpectedOutput {
        signal: Some(15),
        ..ExpectedOutput::default()
    };
    for (end, agreement) in [
        (End::Signal(15), Agreement::Reached),
        (End::Signal(6), Agreement::NotReached),
        (End::Exit(0), Agreement::NotReached),
    ] {
        let judged = killed.judge(&ExpectedEnd::Normal, &native_run(end, b"", b""), &program);
        assert_eq!(judged.agreement, agreement);
    }
}

#[test]
fn what_is_no_expectation_is_told() {
    for (text, expected) in [
        ("", "expected a JSON object: EOF"),
        ("[1]", "expected a JSON object with keys among exit"),
        ("{\"stdot\": \"\"}", "key stdot: expected one of exit"),
        (
            "{\"exit\": 256}",
            "key exit: expected an exit code from 0 to 255",
        ),
        ("{\"exit\": \"0\"}", "key exit: expected"),
        ("{\"signal\": 0}", "key signal: expected"),
        ("{\"stdout\": 5}", "key stdout: expected a string"),
        (
            "{\"stderr\": \"\u{20ac}\"}",
            "key stderr: expected a string with a character up to U+00FF",
        ),
        ("{\"cut\": 1}", "key cut: expected true or false"),
    ] {
        let message = match ExpectedOutput::read(text.as_bytes()) {
            Ok(found) => panic!("{text}: {found:?}"),
            Err(e) => e.to_string(),
        };
        assert!(message.starts_with(expected), "{text}: {message}");
    }
}
