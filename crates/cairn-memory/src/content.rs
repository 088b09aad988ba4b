//! The content of an object: bytes, the provenance of the pointers in them, and what stands in
//! place of bytes that are not known.
//!
//! Objects of up to a page have one buffer. Larger ones have pages, which exist once written. An
//! object with [cells](crate::Cell) has something [symbolic](crate::mixed::Symbolic) beside: for a
//! small object that is all of it, for a large one the pages with cells, and what the bytes are
//! that are in no page.
//!
//! Words are loaded and stored where nothing is unusual: in a plain buffer or a plain page. All
//! else works on runs, which are the parts of a content that lie together: the buffer, or a page.
//! A run with cells whose last one is overwritten is plain again.
//!
//! There are two variants, not four: a slot is one line of the processor's cache, and has no room
//! to tell more of them apart.

mod copying;

use crate::cells::{Cell, Cells, RangePlace, Span};
use crate::chunked::{make_unique, make_unique_slice};
use crate::mixed::{CellContent, Mixed, MutableRun, Overlay, RunView};
use crate::pages::{PAGE, Page, PageTree, page_length, split};
use crate::shadow::{Provenance, clear};
use crate::word_access::{RunMut, read_word, write_word};
use crate::{PointerWidth, Word};
use std::rc::Rc;

/// The content of an object. Offsets and lengths given to its functions are inside of the object.
#[derive(Clone)]
pub(crate) enum ObjectContent {
    /// One buffer, at least as long as the object; a multiple of granules.
    Small { bytes: Rc<[u8]>, shadow: Provenance },
    /// A tree of pages, empty if there is none, as in an object of no bytes; or a small object
    /// with cells.
    Other {
        pages: PageTree<Page>,
        symbolic: Option<Rc<CellContent>>,
    },
}

/// A source of a copy, kept while its object may be written.
pub(crate) struct CopySource {
    bytes: CopyBytes,
    /// Cells in the range to be copied, by their places in the run.
    cells: Vec<Span>,
}

enum CopyBytes {
    /// Zeros, or nothing but cells.
    Absent,
    Buffer(Rc<[u8]>, Provenance),
    Page(Rc<Page>),
}

impl CopySource {
    /// Whether all is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.bytes, CopyBytes::Absent) && self.cells.is_empty()
    }

    /// The cells, if nothing else is in the range to be copied, and where it starts in its run.
    pub fn only_cells(&self, from: u64, length: usize) -> Option<(&[Span], u32)> {
        let covered: u32 = self.cells.iter().map(|span| span.end - span.start).sum();
        let start = match self.bytes {
            CopyBytes::Buffer(..) => from as u32,
            CopyBytes::Page(_) | CopyBytes::Absent => split(from).1 as u32,
        };
        (covered as usize == length).then_some((&self.cells, start))
    }
}

impl ObjectContent {
    /// Nothing but zeros, in no page.
    pub const EMPTY: ObjectContent = ObjectContent::Other {
        pages: PageTree::EMPTY,
        symbolic: None,
    };

    /// Zeros in a buffer.
    pub fn zeroed(bytes: usize) -> Self {
        ObjectContent::Small {
            bytes: std::iter::repeat_n(0, bytes).collect(),
            shadow: None,
        }
    }

    /// A large object that is one cell.
    pub fn background(cell: Cell) -> Self {
        ObjectContent::Other {
            pages: PageTree::EMPTY,
            symbolic: Some(Rc::new(CellContent::Pages {
                background: Some(cell),
                mixed: PageTree::EMPTY,
                count: 0,
            })),
        }
    }

    /// Makes the buffer zero again, if it has from `length` to `at_most` bytes and is not shared with
    /// another content.
    #[inline]
    pub fn zero_again(&mut self, length: usize, at_most: usize) -> bool {
        let ObjectContent::Small { bytes, shadow } = self else {
            return false;
        };
        if bytes.len() < length || bytes.len() > at_most {
            return false;
        }
        let Some(all) = Rc::get_mut(bytes) else {
            return false;
        };
        all[..length].fill(0);
        if let Some(pointers) = shadow
            && !pointers.reset(length)
        {
            *shadow = None;
        }
        true
    }

    /// Forgets the cells of a small object, whose bytes do not matter any more.
    #[inline]
    pub fn forget_cells(&mut self) {
        if let ObjectContent::Other { symbolic, .. } = self
            && let Some(symbolic) = symbolic.take()
            && let CellContent::Buffer { bytes, shadow, .. } = Rc::unwrap_or_clone(symbolic)
        {
            *self = ObjectContent::Small { bytes, shadow };
        }
    }

