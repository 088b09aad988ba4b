//! The process: its end, signals, time, limits, waiting; and what is not modelled.

mod common;

use cairn_linux::delivery::CALL_HANDLER_RETURNED;
use cairn_linux::{Abi, Errno, Exactness, HostContent, HostFile, RandomSource, Reply, Setup};
use cairn_memory::Word;
use common::Process;
use std::sync::Arc;

#[test]
fn a_process_ends() {
    let mut p = Process::x86();
    assert_eq!(
        p.reply("exit_group", &[Word::int(0x1ff)]),
        Reply::Exit(0xff)
    );
    assert_eq!(p.reply("exit", &[Word::int(3)]), Reply::Exit(3));
}

#[test]
fn what_is_not_modelled_is_named() {
    let mut p = Process::x86();
    let reply = p.reply("io_uring_setup", &[]);
    let name = Some("io_uring_setup");
    assert_eq!(reply, Reply::NotModelled { number: 425, name });
    let args = [Word::int(0); 6];
    let reply = p.kernel.call(&mut p.memory, 99_999, args);
    let (number, name) = (99_999, None);
    assert_eq!(reply, Reply::NotModelled { number, name });
    for name in ["fork", "vfork", "clone"] {
        assert!(matches!(p.reply(name, &[]), Reply::Unsupported { .. }));
    }
    let missing = p.string("/bin/none");
    assert_eq!(p.call("execve", &[missing]), Err(Errno::ENOENT));
    // Neither are these programs; a file with content may be one.
    const CREATE: u64 = 0o101;
    let folder = p.string("/tmp");
    assert_eq!(p.call("execve", &[folder]), Err(Errno::EACCES));
    let device = p.string("/dev/null");
    assert_eq!(p.call("execve", &[device]), Err(Errno::EACCES));
    p.open("/tmp/plain", CREATE, 0o644).unwrap();
    let plain = p.string("/tmp/plain");
    assert_eq!(p.call("execve", &[plain]), Err(Errno::EACCES));
    let file = p.open("/tmp/program", CREATE, 0o755).unwrap();
    let program = p.string("/tmp/program");
    assert_eq!(p.call("execve", &[program]), Err(Errno::ENOEXEC));
    p.write(file, b"#!/bin/sh\n").unwrap();
    let reply = p.reply("execve", &[program]);
    assert!(matches!(reply, Reply::Unsupported { .. }));
    assert_eq!(p.call("wait4", &[]), Err(Errno::ECHILD));
    assert_eq!(p.call("socket", &[]), Err(Errno::EAFNOSUPPORT));
    assert_eq!(p.plain("connect", &[0]), Err(Errno::ENOTSOCK));
}

#[test]
fn calls_have_the_numbers_of_their_machine() {
    let modelled: Vec<&str> = Abi::X86_64.modelled().collect();
    assert!(modelled.len() > 150, "{}", modelled.len());
    let only_here = ["arch_prctl", "open", "stat", "fork", "pipe", "dup2", "time"];
    for name in only_here {
        assert!(modelled.contains(&name) && Abi::Riscv64.number(name).is_none());
    }
    assert_eq!(Abi::Riscv64.number("openat"), Some(56));
    assert_eq!(Abi::Riscv64.number("read"), Some(63));
    assert_eq!(Abi::X86_64.number("openat"), Some(257));
}

