//! What blocks and calls cost: the part of [distances](super::distance) that depends on the program
//! alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::callgraph::{CallGraph, SiteReach};
use super::table::ListTable;
use crate::{BlockId, FuncId, Program, Terminator};

/// Farther than any way. Finite values stop just below it.
pub(super) const INFINITE: u64 = u64::MAX;

/// The sum of two costs.
pub(super) fn add(a: u64, b: u64) -> u64 {
    match (a, b) {
        (INFINITE, _) | (_, INFINITE) => INFINITE,
        (a, b) => a.saturating_add(b).min(INFINITE - 1),
    }
}

/// A call of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostSite {
    /// Its instruction.
    pub inst: u32,
    /// What it may reach.
    pub reach: SiteReach,
}

/// Blocks are numbered through the program, function by function.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    /// The first block of each function, and the number of blocks at the end.
    first: Vec<u32>,
}

impl Numbering {
    fn new(program: &Program) -> Self {
        let mut first = Vec::with_capacity(program.functions.len() + 1);
        let mut count = 0usize;
        for function in &program.functions {
            first.push(BlockId::new(count).0);
            count += function.body.as_ref().map_or(0, |body| body.blocks.len());
        }
        first.push(BlockId::new(count).0);
        Numbering { first }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.last().map_or(0, |last| *last as usize)
    }

    /// The number of a block.
    pub fn block(&self, function: FuncId, block: BlockId) -> u32 {
        self.first[function.index()] + block.0
    }

    /// The entry of a function, if it has blocks.
    pub fn entry(&self, function: FuncId) -> Option<u32> {
        let (start, end) = (
            *self.first.get(function.index())?,
            *self.first.get(function.index() + 1)?,
        );
        (start < end).then_some(start)
    }
}

/// What blocks and calls cost; depends on the program alone.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// The numbers of blocks.
    pub numbering: Numbering,
    /// Instructions of each block, its terminator not counted.
    pub insts: Vec<u32>,
    /// The calls of each block, in order.
    pub sites: ListTable<CostSite>,
    /// Which blocks return from their function.
    pub returns: Vec<bool>,
    /// Where each block leads.
    pub successors: ListTable<u32>,
    /// From a block's start past its end.
    pub pass: Vec<u64>,
    /// From a block's start past a return of its function.
    pub to_return: Vec<u64>,
    /// Through each class of indirect calls.
    pub class: Vec<u64>,
}

impl Costs {
    /// The costs of a program.
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        let numbering = Numbering::new(program);
        let count = numbering.count();
        let (mut insts, mut returns) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut sites, mut edges) = (Vec::new(), Vec::new());
        for (i, function) in program.functions.iter().enumerate() {
            let id = FuncId::new(i);
            for site in calls.sites(id) {
                let (inst, reach) = (site.inst, site.reach);
                sites.push((numbering.block(id, site.block), CostSite { inst, reach }));
            }
            let blocks = function.body.as_ref().map_or(&[][..], |body| &body.blocks);
            for block in blocks {
                let number = insts.len() as u32;
                let terminator = &block.terminator.0;
                insts.push(block.insts.len() as u32);
                returns.push(matches!(terminator, Terminator::Return(_)));
                for target in terminator.targets() {
                    if target.block.index() < blocks.len() {
                        edges.push((number, numbering.block(id, target.block)));
                    }
                }
            }
        }
        let mut costs = Costs {
            sites: ListTable::new(count, &sites),
            successors: ListTable::new(count, &edges),
            numbering,
            insts,
            returns,
            pass: vec![INFINITE; count],
            to_return: vec![INFINITE; count],
            class: vec![INFINITE; calls.classes()],
        };
        costs.settle(calls, &edges);
        costs
    }

    /// Knuth's algorithm: values are settled in ascending order, and what a value is made of is
    /// settled before it.
    fn settle(&mut self, calls: &CallGraph, edges: &[(u32, u32)]) {
        let count = self.insts.len();
        let reversed: Vec<_> = edges.iter().map(|&(from, to)| (to, from)).collect();
        let predecessors = ListTable::new(count, &reversed);
        let mut members = Vec::new();
        for class in 0..calls.classes() as u32 {
            let functions = calls.class(class).iter();
            let entries: Option<Vec<u32>> = functions.map(|id| self.numbering.entry(*id)).collect();
            match entries {
                Some(entries) if !entries.is_empty() => {
                    members.extend(entries.into_iter().map(|entry| (entry, class)));
                }
                // Some function without body, or none at all.
                Some(_) | None => self.class[class as usize] = 0,
            }
        }
        let classes_of_entry = ListTable::new(count, &members);
        // Which blocks wait for the entry of a function or for a class, once for each call.
        let (mut on_entry, mut on_class) = (Vec::new(), Vec::new());
        let mut waits = vec![0u32; count];
        for block in 0..count as u32 {
            for site in self.sites.of(block) {
                if self.through(site.reach) != INFINITE {
                    continue;
                }
                waits[block as usize] += 1;
                match site.reach {
                    SiteReach::Direct(id) => {
                        on_entry.extend(self.numbering.entry(id).map(|entry| (entry, block)));
                    }
                    SiteReach::Class(class) => on_class.push((class, block)),
                }
            }
        }
        let on_entry = ListTable::new(count, &on_entry);
        let on_class = ListTable::new(calls.classes(), &on_class);
        let mut ready: Vec<u32> = (0..count as u32)
            .filter(|block| waits[*block as usize] == 0)
            .collect();
        let mut heap = BinaryHeap::new();
        loop {
            // All calls of a ready block are settled, so its cost is known.
            while let Some(block) = ready.pop() {
                let own = u64::from(self.insts[block as usize]) + 1;
                let sites = self.sites.of(block).iter();
                let pass = sites.fold(own, |sum, site| add(sum, self.through(site.reach)));
                self.pass[block as usize] = pass;
                if self.returns[block as usize] {
                    heap.push(Reverse((pass, block)));
                }
                for &to in self.successors.of(block) {
                    let rest = self.to_return[to as usize];
                    if rest != INFINITE {
                        heap.push(Reverse((add(pass, rest), block)));
                    }
                }
            }
            let Some(Reverse((value, block))) = heap.pop() else {
                return;
            };
            if self.to_return[block as usize] != INFINITE {
                continue;
            }
            self.to_return[block as usize] = value;
            for &pred in predecessors.of(block) {
                let pass = self.pass[pred as usize];
                if pass != INFINITE {
                    heap.push(Reverse((add(pass, value), pred)));
                }
            }
            let mut release = |waiting: &[u32]| {
                for &block in waiting {
                    waits[block as usize] -= 1;
                    if waits[block as usize] == 0 {
                        ready.push(block);
                    }
                }
            };
            release(on_entry.of(block));
            for &class in classes_of_entry.of(block) {
                if self.class[class as usize] == INFINITE {
                    self.class[class as usize] = value;
                    release(on_class.of(class));
                }
            }
        }
    }

    /// What a call costs beyond itself.
    pub fn through(&self, reach: SiteReach) -> u64 {
        match reach {
            SiteReach::Direct(id) => self
                .numbering
                .entry(id)
                .map_or(0, |entry| self.to_return[entry as usize]),
            SiteReach::Class(class) => self.class[class as usize],
        }
    }
}
