//! Functions of an executable: which instructions belong together, and how control leaves them.
//!
//! # Problem
//!
//! An executable is bytes. Functions are found by symbols if there are some, else by who
//! is called; but code may also jump through registers, return elsewhere, and share tails.
//!
//! # Idea
//!
//! A *region* is what is reached from an entry by branches, jumps and returns of
//! callees, without following calls. An instruction that links (`jal` or `jalr` with a destination)
//! is a call; a jump to the entry of another function is a tail call; a jump through `ra` or `t0` is
//! a return; any other jump through a register is a jump table if its table can be read, and may
//! always leave the region. Regions may overlap: that costs room, never meaning.
//!
//! # Soundness
//!
//! Nothing here is believed: whatever a guess was, `lower.rs` compares the
//! address with those that were expected and otherwise lets the dispatcher find it.
//!
//! - **Jump tables.** Constants are followed through a region (`lui`, `auipc`, `addi`, `add`), and
//!   loads from a constant plus something unknown are loads from a table. Its entries are read for
//!   as long as they lead into the same function.

use crate::decode::{GuestInst, decode};
use crate::elf::{Executable, SymbolKind};
use crate::registers::{effects, members};
use crate::table::Opcode;
use std::collections::{BTreeMap, BTreeSet};

/// The most instructions of a region.
const MOST_INSTRUCTIONS: usize = 200_000;

/// The most entries of a jump table.
const MOST_TARGETS: u64 = 4096;

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockEnd {
    /// Goes on at an address of the region.
    Jump(u64),
    /// A conditional branch: the last instruction of the block.
    Branch { taken: u64, next: u64 },
    /// A call; the last instruction of the block links.
    Call { target: Option<u64>, back: u64 },
    /// A jump to another function.
    Tail(u64),
    /// A jump through a register: the last instruction. It may lead to these, or out.
    Indirect { targets: Vec<u64>, returns: bool },
    /// What is no instruction, at this address.
    Illegal(u64),
}

/// A straight piece of a region.
#[derive(Clone, Debug)]
pub(crate) struct GuestBlock {
    pub insts: Vec<(u64, GuestInst)>,
    pub end: BlockEnd,
}

impl GuestBlock {
    /// Where control may go on inside the region.
    pub fn successors(&self) -> Vec<u64> {
        match &self.end {
            BlockEnd::Jump(to) => vec![*to],
            BlockEnd::Branch { taken, next } => vec![*taken, *next],
            BlockEnd::Call { back, .. } => vec![*back],
            BlockEnd::Indirect { targets, .. } => targets.clone(),
            BlockEnd::Tail(_) | BlockEnd::Illegal(_) => Vec::new(),
        }
    }
}

/// A region.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub entry: u64,
    pub blocks: BTreeMap<u64, GuestBlock>,
}

impl Region {
    /// The functions that are called or jumped to by address.
    pub fn called(&self) -> impl Iterator<Item = u64> {
        self.blocks.values().filter_map(|block| match block.end {
            BlockEnd::Call { target, .. } => target,
            BlockEnd::Tail(target) => Some(target),
            BlockEnd::Jump(_)
            | BlockEnd::Branch { .. }
            | BlockEnd::Indirect { .. }
            | BlockEnd::Illegal(_) => None,
        })
    }
}

/// What is known of a register while constants are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterFact {
    Nothing,
    Constant(u64),
    /// A constant plus something that is not known.
    Offset(u64),
    /// An entry of the table at an address: its bytes, whether signed, and what was added.
    Entry {
        table: u64,
        bytes: u32,
        signed: bool,
        added: u64,
    },
}

type KnownRegisters = [RegisterFact; 32];

/// Finds the region of an entry. `functions` are the entries of other ones.
pub(crate) fn find(executable: &Executable, entry: u64, functions: &BTreeSet<u64>) -> Region {
    let mut finder = Finder {
        executable,
        entry,
        functions,
        tables: BTreeMap::new(),
        constants: BTreeMap::new(),
    };
    // Targets of jump tables show more code, which shows more tables.
    loop {
        let region = finder.reach();
        if !finder.read_tables(&region) {
            return region;
        }
    }
}

struct Finder<'e> {
    executable: &'e Executable,
    entry: u64,
    functions: &'e BTreeSet<u64>,
    /// Targets of indirect jumps, by the jump's address.
    tables: BTreeMap<u64, Vec<u64>>,
    /// Targets of jumps and calls through a register that is known there.
    constants: BTreeMap<u64, u64>,
}

