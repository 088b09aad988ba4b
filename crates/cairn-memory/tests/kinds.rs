//! Memory of the operating system: what the program may not reach, and objects that change size.

use cairn_memory::{Cell, Fault, FixedError, Memory, MemoryConfig, ObjectKind, OriginId, Word};

fn memory() -> Memory {
    Memory::new(MemoryConfig::default())
}

fn at(word: Word, offset: u64) -> Word {
    Word {
        bits: word.bits + offset,
        ..word
    }
}

#[test]
fn no_address_leads_to_an_object_of_the_system() {
    let mut memory = memory();
    let own = memory.allocate(ObjectKind::Kernel, 100, 8).unwrap();
    memory.store_bytes(own, b"secret").unwrap();
    let guess = Word::int(own.bits);
    assert!(matches!(
        memory.load_word(guess, 1),
        Err(Fault::OutOfBounds { object: None, .. })
    ));
    assert_eq!(memory.object_at(own.bits), None);
    assert!(matches!(memory.free(guess), Err(Fault::InvalidFree { .. })));
    assert!(matches!(memory.free(own), Err(Fault::InvalidFree { .. })));
    assert_eq!(memory.objects().count(), 0);
    assert_eq!(memory.heap_objects().count(), 0);
    // Given to the program, it is mapped memory like any other.
    assert!(memory.set_mapped(own, true));
    assert_eq!(memory.load_word(guess, 1).unwrap().bits, u64::from(b's'));
    assert_eq!(memory.objects().count(), 1);
    assert_eq!(memory.heap_objects().count(), 0);
    assert!(memory.set_mapped(own, false));
    assert!(memory.load_word(guess, 1).is_err());
    assert!(memory.release(own));
    assert!(!memory.release(own));
    assert_eq!(memory.held_bytes(), 0);
}

#[test]
fn only_the_systems_own_is_released() {
    let mut memory = memory();
    let heap = memory.allocate(ObjectKind::Heap, 8, 8).unwrap();
    assert!(!memory.release(heap));
    assert!(!memory.set_mapped(heap, true));
    let mapped = memory.allocate(ObjectKind::Mapped, 8192, 4096).unwrap();
    assert_eq!(mapped.bits % 4096, 0);
    assert!(memory.release(mapped));
    assert!(matches!(
        memory.load_word(mapped, 1),
        Err(Fault::UseAfterFree { .. })
    ));
    assert_eq!(memory.free(heap), Ok(()));
}

#[test]
fn ranges_are_checked_without_an_access() {
    let mut memory = memory();
    let constant = memory.allocate(ObjectKind::Constant, 8, 8).unwrap();
    assert_eq!(memory.check_readable(constant, 8), Ok(()));
    assert!(memory.check_readable(constant, 9).is_err());
    assert!(matches!(
        memory.check_writable(constant, 1),
        Err(Fault::ReadOnly { .. })
    ));
    assert_eq!(memory.check_writable(Word::int(0), 0), Ok(()));
}

#[test]
fn an_object_at_an_address_changes_its_size() {
    let mut memory = memory();
    let base = 0x10_0000;
    let object = memory.allocate_fixed(base, 100).unwrap();
    let above = base + (64 << 20);
    memory.allocate_fixed(above, 8).unwrap();
    memory.store_bytes(object, b"start").unwrap();
    // Small to small, to large, to larger by a level of the tree, back, and to nothing.
    let sizes = [
        300,
        4096,
        5000,
        10 << 20,
        64 << 20,
        9000,
        4097,
        4096,
        64,
        0,
        20 << 20,
    ];
    let mut before = 100;
    for size in sizes {
        memory.resize_fixed(object, size).unwrap();
        assert_eq!(memory.info(object).unwrap().size, size);
        let beyond = memory.load_word(at(object, size), 1);
        assert!(beyond.is_err(), "{size}");
        if size > 0 {
            let last = at(object, size - 1);
            if size > before {
                assert_eq!(memory.load_word(last, 1).unwrap().bits, 0, "{size}");
            }
            memory.store_word(last, 1, Word::int(7)).unwrap();
        }
        if size >= 5 && before > 0 {
            let mut start = [0; 5];
            memory.load_bytes(object, &mut start).unwrap();
            assert_eq!(&start, b"start", "{size}");
        }
        before = size;
    }
    let mut start = [1; 5];
    memory.load_bytes(object, &mut start).unwrap();
    assert_eq!(start, [0; 5], "what was given up does not come back");
    assert!(matches!(
        memory.resize_fixed(object, (64 << 20) + 1),
        Err(FixedError::Overlap { .. })
    ));
    assert!(matches!(
        memory.resize_fixed(object, 8 << 30),
        Err(FixedError::Reserved { .. } | FixedError::Overlap { .. })
    ));
}

#[test]
fn what_is_cut_off_is_zero_when_it_comes_back() {
    let mut memory = memory();
    let object = memory.allocate_fixed(0x10_0000, 100_000).unwrap();
    memory.fill(object, 9, 100_000).unwrap();
    let held = memory.held_bytes();
    let shared = memory.clone();
    memory.resize_fixed(object, 10_000).unwrap();
    assert!(memory.held_bytes() < held);
    memory.resize_fixed(object, 100_000).unwrap();
    let mut bytes = vec![0; 100_000];
    memory.load_bytes(object, &mut bytes).unwrap();
    assert!(bytes[..10_000].iter().all(|&byte| byte == 9));
    assert!(bytes[10_000..].iter().all(|&byte| byte == 0));
    shared.load_bytes(object, &mut bytes).unwrap();
    assert!(bytes.iter().all(|&byte| byte == 9));
}

#[test]
fn unknown_bytes_stay_when_the_size_changes() {
    let mut memory = memory();
    let object = memory.allocate_fixed(0x10_0000, 8192).unwrap();
    let cell = Cell::Origin {
        origin: OriginId(3),
        offset: 0,
    };
    // The whole object at once, and some of it known again.
    memory.store_cell(object, 8192, cell).unwrap();
    memory.store_bytes(at(object, 100), b"known").unwrap();
    memory.resize_fixed(object, 20_000).unwrap();
    assert!(memory.is_symbolic(object, 100).unwrap());
    assert!(memory.is_symbolic(at(object, 8191), 1).unwrap());
    assert!(!memory.is_symbolic(at(object, 100), 5).unwrap());
    assert!(!memory.is_symbolic(at(object, 8192), 11_808).unwrap());
    memory.resize_fixed(object, 50).unwrap();
    assert!(memory.is_symbolic(object, 50).unwrap());
}
