//! Tokens of KQuery.

use crate::TextError;
use crate::error::TextPosition;

/// A token; names and numbers are slices of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    Comma,
    Colon,
    Equals,
    At,
    Arrow,
    Name(&'a [u8]),
    /// `w` and a number.
    Width(u64),
    Number(&'a [u8]),
    End,
}

/// The token source; a copy of it is a place to come back to.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    next: usize,
    line: u32,
    line_start: usize,
    /// Where the last token starts.
    pub(super) at: TextPosition,
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')
}

/// The number of `w32`.
fn width_of(name: &[u8]) -> Option<u64> {
    let digits = name.strip_prefix(b"w")?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0u64, |n, d| {
        n.saturating_mul(10).saturating_add(u64::from(d - b'0'))
    }))
}

/// Whether a text is read as a name of an array or label.
pub(super) fn is_name(text: &str) -> bool {
    const WORDS: [&str; 5] = ["array", "query", "symbolic", "true", "false"];
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|b| is_name_start(*b))
        && bytes.iter().all(|b| is_name_byte(*b))
        && width_of(bytes).is_none()
        && !WORDS.contains(&text)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Lexer {
            source,
            next: 0,
            line: 1,
            line_start: 0,
            at: TextPosition { line: 1, column: 1 },
        }
    }

    /// How many bytes have been read.
    pub(super) fn offset(&self) -> u64 {
        self.next as u64
    }

    fn peek_byte(&self) -> Option<u8> {
        self.source.get(self.next).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b) = self.peek_byte() {
            match b {
                b'\n' => {
                    self.next += 1;
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.next;
                }
                b' ' | b'\t' | b'\r' => self.next += 1,
                b'#' => {
                    let rest = &self.source[self.next..];
                    self.next += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn while_bytes(&mut self, accept: impl Fn(u8) -> bool) {
        while self.peek_byte().is_some_and(&accept) {
            self.next += 1;
        }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>, TextError> {
        self.skip_space();
        let column = (self.next - self.line_start + 1).min(u32::MAX as usize);
        self.at = TextPosition {
            line: self.line,
            column: column as u32,
        };
        let start = self.next;
        let Some(b) = self.peek_byte() else {
            return Ok(Token::End);
        };
        self.next += 1;
        Ok(match b {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'[' => Token::OpenSquare,
            b']' => Token::CloseSquare,
            b',' => Token::Comma,
            b':' => Token::Colon,
            b'=' => Token::Equals,
            b'@' => Token::At,
            b'-' if self.peek_byte() == Some(b'>') => {
                self.next += 1;
                Token::Arrow
            }
            b'0'..=b'9' | b'-' | b'+' => {
                self.while_bytes(|b| b.is_ascii_alphanumeric() || b == b'_');
                Token::Number(&self.source[start..self.next])
            }
            _ if is_name_start(b) => {
                self.while_bytes(is_name_byte);
                // A name may contain `-`, but `a->` is a name and an arrow.
                if self.peek_byte() == Some(b'>') && self.source[self.next - 1] == b'-' {
                    self.next -= 1;
                }
                let name = &self.source[start..self.next];
                match width_of(name) {
                    Some(width) => Token::Width(width),
                    None => Token::Name(name),
                }
            }
            _ => {
                let message = if b.is_ascii_graphic() {
                    format!("unexpected character `{}`", char::from(b))
                } else {
                    format!("unexpected byte 0x{b:02x}")
                };
                return Err(TextError::new(self.at, message));
            }
        })
    }

    /// Takes the next token if it is the given one.
    pub(super) fn eat(&mut self, token: Token<'_>) -> bool {
        let mut ahead = *self;
        if ahead.next().is_ok_and(|t| t == token) {
            *self = ahead;
            return true;
        }
        false
    }
}
