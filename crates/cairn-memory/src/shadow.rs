//! The provenance of the pointers in a run of bytes.
//!
//! Provenance is kept for granules of 8 bytes, in a shadow that exists only once a pointer with
//! provenance was stored. A pointer that is not aligned to a granule loses it, and so does one of
//! which a part is overwritten; the pointer is then found again by its address.

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

/// What is known of the provenance of a run: nothing, if no pointer was ever stored there.
pub(crate) type Provenance = Option<Shadow>;

/// Notes that a word of a granule's size was written.
#[inline(always)]
pub(crate) fn note_word(shadow: &mut Provenance, run: usize, at: usize, object: ObjectId) {
    // Numbers mostly come where numbers were, and pointers where those of the same object were.
    let same = match shadow {
        Some(known) => at.is_multiple_of(GRANULE) && known.get(at) == object,
        None => object.is_none(),
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
    }
}

/// Notes that bytes of at most a granule's size were overwritten by something without provenance.
#[inline(always)]
pub(crate) fn clear_few(shadow: &mut Provenance, at: usize, length: usize) {
    let Some(known) = shadow else { return };
    let one = at / GRANULE == (at + length - 1) / GRANULE;
    // Mostly there was no pointer.
    if !one || !known.get(at).is_none() {
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
    if shadow.0[granules.clone()].iter().any(|o| !o.is_none()) {
        own_slice(&mut shadow.0)[granules].fill(ObjectId::NONE);
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
/// they are copied as a whole to where a pointer can be.
pub(crate) fn transfer(
    shadow: &mut Provenance,
    run: usize,
    at: usize,
    source: Source<'_>,
    from: usize,
    length: usize,
) {
    let first = at.div_ceil(GRANULE);
    let end = (at + length) / GRANULE;
    if at % GRANULE != from % GRANULE || first >= end {
        return clear(shadow, at, length);
    }
    let granules = from.div_ceil(GRANULE)..from.div_ceil(GRANULE) + (end - first);
    match source {
        Source::Same => {
            let Some(shadow) = shadow else { return };
            own_slice(&mut shadow.0).copy_within(granules, first);
        }
        Source::Other(None) => return clear(shadow, at, length),
        Source::Other(Some(other)) => {
            let objects = &other.0[granules];
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
