//! The tables of several paths as one.

use super::{NO_GENERATION, ObjectSlot, Objects, SlotUse};
use crate::memory::MemoriesApart;

/// What the tables of paths have of one object.
enum Joined {
    /// The same.
    Same,
    /// No path has an object there; this path's slot had the last one.
    LastHad(usize),
}

impl Objects {
    /// The table with the most slots: its list of free slots has those of all others that have the same live objects.
    pub fn longest(all: &[&Objects]) -> usize {
        let lengths = all.iter().map(|objects| objects.slots.len());
        let most = lengths.clone().max();
        lengths
            .enumerate()
            .find(|(_, length)| Some(*length) == most)
            .map_or(0, |(i, _)| i)
    }

    /// One table for paths that have the same live objects; the numbers of those whose content differs are handed to
    /// `differs`. Where there is no object the newest generation is kept, so that no pointer of any path to one that has
    /// ended is valid, now or later.
    ///
    /// # Errors
    /// If live objects differ.
    pub fn merged(
        all: &[&Objects],
        mut differs: impl FnMut(u32),
    ) -> Result<Objects, MemoriesApart> {
        let base = Objects::longest(all);
        let first = *all.get(base).ok_or(MemoriesApart::Objects)?;
        let mut merged = first.clone();
        // What has ended can be replaced only where slots are the same.
        let mut at = 1;
        while at < first.slots.len() {
            let shared = all
                .iter()
                .all(|o| o.slots.len() == first.slots.len() && o.slots.shares(&first.slots, at));
            if shared {
                at = (at / CHUNK + 1) * CHUNK;
                continue;
            }
            let slots: Vec<Option<&ObjectSlot>> = all
                .iter()
                .map(|o| o.slots.get(at).filter(|_| at < o.slots.len()))
                .collect();
            match joined(&slots)? {
                Joined::Same => {
                    let own = first.slot(at as u32);
                    let mut others = slots.iter().flatten();
                    if !others.all(|slot| slot.content.same(&own.content)) {
                        differs(at as u32);
                    }
                }
                Joined::LastHad(which) if which != base => {
                    let last = slots[which].ok_or(MemoriesApart::Objects)?;
                    let slot = merged.slots.at_mut(at);
                    slot.base = last.base;
                    slot.size = last.size;
                    slot.generation = last.generation;
                    slot.kind = last.kind;
                    slot.life = last.life;
                    slot.align = last.align;
                    slot.family = last.family;
                }
                Joined::LastHad(_) => {}
            }
            at += 1;
        }
        Ok(merged)
    }

    /// Whether no identity of an object that has ended, or lives, in another table is to be given again here.
    pub fn is_not_older(&self, other: &Objects) -> bool {
        let others = 0..other.slots.len();
        other.slots.len() <= self.slots.len()
            && others.into_iter().all(|at| {
                let generation = |objects: &Objects| objects.slot(at as u32).generation;
                generation(self) >= generation(other)
            })
    }
}

/// Slots of a chunk of the table.
const CHUNK: usize = 16;

/// What becomes of a slot, if its live objects are the same.
fn joined(slots: &[Option<&ObjectSlot>]) -> Result<Joined, MemoriesApart> {
    if slots.iter().flatten().any(|slot| lives(slot)) {
        let Some(Some(first)) = slots.first() else {
            return Err(how_apart(slots));
        };
        let same = |slot: &&ObjectSlot| {
            slot.life == first.life
                && slot.generation == first.generation
                && slot.base == first.base
                && slot.size == first.size
                && slot.next_or_spare == first.next_or_spare
                && slot.kind == first.kind
                && slot.align == first.align
                && slot.family == first.family
        };
        let all_same = slots.iter().all(|slot| slot.as_ref().is_some_and(same));
        return match all_same {
            true => Ok(Joined::Same),
            false => Err(how_apart(slots)),
        };
    }
    let newest = slots
        .iter()
        .enumerate()
        .filter_map(|(i, slot)| Some((slot.as_ref()?.generation, std::cmp::Reverse(i))))
        .max();
    let newest = newest.ok_or(MemoriesApart::Objects)?;
    // A slot that will have no object again is in no list of free slots.
    let spent = |slot: &&ObjectSlot| slot.generation == NO_GENERATION;
    if newest.0 == NO_GENERATION && !slots.iter().all(|s| s.as_ref().is_some_and(spent)) {
        return Err(MemoriesApart::Objects);
    }
    Ok(Joined::LastHad(newest.1.0))
}

/// How the objects of a slot differ in which at least one lives.
fn how_apart(slots: &[Option<&ObjectSlot>]) -> MemoriesApart {
    let living: Vec<&ObjectSlot> = slots
        .iter()
        .flatten()
        .copied()
        .filter(|s| lives(s))
        .collect();
    let generation = living.first().map_or(0, |slot| slot.generation);
    let one = |slot: &&ObjectSlot| slot.generation == generation && slot.base == living[0].base;
    let mut others = slots.iter().filter(|slot| !slot.is_some_and(lives));
    // A slot whose object ends gets the generation that the next one has.
    let is_past = |slot: &Option<&ObjectSlot>| slot.is_some_and(|s| s.generation > generation);
    if living.len() == slots.len() || !living.iter().all(one) {
        return MemoriesApart::Objects;
    }
    match others.clone().any(is_past) {
        false => MemoriesApart::Made,
        true if others.all(is_past) => MemoriesApart::Ended,
        true => MemoriesApart::Objects,
    }
}

fn lives(slot: &ObjectSlot) -> bool {
    match slot.life {
        SlotUse::Live | SlotUse::Open | SlotUse::Suspended => true,
        SlotUse::Over | SlotUse::OpenOver => false,
    }
}
