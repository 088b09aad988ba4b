//! Proves merges with another solver (`--self-check`).
//!
//! # Problem
//!
//! A merge that leaves out a way, or gives a way the value of another, is a wrong answer without a symptom.
//!
//! # Idea
//!
//! Each merge is a few claims: its facts and the disjunction of its members' are the same; no two members have an input in
//! common; under the facts of each member each register that is needed and each byte of memory is what the member has; what
//! the merged state takes as known follows from its facts. What is found without a proof: its counters, numbers and lists have
//! what those of all members have, and each part of a state that is merged with a copy of itself stays as it is.
//!
//! # Soundness
//!
//! A claim counts as proved only if Z3, without any layer, refutes its negation. A model is reported as a flaw.
//!
//! # Cost
//!
//! A query for each claim.

use crate::memory::access;
use crate::memory::origins::Origins;
use crate::merge::alternatives::Alternatives;
use crate::merge::counts::MergeCounts;
use crate::merge::parts;
use crate::merge::shapes::FunctionShape;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_machine::LiveCell;
use cairn_memory::{is_not_older, merged_memory};
use cairn_solver::{
    Answer, Budget, Chain, ChainError, CoreName, Facts, LayerList, ProcessorTime, Query,
};
use std::time::Duration;

/// Processor time for the claims of one merge; those that are left then are undecided.
const LONGEST_PROOF: Duration = Duration::from_secs(5);

/// How many flaws are described.
const MOST_DESCRIBED: usize = 16;

/// What is claimed of a merge: each is a name, facts and what cannot hold under them.
pub(super) struct Claims {
    shared: Facts,
    /// What each member knows beside what all share.
    members: Vec<Term>,
    impossible: Vec<(&'static str, Facts, Term)>,
    /// What is seen to be wrong without a proof.
    wrong: Vec<&'static str>,
}

impl Claims {
    /// What must be true of a merge, found without what made it.
    pub fn of_merge(
        step: &StepContext<'_>,
        shape: &FunctionShape,
        alternatives: &Alternatives,
        merged: &State,
        members: &[Box<State>],
    ) -> Claims {
        let store = &step.cx.store;
        let own = alternatives.own().iter();
        let mut claims = Claims {
            shared: alternatives.shared().clone(),
            members: own.map(|facts| store.and_all(facts)).collect(),
            impossible: Vec::new(),
            wrong: Vec::new(),
        };
        claims.are_apart(step);
        claims.of_facts(step, merged.facts());
        claims.of_knowledge(step, merged);
        claims.of_registers(step, shape, merged, members);
        claims.of_memory(step, merged, members);
        for member in members {
            claims.wrong.extend(not_joined(merged, member));
        }
        if let Some(first) = members.first() {
            claims.wrong.extend(not_itself(first));
        }
        claims
    }

    /// That no two members have an input in common: each member and those behind it.
    fn are_apart(&mut self, step: &StepContext<'_>) {
        let store = &step.cx.store;
        let mut any = store.bool(false);
        for member in self.members.iter().rev() {
            let both = store.and(member, &any);
            any = store.or(member, &any);
            let name = "two members have an input in common";
            self.impossible.push((name, self.shared.clone(), both));
        }
    }

    /// That a merged value is a member's under its facts.
    fn value(&mut self, step: &StepContext<'_>, member: usize, terms: [Term; 2]) {
        let [merged, own] = terms;
        if merged == own {
            return;
        }
        let store = &step.cx.store;
        let differs = store.not(&store.eq(&merged, &own));
        let wrong = store.and(&self.members[member], &differs);
        let name = "a value is not that of a member";
        self.impossible.push((name, self.shared.clone(), wrong));
    }

    /// That the merged facts are the disjunction of the members', and have the merged model.
    fn of_facts(&mut self, step: &StepContext<'_>, merged: &Facts) {
        let store = &step.cx.store;
        let behind = merged.len().saturating_sub(self.shared.len());
        let mut own: Vec<Term> = merged.iter().take(behind).cloned().collect();
        own.reverse();
        let merged = store.and_all(&own);
        let members = self.members.iter();
        let any = members.fold(store.bool(false), |any, member| store.or(member, &any));
        let differs = store.not(&store.eq(&merged, &any));
        let name = "the facts are not those of the members";
        self.impossible.push((name, self.shared.clone(), differs));
    }

