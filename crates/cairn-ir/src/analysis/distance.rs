//! How far it is to code that was not covered yet, through calls and returns.
//!
//! Searchers prefer states that are close to something new. A distance is the least number of
//! instructions (terminators count) that must be run, over all paths of the program's graph,
//! whatever their conditions. It is found in two steps.
//!
//! 1. Through costs, which depend on the program alone: how much it takes from a block to a return
//!    of its function, and so how much a call costs: one, and the cheapest way through a function
//!    that the site may reach. Functions call each other, so this is a shortest-path problem over
//!    a grammar, which Knuth's generalisation of Dijkstra's algorithm solves: a block's cost is
//!    known once all its calls' are, and values are settled in ascending order. A function
//!    without a body costs nothing more, nor does a site that no known function fits; a call
//!    whose callees never return is not passed.
//! 2. Distances, by Dijkstra's algorithm against the edges, from the uncovered blocks. A block
//!    leads to its successors at the cost of the whole block, and to the entries of the functions
//!    it calls at the cost of what stands before the call, and the call.
//!
//! When a block is covered, only what found its way to that block changes: each node remembers the
//! next node on its way, so those are collected and settled again from their borders.
//!
//! A state is a stack of points, and may also return from a function and find something new in the
//! caller: [`Distances::from_stack`] puts the parts together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::callgraph::{CallGraph, SiteReach};
use super::costs::{Costs, INFINITE, add};
use super::table::ListTable;
use crate::{BlockId, FuncId, Program};

const NONE: u32 = u32::MAX;

fn finite(value: u64) -> Option<u64> {
    (value != INFINITE).then_some(value)
}

/// A position in a function: an instruction that is about to run (`insts.len()` is the
/// terminator).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The function.
    pub function: FuncId,
    /// Its block.
    pub block: BlockId,
    /// The instruction of the block.
    pub inst: u32,
}

/// An edge, without the node that it is listed by.
#[derive(Clone, Copy, Debug)]
struct Edge {
    node: u32,
    weight: u64,
}

/// Distances from every block of a program to uncovered blocks.
///
/// Nodes are the program's blocks and, after them, the classes of indirect calls, which lead to
/// the entries of their functions for nothing.
#[derive(Clone, Debug)]
pub struct Distances {
    costs: Costs,
    out: ListTable<Edge>,
    into: ListTable<Edge>,
    uncovered: Vec<bool>,
    distance: Vec<u64>,
    /// The next node on the way to the closest uncovered block.
    next: Vec<u32>,
}

impl Distances {
    /// The distances to the blocks that `uncovered` says are.
    pub fn new(
        program: &Program,
        calls: &CallGraph,
        mut uncovered: impl FnMut(FuncId, BlockId) -> bool,
    ) -> Self {
        let costs = Costs::new(program, calls);
        let edges = edges(&costs, calls);
        let nodes = costs.numbering.count() + calls.classes();
        let out: Vec<_> = edges
            .iter()
            .map(|&(from, node, weight)| (from, Edge { node, weight }))
            .collect();
        let into: Vec<_> = edges
            .iter()
            .map(|&(node, to, weight)| (to, Edge { node, weight }))
            .collect();
        let mut flags = vec![false; nodes];
        let mut heap = BinaryHeap::new();
        let mut distance = vec![INFINITE; nodes];
        for (i, function) in program.functions.iter().enumerate() {
            let id = FuncId::new(i);
            let blocks = function.body.as_ref().map_or(0, |body| body.blocks.len());
            for block in (0..blocks).map(BlockId::new).filter(|b| uncovered(id, *b)) {
                let node = costs.numbering.block(id, block);
                flags[node as usize] = true;
                distance[node as usize] = 0;
                heap.push(Reverse((0, node)));
            }
        }
        let mut result = Distances {
            costs,
            out: ListTable::new(nodes, &out),
            into: ListTable::new(nodes, &into),
            uncovered: flags,
            distance,
            next: vec![NONE; nodes],
        };
        result.settle(heap);
        result
    }

    /// Dijkstra's algorithm against the edges.
    fn settle(&mut self, mut heap: BinaryHeap<Reverse<(u64, u32)>>) {
        while let Some(Reverse((value, node))) = heap.pop() {
            if value != self.distance[node as usize] {
                continue;
            }
            for edge in self.into.of(node) {
                let farther = add(value, edge.weight);
                let from = edge.node as usize;
                if farther < self.distance[from] {
                    self.distance[from] = farther;
                    self.next[from] = node;
                    heap.push(Reverse((farther, edge.node)));
                }
            }
        }
    }

