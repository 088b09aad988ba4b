//! A map that shares its structure with the maps it was made from.

use smallvec::SmallVec;
use std::rc::Rc;

/// Bits of the key that choose a branch at each level.
const DIGIT: u32 = 3;

/// Mixes a number. Each step can be undone, so different keys stay different; there are two
/// multiplications because sums of the results are used, and after one of them the sums of births
/// would still show through.
pub(in crate::layers) fn scramble(key: u64) -> u64 {
    let k = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let k = (k ^ (k >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    k ^ (k >> 31)
}

/// A map from numbers that shares its structure with the maps it was made from.
///
/// A trie over the scrambled key. Nothing is ever removed, so the shape depends on the keys alone
/// and equal key sets have equal shapes. Its depth is at most 64 / 3, so recursion in its
/// destructor is harmless.
pub(in crate::layers) struct PersistentMap<V> {
    root: Option<Rc<Trie<V>>>,
    len: usize,
}

enum Trie<V> {
    Leaf {
        path: u64,
        value: V,
    },
    /// `below` holds a subtrie for each bit of `present`, lowest first.
    Branch {
        present: u8,
        below: SmallVec<[Rc<Trie<V>>; 4]>,
    },
}

fn digit_bit(path: u64, shift: u32) -> u8 {
    1 << ((path >> shift) & ((1 << DIGIT) - 1))
}

fn position(present: u8, bit: u8) -> usize {
    (present & (bit - 1)).count_ones() as usize
}

impl<V> Clone for PersistentMap<V> {
    fn clone(&self) -> Self {
        PersistentMap {
            root: self.root.clone(),
            len: self.len,
        }
    }
}

impl<V> Default for PersistentMap<V> {
    fn default() -> Self {
        PersistentMap { root: None, len: 0 }
    }
}

impl<V> PersistentMap<V> {
    pub(in crate::layers) fn len(&self) -> usize {
        self.len
    }

    pub(in crate::layers) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether two maps are the same structure: a sufficient test for equality.
    pub(in crate::layers) fn same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    pub(in crate::layers) fn get(&self, key: u64) -> Option<&V> {
        let wanted = scramble(key);
        let mut at = self.root.as_ref()?;
        let mut shift = 0;
        loop {
            match &**at {
                Trie::Leaf { path, value } => return (*path == wanted).then_some(value),
                Trie::Branch { present, below } => {
                    let bit = digit_bit(wanted, shift);
                    if present & bit == 0 {
                        return None;
                    }
                    at = &below[position(*present, bit)];
                    shift += DIGIT;
                }
            }
        }
    }

    /// Puts a value in place, copying the branches above it.
    pub(in crate::layers) fn insert(&mut self, key: u64, value: V) {
        let path = scramble(key);
        let leaf = Rc::new(Trie::Leaf { path, value });
        let Some(root) = &self.root else {
            self.root = Some(leaf);
            self.len = 1;
            return;
        };
        let mut trail: SmallVec<[(Rc<Trie<V>>, usize); 8]> = SmallVec::new();
        let mut at = Rc::clone(root);
        let mut shift = 0;
        let mut made = loop {
            let next = match &*at {
                Trie::Leaf { path: other, .. } if *other == path => break leaf,
                Trie::Leaf { path: other, .. } => {
                    self.len += 1;
                    break fork(Rc::clone(&at), *other, leaf, path, shift);
                }
                Trie::Branch { present, below } => {
                    let bit = digit_bit(path, shift);
                    let place = position(*present, bit);
                    if present & bit == 0 {
                        self.len += 1;
                        let mut below = below.clone();
                        below.insert(place, leaf);
                        let present = present | bit;
                        break Rc::new(Trie::Branch { present, below });
                    }
                    (Rc::clone(&below[place]), place)
                }
            };
            trail.push((at, next.1));
            at = next.0;
            shift += DIGIT;
        };
        while let Some((branch, place)) = trail.pop() {
            if let Trie::Branch { present, below } = &*branch {
                let (present, mut below) = (*present, below.clone());
                below[place] = made;
                made = Rc::new(Trie::Branch { present, below });
            }
        }
        self.root = Some(made);
    }

    /// The values, in an order that depends on the keys alone.
    pub(in crate::layers) fn values(&self) -> impl Iterator<Item = &V> {
        let mut stack: Vec<&Rc<Trie<V>>> = self.root.iter().collect();
        std::iter::from_fn(move || {
            loop {
                match &**stack.pop()? {
                    Trie::Leaf { value, .. } => return Some(value),
                    Trie::Branch { below, .. } => stack.extend(below.iter().rev()),
                }
            }
        })
    }

    /// Whether both have the same keys with equal values. Shared parts are not compared.
    pub(in crate::layers) fn equal(&self, other: &Self) -> bool
    where
        V: PartialEq,
    {
        if self.len != other.len {
            return false;
        }
        let mut work: Vec<_> = self.root.iter().zip(other.root.iter()).collect();
        while let Some((a, b)) = work.pop() {
            if Rc::ptr_eq(a, b) {
                continue;
            }
            match (&**a, &**b) {
                (Trie::Leaf { path: p, value: v }, Trie::Leaf { path: q, value: w }) => {
                    if p != q || v != w {
                        return false;
                    }
                }
                (
                    Trie::Branch {
                        present: p,
                        below: v,
                    },
                    Trie::Branch {
                        present: q,
                        below: w,
                    },
                ) => {
                    if p != q {
                        return false;
                    }
                    work.extend(v.iter().zip(w.iter()));
                }
                (Trie::Leaf { .. }, Trie::Branch { .. })
                | (Trie::Branch { .. }, Trie::Leaf { .. }) => return false,
            }
        }
        true
    }
}

/// Two leaves with different keys under a chain of branches as long as their keys agree.
fn fork<V>(a: Rc<Trie<V>>, p: u64, b: Rc<Trie<V>>, q: u64, from: u32) -> Rc<Trie<V>> {
    let mut shift = from;
    while digit_bit(p, shift) == digit_bit(q, shift) {
        shift += DIGIT;
    }
    let (x, y) = (digit_bit(p, shift), digit_bit(q, shift));
    let below = if x < y { [a, b] } else { [b, a] };
    let mut made = Rc::new(Trie::Branch {
        present: x | y,
        below: below.into_iter().collect(),
    });
    while shift > from {
        shift -= DIGIT;
        made = Rc::new(Trie::Branch {
            present: digit_bit(p, shift),
            below: [made].into_iter().collect(),
        });
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(11);
        *state >> 33
    }

    #[test]
    fn the_persistent_map_is_a_map_and_old_versions_stay() {
        let mut state = 7;
        let mut map: PersistentMap<u64> = PersistentMap::default();
        let mut plain: BTreeMap<u64, u64> = BTreeMap::new();
        let mut versions = Vec::new();
        for step in 0..3000 {
            let key = match next(&mut state) % 3 {
                0 => next(&mut state) % 64,
                1 => next(&mut state) << 40,
                _ => u64::MAX - next(&mut state) % 500,
            };
            map.insert(key, step);
            plain.insert(key, step);
            assert_eq!(map.len(), plain.len());
            if step % 500 == 0 {
                versions.push((map.clone(), plain.clone()));
            }
        }
        versions.push((map, plain));
        for (map, plain) in versions {
            for (k, v) in &plain {
                assert_eq!(map.get(*k), Some(v));
            }
            assert_eq!(map.get(1 << 50 | 3), None);
            let mut values: Vec<u64> = map.values().copied().collect();
            values.sort_unstable();
            let mut expected: Vec<u64> = plain.values().copied().collect();
            expected.sort_unstable();
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn equal_maps_are_equal_in_whatever_order_they_were_filled() {
        let fill = |keys: &mut dyn Iterator<Item = u64>| {
            let mut map: PersistentMap<u64> = PersistentMap::default();
            keys.for_each(|k| map.insert(k, k));
            map
        };
        let up = fill(&mut (0..500));
        let down = fill(&mut (0..500).rev());
        assert!(up.equal(&down) && down.equal(&up));
        let other = fill(&mut (1..501));
        assert!(!up.equal(&other));
        assert!(!up.equal(&fill(&mut (0..499))));
    }
}
