//! Random operations on several clones of a memory, each compared with a naive model.

mod model;

use cairn_memory::{
    Fault, Memory, MemoryConfig, ObjectId, ObjectKind, PointerWidth, Word, code_region,
};
use cairn_random::Random;
use model::{Model, Problem};

const WIDTHS: [PointerWidth; 2] = [PointerWidth::Four, PointerWidth::Eight];

/// A memory and what it should be.
#[derive(Clone)]
struct World {
    memory: Memory,
    model: Model,
    /// Identities that were given out, live or not.
    known: Vec<ObjectId>,
    /// Marks of the present frame with how many objects it had, by frame.
    marks: Vec<Vec<(u64, usize)>>,
}

fn check<T: PartialEq + std::fmt::Debug>(
    model: &Model,
    got: Result<T, Fault>,
    expected: Result<T, Problem>,
) {
    match (&got, &expected) {
        (Ok(got), Ok(expected)) => assert_eq!(got, expected),
        (Err(fault), Err(problem)) => {
            assert!(problem.is(fault, model), "{fault:?} for {problem:?}");
            assert!(!fault.to_string().is_empty());
        }
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{got:?} for {expected:?}"),
    }
}

/// A word as one that knows nothing of addresses without an object, which is the matter of `marks.rs`.
fn plain(word: Word) -> Word {
    match word.object.object_unknown() {
        true => Word::int(word.bits),
        false => word,
    }
}

impl World {
    fn new(pointer_width: PointerWidth) -> Self {
        World {
            memory: Memory::new(MemoryConfig {
                pointer_width,
                ..MemoryConfig::default()
            }),
            model: Model::new(pointer_width.bytes() as usize),
            known: Vec::new(),
            marks: vec![Vec::new()],
        }
    }

    fn width(&self) -> PointerWidth {
        self.memory.pointer_width()
    }

    fn pointer_bytes(&self) -> u32 {
        self.width().bytes()
    }

    fn added(&mut self, at: Word, kind: ObjectKind, size: u64, align: u64) {
        self.model.add(at, kind, size, align);
        self.known.push(at.object);
    }

    /// A pointer that often is good: to a live or an ended object, near its ends, in the middle,
    /// with or without provenance, to nothing.
    fn pointer(&self, random: &mut Random) -> Word {
        if self.known.is_empty() || random.one_in(50) {
            return Word::int(
                match random.below(4) {
                    0 => random.below_u64(5000),
                    1 => random.next(),
                    2 => u64::MAX - random.below_u64(16),
                    _ => code_region(self.width()).start + random.below_u64(1 << 20),
                } & self.width().last_address(),
            );
        }
        // Mostly young objects: they are live, and small ones come again.
        let age = random.below(self.known.len());
        let age = if random.one_in(3) { age } else { age % 12 };
        let object = self.known[self.known.len() - 1 - age];
        let (base, size) = match self.model.live.get(&object) {
            Some(live) => (live.base, live.size()),
            None => self.model.ended[&object],
        };
        let offset = match random.below(8) {
            0 => 0,
            1 => random.below_u64(size + 32),
            2 => size.saturating_sub(random.below_u64(20)),
            3 => 0u64.wrapping_sub(random.below_u64(20)),
            4 => (random.below_u64(size + 1) & !4095).wrapping_sub(random.below_u64(12)),
            _ => random.below_u64(size + 1) & !(self.pointer_bytes() as u64 - 1),
        };
        let bits = self.width().wrap(base.wrapping_add(offset));
        let object = if random.one_in(6) {
            ObjectId::NONE
        } else {
            object
        };
        Word { bits, object }
    }

    fn length(&self, random: &mut Random) -> u64 {
        match random.below(8) {
            0 => random.below_u64(3),
            1 => random.below_u64(9000),
            2 => random.below_u64(512) * 8,
            3 if random.one_in(20) => random.next(),
            _ => random.below_u64(64),
        }
    }

    fn size(random: &mut Random) -> u64 {
        match random.below(40) {
            0 => 0,
            1..5 => random.below_u64(5000),
            5..7 => 4096 * random.below_u64(8),
            7 => random.below_u64(40_000),
            _ => random.below_u64(100),
        }
    }

