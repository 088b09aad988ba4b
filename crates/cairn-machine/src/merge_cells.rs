//! What of a thread may differ between paths that meet again: the registers of the newest call that are still needed.

use crate::code::LocalHome;
use crate::jump::{Jump, jump};
use crate::table::CodeTable;
use crate::thread::Thread;
use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::liveness::Liveness;
use cairn_ir::{BlockId, Body, Callee, FuncId, Inst, Local, Operand, Program};
use rustc_hash::FxHashMap;

/// A register or wide value of the newest call that is still needed, and its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveCell {
    /// A register, by its number among all of the thread.
    Register(usize, u32),
    /// A wide value.
    Wide(usize),
}

/// What is needed where in one function: locals, and variables that are in registers.
#[derive(Debug)]
pub struct FunctionLiveness {
    liveness: Liveness,
    /// The stack objects of at most 8 bytes that may be variables, by the local of their address: width in bits.
    widths: FxHashMap<Local, u32>,
    /// Those whose value is read after the beginning of a block before it is written.
    into: Vec<Vec<Local>>,
    cfg: Cfg,
    /// A call in it may return twice, so that what is not needed now may be needed then.
    returns_twice: bool,
}

impl FunctionLiveness {
    /// Of a function with this body.
    pub fn new(program: &Program, body: &Body, cfg: &Cfg) -> Self {
        let mut widths = FxHashMap::default();
        for (inst, _) in &body.blocks[0].insts {
            if let Inst::Alloca {
                dst,
                size: Operand::Int(size @ 1..=8),
                ..
            } = inst
            {
                widths.insert(*dst, 8 * *size as u32);
            }
        }
        let mut insts = body.blocks.iter().flat_map(|b| &b.insts);
        FunctionLiveness {
            liveness: Liveness::new(body, cfg),
            into: read_first(body, cfg, &widths),
            widths,
            cfg: cfg.clone(),
            returns_twice: insts.any(|(inst, _)| may_return_twice(program, inst)),
        }
    }

    /// Whether a call in it may return twice: then what is needed is not known.
    pub fn returns_twice(&self) -> bool {
        self.returns_twice
    }

    /// The variables whose values are needed at an instruction of a block.
    fn variables(&self, body: &Body, block: BlockId, inst: usize) -> Vec<Local> {
        let next = self.cfg.successors(block);
        let mut needed: Vec<Local> = next
            .flat_map(|next| self.into[next.index()].iter().copied())
            .collect();
        let insts = &body.block(block).insts;
        for (inst, _) in insts[inst.min(insts.len())..].iter().rev() {
            step_back(inst, &self.widths, &mut needed);
        }
        needed
    }
}

/// Whether a call may go on a second time.
fn may_return_twice(program: &Program, inst: &Inst) -> bool {
    match inst {
        Inst::Call(call) => match call.callee {
            Callee::Direct(callee) => jump(&program.function(callee).name) == Some(Jump::Set),
            Callee::Indirect(_) => {
                let mut functions = program.functions.iter();
                functions.any(|f| f.body.is_none() && jump(&f.name) == Some(Jump::Set))
            }
        },
        _ => false,
    }
}

/// What is needed before an instruction, from what is needed behind it.
fn step_back(inst: &Inst, variables: &FxHashMap<Local, u32>, needed: &mut Vec<Local>) {
    match inst {
        Inst::Store {
            address: Operand::Local(to),
            ..
        } if variables.contains_key(to) => needed.retain(|local| local != to),
        Inst::Load {
            address: Operand::Local(from),
            ..
        } if variables.contains_key(from) && !needed.contains(from) => needed.push(*from),
        _ => {}
    }
}

/// For each block the variables that are read before they are written from its beginning on.
fn read_first(body: &Body, cfg: &Cfg, variables: &FxHashMap<Local, u32>) -> Vec<Vec<Local>> {
    let mut into: Vec<Vec<Local>> = vec![Vec::new(); body.blocks.len()];
    let mut work: Vec<BlockId> = cfg.reverse_postorder().collect();
    let mut waits = vec![true; body.blocks.len()];
    while let Some(block) = work.pop() {
        waits[block.index()] = false;
        let mut needed: Vec<Local> = Vec::new();
        for next in cfg.successors(block) {
            for local in &into[next.index()] {
                if !needed.contains(local) {
                    needed.push(*local);
                }
            }
        }
        for (inst, _) in body.block(block).insts.iter().rev() {
            step_back(inst, variables, &mut needed);
        }
        // It only grows.
        if needed.len() != into[block.index()].len() {
            into[block.index()] = needed;
            for before in cfg.predecessors(block) {
                if !std::mem::replace(&mut waits[before.index()], true) {
                    work.push(before);
                }
            }
        }
    }
    into
}

