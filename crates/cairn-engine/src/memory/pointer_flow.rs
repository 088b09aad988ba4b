//! Which addresses a pointer that is a term chooses between, and terms of what is chosen with it.
//!
//! # Problem
//!
//! A pointer that was read from a table of pointers is a term: one element of the table, whichever a symbolic
//! index says. Where it may point to is then found by its value, an object at a time, and each is a path.
//!
//! # Idea
//!
//! The addresses are written in the term: in the arms of its choices, in the tables and stores that it selects
//! from. A function of an address becomes a term of the same choices, with each address replaced by
//! what the function has for it ([`Flow::map`]): what memory holds there, which object it is in, how far it is from that object's
//! beginning, whether an access is possible. A read through an element of a table of pointers is so the same element of
//! a table of what they point to; nothing is nested, and the next read through it is again one of a table.
//!
//! The idea of reading all objects of a pointer as one array is [Trabish24, chapter 3], where objects become segments of one array of bytes and pointers are translated into it. Here the
//! translation is the choice itself, so that an access at a known distance needs no array of bytes and no bounds.
//!
//! # Soundness
//!
//! A number that was added to a choice does not change whose the pointer is: each address keeps the numbers that it was before.
//! The choices of the term stay as they are, so for every input the result is the function of the address that the pointer has.
//! Elements of a table that no index can reach (`memory/positions.rs`) are left out: their result is any number.
//!
//! # Cost
//!
//! A walk of the term, and of the tables in it, for each access; at most [`MOST_STEPS`] terms and elements, or it gives
//! up. A table of the results is as long as the table of pointers.

use crate::memory::pointer_map::Mapping;
use crate::memory::positions::{InsideOffsets, Positions};
use crate::values::symbolic_domain::SymbolicDomain;
use cairn_expr::{BitVec, Op, Table, Term, TermStore, possible_values};
use cairn_memory::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Terms and elements of tables that are looked at.
const MOST_STEPS: usize = 1 << 17;

/// How deep choices may be nested.
const DEEPEST: u32 = 64;

/// Values of a term that are listed, at most.
const MOST_VALUES: usize = 1 << 12;

/// An address in a term, before numbers are added to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    /// The address.
    pub number: u64,
    /// The object that it is written with; none if it is a number.
    pub of: ObjectId,
}

impl From<u64> for Leaf {
    fn from(number: u64) -> Self {
        Leaf {
            number,
            of: ObjectId::NONE,
        }
    }
}

/// Numbers in a term that are one address.
pub(crate) type Leaves = SmallVec<[Leaf; 1]>;

/// A pointer as a choice between addresses.
pub(crate) struct Flow<'a> {
    choice: &'a Term,
    /// All that may be chosen, by the form of the term; perhaps more. Each with the numbers that it was before
    /// constants were added.
    pub addresses: BTreeMap<u64, Leaves>,
    inside: &'a InsideOffsets,
    /// Whether functions of the address compare it with each.
    is_compared: bool,
    /// Whether a number that is not known is added to some of them: the addresses are those before.
    is_moved: bool,
}

