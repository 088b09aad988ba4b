//! Reading terms.
//!
//! # Problem
//! Generated scripts nest terms a million deep; a reader that recurses on the nesting overflows the stack.
//!
//! # Idea
//! One loop over tokens. Constructs that are not complete lie on explicit stacks ([`TermMachine`]); a complete
//! term is handed to the frame below it, which may complete another.
//!
//! Binding a name replaces its meaning in the table, and the old one is restored where the binding ends.
//!
//! # Soundness
//! The reader checks sorts and arities and refuses what is not well-sorted. After an error the names that
//! were bound are unbound again, so the next command is read in the right scope.
//!
//! # Cost
//! Looking a name up is one hash, however deep the nesting is.

use super::Script;
use super::machine::{Head, ParseFrame};
use super::operators::{OperatorKind, apply, apply_indexed, sorts_of};
use super::scope::{DefinedFunction, Macro, Reserved, SymbolMeaning};
use super::script::numeral_value;
use crate::TextError;
use crate::error::{TextPosition, shown};
use crate::lexer::{Token, TokenKind};
use crate::limits::{AtPosition, WorkAccount};
use cairn_bv::BitVec;
use cairn_expr::{Op, Sort, Substitution, Table, Term, TermStore};
use std::io::Read;

/// Tables that an annotation asks for have at most this many elements.
const LARGEST_TABLE: u64 = 1 << 24;

/// The construct that an opening parenthesis began.
enum Opened {
    /// A term that is already complete, as `(_ bv5 8)`.
    Complete(Term),
    /// A frame that waits for more.
    Frame(ParseFrame),
}

impl<R: Read> Script<R> {
    /// Reads a term.
    pub(super) fn term(&mut self, store: &TermStore) -> Result<Term, TextError> {
        let result = self.run(store);
        if result.is_err() {
            self.machine.unwind(&mut self.scope);
        }
        result
    }

    /// Reads a term of one sort.
    pub(super) fn term_of_sort(
        &mut self,
        store: &TermStore,
        sort: Sort,
    ) -> Result<Term, TextError> {
        let first = self.lexer.next()?;
        self.lexer.push_back(first);
        let term = self.term(store)?;
        if term.sort() != sort {
            return Err(TextError::new(
                first.at,
                format!(
                    "expected a term of sort {sort}, found one of sort {}",
                    term.sort()
                ),
            ));
        }
        Ok(term)
    }

    fn run(&mut self, store: &TermStore) -> Result<Term, TextError> {
        loop {
            let token = self.lexer.next()?;
            let term = match token.kind {
                TokenKind::Open => match self.open(store, token.at)? {
                    Opened::Complete(term) => term,
                    Opened::Frame(frame) => {
                        self.machine.frames.push(frame);
                        continue;
                    }
                },
                TokenKind::Close => self.apply_top(store, token)?,
                TokenKind::Symbol | TokenKind::Quoted => self.constant(store, token)?,
                TokenKind::Hex | TokenKind::Binary => self.literal(store, token)?,
                TokenKind::Keyword
                | TokenKind::Numeral
                | TokenKind::Decimal
                | TokenKind::String
                | TokenKind::End => {
                    return Err(self.unexpected(token, "a term"));
                }
            };
            if let Some(whole) = self.complete(store, term)? {
                return Ok(whole);
            }
        }
    }

    /// Hands a complete term to the frame below; gives it back if there is none.
    fn complete(&mut self, store: &TermStore, term: Term) -> Result<Option<Term>, TextError> {
        let mut term = term;
        loop {
            match self.machine.frames.last() {
                None => return Ok(Some(term)),
                Some(ParseFrame::Apply { .. }) => {
                    self.machine.operands.push(term);
                    return Ok(None);
                }
                Some(ParseFrame::Binding { name, first }) => {
                    let (name, first) = (*name, *first);
                    self.close("the end of the binding")?;
                    self.machine
                        .bindings
                        .push((name, SymbolMeaning::Term(term)));
                    self.machine.frames.pop();
                    let next = self.next_binding(first)?;
                    self.machine.frames.push(next);
                    return Ok(None);
                }
                Some(ParseFrame::Body { first }) => {
                    let first = *first;
                    self.close("the end of the let")?;
                    self.machine.frames.pop();
                    self.machine.leave(&mut self.scope, first);
                }
                Some(ParseFrame::Annotated) => {
                    term = self.annotations(store, term)?;
                    self.machine.frames.pop();
                }
            }
        }
    }

