//! Many objects, large objects, limits, and what clones cost.

use cairn_memory::{Cell, Fault, Memory, MemoryConfig, ObjectKind, OriginId, ReadPart, Word};
use cairn_random::thread_time;
use std::collections::HashMap;
use std::time::Duration;

fn heap(memory: &mut Memory, size: u64) -> Word {
    memory.allocate(ObjectKind::Heap, size, 16).expect("room")
}

fn plus(at: Word, offset: u64) -> Word {
    Word {
        bits: at.bits + offset,
        object: at.object,
    }
}

/// The shortest of some runs: others use the processor too.
fn shortest(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let before = thread_time();
        run();
        thread_time() - before
    };
    (0..20).map(time).min().expect("some runs")
}

/// Nanoseconds to resolve an address among this many heap objects, and to make them.
fn resolve_time(count: u64) -> f64 {
    let mut memory = Memory::new(MemoryConfig::default());
    let objects: Vec<Word> = (0..count).map(|_| heap(&mut memory, 40)).collect();
    // The same number of objects, so that only the table differs, not the cache's work.
    let chosen: Vec<Word> = objects
        .iter()
        .step_by(objects.len() / 500)
        .copied()
        .collect();
    let time = shortest(|| {
        for _ in 0..20 {
            for object in &chosen {
                assert_eq!(memory.object_at(object.bits + 39), Some(object.object));
            }
        }
    });
    time.as_nanos() as f64 / (20 * chosen.len()) as f64
}

#[test]
fn resolving_does_not_depend_on_the_number_of_objects() {
    let (few, many) = (resolve_time(1_000), resolve_time(100_000));
    println!("resolve: {few:.1} ns among 1000 objects, {many:.1} ns among 100000");
    assert!(many < 10.0 * few + 100.0);
}

#[test]
fn a_clone_shares_everything() {
    const BYTES: u64 = 256 << 20;
    let mut memory = Memory::new(MemoryConfig::default());
    let large = heap(&mut memory, BYTES);
    memory.fill(large, 1, BYTES).expect("room");
    let clone = shortest(|| drop(memory.clone()));
    let mut page = 0;
    let write = shortest(|| {
        let mut copy = memory.clone();
        page += 4096;
        copy.store_word(plus(large, page), 8, large)
            .expect("inside");
        assert_eq!(copy.load_word(plus(large, page), 8), Ok(large));
    });
    println!("clone with 256 MiB: {clone:?}, with a first write {write:?}");
    assert!(clone < Duration::from_micros(100));
    assert!(write < Duration::from_millis(1));
    let ones = Word::int(0x0101_0101_0101_0101);
    assert_eq!(memory.load_word(plus(large, page), 8), Ok(ones));
}

#[test]
fn clones_are_independent() {
    let mut first = Memory::new(MemoryConfig::default());
    let a = heap(&mut first, 16);
    first.store_word(a, 8, a).expect("inside");
    let mut second = first.clone();
    second.store_word(a, 8, Word::int(2)).expect("inside");
    assert_eq!(first.load_word(a, 8), Ok(a));
    first.free(a).expect("live");
    assert_eq!(second.load_word(a, 8), Ok(Word::int(2)));
    assert!(first.load_word(a, 8).is_err());
    let b = heap(&mut first, 16);
    let c = heap(&mut second, 16);
    first.store_word(b, 8, Word::int(3)).expect("inside");
    assert_eq!(second.load_word(c, 8), Ok(Word::int(0)));
}

#[test]
fn a_large_object_costs_what_is_written() {
    let mut memory = Memory::new(MemoryConfig::default());
    let before = thread_time();
    let large = heap(&mut memory, 16 << 30);
    memory
        .store_word(plus(large, 9 << 30), 8, large)
        .expect("room");
    assert_eq!(memory.load_word(plus(large, 9 << 30), 8), Ok(large));
    assert_eq!(memory.load_word(plus(large, 15 << 30), 8), Ok(Word::int(0)));
    assert_eq!(
        memory.load_word(plus(large, (16 << 30) - 8), 8),
        Ok(Word::int(0))
    );
    memory.free(large).expect("live");
    // To make all of its pages would take longer, if they had room at all.
    assert!(thread_time() - before < Duration::from_secs(1));
}

