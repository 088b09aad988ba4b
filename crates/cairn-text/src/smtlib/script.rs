//! The reader of scripts: its state, and the small reads that everything else is made of.

use super::Command;
use super::machine::TermMachine;
use super::scope::{Declaration, Scope};
use crate::error::shown;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits::WorkAccount;
use crate::{TextError, TextLimits};
use cairn_expr::{Term, TermStore};
use std::io::Read;

/// Reads a script command by command.
///
/// Any [`Read`] will do; it is read in large pieces, so it needs no buffer of its own. A command
/// is given as soon as its closing parenthesis was read, which makes dialogues possible. The
/// script keeps the symbol tables: all commands must be read with the same store.
pub struct Script<R> {
    pub(super) lexer: Lexer<R>,
    pub(super) scope: Scope,
    pub(super) machine: TermMachine,
    pub(super) account: WorkAccount,
}

impl<R: Read> Script<R> {
    /// Starts to read.
    pub fn new(source: R) -> Self {
        Self::with_limits(source, TextLimits::default())
    }

    /// Starts to read with other bounds on what the text may ask for.
    pub fn with_limits(source: R, limits: TextLimits) -> Self {
        Script {
            lexer: Lexer::new(source),
            scope: Scope::new(),
            machine: TermMachine::default(),
            account: WorkAccount::new(limits),
        }
    }

    /// The next command, or `None` at the end of the text.
    ///
    /// A command with an error has no effect on the symbol tables. The call after an error skips
    /// what is left of that command, if [`Script::skip_command`] has not done it; an error that
    /// is [fatal](TextError::fatal) stays.
    pub fn next_command(&mut self, store: &TermStore) -> Result<Option<Command>, TextError> {
        self.skip_command()?;
        self.scope.sweep();
        let undo = self.scope.checkpoint();
        let command = self.command(store);
        if command.is_err() {
            undo(&mut self.scope);
        }
        command
    }

    /// Skips the rest of a command that had an error.
    pub fn skip_command(&mut self) -> Result<(), TextError> {
        self.lexer.skip_to_top()
    }

    /// The symbols declared now, in order of declaration.
    pub fn declarations(&self) -> &[Declaration] {
        &self.scope.declared
    }

    /// The terms named by `:named` now, in order.
    pub fn named_terms(&self) -> &[(String, Term)] {
        &self.scope.named
    }

    /// How many assertion levels are open.
    pub fn levels(&self) -> usize {
        self.scope.depth()
    }

    /// An error that says what was found in place of what.
    pub(super) fn unexpected(&self, token: Token, expected: &str) -> TextError {
        let text = shown(self.lexer.text());
        let found = match token.kind {
            TokenKind::Open => "`(`".to_string(),
            TokenKind::Close => "`)`".to_string(),
            TokenKind::Symbol | TokenKind::Numeral | TokenKind::Decimal => format!("`{text}`"),
            TokenKind::Quoted => format!("`|{text}|`"),
            TokenKind::Keyword => format!("`:{text}`"),
            TokenKind::Hex => format!("`#x{text}`"),
            TokenKind::Binary => format!("`#b{text}`"),
            TokenKind::String => "a string".to_string(),
            TokenKind::End => "the end of the text".to_string(),
        };
        TextError::new(token.at, format!("expected {expected}, found {found}"))
    }

    pub(super) fn expect(&mut self, kind: TokenKind, expected: &str) -> Result<Token, TextError> {
        let token = self.lexer.next()?;
        if token.kind != kind {
            return Err(self.unexpected(token, expected));
        }
        Ok(token)
    }

    pub(super) fn close(&mut self, expected: &str) -> Result<(), TextError> {
        let token = self.lexer.next()?;
        if token.kind != TokenKind::Close {
            return Err(self.unexpected(token, &format!("`)`, {expected}")));
        }
        Ok(())
    }

    /// Reads a symbol and gives its name as text.
    pub(super) fn name(&mut self, expected: &str) -> Result<(Token, String), TextError> {
        let token = self.lexer.next()?;
        if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Err(self.unexpected(token, expected));
        }
        match std::str::from_utf8(self.lexer.text()) {
            Ok(name) => Ok((token, name.to_string())),
            Err(_) => Err(TextError::new(token.at, "a symbol that is not UTF-8")),
        }
    }

    /// Reads a numeral; one beyond 64 bits is as good as the largest.
    pub(super) fn numeral(&mut self, expected: &str) -> Result<u64, TextError> {
        self.expect(TokenKind::Numeral, expected)?;
        Ok(numeral_value(self.lexer.text()))
    }

    /// Reads a numeral that fits in 32 bits.
    pub(super) fn small_numeral(&mut self, expected: &str) -> Result<u32, TextError> {
        let token = self.expect(TokenKind::Numeral, expected)?;
        u32::try_from(numeral_value(self.lexer.text())).map_err(|_| {
            let text = shown(self.lexer.text());
            TextError::new(token.at, format!("the number {text} is too large"))
        })
    }

    /// Moves past one expression whose first token was read.
    pub(super) fn skip_expression(&mut self, first: Token) -> Result<(), TextError> {
        match first.kind {
            TokenKind::Open => {
                let outside = self.lexer.depth() - 1;
                while self.lexer.depth() > outside {
                    self.lexer.next()?;
                }
                Ok(())
            }
            TokenKind::Close | TokenKind::End => Err(self.unexpected(first, "an expression")),
            TokenKind::Symbol
            | TokenKind::Quoted
            | TokenKind::Keyword
            | TokenKind::Numeral
            | TokenKind::Decimal
            | TokenKind::Hex
            | TokenKind::Binary
            | TokenKind::String => Ok(()),
        }
    }
}

/// The value of decimal digits, saturating.
pub(super) fn numeral_value(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |n, d| {
        n.saturating_mul(10).saturating_add(u64::from(d - b'0'))
    })
}
