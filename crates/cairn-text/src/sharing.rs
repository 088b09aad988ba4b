//! Which nodes of a term a printer has to name so that shared parts are written once.
//!
//! Printers see a term through their own eyes (`not (and (not a) (not b))` is one `or` of two
//! operands), so what counts as a use depends on the operands they write; they say which.

use cairn_expr::Term;
use rustc_hash::FxHashMap;

/// The nodes that some roots are written with, and how often each is written.
#[derive(Default)]
pub(crate) struct Sharing {
    uses: FxHashMap<u32, u32>,
    order: Vec<Term>,
}

enum Step {
    Enter(Term),
    Leave(Term),
}

impl Sharing {
    /// Walks a further root. `operands` appends the operands a node is written with.
    pub(crate) fn add(&mut self, root: &Term, operands: impl Fn(&Term, &mut Vec<Term>)) {
        let mut stack = vec![Step::Enter(root.clone())];
        let mut below = Vec::new();
        while let Some(step) = stack.pop() {
            match step {
                Step::Enter(term) => {
                    let uses = self.uses.entry(term.id()).or_insert(0);
                    *uses = uses.saturating_add(1);
                    if *uses > 1 {
                        continue;
                    }
                    below.clear();
                    operands(&term, &mut below);
                    stack.push(Step::Leave(term));
                    stack.extend(below.drain(..).rev().map(Step::Enter));
                }
                Step::Leave(term) => self.order.push(term),
            }
        }
    }

    /// How often a node is written.
    pub(crate) fn uses(&self, term: &Term) -> u32 {
        self.uses.get(&term.id()).copied().unwrap_or(0)
    }

    /// All nodes, operands before users.
    pub(crate) fn order(&self) -> &[Term] {
        &self.order
    }
}
