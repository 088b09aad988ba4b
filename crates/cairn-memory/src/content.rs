//! The bytes of an object and the provenance of the pointers in it.
//!
//! Objects of up to a page have one buffer. Larger ones are a tree of pages in which what was
//! never written does not exist and reads as zero. Buffers, pages and nodes of the tree are
//! shared by clones and copied when written, so that a write after a clone costs a page at most.
//!
//! Provenance is kept for granules of 8 bytes, in a shadow that exists only once a pointer with
//! provenance was stored. A pointer that is not aligned to a granule loses it, and so does one of
//! which a part is overwritten; the pointer is then found again by its address.

use crate::chunked::{own, own_slice};
use crate::{ObjectId, Word};
use std::array;
use std::rc::Rc;

/// Bytes of a page, and of the largest object in one buffer.
pub(crate) const PAGE: usize = 4096;

/// Bytes that have a provenance of their own.
const GRANULE: usize = 8;

/// Logarithm of the children of a node.
const FAN_BITS: u32 = 8;

/// Children of a node.
const FAN: usize = 1 << FAN_BITS;

/// The provenance of each granule of a run of bytes.
#[derive(Clone)]
pub(crate) struct Shadow(Rc<[ObjectId]>);

impl Shadow {
    #[cold]
    fn new(bytes: usize) -> Self {
        let granules = bytes.div_ceil(GRANULE);
        Shadow(std::iter::repeat_n(ObjectId::NONE, granules).collect())
    }

    #[inline]
    fn get(&self, at: usize) -> ObjectId {
        self.0[at / GRANULE]
    }
}

/// What is known of the provenance of a run: nothing, if no pointer was ever stored there.
type Provenance = Option<Shadow>;

/// Notes that a word of a granule's size was written.
#[inline]
fn note_word(shadow: &mut Provenance, run: usize, at: usize, object: ObjectId) {
    if at.is_multiple_of(GRANULE) {
        let shadow = shadow.get_or_insert_with(|| Shadow::new(run));
        own_slice(&mut shadow.0)[at / GRANULE] = object;
    } else {
        clear(shadow, at, GRANULE);
    }
}

/// Notes that bytes were overwritten by something without provenance.
fn clear(shadow: &mut Provenance, at: usize, length: usize) {
    let Some(shadow) = shadow else { return };
    if length == 0 {
        return;
    }
    let granules = at / GRANULE..(at + length - 1) / GRANULE + 1;
    if shadow.0[granules.clone()].iter().any(|o| !o.is_none()) {
        own_slice(&mut shadow.0)[granules].fill(ObjectId::NONE);
    }
}

/// Where the provenance of copied bytes comes from.
enum Origin<'a> {
    /// The same run.
    Same,
    /// Another one.
    Other(Option<&'a Shadow>),
}

/// Notes that `length` bytes were copied to `at` from `from` of the origin. Pointers are kept if
/// they are copied as a whole to where a pointer can be.
fn transfer(
    shadow: &mut Provenance,
    run: usize,
    at: usize,
    origin: Origin<'_>,
    from: usize,
    length: usize,
) {
    let first = at.div_ceil(GRANULE);
    let end = (at + length) / GRANULE;
    if at % GRANULE != from % GRANULE || first >= end {
        return clear(shadow, at, length);
    }
    let source = from.div_ceil(GRANULE)..from.div_ceil(GRANULE) + (end - first);
    match origin {
        Origin::Same => {
            let Some(shadow) = shadow else { return };
            own_slice(&mut shadow.0).copy_within(source, first);
        }
        Origin::Other(None) => return clear(shadow, at, length),
        Origin::Other(Some(other)) => {
            let objects = &other.0[source];
            if objects.iter().all(|object| object.is_none()) {
                return clear(shadow, at, length);
            }
            let shadow = shadow.get_or_insert_with(|| Shadow::new(run));
            own_slice(&mut shadow.0)[first..end].copy_from_slice(objects);
        }
    }
    // Granules of which only a part was overwritten.
    if !at.is_multiple_of(GRANULE) {
        clear(shadow, at, 1);
    }
    if !(at + length).is_multiple_of(GRANULE) {
        clear(shadow, at + length - 1, 1);
    }
}

/// A page that exists.
#[derive(Clone)]
pub(crate) struct Page {
    bytes: [u8; PAGE],
    shadow: Provenance,
}

/// A node of the tree of pages.
#[derive(Clone)]
pub(crate) enum Node {
    Leaf([Option<Rc<Page>>; FAN]),
    Inner {
        /// What the number of a page is shifted by to give the child.
        shift: u32,
        children: [Option<Rc<Node>>; FAN],
    },
}

