//! A guest: an executable and the program that it was lowered to.
//!
//! Every function that is known (by a symbol, or because something calls it) is declared. Its body is
//! lowered with the rest ([`GuestOptions::eager`]) or when it is first called: a machine then stops at a
//! function without a body, [`Guest::lower`] makes one, and the call is tried again. What only a run can
//! know (a computed jump to code that nothing names) is added by [`Guest::extend`]. Functions only gain
//! bodies and are only added at the end, so that machines can go on with what they have.

use crate::arguments::GuestArguments;
use crate::convention::Convention;
use crate::elf::{ElfError, Executable, SymbolKind};
use crate::helpers::{DISPATCH, SETTLE, dispatcher, jump_to, settle, start};
use crate::lines::{Line, Lines};
use crate::lower::{Callees, lower};
use crate::recognised::{INTERVAL, Recognised, ReturnWidth, recognise};
use crate::region::{self, Region};
use crate::registers::COUNT;
use crate::signals::{self, SystemCallEntry};
use crate::table::Opcode;
use crate::values::Floats;
use cairn_ir::{Body, Content, FuncId, Function, Global, PlaceId, Program, SourcePlace};
use cairn_linux::delivery;
use cairn_machine::natives::{COUNTER, RAISED, ROUNDED};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How an executable is lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestOptions {
    /// Whether the functions of the heap are known by their symbols. Default is true.
    pub recognise_heap: bool,
    /// What `ecall` means; nothing if the layout of the file decides. Default is nothing.
    pub convention: Option<Convention>,
    /// Whether everything that the program may call is lowered at once: what is called by address, and
    /// every function whose address is seen in constants or data. Code that can be written is lowered at
    /// once in any case: it is a constant as far as it was lowered before the program starts. Default is
    /// false.
    pub eager: bool,
    /// Whether a division by zero, or of the smallest number by -1, is an error. The processor gives it a
    /// result, but a compiler makes it from nothing but a division of the source. Default is false.
    pub checks_division: bool,
    /// Arguments that are inputs; see [`GuestArguments`]. Default is none.
    pub arguments: Option<GuestArguments>,
    /// The function that is called in place of `main`, by its symbol: so everything is prepared for it that
    /// is for `main`. Default is none.
    pub in_place_of_main: Option<String>,
}

impl Default for GuestOptions {
    fn default() -> Self {
        GuestOptions {
            recognise_heap: true,
            convention: None,
            eager: false,
            checks_division: false,
            arguments: None,
            in_place_of_main: None,
        }
    }
}

/// An executable and its program.
pub struct Guest {
    executable: Arc<Executable>,
    program: Arc<Program>,
    /// The function of each entry, and the entry of each function.
    functions: BTreeMap<u64, FuncId>,
    entry_of: BTreeMap<FuncId, u64>,
    /// What stands in for the functions at some addresses.
    recognised: BTreeMap<u64, &'static Recognised>,
    /// The address of `main`, and of what is called in its place.
    in_place_of_main: Option<(u64, u64)>,
    /// Entries of functions, lowered or not.
    entries: BTreeSet<u64>,
    /// Names that functions of the program have.
    taken: BTreeSet<String>,
    places: GuestPlaces,
    /// What `ecall` means.
    convention: Convention,
    /// How system calls are made.
    system_calls: SystemCallEntry,
    /// The function that runs handlers of signals.
    deliver: FuncId,
    /// How floating-point instructions are lowered.
    floats: Floats,
    /// Tells what a counter of the processor shows.
    counter: Option<FuncId>,
    /// See [`GuestOptions::checks_division`].
    checks_division: bool,
    /// Whether with a function everything is lowered that it calls or names.
    eager: bool,
    /// Whether nothing names functions: then what looks like the start of one is taken for it.
    nameless: bool,
}

/// Places of addresses.
struct GuestPlaces {
    lines: Lines,
    known: BTreeMap<u64, PlaceId>,
    /// The address of each place.
    addresses: Vec<u64>,
    files: BTreeMap<String, u32>,
    names: BTreeMap<String, u32>,
}

