//! Objects that are accessed as one, found by classes of an analysis or by queries: two ways from the literature to compare with.
//!
//! # Problem
//!
//! The way that objects of a pointer are found here is by the form of its term (`memory/members.rs`). What that is worth
//! shows only beside the ways that others have.
//!
//! # Idea
//!
//! - `--memory points-to`: before the program runs, an analysis divides objects into classes (`cairn_ir::analysis::points_to`); all that
//!   live of a class are one segment. A pointer's segment is that of an object it may be to.
//! - `--memory segments --resolve scan`, after \[Trabish24, chapter 3\]: each object that lives is asked about, and those that the
//!   pointer may be to become a segment, which they stay as long as they live. An address that can only be inside of the segment of
//!   one of its values needs one query.
//! - `--resolve context:K` asks first about objects that were made by calls like those of the objects that were found at this place
//!   before: `K` calls around the one that made them. If the pointer must be to what was found, no other object is asked about.
//!
//! A segment is read and written as arrays (`memory/segment_arrays.rs`).
//!
//! # What differs
//!
//! Objects stay where they are, and stay objects: `free`, overflow and what reads them by name need not know of segments. Of a class are
//! globals and the heap, not the stack. Segments of more than a limit of objects or arrays are no segments: there a path for each object is taken.
//! That arrays which are made of the same content are the same (`reuse` in the literature) is so without a table: terms are.
//!
//! # Soundness
//!
//! That an access is inside of one of the objects is the condition of the case, and what is outside of all of them is found and
//! followed as under `fork`. So the classes need not be right, and an object too many does no harm. Objects that have ended, of symbolic size
//! or, for a write, constant are never members. A decision names the members that were found by queries, so that a path that is run again
//! has the same.
//!
//! # Cost
//!
//! A query for each object and access by a scan; a condition with a comparison for each member.

use crate::memory::policy::MemoryPolicy;
use crate::memory::scan::Scan;
use crate::memory::segment_arrays;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::{Symbolic, Value};
use cairn_bv::BitVec;
use cairn_expr::Term;
use cairn_ir::analysis::points_to::{ObjectClass, PointsTo};
use cairn_ir::{FuncId, GlobalId, PlaceId, Program};
use cairn_machine::AnyValue;
use cairn_memory::{Cell, ObjectId, ObjectInfo, ObjectKind, OriginId, ReadPart, Word};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::str::FromStr;

/// How the objects of a pointer are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Resolution {
    /// By the form of the pointer's term.
    #[default]
    Flow,
    /// All objects are asked about.
    Scan,
    /// First those that were made by calls like those of objects that were found before.
    Context {
        /// How many calls around the one that made an object count.
        frames: u32,
    },
}

/// There is no such way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no way {0} to find objects; there are flow, scan and context:K")]
pub struct UnknownResolution(String);

impl FromStr for Resolution {
    type Err = UnknownResolution;

    fn from_str(name: &str) -> Result<Self, UnknownResolution> {
        let frames = || name.strip_prefix("context:")?.parse().ok();
        match name {
            "flow" => Ok(Resolution::Flow),
            "scan" => Ok(Resolution::Scan),
            _ => match frames() {
                Some(frames) => Ok(Resolution::Context { frames }),
                None => Err(UnknownResolution(name.to_string())),
            },
        }
    }
}

/// Objects of a segment, at most.
const MOST_MEMBERS: usize = 1 << 12;

/// The calls that made an object, newest first.
pub(crate) type MakingContext = Rc<[(FuncId, PlaceId)]>;

/// Where objects of the heap were made, of one path.
#[derive(Clone, Default)]
struct MakingCalls {
    by: Rc<FxHashMap<ObjectId, MakingContext>>,
    frames: u32,
}

/// The classes of a program's objects.
struct StaticClasses {
    classes: PointsTo,
    /// By their places in the table of objects.
    globals: FxHashMap<u32, GlobalId>,
}

