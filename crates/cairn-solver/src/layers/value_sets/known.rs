//! What a list of facts implies: sets of the inputs, over-approximations of subterms, and boxes.

use super::order::{LooseFacts, Order};
use cairn_domain::{Exact, Over, Under, ValueSet};
use cairn_expr::{BitVec, Model, Op, PersistentMap, Sort, SupportKey, Term, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// An input: a scalar symbol, or an element of an array symbol at a constant place. Packed so that
/// it can be looked up; the symbol's id is good as long as a fact that mentions it is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(pub(super) u64);

impl Key {
    /// The key of an input as the attributes of terms name it. `None` if the place is too far out.
    pub(super) fn of_support(key: &SupportKey) -> Option<Key> {
        let place = match key.cell {
            None => 0,
            Some(cell) => u32::try_from(cell).ok()?.checked_add(1)?,
        };
        Some(Key(u64::from(key.symbol) << 32 | u64::from(place)))
    }

    /// The key of a term that is an input.
    pub(super) fn of_term(term: &Term) -> Option<Key> {
        let symbol = |t: &Term| matches!(t.op(), Op::Symbol(_)).then(|| t.id());
        match term.op() {
            Op::Symbol(_) => Some(Key(u64::from(term.id()) << 32)),
            Op::Select => {
                let id = symbol(term.arg(0))?;
                let cell = Some(term.arg(1).as_const()?.to_u64()?);
                Key::of_support(&SupportKey { symbol: id, cell })
            }
            _ => None,
        }
    }

    pub(super) fn symbol(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn cell(self) -> Option<u64> {
        (self.0 & 0xffff_ffff).checked_sub(1)
    }
}

/// The facts that a bound follows from: a shared list with branches.
#[derive(Clone, Default)]
pub(super) struct Reasons(Option<Rc<ReasonNode>>);

struct ReasonNode {
    fact: Term,
    /// If the fact alone says that an input is in a set: that set.
    alone: Option<ValueSet>,
    before: Reasons,
    also: Vec<Reasons>,
}

/// How many facts of a list are checked for being implied by a new one.
const SUPERFLUOUS: usize = 4;
/// Entries of a list that are looked through for its facts.
const LONGEST: usize = 48;

impl Reasons {
    /// Whether it names no fact.
    pub(super) fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// One fact.
    pub(super) fn fact(fact: &Term) -> Reasons {
        Reasons::because(fact, Reasons::default(), Vec::new())
    }

    /// A fact and what it was read together with.
    pub(super) fn because(fact: &Term, before: Reasons, also: Vec<Reasons>) -> Reasons {
        let also = also.into_iter().filter(|w| w.0.is_some()).collect();
        Reasons(Some(Rc::new(ReasonNode {
            fact: fact.clone(),
            alone: None,
            before,
            also,
        })))
    }

    /// Several together.
    pub(super) fn all(reasons: Vec<Reasons>) -> Reasons {
        let mut reasons = reasons.into_iter().filter(|w| !w.is_nothing());
        let Some(first) = reasons.next() else {
            return Reasons::default();
        };
        match &first.0 {
            Some(node) => Reasons::because(&node.fact, first.clone(), reasons.collect()),
            None => first,
        }
    }

    /// The list for an input with one fact more, which by itself says that it is in a set. What
    /// says less is left out if it is near: a loop's `0 < n, 1 < n, …` stays short.
    pub(super) fn with_alone(&self, fact: &Term, set: &ValueSet) -> Reasons {
        let mut kept: SmallVec<[&Rc<ReasonNode>; SUPERFLUOUS]> = SmallVec::new();
        let mut at = self;
        for _ in 0..SUPERFLUOUS {
            let Some(node) = &at.0 else { break };
            let Some(other) = &node.alone else { break };
            if !set.is_subset(other) {
                kept.push(node);
            }
            at = &node.before;
        }
        let mut list = at.clone();
        for node in kept.into_iter().rev() {
            list = match &node.before.0 {
                Some(before) if list.0.as_ref().is_some_and(|l| Rc::ptr_eq(l, before)) => {
                    Reasons(Some(Rc::clone(node)))
                }
                None if list.0.is_none() => Reasons(Some(Rc::clone(node))),
                Some(_) | None => Reasons::link(&node.fact, node.alone.clone(), list),
            };
        }
        Reasons::link(fact, Some(set.clone()), list)
    }

    fn link(fact: &Term, alone: Option<ValueSet>, before: Reasons) -> Reasons {
        Reasons(Some(Rc::new(ReasonNode {
            fact: fact.clone(),
            alone,
            before,
            also: Vec::new(),
        })))
    }

    /// Enough of the facts of an input's list to leave nothing of a set, which a new fact alone
    /// says the input is in.
    pub(super) fn against(&self, fact: &Term, set: &ValueSet) -> Reasons {
        let mut left = set.clone();
        let mut found = Reasons::link(fact, None, Reasons::default());
        let mut at = self;
        while let Some(node) = &at.0 {
            let Some(other) = &node.alone else {
                // From here on the facts were read together.
                return Reasons::because(fact, at.clone(), vec![found]);
            };
            match left.intersect(other) {
                Some(less) if less == left => {}
                Some(less) => {
                    found = Reasons::link(&node.fact, None, found);
                    if less.is_empty() {
                        return found;
                    }
                    left = less;
                }
                None => found = Reasons::link(&node.fact, None, found),
            }
            at = &node.before;
        }
        // Not reached if the sets are what the facts say; all of them are certainly enough.
        Reasons::because(fact, self.clone(), Vec::new())
    }

    /// All facts, each once; `None` if the list is long.
    pub(super) fn facts(&self) -> Option<Vec<Term>> {
        // Mostly a few, and then looking through them is cheapest.
        let mut nodes: SmallVec<[&Rc<ReasonNode>; 16]> = SmallVec::new();
        let mut many: FxHashSet<*const ReasonNode> = FxHashSet::default();
        let mut work: SmallVec<[&Reasons; 16]> = SmallVec::new();
        work.push(self);
        while let Some(why) = work.pop() {
            let Some(node) = &why.0 else { continue };
            let new = if nodes.len() < 16 {
                !nodes.iter().any(|n| Rc::ptr_eq(n, node))
            } else {
                if many.is_empty() {
                    many.extend(nodes.iter().map(|n| Rc::as_ptr(n)));
                }
                many.insert(Rc::as_ptr(node))
            };
            if new {
                if nodes.len() == LONGEST {
                    return None;
                }
                nodes.push(node);
                work.push(&node.before);
                work.extend(node.also.iter());
            }
        }
        let mut found: Vec<Term> = nodes.iter().map(|n| n.fact.clone()).collect();
        if found.len() <= 16 {
            let mut kept = 0;
            for i in 0..found.len() {
                if !found[..kept].contains(&found[i]) {
                    found.swap(kept, i);
                    kept += 1;
                }
            }
            found.truncate(kept);
        } else {
            let mut listed: FxHashSet<Term> = FxHashSet::default();
            found.retain(|f| listed.insert(f.clone()));
        }
        Some(found)
    }
}

impl ReasonNode {
    /// Moves what it holds to a list.
    fn leave(&mut self, work: &mut SmallVec<[Rc<ReasonNode>; 4]>) {
        for why in std::iter::once(&mut self.before).chain(&mut self.also) {
            if let Some(node) = why.0.take() {
                work.push(node);
            }
        }
    }
}

impl Drop for ReasonNode {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut work = SmallVec::new();
        self.leave(&mut work);
        while let Some(node) = work.pop() {
            if let Some(mut node) = Rc::into_inner(node) {
                node.leave(&mut work);
            }
        }
    }
}

/// A set of values of an input, of the kind it is.
#[derive(Clone)]
pub(super) enum InputSet {
    /// Together with all other exact inputs' sets: the solutions, whatever the others are.
    Exact(Exact),
    /// It has no other values.
    Over(Over),
}

impl InputSet {
    pub(super) fn set(&self) -> &ValueSet {
        match self {
            InputSet::Exact(e) => e.set(),
            InputSet::Over(o) => o.set(),
        }
    }

    pub(super) fn is_exact(&self) -> bool {
        matches!(self, InputSet::Exact(_))
    }
}

/// An input with its set.
#[derive(Clone)]
pub(super) struct LearnedInput {
    pub(super) symbol: Term,
    pub(super) key: Key,
    pub(super) known: InputSet,
    pub(super) why: Reasons,
}

impl LearnedInput {
    /// An input that nothing is known about; `None` if it has no words of at most 64 bits.
    pub(super) fn unknown(symbol: &Term, key: Key) -> Option<LearnedInput> {
        let width = match (symbol.sort(), key.cell()) {
            (Sort::Bool, None) => 1,
            (Sort::BitVec(w), None) => w,
            (Sort::Array { value, .. }, Some(_)) => value,
            (Sort::Array { .. }, None) | (Sort::Bool | Sort::BitVec(_), Some(_)) => return None,
        };
        (width <= 64).then(|| LearnedInput {
            symbol: symbol.clone(),
            key,
            known: InputSet::Exact(Exact::full(width)),
            why: Reasons::default(),
        })
    }

    /// Its value in a model; zero if not listed.
    pub(super) fn value_in(&self, model: &Model) -> u64 {
        match (model.get(&self.symbol), self.key.cell()) {
            (None, _) => 0,
            (Some(Value::Bool(b)), _) => u64::from(*b),
            (Some(Value::Bv(v)), _) => v.low_u64(),
            (Some(Value::Array(_)), None) => 0,
            (Some(Value::Array(a)), Some(cell)) => {
                a.get(&BitVec::new(a.index_width(), cell)).low_u64()
            }
        }
    }

    /// Gives it a value in a model.
    pub(super) fn write(&self, model: &mut Model, word: u64) {
        match (self.symbol.sort(), self.key.cell()) {
            (Sort::Bool, _) => model.set(self.symbol.clone(), Value::Bool(word == 1)),
            (Sort::BitVec(w), _) => {
                model.set(self.symbol.clone(), Value::Bv(BitVec::new(w, word)));
            }
            (Sort::Array { index, value }, cell) => {
                let place = BitVec::new(index, cell.unwrap_or(0));
                let array = model.array_mut(&self.symbol);
                array.set(place, BitVec::new(value, word));
            }
        }
    }
}

/// A term that some fact constrains, with its over-set.
pub(super) struct BoundedTerm {
    pub(super) term: Term,
    pub(super) over: Over,
    pub(super) why: Reasons,
}

/// Sets whose product, together with the exact sets of all other inputs, is within the solutions.
#[derive(Clone, Default)]
pub(super) struct UnderBox {
    pub(super) sets: PersistentMap<(Key, Under)>,
}

/// How many boxes are kept for a list of facts.
pub(super) const BOXES: usize = 2;
/// How many goals' sets are attached to a list for its children: both sides of a branch, and some more.
const GOALS: usize = 4;

pub(super) type Boxes = SmallVec<[Rc<UnderBox>; BOXES]>;
type Goals = SmallVec<[(Term, Rc<LearnedBoxes>); GOALS]>;

/// From so many changes on a list of facts gets a model of its own before questions are asked about it.
const MUCH: usize = 16;

/// Inputs whose sets changed, shared with the prefixes.
#[derive(Clone, Default)]
struct Changed {
    last: Option<Rc<ChangedInput>>,
    len: usize,
}

struct ChangedInput {
    key: Key,
    before: Option<Rc<ChangedInput>>,
}

impl Changed {
    fn push(&mut self, key: Key) {
        self.len += 1;
        let before = self.last.take();
        self.last = Some(Rc::new(ChangedInput { key, before }));
    }

    /// The inputs, some of them more than once; `None` if all there are take no longer.
    fn keys(&self, all: usize) -> Option<impl Iterator<Item = Key>> {
        let mut at = self.last.as_deref();
        let keys = std::iter::from_fn(move || {
            let here = at?;
            at = here.before.as_deref();
            Some(here.key)
        });
        (self.len < all).then_some(keys)
    }
}

impl Drop for ChangedInput {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.before.take();
        }
    }
}

