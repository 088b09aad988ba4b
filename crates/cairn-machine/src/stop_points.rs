//! Stop points: blocks at whose beginning a thread stops.
//!
//! # Problem
//!
//! The step function runs through hundreds of thousands of operations without returning. Techniques that
//! compare or merge paths must see them where control flow meets again: at joins, loop heads and loop exits.
//!
//! # Idea
//!
//! Functions for which a feature wants stop points are flattened with one more operation at the beginning
//! of such blocks. It stands after the moves of the block's parameters, so registers hold the values that
//! the block works with, and no fusion reaches across it.
//!
//! # Soundness
//!
//! The operation only stops the thread: it reads and writes no register, does not count as executed, and
//! the thread goes on with the block. Where stop points are missing, features see less; paths stay the same.
//!
//! # Cost
//!
//! One stop for each arrival at such a block. Functions without stop points have the same code as before.

use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::dominators::Dominators;
use cairn_ir::analysis::loops::Loops;
use cairn_ir::{BlockId, FuncId, Program};
use rustc_hash::FxHashMap;

/// What a block is to the paths that arrive at it. One block may be several of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// Any block.
    pub block: bool,
    /// The head of a loop, or where control enters a cycle without one.
    pub loop_head: bool,
    /// The first block after a loop.
    pub loop_exit: bool,
    /// A block that several lead to.
    pub join: bool,
}

impl Arrival {
    /// Every block.
    pub const EVERYWHERE: Arrival = Arrival {
        block: true,
        loop_head: true,
        loop_exit: true,
        join: true,
    };

    /// Nowhere.
    pub const NOWHERE: Arrival = Arrival {
        block: false,
        loop_head: false,
        loop_exit: false,
        join: false,
    };

    /// What one of two asks for.
    #[must_use]
    pub fn or(self, other: Arrival) -> Arrival {
        Arrival {
            block: self.block || other.block,
            loop_head: self.loop_head || other.loop_head,
            loop_exit: self.loop_exit || other.loop_exit,
            join: self.join || other.join,
        }
    }

    fn meets(self, other: Arrival) -> bool {
        (self.block && other.block)
            || (self.loop_head && other.loop_head)
            || (self.loop_exit && other.loop_exit)
            || (self.join && other.join)
    }
}

/// The stop points of a program.
#[derive(Clone, Debug, Default)]
pub struct StopPoints {
    blocks: FxHashMap<(FuncId, BlockId), Arrival>,
}

impl StopPoints {
    /// The blocks of the kinds that are wanted in each function.
    pub fn new(program: &Program, wanted: impl Fn(FuncId) -> Arrival) -> Self {
        let mut blocks = FxHashMap::default();
        for (number, function) in program.functions.iter().enumerate() {
            let function_id = FuncId::new(number);
            let wanted = wanted(function_id);
            let Some(body) = function
                .body
                .as_ref()
                .filter(|_| wanted != Arrival::NOWHERE)
            else {
                continue;
            };
            let kinds = kinds(&Cfg::new(body), body.blocks.len());
            for (block, kind) in kinds.into_iter().enumerate() {
                if wanted.meets(kind) {
                    blocks.insert((function_id, BlockId::new(block)), kind);
                }
            }
        }
        StopPoints { blocks }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// What a block is, if threads stop there.
    pub fn at(&self, function: FuncId, block: BlockId) -> Option<Arrival> {
        self.blocks.get(&(function, block)).copied()
    }
}

/// What the blocks of a body are.
fn kinds(cfg: &Cfg, blocks: usize) -> Vec<Arrival> {
    let loops = Loops::new(cfg, &Dominators::new(cfg));
    let mut kinds: Vec<Arrival> = (0..blocks)
        .map(|block| Arrival {
            block: true,
            join: cfg.predecessors(BlockId::new(block)).count() > 1,
            ..Arrival::NOWHERE
        })
        .collect();
    for (_, natural) in loops.iter() {
        kinds[natural.header.index()].loop_head = true;
        for (_, outside) in &natural.exits {
            kinds[outside.index()].loop_exit = true;
        }
    }
    for (_, entered) in loops.irreducible_edges() {
        kinds[entered.index()].loop_head = true;
    }
    kinds
}
