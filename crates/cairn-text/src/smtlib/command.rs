//! Commands and how they are read.

use super::Script;
use super::scope::{Declaration, DefinedFunction, Macro, SymbolMeaning};
use crate::TextError;
use crate::error::shown;
use crate::lexer::{Token, TokenKind};
use crate::limits::AtPosition;
use cairn_expr::{Sort, Term, TermStore, dag_size};
use std::io::Read;
use std::rc::Rc;

/// The widest index of the array that stands for a declared function.
const WIDEST_INDEX: u64 = 4096;

/// A command of a script, with its terms built.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `(set-logic name)`.
    SetLogic(String),
    /// `(set-option :name value)`; the value as written.
    SetOption {
        /// The name without its colon.
        name: String,
        /// The value's text; empty if there is none.
        value: String,
    },
    /// `(set-info :name value)`; the value as written.
    SetInfo {
        /// The name without its colon.
        name: String,
        /// The value's text; empty if there is none.
        value: String,
    },
    /// `(get-info :name)`.
    GetInfo(String),
    /// `(get-option :name)`.
    GetOption(String),
    /// `declare-fun` and `declare-const`.
    Declare(Declaration),
    /// `define-fun` and `define-const`.
    Define {
        /// The defined name.
        name: String,
        /// The parameters as symbols that occur in the body and nowhere else.
        parameters: Vec<Term>,
        /// The definition.
        body: Term,
    },
    /// `(define-sort name () sort)`.
    DefineSort {
        /// The defined name.
        name: String,
        /// The definition.
        sort: Sort,
    },
    /// `(assert term)`.
    Assert {
        /// The assertion.
        term: Term,
        /// Its name, if it is `(! term :named name)`.
        name: Option<String>,
        /// The terms inside it that are given names.
        named: Vec<(String, Term)>,
    },
    /// `(check-sat)`.
    CheckSat,
    /// `(check-sat-assuming (...))`: each assumption as written and as a term.
    CheckSatAssuming(Vec<(String, Term)>),
    /// `(get-model)`.
    GetModel,
    /// `(get-value (...))`: each term as written and as a term.
    GetValue(Vec<(String, Term)>),
    /// `(get-unsat-core)`.
    GetUnsatCore,
    /// `(get-unsat-assumptions)`.
    GetUnsatAssumptions,
    /// `(get-assertions)`.
    GetAssertions,
    /// `(get-assignment)`.
    GetAssignment,
    /// `(push n)`.
    Push(u32),
    /// `(pop n)`.
    Pop(u32),
    /// `(reset)`.
    Reset,
    /// `(reset-assertions)`.
    ResetAssertions,
    /// `(exit)`.
    Exit,
    /// `(echo "...")`: the string's content.
    Echo(String),
}

