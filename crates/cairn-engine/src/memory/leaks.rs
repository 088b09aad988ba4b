//! Heap objects that were never freed (`--check leak`).
//!
//! # Problem
//!
//! Many programs keep objects until they end, on purpose; what they lost is an error.
//!
//! # Idea
//!
//! When the program ends, objects that can be reached are marked: from globals, and from
//! frames that an `exit` left behind with their variables, through the pointers that they hold. The others are
//! leaks. They are reported where they were made, one for each place. Where inputs choose the object of a pointer, an object is
//! lost for some of them only (`memory/reachability.rs`): the end of the path is then a case for each set of places that can be
//! lost together, and one for the inputs that lose nothing.
//!
//! # Soundness
//!
//! A word counts as a pointer if it has the provenance of an object or, without any,
//! an address inside of one. Only aligned words count, so a pointer that is kept in
//! a packed structure alone is not seen; its object was not freed either. The solver is asked for sets of places until there is no
//! other; what it does not decide, and more than [`MOST_PLACES`] or [`MOST_SETS`], is left out by name.
//!
//! - **Machine code.** The stack counts from the stack pointer on, registers if functions keep them for
//!   their callers. What a path left below or in other registers points to nothing any more. A place
//!   of the stack that a later frame has not written yet may still hold an old pointer, which
//!   hides a leak and makes none up.
//!
//! # Cost
//!
//! One pass over reachable memory for each path that ends; while the program runs, a
//! trace for each allocation. If inputs choose pointers, a query for each set of places, and one. Nothing if the check is off.

use crate::finding::{CallTrace, Finding, FindingKind, Outcome};
use crate::gate::{OnReplay, Verdict};
use crate::memory::reachability::{self, Reached};
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::path_end;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use cairn_expr::{Model, Term};
use cairn_memory::{ObjectId, ObjectInfo, ObjectKind, Word};
use std::rc::Rc;

/// What is left out if pointers were followed by one of their values.
const BY_ONE_VALUE: &str =
    "what a pointer keeps reachable whose object inputs choose was looked at for one of its values";

/// The most places that are lost for some inputs: each is a bit of the decision.
const MOST_PLACES: usize = 31;

/// The most sets of places that are looked for.
const MOST_SETS: usize = 256;

/// The decision for what is left out.
const OTHER_SETS: Decision = Decision::Case(u32::MAX);

/// Entries of a chunk.
const CHUNK: usize = 64;

type Chunk = [Option<(ObjectId, Rc<CallTrace>)>; CHUNK];

/// Where heap objects were made. A clone shares it; a write copies one chunk of it and the list of
/// chunks.
#[derive(Clone, Default)]
pub(crate) struct Sites {
    /// By the number of an object's slot, which later objects use again.
    chunks: Rc<Vec<Rc<Chunk>>>,
}

impl Sites {
    /// Notes where an object was made.
    pub fn note(&mut self, object: ObjectId, trace: CallTrace) {
        let slot = slot(object);
        let chunks = Rc::make_mut(&mut self.chunks);
        if chunks.len() <= slot / CHUNK {
            let empty: Rc<Chunk> = Rc::new([const { None }; CHUNK]);
            chunks.resize(slot / CHUNK + 1, empty);
        }
        let chunk = Rc::make_mut(&mut chunks[slot / CHUNK]);
        chunk[slot % CHUNK] = Some((object, Rc::new(trace)));
    }

    /// Whether nothing tells two lists apart; what is shared is not compared further.
    pub fn are_same(&self, other: &Sites) -> bool {
        let same = |(a, b): (&Rc<Chunk>, &Rc<Chunk>)| Rc::ptr_eq(a, b);
        Rc::ptr_eq(&self.chunks, &other.chunks)
            || (self.chunks.len() == other.chunks.len()
                && self.chunks.iter().zip(other.chunks.iter()).all(same))
    }

    /// Where an object was made.
    pub fn of(&self, object: ObjectId) -> Option<&Rc<CallTrace>> {
        let slot = slot(object);
        let entry = self.chunks.get(slot / CHUNK)?[slot % CHUNK].as_ref();
        entry.filter(|(of, _)| *of == object).map(|(_, t)| t)
    }
}

fn slot(object: ObjectId) -> usize {
    object.slot() as usize
}

/// Notes the place of heap objects that a library function just made: what it returns, and
/// what it wrote where its arguments point to.
pub(crate) fn note_sites(
    step: &StepContext<'_>,
    state: &mut State,
    answers: impl Iterator<Item = Word>,
    arguments: impl Iterator<Item = Word>,
) {
    let memory = &state.domain.memory;
    let written = arguments.filter_map(|at| memory.load_pointer(at).ok());
    let new: Vec<ObjectId> = answers
        .chain(written)
        .filter_map(|at| (!at.object.object_unknown()).then(|| memory.info(at).ok())?)
        .filter(|e| e.kind == ObjectKind::Heap && state.sites.of(e.object).is_none())
        .map(|e| e.object)
        .collect();
    for object in new {
        let trace = transition::trace(step, state);
        state.sites.note(object, trace);
    }
}

/// Which objects that were never freed are leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfreed {
    /// Those that nothing points to.
    IfUnreachable,
    /// All.
    Always,
}