/// What is known of segments on a path.
#[derive(Clone, Default)]
pub(crate) struct Segments {
    resolution: Resolution,
    made: Option<MakingCalls>,
    classes: Option<Rc<StaticClasses>>,
    /// Objects that are one segment since they were found together.
    groups: Rc<Vec<Vec<ObjectId>>>,
}

impl Segments {
    /// For a program whose globals are laid out.
    pub fn new(
        program: &Program,
        globals: &[Word],
        policy: MemoryPolicy,
        resolution: Resolution,
    ) -> Segments {
        let is_static = match policy {
            MemoryPolicy::PointsTo => true,
            MemoryPolicy::Fork
            | MemoryPolicy::Segments
            | MemoryPolicy::Ite
            | MemoryPolicy::Split { .. }
            | MemoryPolicy::Adaptive { .. } => false,
        };
        let resolution = match policy {
            MemoryPolicy::Segments => resolution,
            MemoryPolicy::Fork
            | MemoryPolicy::PointsTo
            | MemoryPolicy::Ite
            | MemoryPolicy::Split { .. }
            | MemoryPolicy::Adaptive { .. } => Resolution::Flow,
        };
        let frames = match resolution {
            Resolution::Context { frames } => Some(frames),
            Resolution::Flow | Resolution::Scan => is_static.then_some(0),
        };
        let classes = is_static.then(|| {
            let numbers = globals.iter().enumerate();
            let globals = numbers.map(|(i, word)| (word.object.slot(), GlobalId::new(i)));
            Rc::new(StaticClasses {
                classes: PointsTo::new(program),
                globals: globals.collect(),
            })
        });
        Segments {
            resolution,
            made: frames.map(|frames| MakingCalls {
                by: Rc::default(),
                frames,
            }),
            classes,
            groups: Rc::default(),
        }
    }

    /// Whether objects are found by the form of terms.
    pub fn by_form(&self) -> bool {
        self.resolution == Resolution::Flow
    }

    /// How objects are found.
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// By which calls an object was made, if that is noted; globals and the stack were made by none.
    pub fn context(&self, object: ObjectId) -> Option<MakingContext> {
        let made = self.made.as_ref()?;
        let by = made.by.get(&object);
        Some(by.map_or_else(|| Rc::new([]) as MakingContext, Rc::clone))
    }

    /// Whether accesses are to segments.
    fn is_on(&self) -> bool {
        self.classes.is_some() || !self.by_form()
    }

    /// Objects are one segment from now on.
    pub fn join(&mut self, first: ObjectId, others: &[ObjectId]) {
        if others.iter().all(|other| *other == first) {
            return;
        }
        let mut all = vec![first];
        all.extend(others);
        let groups = Rc::make_mut(&mut self.groups);
        let mut joined: Vec<ObjectId> = Vec::new();
        groups.retain_mut(|group| {
            let meets = group.iter().any(|object| all.contains(object));
            if meets {
                joined.append(group);
            }
            !meets
        });
        for object in all {
            if !joined.contains(&object) {
                joined.push(object);
            }
        }
        groups.push(joined);
    }

    /// The objects that are one segment with an object.
    pub fn group(&self, object: ObjectId) -> &[ObjectId] {
        let mut all = self.groups.iter();
        all.find(|group| group.contains(&object))
            .map_or(&[], Vec::as_slice)
    }

    fn class_of(&self, info: &ObjectInfo) -> Option<ObjectClass> {
        let known = self.classes.as_ref()?;
        match info.kind {
            ObjectKind::Heap => {
                let by = self.made.as_ref()?.by.get(&info.object)?;
                let (function, place) = *by.first()?;
                known.classes.of_site(function, place)
            }
            ObjectKind::Global | ObjectKind::Constant => {
                let global = known.globals.get(&info.object.slot())?;
                Some(known.classes.of_global(*global))
            }
            ObjectKind::Stack | ObjectKind::Mapped | ObjectKind::Kernel => None,
        }
    }
}