impl<R: Read> Script<R> {
    pub(super) fn command(&mut self, store: &TermStore) -> Result<Option<Command>, TextError> {
        let open = self.lexer.next()?;
        match open.kind {
            TokenKind::End => return Ok(None),
            TokenKind::Open => {}
            _ => return Err(self.unexpected(open, "`(`, the start of a command")),
        }
        let token = self.lexer.next()?;
        if token.kind != TokenKind::Symbol {
            return Err(self.unexpected(token, "the name of a command"));
        }
        let mut name = [0u8; 32];
        let length = self.lexer.text().len();
        if length > name.len() {
            return Err(unknown_command(self, token));
        }
        name[..length].copy_from_slice(self.lexer.text());
        let command = match &name[..length] {
            b"assert" => assert(self, store)?,
            b"check-sat" => Command::CheckSat,
            b"check-sat-assuming" => Command::CheckSatAssuming(terms(self, store, true)?),
            b"declare-const" => self.declare(store, false)?,
            b"declare-fun" => self.declare(store, true)?,
            b"define-const" => self.define(store, false)?,
            b"define-fun" => self.define(store, true)?,
            b"define-sort" => self.define_sort()?,
            b"echo" => {
                self.expect(TokenKind::String, "a string")?;
                Command::Echo(unescaped(self.lexer.text()))
            }
            b"exit" => Command::Exit,
            b"get-assertions" => Command::GetAssertions,
            b"get-assignment" => Command::GetAssignment,
            b"get-info" => Command::GetInfo(self.keyword()?),
            b"get-model" => Command::GetModel,
            b"get-option" => Command::GetOption(self.keyword()?),
            b"get-unsat-assumptions" => Command::GetUnsatAssumptions,
            b"get-unsat-core" => Command::GetUnsatCore,
            b"get-value" => Command::GetValue(terms(self, store, false)?),
            b"pop" => Command::Pop(count(self)?),
            b"push" => Command::Push(count(self)?),
            b"reset" => Command::Reset,
            b"reset-assertions" => Command::ResetAssertions,
            b"set-info" => {
                let (name, value) = attribute(self)?;
                Command::SetInfo { name, value }
            }
            b"set-logic" => Command::SetLogic(self.name("the name of a logic")?.1),
            b"set-option" => {
                let (name, value) = attribute(self)?;
                Command::SetOption { name, value }
            }
            b"declare-sort" | b"declare-datatype" | b"declare-datatypes" => {
                return Err(TextError::new(
                    token.at,
                    format!(
                        "unsupported command {}: only Bool, BitVec and Array sorts are known",
                        shown(&name[..length])
                    ),
                ));
            }
            b"define-fun-rec" | b"define-funs-rec" => {
                return Err(TextError::new(
                    token.at,
                    "unsupported command: recursive functions",
                ));
            }
            _ => return Err(unknown_command(self, token)),
        };
        self.close("the end of the command")?;
        take_effect(self, &command, token)?;
        Ok(Some(command))
    }

    fn keyword(&mut self) -> Result<String, TextError> {
        self.expect(TokenKind::Keyword, "a keyword")?;
        Ok(String::from_utf8_lossy(self.lexer.text()).into_owned())
    }

    /// Gives the symbol just read a meaning.
    pub(super) fn declare_name(
        &mut self,
        token: Token,
        meaning: SymbolMeaning,
    ) -> Result<(), TextError> {
        let quoted = token.kind == TokenKind::Quoted;
        let id = self.scope.symbol(self.lexer.text(), quoted);
        if self.scope.bind(id, meaning) {
            return Ok(());
        }
        let name = shown(self.lexer.text());
        Err(TextError::new(
            token.at,
            format!("`{name}` already has a meaning"),
        ))
    }

    fn declare(&mut self, store: &TermStore, with_parameters: bool) -> Result<Command, TextError> {
        let (token, name, id) = new_name(self)?;
        let mut parameters = Vec::new();
        if with_parameters {
            self.expect(TokenKind::Open, "`(`, the sorts of the operands")?;
            loop {
                let token = self.lexer.next()?;
                if token.kind == TokenKind::Close {
                    break;
                }
                parameters.push(self.sort_from(token)?);
            }
        }
        let result = self.sort()?;
        if parameters.is_empty() {
            let term = store.symbol(&name, result);
            let declaration = Declaration::Constant(term.clone());
            self.scope.bind(id, SymbolMeaning::Term(term));
            self.scope.declared.push(declaration.clone());
            return Ok(Command::Declare(declaration));
        }
        let mut index = 0u64;
        for sort in &parameters {
            index += scalar_bits(*sort).at(token.at)?;
        }
        if index > WIDEST_INDEX {
            return Err(TextError::new(
                token.at,
                format!(
                    "the operands of `{name}` have {index} bits, above the limit of {WIDEST_INDEX}"
                ),
            ));
        }
        let value = scalar_bits(result).at(token.at)?;
        let sort = Sort::Array {
            index: index as u32,
            value: value as u32,
        };
        let array = store.symbol(&name, sort);
        let function = Rc::new(DefinedFunction {
            name,
            parameters,
            result,
            array,
        });
        let declaration = Declaration::Function(function.clone());
        self.scope.bind(id, SymbolMeaning::Function(function));
        self.scope.declared.push(declaration.clone());
        Ok(Command::Declare(declaration))
    }

