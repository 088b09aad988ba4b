//! Sockets: whom a program meets, what it reads and what is kept of what it sends.

mod common;

use cairn_linux::{Abi, Errno, Reply, Setup};
use cairn_memory::Word;
use common::{Process, outcome};

/// An IPv4 address of this machine.
fn address(port: u16) -> Vec<u8> {
    let mut bytes = vec![2, 0];
    bytes.extend(port.to_be_bytes());
    bytes.extend([127, 0, 0, 1]);
    bytes.extend([0; 8]);
    bytes
}

/// A process that meets so many peers; peer `i` sends the bytes `i, i + 1, …`.
fn process(peers: u32, bytes: u64) -> Process {
    let mut process = Process::new(&Setup {
        sockets: Some((peers, bytes)),
        ..Setup::new(Abi::X86_64)
    });
    for (number, object) in process.kernel.symbolic().to_vec().into_iter().enumerate() {
        assert_eq!(object.name, format!("socket{number}"));
        let sent: Vec<u8> = (0..object.size)
            .map(|at| (number as u64 + at) as u8)
            .collect();
        process
            .memory
            .initialise(object.at, &sent)
            .expect("its object");
    }
    process
}

fn call(p: &mut Process, name: &str, args: &[u64]) -> Result<u64, Errno> {
    let words: Vec<Word> = args.iter().map(|&bits| Word::int(bits)).collect();
    outcome(p.reply(name, &words))
}

/// A call whose second argument is a pointer.
fn with(p: &mut Process, name: &str, fd: u64, at: Word, rest: &[u64]) -> Reply {
    let mut words = vec![Word::int(fd), at];
    words.extend(rest.iter().map(|&bits| Word::int(bits)));
    p.reply(name, &words)
}

fn listening(p: &mut Process, port: u16) -> u64 {
    let door = call(p, "socket", &[2, 1, 0]).expect("a socket");
    let at = p.bytes(&address(port));
    assert_eq!(outcome(with(p, "bind", door, at, &[16])), Ok(0));
    assert_eq!(call(p, "listen", &[door, 5]), Ok(0));
    door
}

fn read(p: &mut Process, fd: u64, length: u64) -> Vec<u8> {
    let buffer = p.buffer;
    let count = outcome(with(p, "recvfrom", fd, buffer, &[length, 0, 0, 0])).expect("bytes");
    let mut bytes = vec![0; count as usize];
    p.memory
        .load_bytes(buffer, &mut bytes)
        .expect("its own object");
    bytes
}

fn sent(p: &Process, peer: usize) -> Vec<u8> {
    let (object, size) = p.kernel.sent()[peer];
    let mut bytes = vec![0; size as usize];
    if let Some(object) = object {
        p.memory.load_bytes(object, &mut bytes).expect("its object");
    }
    bytes
}

#[test]
fn without_peers_there_are_no_sockets() {
    let mut p = Process::x86();
    assert_eq!(call(&mut p, "socket", &[2, 1, 0]), Err(Errno::EAFNOSUPPORT));
    assert_eq!(call(&mut p, "listen", &[1, 5]), Err(Errno::ENOTSOCK));
    assert!(p.kernel.sent().is_empty());
}

#[test]
fn a_server_meets_all_peers_in_their_order_and_is_ended() {
    let mut p = process(2, 5);
    let door = listening(&mut p, 7000);
    let first = call(&mut p, "accept", &[door, 0, 0]).expect("the first");
    let second = call(&mut p, "accept4", &[door, 0, 0, 0o4000]).expect("the second");
    assert_eq!(read(&mut p, second, 3), [1, 2, 3]);
    assert_eq!(read(&mut p, first, 100), [0, 1, 2, 3, 4]);
    assert_eq!(read(&mut p, first, 100), [], "the end");
    assert_eq!(read(&mut p, second, 100), [4, 5]);
    let text = p.bytes(b"hello");
    assert_eq!(outcome(with(&mut p, "write", second, text, &[5])), Ok(5));
    assert_eq!(
        outcome(with(&mut p, "sendto", second, text, &[1, 0, 0, 0])),
        Ok(1)
    );
    assert_eq!((sent(&p, 0), sent(&p, 1)), (vec![], b"helloh".to_vec()));
    assert_eq!(call(&mut p, "close", &[second]), Ok(0));
    assert_eq!(sent(&p, 1), b"helloh", "it is kept");
    // All peers were met: the program gets SIGTERM, and SIGKILL if it waits again.
    assert_eq!(
        p.reply("accept", &[Word::int(door), Word::int(0), Word::int(0)]),
        Reply::Signal(15)
    );
    assert_eq!(
        p.reply("accept", &[Word::int(door), Word::int(0), Word::int(0)]),
        Reply::Signal(9)
    );
}

#[test]
fn readiness_is_that_somebody_is_left() {
    let mut p = process(1, 2);
    let door = listening(&mut p, 7000);
    let mut entry = (door as u32).to_le_bytes().to_vec();
    entry.extend([5, 0, 0, 0]);
    let at = p.bytes(&entry);
    let ready = |p: &mut Process| {
        let count = outcome(p.reply("poll", &[at, Word::int(1), Word::int(10)])).expect("a count");
        let events = p
            .memory
            .load_word(
                Word {
                    bits: at.bits + 6,
                    ..at
                },
                2,
            )
            .expect("its own");
        (count, events.bits)
    };
    assert_eq!(ready(&mut p), (1, 1));
    let peer = call(&mut p, "accept", &[door, 0, 0]).expect("a peer");
    assert_eq!(ready(&mut p), (0, 0));
    p.memory
        .store_bytes(at, &(peer as u32).to_le_bytes())
        .expect("its own");
    assert_eq!(ready(&mut p), (1, 5), "to be read and written");
}

