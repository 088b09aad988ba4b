//! How symbols are spelled.
//!
//! A symbol's name can be any text, but not every text is a symbol of SMT-LIB: `a|b` cannot be
//! written, `select` belongs to a theory, and two symbols of one name and different sorts are one
//! symbol too many. Such symbols get another spelling, unique among those written together.

use super::scope::{is_reserved, is_theory_name};
use crate::lexer::is_symbol_byte;
use cairn_expr::{Term, symbols_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// A name as a symbol of SMT-LIB: with bars where it needs them. Characters that cannot stand
/// between bars become `%` and their number, and names of theories get a `!`.
pub fn spell_symbol(name: &str) -> String {
    quoted(&writable(name))
}

/// A name that can be written with or without bars: most often the name itself.
fn writable(name: &str) -> Cow<'_, str> {
    if is_theory_name(name) {
        return format!("{name}!").into();
    }
    if name.contains(['|', '\\']) {
        return name.replace('|', "%7c").replace('\\', "%5c").into();
    }
    name.into()
}

/// A writable name with bars if it needs them.
fn quoted(name: &str) -> String {
    let plain = !name.is_empty()
        && !name.as_bytes()[0].is_ascii_digit()
        && name.bytes().all(is_symbol_byte)
        && !is_reserved(name);
    if plain {
        name.to_string()
    } else {
        format!("|{name}|")
    }
}

/// The spellings of the symbols of some terms, each different from all others.
#[derive(Clone, Default, Debug)]
pub struct Names {
    symbols: Vec<(Term, String)>,
    by_symbol: FxHashMap<Term, usize>,
}

impl Names {
    /// Spells every symbol of some terms; the same terms always give the same spellings.
    pub fn of<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Self {
        let mut names = Names::default();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut clashes = Vec::new();
        for symbol in symbols_of(terms) {
            let name = symbol.symbol_name().unwrap_or_default();
            let text = writable(&name).into_owned();
            // A symbol that can be written by its own name has the first right to it.
            if text == name && taken.insert(text.clone()) {
                names.insert(symbol, quoted(&text));
            } else {
                clashes.push((symbol, text));
            }
        }
        for (symbol, text) in clashes {
            let mut candidate = text.clone();
            let mut n = 0u64;
            while !taken.insert(candidate.clone()) {
                n += 1;
                candidate = format!("{text}!{n}");
            }
            names.insert(symbol, quoted(&candidate));
        }
        names
    }

    fn insert(&mut self, symbol: Term, text: String) {
        self.by_symbol.insert(symbol.clone(), self.symbols.len());
        self.symbols.push((symbol, text));
    }

    /// The spelling of a symbol, if it is one of those.
    pub fn get(&self, symbol: &Term) -> Option<&str> {
        let i = self.by_symbol.get(symbol)?;
        Some(&self.symbols[*i].1)
    }

    /// The symbols and their spellings.
    pub fn iter(&self) -> impl Iterator<Item = (&Term, &str)> {
        self.symbols.iter().map(|(t, s)| (t, s.as_str()))
    }

    /// A prefix that no spelling starts with, for names that the printer makes up.
    pub(super) fn unused_prefix(&self) -> String {
        let mut prefix = "?".to_string();
        while self
            .symbols
            .iter()
            .any(|(_, text)| text.trim_start_matches('|').starts_with(&prefix))
        {
            prefix.push('?');
        }
        prefix
    }
}
