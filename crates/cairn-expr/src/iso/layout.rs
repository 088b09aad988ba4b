//! Whether terms look at where objects are.
//!
//! # Problem
//! A base has its address for a value. Terms that compare, mask or divide addresses may hold under one layout of memory and
//! not under another, though both have objects of the same sizes. What is known of one says nothing of the other.
//!
//! # Idea
//! Each term that has a base is one of few things: a number that is the same under every layout, an address that is a base
//! and an offset, an array of such, the distance of such an address from a base, or anything else. An address becomes a
//! number where it is compared in a way that objects decide alone.
//!
//! # What differs
//! The thesis \[Trabish24\] (section 4.3.3) leaves out queries that the engine knows to be about order, and takes the
//! program's own for well behaved. Here the terms decide, and equality of addresses in two objects counts only if both
//! offsets are proved to be inside: one past the end of an object may be the beginning of the next.
//!
//! # Soundness
//! A layout gives each object a place: above null, a multiple of its alignment, apart from all others, and not up to the
//! end of memory. Let a list be not sensitive. Then under two layouts and one assignment of symbols all members have the
//! same values. Offsets are numbers of their own, so by induction an address is, under both layouts, null, or the same
//! offset from the same object. Two addresses inside of objects are equal if object and offset are. An address less a base
//! is below the size of that base's object exactly if it is in that object, given that it is inside of its own. Order within
//! one object is that of offsets. Bits below the alignment are the offset's. Anything else is sensitive, and so is a list
//! whose own objects are not placed as a layout places them (one was freed before the other was made, for example).
//!
//! # Cost
//! One visit of each node; only lists with bases are looked at.

use super::graph::TermGraph;
use crate::{Base, BitVec, Op, Term};
use std::sync::Arc;

/// A list with more nodes is taken for sensitive.
const MOST_NODES: usize = 1 << 14;
/// Addresses in more objects are not followed.
const MOST_OBJECTS: usize = 32;

/// What an address can be: an offset from one of these bases, or null.
#[derive(Clone, Default)]
struct Addresses {
    /// Each with the largest offset from it, if that is known.
    bases: Vec<(Arc<Base>, Option<u64>)>,
    null: bool,
}

/// What a term's value is, seen from the layout.
#[derive(Clone)]
enum Seen {
    /// The same under every layout.
    Number,
    /// An address, or an array of addresses.
    Address(Addresses),
    /// A number less a base; the number is at most so large.
    Less(Arc<Base>, Option<u64>),
    /// An address less a base.
    Distance(Addresses, Arc<Base>),
    /// Anything.
    Other,
}

use Seen::{Address, Distance, Less, Number, Other};

impl Addresses {
    fn null() -> Self {
        Addresses {
            bases: Vec::new(),
            null: true,
        }
    }

    /// Those of either.
    fn or(mut self, other: &Addresses) -> Option<Addresses> {
        self.null |= other.null;
        for (base, most) in &other.bases {
            match self.bases.iter_mut().find(|(b, _)| b == base) {
                Some((_, known)) => *known = (*known).zip(*most).map(|(a, b)| a.max(b)),
                None => self.bases.push((Arc::clone(base), *most)),
            }
        }
        (self.bases.len() <= MOST_OBJECTS).then_some(self)
    }

    /// With a number of at most some size added.
    fn plus(mut self, more: Option<u64>) -> Seen {
        if self.null {
            return Other;
        }
        for (_, most) in &mut self.bases {
            *most = (*most).zip(more).and_then(|(a, b)| a.checked_add(b));
        }
        Address(self)
    }

    /// Whether all of them are in their objects, but for those of one base.
    fn inside_but_for(&self, spared: Option<&Base>) -> bool {
        self.bases.iter().all(|(base, most)| {
            spared == Some(&**base) || most.is_some_and(|most| most < base.capacity)
        })
    }

    /// The base, if it is only one and null is not among them.
    fn only(&self) -> Option<&Arc<Base>> {
        match self.bases.as_slice() {
            [(base, _)] if !self.null => Some(base),
            _ => None,
        }
    }

    /// Below which number bits are those of the offset alone.
    fn alignment(&self) -> u64 {
        let each = self.bases.iter().map(|(base, _)| base.alignment.max(1));
        each.min().unwrap_or(1)
    }
}

