//! Prints what the operations of the memory cost, in nanoseconds.

use cairn_memory::{Fault, Memory, MemoryConfig, ObjectKind, Word};
use std::hint::black_box;
use std::time::Instant;

/// The best of several measurements: others use the processor too.
const ROUNDS: usize = 100;

fn measure(what: &str, count: u64, mut run: impl FnMut() -> Result<(), Fault>) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        if let Err(fault) = run() {
            println!("{what}: {fault}");
            return;
        }
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    println!("{best:10.2} ns  {what}");
}

fn at(base: Word, offset: u64) -> Word {
    Word {
        bits: base.bits + offset,
        object: base.object,
    }
}

fn words(size: u64, bytes: u32, what: &str) -> Result<(), Fault> {
    let mut memory = Memory::new(MemoryConfig::default());
    let base = memory.allocate(ObjectKind::Heap, size, 16)?;
    memory.fill(base, 1, size)?;
    const COUNT: u64 = 100_000;
    let places = size / u64::from(bytes);
    // A power of two, and a stride that is none: not the simplest order, without a division.
    let mask = places - 1;
    let place = |i: u64| at(base, ((i * 7) & mask) * u64::from(bytes));
    measure(&format!("load_word of {bytes}, {what}"), COUNT, || {
        let mut sum = 0u64;
        for i in 0..COUNT {
            sum = sum.wrapping_add(memory.load_word(place(i), bytes)?.bits);
        }
        black_box(sum);
        Ok(())
    });
    measure(&format!("store_word of {bytes}, {what}"), COUNT, || {
        for i in 0..COUNT {
            memory.store_word(place(i), bytes, Word::int(i))?;
        }
        black_box(&memory);
        Ok(())
    });
    Ok(())
}

/// One object after the other, as the locals of a function.
fn locals() -> Result<(), Fault> {
    let mut memory = Memory::new(MemoryConfig::default());
    let mut objects = Vec::new();
    for _ in 0..8 {
        objects.push(memory.stack_allocate(8, 8)?);
    }
    const COUNT: u64 = 100_000;
    measure(
        "store_word and load_word of 8 integers in turn",
        COUNT,
        || {
            for i in 0..COUNT {
                let object = objects[(i % 8) as usize];
                memory.store_word(object, 8, Word::int(i))?;
                black_box(memory.load_word(object, 8)?);
            }
            Ok(())
        },
    );
    measure(
        "store_word and load_word of 8 pointers in turn",
        COUNT,
        || {
            for i in 0..COUNT {
                let object = objects[(i % 8) as usize];
                memory.store_word(object, 8, object)?;
                black_box(memory.load_word(object, 8)?);
            }
            Ok(())
        },
    );
    let first = objects[0];
    memory.store_word(first, 8, first)?;
    measure("load_word that needs the result of the last", COUNT, || {
        let mut pointer = first;
        for _ in 0..COUNT {
            pointer = memory.load_word(pointer, 8)?;
        }
        black_box(pointer);
        Ok(())
    });
    let plain = Word::int(first.bits);
    measure("load_word without provenance, stack", COUNT, || {
        for _ in 0..COUNT {
            black_box(memory.load_word(plain, 8)?);
        }
        Ok(())
    });
    Ok(())
}

fn stack() -> Result<(), Fault> {
    let mut memory = Memory::new(MemoryConfig::default());
    const CALLS: u64 = 10_000;
    const OBJECTS: u64 = 5;
    let mut calls = |what: &str, pointers: bool| {
        measure(what, CALLS * OBJECTS, || {
            for _ in 0..CALLS {
                memory.push_frame(0)?;
                for i in 0..OBJECTS {
                    let object = memory.stack_allocate(8 + 8 * (i % 2), 8)?;
                    if pointers {
                        memory.store_word(object, 8, object)?;
                    }
                }
                memory.pop_frame();
            }
            Ok(())
        });
    };
    calls("stack_allocate of 8 or 16 bytes, and its end", false);
    calls("the same with a pointer stored in each", true);
    measure("allocate and free of 40 bytes on the heap", CALLS, || {
        for _ in 0..CALLS {
            let object = memory.allocate(ObjectKind::Heap, 40, 16)?;
            memory.free(object)?;
        }
        Ok(())
    });
    Ok(())
}

fn clones() -> Result<(), Fault> {
    let mut memory = Memory::new(MemoryConfig::default());
    const BYTES: u64 = 256 << 20;
    let large = memory.allocate(ObjectKind::Heap, BYTES, 16)?;
    memory.fill(large, 1, BYTES)?;
    let mut page = 0;
    let mut clone_and_write = |memory: &Memory, what: &str| {
        measure(&format!("clone with 256 MiB written{what}"), 1, || {
            black_box(memory.clone());
            Ok(())
        });
        measure(&format!("clone and first store{what}"), 1, || {
            let mut copy = memory.clone();
            page = (page + 1) % (BYTES / 4096);
            copy.store_word(at(large, page * 4096), 8, Word::int(1))?;
            black_box(&copy);
            Ok(())
        });
    };
    clone_and_write(&memory, "");
    for _ in 0..100_000 {
        memory.allocate(ObjectKind::Heap, 40, 16)?;
    }
    clone_and_write(&memory, " and 100000 objects");
    let small = memory.allocate(ObjectKind::Heap, 40, 16)?;
    const COUNT: u64 = 100_000;
    measure("resolve among 100000 objects", COUNT, || {
        for i in 0..COUNT {
            black_box(memory.object_at(small.bits - i * 7 % 100_000 * 64));
        }
        Ok(())
    });
    let plain = Word::int(small.bits);
    measure("load_word without provenance, heap", COUNT, || {
        for _ in 0..COUNT {
            black_box(memory.load_word(black_box(plain), 8)?);
        }
        Ok(())
    });
    Ok(())
}

fn main() -> Result<(), Fault> {
    words(64, 8, "small object")?;
    words(64, 4, "small object")?;
    words(64, 1, "small object")?;
    words(1 << 20, 8, "1 MiB object")?;
    words(1 << 20, 4, "1 MiB object")?;
    words(256 << 20, 8, "256 MiB object")?;
    locals()?;
    stack()?;
    clones()
}
