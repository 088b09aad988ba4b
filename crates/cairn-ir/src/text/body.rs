//! Text to a function's body.
//!
//! A local may be used before the text defines it, and a constant's meaning depends on the width
//! of what it is given to. So a first look over the body's tokens finds all locals with their
//! widths and all blocks with their parameters; instructions are read after that.

use rustc_hash::FxHashMap;

use super::cursor::{Cursor, Result};
use super::lexer::Token;
use crate::{Block, BlockId, Body, Function, Local, Operand, Switch, Target, Terminator};

/// Reads a function with a body, from the word `func`.
pub(super) fn function(cursor: &mut Cursor<'_>) -> Result<Function> {
    cursor.advance();
    let name = cursor.name()?.to_string();
    let mut reader = Reader {
        cursor,
        locals: FxHashMap::default(),
        widths: Vec::new(),
        labels: FxHashMap::default(),
        block_params: Vec::new(),
        results: Vec::new(),
    };
    reader.find_locals()?;
    reader.find_blocks()?;
    reader.cursor.expect('(')?;
    let (entry_params, variadic) = reader.params()?;
    reader.results = reader.cursor.result_widths()?;
    let place = reader.cursor.place_suffix()?;
    reader.cursor.expect('{')?;
    let mut blocks = Vec::new();
    while !reader.cursor.accept('}') {
        blocks.push(reader.block(blocks.len(), &entry_params)?);
    }
    let params = entry_params.iter().map(|&local| reader.width_of(local));
    Ok(Function {
        name,
        params: params.collect(),
        results: reader.results,
        variadic,
        place,
        body: Some(Body {
            widths: reader.widths,
            blocks,
        }),
    })
}

/// Reads one body.
pub(super) struct Reader<'c, 'a> {
    pub(super) cursor: &'c mut Cursor<'a>,
    locals: FxHashMap<&'a str, Local>,
    widths: Vec<u32>,
    labels: FxHashMap<&'a str, BlockId>,
    /// Widths of each block's parameters, to read constants given to them; those of the entry,
    /// which nothing jumps to, are left out.
    block_params: Vec<Vec<u32>>,
    results: Vec<u32>,
}

