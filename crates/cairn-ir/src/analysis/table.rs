//! Lists by dense number, in one flat table: two allocations however many lists there are.

/// A list of `T` for each number below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListTable<T> {
    /// Where each list starts; one more at the end.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> ListTable<T> {
    /// Lists the second of the pairs by the first, in the order of the pairs.
    pub fn new(count: usize, pairs: &[(u32, T)]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (key, _) in pairs {
            starts[*key as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut items = Vec::new();
        if let Some((_, filler)) = pairs.first() {
            let mut next = starts.clone();
            items = vec![*filler; pairs.len()];
            for (key, item) in pairs {
                let at = &mut next[*key as usize];
                items[*at as usize] = *item;
                *at += 1;
            }
        }
        ListTable { starts, items }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A list.
    pub fn of(&self, key: u32) -> &[T] {
        let key = key as usize;
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
