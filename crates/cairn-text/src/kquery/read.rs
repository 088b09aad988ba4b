//! Reading KQuery files.
//!
//! Expressions and array versions contain each other; both are read by one loop over an explicit
//! stack, so no nesting is too deep.

use super::build::{BuildOperand, KqueryBuilder, KqueryOperatorKind};
use super::lexer::{Lexer, Token};
use crate::error::{TextPosition, shown};
use crate::limits::{AtPosition, WorkAccount};
use crate::{TextError, TextLimits};
use cairn_bv::BitVec;
use cairn_expr::{Sort, Table, Term, TermStore};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An array that a file declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayDeclaration {
    /// Its name.
    pub name: String,
    /// The array: a symbol, or a table if its content is given.
    pub array: Term,
    /// How many elements the declaration says it has.
    pub size: u64,
}

/// A query: do the constraints imply the goal?
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidityQuery {
    /// The constraints, each a Boolean.
    pub constraints: Vec<Term>,
    /// The goal, a Boolean: the query is valid if constraints and negated goal contradict.
    pub goal: Term,
    /// Terms whose values are wanted if the query is not valid.
    pub values: Vec<Term>,
    /// Arrays whose values are wanted if the query is not valid.
    pub arrays: Vec<Term>,
    /// All arrays declared before the query.
    pub declarations: Rc<[ArrayDeclaration]>,
}

/// Reads all queries of a file.
pub fn read(source: &[u8], store: &TermStore) -> Result<Vec<ValidityQuery>, TextError> {
    read_with_limits(source, store, TextLimits::default())
}

/// Reads all queries of a file with other bounds on what it may ask for.
pub fn read_with_limits(
    source: &[u8],
    store: &TermStore,
    limits: TextLimits,
) -> Result<Vec<ValidityQuery>, TextError> {
    let mut reader = Reader {
        lexer: Lexer::new(source),
        builder: KqueryBuilder {
            store,
            account: WorkAccount::new(limits),
        },
        declared: Vec::new(),
        shared_declarations: None,
        arrays: FxHashMap::default(),
        labels: FxHashMap::default(),
        versions: FxHashMap::default(),
        frames: Vec::new(),
        operands: Vec::new(),
        updates: Vec::new(),
    };
    reader.file()
}

