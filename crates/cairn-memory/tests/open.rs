//! Objects whose size is decided elsewhere.

use cairn_memory::{
    Cell, Fault, Memory, MemoryConfig, ObjectKind, OriginId, Reach, ReadPart, Word,
};

fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits + by,
        ..at
    }
}

fn opened(memory: &mut Memory, capacity: u64) -> Word {
    let at = memory
        .allocate(ObjectKind::Heap, capacity, 16)
        .expect("room");
    assert!(memory.make_size_symbolic(at.object));
    at
}

#[test]
fn no_byte_of_an_opened_object_is_known_to_exist() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    let fault = memory.load_word(at, 1).expect_err("nothing is known");
    let Fault::OutOfBounds {
        address,
        length: 1,
        object: Some(info),
    } = fault
    else {
        panic!("{fault:?}");
    };
    assert_eq!(address, at.bits);
    assert!(info.open);
    assert_eq!((info.size, info.capacity), (0, 64));
    let text = fault.to_string();
    assert!(
        text.contains("heap object of symbolic size (at most 64 bytes)"),
        "{text}"
    );
    assert!(memory.store_word(at, 8, Word::int(1)).is_err());
    assert!(memory.find_byte(at, 0, 10).is_err());
    assert!(memory.cell_around(at, 1).is_none());
}

#[test]
fn bytes_that_are_known_to_exist_are_accessed_as_others() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    assert_eq!(memory.set_known_size(at.object, 12).expect("open").size, 0);
    memory
        .store_word(moved(at, 4), 8, Word::int(77))
        .expect("it exists");
    assert!(memory.store_word(moved(at, 5), 8, Word::int(1)).is_err());
    // What is known may be less again; the content stays.
    assert_eq!(memory.set_known_size(at.object, 4).expect("open").size, 12);
    assert!(memory.load_word(moved(at, 4), 8).is_err());
    memory.set_known_size(at.object, u64::MAX);
    assert_eq!(
        memory.load_word(moved(at, 4), 8).expect("all").bits,
        77,
        "nothing was lost"
    );
    assert_eq!(memory.info(at).expect("live").size, 64);
    memory
        .store_word(moved(at, 56), 8, Word::int(5))
        .expect("the last word");
    assert!(memory.store_word(moved(at, 57), 8, Word::int(5)).is_err());
}

#[test]
fn a_closed_object_is_as_any_other() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    memory.fix_size(at.object, 10);
    let info = memory.info(at).expect("live");
    assert_eq!((info.open, info.size, info.capacity), (false, 10, 10));
    assert!(memory.set_known_size(at.object, 20).is_none());
    assert!(memory.load_word(moved(at, 9), 1).is_ok());
    assert!(memory.load_word(moved(at, 10), 1).is_err());
    assert!(memory.object_at(at.bits + 9).is_some());
    assert!(memory.object_at(at.bits + 10).is_none());
    memory.free(at).expect("it is live");
    assert_eq!(memory.held_bytes(), 0);
}

#[test]
fn an_address_without_provenance_is_in_all_that_an_open_object_may_have() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    assert_eq!(memory.object_at(at.bits + 63), Some(at.object));
    assert_eq!(memory.object_at(at.bits + 64), None);
    let fault = memory
        .load_word(Word::int(at.bits + 40), 4)
        .expect_err("not known");
    let Fault::OutOfBounds {
        object: Some(info), ..
    } = fault
    else {
        panic!("{fault:?}");
    };
    assert_eq!(info.object, at.object);
}

#[test]
fn a_pointer_of_another_object_tells_the_open_one_it_reaches() {
    let mut memory = Memory::new(MemoryConfig {
        reach: Reach::AnyObject,
        ..MemoryConfig::default()
    });
    let other = memory.allocate(ObjectKind::Heap, 8, 16).expect("room");
    let at = opened(&mut memory, 64);
    let astray = Word {
        bits: at.bits + 3,
        object: other.object,
    };
    let Err(Fault::OutOfBounds {
        object: Some(info), ..
    }) = memory.load_word(astray, 1)
    else {
        panic!("no byte is known to exist");
    };
    assert_eq!(info.object, at.object);
    memory.set_known_size(at.object, 4);
    assert!(memory.load_word(astray, 1).is_ok());
}

