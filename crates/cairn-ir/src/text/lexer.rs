//! Text to tokens. Tokens are small copies; strings with escapes live in a table beside them.

use std::borrow::Cow;

use super::ParseError;

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword, an operator, a label, a width.
    Word(&'a str),
    /// `%name`, without the sign.
    Local(&'a str),
    /// `@name`: index into the strings.
    Symbol(usize),
    /// `"..."`: index into the strings.
    Text(usize),
    /// A constant.
    Number(NumberToken<'a>),
    /// One character.
    Sign(char),
    /// `->`
    Arrow,
    /// `...`
    Dots,
    /// After the last token.
    End,
}

/// A constant as written, without its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberToken<'a> {
    /// At least one digit of the base.
    pub digits: &'a str,
    /// Base sixteen instead of ten.
    pub hex: bool,
    /// The width it says it has.
    pub width: Option<&'a str>,
}

/// A text taken apart.
pub(super) struct Tokens<'a> {
    /// Tokens and where they start in the text; the last is [`Token::End`].
    pub tokens: Vec<(Token<'a>, usize)>,
    /// Strings and names.
    pub strings: Vec<Cow<'a, [u8]>>,
}

/// Whether a character may stand in a name that is not quoted.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Result<Tokens<'_>, ParseError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        strings: Vec::new(),
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let token = lexer.token()?;
        tokens.push((token, start));
        if token == Token::End {
            return Ok(Tokens {
                tokens,
                strings: lexer.strings,
            });
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    strings: Vec<Cow<'a, [u8]>>,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b';' {
                while self.peek().is_some_and(|b| b != b'\n') {
                    self.at += 1;
                }
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The longest run of word characters from here; it is ASCII, so slicing is safe.
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(is_word_byte) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn token(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.at;
        let Some(byte) = self.peek() else {
            return Ok(Token::End);
        };
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Ok(Token::Word(self.word())),
            b'0'..=b'9' => self.number(),
            b'%' => {
                self.at += 1;
                match self.word() {
                    "" => Err(self.error(start, "expected the name of a local after `%`")),
                    name => Ok(Token::Local(name)),
                }
            }
            b'@' => {
                self.at += 1;
                if self.peek() == Some(b'"') {
                    return Ok(Token::Symbol(self.string()?));
                }
                match self.word() {
                    "" => Err(self.error(start, "expected a name after `@`")),
                    name => {
                        self.strings.push(Cow::Borrowed(name.as_bytes()));
                        Ok(Token::Symbol(self.strings.len() - 1))
                    }
                }
            }
            b'"' => Ok(Token::Text(self.string()?)),
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'=' | b'+' | b'!' => {
                self.at += 1;
                Ok(Token::Sign(char::from(byte)))
            }
            b'-' => {
                self.at += 1;
                if self.peek() == Some(b'>') {
                    self.at += 1;
                    return Ok(Token::Arrow);
                }
                Ok(Token::Sign('-'))
            }
            b'.' if self.text[start..].starts_with("...") => {
                self.at += 3;
                Ok(Token::Dots)
            }
            _ => Err(self.error(start, "a character that starts nothing")),
        }
    }

    fn number(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.at;
        // Not the full word: `5...` is a number and dots.
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let (hex, rest) = match word.strip_prefix("0x") {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let (digits, width) = match rest.split_once('i') {
            Some((digits, width)) => (digits, Some(width)),
            None => (rest, None),
        };
        let is_digit = |b: u8| match hex {
            true => b.is_ascii_hexdigit(),
            false => b.is_ascii_digit(),
        };
        if digits.is_empty() || !digits.bytes().all(is_digit) {
            return Err(self.error(start, "expected a decimal or hexadecimal number"));
        }
        Ok(Token::Number(NumberToken { digits, hex, width }))
    }

    /// A quoted string from its opening quote; gives its index.
    fn string(&mut self) -> Result<usize, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut plain = self.at;
        let mut value = Vec::new();
        let bytes = self.text.as_bytes();
        loop {
            let Some(byte) = self.peek() else {
                return Err(self.error(start, "the string has no end"));
            };
            match byte {
                b'"' => {
                    value.extend_from_slice(&bytes[plain..self.at]);
                    self.at += 1;
                    self.strings.push(Cow::Owned(value));
                    return Ok(self.strings.len() - 1);
                }
                b'\\' => {
                    value.extend_from_slice(&bytes[plain..self.at]);
                    let (escaped, length) = escape(&bytes[self.at + 1..]).ok_or_else(|| {
                        self.error(
                            self.at,
                            "expected one of the escapes \\n \\t \\\" \\\\ \\hh",
                        )
                    })?;
                    value.push(escaped);
                    self.at += 1 + length;
                    plain = self.at;
                }
                _ => self.at += 1,
            }
        }
    }

    fn error(&self, at: usize, message: &str) -> ParseError {
        ParseError::at(self.text, at, message.to_string())
    }
}

/// The byte of an escape (after the backslash), and how many characters it takes.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    match text.first()? {
        b'n' => Some((b'\n', 1)),
        b't' => Some((b'\t', 1)),
        b'"' => Some((b'"', 1)),
        b'\\' => Some((b'\\', 1)),
        high => {
            let high = char::from(*high).to_digit(16)?;
            let low = char::from(*text.get(1)?).to_digit(16)?;
            Some(((high * 16 + low) as u8, 2))
        }
    }
}
