//! A seeded generator of programs: valid ones, and wild ones that break rules at random.

#![allow(dead_code)] // Each test file uses a part of it.

mod instructions;

use cairn_bv::BitVec;
use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::dominators::Dominators;
use cairn_ir::*;
use cairn_random::Random;

/// The edges of a random graph whose node 0 has no predecessors if `entry` says so.
pub fn random_edges(rng: &mut Random, nodes: usize, edges: usize, entry: bool) -> Vec<(u32, u32)> {
    let first = usize::from(entry && nodes > 1);
    (0..edges)
        .map(|_| {
            let to = first + rng.below(nodes - first);
            (rng.below(nodes) as u32, to as u32)
        })
        .filter(|(_, to)| !entry || *to != 0)
        .collect()
}

/// A body of blocks without instructions that has the given edges.
pub fn body_of_edges(nodes: usize, edges: &[(u32, u32)]) -> Body {
    let target = |block: u32| Target {
        block: BlockId(block),
        args: Vec::new(),
    };
    let blocks = (0..nodes as u32).map(|node| {
        let to: Vec<u32> = edges.iter().filter(|e| e.0 == node).map(|e| e.1).collect();
        let terminator = match to.split_first() {
            None => Terminator::Return(Vec::new()),
            Some((first, [])) => Terminator::Jump(target(*first)),
            Some((first, rest)) => Terminator::Switch(Box::new(Switch {
                value: Operand::Int(0),
                width: 32,
                cases: rest
                    .iter()
                    .enumerate()
                    .map(|(i, to)| (i as u64, target(*to)))
                    .collect(),
                default: target(*first),
            })),
        };
        Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: (terminator, PlaceId::UNKNOWN),
        }
    });
    Body {
        widths: Vec::new(),
        blocks: blocks.collect(),
    }
}

const WIDTHS: [u32; 14] = [1, 1, 7, 8, 16, 32, 32, 33, 64, 64, 64, 80, 128, 200];
const NAMES: [&str; 8] = [
    "main",
    "a.b$c",
    "",
    "with space",
    "quote\"\\",
    "line\nend",
    "größe\u{85}",
    "0",
];

/// A random program. If `wild`, rules are broken here and there.
pub fn program(rng: &mut Random, wild: bool) -> Program {
    let mut program = Program::new();
    tables(rng, &mut program);
    let functions = 1 + rng.below(4);
    for i in 0..functions {
        let name = format!("{}{}", *rng.pick(&NAMES), i);
        let mut widths = |n| (0..rng.below(n)).map(|_| *rng.pick(&WIDTHS)).collect();
        let (params, results) = (widths(4), widths(3));
        let function = Function {
            name,
            params,
            results,
            variadic: rng.chance(30),
            place: PlaceId(rng.below(program.places.len()) as u32),
            body: None,
        };
        if function.params.is_empty() && rng.chance(50) {
            program.constructors.push(FuncId::new(i));
            program.destructors.push(FuncId::new(i));
        }
        program.functions.push(function);
        if rng.chance(20) {
            let length = 1 + rng.below(Prefix::MOST);
            program.prefixes.push(Prefix {
                function: FuncId::new(i),
                bytes: (0..length).map(|_| rng.next() as u8).collect(),
            });
        }
    }
    for i in 0..rng.below(4) {
        let global = global(rng, &program, i);
        program.globals.push(global);
    }
    for i in 0..functions {
        if rng.chance(85) {
            let body = body(rng, &program, i, wild);
            program.functions[i].body = Some(body);
        }
    }
    program
}

fn tables(rng: &mut Random, program: &mut Program) {
    for _ in 0..rng.below(3) {
        program.files.push(rng.pick(&NAMES).to_string());
        program.names.push(rng.pick(&NAMES).to_string());
    }
    for i in 0..rng.below(5) {
        program.places.push(SourcePlace {
            file: rng.below(program.files.len()) as u32,
            line: rng.below(100) as u32,
            column: rng.below(100) as u32,
            function: rng.below(program.names.len()) as u32,
            inlined_at: rng.chance(30).then(|| PlaceId(rng.below(i + 1) as u32)),
        });
    }
    for _ in 0..rng.below(3) {
        program.slots.push(Slot {
            name: rng.pick(&NAMES).to_string(),
            width: *rng.pick(&WIDTHS),
        });
    }
}

