//! The exact decimal digits of a number.
//!
//! A finite number is an integer times a power of two, and a power of two is a power of five
//! moved by a decimal point, so all its digits are those of one integer. The largest such
//! integer, that of the smallest 80-bit number, has about 38 thousand bits.

/// `0.digits * 10^point`; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// From 0 to 9 each; the first is not 0.
    pub(super) digits: Vec<u8>,
    /// Where the decimal point is.
    pub(super) point: i64,
}

/// The largest power of five in a word.
const FIVES: (u32, u32) = (13, 1_220_703_125);
/// The largest power of ten in a word.
const TENS: (usize, u32) = (9, 1_000_000_000);

/// Multiplies a little-endian integer.
fn multiply(words: &mut Vec<u32>, factor: u32) {
    let mut carry = 0;
    for word in words.iter_mut() {
        let product = u64::from(*word) * u64::from(factor) + carry;
        *word = product as u32;
        carry = product >> 32;
    }
    if carry != 0 {
        words.push(carry as u32);
    }
}

/// The digits of a little-endian integer.
fn digits_of(mut words: Vec<u32>) -> Vec<u8> {
    // Nine at a time, the last ones first.
    let mut reversed = Vec::new();
    loop {
        while words.last() == Some(&0) {
            words.pop();
        }
        if words.is_empty() {
            break;
        }
        let mut rest = 0u64;
        for word in words.iter_mut().rev() {
            let part = (rest << 32) | u64::from(*word);
            *word = (part / u64::from(TENS.1)) as u32;
            rest = part % u64::from(TENS.1);
        }
        for _ in 0..TENS.0 {
            reversed.push((rest % 10) as u8);
            rest /= 10;
        }
    }
    while reversed.last() == Some(&0) {
        reversed.pop();
    }
    reversed.reverse();
    reversed
}

impl Decimal {
    /// All digits of `significand * 2^exponent`.
    pub(super) fn new(significand: u64, exponent: i32) -> Decimal {
        if significand == 0 {
            return Decimal::ZERO;
        }
        let zeros = significand.trailing_zeros();
        let significand = significand >> zeros;
        let exponent = exponent + zeros as i32;
        let mut words = Vec::new();
        if exponent >= 0 {
            words.resize(exponent as usize / 32, 0);
            let shifted = u128::from(significand) << (exponent % 32);
            words.extend([0, 32, 64].map(|by| (shifted >> by) as u32));
        } else {
            words.extend([significand as u32, (significand >> 32) as u32]);
            let mut fives = exponent.unsigned_abs();
            while fives >= FIVES.0 {
                multiply(&mut words, FIVES.1);
                fives -= FIVES.0;
            }
            multiply(&mut words, 5u32.pow(fives));
        }
        let digits = digits_of(words);
        let point = digits.len() as i64 + i64::from(exponent.min(0));
        Decimal { digits, point }
    }

    /// Zero.
    const ZERO: Decimal = Decimal {
        digits: Vec::new(),
        point: 0,
    };

    /// The nearest number with so many digits, ties to even; fewer than none is zero.
    pub(super) fn round(&self, keep: i64) -> Decimal {
        let Ok(keep) = usize::try_from(keep) else {
            return Decimal::ZERO;
        };
        let Some((&next, below)) = self.digits.get(keep..).and_then(<[u8]>::split_first) else {
            return self.clone();
        };
        let mut digits = self.digits[..keep].to_vec();
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let more = below.iter().any(|&digit| digit != 0);
        let mut point = self.point;
        if next > 5 || (next == 5 && (more || odd)) {
            let nines = digits.iter().rev().take_while(|&&digit| digit == 9).count();
            let first = keep - nines;
            digits[first..].fill(0);
            if first == 0 {
                digits.insert(0, 1);
                point += 1;
            } else {
                digits[first - 1] += 1;
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() {
            return Decimal::ZERO;
        }
        Decimal { digits, point }
    }
}