impl Finder<'_> {
    /// The blocks that are reached, as far as indirect jumps are known.
    fn reach(&mut self) -> Region {
        let mut leaders = BTreeSet::from([self.entry]);
        let mut decoded: BTreeMap<u64, Option<GuestInst>> = BTreeMap::new();
        let mut pending = vec![self.entry];
        while let Some(start) = pending.pop() {
            let mut known = [RegisterFact::Nothing; 32];
            let mut at = start;
            while !decoded.contains_key(&at) && decoded.len() < MOST_INSTRUCTIONS {
                let inst = self.executable.code_at(at).and_then(decode);
                decoded.insert(at, inst);
                let Some(inst) = inst else { break };
                let next = at + u64::from(inst.length);
                if matches!(inst.op, Opcode::Jalr) {
                    match known[usize::from(inst.rs1)] {
                        RegisterFact::Constant(base) => {
                            let to = base.wrapping_add_signed(inst.imm) & !1;
                            self.constants.insert(at, to);
                        }
                        RegisterFact::Nothing
                        | RegisterFact::Offset(_)
                        | RegisterFact::Entry { .. } => {}
                    }
                }
                follow(&mut known, at, &inst);
                let Some(end) = self.end_of(at, &inst) else {
                    at = next;
                    if leaders.contains(&at) {
                        break;
                    }
                    continue;
                };
                let block = GuestBlock {
                    insts: Vec::new(),
                    end,
                };
                for successor in block.successors() {
                    if leaders.insert(successor) {
                        pending.push(successor);
                    }
                }
                break;
            }
        }
        let mut blocks = BTreeMap::new();
        for &leader in &leaders {
            let block = self.block(leader, &leaders, &decoded);
            blocks.insert(leader, block);
        }
        Region {
            entry: self.entry,
            blocks,
        }
    }

    /// The block from a leader to the next one.
    fn block(
        &self,
        leader: u64,
        leaders: &BTreeSet<u64>,
        decoded: &BTreeMap<u64, Option<GuestInst>>,
    ) -> GuestBlock {
        let mut insts = Vec::new();
        let mut at = leader;
        loop {
            let Some(Some(inst)) = decoded.get(&at) else {
                let end = BlockEnd::Illegal(at);
                return GuestBlock { insts, end };
            };
            insts.push((at, *inst));
            if let Some(end) = self.end_of(at, inst) {
                return GuestBlock { insts, end };
            }
            at += u64::from(inst.length);
            if leaders.contains(&at) {
                let end = BlockEnd::Jump(at);
                return GuestBlock { insts, end };
            }
        }
    }

    /// How an instruction ends a block, if it does.
    fn end_of(&self, at: u64, inst: &GuestInst) -> Option<BlockEnd> {
        let next = at + u64::from(inst.length);
        let to = at.wrapping_add_signed(inst.imm);
        Some(match inst.op {
            Opcode::Beq | Opcode::Bne | Opcode::Blt | Opcode::Bge | Opcode::Bltu | Opcode::Bgeu => {
                BlockEnd::Branch { taken: to, next }
            }
            Opcode::Jal if inst.rd == 0 => self.jump(to),
            Opcode::Jal => BlockEnd::Call {
                target: Some(to),
                back: next,
            },
            Opcode::Jalr => {
                let target = self.constants.get(&at).copied();
                match (inst.rd, target) {
                    (0, Some(target)) => self.jump(target),
                    (0, None) => BlockEnd::Indirect {
                        targets: self.tables.get(&at).cloned().unwrap_or_default(),
                        returns: inst.rs1 == 1 || inst.rs1 == 5,
                    },
                    (_, target) => BlockEnd::Call { target, back: next },
                }
            }
            // What follows an endless wait or a trap is often data.
            Opcode::Ebreak => BlockEnd::Illegal(at),
            _ => return None,
        })
    }

    fn jump(&self, to: u64) -> BlockEnd {
        if to != self.entry && self.functions.contains(&to) {
            BlockEnd::Tail(to)
        } else {
            BlockEnd::Jump(to)
        }
    }

    /// Looks for tables behind indirect jumps; whether new targets were found.
    fn read_tables(&mut self, region: &Region) -> bool {
        let wanted = region.blocks.values().any(|block| match &block.end {
            BlockEnd::Indirect { returns, .. } => !returns,
            _ => false,
        });
        if !wanted {
            return false;
        }
        let mut found = false;
        for (start, known) in follow_region(region) {
            let block = &region.blocks[&start];
            let BlockEnd::Indirect { .. } = block.end else {
                continue;
            };
            let mut known = known;
            let Some(((at, jump), before)) = block.insts.split_last() else {
                continue;
            };
            for (at, inst) in before {
                follow(&mut known, *at, inst);
            }
            let RegisterFact::Entry {
                table,
                bytes,
                signed,
                added,
            } = known[usize::from(jump.rs1)]
            else {
                continue;
            };
            if self.tables.contains_key(at) {
                continue;
            }
            let targets = self.read_table(table, bytes, signed, added);
            found |= !targets.is_empty();
            self.tables.insert(*at, targets);
        }
        found
    }

    /// The entries of a table, for as long as they lead into the function.
    fn read_table(&self, table: u64, bytes: u32, signed: bool, added: u64) -> Vec<u64> {
        let inside = self.addresses();
        let entries = (0..MOST_TARGETS).map_while(|i| {
            let value = self
                .executable
                .read_at(table + i * u64::from(bytes), bytes)?;
            let unused = 64 - 8 * bytes;
            let value = if signed {
                ((value << unused) as i64 >> unused) as u64
            } else {
                value
            };
            let target = value.wrapping_add(added);
            let code = inside.contains(&target) && target % 2 == 0;
            (code && self.executable.code_at(target).is_some()).then_some(target)
        });
        let targets: BTreeSet<u64> = entries.collect();
        targets.into_iter().collect()
    }

    /// The addresses of the function, as its symbol says; without one, up to the next function.
    fn addresses(&self) -> std::ops::Range<u64> {
        let symbols = &self.executable.symbols;
        let above = symbols.partition_point(|s| s.address <= self.entry);
        let own = symbols[..above].iter().rev().take(16).find(|s| {
            s.kind == SymbolKind::Function && self.entry.wrapping_sub(s.address) < s.size
        });
        if let Some(symbol) = own {
            return symbol.address..symbol.address.saturating_add(symbol.size);
        }
        let next = self.functions.range(self.entry + 1..).next();
        let end = next.copied().or_else(|| {
            let (_, segment) = self.executable.segment_at(self.entry)?;
            Some(segment.address + segment.size)
        });
        self.entry..end.unwrap_or(self.entry)
    }
}