impl<V: Clone, W: Clone> Thread<V, W> {
    /// Whether two threads are at the same place in the same calls. Calls with unnamed arguments are never the same.
    pub fn is_at(&self, other: &Self) -> bool {
        self.frames.len() == other.frames.len()
            && self.left_behind.is_empty()
            && other.left_behind.is_empty()
            && self.frames.iter().zip(&other.frames).all(|(a, b)| {
                a.function == b.function
                    && a.at == b.at
                    && a.entered == b.entered
                    && a.site == b.site
                    && a.first_register == b.first_register
                    && a.first_wide == b.first_wide
                    && a.extra.is_none()
                    && b.extra.is_none()
            })
    }

    /// The newest call: how many there are, its function, and the number that no other call of the thread has.
    pub fn newest_call(&self) -> Option<(usize, FuncId, u64)> {
        let newest = self.frames.last()?;
        Some((self.frames.len(), newest.function, newest.entered))
    }

    /// Whether the call at a depth is that of this number.
    pub fn has_call(&self, depth: usize, entered: u64) -> bool {
        let call = depth.checked_sub(1).and_then(|i| self.frames.get(i));
        call.is_some_and(|frame| frame.entered == entered)
    }

    /// Where registers and wide values of the newest call begin: those before are of older calls.
    pub fn older_values(&self) -> (&[V], &[Option<W>]) {
        let newest = self.frames.last();
        let (registers, wide) = newest.map_or((0, 0), |f| (f.first_register, f.first_wide));
        (&self.registers[..registers], &self.wide[..wide])
    }

    /// The values of the newest call that it still needs. With `all_variables` those of variables are needed wherever it is.
    pub fn live_cells(
        &self,
        table: &CodeTable<V>,
        function: &FunctionLiveness,
        all_variables: bool,
    ) -> Vec<LiveCell> {
        let Some(frame) = self.frames.last() else {
            return Vec::new();
        };
        let code = &table.loaded(frame.function).expect("it runs").code;
        let body = table.program().function(frame.function).body.as_ref();
        let (Some(body), Some(&(block, inst))) = (body, code.points.get(frame.at as usize)) else {
            return Vec::new();
        };
        let (block, inst) = (BlockId::new(block as usize), inst as usize);
        let mut cells = Vec::new();
        let mut locals = function.liveness.live_before(body, block, inst);
        if inst == 0 {
            locals.extend(&body.block(block).params);
        }
        let is_variable = |local: &Local| match code.homes[local.index()] {
            LocalHome::Register(register) => code.variables.contains(&register),
            LocalHome::Wide(_) => false,
        };
        let needed: Vec<Local> = match all_variables {
            true => function.widths.keys().copied().collect(),
            false => function.variables(body, block, inst),
        };
        let variables = needed.into_iter().filter(is_variable);
        let variables = variables.map(|local| (local, function.widths[&local]));
        // The address of a variable is in no register: what is there is the variable.
        let locals = locals
            .into_iter()
            .filter(|local| !(function.widths.contains_key(local) && is_variable(local)));
        let locals = locals.map(|local| (local, code.widths[local.index()]));
        for (local, width) in locals.chain(variables) {
            let cell = match code.homes[local.index()] {
                LocalHome::Register(r) => {
                    LiveCell::Register(frame.first_register + r as usize, width)
                }
                LocalHome::Wide(w) => LiveCell::Wide(frame.first_wide + w as usize),
            };
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        cells
    }

    /// What a register holds.
    pub fn register(&self, number: usize) -> &V {
        &self.registers[number]
    }

    /// Puts something into a register.
    pub fn set_register(&mut self, number: usize, value: V) {
        self.registers[number] = value;
    }

    /// A wide value, if it was written.
    pub fn wide_value(&self, number: usize) -> Option<&W> {
        self.wide[number].as_ref()
    }

    /// Replaces a wide value.
    pub fn set_wide(&mut self, number: usize, value: W) {
        self.wide[number] = Some(value);
    }

    /// The block that the operation before the next one is in, of the newest call.
    pub fn block(&self, table: &CodeTable<V>) -> Option<(FuncId, BlockId)> {
        let frame = self.frames.last()?;
        let code = &table.loaded(frame.function)?.code;
        let at = (frame.at as usize).checked_sub(1)?;
        let (block, _) = *code.points.get(at)?;
        Some((frame.function, BlockId::new(block as usize)))
    }
}