#[test]
fn large_objects_keep_what_is_behind_the_known_bytes() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = memory.allocate(ObjectKind::Heap, 20_000, 16).expect("room");
    let cell = Cell::Origin {
        origin: OriginId(1),
        offset: 0,
    };
    memory.store_cell(at, 20_000, cell).expect("inside");
    assert!(memory.make_size_symbolic(at.object));
    memory.set_known_size(at.object, 5000);
    // As many bytes as are known, but not all: no short cut for whole objects.
    memory.fill(at, 0, 5000).expect("known");
    let content = memory.snapshot(at.object).expect("live");
    assert_eq!(content.size(), 20_000);
    let mut parts = Vec::new();
    assert!(content.load_parts(5000, 1, &mut parts));
    let ReadPart::Cell {
        cell: Cell::Origin { offset: 5000, .. },
        length: 1,
    } = parts[0]
    else {
        panic!("{parts:?}");
    };
    assert_eq!(memory.load_word(moved(at, 4992), 8).expect("known").bits, 0);
    memory.fix_size(at.object, 6000);
    memory
        .store_word(moved(at, 5992), 8, Word::int(3))
        .expect("inside");
    memory.free(at).expect("live");
    assert_eq!(memory.held_bytes(), 0);
}

#[test]
fn the_stack_counts_what_an_open_object_may_have() {
    let mut memory = Memory::new(MemoryConfig {
        stack_bytes: 1024,
        ..MemoryConfig::default()
    });
    let room = memory.stack_room();
    memory.push_frame(0).expect("room");
    let inner = memory.stack_room();
    let at = memory.stack_allocate(512, 16).expect("room");
    assert!(memory.make_size_symbolic(at.object));
    memory.set_known_size(at.object, 3);
    assert_eq!(memory.stack_room(), inner - 512);
    assert!(memory.stack_allocate(memory.stack_room() + 1, 8).is_err());
    assert!(memory.stack_allocate(memory.stack_room(), 8).is_ok());
    memory.pop_frame();
    assert_eq!(memory.stack_room(), room);
}

#[test]
fn clones_know_different_numbers_of_bytes() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    let mut other = memory.clone();
    memory.set_known_size(at.object, 8);
    other.set_known_size(at.object, 1);
    memory.store_word(at, 8, Word::int(1)).expect("known");
    assert!(other.store_word(at, 8, Word::int(1)).is_err());
    assert_eq!(other.load_word(at, 1).expect("known").bits, 0);
}

#[test]
fn what_is_left_of_a_freed_one_tells_that_its_size_was_open() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = opened(&mut memory, 64);
    memory.set_known_size(at.object, 8);
    memory.free(at).expect("live");
    assert!(!memory.make_size_symbolic(at.object));
    assert!(memory.set_known_size(at.object, 1).is_none());
    let text = memory.load_word(at, 1).expect_err("freed").to_string();
    assert!(text.contains("of symbolic size"), "{text}");
    // The slot's next object is an ordinary one.
    let next = memory.allocate(ObjectKind::Heap, 8, 16).expect("room");
    assert_eq!(next.object.slot(), at.object.slot());
    assert!(!memory.info(next).expect("live").open);
    assert!(memory.load_word(next, 8).is_ok());
}

#[test]
fn the_largest_heap_object_is_given() {
    let mut memory = Memory::new(MemoryConfig::default());
    let most = memory.heap_object_limit();
    assert!(memory.allocate(ObjectKind::Heap, most, 16).is_ok());
    assert!(memory.allocate(ObjectKind::Heap, most + 1, 16).is_err());
    let mut wide = Memory::new(MemoryConfig {
        object_bytes: u64::MAX,
        ..MemoryConfig::default()
    });
    let most = wide.heap_object_limit();
    assert!(wide.allocate(ObjectKind::Heap, most, 16).is_ok());
    assert!(wide.allocate(ObjectKind::Heap, most + 1, 16).is_err());
}