    /// After `(`.
    fn open(&mut self, store: &TermStore, at: TextPosition) -> Result<Opened, TextError> {
        let token = self.lexer.next()?;
        let first = self.machine.operands.len();
        let apply = |head| Opened::Frame(ParseFrame::Apply { head, first, at });
        match token.kind {
            TokenKind::Symbol | TokenKind::Quoted => {}
            TokenKind::Open => return Ok(apply(self.compound_head()?)),
            _ => return Err(self.unexpected(token, "an operator")),
        }
        let name = self.lexer.text();
        match self.scope.meaning(name, token.kind == TokenKind::Quoted) {
            SymbolMeaning::Operator(operator) => Ok(apply(Head::Operator(operator))),
            SymbolMeaning::Function(function) => Ok(apply(Head::Function(function.clone()))),
            SymbolMeaning::Macro(defined) => Ok(apply(Head::Macro(defined.clone()))),
            SymbolMeaning::Reserved(Reserved::Let) => {
                self.expect(TokenKind::Open, "`(`, the bindings of the let")?;
                let first = self.machine.bindings.len();
                Ok(Opened::Frame(self.next_binding(first)?))
            }
            SymbolMeaning::Reserved(Reserved::Annotation) => {
                Ok(Opened::Frame(ParseFrame::Annotated))
            }
            SymbolMeaning::Reserved(Reserved::Underscore) => {
                self.indexed_constant(store, at).map(Opened::Complete)
            }
            SymbolMeaning::Reserved(Reserved::As) => {
                self.qualified_constant(store, at).map(Opened::Complete)
            }
            SymbolMeaning::Reserved(Reserved::Other) => Err(TextError::new(
                token.at,
                format!("`{}` is not supported in terms", shown(name)),
            )),
            SymbolMeaning::Term(_) => Err(TextError::new(
                token.at,
                format!("`{}` takes no operands", shown(name)),
            )),
            SymbolMeaning::Unknown => Err(undeclared(token.at, name)),
        }
    }

