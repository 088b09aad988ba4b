//! Bytes that are not known: random operations on several clones of a memory, each compared with a
//! naive model that keeps every byte by itself, and what single operations promise.

use cairn_expr::{Sort, Term, TermStore};
use cairn_memory::{
    Cell, Fault, Memory, MemoryConfig, ObjectId, ObjectKind, OriginId, ReadPart, Snapshot, Word,
};
use cairn_random::Random;

/// One byte of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Byte {
    Known(u8),
    /// A cell from this byte on.
    Cell(Cell),
}

/// An object of the model.
#[derive(Clone)]
struct Object {
    at: Word,
    bytes: Vec<Byte>,
    pointers: Vec<ObjectId>,
}

impl Object {
    fn new(at: Word, size: usize) -> Self {
        Object {
            at,
            bytes: vec![Byte::Known(0); size],
            pointers: vec![ObjectId::NONE; size.div_ceil(8)],
        }
    }

    fn place(&self, offset: usize) -> Word {
        Word {
            bits: self.at.bits + offset as u64,
            ..self.at
        }
    }

    fn write(&mut self, offset: usize, bytes: impl IntoIterator<Item = Byte>) {
        for (index, byte) in bytes.into_iter().enumerate() {
            self.bytes[offset + index] = byte;
            self.pointers[(offset + index) / 8] = ObjectId::NONE;
        }
    }

    fn known(&self, offset: usize, length: usize) -> Option<Vec<u8>> {
        let bytes = self.bytes[offset..][..length].iter();
        bytes
            .map(|byte| match byte {
                Byte::Known(byte) => Some(*byte),
                Byte::Cell(_) => None,
            })
            .collect()
    }

    /// The parts of a range, as they are promised.
    fn parts(&self, offset: usize, length: usize) -> Vec<ReadPart> {
        let mut parts: Vec<ReadPart> = Vec::new();
        for byte in &self.bytes[offset..][..length] {
            match (parts.last_mut(), byte) {
                (Some(ReadPart::Known { bytes, length }), Byte::Known(byte)) if *length < 8 => {
                    *bytes |= u64::from(*byte) << (8 * *length);
                    *length += 1;
                }
                (_, Byte::Known(byte)) => parts.push(ReadPart::Known {
                    bytes: u64::from(*byte),
                    length: 1,
                }),
                (Some(ReadPart::Cell { cell, length }), Byte::Cell(next))
                    if cell.advanced(u64::from(*length)) == *next =>
                {
                    *length += 1;
                }
                (_, Byte::Cell(cell)) => parts.push(ReadPart::Cell {
                    cell: cell.clone(),
                    length: 1,
                }),
            }
        }
        parts
    }
}

/// Terms to put into memory.
struct Terms {
    _store: TermStore,
    words: Vec<Term>,
    arrays: Vec<Term>,
}

impl Terms {
    fn new() -> Self {
        let store = TermStore::new();
        let word = |&width: &u32| store.symbol(&format!("w{width}"), Sort::BitVec(width));
        let words = [8, 16, 32, 64, 128, 8 * 9000].iter().map(word).collect();
        let bytes = Sort::Array {
            index: 64,
            value: 8,
        };
        let array = |name: &&str| store.symbol(name, bytes);
        let arrays = ["a", "b"].iter().map(array).collect();
        Terms {
            _store: store,
            words,
            arrays,
        }
    }

    /// A cell of this many bytes.
    fn cell(&self, random: &mut Random, length: usize) -> Cell {
        let wide = |term: &&Term| term.width() as usize / 8 >= length;
        let words: Vec<&Term> = self.words.iter().filter(wide).collect();
        match random.below(3) {
            0 if !words.is_empty() => {
                let term = words[random.below(words.len().min(2))].clone();
                let spare = term.width() as u64 / 8 - length as u64;
                let skip = random.below_u64(spare.min(3) + 1) as u32;
                Cell::Term {
                    term,
                    skip,
                    object: ObjectId::NONE,
                }
            }
            1 => Cell::Array {
                array: self.arrays[random.below(2)].clone(),
                index: random.below_u64(4) * 16,
                addresses: None,
            },
            _ => Cell::Origin {
                origin: OriginId(random.below(2) as u32),
                offset: if random.one_in(8) {
                    u64::MAX - 3
                } else {
                    random.below_u64(64)
                },
            },
        }
    }
}

/// A memory and what it should be.
#[derive(Clone)]
struct World {
    memory: Memory,
    objects: Vec<Object>,
}

