//! Memory that a program asks the system for.

mod common;

use cairn_linux::{Abi, Errno, HostFile, Reply, Setup};
use cairn_memory::{Fault, ObjectKind, Word};
use common::Process;

const ANONYMOUS: u64 = 0x22;
const FIXED: u64 = 0x10;

fn map(p: &mut Process, args: [u64; 6]) -> Result<Word, Errno> {
    let number = p.kernel.abi().number("mmap").unwrap();
    match p.kernel.call(&mut p.memory, number, args.map(Word::int)) {
        Reply::Return(word) if (word.bits as i64) < 0 => Err(Errno((-(word.bits as i64)) as u16)),
        Reply::Return(word) => Ok(word),
        other => panic!("{other:?}"),
    }
}

fn at(word: Word, offset: u64) -> Word {
    Word {
        bits: word.bits + offset,
        ..word
    }
}

#[test]
fn the_data_segment_grows_and_shrinks() {
    let mut setup = Setup::new(Abi::Riscv64);
    setup.brk = 0x2_1234..0x80_0000;
    let mut p = Process::new(&setup);
    assert_eq!(p.plain("brk", &[0]), Ok(0x2_1234));
    assert_eq!(p.plain("brk", &[0x2_1300]), Ok(0x2_1300));
    assert_eq!(p.plain("brk", &[0x2_2010]), Ok(0x2_2010));
    let first = Word::int(0x2_2000);
    p.memory.store_bytes(first, b"kept").unwrap();
    // Pages are given as a whole.
    assert!(p.memory.store_bytes(Word::int(0x2_2ffc), b"edge").is_ok());
    assert!(p.memory.store_bytes(Word::int(0x2_2ffd), b"edge").is_err());
    for end in [0x2_5000, 0x60_0000, 0x2_4000, 0x2_6000, 0x2_5000, 0x70_0000] {
        assert_eq!(p.plain("brk", &[end]), Ok(end));
        let last = Word::int((end - 1) | 0xfff);
        assert!(p.memory.load_word(last, 1).is_ok());
        assert!(p.memory.load_word(at(last, 1), 1).is_err());
        assert_eq!(p.load(first, 4), b"kept");
        assert_eq!(p.word(last, 0, 1), 0, "what comes back is zero");
        p.memory.store_bytes(last, b"x").unwrap();
    }
    assert_eq!(p.plain("brk", &[0x80_0001]), Ok(0x70_0000), "too far");
    assert_eq!(p.plain("brk", &[0x2_1000]), Ok(0x70_0000), "too low");
    let mut other = p.clone();
    assert_eq!(other.plain("brk", &[0x2_3000]), Ok(0x2_3000));
    assert!(p.memory.load_word(Word::int(0x6f_fff8), 8).is_ok());
}

#[test]
fn mappings_are_objects_of_their_own() {
    let mut p = Process::x86();
    let one = map(&mut p, [0, 5000, 3, ANONYMOUS, u64::MAX, 0]).unwrap();
    assert_eq!(p.memory.info(one).unwrap().size, 8192);
    assert_eq!(p.memory.info(one).unwrap().kind, ObjectKind::Mapped);
    assert_eq!(one.bits % 4096, 0);
    p.memory.store_bytes(at(one, 8191), b"x").unwrap();
    assert!(p.memory.store_bytes(at(one, 8192), b"x").is_err());
    assert!(matches!(p.memory.free(one), Err(Fault::InvalidFree { .. })));
    assert_eq!(p.memory.heap_objects().count(), 1, "the test's own buffer");
    // Half of it, then the rest.
    assert_eq!(p.plain("munmap", &[one.bits, 4096]), Ok(0));
    assert_eq!(p.word(one, 8191, 1), u64::from(b'x'));
    assert_eq!(p.plain("munmap", &[one.bits + 4096, 4096]), Ok(0));
    assert!(matches!(
        p.memory.load_word(one, 1),
        Err(Fault::UseAfterFree { .. })
    ));
    assert_eq!(p.plain("munmap", &[one.bits + 1, 4096]), Err(Errno::EINVAL));
    assert_eq!(map(&mut p, [0, 0, 3, ANONYMOUS, 0, 0]), Err(Errno::EINVAL));
    assert_eq!(map(&mut p, [0, 1, 3, 0x20, 0, 0]), Err(Errno::EINVAL));
    assert_eq!(map(&mut p, [0, 1, 3, 2, 9, 0]), Err(Errno::EBADF));
}

