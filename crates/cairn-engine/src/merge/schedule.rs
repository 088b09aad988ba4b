//! What a worker does with states that wait to be merged.

use crate::calls::machine_code;
use crate::explore::rejoin;
use crate::explore::worker::Worker;
use crate::features::moments;
use crate::finding::Outcome;
use crate::merge::MergeMode;
use crate::merge::counts::{MergeRefusal, WentBy};
use crate::merge::groups::{CallKey, Closing, MergeGroup};
use crate::merge::states::{self, Merged};
use crate::path::cases::Case;
use crate::path::commit;
use crate::path::path_end;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::tree::{Explored, NodeId};
use crate::search::StateId;
use cairn_ir::{BlockId, FuncId};
use std::rc::Rc;

/// States that may wait for a group. Beyond, they go on unmerged.
const MOST_WAITING: usize = 10_000;

/// Operations of the worker for which states may wait. After that they go on unmerged.
const LONGEST_WAIT: u64 = 50_000_000;

/// Operations between two looks at how long states have waited.
const LOOK_EVERY: u64 = 1_000_000;

/// Follows the cases of a step (`path/commit.rs`), and opens a group for the states that it becomes.
pub(crate) fn commit(
    step: &mut StepContext<'_>,
    state: Box<State>,
    cases: Vec<Case>,
) -> Option<Box<State>> {
    let forks_in = fork_place(step, &state);
    let mut committed = commit::commit(step, state, cases);
    step.gate.lift_limits();
    if let (Some(place), Some(state)) = (forks_in, &mut committed) {
        open_at_fork(step, state, place);
    }
    committed
}

/// The call and block in which a state is about to fork, if that may open a group.
fn fork_place(step: &StepContext<'_>, state: &State) -> Option<(FuncId, BlockId)> {
    let wanted = match step.merger.mode() {
        MergeMode::None | MergeMode::Marked => false,
        MergeMode::Loops | MergeMode::Joins => true,
    };
    let free = wanted && !state.is_replayed() && !state.guide.given && !state.on_seed;
    free.then(|| state.thread.block(&step.table)).flatten()
}

/// A state has forked: opens a group for it and for what it forked into.
fn open_at_fork(
    step: &mut StepContext<'_>,
    state: &mut State,
    (function, block): (FuncId, BlockId),
) {
    if step.forked_states.is_empty() && step.postponed_cases.is_empty() {
        return;
    }
    let program = step.table.program();
    let Some(shape) = step.merger.shapes.of(program, function) else {
        return;
    };
    let Some((depth, newest, entered)) = state.thread.newest_call() else {
        return;
    };
    if newest != function {
        return;
    }
    let call = CallKey {
        depth,
        function,
        entered,
    };
    let closing = match step.merger.mode() {
        MergeMode::None | MergeMode::Marked => return,
        MergeMode::Joins => {
            let is_join = |b| step.table.arrival(function, b).is_some_and(|a| a.join);
            let Some(join) = shape.join(block, is_join) else {
                return;
            };
            Closing::Join(call, join)
        }
        MergeMode::Loops => {
            let Some(of) = shape.loop_of(block) else {
                return;
            };
            Closing::LoopExit(call, of)
        }
    };
    if state
        .groups
        .innermost()
        .is_some_and(|g| g.closing == closing && !g.released.get())
    {
        return;
    }
    let forked = step.forked_states.iter_mut().map(|state| &mut **state);
    let postponed = step
        .postponed_cases
        .iter_mut()
        .map(|(state, _)| &mut **state);
    let all = std::iter::once(state).chain(forked).chain(postponed);
    step.merger.open(closing, all);
}

/// A state arrives at a block: whether it must wait there.
pub(crate) fn waits_at(step: &mut StepContext<'_>, state: &mut State, block: BlockId) -> bool {
    if state.groups.members.is_empty() {
        return false;
    }
    let Some((depth, function, entered)) = state.thread.newest_call() else {
        return false;
    };
    // Calls that were left by a jump.
    let gone = |group: &MergeGroup| match group.closing {
        Closing::Mark => false,
        Closing::Join(call, _) | Closing::LoopExit(call, _) => {
            !state.thread.has_call(call.depth, call.entered)
        }
    };
    while state.groups.innermost().is_some_and(|group| gone(group)) {
        state.groups.members.pop();
        step.merger.counts.leave(WentBy::Jump);
    }
    let here = |call: &CallKey| call.depth == depth && call.entered == entered;
    let program = step.table.program();
    let shape = step.merger.shapes.of(program, function);
    let closes = |group: &MergeGroup| match &group.closing {
        Closing::Mark => false,
        Closing::Join(call, join) => here(call) && *join == block,
        Closing::LoopExit(call, of) => {
            here(call) && shape.as_ref().is_some_and(|shape| !shape.is_in(*of, block))
        }
    };
    let Some(at) = state.groups.members.iter().rposition(|m| closes(m.group())) else {
        return false;
    };
    while state.groups.members.len() > at + 1 {
        state.groups.members.pop();
        step.merger.counts.leave(WentBy::Jump);
    }
    let group = state.groups.members[at].group();
    if group.living() == 1 || group.released.get() {
        state.groups.members.pop();
        return false;
    }
    !state.is_replayed()
}