    fn allocate(&mut self, random: &mut Random) {
        let kind = match random.below(10) {
            0 => ObjectKind::Global,
            1 => ObjectKind::Constant,
            2..5 => ObjectKind::Stack,
            _ => ObjectKind::Heap,
        };
        let size = World::size(random);
        let align = 1
            << if random.one_in(5) {
                random.below_u64(21)
            } else {
                random.below_u64(6)
            };
        let at = self.memory.allocate(kind, size, align).expect("room");
        self.added(at, kind, size, align);
        if kind == ObjectKind::Constant && size >= 8 {
            let offset = random.below_u64(size - 7);
            let value = self.pointer(random);
            let place = Word {
                bits: at.bits + offset,
                object: at.object,
            };
            self.memory
                .initialise_pointer(place, value)
                .expect("inside");
            self.model.live.get_mut(&at.object).expect("live").kind = ObjectKind::Global;
            let bytes = self.pointer_bytes() as usize;
            self.model.store_word(place, bytes, value).expect("inside");
            self.model.live.get_mut(&at.object).expect("live").kind = ObjectKind::Constant;
        }
    }

    fn bytes(random: &mut Random, length: u64) -> Vec<u8> {
        let seed = random.next();
        (0..length)
            .map(|i| (seed.rotate_left((i % 61) as u32) >> 3) as u8)
            .collect()
    }

    /// One random operation, on the memory and on the model.
    fn step(&mut self, random: &mut Random) {
        match random.below(100) {
            0..10 => self.allocate(random),
            10..17 => self.free(random),
            17..20 => {
                self.memory.push_frame(0).expect("room");
                self.model.frames.push(Vec::new());
                self.marks.push(Vec::new());
            }
            20..23 => {
                self.memory.pop_frame();
                self.model.pop_frame();
                self.marks.pop();
                if self.marks.is_empty() {
                    self.marks.push(Vec::new());
                }
            }
            23..33 => {
                let size = World::size(random);
                let align = 1 << random.below(7);
                let at = self.memory.stack_allocate(size, align).expect("room");
                self.added(at, ObjectKind::Stack, size, align);
            }
            33..35 => {
                let mark = self.memory.stack_mark();
                let objects = self.model.frames.last().expect("a frame").len();
                self.marks
                    .last_mut()
                    .expect("a frame")
                    .push((mark, objects));
            }
            35 => self.restore(random),
            36..56 => self.load_word(random),
            56..76 => self.store_word(random),
            76..80 => self.load_bytes(random),
            80..84 => self.store_bytes(random),
            84..88 => self.fill(random),
            88..95 => self.copy(random),
            95..98 => self.find_byte(random),
            _ => self.look_up(random),
        }
    }

    /// Frees a pointer.
    fn free(&mut self, random: &mut Random) {
        let at = self.pointer(random);
        let expected = self.model.free(at);
        let got = self.memory.free(at);
        check(&self.model, got, expected.map(|_| ()));
        if let Ok(Some(object)) = expected {
            self.model.end(object);
        }
    }

    /// Reads a word.
    fn load_word(&mut self, random: &mut Random) {
        let (at, bytes) = (self.pointer(random), random.below(8) as u32 + 1);
        let bytes = if random.one_in(2) {
            self.pointer_bytes()
        } else {
            bytes
        };
        let got = self.memory.load_word(at, bytes).map(plain);
        check(&self.model, got, self.model.load_word(at, bytes as usize));
    }

    /// Writes a word.
    fn store_word(&mut self, random: &mut Random) {
        let (at, bytes) = (self.pointer(random), random.below(8) as u32 + 1);
        let bytes = if random.one_in(2) {
            self.pointer_bytes()
        } else {
            bytes
        };
        let value = self.pointer(random);
        let expected = self.model.store_word(at, bytes as usize, value);
        let got = self.memory.store_word(at, bytes, value);
        check(&self.model, got, expected);
    }

    /// Reads bytes.
    fn load_bytes(&mut self, random: &mut Random) {
        let at = self.pointer(random);
        let length = self.length(random).min(20_000);
        let mut out = World::bytes(random, length);
        let got = self.memory.load_bytes(at, &mut out).map(|()| out);
        let expected = match length {
            0 => Ok(Vec::new()),
            _ => self.model.access(at, length).map(|(object, offset)| {
                self.model.live[&object].bytes[offset..][..length as usize].to_vec()
            }),
        };
        check(&self.model, got, expected);
    }

