//! Which objects pointers may be to: classes of objects that are made before the program runs.
//!
//! # Problem
//!
//! A memory model that puts all objects of a pointer in one segment before the program runs must know which objects a
//! pointer may be to.
//!
//! # Idea
//!
//! Unification, after \[Steensgaard96\]: each value has one class of objects that it points to, and what the objects of a class
//! hold points to one class again. An assignment makes the classes of both sides one; so do loads and stores with what is held. Objects are
//! globals and what functions without a body make, by the place of the call; which function called that does not matter.
//!
//! # What differs
//!
//! Of a sum or a difference only the left operand is taken for the pointer, as front ends write it; words narrower than a pointer carry none.
//! Calls through a pointer go to all functions of the call's signature whose address is taken.
//!
//! # Soundness
//!
//! It is none that anything may rely on: a pointer that is made from numbers has no class. Who uses it must ask whether a pointer can be to
//! something else.
//!
//! # Cost
//!
//! One pass over the program, almost linear.

use super::callgraph::CallGraph;
use crate::{
    BinaryOp, Body, Call, Callee, CastOp, FuncId, GlobalId, Inst, Local, Operand, PlaceId, Program,
    Symbol, Target, Terminator,
};
use rustc_hash::FxHashMap;

/// A class of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectClass(u32);

/// The classes of a program's objects.
#[derive(Clone, Debug)]
pub struct PointsTo {
    globals: Vec<ObjectClass>,
    sites: FxHashMap<(FuncId, PlaceId), ObjectClass>,
}

/// Functions without a body that return a pointer into the object of their first argument.
const RETURN_FIRST: [&str; 24] = [
    "memcpy",
    "memmove",
    "memset",
    "mempcpy",
    "memchr",
    "memrchr",
    "rawmemchr",
    "strcpy",
    "stpcpy",
    "strncpy",
    "stpncpy",
    "strcat",
    "strncat",
    "strchr",
    "strchrnul",
    "strrchr",
    "strstr",
    "strpbrk",
    "strtok",
    "fgets",
    "gets",
    "realloc",
    "reallocarray",
    "getcwd",
];

/// Functions without a body that copy bytes from where their second argument points to.
const COPY: [&str; 3] = ["memcpy", "memmove", "mempcpy"];

/// Nothing.
const NONE: u32 = u32::MAX;

/// Sets of numbers that become one, and what the objects of each hold.
#[derive(Default)]
struct Classes {
    parent: Vec<u32>,
    /// The class that what is held points to.
    held: Vec<u32>,
}

impl Classes {
    fn fresh(&mut self) -> u32 {
        let new = self.parent.len() as u32;
        self.parent.push(new);
        self.held.push(NONE);
        new
    }

    fn find(&mut self, mut class: u32) -> u32 {
        while self.parent[class as usize] != class {
            let above = self.parent[class as usize];
            self.parent[class as usize] = self.parent[above as usize];
            class = above;
        }
        class
    }

    fn held(&mut self, class: u32) -> u32 {
        let class = self.find(class);
        match self.held[class as usize] {
            NONE => {
                let new = self.fresh();
                self.held[class as usize] = new;
                new
            }
            held => held,
        }
    }

    fn unite(&mut self, a: u32, b: u32) {
        let mut left = vec![(a, b)];
        while let Some((a, b)) = left.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.parent[b as usize] = a;
            match (self.held[a as usize], self.held[b as usize]) {
                (_, NONE) => {}
                (NONE, held) => self.held[a as usize] = held,
                (one, other) => left.push((one, other)),
            }
        }
    }
}

struct Analysis<'a> {
    program: &'a Program,
    calls: CallGraph,
    classes: Classes,
    globals: Vec<u32>,
    /// The first local of each function.
    locals: Vec<u32>,
    /// The first result of each function.
    results: Vec<u32>,
    /// What lists of variadic arguments hold.
    variadic: u32,
    sites: FxHashMap<(FuncId, PlaceId), u32>,
}

