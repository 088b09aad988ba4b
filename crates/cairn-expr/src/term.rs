//! A term: a counted reference to an interned node.

use crate::{Attributes, Op, Sort, Symbol};
use cairn_bv::BitVec;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

pub(crate) type Args = SmallVec<[Term; 3]>;

pub(crate) struct TermNode {
    pub(crate) op: Op,
    pub(crate) args: Args,
    pub(crate) sort: Sort,
    /// Slot number, reused after the term died.
    pub(crate) id: u32,
    /// Number of the birth in this store, never reused.
    pub(crate) birth: u64,
    /// Structural hash: depends only on the term's shape, not on the store or the run.
    pub(crate) hash: u64,
    pub(crate) attributes: Attributes,
}

impl Drop for TermNode {
    /// Frees without recursion, however deep the term is. The store's sweep takes operands out
    /// before it drops a node; this serves terms that outlive their store.
    fn drop(&mut self) {
        // Operands go one by one: of two references to the same operand only the last frees it.
        let mut dead: Vec<TermNode> = Vec::new();
        dead.extend(self.args.drain(..).filter_map(|a| Rc::into_inner(a.0)));
        while let Some(mut node) = dead.pop() {
            dead.extend(node.args.drain(..).filter_map(|a| Rc::into_inner(a.0)));
        }
    }
}

/// An interned, typed, immutable expression.
///
/// Equality is identity: two terms of one store with the same structure are the same node.
#[derive(Clone)]
pub struct Term(pub(crate) Rc<TermNode>);

impl Term {
    /// The operator.
    #[inline]
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The operands.
    #[inline]
    pub fn args(&self) -> &[Term] {
        &self.0.args
    }

    /// The `i`-th operand.
    #[inline]
    pub fn arg(&self, i: usize) -> &Term {
        &self.0.args[i]
    }

    /// The sort.
    #[inline]
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// The width of a bit-vector term; panics on others.
    #[inline]
    pub fn width(&self) -> u32 {
        self.0.sort.width()
    }

    /// A small number, unique among the living terms of a store, for side tables. It is reused
    /// after the term's death: a table that outlives its terms must compare [`Term::birth`] too.
    #[inline]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// A number that no other term of the store ever has.
    #[inline]
    pub fn birth(&self) -> u64 {
        self.0.birth
    }

    /// A hash of the structure alone: the same in every store and every run.
    #[inline]
    pub fn shape_hash(&self) -> u64 {
        self.0.hash
    }

    /// The attributes computed at interning.
    #[inline]
    pub fn attributes(&self) -> &Attributes {
        &self.0.attributes
    }

    /// The value of a bit-vector constant.
    #[inline]
    pub fn as_const(&self) -> Option<&BitVec> {
        match self.op() {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    /// The value of a Boolean constant.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self.op() {
            Op::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The symbol of a symbol term.
    #[inline]
    pub fn as_symbol(&self) -> Option<&Arc<Symbol>> {
        match self.op() {
            Op::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The name of a symbol.
    pub fn symbol_name(&self) -> Option<Cow<'_, str>> {
        let symbol = self.as_symbol()?;
        Some(match &**symbol {
            Symbol::Named(name) => Cow::Borrowed(&**name),
            Symbol::Input { .. } | Symbol::Uninitialised { .. } | Symbol::Undefined { .. } => {
                Cow::Owned(symbol.name(self.sort()).to_string())
            }
        })
    }

    /// Whether this is the constant `true`.
    pub fn is_true(&self) -> bool {
        self.as_bool() == Some(true)
    }

    /// Whether this is the constant `false`.
    pub fn is_false(&self) -> bool {
        self.as_bool() == Some(false)
    }

    /// The order in which operands of commutative operators stand: constants last, then by
    /// structure, so that it is the same in every store.
    pub(crate) fn canonical_cmp(&self, other: &Term) -> Ordering {
        let rank = |t: &Term| u8::from(matches!(t.op(), Op::Const(_) | Op::Bool(_)));
        rank(self)
            .cmp(&rank(other))
            .then(self.0.hash.cmp(&other.0.hash))
            .then(self.0.birth.cmp(&other.0.birth))
    }
}

impl PartialEq for Term {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Term {}

impl Hash for Term {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.birth);
    }
}

impl fmt::Debug for Term {
    /// Writes the term as a tree down to a small depth; for whole terms use a printer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn go(t: &Term, depth: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match t.op() {
                Op::Bool(b) => write!(f, "{b}"),
                Op::Const(v) => write!(f, "{v}"),
                Op::Base(base) => write!(f, "base@{:x}", base.address),
                Op::Symbol(symbol) => write!(f, "{}", symbol.name(t.sort())),
                Op::Table(table) => write!(f, "table[{}]", table.values().len()),
                op => {
                    if depth == 0 {
                        return write!(f, "t{}", t.id());
                    }
                    write!(f, "({}", op.info().name)?;
                    if let Op::Extract { hi, lo } = op {
                        write!(f, "[{hi}:{lo}]")?;
                    }
                    if let Op::ZeroExtend(n) | Op::SignExtend(n) = op {
                        write!(f, "[{n}]")?;
                    }
                    for a in t.args() {
                        write!(f, " ")?;
                        go(a, depth - 1, f)?;
                    }
                    write!(f, ")")
                }
            }
        }
        go(self, 6, f)
    }
}
