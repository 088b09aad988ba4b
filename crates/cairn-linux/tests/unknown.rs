//! Bytes that are not known: through files, in names, in structures; and what is set up unknown.

mod common;

use cairn_linux::{
    Abi, BitsRelation, Errno, HostFile, Need, Reply, Setup, StandardInput, Stream, SymbolicKind,
};
use cairn_memory::{Cell, ObjectKind, OriginId, ReadPart, Word};
use common::Process;

const READ_WRITE: u64 = 2;

fn origin(number: u32) -> Cell {
    Cell::Origin {
        origin: OriginId(number),
        offset: 0,
    }
}

/// Fills what is unknown, each object by an origin of its own.
fn fill(p: &mut Process) {
    let objects: Vec<_> = p.kernel.symbolic().to_vec();
    for (number, object) in objects.iter().enumerate() {
        let cell = origin(number as u32);
        p.memory.store_cell(object.at, object.size, cell).unwrap();
    }
}

fn parts(p: &Process, at: Word, length: u64) -> Vec<ReadPart> {
    let mut parts = Vec::new();
    p.memory.load_parts(at, length, &mut parts).unwrap();
    parts
}

fn setup() -> Setup {
    let mut setup = Setup::new(Abi::X86_64);
    setup.symbolic_files = 2;
    setup.symbolic_size = 10;
    setup.stdin = StandardInput::Symbolic(4);
    setup
}

#[test]
fn unknown_objects_have_the_names_of_tests() {
    let mut setup = setup();
    setup.symbolic_stdout = true;
    let p = Process::new(&setup);
    let list: Vec<(&str, u64)> = p
        .kernel
        .symbolic()
        .iter()
        .map(|object| (object.name.as_str(), object.size))
        .collect();
    let expected = [
        ("A-data", 10),
        ("A-data-stat", 144),
        ("B-data", 10),
        ("B-data-stat", 144),
        ("stdin", 4),
        ("stdin-stat", 144),
        ("stdout", 1024),
        ("stdout-stat", 144),
    ];
    assert_eq!(list, expected);
    assert_eq!(p.memory.heap_objects().count(), 1, "the test's own buffer");
}

#[test]
fn unknown_bytes_are_read_written_and_moved() {
    let mut p = Process::new(&setup());
    fill(&mut p);
    let fd = p.open("A", READ_WRITE, 0).unwrap();
    assert_eq!(p.plain("lseek", &[fd, 3, 0]), Ok(3));
    assert_eq!(
        p.call("read", &[Word::int(fd), p.buffer, Word::int(100)]),
        Ok(7)
    );
    let cell = Cell::Origin {
        origin: OriginId(0),
        offset: 3,
    };
    let whole = [ReadPart::Cell { cell, length: 7 }];
    assert_eq!(parts(&p, p.buffer, 7), whole);
    // Into another file, after known bytes, by way of a pipe, and to the output.
    let copy = p.open("copy", 0o102, 0o600).unwrap();
    p.write(copy, b"known").unwrap();
    for fd in [copy, 1] {
        let args = [Word::int(fd), p.buffer, Word::int(7)];
        assert_eq!(p.call("write", &args), Ok(7));
    }
    let (at, size) = p.kernel.file(b"copy").unwrap();
    assert_eq!(size, 12);
    let behind = Word {
        bits: at.unwrap().bits + 5,
        ..at.unwrap()
    };
    assert_eq!(parts(&p, behind, 7), whole);
    let (at, size) = p.kernel.output(Stream::Output);
    assert_eq!((parts(&p, at.unwrap(), size), size), (whole.to_vec(), 7));
    // A file that grows takes them along.
    assert_eq!(p.plain("ftruncate", &[copy, 100_000]), Ok(0));
    let (at, _) = p.kernel.file(b"copy").unwrap();
    let behind = Word {
        bits: at.unwrap().bits + 5,
        ..at.unwrap()
    };
    assert_eq!(parts(&p, behind, 7), whole);
}

