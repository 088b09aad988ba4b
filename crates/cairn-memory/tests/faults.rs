//! Each fault, its data and its sentence; and what is at the borders of faults.

use cairn_memory::{
    Fault, Memory, MemoryConfig, ObjectId, ObjectInfo, ObjectKind, PointerWidth, Word, code_region,
};

fn memory() -> Memory {
    Memory::new(MemoryConfig::default())
}

fn heap(memory: &mut Memory, size: u64) -> Word {
    memory.allocate(ObjectKind::Heap, size, 16).expect("room")
}

fn plus(at: Word, offset: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(offset),
        object: at.object,
    }
}

fn info(memory: &Memory, at: Word) -> ObjectInfo {
    memory.info(at).expect("live")
}

#[test]
fn null() {
    let mut memory = memory();
    for address in [0, 1, 8, 4095] {
        let fault = Fault::Null { address, length: 4 };
        let at = Word::int(address);
        assert_eq!(memory.load_word(at, 4), Err(fault));
        assert_eq!(memory.store_word(at, 4, Word::int(1)), Err(fault));
        assert_eq!(memory.load_bytes(at, &mut [0; 4]), Err(fault));
        assert_eq!(memory.fill(at, 1, 4), Err(fault));
    }
    let fault = Fault::Null {
        address: 16,
        length: 4,
    };
    assert_eq!(
        fault.to_string(),
        "access of 4 bytes at the null pointer (0x10)"
    );
    assert!(matches!(memory.info(Word::int(0)), Err(Fault::Null { .. })));
}

#[test]
fn out_of_bounds() {
    let mut memory = memory();
    let a = heap(&mut memory, 24);
    let b = heap(&mut memory, 24);
    let object = Some(info(&memory, a));
    let inside = b.bits - a.bits;
    for (offset, bytes) in [(24, 1), (17, 8), (u64::MAX, 1), (inside, 8), (1 << 63, 8)] {
        let at = plus(a, offset);
        let fault = Fault::OutOfBounds {
            address: at.bits,
            length: u64::from(bytes),
            object,
        };
        assert_eq!(memory.load_word(at, bytes), Err(fault));
        assert_eq!(memory.store_word(at, bytes, Word::int(1)), Err(fault));
    }
    // The same address is fine for a pointer that has lost its provenance.
    assert_eq!(
        memory.load_word(Word::int(b.bits), 8),
        Ok(Word::int(0)),
        "found by address"
    );
    let fault = memory.load_word(plus(a, 17), 8).expect_err("outside");
    let text = format!(
        "access of 8 bytes at {:#x} outside of the heap object of 24 bytes at {:#x}",
        a.bits + 17,
        a.bits
    );
    assert_eq!(fault.to_string(), text);
    assert!(memory.fill(a, 1, u64::MAX).is_err());
    assert!(memory.copy(b, a, u64::MAX, true).is_err());
}

#[test]
fn addresses_of_nothing() {
    let mut memory = memory();
    let last = Word::int(u64::MAX);
    let code = Word::int(code_region(PointerWidth::Eight).start + 64);
    for at in [last, code, Word::int(0x20_0000), Word::int(5 << 40)] {
        let fault = Fault::OutOfBounds {
            address: at.bits,
            length: 8,
            object: None,
        };
        assert_eq!(memory.load_word(at, 8), Err(fault));
        assert_eq!(memory.store_word(at, 8, Word::int(1)), Err(fault));
        assert_eq!(memory.object_at(at.bits), None);
    }
    let a = heap(&mut memory, 24);
    let behind = Word::int(a.bits + 24);
    assert_eq!(
        memory.load_word(behind, 1),
        Err(Fault::OutOfBounds {
            address: behind.bits,
            length: 1,
            object: Some(info(&memory, a)),
        }),
        "just behind an object, which the fault names"
    );
    let forged = Word {
        bits: a.bits,
        object: ObjectId::from_raw(u64::MAX),
    };
    assert!(memory.load_word(forged, 1).is_err());
    assert!(memory.free(forged).is_err());
}

