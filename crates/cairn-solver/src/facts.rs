//! Persistent lists of facts: a child path shares its parent's.
//!
//! Layers attach what they learned about a prefix to its last node ([`Facts::memo`]), so that a fork inherits it and it
//! is freed with the path.

use cairn_expr::Term;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A conjunction of Boolean terms, shared along a path. Cloning is one increment.
#[derive(Clone, Default)]
pub struct Facts(Option<Rc<FactNode>>);

struct FactNode {
    parent: Facts,
    term: Term,
    len: usize,
    memos: RefCell<Vec<(MemoKey, Rc<dyn Any>)>>,
}

/// Names a memo: one per layer instance, so that two chains never read each other's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoKey(u64);

impl MemoKey {
    /// A unique key.
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        MemoKey(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Facts {
    /// No fact.
    pub fn new() -> Self {
        Self::default()
    }

    /// These facts and one more. The constant `true` is not listed.
    #[must_use]
    pub fn with(&self, term: Term) -> Self {
        if term.is_true() {
            return self.clone();
        }
        Facts(Some(Rc::new(FactNode {
            len: self.len() + 1,
            parent: self.clone(),
            term,
            memos: RefCell::new(Vec::new()),
        })))
    }

    /// Number of facts.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |n| n.len)
    }

    /// Whether there is no fact.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The newest fact.
    pub fn last(&self) -> Option<&Term> {
        self.0.as_ref().map(|n| &n.term)
    }

    /// All but the newest fact.
    pub fn parent(&self) -> Option<&Facts> {
        self.0.as_ref().map(|n| &n.parent)
    }

    /// The facts, newest first.
    pub fn iter(&self) -> impl Iterator<Item = &Term> {
        let mut at = self;
        std::iter::from_fn(move || {
            let node = at.0.as_ref()?;
            at = &node.parent;
            Some(&node.term)
        })
    }

    /// This list and all its prefixes, longest first.
    pub fn prefixes(&self) -> impl Iterator<Item = &Facts> {
        let mut at = Some(self);
        std::iter::from_fn(move || {
            let here = at?;
            at = here.parent();
            Some(here)
        })
    }

    /// The facts, oldest first.
    pub fn to_vec(&self) -> Vec<Term> {
        let mut all: Vec<Term> = self.iter().cloned().collect();
        all.reverse();
        all
    }

    /// Whether two lists are the same nodes.
    pub fn same(&self, other: &Facts) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// The length of the longest list that both start with, as far as that is seen by identity.
    pub fn common_prefix(&self, other: &Facts) -> usize {
        let (mut a, mut b) = (self, other);
        while !a.same(b) {
            let longer = if a.len() >= b.len() { &mut a } else { &mut b };
            match longer.parent() {
                Some(parent) => *longer = parent,
                None => return 0,
            }
        }
        a.len()
    }

    /// The memo that a layer attached to this list.
    pub fn memo<T: 'static>(&self, key: MemoKey) -> Option<Rc<T>> {
        let node = self.0.as_ref()?;
        let memos = node.memos.borrow();
        let (_, value) = memos.iter().find(|(k, _)| *k == key)?;
        Rc::clone(value).downcast().ok()
    }

    /// Hangs something on this list, replacing what the same key held. Lost on the empty list.
    pub fn set_memo<T: 'static>(&self, key: MemoKey, value: Rc<T>) {
        let Some(node) = &self.0 else { return };
        let mut memos = node.memos.borrow_mut();
        match memos.iter_mut().find(|(k, _)| *k == key) {
            Some(slot) => slot.1 = value,
            None => memos.push((key, value)),
        }
    }
}

impl FromIterator<Term> for Facts {
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Self {
        terms.into_iter().fold(Facts::new(), |f, t| f.with(t))
    }
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.to_vec()).finish()
    }
}

impl Drop for FactNode {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.parent.0.take();
        while let Some(rc) = next {
            match Rc::into_inner(rc) {
                Some(mut node) => next = node.parent.0.take(),
                None => break,
            }
        }
    }
}
