//! Which words of the register file a region needs where, so that they can live in locals.
//!
//! The register file is memory that all functions share. Inside a region its words are promoted to
//! locals; before control leaves (a call, a return, a jump elsewhere) those that may have changed are
//! stored (also before a system call, for handlers of signals), and after a call those that are needed are loaded again. Three passes over the region:
//!
//! - forwards, which words may differ from memory (*changed*);
//! - backwards, which words are needed: those that an instruction reads before one writes them, and
//!   where control leaves those that may have changed;
//! - forwards, where a needed word comes from. Where several definitions meet, the block gets a
//!   parameter.
//!
//! The cost is a few passes over blocks times words, each a 128-bit set where possible.

use crate::region::{BlockEnd, Region};
use crate::registers::{COUNT, Set, effects, members, one};
use std::collections::BTreeMap;

/// Where the value of a word at the start of a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueOrigin {
    /// Not needed, or not reached.
    Nowhere,
    /// It is loaded when the region is entered.
    Entry,
    /// A parameter of a block.
    Param(usize),
    /// The value at the end of a block, which defines it.
    Block(usize),
}

/// What is known of a region; blocks are numbered in reverse postorder.
pub(crate) struct RegionFlow {
    /// The addresses of the blocks.
    pub order: Vec<u64>,
    /// The number of the block at an address.
    pub number: BTreeMap<u64, usize>,
    /// Words that are needed at the start of each block.
    pub needed: Vec<Set>,
    /// Words that may differ from memory at the start of each block.
    changed: Vec<Set>,
    /// Words that each block's instructions write.
    writes: Vec<Set>,
    /// Parameters of each block.
    pub params: Vec<Set>,
    sources: Vec<[ValueOrigin; COUNT]>,
}

impl RegionFlow {
    /// Analyses a region.
    pub fn new(region: &Region) -> Self {
        let order = reverse_postorder(region);
        let number: BTreeMap<u64, usize> = order.iter().copied().zip(0..).collect();
        let count = order.len();
        let mut flow = RegionFlow {
            needed: vec![0; count],
            changed: vec![0; count],
            writes: vec![0; count],
            params: vec![0; count],
            sources: vec![[ValueOrigin::Nowhere; COUNT]; count],
            order,
            number,
        };
        let successors: Vec<Vec<usize>> = flow
            .order
            .iter()
            .map(|at| region.blocks[at].successors())
            .map(|all| all.iter().map(|at| flow.number[at]).collect())
            .collect();
        let calls: Vec<bool> = flow
            .order
            .iter()
            .map(|at| matches!(region.blocks[at].end, BlockEnd::Call { .. }))
            .collect();
        flow.find_changed(region, &successors, &calls);
        flow.find_needed(region, &successors, &calls);
        flow.find_sources(&successors, &calls);
        flow
    }

    /// Words that may differ from memory at the start of a block.
    pub fn changed(&self, block: usize) -> Set {
        self.changed[block]
    }

    /// Words that may differ from memory at the end of a block.
    pub fn changed_at_end(&self, block: usize) -> Set {
        self.changed[block] | self.writes[block]
    }

    /// Where a word at the start of a block comes from.
    pub fn source(&self, block: usize, register: usize) -> ValueOrigin {
        self.sources[block][register]
    }

    fn find_changed(&mut self, region: &Region, successors: &[Vec<usize>], calls: &[bool]) {
        for (block, at) in self.order.iter().enumerate() {
            let insts = &region.blocks[at].insts;
            self.writes[block] = insts.iter().fold(0, |all, (_, inst)| all | effects(inst).1);
        }
        let mut again = true;
        while again {
            again = false;
            for block in 0..self.order.len() {
                if calls[block] {
                    continue;
                }
                let out = self.changed_at_end(block);
                for &successor in &successors[block] {
                    let before = self.changed[successor];
                    self.changed[successor] |= out;
                    again |= self.changed[successor] != before;
                }
            }
        }
    }

