//! From the program form to the flat form (`code.rs`), one function at a time.

mod wide_constants;

use crate::code::{CallSite, Code, Constant, FlatOp, LocalHome, Reg, ThreeRegisters};
use crate::cover::CoverMap;
use crate::edges::Fix;
use crate::stop_points::StopPoints;
use crate::variables::StackVariables;
use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::initialised::Initialised;
use cairn_ir::{
    BinaryOp, BlockId, Body, Callee, CompareOp, FloatCompareOp, FloatFormat, FuncId, Inst, Local,
    Operand, PlaceId, Program,
};
use rustc_hash::FxHashMap;

/// Flattens a function.
pub(crate) fn flatten(
    program: &Program,
    function: FuncId,
    cover: Option<&CoverMap>,
    stops: Option<&StopPoints>,
    tell_unwritten: bool,
    reaches_any: bool,
) -> Option<Code> {
    let body = program.function(function).body.as_ref()?;
    // What a program grew by has no points.
    let cover = cover.filter(|map| map.has(function, body.blocks.len()));
    let written_first = Initialised::new(body, &Cfg::new(body));
    let variables = if reaches_any {
        StackVariables::none(body)
    } else {
        StackVariables::new(program, body, &written_first)
    };
    let mut homes = Vec::with_capacity(body.widths.len());
    let (mut locals, mut wide) = (0, 0);
    for (local, &width) in body.widths.iter().enumerate() {
        if variables.same_as(Local::new(local)).is_some() {
            // Its variable's, which is known below.
            homes.push(LocalHome::Register(0));
        } else if width <= 64 {
            homes.push(LocalHome::Register(locals));
            locals += 1;
        } else {
            homes.push(LocalHome::Wide(wide));
            wide += 1;
        }
    }
    for local in 0..homes.len() {
        if let Some(variable) = variables.same_as(Local::new(local)) {
            homes[local] = homes[variable.index()];
        }
    }
    let locals_of_variables = (0..homes.len()).filter(|l| variables.is_variable(Local::new(*l)));
    let registers = locals_of_variables.filter_map(|local| match homes[local] {
        LocalHome::Register(register) => Some(register),
        LocalHome::Wide(_) => None,
    });
    let registers = registers.collect();
    let params = body.blocks[0]
        .params
        .iter()
        .map(|p| homes[p.index()])
        .collect();
    let mut flattener = Flattener {
        program,
        body,
        cover,
        stops,
        written_first: tell_unwritten.then_some(written_first),
        free: 0,
        block: 0,
        at_inst: 0,
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
            points: Vec::new(),
            constants: Vec::new(),
            locals,
            wide,
            variables: registers,
            stack_bytes: variables.stack_bytes(),
            homes,
            widths: body.widths.clone(),
            params,
            calls: Vec::new(),
            runs: Vec::new(),
            checks: Vec::new(),
            float_comparisons: Vec::new(),
            slow: Vec::new(),
            switches: Vec::new(),
            returns: Vec::new(),
        },
        variables,
    };
    flattener.run();
    Some(flattener.code)
}

/// A function on its way.
pub(crate) struct Flattener<'p> {
    pub program: &'p Program,
    pub body: &'p Body,
    /// Numbers of the points to cover, if that is wanted.
    pub cover: Option<&'p CoverMap>,
    /// Where threads stop.
    stops: Option<&'p StopPoints>,
    /// The stack objects that are certainly written before they are read, if that is wanted.
    written_first: Option<Initialised>,
    pub variables: StackVariables,
    /// How many instructions cost nothing and are not counted yet.
    pub free: u16,
    /// The present block.
    pub block: u32,
    /// The present instruction of it; after the last one, its terminator.
    at_inst: u32,
    starts: Vec<u32>,
    pub fixes: Vec<(Fix, BlockId)>,
    known: FxHashMap<Constant, Reg>,
    place: PlaceId,
    /// How often each local is read.
    pub uses: Vec<u32>,
    /// Where the present block starts.
    pub block_start: u32,
    /// Registers for moves that would overwrite each other; made on demand.
    pub scratch: u32,
    wide_constants: Vec<(u32, Operand)>,
    pub code: Code,
}

