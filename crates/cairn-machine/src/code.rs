//! Functions in the form that runs: flat, numbered registers, jumps by position.
//!
//! - **Problem.** Walking the program form costs a lookup per block, operand and constant.
//! - **Idea.** A function is flattened once, when it is first called. Each local of at most 64 bits
//!   is a register of its frame; so is each constant, written when the frame is made, so that
//!   an operator reads registers only. Block parameters become moves on the edges.
//! - **Rare things** (values of more than 64 bits, unusual operators) keep their instruction of the
//!   program form and run on the slow path (`slow.rs`).

use cairn_ir::{
    BinaryOp, BlockId, Body, Callee, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp,
    FloatFormat, FuncId, Inst, Local, Operand, PlaceId, Program, Symbol, Target, Terminator,
    VarClass,
};
use rustc_hash::FxHashMap;

/// A register of a frame.
pub(crate) type Reg = u32;

/// Where a local lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In a register.
    Register(Reg),
    /// Among the frame's wide values.
    Wide(u32),
}

/// What a register holds when a frame is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Int(u64),
    Address(Symbol, i64),
}

/// A destination and two operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Three {
    pub dst: Reg,
    pub a: Reg,
    pub b: Reg,
}

/// An operation: 16 bytes. A number beside the registers is the width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Add(u8, Three),
    Sub(u8, Three),
    Mul(u8, Three),
    And(u8, Three),
    Or(u8, Three),
    Xor(u8, Three),
    Shl(u8, Three),
    Lshr(u8, Three),
    Ashr(u8, Three),
    /// The other binary operators.
    Divide(BinaryOp, u8, Three),
    Eq(u8, Three),
    Ne(u8, Three),
    Ult(u8, Three),
    Ule(u8, Three),
    Slt(u8, Three),
    Sle(u8, Three),
    // The same, where the next operation is a branch on the result.
    EqBranch(u8, Three),
    NeBranch(u8, Three),
    UltBranch(u8, Three),
    UleBranch(u8, Three),
    SltBranch(u8, Three),
    SleBranch(u8, Three),
    Zext {
        dst: Reg,
        value: Reg,
    },
    Sext {
        from: u8,
        to: u8,
        dst: Reg,
        value: Reg,
    },
    Trunc {
        from: u8,
        to: u8,
        dst: Reg,
        value: Reg,
    },
    /// `otherwise` is in the next operation's `Move::value`, which is skipped.
    Select {
        width: u8,
        dst: Reg,
        condition: Reg,
        then: Reg,
    },
    Move {
        dst: Reg,
        value: Reg,
    },
    FloatBinary {
        op: FloatBinaryOp,
        double: bool,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    FloatCompare {
        /// Index into the float comparisons.
        op: u16,
        double: bool,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Arbitrary {
        width: u8,
        dst: Reg,
    },
    Load {
        bytes: u8,
        dst: Reg,
        at: Reg,
    },
    /// Reads at the sum of `a` and `b`.
    LoadAt {
        bytes: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Store {
        bytes: u8,
        value: Reg,
        at: Reg,
    },
    /// Writes at the sum of `a` and `b`.
    StoreAt {
        bytes: u8,
        value: Reg,
        a: Reg,
        b: Reg,
    },
    Alloca {
        align_log2: u8,
        dst: Reg,
        size: Reg,
    },
    Check {
        condition: Reg,
        /// Index into the checks.
        check: u32,
    },
    /// Index into the calls.
    Call(u32),
    /// Index into the instructions of the slow path.
    Slow(u32),
    /// Moves wide values: (index of destination, index of source).
    MoveWide {
        dst: u32,
        value: u32,
    },
    Jump {
        to: u32,
    },
    Branch {
        condition: Reg,
        then: u32,
        otherwise: u32,
    },
    /// Index into the switches.
    Switch {
        value: Reg,
        table: u32,
    },
    /// Index into the returns.
    Return(u32),
    Stop,
}

/// A call's parts.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub callee: Callee,
    /// The register of the callee's address, if it is indirect.
    pub address: Reg,
    pub args: Vec<Home>,
    pub arg_widths: Vec<u32>,
    pub variadic: Vec<(Home, u32, VarClass)>,
    pub results: Vec<Home>,
    pub result_widths: Vec<u32>,
}

/// Where the cases of a switch lead.
#[derive(Debug)]
pub(crate) enum SwitchTable {
    /// Positions of the values from `first` on; `default` where there is none.
    Dense {
        first: u64,
        to: Vec<u32>,
        default: u32,
    },
    /// Sorted values.
    Sparse {
        cases: Vec<(u64, u32)>,
        default: u32,
    },
}

impl SwitchTable {
    #[inline]
    pub(crate) fn target(&self, value: u64) -> u32 {
        match self {
            SwitchTable::Dense { first, to, default } => {
                let at = value.wrapping_sub(*first);
                usize::try_from(at)
                    .ok()
                    .and_then(|at| to.get(at))
                    .copied()
                    .unwrap_or(*default)
            }
            SwitchTable::Sparse { cases, default } => cases
                .binary_search_by_key(&value, |c| c.0)
                .map_or(*default, |at| cases[at].1),
        }
    }
}

/// A function as it runs.
#[derive(Debug)]
pub(crate) struct Code {
    pub function: FuncId,
    pub ops: Vec<Op>,
    /// The place of each operation.
    pub places: Vec<PlaceId>,
    /// What the registers behind those of the locals hold.
    pub constants: Vec<Constant>,
    /// Registers that locals take.
    pub locals: u32,
    /// How many wide values a frame has.
    pub wide: u32,
    pub homes: Vec<Home>,
    /// The width of each local.
    pub widths: Vec<u32>,
    pub params: Vec<Home>,
    pub calls: Vec<CallSite>,
    pub checks: Vec<(CheckKind, Box<str>)>,
    pub float_comparisons: Vec<FloatCompareOp>,
    pub slow: Vec<Inst>,
    pub switches: Vec<SwitchTable>,
    pub returns: Vec<Vec<Home>>,
}

/// Flattens a function.
pub(crate) fn flatten(program: &Program, function: FuncId) -> Option<Code> {
    let body = program.function(function).body.as_ref()?;
    let mut homes = Vec::with_capacity(body.widths.len());
    let (mut locals, mut wide) = (0, 0);
    for &width in &body.widths {
        if width <= 64 {
            homes.push(Home::Register(locals));
            locals += 1;
        } else {
            homes.push(Home::Wide(wide));
            wide += 1;
        }
    }
    let params = body.blocks[0]
        .params
        .iter()
        .map(|p| homes[p.index()])
        .collect();
    let mut flattener = Flattener {
        program,
        body,
        starts: vec![u32::MAX; body.blocks.len()],
        fixes: Vec::new(),
        known: FxHashMap::default(),
        place: PlaceId::UNKNOWN,
        uses: count_uses(body),
        block_start: 0,
        scratch: 0,
        wide_constants: Vec::new(),
        code: Code {
            function,
            ops: Vec::new(),
            places: Vec::new(),
            constants: Vec::new(),
            locals,
            wide,
            homes,
            widths: body.widths.clone(),
            params,
            calls: Vec::new(),
            checks: Vec::new(),
            float_comparisons: Vec::new(),
            slow: Vec::new(),
            switches: Vec::new(),
            returns: Vec::new(),
        },
    };
    flattener.run();
    Some(flattener.code)
}

/// What must be told where a block starts once that is known.
enum Fix {
    Jump { op: u32 },
    Then { op: u32 },
    Otherwise { op: u32 },
    Case { table: u32, case: usize },
    Default { table: u32 },
}

struct Flattener<'p> {
    program: &'p Program,
    body: &'p Body,
    starts: Vec<u32>,
    fixes: Vec<(Fix, BlockId)>,
    known: FxHashMap<Constant, Reg>,
    place: PlaceId,
    /// How often each local is read.
    uses: Vec<u32>,
    /// Where the present block starts.
    block_start: u32,
    /// Registers for moves that would overwrite each other; made on demand.
    scratch: u32,
    wide_constants: Vec<(u32, Operand)>,
    code: Code,
}

