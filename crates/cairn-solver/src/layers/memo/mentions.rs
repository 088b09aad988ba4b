//! Which facts of a list mention a symbol.

use super::along;
use crate::{Facts, MemoKey};
use cairn_expr::{PersistentMap, Support, Term};
use std::rc::Rc;
use std::sync::OnceLock;

/// Facts by the symbols that they mention, kept along a path: one more fact costs its own symbols.
#[derive(Clone, Default)]
pub(crate) struct Mentions {
    /// By the symbols' ids, which the facts keep alive.
    of_symbol: PersistentMap<Rc<Mention>>,
    /// Facts whose symbols are not listed.
    of_many: Option<Rc<Mention>>,
}

struct Mention {
    fact: Term,
    before: Option<Rc<Mention>>,
}

impl Mentions {
    /// Those of a list. They depend on the list alone, so there is one memo of them.
    pub(crate) fn of(facts: &Facts) -> Rc<Mentions> {
        static KEY: OnceLock<MemoKey> = OnceLock::new();
        let key = *KEY.get_or_init(MemoKey::fresh);
        along(facts, key, &Rc::default(), |parent, _, fact| {
            Rc::new(parent.with(fact))
        })
    }

    fn with(&self, fact: &Term) -> Mentions {
        let mut more = self.clone();
        let mention = |before: Option<&Rc<Mention>>| {
            Rc::new(Mention {
                fact: fact.clone(),
                before: before.cloned(),
            })
        };
        match &fact.attributes().support {
            Support::Keys(keys) => {
                let mut last = None;
                for symbol in keys.iter().map(|key| key.symbol) {
                    // Cells of an array stand next to each other.
                    if last.replace(symbol) != Some(symbol) {
                        let made = mention(more.of_symbol.get(u64::from(symbol)));
                        more.of_symbol.insert(u64::from(symbol), made);
                    }
                }
            }
            Support::Many => more.of_many = Some(mention(more.of_many.as_ref())),
        }
        more
    }

    /// All facts that mention one of some symbols or may do so, some of them more than once.
    pub(crate) fn mentioning(
        &self,
        symbols: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = &Term> {
        let of_symbols = symbols
            .into_iter()
            .filter_map(|symbol| self.of_symbol.get(u64::from(symbol)));
        of_symbols.chain(&self.of_many).flat_map(|newest| {
            let mut at = Some(&**newest);
            std::iter::from_fn(move || {
                let here = at?;
                at = here.before.as_deref();
                Some(&here.fact)
            })
        })
    }
}

impl Drop for Mention {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.before.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{Sort, TermStore};

    #[test]
    fn a_symbol_leads_to_all_facts_that_mention_it_and_to_no_others() {
        let s = TermStore::new();
        let words: Vec<Term> = (0..300)
            .map(|i| s.symbol(&format!("x{i}"), Sort::BitVec(8)))
            .collect();
        let sum = words
            .iter()
            .skip(1)
            .fold(words[0].clone(), |a, b| s.bv_xor(&a, b));
        let mut facts = Facts::new();
        for i in 0..39 {
            facts = facts.with(s.bv_ult(&words[i], &words[i + 1]));
        }
        // So many symbols are not listed.
        let wide = s.not(&s.eq(&sum, &s.bv(8, 3)));
        assert!(matches!(wide.attributes().support, Support::Many));
        facts = facts.with(wide.clone());
        for word in &words {
            let mentions = Mentions::of(&facts);
            let found: Vec<Term> = mentions.mentioning([word.id()]).cloned().collect();
            for fact in facts.iter() {
                let listed = match &fact.attributes().support {
                    Support::Keys(keys) => keys.iter().any(|k| k.symbol == word.id()),
                    Support::Many => true,
                };
                assert_eq!(found.contains(fact), listed);
            }
        }
    }
}
