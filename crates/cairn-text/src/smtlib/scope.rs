//! The meanings of a script's symbols at a point of the script.
//!
//! Names are interned to small numbers once per token; a meaning is then an element of a vector, and a `let` swaps it
//! with the one that it shadows. `pop` undoes declarations from a log of the numbers that got a meaning: a name that has
//! a meaning cannot be declared again, so undoing is removing.

use super::operators::{OPERATORS, Operator};
use cairn_expr::{Sort, Term};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;

/// A function with operands that a script declared.
///
/// It is an array over the concatenation of its operands, the first one on top; a Boolean is one
/// bit of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinedFunction {
    /// Its name.
    pub name: String,
    /// The sorts of its operands: Boolean or bit-vector.
    pub parameters: Vec<Sort>,
    /// The sort of its result: Boolean or bit-vector.
    pub result: Sort,
    /// The array symbol that stands for it.
    pub array: Term,
}

/// A symbol that a script declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// A symbol without operands.
    Constant(Term),
    /// A symbol with operands.
    Function(Rc<DefinedFunction>),
}

impl Declaration {
    /// The declared name.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Declaration::Constant(term) => term.symbol_name().unwrap_or_default(),
            Declaration::Function(function) => Cow::Borrowed(&*function.name),
        }
    }
}

/// A defined function with parameters.
#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) name: String,
    /// Symbols that no script can name.
    pub(crate) parameters: Vec<Term>,
    pub(crate) body: Term,
    /// Nodes of the body: what an application costs.
    pub(crate) size: u64,
}

/// Words with a meaning of their own in terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reserved {
    Let,
    Annotation,
    Underscore,
    As,
    /// Words of SMT-LIB that this reader does not know in terms.
    Other,
}

/// The meaning of a symbol.
#[derive(Clone, Debug)]
pub(crate) enum SymbolMeaning {
    Unknown,
    Reserved(Reserved),
    Operator(&'static Operator),
    Term(Term),
    Function(Rc<DefinedFunction>),
    Macro(Rc<Macro>),
}

const RESERVED: &[(&str, Reserved)] = &[
    ("let", Reserved::Let),
    ("!", Reserved::Annotation),
    ("_", Reserved::Underscore),
    ("as", Reserved::As),
    ("forall", Reserved::Other),
    ("exists", Reserved::Other),
    ("match", Reserved::Other),
    ("par", Reserved::Other),
    ("lambda", Reserved::Other),
];

/// The number of an interned name.
pub(crate) type NameId = u32;

/// More assertion levels than this are refused.
const MOST_LEVELS: usize = 1 << 20;
/// The table of names is not swept below this size.
const FIRST_SWEEP: usize = 1 << 16;

#[derive(Clone, Copy)]
struct Level {
    bound: usize,
    sorts: usize,
    declared: usize,
    named: usize,
}

/// The symbol tables of a script.
pub(crate) struct Scope {
    ids: FxHashMap<Box<[u8]>, NameId>,
    meanings: Vec<SymbolMeaning>,
    free: Vec<NameId>,
    sweep_at: usize,
    /// Names given a meaning by declarations, in order.
    bound: Vec<NameId>,
    sorts: FxHashMap<Box<[u8]>, Sort>,
    sort_names: Vec<Box<[u8]>>,
    pub(crate) declared: Vec<Declaration>,
    pub(crate) named: Vec<(String, Term)>,
    levels: Vec<Level>,
    /// Whether declarations outlive the level they are made in.
    pub(crate) global: bool,
}

impl Scope {
    pub(crate) fn new() -> Self {
        let mut scope = Scope {
            ids: FxHashMap::default(),
            meanings: Vec::new(),
            free: Vec::new(),
            sweep_at: FIRST_SWEEP,
            bound: Vec::new(),
            sorts: FxHashMap::default(),
            sort_names: Vec::new(),
            declared: Vec::new(),
            named: Vec::new(),
            levels: Vec::new(),
            global: false,
        };
        for (name, word) in RESERVED {
            let id = scope.intern(name.as_bytes());
            scope.meanings[id as usize] = SymbolMeaning::Reserved(*word);
        }
        for operator in OPERATORS {
            let id = scope.intern(operator.name.as_bytes());
            scope.meanings[id as usize] = SymbolMeaning::Operator(operator);
        }
        scope
    }

    /// The number of a name, given now if it has none.
    pub(crate) fn intern(&mut self, name: &[u8]) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = match self.free.pop() {
            Some(id) => id,
            None => {
                self.meanings.push(SymbolMeaning::Unknown);
                (self.meanings.len() - 1) as NameId
            }
        };
        self.ids.insert(name.into(), id);
        id
    }

    /// The number of a symbol as written. A reserved word between bars is an ordinary name; it
    /// is kept under its spelling with bars, which no other name has.
    pub(crate) fn symbol(&mut self, name: &[u8], quoted: bool) -> NameId {
        let id = self.intern(name);
        if quoted && matches!(self.meanings[id as usize], SymbolMeaning::Reserved(_)) {
            let mut barred = Vec::with_capacity(name.len() + 2);
            barred.push(b'|');
            barred.extend_from_slice(name);
            barred.push(b'|');
            return self.intern(&barred);
        }
        id
    }