impl Guest {
    /// Reads an executable and lowers it. `name` is what places call the file.
    ///
    /// # Errors
    /// [`ElfError`] if it cannot be run, or lacks a function that is asked for.
    pub fn new(name: &str, bytes: &[u8], options: &GuestOptions) -> Result<Self, ElfError> {
        let executable = Arc::new(Executable::read(bytes)?);
        let in_place_of_main = match &options.in_place_of_main {
            Some(name) => Some((executable.function("main")?, executable.function(name)?)),
            None => None,
        };
        let changes = |s: &crate::elf::ElfSegment| s.write && s.execute;
        let changes = executable.segments.iter().any(changes);
        let recognised = recognise(&executable, options);
        let entries = executable
            .symbols
            .iter()
            .filter(|s| s.kind == SymbolKind::Function && executable.code_at(s.address).is_some())
            .map(|s| s.address)
            .chain(recognised.keys().copied())
            .collect();
        let mut program = Program::new();
        program.files.push(name.to_string());
        program.globals.push(Global {
            name: "machine_code.registers".to_string(),
            size: 8 * (COUNT + executable.segments.len() + delivery::RECORD_WORDS) as u64,
            align: 8,
            constant: false,
            thread_local: false,
            place: PlaceId::UNKNOWN,
            content: Some(Content::default()),
        });
        let is_function = |s: &crate::elf::ElfSymbol| s.kind == SymbolKind::Function;
        let mut guest = Guest {
            convention: options.convention.unwrap_or(executable.convention),
            system_calls: SystemCallEntry {
                function: FuncId(0),
                guest: FuncId(0),
                record: 0,
            },
            deliver: FuncId(0),
            floats: Floats::default(),
            counter: None,
            checks_division: options.checks_division,
            eager: options.eager || changes,
            nameless: !executable.symbols.iter().any(is_function),
            functions: BTreeMap::new(),
            entry_of: BTreeMap::new(),
            places: GuestPlaces {
                lines: Lines::new(&executable),
                known: BTreeMap::new(),
                addresses: vec![0],
                files: BTreeMap::from([(String::new(), 0), (name.to_string(), 1)]),
                names: BTreeMap::from([(String::new(), 0)]),
            },
            recognised,
            in_place_of_main,
            entries,
            taken: BTreeSet::new(),
            executable,
            program: Arc::new(program),
        };
        guest.add_helpers(options);
        let names = guest.program.functions.iter().map(|f| f.name.clone());
        guest.taken = names
            .chain(["machine_code.registers".to_string()])
            .collect();
        for entry in guest.entries.clone() {
            guest.declare(entry);
        }
        let entry = guest.executable.entry;
        guest.declare(entry);
        let program = Arc::make_mut(&mut guest.program);
        program.functions[DISPATCH.index()].body = Some(dispatcher(&guest.functions));
        let mut roots = vec![entry];
        if guest.eager {
            roots.extend(guest.pointed_to());
            if changes {
                roots.extend(guest.entries.iter().copied());
            }
        }
        guest.lower_all(roots);
        if guest.eager {
            // Functions that no symbol named are known now.
            let program = Arc::make_mut(&mut guest.program);
            program.functions[DISPATCH.index()].body = Some(dispatcher(&guest.functions));
        }
        Ok(guest)
    }

    /// The executable.
    pub fn executable(&self) -> &Arc<Executable> {
        &self.executable
    }

    /// What `ecall` means.
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The guest address of a place; 0 if it has none.
    pub fn address_of(&self, place: PlaceId) -> u64 {
        self.places
            .addresses
            .get(place.index())
            .copied()
            .unwrap_or(0)
    }

    /// Gives one of the guest's functions its body, if it has none yet; whether it has one. A program that
    /// is held elsewhere is copied.
    pub fn lower(&mut self, function: FuncId) -> bool {
        let Some(&entry) = self.entry_of.get(&function) else {
            return false;
        };
        self.lower_all(vec![entry]);
        self.program.function(function).body.is_some()
    }

    /// The function at an address that the dispatcher does not know; `None` if there is no code. A
    /// program that is held elsewhere is copied.
    pub fn extend(&mut self, address: u64) -> Option<FuncId> {
        if self.executable.code_at(address).is_none() || !address.is_multiple_of(2) {
            return None;
        }
        let function = self.declare(address);
        self.lower_all(vec![address]);
        Some(function)
    }

    /// The address of one of the guest's functions.
    pub fn entry_of(&self, function: FuncId) -> Option<u64> {
        self.entry_of.get(&function).copied()
    }

    /// The program with a dispatcher that knows all functions so far: another body of that function, so
    /// only for machines that have not begun.
    pub fn whole(&self) -> Arc<Program> {
        let mut program = Program::clone(&self.program);
        program.functions[DISPATCH.index()].body = Some(dispatcher(&self.functions));
        Arc::new(program)
    }

    /// Addresses of instructions that were lowered: the lowest, and the one after the highest.
    pub fn code_range(&self) -> Option<std::ops::Range<u64>> {
        let first = self.places.known.keys().next()?;
        let last = self.places.known.keys().next_back()?;
        Some(*first..last + 4)
    }

    /// Functions whose address is in the data of the executable.
    fn pointed_to(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for segment in &self.executable.segments {
            if segment.execute && !segment.write {
                continue;
            }
            for bytes in segment.bytes.chunks_exact(8) {
                let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                // What relocates itself has the addresses of the file.
                for address in [value, value.wrapping_add(self.executable.bias)] {
                    if self.may_be_function(address) {
                        found.push(address);
                    }
                }
            }
        }
        found
    }

