//! Which locals are still needed where.
//!
//! A local is live into a block if some path from the block's start reads it before it is
//! defined (which in single-assignment form means: it is defined above). The parameters of a block
//! are defined by it and are not live into it; what a jump gives them is read by the jump.
//!
//! Every local is defined in one place, so each can be handled alone: its uses are walked up
//! against the edges until the definition. That visits exactly the blocks where it is live, so the
//! whole costs what its answer is long. The answer is kept as sorted lists: a function of many
//! thousand blocks has many thousand locals that leave their block, of which a few dozen are live
//! in any one place, and a matrix of bits would be nearly all zeros.

use super::cfg::Cfg;
use super::table::ListTable;
use crate::{BlockId, Body, Local};

const NONE: u32 = u32::MAX;

/// The locals that are live at the borders of each block of a body.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: ListTable<Local>,
    live_out: ListTable<Local>,
}

impl Liveness {
    /// The live locals of a body with this graph.
    pub fn new(body: &Body, cfg: &Cfg) -> Self {
        let count = body.blocks.len();
        let defined_in = definitions(body);
        let uses = outer_uses(body, &defined_in);
        let (mut live_in, mut live_out) = (Vec::new(), Vec::new());
        // The last local that was found live into, or out of, a block. Locals come in ascending
        // order, and so do the lists.
        let (mut seen_in, mut seen_out) = (vec![NONE; count], vec![NONE; count]);
        let mut work = Vec::new();
        for (local, definition) in (0..).map(Local).zip(defined_in) {
            work.extend_from_slice(uses.of(local.0));
            while let Some(node) = work.pop() {
                if std::mem::replace(&mut seen_in[node as usize], local.0) == local.0 {
                    continue;
                }
                live_in.push((node, local));
                for &pred in cfg.graph().predecessors(node) {
                    if std::mem::replace(&mut seen_out[pred as usize], local.0) == local.0 {
                        continue;
                    }
                    live_out.push((pred, local));
                    if pred != definition {
                        work.push(pred);
                    }
                }
            }
        }
        Liveness {
            live_in: ListTable::new(count, &live_in),
            live_out: ListTable::new(count, &live_out),
        }
    }

    /// Whether a local is live into a block.
    pub fn is_live_in(&self, block: BlockId, local: Local) -> bool {
        self.live_in(block).binary_search(&local).is_ok()
    }

    /// Whether a local is live at the end of a block, after its jump has read what it gives.
    pub fn is_live_out(&self, block: BlockId, local: Local) -> bool {
        self.live_out(block).binary_search(&local).is_ok()
    }

    /// The locals live into a block, in ascending order.
    pub fn live_in(&self, block: BlockId) -> &[Local] {
        self.live_in.of(block.0)
    }

    /// The locals live at the end of a block, in ascending order.
    pub fn live_out(&self, block: BlockId) -> &[Local] {
        self.live_out.of(block.0)
    }

    /// The locals that are needed at an instruction of a block (`insts.len()` is its terminator):
    /// those that it or something after it reads and that are defined before it, each once.
    pub fn live_before(&self, body: &Body, block: BlockId, inst: usize) -> Vec<Local> {
        let mut live = self.live_out(block).to_vec();
        let code = body.block(block);
        code.terminator.0.for_each_use(|local| live.push(local));
        for (inst, _) in code.insts.iter().skip(inst) {
            inst.for_each_use(|local| live.push(local));
        }
        live.sort_unstable();
        live.dedup();
        let mut later: Vec<Local> = code.insts[inst.min(code.insts.len())..]
            .iter()
            .flat_map(|(inst, _)| inst.results().iter().copied())
            .collect();
        later.sort_unstable();
        live.retain(|local| later.binary_search(local).is_err());
        live
    }
}

/// The block that defines each local; `NONE` if none does.
fn definitions(body: &Body) -> Vec<u32> {
    let mut defined_in = vec![NONE; body.widths.len()];
    for (i, block) in body.blocks.iter().enumerate() {
        let results = block.insts.iter().flat_map(|(inst, _)| inst.results());
        for local in block.params.iter().chain(results) {
            if let Some(at) = defined_in.get_mut(local.index()) {
                *at = i as u32;
            }
        }
    }
    defined_in
}

/// The blocks that read each local without defining it.
fn outer_uses(body: &Body, defined_in: &[u32]) -> ListTable<u32> {
    let mut uses = Vec::new();
    for (i, block) in body.blocks.iter().enumerate() {
        let mut see = |local: Local| match defined_in.get(local.index()) {
            Some(&defined) if defined != i as u32 => uses.push((local.0, i as u32)),
            Some(_) | None => {}
        };
        for (inst, _) in &block.insts {
            inst.for_each_use(&mut see);
        }
        block.terminator.0.for_each_use(&mut see);
    }
    ListTable::new(defined_in.len(), &uses)
}
