//! The file format: what is written is what KLEE writes, and any bytes can be read.

use cairn_random::Random;
use cairn_replay::{KTest, KTestError, KTestObject, KTestWriter};
use std::path::PathBuf;

fn sample() -> KTest {
    KTest {
        args: vec![b"prog.bc".to_vec(), b"-x".to_vec()],
        sym_argvs: 0,
        sym_argv_len: 0,
        objects: vec![
            KTestObject {
                name: b"a".to_vec(),
                bytes: vec![1, 0, 0, 0x80],
            },
            KTestObject {
                name: b"empty".to_vec(),
                bytes: Vec::new(),
            },
        ],
    }
}

/// Byte by byte as the format says, so that a mistake in the writer cannot hide in the reader.
const SAMPLE: &[u8] = b"KTEST\0\0\0\x03\
    \0\0\0\x02\0\0\0\x07prog.bc\0\0\0\x02-x\
    \0\0\0\0\0\0\0\0\
    \0\0\0\x02\0\0\0\x01a\0\0\0\x04\x01\0\0\x80\0\0\0\x05empty\0\0\0\0";

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    path
}

#[test]
fn a_test_is_written_byte_for_byte_and_read_back() {
    assert_eq!(sample().write(), SAMPLE);
    assert_eq!(KTest::read(SAMPLE), Ok(sample()));
}

#[test]
fn older_versions_and_the_older_magic_are_read() {
    let mut older = SAMPLE.to_vec();
    older[..5].copy_from_slice(b"BOUT\n");
    older[8] = 2;
    assert_eq!(KTest::read(&older), Ok(sample()));
    // Version 1 has no numbers about symbolic arguments.
    let mut oldest = older.clone();
    oldest[8] = 1;
    let behind_args = 5 + 4 + 4 + 4 + 7 + 4 + 2;
    oldest.drain(behind_args..behind_args + 8);
    assert_eq!(KTest::read(&oldest), Ok(sample()));
}

#[test]
fn every_cut_is_an_error_at_a_place_inside() {
    for end in 0..SAMPLE.len() {
        match KTest::read(&SAMPLE[..end]) {
            Err(KTestError::Magic) => assert!(end < 5),
            Err(KTestError::Short { offset, left, .. }) => assert_eq!(offset + left, end),
            other => panic!("cut at {end}: {other:?}"),
        }
    }
}

#[test]
fn damage_is_told_with_its_offset_and_what_was_expected() {
    let message = |bytes: &[u8]| KTest::read(bytes).expect_err("it is damaged").to_string();
    let mut damaged = SAMPLE.to_vec();
    damaged[8] = 4;
    assert_eq!(
        message(&damaged),
        "offset 5: expected version 1, 2 or 3, found 4"
    );
    let mut damaged = SAMPLE.to_vec();
    damaged.push(0);
    let end = SAMPLE.len();
    assert_eq!(
        message(&damaged),
        format!("offset {end}: expected the end of the file, but 1 bytes are left")
    );
    // A count and a length of four thousand million: nothing of that size is allocated.
    let mut damaged = SAMPLE.to_vec();
    damaged[9..13].fill(0xff);
    assert!(message(&damaged).starts_with("offset 13: expected 4294967295 arguments"));
    let mut damaged = SAMPLE.to_vec();
    damaged[13..17].fill(0xff);
    assert_eq!(
        message(&damaged),
        format!(
            "offset 17: expected argument 0 (4294967295 bytes), but only {} bytes are left",
            end - 17
        )
    );
    assert!(message(b"ELF").contains("KTEST"));
}

#[test]
fn any_bytes_are_read_or_refused_and_what_is_read_is_written_again() {
    // Damage of one to four bytes.
    let mut random = Random::new(1);
    let mut read = 0;
    for _ in 0..100_000 {
        let mut bytes = SAMPLE.to_vec();
        for _ in 0..1 + random.below(4) {
            let place = random.below(bytes.len());
            bytes[place] = random.next() as u8;
        }
        if let Ok(test) = KTest::read(&bytes) {
            read += 1;
            let again = KTest::read(&test.write());
            assert_eq!(again, Ok(test));
        }
    }
    assert!(read > 1000, "damage in content is no damage to the format");
}

#[test]
fn writing_leaves_whole_files_and_nothing_else() {
    let folder = folder("whole-files");
    let mut writer = KTestWriter::default();
    for number in 1..=20 {
        let mut test = sample();
        test.objects[0].bytes = vec![number as u8; 40 - number];
        let path = folder.join(format!("test{number:06}.ktest"));
        writer.write(&test, &path).expect("the folder is writable");
        let bytes = std::fs::read(&path).expect("it was written");
        assert_eq!(KTest::read(&bytes), Ok(test));
    }
    let names = std::fs::read_dir(&folder).expect("there is the folder");
    assert_eq!(names.count(), 20);
    // The target is a folder: the rename fails, and what was begun goes away.
    let taken = folder.join("taken.ktest");
    std::fs::create_dir(&taken).expect("the folder is writable");
    assert!(sample().write_atomically(&taken).is_err());
    assert!(!folder.join(".taken.ktest.part").exists());
}