fn global(rng: &mut Random, program: &Program, index: usize) -> Global {
    let bytes: Vec<u8> = (0..rng.below(150)).map(|_| rng.next() as u8).collect();
    let function = |rng: &mut Random| {
        let id = rng.below(program.functions.len());
        Symbol::Function(FuncId::new(id))
    };
    let (mut relocations, mut differences) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for _ in 0..rng.below(5) {
        offset += rng.below(5) as u64;
        if rng.chance(50) {
            relocations.push(Relocation {
                offset,
                symbol: function(rng),
                addend: *rng.pick(&[0, 1, -1, i64::MIN, i64::MAX]),
            });
            offset += 8;
        } else {
            let bytes = *rng.pick(&[1, 2, 4, 8]);
            differences.push(ProgramDifference {
                offset,
                bytes,
                symbol: function(rng),
                base: Symbol::Global(GlobalId(0)),
                addend: *rng.pick(&[0, 5, -5]),
            });
            offset += u64::from(bytes);
        }
    }
    let size = offset.max(bytes.len() as u64) + rng.below(9) as u64;
    Global {
        name: format!("{}_g{index}", *rng.pick(&NAMES)),
        size,
        align: 1 << rng.below(7),
        constant: rng.chance(50),
        thread_local: rng.chance(20),
        place: PlaceId(rng.below(program.places.len()) as u32),
        content: rng.chance(80).then_some(Content {
            bytes,
            relocations,
            differences,
        }),
    }
}

/// Makes one body.
struct Maker<'a> {
    rng: &'a mut Random,
    program: &'a Program,
    function: &'a Function,
    body: Body,
    /// Locals that may be used here.
    available: Vec<Local>,
    wild: bool,
}

fn body(rng: &mut Random, program: &Program, function: usize, wild: bool) -> Body {
    let nodes = 1 + rng.below(7);
    let count = rng.below(nodes * 2);
    let edges = random_edges(rng, nodes, count, !wild);
    let shape = body_of_edges(nodes, &edges);
    let cfg = Cfg::new(&shape);
    let dominators = Dominators::new(&cfg);
    let mut maker = Maker {
        rng,
        program,
        function: &program.functions[function],
        body: shape,
        available: Vec::new(),
        wild,
    };
    for i in 0..nodes {
        let widths = match i {
            0 => maker.function.params.clone(),
            _ => (0..maker.rng.below(3)).map(|_| maker.width()).collect(),
        };
        maker.body.blocks[i].params = widths.iter().map(|w| maker.body.local(*w)).collect();
    }
    let mut at_end: Vec<Vec<Local>> = vec![Vec::new(); nodes];
    let reached: Vec<usize> = cfg.reverse_postorder().map(|b| b.index()).collect();
    let unreached = (0..nodes).filter(|n| !reached.contains(n));
    for i in reached.iter().copied().chain(unreached) {
        let dominator = dominators.immediate(BlockId::new(i));
        maker.available = dominator.map_or(Vec::new(), |d| at_end[d.index()].clone());
        let params = maker.body.blocks[i].params.clone();
        maker.available.extend(params);
        for _ in 0..maker.rng.below(8) {
            if let Some(inst) = maker.inst() {
                maker.available.extend(inst.results());
                let place = maker.place();
                maker.body.blocks[i].insts.push((inst, place));
            }
        }
        let terminator = maker.terminator(i, &edges);
        maker.body.blocks[i].terminator = (terminator, maker.place());
        at_end[i] = maker.available.clone();
    }
    maker.body
}

