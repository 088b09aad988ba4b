//! Tokens of SMT-LIB from a byte source, one at a time.
//!
//! The lexer owns a window of the source that holds at least the current token, so a token's
//! text is a slice of the window and nothing is copied or allocated per token. It also counts
//! parentheses: skipping to the next command then needs no parser.

use crate::TextError;
use crate::error::TextPosition;
use std::io::{ErrorKind, Read};

/// A longer token is refused: the window must hold it.
const LONGEST_TOKEN: usize = 1 << 24;
const WINDOW: usize = 1 << 16;

/// The kind of a token. Its text is in [`Lexer::text`], without delimiters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Open,
    Close,
    /// A symbol that stands without bars.
    Symbol,
    /// A symbol between bars.
    Quoted,
    Keyword,
    Numeral,
    Decimal,
    Hex,
    Binary,
    /// A string; doubled quotes are still doubled.
    String,
    /// The end of the source, outside of all parentheses.
    End,
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) at: TextPosition,
}

const OTHER: u8 = 0;
const SPACE: u8 = 1;
const NEWLINE: u8 = 2;
const WORD: u8 = 3;
const DIGIT: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        class[i] = match b {
            b' ' | b'\t' | b'\r' => SPACE,
            b'\n' => NEWLINE,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => WORD,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'='
            | b'<' | b'>' | b'.' | b'?' | b'/' => WORD,
            _ => OTHER,
        };
        i += 1;
    }
    class
};

/// Whether a byte may stand in a symbol without bars.
pub(crate) fn is_symbol_byte(b: u8) -> bool {
    matches!(CLASS[usize::from(b)], WORD | DIGIT)
}

/// The token source.
pub(crate) struct Lexer<R> {
    source: R,
    window: Vec<u8>,
    /// The next byte of the window to look at, and the end of what was read into it.
    next: usize,
    filled: usize,
    /// Bytes of the source before the window.
    before: u64,
    /// The current token's text in the window.
    text: (usize, usize),
    line: u32,
    line_start: u64,
    depth: u64,
    opened: TextPosition,
    pending: Option<Token>,
    failed: Option<TextError>,
    recorded: Option<Vec<u8>>,
}

impl<R: Read> Lexer<R> {
    pub(crate) fn new(source: R) -> Self {
        Lexer {
            source,
            window: vec![0; WINDOW],
            next: 0,
            filled: 0,
            before: 0,
            text: (0, 0),
            line: 1,
            line_start: 0,
            depth: 0,
            opened: TextPosition { line: 1, column: 1 },
            pending: None,
            failed: None,
            recorded: None,
        }
    }

