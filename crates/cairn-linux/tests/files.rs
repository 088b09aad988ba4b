//! Files and streams as a program sees them.

mod common;

use cairn_linux::{Abi, Errno, HostFile, Kernel, Reply, Setup, StandardInput, Stream, StreamKind};
use cairn_memory::{Fault, Memory, MemoryConfig, Word};
use common::Process;

const WRITE_ONLY: u64 = 1;
const READ_WRITE: u64 = 2;
const CREATE: u64 = 0o100;
const APPEND: u64 = 0o2000;

#[test]
fn what_is_written_is_read() {
    let mut p = Process::x86();
    let fd = p.open("notes", CREATE | READ_WRITE, 0o666).unwrap();
    assert_eq!(fd, 3);
    assert_eq!(p.write(fd, b"hello "), Ok(6));
    assert_eq!(p.write(fd, b"world"), Ok(5));
    assert_eq!(p.plain("lseek", &[fd, 0, 0]), Ok(0));
    assert_eq!(p.read(fd, 100).unwrap(), b"hello world");
    assert_eq!(p.read(fd, 100).unwrap(), b"");
    assert_eq!(p.plain("lseek", &[fd, 20, 0]), Ok(20));
    assert_eq!(p.write(fd, b"!"), Ok(1));
    assert_eq!(p.plain("lseek", &[fd, 9, 0]), Ok(9));
    assert_eq!(p.read(fd, 100).unwrap(), b"ld\0\0\0\0\0\0\0\0\0!");
    assert_eq!(p.plain("close", &[fd]), Ok(0));
    assert_eq!(p.plain("close", &[fd]), Err(Errno::EBADF));
    let fd = p.open("notes", WRITE_ONLY | APPEND, 0).unwrap();
    assert_eq!(p.write(fd, b"?"), Ok(1));
    assert_eq!(p.read(fd, 1), Err(Errno::EBADF));
    assert_eq!(p.kernel.file(b"notes").unwrap().1, 22);
}

#[test]
fn a_large_file_is_kept_and_given_back() {
    let mut p = Process::x86();
    let held = p.memory.held_bytes();
    let fd = p.open("large", CREATE | READ_WRITE, 0o600).unwrap();
    let chunk: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for _ in 0..100 {
        assert_eq!(p.write(fd, &chunk), Ok(10_000));
    }
    assert!(p.memory.held_bytes() >= held + 1_000_000);
    assert_eq!(p.plain("lseek", &[fd, 999_990, 0]), Ok(999_990));
    assert_eq!(p.read(fd, 100).unwrap(), &chunk[9_990..]);
    assert_eq!(p.named("unlink", &[b"large"], &[]), Ok(0));
    assert_eq!(p.plain("close", &[fd]), Ok(0));
    assert_eq!(p.memory.held_bytes(), held);
    assert_eq!(p.memory.heap_objects().count(), 1, "the test's own buffer");
}

#[test]
fn output_is_kept() {
    let mut p = Process::x86();
    for i in 0..50 {
        p.write(1, format!("line {i}\n").as_bytes()).unwrap();
    }
    p.write(2, b"oops").unwrap();
    p.plain("close", &[2]).unwrap();
    let (at, length) = p.kernel.output(Stream::Output);
    assert!(p.load(at.unwrap(), length).ends_with(b"line 48\nline 49\n"));
    let (at, length) = p.kernel.output(Stream::Errors);
    assert_eq!(p.load(at.unwrap(), length), b"oops");
    assert_eq!(p.plain("lseek", &[1, 0, 0]), Err(Errno::ESPIPE));
}

#[test]
fn clones_go_their_own_ways() {
    let mut setup = Setup::new(Abi::X86_64);
    setup.files.push(HostFile::new("data", *b"original"));
    let mut one = Process::new(&setup);
    let fd = one.open("data", READ_WRITE, 0).unwrap();
    one.read(fd, 2).unwrap();
    let mut other = one.clone();
    other.write(fd, b"XX").unwrap();
    assert_eq!(other.named("unlink", &[b"data"], &[]), Ok(0));
    assert_eq!(one.read(fd, 100).unwrap(), b"iginal");
    assert_eq!(other.read(fd, 100).unwrap(), b"inal");
    assert!(one.kernel.file(b"data").is_ok());
    assert_eq!(other.kernel.file(b"data"), Err(Errno::ENOENT));
}