/// Lets a state wait for the innermost of its groups.
pub(crate) fn wait_to_merge(
    worker: &mut Worker<'_>,
    id: StateId,
    node: NodeId,
    mut state: Box<State>,
) {
    moments::announce_conclusions(&mut worker.step, &state);
    if let Some(meets) = state.guide.meets_here(state.decisions.arrivals()) {
        if state.node != node {
            worker.by_node.remove(&node);
            worker.by_node.insert(state.node, id);
        }
        return rejoin::wait_to_rejoin(worker, id, state, meets);
    }
    if state.node != node {
        worker.by_node.remove(&node);
        worker.by_node.insert(state.node, id);
    }
    state.groups.at_mark = false;
    let group = Rc::clone(state.groups.innermost().expect("it waits for one"));
    worker.searcher.remove(id);
    worker.states[id.0 as usize] = Some(state);
    let merger = &mut worker.step.merger;
    if group.waiting.borrow().is_empty() {
        let now = worker
            .step
            .shared
            .counters
            .of(worker.step.number)
            .instructions
            .read();
        group.waits_since.set(now);
        merger.waited_for.push(Rc::clone(&group));
    }
    group.waiting.borrow_mut().push(id);
    merger.changed.set(true);
    if group.waiting.borrow().len() > MOST_WAITING {
        release_group(worker, &group);
    }
}

/// Merges the states of groups of which no member is on its way any more, and releases those that waited for long; with `all`
/// of all groups. Whether a state can run that could not.
#[cold]
pub(crate) fn merge_complete(worker: &mut Worker<'_>, all: bool) -> bool {
    let now = worker.step.counters().instructions.read();
    let look = now >= worker.step.merger.look_again;
    if !all && !look && !worker.step.merger.changed.get() {
        return false;
    }
    if look {
        worker.step.merger.look_again = now + LOOK_EVERY;
    }
    let mut any = false;
    // Merging one group may make another one complete, around it.
    while worker.step.merger.changed.replace(false) || all {
        let groups = std::mem::take(&mut worker.step.merger.waited_for);
        let (ready, rest): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| all || group.is_complete());
        worker.step.merger.waited_for = rest;
        if ready.is_empty() {
            break;
        }
        for group in ready {
            any = true;
            merge_group(worker, &group);
        }
    }
    if look {
        let old =
            |group: &Rc<MergeGroup>| now.saturating_sub(group.waits_since.get()) > LONGEST_WAIT;
        let groups = worker.step.merger.waited_for.iter().filter(|g| old(g));
        let groups: Vec<_> = groups.cloned().collect();
        for group in groups {
            any = true;
            release_group(worker, &group);
        }
    }
    any
}

/// Lets the states go on that wait for a group, as they are.
fn release_group(worker: &mut Worker<'_>, group: &Rc<MergeGroup>) {
    group.released.set(true);
    let merger = &mut worker.step.merger;
    merger.waited_for.retain(|other| !Rc::ptr_eq(other, group));
    let waiting = std::mem::take(&mut *group.waiting.borrow_mut());
    for id in waiting {
        worker.step.merger.counts.leave(WentBy::Release);
        let mut state = worker.states[id.0 as usize].take().expect("it waits");
        state.groups.members.pop();
        run_on(worker, id, state);
    }
}

/// A state goes on that waited.
fn run_on(worker: &mut Worker<'_>, id: StateId, state: Box<State>) {
    let info = state.for_searcher(worker.distance(&state), worker.visits_of(&state));
    worker.searcher.add(id, &info);
    worker.states[id.0 as usize] = Some(state);
}

