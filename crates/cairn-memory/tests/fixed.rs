//! Objects at addresses that the program names.

use cairn_memory::{
    Fault, FixedError, Memory, MemoryConfig, ObjectKind, PointerWidth, Word, code_region,
};

fn memory() -> Memory {
    Memory::new(MemoryConfig::default())
}

#[test]
fn an_object_is_where_it_was_wanted_and_found_by_its_address() {
    let mut memory = memory();
    let at = memory.allocate_fixed(0x1000_0000, 16).expect("free");
    assert_eq!(at.bits, 0x1000_0000);
    let plain = Word::int(at.bits + 8);
    memory.store_word(plain, 8, Word::int(7)).expect("inside");
    assert_eq!(memory.load_word(plain, 8), Ok(Word::int(7)));
    assert_eq!(memory.object_at(at.bits + 15), Some(at.object));
    assert_eq!(memory.object_at(at.bits + 16), None);
    let object = Some(memory.info(at).expect("it lives"));
    let behind = Fault::OutOfBounds {
        address: at.bits + 16,
        length: 1,
        object,
    };
    assert_eq!(memory.load_word(Word::int(at.bits + 16), 1), Err(behind));
    let below = memory.load_word(Word::int(at.bits - 1), 1);
    assert!(matches!(
        below,
        Err(Fault::OutOfBounds { object: None, .. })
    ));
    assert!(matches!(memory.free(at), Err(Fault::InvalidFree { .. })));
    assert!(memory.objects().any(|e| e.object == at.object));
}

#[test]
fn objects_may_touch_but_not_overlap() {
    let mut memory = memory();
    let first = memory.allocate_fixed(0x4000_0000, 16).expect("free");
    let behind = memory.allocate_fixed(0x4000_0010, 16).expect("behind it");
    let before = memory.allocate_fixed(0x3fff_fff0, 16).expect("before it");
    for (base, size) in [(0x4000_0000, 16), (0x4000_0008, 1), (0x3fff_ff00, 0x200)] {
        let refused = memory.allocate_fixed(base, size);
        assert!(
            matches!(refused, Err(FixedError::Overlap { .. })),
            "{base:#x}"
        );
    }
    let all = [before, first, behind];
    assert!(
        all.iter()
            .all(|at| memory.object_at(at.bits + 15) == Some(at.object))
    );
    let text = memory.allocate_fixed(0x4000_0008, 1).expect_err("taken");
    let expected = "an object of 1 bytes at 0x40000008 would overlap the global object of 16 bytes \
                    at 0x40000000";
    assert_eq!(text.to_string(), expected);
}

#[test]
fn the_memorys_own_addresses_are_refused() {
    let mut memory = memory();
    let own = [
        memory.allocate(ObjectKind::Global, 8, 8).expect("room"),
        memory.allocate(ObjectKind::Heap, 8, 8).expect("room"),
        memory.stack_allocate(8, 8).expect("room"),
        Word::int(code_region(PointerWidth::Eight).start),
        Word::int(0),
    ];
    for at in own {
        let refused = memory.allocate_fixed(at.bits, 8);
        let reserved = matches!(refused, Err(FixedError::Reserved { .. }));
        assert!(reserved, "{:#x}", at.bits);
    }
    // A region in the middle counts too.
    let whole = memory.allocate_fixed(0x1000, 1 << 50);
    assert!(matches!(whole, Err(FixedError::Reserved { .. })));
    let beyond = memory.allocate_fixed(u64::MAX - 7, 9);
    assert!(matches!(beyond, Err(FixedError::Beyond { .. })));
    let unaligned = memory.allocate_fixed(0x1001, 1);
    assert_eq!(unaligned, Err(FixedError::Unaligned { base: 0x1001 }));
}

#[test]
fn a_clone_has_its_own() {
    let mut first = memory();
    first.allocate_fixed(0x2000, 8).expect("free");
    let mut second = first.clone();
    second.allocate_fixed(0x3000, 8).expect("free");
    assert!(first.object_at(0x3000).is_none());
    assert!(second.object_at(0x2000).is_some() && second.object_at(0x3000).is_some());
    first.allocate_fixed(0x3000, 8).expect("free here");
}