#[test]
fn standard_input_is_a_file_a_pipe_or_a_terminal() {
    for kind in [StreamKind::File, StreamKind::Pipe, StreamKind::Terminal] {
        let mut setup = Setup::new(Abi::Riscv64);
        setup.stdin = StandardInput::Bytes((*b"typed").into());
        setup.stdin_kind = kind;
        let mut p = Process::new(&setup);
        assert_eq!(p.read(0, 3).unwrap(), b"typ");
        let seek = p.plain("lseek", &[0, 0, 0]);
        let modes = p.call("ioctl", &[Word::int(0), Word::int(0x5401), p.buffer]);
        match kind {
            StreamKind::File => assert_eq!((seek, modes), (Ok(0), Err(Errno::ENOTTY))),
            StreamKind::Pipe => assert_eq!((seek, modes), (Err(Errno::ESPIPE), Err(Errno::ENOTTY))),
            StreamKind::Terminal => assert_eq!((seek, modes), (Err(Errno::ESPIPE), Ok(0))),
        }
        if kind != StreamKind::File {
            assert_eq!(p.read(0, 9).unwrap(), b"ed");
            assert_eq!(p.read(0, 9).unwrap(), b"");
        }
    }
}

#[test]
fn a_buffer_that_is_too_small_is_a_fault_and_changes_nothing() {
    let mut setup = Setup::new(Abi::X86_64);
    setup.stdin = StandardInput::Bytes((*b"typed").into());
    let mut p = Process::new(&setup);
    let small = p.bytes(&[7; 50]);
    let reply = p.reply("read", &[Word::int(0), small, Word::int(100)]);
    assert!(
        matches!(reply, Reply::Fault(Fault::OutOfBounds { length: 100, .. })),
        "{reply:?}"
    );
    assert_eq!(p.load(small, 50), [7; 50]);
    assert_eq!(p.read(0, 5).unwrap(), b"typed");
    let reply = p.reply("write", &[Word::int(1), small, Word::int(51)]);
    assert!(matches!(reply, Reply::Fault(_)));
    assert_eq!(p.kernel.output(Stream::Output).1, 0);
    let reply = p.reply("write", &[Word::int(9), small, Word::int(51)]);
    assert_eq!(reply, Reply::error(Errno::EBADF));
}

#[test]
fn a_system_that_cannot_be_set_up_says_why() {
    let mut setup = Setup::new(Abi::X86_64);
    setup.files.push(HostFile::new("a", *b""));
    setup.files.push(HostFile::new("a/b", *b""));
    let mut memory = Memory::new(MemoryConfig::default());
    let error = Kernel::new(&setup, &mut memory).err().unwrap();
    assert_eq!(
        error.to_string(),
        "a/b cannot be set up for the program: ENOTDIR"
    );
}

#[test]
fn a_clone_costs_little_however_many_files_there_are() {
    let time = |count: u32| {
        let mut setup = Setup::new(Abi::X86_64);
        for i in 0..count {
            let name = format!("/data/{}/{i}", i % 100);
            setup.files.push(HostFile::new(name, *b"x"));
        }
        let mut p = Process::new(&setup);
        let fd = p.open("log", CREATE | READ_WRITE, 0o600).unwrap();
        let before = cairn_random::thread_time();
        for _ in 0..2000 {
            let mut clone = p.clone();
            clone.write(fd, b"line").unwrap();
        }
        cairn_random::thread_time() - before
    };
    let (few, many) = (time(10).min(time(10)), time(20_000).min(time(20_000)));
    assert!(many < 10 * few, "{few:?} and {many:?}");
}

#[test]
fn what_is_in_the_machines_folders_differs_between_machines() {
    const FOLDER: u64 = 0o200000;
    for (name, differs) in [
        ("/tmp", false),
        ("/home", false),
        ("/", true),
        ("/dev", true),
    ] {
        let mut p = Process::x86();
        let folder = p.open(name, FOLDER, 0).unwrap();
        let at = p.bytes(&[0; 4096]);
        let listed = p.call("getdents64", &[Word::int(folder), at, Word::int(4096)]);
        assert!(listed.unwrap() > 0);
        assert_eq!(p.kernel.output_is_incomparable(), differs, "{name}");
    }
}
