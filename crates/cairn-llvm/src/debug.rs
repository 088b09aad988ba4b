//! Source places, with the chain of calls that were inlined.

use crate::reader::{Metadata, Module, Value};
use cairn_ir::{PlaceId, Program, SourcePlace};
use llvm_sys::debuginfo::LLVMMetadataKind::*;
use rustc_hash::FxHashMap;

/// Chains of scopes and of inlined calls are followed this far: hand-written files may have
/// cycles.
const LONGEST_CHAIN: usize = 500;

/// The places asked for so far.
pub(crate) struct DebugPlaces<'m> {
    module: &'m Module,
    places: FxHashMap<Metadata<'m>, PlaceId>,
    files: FxHashMap<Metadata<'m>, u32>,
    file_numbers: FxHashMap<String, u32>,
    names: FxHashMap<Metadata<'m>, u32>,
    name_numbers: FxHashMap<String, u32>,
    /// Lines of the assembly text; empty if they are not requested.
    lines: FxHashMap<Value<'m>, u32>,
    /// The line of each place that an instruction has for itself.
    own: Vec<(PlaceId, u32)>,
}

impl<'m> DebugPlaces<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        DebugPlaces {
            module,
            places: FxHashMap::default(),
            files: FxHashMap::default(),
            file_numbers: FxHashMap::default(),
            names: FxHashMap::default(),
            name_numbers: FxHashMap::default(),
            lines: FxHashMap::default(),
            own: Vec::new(),
        }
    }

    /// From now on an instruction that has a line in the assembly text has a place of its own.
    pub(crate) fn number_lines(&mut self, lines: FxHashMap<Value<'m>, u32>) {
        self.lines = lines;
    }

    /// The line in the assembly text of each place; 0 if it has none.
    pub(crate) fn assembly_lines(&self) -> Vec<u32> {
        let length = self.own.last().map_or(0, |(place, _)| place.index() + 1);
        let mut lines = vec![0; length];
        for (place, line) in &self.own {
            lines[place.index()] = *line;
        }
        lines
    }

    /// The place of an instruction.
    pub(crate) fn of_instruction(&mut self, program: &mut Program, inst: Value<'m>) -> PlaceId {
        let place = match inst.debug_location() {
            Some(location) => self.of_location(program, location),
            None => PlaceId::UNKNOWN,
        };
        let Some(&line) = self.lines.get(&inst) else {
            return place;
        };
        let own = add(program, program.place(place).clone());
        self.own.push((own, line));
        own
    }

    fn of_location(&mut self, program: &mut Program, location: Metadata<'m>) -> PlaceId {
        if let Some(&place) = self.places.get(&location) {
            return place;
        }
        // The outermost call is made first, since inner places refer to outer ones.
        let mut chain = vec![location];
        let mut outer = None;
        while let Some(at) = chain[chain.len() - 1].inlined_at() {
            if let Some(&known) = self.places.get(&at) {
                outer = Some(known);
                break;
            }
            if chain.len() == LONGEST_CHAIN {
                break;
            }
            chain.push(at);
        }
        for location in chain.into_iter().rev() {
            let scope = location.scope();
            let (line, column) = location.line_and_column();
            let place = SourcePlace {
                file: self.file(program, scope.file()),
                line,
                column,
                function: self.function_name(program, scope),
                inlined_at: outer,
            };
            let id = add(program, place);
            self.places.insert(location, id);
            outer = Some(id);
        }
        outer.unwrap_or(PlaceId::UNKNOWN)
    }

    /// Where a function stands.
    pub(crate) fn of_function(&mut self, program: &mut Program, function: Value<'m>) -> PlaceId {
        let Some(subprogram) = function.subprogram() else {
            return PlaceId::UNKNOWN;
        };
        let place = SourcePlace {
            file: self.file(program, subprogram.file()),
            line: subprogram.subprogram_line(),
            column: 0,
            function: self.function_name(program, subprogram),
            inlined_at: None,
        };
        add(program, place)
    }

    /// Where a global stands.
    pub(crate) fn of_global(&mut self, program: &mut Program, global: Value<'m>) -> PlaceId {
        let Some(variable) = global.debug_variable() else {
            return PlaceId::UNKNOWN;
        };
        let (file, line) = variable.variable_place();
        let place = SourcePlace {
            file: self.file(program, file),
            line,
            column: 0,
            function: 0,
            inlined_at: None,
        };
        add(program, place)
    }

    fn file(&mut self, program: &mut Program, file: Option<Metadata<'m>>) -> u32 {
        let Some(file) = file else { return 0 };
        if let Some(&number) = self.files.get(&file) {
            return number;
        }
        let (directory, name) = file.file_name();
        let path = if name.starts_with('/') || directory.is_empty() || name.is_empty() {
            name
        } else {
            format!("{}/{name}", directory.trim_end_matches('/'))
        };
        let number = *self.file_numbers.entry(path.clone()).or_insert_with(|| {
            if path.is_empty() {
                return 0;
            }
            program.files.push(path);
            program.files.len() as u32 - 1
        });
        self.files.insert(file, number);
        number
    }

    /// The name of the function around a scope.
    fn function_name(&mut self, program: &mut Program, scope: Metadata<'m>) -> u32 {
        if let Some(&number) = self.names.get(&scope) {
            return number;
        }
        let number = match self.find_name(scope) {
            None => 0,
            Some(name) => *self.name_numbers.entry(name).or_insert_with_key(|name| {
                program.names.push(name.clone());
                program.names.len() as u32 - 1
            }),
        };
        self.names.insert(scope, number);
        number
    }

    fn find_name(&self, mut scope: Metadata<'m>) -> Option<String> {
        for _ in 0..LONGEST_CHAIN {
            let operands = self.module.metadata_operands(scope);
            match scope.kind() {
                // The operands of a subprogram are its file, its scope, its name, ...
                LLVMDISubprogramMetadataKind => {
                    return operands.get(2).copied().flatten()?.metadata_string();
                }
                // ... those of a block within it its file and its scope.
                LLVMDILexicalBlockMetadataKind | LLVMDILexicalBlockFileMetadataKind => {
                    scope = Metadata::of_value(operands.get(1).copied().flatten()?);
                }
                _ => return None,
            }
        }
        None
    }
}

fn add(program: &mut Program, place: SourcePlace) -> PlaceId {
    program.places.push(place);
    PlaceId::new(program.places.len() - 1)
}