    /// Bytes of the buffer.
    #[inline]
    pub fn buffer_bytes(&self) -> usize {
        match self {
            ObjectContent::Small { bytes, .. } => bytes.len(),
            ObjectContent::Other { symbolic, .. } => match symbolic.as_deref() {
                Some(CellContent::Buffer { bytes, .. }) => bytes.len(),
                Some(CellContent::Pages { .. }) | None => 0,
            },
        }
    }

    /// Whether there are no cells.
    pub fn is_plain(&self) -> bool {
        match self {
            ObjectContent::Small { .. } => true,
            ObjectContent::Other { symbolic, .. } => symbolic.is_none(),
        }
    }

    /// The cell of a small object that a range is inside of, and where in it the range starts.
    #[inline]
    pub fn cell_around(&self, offset: u64, length: u64) -> Option<(&Cell, u32)> {
        let ObjectContent::Other {
            symbolic: Some(symbolic),
            ..
        } = self
        else {
            return None;
        };
        let CellContent::Buffer { cells, .. } = &**symbolic else {
            return None;
        };
        match cells.at(offset as u32, (offset + length) as u32) {
            RangePlace::Inside(cell, first) => Some((cell, first)),
            RangePlace::Beside | RangePlace::Across => None,
        }
    }

    /// Whether two contents are one, so that no byte can differ.
    pub fn same(&self, other: &ObjectContent) -> bool {
        match (self, other) {
            (ObjectContent::Small { bytes: a, .. }, ObjectContent::Small { bytes: b, .. }) => {
                Rc::ptr_eq(a, b)
            }
            (
                ObjectContent::Other {
                    pages: a,
                    symbolic: c,
                },
                ObjectContent::Other {
                    pages: b,
                    symbolic: d,
                },
            ) => {
                let same_symbolic = match (c, d) {
                    (Some(c), Some(d)) => Rc::ptr_eq(c, d),
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                };
                same_symbolic && a.same(b)
            }
            (ObjectContent::Small { .. }, ObjectContent::Other { .. })
            | (ObjectContent::Other { .. }, ObjectContent::Small { .. }) => false,
        }
    }

    /// The word at an offset; `None` if it is in two pages, or where something is not known.
    #[inline(always)]
    pub fn load(&self, offset: u64, length: usize) -> Option<Word> {
        match self {
            ObjectContent::Small { bytes, shadow } => {
                Some(read_word(bytes, shadow, offset as usize, length))
            }
            ObjectContent::Other { pages, symbolic } => {
                let (page, at) = split(offset);
                if at + length > PAGE {
                    return None;
                }
                match (pages.get(page), symbolic) {
                    (Some(page), _) => Some(read_word(&page.bytes, &page.shadow, at, length)),
                    (None, Some(symbolic)) => load_beside(symbolic, at, length),
                    (None, None) => Some(Word::int(0)),
                }
            }
        }
    }

    /// Writes a word; false if it is in two pages, in one that does not exist or has cells, or in
    /// something shared.
    #[inline(always)]
    pub fn store(
        &mut self,
        offset: u64,
        length: usize,
        value: Word,
        pointer: &PointerWidth,
    ) -> bool {
        match self {
            ObjectContent::Small { bytes, shadow } => {
                let Some(bytes) = Rc::get_mut(bytes) else {
                    return false;
                };
                let run = RunMut {
                    bytes,
                    shadow,
                    pointer,
                };
                write_word(run, offset as usize, length, value);
                true
            }
            ObjectContent::Other { pages, symbolic } => {
                let (page, at) = split(offset);
                if at + length > PAGE {
                    return false;
                }
                match (pages.get_unshared(page), symbolic) {
                    (Some(page), _) => {
                        let (bytes, shadow) = (&mut page.bytes[..], &mut page.shadow);
                        let run = RunMut {
                            bytes,
                            shadow,
                            pointer,
                        };
                        write_word(run, at, length, value);
                        true
                    }
                    (None, Some(symbolic)) => store_beside(symbolic, at, length, value, pointer),
                    (None, None) => false,
                }
            }
        }
    }

    /// How many bytes from an offset on lie together.
    #[inline]
    pub fn run_from(&self, offset: u64) -> u64 {
        match self.buffer_bytes() {
            0 => PAGE as u64 - offset % PAGE as u64,
            bytes => bytes as u64 - offset,
        }
    }

    /// How many bytes before an offset, which is not 0, lie together.
    #[inline]
    pub fn run_before(&self, offset: u64) -> u64 {
        match self.buffer_bytes() {
            0 => (offset - 1) % PAGE as u64 + 1,
            _ => offset,
        }
    }