    /// Writes bytes.
    fn store_bytes(&mut self, random: &mut Random) {
        let at = self.pointer(random);
        let length = self.length(random).min(20_000);
        let bytes = World::bytes(random, length);
        let got = self.memory.store_bytes(at, &bytes);
        self.model_write(at, &bytes, got);
    }

    /// Writes one byte many times.
    fn fill(&mut self, random: &mut Random) {
        let at = self.pointer(random);
        let length = self.length(random);
        let byte = random.below(3) as u8;
        let got = self.memory.fill(at, byte, length);
        // A length that is in no object need not be built.
        if length > 1 << 20 {
            assert!(got.is_err());
        } else {
            self.model_write(at, &vec![byte; length as usize], got);
        }
    }

    /// Copies bytes, sometimes between overlapping ranges.
    fn copy(&mut self, random: &mut Random) {
        let (to, mut from) = (self.pointer(random), self.pointer(random));
        if random.one_in(3) {
            from = to;
            let moved = from.bits.wrapping_add(random.below_u64(40));
            from.bits = self.width().wrap(moved.wrapping_sub(20));
        }
        let length = self.length(random);
        let overlapping = random.one_in(2);
        let expected = self.model.copy(to, from, length, overlapping);
        let got = self.memory.copy(to, from, length, overlapping);
        check(&self.model, got, expected);
    }

    /// Looks for a byte.
    fn find_byte(&mut self, random: &mut Random) {
        let (at, byte) = (self.pointer(random), random.below(4) as u8);
        let limit = self.length(random);
        let got = self.memory.find_byte(at, byte, limit);
        check(&self.model, got, self.model.find_byte(at, byte, limit));
    }

    /// Asks whose a pointer and an address are.
    fn look_up(&mut self, random: &mut Random) {
        let at = self.pointer(random);
        let got = self.memory.info(at).map(|info| info.object);
        check(&self.model, got, self.model.owner(at));
        assert_eq!(self.memory.object_at(at.bits), self.model.resolve(at.bits));
    }

    fn model_write(&mut self, at: Word, bytes: &[u8], got: Result<(), Fault>) {
        if bytes.is_empty() {
            return check(&self.model, got, Ok(()));
        }
        let place = self.model.write_access(at, bytes.len() as u64);
        check(&self.model, got, place.map(|_| ()));
        if let Ok((object, offset)) = place {
            self.model.write(object, offset, bytes);
        }
    }

    /// Goes back to a mark of this frame, or tries one of no frame.
    fn restore(&mut self, random: &mut Random) {
        let marks = self.marks.last_mut().expect("a frame");
        if marks.is_empty() || random.one_in(4) {
            assert!(!self.memory.stack_restore(random.next() | 1));
            return;
        }
        let chosen = random.below(marks.len());
        let (mark, objects) = marks[chosen];
        marks.truncate(chosen + 1);
        assert!(self.memory.stack_restore(mark));
        self.model.end_frame_objects(objects);
    }

    /// Compares everything.
    fn compare(&self) {
        for (id, object) in &self.model.live {
            let base = Word {
                bits: object.base,
                object: *id,
            };
            let info = self.memory.info(base).expect("live");
            assert_eq!((info.address, info.size), (object.base, object.size()));
            assert_eq!((info.kind, info.object), (object.kind, *id));
            let mut bytes = vec![1; object.bytes.len()];
            self.memory.load_bytes(base, &mut bytes).expect("inside");
            assert!(bytes == object.bytes, "bytes of {info}");
            let bytes = self.pointer_bytes() as usize;
            for (granule, pointer) in object.pointers.iter().enumerate() {
                let at = Word {
                    bits: object.base + (granule * bytes) as u64,
                    ..base
                };
                if (granule + 1) * bytes <= object.bytes.len() {
                    assert_eq!(
                        plain(self.memory.load_pointer(at).expect("inside")).object,
                        *pointer
                    );
                }
            }
        }
        let heap: Vec<ObjectId> = self.memory.heap_objects().map(|e| e.object).collect();
        let expected: Vec<ObjectId> = self
            .model
            .by_base
            .values()
            .filter(|id| self.model.live[id].kind == ObjectKind::Heap)
            .copied()
            .collect();
        assert_eq!(heap, expected);
    }
}