/// An expression or version that was begun and not ended.
enum Frame<'a> {
    /// An operator; operands from `first`.
    Apply {
        kind: KqueryOperatorKind,
        width: Option<u32>,
        first: usize,
        at: TextPosition,
    },
    /// A read whose index is the last operand; its version comes next.
    Read {
        kind: KqueryOperatorKind,
        width: Option<u32>,
        at: TextPosition,
    },
    /// A label whose expression comes next.
    Label(&'a [u8]),
    /// A label whose version comes next.
    VersionLabel(&'a [u8]),
    /// In an update list, updates from `first`; an index comes next.
    UpdateIndex { first: usize },
    /// The same, after the index, which is the last operand.
    UpdateValue { first: usize },
    /// After an update list; the version it updates comes next.
    Base { first: usize, at: TextPosition },
}

/// Something complete.
enum Complete<'a> {
    Expression(BuildOperand<'a>),
    Version(Term),
}

/// The tokens expected next.
#[derive(Clone, Copy)]
enum Expect {
    Expression,
    Version,
}

struct Reader<'a, 's> {
    lexer: Lexer<'a>,
    builder: KqueryBuilder<'s>,
    declared: Vec<ArrayDeclaration>,
    shared_declarations: Option<Rc<[ArrayDeclaration]>>,
    /// Names of arrays to their place in `declared`.
    arrays: FxHashMap<&'a [u8], usize>,
    labels: FxHashMap<&'a [u8], BuildOperand<'a>>,
    versions: FxHashMap<&'a [u8], Term>,
    frames: Vec<Frame<'a>>,
    operands: Vec<BuildOperand<'a>>,
    updates: Vec<(BuildOperand<'a>, BuildOperand<'a>)>,
}

fn text_of(token: Token<'_>) -> String {
    match token {
        Token::Open => "`(`".to_string(),
        Token::Close => "`)`".to_string(),
        Token::OpenSquare => "`[`".to_string(),
        Token::CloseSquare => "`]`".to_string(),
        Token::Comma => "`,`".to_string(),
        Token::Colon => "`:`".to_string(),
        Token::Equals => "`=`".to_string(),
        Token::At => "`@`".to_string(),
        Token::Arrow => "`->`".to_string(),
        Token::Name(text) | Token::Number(text) => format!("`{}`", shown(text)),
        Token::Width(w) => format!("`w{w}`"),
        Token::End => "the end of the text".to_string(),
    }
}

impl<'a> Reader<'a, '_> {
    fn unexpected(&self, found: Token<'_>, expected: &str) -> TextError {
        let message = format!("expected {expected}, found {}", text_of(found));
        let mut error = TextError::new(self.lexer.at, message);
        error.fatal = found == Token::End;
        error
    }

    fn expect(&mut self, token: Token<'_>) -> Result<(), TextError> {
        let found = self.lexer.next()?;
        if found != token {
            return Err(self.unexpected(found, &text_of(token)));
        }
        Ok(())
    }

    fn file(&mut self) -> Result<Vec<ValidityQuery>, TextError> {
        let mut queries = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::End => return Ok(queries),
                Token::Name(b"array") => self.array()?,
                Token::Open => {
                    let word = self.lexer.next()?;
                    if word != Token::Name(b"query") {
                        return Err(self.unexpected(word, "`query`"));
                    }
                    queries.push(self.query()?);
                }
                other => return Err(self.unexpected(other, "`array` or `(query`")),
            }
        }
    }

    fn width(&mut self) -> Result<u32, TextError> {
        match self.lexer.next()? {
            Token::Width(width) => self.builder.account.width(width).at(self.lexer.at),
            other => Err(self.unexpected(other, "a width such as `w32`")),
        }
    }

    /// After `array`.
    fn array(&mut self) -> Result<(), TextError> {
        let name = match self.lexer.next()? {
            Token::Name(name) => name,
            other => return Err(self.unexpected(other, "the name of an array")),
        };
        self.expect(Token::OpenSquare)?;
        let size = match self.lexer.next()? {
            Token::CloseSquare => None,
            Token::Number(text) => {
                let size = self.builder.value(text, 64).at(self.lexer.at)?;
                self.expect(Token::CloseSquare)?;
                size.to_u64()
            }
            other => return Err(self.unexpected(other, "the size of the array")),
        };
        self.expect(Token::Colon)?;
        let index = self.width()?;
        self.expect(Token::Arrow)?;
        let value = self.width()?;
        self.expect(Token::Equals)?;
        // Only ASCII bytes are in names.
        let text = String::from_utf8_lossy(name).into_owned();
        let (array, size) = match self.lexer.next()? {
            Token::Name(b"symbolic") => {
                let sort = Sort::Array { index, value };
                let size = size.unwrap_or(0);
                (self.builder.store.symbol(&text, sort), size)
            }
            Token::OpenSquare => {
                let values = self.content(value)?;
                let count = values.len() as u64;
                if size.is_some_and(|size| count > size) {
                    return Err(TextError::new(
                        self.lexer.at,
                        format!("the array `{text}` has {count} values, more than its size"),
                    ));
                }
                let table = Table::new(index, values, BitVec::zero(value));
                (self.builder.store.table(table), size.unwrap_or(count))
            }
            other => return Err(self.unexpected(other, "`symbolic` or `[`")),
        };
        let declaration = ArrayDeclaration {
            name: text,
            array,
            size,
        };
        // Logs of several queries declare their arrays anew before each.
        match self.arrays.get(name) {
            Some(place) if self.declared[*place] == declaration => {}
            Some(place) => {
                self.declared[*place] = declaration;
                self.shared_declarations = None;
            }
            None => {
                self.arrays.insert(name, self.declared.len());
                self.declared.push(declaration);
                self.shared_declarations = None;
            }
        }
        Ok(())
    }

    /// The values of a constant array up to `]`.
    fn content(&mut self, width: u32) -> Result<Vec<BitVec>, TextError> {
        let mut values = Vec::new();
        loop {
            self.builder.account.have_read(self.lexer.offset());
            match self.lexer.next()? {
                Token::CloseSquare => return Ok(values),
                Token::Number(text) => {
                    values.push(self.builder.value(text, width).at(self.lexer.at)?);
                }
                Token::Comma => {}
                other => return Err(self.unexpected(other, "a number or `]`")),
            }
        }
    }

    /// After `(query`.
    fn query(&mut self) -> Result<ValidityQuery, TextError> {
        self.labels.clear();
        self.versions.clear();
        self.expect(Token::OpenSquare)?;
        let mut constraints = Vec::new();
        while !self.lexer.eat(Token::CloseSquare) {
            constraints.push(self.boolean()?);
        }
        let goal = self.boolean()?;
        let mut values = Vec::new();
        let mut arrays = Vec::new();
        if self.lexer.eat(Token::OpenSquare) {
            while !self.lexer.eat(Token::CloseSquare) {
                let operand = self.expression()?;
                values.push(self.builder.typed(&operand).at(self.lexer.at)?);
            }
            if self.lexer.eat(Token::OpenSquare) {
                while !self.lexer.eat(Token::CloseSquare) {
                    match self.lexer.next()? {
                        Token::Name(name) => arrays.push(self.declared_array(name)?),
                        other => return Err(self.unexpected(other, "the name of an array")),
                    }
                }
            }
        }
        self.expect(Token::Close)?;
        let declarations = match &self.shared_declarations {
            Some(shared) => Rc::clone(shared),
            None => {
                let count = self.declared.len() as u64;
                self.builder.account.have_read(self.lexer.offset());
                self.builder.account.charge(8 * count).at(self.lexer.at)?;
                let shared: Rc<[ArrayDeclaration]> = self.declared.clone().into();
                self.shared_declarations = Some(Rc::clone(&shared));
                shared
            }
        };
        Ok(ValidityQuery {
            constraints,
            goal,
            values,
            arrays,
            declarations,
        })
    }

    fn declared_array(&self, name: &[u8]) -> Result<Term, TextError> {
        match self.arrays.get(name) {
            Some(place) => Ok(self.declared[*place].array.clone()),
            None => Err(TextError::new(
                self.lexer.at,
                format!("the array `{}` is not declared", shown(name)),
            )),
        }
    }

    fn boolean(&mut self) -> Result<Term, TextError> {
        let at = self.lexer.at;
        let operand = self.expression()?;
        self.builder.boolean(&operand).at(at)
    }

    fn expression(&mut self) -> Result<BuildOperand<'a>, TextError> {
        let mut expect = Expect::Expression;
        loop {
            let complete = match expect {
                Expect::Expression => self.begin_expression()?.map(Complete::Expression),
                Expect::Version => {
                    let (version, next) = self.begin_version()?;
                    expect = next;
                    version.map(Complete::Version)
                }
            };
            let Some(mut complete) = complete else {
                continue;
            };
            loop {
                let next = match complete {
                    Complete::Expression(operand) => {
                        if self.frames.is_empty() {
                            return Ok(operand);
                        }
                        self.give_expression(operand)?
                    }
                    Complete::Version(version) => self.give_version(version)?,
                };
                match next {
                    Ok(more) => complete = more,
                    Err(expected) => {
                        expect = expected;
                        break;
                    }
                }
            }
        }
    }

    /// Reads the start of an expression; gives it if that is all of it.
    fn begin_expression(&mut self) -> Result<Option<BuildOperand<'a>>, TextError> {
        let token = self.lexer.next()?;
        let at = self.lexer.at;
        match token {
            Token::Number(text) => Ok(Some(BuildOperand::Number(text))),
            Token::Name(b"true") => Ok(Some(BuildOperand::Term(self.builder.store.true_()))),
            Token::Name(b"false") => Ok(Some(BuildOperand::Term(self.builder.store.false_()))),
            Token::Name(name) if self.lexer.eat(Token::Colon) => {
                self.frames.push(Frame::Label(name));
                Ok(None)
            }
            Token::Name(name) => match self.labels.get(name) {
                Some(operand) => Ok(Some(operand.clone())),
                None => Err(TextError::new(
                    at,
                    format!("the label `{}` is not defined before", shown(name)),
                )),
            },
            Token::Open => self.begin_operator(at),
            Token::Close => self.end_operator(token).map(Some),
            other => Err(self.unexpected(other, "an expression")),
        }
    }

    /// After `(`.
    fn begin_operator(&mut self, at: TextPosition) -> Result<Option<BuildOperand<'a>>, TextError> {
        let name = match self.lexer.next()? {
            Token::Width(width) => {
                let width = self.builder.account.width(width).at(self.lexer.at)?;
                let constant = match self.lexer.next()? {
                    Token::Number(text) => {
                        self.builder.account.have_read(self.lexer.offset());
                        self.builder.number(text, width).at(self.lexer.at)?
                    }
                    other => return Err(self.unexpected(other, "a number")),
                };
                self.expect(Token::Close)?;
                return Ok(Some(BuildOperand::Term(constant)));
            }
            Token::Name(name) => name,
            other => return Err(self.unexpected(other, "an operator")),
        };
        let Some(mut kind) = KqueryOperatorKind::of_name(name) else {
            return Err(TextError::new(
                self.lexer.at,
                format!("unknown operator `{}`", shown(name)),
            ));
        };
        let mut ahead = self.lexer;
        let width = match ahead.next() {
            Ok(Token::Width(width)) => {
                self.lexer = ahead;
                Some(self.builder.account.width(width).at(self.lexer.at)?)
            }
            Ok(_) | Err(_) => None,
        };
        if let KqueryOperatorKind::Extract(low) = &mut kind {
            match self.lexer.next()? {
                Token::Number(text) => {
                    let offset = self.builder.value(text, 32).at(self.lexer.at)?;
                    *low = offset.low_u64() as u32;
                }
                other => return Err(self.unexpected(other, "the lowest bit to extract")),
            }
        }
        self.frames.push(Frame::Apply {
            kind,
            width,
            first: self.operands.len(),
            at,
        });
        Ok(None)
    }

    /// At `)` in place of an operand.
    fn end_operator(&mut self, token: Token<'a>) -> Result<BuildOperand<'a>, TextError> {
        if !matches!(self.frames.last(), Some(Frame::Apply { .. })) {
            return Err(self.unexpected(token, "an expression"));
        }
        let Some(Frame::Apply {
            kind,
            width,
            first,
            at,
        }) = self.frames.pop()
        else {
            unreachable!("the frame was looked at");
        };
        self.builder.account.have_read(self.lexer.offset());
        let term = self.builder.apply(kind, width, &self.operands[first..]);
        self.operands.truncate(first);
        term.map(BuildOperand::Term).at(at)
    }

    /// Reads the start of a version; gives it if that is all of it, and says what comes next.
    fn begin_version(&mut self) -> Result<(Option<Term>, Expect), TextError> {
        let token = self.lexer.next()?;
        match token {
            Token::Name(name) if self.lexer.eat(Token::Colon) => {
                self.frames.push(Frame::VersionLabel(name));
                Ok((None, Expect::Version))
            }
            Token::Name(name) => match self.versions.get(name) {
                Some(version) => Ok((Some(version.clone()), Expect::Version)),
                None => Ok((Some(self.declared_array(name)?), Expect::Version)),
            },
            Token::OpenSquare => {
                let first = self.updates.len();
                if self.lexer.eat(Token::CloseSquare) {
                    self.expect(Token::At)?;
                    let at = self.lexer.at;
                    self.frames.push(Frame::Base { first, at });
                    return Ok((None, Expect::Version));
                }
                self.frames.push(Frame::UpdateIndex { first });
                Ok((None, Expect::Expression))
            }
            other => Err(self.unexpected(other, "an array or a list of updates")),
        }
    }

    /// Hands a complete expression to the frame below: what that completes, or what comes next.
    fn give_expression(
        &mut self,
        operand: BuildOperand<'a>,
    ) -> Result<Result<Complete<'a>, Expect>, TextError> {
        match self.frames.pop() {
            Some(Frame::Apply {
                kind,
                width,
                first,
                at,
            }) => {
                self.operands.push(operand);
                if matches!(
                    kind,
                    KqueryOperatorKind::Read
                        | KqueryOperatorKind::ReadLsb
                        | KqueryOperatorKind::ReadMsb
                ) {
                    self.frames.push(Frame::Read { kind, width, at });
                    return Ok(Err(Expect::Version));
                }
                self.frames.push(Frame::Apply {
                    kind,
                    width,
                    first,
                    at,
                });
                Ok(Err(Expect::Expression))
            }
            Some(Frame::Label(name)) => {
                if self.labels.insert(name, operand.clone()).is_some() {
                    return Err(TextError::new(
                        self.lexer.at,
                        format!("the label `{}` is defined twice", shown(name)),
                    ));
                }
                Ok(Ok(Complete::Expression(operand)))
            }
            Some(Frame::UpdateIndex { first }) => {
                self.expect(Token::Equals)?;
                self.operands.push(operand);
                self.frames.push(Frame::UpdateValue { first });
                Ok(Err(Expect::Expression))
            }
            Some(Frame::UpdateValue { first }) => {
                if let Some(index) = self.operands.pop() {
                    self.updates.push((index, operand));
                }
                match self.lexer.next()? {
                    Token::Comma => {
                        self.frames.push(Frame::UpdateIndex { first });
                        Ok(Err(Expect::Expression))
                    }
                    Token::CloseSquare => {
                        self.expect(Token::At)?;
                        let at = self.lexer.at;
                        self.frames.push(Frame::Base { first, at });
                        Ok(Err(Expect::Version))
                    }
                    other => Err(self.unexpected(other, "`,` or `]`")),
                }
            }
            Some(Frame::Read { .. } | Frame::VersionLabel(_) | Frame::Base { .. }) | None => {
                unreachable!("these frames wait for a version")
            }
        }
    }

    /// Hands a complete version to the frame below.
    fn give_version(&mut self, version: Term) -> Result<Result<Complete<'a>, Expect>, TextError> {
        self.builder.account.have_read(self.lexer.offset());
        match self.frames.pop() {
            Some(Frame::Read { kind, width, at }) => {
                self.expect(Token::Close)?;
                let Some(index) = self.operands.pop() else {
                    unreachable!("the index was read before the version");
                };
                let term = self.builder.read(kind, width, &index, &version).at(at)?;
                Ok(Ok(Complete::Expression(BuildOperand::Term(term))))
            }
            Some(Frame::VersionLabel(name)) => {
                if self.versions.insert(name, version.clone()).is_some() {
                    return Err(TextError::new(
                        self.lexer.at,
                        format!("the label `{}` is defined twice", shown(name)),
                    ));
                }
                Ok(Ok(Complete::Version(version)))
            }
            Some(Frame::Base { first, at }) => {
                let mut version = version;
                // The newest update stands first.
                for (index, value) in self.updates.drain(first..).rev() {
                    version = self.builder.update(&version, &index, &value).at(at)?;
                }
                Ok(Ok(Complete::Version(version)))
            }
            Some(
                Frame::Apply { .. }
                | Frame::Label(_)
                | Frame::UpdateIndex { .. }
                | Frame::UpdateValue { .. },
            )
            | None => unreachable!("these frames wait for an expression"),
        }
    }
}
