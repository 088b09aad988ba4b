//! Paths that became one, run again: by another worker, or because they were set aside.
//!
//! # Problem
//!
//! A path is its decisions. A path that goes on for several has no list of decisions that leads to it.
//!
//! # Idea
//!
//! Its decisions begin with a *join*: the decisions of its members, which may begin with joins themselves. To run it again, its
//! members are run again from the program's start and wait where they had waited: at the same arrival after their last decision. When all
//! members of a join are there they are merged as before, in the same order, and the merged path goes on.
//!
//! Members are run again as what they were: one path that forks where their decisions part. So what they share, they share again, and
//! what is compared by reference is the same.
//!
//! # Soundness
//!
//! Given the same decisions the machine does the same, and a merge of the same states is the same. If a join cannot be made
//! again, its path is not followed, which is reported.
//!
//! # Cost
//!
//! What the members took, without their questions.

use crate::explore::moving::{PortableJoin, PortableMember, PortablePath};
use crate::explore::worker::Worker;
use crate::features::feature::{Departure, Moment};
use crate::features::moments;
use crate::merge::{self, MergeRefusal};
use crate::omission::{Omission, Question};
use crate::path::cases::StepOutcome;
use crate::path::decisions::{Decisions, Join, LoggedDecision};
use crate::path::path_end;
use crate::path::state::{JoinMember, Meeting, State};
use crate::path::step_context;
use crate::path::transition;
use crate::path::tree::Explored;
use crate::search::StateId;
use cairn_machine::Stage;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Members of joins that wait, by join and number.
#[derive(Default)]
pub(crate) struct Rejoining {
    waiting: Vec<Vec<Option<StateId>>>,
}

/// The joins that lead to where decisions begin, each behind those that it needs; the last is the one that they begin with.
pub(crate) fn portable_joins(decisions: &Decisions) -> Vec<PortableJoin> {
    let mut numbers: FxHashMap<*const Join, usize> = FxHashMap::default();
    let mut all: Vec<PortableJoin> = Vec::new();
    let mut work: Vec<(&Rc<Join>, bool)> = Vec::new();
    work.extend(decisions.start().map(|join| (join, false)));
    while let Some((join, is_ready)) = work.pop() {
        if numbers.contains_key(&Rc::as_ptr(join)) {
            continue;
        }
        if !is_ready {
            work.push((join, true));
            let needed = join.members.iter().filter_map(Decisions::start);
            work.extend(needed.map(|start| (start, false)));
            continue;
        }
        let member = |decisions: &Decisions| PortableMember {
            start: decisions.start().map(|start| numbers[&Rc::as_ptr(start)]),
            decisions: decisions.to_vec(),
            arrivals: decisions.arrivals(),
        };
        all.push(join.members.iter().map(member).collect());
        numbers.insert(Rc::as_ptr(join), all.len() - 1);
    }
    all
}

/// The members of joins: those that begin with the program, and those that begin with each join.
fn members_by_start(joins: &[PortableJoin]) -> (Vec<JoinMember>, Vec<Vec<JoinMember>>) {
    let mut from_program = Vec::new();
    let mut from_joins: Vec<Vec<JoinMember>> = joins.iter().map(|_| Vec::new()).collect();
    for (join, members) in joins.iter().enumerate() {
        for (number, member) in members.iter().enumerate() {
            let list = match member.start {
                Some(start) => &mut from_joins[start],
                None => &mut from_program,
            };
            list.push(JoinMember {
                decisions: member.decisions.iter().copied().collect(),
                meets: Meeting {
                    join,
                    member: number,
                    arrivals: member.arrivals,
                },
            });
        }
    }
    (from_program, from_joins)
}

/// Gives a state that is run again the paths that it goes on as.
fn guide(state: &mut State, mut members: Vec<JoinMember>) {
    let Some(first) = members.pop() else { return };
    state.guide.decisions = first.decisions;
    state.guide.meets = Some(first.meets);
    state.guide.others = members;
}

