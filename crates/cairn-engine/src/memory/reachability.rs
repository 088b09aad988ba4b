//! What a program can still get at when it ends, and for which inputs.
//!
//! # Problem
//!
//! Where inputs choose the object of a pointer (`keep = table[i]`), what it keeps reachable differs from input to input.
//!
//! # Idea
//!
//! Objects that are reached by words of known objects alone are reached always; mostly these are all. For each other heap object
//! there is a condition on the inputs: a pointer that inputs choose leads into it, or into an object from which it is reached.
//!
//! # Soundness
//!
//! The conditions are the least solution of "reached from a root, or from what is reached". Known words join objects whatever
//! the inputs are, so their closure is taken at once; what is left are steps through pointers that are chosen. A way needs each
//! object that holds such pointers once at most, so as many rounds as there are of these suffice. Where that would be too much work
//! [`Reached::sometimes`] is `None`, and the run lists that it looked at one value. A chosen pointer counts for an object up to the byte behind it, as pointers
//! of known objects do. A term that is no address counts as a pointer if its form shows addresses, or if it is one under the path's model.
//!
//! # Cost
//!
//! One pass over memory that is reachable. Only if a pointer is chosen: one over the other heap objects, and a term for each pair of a
//! chosen pointer and an object that its form does not exclude.