#[test]
fn use_after_free() {
    let mut memory = memory();
    let a = heap(&mut memory, 24);
    let freed = Some(info(&memory, a));
    memory.free(a).expect("live");
    let fault = Fault::UseAfterFree {
        address: a.bits,
        length: 8,
        freed,
    };
    assert_eq!(memory.load_word(a, 8), Err(fault));
    assert_eq!(memory.store_word(a, 8, Word::int(1)), Err(fault));
    let text = format!(
        "access of 8 bytes at {0:#x} in the heap object of 24 bytes at {0:#x}, which has ended",
        a.bits
    );
    assert_eq!(fault.to_string(), text);
    assert!(matches!(memory.info(a), Err(Fault::UseAfterFree { .. })));
    // By address too.
    assert!(matches!(
        memory.load_word(Word::int(a.bits), 8),
        Err(Fault::UseAfterFree { freed: None, .. })
    ));
    // The slot has another object now.
    let b = heap(&mut memory, 24);
    assert_ne!(a.object, b.object);
    assert_ne!(a.bits, b.bits);
    assert!(matches!(
        memory.load_word(a, 8),
        Err(Fault::UseAfterFree { freed: None, .. })
    ));
}

#[test]
fn use_after_return() {
    let mut memory = memory();
    memory.push_frame(0).expect("room");
    let local = memory.stack_allocate(4, 4).expect("room");
    memory.store_word(local, 4, Word::int(7)).expect("inside");
    memory.pop_frame();
    assert!(matches!(
        memory.load_word(local, 4),
        Err(Fault::UseAfterFree { freed: Some(_), .. })
    ));
    assert!(matches!(
        memory.load_word(Word::int(local.bits), 4),
        Err(Fault::UseAfterFree { freed: None, .. })
    ));
    memory.push_frame(0).expect("room");
    let other = memory.stack_allocate(4, 4).expect("room");
    assert_eq!(other.bits, local.bits, "addresses are used again");
    assert_eq!(memory.load_word(other, 4), Ok(Word::int(0)), "zero again");
    assert!(memory.load_word(local, 4).is_err());
}

#[test]
fn read_only() {
    let mut memory = memory();
    let constant = memory.allocate(ObjectKind::Constant, 16, 8).expect("room");
    memory.initialise(constant, b"abc").expect("inside");
    memory
        .initialise_pointer(plus(constant, 8), constant)
        .expect("inside");
    let fault = Fault::ReadOnly {
        address: constant.bits,
        length: 2,
        object: info(&memory, constant),
    };
    assert_eq!(memory.store_word(constant, 2, Word::int(0)), Err(fault));
    assert_eq!(memory.store_bytes(constant, b"xy"), Err(fault));
    assert_eq!(memory.fill(constant, 0, 2), Err(fault));
    let other = heap(&mut memory, 8);
    assert_eq!(memory.copy(constant, other, 2, false), Err(fault));
    assert_eq!(
        memory.store_word(Word::int(constant.bits), 2, Word::int(0)),
        Err(fault)
    );
    assert_eq!(memory.load_word(constant, 4), Ok(Word::int(0x63_6261)));
    assert_eq!(memory.load_word(plus(constant, 8), 8), Ok(constant));
    let text = format!(
        "write of 2 bytes at {0:#x} to the constant object of 16 bytes at {0:#x}",
        constant.bits
    );
    assert_eq!(fault.to_string(), text);
    // The loader is checked like everybody else.
    assert!(memory.initialise(plus(constant, 10), &[0; 7]).is_err());
    assert!(
        memory
            .initialise_pointer(plus(constant, 9), constant)
            .is_err()
    );
}

#[test]
fn overlap() {
    let mut memory = memory();
    let a = heap(&mut memory, 64);
    let fault = Fault::Overlap {
        to: a.bits + 8,
        from: a.bits,
        length: 16,
    };
    assert_eq!(memory.copy(plus(a, 8), a, 16, false), Err(fault));
    assert!(memory.copy(a, plus(a, 8), 16, false).is_err());
    assert_eq!(memory.copy(plus(a, 8), a, 16, true), Ok(()));
    assert_eq!(memory.copy(a, a, 64, false), Ok(()), "the same range");
    assert_eq!(
        memory.copy(plus(a, 16), a, 16, false),
        Ok(()),
        "side by side"
    );
    assert_eq!(
        memory.copy(Word::int(0), Word::int(1), 0, false),
        Ok(()),
        "nothing to copy"
    );
    let text = format!(
        "copy of 16 bytes from {:#x} to {:#x}, which overlap",
        a.bits,
        a.bits + 8
    );
    assert_eq!(fault.to_string(), text);
}

