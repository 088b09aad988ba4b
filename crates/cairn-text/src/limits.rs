//! Bounds on what a text may ask for.
//!
//! # Problem
//! A few bytes can ask for much: `(_ bv1 1048576)`, `(_ repeat 1000000)`, thirty
//! functions that each apply the one before twice. Refusing wide terms altogether would refuse
//! honest input.
//!
//! # Idea
//! Work is charged when it is asked for, and every byte read gives credit. Input whose cost is
//! proportional to its length is never stopped; input that multiplies itself is refused with an error.
//!
//! # Soundness
//! A limit ends reading with an error; it never changes the meaning of what was read.
//!
//! # Cost
//! An addition and a comparison for each charge.

use crate::TextError;
use crate::error::TextPosition;
use cairn_bv::BitVec;

/// Bounds on what a reader builds.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// The widest bit-vector; at most [`BitVec::MAX_WIDTH`].
    pub width: u32,
    /// Work (about one machine word of memory, or a few nanoseconds) that a text may ask for
    /// beyond what its length pays for.
    pub work: u64,
}

impl Default for TextLimits {
    fn default() -> Self {
        TextLimits {
            width: BitVec::MAX_WIDTH,
            work: 1 << 26,
        }
    }
}

/// Work that one byte of input pays for.
const WORK_PER_BYTE: u64 = 32;

/// Constants from this width on are charged for multiplication-like work.
const WIDE: u32 = 4096;

/// The account of one reader: the work that its input has paid for, and what was spent of it.
#[derive(Debug)]
pub(crate) struct WorkAccount {
    limits: TextLimits,
    spent: u64,
    allowed: u64,
}

impl WorkAccount {
    pub(crate) fn new(limits: TextLimits) -> Self {
        let limits = TextLimits {
            width: limits.width.clamp(1, BitVec::MAX_WIDTH),
            ..limits
        };
        WorkAccount {
            limits,
            spent: 0,
            allowed: limits.work,
        }
    }

    /// Gives credit for the bytes read so far.
    #[inline]
    pub(crate) fn have_read(&mut self, bytes: u64) {
        self.allowed = self
            .limits
            .work
            .saturating_add(bytes.saturating_mul(WORK_PER_BYTE));
    }

    /// Charges work about to be done.
    #[inline]
    pub(crate) fn charge(&mut self, work: u64) -> Result<(), String> {
        self.spent = self.spent.saturating_add(work);
        if self.spent > self.allowed {
            return Err(
                "the text asks for much more work than its length: widths, repetitions or \
                 definitions multiply"
                    .to_string(),
            );
        }
        Ok(())
    }

    /// Charges one operation on values of a width; with constants it may be computed at once, at
    /// a cost up to that of long multiplication.
    #[inline]
    pub(crate) fn charge_operation(&mut self, width: u32, constant: bool) -> Result<(), String> {
        let words = u64::from(width / 64);
        let work = if constant && width > WIDE {
            words * words
        } else {
            words
        };
        self.charge(1 + work)
    }

    /// Checks a width before anything of that width is made.
    pub(crate) fn width(&self, width: u64) -> Result<u32, String> {
        if width == 0 {
            return Err("a bit-vector has at least one bit".to_string());
        }
        if width > u64::from(self.limits.width) {
            return Err(format!(
                "a width of {width} bits is above the limit of {}",
                self.limits.width
            ));
        }
        Ok(width as u32)
    }
}

/// Puts a place to a message.
pub(crate) trait AtPosition<T> {
    /// The error at a place.
    fn at(self, position: TextPosition) -> Result<T, TextError>;
}

impl<T> AtPosition<T> for Result<T, String> {
    #[inline]
    fn at(self, position: TextPosition) -> Result<T, TextError> {
        self.map_err(|message| TextError::new(position, message))
    }
}