    /// A binding's `(name`, or the `)` that ends the list.
    fn next_binding(&mut self, first: usize) -> Result<ParseFrame, TextError> {
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Open => {
                let token = self.lexer.next()?;
                if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
                    return Err(self.unexpected(token, "the name of a let variable"));
                }
                let quoted = token.kind == TokenKind::Quoted;
                let text = self.lexer.text();
                if let SymbolMeaning::Reserved(_) = self.scope.meaning(text, quoted) {
                    return Err(self.unexpected(token, "the name of a let variable"));
                }
                let name = self.scope.symbol(self.lexer.text(), quoted);
                Ok(ParseFrame::Binding { name, first })
            }
            TokenKind::Close => {
                let bindings = &self.machine.bindings[first..];
                if bindings.is_empty() {
                    return Err(TextError::new(token.at, "a let without bindings"));
                }
                if bindings.len() > 1 {
                    let mut names: Vec<u32> = bindings.iter().map(|(name, _)| *name).collect();
                    names.sort_unstable();
                    if names.windows(2).any(|w| w[0] == w[1]) {
                        return Err(TextError::new(token.at, "a let binds one name twice"));
                    }
                }
                self.machine.enter(&mut self.scope, first);
                Ok(ParseFrame::Body { first })
            }
            _ => Err(self.unexpected(token, "a binding or the end of the bindings")),
        }
    }

    /// A head after `((`: `_ extract 7 0)` or `as const (Array ...))`.
    fn compound_head(&mut self) -> Result<Head, TextError> {
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Symbol && self.lexer.text() == b"_" {
            return self.indexed_head();
        }
        if token.kind == TokenKind::Symbol && self.lexer.text() == b"as" {
            let name = self.lexer.next()?;
            if name.kind != TokenKind::Symbol || self.lexer.text() != b"const" {
                return Err(self.unexpected(name, "`const`"));
            }
            let sort = self.sort()?;
            self.close("the end of the constant array's sort")?;
            let Sort::Array { index, value } = sort else {
                return Err(TextError::new(
                    name.at,
                    format!("a constant array is of an array sort, found {sort}"),
                ));
            };
            return Ok(Head::ConstArray(index, value));
        }
        Err(self.unexpected(token, "`_` or `as`"))
    }

    fn indexed_head(&mut self) -> Result<Head, TextError> {
        let token = self.lexer.next()?;
        if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Err(self.unexpected(token, "the name of an operator with numbers"));
        }
        let name = self.lexer.text();
        let SymbolMeaning::Operator(operator) = self.scope.meaning(name, false) else {
            return Err(TextError::new(
                token.at,
                format!("`(_ {} ...)` is no known operator", shown(name)),
            ));
        };
        let OperatorKind::Indexed(indexed) = operator.kind else {
            return Err(TextError::new(
                token.at,
                format!("{} takes no numbers", operator.name),
            ));
        };
        let mut numbers = [0; 2];
        for number in numbers.iter_mut().take(indexed.numbers()) {
            *number = self.small_numeral("a number of the operator")?;
        }
        self.close("the end of the operator's numbers")?;
        Ok(Head::Indexed(indexed, numbers))
    }

    /// After `(_` where a term is expected: `bv5 8)`.
    fn indexed_constant(&mut self, store: &TermStore, at: TextPosition) -> Result<Term, TextError> {
        let token = self.lexer.next()?;
        let text = self.lexer.text();
        let digits = match text.strip_prefix(b"bv") {
            Some(digits)
                if token.kind == TokenKind::Symbol
                    && !digits.is_empty()
                    && digits.iter().all(u8::is_ascii_digit) =>
            {
                digits
            }
            Some(_) | None => return Err(self.unexpected(token, "a constant such as `bv5`")),
        };
        // Numbers up to 64 bits are read at once; longer ones are kept until the width is known.
        let small = (digits.len() < 20).then(|| numeral_value(digits));
        let long = match small {
            Some(_) => String::new(),
            None => String::from_utf8_lossy(digits).into_owned(),
        };
        let width = self.numeral("the width of the constant")?;
        self.close("the end of the constant")?;
        self.account.have_read(self.lexer.offset());
        let width = self.account.width(width).at(at)?;
        self.account.charge_operation(width, false).at(at)?;
        let value = match small {
            Some(n) if width >= 64 || n >> width == 0 => Some(BitVec::new(width, n)),
            Some(_) => None,
            None => BitVec::parse_dec(width, &long),
        };
        match value {
            Some(value) => Ok(store.constant(value)),
            None => Err(TextError::new(
                at,
                format!("the constant does not fit in {width} bits"),
            )),
        }
    }

    /// After `(as` where a term is expected: `x Bool)`.
    fn qualified_constant(
        &mut self,
        store: &TermStore,
        at: TextPosition,
    ) -> Result<Term, TextError> {
        let token = self.lexer.next()?;
        if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Err(self.unexpected(token, "a symbol"));
        }
        let term = self.constant(store, token)?;
        let sort = self.sort()?;
        self.close("the end of the qualified symbol")?;
        if term.sort() != sort {
            return Err(TextError::new(
                at,
                format!("the symbol has sort {}, not {sort}", term.sort()),
            ));
        }
        Ok(term)
    }

    /// A symbol that stands for a term.
    fn constant(&mut self, store: &TermStore, token: Token) -> Result<Term, TextError> {
        let name = self.lexer.text();
        match self.scope.meaning(name, token.kind == TokenKind::Quoted) {
            SymbolMeaning::Term(term) => Ok(term.clone()),
            SymbolMeaning::Operator(operator) => match operator.kind {
                OperatorKind::Constant(b) => Ok(store.bool(b)),
                _ => Err(needs_operands(token.at, name)),
            },
            SymbolMeaning::Function(_) | SymbolMeaning::Macro(_) => {
                Err(needs_operands(token.at, name))
            }
            SymbolMeaning::Reserved(_) => Err(self.unexpected(token, "a term")),
            SymbolMeaning::Unknown => Err(undeclared(token.at, name)),
        }
    }

    fn literal(&mut self, store: &TermStore, token: Token) -> Result<Term, TextError> {
        let digits = self.lexer.text();
        let bits_per_digit = if token.kind == TokenKind::Hex { 4 } else { 1 };
        let width = digits.len() as u64 * bits_per_digit;
        let width = self.account.width(width).at(token.at)?;
        if width <= 64 {
            let value = digits.iter().fold(0u64, |n, d| {
                let digit = char::from(*d).to_digit(16).unwrap_or(0);
                n << bits_per_digit | u64::from(digit)
            });
            return Ok(store.bv(width, value));
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        let value = match token.kind {
            TokenKind::Hex => BitVec::parse_hex(text),
            _ => BitVec::parse_bin(text),
        };
        match value {
            Some(value) => Ok(store.constant(value)),
            None => Err(self.unexpected(token, "a literal")),
        }
    }

    /// At `)`: applies the head of the top frame.
    fn apply_top(&mut self, store: &TermStore, token: Token) -> Result<Term, TextError> {
        if !matches!(self.machine.frames.last(), Some(ParseFrame::Apply { .. })) {
            return Err(self.unexpected(token, "a term"));
        }
        let Some(ParseFrame::Apply { head, first, at }) = self.machine.frames.pop() else {
            unreachable!("the frame was looked at");
        };
        self.account.have_read(self.lexer.offset());
        let args = &self.machine.operands[first..];
        let account = &mut self.account;
        let result = match &head {
            Head::Operator(operator) => apply(store, operator, args, account),
            Head::Indexed(indexed, numbers) => {
                apply_indexed(store, *indexed, *numbers, args, account)
            }
            Head::ConstArray(index, value) => match args {
                [a] if a.sort() == Sort::BitVec(*value) => Ok(store.const_array(*index, a)),
                _ => Err(format!(
                    "the constant array expects one bit-vector of width {value}, found {}",
                    sorts_of(args)
                )),
            },
            Head::Function(function) => apply_function(store, function, args, account),
            Head::Macro(defined) => apply_macro(store, defined, args, account),
        };
        self.machine.operands.truncate(first);
        result.at(at)
    }

    /// The attributes of `(! term ...)` up to its end.
    fn annotations(&mut self, store: &TermStore, term: Term) -> Result<Term, TextError> {
        let mut term = term;
        let outermost = self.machine.frames.len() == 1;
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Close => return Ok(term),
                TokenKind::Keyword => {}
                _ => return Err(self.unexpected(token, "an attribute or `)`")),
            }
            match self.lexer.text() {
                b"named" => self.give_name(&term, outermost)?,
                b"table" => {
                    if let Some(table) = self.as_table(&term).at(token.at)? {
                        term = store.table(table);
                    }
                }
                _ => {
                    let value = self.lexer.next()?;
                    if matches!(value.kind, TokenKind::Close | TokenKind::Keyword) {
                        self.lexer.push_back(value);
                    } else {
                        self.skip_expression(value)?;
                    }
                }
            }
        }
    }

    fn give_name(&mut self, term: &Term, outermost: bool) -> Result<(), TextError> {
        let (token, name) = self.name("the name of the term")?;
        if self.machine.no_names {
            return Err(TextError::new(
                token.at,
                "a term with parameters cannot be named",
            ));
        }
        self.declare_name(token, SymbolMeaning::Term(term.clone()))?;
        if outermost {
            self.machine.root_name = Some(name.clone());
        } else {
            self.machine.named.push((name.clone(), term.clone()));
        }
        self.scope.named.push((name, term.clone()));
        Ok(())
    }

    /// The table that a chain of stores of constants into a table makes. Our printer marks the
    /// chains it writes for tables, because the constructors keep long ones as stores.
    fn as_table(&mut self, term: &Term) -> Result<Option<Table>, String> {
        let mut stores = Vec::new();
        let mut rest = term;
        let mut longest = 0;
        while matches!(rest.op(), Op::Store) {
            let (Some(index), Some(value)) = (rest.arg(1).as_const(), rest.arg(2).as_const())
            else {
                return Ok(None);
            };
            let Some(position) = index.to_u64().filter(|p| *p < LARGEST_TABLE) else {
                return Ok(None);
            };
            longest = longest.max(position + 1);
            stores.push((position as usize, value));
            rest = rest.arg(0);
        }
        let Op::Table(table) = rest.op() else {
            return Ok(None);
        };
        self.account.have_read(self.lexer.offset());
        self.account
            .charge_operation(table.default_value().width(), false)?;
        self.account
            .charge(longest * 3 + table.values().len() as u64)?;
        let mut values = table.values().to_vec();
        if values.len() < longest as usize {
            values.resize(longest as usize, table.default_value().clone());
        }
        for (position, value) in stores.iter().rev() {
            values[*position] = (*value).clone();
        }
        let default = table.default_value().clone();
        Ok(Some(Table::new(table.index_width(), values, default)))
    }
}

