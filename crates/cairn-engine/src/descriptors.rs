//! Descriptors that the system is given, and what else a system call takes.
//!
//! - **Problem.** A symbolic descriptor has up to 2^32 values, of which a process has a handful open. A
//!   path for each value is nearly always one that ends in `EBADF` like all others.
//! - **Idea.** Each descriptor that is open is a case, and all that are not are one case, for which one
//!   number stands. Where `AT_FDCWD` means the working directory it is a case of its own. Of those that
//!   `poll` waits for, negative ones are left out and are another case. The number of a descriptor that
//!   `dup2` and `dup3` make is an open one, one beyond the limit (all fail alike), or a free one: that
//!   gets one of its values, and the summary says so, because it matters later which number it is.
//! - **Soundness.** The guards exclude each other and leave nothing out. The number that stands for those
//!   that are not open is never open: it is negative, or the largest `int`, beyond every limit. `dup3`
//!   fails in another way if both numbers are the same: there a known one is a case for the other, and
//!   of two that are not known the first is a path for each value.
//! - **Cost.** A guard for each descriptor that is open.

use crate::addresses::Purpose;
use crate::cases::{Case, Effect, Next};
use crate::decisions::Decision;
use crate::intrinsics::Call;
use crate::space::{Open, Space, Trouble};
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_linux::{Abi, Kernel, Need, Takes};
use cairn_memory::Word;

/// What a descriptor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is used. This number is a case of its own, even if it is not open.
    Used(Option<u32>),
    /// It is waited for.
    Polled,
    /// It is made, and is not this one.
    Made(u32),
}

/// The working directory, in place of a descriptor.
const AT_FDCWD: u32 = -100i32 as u32;

/// Stands for descriptors that are not open, and for those beyond the limit.
const NONE: u32 = u32::MAX;

/// Stands for descriptors that are not open and not negative.
const NONE_OPEN: u32 = i32::MAX as u32;

/// Why other numbers of a new descriptor were not explored.
pub(crate) const NEW_NUMBER: &str = "the number of a new descriptor (dup2) got one value";

impl Space {
    /// A descriptor, or one that stands for all that mean the same.
    fn known_descriptor(&self, term: &Term, role: Role) -> Result<Word, Trouble> {
        if let Some(known) = term.as_const().and_then(|bits| bits.to_u64()) {
            return Ok(Word::int(known));
        }
        let known = self
            .settled_number(term)
            .or_else(|| self.settled_nowhere(term));
        known.map(Word::int).ok_or_else(|| {
            Trouble::Open(Open::Descriptor {
                term: term.clone(),
                role,
            })
        })
    }
}