/// Of objects in one buffer and of pages, with and without a rest.
const SIZES: [usize; 9] = [1, 8, 13, 24, 64, 200, 4096, 4097, 9001];

impl World {
    fn new() -> Self {
        let mut memory = Memory::new(MemoryConfig::default());
        let objects = SIZES
            .iter()
            .map(|&size| {
                let at = memory.allocate(ObjectKind::Heap, size as u64, 16);
                Object::new(at.expect("room"), size)
            })
            .collect();
        World { memory, objects }
    }

    fn range(&self, random: &mut Random) -> (usize, usize, usize) {
        let object = random.below(self.objects.len());
        let size = self.objects[object].bytes.len() as u64;
        let offset = match random.below(4) {
            0 => 0,
            1 => random.below_u64(size) & !7,
            2 if size > 4096 => 4096 - random.below_u64(20),
            _ => random.below_u64(size),
        };
        let length = match random.below(16) {
            0 => size,
            1 => random.below_u64(size),
            2 => 4096,
            _ => 1 + random.below_u64(20),
        };
        let length = length.clamp(1, size - offset);
        (object, offset as usize, length as usize)
    }

    fn step(&mut self, random: &mut Random, terms: &Terms) {
        let (number, offset, length) = self.range(random);
        let object = &self.objects[number];
        let at = object.place(offset);
        match random.below(20) {
            0..4 => {
                let cell = terms.cell(random, length);
                let stored = self.memory.store_cell(at, length as u64, cell.clone());
                stored.expect("inside");
                let bytes = (0..length).map(|i| Byte::Cell(cell.advanced(i as u64)));
                self.objects[number].write(offset, bytes);
            }
            4..8 => {
                let bytes = length.min(8);
                let pointer = self.objects[random.below(9)].at;
                let stored = self.memory.store_word(at, bytes as u32, pointer);
                stored.expect("inside");
                let known = pointer.bits.to_le_bytes();
                let object = &mut self.objects[number];
                object.write(offset, known[..bytes].iter().map(|&b| Byte::Known(b)));
                if bytes == 8 && offset.is_multiple_of(8) {
                    object.pointers[offset / 8] = pointer.object;
                }
            }
            8 => {
                let byte = random.below(2) as u8;
                let filled = self.memory.fill(at, byte, length as u64);
                filled.expect("inside");
                self.objects[number].write(offset, vec![Byte::Known(byte); length]);
            }
            9 => {
                let bytes: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
                let stored = self.memory.store_bytes(at, &bytes);
                stored.expect("inside");
                self.objects[number].write(offset, bytes.into_iter().map(Byte::Known));
            }
            10..14 => self.copy(random, (number, offset, length)),
            14 => self.replace(random, number),
            15 | 16 => self.load_word(number, offset, length.min(8)),
            17 => self.find_byte(random, number, offset, length),
            _ => self.compare(number, offset, length),
        }
    }

    fn copy(&mut self, random: &mut Random, (to, to_offset, length): (usize, usize, usize)) {
        let (mut from, mut from_offset, _) = self.range(random);
        if random.one_in(2) {
            from = to;
            if random.one_in(2) {
                from_offset = (to_offset + random.below(40)).saturating_sub(20);
            }
            from_offset = from_offset.min(self.objects[from].bytes.len() - 1);
        }
        let length = length.min(self.objects[from].bytes.len() - from_offset);
        let (target, source) = (&self.objects[to], &self.objects[from]);
        let copied = self.memory.copy(
            target.place(to_offset),
            source.place(from_offset),
            length as u64,
            true,
        );
        copied.expect("inside");
        if (to, to_offset) == (from, from_offset) {
            return;
        }
        let bytes = source.bytes[from_offset..][..length].to_vec();
        let pointers = source.pointers.clone();
        let target = &mut self.objects[to];
        target.write(to_offset, bytes);
        if to_offset % 8 == from_offset % 8 {
            for granule in to_offset.div_ceil(8)..(to_offset + length) / 8 {
                let source = (granule * 8 - to_offset + from_offset) / 8;
                target.pointers[granule] = pointers[source];
            }
        }
    }

    /// Ends an object and makes another one of the same size.
    fn replace(&mut self, random: &mut Random, number: usize) {
        if random.one_in(8) {
            let size = self.objects[number].bytes.len();
            self.memory.free(self.objects[number].at).expect("live");
            let at = self.memory.allocate(ObjectKind::Heap, size as u64, 16);
            self.objects[number] = Object::new(at.expect("room"), size);
        }
    }

