//! Memories as one: on clones that were written at random, what is not told to differ is the same in all, and what is told
//! differs; a memory merged with itself is itself; objects that have ended on one side are no object of the merged memory.

use cairn_expr::{Sort, Term, TermStore};
use cairn_memory::{
    Cell, MemoriesApart, Memory, MemoryConfig, ObjectId, ObjectKind, ReadPart, Word, merged_memory,
};
use cairn_random::Random;

const SIZES: [u64; 6] = [1, 5, 8, 64, 300, 20_000];

struct World {
    memory: Memory,
    objects: Vec<(Word, u64)>,
}

fn world() -> World {
    let mut memory = Memory::new(MemoryConfig::default());
    let mut objects = Vec::new();
    for size in SIZES {
        for kind in [ObjectKind::Heap, ObjectKind::Global] {
            let made = memory.allocate(kind, size, 8).expect("there is room");
            objects.push((made, size));
        }
    }
    World { memory, objects }
}

/// Writes something somewhere.
fn change(
    random: &mut Random,
    store: &TermStore,
    world: &World,
    memory: &mut Memory,
    pointers: bool,
) {
    let (at, size) = world.objects[random.below(world.objects.len())];
    let bytes = [1u64, 2, 4, 8][random.below(4)].min(size);
    let bytes = if bytes.is_power_of_two() { bytes } else { 1 };
    // Near the beginning, so that writes meet.
    let offset = random.below_u64((size - bytes).min(40) + 1);
    let to = at.offset(offset);
    let written = match random.below(4) {
        0 => memory.store_word(to, bytes as u32, Word::int(random.below_u64(3))),
        1 if pointers => {
            let (object, _) = world.objects[random.below(2)];
            memory.store_word(to, bytes as u32, object)
        }
        1 | 2 => memory.fill(to, random.below_u64(2) as u8, bytes),
        _ => {
            let name = format!("x{}", random.below_u64(4));
            let width = 8 * bytes as u32;
            let term: Term = store.symbol(&name, Sort::BitVec(width));
            let object = ObjectId::NONE;
            let cell = Cell::Term {
                term,
                skip: 0,
                object,
            };
            memory.store_cell(to, bytes, cell)
        }
    };
    written.expect("it is inside");
}

/// What a byte is: its part, and what the word that it is in belongs to.
fn byte(memory: &Memory, at: Word) -> (String, ObjectId) {
    let mut parts = Vec::new();
    memory.load_parts(at, 1, &mut parts).expect("it is inside");
    let part: &ReadPart = &parts[0];
    (format!("{part:?}"), memory.marks(at, 1))
}

#[test]
fn what_differs_is_told_and_nothing_else() {
    let store = TermStore::new();
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let pointers = seed % 2 == 0;
        let mut world = world();
        let mut base = world.memory.clone();
        for _ in 0..random.below_u64(40) {
            change(&mut random, &store, &world, &mut base, pointers);
        }
        world.memory = base;
        let mut all: Vec<Memory> = vec![world.memory.clone(); 2 + random.below(2)];
        for memory in &mut all {
            for _ in 0..random.below_u64(12) {
                change(&mut random, &store, &world, memory, pointers);
            }
        }
        let members: Vec<&Memory> = all.iter().collect();
        let (merged, differing) = merged_memory(&members).expect("the same objects");
        for &(at, size) in &world.objects {
            for offset in 0..size.min(64) {
                let place = at.offset(offset);
                let told = differing.iter().any(|part| {
                    part.at.object == at.object
                        && (part.at.bits..part.at.bits + u64::from(part.bytes))
                            .contains(&place.bits)
                });
                let mut bytes = all.iter().map(|memory| byte(memory, place));
                let first = bytes.next().expect("there are some");
                let same = bytes.all(|other| other == first);
                assert!(same || told, "seed {seed}: byte {offset} of {size}");
                if !told {
                    assert_eq!(byte(&merged, place), first, "seed {seed}");
                }
            }
        }
        for part in &differing {
            let word = |memory: &Memory| {
                let all = (0..u64::from(part.bytes)).map(|i| byte(memory, part.at.offset(i)));
                all.collect::<Vec<_>>()
            };
            let first = word(&all[0]);
            // What a granule of 8 bytes belongs to is compared as a whole, so near pointers more is told.
            let differs = all.iter().any(|memory| word(memory) != first);
            assert!(
                differs || pointers,
                "seed {seed}: {part:?} is the same everywhere"
            );
        }
    }
}

#[test]
fn a_memory_with_itself_is_itself() {
    let store = TermStore::new();
    let mut random = Random::new(7);
    let world = world();
    let mut memory = world.memory.clone();
    for _ in 0..100 {
        change(&mut random, &store, &world, &mut memory, true);
        let other = memory.clone();
        let (_, differing) = merged_memory(&[&memory, &other, &memory]).expect("the same");
        assert_eq!(differing, []);
    }
}

#[test]
fn what_ended_on_one_side_never_comes_back() {
    let world = world();
    let (mut one, mut other) = (world.memory.clone(), world.memory.clone());
    let gone = one.allocate(ObjectKind::Heap, 24, 8).expect("room");
    one.free(gone).expect("it was made");
    for _ in 0..3 {
        let short = other.allocate(ObjectKind::Stack, 8, 8).expect("room");
        other.stack_restore(short.bits + 64);
    }
    for members in [[&one, &world.memory], [&world.memory, &one]] {
        let (mut merged, differing) = merged_memory(&members).expect("the same live objects");
        assert_eq!(differing, []);
        assert!(merged.load_word(gone, 8).is_err());
        let next = merged.allocate(ObjectKind::Heap, 24, 8).expect("room");
        assert_ne!(next.object, gone.object, "an identity is used once");
        assert_ne!(next.bits, gone.bits, "and so is the place, for a while");
        assert!(merged.load_word(gone, 8).is_err());
    }
}

#[test]
fn different_objects_are_not_merged() {
    let world = world();
    let mut one = world.memory.clone();
    one.allocate(ObjectKind::Heap, 24, 8).expect("room");
    let apart = merged_memory(&[&one, &world.memory]).map(|_| ());
    assert_eq!(apart, Err(MemoriesApart::Made));
    let mut two = world.memory.clone();
    two.free(world.objects[0].0).expect("it lives");
    let apart = merged_memory(&[&world.memory, &two]).map(|_| ());
    assert_eq!(apart, Err(MemoriesApart::Ended));
    let mut other = world.memory.clone();
    other.allocate(ObjectKind::Heap, 32, 8).expect("room");
    let apart = merged_memory(&[&one, &other]).map(|_| ());
    assert_eq!(apart, Err(MemoriesApart::Objects));
    let mut three = world.memory.clone();
    three.push_frame(16).expect("room");
    let apart = merged_memory(&[&world.memory, &three]).map(|_| ());
    assert_eq!(apart, Err(MemoriesApart::Stack));
}
