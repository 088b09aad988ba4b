//! From the text of a program to its tree.
//!
//! The language is C* of the Selfie project, as far as it is needed: `uint64_t` and `uint64_t*`, global variables without
//! initial values, procedures, declarations before statements, assignments through variables and `*`, `if`, `else`, `while`,
//! `return`, calls, decimal numbers, and of C's operators `+ - * / %`, comparisons, `*` and `&` of a variable. Every statement
//! that `if` and `while` govern is in braces. Any such program is one in C, too.

use super::syntax::{Callee, Expr, Operator, Procedure, Program, Site, Statement, Variable};
use std::collections::BTreeMap;

/// The type of a variable or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Word,
    Pointer,
}

/// A procedure that is known: how many arguments it takes, and the type of its result.
#[derive(Clone, Copy)]
struct KnownProcedure {
    callee: Callee,
    params: usize,
    result: Type,
}

struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    program: Program,
    globals: BTreeMap<&'t str, (Variable, Type)>,
    locals: BTreeMap<&'t str, (Variable, Type)>,
    procedures: BTreeMap<&'t str, KnownProcedure>,
}

type Parsed<T> = Result<T, String>;

/// Reads a program.
///
/// # Errors
/// What is not of the language, and near which token.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
        program: Program::default(),
        globals: BTreeMap::new(),
        locals: BTreeMap::new(),
        procedures: BTreeMap::new(),
    };
    while parser.at < parser.tokens.len() {
        let near = parser.at;
        let told = parser.declaration();
        told.map_err(|e| {
            let place = parser.tokens[near..parser.at.min(parser.tokens.len())].join(" ");
            format!("{e}, at: {place}")
        })?;
    }
    let main = parser.program.procedures.iter();
    let main = main.clone().position(|p| p.name == "main");
    parser.program.main = main.ok_or("there is no main")?;
    Ok(parser.program)
}

