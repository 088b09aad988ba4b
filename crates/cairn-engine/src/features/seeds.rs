//! Inputs that are given: their paths are followed without asking, first or alone.
//!
//! # Problem
//!
//! A user has inputs (tests of another run, of a fuzzer) and wants their paths, and
//! the errors on them, without waiting for the search to find them.
//!
//! # Idea
//!
//! A seed is an assignment of the inputs. A case of a step whose guard holds under a seed
//! that fits the path is feasible, and the seed is its model: nothing is asked. The seeds
//! that fit are kept for each leaf of the tree; a fork hands them to all its children, and each
//! drops those that do not satisfy its facts when it is looked at next. A case says whether a seed
//! takes it, so that the worker runs such states first (`explore/seeded.rs`). With [`Seeding::only`] the
//! cases that no seed takes are not followed.
//!
//! # Soundness
//!
//! A seed is used as a model only after it was evaluated on every fact of the path and
//! on the guard. The summary lists what is not followed.
//!
//! # Cost
//!
//! For each step and each seed that fits: the bytes of its inputs, and an evaluation of
//! the guards and of the facts that are new.
//!
//! - **Limit.** A value that the engine chooses between two steps (an argument of a library function) is
//!   chosen from the model of the last step; a seed that has another value there is dropped.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::memory::origins::Input;
use crate::omission::Omission;
use crate::path::cases::{Case, Feasibility};
use crate::path::state::State;
use crate::path::tree::NodeId;
use cairn_bv::BitVec;
use cairn_expr::{Model, Value as ModelValue};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// An input that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// Where it comes from, for messages.
    pub origin: String,
    /// Name and bytes of each object.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// Seeds and how they are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeding {
    /// The seeds.
    pub seeds: Vec<Seed>,
    /// Only the paths of seeds are followed.
    pub only: bool,
    /// How long they have precedence.
    pub time: Option<Duration>,
    /// The run ends when their paths have ended.
    pub then_end: bool,
    /// Objects are found by their names; otherwise by their order.
    pub by_name: bool,
    /// An input may be longer than the object, or have none: the rest is zero.
    pub extend: bool,
    /// An input may be shorter than the object.
    pub truncate: bool,
}

/// The seeds that fit a leaf.
#[derive(Clone)]
struct Fitting {
    /// Their numbers.
    seeds: Vec<usize>,
    /// How many of the path's facts they are known to satisfy.
    facts: usize,
}

/// See the module's head.
pub struct Seeds {
    seeding: Arc<Seeding>,
    fitting: FxHashMap<NodeId, Fitting>,
}

impl Seeds {
    /// Follows seeds.
    pub fn new(seeding: Arc<Seeding>) -> Self {
        Seeds {
            seeding,
            fitting: FxHashMap::default(),
        }
    }

    fn pending(&mut self, state: &State, cases: &mut [Case], context: &Context<'_>) {
        let all = self.seeding.seeds.len();
        let fitting = self.fitting.entry(state.node).or_insert_with(|| Fitting {
            seeds: (0..all).collect(),
            facts: 0,
        });
        let new = state.facts().len().saturating_sub(fitting.facts);
        let mut models = Vec::with_capacity(fitting.seeds.len());
        fitting.seeds.retain(|&number| {
            let seed = &self.seeding.seeds[number];
            let model = match assignment(&self.seeding, seed, state) {
                Ok(model) => Rc::new(model),
                Err(why) => {
                    context.shared.observer.warning(&format!(
                        "{}: {why}; it is not followed further",
                        seed.origin
                    ));
                    return false;
                }
            };
            let mut facts = state.facts().iter().take(new);
            let fits = facts.all(|fact| context.cx.holds(&model, fact));
            if fits {
                models.push(model);
            }
            fits
        });
        fitting.facts = state.facts().len();
        for case in cases.iter_mut() {
            match case.feasibility {
                Feasibility::Unknown | Feasibility::Feasible(_) => {}
                Feasibility::Infeasible(_)
                | Feasibility::Cut(_)
                | Feasibility::Postponed
                | Feasibility::Excluded => continue,
            }
            let taken = models
                .iter()
                .find(|model| context.cx.holds(model, &case.guard));
            match taken {
                Some(model) => {
                    case.feasibility = Feasibility::Feasible(Rc::clone(model));
                    case.on_seed = true;
                }
                None if self.seeding.only => {
                    context.shared.leave_out(Omission::NoSeed);
                    case.feasibility = Feasibility::Excluded;
                }
                None => {}
            }
        }
    }
}

impl Feature for Seeds {
    fn name(&self) -> &'static str {
        "seeds"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: true,
            tree: true,
            reasons: false,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        match moment {
            Moment::Pending { state, cases } => self.pending(state, cases, context),
            Moment::Forked { node, children } => {
                if let Some(fitting) = self.fitting.remove(node) {
                    for child in *children {
                        self.fitting.insert(*child, fitting.clone());
                    }
                }
            }
            Moment::SubtreeDone(node) | Moment::SubtreeGone(node) => {
                self.fitting.remove(node);
            }
            Moment::Infeasible { .. }
            | Moment::Assumed { .. }
            | Moment::Chose { .. }
            | Moment::Cut { .. }
            | Moment::Left { .. }
            | Moment::Ended { .. } => {}
        }
    }
}

/// The values of a path's symbols under a seed, or why it does not fit the path's inputs.
fn assignment(seeding: &Seeding, seed: &Seed, state: &State) -> Result<Model, String> {
    let mut model = Model::new();
    let origins = &state.domain.origins;
    for (number, input) in origins.inputs().enumerate() {
        let bytes = object(seeding, seed, number, input)?;
        for (start, symbol) in origins.symbols(input) {
            let width = symbol.width();
            let mut word = [0u8; 8];
            for (i, byte) in word.iter_mut().take(width as usize / 8).enumerate() {
                *byte = bytes.get(start as usize + i).copied().unwrap_or(0);
            }
            let value = BitVec::new(width, u64::from_le_bytes(word));
            model.set(symbol, ModelValue::Bv(value));
        }
    }
    Ok(model)
}

/// The bytes that a seed has for an input.
fn object<'s>(
    seeding: &Seeding,
    seed: &'s Seed,
    number: usize,
    input: &Input,
) -> Result<&'s [u8], String> {
    let found = if seeding.by_name {
        seed.objects.iter().find(|(name, _)| **name == *input.name)
    } else {
        seed.objects.get(number)
    };
    let Some((name, bytes)) = found else {
        if seeding.extend {
            return Ok(&[]);
        }
        return Err(format!("there is no object for the input {}", input.name));
    };
    let length = bytes.len() as u64;
    if (length < input.size && !seeding.extend) || (length > input.size && !seeding.truncate) {
        return Err(format!(
            "the input {} has {} bytes, the object {name} has {length}",
            input.name, input.size
        ));
    }
    Ok(bytes)
}