fn undeclared(at: TextPosition, name: &[u8]) -> TextError {
    TextError::new(at, format!("`{}` is not declared", shown(name)))
}

fn needs_operands(at: TextPosition, name: &[u8]) -> TextError {
    TextError::new(at, format!("`{}` needs operands", shown(name)))
}

fn check_operands(name: &str, expected: &[Sort], args: &[Term]) -> Result<(), String> {
    if expected.len() == args.len() && expected.iter().zip(args).all(|(s, a)| *s == a.sort()) {
        return Ok(());
    }
    let expected: Vec<String> = expected.iter().take(8).map(Sort::to_string).collect();
    Err(format!(
        "{name} expects {}, found {}",
        expected.join(" "),
        sorts_of(args)
    ))
}

/// A declared function is read at the concatenation of its operands.
fn apply_function(
    store: &TermStore,
    function: &DefinedFunction,
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    check_operands(&function.name, &function.parameters, args)?;
    account.charge(args.len() as u64)?;
    let mut index: Option<Term> = None;
    for a in args.iter().rev() {
        let part = match a.sort() {
            Sort::Bool => store.bool_to_bit(a),
            Sort::BitVec(_) | Sort::Array { .. } => a.clone(),
        };
        index = Some(match index {
            None => part,
            Some(low) => store.concat(&part, &low),
        });
    }
    let Some(index) = index else {
        return Err(format!("{} needs operands", function.name));
    };
    let value = store.select(&function.array, &index);
    Ok(match function.result {
        Sort::Bool => store.eq(&value, &store.bv(1, 1)),
        Sort::BitVec(_) | Sort::Array { .. } => value,
    })
}

/// A defined function is its body with the operands in place of the parameters.
fn apply_macro(
    store: &TermStore,
    defined: &Macro,
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    let sorts: Vec<Sort> = defined.parameters.iter().map(Term::sort).collect();
    check_operands(&defined.name, &sorts, args)?;
    account.charge(defined.size.saturating_mul(24))?;
    let mut substitution = Substitution::new();
    for (parameter, a) in defined.parameters.iter().zip(args) {
        substitution.insert(parameter.clone(), a.clone());
    }
    Ok(substitution.apply(store, &defined.body))
}
