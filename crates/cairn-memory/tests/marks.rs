//! Which bytes are parts of addresses, against a model that knows it of each byte.

use cairn_memory::{Memory, MemoryConfig, ObjectId, ObjectKind, Word};
use cairn_random::Random;

/// An object, and which of its bytes are parts of addresses.
struct Modelled {
    at: Word,
    marks: Vec<bool>,
}

fn moved(at: Word, by: usize) -> Word {
    Word {
        bits: at.bits + by as u64,
        ..at
    }
}

fn check(memory: &Memory, object: &Modelled, rng: &mut Random) {
    for (i, mark) in object.marks.iter().enumerate() {
        let word = memory.load_word(moved(object.at, i), 1).expect("inside");
        assert_eq!(!word.object.is_number(), *mark, "byte {i}");
        assert_eq!(word.object.is_part(), *mark, "byte {i}");
    }
    let length = 1 + rng.below_u64(8) as usize;
    let offset = rng.below_u64((object.marks.len() - length + 1) as u64) as usize;
    let at = moved(object.at, offset);
    let marked = object.marks[offset..][..length].iter().filter(|m| **m);
    let count = marked.count();
    let word = memory.load_word(at, length as u32).expect("inside");
    assert_eq!(word.object.is_number(), count == 0);
    assert_eq!(
        memory.address_bytes(at, length as u64, u64::MAX),
        count as u64
    );
    if length == 8 && count == 8 && !word.object.object_unknown() {
        assert!(offset.is_multiple_of(8));
    } else if length == 8 && count < 8 {
        assert!(count == 0 || word.object.is_part());
    }
}

#[test]
fn every_byte_of_an_address_is_known_whatever_is_done_to_it() {
    let mut rng = Random::new(7);
    for size in [40usize, 200, 9000] {
        let mut memory = Memory::new(MemoryConfig::default());
        let mut make = || {
            let made = memory.allocate(ObjectKind::Heap, size as u64, 16);
            Modelled {
                at: made.expect("room"),
                marks: vec![false; size],
            }
        };
        let mut objects = [make(), make()];
        // Around the end of the first page, where a large object has two.
        let base = if size > 4096 { 4096 - 20 } else { 0 };
        let room = (size - base).min(40) as u64;
        for _ in 0..3000 {
            let (from, to) = (rng.below_u64(2) as usize, rng.below_u64(2) as usize);
            let length = 1 + rng.below_u64(20).min(room - 1) as usize;
            let mut place = || base + rng.below_u64(room - length as u64 + 1) as usize;
            let (source, target) = (place(), place());
            let at = moved(objects[to].at, target);
            match rng.below_u64(4) {
                0 => {
                    let length = length.min(8);
                    let object = match rng.below_u64(4) {
                        0 => objects[from].at.object,
                        1 if length < 8 => ObjectId::PART,
                        1 => ObjectId::ADDRESS,
                        _ => ObjectId::NONE,
                    };
                    let bits = rng.below_u64(256);
                    let word = Word { bits, object };
                    memory.store_word(at, length as u32, word).expect("inside");
                    objects[to].marks[target..][..length].fill(!object.is_number());
                }
                1 => {
                    memory.fill(at, 1, length as u64).expect("inside");
                    objects[to].marks[target..][..length].fill(false);
                }
                _ => {
                    let source_at = moved(objects[from].at, source);
                    let copied = memory.copy(at, source_at, length as u64, true);
                    copied.expect("inside");
                    let marks = objects[from].marks[source..][..length].to_vec();
                    objects[to].marks[target..][..length].copy_from_slice(&marks);
                }
            }
        }
        for object in &objects {
            for _ in 0..50 {
                check(&memory, object, &mut rng);
            }
        }
    }
}

#[test]
fn a_pointer_that_is_copied_by_bytes_is_an_address() {
    let mut memory = Memory::new(MemoryConfig::default());
    let at = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
    memory.store_word(at, 8, at).expect("inside");
    for i in 0..8 {
        let byte = memory.load_word(moved(at, i), 1).expect("inside");
        memory
            .store_word(moved(at, 17 + i), 1, byte)
            .expect("inside");
    }
    let copy = memory.load_word(moved(at, 17), 8).expect("inside");
    assert_eq!((copy.bits, copy.object), (at.bits, ObjectId::ADDRESS));
    memory
        .store_word(moved(at, 4), 4, Word::int(0))
        .expect("inside");
    assert!(memory.load_word(at, 8).expect("inside").object.is_part());
    assert!(
        memory
            .load_word(moved(at, 4), 4)
            .expect("inside")
            .object
            .is_number()
    );
    assert!(memory.load_word(at, 4).expect("inside").object.is_part());
}
