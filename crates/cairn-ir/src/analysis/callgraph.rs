//! Who may call whom.
//!
//! A call through a pointer may reach every function whose address is taken somewhere (in an
//! operand or in a global's content) and whose signature fits the call: the same widths of
//! parameters and results, and variadic if the call passes variadic arguments.

use rustc_hash::FxHashMap;

use crate::{BlockId, Body, Call, Callee, FuncId, Inst, Operand, Program, Symbol};

/// What a call site may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteReach {
    /// One function.
    Direct(FuncId),
    /// The functions of a class, by [`CallGraph::class`].
    Class(u32),
}

/// A call in a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The block.
    pub block: BlockId,
    /// The instruction of the block.
    pub inst: u32,
    /// What it may reach.
    pub reach: SiteReach,
}

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    address_taken: Vec<FuncId>,
    /// For each function its sites, by block and instruction.
    sites: Vec<Vec<Site>>,
    classes: Vec<Vec<FuncId>>,
    callees: Vec<Vec<FuncId>>,
    callers: Vec<Vec<FuncId>>,
}

/// What decides which functions an indirect call may reach.
#[derive(PartialEq, Eq, Hash)]
struct Signature {
    params: Vec<u32>,
    results: Vec<u32>,
    variadic: bool,
}

impl CallGraph {
    /// The call graph of a program.
    pub fn new(program: &Program) -> Self {
        let address_taken = address_taken(program);
        let mut classes = Classes {
            program,
            address_taken: &address_taken,
            by_signature: FxHashMap::default(),
            members: Vec::new(),
        };
        let mut sites = Vec::with_capacity(program.functions.len());
        for function in &program.functions {
            let mut own = Vec::new();
            for (i, block) in function
                .body
                .iter()
                .flat_map(|b| b.blocks.iter().enumerate())
            {
                for (j, (inst, _)) in block.insts.iter().enumerate() {
                    if let (Inst::Call(call), Some(body)) = (inst, &function.body) {
                        own.push(Site {
                            block: BlockId::new(i),
                            inst: j as u32,
                            reach: classes.reach(body, call),
                        });
                    }
                }
            }
            sites.push(own);
        }
        let classes = classes.members;
        let mut callees = Vec::with_capacity(sites.len());
        let mut callers = vec![Vec::new(); sites.len()];
        for (caller, sites) in sites.iter().enumerate() {
            let mut reached: Vec<FuncId> = Vec::new();
            for site in sites {
                match &site.reach {
                    SiteReach::Direct(id) => reached.push(*id),
                    SiteReach::Class(class) => reached.extend(&classes[*class as usize]),
                }
            }
            reached.sort_unstable();
            reached.dedup();
            for callee in &reached {
                if let Some(callers) = callers.get_mut(callee.index()) {
                    callers.push(FuncId::new(caller));
                }
            }
            callees.push(reached);
        }
        CallGraph {
            address_taken,
            sites,
            classes,
            callees,
            callers,
        }
    }

    /// Functions whose address is taken, in ascending order.
    pub fn address_taken(&self) -> &[FuncId] {
        &self.address_taken
    }

    /// The calls in a function's body, by block and instruction.
    pub fn sites(&self, function: FuncId) -> &[Site] {
        &self.sites[function.index()]
    }

    /// How many classes of indirect calls there are.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The functions of a class, in ascending order.
    pub fn class(&self, class: u32) -> &[FuncId] {
        &self.classes[class as usize]
    }

    /// The functions that a site may reach.
    pub fn targets<'a>(&'a self, site: &'a Site) -> &'a [FuncId] {
        match &site.reach {
            SiteReach::Direct(id) => std::slice::from_ref(id),
            SiteReach::Class(class) => self.class(*class),
        }
    }

    /// The functions that a function may call, in ascending order.
    pub fn callees(&self, function: FuncId) -> &[FuncId] {
        &self.callees[function.index()]
    }

    /// The functions that may call a function, in ascending order.
    pub fn callers(&self, function: FuncId) -> &[FuncId] {
        &self.callers[function.index()]
    }
}

struct Classes<'a> {
    program: &'a Program,
    address_taken: &'a [FuncId],
    by_signature: FxHashMap<Signature, u32>,
    members: Vec<Vec<FuncId>>,
}

impl Classes<'_> {
    fn reach(&mut self, body: &Body, call: &Call) -> SiteReach {
        if let Callee::Direct(id) = call.callee {
            return SiteReach::Direct(id);
        }
        let width = |local: &crate::Local| body.widths.get(local.index()).copied().unwrap_or(0);
        let signature = Signature {
            params: call.args.iter().map(|(_, width)| *width).collect(),
            results: call.results.iter().map(width).collect(),
            variadic: !call.variadic.is_empty(),
        };
        let (program, taken) = (self.program, self.address_taken);
        let class = *self
            .by_signature
            .entry(signature)
            .or_insert_with_key(|key| {
                let fits = |id: &FuncId| {
                    let function = program.function(*id);
                    function.params == key.params
                        && function.results == key.results
                        && (function.variadic || !key.variadic)
                };
                self.members
                    .push(taken.iter().copied().filter(fits).collect());
                self.members.len() as u32 - 1
            });
        SiteReach::Class(class)
    }
}

fn address_taken(program: &Program) -> Vec<FuncId> {
    let mut taken = vec![false; program.functions.len()];
    let mut take = |symbol: Symbol| {
        if let Symbol::Function(id) = symbol
            && let Some(taken) = taken.get_mut(id.index())
        {
            *taken = true;
        }
    };
    for content in program.globals.iter().filter_map(|g| g.content.as_ref()) {
        content.relocations.iter().for_each(|r| take(r.symbol));
        for difference in &content.differences {
            take(difference.symbol);
            take(difference.base);
        }
    }
    let mut see = |operand: &Operand| {
        if let Operand::Address(symbol, _) = operand {
            take(*symbol);
        }
    };
    for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
        for block in &body.blocks {
            for (inst, _) in &block.insts {
                inst.for_each_operand(&mut see);
            }
            block.terminator.0.for_each_operand(&mut see);
        }
    }
    let ids = taken.iter().enumerate().filter(|(_, taken)| **taken);
    ids.map(|(i, _)| FuncId::new(i)).collect()
}