/// Notes by which calls objects were made that a function without a body returned.
pub(crate) fn note_made(
    step: &StepContext<'_>,
    state: &mut State,
    answer: &[AnyValue<Word, BitVec>],
) {
    let Some(made) = &mut state.domain.segments.made else {
        return;
    };
    let memory = &state.domain.memory;
    for any in answer {
        let AnyValue::Value(word) = any else {
            continue;
        };
        if word.object.object_unknown() {
            continue;
        }
        let Ok(info) = memory.info(*word) else {
            continue;
        };
        if info.kind == ObjectKind::Heap && !made.by.contains_key(&info.object) {
            let mut calls = state.thread.trace(&step.table);
            calls.truncate(made.frames as usize + 1);
            Rc::make_mut(&mut made.by).insert(info.object, calls.into());
        }
    }
}

/// Whether an object may be a member of a segment.
fn is_usable(domain: &SymbolicDomain, info: &ObjectInfo, length: u64, write: bool) -> bool {
    let kind = match info.kind {
        ObjectKind::Heap | ObjectKind::Global => true,
        ObjectKind::Constant => !write,
        ObjectKind::Stack => !has_missing(domain, info),
        ObjectKind::Mapped | ObjectKind::Kernel => false,
    };
    kind && !info.open && info.size >= length && info.size == info.capacity
}

/// Whether an object has bytes of arguments that were not passed: to read them is an error of its own.
fn has_missing(domain: &SymbolicDomain, info: &ObjectInfo) -> bool {
    let at = Word {
        bits: info.address,
        object: info.object,
    };
    let mut parts = Vec::new();
    if domain
        .memory
        .load_parts(at, info.capacity, &mut parts)
        .is_err()
    {
        return true;
    }
    parts.iter().any(|part| match part {
        ReadPart::Cell {
            cell: Cell::Origin { origin, .. },
            ..
        } => *origin == OriginId::MISSING,
        ReadPart::Cell { .. } | ReadPart::Known { .. } => false,
    })
}

/// The objects of these that may be members, in order of addresses; none if they are one or too many.
pub(crate) fn usable(
    domain: &SymbolicDomain,
    objects: impl Iterator<Item = ObjectId>,
    length: u64,
    write: bool,
) -> Option<Vec<ObjectInfo>> {
    let info = |object| domain.memory.info(Word { bits: 0, object }).ok();
    let all = objects.filter_map(info);
    let mut all: Vec<ObjectInfo> = all
        .filter(|info| is_usable(domain, info, length, write))
        .collect();
    all.sort_unstable_by_key(|info| info.address);
    all.dedup_by_key(|info| info.object);
    let few = (2..=MOST_MEMBERS).contains(&all.len());
    (few && segment_arrays::are_few(&all)).then_some(all)
}

/// How the objects of one access are found.
pub(crate) struct Finder {
    length: u64,
    write: bool,
    /// Those that were found by queries.
    found: Option<Vec<ObjectInfo>>,
}

impl Finder {
    /// Finds the objects of an access by queries, if that is the way.
    pub fn new(
        step: &mut StepContext<'_>,
        state: &State,
        objects: &[ObjectInfo],
        address: &Term,
        (length, write): (u64, bool),
    ) -> Finder {
        let segments = &state.domain.segments;
        let found = match segments.resolution {
            Resolution::Flow => None,
            Resolution::Scan | Resolution::Context { .. } => {
                Scan::new(step, state, objects, address, length).found(write)
            }
        };
        Finder {
            length,
            write,
            found,
        }
    }

    /// The segment of an object that a value of the address is in.
    pub fn segment(
        &self,
        state: &State,
        objects: &[ObjectInfo],
        info: &ObjectInfo,
    ) -> Option<Vec<ObjectInfo>> {
        let segments = &state.domain.segments;
        let members = match &self.found {
            Some(found) => found.clone(),
            None => {
                let class = segments.class_of(info)?;
                let same = objects
                    .iter()
                    .filter(|other| segments.class_of(other) == Some(class));
                let same = same.map(|other| other.object);
                usable(&state.domain, same, self.length, self.write)?
            }
        };
        let is_member = members.iter().any(|member| member.object == info.object);
        is_member.then_some(members)
    }
}