impl Flattener<'_> {
    fn run(&mut self) {
        // Scratch registers come behind the locals, constants behind those: their number must be
        // known first.
        self.scratch = self.code.locals;
        self.code.locals += self.most_moves();
        for (i, block) in self.body.blocks.iter().enumerate() {
            self.starts[i] = self.here();
            self.block_start = self.here();
            for (inst, place) in &block.insts {
                self.place = *place;
                self.inst(inst);
            }
            self.place = block.terminator.1;
            self.terminator(&block.terminator.0);
        }
        for (fix, block) in std::mem::take(&mut self.fixes) {
            let start = self.starts[block.index()];
            self.fix(&fix, start);
        }
    }

    /// The most narrow parameters of a block.
    fn most_moves(&self) -> u32 {
        let most = self
            .body
            .blocks
            .iter()
            .skip(1)
            .map(|b| b.params.len())
            .max();
        most.unwrap_or(0) as u32
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.places.push(self.place);
    }

    fn home(&self, local: Local) -> Home {
        self.code.homes[local.index()]
    }

    fn width(&self, local: Local) -> u32 {
        self.body.width(local)
    }

    /// The register of a local of at most 64 bits.
    fn dst(&self, local: Local) -> Option<Reg> {
        match self.home(local) {
            Home::Register(r) => Some(r),
            Home::Wide(_) => None,
        }
    }

    fn constant(&mut self, constant: Constant) -> Reg {
        if let Some(&r) = self.known.get(&constant) {
            return r;
        }
        let r = self.code.locals + self.code.constants.len() as u32;
        self.code.constants.push(constant);
        self.known.insert(constant, r);
        r
    }

    /// The register of an operand of at most 64 bits.
    fn reg(&mut self, operand: &Operand) -> Option<Reg> {
        match operand {
            Operand::Local(local) => self.dst(*local),
            Operand::Int(bits) => Some(self.constant(Constant::Int(*bits))),
            Operand::Wide(_) => None,
            Operand::Address(symbol, offset) => {
                Some(self.constant(Constant::Address(*symbol, *offset)))
            }
        }
    }

    /// The index of a float comparison; there are sixteen.
    fn float_comparison(&mut self, op: FloatCompareOp) -> Option<u16> {
        let listed = &mut self.code.float_comparisons;
        let at = listed.iter().position(|o| *o == op).unwrap_or_else(|| {
            listed.push(op);
            listed.len() - 1
        });
        u16::try_from(at).ok()
    }

    /// If the last operation is the sum that is this address and nothing else uses it, takes it
    /// back and returns what is added.
    fn take_sum(&mut self, address: &Operand) -> Option<(Reg, Reg)> {
        let Operand::Local(local) = address else {
            return None;
        };
        if self.uses[local.index()] != 1 || self.code.ops.len() as u32 == self.block_start {
            return None;
        }
        let Some(Op::Add(64, three)) = self.code.ops.last().copied() else {
            return None;
        };
        if Home::Register(three.dst) != self.home(*local) {
            return None;
        }
        self.code.ops.pop();
        self.code.places.pop();
        Some((three.a, three.b))
    }

    /// If the last operation is the comparison that is this condition, lets it branch.
    fn fuse_comparison(&mut self, condition: Reg) {
        if self.code.ops.len() as u32 == self.block_start {
            return;
        }
        let Some(last) = self.code.ops.last_mut() else {
            return;
        };
        *last = match *last {
            Op::Eq(w, t) if t.dst == condition => Op::EqBranch(w, t),
            Op::Ne(w, t) if t.dst == condition => Op::NeBranch(w, t),
            Op::Ult(w, t) if t.dst == condition => Op::UltBranch(w, t),
            Op::Ule(w, t) if t.dst == condition => Op::UleBranch(w, t),
            Op::Slt(w, t) if t.dst == condition => Op::SltBranch(w, t),
            Op::Sle(w, t) if t.dst == condition => Op::SleBranch(w, t),
            other => other,
        };
    }

    fn slow(&mut self, inst: &Inst) {
        let index = self.code.slow.len() as u32;
        self.code.slow.push(inst.clone());
        self.emit(Op::Slow(index));
    }

    fn inst(&mut self, inst: &Inst) {
        if self.fast(inst).is_none() {
            self.slow(inst);
        }
    }

    /// Emits an instruction whose values all fit registers; `None` if one does not.
    fn fast(&mut self, inst: &Inst) -> Option<()> {
        match inst {
            Inst::Binary {
                op,
                dst,
                left,
                right,
            } => {
                let width = self.width(*dst) as u8;
                let dst = self.dst(*dst)?;
                let (a, b) = (self.reg(left)?, self.reg(right)?);
                let three = Three { dst, a, b };
                self.emit(match op {
                    BinaryOp::Add => Op::Add(width, three),
                    BinaryOp::Sub => Op::Sub(width, three),
                    BinaryOp::Mul => Op::Mul(width, three),
                    BinaryOp::And => Op::And(width, three),
                    BinaryOp::Or => Op::Or(width, three),
                    BinaryOp::Xor => Op::Xor(width, three),
                    BinaryOp::Shl => Op::Shl(width, three),
                    BinaryOp::Lshr => Op::Lshr(width, three),
                    BinaryOp::Ashr => Op::Ashr(width, three),
                    BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem => {
                        Op::Divide(*op, width, three)
                    }
                });
            }
            Inst::Compare {
                op,
                dst,
                width,
                left,
                right,
            } => {
                if *width > 64 {
                    return None;
                }
                let (width, dst) = (*width as u8, self.dst(*dst)?);
                let (a, b) = (self.reg(left)?, self.reg(right)?);
                let three = Three { dst, a, b };
                self.emit(match op {
                    CompareOp::Eq => Op::Eq(width, three),
                    CompareOp::Ne => Op::Ne(width, three),
                    CompareOp::Ult => Op::Ult(width, three),
                    CompareOp::Ule => Op::Ule(width, three),
                    CompareOp::Slt => Op::Slt(width, three),
                    CompareOp::Sle => Op::Sle(width, three),
                });
            }
            Inst::Cast {
                op,
                dst,
                from,
                value,
            } => {
                let to = self.width(*dst);
                if to > 64 || *from > 64 {
                    return None;
                }
                let (from, to) = (*from as u8, to as u8);
                let (dst, value) = (self.dst(*dst)?, self.reg(value)?);
                self.emit(match op {
                    cairn_ir::CastOp::Zext => Op::Zext { dst, value },
                    cairn_ir::CastOp::Sext => Op::Sext {
                        from,
                        to,
                        dst,
                        value,
                    },
                    cairn_ir::CastOp::Trunc => Op::Trunc {
                        from,
                        to,
                        dst,
                        value,
                    },
                });
            }
            Inst::Select {
                dst,
                condition,
                then,
                otherwise,
            } => {
                let width = self.width(*dst);
                let dst = self.dst(*dst)?;
                let (condition, then) = (self.reg(condition)?, self.reg(then)?);
                let otherwise = self.reg(otherwise)?;
                self.emit(Op::Select {
                    width: width as u8,
                    dst,
                    condition,
                    then,
                });
                self.emit(Op::Move {
                    dst,
                    value: otherwise,
                });
            }
            Inst::FloatBinary {
                op,
                format,
                dst,
                left,
                right,
            } => {
                let double = hardware(*format)?;
                let (op, dst) = (*op, self.dst(*dst)?);
                let (a, b) = (self.reg(left)?, self.reg(right)?);
                self.emit(Op::FloatBinary {
                    op,
                    double,
                    dst,
                    a,
                    b,
                });
            }
            Inst::FloatCompare {
                op,
                format,
                dst,
                left,
                right,
            } => {
                let double = hardware(*format)?;
                let dst = self.dst(*dst)?;
                let (a, b) = (self.reg(left)?, self.reg(right)?);
                let op = self.float_comparison(*op)?;
                self.emit(Op::FloatCompare {
                    op,
                    double,
                    dst,
                    a,
                    b,
                });
            }
            Inst::Arbitrary { dst } => {
                let width = self.width(*dst) as u8;
                let dst = self.dst(*dst)?;
                self.emit(Op::Arbitrary { width, dst });
            }
            Inst::Load { dst, address } => {
                let bytes = (self.width(*dst) / 8) as u8;
                let dst = self.dst(*dst)?;
                let op = match self.take_sum(address) {
                    Some((a, b)) => Op::LoadAt { bytes, dst, a, b },
                    None => {
                        let at = self.reg(address)?;
                        Op::Load { bytes, dst, at }
                    }
                };
                self.emit(op);
            }
            Inst::Store {
                value,
                width,
                address,
            } => {
                if *width > 64 {
                    return None;
                }
                let bytes = (*width / 8) as u8;
                let value = self.reg(value)?;
                let op = match self.take_sum(address) {
                    Some((a, b)) => Op::StoreAt { bytes, value, a, b },
                    None => {
                        let at = self.reg(address)?;
                        Op::Store { bytes, value, at }
                    }
                };
                self.emit(op);
            }
            Inst::Alloca { dst, size, align } => {
                let (dst, size) = (self.dst(*dst)?, self.reg(size)?);
                self.emit(Op::Alloca {
                    align_log2: align.trailing_zeros() as u8,
                    dst,
                    size,
                });
            }
            Inst::Check(check) => {
                let condition = self.reg(&check.condition)?;
                let index = self.code.checks.len() as u32;
                self.code.checks.push((check.kind, check.message.clone()));
                self.emit(Op::Check {
                    condition,
                    check: index,
                });
            }
            Inst::Call(call) => {
                let address = match call.callee {
                    Callee::Direct(_) => 0,
                    Callee::Indirect(local) => self.dst(local)?,
                };
                let mut args = Vec::with_capacity(call.args.len());
                for (value, width) in &call.args {
                    args.push(self.operand_home(value, *width));
                }
                let mut variadic = Vec::with_capacity(call.variadic.len());
                for v in &call.variadic {
                    variadic.push((self.operand_home(&v.value, v.width), v.width, v.class));
                }
                let site = CallSite {
                    callee: call.callee,
                    address,
                    args,
                    arg_widths: call.args.iter().map(|a| a.1).collect(),
                    variadic,
                    results: call.results.iter().map(|r| self.home(*r)).collect(),
                    result_widths: call.results.iter().map(|r| self.width(*r)).collect(),
                };
                let index = self.code.calls.len() as u32;
                self.code.calls.push(site);
                self.emit(Op::Call(index));
            }
            Inst::Unary { .. }
            | Inst::Extract { .. }
            | Inst::Concat { .. }
            | Inst::FloatUnary { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatConvert { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. }
            | Inst::VaStart { .. }
            | Inst::ReadSlot { .. }
            | Inst::WriteSlot { .. }
            | Inst::Env(_) => return None,
        }
        Some(())
    }

    /// Where an operand of any width lives when an edge or call reads it. A wide constant gets a
    /// wide value of its own, written by the slow path just before.
    fn operand_home(&mut self, operand: &Operand, width: u32) -> Home {
        match operand {
            Operand::Local(local) => self.home(*local),
            Operand::Wide(_) => self.wide_constant(operand, width),
            Operand::Int(bits) if width > 64 => {
                let value = cairn_bv::BitVec::new(width, *bits);
                self.wide_constant(&Operand::Wide(Box::new(value)), width)
            }
            Operand::Int(_) | Operand::Address(..) => {
                Home::Register(self.reg(operand).expect("fits a register"))
            }
        }
    }

    fn wide_constant(&mut self, operand: &Operand, width: u32) -> Home {
        if let Some((index, _)) = self.wide_constants.iter().find(|(_, o)| o == operand) {
            let home = Home::Wide(*index);
            // Not dominated by the first use in general: written again.
            self.write_wide_constant(*index, operand, width);
            return home;
        }
        let index = self.code.wide;
        self.code.wide += 1;
        self.wide_constants.push((index, operand.clone()));
        self.write_wide_constant(index, operand, width);
        Home::Wide(index)
    }

    fn write_wide_constant(&mut self, index: u32, operand: &Operand, width: u32) {
        // A local of its own gives the slow path a name for the value.
        let local = Local::new(self.code.homes.len());
        self.code.homes.push(Home::Wide(index));
        self.code.widths.push(width);
        self.slow(&Inst::Cast {
            op: cairn_ir::CastOp::Zext,
            dst: local,
            from: width,
            value: operand.clone(),
        });
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Jump(target) => self.edge(target),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.reg(condition).expect("one bit");
                self.fuse_comparison(condition);
                let op = self.here();
                self.emit(Op::Branch {
                    condition,
                    then: 0,
                    otherwise: 0,
                });
                self.outgoing(then, Fix::Then { op });
                self.outgoing(otherwise, Fix::Otherwise { op });
            }
            Terminator::Switch(switch) => {
                let value = self.reg(&switch.value).expect("at most 64 bits");
                let table = self.code.switches.len() as u32;
                self.emit(Op::Switch { value, table });
                self.code.switches.push(switch_table(
                    &switch.cases.iter().map(|c| c.0).collect::<Vec<u64>>(),
                ));
                for (value, target) in &switch.cases {
                    let case = match &self.code.switches[table as usize] {
                        SwitchTable::Dense { first, .. } => (value - first) as usize,
                        SwitchTable::Sparse { cases, .. } => cases
                            .binary_search_by_key(value, |c| c.0)
                            .expect("every case is listed"),
                    };
                    self.outgoing(target, Fix::Case { table, case });
                }
                self.outgoing(&switch.default, Fix::Default { table });
            }
            Terminator::Return(values) => {
                let results = self.program.function(self.code.function).results.clone();
                let mut homes = Vec::with_capacity(values.len());
                for (value, width) in values.iter().zip(results) {
                    homes.push(self.operand_home(value, width));
                }
                let index = self.code.returns.len() as u32;
                self.code.returns.push(homes);
                self.emit(Op::Return(index));
            }
            Terminator::Stop => self.emit(Op::Stop),
        }
    }

    /// An edge of a branch or switch: straight to the block, or to moves that end there.
    fn outgoing(&mut self, target: &Target, fix: Fix) {
        if target.args.is_empty() {
            self.fixes.push((fix, target.block));
        } else {
            let here = self.here();
            self.fix(&fix, here);
            self.edge(target);
        }
    }

    fn fix(&mut self, fix: &Fix, start: u32) {
        match *fix {
            Fix::Jump { op } => self.code.ops[op as usize] = Op::Jump { to: start },
            Fix::Then { op } => {
                if let Op::Branch { then, .. } = &mut self.code.ops[op as usize] {
                    *then = start;
                }
            }
            Fix::Otherwise { op } => {
                if let Op::Branch { otherwise, .. } = &mut self.code.ops[op as usize] {
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
    fn edge(&mut self, target: &Target) {
        let params = self.body.block(target.block).params.clone();
        let mut moves: Vec<(Reg, Reg)> = Vec::new();
        let mut wide: Vec<(u32, u32)> = Vec::new();
        for (param, arg) in params.iter().zip(&target.args) {
            let from = self.operand_home(arg, self.body.width(*param));
            match (self.home(*param), from) {
                (Home::Register(to), Home::Register(from)) if to != from => moves.push((to, from)),
                (Home::Wide(to), Home::Wide(from)) if to != from => wide.push((to, from)),
                (Home::Register(_), Home::Register(_)) | (Home::Wide(_), Home::Wide(_)) => {}
                (Home::Register(_), Home::Wide(_)) | (Home::Wide(_), Home::Register(_)) => {
                    unreachable!("the verifier compares widths")
                }
            }
        }
        self.moves(moves);
        self.wide_moves(&wide);
        let op = self.here();
        self.emit(Op::Jump { to: 0 });
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
                    self.emit(Op::Move { dst, value });
                }
                None => {
                    let value = moves[0].0;
                    self.emit(Op::Move {
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
            self.emit(Op::MoveWide {
                dst: *dst,
                value: *value,
            });
            return;
        }
        let first = self.code.wide;
        self.code.wide += moves.len() as u32;
        for (i, &(_, value)) in moves.iter().enumerate() {
            self.emit(Op::MoveWide {
                dst: first + i as u32,
                value,
            });
        }
        for (i, &(dst, _)) in moves.iter().enumerate() {
            self.emit(Op::MoveWide {
                dst,
                value: first + i as u32,
            });
        }
    }
}

/// Whether the host computes a format itself, and whether it is double.
fn hardware(format: FloatFormat) -> Option<bool> {
    match format {
        FloatFormat::Single => Some(false),
        FloatFormat::Double => Some(true),
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => None,
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

/// How often each local is read.
fn count_uses(body: &Body) -> Vec<u32> {
    let mut uses = vec![0; body.widths.len()];
    for block in &body.blocks {
        for (inst, _) in &block.insts {
            inst.for_each_use(|local| uses[local.index()] += 1);
        }
        let terminator = &block.terminator.0;
        terminator.for_each_use(|local| uses[local.index()] += 1);
    }
    uses
}