#[test]
fn an_unknown_name_is_asked_for_and_nothing_happens() {
    let mut p = Process::new(&setup());
    let name = p.bytes(b"?\0tail");
    p.memory.store_cell(name, 1, origin(99)).unwrap();
    let args = [name, Word::int(0o102), Word::int(0o600)];
    let candidates = vec![b"A".to_vec(), b"B".to_vec()];
    let need = Need::Path {
        at: name,
        candidates,
        all_plain: true,
    };
    for _ in 0..2 {
        assert_eq!(p.reply("open", &args), Reply::Need(need.clone()));
    }
    p.memory.store_bytes(name, b"B").unwrap();
    assert_eq!(p.call("open", &args), Ok(3));
    // A name with a folder, of any length.
    p.named("mkdir", &[b"sub"], &[0o700]).unwrap();
    p.open("sub/x", 0o102, 0o600).unwrap();
    p.open("sub/yy", 0o102, 0o600).unwrap();
    let name = p.bytes(b"sub/??\0");
    let at = Word {
        bits: name.bits + 4,
        ..name
    };
    p.memory.store_cell(at, 2, origin(98)).unwrap();
    let Reply::Need(Need::Path { candidates, .. }) = p.reply("unlink", &[name]) else {
        panic!("the name is not known");
    };
    assert_eq!(candidates, [b"sub/x".to_vec(), b"sub/yy".to_vec()]);
    // From another folder its names count; after what is no folder nothing is promised.
    let folder = p.open("sub", 0o200000, 0).unwrap();
    let plain = p.bytes(b"??\0");
    p.memory.store_cell(plain, 2, origin(97)).unwrap();
    let here = Word::int(-100i64 as u64);
    let cases: [(Word, bool, &[&[u8]]); 3] = [
        (here, true, &[b"A", b"B"]),
        (Word::int(folder), true, &[b"x", b"yy"]),
        (Word::int(77), false, &[b"A", b"B"]),
    ];
    for (start, promised, names) in cases {
        let reply = p.reply("openat", &[start, plain, Word::int(0), Word::int(0)]);
        let Reply::Need(Need::Path {
            all_plain,
            candidates,
            ..
        }) = reply
        else {
            panic!("the name is not known");
        };
        assert_eq!(all_plain, promised);
        assert_eq!(candidates, names);
    }
    // The second name counts too, and before the first is looked at.
    let known = p.string("nowhere/at/all");
    let reply = p.reply("rename", &[known, name]);
    assert!(matches!(reply, Reply::Need(Need::Path { at, .. }) if at == name));
}