/// The segment that a path accessed before which is run again.
pub(crate) fn replayed(
    state: &State,
    objects: &[ObjectInfo],
    first: ObjectId,
    (length, write): (u64, bool),
) -> Option<Vec<ObjectInfo>> {
    // A decision for one object names no members.
    state.guide.replayed_members().next()?;
    let segments = &state.domain.segments;
    if segments.by_form() {
        let info = objects.iter().find(|info| info.object == first)?;
        let finder = Finder {
            length,
            write,
            found: None,
        };
        return finder.segment(state, objects, info);
    }
    let joined = state.guide.replayed_members();
    let named = std::iter::once(first).chain(joined);
    let all = named.flat_map(|object| {
        let group = segments.group(object).iter().copied();
        std::iter::once(object).chain(group)
    });
    usable(&state.domain, all, length, write)
}

/// The members of an access that was decided; an error if nothing was, and nothing if it is to one object.
fn decided(
    domain: &SymbolicDomain,
    at: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> Result<Option<Vec<ObjectInfo>>, AccessError> {
    let is_ours = domain.segments.is_on() && at.object.object_unknown() && !domain.reaches_any;
    if !is_ours || domain.decided_access(at, length).is_some() {
        return Ok(None);
    }
    let undecided = || {
        AccessError::Undecided(Undecided::Segment {
            address: Rc::clone(at),
            length,
            write,
        })
    };
    let members = domain.decided_segment(at, length).ok_or_else(undecided)?;
    let info = |object: &ObjectId| {
        let (bits, object) = (0, *object);
        domain.memory.info(Word { bits, object })
    };
    let members: Result<Vec<ObjectInfo>, _> = members.iter().map(info).collect();
    let members = members?;
    let is_usable = |info: &ObjectInfo| is_usable(domain, info, length, write);
    match members.iter().all(is_usable) {
        true => Ok(Some(members)),
        // It was read before, and is written now.
        false => Err(undecided()),
    }
}

/// Reads in a segment; nothing if the access is not to one.
pub(crate) fn load(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    bytes: u32,
) -> Result<Option<Value>, AccessError> {
    let Some(members) = decided(domain, at, u64::from(bytes), false)? else {
        return Ok(None);
    };
    domain.cx.count_choice(&members);
    Ok(Some(segment_arrays::read(
        domain, &members, &at.term, bytes,
    )))
}

/// Writes in a segment; whether the access is to one.
pub(crate) fn store(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    value: &Term,
    object: ObjectId,
) -> Result<bool, AccessError> {
    let length = u64::from(value.width() / 8);
    let Some(members) = decided(domain, at, length, true)? else {
        return Ok(false);
    };
    domain.cx.count_choice(&members);
    segment_arrays::write(domain, &members, &at.term, value, object)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Resolution, Segments};
    use cairn_memory::ObjectId;

    #[test]
    fn ways_to_find_objects_have_names() {
        let read = |name: &str| name.parse::<Resolution>();
        assert_eq!(read("flow"), Ok(Resolution::Flow));
        assert_eq!(read("scan"), Ok(Resolution::Scan));
        assert_eq!(read("context:4"), Ok(Resolution::Context { frames: 4 }));
        for wrong in ["", "context", "context:", "context:-1", "Scan"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn segments_that_meet_become_one() {
        let object = |n: u64| ObjectId::from_raw(n << 32 | 2);
        let mut segments = Segments::default();
        segments.join(object(1), &[object(2)]);
        segments.join(object(3), &[object(4)]);
        let before = segments.clone();
        assert_eq!(segments.group(object(1)), [object(1), object(2)]);
        assert_eq!(segments.group(object(5)), []);
        segments.join(object(4), &[object(2), object(5)]);
        let mut all = segments.group(object(1)).to_vec();
        all.sort_unstable_by_key(|o| o.raw());
        assert_eq!(all, (1..=5).map(object).collect::<Vec<_>>());
        assert_eq!(before.group(object(4)), [object(3), object(4)]);
    }
}