#[test]
fn invalid_free() {
    let mut memory = memory();
    assert_eq!(memory.free(Word::int(0)), Ok(()));
    let a = heap(&mut memory, 24);
    let global = memory.allocate(ObjectKind::Global, 8, 8).expect("room");
    let local = memory.stack_allocate(8, 8).expect("room");
    for (at, owner) in [(plus(a, 8), a), (global, global), (local, local)] {
        let fault = Fault::InvalidFree {
            address: at.bits,
            object: Some(info(&memory, owner)),
        };
        assert_eq!(memory.free(at), Err(fault));
        assert_eq!(memory.free(Word::int(at.bits)), Err(fault));
    }
    assert_eq!(
        memory.free(Word::int(100)),
        Err(Fault::InvalidFree {
            address: 100,
            object: None
        })
    );
    let text = memory
        .free(plus(a, 8))
        .expect_err("not the base")
        .to_string();
    let expected = format!(
        "free of {:#x}, which is not the first address of the heap object of 24 bytes at {:#x}",
        a.bits + 8,
        a.bits
    );
    assert_eq!(text, expected);
    let text = memory.free(global).expect_err("a global").to_string();
    let expected = format!(
        "free of {0:#x}, which is in the global object of 8 bytes at {0:#x}",
        global.bits
    );
    assert_eq!(text, expected);
    memory.pop_frame();
    assert!(matches!(memory.free(local), Err(Fault::InvalidFree { .. })));
}

#[test]
fn double_free() {
    let mut memory = memory();
    let a = heap(&mut memory, 24);
    let empty = heap(&mut memory, 0);
    for at in [a, empty] {
        memory.free(Word::int(at.bits)).expect("live");
        let fault = Fault::DoubleFree { address: at.bits };
        assert_eq!(memory.free(at), Err(fault));
        assert_eq!(memory.free(Word::int(at.bits)), Err(fault));
    }
    let b = heap(&mut memory, 24);
    assert_eq!(memory.free(a), Err(Fault::DoubleFree { address: a.bits }));
    assert_eq!(memory.free(b), Ok(()));
    assert_eq!(
        Fault::DoubleFree { address: 32 }.to_string(),
        "free of 0x20, which was freed before"
    );
}

#[test]
fn objects_of_no_bytes() {
    let mut memory = memory();
    for kind in [
        ObjectKind::Heap,
        ObjectKind::Stack,
        ObjectKind::Global,
        ObjectKind::Constant,
    ] {
        let a = memory.allocate(kind, 0, 1).expect("room");
        let b = memory.allocate(kind, 0, 1).expect("room");
        assert_ne!(a.bits, b.bits);
        assert!(matches!(
            memory.load_word(a, 1),
            Err(Fault::OutOfBounds { .. })
        ));
        assert_eq!(memory.object_at(a.bits), Some(a.object));
        assert_eq!(memory.fill(a, 1, 0), Ok(()));
    }
}

#[test]
fn stack_overflow() {
    let mut memory = Memory::new(MemoryConfig {
        stack_bytes: 1000,
        ..MemoryConfig::default()
    });
    let fault = |size| {
        Err(Fault::StackOverflow {
            size: Some(size),
            limit: 1000,
        })
    };
    assert_eq!(memory.stack_allocate(1001, 1), fault(1001));
    assert_eq!(memory.stack_allocate(u64::MAX, 1), fault(u64::MAX));
    let mut frames = 0;
    while memory.push_frame(0).is_ok() {
        frames += 1;
    }
    assert_eq!(frames, 1000 / 16);
    assert!(memory.stack_allocate(16, 1).is_err());
    (0..frames).for_each(|_| memory.pop_frame());
    // All of it is there again, and gaps do not count.
    for _ in 0..125 {
        memory.stack_allocate(8, 8).expect("room");
    }
    assert!(memory.stack_allocate(1, 1).is_err());
    memory.pop_frame();
    assert!(memory.stack_allocate(1000, 8).is_ok());
}

#[test]
fn marks() {
    let mut memory = memory();
    let outside = memory.stack_allocate(8, 8).expect("room");
    memory.push_frame(0).expect("room");
    let before = memory.stack_mark();
    let a = memory.stack_allocate(8, 8).expect("room");
    let mark = memory.stack_mark();
    let b = memory.stack_allocate(8, 8).expect("room");
    assert!(!memory.stack_restore(mark + 1));
    assert!(!memory.stack_restore(0));
    assert!(memory.stack_restore(mark));
    assert!(memory.load_word(a, 8).is_ok());
    assert!(memory.load_word(b, 8).is_err());
    memory.push_frame(0).expect("room");
    let c = memory.stack_allocate(8, 8).expect("room");
    assert!(!memory.stack_restore(before), "a mark of another frame");
    assert!(memory.load_word(c, 8).is_ok());
    memory.pop_frame();
    assert!(memory.stack_restore(before));
    assert!(memory.load_word(a, 8).is_err());
    assert!(memory.load_word(outside, 8).is_ok());
}

