//! What is known while a module is lowered: its symbols, its layouts, the program so far.

use crate::LowerOptions;
use crate::debug::DebugPlaces;
use crate::exceptions::LANDINGS;
use crate::function_types::TypeMembers;
use crate::missing_checks::MissingChecks;
use crate::reader::{AttributeAt, Module, Value};
use crate::types::{TypeLayout, Types};
use cairn_bv::BitVec;
use cairn_ir::{FuncId, Function, GlobalId, Operand, PlaceId, Program, Symbol};
use llvm_sys::LLVMLinkage;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A construct that is not supported, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub what: String,
    /// The function or global it is in.
    pub function: String,
    /// The place in the source, as far as it is known.
    pub place: String,
}

/// What cannot be lowered, in words that fit after "unsupported: ".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unlowerable(Rc<str>);

impl Unlowerable {
    pub(crate) fn new(what: impl AsRef<str>) -> Self {
        Unlowerable(what.as_ref().into())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// A result of lowering.
pub(crate) type Refusal<T> = Result<T, Unlowerable>;

/// What a global name stands for.
#[derive(Clone, Debug)]
pub(crate) enum GlobalMeaning {
    /// A function of the program.
    Function(FuncId),
    /// A global of the program.
    Global(GlobalId),
    /// A weak name that nothing defines: the linker gives it the address 0.
    Null,
    /// An intrinsic; its name without type suffixes.
    Intrinsic(Rc<str>),
}

/// Numbers of the attributes that matter.
pub(crate) struct AttributeKinds {
    pub(crate) noreturn: u32,
    pub(crate) nounwind: u32,
    pub(crate) optnone: u32,
    pub(crate) byval: u32,
    pub(crate) align: u32,
    pub(crate) returns_twice: u32,
}

/// The state of lowering a module.
pub(crate) struct Lowering<'m> {
    pub(crate) module: &'m Module,
    pub(crate) options: LowerOptions,
    pub(crate) types: Types<'m>,
    pub(crate) program: Program,
    pub(crate) places: DebugPlaces<'m>,
    pub(crate) meanings: FxHashMap<Value<'m>, GlobalMeaning>,
    pub(crate) attributes: AttributeKinds,
    pub(crate) unsupported: Vec<Unsupported>,
    /// What begins the list of calls with landing pads, if something throws exceptions.
    pub(crate) landings: Option<Symbol>,
    /// Functions of the module itself, not of libraries.
    pub(crate) own: FxHashSet<String>,
    /// Checks that the compiler has taken away.
    pub(crate) missing_checks: MissingChecks,
    /// Parts of the program that were compiled at once, and whether they have a check of the sanitiser for signed arithmetic.
    pub(crate) parts: FxHashMap<Value<'m>, bool>,
    /// Functions and globals by name, filled when a library function is first asked for.
    by_name: FxHashMap<String, Symbol>,
    /// All names of the module and those that were made up.
    names: FxHashSet<String>,
    /// Addresses by type, filled when a test of types is first seen.
    pub(crate) type_members: Option<TypeMembers<'m>>,
    block_numbers: FxHashMap<Value<'m>, FxHashMap<crate::reader::BasicBlock<'m>, u64>>,
}

impl<'m> Lowering<'m> {
    pub(crate) fn new(module: &'m Module, options: &LowerOptions) -> Self {
        let kind = |name| module.attribute_kind(name);
        Lowering {
            module,
            options: options.clone(),
            types: Types::new(module),
            program: Program {
                pointer_width: module.pointer_width(),
                ..Program::new()
            },
            places: DebugPlaces::new(module),
            meanings: FxHashMap::default(),
            attributes: AttributeKinds {
                noreturn: kind("noreturn"),
                nounwind: kind("nounwind"),
                optnone: kind("optnone"),
                byval: kind("byval"),
                align: kind("align"),
                returns_twice: kind("returns_twice"),
            },
            unsupported: Vec::new(),
            landings: None,
            own: FxHashSet::default(),
            missing_checks: MissingChecks::default(),
            parts: FxHashMap::default(),
            by_name: FxHashMap::default(),
            names: FxHashSet::default(),
            type_members: None,
            block_numbers: FxHashMap::default(),
        }
    }

    /// Gives every function and global its number, so that all may refer to all.
    pub(crate) fn declare(&mut self) {
        let module = self.module;
        let all = module.functions().chain(module.globals());
        self.names
            .extend(all.chain(module.aliases()).map(Value::name));
        for function in self.module.functions() {
            if let Some(name) = function.intrinsic_name() {
                let meaning = GlobalMeaning::Intrinsic(name.into());
                self.meanings.insert(function, meaning);
                continue;
            }
            if let LLVMLinkage::LLVMExternalWeakLinkage = function.linkage()
                && !self.options.defined_elsewhere.contains(&function.name())
            {
                self.meanings.insert(function, GlobalMeaning::Null);
                continue;
            }
            let id = FuncId::new(self.program.functions.len());
            let declared = self.declaration(function);
            self.meanings.insert(function, GlobalMeaning::Function(id));
            self.program.functions.push(declared);
        }
        self.declare_globals();
        let mut globals = self.module.globals();
        let landings = globals.find(|g| g.name() == LANDINGS && g.initializer().is_some());
        self.landings = landings.and_then(|global| self.symbol(global));
    }

