//! The provenance of the pointers in a run of bytes.
//!
//! Provenance is kept for granules of 8 bytes, in a shadow that exists only once a pointer with
//! provenance was stored. A pointer that is not aligned to its width loses it, and so does one of
//! which a part is overwritten; the pointer is then found again by its address. Which bytes are parts
//! of addresses stays known: a granule has an object, or a set of its bytes ([`ObjectId`]).
//!
//! A granule has room for one pointer of 8 bytes. If pointers have 4 bytes, a granule has the set only,
//! and after the granules stands the object of each half of one: so what looks at granules alone is the
//! same code for both widths, and costs the same.
//!
//! - *Invariant:* the shadow of pointers of 8 bytes has an even number of entries, because runs are
//!   multiples of 16 bytes; that of pointers of 4 bytes has one more than three for each granule, which
//!   is odd.
//! - *Invariant:* a half that has an object has all its bytes in its granule's set.
//! - *Invariant:* granules of halves are never objects, and have a mark ([`ObjectId::of_halves`]) if the set
//!   is not empty: a word of 8 bytes that has the same set must not count as what is there already.

use crate::chunked::make_unique_slice;
use crate::{ObjectId, PointerWidth};
use std::rc::Rc;

/// Bytes that have a provenance of their own.
pub(crate) const GRANULE: usize = 8;

/// Bytes of a narrow pointer, which is half a granule.
const HALF: usize = PointerWidth::Four.bytes() as usize;

/// What a shadow is made for: a run of this many bytes, with pointers of a width.
#[derive(Clone, Copy)]
pub(crate) struct ShadowShape<'a> {
    pub run: usize,
    pub pointer: &'a PointerWidth,
}

/// The provenance of each granule of a run of bytes, and of halves of granules if pointers are so narrow.
#[derive(Clone)]
pub(crate) struct Shadow(Rc<[ObjectId]>);

impl Shadow {
    #[cold]
    fn new(made: ShadowShape<'_>) -> Self {
        let granules = made.run.div_ceil(2 * GRANULE) * 2;
        let entries = match made.pointer {
            PointerWidth::Eight => granules,
            PointerWidth::Four => 3 * granules + 1,
        };
        Shadow(std::iter::repeat_n(ObjectId::NONE, entries).collect())
    }

    /// How many entries are for granules, if those after them are for their halves.
    #[inline]
    fn halves_from(&self) -> Option<usize> {
        (self.0.len() % 2 == 1).then_some(self.0.len() / 3)
    }

    /// The object of half a granule, if halves have objects and it has one.
    fn half(&self, at: usize, length: usize) -> Option<ObjectId> {
        let halves = self.halves_from()?;
        let whole = length == HALF && at.is_multiple_of(HALF);
        let object = whole.then(|| self.0[halves + at / HALF])?;
        (!object.is_number()).then_some(object)
    }

    /// Bytes of a pointer.
    fn pointer_bytes(&self) -> usize {
        match self.halves_from() {
            Some(_) => HALF,
            None => GRANULE,
        }
    }

    /// The provenance of the granule of a byte.
    #[inline]
    pub fn get(&self, at: usize) -> ObjectId {
        self.0[at / GRANULE]
    }

    /// The provenance of all granules.
    #[inline]
    pub fn granules(&self) -> &[ObjectId] {
        &self.0
    }

    /// Whether a word of at most a granule's size is in one granule that has no part of an address.
    #[inline(always)]
    pub fn is_number(&self, at: usize, length: usize) -> bool {
        let one = at / GRANULE == (at + length - 1) / GRANULE;
        one && self.get(at).is_number()
    }

    /// What a word of up to 8 bytes has that is no whole granule: part of an address, an address, or
    /// nothing of one.
    #[cold]
    #[inline(never)]
    pub fn part(&self, at: usize, length: usize) -> ObjectId {
        if let Some(object) = self.half(at, length) {
            return object;
        }
        let count = self.address_bytes(at, length);
        if count == 0 {
            ObjectId::NONE
        } else if self.get(at).is_random() && self.get(at + length - 1).is_random() {
            ObjectId::RANDOM
        } else if count == length && length == self.pointer_bytes() {
            ObjectId::ADDRESS
        } else {
            ObjectId::PART
        }
    }

    /// How many bytes of a range are parts of addresses.
    pub fn address_bytes(&self, at: usize, length: usize) -> usize {
        if length == 0 {
            return 0;
        }
        let (first, last) = (at / GRANULE, (at + length - 1) / GRANULE);
        let granules = self.0.iter().enumerate().take(last + 1).skip(first);
        let marked = granules.filter(|(_, object)| !object.is_number());
        let bytes = marked.map(|(i, o)| o.address_bytes() & covered(i, at, length));
        bytes.map(|bytes| bytes.count_ones() as usize).sum()
    }

    /// The provenance of all granules, to be changed, if the shadow is not shared and a granule has room
    /// for one pointer only.
    #[inline]
    pub fn granules_mut(&mut self) -> Option<&mut [ObjectId]> {
        match self.halves_from() {
            None => Rc::get_mut(&mut self.0),
            Some(_) => None,
        }
    }