/// Objects that were made at one place, were never freed, and may be lost.
struct LossPlace {
    trace: CallTrace,
    /// Each with the condition under which it is lost.
    objects: Vec<(ObjectInfo, Term)>,
    /// That one of them is lost.
    lost: Term,
}

/// How the program ends: with errors for what it lost.
pub(crate) fn program_ends(
    step: &mut StepContext<'_>,
    state: &State,
    code: i32,
    unfreed: Unfreed,
) -> StepOutcome {
    let mut heap = state.domain.memory.heap_objects();
    if !step.shared.config.check_leaks || heap.next().is_none() {
        return StepOutcome::End(Outcome::Exit(code));
    }
    drop(heap);
    let places = loss_places(step, state, unfreed);
    let open: Vec<&LossPlace> = places.iter().filter(|p| !p.lost.is_true()).collect();
    if open.len() > MOST_PLACES {
        state.leave_out(step.shared, Omission::Said(BY_ONE_VALUE.to_string()));
    }
    if open.is_empty() || open.len() > MOST_PLACES {
        let model = &state.domain.model;
        let lost = findings(step, &places, model, unfreed);
        let outcome = path_end::program_end(step, state, model, code, lost);
        return StepOutcome::End(outcome);
    }
    let case = |step: &StepContext<'_>, set: u32, model: &Rc<Model>| {
        let lost = findings(step, &places, model, unfreed);
        let effect = Effect::End { code, lost };
        Case::new(guard(step, &open, set), effect, Decision::Case(set))
    };
    if let Some(Decision::Case(set)) = state.guide.next_replayed() {
        return StepOutcome::Cases(vec![case(step, set, &state.domain.model)]);
    }
    let mut cases = Vec::new();
    let mut rest = step.cx.store.bool(true);
    let mut model = Rc::clone(&state.domain.model);
    loop {
        let next = case(step, set_under(step, &open, &model), &model);
        let store = &step.cx.store;
        rest = store.and(&rest, &store.not(&next.guard));
        cases.push(next);
        match step.gate.ask(&step.cx, state, &rest, OnReplay::Impossible) {
            Verdict::Possible(other) if cases.len() < MOST_SETS => model = other,
            Verdict::Impossible(_) => break,
            Verdict::Possible(_) | Verdict::Undecided(_) => {
                let left_out = Omission::Said(BY_ONE_VALUE.to_string());
                cases.push(Case::cut(rest, left_out, OTHER_SETS));
                break;
            }
        }
    }
    StepOutcome::Cases(cases)
}

/// Which of the places lose something under a model: a bit for each.
fn set_under(step: &StepContext<'_>, open: &[&LossPlace], model: &Rc<Model>) -> u32 {
    let is_lost = |place: &LossPlace| u32::from(step.cx.holds(model, &place.lost));
    let bits = open.iter().enumerate();
    bits.fold(0, |set, (i, place)| set | is_lost(place) << i)
}

/// That those places lose something, and no others.
fn guard(step: &StepContext<'_>, open: &[&LossPlace], set: u32) -> Term {
    let store = &step.cx.store;
    let all = open
        .iter()
        .enumerate()
        .map(|(i, place)| match set >> i & 1 {
            0 => store.not(&place.lost),
            _ => place.lost.clone(),
        });
    store.and_all(&all.collect::<Vec<Term>>())
}

/// The places where heap objects were made that may be lost, in the order of their first objects.
fn loss_places(step: &StepContext<'_>, state: &State, unfreed: Unfreed) -> Vec<LossPlace> {
    let store = &step.cx.store;
    let reached = match unfreed {
        Unfreed::IfUnreachable => reachability::reached(step, state),
        Unfreed::Always => Reached::nothing(),
    };
    if reached.sometimes.is_none() {
        state.leave_out(step.shared, Omission::Said(BY_ONE_VALUE.to_string()));
    }
    let mut places: Vec<LossPlace> = Vec::new();
    for info in state.domain.memory.heap_objects() {
        let reached = reached.when(store, info.object);
        let lost = store.not(&reached);
        if lost.is_false() {
            continue;
        }
        let made = state.sites.of(info.object);
        let trace = made.map_or_else(|| transition::trace(step, state), |t| t.to_vec());
        match places.iter_mut().find(|place| place.trace == trace) {
            Some(place) => {
                place.lost = store.or(&place.lost, &lost);
                place.objects.push((info, lost));
            }
            None => places.push(LossPlace {
                trace,
                objects: vec![(info, lost.clone())],
                lost,
            }),
        }
    }
    places
}

/// The leaks under a model, one for each place.
fn findings(
    step: &StepContext<'_>,
    places: &[LossPlace],
    model: &Rc<Model>,
    unfreed: Unfreed,
) -> Vec<Finding> {
    let of_place = |place: &LossPlace| {
        let mut objects = place.objects.iter();
        let (info, _) = objects.find(|(_, lost)| step.cx.holds(model, lost))?;
        Some(Finding {
            kind: FindingKind::Leak,
            message: match unfreed {
                Unfreed::IfUnreachable => {
                    format!("the {info} was never freed, and nothing points to it")
                }
                Unfreed::Always => format!("the {info} was never freed"),
            },
            trace: place.trace.clone(),
        })
    };
    places.iter().filter_map(of_place).collect()
}