impl Node {
    #[cold]
    fn new(shift: u32) -> Self {
        if shift == 0 {
            Node::Leaf(array::from_fn(|_| None))
        } else {
            let children = array::from_fn(|_| None);
            Node::Inner { shift, children }
        }
    }

    /// A root for an object of some size.
    #[cold]
    fn root(size: u64) -> Self {
        let last_page = (size - 1) / PAGE as u64;
        let mut shift = 0;
        while last_page >> shift >= FAN as u64 {
            shift += FAN_BITS;
        }
        Node::new(shift)
    }
}

/// The child of a node on the way to a page.
#[inline(always)]
fn child(page: u64, shift: u32) -> usize {
    // Shifts are small; wrapping only spares the check.
    page.wrapping_shr(shift) as usize % FAN
}

/// The number of the page of an offset, and the place in it.
#[inline(always)]
fn split(offset: u64) -> (u64, usize) {
    (offset / PAGE as u64, (offset % PAGE as u64) as usize)
}

/// The content of an object. Offsets and lengths given to its functions are inside of the object.
#[derive(Clone)]
pub(crate) enum Content {
    /// One buffer, at least as long as the object; a multiple of granules.
    Small { bytes: Rc<[u8]>, shadow: Provenance },
    /// A tree of pages; `None` if no page exists, as in an object of no bytes.
    Paged(Option<Rc<Node>>),
}

/// Bytes that lie together: the buffer or a page.
struct RunMut<'a> {
    bytes: &'a mut [u8],
    shadow: &'a mut Provenance,
}

/// A source of a copy, kept while its object may be written.
pub(crate) enum Piece {
    Small(Rc<[u8]>, Provenance),
    Page(Rc<Page>),
}

/// This many bytes at a place.
#[inline(always)]
fn part<const N: usize>(bytes: &[u8], at: usize) -> &[u8; N] {
    bytes[at..].first_chunk().expect("inside of the run")
}

/// As [`part`], to be changed.
#[inline(always)]
fn part_mut<const N: usize>(bytes: &mut [u8], at: usize) -> &mut [u8; N] {
    bytes[at..].first_chunk_mut().expect("inside of the run")
}

// The lengths that programs use most have a compare each, in their order; a jump through a table
// would cost more than the access.

#[inline(always)]
fn read_word(bytes: &[u8], shadow: &Provenance, at: usize, length: usize) -> Word {
    if length == GRANULE {
        let object = match shadow {
            Some(shadow) if at.is_multiple_of(GRANULE) => shadow.get(at),
            Some(_) | None => ObjectId::NONE,
        };
        let bits = u64::from_le_bytes(*part(bytes, at));
        return Word { bits, object };
    }
    Word::int(if length == 4 {
        u64::from(u32::from_le_bytes(*part(bytes, at)))
    } else if length == 1 {
        u64::from(bytes[at])
    } else {
        read_rare(bytes, at, length)
    })
}

/// Reads a word of any length.
#[inline(never)]
fn read_rare(bytes: &[u8], at: usize, length: usize) -> u64 {
    if length == 2 {
        return u64::from(u16::from_le_bytes(*part(bytes, at)));
    }
    let mut all = [0; 8];
    all[..length].copy_from_slice(&bytes[at..][..length]);
    u64::from_le_bytes(all)
}

#[inline(always)]
fn write_word(bytes: &mut [u8], shadow: &mut Provenance, at: usize, length: usize, value: Word) {
    if length == GRANULE {
        *part_mut(bytes, at) = value.bits.to_le_bytes();
        if shadow.is_some() || !value.object.is_none() {
            note_word(shadow, bytes.len(), at, value.object);
        }
        return;
    }
    if length == 4 {
        *part_mut(bytes, at) = (value.bits as u32).to_le_bytes();
    } else if length == 1 {
        bytes[at] = value.bits as u8;
    } else {
        write_rare(bytes, at, length, value.bits);
    }
    if shadow.is_some() {
        clear(shadow, at, length);
    }
}

/// Writes a word of any length.
#[inline(never)]
fn write_rare(bytes: &mut [u8], at: usize, length: usize, bits: u64) {
    if length == 2 {
        *part_mut(bytes, at) = (bits as u16).to_le_bytes();
    } else {
        bytes[at..][..length].copy_from_slice(&bits.to_le_bytes()[..length]);
    }
}

impl Content {
    /// Zeros in a buffer.
    pub fn zeroed(bytes: usize) -> Self {
        Content::Small {
            bytes: std::iter::repeat_n(0, bytes).collect(),
            shadow: None,
        }
    }

