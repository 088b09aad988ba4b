//! Cells: they stand in the place of bytes that are not known.
//!
//! A [`Cell`] says what a range of bytes is: bytes of a term, of an array term, or of an origin
//! that were not accessed yet. The cells of a run of bytes are a list in order of address. A store
//! cuts the bytes that it overwrites out of the list, and a stored cell is put into the gap.
//!
//! - *Invariant:* cells do not overlap, and neighbours that continue each other are one cell.
//! - *Cost:* finding is a binary search; changing moves the shorter end of the list. So a pass over
//!   a run in either direction costs the same for each store, no matter how many cells the run has.

use crate::ObjectId;
use crate::address_map::AddressMap;
use cairn_expr::{Sort, Term};
use std::collections::VecDeque;
use std::rc::Rc;

/// Names an origin of bytes: an input, or uninitialised memory. The user of this crate assigns the
/// numbers and knows their meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OriginId(pub u32);

impl OriginId {
    /// Of bytes between others that the program has no business to read: arguments that were not passed.
    pub const MISSING: OriginId = OriginId(u32::MAX);
}

/// A cell: it stands in the place of bytes that are not known.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Bytes of a bit-vector term whose width is a multiple of 8, the lowest first.
    Term {
        /// The term.
        term: Term,
        /// Which of its bytes is the first.
        skip: u32,
        /// The object that it points into, if it is a pointer; means something only if the term is
        /// read as a whole.
        object: ObjectId,
    },
    /// Bytes of an array term whose elements are whole bytes, the lowest byte of each first.
    Array {
        /// The array.
        array: Term,
        /// Which of its bytes is the first.
        index: u64,
        /// Which of its bytes may be bytes of addresses, if there are any.
        addresses: Option<Rc<AddressMap>>,
    },
    /// Bytes of an origin that were not accessed yet.
    Origin {
        /// The origin.
        origin: OriginId,
        /// Which of its bytes is the first.
        offset: u64,
    },
}

/// Equal cells are the same terms, not terms that mean the same.
impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.continues(other, 0)
    }
}

impl Eq for Cell {}

impl Cell {
    /// The cell from a later byte on.
    pub fn advanced(&self, by: u64) -> Cell {
        let mut cell = self.clone();
        cell.advance(by);
        cell
    }

    /// Leaves out the first bytes.
    fn advance(&mut self, by: u64) {
        match self {
            // Bounded by the width, which is 32 bits.
            Cell::Term { skip, .. } => *skip += by as u32,
            Cell::Array { index, .. } => *index = index.wrapping_add(by),
            Cell::Origin { offset, .. } => *offset = offset.wrapping_add(by),
        }
    }

    /// Whether this is what another cell is from its byte `by` on.
    pub(crate) fn continues(&self, before: &Cell, by: u64) -> bool {
        match (before, self) {
            (
                Cell::Term {
                    term: a,
                    skip: i,
                    object: p,
                },
                Cell::Term {
                    term: b,
                    skip: j,
                    object: q,
                },
            ) => a == b && p == q && u64::from(*i) + by == u64::from(*j),
            (
                Cell::Array {
                    array: a,
                    index: i,
                    addresses: p,
                },
                Cell::Array {
                    array: b,
                    index: j,
                    addresses: q,
                },
            ) => a == b && i.wrapping_add(by) == *j && same_addresses(p, q),
            (
                Cell::Origin {
                    origin: a,
                    offset: i,
                },
                Cell::Origin {
                    origin: b,
                    offset: j,
                },
            ) => a == b && i.wrapping_add(by) == *j,
            (Cell::Term { .. } | Cell::Array { .. } | Cell::Origin { .. }, _) => false,
        }
    }

    /// # Panics
    /// If this is not what memory can hold for this many bytes.
    pub(crate) fn check(&self, length: u64) {
        match self {
            Cell::Term { term, skip, .. } => {
                let Sort::BitVec(width) = term.sort() else {
                    panic!("a cell of a term that is no bit-vector");
                };
                assert!(
                    width.is_multiple_of(8),
                    "a cell of a term that is no whole bytes"
                );
                let bytes = u64::from(width / 8).saturating_sub(u64::from(*skip));
                assert!(length <= bytes, "a cell of more bytes than its term has");
            }
            Cell::Array { array, .. } => {
                let Sort::Array { value, .. } = array.sort() else {
                    panic!("a cell of an array that is none");
                };
                assert!(
                    value.is_multiple_of(8),
                    "a cell of an array whose elements are no whole bytes"
                );
            }
            Cell::Origin { .. } => {}
        }
    }
}

/// Whether two maps are the same; mostly there is none, or it is one.
fn same_addresses(a: &Option<Rc<AddressMap>>, b: &Option<Rc<AddressMap>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// A part of a range that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadPart {
    /// Known bytes.
    Known {
        /// The bytes, the first one lowest, with zeros above.
        bytes: u64,
        /// How many bytes: 1 to 8.
        length: u32,
    },
    /// Bytes that are not known.
    Cell {
        /// What they are, from the part's first byte on.
        cell: Cell,
        /// How many bytes. What is longer than the number can say comes in several parts.
        length: u32,
    },
}

