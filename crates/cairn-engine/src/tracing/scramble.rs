//! Changes what a stretch is said not to depend on.

use super::cells::RequiredCells;
use super::stretch::StretchStart;
use crate::rng::Rng;
use crate::values::value::{Symbolic, Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::{Sort, Symbol, Term};
use cairn_machine::{Carry, CodeTable, ThreadCell};
use cairn_memory::{Cell, ObjectId, ObjectInfo, ObjectKind, ReadPart, Word};
use std::collections::BTreeSet;

/// Runs of bytes that are scrambled at most, so that a check of a short stretch is short.
const MOST_RUNS: usize = 4096;

/// A cell that is not required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeCell {
    /// A place of the thread.
    Thread(ThreadCell),
    /// Some bytes of an object, 8 at most.
    Bytes(ObjectId, u64, u32),
}

impl std::fmt::Display for FreeCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FreeCell::Thread(ThreadCell::Register { frame, register }) => {
                write!(f, "register {register} of call {frame}")
            }
            FreeCell::Thread(ThreadCell::Wide { frame, number }) => {
                write!(f, "wide local {number} of call {frame}")
            }
            FreeCell::Thread(ThreadCell::Argument { frame, number }) => {
                write!(f, "unnamed argument {number} of call {frame}")
            }
            FreeCell::Thread(ThreadCell::LeftBehind { number }) => {
                write!(f, "variable {number} of an abandoned call")
            }
            FreeCell::Bytes(object, offset, length) => {
                let end = offset + u64::from(*length);
                write!(f, "bytes {offset}..{end} of object {object:?}")
            }
        }
    }
}

/// The cells of a state that are not required: all of its thread's, and bytes of objects, first of those
/// that the stretch accessed.
pub fn free_cells(
    start: &StretchStart,
    table: &CodeTable<Value>,
    required: &RequiredCells,
) -> Vec<FreeCell> {
    let mut places = ThreadPlaces(Vec::new());
    let domain = &start.domain;
    start.thread.carried(table, table, domain, &mut places);
    let thread = places.0.into_iter();
    let thread = thread.filter(|cell| !required.thread.contains_key(cell));
    let mut cells: Vec<FreeCell> = thread.map(FreeCell::Thread).collect();
    let accessed: BTreeSet<u64> = required.objects.keys().copied().collect();
    let (first, others): (Vec<ObjectInfo>, Vec<ObjectInfo>) = domain
        .memory
        .objects()
        .filter(|info| info.kind != ObjectKind::Constant)
        .partition(|info| accessed.contains(&info.object.raw()));
    let most = cells.len() + MOST_RUNS;
    for info in first.into_iter().chain(others) {
        let is_free = |offset: u64| !required.has_byte(info.object, offset);
        let mut offset = 0;
        while offset < info.size && cells.len() < most {
            let end = info.size.min(offset + 8);
            if end == offset + 8 && (offset..end).all(is_free) {
                cells.push(FreeCell::Bytes(info.object, offset, 8));
            } else {
                let bytes = (offset..end).filter(|at| is_free(*at));
                cells.extend(bytes.map(|at| FreeCell::Bytes(info.object, at, 1)));
            }
            offset = end;
        }
    }
    cells
}

/// Lists the places of a thread.
struct ThreadPlaces(Vec<ThreadCell>);

impl Carry<Value, Wide> for ThreadPlaces {
    type Value = Value;
    type Wide = Wide;

    fn value(&mut self, at: Option<ThreadCell>, value: &Value) -> Value {
        self.0.extend(at);
        value.clone()
    }

    fn wide(&mut self, at: ThreadCell, value: &Wide) -> Wide {
        self.0.push(at);
        value.clone()
    }
}

/// The same state with other content in these cells. What a cell gets depends on the seed and on its place in
/// the list alone.
pub fn scrambled(
    start: &StretchStart,
    table: &CodeTable<Value>,
    required: &RequiredCells,
    cells: &[FreeCell],
    seed: u64,
) -> StretchStart {
    let mut others = OtherContent {
        start,
        table,
        required,
        seed,
        next: 0,
        cells,
    };
    let domain = &start.domain;
    let thread = start.thread.carried(table, table, domain, &mut others);
    let mut changed = StretchStart {
        thread,
        domain: start.domain.clone(),
        library: start.library.clone(),
    };
    for (i, cell) in cells.iter().enumerate() {
        if let FreeCell::Bytes(object, offset, length) = *cell {
            others.change_bytes(i, &mut changed, object, offset, length);
        }
    }
    changed
}

/// Makes other content.
struct OtherContent<'a> {
    start: &'a StretchStart,
    table: &'a CodeTable<Value>,
    required: &'a RequiredCells,
    seed: u64,
    /// How many of the cells, which begin with the thread's in their order, were passed.
    next: usize,
    cells: &'a [FreeCell],
}

