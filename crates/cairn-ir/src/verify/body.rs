//! The rules about the shape of a body: blocks, definitions, dominance, targets.

use super::{Location, VerifierRule, VerifyError, has_place, has_symbol, is_width};
use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::DomTree;
use crate::{
    BlockId, Body, Function, Local, Operand, PlaceId, Program, Switch, Target, Terminator,
};

/// Where a local is defined: the block and how many instructions of it come before its value is
/// there.
#[derive(Clone, Copy)]
struct Definition {
    block: u32,
    after: u32,
}

const UNDEFINED: u32 = u32::MAX;

/// Checks one body.
pub(super) struct Checker<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub body: &'a Body,
    errors: &'a mut Vec<VerifyError>,
    definitions: Vec<Definition>,
    tree: Option<DomTree>,
    block: Option<BlockId>,
    inst: Option<usize>,
    /// The cases of a switch, to be sorted.
    cases: Vec<u64>,
}

/// Checks the body of a function.
pub(super) fn check(
    program: &Program,
    function: &Function,
    body: &Body,
    errors: &mut Vec<VerifyError>,
) {
    let undefined = Definition {
        block: UNDEFINED,
        after: 0,
    };
    let mut checker = Checker {
        program,
        function,
        body,
        errors,
        definitions: vec![undefined; body.widths.len()],
        tree: None,
        block: None,
        inst: None,
        cases: Vec::new(),
    };
    if body.blocks.is_empty() {
        checker.fail(VerifierRule::NoBlocks, "the body has no blocks");
    } else {
        checker.tree = Some(DomTree::new(Cfg::new(body).graph(), 0));
    }
    checker.locals();
    checker.entry();
    for (i, block) in body.blocks.iter().enumerate() {
        checker.block = Some(BlockId::new(i));
        for (j, (inst, place)) in block.insts.iter().enumerate() {
            checker.inst = Some(j);
            checker.place(*place);
            checker.inst(inst);
        }
        checker.inst = Some(block.insts.len());
        checker.place(block.terminator.1);
        checker.terminator(&block.terminator.0);
    }
}

