//! One program added to another.
//!
//! What the added program defines comes under names with a prefix, so that it never takes the place
//! of anything: `strlen` of a library linked with the prefix `lib.` is `lib.strlen`. What it only
//! declares is the other program's function or global of that name, and is declared there if there
//! is none. Nothing of the first program moves: its ids mean what they meant.
//!
//! Why it is right: each table is appended, and every id of the added program goes through the map
//! of its table. Two verified programs give a verified one, because the only thing that can break a
//! rule (another width of pointers, a declaration that is not like what it is resolved to, or a name that is taken) is refused
//! before anything is changed. It costs one pass over the added program.

use crate::{
    Callee, Content, FuncId, GlobalId, Inst, Operand, PlaceId, Prefix, Program, SlotId, Symbol,
    Terminator,
};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// Why two programs cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A function is declared with one type and is another.
    #[error("{name} has other parameters or results than it is declared with")]
    Signature {
        /// The function.
        name: String,
    },
    /// Their addresses differ in width.
    #[error("pointers have {ours} bytes in one program and {theirs} in the other")]
    PointerWidth {
        /// Bytes of a pointer in the program that is added to.
        ours: u32,
        /// Bytes of a pointer in the added program.
        theirs: u32,
    },
    /// A function on one side, a global on the other.
    #[error("{name} is a function in one program and a global in the other")]
    Kind {
        /// The name.
        name: String,
    },
    /// The name that something would get is taken.
    #[error("there is something called {name} already")]
    Taken {
        /// The name with its prefix.
        name: String,
    },
}

impl Program {
    /// Adds another program, see the module's head: what `other` defines is called `prefix` and its
    /// name, what it declares is resolved by name. Constructors and destructors of `other` run
    /// after those that there are.
    ///
    /// # Errors
    /// [`LinkError`]; nothing is changed then.
    pub fn link(&mut self, other: Program, prefix: &str) -> Result<(), LinkError> {
        let map = Map::plan(self, &other, prefix)?;
        map.apply(self, other, prefix);
        Ok(())
    }
}

/// Where everything of the added program goes.
struct Map {
    functions: Vec<FuncId>,
    globals: Vec<GlobalId>,
    first_slot: usize,
    first_place: usize,
    first_file: usize,
    first_name: usize,
}

impl Map {
    /// Decides, and changes nothing.
    fn plan(program: &Program, other: &Program, prefix: &str) -> Result<Map, LinkError> {
        if program.pointer_width != other.pointer_width {
            return Err(LinkError::PointerWidth {
                ours: program.pointer_width.bytes(),
                theirs: other.pointer_width.bytes(),
            });
        }
        let mut known: FxHashMap<&str, Symbol> = FxHashMap::default();
        for (i, function) in program.functions.iter().enumerate() {
            known.insert(&function.name, Symbol::Function(FuncId::new(i)));
        }
        for (i, global) in program.globals.iter().enumerate() {
            known.insert(&global.name, Symbol::Global(GlobalId::new(i)));
        }
        // What `other` declares may be added under its own name.
        let functions = other.functions.iter().filter(|f| f.body.is_none());
        let globals = other.globals.iter().filter(|g| g.content.is_none());
        let declared: FxHashSet<&str> = functions
            .map(|f| f.name.as_str())
            .chain(globals.map(|g| g.name.as_str()))
            .collect();
        let free = |name: &str| -> Result<(), LinkError> {
            let name = format!("{prefix}{name}");
            if known.contains_key(name.as_str()) || declared.contains(name.as_str()) {
                return Err(LinkError::Taken { name });
            }
            Ok(())
        };
        let wrong_kind = |name: &str| LinkError::Kind {
            name: name.to_string(),
        };
        let mut next = program.functions.len();
        let mut functions = Vec::with_capacity(other.functions.len());
        for function in &other.functions {
            let found = match function.body {
                Some(_) => {
                    free(&function.name)?;
                    None
                }
                None => known.get(function.name.as_str()),
            };
            functions.push(match found {
                Some(Symbol::Function(id)) => {
                    let there = program.function(*id);
                    if there.params != function.params
                        || there.results != function.results
                        || there.variadic != function.variadic
                    {
                        let name = function.name.clone();
                        return Err(LinkError::Signature { name });
                    }
                    *id
                }
                Some(Symbol::Global(_)) => return Err(wrong_kind(&function.name)),
                None => {
                    next += 1;
                    FuncId::new(next - 1)
                }
            });
        }
        let mut next = program.globals.len();
        let mut globals = Vec::with_capacity(other.globals.len());
        for global in &other.globals {
            let found = match global.content {
                Some(_) => {
                    free(&global.name)?;
                    None
                }
                None => known.get(global.name.as_str()),
            };
            globals.push(match found {
                Some(Symbol::Global(id)) => *id,
                Some(Symbol::Function(_)) => return Err(wrong_kind(&global.name)),
                None => {
                    next += 1;
                    GlobalId::new(next - 1)
                }
            });
        }
        // The first entries of these tables are the same in every program.
        Ok(Map {
            functions,
            globals,
            first_slot: program.slots.len(),
            first_place: program.places.len() - 1,
            first_file: program.files.len() - 1,
            first_name: program.names.len() - 1,
        })
    }

