//! Places of heap objects: from address to object, and when a place is given away again.
//!
//! A place that was freed is used again only after many others of its class, so that a pointer
//! without provenance to a freed object is recognised for a long time. Freed places are a queue
//! that is threaded through the table of places: clones share it like the rest.

use crate::chunked::{Chunked, make_unique};
use crate::layout::{HeapPlace, MemoryLayout};
use std::rc::Rc;

/// How many freed places of a class are kept from being used again.
const QUARANTINE: u32 = 1 << 16;

/// The end of the queue of freed places.
const NO_PLACE: u32 = u32::MAX;

/// What is at a place.
#[derive(Clone, Copy)]
pub(crate) enum Occupant {
    /// The live object of a slot.
    Live(u32),
    /// Nothing since an object was freed; the place that was freed next.
    Freed { next: u32 },
}

impl Default for Occupant {
    fn default() -> Self {
        Occupant::Freed { next: NO_PLACE }
    }
}

/// The places of one size.
#[derive(Clone)]
struct SizeClass {
    places: Chunked<Occupant, 256>,
    /// The queue of freed places.
    oldest: u32,
    newest: u32,
    freed: u32,
}

/// All places of the heap.
#[derive(Clone)]
pub(crate) struct Heap {
    classes: Rc<Vec<SizeClass>>,
    layout: &'static MemoryLayout,
}

impl Heap {
    pub fn new(layout: &'static MemoryLayout) -> Self {
        // All share one table until they have places.
        let places = Chunked::new();
        let class = |_| SizeClass {
            places: places.clone(),
            oldest: NO_PLACE,
            newest: NO_PLACE,
            freed: 0,
        };
        Heap {
            classes: Rc::new(layout.classes.clone().map(class).collect()),
            layout,
        }
    }

    fn class(&self, class: u32) -> &SizeClass {
        &self.classes[(class - self.layout.classes.start) as usize]
    }

    fn class_mut(&mut self, class: u32) -> &mut SizeClass {
        let first = self.layout.classes.start;
        &mut make_unique(&mut self.classes)[(class - first) as usize]
    }

    /// The place that the next object of a class gets, if there is one left.
    pub fn next_place(&self, class: u32) -> Option<HeapPlace> {
        let entry = self.class(class);
        let fresh = u32::try_from(entry.places.len())
            .ok()
            .filter(|&number| number < self.layout.places(class));
        let old = (entry.freed > 0).then_some(entry.oldest);
        let number = if entry.freed > QUARANTINE {
            old
        } else {
            fresh.or(old)
        };
        number.map(|number| HeapPlace { class, number })
    }

    /// Gives the [next place](Self::next_place) to the object of a slot.
    pub fn occupy(&mut self, place: HeapPlace, slot: u32) {
        let class = self.class_mut(place.class);
        let number = place.number as usize;
        if number == class.places.len() {
            class.places.push(Occupant::Live(slot));
            return;
        }
        if let Occupant::Freed { next } = *class.places.at_mut(number) {
            class.oldest = next;
            class.freed -= 1;
            if class.freed == 0 {
                class.newest = NO_PLACE;
            }
        }
        *class.places.at_mut(number) = Occupant::Live(slot);
    }

    /// Ends the object of a place.
    pub fn vacate(&mut self, place: HeapPlace) {
        let class = self.class_mut(place.class);
        *class.places.at_mut(place.number as usize) = Occupant::Freed { next: NO_PLACE };
        if class.freed == 0 {
            class.oldest = place.number;
        } else {
            let newest = class.newest as usize;
            *class.places.at_mut(newest) = Occupant::Freed { next: place.number };
        }
        class.newest = place.number;
        class.freed += 1;
    }

    /// What is at a place; `None` if there never was anything.
    pub fn occupant(&self, place: HeapPlace) -> Option<Occupant> {
        let class = self.class(place.class);
        let number = place.number as usize;
        if number >= class.places.len() {
            return None;
        }
        class.places.get(number).copied()
    }

    /// How many places of a class were ever occupied: those with the first numbers.
    pub fn places(&self, class: u32) -> u32 {
        u32::try_from(self.class(class).places.len()).expect("numbers of places are so wide")
    }

    /// The places of several paths that have the same live objects: of each class the most that one of them has used, so that
    /// what was freed on any of them is used.
    pub fn merged(all: &[&Heap]) -> Heap {
        let mut merged = all[0].clone();
        for other in &all[1..] {
            if Rc::ptr_eq(&merged.classes, &other.classes) {
                continue;
            }
            let classes = make_unique(&mut merged.classes).iter_mut();
            for (class, other) in classes.zip(other.classes.iter()) {
                if other.places.len() > class.places.len() {
                    *class = other.clone();
                }
            }
        }
        merged
    }

    /// Whether all places are used here that are elsewhere.
    pub fn is_not_older(&self, other: &Heap) -> bool {
        let classes = self.classes.iter().zip(other.classes.iter());
        classes
            .into_iter()
            .all(|(own, other)| own.places.len() >= other.places.len())
    }

    /// Slots of the live objects in order of address.
    pub fn live(&self) -> impl Iterator<Item = u32> {
        self.classes
            .iter()
            .flat_map(|class| class.places.iter())
            .filter_map(|occupant| match occupant {
                Occupant::Live(slot) => Some(*slot),
                Occupant::Freed { .. } => None,
            })
    }
}