    /// Forgets all pointers in the first bytes, if the shadow is not shared.
    pub fn reset(&mut self, bytes: usize) -> bool {
        let halves = self.halves_from();
        let Some(granules) = Rc::get_mut(&mut self.0) else {
            return false;
        };
        granules[..bytes / GRANULE].fill(ObjectId::NONE);
        if let Some(first) = halves {
            granules[first..first + bytes / HALF].fill(ObjectId::NONE);
        }
        true
    }
}

/// Which bytes of a granule a range has.
fn covered(granule: usize, at: usize, length: usize) -> u8 {
    let start = at.saturating_sub(granule * GRANULE).min(GRANULE);
    let end = (at + length).saturating_sub(granule * GRANULE).min(GRANULE);
    // Neither shift is by more than 8, and the type is wider.
    ((1u32 << end) - (1u32 << start.min(end))) as u8
}

/// Whether a range belongs to the same objects in two runs: whole granules are compared.
pub(crate) fn same_provenance(a: &Provenance, b: &Provenance, start: u32, end: u32) -> bool {
    let entry = |shadow: &Provenance, i: usize| match shadow {
        Some(shadow) => shadow.0.get(i).copied().unwrap_or(ObjectId::NONE),
        None => ObjectId::NONE,
    };
    let (start, end) = (start as usize, end as usize);
    let granules = start / GRANULE..end.div_ceil(GRANULE);
    let halves = [a, b].into_iter().flatten().find_map(Shadow::halves_from);
    let halves = halves.map(|first| first + start / HALF..first + end.div_ceil(HALF));
    granules
        .chain(halves.into_iter().flatten())
        .all(|i| entry(a, i) == entry(b, i))
}

/// What is known of the provenance of a run: nothing, if no pointer was ever stored there.
pub(crate) type Provenance = Option<Shadow>;

/// Notes that a word of a granule's size was written.
#[inline(always)]
pub(crate) fn note_word(
    shadow: &mut Provenance,
    made: ShadowShape<'_>,
    at: usize,
    object: ObjectId,
) {
    // Numbers mostly come where numbers were, and pointers where those of the same object were.
    let same = match shadow {
        Some(known) => {
            at.is_multiple_of(GRANULE) && known.get(at) == object && !object.is_of_halves()
        }
        None => object.is_number(),
    };
    if !same {
        change_word(shadow, made, at, object);
    }
}

#[inline(never)]
fn change_word(shadow: &mut Provenance, made: ShadowShape<'_>, at: usize, object: ObjectId) {
    let one = *made.pointer == PointerWidth::Eight;
    if one && at.is_multiple_of(GRANULE) {
        let shadow = shadow.get_or_insert_with(|| Shadow::new(made));
        make_unique_slice(&mut shadow.0)[at / GRANULE] = object;
    } else {
        clear(shadow, at, GRANULE);
        note_part(shadow, made, at, GRANULE, object);
    }
}

/// Notes that bytes, which were noted as overwritten, are parts of an address, if the value that they
/// come from is not a plain number.
#[inline(always)]
pub(crate) fn note_part(
    shadow: &mut Provenance,
    made: ShadowShape<'_>,
    at: usize,
    length: usize,
    of: ObjectId,
) {
    if !of.is_number() {
        mark(shadow, made, at, length, of);
    }
}

#[cold]
#[inline(never)]
fn mark(shadow: &mut Provenance, made: ShadowShape<'_>, at: usize, length: usize, of: ObjectId) {
    let shadow = shadow.get_or_insert_with(|| Shadow::new(made));
    let halves = shadow.halves_from();
    let granules = make_unique_slice(&mut shadow.0);
    let (first, last) = (at / GRANULE, (at + length - 1) / GRANULE);
    for (i, granule) in granules.iter_mut().enumerate().take(last + 1).skip(first) {
        // A pointer of which a part is overwritten has been cleared.
        let bytes = granule.address_bytes() | covered(i, at, length);
        let random = of.is_random() && (granule.is_number() || granule.is_random());
        *granule = set_of(bytes, halves.is_some(), random);
    }
    if let Some(first) = halves
        && length == HALF
        && at.is_multiple_of(HALF)
        && !of.object_unknown()
    {
        granules[first + at / HALF] = of;
    }
}

/// What a granule has of whose bytes these are an address's, or random ones.
fn set_of(bytes: u8, halves: bool, random: bool) -> ObjectId {
    let set = match random {
        true => ObjectId::with_random_bytes(bytes),
        false => ObjectId::with_address_bytes(bytes),
    };
    if halves { set.of_halves() } else { set }
}

/// Notes that bytes of at most a granule's size were overwritten by something without provenance.
#[inline(always)]
pub(crate) fn clear_few(shadow: &mut Provenance, at: usize, length: usize) {
    let Some(known) = shadow else { return };
    let one = at / GRANULE == (at + length - 1) / GRANULE;
    // Mostly there was no pointer.
    if !one || !known.get(at).is_number() {
        clear(shadow, at, length);
    }
}

