//! Reading what another SMT-LIB solver answers.

use super::Script;
use super::command::unescaped;
use crate::TextError;
use crate::error::shown;
use crate::lexer::TokenKind;
use cairn_expr::{Evaluator, Model, Sort, TermStore, Value};
use std::io::Read;

/// The answer to a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverResponse {
    /// `sat`.
    Sat,
    /// `unsat`.
    Unsat,
    /// `unknown`.
    Unknown,
    /// `success`.
    Success,
    /// `unsupported`.
    Unsupported,
    /// `(error "...")`: the string's content.
    Error(String),
}

/// Reads answers from a solver's output, each as soon as it is complete.
pub struct Responses<R> {
    script: Script<R>,
    store: TermStore,
}

impl<R: Read> Responses<R> {
    /// Starts to read.
    pub fn new(source: R) -> Self {
        Responses {
            script: Script::new(source),
            store: TermStore::new(),
        }
    }

    /// The answer to `check-sat` or to a command that answers with one word.
    pub fn answer(&mut self) -> Result<SolverResponse, TextError> {
        self.script.skip_command()?;
        let token = self.script.lexer.next()?;
        match token.kind {
            TokenKind::Symbol => match self.script.lexer.text() {
                b"sat" => Ok(SolverResponse::Sat),
                b"unsat" => Ok(SolverResponse::Unsat),
                b"unknown" => Ok(SolverResponse::Unknown),
                b"success" => Ok(SolverResponse::Success),
                b"unsupported" => Ok(SolverResponse::Unsupported),
                _ => Err(self.script.unexpected(token, "sat, unsat or unknown")),
            },
            TokenKind::Open => {
                let word = self.script.lexer.next()?;
                if word.kind != TokenKind::Symbol || self.script.lexer.text() != b"error" {
                    return Err(self.script.unexpected(word, "`error`"));
                }
                self.error_text().map(SolverResponse::Error)
            }
            TokenKind::End => Err(TextError::fatal_at(token.at, "the solver's output ended")),
            _ => Err(self.script.unexpected(token, "sat, unsat or unknown")),
        }
    }

    /// The answer to `(get-value (t ...))`: the values, which must have the given sorts.
    pub fn values(&mut self, sorts: &[Sort]) -> Result<Vec<Value>, TextError> {
        self.script.skip_command()?;
        let token = self.script.lexer.next()?;
        match token.kind {
            TokenKind::Open => {}
            TokenKind::End => {
                return Err(TextError::fatal_at(token.at, "the solver's output ended"));
            }
            _ => return Err(self.script.unexpected(token, "`(`, a list of values")),
        }
        let mut values = Vec::with_capacity(sorts.len());
        for sort in sorts {
            let token = self.script.lexer.next()?;
            if token.kind == TokenKind::Symbol && self.script.lexer.text() == b"error" {
                let text = self.error_text()?;
                let text = shown(text.as_bytes());
                return Err(TextError::new(token.at, format!("the solver says: {text}")));
            }
            if token.kind != TokenKind::Open {
                return Err(self.script.unexpected(token, "`(`, a term and its value"));
            }
            let term = self.script.lexer.next()?;
            self.script.skip_expression(term)?;
            let value = self.script.term_of_sort(&self.store, *sort)?;
            self.script.close("the end of the value")?;
            // The text declares nothing, so the term has no symbols.
            let mut evaluator = Evaluator::new();
            evaluator.start();
            values.push(evaluator.eval(&value, &Model::new()));
        }
        self.script.close("the end of the values")?;
        Ok(values)
    }

    /// After `(error`.
    fn error_text(&mut self) -> Result<String, TextError> {
        self.script
            .expect(TokenKind::String, "the text of the error")?;
        let text = unescaped(self.script.lexer.text());
        self.script.close("the end of the error")?;
        Ok(text)
    }
}

/// Reads one answer from a text.
pub fn read_answer(text: &str) -> Result<SolverResponse, TextError> {
    Responses::new(text.as_bytes()).answer()
}

/// Reads the answer to a `get-value` from a text.
pub fn read_values(text: &str, sorts: &[Sort]) -> Result<Vec<Value>, TextError> {
    Responses::new(text.as_bytes()).values(sorts)
}
