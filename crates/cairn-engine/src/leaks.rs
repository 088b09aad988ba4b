//! Heap objects that were never freed (`--check leak`).
//!
//! - **Problem.** Many programs keep objects until they end, on purpose; what they lost is an error.
//! - **Idea.** When the program ends, objects that can be reached are marked: from globals, and from
//!   frames that an `exit` left behind with their variables, through the pointers that they hold. The others are
//!   leaks. They are reported where they were made, one for each place.
//! - **Soundness.** A word counts as a pointer if it has the provenance of an object or, without any,
//!   an address inside of one. A word that is a term counts with its value under the path's
//!   model, which is the test that is written. Only aligned words count, so a pointer that is kept in
//!   a packed structure alone is not seen; its object was not freed either.
//! - **Machine code.** The stack counts from the stack pointer on, registers if functions keep them for
//!   their callers. What a path left below or in other registers points to nothing any more. A place
//!   of the stack that a later frame has not written yet may still hold an old pointer, which
//!   hides a leak and makes none up.
//! - **Cost.** One pass over reachable memory for each path that ends; while the program runs, a
//!   trace for each allocation. Nothing if the check is off.

use crate::finding::{Finding, Kind, Trace};
use crate::space::Space;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_memory::{Cell, Extent, ObjectId, ObjectKind, Part, Word};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Entries of a chunk.
const CHUNK: usize = 64;

type Chunk = [Option<(ObjectId, Rc<Trace>)>; CHUNK];

/// Where heap objects were made. A clone shares it; a write copies one chunk of it and the list of
/// chunks.
#[derive(Clone, Default)]
pub(crate) struct Sites {
    /// By the number of an object's slot, which later objects use again.
    chunks: Rc<Vec<Rc<Chunk>>>,
}

impl Sites {
    /// Notes where an object was made.
    pub fn note(&mut self, object: ObjectId, trace: Trace) {
        let slot = slot(object);
        let chunks = Rc::make_mut(&mut self.chunks);
        if chunks.len() <= slot / CHUNK {
            let empty: Rc<Chunk> = Rc::new([const { None }; CHUNK]);
            chunks.resize(slot / CHUNK + 1, empty);
        }
        let chunk = Rc::make_mut(&mut chunks[slot / CHUNK]);
        chunk[slot % CHUNK] = Some((object, Rc::new(trace)));
    }

    /// Where an object was made.
    pub fn of(&self, object: ObjectId) -> Option<&Rc<Trace>> {
        let slot = slot(object);
        let entry = self.chunks.get(slot / CHUNK)?[slot % CHUNK].as_ref();
        entry.filter(|(of, _)| *of == object).map(|(_, t)| t)
    }
}

fn slot(object: ObjectId) -> usize {
    object.slot() as usize
}

impl Worker<'_> {
    /// Notes the place of heap objects that a library function just made: what it returns, and
    /// what it wrote where its arguments point to.
    pub(crate) fn note_sites(
        &self,
        state: &mut State,
        answers: impl Iterator<Item = Word>,
        arguments: impl Iterator<Item = Word>,
    ) {
        let memory = &state.space.memory;
        let written = arguments.filter_map(|at| memory.load_word(at, 8).ok());
        let new: Vec<ObjectId> = answers
            .chain(written)
            .filter_map(|at| (!at.object.is_none()).then(|| memory.extent(at).ok())?)
            .filter(|e| e.kind == ObjectKind::Heap && state.sites.of(e.object).is_none())
            .map(|e| e.object)
            .collect();
        for object in new {
            let trace = self.trace(state);
            state.sites.note(object, trace);
        }
    }

    /// The leaks of a program that ends, one for each place.
    pub(crate) fn leaks(&self, state: &State) -> Vec<Finding> {
        let mut heap = state.space.memory.heap_objects().peekable();
        if heap.peek().is_none() {
            return Vec::new();
        }
        let reached = self.reachable(state);
        let mut findings: Vec<Finding> = Vec::new();
        for extent in heap.filter(|e| !reached.contains(&e.object)) {
            let made = state.sites.of(extent.object);
            let trace = made.map_or_else(|| self.trace(state), |t| t.to_vec());
            if findings.iter().any(|f| f.trace == trace) {
                continue;
            }
            findings.push(Finding {
                kind: Kind::Leak,
                message: format!("the {extent} was never freed, and nothing points to it"),
                trace,
            });
        }
        findings
    }

    /// The objects that the program could still get at.
    fn reachable(&self, state: &State) -> FxHashSet<ObjectId> {
        // Looking at terms makes terms; the state stays as it is.
        let mut space = state.space.clone();
        space.size_by_model();
        let roots = space.memory.objects();
        // Constants are never given the address of something that was made later.
        let root = |e: &Extent| {
            matches!(
                e.kind,
                ObjectKind::Global | ObjectKind::Stack | ObjectKind::Mapped
            )
        };
        let mut work: Vec<Extent> = roots.filter(root).collect();
        let left_behind = match &self.shared.config.code {
            Some(code) => code.left_behind(&space.memory, &self.globals),
            None => Vec::new(),
        };
        let mut reached = FxHashSet::default();
        for variable in state.thread.variables(&self.table) {
            let pointer = self.word_of(&space, variable);
            reach(&space, pointer, &mut reached, &mut work);
        }
        while let Some(extent) = work.pop() {
            let (mut here, end) = (extent.base, extent.base + extent.size / 8 * 8);
            while here < end {
                if let Some(range) = left_behind.iter().find(|range| range.contains(&here)) {
                    here = range.end.next_multiple_of(8);
                    continue;
                }
                let at = Word {
                    bits: here,
                    object: extent.object,
                };
                here += 8;
                let Some(pointer) = self.pointer_at(&mut space, at) else {
                    continue;
                };
                reach(&space, pointer, &mut reached, &mut work);
            }
        }
        reached
    }

    /// A value as it is under the path's model.
    fn word_of(&self, space: &Space, value: &Value) -> Word {
        match value {
            Value::Word(word) => *word,
            Value::Symbolic(symbolic) => Word {
                bits: self.tools.value(&space.model, &symbolic.term).low_u64(),
                object: symbolic.object,
            },
        }
    }

    /// The word at an address, unless nobody ever wrote or read it.
    fn pointer_at(&self, space: &mut Space, at: Word) -> Option<Word> {
        if let Ok(word) = space.memory.load_word(at, 8) {
            return (word.bits != 0).then_some(word);
        }
        let mut parts = Vec::new();
        space.memory.load_parts(at, 8, &mut parts).ok()?;
        let untouched = |part: &Part| {
            matches!(
                part,
                Part::Cell {
                    cell: Cell::Origin { .. },
                    ..
                }
            )
        };
        if parts.iter().any(untouched) {
            return None;
        }
        let value = space.load_value(&Value::Word(at), 8).ok()?;
        Some(self.word_of(space, &value))
    }
}

/// Follows a pointer to a heap object that was not reached yet.
fn reach(space: &Space, pointer: Word, reached: &mut FxHashSet<ObjectId>, work: &mut Vec<Extent>) {
    if let Ok(target) = space.memory.extent(pointer)
        && target.kind == ObjectKind::Heap
        && reached.insert(target.object)
    {
        work.push(target);
    }
}
