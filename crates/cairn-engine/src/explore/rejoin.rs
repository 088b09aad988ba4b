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
use crate::merge;
use crate::omission::{Omission, Question};
use crate::path::cases::StepOutcome;
use crate::path::decisions::{Decisions, Join, LoggedDecision};
use crate::path::path_end;
use crate::path::state::{Meeting, Member, State};
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

/// The members of joins that begin with a join, or with the program.
fn members_from(joins: &[PortableJoin], start: Option<usize>) -> Vec<Member> {
    let numbered = joins.iter().enumerate();
    let all = numbered.flat_map(|(join, members)| {
        let members = members.iter().enumerate();
        members
            .filter(|(_, member)| member.start == start)
            .map(move |(number, member)| Member {
                decisions: member.decisions.iter().copied().collect(),
                meets: Meeting {
                    join,
                    member: number,
                    arrivals: member.arrivals,
                },
            })
    });
    all.collect()
}

/// Gives a state that is run again the paths that it goes on as.
fn guide(state: &mut State, mut members: Vec<Member>) {
    let Some(first) = members.pop() else { return };
    state.guide.decisions = first.decisions;
    state.guide.meets = Some(first.meets);
    state.guide.others = members;
}

impl Worker<'_> {
    /// Runs a path again that begins with a join; there is no other state here. The state that it begins with has not started.
    pub(crate) fn start_joined(&mut self, path: PortablePath, mut first: Box<State>) {
        let empty = |join: &PortableJoin| join.iter().map(|_| None).collect();
        self.rejoining.waiting = path.joins.iter().map(empty).collect();
        let model = Rc::clone(&first.domain.model);
        let decisions = std::mem::take(&mut first.guide.decisions);
        first.domain.covered_new = false;
        guide(&mut first, members_from(&path.joins, None));
        if !self.begin(first) {
            return;
        }
        for number in 0..path.joins.len() {
            self.run_members();
            let members = std::mem::take(&mut self.rejoining.waiting[number]);
            let Some(mut merged) = self.join_again(members) else {
                return self.give_up();
            };
            if number + 1 < path.joins.len() {
                guide(&mut merged, members_from(&path.joins, Some(number)));
                self.adopt([merged]);
                continue;
            }
            merged.domain.model = model;
            merged.domain.covered_new = path.covered_new;
            merged.depth = path.depth;
            merged.guide.decisions = decisions;
            return self.go_on(merged);
        }
    }

    /// Takes up a state at the program's start; whether the program does anything.
    pub(crate) fn begin(&mut self, mut state: Box<State>) -> bool {
        match transition::begin(&mut self.step, &mut state, Stage::Constructor(0)) {
            StepOutcome::Go => {
                self.adopt([state]);
                true
            }
            StepOutcome::Cases(_) => unreachable!("nothing is symbolic yet"),
            StepOutcome::End(outcome) => {
                path_end::finish(&mut self.step, state, &outcome);
                false
            }
        }
    }

    /// A merged path is where it was, but for its decisions since the last join.
    fn go_on(&mut self, mut merged: Box<State>) {
        if merged.guide.is_replaying() || step_context::finish_replay(&mut self.step, &mut merged) {
            return self.adopt([merged]);
        }
        moments::leave(&mut self.step, merged, Departure::Lost);
    }

    /// Lets all states run until they wait.
    fn run_members(&mut self) {
        while !self.step.shared.over() {
            let by_node = &self.by_node;
            let picked = self.searcher.pick(&self.step.tree, &|node| by_node[&node]);
            let Some(id) = picked else { return };
            self.advance(id);
        }
    }

    /// Merges the members of a join, if all of them are there.
    fn join_again(&mut self, members: Vec<Option<StateId>>) -> Option<Box<State>> {
        let all = members.len();
        let members: Vec<Box<State>> = members
            .into_iter()
            .flatten()
            .filter_map(|id| self.take_waiting(id))
            .collect();
        let whole = members.len() == all;
        let merged = whole.then(|| merge::merge_again(self, &members)).flatten();
        let kept = merged.as_ref().map(|merged| merged.node);
        for member in members {
            let node = member.node;
            drop(member);
            if Some(node) != kept {
                moments::end_node(&mut self.step, node, Explored::Partly);
            }
        }
        merged
    }

    /// A state that waits, which the worker does not have any more.
    fn take_waiting(&mut self, id: StateId) -> Option<Box<State>> {
        let state = self.states[id.0 as usize].take()?;
        self.by_node.remove(&state.node);
        self.free.push(id.0);
        self.step.counters().gone.add(1);
        Some(state)
    }

    /// A join cannot be made again: its path is not followed.
    fn give_up(&mut self) {
        let waiting = std::mem::take(&mut self.rejoining.waiting);
        for id in waiting.into_iter().flatten().flatten() {
            let Some(member) = self.take_waiting(id) else {
                continue;
            };
            let node = member.node;
            drop(member);
            moments::end_node(&mut self.step, node, Explored::Partly);
        }
        let omission = match self.step.shared.over() {
            true => Omission::LeftOut(self.step.shared.ended_by()),
            false => {
                let why = "paths that had become one did not become one again";
                Omission::Undecided(Question::TakenUp, why.to_string())
            }
        };
        self.step.shared.leave_out(omission);
        self.step.counters().stopped.add(1);
    }

    /// A member waits for the others of its join.
    pub(crate) fn wait_to_rejoin(&mut self, id: StateId, mut state: Box<State>, meets: Meeting) {
        state.groups.pass_mark();
        state.guide.meets = None;
        let place = self.rejoining.waiting.get_mut(meets.join);
        if let Some(place) = place.and_then(|join| join.get_mut(meets.member)) {
            *place = Some(id);
            self.searcher.remove(id);
            self.states[id.0 as usize] = Some(state);
            return;
        }
        // Its join was given up.
        let node = state.node;
        self.forget(id, node);
        drop(state);
        moments::end_node(&mut self.step, node, Explored::Partly);
    }
}

