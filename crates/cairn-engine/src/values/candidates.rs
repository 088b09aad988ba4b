//! The values that a pointer can have whose object depends on inputs, read off its term.
//!
//! A pointer that is read from a table is one of the table's, one that was chosen one of two. Elements that the index cannot be at
//! (`memory/positions.rs`) do not count. Facts of the path are not asked otherwise: there may be fewer values, never others.

use crate::memory::pointer_flow::elements;
use crate::memory::positions::InsideOffsets;
use cairn_expr::{Op, Term};
use rustc_hash::FxHashSet;

/// The most values that are listed.
const MOST: usize = 4096;

/// All values that a term of at most 64 bits can have, if they are a few and its form shows them.
pub(crate) fn candidates(term: &Term, inside: &InsideOffsets) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    let mut open = vec![(term, 0u64)];
    let mut steps = 0;
    // Chosen pointers share their choices.
    let mut seen = FxHashSet::default();
    while let Some((term, more)) = open.pop() {
        if !seen.insert((term.id(), more)) {
            continue;
        }
        steps += 1;
        if found.len() > MOST || steps > MOST {
            return None;
        }
        if let Some(value) = term.as_const() {
            found.push(value.to_u64()?.wrapping_add(more));
            continue;
        }
        match term.op() {
            Op::Base(base) => found.push(base.address.wrapping_add(more)),
            Op::Ite => open.extend([(term.arg(1), more), (term.arg(2), more)]),
            Op::BvAdd => {
                let by = |i: usize| term.arg(i).as_const().and_then(|value| value.to_u64());
                let (other, by) = match (by(0), by(1)) {
                    (Some(by), _) => (term.arg(1), by),
                    (None, Some(by)) => (term.arg(0), by),
                    (None, None) => return None,
                };
                open.push((other, more.wrapping_add(by)));
            }
            Op::Select => {
                let index = term.arg(1);
                let mut array = term.arg(0);
                while matches!(array.op(), Op::Store) {
                    open.push((array.arg(2), more));
                    array = array.arg(0);
                }
                if matches!(array.op(), Op::ConstArray { .. }) {
                    open.push((array.arg(0), more));
                    continue;
                }
                let Op::Table(table) = array.op() else {
                    return None;
                };
                for (_, value) in elements(table, index, inside) {
                    found.push(value.to_u64()?.wrapping_add(more));
                    if found.len() > MOST {
                        return None;
                    }
                }
            }
            Op::Bool(_)
            | Op::Const(_)
            | Op::Symbol(_)
            | Op::Table(_)
            | Op::Not
            | Op::And
            | Op::Eq
            | Op::BvNot
            | Op::BvNeg
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::Concat
            | Op::Extract { .. }
            | Op::ZeroExtend(_)
            | Op::SignExtend(_)
            | Op::BvUlt
            | Op::BvSlt
            | Op::ConstArray { .. }
            | Op::Store => return None,
        }
    }
    // Sums wrap around at the term's width.
    let unused = 64u32.checked_sub(term.width())?;
    for value in &mut found {
        *value = *value << unused >> unused;
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{MOST, candidates};
    use crate::memory::positions::InsideOffsets;
    use cairn_bv::BitVec;
    use cairn_expr::{Sort, Table, TermStore};

    #[test]
    fn a_choice_from_a_table_has_its_values() {
        let store = TermStore::new();
        let inside = InsideOffsets::default();
        let index = store.symbol("index", Sort::BitVec(2));
        let x = store.symbol("x", Sort::BitVec(64));
        let values = [8, 16].map(|v| BitVec::new(64, v)).to_vec();
        let table = store.table(Table::new(2, values, BitVec::zero(64)));
        let written = store.store(&table, &index, &store.bv(64, 32));
        let read = store.select(&written, &store.bv_not(&index));
        let is_zero = store.eq(&x, &store.bv(64, 0));
        let chosen = store.ite(&is_zero, &read, &store.bv(64, 100));
        let sum = store.bv_add(&chosen, &store.bv(64, 1));
        assert_eq!(candidates(&sum, &inside), Some(vec![1, 9, 17, 33, 101]));
        let all = store.const_array(2, &chosen);
        let one = store.select(&store.store(&all, &index, &read), &store.bv_not(&index));
        assert_eq!(candidates(&one, &inside), Some(vec![0, 8, 16, 32, 100]));
        // Sixteen choices, each with the one before in both arms. The first has the condition of `chosen`: 100 without a
        // step cannot be.
        let deep = (0..16u64).fold(chosen, |before, i| {
            let is = store.eq(&x, &store.bv(64, i));
            store.ite(&is, &before, &store.bv_add(&before, &store.bv(64, 1 << 32)))
        });
        assert_eq!(
            candidates(&deep, &inside).map(|all| all.len()),
            Some(5 * 17 - 1)
        );
        assert_eq!(candidates(&store.bv_add(&sum, &x), &inside), None);
    }

    /// Of structures of four words only one field is read, if the offset is inside of the object.
    #[test]
    fn fields_that_the_index_is_not_at_are_no_values() {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::BitVec(8));
        let offset = store.bv_mul(&store.zero_extend(&x, 56), &store.bv(64, 24));
        let values = (0..12).map(|i| BitVec::new(64, 100 + i)).collect();
        let table = store.table(Table::new(4, values, BitVec::zero(64)));
        let read = store.select(&table, &store.extract(&offset, 6, 3));
        let mut inside = InsideOffsets::default();
        assert_eq!(candidates(&read, &inside).map(|all| all.len()), Some(13));
        inside.note(&offset, 8);
        assert_eq!(
            candidates(&read, &inside),
            Some(vec![0, 100, 103, 106, 109])
        );
    }

    #[test]
    fn a_table_has_all_of_its_values_or_none() {
        let store = TermStore::new();
        let inside = InsideOffsets::default();
        let index = store.symbol("index", Sort::BitVec(14));
        for many in [MOST as u64, MOST as u64 + 1, 2 * MOST as u64] {
            let values = (0..many).map(|v| BitVec::new(64, v)).collect();
            let table = store.table(Table::new(14, values, BitVec::new(64, 1)));
            let found = candidates(&store.select(&table, &index), &inside);
            assert_eq!(found.is_some(), many < MOST as u64, "{many}");
        }
        // The end of a table is kept once.
        let ends = |at: u64| if at < 100 { 8 } else { 16 };
        let values = (0..1 << 14).map(|at| BitVec::new(64, ends(at))).collect();
        let table = store.table(Table::new(14, values, BitVec::new(64, 16)));
        let found = candidates(&store.select(&table, &index), &inside);
        assert!(found.is_none_or(|all| all == [8, 16]));
    }
}