    /// Whether two offsets are in the same run.
    pub fn same_run(&self, a: u64, b: u64) -> bool {
        self.buffer_bytes() != 0 || a / PAGE as u64 == b / PAGE as u64
    }

    /// The run of an offset, and the place in it.
    pub fn view(&self, offset: u64) -> (RunView<'_>, usize) {
        match self {
            ObjectContent::Small { bytes, shadow } => {
                let view = RunView {
                    bytes: Some(bytes),
                    shadow,
                    overlay: Overlay::None,
                };
                (view, offset as usize)
            }
            ObjectContent::Other { pages, symbolic } => {
                if let Some(CellContent::Buffer {
                    bytes,
                    shadow,
                    cells,
                }) = symbolic.as_deref()
                {
                    let view = RunView {
                        bytes: Some(bytes),
                        shadow,
                        overlay: Overlay::Cells(cells),
                    };
                    return (view, offset as usize);
                }
                let (number, at) = split(offset);
                let (page, overlay) = match (pages.get(number), symbolic) {
                    (Some(page), _) => (Some(page), Overlay::None),
                    (None, Some(symbolic)) => symbolic.page(number),
                    (None, None) => (None, Overlay::None),
                };
                let view = RunView {
                    bytes: page.map(|page| &page.bytes[..]),
                    shadow: page.map_or(&None, |page| &page.shadow),
                    overlay,
                };
                (view, at)
            }
        }
    }

    /// Whether the run of an offset has bytes that can be written.
    pub fn has_bytes(&self, offset: u64) -> bool {
        self.view(offset).0.bytes.is_some()
    }

    /// Whether the run of an offset is a page of zeros that does not exist.
    pub fn lacks_page(&self, offset: u64) -> bool {
        let (view, _) = self.view(offset);
        view.bytes.is_none() && matches!(view.overlay, Overlay::None)
    }

    /// Makes bytes for the run of an offset, which has none, in an object of some size.
    pub fn add_page(&mut self, offset: u64, size: u64) {
        let ObjectContent::Other { pages, symbolic } = self else {
            return;
        };
        let (number, _) = split(offset);
        if let Some(symbolic) = symbolic
            && let Some(mixed) = CellContent::mixed_page(symbolic, number, size)
        {
            mixed.page = Some(Page::zeroed());
            return;
        }
        pages.insert(number, size, Page::zeroed());
    }

    /// Makes room for an object of some size, if it is a large one without cells; whether it is.
    pub fn grow_plain(&mut self, size: u64) -> bool {
        match self {
            ObjectContent::Other {
                pages,
                symbolic: None,
            } => {
                pages.grow(size);
                true
            }
            ObjectContent::Other { .. } | ObjectContent::Small { .. } => false,
        }
    }

    /// Makes the page of an offset zero by giving it up. False, and nothing happens, if what is in
    /// no page is not zero.
    pub fn remove_page(&mut self, offset: u64) -> bool {
        let ObjectContent::Other { pages, symbolic } = self else {
            return false;
        };
        let (number, _) = split(offset);
        if let Some(shared) = symbolic {
            if !shared.leaves_zeros() {
                return false;
            }
            CellContent::remove(shared, number);
            if shared.is_nothing() {
                *symbolic = None;
            }
        }
        pages.remove(number);
        true
    }

    /// The run of an offset, to be changed, and the place in it. It has bytes.
    fn run_mut(&mut self, offset: u64) -> (MutableRun<'_>, usize) {
        match self {
            ObjectContent::Small { bytes, shadow } => {
                let run = MutableRun {
                    bytes: make_unique_slice(bytes),
                    shadow,
                    cells: None,
                };
                (run, offset as usize)
            }
            ObjectContent::Other { pages, symbolic } => {
                let (number, at) = split(offset);
                if pages.get(number).is_some() {
                    let page = pages.get_mut(number).expect("it was there");
                    let run = MutableRun {
                        bytes: &mut page.bytes,
                        shadow: &mut page.shadow,
                        cells: None,
                    };
                    return (run, at);
                }
                let symbolic = symbolic.as_mut().expect("the page was made before");
                CellContent::run_mut(symbolic, offset)
            }
        }
    }

    /// Overwrites a range of one run, which has bytes, of an object of some size by known bytes.
    fn overwrite(
        &mut self,
        offset: u64,
        length: usize,
        size: u64,
        write: impl FnOnce(&mut [u8], &mut Provenance, usize),
    ) {
        let (run, at) = self.run_mut(offset);
        write(run.bytes, run.shadow, at);
        if let Some(cells) = run.cells {
            cells.cut(at as u32, (at + length) as u32);
            if cells.is_empty() {
                self.make_plain(offset, size);
            }
        }
    }