#[test]
fn signals_end_a_process_or_reach_its_handler() {
    let mut p = Process::x86();
    let pid = p.plain("getpid", &[]).unwrap();
    let abort = [Word::int(pid), Word::int(pid), Word::int(6)];
    assert_eq!(p.reply("tgkill", &abort), Reply::Signal(6));
    assert_eq!(p.plain("kill", &[pid, 17]), Ok(0), "ignored by default");
    assert_eq!(p.plain("kill", &[pid, 0]), Ok(0));
    assert_eq!(p.plain("kill", &[pid, 65]), Err(Errno::EINVAL));
    assert_eq!(p.plain("kill", &[77, 9]), Err(Errno::ESRCH));
    // A handler with three arguments.
    let mut action = vec![0; 32];
    action[..8].copy_from_slice(&0x5500_0000_1000u64.to_le_bytes());
    action[8] = 4;
    let action = p.bytes(&action);
    let args = [Word::int(6), action, Word::int(0), Word::int(8)];
    assert_eq!(p.call("rt_sigaction", &args), Ok(0));
    let run = |p: &mut Process, name: &str, args: &[Word]| {
        let Reply::Handle { delivery, value } = p.reply(name, args) else {
            panic!("a handler is to run");
        };
        assert_eq!((delivery.signal, value), (6, Word::int(0)));
        assert_eq!(delivery.handler, Word::int(0x5500_0000_1000));
        assert!(delivery.information && delivery.code == -6);
        // It is blocked until its handler has returned.
        assert_eq!(p.call("tgkill", &abort), Ok(0));
        assert_eq!(p.call("rt_sigpending", &[p.buffer, Word::int(8)]), Ok(0));
        assert_eq!(p.word(p.buffer, 0, 8), 1 << 5);
    };
    run(&mut p, "tgkill", &abort);
    let ignore = p.bytes(&[1, 0, 0, 0, 0, 0, 0, 0].repeat(4));
    let args = [Word::int(6), ignore, Word::int(0), Word::int(8)];
    assert_eq!(p.call("rt_sigaction", &args), Ok(0));
    let args = [Word::int(6), action, Word::int(0), Word::int(8)];
    assert_eq!(p.call("rt_sigaction", &args), Ok(0));
    let returned = p.talk(CALL_HANDLER_RETURNED, &[0, 0]);
    assert_eq!(returned, Reply::Return(Word::int(0)));
    // While it is blocked, it waits.
    let set = p.bytes(&(1u64 << 5).to_le_bytes());
    let block = [Word::int(0), set, Word::int(0), Word::int(8)];
    assert_eq!(p.call("rt_sigprocmask", &block), Ok(0));
    assert_eq!(p.call("tgkill", &abort), Ok(0));
    let unblock = [Word::int(1), set, Word::int(0), Word::int(8)];
    run(&mut p, "rt_sigprocmask", &unblock);
    // What was set is told.
    let args = [Word::int(6), Word::int(0), p.buffer, Word::int(8)];
    assert_eq!(p.call("rt_sigaction", &args), Ok(0));
    assert_eq!(p.word(p.buffer, 0, 8), 0x5500_0000_1000);
    assert_eq!(
        p.plain("rt_sigaction", &[9, action.bits, 0, 8]),
        Err(Errno::EINVAL)
    );
}

#[test]
fn signals_that_wait_come_in_the_order_of_the_kernel() {
    let mut p = Process::x86();
    let pid = p.plain("getpid", &[]).unwrap();
    let mut action = vec![0; 32];
    action[..8].copy_from_slice(&0x5500_0000_1000u64.to_le_bytes());
    let action = p.bytes(&action);
    for signal in [10, 11, 12, 34] {
        let args = [Word::int(signal), action, Word::int(0), Word::int(8)];
        assert_eq!(p.call("rt_sigaction", &args), Ok(0));
    }
    let set = p.bytes(&u64::MAX.to_le_bytes());
    let block = [Word::int(2), set, Word::int(0), Word::int(8)];
    assert_eq!(p.call("rt_sigprocmask", &block), Ok(0));
    // To the process, and to its thread; ordinary ones wait once for each.
    for signal in [34, 12, 34, 10, 10] {
        assert_eq!(p.plain("kill", &[pid, signal]), Ok(0));
    }
    for signal in [12, 11, 12] {
        assert_eq!(p.plain("tkill", &[pid, signal]), Ok(0));
    }
    let mut order = Vec::new();
    let mut reply = p.talk(CALL_HANDLER_RETURNED, &[0, 0]);
    while let Reply::Handle { delivery, .. } = reply {
        order.push((delivery.signal, delivery.code));
        reply = p.talk(CALL_HANDLER_RETURNED, &[delivery.blocked, 0]);
    }
    let expected = [(11, -6), (12, -6), (10, 0), (12, 0), (34, 0), (34, 0)];
    assert_eq!(order, expected);
    assert_eq!(reply, Reply::Return(Word::int(0)));
}