/// Merges the states that wait for a group, as far as that is possible.
fn merge_group(worker: &mut Worker<'_>, group: &Rc<MergeGroup>) {
    group.released.set(true);
    let mut waiting = std::mem::take(&mut *group.waiting.borrow_mut());
    let number = |id: &StateId| {
        worker.states[id.0 as usize]
            .as_ref()
            .map_or(0, |s| s.number)
    };
    waiting.sort_by_key(number);
    // Only states at the same place can be merged.
    let mut places: Vec<Vec<(StateId, Box<State>)>> = Vec::new();
    for id in waiting {
        let mut state = worker.states[id.0 as usize].take().expect("it waits");
        state.groups.members.pop();
        let same = |place: &&mut Vec<(StateId, Box<State>)>| {
            place
                .first()
                .is_some_and(|(_, s)| s.thread.is_at(&state.thread))
        };
        match places.iter_mut().find(same) {
            Some(place) => place.push((id, state)),
            None => places.push(vec![(id, state)]),
        }
    }
    for place in places {
        merge_place(worker, place);
    }
}

/// Merges states that are at the same place: all, or if that is refused halves of them.
fn merge_place(worker: &mut Worker<'_>, states: Vec<(StateId, Box<State>)>) {
    let mut work = vec![states];
    while let Some(mut part) = work.pop() {
        if part.len() > 1 {
            let (ids, states): (Vec<StateId>, Vec<Box<State>>) = part.into_iter().unzip();
            match merge_states(worker, &states) {
                Ok(merged) => {
                    replace_by(worker, ids, states, merged);
                    continue;
                }
                Err(why) => {
                    part = ids.into_iter().zip(states).collect();
                    if part.len() > 2 {
                        let later = part.split_off(part.len() / 2);
                        work.extend([later, part]);
                        continue;
                    }
                    worker.step.merger.counts.refuse(why);
                }
            }
        }
        for (id, state) in part {
            run_on(worker, id, state);
        }
    }
}

fn merge_states(worker: &mut Worker<'_>, states: &[Box<State>]) -> Result<Merged, MergeRefusal> {
    let first = states.first().ok_or(MergeRefusal::Other)?;
    let (_, function, _) = first.thread.newest_call().ok_or(MergeRefusal::Place)?;
    let step = &mut worker.step;
    let program = step.table.program();
    let shape = step.merger.shapes.of(program, function);
    let shape = shape.ok_or(MergeRefusal::Place)?;
    let checked = step.merger.check.is_some();
    states::merge(step, &shape, states, checked)
}

/// Merges states that were merged before, and were run again.
///
/// # Errors
/// Why not.
pub(crate) fn merge_again(
    worker: &mut Worker<'_>,
    states: &[Box<State>],
) -> Result<Box<State>, MergeRefusal> {
    let merged = merge_states(worker, states)?;
    worker.step.merger.counts.again += 1;
    Ok(merged.state)
}

/// One state goes on for several.
#[expect(clippy::vec_box, reason = "a state is large and moves as a pointer")]
fn replace_by(worker: &mut Worker<'_>, ids: Vec<StateId>, states: Vec<Box<State>>, merged: Merged) {
    let step = &mut worker.step;
    let counts = &mut step.merger.counts;
    counts.merges += 1;
    counts.merged += states.len() as u64 - 1;
    counts.differing_memories += u64::from(merged.differing_memory);
    counts.differing_heaps += u64::from(merged.differing_heap);
    if let Some(claims) = merged.claims
        && let Some(mut check) = step.merger.check.take()
    {
        let mut counts = std::mem::take(&mut step.merger.counts);
        let at = || machine_code::where_is(step, &merged.state);
        check.prove(step, claims, at, &mut counts);
        step.merger.counts = counts;
        step.merger.check = Some(check);
    }
    let mut survivor = merged.state;
    survivor.domain.covered_new = false;
    for (number, (id, state)) in ids.into_iter().zip(states).enumerate() {
        let outcome = Outcome::Merged;
        if number == 0 {
            if state.domain.covered_new {
                path_end::write_test(&mut worker.step, &state, &outcome);
            }
            moments::note_left_out(&mut worker.step, &state);
            continue;
        }
        let node = state.node;
        moments::note_left_out(&mut worker.step, &state);
        let model = Rc::clone(&state.domain.model);
        path_end::ended(&mut worker.step, &state, node, &outcome, &model, None);
        worker.by_node.remove(&node);
        worker.free.push(id.0);
        worker.step.counters().gone.add(1);
        drop(state);
        moments::end_node(&mut worker.step, node, Explored::Partly);
    }
    // The first keeps its number and its node.
    let id = worker.by_node[&survivor.node];
    run_on(worker, id, survivor);
}
