//! The state of the term reader: explicit stacks in place of recursion.

use super::operators::{Indexed, Operator};
use super::scope::{DefinedFunction, Macro, NameId, Scope, SymbolMeaning};
use crate::error::TextPosition;
use cairn_expr::Term;
use std::rc::Rc;

/// The function applied to the operands being read.
pub(super) enum Head {
    Operator(&'static Operator),
    Indexed(Indexed, [u32; 2]),
    /// `(as const (Array ...))`: widths of index and value.
    ConstArray(u32, u32),
    Function(Rc<DefinedFunction>),
    Macro(Rc<Macro>),
}

/// A term that was begun and not ended. Operands and bindings lie on stacks shared by all frames;
/// a frame knows where its own start.
pub(super) enum ParseFrame {
    /// An application; operands from `first`.
    Apply {
        head: Head,
        first: usize,
        at: TextPosition,
    },
    /// Inside the binding list of a `let`: the value of `name` comes next.
    Binding { name: NameId, first: usize },
    /// Inside the body of a `let` whose bindings from `first` are in force.
    Body { first: usize },
    /// Inside `(! term ...)`.
    Annotated,
}

/// The stacks, kept between terms so that their memory is.
#[derive(Default)]
pub(super) struct TermMachine {
    pub(super) frames: Vec<ParseFrame>,
    pub(super) operands: Vec<Term>,
    /// Bindings: the values while the list is read, what they shadow in the body.
    pub(super) bindings: Vec<(NameId, SymbolMeaning)>,
    /// Names given in the current command.
    pub(super) named: Vec<(String, Term)>,
    /// The name of the whole term, if it has one.
    pub(super) root_name: Option<String>,
    /// Whether `:named` may be used: not where parameters are in scope.
    pub(super) no_names: bool,
}

impl TermMachine {
    /// Puts the bindings from `first` in force, or takes them out again: both exchange each
    /// meaning with the one kept.
    pub(super) fn enter(&mut self, scope: &mut Scope, first: usize) {
        for (name, meaning) in &mut self.bindings[first..] {
            scope.swap(*name, meaning);
        }
    }

    /// Ends the bindings from `first`.
    pub(super) fn leave(&mut self, scope: &mut Scope, first: usize) {
        for (name, mut meaning) in self.bindings.drain(first..).rev() {
            scope.swap(name, &mut meaning);
        }
    }

    /// Gives up everything that was begun.
    pub(super) fn unwind(&mut self, scope: &mut Scope) {
        self.operands.clear();
        while let Some(frame) = self.frames.pop() {
            match frame {
                ParseFrame::Body { first } => self.leave(scope, first),
                ParseFrame::Binding { first, .. } => self.bindings.truncate(first),
                ParseFrame::Apply { .. } | ParseFrame::Annotated => {}
            }
        }
    }
}
