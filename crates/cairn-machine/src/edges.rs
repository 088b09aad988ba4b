//! How control leaves a block: calls, branches, switches, returns, and the moves that give block parameters
//! their values.

use crate::code::{CallSite, FlatOp, LocalHome, Reg, SwitchTable};
use crate::flatten::Flattener;
use cairn_ir::{BlockId, Target, Terminator};

/// An operand that gets the position of a block once the position is known.
pub(crate) enum Fix {
    Jump { op: u32 },
    Then { op: u32 },
    Otherwise { op: u32 },
    Case { table: u32, case: usize },
    Default { table: u32 },
}

impl Flattener<'_> {
    /// A call. After it the block is noted as the last point once more: code that ran in between (the callee, a handler of a signal,
    /// what left by `longjmp`) has points of its own.
    pub fn emit_call(&mut self, site: CallSite) {
        let index = self.code.calls.len() as u32;
        self.code.calls.push(site);
        let free = self.take_free();
        self.emit(FlatOp::Call { free, index });
        if let Some(map) = self.cover {
            let block = BlockId::new(self.block as usize);
            let point = map.block(self.code.function, block);
            self.emit(FlatOp::Cover {
                point,
                is_back: true,
            });
        }
    }

    pub fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Jump(target) => {
                let free = self.take_free();
                self.edge(target, free);
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.reg(condition).expect("one bit");
                self.fuse_comparison(condition);
                let op = self.here();
                let free = self.take_free();
                self.emit(FlatOp::Branch {
                    free,
                    condition,
                    then: 0,
                    otherwise: 0,
                });
                self.outgoing(then, Fix::Then { op }, 0);
                self.outgoing(otherwise, Fix::Otherwise { op }, 1);
            }
            Terminator::Switch(switch) => {
                let value = self.reg(&switch.value).expect("at most 64 bits");
                let table = self.code.switches.len() as u32;
                let free = self.take_free();
                self.emit(FlatOp::Switch { free, value, table });
                self.code.switches.push(switch_table(
                    &switch.cases.iter().map(|c| c.0).collect::<Vec<u64>>(),
                ));
                // Cases that lead to the same place are one direction.
                let mut known: Vec<(&Target, u32)> = Vec::new();
                for (i, (value, target)) in switch.cases.iter().enumerate() {
                    let case = match &self.code.switches[table as usize] {
                        SwitchTable::Dense { first, .. } => (value - first) as usize,
                        SwitchTable::Sparse { cases, .. } => cases
                            .binary_search_by_key(value, |c| c.0)
                            .expect("every case is listed"),
                    };
                    let fix = Fix::Case { table, case };
                    self.outgoing_once(target, fix, i as u32, &mut known);
                }
                let (last, default) = (switch.cases.len() as u32, &switch.default);
                self.outgoing_once(default, Fix::Default { table }, last, &mut known);
            }
            Terminator::Return(values) => {
                let results = self.program.function(self.code.function).results.clone();
                let mut homes = Vec::with_capacity(values.len());
                for (value, width) in values.iter().zip(results) {
                    homes.push(self.operand_home(value, width));
                }
                let index = self.code.returns.len() as u32;
                self.code.returns.push(homes);
                let free = self.take_free();
                self.emit(FlatOp::Return { free, index });
            }
            Terminator::Stop => {
                // Never reached, so the instructions without an operation need not be counted.
                self.take_free();
                self.emit(FlatOp::Stop);
            }
        }
    }

    /// An edge of a switch: the same as an earlier one if it leads to the same place.
    fn outgoing_once<'t>(
        &mut self,
        target: &'t Target,
        fix: Fix,
        successor: u32,
        known: &mut Vec<(&'t Target, u32)>,
    ) {
        if let Some((_, start)) = known.iter().find(|(t, _)| *t == target) {
            return self.fix(&fix, *start);
        }
        let here = self.here();
        self.outgoing(target, fix, successor);
        // If nothing was emitted, the edge leads straight to the block, as others will.
        if self.here() != here {
            known.push((target, here));
        }
    }

    /// An edge of a branch or switch: straight to the block, or to moves that end there.
    fn outgoing(&mut self, target: &Target, fix: Fix, successor: u32) {
        let point = self.cover.and_then(|map| {
            let block = BlockId::new(self.block as usize);
            map.edge(map.block(self.code.function, block), successor)
        });
        if target.args.is_empty() && point.is_none() {
            self.fixes.push((fix, target.block));
        } else {
            let here = self.here();
            self.fix(&fix, here);
            if let Some(point) = point {
                self.emit(FlatOp::Cover {
                    point,
                    is_back: false,
                });
            }
            self.edge(target, 0);
        }
    }

    pub fn fix(&mut self, fix: &Fix, start: u32) {
        match *fix {
            Fix::Jump { op } => {
                if let FlatOp::Jump { to, .. } = &mut self.code.ops[op as usize] {
                    *to = start;
                }
            }
            Fix::Then { op } => {
                if let FlatOp::Branch { then, .. } = &mut self.code.ops[op as usize] {
                    *then = start;
                }
            }
            Fix::Otherwise { op } => {
                if let FlatOp::Branch { otherwise, .. } = &mut self.code.ops[op as usize] {
                    *otherwise = start;
                }
            }
            Fix::Case { table, case } => match &mut self.code.switches[table as usize] {
                SwitchTable::Dense { to, .. } => to[case] = start,
                SwitchTable::Sparse { cases, .. } => cases[case].1 = start,
            },
            Fix::Default { table } => match &mut self.code.switches[table as usize] {
                SwitchTable::Dense { to, default, .. } => {
                    *default = start;
                    for t in to.iter_mut().filter(|t| **t == u32::MAX) {
                        *t = start;
                    }
                }
                SwitchTable::Sparse { default, .. } => *default = start,
            },
        }
    }

    /// The moves of an edge, all at once as it were, then the jump.
    fn edge(&mut self, target: &Target, free: u16) {
        let params = self.body.block(target.block).params.clone();
        let mut moves: Vec<(Reg, Reg)> = Vec::new();
        let mut wide: Vec<(u32, u32)> = Vec::new();
        for (param, arg) in params.iter().zip(&target.args) {
            let from = self.operand_home(arg, self.body.width(*param));
            match (self.home(*param), from) {
                (LocalHome::Register(to), LocalHome::Register(from)) if to != from => {
                    moves.push((to, from))
                }
                (LocalHome::Wide(to), LocalHome::Wide(from)) if to != from => wide.push((to, from)),
                (LocalHome::Register(_), LocalHome::Register(_))
                | (LocalHome::Wide(_), LocalHome::Wide(_)) => {}
                (LocalHome::Register(_), LocalHome::Wide(_))
                | (LocalHome::Wide(_), LocalHome::Register(_)) => {
                    unreachable!("the verifier compares widths")
                }
            }
        }
        self.moves(moves);
        self.wide_moves(&wide);
        let op = self.here();
        self.emit(FlatOp::Jump { free, to: 0 });
        self.fixes.push((Fix::Jump { op }, target.block));
    }

    /// Moves in an order in which none reads what another has overwritten; a cycle is broken
    /// with a scratch register.
    fn moves(&mut self, mut moves: Vec<(Reg, Reg)>) {
        let mut scratch = self.scratch;
        while !moves.is_empty() {
            let free = moves
                .iter()
                .position(|&(to, _)| moves.iter().all(|&(_, from)| from != to));
            match free {
                Some(at) => {
                    let (dst, value) = moves.swap_remove(at);
                    self.emit(FlatOp::Move { dst, value });
                }
                None => {
                    let value = moves[0].0;
                    self.emit(FlatOp::Move {
                        dst: scratch,
                        value,
                    });
                    for m in moves.iter_mut().filter(|m| m.1 == value) {
                        m.1 = scratch;
                    }
                    scratch += 1;
                }
            }
        }
    }

    /// Wide values are rare: each goes through a copy if there is more than one.
    fn wide_moves(&mut self, moves: &[(u32, u32)]) {
        if let [(dst, value)] = moves {
            self.emit(FlatOp::MoveWide {
                dst: *dst,
                value: *value,
            });
            return;
        }
        let first = self.code.wide;
        self.code.wide += moves.len() as u32;
        for (i, &(_, value)) in moves.iter().enumerate() {
            self.emit(FlatOp::MoveWide {
                dst: first + i as u32,
                value,
            });
        }
        for (i, &(dst, _)) in moves.iter().enumerate() {
            self.emit(FlatOp::MoveWide {
                dst,
                value: first + i as u32,
            });
        }
    }
}

/// An empty table for these values.
fn switch_table(values: &[u64]) -> SwitchTable {
    let first = values.iter().copied().min().unwrap_or(0);
    let last = values.iter().copied().max().unwrap_or(0);
    let span = (last - first).saturating_add(1);
    if span <= 4 * values.len() as u64 + 16 {
        return SwitchTable::Dense {
            first,
            to: vec![u32::MAX; span as usize],
            default: 0,
        };
    }
    let mut cases: Vec<(u64, u32)> = values.iter().map(|v| (*v, 0)).collect();
    cases.sort_unstable();
    SwitchTable::Sparse { cases, default: 0 }
}