/// The words of a text; comments run to the end of their line.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("//").next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if ["==", "!=", "<=", ">="]
                .iter()
                .any(|op| rest.starts_with(op))
            {
                2
            } else {
                first.len_utf8()
            };
            found.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
    }
    found
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn takes(&mut self, token: &str) -> bool {
        let is_it = self.peek() == token;
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        match self.next() {
            found if found == token => Ok(()),
            found => Err(format!("expected {token}, found {found}")),
        }
    }

    fn name(&mut self) -> Parsed<&'t str> {
        let name = self.next();
        match name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true => Ok(name),
            false => Err(format!("expected a name, found {name}")),
        }
    }

    /// `void`, `uint64_t` or `uint64_t*`.
    fn type_name(&mut self) -> Parsed<Type> {
        if !self.takes("void") {
            self.expect("uint64_t")?;
        }
        Ok(match self.takes("*") {
            true => Type::Pointer,
            false => Type::Word,
        })
    }

    fn site(&mut self) -> Site {
        self.program.sites += 1;
        Site(self.program.sites - 1)
    }

    /// A global variable or a procedure.
    fn declaration(&mut self) -> Parsed<()> {
        let result = self.type_name()?;
        let name = self.name()?;
        if self.takes(";") {
            let variable = Variable::Global(self.program.globals);
            self.program.globals += 1;
            self.globals.insert(name, (variable, result));
            return Ok(());
        }
        self.expect("(")?;
        self.locals.clear();
        while !self.takes(")") {
            let of = self.type_name()?;
            let param = self.name()?;
            self.local(param, of);
            self.takes(",");
        }
        let params = self.locals.len();
        let index = self.program.procedures.len();
        let callee = Callee::Procedure(index);
        let known = KnownProcedure {
            callee,
            params,
            result,
        };
        // It may call itself.
        self.procedures.insert(name, known);
        self.expect("{")?;
        while self.peek() == "uint64_t" {
            let of = self.type_name()?;
            let local = self.name()?;
            self.local(local, of);
            self.expect(";")?;
        }
        let body = self.statements()?;
        self.program.procedures.push(Procedure {
            name: name.to_string(),
            params,
            variables: self.locals.len(),
            body,
        });
        Ok(())
    }

    fn local(&mut self, name: &'t str, of: Type) {
        let variable = Variable::Local(self.locals.len());
        self.locals.insert(name, (variable, of));
    }

    /// Statements up to a closing brace.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut all = Vec::new();
        while !self.takes("}") {
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        self.statements()
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let statement = match self.peek() {
            "if" => {
                self.next();
                let condition = self.condition()?;
                let then = self.block()?;
                let otherwise = match self.takes("else") {
                    true => self.block()?,
                    false => Vec::new(),
                };
                return Ok(Statement::If(condition, then, otherwise));
            }
            "while" => {
                self.next();
                let condition = self.condition()?;
                return Ok(Statement::While(condition, self.block()?));
            }
            "return" => {
                self.next();
                match self.peek() {
                    ";" => Statement::Return(Expr::Number(0)),
                    _ => Statement::Return(self.expression()?.0),
                }
            }
            "*" => {
                self.next();
                let (address, _) = self.factor()?;
                self.expect("=")?;
                Statement::Store(address, self.expression()?.0)
            }
            _ => {
                let name = self.name()?;
                if self.peek() == "(" {
                    let (callee, args, _) = self.call(name)?;
                    Statement::Call(callee, args)
                } else {
                    let (variable, _) = self.variable(name)?;
                    self.expect("=")?;
                    Statement::Assign(variable, self.expression()?.0)
                }
            }
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let (condition, _) = self.expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn variable(&self, name: &str) -> Parsed<(Variable, Type)> {
        let known = self.locals.get(name).or_else(|| self.globals.get(name));
        known
            .copied()
            .ok_or_else(|| format!("no variable is called {name}"))
    }

    fn call(&mut self, name: &str) -> Parsed<(Callee, Vec<Expr>, Type)> {
        let library = |callee, params, result| KnownProcedure {
            callee,
            params,
            result,
        };
        let known = match name {
            "malloc" => library(Callee::Malloc, 1, Type::Pointer),
            "exit" => library(Callee::Exit, 1, Type::Word),
            "interval" => library(Callee::Interval(self.site()), 4, Type::Word),
            "assert" => library(Callee::Assert(self.site()), 1, Type::Word),
            "printsv" => library(Callee::Printsv, 2, Type::Word),
            "assert_begin" => library(Callee::ZoneBegins, 0, Type::Word),
            "assert_end" => library(Callee::ZoneEnds, 0, Type::Word),
            _ => *self
                .procedures
                .get(name)
                .ok_or_else(|| format!("no procedure is called {name}"))?,
        };
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.takes(")") {
            args.push(self.expression()?.0);
            self.takes(",");
        }
        match args.len() == known.params {
            true => Ok((known.callee, args, known.result)),
            false => Err(format!("{name} takes {} arguments", known.params)),
        }
    }

    /// A comparison, or what it compares.
    fn expression(&mut self) -> Parsed<(Expr, Type)> {
        let left = self.sum()?;
        let operator = match self.peek() {
            "==" => Operator::Eq,
            "!=" => Operator::Ne,
            "<" => Operator::Lt,
            "<=" => Operator::Le,
            ">" => Operator::Gt,
            ">=" => Operator::Ge,
            _ => return Ok(left),
        };
        self.next();
        let right = self.sum()?;
        Ok((binary(operator, left.0, right.0), Type::Word))
    }

    fn sum(&mut self) -> Parsed<(Expr, Type)> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                "+" => Operator::Add,
                "-" => Operator::Sub,
                _ => return Ok(left),
            };
            self.next();
            let right = self.product()?;
            left = match (left.1, right.1) {
                (Type::Word, Type::Word) => (binary(operator, left.0, right.0), Type::Word),
                (Type::Pointer, Type::Word) => {
                    (binary(operator, left.0, scaled(right.0)), Type::Pointer)
                }
                (Type::Word, Type::Pointer) if operator == Operator::Add => {
                    (binary(operator, scaled(left.0), right.0), Type::Pointer)
                }
                (Type::Word | Type::Pointer, Type::Pointer) => {
                    return Err("a sum or distance of two pointers".to_string());
                }
            };
        }
    }

    fn product(&mut self) -> Parsed<(Expr, Type)> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.peek() {
                "*" => Operator::Mul,
                "/" => Operator::Div(self.site()),
                "%" => Operator::Rem(self.site()),
                _ => return Ok(left),
            };
            self.next();
            let right = self.factor()?;
            left = (binary(operator, left.0, right.0), Type::Word);
        }
    }

    fn factor(&mut self) -> Parsed<(Expr, Type)> {
        if self.takes("*") {
            let (address, _) = self.factor()?;
            return Ok((Expr::Load(Box::new(address)), Type::Word));
        }
        if self.takes("&") {
            let name = self.name()?;
            return Ok((Expr::Address(self.variable(name)?.0), Type::Pointer));
        }
        if self.takes("(") {
            let inside = self.expression()?;
            self.expect(")")?;
            return Ok(inside);
        }
        let token = self.peek();
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            self.next();
            let number = token.parse();
            let number = number.map_err(|_| format!("{token} is no number of 64 bits"))?;
            return Ok((Expr::Number(number), Type::Word));
        }
        let name = self.name()?;
        if self.peek() == "(" {
            let (callee, args, result) = self.call(name)?;
            return Ok((Expr::Call(callee, args), result));
        }
        let (variable, of) = self.variable(name)?;
        Ok((Expr::Variable(variable), of))
    }
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

/// A number of words in bytes.
fn scaled(words: Expr) -> Expr {
    binary(Operator::Mul, words, Expr::Number(8))
}
