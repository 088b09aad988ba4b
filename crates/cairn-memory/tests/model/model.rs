//! A memory as it is defined: a map of objects with all their bytes.

use cairn_memory::{Fault, ObjectId, ObjectInfo, ObjectKind, Word};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An object that is live.
#[derive(Clone)]
pub struct Object {
    pub base: u64,
    pub kind: ObjectKind,
    pub bytes: Vec<u8>,
    pub pointers: Vec<ObjectId>,
}

impl Object {
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// What a fault is, without its details.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    Null,
    OutOfBounds,
    UseAfterFree,
    /// No live object is there, and whether one was is not known.
    Nothing,
    ReadOnly,
    Overlap,
    InvalidFree,
    DoubleFree,
}

impl Problem {
    /// Whether a fault is this problem, with details that fit.
    pub fn is(self, fault: &Fault, model: &Model) -> bool {
        let known = |info: &ObjectInfo| match model.live.get(&info.object) {
            Some(object) => {
                info.address == object.base
                    && info.size == object.size()
                    && info.kind == object.kind
            }
            None => model.ended.get(&info.object) == Some(&(info.address, info.size)),
        };
        match (self, fault) {
            (Problem::Null, Fault::Null { .. })
            | (Problem::Overlap, Fault::Overlap { .. })
            | (Problem::DoubleFree, Fault::DoubleFree { .. }) => true,
            (Problem::OutOfBounds | Problem::Nothing, Fault::OutOfBounds { object, .. })
            | (Problem::InvalidFree, Fault::InvalidFree { object, .. }) => {
                object.as_ref().is_none_or(known)
            }
            (Problem::UseAfterFree | Problem::Nothing, Fault::UseAfterFree { freed, .. }) => {
                freed.as_ref().is_none_or(known)
            }
            (Problem::ReadOnly, Fault::ReadOnly { object, .. }) => known(object),
            _ => false,
        }
    }
}

/// All objects.
#[derive(Clone, Default)]
pub struct Model {
    pub live: HashMap<ObjectId, Object>,
    pub by_base: BTreeMap<u64, ObjectId>,
    pub ended: HashMap<ObjectId, (u64, u64)>,
    pub freed_heap: HashSet<ObjectId>,
    /// Stack objects, frame by frame; the first frame is outside of all functions.
    pub frames: Vec<Vec<ObjectId>>,
    /// Bytes of a pointer.
    pointer: usize,
}

impl Model {
    pub fn new(pointer: usize) -> Self {
        Model {
            pointer,
            frames: vec![Vec::new()],
            ..Model::default()
        }
    }

    /// Adds an object that the memory made; checks that it has a right to be where it is.
    pub fn add(&mut self, at: Word, kind: ObjectKind, size: u64, align: u64) {
        assert_eq!(at.bits % align, 0, "alignment");
        assert!(kind != ObjectKind::Heap || at.bits.is_multiple_of(16));
        assert!(!at.object.object_unknown());
        assert!(
            !self.live.contains_key(&at.object),
            "identity of a live object"
        );
        assert!(
            !self.ended.contains_key(&at.object),
            "identity of an object that has ended"
        );
        if let Some((base, id)) = self.by_base.range(..=at.bits).next_back() {
            assert!(
                base + self.live[id].size() + 16 <= at.bits,
                "too near to the one below"
            );
        }
        if let Some((base, _)) = self.by_base.range(at.bits..).next() {
            assert!(at.bits + size + 16 <= *base, "too near to the one above");
        }
        let object = Object {
            base: at.bits,
            kind,
            bytes: vec![0; size as usize],
            pointers: vec![ObjectId::NONE; size.div_ceil(self.pointer as u64) as usize],
        };
        self.live.insert(at.object, object);
        self.by_base.insert(at.bits, at.object);
        if kind == ObjectKind::Stack {
            self.frames.last_mut().expect("a frame").push(at.object);
        }
    }

    pub fn end(&mut self, id: ObjectId) {
        let object = self.live.remove(&id).expect("a live object");
        self.by_base.remove(&object.base);
        self.ended.insert(id, (object.base, object.size()));
        if object.kind == ObjectKind::Heap {
            self.freed_heap.insert(id);
        }
    }

    pub fn end_frame_objects(&mut self, left: usize) {
        while self.frames.last().expect("a frame").len() > left {
            let id = self
                .frames
                .last_mut()
                .and_then(Vec::pop)
                .expect("an object");
            self.end(id);
        }
    }