/// What is known of the registers at the start of each block.
fn follow_region(region: &Region) -> BTreeMap<u64, KnownRegisters> {
    let mut starts = BTreeMap::from([(region.entry, [RegisterFact::Nothing; 32])]);
    let mut pending = vec![region.entry];
    // Knowledge only shrinks after the first visit, so this ends.
    while let Some(start) = pending.pop() {
        let Some(block) = region.blocks.get(&start) else {
            continue;
        };
        let mut known = starts[&start];
        for (at, inst) in &block.insts {
            follow(&mut known, *at, inst);
        }
        if matches!(block.end, BlockEnd::Call { .. }) {
            // A guess: callees keep what the convention says.
            let kept: &[usize] = &[2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
            for (register, value) in known.iter_mut().enumerate() {
                if !kept.contains(&register) {
                    *value = RegisterFact::Nothing;
                }
            }
        }
        for successor in block.successors() {
            let changed = match starts.get_mut(&successor) {
                None => {
                    starts.insert(successor, known);
                    true
                }
                Some(before) => {
                    let mut changed = false;
                    for (old, new) in before.iter_mut().zip(&known) {
                        if *old != *new && *old != RegisterFact::Nothing {
                            *old = RegisterFact::Nothing;
                            changed = true;
                        }
                    }
                    changed
                }
            };
            if changed {
                pending.push(successor);
            }
        }
    }
    starts
}

/// What is known after an instruction.
fn follow(known: &mut KnownRegisters, at: u64, inst: &GuestInst) {
    let source = |number: u8| match number {
        0 => RegisterFact::Constant(0),
        other => known[usize::from(other)],
    };
    let add = |a: RegisterFact, b: RegisterFact| match (a, b) {
        (RegisterFact::Constant(a), RegisterFact::Constant(b)) => {
            RegisterFact::Constant(a.wrapping_add(b))
        }
        (RegisterFact::Constant(c), RegisterFact::Nothing)
        | (RegisterFact::Nothing, RegisterFact::Constant(c)) => RegisterFact::Offset(c),
        (RegisterFact::Offset(a), RegisterFact::Constant(b))
        | (RegisterFact::Constant(b), RegisterFact::Offset(a)) => {
            RegisterFact::Offset(a.wrapping_add(b))
        }
        (
            RegisterFact::Entry {
                table,
                bytes,
                signed,
                added,
            },
            RegisterFact::Constant(c),
        )
        | (
            RegisterFact::Constant(c),
            RegisterFact::Entry {
                table,
                bytes,
                signed,
                added,
            },
        ) => RegisterFact::Entry {
            table,
            bytes,
            signed,
            added: added.wrapping_add(c),
        },
        _ => RegisterFact::Nothing,
    };
    let immediate = RegisterFact::Constant(inst.imm as u64);
    let load = |bytes: u32, signed: bool, base: RegisterFact| match base {
        RegisterFact::Offset(table) => RegisterFact::Entry {
            table: table.wrapping_add_signed(inst.imm),
            bytes,
            signed,
            added: 0,
        },
        RegisterFact::Nothing | RegisterFact::Constant(_) | RegisterFact::Entry { .. } => {
            RegisterFact::Nothing
        }
    };
    let value = match inst.op {
        Opcode::Lui => immediate,
        Opcode::Auipc => RegisterFact::Constant(at.wrapping_add_signed(inst.imm)),
        Opcode::Addi => add(source(inst.rs1), immediate),
        Opcode::Add => add(source(inst.rs1), source(inst.rs2)),
        Opcode::Ld => load(8, false, source(inst.rs1)),
        Opcode::Lw => load(4, true, source(inst.rs1)),
        Opcode::Lwu => load(4, false, source(inst.rs1)),
        Opcode::Lh => load(2, true, source(inst.rs1)),
        Opcode::Lhu => load(2, false, source(inst.rs1)),
        Opcode::Lbu => load(1, false, source(inst.rs1)),
        _ => {
            let (_, writes) = effects(inst);
            for register in members(writes & 0xffff_ffff) {
                known[register] = RegisterFact::Nothing;
            }
            return;
        }
    };
    if inst.rd != 0 {
        known[usize::from(inst.rd)] = value;
    }
}
