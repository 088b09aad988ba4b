//! The provenance of the pointers in a run of bytes.
//!
//! Provenance is kept for granules of 8 bytes, in a shadow that exists only once a pointer with
//! provenance was stored. A pointer that is not aligned to a granule loses it, and so does one of
//! which a part is overwritten; the pointer is then found again by its address. Which bytes are parts
//! of addresses stays known: a granule has an object, or a set of its bytes ([`ObjectId`]).

use crate::ObjectId;
use crate::chunked::own_slice;
use std::rc::Rc;

/// Bytes that have a provenance of their own.
pub(crate) const GRANULE: usize = 8;

/// The provenance of each granule of a run of bytes.
#[derive(Clone)]
pub(crate) struct Shadow(Rc<[ObjectId]>);

impl Shadow {
    #[cold]
    fn new(bytes: usize) -> Self {
        let granules = bytes.div_ceil(GRANULE);
        Shadow(std::iter::repeat_n(ObjectId::NONE, granules).collect())
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
        one && self.get(at).is_plain()
    }

    /// What a word of up to 8 bytes has that is no whole granule: part of an address, an address, or
    /// nothing of one.
    #[cold]
    #[inline(never)]
    pub fn part(&self, at: usize, length: usize) -> ObjectId {
        let count = self.address_bytes(at, length);
        if count == 0 {
            ObjectId::NONE
        } else if count == GRANULE {
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
        let marked = granules.filter(|(_, object)| !object.is_plain());
        let bytes = marked.map(|(i, o)| o.address_bytes() & covered(i, at, length));
        bytes.map(|bytes| bytes.count_ones() as usize).sum()
    }

    /// The provenance of all granules, to be changed, if nobody else has the shadow.
    #[inline]
    pub fn granules_mut(&mut self) -> Option<&mut [ObjectId]> {
        Rc::get_mut(&mut self.0)
    }

    /// Forgets all pointers in the first bytes, if nobody else has the shadow.
    pub fn reset(&mut self, bytes: usize) -> bool {
        let Some(granules) = Rc::get_mut(&mut self.0) else {
            return false;
        };
        granules[..bytes / GRANULE].fill(ObjectId::NONE);
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

/// What is known of the provenance of a run: nothing, if no pointer was ever stored there.
pub(crate) type Provenance = Option<Shadow>;

/// Notes that a word of a granule's size was written.
#[inline(always)]
pub(crate) fn note_word(shadow: &mut Provenance, run: usize, at: usize, object: ObjectId) {
    // Numbers mostly come where numbers were, and pointers where those of the same object were.
    let same = match shadow {
        Some(known) => at.is_multiple_of(GRANULE) && known.get(at) == object,
        None => object.is_plain(),
    };
    if !same {
        change_word(shadow, run, at, object);
    }
}

#[inline(never)]
fn change_word(shadow: &mut Provenance, run: usize, at: usize, object: ObjectId) {
    if at.is_multiple_of(GRANULE) {
        let shadow = shadow.get_or_insert_with(|| Shadow::new(run));
        own_slice(&mut shadow.0)[at / GRANULE] = object;
    } else {
        clear(shadow, at, GRANULE);
        note_part(shadow, run, at, GRANULE, object);
    }
}

/// Notes that bytes, which were noted as overwritten, are parts of an address, if the value that they
/// come from is not a plain number.
#[inline(always)]
pub(crate) fn note_part(
    shadow: &mut Provenance,
    run: usize,
    at: usize,
    length: usize,
    of: ObjectId,
) {
    if !of.is_plain() {
        mark(shadow, run, at, length);
    }
}

#[cold]
#[inline(never)]
fn mark(shadow: &mut Provenance, run: usize, at: usize, length: usize) {
    let shadow = shadow.get_or_insert_with(|| Shadow::new(run));
    let granules = own_slice(&mut shadow.0);
    let (first, last) = (at / GRANULE, (at + length - 1) / GRANULE);
    for (i, granule) in granules.iter_mut().enumerate().take(last + 1).skip(first) {
        // A pointer of which a part is overwritten has been cleared.
        let bytes = granule.address_bytes() | covered(i, at, length);
        *granule = ObjectId::with_address_bytes(bytes);
    }
}

/// Notes that bytes of at most a granule's size were overwritten by something without provenance.
#[inline(always)]
pub(crate) fn clear_few(shadow: &mut Provenance, at: usize, length: usize) {
    let Some(known) = shadow else { return };
    let one = at / GRANULE == (at + length - 1) / GRANULE;
    // Mostly there was no pointer.
    if !one || !known.get(at).is_plain() {
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
    if shadow.0[granules.clone()].iter().all(|o| o.is_plain()) {
        return;
    }
    let known = own_slice(&mut shadow.0);
    for i in [granules.start, granules.end - 1] {
        let left = known[i].address_bytes() & !covered(i, at, length);
        known[i] = ObjectId::with_address_bytes(left);
    }
    if let Some(between) = known.get_mut(granules.start + 1..granules.end - 1) {
        between.fill(ObjectId::NONE);
    }
}

/// Where the provenance of copied bytes comes from.
pub(crate) enum Source<'a> {
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
    source: Source<'_>,
    from: usize,
    length: usize,
) {
    let known = match source {
        Source::Same => shadow.as_ref(),
        Source::Other(other) => other,
    };
    let Some(known) = known else {
        return clear(shadow, at, length);
    };
    if length == 0 {
        return;
    }
    let touched = from / GRANULE..(from + length - 1) / GRANULE + 1;
    if known.0[touched].iter().all(|object| object.is_plain()) {
        return clear(shadow, at, length);
    }
    // Granules that are copied as a whole, and the bytes before and behind them.
    let first = at.div_ceil(GRANULE);
    let end = (at + length) / GRANULE;
    let whole = at % GRANULE == from % GRANULE && first < end;
    let edges = match whole {
        true => [at..first * GRANULE, end * GRANULE..at + length],
        false => [at..at + length, at + length..at + length],
    };
    let parts: Vec<usize> = edges
        .iter()
        .flat_map(Clone::clone)
        .filter(|byte| known.address_bytes(byte - at + from, 1) != 0)
        .collect();
    if whole {
        let start = from.div_ceil(GRANULE);
        let granules = start..start + (end - first);
        match (source, &mut *shadow) {
            (Source::Same, Some(shadow)) => {
                own_slice(&mut shadow.0).copy_within(granules, first);
            }
            (Source::Other(Some(other)), shadow) => {
                let shadow = shadow.get_or_insert_with(|| Shadow::new(run));
                own_slice(&mut shadow.0)[first..end].copy_from_slice(&other.0[granules]);
            }
            (Source::Same | Source::Other(None), _) => {}
        }
    }
    for edge in edges {
        clear(shadow, edge.start, edge.len());
    }
    for byte in parts {
        mark(shadow, run, byte, 1);
    }
}