/// A state that is run again before a step at which the decisions of its paths may part.
pub(crate) struct Parting {
    before: Box<State>,
    groups: Vec<Vec<Member>>,
}

/// If the next decisions of the paths that a state is run again for are different: the state as it is, and the paths of each
/// decision but one, for which the state goes on.
#[inline]
pub(crate) fn parts(state: &mut State) -> Option<Parting> {
    match state.guide.others.is_empty() {
        true => None,
        false => parts_of_several(state),
    }
}

fn parts_of_several(state: &mut State) -> Option<Parting> {
    let next = |member: &Member| member.decisions.front().copied();
    let own: Option<LoggedDecision> = state.guide.decisions.front().copied();
    if state.guide.others.iter().all(|member| next(member) == own) {
        return None;
    }
    let mut before = Box::new(state.clone());
    before.guide.others.clear();
    let mut groups: Vec<Vec<Member>> = Vec::new();
    let others = std::mem::take(&mut state.guide.others);
    for member in others {
        let same = |group: &&mut Vec<Member>| next(&group[0]) == next(&member);
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

impl Worker<'_> {
    /// After the step: if it decided something, there is a state for each decision.
    pub(crate) fn part(&mut self, state: &mut State, parting: Parting, next: &StepOutcome) {
        let Parting { before, groups } = parting;
        let StepOutcome::Cases(_) = next else {
            state.guide.others.extend(groups.into_iter().flatten());
            return;
        };
        let nodes = self.step.tree.fork(state.node, groups.len() + 1);
        let (node, children) = (state.node, &nodes);
        moments::announce(&mut self.step, || Moment::Forked { node, children });
        state.node = nodes[0];
        state.parted_at = nodes[0];
        for (members, &node) in groups.into_iter().zip(&nodes[1..]) {
            let mut child = before.clone();
            child.node = node;
            child.parted_at = node;
            child.number = self.step.number_state();
            // Its step is taken again.
            child.thread.retry();
            guide(&mut child, members);
            self.adopt([child]);
        }
    }
}