impl<'a> Flow<'a> {
    /// The choice that a term is, if it is one.
    pub fn of(choice: &'a Term, inside: &'a InsideOffsets) -> Option<Flow<'a>> {
        Flow::perhaps_moved(choice, inside).filter(|flow| !flow.is_moved)
    }

    /// The same; a symbolic number may be added to an address that is written with its object.
    fn perhaps_moved(choice: &'a Term, inside: &'a InsideOffsets) -> Option<Flow<'a>> {
        let mut addresses = BTreeMap::new();
        let mut walk = Walk {
            steps: MOST_STEPS,
            seen: FxHashSet::default(),
            inside,
            is_moved: false,
        };
        walk.collect(choice, 0, DEEPEST, &mut addresses)?;
        Some(Flow {
            choice,
            addresses,
            inside,
            is_compared: false,
            is_moved: walk.is_moved,
        })
    }

    /// What is added to the address that is chosen.
    fn distance(&self, store: &TermStore) -> Option<Term> {
        let zero = store.bv(self.choice.width(), 0);
        let results = self.addresses.keys().map(|at| (*at, zero.clone()));
        let mut mapping = Mapping {
            store,
            results: &results.collect(),
            any: &zero,
            inside: self.inside,
            done: FxHashMap::default(),
            adds: true,
        };
        mapping.term(self.choice, 0)
    }

    /// The same, where functions of the address compare it with each address, one after the other, instead of following the choice.
    pub fn compared(self) -> Flow<'a> {
        Flow {
            is_compared: true,
            ..self
        }
    }

    /// Whether the addresses are those before a number was added that is not known.
    pub fn is_moved(&self) -> bool {
        self.is_moved
    }

    /// The term.
    pub fn choice(&self) -> &Term {
        self.choice
    }

    /// The term that has the value of a function of the address that is chosen; `None` if it is too large. All results
    /// have one width.
    pub fn map(&self, store: &TermStore, function: &impl Fn(u64) -> Term) -> Option<Term> {
        let results = self.addresses.iter();
        let results: FxHashMap<u64, Term> = results.map(|(a, _)| (*a, function(*a))).collect();
        let mut first = results.values();
        let one = first.next()?;
        if first.all(|other| other == one) {
            return Some(one.clone());
        }
        if self.is_compared && !self.is_moved {
            return Some(self.compare(store, &results));
        }
        let mut mapping = Mapping {
            store,
            results: &results,
            any: one,
            inside: self.inside,
            done: FxHashMap::default(),
            adds: false,
        };
        mapping.term(self.choice, 0)
    }

    /// A result for each address: the last one for all that are not compared.
    fn compare(&self, store: &TermStore, results: &FxHashMap<u64, Term>) -> Term {
        let width = self.choice.width();
        let mut addresses = self.addresses.keys().rev();
        let last = addresses.next().expect("there are several results");
        addresses.fold(results[last].clone(), |others, at| {
            let is = store.eq(self.choice, &store.bv(width, *at));
            store.ite(&is, &results[at], &others)
        })
    }
}

/// All values that a term can have by its form, perhaps more; `None` if the form does not say it, or they are many.
pub(crate) fn values_by_form(domain: &SymbolicDomain, term: &Term) -> Option<Vec<u64>> {
    if let Some(flow) = Flow::of(term, &domain.inside_offsets) {
        let values = flow.addresses.into_keys();
        return (values.len() <= MOST_VALUES).then(|| values.collect());
    }
    let values = possible_values(term, MOST_VALUES)?;
    values.iter().map(BitVec::to_u64).collect()
}

/// The operand of a sum that is a choice between several addresses of objects, and what is added to it, if that is not known; or the term, if it
/// is a choice. `is_address` says whether a number is an address of an object.
pub(crate) fn split<'a>(
    store: &TermStore,
    sum: &'a Term,
    inside: &'a InsideOffsets,
    is_address: impl Fn(u64) -> bool,
) -> Option<(Flow<'a>, Option<Term>)> {
    if let Some(flow) = Flow::perhaps_moved(sum, inside) {
        let distance = match flow.is_moved {
            true => Some(flow.distance(store)?),
            false => None,
        };
        return Some((flow, distance));
    }
    let mut operands = Vec::new();
    let mut left = vec![sum];
    while let Some(term) = left.pop() {
        match term.op() {
            Op::BvAdd if operands.len() + left.len() < DEEPEST as usize => {
                left.extend(term.args());
            }
            _ => operands.push(term),
        }
    }
    let mut found: Option<(usize, Flow<'a>)> = None;
    for (i, operand) in operands.iter().enumerate() {
        if let Some(flow) = Flow::of(operand, inside)
            && flow.addresses.len() > 1
            && flow.addresses.keys().any(|a| is_address(*a))
            && found.replace((i, flow)).is_some()
        {
            return None;
        }
    }
    let (at, flow) = found?;
    operands.remove(at);
    let rest = operands.into_iter().cloned();
    let rest = rest.reduce(|sum, operand| store.bv_add(&sum, &operand));
    Some((flow, rest))
}

/// A constant of at most 64 bits.
pub(super) fn number(value: &BitVec) -> Option<u64> {
    (value.width() == u64::BITS).then(|| value.to_u64())?
}

/// A number, moved.
pub(super) fn moved(value: &BitVec, plus: u64) -> Option<u64> {
    Some(number(value)?.wrapping_add(plus))
}

/// The operand of a sum that is written with an object, if one alone is, and the other one.
pub(super) fn moved_pointer(sum: &Term) -> Option<(&Term, &Term)> {
    let (a, b) = (sum.arg(0), sum.arg(1));
    match (a.attributes().has_base, b.attributes().has_base) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        (true, true) | (false, false) => None,
    }
}

