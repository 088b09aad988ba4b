//! Objects of a pointer, found by asking about each.
//!
//! # Problem
//!
//! Which objects a pointer may be to is mostly a question for each object that lives.
//!
//! # Idea
//!
//! That of one of the pointer's values comes first, with all that are one segment with it: often the pointer can be to nothing
//! else, which is one query. Then come, if contexts are looked at, those objects that were made by calls like those of the objects that
//! were found at this place before, and again one query whether that is all. Then all others
//! (\[Trabish24, chapter 3\]).
//!
//! # Soundness
//!
//! Objects are left out only if the pointer was shown to be inside of those that were found. What is not decided counts as found.
//!
//! # Cost
//!
//! A query for each object.
//!
//! # Counters
//!
//! `symbolic_accesses.resolution_queries` in `summary.json`.

use crate::gate::Verdict;
use crate::memory::resolve::inside_most;
use crate::memory::segments::{MakingContext, Resolution, usable};
use crate::path::state::State;
use crate::path::step_context::StepContext;
use cairn_expr::Term;
use cairn_ir::{FuncId, PlaceId};
use cairn_memory::ObjectInfo;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Which contexts objects of pointers had, by the place of the access.
#[derive(Default)]
pub(crate) struct LearntContexts {
    at: FxHashMap<(FuncId, PlaceId), FxHashSet<MakingContext>>,
}

/// Objects that are asked about.
pub(crate) struct Scan<'a, 'b, 'c> {
    step: &'a mut StepContext<'b>,
    state: &'c State,
    objects: &'c [ObjectInfo],
    address: &'c Term,
    length: u64,
    found: Vec<ObjectInfo>,
}

impl<'a, 'b, 'c> Scan<'a, 'b, 'c> {
    pub fn new(
        step: &'a mut StepContext<'b>,
        state: &'c State,
        objects: &'c [ObjectInfo],
        address: &'c Term,
        length: u64,
    ) -> Self {
        Scan {
            step,
            state,
            objects,
            address,
            length,
            found: Vec::new(),
        }
    }

    /// The members of the segment that is accessed.
    pub fn found(mut self, write: bool) -> Option<Vec<ObjectInfo>> {
        let value = self
            .step
            .cx
            .value(&self.state.domain.model, self.address)
            .to_u64()?;
        let here = |info: &&ObjectInfo| {
            let offset = value.checked_sub(info.address);
            offset.is_some_and(|o| {
                o.checked_add(self.length)
                    .is_some_and(|e| e <= info.capacity)
            })
        };
        if let Some(info) = self.objects.iter().find(here) {
            self.add_group(*info);
            if self.is_complete() {
                return self.members(write);
            }
        }
        let place = (
            self.state.thread.position()?.0,
            self.state.thread.place(&self.step.table),
        );
        let frames = match self.state.domain.segments.resolution() {
            Resolution::Context { .. } => true,
            Resolution::Flow | Resolution::Scan => false,
        };
        if frames {
            let learnt = self.step.cx.learnt.borrow().at.get(&place).cloned();
            if let Some(learnt) = learnt {
                self.ask_all(|scan, info| {
                    let context = scan.context(info);
                    context.is_some_and(|context| learnt.contains(&context))
                });
                if self.is_complete() {
                    return self.members(write);
                }
            }
        }
        self.ask_all(|_, _| true);
        if frames {
            let contexts = self.found.iter().filter_map(|info| self.context(info));
            let contexts: Vec<MakingContext> = contexts.collect();
            let mut learnt = self.step.cx.learnt.borrow_mut();
            learnt.at.entry(place).or_default().extend(contexts);
        }
        self.members(write)
    }

    /// By which calls an object was made; globals and the stack were made by none.
    fn context(&self, info: &ObjectInfo) -> Option<MakingContext> {
        self.state.domain.segments.context(info.object)
    }

    fn has(&self, info: &ObjectInfo) -> bool {
        self.found.iter().any(|other| other.object == info.object)
    }

    /// An object was found, and so those that are one segment with it.
    fn add_group(&mut self, info: ObjectInfo) {
        self.found.push(info);
        let group = self.state.domain.segments.group(info.object);
        for object in group {
            let all = self.objects.iter();
            if let Some(other) = all.clone().find(|other| other.object == *object)
                && !self.has(other)
            {
                self.found.push(*other);
            }
        }
    }

    fn inside(&self, info: &ObjectInfo) -> Term {
        let store = &self.step.cx.store;
        inside_most(store, self.address, info, self.length)
    }

    /// Asks about all objects that were not found yet of which something holds.
    fn ask_all(&mut self, which: impl Fn(&Self, &ObjectInfo) -> bool) {
        let objects = self.objects;
        for info in objects {
            if self.has(info) || info.open || !which(self, info) {
                continue;
            }
            let inside = self.inside(info);
            if !inside.is_false() && self.may(&inside) {
                self.add_group(*info);
            }
        }
    }

    /// Whether something can hold; also if that was not decided.
    fn may(&mut self, claim: &Term) -> bool {
        self.step.cx.count_resolution();
        let (cx, state) = (Rc::clone(&self.step.cx), self.state);
        let verdict = self.step.gate.ask_under(&cx, state, state.facts(), claim);
        match verdict {
            Verdict::Impossible(_) => false,
            Verdict::Possible(_) | Verdict::Undecided(_) => true,
        }
    }

    /// Whether the address can only be inside of what was found.
    fn is_complete(&mut self) -> bool {
        let inside: Vec<Term> = self.found.iter().map(|info| self.inside(info)).collect();
        let store = &self.step.cx.store;
        let outside = store.not(&store.or_all(&inside));
        !self.may(&outside)
    }

    fn members(self, write: bool) -> Option<Vec<ObjectInfo>> {
        let all = self.found.iter().map(|info| info.object);
        usable(&self.state.domain, all, self.length, write)
    }
}
