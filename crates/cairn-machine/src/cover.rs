//! What can be covered, numbered: blocks, and the directions of branches.
//!
//! A point is covered when control passes it. Every block is a point. A direction of a branch or
//! switch is the block it leads to if nothing else leads there; otherwise it is a point of its
//! own, which stands on the edge. So a direction costs something only where it must. A program may
//! grow: what was numbered keeps its number, what is new comes after it.

use cairn_ir::{BlockId, Body, FuncId, Program, Terminator};
use rustc_hash::FxHashMap;

/// The numbers of a program's points.
#[derive(Clone, Debug, Default)]
pub struct CoverMap {
    /// The blocks of each function that has some.
    functions: Vec<Option<BlockPoints>>,
    /// The same in the order of their numbers.
    runs: Vec<(BlockPoints, FuncId)>,
    /// Points on edges: by block and successor.
    edges: FxHashMap<(u32, u32), u32>,
    /// The point of every direction of every branch and switch.
    directions: Vec<u32>,
    /// Blocks that end in them, each with the number of its first direction.
    branches: Vec<(u32, u32)>,
    points: u32,
}

/// The points of a function's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockPoints {
    first: u32,
    blocks: u32,
}

impl CoverMap {
    /// Numbers the points of a program.
    pub fn new(program: &Program) -> Self {
        let mut map = CoverMap::default();
        map.extend(program);
        map
    }

    /// Numbers the points of functions that have a body now and had none before; all others keep
    /// their numbers.
    pub fn extend(&mut self, program: &Program) {
        let all = program.functions.len();
        self.functions.resize(all.max(self.functions.len()), None);
        let new = program.functions.iter().enumerate();
        let new = new.filter_map(|(f, function)| Some((f, function.body.as_ref()?)));
        let new: Vec<(usize, &Body)> = new.filter(|(f, _)| self.functions[*f].is_none()).collect();
        for (f, body) in &new {
            let run = BlockPoints {
                first: self.points,
                blocks: body.blocks.len() as u32,
            };
            self.points += run.blocks;
            self.functions[*f] = Some(run);
            self.runs.push((run, FuncId::new(*f)));
        }
        for (f, body) in new {
            let first = self.functions[f].expect("just made").first;
            self.number_directions(body, first);
        }
    }

    /// Numbers the directions of a function whose first block has this number.
    fn number_directions(&mut self, body: &Body, first: u32) {
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
            self.branches
                .push((first + b as u32, self.directions.len() as u32));
            for (i, target) in leaving.iter().enumerate() {
                let earlier = leaving.iter().position(|t| t == target);
                if let Some(first_edge) = earlier.filter(|&e| e < i) {
                    // The same direction under another value.
                    let from = first + b as u32;
                    if let Some(point) = self.edge(from, first_edge as u32) {
                        self.edges.insert((from, i as u32), point);
                    }
                    continue;
                }
                let point = if incoming[target.index()] == 1 {
                    first + target.index() as u32
                } else {
                    self.points += 1;
                    self.edges
                        .insert((first + b as u32, i as u32), self.points - 1);
                    self.points - 1
                };
                self.directions.push(point);
            }
        }
    }

    /// Whether a function was there, with as many blocks, when the points were numbered.
    pub fn has(&self, function: FuncId, blocks: usize) -> bool {
        let run = self.functions.get(function.index()).copied().flatten();
        run.is_some_and(|run| run.blocks as usize == blocks)
    }

    /// The point of a block.
    ///
    /// # Panics
    /// If the function had no body when the points were numbered.
    pub fn block(&self, function: FuncId, block: BlockId) -> u32 {
        let run = self.functions[function.index()].expect("it has blocks");
        run.first + block.index() as u32
    }

    /// The function and block of a point, if it is a block's.
    pub fn block_of(&self, point: u32) -> Option<(FuncId, BlockId)> {
        let above = self.runs.partition_point(|(run, _)| run.first <= point);
        let (run, function) = self.runs[above.checked_sub(1)?];
        let block = point - run.first;
        (block < run.blocks).then(|| (function, BlockId::new(block as usize)))
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