impl Maker<'_> {
    fn width(&mut self) -> u32 {
        match self.wild && self.rng.chance(3) {
            true => *self.rng.pick(&[0, 9, 64, u32::MAX, 1 << 20]),
            false => *self.rng.pick(&WIDTHS),
        }
    }

    /// A width of whole bytes.
    fn bytes(&mut self) -> u32 {
        *self.rng.pick(&[8, 16, 32, 64, 80, 128, 200])
    }

    fn place(&mut self) -> PlaceId {
        match self.wild && self.rng.chance(3) {
            true => PlaceId(77),
            false => PlaceId(self.rng.below(self.program.places.len()) as u32),
        }
    }

    fn define(&mut self, width: u32) -> Local {
        match self.wild && self.rng.chance(5) {
            true => Local(self.rng.below(self.body.widths.len() + 9) as u32),
            false => self.body.local(width),
        }
    }

    fn symbol(&mut self) -> Symbol {
        let wild = if self.wild { 2 } else { 0 };
        match self.program.globals.is_empty() || self.rng.chance(50) {
            true => {
                let id = self.rng.below(self.program.functions.len() + wild);
                Symbol::Function(FuncId::new(id))
            }
            false => {
                let id = self.rng.below(self.program.globals.len() + wild);
                Symbol::Global(GlobalId::new(id))
            }
        }
    }

    fn operand(&mut self, width: u32) -> Operand {
        if self.wild && self.rng.chance(4) {
            return match self.rng.below(4) {
                0 => Operand::Local(Local(self.rng.below(self.body.widths.len() + 9) as u32)),
                1 => Operand::Int(self.rng.next()),
                2 => Operand::Wide(Box::new(BitVec::ones(*self.rng.pick(&[3, 65, 128])))),
                _ => Operand::Address(self.symbol(), 3),
            };
        }
        let fitting: Vec<Local> = self
            .available
            .iter()
            .copied()
            .filter(|l| self.body.widths.get(l.index()) == Some(&width))
            .collect();
        if !fitting.is_empty() && self.rng.chance(65) {
            return Operand::Local(*self.rng.pick(&fitting));
        }
        if width == 64 && self.rng.chance(30) {
            let offset = *self.rng.pick(&[0, 8, -8, i64::MIN, i64::MAX]);
            return Operand::Address(self.symbol(), offset);
        }
        match width {
            0 => Operand::Int(0),
            1..=64 => {
                let ones = u64::MAX >> (64 - width);
                let shift = self.rng.below(64);
                let small = self.rng.next() >> shift;
                let value = if self.rng.chance(30) { !small } else { small };
                Operand::Int(value & ones)
            }
            65..=4096 => {
                let limbs: Vec<u64> = (0..self.rng.below(5)).map(|_| self.rng.next()).collect();
                Operand::Wide(Box::new(BitVec::from_limbs(width, &limbs)))
            }
            _ => Operand::Int(1),
        }
    }

    fn float_convert(&mut self, format: FloatFormat) -> Inst {
        let signed = self.rng.chance(50);
        let width = *self.rng.pick(&WIDTHS);
        let (op, from, to) = match self.rng.below(3) {
            0 => {
                let to = *self.rng.pick(FloatFormat::ALL);
                let op = FloatConvertOp::Format { from: format, to };
                (op, format.width(), to.width())
            }
            1 => {
                let op = FloatConvertOp::FromInt {
                    signed,
                    from: width,
                    to: format,
                };
                (op, width, format.width())
            }
            _ => {
                let op = FloatConvertOp::ToInt {
                    signed,
                    from: format,
                    to: width,
                    saturating: self.rng.chance(50),
                };
                (op, format.width(), width)
            }
        };
        Inst::FloatConvert {
            op,
            value: self.operand(from),
            dst: self.define(to),
        }
    }

    fn call(&mut self) -> Inst {
        let pointers: Vec<Local> = self
            .available
            .iter()
            .copied()
            .filter(|l| self.body.widths.get(l.index()) == Some(&64))
            .collect();
        let target = self.rng.below(self.program.functions.len());
        let like = &self.program.functions[target];
        let callee = match !pointers.is_empty() && self.rng.chance(40) {
            true => Callee::Indirect(*self.rng.pick(&pointers)),
            false => Callee::Direct(FuncId::new(target)),
        };
        let args = like.params.iter().map(|w| (self.operand(*w), *w)).collect();
        let extra = if like.variadic { self.rng.below(4) } else { 0 };
        let variadic = (0..extra)
            .map(|_| {
                let class = match self.rng.below(4) {
                    0 => VarClass::General,
                    1 => VarClass::Float,
                    2 => VarClass::Memory(1 << self.rng.below(8)),
                    _ => VarClass::Bytes {
                        size: self.rng.next() >> 50,
                        align: 1 << self.rng.below(8),
                    },
                };
                let width = *self.rng.pick(&[32, 64, 128]);
                let width = match class {
                    VarClass::Bytes { .. } => 64,
                    VarClass::General | VarClass::Float | VarClass::Memory(_) => width,
                };
                VarArg {
                    value: self.operand(width),
                    width,
                    class,
                }
            })
            .collect();
        Inst::Call(Box::new(Call {
            callee,
            args,
            variadic,
            results: like.results.iter().map(|w| self.define(*w)).collect(),
        }))
    }

    fn target(&mut self, block: u32) -> Target {
        let block = match self.wild && self.rng.chance(3) {
            true => BlockId(99),
            false => BlockId(block),
        };
        let blocks = &self.body.blocks;
        let params = blocks
            .get(block.index())
            .map_or(Vec::new(), |b| b.params.clone());
        let mut args = Vec::new();
        for param in params {
            let width = self.body.widths[param.index()];
            args.push(self.operand(width));
        }
        if self.wild && self.rng.chance(3) {
            args.pop();
        }
        Target { block, args }
    }

    fn terminator(&mut self, block: usize, edges: &[(u32, u32)]) -> Terminator {
        let to: Vec<u32> = edges
            .iter()
            .filter(|e| e.0 as usize == block)
            .map(|e| e.1)
            .collect();
        match to[..] {
            [] if self.rng.chance(70) => {
                let results = self.function.results.clone();
                Terminator::Return(results.iter().map(|w| self.operand(*w)).collect())
            }
            [] => Terminator::Stop,
            [one] => Terminator::Jump(self.target(one)),
            [then, otherwise] if self.rng.chance(60) => Terminator::Branch {
                condition: self.operand(1),
                then: self.target(then),
                otherwise: self.target(otherwise),
            },
            [first, ref rest @ ..] => {
                let width = *self.rng.pick(&[8, 32, 64]);
                let ones = u64::MAX >> (64 - width);
                let cases = rest
                    .iter()
                    .enumerate()
                    .map(|(i, to)| (ones - 3 * i as u64, self.target(*to)))
                    .collect();
                Terminator::Switch(Box::new(Switch {
                    value: self.operand(width),
                    width,
                    cases,
                    default: self.target(first),
                }))
            }
        }
    }
}