/// Runs a path again that begins with a join; there is no other state here. The state that it begins with has not started.
pub(crate) fn start_joined(worker: &mut Worker<'_>, path: PortablePath, mut first: Box<State>) {
    let empty = |join: &PortableJoin| join.iter().map(|_| None).collect();
    worker.rejoining.waiting = path.joins.iter().map(empty).collect();
    let model = Rc::clone(&first.domain.model);
    let decisions = std::mem::take(&mut first.guide.decisions);
    first.domain.covered_new = false;
    let (members, members_from) = members_by_start(&path.joins);
    guide(&mut first, members);
    if !begin(worker, first) {
        return;
    }
    for (number, next) in members_from.into_iter().enumerate() {
        run_members(worker);
        let members = std::mem::take(&mut worker.rejoining.waiting[number]);
        let mut merged = match join_again(worker, members) {
            Ok(merged) => merged,
            Err(why) => return give_up(worker, why),
        };
        if number + 1 < path.joins.len() {
            guide(&mut merged, next);
            worker.adopt([merged]);
            continue;
        }
        merged.domain.model = model;
        merged.domain.covered_new = path.covered_new;
        merged.depth = path.depth;
        merged.guide.decisions = decisions;
        return go_on(worker, merged);
    }
}

/// Takes up a state at the program's start; whether the program does anything.
pub(crate) fn begin(worker: &mut Worker<'_>, mut state: Box<State>) -> bool {
    match transition::begin(&mut worker.step, &mut state, Stage::Constructor(0)) {
        StepOutcome::Go => {
            worker.adopt([state]);
            true
        }
        StepOutcome::Cases(_) => unreachable!("nothing is symbolic yet"),
        StepOutcome::End(outcome) => {
            path_end::finish(&mut worker.step, state, &outcome);
            false
        }
    }
}

/// A merged path is where it was, but for its decisions since the last join.
fn go_on(worker: &mut Worker<'_>, mut merged: Box<State>) {
    if merged.guide.is_replaying() || step_context::finish_replay(&mut worker.step, &mut merged) {
        return worker.adopt([merged]);
    }
    moments::leave(&mut worker.step, merged, Departure::Lost);
}

/// Lets all states run until they wait.
fn run_members(worker: &mut Worker<'_>) {
    while !worker.step.shared.over() {
        let by_node = &worker.by_node;
        let picked = worker
            .searcher
            .pick(&worker.step.tree, &|node| by_node[&node]);
        let Some(id) = picked else { return };
        worker.advance(id);
    }
}

/// Merges the members of a join, if all of them are there.
///
/// # Errors
/// Why not.
fn join_again(
    worker: &mut Worker<'_>,
    members: Vec<Option<StateId>>,
) -> Result<Box<State>, &'static str> {
    let all = members.len();
    let members: Vec<Box<State>> = members
        .into_iter()
        .flatten()
        .filter_map(|id| take_waiting(worker, id))
        .collect();
    let merged = match members.len() == all {
        true => merge::merge_again(worker, &members).map_err(MergeRefusal::name),
        false => Err("one is missing"),
    };
    let kept = merged.as_ref().ok().map(|merged| merged.node);
    for member in members {
        let node = member.node;
        drop(member);
        if Some(node) != kept {
            moments::end_node(&mut worker.step, node, Explored::Partly);
        }
    }
    merged
}

/// A state that waits, which the worker does not have any more.
fn take_waiting(worker: &mut Worker<'_>, id: StateId) -> Option<Box<State>> {
    let state = worker.states[id.0 as usize].take()?;
    worker.by_node.remove(&state.node);
    worker.free.push(id.0);
    worker.step.counters().gone.add(1);
    Some(state)
}