impl Worker<'_> {
    /// The arguments of a system call, or words that stand for them.
    pub(crate) fn system_arguments(
        &self,
        state: &State,
        call: &Call,
        abi: Abi,
        number: u64,
    ) -> Result<[Word; 6], Trouble> {
        let mut args = [Word::int(0); 6];
        for i in 0..args.len() {
            let given = call.value(i + 1);
            args[i] = match abi.takes(number, &args[..i]) {
                Takes::Nothing => continue,
                Takes::Int => state.space.number(&self.lower_half(&given))?,
                Takes::Word => state.space.number(&self.without_unwritten(state, &given))?,
                Takes::Address => {
                    let given = self.without_unwritten(state, &given);
                    state.space.known_address(&given, Purpose::System)?
                }
                Takes::Folder => self.descriptor(state, &given, Role::Used(Some(AT_FDCWD)))?,
                Takes::Descriptor if abi.name(number) == Some("dup3") => {
                    match self.lower_half(&call.value(i + 2)) {
                        Value::Word(new) => {
                            self.descriptor(state, &given, Role::Used(Some(new.bits as u32)))?
                        }
                        Value::Symbolic(_) => state.space.number(&self.lower_half(&given))?,
                    }
                }
                Takes::Descriptor => self.descriptor(state, &given, Role::Used(None))?,
                Takes::NewDescriptor => {
                    let old = args[i - 1].bits as u32;
                    let open = system(state).is_some_and(|s| s.descriptors().any(|n| n == old));
                    if !open && abi.name(number) == Some("dup2") {
                        // It fails, whatever the new number would be.
                        continue;
                    }
                    self.descriptor(state, &given, Role::Made(old))?
                }
            };
        }
        Ok(args)
    }

    fn descriptor(&self, state: &State, given: &Value, role: Role) -> Result<Word, Trouble> {
        match given {
            Value::Word(word) => Ok(*word),
            Value::Symbolic(_) => {
                let store = &self.tools.store;
                let low = store.extract(&given.term(store, 64), 31, 0);
                state.space.known_descriptor(&low, role)
            }
        }
    }

    /// Gives the system what it needs to know of an address or a descriptor in memory.
    pub(crate) fn give_system(&self, state: &mut State, need: &Need) -> Result<Next, Trouble> {
        let (at, word) = match need {
            Need::Address { at } => {
                let value = state.space.load_value(&Value::Word(*at), 8)?;
                (*at, state.space.known_address(&value, Purpose::System)?)
            }
            Need::Descriptor { at } => {
                let value = state.space.load_value(&Value::Word(*at), 4)?;
                let term = value.term(&self.tools.store, 32);
                (*at, state.space.known_descriptor(&term, Role::Polled)?)
            }
            Need::Bytes { .. }
            | Need::Number { .. }
            | Need::Path { .. }
            | Need::Input
            | Need::Equal { .. } => unreachable!("these become known in memory"),
        };
        let system = state.library.system.as_mut().expect("it asked");
        system.give(at, word);
        state.space.made_known += 1;
        state.thread.retry();
        Ok(Next::Go)
    }

    /// What a descriptor may be.
    pub(crate) fn descriptor_cases(&mut self, state: &State, term: &Term, role: Role) -> Next {
        let store = &self.tools.store;
        let limit = system(state).map_or(0, Kernel::descriptor_limit);
        let open = system(state).map(Kernel::descriptors);
        let mut named: Vec<u32> = open.into_iter().flatten().collect();
        let also = match role {
            Role::Used(also) => also,
            Role::Made(other) => Some(other),
            Role::Polled => None,
        };
        named.extend(also.filter(|also| !named.contains(also)));
        let mut cases = Vec::with_capacity(named.len() + 2);
        let mut guards = Vec::with_capacity(named.len());
        for number in named {
            let guard = store.eq(term, &store.bv(32, u64::from(number)));
            guards.push(guard.clone());
            let value = u64::from(number);
            let term = term.clone();
            let effect = Effect::RetryNumber { term, value };
            cases.push(Case::new(guard, effect, Decision::Is(value)));
        }
        let other = store.not(&store.or_all(&guards));
        let stands = |value: u32| Effect::RetryNowhere {
            address: term.clone(),
            value: u64::from(value),
        };
        let below = |bound: u64| store.bv_ult(term, &store.bv(32, bound));
        match role {
            Role::Used(_) => cases.push(Case::new(other, stands(NONE), Decision::Way(0))),
            Role::Polled => {
                let positive = below(1 << 31);
                let negative = store.and_all(&[other.clone(), store.not(&positive)]);
                let positive = store.and_all(&[other, positive]);
                cases.push(Case::new(negative, stands(NONE), Decision::Way(0)));
                cases.push(Case::new(positive, stands(NONE_OPEN), Decision::Way(1)));
            }
            Role::Made(_) => {
                let within = below(limit);
                let beyond = store.and_all(&[other.clone(), store.not(&within)]);
                let free = store.and_all(&[other, within]);
                let term = term.clone();
                cases.push(Case::new(beyond, stands(NONE), Decision::Way(0)));
                let choosing = Effect::RetryChoosingNumber { term };
                cases.push(Case::new(free, choosing, Decision::Way(1)));
            }
        }
        self.gate.drop_folded(state, &mut cases);
        Next::Cases(cases)
    }
}

fn system(state: &State) -> Option<&Kernel> {
    state.library.system.as_ref()
}
