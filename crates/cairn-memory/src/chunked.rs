//! A vector that clones share, chunk by chunk.
//!
//! A clone copies one pointer for each chunk; the first write to a chunk afterwards copies that
//! chunk. Positions stay valid: elements are never moved.

use std::array;
use std::rc::Rc;

/// The one value of a reference that is not shared any more afterwards. As [`Rc::make_mut`], with
/// the copy out of the way of the usual case.
#[inline(always)]
pub(crate) fn own<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    #[cold]
    #[inline(never)]
    fn detach<T: Clone>(shared: &mut Rc<T>) {
        Rc::make_mut(shared);
    }
    if Rc::strong_count(shared) != 1 {
        detach(shared);
    }
    Rc::get_mut(shared).expect("there are no weak references")
}

/// [`own`] for slices.
#[inline(always)]
pub(crate) fn own_slice<T: Clone>(shared: &mut Rc<[T]>) -> &mut [T] {
    #[cold]
    #[inline(never)]
    fn detach<T: Clone>(shared: &mut Rc<[T]>) {
        Rc::make_mut(shared);
    }
    if Rc::strong_count(shared) != 1 {
        detach(shared);
    }
    Rc::get_mut(shared).expect("there are no weak references")
}

/// A vector in shared chunks of `N` elements.
#[derive(Clone)]
pub(crate) struct Chunked<T, const N: usize> {
    chunks: Vec<Rc<[T; N]>>,
    length: usize,
}

impl<T: Clone + Default, const N: usize> Chunked<T, N> {
    pub fn new() -> Self {
        Chunked {
            chunks: Vec::new(),
            length: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    /// The element of a position; a position behind the end may give an unused element.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        Some(&self.chunks.get(index / N)?[index % N])
    }

    /// As [`get`](Self::get), to be changed; `None` also if the chunk is shared.
    #[inline(always)]
    pub fn get_unshared(&mut self, index: usize) -> Option<&mut T> {
        Some(&mut Rc::get_mut(self.chunks.get_mut(index / N)?)?[index % N])
    }

    /// The element of a position below the length, to be changed.
    #[inline(always)]
    pub fn at_mut(&mut self, index: usize) -> &mut T {
        &mut own(&mut self.chunks[index / N])[index % N]
    }

    /// Puts an element behind the last one.
    #[inline]
    pub fn push(&mut self, element: T) {
        if self.length == self.chunks.len() * N {
            self.grow();
        }
        let index = self.length;
        self.length += 1;
        *self.at_mut(index) = element;
    }

    #[cold]
    fn grow(&mut self) {
        self.chunks.push(Rc::new(array::from_fn(|_| T::default())));
    }

    /// Forgets the elements from a position on. Their chunks stay for later ones.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.iter())
            .take(self.length)
    }
}