/// Notes that bytes were overwritten by something without provenance.
#[inline(never)]
pub(crate) fn clear(shadow: &mut Provenance, at: usize, length: usize) {
    let Some(shadow) = shadow else { return };
    if length == 0 {
        return;
    }
    let granules = at / GRANULE..(at + length - 1) / GRANULE + 1;
    if shadow.0[granules.clone()].iter().all(|o| o.is_number()) {
        return;
    }
    let halves = shadow.halves_from();
    let known = make_unique_slice(&mut shadow.0);
    for i in [granules.start, granules.end - 1] {
        let left = known[i].address_bytes() & !covered(i, at, length);
        known[i] = set_of(left, halves.is_some(), known[i].is_random());
    }
    if let Some(first) = halves {
        let touched = first + at / HALF..first + (at + length - 1) / HALF + 1;
        known[touched].fill(ObjectId::NONE);
    }
    if let Some(between) = known.get_mut(granules.start + 1..granules.end - 1) {
        between.fill(ObjectId::NONE);
    }
}

/// Where the provenance of copied bytes comes from.
pub(crate) enum ShadowSource<'a> {
    /// The same run.
    Same,
    /// Another one.
    Other(Option<&'a Shadow>),
}

/// Notes that `length` bytes were copied to `at` from `from` of the source. Pointers are kept if
/// they are copied as a whole to where a pointer can be; of others the bytes are.
pub(crate) fn transfer(
    shadow: &mut Provenance,
    run: usize,
    at: usize,
    source: ShadowSource<'_>,
    from: usize,
    length: usize,
) {
    let known = match source {
        ShadowSource::Same => shadow.as_ref(),
        ShadowSource::Other(other) => other,
    };
    let Some(known) = known else {
        return clear(shadow, at, length);
    };
    if length == 0 {
        return;
    }
    let made = ShadowShape {
        run,
        pointer: &PointerWidth::Eight,
    };
    let touched = from / GRANULE..(from + length - 1) / GRANULE + 1;
    if known.0[touched].iter().all(|object| object.is_number()) {
        return clear(shadow, at, length);
    }
    if known.halves_from().is_some() {
        let (bytes, objects) = taken_from(known, at, from, length);
        return put_taken(shadow, run, at, length, &bytes, &objects);
    }
    // Granules that are copied as a whole, and the bytes before and after them.
    let first = at.div_ceil(GRANULE);
    let end = (at + length) / GRANULE;
    let whole = at % GRANULE == from % GRANULE && first < end;
    let edges = match whole {
        true => [at..first * GRANULE, end * GRANULE..at + length],
        false => [at..at + length, at + length..at + length],
    };
    let parts: Vec<(usize, bool)> = edges
        .iter()
        .flat_map(Clone::clone)
        .filter(|byte| known.address_bytes(byte - at + from, 1) != 0)
        .map(|byte| (byte, known.get(byte - at + from).is_random()))
        .collect();
    if whole {
        let start = from.div_ceil(GRANULE);
        let granules = start..start + (end - first);
        match (source, &mut *shadow) {
            (ShadowSource::Same, Some(shadow)) => {
                make_unique_slice(&mut shadow.0).copy_within(granules, first);
            }
            (ShadowSource::Other(Some(other)), shadow) => {
                let shadow = shadow.get_or_insert_with(|| Shadow::new(made));
                make_unique_slice(&mut shadow.0)[first..end].copy_from_slice(&other.0[granules]);
            }
            (ShadowSource::Same | ShadowSource::Other(None), _) => {}
        }
    }
    for edge in edges {
        clear(shadow, edge.start, edge.len());
    }
    for (byte, random) in parts {
        let of = match random {
            true => ObjectId::RANDOM,
            false => ObjectId::PART,
        };
        mark(shadow, made, byte, 1, of);
    }
}

/// Of bytes that are copied with narrow pointers in them: which are parts of addresses, and the object of
/// each half granule that they are copied to as a whole, by their places there.
fn taken_from(
    known: &Shadow,
    at: usize,
    from: usize,
    length: usize,
) -> (Vec<usize>, Vec<(usize, ObjectId)>) {
    let bytes = (at..at + length).filter(|to| known.address_bytes(to - at + from, 1) != 0);
    let halves = (at.next_multiple_of(HALF)..(at + length) / HALF * HALF).step_by(HALF);
    let objects = halves.filter_map(|to| Some((to, known.half(to - at + from, HALF)?)));
    (bytes.collect(), objects.collect())
}

/// Notes that bytes were overwritten by what [`taken_from`] gave.
fn put_taken(
    shadow: &mut Provenance,
    run: usize,
    at: usize,
    length: usize,
    bytes: &[usize],
    objects: &[(usize, ObjectId)],
) {
    let made = ShadowShape {
        run,
        pointer: &PointerWidth::Four,
    };
    clear(shadow, at, length);
    for &byte in bytes {
        mark(shadow, made, byte, 1, ObjectId::PART);
    }
    for &(half, object) in objects {
        mark(shadow, made, half, HALF, object);
    }
}