    /// Makes the buffer zero again, if it is one of this many bytes up to some more and nobody
    /// else has it.
    #[inline]
    pub fn zero_again(&mut self, length: usize, at_most: usize) -> bool {
        let Content::Small { bytes, shadow } = self else {
            return false;
        };
        if bytes.len() < length || bytes.len() > at_most {
            return false;
        }
        let Some(all) = Rc::get_mut(bytes) else {
            return false;
        };
        all[..length].fill(0);
        if let Some(Shadow(granules)) = shadow {
            match Rc::get_mut(granules) {
                Some(granules) => granules[..length / GRANULE].fill(ObjectId::NONE),
                None => *shadow = None,
            }
        }
        true
    }

    /// Bytes of the buffer.
    #[inline]
    pub fn buffer_bytes(&self) -> usize {
        match self {
            Content::Small { bytes, .. } => bytes.len(),
            Content::Paged(_) => 0,
        }
    }

    #[inline(always)]
    fn page(&self, page: u64) -> Option<&Rc<Page>> {
        let Content::Paged(root) = self else {
            return None;
        };
        let mut node = root.as_ref()?;
        loop {
            match &**node {
                Node::Leaf(pages) => return pages[page as usize % FAN].as_ref(),
                Node::Inner { shift, children } => node = children[child(page, *shift)].as_ref()?,
            }
        }
    }

    /// A page to be changed, if it exists and it and all nodes above it are not shared.
    #[inline(always)]
    fn page_unshared(root: &mut Option<Rc<Node>>, page: u64) -> Option<&mut Page> {
        let mut node = Rc::get_mut(root.as_mut()?)?;
        loop {
            match node {
                Node::Leaf(pages) => return Rc::get_mut(pages[page as usize % FAN].as_mut()?),
                Node::Inner { shift, children } => {
                    node = Rc::get_mut(children[child(page, *shift)].as_mut()?)?;
                }
            }
        }
    }

    /// A page's entry in the tree; `None` if the tree ends above it.
    fn page_mut(root: &mut Option<Rc<Node>>, page: u64) -> Option<&mut Option<Rc<Page>>> {
        let mut node = own(root.as_mut()?);
        loop {
            match node {
                Node::Leaf(pages) => return Some(&mut pages[page as usize % FAN]),
                Node::Inner { shift, children } => {
                    node = own(children[child(page, *shift)].as_mut()?);
                }
            }
        }
    }

    /// Whether a write at an offset needs a page that does not exist.
    pub fn lacks_page(&self, offset: u64) -> bool {
        match self {
            Content::Small { .. } => false,
            Content::Paged(_) => self.page(offset / PAGE as u64).is_none(),
        }
    }

    /// Makes the page of an offset, which does not exist, in an object of some size.
    pub fn add_page(&mut self, offset: u64, size: u64) {
        let Content::Paged(root) = self else { return };
        let page = offset / PAGE as u64;
        let mut node = own(root.get_or_insert_with(|| Rc::new(Node::root(size))));
        loop {
            match node {
                Node::Leaf(pages) => {
                    pages[page as usize % FAN] = Some(Rc::new(Page {
                        bytes: [0; PAGE],
                        shadow: None,
                    }));
                    return;
                }
                Node::Inner { shift, children } => {
                    let below = *shift - FAN_BITS;
                    let child = &mut children[child(page, *shift)];
                    node = own(child.get_or_insert_with(|| Rc::new(Node::new(below))));
                }
            }
        }
    }

    /// Makes the page of an offset zero by giving it up.
    pub fn remove_page(&mut self, offset: u64) {
        if let Content::Paged(root) = self
            && let Some(page) = Content::page_mut(root, offset / PAGE as u64)
        {
            *page = None;
        }
    }

    /// The word at an offset; `None` if it is in two pages.
    #[inline(always)]
    pub fn load(&self, offset: u64, length: usize) -> Option<Word> {
        match self {
            Content::Small { bytes, shadow } => {
                Some(read_word(bytes, shadow, offset as usize, length))
            }
            Content::Paged(_) => {
                let (page, at) = split(offset);
                if at + length > PAGE {
                    return None;
                }
                Some(match self.page(page) {
                    Some(page) => read_word(&page.bytes, &page.shadow, at, length),
                    None => Word::int(0),
                })
            }
        }
    }

    /// Writes a word; false if it is in two pages, in one that does not exist, or in something
    /// shared.
    #[inline(always)]
    pub fn store(&mut self, offset: u64, length: usize, value: Word) -> bool {
        match self {
            Content::Small { bytes, shadow } => {
                let Some(bytes) = Rc::get_mut(bytes) else {
                    return false;
                };
                write_word(bytes, shadow, offset as usize, length, value);
                true
            }
            Content::Paged(root) => {
                let (page, at) = split(offset);
                if at + length > PAGE {
                    return false;
                }
                let Some(page) = Content::page_unshared(root, page) else {
                    return false;
                };
                write_word(&mut page.bytes, &mut page.shadow, at, length, value);
                true
            }
        }
    }

