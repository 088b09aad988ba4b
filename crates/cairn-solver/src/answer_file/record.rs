//! Answers as bytes.
//!
//! A file is a header and records; see [`super`] for what may happen to it. Numbers are little endian.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT`] |
//! | 8 | [`VERSION`](super::VERSION): what made the answers |
//! | 8 | the check of what is before it |
//!
//! | bytes | record |
//! |---|---|
//! | 4 | [`MARK`] |
//! | 1 | what it is: [`ANSWER`] or [`USES`] |
//! | 4 | the length of its content |
//! | … | its content |
//! | 8 | the check of what is between mark and check, which depends on the version |

use crate::nameless::Nameless;
use cairn_expr::{ArrayValue, BitVec, Value};

/// How a file of answers begins.
pub(super) const MAGIC: [u8; 8] = *b"cairn\x00AF";
/// The format of the file.
pub(super) const FORMAT: u32 = 1;
/// The length of the header.
pub(super) const HEADER: usize = 28;
/// How a record begins.
const MARK: [u8; 4] = [0xC5, 0x1A, 0x9E, 0x3D];
/// The bytes of a record besides its content.
const FRAME: usize = 4 + 1 + 4 + 8;
/// A record of an answer.
const ANSWER: u8 = 1;
/// A record of answers that were used.
const USES: u8 = 2;
/// A record with more content is not written, and none that says so is read.
pub(super) const LARGEST: usize = 1 << 22;

/// A query without names, its answer, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredAnswer {
    /// The hash by which it is found before its normal form is made.
    pub coarse: u64,
    /// The hash of the structure.
    pub hash: u64,
    /// The structure, by [`cairn_expr::Structure::to_bytes`].
    pub structure: Vec<u8>,
    pub answer: Nameless,
    /// Processor time that finding it took, in microseconds.
    pub cost: u64,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FileRecord {
    Answer(StoredAnswer),
    /// The hashes of structures whose answers were used, and how often.
    Uses(Vec<(u64, u64)>),
}

/// The check of some bytes; never the same for two versions.
fn check(version: u64, bytes: &[u8]) -> u64 {
    let mut hash = version ^ 0x9E37_79B9_7F4A_7C15;
    let mut mix = |word: u64| {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash ^= hash >> 32;
    };
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(u64::from_le_bytes(word));
    }
    mix(bytes.len() as u64);
    hash
}