/// The elements of a table that an index can reach by its form, and beyond them the default.
pub(crate) fn elements<'a>(
    table: &'a Table,
    index: &Term,
    inside: &InsideOffsets,
) -> impl Iterator<Item = (usize, &'a BitVec)> {
    let positions = Positions::of(index, inside);
    let listed = table.values().len();
    // The element at the largest index is the default: it stands for all that are not listed.
    let places = positions
        .below(listed)
        .chain(positions.beyond(listed, table.index_width()));
    places.map(move |i| (i, table.values().get(i).unwrap_or(table.default_value())))
}

fn add(into: &mut BTreeMap<u64, Leaves>, leaf: Leaf, plus: u64) {
    let leaves = into.entry(leaf.number.wrapping_add(plus)).or_default();
    if !leaves.contains(&leaf) {
        leaves.push(leaf);
    }
}

struct Walk<'a> {
    steps: usize,
    seen: FxHashSet<(u32, u64)>,
    inside: &'a InsideOffsets,
    /// Whether a symbolic number is added to an address.
    is_moved: bool,
}

impl Walk<'_> {
    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    /// Adds the addresses of a choice, each moved by a number.
    fn collect(
        &mut self,
        term: &Term,
        plus: u64,
        depth: u32,
        into: &mut BTreeMap<u64, Leaves>,
    ) -> Option<()> {
        self.step()?;
        let below = depth.checked_sub(1)?;
        if !self.seen.insert((term.id(), plus)) {
            return Some(());
        }
        match term.op() {
            Op::Const(value) => {
                add(into, number(value)?.into(), plus);
            }
            Op::Base(base) => {
                let leaf = Leaf {
                    number: base.address,
                    of: ObjectId::from_raw(base.birth),
                };
                add(into, leaf, plus);
            }
            Op::BvAdd => match term.arg(1).as_const() {
                Some(by) => {
                    let by = number(by)?;
                    self.collect(term.arg(0), plus.wrapping_add(by), below, into)?;
                }
                None => {
                    let (pointer, _) = moved_pointer(term)?;
                    self.is_moved = true;
                    self.collect(pointer, plus, below, into)?;
                }
            },
            Op::Ite => {
                // A chain of choices may be long.
                let mut others = term;
                loop {
                    self.collect(others.arg(1), plus, below, into)?;
                    others = others.arg(2);
                    self.step()?;
                    if !matches!(others.op(), Op::Ite) || !self.seen.insert((others.id(), plus)) {
                        break;
                    }
                }
                if !matches!(others.op(), Op::Ite) {
                    self.collect(others, plus, below, into)?;
                }
            }
            Op::Select => self.array(term.arg(0), term.arg(1), plus, below, into)?,
            _ => return None,
        }
        Some(())
    }

    fn array(
        &mut self,
        array: &Term,
        index: &Term,
        plus: u64,
        depth: u32,
        into: &mut BTreeMap<u64, Leaves>,
    ) -> Option<()> {
        let mut at = array;
        loop {
            self.step()?;
            match at.op() {
                Op::Store => {
                    self.collect(at.arg(2), plus, depth, into)?;
                    at = at.arg(0);
                }
                Op::ConstArray { .. } => return self.collect(at.arg(0), plus, depth, into),
                Op::Table(table) => {
                    for (_, value) in elements(table, index, self.inside) {
                        self.step()?;
                        add(into, number(value)?.into(), plus);
                    }
                    return Some(());
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, split};
    use crate::memory::positions::InsideOffsets;
    use cairn_expr::{BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value};

    /// All values of two inputs of 4 bits, as models.
    fn models(inputs: &[Term; 2]) -> impl Iterator<Item = Model> {
        let inputs = inputs.clone();
        (0..256u64).map(move |bits| {
            let mut model = Model::new();
            for (input, bits) in inputs.iter().zip([bits & 15, bits >> 4]) {
                model.set(input.clone(), Value::Bv(BitVec::new(4, bits)));
            }
            model
        })
    }

    fn table(store: &TermStore, values: &[u64]) -> Term {
        let values = values.iter().map(|v| BitVec::new(64, *v)).collect();
        store.table(Table::new(4, values, BitVec::zero(64)))
    }

    /// A choice under choices: in arms, tables, stores at unknown places, arrays of one value, moved.
    fn choices(store: &TermStore, [x, y]: &[Term; 2]) -> Vec<Term> {
        let pointers = table(store, &[0x1000, 0x2000, 0, 0x1000, 0x3000, 7]);
        let read = store.select(&pointers, x);
        let condition = store.bv_ult(x, y);
        let arm = store.ite(&condition, &read, &store.bv(64, 0x2010));
        let far = store.bv_add(&arm, &store.bv(64, u64::MAX - 3));
        let written = store.store(&pointers, y, &far);
        let again = store.select(&written, x);
        let all = store.const_array(4, &arm);
        let of_all = store.select(&store.store(&all, x, &read), y);
        vec![read, arm, far, again, of_all]
    }

    fn value(evaluator: &mut Evaluator, term: &Term, model: &Model) -> u64 {
        evaluator.start();
        evaluator.eval_bv(term, model).low_u64()
    }

    #[test]
    fn what_is_mapped_is_the_function_of_the_address_that_is_chosen() {
        let store = TermStore::new();
        let inputs = ["x", "y"].map(|name| store.symbol(name, Sort::BitVec(4)));
        let unknown = store.zero_extend(&inputs[0], 12);
        let mut evaluator = Evaluator::new();
        let inside = InsideOffsets::default();
        for choice in choices(&store, &inputs) {
            let flow = Flow::of(&choice, &inside).expect("a choice");
            let constant = |at: u64| store.bv(16, at.wrapping_mul(40503) >> 3);
            // A result that is no constant.
            let open = |at: u64| match at {
                0x2000 => unknown.clone(),
                at => constant(at),
            };
            let compared = Flow::of(&choice, &inside).expect("a choice").compared();
            let compared = compared.map(&store, &open).expect("a condition for each");
            let mapped = flow.map(&store, &constant).expect("constants");
            let half_open = flow.map(&store, &open).expect("few are terms");
            for model in models(&inputs) {
                let at = value(&mut evaluator, &choice, &model);
                assert!(flow.addresses.contains_key(&at), "{at:#x} of {choice:?}");
                let all = [
                    (&mapped, constant(at)),
                    (&half_open, open(at)),
                    (&compared, open(at)),
                ];
                for (term, result) in all {
                    let expected = value(&mut evaluator, &result, &model);
                    assert_eq!(value(&mut evaluator, term, &model), expected);
                }
            }
        }
    }

    /// A thousand choices, each in the other arm of the one before.
    #[test]
    fn a_chain_of_choices_may_be_long() {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::BitVec(16));
        let at = |i: u64| store.bv(64, 0x1000 + 16 * i);
        let choice = (0..1000).rev().fold(at(1000), |others, i| {
            store.ite(&store.eq(&x, &store.bv(16, i)), &at(i), &others)
        });
        let inside = InsideOffsets::default();
        let flow = Flow::of(&choice, &inside).expect("a choice");
        assert_eq!(flow.addresses.len(), 1001);
        let number = |at: u64| store.bv(8, (at >> 4) * 7);
        let mapped = flow.map(&store, &number).expect("constants");
        let mut evaluator = Evaluator::new();
        for i in [0, 1, 500, 999, 1000, 5000] {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(BitVec::new(16, i)));
            let expected = ((0x100 + i.min(1000)) * 7) & 0xff;
            assert_eq!(value(&mut evaluator, &mapped, &model), expected, "{i}");
        }
    }

    /// Of elements that lie apart only those count that an offset can be at.
    #[test]
    fn elements_that_no_offset_reaches_are_no_addresses() {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::BitVec(8));
        let offset = store.bv_mul(&store.zero_extend(&x, 56), &store.bv(64, 24));
        let offset = store.bv_add(&offset, &store.bv(64, 8));
        let values: Vec<u64> = (0..12).collect();
        let pointers = table(&store, &values);
        let index = store.extract(&offset, 6, 3);
        let choice = store.select(&pointers, &index);
        let mut inside = InsideOffsets::default();
        let of = |inside: &InsideOffsets| {
            let flow = Flow::of(&choice, inside).expect("a choice");
            flow.addresses.keys().copied().collect::<Vec<_>>()
        };
        // The offset may be larger than the table: 24 goes round into every element.
        assert_eq!(of(&inside), (0..12).collect::<Vec<u64>>());
        inside.note(&store.bv_add(&offset, &store.bv(64, u64::MAX - 7)), 8);
        // Behind the table's 12 elements are zeros.
        assert_eq!(of(&inside), [0, 1, 4, 7, 10]);
    }

    /// Every index that a value of the input gives is among those that the form says, whatever was cut off.
    #[test]
    fn no_element_is_left_out_that_an_index_reaches() {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::BitVec(8));
        let values: Vec<u64> = (0..256).map(|i| 0x1000 + i).collect();
        let values = values.iter().map(|v| BitVec::new(64, *v)).collect();
        let pointers = store.table(Table::new(8, values, BitVec::zero(64)));
        let wide = store.zero_extend(&x, 24);
        let signed = store.sign_extend(&x, 24);
        let mut evaluator = Evaluator::new();
        let inside = InsideOffsets::default();
        for (factor, plus) in [(3, 1), (3, 250), (24, 8), (5, 0xffff_fff0), (1, 7), (16, 4)] {
            for input in [&wide, &signed] {
                let product = store.bv_mul(input, &store.bv(32, factor));
                let sum = store.bv_add(&product, &store.bv(32, plus));
                for index in [
                    store.extract(&sum, 7, 0),
                    store.extract(&sum, 10, 3),
                    store.zero_extend(&store.extract(&sum, 6, 1), 2),
                ] {
                    let choice = store.select(&pointers, &index);
                    let flow = Flow::of(&choice, &inside).expect("a choice");
                    for bits in 0..256 {
                        let mut model = Model::new();
                        model.set(x.clone(), Value::Bv(BitVec::new(8, bits)));
                        let at = value(&mut evaluator, &choice, &model);
                        assert!(flow.addresses.contains_key(&at), "{factor} {plus} {at:#x}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_pointer_of_a_sum_is_its_one_choice_of_addresses() {
        let store = TermStore::new();
        let inputs = ["x", "y"].map(|name| store.symbol(name, Sort::BitVec(4)));
        let [x, y] = &inputs;
        let pointers = store.select(&table(&store, &[0x1000, 0x2000]), x);
        let numbers = store.select(&table(&store, &[1, 3]), y);
        let wide = store.zero_extend(y, 60);
        let sum = store.bv_add(&store.bv_add(&numbers, &pointers), &wide);
        let sum = store.bv_add(&sum, &store.bv(64, 5));
        let is_address = |at: u64| at >= 0x1000;
        let inside = InsideOffsets::default();
        let (flow, rest) = split(&store, &sum, &inside, is_address).expect("one pointer");
        assert_eq!(flow.choice(), &pointers);
        let rest = rest.expect("numbers");
        let again = store.bv_add(&pointers, &rest);
        let mut evaluator = Evaluator::new();
        for model in models(&inputs) {
            let expected = value(&mut evaluator, &sum, &model);
            assert_eq!(value(&mut evaluator, &again, &model), expected);
        }
        let twice = store.bv_add(&sum, &store.select(&table(&store, &[0x3000, 0x4000]), y));
        assert!(split(&store, &twice, &inside, is_address).is_none());
        assert!(split(&store, &wide, &inside, is_address).is_none());
    }
}