    /// Makes the run of an offset, which exists, and the way to it this content's own.
    pub fn unshare(&mut self, offset: u64) {
        match self {
            Content::Small { bytes, .. } => {
                own_slice(bytes);
            }
            Content::Paged(root) => {
                let page = Content::page_mut(root, offset / PAGE as u64);
                if let Some(page) = page.and_then(Option::as_mut) {
                    own(page);
                }
            }
        }
    }

    /// How many bytes from an offset on lie together.
    #[inline]
    pub fn run_from(&self, offset: u64) -> u64 {
        match self {
            Content::Small { bytes, .. } => bytes.len() as u64 - offset,
            Content::Paged(_) => PAGE as u64 - offset % PAGE as u64,
        }
    }

    /// How many bytes before an offset, which is not 0, lie together.
    #[inline]
    pub fn run_before(&self, offset: u64) -> u64 {
        match self {
            Content::Small { .. } => offset,
            Content::Paged(_) => (offset - 1) % PAGE as u64 + 1,
        }
    }

    /// The bytes from an offset to the end of its run; `None` if they are zeros in no page.
    #[inline]
    pub fn bytes_from(&self, offset: u64) -> Option<&[u8]> {
        match self {
            Content::Small { bytes, .. } => Some(&bytes[offset as usize..]),
            Content::Paged(_) => {
                let (page, at) = split(offset);
                Some(&self.page(page)?.bytes[at..])
            }
        }
    }

    /// The run of an offset, and the place in it. Its page exists.
    fn run_mut(&mut self, offset: u64) -> (RunMut<'_>, usize) {
        match self {
            Content::Small { bytes, shadow } => {
                let bytes = own_slice(bytes);
                (RunMut { bytes, shadow }, offset as usize)
            }
            Content::Paged(root) => {
                let (page, at) = split(offset);
                let page = Content::page_mut(root, page)
                    .and_then(Option::as_mut)
                    .expect("the page was made before");
                let Page { bytes, shadow } = own(page);
                (RunMut { bytes, shadow }, at)
            }
        }
    }

    /// Writes bytes into one run whose page exists.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let (run, at) = self.run_mut(offset);
        run.bytes[at..][..bytes.len()].copy_from_slice(bytes);
        clear(run.shadow, at, bytes.len());
    }

    /// Writes one byte many times into one run whose page exists.
    pub fn fill(&mut self, offset: u64, byte: u8, length: usize) {
        let (run, at) = self.run_mut(offset);
        run.bytes[at..][..length].fill(byte);
        clear(run.shadow, at, length);
    }

    /// The run of an offset as the source of a copy; `None` if it is zeros in no page.
    pub fn piece(&self, offset: u64) -> Option<Piece> {
        Some(match self {
            Content::Small { bytes, shadow } => Piece::Small(bytes.clone(), shadow.clone()),
            Content::Paged(_) => Piece::Page(self.page(offset / PAGE as u64)?.clone()),
        })
    }

    /// Whether two offsets are in the same run.
    pub fn same_run(&self, a: u64, b: u64) -> bool {
        match self {
            Content::Small { .. } => true,
            Content::Paged(_) => a / PAGE as u64 == b / PAGE as u64,
        }
    }

    /// Copies from a piece, the one of the offset `from` of its object, into one run whose page
    /// exists.
    pub fn copy_from(&mut self, offset: u64, piece: &Piece, from: u64, length: usize) {
        let (bytes, shadow, from) = match piece {
            Piece::Small(bytes, shadow) => (&**bytes, shadow.as_ref(), from as usize),
            Piece::Page(page) => (&page.bytes[..], page.shadow.as_ref(), split(from).1),
        };
        let (run, at) = self.run_mut(offset);
        run.bytes[at..][..length].copy_from_slice(&bytes[from..][..length]);
        if run.shadow.is_some() || shadow.is_some() {
            let bytes = run.bytes.len();
            transfer(run.shadow, bytes, at, Origin::Other(shadow), from, length);
        }
    }

    /// Copies inside of one run whose page exists.
    pub fn copy_within(&mut self, offset: u64, from: u64, length: usize) {
        let distance = offset.wrapping_sub(from);
        let (run, at) = self.run_mut(offset);
        let from = (at as u64).wrapping_sub(distance) as usize;
        run.bytes.copy_within(from..from + length, at);
        let bytes = run.bytes.len();
        transfer(run.shadow, bytes, at, Origin::Same, from, length);
    }
}
