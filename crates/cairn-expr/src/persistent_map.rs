//! A map that shares its structure with the maps it was made from.

use smallvec::SmallVec;
use std::rc::Rc;

/// Bits of the key that choose a branch at each level.
const DIGIT: u32 = 3;

/// Mixes a number. Each step can be undone, so different keys stay different; there are two
/// multiplications because sums of the results are used, and after one of them the sums of births
/// would still show through.
#[inline]
pub fn scramble(key: u64) -> u64 {
    let k = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let k = (k ^ (k >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    k ^ (k >> 31)
}

/// A map from numbers that shares its structure with the maps it was made from.
///
/// A trie over the scrambled key. Nothing is ever removed, so the shape depends on the keys alone
/// and equal key sets have equal shapes. Its depth is at most 64 / 3, so recursion in its
/// destructor is harmless.
pub struct PersistentMap<V> {
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
        below: Subtries<V>,
    },
}

/// The subtries of a branch.
type Subtries<V> = SmallVec<[Rc<Trie<V>>; 4]>;

#[inline]
fn digit_bit(path: u64, shift: u32) -> u8 {
    1 << ((path >> shift) & ((1 << DIGIT) - 1))
}

#[inline]
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
    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether two maps are the same structure: a sufficient test for equality.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<&V> {
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

    /// Puts a value in place. Branches above it that other maps share are copied.
    pub fn insert(&mut self, key: u64, value: V) {
        self.insert_at(scramble(key), value);
    }

    /// The same for a key that is scrambled already.
    fn insert_at(&mut self, path: u64, value: V) {
        let leaf = Rc::new(Trie::Leaf { path, value });
        let Some(mut at) = self.root.as_mut() else {
            self.root = Some(leaf);
            self.len = 1;
            return;
        };
        let mut shift = 0;
        loop {
            if let Trie::Leaf { path: other, .. } = &**at {
                let other = *other;
                if other == path {
                    *at = leaf;
                } else {
                    self.len += 1;
                    *at = fork(Rc::clone(at), other, leaf, path, shift);
                }
                return;
            }
            let (present, below) = own_branch(at).expect("what is no leaf is a branch");
            let bit = digit_bit(path, shift);
            let place = position(*present, bit);
            if *present & bit == 0 {
                self.len += 1;
                below.insert(place, leaf);
                *present |= bit;
                return;
            }
            at = &mut below[place];
            shift += DIGIT;
        }
    }

    /// The value of a key, to be changed. What other maps share is copied.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut V>
    where
        V: Clone,
    {
        self.get(key)?;
        let wanted = scramble(key);
        let mut at = self.root.as_mut()?;
        let mut shift = 0;
        while let Trie::Branch { .. } = &**at {
            let (present, below) = own_branch(at)?;
            let bit = digit_bit(wanted, shift);
            at = &mut below[position(*present, bit)];
            shift += DIGIT;
        }
        if Rc::get_mut(at).is_none()
            && let Trie::Leaf { path, value } = &**at
        {
            let (path, value) = (*path, value.clone());
            *at = Rc::new(Trie::Leaf { path, value });
        }
        match Rc::get_mut(at)? {
            Trie::Leaf { value, .. } => Some(value),
            Trie::Branch { .. } => None,
        }
    }

    /// Calls back for each key whose leaf the two maps do not share, with what each has for it. Takes time in
    /// the number of those, if one map was made from the other or both from a third.
    pub fn differing<'a>(
        &'a self,
        other: &'a Self,
        mut found: impl FnMut(Option<&'a V>, Option<&'a V>),
    ) {
        let mut work: SmallVec<[Pair<'a, V>; 16]> = SmallVec::new();
        work.push((self.root.as_ref(), other.root.as_ref(), 0));
        while let Some((a, b, shift)) = work.pop() {
            match (a, b) {
                (None, None) => {}
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
                (a, b) if is_branch(a) || is_branch(b) => {
                    let mut bits = below_bits(a, shift) | below_bits(b, shift);
                    while bits != 0 {
                        let bit = bits & bits.wrapping_neg();
                        bits ^= bit;
                        work.push((child(a, bit, shift), child(b, bit, shift), shift + DIGIT));
                    }
                }
                (a, b) => match (leaf(a), leaf(b)) {
                    (Some((p, v)), Some((q, w))) if p == q => found(Some(v), Some(w)),
                    (a, b) => {
                        if let Some((_, v)) = a {
                            found(Some(v), None);
                        }
                        if let Some((_, w)) = b {
                            found(None, Some(w));
                        }
                    }
                },
            }
        }
    }

    /// Adds the keys of another map. Where both have one and do not share its leaf, `both` says what becomes of its
    /// values; if it says nothing the maps cannot be one. Whether they could; otherwise nothing has changed. Takes time
    /// as [`differing`](Self::differing).
    pub fn join(&mut self, other: &Self, mut both: impl FnMut(&V, &V) -> Option<V>) -> bool
    where
        V: Clone,
    {
        let mut added: Vec<(u64, V)> = Vec::new();
        let mut work: SmallVec<[Pair<'_, V>; 16]> = SmallVec::new();
        work.push((self.root.as_ref(), other.root.as_ref(), 0));
        while let Some((a, b, shift)) = work.pop() {
            match (a, b) {
                (_, None) => {}
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
                (a, b) if is_branch(a) || is_branch(b) => {
                    let mut bits = below_bits(b, shift);
                    while bits != 0 {
                        let bit = bits & bits.wrapping_neg();
                        bits ^= bit;
                        work.push((child(a, bit, shift), child(b, bit, shift), shift + DIGIT));
                    }
                }
                (a, b) => match (leaf(a), leaf(b)) {
                    (Some((p, v)), Some((q, w))) if p == q => match both(v, w) {
                        Some(joined) => added.push((q, joined)),
                        None => return false,
                    },
                    (_, Some((q, w))) => added.push((q, w.clone())),
                    (_, None) => {}
                },
            }
        }
        drop(work);
        for (path, value) in added {
            self.insert_at(path, value);
        }
        true
    }

    /// The values, in an order that depends on the keys alone.
    pub fn values(&self) -> impl Iterator<Item = &V> {
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
    pub fn equal(&self, other: &Self) -> bool
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

/// What two maps have at a place of the trie, and how many bits of keys were used up to there.
type Pair<'a, V> = (Link<'a, V>, Link<'a, V>, u32);
type Link<'a, V> = Option<&'a Rc<Trie<V>>>;

/// Makes a branch this map's own.
fn own_branch<V>(at: &mut Rc<Trie<V>>) -> Option<(&mut u8, &mut Subtries<V>)> {
    if Rc::get_mut(at).is_none()
        && let Trie::Branch { present, below } = &**at
    {
        let (present, below) = (*present, below.clone());
        *at = Rc::new(Trie::Branch { present, below });
    }
    match Rc::get_mut(at)? {
        Trie::Branch { present, below } => Some((present, below)),
        Trie::Leaf { .. } => None,
    }
}

/// The digits for which there is something below a place.
fn below_bits<V>(at: Link<'_, V>, shift: u32) -> u8 {
    match at.map(|at| &**at) {
        Some(Trie::Branch { present, .. }) => *present,
        Some(Trie::Leaf { path, .. }) => digit_bit(*path, shift),
        None => 0,
    }
}

fn is_branch<V>(at: Link<'_, V>) -> bool {
    at.is_some_and(|at| matches!(**at, Trie::Branch { .. }))
}

fn leaf<V>(at: Link<'_, V>) -> Option<(u64, &V)> {
    match &**at? {
        Trie::Leaf { path, value } => Some((*path, value)),
        Trie::Branch { .. } => None,
    }
}

/// What is below a place for a digit. A leaf stands for the branches above which it could be.
fn child<V>(at: Link<'_, V>, bit: u8, shift: u32) -> Link<'_, V> {
    match &**at? {
        Trie::Branch { present, below } => {
            (present & bit != 0).then(|| &below[position(*present, bit)])
        }
        Trie::Leaf { path, .. } => at.filter(|_| digit_bit(*path, shift) == bit),
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
    fn what_differs_between_two_maps_is_found_with_both_values() {
        let mut state = 3;
        let mut a: PersistentMap<u64> = PersistentMap::default();
        for _ in 0..400 {
            a.insert(next(&mut state) % 700, 0);
        }
        for changes in [0, 1, 5, 300] {
            let (mut b, mut c) = (a.clone(), a.clone());
            for step in 1..=changes {
                b.insert(next(&mut state) % 900, step);
                c.insert(next(&mut state) % 900, 1000 + step);
                if let Some(value) = c.get_mut(next(&mut state) % 700) {
                    *value += 5000;
                }
            }
            let own = PersistentMap::default();
            for (x, y) in [(&a, &b), (&b, &a), (&b, &c), (&a, &own), (&own, &c)] {
                let mut seen = Vec::new();
                x.differing(y, |v, w| seen.push((v.copied(), w.copied())));
                let mut expected = Vec::new();
                for key in 0..900 {
                    let both = (x.get(key).copied(), y.get(key).copied());
                    if both.0 != both.1 {
                        expected.push(both);
                    }
                }
                // A value that was replaced by an equal one may be listed.
                seen.retain(|(v, w)| v != w);
                seen.sort_unstable();
                expected.sort_unstable();
                assert_eq!(seen, expected);
            }
        }
        assert!(
            a.values().all(|v| *v == 0),
            "copies do not change the first"
        );
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