#[test]
fn alignment() {
    let mut memory = memory();
    for kind in [ObjectKind::Heap, ObjectKind::Stack, ObjectKind::Global] {
        for bits in 0..=20 {
            let at = memory.allocate(kind, 3, 1 << bits).expect("room");
            assert_eq!(at.bits % (1 << bits), 0);
        }
        for align in [0, 3, 24, 1 << 21, u64::MAX] {
            let fault = Fault::InvalidAlignment { align };
            assert_eq!(memory.allocate(kind, 8, align), Err(fault));
        }
    }
}

#[test]
fn find_byte() {
    let mut memory = memory();
    let a = heap(&mut memory, 10_000);
    memory.fill(a, b'x', 9_999).expect("inside");
    assert_eq!(memory.find_byte(a, 0, u64::MAX), Ok(Some(9_999)));
    assert_eq!(memory.find_byte(a, 0, 9_999), Ok(None));
    assert_eq!(memory.find_byte(a, b'y', 10_000), Ok(None));
    assert_eq!(
        memory.find_byte(a, b'y', 10_001),
        Err(Fault::OutOfBounds {
            address: a.bits,
            length: 10_001,
            object: Some(info(&memory, a))
        })
    );
    assert_eq!(memory.find_byte(Word::int(0), 0, 0), Ok(None));
    assert!(memory.find_byte(Word::int(0), 0, 1).is_err());
}

#[test]
fn by_address_the_object_of_a_pointer_does_not_decide() {
    let mut memory = Memory::new(MemoryConfig::default()).going_by_address();
    let first = memory.allocate(ObjectKind::Heap, 10, 16).expect("room");
    let second = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
    memory.store_word(second, 8, Word::int(77)).expect("inside");
    // From one object to the other by their distance, as compilers do it.
    let there = Word {
        bits: second.bits,
        ..first
    };
    assert_eq!(memory.load_word(there, 8).map(|w| w.bits), Ok(77));
    // Aligned words may reach over the end of a heap object, if they begin inside.
    let at = |offset: u64| Word {
        bits: first.bits + offset,
        ..first
    };
    memory.store_bytes(first, b"0123456789").expect("inside");
    let tail = u64::from(u16::from_le_bytes(*b"89"));
    assert_eq!(memory.load_word(at(8), 8).map(|w| w.bits), Ok(tail));
    for (offset, bytes) in [(10, 1), (9, 2), (16, 8), (10, 2)] {
        let found = memory.load_word(at(offset), bytes);
        assert!(matches!(found, Err(Fault::OutOfBounds { .. })), "{offset}");
    }
    assert!(matches!(
        memory.store_word(at(8), 8, Word::int(0)),
        Err(Fault::OutOfBounds { .. })
    ));
    memory.free(first).expect("live");
    assert!(matches!(
        memory.load_word(first, 1),
        Err(Fault::UseAfterFree { .. })
    ));
    assert!(matches!(memory.free(first), Err(Fault::DoubleFree { .. })));
}