impl PointsTo {
    /// The classes of a program.
    pub fn new(program: &Program) -> Self {
        let mut classes = Classes::default();
        let globals: Vec<u32> = program.globals.iter().map(|_| classes.fresh()).collect();
        let variadic = classes.fresh();
        let (mut locals, mut results) = (Vec::new(), Vec::new());
        for function in &program.functions {
            locals.push(classes.parent.len() as u32);
            let own = function.body.as_ref().map_or(0, |body| body.widths.len());
            (0..own).for_each(|_| {
                classes.fresh();
            });
            results.push(classes.parent.len() as u32);
            function.results.iter().for_each(|_| {
                classes.fresh();
            });
        }
        let mut analysis = Analysis {
            program,
            calls: CallGraph::new(program),
            classes,
            globals,
            locals,
            results,
            variadic,
            sites: FxHashMap::default(),
        };
        analysis.contents();
        for (i, function) in program.functions.iter().enumerate() {
            if let Some(body) = &function.body {
                analysis.body(FuncId::new(i), body);
            }
        }
        let Analysis {
            mut classes,
            globals,
            sites,
            ..
        } = analysis;
        let mut class = |node: u32| ObjectClass(classes.find(node));
        PointsTo {
            globals: globals.into_iter().map(&mut class).collect(),
            sites: sites.into_iter().map(|(at, n)| (at, class(n))).collect(),
        }
    }

    /// The class of a global.
    pub fn of_global(&self, global: GlobalId) -> ObjectClass {
        self.globals[global.index()]
    }

    /// The class of what is made by a call at a place of a function.
    pub fn of_site(&self, function: FuncId, place: PlaceId) -> Option<ObjectClass> {
        self.sites.get(&(function, place)).copied()
    }
}