impl OtherContent<'_> {
    fn rng(&self, index: usize) -> Rng {
        Rng::new(self.seed).stream(index as u64)
    }

    /// The number of a place of the thread among the cells, if it is one.
    fn index(&mut self, at: ThreadCell) -> Option<usize> {
        let is_next = self.cells.get(self.next) == Some(&FreeCell::Thread(at));
        is_next.then(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// A symbol that is on no path.
    fn symbol(&self, index: usize, width: u32) -> Term {
        let name = format!("scrambled.{index}.{width}");
        let store = &self.start.domain.cx.store;
        store.free(Symbol::Named(name.into()), Sort::BitVec(width))
    }

    /// A number of at most so many bits; often one at an edge.
    fn number(rng: &mut Rng, width: u32) -> u64 {
        let mask = cairn_bv::mask(width.clamp(1, 64));
        match rng.below(8) {
            0 => 0,
            1 => 1,
            2 => mask,
            3 => mask >> 1,
            _ => rng.next_u64() & mask,
        }
    }

    /// A pointer to some object, or a number.
    fn pointer(&self, rng: &mut Rng) -> Word {
        let mut objects = self.start.domain.memory.objects();
        let other = objects.nth(rng.index(16));
        match other.filter(|_| rng.below(2) == 0) {
            Some(info) => Word {
                bits: info.address + rng.below(info.size + 1),
                object: info.object,
            },
            None => Word::int(Self::number(rng, 64)),
        }
    }

    fn change_bytes(
        &self,
        index: usize,
        to: &mut StretchStart,
        object: ObjectId,
        offset: u64,
        length: u32,
    ) {
        let mut rng = self.rng(index);
        let memory = &mut to.domain.memory;
        let Ok(info) = memory.info(Word { bits: 0, object }) else {
            return;
        };
        let at = Word {
            bits: info.address + offset,
            object,
        };
        let mut parts = Vec::new();
        if memory
            .load_parts(at, u64::from(length), &mut parts)
            .is_err()
        {
            return;
        }
        // A first read of an origin's bytes divides it, which later reads see.
        let untouched = |part: &ReadPart| match part {
            ReadPart::Known { .. } => false,
            ReadPart::Cell { cell, .. } => match cell {
                Cell::Origin { .. } | Cell::Array { .. } => true,
                Cell::Term { .. } => false,
            },
        };
        if parts.iter().any(untouched) {
            return;
        }
        let must_be_known =
            (offset..offset + u64::from(length)).any(|b| self.required.must_be_known(object, b));
        // What is written fits into its object; if there is no memory for it, it stays as it is.
        let _ = match memory.load_word(at, length) {
            Ok(word) if !word.object.is_number() && length == 8 => {
                memory.store_word(at, 8, self.pointer(&mut rng))
            }
            // A byte between those of an address.
            Ok(word) if !word.object.is_number() => Ok(()),
            Ok(_) if !must_be_known && rng.below(4) == 0 => {
                let cell = Cell::Term {
                    term: self.symbol(index, 8 * length),
                    skip: 0,
                    object: ObjectId::NONE,
                };
                memory.store_cell(at, u64::from(length), cell)
            }
            Ok(_) | Err(_) => {
                let number = Self::number(&mut rng, 8 * length);
                memory.store_word(at, length, Word::int(number))
            }
        };
    }

    /// The width of what a place holds, if it is known.
    fn width(&self, at: ThreadCell) -> Option<u32> {
        match at {
            ThreadCell::Register { frame, register } => {
                let thread = &self.start.thread;
                thread.register_width(self.table, frame, register)
            }
            ThreadCell::Wide { .. }
            | ThreadCell::Argument { .. }
            | ThreadCell::LeftBehind { .. } => None,
        }
    }
}

impl Carry<Value, Wide> for OtherContent<'_> {
    type Value = Value;
    type Wide = Wide;

    fn value(&mut self, at: Option<ThreadCell>, value: &Value) -> Value {
        let Some((at, index)) = at.and_then(|at| Some((at, self.index(at)?))) else {
            return value.clone();
        };
        let mut rng = self.rng(index);
        let width = self.width(at);
        match value {
            Value::Word(word) if !word.object.is_number() => match width {
                Some(64) => Value::Word(self.pointer(&mut rng)),
                Some(_) | None => value.clone(),
            },
            Value::Word(word) => {
                // The bits above the width are zero.
                let bits = width.unwrap_or(64 - word.bits.leading_zeros());
                if let Some(width) = width
                    && !self.required.known.contains(&at)
                    && rng.below(4) == 0
                {
                    return Value::Symbolic(std::rc::Rc::new(Symbolic {
                        term: self.symbol(index, width),
                        object: ObjectId::NONE,
                    }));
                }
                Value::int(Self::number(&mut rng, bits))
            }
            Value::Symbolic(symbolic) => {
                let width = match symbolic.term.sort() {
                    Sort::Bool => 1,
                    Sort::BitVec(width) => width,
                    Sort::Array { .. } => return value.clone(),
                };
                Value::int(Self::number(&mut rng, width))
            }
        }
    }

    fn wide(&mut self, at: ThreadCell, value: &Wide) -> Wide {
        let Some(index) = self.index(at) else {
            return value.clone();
        };
        let mut rng = self.rng(index);
        let width = value.width();
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.next_u64()).collect();
        Wide::Bits(BitVec::from_limbs(width, &limbs))
    }
}