/// A cell and its place in a run.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u32,
    pub end: u32,
    pub cell: Cell,
}

impl Span {
    /// Whether another one is what follows.
    fn is_continued_by(&self, next: &Span) -> bool {
        let length = u64::from(self.end - self.start);
        self.end == next.start && next.cell.continues(&self.cell, length)
    }

    /// The part of the span that is in a range which it overlaps.
    fn clipped(&self, start: u32, end: u32) -> Span {
        let first = self.start.max(start);
        Span {
            start: first,
            end: self.end.min(end),
            cell: self.cell.advanced(u64::from(first - self.start)),
        }
    }
}

/// Where a range is among cells.
pub(crate) enum RangePlace<'a> {
    /// Inside of one, from this of its bytes on.
    Inside(&'a Cell, u32),
    /// It has no byte of any.
    Beside,
    /// It has some bytes of some.
    Across,
}

/// The cells of a run.
#[derive(Clone, Default)]
pub(crate) struct Cells {
    spans: VecDeque<Span>,
    /// How many bytes they cover.
    covered: u32,
}

impl Cells {
    /// One cell.
    pub fn one(start: u32, end: u32, cell: Cell) -> Self {
        let mut spans = VecDeque::with_capacity(1);
        spans.push_back(Span { start, end, cell });
        Cells {
            spans,
            covered: end - start,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.covered == 0
    }

    /// How many bytes are not known.
    pub fn covered(&self) -> u32 {
        self.covered
    }

    /// The number of the first cell that ends after a place.
    #[inline]
    fn first_behind(&self, at: u32) -> usize {
        match self.spans.front() {
            Some(front) if front.end <= at => self.spans.partition_point(|span| span.end <= at),
            Some(_) | None => 0,
        }
    }

    /// The first cell in a range, which is not empty, as far as it is in it.
    #[inline]
    pub fn first_in(&self, start: u32, end: u32) -> Option<Span> {
        let span = self.spans.get(self.first_behind(start))?;
        (span.start < end).then(|| span.clipped(start, end))
    }

    /// Where a range is: inside of one cell, or outside of all, or else mixed.
    #[inline]
    pub fn at(&self, start: u32, end: u32) -> RangePlace<'_> {
        match self.spans.get(self.first_behind(start)) {
            Some(span) if span.start >= end => RangePlace::Beside,
            Some(span) if span.start <= start && end <= span.end => {
                RangePlace::Inside(&span.cell, start - span.start)
            }
            Some(_) => RangePlace::Across,
            None => RangePlace::Beside,
        }
    }

    /// Whether a cell is in a range.
    #[inline]
    pub fn touch(&self, start: u32, end: u32) -> bool {
        let span = self.spans.get(self.first_behind(start));
        span.is_some_and(|span| span.start < end)
    }

    /// Removes what is in a range.
    pub fn cut(&mut self, start: u32, end: u32) {
        let mut index = self.first_behind(start);
        if let Some(span) = self.spans.get_mut(index)
            && span.start < start
        {
            let before = span.end;
            span.end = start;
            index += 1;
            if before > end {
                let first = span.start;
                let cell = span.cell.advanced(u64::from(end - first));
                self.covered -= end - start;
                let behind = Span {
                    start: end,
                    end: before,
                    cell,
                };
                self.spans.insert(index, behind);
                return;
            }
            self.covered -= before - start;
        }
        let (mut count, mut bytes) = (0, 0);
        while let Some(span) = self.spans.get(index + count)
            && span.end <= end
        {
            count += 1;
            bytes += span.end - span.start;
        }
        if count > 0 {
            self.covered -= bytes;
            self.spans.drain(index..index + count);
        }
        if let Some(span) = self.spans.get_mut(index)
            && span.start < end
        {
            let by = end - span.start;
            span.start = end;
            span.cell.advance(u64::from(by));
            self.covered -= by;
        }
    }

    /// Overwrites a range.
    pub fn put(&mut self, start: u32, end: u32, cell: Cell) {
        self.cut(start, end);
        self.covered += end - start;
        let index = self.first_behind(start);
        let mut added = Span { start, end, cell };
        let next = self.spans.get(index);
        let joins_next = next.is_some_and(|next| added.is_continued_by(next));
        if joins_next {
            added.end = self.spans[index].end;
        }
        let before = index.checked_sub(1);
        let before = before.and_then(|before| self.spans.get_mut(before));
        match before.filter(|before| before.is_continued_by(&added)) {
            Some(before) => {
                before.end = added.end;
                if joins_next {
                    self.spans.remove(index);
                }
            }
            None if joins_next => self.spans[index] = added,
            None => self.spans.insert(index, added),
        }
    }
}