    /// Whether an address that is seen somewhere is taken for that of a function. Where nothing names them,
    /// what makes room on the stack is one. Taking one for it that is none costs time and changes
    /// nothing; one that is missed is found when control comes there.
    fn may_be_function(&self, address: u64) -> bool {
        let makes_room = || {
            let bytes = self.executable.code_at(address)?;
            let inst = crate::decode::decode(bytes).filter(|_| address.is_multiple_of(2))?;
            Some(inst.op == Opcode::Addi && inst.rd == 2 && inst.rs1 == 2 && inst.imm < 0)
        };
        self.entries.contains(&address) || (self.nameless && makes_room() == Some(true))
    }

    /// The function of an entry.
    fn declare(&mut self, entry: u64) -> FuncId {
        if let Some(&known) = self.functions.get(&entry) {
            return known;
        }
        let place = self.place(entry);
        let mut name = match function_name(&self.executable, entry) {
            Some((symbol, 0)) => symbol.name.clone(),
            Some(_) | None => format!("code@{entry:x}"),
        };
        // Names are unique; those of natives are theirs.
        if !self.taken.insert(name.clone()) {
            name = format!("{name}@{entry:x}");
            self.taken.insert(name.clone());
        }
        let program = Arc::make_mut(&mut self.program);
        let id = FuncId::new(program.functions.len());
        program.functions.push(Function {
            name,
            params: Vec::new(),
            results: vec![64, 1],
            variadic: false,
            place,
            body: None,
        });
        self.entries.insert(entry);
        self.functions.insert(entry, id);
        self.entry_of.insert(id, entry);
        id
    }

    /// Lowers the functions at some entries, and of an eager guest everything that they call or name.
    fn lower_all(&mut self, roots: Vec<u64>) {
        let closure = self.eager;
        let mut pending = roots;
        while let Some(entry) = pending.pop() {
            if self.executable.code_at(entry).is_none() {
                continue;
            }
            let id = self.declare(entry);
            if self.program.function(id).body.is_some() {
                continue;
            }
            let replaced = self.in_place_of_main.filter(|(main, _)| *main == entry);
            let body = match (self.recognised.get(&entry), replaced) {
                (_, Some((_, other))) => {
                    pending.extend(closure.then_some(other));
                    jump_to(other)
                }
                (Some(known), None) => {
                    let callee = self.program.find_function(known.names[0]);
                    let callee = callee.expect("what is recognised is declared");
                    match known.names[0] {
                        "abort" => signals::abort(callee, self.system_calls, self.deliver),
                        _ => known.stand_in(callee, self.executable.float_width),
                    }
                }
                (None, None) => {
                    let region = region::find(&self.executable, entry, &self.entries);
                    for called in region.called() {
                        if self.executable.code_at(called).is_some() {
                            self.declare(called);
                        }
                    }
                    if closure {
                        pending.extend(region.called());
                        pending.extend(self.named(&region));
                    }
                    self.lower_region(&region)
                }
            };
            Arc::make_mut(&mut self.program).functions[id.index()].body = Some(body);
        }
    }

    /// Functions whose address is made of constants in a region.
    fn named(&self, region: &Region) -> Vec<u64> {
        let mut found = Vec::new();
        for block in region.blocks.values() {
            let mut upper = [None; 32];
            for (at, inst) in &block.insts {
                let value = match inst.op {
                    Opcode::Auipc => Some(at.wrapping_add_signed(inst.imm)),
                    Opcode::Lui => Some(inst.imm as u64),
                    Opcode::Addi => {
                        let base: Option<u64> = upper[usize::from(inst.rs1)];
                        base.map(|base| base.wrapping_add_signed(inst.imm))
                    }
                    _ => continue,
                };
                upper[usize::from(inst.rd)] = value;
                found.extend(value.filter(|address| self.may_be_function(*address)));
            }
        }
        found
    }

    fn lower_region(&mut self, region: &Region) -> Body {
        let callees = Callees {
            regions: &self.functions,
            dispatch: DISPATCH,
            settle: SETTLE,
            system_calls: self.system_calls,
            deliver: self.deliver,
            floats: self.floats,
            counter: self.counter,
            checks_division: self.checks_division,
        };
        let (places, executable) = (&mut self.places, &self.executable);
        let program = Arc::make_mut(&mut self.program);
        let mut place = |address| places.place(program, executable, address);
        lower(executable, region, &callees, &mut place)
    }

    fn place(&mut self, address: u64) -> PlaceId {
        {
            let program = Arc::make_mut(&mut self.program);
            self.places.place(program, &self.executable, address)
        }
    }

