//! Programs: functions, globals, source places.

use crate::{
    BlockId, FuncId, GlobalId, Inst, Local, PlaceId, PointerWidth, SlotId, Symbol, Terminator,
};

/// A straight piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Values that those who jump here give.
    pub params: Vec<Local>,
    /// Instructions with their places.
    pub insts: Vec<(Inst, PlaceId)>,
    /// How it ends, and the place of that.
    pub terminator: (Terminator, PlaceId),
}

/// What a function does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Width of each local in bits.
    pub widths: Vec<u32>,
    /// The blocks; the first is the entry, and its parameters are the function's.
    pub blocks: Vec<Block>,
}

impl Body {
    /// A new local of a width.
    pub fn local(&mut self, width: u32) -> Local {
        self.widths.push(width);
        Local::new(self.widths.len() - 1)
    }

    /// The width of a local.
    pub fn width(&self, local: Local) -> u32 {
        self.widths[local.index()]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, unique among functions and globals.
    pub name: String,
    /// Widths of its parameters.
    pub params: Vec<u32>,
    /// Widths of its results.
    pub results: Vec<u32>,
    /// It takes further arguments.
    pub variadic: bool,
    /// Where it stands in the source.
    pub place: PlaceId,
    /// What it does; a function without is the environment's.
    pub body: Option<Body>,
}

/// An address inside a global's first content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where in the global; as many bytes as a pointer has.
    pub offset: u64,
    /// Whose address.
    pub symbol: Symbol,
    /// What is added to it.
    pub addend: i64,
}

/// A difference of two addresses inside a global's first content (relative tables).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramDifference {
    /// Where in the global.
    pub offset: u64,
    /// How many bytes it takes.
    pub bytes: u8,
    /// From whose address.
    pub symbol: Symbol,
    /// whose address is subtracted.
    pub base: Symbol,
    /// What is added.
    pub addend: i64,
}

/// The first content of a global.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The first bytes; the rest of the global is zero.
    pub bytes: Vec<u8>,
    /// Addresses in it.
    pub relocations: Vec<Relocation>,
    /// Differences of addresses in it.
    pub differences: Vec<ProgramDifference>,
}

/// A global object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name, unique among functions and globals.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Its address is a multiple of this power of two.
    pub align: u64,
    /// It may not be written.
    pub constant: bool,
    /// Each thread has its own.
    pub thread_local: bool,
    /// Where it stands in the source.
    pub place: PlaceId,
    /// What it holds at first; `None` if it is defined elsewhere.
    pub content: Option<Content>,
}

/// Bytes right before the first instruction of a function, which code may read by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The function.
    pub function: FuncId,
    /// The bytes: 1 to [`Prefix::MOST`].
    pub bytes: Vec<u8>,
}

impl Prefix {
    /// The most bytes there may be before a function.
    pub const MOST: usize = 16;
}

/// A source place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// Index into the program's list of files.
    pub file: u32,
    /// Line, from 1; 0 if not known.
    pub line: u32,
    /// Column, from 1; 0 if not known.
    pub column: u32,
    /// Index into the program's list of source function names.
    pub function: u32,
    /// Where the function was inlined, if it was.
    pub inlined_at: Option<PlaceId>,
}

/// A register of a register machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: u32,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// How wide addresses, and sizes of objects, are.
    pub pointer_width: PointerWidth,
    /// Functions.
    pub functions: Vec<Function>,
    /// Global objects.
    pub globals: Vec<Global>,
    /// Machine slots.
    pub slots: Vec<Slot>,
    /// Names of source files.
    pub files: Vec<String>,
    /// Names of source functions, for places.
    pub names: Vec<String>,
    /// Source places. The first is "unknown".
    pub places: Vec<SourcePlace>,
    /// Functions that run before the entry, in order.
    pub constructors: Vec<FuncId>,
    /// Functions that run after it, in order.
    pub destructors: Vec<FuncId>,
    /// What stands right before functions.
    pub prefixes: Vec<Prefix>,
}

/// Workers share one program.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<Program>();
};

impl Program {
    /// An empty program, with the unknown place.
    pub fn new() -> Self {
        Program {
            files: vec![String::new()],
            names: vec![String::new()],
            places: vec![SourcePlace {
                file: 0,
                line: 0,
                column: 0,
                function: 0,
                inlined_at: None,
            }],
            ..Program::default()
        }
    }

    /// A function.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// A global.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// A slot.
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.index()]
    }

    /// A place.
    pub fn place(&self, id: PlaceId) -> &SourcePlace {
        &self.places[id.index()]
    }

    /// The function of a name.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        let at = self.functions.iter().position(|f| f.name == name)?;
        Some(FuncId::new(at))
    }

    /// `file:line:column`, as far as it is known.
    pub fn place_text(&self, id: PlaceId) -> String {
        let place = self.place(id);
        let file = &self.files[place.file as usize];
        match (file.is_empty(), place.line, place.column) {
            (true, _, _) => "unknown place".to_string(),
            (false, 0, _) => file.clone(),
            (false, line, 0) => format!("{file}:{line}"),
            (false, line, column) => format!("{file}:{line}:{column}"),
        }
    }
}
