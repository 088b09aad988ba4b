//! A position in the tokens of a text, and the small things that are read in many places: signs,
//! words, numbers, names, constants.

use std::borrow::Cow;

use cairn_bv::BitVec;
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::lexer::{NumberToken, Token, Tokens};
use crate::{FuncId, Operand, PlaceId, PointerWidth, SlotId, Symbol};

/// A text that is not a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected, or what is wrong.
    pub message: String,
}

impl ParseError {
    /// An error at an offset of a text.
    pub(super) fn at(text: &str, offset: usize, message: String) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ParseError {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// How many bits the wide constants of a text may have together: a few letters can ask for the
/// largest width, so a short text could ask for more memory than there is.
const MAX_WIDE_BITS: u64 = 1 << 30;

/// A position in the tokens of a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) tokens: &'a [(Token<'a>, usize)],
    strings: &'a [Cow<'a, [u8]>],
    pub(super) at: usize,
    pub(super) symbols: FxHashMap<&'a str, Symbol>,
    /// How wide addresses and lengths are.
    pub(super) pointer_width: PointerWidth,
    /// Of the slots defined so far.
    pub(super) slot_widths: Vec<u32>,
    /// Bits of the wide constants so far.
    wide_bits: u64,
}

impl<'a> Cursor<'a> {
    /// The start of a text.
    pub(super) fn new(text: &'a str, tokens: &'a Tokens<'a>) -> Self {
        Cursor {
            text,
            tokens: &tokens.tokens,
            strings: &tokens.strings,
            at: 0,
            symbols: FxHashMap::default(),
            pointer_width: PointerWidth::default(),
            slot_widths: Vec::new(),
            wide_bits: 0,
        }
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    /// Goes past a token; the end stays where it is.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// An error at the present token.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.at, message)
    }

