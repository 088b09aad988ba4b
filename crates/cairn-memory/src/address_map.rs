//! Which bytes of an array may be bytes of addresses.
//!
//! An object that is written at an unknown offset becomes an array term, which knows nothing but bits. What
//! its bytes belonged to is kept beside it, for each byte. On which side it errs: a byte that is in the map may
//! be one of a plain number, because a write at an unknown offset adds all bytes that it can touch and takes
//! none away.

/// Bytes that share an entry.
const GRANULE: u64 = 8;

/// See the module's head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressMap {
    /// For 8 bytes each, which of them may be an address's.
    granules: Vec<u8>,
    /// Whether some of them are only a part of an address, or an address that a number was taken from.
    has_parts: bool,
}

impl AddressMap {
    /// Adds bytes of a whole address, or of a part of one.
    pub fn add(&mut self, at: u64, length: u64, is_part: bool) {
        self.has_parts |= is_part;
        for byte in at..at.saturating_add(length) {
            let granule = (byte / GRANULE) as usize;
            if self.granules.len() <= granule {
                self.granules.resize(granule + 1, 0);
            }
            self.granules[granule] |= 1 << (byte % GRANULE);
        }
    }

    /// How many bytes of a range may be bytes of addresses.
    pub fn count(&self, at: u64, length: u64) -> u64 {
        let end = at
            .saturating_add(length)
            .min(GRANULE * self.granules.len() as u64);
        let has = |byte: &u64| {
            let granule = self.granules[(byte / GRANULE) as usize];
            granule & 1 << (byte % GRANULE) != 0
        };
        (at..end).filter(has).count() as u64
    }

    /// Whether some bytes are not of a whole address.
    pub fn has_parts(&self) -> bool {
        self.has_parts
    }
}

#[cfg(test)]
mod tests {
    use super::AddressMap;

    #[test]
    fn bytes_are_counted_where_they_were_added() {
        let mut map = AddressMap::default();
        assert_eq!((map.count(0, 100), map.has_parts()), (0, false));
        map.add(16, 8, false);
        map.add(30, 4, false);
        for (at, length, count) in [(16, 8, 8), (0, 16, 0), (12, 8, 4), (24, 40, 4), (31, 1, 1)] {
            assert_eq!(map.count(at, length), count, "{at} {length}");
        }
        assert!(!map.has_parts());
        map.add(0, 1, true);
        assert_eq!((map.count(0, 8), map.has_parts()), (1, true));
    }
}