impl Checker<'_> {
    /// Reports at the present instruction.
    pub fn fail(&mut self, rule: VerifierRule, message: impl Into<String>) {
        self.errors.push(VerifyError {
            rule,
            location: Location {
                subject: format!("function `{}`", self.function.name),
                block: self.block,
                inst: self.inst,
            },
            message: message.into(),
        });
    }

    fn place(&mut self, place: PlaceId) {
        if !has_place(self.program, place) {
            self.fail(VerifierRule::PlaceRange, format!("there is no {place}"));
        }
    }

    /// Finds where locals are defined.
    fn locals(&mut self) {
        let body = self.body;
        for (i, width) in body.widths.iter().enumerate() {
            if !is_width(*width) {
                let message = format!("local {} has {width} bits", Local::new(i));
                self.fail(VerifierRule::Width, message);
            }
        }
        for (i, block) in body.blocks.iter().enumerate() {
            self.block = Some(BlockId::new(i));
            self.inst = None;
            for param in &block.params {
                self.define(*param, i, 0);
            }
            for (j, (inst, _)) in block.insts.iter().enumerate() {
                self.inst = Some(j);
                for result in inst.results() {
                    self.define(*result, i, j + 1);
                }
            }
        }
        (self.block, self.inst) = (None, None);
        for i in 0..body.widths.len() {
            if self.definitions[i].block == UNDEFINED {
                let message = format!("local {} is nowhere defined", Local::new(i));
                self.fail(VerifierRule::DefinedOnce, message);
            }
        }
    }

    fn define(&mut self, local: Local, block: usize, after: usize) {
        let Some(definition) = self.definitions.get_mut(local.index()) else {
            return self.fail(
                VerifierRule::LocalRange,
                format!("there is no local {local}"),
            );
        };
        if definition.block != UNDEFINED {
            let message = format!("local {local} is defined a second time");
            return self.fail(VerifierRule::DefinedOnce, message);
        }
        *definition = Definition {
            block: block as u32,
            after: after as u32,
        };
    }

    fn entry(&mut self) {
        let Some(entry) = self.body.blocks.first() else {
            return;
        };
        let widths = entry.params.iter().map(|local| self.width_of(*local));
        let params = self.function.params.iter().map(|width| Some(*width));
        if !widths.eq(params) {
            let message = "the entry's parameters are not the function's";
            self.fail(VerifierRule::EntryParams, message);
        }
    }

    /// The width of a local that there is.
    pub fn width_of(&self, local: Local) -> Option<u32> {
        self.body.widths.get(local.index()).copied()
    }

    /// Checks that a local may be used here, at a width.
    pub fn use_local(&mut self, local: Local, width: u32) {
        let Some(own) = self.width_of(local) else {
            return self.fail(
                VerifierRule::LocalRange,
                format!("there is no local {local}"),
            );
        };
        if own != width {
            let message = format!("local {local} has {own} bits, not {width}");
            self.fail(VerifierRule::OperandWidth, message);
        }
        let (Some(block), Some(inst), Some(tree)) = (self.block, self.inst, &self.tree) else {
            return;
        };
        let definition = self.definitions[local.index()];
        let before = match definition.block {
            // Reported already.
            UNDEFINED => true,
            here if here == block.0 => definition.after as usize <= inst,
            other => tree.dominates(other, block.0),
        };
        if !before && tree.is_reachable(block.0) {
            let message = format!("local {local} is not defined on every way here");
            self.fail(VerifierRule::Dominance, message);
        }
    }

    /// Checks an operand that is used at a width.
    pub fn operand(&mut self, operand: &Operand, width: u32) {
        match operand {
            Operand::Local(local) => self.use_local(*local, width),
            Operand::Int(value) => {
                if width > 64 || (width < 64 && value >> width != 0) {
                    let message = format!("the constant {value} at {width} bits");
                    self.fail(VerifierRule::IntConstant, message);
                }
            }
            Operand::Wide(value) => {
                if value.width() != width || width <= 64 {
                    let own = value.width();
                    let message = format!("a wide constant of {own} bits at {width} bits");
                    self.fail(VerifierRule::WideConstant, message);
                }
            }
            Operand::Address(symbol, _) => {
                if !has_symbol(self.program, *symbol) {
                    let message = format!("there is no {symbol:?}");
                    self.fail(VerifierRule::SymbolRange, message);
                }
                if width != self.program.pointer_width.bits() {
                    let message = format!("an address at {width} bits");
                    self.fail(VerifierRule::AddressWidth, message);
                }
            }
        }
    }

    /// Checks a width that an instruction names; says whether it is one.
    pub fn named_width(&mut self, width: u32) -> bool {
        if !is_width(width) {
            self.fail(VerifierRule::Width, format!("{width} is no width"));
        }
        is_width(width)
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { condition, .. } => self.operand(condition, 1),
            Terminator::Switch(switch) => self.switch(switch),
            Terminator::Return(values) => {
                let results = &self.function.results;
                if values.len() != results.len() {
                    let message = format!("{} values for {}", values.len(), results.len());
                    self.fail(VerifierRule::ReturnCount, message);
                }
                for (value, width) in values.iter().zip(results) {
                    self.operand(value, *width);
                }
            }
            Terminator::Jump(_) | Terminator::Stop => {}
        }
        for target in terminator.targets() {
            self.target(target);
        }
    }

    fn switch(&mut self, switch: &Switch) {
        let width = switch.width;
        if !self.named_width(width) {
            return;
        }
        self.operand(&switch.value, width);
        if width > 64 {
            return self.fail(
                VerifierRule::SwitchWidth,
                format!("a switch of {width} bits"),
            );
        }
        let mut cases = std::mem::take(&mut self.cases);
        cases.clear();
        cases.extend(switch.cases.iter().map(|(value, _)| *value));
        cases.sort_unstable();
        if let Some(largest) = cases.last()
            && *largest > cairn_bv::mask(width)
        {
            let message = format!("the case {largest} has more than {width} bits");
            self.fail(VerifierRule::SwitchWidth, message);
        }
        if let Some(pair) = cases.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the case {} occurs twice", pair[0]);
            self.fail(VerifierRule::SwitchCases, message);
        }
        self.cases = cases;
    }

    fn target(&mut self, target: &Target) {
        let body = self.body;
        let Some(block) = body.blocks.get(target.block.index()) else {
            let message = format!("there is no block {}", target.block);
            return self.fail(VerifierRule::BlockRange, message);
        };
        if target.block.index() == 0 {
            self.fail(VerifierRule::EntryTarget, "a jump to the entry");
        }
        if block.params.len() != target.args.len() {
            let (given, taken) = (target.args.len(), block.params.len());
            let message = format!("{given} values for {taken} parameters of {}", target.block);
            self.fail(VerifierRule::TargetArgs, message);
        }
        for (arg, param) in target.args.iter().zip(&block.params) {
            // A parameter that there is not was reported where it is defined.
            if let Some(width) = self.width_of(*param) {
                self.operand(arg, width);
            }
        }
    }
}