    /// An error at a token.
    pub(super) fn error_at(&self, token: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.text, self.tokens[token].1, message.into())
    }

    /// The error that something else should stand here.
    pub(super) fn expected(&self, what: &str) -> ParseError {
        let (token, start) = self.tokens[self.at];
        let found = match token {
            Token::End => "the end of the text".to_string(),
            Token::Text(_) => "a string".to_string(),
            Token::Word(_)
            | Token::Local(_)
            | Token::Symbol(_)
            | Token::Number(_)
            | Token::Sign(_)
            | Token::Arrow
            | Token::Dots => {
                // Up to the next token, as written; long names are cut.
                let end = self.tokens[self.at + 1].1;
                let written = self.text[start..end]
                    .split([';', '\n'])
                    .next()
                    .unwrap_or("");
                let short: String = written.trim_end().chars().take(40).collect();
                format!("`{short}`")
            }
        };
        self.error(format!("expected {what}, found {found}"))
    }

    pub(super) fn accept(&mut self, sign: char) -> bool {
        let found = self.peek() == Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<()> {
        match self.accept(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        match self.accept_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    /// A number without sign and width.
    pub(super) fn u64(&mut self, what: &str) -> Result<u64> {
        let value = match self.peek() {
            Token::Number(number @ NumberToken { width: None, .. }) => small(number),
            _ => None,
        };
        let value = value.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        let start = self.at;
        let value = self.u64(what)?;
        u32::try_from(value).map_err(|_| self.error_at(start, format!("{what} is too large")))
    }

    /// A word that is a letter and a number: `p3`, `s0`.
    fn index(&mut self, letter: char, what: &str) -> Result<u32> {
        let index = match self.peek() {
            Token::Word(word) => word
                .strip_prefix(letter)
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        let index = index.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(index)
    }

    pub(super) fn place_id(&mut self) -> Result<PlaceId> {
        self.index('p', "a place such as `p1`").map(PlaceId)
    }

    pub(super) fn slot_id(&mut self) -> Result<SlotId> {
        self.index('s', "a slot such as `s0`").map(SlotId)
    }

    /// The width of a slot, if the text defined it above.
    pub(super) fn slot_width(&self, slot: SlotId) -> Option<u32> {
        self.slot_widths.get(slot.index()).copied()
    }

    /// `!p3`, if it stands here.
    pub(super) fn place_suffix(&mut self) -> Result<PlaceId> {
        match self.accept('!') {
            true => self.place_id(),
            false => Ok(PlaceId::UNKNOWN),
        }
    }

    /// A width: `i32`.
    pub(super) fn width(&mut self) -> Result<u32> {
        let width = match self.peek() {
            Token::Word(word) => word.strip_prefix('i').and_then(width_of_digits),
            _ => None,
        };
        let width = width.ok_or_else(|| self.expected("a width such as `i32`"))?;
        self.advance();
        Ok(width)
    }

    /// A string's bytes.
    pub(super) fn bytes(&mut self, what: &str) -> Result<&'a [u8]> {
        match self.peek() {
            Token::Text(index) => {
                self.advance();
                Ok(&self.strings[index])
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A string that is text.
    pub(super) fn string(&mut self, what: &str) -> Result<&'a str> {
        let start = self.at;
        let bytes = self.bytes(what)?;
        std::str::from_utf8(bytes).map_err(|_| self.error_at(start, format!("{what} in UTF-8")))
    }

    /// The name of a function or global.
    pub(super) fn name(&mut self) -> Result<&'a str> {
        let Token::Symbol(index) = self.peek() else {
            return Err(self.expected("a name such as `@main`"));
        };
        let name = std::str::from_utf8(&self.strings[index])
            .map_err(|_| self.error("expected a name in UTF-8"))?;
        self.advance();
        Ok(name)
    }

    pub(super) fn symbol(&mut self) -> Result<Symbol> {
        let start = self.at;
        let name = self.name()?;
        self.symbols
            .get(name)
            .copied()
            .ok_or_else(|| self.error_at(start, format!("there is no function or global `{name}`")))
    }

    pub(super) fn function_id(&mut self) -> Result<FuncId> {
        let start = self.at;
        match self.symbol()? {
            Symbol::Function(id) => Ok(id),
            Symbol::Global(_) => Err(self.error_at(start, "expected a function, not a global")),
        }
    }

    /// `+ 8`, `- 8`, or nothing.
    pub(super) fn addend(&mut self) -> Result<i64> {
        let negative = match self.peek() {
            Token::Sign('+') => false,
            Token::Sign('-') => true,
            _ => return Ok(0),
        };
        self.advance();
        let start = self.at;
        let magnitude = i128::from(self.u64("an offset")?);
        let value = if negative { -magnitude } else { magnitude };
        i64::try_from(value).map_err(|_| self.error_at(start, "the offset is too large"))
    }

    /// A constant, with its sign, for a place that wants `context` bits if that is known.
    pub(super) fn constant(&mut self, context: Option<u32>) -> Result<Operand> {
        let start = self.at;
        let negative = self.accept('-');
        let Token::Number(number) = self.peek() else {
            return Err(self.expected("a constant"));
        };
        let own = match number.width {
            None => None,
            Some(digits) => {
                let width = width_of_digits(digits);
                Some(width.ok_or_else(|| self.expected("a constant with a width such as `5i32`"))?)
            }
        };
        self.advance();
        let width = match (own, context) {
            (Some(own), Some(context)) if own != context => {
                let message = format!("expected a constant of {context} bits, this has {own}");
                return Err(self.error_at(start, message));
            }
            (own, context) => own.or(context),
        };
        if let Some(width @ 65..) = width {
            self.wide_bits += u64::from(width);
            if self.wide_bits > MAX_WIDE_BITS {
                return Err(self.error_at(start, "too many wide constants"));
            }
        }
        constant(number, negative, width).map_err(|message| self.error_at(start, message))
    }
}

/// The width of the digits after an `i`.
fn width_of_digits(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let width = digits.parse().ok()?;
    (1..=BitVec::MAX_WIDTH).contains(&width).then_some(width)
}

/// A number of at most 64 bits.
fn small(number: NumberToken<'_>) -> Option<u64> {
    u64::from_str_radix(number.digits, if number.hex { 16 } else { 10 }).ok()
}

/// A number of more than 64 bits.
fn wide(number: NumberToken<'_>, width: u32) -> Option<BitVec> {
    if !number.hex {
        return BitVec::parse_dec(width, number.digits);
    }
    let digits = number.digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(BitVec::zero(width));
    }
    let value = BitVec::parse_hex(digits)?;
    let bits = value.width() - value.leading_zeros();
    if bits > width {
        return None;
    }
    Some(BitVec::from_limbs(width, value.limbs()))
}

/// The operand of a number in a width, or what is wrong with it.
fn constant(
    number: NumberToken<'_>,
    negative: bool,
    width: Option<u32>,
) -> std::result::Result<Operand, String> {
    let Some(width) = width else {
        return match (negative, small(number)) {
            (false, Some(value)) => Ok(Operand::Int(value)),
            (true, _) | (false, None) => {
                Err("the constant's width is not known here: expected it, as in `5i32`".to_string())
            }
        };
    };
    let misfit = || format!("the constant does not fit in {width} bits");
    if width > 64 {
        let value = wide(number, width).ok_or_else(misfit)?;
        if negative && value > BitVec::min_signed(width) {
            return Err(misfit());
        }
        let value = if negative { value.neg() } else { value };
        return Ok(Operand::Wide(Box::new(value)));
    }
    let value = small(number).ok_or_else(misfit)?;
    let ones = cairn_bv::mask(width);
    let limit = if negative { 1 << (width - 1) } else { ones };
    if value > limit {
        return Err(misfit());
    }
    let value = if negative {
        value.wrapping_neg() & ones
    } else {
        value
    };
    Ok(Operand::Int(value))
}