    fn define(&mut self, store: &TermStore, with_parameters: bool) -> Result<Command, TextError> {
        let (_, name, id) = new_name(self)?;
        let mut parameters = Vec::new();
        let first = self.machine.bindings.len();
        if with_parameters {
            let read = self.parameters(store, &mut parameters);
            if read.is_err() {
                self.machine.bindings.truncate(first);
            }
            read?;
        }
        let result = self.sort();
        self.machine.enter(&mut self.scope, first);
        self.machine.no_names = !parameters.is_empty();
        let body = result.and_then(|sort| self.term_of_sort(store, sort));
        self.machine.no_names = false;
        self.machine.leave(&mut self.scope, first);
        let body = body?;
        let meaning = if parameters.is_empty() {
            SymbolMeaning::Term(body.clone())
        } else {
            SymbolMeaning::Macro(Rc::new(Macro {
                name: name.clone(),
                parameters: parameters.clone(),
                size: dag_size(&body) as u64,
                body: body.clone(),
            }))
        };
        // The body may have given the name away by `:named`.
        if !self.scope.bind(id, meaning) {
            let at = self.lexer.next()?.at;
            return Err(TextError::new(
                at,
                format!("`{name}` already has a meaning"),
            ));
        }
        Ok(Command::Define {
            name,
            parameters,
            body,
        })
    }

    /// `((x sort) ...)`: parameters become symbols that no script can write, and bindings.
    fn parameters(
        &mut self,
        store: &TermStore,
        parameters: &mut Vec<Term>,
    ) -> Result<(), TextError> {
        let first = self.machine.bindings.len();
        self.expect(TokenKind::Open, "`(`, the parameters")?;
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Close => return Ok(()),
                TokenKind::Open => {}
                _ => return Err(self.unexpected(token, "a parameter or `)`")),
            }
            let (token, name) = self.name("the name of a parameter")?;
            let quoted = token.kind == TokenKind::Quoted;
            if let SymbolMeaning::Reserved(_) = self.scope.meaning(name.as_bytes(), quoted) {
                return Err(self.unexpected(token, "the name of a parameter"));
            }
            let id = self.scope.symbol(name.as_bytes(), quoted);
            let taken = self.machine.bindings[first..].iter().any(|(n, _)| *n == id);
            if taken || parameters.len() > 4096 {
                return Err(TextError::new(
                    token.at,
                    format!("`{}` is one parameter too many", shown(name.as_bytes())),
                ));
            }
            let sort = self.sort()?;
            self.close("the end of the parameter")?;
            let unique = format!("|{}|{name}", store.fresh_number());
            let symbol = store.symbol(&unique, sort);
            parameters.push(symbol.clone());
            self.machine
                .bindings
                .push((id, SymbolMeaning::Term(symbol)));
        }
    }

    fn define_sort(&mut self) -> Result<Command, TextError> {
        let (token, name) = self.name("the name of a sort")?;
        self.expect(TokenKind::Open, "`(`, the sort's parameters")?;
        let next = self.lexer.next()?;
        if next.kind != TokenKind::Close {
            return Err(TextError::new(
                next.at,
                "unsupported: a defined sort with parameters",
            ));
        }
        let sort = self.sort()?;
        let known = matches!(name.as_str(), "Bool" | "BitVec" | "Array");
        if known || !self.scope.define_sort(name.as_bytes(), sort) {
            return Err(TextError::new(
                token.at,
                format!("the sort `{}` is already defined", shown(name.as_bytes())),
            ));
        }
        Ok(Command::DefineSort { name, sort })
    }
}

