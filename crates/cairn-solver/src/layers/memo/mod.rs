//! Memos of lists of facts, which layers keep along a path.
//!
//! A child path shares its parent's list of facts ([`Facts`]), and a memo hangs on a node of that list: what a layer
//! found out for a prefix is there for every path that has the prefix. [`along`] makes the memo of a list from that of
//! its parent. So that one more fact costs little, memos are made of [`PersistentMap`](cairn_expr::PersistentMap)s, which share their structure
//! with those they were made from; [`FactSet`] is the facts of a list as a set, [`Mentions`] finds them by symbol.

mod fact_set;
mod mentions;

use crate::{Facts, MemoKey};
use cairn_expr::Term;
use std::rc::Rc;

pub(super) use fact_set::FactSet;
pub(crate) use mentions::Mentions;

/// The memo of a list of facts, made from that of its parent where it is missing.
pub(crate) fn along<T: 'static>(
    facts: &Facts,
    key: MemoKey,
    empty: &Rc<T>,
    mut extend: impl FnMut(&Rc<T>, &Facts, &Term) -> Rc<T>,
) -> Rc<T> {
    let mut missing: Vec<&Facts> = Vec::new();
    let mut known = None;
    for prefix in facts.prefixes() {
        known = prefix.memo::<T>(key);
        if known.is_some() {
            break;
        }
        missing.push(prefix);
    }
    let mut known = known.unwrap_or_else(|| Rc::clone(empty));
    for prefix in missing.into_iter().rev() {
        if let Some(fact) = prefix.last() {
            known = extend(&known, prefix, fact);
            prefix.set_memo(key, Rc::clone(&known));
        }
    }
    known
}
