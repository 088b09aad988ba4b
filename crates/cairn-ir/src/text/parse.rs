//! Text to a program: what stands outside functions' bodies.
//!
//! The parser is a loop over tokens without recursion. A first look over the tokens finds the
//! names of functions and globals, so that they can be used before they are defined.

use super::body;
use super::cursor::{Cursor, Result};
use super::lexer::{Token, tokens};
use crate::{
    Content, FuncId, Function, Global, GlobalId, Operand, PlaceId, PointerWidth, Prefix, Program,
    ProgramDifference, Relocation, Slot, SourcePlace, Symbol,
};

/// Reads a program.
///
/// The result need not make sense: that is for [`verify`](crate::verify::verify) to say. But its
/// locals, labels and names all refer to something, and constants fit the width they are used at.
///
/// # Errors
/// The first thing in the text that is not as it should be.
pub fn parse(text: &str) -> Result<Program> {
    let tokens = tokens(text)?;
    let mut cursor = Cursor::new(text, &tokens);
    cursor.find_symbols()?;
    let mut program = Program::new();
    while cursor.peek() != Token::End {
        cursor.item(&mut program)?;
    }
    Ok(program)
}

impl Cursor<'_> {
    /// Finds what functions and globals there are: `func` or `global` before a name occurs
    /// nowhere but in definitions.
    fn find_symbols(&mut self) -> Result<()> {
        let (mut functions, mut globals) = (0, 0);
        while self.peek() != Token::End {
            let word = self.peek();
            self.advance();
            if !matches!(self.peek(), Token::Symbol(_)) {
                continue;
            }
            let symbol = match word {
                Token::Word("func") => {
                    functions += 1;
                    Symbol::Function(FuncId::new(functions - 1))
                }
                Token::Word("global") => {
                    globals += 1;
                    Symbol::Global(GlobalId::new(globals - 1))
                }
                _ => continue,
            };
            let start = self.at;
            let name = self.name()?;
            if self.symbols.insert(name, symbol).is_some() {
                return Err(self.error_at(start, format!("`{name}` is defined twice")));
            }
        }
        self.at = 0;
        Ok(())
    }

    /// One thing of a program.
    fn item(&mut self, program: &mut Program) -> Result<()> {
        let Token::Word(word) = self.peek() else {
            return Err(self.expected("a definition"));
        };
        match word {
            "pointer" => {
                let start = self.at;
                if !(program.globals.is_empty() && program.functions.is_empty()) {
                    let message = "the width of pointers stands before globals and functions";
                    return Err(self.error_at(start, message));
                }
                self.advance();
                let bytes = self.u64("the bytes of a pointer")?;
                let width = PointerWidth::from_bytes(bytes)
                    .ok_or_else(|| self.error_at(start, "a pointer has 4 or 8 bytes"))?;
                program.pointer_width = width;
                self.pointer_width = width;
            }
            "file" => {
                let name = self.table_entry(program.files.len(), "the file's name")?;
                program.files.push(name);
            }
            "name" => {
                let name = self.table_entry(program.names.len(), "a name")?;
                program.names.push(name);
            }
            "place" => {
                let place = self.place(program.places.len())?;
                program.places.push(place);
            }
            "slot" => {
                let slot = self.slot(program.slots.len())?;
                self.slot_widths.push(slot.width);
                program.slots.push(slot);
            }
            "constructor" => {
                self.advance();
                program.constructors.push(self.function_id()?);
            }
            "destructor" => {
                self.advance();
                program.destructors.push(self.function_id()?);
            }
            "prefix" => {
                self.advance();
                let function = self.function_id()?;
                let bytes = self.bytes("a string")?.to_vec();
                program.prefixes.push(Prefix { function, bytes });
            }
            "extern" => {
                self.advance();
                match self.peek() {
                    Token::Word("func") => program.functions.push(self.external_function()?),
                    Token::Word("global") => program.globals.push(self.global(true)?),
                    _ => return Err(self.expected("`func` or `global`")),
                }
            }
            "func" => program.functions.push(body::function(self)?),
            "global" => program.globals.push(self.global(false)?),
            _ => {
                return Err(self.expected(
                    "`pointer`, `file`, `name`, `place`, `slot`, `constructor`, `destructor`, \
                     `prefix`, `global`, `func` or `extern`",
                ));
            }
        }
        Ok(())
    }

    /// `file 1 "..."`: entries come in order.
    fn table_entry(&mut self, next: usize, what: &str) -> Result<String> {
        self.advance();
        let start = self.at;
        if self.u64("a number")? != next as u64 {
            return Err(self.error_at(start, format!("expected the next number, {next}")));
        }
        Ok(self.string(what)?.to_string())
    }

    fn place(&mut self, next: usize) -> Result<SourcePlace> {
        self.advance();
        let start = self.at;
        if self.place_id()?.index() != next {
            return Err(self.error_at(start, format!("expected the next place, p{next}")));
        }
        self.expect('=')?;
        self.expect_word("file")?;
        let file = self.u32("a file's number")?;
        self.expect_word("line")?;
        let line = self.u32("a line")?;
        self.expect_word("column")?;
        let column = self.u32("a column")?;
        self.expect_word("in")?;
        let function = self.u32("a name's number")?;
        let inlined_at = match self.accept_word("inlined") {
            true => {
                self.expect_word("at")?;
                Some(self.place_id()?)
            }
            false => None,
        };
        Ok(SourcePlace {
            file,
            line,
            column,
            function,
            inlined_at,
        })
    }

    fn slot(&mut self, next: usize) -> Result<Slot> {
        self.advance();
        let start = self.at;
        if self.slot_id()?.index() != next {
            return Err(self.error_at(start, format!("expected the next slot, s{next}")));
        }
        let name = self.string("the slot's name")?.to_string();
        let width = self.width()?;
        Ok(Slot { name, width })
    }

    fn global(&mut self, external: bool) -> Result<Global> {
        self.advance();
        let mut global = Global {
            name: self.name()?.to_string(),
            size: 0,
            align: 1,
            constant: false,
            thread_local: false,
            place: PlaceId::UNKNOWN,
            content: None,
        };
        let mut size = None;
        loop {
            if self.accept_word("const") {
                global.constant = true;
            } else if self.accept_word("thread_local") {
                global.thread_local = true;
            } else if self.accept_word("align") {
                global.align = self.u64("an alignment")?;
            } else if self.accept_word("size") {
                size = Some(self.u64("a size")?);
            } else {
                break;
            }
        }
        global.place = self.place_suffix()?;
        if !external {
            let mut content = Content::default();
            if self.accept('{') {
                while !self.accept('}') {
                    self.content_item(&mut content)?;
                }
            }
            size = size.or(Some(content.bytes.len() as u64));
            global.content = Some(content);
        }
        global.size = size.ok_or_else(|| self.expected("`size`"))?;
        Ok(global)
    }

    fn content_item(&mut self, content: &mut Content) -> Result<()> {
        if self.accept_word("bytes") {
            content.bytes.extend_from_slice(self.bytes("a string")?);
            return Ok(());
        }
        if self.accept_word("at") {
            let offset = self.u64("an offset")?;
            if self.accept_word("address") {
                content.relocations.push(Relocation {
                    offset,
                    symbol: self.symbol()?,
                    addend: self.addend()?,
                });
                return Ok(());
            }
            if !self.accept_word("difference") {
                return Err(self.expected("`address` or `difference`"));
            }
            let start = self.at;
            let bytes = u8::try_from(self.u64("a number of bytes")?)
                .map_err(|_| self.error_at(start, "a difference has at most 8 bytes"))?;
            let symbol = self.symbol()?;
            self.expect('-')?;
            content.differences.push(ProgramDifference {
                offset,
                bytes,
                symbol,
                base: self.symbol()?,
                addend: self.addend()?,
            });
            return Ok(());
        }
        let start = self.at;
        let width = self
            .width()
            .map_err(|_| self.expected("`bytes`, `at`, a width or `}`"))?;
        if width % 8 != 0 || width > 64 {
            return Err(self.error_at(start, "expected a width of whole bytes, at most `i64`"));
        }
        if let Operand::Int(value) = self.constant(Some(width))? {
            let bytes = value.to_le_bytes();
            content
                .bytes
                .extend_from_slice(&bytes[..width as usize / 8]);
        }
        Ok(())
    }

    fn external_function(&mut self) -> Result<Function> {
        self.advance();
        let name = self.name()?.to_string();
        self.expect('(')?;
        let (mut params, mut variadic) = (Vec::new(), false);
        if !self.accept(')') {
            loop {
                if self.peek() == Token::Dots {
                    self.advance();
                    variadic = true;
                    break;
                }
                params.push(self.width()?);
                if !self.accept(',') {
                    break;
                }
            }
            self.expect(')')?;
        }
        Ok(Function {
            name,
            params,
            results: self.result_widths()?,
            variadic,
            place: self.place_suffix()?,
            body: None,
        })
    }

    /// `-> i32`, `-> (i32, i64)` or nothing.
    pub(super) fn result_widths(&mut self) -> Result<Vec<u32>> {
        if self.peek() != Token::Arrow {
            return Ok(Vec::new());
        }
        self.advance();
        if !self.accept('(') {
            return Ok(vec![self.width()?]);
        }
        let mut widths = Vec::new();
        if self.accept(')') {
            return Ok(widths);
        }
        loop {
            widths.push(self.width()?);
            if !self.accept(',') {
                self.expect(')')?;
                return Ok(widths);
            }
        }
    }
}