#[test]
fn a_pipe_that_nobody_reads_is_a_signal() {
    let mut p = Process::x86();
    assert_eq!(p.call("pipe", &[p.buffer]), Ok(0));
    assert_eq!(p.write(4, b"through"), Ok(7));
    assert_eq!(p.read(3, 3).unwrap(), b"thr");
    assert_eq!(p.read(3, 100).unwrap(), b"ough");
    let wait = p.reply("read", &[Word::int(3), p.buffer, Word::int(1)]);
    assert!(
        matches!(wait, Reply::Unsupported { .. }),
        "it waits for ever"
    );
    p.plain("close", &[3]).unwrap();
    let text = p.bytes(b"x");
    let args = [Word::int(4), text, Word::int(1)];
    assert_eq!(p.reply("write", &args), Reply::Signal(13));
}

#[test]
fn time_passes_by_looking_and_by_sleeping() {
    let mut setup = Setup::new(Abi::Riscv64);
    setup.start_seconds = 1_000_000;
    let mut p = Process::new(&setup);
    let now = |p: &mut Process, clock: u64| {
        p.call("clock_gettime", &[Word::int(clock), p.buffer])
            .unwrap();
        p.word(p.buffer, 0, 8) * 1_000_000_000 + p.word(p.buffer, 8, 8)
    };
    let first = now(&mut p, 0);
    let second = now(&mut p, 0);
    assert!(first >= 1_000_000_000_000_000 && second > first);
    let mut time = 5u64.to_le_bytes().to_vec();
    time.extend(7u64.to_le_bytes());
    let time = p.bytes(&time);
    assert_eq!(p.call("nanosleep", &[time]), Ok(0));
    let third = now(&mut p, 0);
    assert!(third - second >= 5_000_000_007 && third - second < 5_001_000_000);
    assert!(now(&mut p, 1) < third, "since the machine was started");
    let args = [Word::int(12), p.buffer];
    assert_eq!(p.call("clock_gettime", &args), Err(Errno::EINVAL));
    // Until a time that is past: no wait.
    let before = now(&mut p, 0);
    let args = [Word::int(0), Word::int(1), time];
    assert_eq!(p.call("clock_nanosleep", &args), Ok(0));
    assert!(now(&mut p, 0) - before < 1_000_000);
    // Nothing is ready: the time passes.
    p.call("pipe2", &[p.buffer]).unwrap();
    let before = now(&mut p, 0);
    let mut entry = 3u32.to_le_bytes().to_vec();
    entry.extend([1, 0, 0, 0]);
    let entry = p.bytes(&entry);
    assert_eq!(p.call("ppoll", &[entry, Word::int(1), time]), Ok(0));
    assert!(now(&mut p, 0) - before >= 5_000_000_007);
    let reply = p.reply("ppoll", &[entry, Word::int(1), Word::int(0)]);
    assert!(matches!(reply, Reply::Unsupported { .. }));
}

#[test]
fn what_is_left_of_a_time_is_one_of_many_unless_it_is_over() {
    let mut p = Process::x86();
    p.call("pipe2", &[p.buffer]).unwrap();
    let entry = |fd: u32| [&fd.to_le_bytes()[..], &[5, 0, 0, 0]].concat();
    let time = [5u64.to_le_bytes(), 7u64.to_le_bytes()].concat();
    let (reading, writing) = (p.bytes(&entry(3)), p.bytes(&entry(4)));
    let poll = |p: &mut Process, entry| {
        let at = p.bytes(&time);
        let answer = p.call("ppoll", &[entry, Word::int(1), at]);
        (answer, p.load(at, 16))
    };
    let over = poll(&mut p, reading);
    assert_eq!(
        (over, p.kernel.exactness()),
        ((Ok(0), vec![0; 16]), Exactness::Exact)
    );
    let (answer, left) = poll(&mut p, writing);
    let seconds = u64::from_le_bytes(left[..8].try_into().unwrap());
    assert!(answer == Ok(1) && seconds <= 5 && left != time);
    assert!(matches!(p.kernel.exactness(), Exactness::OneOf(_)));
    // Of a bad descriptor too, and of the three sets.
    let bad = p.bytes(&1024u128.to_le_bytes());
    let at = p.bytes(&time);
    let args = [Word::int(60), bad, Word::int(0), Word::int(0), at];
    assert_eq!(p.call("select", &args), Err(Errno::EBADF));
    assert!(matches!(p.kernel.exactness(), Exactness::OneOf(_)));
}

