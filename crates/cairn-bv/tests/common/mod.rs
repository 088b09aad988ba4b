//! What all test files share: a seeded generator of interesting values, and the
//! check of the representation invariant. No reference semantics live here, so
//! that each test file reads on its own.

use cairn_bv::BitVec;

/// A xorshift generator: failures must be the same on every run and machine.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of plain xorshift are weak; the product mixes them.
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(32)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    /// A value that is uniform, or short, or made of the limbs at which carries
    /// and quotient guesses go wrong.
    pub fn value(&mut self, width: u32) -> BitVec {
        let count = width.div_ceil(64) as usize;
        match self.below(8) {
            0 => BitVec::new(width, self.next() >> self.below(64)),
            1 => BitVec::from_i64(width, (self.next() as i64) >> self.below(64)),
            2 => {
                let edges = [
                    BitVec::zero(width),
                    BitVec::one(width),
                    BitVec::ones(width),
                    BitVec::min_signed(width),
                    BitVec::max_signed(width),
                    BitVec::new(width, u64::from(width)),
                    BitVec::new(width, u64::from(width) - 1),
                ];
                edges[self.below(edges.len() as u32) as usize].clone()
            }
            3 | 4 => {
                let limbs: Vec<u64> = (0..count).map(|_| self.edge_limb()).collect();
                let keep = 1 + self.below(count as u32) as usize;
                BitVec::from_limbs(width, &limbs[..keep])
            }
            5 => {
                let limbs: Vec<u64> = (0..count).map(|_| self.next()).collect();
                let keep = 1 + self.below(count as u32) as usize;
                BitVec::from_limbs(width, &limbs[..keep])
            }
            _ => {
                let limbs: Vec<u64> = (0..count).map(|_| self.next()).collect();
                BitVec::from_limbs(width, &limbs)
            }
        }
    }

    fn edge_limb(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << 63,
            4 => (1 << 63) - 1,
            _ => u64::MAX - 1,
        }
    }
}

/// Checks the invariant of the representation and hands the value on.
#[track_caller]
pub fn sound(value: BitVec) -> BitVec {
    let width = value.width();
    assert!((1..=BitVec::MAX_WIDTH).contains(&width));
    assert_eq!(value.limbs().len(), width.div_ceil(64) as usize);
    let unused = value.limbs().len() as u32 * 64 - width;
    let top = value.limbs().last().copied().unwrap_or(0);
    assert!(top.leading_zeros() >= unused, "bits set above the width");
    value
}
