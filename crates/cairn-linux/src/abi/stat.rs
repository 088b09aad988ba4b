//! `struct stat` and `struct statx`.
//!
//! What is known of a file is a [`Stat`]; where each of its fields is in the structure of an
//! architecture is [`Fields`], so that a structure whose bytes are not known can be copied field by
//! field too.

use super::Abi;

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub node: u64,
    pub mode: u32,
    pub links: u32,
    pub uid: u32,
    pub gid: u32,
    pub device: u64,
    pub size: u64,
    pub times: [(i64, u32); 3],
}

/// The device that all files are on.
pub(crate) const DEVICE: u64 = 0x801;

/// Bytes that a file is best read in.
pub(crate) const BLOCK: u64 = 4096;

/// Blocks of 512 bytes that a file of a size takes.
pub(crate) fn blocks(size: u64) -> u64 {
    size.div_ceil(BLOCK) * (BLOCK / 512)
}

/// Where a field is: offset and bytes.
pub(crate) type Field = (u64, u32);

/// Where the fields of a structure are.
pub(crate) struct Fields {
    /// Bytes of the structure.
    pub bytes: u64,
    pub device: Field,
    pub node: Field,
    pub links: Field,
    pub mode: Field,
    pub uid: Field,
    pub gid: Field,
    pub special: Field,
    pub size: Field,
    pub block: Field,
    pub blocks: Field,
    /// Seconds and nanoseconds of the last access, change of content, change of anything.
    pub times: [(Field, Field); 3],
}

const TIMES: [(Field, Field); 3] = [((72, 8), (80, 8)), ((88, 8), (96, 8)), ((104, 8), (112, 8))];

const X86_64: Fields = Fields {
    bytes: 144,
    device: (0, 8),
    node: (8, 8),
    links: (16, 8),
    mode: (24, 4),
    uid: (28, 4),
    gid: (32, 4),
    special: (40, 8),
    size: (48, 8),
    block: (56, 8),
    blocks: (64, 8),
    times: TIMES,
};

const RISCV64: Fields = Fields {
    bytes: 128,
    device: (0, 8),
    node: (8, 8),
    mode: (16, 4),
    links: (20, 4),
    uid: (24, 4),
    gid: (28, 4),
    special: (32, 8),
    size: (48, 8),
    block: (56, 4),
    blocks: (64, 8),
    times: TIMES,
};

/// `struct statx`, as far as it has what `struct stat` has. Devices are apart.
pub(crate) const STATX: Fields = Fields {
    bytes: 256,
    device: (0, 0),
    node: (32, 8),
    links: (16, 4),
    mode: (28, 2),
    uid: (20, 4),
    gid: (24, 4),
    special: (0, 0),
    size: (40, 8),
    block: (4, 4),
    blocks: (48, 8),
    times: [
        ((64, 8), (72, 4)),
        ((112, 8), (120, 4)),
        ((96, 8), (104, 4)),
    ],
};

impl Fields {
    /// The structure of an architecture.
    pub fn of(abi: Abi) -> &'static Fields {
        match abi {
            Abi::X86_64 => &X86_64,
            Abi::Riscv64 => &RISCV64,
        }
    }

    /// Fields of both structures that hold the same, here and there.
    pub fn pairs(&self, other: &Fields) -> Vec<(Field, Field)> {
        let flat = |f: &Fields| {
            let times = f.times.iter().flat_map(|&(s, n)| [s, n]);
            let rest = [f.node, f.links, f.mode, f.uid, f.gid];
            let mut all = rest.to_vec();
            all.extend([f.size, f.block, f.blocks]);
            all.extend(times);
            all
        };
        flat(self).into_iter().zip(flat(other)).collect()
    }

    /// The structure of what is known.
    pub fn encode(&self, stat: &Stat) -> Vec<u8> {
        let mut out = vec![0; self.bytes as usize];
        let mut put = |(offset, bytes): Field, value: u64| {
            let value = value.to_le_bytes();
            out[offset as usize..][..bytes as usize].copy_from_slice(&value[..bytes as usize]);
        };
        put(self.device, DEVICE);
        put(self.node, stat.node);
        put(self.links, u64::from(stat.links));
        put(self.mode, u64::from(stat.mode));
        put(self.uid, u64::from(stat.uid));
        put(self.gid, u64::from(stat.gid));
        put(self.special, stat.device);
        put(self.size, stat.size);
        put(self.block, BLOCK);
        put(self.blocks, blocks(stat.size));
        for (&(seconds, nanos), time) in self.times.iter().zip(&stat.times) {
            put(seconds, time.0 as u64);
            put(nanos, u64::from(time.1));
        }
        out
    }
}