#[test]
fn the_limit_counts_what_is_written() {
    let mut memory = Memory::new(MemoryConfig {
        heap_bytes: 1 << 20,
        ..MemoryConfig::default()
    });
    let large = heap(&mut memory, 1 << 30);
    let filled = memory.fill(large, 1, 2 << 20);
    assert!(matches!(filled, Err(Fault::OutOfMemory { .. })));
    // Nothing is left, not even for a small object.
    assert!(matches!(
        memory.allocate(ObjectKind::Heap, 64, 16),
        Err(Fault::OutOfMemory { size: 64, limit }) if limit == 1 << 20
    ));
    assert!(matches!(
        memory.store_word(plus(large, 1 << 29), 8, Word::int(1)),
        Err(Fault::OutOfMemory { .. })
    ));
    // Whole pages of zeros need no room.
    memory.fill(large, 0, 4096).expect("no room needed");
    heap(&mut memory, 64);
    memory.free(large).expect("live");
    let mut small = 0;
    while memory.allocate(ObjectKind::Heap, 1024, 16).is_ok() {
        small += 1;
    }
    assert_eq!(small, 1023);
}

#[test]
fn sizes_that_are_too_large() {
    let mut memory = Memory::new(MemoryConfig::default());
    for size in [u64::MAX, 1 << 63, 1 << 40, (64 << 30) + 1] {
        for kind in [ObjectKind::Heap, ObjectKind::Stack] {
            assert!(memory.allocate(kind, size, 16).is_err());
        }
    }
    assert!(memory.allocate(ObjectKind::Global, u64::MAX, 1).is_err());
    assert!(memory.allocate(ObjectKind::Global, 1 << 42, 1).is_err());
    assert!(memory.allocate(ObjectKind::Heap, 64 << 30, 1 << 20).is_ok());
}

#[test]
fn places_run_out_and_come_back() {
    let mut memory = Memory::new(MemoryConfig {
        object_bytes: u64::MAX,
        ..MemoryConfig::default()
    });
    let first = heap(&mut memory, 1 << 38);
    heap(&mut memory, 1 << 38);
    let third = memory.allocate(ObjectKind::Heap, 1 << 38, 16);
    assert!(matches!(third, Err(Fault::OutOfMemory { .. })));
    memory.free(first).expect("live");
    let again = heap(&mut memory, 1 << 38);
    assert_eq!(again.bits, first.bits);
    assert_ne!(again.object, first.object);
}

#[test]
fn freed_addresses_rest_before_they_are_used_again() {
    let mut memory = Memory::new(MemoryConfig::default());
    let mut last_use = HashMap::new();
    let mut reused = 0;
    for round in 0..200_000 {
        let object = heap(&mut memory, 40);
        if let Some(before) = last_use.insert(object.bits, round) {
            assert!(round - before > 1 << 16);
            reused += 1;
        }
        memory.free(object).expect("live");
    }
    assert!(reused > 100_000);
    assert_eq!(memory.heap_objects().count(), 0);
}

#[test]
fn deep_recursion() {
    let mut memory = Memory::new(MemoryConfig::default());
    let mut locals = Vec::new();
    for depth in 0..100_000u64 {
        memory.push_frame(0).expect("room");
        let local = memory.stack_allocate(8, 8).expect("room");
        memory
            .store_word(local, 8, Word::int(depth))
            .expect("inside");
        locals.push(local);
    }
    let mut copy = memory.clone();
    for (depth, local) in locals.iter().enumerate().rev() {
        let value = Ok(Word::int(depth as u64));
        assert_eq!(memory.load_word(Word::int(local.bits), 8), value);
        memory.pop_frame();
        assert!(memory.load_word(*local, 8).is_err());
    }
    assert_eq!(copy.load_word(locals[50_000], 8), Ok(Word::int(50_000)));
    copy.pop_frame();
    assert!(copy.load_word(locals[99_999], 8).is_err());
    assert!(copy.load_word(locals[99_998], 8).is_ok());
}

/// What a clone costs among this many objects, and what it costs with a store to one of them.
fn fork_times(count: u64) -> (Duration, Duration) {
    let mut memory = Memory::new(MemoryConfig::default());
    let objects: Vec<Word> = (0..count).map(|_| heap(&mut memory, 64)).collect();
    let clones = shortest(|| (0..100).for_each(|_| drop(memory.clone())));
    let mut next = 0;
    let writes = shortest(|| {
        for _ in 0..100 {
            let mut copy = memory.clone();
            // Few places, so that only the tables differ, not the cache's work.
            next = (next + count / 8 + 1) % count;
            copy.store_word(objects[next as usize & !63], 8, Word::int(1))
                .expect("inside");
        }
    });
    (clones, writes)
}

#[test]
fn a_fork_does_not_cost_more_among_many_objects() {
    let (few, few_written) = fork_times(1_000);
    let (many, many_written) = fork_times(1_000_000);
    println!("100 clones: {few:?} among 1000 objects, {many:?} among a million");
    println!("with a store each: {few_written:?} and {many_written:?}");
    let slack = Duration::from_micros(100);
    assert!(many < 3 * few + slack);
    // Two nodes more are copied.
    assert!(many_written < 3 * few_written + slack);
}