    /// Makes the run of an offset, whose last cell was overwritten, a plain one.
    fn make_plain(&mut self, offset: u64, size: u64) {
        let ObjectContent::Other { pages, symbolic } = self else {
            return;
        };
        let Some(shared) = symbolic else { return };
        if matches!(**shared, CellContent::Buffer { .. }) {
            return self.forget_cells();
        }
        let (number, _) = split(offset);
        if let Some(page) = CellContent::remove(shared, number) {
            pages.insert(number, size, page);
        }
        if shared.is_nothing() {
            *symbolic = None;
        }
    }

    /// Writes a word into one run, which has bytes.
    pub fn write_word(
        &mut self,
        offset: u64,
        length: usize,
        value: Word,
        size: u64,
        pointer: &PointerWidth,
    ) {
        self.overwrite(offset, length, size, |bytes, shadow, at| {
            let run = RunMut {
                bytes,
                shadow,
                pointer,
            };
            write_word(run, at, length, value);
        });
    }

    /// Writes bytes into one run, which has bytes.
    pub fn write(&mut self, offset: u64, written: &[u8], size: u64) {
        self.overwrite(offset, written.len(), size, |bytes, shadow, at| {
            bytes[at..][..written.len()].copy_from_slice(written);
            clear(shadow, at, written.len());
        });
    }

    /// Writes one byte many times into one run, which has bytes.
    pub fn fill(&mut self, offset: u64, byte: u8, length: usize, size: u64) {
        self.overwrite(offset, length, size, |bytes, shadow, at| {
            bytes[at..][..length].fill(byte);
            clear(shadow, at, length);
        });
    }

    /// Whether a cell can be put into a run that has no bytes: nothing known is left beside it.
    pub fn takes_cell(&self, offset: u64, length: u64, size: u64) -> bool {
        let (number, _) = split(offset);
        !self.lacks_page(offset) || length == u64::from(page_length(number, size))
    }

    /// Puts a cell into one run of an object of some size, which [takes](Self::takes_cell) it.
    pub fn put_cell(&mut self, offset: u64, length: u64, cell: Cell, size: u64) {
        if let ObjectContent::Small { bytes, shadow } = self {
            let (bytes, shadow) = (bytes.clone(), shadow.take());
            *self = ObjectContent::Other {
                pages: PageTree::EMPTY,
                symbolic: Some(Rc::new(CellContent::Buffer {
                    bytes,
                    shadow,
                    cells: Cells::default(),
                })),
            };
        }
        let ObjectContent::Other { pages, symbolic } = self else {
            return;
        };
        let symbolic = symbolic.get_or_insert_with(|| Rc::new(CellContent::NO_PAGES));
        if let CellContent::Buffer { shadow, cells, .. } = make_unique(symbolic) {
            clear(shadow, offset as usize, length as usize);
            cells.put(offset as u32, (offset + length) as u32, cell);
            return;
        }
        let (number, at) = split(offset);
        if let Some(page) = pages.remove(number) {
            let mixed = Mixed {
                page: Some(page),
                cells: Cells::default(),
            };
            CellContent::insert(symbolic, number, size, mixed);
        }
        let (start, end) = (at as u32, at as u32 + length as u32);
        match CellContent::mixed_page(symbolic, number, size) {
            Some(mixed) => mixed.put(start, end, cell, page_length(number, size)),
            None => {
                let mixed = Mixed {
                    page: None,
                    cells: Cells::one(start, end, cell),
                };
                CellContent::insert(symbolic, number, size, mixed);
            }
        }
    }
}

/// The word at a place of a small object with cells, if it is beside all of them.
#[inline(never)]
fn load_beside(symbolic: &CellContent, at: usize, length: usize) -> Option<Word> {
    let CellContent::Buffer {
        bytes,
        shadow,
        cells,
    } = symbolic
    else {
        return None;
    };
    let known = !cells.touch(at as u32, (at + length) as u32);
    known.then(|| read_word(bytes, shadow, at, length))
}

/// Writes a word of a small object with cells, if it is beside all of them; false if not, or if
/// something is shared.
#[inline(never)]
fn store_beside(
    symbolic: &mut Rc<CellContent>,
    at: usize,
    length: usize,
    value: Word,
    pointer: &PointerWidth,
) -> bool {
    let Some(CellContent::Buffer {
        bytes,
        shadow,
        cells,
    }) = Rc::get_mut(symbolic)
    else {
        return false;
    };
    match Rc::get_mut(bytes) {
        Some(bytes) if !cells.touch(at as u32, (at + length) as u32) => {
            let run = RunMut {
                bytes,
                shadow,
                pointer,
            };
            write_word(run, at, length, value);
            true
        }
        Some(_) | None => false,
    }
}