    pub fn pop_frame(&mut self) {
        self.end_frame_objects(0);
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    pub fn resolve(&self, address: u64) -> Option<ObjectId> {
        let (base, id) = self.by_base.range(..=address).next_back()?;
        let inside = address - base < self.live[id].size() || address == *base;
        inside.then_some(*id)
    }

    /// The object a pointer belongs to.
    pub fn owner(&self, at: Word) -> Result<ObjectId, Problem> {
        if at.object.object_unknown() {
            if at.bits < 4096 {
                return Err(Problem::Null);
            }
            self.resolve(at.bits).ok_or(Problem::Nothing)
        } else if self.live.contains_key(&at.object) {
            Ok(at.object)
        } else {
            Err(Problem::UseAfterFree)
        }
    }

    /// The object and offset of an access.
    pub fn access(&self, at: Word, length: u64) -> Result<(ObjectId, usize), Problem> {
        let id = self.owner(at)?;
        let object = &self.live[&id];
        let inside = at.bits >= object.base
            && u128::from(at.bits) + u128::from(length)
                <= u128::from(object.base) + u128::from(object.size());
        if !inside {
            return Err(Problem::OutOfBounds);
        }
        Ok((id, (at.bits - object.base) as usize))
    }

    pub fn write_access(&self, at: Word, length: u64) -> Result<(ObjectId, usize), Problem> {
        let (id, offset) = self.access(at, length)?;
        if self.live[&id].kind == ObjectKind::Constant {
            return Err(Problem::ReadOnly);
        }
        Ok((id, offset))
    }

    pub fn load_word(&self, at: Word, bytes: usize) -> Result<Word, Problem> {
        let (id, offset) = self.access(at, bytes as u64)?;
        let object = &self.live[&id];
        let mut all = [0; 8];
        all[..bytes].copy_from_slice(&object.bytes[offset..offset + bytes]);
        let whole = bytes == self.pointer && offset % self.pointer == 0;
        Ok(Word {
            bits: u64::from_le_bytes(all),
            object: if whole {
                object.pointers[offset / self.pointer]
            } else {
                ObjectId::NONE
            },
        })
    }

    /// Writes bytes at an offset.
    pub fn write(&mut self, id: ObjectId, offset: usize, bytes: &[u8]) {
        let pointer = self.pointer;
        let object = self.live.get_mut(&id).expect("a live object");
        object.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        for at in offset..offset + bytes.len() {
            object.pointers[at / pointer] = ObjectId::NONE;
        }
    }

    pub fn store_word(&mut self, at: Word, bytes: usize, value: Word) -> Result<(), Problem> {
        let (id, offset) = self.write_access(at, bytes as u64)?;
        self.write(id, offset, &value.bits.to_le_bytes()[..bytes]);
        let pointer = self.pointer;
        if bytes == pointer && offset % pointer == 0 {
            let object = self.live.get_mut(&id).expect("a live object");
            object.pointers[offset / pointer] = value.object;
        }
        Ok(())
    }

    pub fn copy(&mut self, to: Word, from: Word, length: u64, over: bool) -> Result<(), Problem> {
        if length == 0 {
            return Ok(());
        }
        let (source, from) = self.access(from, length)?;
        let (target, to) = self.write_access(to, length)?;
        if source == target && from == to {
            return Ok(());
        }
        let length = length as usize;
        if source == target && from.abs_diff(to) < length && !over {
            return Err(Problem::Overlap);
        }
        let bytes = self.live[&source].bytes[from..from + length].to_vec();
        let pointers = self.live[&source].pointers.clone();
        self.write(target, to, &bytes);
        let pointer = self.pointer;
        if from % pointer == to % pointer {
            let object = self.live.get_mut(&target).expect("a live object");
            for at in
                (to.next_multiple_of(pointer)..(to + length) / pointer * pointer).step_by(pointer)
            {
                object.pointers[at / pointer] = pointers[(at - to + from) / pointer];
            }
        }
        Ok(())
    }

    pub fn find_byte(&self, at: Word, byte: u8, limit: u64) -> Result<Option<u64>, Problem> {
        if limit == 0 {
            return Ok(None);
        }
        let (id, offset) = self.access(at, 1)?;
        let rest = &self.live[&id].bytes[offset..];
        let found = rest.iter().take(limit as usize).position(|&b| b == byte);
        match found {
            Some(index) => Ok(Some(index as u64)),
            None if rest.len() as u64 >= limit => Ok(None),
            None => Err(Problem::OutOfBounds),
        }
    }

    /// What freeing a pointer does: ends an object or nothing.
    pub fn free(&self, at: Word) -> Result<Option<ObjectId>, Problem> {
        if at.bits == 0 {
            return Ok(None);
        }
        if !at.object.object_unknown() && !self.live.contains_key(&at.object) {
            let (base, _) = self.ended[&at.object];
            let heap = self.freed_heap.contains(&at.object) && base == at.bits;
            return Err(if heap {
                Problem::DoubleFree
            } else {
                Problem::InvalidFree
            });
        }
        let id = if at.object.object_unknown() {
            self.resolve(at.bits)
        } else {
            Some(at.object)
        };
        let object = id.and_then(|id| self.live.get(&id));
        match object {
            Some(object) if object.kind == ObjectKind::Heap && object.base == at.bits => Ok(id),
            Some(_) => Err(Problem::InvalidFree),
            None => {
                let before = self.freed_heap.iter().any(|id| self.ended[id].0 == at.bits);
                Err(if before {
                    Problem::DoubleFree
                } else {
                    Problem::InvalidFree
                })
            }
        }
    }
}