impl Flattener<'_> {
    fn run(&mut self) {
        // Scratch registers come after the locals, constants after those: their number must be
        // known first.
        self.scratch = self.code.locals;
        self.code.locals += self.most_moves();
        for (i, block) in self.body.blocks.iter().enumerate() {
            self.starts[i] = self.here();
            self.block = i as u32;
            self.at_inst = 0;
            if let Some(map) = self.cover {
                self.place = block
                    .insts
                    .first()
                    .map_or(block.terminator.1, |(_, place)| *place);
                let point = map.block(self.code.function, BlockId::new(i));
                self.emit(FlatOp::Cover {
                    point,
                    is_back: false,
                });
            }
            let block_id = BlockId::new(i);
            if let Some(stops) = self.stops
                && stops.at(self.code.function, block_id).is_some()
            {
                self.emit(FlatOp::Arrive(block_id.0));
            }
            self.block_start = self.here();
            let mut at = 0;
            while let Some((inst, place)) = block.insts.get(at) {
                self.at_inst = at as u32;
                self.place = *place;
                match self.run_of_words(&block.insts[at..]) {
                    Some(taken) => at += taken,
                    None => {
                        self.inst(inst);
                        at += 1;
                    }
                }
            }
            self.at_inst = block.insts.len() as u32;
            self.place = block.terminator.1;
            self.terminator(&block.terminator.0);
        }
        for (fix, block) in std::mem::take(&mut self.fixes) {
            let start = self.starts[block.index()];
            self.fix(&fix, start);
        }
    }

    /// The largest number of parameters of at most 64 bits that a block has.
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

    pub fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    pub fn emit(&mut self, op: FlatOp) {
        self.code.ops.push(op);
        self.code.places.push(self.place);
        self.code.points.push((self.block, self.at_inst));
    }

    pub fn home(&self, local: Local) -> LocalHome {
        self.code.homes[local.index()]
    }

    fn width(&self, local: Local) -> u32 {
        self.body.width(local)
    }

    /// The register of a local of at most 64 bits.
    pub fn dst(&self, local: Local) -> Option<Reg> {
        match self.home(local) {
            LocalHome::Register(r) => Some(r),
            LocalHome::Wide(_) => None,
        }
    }

    pub fn constant(&mut self, constant: Constant) -> Reg {
        if let Some(&r) = self.known.get(&constant) {
            return r;
        }
        let r = self.code.locals + self.code.constants.len() as u32;
        self.code.constants.push(constant);
        self.known.insert(constant, r);
        r
    }

    /// The register of an operand of at most 64 bits.
    pub fn reg(&mut self, operand: &Operand) -> Option<Reg> {
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

    fn slow(&mut self, inst: &Inst) {
        let index = self.code.slow.len() as u32;
        self.code.slow.push(inst.clone());
        self.emit(FlatOp::Slow(index));
    }

    fn inst(&mut self, inst: &Inst) {
        if !self.of_variable(inst) && self.fast(inst).is_none() {
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
                let three = ThreeRegisters { dst, a, b };
                self.emit(match op {
                    BinaryOp::Add => FlatOp::Add(width, three),
                    BinaryOp::Sub => FlatOp::Sub(width, three),
                    BinaryOp::Mul => FlatOp::Mul(width, three),
                    BinaryOp::And => FlatOp::And(width, three),
                    BinaryOp::Or => FlatOp::Or(width, three),
                    BinaryOp::Xor => FlatOp::Xor(width, three),
                    BinaryOp::Shl => FlatOp::Shl(width, three),
                    BinaryOp::Lshr => FlatOp::Lshr(width, three),
                    BinaryOp::Ashr => FlatOp::Ashr(width, three),
                    BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem => {
                        FlatOp::Divide(*op, width, three)
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
                let three = ThreeRegisters { dst, a, b };
                self.emit(match op {
                    CompareOp::Eq => FlatOp::Eq(width, three),
                    CompareOp::Ne => FlatOp::Ne(width, three),
                    CompareOp::Ult => FlatOp::Ult(width, three),
                    CompareOp::Ule => FlatOp::Ule(width, three),
                    CompareOp::Slt => FlatOp::Slt(width, three),
                    CompareOp::Sle => FlatOp::Sle(width, three),
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
                let source = value;
                let (dst, value) = (self.dst(*dst)?, self.reg(value)?);
                if self.extend_load(*op, source, to, dst).is_some() {
                    return Some(());
                }
                self.emit(match op {
                    cairn_ir::CastOp::Zext => FlatOp::Zext {
                        from,
                        to,
                        dst,
                        value,
                    },
                    cairn_ir::CastOp::Sext => FlatOp::Sext {
                        from,
                        to,
                        dst,
                        value,
                    },
                    cairn_ir::CastOp::Trunc => FlatOp::Trunc {
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
                self.emit(FlatOp::Select {
                    width: width as u8,
                    dst,
                    condition,
                    then,
                });
                self.emit(FlatOp::Move {
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
                self.emit(FlatOp::FloatBinary {
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
                self.emit(FlatOp::FloatCompare {
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
                self.emit(FlatOp::Arbitrary { width, dst });
            }
            Inst::Load { dst, address } => {
                let bytes = (self.width(*dst) / 8) as u8;
                let dst = self.dst(*dst)?;
                let op = match self.take_sum(address) {
                    Some((a, b)) => FlatOp::LoadAt { bytes, dst, a, b },
                    None => {
                        let at = self.reg(address)?;
                        FlatOp::Load { bytes, dst, at }
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
                let register = self.reg(value)?;
                let plain = self.reg(address)?;
                // The address and the value may have been made in either order.
                let early = self.take_low(value);
                let sum = self.take_sum(address);
                let low = early.or_else(|| self.take_low(value));
                let at = plain;
                self.emit(match (sum, low) {
                    (None, None) => FlatOp::Store {
                        bytes,
                        value: register,
                        at,
                    },
                    (Some((a, b)), None) => FlatOp::StoreAt {
                        bytes,
                        value: register,
                        a,
                        b,
                    },
                    (None, Some((from, value))) => FlatOp::StoreLow {
                        bytes,
                        from,
                        value,
                        at,
                    },
                    (Some((a, b)), Some((from, value))) => FlatOp::StoreLowAt {
                        bytes,
                        from,
                        value,
                        a,
                        b,
                    },
                });
            }
            Inst::Alloca { dst, size, align } => {
                let certain = |i: &Initialised| i.is_certain(*dst);
                let unwritten = !self.written_first.as_ref().is_some_and(certain);
                let (dst, size) = (self.dst(*dst)?, self.reg(size)?);
                self.emit(FlatOp::Alloca {
                    align_log2: align.trailing_zeros() as u8,
                    unwritten,
                    dst,
                    size,
                });
            }
            Inst::Check(check) => {
                let condition = self.reg(&check.condition)?;
                let index = self.code.checks.len() as u32;
                self.code.checks.push((check.kind, check.message.clone()));
                self.emit(FlatOp::Check {
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
                // Results that are never read are not asked for, so a native need not have a value
                // for them.
                let read = call.results.iter().any(|r| self.uses[r.index()] > 0);
                let wanted: &[Local] = if read { &call.results } else { &[] };
                let site = CallSite {
                    callee: call.callee,
                    address,
                    args,
                    arg_widths: call.args.iter().map(|a| a.1).collect(),
                    variadic,
                    results: wanted.iter().map(|r| self.home(*r)).collect(),
                    result_widths: wanted.iter().map(|r| self.width(*r)).collect(),
                };
                self.emit_call(site);
            }
            Inst::Unary { .. }
            | Inst::Extract { .. }
            | Inst::Concat { .. }
            | Inst::FloatUnary { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatConvert { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Scope { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. }
            | Inst::VaStart { .. }
            | Inst::ReadSlot { .. }
            | Inst::WriteSlot { .. } => return None,
        }
        Some(())
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
