//! What is unknown when a program starts, and the names that tests know it by.
//!
//! The objects are made here and filled in by the caller, who knows what unknown bytes are. Their
//! names, and what holds of them, are those of KLEE's model of the environment, so that its tests
//! can be replayed here and ours there.

use crate::Abi;
use crate::abi::{Fields, Stat};
use cairn_memory::Word;

/// What an unknown object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicKind {
    /// The bytes of a file.
    Data,
    /// The `struct stat` of a file.
    Stat,
}

/// Something that holds, or should if it can, of the bytes of an unknown object, read as a number
/// with the lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolicRule {
    /// The first byte of the number.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u32,
    /// Which bits of it are meant.
    pub mask: u64,
    /// What holds of them.
    pub relation: BitsRelation,
    /// Whether it always holds, or is only preferred in tests.
    pub required: bool,
}

/// What holds of some bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsRelation {
    /// They are these.
    Equal(u64),
    /// One of them is set.
    NotZero,
    /// Just one of them is set, and no other bit of the number.
    OneBit,
}

/// An object that the caller fills with unknown bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicObject {
    /// Its name in tests.
    pub name: String,
    /// The object.
    pub at: Word,
    /// Its size.
    pub size: u64,
    /// What it is.
    pub kind: SymbolicKind,
    /// What holds of it.
    pub rules: Vec<SymbolicRule>,
}

/// Sizes of blocks that file systems have: powers of two from 512 to a megabyte.
const BLOCK_SIZES: u64 = 0x1f_fe00;

/// What holds of the `struct stat` of a file of unknown content: its type, that its owner may read
/// and write it, its device and number, which no other file has, and its size. The rest is preferred
/// to be as for any other file.
pub(crate) fn stat_rules(abi: Abi, stat: &Stat) -> Vec<SymbolicRule> {
    let fields = Fields::of(abi);
    let usual = fields.encode(stat);
    let value = |(offset, bytes): (u64, u32)| {
        let mut all = [0; 8];
        all[..bytes as usize].copy_from_slice(&usual[offset as usize..][..bytes as usize]);
        u64::from_le_bytes(all)
    };
    let all = |field: (u64, u32), required| SymbolicRule {
        offset: field.0,
        bytes: field.1,
        mask: u64::MAX >> (64 - 8 * field.1),
        relation: BitsRelation::Equal(value(field)),
        required,
    };
    let masked = |field: (u64, u32), mask: u64, required| SymbolicRule {
        mask,
        relation: BitsRelation::Equal(value(field) & mask),
        ..all(field, required)
    };
    let mut rules = vec![
        all(fields.device, true),
        all(fields.uid, true),
        all(fields.size, true),
        all(fields.blocks, true),
        masked(fields.mode, 0xffff_0000 | 0o170600, true),
        all(fields.node, true),
        SymbolicRule {
            relation: BitsRelation::NotZero,
            ..all(fields.links, true)
        },
        // Libraries make buffers of this size: each value is a path of its own.
        SymbolicRule {
            mask: BLOCK_SIZES,
            relation: BitsRelation::OneBit,
            ..all(fields.block, true)
        },
        masked(fields.mode, 0o7777, false),
        all(fields.links, false),
        all(fields.gid, false),
        all(fields.special, false),
        all(fields.block, false),
    ];
    for (seconds, nanos) in fields.times {
        rules.push(all(seconds, false));
        rules.push(all(nanos, false));
        // Nanoseconds are fewer than a second has.
        let bits = u64::MAX >> (64 - 8 * nanos.1);
        rules.push(masked(nanos, bits & !0x1fff_ffff, true));
    }
    rules
}
