//! Reading sorts.

use super::Script;
use crate::TextError;
use crate::error::{TextPosition, shown};
use crate::lexer::{Token, TokenKind};
use crate::limits::AtPosition;
use cairn_expr::Sort;
use std::io::Read;

impl<R: Read> Script<R> {
    /// Reads a sort.
    pub(super) fn sort(&mut self) -> Result<Sort, TextError> {
        let token = self.lexer.next()?;
        self.sort_from(token)
    }

    /// Reads a sort whose first token was read. Arrays hold bit-vectors only, so this nests two
    /// deep at most.
    pub(super) fn sort_from(&mut self, token: Token) -> Result<Sort, TextError> {
        match token.kind {
            TokenKind::Open => {}
            TokenKind::Symbol | TokenKind::Quoted => return named_sort(self, token.at),
            _ => return Err(self.unexpected(token, "a sort")),
        }
        let head = self.lexer.next()?;
        match head.kind {
            TokenKind::Symbol if self.lexer.text() == b"_" => bit_vector_sort(self, token.at),
            TokenKind::Symbol if self.lexer.text() == b"Array" => {
                let index = element_sort(self)?;
                let value = element_sort(self)?;
                self.close("the end of the array sort")?;
                Ok(Sort::Array { index, value })
            }
            TokenKind::Symbol | TokenKind::Quoted => {
                let name = shown(self.lexer.text());
                Err(TextError::new(
                    token.at,
                    format!("unsupported sort ({name} ...)"),
                ))
            }
            _ => Err(self.unexpected(head, "the name of a sort")),
        }
    }
}

fn named_sort<R: Read>(script: &mut Script<R>, at: TextPosition) -> Result<Sort, TextError> {
    let name = script.lexer.text();
    if name == b"Bool" {
        return Ok(Sort::Bool);
    }
    script
        .scope
        .sort(name)
        .ok_or_else(|| TextError::new(at, format!("unsupported or undefined sort {}", shown(name))))
}

/// After `(_`.
fn bit_vector_sort<R: Read>(script: &mut Script<R>, at: TextPosition) -> Result<Sort, TextError> {
    let name = script.lexer.next()?;
    if name.kind != TokenKind::Symbol || script.lexer.text() != b"BitVec" {
        let text = shown(script.lexer.text());
        return Err(TextError::new(
            at,
            format!("unsupported sort (_ {text} ...)"),
        ));
    }
    let width = script.numeral("the width of a bit-vector")?;
    let width = script.account.width(width).at(at)?;
    script.close("the end of the bit-vector sort")?;
    Ok(Sort::BitVec(width))
}

/// The width of an array's index or value.
fn element_sort<R: Read>(script: &mut Script<R>) -> Result<u32, TextError> {
    let token = script.lexer.next()?;
    let sort = match token.kind {
        TokenKind::Open => {
            let head = script.lexer.next()?;
            if head.kind != TokenKind::Symbol || script.lexer.text() != b"_" {
                let name = shown(script.lexer.text());
                return Err(TextError::new(
                    token.at,
                    format!("unsupported sort: an array over ({name} ...)"),
                ));
            }
            bit_vector_sort(script, token.at)?
        }
        TokenKind::Symbol | TokenKind::Quoted => named_sort(script, token.at)?,
        _ => return Err(script.unexpected(token, "a sort")),
    };
    match sort {
        Sort::BitVec(width) => Ok(width),
        Sort::Bool | Sort::Array { .. } => Err(TextError::new(
            token.at,
            format!("unsupported sort: an array over {sort}"),
        )),
    }
}
