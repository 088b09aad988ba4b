//! A vector that clones share, chunk by chunk.
//!
//! A program forks often and its memory has many objects, so neither a clone nor the first write
//! after it may take time in proportion to the length. The vector is a tree: elements in chunks, 64
//! chunks in a group, and above the groups as many levels of 64 children as the length needs. A clone is
//! one more reference to the root. A write copies the shared nodes on the way to its element: one
//! for each level. Positions stay valid: elements are never moved, the tree grows at the root.
//!
//! The first group, the only one of most vectors, is kept beside the tree: its elements are two
//! steps away, however long the vector is, and the access is inlined.

use std::array;
use std::ops::Range;
use std::rc::Rc;

/// Logarithm of the children of a node.
const FAN_BITS: u32 = 6;

/// Chunks of a group, and children of a node above.
const FAN: usize = 1 << FAN_BITS;

#[cfg(test)]
thread_local! {
    /// How many values were copied because they were shared.
    pub(crate) static COPIES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Makes a reference the only one to its value, and returns the value. As [`Rc::make_mut`], with the
/// copy outside of the inlined usual case.
#[inline(always)]
pub(crate) fn make_unique<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    #[cold]
    #[inline(never)]
    fn detach<T: Clone>(shared: &mut Rc<T>) {
        #[cfg(test)]
        COPIES.set(COPIES.get() + 1);
        Rc::make_mut(shared);
    }
    if Rc::strong_count(shared) != 1 {
        detach(shared);
    }
    Rc::get_mut(shared).expect("there are no weak references")
}

/// [`own`] for slices.
#[inline(always)]
pub(crate) fn make_unique_slice<T: Clone>(shared: &mut Rc<[T]>) -> &mut [T] {
    #[cold]
    #[inline(never)]
    fn detach<T: Clone>(shared: &mut Rc<[T]>) {
        #[cfg(test)]
        COPIES.set(COPIES.get() + 1);
        Rc::make_mut(shared);
    }
    if Rc::strong_count(shared) != 1 {
        detach(shared);
    }
    Rc::get_mut(shared).expect("there are no weak references")
}

/// Chunks side by side. All chunks that were never used are one and the same, which is shared until it
/// is written like any other; so every chunk exists, and an access need not test for it.
type Group<T, const N: usize> = [Rc<[T; N]>; FAN];

/// A node above groups.
#[derive(Clone)]
enum Inner<T, const N: usize> {
    /// Right above them.
    Low([Option<Rc<Group<T, N>>>; FAN]),
    High {
        /// What the number of a group is shifted by to give the child.
        shift: u32,
        children: [Option<Rc<Inner<T, N>>>; FAN],
    },
}

impl<T, const N: usize> Inner<T, N> {
    /// A node without children.
    fn new(shift: u32) -> Self {
        if shift == 0 {
            Inner::Low(array::from_fn(|_| None))
        } else {
            let children = array::from_fn(|_| None);
            Inner::High { shift, children }
        }
    }

    fn shift(&self) -> u32 {
        match self {
            Inner::Low(_) => 0,
            Inner::High { shift, .. } => *shift,
        }
    }
}

/// The child of a node on the way to a group.
#[inline(always)]
fn child(group: usize, shift: u32) -> usize {
    // Shifts are small; wrapping only spares the check.
    group.wrapping_shr(shift) % FAN
}

/// A group of unused elements.
#[cold]
#[inline(never)]
fn fresh<T: Default, const N: usize>() -> Rc<Group<T, N>> {
    let unused = Rc::new(array::from_fn(|_| T::default()));
    Rc::new(array::from_fn(|_| Rc::clone(&unused)))
}

/// A vector in shared chunks of `N` elements.
#[derive(Clone)]
pub(crate) struct Chunked<T, const N: usize> {
    /// The first group.
    first: Rc<Group<T, N>>,
    /// The other groups, if there are more.
    others: Option<Rc<Inner<T, N>>>,
    length: usize,
}