    /// The text of the token that [`Lexer::next`] gave last.
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.window[self.text.0..self.text.1]
    }

    /// How many parentheses are open.
    #[inline]
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// How many bytes have been looked at.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.before + self.next as u64
    }

    /// Gives the last token back: the next call of [`Lexer::next`] returns it again.
    pub(crate) fn push_back(&mut self, token: Token) {
        self.pending = Some(token);
    }

    /// Starts to keep the tokens' source text.
    pub(crate) fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// The text recorded since [`Lexer::record`].
    pub(crate) fn recorded(&mut self) -> String {
        let bytes = self.recorded.take().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Reads on until no parenthesis is open.
    pub(crate) fn skip_to_top(&mut self) -> Result<(), TextError> {
        self.pending = None;
        self.recorded = None;
        while self.depth > 0 {
            match self.next() {
                Err(error) if error.fatal => return Err(error),
                Err(_) | Ok(_) => {}
            }
        }
        Ok(())
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Token, TextError> {
        if let Some(token) = self.pending.take() {
            return Ok(token);
        }
        let token = self.scan();
        if self.recorded.is_some() || token.is_err() {
            self.note(&token);
        }
        token
    }

    #[cold]
    fn note(&mut self, token: &Result<Token, TextError>) {
        match token {
            Ok(token) => {
                let end = self.next;
                let start = match token.kind {
                    TokenKind::Quoted | TokenKind::Keyword | TokenKind::String => self.text.0 - 1,
                    TokenKind::Hex | TokenKind::Binary => self.text.0 - 2,
                    TokenKind::Open
                    | TokenKind::Close
                    | TokenKind::Symbol
                    | TokenKind::Numeral
                    | TokenKind::Decimal
                    | TokenKind::End => self.text.0,
                };
                if let Some(kept) = &mut self.recorded {
                    if !matches!(kept.last(), None | Some(b'(')) && token.kind != TokenKind::Close {
                        kept.push(b' ');
                    }
                    kept.extend_from_slice(&self.window[start..end]);
                }
            }
            Err(error) if error.fatal => self.failed = Some(error.clone()),
            Err(_) => {}
        }
    }

    fn here(&self) -> TextPosition {
        let column = self.offset() - self.line_start + 1;
        TextPosition {
            line: self.line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    fn new_line(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.offset();
    }

    /// Reads more into the window; what is before `keep` is given up. Positions in the window
    /// move down by `keep`. False at the end of the source.
    #[cold]
    fn refill(&mut self, keep: usize) -> Result<bool, TextError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.window.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.next -= keep;
        self.before += keep as u64;
        if self.filled == self.window.len() {
            if self.filled >= LONGEST_TOKEN {
                return Err(TextError::fatal_at(
                    self.here(),
                    format!("a token is longer than {LONGEST_TOKEN} bytes"),
                ));
            }
            self.window.resize(self.filled * 2, 0);
        }
        loop {
            match self.source.read(&mut self.window[self.filled..]) {
                Ok(n) => {
                    self.filled += n;
                    return Ok(n > 0);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    return Err(TextError::fatal_at(
                        self.here(),
                        format!("the source cannot be read: {e}"),
                    ));
                }
            }
        }
    }

    fn scan(&mut self) -> Result<Token, TextError> {
        loop {
            if self.next == self.filled && !self.refill(self.next)? {
                return self.end();
            }
            let b = self.window[self.next];
            match CLASS[usize::from(b)] {
                SPACE => self.next += 1,
                NEWLINE => {
                    self.next += 1;
                    self.new_line();
                }
                WORD => {
                    let at = self.here();
                    let start = self.word(self.next)?;
                    return Ok(self.token(TokenKind::Symbol, at, start));
                }
                DIGIT => return self.number(),
                _ => {
                    if b == b';' {
                        self.comment()?;
                    } else {
                        return self.delimited(b);
                    }
                }
            }
        }
    }

    fn token(&mut self, kind: TokenKind, at: TextPosition, start: usize) -> Token {
        self.text = (start, self.next);
        Token { kind, at }
    }

    fn end(&mut self) -> Result<Token, TextError> {
        let at = self.here();
        if self.depth > 0 {
            return Err(TextError::fatal_at(
                self.opened,
                "the text ends before the parenthesis opened here is closed",
            ));
        }
        self.text = (self.next, self.next);
        Ok(Token {
            kind: TokenKind::End,
            at,
        })
    }

    fn comment(&mut self) -> Result<(), TextError> {
        loop {
            match self.window[self.next..self.filled]
                .iter()
                .position(|b| *b == b'\n')
            {
                Some(n) => {
                    self.next += n;
                    return Ok(());
                }
                None => {
                    self.next = self.filled;
                    if !self.refill(self.next)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Moves past symbol characters; `start` is kept in the window and returned where it is then.
    #[inline]
    fn word(&mut self, start: usize) -> Result<usize, TextError> {
        let mut start = start;
        loop {
            let rest = &self.window[self.next..self.filled];
            match rest.iter().position(|b| !is_symbol_byte(*b)) {
                Some(n) => {
                    self.next += n;
                    return Ok(start);
                }
                None => {
                    self.next = self.filled;
                    let more = self.refill(start)?;
                    start = 0;
                    if !more {
                        return Ok(start);
                    }
                }
            }
        }
    }

    fn number(&mut self) -> Result<Token, TextError> {
        let at = self.here();
        let start = self.word(self.next)?;
        let text = &self.window[start..self.next];
        let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let kind = if digits(text) {
            TokenKind::Numeral
        } else {
            match text.iter().position(|b| *b == b'.') {
                Some(dot) if digits(&text[..dot]) && digits(&text[dot + 1..]) => TokenKind::Decimal,
                Some(_) | None => {
                    let message = format!("`{}` is not a number", crate::error::shown(text));
                    return Err(TextError::new(at, message));
                }
            }
        };
        Ok(self.token(kind, at, start))
    }

    fn delimited(&mut self, b: u8) -> Result<Token, TextError> {
        let at = self.here();
        match b {
            b'(' => {
                if self.depth == 0 {
                    self.opened = at;
                }
                self.depth += 1;
                self.next += 1;
                Ok(self.token(TokenKind::Open, at, self.next - 1))
            }
            b')' => {
                self.next += 1;
                if self.depth == 0 {
                    return Err(TextError::new(at, "a `)` without a `(` before it"));
                }
                self.depth -= 1;
                Ok(self.token(TokenKind::Close, at, self.next - 1))
            }
            b'|' => self.quoted(at),
            b'"' => self.string(at),
            b':' => {
                self.next += 1;
                let start = self.word(self.next - 1)?;
                if start + 1 == self.next {
                    return Err(TextError::new(at, "a `:` without the keyword after it"));
                }
                Ok(self.token(TokenKind::Keyword, at, start + 1))
            }
            b'#' => self.literal(at),
            _ => {
                self.next += 1;
                let message = if b.is_ascii_graphic() {
                    format!("unexpected character `{}`", char::from(b))
                } else {
                    format!("unexpected byte 0x{b:02x}")
                };
                Err(TextError::new(at, message))
            }
        }
    }

    /// `#x...` or `#b...`.
    fn literal(&mut self, at: TextPosition) -> Result<Token, TextError> {
        self.next += 1;
        let start = self.word(self.next - 1)?;
        let text = &self.window[start..self.next];
        let (kind, valid): (TokenKind, fn(&u8) -> bool) = match text.get(1) {
            Some(b'x') => (TokenKind::Hex, u8::is_ascii_hexdigit),
            Some(b'b') => (TokenKind::Binary, |b| matches!(b, b'0' | b'1')),
            Some(_) | None => {
                let message = format!(
                    "`{}` is neither a `#x` nor a `#b` literal",
                    crate::error::shown(text)
                );
                return Err(TextError::new(at, message));
            }
        };
        let digits = &text[2..];
        if digits.is_empty() || !digits.iter().all(valid) {
            let message = format!("`{}` is not a literal", crate::error::shown(text));
            return Err(TextError::new(at, message));
        }
        Ok(self.token(kind, at, start + 2))
    }

    /// Moves to the next `delimiter`, counting lines; false if the source ends before it.
    fn until(&mut self, delimiter: u8, start: &mut usize) -> Result<bool, TextError> {
        loop {
            while self.next < self.filled {
                let b = self.window[self.next];
                if b == delimiter {
                    return Ok(true);
                }
                self.next += 1;
                if b == b'\n' {
                    self.new_line();
                }
            }
            let more = self.refill(*start)?;
            *start = 0;
            if !more {
                return Ok(false);
            }
        }
    }

    fn quoted(&mut self, at: TextPosition) -> Result<Token, TextError> {
        let mut start = self.next;
        self.next += 1;
        if !self.until(b'|', &mut start)? {
            return Err(TextError::fatal_at(
                at,
                "the text ends before the symbol opened by `|` here is closed",
            ));
        }
        self.text = (start + 1, self.next);
        self.next += 1;
        if self.text().contains(&b'\\') {
            return Err(TextError::new(at, "a quoted symbol contains `\\`"));
        }
        Ok(Token {
            kind: TokenKind::Quoted,
            at,
        })
    }

    fn string(&mut self, at: TextPosition) -> Result<Token, TextError> {
        let mut start = self.next;
        self.next += 1;
        loop {
            if !self.until(b'"', &mut start)? {
                return Err(TextError::fatal_at(
                    at,
                    "the text ends before the string opened here is closed",
                ));
            }
            // A doubled quote stands for one inside; whether it is doubled may need one more byte.
            self.next += 1;
            if self.next == self.filled {
                let more = self.refill(start)?;
                start = 0;
                if !more {
                    break;
                }
            }
            if self.window[self.next] != b'"' {
                break;
            }
            self.next += 1;
        }
        self.text = (start + 1, self.next - 1);
        Ok(Token {
            kind: TokenKind::String,
            at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes one at a time: every token crosses the window's edge.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.len().min(1).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn tokens(text: &str) -> Vec<(TokenKind, String, u32, u32)> {
        let mut lexer = Lexer::new(Dripping(text.as_bytes()));
        let mut all = Vec::new();
        loop {
            let token = lexer.next().unwrap();
            let text = String::from_utf8_lossy(lexer.text()).into_owned();
            all.push((token.kind, text, token.at.line, token.at.column));
            if token.kind == TokenKind::End {
                return all;
            }
        }
    }

    #[test]
    fn every_kind_of_token_across_refills() {
        let text = "(a |b\nc| :k 12 1.5 #xaF #b01 \"x\"\"y\")\n; comment ) \n+";
        let expected = [
            (TokenKind::Open, "(", 1, 1),
            (TokenKind::Symbol, "a", 1, 2),
            (TokenKind::Quoted, "b\nc", 1, 4),
            (TokenKind::Keyword, "k", 2, 4),
            (TokenKind::Numeral, "12", 2, 7),
            (TokenKind::Decimal, "1.5", 2, 10),
            (TokenKind::Hex, "aF", 2, 14),
            (TokenKind::Binary, "01", 2, 19),
            (TokenKind::String, "x\"\"y", 2, 24),
            (TokenKind::Close, ")", 2, 30),
            (TokenKind::Symbol, "+", 4, 1),
            (TokenKind::End, "", 4, 2),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(k, t, l, c)| (*k, t.to_string(), *l, *c))
            .collect();
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn the_open_parenthesis_is_named_at_the_end() {
        let mut lexer = Lexer::new(&b"\n (a (b)"[..]);
        let error = loop {
            if let Err(e) = lexer.next() {
                break e;
            }
        };
        assert!(error.fatal);
        assert_eq!((error.line, error.column), (2, 2));
    }

    #[test]
    fn recording_keeps_the_source() {
        let mut lexer = Lexer::new(&b"( f  #x0A  |q r| \"s\" :k )"[..]);
        lexer.record();
        while lexer.next().unwrap().kind != TokenKind::Close {}
        assert_eq!(lexer.recorded(), "(f #x0A |q r| \"s\" :k)");
    }
}