impl<'a> Reader<'_, 'a> {
    /// The tokens of the function from here to the brace that ends it, with their numbers.
    fn function_tokens(&self) -> impl Iterator<Item = usize> + use<'a> {
        let tokens = self.cursor.tokens;
        (self.cursor.at..tokens.len()).take_while(|i| tokens[*i].0 != Token::Sign('}'))
    }

    /// Finds the definitions of locals: a local before a colon is nothing else.
    fn find_locals(&mut self) -> Result<()> {
        let tokens = self.cursor.tokens;
        let start = self.cursor.at;
        let mut found = Vec::new();
        for i in self.function_tokens() {
            if let (Token::Local(name), _) = tokens[i]
                && tokens[i + 1].0 == Token::Sign(':')
            {
                self.cursor.at = i + 2;
                found.push((name, self.cursor.width()?, i));
            }
        }
        // Numbers are kept; names get what is left.
        let mut order: Vec<Option<u32>> = vec![None; found.len()];
        let number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
        for &(name, width, i) in found.iter().filter(|(name, ..)| number(name)) {
            let slot = name.parse().ok().and_then(|at: usize| order.get_mut(at));
            let Some(slot) = slot else {
                let message = format!(
                    "the function has {} locals, expected a number below that",
                    found.len()
                );
                return Err(self.cursor.error_at(i, message));
            };
            if slot.replace(width).is_some() {
                return Err(self.defined_twice(i, name));
            }
            let id = name.parse().map(Local::new).expect("it was parsed above");
            self.locals.insert(name, id);
        }
        let mut free = 0;
        for &(name, width, i) in found.iter().filter(|(name, ..)| !number(name)) {
            while order[free].is_some() {
                free += 1;
            }
            order[free] = Some(width);
            if self.locals.insert(name, Local::new(free)).is_some() {
                return Err(self.defined_twice(i, name));
            }
        }
        self.widths = order.into_iter().flatten().collect();
        self.cursor.at = start;
        Ok(())
    }

    fn defined_twice(&self, token: usize, name: &str) -> super::ParseError {
        let message = format!("local %{name} is defined twice");
        self.cursor.error_at(token, message)
    }

    /// Finds the blocks: a word before a colon, with parameters between or not, is nothing else.
    fn find_blocks(&mut self) -> Result<()> {
        let tokens = self.cursor.tokens;
        for i in self.function_tokens() {
            let (Token::Word(name), _) = tokens[i] else {
                continue;
            };
            let mut params = Vec::new();
            let mut at = i + 1;
            if tokens[at].0 == Token::Sign('(') {
                at += 1;
                while let Token::Local(local) = tokens[at].0 {
                    if let Some(id) = self.locals.get(local) {
                        params.push(self.width_of(*id));
                    }
                    // A colon, a width, a comma: the parser proper checks them.
                    at = (at + 3).min(tokens.len() - 1);
                    if tokens[at].0 != Token::Sign(',') {
                        break;
                    }
                    at += 1;
                }
                if tokens[at].0 != Token::Sign(')') {
                    continue;
                }
                at += 1;
            }
            if tokens[at].0 != Token::Sign(':') {
                continue;
            }
            let id = BlockId::new(self.block_params.len());
            self.block_params.push(params);
            if self.labels.insert(name, id).is_some() {
                let message = format!("label `{name}` is defined twice");
                return Err(self.cursor.error_at(i, message));
            }
        }
        Ok(())
    }

    pub(super) fn width_of(&self, local: Local) -> u32 {
        self.widths[local.index()]
    }

    /// The function's parameters, after the opening parenthesis.
    fn params(&mut self) -> Result<(Vec<Local>, bool)> {
        let mut params = Vec::new();
        if self.cursor.accept(')') {
            return Ok((params, false));
        }
        loop {
            if self.cursor.peek() == Token::Dots {
                self.cursor.advance();
                self.cursor.expect(')')?;
                return Ok((params, true));
            }
            params.push(self.definition()?);
            if !self.cursor.accept(',') {
                self.cursor.expect(')')?;
                return Ok((params, false));
            }
        }
    }

    pub(super) fn local(&mut self) -> Result<Local> {
        let Token::Local(name) = self.cursor.peek() else {
            return Err(self.cursor.expected("a local such as `%0`"));
        };
        let id = self.locals.get(name).copied();
        let id = id.ok_or_else(|| {
            let message = format!("local %{name} is not defined in this function");
            self.cursor.error(message)
        })?;
        self.cursor.advance();
        Ok(id)
    }

    /// `%name: i32`; its width was found before.
    pub(super) fn definition(&mut self) -> Result<Local> {
        let local = self.local()?;
        self.cursor.expect(':')?;
        self.cursor.width()?;
        Ok(local)
    }

    fn block(&mut self, index: usize, entry_params: &[Local]) -> Result<Block> {
        let Token::Word(label) = self.cursor.peek() else {
            return Err(self.cursor.expected("a label or `}`"));
        };
        let known = self.labels.get(label) == Some(&BlockId::new(index));
        self.cursor.advance();
        let mut params = Vec::new();
        if self.cursor.accept('(') && !self.cursor.accept(')') {
            loop {
                params.push(self.definition()?);
                if !self.cursor.accept(',') {
                    break;
                }
            }
            self.cursor.expect(')')?;
        }
        // Nothing else looks like a label, so an unknown one lacks its colon.
        if !known || self.cursor.peek() != Token::Sign(':') {
            return Err(self.cursor.expected("`:` after a label"));
        }
        if index == 0 {
            if !params.is_empty() {
                let message = "the entry's parameters are the function's: expected none";
                return Err(self.cursor.error(message));
            }
            params = entry_params.to_vec();
        }
        self.cursor.advance();
        let mut insts = Vec::new();
        loop {
            if let Some(terminator) = self.terminator()? {
                let place = self.cursor.place_suffix()?;
                return Ok(Block {
                    params,
                    insts,
                    terminator: (terminator, place),
                });
            }
            let inst = self.inst()?;
            insts.push((inst, self.cursor.place_suffix()?));
        }
    }

    /// Reads an operand for a place that wants `width` bits, if that is known.
    pub(super) fn operand(&mut self, width: Option<u32>) -> Result<Operand> {
        match self.cursor.peek() {
            Token::Local(_) => Ok(Operand::Local(self.local()?)),
            Token::Symbol(_) => {
                let symbol = self.cursor.symbol()?;
                Ok(Operand::Address(symbol, self.cursor.addend()?))
            }
            Token::Number(_) | Token::Sign('-') => self.cursor.constant(width),
            _ => Err(self.cursor.expected("an operand")),
        }
    }

    /// A comma and an operand.
    pub(super) fn next_operand(&mut self, width: Option<u32>) -> Result<Operand> {
        self.cursor.expect(',')?;
        self.operand(width)
    }

    /// An operand that is an address or a length.
    pub(super) fn word(&mut self) -> Result<Operand> {
        self.operand(Some(self.cursor.pointer_width.bits()))
    }

    pub(super) fn next_word(&mut self) -> Result<Operand> {
        self.next_operand(Some(self.cursor.pointer_width.bits()))
    }

    fn target(&mut self) -> Result<Target> {
        let Token::Word(label) = self.cursor.peek() else {
            return Err(self.cursor.expected("a label"));
        };
        let block = self.labels.get(label).copied();
        let block = block.ok_or_else(|| {
            let message = format!("there is no label `{label}` in this function");
            self.cursor.error(message)
        })?;
        self.cursor.advance();
        let mut args = Vec::new();
        if self.cursor.accept('(') && !self.cursor.accept(')') {
            loop {
                let width = self.block_params[block.index()].get(args.len()).copied();
                args.push(self.operand(width)?);
                if !self.cursor.accept(',') {
                    break;
                }
            }
            self.cursor.expect(')')?;
        }
        Ok(Target { block, args })
    }

    /// A terminator, if one stands here.
    fn terminator(&mut self) -> Result<Option<Terminator>> {
        let Token::Word(word) = self.cursor.peek() else {
            return Ok(None);
        };
        let terminator = match word {
            "jump" => {
                self.cursor.advance();
                Terminator::Jump(self.target()?)
            }
            "branch" => {
                self.cursor.advance();
                let condition = self.operand(Some(1))?;
                self.cursor.expect(',')?;
                let then = self.target()?;
                self.cursor.expect(',')?;
                Terminator::Branch {
                    condition,
                    then,
                    otherwise: self.target()?,
                }
            }
            "switch" => {
                self.cursor.advance();
                Terminator::Switch(Box::new(self.switch()?))
            }
            "return" => {
                self.cursor.advance();
                Terminator::Return(self.returned()?)
            }
            "stop" => {
                self.cursor.advance();
                Terminator::Stop
            }
            _ => return Ok(None),
        };
        Ok(Some(terminator))
    }

    fn switch(&mut self) -> Result<Switch> {
        let width = self.cursor.width()?;
        let value = self.operand(Some(width))?;
        self.cursor.expect('[')?;
        let mut cases = Vec::new();
        if !self.cursor.accept(']') {
            loop {
                let start = self.cursor.at;
                let Operand::Int(case) = self.cursor.constant(Some(width))? else {
                    let message = "expected a switch of at most 64 bits";
                    return Err(self.cursor.error_at(start, message));
                };
                self.cursor.expect(':')?;
                cases.push((case, self.target()?));
                if !self.cursor.accept(',') {
                    break;
                }
            }
            self.cursor.expect(']')?;
        }
        self.cursor.expect_word("else")?;
        Ok(Switch {
            value,
            width,
            cases,
            default: self.target()?,
        })
    }

    fn returned(&mut self) -> Result<Vec<Operand>> {
        let mut values = Vec::new();
        let starts_operand = matches!(
            self.cursor.peek(),
            Token::Local(_) | Token::Symbol(_) | Token::Number(_) | Token::Sign('-')
        );
        if starts_operand {
            loop {
                let width = self.results.get(values.len()).copied();
                values.push(self.operand(width)?);
                if !self.cursor.accept(',') {
                    break;
                }
            }
        }
        Ok(values)
    }
}
