//! What the generators draw besides plain numbers.

pub use cairn_random::Random;

/// Draws of more than one number, and of widths.
pub trait Draw {
    /// The next 128 bits.
    fn wide(&mut self) -> u128;

    /// A number from `low` to `high`, both included.
    ///
    /// # Panics
    /// If `high` is less than `low`.
    fn within(&mut self, low: u32, high: u32) -> u32;
}

impl Draw for Random {
    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn within(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high - low) as usize + 1) as u32
    }
}
