//! Objects as arrays: what an access at an unknown offset reads and writes.
//!
//! - **Problem.** A read at a symbolic offset may be of any byte of the object. An array of bytes is
//!   always right, but an `int` is then four selects with four indices.
//! - **Idea.** An object is seen as an array of elements of the size of the access, if the offset
//!   is a multiple of it for every input (its low bits are the constant zero). The array is a table of
//!   the known elements with stores of the symbolic ones; it is made when first asked for and
//!   kept until the object changes. A write leaves the object as that array, in the place of its
//!   bytes.
//!   An object of symbolic size is seen as one of the most bytes that it can have.
//! - **Soundness.** The access is inside of the object: that is a fact of the path before anything
//!   here is asked. So the index has no more bits than the last element's number, and what the array
//!   holds beyond the object's end is never read.
//! - **Cost.** One pass over the object for the first access after a change; if it holds bytes of an
//!   input, also after inputs were divided further.

use crate::origins::{Division, Origins};
use crate::space::{Space, Trouble};
use cairn_bv::BitVec;
use cairn_expr::{Sort, Table, Term, TermStore, low_zeros};
use cairn_memory::{Cell, Extent, ObjectId, Part, Snapshot, Word};
use std::collections::VecDeque;

/// Arrays that were made last.
#[derive(Default)]
pub struct ArrayViews {
    recent: VecDeque<View>,
}

struct View {
    object: ObjectId,
    /// Which bytes of the object.
    range: (u64, u64),
    element: u32,
    content: Snapshot,
    array: Term,
    /// How the inputs were divided that it has bytes of, if it has any: another path with the same
    /// content may have divided them in another way, or not at all.
    division: Option<Division>,
}

/// How many arrays are kept.
const KEPT: usize = 64;

impl ArrayViews {
    fn find(
        &self,
        object: ObjectId,
        range: (u64, u64),
        element: u32,
        content: &Snapshot,
        origins: &Origins,
    ) -> Option<Term> {
        let view = self.recent.iter().find(|v| {
            v.object == object
                && v.range == range
                && v.element == element
                && Snapshot::same(&v.content, content)
        })?;
        let is_ours = |division: &Division| origins.is_divided_so(division);
        view.division
            .as_ref()
            .is_none_or(is_ours)
            .then(|| view.array.clone())
    }

    fn keep(&mut self, view: View) {
        self.recent
            .retain(|v| (v.object, v.range, v.element) != (view.object, view.range, view.element));
        if self.recent.len() == KEPT {
            self.recent.pop_front();
        }
        self.recent.push_back(view);
    }
}

/// Bytes of an array's elements.
fn element_bytes(array: &Term) -> u32 {
    match array.sort() {
        Sort::Array { value, .. } => value / 8,
        Sort::Bool | Sort::BitVec(_) => unreachable!("only arrays have elements"),
    }
}

/// Bits of an array's index.
fn index_bits(array: &Term) -> u32 {
    match array.sort() {
        Sort::Array { index, .. } => index,
        Sort::Bool | Sort::BitVec(_) => unreachable!("only arrays have elements"),
    }
}

/// Whether an offset is a multiple of a power of two for every input.
pub(crate) fn is_multiple(offset: &Term, of: u32) -> bool {
    of == 1 || low_zeros(offset) >= of.trailing_zeros()
}

/// The index of the element of an offset.
fn index(store: &TermStore, array: &Term, offset: &Term) -> Term {
    let low = element_bytes(array).trailing_zeros();
    let high = (low + index_bits(array)).min(64) - 1;
    let index = store.extract(offset, high, low);
    crate::terms::widened(store, &index, index_bits(array))
}

/// Some bytes of an array from a known place on.
pub fn read_known(store: &TermStore, array: &Term, at: u64, length: u32) -> Term {
    let element = u64::from(element_bytes(array));
    let mut joined: Option<Term> = None;
    let (mut at, end) = (at, at + u64::from(length));
    while at < end {
        let place = store.bv(index_bits(array), at / element);
        let word = store.select(array, &place);
        let low = at % element;
        let high = (end - (at - low)).min(element);
        let part = store.extract(&word, 8 * high as u32 - 1, 8 * low as u32);
        joined = Some(match joined {
            Some(below) => store.concat(&part, &below),
            None => part,
        });
        at += high - low;
    }
    joined.expect("no read is empty")
}

