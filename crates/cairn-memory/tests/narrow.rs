//! Pointers of 4 bytes: where objects are, what words keep, what is beyond the last address.

use cairn_memory::{
    Fault, FixedError, Memory, MemoryConfig, ObjectId, ObjectKind, PointerWidth, Word, code_region,
};

fn narrow() -> Memory {
    Memory::new(MemoryConfig {
        pointer_width: PointerWidth::Four,
        ..MemoryConfig::default()
    })
}

fn plus(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits + by,
        ..at
    }
}

#[test]
fn every_address_has_four_bytes() {
    let mut memory = narrow();
    let last = PointerWidth::Four.last_address();
    for kind in [
        ObjectKind::Heap,
        ObjectKind::Stack,
        ObjectKind::Global,
        ObjectKind::Constant,
    ] {
        for size in [0, 1, 100, 5000, 1 << 20] {
            let at = memory.allocate(kind, size, 8).expect("room");
            assert!(at.bits + size <= last, "{at:?}");
            assert_eq!(memory.object_at(at.bits), Some(at.object));
            assert_eq!(memory.object_at(at.bits.wrapping_sub(1)), None);
        }
    }
    assert!(code_region(PointerWidth::Four).end <= last);
    let most = memory.heap_object_limit();
    assert!(most < last);
    memory
        .allocate(ObjectKind::Heap, most, 1)
        .expect("the largest");
    let more = memory.allocate(ObjectKind::Heap, most + 1, 1);
    assert!(matches!(more, Err(Fault::OutOfMemory { .. })), "{more:?}");
    let end = memory.allocate_fixed(last - 7, 8).expect("the last bytes");
    assert_eq!(memory.load_word(plus(end, 4), 4), Ok(Word::int(0)));
    let beyond = memory.allocate_fixed(0xffff_fff0, 17);
    assert!(matches!(beyond, Err(FixedError::Beyond { .. })));
    let nothing = memory.no_object_at(Word::int(0xd900_0000));
    assert!(!nothing.by_an_object && nothing.last <= last);
}

#[test]
fn two_pointers_are_beside_each_other() {
    let mut memory = narrow();
    let make = |memory: &mut Memory| memory.allocate(ObjectKind::Heap, 16, 8).expect("room");
    let (place, p, q) = (make(&mut memory), make(&mut memory), make(&mut memory));
    memory.store_pointer(place, p).expect("inside");
    memory.store_pointer(plus(place, 4), q).expect("inside");
    assert_eq!(memory.load_pointer(place), Ok(p));
    assert_eq!(memory.load_pointer(plus(place, 4)), Ok(q));
    // Both at once are parts of addresses and have no object, nor has what is stored of them.
    let both = memory.load_word(place, 8).expect("inside");
    assert!(both.object.is_part());
    memory.store_word(plus(place, 8), 8, both).expect("inside");
    let copy = memory.load_pointer(plus(place, 8)).expect("inside");
    assert_eq!((copy.bits, copy.object), (p.bits, ObjectId::ADDRESS));
    // The same set of bytes is there already, but not the same pointers.
    memory.store_pointer(place, q).expect("inside");
    memory.store_word(place, 8, both).expect("inside");
    let first = memory.load_pointer(place).expect("inside");
    assert_eq!((first.bits, first.object), (p.bits, ObjectId::ADDRESS));
    // A byte of one takes nothing from the other.
    memory.store_pointer(place, p).expect("inside");
    memory.store_pointer(plus(place, 4), q).expect("inside");
    memory
        .store_word(plus(place, 1), 1, Word::int(0))
        .expect("inside");
    assert!(memory.load_pointer(place).expect("inside").object.is_part());
    assert_eq!(memory.load_pointer(plus(place, 4)), Ok(q));
    // Where a pointer cannot be, it is found by its address.
    memory.store_pointer(plus(place, 6), p).expect("inside");
    let moved = memory.load_pointer(plus(place, 6)).expect("inside");
    assert_eq!((moved.bits, moved.object), (p.bits, ObjectId::ADDRESS));
    assert_eq!(memory.info(moved).expect("found").object, p.object);
}
