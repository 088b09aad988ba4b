//! What a worker does with states that wait to be merged.

use crate::calls::machine_code;
use crate::explore::worker::Worker;
use crate::features::moments;
use crate::finding::Outcome;
use crate::merge::MergeMode;
use crate::merge::counts::{Refusal, WentBy};
use crate::merge::groups::{CallKey, Closing, Group};
use crate::merge::states::{self, Merged};
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

/// The call and block in which a state is about to fork, if that may open a group.
pub(crate) fn fork_place(step: &StepContext<'_>, state: &State) -> Option<(FuncId, BlockId)> {
    let wanted = match step.merger.mode() {
        MergeMode::None | MergeMode::Marked => false,
        MergeMode::Loops | MergeMode::Joins => true,
    };
    let free = wanted && !state.is_replayed() && !state.guide.given && !state.on_seed;
    free.then(|| state.thread.block(&step.table)).flatten()
}

/// A state has forked: opens a group for it and for what it forked into.
pub(crate) fn open_at_fork(
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
    if state.groups.innermost().is_some_and(|g| g.closing == closing && !g.released.get()) {
        return;
    }
    let forked = step.forked_states.iter_mut().map(|state| &mut **state);
    let postponed = step.postponed_cases.iter_mut().map(|(state, _)| &mut **state);
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
    let gone = |group: &Group| match group.closing {
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
    let closes = |group: &Group| match &group.closing {
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

impl Worker<'_> {
    /// Lets a state wait for the innermost of its groups.
    pub(crate) fn wait_to_merge(&mut self, id: StateId, node: NodeId, mut state: Box<State>) {
        moments::announce_conclusions(&mut self.step, &state);
        if state.node != node {
            self.by_node.remove(&node);
            self.by_node.insert(state.node, id);
        }
        state.groups.at_mark = false;
        let group = Rc::clone(state.groups.innermost().expect("it waits for one"));
        self.searcher.remove(id);
        self.states[id.0 as usize] = Some(state);
        let merger = &mut self.step.merger;
        if group.waiting.borrow().is_empty() {
            let now = self.step.shared.counters.of(self.step.number).instructions.read();
            group.waits_since.set(now);
            merger.waited_for.push(Rc::clone(&group));
        }
        group.waiting.borrow_mut().push(id);
        merger.changed.set(true);
        if group.waiting.borrow().len() > MOST_WAITING {
            self.release_group(&group);
        }
    }

    /// Merges the states of groups for which nobody is on its way any more, and releases those that waited for long.
    #[inline]
    pub(crate) fn merge_waiting(&mut self) {
        if !self.step.merger.waited_for.is_empty() {
            self.merge_complete(false);
        }
    }

    /// The same, or with `all` of all groups. Whether a state can run that could not.
    #[cold]
    pub(crate) fn merge_complete(&mut self, all: bool) -> bool {
        let now = self.step.counters().instructions.read();
        let look = now >= self.step.merger.look_again;
        if !all && !look && !self.step.merger.changed.get() {
            return false;
        }
        if look {
            self.step.merger.look_again = now + LOOK_EVERY;
        }
        let mut any = false;
        // Merging one group may make another one complete, around it.
        while self.step.merger.changed.replace(false) || all {
            let groups = std::mem::take(&mut self.step.merger.waited_for);
            let (ready, rest): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| all || group.is_complete());
            self.step.merger.waited_for = rest;
            if ready.is_empty() {
                break;
            }
            for group in ready {
                any = true;
                self.merge_group(&group);
            }
        }
        if look {
            let old = |group: &Rc<Group>| now.saturating_sub(group.waits_since.get()) > LONGEST_WAIT;
            let groups = self.step.merger.waited_for.iter().filter(|g| old(g));
            let groups: Vec<_> = groups.cloned().collect();
            for group in groups {
                any = true;
                self.release_group(&group);
            }
        }
        any
    }

    /// Lets the states go on that wait for a group, as they are.
    fn release_group(&mut self, group: &Rc<Group>) {
        group.released.set(true);
        let merger = &mut self.step.merger;
        merger.waited_for.retain(|other| !Rc::ptr_eq(other, group));
        let waiting = std::mem::take(&mut *group.waiting.borrow_mut());
        for id in waiting {
            self.step.merger.counts.leave(WentBy::Release);
            let mut state = self.states[id.0 as usize].take().expect("it waits");
            state.groups.members.pop();
            self.run_on(id, state);
        }
    }

    /// A state goes on that waited.
    fn run_on(&mut self, id: StateId, state: Box<State>) {
        let info = state.for_searcher(self.distance(&state), self.visits_of(&state));
        self.searcher.add(id, &info);
        self.states[id.0 as usize] = Some(state);
    }

    /// Merges the states that wait for a group, as far as that is possible.
    fn merge_group(&mut self, group: &Rc<Group>) {
        group.released.set(true);
        let mut waiting = std::mem::take(&mut *group.waiting.borrow_mut());
        let number = |id: &StateId| self.states[id.0 as usize].as_ref().map_or(0, |s| s.number);
        waiting.sort_by_key(number);
        // Only states at the same place can be merged.
        let mut places: Vec<Vec<(StateId, Box<State>)>> = Vec::new();
        for id in waiting {
            let mut state = self.states[id.0 as usize].take().expect("it waits");
            state.groups.members.pop();
            let same = |place: &&mut Vec<(StateId, Box<State>)>| {
                place.first().is_some_and(|(_, s)| s.thread.is_at(&state.thread))
            };
            match places.iter_mut().find(same) {
                Some(place) => place.push((id, state)),
                None => places.push(vec![(id, state)]),
            }
        }
        for place in places {
            self.merge_place(place);
        }
    }

    /// Merges states that are at the same place: all, or if that is refused halves of them.
    fn merge_place(&mut self, states: Vec<(StateId, Box<State>)>) {
        let mut work = vec![states];
        while let Some(mut part) = work.pop() {
            if part.len() > 1 {
                let (ids, states): (Vec<StateId>, Vec<Box<State>>) = part.into_iter().unzip();
                match self.merge_states(&states) {
                    Ok(merged) => {
                        self.replace_by(ids, states, merged);
                        continue;
                    }
                    Err(why) => {
                        part = ids.into_iter().zip(states).collect();
                        if part.len() > 2 {
                            let later = part.split_off(part.len() / 2);
                            work.extend([later, part]);
                            continue;
                        }
                        self.step.merger.counts.refuse(why);
                    }
                }
            }
            for (id, state) in part {
                self.run_on(id, state);
            }
        }
    }

    fn merge_states(&mut self, states: &[Box<State>]) -> Result<Merged, Refusal> {
        let first = states.first().ok_or(Refusal::Other)?;
        let (_, function, _) = first.thread.newest_call().ok_or(Refusal::Place)?;
        let step = &mut self.step;
        let program = step.table.program();
        let shape = step.merger.shapes.of(program, function);
        let shape = shape.ok_or(Refusal::Place)?;
        let checked = step.merger.check.is_some();
        states::merge(step, &shape, states, checked)
    }

    /// One state goes on for several.
    #[expect(clippy::vec_box, reason = "a state is large and moves as a pointer")]
    fn replace_by(&mut self, ids: Vec<StateId>, states: Vec<Box<State>>, merged: Merged) {
        let step = &mut self.step;
        let counts = &mut step.merger.counts;
        counts.merges += 1;
        counts.merged += states.len() as u64 - 1;
        counts.differing_memories += u64::from(merged.differing_memory);
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
                    path_end::write_test(&mut self.step, &state, &outcome);
                }
                moments::note_left_out(&mut self.step, &state);
                continue;
            }
            let node = state.node;
            moments::note_left_out(&mut self.step, &state);
            let model = Rc::clone(&state.domain.model);
            path_end::ended(&mut self.step, &state, node, &outcome, &model, None);
            self.by_node.remove(&node);
            self.free_id(id);
            drop(state);
            moments::end_node(&mut self.step, node, Explored::Partly);
        }
        // The first keeps its number and its node.
        let id = self.by_node[&survivor.node];
        self.run_on(id, survivor);
    }
}