    /// The functions that every program has.
    fn add_helpers(&mut self, options: &GuestOptions) {
        let program = Arc::make_mut(&mut self.program);
        let mut add = |name: &str, params: &[u32], results: &[u32], body: Option<Body>| {
            program.functions.push(Function {
                name: name.to_string(),
                params: params.to_vec(),
                results: results.to_vec(),
                variadic: false,
                place: PlaceId::UNKNOWN,
                body,
            });
        };
        add(cairn_machine::TRANSLATE, &[64], &[64, 1], None);
        add(cairn_machine::DISPATCH, &[64], &[64, 1], None);
        add(
            "machine_code.settle",
            &[64, 1, 64],
            &[64, 1],
            Some(settle()),
        );
        let entry = self.executable.entry;
        let prepare = options.arguments.as_ref().map(|_| FuncId(4));
        let behind = 4 + usize::from(prepare.is_some());
        let function = FuncId::new(behind + 1);
        let record = COUNT + self.executable.segments.len();
        self.system_calls = SystemCallEntry {
            function,
            guest: function,
            record,
        };
        self.deliver = FuncId::new(behind);
        let body = start(entry, prepare, self.system_calls);
        add(cairn_machine::CODE_ENTRY, &[], &[], Some(body));
        if prepare.is_some() {
            add("machine_code.arguments", &[], &[], None);
        }
        let body = signals::deliver(self.system_calls, self.deliver);
        add(signals::DELIVER, &[64, 64], &[64, 1], Some(body));
        add("__cairn_syscall", &[64; 7], &[64], None);
        let named: BTreeMap<&str, &Recognised> =
            self.recognised.values().map(|r| (r.names[0], *r)).collect();
        for (name, known) in named {
            let result = known.result.map(ReturnWidth::width);
            let params: Vec<u32> = known.params.iter().copied().chain(known.float).collect();
            add(name, &params, result.as_slice(), None);
        }
        let (looks_at_flags, rounding_changes) = crate::control::looks(&self.executable);
        add(COUNTER, &[64], &[64], None);
        add(ROUNDED, &[64; 5], &[64], None);
        add(RAISED, &[64; 5], &[64], None);
        self.counter = program.find_function(COUNTER);
        self.floats = Floats {
            looks_at_flags,
            rounding_changes,
            rounded: program.find_function(ROUNDED),
            raised: program.find_function(RAISED),
        };
        if let Some(arguments) = &options.arguments {
            arguments.add_to(program, FuncId(4));
        }
        self.system_calls.guest = self.convention.answered_by(program, function);
        if let Some(interval) = program.find_function(INTERVAL) {
            crate::arguments::define_interval(program, interval);
        }
    }
}

impl GuestPlaces {
    /// The place of an address.
    fn place(&mut self, program: &mut Program, executable: &Executable, address: u64) -> PlaceId {
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let Line { file, line, column } = self.lines.find(address);
        // Without lines it is a place of the executable itself.
        let file = match file.is_empty() {
            true => 1,
            false => index_of(&mut self.files, &mut program.files, &file),
        };
        let function = match function_name(executable, address) {
            Some((symbol, _)) => index_of(&mut self.names, &mut program.names, &symbol.name),
            None => 0,
        };
        let id = PlaceId::new(program.places.len());
        // A place without a line is told from others by its address.
        let column = match line {
            0 => u32::try_from(address).unwrap_or(0),
            _ => column,
        };
        program.places.push(SourcePlace {
            file,
            line,
            column,
            function,
            inlined_at: None,
        });
        self.addresses.push(address);
        self.known.insert(address, id);
        id
    }
}

/// The index of a text in a list, where it is put if it is new.
fn index_of(known: &mut BTreeMap<String, u32>, list: &mut Vec<String>, text: &str) -> u32 {
    if let Some(&index) = known.get(text) {
        return index;
    }
    let index = list.len() as u32;
    list.push(text.to_string());
    known.insert(text.to_string(), index);
    index
}

/// The symbol of the function around an address, and the distance from it.
fn function_name(executable: &Executable, address: u64) -> Option<(&crate::elf::ElfSymbol, u64)> {
    let symbols = &executable.symbols;
    let above = symbols.partition_point(|s| s.address <= address);
    let mut nearest: Option<&crate::elf::ElfSymbol> = None;
    // Symbols of one address are in order of preference: the first of the last group is best.
    for symbol in symbols[..above].iter().rev().take(64) {
        if symbol.kind == SymbolKind::Object {
            continue;
        }
        let inside = symbol.size == 0 || address - symbol.address < symbol.size;
        match nearest {
            Some(found) if found.address != symbol.address => break,
            Some(_) | None if inside => nearest = Some(symbol),
            Some(_) | None => {}
        }
    }
    nearest.map(|symbol| (symbol, address - symbol.address))
}