#[test]
fn an_unknown_structure_is_asked_for() {
    let mut p = Process::x86();
    let before = p.kernel.clone();
    let time = p.bytes(&[0; 16]);
    p.memory.store_cell(time, 8, origin(1)).unwrap();
    let need = Need::Bytes {
        at: time,
        length: 8,
    };
    assert_eq!(p.reply("nanosleep", &[time]), Reply::Need(need));
    let vector = p.bytes(&[0; 32]);
    let second = Word {
        bits: vector.bits + 24,
        ..vector
    };
    p.memory.store_cell(second, 8, origin(2)).unwrap();
    let args = [Word::int(1), vector, Word::int(2)];
    // Each length that the buffer has room for is a way of its own, and all that are too long are one.
    match p.reply("writev", &args) {
        Reply::Need(Need::Number {
            at,
            bytes: 8,
            classes: Some(classes),
        }) => {
            assert_eq!(at, second);
            assert_eq!(classes.of(0), (0, 0));
            assert_eq!(classes.of(7), (1, (1 << 63) - 1));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        p.kernel.output(Stream::Output),
        before.output(Stream::Output)
    );
    p.memory.store_bytes(second, &[0; 8]).unwrap();
    assert_eq!(p.call("writev", &args), Ok(0));
}

#[test]
fn addresses_and_descriptors_in_memory_stay_unknown() {
    let mut p = Process::x86();
    let text = p.string("text");
    let vector = p.bytes(&[4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
    p.memory.store_cell(vector, 8, origin(1)).unwrap();
    let args = [Word::int(1), vector, Word::int(1)];
    let need = Reply::Need(Need::Address { at: vector });
    assert_eq!(p.reply("writev", &args), need);
    p.kernel.give(vector, text);
    assert_eq!(p.call("writev", &args), Ok(4));
    // It was said for one call.
    assert_eq!(p.reply("writev", &args), need);
    let wanted = p.bytes(&[0, 0, 0, 0, 4, 0, 0, 0]);
    p.memory.store_cell(wanted, 4, origin(2)).unwrap();
    let args = [wanted, Word::int(1), Word::int(0)];
    let need = Reply::Need(Need::Descriptor { at: wanted });
    assert_eq!(p.reply("poll", &args), need);
    p.kernel.give(wanted, Word::int(1));
    assert_eq!(p.call("poll", &args), Ok(1));
    assert_eq!(p.word(wanted, 6, 2), 4);
}

#[test]
fn the_stat_of_an_unknown_file_is_unknown_but_for_its_size() {
    for abi in [Abi::X86_64, Abi::Riscv64] {
        let mut setup = setup();
        setup.abi = abi;
        let mut p = Process::new(&setup);
        fill(&mut p);
        let fd = {
            let name = p.string("B");
            let cwd = Word::int((-100i64) as u64);
            let args = [cwd, name, Word::int(READ_WRITE), Word::int(0)];
            p.call("openat", &args).unwrap()
        };
        p.plain("lseek", &[fd, 0, 2]).unwrap();
        p.write(fd, b"grown").unwrap();
        assert_eq!(p.call("fstat", &[Word::int(fd), p.buffer]), Ok(0));
        assert_eq!(p.word(p.buffer, 48, 8), 15);
        assert!(
            p.memory.load_word(p.buffer, 8).is_err(),
            "the device is unknown"
        );
        let mode = if abi == Abi::X86_64 { 24 } else { 16 };
        let mode_at = Word {
            bits: p.buffer.bits + mode,
            ..p.buffer
        };
        assert!(p.memory.is_symbolic(mode_at, 4).unwrap());
        // What the program sets is known.
        assert_eq!(p.plain("fchmod", &[fd, 0o600]), Ok(0));
        assert_eq!(p.call("fstat", &[Word::int(fd), p.buffer]), Ok(0));
        assert_eq!(p.word(p.buffer, mode, 4), 0o100600);
        let empty = p.string("");
        let args = [
            Word::int(fd),
            empty,
            Word::int(0x1000),
            Word::int(0x7ff),
            p.buffer,
        ];
        assert_eq!(p.call("statx", &args), Ok(0));
        assert_eq!(p.word(p.buffer, 40, 8), 15);
        assert_eq!(p.word(p.buffer, 28, 2), 0o100600);
        assert!(p.memory.is_symbolic(p.buffer, 64).unwrap());
    }
}

#[test]
fn rules_of_a_stat_hold_of_the_usual_one() {
    for abi in [Abi::X86_64, Abi::Riscv64] {
        let mut setup = setup();
        setup.abi = abi;
        let p = Process::new(&setup);
        let stats = p.kernel.symbolic().iter();
        for object in stats.filter(|object| object.kind == SymbolicKind::Stat) {
            assert!(object.rules.len() > 10);
            for rule in &object.rules {
                let value = p.word(object.at, rule.offset, rule.bytes) & rule.mask;
                match rule.relation {
                    BitsRelation::Equal(wanted) => assert_eq!(value, wanted, "{rule:?}"),
                    BitsRelation::NotZero => assert_ne!(value, 0, "{rule:?}"),
                    BitsRelation::OneBit => assert!(value.is_power_of_two(), "{rule:?}"),
                }
            }
        }
    }
}

/// The object of a name that decides about calls.
fn deciding(p: &Process, name: &str) -> Word {
    let mut objects = p.kernel.symbolic().iter();
    objects
        .find(|object| object.name == name)
        .expect("it is there")
        .at
}

#[test]
fn calls_fail_as_numbers_say() {
    let mut setup = Setup::new(Abi::X86_64);
    setup.max_fail = 2;
    setup.short_reads = true;
    setup.files.push(HostFile::new("f", *b"text"));
    let mut p = Process::new(&setup);
    for (name, bytes) in [
        ("read_fail", &[2, 0, 0, 0][..]),
        ("getcwd_fail", &[1, 0, 0, 0]),
        ("close_fail", &[1, 0, 0, 0]),
        ("short_reads", &[1]),
    ] {
        let at = deciding(&p, name);
        p.memory.initialise(at, bytes).unwrap();
    }
    let number = |name: &str| Abi::X86_64.number(name).unwrap();
    let path = p.memory.allocate(ObjectKind::Heap, 16, 1).unwrap();
    p.memory.initialise(path, b"f\0").unwrap();
    let mut call = |name: &str, args: [Word; 3]| {
        let zero = Word::int(0);
        let args = [args[0], args[1], args[2], zero, zero, zero];
        p.kernel.call(&mut p.memory, number(name), args)
    };
    let int = Word::int;
    assert_eq!(call("open", [path, int(0), int(0)]), Reply::Return(int(3)));
    let read = [int(3), path, int(4)];
    assert_eq!(
        call("read", read),
        Reply::Return(int(1)),
        "the first is short"
    );
    assert_eq!(
        call("read", read),
        Reply::error(Errno::EIO),
        "the second fails"
    );
    assert_eq!(call("read", read), Reply::Return(int(3)));
    let getcwd = [path, int(16), int(0)];
    assert_eq!(call("getcwd", getcwd), Reply::error(Errno::ERANGE));
    let close = [int(3), int(0), int(0)];
    assert_eq!(
        call("close", close),
        Reply::Return(int(0)),
        "two have failed"
    );
}
