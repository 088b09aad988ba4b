//! Values of an argument that are said to mean the same: each call with every value of small ranges and with
//! values around each limit, against the value that stands for its class.

mod common;

use cairn_linux::{Abi, Reply, Setup, StandardInput, Stream};
use cairn_memory::Word;
use common::Process;

/// A process with standard input of 4 bytes; a file of 7 bytes, at its third byte, at 5 and 9; a pipe of 3
/// bytes at 3 and 4.
fn process() -> Process {
    let mut setup = Setup::new(Abi::X86_64);
    setup.stdin = StandardInput::Bytes(b"abcd".as_slice().into());
    let mut p = Process::new(&setup);
    let file = p.open("seven", 0o102, 0o644).unwrap();
    assert_eq!(p.write(file, b"1234567"), Ok(7));
    assert_eq!(p.plain("lseek", &[file, 3, 0]), Ok(3));
    for number in [5, 9] {
        assert_eq!(p.plain("dup2", &[file, number]), Ok(number));
    }
    assert_eq!(p.plain("close", &[file]), Ok(0));
    let ends = p.buffer;
    assert_eq!(p.call("pipe2", &[ends, Word::int(0o4000)]), Ok(0));
    assert_eq!(p.write(4, b"xyz"), Ok(3));
    p
}

/// All that a program can find out after a call.
fn seen(p: &mut Process, buffer: Word, room: usize) -> String {
    let mut bytes = vec![0; room];
    p.memory.load_bytes(buffer, &mut bytes).unwrap();
    let open: Vec<u32> = p.kernel.descriptors().collect();
    let mut text = format!("{bytes:?} {open:?} {}", p.kernel.output(Stream::Output).1);
    for fd in open {
        let at = p.plain("lseek", &[u64::from(fd), 0, 1]);
        let flags = p.plain("fcntl", &[u64::from(fd), 1]);
        text += &format!(" {fd}:{at:?}:{flags:?}");
    }
    text
}

/// Makes a call with every interesting value of an argument; gives how many classes there were.
fn compare(name: &str, index: usize, args: &dyn Fn(Word) -> Vec<Word>, fill: &[u8]) -> usize {
    let mut p = process();
    let buffer = p.bytes(fill);
    let given = args(buffer);
    let number = Abi::X86_64.number(name).unwrap();
    let mut words = [Word::int(0); 6];
    words[..given.len()].copy_from_slice(&given);
    let classes = p.kernel.classes(&p.memory, number, &words, index);
    let classes = classes.unwrap_or_else(|| panic!("{name} has classes"));
    let limits = [1023, 1024, 1025, 1 << 20, 0x7fff_f000, i32::MAX as u64];
    let around = limits.iter().flat_map(|limit| limit - 1..limit + 2);
    let large = [u64::from(u32::MAX) - 1, u64::from(u32::MAX)];
    let mut seen_classes = std::collections::BTreeSet::new();
    for value in (0..=200).chain(around).chain(large) {
        let range = classes.of(value);
        assert!(range.0 <= value && value <= range.1);
        seen_classes.insert(range);
        let outcome = |value: u64| {
            let mut p = p.clone();
            let mut given = given.clone();
            given[index] = Word::int(value);
            let reply = p.reply(name, &given);
            // A fault names how long the access was.
            let reply = match reply {
                Reply::Fault(_) => "a fault".to_string(),
                reply => format!("{reply:?}"),
            };
            (reply, seen(&mut p, buffer, fill.len()))
        };
        assert_eq!(
            outcome(value),
            outcome(classes.stands(range)),
            "{name} with {value}, for which {range:?} stands"
        );
    }
    seen_classes.len()
}

#[test]
fn lengths_of_reads_and_writes_in_one_class_are_answered_alike() {
    let length = Word::int(0);
    for fd in [0, 1, 3, 4, 5, 9, 77] {
        let three = |buffer| vec![Word::int(fd), buffer, length];
        for room in [1, 2, 4, 30] {
            compare("read", 2, &three, &vec![b'.'; room]);
        }
    }
    let classes = compare("read", 2, &|b| vec![Word::int(5), b, length], &[b'.'; 50]);
    // None to three of the four bytes that come, all of them, too many.
    assert_eq!(classes, 6);
    for fd in [0, 1, 2, 5, 77] {
        compare("write", 2, &|b| vec![Word::int(fd), b, length], &[b'.'; 9]);
        for position in [0, 2, 7, 9, u64::MAX] {
            let four = |b| vec![Word::int(fd), b, length, Word::int(position)];
            compare("pread64", 2, &four, &[b'.'; 9]);
            compare("pwrite64", 2, &four, &[b'.'; 9]);
            // Buffers that no byte may be read to or written from, whether any comes or not.
            let before = |b: Word| Word {
                bits: b.bits - 1,
                ..b
            };
            for nowhere in [&before as &dyn Fn(Word) -> Word, &|_| Word::int(16)] {
                let four = |b| vec![Word::int(fd), nowhere(b), length, Word::int(position)];
                compare("pread64", 2, &four, &[b'.'; 9]);
                compare("pwrite64", 2, &four, &[b'.'; 9]);
            }
        }
    }
}

#[test]
fn least_numbers_of_a_duplicate_in_one_class_are_answered_alike() {
    for command in [0, 1030] {
        for fd in [0, 77] {
            let three = |_| vec![Word::int(fd), Word::int(command), Word::int(0)];
            compare("fcntl", 2, &three, &[]);
        }
    }
}

#[test]
fn bounds_of_a_range_of_descriptors_in_one_class_are_answered_alike() {
    let p = process();
    let number = Abi::X86_64.number("close_range").unwrap();
    let words = [Word::int(0); 6];
    let classes = |index| p.kernel.classes(&p.memory, number, &words, index).unwrap();
    let (firsts, lasts) = (classes(0), classes(1));
    let closed = |first: u64, last: u64| {
        let mut p = p.clone();
        assert_eq!(p.plain("close_range", &[first, last, 0]), Ok(0));
        p.kernel.descriptors().collect::<Vec<u32>>()
    };
    for first in 0..15 {
        for last in (first..15).chain([u64::from(u32::MAX)]) {
            let stand = (
                firsts.stands(firsts.of(first)),
                lasts.stands(lasts.of(last)) & u64::from(u32::MAX),
            );
            assert_eq!(closed(first, last), closed(stand.0, stand.1));
        }
    }
}

#[test]
fn numbers_of_files_waited_for_in_one_class_are_answered_alike() {
    let none = Word::int(0);
    for (members, more) in [(0, 0), (0b10_0011, 0), (0b11, 1)] {
        // The set, and a time of zero after it.
        let mut set = [0u8; 144];
        (set[0], set[8]) = (members, more);
        let args = |set: Word| {
            let bits = set.bits + 128;
            vec![none, set, none, none, Word { bits, ..set }]
        };
        compare("select", 0, &args, &set);
    }
    let files: Vec<u8> = [0u32, 1, 5]
        .iter()
        .flat_map(|fd| [fd.to_le_bytes(), [5, 0, 0, 0]].concat())
        .collect();
    compare("poll", 1, &|b| vec![b, Word::int(0), Word::int(0)], &files);
}
