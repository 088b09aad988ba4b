//! What can be covered, numbered: blocks, and the directions of branches.
//!
//! A point is covered when control passes it. Every block is a point. A direction of a branch or
//! switch is the block it leads to if nothing else leads there; otherwise it is a point of its
//! own, which stands on the edge. So a direction costs something only where it must.

use cairn_ir::{BlockId, FuncId, Program, Terminator};
use rustc_hash::FxHashMap;

/// The numbers of a program's points.
#[derive(Debug, Default)]
pub struct CoverMap {
    /// The number of the first block of each function.
    first_block: Vec<u32>,
    blocks: u32,
    /// Points on edges: by block and successor.
    edges: FxHashMap<(u32, u32), u32>,
    /// The point of every direction of every branch and switch.
    directions: Vec<u32>,
    /// Blocks that end in them, each with the number of its first direction.
    branches: Vec<(u32, u32)>,
    points: u32,
}

impl CoverMap {
    /// Numbers the points of a program.
    pub fn new(program: &Program) -> Self {
        let mut map = CoverMap::default();
        for function in &program.functions {
            map.first_block.push(map.blocks);
            map.blocks += function.body.as_ref().map_or(0, |b| b.blocks.len() as u32);
        }
        map.points = map.blocks;
        for (f, function) in program.functions.iter().enumerate() {
            let Some(body) = &function.body else { continue };
            let first = map.first_block[f];
            let mut incoming = vec![0u32; body.blocks.len()];
            for block in &body.blocks {
                for target in distinct(&targets(&block.terminator.0)) {
                    incoming[target.index()] += 1;
                }
            }
            for (b, block) in body.blocks.iter().enumerate() {
                let leaving = targets(&block.terminator.0);
                if leaving.len() < 2 {
                    continue;
                }
                map.branches
                    .push((first + b as u32, map.directions.len() as u32));
                for (i, target) in leaving.iter().enumerate() {
                    let earlier = leaving.iter().position(|t| t == target);
                    if let Some(first_edge) = earlier.filter(|&e| e < i) {
                        // The same direction under another value.
                        let from = first + b as u32;
                        if let Some(point) = map.edge(from, first_edge as u32) {
                            map.edges.insert((from, i as u32), point);
                        }
                        continue;
                    }
                    let point = if incoming[target.index()] == 1 {
                        first + target.index() as u32
                    } else {
                        map.points += 1;
                        map.edges
                            .insert((first + b as u32, i as u32), map.points - 1);
                        map.points - 1
                    };
                    map.directions.push(point);
                }
            }
        }
        map
    }

    /// Whether a function was there, with as many blocks, when the points were numbered.
    pub(crate) fn has(&self, function: FuncId, blocks: usize) -> bool {
        let first = self.first_block.get(function.index());
        let next = self.first_block.get(function.index() + 1);
        let end = next.copied().unwrap_or(self.blocks);
        first.is_some_and(|first| (end - first) as usize == blocks)
    }

    /// The point of a block.
    pub fn block(&self, function: FuncId, block: BlockId) -> u32 {
        self.first_block[function.index()] + block.index() as u32
    }

    /// The function and block of a point, if it is a block's.
    pub fn block_of(&self, point: u32) -> Option<(FuncId, BlockId)> {
        if point >= self.blocks {
            return None;
        }
        let function = self.first_block.partition_point(|&first| first <= point) - 1;
        // Functions without a body have the number of the next one.
        let block = (point - self.first_block[function]) as usize;
        Some((FuncId::new(function), BlockId::new(block)))
    }

    /// The point on an edge, if it has one of its own.
    pub(crate) fn edge(&self, from: u32, successor: u32) -> Option<u32> {
        self.edges.get(&(from, successor)).copied()
    }

    /// The blocks that end in a branch or switch, each with the points of its directions.
    pub fn branches(&self) -> impl Iterator<Item = (FuncId, BlockId, &[u32])> {
        self.branches
            .iter()
            .enumerate()
            .map(|(i, &(block, start))| {
                let next = self.branches.get(i + 1);
                let end = next.map_or(self.directions.len(), |n| n.1 as usize);
                let (function, block) = self.block_of(block).expect("a block's point");
                (function, block, &self.directions[start as usize..end])
            })
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }
}

/// Where a block leads: a switch's cases in order, then its default.
fn targets(terminator: &Terminator) -> Vec<BlockId> {
    match terminator {
        Terminator::Jump(target) => vec![target.block],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![then.block, otherwise.block],
        Terminator::Switch(switch) => {
            let cases = switch.cases.iter().map(|c| c.1.block);
            cases.chain([switch.default.block]).collect()
        }
        Terminator::Return(_) | Terminator::Stop => Vec::new(),
    }
}

fn distinct(blocks: &[BlockId]) -> Vec<BlockId> {
    let mut blocks = blocks.to_vec();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}