/// Some bytes of an array from an unknown place on, which is inside.
fn read(store: &TermStore, array: &Term, offset: &Term, length: u32) -> Term {
    let element = element_bytes(array);
    if length.is_multiple_of(element) && is_multiple(offset, element) {
        let words = (0..length / element).map(|i| {
            let at = store.bv_add(offset, &store.bv(64, u64::from(i * element)));
            store.select(array, &index(store, array, &at))
        });
        return words
            .reduce(|below, above| store.concat(&above, &below))
            .expect("no read is empty");
    }
    let bytes = (0..length).map(|i| {
        let at = store.bv_add(offset, &store.bv(64, u64::from(i)));
        let word = store.select(array, &index(store, array, &at));
        if element == 1 {
            return word;
        }
        // The byte's place in its element.
        let place = store.extract(&at, element.trailing_zeros() - 1, 0);
        let width = 8 * element;
        let place = crate::terms::widened(store, &place, width);
        let by = store.bv_shl(&place, &store.bv(width, 3));
        store.extract(&store.bv_lshr(&word, &by), 7, 0)
    });
    bytes
        .reduce(|below, above| store.concat(&above, &below))
        .expect("no read is empty")
}

impl Space {
    /// The object as an array of elements of this many bytes.
    fn view(&mut self, extent: &Extent, element: u32) -> Term {
        let content = self.memory.snapshot(extent.object);
        let content = content.expect("the object is live");
        let range = (self.start_of(extent), extent.capacity);
        let cached = self.tools.views.borrow();
        let origins = &self.origins;
        if let Some(array) = cached.find(extent.object, range, element, &content, origins) {
            return array;
        }
        drop(cached);
        let array = self.make_view(&content, range, element);
        // Looking at bytes for the first time may have changed nothing but what origins know.
        let mut parts = Vec::new();
        content.load_parts(range.0, range.1, &mut parts);
        let is_input = |part: &Part| {
            let Part::Cell { cell, .. } = part else {
                return false;
            };
            matches!(cell, Cell::Origin { .. })
        };
        let division = parts.iter().any(is_input).then(|| self.origins.division());
        let view = View {
            object: extent.object,
            range,
            element,
            content,
            array: array.clone(),
            division,
        };
        self.tools.views.borrow_mut().keep(view);
        array
    }

    /// Where in its object an extent begins that may be a part of it.
    fn start_of(&self, extent: &Extent) -> u64 {
        let object = extent.object;
        let whole = self.memory.extent(Word { bits: 0, object });
        whole.map_or(0, |whole| extent.base - whole.base)
    }

    fn make_view(&mut self, content: &Snapshot, (start, size): (u64, u64), element: u32) -> Term {
        let mut parts = Vec::new();
        content.load_parts(start, size, &mut parts);
        if let [
            Part::Cell {
                cell: Cell::Array { array, index: 0 },
                ..
            },
        ] = &parts[..]
            && element_bytes(array) == element
        {
            return array.clone();
        }
        let count = size.div_ceil(u64::from(element));
        let bits = (u64::BITS - (count - 1).leading_zeros()).max(1);
        let mut elements: Vec<BitVec> = Vec::with_capacity(count as usize);
        let mut symbolic: Vec<(u64, Term)> = Vec::new();
        let mut parts = Pieces::new(parts);
        for i in 0..count {
            let at = i * u64::from(element);
            let length = (size - at).min(u64::from(element)) as u32;
            match parts.take(self, length) {
                Taken::Known(bytes) => elements.push(BitVec::new(8 * element, bytes)),
                Taken::Term(term) => {
                    let term = crate::terms::widened(&self.tools.store, &term, 8 * element);
                    symbolic.push((i, term));
                    elements.push(BitVec::zero(8 * element));
                }
            }
        }
        let store = &self.tools.store;
        let zero = BitVec::zero(8 * element);
        let table = store.table(Table::new(bits, elements, zero));
        symbolic.into_iter().fold(table, |array, (i, term)| {
            store.store(&array, &store.bv(bits, i), &term)
        })
    }

    /// The size of elements to see an object with for an access.
    fn element_for(&self, extent: &Extent, offset: &Term, length: u32) -> u32 {
        // What is an array stays one.
        let mut parts = Vec::new();
        if let Some(content) = self.memory.snapshot(extent.object)
            && content.load_parts(self.start_of(extent), 1, &mut parts)
            && let [
                Part::Cell {
                    cell: Cell::Array { array, .. },
                    ..
                },
            ] = &parts[..]
        {
            return element_bytes(array);
        }
        let word = length.is_power_of_two() && length <= 8;
        if word && is_multiple(offset, length) {
            length
        } else {
            1
        }
    }

