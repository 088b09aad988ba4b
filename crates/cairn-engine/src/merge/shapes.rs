//! Where the paths of a function meet again.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::merge::MergeMode;
use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::dominators::{Dominators, PostDominators};
use cairn_ir::analysis::loops::{LoopId, Loops};
use cairn_ir::{BlockId, FuncId, Program};
use cairn_machine::{Arrival, FunctionLiveness};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What merging needs to know of a function.
pub(super) struct FunctionShape {
    pub liveness: FunctionLiveness,
    post: PostDominators,
    loops: Loops,
}

impl FunctionShape {
    fn new(program: &Program, function: FuncId) -> Option<FunctionShape> {
        let body = program.function(function).body.as_ref()?;
        let cfg = Cfg::new(body);
        Some(FunctionShape {
            liveness: FunctionLiveness::new(program, body, &cfg),
            post: PostDominators::new(&cfg),
            loops: Loops::new(&cfg, &Dominators::new(&cfg)),
        })
    }

    /// The next block that all ways from a block pass and that states stop at.
    pub fn join(&self, from: BlockId, stops: impl Fn(BlockId) -> bool) -> Option<BlockId> {
        let mut at = self.post.immediate(from)?;
        while !stops(at) {
            at = self.post.immediate(at)?;
        }
        Some(at)
    }

    /// The smallest loop around a block.
    pub fn loop_of(&self, block: BlockId) -> Option<LoopId> {
        self.loops.innermost(block)
    }

    /// Whether a block is in a loop.
    pub fn is_in(&self, of: LoopId, block: BlockId) -> bool {
        self.loops.contains(of, block)
    }
}

/// The shapes of functions, made when they are first asked for.
#[derive(Default)]
pub(super) struct Shapes(FxHashMap<FuncId, Option<Rc<FunctionShape>>>);

impl Shapes {
    pub fn of(&mut self, program: &Program, function: FuncId) -> Option<Rc<FunctionShape>> {
        let made = || FunctionShape::new(program, function).map(Rc::new);
        self.0.entry(function).or_insert_with(made).clone()
    }
}

/// Asks for the stop points that merging needs; what becomes of states there the worker decides.
pub(crate) struct MergePoints(pub MergeMode);

impl Feature for MergePoints {
    fn name(&self) -> &'static str {
        "merge"
    }

    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn stops(&self, _program: &Program, _function: FuncId) -> Arrival {
        match self.0 {
            MergeMode::None | MergeMode::Marked => Arrival::NOWHERE,
            MergeMode::Loops => Arrival {
                loop_exit: true,
                ..Arrival::NOWHERE
            },
            MergeMode::Joins => Arrival {
                join: true,
                ..Arrival::NOWHERE
            },
        }
    }

    fn on(&mut self, _moment: &mut Moment<'_>, _context: &mut Context<'_>) {}
}
