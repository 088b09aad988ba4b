//! What the states of one worker share: terms, coverage, evaluation.

use crate::config::Limits;
use crate::memory::scan::LearntContexts;
use crate::memory::segment_arrays::SegmentViews;
use crate::memory::views::ViewCache;
use crate::omission::StopCause;
use crate::values::operators::OperatorMemo;
use crate::values::symbolic_domain::AccessError;
use cairn_expr::{BitVec, Evaluator, Model, Term, TermStore};
use cairn_home::resident_bytes;
use cairn_memory::ObjectInfo;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Accesses by symbolic addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// At unknown offsets of arrays with elements of 1, 2, 4 and 8 bytes.
    pub of_bytes: [u64; 4],
    /// By a choice between addresses, as one path.
    pub by_choice: u64,
    /// The most bytes of all objects of one of those.
    pub largest_choice: u64,
    /// The bytes of the largest object that was accessed in parts.
    pub largest_split: u64,
    /// Queries by which objects of addresses were found.
    pub resolutions: u64,
}

/// See the module's head.
pub struct WorkerContext {
    /// Where terms are made.
    pub store: TermStore,
    /// How often states of this worker passed each point that the program began with.
    passes: Box<[Cell<u64>]>,
    /// The same of points that came later.
    later: RefCell<Vec<u64>>,
    /// A point that was passed at least as often as this is not noted.
    noted_below: u64,
    /// Points that were noted since they were last taken.
    noted: RefCell<Vec<u32>>,
    evaluator: RefCell<(Evaluator, Option<Rc<Model>>)>,
    /// Objects as arrays.
    pub(crate) views: RefCell<ViewCache>,
    /// Segments as arrays.
    pub(crate) segment_views: RefCell<SegmentViews>,
    /// Which contexts objects of pointers had.
    pub(crate) learnt: RefCell<LearntContexts>,
    /// Accesses at unknown offsets, by the power of two that their elements have bytes.
    accesses: Cell<Accesses>,
    /// Whether reasons are wanted, and the conditions that operations relied on since they were taken.
    wants_reasons: Cell<bool>,
    relied_on: RefCell<Vec<Term>>,
    /// What operators on terms gave last.
    pub(crate) operators: RefCell<OperatorMemo>,
    deadline: Option<Instant>,
    /// Bytes that the process may have resident.
    memory: Option<u64>,
    stop: Arc<AtomicBool>,
}

/// Inputs of fewer bytes are not looked at before they are made.
const LARGE_INPUT: u64 = 1 << 20;

/// How many times the bytes of an input are in memory when its path ends, measured.
const COPIES_OF_INPUT: u64 = 6;

impl WorkerContext {
    /// What the states of a worker share, for a program with this many points to cover, until a deadline or a stop.
    pub fn new(points: usize, limits: &Limits, stop: Arc<AtomicBool>) -> Self {
        WorkerContext {
            store: TermStore::new(),
            passes: (0..points).map(|_| Cell::new(0)).collect(),
            later: RefCell::default(),
            noted_below: 1,
            noted: RefCell::default(),
            evaluator: RefCell::default(),
            views: RefCell::default(),
            segment_views: RefCell::default(),
            learnt: RefCell::default(),
            accesses: Cell::default(),
            wants_reasons: Cell::new(false),
            relied_on: RefCell::default(),
            operators: RefCell::default(),
            deadline: limits.deadline(),
            memory: limits.memory,
            stop,
        }
    }

    /// The same, but a point is noted whenever it is passed, not only the first time.
    #[must_use]
    pub fn noting_every_pass(mut self) -> Self {
        self.noted_below = u64::MAX;
        self
    }

    /// From now on conditions that operations rely on are noted.
    pub fn want_reasons(&self) {
        self.wants_reasons.set(true);
    }

    /// An operation goes on as it does because of a condition that was decided before.
    #[inline]
    pub fn rely_on(&self, condition: &Term) {
        if self.wants_reasons.get() {
            self.relied_on.borrow_mut().push(condition.clone());
        }
    }

    /// The conditions that operations relied on since this was last asked.
    pub fn take_relied_on(&self) -> Vec<Term> {
        std::mem::take(&mut *self.relied_on.borrow_mut())
    }

    /// Gives back the room of a list that was taken and is empty now.
    pub(crate) fn reuse_relied_on(&self, list: Vec<Term>) {
        *self.relied_on.borrow_mut() = list;
    }

    /// Does something that leaves no trace in what is noted and counted here, but for coverage.
    pub(crate) fn quietly<T>(&self, work: impl FnOnce() -> T) -> T {
        let accesses = self.accesses.get();
        let relied_on = self.take_relied_on();
        let result = work();
        self.relied_on.replace(relied_on);
        self.accesses.set(accesses);
        result
    }

    /// Whether the process has more memory than it may. Reads a file of the kernel.
    pub fn over_memory(&self) -> bool {
        self.memory
            .is_some_and(|limit| resident_bytes().is_some_and(|bytes| bytes > limit))
    }