/// The header of files of a version.
pub(super) fn header(version: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(version.to_le_bytes());
    let check = check(0, &bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

/// A record as bytes, for files of a version; `None` if it is too large.
pub(super) fn encode(version: u64, record: &FileRecord) -> Option<Vec<u8>> {
    let mut content = Writer(Vec::new());
    let what = match record {
        FileRecord::Answer(stored) => {
            content.answer(stored);
            ANSWER
        }
        FileRecord::Uses(uses) => {
            content.number(uses.len() as u64);
            for (hash, count) in uses {
                content.number(*hash);
                content.number(*count);
            }
            USES
        }
    };
    let content = content.0;
    let length = u32::try_from(content.len()).ok()?;
    if content.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::with_capacity(content.len() + FRAME);
    bytes.extend(MARK);
    bytes.push(what);
    bytes.extend(length.to_le_bytes());
    bytes.extend(content);
    let check = check(version, &bytes[MARK.len()..]);
    bytes.extend(check.to_le_bytes());
    Some(bytes)
}

/// The records of a file behind its header, and whether bytes were left out that are none. A record is believed only
/// if its check is right; behind a damaged one the next is looked for.
pub(super) fn decode(version: u64, bytes: &[u8]) -> (Vec<FileRecord>, bool) {
    let mut records = Vec::new();
    let mut damaged = false;
    let mut at = 0;
    while at < bytes.len() {
        match one(version, &bytes[at..]) {
            Some((record, length)) => {
                records.push(record);
                at += length;
            }
            None => {
                damaged = true;
                let next = bytes[at + 1..]
                    .windows(MARK.len())
                    .position(|window| window == MARK);
                at = next.map_or(bytes.len(), |next| at + 1 + next);
            }
        }
    }
    (records, damaged)
}

/// The record at the beginning of some bytes, and its length.
fn one(version: u64, bytes: &[u8]) -> Option<(FileRecord, usize)> {
    let (mark, rest) = bytes.split_at_checked(MARK.len())?;
    let (&what, after) = rest.split_first()?;
    let length = u32::from_le_bytes(after.get(..4)?.try_into().ok()?) as usize;
    if mark != MARK || length > LARGEST {
        return None;
    }
    let checked = rest.get(..5 + length)?;
    let expected: [u8; 8] = rest.get(5 + length..13 + length)?.try_into().ok()?;
    if check(version, checked) != u64::from_le_bytes(expected) {
        return None;
    }
    let mut content = Reader(&checked[5..]);
    let record = match what {
        ANSWER => FileRecord::Answer(content.answer()?),
        USES => {
            let count = content.count()?;
            let uses = (0..count).map(|_| Some((content.number()?, content.number()?)));
            FileRecord::Uses(uses.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    content.0.is_empty().then_some((record, FRAME + length))
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    fn bits(&mut self, value: &BitVec) {
        self.number(u64::from(value.width()));
        for limb in value.limbs() {
            self.number(*limb);
        }
    }

    fn value(&mut self, value: Option<&Value>) {
        match value {
            None => self.0.push(0),
            Some(Value::Bool(value)) => self.0.extend([1, u8::from(*value)]),
            Some(Value::Bv(value)) => {
                self.0.push(2);
                self.bits(value);
            }
            Some(Value::Array(array)) => {
                self.0.push(3);
                self.number(u64::from(array.index_width()));
                self.bits(array.default_value());
                self.number(array.cells().count() as u64);
                for (index, value) in array.cells() {
                    self.bits(index);
                    self.bits(value);
                }
            }
        }
    }

    fn answer(&mut self, stored: &StoredAnswer) {
        self.number(stored.coarse);
        self.number(stored.hash);
        self.number(stored.cost);
        self.number(stored.structure.len() as u64);
        self.0.extend_from_slice(&stored.structure);
        match &stored.answer {
            Nameless::Sat(values) => {
                self.0.push(0);
                self.number(values.len() as u64);
                for value in values {
                    self.value(value.as_ref());
                }
            }
            Nameless::Unsat { members, minimised } => {
                self.0.extend([1, u8::from(*minimised)]);
                self.number(members.len() as u64);
                for member in members {
                    self.number(u64::from(*member));
                }
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// A number of things of which each takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    fn truth(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn width(&mut self) -> Option<u32> {
        let width = u32::try_from(self.number()?).ok()?;
        (1..=BitVec::MAX_WIDTH).contains(&width).then_some(width)
    }

    fn bits(&mut self) -> Option<BitVec> {
        let width = self.width()?;
        let limbs: Option<Vec<u64>> = (0..width.div_ceil(64)).map(|_| self.number()).collect();
        Some(BitVec::from_limbs(width, &limbs?))
    }

    fn value(&mut self) -> Option<Option<Value>> {
        Some(match self.byte()? {
            0 => None,
            1 => Some(Value::Bool(self.truth()?)),
            2 => Some(Value::Bv(self.bits()?)),
            3 => {
                let index_width = self.width()?;
                let default = self.bits()?;
                let width = default.width();
                let mut array = ArrayValue::constant(index_width, default);
                for _ in 0..self.count()? {
                    let (index, value) = (self.bits()?, self.bits()?);
                    if index.width() != index_width || value.width() != width {
                        return None;
                    }
                    array.set(index, value);
                }
                Some(Value::Array(array))
            }
            _ => return None,
        })
    }

    fn answer(&mut self) -> Option<StoredAnswer> {
        let (coarse, hash, cost) = (self.number()?, self.number()?, self.number()?);
        let length = self.count()?;
        let structure = self.bytes(length)?.to_vec();
        let answer = match self.byte()? {
            0 => {
                let count = self.count()?;
                let values = (0..count).map(|_| self.value());
                Nameless::Sat(values.collect::<Option<_>>()?)
            }
            1 => {
                let minimised = self.truth()?;
                let count = self.count()?;
                let members = (0..count).map(|_| u32::try_from(self.number()?).ok());
                Nameless::Unsat {
                    members: members.collect::<Option<_>>()?,
                    minimised,
                }
            }
            _ => return None,
        };
        Some(StoredAnswer {
            coarse,
            hash,
            structure,
            answer,
            cost,
        })
    }
}