/// A model of a list of facts or of a prefix.
///
/// Invariant, as long as the list has boxes: where the model has a value for an input that is not in the input's
/// set, or not in its set in the first box, the input is listed as changed. So a model of the list is found at the
/// price of what changed since the last one, however many inputs there are.
#[derive(Clone, Default)]
struct KnownModel {
    last: Rc<Model>,
    /// Since the list that it was a model of.
    changed: Changed,
    /// It is a model of this list.
    is_found: bool,
}

/// Everything learned about a list of facts, attached to it.
pub(super) struct LearnedBoxes {
    pub(super) inputs: PersistentMap<Rc<LearnedInput>>,
    pub(super) bounded: PersistentMap<Rc<BoundedTerm>>,
    /// Facts that cannot hold together.
    pub(super) contradiction: Option<Reasons>,
    /// Whether some fact concerns inputs that have no set here: then nothing is proved possible.
    pub(super) opaque: bool,
    pub(super) boxes: RefCell<Boxes>,
    /// Order between words.
    pub(super) order: Order,
    /// Facts that neither sets nor the order hold.
    pub(super) loose: LooseFacts,
    model: RefCell<KnownModel>,
    /// Results of learning goals that were asked here, newest last.
    goals: RefCell<Goals>,
}

impl Default for LearnedBoxes {
    /// Nothing: one box, of everything.
    fn default() -> Self {
        LearnedBoxes {
            inputs: PersistentMap::default(),
            bounded: PersistentMap::default(),
            contradiction: None,
            opaque: false,
            order: Order::default(),
            loose: LooseFacts::default(),
            boxes: RefCell::new(SmallVec::from_elem(Rc::default(), 1)),
            model: RefCell::default(),
            goals: RefCell::default(),
        }
    }
}