    /// A function without its body. What has no words in its type has no parameters here; calls
    /// and bodies that touch it are refused where they do.
    fn declaration(&mut self, function: Value<'m>) -> Function {
        let ty = function.value_type();
        let mut params = Vec::new();
        for parameter in ty.parameters() {
            if let Ok(leaves) = self.types.layout(parameter).leaves() {
                params.extend_from_slice(&leaves);
            }
        }
        let results = self.types.layout(ty.result()).leaves();
        let name = self.unique_name(function);
        Function {
            name,
            params,
            results: results.map(|leaves| leaves.to_vec()).unwrap_or_default(),
            variadic: ty.is_variadic(),
            place: self.places.of_function(&mut self.program, function),
            body: None,
        }
    }

    /// The name of a function or global; one is made up for those without.
    pub(crate) fn unique_name(&mut self, value: Value<'m>) -> String {
        let name = value.name();
        if !name.is_empty() {
            return name;
        }
        let mut number = 0;
        loop {
            let name = format!("unnamed.{number}");
            if self.names.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }

    /// What a name of the library stands for: what the module has under it, or else a function
    /// that is declared now.
    pub(crate) fn library_symbol(&mut self, name: &str, params: &[u32], results: &[u32]) -> Symbol {
        if self.by_name.is_empty() {
            let functions = self.program.functions.iter().zip(0..);
            let globals = self.program.globals.iter().zip(0..);
            self.by_name = functions
                .map(|(f, at)| (f.name.clone(), Symbol::Function(FuncId(at))))
                .chain(globals.map(|(g, at)| (g.name.clone(), Symbol::Global(GlobalId(at)))))
                .collect();
        }
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol::Function(FuncId::new(self.program.functions.len()));
        self.by_name.insert(name.to_string(), symbol);
        self.program.functions.push(Function {
            name: name.to_string(),
            params: params.to_vec(),
            results: results.to_vec(),
            variadic: false,
            place: PlaceId::UNKNOWN,
            body: None,
        });
        symbol
    }

    pub(crate) fn layout(&mut self, value: Value<'m>) -> Rc<TypeLayout<'m>> {
        self.types.layout(value.ty())
    }

    /// The symbol of a function or global.
    pub(crate) fn symbol(&self, value: Value<'m>) -> Option<Symbol> {
        match self.meanings.get(&value)? {
            GlobalMeaning::Function(id) => Some(Symbol::Function(*id)),
            GlobalMeaning::Global(id) => Some(Symbol::Global(*id)),
            GlobalMeaning::Intrinsic(_) | GlobalMeaning::Null => None,
        }
    }

    /// What the address of a block is: its place in its function, from 1.
    pub(crate) fn block_number(&mut self, block: crate::reader::BasicBlock<'m>) -> u64 {
        let function = block.parent();
        let numbers = self
            .block_numbers
            .entry(function)
            .or_insert_with(|| function.blocks().zip(1..).collect());
        numbers.get(&block).copied().unwrap_or(0)
    }

    /// A call or its callee has an attribute as a whole.
    pub(crate) fn call_is(&self, call: Value<'m>, kind: u32) -> bool {
        let callee = call.callee();
        call.call_attribute(AttributeAt::Whole, kind).is_some()
            || (self
                .symbol(callee)
                .is_some_and(|s| matches!(s, Symbol::Function(_)))
                && callee
                    .function_attribute(AttributeAt::Whole, kind)
                    .is_some())
    }

    pub(crate) fn report(&mut self, what: &str, function: &str, place: PlaceId) {
        let place = self.program.place_text(place);
        self.unsupported.push(Unsupported {
            what: what.to_string(),
            function: function.to_string(),
            place,
        });
    }
}

/// A constant operand of a width.
pub(crate) fn constant(value: BitVec) -> Operand {
    match value.width() {
        0..=64 => Operand::Int(value.low_u64()),
        _ => Operand::Wide(Box::new(value)),
    }
}

/// A constant operand from a number that is cut to the width.
pub(crate) fn number(width: u32, value: u64) -> Operand {
    match width {
        0..=63 => Operand::Int(value & ((1 << width) - 1)),
        64 => Operand::Int(value),
        _ => Operand::Wide(Box::new(BitVec::new(width, value))),
    }
}
