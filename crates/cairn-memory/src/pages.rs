//! Trees of pages: what large objects are made of.
//!
//! Pages and nodes of the tree are shared by clones and copied when written, so that a write after
//! a clone costs a page and the way to it at most. What was never put into a tree does not exist
//! there; what that means is up to the owner.

use crate::chunked::make_unique;
use crate::shadow::Provenance;
use std::array;
use std::rc::Rc;

/// Bytes of a page, and of the largest object in one buffer.
pub(crate) const PAGE: usize = 4096;

/// Logarithm of the children of a node.
const FAN_BITS: u32 = 8;

/// Children of a node.
const FAN: usize = 1 << FAN_BITS;

/// A page of known bytes.
#[derive(Clone)]
pub(crate) struct Page {
    pub bytes: [u8; PAGE],
    pub shadow: Provenance,
}

impl Page {
    /// A page of zeros.
    pub fn zeroed() -> Rc<Self> {
        Rc::new(Page {
            bytes: [0; PAGE],
            shadow: None,
        })
    }
}

/// A node of a tree of pages.
#[derive(Clone)]
pub(crate) enum PageNode<P> {
    Leaf([Option<Rc<P>>; FAN]),
    Inner {
        /// What the number of a page is shifted by to give the child.
        shift: u32,
        children: [Option<Rc<PageNode<P>>>; FAN],
    },
}

impl<P> PageNode<P> {
    #[cold]
    fn new(shift: u32) -> Self {
        if shift == 0 {
            PageNode::Leaf(array::from_fn(|_| None))
        } else {
            let children = array::from_fn(|_| None);
            PageNode::Inner { shift, children }
        }
    }

    /// A root for an object of some size.
    #[cold]
    fn root(size: u64) -> Self {
        PageNode::new(root_shift(size))
    }
}

/// What the numbers of pages are shifted by at the root of an object of some size.
fn root_shift(size: u64) -> u32 {
    let last_page = (size - 1) / PAGE as u64;
    let mut shift = 0;
    while last_page >> shift >= FAN as u64 {
        shift += FAN_BITS;
    }
    shift
}

/// The child of a node on the way to a page.
#[inline(always)]
fn child(page: u64, shift: u32) -> usize {
    // Shifts are small; wrapping only spares the check.
    page.wrapping_shr(shift) as usize % FAN
}

/// The number of the page of an offset, and the place in it.
#[inline(always)]
pub(crate) fn split(offset: u64) -> (u64, usize) {
    (offset / PAGE as u64, (offset % PAGE as u64) as usize)
}

/// How many bytes of a page belong to an object of some size.
pub(crate) fn page_length(page: u64, size: u64) -> u32 {
    (size - page * PAGE as u64).min(PAGE as u64) as u32
}

/// Pages by number; nothing at all if none was ever put in.
#[derive(Clone)]
pub(crate) struct PageTree<P>(Option<Rc<PageNode<P>>>);

impl<P: Clone> PageTree<P> {
    /// A tree without pages.
    pub const EMPTY: Self = PageTree(None);

    /// Whether two trees are one.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    #[inline(always)]
    pub fn get(&self, page: u64) -> Option<&Rc<P>> {
        let mut node = self.0.as_ref()?;
        loop {
            match &**node {
                PageNode::Leaf(pages) => return pages[page as usize % FAN].as_ref(),
                PageNode::Inner { shift, children } => {
                    node = children[child(page, *shift)].as_ref()?
                }
            }
        }
    }

    /// A page to be changed, if it exists and it and all nodes above it are not shared.
    #[inline(always)]
    pub fn get_unshared(&mut self, page: u64) -> Option<&mut P> {
        let mut node = Rc::get_mut(self.0.as_mut()?)?;
        loop {
            match node {
                PageNode::Leaf(pages) => return Rc::get_mut(pages[page as usize % FAN].as_mut()?),
                PageNode::Inner { shift, children } => {
                    node = Rc::get_mut(children[child(page, *shift)].as_mut()?)?;
                }
            }
        }
    }

    /// A page to be changed, if it exists; it and the way to it become this tree's own. To be
    /// asked for if the page is known to exist: the way is copied in any case.
    pub fn get_mut(&mut self, page: u64) -> Option<&mut P> {
        Some(make_unique(self.entry(page)?.as_mut()?))
    }

    /// A page's entry; `None` if the tree ends above it.
    fn entry(&mut self, page: u64) -> Option<&mut Option<Rc<P>>> {
        let mut node = make_unique(self.0.as_mut()?);
        loop {
            match node {
                PageNode::Leaf(pages) => return Some(&mut pages[page as usize % FAN]),
                PageNode::Inner { shift, children } => {
                    node = make_unique(children[child(page, *shift)].as_mut()?);
                }
            }
        }
    }

    /// Puts a page into the tree of an object of some size.
    pub fn insert(&mut self, page: u64, size: u64, added: Rc<P>) {
        let mut node = make_unique(self.0.get_or_insert_with(|| Rc::new(PageNode::root(size))));
        loop {
            match node {
                PageNode::Leaf(pages) => {
                    pages[page as usize % FAN] = Some(added);
                    return;
                }
                PageNode::Inner { shift, children } => {
                    let below = *shift - FAN_BITS;
                    let child = &mut children[child(page, *shift)];
                    node = make_unique(child.get_or_insert_with(|| Rc::new(PageNode::new(below))));
                }
            }
        }
    }

    /// Makes room for the pages of an object of some size.
    pub fn grow(&mut self, size: u64) {
        let Some(root) = &mut self.0 else {
            return;
        };
        let needed = root_shift(size);
        loop {
            let shift = match &**root {
                PageNode::Leaf(_) => 0,
                PageNode::Inner { shift, .. } => *shift,
            };
            if shift >= needed {
                return;
            }
            let mut children = array::from_fn(|_| None);
            children[0] = Some(root.clone());
            *root = Rc::new(PageNode::Inner {
                shift: shift + FAN_BITS,
                children,
            });
        }
    }

    /// Takes a page out, if it exists.
    pub fn remove(&mut self, page: u64) -> Option<Rc<P>> {
        self.get(page)?;
        self.entry(page)?.take()
    }
}
