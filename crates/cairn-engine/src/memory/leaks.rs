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
//! leaks. They are reported where they were made, one for each place.
//!
//! # Soundness
//!
//! A word counts as a pointer if it has the provenance of an object or, without any,
//! an address inside of one. A word that is a term counts with its value under the path's
//! model, which is the test that is written: under another value something may be lost that is not then. With
//! [`leaks_for_all_values`](crate::Config::leaks_for_all_values) that is left out by name. Only aligned words count, so a pointer that is kept in
//! a packed structure alone is not seen; its object was not freed either.
//!
//! - **Machine code.** The stack counts from the stack pointer on, registers if functions keep them for
//!   their callers. What a path left below or in other registers points to nothing any more. A place
//!   of the stack that a later frame has not written yet may still hold an old pointer, which
//!   hides a leak and makes none up.
//!
//! # Cost
//!
//! One pass over reachable memory for each path that ends; while the program runs, a
//! trace for each allocation. Nothing if the check is off.

use crate::finding::{CallTrace, Finding, FindingKind};
use crate::memory::access;
use crate::memory::sizes;
use crate::omission::Omission;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_memory::{Cell, ObjectId, ObjectInfo, ObjectKind, ReadPart, Word};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What is left out if a pointer was followed by one of its values.
const BY_ONE_VALUE: &str =
    "what a pointer keeps reachable whose object inputs choose was looked at for one of its values";

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

/// The leaks of a program that ends, one for each place.
pub(crate) fn leaks(step: &StepContext<'_>, state: &State, unfreed: Unfreed) -> Vec<Finding> {
    let mut heap = state.domain.memory.heap_objects().peekable();
    if heap.peek().is_none() {
        return Vec::new();
    }
    let reached = match unfreed {
        Unfreed::IfUnreachable => {
            let (reached, by_one_value) = reachable(step, state);
            if by_one_value && step.shared.config.leaks_for_all_values {
                state.leave_out(step.shared, Omission::Said(BY_ONE_VALUE.to_string()));
            }
            reached
        }
        Unfreed::Always => FxHashSet::default(),
    };
    let mut findings: Vec<Finding> = Vec::new();
    for info in heap.filter(|e| !reached.contains(&e.object)) {
        let made = state.sites.of(info.object);
        let trace = made.map_or_else(|| transition::trace(step, state), |t| t.to_vec());
        if findings.iter().any(|f| f.trace == trace) {
            continue;
        }
        findings.push(Finding {
            kind: FindingKind::Leak,
            message: match unfreed {
                Unfreed::IfUnreachable => {
                    format!("the {info} was never freed, and nothing points to it")
                }
                Unfreed::Always => format!("the {info} was never freed"),
            },
            trace,
        });
    }
    findings
}

/// The objects that the program could still get at, and whether a pointer of which inputs choose the object was followed by one of
/// its values only.
fn reachable(step: &StepContext<'_>, state: &State) -> (FxHashSet<ObjectId>, bool) {
    // Looking at terms makes terms; the state stays as it is.
    let mut domain = state.domain.clone();
    sizes::size_by_model(&mut domain);
    let roots = domain.memory.objects();
    // Constants are never given the address of something that was made later.
    let root = |e: &ObjectInfo| {
        matches!(
            e.kind,
            ObjectKind::Global | ObjectKind::Stack | ObjectKind::Mapped
        )
    };
    let mut work: Vec<ObjectInfo> = roots.filter(root).collect();
    let left_behind = match &step.shared.config.code {
        Some(code) => code.left_behind(&domain.memory, &step.globals),
        None => Vec::new(),
    };
    let mut reached = FxHashSet::default();
    let mut by_one_value = false;
    for variable in state.thread.variables(&step.table) {
        by_one_value |= is_chosen(variable);
        let pointer = word_of(step, &domain, variable);
        reach(&domain, pointer, &mut reached, &mut work);
    }
    let bytes = u64::from(domain.memory.pointer_width().bytes());
    while let Some(info) = work.pop() {
        let (mut here, end) = (info.address, info.address + info.size / bytes * bytes);
        while here < end {
            if let Some(range) = left_behind.iter().find(|range| range.contains(&here)) {
                here = range.end.next_multiple_of(bytes);
                continue;
            }
            let at = Word {
                bits: here,
                object: info.object,
            };
            here += bytes;
            let Some(pointer) = pointer_at(step, &mut domain, at, &mut by_one_value) else {
                continue;
            };
            reach(&domain, pointer, &mut reached, &mut work);
        }
    }
    (reached, by_one_value)
}

/// Whether inputs choose the object of a pointer.
fn is_chosen(value: &Value) -> bool {
    match value {
        Value::Word(_) => false,
        Value::Symbolic(symbolic) => symbolic.object == ObjectId::ADDRESS,
    }
}

/// A value as it is under the path's model.
fn word_of(step: &StepContext<'_>, domain: &SymbolicDomain, value: &Value) -> Word {
    match value {
        Value::Word(word) => *word,
        Value::Symbolic(symbolic) => Word {
            bits: step.cx.value(&domain.model, &symbolic.term).low_u64(),
            object: symbolic.object,
        },
    }
}

/// The word at an address, unless it was never written or read.
fn pointer_at(
    step: &StepContext<'_>,
    domain: &mut SymbolicDomain,
    at: Word,
    by_one_value: &mut bool,
) -> Option<Word> {
    if let Ok(word) = domain.memory.load_pointer(at) {
        return (word.bits != 0).then_some(word);
    }
    let bytes = domain.memory.pointer_width().bytes();
    let mut parts = Vec::new();
    domain
        .memory
        .load_parts(at, bytes.into(), &mut parts)
        .ok()?;
    let untouched = |part: &ReadPart| {
        matches!(
            part,
            ReadPart::Cell {
                cell: Cell::Origin { .. },
                ..
            }
        )
    };
    if parts.iter().any(untouched) {
        return None;
    }
    let value = access::load_value(domain, &Value::Word(at), bytes).ok()?;
    *by_one_value |= is_chosen(&value);
    Some(word_of(step, domain, &value))
}

/// Follows a pointer to a heap object that was not reached yet.
fn reach(
    domain: &SymbolicDomain,
    pointer: Word,
    reached: &mut FxHashSet<ObjectId>,
    work: &mut Vec<ObjectInfo>,
) {
    if let Ok(target) = domain.memory.info(pointer)
        && target.kind == ObjectKind::Heap
        && reached.insert(target.object)
    {
        work.push(target);
    }
}
