//! Several states as one: facts, memory and registers.

use crate::memory::access;
use crate::memory::origins::Origins;
use crate::merge::alternatives::Alternatives;
use crate::merge::check::Claims;
use crate::merge::counts::MergeRefusal;
use crate::merge::faults::MergeFault;
use crate::merge::parts::{self, refuse_unless, same_wide};
use crate::merge::shapes::FunctionShape;
use crate::path::commit;
use crate::path::decisions::Decisions;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::operators;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Symbolic, Value, Wide};
use cairn_expr::Term;
use cairn_machine::LiveCell;
use cairn_memory::{
    Cell, DifferingBytes, MemoriesApart, Memory, ObjectId, ObjectKind, merged_memory,
};
use std::rc::Rc;

/// Parts of memory that may differ between states that are merged.
const MOST_PARTS: usize = 4096;

/// A merged state, and what is claimed of it.
pub(super) struct Merged {
    pub state: Box<State>,
    pub differing_memory: bool,
    pub differing_heap: bool,
    pub claims: Option<Claims>,
}

/// Merges states; they stay as they are. With `checked` says what must be true of the merge.
pub(super) fn merge(
    step: &mut StepContext<'_>,
    shape: &FunctionShape,
    members: &[Box<State>],
    checked: bool,
) -> Result<Merged, MergeRefusal> {
    let (first, others) = members.split_first().ok_or(MergeRefusal::Other)?;
    for other in others {
        parts::check(first, other)?;
    }
    refuse_unless(!shape.liveness.returns_twice(), MergeRefusal::Setjmp)?;
    let facts: Vec<_> = members.iter().map(|state| state.facts()).collect();
    let alternatives = Alternatives::of(&facts, &step.cx.store, |facts, claim| {
        step.gate.excludes(&step.cx.store, facts, claim)
    });
    let alternatives = alternatives.ok_or(MergeRefusal::NotApart)?;
    let origins: Vec<&Origins> = members.iter().map(|s| &s.domain.origins).collect();
    let origins = Origins::merged(&origins)?;
    let memories: Vec<&Memory> = members.iter().map(|s| &s.domain.memory).collect();
    let (memory, differing) = merged_memory(&memories).map_err(|apart| match apart {
        MemoriesApart::Objects => MergeRefusal::Objects,
        MemoriesApart::Made => MergeRefusal::Made,
        MemoriesApart::Ended => MergeRefusal::Ended,
        MemoriesApart::Stack => MergeRefusal::Stack,
        MemoriesApart::OpenObject => MergeRefusal::Sizes,
        MemoriesApart::LargeObject => MergeRefusal::Large,
    })?;
    refuse_unless(differing.len() <= MOST_PARTS, MergeRefusal::Large)?;
    let fault = step.shared.config.merge_fault;
    let mut merged = first.clone();
    if fault != Some(MergeFault::ObjectsOfOne) {
        merged.domain.memory = memory;
    }
    if fault != Some(MergeFault::OriginsOfOne) {
        merged.domain.origins = origins;
    }
    let decisions = members.iter().map(|member| member.decisions.clone());
    merged.decisions = Decisions::of_join(decisions.collect());
    let joining = Joining {
        step,
        alternatives: &alternatives,
        fault,
    };
    parts::join(&mut merged, others, fault);
    joining.registers(&mut merged, members, shape)?;
    let cx = Rc::clone(&step.cx);
    // What reading relies on is true of a member, and not of the merged state.
    cx.quietly(|| joining.memory(&mut merged, members, &differing))?;
    let facts = match fault {
        Some(MergeFault::FactsOfOne) => first.facts().clone(),
        Some(MergeFault::SharedFacts) => alternatives.shared().clone(),
        Some(_) | None => alternatives.facts(),
    };
    commit::know_less(&mut merged, facts);
    let of_heap = |part: &DifferingBytes| {
        let info = first.domain.memory.info(part.at);
        info.is_ok_and(|info| info.kind == ObjectKind::Heap)
    };
    let differing_heap = differing.iter().any(of_heap);
    let claims = || Claims::of_merge(step, shape, &alternatives, &merged, members);
    Ok(Merged {
        claims: checked.then(|| cx.quietly(claims)),
        state: merged,
        differing_memory: !differing.is_empty(),
        differing_heap,
    })
}

struct Joining<'j, 's> {
    step: &'j StepContext<'s>,
    alternatives: &'j Alternatives,
    fault: Option<MergeFault>,
}

impl Joining<'_, '_> {
    /// Merges the registers that are still needed; others have what the first member has.
    fn registers(
        &self,
        merged: &mut State,
        members: &[Box<State>],
        shape: &FunctionShape,
    ) -> Result<(), MergeRefusal> {
        // What a variable holds that is not read any more may still keep memory from being lost.
        let all_variables = self.step.shared.config.check_leaks;
        let thread = &members[0].thread;
        let mut skips = self.fault == Some(MergeFault::SkipsRegister);
        for cell in thread.live_cells(&self.step.table, &shape.liveness, all_variables) {
            match cell {
                LiveCell::Register(number, width) => {
                    let of = |i: usize| members[i].thread.register(number);
                    if (1..members.len()).all(|i| operators::same(of(0), of(i))) {
                        continue;
                    }
                    if std::mem::take(&mut skips) {
                        continue;
                    }
                    let values: Vec<Value> = (0..members.len()).map(|i| of(i).clone()).collect();
                    let value = self.choose(&merged.domain, width, &values)?;
                    merged.thread.set_register(number, value);
                }
                LiveCell::Wide(number) => {
                    let of = |i: usize| members[i].thread.wide_value(number);
                    if (1..members.len()).all(|i| same_wide(of(0), of(i))) {
                        continue;
                    }
                    let value = self.choose_wide(members.len(), of)?;
                    merged.thread.set_wide(number, value);
                }
            }
        }
        Ok(())
    }

