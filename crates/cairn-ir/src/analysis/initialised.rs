//! Which stack objects are certainly written before they are read.
//!
//! # Problem
//!
//! Uninitialised memory may hold anything. A machine that keeps track of that pays for it at the first
//! store to every stack object, although nearly all of them are variables that the compiler made and that
//! are written first.
//!
//! # Idea
//!
//! An object qualifies if its size is known and its address is used by loads and stores
//! of the whole object and by nothing else. Whether it was written is then one bit, which
//! `alloca` clears and a store sets. Going forward through the blocks, a bit is set where it is
//! set at the end of all predecessors. An object is certain if its bit is set at every load.
//!
//! # Soundness
//!
//! The bit at a block's start is the conjunction over all paths that lead there, so
//! a load at which it is set has a store after the last `alloca` on every path. There is no other way
//! to read the object: its address is in no register but the one, and was never passed on. (A
//! pointer made from a number may hit it; what it reads there is undefined in the source.)
//! An object that is written in parts, or whose address goes to a call, does not qualify.
//!
//! # Cost
//!
//! Objects are handled 64 at a time, a bit of a word for each: for each 64 objects a few
//! passes over the blocks in reverse postorder, and one word for each block.

use super::cfg::Cfg;
use crate::{Body, Inst, Local, Operand};

/// The stack objects of a body that are certainly written before they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initialised {
    /// The addresses of these objects, in ascending order.
    certain: Vec<Local>,
}

/// What happens to an object in a block.
#[derive(Clone, Copy)]
enum ObjectAccess {
    Made,
    Written,
    Read,
}

/// Something that happens to an object.
#[derive(Clone, Copy)]
struct Event {
    block: u32,
    /// The number of the object among those that qualify.
    object: u32,
    act: ObjectAccess,
}

/// What a block does to 64 objects.
#[derive(Clone, Copy, Default)]
struct BlockSummary {
    /// Written when it ends, whatever was before.
    written: u64,
    /// Not written when it ends, whatever was before.
    fresh: u64,
    /// Read as they are when it starts.
    needed: u64,
    /// Read after they are made and before they are written.
    missed: u64,
}

impl BlockSummary {
    fn add(&mut self, object: u64, act: ObjectAccess) {
        match act {
            ObjectAccess::Made => {
                self.fresh |= object;
                self.written &= !object;
            }
            ObjectAccess::Written => {
                self.written |= object;
                self.fresh &= !object;
            }
            ObjectAccess::Read if self.written & object != 0 => {}
            ObjectAccess::Read if self.fresh & object != 0 => self.missed |= object,
            ObjectAccess::Read => self.needed |= object,
        }
    }

    /// What is written when the block ends.
    fn after(&self, before: u64) -> u64 {
        (before & !self.fresh) | self.written
    }
}

impl Initialised {
    /// The certain objects of a body with this graph.
    pub fn new(body: &Body, cfg: &Cfg) -> Self {
        let candidates = Candidates::of(body);
        if candidates.objects.is_empty() {
            return Initialised {
                certain: Vec::new(),
            };
        }
        let events = candidates.events(body);
        let mut certain = Vec::new();
        let mut effects = vec![BlockSummary::default(); body.blocks.len()];
        let mut ends = vec![0; body.blocks.len()];
        for (batch, objects) in candidates.objects.chunks(64).enumerate() {
            let of_batch = events.iter().filter(|e| e.object as usize / 64 == batch);
            effects.fill(BlockSummary::default());
            for event in of_batch {
                effects[event.block as usize].add(1 << (event.object % 64), event.act);
            }
            let missed = read_unwritten(cfg, &effects, &mut ends);
            let bits = objects.iter().enumerate();
            let kept = bits.filter(|(bit, _)| missed >> bit & 1 == 0);
            certain.extend(kept.map(|(_, local)| *local));
        }
        Initialised { certain }
    }

    /// Whether the object that an `alloca` makes is certain, by the local of its address.
    pub fn is_certain(&self, address: Local) -> bool {
        self.certain.binary_search(&address).is_ok()
    }

    /// The addresses of the certain objects, in ascending order.
    pub fn certain(&self) -> &[Local] {
        &self.certain
    }
}

