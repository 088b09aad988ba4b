//! Reading sorts.

use super::Script;
use crate::TextError;
use crate::error::{Position, shown};
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
            TokenKind::Symbol | TokenKind::Quoted => return self.named_sort(token.at),
            _ => return Err(self.unexpected(token, "a sort")),
        }
        let head = self.lexer.next()?;
        match head.kind {
            TokenKind::Symbol if self.lexer.text() == b"_" => self.bit_vector_sort(token.at),
            TokenKind::Symbol if self.lexer.text() == b"Array" => {
                let index = self.element_sort()?;
                let value = self.element_sort()?;
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

    fn named_sort(&mut self, at: Position) -> Result<Sort, TextError> {
        let name = self.lexer.text();
        if name == b"Bool" {
            return Ok(Sort::Bool);
        }
        self.scope.sort(name).ok_or_else(|| {
            TextError::new(at, format!("unsupported or undefined sort {}", shown(name)))
        })
    }

    /// After `(_`.
    fn bit_vector_sort(&mut self, at: Position) -> Result<Sort, TextError> {
        let name = self.lexer.next()?;
        if name.kind != TokenKind::Symbol || self.lexer.text() != b"BitVec" {
            let text = shown(self.lexer.text());
            return Err(TextError::new(
                at,
                format!("unsupported sort (_ {text} ...)"),
            ));
        }
        let width = self.numeral("the width of a bit-vector")?;
        let width = self.account.width(width).at(at)?;
        self.close("the end of the bit-vector sort")?;
        Ok(Sort::BitVec(width))
    }

    /// The width of an array's index or value.
    fn element_sort(&mut self) -> Result<u32, TextError> {
        let token = self.lexer.next()?;
        let sort = match token.kind {
            TokenKind::Open => {
                let head = self.lexer.next()?;
                if head.kind != TokenKind::Symbol || self.lexer.text() != b"_" {
                    let name = shown(self.lexer.text());
                    return Err(TextError::new(
                        token.at,
                        format!("unsupported sort: an array over ({name} ...)"),
                    ));
                }
                self.bit_vector_sort(token.at)?
            }
            TokenKind::Symbol | TokenKind::Quoted => self.named_sort(token.at)?,
            _ => return Err(self.unexpected(token, "a sort")),
        };
        match sort {
            Sort::BitVec(width) => Ok(width),
            Sort::Bool | Sort::Array { .. } => Err(TextError::new(
                token.at,
                format!("unsupported sort: an array over {sort}"),
            )),
        }
    }
}
