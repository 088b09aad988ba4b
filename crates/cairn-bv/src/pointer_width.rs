//! How wide the addresses of a program are.

/// How wide a pointer is. A target has one width for pointers to data and to functions, for sizes of
/// objects and for differences of addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PointerWidth {
    /// 4 bytes.
    Four,
    /// 8 bytes.
    #[default]
    Eight,
}

impl PointerWidth {
    /// The width of this many bytes, if pointers can have it.
    pub const fn from_bytes(bytes: u64) -> Option<Self> {
        match bytes {
            4 => Some(PointerWidth::Four),
            8 => Some(PointerWidth::Eight),
            _ => None,
        }
    }

    /// Bytes of a pointer.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            PointerWidth::Four => 4,
            PointerWidth::Eight => 8,
        }
    }

    /// Bits of a pointer.
    #[inline]
    pub const fn bits(self) -> u32 {
        8 * self.bytes()
    }

    /// The last address.
    #[inline]
    pub const fn last_address(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The address that a number wraps to.
    #[inline]
    pub const fn wrap(self, bits: u64) -> u64 {
        bits & self.last_address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_bytes_and_bits() {
        for bytes in 0..=16 {
            let width = PointerWidth::from_bytes(bytes);
            assert_eq!(width.is_some(), bytes == 4 || bytes == 8);
            if let Some(width) = width {
                assert_eq!(u64::from(width.bytes()), bytes);
                assert_eq!(u64::from(width.bits()), 8 * bytes);
            }
        }
        assert_eq!(PointerWidth::Four.wrap(0x1_0000_0003), 3);
        assert_eq!(PointerWidth::Eight.wrap(u64::MAX), u64::MAX);
        assert_eq!(PointerWidth::default(), PointerWidth::Eight);
    }
}