fn unknown_command<R: Read>(script: &Script<R>, token: Token) -> TextError {
    let name = shown(script.lexer.text());
    TextError::new(token.at, format!("unknown command `{name}`"))
}

/// The effect of a whole command on the symbol tables.
fn take_effect<R: Read>(
    script: &mut Script<R>,
    command: &Command,
    token: Token,
) -> Result<(), TextError> {
    match command {
        Command::Push(n) => script.scope.push(*n).at(token.at),
        Command::Pop(n) => script.scope.pop(*n).at(token.at),
        Command::Reset => {
            script.scope.reset();
            Ok(())
        }
        Command::ResetAssertions => {
            script.scope.reset_assertions();
            Ok(())
        }
        Command::SetOption { name, value } if name == "global-declarations" => {
            if script.scope.depth() > 0 {
                return Err(TextError::new(
                    token.at,
                    "global-declarations cannot change while levels are open",
                ));
            }
            script.scope.global = value == "true";
            Ok(())
        }
        _ => Ok(()),
    }
}

fn assert<R: Read>(script: &mut Script<R>, store: &TermStore) -> Result<Command, TextError> {
    script.machine.root_name = None;
    script.machine.named.clear();
    let term = script.term_of_sort(store, Sort::Bool)?;
    Ok(Command::Assert {
        term,
        name: script.machine.root_name.take(),
        named: std::mem::take(&mut script.machine.named),
    })
}

/// `(t t ...)`, each with its text.
fn terms<R: Read>(
    script: &mut Script<R>,
    store: &TermStore,
    boolean: bool,
) -> Result<Vec<(String, Term)>, TextError> {
    script.expect(TokenKind::Open, "`(`, a list of terms")?;
    let mut terms = Vec::new();
    loop {
        script.lexer.record();
        let token = script.lexer.next()?;
        if token.kind == TokenKind::Close {
            script.lexer.recorded();
            return Ok(terms);
        }
        script.lexer.push_back(token);
        let term = if boolean {
            script.term_of_sort(store, Sort::Bool)?
        } else {
            script.term(store)?
        };
        terms.push((script.lexer.recorded(), term));
    }
}

/// `:name value`, the value as written.
fn attribute<R: Read>(script: &mut Script<R>) -> Result<(String, String), TextError> {
    let name = script.keyword()?;
    script.lexer.record();
    let token = script.lexer.next()?;
    if token.kind == TokenKind::Close {
        script.lexer.recorded();
        script.lexer.push_back(token);
        return Ok((name, String::new()));
    }
    script.skip_expression(token)?;
    Ok((name, script.lexer.recorded()))
}

/// The number of a `push` or `pop`, which may be left out.
fn count<R: Read>(script: &mut Script<R>) -> Result<u32, TextError> {
    let token = script.lexer.next()?;
    script.lexer.push_back(token);
    if token.kind == TokenKind::Close {
        return Ok(1);
    }
    script.small_numeral("a number of levels")
}

/// Reads the name that a command declares; its meaning is given when the rest was read.
fn new_name<R: Read>(script: &mut Script<R>) -> Result<(Token, String, u32), TextError> {
    let (token, name) = script.name("the name of a symbol")?;
    let quoted = token.kind == TokenKind::Quoted;
    let id = script.scope.symbol(script.lexer.text(), quoted);
    if script.scope.is_bound(id) {
        return Err(TextError::new(
            token.at,
            format!("`{}` already has a meaning", shown(name.as_bytes())),
        ));
    }
    Ok((token, name, id))
}

/// Bits of an operand or result of a declared function.
fn scalar_bits(sort: Sort) -> Result<u64, String> {
    match sort {
        Sort::Bool => Ok(1),
        Sort::BitVec(w) => Ok(u64::from(w)),
        Sort::Array { .. } => Err(format!("unsupported: a function over the sort {sort}")),
    }
}

/// The content of a string: doubled quotes stand for one.
pub(super) fn unescaped(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace("\"\"", "\"")
}