impl Analysis<'_> {
    fn contents(&mut self) {
        for (i, global) in self.program.globals.iter().enumerate() {
            let all = global.content.iter().flat_map(|c| &c.relocations);
            for relocation in all {
                if let Symbol::Global(to) = relocation.symbol {
                    let held = self.classes.held(self.globals[i]);
                    self.classes.unite(held, self.globals[to.index()]);
                }
            }
        }
    }

    fn local(&self, function: FuncId, local: Local) -> u32 {
        self.locals[function.index()] + local.index() as u32
    }

    /// Whether values of a width may be pointers, or have some in them.
    fn carries(&self, width: u32) -> bool {
        width >= self.program.pointer_width.bits()
    }

    /// The class that an operand points to.
    fn target(&self, function: FuncId, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Local(local) => Some(self.local(function, *local)),
            Operand::Address(Symbol::Global(global), _) => Some(self.globals[global.index()]),
            Operand::Address(Symbol::Function(_), _) | Operand::Int(_) | Operand::Wide(_) => None,
        }
    }

    fn assign(&mut self, function: FuncId, to: u32, operand: &Operand) {
        if let Some(from) = self.target(function, operand) {
            self.classes.unite(to, from);
        }
    }

    fn body(&mut self, function: FuncId, body: &Body) {
        for block in &body.blocks {
            for (inst, place) in &block.insts {
                self.inst(function, body, inst, *place);
            }
            let mut target = |target: &Target| {
                let params = &body.block(target.block).params;
                for (param, value) in params.iter().zip(&target.args) {
                    if self.carries(body.width(*param)) {
                        let to = self.local(function, *param);
                        self.assign(function, to, value);
                    }
                }
            };
            match &block.terminator.0 {
                Terminator::Jump(to) => target(to),
                Terminator::Branch {
                    then, otherwise, ..
                } => [then, otherwise].into_iter().for_each(target),
                Terminator::Switch(switch) => {
                    switch.cases.iter().for_each(|(_, to)| target(to));
                    target(&switch.default);
                }
                Terminator::Return(values) => {
                    for (i, value) in values.iter().enumerate() {
                        let to = self.results[function.index()] + i as u32;
                        self.assign(function, to, value);
                    }
                }
                Terminator::Stop => {}
            }
        }
    }

    fn inst(&mut self, function: FuncId, body: &Body, inst: &Inst, place: PlaceId) {
        let defined = |local: &Local| self.carries(body.width(*local));
        match inst {
            Inst::Binary { op, dst, left, .. } => {
                let keeps = match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or => true,
                    BinaryOp::Mul
                    | BinaryOp::Udiv
                    | BinaryOp::Sdiv
                    | BinaryOp::Urem
                    | BinaryOp::Srem
                    | BinaryOp::Shl
                    | BinaryOp::Lshr
                    | BinaryOp::Ashr
                    | BinaryOp::Xor => false,
                };
                if keeps && defined(dst) {
                    let to = self.local(function, *dst);
                    self.assign(function, to, left);
                }
            }
            Inst::Cast {
                op: CastOp::Zext | CastOp::Sext | CastOp::Trunc,
                dst,
                from,
                value,
            }
            | Inst::Extract {
                dst, from, value, ..
            } => {
                if defined(dst) && self.carries(*from) {
                    let to = self.local(function, *dst);
                    self.assign(function, to, value);
                }
            }
            Inst::Concat { dst, high, low, .. }
            | Inst::Select {
                dst,
                then: high,
                otherwise: low,
                ..
            } => {
                if defined(dst) {
                    let to = self.local(function, *dst);
                    self.assign(function, to, high);
                    self.assign(function, to, low);
                }
            }
            Inst::Load { dst, address } => {
                if defined(dst)
                    && let Some(from) = self.target(function, address)
                {
                    let held = self.classes.held(from);
                    let to = self.local(function, *dst);
                    self.classes.unite(to, held);
                }
            }
            Inst::Store {
                value,
                width,
                address,
            } => {
                if self.carries(*width)
                    && let Some(to) = self.target(function, address)
                {
                    let held = self.classes.held(to);
                    self.assign(function, held, value);
                }
            }
            Inst::Copy { to, from, .. } => self.copy(function, to, from),
            Inst::Call(call) => self.call(function, call, place),
            Inst::VaStart { list, .. } => {
                if let Some(list) = self.target(function, list) {
                    let held = self.classes.held(list);
                    self.classes.unite(held, self.variadic);
                }
            }
            Inst::Unary { .. }
            | Inst::Compare { .. }
            | Inst::FloatBinary { .. }
            | Inst::FloatUnary { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatCompare { .. }
            | Inst::FloatConvert { .. }
            | Inst::Arbitrary { .. }
            | Inst::Alloca { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Scope { .. }
            | Inst::Fill { .. }
            | Inst::Check(_)
            | Inst::ReadSlot { .. }
            | Inst::WriteSlot { .. } => {}
        }
    }

    fn copy(&mut self, function: FuncId, to: &Operand, from: &Operand) {
        if let (Some(to), Some(from)) = (self.target(function, to), self.target(function, from)) {
            let (to, from) = (self.classes.held(to), self.classes.held(from));
            self.classes.unite(to, from);
        }
    }

    fn call(&mut self, caller: FuncId, call: &Call, place: PlaceId) {
        let held = self.classes.held(self.variadic);
        for argument in &call.variadic {
            if self.carries(argument.width) {
                self.assign(caller, held, &argument.value);
            }
        }
        for callee in self.callees(call) {
            match &self.program.function(callee).body {
                Some(body) => self.call_of(caller, call, callee, body),
                None => self.call_without_body(caller, call, callee, place),
            }
        }
    }

    fn callees(&self, call: &Call) -> Vec<FuncId> {
        match call.callee {
            Callee::Direct(function) => vec![function],
            Callee::Indirect(_) => {
                let fits = |id: &FuncId| {
                    let function = self.program.function(*id);
                    let widths = call.args.iter().map(|(_, width)| width);
                    function.params.iter().eq(widths)
                        && function.results.len() == call.results.len()
                };
                let all = self.calls.address_taken().iter().copied();
                all.filter(fits).collect()
            }
        }
    }

    fn call_of(&mut self, caller: FuncId, call: &Call, callee: FuncId, body: &Body) {
        let Some(entry) = body.blocks.first() else {
            return;
        };
        for (param, (value, width)) in entry.params.iter().zip(&call.args) {
            if self.carries(*width) {
                let to = self.local(callee, *param);
                self.assign(caller, to, value);
            }
        }
        for (i, result) in call.results.iter().enumerate() {
            let from = self.results[callee.index()] + i as u32;
            let to = self.local(caller, *result);
            self.classes.unite(to, from);
        }
    }

    fn call_without_body(&mut self, caller: FuncId, call: &Call, callee: FuncId, place: PlaceId) {
        let name = self.program.function(callee).name.as_str();
        let name = name.strip_prefix("__").unwrap_or(name);
        let name = name.strip_suffix("_chk").unwrap_or(name);
        let (first, second) = (call.args.first(), call.args.get(1));
        if COPY.contains(&name)
            && let (Some((to, _)), Some((from, _))) = (first, second)
        {
            self.copy(caller, to, from);
        }
        let site = match self.sites.get(&(caller, place)) {
            Some(site) => *site,
            None => {
                let site = self.classes.fresh();
                self.sites.insert((caller, place), site);
                site
            }
        };
        if name == "posix_memalign"
            && let Some((list, _)) = first
            && let Some(list) = self.target(caller, list)
        {
            let held = self.classes.held(list);
            self.classes.unite(held, site);
        }
        for result in &call.results {
            let to = self.local(caller, *result);
            self.classes.unite(to, site);
            if RETURN_FIRST.contains(&name)
                && let Some((value, _)) = first
            {
                self.assign(caller, to, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ObjectClass, PointsTo};
    use crate::{FuncId, GlobalId, PlaceId, Program};

    /// What `main` makes at places 1 to 4 goes to tables of its own, or through one function to two.
    const TABLES: &str = r#"
file 1 "a.c"
name 1 "main"
place p1 = file 1 line 1 column 1 in 1
place p2 = file 1 line 2 column 1 in 1
place p3 = file 1 line 3 column 1 in 1
place p4 = file 1 line 4 column 1 in 1
extern func @malloc(i64) -> i64
global @a align 8 size 64
global @b align 8 size 64
global @c align 8 size 64
global @d align 8 size 64
global @e align 8 size 64
func @put(%table: i64, %node: i64) {
entry:
  %at: i64 = add %table, 8
  store i64 %node to %at
  return
}
func @main() -> i32 {
entry:
  %m: i64 = call @malloc(i64 24) !p1
  %n: i64 = call @malloc(i64 24) !p2
  %o: i64 = call @malloc(i64 24) !p3
  %p: i64 = call @malloc(i64 24) !p4
  store i64 %m to @a
  store i64 %n to @b
  call @put(i64 @c, i64 %o)
  call @put(i64 @d, i64 %p)
  %q: i64 = load @a + 16
  store i64 %q to @e
  store i64 @d to %m
  return 0
}
"#;

    fn site(classes: &PointsTo, place: usize) -> ObjectClass {
        let main = FuncId::new(2);
        let found = classes.of_site(main, PlaceId::new(place));
        found.expect("something is made there")
    }

    #[test]
    fn what_is_stored_through_one_pointer_is_one_class() {
        let program = crate::text::parse(TABLES).expect("it is a program");
        let classes = PointsTo::new(&program);
        let of = |i| classes.of_global(GlobalId::new(i));
        // A table each.
        assert_ne!(site(&classes, 1), site(&classes, 2));
        assert_ne!(of(0), of(1));
        // Both go through the parameters of one function.
        assert_eq!(site(&classes, 3), site(&classes, 4));
        assert_eq!(of(2), of(3));
        assert_ne!(site(&classes, 1), site(&classes, 3));
        assert_ne!(of(0), of(4));
        assert_eq!(classes.of_site(FuncId::new(2), PlaceId::UNKNOWN), None);
        assert_eq!(PointsTo::new(&Program::new()).globals.len(), 0);
    }
}
