//! Any call with any arguments: the model never panics, and a call that asks for something, or
//! whose pointer is bad, has changed nothing. More of it: `ROUNDS=200`.

mod common;

use cairn_linux::{Abi, HostFile, Reply, Setup};
use cairn_memory::{Cell, ObjectKind, OriginId, Word};
use cairn_random::Random;
use common::{BUFFER, Process};

fn at(word: Word, offset: u64) -> Word {
    Word {
        bits: word.bits.wrapping_add(offset),
        ..word
    }
}

/// A process with files, and the pointers that calls are given.
fn prepared(abi: Abi) -> (Process, Vec<Word>) {
    let mut setup = Setup::new(abi);
    setup.uid = 0;
    setup.symbolic_files = 1;
    setup.symbolic_size = 8;
    setup.files.push(HostFile::new("f", *b"content"));
    setup.files.push(HostFile::new("d/g", *b""));
    let mut p = Process::new(&setup);
    let mut pointers = vec![p.buffer, at(p.buffer, 8), at(p.buffer, BUFFER - 4)];
    for text in [
        "f",
        "d",
        "d/g",
        "A",
        "new",
        "d/new",
        "f/x",
        "",
        ".",
        "/",
        "/dev/null",
    ] {
        pointers.push(p.string(text));
    }
    // Bytes of which some, or all, are not known; a constant; zeros; one that has ended.
    for unknown in [0..64, 3..5, 8..16, 24..25] {
        let object = p.bytes(&[0; 64]);
        let cell = Cell::Origin {
            origin: OriginId(unknown.start),
            offset: 0,
        };
        let (start, end) = (u64::from(unknown.start), u64::from(unknown.end));
        p.memory
            .store_cell(at(object, start), end - start, cell)
            .unwrap();
        pointers.extend([object; 4]);
    }
    let constant = p.memory.allocate(ObjectKind::Constant, 64, 8).unwrap();
    pointers.push(constant);
    pointers.push(p.bytes(&[0; 64]));
    pointers.push(p.bytes(&[1; 300]));
    let ended = p.bytes(&[0; 64]);
    p.memory.free(ended).unwrap();
    pointers.push(ended);
    pointers.push(Word::int(0));
    pointers.push(Word::int(0x5500_0000_0000));
    (p, pointers)
}

/// All that can be seen of the program's memory.
fn digest(p: &Process, pointers: &[Word]) -> Vec<String> {
    let mut lines = Vec::new();
    for &pointer in pointers {
        let mut parts = Vec::new();
        let _ = p.memory.load_parts(pointer, 64, &mut parts);
        lines.push(format!("{parts:?}"));
    }
    lines.push(p.memory.objects().count().to_string());
    lines
}

fn run(abi: Abi, seed: u64) -> [u64; 3] {
    let mut random = Random::new(seed);
    let names: Vec<&str> = abi.modelled().collect();
    let small = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 64, 100, 4096];
    let odd = [
        u64::MAX,
        u64::MAX - 99,
        1 << 63,
        i64::MAX as u64,
        1 << 31,
        0xffff_ffff,
        0xffff_f000,
        1 << 40,
        0x1000,
        0o102,
        0o2001,
        0x22,
        0x32,
        5000,
    ];
    let mut counts = [0; 3];
    for _ in 0..60 {
        let (mut p, pointers) = prepared(abi);
        for _ in 0..50 {
            let name = *random.pick(&names);
            let args: [Word; 6] = std::array::from_fn(|_| match random.below(8) {
                0..=3 => *random.pick(&pointers),
                4..=6 => Word::int(*random.pick(&small)),
                _ => Word::int(*random.pick(&odd)),
            });
            let before = (format!("{:?}", p.kernel), digest(&p, &pointers));
            match p.reply(name, &args) {
                Reply::Need(_) => counts[0] += 1,
                Reply::Fault(_) => counts[1] += 1,
                Reply::Return(_)
                | Reply::Exit(_)
                | Reply::Signal(_)
                | Reply::Handle { .. }
                | Reply::Random { .. }
                | Reply::Clock(_)
                | Reply::Waited(..)
                | Reply::Unsupported { .. } => {
                    counts[2] += 1;
                    continue;
                }
                Reply::NotModelled { .. } => panic!("{name} is modelled"),
            }
            let after = (format!("{:?}", p.kernel), digest(&p, &pointers));
            assert_eq!(before, after, "{name} {args:x?}");
        }
    }
    counts
}

#[test]
fn any_call_with_any_arguments_is_answered() {
    let rounds = std::env::var("ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(2);
    for abi in [Abi::X86_64, Abi::Riscv64] {
        let mut counts = [0; 3];
        for seed in 0..rounds {
            for (sum, count) in counts.iter_mut().zip(run(abi, seed)) {
                *sum += count;
            }
        }
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    }
}
