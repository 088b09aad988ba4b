//! What is recorded about a program's output: the file, and what counts as the same.

use cairn_replay::{
    BuildOptions, End, Expectation, NativeProgram, OUTPUT_LIMIT, Outcome, Record, Verdict,
};
use std::path::PathBuf;

fn expectation(exit: i32, stdout: &[u8], stderr: &[u8]) -> Expectation {
    Expectation {
        exit: Some(exit),
        stdout: Some(stdout.to_vec()),
        stderr: Some(stderr.to_vec()),
        ..Expectation::default()
    }
}

fn outcome(end: End, output: &[u8], errors: &[u8]) -> Outcome {
    Outcome {
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
    assert_eq!(Expectation::read(&bytes).expect("it is one"), written);
    let signal = Expectation {
        signal: Some(15),
        stdout: Some(all),
        ..Expectation::default()
    };
    let read = Expectation::read(&signal.to_bytes()).expect("it is one");
    assert_eq!(read, signal);
    let nothing = Expectation::read(b"{\"exit\": null, \"stdout\": null}").expect("it is one");
    assert_eq!(nothing, Expectation::default());
    assert_eq!(nothing.to_bytes(), b"{}\n");
}

#[test]
fn long_outputs_are_cut_and_only_their_beginning_is_compared() {
    let program = program();
    let long = vec![b'x'; OUTPUT_LIMIT + 10];
    let read = Expectation::read(&expectation(0, &long, b"short").to_bytes()).expect("it is one");
    assert!(read.cut);
    assert_eq!(read.stdout.as_ref().map(Vec::len), Some(OUTPUT_LIMIT));
    let judged = |output: &[u8]| {
        read.judge(
            &Record::Normal,
            &outcome(End::Exit(0), output, b"short!"),
            &program,
        )
    };
    assert_eq!(judged(&long).verdict, Verdict::Reached);
    // The other one was not cut.
    let errors = judged(&long).errors.expect("it differs");
    assert_eq!((errors.stream, errors.offset), ("stderr", 5));
    assert_eq!(
        judged(&long[..OUTPUT_LIMIT - 1]).verdict,
        Verdict::NotReached
    );

    let exact = expectation(0, &long[..OUTPUT_LIMIT], b"");
    let read = Expectation::read(&exact.to_bytes()).expect("it is one");
    assert!(!read.cut);
    let judged = read.judge(
        &Record::Normal,
        &outcome(End::Exit(0), &long, b""),
        &program,
    );
    assert_eq!(judged.verdict, Verdict::NotReached);
}

#[test]
fn ends_and_outputs_are_compared() {
    let program = program();
    let expected = expectation(0, b"3 words\n", b"");
    let judged = |end: End, output: &[u8], errors: &[u8]| {
        expected.judge(&Record::Normal, &outcome(end, output, errors), &program)
    };
    let same = judged(End::Exit(0), b"3 words\n", b"");
    assert_eq!(
        (same.verdict, same.output, same.errors),
        (Verdict::Reached, None, None)
    );
    assert_eq!(
        judged(End::Exit(1), b"3 words\n", b"").verdict,
        Verdict::NotReached
    );
    assert_eq!(
        judged(End::Signal(6), b"3 words\n", b"").verdict,
        Verdict::NotReached
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
        assert_eq!(judged.verdict, Verdict::NotReached);
        assert_eq!(judged.output.expect("it differs").to_string(), sentence);
    }
    // Standard error is told, and counts for nothing here.
    let other = judged(End::Exit(0), b"3 words\n", b"wc: ?\n");
    assert_eq!(other.verdict, Verdict::Reached);
    assert_eq!(other.errors.expect("it differs").offset, 0);
}

#[test]
fn after_a_crash_one_output_is_the_beginning_of_the_other() {
    let program = program();
    let crash = Expectation {
        stdout: Some(b"before".to_vec()),
        ..Expectation::default()
    };
    let abort = Record::Error("abort".to_string());
    let pointer = Record::Error("ptr".to_string());
    let judged = |record: &Record, end: End, output: &[u8]| {
        crash
            .judge(record, &outcome(end, output, b""), &program)
            .verdict
    };
    assert_eq!(judged(&abort, End::Signal(6), b""), Verdict::Reached);
    assert_eq!(
        judged(&abort, End::Signal(6), b"before and"),
        Verdict::Reached
    );
    assert_eq!(
        judged(&abort, End::Signal(6), b"behind"),
        Verdict::NotReached
    );
    assert_eq!(judged(&abort, End::Exit(0), b"before"), Verdict::NotReached);
    // An error that does not show: the program went on.
    let quiet = judged(&pointer, End::Exit(0), b"before and after");
    assert!(matches!(quiet, Verdict::NotConfirmed(_)));
    assert_eq!(
        judged(&pointer, End::Exit(0), b"never"),
        Verdict::NotReached
    );

    let killed = Expectation {
        signal: Some(15),
        ..Expectation::default()
    };
    for (end, verdict) in [
        (End::Signal(15), Verdict::Reached),
        (End::Signal(6), Verdict::NotReached),
        (End::Exit(0), Verdict::NotReached),
    ] {
        let judged = killed.judge(&Record::Normal, &outcome(end, b"", b""), &program);
        assert_eq!(judged.verdict, verdict);
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
        let message = match Expectation::read(text.as_bytes()) {
            Ok(found) => panic!("{text}: {found:?}"),
            Err(e) => e.to_string(),
        };
        assert!(message.starts_with(expected), "{text}: {message}");
    }
}