#[test]
fn threads_that_wait_for_each_other_are_a_deadlock() {
    let mut p = Process::x86();
    let word = p.bytes(&[1, 0, 0, 0]);
    let wait = |expected| [word, Word::int(128), Word::int(expected), Word::int(0)];
    assert_eq!(p.call("futex", &wait(2)), Err(Errno::EAGAIN));
    assert!(matches!(
        p.reply("futex", &wait(1)),
        Reply::Unsupported { .. }
    ));
    assert_eq!(
        p.call("futex", &[word, Word::int(129), Word::int(1)]),
        Ok(0)
    );
}

#[test]
fn random_bytes_are_the_same_every_time_or_the_callers() {
    let draw = |random| {
        let mut setup = Setup::new(Abi::X86_64);
        setup.random = random;
        let mut p = Process::new(&setup);
        let reply = p.reply("getrandom", &[p.buffer, Word::int(40), Word::int(0)]);
        (reply, p.seen(40), p.buffer)
    };
    let (reply, bytes, _) = draw(RandomSource::Seed(5));
    assert_eq!(reply, Reply::Return(Word::int(40)));
    assert_eq!(bytes, draw(RandomSource::Seed(5)).1);
    assert_ne!(bytes, draw(RandomSource::Seed(6)).1);
    let (reply, bytes, at) = draw(RandomSource::Caller);
    assert_eq!(reply, Reply::Random { at, length: 40 });
    assert_eq!(bytes, [0xcc; 40]);
}

#[test]
fn limits_are_kept() {
    let mut p = Process::x86();
    let mut limit = 5u64.to_le_bytes().to_vec();
    limit.extend(4096u64.to_le_bytes());
    let limit = p.bytes(&limit);
    assert_eq!(p.call("setrlimit", &[Word::int(7), limit]), Ok(0));
    assert_eq!(p.open("a", 0o102, 0o600), Ok(3));
    assert_eq!(p.open("b", 0o102, 0o600), Ok(4));
    assert_eq!(p.open("c", 0o102, 0o600), Err(Errno::EMFILE));
    assert_eq!(p.plain("dup2", &[3, 5]), Err(Errno::EBADF));
    assert_eq!(p.plain("fcntl", &[3, 0, 5]), Err(Errno::EINVAL));
    assert_eq!(p.plain("dup", &[3]), Err(Errno::EMFILE));
}

#[test]
fn devices_and_read_only_files() {
    let mut setup = Setup::new(Abi::X86_64);
    setup.uid = 0;
    for (path, content) in [
        ("/usr", HostContent::Directory),
        ("/usr/words", HostContent::File(Arc::from(*b"words"))),
        ("/usr/link", HostContent::Link(b"words".to_vec())),
    ] {
        setup.files.push(HostFile {
            path: path.into(),
            content,
            mode: 0o755,
            read_only: true,
        });
    }
    let mut p = Process::new(&setup);
    let null = p.open("/dev/null", 2, 0).unwrap();
    assert_eq!(p.write(null, b"gone"), Ok(4));
    assert_eq!(p.read(null, 10).unwrap(), b"");
    let zero = p.open("/dev/zero", 0, 0).unwrap();
    assert_eq!(p.read(zero, 10).unwrap(), [0; 10]);
    let full = p.open("/dev/full", 1, 0).unwrap();
    assert_eq!(p.write(full, b"x"), Err(Errno::ENOSPC));
    assert_eq!(p.open("/dev/tty", 2, 0), Err(Errno::ENXIO));
    let again = p.open("/dev/stdout", 1, 0).unwrap();
    assert_eq!(p.write(again, b"there"), Ok(5));
    assert_eq!(p.kernel.output(cairn_linux::Stream::Output).1, 5);
    let words = p.open("/usr/link", 0, 0).unwrap();
    assert_eq!(p.read(words, 10).unwrap(), b"words");
    assert_eq!(p.open("/usr/words", 2, 0), Err(Errno::EROFS));
    assert_eq!(p.open("/usr/new", 0o102, 0o600), Err(Errno::EROFS));
    assert_eq!(p.named("unlink", &[b"/usr/words"], &[]), Err(Errno::EROFS));
    assert_eq!(p.named("access", &[b"/usr/words"], &[2]), Err(Errno::EROFS));
    assert_eq!(p.named("chmod", &[b"/usr/words"], &[0]), Err(Errno::EROFS));
}