use crate::memory::access;
use crate::memory::bases::base_for;
use crate::memory::sizes;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::candidates::candidates;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Term, TermStore};
use cairn_memory::{Cell, ObjectId, ObjectInfo, ObjectKind, ReadPart, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The most objects that hold chosen pointers and are themselves reached by such only.
const MOST_HOLDERS: usize = 16;

/// The most pairs of objects of which one may be reached through the other.
const MOST_PAIRS: usize = 1 << 22;

/// The heap objects that are reached.
pub(crate) struct Reached {
    /// For all inputs.
    pub always: FxHashSet<ObjectId>,
    /// For some: under this condition. `None` if that was too much to find out.
    pub sometimes: Option<FxHashMap<ObjectId, Term>>,
    /// Those that are reached under the path's model; only if `sometimes` is `None`.
    pub by_model: FxHashSet<ObjectId>,
}

impl Reached {
    /// No object counts as reached.
    pub fn nothing() -> Self {
        Reached {
            always: FxHashSet::default(),
            sometimes: Some(FxHashMap::default()),
            by_model: FxHashSet::default(),
        }
    }

    /// When an object is reached.
    pub fn when(&self, store: &TermStore, object: ObjectId) -> Term {
        match &self.sometimes {
            _ if self.always.contains(&object) => store.bool(true),
            Some(sometimes) => match sometimes.get(&object) {
                Some(when) => when.clone(),
                None => store.bool(false),
            },
            None => store.bool(self.by_model.contains(&object)),
        }
    }
}

/// What one word of memory, or a variable, leads to.
enum Lead {
    /// Into a heap object, whatever the inputs are.
    Into(ObjectInfo),
    /// Where inputs say.
    Chosen(Term),
}

/// One look at the memory of a state.
struct Search<'a, 'b> {
    step: &'a StepContext<'b>,
    domain: SymbolicDomain,
    /// What a path of machine code left below its stack pointer.
    left_behind: Vec<Range<u64>>,
}

/// Heap objects that are not reached by known words alone, by number.
#[derive(Default)]
struct UndecidedObjects {
    infos: Vec<ObjectInfo>,
    numbers: FxHashMap<ObjectId, usize>,
    /// What known words in each lead to.
    known: Vec<Vec<usize>>,
    /// The chosen pointers in each.
    chosen: Vec<Vec<Term>>,
}

/// The heap objects that a program which ends could still get at.
pub(crate) fn reached(step: &StepContext<'_>, state: &State) -> Reached {
    // Looking at terms makes terms; the state stays as it is.
    let mut domain = state.domain.clone();
    sizes::size_by_capacity(&mut domain);
    let left_behind = match &step.shared.config.code {
        Some(code) => code.left_behind(&domain.memory, &step.globals),
        None => Vec::new(),
    };
    let mut search = Search {
        step,
        domain,
        left_behind,
    };
    let mut always = FxHashSet::default();
    let (mut chosen, mut seen) = (Vec::new(), FxHashSet::default());
    // Constants are never given the address of something that was made later.
    let root = |e: &ObjectInfo| {
        matches!(
            e.kind,
            ObjectKind::Global | ObjectKind::Stack | ObjectKind::Mapped
        )
    };
    let mut work: Vec<ObjectInfo> = search.domain.memory.objects().filter(root).collect();
    let variables = state.thread.variables(&step.table);
    let mut leads: Vec<Lead> = variables.filter_map(|v| search.lead_of(v)).collect();
    loop {
        for lead in leads.drain(..) {
            match lead {
                Lead::Into(info) if always.insert(info.object) => work.push(info),
                Lead::Into(_) => {}
                Lead::Chosen(term) if seen.insert(term.id()) => chosen.push(term),
                Lead::Chosen(_) => {}
            }
        }
        let Some(info) = work.pop() else {
            break;
        };
        search.words_of(&info, &mut leads);
    }
    if chosen.is_empty() {
        return Reached {
            always,
            ..Reached::nothing()
        };
    }
    let others = search.others(&always);
    let sometimes = search.conditions(&others, &chosen);
    let by_model = match &sometimes {
        Some(_) => FxHashSet::default(),
        None => search.by_model(&others, &chosen),
    };
    Reached {
        always,
        sometimes,
        by_model,
    }
}

impl Search<'_, '_> {
    /// Adds what the words of an object lead to.
    fn words_of(&mut self, info: &ObjectInfo, leads: &mut Vec<Lead>) {
        let bytes = u64::from(self.domain.memory.pointer_width().bytes());
        let (mut here, end) = (info.address, info.address + info.size / bytes * bytes);
        while here < end {
            if let Some(range) = self.left_behind.iter().find(|r| r.contains(&here)) {
                here = range.end.next_multiple_of(bytes);
                continue;
            }
            let at = Word {
                bits: here,
                object: info.object,
            };
            here += bytes;
            leads.extend(self.lead_at(at));
        }
    }

    /// What the word at an address leads to, unless it was never written or read.
    fn lead_at(&mut self, at: Word) -> Option<Lead> {
        if let Ok(word) = self.domain.memory.load_pointer(at) {
            return match word.bits {
                0 => None,
                _ => self.lead_of(&Value::Word(word)),
            };
        }
        let bytes = self.domain.memory.pointer_width().bytes();
        let mut parts = Vec::new();
        self.domain
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
        let value = access::load_value(&mut self.domain, &Value::Word(at), bytes).ok()?;
        self.lead_of(&value)
    }

    fn lead_of(&self, value: &Value) -> Option<Lead> {
        match value {
            Value::Word(word) => self.heap_object(*word).map(Lead::Into),
            Value::Symbolic(symbolic) if symbolic.object.object_unknown() => self.chosen(symbolic),
            Value::Symbolic(symbolic) => {
                let object = symbolic.object;
                self.heap_object(Word { bits: 0, object }).map(Lead::Into)
            }
        }
    }

    fn heap_object(&self, pointer: Word) -> Option<ObjectInfo> {
        let target = self.domain.memory.info(pointer).ok()?;
        (target.kind == ObjectKind::Heap).then_some(target)
    }

    /// A term of which inputs say where it leads. A number that an input is leads nowhere, unless it is an address under the
    /// path's model.
    fn chosen(&self, symbolic: &Symbolic) -> Option<Lead> {
        let term = symbolic.bits(&self.domain.cx.store);
        if term.width() != self.domain.memory.pointer_width().bits() {
            return None;
        }
        let leads = |bits: u64| self.heap_object(Word::int(bits)).is_some();
        let is_pointer = symbolic.object == ObjectId::ADDRESS
            || leads(self.under_model(&term))
            || candidates(&term, &self.domain.inside_offsets)
                .is_some_and(|all| all.into_iter().any(leads));
        is_pointer.then_some(Lead::Chosen(term))
    }

    fn under_model(&self, term: &Term) -> u64 {
        self.step.cx.value(&self.domain.model, term).low_u64()
    }

    /// The heap objects that are not reached always, and what they hold.
    fn others(&mut self, always: &FxHashSet<ObjectId>) -> UndecidedObjects {
        let heap = self.domain.memory.heap_objects();
        let infos: Vec<ObjectInfo> = heap.filter(|e| !always.contains(&e.object)).collect();
        let numbers = infos.iter().enumerate().map(|(i, e)| (e.object, i));
        let mut others = UndecidedObjects {
            numbers: numbers.collect(),
            infos,
            ..UndecidedObjects::default()
        };
        let mut leads = Vec::new();
        for info in &others.infos {
            self.words_of(info, &mut leads);
            let (mut known, mut chosen) = (Vec::new(), Vec::new());
            for lead in leads.drain(..) {
                match lead {
                    Lead::Into(info) => known.extend(others.numbers.get(&info.object)),
                    Lead::Chosen(term) => chosen.push(term),
                }
            }
            others.known.push(known);
            others.chosen.push(chosen);
        }
        others
    }

    /// The objects that a chosen pointer may lead into, and when it does.
    fn targets(&self, others: &UndecidedObjects, pointer: &Term) -> Vec<(usize, Term)> {
        let store = &self.domain.cx.store;
        let all = candidates(pointer, &self.domain.inside_offsets);
        let mut found = Vec::new();
        for (number, info) in others.infos.iter().enumerate() {
            let first = info.address;
            if let Some(all) = &all {
                // They are in order.
                let at = all.partition_point(|bits| *bits < first);
                if all.get(at).is_none_or(|bits| *bits > first + info.capacity) {
                    continue;
                }
            }
            let offset = store.bv_sub(pointer, &base_for(store, pointer, info));
            let inside = store.bv_ule(&offset, &number_like(store, pointer, info.capacity));
            if !inside.is_false() {
                found.push((number, inside));
            }
        }
        found
    }

    /// When each of the objects is reached; an object that is not listed is not reached.
    fn conditions(
        &self,
        others: &UndecidedObjects,
        roots: &[Term],
    ) -> Option<FxHashMap<ObjectId, Term>> {
        let store = &self.domain.cx.store;
        let count = others.infos.len();
        let never = store.bool(false);
        let mut pairs = roots.len().saturating_mul(count);
        if pairs > MOST_PAIRS {
            return None;
        }
        let mut from_roots = vec![never.clone(); count];
        for pointer in roots {
            for (number, inside) in self.targets(others, pointer) {
                from_roots[number] = store.or(&from_roots[number], &inside);
            }
        }
        let mut entered = from_roots.clone();
        for round in 0.. {
            let reached = self.closure(others, &entered, &mut pairs)?;
            let holds =
                |number: &usize| !others.chosen[*number].is_empty() && !reached[*number].is_false();
            let holders: Vec<usize> = (0..count).filter(holds).collect();
            let mut next = from_roots.clone();
            for &holder in &holders {
                for pointer in &others.chosen[holder] {
                    pairs += count;
                    for (number, inside) in self.targets(others, pointer) {
                        let through = store.and(&reached[holder], &inside);
                        next[number] = store.or(&next[number], &through);
                    }
                }
            }
            if next == entered || round >= holders.len() {
                let objects = others.infos.iter().map(|info| info.object);
                let all = objects.zip(reached).filter(|(_, when)| !when.is_false());
                return Some(all.collect());
            }
            if holders.len() > MOST_HOLDERS || pairs > MOST_PAIRS {
                return None;
            }
            entered = next;
        }
        None
    }

    /// When each object is reached, if this is when chosen pointers lead into it: known words lead on.
    fn closure(
        &self,
        others: &UndecidedObjects,
        entered: &[Term],
        pairs: &mut usize,
    ) -> Option<Vec<Term>> {
        let store = &self.domain.cx.store;
        let count = others.infos.len();
        // By which of those that are entered each is reached. Many are reached by the same.
        let mut by: Vec<Vec<usize>> = vec![Vec::new(); count];
        for entry in (0..count).filter(|entry| !entered[*entry].is_false()) {
            let mut work = vec![entry];
            while let Some(at) = work.pop() {
                if by[at].last() == Some(&entry) {
                    continue;
                }
                by[at].push(entry);
                *pairs += 1;
                work.extend(&others.known[at]);
            }
            if *pairs > MOST_PAIRS {
                return None;
            }
        }
        let mut known: FxHashMap<Vec<usize>, Term> = FxHashMap::default();
        let conditions = by.into_iter().map(|entries| {
            let any = |entries: &[usize]| {
                let all: Vec<Term> = entries.iter().map(|e| entered[*e].clone()).collect();
                store.or_all(&all)
            };
            if let Some(known) = known.get(&entries) {
                return known.clone();
            }
            let condition = any(&entries);
            known.insert(entries, condition.clone());
            condition
        });
        Some(conditions.collect())
    }

    /// The objects that are reached under the path's model.
    fn by_model(&self, others: &UndecidedObjects, roots: &[Term]) -> FxHashSet<ObjectId> {
        let number = |pointer: &Term| {
            let info = self.heap_object(Word::int(self.under_model(pointer)))?;
            others.numbers.get(&info.object).copied()
        };
        let mut work: Vec<usize> = roots.iter().filter_map(number).collect();
        let mut found = FxHashSet::default();
        while let Some(at) = work.pop() {
            if found.insert(others.infos[at].object) {
                work.extend(&others.known[at]);
                work.extend(others.chosen[at].iter().filter_map(number));
            }
        }
        found
    }
}
