//! What all test files share: interesting values, drawn from a seed, and the check
//! of the representation invariant. No reference semantics live here, so
//! that each test file reads on its own.

use cairn_bv::BitVec;
use cairn_random::Random;

/// Values, drawn.
pub trait Values {
    /// A value that is uniform, or short, or made of the limbs at which carries
    /// and quotient guesses go wrong.
    fn value(&mut self, width: u32) -> BitVec;
}

impl Values for Random {
    fn value(&mut self, width: u32) -> BitVec {
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
                self.pick(&edges).clone()
            }
            3 | 4 => {
                let limbs: Vec<u64> = (0..count).map(|_| edge_limb(self)).collect();
                let keep = 1 + self.below(count);
                BitVec::from_limbs(width, &limbs[..keep])
            }
            5 => {
                let limbs: Vec<u64> = (0..count).map(|_| self.next()).collect();
                let keep = 1 + self.below(count);
                BitVec::from_limbs(width, &limbs[..keep])
            }
            _ => {
                let limbs: Vec<u64> = (0..count).map(|_| self.next()).collect();
                BitVec::from_limbs(width, &limbs)
            }
        }
    }
}

fn edge_limb(random: &mut Random) -> u64 {
    *random.pick(&[0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, u64::MAX - 1])
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