    /// That what the merged state takes as known follows from its facts.
    fn of_knowledge(&mut self, step: &StepContext<'_>, merged: &State) {
        let store = &step.cx.store;
        let answers = merged.domain.answers_follow_from();
        for condition in answers.chain(merged.known.iter()) {
            let name = "what is known does not follow from the facts";
            let otherwise = store.not(condition);
            self.impossible
                .push((name, merged.facts().clone(), otherwise));
        }
        let holds = |fact| step.cx.holds(&merged.domain.model, fact);
        if !merged.facts().iter().all(holds) {
            self.wrong.push("the model is not one of the facts");
        }
        // These are not kept with the facts that they follow from.
        let forgotten = merged.bytes.borrow().is_empty()
            && merged.fixed_inputs.borrow().is_empty()
            && merged.domain.inside_offsets.is_empty();
        if !forgotten {
            self.wrong.push("what one path knew was kept");
        }
    }

    fn of_registers(
        &mut self,
        step: &StepContext<'_>,
        shape: &FunctionShape,
        merged: &State,
        members: &[Box<State>],
    ) {
        let all = step.shared.config.check_leaks;
        let thread = &merged.thread;
        for cell in thread.live_cells(&step.table, &shape.liveness, all) {
            for (number, member) in members.iter().enumerate() {
                match cell {
                    LiveCell::Register(register, width) => {
                        let values = [thread, &member.thread].map(|t| t.register(register));
                        self.objects(values[0], values[1]);
                        let terms = values.map(|value| merged.domain.operand(value, width));
                        self.value(step, number, terms);
                    }
                    LiveCell::Wide(wide) => {
                        let values = [thread, &member.thread].map(|t| t.wide_value(wide));
                        if let [Some(a), Some(b)] = values {
                            let store = &step.cx.store;
                            self.value(step, number, [a.term(store), b.term(store)]);
                        } else if values[0].is_some() != values[1].is_some() {
                            self.wrong.push("a wide value is missing");
                        }
                    }
                }
            }
        }
    }

    /// That the merged memory has what each member's has, under its facts.
    fn of_memory(&mut self, step: &StepContext<'_>, merged: &State, members: &[Box<State>]) {
        for (number, member) in members.iter().enumerate() {
            let both = [&merged.domain.memory, &member.domain.memory];
            let Ok((_, parts)) = merged_memory(&both) else {
                self.wrong.push("the objects are not those of a member");
                continue;
            };
            // Reading may divide inputs, for both alike.
            let mut of_merged = merged.domain.clone();
            let mut own = member.domain.clone();
            for part in parts {
                own.origins = of_merged.origins.clone();
                let value = access::load_value(&mut own, &Value::Word(part.at), part.bytes);
                of_merged.origins = own.origins.clone();
                let all = access::load_value(&mut of_merged, &Value::Word(part.at), part.bytes);
                let (Ok(all), Ok(value)) = (all, value) else {
                    self.wrong.push("a part of memory cannot be read");
                    continue;
                };
                self.objects(&all, &value);
                let width = 8 * part.bytes;
                let terms = [&all, &value].map(|value| merged.domain.operand(value, width));
                self.value(step, number, terms);
            }
        }
    }