    fn load_word(&self, number: usize, offset: usize, length: usize) {
        let object = &self.objects[number];
        let at = object.place(offset);
        // What is known of addresses without an object is the matter of `marks.rs`.
        let plain = |word: Word| match word.object.object_unknown() {
            true => Word::int(word.bits),
            false => word,
        };
        let got = self.memory.load_word(at, length as u32).map(plain);
        let quick = self.memory.load_word_quick(at, length as u32).map(plain);
        let cell = self.memory.cell_around(at, length as u32);
        match object.known(offset, length) {
            Some(bytes) => {
                let mut all = [0; 8];
                all[..length].copy_from_slice(&bytes);
                let whole = length == 8 && offset.is_multiple_of(8);
                let word = Word {
                    bits: u64::from_le_bytes(all),
                    object: if whole {
                        object.pointers[offset / 8]
                    } else {
                        ObjectId::NONE
                    },
                };
                assert_eq!(got, Ok(word));
                assert!(quick.is_none() || quick == Some(word));
                assert_eq!(cell, None);
            }
            None => {
                let fault = Fault::Symbolic {
                    address: at.bits,
                    length: length as u64,
                };
                assert_eq!(got, Err(fault));
                assert_eq!(quick, None);
                if let Some((cell, first)) = cell {
                    let bytes = (0..length).map(|i| cell.advanced(u64::from(first) + i as u64));
                    let bytes: Vec<Byte> = bytes.map(Byte::Cell).collect();
                    assert_eq!(object.bytes[offset..][..length], bytes);
                }
            }
        }
    }

    fn find_byte(&self, random: &mut Random, number: usize, offset: usize, length: usize) {
        let object = &self.objects[number];
        let wanted = random.below(3) as u8;
        let mut expected = Ok(None);
        for (index, byte) in object.bytes[offset..][..length].iter().enumerate() {
            match byte {
                Byte::Known(byte) if *byte == wanted => expected = Ok(Some(index as u64)),
                Byte::Known(_) => continue,
                Byte::Cell(_) => {
                    expected = Err(Fault::Symbolic {
                        address: object.place(offset + index).bits,
                        length: 1,
                    });
                }
            }
            break;
        }
        let at = object.place(offset);
        assert_eq!(self.memory.find_byte(at, wanted, length as u64), expected);
    }

    fn compare(&self, number: usize, offset: usize, length: usize) {
        let object = &self.objects[number];
        let at = object.place(offset);
        let mut parts = Vec::new();
        let loaded = self.memory.load_parts(at, length as u64, &mut parts);
        loaded.expect("inside");
        assert_eq!(parts, object.parts(offset, length));
        let known = object.known(offset, length);
        let symbolic = self.memory.is_symbolic(at, length as u64);
        assert_eq!(symbolic, Ok(known.is_none()));
        let mut bytes = vec![1; length];
        let loaded = self.memory.load_bytes(at, &mut bytes);
        assert_eq!(loaded.is_ok().then_some(bytes), known);
    }

    fn compare_all(&self) {
        for (number, object) in self.objects.iter().enumerate() {
            let size = object.bytes.len();
            self.compare(number, 0, size);
            for offset in (0..(size + 1).saturating_sub(8)).step_by(8) {
                self.load_word(number, offset, 8);
            }
        }
    }
}

/// A snapshot and what it must show.
struct Taken {
    snapshot: Snapshot,
    object: Object,
}

impl Taken {
    fn check(&self, world: &World) {
        let size = self.object.bytes.len();
        let mut parts = Vec::new();
        assert!(self.snapshot.load_parts(0, size as u64, &mut parts));
        assert_eq!(parts, self.object.parts(0, size));
        for object in &world.objects {
            let now = world.memory.snapshot(object.at.object).expect("live");
            if now.same(&self.snapshot) {
                assert!(object.bytes == self.object.bytes);
                assert!(object.pointers == self.object.pointers);
            }
        }
    }
}

fn run(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let terms = Terms::new();
    let mut worlds = vec![World::new()];
    let mut taken: Vec<Taken> = Vec::new();
    for step in 0..steps {
        let chosen = random.below(worlds.len());
        if random.one_in(100) {
            let clone = worlds[chosen].clone();
            if worlds.len() < 4 {
                worlds.push(clone);
            } else {
                worlds[random.below(4)] = clone;
            }
        }
        if random.one_in(50) {
            let world = &worlds[chosen];
            let object = &world.objects[random.below(SIZES.len())];
            let snapshot = world.memory.snapshot(object.at.object).expect("live");
            let object = object.clone();
            taken.truncate(5);
            taken.insert(0, Taken { snapshot, object });
        }
        worlds[chosen].step(&mut random, &terms);
        if step % 500 == 499 {
            worlds.iter().for_each(World::compare_all);
            for taken in &taken {
                worlds.iter().for_each(|world| taken.check(world));
            }
        }
    }
}