    /// Reads bytes at an unknown offset that is inside of the object.
    pub(crate) fn read_at(&mut self, extent: &Extent, offset: &Term, length: u32) -> Term {
        let element = self.element_for(extent, offset, length);
        let array = self.view(extent, element);
        read(&self.tools.store, &array, offset, length)
    }

    /// Writes bytes at an unknown offset that is inside of the object.
    pub(crate) fn write_at(
        &mut self,
        extent: &Extent,
        offset: &Term,
        value: &Term,
    ) -> Result<(), Trouble> {
        let length = value.width() / 8;
        let mut element = self.element_for(extent, offset, length);
        if !length.is_multiple_of(element) || !is_multiple(offset, element) {
            element = 1;
        }
        let mut array = self.view(extent, element);
        let store = &self.tools.store;
        for i in 0..length / element {
            let low = 8 * element * i;
            let part = store.extract(value, low + 8 * element - 1, low);
            let at = store.bv_add(offset, &store.bv(64, u64::from(i * element)));
            array = store.store(&array, &index(store, &array, &at), &part);
        }
        let start = Word {
            bits: extent.base,
            object: extent.object,
        };
        let cell = Cell::Array { array, index: 0 };
        self.with_all_bytes(&[*extent], |space| {
            Ok(space.memory.store_cell(start, extent.capacity, cell)?)
        })
    }
}

/// What was taken off the front of a list of parts.
pub(crate) enum Taken {
    /// Known bytes, little-endian.
    Known(u64),
    /// Others.
    Term(Term),
}

/// Parts of memory, taken off a few bytes at a time.
pub(crate) struct Pieces {
    parts: VecDeque<Part>,
}

impl Pieces {
    pub fn new(parts: Vec<Part>) -> Self {
        Pieces {
            parts: parts.into(),
        }
    }

    /// Takes this many bytes, at most 8 if they are all known.
    pub fn take(&mut self, space: &mut Space, length: u32) -> Taken {
        let mut taken: Option<Taken> = None;
        let mut filled = 0;
        while filled < length {
            let part = self.parts.pop_front().expect("as many bytes as were read");
            let wanted = length - filled;
            let (piece, piece_length) = match part {
                Part::Known { bytes, length } => {
                    let now = length.min(wanted);
                    if now < length {
                        self.parts.push_front(Part::Known {
                            bytes: bytes >> (8 * now),
                            length: length - now,
                        });
                    }
                    (Taken::Known(bytes & (u64::MAX >> (64 - 8 * now))), now)
                }
                Part::Cell { cell, length } => {
                    let now = length.min(wanted);
                    if now < length {
                        self.parts.push_front(Part::Cell {
                            cell: cell.advanced(u64::from(now)),
                            length: length - now,
                        });
                    }
                    (Taken::Term(space.cell_term(&cell, now)), now)
                }
            };
            let store = &space.tools.store;
            taken = Some(match (taken, piece) {
                (None, piece) => piece,
                (Some(Taken::Known(below)), Taken::Known(above)) if length <= 8 => {
                    Taken::Known(below | above << (8 * filled))
                }
                (Some(below), above) => {
                    let above = above.into_term(store, piece_length);
                    let below = below.into_term(store, filled);
                    Taken::Term(store.concat(&above, &below))
                }
            });
            filled += piece_length;
        }
        taken.expect("no read is empty")
    }
}

impl Taken {
    fn into_term(self, store: &TermStore, length: u32) -> Term {
        match self {
            Taken::Known(bytes) => store.bv(8 * length, bytes),
            Taken::Term(term) => term,
        }
    }
}

impl Space {
    /// The first bytes of a cell as a term.
    pub(crate) fn cell_term(&mut self, cell: &Cell, length: u32) -> Term {
        let store = &self.tools.store;
        match cell {
            Cell::Term { term, skip, .. } => store.extract(term, 8 * (skip + length) - 1, 8 * skip),
            Cell::Array { array, index } => read_known(store, array, *index, length),
            Cell::Origin { origin, offset } => {
                self.origins
                    .read(&self.tools.store, *origin, *offset, u64::from(length))
            }
        }
    }
}