impl LearnedBoxes {
    /// The same without the goals.
    pub(super) fn copy(&self) -> LearnedBoxes {
        LearnedBoxes {
            inputs: self.inputs.clone(),
            bounded: self.bounded.clone(),
            contradiction: self.contradiction.clone(),
            opaque: self.opaque,
            order: self.order.clone(),
            loose: self.loose.clone(),
            boxes: RefCell::new(self.boxes.borrow().clone()),
            model: RefCell::new(KnownModel {
                is_found: false,
                ..self.model.borrow().clone()
            }),
            goals: RefCell::default(),
        }
    }

    pub(super) fn input(&self, key: Key) -> Option<&Rc<LearnedInput>> {
        self.inputs.get(key.0)
    }

    /// The goal's sets if it was asked here.
    pub(super) fn with_goal(&self, goal: &Term) -> Option<Rc<LearnedBoxes>> {
        let goals = self.goals.borrow();
        let (_, found) = goals.iter().find(|(g, _)| g == goal)?;
        Some(Rc::clone(found))
    }

    pub(super) fn remember(&self, goal: &Term, learned: &Rc<LearnedBoxes>) {
        let mut goals = self.goals.borrow_mut();
        if goals.len() == GOALS {
            goals.remove(0);
        }
        goals.push((goal.clone(), Rc::clone(learned)));
    }

