//! Sets by brute force: at up to 5 bits a set is a number, one bit per word.
#![allow(dead_code)]

use cairn_bv::mask;
use cairn_domain::{Binary, StridedInterval, Unary, ValueSet};
use cairn_random::Random;

/// The members as bits; checks the form of the set on the way.
pub fn bits(set: &ValueSet) -> u64 {
    let mut found = 0u64;
    let mut count = 0u128;
    let mut last: Option<StridedInterval> = None;
    for p in set.pieces() {
        assert!(p.lo <= p.hi && p.hi <= mask(set.width()), "{set:?}");
        assert_eq!(p.step == 0, p.lo == p.hi, "{set:?}");
        assert!(p.step == 0 || (p.hi - p.lo) % p.step == 0, "{set:?}");
        assert!(last.is_none_or(|l| l.lo < p.lo), "{set:?} is sorted");
        for word in p.iter() {
            assert_eq!(found >> word & 1, 0, "{set:?} has no word twice");
            found |= 1 << word;
        }
        count += p.count();
        last = Some(*p);
    }
    assert!(set.pieces().len() <= cairn_domain::MOST_PIECES);
    assert_eq!(count, set.count());
    found
}

/// A set from bits, word by word.
pub fn of_bits(width: u32, members: u64) -> ValueSet {
    let words = (0..=mask(width)).filter(|w| members >> w & 1 == 1);
    let pieces: Vec<StridedInterval> = words.map(StridedInterval::point).collect();
    let made = ValueSet::from_pieces(width, &pieces);
    assert!(made.exact);
    made.set
}

/// Every wrapped interval with every step.
pub fn singles(width: u32) -> Vec<ValueSet> {
    let m = mask(width);
    let mut all = vec![ValueSet::empty(width)];
    for lo in 0..=m {
        all.push(ValueSet::point(width, lo));
        for step in 1..=m {
            for more in 1..=m / step {
                all.push(ValueSet::wrapped(
                    width,
                    lo,
                    lo.wrapping_add(more * step) & m,
                    step,
                ));
            }
        }
    }
    all.sort_by_key(|s| format!("{s:?}"));
    all.dedup();
    all
}

/// Words and sets, drawn.
pub trait Draw {
    /// A word, often near the ends.
    fn word(&mut self, width: u32) -> u64;
    /// A set of some wrapped strided intervals.
    fn set(&mut self, width: u32) -> ValueSet;
}

impl Draw for Random {
    fn word(&mut self, width: u32) -> u64 {
        let m = mask(width);
        match self.below(6) {
            0 => self.below_u64(8) & m,
            1 => m - (self.below_u64(8) & m),
            2 => (1 << (width - 1)) ^ (self.below_u64(4) & m),
            3 => 1 << self.below(width as usize),
            _ => self.next() & m,
        }
    }

    fn set(&mut self, width: u32) -> ValueSet {
        let m = mask(width);
        let mut set = ValueSet::empty(width);
        for _ in 0..=self.below(4) {
            let from = self.word(width);
            let step = match self.below(4) {
                0 | 1 => 1,
                2 => 1 + self.below_u64(20),
                _ => 1 << self.below(width as usize),
            };
            let step = step.min(m);
            let room = m / step;
            let more = match self.below(3) {
                0 => self.below_u64(4).min(room),
                1 => self.below_u64(300).min(room),
                _ if room == u64::MAX => self.next(),
                _ => self.below_u64(room + 1),
            };
            let to = from.wrapping_add(more.wrapping_mul(step)) & m;
            set = set.union(&ValueSet::wrapped(width, from, to, step)).set;
        }
        set
    }
}

/// Every operator on one word at a small width.
pub fn unaries(width: u32) -> Vec<Unary> {
    let m = mask(width);
    let mut all = vec![Unary::Neg, Unary::Not];
    for k in 0..=m {
        all.extend([
            Unary::Add(k),
            Unary::Mul(k),
            Unary::Udiv(k),
            Unary::Urem(k),
            Unary::Sdiv(k),
            Unary::Srem(k),
            Unary::Smod(k),
            Unary::And(k),
            Unary::Or(k),
            Unary::Xor(k),
            Unary::Shl(k),
            Unary::Lshr(k),
            Unary::Ashr(k),
        ]);
    }
    all.extend([1, 2].map(Unary::ZeroExtend));
    all.extend([1, 2].map(Unary::SignExtend));
    for lo in 0..width {
        all.extend((lo..width).map(|hi| Unary::Extract { hi, lo }));
    }
    for value in 0..4 {
        all.push(Unary::Prepend { value, width: 2 });
        all.push(Unary::Append { value, width: 2 });
    }
    all
}

/// Every operator on two words.
pub const BINARIES: [Binary; 14] = [
    Binary::Add,
    Binary::Mul,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Udiv,
    Binary::Urem,
    Binary::Sdiv,
    Binary::Srem,
    Binary::Smod,
    Binary::Shl,
    Binary::Lshr,
    Binary::Ashr,
    Binary::Concat,
];