    fn apply(&self, program: &mut Program, other: Program, prefix: &str) {
        let functions_before = program.functions.len();
        let globals_before = program.globals.len();
        for (mut function, id) in other.functions.into_iter().zip(&self.functions) {
            if id.index() < functions_before {
                continue;
            }
            function.place = self.place(function.place);
            if let Some(body) = &mut function.body {
                function.name.insert_str(0, prefix);
                for block in &mut body.blocks {
                    for (inst, place) in &mut block.insts {
                        *place = self.place(*place);
                        self.inst(inst);
                    }
                    let (terminator, place) = &mut block.terminator;
                    *place = self.place(*place);
                    self.terminator(terminator);
                }
            }
            program.functions.push(function);
        }
        for (mut global, id) in other.globals.into_iter().zip(&self.globals) {
            if id.index() < globals_before {
                continue;
            }
            global.place = self.place(global.place);
            if let Some(content) = &mut global.content {
                global.name.insert_str(0, prefix);
                self.content(content);
            }
            program.globals.push(global);
        }
        program.slots.extend(other.slots);
        program.files.extend(other.files.into_iter().skip(1));
        program.names.extend(other.names.into_iter().skip(1));
        for mut place in other.places.into_iter().skip(1) {
            place.file = moved(place.file, self.first_file);
            place.function = moved(place.function, self.first_name);
            place.inlined_at = place.inlined_at.map(|outer| self.place(outer));
            program.places.push(place);
        }
        let starts = |list: Vec<FuncId>| list.into_iter().map(|f| self.functions[f.index()]);
        program.constructors.extend(starts(other.constructors));
        program.destructors.extend(starts(other.destructors));
        for mut prefix in other.prefixes {
            prefix.function = self.functions[prefix.function.index()];
            let same = |known: &Prefix| known.function == prefix.function;
            if !program.prefixes.iter().any(same) {
                program.prefixes.push(prefix);
            }
        }
    }

    fn place(&self, place: PlaceId) -> PlaceId {
        PlaceId(moved(place.0, self.first_place))
    }

    fn symbol(&self, symbol: &mut Symbol) {
        match symbol {
            Symbol::Global(id) => *id = self.globals[id.index()],
            Symbol::Function(id) => *id = self.functions[id.index()],
        }
    }

    fn operand(&self, operand: &mut Operand) {
        match operand {
            Operand::Address(symbol, _) => self.symbol(symbol),
            Operand::Local(_) | Operand::Int(_) | Operand::Wide(_) => {}
        }
    }

    fn slot(&self, slot: &mut SlotId) {
        *slot = SlotId::new(self.first_slot + slot.index());
    }

    fn inst(&self, inst: &mut Inst) {
        inst.for_each_operand_mut(|operand| self.operand(operand));
        match inst {
            Inst::Call(call) => match &mut call.callee {
                Callee::Direct(function) => *function = self.functions[function.index()],
                Callee::Indirect(_) => {}
            },
            Inst::ReadSlot { slot, .. } | Inst::WriteSlot { slot, .. } => self.slot(slot),
            Inst::Binary { .. }
            | Inst::Unary { .. }
            | Inst::Compare { .. }
            | Inst::Cast { .. }
            | Inst::Extract { .. }
            | Inst::Concat { .. }
            | Inst::Select { .. }
            | Inst::FloatBinary { .. }
            | Inst::FloatUnary { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatCompare { .. }
            | Inst::FloatConvert { .. }
            | Inst::Arbitrary { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Alloca { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Scope { .. }
            | Inst::Copy { .. }
            | Inst::Fill { .. }
            | Inst::VaStart { .. }
            | Inst::Check(_) => {}
        }
    }

    fn terminator(&self, terminator: &mut Terminator) {
        terminator.for_each_operand_mut(|operand| self.operand(operand));
    }

    fn content(&self, content: &mut Content) {
        for relocation in &mut content.relocations {
            self.symbol(&mut relocation.symbol);
        }
        for difference in &mut content.differences {
            self.symbol(&mut difference.symbol);
            self.symbol(&mut difference.base);
        }
    }
}

/// An index of a table whose first entry is shared and whose others are appended.
fn moved(index: u32, by: usize) -> u32 {
    if index == 0 {
        return 0;
    }
    let by = u32::try_from(by).expect("fewer than 2^32 entities");
    index.checked_add(by).expect("fewer than 2^32 entities")
}
