//! Runs of bytes of which some are not known.
//!
//! Known bytes lie where they would lie without cells, with their provenance; under a cell they
//! mean nothing and have no provenance. What is in no page of a large object is zero, or its
//! background: one cell for the whole object, so that an object of any size is made symbolic at
//! once.
//!
//! - *Invariant:* a page is plain or mixed, not both.
//! - *Invariant:* a mixed page has cells; one without bytes has nothing else.

use crate::cells::{Cell, Cells, Span};
use crate::chunked::{make_unique, make_unique_slice};
use crate::pages::{PAGE, Page, PageTree, page_length, split};
use crate::shadow::{Provenance, clear, same_provenance};
use crate::word_access::read_word;
use crate::{ReadPart, Word};
use std::rc::Rc;

/// A page with cells.
#[derive(Clone)]
pub(crate) struct Mixed {
    /// Its known bytes; `None` if all are cells.
    pub page: Option<Rc<Page>>,
    pub cells: Cells,
}

impl Mixed {
    /// Overwrites a range of a page of which some bytes belong to its object.
    pub fn put(&mut self, start: u32, end: u32, cell: Cell, length: u32) {
        self.cells.put(start, end, cell);
        if self.cells.covered() == length {
            self.page = None;
        } else if let Some(page) = &mut self.page
            && page.shadow.is_some()
        {
            clear(
                &mut make_unique(page).shadow,
                start as usize,
                (end - start) as usize,
            );
        }
    }
}

/// What an object with cells has besides plain pages.
#[derive(Clone)]
pub(crate) enum CellContent {
    /// The buffer of a small object, with cells.
    Buffer {
        bytes: Rc<[u8]>,
        shadow: Provenance,
        cells: Cells,
    },
    /// The other pages of a large object.
    Pages {
        /// What is in no page: zeros, or a cell from its first byte on.
        background: Option<Cell>,
        mixed: PageTree<Mixed>,
        /// How many pages are mixed.
        count: u64,
    },
}

/// A run as it is read.
pub(crate) struct RunView<'a> {
    /// The bytes; `None` if they are zeros, or cells.
    pub bytes: Option<&'a [u8]>,
    pub shadow: &'a Provenance,
    pub overlay: Overlay<'a>,
}

/// The cells of a run.
pub(crate) enum Overlay<'a> {
    None,
    Cells(&'a Cells),
    /// One cell for all of the run.
    Background(Cell),
}

/// A run to be changed.
pub(crate) struct MutableRun<'a> {
    pub bytes: &'a mut [u8],
    pub shadow: &'a mut Provenance,
    pub cells: Option<&'a mut Cells>,
}

impl RunView<'_> {
    /// Whether both are one run, so that nothing can differ; what is one may also not be seen to be.
    pub fn is_one_with(&self, other: &RunView<'_>) -> bool {
        let plain = matches!(
            (&self.overlay, &other.overlay),
            (Overlay::None, Overlay::None)
        );
        plain
            && match (self.bytes, other.bytes) {
                (Some(a), Some(b)) => std::ptr::eq(a, b),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            }
    }

    /// Whether a range is the same in both: cells, known bytes, and what they belong to.
    pub fn is_equal(&self, other: &RunView<'_>, start: u32, end: u32) -> bool {
        let (spans, others) = (self.spans(start, end), other.spans(start, end));
        if spans != others || !same_provenance(self.shadow, other.shadow, start, end) {
            return false;
        }
        let known = |at: &u32| !spans.iter().any(|s| s.start <= *at && *at < s.end);
        let byte = |view: &RunView<'_>, at: u32| view.bytes.map_or(0, |b| b[at as usize]);
        (start..end)
            .filter(known)
            .all(|at| byte(self, at) == byte(other, at))
    }

    /// The first cell in a range, which is not empty, as far as it is in it.
    #[inline]
    pub fn first_in(&self, start: u32, end: u32) -> Option<Span> {
        match &self.overlay {
            Overlay::None => None,
            Overlay::Cells(cells) => cells.first_in(start, end),
            Overlay::Background(cell) => Some(Span {
                start,
                end,
                cell: cell.advanced(u64::from(start)),
            }),
        }
    }

    /// Whether a cell is in a range.
    #[inline]
    pub fn touch(&self, start: u32, end: u32) -> bool {
        match &self.overlay {
            Overlay::None => false,
            Overlay::Cells(cells) => cells.touch(start, end),
            Overlay::Background(_) => true,
        }
    }

    /// All cells in a range, as far as they are in it.
    pub fn spans(&self, start: u32, end: u32) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut at = start;
        while at < end
            && let Some(span) = self.first_in(at, end)
        {
            at = span.end;
            spans.push(span);
        }
        spans
    }

    /// A word of known bytes.
    pub fn word(&self, at: usize, length: usize) -> Word {
        match self.bytes {
            Some(bytes) => read_word(bytes, self.shadow, at, length),
            None => Word::int(0),
        }
    }

    /// How many bytes of a range are parts of addresses.
    pub fn address_bytes(&self, at: usize, length: usize) -> usize {
        let known = self.shadow.as_ref();
        let known = known.map_or(0, |shadow| shadow.address_bytes(at, length));
        // A cell has nothing of the shadow after it.
        let marked = |span: &Span| {
            let length = u64::from(span.end - span.start);
            match &span.cell {
                Cell::Term { object, .. } if !object.is_number() => length,
                Cell::Array {
                    index,
                    addresses: Some(addresses),
                    ..
                } => addresses.count(*index, length),
                Cell::Term { .. } | Cell::Array { .. } | Cell::Origin { .. } => 0,
            }
        };
        let spans = match self.overlay {
            Overlay::None => Vec::new(),
            Overlay::Cells(_) | Overlay::Background(_) => {
                self.spans(at as u32, (at + length) as u32)
            }
        };
        known + spans.iter().map(marked).sum::<u64>() as usize
    }

    /// Appends a range as parts. Those from `first` on may be continued.
    pub fn parts(&self, start: u32, end: u32, first: usize, out: &mut Vec<ReadPart>) {
        let mut at = start;
        while at < end {
            let span = self.first_in(at, end);
            let known_end = span.as_ref().map_or(end, |span| span.start);
            self.known_parts(at, known_end, first, out);
            at = known_end;
            if let Some(span) = span {
                at = span.end;
                push_cell(span, first, out);
            }
        }
    }

    fn known_parts(&self, start: u32, end: u32, first: usize, out: &mut Vec<ReadPart>) {
        let mut at = start;
        while at < end {
            // A part from the run before may have room.
            if let [.., ReadPart::Known { bytes, length }] = &mut out[first..]
                && *length < 8
            {
                let taken = (8 - *length).min(end - at);
                let more = self.word(at as usize, taken as usize).bits;
                *bytes |= more << (8 * *length);
                *length += taken;
                at += taken;
                continue;
            }
            let length = (end - at).min(8);
            let bytes = self.word(at as usize, length as usize).bits;
            out.push(ReadPart::Known { bytes, length });
            at += length;
        }
    }
}