    /// Merges the parts of memory that differ.
    fn memory(
        &self,
        merged: &mut State,
        members: &[Box<State>],
        differing: &[DifferingBytes],
    ) -> Result<(), MergeRefusal> {
        if differing.is_empty() {
            return Ok(());
        }
        // The members stay as they are: reading an input may divide it.
        let copies = members.iter().map(|member| member.domain.clone());
        let mut copies: Vec<SymbolicDomain> = copies.collect();
        let skipped = usize::from(self.fault == Some(MergeFault::SkipsMemory));
        for part in &differing[skipped..] {
            let mut values = Vec::with_capacity(members.len());
            for copy in &mut copies {
                copy.origins = merged.domain.origins.clone();
                let value = access::load_value(copy, &Value::Word(part.at), part.bytes);
                values.push(value.map_err(|_| MergeRefusal::Unreadable)?);
                merged.domain.origins = copy.origins.clone();
            }
            if self.step.shared.config.check_uninit {
                let is_hidden = |value: &Value| match value {
                    Value::Word(_) => false,
                    Value::Symbolic(s) => merged.domain.origins.is_hidden(&s.term),
                };
                refuse_unless(!values.iter().any(is_hidden), MergeRefusal::Unreadable)?;
            }
            let value = self.choose(&merged.domain, 8 * part.bytes, &values)?;
            write(&mut merged.domain.memory, self.step, part, &value)?;
        }
        // Pointers that became parts of terms.
        if self.fault != Some(MergeFault::StackPointersOfOne) {
            for copy in &copies {
                merged.domain.stack_pointers.join(&copy.stack_pointers);
                let noted = copy.addresses_used.iter().cloned();
                merged.domain.addresses_used.extend(noted);
            }
        }
        Ok(())
    }

    /// Whether one value can stand for these: numbers, pointers to one object, or whole pointers, which then are a choice as a
    /// `select` of the program makes it. What a choice keeps reachable is not known for all inputs, so there is none where
    /// leaks are looked for.
    fn can_choose(&self, domain: &SymbolicDomain, width: u32, values: &[Value]) -> bool {
        let object = values[0].object();
        let same = values.iter().all(|value| value.object() == object);
        if same && (object.is_number() || object.is_address_of_known()) {
            return true;
        }
        let whole = |object: ObjectId| {
            let known = object.is_address_of_known() && !object.is_taken();
            known || object.is_number() || object == ObjectId::ADDRESS
        };
        width == domain.memory.pointer_width().bits()
            && !self.step.shared.config.check_leaks
            && values.iter().all(|value| whole(value.object()))
    }

    /// The value of the merged state where the members have these.
    fn choose(
        &self,
        domain: &SymbolicDomain,
        width: u32,
        values: &[Value],
    ) -> Result<Value, MergeRefusal> {
        refuse_unless(
            self.can_choose(domain, width, values),
            MergeRefusal::Pointers,
        )?;
        self.alternatives.choose(
            |member| values[self.member(member, values.len())].clone(),
            |condition, a, b| {
                if operators::same(a, b) || self.fault == Some(MergeFault::NoGuard) {
                    return Ok(a.clone());
                }
                let condition = Value::Symbolic(Rc::new(Symbolic {
                    term: condition.clone(),
                    object: ObjectId::NONE,
                }));
                Ok(operators::select_terms(domain, width, &condition, a, b))
            },
        )
    }

    /// The member whose value is taken for a member.
    fn member(&self, member: usize, members: usize) -> usize {
        match self.fault {
            Some(MergeFault::OtherMember) => (member + 1) % members,
            Some(_) | None => member,
        }
    }

    fn choose_wide<'w>(
        &self,
        members: usize,
        of: impl Fn(usize) -> Option<&'w Wide>,
    ) -> Result<Wide, MergeRefusal> {
        let store = &self.step.cx.store;
        let values: Option<Vec<Term>> = (0..members).map(|i| Some(of(i)?.term(store))).collect();
        let values = values.ok_or(MergeRefusal::Other)?;
        let width = values[0].width();
        refuse_unless(
            values.iter().all(|v| v.width() == width),
            MergeRefusal::Other,
        )?;
        let merged = self.alternatives.choose(
            |member| values[self.member(member, values.len())].clone(),
            |condition, a, b| Ok::<Term, MergeRefusal>(store.ite(condition, a, b)),
        )?;
        Ok(Wide::from_term(merged))
    }
}

/// Puts a value into the merged memory.
fn write(
    memory: &mut Memory,
    step: &StepContext<'_>,
    part: &DifferingBytes,
    value: &Value,
) -> Result<(), MergeRefusal> {
    let written = match value {
        Value::Word(word) => memory.initialise_word(part.at, part.bytes, *word),
        Value::Symbolic(symbolic) => {
            let cell = Cell::Term {
                term: symbolic.bits(&step.cx.store),
                skip: 0,
                object: symbolic.object,
            };
            memory.initialise_cell(part.at, u64::from(part.bytes), cell)
        }
    };
    written.map_err(|_| MergeRefusal::Unreadable)
}