    /// Says that a block is covered now.
    pub fn cover(&mut self, function: FuncId, block: BlockId) {
        let covered = self.costs.numbering.block(function, block);
        if !std::mem::replace(&mut self.uncovered[covered as usize], false) {
            return;
        }
        // What has its way through the block; a value is taken away when a node is found.
        let mut affected = vec![covered];
        self.distance[covered as usize] = INFINITE;
        let mut at = 0;
        while let Some(&node) = affected.get(at) {
            at += 1;
            for edge in self.into.of(node) {
                let from = edge.node as usize;
                if self.next[from] == node && self.distance[from] != INFINITE {
                    self.distance[from] = INFINITE;
                    affected.push(edge.node);
                }
            }
        }
        // The others keep their ways; what was taken away starts again from them.
        let mut heap = BinaryHeap::new();
        for &node in &affected {
            self.next[node as usize] = NONE;
        }
        for &node in &affected {
            let mut best = (INFINITE, NONE);
            for edge in self.out.of(node) {
                let value = add(self.distance[edge.node as usize], edge.weight);
                best = best.min((value, edge.node));
            }
            if best.0 != INFINITE {
                (self.distance[node as usize], self.next[node as usize]) = best;
                heap.push(Reverse((best.0, node)));
            }
        }
        self.settle(heap);
    }

    /// Whether a block counts as uncovered.
    pub fn is_uncovered(&self, function: FuncId, block: BlockId) -> bool {
        self.uncovered[self.costs.numbering.block(function, block) as usize]
    }

    /// From a block's start to the start of the closest uncovered block, without returning from
    /// the function; none if there is no way.
    pub fn to_uncovered(&self, function: FuncId, block: BlockId) -> Option<u64> {
        let node = self.costs.numbering.block(function, block);
        finite(self.distance[node as usize])
    }

    /// From a block's start past a return of its function; none if there is no way.
    pub fn to_return(&self, function: FuncId, block: BlockId) -> Option<u64> {
        let node = self.costs.numbering.block(function, block);
        finite(self.costs.to_return[node as usize])
    }

    /// From a point to the start of the closest uncovered block, without returning from the
    /// function; none if there is no way.
    pub fn from_point(&self, point: Point) -> Option<u64> {
        finite(self.walk(point).0)
    }

    /// From the top of a stack of points to the start of the closest uncovered block, returns
    /// included; none if there is no way. Points come innermost first; those of callers are the
    /// instructions after their calls.
    pub fn from_stack(&self, points: impl IntoIterator<Item = Point>) -> Option<u64> {
        let mut best = INFINITE;
        let mut returned = 0;
        for point in points {
            let (uncovered, to_return) = self.walk(point);
            best = best.min(add(returned, uncovered));
            returned = add(returned, to_return);
            if returned >= best {
                break;
            }
        }
        finite(best)
    }

    /// Distances from a point to uncovered code and past a return.
    fn walk(&self, point: Point) -> (u64, u64) {
        let costs = &self.costs;
        let node = costs.numbering.block(point.function, point.block);
        if point.inst == 0 {
            let at = node as usize;
            return (self.distance[at], costs.to_return[at]);
        }
        let mut best = INFINITE;
        let mut calls = 0;
        for site in costs.sites.of(node) {
            let Some(before) = site.inst.checked_sub(point.inst) else {
                continue;
            };
            let entered = add(add(calls, u64::from(before) + 1), self.entered(site.reach));
            best = best.min(entered);
            calls = add(calls, costs.through(site.reach));
        }
        let own = u64::from(costs.insts[node as usize].saturating_sub(point.inst)) + 1;
        let rest = add(own, calls);
        let successors = costs.successors.of(node);
        let mut to_return = INFINITE;
        for &to in successors {
            best = best.min(add(rest, self.distance[to as usize]));
            to_return = to_return.min(add(rest, costs.to_return[to as usize]));
        }
        if costs.returns[node as usize] {
            to_return = rest;
        }
        (best, to_return)
    }

    /// The distance from the entry of what a site may reach.
    fn entered(&self, reach: SiteReach) -> u64 {
        reached_node(&self.costs, reach).map_or(INFINITE, |node| self.distance[node as usize])
    }
}

/// The node that stands for what a site may reach; none without a body.
fn reached_node(costs: &Costs, reach: SiteReach) -> Option<u32> {
    match reach {
        SiteReach::Direct(id) => costs.numbering.entry(id),
        SiteReach::Class(class) => Some(costs.numbering.count() as u32 + class),
    }
}

/// The edges along which distances add up: source, target, weight.
fn edges(costs: &Costs, calls: &CallGraph) -> Vec<(u32, u32, u64)> {
    let mut edges = Vec::new();
    for block in 0..costs.numbering.count() as u32 {
        let pass = costs.pass[block as usize];
        if pass != INFINITE {
            edges.extend(
                costs
                    .successors
                    .of(block)
                    .iter()
                    .map(|&to| (block, to, pass)),
            );
        }
        let mut earlier = 0;
        for site in costs.sites.of(block) {
            if earlier == INFINITE {
                break;
            }
            let weight = add(earlier, u64::from(site.inst) + 1);
            edges.extend(reached_node(costs, site.reach).map(|to| (block, to, weight)));
            earlier = add(earlier, costs.through(site.reach));
        }
    }
    for class in 0..calls.classes() as u32 {
        let node = costs.numbering.count() as u32 + class;
        for function in calls.class(class) {
            edges.extend(costs.numbering.entry(*function).map(|to| (node, to, 0)));
        }
    }
    edges
}