    /// That a merged value that belongs to one object does so in each member.
    fn objects(&mut self, merged: &Value, own: &Value) {
        if merged.object().is_address_of_known() && merged.object() != own.object() {
            self.wrong.push("a pointer is to another object");
        }
    }
}

/// What the merged state lacks of what a member has.
fn not_joined(merged: &State, member: &State) -> Vec<&'static str> {
    let (all, own) = (&merged.domain, &member.domain);
    let mut noted = all.stack_pointers.clone();
    noted.join(&own.stack_pointers);
    let mut passed = merged.trail.clone();
    passed.join(&member.trail);
    let counters = [
        (merged.thread.executed, member.thread.executed),
        (merged.thread.retried, member.thread.retried),
        (u64::from(merged.depth), u64::from(member.depth)),
        (all.known_count, own.known_count),
    ];
    let lacks = [
        (!all.origins.include(&own.origins), "inputs and numbers"),
        (
            !is_not_older(&all.memory, &own.memory),
            "objects that ended",
        ),
        (noted != all.stack_pointers, "pointers in terms"),
        (passed != merged.trail, "points that were passed"),
        (counters.iter().any(|(all, own)| all < own), "counters"),
    ];
    let lacks = lacks.into_iter().filter(|(lacks, _)| *lacks);
    lacks.map(|(_, what)| what).collect()
}

/// Parts of a state that are not themselves when they are merged with a copy.
fn not_itself(state: &State) -> Vec<&'static str> {
    let copies: Vec<Box<State>> = vec![Box::new(state.clone())];
    let mut merged = state.clone();
    parts::join(&mut merged, &copies, None);
    let (all, own) = (&merged.domain, &state.domain);
    let memory = merged_memory(&[&own.memory, &copies[0].domain.memory]);
    let origins = Origins::merged(&[&own.origins, &copies[0].domain.origins]);
    let same_memory = memory.is_ok_and(|(memory, differing)| {
        differing.is_empty()
            && is_not_older(&memory, &own.memory)
            && is_not_older(&own.memory, &memory)
    });
    let same_origins = origins.is_ok_and(|origins| {
        origins.include(&own.origins)
            && own.origins.include(&origins)
            && origins.is_divided_so(&own.origins.division())
    });
    let same_counters = merged.thread.executed == state.thread.executed
        && merged.thread.retried == state.thread.retried
        && merged.depth == state.depth
        && merged.covered_at == state.covered_at
        && all.known_count == own.known_count;
    let differs = [
        (
            parts::check(state, &copies[0]).is_err(),
            "itself: other parts",
        ),
        (!same_memory, "itself: memory"),
        (!same_origins, "itself: inputs"),
        (!same_counters, "itself: counters"),
        (all.stack_pointers != own.stack_pointers, "itself: pointers"),
        (merged.trail != state.trail, "itself: points"),
        (!merged.known.iter().eq(state.known.iter()), "itself: known"),
    ];
    let differs = differs.into_iter().filter(|(differs, _)| *differs);
    differs.map(|(_, what)| what).collect()
}

/// See the module's head.
pub(crate) struct MergeCheck {
    second: Chain,
}

impl MergeCheck {
    pub fn new() -> Result<Self, ChainError> {
        let second = Chain::build(&LayerList::none(), &CoreName::Z3)?;
        Ok(MergeCheck { second })
    }

    /// Proves what is claimed of a merge.
    pub(super) fn prove(
        &mut self,
        step: &StepContext<'_>,
        claims: Claims,
        at: impl Fn() -> String,
        counts: &mut MergeCounts,
    ) {
        // For all claims of the merge together.
        let budget = Budget {
            processor: Some(ProcessorTime::new(LONGEST_PROOF)),
            ..step.gate.proof_budget()
        };
        for name in claims.wrong {
            note(counts, format!("{}: {name}", at()));
        }
        for (name, facts, impossible) in claims.impossible {
            if impossible.is_false() {
                counts.proved += 1;
                continue;
            }
            let query = Query::new(facts, impossible).within(budget.clone());
            match self.second.solve(&step.cx.store, &query) {
                Answer::Unsat(_) => counts.proved += 1,
                Answer::Unknown(_) => counts.undecided += 1,
                Answer::Sat(_) => note(counts, format!("{}: {name}", at())),
            }
        }
    }
}

fn note(counts: &mut MergeCounts, flaw: String) {
    if counts.flawed.len() < MOST_DESCRIBED {
        counts.flawed.push(flaw);
    }
}