impl<T: Clone + Default, const N: usize> Chunked<T, N> {
    pub fn new() -> Self {
        Chunked {
            first: fresh(),
            others: None,
            length: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    /// The element of a position; a position past the end may give an unused element.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        Some(&self.chunk(index)?[index % N])
    }

    #[inline(always)]
    fn chunk(&self, index: usize) -> Option<&[T; N]> {
        match self.first.get(index / N) {
            Some(chunk) => Some(chunk),
            None => self.far_chunk(index / N),
        }
    }

    /// Whether the chunk of a position is one and the same in both.
    pub fn shares(&self, other: &Self, index: usize) -> bool {
        match (self.chunk(index), other.chunk(index)) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether both have the same elements. Shared chunks are not compared.
    pub fn equal(&self, other: &Self) -> bool
    where
        T: PartialEq,
    {
        let same = |first: usize| {
            let chunk = first..self.length.min(first + N);
            self.shares(other, first) || chunk.into_iter().all(|i| self.get(i) == other.get(i))
        };
        self.length == other.length && (0..self.length).step_by(N).all(same)
    }

    #[inline(never)]
    fn far_chunk(&self, chunk: usize) -> Option<&[T; N]> {
        let mut node = self.others.as_ref()?;
        let group = chunk / FAN;
        if group >> node.shift() >= FAN {
            return None;
        }
        loop {
            match &**node {
                Inner::Low(groups) => {
                    return Some(&groups[group % FAN].as_ref()?[chunk % FAN]);
                }
                Inner::High { shift, children } => {
                    node = children[child(group, *shift)].as_ref()?;
                }
            }
        }
    }

    /// As [`get`](Self::get), to be changed; `None` also if something on the way is shared.
    #[inline(always)]
    pub fn get_unshared(&mut self, index: usize) -> Option<&mut T> {
        let chunk = if index / N < FAN {
            &mut Rc::get_mut(&mut self.first)?[index / N]
        } else {
            self.far_chunk_unshared(index / N)?
        };
        Some(&mut Rc::get_mut(chunk)?[index % N])
    }

    #[inline(never)]
    fn far_chunk_unshared(&mut self, chunk: usize) -> Option<&mut Rc<[T; N]>> {
        let mut node = Rc::get_mut(self.others.as_mut()?)?;
        let group = chunk / FAN;
        if group >> node.shift() >= FAN {
            return None;
        }
        loop {
            match node {
                Inner::Low(groups) => {
                    let group = Rc::get_mut(groups[group % FAN].as_mut()?)?;
                    return Some(&mut group[chunk % FAN]);
                }
                Inner::High { shift, children } => {
                    node = Rc::get_mut(children[child(group, *shift)].as_mut()?)?;
                }
            }
        }
    }

    /// The element of a position for which there is room, to be changed.
    #[inline(always)]
    pub fn at_mut(&mut self, index: usize) -> &mut T {
        let chunk = if index / N < FAN {
            &mut make_unique(&mut self.first)[index / N]
        } else {
            self.far_chunk_mut(index / N)
        };
        &mut make_unique(chunk)[index % N]
    }

    #[inline(never)]
    fn far_chunk_mut(&mut self, chunk: usize) -> &mut Rc<[T; N]> {
        let mut node = make_unique(self.others.as_mut().expect("a position with room"));
        let group = chunk / FAN;
        loop {
            match node {
                Inner::Low(groups) => {
                    let group = make_unique(groups[group % FAN].get_or_insert_with(fresh));
                    return &mut group[chunk % FAN];
                }
                Inner::High { shift, children } => {
                    let below = *shift - FAN_BITS;
                    let child = &mut children[child(group, *shift)];
                    node = make_unique(child.get_or_insert_with(|| Rc::new(Inner::new(below))));
                }
            }
        }
    }

    /// Puts an element after the last one.
    #[inline]
    pub fn push(&mut self, element: T) {
        let index = self.length;
        if index / N >= FAN {
            self.make_room(index / N / FAN);
        }
        self.length += 1;
        *self.at_mut(index) = element;
    }

    /// Puts roots above the root until a group has a place.
    #[inline(never)]
    fn make_room(&mut self, group: usize) {
        let root = self.others.get_or_insert_with(|| Rc::new(Inner::new(0)));
        while group >> root.shift() >= FAN {
            let mut above = Inner::new(root.shift() + FAN_BITS);
            if let Inner::High { children, .. } = &mut above {
                children[0] = Some(root.clone());
            }
            *root = Rc::new(above);
        }
    }

    /// Forgets the elements from a position on. Their chunks stay for later ones.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// The first position in a range whose element is not `before`, if all that are come first.
    pub fn partition_point_in(&self, range: Range<usize>, before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(&before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.length)
            .step_by(N)
            .filter_map(|first| self.chunk(first))
            .flat_map(|chunk| chunk.iter())
            .take(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many values something copies.
    fn copies(run: impl FnOnce()) -> usize {
        let before = COPIES.get();
        run();
        COPIES.get() - before
    }

    #[test]
    fn a_write_after_a_clone_copies_a_node_for_each_level() {
        for (length, levels) in [(10, 2), (4096, 2), (4097, 3), (1 << 18, 3), (4 << 20, 4)] {
            let mut vector: Chunked<u32, 64> = Chunked::new();
            for element in 0..length {
                vector.push(element);
            }
            let last = length as usize - 1;
            let mut other = vector.clone();
            assert_eq!(copies(|| drop(vector.clone())), 0);
            assert_eq!(copies(|| *other.at_mut(last) += 1), levels);
            assert_eq!(copies(|| *other.at_mut(last) += 1), 0);
            assert_eq!(vector.get(last), Some(&(length - 1)));
            assert_eq!(other.get(last), Some(&(length + 1)));
            assert!(vector.iter().copied().eq(0..length));
            assert_eq!(vector.get_unshared(last), Some(&mut (length - 1)));
        }
    }

    #[test]
    fn positions_that_never_were() {
        let mut vector: Chunked<u32, 4> = Chunked::new();
        assert_eq!(vector.get(0), Some(&0));
        for length in 1..=40_000 {
            vector.push(length);
            if length.is_power_of_two() {
                for index in [4 << 6, 4 << 12, 4 << 18, 4 << 24, usize::MAX] {
                    assert!(index < length as usize || vector.get(index).is_none());
                    let unused = vector.get_unshared(index).is_none();
                    assert!(index < length as usize || unused);
                }
            }
        }
        vector.truncate(7);
        vector.push(1);
        assert!(vector.iter().eq(&[1, 2, 3, 4, 5, 6, 7, 1]));
    }
}