#[test]
fn a_mapping_is_moved_and_replaced() {
    let mut p = Process::x86();
    let one = map(&mut p, [0, 4096, 3, ANONYMOUS, 0, 0]).unwrap();
    p.memory.store_bytes(one, b"moved").unwrap();
    assert_eq!(
        p.plain("mremap", &[one.bits, 4096, 9000, 0]),
        Err(Errno::ENOMEM)
    );
    let moved = p.plain("mremap", &[one.bits, 4096, 9000, 1]).unwrap();
    assert_eq!(p.load(Word::int(moved), 5), b"moved");
    assert_eq!(p.memory.info(Word::int(moved)).unwrap().size, 12288);
    assert!(p.memory.load_word(one, 1).is_err());
    let again = map(&mut p, [moved, 4096, 3, ANONYMOUS | FIXED, 0, 0]).unwrap();
    assert_eq!(again.bits, moved);
    assert_eq!(p.load(again, 5), [0; 5]);
    let named = map(&mut p, [0x5000_0000, 4096, 3, ANONYMOUS | FIXED, 0, 0]).unwrap();
    assert_eq!(named.bits, 0x5000_0000);
    p.memory.store_bytes(named, b"x").unwrap();
    assert_eq!(p.plain("munmap", &[named.bits, 4096]), Ok(0));
    let again = map(&mut p, [0x5000_0000, 4096, 3, ANONYMOUS | FIXED, 0, 0]).unwrap();
    assert_eq!(p.word(again, 0, 1), 0);
}

#[test]
fn files_are_mapped() {
    let mut setup = Setup::new(Abi::X86_64);
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    setup.files.push(HostFile::new("f", bytes.clone()));
    let mut p = Process::new(&setup);
    let fd = p.open("f", 2, 0).unwrap();
    let private = map(&mut p, [0, 5000, 3, 2, fd, 0]).unwrap();
    assert_eq!(p.load(private, 5000), bytes);
    assert_eq!(p.load(at(private, 5000), 3192), vec![0; 3192]);
    let second = map(&mut p, [0, 100, 1, 2, fd, 4096]).unwrap();
    assert_eq!(p.load(second, 904), &bytes[4096..]);
    p.memory.store_bytes(private, b"private").unwrap();
    let shared = map(&mut p, [0, 5000, 3, 1, fd, 0]).unwrap();
    assert_eq!(p.load(shared, 5000), bytes);
    p.memory.store_bytes(shared, b"shared").unwrap();
    assert_eq!(p.read(fd, 6).unwrap(), b"shared");
    // By its address alone too, as machine code would.
    assert_eq!(p.load(Word::int(shared.bits), 6), b"shared");
    // Within its pages it grows; the mapping cannot be left behind.
    assert_eq!(p.plain("ftruncate", &[fd, 8192]), Ok(0));
    let reply = p.reply("ftruncate", &[Word::int(fd), Word::int(8193)]);
    assert!(matches!(reply, Reply::Unsupported { .. }));
    p.plain("lseek", &[fd, 0, 2]).unwrap();
    let reply = p.reply("write", &[Word::int(fd), shared, Word::int(1)]);
    assert!(matches!(reply, Reply::Unsupported { .. }));
    p.plain("close", &[fd]).unwrap();
    p.named("unlink", &[b"f"], &[]).unwrap();
    assert_eq!(p.load(shared, 6), b"shared");
    assert_eq!(p.plain("munmap", &[shared.bits, 5000]), Ok(0));
    assert!(p.memory.load_word(shared, 1).is_err());
    let write_only = p.open("g", 0o101, 0o600).unwrap();
    assert_eq!(map(&mut p, [0, 1, 1, 2, write_only, 0]), Err(Errno::EACCES));
    let folder = p.open(".", 0, 0).unwrap();
    assert_eq!(map(&mut p, [0, 1, 1, 2, folder, 0]), Err(Errno::ENODEV));
}