/// Whether objects are placed as a layout places them.
fn is_layout(bases: &[Arc<Base>]) -> bool {
    let mut ends: Vec<(u64, u64)> = Vec::with_capacity(bases.len());
    for base in bases {
        let aligned = base.alignment.max(1);
        let end = base.address.checked_add(base.capacity.max(1));
        let Some(end) = end.filter(|_| {
            base.address > 0 && aligned.is_power_of_two() && base.address.is_multiple_of(aligned)
        }) else {
            return false;
        };
        ends.push((base.address, end));
    }
    ends.sort_unstable();
    ends.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}

/// The largest value of a number, as far as its form tells.
fn most(term: &Term) -> Option<u64> {
    (term.width() <= 64).then_some(term.attributes().largest)
}

/// A term as an address: one, or the constant null.
fn as_addresses(term: &Term, seen: &Seen) -> Option<Addresses> {
    match seen {
        Address(addresses) => Some(addresses.clone()),
        Number if term.as_const().is_some_and(BitVec::is_zero) => Some(Addresses::null()),
        Number | Less(..) | Distance(..) | Other => None,
    }
}

/// An array as one of addresses: one, or one of nulls.
fn as_elements(array: &Term, seen: &Seen) -> Option<Addresses> {
    let nulls = match array.op() {
        Op::ConstArray { .. } => array.arg(0).as_const().is_some_and(BitVec::is_zero),
        Op::Table(table) => table.values().is_empty() && table.default_value().is_zero(),
        _ => false,
    };
    match seen {
        Address(addresses) => Some(addresses.clone()),
        Number if nulls => Some(Addresses::null()),
        Number | Less(..) | Distance(..) | Other => None,
    }
}

fn either(a: Option<Addresses>, b: Option<Addresses>) -> Seen {
    match (a, b) {
        (Some(a), Some(b)) => a.or(&b).map_or(Other, Address),
        (Some(_) | None, _) => Other,
    }
}

fn number_if(holds: bool) -> Seen {
    if holds { Number } else { Other }
}

fn distance(addresses: Addresses, base: &Arc<Base>) -> Seen {
    if addresses.only() == Some(base) {
        return Number;
    }
    Distance(addresses, Arc::clone(base))
}

fn sum(a: &Term, x: &Seen, b: &Term, y: &Seen) -> Seen {
    match (x, y) {
        (Number, Number) => Number,
        (Address(addresses), Number) => addresses.clone().plus(most(b)),
        (Number, Address(addresses)) => addresses.clone().plus(most(a)),
        (Less(base, more), Number) | (Number, Less(base, more)) => {
            let number = if matches!(x, Number) { a } else { b };
            let more = more.zip(most(number)).and_then(|(a, b)| a.checked_add(b));
            Less(Arc::clone(base), more)
        }
        (Address(addresses), Less(base, more)) | (Less(base, more), Address(addresses)) => {
            match (more, addresses.clone()) {
                (Some(0), addresses) => distance(addresses, base),
                (more, addresses) => match addresses.plus(*more) {
                    Address(addresses) => distance(addresses, base),
                    Number | Less(..) | Distance(..) | Other => Other,
                },
            }
        }
        (Distance(addresses, base), Number) | (Number, Distance(addresses, base)) => {
            let number = if matches!(x, Number) { a } else { b };
            match addresses.clone().plus(most(number)) {
                Address(addresses) => distance(addresses, base),
                Number | Less(..) | Distance(..) | Other => Other,
            }
        }
        (Number | Address(_) | Less(..) | Distance(..) | Other, _) => Other,
    }
}

fn equality(a: &Term, x: &Seen, b: &Term, y: &Seen) -> Seen {
    match (x, y) {
        (Number, Number) => return Number,
        (Distance(addresses, base), Number) | (Number, Distance(addresses, base)) => {
            let number = if matches!(x, Number) { a } else { b };
            let in_object = most(number).is_some_and(|most| most < base.capacity);
            return number_if(in_object && addresses.inside_but_for(Some(base)));
        }
        _ => {}
    }
    if a.sort().is_array() {
        return Other;
    }
    let (Some(p), Some(q)) = (as_addresses(a, x), as_addresses(b, y)) else {
        return Other;
    };
    let one = p.only().is_some() && p.only() == q.only();
    number_if(one || p.inside_but_for(None) && q.inside_but_for(None))
}

