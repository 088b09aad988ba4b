//! What an access by a pointer is that may be to several objects: the policies, and what the adaptive one decides.
//!
//! # Problem
//!
//! One path for all objects of a pointer saves the paths of all that are alike, and costs work at every access: the pointer's term is
//! walked, and what is read is a term where a path of its own would have a number. A hash table's entry is accessed a few
//! times; a text that is read to its end by such a pointer is accessed at each of its bytes, and each branch on a byte is a question.
//!
//! # Idea
//!
//! To rent is cheaper until the rent has reached the price. [`MemoryPolicy::Adaptive`] accesses all objects in one path until
//! the path has made [`MOST_RENTED`] accesses by the same choice; from then on the choice is a path for each object, where its value is
//! known and what is read by it is known too. What was read before stays a term.
//!
//! # Soundness
//!
//! Both ways are right at every access. Which one is taken depends on the path alone, so a path that is run again takes the same.
//!
//! # Cost
//!
//! A look along a short list for an access by a choice; copies of a state share it.

use cairn_expr::{BitVec, Op, Term};
use std::rc::Rc;
use std::str::FromStr;

/// What happens at an access by a pointer that may be to several objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MemoryPolicy {
    /// A path for each object.
    #[default]
    Fork,
    /// One path for all objects that the pointer's term chooses between: what is read is the same choice between what each has.
    Segments,
    /// The same, and what is read compares the pointer with each address, one after the other.
    Ite,
    /// A path for each object, and for each part of so many bytes of a large object that is accessed at an unknown offset.
    Split {
        /// Bytes of a part.
        bytes: u32,
    },
    /// One path for all objects of the classes that an analysis of the program makes before it runs.
    PointsTo,
    /// One path for all, and one for each where a pointer is used often.
    Adaptive {
        /// Accesses by one choice on a path that are to all of its objects.
        most: u32,
    },
}

/// No policy has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no policy {0}; there are fork, segments, ite, adaptive, adaptive:N, points-to and split:N"
)]
pub struct UnknownPolicy(String);

impl FromStr for MemoryPolicy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        let number = || name.strip_prefix("adaptive:")?.parse().ok();
        let part = |bytes: &u32| (1..=1 << 20).contains(bytes);
        let parts = || name.strip_prefix("split:")?.parse().ok().filter(part);
        match name {
            "fork" => Ok(MemoryPolicy::Fork),
            "segments" => Ok(MemoryPolicy::Segments),
            "ite" => Ok(MemoryPolicy::Ite),
            "adaptive" => Ok(MemoryPolicy::ADAPTIVE),
            "points-to" => Ok(MemoryPolicy::PointsTo),
            _ => match (number(), parts()) {
                (Some(most), _) => Ok(MemoryPolicy::Adaptive { most }),
                (None, Some(bytes)) => Ok(MemoryPolicy::Split { bytes }),
                (None, None) => Err(UnknownPolicy(name.to_string())),
            },
        }
    }
}

impl MemoryPolicy {
    /// The adaptive policy with the number of accesses that was found to pay.
    pub const ADAPTIVE: MemoryPolicy = MemoryPolicy::Adaptive { most: MOST_RENTED };

    /// Accesses by one choice that are to all of its objects, if there is a limit.
    pub(crate) fn most_rented(self) -> Option<u32> {
        match self {
            MemoryPolicy::Adaptive { most } => Some(most),
            MemoryPolicy::Fork
            | MemoryPolicy::Segments
            | MemoryPolicy::Split { .. }
            | MemoryPolicy::PointsTo
            | MemoryPolicy::Ite => None,
        }
    }

    /// Whether an access by a choice may be one path.
    pub(crate) fn has_choices(self) -> bool {
        match self {
            MemoryPolicy::Fork | MemoryPolicy::Split { .. } | MemoryPolicy::PointsTo => false,
            MemoryPolicy::Segments | MemoryPolicy::Ite | MemoryPolicy::Adaptive { .. } => true,
        }
    }
}

/// Accesses by one choice on a path that are to all of its objects, unless another number is asked for.
const MOST_RENTED: u32 = 32;

/// Choices that are remembered.
const KEPT: usize = 16;

/// How often a path has accessed all objects of each of the last choices.
#[derive(Clone, Default)]
pub(crate) struct Rents {
    paid: Rc<Vec<(Term, u32)>>,
}

/// A pointer without the constant that is added to it.
fn without_constant(address: &Term) -> &Term {
    match address.op() {
        Op::BvAdd if address.arg(1).as_const().and_then(BitVec::to_u64).is_some() => address.arg(0),
        _ => address,
    }
}

impl Rents {
    /// Whether a pointer was used this often.
    pub fn reach(&self, most: u32, address: &Term) -> bool {
        let choice = without_constant(address);
        let mut all = self.paid.iter();
        most == 0 || all.any(|(term, paid)| term == choice && *paid >= most)
    }

    /// One more access.
    pub fn pay(&mut self, address: &Term) {
        let choice = without_constant(address);
        let paid = Rc::make_mut(&mut self.paid);
        let before = paid.iter().position(|(term, _)| term == choice);
        let (term, count) = match before {
            Some(at) => paid.remove(at),
            None => (choice.clone(), 0),
        };
        // The one that was used longest ago is forgotten.
        if paid.len() == KEPT {
            paid.remove(0);
        }
        paid.push((term, count.saturating_add(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, MOST_RENTED, MemoryPolicy, Rents};
    use cairn_expr::{Sort, TermStore};

    #[test]
    fn policies_have_names() {
        let read = |name: &str| name.parse::<MemoryPolicy>();
        assert_eq!(read("fork"), Ok(MemoryPolicy::Fork));
        assert_eq!(read("adaptive"), Ok(MemoryPolicy::ADAPTIVE));
        assert_eq!(read("adaptive:3"), Ok(MemoryPolicy::Adaptive { most: 3 }));
        assert_eq!(read("split:64"), Ok(MemoryPolicy::Split { bytes: 64 }));
        assert_eq!(read("points-to"), Ok(MemoryPolicy::PointsTo));
        for wrong in [
            "",
            "adaptive:",
            "adaptive:x",
            "segments:3",
            "Fork",
            "split",
            "split:0",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_choice_is_used_up_whatever_constants_are_added() {
        let store = TermStore::new();
        let choice = |i: usize| store.symbol(&format!("p{i}"), Sort::BitVec(64));
        let field = |i: usize, offset: u64| store.bv_add(&choice(i), &store.bv(64, offset));
        let mut rents = Rents::default();
        for i in 0..MOST_RENTED {
            assert!(!rents.reach(MOST_RENTED, &choice(0)), "{i}");
            rents.pay(&field(0, u64::from(i)));
        }
        let before = rents.clone();
        assert!(rents.reach(MOST_RENTED, &choice(0)) && rents.reach(MOST_RENTED, &field(0, 77)));
        assert!(!rents.reach(MOST_RENTED, &choice(1)));
        // Choices that are used later take its place.
        (1..KEPT).for_each(|i| rents.pay(&field(i, 8)));
        assert!(rents.reach(MOST_RENTED, &choice(0)));
        rents.pay(&choice(KEPT));
        assert!(!rents.reach(MOST_RENTED, &choice(0)) && before.reach(MOST_RENTED, &choice(0)));
    }
}