    /// The meaning of a symbol, as written; names that were never seen are not remembered.
    #[inline]
    pub(crate) fn meaning(&mut self, name: &[u8], quoted: bool) -> &SymbolMeaning {
        match self.ids.get(name).copied() {
            None => &SymbolMeaning::Unknown,
            Some(id)
                if quoted && matches!(self.meanings[id as usize], SymbolMeaning::Reserved(_)) =>
            {
                let id = self.symbol(name, true);
                &self.meanings[id as usize]
            }
            Some(id) => &self.meanings[id as usize],
        }
    }

    /// Exchanges the meaning of a name.
    pub(crate) fn swap(&mut self, id: NameId, meaning: &mut SymbolMeaning) {
        std::mem::swap(&mut self.meanings[id as usize], meaning);
    }

    /// Gives a name a meaning until its level ends. False if it has one.
    pub(crate) fn bind(&mut self, id: NameId, meaning: SymbolMeaning) -> bool {
        let old = &mut self.meanings[id as usize];
        if !matches!(old, SymbolMeaning::Unknown) {
            return false;
        }
        *old = meaning;
        self.bound.push(id);
        true
    }

    /// Whether a name has a meaning.
    pub(crate) fn is_bound(&self, id: NameId) -> bool {
        !matches!(self.meanings[id as usize], SymbolMeaning::Unknown)
    }

    /// The sort of that name.
    pub(crate) fn sort(&self, name: &[u8]) -> Option<Sort> {
        self.sorts.get(name).copied()
    }

    /// Gives a sort a name. False if the name is taken.
    pub(crate) fn define_sort(&mut self, name: &[u8], sort: Sort) -> bool {
        if self.sorts.contains_key(name) {
            return false;
        }
        self.sorts.insert(name.into(), sort);
        self.sort_names.push(name.into());
        true
    }

    fn mark(&self) -> Level {
        Level {
            bound: self.bound.len(),
            sorts: self.sort_names.len(),
            declared: self.declared.len(),
            named: self.named.len(),
        }
    }

    fn forget(&mut self, from: Level) {
        for id in self.bound.drain(from.bound..) {
            self.meanings[id as usize] = SymbolMeaning::Unknown;
        }
        for name in self.sort_names.drain(from.sorts..) {
            self.sorts.remove(&name);
        }
        self.declared.truncate(from.declared);
        self.named.truncate(from.named);
    }

    /// Remembers the state before a command.
    pub(crate) fn checkpoint(&self) -> impl FnOnce(&mut Scope) + use<> {
        let mark = self.mark();
        move |scope| scope.forget(mark)
    }

    /// Opens levels.
    pub(crate) fn push(&mut self, count: u32) -> Result<(), String> {
        if self.levels.len() + count as usize > MOST_LEVELS {
            return Err(format!("more than {MOST_LEVELS} assertion levels"));
        }
        let mark = self.mark();
        self.levels
            .extend(std::iter::repeat_n(mark, count as usize));
        Ok(())
    }

    /// Closes levels.
    pub(crate) fn pop(&mut self, count: u32) -> Result<(), String> {
        let Some(left) = self.levels.len().checked_sub(count as usize) else {
            return Err(format!(
                "pop of {count} levels, but only {} are open",
                self.levels.len()
            ));
        };
        let first = self.levels.get(left).copied();
        self.levels.truncate(left);
        if let (Some(level), false) = (first, self.global) {
            self.forget(level);
        }
        Ok(())
    }

    /// How many levels are open.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Forgets assertion levels and, unless declarations are global, declarations.
    pub(crate) fn reset_assertions(&mut self) {
        self.levels.clear();
        if !self.global {
            self.forget(Level {
                bound: 0,
                sorts: 0,
                declared: 0,
                named: 0,
            });
        }
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.global = false;
        self.reset_assertions();
    }

    /// Gives back names without meaning when there are many: the variables of past `let`s.
    /// Only between commands.
    pub(crate) fn sweep(&mut self) {
        if self.ids.len() < self.sweep_at {
            return;
        }
        let (meanings, free) = (&self.meanings, &mut self.free);
        self.ids.retain(|_, id| {
            let keep = !matches!(meanings[*id as usize], SymbolMeaning::Unknown);
            if !keep {
                free.push(*id);
            }
            keep
        });
        self.sweep_at = (self.ids.len() * 2).max(FIRST_SWEEP);
    }
}

/// Words that must stand between bars to be symbols, besides those of terms.
const COMMAND_WORDS: &[&str] = &[
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// Whether a name without bars would be read as something else than a symbol.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|(word, _)| *word == name) || COMMAND_WORDS.contains(&name)
}

/// Whether a name belongs to a theory, with or without bars.
pub(crate) fn is_theory_name(name: &str) -> bool {
    OPERATORS.iter().any(|operator| operator.name == name)
}