fn order(a: &Term, x: &Seen, b: &Term, y: &Seen) -> Seen {
    match (x, y) {
        (Number, Number) => Number,
        (Distance(addresses, base), Number) => number_if(
            most(b).is_some_and(|most| most <= base.capacity)
                && addresses.inside_but_for(Some(base)),
        ),
        (Number, Distance(addresses, base)) => number_if(
            most(a).is_some_and(|most| most < base.capacity)
                && addresses.inside_but_for(Some(base)),
        ),
        (Address(p), Address(q)) => number_if(
            p.only().is_some()
                && p.only() == q.only()
                && p.inside_but_for(None)
                && q.inside_but_for(None),
        ),
        (Number | Address(_) | Less(..) | Distance(..) | Other, _) => Other,
    }
}

fn all_numbers(args: &[&Seen]) -> bool {
    args.iter().all(|seen| matches!(seen, Number))
}

/// What an operator makes of its operands.
fn seen(term: &Term, args: &[&Seen]) -> Seen {
    if all_numbers(args) {
        return Number;
    }
    let arg = |i: usize| term.arg(i);
    match term.op() {
        Op::BvAdd => sum(arg(0), args[0], arg(1), args[1]),
        Op::BvNeg => match args[0] {
            Address(addresses) => match addresses.bases.as_slice() {
                [(base, Some(0))] if !addresses.null => Less(Arc::clone(base), Some(0)),
                _ => Other,
            },
            Number | Less(..) | Distance(..) | Other => Other,
        },
        Op::Eq => equality(arg(0), args[0], arg(1), args[1]),
        Op::BvUlt => order(arg(0), args[0], arg(1), args[1]),
        Op::Ite if !matches!(args[0], Number) => Other,
        Op::Ite if term.sort().is_array() => {
            either(as_elements(arg(1), args[1]), as_elements(arg(2), args[2]))
        }
        Op::Ite => match (args[1], args[2]) {
            (Distance(p, a), Distance(q, b)) if a == b => {
                p.clone().or(q).map_or(Other, |all| distance(all, a))
            }
            (x, y) => either(as_addresses(arg(1), x), as_addresses(arg(2), y)),
        },
        Op::Select => match (args[0], args[1]) {
            (Address(addresses), Number) => Address(addresses.clone()),
            _ => Other,
        },
        Op::Store if matches!(args[1], Number) => {
            either(as_elements(arg(0), args[0]), as_addresses(arg(2), args[2]))
        }
        Op::ConstArray { .. } => match args[0] {
            Address(addresses) => Address(addresses.clone()),
            Number | Less(..) | Distance(..) | Other => Other,
        },
        Op::Extract { hi, .. } => match args[0] {
            Address(addresses) if *hi < 64 => number_if(1 << hi < addresses.alignment()),
            Address(_) | Number | Less(..) | Distance(..) | Other => Other,
        },
        Op::BvAnd => match (args[0], args[1]) {
            (Address(addresses), Number) | (Number, Address(addresses)) => {
                let mask = arg(usize::from(matches!(args[0], Address(_))));
                number_if(most(mask).is_some_and(|most| most < addresses.alignment()))
            }
            _ => Other,
        },
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::BvNot
        | Op::BvOr
        | Op::BvXor
        | Op::BvMul
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::BvSlt
        | Op::Store => Other,
    }
}

/// Whether the values of Boolean terms may depend on where objects are that they name. If not, they hold under every
/// layout of objects of the same sizes and alignments under which they hold in one.
pub fn is_layout_sensitive(list: &[Term]) -> bool {
    if list.iter().all(|t| !t.attributes().has_base) {
        return false;
    }
    let Some(graph) = TermGraph::of(list, MOST_NODES) else {
        return true;
    };
    let mut bases: Vec<Arc<Base>> = Vec::new();
    let mut all: Vec<Seen> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let args: Vec<&Seen> = graph.args(i).iter().map(|a| &all[*a as usize]).collect();
        let found = match node.term.op() {
            Op::Base(base) => {
                bases.push(Arc::clone(base));
                Address(Addresses {
                    bases: vec![(Arc::clone(base), Some(0))],
                    null: false,
                })
            }
            _ => seen(&node.term, &args),
        };
        all.push(found);
    }
    let members = graph.roots.iter().map(|root| &all[*root as usize]);
    !is_layout(&bases) || members.into_iter().any(|member| !matches!(member, Number))
}