#[test]
fn behaves_as_the_model() {
    for seed in 0..25 {
        run(seed, 10_000);
    }
}

fn memory() -> Memory {
    Memory::new(MemoryConfig::default())
}

fn unread() -> Cell {
    Cell::Origin {
        origin: OriginId(3),
        offset: 0,
    }
}

#[test]
fn only_the_engine_makes_constants_symbolic() {
    let mut memory = memory();
    let constant = memory.allocate(ObjectKind::Constant, 8, 8).expect("room");
    let stored = memory.store_cell(constant, 8, unread());
    assert!(matches!(stored, Err(Fault::ReadOnly { .. })));
    assert_eq!(memory.is_symbolic(constant, 8), Ok(false));
    memory
        .initialise_cell(constant, 4, unread())
        .expect("inside");
    assert_eq!(memory.is_symbolic(constant, 8), Ok(true));
    let fault = memory.load_word(constant, 8).expect_err("not known");
    assert_eq!(
        fault.to_string(),
        format!(
            "read of 8 bytes at {:#x}, where not all is known",
            constant.bits
        )
    );
}

#[test]
fn accesses_to_cells_are_checked() {
    let mut memory = memory();
    let object = memory.allocate(ObjectKind::Heap, 8, 8).expect("room");
    let mut parts = Vec::new();
    let stored = memory.store_cell(object, 9, unread());
    assert!(matches!(stored, Err(Fault::OutOfBounds { .. })));
    let loaded = memory.load_parts(object, 9, &mut parts);
    assert!(matches!(loaded, Err(Fault::OutOfBounds { .. })));
    let asked = memory.is_symbolic(Word::int(0), 1);
    assert!(matches!(asked, Err(Fault::Null { .. })));
    // No bytes can be accessed anywhere.
    memory
        .store_cell(Word::int(0), 0, unread())
        .expect("nothing");
    memory
        .load_parts(Word::int(0), 0, &mut parts)
        .expect("nothing");
    assert_eq!(memory.is_symbolic(Word::int(0), 0), Ok(false));
    assert!(parts.is_empty());
    memory.free(object).expect("live");
    let stored = memory.store_cell(object, 8, unread());
    assert!(matches!(stored, Err(Fault::UseAfterFree { .. })));
    assert!(memory.snapshot(object.object).is_none());
}

#[test]
#[should_panic(expected = "more bytes than its term has")]
fn a_term_covers_its_range() {
    let mut memory = memory();
    let object = memory.allocate(ObjectKind::Heap, 8, 8).expect("room");
    let term = TermStore::new().symbol("x", Sort::BitVec(64));
    let _ = memory.store_cell(
        object,
        8,
        Cell::Term {
            term,
            skip: 1,
            object: ObjectId::NONE,
        },
    );
}

#[test]
fn parts_are_appended() {
    let mut memory = memory();
    let object = memory.allocate(ObjectKind::Heap, 3, 8).expect("room");
    let mut parts = Vec::new();
    for _ in 0..2 {
        memory.load_parts(object, 3, &mut parts).expect("inside");
    }
    let zeros = ReadPart::Known {
        bytes: 0,
        length: 3,
    };
    assert_eq!(parts, [zeros.clone(), zeros]);
}

#[test]
fn a_snapshot_is_the_content_that_was() {
    for size in [8, 10_000] {
        let mut memory = memory();
        let object = memory.allocate(ObjectKind::Heap, size, 8).expect("room");
        memory.store_word(object, 8, object).expect("inside");
        let take = |memory: &Memory| memory.snapshot(object.object).expect("live");
        let before = take(&memory);
        assert_eq!(before.size(), size);
        assert!(before.same(&take(&memory)));
        assert!(before.same(&take(&memory.clone())));
        memory.store_cell(object, size, unread()).expect("inside");
        let symbolic = take(&memory);
        assert!(!before.same(&symbolic));
        memory.store_word(object, 8, object).expect("inside");
        assert!(!symbolic.same(&take(&memory)));
        assert!(!before.same(&take(&memory)));
        memory.free(object).expect("live");
        let mut parts = Vec::new();
        assert!(before.load_parts(0, 8, &mut parts));
        let (bytes, length) = (object.bits, 8);
        assert_eq!(parts, [ReadPart::Known { bytes, length }]);
        assert!(!before.load_parts(1, size, &mut parts));
    }
}