    fn find_needed(&mut self, region: &Region, successors: &[Vec<usize>], calls: &[bool]) {
        // Words that a block reads before it writes them, with what it stores at its end.
        let mut reads = vec![0; self.order.len()];
        for (block, at) in self.order.iter().enumerate() {
            let guest = &region.blocks[at];
            let mut written = 0;
            for (_, inst) in &guest.insts {
                let (read, write) = effects(inst);
                reads[block] |= read & !written;
                // A system call stores what changed: a handler of a signal may run there.
                if inst.op == crate::Opcode::Ecall {
                    reads[block] |= self.changed[block] & !written;
                }
                written |= write;
            }
            let leaves = match guest.end {
                BlockEnd::Call { .. } | BlockEnd::Tail(_) | BlockEnd::Indirect { .. } => true,
                // A jump through a register that is mostly known may lead elsewhere.
                BlockEnd::Jump(_) => guest
                    .insts
                    .last()
                    .is_some_and(|(_, i)| i.op == crate::Opcode::Jalr),
                BlockEnd::Branch { .. } | BlockEnd::Illegal(_) => false,
            };
            if leaves {
                reads[block] |= self.changed[block] & !written;
            }
        }
        let mut again = true;
        while again {
            again = false;
            for block in (0..self.order.len()).rev() {
                let mut needed = reads[block];
                if !calls[block] {
                    let later = successors[block].iter();
                    let later = later.fold(0, |all, s| all | self.needed[*s]);
                    needed |= later & !self.writes[block];
                }
                again |= needed != self.needed[block];
                self.needed[block] = needed;
            }
        }
    }

    /// Every meeting point starts with parameters for what it needs; one that gets the same value from
    /// everywhere, or itself, is none.
    fn find_sources(&mut self, successors: &[Vec<usize>], calls: &[bool]) {
        let mut predecessors = vec![Vec::new(); self.order.len()];
        for (block, after) in successors.iter().enumerate() {
            for &successor in after {
                if !predecessors[successor].contains(&block) {
                    predecessors[successor].push(block);
                }
            }
        }
        for (block, before) in predecessors.iter().enumerate() {
            let meets = before.len() + usize::from(block == 0) >= 2;
            self.params[block] = if meets { self.needed[block] } else { 0 };
        }
        let mut again = true;
        while again {
            again = false;
            for (block, before) in predecessors.iter().enumerate() {
                for register in members(self.needed[block]) {
                    let own = ValueOrigin::Param(block);
                    let entry = (block == 0).then_some(ValueOrigin::Entry);
                    let incoming = before.iter().map(|&p| self.value_after(p, register, calls));
                    if self.params[block] & one(register) == 0 {
                        // Of several equal ones any will do.
                        let mut all = entry.into_iter().chain(incoming);
                        let now = all.find(|s| *s != own && *s != ValueOrigin::Nowhere);
                        let source = self.resolve(now.unwrap_or(ValueOrigin::Nowhere), register);
                        again |= self.sources[block][register] != source;
                        self.sources[block][register] = source;
                        continue;
                    }
                    let mut others = entry.into_iter().chain(incoming).filter(|s| *s != own);
                    let first = others.next().unwrap_or(ValueOrigin::Nowhere);
                    // What a loop brings back is not known in the first round.
                    let same = first != ValueOrigin::Nowhere && others.all(|other| other == first);
                    self.sources[block][register] = if same { first } else { own };
                    if same {
                        self.params[block] &= !one(register);
                        again = true;
                    }
                }
            }
        }
    }

    /// The value of a word after a block.
    fn value_after(&self, block: usize, register: usize, calls: &[bool]) -> ValueOrigin {
        if calls[block] || self.writes[block] & one(register) != 0 {
            return ValueOrigin::Block(block);
        }
        if self.params[block] & one(register) != 0 {
            return ValueOrigin::Param(block);
        }
        self.resolve(self.sources[block][register], register)
    }

    /// What a parameter that is none any more stands for.
    fn resolve(&self, source: ValueOrigin, register: usize) -> ValueOrigin {
        let mut source = source;
        // Each step leads to a block that was decided earlier.
        while let ValueOrigin::Param(block) = source
            && self.params[block] & one(register) == 0
        {
            source = self.sources[block][register];
        }
        source
    }
}

/// The blocks that are reached, each before its successors where there is no loop.
fn reverse_postorder(region: &Region) -> Vec<u64> {
    let mut order = Vec::new();
    let mut seen = std::collections::BTreeSet::from([region.entry]);
    let mut path = vec![(region.entry, region.blocks[&region.entry].successors())];
    while let Some((at, left)) = path.last_mut() {
        match left.pop() {
            Some(next) => {
                if seen.insert(next) {
                    path.push((next, region.blocks[&next].successors()));
                }
            }
            None => {
                order.push(*at);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