fn run(width: PointerWidth, seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let mut worlds = vec![World::new(width)];
    for step in 0..steps {
        if random.one_in(150) {
            let chosen = random.below(worlds.len());
            let clone = worlds[chosen].clone();
            if worlds.len() < 4 {
                worlds.push(clone);
            } else {
                let replaced = random.below(4);
                worlds[replaced] = clone;
            }
        }
        let chosen = random.below(worlds.len());
        worlds[chosen].step(&mut random);
        if step % 2000 == 1999 {
            worlds.iter().for_each(World::compare);
        }
    }
    worlds.iter().for_each(World::compare);
}

#[test]
fn behaves_as_the_model() {
    for width in WIDTHS {
        for seed in 0..12 {
            run(width, seed, 10_000);
        }
    }
}

#[test]
fn trees_of_pages_behave_as_the_model() {
    for width in WIDTHS {
        trees_of_pages(width);
    }
}

fn trees_of_pages(width: PointerWidth) {
    let bytes = width.bytes() as usize;
    let mut random = Random::new(99);
    let mut world = World::new(width);
    for size in [(1 << 20) + 5, 3 << 20] {
        let at = world
            .memory
            .allocate(ObjectKind::Heap, size, 16)
            .expect("room");
        world.added(at, ObjectKind::Heap, size, 16);
        let fill = world.memory.fill(at, 7, 600_000);
        world.model_write(at, &[7; 600_000], fill);
    }
    let [small, large] = [world.known[0], world.known[1]];
    let mut other = world.clone();
    for round in 0..200 {
        let place = |random: &mut Random| {
            let object = if random.one_in(2) { small } else { large };
            Word {
                bits: world.model.live[&object].base + random.below_u64(2 << 20),
                object,
            }
        };
        let (to, from) = (place(&mut random), place(&mut random));
        let to = Word {
            bits: if random.one_in(2) {
                to.bits
            } else {
                to.bits & !(u64::from(width.bytes()) - 1)
            },
            ..to
        };
        let value = world.memory.store_pointer(to, from);
        check(
            &world.model,
            value,
            world.model.clone().store_word(to, bytes, from),
        );
        let _ = world.model.store_word(to, bytes, from);
        let length = random.below_u64(700_000);
        let expected = world.model.copy(to, from, length, true);
        check(
            &world.model,
            world.memory.copy(to, from, length, true),
            expected,
        );
        if round % 50 == 49 {
            world.compare();
            other.compare();
            std::mem::swap(&mut world, &mut other);
        }
    }
}

/// Copies of all short lengths between all alignments, where every granule holds a pointer.
fn copy_between_pointers(width: PointerWidth, size: u64, first: u64) {
    let bytes = width.bytes() as usize;
    let granules = 40 / bytes as u64;
    let mut world = World::new(width);
    let mut objects = Vec::new();
    for _ in 0..2 {
        let at = world.memory.allocate(ObjectKind::Heap, size, 16);
        let at = at.expect("room");
        world.added(at, ObjectKind::Heap, size, 16);
        objects.push(at);
    }
    let inside = |at: Word, offset: u64| Word {
        bits: at.bits + first + offset,
        object: at.object,
    };
    for (target, source) in [(0, 1), (0, 0)] {
        let (target, source) = (objects[target], objects[source]);
        for case in 0..16 * 16 * 24 {
            for (at, granule) in objects
                .iter()
                .flat_map(|at| (0..granules).map(move |g| (at, g)))
            {
                let at = inside(*at, granule * bytes as u64);
                world.memory.store_pointer(at, at).expect("inside");
                world.model.store_word(at, bytes, at).expect("inside");
            }
            let (to, from) = (inside(target, case % 16), inside(source, case / 16 % 16));
            let length = case / 256;
            let expected = world.model.copy(to, from, length, true);
            check(
                &world.model,
                world.memory.copy(to, from, length, true),
                expected,
            );
            for (at, granule) in objects
                .iter()
                .flat_map(|at| (0..granules).map(move |g| (at, g)))
            {
                let at = inside(*at, granule * bytes as u64);
                check(
                    &world.model,
                    world.memory.load_pointer(at).map(plain),
                    world.model.load_word(at, bytes),
                );
            }
        }
    }
}

#[test]
fn copies_keep_whole_pointers_only() {
    for width in WIDTHS {
        copy_between_pointers(width, 40, 0);
        // Across the end of a page.
        copy_between_pointers(width, 8192, 4096 - 16);
    }
}