#[test]
fn a_client_is_connected_until_nobody_is_left() {
    let mut p = process(1, 3);
    let at = p.bytes(&address(80));
    let one = call(&mut p, "socket", &[2, 1, 6]).expect("a socket");
    assert_eq!(
        outcome(with(&mut p, "recvfrom", one, at, &[1, 0, 0, 0])),
        Err(Errno::ENOTCONN)
    );
    assert_eq!(outcome(with(&mut p, "connect", one, at, &[16])), Ok(0));
    assert_eq!(
        outcome(with(&mut p, "connect", one, at, &[16])),
        Err(Errno::EISCONN)
    );
    assert_eq!(read(&mut p, one, 9), [0, 1, 2]);
    let two = call(&mut p, "socket", &[2, 1, 0]).expect("a socket");
    assert_eq!(
        outcome(with(&mut p, "connect", two, at, &[16])),
        Err(Errno::ECONNREFUSED)
    );
    assert_eq!(call(&mut p, "shutdown", &[one, 1]), Ok(0));
    let reply = with(&mut p, "sendto", one, at, &[1, 0x4000, 0, 0]);
    assert_eq!(outcome(reply), Err(Errno::EPIPE));
    assert_eq!(
        with(&mut p, "sendto", one, at, &[1, 0, 0, 0]),
        Reply::Signal(13)
    );
}

#[test]
fn each_datagram_is_one_peer_and_answers_go_to_its_sender() {
    let mut p = process(2, 4);
    let socket = call(&mut p, "socket", &[2, 2, 0]).expect("a socket");
    let at = p.bytes(&address(53));
    assert_eq!(outcome(with(&mut p, "bind", socket, at, &[16])), Ok(0));
    let (from, length) = (p.bytes(&[0; 16]), p.bytes(&16u32.to_le_bytes()));
    let buffer = p.buffer;
    let words = [
        Word::int(socket),
        buffer,
        Word::int(2),
        Word::int(0x20),
        from,
        length,
    ];
    assert_eq!(
        outcome(p.reply("recvfrom", &words)),
        Ok(4),
        "its whole length"
    );
    let text = p.bytes(b"one");
    let words = [
        Word::int(socket),
        text,
        Word::int(3),
        Word::int(0),
        from,
        Word::int(16),
    ];
    assert_eq!(outcome(p.reply("sendto", &words)), Ok(3));
    assert_eq!((sent(&p, 0), sent(&p, 1)), (b"one".to_vec(), vec![]));
    assert_eq!(
        read(&mut p, socket, 100),
        [1, 2, 3, 4],
        "the rest of the first is lost"
    );
    let words = [
        Word::int(socket),
        buffer,
        Word::int(2),
        Word::int(0x40),
        Word::int(0),
        Word::int(0),
    ];
    assert_eq!(outcome(p.reply("recvfrom", &words)), Err(Errno::EAGAIN));
}

#[test]
fn local_sockets_have_names_that_are_files() {
    let mut p = process(1, 1);
    let mut name = vec![1, 0];
    name.extend(b"door\0");
    let at = p.bytes(&name);
    let door = call(&mut p, "socket", &[1, 1, 0]).expect("a socket");
    assert_eq!(outcome(with(&mut p, "bind", door, at, &[7])), Ok(0));
    let other = call(&mut p, "socket", &[1, 1, 0]).expect("a socket");
    assert_eq!(
        outcome(with(&mut p, "bind", other, at, &[7])),
        Err(Errno::EADDRINUSE)
    );
    let path = p.string("door");
    assert_eq!(
        outcome(p.reply("open", &[path, Word::int(0), Word::int(0)])),
        Err(Errno::ENXIO)
    );
    assert_eq!(outcome(p.reply("unlink", &[path])), Ok(0));
    assert_eq!(outcome(with(&mut p, "bind", other, at, &[7])), Ok(0));
    assert_eq!(call(&mut p, "lseek", &[door, 0, 0]), Err(Errno::ESPIPE));
}

#[test]
fn ports_are_taken_once_and_bad_addresses_are_told() {
    let mut p = process(1, 1);
    let _door = listening(&mut p, 7000);
    let other = call(&mut p, "socket", &[2, 1, 0]).expect("a socket");
    let at = p.bytes(&address(7000));
    assert_eq!(
        outcome(with(&mut p, "bind", other, at, &[16])),
        Err(Errno::EADDRINUSE)
    );
    assert_eq!(
        outcome(with(&mut p, "bind", other, at, &[8])),
        Err(Errno::EINVAL)
    );
    assert_eq!(call(&mut p, "socket", &[9, 1, 0]), Err(Errno::EAFNOSUPPORT));
    assert_eq!(
        call(&mut p, "socket", &[2, 3, 0]),
        Err(Errno::ESOCKTNOSUPPORT)
    );
    assert_eq!(call(&mut p, "accept", &[other, 0, 0]), Err(Errno::EINVAL));
}