    /// Whether there is room for an input of so many bytes: its model, its test, the file of the test
    /// and the concrete machine that runs it again each hold all of them when its path ends.
    pub fn check_room(&self, input: u64) -> Result<(), AccessError> {
        let Some(limit) = self.memory.filter(|_| input >= LARGE_INPUT) else {
            return Ok(());
        };
        let needed = input.saturating_mul(COPIES_OF_INPUT);
        let resident = resident_bytes().unwrap_or(0);
        if resident.saturating_add(needed) > limit {
            return Err(AccessError::Interrupted(StopCause::Memory));
        }
        Ok(())
    }

    /// Whether a long operation may go on.
    pub fn check_time(&self) -> Result<(), AccessError> {
        let late = self.deadline.is_some_and(|d| Instant::now() >= d);
        if late || self.stop.load(Ordering::Relaxed) {
            return Err(AccessError::Interrupted(StopCause::Time));
        }
        if self.over_memory() {
            return Err(AccessError::Interrupted(StopCause::Memory));
        }
        Ok(())
    }

    /// Counts that a point was passed.
    #[inline(always)]
    pub fn pass(&self, point: u32) {
        let before = match self.passes.get(point as usize) {
            Some(counter) => {
                let before = counter.get();
                counter.set(before.wrapping_add(1));
                before
            }
            None => self.pass_later(point),
        };
        if before < self.noted_below {
            self.note(point);
        }
    }

    /// The same of a point that came later; how often it was passed before.
    #[cold]
    fn pass_later(&self, point: u32) -> u64 {
        let mut later = self.later.borrow_mut();
        let at = point as usize - self.passes.len();
        if later.len() <= at {
            later.resize(at + 1, 0);
        }
        let before = later[at];
        later[at] = before.wrapping_add(1);
        before
    }

    #[cold]
    fn note(&self, point: u32) {
        self.noted.borrow_mut().push(point);
    }

    /// The points that were noted since the last call, in their order: those that were passed for the
    /// first time, or all that were passed.
    pub fn take_noted(&self) -> Vec<u32> {
        std::mem::take(&mut self.noted.borrow_mut())
    }

    /// How often a point was passed.
    pub fn passes(&self, point: u32) -> u64 {
        let point = point as usize;
        match self.passes.get(point) {
            Some(counter) => counter.get(),
            None => {
                let later = self.later.borrow();
                later.get(point - self.passes.len()).copied().unwrap_or(0)
            }
        }
    }

    /// How often each point was passed.
    pub fn all_passes(&self) -> impl Iterator<Item = u64> {
        let later = self.later.borrow().clone();
        self.passes.iter().map(Cell::get).chain(later)
    }

    /// Counts an access at an unknown offset of an array with elements of this many bytes.
    pub(crate) fn count_access(&self, element: u32) {
        let mut accesses = self.accesses.get();
        accesses.of_bytes[element.trailing_zeros() as usize] += 1;
        self.accesses.set(accesses);
    }

    /// Counts an access by a choice between addresses of these objects that is one path.
    pub(crate) fn count_choice(&self, objects: &[ObjectInfo]) {
        let mut accesses = self.accesses.get();
        accesses.by_choice += 1;
        let bytes = objects.iter().map(|info| info.capacity).sum();
        accesses.largest_choice = accesses.largest_choice.max(bytes);
        self.accesses.set(accesses);
    }

    /// Notes that an object of so many bytes is accessed in parts.
    pub(crate) fn note_split(&self, bytes: u64) {
        let mut accesses = self.accesses.get();
        accesses.largest_split = accesses.largest_split.max(bytes);
        self.accesses.set(accesses);
    }

    /// Counts a query by which objects of an address are found.
    pub(crate) fn count_resolution(&self) {
        let mut accesses = self.accesses.get();
        accesses.resolutions += 1;
        self.accesses.set(accesses);
    }

    /// Accesses by symbolic addresses.
    pub(crate) fn accesses(&self) -> Accesses {
        self.accesses.get()
    }

    fn evaluated<T>(
        &self,
        model: &Rc<Model>,
        evaluate: impl FnOnce(&mut Evaluator, &Model) -> T,
    ) -> T {
        let mut guard = self.evaluator.borrow_mut();
        let (evaluator, last) = &mut *guard;
        if !last.as_ref().is_some_and(|last| Rc::ptr_eq(last, model)) {
            evaluator.start();
            *last = Some(Rc::clone(model));
        }
        evaluate(evaluator, model)
    }

    /// The value of a Boolean term under a model.
    pub fn holds(&self, model: &Rc<Model>, term: &Term) -> bool {
        self.evaluated(model, |evaluator, model| evaluator.eval_bool(term, model))
    }

    /// The value of a bit-vector term under a model.
    pub fn value(&self, model: &Rc<Model>, term: &Term) -> BitVec {
        self.evaluated(model, |evaluator, model| evaluator.eval_bv(term, model))
    }
}