/// A join cannot be made again: its path is not followed.
fn give_up(worker: &mut Worker<'_>, why: &str) {
    let waiting = std::mem::take(&mut worker.rejoining.waiting);
    for id in waiting.into_iter().flatten().flatten() {
        let Some(member) = take_waiting(worker, id) else {
            continue;
        };
        let node = member.node;
        drop(member);
        moments::end_node(&mut worker.step, node, Explored::Partly);
    }
    let omission = match worker.step.shared.over() {
        true => Omission::LeftOut(worker.step.shared.ended_by()),
        false => {
            let why = format!("paths that had become one did not become one again ({why})");
            Omission::Undecided(Question::TakenUp, why)
        }
    };
    worker.step.shared.leave_out(omission);
    worker.step.counters().stopped.add(1);
}

/// A member waits for the others of its join.
pub(crate) fn wait_to_rejoin(
    worker: &mut Worker<'_>,
    id: StateId,
    mut state: Box<State>,
    meets: Meeting,
) {
    state.groups.pass_mark();
    state.guide.meets = None;
    let place = worker.rejoining.waiting.get_mut(meets.join);
    if let Some(place) = place.and_then(|join| join.get_mut(meets.member)) {
        *place = Some(id);
        worker.searcher.remove(id);
        worker.states[id.0 as usize] = Some(state);
        return;
    }
    // Its join was given up.
    let node = state.node;
    worker.forget(id, node);
    drop(state);
    moments::end_node(&mut worker.step, node, Explored::Partly);
}

/// A state that is run again before a step at which the decisions of its paths may part.
pub(crate) struct Parting {
    before: Box<State>,
    groups: Vec<Vec<JoinMember>>,
}

/// If the next decisions of the paths that a state is run again for are different: the state as it is, and the paths of each
/// decision but one, for which the state goes on.
#[inline]
pub(crate) fn parts(state: &mut State) -> Option<Parting> {
    if let Some(executed) = state.guide.executed.take() {
        state.thread.executed = executed;
    }
    match state.guide.others.is_empty() {
        true => None,
        false => parts_of_several(state),
    }
}

fn parts_of_several(state: &mut State) -> Option<Parting> {
    let next = |member: &JoinMember| member.decisions.front().copied();
    let own: Option<LoggedDecision> = state.guide.decisions.front().copied();
    if state.guide.others.iter().all(|member| next(member) == own) {
        return None;
    }
    let mut before = Box::new(state.clone());
    before.guide.others.clear();
    let mut groups: Vec<Vec<JoinMember>> = Vec::new();
    let others = std::mem::take(&mut state.guide.others);
    for member in others {
        let same = |group: &&mut Vec<JoinMember>| next(&group[0]) == next(&member);
        if next(&member) == own {
            state.guide.others.push(member);
        } else if let Some(group) = groups.iter_mut().find(same) {
            group.push(member);
        } else {
            groups.push(vec![member]);
        }
    }
    Some(Parting { before, groups })
}

/// After the step: if it decided something, there is a state for each decision.
pub(crate) fn part(
    worker: &mut Worker<'_>,
    state: &mut State,
    parting: Parting,
    next: &StepOutcome,
) {
    let Parting { before, groups } = parting;
    let StepOutcome::Cases(_) = next else {
        state.guide.others.extend(groups.into_iter().flatten());
        return;
    };
    let nodes = worker.step.tree.fork(state.node, groups.len() + 1);
    let (node, children) = (state.node, &nodes);
    moments::announce(&mut worker.step, || Moment::Forked { node, children });
    state.node = nodes[0];
    state.parted_at = nodes[0];
    for (members, &node) in groups.into_iter().zip(&nodes[1..]) {
        let mut child = before.clone();
        child.node = node;
        child.parted_at = node;
        child.number = worker.step.number_state();
        // Its step is taken again.
        child.thread.retry();
        child.thread.retried = before.thread.retried;
        guide(&mut child, members);
        child.guide.executed = Some(before.thread.executed);
        worker.adopt([child]);
    }
}