#[test]
fn out_of_scope() {
    let mut memory = memory();
    memory.push_frame(0).expect("room");
    let a = memory.stack_allocate(8, 8).expect("room");
    let b = memory.stack_allocate(8, 8).expect("room");
    memory.store_word(a, 8, Word::int(7)).expect("inside");
    let object = info(&memory, a);
    // Only the object that begins at the address, by its own pointer.
    memory.end_scope(plus(a, 4));
    memory.end_scope(Word::int(a.bits));
    assert_eq!(memory.load_word(a, 8), Ok(Word::int(7)));
    assert_eq!(memory.begin_scope(a), None);
    memory.end_scope(a);
    let fault = Fault::UseAfterScope {
        address: a.bits + 2,
        length: 4,
        object,
    };
    assert_eq!(memory.load_word(plus(a, 2), 4), Err(fault));
    assert_eq!(memory.store_word(plus(a, 2), 4, a), Err(fault));
    assert_eq!(memory.fill(plus(a, 2), 1, 4), Err(fault));
    let text = format!(
        "access of 4 bytes at {:#x} in the {object}, whose scope was left",
        a.bits + 2
    );
    assert_eq!(fault.to_string(), text);
    assert!(memory.object_at(a.bits).is_none());
    assert!(memory.load_word(Word::int(a.bits), 8).is_err());
    assert!(memory.objects().all(|e| e.object != a.object));
    assert_eq!(memory.load_word(b, 8), Ok(Word::int(0)));
    // A second end changes nothing, and the pointers are good again when the scope is.
    memory.end_scope(a);
    assert_eq!(memory.begin_scope(a), Some(8));
    assert_eq!(memory.load_word(a, 8), Ok(Word::int(7)));
    assert_eq!(memory.object_at(a.bits), Some(a.object));
    // The end of the function is the end, in its scope or out of it.
    memory.end_scope(a);
    memory.pop_frame();
    let freed = Some(object);
    let fault = Fault::UseAfterFree {
        address: a.bits,
        length: 8,
        freed,
    };
    assert_eq!(memory.load_word(a, 8), Err(fault));
    assert_eq!(memory.begin_scope(a), None);
    // Objects of the heap and globals have no scope.
    let heap = heap(&mut memory, 8);
    memory.end_scope(heap);
    assert_eq!(memory.load_word(heap, 8), Ok(Word::int(0)));
}

#[test]
fn addresses_in_no_object_are_alike_in_ranges() {
    let mut memory = memory();
    for size in [24, 24, 40, 1000, 24, 0] {
        let at = heap(&mut memory, size);
        if size == 40 {
            memory.free(at).expect("live");
        }
    }
    let kernel = memory.allocate(ObjectKind::Kernel, 100, 16).expect("room");
    for (kind, size) in [(ObjectKind::Global, 10), (ObjectKind::Constant, 100)] {
        memory.allocate(kind, size, 64).expect("room");
    }
    memory.allocate(ObjectKind::Stack, 12, 16).expect("room");
    memory.push_frame(0).expect("room");
    memory.allocate(ObjectKind::Stack, 300, 16).expect("room");
    memory.pop_frame();
    let ended = memory.allocate(ObjectKind::Stack, 200, 16).expect("room");
    memory.end_scope(ended);
    assert!(
        memory
            .no_object_at(Word::int(ended.bits + 100))
            .by_an_object
    );
    memory.allocate_fixed(0x10000, 64).expect("free");
    // Whether an access by a number is refused, not to be followed.
    let far = |address: u64| {
        let found = memory.load_bytes(Word::int(address), &mut [0]);
        match found {
            Ok(()) => None,
            Err(Fault::Null { .. } | Fault::OutOfBounds { object: None, .. }) => Some(true),
            Err(_) => Some(false),
        }
    };
    let mut borders: Vec<u64> = memory.objects().map(|e| e.address).collect();
    borders.extend([
        kernel.bits,
        ended.bits,
        0,
        4096,
        1 << 32,
        4 << 40,
        5 << 40,
        6 << 40,
        40 << 40,
    ]);
    borders.extend([0x7f00_0000_0000, 0x7fff_ffff_f000, u64::MAX]);
    let near = |at: u64| (at.saturating_sub(1100)..=at.saturating_add(1100)).collect::<Vec<_>>();
    let mut seen = [0, 0];
    for address in borders.into_iter().flat_map(near) {
        let Some(is_far) = far(address) else {
            continue;
        };
        let range = memory.no_object_at(Word::int(address));
        assert_eq!(range.by_an_object, !is_far, "{address:#x}");
        seen[usize::from(is_far)] += 1;
        assert!(
            (range.first..=range.last).contains(&address),
            "{address:#x}"
        );
        let length = range.last - range.first;
        let inner = near(address);
        let others = (0..64).map(|i| range.first + (u128::from(length) * i / 63) as u64);
        for other in inner.into_iter().step_by(7).chain(others) {
            if (range.first..=range.last).contains(&other) {
                let said = far(other);
                assert!(
                    said.is_none() || said == Some(is_far),
                    "{address:#x} {other:#x}"
                );
            }
        }
    }
    assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
    // What belongs to an object is by it wherever it points.
    let own = memory.allocate(ObjectKind::Heap, 8, 8).expect("room");
    assert!(memory.no_object_at(plus(own, 1 << 50)).by_an_object);
}