/// The objects that some path reads without having written them. `ends` is room for a word per
/// block.
fn read_unwritten(cfg: &Cfg, effects: &[BlockSummary], ends: &mut [u64]) -> u64 {
    // Everything is written at the end of a block that no path reaches.
    ends.fill(u64::MAX);
    let start = |node: usize, ends: &[u64]| {
        let before = cfg.graph().predecessors(node as u32).iter();
        let all = before.fold(u64::MAX, |all, pred| all & ends[*pred as usize]);
        // The function starts in its first block with nothing written.
        if node == 0 { 0 } else { all }
    };
    loop {
        let mut changed = false;
        for block in cfg.reverse_postorder() {
            let node = block.index();
            let end = effects[node].after(start(node, ends));
            changed |= std::mem::replace(&mut ends[node], end) != end;
        }
        if !changed {
            break;
        }
    }
    cfg.reverse_postorder().fold(0, |missed, block| {
        let node = block.index();
        let effect = &effects[node];
        missed | effect.missed | (effect.needed & !start(node, ends))
    })
}

/// The objects that qualify, before anybody knows whether they are written first.
struct Candidates {
    /// The size of the object whose address a local is, in bits; `None` if it does not qualify.
    bits: Vec<Option<u64>>,
    /// The addresses of those that do.
    objects: Vec<Local>,
}

impl Candidates {
    fn of(body: &Body) -> Self {
        let mut bits: Vec<Option<u64>> = vec![None; body.widths.len()];
        let mut objects = Vec::new();
        let insts = || body.blocks.iter().flat_map(|b| &b.insts).map(|(i, _)| i);
        for inst in insts() {
            if let Inst::Alloca { dst, size, .. } = inst
                && let Operand::Int(bytes) = size
                && let Some(entry) = bits.get_mut(dst.index())
            {
                *entry = bytes.checked_mul(8);
                objects.push(*dst);
            }
        }
        if objects.is_empty() {
            return Candidates { bits, objects };
        }
        // A use of a local; an access of the whole object says how wide it is.
        let mut see = |local: Local, access: Option<u32>| {
            if let Some(entry) = bits.get_mut(local.index())
                && *entry != access.map(u64::from)
            {
                *entry = None;
            }
        };
        for block in &body.blocks {
            block.terminator.0.for_each_use(|local| see(local, None));
        }
        for inst in insts() {
            let Some((at, width, _)) = access(body, inst) else {
                inst.for_each_use(|local| see(local, None));
                continue;
            };
            see(at, Some(width));
            if let Inst::Store {
                value: Operand::Local(value),
                ..
            } = inst
            {
                see(*value, None);
            }
        }
        objects.retain(|local| bits[local.index()].is_some());
        objects.sort_unstable();
        objects.dedup();
        Candidates { bits, objects }
    }

    /// What happens to them, in the order of each block.
    fn events(&self, body: &Body) -> Vec<Event> {
        let mut number = vec![0; self.bits.len()];
        for (i, local) in self.objects.iter().enumerate() {
            number[local.index()] = i as u32;
        }
        let mut events = Vec::new();
        for (i, block) in body.blocks.iter().enumerate() {
            for (inst, _) in &block.insts {
                let (at, act) = match (inst, access(body, inst)) {
                    (Inst::Alloca { dst, .. }, _) => (*dst, ObjectAccess::Made),
                    (_, Some((at, _, act))) => (at, act),
                    (_, None) => continue,
                };
                if matches!(self.bits.get(at.index()), Some(Some(_))) {
                    events.push(Event {
                        block: i as u32,
                        object: number[at.index()],
                        act,
                    });
                }
            }
        }
        events
    }
}

/// A load or store by an address that is a local as it is: the local, the width, and which.
fn access(body: &Body, inst: &Inst) -> Option<(Local, u32, ObjectAccess)> {
    match inst {
        Inst::Load {
            dst,
            address: Operand::Local(at),
        } => Some((*at, *body.widths.get(dst.index())?, ObjectAccess::Read)),
        Inst::Store {
            width,
            address: Operand::Local(at),
            ..
        } => Some((*at, *width, ObjectAccess::Written)),
        _ => None,
    }
}
