//! What a watched memory notes.

use cairn_memory::{Memory, MemoryConfig, ObjectKind, Touch, Word, unwatch, watch};

fn object(memory: &mut Memory, size: u64) -> Word {
    let made = memory.allocate(ObjectKind::Heap, size, 16);
    made.expect("there is room")
}

fn read(at: Word, offset: u64, length: u64) -> Touch {
    Touch::Read {
        object: at.object,
        offset,
        length,
    }
}

fn wrote(at: Word, offset: u64, length: u64) -> Touch {
    Touch::Wrote {
        object: at.object,
        offset,
        length,
    }
}

/// What is noted of an operation, without the searches for objects.
fn noted(memory: &mut Memory, work: impl FnOnce(&mut Memory)) -> Vec<Touch> {
    watch(memory);
    work(memory);
    let mut touches = unwatch(memory);
    touches.retain(|touch| !matches!(touch, Touch::LookedAt(_)));
    touches
}

#[test]
fn accesses_are_noted_by_their_bytes() {
    let mut memory = Memory::new(MemoryConfig::default());
    let a = object(&mut memory, 64);
    let b = object(&mut memory, 64);
    memory.store_bytes(a, b"some text\0").expect("it fits");
    let touches = noted(&mut memory, |memory| {
        memory.load_word(a.offset(8), 4).expect("it is there");
        memory.store_word(b, 8, Word::int(1)).expect("it is there");
        memory.load_bytes(a, &mut [0; 3]).expect("they are there");
        memory.store_bytes(b.offset(1), &[1, 2]).expect("they fit");
        memory.fill(b.offset(4), 0, 5).expect("they fit");
        memory.find_byte(a, 0, 100).expect("it is there");
        memory
            .copy(b.offset(2), a.offset(3), 7, false)
            .expect("both are there");
    });
    let copied = Touch::Copied {
        to: (b.object, 2),
        from: (a.object, 3),
        length: 7,
    };
    let expected = [
        read(a, 8, 4),
        wrote(b, 0, 8),
        read(a, 0, 3),
        wrote(b, 1, 2),
        wrote(b, 4, 5),
        read(a, 0, 10),
        copied,
    ];
    assert_eq!(touches, expected);
}

#[test]
fn objects_are_noted_when_they_are_made_ended_and_looked_for() {
    let mut memory = Memory::new(MemoryConfig::default());
    let old = object(&mut memory, 8);
    watch(&mut memory);
    let made = object(&mut memory, 8);
    memory.free(old).expect("it lives");
    let touches = unwatch(&mut memory);
    let expected = [
        Touch::Room,
        Touch::Made(made.object),
        Touch::Room,
        Touch::LookedAt(old.object),
    ];
    assert_eq!(touches, expected);
    // A pointer without an object is looked for by its address; one to an object that has ended by that.
    watch(&mut memory);
    memory.load_word(Word::int(made.bits), 4).expect("it lives");
    memory.load_word(old, 4).expect_err("it has ended");
    let touches = unwatch(&mut memory);
    assert!(touches.contains(&Touch::Layout), "{touches:?}");
    assert!(touches.contains(&read(made, 0, 4)), "{touches:?}");
    assert!(
        touches.contains(&Touch::LookedAt(old.object)),
        "{touches:?}"
    );
}

#[test]
fn a_clone_is_watched_too_and_nothing_is_noted_before_or_after() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = object(&mut memory, 8);
    assert_eq!(unwatch(&mut memory), []);
    watch(&mut memory);
    let other = memory.clone();
    other.load_word(at, 1).expect("it is there");
    assert_eq!(
        unwatch(&mut memory),
        [Touch::LookedAt(at.object), read(at, 0, 1)]
    );
    memory.load_word(at, 1).expect("it is there");
    assert_eq!(unwatch(&mut memory), []);
}