/// Appends a cell, joined with the last part if it continues it.
fn push_cell(span: Span, first: usize, out: &mut Vec<ReadPart>) {
    let length = span.end - span.start;
    if let [
        ..,
        ReadPart::Cell {
            cell,
            length: before,
        },
    ] = &mut out[first..]
        && let Some(sum) = before.checked_add(length)
        && span.cell.continues(cell, u64::from(*before))
    {
        *before = sum;
        return;
    }
    let cell = span.cell;
    out.push(ReadPart::Cell { cell, length });
}

impl CellContent {
    /// No pages but plain ones, and zeros.
    pub const NO_PAGES: CellContent = CellContent::Pages {
        background: None,
        mixed: PageTree::EMPTY,
        count: 0,
    };

    /// Whether there is nothing besides plain pages and zeros.
    pub fn is_nothing(&self) -> bool {
        match self {
            CellContent::Buffer { .. } => false,
            CellContent::Pages { count, .. } => self.leaves_zeros() && *count == 0,
        }
    }

    /// Whether what is in no page is zero.
    pub fn leaves_zeros(&self) -> bool {
        match self {
            CellContent::Buffer { .. } => false,
            CellContent::Pages { background, .. } => background.is_none(),
        }
    }

    /// What is in a page that is not plain.
    pub fn page(&self, number: u64) -> (Option<&Rc<Page>>, Overlay<'_>) {
        let CellContent::Pages {
            background, mixed, ..
        } = self
        else {
            return (None, Overlay::None);
        };
        if let Some(page) = mixed.get(number) {
            return (page.page.as_ref(), Overlay::Cells(&page.cells));
        }
        match background {
            Some(cell) => {
                let cell = cell.advanced(number * PAGE as u64);
                (None, Overlay::Background(cell))
            }
            None => (None, Overlay::None),
        }
    }

    /// A mixed page to be changed; made from the background of an object of some size if it does
    /// not exist; `None` if there is no background either.
    pub fn mixed_page(shared: &mut Rc<Self>, number: u64, size: u64) -> Option<&mut Mixed> {
        let CellContent::Pages {
            background,
            mixed,
            count,
        } = make_unique(shared)
        else {
            return None;
        };
        if mixed.get(number).is_none() {
            let cell = background.as_ref()?.advanced(number * PAGE as u64);
            let cells = Cells::one(0, page_length(number, size), cell);
            mixed.insert(number, size, Rc::new(Mixed { page: None, cells }));
            *count += 1;
        }
        mixed.get_mut(number)
    }

    /// Adds a mixed page, which does not exist, to an object of some size.
    pub fn insert(shared: &mut Rc<Self>, number: u64, size: u64, page: Mixed) {
        if let CellContent::Pages { mixed, count, .. } = make_unique(shared) {
            mixed.insert(number, size, Rc::new(page));
            *count += 1;
        }
    }

    /// Takes out a mixed page, if it exists; gives its bytes.
    pub fn remove(shared: &mut Rc<Self>, number: u64) -> Option<Rc<Page>> {
        let CellContent::Pages { mixed, count, .. } = make_unique(shared) else {
            return None;
        };
        let page = mixed.remove(number)?;
        *count -= 1;
        Rc::unwrap_or_clone(page).page
    }

    /// The run of an offset, which is mixed and has bytes, and the place in it.
    pub fn run_mut(shared: &mut Rc<Self>, offset: u64) -> (MutableRun<'_>, usize) {
        match make_unique(shared) {
            CellContent::Buffer {
                bytes,
                shadow,
                cells,
            } => {
                let run = MutableRun {
                    bytes: make_unique_slice(bytes),
                    shadow,
                    cells: Some(cells),
                };
                (run, offset as usize)
            }
            CellContent::Pages { mixed, .. } => {
                let (number, at) = split(offset);
                let Mixed { page, cells } = mixed.get_mut(number).expect("a mixed page");
                let page = make_unique(page.as_mut().expect("the bytes were made before"));
                let run = MutableRun {
                    bytes: &mut page.bytes,
                    shadow: &mut page.shadow,
                    cells: Some(cells),
                };
                (run, at)
            }
        }
    }
}
