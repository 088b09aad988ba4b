//! A set of pages, as ranges: a program may give back many at once.

use std::ops::Range;

/// Numbers of pages: ranges in order, with gaps between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages(Vec<Range<u64>>);

impl Pages {
    /// Adds pages.
    pub fn insert(&mut self, added: Range<u64>) {
        if added.is_empty() {
            return;
        }
        let mut merged = added;
        self.0.retain(|range| {
            let apart = range.end < merged.start || merged.end < range.start;
            if !apart {
                merged = range.start.min(merged.start)..range.end.max(merged.end);
            }
            apart
        });
        let place = self.0.partition_point(|range| range.end < merged.start);
        self.0.insert(place, merged);
    }

    /// Takes pages out.
    pub fn remove(&mut self, removed: &Range<u64>) {
        if removed.is_empty() {
            return;
        }
        let cut = |range: &Range<u64>| {
            let below = range.start..range.end.min(removed.start);
            let above = range.start.max(removed.end)..range.end;
            [below, above].into_iter().filter(|part| !part.is_empty())
        };
        self.0 = self.0.iter().flat_map(cut).collect();
    }

    /// Whether all pages of a range are in it.
    pub fn contains(&self, pages: &Range<u64>) -> bool {
        let covers = |range: &Range<u64>| range.start <= pages.start && pages.end <= range.end;
        pages.is_empty() || self.0.iter().any(covers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranges_are_a_set() {
        let mut state = 1u64;
        let mut next = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        let (mut pages, mut plain) = (Pages::default(), BTreeSet::new());
        for _ in 0..2000 {
            let start = next(30);
            let range = start..start + next(8);
            if next(2) == 0 {
                pages.insert(range.clone());
                plain.extend(range);
            } else {
                pages.remove(&range);
                plain.retain(|page| !range.contains(page));
            }
            for start in 0..40 {
                for end in start..40 {
                    let all = (start..end).all(|page| plain.contains(&page));
                    assert_eq!(pages.contains(&(start..end)), all, "{pages:?}");
                }
            }
        }
    }
}