fn origin(offset: u64) -> Cell {
    let origin = OriginId(7);
    Cell::Origin { origin, offset }
}

fn parts(memory: &Memory, at: Word, length: u64) -> Vec<ReadPart> {
    let mut parts = Vec::new();
    memory.load_parts(at, length, &mut parts).expect("inside");
    parts
}

#[test]
fn a_large_object_is_symbolic_at_once() {
    let mut memory = Memory::new(MemoryConfig {
        heap_bytes: 1 << 16,
        ..MemoryConfig::default()
    });
    const BYTES: u64 = 60 << 30;
    let large = heap(&mut memory, BYTES);
    memory.store_cell(large, BYTES, origin(5)).expect("no room");
    let middle = plus(large, 31 << 30);
    let unread = |offset: u64, length| ReadPart::Cell {
        cell: origin(5 + offset),
        length,
    };
    assert_eq!(parts(&memory, middle, 10_000), [unread(31 << 30, 10_000)]);
    let last = plus(large, BYTES - 3);
    assert_eq!(parts(&memory, last, 3), [unread(BYTES - 3, 3)]);
    memory
        .store_word(middle, 2, Word::int(0x201))
        .expect("room");
    let known = ReadPart::Known {
        bytes: 0x201,
        length: 2,
    };
    assert_eq!(
        parts(&memory, plus(large, (31 << 30) - 1), 5),
        [unread((31 << 30) - 1, 1), known, unread((31 << 30) + 2, 2)]
    );
    assert_eq!(memory.load_word(middle, 2), Ok(Word::int(0x201)));
    assert!(memory.load_word_quick(plus(large, 8), 8).is_none());
    memory.fill(large, 0, BYTES).expect("no room needed");
    assert_eq!(memory.is_symbolic(large, BYTES), Ok(false));
    assert_eq!(memory.load_word_quick(middle, 8), Some(Word::int(0)));
}

#[test]
fn pages_that_are_cells_need_no_room() {
    let mut memory = Memory::new(MemoryConfig {
        heap_bytes: 1 << 16,
        ..MemoryConfig::default()
    });
    let large = heap(&mut memory, 1 << 30);
    for round in 0..3 {
        memory.fill(large, 1, 12 << 12).expect("room");
        let filled = memory.fill(large, 1, 64 << 12);
        assert!(matches!(filled, Err(Fault::OutOfMemory { .. })));
        memory
            .store_cell(large, 64 << 12, origin(round))
            .expect("no room needed");
    }
    memory.free(large).expect("live");
    heap(&mut memory, 4096);
}

#[test]
fn a_buffer_that_was_written_is_fast_again() {
    let mut memory = Memory::new(MemoryConfig::default());
    for size in [8u64, 100, 4096, 4100, 20_000] {
        let buffer = heap(&mut memory, size);
        memory.store_cell(buffer, size, origin(0)).expect("inside");
        for offset in 0..size {
            let at = plus(buffer, offset);
            assert_eq!(memory.load_word_quick(at, 1), None);
            assert_eq!(memory.is_symbolic(at, 1), Ok(true));
            memory.store_word(at, 1, Word::int(offset)).expect("inside");
        }
        for offset in 0..size {
            let byte = Word::int(offset & 0xff);
            let at = plus(buffer, offset);
            assert_eq!(memory.load_word_quick(at, 1), Some(byte));
            assert!(memory.store_word_quick(at, 1, byte));
        }
    }
}

/// Nanoseconds for each store of a pass over many cells from low to high.
fn pass_time(size: u64) -> f64 {
    let mut memory = Memory::new(MemoryConfig::default());
    let buffer = heap(&mut memory, size);
    let time = shortest(|| {
        for offset in 0..size {
            // No two continue each other.
            let cell = origin(1000 - 2 * (offset % 500));
            memory
                .store_cell(plus(buffer, offset), 1, cell)
                .expect("inside");
        }
        for offset in 0..size {
            let at = plus(buffer, offset);
            memory.store_word(at, 1, Word::int(1)).expect("inside");
        }
    });
    time.as_nanos() as f64 / size as f64
}

#[test]
fn a_pass_over_cells_costs_the_same_for_each() {
    let (few, many) = (pass_time(64), pass_time(4096));
    println!("a cell and a byte over it: {few:.1} ns among 64, {many:.1} ns among 4096");
    assert!(many < 5.0 * few + 200.0);
}