    /// The values an input may have in a box.
    pub(super) fn set_in<'a>(
        &'a self,
        chosen: &'a UnderBox,
        input: &'a LearnedInput,
    ) -> &'a ValueSet {
        match chosen.sets.get(input.key.0) {
            Some((_, under)) => under.set(),
            None => input.known.set(),
        }
    }

    /// A value of an input that was good for the facts before.
    pub(super) fn earlier_value(&self, input: &LearnedInput) -> u64 {
        input.value_in(&self.model.borrow().last)
    }

    /// The model of these facts or of a prefix.
    pub(super) fn earlier_model(&self) -> Rc<Model> {
        Rc::clone(&self.model.borrow().last)
    }

    /// Notes that the set of an input, or its set in the first box, is another one than that of the prefix: the
    /// model may have another value for it.
    pub(super) fn note_changed(&self, key: Key) {
        self.model.borrow_mut().changed.push(key);
    }

    /// Notes that another box than the first of the prefix has become the first one.
    pub(super) fn note_other_box(&self, before: &UnderBox, now: &UnderBox) {
        let changed = &mut self.model.borrow_mut().changed;
        before.sets.differing(&now.sets, |a, b| {
            if let Some((key, _)) = a.or(b) {
                changed.push(*key);
            }
        });
    }

    /// The inputs for which the model of a prefix may have a value that is in none of their sets; each at least
    /// once.
    pub(super) fn unsure_inputs(&self) -> SmallVec<[&Rc<LearnedInput>; 8]> {
        match self.model.borrow().changed.keys(self.inputs.len()) {
            Some(keys) => keys.filter_map(|key| self.input(key)).collect(),
            None => self.inputs.values().collect(),
        }
    }

    /// Whether so much changed since the last model that each question about these facts had to look at it.
    pub(super) fn wants_model(&self) -> bool {
        self.contradiction.is_none() && self.model.borrow().changed.len > MUCH
    }

    /// Keeps a model of these facts that was found otherwise.
    pub(super) fn found(&self, model: &Rc<Model>) {
        *self.model.borrow_mut() = KnownModel {
            last: Rc::clone(model),
            changed: Changed::default(),
            is_found: true,
        };
    }

    /// A model: the one that was found, or a point of the first box, near the one before.
    pub(super) fn model(&self) -> Option<Rc<Model>> {
        if self.model.borrow().is_found {
            return Some(self.earlier_model());
        }
        let boxes = self.boxes.borrow();
        let chosen = boxes.first()?;
        let mut model = self.earlier_model();
        for input in self.unsure_inputs() {
            let word = input.value_in(&model);
            let set = self.set_in(chosen, input);
            if !set.contains(word) {
                input.write(Rc::make_mut(&mut model), set.nearest(word)?);
            }
        }
        self.found(&model);
        Some(model)
    }

    /// Keeps a model as a box of one point for the inputs that are not exact.
    pub(super) fn keep_model(&self, model: &Rc<Model>) {
        if self.opaque || self.contradiction.is_some() {
            return;
        }
        let mut sets: PersistentMap<(Key, Under)> = PersistentMap::default();
        let mut whole = true;
        for input in self.inputs.values() {
            let word = input.value_in(model);
            whole &= input.known.set().contains(word);
            if !input.known.is_exact() {
                let point = ValueSet::point(input.known.set().width(), word);
                sets.insert(input.key.0, (input.key, Under::new(point)));
            }
        }
        // A model outside the over-sets would be a bug; it is not used.
        if whole {
            let mut boxes = self.boxes.borrow_mut();
            boxes.clear();
            boxes.push(Rc::new(UnderBox { sets }));
            drop(boxes);
            self.found(model);
        }
    }
}
